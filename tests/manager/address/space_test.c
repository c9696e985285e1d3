/*
 * space_test.c - addresses lead to the right bytes: for every number of levels, kind of pages and
 * way of writing tables, after random mapping, moving and freeing, through a TLB that forgets
 * nothing on its own.
 */
#include "space_world.h"

#define ALLOCATIONS 24u
#define PROCESSES   2u
#define STEPS       400u

struct target {
    struct vidmm_allocation *allocation;
    uint64_t size;
    bool listed;
};

/* Where a page of addresses leads by the test's own records. */
struct expected {
    uint32_t target; /* index + 1; 0: nowhere */
    uint32_t page;   /* of the allocation */
    bool zero;
    uint32_t reservation; /* that it lies in; 0: none */
    bool reserved_zero;
};

struct game {
    struct world *world;
    struct vidmm_process *process[PROCESSES];
    struct vidmm_device *device[PROCESSES];
    struct vidmm_context *context[PROCESSES];
    struct vidmm_paging_queue *queue[PROCESSES];
    struct target targets[ALLOCATIONS];
    struct expected expected[PROCESSES][WORLD_VA_PAGES];
    uint32_t seed, reservations;
    uint64_t fence[PROCESSES]; /* of the newest mapping */
};

static uint32_t next(struct game *game) {
    game->seed = game->seed * 1664525u + 1013904223u;
    return game->seed >> 8;
}

/* ---- Setting up ------------------------------------------------------------------------------ */

static uint64_t tag(uint32_t target, uint64_t page) {
    return UINT64_C(0x9e3779b97f4a7c15) * (target * 1000 + page + 1);
}

static void write_tags(struct game *game, uint32_t index) {
    struct target *target = &game->targets[index];
    void *unused;
    assert_int_equal(vidmm_lock(target->allocation, 0, &unused), VIDMM_OK);
    PMDL mdl = vidmm_allocation_backing(target->allocation);
    for (uint64_t page = 0; page < target->size / PAGE; page++) {
        uint64_t value = tag(index, page);
        memcpy(world_byte(game->world, 0, MmGetMdlPfnArray(mdl)[page] * PAGE), &value,
               sizeof(value));
    }
    vidmm_unlock(target->allocation);
}

static void create_target(struct game *game, uint32_t index) {
    struct target *target = &game->targets[index];
    bool small = next(game) % 3 == 0;
    struct world_desc desc = {.size = (next(game) % 48 + 1) * PAGE,
                              .set = SET(APERTURE) | (small ? SET(SMALL) : SET(VRAM)),
                              .preferred = small ? SMALL : VRAM,
                              .alignment = small ? 0 : (uint32_t)WIDE};
    if (next(game) % 2)
        desc.size = (next(game) % 3 + 1) * WIDE;
    if (game->world->large && next(game) % 2)
        desc.size = (next(game) % 2 + 1) * (PAGE << game->world->bits[0]);
    struct vidmm_allocation_request request = {.private_data = &desc, .private_size = sizeof(desc)};
    struct vidmm_allocation_info info;
    assert_int_equal(vidmm_allocation_create(game->device[0], &request, &target->allocation),
                     VIDMM_OK);
    vidmm_allocation_info(target->allocation, &info);
    target->size = info.size;
    target->listed = false;
    write_tags(game, index);
}

static void begin(struct game *game, struct world *world) {
    memset(game, 0, sizeof(*game));
    game->world = world;
    game->seed = world->levels * 100 + world->pages * 10 + (uint32_t)world->mode + 1;
    enum vidmm_status status = world_start(world);
    if (status)
        fail_msg("start: %d, %s %s: %s", status, world->error.call,
                 world->error.field ? world->error.field : "",
                 world->error.expected ? world->error.expected : "");
    for (uint32_t i = 0; i < PROCESSES; i++) {
        assert_int_equal(vidmm_process_create(world->adapter, &game->process[i]), VIDMM_OK);
        assert_int_equal(vidmm_process_device_create(game->process[i], &game->device[i]), VIDMM_OK);
        assert_int_equal(vidmm_context_create(game->device[i], 0, 0, &game->context[i]), VIDMM_OK);
        assert_int_equal(vidmm_paging_queue_create(game->device[i], 0, &game->queue[i]), VIDMM_OK);
        assert_int_equal(vidmm_paging_queue_gather(game->queue[i], world->levels % 2 == 0),
                         VIDMM_OK);
    }
    for (uint32_t i = 0; i < ALLOCATIONS; i++)
        create_target(game, i);
}

static void end(struct game *game) {
    for (uint32_t i = 0; i < PROCESSES; i++) {
        vidmm_device_destroy(game->device[i]);
        vidmm_process_destroy(game->process[i]);
    }
    world_end(game->world);
    free(game);
}

static struct game *game_new(struct world *world) {
    struct game *game = malloc(sizeof(*game));
    begin(game, world);
    return game;
}

/* ---- Looking --------------------------------------------------------------------------------- */

