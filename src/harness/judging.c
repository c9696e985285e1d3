/* judging.c - wires a referee between host and driver; see judging.h. */
#include "judging.h"

#include <string.h>

static struct vidmm_harness_judging now; /* one harness at a time, as there is one host */

static void wrap_ddi(void *ctx, DRIVER_INITIALIZATION_DATA *table) {
    if (now.spoil_driver)
        now.spoil_driver(table);
    vidmm_referee_wrap_ddi(ctx, table);
    if (now.spoil_devices)
        now.spoil_devices(table);
}

static void wrap_callbacks(void *ctx, DXGKRNL_INTERFACE *callbacks) {
    if (now.spoil_callbacks)
        now.spoil_callbacks(callbacks);
    vidmm_referee_wrap_callbacks(ctx, callbacks);
}

static void calling(void *ctx, const char *call) {
    (void)ctx;
    vidmm_ledger_calling(now.ledger, call);
}

static void violation(void *ctx, const char *text) {
    (void)ctx;
    vidmm_ledger_note(now.ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER, "%s", text);
}

static void kernel_memory(void *ctx, const char *function) {
    vidmm_referee_kernel_memory(ctx, function);
}

static void maps_memory(void *ctx, uint64_t physical, uint64_t bytes) {
    vidmm_referee_maps_memory(ctx, physical, bytes);
}

static void faulting(void *ctx, uint64_t address, bool write) {
    vidmm_referee_faulting(ctx, address, write);
}

static bool gone(void *ctx, uint64_t address, bool write) {
    return vidmm_referee_gone(ctx, address, write);
}

static KIRQL irql(void *ctx) {
    (void)ctx;
    return KeGetCurrentIrql();
}

static void *memory(void *ctx, uint64_t pa, size_t size) {
    return vidmm_host_memory(ctx, pa, size);
}

static const void *peek(void *ctx, uint32_t physical, uint64_t gpu_address, size_t size) {
    return vidmm_host_peek(ctx, physical, gpu_address, size);
}

static bool translate(void *ctx, uint32_t physical, uint64_t root, uint32_t entries, uint64_t va,
                      struct vidmm_referee_translation *out) {
    struct vidmm_hw_translation found;
    if (!vidmm_host_translate(ctx, physical, root, entries, va, &found))
        return false;
    *out = (struct vidmm_referee_translation){.valid = found.valid,
                                              .cached = found.cached,
                                              .zero = found.zero,
                                              .read_only = found.read_only,
                                              .no_execute = found.no_execute,
                                              .coherent = found.coherent,
                                              .physical = found.physical,
                                              .address = found.address};
    return true;
}

static bool snoops(void *ctx, uint32_t physical, uint64_t gpu_address, bool *snoops) {
    return vidmm_host_snoops(ctx, physical, gpu_address, snoops);
}

static bool root_of(void *ctx, uint32_t physical, uint32_t node, uint64_t *root) {
    return vidmm_host_root(ctx, physical, node, root);
}

static void *io(void *ctx, uint64_t pa, size_t size) {
    return vidmm_host_io(ctx, pa, size);
}

bool harness_judge_begin(struct vidmm_harness *harness, const struct vidmm_harness_judging *judging,
                         struct vidmm_host_config *config) {
    static struct vidmm_host_interposer interposer;
    struct vidmm_referee_config referee = {.ledger = judging->ledger,
                                           .readings = judging->readings,
                                           .interface_version = judging->interface_version,
                                           .no_content = config->no_content};
    harness->referee = vidmm_referee_create(&referee);
    if (!harness->referee)
        return false;
    now = *judging;
    interposer = (struct vidmm_host_interposer){.ctx = harness->referee,
                                                .ddi = wrap_ddi,
                                                .callbacks = wrap_callbacks,
                                                .calling = calling,
                                                .violation = violation,
                                                .kernel_memory = kernel_memory,
                                                .maps_memory = maps_memory,
                                                .faulting = faulting,
                                                .gone = gone};
    config->interposer = &interposer;
    return true;
}

static bool shared(void *ctx, uint32_t pasid, uint64_t va) {
    return vidmm_host_shared(ctx, pasid, va);
}

static bool starved(void *ctx) {
    return vidmm_host_failed_once(ctx);
}

static bool leaves(void *ctx, const void *address) {
    (void)ctx;
    return vidmm_host_left_on_stack(address);
}

void harness_judge_see(struct vidmm_harness *harness) {
    if (!harness->referee)
        return;
    const struct vidmm_os *os = vidmm_host_os(harness->host);
    struct vidmm_referee_world world = {.ctx = harness->host,
                                        .irql = irql,
                                        .memory = memory,
                                        .peek = peek,
                                        .translate = translate,
                                        .snoops = snoops,
                                        .shared = shared,
                                        .root = root_of,
                                        .io = io,
                                        .memory_bytes = os->memory_bytes(os->ctx),
                                        .memory_end = os->memory_highest(os->ctx) + 1,
                                        .reach = vidmm_host_reach(harness->host),
                                        .starved = starved,
                                        .leaves = leaves};
    vidmm_referee_set_world(harness->referee, &world);
}

/* ---- The GART -------------------------------------------------------------------------------- */

static struct vidmm_referee *gart_referee;
static const struct vidmm_gart *gart; /* the host's */

static void tell_gart(enum vidmm_gart_change kind, uint64_t page, uint64_t pages) {
    const struct vidmm_referee_gart change = {.kind = kind, .page = page, .pages = pages};
    vidmm_referee_gart(gart_referee, &change);
}

static void gart_map(void *ctx, uint64_t page, PMDL mdl, uint64_t mdl_page, uint64_t pages) {
    tell_gart(VIDMM_GART_MAP, page, pages);
    gart->map(ctx, page, mdl, mdl_page, pages);
}

static void gart_unmap(void *ctx, uint64_t page, uint64_t pages) {
    tell_gart(VIDMM_GART_UNMAP, page, pages);
    gart->unmap(ctx, page, pages);
}

static void gart_flush(void *ctx, uint64_t page, uint64_t pages) {
    tell_gart(VIDMM_GART_FLUSH, page, pages);
    gart->flush(ctx, page, pages);
}

const struct vidmm_os *harness_judge_os(struct vidmm_harness *harness) {
    static struct vidmm_os os;
    static struct vidmm_gart judged;
    const struct vidmm_os *host_os = vidmm_host_os(harness->host);
    if (!harness->referee || !host_os->gart)
        return host_os;
    os = *host_os;
    gart_referee = harness->referee;
    gart = os.gart;
    judged = *gart;
    judged.map = gart_map;
    judged.unmap = gart_unmap;
    judged.flush = gart_flush;
    if (now.spoil_gart)
        now.spoil_gart(&judged);
    os.gart = &judged;
    return &os;
}

/* ---- Sizes, and the end ---------------------------------------------------------------------- */

void harness_judge_sizes(struct vidmm_harness *harness) {
    struct vidmm_memory_sizes sizes;
    if (!harness->referee || !harness->adapter)
        return;
    vidmm_memory_sizes(harness->adapter, &sizes);
    struct vidmm_referee_sizes reported = {.available = sizes.available,
                                           .dedicated_video = sizes.dedicated_video,
                                           .dedicated_system = sizes.dedicated_system,
                                           .shared_system = sizes.shared_system,
                                           .total = sizes.total};
    if (now.spoil_sizes)
        now.spoil_sizes(&reported);
    vidmm_referee_judge_sizes(harness->referee, &reported);
}

void harness_judge_end(struct vidmm_harness *harness) {
    vidmm_referee_destroy(harness->referee);
    harness->referee = NULL;
}
