/* hand.c - see hand.h. */
#include "hand.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/umd.h>

/* Past every fence that the manager used. */
#define FIRST_FENCE 0x10000u
/* Answers INSUFFICIENT or BUSY to one operation before it is given up. */
#define PASSES_MOST 4096u

/* ---- What the driver tells --------------------------------------------------------------------
 */

static void completed(void *ctx, uint32_t node, uint32_t fence) {
    struct hand *hand = ctx;
    if (node == hand->info.paging_node)
        hand->completed = fence;
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

static bool fits(struct hand *hand) {
    const char *missing = NULL;
    if (hand->memory.id == 0)
        missing = "the driver has no memory segment of 48 pages";
    else if (hand->info.paging_segment != 0)
        missing = "the paging buffer is in an aperture; it is examined through the manager alone";
    else if (hand->ddi->DxgkDdiBuildPagingBuffer == NULL || hand->ddi->DxgkDdiSubmitCommand == NULL)
        missing = "the driver builds or submits no paging buffers";
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
    if (hand->ddi->DxgkDdiCreateDevice(hand->adapter, &device) != STATUS_SUCCESS)
        return false;
    hand->device = device.hDevice;
    DXGKARG_CREATECONTEXT context = {
        .hContext = hand, .NodeOrdinal = hand->info.paging_node, .EngineAffinity = 1};
    context.Flags.SystemContext = 1;
    if (hand->ddi->DxgkDdiCreateContext(hand->device, &context) != STATUS_SUCCESS)
        return false;
    hand->context = context.hContext;
    return true;
}

/* One that is at home in GPU memory; without one operations go without a handle. */
static void make_allocation(struct hand *hand) {
    struct vidmm_umd_caps caps = {.magic = 0};
    DXGKARG_QUERYADAPTERINFO query = {
        .Type = DXGKQAITYPE_UMDRIVERPRIVATE, .pOutputData = &caps, .OutputDataSize = sizeof(caps)};
    if (hand->ddi->DxgkDdiQueryAdapterInfo(hand->adapter, &query) != STATUS_SUCCESS ||
        caps.magic != VIDMM_UMD_MAGIC || caps.version != VIDMM_UMD_VERSION)
        return;
    struct vidmm_umd_allocation data = {.magic = VIDMM_UMD_MAGIC,
                                        .flags = VIDMM_UMD_LOCAL,
                                        .size = (uint64_t)HAND_PAGES * EXAM_PAGE};
    DXGK_ALLOCATIONINFO info;
    memset(&info, 0, sizeof(info));
    info.pPrivateDriverData = &data;
    info.PrivateDriverDataSize = sizeof(data);
    DXGKARG_CREATEALLOCATION create = {.NumAllocations = 1, .pAllocationInfo = &info};
    if (hand->ddi->DxgkDdiCreateAllocation(hand->adapter, &create) == STATUS_SUCCESS)
        hand->allocation = info.hAllocation;
}

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

enum vidmm_stage_outcome hand_open(struct hand *hand, struct exam *exam) {
    *hand = (struct hand){.exam = exam,
                          .ddi = &exam->lab.table,
                          .adapter = vidmm_host_adapter(exam->lab.host),
                          .os = vidmm_host_os(exam->lab.host),
                          .fence = FIRST_FENCE,
                          .completed = FIRST_FENCE};
    if (!learn(hand))
        return VIDMM_STAGE_STOPPED;
    if (!fits(hand))
        return VIDMM_STAGE_SKIPPED;
    const struct vidmm_host_sink sink = {.ctx = hand, .completed = completed, .faulted = faulted};
    vidmm_host_set_sink(exam->lab.host, &sink);
    if (make_buffers(hand) && make_context(hand)) {
        make_allocation(hand);
        return VIDMM_STAGE_DONE;
    }
    hand_close(hand);
    return exam_say(exam, VIDMM_STAGE_STOPPED, "no buffers, or no system context");
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

void hand_close(struct hand *hand) {
    if (hand->unseen)
        give_up(hand);
    if (hand->allocation != NULL) {
        DXGKARG_DESTROYALLOCATION destroy = {.NumAllocations = 1,
                                             .pAllocationList = &hand->allocation};
        (void)hand->ddi->DxgkDdiDestroyAllocation(hand->adapter, &destroy);
    }
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
}

/* ---- Submitting ------------------------------------------------------------------------------ */

static void describe(const struct hand *hand, DXGKARG_PATCH *patch, DXGKARG_SUBMITCOMMAND *submit) {
    uint64_t physical = MmGetMdlPfnArray(hand->buffer)[0] * (uint64_t)EXAM_PAGE;
    *patch = (DXGKARG_PATCH){.hContext = hand->context,
                             .pDmaBuffer = hand->cpu,
                             .DmaBufferSize = hand->info.paging_size,
                             .DmaBufferSubmissionEndOffset = hand->used,
                             .pDmaBufferPrivateData = hand->private_data,
                             .DmaBufferPrivateDataSize = hand->info.paging_private,
                             .DmaBufferPrivateDataSubmissionEndOffset = hand->private_used,
                             .SubmissionFenceId = hand->fence};
    patch->DmaBufferPhysicalAddress.QuadPart = (LONGLONG)physical;
    patch->Flags.Paging = 1;
    *submit = (DXGKARG_SUBMITCOMMAND){.hContext = hand->context,
                                      .DmaBufferSize = hand->info.paging_size,
                                      .DmaBufferSubmissionEndOffset = hand->used,
                                      .pDmaBufferPrivateData = hand->private_data,
                                      .DmaBufferPrivateDataSize = hand->info.paging_private,
                                      .DmaBufferPrivateDataSubmissionEndOffset = hand->private_used,
                                      .SubmissionFenceId = hand->fence,
                                      .NodeOrdinal = hand->info.paging_node};
    submit->DmaBufferPhysicalAddress = patch->DmaBufferPhysicalAddress;
    submit->Flags.Paging = 1;
}

static bool refuse(struct hand *hand, const char *call, NTSTATUS status) {
    hand->refused = true;
    (void)exam_say(hand->exam, VIDMM_STAGE_STOPPED, "%s answered status 0x%08x", call,
                   (unsigned)status);
    return false;
}

bool hand_flush(struct hand *hand) {
    DXGKARG_PATCH patch;
    DXGKARG_SUBMITCOMMAND submit;
    bool patches =
        hand->ddi->DxgkDdiPatch != NULL && hand->exam->options->readings.paging_patch == 0;
    if (hand->refused || hand->used == 0)
        return !hand->refused;
    hand->fence++;
    describe(hand, &patch, &submit);
    NTSTATUS status = patches ? hand->ddi->DxgkDdiPatch(hand->adapter, &patch) : STATUS_SUCCESS;
    if (status != STATUS_SUCCESS)
        return refuse(hand, "DxgkDdiPatch", status);
    status = hand->ddi->DxgkDdiSubmitCommand(hand->adapter, &submit);
    if (status != STATUS_SUCCESS)
        return refuse(hand, "DxgkDdiSubmitCommand", status);
    vidmm_host_run(hand->exam->lab.host);
    hand->used = hand->private_used = 0;
    hand->unseen = hand->completed != hand->fence || hand->faulted == hand->fence;
    hand->refused = hand->unseen;
    if (hand->unseen)
        (void)exam_say(hand->exam, VIDMM_STAGE_SKIPPED,
                       "work does not complete, so effects were not observed");
    return !hand->unseen;
}

/* ---- Building -------------------------------------------------------------------------------- */

static void aim(const struct hand *hand, DXGKARG_BUILDPAGINGBUFFER *args) {
    args->pDmaBuffer = hand->cpu + hand->used;
    args->DmaSize = hand->info.paging_size - hand->used;
    args->pDmaBufferPrivateData =
        hand->private_data != NULL ? hand->private_data + hand->private_used : NULL;
    args->DmaBufferPrivateDataSize = hand->info.paging_private - hand->private_used;
    args->DmaBufferWriteOffset = hand->used;
}

/* Takes over how far the driver wrote; false: it points somewhere else. */
static bool advance(struct hand *hand, const DXGKARG_BUILDPAGINGBUFFER *args) {
    uintptr_t used = (uintptr_t)args->pDmaBuffer - (uintptr_t)hand->cpu;
    uintptr_t private_used = hand->private_data == NULL ? 0
                                                        : (uintptr_t)args->pDmaBufferPrivateData -
                                                              (uintptr_t)hand->private_data;
    if (used < hand->used || used > hand->info.paging_size ||
        private_used > hand->info.paging_private)
        return false;
    hand->used = (uint32_t)used;
    hand->private_used = (uint32_t)private_used;
    return true;
}

static void say_idle(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_TRANSFER)
        args->Transfer.Flags.AllocationIsIdle = 1;
    else if (args->Operation == DXGK_OPERATION_DISCARD_CONTENT)
        args->DiscardContent.Flags.AllocationIsIdle = 1;
}

/* What comes of an answer that is not SUCCESS: whether the operation goes on. */
static bool go_on(struct hand *hand, DXGKARG_BUILDPAGINGBUFFER *args, NTSTATUS status, bool stuck) {
    if (status == STATUS_GRAPHICS_ALLOCATION_BUSY) {
        say_idle(args); /* nothing else uses it */
        return hand_flush(hand);
    }
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER && !stuck)
        return hand_flush(hand);
    return refuse(hand, "DxgkDdiBuildPagingBuffer", status);
}

bool hand_build(struct hand *hand, DXGKARG_BUILDPAGINGBUFFER *args) {
    args->hSystemContext = hand->context;
    for (uint32_t pass = 0; pass < PASSES_MOST && !hand->refused; pass++) {
        uint32_t before = hand->used, multipass = args->MultipassOffset;
        aim(hand, args);
        NTSTATUS status = hand->ddi->DxgkDdiBuildPagingBuffer(hand->adapter, args);
        if (!advance(hand, args))
            return refuse(hand, "DxgkDdiBuildPagingBuffer left the buffer and", status);
        if (status == STATUS_SUCCESS)
            return true;
        bool stuck = before == 0 && hand->used == 0 && args->MultipassOffset == multipass;
        if (!go_on(hand, args, status, stuck))
            return false;
    }
    return hand->refused ? false : refuse(hand, "DxgkDdiBuildPagingBuffer again and again", 0);
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
