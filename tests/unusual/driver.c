/*
 * driver.c - the driver of shape.h: start and stop, segments, capabilities, and the operations of the
 * pager, whose one memory segment and one aperture stand for however many the shape has.
 */
#include "shape.h"

/* Segments of the pager. */
enum { PAGER_MEMORY = 1, PAGER_APERTURE = 2 };
#define PAGER_MEMORY_BASE   0x100000000ull
#define PAGER_APERTURE_BASE 0x40000000000ull

#define BORROWED (8 * MIB)

const struct shape *shape;

/* ---- Segments -------------------------------------------------------------------------------- */

static UINT segment_count(VOID) {
    UINT count = 0;
    while (count < MOST_SEGMENTS && shape->segment[count].kind != NO_SEGMENT)
        count++;
    return count;
}

static UINT memory_count(VOID) {
    UINT count = 0;
    for (UINT i = 0; i < segment_count(); i++)
        count += shape->segment[i].kind == MEMORY;
    return count;
}

static SIZE_T aperture_bytes(VOID) {
    SIZE_T bytes = 0;
    for (UINT i = 0; i < segment_count(); i++)
        bytes += shape->segment[i].kind == APERTURE ? shape->segment[i].bytes : 0;
    return bytes;
}

/* Where each segment begins for the pager. */
static VOID lay_out(struct adapter *adapter) {
    SIZE_T pages = 0, memory = 0;
    for (UINT i = 0; i < segment_count(); i++) {
        const struct segment *segment = &shape->segment[i];
        ULONGLONG start = PAGER_APERTURE_BASE + pages * PAGE_SIZE;
        adapter->bytes[i] = segment->bytes;
        adapter->first_page[i] = pages;
        if (segment->kind == MEMORY) {
            adapter->bytes[i] = adapter->cpu.pager.memory_bytes / memory_count();
            adapter->bytes[i] -= adapter->bytes[i] % PAGE_SIZE;
            start = PAGER_MEMORY_BASE + memory;
            adapter->memory[i] = memory;
            memory += adapter->bytes[i];
        }
        pages += segment->bytes / PAGE_SIZE;
        adapter->delta[i] = start - segment->base;
    }
}

static VOID stop(struct skeleton *base) {
    struct adapter *adapter = (struct adapter *)base;
    worker_stop(adapter);
    if (adapter->borrowed) {
        MmFreeContiguousMemory(adapter->borrowed);
        adapter->borrowed = adapter->cpu.pager.memory = NULL;
    }
    cpu_pager_stop(&adapter->cpu.pager);
}

/* As on boards without memory of their own: dedicated system memory. */
static NTSTATUS start_borrowing(struct adapter *adapter, SIZE_T pages) {
    struct cpu_pager *pager = &adapter->cpu.pager;
    PHYSICAL_ADDRESS highest = {.QuadPart = MAXLONGLONG}, none = {.QuadPart = 0};
    NTSTATUS status = cpu_pager_start(pager, pages);
    if (!NT_SUCCESS(status))
        return status;
    adapter->borrowed =
        MmAllocateContiguousMemorySpecifyCache(BORROWED, none, highest, none, MmCached);
    if (!adapter->borrowed) {
        cpu_pager_stop(pager);
        return STATUS_NO_MEMORY;
    }
    pager->memory = adapter->borrowed;
    pager->memory_bytes = pager->bar_bytes = BORROWED;
    pager->bar = MmGetPhysicalAddress(adapter->borrowed);
    return STATUS_SUCCESS;
}

static NTSTATUS start_pager(struct adapter *adapter, const DXGK_DEVICE_INFO *info, SIZE_T pages) {
    struct cpu_pager *pager = &adapter->cpu.pager;
    if (memory_count() == 0)
        return cpu_pager_start(pager, pages);
    return shape->borrows ? start_borrowing(adapter, pages)
                          : cpu_pager_start_vram(pager, info, pages);
}

static NTSTATUS start(struct skeleton *base, const DXGK_DEVICE_INFO *info) {
    struct adapter *adapter = (struct adapter *)base;
    struct cpu_pager *pager = &adapter->cpu.pager;
    SIZE_T pages = aperture_bytes() / PAGE_SIZE;
    *pager = (struct cpu_pager){.memory_segment = memory_count() != 0 ? PAGER_MEMORY : 0,
                                .memory_base = PAGER_MEMORY_BASE,
                                .aperture_base = PAGER_APERTURE_BASE};
    NTSTATUS status = start_pager(adapter, info, pages + 1);
    if (!NT_SUCCESS(status))
        return status;
    lay_out(adapter);
    status = worker_start(adapter);
    if (!NT_SUCCESS(status))
        stop(base);
    return status;
}

