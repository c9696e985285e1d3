/*
 * bench.c - see bench.h.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(struct bench_series *series) {
    size_t rounds = (size_t)bench_rounds();
    qsort(series->value, rounds, sizeof(series->value[0]), by_value);
    return series->value[rounds / 2];
}

static void fail(const char *what, const char *why) {
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}

void bench_must(enum vidmm_status status, const char *what) {
    char text[32];
    if (status == VIDMM_OK)
        return;
    snprintf(text, sizeof(text), "status %d", (int)status);
    fail(what, text);
}

void *bench_zeroed(uint64_t count, uint64_t size) {
    void *memory = calloc((size_t)count, (size_t)size);
    if (!memory)
        fail("calloc", "out of memory");
    return memory;
}

/* ---- Labs ------------------------------------------------------------------------------------ */

void bench_open(struct vidmm_harness *harness, const struct vidmm_host_setting *settings,
                uint32_t count, uint64_t memory_bytes, uint64_t seed) {
    const struct vidmm_host_config host = {.driver_entry = vidmm_softgpu_entry,
                                           .model = &vidmm_softgpu_model,
                                           .settings = settings,
                                           .setting_count = count,
                                           .memory_bytes = memory_bytes,
                                           .seed = seed};
    const struct vidmm_adapter_config adapter = {0};
    char text[512];
    if (vidmm_harness_open(&host, &adapter, harness, text, sizeof(text)) != VIDMM_HARNESS_OK)
        fail("vidmm_harness_open", text);
}

void bench_close(struct vidmm_harness *harness) {
    char text[512];
    if (vidmm_harness_close(harness, text, sizeof(text)) != VIDMM_HARNESS_OK)
        fail("vidmm_harness_close", text);
}

struct vidmm_allocation *bench_allocation(struct vidmm_device *device, uint64_t size,
                                          uint32_t flags) {
    struct vidmm_umd_allocation data = {.magic = VIDMM_UMD_MAGIC, .flags = flags, .size = size};
    const struct vidmm_allocation_request request = {.private_data = &data,
                                                     .private_size = sizeof(data)};
    struct vidmm_allocation *allocation = NULL;
    bench_must(vidmm_allocation_create(device, &request, &allocation), "vidmm_allocation_create");
    return allocation;
}

unsigned char *bench_system_page(const struct vidmm_harness *harness, PMDL mdl, uint64_t page) {
    return vidmm_host_memory(harness->host, (uint64_t)MmGetMdlPfnArray(mdl)[page] << PAGE_SHIFT,
                             PAGE_SIZE);
}

unsigned char *bench_segment_page(const struct vidmm_harness *harness, uint32_t segment,
                                  uint64_t offset) {
    struct vidmm_segment_info info;
    if (!vidmm_segment_info(harness->adapter, segment, &info))
        fail("vidmm_segment_info", "no such segment");
    return (unsigned char *)(uintptr_t)vidmm_host_peek(harness->host, 0, info.base + offset,
                                                       PAGE_SIZE);
}

/* ---- Processes ------------------------------------------------------------------------------- */

void bench_process_start(const struct vidmm_harness *harness, struct bench_process *process) {
    const struct vidmm_umd_packet nothing = {.opcode = VIDMM_UMD_PACKET_NOP,
                                             .size = sizeof(nothing)};
    void *cpu = NULL;
    bench_must(vidmm_process_create(harness->adapter, &process->process), "vidmm_process_create");
    bench_must(vidmm_process_device_create(process->process, &process->device),
               "vidmm_process_device_create");
    bench_must(vidmm_context_create(process->device, 0, 0, &process->context),
               "vidmm_context_create");
    bench_must(vidmm_paging_queue_create(process->device, 0, &process->queue),
               "vidmm_paging_queue_create");
    process->commands =
        bench_allocation(process->device, PAGE_SIZE, VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED);
    bench_make_resident(process, &process->commands, 1);
    process->commands_va = bench_map(process, process->commands, PAGE_SIZE);
    bench_must(vidmm_lock(process->commands, 0, &cpu), "vidmm_lock");
    memcpy(cpu, &nothing, sizeof(nothing));
    vidmm_unlock(process->commands);
}

void bench_process_stop(struct bench_process *process) {
    vidmm_paging_queue_destroy(process->queue);
    vidmm_context_destroy(process->context);
    vidmm_device_destroy(process->device);
    vidmm_process_destroy(process->process);
}

uint64_t bench_map(struct bench_process *process, struct vidmm_allocation *allocation,
                   uint64_t size) {
    const struct vidmm_va_request request = {
        .size = size, .allocation = allocation, .protection = VIDMM_VA_WRITE | VIDMM_VA_EXECUTE};
    uint64_t va = 0;
    bench_must(vidmm_va_map(process->queue, &request, &va, &process->fence), "vidmm_va_map");
    return va;
}

void bench_reach(struct bench_process *process) {
    bench_must(vidmm_paging_wait(process->queue, process->fence), "vidmm_paging_wait");
}

void bench_make_resident(struct bench_process *process, struct vidmm_allocation *const *allocations,
                         uint32_t count) {
    uint64_t fence;
    bench_must(vidmm_make_resident(process->queue, allocations, count, 0, &fence, NULL),
               "vidmm_make_resident");
}

void bench_process_touch(const struct vidmm_harness *harness, struct bench_process *process) {
    const struct vidmm_virtual_submission submission = {.commands = process->commands_va,
                                                        .size = sizeof(struct vidmm_umd_packet)};
    uint64_t fence;
    bench_must(vidmm_submit_virtual(process->context, &submission, &fence), "vidmm_submit_virtual");
    bench_must(vidmm_wait(harness->adapter, fence), "vidmm_wait");
}

void bench_fragment(struct bench_process *process, uint64_t bytes) {
    uint32_t count = (uint32_t)(2 * bytes / PAGE_SIZE);
    struct vidmm_allocation **page = bench_zeroed(count, sizeof(*page));
    for (uint32_t i = 0; i < count; i++) {
        page[i] = bench_allocation(process->device, PAGE_SIZE, VIDMM_UMD_LOCAL_ONLY);
        bench_must(vidmm_allocation_pin(page[i], true), "vidmm_allocation_pin");
    }
    for (uint32_t i = 1; i < count; i += 2)
        vidmm_allocation_destroy(page[i]);
    /* Every other page, for good, in one allocation: thousands would be in the way of all that
     * looks at each allocation, which is not what is measured. */
    struct vidmm_allocation *comb = bench_allocation(process->device, bytes, VIDMM_UMD_LOCAL_ONLY);
    bench_must(vidmm_allocation_pin(comb, true), "vidmm_allocation_pin");
    for (uint32_t i = 0; i < count; i += 2)
        vidmm_allocation_destroy(page[i]);
    free(page);
}
