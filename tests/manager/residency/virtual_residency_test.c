/*
 * virtual_residency_test.c - what a user-mode driver of WDDM 2 may rely on: counts, atomic
 * requests, fences, and content that survives whatever goes in and out (rules R284 to R295, R303 to
 * R309).
 */
#include "virtual_players.h"

#define ANYWHERE  (SET(VRAM) | SET(APERTURE))
#define ONLY_VRAM SET(VRAM)

/* ---- Counts ---------------------------------------------------------------------------------- */

/* R284, R286 */
static void every_request_counts_and_every_eviction_takes_one_back(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, MIB, ANYWHERE);
    must_list(player, a);
    must_list(player, a);
    assert_int_equal(vidmm_residency_count(player->device, a), 2);
    evict(player, a, 0);
    assert_int_equal(vidmm_residency_count(player->device, a), 1);
    evict(player, a, 0);
    assert_int_equal(vidmm_residency_count(player->device, a), 0);
    assert_int_equal(vidmm_device_evict(player->device, &a, 1, 0, NULL), VIDMM_BAD_ARGUMENT);
    game_end(game);
}

static void an_allocation_named_twice_counts_twice(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, MIB, ANYWHERE);
    struct vidmm_allocation *twice[2] = {a, a}, *thrice[3] = {a, a, a};
    assert_int_equal(vidmm_make_resident(player->queue, twice, 2, 0, NULL, NULL), VIDMM_OK);
    assert_int_equal(vidmm_residency_count(player->device, a), 2);
    /* Too often: none is taken off. */
    assert_int_equal(vidmm_device_evict(player->device, thrice, 3, 0, NULL), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_residency_count(player->device, a), 2);
    assert_int_equal(vidmm_device_evict(player->device, twice, 2, 0, NULL), VIDMM_OK);
    assert_int_equal(vidmm_residency_count(player->device, a), 0);
    game_end(game);
}

static void expect_counts(struct player *player, struct vidmm_allocation *const *list,
                          uint32_t count, uint32_t expected) {
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(vidmm_residency_count(player->device, list[i]), expected);
}

static void what_does_not_fit_changes_nothing_and_says_how_much_to_trim(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *held = make(player, 2 * MIB, ONLY_VRAM), *list[3];
    for (uint32_t i = 0; i < 3; i++)
        list[i] = make(player, MIB, ONLY_VRAM);
    must_list(player, held);
    uint64_t fence = 1, trim = 0;
    assert_int_equal(vidmm_make_resident(player->queue, list, 3, 0, &fence, &trim),
                     VIDMM_DOES_NOT_FIT);
    expect_counts(player, list, 3, 0);
    assert_int_equal(fence, 0);
    assert_true(trim >= MIB - PAGE && trim <= MIB); /* 5 MiB wanted of 4 MiB and a page */
    assert_int_equal(segment_of(held), VRAM);
    struct vidmm_budget budget;
    vidmm_process_budget(player->process, 0, VIDMM_GROUP_LOCAL, &budget);
    assert_int_equal(budget.usage, 2 * MIB);
    /* It was told right: without that much it fits. */
    evict(player, held, 0);
    assert_int_equal(vidmm_make_resident(player->queue, list, 3, 0, &fence, &trim), VIDMM_OK);
    assert_true(fence != 0);
    game_end(game);
}

/* One attempt with the allocation number `fail` failing; true when it succeeded all the same. */
static bool attempt_with_failure(uint64_t fail) {
    struct game *game = game_new(2);
    struct player *player = &game->players[0], *other = &game->players[1];
    struct vidmm_allocation *list[3], *rival = make(other, 3 * MIB, ANYWHERE);
    uint64_t before[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        list[i] = make(player, MIB - PAGE * i, ANYWHERE);
        stamp(player, list[i], i);
    }
    must_list(player, list[1]);
    stamp(other, rival, 9);
    must_list(other, rival);
    game->world->system.fail_at = game->world->system.calls + fail;
    enum vidmm_status status =
        vidmm_make_resident(player->queue, list, 3, 0, &before[0], &before[1]);
    bool tripped = game->world->system.calls >= game->world->system.fail_at;
    game->world->system.fail_at = 0;
    assert_true(status == VIDMM_OK || status == VIDMM_NO_MEMORY);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t expected = (i == 1) + (status == VIDMM_OK);
        assert_int_equal(vidmm_residency_count(player->device, list[i]), expected);
        assert_true(segment_of(list[i]) || status);
        expect_stamp(player, list[i], i);
    }
    must_submit(other);
    expect_stamp(other, rival, 9);
    must_submit(player);
    game_end(game);
    return !tripped;
}

