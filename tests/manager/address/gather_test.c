/*
 * gather_test.c - mappings of many calls whose page table entries are written by one plan, before
 * the GPU may use them and in the order of the queue's fence (gather.h; R285, R299).
 */
#include "virtual_players.h"

#define MODES     3u
#define GATHERED  512u /* calls, at most */
#define BLOCKS    48u
#define BASE      (8 * MIB)
#define LEAF      (PAGE << scene.game->world->bits[0]) /* bytes that a leaf table translates */
#define BLOCK(at) (BASE + (at)*WIDE)

struct scene {
    struct game *game;
    struct player *player;
    struct world_process *process;
    struct vidmm_allocation *pool; /* resident */
    uint64_t fence;                /* of the newest mapping */
};

static struct scene begin_with(DXGK_PAGETABLEUPDATEMODE mode, UINT version) {
    struct scene scene = {.game = game_prepare(4 * MIB)};
    scene.game->world->mode = mode;
    scene.game->world->version = version;
    scene.game->world->paging_size = (uint32_t)WIDE;
    game_start(scene.game, 1);
    scene.player = &scene.game->players[0];
    scene.process = world_process(scene.game->world, 1);
    scene.pool = make(scene.player, MIB, SET(VRAM) | SET(APERTURE));
    must_list(scene.player, scene.pool);
    assert_int_equal(vidmm_paging_queue_gather(scene.player->queue, true), VIDMM_OK);
    scene.fence = vidmm_paging_fence(scene.player->queue);
    return scene;
}

static struct scene begin(void) {
    return begin_with(DXGK_PAGETABLEUPDATE_GPU_VIRTUAL, DXGKDDI_INTERFACE_VERSION_WDDM2_0);
}

static uint64_t built(const struct scene *scene) {
    return scene->game->world->paged[0];
}

/* A page of the pool at an address. */
static void map_at(struct scene *scene, uint64_t va, uint64_t page) {
    const struct vidmm_va_request request = {.base = va,
                                             .size = PAGE,
                                             .allocation = scene->pool,
                                             .offset = page * PAGE,
                                             .protection = VIDMM_VA_WRITE};
    uint64_t got, before = scene->fence;
    assert_int_equal(vidmm_va_map(scene->player->queue, &request, &got, &scene->fence), VIDMM_OK);
    assert_int_equal(got, va);
    assert_int_equal(scene->fence, before + 1);
}

static void expect_nowhere(const struct scene *scene, uint64_t va) {
    assert_false(world_translate(scene->process, va).valid);
}

/* The GPU finds the page of the pool there, wherever that is now. */
static void expect_page(const struct scene *scene, uint64_t va, uint64_t page) {
    struct world_page found = world_translate(scene->process, va);
    uint64_t offset;
    assert_true(found.valid);
    if (vidmm_allocation_page(scene->pool, page, &offset) != VRAM)
        offset = MmGetMdlPfnArray(vidmm_allocation_backing(scene->pool))[page] * PAGE;
    assert_int_equal(found.page, offset / PAGE);
}

static bool reached(const struct scene *scene) {
    return vidmm_paging_fence(scene->player->queue) >= scene->fence;
}

static enum vidmm_status wait_for(const struct scene *scene) {
    return vidmm_paging_wait(scene->player->queue, scene->fence);
}

/* The root table reaches what follows: one that grows costs a submission more. */
static void reach(struct scene *scene) {
    map_at(scene, 48 * MIB, 0);
    assert_int_equal(wait_for(scene), VIDMM_OK);
}

/* ---- One submission ---------------------------------------------------------------------------- */

static void many_calls_are_one_submission(void **state) {
    (void)state;
    for (uint32_t mode = 0; mode < MODES; mode++) {
        struct scene scene =
            begin_with((DXGK_PAGETABLEUPDATEMODE)mode, DXGKDDI_INTERFACE_VERSION_WDDM2_0);
        reach(&scene);
        uint64_t before = built(&scene);
        for (uint32_t i = 0; i < BLOCKS; i++)
            map_at(&scene, BLOCK(i), i); /* holes between them; several tables */
        assert_int_equal(built(&scene), before);
        assert_false(reached(&scene));
        expect_nowhere(&scene, BLOCK(0));
        assert_int_equal(wait_for(&scene), VIDMM_OK);
        assert_true(reached(&scene));
        assert_int_equal(built(&scene), before + 1);
        for (uint32_t i = 0; i < BLOCKS; i++)
            expect_page(&scene, BLOCK(i), i);
        expect_nowhere(&scene, BLOCK(0) + PAGE);
        game_end(scene.game);
    }
}

