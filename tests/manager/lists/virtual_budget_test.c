/*
 * virtual_budget_test.c - how processes share memory: budgets, trims, the order of eviction, and
 * that evictions come to an end (R291, R310).
 */
#include "virtual_players.h"

#define ANYWHERE  (SET(VRAM) | SET(APERTURE))
#define ONLY_VRAM SET(VRAM)

static uint64_t budget_of(const struct player *player) {
    struct vidmm_budget budget;
    vidmm_process_budget(player->process, 0, VIDMM_GROUP_LOCAL, &budget);
    return budget.budget;
}

static uint64_t usage_of(const struct player *player) {
    struct vidmm_budget budget;
    vidmm_process_budget(player->process, 0, VIDMM_GROUP_LOCAL, &budget);
    return budget.usage;
}

/* Lists `count` new allocations of 256 KiB. */
static void list_many(struct player *player, struct vidmm_allocation **list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        list[i] = make(player, MIB / 4, ANYWHERE);
        stamp(player, list[i], player->index * 100 + i);
        must_list(player, list[i]);
    }
}

static uint32_t in_vram(struct vidmm_allocation *const *list, uint32_t count) {
    uint32_t there = 0;
    for (uint32_t i = 0; i < count; i++)
        there += segment_of(list[i]) == VRAM;
    return there;
}

static void expect_content(struct player *player, struct vidmm_allocation *const *list,
                           uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        expect_stamp(player, list[i], player->index * 100 + i);
}

/* ---- Shares ---------------------------------------------------------------------------------- */

static void who_is_alone_has_everything(void **state) {
    (void)state;
    struct game *game = game_new(1);
    assert_int_equal(budget_of(&game->players[0]), 4 * MIB + PAGE);
    game_end(game);
}

static void the_greedy_share_what_the_modest_leave(void **state) {
    (void)state;
    struct game *game = game_new(4);
    struct vidmm_allocation *list[4][16];
    list_many(&game->players[0], list[0], 1);
    list_many(&game->players[1], list[1], 5); /* more than a quarter, less than its share */
    assert_int_equal(budget_of(&game->players[1]), 4 * MIB + PAGE - MIB / 4);
    list_many(&game->players[2], list[2], 12);
    list_many(&game->players[3], list[3], 12);
    uint64_t left = 4 * MIB + PAGE - MIB / 4;
    uint64_t share = left / 3 & ~(PAGE - 1);
    assert_int_equal(budget_of(&game->players[2]), (left - MIB * 5 / 4) / 2 & ~(PAGE - 1));
    assert_int_equal(budget_of(&game->players[3]), budget_of(&game->players[2]));
    assert_int_equal(budget_of(&game->players[1]), share); /* what it may have if it wants it */
    assert_int_equal(usage_of(&game->players[1]), MIB * 5 / 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(budget_of(&game->players[i]) >= MIB);
    game_end(game);
}

/* The small segment is no target of applications: neither its bytes nor what lies there count. */
static void aim_at_vram(DXGKARG_QUERYADAPTERINFO *arg) {
    DXGK_QUERYSEGMENTOUT4 *out = arg->pOutputData;
    if (arg->Type != DXGKQAITYPE_QUERYSEGMENT4 || !out->pSegmentDescriptor)
        return;
    ((DXGK_SEGMENTDESCRIPTOR4 *)(void *)out->pSegmentDescriptor)->Flags.ApplicationTarget = 1;
}

static void only_targets_of_applications_are_shared(void **state) {
    (void)state;
    struct game *game = game_prepare(4 * MIB);
    game->world->small_bytes = MIB;
    game->world->spoil = aim_at_vram;
    game_start(game, 1);
    struct player *player = &game->players[0];
    assert_int_equal(budget_of(player), 4 * MIB);
    must_list(player, make(player, MIB / 2, SET(SMALL)));
    assert_int_equal(usage_of(player), 0);
    must_list(player, make(player, MIB / 2, ONLY_VRAM));
    assert_int_equal(usage_of(player), MIB / 2);
    game_end(game);
}

static void a_budget_may_be_set_from_outside(void **state) {
    (void)state;
    struct game *game = game_new(2);
    struct vidmm_allocation *list[16];
    vidmm_process_set_budget(game->players[0].process, 0, VIDMM_GROUP_LOCAL, MIB);
    list_many(&game->players[0], list, 8);
    assert_int_equal(budget_of(&game->players[0]), MIB);
    assert_int_equal(budget_of(&game->players[1]), 3 * MIB + PAGE);
    vidmm_process_set_budget(game->players[0].process, 0, VIDMM_GROUP_LOCAL, UINT64_MAX);
    assert_true(budget_of(&game->players[0]) >= 2 * MIB);
    game_end(game);
}

static void what_two_devices_of_a_process_list_is_charged_once(void **state) {
    (void)state;
    struct game *game = game_new(2);
    struct player *player = &game->players[0], *other = &game->players[1];
    struct vidmm_allocation *a = make(player, MIB, ANYWHERE);
    struct vidmm_device *second = NULL;
    struct vidmm_paging_queue *queue = NULL;
    assert_int_equal(vidmm_process_device_create(player->process, &second), VIDMM_OK);
    assert_int_equal(vidmm_paging_queue_create(second, 0, &queue), VIDMM_OK);
    assert_int_equal(vidmm_allocation_open(second, a), VIDMM_OK);
    assert_int_equal(vidmm_allocation_open(other->device, a), VIDMM_OK);
    must_list(player, a);
    assert_int_equal(vidmm_make_resident(queue, &a, 1, 0, NULL, NULL), VIDMM_OK);
    must_list(other, a);
    assert_int_equal(usage_of(player), MIB);
    assert_int_equal(usage_of(other), MIB);
    evict(player, a, 0);
    assert_int_equal(usage_of(player), MIB);
    vidmm_device_destroy(second);
    assert_int_equal(usage_of(player), 0);
    assert_int_equal(usage_of(other), MIB);
    game_end(game);
}

static void what_is_offered_is_not_charged(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, MIB, ANYWHERE);
    enum vidmm_reclaim_result result;
    must_list(player, a);
    assert_int_equal(vidmm_offer(player->device, &a, 1, VIDMM_OFFER_LOW), VIDMM_OK);
    assert_int_equal(usage_of(player), 0);
    assert_int_equal(vidmm_reclaim(player->queue, &a, 1, &result, NULL), VIDMM_OK);
    assert_int_equal(usage_of(player), MIB);
    game_end(game);
}

