/*
 * thunk_list.h - one line for each slot that has a thunk, but those of thunk_list_display.h. thunks.c includes both twice: to
 * write the functions, and to put them into the table.
 *
 *   THUNK(slot, argument type, IRQL, hashed arguments, hashed results)
 *   THUNK_PLAIN(slot)    the slot takes a handle alone
 *   THUNK_OBJECT(slot)   the slot takes a handle and the handle of an object
 *   THUNK_OTHER(slot)    the slot has another shape: its thunk is written out in thunks.c
 *
 * Levels: nc-d3dkmddi-dxgkddi_*.md, "req.irql". SubmitCommandVirtual's is taken to be that of
 * SubmitCommand.
 */
THUNK(QueryAdapterInfo, const DXGKARG_QUERYADAPTERINFO, PASSIVE_LEVEL, host_in_query(c, a),
      host_display_learn(a, status))
THUNK(CreateDevice, DXGKARG_CREATEDEVICE, PASSIVE_LEVEL, host_mix(c, a->Flags.Value), NOTHING)
THUNK_PLAIN(DestroyDevice)
THUNK(CreateContext, DXGKARG_CREATECONTEXT, PASSIVE_LEVEL,
      (host_mix2(c, a->NodeOrdinal, a->EngineAffinity),
       host_mix2(c, a->Flags.Value, a->PrivateDriverDataSize)),
      (host_mix2(c, a->ContextInfo.DmaBufferSize, a->ContextInfo.DmaBufferSegmentSet),
       host_mix2(c, a->ContextInfo.AllocationListSize, a->ContextInfo.PatchLocationListSize),
       host_mix(c, a->ContextInfo.DmaBufferPrivateDataSize)))
THUNK_PLAIN(DestroyContext)
THUNK(CreateAllocation, DXGKARG_CREATEALLOCATION, PASSIVE_LEVEL, host_in_create_allocation(c, a),
      host_out_create_allocation(c, a))
THUNK(DestroyAllocation, const DXGKARG_DESTROYALLOCATION, PASSIVE_LEVEL,
      host_mix2(c, a->NumAllocations, a->Flags.Value), NOTHING)
THUNK(DescribeAllocation, DXGKARG_DESCRIBEALLOCATION, PASSIVE_LEVEL, NOTHING,
      host_mix2(c, a->Width, a->Height))
THUNK(GetStandardAllocationDriverData, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA, PASSIVE_LEVEL,
      host_mix(c, (uint32_t)a->StandardAllocationType),
      host_mix2(c, a->AllocationPrivateDriverDataSize, a->ResourcePrivateDriverDataSize))
THUNK(OpenAllocation, const DXGKARG_OPENALLOCATION, PASSIVE_LEVEL,
      host_mix2(c, a->NumAllocations, a->Flags.Value), NOTHING)
THUNK(CloseAllocation, const DXGKARG_CLOSEALLOCATION, PASSIVE_LEVEL, host_mix(c, a->NumAllocations),
      NOTHING)
THUNK(AcquireSwizzlingRange, DXGKARG_ACQUIRESWIZZLINGRANGE, PASSIVE_LEVEL,
      (host_mix2(c, a->RangeId, a->SegmentId), host_mix(c, a->PrivateDriverData)),
      (host_mix(c, a->RangeSize), host_mix(c, (uint64_t)a->CPUTranslatedAddress.QuadPart)))
THUNK(ReleaseSwizzlingRange, const DXGKARG_RELEASESWIZZLINGRANGE, PASSIVE_LEVEL,
      host_mix2(c, a->RangeId, a->PrivateDriverData), NOTHING)
THUNK(BuildPagingBuffer, DXGKARG_BUILDPAGINGBUFFER, PASSIVE_LEVEL, host_in_paging(c, a),
      host_out_paging(c, a))
THUNK(Render, DXGKARG_RENDER, PASSIVE_LEVEL, host_in_render(c, a), host_out_render(c, a))
THUNK(RenderKm, DXGKARG_RENDER, PASSIVE_LEVEL, host_in_render(c, a), host_out_render(c, a))
THUNK(Present, DXGKARG_PRESENT, PASSIVE_LEVEL, host_mix2(c, a->Flags.Value, a->DmaSize), NOTHING)
THUNK(Patch, const DXGKARG_PATCH, PASSIVE_LEVEL, host_in_patch(c, a), NOTHING)
THUNK(SubmitCommand, const DXGKARG_SUBMITCOMMAND, DISPATCH_LEVEL,
      (host_in_submit(c, a),
       host_tally_submitted(a->NodeOrdinal, "DxgkDdiSubmitCommand", a->SubmissionFenceId)),
      NOTHING)
THUNK(SubmitCommandVirtual, const DXGKARG_SUBMITCOMMANDVIRTUAL, DISPATCH_LEVEL,
      (host_in_submit_virtual(c, a),
       host_tally_submitted(a->NodeOrdinal, "DxgkDdiSubmitCommandVirtual", a->SubmissionFenceId)),
      NOTHING)
THUNK(PreemptCommand, const DXGKARG_PREEMPTCOMMAND, DISPATCH_LEVEL,
      (host_mix(c, host_tally_fence(a->NodeOrdinal, a->PreemptionFenceId)),
       host_mix2(c, a->NodeOrdinal, a->EngineOrdinal)),
      NOTHING)
