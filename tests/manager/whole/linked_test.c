/*
 * linked_test.c - a logical adapter of two physical ones that are linked (linked-display-adapter.md):
 * which of them is asked, pages, runs and holds what. The segments of both have the same numbers.
 */
#include "virtual_players.h"

/* ---- Two of them ----------------------------------------------------------------------------- */

struct pair {
    struct game *game;
    struct player *player;
    struct vidmm_context *other; /* on the second physical adapter */
    struct vidmm_allocation *surface[2];
    uint64_t va[2];
};

static struct game *prepare_linked(DXGK_PAGETABLEUPDATEMODE mode) {
    struct game *game = calloc(1, sizeof(*game));
    game->world = world_new(3, PAGES_4K, mode);
    game->world->linked = 2;
    return game;
}

static struct vidmm_allocation *make_at(struct player *player, uint32_t physical, uint64_t size) {
    struct world_desc desc = {
        .size = size, .set = SET(VRAM) | SET(APERTURE), .preferred = VRAM, .physical = physical};
    struct vidmm_allocation_request request = {.private_data = &desc, .private_size = sizeof(desc)};
    struct vidmm_allocation *allocation = NULL;
    assert_int_equal(vidmm_allocation_create(player->device, &request, &allocation), VIDMM_OK);
    return allocation;
}

static uint64_t map(struct player *player, struct vidmm_allocation *allocation, uint64_t size) {
    const struct vidmm_va_request request = {
        .size = size, .allocation = allocation, .protection = VIDMM_VA_WRITE};
    uint64_t va = 0, fence;
    assert_int_equal(vidmm_va_map(player->queue, &request, &va, &fence), VIDMM_OK);
    return va;
}

/* A surface of 1 MiB with a home on each, resident and mapped. */
static struct pair pair_new(DXGK_PAGETABLEUPDATEMODE mode) {
    struct pair pair = {.game = prepare_linked(mode)};
    game_start(pair.game, 1);
    pair.player = &pair.game->players[0];
    assert_int_equal(vidmm_context_create(pair.player->device, 1, 0, &pair.other), VIDMM_OK);
    for (uint32_t i = 0; i < 2; i++) {
        pair.surface[i] = make_at(pair.player, i, MIB);
        stamp(pair.player, pair.surface[i], 7 + i);
        pair.va[i] = map(pair.player, pair.surface[i], MIB);
        must_list(pair.player, pair.surface[i]);
    }
    return pair;
}

/* The process of the player: behind the two paging processes. */
static struct world_process *seen_by(const struct pair *pair, uint32_t physical) {
    struct world_process *process = world_process(pair->game->world, 2);
    return physical ? process->on_peer : process;
}

/* Every page of a surface, through the tables of a physical adapter. */
static void expect_tables(const struct pair *pair, uint32_t physical, uint32_t surface) {
    for (uint64_t page = 0; page < MIB / PAGE; page++) {
        uint64_t offset = 0;
        uint32_t segment = vidmm_allocation_page(pair->surface[surface], page, &offset);
        struct world_page found =
            world_translate(seen_by(pair, physical), pair->va[surface] + page * PAGE);
        assert_int_equal(found.valid, segment != 0);
        if (!segment)
            continue;
        assert_int_equal(found.segment, segment);
        assert_int_equal(found.page, offset / PAGE);
    }
}

static void expect_all_tables(const struct pair *pair) {
    for (uint32_t i = 0; i < 4; i++)
        expect_tables(pair, i / 2, i % 2);
}

/* ---- Queries --------------------------------------------------------------------------------- */

static uint64_t asked; /* queries of the second physical adapter, a bit each */
static bool spoil_bits, spoil_nodes;

