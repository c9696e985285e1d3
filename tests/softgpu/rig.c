/* rig.c - see rig.h. */
#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/softgpu.h>

#define GUARD 0xa5u

/* ---- Up and down ----------------------------------------------------------------------------- */

static void completed(void *ctx, uint32_t node, uint32_t fence) {
    struct rig *rig = ctx;
    rig->completed = fence;
    rig->completed_node = node;
}

static void preempted(void *ctx, uint32_t node, uint32_t fence, uint32_t last) {
    struct rig *rig = ctx;
    (void)node;
    rig->preempted = fence;
    rig->preempted_last = last;
}

static void faulted(void *ctx, uint32_t node, uint32_t fence) {
    struct rig *rig = ctx;
    (void)node;
    rig->faulted = fence;
}

static void *handle_data(void *ctx, const DXGKARGCB_GETHANDLEDATA *data) {
    struct rig *rig = ctx;
    (void)data;
    return rig->opening;
}

/* ---- Where the rig looks behind the curtain -------------------------------------------------- */

static struct rig *rig_now;
static void *rig_hardware;
static bool rig_threads;
static DXGKCB_NOTIFY_INTERRUPT notify_interrupt;

static void *create_hardware(const struct vidmm_hw_host *host,
                             struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    rig_hardware = softgpu_model.create(host, bars);
    return rig_hardware;
}

struct vidmm_hw_translation rig_translate(uint64_t root, uint32_t entries, uint64_t va) {
    struct vidmm_hw_translation out = {0};
    assert_true(softgpu_model.translate(rig_hardware, root, entries, va, &out));
    return out;
}

static VOID APIENTRY notified(const HANDLE handle, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    rig_now->notified = *data;
    if (rig_now->serving)
        rig_now->serving();
    notify_interrupt(handle, data);
}

static void watch(void *ctx, DXGKRNL_INTERFACE *callbacks) {
    (void)ctx;
    notify_interrupt = callbacks->DxgkCbNotifyInterrupt;
    callbacks->DxgkCbNotifyInterrupt = notified;
}

static bool create(struct rig *rig, const struct vidmm_host_setting *settings, uint32_t count,
                   struct vidmm_host_error *error) {
    const struct vidmm_host_interposer interposer = {.callbacks = watch};
    static struct vidmm_hw_model model; /* the host keeps the pointer */
    model = softgpu_model;
    model.create = create_hardware;
    struct vidmm_host_config config = {
        .driver_entry = softgpu_driver_entry,
        .model = &model,
        .interposer = &interposer,
        .settings = settings,
        .setting_count = count,
        .memory_bytes = (uint64_t)1 << 30,
        .seed = 12345, /* scattered pages */
        .threads = rig_threads,
    };
    memset(rig, 0, sizeof(*rig));
    rig_now = rig;
    return vidmm_host_create(&config, &rig->host, error);
}

bool rig_starts(const struct vidmm_host_setting *settings, uint32_t count) {
    struct vidmm_host_error error = {0};
    struct rig rig;
    if (!create(&rig, settings, count, &error))
        return false;
    bool started = vidmm_host_start(rig.host, &error);
    if (started)
        assert_true(vidmm_host_stop(rig.host, &error));
    assert_true(vidmm_host_destroy(rig.host, &error));
    return started;
}

void rig_open(struct rig *rig, const struct vidmm_host_setting *settings, uint32_t count) {
    struct vidmm_host_error error = {0};
    if (!create(rig, settings, count, &error))
        fail_msg("%s", error.text);
    struct vidmm_host_sink sink = {.ctx = rig,
                                   .completed = completed,
                                   .preempted = preempted,
                                   .faulted = faulted,
                                   .handle_data = handle_data};
    vidmm_host_set_sink(rig->host, &sink);
    if (!vidmm_host_start(rig->host, &error))
        fail_msg("%s", error.text);
    rig->ddi = vidmm_host_ddi(rig->host);
    rig->adapter = vidmm_host_adapter(rig->host);
    rig->os = vidmm_host_os(rig->host);
    rig->buffer = rig->os->pages_alloc(rig->os->ctx, RIG_BUFFER / RIG_PAGE + 1,
                                       VIDMM_PAGES_CONTIGUOUS, UINT64_MAX);
    rig->buffer_cpu = rig->os->pages_map(rig->os->ctx, rig->buffer);
    assert_non_null(rig->buffer_cpu);
}