static void check_page(struct game *game, uint32_t p, uint32_t at) {
    const struct expected *expected = &game->expected[p][at];
    struct world_process *process = world_process(game->world, p + 1);
    struct world_page page = world_translate(process, at * PAGE);
    struct world_page fresh = world_walk(process, at * PAGE);
    struct vidmm_allocation_info info = {0};
    uint64_t value;
    assert_int_equal(page.valid, fresh.valid); /* the TLB is not behind the tables */
    assert_int_equal(page.zero, expected->zero);
    if (expected->target)
        vidmm_allocation_info(game->targets[expected->target - 1].allocation, &info);
    assert_int_equal(page.valid, expected->zero || info.segment != 0);
    if (!page.valid || page.zero)
        return;
    assert_int_equal(page.segment, info.segment == APERTURE ? 0 : info.segment);
    memcpy(&value, world_byte(game->world, page.segment, page.page * PAGE), sizeof(value));
    assert_int_equal(value, tag(expected->target - 1, expected->page));
}

static void check_process(struct game *game, uint32_t p) {
    for (uint32_t at = 0; at < WORLD_VA_PAGES; at++)
        check_page(game, p, at);
}

static void check_everything(struct game *game) {
    for (uint32_t p = 0; p < PROCESSES; p++) {
        assert_int_equal(vidmm_paging_wait(game->queue[p], game->fence[p]), VIDMM_OK);
        check_process(game, p);
    }
    /* Page 0 of the paging process is invalid; only the manager looks there (R262). */
    assert_false(world_walk(world_process(game->world, 0), 0).valid);
}

/* ---- Playing --------------------------------------------------------------------------------- */

/* What all of the range was reserved as, or nothing. */
static struct expected reserved(const struct game *game, uint32_t p, uint64_t va, uint64_t size) {
    const struct expected *first = &game->expected[p][va / PAGE];
    for (uint64_t at = 0; at < size; at += PAGE) {
        if (first[at / PAGE].reservation != first->reservation)
            return (struct expected){0};
    }
    return (struct expected){.reservation = first->reservation,
                             .reserved_zero = first->reserved_zero};
}

static void expect(struct game *game, uint32_t p, uint64_t va, uint64_t size,
                   struct expected first) {
    for (uint64_t at = 0; at < size; at += PAGE) {
        game->expected[p][(va + at) / PAGE] = first;
        first.page++;
    }
}

static void play_map(struct game *game, uint32_t p) {
    uint32_t index = next(game) % ALLOCATIONS;
    const struct target *target = &game->targets[index];
    uint64_t pages = target->size / PAGE, first = next(game) % pages, va, fence;
    uint64_t count = next(game) % (pages - first) + 1;
    if (next(game) % 2) {
        first = 0;
        count = pages;
    }
    struct vidmm_va_request request = {.size = count * PAGE,
                                       .allocation = target->allocation,
                                       .offset = first * PAGE,
                                       .protection = VIDMM_VA_WRITE};
    if (next(game) % 3 == 0)
        request.base = (next(game) % (WORLD_VA_PAGES - 256) + 16) * PAGE;
    else if (next(game) % 2)
        request.minimum = (next(game) % 512) * WIDE;
    enum vidmm_status status = vidmm_va_map(game->queue[p], &request, &va, &fence);
    if (status == VIDMM_DOES_NOT_FIT)
        return;
    assert_int_equal(status, VIDMM_OK);
    game->fence[p] = fence;
    struct expected expected = reserved(game, p, va, request.size);
    expected.target = index + 1;
    expected.page = (uint32_t)first;
    expect(game, p, va, request.size, expected);
}

static void play_zero(struct game *game, uint32_t p) {
    struct vidmm_va_request request = {.size = (next(game) % 4 + 1) * WIDE,
                                       .reservation = next(game) % 2 ? VIDMM_VA_RESERVE_ZERO
                                                                     : VIDMM_VA_RESERVE_NO_ACCESS};
    uint64_t va;
    enum vidmm_status status = vidmm_va_reserve(game->process[p], &request, &va);
    if (status == VIDMM_DOES_NOT_FIT)
        return;
    assert_int_equal(status, VIDMM_OK);
    bool zero = request.reservation == VIDMM_VA_RESERVE_ZERO;
    expect(game, p, va, request.size,
           (struct expected){
               .zero = zero, .reservation = ++game->reservations, .reserved_zero = zero});
}

static void play_free(struct game *game, uint32_t p) {
    uint64_t va = (next(game) % (WORLD_VA_PAGES - 512) + 16) * PAGE;
    uint64_t size = (next(game) % 400 + 1) * PAGE;
    enum vidmm_status status = vidmm_va_free(game->process[p], va, size);
    assert_true(status == VIDMM_OK || status == VIDMM_BAD_ARGUMENT);
    if (status == VIDMM_OK)
        expect(game, p, va, size, (struct expected){0});
}

static void play_residency(struct game *game) {
    struct target *target = &game->targets[next(game) % ALLOCATIONS];
    uint64_t fence, trim;
    if (target->listed) {
        assert_int_equal(vidmm_device_evict(game->device[0], &target->allocation, 1, 0, NULL),
                         VIDMM_OK);
        target->listed = false;
        if (next(game) % 2)
            assert_int_equal(vidmm_allocation_evict(target->allocation, true), VIDMM_OK);
        return;
    }
    enum vidmm_status status =
        vidmm_make_resident(game->queue[0], &target->allocation, 1, 0, &fence, &trim);
    assert_true(status == VIDMM_OK || status == VIDMM_DOES_NOT_FIT);
    target->listed = status == VIDMM_OK;
}

/* What was mapped without a reservation is free then; in one it is as it was reserved (R299). */
static void expect_gone(struct expected *expected) {
    *expected = (struct expected){.zero = expected->reserved_zero,
                                  .reservation = expected->reservation,
                                  .reserved_zero = expected->reserved_zero};
}

