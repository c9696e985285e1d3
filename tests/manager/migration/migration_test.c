/*
 * migration_test.c - a live migration as the manager offers it: what has to be sent, moving it
 * through the paging process in every way of writing page tables, the pause, the driver's own
 * state, and that nothing of it shows in what is done afterwards.
 */
#include "dirty_world.h"
#include "virtual_players.h"

#define DIRTY_UNIT (UINT64_C(16) * 1024)

static struct vidmm_adapter *adapter_of(const struct game *game) {
    return game->world->adapter;
}

/* Page tables in SMALL, beside the paging process's, unless the CPU writes them. */
static struct game *overlaid_game(enum world_pages pages, DXGK_PAGETABLEUPDATEMODE mode,
                                  bool performant, void (*overlay)(DRIVER_INITIALIZATION_DATA *)) {
    struct game *game = calloc(1, sizeof(*game));
    game->world = world_new(2, pages, mode);
    game->world->overlay = overlay;
    world_track(game->world, performant, (uint32_t)DIRTY_UNIT);
    game_start(game, 2);
    return game;
}

static struct game *new_game(enum world_pages pages, DXGK_PAGETABLEUPDATEMODE mode,
                             bool performant) {
    return overlaid_game(pages, mode, performant, NULL);
}

static struct game *usual_game(bool performant) {
    return new_game(PAGES_4K, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL, performant);
}

static struct vidmm_allocation *resident(struct player *player, uint64_t size, uint32_t segment) {
    struct vidmm_allocation *allocation = make(player, size, SET(segment));
    must_list(player, allocation);
    assert_int_equal(segment_of(allocation), segment);
    return allocation;
}

static uint64_t offset_of(const struct vidmm_allocation *allocation) {
    struct vidmm_allocation_info info;
    vidmm_allocation_info(allocation, &info);
    return info.offset;
}

/* The GPU writes one page of an allocation. */
static void write_page(struct game *game, const struct vidmm_allocation *allocation, uint64_t page,
                       uint8_t value) {
    uint64_t offset;
    uint32_t segment = vidmm_allocation_page(allocation, page, &offset);
    memset(world_byte(game->world, segment, offset), value, PAGE);
    world_wrote(game->world, segment, offset);
}

struct pieces {
    struct vidmm_adapter *adapter;
    struct vidmm_memory_range *ranges;
    uint32_t count;
};

static struct pieces dirty(struct game *game, uint32_t segment) {
    struct pieces pieces = {.adapter = adapter_of(game)};
    assert_int_equal(vidmm_migration_dirty(pieces.adapter, segment, &pieces.ranges, &pieces.count),
                     VIDMM_OK);
    return pieces;
}

static struct pieces used(struct game *game, uint32_t segment) {
    struct pieces pieces = {.adapter = adapter_of(game)};
    assert_int_equal(vidmm_migration_used(pieces.adapter, segment, &pieces.ranges, &pieces.count),
                     VIDMM_OK);
    return pieces;
}

static void release(struct pieces pieces) {
    vidmm_migration_release_ranges(pieces.adapter, pieces.ranges, pieces.count);
}

static bool has(const struct pieces *pieces, uint64_t offset) {
    for (uint32_t i = 0; i < pieces->count; i++) {
        if (offset >= pieces->ranges[i].offset &&
            offset - pieces->ranges[i].offset < pieces->ranges[i].size)
            return true;
    }
    return false;
}

static uint64_t bytes_of(const struct pieces *pieces) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < pieces->count; i++) {
        assert_int_equal((pieces->ranges[i].offset | pieces->ranges[i].size) % DIRTY_UNIT, 0);
        assert_true(i == 0 || pieces->ranges[i].offset >
                                  pieces->ranges[i - 1].offset + pieces->ranges[i - 1].size);
        bytes += pieces->ranges[i].size;
    }
    return bytes;
}

static void prepare(struct game *game, enum vidmm_migration_side side) {
    assert_int_equal(vidmm_migration_prepare(adapter_of(game), side), VIDMM_OK);
}

static void finish(struct game *game) {
    vidmm_migration_end(adapter_of(game));
    assert_int_equal(game->world->dirty->prepared, game->world->dirty->ended);
    game_end(game);
}

/* What is dirty now does not matter. */
static void skip_round(struct game *game) {
    release(dirty(game, VRAM));
    release(dirty(game, SMALL));
}

/* ---- What is sent ---------------------------------------------------------------------------- */