THUNK(CancelCommand, const DXGKARG_CANCELCOMMAND, PASSIVE_LEVEL,
      host_mix2(c, a->DmaBufferSubmissionStartOffset, a->DmaBufferSubmissionEndOffset), NOTHING)
THUNK(QueryCurrentFence, DXGKARG_QUERYCURRENTFENCE, PASSIVE_LEVEL,
      host_mix2(c, a->NodeOrdinal, a->EngineOrdinal),
      host_mix(c, host_tally_fence(a->NodeOrdinal, a->CurrentFence)))
THUNK(QueryDependentEngineGroup, DXGKARG_QUERYDEPENDENTENGINEGROUP, PASSIVE_LEVEL,
      host_mix2(c, a->NodeOrdinal, a->EngineOrdinal), host_mix(c, a->DependentNodeOrdinalMask))
THUNK(QueryEngineStatus, DXGKARG_QUERYENGINESTATUS, PASSIVE_LEVEL,
      host_mix2(c, a->NodeOrdinal, a->EngineOrdinal), host_mix(c, a->EngineStatus.Value))
THUNK(ResetEngine, DXGKARG_RESETENGINE, PASSIVE_LEVEL,
      host_mix2(c, a->NodeOrdinal, a->EngineOrdinal),
      host_mix(c, host_tally_fence(a->NodeOrdinal, a->LastAbortedFenceId)))
THUNK_PLAIN(ResetFromTimeout)
THUNK_PLAIN(RestartFromTimeout)
THUNK(Escape, const DXGKARG_ESCAPE, PASSIVE_LEVEL,
      host_mix2(c, a->Flags.Value, a->PrivateDriverDataSize), NOTHING)
THUNK(CollectDbgInfo, const DXGKARG_COLLECTDBGINFO, PASSIVE_LEVEL, host_mix(c, a->Reason), NOTHING)
THUNK(CreateProcess, DXGKARG_CREATEPROCESS, PASSIVE_LEVEL, host_mix(c, a->Flags.Value), NOTHING)
THUNK(MapCpuHostAperture, const DXGKARG_MAPCPUHOSTAPERTURE, PASSIVE_LEVEL,
      (host_mix(c, a->SegmentId), host_mix(c, a->NumberOfPages)), NOTHING)
THUNK(UnmapCpuHostAperture, const DXGKARG_UNMAPCPUHOSTAPERTURE, PASSIVE_LEVEL,
      (host_mix(c, a->SegmentId), host_mix(c, a->NumberOfPages)), NOTHING)
THUNK(ValidateUpdateAllocationProperty, const DXGKARG_VALIDATEUPDATEALLOCPROPERTY, PASSIVE_LEVEL,
      (host_mix(c, a->SupportedSegmentSet), host_mix(c, a->PropertyMaskValue)), NOTHING)
THUNK(QueryDirtyBitData, DXGKARG_QUERYDIRTYBITDATA, PASSIVE_LEVEL,
      (host_mix(c, a->SubrangeIndex), host_mix(c, a->SubrangeOffset), host_mix(c, a->SubrangeSize),
       host_mix(c, a->BufferSize), host_mix(c, a->Flags)),
      NOTHING)
THUNK(PrepareLiveMigration, const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION, PASSIVE_LEVEL,
      host_mix2(c, a->vfIndex, (uint32_t)a->MigrationType), NOTHING)
THUNK(SaveImmutableMigrationData, DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA, PASSIVE_LEVEL,
      (host_mix2(c, a->vfIndex, !!a->Data), host_mix(c, *a->DataSize)), host_mix(c, *a->DataSize))
THUNK(SaveMutableMigrationData, DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA, PASSIVE_LEVEL,
      (host_mix2(c, a->vfIndex, !!a->Data), host_mix(c, *a->DataSize)), host_mix(c, *a->DataSize))
THUNK(RestoreImmutableMigrationData, const DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA,
      PASSIVE_LEVEL, (host_mix(c, a->vfIndex), host_mix(c, a->DataSize)), NOTHING)
THUNK(RestoreMutableMigrationData, const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA, PASSIVE_LEVEL,
      (host_mix(c, a->vfIndex), host_mix(c, a->DataSize)), NOTHING)
THUNK(WriteVirtualizedInterrupt, const DXGKARG_WRITEVIRTUALIZEDINTERRUPT, PASSIVE_LEVEL,
      (host_mix2(c, a->vfIndex, (uint16_t)a->InterruptTableIndex),
       host_mix(c, a->InterruptTableEntry.MessageAddress),
       host_mix2(c, a->InterruptTableEntry.MessageData, a->InterruptTableEntry.VectorControl)),
      NOTHING)
THUNK_OBJECT(DestroyMemoryBasis)
THUNK_OBJECT(StartDirtyTracking)
THUNK_OBJECT(StopDirtyTracking)
THUNK_OBJECT(DestroyProcess)
THUNK_OTHER(SetRootPageTable)
THUNK_OTHER(GetRootPageTableSize)
THUNK_OTHER(GetNodeMetadata)
THUNK_OTHER(SetPowerState)
THUNK_OTHER(CreateMemoryBasis)
THUNK_OTHER(EndLiveMigration)
