/*
 * gpu_virtual.c - host, reference driver, software GPU and manager as a library, with GPU virtual addresses: a process
 * maps allocations, the GPU fills them by address, and the budget makes the process give some up in between.
 *
 *     cc gpu_virtual.c $(pkg-config --cflags --libs vidmm) && ./a.out
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/harness.h>
#include <vidmm/softgpu.h>
#include <vidmm/umd.h>
#include <vidmm/virtual.h>

enum { PAGE = 4096, BYTES = 1 << 20, VRAM = 6 << 20, ALLOCATIONS = 8, KEPT = 3 };

/* An allocation and its address, which it keeps wherever it lies. */
struct buffer {
    struct vidmm_allocation *allocation;
    uint64_t va;
};

static struct vidmm_harness harness;
static struct vidmm_process *process;
static struct vidmm_device *device;
static struct vidmm_context *context;
static struct vidmm_paging_queue *queue;
static struct buffer commands;

static void must(enum vidmm_status status, const char *what) {
    struct vidmm_error error;
    char text[512];
    if (status == VIDMM_OK)
        return;
    vidmm_last_error(harness.adapter, &error);
    vidmm_error_text(&error, text, sizeof(text));
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

static void start(void) {
    const struct vidmm_host_setting settings[] = {{"MmuLevels", 4}, {"VramBytes", VRAM}};
    const struct vidmm_host_config host = {
        .driver_entry = vidmm_softgpu_entry, .model = &vidmm_softgpu_model, .settings = settings, .setting_count = 2};
    const struct vidmm_adapter_config adapter = {.model = VIDMM_MODEL_GPUMMU};
    char text[512];
    if (vidmm_harness_open(&host, &adapter, &harness, text, sizeof(text)) != VIDMM_HARNESS_OK) {
        fprintf(stderr, "%s\n", text);
        exit(1);
    }
    must(vidmm_process_create(harness.adapter, &process), "process");
    must(vidmm_process_device_create(process, &device), "device");
    must(vidmm_context_create(device, 0, 0, &context), "context");
    must(vidmm_paging_queue_create(device, 0, &queue), "paging queue");
}

/* The reference driver takes struct vidmm_umd_allocation as private data; a driver of yours has its own. */
static struct buffer make_buffer(uint64_t size, uint32_t flags) {
    struct vidmm_umd_allocation data = {.magic = VIDMM_UMD_MAGIC, .flags = flags, .size = size};
    const struct vidmm_allocation_request request = {.private_data = &data, .private_size = sizeof(data)};
    struct buffer buffer;
    uint64_t fence;
    must(vidmm_allocation_create(device, &request, &buffer.allocation), "allocation");
    const struct vidmm_va_request map = {
        .size = size, .allocation = buffer.allocation, .protection = VIDMM_VA_WRITE | VIDMM_VA_EXECUTE};
    must(vidmm_va_map(queue, &map, &buffer.va, &fence), "map");
    must(vidmm_paging_wait(queue, fence), "map");
    return buffer;
}

static void list(const struct buffer *buffer) {
    uint64_t fence = 0, to_trim = 0;
    must(vidmm_make_resident(queue, &buffer->allocation, 1, 0, &fence, &to_trim), "make resident");
    must(vidmm_paging_wait(queue, fence), "make resident");
}

/* The GPU fills the buffer with `pattern`; the commands are packets of the software GPU. */
static void fill(const struct buffer *buffer, uint32_t pattern) {
    const struct vidmm_umd_fill packet = {.head = {VIDMM_UMD_PACKET_FILL, 0, sizeof(packet)},
                                          .pattern = pattern,
                                          .destination = buffer->va,
                                          .bytes = BYTES};
    const struct vidmm_virtual_submission submission = {.commands = commands.va, .size = sizeof(packet)};
    uint64_t fence;
    void *cpu;
    must(vidmm_lock(commands.allocation, 0, &cpu), "lock");
    memcpy(cpu, &packet, sizeof(packet));
    vidmm_unlock(commands.allocation);
    must(vidmm_submit_virtual(context, &submission, &fence), "submit");
    must(vidmm_wait(harness.adapter, fence), "wait");
}

static void expect(const struct buffer *buffer, uint32_t pattern) {
    uint32_t *cpu;
    must(vidmm_lock(buffer->allocation, VIDMM_LOCK_READ_ONLY, (void **)&cpu), "lock");
    for (uint32_t i = 0; i < BYTES / sizeof(*cpu); i++) {
        if (cpu[i] == pattern)
            continue;
        fprintf(stderr, "byte %u has %x instead of %x\n", i * 4, cpu[i], pattern);
        exit(1);
    }
    vidmm_unlock(buffer->allocation);
}

int main(void) {
    struct buffer buffer[ALLOCATIONS];
    struct vidmm_budget budget;
    struct vidmm_stats stats;
    char text[512];
    start();
    commands = make_buffer(PAGE, VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED);
    list(&commands);
    for (uint32_t i = 0; i < ALLOCATIONS; i++) {
        buffer[i] = make_buffer(BYTES, VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE);
        list(&buffer[i]);
        fill(&buffer[i], i + 1);
        if (i >= KEPT) /* more would not fit: the oldest may leave */
            must(vidmm_device_evict(device, &buffer[i - KEPT].allocation, 1, 0, NULL), "evict");
    }
    for (uint32_t i = 0; i < ALLOCATIONS; i++)
        expect(&buffer[i], i + 1);
    vidmm_process_budget(process, 0, VIDMM_GROUP_LOCAL, &budget);
    vidmm_stats(harness.adapter, &stats);
    printf("%d buffers of %d bytes at addresses from 0x%llx, VRAM of %d: %d page-ins, %d "
           "evictions, budget %llu\n",
           ALLOCATIONS, BYTES, (unsigned long long)buffer[0].va, VRAM, (int)stats.page_ins, (int)stats.evictions,
           (unsigned long long)budget.budget);
    for (uint32_t i = 0; i < ALLOCATIONS; i++)
        vidmm_allocation_destroy(buffer[i].allocation);
    vidmm_allocation_destroy(commands.allocation);
    vidmm_paging_queue_destroy(queue);
    vidmm_context_destroy(context);
    vidmm_device_destroy(device);
    vidmm_process_destroy(process);
    if (vidmm_harness_close(&harness, text, sizeof(text)) == VIDMM_HARNESS_OK)
        return 0;
    fprintf(stderr, "%s\n", text);
    return 1;
}
