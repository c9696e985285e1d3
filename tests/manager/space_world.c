/*
 * space_world.c - see space_world.h: the operating system and the memory. space_driver.c is the
 * driver and its GPU.
 */
#include "space_driver.h"

#include <stdio.h>

#define RAM_BASE UINT64_C(0x10000000)
#define CPU_BASE UINT64_C(0xe0000000)

static bool fails(struct world *world) {
    world->calls++;
    return world->fail_at && world->calls == world->fail_at;
}

static void *os_alloc(void *ctx, size_t size) {
    struct world *world = ctx;
    if (fails(world))
        return NULL;
    world->blocks++;
    world->bytes += size;
    return calloc(1, size);
}

static void os_free(void *ctx, void *block, size_t size) {
    struct world *world = ctx;
    world->blocks--;
    world->bytes -= size;
    free(block);
}

static void *os_lock_create(void *ctx) {
    return os_alloc(ctx, 1);
}

static void os_lock_destroy(void *ctx, void *lock) {
    os_free(ctx, lock, 1);
}

static void os_lock(void *ctx, void *lock) {
    uint8_t *held = lock;
    (void)ctx;
    assert_int_equal(*held, 0);
    *held = 1;
}

static void os_unlock(void *ctx, void *lock) {
    uint8_t *held = lock;
    (void)ctx;
    assert_int_equal(*held, 1);
    *held = 0;
}

static bool os_lock_held(void *ctx, void *lock) {
    (void)ctx;
    return *(const uint8_t *)lock == 1;
}