static void a_request_is_all_or_nothing_whatever_allocation_fails(void **state) {
    (void)state;
    uint64_t fail = 1;
    while (!attempt_with_failure(fail))
        fail++;
    assert_true(fail > 3);
}

/* What failed for want of memory succeeds when there is some, as if nothing had been. */
#define TWICE(call)                                                                                \
    do {                                                                                           \
        enum vidmm_status status_ = (call);                                                        \
        if (status_ == VIDMM_NO_MEMORY)                                                            \
            status_ = (call);                                                                      \
        assert_int_equal(status_, VIDMM_OK);                                                       \
    } while (0)

/* A life of lists that do not fit together, offers and locks. */
static void live(struct game *game, struct vidmm_allocation *const *all) {
    struct player *one = &game->players[0], *two = &game->players[1];
    enum vidmm_reclaim_result result;
    void *cpu;
    TWICE(vidmm_make_resident(one->queue, all, 2, VIDMM_RESIDENT_CANT_TRIM, NULL, NULL));
    TWICE(submit(one));
    gpu_stamp(one, all[0], 10);
    TWICE(vidmm_make_resident(two->queue, all + 2, 2, VIDMM_RESIDENT_CANT_TRIM, NULL, NULL));
    TWICE(submit(two));
    gpu_stamp(two, all[3], 13);
    TWICE(vidmm_offer(one->device, all + 1, 1, VIDMM_OFFER_LOW));
    TWICE(submit(one));
    TWICE(vidmm_lock(all[2], 0, &cpu));
    expect_stamp(two, all[2], 2);
    vidmm_unlock(all[2]);
    TWICE(vidmm_reclaim(one->queue, all + 1, 1, &result, NULL));
    if (result == VIDMM_RECLAIM_OK)
        expect_stamp(one, all[1], 1);
    TWICE(submit(two));
    TWICE(submit(one));
    TWICE(vidmm_device_evict(one->device, all, 2, VIDMM_EVICT_ONLY_IF_NECESSARY, NULL));
    TWICE(submit(two));
    expect_stamp(one, all[0], 10);
    expect_stamp(two, all[2], 2);
    expect_stamp(two, all[3], 13);
}

static bool live_with_failure(uint64_t fail) {
    struct game *game = game_new(2);
    struct vidmm_allocation *all[4];
    for (uint32_t i = 0; i < 4; i++) {
        struct player *player = &game->players[i / 2];
        all[i] = make(player, 3 * MIB / 2 + i * PAGE, i % 2 ? ANYWHERE : ONLY_VRAM);
        stamp(player, all[i], i);
    }
    game->world->system.fail_at = game->world->system.calls + fail;
    live(game, all);
    bool tripped = game->world->system.calls >= game->world->system.fail_at;
    game->world->system.fail_at = 0;
    game_end(game);
    return !tripped;
}

static void any_allocation_may_fail_once_in_a_life(void **state) {
    (void)state;
    uint64_t fail = 1;
    while (!live_with_failure(fail))
        fail++;
    assert_true(fail > 10);
}

/* ---- Fences ---------------------------------------------------------------------------------- */

/* R285 */
static void a_fence_is_named_when_something_had_to_move(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, MIB, ANYWHERE);
    uint64_t fence = 0;
    assert_int_equal(vidmm_make_resident(player->queue, &a, 1, 0, &fence, NULL), VIDMM_OK);
    assert_int_equal(fence, 1);
    assert_int_equal(vidmm_paging_wait(player->queue, fence), VIDMM_OK);
    assert_int_equal(vidmm_paging_fence(player->queue), fence);
    assert_int_equal(vidmm_make_resident(player->queue, &a, 1, 0, &fence, NULL), VIDMM_OK);
    assert_int_equal(fence, 0);
    assert_int_equal(vidmm_paging_wait(player->queue, 7), VIDMM_BAD_ARGUMENT);
    game_end(game);
}

/* R303, R304 */
static void paging_queues_have_three_priorities_and_fences_of_their_own(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_paging_queue *queue = NULL;
    struct vidmm_allocation *a = make(player, MIB, ANYWHERE);
    assert_int_equal(vidmm_paging_queue_create(player->device, 2, &queue), VIDMM_BAD_ARGUMENT);
    assert_null(queue);
    assert_int_equal(vidmm_paging_queue_create(player->device, -1, &queue), VIDMM_OK);
    must_list(player, a);
    assert_int_equal(vidmm_paging_fence(player->queue), 1);
    assert_int_equal(vidmm_paging_fence(queue), 0);
    vidmm_paging_queue_destroy(queue);
    vidmm_paging_queue_destroy(NULL);
    game_end(game);
}

