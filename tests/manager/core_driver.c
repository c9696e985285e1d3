/*
 * core_driver.c - the scripted driver of core_world.h.
 */
#include "core_driver.h"

/* ---- Adapter ----------------------------------------------------------------------------------
 */

static void fill_segment(const struct world *world, uint32_t i, DXGK_SEGMENTDESCRIPTOR3 *to) {
    const struct world_segment *segment = &world->segments[i];
    memset(to, 0, sizeof(*to));
    to->Flags.Value = segment->flags;
    to->BaseAddress.QuadPart = (LONGLONG)segment->base;
    to->CpuTranslatedAddress.QuadPart = (LONGLONG)segment->cpu;
    to->Size = to->CommitLimit = segment->size;
}

static void answer_caps(const struct world *world, DXGKARG_QUERYADAPTERINFO *arg) {
    DXGK_DRIVERCAPS caps;
    memset(&caps, 0, sizeof(caps));
    caps.HighestAcceptableAddress.QuadPart = INT64_MAX;
    caps.ApertureSegmentCommitLimit = 1u << 30;
    caps.NumberOfSwizzlingRanges = world->swizzling_ranges;
    caps.SchedulingCaps.MultiEngineAware = world->contexts;
    caps.MemoryManagementCaps.PagingNode = world->paging_node;
    caps.GpuEngineTopology.NbAsymetricProcessingNodes = world->nodes;
    caps.WDDMVersion = DXGKDDI_WDDMv1_2;
    caps.SchedulingCaps.PreemptionAware = world->preempts;
    caps.SupportPerEngineTDR = world->resets_engines;
    memcpy(arg->pOutputData, &caps,
           arg->OutputDataSize < sizeof(caps) ? arg->OutputDataSize : sizeof(caps));
}

static void answer_segments(const struct world *world, DXGKARG_QUERYADAPTERINFO *arg) {
    DXGK_QUERYSEGMENTOUT3 *out = arg->pOutputData;
    if (!out->pSegmentDescriptor) {
        out->NbSegment = world->segment_count;
        return;
    }
    for (uint32_t i = 0; i < world->segment_count; i++)
        fill_segment(world, i, &out->pSegmentDescriptor[i]);
    out->NbSegment = world->segment_count;
    out->PagingBufferSegmentId = world->paging_segment;
    out->PagingBufferSize = world->paging_size;
    out->PagingBufferPrivateDataSize = world->paging_private;
}

static NTSTATUS APIENTRY query_adapter_info(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *arg) {
    DXGKARG_QUERYADAPTERINFO copy = *arg;
    if (arg->Type == DXGKQAITYPE_DRIVERCAPS)
        answer_caps(adapter, &copy);
    else if (arg->Type == DXGKQAITYPE_QUERYSEGMENT3)
        answer_segments(adapter, &copy);
    else
        return STATUS_INVALID_PARAMETER;
    return STATUS_SUCCESS;
}

/* ---- Objects ----------------------------------------------------------------------------------
 */

struct object {
    struct world *world;
    struct world_desc desc;
};

static struct object *new_object(struct world *world) {
    struct object *object = calloc(1, sizeof(*object));
    object->world = world;
    __atomic_add_fetch(&world->objects, 1, __ATOMIC_SEQ_CST);
    return object;
}