static void without_cheap_tracking_all_that_is_in_use_is_sent_first(void **state) {
    struct game *game = usual_game(false);
    struct vidmm_allocation *allocation = resident(&game->players[0], 40 * PAGE, VRAM);
    (void)state;
    assert_int_equal(game->world->dirty->starts, 0);
    prepare(game, VIDMM_MIGRATION_SOURCE);
    assert_int_equal(game->world->dirty->starts, 2); /* a basis a memory segment */
    struct pieces all = used(game, VRAM), pieces = dirty(game, VRAM);
    assert_int_equal(bytes_of(&pieces), bytes_of(&all));
    assert_int_equal(bytes_of(&pieces), 40 * PAGE);
    release(pieces);
    release(all);
    pieces = dirty(game, VRAM);
    assert_int_equal(pieces.count, 0);
    assert_null(pieces.ranges);
    write_page(game, allocation, 17, 1);
    pieces = dirty(game, VRAM);
    assert_int_equal(bytes_of(&pieces), DIRTY_UNIT);
    assert_true(has(&pieces, offset_of(allocation) + 17 * PAGE));
    release(pieces);
    vidmm_migration_end(adapter_of(game));
    assert_int_equal(game->world->dirty->stops, 2);
    finish(game);
}

static void with_cheap_tracking_what_nobody_wrote_is_not_sent(void **state) {
    struct game *game = usual_game(true);
    (void)state;
    assert_int_equal(game->world->dirty->starts, 2);
    struct vidmm_allocation *one = resident(&game->players[0], 8 * PAGE, VRAM);
    prepare(game, VIDMM_MIGRATION_SOURCE);
    struct pieces pieces = dirty(game, VRAM);
    assert_true(has(&pieces, offset_of(one))); /* it was filled */
    assert_int_equal(bytes_of(&pieces), 8 * PAGE);
    release(pieces);
    vidmm_migration_end(adapter_of(game));
    /* The next one has to bring the same to another target. */
    prepare(game, VIDMM_MIGRATION_SOURCE);
    pieces = dirty(game, VRAM);
    assert_int_equal(bytes_of(&pieces), 8 * PAGE);
    release(pieces);
    assert_int_equal(game->world->dirty->starts, 2);
    finish(game);
}

static void page_tables_are_sent_and_those_of_the_paging_process_are_not(void **state) {
    struct game *game = usual_game(false);
    struct world_process *paging = world_process(game->world, 0);
    (void)state;
    prepare(game, VIDMM_MIGRATION_SOURCE);
    struct pieces pieces = dirty(game, SMALL);
    for (uint32_t i = 0; i < 2; i++)
        assert_true(has(&pieces, world_process(game->world, i + 1)->root.SegmentOffset));
    for (uint64_t offset = 0; offset < DIRTY_UNIT; offset += PAGE)
        assert_false(has(&pieces, (paging->root.SegmentOffset & ~(DIRTY_UNIT - 1)) + offset));
    release(pieces);
    finish(game);
}

/* The page was dirty while free; then an allocation gets it and writes nothing. */
static void a_page_that_comes_into_use_is_sent_though_it_is_clean(void **state) {
    struct game *game = usual_game(true);
    struct player *player = &game->players[0];
    struct vidmm_allocation *first = resident(player, 8 * PAGE, VRAM);
    uint64_t offset = offset_of(first);
    (void)state;
    vidmm_allocation_destroy(first);
    prepare(game, VIDMM_MIGRATION_SOURCE);
    struct pieces pieces = dirty(game, VRAM);
    assert_false(has(&pieces, offset));
    release(pieces);
    struct vidmm_allocation *second = resident(player, 4 * PAGE, VRAM);
    assert_int_equal(offset_of(second), offset);
    struct world_dirty *driver = game->world->dirty;
    for (uint32_t i = 0; i < DIRTY_BASES; i++) { /* as if it had not been filled */
        if (driver->bases[i].used && driver->bases[i].segment == VRAM)
            memset(driver->bases[i].bits, 0, 4 * MIB / DIRTY_UNIT);
    }
    pieces = dirty(game, VRAM);
    assert_true(has(&pieces, offset));
    release(pieces);
    finish(game);
}

