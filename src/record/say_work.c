/*
 * say_work.c - what calls say of work: render, patch, submit, preempt, fences, engines, resets.
 */
#include "fields.h"

/* What an element says of the allocation of its index. */
static void say_list(const struct fields *f, const char *name, const DXGK_ALLOCATIONLIST *list,
                     uint32_t count) {
    uint32_t told = list ? field_list(f, name, count) : 0;
    for (uint32_t i = 0; i < told; i++) {
        const DXGK_ALLOCATIONLIST *a = &list[i];
        field_begin(f, NULL, false);
        HANDLE_OF(OPENED, hDeviceSpecificAllocation);
        NUMBER(WriteOperation);
        NUMBER(SegmentId);
        ADDRESS(PhysicalAddress);
        field_end(f);
    }
    if (list)
        field_list_end(f, count);
}

static void say_patches(const struct fields *f, const char *name,
                        const D3DDDI_PATCHLOCATIONLIST *list, uint32_t count) {
    uint32_t told = list ? field_list(f, name, count) : 0;
    for (uint32_t i = 0; i < told; i++) {
        const D3DDDI_PATCHLOCATIONLIST *a = &list[i];
        field_begin(f, NULL, false);
        NUMBER(AllocationIndex);
        NUMBER(SlotId);
        NUMBER(AllocationOffset);
        NUMBER(PatchOffset);
        NUMBER(SplitOffset);
        field_end(f);
    }
    if (list)
        field_list_end(f, count);
}

static void say_render(const struct fields *f, const void *args) {
    const DXGKARG_RENDER *a = args;
    NUMBER(CommandLength);
    NUMBER(DmaSize);
    NUMBER(DmaBufferPrivateDataSize);
    NUMBER(AllocationListSize);
    NUMBER(PatchLocationListInSize);
    NUMBER(PatchLocationListOutSize);
    NUMBER(MultipassOffset);
    NUMBER(DmaBufferSegmentId);
}

static void keep_written(struct vidmm_host_call *call, const void *dma, const void *own,
                         const void *patches) {
    call->kept[0] = (uintptr_t)dma;
    call->kept[1] = (uintptr_t)own;
    call->kept[2] = (uintptr_t)patches;
}

/* How far the driver got; the buffers are as far as they were before the call. */
static void say_written(const struct fields *f, const void *dma, const void *own,
                        const void *patches) {
    const uint64_t *kept = f->call->kept;
    field_number(f, "DmaBufferBytes", (uintptr_t)dma - kept[0]);
    field_number(f, "DmaBufferPrivateDataBytes", (uintptr_t)own - kept[1]);
    field_number(f, "PatchLocations",
                 ((uintptr_t)patches - kept[2]) / sizeof(D3DDDI_PATCHLOCATIONLIST));
}

static void say_keep_render(struct vidmm_host_call *call) {
    const DXGKARG_RENDER *a = call->args;
    keep_written(call, a->pDmaBuffer, a->pDmaBufferPrivateData, a->pPatchLocationListOut);
}

static void say_render_answer(const struct fields *f, const void *args) {
    const DXGKARG_RENDER *a = args;
    say_written(f, a->pDmaBuffer, a->pDmaBufferPrivateData, a->pPatchLocationListOut);
    NUMBER(MultipassOffset);
}

static void say_rectangle(const struct fields *f, const char *name, const RECT *a) {
    field_begin(f, name, false);
    NUMBER(left);
    NUMBER(top);
    NUMBER(right);
    NUMBER(bottom);
    field_end(f);
}

static void say_present(const struct fields *f, const void *args) {
    const DXGKARG_PRESENT *a = args;
    NUMBER(DmaSize);
    NUMBER(DmaBufferPrivateDataSize);
    NUMBER(PatchLocationListOutSize);
    FLAGS(Flags);
    NUMBER(MultipassOffset);
    HEX(Color);
    say_rectangle(f, "SrcRect", &a->SrcRect);
    say_rectangle(f, "DstRect", &a->DstRect);
    uint32_t told = a->pDstSubRects ? field_list(f, "DstSubRects", a->SubRectCnt) : 0;
    for (uint32_t i = 0; i < told; i++)
        say_rectangle(f, NULL, &a->pDstSubRects[i]);
    if (a->pDstSubRects)
        field_list_end(f, a->SubRectCnt);
    NUMBER(DmaBufferSegmentId);
}

