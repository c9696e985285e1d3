/* raw.c - see raw.h. */
#include "raw.h"
#include "surface.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/pattern.h>
#include <vidmm/umd.h>
#include <vidmm/virtual.h>

/* Bytes of a row of its standard surfaces. */
#define RAW_ROW 1024u

/* ---- What the driver tells ------------------------------------------------------------------- */

static bool raw_concerns(const struct raw_submitter *raw, uint32_t physical, uint32_t node) {
    return physical == raw->physical && node == raw->node;
}

static bool raw_concerns_beside(const struct raw_submitter *raw, uint32_t physical, uint32_t node) {
    return physical == raw->physical && node == raw->beside.node;
}

static void completed(void *ctx, uint32_t physical, uint32_t node, uint32_t fence) {
    struct raw_submitter *raw = ctx;
    if (raw_concerns(raw, physical, node)) {
        if (raw->completes)
            raw->completes(raw, fence);
        raw->completed = fence;
    } else if (raw_concerns_beside(raw, physical, node))
        raw->beside.completed = fence;
}

static void preempted(void *ctx, uint32_t physical, uint32_t node, uint32_t fence, uint32_t last) {
    struct raw_submitter *raw = ctx;
    if (!raw_concerns(raw, physical, node))
        return;
    raw->preempted = fence;
    if ((int32_t)(last - raw->completed) > 0)
        raw->completed = last;
    raw->completed_then = raw->completed;
}

static void faulted(void *ctx, uint32_t physical, uint32_t node, uint32_t fence) {
    struct raw_submitter *raw = ctx;
    if (raw_concerns(raw, physical, node))
        raw->faulted = fence;
}

/* ---- Up and down ----------------------------------------------------------------------------- */

uint64_t raw_mapped_most(const struct raw_submitter *raw,
                         const struct vidmm_segment_info *aperture) {
    const uint64_t caps = raw->info.caps.ApertureSegmentCommitLimit;
    uint64_t most =
        aperture->commit_limit < aperture->size ? aperture->commit_limit : aperture->size;
    return caps != 0 && caps < most ? caps : most;
}

/* For what the submitter has there at the same time, beside what is there already. */
static bool segment_has_room(const struct raw_submitter *raw,
                             const struct vidmm_segment_info *info) {
    const uint64_t least = 2 * RAW_PAGES * CHECK_PAGE;
    return info->size >= least &&
           (!info->aperture || raw_mapped_most(raw, info) >= info->used + least);
}

void raw_choose_segments(struct raw_submitter *raw, struct vidmm_adapter *adapter) {
    struct vidmm_segment_info info;
    uint32_t seen[2] = {0}; /* of memory, of apertures */
    for (uint32_t id = 1; vidmm_segment_info(adapter, id, &info); id++) {
        struct vidmm_segment_info *role = info.aperture ? &raw->aperture : &raw->memory;
        if (info.physical != raw->physical)
            continue;
        info.id = info.driver_id;
        if (info.id == raw->info.paging_segment)
            raw->place = info;
        if (info.agp || !segment_has_room(raw, &info))
            continue;
        uint32_t before = seen[info.aperture]++;
        if (before == 0 || before == raw->others)
            *role = info;
        raw->another = raw->another || (before != 0 && before == raw->others);
    }
}

/* A driver that pages by address need not know transfers and fills of segments, which are WDDM 1's
 * (ne-d3dkmddi-_dxgk_buildpagingbuffer_operation), and its paging buffers are the system paging process's. */
static bool by_address(const struct raw_submitter *raw, struct vidmm_adapter *adapter) {
    struct vidmm_gpummu_info mmu;
    vidmm_gpummu_info(adapter, raw->physical, &mmu);
    return mmu.on;
}

/* A manager queries the driver and is destroyed; the submitter uses the answers. */
static bool learn(struct raw_submitter *raw) {
    const struct check_setup setup = {.first_fence = raw->fence - RAW_FIRST_FENCE};
    if (!check_manage(raw->check, &setup))
        return false;
    vidmm_adapter_info(raw->check->harness.adapter, &raw->info);
    raw_choose_segments(raw, raw->check->harness.adapter);
    raw->node = raw->info.paging_node;
    raw->by_address = by_address(raw, raw->check->harness.adapter);
    check_unmanage(raw->check);
    return true;
}

