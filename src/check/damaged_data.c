/*
 * damaged_data.c - see damaged_data.h. The driver may refuse such data, or make of it what it could make of good data: a
 * rule that it kept so far and breaks now, and its end, are told as R436. All of it that the referee does not copy ends
 * where no memory follows. One run at a time.
 */
#include "damaged_data.h"
#include "guarded.h"

#include <string.h>

#include <vidmm/virtual.h>

#define STEP       "objects: damaged private data" /* how its steps begin */
#define WORDS_MOST 64u                             /* of a description, that are damaged */

bool damaged_step(const char *step) {
    return strncmp(step, STEP, sizeof(STEP) - 1) == 0;
}

void damaged_judge(struct vidmm_ledger *ledger, bool on) {
    check_instead(
        ledger, on ? 436 : 0,
        "private data that no user-mode driver wrote refused, or no worse than good ones");
}

static uint8_t muted[VIDMM_RULES_LAST + 1]; /* as they were */

/* By a rule that pages contradict what user mode asks for may be right; by one for which a creation fails the system
 * refuses what the driver made of it, so that the application alone has the harm. */
static bool is_harmless(const struct vidmm_rule *rule) {
    return rule->confidence == VIDMM_DISPUTED || rule->severity == VIDMM_SEVERITY_CREATION_FAILS ||
           rule->severity == VIDMM_SEVERITY_PERFORMANCE;
}

static void damaged_begin(struct check *check) {
    struct vidmm_ledger *ledger = &check->shared->ledger;
    damaged_judge(ledger, true);
    for (uint32_t number = 1; number <= VIDMM_RULES_LAST; number++) {
        const struct vidmm_rule *rule = vidmm_rule(number);
        muted[number] = ledger->muted[number];
        if (rule && is_harmless(rule) && ledger->muted[number] == 0)
            ledger->muted[number] = VIDMM_MUTED_ASIDE;
    }
}

static void damaged_end(struct check *check) {
    struct vidmm_ledger *ledger = &check->shared->ledger;
    damaged_judge(ledger, false);
    memcpy(ledger->muted, muted, sizeof(muted));
    vidmm_ledger_judge(ledger, 436, VIDMM_SIDE_DRIVER, true, "", "%s", "");
}

/* ---- Surfaces -------------------------------------------------------------------------------- */

/* What is made: an allocation from `data`, of a resource if there are private data for one. */
struct damaged {
    const void *data;
    void *resource;
    uint32_t size, resource_size;
};

static void damaged_create(struct check *check, const struct damaged *damaged) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    HANDLE adapter = vidmm_host_adapter(check->harness.host);
    DXGK_ALLOCATIONINFO info = {.pPrivateDriverData = (void *)(uintptr_t)damaged->data,
                                .PrivateDriverDataSize = damaged->size};
    DXGKARG_CREATEALLOCATION create = {.NumAllocations = 1, .pAllocationInfo = &info};
    create.Flags.Resource = damaged->resource ? 1 : 0;
    if (damaged->resource_size != 0) {
        create.pPrivateDriverData = damaged->resource;
        create.PrivateDriverDataSize = damaged->resource_size;
    }
    if (table->DxgkDdiCreateAllocation(adapter, &create) != STATUS_SUCCESS || !info.hAllocation)
        return;
    DXGKARG_DESTROYALLOCATION destroy = {
        .NumAllocations = 1, .pAllocationList = &info.hAllocation, .hResource = create.hResource};
    destroy.Flags.DestroyResource = create.Flags.Resource;
    (void)table->DxgkDdiDestroyAllocation(adapter, &destroy);
}

/* Of `size` bytes each word in turn, as a number that is none, one more, as high as they are, and negative. */
static void damaged_words(struct check *check, const struct damaged *damaged, unsigned char *bytes,
                          uint32_t size) {
    const uint32_t words =
        size / sizeof(uint32_t) < WORDS_MOST ? size / (uint32_t)sizeof(uint32_t) : WORDS_MOST;
    for (uint32_t word = 0; word < words; word++) {
        uint32_t good;
        memcpy(&good, bytes + word * sizeof(good), sizeof(good));
        const uint32_t values[] = {0, good + 1, 0x7fffffff, 0x80000000, 0xffffffff};
        check_step(check, STEP " of a surface, word %u", word);
        for (uint32_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
            memcpy(bytes + word * sizeof(good), &values[i], sizeof(values[i]));
            damaged_create(check, damaged);
        }
        memcpy(bytes + word * sizeof(good), &good, sizeof(good));
    }
}