static PDXGKDDI_BUILDPAGINGBUFFER build;
static uint64_t signaled, signals, of_the_pool, links;

static NTSTATUS APIENTRY watch_build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *arg) {
    if (arg->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE) {
        signaled = arg->SignalMonitoredFence.MonitoredFenceValue;
        signals++;
    }
    of_the_pool +=
        arg->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && arg->UpdatePageTable.hAllocation;
    links += arg->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
             arg->UpdatePageTable.PageTableLevel == 1 && !arg->UpdatePageTable.Flags.InitialUpdate;
    return build(adapter, arg);
}

static void watch(DRIVER_INITIALIZATION_DATA *ddi) {
    build = ddi->DxgkDdiBuildPagingBuffer;
    ddi->DxgkDdiBuildPagingBuffer = watch_build;
}

/* R420: with the entries, and once. */
static void the_gpu_signals_the_fence_once(void **state) {
    (void)state;
    struct scene scene = {.game = game_prepare(4 * MIB)};
    scene.game->world->mode = DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
    scene.game->world->version = DXGKDDI_INTERFACE_VERSION_WDDM2_2;
    scene.game->world->paging_size = (uint32_t)WIDE;
    scene.game->world->overlay = watch;
    game_start(scene.game, 1);
    scene.player = &scene.game->players[0];
    scene.pool = make(scene.player, MIB, SET(VRAM));
    assert_int_equal(vidmm_paging_queue_gather(scene.player->queue, true), VIDMM_OK);
    reach(&scene);
    signals = 0;
    for (uint32_t i = 0; i < BLOCKS; i++)
        map_at(&scene, BLOCK(i), i);
    uint64_t before = built(&scene);
    assert_int_equal(signals, 0);
    assert_int_equal(wait_for(&scene), VIDMM_OK);
    assert_int_equal(built(&scene), before + 1);
    assert_int_equal(signals, 1);
    assert_int_equal(signaled, scene.fence);
    game_end(scene.game);
}

/* R216: pages that are consecutive in their allocation, and no others, share an operation. */
static void what_goes_on_is_one_operation(void **state) {
    (void)state;
    struct scene scene = {.game = game_prepare(4 * MIB)};
    scene.game->world->overlay = watch;
    game_start(scene.game, 1);
    scene.player = &scene.game->players[0];
    scene.process = world_process(scene.game->world, 1);
    scene.pool = make(scene.player, MIB, SET(VRAM));
    must_list(scene.player, scene.pool);
    assert_int_equal(vidmm_paging_queue_gather(scene.player->queue, true), VIDMM_OK);
    scene.fence = vidmm_paging_fence(scene.player->queue);
    for (uint32_t i = 0; i < 8; i++)
        map_at(&scene, BASE + i * PAGE, i + (i >= 5)); /* page 5 is left out */
    of_the_pool = 0;
    assert_int_equal(wait_for(&scene), VIDMM_OK);
    assert_int_equal(of_the_pool, 2);
    for (uint32_t i = 0; i < 8; i++)
        expect_page(&scene, BASE + i * PAGE, i + (i >= 5));
    assert_int_equal(vidmm_va_free(scene.player->process, BASE + 2 * PAGE, PAGE), VIDMM_OK);
    expect_nowhere(&scene, BASE + 2 * PAGE);
    expect_page(&scene, BASE + 3 * PAGE, 3);
    game_end(scene.game);
}