static PDXGKDDI_BUILDPAGINGBUFFER build;
static DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE signalled;
static uint32_t signals;

static NTSTATUS APIENTRY build_and_note(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *arg) {
    if (arg->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE) {
        signalled = arg->SignalMonitoredFence;
        signals++;
    }
    return build(adapter, arg);
}

/* The GPU is told to write the value that the caller was told, where only the system maps it. */
static void the_gpu_signals_the_fence_after_the_work(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, MIB, ANYWHERE), *b = make(player, MIB, ANYWHERE);
    build = game->world->ddi.DxgkDdiBuildPagingBuffer;
    game->world->ddi.DxgkDdiBuildPagingBuffer = build_and_note;
    signals = 0;
    must_list(player, a);
    must_list(player, a);
    must_list(player, b);
    assert_int_equal(signals, 2);
    assert_int_equal(signalled.MonitoredFenceValue, 2);
    struct world_page page =
        world_walk(world_process(game->world, 0), signalled.MonitoredFenceGpuVa);
    assert_true(page.valid && page.segment == 0);
    /* A queue of its own has a fence of its own. */
    struct vidmm_paging_queue *queue = NULL;
    uint64_t before = signalled.MonitoredFenceGpuVa;
    struct vidmm_allocation *c = make(player, MIB, ANYWHERE);
    assert_int_equal(vidmm_paging_queue_create(player->device, 0, &queue), VIDMM_OK);
    assert_int_equal(vidmm_make_resident(queue, &c, 1, 0, NULL, NULL), VIDMM_OK);
    assert_true(signalled.MonitoredFenceGpuVa != before);
    assert_int_equal(signalled.MonitoredFenceValue, 1);
    game_end(game);
}

/* ---- A running device has its whole list resident -------------------------------------------- */

/* R287; neither waits for ever, and no submission moves more than the two lists. */
static void lists_that_do_not_fit_together_take_turns(void **state) {
    (void)state;
    struct game *game = game_new(2);
    struct vidmm_allocation *lists[2][3];
    for (uint32_t p = 0; p < 2; p++) {
        for (uint32_t i = 0; i < 3; i++) {
            lists[p][i] = make(&game->players[p], MIB, ONLY_VRAM);
            stamp(&game->players[p], lists[p][i], p * 10 + i);
            assert_int_equal(vidmm_make_resident(game->players[p].queue, &lists[p][i], 1,
                                                 VIDMM_RESIDENT_CANT_TRIM, NULL, NULL),
                             VIDMM_OK);
        }
    }
    for (uint32_t turn = 0; turn < 20; turn++) {
        uint32_t p = turn % 2;
        uint64_t before = game->world->transfers;
        must_submit(&game->players[p]);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(segment_of(lists[p][i]), VRAM);
            expect_stamp(&game->players[p], lists[p][i],
                         turn < 2 ? p * 10 + i : p * 10 + i + turn - 2);
            gpu_stamp(&game->players[p], lists[p][i], p * 10 + i + turn);
        }
        assert_true(game->world->transfers - before <= 6);
    }
    game_end(game);
}

static void a_list_whose_parts_are_in_each_others_way_still_runs(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *flexible = make(player, 3 * MIB, ANYWHERE);
    struct vidmm_allocation *strict = make(player, 3 * MIB, ONLY_VRAM);
    stamp(player, flexible, 1);
    must_list(player, flexible);
    assert_int_equal(segment_of(flexible), VRAM);
    uint64_t fence;
    assert_int_equal(
        vidmm_make_resident(player->queue, &strict, 1, VIDMM_RESIDENT_CANT_TRIM, &fence, NULL),
        VIDMM_OK);
    must_submit(player);
    assert_int_equal(segment_of(strict), VRAM);
    assert_int_equal(segment_of(flexible), APERTURE);
    expect_stamp(player, flexible, 1);
    game_end(game);
}

/* ---- Evict ----------------------------------------------------------------------------------- */

/* Transfers out of VRAM when `a`, no longer listed, makes room. */
static uint64_t transfers_to_leave(struct player *player, struct vidmm_allocation *a) {
    uint64_t before = stats_of(player->game).paged_out_bytes;
    assert_int_equal(vidmm_allocation_evict(a, true), VIDMM_OK);
    return stats_of(player->game).paged_out_bytes - before;
}

