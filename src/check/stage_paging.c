/*
 * stage_paging.c - the real manager over the driver, with half the memory that a short workload
 * needs: fills, transfers in one and many pieces, maps and unmaps, locks, flushes, an eviction of
 * everything, a reset.
 */
#include "stage.h"

#define FRAMES     24u
#define FEW_FRAMES 3u
#define VRAM       ((uint64_t)1 << 20)

/* WRITE_PHYSICAL writes to its destination: a free page, while all allocations are evicted.
 */
static void flush_empty(struct vidmm_adapter *adapter) {
    struct vidmm_segment_info info;
    if (vidmm_evict_all(adapter) != VIDMM_OK || !vidmm_segment_info(adapter, 1, &info) ||
        info.aperture || info.used + CHECK_PAGE > info.size)
        return;
    (void)vidmm_flush(adapter, 1, info.size - CHECK_PAGE, true);
}

/* Before the CPU reads what the GPU wrote; not needed for coherent memory. */
static void flush_first(struct vidmm_adapter *adapter) {
    struct vidmm_segment_info info;
    if (!vidmm_segment_info(adapter, 1, &info))
        return;
    DXGK_SEGMENTFLAGS flags = {.Value = info.flags};
    if (!info.aperture || !flags.CacheCoherent)
        (void)vidmm_flush(adapter, 1, 0, false);
}

/* As the system does when it has waited too long: here there is nothing to wait for. */
static void ask_fences(struct check *check) {
    struct vidmm_adapter_info info;
    vidmm_adapter_info(check->harness.adapter, &info);
    for (uint32_t i = 0; i < info.linked * info.nodes; i++)
        (void)check_ask_fence(check, i % info.nodes, i / info.nodes);
}

/* What is done in a pause: what the work goes on behind. */
enum pause { RESET, EVICT, FLUSH, PAUSES };

static const char *const pauses[PAUSES] = {
    [RESET] = "a reset", [EVICT] = "an eviction of everything", [FLUSH] = "a flush"};

/* The n-th pause of the workload. */
static void between(void *ctx, uint64_t done, uint64_t events) {
    struct check *check = ctx;
    struct vidmm_adapter *adapter = check->harness.adapter;
    (void)events;
    if (vidmm_wait_idle(adapter) != VIDMM_OK)
        return;
    check_step(check, "paging: after event %llu, %s", (unsigned long long)done,
               pauses[done / 64 % PAUSES]);
    ask_fences(check);
    switch (done / 64 % PAUSES) {
    case RESET:
        (void)check_reset(check);
        break;
    case EVICT:
        flush_empty(adapter);
        break;
    case FLUSH:
        flush_first(adapter);
        break;
    }
}

/* Before the first work nothing of what an earlier start completed is left to report (R523). What a driver answers then
 * is not judged: no page says that fences begin anew. */
static void ask_first(struct check *check) {
    check_step(check, "paging: before the first work of a second start");
    ask_fences(check);
}

/* A driver may prefer the aperture for all surfaces of the system's, and memory holds them as well. */
static void in_memory(struct check *check) {
    vidmm_place_first(check->harness.adapter, VIDMM_MEMORY_FIRST);
}

/* The runs: default settings; in chunks through paging buffers of one page with busy answers, in memory where the
 * driver prefers an aperture; with
 * the paging buffer in the aperture, private data, one node, and hardware that is done before the driver
 * goes on; on a device that was stopped and started again without being removed, with its resources at other
 * addresses (stopping-a-device-to-rebalance-resources.md). */
static const struct check_setup variants[] = {
    {.settings = {{"VramBytes", VRAM}}},
    {.settings = {{"VramBytes", VRAM}, {"PagingBufferBytes", CHECK_PAGE}, {"BusyEvery", 3}},
     .transfer_chunk = 3 * CHECK_PAGE,
     .scratch_most = 64 * CHECK_PAGE,
     .started = in_memory},
    {.settings = {{"VramBytes", VRAM},
                  {"VramVisibleBytes", VRAM / 2},
                  {"PagingBufferSegment", 1},
                  {"PagingPrivateBytes", 64},
                  {"Nodes", 1}},
     .eager = true},
    {.settings = {{"VramBytes", VRAM}}, .rebalanced = true, .started = ask_first},
};

enum vidmm_stage_outcome stage_paging(struct check *check, uint32_t number) {
    struct check_setup setup = variants[number];
    /* WDDM 2.0 has one aperture only; before, some surfaces are evicted through another. */
    if (number == 0 && check->shared->told.version != 0 &&
        check->shared->told.version < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        setup.settings[1] = (struct vidmm_host_setting){"EvictionApertureBytes", 4 * VRAM};
    check_step(check, "paging: run %u", number + 1);
    return setup.rebalanced ? check_play(check, &setup, FEW_FRAMES, NULL)
                            : check_play(check, &setup, FRAMES, between);
}