void rig_open_threaded(struct rig *rig, const struct vidmm_host_setting *settings, uint32_t count) {
    rig_threads = true;
    rig_open(rig, settings, count);
    rig_threads = false;
}

void rig_close(struct rig *rig) {
    struct vidmm_host_error error = {0};
    rig->os->pages_free(rig->os->ctx, rig->buffer);
    for (uint32_t i = 0; i < vidmm_host_violations(rig->host); i++)
        fail_msg("%s", vidmm_host_violation(rig->host, i));
    if (!vidmm_host_stop(rig->host, &error))
        fail_msg("%s", error.text);
    if (!vidmm_host_destroy(rig->host, &error))
        fail_msg("%s", error.text);
}

/* ---- Paging ---------------------------------------------------------------------------------- */

NTSTATUS rig_build(struct rig *rig, DXGKARG_BUILDPAGINGBUFFER *args, uint32_t size,
                   uint32_t *used) {
    assert_true(size <= RIG_BUFFER);
    memset(rig->buffer_cpu, (int)GUARD, size + 64);
    args->pDmaBuffer = rig->buffer_cpu;
    args->DmaSize = size;
    NTSTATUS status = rig->ddi->DxgkDdiBuildPagingBuffer(rig->adapter, args);
    const unsigned char *end = args->pDmaBuffer;
    assert_true(end >= rig->buffer_cpu && end <= rig->buffer_cpu + size);
    *used = (uint32_t)(end - rig->buffer_cpu);
    assert_int_equal(args->DmaSize, size - *used);
    for (uint32_t i = *used; i < size + 64; i++)
        assert_int_equal(rig->buffer_cpu[i], GUARD);
    return status;
}

static void submit_virtual(struct rig *rig, uint32_t used) {
    DXGKARG_SUBMITCOMMANDVIRTUAL submit = {0};
    submit.hContext = rig->paging_context;
    submit.DmaBufferVirtualAddress = rig->buffer_va;
    submit.DmaBufferSize = used;
    submit.SubmissionFenceId = ++rig->fence;
    submit.Flags.Paging = 1;
    assert_int_equal(rig->ddi->DxgkDdiSubmitCommandVirtual(rig->adapter, &submit), STATUS_SUCCESS);
    vidmm_host_run(rig->host);
    rig->submissions++;
}

void rig_submit_paging(struct rig *rig, uint32_t used) {
    if (rig->paging_context) {
        submit_virtual(rig, used);
        return;
    }
    DXGKARG_SUBMITCOMMAND submit = {0};
    const PFN_NUMBER *page = MmGetMdlPfnArray(rig->buffer);
    uint32_t nodes = 1;
    DXGK_DRIVERCAPS caps = {0};
    DXGKARG_QUERYADAPTERINFO query = {
        .Type = DXGKQAITYPE_DRIVERCAPS, .pOutputData = &caps, .OutputDataSize = sizeof(caps)};
    assert_int_equal(rig->ddi->DxgkDdiQueryAdapterInfo(rig->adapter, &query), STATUS_SUCCESS);
    nodes = caps.GpuEngineTopology.NbAsymetricProcessingNodes;
    submit.DmaBufferPhysicalAddress.QuadPart = (LONGLONG)(page[0] * RIG_PAGE);
    submit.DmaBufferSize = RIG_BUFFER;
    submit.DmaBufferSubmissionEndOffset = used;
    submit.SubmissionFenceId = ++rig->fence;
    submit.Flags.Paging = 1;
    submit.NodeOrdinal = nodes - 1;
    assert_int_equal(rig->ddi->DxgkDdiSubmitCommand(rig->adapter, &submit), STATUS_SUCCESS);
    vidmm_host_run(rig->host);
    rig->submissions++;
}