/* R288 */
static void what_was_not_written_leaves_without_a_transfer(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, MIB, ANYWHERE);
    stamp(player, a, 5);
    for (uint32_t round = 0; round < 3; round++) {
        bool told = round != 0;
        must_list(player, a);
        must_list(player, a);
        must_submit(player);
        /* It may be said with any of the evictions. */
        evict(player, a, round == 1 ? VIDMM_EVICT_NOT_WRITTEN_TO : 0);
        evict(player, a, round == 2 ? VIDMM_EVICT_NOT_WRITTEN_TO : 0);
        assert_int_equal(transfers_to_leave(player, a), told ? 0 : MIB);
        expect_stamp(player, a, 5);
    }
    game_end(game);
}

static void what_the_caller_said_is_written_is_saved_all_the_same(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, MIB, ANYWHERE);
    stamp(player, a, 5);
    must_list(player, a);
    struct vidmm_virtual_submission submission = {
        .commands = 0x10000, .size = 16, .written = &a, .written_count = 1};
    uint64_t fence;
    assert_int_equal(vidmm_submit_virtual(player->context, &submission, &fence), VIDMM_OK);
    gpu_stamp(player, a, 6);
    evict(player, a, VIDMM_EVICT_NOT_WRITTEN_TO);
    assert_int_equal(transfers_to_leave(player, a), MIB);
    expect_stamp(player, a, 6);
    game_end(game);
}

/* It vouches for the time since it was made resident, and not for what was before. */
static void an_eviction_says_nothing_of_earlier_writes(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, MIB, ANYWHERE);
    stamp(player, a, 5);
    must_list(player, a);
    must_submit(player);
    gpu_stamp(player, a, 6);
    evict(player, a, 0);
    must_list(player, a);
    evict(player, a, VIDMM_EVICT_NOT_WRITTEN_TO);
    assert_int_equal(transfers_to_leave(player, a), MIB);
    expect_stamp(player, a, 6);
    game_end(game);
}

static void what_was_only_evicted_if_necessary_stays_longest(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *list[4], *last = make(player, 2 * MIB, ONLY_VRAM);
    for (uint32_t i = 0; i < 4; i++) {
        list[i] = make(player, MIB, ONLY_VRAM);
        must_list(player, list[i]);
    }
    must_submit(player);
    for (uint32_t i = 0; i < 4; i++)
        evict(player, list[i], i < 2 ? VIDMM_EVICT_ONLY_IF_NECESSARY : 0);
    must_list(player, last);
    assert_int_equal(segment_of(list[0]), VRAM);
    assert_int_equal(segment_of(list[1]), VRAM);
    assert_int_equal(segment_of(list[2]), 0);
    assert_int_equal(segment_of(list[3]), 0);
    game_end(game);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

/* R289 */
static void only_the_last_attempt_may_have_to_succeed(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, 3 * MIB, ONLY_VRAM);
    struct vidmm_allocation *b = make(player, 3 * MIB, ONLY_VRAM);
    uint64_t fence, trim;
    uint32_t last = VIDMM_RESIDENT_CANT_TRIM, must = VIDMM_RESIDENT_MUST_SUCCEED;
    must_list(player, a);
    assert_int_equal(vidmm_make_resident(player->queue, &b, 1, must, &fence, &trim),
                     VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_make_resident(player->queue, &b, 1, last, &fence, &trim),
                     VIDMM_DOES_NOT_FIT);
    assert_false(vidmm_device_lost(player->device));
    assert_int_equal(vidmm_make_resident(player->queue, &b, 1, last | must, &fence, &trim),
                     VIDMM_DEVICE_LOST);
    assert_true(vidmm_device_lost(player->device));
    assert_int_equal(vidmm_residency_count(player->device, b), 0);
    /* A lost device lets go, and takes nothing up. */
    assert_int_equal(make_resident(player, b), VIDMM_DEVICE_LOST);
    evict(player, a, 0);
    game_end(game);
}

/* R292 */
static void a_device_lists_only_what_it_has_open(void **state) {
    (void)state;
    struct game *game = game_new(2);
    struct player *one = &game->players[0], *two = &game->players[1];
    struct vidmm_allocation *a = make(one, MIB, ANYWHERE);
    assert_int_equal(make_resident(two, a), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_allocation_open(two->device, a), VIDMM_OK);
    must_list(two, a);
    assert_int_equal(vidmm_residency_count(two->device, a), 1);
    assert_int_equal(vidmm_residency_count(one->device, a), 0);
    game_end(game);
}