static void a_dirty_page_is_reported_even_when_memory_ran_out_on_the_way(void **state) {
    struct game *game = usual_game(false);
    struct world *world = game->world;
    struct vidmm_allocation *allocation = resident(&game->players[0], 40 * PAGE, VRAM);
    (void)state;
    prepare(game, VIDMM_MIGRATION_SOURCE);
    skip_round(game);
    for (uint32_t fail = 1;; fail++) {
        struct pieces pieces = {.adapter = adapter_of(game)};
        write_page(game, allocation, 33, (uint8_t)fail);
        world->system.calls = 0;
        world->system.fail_at = fail;
        enum vidmm_status status =
            vidmm_migration_dirty(pieces.adapter, VRAM, &pieces.ranges, &pieces.count);
        bool failed = world->system.calls >= fail;
        world->system.fail_at = 0;
        if (status) {
            assert_int_equal(status, VIDMM_NO_MEMORY);
            pieces = dirty(game, VRAM);
        }
        assert_int_equal(pieces.count, 1);
        assert_true(has(&pieces, offset_of(allocation) + 33 * PAGE));
        release(pieces);
        if (!failed)
            break;
    }
    assert_true(world->dirty->part_queries > 0); /* with little memory, piece by piece */
    finish(game);
}

/* Whatever planes the driver has: shared ones are cleared by anybody's start and query. */
static void somebody_elses_bases_lose_nothing(void **state) {
    const struct vidmm_memory_range all = {0, 4 * MIB};
    const struct vidmm_dirty_query whole = {.clear = true};
    struct vidmm_memory_basis *basis;
    uint8_t bits[4 * MIB / DIRTY_UNIT / 8];
    (void)state;
    for (uint32_t shared = 0; shared < 2; shared++) {
        struct game *game = usual_game(false);
        game->world->dirty->shared_plane = shared != 0;
        struct vidmm_allocation *one = resident(&game->players[0], 40 * PAGE, VRAM);
        prepare(game, VIDMM_MIGRATION_SOURCE);
        skip_round(game);
        write_page(game, one, 5, 1);
        assert_int_equal(vidmm_basis_create(adapter_of(game), VRAM, &all, 1, &basis), VIDMM_OK);
        assert_int_equal(vidmm_basis_start(basis), VIDMM_OK);
        write_page(game, one, 21, 1);
        assert_int_equal(vidmm_basis_query(basis, &whole, bits, sizeof(bits)), VIDMM_OK);
        struct pieces pieces = dirty(game, VRAM);
        assert_true(has(&pieces, offset_of(one) + 5 * PAGE));
        assert_true(has(&pieces, offset_of(one) + 21 * PAGE));
        release(pieces);
        write_page(game, one, 21, 1);
        assert_int_equal(vidmm_basis_query(basis, &whole, bits, sizeof(bits)), VIDMM_OK);
        pieces = dirty(game, VRAM);
        assert_int_equal(pieces.count, 1);
        assert_true(has(&pieces, offset_of(one) + 21 * PAGE));
        release(pieces);
        vidmm_basis_destroy(basis);
        finish(game);
    }
}

/* Also one that dirty pages do not fit into. */
static void invalid_memory_and_odd_sizes_are_no_obstacle(void **state) {
    struct game *game = calloc(1, sizeof(*game));
    struct vidmm_segment_info info;
    (void)state;
    game->world = world_new(2, PAGES_4K, DXGK_PAGETABLEUPDATE_CPU_VIRTUAL);
    struct world_dirty *driver = world_track(game->world, false, (uint32_t)DIRTY_UNIT);
    driver->invalid_pages = 9; /* two dirty pages and a quarter */
    game->world->vram_bytes = 4 * MIB - PAGE;
    game->world->small_bytes = 2 * PAGE;
    game_start(game, 1);
    assert_true(vidmm_segment_info(game->world->adapter, VRAM, &info));
    assert_int_equal(info.invalid_ranges, 1);
    assert_int_equal(driver->bases[0].count, 1);
    assert_int_equal(driver->bases[0].ranges[0].SegmentOffset, 2 * DIRTY_UNIT);
    assert_int_equal(driver->bases[0].ranges[0].SizeInBytes, 4 * MIB - 3 * DIRTY_UNIT);
    struct vidmm_allocation *all =
        resident(&game->players[0], 4 * MIB - 10 * PAGE, VRAM); /* up to the last page */
    struct vidmm_allocation *small = resident(&game->players[0], PAGE, SMALL);
    prepare(game, VIDMM_MIGRATION_SOURCE);
    release(dirty(game, VRAM));
    struct pieces pieces = dirty(game, VRAM); /* what no basis covers is always sent */
    assert_int_equal(pieces.count, 1);
    assert_int_equal(pieces.ranges[0].offset, 4 * MIB - DIRTY_UNIT);
    assert_int_equal(pieces.ranges[0].size, DIRTY_UNIT - PAGE);
    release(pieces);
    for (uint32_t i = 0; i < 2; i++) {
        pieces = dirty(game, SMALL);
        assert_int_equal(pieces.count, 1);
        assert_true(has(&pieces, offset_of(small)));
        release(pieces);
    }
    assert_int_equal(offset_of(all), 9 * PAGE);
    finish(game);
}

