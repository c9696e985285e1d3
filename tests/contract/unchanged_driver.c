/* SPDX-License-Identifier: MIT */
/*
 * A miniport source in the manner of the WDK samples, compiled only. It uses the names that memory
 * code of such drivers uses, with nothing of this project in it: if it compiles at every interface
 * version, in C and in C++, then a driver source needs no edits for these headers. Its device is
 * imaginary.
 */
#ifdef __cplusplus
extern "C" {
#endif
#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>
#ifdef __cplusplus
}
#endif

#define SMP_TAG          0x58736d70
#define SMP_REG_FENCE    0x40
#define SMP_MAX_SEGMENTS 2

typedef struct _SMP_ADAPTER {
    DXGKRNL_INTERFACE Dxgk;
    DXGK_START_INFO StartInfo;
    DXGK_DEVICE_INFO DeviceInfo;
    PUCHAR Registers;
    PHYSICAL_ADDRESS VramBase;
    SIZE_T VramSize;
    KSPIN_LOCK FenceLock;
    LIST_ENTRY Allocations;
    FAST_MUTEX ListMutex;
    KEVENT Idle;
    KDPC Dpc;
    LONG volatile Outstanding;
    UINT LastFence;
    HANDLE Worker;
} SMP_ADAPTER, *PSMP_ADAPTER;

typedef struct _SMP_ALLOCATION {
    LIST_ENTRY Link;
    SIZE_T Size;
    PMDL Mdl;
    UINT Segment;
} SMP_ALLOCATION;

typedef struct _SMP_PACKET {
    ULONG Opcode;
    ULONG Bytes;
    ULONGLONG From;
    ULONGLONG To;
} SMP_PACKET;

#ifdef __cplusplus
extern "C" {
#endif

DRIVER_INITIALIZE DriverEntry;
DXGKDDI_ADD_DEVICE SmpAddDevice;
DXGKDDI_START_DEVICE SmpStartDevice;
DXGKDDI_STOP_DEVICE SmpStopDevice;
DXGKDDI_REMOVE_DEVICE SmpRemoveDevice;
DXGKDDI_INTERRUPT_ROUTINE SmpInterrupt;
DXGKDDI_DPC_ROUTINE SmpDpc;
DXGKDDI_UNLOAD SmpUnload;
DXGKDDI_QUERYADAPTERINFO SmpQueryAdapterInfo;
DXGKDDI_CREATEALLOCATION SmpCreateAllocation;
DXGKDDI_DESTROYALLOCATION SmpDestroyAllocation;
DXGKDDI_OPENALLOCATIONINFO SmpOpenAllocation;
DXGKDDI_CLOSEALLOCATION SmpCloseAllocation;
DXGKDDI_BUILDPAGINGBUFFER SmpBuildPagingBuffer;
DXGKDDI_SUBMITCOMMAND SmpSubmitCommand;
DXGKDDI_PATCH SmpPatch;
DXGKDDI_PREEMPTCOMMAND SmpPreempt;
DXGKDDI_QUERYCURRENTFENCE SmpQueryFence;
DXGKDDI_CREATEDEVICE SmpCreateDevice;
DXGKDDI_CREATECONTEXT SmpCreateContext;
KDEFERRED_ROUTINE SmpWorkDpc;
KSTART_ROUTINE SmpWorker;
KSYNCHRONIZE_ROUTINE SmpSynchronized;

#ifdef ALLOC_PRAGMA
#pragma alloc_text(PAGE, SmpAddDevice)
#endif

_Use_decl_annotations_ NTSTATUS APIENTRY SmpAddDevice(IN_CONST_PDEVICE_OBJECT PhysicalDeviceObject,
                                                      PVOID *MiniportDeviceContext) {
    PSMP_ADAPTER Adapter;

    PAGED_CODE();
    UNREFERENCED_PARAMETER(PhysicalDeviceObject);
    Adapter = (PSMP_ADAPTER)ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(SMP_ADAPTER), SMP_TAG);
    if (!Adapter)
        return STATUS_NO_MEMORY;
    RtlZeroMemory(Adapter, sizeof(*Adapter));
    KeInitializeSpinLock(&Adapter->FenceLock);
    KeInitializeEvent(&Adapter->Idle, NotificationEvent, TRUE);
    KeInitializeDpc(&Adapter->Dpc, SmpWorkDpc, Adapter);
    ExInitializeFastMutex(&Adapter->ListMutex);
    InitializeListHead(&Adapter->Allocations);
    *MiniportDeviceContext = Adapter;
    return STATUS_SUCCESS;
}