/* Entries for new tables that lie side by side are one operation, and those behind a hole another. */
static void new_tables_side_by_side_are_linked_at_once(void **state) {
    (void)state;
    static const uint32_t leaf[] = {0, 1, 2, 4};
    struct scene scene = {.game = game_prepare(4 * MIB)};
    scene.game->world->overlay = watch;
    game_start(scene.game, 1);
    scene.player = &scene.game->players[0];
    scene.process = world_process(scene.game->world, 1);
    scene.pool = make(scene.player, MIB, SET(VRAM));
    must_list(scene.player, scene.pool);
    assert_int_equal(vidmm_paging_queue_gather(scene.player->queue, true), VIDMM_OK);
    scene.fence = vidmm_paging_fence(scene.player->queue);
    reach(&scene);
    for (uint32_t i = 0; i < 4; i++)
        map_at(&scene, BASE + leaf[i] * LEAF, i);
    links = 0;
    assert_int_equal(wait_for(&scene), VIDMM_OK);
    assert_int_equal(links, 2);
    for (uint32_t i = 0; i < 4; i++)
        expect_page(&scene, BASE + leaf[i] * LEAF, i);
    expect_nowhere(&scene, BASE + 3 * LEAF);
    game_end(scene.game);
}

static void enough_calls_are_carried_out(void **state) {
    (void)state;
    struct scene scene = begin();
    uint64_t first = scene.fence, before = built(&scene);
    for (uint32_t i = 0; i < GATHERED; i++)
        map_at(&scene, BASE + i * 2 * PAGE, i % 256);
    assert_int_equal(built(&scene), before);
    map_at(&scene, BASE + GATHERED * 2 * PAGE, 0);
    assert_int_equal(vidmm_paging_fence(scene.player->queue), first + GATHERED);
    expect_page(&scene, BASE + (GATHERED - 1) * 2 * PAGE, 255);
    expect_nowhere(&scene, BASE + GATHERED * 2 * PAGE);
    game_end(scene.game);
}

/* ---- What carries them out ------------------------------------------------------------------- */

static void by_a_submission(struct scene *scene) {
    must_submit(scene->player);
}

/* Of the same queue, whose fence may go on. */
static void by_residency(struct scene *scene) {
    must_list(scene->player, make(scene->player, PAGE, SET(VRAM)));
}

static void by_reclaim(struct scene *scene) {
    struct vidmm_allocation *one = make(scene->player, PAGE, SET(VRAM));
    enum vidmm_reclaim_result result;
    assert_int_equal(vidmm_offer(scene->player->device, &one, 1, VIDMM_OFFER_NORMAL), VIDMM_OK);
    assert_int_equal(vidmm_reclaim(scene->player->queue, &one, 1, &result, NULL), VIDMM_OK);
}

/* What is in its place leads somewhere: it is mapped at once, behind what came before. */
static void by_a_mapping_in_place_of_another(struct scene *scene) {
    map_at(scene, BLOCK(0), 0);
}

static void by_turning_it_off(struct scene *scene) {
    assert_int_equal(vidmm_paging_queue_gather(scene->player->queue, false), VIDMM_OK);
}

static void by_another_queue(struct scene *scene) {
    struct vidmm_paging_queue *queue;
    const struct vidmm_va_request request = {.size = PAGE, .allocation = scene->pool};
    uint64_t va, fence;
    assert_int_equal(vidmm_paging_queue_create(scene->player->device, 0, &queue), VIDMM_OK);
    assert_int_equal(vidmm_paging_queue_gather(queue, true), VIDMM_OK);
    assert_int_equal(vidmm_va_map(queue, &request, &va, &fence), VIDMM_OK);
    assert_int_equal(fence, 1);
    assert_int_equal(vidmm_paging_fence(queue), 0);
}

static void by_an_update_of_tiles(struct scene *scene) {
    const struct vidmm_va_request reserve = {.size = WIDE};
    uint64_t va;
    assert_int_equal(vidmm_va_reserve(scene->player->process, &reserve, &va), VIDMM_OK);
    const struct vidmm_va_operation operation = {
        .type = VIDMM_VA_OP_MAP, .base = va, .size = WIDE, .allocation = scene->pool};
    assert_int_equal(vidmm_va_update(scene->player->context, &operation, 1), VIDMM_OK);
    assert_int_equal(vidmm_va_wait(scene->player->context), VIDMM_OK);
}

