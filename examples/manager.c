/*
 * manager.c - the manager alone, without anything else of vidmm: what a program writes that embeds it. That is an
 * operating system (here malloc and a mutex), the way of the driver's interrupts to the manager, and calls.
 * Four allocations of 512 KiB take turns in a segment of 1 MiB of the driver in manager_driver.c.
 *
 *     cc manager.c manager_driver.c $(pkg-config --cflags --libs vidmm-manager) -pthread && ./a.out
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/manager.h>

enum { PAGE = 4096, BYTES = 512 << 10, ALLOCATIONS = 4, ROUNDS = 3 };

/* manager_driver.c: a driver's table, and the handle of its adapter. */
const DRIVER_INITIALIZATION_DATA *driver_load(const DXGKRNL_INTERFACE *callbacks, HANDLE *handle);

/* ---- The operating system: a physical address is the pointer to the byte ----------------------- */

static uint64_t os_time; /* ns, virtual: nothing here takes time */
static _Alignas(4096) uint8_t os_dummy[PAGE];

static void *os_alloc(void *ctx, size_t size) { return calloc(1, size); }
static void os_free(void *ctx, void *block, size_t size) { free(block); }
static void *os_lock_create(void *ctx) {
    pthread_mutex_t *lock = malloc(sizeof(*lock));
    if (lock)
        pthread_mutex_init(lock, NULL);
    return lock;
}
static void os_lock_destroy(void *ctx, void *lock) {
    pthread_mutex_destroy(lock);
    free(lock);
}
static void os_lock(void *ctx, void *lock) { pthread_mutex_lock(lock); }
static void os_unlock(void *ctx, void *lock) { pthread_mutex_unlock(lock); }
/* The driver completes its work inside of SubmitCommand: no other thread could wake this one. */
static bool os_wait(void *ctx, void *lock, uint64_t deadline_ns) {
    os_time = deadline_ns > os_time ? deadline_ns : os_time;
    return false;
}
static void os_wake(void *ctx) {}
static uint64_t os_now(void *ctx) { return os_time; }
static PMDL os_pages_alloc(void *ctx, size_t pages, uint32_t flags, uint64_t highest) {
    MDL *mdl = calloc(1, sizeof(*mdl) + pages * sizeof(PFN_NUMBER));
    uint8_t *memory = mdl ? aligned_alloc(PAGE, pages * PAGE) : NULL;
    if (!memory) {
        free(mdl);
        return NULL;
    }
    memset(memory, 0, pages * PAGE);
    mdl->ByteCount = (ULONG)(pages * PAGE);
    mdl->MappedSystemVa = memory;
    for (size_t i = 0; i < pages; i++)
        MmGetMdlPfnArray(mdl)[i] = (uintptr_t)memory / PAGE + i;
    return mdl;
}
static void os_pages_free(void *ctx, PMDL mdl) {
    free(mdl->MappedSystemVa);
    free(mdl);
}
static void *os_pages_map(void *ctx, PMDL mdl) { return mdl->MappedSystemVa; }
static void *os_io_map(void *ctx, uint64_t physical, size_t size) { return (void *)(uintptr_t)physical; }
static uint64_t os_dummy_page(void *ctx) { return (uintptr_t)os_dummy; }
static uint64_t os_memory_bytes(void *ctx) { return 1u << 30; }
static uint64_t os_memory_highest(void *ctx) { return UINT64_MAX >> 8; }

static const struct vidmm_os os = {.alloc = os_alloc,
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
                                   .memory_highest = os_memory_highest};

/* ---- The program ----------------------------------------------------------------------------- */

static struct vidmm_adapter *adapter;

/* DxgkCbNotifyInterrupt. A driver also reports preemption and faults: vidmm_notify_preempted, vidmm_notify_faulted. */
static void APIENTRY interrupted(HANDLE handle, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *report) {
    if (report->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED)
        vidmm_notify_completed(adapter, 0, report->DmaCompleted.NodeOrdinal, report->DmaCompleted.SubmissionFenceId);
}

static void must(enum vidmm_status status, const struct vidmm_error *error, const char *what) {
    struct vidmm_error last = {.status = status};
    if (status == VIDMM_OK)
        return;
    if (adapter && !error)
        vidmm_last_error(adapter, &last);
    error = error ? error : &last;
    fprintf(stderr, "%s: status %d, %s, %s, expected: %s\n", what, (int)status, error->call ? error->call : "no call",
            error->field ? error->field : "no field", error->expected ? error->expected : "nothing else");
    exit(1);
}

int main(void) {
    const DXGKRNL_INTERFACE callbacks = {.DxgkCbNotifyInterrupt = interrupted};
    struct vidmm_adapter_config config = {.os = &os};
    struct vidmm_allocation *allocation[ALLOCATIONS];
    struct vidmm_segment_info segment;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct vidmm_stats stats;
    struct vidmm_error error;
    uint32_t size = BYTES; /* private data for the driver: what its user-mode half would say */
    uint8_t *cpu;
    config.ddi = driver_load(&callbacks, &config.hadapter);
    must(vidmm_adapter_start(&config, &adapter, &error), &error, "start");
    must(vidmm_device_create(adapter, &device), NULL, "device");
    must(vidmm_context_create(device, 0, 0, &context), NULL, "context");
    for (uint32_t i = 0; i < ALLOCATIONS; i++) {
        const struct vidmm_allocation_request request = {.private_data = &size, .private_size = sizeof(size)};
        must(vidmm_allocation_create(device, &request, &allocation[i]), NULL, "allocation");
        must(vidmm_lock(allocation[i], 0, (void **)&cpu), NULL, "lock");
        memset(cpu, (int)('a' + i), BYTES);
        vidmm_unlock(allocation[i]);
    }
    for (uint32_t i = 0; i < ROUNDS * ALLOCATIONS; i++) {
        const struct vidmm_reference reference = {allocation[i % ALLOCATIONS], true};
        const struct vidmm_submission submission = {.references = &reference, .count = 1};
        uint64_t fence;
        must(vidmm_submit(context, &submission, &fence), NULL, "submit");
        must(vidmm_wait(adapter, fence), NULL, "wait");
    }
    for (uint32_t i = 0; i < ALLOCATIONS; i++) {
        must(vidmm_lock(allocation[i], VIDMM_LOCK_READ_ONLY, (void **)&cpu), NULL, "lock");
        for (uint32_t at = 0; at < BYTES; at++)
            must(cpu[at] == 'a' + i ? VIDMM_OK : VIDMM_DRIVER_BROKE_RULE, NULL, "content");
        vidmm_unlock(allocation[i]);
    }
    vidmm_stats(adapter, &stats);
    vidmm_segment_info(adapter, 1, &segment);
    printf("%d allocations of %d bytes in a segment of %d: %d page-ins, %d evictions, content kept\n", ALLOCATIONS,
           BYTES, (int)segment.size, (int)stats.page_ins, (int)stats.evictions);
    vidmm_context_destroy(context);
    vidmm_device_destroy(device);
    vidmm_adapter_stop(adapter);
    return 0;
}