static bool raw_fits(struct raw_submitter *raw, bool aperture_will_do) {
    const char *missing = NULL;
    if (raw->memory.id == 0 && !(aperture_will_do && raw->aperture.id != 0))
        missing = "the driver has no memory segment of 48 pages";
    else if (raw->info.paging_segment != 0 &&
             raw_mapped_most(raw, &raw->place) < raw->info.paging_size + 2 * RAW_PAGES * CHECK_PAGE)
        missing = "the aperture of the paging buffer has no 48 pages besides";
    if (missing)
        (void)check_say(raw->check, VIDMM_STAGE_SKIPPED, "%s", missing);
    return !missing;
}

static bool make_context(struct raw_submitter *raw) {
    bool contexts =
        raw->info.caps.SchedulingCaps.MultiEngineAware != 0 && raw->ddi->DxgkDdiCreateContext;
    if (raw->info.interface_version < DXGKDDI_INTERFACE_VERSION_WIN8 || !contexts)
        return true; /* paging has no context */
    DXGKARG_CREATEDEVICE device = {.hDevice = raw};
    device.Flags.SystemDevice = 1;
    NTSTATUS status = raw->ddi->DxgkDdiCreateDevice(raw->adapter, &device);
    if (status != STATUS_SUCCESS)
        return raw_refuse(raw, "DxgkDdiCreateDevice for the system", status);
    raw->device = device.hDevice;
    DXGKARG_CREATECONTEXT context = {.hContext = raw,
                                     .NodeOrdinal = raw->info.paging_node,
                                     .EngineAffinity = 1u << raw->physical};
    context.Flags.SystemContext = 1;
    status = raw->ddi->DxgkDdiCreateContext(raw->device, &context);
    if (status != STATUS_SUCCESS)
        return raw_refuse(raw, "DxgkDdiCreateContext for the system", status);
    raw->context = context.hContext;
    return true;
}

/* ---- An allocation --------------------------------------------------------------------------- */

static void private_free(struct raw_private *given) {
    free(given->bytes);
    *given = (struct raw_private){.bytes = NULL};
}

/* DxgkDdiOpenAllocation gets the same again (ns-d3dkmddi-_dxgk_openallocationinfo.md). */
static void private_keep(struct raw_submitter *raw, struct raw_private *given, const void *bytes,
                         uint32_t size) {
    given->bytes = size != 0 ? check_memory(raw->check, size) : NULL;
    given->size = given->bytes ? size : 0;
    if (given->bytes)
        memcpy(given->bytes, bytes, size);
}

static void raw_object_destroy(struct raw_submitter *raw) {
    DXGKARG_DESTROYALLOCATION args = {.NumAllocations = 1,
                                      .pAllocationList = &raw->allocation,
                                      .hResource = raw->resource.handle};
    args.Flags.DestroyResource = raw->resource.made;
    if (raw->allocation)
        (void)raw->ddi->DxgkDdiDestroyAllocation(raw->adapter, &args);
    raw->allocation = NULL;
    private_free(&raw->given);
    private_free(&raw->resource.given);
}

/* The end of an allocation: so many bytes of its last page are not asked for, and not all of that page is its Size, or
 * that is left to the driver. */
struct raw_end {
    uint32_t cut;
    bool left_to_driver;
};

static bool ends_as(const DXGK_ALLOCATIONINFO *info, const struct raw_end *end) {
    return end->left_to_driver || (info->Size % CHECK_PAGE != 0) == (end->cut != 0);
}

