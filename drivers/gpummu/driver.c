/*
 * driver.c - an example miniport of the GpuMmu model (gpummu-model.md): page tables that the system
 * fills in through UPDATE_PAGE_TABLE, and paging by GPU virtual address. VRAM is behind a BAR; the
 * engine is none at all, so paging is done by the CPU while it is built (../common/cpu_pager.h),
 * and every submission completes at once (../common/instant.c).
 *
 * The tables are in system memory and written by the CPU, which is the shortest way to a working
 * driver: no DMA buffer, no flush, nothing pending when BuildPagingBuffer returns. The paging
 * process is then an address space like any other, that the CPU walks as a GPU would.
 */
#include "../common/cpu_pager.h"

/* Segment ids, in the order in which the query reports the segments. */
enum { SYSTEM = 0, VRAM = 1, APERTURE = 2, SEGMENTS = 2 };

/* Where a GPU would see them; no two segments overlap. */
#define VRAM_BASE      0x100000000ull
#define APERTURE_BASE  0x200000000ull
#define APERTURE_PAGES 8192u
#define APERTURE_BYTES ((SIZE_T)APERTURE_PAGES * PAGE_SIZE)

/* Three levels of tables of one page each: addresses of 39 bits. */
#define LEVELS     3u
#define INDEX_BITS 9u
#define VA_BITS    (PAGE_SHIFT + LEVELS * INDEX_BITS)

/* Behind the handle of a process. */
struct process {
    HANDLE system; /* hDxgkProcess, by which a page fault would be reported */
};

/* Behind the handle of a context. */
struct context {
    D3DGPU_PHYSICAL_ADDRESS root;
};

/* ---- Entries and addresses ------------------------------------------------------------------- */

/* An entry of this hardware: a page number above the segment that it counts in, and a bit. */
#define ENTRY_VALID          1ull
#define ENTRY_SEGMENT(entry) ((UINT)(entry) >> 1 & 0x1fu)
#define ENTRY_PAGE(entry)    ((entry) >> PAGE_SHIFT)

static ULONG64 entry_of(const DXGK_PTE *pte) {
    if (!pte->Valid)
        return 0;
    return pte->PageAddress << PAGE_SHIFT | (ULONG64)pte->Segment << 1 | ENTRY_VALID;
}

/* `offset` bytes into page `page` of a segment: addresses in entries do not include its base. */
static struct cpu_place place_of(const struct cpu_pager *pager, UINT segment, ULONG64 page,
                                 SIZE_T offset) {
    ULONGLONG base = segment == VRAM ? VRAM_BASE : APERTURE_BASE;
    if (segment == SYSTEM)
        return cpu_place_in_page((PFN_NUMBER)page, offset);
    return cpu_place_in_segment(pager, segment, base + page * PAGE_SIZE + offset,
                                PAGE_SIZE - offset);
}

/* From the root down; FALSE where a GPU would raise a page fault. */
static BOOLEAN translate(const struct cpu_pager *pager, const struct context *context,
                         D3DGPU_VIRTUAL_ADDRESS va, struct cpu_place *place) {
    ULONG64 entry = context->root.SegmentOffset | context->root.SegmentId << 1 | ENTRY_VALID;
    for (UINT level = LEVELS; level-- != 0 && (entry & ENTRY_VALID);) {
        UINT index = (UINT)(va >> (PAGE_SHIFT + level * INDEX_BITS)) & ((1u << INDEX_BITS) - 1);
        *place = place_of(pager, ENTRY_SEGMENT(entry), ENTRY_PAGE(entry), index * sizeof(entry));
        entry = cpu_read(pager, place);
    }
    *place = place_of(pager, ENTRY_SEGMENT(entry), ENTRY_PAGE(entry), va % PAGE_SIZE);
    return (entry & ENTRY_VALID) != 0;
}

/* ---- Paging ---------------------------------------------------------------------------------- */

/* pDmaBuffer may be NULL; nothing is ever written there. */
static VOID update_page_table(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    volatile ULONG64 *table = update->PageTableAddress.CpuVirtual;
    for (UINT i = 0; i < update->NumPageTableEntries; i++)
        table[update->StartIndex + i] =
            entry_of(&update->pPageTableEntries[update->Flags.Repeat ? 0 : i]);
}

static SIZE_T least(SIZE_T a, SIZE_T b) {
    return a < b ? a : b;
}

/* Pages that follow each other by address may be anywhere: each is looked up. */
static VOID transfer(const struct cpu_pager *pager, const struct context *context,
                     const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *args) {
    struct cpu_place from, to;
    for (UINT64 done = 0, step; done < args->TransferSizeInBytes; done += step) {
        BOOLEAN mapped = translate(pager, context, args->SourceVirtualAddress + done, &from) &
                         translate(pager, context, args->DestinationVirtualAddress + done, &to);
        step = least(least(from.run, to.run), args->TransferSizeInBytes - done);
        if (mapped)
            cpu_copy(pager, &from, &to, step);
    }
}