static void play_replace(struct game *game) {
    uint32_t index = next(game) % ALLOCATIONS;
    vidmm_allocation_destroy(game->targets[index].allocation);
    for (uint32_t p = 0; p < PROCESSES; p++) {
        for (uint32_t at = 0; at < WORLD_VA_PAGES; at++) {
            if (game->expected[p][at].target == index + 1)
                expect_gone(&game->expected[p][at]);
        }
    }
    create_target(game, index);
}

static void play(struct game *game, uint32_t steps) {
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t p = next(game) % PROCESSES;
        switch (next(game) % 8) {
        case 0:
        case 1:
            play_map(game, p);
            break;
        case 2:
            play_free(game, p);
            break;
        case 3:
            play_zero(game, p);
            break;
        case 4:
            if (next(game) % 4 == 0)
                play_replace(game);
            break;
        default:
            play_residency(game);
            break;
        }
        if (step % 8 == 0)
            check_everything(game);
    }
    check_everything(game);
}

static void play_all_levels(enum world_pages pages, DXGK_PAGETABLEUPDATEMODE mode, bool large) {
    for (uint32_t levels = 2; levels <= VIDMM_LEVELS_MAX; levels++) {
        struct world *world = world_new(levels, pages, mode);
        world->invalid_cached = levels % 2;
        world->explicit_invalidation = levels == 4;
        world->large = large;
        world->large_anywhere = levels == 5;
        struct game *game = game_new(world);
        play(game, STEPS);
        assert_true(pages == PAGES_4K || world->wide_entries > 0);
        assert_int_equal(world->large_entries > 0, large);
        assert_true(world->transfers > 20 && world->process[1].flushes > 20);
        end(game);
    }
}

/* clang-format off */
#define PLAYS(X)                                        \
    X(by_gpu_addresses, PAGES_4K, GPU_VIRTUAL, false)          \
    X(by_gpu_addresses_single, PAGES_SINGLE, GPU_VIRTUAL, false) \
    X(by_gpu_addresses_dual, PAGES_DUAL, GPU_VIRTUAL, false)   \
    X(by_physical_addresses, PAGES_4K, GPU_PHYSICAL, false)    \
    X(by_physical_addresses_single, PAGES_SINGLE, GPU_PHYSICAL, false) \
    X(by_physical_addresses_dual, PAGES_DUAL, GPU_PHYSICAL, false) \
    X(by_the_cpu, PAGES_4K, CPU_VIRTUAL, false)                \
    X(by_the_cpu_single, PAGES_SINGLE, CPU_VIRTUAL, false)     \
    X(by_the_cpu_dual, PAGES_DUAL, CPU_VIRTUAL, false)         \
    X(with_large_pages, PAGES_4K, GPU_VIRTUAL, true)           \
    X(with_large_pages_single, PAGES_SINGLE, GPU_PHYSICAL, true) \
    X(with_large_pages_dual, PAGES_DUAL, GPU_VIRTUAL, true)    \
    X(with_large_pages_by_the_cpu, PAGES_4K, CPU_VIRTUAL, true)
/* clang-format on */

#define DEFINE(name, pages, mode, large)                                                           \
    static void every_address_leads_to_its_byte_##name(void **state) {                             \
        (void)state;                                                                               \
        play_all_levels(pages, DXGK_PAGETABLEUPDATE_##mode, large);                                \
    }
PLAYS(DEFINE)
#define LIST(name, pages, mode, large) cmocka_unit_test(every_address_leads_to_its_byte_##name),

/* ---- After a reset --------------------------------------------------------------------------- */

static void tables_survive_a_reset(void **state) {
    (void)state;
    for (uint32_t kind = 0; kind < 6; kind++) {
        struct world *world = world_new(3, PAGES_SINGLE, (DXGK_PAGETABLEUPDATEMODE)(kind % 3));
        world->large = kind >= 3;
        struct game *game = game_new(world);
        for (uint32_t i = 0; i < 6; i++) {
            play(game, 40);
            assert_int_equal(vidmm_reset(game->world->adapter), VIDMM_OK);
            check_everything(game);
        }
        end(game);
    }
}

/* Whatever hangs half way: it ends, and nothing is left. */
static void a_hang_anywhere_leaves_nothing(void **state) {
    (void)state;
    for (uint64_t hang = 1; hang < 60; hang += 3) {
        struct world *world = world_new(2 + hang % 3, PAGES_DUAL, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL);
        world->large = hang % 2;
        struct game *game = game_new(world);
        struct vidmm_va_request request = {.allocation = game->targets[0].allocation,
                                           .size = game->targets[0].size,
                                           .base = 30 * MIB};
        uint64_t va, fence, trim;
        game->world->hangs_at = hang;
        (void)vidmm_va_map(game->queue[0], &request, &va, &fence);
        (void)vidmm_paging_wait(game->queue[0], fence);
        for (uint32_t i = 0; i < ALLOCATIONS; i++)
            (void)vidmm_make_resident(game->queue[0], &game->targets[i].allocation, 1, 0, &fence,
                                      &trim);
        (void)vidmm_va_free(game->process[0], 30 * MIB, game->targets[0].size);
        assert_true(game->world->hangs_at > 0 || game->world->resets > 0);
        end(game);
    }
}

/* ---- Without memory -------------------------------------------------------------------------- */

