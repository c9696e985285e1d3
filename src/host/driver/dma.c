/*
 * dma.c - DMA adapters of the bus (pages nf-wdm-iogetdmaadapter, nc-wdm-pget_scatter_gather_list and
 * their neighbours). A device reads and writes physical memory at its own addresses, so nothing is
 * copied: a common buffer is contiguous memory, a list has one element for each run of pages.
 */
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"
#include "image/stubs.h"
#include "kernel/irql.h"
#include "memory/physical.h"

struct dma_adapter {
    DMA_ADAPTER adapter; /* first */
    DMA_OPERATIONS operations;
    DEVICE_DESCRIPTION device;
};

#define ELEMENTS(count)                                                                            \
    ((ULONG)(sizeof(SCATTER_GATHER_LIST) + (count) * sizeof(SCATTER_GATHER_ELEMENT)))

/* The address that a device of this description does not reach. */
static uint64_t dma_limit(const DEVICE_DESCRIPTION *device) {
    bool narrow = !device->Dma64BitAddresses && device->DmaAddressWidth <= 32;
    return narrow ? UINT64_C(1) << 32 : UINT64_MAX;
}

/* ---- Pieces ----------------------------------------------------------------------------------------- */

/* The run of memory at an address of the MDL's range: where a device sees it, and at most `length` of
 * it. */
static uint64_t dma_run(PMDL mdl, const void *va, uint64_t length, uint64_t *bytes) {
    uint64_t offset = (uintptr_t)va - (uintptr_t)mdl->StartVa, page = offset / HOST_PAGE;
    uint64_t pages = ADDRESS_AND_SIZE_TO_SPAN_PAGES(mdl->ByteOffset, mdl->ByteCount);
    const PFN_NUMBER *frames = MmGetMdlPfnArray(mdl);
    uint64_t run = HOST_PAGE - offset % HOST_PAGE;
    for (uint64_t at = page; run < length && at + 1 < pages && frames[at + 1] == frames[at] + 1;
         at++)
        run += HOST_PAGE;
    *bytes = run < length ? run : length;
    return frames[page] * HOST_PAGE + offset % HOST_PAGE;
}

static bool dma_inside(PMDL mdl, const void *va, ULONG length) {
    uint64_t begin = (uintptr_t)MmGetMdlVirtualAddress(mdl);
    return (uintptr_t)va >= begin && (uintptr_t)va - begin <= mdl->ByteCount &&
           length <= mdl->ByteCount - ((uintptr_t)va - begin);
}

/* How many elements the range has, which are put into `list` unless it is NULL. */
static ULONG dma_pieces(PMDL mdl, const char *va, ULONG length, PSCATTER_GATHER_LIST list) {
    ULONG count = 0;
    for (uint64_t done = 0, bytes; done < length; done += bytes, count++) {
        uint64_t address = dma_run(mdl, va + done, length - done, &bytes);
        if (list)
            list->Elements[count] = (SCATTER_GATHER_ELEMENT){.Address.QuadPart = (LONGLONG)address,
                                                             .Length = (ULONG)bytes};
    }
    return count;
}

static NTSTATUS NTAPI dma_list_size(PDMA_ADAPTER adapter, PMDL mdl, PVOID va, ULONG length,
                                    PULONG size, PULONG registers) {
    ULONG pages = ADDRESS_AND_SIZE_TO_SPAN_PAGES(va, length);
    (void)adapter;
    (void)mdl; /* the page: the size for the worst case */
    *size = ELEMENTS(pages);
    if (registers)
        *registers = pages;
    return STATUS_SUCCESS;
}

static NTSTATUS dma_list_give(PDEVICE_OBJECT device, PMDL mdl, PVOID va, ULONG length,
                              PDRIVER_LIST_CONTROL routine, PVOID context,
                              PSCATTER_GATHER_LIST list) {
    list->NumberOfElements = dma_pieces(mdl, va, length, list);
    KIRQL old = host_irql_raise(DISPATCH_LEVEL);
    DRIVER_CALL(routine)(device, device ? device->CurrentIrp : NULL, list, context);
    host_irql_lower(old);
    return STATUS_SUCCESS;
}

