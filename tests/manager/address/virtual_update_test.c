/*
 * virtual_update_test.c - updates of tiles are queued behind the work of their context, and carried
 * out by its paging companion context (tile-resources.md; rules R299, R301, R385 to R388).
 */
#include "virtual_players.h"

#define QUEUED     128u /* operations of a context, at most */
#define MODES      3u
#define COMPANIONS 4u

/* Companion contexts that the driver was asked for, and what it says of nodes. */
static uint32_t companions, companion_on[COMPANIONS], named_node;
static NTSTATUS(APIENTRY *create_context)(const HANDLE device, DXGKARG_CREATECONTEXT *arg);

static NTSTATUS APIENTRY watch_context(const HANDLE device, DXGKARG_CREATECONTEXT *arg) {
    bool companion = arg->Flags.SystemContext;
    if (companion)
        companion_on[companions++ % COMPANIONS] = arg->NodeOrdinal;
    NTSTATUS status = create_context(device, arg);
    arg->ContextInfo.PagingCompanionNodeId = named_node;
    return status;
}

static void watch(DRIVER_INITIALIZATION_DATA *ddi) {
    create_context = ddi->DxgkDdiCreateContext;
    ddi->DxgkDdiCreateContext = watch_context;
}

/* A player with a pool, and with tiles that lead nowhere. */
struct scene {
    struct game *game;
    struct player *player;
    struct world_process *process;
    struct vidmm_allocation *pool;
    uint64_t va;
};

static struct scene begin(DXGK_PAGETABLEUPDATEMODE mode) {
    struct scene scene = {.game = game_prepare(4 * MIB)};
    struct vidmm_va_request reserve = {.size = 4 * MIB};
    scene.game->world->mode = mode;
    scene.game->world->version = DXGKDDI_INTERFACE_VERSION_WDDM3_2;
    scene.game->world->paging_megabytes = 16; /* fewer tables than a process may have */
    scene.game->world->overlay = watch;
    game_start(scene.game, 1);
    companions = named_node = 0;
    scene.player = &scene.game->players[0];
    scene.process = world_process(scene.game->world, 1);
    scene.pool = make(scene.player, 2 * MIB, SET(VRAM));
    must_list(scene.player, scene.pool);
    assert_int_equal(vidmm_va_reserve(scene.player->process, &reserve, &scene.va), VIDMM_OK);
    return scene;
}

static struct vidmm_va_operation map(const struct scene *scene, uint64_t tile, uint64_t offset) {
    return (struct vidmm_va_operation){.type = VIDMM_VA_OP_MAP,
                                       .base = scene->va + tile * WIDE,
                                       .size = WIDE,
                                       .allocation = scene->pool,
                                       .offset = offset};
}

static struct vidmm_va_operation copy(const struct scene *scene, uint64_t from, uint64_t to,
                                      uint64_t tiles) {
    return (struct vidmm_va_operation){.type = VIDMM_VA_OP_COPY,
                                       .base = scene->va + from * WIDE,
                                       .destination = scene->va + to * WIDE,
                                       .size = tiles * WIDE};
}

/* Work that the GPU has not done when this returns; the context has its companion by then. */
static void begin_work(const struct scene *scene) {
    const struct vidmm_va_operation nothing = {.type = VIDMM_VA_OP_UNMAP,
                                               .base = scene->va,
                                               .size = PAGE,
                                               .protection = VIDMM_VA_NO_ACCESS};
    assert_int_equal(vidmm_va_update(scene->player->context, &nothing, 1), VIDMM_OK);
    must_submit(scene->player);
    assert_true(scene->game->world->busy);
}

static enum vidmm_status update(const struct scene *scene, struct vidmm_va_operation operation) {
    return vidmm_va_update(scene->player->context, &operation, 1);
}

static uint32_t queued(const struct scene *scene) {
    return vidmm_va_queued(scene->player->context);
}

static void expect_nowhere(const struct scene *scene, uint64_t va) {
    assert_false(world_translate(scene->process, va).valid);
}