/* R382 */
static void writing_what_is_not_listed_puts_the_device_in_error(void **state) {
    (void)state;
    struct game *game = game_new(2);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, MIB, ANYWHERE);
    struct vidmm_virtual_submission submission = {
        .commands = 0x10000, .size = 16, .written = &a, .written_count = 1};
    uint64_t fence;
    assert_int_equal(vidmm_submit_virtual(player->context, &submission, &fence), VIDMM_DEVICE_LOST);
    assert_true(vidmm_device_lost(player->device));
    must_submit(&game->players[1]);
    game_end(game);
}

static void an_allocation_that_ends_leaves_every_list(void **state) {
    (void)state;
    struct game *game = game_new(2);
    struct vidmm_allocation *a = make(&game->players[0], MIB, ANYWHERE);
    struct vidmm_budget budget;
    assert_int_equal(vidmm_allocation_open(game->players[1].device, a), VIDMM_OK);
    for (uint32_t i = 0; i < 2; i++) {
        must_list(&game->players[i], a);
        must_submit(&game->players[i]);
    }
    vidmm_allocation_destroy(a);
    for (uint32_t i = 0; i < 2; i++) {
        vidmm_process_budget(game->players[i].process, 0, VIDMM_GROUP_LOCAL, &budget);
        assert_int_equal(budget.usage, 0);
        must_submit(&game->players[i]);
    }
    game_end(game);
}

/* Of a hang; the lists bring everything back. */
static void lists_are_resident_again_after_a_reset(void **state) {
    (void)state;
    struct game *game = game_new(2);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, MIB, ANYWHERE), *b = make(player, MIB, ANYWHERE);
    stamp(player, a, 1);
    stamp(player, b, 2);
    must_list(player, a);
    must_list(player, b);
    struct vidmm_virtual_submission submission = {
        .commands = 0x10000, .size = 16, .written = &a, .written_count = 1};
    uint64_t fence;
    assert_int_equal(vidmm_submit_virtual(player->context, &submission, &fence), VIDMM_OK);
    assert_int_equal(vidmm_wait(game->world->adapter, fence), VIDMM_OK);
    assert_int_equal(vidmm_reset(game->world->adapter), VIDMM_OK);
    assert_int_equal(segment_of(a), 0);
    must_submit(player);
    assert_int_equal(segment_of(a), VRAM);
    assert_int_equal(segment_of(b), VRAM);
    expect_stamp(player, b, 2); /* the GPU had not written it */
    game_end(game);
}

/* ---- Properties ------------------------------------------------------------------------------ */

static NTSTATUS answer;
static uint32_t asked;

static NTSTATUS APIENTRY validate(HANDLE adapter, const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *arg) {
    (void)adapter;
    asked++;
    assert_non_null(arg->hAllocation);
    return answer;
}

/* R402 */
static void properties_change_when_the_driver_agrees(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, MIB, ANYWHERE);
    DXGKARG_VALIDATEUPDATEALLOCPROPERTY wanted = {.SupportedSegmentSet = SET(APERTURE)};
    wanted.SetSupportedSegmentSet = 1;
    stamp(player, a, 4);
    must_list(player, a);
    assert_int_equal(vidmm_allocation_update(a, &wanted), VIDMM_DRIVER_REFUSED);
    game->world->ddi.DxgkDdiValidateUpdateAllocationProperty = validate;
    asked = 0;
    answer = STATUS_INVALID_PARAMETER;
    assert_int_equal(vidmm_allocation_update(a, &wanted), VIDMM_DRIVER_REFUSED);
    assert_int_equal(segment_of(a), VRAM);
    answer = STATUS_SUCCESS;
    assert_int_equal(vidmm_allocation_update(a, &wanted), VIDMM_OK);
    assert_int_equal(asked, 2);
    assert_int_equal(segment_of(a), APERTURE);
    expect_stamp(player, a, 4);
    wanted.SupportedSegmentSet = 1u << 30;
    assert_int_equal(vidmm_allocation_update(a, &wanted), VIDMM_BAD_ARGUMENT);
    game_end(game);
}

static void properties_that_cannot_be_had_are_as_before(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *full = make(player, 4 * MIB, ONLY_VRAM);
    struct vidmm_allocation *a = make(player, 5 * MIB, SET(APERTURE));
    DXGKARG_VALIDATEUPDATEALLOCPROPERTY wanted = {.SupportedSegmentSet = SET(VRAM)};
    wanted.SetSupportedSegmentSet = 1;
    game->world->ddi.DxgkDdiValidateUpdateAllocationProperty = validate;
    answer = STATUS_SUCCESS;
    stamp(player, a, 4);
    must_list(player, full);
    must_list(player, a);
    assert_int_equal(vidmm_allocation_update(a, &wanted), VIDMM_DOES_NOT_FIT);
    must_submit(player);
    assert_int_equal(segment_of(a), APERTURE);
    assert_int_equal(segment_of(full), VRAM);
    expect_stamp(player, a, 4);
    game_end(game);
}