/* ---- Moving ---------------------------------------------------------------------------------- */

/* Every other page of an allocation, from the last to the first. */
static void move_scattered(struct game *game, uint32_t segment) {
    struct vidmm_allocation *allocation = resident(&game->players[0], 40 * PAGE, segment);
    uint64_t offset = offset_of(allocation);
    struct vidmm_memory_range ranges[20];
    uint8_t *bytes = calloc(20, PAGE);
    prepare(game, VIDMM_MIGRATION_SOURCE);
    for (uint32_t round = 0; round < 3; round++) { /* the same addresses lead elsewhere each time */
        for (uint32_t i = 0; i < 20; i++) {
            uint32_t page = (39 - 2 * i) - round % 2;
            ranges[i] = (struct vidmm_memory_range){offset + page * PAGE, PAGE};
            write_page(game, allocation, page, (uint8_t)(page + 64 * round));
        }
        assert_int_equal(vidmm_migration_read(adapter_of(game), segment, ranges, 20, bytes),
                         VIDMM_OK);
        for (uint32_t i = 0; i < 20 * PAGE; i++)
            assert_int_equal(bytes[i], (uint8_t)((39 - 2 * (i / PAGE)) - round % 2 + 64 * round));
    }
    vidmm_migration_end(adapter_of(game));
    prepare(game, VIDMM_MIGRATION_TARGET);
    memset(bytes, 0x77, 20 * PAGE);
    assert_int_equal(vidmm_migration_write(adapter_of(game), segment, ranges, 20, bytes), VIDMM_OK);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(*world_byte(game->world, segment, ranges[i].offset + PAGE - 1), 0x77);
    assert_int_equal(*world_byte(game->world, segment, offset),
                     64); /* the others are as they were */
    free(bytes);
    vidmm_migration_end(adapter_of(game));
}

static void scattered_pages_are_read_and_written_in_every_mode(void **state) {
    static const DXGK_PAGETABLEUPDATEMODE modes[] = {DXGK_PAGETABLEUPDATE_CPU_VIRTUAL,
                                                     DXGK_PAGETABLEUPDATE_GPU_VIRTUAL,
                                                     DXGK_PAGETABLEUPDATE_GPU_PHYSICAL};
    (void)state;
    for (uint32_t mode = 0; mode < 3; mode++) {
        for (uint32_t pages = 0; pages < 3; pages++) {
            struct game *game = new_game((enum world_pages)pages, modes[mode], false);
            move_scattered(game, VRAM);
            move_scattered(game, SMALL);
            finish(game);
        }
    }
}

static void all_of_the_staging_pages_can_be_used_at_once(void **state) {
    struct game *game = usual_game(false);
    const struct vidmm_memory_range all = {0, VIDMM_MIGRATION_STAGING};
    uint8_t *bytes = calloc(1, VIDMM_MIGRATION_STAGING);
    (void)state;
    prepare(game, VIDMM_MIGRATION_SOURCE);
    for (uint64_t at = 0; at < all.size; at += PAGE)
        memcpy(world_byte(game->world, SMALL, at), &at, sizeof(at));
    assert_int_equal(vidmm_migration_read(adapter_of(game), SMALL, &all, 1, bytes), VIDMM_OK);
    for (uint64_t at = 0; at < all.size; at += PAGE)
        assert_memory_equal(bytes + at, &at, sizeof(at));
    assert_int_equal(game->world->transfers, 1);
    free(bytes);
    finish(game);
}