/* The GPU finds the page of the pool there. */
static void expect_pool(const struct scene *scene, uint64_t va, uint64_t at) {
    struct world_page page = world_translate(scene->process, va);
    uint64_t offset;
    assert_true(page.valid);
    assert_int_equal(page.segment, vidmm_allocation_page(scene->pool, at / PAGE, &offset));
    assert_int_equal(page.page, offset / PAGE);
}

static void each_mode(void (*play)(struct scene *scene)) {
    for (uint32_t mode = 0; mode < MODES; mode++) {
        struct scene scene = begin((DXGK_PAGETABLEUPDATEMODE)mode);
        play(&scene);
        game_end(scene.game);
    }
}

/* ---- The order ------------------------------------------------------------------------------- */

static void play_order(struct scene *scene) {
    begin_work(scene);
    assert_int_equal(update(scene, map(scene, 0, 0)), VIDMM_OK);
    assert_int_equal(update(scene, map(scene, 1, 3 * WIDE)), VIDMM_OK);
    assert_true(scene->game->world->busy); /* no call waited */
    assert_int_equal(queued(scene), 2);
    expect_nowhere(scene, scene->va);
    must_submit(scene->player);
    assert_int_equal(queued(scene), 0);
    expect_pool(scene, scene->va, 0);
    expect_pool(scene, scene->va + 2 * WIDE - PAGE, 4 * WIDE - PAGE);
}

static void an_update_lies_between_two_draws(void **state) {
    (void)state;
    each_mode(play_order);
}

static void play_limit(struct scene *scene) {
    begin_work(scene);
    for (uint32_t i = 0; i < QUEUED; i++)
        assert_int_equal(update(scene, map(scene, i % 64, 0)), VIDMM_OK);
    assert_true(scene->game->world->busy);
    assert_int_equal(queued(scene), QUEUED);
    assert_int_equal(update(scene, map(scene, 0, WIDE)), VIDMM_OK);
    assert_false(scene->game->world->busy);
    assert_int_equal(queued(scene), 1);
    expect_pool(scene, scene->va, 0);
    assert_int_equal(vidmm_va_wait(scene->player->context), VIDMM_OK);
    expect_pool(scene, scene->va, WIDE);
}

static void a_full_queue_makes_its_caller_wait(void **state) {
    (void)state;
    each_mode(play_limit);
}

/* ---- What it is about goes ------------------------------------------------------------------- */

/* Another one of the same device finds no room beside the pool until the update is carried out. */
static void play_pool(struct scene *scene) {
    struct vidmm_allocation *large = make(scene->player, 3 * MIB, SET(VRAM));
    begin_work(scene);
    assert_int_equal(update(scene, map(scene, 0, 0)), VIDMM_OK);
    evict(scene->player, scene->pool, 0);
    assert_int_equal(vidmm_residency_count(scene->player->device, scene->pool), 0);
    assert_int_equal(make_resident(scene->player, large), VIDMM_DOES_NOT_FIT);
    must_submit(scene->player);
    expect_pool(scene, scene->va, 0);
    must_list(scene->player, large);
    expect_nowhere(scene, scene->va);
}

static void pools_of_queued_updates_are_required(void **state) {
    (void)state;
    each_mode(play_pool);
}

static void play_moves(struct scene *scene) {
    struct vidmm_allocation *large = make(scene->player, 3 * MIB, SET(VRAM));
    assert_int_equal(update(scene, map(scene, 5, WIDE)), VIDMM_OK);
    assert_int_equal(vidmm_va_wait(scene->player->context), VIDMM_OK);
    evict(scene->player, scene->pool, 0);
    must_list(scene->player, large);
    /* While it is away its tiles lead nowhere; what is mapped meanwhile comes with it. */
    expect_nowhere(scene, scene->va + 5 * WIDE);
    assert_int_equal(update(scene, map(scene, 6, 0)), VIDMM_OK);
    assert_int_equal(vidmm_va_wait(scene->player->context), VIDMM_OK);
    expect_nowhere(scene, scene->va + 6 * WIDE);
    vidmm_allocation_destroy(large);
    must_list(scene->player, make(scene->player, WIDE, SET(VRAM)));
    must_list(scene->player, scene->pool);
    expect_pool(scene, scene->va + 5 * WIDE, WIDE);
    expect_pool(scene, scene->va + 6 * WIDE, 0);
}