/* Kept if it has the submitter's size and that end, and supports the segment. `surface`: NULL, or what it is. */
static void raw_object_create(struct raw_submitter *raw, DXGK_ALLOCATIONINFO *info,
                              const struct check_surface *surface, const struct raw_end *end) {
    DXGKARG_CREATEALLOCATION args = {.NumAllocations = 1, .pAllocationInfo = info};
    if (surface && surface->resource_size != 0) {
        args.pPrivateDriverData = surface->resource;
        args.PrivateDriverDataSize = surface->resource_size;
        args.Flags.Resource = 1;
        private_keep(raw, &raw->resource.given, surface->resource, surface->resource_size);
    }
    private_keep(raw, &raw->given, info->pPrivateDriverData, info->PrivateDriverDataSize);
    if (raw->ddi->DxgkDdiCreateAllocation(raw->adapter, &args) == STATUS_SUCCESS)
        raw->allocation = info->hAllocation;
    raw->alignment = raw_alignment(info);
    raw->segments = info->SupportedReadSegmentSet & info->SupportedWriteSegmentSet;
    raw->resource.made = args.Flags.Resource;
    raw->resource.handle = args.hResource;
    bool newer = raw->info.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0;
    uint64_t pages = (info->Size + CHECK_PAGE - 1) / CHECK_PAGE;
    bool fits = pages == RAW_PAGES && ends_as(info, end) &&
                (!newer || info->PhysicalAdapterIndex == raw->physical) &&
                (info->SupportedWriteSegmentSet >> (raw_segment(raw)->id - 1) & 1u) != 0;
    if (!fits)
        raw_object_destroy(raw);
}

static void create_spoken(struct raw_submitter *raw, const struct raw_end *end) {
    struct vidmm_umd_allocation data = {.magic = VIDMM_UMD_MAGIC,
                                        .flags = (raw->memory.id != 0 ? VIDMM_UMD_LOCAL : 0) |
                                                 VIDMM_UMD_PHYSICAL(raw->physical),
                                        .size = (uint64_t)RAW_PAGES * CHECK_PAGE - end->cut};
    DXGK_ALLOCATIONINFO info;
    memset(&info, 0, sizeof(info));
    info.pPrivateDriverData = &data;
    info.PrivateDriverDataSize = sizeof(data);
    raw_object_create(raw, &info, NULL, end);
}

/* A standard surface. */
static void create_standard(struct raw_submitter *raw, uint32_t kind, const struct raw_end *end) {
    struct check_surface surface;
    DXGK_ALLOCATIONINFO info;
    memset(&info, 0, sizeof(info));
    if (check_surface_open(raw->check, &surface, kind, RAW_ROW / 4,
                           (RAW_PAGES * CHECK_PAGE - end->cut) / RAW_ROW)) {
        info.pPrivateDriverData = surface.data;
        info.PrivateDriverDataSize = surface.size;
        raw_object_create(raw, &info, &surface, end);
    }
    check_surface_close(&surface);
}

/* One that prefers GPU memory, where there is some; without it operations have no handle. */
static void make_allocation(struct raw_submitter *raw, const struct raw_end *end) {
    if (check_speaks(raw->check))
        create_spoken(raw, end);
    for (uint32_t kind = 0; !raw->allocation && kind < CHECK_SURFACES; kind++)
        create_standard(raw, kind, end);
}

bool raw_make_uneven(struct raw_submitter *raw) {
    const struct raw_end within_page = {.cut = RAW_ROW};
    raw_object_destroy(raw);
    make_allocation(raw, &within_page);
    return raw->allocation;
}

bool raw_make_shorter(struct raw_submitter *raw, uint32_t cut) {
    const struct raw_end shorter = {.cut = cut, .left_to_driver = true};
    raw_object_destroy(raw);
    create_spoken(raw, &shorter);
    raw->cut = cut;
    return raw->allocation;
}

/* ---- Up and down ----------------------------------------------------------------------------- */

static void turn_round(PFN_NUMBER *frames, uint32_t count) {
    for (uint32_t i = 0; i < count / 2; i++) {
        PFN_NUMBER frame = frames[i];
        frames[i] = frames[count - 1 - i];
        frames[count - 1 - i] = frame;
    }
}

PMDL raw_list(const struct raw_submitter *raw, uint32_t pages, uint32_t run) {
    PMDL list = raw->os->pages_alloc(raw->os->ctx, pages, VIDMM_PAGES_CACHED, UINT64_MAX);
    if (!list)
        return NULL;
    PFN_NUMBER *frames = MmGetMdlPfnArray(list);
    turn_round(frames, pages);
    for (uint32_t i = 0; i + run <= pages; i += run)
        turn_round(&frames[i], run);
    return list;
}