static void what_cannot_be_moved_is_refused(void **state) {
    struct game *game = usual_game(false);
    struct vidmm_allocation *one = resident(&game->players[0], DIRTY_UNIT, VRAM);
    uint64_t offset = offset_of(one), paging = world_process(game->world, 0)->root.SegmentOffset;
    uint8_t *bytes = calloc(1, 2 * VIDMM_MIGRATION_STAGING);
    const struct vidmm_memory_range bad[] = {
        {offset, 0},     {offset + 8, PAGE},         {offset, PAGE + 8},
        {4 * MIB, PAGE}, {4 * MIB - PAGE, 2 * PAGE}, {PAGE, UINT64_MAX - PAGE + 1}};
    const struct vidmm_memory_range much[] = {{0, 3 * MIB}, {0, 2 * MIB}};
    const struct vidmm_memory_range own = {paging, PAGE}, free_page = {offset + MIB, PAGE};
    (void)state;
    assert_int_equal(vidmm_migration_read(adapter_of(game), VRAM, bad, 1, bytes),
                     VIDMM_BAD_ARGUMENT); /* not prepared */
    prepare(game, VIDMM_MIGRATION_SOURCE);
    for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(vidmm_migration_read(adapter_of(game), VRAM, &bad[i], 1, bytes),
                         VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_migration_read(adapter_of(game), VRAM, much, 2, bytes),
                     VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_migration_read(adapter_of(game), APERTURE, &free_page, 1, bytes),
                     VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_migration_read(adapter_of(game), VRAM, NULL, 0, NULL), VIDMM_OK);
    assert_int_equal(vidmm_migration_write(adapter_of(game), VRAM, &free_page, 1, bytes),
                     VIDMM_BAD_ARGUMENT); /* a source */
    vidmm_migration_end(adapter_of(game));
    prepare(game, VIDMM_MIGRATION_TARGET);
    assert_int_equal(vidmm_migration_write(adapter_of(game), SMALL, &own, 1, bytes),
                     VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_migration_write(adapter_of(game), VRAM, &free_page, 1, bytes),
                     VIDMM_BAD_ARGUMENT);
    free(bytes);
    finish(game);
}

static void a_gpu_that_hangs_on_the_way_is_reset_and_the_call_fails(void **state) {
    struct game *game = usual_game(true);
    struct vidmm_allocation *one = resident(&game->players[0], DIRTY_UNIT, VRAM);
    struct vidmm_memory_range range = {offset_of(one), DIRTY_UNIT};
    uint8_t bytes[DIRTY_UNIT];
    (void)state;
    prepare(game, VIDMM_MIGRATION_SOURCE);
    skip_round(game);
    game->world->hangs_at = 1;
    assert_int_equal(vidmm_migration_read(adapter_of(game), VRAM, &range, 1, bytes),
                     VIDMM_GPU_LOST);
    assert_int_equal(game->world->resets, 1);
    struct pieces pieces = dirty(game, SMALL);
    assert_true(pieces.count > 0); /* what was sent before the reset is worth nothing */
    release(pieces);
    finish(game);
}

static struct world *hanging;
static NTSTATUS(APIENTRY *restart)(HANDLE adapter);

/* What is built from here on hangs, too: the first reset does not help. */
static NTSTATUS APIENTRY hang_once(HANDLE adapter) {
    if (hanging->resets == 1)
        hanging->hangs_at = 1;
    return restart(adapter);
}

static void hang_in_reset(DRIVER_INITIALIZATION_DATA *ddi) {
    restart = ddi->DxgkDdiRestartFromTimeout;
    ddi->DxgkDdiRestartFromTimeout = hang_once;
}

static void a_reset_on_the_way_that_hangs_is_followed_by_another(void **state) {
    struct game *game =
        overlaid_game(PAGES_4K, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL, true, hang_in_reset);
    struct vidmm_allocation *one = resident(&game->players[0], DIRTY_UNIT, VRAM);
    struct vidmm_memory_range range = {offset_of(one), DIRTY_UNIT};
    uint8_t bytes[DIRTY_UNIT];
    (void)state;
    hanging = game->world;
    prepare(game, VIDMM_MIGRATION_SOURCE);
    game->world->hangs_at = 1;
    assert_int_equal(vidmm_migration_read(adapter_of(game), VRAM, &range, 1, bytes),
                     VIDMM_GPU_LOST);
    assert_int_equal(game->world->resets, 2);
    must_submit(&game->players[0]);
    finish(game);
}

/* ---- Leaving no trace ------------------------------------------------------------------------ */