static enum vidmm_status lead_a_life(struct world *world) {
    struct vidmm_process *process = NULL;
    struct vidmm_device *device = NULL;
    struct vidmm_context *context = NULL;
    struct vidmm_paging_queue *queue = NULL;
    struct vidmm_allocation *allocation = NULL;
    struct world_desc desc = {.size = 5 * PAGE, .set = SET(SMALL), .preferred = SMALL};
    struct vidmm_allocation_request request = {.private_data = &desc, .private_size = sizeof(desc)};
    struct vidmm_va_request map = {.size = 5 * PAGE}, reserve = {.size = WIDE};
    uint64_t va = 0, hole, fence, trim;
    reserve.reservation = VIDMM_VA_RESERVE_ZERO;
    enum vidmm_status status = vidmm_process_create(world->adapter, &process);
    if (status == VIDMM_OK)
        status = vidmm_process_device_create(process, &device);
    if (status == VIDMM_OK)
        status = vidmm_context_create(device, 0, 0, &context);
    if (status == VIDMM_OK)
        status = vidmm_paging_queue_create(device, 0, &queue);
    if (status == VIDMM_OK)
        status = vidmm_allocation_create(device, &request, &allocation);
    map.allocation = allocation;
    map.base = 40 * MIB;
    if (status == VIDMM_OK)
        status = vidmm_paging_queue_gather(queue, world->levels % 2 == 0);
    if (status == VIDMM_OK)
        status = vidmm_va_map(queue, &map, &va, &fence);
    if (status == VIDMM_OK)
        status = vidmm_make_resident(queue, &allocation, 1, 0, &fence, &trim);
    if (status == VIDMM_OK)
        status = vidmm_va_reserve(process, &reserve, &hole);
    if (status == VIDMM_OK)
        status = vidmm_va_free(process, va, PAGE);
    if (device)
        vidmm_device_destroy(device);
    vidmm_process_destroy(process);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (uint32_t mode = 0; mode < 3; mode++) {
        bool done = false;
        for (uint64_t n = 1; !done; n++) {
            struct world *world = world_new(2 + mode, PAGES_DUAL, (DXGK_PAGETABLEUPDATEMODE)mode);
            assert_int_equal(world_start(world), VIDMM_OK);
            world->system.fail_at = world->system.calls + n;
            enum vidmm_status status = lead_a_life(world);
            done = world->system.calls < world->system.fail_at;
            assert_true(status == VIDMM_OK || status == VIDMM_NO_MEMORY);
            world_end(world);
        }
    }
}

static void every_allocation_of_the_start_may_fail(void **state) {
    enum vidmm_status status = VIDMM_NO_MEMORY;
    (void)state;
    for (uint64_t n = 1; status; n = n < 120 ? n + 1 : n + n / 7) {
        struct world *world = world_new(3, PAGES_4K, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL);
        world->system.fail_at = n;
        status = world_start(world);
        assert_true(status == VIDMM_OK || status == VIDMM_NO_MEMORY);
        world_end(world);
    }
}

/* ---- Requests -------------------------------------------------------------------------------- */

struct small_world {
    struct game *game;
    struct vidmm_allocation *allocation;
    uint64_t size;
};

/* One allocation of 256 KiB, resident in VRAM. */
static struct small_world small_world(enum world_pages pages) {
    struct small_world small = {
        .game = game_new(world_new(3, pages, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL)), .size = 4 * WIDE};
    struct world_desc desc = {.size = small.size,
                              .set = SET(VRAM) | SET(APERTURE),
                              .preferred = VRAM,
                              .alignment = (uint32_t)WIDE};
    struct vidmm_allocation_request request = {.private_data = &desc, .private_size = sizeof(desc)};
    struct target *target = &small.game->targets[0];
    uint64_t fence, trim;
    vidmm_allocation_destroy(target->allocation);
    assert_int_equal(vidmm_allocation_create(small.game->device[0], &request, &target->allocation),
                     VIDMM_OK);
    target->size = small.size;
    write_tags(small.game, 0);
    assert_int_equal(
        vidmm_make_resident(small.game->queue[0], &target->allocation, 1, 0, &fence, &trim),
        VIDMM_OK);
    small.allocation = target->allocation;
    return small;
}

static enum vidmm_status try_map(struct small_world *small, struct vidmm_va_request request,
                                 uint64_t *va) {
    uint64_t fence;
    return vidmm_va_map(small->game->queue[0], &request, va, &fence);
}