static void each_need_carries_out_what_is_gathered(void **state) {
    void (*const needs[])(struct scene * scene) = {
        by_a_submission,   by_residency,     by_reclaim,           by_a_mapping_in_place_of_another,
        by_turning_it_off, by_another_queue, by_an_update_of_tiles};
    (void)state;
    for (uint32_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        struct scene scene = begin();
        for (uint32_t block = 0; block < BLOCKS; block++)
            map_at(&scene, BLOCK(block), block + 1);
        uint64_t promised = scene.fence;
        expect_nowhere(&scene, BLOCK(BLOCKS - 1));
        needs[i](&scene);
        assert_true(vidmm_paging_fence(scene.player->queue) >= promised);
        expect_page(&scene, BLOCK(BLOCKS - 1), BLOCKS);
        game_end(scene.game);
    }
}

/* With its queue goes who waits for them, not what they lead to. */
static void a_queue_that_goes_carries_out_what_is_gathered(void **state) {
    (void)state;
    struct scene scene = begin();
    map_at(&scene, BLOCK(0), 3);
    vidmm_paging_queue_destroy(scene.player->queue);
    expect_page(&scene, BLOCK(0), 3);
    game_end(scene.game);
}

static void a_value_that_was_never_promised_is_refused(void **state) {
    (void)state;
    struct scene scene = begin();
    map_at(&scene, BLOCK(0), 3);
    assert_int_equal(vidmm_paging_wait(scene.player->queue, scene.fence + 1), VIDMM_BAD_ARGUMENT);
    assert_false(reached(&scene));
    game_end(scene.game);
}

/* ---- What happens meanwhile ------------------------------------------------------------------ */

/* R299: no entry was written, and none is. */
static void what_is_freed_meanwhile_leads_nowhere(void **state) {
    (void)state;
    struct scene scene = begin();
    for (uint32_t i = 0; i < BLOCKS; i++)
        map_at(&scene, BLOCK(i), i);
    uint64_t before = built(&scene);
    for (uint32_t i = 0; i < BLOCKS; i += 2)
        assert_int_equal(vidmm_va_free(scene.player->process, BLOCK(i), PAGE), VIDMM_OK);
    assert_int_equal(built(&scene), before);
    assert_int_equal(wait_for(&scene), VIDMM_OK);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (i % 2)
            expect_page(&scene, BLOCK(i), i);
        else
            expect_nowhere(&scene, BLOCK(i));
    }
    game_end(scene.game);
}

/* All of it: no table is made. */
static void what_is_freed_as_a_whole_needs_no_tables(void **state) {
    (void)state;
    struct scene scene = begin();
    for (uint32_t i = 0; i < BLOCKS; i++)
        map_at(&scene, BLOCK(i), i);
    assert_int_equal(vidmm_va_free(scene.player->process, BASE, BLOCKS * WIDE), VIDMM_OK);
    uint64_t before = stats_of(scene.game).table_bytes;
    assert_int_equal(wait_for(&scene), VIDMM_OK);
    assert_true(reached(&scene));
    assert_int_equal(stats_of(scene.game).table_bytes, before);
    game_end(scene.game);
}

static void what_moves_meanwhile_is_found_where_it_is(void **state) {
    (void)state;
    struct scene scene = begin();
    for (uint32_t i = 0; i < BLOCKS; i++)
        map_at(&scene, BLOCK(i), i);
    evict(scene.player, scene.pool, 0);
    assert_int_equal(vidmm_allocation_evict(scene.pool, true), VIDMM_OK);
    assert_false(reached(&scene)); /* no mapping of it is in the tables */
    assert_int_equal(wait_for(&scene), VIDMM_OK);
    expect_nowhere(&scene, BLOCK(0));
    must_list(scene.player, scene.pool);
    for (uint32_t i = 0; i < BLOCKS; i++)
        expect_page(&scene, BLOCK(i), i);
    game_end(scene.game);
}

static void what_goes_meanwhile_leads_nowhere(void **state) {
    (void)state;
    struct scene scene = begin();
    for (uint32_t i = 0; i < BLOCKS; i++)
        map_at(&scene, BLOCK(i), i);
    vidmm_allocation_destroy(scene.pool);
    assert_int_equal(wait_for(&scene), VIDMM_OK);
    for (uint32_t i = 0; i < BLOCKS; i++)
        expect_nowhere(&scene, BLOCK(i));
    game_end(scene.game);
}

