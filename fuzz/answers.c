/*
 * answers.c - libFuzzer over the answers of a driver: the reference driver, of which the input spoils any
 * answers, is started, plays a few frames and is stopped. Whatever it answers is judged or refused: the
 * system never crashes, hangs or forgets memory.
 *
 * Input: a byte that chooses the shape of the driver, then steps of eight bytes; struct step.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/harness.h>
#include <vidmm/softgpu.h>
#include <vidmm/workload.h>

#define STEPS_MOST   8u
#define SETTINGS     6u
#define MEMORY_BYTES (UINT64_C(8) << 20)
#define VRAM_BYTES   (UINT64_C(128) << 10)

/* What the driver answers before it is spoilt: the recording needs no more, and what is copied and
 * compared with each call is most of what a run costs. */
#define DMA_BYTES    8192u
#define PAGING_BYTES 8192u
#define LIST_SIZE    64u

enum call {
    CALL_QUERY,
    CALL_DEVICE,
    CALL_CONTEXT,
    CALL_ALLOCATION,
    CALL_OPEN,
    CALL_DESCRIBE,
    CALL_STANDARD,
    CALL_BUILD,
    CALL_RENDER,
    CALL_PATCH,
    CALL_SUBMIT,
    CALL_SUBMIT_VIRTUAL,
    CALL_PREEMPT,
    CALL_FENCE,
    CALL_NODE,
    CALL_PROCESS,
    CALL_ROOT_SIZE,
    CALLS
};

struct step {
    uint8_t call;    /* enum call */
    uint8_t at;      /* the n-th of these calls; 255: each */
    uint8_t how;     /* enum how */
    uint8_t width;   /* log2 of the bytes that are spoilt */
    uint16_t offset; /* of them, in the answer */
    uint16_t value;  /* moved left by `shift` where they are set or added */
};

enum how { HOW_STATUS, HOW_SET, HOW_ADD, HOW_XOR, HOW_FILL, HOWS };

struct shape {
    uint64_t version;
    enum vidmm_model model;
    struct vidmm_host_setting more[SETTINGS];
};

static const struct shape shapes[] = {
    {DXGKDDI_INTERFACE_VERSION_WDDM2_0, VIDMM_MODEL_PHYSICAL, {{0}}},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_0,
     VIDMM_MODEL_GPUMMU,
     {{"MmuLevels", 3}, {"MmuTableSegment", 2}, {"MmuIndexBits", 0x040909}}},
    {DXGKDDI_INTERFACE_VERSION_WIN7,
     VIDMM_MODEL_PHYSICAL,
     {{"EvictionApertureBytes", VRAM_BYTES / 2}}},
    {DXGKDDI_INTERFACE_VERSION_WDDM1_3,
     VIDMM_MODEL_PHYSICAL,
     {{"VramVisibleBytes", VRAM_BYTES / 2}}},
    {DXGKDDI_INTERFACE_VERSION_WDDM3_2,
     VIDMM_MODEL_GPUMMU,
     {{"MmuLevels", 4},
      {"MmuTableSegment", 2},
      {"MmuIndexBits", 0x04040909},
      {"DirtyPageBytes", 4096}}},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_6, VIDMM_MODEL_IOMMU, {{"Iommu", 1}}},
};

static const char recording[] =
    "{\"vidmm_trace\":1}\n"
    "{\"op\":\"alloc\",\"id\":1,\"size\":75000,\"heap\":0}\n"
    "{\"op\":\"alloc\",\"id\":2,\"size\":75000,\"heap\":0,\"flags\":[\"host_visible\"]}\n"
    "{\"op\":\"alloc\",\"id\":3,\"size\":5000,\"heap\":1,\"flags\":[\"host_visible\"]}\n"
    "{\"op\":\"map\",\"id\":2}\n{\"op\":\"unmap\",\"id\":2}\n"
    "{\"op\":\"submit\",\"reads\":[1],\"writes\":[3]}\n{\"op\":\"present\"}\n"
    "{\"op\":\"submit\",\"reads\":[2],\"writes\":[3]}\n{\"op\":\"present\"}\n"
    "{\"op\":\"submit\",\"reads\":[1,3],\"writes\":[]}\n{\"op\":\"present\"}\n"
    "{\"op\":\"free\",\"id\":1}\n";

static struct {
    struct step step[STEPS_MOST];
    uint32_t steps;
    uint32_t made[CALLS]; /* so far */
    DRIVER_INITIALIZATION_DATA good;
} world;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

/* Sizes that a driver makes up are refused as out of memory. A run frees less than the quarantine holds; with
 * the usual one, freed memory is so seldom used again that the kernel zeroes new pages for each run. */
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1:quarantine_size_mb=16:malloc_context_size=8";
}