static VOID fill(const struct cpu_pager *pager, const struct context *context,
                 const DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL *args) {
    struct cpu_place to;
    for (UINT64 done = 0, step; done < args->FillSizeInBytes; done += step) {
        BOOLEAN mapped = translate(pager, context, args->DestinationVirtualAddress + done, &to);
        step = least(to.run, args->FillSizeInBytes - done);
        if (mapped)
            cpu_fill(pager, &to, args->FillPattern, done, step);
    }
}

/* hSystemContext: the context in whose address space the buffer would run. There is no TLB. */
static DXGKDDI_BUILDPAGINGBUFFER build_paging_buffer;
static NTSTATUS APIENTRY build_paging_buffer(const HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *args) {
    struct cpu_pager *pager = &((struct cpu_adapter *)handle)->pager;
    switch (args->Operation) {
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
        update_page_table(&args->UpdatePageTable);
        break;
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
        transfer(pager, args->hSystemContext, &args->TransferVirtual);
        break;
    case DXGK_OPERATION_VIRTUAL_FILL:
        fill(pager, args->hSystemContext, &args->FillVirtual);
        break;
    default:
        cpu_pager_build(pager, args);
        break;
    }
    return STATUS_SUCCESS;
}

/* ---- Processes and contexts ------------------------------------------------------------------ */

/* Its tables come with its contexts. */
static DXGKDDI_CREATEPROCESS create_process;
static NTSTATUS APIENTRY create_process(const HANDLE handle, DXGKARG_CREATEPROCESS *args) {
    struct process *process = skeleton_allocate(sizeof(*process));
    UNREFERENCED_PARAMETER(handle);
    if (!process)
        return STATUS_NO_MEMORY;
    process->system = args->hDxgkProcess;
    args->hKmdProcess = process;
    return STATUS_SUCCESS;
}

static DXGKDDI_DESTROYPROCESS destroy_process;
static NTSTATUS APIENTRY destroy_process(const HANDLE handle, const HANDLE process) {
    UNREFERENCED_PARAMETER(handle);
    skeleton_release(process);
    return STATUS_SUCCESS;
}

static DXGKDDI_CREATECONTEXT create_context;
static NTSTATUS APIENTRY create_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    UNREFERENCED_PARAMETER(device);
    args->hContext = skeleton_allocate(sizeof(struct context));
    if (!args->hContext)
        return STATUS_NO_MEMORY;
    args->ContextInfo.DmaBufferSize = PAGE_SIZE;
    /* Addresses need no patching; the list names primaries that are written
     * (residency-overview.md). */
    args->ContextInfo.AllocationListSize = args->Flags.GdiContext ? 256 : 16;
    args->ContextInfo.PatchLocationListSize = args->Flags.GdiContext ? 256 : 0;
    args->ContextInfo.Caps.NoPatchingRequired = 1;
    args->ContextInfo.PagingCompanionNodeId = 0;
    return STATUS_SUCCESS;
}

static DXGKDDI_SETROOTPAGETABLE set_root_page_table;
static VOID APIENTRY set_root_page_table(const HANDLE handle,
                                         const DXGKARG_SETROOTPAGETABLE *args) {
    UNREFERENCED_PARAMETER(handle);
    ((struct context *)args->hContext)->root = args->Address;
}

/* ---- What the adapter is --------------------------------------------------------------------- */

/* The CPU writes the tables, so local memory is no place for them. */
static const DXGK_GPUMMUCAPS mmu_caps = {
    .CacheCoherentMemorySupported = 1,
    .PageTableUpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL,
    .VirtualAddressBitCount = VA_BITS,
    .PageTableLevelCount = LEVELS,
};
static const DXGK_PAGE_TABLE_LEVEL_DESC level_desc = {
    .PageTableIndexBitCount = INDEX_BITS,
    .PageTableSegmentId = SYSTEM,
    .PagingProcessPageTableSegmentId = SYSTEM,
    .PageTableSizeInBytes = PAGE_SIZE,
};

static NTSTATUS query_physical(const struct cpu_adapter *adapter,
                               const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_PHYSICALADAPTERCAPS caps = {0};
    caps.NumExecutionNodes = 1;
    caps.PagingNodeIndex = 0;
    caps.DxgkPhysicalAdapterHandle = adapter->skeleton.dxgk.DeviceHandle;
    caps.Flags.GpuMmuSupported = 1;
    return skeleton_answer(args, &caps, sizeof(caps));
}

/* The skeleton's answers, and what a GpuMmu adapter has to say besides. */
static DXGKDDI_QUERYADAPTERINFO *skeleton_query;