/* ---- Trims ----------------------------------------------------------------------------------- */

static void who_lists_more_than_a_shrunken_budget_is_told_once(void **state) {
    (void)state;
    struct game *game = game_new(2);
    struct player *one = &game->players[0], *two = &game->players[1];
    struct vidmm_allocation *list[2][16];
    listen(one);
    list_many(one, list[0], 14); /* 3.5 MiB */
    assert_int_equal(one->trims, 0);
    list_many(two, list[1], 4); /* 1 MiB: 0.5 MiB too much together */
    assert_int_equal(one->trims, 2);
    assert_int_equal(one->trim_flags, VIDMM_TRIM_TO_BUDGET);
    assert_int_equal(one->trim_bytes, MIB / 2 - PAGE);
    must_submit(two);
    must_submit(one);
    assert_int_equal(one->trims, 2);
    list_many(two, list[1] + 4, 1);
    assert_int_equal(one->trims, 3);
    game_end(game);
}

static void a_budget_that_is_set_lower_is_told(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *list[16];
    listen(player);
    list_many(player, list, 8);
    vidmm_process_set_budget(player->process, 0, VIDMM_GROUP_LOCAL, MIB);
    assert_int_equal(player->trims, 1);
    assert_int_equal(player->trim_bytes, MIB);
    uint64_t trim = 0;
    assert_int_equal(vidmm_device_evict(player->device, list, 1, 0, &trim), VIDMM_OK);
    assert_int_equal(trim, MIB - MIB / 4);
    game_end(game);
}

/* R291 */
static void periodic_trims_are_of_one_kind_at_a_time(void **state) {
    (void)state;
    struct game *game = game_new(2);
    listen(&game->players[1]);
    vidmm_trim(game->world->adapter, false);
    assert_int_equal(game->players[1].trim_flags, VIDMM_TRIM_PERIODIC);
    vidmm_trim(game->world->adapter, true);
    assert_int_equal(game->players[1].trim_flags, VIDMM_TRIM_RESTART_PERIODIC);
    assert_int_equal(game->players[1].trims, 2);
    vidmm_device_trim(game->players[1].device, NULL, NULL);
    vidmm_trim(game->world->adapter, false);
    assert_int_equal(game->players[1].trims, 2);
    game_end(game);
}

struct trimmer {
    struct player *player;
    struct vidmm_allocation **list;
    uint32_t count;
};

static void obey(void *ctx, uint32_t flags, uint64_t bytes) {
    struct trimmer *trimmer = ctx;
    assert_int_equal(flags, VIDMM_TRIM_TO_BUDGET);
    for (uint64_t freed = 0; freed < bytes && trimmer->count; freed += MIB / 4)
        evict(trimmer->player, trimmer->list[--trimmer->count], 0);
}