static void note_index(DXGKARG_QUERYADAPTERINFO *arg) {
    bool second = false;
    if (arg->Type == DXGKQAITYPE_PAGETABLELEVELDESC)
        second =
            ((const DXGK_QUERYPAGETABLELEVELDESCIN *)arg->pInputData)->PhysicalAdapterIndex == 1;
    else if (arg->InputDataSize == sizeof(UINT))
        second = *(const UINT *)arg->pInputData == 1;
    if (!second)
        return;
    asked |= UINT64_C(1) << arg->Type;
    if (spoil_bits && arg->Type == DXGKQAITYPE_GPUMMUCAPS)
        ((DXGK_GPUMMUCAPS *)arg->pOutputData)->VirtualAddressBitCount--;
    if (spoil_nodes && arg->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS)
        ((DXGK_PHYSICALADAPTERCAPS *)arg->pOutputData)->NumExecutionNodes++;
}

static struct vidmm_error started_with(bool bits, bool nodes) {
    struct game *game = prepare_linked(DXGK_PAGETABLEUPDATE_CPU_VIRTUAL);
    asked = 0;
    spoil_bits = bits;
    spoil_nodes = nodes;
    game->world->spoil = note_index;
    (void)world_start(game->world);
    struct vidmm_error error = game->world->error;
    world_end(game->world);
    free(game);
    return error;
}