static void odd_requests_are_refused(void **state) {
    struct small_world small = small_world(PAGES_4K);
    struct vidmm_allocation *a = small.allocation;
    const struct vidmm_va_request wrong[] = {
        {.size = PAGE},                                                    /* R297 */
        {.size = PAGE, .allocation = a, .protection = VIDMM_VA_ZERO},      /* R297 */
        {.size = PAGE, .allocation = a, .protection = VIDMM_VA_NO_ACCESS}, /* R297 */
        {.size = 100, .allocation = a},                                    /* R296 */
        {.size = 0, .allocation = a},
        {.size = PAGE, .base = 33 * MIB + 1, .allocation = a},
        {.size = PAGE, .base = UINT64_C(1) << WORLD_VA_BITS, .allocation = a},
        {.size = PAGE, .base = PAGE, .allocation = a},
        {.size = 2 * PAGE, .offset = 4 * WIDE - PAGE, .allocation = a},
        {.size = UINT64_MAX - PAGE + 1, .offset = PAGE, .allocation = a},
    };
    uint64_t va;
    (void)state;
    for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(try_map(&small, wrong[i], &va), VIDMM_BAD_ARGUMENT);
    struct vidmm_va_request good = {.size = PAGE, .base = 20 * MIB, .allocation = a};
    assert_int_equal(try_map(&small, good, &va), VIDMM_OK);
    struct vidmm_va_request zero = {
        .size = PAGE, .base = 20 * MIB, .protection = VIDMM_VA_ZERO}; /* R297 */
    assert_int_equal(try_map(&small, zero, &va), VIDMM_BAD_ARGUMENT);
    struct vidmm_va_request reserve = {.size = PAGE};
    assert_int_equal(vidmm_va_reserve(small.game->process[0], &reserve, &va), VIDMM_BAD_ARGUMENT);
    reserve = (struct vidmm_va_request){.size = WIDE, .base = 20 * MIB}; /* R298: occupied */
    assert_int_equal(vidmm_va_reserve(small.game->process[0], &reserve, &va), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_va_free(small.game->process[0], 50 * MIB, PAGE), VIDMM_BAD_ARGUMENT);
    end(small.game);
}

static void a_unique_protection_is_the_only_one(void **state) {
    const uint64_t unique = VIDMM_DRIVER_PROTECTION_UNIQUE | 7;
    struct small_world small = small_world(PAGES_4K);
    struct vidmm_va_request request = {
        .size = WIDE, .offset = WIDE, .allocation = small.allocation, .driver_protection = unique};
    uint64_t va, fence;
    (void)state;
    assert_int_equal(try_map(&small, request, &va), VIDMM_OK);
    request.driver_protection = 0;
    assert_int_equal(try_map(&small, request, &va), VIDMM_BAD_ARGUMENT);
    request.offset = 2 * WIDE; /* beside it */
    assert_int_equal(try_map(&small, request, &va), VIDMM_OK);
    (void)fence;
    small.game->world->paging_protection = 0;
    assert_int_equal(vidmm_device_evict(small.game->device[0], &small.allocation, 1, 0, NULL),
                     VIDMM_OK);
    assert_int_equal(vidmm_allocation_evict(small.allocation, true), VIDMM_OK);
    uint64_t trim;
    assert_int_equal(
        vidmm_make_resident(small.game->queue[0], &small.allocation, 1, 0, &fence, &trim),
        VIDMM_OK);
    assert_int_equal(small.game->world->paging_protection, unique);
    end(small.game);
}

static void a_destroyed_allocation_is_reached_by_nobody_even_without_memory(void **state) {
    (void)state;
    bool reached = true;
    for (uint64_t n = 1; reached; n++) {
        struct small_world small = small_world(PAGES_4K);
        struct world *world = small.game->world;
        struct vidmm_va_request request = {
            .size = small.size, .allocation = small.allocation, .base = 20 * MIB};
        uint64_t va;
        assert_int_equal(try_map(&small, request, &va), VIDMM_OK);
        assert_true(world_translate(world_process(world, 1), va).valid);
        world->system.fail_at = world->system.calls + n;
        vidmm_allocation_destroy(small.allocation);
        reached = world->system.calls >= world->system.fail_at;
        world->system.fail_at = 0;
        small.game->targets[0].allocation = NULL;
        assert_false(world_translate(world_process(world, 1), va).valid);
        end(small.game);
    }
}

static void lookup_names_the_byte(void **state) {
    struct small_world small = small_world(PAGES_4K);
    struct vidmm_va_request request = {
        .size = 3 * PAGE, .offset = PAGE, .allocation = small.allocation, .base = 20 * MIB};
    struct vidmm_allocation *found = NULL;
    uint64_t va, offset = 0;
    (void)state;
    assert_int_equal(try_map(&small, request, &va), VIDMM_OK);
    assert_true(vidmm_process_lookup(small.game->process[0], va + PAGE + 5, &found, &offset));
    assert_ptr_equal(found, small.allocation);
    assert_int_equal(offset, 2 * PAGE + 5);
    assert_false(vidmm_process_lookup(small.game->process[0], va + 3 * PAGE, &found, &offset));
    assert_false(vidmm_process_lookup(small.game->process[1], va, &found, &offset));
    end(small.game);
}

/* ---- Updates --------------------------------------------------------------------------------- */

static void expect_run(struct small_world *small, uint64_t va, uint64_t size, uint32_t page) {
    struct expected expected = reserved(small->game, 0, va, size);
    expected.target = 1;
    expected.page = page;
    expect(small->game, 0, va, size, expected);
}

