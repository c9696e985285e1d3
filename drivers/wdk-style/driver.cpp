/*
 * driver.cpp - an example miniport in C++17, in the style of the WDK's samples: a class for the
 * adapter, whose DDIs are static members; objects in pool; names, types and helpers of the kernel.
 *
 * It has VRAM behind a BAR and no aperture, so whatever has to go leaves for system memory. The CPU
 * moves it while BuildPagingBuffer runs, a page at a time (PageView); a submission has nothing left
 * to do and is completed by a DPC. It stands alone: the other examples share ../common, this one
 * shows a driver as it would be brought here from elsewhere: surfaces from a lookaside list, kept in
 * a list behind an executive resource; a timer as the watchdog of submissions, whose DPC has a work
 * item count in the registry; commands of user mode probed inside __try; traces by WPP, where the
 * build makes the .tmh file (vidmm cc does).
 *
 * It needs a host without a hardware model: the second memory resource is taken for VRAM.
 */
#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#define WPP_CONTROL_GUIDS                                                                          \
    WPP_DEFINE_CONTROL_GUID(WdkStyle, (5c3f8a52, 6e1d, 4b7a, 9c40, 2f6d1e8b7a90),                  \
                            WPP_DEFINE_BIT(TRACE_ADAPTER))
// begin_wpp config
// FUNC TraceAdapter{FLAG=TRACE_ADAPTER}(MSG, ...);
// end_wpp
#if __has_include("driver.tmh")
#include "driver.tmh"
#else
#define WPP_INIT_TRACING(Driver, Path)
#define WPP_CLEANUP(Driver)
#define TraceAdapter(...)
#endif

namespace {

constexpr ULONG PoolTag = 0x4b445743; // "CWDK"
constexpr UINT VramSegment = 1;
constexpr SIZE_T BytesMost = static_cast<SIZE_T>(1)
                             << 40; // of an allocation; user mode chooses the number
constexpr LONGLONG VramBase = 0x100000000;
constexpr LONGLONG WatchdogTime = -20000000; // 2 s

// In non-paged pool and zeroed. A new-expression yields nullptr when there is none left.
struct PoolObject {
    static void *operator new(size_t bytes) noexcept {
        return ExAllocatePool2(POOL_FLAG_NON_PAGED, bytes, PoolTag);
    }
    static void operator delete(void *block) {
        ExFreePoolWithTag(block, PoolTag);
    }
};

// An executive resource is held with normal kernel APCs off.
class ResourceHolder {
  public:
    explicit ResourceHolder(ERESOURCE &resource) : m_Resource(resource) {
        KeEnterCriticalRegion();
        ExAcquireResourceExclusiveLite(&m_Resource, TRUE);
    }
    ~ResourceHolder() {
        ExReleaseResourceLite(&m_Resource);
        KeLeaveCriticalRegion();
    }
    ResourceHolder(const ResourceHolder &) = delete;

  private:
    ERESOURCE &m_Resource;
};

class FastMutexHolder {
  public:
    explicit FastMutexHolder(FAST_MUTEX &mutex) : m_Mutex(mutex) {
        ExAcquireFastMutex(&m_Mutex);
    }
    ~FastMutexHolder() {
        ExReleaseFastMutex(&m_Mutex);
    }
    FastMutexHolder(const FastMutexHolder &) = delete;

  private:
    FAST_MUTEX &m_Mutex;
};

// A page of system memory for as long as this object lives, through an MDL made for one page.
// There may be no room to map it for a moment; a paging operation cannot fail for that, so it is
// waited for.
class PageView {
  public:
    PageView(PMDL window, PFN_NUMBER page) : m_Window(window) {
        LARGE_INTEGER millisecond;
        millisecond.QuadPart = -10000;
        MmGetMdlPfnArray(window)[0] = page;
        window->MdlFlags |= MDL_PAGES_LOCKED;
        while ((m_Bytes = MmMapLockedPagesSpecifyCache(window, KernelMode, MmCached, nullptr, FALSE,
                                                       HighPagePriority)) == nullptr)
            KeDelayExecutionThread(KernelMode, FALSE, &millisecond);
    }
    ~PageView() {
        MmUnmapLockedPages(m_Bytes, m_Window);
    }
    PageView(const PageView &) = delete;
    PVOID Bytes() const {
        return m_Bytes;
    }