static void take_address_lists(DXGKARG_QUERYADAPTERINFO *arg) {
    if (arg->Type == DXGKQAITYPE_DRIVERCAPS)
        ((DXGK_DRIVERCAPS *)arg->pOutputData)->MemoryManagementCaps.MapAperture2Supported = 1;
}

/* iommu-dma-remapping: it is upgraded to the implicit segment, of which nothing is mapped. */
static void what_is_not_accessed_physically_needs_no_range_of_an_aperture(void **state) {
    (void)state;
    struct game *game = game_prepare(4 * MIB);
    game->world->version = DXGKDDI_INTERFACE_VERSION_WDDM2_9;
    game->world->spoil = take_address_lists;
    game_start(game, 1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, MIB, SET(APERTURE));
    stamp(player, a, 3);
    must_list(player, a);
    must_submit(player);
    assert_int_equal(segment_of(a), APERTURE);
    expect_stamp(player, a, 3);
    game_end(game);
}

/* gpu-segments: a display reads it by its physical address. */
static void a_primary_that_is_displayed_is_mapped_from_an_address_list(void **state) {
    (void)state;
    struct game *game = game_prepare(4 * MIB);
    game->world->version = DXGKDDI_INTERFACE_VERSION_WDDM2_9;
    game->world->spoil = take_address_lists;
    game_start(game, 1);
    struct vidmm_allocation *a = make_primary(&game->players[0], MIB, SET(APERTURE));
    assert_int_equal(vidmm_allocation_pin(a, true), VIDMM_OK);
    assert_int_equal(segment_of(a), APERTURE);
    assert_int_equal(vidmm_allocation_pin(a, false), VIDMM_OK);
    game_end(game);
}

static void what_is_accessed_physically_lies_in_one_row(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *list[8], *a = make(player, MIB, ANYWHERE);
    DXGKARG_VALIDATEUPDATEALLOCPROPERTY wanted = {.SetAccessedPhysically = 1};
    uint64_t first, offset;
    game->world->ddi.DxgkDdiValidateUpdateAllocationProperty = validate;
    answer = STATUS_SUCCESS;
    wanted.Flags.AccessedPhysically = 1;
    for (uint32_t i = 0; i < 8; i++) {
        list[i] = make(player, MIB / 2, ONLY_VRAM);
        must_list(player, list[i]);
    }
    for (uint32_t i = 0; i < 8; i += 2) {
        evict(player, list[i], 0);
        vidmm_allocation_destroy(list[i]);
    }
    stamp(player, a, 4);
    must_list(player, a);
    assert_int_equal(vidmm_allocation_update(a, &wanted), VIDMM_OK);
    uint32_t segment = vidmm_allocation_page(a, 0, &first);
    assert_true(segment != 0);
    for (uint64_t page = 0; page < MIB / PAGE; page++) {
        assert_int_equal(vidmm_allocation_page(a, page, &offset), segment);
        assert_int_equal(offset, first + page * PAGE);
    }
    must_submit(player);
    game_end(game);
}

/* ---- Locks ----------------------------------------------------------------------------------- */

static DXGKDDI_CREATEALLOCATION *create_swappable;

static NTSTATUS APIENTRY create_permanent(HANDLE adapter, DXGKARG_CREATEALLOCATION *arg) {
    NTSTATUS status = create_swappable(adapter, arg);
    for (UINT i = 0; i < arg->NumAllocations; i++)
        arg->pAllocationInfo[i].Flags.PermanentSysMem = 1;
    return status;
}

static bool lies_in_one_row(struct vidmm_allocation *a, uint64_t pages) {
    uint64_t first, offset;
    (void)vidmm_allocation_page(a, 0, &first);
    for (uint64_t page = 0; page < pages; page++) {
        (void)vidmm_allocation_page(a, page, &offset);
        if (offset != first + page * PAGE)
            return false;
    }
    return true;
}

/* System pages that the CPU always gets are brought up to date, and written back, page by page:
 * wherever each of them lies, and no page of another allocation (R108). */