static void updates_are_applied_in_order(void **state) {
    (void)state;
    for (uint32_t pages = PAGES_4K; pages <= PAGES_DUAL; pages++) {
        struct small_world small = small_world((enum world_pages)pages);
        struct game *game = small.game;
        struct vidmm_va_request reserve = {
            .size = 16 * WIDE, .base = 20 * MIB, .reservation = VIDMM_VA_RESERVE_ZERO};
        uint64_t va;
        assert_int_equal(vidmm_va_reserve(game->process[0], &reserve, &va), VIDMM_OK);
        expect(game, 0, va, reserve.size,
               (struct expected){.zero = true, .reservation = 1, .reserved_zero = true});
        const struct vidmm_va_operation operations[] = {
            {.type = VIDMM_VA_OP_MAP,
             .base = va,
             .size = 4 * WIDE,
             .allocation = small.allocation,
             .repeat = WIDE},
            {.type = VIDMM_VA_OP_MAP_PROTECT,
             .base = va + 6 * WIDE,
             .size = 3 * PAGE,
             .allocation = small.allocation,
             .offset = 5 * PAGE},
            {.type = VIDMM_VA_OP_COPY,
             .base = va + 3 * WIDE,
             .size = 4 * WIDE,
             .destination = va + 4 * WIDE},
            {.type = VIDMM_VA_OP_UNMAP,
             .base = va + WIDE,
             .size = PAGE,
             .protection = VIDMM_VA_ZERO},
            {.type = VIDMM_VA_OP_UNMAP,
             .base = va + 2 * WIDE,
             .size = WIDE,
             .protection = VIDMM_VA_NO_ACCESS},
        };
        assert_int_equal(vidmm_va_update(game->context[0], operations, 5), VIDMM_OK);
        assert_int_equal(vidmm_va_wait(game->context[0]), VIDMM_OK);
        expect_run(&small, va, WIDE, 0);
        expect_run(&small, va + WIDE + PAGE, WIDE - PAGE, 1);
        expect(game, 0, va + 2 * WIDE, WIDE,
               (struct expected){.reservation = 1, .reserved_zero = true});
        expect_run(&small, va + 3 * WIDE, WIDE, 0);
        expect_run(&small, va + 4 * WIDE, WIDE, 0);
        expect_run(&small, va + 7 * WIDE, 3 * PAGE, 5);
        check_everything(game);
        struct world_page page = world_translate(world_process(game->world, 1), va + 7 * WIDE);
        assert_true(page.read_only);
        assert_true(pages != PAGES_4K || game->world->copies > 1);
        play(game, 60);
        end(game);
    }
}

#define TILES 48u /* of 64 KiB, in one reservation */

static void update_at_random(struct small_world *small, uint64_t base) {
    struct game *game = small->game;
    uint64_t unit = next(game) % 2 ? PAGE : WIDE, units = TILES * WIDE / unit;
    uint64_t size = next(game) % (units / 4) + 1, to = next(game) % (units - size);
    uint64_t from = next(game) % (units - size);
    static struct expected copied[WORLD_VA_PAGES];
    struct vidmm_va_operation operation = {.base = base + to * unit, .size = size * unit};
    uint32_t kind = next(game) % 4;
    if (kind == 0) {
        operation.type = VIDMM_VA_OP_UNMAP;
        operation.protection = next(game) % 2 ? VIDMM_VA_ZERO : VIDMM_VA_NO_ACCESS;
    } else if (kind == 1) {
        operation.type = VIDMM_VA_OP_MAP;
        operation.allocation = small->allocation;
        operation.repeat = unit;
        operation.offset = next(game) % (small->size / unit) * unit;
    } else {
        operation.type = VIDMM_VA_OP_COPY;
        operation.base = base + from * unit;
        operation.destination = base + to * unit;
    }
    assert_int_equal(vidmm_va_update(game->context[0], &operation, 1), VIDMM_OK);
    if (next(game) % 4)
        assert_int_equal(vidmm_va_wait(game->context[0]), VIDMM_OK);
    struct expected *expected = &game->expected[0][(base + to * unit) / PAGE];
    uint32_t pages = (uint32_t)(size * unit / PAGE);
    memcpy(copied, &game->expected[0][(base + from * unit) / PAGE], pages * sizeof(*copied));
    for (uint32_t i = 0; i < pages; i++) {
        struct expected now = {.reservation = 1, .reserved_zero = true};
        if (kind == 0)
            now.zero = operation.protection == VIDMM_VA_ZERO;
        if (kind == 1) {
            now.target = 1;
            now.page = (uint32_t)((operation.offset + i * PAGE % unit) / PAGE);
        }
        expected[i] = kind > 1 ? copied[i] : now;
    }
}

static void check_updated(struct game *game) {
    assert_int_equal(vidmm_va_wait(game->context[0]), VIDMM_OK);
    check_process(game, 0);
}

static void random_updates_lead_to_their_bytes(void **state) {
    (void)state;
    for (uint32_t pages = PAGES_4K; pages <= PAGES_DUAL; pages++) {
        struct small_world small = small_world((enum world_pages)pages);
        struct vidmm_va_request reserve = {
            .size = TILES * WIDE, .base = 20 * MIB, .reservation = VIDMM_VA_RESERVE_ZERO};
        uint64_t va, fence, trim;
        assert_int_equal(vidmm_va_reserve(small.game->process[0], &reserve, &va), VIDMM_OK);
        expect(small.game, 0, va, reserve.size,
               (struct expected){.zero = true, .reservation = 1, .reserved_zero = true});
        for (uint32_t i = 0; i < 200; i++) {
            update_at_random(&small, va);
            if (i % 4 == 0)
                check_updated(small.game);
            if (i % 50 == 25) {
                assert_int_equal(
                    vidmm_device_evict(small.game->device[0], &small.allocation, 1, 0, NULL),
                    VIDMM_OK);
                assert_int_equal(vidmm_allocation_evict(small.allocation, true), VIDMM_OK);
                check_updated(small.game);
                assert_int_equal(vidmm_make_resident(small.game->queue[0], &small.allocation, 1, 0,
                                                     &fence, &trim),
                                 VIDMM_OK);
            }
        }
        check_updated(small.game);
        assert_true(pages != PAGES_4K || small.game->world->copies > 20);
        end(small.game);
    }
}