static DXGKDDI_QUERYADAPTERINFO query_adapter_info;
static NTSTATUS APIENTRY query_adapter_info(const HANDLE handle,
                                            const DXGKARG_QUERYADAPTERINFO *args) {
    const DXGK_QUERYPAGETABLELEVELDESCIN *level = args->pInputData;
    if (!args->pOutputData)
        return STATUS_INVALID_PARAMETER;
    switch (args->Type) {
    case DXGKQAITYPE_GPUMMUCAPS:
        return skeleton_answer(args, &mmu_caps, sizeof(mmu_caps));
    case DXGKQAITYPE_PAGETABLELEVELDESC:
        if (!level || level->LevelIndex >= LEVELS)
            return STATUS_INVALID_PARAMETER;
        return skeleton_answer(args, &level_desc, sizeof(level_desc));
    case DXGKQAITYPE_PHYSICALADAPTERCAPS:
        return query_physical(handle, args);
    default:
        return skeleton_query(handle, args);
    }
}

static DXGKDDI_GETNODEMETADATA get_node_metadata;
static NTSTATUS APIENTRY get_node_metadata(const HANDLE handle, UINT node,
                                           DXGKARG_GETNODEMETADATA *args) {
    UNREFERENCED_PARAMETER(handle);
    if (node != 0)
        return STATUS_INVALID_PARAMETER;
    args->EngineType = DXGK_ENGINE_TYPE_3D;
    args->Flags.Value = 0;
    args->GpuMmuSupported = TRUE;
    args->IoMmuSupported = FALSE;
    return STATUS_SUCCESS;
}

/* The descriptors of the system have a stride of their own. */
static VOID describe(const struct cpu_pager *pager, BYTE *out, SIZE_T stride) {
    const DXGK_SEGMENTDESCRIPTOR4 segment[SEGMENTS] = {
        [VRAM - 1] =
            {
                .Flags.CpuVisible = 1,
                .Flags.PreservedDuringStandby = 1,
                .Flags.ApplicationTarget = 1,
                .BaseAddress.QuadPart = VRAM_BASE,
                .Size = pager->memory_bytes,
                .CommitLimit = pager->memory_bytes,
                .CpuTranslatedAddress = pager->bar,
            },
        [APERTURE - 1] =
            {
                .Flags.Aperture = 1,
                .Flags.CacheCoherent = 1,
                .BaseAddress.QuadPart = APERTURE_BASE,
                .Size = APERTURE_BYTES,
                .CommitLimit = APERTURE_BYTES,
            },
    };
    for (UINT i = 0; i < SEGMENTS; i++)
        RtlCopyMemory(out + i * stride, &segment[i], least(stride, sizeof(segment[i])));
}

/* The first of the two calls has a count of 0, and wants nothing else. */
static NTSTATUS segments(struct skeleton *base, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    if (args->Type != DXGKQAITYPE_QUERYSEGMENT4 || args->OutputDataSize < sizeof(*out))
        return STATUS_INVALID_PARAMETER;
    if (out->NbSegment == 0) {
        out->NbSegment = SEGMENTS;
        return STATUS_SUCCESS;
    }
    if (out->NbSegment != SEGMENTS || !out->pSegmentDescriptor)
        return STATUS_INVALID_PARAMETER;
    describe(&((const struct cpu_adapter *)base)->pager, out->pSegmentDescriptor,
             out->SegmentDescriptorStride);
    out->PagingBufferSegmentId = SYSTEM;
    out->PagingBufferSize = PAGE_SIZE; /* it is never written: one page is plenty */
    out->PagingBufferPrivateDataSize = 0;
    return STATUS_SUCCESS;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static NTSTATUS start(struct skeleton *base, const DXGK_DEVICE_INFO *info) {
    struct cpu_pager *pager = &((struct cpu_adapter *)base)->pager;
    *pager = (struct cpu_pager){
        .memory_segment = VRAM, .memory_base = VRAM_BASE, .aperture_base = APERTURE_BASE};
    return cpu_pager_start_vram(pager, info, APERTURE_PAGES);
}

const struct skeleton_driver skeleton_driver = {
    .version = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
    .wddm = DXGKDDI_WDDMv2_0,
    .adapter_bytes = sizeof(struct cpu_adapter),
    .aperture_bytes = APERTURE_BYTES,
    .preferred = VRAM,
    .alternate = APERTURE,
    .gpu_mmu = TRUE,
    .start = start,
    .stop = cpu_adapter_stop,
    .segments = segments,
};

DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path) {
    DRIVER_INITIALIZATION_DATA table = {0};
    skeleton_table(&table);
    instant_table(&table);
    skeleton_query = table.DxgkDdiQueryAdapterInfo;
    table.DxgkDdiQueryAdapterInfo = query_adapter_info;
    table.DxgkDdiGetNodeMetadata = get_node_metadata;
    table.DxgkDdiBuildPagingBuffer = build_paging_buffer;
    table.DxgkDdiCreateProcess = create_process;
    table.DxgkDdiDestroyProcess = destroy_process;
    table.DxgkDdiCreateContext = create_context;
    table.DxgkDdiSetRootPageTable = set_root_page_table;
    return DxgkInitialize(driver, registry_path, &table);
}