static void a_lock_of_system_pages_follows_what_lies_scattered(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *list[8];
    void *unused;
    for (uint32_t i = 0; i < 8; i++) {
        list[i] = make(player, MIB / 2, ONLY_VRAM);
        stamp(player, list[i], 10 + i);
        must_list(player, list[i]);
    }
    for (uint32_t i = 0; i < 8; i += 2) {
        evict(player, list[i], 0);
        vidmm_allocation_destroy(list[i]);
    }
    create_swappable = game->world->ddi.DxgkDdiCreateAllocation;
    game->world->ddi.DxgkDdiCreateAllocation = create_permanent;
    struct vidmm_allocation *a = make(player, MIB, ONLY_VRAM);
    stamp(player, a, 4);
    must_list(player, a);
    assert_int_equal(segment_of(a), VRAM);
    assert_false(lies_in_one_row(a, MIB / PAGE));
    expect_stamp(player, a, 4);
    must_submit(player);
    gpu_stamp(player, a, 5);
    assert_int_equal(vidmm_lock(a, 0, &unused), VIDMM_OK);
    expect_backing(player, a, 5);
    stamp_backing(player, a, 6);
    vidmm_unlock(a);
    assert_int_equal(segment_of(a), VRAM);
    expect_stamp(player, a, 6);
    for (uint32_t i = 1; i < 8; i += 2)
        expect_stamp(player, list[i], 10 + i);
    game_end(game);
}

/* ---- Offers ---------------------------------------------------------------------------------- */

static enum vidmm_reclaim_result reclaim(struct player *player, struct vidmm_allocation *a) {
    enum vidmm_reclaim_result result = VIDMM_RECLAIM_DISCARDED;
    uint64_t fence;
    assert_int_equal(vidmm_reclaim(player->queue, &a, 1, &result, &fence), VIDMM_OK);
    return result;
}

static void offer(struct player *player, struct vidmm_allocation *a,
                  enum vidmm_offer_priority priority) {
    assert_int_equal(vidmm_offer(player->device, &a, 1, priority), VIDMM_OK);
}

/* R293, R309 */
static void what_is_offered_has_to_be_reclaimed_before_use(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, MIB, ANYWHERE);
    void *cpu;
    stamp(player, a, 3);
    offer(player, a, VIDMM_OFFER_NORMAL);
    assert_int_equal(make_resident(player, a), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_lock(a, 0, &cpu), VIDMM_NOT_LOCKABLE);
    assert_int_equal(vidmm_offer(player->device, &a, 1, VIDMM_OFFER_LOW), VIDMM_BAD_ARGUMENT);
    assert_int_equal(reclaim(player, a), VIDMM_RECLAIM_OK);
    expect_stamp(player, a, 3);
    assert_int_equal(vidmm_lock(a, 0, &cpu), VIDMM_OK);
    assert_int_equal(vidmm_offer(player->device, &a, 1, VIDMM_OFFER_LOW), VIDMM_BAD_ARGUMENT);
    vidmm_unlock(a);
    must_list(player, a);
    game_end(game);
}

/* R294 */
static void an_offer_has_a_priority_and_goes_in_its_order(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *low = make(player, 2 * MIB, ANYWHERE);
    struct vidmm_allocation *high = make(player, 2 * MIB, ANYWHERE);
    struct vidmm_allocation *more = make(player, 2 * MIB, ANYWHERE);
    assert_int_equal(vidmm_offer(player->device, &low, 1, 0), VIDMM_BAD_ARGUMENT);
    stamp(player, low, 1);
    stamp(player, high, 2);
    must_list(player, high);
    must_list(player, low);
    must_submit(player);
    offer(player, high, VIDMM_OFFER_HIGH);
    offer(player, low, VIDMM_OFFER_LOW);
    vidmm_allocation_set_priority(low, D3DDDI_ALLOCATIONPRIORITY_MAXIMUM); /* for afterwards */
    must_list(player, more);
    assert_int_equal(segment_of(low), 0);
    assert_int_equal(segment_of(high), VRAM);
    assert_int_equal(reclaim(player, high), VIDMM_RECLAIM_OK);
    assert_int_equal(reclaim(player, low), VIDMM_RECLAIM_DISCARDED);
    struct vidmm_allocation_info info;
    vidmm_allocation_info(low, &info);
    assert_int_equal(info.priority, (int64_t)D3DDDI_ALLOCATIONPRIORITY_MAXIMUM);
    game_end(game);
}