static ULONG SmpReadSetting(PCUNICODE_STRING Path, PWSTR Name, ULONG Default) {
    RTL_QUERY_REGISTRY_TABLE Table[2];
    ULONG Value = Default;

    RtlZeroMemory(Table, sizeof(Table));
    Table[0].Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TYPECHECK;
    Table[0].Name = Name;
    Table[0].EntryContext = &Value;
    Table[0].DefaultType = (REG_DWORD << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT) | REG_DWORD;
    Table[0].DefaultData = &Default;
    Table[0].DefaultLength = sizeof(ULONG);
    return NT_SUCCESS(
               RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, Path->Buffer, Table, NULL, NULL))
               ? Value
               : Default;
}

_Use_decl_annotations_ NTSTATUS APIENTRY SmpStartDevice(IN_CONST_PVOID MiniportDeviceContext,
                                                        PDXGK_START_INFO DxgkStartInfo,
                                                        PDXGKRNL_INTERFACE DxgkInterface,
                                                        PULONG NumberOfVideoPresentSources,
                                                        PULONG NumberOfChildren) {
    static WCHAR Name[] = {'V', 'r', 'a', 'm', 'M', 'B', 0};
    PSMP_ADAPTER Adapter = (PSMP_ADAPTER)MiniportDeviceContext;
    PCM_RESOURCE_LIST List;
    PVOID Mapped = NULL;
    NTSTATUS Status;
    ULONG i;

    Adapter->Dxgk = *DxgkInterface;
    Adapter->StartInfo = *DxgkStartInfo;
    Status =
        Adapter->Dxgk.DxgkCbGetDeviceInformation(Adapter->Dxgk.DeviceHandle, &Adapter->DeviceInfo);
    if (!NT_SUCCESS(Status))
        return Status;

    List = Adapter->DeviceInfo.TranslatedResourceList;
    for (i = 0; i < List->List[0].PartialResourceList.Count; i++) {
        PCM_PARTIAL_RESOURCE_DESCRIPTOR Resource =
            &List->List[0].PartialResourceList.PartialDescriptors[i];
        switch (Resource->Type) {
        case CmResourceTypeMemory:
            if (Resource->Flags & CM_RESOURCE_MEMORY_PREFETCHABLE) {
                Adapter->VramBase = Resource->u.Memory.Start;
                Adapter->VramSize = Resource->u.Memory.Length;
            } else {
                Status = Adapter->Dxgk.DxgkCbMapMemory(
                    Adapter->Dxgk.DeviceHandle, Resource->u.Memory.Start, Resource->u.Memory.Length,
                    FALSE, FALSE, MmNonCached, &Mapped);
                if (!NT_SUCCESS(Status))
                    return Status;
                Adapter->Registers = (PUCHAR)Mapped;
            }
            break;
        case CmResourceTypeInterrupt:
        default:
            break;
        }
    }
    Adapter->VramSize = (SIZE_T)SmpReadSetting(&Adapter->DeviceInfo.DeviceRegistryPath, Name, 64)
                        << 20;
    Status = PsCreateSystemThread(&Adapter->Worker, THREAD_ALL_ACCESS, NULL, NULL, NULL, SmpWorker,
                                  Adapter);
    *NumberOfVideoPresentSources = 1;
    *NumberOfChildren = 0;
    KdPrint(("smp: %u MB\n", (unsigned)(Adapter->VramSize >> 20)));
    return Status;
}

VOID APIENTRY SmpWorker(PVOID StartContext) {
    PSMP_ADAPTER Adapter = (PSMP_ADAPTER)StartContext;
    LARGE_INTEGER Timeout;

    Timeout.QuadPart = -10 * 1000 * 1000;
    if (KeWaitForSingleObject(&Adapter->Idle, Executive, KernelMode, FALSE, &Timeout) ==
        STATUS_TIMEOUT)
        DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_WARNING_LEVEL, "smp: still busy\n");
    PsTerminateSystemThread(STATUS_SUCCESS);
}

