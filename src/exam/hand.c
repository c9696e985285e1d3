/* hand.c - see hand.h. */
#include "hand.h"
#include "surface.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/umd.h>

/* Past every fence that the manager used. */
#define FIRST_FENCE 0x10000u

/* ---- What the driver tells --------------------------------------------------------------------
 */

static void completed(void *ctx, uint32_t node, uint32_t fence) {
    struct hand *hand = ctx;
    if (node == hand->info.paging_node)
        hand->completed = fence;
}

static void preempted(void *ctx, uint32_t node, uint32_t fence, uint32_t last) {
    struct hand *hand = ctx;
    if (node != hand->info.paging_node)
        return;
    hand->preempted = fence;
    if ((int32_t)(last - hand->completed) > 0)
        hand->completed = last;
}

static void faulted(void *ctx, uint32_t node, uint32_t fence) {
    struct hand *hand = ctx;
    if (node == hand->info.paging_node)
        hand->faulted = fence;
}

/* ---- Up and down ----------------------------------------------------------------------------- */

static void choose_segments(struct hand *hand, struct vidmm_adapter *adapter) {
    struct vidmm_segment_info info;
    for (uint32_t id = 1; vidmm_segment_info(adapter, id, &info); id++) {
        struct vidmm_segment_info *role = info.aperture ? &hand->aperture : &hand->memory;
        if (role->id == 0 && !info.agp && info.size >= 2 * HAND_PAGES * EXAM_PAGE)
            *role = info;
        if (id == hand->info.paging_segment)
            hand->place = info;
    }
}

/* The manager asks for everything there is to know; then it goes, and the hand takes over. */
static bool learn(struct hand *hand) {
    const struct exam_world world = {.fail_at = 0};
    if (!exam_manage(hand->exam, &world))
        return false;
    vidmm_adapter_info(hand->exam->lab.adapter, &hand->info);
    choose_segments(hand, hand->exam->lab.adapter);
    vidmm_lab_stop_manager(&hand->exam->lab);
    return true;
}

static bool fits(struct hand *hand, bool aperture_will_do) {
    const char *missing = NULL;
    if (hand->memory.id == 0 && !(aperture_will_do && hand->aperture.id != 0))
        missing = "the driver has no memory segment of 48 pages";
    else if (hand->info.paging_segment != 0 &&
             hand->place.size < hand->info.paging_size + 2 * HAND_PAGES * EXAM_PAGE)
        missing = "the aperture of the paging buffer has no 48 pages besides";
    if (missing != NULL)
        (void)exam_say(hand->exam, VIDMM_STAGE_SKIPPED, "%s", missing);
    return missing == NULL;
}

static bool make_context(struct hand *hand) {
    bool contexts = hand->info.caps.SchedulingCaps.MultiEngineAware != 0 &&
                    hand->ddi->DxgkDdiCreateContext != NULL;
    if (hand->info.interface_version < DXGKDDI_INTERFACE_VERSION_WIN8 || !contexts)
        return true; /* paging has no context */
    DXGKARG_CREATEDEVICE device = {.hDevice = hand};
    device.Flags.SystemDevice = 1;
    NTSTATUS status = hand->ddi->DxgkDdiCreateDevice(hand->adapter, &device);
    if (status != STATUS_SUCCESS)
        return hand_refuse(hand, "DxgkDdiCreateDevice for the system", status);
    hand->device = device.hDevice;
    DXGKARG_CREATECONTEXT context = {
        .hContext = hand, .NodeOrdinal = hand->info.paging_node, .EngineAffinity = 1};
    context.Flags.SystemContext = 1;
    status = hand->ddi->DxgkDdiCreateContext(hand->device, &context);
    if (status != STATUS_SUCCESS)
        return hand_refuse(hand, "DxgkDdiCreateContext for the system", status);
    hand->context = context.hContext;
    return true;
}

/* ---- An allocation --------------------------------------------------------------------------- */

static void destroy(struct hand *hand) {
    DXGKARG_DESTROYALLOCATION args = {.NumAllocations = 1, .pAllocationList = &hand->allocation};
    if (hand->allocation != NULL)
        (void)hand->ddi->DxgkDdiDestroyAllocation(hand->adapter, &args);
    hand->allocation = NULL;
}

