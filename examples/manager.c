/*
 * manager.c - the manager alone, without anything else of vidmm: an operating system of malloc and a mutex, a driver
 * with one memory segment of 1 MiB whose GPU is memcpy, and four allocations of 512 KiB that take turns in it.
 *
 *     cc manager.c $(pkg-config --cflags --libs vidmm-manager) -pthread && ./a.out
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/manager.h>

enum { PAGE = 4096, SEGMENT_BYTES = 1 << 20, BYTES = 512 << 10, ALLOCATIONS = 4, ROUNDS = 3 };

/* ---- The operating system: a physical address is the pointer to the byte ----------------------- */

static uint64_t os_time; /* ns, virtual: nothing here takes time */
static _Alignas(4096) uint8_t os_dummy[PAGE];

static void *os_alloc(void *ctx, size_t size) {
    return calloc(1, size);
}
static void os_free(void *ctx, void *block, size_t size) {
    free(block);
}
static void *os_lock_create(void *ctx) {
    pthread_mutex_t *lock = malloc(sizeof(*lock));
    if (lock)
        pthread_mutex_init(lock, NULL);
    return lock;
}
static void os_lock_destroy(void *ctx, void *lock) {
    pthread_mutex_destroy(lock);
    free(lock);
}
static void os_lock(void *ctx, void *lock) {
    pthread_mutex_lock(lock);
}
static void os_unlock(void *ctx, void *lock) {
    pthread_mutex_unlock(lock);
}
/* Every submission completes inside of SubmitCommand, so nobody could wake this thread. */
static bool os_wait(void *ctx, void *lock, uint64_t deadline_ns) {
    os_time = deadline_ns > os_time ? deadline_ns : os_time;
    return false;
}
static void os_wake(void *ctx) {
}
static uint64_t os_now(void *ctx) {
    return os_time;
}
static PMDL os_pages_alloc(void *ctx, size_t pages, uint32_t flags, uint64_t highest) {
    MDL *mdl = calloc(1, sizeof(*mdl) + pages * sizeof(PFN_NUMBER));
    uint8_t *memory = mdl ? aligned_alloc(PAGE, pages * PAGE) : NULL;
    if (!memory) {
        free(mdl);
        return NULL;
    }
    memset(memory, 0, pages * PAGE);
    mdl->ByteCount = (ULONG)(pages * PAGE);
    mdl->MappedSystemVa = memory;
    for (size_t i = 0; i < pages; i++)
        MmGetMdlPfnArray(mdl)[i] = (uintptr_t)memory / PAGE + i;
    return mdl;
}
static void os_pages_free(void *ctx, PMDL mdl) {
    free(mdl->MappedSystemVa);
    free(mdl);
}
static void *os_pages_map(void *ctx, PMDL mdl) {
    return mdl->MappedSystemVa;
}
static void *os_io_map(void *ctx, uint64_t physical, size_t size) {
    return (void *)(uintptr_t)physical;
}
static uint64_t os_dummy_page(void *ctx) {
    return (uintptr_t)os_dummy;
}
static uint64_t os_memory_bytes(void *ctx) {
    return 1u << 30;
}
static uint64_t os_memory_highest(void *ctx) {
    return UINT64_MAX >> 8;
}

static const struct vidmm_os os = {.alloc = os_alloc,
                                   .free = os_free,
                                   .lock_create = os_lock_create,
                                   .lock_destroy = os_lock_destroy,
                                   .lock = os_lock,
                                   .unlock = os_unlock,
                                   .wait = os_wait,
                                   .wake = os_wake,
                                   .now = os_now,
                                   .pages_alloc = os_pages_alloc,
                                   .pages_free = os_pages_free,
                                   .pages_map = os_pages_map,
                                   .io_map = os_io_map,
                                   .dummy_page = os_dummy_page,
                                   .memory_bytes = os_memory_bytes,
                                   .memory_highest = os_memory_highest};

/* ---- The driver ------------------------------------------------------------------------------ */

static struct vidmm_adapter *adapter;
static _Alignas(4096) uint8_t segment_memory[SEGMENT_BYTES];