static void tiles_follow_their_pool(void **state) {
    (void)state;
    each_mode(play_moves);
}

static void play_free(struct scene *scene) {
    begin_work(scene);
    assert_int_equal(update(scene, map(scene, 0, 0)), VIDMM_OK);
    assert_int_equal(update(scene, map(scene, 1, 0)), VIDMM_OK);
    assert_int_equal(vidmm_va_free(scene->player->process, scene->va + WIDE, WIDE), VIDMM_OK);
    assert_true(scene->game->world->busy);
    assert_int_equal(queued(scene), 1);
    /* What is copied from there is copied before it is free. */
    assert_int_equal(update(scene, copy(scene, 0, 8, 1)), VIDMM_OK);
    assert_int_equal(vidmm_va_free(scene->player->process, scene->va, WIDE), VIDMM_OK);
    assert_int_equal(queued(scene), 0);
    must_submit(scene->player);
    expect_nowhere(scene, scene->va);
    expect_nowhere(scene, scene->va + WIDE);
    expect_pool(scene, scene->va + 8 * WIDE, 0);
}

static void freed_addresses_have_no_updates(void **state) {
    (void)state;
    each_mode(play_free);
}

static void play_refused(struct scene *scene) {
    begin_work(scene);
    assert_int_equal(update(scene, map(scene, 0, 0)), VIDMM_OK);
    assert_int_equal(vidmm_va_free(scene->player->process, scene->va, WIDE + 1),
                     VIDMM_BAD_ARGUMENT);
    assert_int_equal(queued(scene), 1);
    must_submit(scene->player);
    expect_pool(scene, scene->va, 0);
}

static void addresses_that_are_not_freed_keep_their_updates(void **state) {
    (void)state;
    each_mode(play_refused);
}

static void play_destroy(struct scene *scene) {
    begin_work(scene);
    assert_int_equal(update(scene, map(scene, 0, 0)), VIDMM_OK);
    vidmm_allocation_destroy(scene->pool);
    assert_int_equal(queued(scene), 0);
    must_submit(scene->player);
    expect_nowhere(scene, scene->va);
    scene->pool = make(scene->player, WIDE, SET(VRAM));
    must_list(scene->player, scene->pool);
    must_submit(scene->player);
    assert_int_equal(update(scene, map(scene, 2, 0)), VIDMM_OK);
    vidmm_context_destroy(scene->player->context); /* with what is queued, which is done */
    expect_pool(scene, scene->va + 2 * WIDE, 0);
    assert_int_equal(vidmm_context_create(scene->player->device, 0, 0, &scene->player->context),
                     VIDMM_OK);
    assert_int_equal(update(scene, map(scene, 3, 0)), VIDMM_OK);
}

static void pools_and_contexts_go_with_their_updates(void **state) {
    (void)state;
    each_mode(play_destroy);
}

/* ---- The companion context ------------------------------------------------------------------- */

static void play_companion(struct scene *scene) {
    struct world *world = scene->game->world;
    bool by_cpu = world->mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    named_node = 1;
    vidmm_context_destroy(scene->player->context);
    assert_int_equal(vidmm_context_create(scene->player->device, 0, 0, &scene->player->context),
                     VIDMM_OK);
    assert_int_equal(companions, 0);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(update(scene, map(scene, i, 0)), VIDMM_OK);
    assert_int_equal(companions, by_cpu ? 0 : 1); /* R386, R388 */
    assert_int_equal(companion_on[0], by_cpu ? 0 : 1);
    assert_int_equal(vidmm_va_wait(scene->player->context), VIDMM_OK);
    assert_int_equal(world->copies, by_cpu ? 0 : 3);
    assert_true(by_cpu || (!world->copied_on->system && world->copied_on != scene->process));
}