VOID APIENTRY SmpWorkDpc(PKDPC Dpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
    PSMP_ADAPTER Adapter = (PSMP_ADAPTER)Context;

    UNREFERENCED_PARAMETER(Dpc);
    UNREFERENCED_PARAMETER(Argument1);
    UNREFERENCED_PARAMETER(Argument2);
    if (InterlockedDecrement(&Adapter->Outstanding) == 0)
        KeSetEvent(&Adapter->Idle, IO_NO_INCREMENT, FALSE);
}

NTSTATUS APIENTRY SmpStopDevice(IN_CONST_PVOID MiniportDeviceContext) {
    PSMP_ADAPTER Adapter = (PSMP_ADAPTER)MiniportDeviceContext;
    return Adapter->Dxgk.DxgkCbUnmapMemory(Adapter->Dxgk.DeviceHandle, Adapter->Registers);
}

NTSTATUS APIENTRY SmpRemoveDevice(IN_CONST_PVOID MiniportDeviceContext) {
    ExFreePoolWithTag((PVOID)MiniportDeviceContext, SMP_TAG);
    return STATUS_SUCCESS;
}

VOID APIENTRY SmpUnload(VOID) {
}

BOOLEAN APIENTRY SmpSynchronized(PVOID Context) {
    PSMP_ADAPTER Adapter = (PSMP_ADAPTER)Context;
    Adapter->LastFence =
        READ_REGISTER_ULONG((volatile ULONG *)(Adapter->Registers + SMP_REG_FENCE));
    return TRUE;
}

BOOLEAN APIENTRY SmpInterrupt(IN_CONST_PVOID MiniportDeviceContext, ULONG MessageNumber) {
    PSMP_ADAPTER Adapter = (PSMP_ADAPTER)MiniportDeviceContext;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA Data;

    UNREFERENCED_PARAMETER(MessageNumber);
    SmpSynchronized(Adapter);
    RtlZeroMemory(&Data, sizeof(Data));
    Data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    Data.DmaCompleted.SubmissionFenceId = Adapter->LastFence;
    Data.DmaCompleted.NodeOrdinal = 0;
    Data.DmaCompleted.EngineOrdinal = 0;
    Adapter->Dxgk.DxgkCbNotifyInterrupt(Adapter->Dxgk.DeviceHandle, &Data);
    return Adapter->Dxgk.DxgkCbQueueDpc(Adapter->Dxgk.DeviceHandle);
}

VOID APIENTRY SmpDpc(IN_CONST_PVOID MiniportDeviceContext) {
    PSMP_ADAPTER Adapter = (PSMP_ADAPTER)MiniportDeviceContext;
    Adapter->Dxgk.DxgkCbNotifyDpc(Adapter->Dxgk.DeviceHandle);
}

static void SmpFillCaps(PSMP_ADAPTER Adapter, DXGK_DRIVERCAPS *Caps, UINT Bytes) {
    RtlZeroMemory(Caps, Bytes);
    Caps->HighestAcceptableAddress.QuadPart = -1;
    Caps->MaxAllocationListSlotId = 256;
    Caps->ApertureSegmentCommitLimit = Adapter->VramSize;
    Caps->SchedulingCaps.MultiEngineAware = 1;
    Caps->MemoryManagementCaps.OutOfOrderLock = 0;
    Caps->GpuEngineTopology.NbAsymetricProcessingNodes = 1;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    Caps->WDDMVersion = DXGKDDI_WDDMv1_2;
    Caps->PreemptionCaps.GraphicsPreemptionGranularity =
        D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
    Caps->SchedulingCaps.PreemptionAware = 1;
    Caps->SupportSmoothRotation = TRUE;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    Caps->WDDMVersion = DXGKDDI_WDDMv2;
    Caps->MemoryManagementCaps.VirtualAddressingSupported = 1;
    Caps->MemoryManagementCaps.GpuMmuSupported = 1;
#endif
}