static void an_update_stays_in_its_reservation(void **state) {
    struct small_world small = small_world(PAGES_4K);
    struct vidmm_va_request reserve = {.size = 2 * WIDE, .base = 20 * MIB};
    uint64_t va;
    (void)state;
    assert_int_equal(vidmm_va_reserve(small.game->process[0], &reserve, &va), VIDMM_OK);
    struct vidmm_va_operation operation = {.type = VIDMM_VA_OP_MAP,
                                           .base = va + WIDE,
                                           .size = 2 * WIDE,
                                           .allocation = small.allocation};
    assert_int_equal(vidmm_va_update(small.game->context[0], &operation, 1), VIDMM_BAD_ARGUMENT);
    operation.size = WIDE;
    operation.repeat = 3 * PAGE; /* does not divide it */
    assert_int_equal(vidmm_va_update(small.game->context[0], &operation, 1), VIDMM_BAD_ARGUMENT);
    check_everything(small.game);
    end(small.game);
}

/* ---- Kinds of tables ------------------------------------------------------------------------- */

/* What has once had pages of 4 KiB keeps them (R375). */
static void a_table_is_converted_once(void **state) {
    struct small_world small = small_world(PAGES_SINGLE);
    struct game *game = small.game;
    struct world_process *process = world_process(game->world, 1);
    struct vidmm_va_request request = {
        .size = small.size, .base = 20 * MIB, .allocation = small.allocation};
    uint64_t va, fence, trim;
    (void)state;
    assert_int_equal(try_map(&small, request, &va), VIDMM_OK);
    expect_run(&small, va, small.size, 0);
    assert_true(world_translate(process, va).wide);
    request = (struct vidmm_va_request){
        .size = PAGE, .base = va + small.size - WIDE, .allocation = small.allocation};
    assert_int_equal(try_map(&small, request, &va), VIDMM_OK);
    expect_run(&small, va, PAGE, 0);
    assert_false(world_translate(process, 20 * MIB + small.size - 1).wide);
    check_everything(game);
    assert_int_equal(vidmm_va_free(game->process[0], va, PAGE), VIDMM_OK);
    request.size = WIDE;
    request.offset = small.size - WIDE;
    assert_int_equal(try_map(&small, request, &va), VIDMM_OK);
    expect_run(&small, va, WIDE, (uint32_t)(request.offset / PAGE));
    assert_int_equal(vidmm_device_evict(game->device[0], &small.allocation, 1, 0, NULL), VIDMM_OK);
    assert_int_equal(vidmm_allocation_evict(small.allocation, true), VIDMM_OK);
    assert_int_equal(vidmm_make_resident(game->queue[0], &small.allocation, 1, 0, &fence, &trim),
                     VIDMM_OK);
    assert_false(world_translate(process, va).wide);
    check_everything(game);
    end(game);
}

/* A root of two levels grows with what is mapped, and the contexts are told (R255, R256). */
static void a_root_grows_with_what_is_mapped(void **state) {
    (void)state;
    for (uint32_t mode = 0; mode < 3; mode++) {
        struct world *world = world_new(2, PAGES_4K, (DXGK_PAGETABLEUPDATEMODE)mode);
        world->explicit_invalidation = true;
        struct game *game = game_new(world);
        struct world_process *process = world_process(world, 1);
        uint32_t entries = process->entries;
        uint64_t va, fence, last = 0;
        for (uint64_t base = MIB; base < 60 * MIB; base += 13 * MIB) {
            struct vidmm_va_request request = {.size = game->targets[0].size,
                                               .base = base,
                                               .allocation = game->targets[0].allocation};
            assert_int_equal(vidmm_va_map(game->queue[0], &request, &va, &fence), VIDMM_OK);
            assert_int_equal(vidmm_paging_wait(game->queue[0], fence), VIDMM_OK);
            expect(game, 0, va, request.size, (struct expected){.target = 1});
            assert_true(process->entries > last >> 18);
            assert_true(process->entries >= entries);
            check_process(game, 0);
            last = base;
        }
        assert_true(process->entries > entries);
        end(game);
    }
}

/* What is mapped stays mapped, and the contexts are told (R256). */
static void a_root_moves_and_keeps_its_mappings(void **state) {
    (void)state;
    for (uint32_t levels = 2; levels <= 4; levels++) {
        struct world *world = world_new(levels, PAGES_4K, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL);
        world->explicit_invalidation = true;
        struct game *game = game_new(world);
        struct world_process *process = world_process(world, 1);
        play(game, 20);
        for (uint32_t i = 0; i < 3; i++) {
            const D3DGPU_PHYSICAL_ADDRESS before = process->root;
            uint32_t entries = process->entries;
            assert_int_equal(vidmm_process_move_root(game->process[0]), VIDMM_OK);
            assert_true(process->root.SegmentOffset != before.SegmentOffset);
            assert_int_equal(process->entries, entries);
            check_process(game, 0);
            play(game, 5);
        }
        end(game);
    }
}