static void the_companion_is_made_when_it_is_needed(void **state) {
    (void)state;
    each_mode(play_companion);
}

static void copy_tile(struct scene *scene, uint64_t from, uint64_t to) {
    assert_int_equal(update(scene, copy(scene, from, to, 1)), VIDMM_OK);
    assert_int_equal(vidmm_va_wait(scene->player->context), VIDMM_OK);
}

static void play_stale(struct scene *scene) {
    assert_int_equal(update(scene, map(scene, 0, 0)), VIDMM_OK);
    copy_tile(scene, 0, 1); /* all tables are shown by now */
    uint64_t flushes = scene->process->flushes;
    copy_tile(scene, 2, 3);
    assert_int_equal(scene->process->flushes, flushes);
    copy_tile(scene, 2, 1);
    assert_int_equal(scene->process->flushes, flushes + 1);
    expect_nowhere(scene, scene->va + WIDE);
}

static void copies_over_what_led_nowhere_need_no_flush(void **state) {
    (void)state;
    each_mode(play_stale);
}

static void a_companion_node_must_exist(void **state) {
    struct scene scene = begin(DXGK_PAGETABLEUPDATE_GPU_VIRTUAL);
    (void)state;
    named_node = 2;
    vidmm_context_destroy(scene.player->context);
    assert_int_equal(vidmm_context_create(scene.player->device, 0, 0, &scene.player->context),
                     VIDMM_OK);
    assert_int_equal(update(&scene, map(&scene, 0, 0)), VIDMM_DRIVER_BROKE_RULE);
    must_submit(scene.player);
    game_end(scene.game);
}

/* ---- Failures -------------------------------------------------------------------------------- */

static void play_hangs(struct scene *scene) {
    struct world *world = scene->game->world;
    for (uint64_t hangs = 1; hangs < 24; hangs++) {
        assert_int_equal(update(scene, map(scene, hangs, 0)), VIDMM_OK);
        world->hangs_at = hangs;
        (void)vidmm_va_wait(scene->player->context);
        world->hangs_at = 0;
        if (vidmm_device_lost(scene->player->device))
            return; /* the pool was being moved */
        must_submit(scene->player);
        expect_pool(scene, scene->va + hangs * WIDE, 0);
    }
}

static void a_hang_in_an_update_is_survived(void **state) {
    (void)state;
    each_mode(play_hangs);
}

/* Nothing is lost without memory: what could not be carried out is carried out next time. */
static void every_allocation_of_an_update_may_fail(void **state) {
    (void)state;
    for (uint32_t mode = 0; mode < MODES; mode++) {
        bool done = false;
        for (uint64_t n = 1; !done; n++) {
            struct scene scene = begin((DXGK_PAGETABLEUPDATEMODE)mode);
            struct world *world = scene.game->world;
            world->system.fail_at = world->system.calls + n;
            enum vidmm_status first = update(&scene, map(&scene, 1, WIDE));
            enum vidmm_status second = vidmm_va_wait(scene.player->context);
            done = world->system.calls < world->system.fail_at;
            world->system.fail_at = 0;
            assert_true(first == VIDMM_OK || first == VIDMM_NO_MEMORY);
            assert_true(second == VIDMM_OK || second == VIDMM_NO_MEMORY);
            must_submit(scene.player);
            if (first == VIDMM_OK)
                expect_pool(&scene, scene.va + WIDE, WIDE);
            game_end(scene.game);
        }
    }
}

/* The PTEs lead where the VA map says, as far as the target is resident. */
static void expect_va_map(const struct scene *scene, uint64_t va) {
    struct vidmm_allocation *allocation;
    struct world_page page = world_translate(scene->process, va);
    uint64_t offset;
    bool leads = vidmm_process_lookup(scene->player->process, va, &allocation, &offset);
    if (leads && segment_of(allocation))
        expect_pool(scene, va, offset);
    else
        assert_true(!page.valid || (page.zero && !leads));
}

/* What a reset writes anew must not be copied as if it were what was there before. Tiles of zeros
 * lead there without being resident. */