static void say_keep_present(struct vidmm_host_call *call) {
    const DXGKARG_PRESENT *a = call->args;
    keep_written(call, a->pDmaBuffer, a->pDmaBufferPrivateData, a->pPatchLocationListOut);
}

static void say_present_answer(const struct fields *f, const void *args) {
    const DXGKARG_PRESENT *a = args;
    say_written(f, a->pDmaBuffer, a->pDmaBufferPrivateData, a->pPatchLocationListOut);
    NUMBER(MultipassOffset);
}

static void say_patch(const struct fields *f, const void *args) {
    const DXGKARG_PATCH *a = args;
    HANDLE_OF(CONTEXT, hContext);
    NUMBER(DmaBufferSegmentId);
    ADDRESS(DmaBufferPhysicalAddress);
    NUMBER(DmaBufferSize);
    NUMBER(DmaBufferSubmissionStartOffset);
    NUMBER(DmaBufferSubmissionEndOffset);
    NUMBER(DmaBufferPrivateDataSize);
    NUMBER(DmaBufferPrivateDataSubmissionStartOffset);
    NUMBER(DmaBufferPrivateDataSubmissionEndOffset);
    say_list(f, "AllocationList", a->pAllocationList, a->AllocationListSize);
    say_patches(f, "PatchLocationList", a->pPatchLocationList, a->PatchLocationListSize);
    NUMBER(PatchLocationListSubmissionStart);
    NUMBER(PatchLocationListSubmissionLength);
    NUMBER(SubmissionFenceId);
    FLAGS(Flags);
    NUMBER(EngineOrdinal);
}

static void say_submit(const struct fields *f, const void *args) {
    const DXGKARG_SUBMITCOMMAND *a = args;
    HANDLE_OF(CONTEXT, hContext);
    NUMBER(DmaBufferSegmentId);
    ADDRESS(DmaBufferPhysicalAddress);
    NUMBER(DmaBufferSize);
    NUMBER(DmaBufferSubmissionStartOffset);
    NUMBER(DmaBufferSubmissionEndOffset);
    NUMBER(DmaBufferPrivateDataSubmissionStartOffset);
    NUMBER(DmaBufferPrivateDataSubmissionEndOffset);
    NUMBER(SubmissionFenceId);
    FLAGS(Flags);
    NUMBER(EngineOrdinal);
    NUMBER(NodeOrdinal);
}

static void say_submit_virtual(const struct fields *f, const void *args) {
    const DXGKARG_SUBMITCOMMANDVIRTUAL *a = args;
    HANDLE_OF(CONTEXT, hContext);
    HEX(DmaBufferVirtualAddress);
    NUMBER(DmaBufferSize);
    NUMBER(DmaBufferPrivateDataSize);
    NUMBER(DmaBufferUmdPrivateDataSize);
    NUMBER(SubmissionFenceId);
    FLAGS(Flags);
    NUMBER(EngineOrdinal);
    NUMBER(NodeOrdinal);
}

static void say_preempt(const struct fields *f, const void *args) {
    const DXGKARG_PREEMPTCOMMAND *a = args;
    NUMBER(PreemptionFenceId);
    NUMBER(NodeOrdinal);
    NUMBER(EngineOrdinal);
}

static void say_cancel(const struct fields *f, const void *args) {
    const DXGKARG_CANCELCOMMAND *a = args;
    HANDLE_OF(CONTEXT, hContext);
    NUMBER(DmaBufferSize);
    NUMBER(DmaBufferSubmissionStartOffset);
    NUMBER(DmaBufferSubmissionEndOffset);
}