static bool dma_allowed(PMDL mdl, PVOID va, ULONG length, const char *function) {
    if (host_self.irql != DISPATCH_LEVEL)
        host_violation("%s at IRQL %u instead of %u", function, host_self.irql, DISPATCH_LEVEL);
    if (dma_inside(mdl, va, length))
        return host_self.irql <= DISPATCH_LEVEL;
    host_violation("%s of a range that the MDL does not describe", function);
    return false;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of the documented function */
static NTSTATUS NTAPI dma_list_build(PDMA_ADAPTER adapter, PDEVICE_OBJECT device, PMDL mdl,
                                     PVOID va, ULONG length, PDRIVER_LIST_CONTROL routine,
                                     PVOID context, BOOLEAN to_device, PVOID buffer, ULONG room) {
    (void)adapter;
    (void)to_device;
    if (!dma_allowed(mdl, va, length, "BuildScatterGatherList"))
        return STATUS_INVALID_PARAMETER;
    if (room < ELEMENTS(dma_pieces(mdl, va, length, NULL)))
        return STATUS_BUFFER_TOO_SMALL;
    memset(buffer, 0, sizeof(SCATTER_GATHER_LIST)); /* Reserved: not of the system's memory */
    return dma_list_give(device, mdl, va, length, routine, context, buffer);
}

static NTSTATUS NTAPI dma_list_get(PDMA_ADAPTER adapter, PDEVICE_OBJECT device, PMDL mdl, PVOID va,
                                   ULONG length, PDRIVER_LIST_CONTROL routine, PVOID context,
                                   BOOLEAN to_device) {
    (void)adapter;
    (void)to_device;
    if (!dma_allowed(mdl, va, length, "GetScatterGatherList"))
        return STATUS_INVALID_PARAMETER;
    ULONG size = ELEMENTS(dma_pieces(mdl, va, length, NULL));
    PSCATTER_GATHER_LIST list = host_block_alloc(HOST_OWNER_IO, size);
    if (!list)
        return STATUS_INSUFFICIENT_RESOURCES;
    list->Reserved = size;
    return dma_list_give(device, mdl, va, length, routine, context, list);
}

static VOID NTAPI dma_list_put(PDMA_ADAPTER adapter, PSCATTER_GATHER_LIST list, BOOLEAN to_device) {
    (void)adapter;
    (void)to_device;
    host_irql_at_most(DISPATCH_LEVEL, "PutScatterGatherList");
    if (list->Reserved != 0)
        host_block_free(HOST_OWNER_IO, list, list->Reserved);
}

static NTSTATUS NTAPI dma_list_mdl(PDMA_ADAPTER adapter, PSCATTER_GATHER_LIST list, PMDL original,
                                   PMDL *target) {
    (void)adapter;
    (void)list;
    if (!original)
        return STATUS_INVALID_PARAMETER;
    *target = original; /* the same memory: nothing was copied */
    return STATUS_SUCCESS;
}

/* ---- Transfers by map registers: as many as are asked for ---------------------------------------------- */

static NTSTATUS NTAPI dma_channel_take(PDMA_ADAPTER adapter, PDEVICE_OBJECT device, ULONG registers,
                                       PDRIVER_CONTROL routine, PVOID context) {
    (void)registers;
    if (host_self.irql != DISPATCH_LEVEL)
        host_violation("AllocateAdapterChannel at IRQL %u instead of %u", host_self.irql,
                       DISPATCH_LEVEL);
    (void)DRIVER_CALL(routine)(device, device ? device->CurrentIrp : NULL, adapter, context);
    return STATUS_SUCCESS;
}

static PHYSICAL_ADDRESS NTAPI dma_transfer(PDMA_ADAPTER adapter, PMDL mdl, PVOID base, PVOID va,
                                           PULONG length, BOOLEAN to_device) {
    PHYSICAL_ADDRESS address = {.QuadPart = 0};
    uint64_t bytes;
    (void)adapter;
    (void)base;
    (void)to_device;
    if (!dma_inside(mdl, va, *length)) {
        host_violation("MapTransfer of a range that the MDL does not describe");
        return address;
    }
    address.QuadPart = (LONGLONG)dma_run(mdl, va, *length, &bytes);
    *length = (ULONG)bytes;
    return address;
}

static BOOLEAN NTAPI dma_flush(PDMA_ADAPTER adapter, PMDL mdl, PVOID base, PVOID va, ULONG length,
                               BOOLEAN to_device) {
    (void)adapter, (void)mdl, (void)base, (void)va, (void)length, (void)to_device;
    return TRUE;
}

static VOID NTAPI dma_channel_free(PDMA_ADAPTER adapter) {
    (void)adapter;
}

static VOID NTAPI dma_registers_free(PDMA_ADAPTER adapter, PVOID base, ULONG registers) {
    (void)adapter, (void)base, (void)registers;
}

static ULONG NTAPI dma_counter(PDMA_ADAPTER adapter) {
    (void)adapter; /* of the system's DMA controller, which a bus master does not use */
    return 0;
}

static ULONG NTAPI dma_alignment(PDMA_ADAPTER adapter) {
    (void)adapter;
    return 1;
}

/* ---- Common buffers ------------------------------------------------------------------------------------- */

static PVOID NTAPI dma_buffer_take(PDMA_ADAPTER adapter, ULONG length, PPHYSICAL_ADDRESS logical,
                                   BOOLEAN cached) {
    const struct dma_adapter *self = CONTAINING_RECORD(adapter, struct dma_adapter, adapter);
    PHYSICAL_ADDRESS none = {.QuadPart = 0},
                     most = {.QuadPart = (LONGLONG)(dma_limit(&self->device) - 1)};
    if (!host_irql_at_most(PASSIVE_LEVEL, "AllocateCommonBuffer"))
        return NULL;
    PVOID buffer = MmAllocateContiguousMemorySpecifyCache(length, none, most, none,
                                                          cached ? MmCached : MmNonCached);
    if (buffer)
        *logical = MmGetPhysicalAddress(buffer);
    return buffer;
}

static VOID NTAPI dma_buffer_free(PDMA_ADAPTER adapter, ULONG length, PHYSICAL_ADDRESS logical,
                                  PVOID buffer, BOOLEAN cached) {
    (void)adapter;
    (void)length;
    (void)cached;
    host_irql_at_most(PASSIVE_LEVEL, "FreeCommonBuffer");
    if (MmGetPhysicalAddress(buffer).QuadPart != logical.QuadPart)
        host_violation("FreeCommonBuffer at another address than AllocateCommonBuffer gave");
    MmFreeContiguousMemory(buffer);
}

/* ---- Adapters --------------------------------------------------------------------------------------------- */

static VOID NTAPI dma_adapter_put(PDMA_ADAPTER adapter) {
    struct dma_adapter *self = CONTAINING_RECORD(adapter, struct dma_adapter, adapter);
    host_irql_at_most(PASSIVE_LEVEL, "PutDmaAdapter");
    host_block_free(HOST_OWNER_IO, self, sizeof(*self));
}

static const DMA_OPERATIONS dma_operations = {
    .Size = sizeof(DMA_OPERATIONS),
    .PutDmaAdapter = dma_adapter_put,
    .AllocateCommonBuffer = dma_buffer_take,
    .FreeCommonBuffer = dma_buffer_free,
    .AllocateAdapterChannel = dma_channel_take,
    .FlushAdapterBuffers = dma_flush,
    .FreeAdapterChannel = dma_channel_free,
    .FreeMapRegisters = dma_registers_free,
    .MapTransfer = dma_transfer,
    .GetDmaAlignment = dma_alignment,
    .ReadDmaCounter = dma_counter,
    .GetScatterGatherList = dma_list_get,
    .PutScatterGatherList = dma_list_put,
    .CalculateScatterGatherList = dma_list_size,
    .BuildScatterGatherList = dma_list_build,
    .BuildMdlFromScatterGatherList = dma_list_mdl,
};

/* The page: NULL for a version that the system does not have, as here from 3 on, or for a device
 * that is no master of its bus. */
NTKERNELAPI PDMA_ADAPTER NTAPI IoGetDmaAdapter(PDEVICE_OBJECT PhysicalDeviceObject,
                                               PDEVICE_DESCRIPTION DeviceDescription,
                                               PULONG NumberOfMapRegisters) {
    const size_t first = offsetof(DMA_OPERATIONS, PutDmaAdapter);
    (void)PhysicalDeviceObject;
    if (!host_irql_at_most(PASSIVE_LEVEL, "IoGetDmaAdapter") ||
        DeviceDescription->Version > DEVICE_DESCRIPTION_VERSION2 || !DeviceDescription->Master)
        return NULL;
    struct dma_adapter *self = host_block_alloc(HOST_OWNER_IO, sizeof(*self));
    if (!self)
        return NULL;
    self->adapter = (DMA_ADAPTER){.Version = (USHORT)(DeviceDescription->Version + 1),
                                  .Size = sizeof(DMA_ADAPTER),
                                  .DmaOperations = &self->operations};
    self->operations = dma_operations;
    stubs_out((char *)&self->operations + first,
              (sizeof(self->operations) - first) / sizeof(void *), "DMA_OPERATIONS");
    self->device = *DeviceDescription;
    *NumberOfMapRegisters = DeviceDescription->MaximumLength / HOST_PAGE + 2;
    return &self->adapter;
}