static void play_copy_hangs(struct scene *scene) {
    struct world *world = scene->game->world;
    struct vidmm_va_operation zero = {
        .type = VIDMM_VA_OP_UNMAP, .base = scene->va, .size = WIDE, .protection = VIDMM_VA_ZERO};
    for (uint64_t hangs = 1; hangs < 8; hangs++, zero.base += 8 * WIDE) {
        uint64_t first = (zero.base - scene->va) / WIDE;
        assert_int_equal(update(scene, zero), VIDMM_OK);
        assert_int_equal(vidmm_va_wait(scene->player->context), VIDMM_OK);
        assert_int_equal(update(scene, copy(scene, first, first + 1, 3)), VIDMM_OK);
        world->hangs_at = hangs;
        assert_int_equal(vidmm_va_wait(scene->player->context), VIDMM_OK);
        world->hangs_at = 0;
        assert_true(world_translate(scene->process, zero.base + WIDE).zero);
        expect_nowhere(scene, zero.base + 2 * WIDE);
        expect_nowhere(scene, zero.base + 3 * WIDE);
    }
}

static void a_copy_over_itself_survives_a_hang(void **state) {
    (void)state;
    each_mode(play_copy_hangs);
}

/* Runs `play` with the n-th allocation from then on failing, for every n and mode. */
static void each_failure(void (*play)(struct scene *scene, uint64_t n)) {
    for (uint32_t mode = 0; mode < MODES; mode++) {
        bool done = false;
        for (uint64_t n = 1; !done; n++) {
            struct scene scene = begin((DXGK_PAGETABLEUPDATEMODE)mode);
            play(&scene, n);
            done = scene.game->world->system.calls < scene.game->world->system.fail_at;
            scene.game->world->system.fail_at = 0;
            game_end(scene.game);
        }
    }
}

static void fail_from_now(const struct scene *scene, uint64_t n) {
    scene->game->world->system.fail_at = scene->game->world->system.calls + n;
}

#define LEAF_BYTES  (256 * 1024u) /* of addresses */
#define LEAF_TABLES 128u

/* What leads nowhere any more needs no tables. They are freed in a plan of its own, larger than any
 * that they were made in. The `n`-th allocation fails; answers how many there were. */
static uint64_t unmap_all(DXGK_PAGETABLEUPDATEMODE mode, uint64_t n) {
    struct scene scene = begin(mode);
    struct world *world = scene.game->world;
    struct vidmm_va_request reserve = {.size = LEAF_TABLES * LEAF_BYTES};
    assert_int_equal(vidmm_va_reserve(scene.player->process, &reserve, &scene.va), VIDMM_OK);
    for (uint64_t i = 0; i < LEAF_TABLES; i++)
        assert_int_equal(update(&scene, map(&scene, i * LEAF_BYTES / WIDE, 0)), VIDMM_OK);
    assert_int_equal(vidmm_va_wait(scene.player->context), VIDMM_OK);
    const struct vidmm_va_operation unmap = {.type = VIDMM_VA_OP_UNMAP,
                                             .base = scene.va,
                                             .size = reserve.size,
                                             .protection = VIDMM_VA_NO_ACCESS};
    assert_int_equal(update(&scene, unmap), VIDMM_OK);
    uint64_t before = world->system.calls;
    world->system.fail_at = n ? before + n : 0;
    (void)vidmm_va_wait(scene.player->context);
    world->system.fail_at = 0;
    uint64_t calls = world->system.calls - before;
    for (uint64_t i = 0; i < LEAF_TABLES; i++)
        expect_va_map(&scene, scene.va + i * LEAF_BYTES);
    game_end(scene.game);
    return calls;
}

static void tables_that_cannot_be_freed_stay(void **state) {
    (void)state;
    for (uint32_t mode = 0; mode < MODES; mode++) {
        uint64_t calls = unmap_all((DXGK_PAGETABLEUPDATEMODE)mode, 0);
        for (uint64_t n = calls - 7; n <= calls; n++)
            (void)unmap_all((DXGK_PAGETABLEUPDATEMODE)mode, n);
    }
}