  private:
    PMDL m_Window;
    PVOID m_Bytes;
};

class Adapter;

// A device or a context: nothing but a handle of its own.
struct Object : PoolObject {
    explicit Object(Adapter *adapter) : Owner(adapter) {
    }
    Adapter *Owner;
};

// An allocation, from the adapter's lookaside list. Its size is the system's to know.
struct Surface {
    LIST_ENTRY Link;
};

class Adapter : public PoolObject {
  public:
    explicit Adapter(PDEVICE_OBJECT device) : m_Device(device) {
        ExInitializeFastMutex(&m_PagingMutex);
        KeInitializeSpinLock(&m_WorkLock);
        KeInitializeDpc(&m_WorkDpc, WorkDpc, this);
        KeInitializeTimer(&m_Watchdog);
        KeInitializeDpc(&m_WatchdogDpc, WatchdogDpc, this);
        KeInitializeEvent(&m_CountDone, NotificationEvent, TRUE);
        InitializeListHead(&m_Surfaces);
        ExInitializeResourceLite(&m_SurfaceLock);
        ExInitializeNPagedLookasideList(&m_SurfacePool, nullptr, nullptr, 0, sizeof(Surface),
                                        PoolTag, 0);
    }
    ~Adapter() {
        NT_ASSERT(IsListEmpty(&m_Surfaces));
        ExDeleteNPagedLookasideList(&m_SurfacePool);
        ExDeleteResourceLite(&m_SurfaceLock);
    }

    static DXGKDDI_ADD_DEVICE AddDevice;
    static DXGKDDI_START_DEVICE StartDevice;
    static DXGKDDI_STOP_DEVICE StopDevice;
    static DXGKDDI_REMOVE_DEVICE RemoveDevice;
    static DXGKDDI_INTERRUPT_ROUTINE InterruptRoutine;
    static DXGKDDI_DPC_ROUTINE DpcRoutine;
    static DXGKDDI_QUERYADAPTERINFO QueryAdapterInfo;
    static DXGKDDI_GETNODEMETADATA GetNodeMetadata;
    static DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA GetStandardAllocation;
    static DXGKDDI_CREATEALLOCATION CreateAllocation;
    static DXGKDDI_DESTROYALLOCATION DestroyAllocation;
    static DXGKDDI_OPENALLOCATIONINFO OpenAllocation;
    static DXGKDDI_CLOSEALLOCATION CloseAllocation;
    static DXGKDDI_BUILDPAGINGBUFFER BuildPagingBuffer;
    static DXGKDDI_CREATEDEVICE CreateDevice;
    static DXGKDDI_CREATECONTEXT CreateContext;
    static DXGKDDI_DESTROYDEVICE DestroyObject;
    static DXGKDDI_RENDER Render;
    static DXGKDDI_PATCH Patch;
    static DXGKDDI_SUBMITCOMMAND SubmitCommand;
    static DXGKDDI_PREEMPTCOMMAND PreemptCommand;
    static DXGKDDI_QUERYCURRENTFENCE QueryCurrentFence;

  private:
    // What waits for the DPC. A newer completion stands for the ones before it.
    struct Work {
        BOOLEAN Completed, Preempted;
        UINT CompletedFence, PreemptionFence;
    };
    struct Notice {
        Adapter *Self;
        Work Done;
    };

    static KDEFERRED_ROUTINE WorkDpc;
    static KDEFERRED_ROUTINE WatchdogDpc;
    static IO_WORKITEM_ROUTINE CountHang;
    static KSYNCHRONIZE_ROUTINE Notify;

    NTSTATUS CreateSurface(DXGK_ALLOCATIONINFO &info);
    VOID DestroySurface(Surface *surface);
    VOID Watch();
    NTSTATUS Start();
    NTSTATUS FindVram(const DXGK_DEVICE_INFO &info);
    VOID ApplyVramSetting();
    VOID Stop();
    NTSTATUS QueryCaps(const DXGKARG_QUERYADAPTERINFO &args) const;
    NTSTATUS QuerySegments(const DXGKARG_QUERYADAPTERINFO &args) const;
    VOID Transfer(const DXGKARG_BUILDPAGINGBUFFER &args);
    VOID MoveBetween(PUCHAR vram, const PFN_NUMBER *pages, SIZE_T bytes, BOOLEAN toVram);
    VOID Fill(const DXGKARG_BUILDPAGINGBUFFER &args);
    PUCHAR AtVram(LARGE_INTEGER address) const {
        return m_Vram + (address.QuadPart - VramBase);
    }