static void a_migration_that_is_given_up_leaves_no_trace(void **state) {
    struct game *game = usual_game(false);
    struct player *player = &game->players[0];
    struct vidmm_allocation *one = resident(player, DIRTY_UNIT, VRAM);
    struct vidmm_allocation *two = resident(player, DIRTY_UNIT, VRAM);
    struct vidmm_memory_range range = {offset_of(one), DIRTY_UNIT};
    struct vidmm_stats before = stats_of(game), after;
    uint64_t blocks = game->world->system.blocks;
    uint8_t bytes[DIRTY_UNIT];
    (void)state;
    prepare(game, VIDMM_MIGRATION_SOURCE);
    for (uint32_t i = 0; i < 5; i++) {
        skip_round(game);
        assert_int_equal(vidmm_migration_read(adapter_of(game), VRAM, &range, 1, bytes), VIDMM_OK);
    }
    vidmm_migration_end(adapter_of(game));
    after = stats_of(game);
    assert_memory_equal(&before, &after, sizeof(before));
    assert_int_equal(game->world->system.blocks, blocks);
    assert_int_equal(offset_of(one), range.offset);
    assert_int_equal(segment_of(two), VRAM);
    must_submit(player);
    finish(game);
}

/* ---- Pause ----------------------------------------------------------------------------------- */

static void submissions_wait_for_the_end_of_a_pause(void **state) {
    struct game *game = usual_game(false);
    struct player *player = &game->players[0];
    (void)state;
    assert_int_equal(vidmm_migration_pause(adapter_of(game)), VIDMM_BAD_ARGUMENT);
    prepare(game, VIDMM_MIGRATION_SOURCE);
    must_submit(player);
    assert_true(game->world->busy);
    assert_int_equal(vidmm_migration_pause(adapter_of(game)), VIDMM_OK);
    assert_false(game->world->busy);
    assert_int_equal(submit(player), VIDMM_BUSY);
    vidmm_migration_resume(adapter_of(game));
    must_submit(player);
    assert_int_equal(vidmm_migration_pause(adapter_of(game)), VIDMM_OK);
    vidmm_migration_end(adapter_of(game));
    must_submit(player);
    finish(game);
}

static void a_target_is_paused_until_its_end(void **state) {
    struct game *game = usual_game(false);
    struct player *player = &game->players[0];
    struct vidmm_memory_range *ranges;
    uint32_t count;
    (void)state;
    must_submit(player);
    prepare(game, VIDMM_MIGRATION_TARGET);
    assert_int_equal(game->world->dirty->side, DXGK_GPUP_MIGRATIONTYPE_TARGET);
    assert_false(game->world->busy);
    assert_int_equal(submit(player), VIDMM_BUSY);
    vidmm_migration_resume(adapter_of(game));
    assert_int_equal(submit(player), VIDMM_BUSY);
    assert_int_equal(vidmm_migration_dirty(adapter_of(game), VRAM, &ranges, &count),
                     VIDMM_BAD_ARGUMENT); /* R338 */
    assert_int_equal(game->world->dirty->starts + game->world->dirty->queries, 0);
    vidmm_migration_end(adapter_of(game));
    must_submit(player);
    finish(game);
}

/* ---- Prepare and end ------------------------------------------------------------------------- */

static void every_preparation_is_ended(void **state) {
    struct game *game = usual_game(false);
    (void)state;
    prepare(game, VIDMM_MIGRATION_SOURCE);
    assert_int_equal(vidmm_migration_prepare(adapter_of(game), VIDMM_MIGRATION_SOURCE),
                     VIDMM_BAD_ARGUMENT);
    vidmm_migration_end(adapter_of(game));
    vidmm_migration_end(adapter_of(game)); /* nothing is under way */
    assert_int_equal(game->world->dirty->ended, 1);
    game->world->dirty->refuse_start = STATUS_NO_MEMORY;
    assert_int_equal(vidmm_migration_prepare(adapter_of(game), VIDMM_MIGRATION_SOURCE),
                     VIDMM_DRIVER_REFUSED);
    assert_int_equal(game->world->dirty->ended, 2);
    finish(game);
}

static void an_adapter_that_stops_ends_its_migration(void **state) {
    struct game *game = usual_game(false);
    struct world_dirty *driver = game->world->dirty;
    (void)state;
    prepare(game, VIDMM_MIGRATION_SOURCE);
    for (uint32_t i = 0; i < 2; i++) {
        vidmm_device_destroy(game->players[i].device);
        vidmm_process_destroy(game->players[i].process);
    }
    vidmm_adapter_stop(game->world->adapter);
    game->world->adapter = NULL;
    assert_int_equal(driver->ended, 1);
    assert_int_equal(driver->stops, 2);
    world_end(game->world);
    free(game);
}

