/*
 * The API from several threads at once, with an engine that completes work on a thread of its own.
 * To be run under a thread sanitizer as well.
 */
#include "core_world.h"

#include <stdatomic.h>

#define THREADS 4u
#define ROUNDS  60u
#define OWN     3u

struct worker {
    struct world *world;
    uint32_t number;
    atomic_bool *quit;
};

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void look(struct vidmm_allocation *allocation) {
    struct vidmm_allocation_info info;
    vidmm_allocation_info(allocation, &info);
    if (info.size != 24 * KIB)
        abort();
}

/* cmocka's asserts are for the main thread: here a failure aborts. */
static void must(bool condition) {
    if (!condition)
        abort();
}

static void fill(struct vidmm_allocation *allocation, uint8_t value) {
    void *cpu = NULL;
    must(vidmm_lock(allocation, 0, &cpu) == VIDMM_OK);
    memset(cpu, value, 24 * KIB);
    vidmm_unlock(allocation);
}

static void expect(struct vidmm_allocation *allocation, uint8_t value) {
    void *cpu = NULL;
    must(vidmm_lock(allocation, VIDMM_LOCK_READ_ONLY, &cpu) == VIDMM_OK);
    for (uint32_t i = 0; i < 24 * KIB; i++)
        must(((uint8_t *)cpu)[i] == value);
    vidmm_unlock(allocation);
}

static void *work(void *argument) {
    struct worker *worker = argument;
    struct vidmm_adapter *adapter = worker->world->adapter;
    struct vidmm_device *device = NULL;
    struct vidmm_context *context = NULL;
    struct vidmm_allocation *own[OWN];
    uint32_t state = worker->number + 1;
    must(vidmm_device_create(adapter, &device) == VIDMM_OK);
    must(vidmm_context_create(device, 0, 0, &context) == VIDMM_OK);
    for (uint32_t i = 0; i < OWN; i++) {
        must(world_try_create(device, world_local(24 * KIB), &own[i]) == VIDMM_OK);
        fill(own[i], (uint8_t)(worker->number * OWN + i));
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct vidmm_allocation *one = own[next(&state) % OWN];
        struct vidmm_reference reference = {one, next(&state) % 2 != 0};
        struct vidmm_submission submission = {.references = &reference, .count = 1};
        uint64_t fence = 0;
        must(vidmm_submit(context, &submission, &fence) == VIDMM_OK);
        look(one);
        if (next(&state) % 3 == 0)
            must(vidmm_wait(adapter, fence) == VIDMM_OK);
        if (next(&state) % 8 == 0)
            must(vidmm_allocation_evict(one, true) == VIDMM_OK);
    }
    for (uint32_t i = 0; i < OWN; i++)
        expect(own[i], (uint8_t)(worker->number * OWN + i));
    vidmm_device_destroy(device);
    return NULL;
}

static void *watch(void *argument) {
    struct worker *worker = argument;
    while (!atomic_load(worker->quit)) {
        struct vidmm_segment_info info;
        struct vidmm_stats stats;
        must(vidmm_segment_info(worker->world->adapter, VRAM, &info));
        vidmm_stats(worker->world->adapter, &stats);
        (void)vidmm_completed(worker->world->adapter, stats.submissions);
    }
    return NULL;
}

static void threads_share_an_adapter(void **state) {
    (void)state;
    struct world *world = world_new(64 * KIB, 256 * KIB, 0);
    struct worker workers[THREADS + 1];
    pthread_t threads[THREADS + 1];
    atomic_bool quit = false;
    world->threads = true;
    assert_int_equal(world_start(world), VIDMM_OK);
    for (uint32_t i = 0; i <= THREADS; i++) {
        workers[i] = (struct worker){world, i, &quit};
        assert_int_equal(pthread_create(&threads[i], NULL, i < THREADS ? work : watch, &workers[i]),
                         0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&quit, true);
    pthread_join(threads[THREADS], NULL);
    assert_int_equal(vidmm_wait_idle(world->adapter), VIDMM_OK);
    world_end(world);
}

/* ---- The beginning and the end --------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    struct vidmm_adapter **adapter;
    atomic_bool quit, quiet;
} teller = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A driver may say again what it has said: nothing is new in it. */
static void *tell_again(void *unused) {
    while (!atomic_load(&teller.quit)) {
        pthread_mutex_lock(&teller.lock);
        struct vidmm_adapter *adapter = __atomic_load_n(teller.adapter, __ATOMIC_ACQUIRE);
        if (adapter && !atomic_load(&teller.quiet))
            vidmm_notify_completed(adapter, 0, 0, 0);
        pthread_mutex_unlock(&teller.lock);
    }
    return unused;
}

static void be_quiet(void *world) {
    (void)world;
    pthread_mutex_lock(&teller.lock);
    must(!atomic_exchange(&teller.quiet, true));
    pthread_mutex_unlock(&teller.lock);
}

static void old_news_may_come_from_the_first_call_until_the_adapter_is_quiet(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        struct world *world = world_new(64 * KIB, 512 * KIB, 0);
        pthread_t thread;
        world->quiesce = be_quiet;
        teller.adapter = &world->adapter;
        atomic_store(&teller.quit, false);
        atomic_store(&teller.quiet, false);
        assert_int_equal(pthread_create(&thread, NULL, tell_again, NULL), 0);
        assert_int_equal(world_start(world), VIDMM_OK);
        vidmm_adapter_stop(world->adapter);
        assert_true(atomic_load(&teller.quiet));
        atomic_store(&teller.quit, true);
        assert_int_equal(pthread_join(thread, NULL), 0);
        world->adapter = NULL;
        world_end(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_an_adapter),
        cmocka_unit_test(old_news_may_come_from_the_first_call_until_the_adapter_is_quiet),
    };
    return cmocka_run_group_tests_name("core_threads", tests, NULL, NULL);
}