NTSTATUS APIENTRY SmpQueryAdapterInfo(IN_CONST_HANDLE hAdapter,
                                      IN_CONST_PDXGKARG_QUERYADAPTERINFO pQueryAdapterInfo) {
    PSMP_ADAPTER Adapter = (PSMP_ADAPTER)hAdapter;

    switch (pQueryAdapterInfo->Type) {
    case DXGKQAITYPE_DRIVERCAPS: {
        DXGK_DRIVERCAPS Caps;
        SmpFillCaps(Adapter, &Caps, sizeof(Caps));
        RtlCopyMemory(pQueryAdapterInfo->pOutputData, &Caps,
                      pQueryAdapterInfo->OutputDataSize < sizeof(Caps)
                          ? pQueryAdapterInfo->OutputDataSize
                          : sizeof(Caps));
        return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_QUERYSEGMENT: {
        DXGK_QUERYSEGMENTOUT *Out = (DXGK_QUERYSEGMENTOUT *)pQueryAdapterInfo->pOutputData;
        if (!Out->pSegmentDescriptor) {
            Out->NbSegment = SMP_MAX_SEGMENTS;
            return STATUS_SUCCESS;
        }
        Out->pSegmentDescriptor[0].BaseAddress.QuadPart = 0;
        Out->pSegmentDescriptor[0].CpuTranslatedAddress = Adapter->VramBase;
        Out->pSegmentDescriptor[0].Size = Out->pSegmentDescriptor[0].CommitLimit =
            Adapter->VramSize;
        Out->pSegmentDescriptor[0].Flags.CpuVisible = 1;
        Out->pSegmentDescriptor[1].Flags.Aperture = 1;
        Out->PagingBufferSegmentId = 2;
        Out->PagingBufferSize = 16 * PAGE_SIZE;
        return STATUS_SUCCESS;
    }
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    case DXGKQAITYPE_QUERYSEGMENT3: {
        DXGK_QUERYSEGMENTOUT3 *Out = (DXGK_QUERYSEGMENTOUT3 *)pQueryAdapterInfo->pOutputData;
        if (Out->pSegmentDescriptor)
            Out->pSegmentDescriptor[0].SystemMemoryEndAddress = 0;
        return STATUS_SUCCESS;
    }
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    case DXGKQAITYPE_QUERYSEGMENT4: {
        DXGK_QUERYSEGMENTOUT4 *Out = (DXGK_QUERYSEGMENTOUT4 *)pQueryAdapterInfo->pOutputData;
        UINT i;
        if (Out->NbSegment == 0) {
            Out->NbSegment = SMP_MAX_SEGMENTS;
            return STATUS_SUCCESS;
        }
        for (i = 0; i < Out->NbSegment; i++) {
            DXGK_SEGMENTDESCRIPTOR4 *Segment =
                (DXGK_SEGMENTDESCRIPTOR4 *)(Out->pSegmentDescriptor +
                                            i * Out->SegmentDescriptorStride);
            RtlZeroMemory(Segment, sizeof(*Segment));
            Segment->Size = Segment->CommitLimit = Adapter->VramSize;
            Segment->Flags.Aperture = i == 1;
            Segment->Flags.SupportsCpuHostAperture = i == 0;
            Segment->CpuHostAperture.SizeInPages = 1024;
        }
        Out->PagingBufferSegmentId = 2;
        return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_GPUMMUCAPS: {
        DXGK_GPUMMUCAPS *Mmu = (DXGK_GPUMMUCAPS *)pQueryAdapterInfo->pOutputData;
        Mmu->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
        Mmu->VirtualAddressBitCount = 40;
        Mmu->PageTableLevelCount = DXGK_MIN_PAGE_TABLE_LEVEL_COUNT;
        Mmu->ReadOnlyMemorySupported = 1;
        return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_PAGETABLELEVELDESC: {
        const DXGK_QUERYPAGETABLELEVELDESCIN *In =
            (DXGK_QUERYPAGETABLELEVELDESCIN *)pQueryAdapterInfo->pInputData;
        DXGK_PAGE_TABLE_LEVEL_DESC *Desc =
            (DXGK_PAGE_TABLE_LEVEL_DESC *)pQueryAdapterInfo->pOutputData;
        Desc->PageTableIndexBitCount = In->LevelIndex == 0 ? 9 : 19;
        Desc->PageTableSizeInBytes = PAGE_SIZE;
        return STATUS_SUCCESS;
    }
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
    case DXGKQAITYPE_DIRTYBITTRACKINGCAPS:
        ((DXGK_DIRTY_BIT_TRACKING_CAPS *)pQueryAdapterInfo->pOutputData)
            ->DirtyBitTrackingSupported = 1;
        return STATUS_SUCCESS;
#endif
    default:
        return STATUS_NOT_SUPPORTED;
    }
}

NTSTATUS APIENTRY SmpCreateAllocation(IN_CONST_HANDLE hAdapter,
                                      INOUT_PDXGKARG_CREATEALLOCATION pCreateAllocation) {
    PSMP_ADAPTER Adapter = (PSMP_ADAPTER)hAdapter;
    UINT i;

    for (i = 0; i < pCreateAllocation->NumAllocations; i++) {
        DXGK_ALLOCATIONINFO *Info = &pCreateAllocation->pAllocationInfo[i];
        SMP_ALLOCATION *Allocation =
            (SMP_ALLOCATION *)ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(SMP_ALLOCATION), SMP_TAG);
        if (!Allocation)
            return STATUS_NO_MEMORY;
        Allocation->Size = ROUND_TO_PAGES(*(const ULONG *)Info->pPrivateDriverData);
        Info->Alignment = PAGE_SIZE;
        Info->Size = Allocation->Size;
        Info->PitchAlignedSize = 0;
        Info->HintedBank.Value = 0;
        Info->PreferredSegment.Value = 0;
        Info->PreferredSegment.SegmentId0 = 1;
        Info->SupportedReadSegmentSet = Info->SupportedWriteSegmentSet = 3;
        Info->EvictionSegmentSet = 2;
        Info->Flags.Value = 0;
        Info->Flags.CpuVisible = TRUE;
        Info->pAllocationUsageHint = NULL;
        Info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
        Info->hAllocation = Allocation;
        ExAcquireFastMutex(&Adapter->ListMutex);
        InsertTailList(&Adapter->Allocations, &Allocation->Link);
        ExReleaseFastMutex(&Adapter->ListMutex);
    }
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY SmpDestroyAllocation(IN_CONST_HANDLE hAdapter,
                                       IN_CONST_PDXGKARG_DESTROYALLOCATION pDestroyAllocation) {
    UINT i;

    UNREFERENCED_PARAMETER(hAdapter);
    for (i = 0; i < pDestroyAllocation->NumAllocations; i++) {
        SMP_ALLOCATION *Allocation = (SMP_ALLOCATION *)pDestroyAllocation->pAllocationList[i];
        RemoveEntryList(&Allocation->Link);
        ExFreePoolWithTag(Allocation, SMP_TAG);
    }
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY SmpOpenAllocation(IN_CONST_HANDLE hDevice,
                                    IN_CONST_PDXGKARG_OPENALLOCATION pOpenAllocation) {
    PSMP_ADAPTER Adapter = (PSMP_ADAPTER)hDevice;
    DXGKARGCB_GETHANDLEDATA Get;

    RtlZeroMemory(&Get, sizeof(Get));
    Get.hObject = pOpenAllocation->pOpenAllocation[0].hAllocation;
    Get.Type = DXGK_HANDLE_ALLOCATION;
    pOpenAllocation->pOpenAllocation[0].hDeviceSpecificAllocation =
        Adapter->Dxgk.DxgkCbGetHandleData(&Get);
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY SmpCloseAllocation(IN_CONST_HANDLE hDevice,
                                     IN_CONST_PDXGKARG_CLOSEALLOCATION pCloseAllocation) {
    UNREFERENCED_PARAMETER(hDevice);
    NT_ASSERT(pCloseAllocation->NumAllocations != 0);
    UNREFERENCED_PARAMETER(pCloseAllocation);
    return STATUS_SUCCESS;
}

static BOOLEAN SmpEmit(DXGKARG_BUILDPAGINGBUFFER *Args, ULONG Opcode, ULONG Bytes, ULONGLONG From,
                       ULONGLONG To) {
    SMP_PACKET *Packet = (SMP_PACKET *)Args->pDmaBuffer;

    if (Args->DmaSize < sizeof(*Packet))
        return FALSE;
    Packet->Opcode = Opcode;
    Packet->Bytes = Bytes;
    Packet->From = From;
    Packet->To = To;
    Args->pDmaBuffer = Packet + 1;
    Args->DmaSize -= sizeof(*Packet);
    return TRUE;
}

NTSTATUS APIENTRY SmpBuildPagingBuffer(IN_CONST_HANDLE hAdapter,
                                       IN_PDXGKARG_BUILDPAGINGBUFFER pBuildPagingBuffer) {
    UNREFERENCED_PARAMETER(hAdapter);
    switch (pBuildPagingBuffer->Operation) {
    case DXGK_OPERATION_TRANSFER: {
        SIZE_T Pages = BYTES_TO_PAGES(pBuildPagingBuffer->Transfer.TransferSize);
        while (pBuildPagingBuffer->MultipassOffset < Pages) {
            UINT Page = pBuildPagingBuffer->MultipassOffset;
            PMDL Mdl = pBuildPagingBuffer->Transfer.Source.pMdl;
            PPFN_NUMBER Pfn = MmGetMdlPfnArray(Mdl) + pBuildPagingBuffer->Transfer.MdlOffset;
            ULONGLONG To =
                (ULONGLONG)pBuildPagingBuffer->Transfer.Destination.SegmentAddress.QuadPart +
                pBuildPagingBuffer->Transfer.TransferOffset + ((ULONGLONG)Page << PAGE_SHIFT);
            if (pBuildPagingBuffer->Transfer.Flags.Swizzle)
                return STATUS_GRAPHICS_ALLOCATION_BUSY;
            if (!SmpEmit(pBuildPagingBuffer, 1, PAGE_SIZE, (ULONGLONG)Pfn[Page] << PAGE_SHIFT, To))
                return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
            pBuildPagingBuffer->MultipassOffset++;
        }
        return STATUS_SUCCESS;
    }
    case DXGK_OPERATION_FILL:
        return SmpEmit(pBuildPagingBuffer, 2, (ULONG)pBuildPagingBuffer->Fill.FillSize,
                       pBuildPagingBuffer->Fill.FillPattern,
                       (ULONGLONG)pBuildPagingBuffer->Fill.Destination.SegmentAddress.QuadPart)
                   ? STATUS_SUCCESS
                   : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    case DXGK_OPERATION_DISCARD_CONTENT:
        return pBuildPagingBuffer->DiscardContent.Flags.AllocationIsIdle
                   ? STATUS_SUCCESS
                   : STATUS_GRAPHICS_ALLOCATION_BUSY;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        return SmpEmit(pBuildPagingBuffer, 3,
                       (ULONG)pBuildPagingBuffer->MapApertureSegment.NumberOfPages,
                       pBuildPagingBuffer->MapApertureSegment.MdlOffset,
                       pBuildPagingBuffer->MapApertureSegment.OffsetInPages)
                   ? STATUS_SUCCESS
                   : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        return SmpEmit(pBuildPagingBuffer, 4,
                       (ULONG)pBuildPagingBuffer->UnmapApertureSegment.NumberOfPages,
                       (ULONGLONG)pBuildPagingBuffer->UnmapApertureSegment.DummyPage.QuadPart,
                       pBuildPagingBuffer->UnmapApertureSegment.OffsetInPages)
                   ? STATUS_SUCCESS
                   : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    case DXGK_OPERATION_UPDATE_PAGE_TABLE: {
        UINT i;
        ULONGLONG *Table =
            (ULONGLONG *)pBuildPagingBuffer->UpdatePageTable.PageTableAddress.CpuVirtual;
        for (i = 0; i < pBuildPagingBuffer->UpdatePageTable.NumPageTableEntries; i++) {
            const DXGK_PTE *Pte =
                &pBuildPagingBuffer->UpdatePageTable
                     .pPageTableEntries[pBuildPagingBuffer->UpdatePageTable.Flags.Repeat ? 0 : i];
            Table[pBuildPagingBuffer->UpdatePageTable.StartIndex + i] =
                Pte->Valid ? (Pte->PageAddress << PAGE_SHIFT) | (ULONGLONG)Pte->Segment : 0;
        }
        return STATUS_SUCCESS;
    }
    case DXGK_OPERATION_FLUSH_TLB:
        return SmpEmit(pBuildPagingBuffer, 5, 0, pBuildPagingBuffer->FlushTlb.StartVirtualAddress,
                       pBuildPagingBuffer->FlushTlb.EndVirtualAddress)
                   ? STATUS_SUCCESS
                   : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    case DXGK_OPERATION_VIRTUAL_FILL:
        return SmpEmit(pBuildPagingBuffer, 6,
                       (ULONG)pBuildPagingBuffer->FillVirtual.FillSizeInBytes,
                       pBuildPagingBuffer->FillVirtual.FillPattern,
                       pBuildPagingBuffer->FillVirtual.DestinationVirtualAddress)
                   ? STATUS_SUCCESS
                   : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
#endif
    default:
        return STATUS_SUCCESS;
    }
}

NTSTATUS APIENTRY SmpPatch(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_PATCH pPatch) {
    UINT i;

    UNREFERENCED_PARAMETER(hAdapter);
    for (i = 0; i < pPatch->PatchLocationListSubmissionLength; i++) {
        const D3DDDI_PATCHLOCATIONLIST *Location =
            &pPatch->pPatchLocationList[pPatch->PatchLocationListSubmissionStart + i];
        const DXGK_ALLOCATIONLIST *Entry = &pPatch->pAllocationList[Location->AllocationIndex];
        if (Entry->SegmentId != 0)
            *(ULONGLONG *)((PUCHAR)pPatch->pDmaBuffer + Location->PatchOffset) =
                (ULONGLONG)Entry->PhysicalAddress.QuadPart + Location->AllocationOffset;
    }
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY SmpSubmitCommand(IN_CONST_HANDLE hAdapter,
                                   IN_CONST_PDXGKARG_SUBMITCOMMAND pSubmitCommand) {
    PSMP_ADAPTER Adapter = (PSMP_ADAPTER)hAdapter;
    KIRQL OldIrql;

    KeAcquireSpinLock(&Adapter->FenceLock, &OldIrql);
    InterlockedIncrement(&Adapter->Outstanding);
    KeClearEvent(&Adapter->Idle);
    if (pSubmitCommand->Flags.Paging)
        WRITE_REGISTER_ULONG((volatile ULONG *)Adapter->Registers,
                             pSubmitCommand->DmaBufferSubmissionEndOffset);
    WRITE_REGISTER_ULONG((volatile ULONG *)(Adapter->Registers + SMP_REG_FENCE),
                         pSubmitCommand->SubmissionFenceId);
    KeMemoryBarrier();
    KeReleaseSpinLock(&Adapter->FenceLock, OldIrql);
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY SmpPreempt(IN_CONST_HANDLE hAdapter,
                             IN_CONST_PDXGKARG_PREEMPTCOMMAND pPreemptCommand) {
    PSMP_ADAPTER Adapter = (PSMP_ADAPTER)hAdapter;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA Data;
    BOOLEAN Result;

    RtlZeroMemory(&Data, sizeof(Data));
    Data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
    Data.DmaPreempted.PreemptionFenceId = pPreemptCommand->PreemptionFenceId;
    Data.DmaPreempted.LastCompletedFenceId = Adapter->LastFence;
    Adapter->Dxgk.DxgkCbNotifyInterrupt(Adapter->Dxgk.DeviceHandle, &Data);
    return Adapter->Dxgk.DxgkCbSynchronizeExecution(Adapter->Dxgk.DeviceHandle, SmpSynchronized,
                                                    Adapter, 0, &Result);
}

NTSTATUS APIENTRY SmpQueryFence(IN_CONST_HANDLE hAdapter,
                                INOUT_PDXGKARG_QUERYCURRENTFENCE pCurrentFence) {
    pCurrentFence->CurrentFence = ((PSMP_ADAPTER)hAdapter)->LastFence;
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY SmpCreateDevice(IN_CONST_HANDLE hAdapter,
                                  INOUT_PDXGKARG_CREATEDEVICE pCreateDevice) {
    pCreateDevice->hDevice = hAdapter;
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY SmpCreateContext(IN_CONST_HANDLE hDevice,
                                   INOUT_PDXGKARG_CREATECONTEXT pCreateContext) {
    pCreateContext->hContext = hDevice;
    pCreateContext->ContextInfo.DmaBufferSize = 16 * PAGE_SIZE;
    pCreateContext->ContextInfo.AllocationListSize = 64;
    pCreateContext->ContextInfo.PatchLocationListSize = 64;
    return pCreateContext->Flags.SystemContext ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
DXGKDDI_SUBMITCOMMANDVIRTUAL SmpSubmitVirtual;
DXGKDDI_SETROOTPAGETABLE SmpSetRoot;
DXGKDDI_GETROOTPAGETABLESIZE SmpRootSize;
DXGKDDI_MAPCPUHOSTAPERTURE SmpMapHostAperture;

NTSTATUS APIENTRY SmpSubmitVirtual(IN_CONST_HANDLE hAdapter,
                                   IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL pSubmit) {
    ((PSMP_ADAPTER)hAdapter)->LastFence = pSubmit->SubmissionFenceId;
    return STATUS_SUCCESS;
}

VOID APIENTRY SmpSetRoot(IN_CONST_HANDLE hAdapter,
                         IN_CONST_PDXGKARG_SETROOTPAGETABLE pSetPageTable) {
    UNREFERENCED_PARAMETER(hAdapter);
    ASSERT(pSetPageTable->Address.SegmentId != DXGK_SEGMENT_ID_INVALID);
    UNREFERENCED_PARAMETER(pSetPageTable);
}

SIZE_T APIENTRY SmpRootSize(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_GETROOTPAGETABLESIZE pArgs) {
    UNREFERENCED_PARAMETER(hAdapter);
    return ROUND_TO_PAGES(pArgs->NumberOfPte * sizeof(ULONGLONG));
}

NTSTATUS APIENTRY SmpMapHostAperture(IN_CONST_HANDLE hAdapter,
                                     IN_CONST_PDXGKARG_MAPCPUHOSTAPERTURE pArgs) {
    UNREFERENCED_PARAMETER(hAdapter);
    return pArgs->NumberOfPages && pArgs->pMemorySegmentPages[0] ? STATUS_SUCCESS
                                                                 : STATUS_INVALID_PARAMETER;
}
#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
DXGKDDI_CREATEMEMORYBASIS SmpCreateBasis;
DXGKDDI_QUERYDIRTYBITDATA SmpQueryDirty;

HANDLE APIENTRY SmpCreateBasis(IN_CONST_HANDLE hAdapter,
                               IN_CONST_PDXGKARG_CREATEMEMORYBASIS pArgs) {
    UNREFERENCED_PARAMETER(hAdapter);
    return pArgs->RangeCount ? ExAllocatePool2(POOL_FLAG_PAGED, sizeof(*pArgs), SMP_TAG) : NULL;
}

NTSTATUS APIENTRY SmpQueryDirty(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_QUERYDIRTYBITDATA pArgs) {
    UNREFERENCED_PARAMETER(hAdapter);
    if (pArgs->Flags & DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA)
        RtlZeroMemory(pArgs->Buffer, pArgs->BufferSize);
    return STATUS_SUCCESS;
}
#endif

_Use_decl_annotations_ NTSTATUS APIENTRY DriverEntry(PDRIVER_OBJECT DriverObject,
                                                     PUNICODE_STRING RegistryPath) {
    DRIVER_INITIALIZATION_DATA Init;

    RtlZeroMemory(&Init, sizeof(Init));
    Init.Version = DXGKDDI_INTERFACE_VERSION;
    Init.DxgkDdiAddDevice = SmpAddDevice;
    Init.DxgkDdiStartDevice = SmpStartDevice;
    Init.DxgkDdiStopDevice = SmpStopDevice;
    Init.DxgkDdiRemoveDevice = SmpRemoveDevice;
    Init.DxgkDdiInterruptRoutine = SmpInterrupt;
    Init.DxgkDdiDpcRoutine = SmpDpc;
    Init.DxgkDdiUnload = SmpUnload;
    Init.DxgkDdiQueryAdapterInfo = SmpQueryAdapterInfo;
    Init.DxgkDdiCreateDevice = SmpCreateDevice;
    Init.DxgkDdiCreateContext = SmpCreateContext;
    Init.DxgkDdiCreateAllocation = SmpCreateAllocation;
    Init.DxgkDdiDestroyAllocation = SmpDestroyAllocation;
    Init.DxgkDdiOpenAllocation = SmpOpenAllocation;
    Init.DxgkDdiCloseAllocation = SmpCloseAllocation;
    Init.DxgkDdiBuildPagingBuffer = SmpBuildPagingBuffer;
    Init.DxgkDdiSubmitCommand = SmpSubmitCommand;
    Init.DxgkDdiPatch = SmpPatch;
    Init.DxgkDdiPreemptCommand = SmpPreempt;
    Init.DxgkDdiQueryCurrentFence = SmpQueryFence;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    Init.DxgkDdiSubmitCommandVirtual = SmpSubmitVirtual;
    Init.DxgkDdiSetRootPageTable = SmpSetRoot;
    Init.DxgkDdiGetRootPageTableSize = SmpRootSize;
    Init.DxgkDdiMapCpuHostAperture = SmpMapHostAperture;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
    Init.DxgkDdiCreateMemoryBasis = SmpCreateBasis;
    Init.DxgkDdiQueryDirtyBitData = SmpQueryDirty;
#endif
    return DxgkInitialize(DriverObject, RegistryPath, &Init);
}

#ifdef __cplusplus
}
#endif