/* What leaves a list takes the list's last use with it, and its place in the order of victims. */
static void what_a_list_used_after_its_offer_leaves_last(void **state) {
    (void)state;
    struct game *game = game_new(2);
    struct player *busy = &game->players[0], *still = &game->players[1];
    struct vidmm_allocation *used = make(busy, 2 * MIB, ANYWHERE);
    struct vidmm_allocation *unused = make(still, 2 * MIB, ANYWHERE);
    struct vidmm_allocation *more = make(busy, 2 * MIB, ONLY_VRAM);
    must_list(busy, used);
    must_list(still, unused);
    offer(busy, used, VIDMM_OFFER_LOW);
    offer(still, unused, VIDMM_OFFER_LOW);
    must_submit(busy);
    evict(busy, used, VIDMM_EVICT_ONLY_IF_NECESSARY);
    must_list(busy, more);
    assert_int_equal(segment_of(unused), 0);
    assert_int_equal(segment_of(used), VRAM);
    game_end(game);
}

/* The device runs on without what it offered, and its work is no content of it. */
static void what_was_dropped_stays_dropped_whatever_is_submitted(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, 3 * MIB, ANYWHERE);
    struct vidmm_allocation *b = make(player, 3 * MIB, ONLY_VRAM);
    stamp(player, a, 3);
    must_list(player, a);
    offer(player, a, VIDMM_OFFER_LOW);
    must_list(player, b);
    must_submit(player);
    assert_int_equal(segment_of(a), 0);
    must_submit(player);
    assert_int_equal(reclaim(player, a), VIDMM_RECLAIM_DISCARDED);
    assert_true(segment_of(a) != 0); /* it is still listed */
    assert_int_equal(vidmm_residency_count(player->device, a), 1);
    game_end(game);
}

/* R295 */
static void an_offer_waits_for_the_work_before_it(void **state) {
    (void)state;
    struct game *game = game_new(1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = make(player, 3 * MIB, ANYWHERE);
    struct vidmm_allocation *b = make(player, 3 * MIB, ONLY_VRAM);
    must_list(player, a);
    must_submit(player);
    assert_true(game->world->busy);
    offer(player, a, VIDMM_OFFER_LOW);
    must_list(player, b);
    assert_false(game->world->busy);
    game_end(game);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_counts_and_every_eviction_takes_one_back),
        cmocka_unit_test(an_allocation_named_twice_counts_twice),
        cmocka_unit_test(what_does_not_fit_changes_nothing_and_says_how_much_to_trim),
        cmocka_unit_test(a_request_is_all_or_nothing_whatever_allocation_fails),
        cmocka_unit_test(any_allocation_may_fail_once_in_a_life),
        cmocka_unit_test(a_fence_is_named_when_something_had_to_move),
        cmocka_unit_test(the_gpu_signals_the_fence_after_the_work),
        cmocka_unit_test(paging_queues_have_three_priorities_and_fences_of_their_own),
        cmocka_unit_test(lists_that_do_not_fit_together_take_turns),
        cmocka_unit_test(a_list_whose_parts_are_in_each_others_way_still_runs),
        cmocka_unit_test(what_was_not_written_leaves_without_a_transfer),
        cmocka_unit_test(what_the_caller_said_is_written_is_saved_all_the_same),
        cmocka_unit_test(an_eviction_says_nothing_of_earlier_writes),
        cmocka_unit_test(what_was_only_evicted_if_necessary_stays_longest),
        cmocka_unit_test(only_the_last_attempt_may_have_to_succeed),
        cmocka_unit_test(a_device_lists_only_what_it_has_open),
        cmocka_unit_test(writing_what_is_not_listed_puts_the_device_in_error),
        cmocka_unit_test(an_allocation_that_ends_leaves_every_list),
        cmocka_unit_test(lists_are_resident_again_after_a_reset),
        cmocka_unit_test(properties_change_when_the_driver_agrees),
        cmocka_unit_test(properties_that_cannot_be_had_are_as_before),
        cmocka_unit_test(what_is_accessed_physically_lies_in_one_row),
        cmocka_unit_test(what_is_not_accessed_physically_needs_no_range_of_an_aperture),
        cmocka_unit_test(a_primary_that_is_displayed_is_mapped_from_an_address_list),
        cmocka_unit_test(a_lock_of_system_pages_follows_what_lies_scattered),
        cmocka_unit_test(what_is_offered_has_to_be_reclaimed_before_use),
        cmocka_unit_test(an_offer_has_a_priority_and_goes_in_its_order),
        cmocka_unit_test(what_a_list_used_after_its_offer_leaves_last),
        cmocka_unit_test(what_was_dropped_stays_dropped_whatever_is_submitted),
        cmocka_unit_test(an_offer_waits_for_the_work_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