static void each_query_has_the_index_of_the_adapter_that_is_asked(void **state) {
    (void)state;
    const DXGK_QUERYADAPTERINFOTYPE types[] = {DXGKQAITYPE_PHYSICALADAPTERCAPS,
                                               DXGKQAITYPE_QUERYSEGMENT4, DXGKQAITYPE_GPUMMUCAPS,
                                               DXGKQAITYPE_PAGETABLELEVELDESC};
    assert_int_equal(started_with(false, false).status, VIDMM_OK);
    for (uint32_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        assert_true(asked >> types[i] & 1u);
}

static void adapters_that_disagree_about_addresses_do_not_start(void **state) {
    (void)state;
    struct vidmm_error error = started_with(true, false);
    assert_int_equal(error.status, VIDMM_DRIVER_BROKE_RULE);
    assert_string_equal(error.rule, "R261");
}

static void adapters_that_disagree_about_nodes_do_not_start(void **state) {
    (void)state;
    struct vidmm_error error = started_with(false, true);
    assert_int_equal(error.status, VIDMM_DRIVER_BROKE_RULE);
    assert_string_equal(error.field, "DXGK_PHYSICALADAPTERCAPS.NumExecutionNodes");
}

static void before_wddm_2_0_there_are_no_linked_adapters(void **state) {
    (void)state;
    struct game *game = prepare_linked(DXGK_PAGETABLEUPDATE_CPU_VIRTUAL);
    game->world->version = DXGKDDI_INTERFACE_VERSION_WDDM1_3;
    assert_int_equal(world_start(game->world), VIDMM_BAD_ARGUMENT);
    assert_string_equal(game->world->error.call, "vidmm_adapter_config.linked");
    world_end(game->world);
    free(game);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void segments_of_equal_numbers_are_two(void **state) {
    (void)state;
    struct pair pair = pair_new(DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
    struct vidmm_segment_info info;
    assert_true(vidmm_segment_info(pair.game->world->adapter, PEER(VRAM), &info));
    assert_int_equal(info.physical, 1);
    assert_int_equal(info.driver_id, VRAM);
    assert_int_equal(segment_of(pair.surface[0]), VRAM);
    assert_int_equal(segment_of(pair.surface[1]), PEER(VRAM));
    must_submit(pair.player);
    for (uint32_t i = 0; i < 2; i++)
        expect_stamp(pair.player, pair.surface[i], 7 + i);
    game_end(pair.game);
}

static void a_home_that_there_is_not_is_refused(void **state) {
    (void)state;
    struct pair pair = pair_new(DXGK_PAGETABLEUPDATE_CPU_VIRTUAL);
    struct world_desc desc = {.size = MIB, .set = SET(VRAM), .preferred = VRAM, .physical = 2};
    struct vidmm_allocation_request request = {.private_data = &desc, .private_size = sizeof(desc)};
    struct vidmm_allocation *allocation = NULL;
    struct vidmm_error error;
    assert_int_equal(vidmm_allocation_create(pair.player->device, &request, &allocation),
                     VIDMM_DRIVER_BROKE_RULE);
    vidmm_last_error(pair.game->world->adapter, &error);
    assert_string_equal(error.field, "DXGK_ALLOCATIONINFO.PhysicalAdapterIndex");
    game_end(pair.game);
}

/* A process that fills one adapter has its share of the other left. */
static void budgets_are_each_adapters_own(void **state) {
    (void)state;
    struct pair pair = pair_new(DXGK_PAGETABLEUPDATE_CPU_VIRTUAL);
    struct vidmm_budget first, second;
    must_list(pair.player, make_at(pair.player, 0, MIB));
    vidmm_process_budget(pair.player->process, 0, VIDMM_GROUP_LOCAL, &first);
    vidmm_process_budget(pair.player->process, 1, VIDMM_GROUP_LOCAL, &second);
    assert_int_equal(first.usage, 2 * MIB);
    assert_int_equal(second.usage, MIB);
    assert_int_equal(first.budget, second.budget);
    game_end(pair.game);
}

/* ---- Addresses ------------------------------------------------------------------------------- */

static void both_have_the_entries_of_all_addresses(void **state) {
    (void)state;
    const DXGK_PAGETABLEUPDATEMODE modes[] = {DXGK_PAGETABLEUPDATE_CPU_VIRTUAL,
                                              DXGK_PAGETABLEUPDATE_GPU_VIRTUAL,
                                              DXGK_PAGETABLEUPDATE_GPU_PHYSICAL};
    for (uint32_t i = 0; i < 3; i++) {
        struct pair pair = pair_new(modes[i]);
        must_submit(pair.player);
        expect_all_tables(&pair);
        game_end(pair.game);
    }
}

static void an_eviction_ends_the_entries_of_both(void **state) {
    (void)state;
    struct pair pair = pair_new(DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
    expect_all_tables(&pair); /* both TLBs know them */
    evict(pair.player, pair.surface[1], 0);
    assert_int_equal(vidmm_allocation_evict(pair.surface[1], true), VIDMM_OK);
    assert_int_equal(segment_of(pair.surface[1]), 0);
    expect_all_tables(&pair);
    expect_backing(pair.player, pair.surface[1], 8);
    must_list(pair.player, pair.surface[1]);
    expect_all_tables(&pair);
    game_end(pair.game);
}

static void freed_addresses_lead_nowhere_on_both(void **state) {
    (void)state;
    struct pair pair = pair_new(DXGK_PAGETABLEUPDATE_GPU_VIRTUAL);
    expect_all_tables(&pair);
    assert_int_equal(vidmm_va_free(pair.player->process, pair.va[0], MIB), VIDMM_OK);
    for (uint32_t i = 0; i < 2; i++)
        assert_false(world_translate(seen_by(&pair, i), pair.va[0]).valid);
    game_end(pair.game);
}

/* R389 */
static void roots_are_at_the_same_place_of_both(void **state) {
    (void)state;
    struct pair pair = pair_new(DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
    for (uint32_t i = 1; i < PLAYERS; i++) {
        player_start(pair.game, i);
        assert_int_equal(vidmm_context_create(pair.game->players[i].device, 1, 0, &pair.other),
                         VIDMM_OK);
        const struct world_process *process = world_process(pair.game->world, 2 + i);
        assert_int_equal(process->root.SegmentId, SMALL);
        assert_int_equal(process->on_peer->root.SegmentId, SMALL);
        assert_int_equal(process->root.SegmentOffset, process->on_peer->root.SegmentOffset);
    }
    game_end(pair.game);
}

/* ---- Paging and engines ---------------------------------------------------------------------- */

static void each_adapter_pages_its_own_memory(void **state) {
    (void)state;
    struct pair pair = pair_new(DXGK_PAGETABLEUPDATE_CPU_VIRTUAL);
    struct world *world = pair.game->world;
    uint64_t before[2] = {world->paged[0], world->paged[1]};
    evict(pair.player, pair.surface[1], 0);
    assert_int_equal(vidmm_allocation_evict(pair.surface[1], true), VIDMM_OK);
    uint64_t first = world->paged[0] - before[0], second = world->paged[1] - before[1];
    assert_true(second > 0);
    assert_true(first <= second); /* a flush of its TLB alone */
    game_end(pair.game);
}

static void a_node_of_the_other_adapter_has_fences_of_its_own(void **state) {
    (void)state;
    struct pair pair = pair_new(DXGK_PAGETABLEUPDATE_CPU_VIRTUAL);
    const struct vidmm_virtual_submission submission = {.commands = pair.va[0], .size = 64};
    uint64_t first, second;
    assert_int_equal(vidmm_submit_virtual(pair.player->context, &submission, &first), VIDMM_OK);
    assert_int_equal(vidmm_submit_virtual(pair.other, &submission, &second), VIDMM_OK);
    vidmm_notify_completed(pair.game->world->adapter, 1, 0, 1);
    assert_true(vidmm_completed(pair.game->world->adapter, second));
    assert_false(vidmm_completed(pair.game->world->adapter, first));
    assert_int_equal(vidmm_wait(pair.game->world->adapter, first), VIDMM_OK);
    game_end(pair.game);
}

static void news_of_an_adapter_that_there_is_not_are_nothing(void **state) {
    (void)state;
    struct pair pair = pair_new(DXGK_PAGETABLEUPDATE_CPU_VIRTUAL);
    struct vidmm_context *context;
    vidmm_notify_completed(pair.game->world->adapter, 2, 0, 1);
    vidmm_notify_completed(pair.game->world->adapter, 0, 2, 1); /* not the first node of the next */
    assert_int_equal(vidmm_context_create(pair.player->device, 2, 0, &context), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_context_create(pair.player->device, 0, 2, &context), VIDMM_BAD_ARGUMENT);
    must_submit(pair.player);
    game_end(pair.game);
}

/* The memory of both is lost, and what had a copy is back. */
static void a_reset_writes_the_tables_of_both_again(void **state) {
    (void)state;
    struct pair pair = pair_new(DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
    assert_int_equal(vidmm_reset(pair.game->world->adapter), VIDMM_OK);
    must_submit(pair.player);
    expect_all_tables(&pair);
    assert_int_equal(segment_of(pair.surface[1]), PEER(VRAM));
    game_end(pair.game);
}

/* The device that it was done for is lost; another one goes on, on both. */
static void a_hang_of_the_second_paging_queue_resets_both(void **state) {
    (void)state;
    struct pair pair = pair_new(DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
    struct vidmm_allocation *more = make_at(pair.player, 1, MIB);
    player_start(pair.game, 1);
    pair.game->world->hangs_at = 1;
    assert_int_equal(make_resident(pair.player, more), VIDMM_DEVICE_LOST);
    assert_int_equal(pair.game->world->resets, 1);
    must_submit(&pair.game->players[1]);
    expect_all_tables(&pair);
    game_end(pair.game);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_query_has_the_index_of_the_adapter_that_is_asked),
        cmocka_unit_test(adapters_that_disagree_about_addresses_do_not_start),
        cmocka_unit_test(adapters_that_disagree_about_nodes_do_not_start),
        cmocka_unit_test(before_wddm_2_0_there_are_no_linked_adapters),
        cmocka_unit_test(segments_of_equal_numbers_are_two),
        cmocka_unit_test(a_home_that_there_is_not_is_refused),
        cmocka_unit_test(budgets_are_each_adapters_own),
        cmocka_unit_test(both_have_the_entries_of_all_addresses),
        cmocka_unit_test(an_eviction_ends_the_entries_of_both),
        cmocka_unit_test(freed_addresses_lead_nowhere_on_both),
        cmocka_unit_test(roots_are_at_the_same_place_of_both),
        cmocka_unit_test(each_adapter_pages_its_own_memory),
        cmocka_unit_test(a_node_of_the_other_adapter_has_fences_of_its_own),
        cmocka_unit_test(news_of_an_adapter_that_there_is_not_are_nothing),
        cmocka_unit_test(a_reset_writes_the_tables_of_both_again),
        cmocka_unit_test(a_hang_of_the_second_paging_queue_resets_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