NTSTATUS rig_page(struct rig *rig, DXGKARG_BUILDPAGINGBUFFER *args, uint32_t size) {
    for (uint32_t pass = 0;; pass++) {
        uint32_t used, before = args->MultipassOffset;
        NTSTATUS status = rig_build(rig, args, size, &used);
        if (used != 0) {
            rig_submit_paging(rig, used);
            assert_int_equal(rig->faulted, 0);
            assert_int_equal(rig->completed, rig->fence);
        }
        if (status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
            return status;
        if (used == 0 && args->MultipassOffset == before)
            return status;
        assert_true(pass < 100000);
    }
}

/* ---- Queries --------------------------------------------------------------------------------- */

uint32_t rig_segments(struct rig *rig, struct rig_segment *out, uint32_t room) {
    DXGK_SEGMENTDESCRIPTOR descriptor[31] = {0};
    DXGK_QUERYSEGMENTIN in = {0};
    DXGK_QUERYSEGMENTOUT answer = {0};
    DXGKARG_QUERYADAPTERINFO query = {.Type = DXGKQAITYPE_QUERYSEGMENT,
                                      .pInputData = &in,
                                      .InputDataSize = sizeof(in),
                                      .pOutputData = &answer,
                                      .OutputDataSize = sizeof(answer)};
    assert_int_equal(rig->ddi->DxgkDdiQueryAdapterInfo(rig->adapter, &query), STATUS_SUCCESS);
    assert_true(answer.NbSegment <= room && answer.NbSegment <= 31);
    answer.pSegmentDescriptor = descriptor;
    assert_int_equal(rig->ddi->DxgkDdiQueryAdapterInfo(rig->adapter, &query), STATUS_SUCCESS);
    for (uint32_t i = 0; i < answer.NbSegment; i++)
        out[i] = (struct rig_segment){
            descriptor[i].Flags.Value, (uint64_t)descriptor[i].BaseAddress.QuadPart,
            descriptor[i].Size, (uint64_t)descriptor[i].CpuTranslatedAddress.QuadPart};
    return answer.NbSegment;
}

uint32_t rig_find(struct rig *rig, uint32_t mask, uint32_t flags, struct rig_segment *out) {
    struct rig_segment segment[31];
    uint32_t count = rig_segments(rig, segment, 31);
    for (uint32_t i = 0; i < count; i++) {
        if ((segment[i].flags & mask) != flags)
            continue;
        *out = segment[i];
        return i + 1;
    }
    fail_msg("no segment with flags %x of %x", flags, mask);
    return 0;
}

/* ---- Allocations ----------------------------------------------------------------------------- */

HANDLE rig_allocate(struct rig *rig, const struct vidmm_umd_allocation *umd,
                    DXGK_ALLOCATIONINFO *info, NTSTATUS *status) {
    DXGKARG_CREATEALLOCATION create = {.NumAllocations = 1, .pAllocationInfo = info};
    struct vidmm_umd_allocation data = *umd;
    memset(info, 0, sizeof(*info));
    info->pPrivateDriverData = &data;
    info->PrivateDriverDataSize = sizeof(data);
    NTSTATUS result = rig->ddi->DxgkDdiCreateAllocation(rig->adapter, &create);
    info->pPrivateDriverData = NULL;
    if (status)
        *status = result;
    return NT_SUCCESS(result) ? info->hAllocation : NULL;
}

void rig_free(struct rig *rig, HANDLE allocation) {
    DXGKARG_DESTROYALLOCATION destroy = {.NumAllocations = 1, .pAllocationList = &allocation};
    assert_int_equal(rig->ddi->DxgkDdiDestroyAllocation(rig->adapter, &destroy), STATUS_SUCCESS);
}

unsigned char *rig_mdl_page(struct rig *rig, PMDL mdl, size_t page) {
    unsigned char *at =
        vidmm_host_memory(rig->host, MmGetMdlPfnArray(mdl)[page] * RIG_PAGE, RIG_PAGE);
    assert_non_null(at);
    return at;
}

/* ---- Operations ------------------------------------------------------------------------------ */

DXGKARG_BUILDPAGINGBUFFER rig_fill(uint32_t segment, uint64_t address, uint64_t bytes,
                                   uint32_t pattern) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_FILL};
    args.Fill.FillSize = bytes;
    args.Fill.FillPattern = pattern;
    args.Fill.Destination.SegmentId = segment;
    args.Fill.Destination.SegmentAddress.QuadPart = (LONGLONG)address;
    return args;
}