static void say_fence(const struct fields *f, const void *args) {
    const DXGKARG_QUERYCURRENTFENCE *a = args;
    NUMBER(NodeOrdinal);
    NUMBER(EngineOrdinal);
}

static void say_fence_answer(const struct fields *f, const void *args) {
    const DXGKARG_QUERYCURRENTFENCE *a = args;
    if (f->succeeded)
        NUMBER(CurrentFence);
}

static void say_group(const struct fields *f, const void *args) {
    const DXGKARG_QUERYDEPENDENTENGINEGROUP *a = args;
    NUMBER(NodeOrdinal);
    NUMBER(EngineOrdinal);
}

static void say_group_answer(const struct fields *f, const void *args) {
    const DXGKARG_QUERYDEPENDENTENGINEGROUP *a = args;
    if (f->succeeded)
        HEX(DependentNodeOrdinalMask);
}

static void say_engine(const struct fields *f, const void *args) {
    const DXGKARG_QUERYENGINESTATUS *a = args;
    NUMBER(NodeOrdinal);
    NUMBER(EngineOrdinal);
}

static void say_engine_answer(const struct fields *f, const void *args) {
    const DXGKARG_QUERYENGINESTATUS *a = args;
    if (f->succeeded)
        FLAGS(EngineStatus);
}

static void say_reset(const struct fields *f, const void *args) {
    const DXGKARG_RESETENGINE *a = args;
    NUMBER(NodeOrdinal);
    NUMBER(EngineOrdinal);
}

static void say_reset_answer(const struct fields *f, const void *args) {
    const DXGKARG_RESETENGINE *a = args;
    if (f->succeeded)
        NUMBER(LastAbortedFenceId);
}

static void say_escape(const struct fields *f, const void *args) {
    const DXGKARG_ESCAPE *a = args;
    HANDLE_OF(DEVICE, hDevice);
    FLAGS(Flags);
    NUMBER(PrivateDriverDataSize);
}

static void say_debug(const struct fields *f, const void *args) {
    const DXGKARG_COLLECTDBGINFO *a = args;
    HEX(Reason);
    NUMBER(BufferSize);
}

const struct said said_work[] = {
    {.name = "DxgkDdiBuildPagingBuffer",
     .arguments = say_paging,
     .answers = say_paging_answer,
     .keep = say_keep_paging},
    {.name = "DxgkDdiPatch", .arguments = say_patch},
    {.name = "DxgkDdiSubmitCommand", .arguments = say_submit},
    {.name = "DxgkDdiSubmitCommandVirtual", .arguments = say_submit_virtual},
    {.name = "DxgkDdiRender",
     .arguments = say_render,
     .answers = say_render_answer,
     .keep = say_keep_render,
     .of = HANDLE_CONTEXT},
    {.name = "DxgkDdiRenderKm",
     .arguments = say_render,
     .answers = say_render_answer,
     .keep = say_keep_render,
     .of = HANDLE_CONTEXT},
    {.name = "DxgkDdiPresent",
     .arguments = say_present,
     .answers = say_present_answer,
     .keep = say_keep_present,
     .of = HANDLE_CONTEXT},
    {.name = "DxgkDdiPreemptCommand", .arguments = say_preempt},
    {.name = "DxgkDdiCancelCommand", .arguments = say_cancel},
    {.name = "DxgkDdiQueryCurrentFence", .arguments = say_fence, .answers = say_fence_answer},
    {.name = "DxgkDdiQueryDependentEngineGroup",
     .arguments = say_group,
     .answers = say_group_answer},
    {.name = "DxgkDdiQueryEngineStatus", .arguments = say_engine, .answers = say_engine_answer},
    {.name = "DxgkDdiResetEngine", .arguments = say_reset, .answers = say_reset_answer},
    {.name = "DxgkDdiEscape", .arguments = say_escape},
    {.name = "DxgkDdiCollectDbgInfo", .arguments = say_debug},
    {.name = NULL},
};