static void a_process_that_trims_makes_room_for_the_others(void **state) {
    (void)state;
    struct game *game = game_new(2);
    struct player *one = &game->players[0], *two = &game->players[1];
    struct vidmm_allocation *list[2][16];
    struct trimmer trimmer = {one, list[0], 16};
    list_many(one, list[0], 16);
    vidmm_device_trim(one->device, obey, &trimmer);
    list_many(two, list[1], 8);
    assert_int_equal(in_vram(list[1], 8), 8);
    assert_true(usage_of(one) <= budget_of(one));
    expect_content(one, list[0], 16);
    game_end(game);
}

/* ---- The order of eviction ------------------------------------------------------------------- */

/* One lists far more than there is, and runs all the time; the other little. */
static void a_process_within_its_budget_is_left_alone(void **state) {
    (void)state;
    struct game *game = game_new(2);
    struct player *greedy = &game->players[0], *modest = &game->players[1];
    struct vidmm_allocation *list[2][24];
    list_many(greedy, list[0], 24);
    list_many(modest, list[1], 6);
    assert_int_equal(in_vram(list[1], 6), 6);
    for (uint32_t turn = 0; turn < 100; turn++) {
        must_submit(greedy);
        assert_int_equal(in_vram(list[1], 6), 6);
        if (turn % 3 == 0)
            must_submit(modest);
    }
    expect_content(greedy, list[0], 24);
    expect_content(modest, list[1], 6);
    game_end(game);
}

/* Four that want more than their quarter each: after a while nothing moves any more. */
static void shares_come_to_rest_at_the_budgets(void **state) {
    (void)state;
    struct game *game = game_new(4);
    struct vidmm_allocation *list[4][8];
    for (uint32_t p = 0; p < 4; p++)
        list_many(&game->players[p], list[p], 8); /* 2 MiB of 4 */
    for (uint32_t turn = 0; turn < 40; turn++)
        must_submit(&game->players[turn % 4]);
    uint64_t before = game->world->transfers + game->world->fills;
    for (uint32_t turn = 0; turn < 400; turn++)
        must_submit(&game->players[turn % 4]);
    assert_int_equal(game->world->transfers + game->world->fills, before);
    for (uint32_t p = 0; p < 4; p++) {
        assert_int_equal(in_vram(list[p], 8), 4);
        expect_content(&game->players[p], list[p], 8);
    }
    game_end(game);
}

static void what_had_to_leave_memory_comes_back_when_there_is_room(void **state) {
    (void)state;
    struct game *game = game_new(2);
    struct player *one = &game->players[0], *two = &game->players[1];
    struct vidmm_allocation *list[2][24];
    list_many(two, list[1], 8);
    list_many(one, list[0], 24); /* 6 MiB: 2 MiB at most in VRAM */
    assert_true(in_vram(list[0], 24) <= 8);
    vidmm_device_destroy(two->device);
    two->device = NULL;
    vidmm_process_destroy(two->process);
    for (uint32_t turn = 0; turn < 4; turn++) {
        uint64_t before = game->world->transfers;
        must_submit(one);
        assert_true(game->world->transfers - before <= 16); /* so much at a time */
    }
    assert_int_equal(in_vram(list[0], 24), 16);
    expect_content(one, list[0], 24);
    game_end(game);
}

/* Lower priorities leave first. */
static void of_what_is_listed_the_least_important_gives_way(void **state) {
    (void)state;
    struct game *game = game_new(2);
    struct player *greedy = &game->players[0], *modest = &game->players[1];
    struct vidmm_allocation *list[2][16];
    list_many(greedy, list[0], 16);
    for (uint32_t i = 0; i < 16; i++)
        vidmm_allocation_set_priority(list[0][i], i % 2 ? D3DDDI_ALLOCATIONPRIORITY_LOW
                                                        : D3DDDI_ALLOCATIONPRIORITY_HIGH);
    list_many(modest, list[1], 8);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(segment_of(list[0][i]) == VRAM, i % 2 == 0);
    expect_content(greedy, list[0], 16);
    game_end(game);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_alone_has_everything),
        cmocka_unit_test(the_greedy_share_what_the_modest_leave),
        cmocka_unit_test(only_targets_of_applications_are_shared),
        cmocka_unit_test(a_budget_may_be_set_from_outside),
        cmocka_unit_test(what_two_devices_of_a_process_list_is_charged_once),
        cmocka_unit_test(what_is_offered_is_not_charged),
        cmocka_unit_test(who_lists_more_than_a_shrunken_budget_is_told_once),
        cmocka_unit_test(a_budget_that_is_set_lower_is_told),
        cmocka_unit_test(periodic_trims_are_of_one_kind_at_a_time),
        cmocka_unit_test(a_process_that_trims_makes_room_for_the_others),
        cmocka_unit_test(a_process_within_its_budget_is_left_alone),
        cmocka_unit_test(shares_come_to_rest_at_the_budgets),
        cmocka_unit_test(what_had_to_leave_memory_comes_back_when_there_is_room),
        cmocka_unit_test(of_what_is_listed_the_least_important_gives_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