DXGKARG_BUILDPAGINGBUFFER rig_map(uint32_t segment, uint64_t first, uint64_t pages, PMDL mdl,
                                  uint32_t mdl_offset) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT};
    args.MapApertureSegment.SegmentId = segment;
    args.MapApertureSegment.OffsetInPages = first;
    args.MapApertureSegment.NumberOfPages = pages;
    args.MapApertureSegment.pMdl = mdl;
    args.MapApertureSegment.MdlOffset = mdl_offset;
    return args;
}

DXGKARG_BUILDPAGINGBUFFER rig_unmap(uint32_t segment, uint64_t first, uint64_t pages,
                                    uint64_t dummy) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT};
    args.UnmapApertureSegment.SegmentId = segment;
    args.UnmapApertureSegment.OffsetInPages = first;
    args.UnmapApertureSegment.NumberOfPages = pages;
    args.UnmapApertureSegment.DummyPage.QuadPart = (LONGLONG)dummy;
    return args;
}

static DXGKARG_BUILDPAGINGBUFFER transfer(HANDLE allocation, uint64_t bytes) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_TRANSFER};
    args.Transfer.hAllocation = allocation;
    args.Transfer.TransferSize = bytes;
    args.Transfer.Flags.TransferStart = 1;
    args.Transfer.Flags.TransferEnd = 1;
    return args;
}

DXGKARG_BUILDPAGINGBUFFER rig_in(HANDLE allocation, uint32_t segment, uint64_t address,
                                 uint64_t bytes, PMDL mdl) {
    DXGKARG_BUILDPAGINGBUFFER args = transfer(allocation, bytes);
    args.Transfer.Source.pMdl = mdl;
    args.Transfer.Destination.SegmentId = segment;
    args.Transfer.Destination.SegmentAddress.QuadPart = (LONGLONG)address;
    return args;
}

DXGKARG_BUILDPAGINGBUFFER rig_out(HANDLE allocation, uint32_t segment, uint64_t address,
                                  uint64_t bytes, PMDL mdl) {
    DXGKARG_BUILDPAGINGBUFFER args = transfer(allocation, bytes);
    args.Transfer.Source.SegmentId = segment;
    args.Transfer.Source.SegmentAddress.QuadPart = (LONGLONG)address;
    args.Transfer.Destination.pMdl = mdl;
    return args;
}

DXGKARG_BUILDPAGINGBUFFER rig_move(HANDLE allocation, uint32_t to, uint64_t to_address,
                                   uint32_t from, uint64_t from_address, uint64_t bytes) {
    DXGKARG_BUILDPAGINGBUFFER args = transfer(allocation, bytes);
    args.Transfer.Source.SegmentId = from;
    args.Transfer.Source.SegmentAddress.QuadPart = (LONGLONG)from_address;
    args.Transfer.Destination.SegmentId = to;
    args.Transfer.Destination.SegmentAddress.QuadPart = (LONGLONG)to_address;
    return args;
}