static NTSTATUS drop(struct object *object) {
    __atomic_sub_fetch(&object->world->objects, 1, __ATOMIC_SEQ_CST);
    free(object);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY create_device(HANDLE adapter, DXGKARG_CREATEDEVICE *arg) {
    arg->hDevice = new_object(adapter);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY destroy_device(HANDLE device) {
    return drop(device);
}

static void make_context_allocation(struct world *world, HANDLE context) {
    DXGKARGCB_CREATECONTEXTALLOCATION arg;
    memset(&arg, 0, sizeof(arg));
    arg.hAdapter = world;
    arg.hContext = context;
    arg.hDriverAllocation = &world->context_allocation_handle;
    arg.Size = 3 * PAGE;
    arg.SupportedSegmentSet = SET(VRAM) | SET(APERTURE);
    arg.PreferredSegment.SegmentId0 = VRAM;
    assert_int_equal(vidmm_context_allocation_create(world->adapter, &arg), STATUS_SUCCESS);
    world->context_allocation_handle = arg.hAllocation;
}

static NTSTATUS APIENTRY create_context(HANDLE device, DXGKARG_CREATECONTEXT *arg) {
    struct world *world = ((struct object *)device)->world;
    if (world->context_allocation && !arg->Flags.SystemContext)
        make_context_allocation(world, arg->hContext);
    arg->hContext = new_object(world);
    arg->ContextInfo.DmaBufferSize = world->dma_size;
    arg->ContextInfo.DmaBufferSegmentSet = world->dma_segments;
    arg->ContextInfo.DmaBufferPrivateDataSize = 64;
    arg->ContextInfo.AllocationListSize = 16;
    arg->ContextInfo.PatchLocationListSize = 16;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY destroy_context(HANDLE context) {
    struct world *world = ((struct object *)context)->world;
    if (world->context_allocation && world->context_allocation_handle) {
        (void)vidmm_context_allocation_destroy(world->adapter, world->context_allocation_handle);
        world->context_allocation_handle = NULL;
    }
    return drop(context);
}

static NTSTATUS APIENTRY create_allocation(HANDLE adapter, DXGKARG_CREATEALLOCATION *arg) {
    struct world *world = adapter;
    if (world->create_status)
        return world->create_status;
    for (UINT i = 0; i < arg->NumAllocations; i++) {
        DXGK_ALLOCATIONINFO *info = &arg->pAllocationInfo[i];
        struct object *object = new_object(world);
        memcpy(&object->desc, info->pPrivateDriverData, sizeof(object->desc));
        info->Size = object->desc.size;
        info->Alignment = object->desc.alignment;
        info->PreferredSegment.Value = object->desc.preferred;
        info->SupportedReadSegmentSet = object->desc.read_set;
        info->SupportedWriteSegmentSet = object->desc.write_set;
        info->EvictionSegmentSet = object->desc.evict_set;
        info->Flags.Value = object->desc.flags;
        info->AllocationPriority = object->desc.priority;
        info->hAllocation = object;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY destroy_allocation(HANDLE adapter, const DXGKARG_DESTROYALLOCATION *arg) {
    (void)adapter;
    for (UINT i = 0; i < arg->NumAllocations; i++)
        (void)drop(arg->pAllocationList[i]);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY open_allocation(HANDLE device, const DXGKARG_OPENALLOCATION *arg) {
    for (UINT i = 0; i < arg->NumAllocations; i++)
        arg->pOpenAllocation[i].hDeviceSpecificAllocation =
            new_object(((struct object *)device)->world);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY close_allocation(HANDLE device, const DXGKARG_CLOSEALLOCATION *arg) {
    (void)device;
    for (UINT i = 0; i < arg->NumAllocations; i++)
        (void)drop(arg->pOpenHandleList[i]);
    return STATUS_SUCCESS;
}

/* ---- Paging -----------------------------------------------------------------------------------
 */

static struct world_side side_of(UINT segment, LARGE_INTEGER address, const MDL *mdl,
                                 const struct world *world, uint64_t at, uint64_t mdl_page) {
    struct world_side side = {.segment = segment};
    if (segment) {
        side.offset = (uint64_t)address.QuadPart - world->segments[segment - 1].base + at;
    } else {
        side.mdl = mdl;
        side.offset = mdl_page * PAGE;
    }
    return side;
}

/* Bytes of an operation that may be cut into several commands, else 0. */
static uint64_t operation_size(const DXGKARG_BUILDPAGINGBUFFER *arg) {
    switch (arg->Operation) {
    case DXGK_OPERATION_TRANSFER:
        return arg->Transfer.TransferSize;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        return arg->SpecialLockTransfer.TransferSize;
    case DXGK_OPERATION_FILL:
        return arg->Fill.FillSize;
    default:
        return 0;
    }
}

static void encode_transfer(const struct world *world, const DXGKARG_BUILDPAGINGBUFFER *arg,
                            uint64_t done, struct world_command *command) {
    uint64_t at = arg->Transfer.TransferOffset + done;
    uint64_t page = done / PAGE + arg->Transfer.MdlOffset;
    command->from = side_of(arg->Transfer.Source.SegmentId, arg->Transfer.Source.SegmentAddress,
                            arg->Transfer.Source.pMdl, world, at, page);
    command->to =
        side_of(arg->Transfer.Destination.SegmentId, arg->Transfer.Destination.SegmentAddress,
                arg->Transfer.Destination.pMdl, world, at, page);
    command->tile = arg->Transfer.Flags.Swizzle || arg->Transfer.Flags.Unswizzle;
}

/* The same members as in Transfer, but for MdlOffset. */
static void encode_special(const struct world *world, const DXGKARG_BUILDPAGINGBUFFER *arg,
                           uint64_t done, struct world_command *command) {
    DXGKARG_BUILDPAGINGBUFFER same = *arg;
    same.Transfer.TransferOffset = arg->SpecialLockTransfer.TransferOffset;
    same.Transfer.MdlOffset = 0;
    encode_transfer(world, &same, done, command);
}

static void encode_aperture(const DXGKARG_BUILDPAGINGBUFFER *arg, struct world_command *command) {
    if (arg->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) {
        command->size = arg->MapApertureSegment.NumberOfPages * PAGE;
        command->to.segment = arg->MapApertureSegment.SegmentId;
        command->to.offset = arg->MapApertureSegment.OffsetInPages * PAGE;
        command->from.mdl = arg->MapApertureSegment.pMdl;
        command->from.offset = arg->MapApertureSegment.MdlOffset * PAGE;
    } else {
        command->size = arg->UnmapApertureSegment.NumberOfPages * PAGE;
        command->to.segment = arg->UnmapApertureSegment.SegmentId;
        command->to.offset = arg->UnmapApertureSegment.OffsetInPages * PAGE;
        command->dummy = (uint64_t)arg->UnmapApertureSegment.DummyPage.QuadPart;
    }
}

/* The piece of the operation that starts `done` bytes into it, as one command; its bytes. */
static uint64_t encode(struct world *world, const DXGKARG_BUILDPAGINGBUFFER *arg, uint64_t done,
                       struct world_command *command) {
    uint64_t left = operation_size(arg) - done;
    memset(command, 0, sizeof(*command));
    command->operation = arg->Operation;
    command->size =
        world->transfer_step && left > world->transfer_step ? world->transfer_step : left;
    switch (arg->Operation) {
    case DXGK_OPERATION_TRANSFER:
        encode_transfer(world, arg, done, command);
        break;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        encode_special(world, arg, done, command);
        break;
    case DXGK_OPERATION_FILL:
        command->to = side_of(arg->Fill.Destination.SegmentId, arg->Fill.Destination.SegmentAddress,
                              NULL, world, done, 0);
        command->pattern = arg->Fill.FillPattern;
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        encode_aperture(arg, command);
        break;
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
        world->context_allocation_init = arg->InitContextResource.hAllocation;
        break;
    default:
        break;
    }
    return command->size;
}

static bool wants_idle(struct world *world, const DXGKARG_BUILDPAGINGBUFFER *arg) {
    if (world->always_busy)
        return true;
    if (!world->busy_every || arg->Operation != DXGK_OPERATION_TRANSFER ||
        arg->Transfer.Flags.AllocationIsIdle)
        return false;
    return ++world->transfers_seen % world->busy_every == 0;
}

static bool at_once(const struct world *world, const DXGKARG_BUILDPAGINGBUFFER *arg) {
    return world->map_at_once && (arg->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT ||
                                  arg->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT);
}

static NTSTATUS build(struct world *world, DXGKARG_BUILDPAGINGBUFFER *arg) {
    struct world_command command;
    if (world->build_status)
        return world->build_status;
    if (world->never_room)
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    if (wants_idle(world, arg))
        return STATUS_GRAPHICS_ALLOCATION_BUSY;
    if (arg->Operation == DXGK_OPERATION_TRANSFER && arg->Transfer.TransferSize == 0)
        return STATUS_SUCCESS; /* a notice after a reset */
    uint64_t done = arg->MultipassOffset, size = operation_size(arg);
    do {
        if (!at_once(world, arg) && arg->DmaSize < sizeof(command))
            return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        done += encode(world, arg, done, &command);
        if (at_once(world, arg)) {
            gpu_execute(world, &command);
            break;
        }
        memcpy(arg->pDmaBuffer, &command, sizeof(command));
        arg->pDmaBuffer = (uint8_t *)arg->pDmaBuffer + sizeof(command);
        arg->DmaSize -= (UINT)sizeof(command);
        arg->MultipassOffset = (UINT)done;
    } while (done < size);
    if (world->moves_back)
        arg->pDmaBuffer = (uint8_t *)arg->pDmaBuffer - 2 * sizeof(command);
    if (world->moves_past)
        arg->pDmaBuffer = (uint8_t *)arg->pDmaBuffer + arg->DmaSize + 1;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY build_paging_buffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *arg) {
    struct world *world = adapter;
    DXGKARG_BUILDPAGINGBUFFER before = *arg;
    NTSTATUS status = build(world, arg);
    if (world->build_count < WORLD_BUILDS)
        world->builds[world->build_count++] = (struct world_build){before, status};
    return status;
}

/* ---- Submission -------------------------------------------------------------------------------
 */

static NTSTATUS APIENTRY patch(HANDLE adapter, const DXGKARG_PATCH *arg) {
    struct world *world = adapter;
    world->patches++;
    assert_true(!arg->Flags.Paging || (!arg->pAllocationList && !arg->AllocationListSize));
    for (UINT i = 0; i < arg->AllocationListSize; i++)
        assert_true(arg->pAllocationList[i].SegmentId != 0);
    return STATUS_SUCCESS;
}

/* Submission `n` of its kind. */
static bool hangs(const struct world *world, bool paging, uint32_t n) {
    if (!paging)
        return n == world->hang_render;
    return world->hang_paging && n >= world->hang_paging &&
           n - world->hang_paging <= world->hang_paging_more;
}

/* Counted apart: nobody asked for it. */
static NTSTATUS switch_context(struct world *world, const DXGKARG_SUBMITCOMMAND *arg) {
    assert_true(!arg->hContext && !arg->Flags.Paging && !arg->DmaBufferSize &&
                !arg->DmaBufferSubmissionEndOffset);
    bool hangs = ++world->switches == world->hang_switch;
    gpu_queue(world, &(struct world_job){.node = arg->NodeOrdinal,
                                         .fence = arg->SubmissionFenceId,
                                         .hangs = hangs});
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY submit_command(HANDLE adapter, const DXGKARG_SUBMITCOMMAND *arg) {
    struct world *world = adapter;
    uint32_t node = world->version >= DXGKDDI_INTERFACE_VERSION_WIN8 ? arg->NodeOrdinal : 0;
    assert_false(world->between_reset_and_restart);
    if (world->submit_status)
        return world->submit_status;
    if (arg->Flags.ContextSwitch)
        return switch_context(world, arg);
    uint32_t n = ++world->submits[arg->Flags.Paging];
    world->resubmissions += arg->Flags.Resubmission;
    world->fences[world->fence_count++ % 64] = arg->SubmissionFenceId;
    gpu_queue(world, &(struct world_job){
                         .address = (uint64_t)arg->DmaBufferPhysicalAddress.QuadPart,
                         .segment = arg->DmaBufferSegmentId,
                         .start = arg->DmaBufferSubmissionStartOffset,
                         .end = arg->Flags.Paging ? arg->DmaBufferSubmissionEndOffset : 0,
                         .node = node,
                         .fence = arg->SubmissionFenceId,
                         .hangs = hangs(world, arg->Flags.Paging, n),
                     });
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY render(HANDLE context, DXGKARG_RENDER *arg) {
    struct world *world = ((struct object *)context)->world;
    world->renders++;
    UINT left = arg->CommandLength - arg->MultipassOffset;
    UINT step = world->render_step && left > world->render_step ? world->render_step : left;
    assert_true(step <= arg->DmaSize);
    memcpy(arg->pDmaBuffer, (const uint8_t *)arg->pCommand + arg->MultipassOffset, step);
    arg->pDmaBuffer = (uint8_t *)arg->pDmaBuffer + step;
    arg->MultipassOffset += step;
    return step == left ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

/* ---- Reset, swizzling -------------------------------------------------------------------------
 */

static NTSTATUS APIENTRY reset_from_timeout(const HANDLE adapter) {
    struct world *world = adapter;
    world->resets++;
    world->between_reset_and_restart = true;
    gpu_reset(world);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY restart_from_timeout(const HANDLE adapter) {
    struct world *world = adapter;
    world->restarts++;
    world->between_reset_and_restart = false;
    return STATUS_SUCCESS;
}

/* ---- Single engines ---------------------------------------------------------------------------
 */

static NTSTATUS APIENTRY preempt_command(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *arg) {
    struct world *world = adapter;
    world->preemptions++;
    if (!gpu_preempt(world, arg->NodeOrdinal))
        return STATUS_SUCCESS;
    const struct vidmm_interrupt report = {.type = DXGK_INTERRUPT_DMA_PREEMPTED,
                                           .node = arg->NodeOrdinal,
                                           .fence = arg->PreemptionFenceId,
                                           .last_completed = world->done[arg->NodeOrdinal]};
    vidmm_referee_reported(world->referee, &report);
    vidmm_notify_preempted(world->adapter, report.node, report.fence, report.last_completed);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY query_group(const HANDLE adapter, DXGKARG_QUERYDEPENDENTENGINEGROUP *arg) {
    const struct world *world = adapter;
    arg->DependentNodeOrdinalMask =
        world->shares_reset ? (1ull << world->nodes) - 1 : 1ull << arg->NodeOrdinal;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY query_engine(const HANDLE adapter, DXGKARG_QUERYENGINESTATUS *arg) {
    struct world *world = adapter;
    arg->EngineStatus.Responsive = world->responsive != 0;
    world->responsive -= world->responsive != 0;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY reset_engine(const HANDLE adapter, DXGKARG_RESETENGINE *arg) {
    struct world *world = adapter;
    if (world->engine_status)
        return world->engine_status;
    world->engine_resets++;
    if (world->resets_nothing) {
        arg->LastAbortedFenceId = world->done[arg->NodeOrdinal];
        return STATUS_SUCCESS;
    }
    arg->LastAbortedFenceId = gpu_reset_engine(world, arg->NodeOrdinal) + world->aborted_off;
    if (world->tells_late)
        vidmm_notify_completed(world->adapter, arg->NodeOrdinal, arg->LastAbortedFenceId);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY acquire_range(HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *arg) {
    struct world *world = adapter;
    if (world->acquire_status)
        return world->acquire_status;
    world->acquires++;
    assert_true(arg->RangeId < world->swizzling_ranges);
    uint64_t offset =
        (uint64_t)arg->CPUTranslatedAddress.QuadPart - world->segments[arg->SegmentId - 1].cpu;
    gpu_open_range(world, arg->RangeId, arg->SegmentId, offset, arg->RangeSize);
    arg->CPUTranslatedAddress.QuadPart = (LONGLONG)(RANGE_BASE + arg->RangeId * RANGE_STRIDE);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY release_range(HANDLE adapter, const DXGKARG_RELEASESWIZZLINGRANGE *arg) {
    struct world *world = adapter;
    world->releases++;
    gpu_close_range(world, arg->RangeId);
    return STATUS_SUCCESS;
}

void driver_table(struct world *world) {
    world->ddi = (DRIVER_INITIALIZATION_DATA){
        .Version = world->version,
        .DxgkDdiQueryAdapterInfo = query_adapter_info,
        .DxgkDdiCreateDevice = create_device,
        .DxgkDdiDestroyDevice = destroy_device,
        .DxgkDdiCreateContext = create_context,
        .DxgkDdiDestroyContext = destroy_context,
        .DxgkDdiCreateAllocation = create_allocation,
        .DxgkDdiDestroyAllocation = destroy_allocation,
        .DxgkDdiOpenAllocation = open_allocation,
        .DxgkDdiCloseAllocation = close_allocation,
        .DxgkDdiBuildPagingBuffer = build_paging_buffer,
        .DxgkDdiPatch = patch,
        .DxgkDdiSubmitCommand = submit_command,
        .DxgkDdiRender = render,
        .DxgkDdiPreemptCommand = preempt_command,
        .DxgkDdiQueryDependentEngineGroup = query_group,
        .DxgkDdiQueryEngineStatus = query_engine,
        .DxgkDdiResetEngine = reset_engine,
        .DxgkDdiResetFromTimeout = reset_from_timeout,
        .DxgkDdiRestartFromTimeout = restart_from_timeout,
        .DxgkDdiAcquireSwizzlingRange = acquire_range,
        .DxgkDdiReleaseSwizzlingRange = release_range,
    };
}