/* ---- The driver's own state ------------------------------------------------------------------ */

static void the_drivers_state_is_saved_and_restored(void **state) {
    struct game *game = usual_game(false);
    uint8_t expected[DIRTY_DATA];
    void *data;
    size_t size;
    (void)state;
    memset(expected, 0x5a, sizeof(expected));
    prepare(game, VIDMM_MIGRATION_SOURCE);
    assert_int_equal(vidmm_migration_save(adapter_of(game), VIDMM_MIGRATION_MUTABLE, &data, &size),
                     VIDMM_BAD_ARGUMENT); /* R333: not paused */
    assert_int_equal(
        vidmm_migration_save(adapter_of(game), VIDMM_MIGRATION_IMMUTABLE, &data, &size), VIDMM_OK);
    assert_int_equal(size, DIRTY_DATA);
    assert_memory_equal(data, expected, size);
    assert_int_equal(game->world->dirty->saved, 2);
    assert_int_equal(
        vidmm_migration_restore(adapter_of(game), VIDMM_MIGRATION_IMMUTABLE, data, size),
        VIDMM_BAD_ARGUMENT); /* a source */
    vidmm_migration_end(adapter_of(game));
    prepare(game, VIDMM_MIGRATION_TARGET);
    assert_int_equal(vidmm_migration_restore(adapter_of(game), VIDMM_MIGRATION_MUTABLE, data, size),
                     VIDMM_OK);
    assert_memory_equal(game->world->dirty->received, expected, size);
    game->world->dirty->refuse_restore = STATUS_OBJECT_TYPE_MISMATCH;
    assert_int_equal(
        vidmm_migration_restore(adapter_of(game), VIDMM_MIGRATION_IMMUTABLE, data, size),
        VIDMM_DRIVER_REFUSED);
    struct vidmm_error error;
    vidmm_last_error(adapter_of(game), &error);
    assert_int_equal(error.nt, STATUS_OBJECT_TYPE_MISMATCH);
    vidmm_migration_release(adapter_of(game), data, size);
    finish(game);
}

static void state_of_an_incredible_size_is_refused(void **state) {
    struct game *game = usual_game(false);
    void *data;
    size_t size;
    (void)state;
    prepare(game, VIDMM_MIGRATION_SOURCE);
    game->world->dirty->data_size = UINT64_C(1) << 60;
    assert_int_equal(
        vidmm_migration_save(adapter_of(game), VIDMM_MIGRATION_IMMUTABLE, &data, &size),
        VIDMM_DRIVER_BROKE_RULE);
    assert_null(data);
    assert_int_equal(size, 0);
    finish(game);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_cheap_tracking_all_that_is_in_use_is_sent_first),
        cmocka_unit_test(with_cheap_tracking_what_nobody_wrote_is_not_sent),
        cmocka_unit_test(page_tables_are_sent_and_those_of_the_paging_process_are_not),
        cmocka_unit_test(a_page_that_comes_into_use_is_sent_though_it_is_clean),
        cmocka_unit_test(a_dirty_page_is_reported_even_when_memory_ran_out_on_the_way),
        cmocka_unit_test(somebody_elses_bases_lose_nothing),
        cmocka_unit_test(invalid_memory_and_odd_sizes_are_no_obstacle),
        cmocka_unit_test(scattered_pages_are_read_and_written_in_every_mode),
        cmocka_unit_test(all_of_the_staging_pages_can_be_used_at_once),
        cmocka_unit_test(what_cannot_be_moved_is_refused),
        cmocka_unit_test(a_gpu_that_hangs_on_the_way_is_reset_and_the_call_fails),
        cmocka_unit_test(a_reset_on_the_way_that_hangs_is_followed_by_another),
        cmocka_unit_test(a_migration_that_is_given_up_leaves_no_trace),
        cmocka_unit_test(submissions_wait_for_the_end_of_a_pause),
        cmocka_unit_test(a_target_is_paused_until_its_end),
        cmocka_unit_test(every_preparation_is_ended),
        cmocka_unit_test(an_adapter_that_stops_ends_its_migration),
        cmocka_unit_test(the_drivers_state_is_saved_and_restored),
        cmocka_unit_test(state_of_an_incredible_size_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