/* Instead of libFuzzer's hooks, to which the linker leads no more (fuzz/meson.build). Those look in the input
 * for values of four and eight bytes that the code compared; no field of the input has eight. */
#define NOT_KEPT(name, type)                                                                       \
    void __wrap___sanitizer_cov_trace_##name(type one, type other);                                \
    __attribute__((no_sanitize("coverage"))) void __wrap___sanitizer_cov_trace_##name(             \
        type one, type other) {                                                                    \
        (void)one;                                                                                 \
        (void)other;                                                                               \
    }

NOT_KEPT(cmp1, uint8_t)
NOT_KEPT(cmp2, uint16_t)
NOT_KEPT(cmp8, uint64_t)
NOT_KEPT(const_cmp1, uint8_t)
NOT_KEPT(const_cmp2, uint16_t)
NOT_KEPT(const_cmp8, uint64_t)

/* ---- Answers --------------------------------------------------------------------------------- */

static uint64_t spoilt(const struct step *step, uint64_t was) {
    uint64_t value = step->value;
    if (step->how / HOWS % 2 != 0) /* far up */
        value <<= 48;
    switch (step->how % HOWS) {
    case HOW_SET:
        return value;
    case HOW_ADD:
        return was + (uint64_t)(int64_t)(int16_t)step->value;
    case HOW_XOR:
        return was ^ (UINT64_C(1) << step->value % 64);
    default:
        return UINT64_MAX;
    }
}

/* Spoils the answer of a call as the steps say. */
static void spoil_bytes(enum call call, void *answer, size_t size) {
    for (uint32_t i = 0; i < world.steps; i++) {
        const struct step *step = &world.step[i];
        size_t width = (size_t)1 << step->width % 4, offset = step->offset;
        uint64_t value = 0;
        if (step->call % CALLS != call || step->how % HOWS == HOW_STATUS || size < width ||
            (step->at != 255 && step->at != (world.made[call] & 0xff)))
            continue;
        offset = offset % size / width * width;
        if (offset + width > size)
            continue;
        memcpy(&value, (const char *)answer + offset, width);
        value = spoilt(step, value);
        memcpy((char *)answer + offset, &value, width);
    }
}

/* The status that the steps say instead of `status`. Ends the call. */
static NTSTATUS spoil_status(enum call call, NTSTATUS status) {
    static const NTSTATUS statuses[] = {STATUS_SUCCESS,
                                        STATUS_NO_MEMORY,
                                        STATUS_INVALID_PARAMETER,
                                        STATUS_NOT_SUPPORTED,
                                        STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER,
                                        STATUS_GRAPHICS_ALLOCATION_BUSY,
                                        STATUS_GRAPHICS_TRY_AGAIN_LATER,
                                        STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION,
                                        STATUS_PENDING,
                                        STATUS_DEVICE_REMOVED,
                                        (NTSTATUS)0x12345678};
    for (uint32_t i = 0; i < world.steps; i++) {
        const struct step *step = &world.step[i];
        if (step->call % CALLS == call && step->how % HOWS == HOW_STATUS &&
            (step->at == 255 || step->at == (world.made[call] & 0xff)))
            status = statuses[step->value % (sizeof(statuses) / sizeof(statuses[0]))];
    }
    world.made[call]++;
    return status;
}

/* ---- The driver's table ---------------------------------------------------------------------- */

/* A table that is smaller than the driver writes it, or that it has no way to write: its own doing. */
static void keep_level(DXGK_PAGE_TABLE_LEVEL_DESC *level, const DXGK_PAGE_TABLE_LEVEL_DESC *own) {
    if (level->PageTableSizeInBytes < own->PageTableSizeInBytes)
        level->PageTableSizeInBytes = own->PageTableSizeInBytes;
    if (level->PageTableIndexBitCount > own->PageTableIndexBitCount)
        level->PageTableIndexBitCount = own->PageTableIndexBitCount;
}

static NTSTATUS APIENTRY query(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = world.good.DxgkDdiQueryAdapterInfo(adapter, args);
    DXGK_GPUMMUCAPS *mmu = args->Type == DXGKQAITYPE_GPUMMUCAPS ? args->pOutputData : NULL;
    DXGK_PAGE_TABLE_LEVEL_DESC *level =
        args->Type == DXGKQAITYPE_PAGETABLELEVELDESC ? args->pOutputData : NULL;
    DXGK_PAGETABLEUPDATEMODE own = mmu ? mmu->PageTableUpdateMode : 0;
    DXGK_PAGE_TABLE_LEVEL_DESC good = {0};
    if (level)
        good = *level;
    if (args->pOutputData)
        spoil_bytes(CALL_QUERY, args->pOutputData, args->OutputDataSize);
    if (mmu)
        mmu->PageTableUpdateMode = own;
    if (level)
        keep_level(level, &good);
    return spoil_status(CALL_QUERY, status);
}