static DXGK_SEGMENTDESCRIPTOR3 describe(const struct adapter *adapter, UINT i) {
    PHYSICAL_ADDRESS at = adapter->cpu.pager.bar;
    at.QuadPart += (LONGLONG)adapter->memory[i];
    if (shape->segment[i].kind == APERTURE)
        return skeleton_aperture3(shape->segment[i].base, adapter->bytes[i]);
    DXGK_SEGMENTDESCRIPTOR3 memory = skeleton_vram3(shape->segment[i].base, at, adapter->bytes[i]);
    memory.Flags.PopulatedFromSystemMemory = shape->borrows;
    return memory;
}

#if UNUSUAL_WIN7
static NTSTATUS answer_segments(const struct adapter *adapter,
                                const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYSEGMENTOUT *out = args->pOutputData;
    if (args->Type != DXGKQAITYPE_QUERYSEGMENT || args->OutputDataSize < sizeof(*out))
        return STATUS_INVALID_PARAMETER;
    if (!out->pSegmentDescriptor) {
        out->NbSegment = segment_count();
        return STATUS_SUCCESS;
    }
    for (UINT i = 0; i < segment_count(); i++) {
        DXGK_SEGMENTDESCRIPTOR3 from = describe(adapter, i);
        out->pSegmentDescriptor[i] = (DXGK_SEGMENTDESCRIPTOR){
            .BaseAddress = from.BaseAddress,
            .CpuTranslatedAddress = from.CpuTranslatedAddress,
            .Size = from.Size,
            .CommitLimit = from.CommitLimit,
            .Flags.Value = from.Flags.Value,
        };
    }
    out->PagingBufferSegmentId = shape->paging_segment;
    out->PagingBufferSize = shape->paging_buffer_bytes ? shape->paging_buffer_bytes : PAGE_SIZE;
    out->PagingBufferPrivateDataSize = later_private_bytes();
    return STATUS_SUCCESS;
}
#else
static NTSTATUS answer_segments(const struct adapter *adapter,
                                const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_SEGMENTDESCRIPTOR3 segment[MOST_SEGMENTS];
    DXGK_QUERYSEGMENTOUT3 *out = args->pOutputData;
    for (UINT i = 0; i < segment_count(); i++)
        segment[i] = describe(adapter, i);
    NTSTATUS status =
        skeleton_segments3(args, segment, segment_count(),
                           shape->paging_buffer_bytes ? shape->paging_buffer_bytes : PAGE_SIZE);
    if (!NT_SUCCESS(status) || !out->pSegmentDescriptor)
        return status;
    out->PagingBufferSegmentId = shape->paging_segment;
    out->PagingBufferPrivateDataSize = later_private_bytes();
    return STATUS_SUCCESS;
}
#endif

static NTSTATUS segments(struct skeleton *base, const DXGKARG_QUERYADAPTERINFO *args) {
    return answer_segments((const struct adapter *)base, args);
}

/* ---- Paging ---------------------------------------------------------------------------------- */

static VOID translate(const struct adapter *adapter, UINT *segment, LARGE_INTEGER *address) {
    if (*segment == 0)
        return;
    address->QuadPart += (LONGLONG)adapter->delta[*segment - 1];
    *segment = shape->segment[*segment - 1].kind == MEMORY ? PAGER_MEMORY : PAGER_APERTURE;
}

/* For the pager's segments. */
static VOID translate_all(const struct adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    switch (args->Operation) {
    case DXGK_OPERATION_TRANSFER:
        translate(adapter, &args->Transfer.Source.SegmentId, &args->Transfer.Source.SegmentAddress);
        translate(adapter, &args->Transfer.Destination.SegmentId,
                  &args->Transfer.Destination.SegmentAddress);
        break;
    case DXGK_OPERATION_FILL:
        translate(adapter, &args->Fill.Destination.SegmentId,
                  &args->Fill.Destination.SegmentAddress);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        args->MapApertureSegment.OffsetInPages +=
            adapter->first_page[args->MapApertureSegment.SegmentId - 1];
        break;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        args->UnmapApertureSegment.OffsetInPages +=
            adapter->first_page[args->UnmapApertureSegment.SegmentId - 1];
        break;
    default:
        break;
    }
}

/* The system's structure ends with its interface version; the arms of the union do not. */
static DXGKDDI_BUILDPAGINGBUFFER build_paging_buffer;
static NTSTATUS APIENTRY build_paging_buffer(const HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *args) {
    struct adapter *adapter = handle;
    DXGKARG_BUILDPAGINGBUFFER ours = {0};
    BOOLEAN moves = args->Operation == DXGK_OPERATION_TRANSFER;
    if (shape->wants_idle && moves && args->Transfer.hAllocation &&
        !args->Transfer.Flags.AllocationIsIdle)
        return STATUS_GRAPHICS_ALLOCATION_BUSY;
    RtlCopyMemory(&ours, args,
                  FIELD_OFFSET(DXGKARG_BUILDPAGINGBUFFER, Reserved) + sizeof(args->Reserved));
    translate_all(adapter, &ours);
    if (shape->paging != DONE_WHEN_BUILT)
        return later_build(args, &ours);
    cpu_pager_build(&adapter->cpu.pager, &ours);
    return STATUS_SUCCESS;
}

/* ---- What the adapter is --------------------------------------------------------------------- */