/* Kept if it is just as large as the hand will say, and may be in the segment. */
static void create(struct hand *hand, DXGK_ALLOCATIONINFO *info) {
    DXGKARG_CREATEALLOCATION args = {.NumAllocations = 1, .pAllocationInfo = info};
    if (hand->ddi->DxgkDdiCreateAllocation(hand->adapter, &args) == STATUS_SUCCESS)
        hand->allocation = info->hAllocation;
    bool fits = info->Size == HAND_PAGES * EXAM_PAGE &&
                (info->SupportedWriteSegmentSet >> (hand->memory.id - 1) & 1u) != 0;
    if (!fits)
        destroy(hand);
}

static void create_spoken(struct hand *hand) {
    struct vidmm_umd_allocation data = {.magic = VIDMM_UMD_MAGIC,
                                        .flags = VIDMM_UMD_LOCAL,
                                        .size = (uint64_t)HAND_PAGES * EXAM_PAGE};
    DXGK_ALLOCATIONINFO info;
    memset(&info, 0, sizeof(info));
    info.pPrivateDriverData = &data;
    info.PrivateDriverDataSize = sizeof(data);
    create(hand, &info);
}

/* A surface that the system makes for itself. */
static void create_standard(struct hand *hand, uint32_t kind) {
    struct exam_surface surface;
    DXGK_ALLOCATIONINFO info;
    memset(&info, 0, sizeof(info));
    if (exam_surface_open(hand->exam, &surface, kind, 256, HAND_PAGES * EXAM_PAGE / (256 * 4))) {
        info.pPrivateDriverData = surface.data;
        info.PrivateDriverDataSize = surface.size;
        create(hand, &info);
    }
    exam_surface_close(&surface);
}

/* One that is at home in GPU memory; without one operations go without a handle. */
static void make_allocation(struct hand *hand) {
    if (hand->memory.id == 0)
        return;
    if (exam_speaks(hand->exam))
        create_spoken(hand);
    for (uint32_t kind = 0; hand->allocation == NULL && kind < EXAM_SURFACES; kind++)
        create_standard(hand, kind);
}

/* ---- Up and down ----------------------------------------------------------------------------- */

static bool make_buffers(struct hand *hand) {
    const struct vidmm_os *os = hand->os;
    size_t pages = (hand->info.paging_size + EXAM_PAGE - 1) / EXAM_PAGE;
    hand->buffer = os->pages_alloc(os->ctx, pages, VIDMM_PAGES_CONTIGUOUS, UINT64_MAX);
    hand->source = os->pages_alloc(os->ctx, HAND_PAGES, VIDMM_PAGES_CACHED, UINT64_MAX);
    hand->target = os->pages_alloc(os->ctx, HAND_PAGES, VIDMM_PAGES_CACHED, UINT64_MAX);
    if (hand->info.paging_private != 0)
        hand->private_data = os->alloc(os->ctx, hand->info.paging_private);
    hand->cpu = hand->buffer != NULL ? os->pages_map(os->ctx, hand->buffer) : NULL;
    return hand->cpu != NULL && hand->source != NULL && hand->target != NULL &&
           (hand->info.paging_private == 0 || hand->private_data != NULL);
}

static enum vidmm_stage_outcome open_hand(struct hand *hand, struct exam *exam,
                                          bool aperture_will_do) {
    *hand = (struct hand){.exam = exam,
                          .ddi = &exam->lab.table,
                          .adapter = vidmm_host_adapter(exam->lab.host),
                          .os = vidmm_host_os(exam->lab.host),
                          .fence = FIRST_FENCE,
                          .completed = FIRST_FENCE};
    if (!learn(hand))
        return VIDMM_STAGE_STOPPED;
    if (!fits(hand, aperture_will_do))
        return VIDMM_STAGE_SKIPPED;
    const struct vidmm_host_sink sink = {
        .ctx = hand, .completed = completed, .preempted = preempted, .faulted = faulted};
    vidmm_host_set_sink(exam->lab.host, &sink);
    hand->end = hand->info.paging_size;
    if (!make_buffers(hand)) {
        (void)hand_close(hand);
        return exam_say(exam, VIDMM_STAGE_STOPPED, "out of memory for the paging buffer");
    }
    if (!make_context(hand))
        return hand_close(hand);
    make_allocation(hand);
    if (hand->info.paging_segment != 0 && !hand_map_buffer(hand))
        return hand_close(hand);
    return VIDMM_STAGE_DONE;
}