static NTSTATUS APIENTRY create_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = world.good.DxgkDdiCreateContext(device, args);
    DXGK_CONTEXTINFO *info = &args->ContextInfo;
    if (NT_SUCCESS(status)) {
        info->DmaBufferSize = DMA_BYTES;
        info->AllocationListSize = LIST_SIZE;
        info->PatchLocationListSize = LIST_SIZE;
    }
    spoil_bytes(CALL_CONTEXT, &args->ContextInfo, sizeof(args->ContextInfo));
    return spoil_status(CALL_CONTEXT, status);
}

/* hAllocation is the driver's own: it would follow its own spoilt handle. */
static NTSTATUS APIENTRY create_allocation(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = world.good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; i < args->NumAllocations; i++) {
        HANDLE own = args->pAllocationInfo[i].hAllocation;
        spoil_bytes(CALL_ALLOCATION, &args->pAllocationInfo[i], sizeof(args->pAllocationInfo[i]));
        args->pAllocationInfo[i].hAllocation = own;
    }
    return spoil_status(CALL_ALLOCATION, status);
}

static NTSTATUS APIENTRY build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    NTSTATUS status = world.good.DxgkDdiBuildPagingBuffer(adapter, args);
    spoil_bytes(CALL_BUILD, args, sizeof(*args));
    return spoil_status(CALL_BUILD, status);
}

static NTSTATUS APIENTRY render(const HANDLE context, DXGKARG_RENDER *args) {
    D3DDDI_PATCHLOCATIONLIST *begin = args->pPatchLocationListOut;
    UINT room = args->PatchLocationListOutSize;
    NTSTATUS status = world.good.DxgkDdiRender(context, args);
    if (world.made[CALL_RENDER] % 2 != 0 && begin && room != 0)
        spoil_bytes(CALL_RENDER, begin, room * sizeof(*begin));
    else
        spoil_bytes(CALL_RENDER, args, sizeof(*args));
    return spoil_status(CALL_RENDER, status);
}

static UINT_PTR APIENTRY root_size(const HANDLE adapter, DXGKARG_GETROOTPAGETABLESIZE *args) {
    UINT_PTR size = world.good.DxgkDdiGetRootPageTableSize(adapter, args);
    spoil_bytes(CALL_ROOT_SIZE, &size, sizeof(size));
    (void)spoil_status(CALL_ROOT_SIZE, STATUS_SUCCESS);
    return size;
}

/* Calls that answer in their arguments, and of whose arguments nothing is the driver's own. */
#define SPOILT(function, slot, type, call)                                                         \
    static NTSTATUS APIENTRY function(const HANDLE handle, type *args) {                           \
        NTSTATUS status = world.good.slot(handle, args);                                           \
        spoil_bytes(call, (void *)(uintptr_t)args, sizeof(*args));                                 \
        return spoil_status(call, status);                                                         \
    }
/* Calls that answer by a status alone. */
#define ANSWERED(function, slot, type, call)                                                       \
    static NTSTATUS APIENTRY function(const HANDLE handle, type *args) {                           \
        return spoil_status(call, world.good.slot(handle, args));                                  \
    }

SPOILT(describe, DxgkDdiDescribeAllocation, DXGKARG_DESCRIBEALLOCATION, CALL_DESCRIBE)
SPOILT(standard, DxgkDdiGetStandardAllocationDriverData, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA,
       CALL_STANDARD)
SPOILT(current_fence, DxgkDdiQueryCurrentFence, DXGKARG_QUERYCURRENTFENCE, CALL_FENCE)
ANSWERED(create_device, DxgkDdiCreateDevice, DXGKARG_CREATEDEVICE, CALL_DEVICE)
ANSWERED(open_allocation, DxgkDdiOpenAllocation, const DXGKARG_OPENALLOCATION, CALL_OPEN)
ANSWERED(patch, DxgkDdiPatch, const DXGKARG_PATCH, CALL_PATCH)
ANSWERED(submit, DxgkDdiSubmitCommand, const DXGKARG_SUBMITCOMMAND, CALL_SUBMIT)
ANSWERED(submit_virtual, DxgkDdiSubmitCommandVirtual, const DXGKARG_SUBMITCOMMANDVIRTUAL,
         CALL_SUBMIT_VIRTUAL)