/* Paging buffers, windows and scratch addresses are where the caller wants them, but below a root that grows. */
static void the_paging_process_has_addresses_as_high_as_wanted(void **state) {
    (void)state;
    for (uint32_t levels = 2; levels <= 4; levels++) {
        struct world *world = world_new(levels, PAGES_4K, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL);
        world->version = DXGKDDI_INTERFACE_VERSION_WDDM3_2;
        world->paging_megabytes = 8;
        world->paging_from = 32 * MIB;
        struct game *game = game_new(world);
        uint32_t seen = 0;
        play(game, 30);
        for (uint32_t i = 0; i < sizeof(world->jobs) / sizeof(world->jobs[0]); i++) {
            const struct world_job *job = &world->jobs[i];
            bool paging = job->paging && job->space && job->space->system;
            assert_true(!paging || (job->address >= 32 * MIB) == (levels > 2));
            seen += paging;
        }
        assert_true(seen > 0);
        check_everything(game);
        end(game);
    }
}

/* Nothing is written or flushed in a space whose contexts run (R234). */
static void a_space_is_idle_while_it_changes(void **state) {
    struct world *world = world_new(4, PAGES_DUAL, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL);
    world->wants_idle = true;
    struct game *game = game_new(world);
    (void)state;
    for (uint32_t i = 0; i < 30; i++) {
        struct vidmm_virtual_submission submission = {.commands = 20 * MIB, .size = 64};
        uint64_t fence;
        assert_int_equal(vidmm_submit_virtual(game->context[i % 2], &submission, &fence), VIDMM_OK);
        play(game, 1);
    }
    end(game);
}

/* ---- Tables that leave ----------------------------------------------------------------------- */

/* Resident in SMALL and nowhere else, until no more fits; how many there are. */
static uint32_t fill_small(struct game *game, struct vidmm_allocation **allocations,
                           uint32_t most) {
    struct world_desc desc = {.size = MIB / 2, .set = SET(SMALL), .preferred = SMALL};
    struct vidmm_allocation_request request = {.private_data = &desc, .private_size = sizeof(desc)};
    uint64_t fence, trim;
    for (uint32_t i = 0; i < most; i++) {
        assert_int_equal(vidmm_allocation_create(game->device[0], &request, &allocations[i]),
                         VIDMM_OK);
        enum vidmm_status status = vidmm_make_resident(game->queue[0], &allocations[i], 1,
                                                       VIDMM_RESIDENT_CANT_TRIM, &fence, &trim);
        if (status == VIDMM_DOES_NOT_FIT)
            return i + 1;
        assert_int_equal(status, VIDMM_OK);
    }
    return most;
}

/* The page tables of a process that does not run make room, and are back when it does (R236). */
static void tables_of_an_idle_process_may_leave(void **state) {
    (void)state;
    for (uint32_t pages = PAGES_4K; pages <= PAGES_DUAL; pages++) {
        struct world *world =
            world_new(2 + pages, (enum world_pages)pages, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL);
        world->large = pages != PAGES_4K;
        struct game *game = game_new(world);
        struct vidmm_va_request zero = {.size = 8 * MIB, .reservation = VIDMM_VA_RESERVE_ZERO};
        struct vidmm_va_request map = {.size = game->targets[1].size,
                                       .allocation = game->targets[1].allocation};
        struct vidmm_virtual_submission submission = {.commands = 20 * MIB, .size = 64};
        struct vidmm_allocation *filler[64];
        uint64_t va, fence;
        assert_int_equal(vidmm_va_reserve(game->process[1], &zero, &va), VIDMM_OK);
        expect(game, 1, va, zero.size,
               (struct expected){.zero = true, .reservation = 1, .reserved_zero = true});
        play(game, 30);
        fill_small(game, filler, 64);
        assert_true(game->world->evicted > 0);
        uint64_t roots = game->world->roots_set;
        /* What changes meanwhile is there when the tables are. */
        assert_int_equal(vidmm_va_map(game->queue[1], &map, &va, &fence), VIDMM_OK);
        expect(game, 1, va, map.size, (struct expected){.target = 2});
        assert_int_equal(vidmm_va_free(game->process[1], va + PAGE * (map.size > PAGE), PAGE),
                         VIDMM_OK);
        expect(game, 1, va + PAGE * (map.size > PAGE), PAGE, (struct expected){0});
        assert_int_equal(vidmm_submit_virtual(game->context[1], &submission, &fence), VIDMM_OK);
        assert_true(game->world->roots_set > roots);
        assert_int_equal(vidmm_wait(game->world->adapter, fence), VIDMM_OK);
        check_process(game, 1);
        end(game);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PLAYS(LIST) cmocka_unit_test(tables_survive_a_reset),
        cmocka_unit_test(a_hang_anywhere_leaves_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_of_the_start_may_fail),
        cmocka_unit_test(odd_requests_are_refused),
        cmocka_unit_test(a_unique_protection_is_the_only_one),
        cmocka_unit_test(a_destroyed_allocation_is_reached_by_nobody_even_without_memory),
        cmocka_unit_test(lookup_names_the_byte),
        cmocka_unit_test(updates_are_applied_in_order),
        cmocka_unit_test(random_updates_lead_to_their_bytes),
        cmocka_unit_test(an_update_stays_in_its_reservation),
        cmocka_unit_test(a_table_is_converted_once),
        cmocka_unit_test(a_root_grows_with_what_is_mapped),
        cmocka_unit_test(a_root_moves_and_keeps_its_mappings),
        cmocka_unit_test(the_paging_process_has_addresses_as_high_as_wanted),
        cmocka_unit_test(a_space_is_idle_while_it_changes),
        cmocka_unit_test(tables_of_an_idle_process_may_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