static bool make_buffers(struct raw_submitter *raw) {
    const struct vidmm_os *os = raw->os;
    size_t pages = (raw->info.paging_size + CHECK_PAGE - 1) / CHECK_PAGE;
    raw->buffer = os->pages_alloc(os->ctx, pages, VIDMM_PAGES_CONTIGUOUS, UINT64_MAX);
    raw->source = raw_list(raw, RAW_PAGES, RAW_RUN);
    raw->target = raw_list(raw, RAW_PAGES, RAW_RUN);
    if (raw->info.paging_private != 0)
        raw->private_data = os->alloc(os->ctx, raw->info.paging_private);
    raw->cpu = raw->buffer ? os->pages_map(os->ctx, raw->buffer) : NULL;
    return raw->cpu && raw->source && raw->target &&
           (raw->info.paging_private == 0 || raw->private_data);
}

static void *handle_data(void *ctx, const DXGKARGCB_GETHANDLEDATA *data) {
    const struct raw_submitter *raw = ctx;
    uint32_t picture = data->hObject - RAW_KERNEL_HANDLE - 1;
    if (data->Type != DXGK_HANDLE_ALLOCATION)
        return NULL;
    if (data->hObject == RAW_KERNEL_HANDLE)
        return raw->allocation;
    return picture < RAW_PICTURES ? raw->picture[picture] : NULL;
}

static enum vidmm_stage_outcome open_hand(struct raw_submitter *raw, struct check *check,
                                          uint32_t physical, uint32_t others,
                                          bool aperture_will_do) {
    const uint32_t first = check->submitters++ * RAW_FENCES + RAW_FIRST_FENCE;
    *raw = (struct raw_submitter){.check = check,
                                  .physical = physical,
                                  .others = others,
                                  .ddi = &check->harness.spoken,
                                  .os = vidmm_host_os(check->harness.host),
                                  .alignment = 1,
                                  .fence = first,
                                  .completed = first};
    if (!learn(raw))
        return VIDMM_STAGE_STOPPED;
    /* Not before: the manager may have had the driver start on a machine with less memory. */
    raw->adapter = vidmm_host_adapter(check->harness.host);
    if (raw->by_address)
        return check_say(check, VIDMM_STAGE_SKIPPED, "the driver pages by GPU virtual address");
    if (!raw->ddi->DxgkDdiSubmitCommand)
        return check_say(check, VIDMM_STAGE_SKIPPED, "the driver has no DxgkDdiSubmitCommand");
    if (!raw_fits(raw, aperture_will_do))
        return VIDMM_STAGE_SKIPPED;
    const struct vidmm_host_sink sink = {.ctx = raw,
                                         .completed = completed,
                                         .preempted = preempted,
                                         .faulted = faulted,
                                         .handle_data = handle_data};
    vidmm_host_set_sink(check->harness.host, &sink);
    raw->end = raw->info.paging_size;
    if (!make_buffers(raw)) {
        (void)raw_close(raw);
        return check_say(check, VIDMM_STAGE_STOPPED, "out of memory for the paging buffer");
    }
    if (!make_context(raw))
        return raw_close(raw);
    const struct raw_end whole = {.cut = 0};
    make_allocation(raw, &whole);
    if (raw->info.paging_segment != 0 && !raw_map_buffer(raw))
        return raw_close(raw);
    return VIDMM_STAGE_DONE;
}

enum vidmm_stage_outcome raw_open(struct raw_submitter *raw, struct check *check) {
    return open_hand(raw, check, 0, 0, false);
}

enum vidmm_stage_outcome raw_open_on(struct raw_submitter *raw, struct check *check,
                                     uint32_t physical) {
    return open_hand(raw, check, physical, 0, false);
}

enum vidmm_stage_outcome raw_open_aperture(struct raw_submitter *raw, struct check *check) {
    return open_hand(raw, check, 0, 0, true);
}

enum vidmm_stage_outcome raw_open_others(struct raw_submitter *raw, struct check *check,
                                         uint32_t others, bool *there) {
    enum vidmm_stage_outcome outcome = open_hand(raw, check, 0, others, true);
    *there = raw->another;
    return outcome;
}

enum vidmm_stage_outcome raw_unopened(const struct raw_submitter *raw,
                                      enum vidmm_stage_outcome opened) {
    return raw->by_address && opened == VIDMM_STAGE_SKIPPED ? VIDMM_STAGE_DONE : opened;
}

void raw_free_pages(const struct raw_submitter *raw, PMDL mdl) {
    if (mdl)
        raw->os->pages_free(raw->os->ctx, mdl);
}

