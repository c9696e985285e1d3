/* os.c - struct vidmm_os: memory, locks, waiting, pages and addresses of this host for the
 * manager. */
#include "os.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/thread.h"
#include "base/world.h"
#include "memory/bars.h"
#include "memory/contiguous.h"
#include "memory/gart.h"
#include "memory/iommu.h"
#include "memory/mdl.h"
#include "memory/physical.h"
#include "kernel/clock.h"
#include "kernel/dispatcher.h"

/* A mutex that records which thread holds it. Threads that wait for it sleep in the dispatcher, so
 * that others run meanwhile. */
struct host_lock {
    pthread_mutex_t mutex;
    _Atomic(const void *) owner; /* `os_this_thread` of that thread; NULL: none */
    LIST_ENTRY waiting;          /* of struct host_link, under the dispatcher's lock */
    _Atomic uint32_t waiters;
};

static _Thread_local char os_this_thread;
static uint64_t dummy_frame;

bool host_os_take_dummy(void) {
    return host_may_allocate() &&
           host_frames_take_run(host_world->physical, 1, 0, UINT64_MAX, 0, &dummy_frame);
}

/* The manager's memory is the machine's: what a driver makes it ask for beyond that is refused, although
 * the process may well get it. */
static void *os_alloc(void *ctx, size_t size) {
    (void)ctx;
    if (size > host_world->physical->installed)
        return NULL;
    return host_block_alloc(HOST_OWNER_MANAGER, size);
}

static void os_free(void *ctx, void *block, size_t size) {
    (void)ctx;
    host_block_free(HOST_OWNER_MANAGER, block, size);
}

static void *os_lock_create(void *ctx) {
    (void)ctx;
    struct host_lock *lock = host_block_alloc(HOST_OWNER_LOCKS, sizeof(*lock));
    if (lock)
        pthread_mutex_init(&lock->mutex, NULL);
    if (lock)
        InitializeListHead(&lock->waiting);
    return lock;
}

static void os_lock_destroy(void *ctx, void *handle) {
    struct host_lock *lock = handle;
    (void)ctx;
    if (!lock)
        return;
    pthread_mutex_destroy(&lock->mutex);
    host_block_free(HOST_OWNER_LOCKS, lock, sizeof(*lock));
}

/* Sleeps until the lock is free, which is seen after `waiters` was counted. */
static void lock_wait(struct host_lock *lock) {
    atomic_fetch_add(&lock->waiters, 1);
    host_dispatcher_lock();
    while (pthread_mutex_trylock(&lock->mutex) != 0) {
        struct host_link link = {.thread = host_thread_self()};
        InsertTailList(&lock->waiting, &link.entry);
        link.thread->locked_out = true;
        (void)host_thread_sleep(&link, 1, UINT64_MAX);
        link.thread->locked_out = false;
    }
    host_dispatcher_unlock();
    atomic_fetch_sub(&lock->waiters, 1);
}

static void lock_wake(struct host_lock *lock) {
    host_dispatcher_lock();
    if (!IsListEmpty(&lock->waiting))
        host_thread_wake(CONTAINING_RECORD(lock->waiting.Flink, struct host_link, entry)->thread,
                         HOST_SLEEP_WOKEN);
    host_dispatcher_unlock();
}

static void os_lock(void *ctx, void *handle) {
    struct host_lock *lock = handle;
    (void)ctx;
    if (pthread_mutex_trylock(&lock->mutex) != 0)
        lock_wait(lock);
    atomic_store_explicit(&lock->owner, &os_this_thread, memory_order_relaxed);
}

static void os_unlock(void *ctx, void *handle) {
    struct host_lock *lock = handle;
    (void)ctx;
    atomic_store_explicit(&lock->owner, NULL, memory_order_relaxed);
    pthread_mutex_unlock(&lock->mutex);
    if (atomic_load(&lock->waiters) != 0)
        lock_wake(lock);
}

static bool os_lock_held(void *ctx, void *handle) {
    const struct host_lock *lock = handle;
    (void)ctx;
    return atomic_load_explicit(&lock->owner, memory_order_relaxed) == &os_this_thread;
}

static bool os_wait(void *ctx, void *lock, uint64_t deadline_ns) {
    host_irql_at_most(APC_LEVEL, "vidmm_os.wait");
    os_unlock(ctx, lock);
    bool woken = host_sleep(deadline_ns);
    os_lock(ctx, lock);
    return woken;
}

static void os_assertion_failed(void *ctx, const char *what, const char *file, int line) {
    (void)ctx;
    fprintf(stderr, "vidmm: an assertion of the manager does not hold (%s:%d): %s\n", file, line,
            what);
    abort();
}

static void os_wake(void *ctx) {
    (void)ctx;
    host_wake();
}

static uint64_t os_now(void *ctx) {
    (void)ctx;
    return host_now();
}

static PMDL os_pages_alloc(void *ctx, size_t pages, uint32_t flags, uint64_t highest) {
    uint64_t limit = highest == UINT64_MAX ? UINT64_MAX / HOST_PAGE : (highest + 1) / HOST_PAGE;
    enum host_mdl_runs runs = flags & VIDMM_PAGES_CONTIGUOUS ? HOST_RUNS_ONE
                              : flags & VIDMM_PAGES_LARGE    ? HOST_RUNS_LARGE
                                                             : HOST_RUNS_ANY;
    (void)ctx;
    return host_pages_alloc(HOST_MDL_MANAGER, pages, runs, 0, limit);
}

static void os_pages_free(void *ctx, PMDL mdl) {
    (void)ctx;
    if (mdl)
        host_mdl_free(mdl);
}

static PMDL os_pages_part(void *ctx, PMDL mdl, size_t first, size_t pages) {
    (void)ctx;
    return host_mdl_part(mdl, first, pages);
}

static void *os_pages_map(void *ctx, PMDL mdl) {
    (void)ctx;
    return host_mdl_map(mdl);
}

static void *os_io_map(void *ctx, uint64_t physical, size_t size) {
    (void)ctx;
    struct host_bar *bar = host_bar_at(physical, size);
    if (bar && bar->bar.kind == VIDMM_HW_BAR_MEMORY)
        return bar->cpu + (physical - bar->physical);
    /* Contiguous memory of a driver counts as device memory, as a carve-out does. */
    return host_contiguous_holds(host_world->contiguous, physical, size)
               ? host_physical_pointer(host_world->physical, physical, size)
               : NULL;
}

static uint64_t os_dummy_page(void *ctx) {
    (void)ctx;
    return dummy_frame * HOST_PAGE;
}

static uint64_t os_memory_bytes(void *ctx) {
    (void)ctx;
    return host_world->physical->installed;
}

static uint64_t os_memory_highest(void *ctx) {
    (void)ctx;
    return host_world->physical->top - 1;
}

void host_os_fill(struct vidmm_os *os) {
    *os = (struct vidmm_os){
        .ctx = host_world,
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
        .pages_part = os_pages_part,
        .io_map = os_io_map,
        .dummy_page = os_dummy_page,
        .memory_bytes = os_memory_bytes,
        .memory_highest = os_memory_highest,
        .iommu = &host_iommu_functions,
        .gart = host_world->gart->functions.size ? &host_world->gart->functions : NULL,
        .assertion_failed = os_assertion_failed,
        .lock_held = os_lock_held,
    };
}