enum vidmm_stage_outcome hand_open(struct hand *hand, struct exam *exam) {
    return open_hand(hand, exam, false);
}

enum vidmm_stage_outcome hand_open_aperture(struct hand *hand, struct exam *exam) {
    return open_hand(hand, exam, true);
}

static void free_pages(struct hand *hand, PMDL mdl) {
    if (mdl != NULL)
        hand->os->pages_free(hand->os->ctx, mdl);
}

/* Work that never completes is given up before the driver is asked for anything else. */
static void give_up(struct hand *hand) {
    if (hand->ddi->DxgkDdiResetFromTimeout != NULL)
        (void)hand->ddi->DxgkDdiResetFromTimeout(hand->adapter);
    if (hand->ddi->DxgkDdiRestartFromTimeout != NULL)
        (void)hand->ddi->DxgkDdiRestartFromTimeout(hand->adapter);
}

enum vidmm_stage_outcome hand_close(struct hand *hand) {
    if (hand->mapped && !hand->refused && hand_flush(hand) && hand_unmap_buffer(hand))
        (void)hand_flush(hand);
    if (hand->unseen)
        give_up(hand);
    destroy(hand);
    if (hand->context != NULL)
        (void)hand->ddi->DxgkDdiDestroyContext(hand->context);
    if (hand->device != NULL)
        (void)hand->ddi->DxgkDdiDestroyDevice(hand->device);
    free_pages(hand, hand->buffer);
    free_pages(hand, hand->source);
    free_pages(hand, hand->target);
    if (hand->private_data != NULL)
        hand->os->free(hand->os->ctx, hand->private_data, hand->info.paging_private);
    vidmm_host_set_sink(hand->exam->lab.host, NULL);
    if (hand->unseen && !hand->works && hand->faulted == 0)
        return VIDMM_STAGE_SKIPPED;
    return hand->refused ? VIDMM_STAGE_STOPPED : VIDMM_STAGE_DONE;
}

/* ---- The paging buffer in an aperture -------------------------------------------------------- */

static uint32_t buffer_pages(const struct hand *hand) {
    return (hand->info.paging_size + EXAM_PAGE - 1) / EXAM_PAGE;
}

uint32_t hand_buffer_page(const struct hand *hand) {
    return (uint32_t)(hand->place.size / EXAM_PAGE) - buffer_pages(hand);
}

bool hand_map_buffer(struct hand *hand) {
    hand->mapped =
        hand_map(hand, &hand->place, hand_buffer_page(hand), buffer_pages(hand), hand->buffer, 0) &&
        hand_flush(hand);
    return hand->mapped;
}

bool hand_unmap_buffer(struct hand *hand) {
    hand->mapped = false;
    return hand_unmap(hand, &hand->place, hand_buffer_page(hand), buffer_pages(hand));
}

/* ---- Looking --------------------------------------------------------------------------------- */

unsigned char *hand_page(struct hand *hand, PMDL mdl, uint64_t page) {
    return vidmm_host_memory(hand->exam->lab.host,
                             MmGetMdlPfnArray(mdl)[page] * (uint64_t)EXAM_PAGE, EXAM_PAGE);
}

void hand_paint(struct hand *hand, PMDL mdl, uint32_t seed) {
    for (uint32_t page = 0; page < HAND_PAGES; page++) {
        unsigned char *bytes = hand_page(hand, mdl, page);
        uint32_t x = seed * 0x9e3779b9u + page * 0x85ebca6bu + 1;
        for (uint32_t i = 0; i < EXAM_PAGE; i++) {
            x = x * 1664525u + 1013904223u;
            bytes[i] = (unsigned char)(x >> 24);
        }
    }
}

void hand_judge(struct hand *hand, uint32_t rule, bool kept, const char *expected,
                const char *found) {
    struct vidmm_ledger *ledger = &hand->exam->shared->ledger;
    bool explained = false;
    for (uint32_t i = 0; i < ledger->findings; i++)
        explained = explained || ledger->finding[i].kind == VIDMM_FINDING_RULE;
    if (kept || !explained)
        vidmm_ledger_judge(ledger, rule, VIDMM_SIDE_DRIVER, kept, expected, "%s", found);
}