/* Work that does not complete is dropped by a reset before the next DDI call. */
static void give_up(struct raw_submitter *raw) {
    if (raw->ddi->DxgkDdiResetFromTimeout)
        (void)raw->ddi->DxgkDdiResetFromTimeout(raw->adapter);
    if (raw->ddi->DxgkDdiRestartFromTimeout)
        (void)raw->ddi->DxgkDdiRestartFromTimeout(raw->adapter);
}

enum vidmm_stage_outcome raw_close(struct raw_submitter *raw) {
    if (!raw->refused && raw->memory.id == 0)
        (void)raw_leave(raw);
    if (raw->mapped && !raw->refused && raw_flush(raw) && raw_unmap_buffer(raw))
        (void)raw_flush(raw);
    if (raw->unseen)
        give_up(raw);
    raw_object_destroy(raw);
    if (raw->context)
        (void)raw->ddi->DxgkDdiDestroyContext(raw->context);
    if (raw->device)
        (void)raw->ddi->DxgkDdiDestroyDevice(raw->device);
    raw_free_pages(raw, raw->buffer);
    raw_free_pages(raw, raw->source);
    raw_free_pages(raw, raw->target);
    if (raw->private_data)
        raw->os->free(raw->os->ctx, raw->private_data, raw->info.paging_private);
    vidmm_host_set_sink(raw->check->harness.host, NULL);
    if (raw->unseen && !raw->works && raw->faulted == 0)
        return VIDMM_STAGE_SKIPPED;
    return raw->refused ? VIDMM_STAGE_STOPPED : VIDMM_STAGE_DONE;
}

/* ---- The paging buffer in an aperture -------------------------------------------------------- */

static uint32_t buffer_pages(const struct raw_submitter *raw) {
    return (raw->info.paging_size + CHECK_PAGE - 1) / CHECK_PAGE;
}

uint32_t raw_buffer_page(const struct raw_submitter *raw) {
    return (uint32_t)(raw->place.size / CHECK_PAGE) - buffer_pages(raw);
}

bool raw_map_buffer(struct raw_submitter *raw) {
    raw->mapped =
        raw_map(raw, &raw->place, raw_buffer_page(raw), buffer_pages(raw), raw->buffer, 0) &&
        raw_flush(raw);
    return raw->mapped;
}

bool raw_unmap_buffer(struct raw_submitter *raw) {
    raw->mapped = false;
    return raw_unmap(raw, &raw->place, raw_buffer_page(raw), buffer_pages(raw));
}

/* ---- Looking --------------------------------------------------------------------------------- */

unsigned char *raw_page(struct raw_submitter *raw, PMDL mdl, uint64_t page) {
    return vidmm_host_memory(raw->check->harness.host,
                             MmGetMdlPfnArray(mdl)[page] * (uint64_t)CHECK_PAGE, CHECK_PAGE);
}

/* As pages of an allocation that no oracle has. */
void raw_paint(struct raw_submitter *raw, PMDL mdl, uint32_t seed) {
    if (mdl == raw->source)
        raw->painted = seed;
    for (uint32_t page = 0; page < RAW_PAGES; page++)
        vidmm_pattern_write(raw_page(raw, mdl, page), vidmm_pattern_key(~(uint64_t)seed, page, 1));
}

bool raw_explained(const struct raw_submitter *raw) {
    const struct vidmm_ledger *ledger = &raw->check->shared->ledger;
    bool explained = false;
    for (uint32_t i = 0; i < ledger->findings; i++)
        explained = explained || (ledger->finding[i].who == VIDMM_SIDE_DRIVER &&
                                  vidmm_finding_explains(&ledger->finding[i]));
    return explained;
}

void raw_judge_unless(struct raw_submitter *raw, bool explained, uint32_t rule, bool kept,
                      const char *expected, const char *found) {
    struct vidmm_ledger *ledger = &raw->check->shared->ledger;
    if (kept || !explained)
        vidmm_ledger_judge(ledger, rule, VIDMM_SIDE_DRIVER, kept, expected, "%s", found);
    else
        vidmm_ledger_hold(ledger, rule);
}

void raw_judge(struct raw_submitter *raw, uint32_t rule, bool kept, const char *expected,
               const char *found) {
    raw_judge_unless(raw, raw_explained(raw), rule, kept, expected, found);
}