/* The resource's, where no memory follows. */
static void damaged_resource(struct check *check, const struct check_surface *surface,
                             const struct guarded *memory) {
    struct damaged damaged = {.data = surface->data, .size = surface->size};
    const uint32_t sizes[] = {0, 1, surface->resource_size / 2, surface->resource_size - 1};
    unsigned char *whole = memory->end - surface->resource_size;
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        check_step(check, STEP " of a resource, %u bytes of %u", sizes[i], surface->resource_size);
        damaged.resource_size = sizes[i];
        damaged.resource = memory->end - sizes[i];
        memcpy(damaged.resource, surface->resource, sizes[i]);
        damaged_create(check, &damaged);
    }
    memcpy(whole, surface->resource, surface->resource_size);
    damaged.resource = whole;
    damaged.resource_size = surface->resource_size;
    damaged_words(check, &damaged, whole, surface->resource_size);
}

void damaged_surface(struct check *check, const struct check_surface *surface) {
    struct guarded memory;
    const struct damaged damaged = {
        .data = surface->data,
        .size = surface->size,
        .resource = surface->resource_size != 0 ? surface->resource : NULL,
        .resource_size = surface->resource_size,
    };
    damaged_begin(check);
    damaged_words(check, &damaged, surface->data, surface->size);
    if (guarded_make(&memory) && surface->resource_size != 0 && surface->resource_size <= GUARDED)
        damaged_resource(check, surface, &memory);
    guarded_free(&memory);
    damaged_end(check);
}

/* ---- Contexts -------------------------------------------------------------------------------- */

static struct {
    PDXGKDDI_CREATECONTEXT below;
    void *bytes; /* NULL: contexts get none */
    uint32_t size;
} contexts;

static NTSTATUS APIENTRY damaged_create_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    if (contexts.bytes && !args->Flags.SystemContext) {
        args->pPrivateDriverData = contexts.bytes;
        args->PrivateDriverDataSize = contexts.size;
    }
    return contexts.below(device, args);
}

void damaged_table(DRIVER_INITIALIZATION_DATA *table) {
    memset(&contexts, 0, sizeof(contexts)); /* --no-fork has several runs in one process */
    contexts.below = table->DxgkDdiCreateContext;
    if (contexts.below)
        table->DxgkDdiCreateContext = damaged_create_context;
}

static void one_context(struct check *check, struct vidmm_device *device,
                        const struct guarded *memory, uint32_t size, unsigned char byte) {
    struct vidmm_context *context = NULL;
    check_step(check, STEP " of a context, %u bytes of 0x%02x", size, byte);
    contexts.bytes = memory->end - size;
    contexts.size = size;
    memset(contexts.bytes, byte, size);
    if (vidmm_context_create(device, 0, 0, &context) == VIDMM_OK && context)
        vidmm_context_destroy(context);
    contexts.bytes = NULL;
}

static void many_contexts(struct check *check, struct vidmm_device *device,
                          const struct guarded *memory) {
    static const uint32_t sizes[] = {1, 4, 16, 64, 256, 4096};
    static const unsigned char bytes[] = {0, 0x7f, 0xff};
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (uint32_t j = 0; j < sizeof(bytes); j++)
            one_context(check, device, memory, sizes[i], bytes[j]);
}

void damaged_contexts(struct check *check) {
    struct vidmm_adapter *adapter = check->harness.adapter;
    struct vidmm_adapter_info info;
    struct vidmm_process *process = NULL;
    struct vidmm_device *device = NULL;
    struct guarded memory;
    vidmm_adapter_info(adapter, &info);
    bool owned = info.caps.MemoryManagementCaps.VirtualAddressingSupported;
    bool made = guarded_make(&memory) && contexts.below &&
                (!owned || vidmm_process_create(adapter, &process) == VIDMM_OK) &&
                (owned ? vidmm_process_device_create(process, &device)
                       : vidmm_device_create(adapter, &device)) == VIDMM_OK;
    if (made) {
        damaged_begin(check);
        many_contexts(check, device, &memory);
        damaged_end(check);
    }
    if (device)
        vidmm_device_destroy(device);
    if (process)
        vidmm_process_destroy(process);
    guarded_free(&memory);
}