ANSWERED(preempt, DxgkDdiPreemptCommand, const DXGKARG_PREEMPTCOMMAND, CALL_PREEMPT)
ANSWERED(create_process, DxgkDdiCreateProcess, DXGKARG_CREATEPROCESS, CALL_PROCESS)

static NTSTATUS APIENTRY node(const HANDLE adapter, UINT ordinal, DXGKARG_GETNODEMETADATA *args) {
    NTSTATUS status = world.good.DxgkDdiGetNodeMetadata(adapter, ordinal, args);
    spoil_bytes(CALL_NODE, args, sizeof(*args));
    return spoil_status(CALL_NODE, status);
}

#define REPLACE(slot, function)                                                                    \
    if (table->slot)                                                                               \
    table->slot = (function)

static void spoil_driver(DRIVER_INITIALIZATION_DATA *table) {
    world.good = *table;
    REPLACE(DxgkDdiQueryAdapterInfo, query);
    REPLACE(DxgkDdiCreateDevice, create_device);
    REPLACE(DxgkDdiCreateContext, create_context);
    REPLACE(DxgkDdiCreateAllocation, create_allocation);
    REPLACE(DxgkDdiOpenAllocation, open_allocation);
    REPLACE(DxgkDdiDescribeAllocation, describe);
    REPLACE(DxgkDdiGetStandardAllocationDriverData, standard);
    REPLACE(DxgkDdiBuildPagingBuffer, build);
    REPLACE(DxgkDdiRender, render);
    REPLACE(DxgkDdiPatch, patch);
    REPLACE(DxgkDdiSubmitCommand, submit);
    REPLACE(DxgkDdiSubmitCommandVirtual, submit_virtual);
    REPLACE(DxgkDdiPreemptCommand, preempt);
    REPLACE(DxgkDdiQueryCurrentFence, current_fence);
    REPLACE(DxgkDdiGetNodeMetadata, node);
    REPLACE(DxgkDdiCreateProcess, create_process);
    REPLACE(DxgkDdiGetRootPageTableSize, root_size);
}

/* ---- A run ----------------------------------------------------------------------------------- */

static void play(const struct shape *shape, const struct vidmm_workload *workload) {
    struct vidmm_host_setting settings[SETTINGS + 4] = {{"VramBytes", VRAM_BYTES},
                                                        {"ApertureBytes", VRAM_BYTES},
                                                        {"PagingBufferBytes", PAGING_BYTES},
                                                        {"InterfaceVersion", shape->version}};
    struct vidmm_host_config host = {.driver_entry = vidmm_softgpu_entry,
                                     .model = &vidmm_softgpu_model,
                                     .settings = settings,
                                     .setting_count = 4,
                                     .memory_bytes = MEMORY_BYTES,
                                     .keep_memory = true,
                                     .seed = 1};
    const struct vidmm_play_options options = {.frame_limit = 0};
    static struct vidmm_ledger ledger;
    static struct vidmm_play_result result;
    struct vidmm_harness harness;
    char text[512] = "";
    for (uint32_t i = 0; i < SETTINGS && shape->more[i].name; i++)
        settings[host.setting_count++] = shape->more[i];
    struct vidmm_player *player = vidmm_player_create(workload);
    memset(&ledger, 0, sizeof(ledger));
    const struct vidmm_adapter_config adapter = {.observer = vidmm_player_observer(player),
                                                 .model = shape->model};
    const struct vidmm_harness_judging judging = {.ledger = &ledger, .spoil_driver = spoil_driver};
    if (vidmm_harness_open_judged(&host, &adapter, &judging, &harness, text, sizeof(text)) ==
        VIDMM_HARNESS_OK) {
        (void)vidmm_player_run(player, &harness, &options, &result, text, sizeof(text));
        (void)vidmm_harness_close(&harness, text, sizeof(text));
    } else if (text[0] == '\0') {
        abort(); /* refused without a sentence */
    }
    vidmm_player_destroy(player);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct vidmm_workload workload;
    struct vidmm_workload_error error;
    if (!workload.events &&
        !vidmm_workload_parse("answers", recording, sizeof(recording) - 1, &workload, &error)) {
        fprintf(stderr, "fuzz-answers: %s\n", error.text);
        abort();
    }
    memset(&world, 0, sizeof(world));
    if (size == 0)
        return 0;
    for (size_t at = 1; at + sizeof(struct step) <= size && world.steps < STEPS_MOST;
         at += sizeof(struct step))
        memcpy(&world.step[world.steps++], data + at, sizeof(struct step));
    play(&shapes[data[0] % (sizeof(shapes) / sizeof(shapes[0]))], &workload);
    return 0;
}