static DXGKDDI_QUERYADAPTERINFO *skeleton_query;

static DXGKDDI_QUERYADAPTERINFO query_adapter_info;
static NTSTATUS APIENTRY query_adapter_info(const HANDLE handle,
                                            const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = skeleton_query(handle, args);
    DXGK_DRIVERCAPS *caps = args->pOutputData;
    if (!NT_SUCCESS(status) || args->Type != DXGKQAITYPE_DRIVERCAPS)
        return status;
    caps->ApertureSegmentCommitLimit =
        shape->mapped_most != 0 ? shape->mapped_most : aperture_bytes();
    caps->SchedulingCaps.MultiEngineAware = !shape->no_contexts;
    caps->MemoryManagementCaps.PagingNode = shape->paging_node;
    if (shape->nodes != 0)
        caps->GpuEngineTopology.NbAsymetricProcessingNodes = shape->nodes;
    return status;
}

static DXGKDDI_GETNODEMETADATA get_node_metadata;
static NTSTATUS APIENTRY get_node_metadata(const HANDLE handle, UINT node,
                                           DXGKARG_GETNODEMETADATA *args) {
    UNREFERENCED_PARAMETER(handle);
    if (node >= (shape->nodes != 0 ? shape->nodes : 1))
        return STATUS_INVALID_PARAMETER;
    args->EngineType = node == 0 ? DXGK_ENGINE_TYPE_3D : DXGK_ENGINE_TYPE_COPY;
    return STATUS_SUCCESS;
}

/* ---- Devices --------------------------------------------------------------------------------- */

static DXGKDDI_ADD_DEVICE *skeleton_add;

static DXGKDDI_ADD_DEVICE add_device;
static NTSTATUS APIENTRY add_device(const PDEVICE_OBJECT physical_device, PVOID *context) {
    NTSTATUS status = skeleton_add(physical_device, context);
    if (NT_SUCCESS(status))
        ((struct adapter *)*context)->worker.device = physical_device;
    return status;
}

static DXGKDDI_CREATEDEVICE *skeleton_create;

/* Without contexts a device says what theirs would. */
static DXGKDDI_CREATEDEVICE create_device;
static NTSTATUS APIENTRY create_device(const HANDLE handle, DXGKARG_CREATEDEVICE *args) {
    static DXGK_DEVICEINFO info = {
        .DmaBufferSize = PAGE_SIZE, .AllocationListSize = 8192, .PatchLocationListSize = 8192};
    NTSTATUS status = skeleton_create(handle, args);
    if (NT_SUCCESS(status))
        args->pInfo = &info;
    return status;
}

static DXGKDDI_RENDER render;
static NTSTATUS APIENTRY render(const HANDLE context, DXGKARG_RENDER *args) {
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(args);
    return STATUS_ILLEGAL_INSTRUCTION;
}

static DXGKDDI_PRESENT present;
static NTSTATUS APIENTRY present(const HANDLE context, DXGKARG_PRESENT *args) {
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(args);
    return STATUS_SUCCESS;
}

/* ---- Entry ----------------------------------------------------------------------------------- */

const struct skeleton_driver skeleton_driver = {
    .version = UNUSUAL_WIN7 ? DXGKDDI_INTERFACE_VERSION_WIN7 : DXGKDDI_INTERFACE_VERSION_WDDM1_3,
    .wddm = UNUSUAL_WIN7 ? DXGKDDI_WDDMv1 : DXGKDDI_WDDMv1_3,
    .adapter_bytes = sizeof(struct adapter),
    .preferred = 1,
    .start = start,
    .stop = stop,
    .segments = segments,
    .hint = surfaces_hint,
};

static VOID contexts_table(DRIVER_INITIALIZATION_DATA *table) {
    if (shape->presents) {
        table->DxgkDdiRender = render;
        table->DxgkDdiPresent = present;
    }
    if (!shape->no_contexts)
        return;
    skeleton_create = table->DxgkDdiCreateDevice;
    table->DxgkDdiCreateDevice = create_device;
    table->DxgkDdiCreateContext = NULL;
    table->DxgkDdiDestroyContext = NULL;
}

DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path) {
    static WCHAR setting[] = u"Shape";
    DRIVER_INITIALIZATION_DATA table = {0};
    ULONG number = skeleton_setting(setting);
    if (number >= shape_count)
        return STATUS_INVALID_PARAMETER;
    shape = &shapes[number];
    skeleton_table(&table);
    instant_table(&table);
    worker_table(&table);
    surfaces_table(&table);
    contexts_table(&table);
    skeleton_add = table.DxgkDdiAddDevice;
    skeleton_query = table.DxgkDdiQueryAdapterInfo;
    table.DxgkDdiAddDevice = add_device;
    table.DxgkDdiQueryAdapterInfo = query_adapter_info;
    table.DxgkDdiGetNodeMetadata = get_node_metadata;
    table.DxgkDdiBuildPagingBuffer = build_paging_buffer;
    return DxgkInitialize(driver, registry_path, &table);
}