static uint64_t hang; /* which paging buffer */

/* The reset writes the tables that there are again, before the second attempt makes others, or
 * fails to. */
static void play_again(struct scene *scene, uint64_t n) {
    struct world *world = scene->game->world;
    const struct vidmm_va_operation zero = {.type = VIDMM_VA_OP_UNMAP,
                                            .base = scene->va,
                                            .size = 2 * LEAF_BYTES,
                                            .protection = VIDMM_VA_ZERO};
    assert_int_equal(update(scene, map(scene, 0, 0)), VIDMM_OK);
    must_submit(scene->player);
    assert_int_equal(update(scene, zero), VIDMM_OK);
    fail_from_now(scene, n);
    world->hangs_at = hang;
    (void)vidmm_va_wait(scene->player->context);
    world->hangs_at = 0;
    /* Without memory for a reset the adapter is stopped. */
    if (vidmm_wait_idle(world->adapter) == VIDMM_OK)
        expect_va_map(scene, scene->va);
}

static void an_update_that_fails_leaves_tables_as_the_va_map_says(void **state) {
    (void)state;
    for (hang = 1; hang < 5; hang++)
        each_failure(play_again);
}

/* The tile led to another pool before, and is copied. */
static void play_pool_fails(struct scene *scene, uint64_t n) {
    struct vidmm_allocation *other = make(scene->player, WIDE, SET(VRAM));
    struct vidmm_va_operation to_other = map(scene, 0, 0);
    to_other.allocation = other;
    assert_int_equal(update(scene, map(scene, 0, 0)), VIDMM_OK);
    assert_int_equal(vidmm_va_wait(scene->player->context), VIDMM_OK);
    assert_int_equal(update(scene, to_other), VIDMM_OK);
    assert_int_equal(update(scene, copy(scene, 0, 4, 1)), VIDMM_OK);
    fail_from_now(scene, n);
    vidmm_allocation_destroy(other);
    must_submit(scene->player);
    expect_nowhere(scene, scene->va);
    expect_nowhere(scene, scene->va + 4 * WIDE);
}

static void without_memory_tiles_of_a_pool_that_goes_lead_nowhere(void **state) {
    (void)state;
    each_failure(play_pool_fails);
}

static void play_context_fails(struct scene *scene, uint64_t n) {
    struct player *player = scene->player;
    assert_int_equal(update(scene, map(scene, 0, 0)), VIDMM_OK);
    fail_from_now(scene, n);
    vidmm_context_destroy(player->context);
    if (!vidmm_device_lost(player->device))
        expect_pool(scene, scene->va, 0);
}

static void without_memory_updates_of_a_context_that_goes_cost_the_device(void **state) {
    (void)state;
    each_failure(play_context_fails);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_update_lies_between_two_draws),
        cmocka_unit_test(a_full_queue_makes_its_caller_wait),
        cmocka_unit_test(pools_of_queued_updates_are_required),
        cmocka_unit_test(tiles_follow_their_pool),
        cmocka_unit_test(freed_addresses_have_no_updates),
        cmocka_unit_test(addresses_that_are_not_freed_keep_their_updates),
        cmocka_unit_test(pools_and_contexts_go_with_their_updates),
        cmocka_unit_test(the_companion_is_made_when_it_is_needed),
        cmocka_unit_test(copies_over_what_led_nowhere_need_no_flush),
        cmocka_unit_test(a_companion_node_must_exist),
        cmocka_unit_test(a_hang_in_an_update_is_survived),
        cmocka_unit_test(every_allocation_of_an_update_may_fail),
        cmocka_unit_test(a_copy_over_itself_survives_a_hang),
        cmocka_unit_test(tables_that_cannot_be_freed_stay),
        cmocka_unit_test(an_update_that_fails_leaves_tables_as_the_va_map_says),
        cmocka_unit_test(without_memory_tiles_of_a_pool_that_goes_lead_nowhere),
        cmocka_unit_test(without_memory_updates_of_a_context_that_goes_cost_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
