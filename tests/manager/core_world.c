/*
 * core_world.c - the operating system of core_world.h, and what tests say often.
 */
#include "core_world.h"

#include <stdio.h>
#include <time.h>

#include "core_driver.h"

#define RAM_BASE UINT64_C(0x10000000)
#define CPU_BASE UINT64_C(0xe0000000)

/* ---- Memory -----------------------------------------------------------------------------------
 */

static bool fails(struct world *world) {
    uint64_t call = __atomic_add_fetch(&world->calls, 1, __ATOMIC_SEQ_CST);
    return world->fail_at && call == world->fail_at;
}

static void *os_alloc(void *ctx, size_t size) {
    struct world *world = ctx;
    if (fails(world))
        return NULL;
    __atomic_add_fetch(&world->blocks, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&world->bytes, size, __ATOMIC_SEQ_CST);
    return calloc(1, size);
}

static void os_free(void *ctx, void *block, size_t size) {
    struct world *world = ctx;
    __atomic_sub_fetch(&world->blocks, 1, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&world->bytes, size, __ATOMIC_SEQ_CST);
    free(block);
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

static PMDL os_pages_alloc(void *ctx, size_t pages, uint32_t flags, uint64_t highest) {
    struct world *world = ctx;
    (void)flags;
    (void)highest;
    if (fails(world))
        return NULL;
    pthread_mutex_lock(&world->queue_lock);
    uint32_t first = find_pages(world, pages);
    if (first)
        memset(world->used + first, 1, pages);
    pthread_mutex_unlock(&world->queue_lock);
    if (!first)
        return NULL;
    PMDL mdl = calloc(1, sizeof(*mdl) + pages * sizeof(PFN_NUMBER));
    PFN_NUMBER *list = (PFN_NUMBER *)(mdl + 1);
    for (size_t i = 0; i < pages; i++)
        list[i] = RAM_BASE / PAGE + first + i;
    mdl->ByteCount = (ULONG)(pages * PAGE);
    memset(world->ram + first * PAGE, 0, pages * PAGE);
    __atomic_add_fetch(&world->blocks, 1, __ATOMIC_SEQ_CST);
    return mdl;
}

static uint64_t first_page(const MDL *mdl) {
    return ((const PFN_NUMBER *)(mdl + 1))[0] - RAM_BASE / PAGE;
}

static void os_pages_free(void *ctx, PMDL mdl) {
    struct world *world = ctx;
    pthread_mutex_lock(&world->queue_lock);
    memset(world->used + first_page(mdl), 0, mdl->ByteCount / PAGE);
    pthread_mutex_unlock(&world->queue_lock);
    __atomic_sub_fetch(&world->blocks, 1, __ATOMIC_SEQ_CST);
    free(mdl);
}

static void *os_pages_map(void *ctx, PMDL mdl) {
    struct world *world = ctx;
    return fails(world) ? NULL : world->ram + first_page(mdl) * PAGE;
}

static void *os_io_map(void *ctx, uint64_t physical, size_t size) {
    struct world *world = ctx;
    if (physical >= RANGE_BASE)
        return gpu_range(world, (uint32_t)((physical - RANGE_BASE) / RANGE_STRIDE));
    const struct world_segment *segment = &world->segments[VRAM - 1];
    assert_true(physical >= CPU_BASE && physical + size <= CPU_BASE + segment->size);
    return segment->bytes + (physical - CPU_BASE);
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

/* ---- Locks and time ---------------------------------------------------------------------------
 */

/* A mutex that knows which thread holds it. */
struct world_lock {
    pthread_mutex_t mutex;
    _Atomic(const void *) owner;
};

static _Thread_local char this_thread;

static void *os_lock_create(void *ctx) {
    struct world *world = ctx;
    if (fails(world))
        return NULL;
    struct world_lock *lock = calloc(1, sizeof(*lock));
    pthread_mutex_init(&lock->mutex, NULL);
    __atomic_add_fetch(&world->blocks, 1, __ATOMIC_SEQ_CST);
    return lock;
}

static void os_lock_destroy(void *ctx, void *handle) {
    struct world *world = ctx;
    struct world_lock *lock = handle;
    pthread_mutex_destroy(&lock->mutex);
    free(lock);
    __atomic_sub_fetch(&world->blocks, 1, __ATOMIC_SEQ_CST);
}

static void os_lock(void *ctx, void *handle) {
    struct world_lock *lock = handle;
    (void)ctx;
    pthread_mutex_lock(&lock->mutex);
    atomic_store_explicit(&lock->owner, &this_thread, memory_order_relaxed);
}

static void os_unlock(void *ctx, void *handle) {
    struct world_lock *lock = handle;
    (void)ctx;
    atomic_store_explicit(&lock->owner, NULL, memory_order_relaxed);
    pthread_mutex_unlock(&lock->mutex);
}

static bool os_lock_held(void *ctx, void *handle) {
    const struct world_lock *lock = handle;
    (void)ctx;
    return atomic_load_explicit(&lock->owner, memory_order_relaxed) == &this_thread;
}

static void os_assertion_failed(void *ctx, const char *what, const char *file, int line) {
    (void)ctx;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

static uint64_t os_now(void *ctx) {
    struct world *world = ctx;
    struct timespec time;
    if (!world->threads)
        return world->now;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static bool os_wait(void *ctx, void *lock, uint64_t deadline_ns) {
    struct world *world = ctx;
    if (world->threads) {
        struct timespec until = {(time_t)(deadline_ns / 1000000000u),
                                 (int64_t)(deadline_ns % 1000000000u)};
        struct world_lock *held = lock;
        bool woken = pthread_cond_timedwait(&world->news, &held->mutex, &until) == 0;
        atomic_store_explicit(&held->owner, &this_thread, memory_order_relaxed);
        return woken;
    }
    os_unlock(ctx, lock);
    bool ran = gpu_step(world);
    os_lock(ctx, lock);
    if (!ran && deadline_ns > world->now)
        world->now = deadline_ns;
    return ran;
}

static void os_wake(void *ctx) {
    pthread_cond_broadcast(&((struct world *)ctx)->news);
}

/* ---- The world --------------------------------------------------------------------------------
 */

static void add_segment(struct world *world, UINT flags, uint64_t base, uint64_t cpu,
                        uint64_t size) {
    struct world_segment *segment = &world->segments[world->segment_count++];
    *segment = (struct world_segment){.flags = flags, .base = base, .cpu = cpu, .size = size};
    if (flags & 1u)
        segment->pages = calloc(size / PAGE, sizeof(*segment->pages));
    else
        segment->bytes = calloc(1, size);
}

struct world *world_new(uint64_t vram, uint64_t aperture, uint64_t hidden) {
    struct world *world = calloc(1, sizeof(*world));
    pthread_condattr_t monotonic;
    world->version = DXGKDDI_INTERFACE_VERSION_WIN8;
    world->paging_size = 64 * 1024;
    world->dma_size = 4096;
    world->swizzling_ranges = 1;
    world->nodes = 2;
    world->paging_node = 1;
    world->contexts = true;
    world->ram = aligned_alloc(PAGE, WORLD_PAGES * PAGE);
    memset(world->ram, 0, WORLD_PAGES * PAGE);
    add_segment(world, 4u, UINT64_C(0x100000000), CPU_BASE, vram);
    if (aperture)
        add_segment(world, 1u, UINT64_C(0x300000000), 0, aperture);
    if (hidden)
        add_segment(world, 0u, UINT64_C(0x200000000), 0, hidden);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&world->news, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&world->queue_lock, NULL);
    pthread_cond_init(&world->queue_news, NULL);
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

/* Told when it is done, and while it still shows. */
static void op_done(void *ctx, const struct vidmm_op *op, uint64_t first, uint64_t last) {
    struct world *world = ctx;
    assert_true(first >= 1 && first <= last);
    assert_true(op->kind < VIDMM_OP_KINDS);
    assert_false(world->between_reset_and_restart);
    if (world->prompt)
        assert_int_equal(world->paging_done, last);
    if (op->kind == VIDMM_OP_MAP) {
        const PFN_NUMBER *pages = (const PFN_NUMBER *)(op->from.mdl + 1);
        assert_int_equal(world->segments[op->to.segment - 1].pages[op->to.offset / PAGE],
                         pages[op->from.mdl_page] * PAGE);
    }
    world->ops[op->kind]++;
}

static void content_lost(void *ctx, struct vidmm_allocation *allocation) {
    struct world *world = ctx;
    bool *flag = vidmm_allocation_user(allocation);
    if (flag)
        *flag = true;
    world->contents_lost++;
}

static void *see_memory(void *ctx, uint64_t pa, size_t size) {
    struct world *world = ctx;
    bool inside = pa >= RAM_BASE && pa - RAM_BASE + size <= WORLD_PAGES * PAGE;
    return inside ? world->ram + (pa - RAM_BASE) : NULL;
}

/* Whatever the manager asks of the driver in a test is judged by the rule table. */
static void call_referee(struct world *world) {
    const struct vidmm_referee_config config = {
        .ledger = &world->ledger,
        .world = {.ctx = world, .memory = see_memory, .memory_bytes = WORLD_PAGES * PAGE}};
    world->referee = vidmm_referee_create(&config);
    assert_non_null(world->referee);
    vidmm_referee_wrap_ddi(world->referee, &world->ddi);
}

static void expect_lawful_manager(struct world *world) {
    char text[512];
    vidmm_referee_destroy(world->referee);
    for (uint32_t i = 0; i < world->ledger.findings; i++) {
        vidmm_finding_text(&world->ledger.finding[i], text, sizeof(text));
        if (world->ledger.finding[i].who == VIDMM_SIDE_MANAGER)
            fail_msg("%s", text);
    }
}

enum vidmm_status world_start(struct world *world) {
    struct vidmm_observer observer = {world, op_done, content_lost};
    struct vidmm_adapter_config config = {.os = &world->os,
                                          .ddi = &world->ddi,
                                          .hadapter = world,
                                          .observer = &observer,
                                          .transfer_chunk = world->transfer_chunk,
                                          .quiesce = world->quiesce,
                                          .quiesce_ctx = world};
    driver_table(world);
    call_referee(world);
    if (world->threads)
        pthread_create(&world->thread, NULL, gpu_thread, world);
    return vidmm_adapter_start(&config, &world->adapter, &world->error);
}

static void quit_thread(struct world *world) {
    if (!world->threads)
        return;
    pthread_mutex_lock(&world->queue_lock);
    world->quit = true;
    pthread_cond_signal(&world->queue_news);
    pthread_mutex_unlock(&world->queue_lock);
    pthread_join(world->thread, NULL);
}

void world_end(struct world *world) {
    vidmm_adapter_stop(world->adapter);
    quit_thread(world);
    expect_lawful_manager(world);
    assert_int_equal(world->objects, 0);
    assert_int_equal(world->blocks, 0);
    assert_int_equal(world->bytes, 0);
    for (uint32_t i = 0; i < world->segment_count; i++) {
        free(world->segments[i].bytes);
        free(world->segments[i].pages);
    }
    pthread_mutex_destroy(&world->queue_lock);
    pthread_cond_destroy(&world->queue_news);
    pthread_cond_destroy(&world->news);
    free(world->ram);
    free(world);
}

/* ---- Said often -------------------------------------------------------------------------------
 */

struct world_desc world_local(uint64_t size) {
    return (struct world_desc){.size = size,
                               .flags = 1u,
                               .read_set = SET(VRAM) | SET(APERTURE),
                               .write_set = SET(VRAM) | SET(APERTURE),
                               .preferred = VRAM,
                               .priority = D3DDDI_ALLOCATIONPRIORITY_NORMAL};
}

struct world_desc world_only(uint32_t set, uint64_t size) {
    struct world_desc desc = world_local(size);
    desc.read_set = desc.write_set = set;
    desc.preferred = 0;
    return desc;
}

enum vidmm_status world_try_create_for(struct vidmm_device *device, struct world_desc desc,
                                       bool *lost, struct vidmm_allocation **out) {
    struct vidmm_allocation_request request = {
        .private_data = &desc, .private_size = sizeof(desc), .user = lost};
    return vidmm_allocation_create(device, &request, out);
}

enum vidmm_status world_try_create(struct vidmm_device *device, struct world_desc desc,
                                   struct vidmm_allocation **out) {
    return world_try_create_for(device, desc, NULL, out);
}

struct vidmm_allocation *world_create(struct vidmm_device *device, struct world_desc desc) {
    struct vidmm_allocation *allocation = NULL;
    assert_int_equal(world_try_create(device, desc, &allocation), VIDMM_OK);
    return allocation;
}

struct vidmm_device *world_device(struct world *world) {
    struct vidmm_device *device = NULL;
    assert_int_equal(vidmm_device_create(world->adapter, &device), VIDMM_OK);
    return device;
}

struct vidmm_context *world_context(struct vidmm_device *device) {
    struct vidmm_context *context = NULL;
    assert_int_equal(vidmm_context_create(device, 0, &context), VIDMM_OK);
    return context;
}

enum vidmm_status world_use(struct vidmm_context *context, bool write, uint32_t count, ...) {
    struct vidmm_reference references[64];
    uint64_t fence = 0;
    va_list list;
    va_start(list, count);
    for (uint32_t i = 0; i < count; i++)
        references[i] = (struct vidmm_reference){va_arg(list, struct vidmm_allocation *), write};
    va_end(list);
    struct vidmm_submission submission = {.references = references, .count = count};
    return vidmm_submit(context, &submission, &fence);
}

static uint64_t word_of(uint32_t seed, uint64_t at) {
    return (at + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ ((uint64_t)seed << 32 | seed);
}

static uint64_t size_of(struct vidmm_allocation *allocation) {
    struct vidmm_allocation_info info;
    vidmm_allocation_info(allocation, &info);
    return info.size;
}

void world_write(struct vidmm_allocation *allocation, uint32_t seed) {
    void *cpu = NULL;
    assert_int_equal(vidmm_lock(allocation, VIDMM_LOCK_WRITE_ONLY, &cpu), VIDMM_OK);
    uint64_t words = size_of(allocation) / 8;
    for (uint64_t i = 0; i < words; i++)
        ((uint64_t *)cpu)[i] = word_of(seed, i);
    vidmm_unlock(allocation);
}

static void expect_word(uint64_t found, uint32_t seed, uint64_t at) {
    if (found != word_of(seed, at))
        fail_msg("word %llu is %llx, not pattern %u", (unsigned long long)at,
                 (unsigned long long)found, seed);
}

void world_check(struct vidmm_allocation *allocation, uint32_t seed) {
    void *cpu = NULL;
    assert_int_equal(vidmm_lock(allocation, VIDMM_LOCK_READ_ONLY, &cpu), VIDMM_OK);
    uint64_t words = size_of(allocation) / 8;
    for (uint64_t i = 0; i < words; i++)
        expect_word(((uint64_t *)cpu)[i], seed, i);
    vidmm_unlock(allocation);
}

uint32_t world_segment_of(struct vidmm_allocation *allocation) {
    struct vidmm_allocation_info info;
    vidmm_allocation_info(allocation, &info);
    return info.segment;
}

static struct world_side gpu_side(struct vidmm_allocation *allocation) {
    struct vidmm_allocation_info info;
    vidmm_allocation_info(allocation, &info);
    assert_int_not_equal(info.segment, 0);
    return (struct world_side){.segment = info.segment, .offset = info.offset};
}

void world_gpu_write(struct world *world, struct vidmm_allocation *allocation, uint32_t seed) {
    struct world_side side = gpu_side(allocation);
    uint64_t words = size_of(allocation) / 8;
    for (uint64_t i = 0; i < words; i++) {
        uint64_t word = word_of(seed, i);
        memcpy(gpu_pointer(world, &side, i * 8), &word, 8);
    }
}

void world_gpu_check(struct world *world, struct vidmm_allocation *allocation, uint32_t seed) {
    struct world_side side = gpu_side(allocation);
    uint64_t words = size_of(allocation) / 8;
    for (uint64_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, gpu_pointer(world, &side, i * 8), 8);
        expect_word(word, seed, i);
    }
}

uint32_t world_count_builds(const struct world *world, uint32_t first,
                            DXGK_BUILDPAGINGBUFFER_OPERATION operation) {
    uint32_t count = 0;
    for (uint32_t i = first; i < world->build_count; i++)
        count += world->builds[i].arg.Operation == operation;
    return count;
}

const DXGKARG_BUILDPAGINGBUFFER *world_find_build(const struct world *world, uint32_t first,
                                                  DXGK_BUILDPAGINGBUFFER_OPERATION operation) {
    for (uint32_t i = first; i < world->build_count; i++) {
        if (world->builds[i].arg.Operation == operation)
            return &world->builds[i].arg;
    }
    return NULL;
}

void world_expect_error(struct world *world, enum vidmm_status status, const char *rule) {
    struct vidmm_error error;
    vidmm_last_error(world->adapter, &error);
    assert_int_equal(error.status, status);
    assert_non_null(error.call);
    if (rule)
        assert_string_equal(error.rule, rule);
}