static NTSTATUS APIENTRY query(HANDLE handle, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_DRIVERCAPS caps = {0};
    DXGK_QUERYSEGMENTOUT3 *out = args->pOutputData;
    switch (args->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
        caps.HighestAcceptableAddress.QuadPart = INT64_MAX;
        caps.SchedulingCaps.MultiEngineAware = 1;
        caps.GpuEngineTopology.NbAsymetricProcessingNodes = 1;
        memcpy(args->pOutputData, &caps,
               args->OutputDataSize < sizeof(caps) ? args->OutputDataSize : sizeof(caps));
        return STATUS_SUCCESS;
    case DXGKQAITYPE_QUERYSEGMENT3:
        out->NbSegment = 1;
        if (!out->pSegmentDescriptor) /* the first call asks for the number alone */
            return STATUS_SUCCESS;
        out->pSegmentDescriptor[0] = (DXGK_SEGMENTDESCRIPTOR3){
            .Flags.CpuVisible = 1,
            .CpuTranslatedAddress.QuadPart = (LONGLONG)(uintptr_t)segment_memory,
            .Size = SEGMENT_BYTES,
            .CommitLimit = SEGMENT_BYTES};
        out->PagingBufferSegmentId = 0; /* in system memory */
        out->PagingBufferSize = PAGE;
        out->PagingBufferPrivateDataSize = 0;
        return STATUS_SUCCESS;
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

/* Devices, contexts and opened allocations have no state; their handles only must not be NULL. */
static NTSTATUS APIENTRY create_device(HANDLE handle, DXGKARG_CREATEDEVICE *args) {
    args->hDevice = handle;
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY create_context(HANDLE device, DXGKARG_CREATECONTEXT *args) {
    args->hContext = device;
    args->ContextInfo = (DXGK_CONTEXTINFO){
        .DmaBufferSize = PAGE, .AllocationListSize = 16, .PatchLocationListSize = 16};
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY destroy_object(HANDLE object) {
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY create_allocation(HANDLE handle, DXGKARG_CREATEALLOCATION *args) {
    for (UINT i = 0; i < args->NumAllocations; i++) {
        DXGK_ALLOCATIONINFO *info = &args->pAllocationInfo[i];
        info->Size =
            *(const uint32_t *)info->pPrivateDriverData; /* as this file's main() writes it */
        info->PreferredSegment.SegmentId0 = 1;
        info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet = 1u << 0;
        info->Flags.CpuVisible = 1;
        info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
        info->hAllocation = handle;
    }
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY destroy_allocation(HANDLE handle, const DXGKARG_DESTROYALLOCATION *args) {
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY open_allocation(HANDLE device, const DXGKARG_OPENALLOCATION *args) {
    for (UINT i = 0; i < args->NumAllocations; i++)
        args->pOpenAllocation[i].hDeviceSpecificAllocation = device;
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY close_allocation(HANDLE device, const DXGKARG_CLOSEALLOCATION *args) {
    return STATUS_SUCCESS;
}

/* One end of a transfer. The pages of an MDL follow each other in this operating system. */
static uint8_t *end_of(const DXGKARG_BUILDPAGINGBUFFER *args, UINT segment, LARGE_INTEGER address,
                       const MDL *mdl) {
    return segment ? segment_memory + address.QuadPart + args->Transfer.TransferOffset
                   : (uint8_t *)mdl->MappedSystemVa + (uint64_t)args->Transfer.MdlOffset * PAGE;
}

/* The GPU's work is done while its commands are built, as in drivers/cpu-vram. */
static NTSTATUS APIENTRY build_paging_buffer(HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_TRANSFER && args->Transfer.TransferSize != 0)
        memcpy(end_of(args, args->Transfer.Destination.SegmentId,
                      args->Transfer.Destination.SegmentAddress, args->Transfer.Destination.pMdl),
               end_of(args, args->Transfer.Source.SegmentId, args->Transfer.Source.SegmentAddress,
                      args->Transfer.Source.pMdl),
               args->Transfer.TransferSize);
    for (SIZE_T i = 0; args->Operation == DXGK_OPERATION_FILL && i < args->Fill.FillSize;
         i += sizeof(UINT))
        memcpy(segment_memory + args->Fill.Destination.SegmentAddress.QuadPart + i,
               &args->Fill.FillPattern, sizeof(UINT));
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY render(HANDLE context, DXGKARG_RENDER *args) {
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY patch(HANDLE handle, const DXGKARG_PATCH *args) {
    return STATUS_SUCCESS;
}
static NTSTATUS APIENTRY submit(HANDLE handle, const DXGKARG_SUBMITCOMMAND *args) {
    vidmm_notify_completed(adapter, 0, args->NodeOrdinal, args->SubmissionFenceId);
    return STATUS_SUCCESS;
}

static const DRIVER_INITIALIZATION_DATA driver = {.Version = DXGKDDI_INTERFACE_VERSION_WIN8,
                                                  .DxgkDdiQueryAdapterInfo = query,
                                                  .DxgkDdiCreateDevice = create_device,
                                                  .DxgkDdiDestroyDevice = destroy_object,
                                                  .DxgkDdiCreateContext = create_context,
                                                  .DxgkDdiDestroyContext = destroy_object,
                                                  .DxgkDdiCreateAllocation = create_allocation,
                                                  .DxgkDdiDestroyAllocation = destroy_allocation,
                                                  .DxgkDdiOpenAllocation = open_allocation,
                                                  .DxgkDdiCloseAllocation = close_allocation,
                                                  .DxgkDdiBuildPagingBuffer = build_paging_buffer,
                                                  .DxgkDdiRender = render,
                                                  .DxgkDdiPatch = patch,
                                                  .DxgkDdiSubmitCommand = submit};

/* ---- The program ----------------------------------------------------------------------------- */

static struct vidmm_error started; /* why the adapter did not start */

static void must(enum vidmm_status status, const char *what) {
    struct vidmm_error error = started;
    if (status == VIDMM_OK)
        return;
    if (adapter)
        vidmm_last_error(adapter, &error);
    fprintf(stderr, "%s: status %d, %s, %s, expected: %s\n", what, (int)status,
            error.call ? error.call : "no call", error.field ? error.field : "no field",
            error.expected ? error.expected : "nothing else");
    exit(1);
}

int main(void) {
    const struct vidmm_adapter_config config = {
        .os = &os, .ddi = &driver, .hadapter = segment_memory};
    struct vidmm_allocation *allocation[ALLOCATIONS];
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct vidmm_stats stats;
    uint32_t size = BYTES;
    uint8_t *cpu;
    must(vidmm_adapter_start(&config, &adapter, &started), "start");
    must(vidmm_device_create(adapter, &device), "device");
    must(vidmm_context_create(device, 0, 0, &context), "context");
    for (uint32_t i = 0; i < ALLOCATIONS; i++) {
        const struct vidmm_allocation_request request = {.private_data = &size,
                                                         .private_size = sizeof(size)};
        must(vidmm_allocation_create(device, &request, &allocation[i]), "allocation");
        must(vidmm_lock(allocation[i], 0, (void **)&cpu), "lock");
        memset(cpu, (int)('a' + i), BYTES);
        vidmm_unlock(allocation[i]);
    }
    for (uint32_t i = 0; i < ROUNDS * ALLOCATIONS; i++) {
        const struct vidmm_reference reference = {allocation[i % ALLOCATIONS], true};
        const struct vidmm_submission submission = {.references = &reference, .count = 1};
        uint64_t fence;
        must(vidmm_submit(context, &submission, &fence), "submit");
        must(vidmm_wait(adapter, fence), "wait");
    }
    for (uint32_t i = 0; i < ALLOCATIONS; i++) {
        must(vidmm_lock(allocation[i], VIDMM_LOCK_READ_ONLY, (void **)&cpu), "lock");
        for (uint32_t at = 0; at < BYTES; at++)
            if (cpu[at] != 'a' + i)
                must(VIDMM_DRIVER_BROKE_RULE, "content");
        vidmm_unlock(allocation[i]);
    }
    vidmm_stats(adapter, &stats);
    printf(
        "%d allocations of %d bytes in a segment of %d: %d page-ins, %d evictions, content kept\n",
        ALLOCATIONS, BYTES, SEGMENT_BYTES, (int)stats.page_ins, (int)stats.evictions);
    vidmm_context_destroy(context);
    vidmm_device_destroy(device);
    vidmm_adapter_stop(adapter);
    return 0;
}