static void os_assertion_failed(void *ctx, const char *what, const char *file, int line) {
    (void)ctx;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

static bool os_wait(void *ctx, void *lock, uint64_t deadline_ns) {
    struct world *world = ctx;
    os_unlock(ctx, lock);
    bool ran = gpu_step(world);
    os_lock(ctx, lock);
    if (!ran && deadline_ns > world->now)
        world->now = deadline_ns;
    return ran;
}

static void os_wake(void *ctx) {
    (void)ctx;
}

static uint64_t os_now(void *ctx) {
    return ((struct world *)ctx)->now;
}

static uint32_t find_pages(const struct world *world, size_t pages) {
    size_t run = 0;
    for (uint32_t i = 1; i < WORLD_PAGES; i++) {
        run = world->used[i] ? 0 : run + 1;
        if (run == pages)
            return i + 1 - (uint32_t)pages;
    }
    return 0;
}

/* The pages of one MDL lie in reverse order, unless they must not, or the CPU looks at them. */
static PMDL os_pages_alloc(void *ctx, size_t pages, uint32_t flags, uint64_t highest) {
    struct world *world = ctx;
    (void)highest;
    uint32_t first = fails(world) ? 0 : find_pages(world, pages);
    if (!first)
        return NULL;
    memset(world->used + first, 1, pages);
    memset(world->ram + first * PAGE, 0, pages * PAGE);
    PMDL mdl = calloc(1, sizeof(*mdl) + pages * sizeof(PFN_NUMBER));
    PFN_NUMBER *list = MmGetMdlPfnArray(mdl);
    for (size_t i = 0; i < pages; i++)
        list[i] = RAM_BASE / PAGE + first +
                  (flags & (VIDMM_PAGES_CONTIGUOUS | VIDMM_PAGES_CACHED) ? i : pages - 1 - i);
    mdl->ByteCount = (ULONG)(pages * PAGE);
    world->blocks++;
    return mdl;
}

static void os_pages_free(void *ctx, PMDL mdl) {
    struct world *world = ctx;
    for (uint32_t i = 0; i < mdl->ByteCount / PAGE; i++)
        world->used[MmGetMdlPfnArray(mdl)[i] - RAM_BASE / PAGE] = 0;
    world->blocks--;
    free(mdl);
}

/* Linear for contiguous or cached pages only: nobody here looks at others through it. */
static void *os_pages_map(void *ctx, PMDL mdl) {
    struct world *world = ctx;
    return fails(world) ? NULL : world->ram + (MmGetMdlPfnArray(mdl)[0] - RAM_BASE / PAGE) * PAGE;
}

static void *os_io_map(void *ctx, uint64_t physical, size_t size) {
    struct world *world = ctx;
    assert_true(physical >= CPU_BASE && physical + size <= CPU_BASE + world->small_bytes);
    return world->small + (physical - CPU_BASE);
}

static uint64_t os_dummy_page(void *ctx) {
    (void)ctx;
    return RAM_BASE;
}

static uint64_t os_memory_bytes(void *ctx) {
    (void)ctx;
    return WORLD_PAGES * PAGE;
}

static uint64_t os_memory_highest(void *ctx) {
    (void)ctx;
    return RAM_BASE + WORLD_PAGES * PAGE - 1;
}

uint8_t *world_byte(struct world *world, uint32_t segment, uint64_t offset) {
    if (segment == 0)
        return offset >= RAM_BASE && offset < RAM_BASE + WORLD_PAGES * PAGE
                   ? world->ram + (offset - RAM_BASE)
                   : NULL;
    if (segment == VRAM)
        return offset < world->vram_bytes ? world->vram + offset : NULL;
    return segment == SMALL && offset < world->small_bytes ? world->small + offset : NULL;
}

/* Leaves of at least 16 entries, and 26 bits of addresses, however many levels. */
static void choose_bits(struct world *world) {
    static const uint32_t bits[5][VIDMM_LEVELS_MAX] = {
        {6, 4}, {5, 4, 5}, {4, 4, 3, 3}, {4, 3, 3, 2, 2}, {4, 2, 2, 2, 2, 2}};
    memcpy(world->bits, bits[world->levels - 2], sizeof(world->bits));
}

struct world *world_new(uint32_t levels, enum world_pages pages, DXGK_PAGETABLEUPDATEMODE mode) {
    struct world *world = calloc(1, sizeof(*world));
    world->levels = levels;
    world->pages = pages;
    world->mode = mode;
    world->model = VIDMM_MODEL_GPUMMU;
    world->version = DXGKDDI_INTERFACE_VERSION_WDDM2_6;
    world->table_segment = mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL ? 0 : SMALL;
    world->paging_size = 4096;
    world->vram_bytes = 4 * MIB;
    world->small_bytes = 12 * MIB;
    choose_bits(world);
    world->ram = calloc(WORLD_PAGES, PAGE);
    world->vram = calloc(1, world->vram_bytes);
    world->small = calloc(1, world->small_bytes);
    world->os = (struct vidmm_os){.ctx = world,
                                  .alloc = os_alloc,
                                  .free = os_free,
                                  .lock_create = os_lock_create,
                                  .lock_destroy = os_lock_destroy,
                                  .lock = os_lock,
                                  .unlock = os_unlock,
                                  .wait = os_wait,
                                  .wake = os_wake,
                                  .now = os_now,
                                  .pages_alloc = os_pages_alloc,
                                  .pages_free = os_pages_free,
                                  .pages_map = os_pages_map,
                                  .io_map = os_io_map,
                                  .dummy_page = os_dummy_page,
                                  .memory_bytes = os_memory_bytes,
                                  .memory_highest = os_memory_highest,
                                  .assertion_failed = os_assertion_failed,
                                  .lock_held = os_lock_held};
    return world;
}

enum vidmm_status world_start(struct world *world) {
    struct vidmm_adapter_config config = {
        .os = &world->os, .ddi = &world->ddi, .hadapter = world, .model = world->model};
    driver_table(world);
    if (world->overlay)
        world->overlay(&world->ddi);
    return vidmm_adapter_start(&config, &world->adapter, &world->error);
}

void world_end(struct world *world) {
    vidmm_adapter_stop(world->adapter);
    assert_int_equal(world->objects, 0);
    assert_int_equal(world->blocks, 0);
    assert_int_equal(world->bytes, 0);
    free(world->ram);
    free(world->vram);
    free(world->small);
    free(world->dirty);
    free(world);
}