/* The reset writes the tables that there are; the others come with the flush. */
static void a_reset_leaves_them_gathered(void **state) {
    (void)state;
    struct scene scene = begin();
    for (uint32_t i = 0; i < BLOCKS; i++)
        map_at(&scene, BLOCK(i), i);
    assert_int_equal(vidmm_reset(scene.game->world->adapter), VIDMM_OK);
    assert_false(reached(&scene));
    must_list(scene.player, scene.pool);
    assert_int_equal(wait_for(&scene), VIDMM_OK);
    for (uint32_t i = 0; i < BLOCKS; i++)
        expect_page(&scene, BLOCK(i), i);
    game_end(scene.game);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

static void a_hang_while_they_are_written_ends(void **state) {
    (void)state;
    struct scene scene = begin();
    for (uint32_t i = 0; i < BLOCKS; i++)
        map_at(&scene, BLOCK(i), i);
    scene.game->world->hangs_at = 1;
    assert_int_equal(wait_for(&scene), VIDMM_OK);
    assert_true(scene.game->world->resets > 0);
    assert_true(reached(&scene));
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (segment_of(scene.pool))
            expect_page(&scene, BLOCK(i), i);
        else
            expect_nowhere(&scene, BLOCK(i));
    }
    game_end(scene.game);
}

/* All of them or none; the next flush has them all. */
static bool without_one_block(uint64_t n) {
    struct scene scene = begin();
    struct world_os *system = &scene.game->world->system;
    for (uint32_t i = 0; i < BLOCKS; i++)
        map_at(&scene, BLOCK(i), i);
    system->fail_at = system->calls + n;
    enum vidmm_status status = wait_for(&scene);
    bool met = system->calls >= system->fail_at;
    system->fail_at = 0;
    assert_true(status == VIDMM_OK || status == VIDMM_NO_MEMORY);
    assert_int_equal(reached(&scene), status == VIDMM_OK);
    for (uint32_t i = 0; status && i < BLOCKS; i++)
        expect_nowhere(&scene, BLOCK(i));
    assert_int_equal(wait_for(&scene), VIDMM_OK);
    for (uint32_t i = 0; i < BLOCKS; i++)
        expect_page(&scene, BLOCK(i), i);
    game_end(scene.game);
    return met;
}

static void without_memory_all_of_it_stays_gathered(void **state) {
    uint64_t n = 1;
    (void)state;
    while (without_one_block(n))
        n++;
    assert_true(n > 3);
}

/* The call's own failures are the call's to tell. */
static void a_wrong_request_changes_nothing(void **state) {
    (void)state;
    struct scene scene = begin();
    const struct vidmm_va_request request = {
        .base = BLOCK(1), .size = 2 * MIB, .allocation = scene.pool};
    uint64_t va, fence = 7;
    map_at(&scene, BLOCK(0), 0);
    assert_int_equal(vidmm_va_map(scene.player->queue, &request, &va, &fence), VIDMM_BAD_ARGUMENT);
    assert_int_equal(fence, 0);
    assert_int_equal(wait_for(&scene), VIDMM_OK);
    expect_page(&scene, BLOCK(0), 0);
    expect_nowhere(&scene, BLOCK(1));
    game_end(scene.game);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_calls_are_one_submission),
        cmocka_unit_test(the_gpu_signals_the_fence_once),
        cmocka_unit_test(what_goes_on_is_one_operation),
        cmocka_unit_test(new_tables_side_by_side_are_linked_at_once),
        cmocka_unit_test(enough_calls_are_carried_out),
        cmocka_unit_test(each_need_carries_out_what_is_gathered),
        cmocka_unit_test(a_queue_that_goes_carries_out_what_is_gathered),
        cmocka_unit_test(a_value_that_was_never_promised_is_refused),
        cmocka_unit_test(what_is_freed_meanwhile_leads_nowhere),
        cmocka_unit_test(what_is_freed_as_a_whole_needs_no_tables),
        cmocka_unit_test(what_moves_meanwhile_is_found_where_it_is),
        cmocka_unit_test(what_goes_meanwhile_leads_nowhere),
        cmocka_unit_test(a_reset_leaves_them_gathered),
        cmocka_unit_test(a_hang_while_they_are_written_ends),
        cmocka_unit_test(without_memory_all_of_it_stays_gathered),
        cmocka_unit_test(a_wrong_request_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