    DXGKRNL_INTERFACE m_Dxgk = {};
    PHYSICAL_ADDRESS m_Bar = {};
    SIZE_T m_BarBytes = 0, m_VramBytes = 0; // the segment may be smaller than the BAR
    PUCHAR m_Vram = nullptr;
    FAST_MUTEX m_PagingMutex = {}; // of m_Window
    PMDL m_Window = nullptr;
    KDPC m_WorkDpc = {};
    KSPIN_LOCK m_WorkLock = 0; // of m_Work
    Work m_Work = {};
    volatile UINT m_Fence = 0; // the last completed one
    PDEVICE_OBJECT m_Device;
    KTIMER m_Watchdog = {}; // runs while a submission waits for its DPC
    KDPC m_WatchdogDpc = {};
    PIO_WORKITEM m_CountItem = nullptr;
    KEVENT m_CountDone = {}; // signaled: m_CountItem is not queued
    volatile LONG m_Hangs = 0;
    LIST_ENTRY m_Surfaces = {};
    ERESOURCE m_SurfaceLock = {}; // of m_Surfaces
    NPAGED_LOOKASIDE_LIST m_SurfacePool = {};
};

// ---- Life ---------------------------------------------------------------------------------------

NTSTATUS APIENTRY Adapter::AddDevice(const PDEVICE_OBJECT device, PVOID *context) {
    *context = new Adapter(device);
    return *context != nullptr ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

NTSTATUS APIENTRY Adapter::RemoveDevice(const PVOID context) {
    delete static_cast<Adapter *>(context);
    return STATUS_SUCCESS;
}

// The first memory resource is for registers, the second one is VRAM.
NTSTATUS Adapter::FindVram(const DXGK_DEVICE_INFO &info) {
    const CM_RESOURCE_LIST *resources = info.TranslatedResourceList;
    if (resources == nullptr || resources->Count == 0)
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    const CM_PARTIAL_RESOURCE_LIST &list = resources->List[0].PartialResourceList;
    UINT memory = 0;
    for (ULONG i = 0; i < list.Count; i++) {
        const CM_PARTIAL_RESOURCE_DESCRIPTOR &resource = list.PartialDescriptors[i];
        if (resource.Type != CmResourceTypeMemory || memory++ != 1)
            continue;
        RtlCopyMemory(&m_Bar, &resource.u.Memory.Start, sizeof(m_Bar));
        m_BarBytes = m_VramBytes = resource.u.Memory.Length;
        return STATUS_SUCCESS;
    }
    return STATUS_DEVICE_CONFIGURATION_ERROR;
}

// The registry value VramBytes may make the segment smaller.
VOID Adapter::ApplyVramSetting() {
    static WCHAR path[] = {'v', 'i', 'd', 'm', 'm', 0};
    static WCHAR name[] = {'V', 'r', 'a', 'm', 'B', 'y', 't', 'e', 's', 0};
    ULONG bytes = 0;
    RTL_QUERY_REGISTRY_TABLE table[2] = {};
    table[0].Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TYPECHECK;
    table[0].Name = name;
    table[0].EntryContext = &bytes;
    table[0].DefaultType = static_cast<ULONG>(REG_DWORD) << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
    NTSTATUS status = RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, path, table, nullptr, nullptr);
    bytes -= bytes % PAGE_SIZE;
    if (NT_SUCCESS(status) && bytes != 0 && bytes < m_BarBytes)
        m_VramBytes = bytes;
}

NTSTATUS Adapter::Start() {
    DXGK_DEVICE_INFO info = {};
    NTSTATUS status = m_Dxgk.DxgkCbGetDeviceInformation(m_Dxgk.DeviceHandle, &info);
    if (NT_SUCCESS(status))
        status = FindVram(info);
    if (!NT_SUCCESS(status))
        return status;
    ApplyVramSetting();
    TraceAdapter("VRAM of %Iu bytes", m_VramBytes);
    m_CountItem = IoAllocateWorkItem(m_Device);
    m_Window = IoAllocateMdl(nullptr, PAGE_SIZE, FALSE, FALSE, nullptr);
    m_Vram =
        static_cast<PUCHAR>(MmMapIoSpaceEx(m_Bar, m_BarBytes, PAGE_READWRITE | PAGE_WRITECOMBINE));
    if (m_Window != nullptr && m_Vram != nullptr && m_CountItem != nullptr)
        return STATUS_SUCCESS;
    Stop();
    return STATUS_NO_MEMORY;
}

VOID Adapter::Stop() {
    KeCancelTimer(&m_Watchdog);
    KeRemoveQueueDpc(&m_WorkDpc);
    KeFlushQueuedDpcs();
    KeWaitForSingleObject(&m_CountDone, Executive, KernelMode, FALSE, nullptr);
    if (m_CountItem != nullptr)
        IoFreeWorkItem(m_CountItem);
    m_CountItem = nullptr;
    if (m_Vram != nullptr)
        MmUnmapIoSpace(m_Vram, m_BarBytes);
    if (m_Window != nullptr)
        IoFreeMdl(m_Window);
    m_Vram = nullptr;
    m_Window = nullptr;
}

// Size says how much of the interface this system has. No sources: a render-only adapter.
NTSTATUS APIENTRY Adapter::StartDevice(const PVOID context, PDXGK_START_INFO,
                                       PDXGKRNL_INTERFACE dxgk, PULONG sources, PULONG children) {
    Adapter *self = static_cast<Adapter *>(context);
    SIZE_T known = sizeof(self->m_Dxgk);
    RtlCopyMemory(&self->m_Dxgk, dxgk, dxgk->Size < known ? dxgk->Size : known);
    *sources = 0;
    *children = 0;
    return self->Start();
}

NTSTATUS APIENTRY Adapter::StopDevice(const PVOID context) {
    static_cast<Adapter *>(context)->Stop();
    return STATUS_SUCCESS;
}

// ---- What the adapter is ------------------------------------------------------------------------

NTSTATUS Adapter::QueryCaps(const DXGKARG_QUERYADAPTERINFO &args) const {
    DXGK_DRIVERCAPS caps = {};
    caps.HighestAcceptableAddress.QuadPart = MAXLONGLONG;
    caps.SchedulingCaps.MultiEngineAware = 1;
    caps.SchedulingCaps.PreemptionAware = 1;
    caps.GpuEngineTopology.NbAsymetricProcessingNodes = 1;
    caps.WDDMVersion = DXGKDDI_WDDMv1_3;
    caps.PreemptionCaps.GraphicsPreemptionGranularity =
        D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
    caps.PreemptionCaps.ComputePreemptionGranularity =
        D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
    caps.SupportNonVGA = TRUE;
    caps.SupportSmoothRotation = TRUE;
    // The system's structure ends where this interface version does; ours may be longer.
    RtlCopyMemory(args.pOutputData, &caps,
                  args.OutputDataSize < sizeof(caps) ? args.OutputDataSize : sizeof(caps));
    return STATUS_SUCCESS;
}

// The first call asks for the number, the second for all.
NTSTATUS Adapter::QuerySegments(const DXGKARG_QUERYADAPTERINFO &args) const {
    auto *out = static_cast<DXGK_QUERYSEGMENTOUT3 *>(args.pOutputData);
    if (args.OutputDataSize < sizeof(*out))
        return STATUS_INVALID_PARAMETER;
    if (out->pSegmentDescriptor == nullptr) {
        out->NbSegment = 1;
        return STATUS_SUCCESS;
    }
    if (out->NbSegment != 1)
        return STATUS_INVALID_PARAMETER;
    DXGK_SEGMENTDESCRIPTOR3 vram = {};
    vram.Flags.CpuVisible = 1;
    vram.Flags.PreservedDuringStandby = 1;
    vram.BaseAddress.QuadPart = VramBase;
    vram.CpuTranslatedAddress = m_Bar;
    vram.Size = vram.CommitLimit = m_VramBytes;
    out->pSegmentDescriptor[VramSegment - 1] = vram;
    // A paging buffer is never written: one page of system memory is plenty.
    out->PagingBufferSegmentId = 0;
    out->PagingBufferSize = PAGE_SIZE;
    out->PagingBufferPrivateDataSize = 0;
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY Adapter::QueryAdapterInfo(const HANDLE handle,
                                            const DXGKARG_QUERYADAPTERINFO *args) {
    const Adapter *self = static_cast<Adapter *>(handle);
    if (args->pOutputData == nullptr)
        return STATUS_INVALID_PARAMETER;
    switch (args->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
        return self->QueryCaps(*args);
    case DXGKQAITYPE_QUERYSEGMENT3:
        return self->QuerySegments(*args);
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

NTSTATUS APIENTRY Adapter::GetNodeMetadata(const HANDLE, UINT node, DXGKARG_GETNODEMETADATA *args) {
    if (node != 0)
        return STATUS_INVALID_PARAMETER;
    args->EngineType = DXGK_ENGINE_TYPE_3D;
    return STATUS_SUCCESS;
}

// ---- Allocations --------------------------------------------------------------------------------

// The surfaces that the system makes for itself, 32 bits a pixel.
NTSTATUS APIENTRY Adapter::GetStandardAllocation(const HANDLE,
                                                 DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    if (args->StandardAllocationType != D3DKMDT_STANDARDALLOCATION_GDISURFACE)
        return STATUS_INVALID_PARAMETER;
    D3DKMDT_GDISURFACEDATA *gdi = args->pCreateGdiSurfaceData;
    gdi->Pitch = gdi->Width * 4;
    SIZE_T bytes = static_cast<SIZE_T>(gdi->Pitch) * gdi->Height;
    if (args->pAllocationPrivateDriverData != nullptr)
        RtlCopyMemory(args->pAllocationPrivateDriverData, &bytes, sizeof(bytes));
    args->AllocationPrivateDriverDataSize = sizeof(bytes);
    args->ResourcePrivateDriverDataSize = 0;
    return STATUS_SUCCESS;
}

NTSTATUS Adapter::CreateSurface(DXGK_ALLOCATIONINFO &info) {
    SIZE_T bytes = 0;
    if (info.pPrivateDriverData == nullptr || info.PrivateDriverDataSize < sizeof(bytes))
        return STATUS_INVALID_PARAMETER;
    RtlCopyMemory(&bytes, info.pPrivateDriverData, sizeof(bytes));
    if (bytes == 0 || bytes > BytesMost)
        return STATUS_INVALID_PARAMETER;
    auto *surface = static_cast<Surface *>(ExAllocateFromNPagedLookasideList(&m_SurfacePool));
    if (surface == nullptr)
        return STATUS_NO_MEMORY;
    {
        ResourceHolder hold(m_SurfaceLock);
        InsertTailList(&m_Surfaces, &surface->Link);
    }
    info.hAllocation = surface;
    info.Size = bytes;
    info.Alignment = 0;
    info.PitchAlignedSize = 0;
    info.HintedBank.Value = 0;
    info.PreferredSegment.Value = 0;
    info.PreferredSegment.SegmentId0 = VramSegment;
    info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet = 1u << (VramSegment - 1);
    info.EvictionSegmentSet = 0;
    info.Flags.CpuVisible = 1;
    info.AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
    return STATUS_SUCCESS;
}

VOID Adapter::DestroySurface(Surface *surface) {
    {
        ResourceHolder hold(m_SurfaceLock);
        RemoveEntryList(&surface->Link);
    }
    ExFreeToNPagedLookasideList(&m_SurfacePool, surface);
}

NTSTATUS APIENTRY Adapter::CreateAllocation(const HANDLE handle, DXGKARG_CREATEALLOCATION *args) {
    Adapter *self = static_cast<Adapter *>(handle);
    for (UINT i = 0; i < args->NumAllocations; i++) {
        NTSTATUS status = self->CreateSurface(args->pAllocationInfo[i]);
        if (NT_SUCCESS(status))
            continue;
        while (i-- != 0)
            self->DestroySurface(static_cast<Surface *>(args->pAllocationInfo[i].hAllocation));
        return status;
    }
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY Adapter::DestroyAllocation(const HANDLE handle,
                                             const DXGKARG_DESTROYALLOCATION *args) {
    Adapter *self = static_cast<Adapter *>(handle);
    for (UINT i = 0; i < args->NumAllocations; i++)
        self->DestroySurface(static_cast<Surface *>(args->pAllocationList[i]));
    return STATUS_SUCCESS;
}

// A device sees an allocation as the adapter does: same handle.
NTSTATUS APIENTRY Adapter::OpenAllocation(const HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    const Adapter *self = static_cast<Object *>(device)->Owner;
    for (UINT i = 0; i < args->NumAllocations; i++) {
        DXGKARGCB_GETHANDLEDATA query = {};
        query.hObject = args->pOpenAllocation[i].hAllocation;
        query.Type = DXGK_HANDLE_ALLOCATION;
        args->pOpenAllocation[i].hDeviceSpecificAllocation =
            self->m_Dxgk.DxgkCbGetHandleData(&query);
    }
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY Adapter::CloseAllocation(const HANDLE, const DXGKARG_CLOSEALLOCATION *) {
    return STATUS_SUCCESS;
}

// ---- Paging -------------------------------------------------------------------------------------

VOID Adapter::MoveBetween(PUCHAR vram, const PFN_NUMBER *pages, SIZE_T bytes, BOOLEAN toVram) {
    FastMutexHolder hold(m_PagingMutex);
    for (SIZE_T done = 0; done < bytes; done += PAGE_SIZE) {
        SIZE_T step = bytes - done < PAGE_SIZE ? bytes - done : PAGE_SIZE;
        PageView page(m_Window, pages[done / PAGE_SIZE]);
        if (toVram)
            RtlCopyMemory(vram + done, page.Bytes(), step);
        else
            RtlCopyMemory(page.Bytes(), vram + done, step);
    }
}

// TransferOffset counts in the segment, MdlOffset in pages of the MDL. With one segment, one side
// is always an MDL or both are in VRAM. A size of 0 means that the place is lost.
VOID Adapter::Transfer(const DXGKARG_BUILDPAGINGBUFFER &args) {
    const auto &transfer = args.Transfer;
    SIZE_T offset = transfer.TransferOffset, bytes = transfer.TransferSize;
    if (bytes == 0)
        return;
    if (transfer.Source.SegmentId == 0)
        MoveBetween(AtVram(transfer.Destination.SegmentAddress) + offset,
                    MmGetMdlPfnArray(transfer.Source.pMdl) + transfer.MdlOffset, bytes, TRUE);
    else if (transfer.Destination.SegmentId == 0)
        MoveBetween(AtVram(transfer.Source.SegmentAddress) + offset,
                    MmGetMdlPfnArray(transfer.Destination.pMdl) + transfer.MdlOffset, bytes, FALSE);
    else
        RtlMoveMemory(AtVram(transfer.Destination.SegmentAddress) + offset,
                      AtVram(transfer.Source.SegmentAddress) + offset, bytes);
}

VOID Adapter::Fill(const DXGKARG_BUILDPAGINGBUFFER &args) {
    PUCHAR vram = AtVram(args.Fill.Destination.SegmentAddress);
    for (SIZE_T i = 0; i < args.Fill.FillSize; i++)
        vram[i] = static_cast<UCHAR>(args.Fill.FillPattern >> i % sizeof(ULONG) * 8);
}

// pDmaBuffer stays where it is: nothing is left for a GPU to do. The other operations are for
// apertures, or notices.
NTSTATUS APIENTRY Adapter::BuildPagingBuffer(const HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *args) {
    Adapter *self = static_cast<Adapter *>(handle);
    if (args->Operation == DXGK_OPERATION_TRANSFER)
        self->Transfer(*args);
    else if (args->Operation == DXGK_OPERATION_FILL)
        self->Fill(*args);
    return STATUS_SUCCESS;
}

// ---- Devices and contexts -----------------------------------------------------------------------

NTSTATUS APIENTRY Adapter::CreateDevice(const HANDLE handle, DXGKARG_CREATEDEVICE *args) {
    args->hDevice = new Object(static_cast<Adapter *>(handle));
    return args->hDevice != nullptr ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

NTSTATUS APIENTRY Adapter::CreateContext(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    args->hContext = new Object(static_cast<Object *>(device)->Owner);
    if (args->hContext == nullptr)
        return STATUS_NO_MEMORY;
    args->ContextInfo.DmaBufferSize = PAGE_SIZE;
    // A context for GDI has lists of a fixed size (ns-d3dkmddi-_dxgk_contextinfo.md).
    args->ContextInfo.AllocationListSize = args->Flags.GdiContext ? 256 : 8192;
    args->ContextInfo.PatchLocationListSize = args->ContextInfo.AllocationListSize;
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY Adapter::DestroyObject(const HANDLE object) {
    delete static_cast<Object *>(object);
    return STATUS_SUCCESS;
}

// No command is known: a buffer without one keeps its allocations resident, and that is all. The
// commands are user mode's, and may be gone.
NTSTATUS APIENTRY Adapter::Render(const HANDLE, DXGKARG_RENDER *args) {
    __try {
        if (args->CommandLength != 0)
            ProbeForRead(const_cast<PVOID>(args->pCommand), args->CommandLength, sizeof(UCHAR));
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return STATUS_INVALID_USER_BUFFER;
    }
    return args->CommandLength == 0 ? STATUS_SUCCESS : STATUS_ILLEGAL_INSTRUCTION;
}

NTSTATUS APIENTRY Adapter::Patch(const HANDLE, const DXGKARG_PATCH *) {
    return STATUS_SUCCESS;
}

// ---- Submission ---------------------------------------------------------------------------------

NTSTATUS APIENTRY Adapter::SubmitCommand(const HANDLE handle, const DXGKARG_SUBMITCOMMAND *args) {
    Adapter *self = static_cast<Adapter *>(handle);
    KIRQL irql;
    KeAcquireSpinLock(&self->m_WorkLock, &irql);
    self->m_Work.Completed = TRUE;
    self->m_Work.CompletedFence = args->SubmissionFenceId;
    KeReleaseSpinLock(&self->m_WorkLock, irql);
    self->Watch();
    KeInsertQueueDpc(&self->m_WorkDpc, nullptr, nullptr);
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY Adapter::PreemptCommand(const HANDLE handle, const DXGKARG_PREEMPTCOMMAND *args) {
    Adapter *self = static_cast<Adapter *>(handle);
    KIRQL irql;
    KeAcquireSpinLock(&self->m_WorkLock, &irql);
    self->m_Work.Preempted = TRUE;
    self->m_Work.PreemptionFence = args->PreemptionFenceId;
    KeReleaseSpinLock(&self->m_WorkLock, irql);
    KeInsertQueueDpc(&self->m_WorkDpc, nullptr, nullptr);
    return STATUS_SUCCESS;
}

VOID Adapter::Watch() {
    LARGE_INTEGER due;
    due.QuadPart = WatchdogTime;
    KeSetTimer(&m_Watchdog, due, &m_WatchdogDpc);
}

// No work item is queued twice: what one has not counted yet, it will.
VOID NTAPI Adapter::WatchdogDpc(PKDPC, PVOID context, PVOID, PVOID) {
    Adapter *self = static_cast<Adapter *>(context);
    InterlockedIncrement(&self->m_Hangs);
    if (KeResetEvent(&self->m_CountDone) != 0)
        IoQueueWorkItem(self->m_CountItem, CountHang, DelayedWorkQueue, self);
}

VOID NTAPI Adapter::CountHang(PDEVICE_OBJECT, PVOID context) {
    static WCHAR path[] = {'v', 'i', 'd', 'm', 'm', 0};
    static WCHAR name[] = {'H', 'a', 'n', 'g', 's', 0};
    Adapter *self = static_cast<Adapter *>(context);
    ULONG hangs = static_cast<ULONG>(self->m_Hangs);
    (void)RtlWriteRegistryValue(RTL_REGISTRY_SERVICES, path, name, REG_DWORD, &hangs,
                                sizeof(hangs));
    KeSetEvent(&self->m_CountDone, IO_NO_INCREMENT, FALSE);
}

// At the IRQL of the interrupt that this device does not have.
BOOLEAN NTAPI Adapter::Notify(PVOID context) {
    auto *notice = static_cast<Notice *>(context);
    Adapter *self = notice->Self;
    if (notice->Done.Completed) {
        DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
        data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
        data.DmaCompleted.SubmissionFenceId = self->m_Fence = notice->Done.CompletedFence;
        self->m_Dxgk.DxgkCbNotifyInterrupt(self->m_Dxgk.DeviceHandle, &data);
    }
    if (notice->Done.Preempted) {
        DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
        data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
        data.DmaPreempted.PreemptionFenceId = notice->Done.PreemptionFence;
        data.DmaPreempted.LastCompletedFenceId = self->m_Fence;
        self->m_Dxgk.DxgkCbNotifyInterrupt(self->m_Dxgk.DeviceHandle, &data);
    }
    return self->m_Dxgk.DxgkCbQueueDpc(self->m_Dxgk.DeviceHandle);
}

VOID NTAPI Adapter::WorkDpc(PKDPC, PVOID context, PVOID, PVOID) {
    Adapter *self = static_cast<Adapter *>(context);
    Notice notice = {self, {}};
    BOOLEAN queued;
    KeCancelTimer(&self->m_Watchdog);
    KeAcquireSpinLockAtDpcLevel(&self->m_WorkLock);
    notice.Done = self->m_Work;
    self->m_Work = {};
    KeReleaseSpinLockFromDpcLevel(&self->m_WorkLock);
    self->m_Dxgk.DxgkCbSynchronizeExecution(self->m_Dxgk.DeviceHandle, Notify, &notice, 0, &queued);
}

NTSTATUS APIENTRY Adapter::QueryCurrentFence(const HANDLE handle, DXGKARG_QUERYCURRENTFENCE *args) {
    args->CurrentFence = static_cast<Adapter *>(handle)->m_Fence;
    return STATUS_SUCCESS;
}

// Whatever interrupted was not this device.
BOOLEAN APIENTRY Adapter::InterruptRoutine(const PVOID, ULONG) {
    return FALSE;
}

VOID APIENTRY Adapter::DpcRoutine(const PVOID context) {
    const Adapter *self = static_cast<Adapter *>(context);
    self->m_Dxgk.DxgkCbNotifyDpc(self->m_Dxgk.DeviceHandle);
}

} // namespace

static VOID APIENTRY Unload() {
    WPP_CLEANUP(nullptr);
}

extern "C" NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registryPath) {
    DRIVER_INITIALIZATION_DATA table = {};
    WPP_INIT_TRACING(driver, registryPath);
    table.DxgkDdiUnload = Unload;
    table.Version = DXGKDDI_INTERFACE_VERSION_WDDM1_3;
    table.DxgkDdiAddDevice = Adapter::AddDevice;
    table.DxgkDdiStartDevice = Adapter::StartDevice;
    table.DxgkDdiStopDevice = Adapter::StopDevice;
    table.DxgkDdiRemoveDevice = Adapter::RemoveDevice;
    table.DxgkDdiInterruptRoutine = Adapter::InterruptRoutine;
    table.DxgkDdiDpcRoutine = Adapter::DpcRoutine;
    table.DxgkDdiQueryAdapterInfo = Adapter::QueryAdapterInfo;
    table.DxgkDdiGetNodeMetadata = Adapter::GetNodeMetadata;
    table.DxgkDdiGetStandardAllocationDriverData = Adapter::GetStandardAllocation;
    table.DxgkDdiCreateAllocation = Adapter::CreateAllocation;
    table.DxgkDdiDestroyAllocation = Adapter::DestroyAllocation;
    table.DxgkDdiOpenAllocation = Adapter::OpenAllocation;
    table.DxgkDdiCloseAllocation = Adapter::CloseAllocation;
    table.DxgkDdiBuildPagingBuffer = Adapter::BuildPagingBuffer;
    table.DxgkDdiCreateDevice = Adapter::CreateDevice;
    table.DxgkDdiDestroyDevice = Adapter::DestroyObject;
    table.DxgkDdiCreateContext = Adapter::CreateContext;
    table.DxgkDdiDestroyContext = Adapter::DestroyObject;
    table.DxgkDdiRender = Adapter::Render;
    table.DxgkDdiPatch = Adapter::Patch;
    table.DxgkDdiSubmitCommand = Adapter::SubmitCommand;
    table.DxgkDdiPreemptCommand = Adapter::PreemptCommand;
    table.DxgkDdiQueryCurrentFence = Adapter::QueryCurrentFence;
    return DxgkInitialize(driver, registryPath, &table);
}
