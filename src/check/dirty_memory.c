/* dirty_memory.c - see dirty_memory.h. */
#include "dirty_memory.h"

#include <vidmm/umd.h>

/* ---- By address ------------------------------------------------------------------------------ */

static bool first_memory(struct dirty_memory *memory) {
    for (uint32_t id = 1; vidmm_segment_info(memory->check->harness.adapter, id, &memory->segment);
         id++)
        if (!memory->segment.aperture)
            return true;
    return false;
}

static enum vidmm_stage_outcome open_user(struct dirty_memory *memory,
                                          const struct check_setup *setup) {
    /* Whether it pages by address a manager asked it, whose fences another one would begin again. */
    check_close(memory->check);
    if (!check_open(memory->check, setup) || !check_manage(memory->check, setup) ||
        !user_open(memory->check, &memory->user))
        return VIDMM_STAGE_STOPPED;
    memory->by_address = true;
    if (first_memory(memory))
        return VIDMM_STAGE_DONE;
    (void)dirty_memory_close(memory);
    return check_say(memory->check, VIDMM_STAGE_SKIPPED, "the driver has no memory segment");
}

static bool move_in(struct dirty_memory *memory, uint32_t unit) {
    return user_fine(&memory->user,
                     vidmm_make_resident(memory->user.queue, &memory->surface[unit].allocation, 1,
                                         0, &memory->fence, NULL));
}

static bool move_out(struct dirty_memory *memory, uint32_t unit) {
    struct vidmm_allocation *allocation = memory->surface[unit].allocation;
    return user_fine(&memory->user,
                     vidmm_device_evict(memory->user.device, &allocation, 1, 0, NULL)) &&
           user_fine(&memory->user, vidmm_allocation_evict(allocation, true));
}

static void release_surfaces(struct dirty_memory *memory) {
    for (uint32_t i = 0; i < DIRTY_UNITS && memory->surface[i].allocation; i++) {
        vidmm_allocation_destroy(memory->surface[i].allocation);
        memory->surface[i].allocation = NULL;
    }
}

/* The driver may give a surface more than it was asked for: then a unit is as large. */
static bool make_surface(struct dirty_memory *memory, uint32_t i) {
    struct vidmm_allocation_info info;
    if (!user_surface_make(&memory->user, &memory->surface[i], VIDMM_UMD_LOCAL_ONLY,
                           memory->unit / CHECK_PAGE))
        return false;
    vidmm_allocation_info(memory->surface[i].allocation, &info);
    uint64_t apart = info.size > info.driver.Alignment ? info.size : info.driver.Alignment;
    if (i == 0 && apart > memory->unit && apart <= UINT32_MAX && apart % memory->unit == 0)
        memory->unit = (uint32_t)apart;
    return true;
}

/* Side by side as long as nothing else is there; where they are not, they are written all the same. */
static bool make_surfaces(struct dirty_memory *memory) {
    uint64_t lowest = memory->segment.size;
    vidmm_place_first(memory->check->harness.adapter, memory->segment.id);
    vidmm_referee_placed_first(memory->check->harness.referee, true);
    for (uint32_t i = 0; i < DIRTY_UNITS; i++)
        if (!make_surface(memory, i))
            return false;
    for (uint32_t i = 0; i < DIRTY_UNITS; i++) {
        struct vidmm_allocation_info info;
        if (!move_in(memory, i) || !dirty_memory_wait(memory))
            return false;
        vidmm_allocation_info(memory->surface[i].allocation, &info);
        if (info.segment == memory->segment.id && info.offset < lowest)
            lowest = info.offset;
    }
    memory->inside =
        lowest != memory->segment.size && memory->segment.size / memory->unit >= DIRTY_UNITS;
    lowest -= lowest % memory->unit;
    memory->origin = 0;
    if (lowest / memory->unit + DIRTY_UNITS <= memory->segment.size / memory->unit)
        memory->origin = lowest;
    return true;
}

/* ---- Either way ------------------------------------------------------------------------------ */

bool dirty_memory_query(const struct dirty_memory *memory, DXGK_QUERYADAPTERINFOTYPE type,
                        UINT *segment, UINT32 *value) {
    const DXGKARG_QUERYADAPTERINFO args = {.Type = type,
                                           .pInputData = segment,
                                           .InputDataSize = segment ? sizeof(*segment) : 0,
                                           .pOutputData = value,
                                           .OutputDataSize = sizeof(*value)};
    return memory->ddi->DxgkDdiQueryAdapterInfo(memory->adapter, &args) == STATUS_SUCCESS;
}

bool dirty_memory_tracked(const struct dirty_memory *memory) {
    DXGK_DIRTY_BIT_TRACKING_CAPS caps = {.Value = 0};
    return memory->version >= DXGKDDI_INTERFACE_VERSION_WDDM3_2 &&
           dirty_memory_query(memory, DXGKQAITYPE_DIRTYBITTRACKINGCAPS, NULL, &caps.Value) &&
           caps.DirtyBitTrackingSupported;
}

static void learn_driver(struct dirty_memory *memory) {
    memory->ddi = memory->raw.ddi;
    memory->adapter = vidmm_host_adapter(memory->check->harness.host);
    memory->version = memory->raw.info.interface_version;
}

enum vidmm_stage_outcome dirty_memory_open(struct dirty_memory *memory, struct check *check,
                                           const struct check_setup *setup) {
    *memory = (struct dirty_memory){.check = check};
    enum vidmm_stage_outcome outcome = raw_open(&memory->raw, check);
    learn_driver(memory);
    if (outcome != VIDMM_STAGE_SKIPPED || !memory->raw.by_address) {
        memory->segment = memory->raw.memory;
        return outcome;
    }
    /* Asked of the host that is there: only a driver that tracks is started again with a manager. */
    if (!dirty_memory_tracked(memory))
        return check_say(check, VIDMM_STAGE_SKIPPED, "the driver reports no dirty-bit tracking");
    outcome = open_user(memory, setup);
    if (outcome == VIDMM_STAGE_DONE)
        learn_driver(memory);
    return outcome;
}

enum vidmm_stage_outcome dirty_memory_open_other(struct dirty_memory *memory, struct check *check,
                                                 uint32_t first) {
    bool there = false;
    *memory = (struct dirty_memory){.check = check};
    enum vidmm_stage_outcome outcome = raw_open_others(&memory->raw, check, 1, &there);
    learn_driver(memory);
    memory->segment = memory->raw.memory;
    if (outcome == VIDMM_STAGE_DONE && memory->segment.driver_id == first) {
        (void)raw_close(&memory->raw);
        return VIDMM_STAGE_SKIPPED;
    }
    return outcome;
}

bool dirty_memory_prepare(struct dirty_memory *memory, uint32_t unit) {
    if (memory->by_address)
        release_surfaces(memory);
    memory->unit = unit;
    return !memory->by_address || make_surfaces(memory);
}

/* A fill by hand names an allocation of RAW_PAGES, of which the filled page is the first. */
bool dirty_memory_holds(const struct dirty_memory *memory, uint32_t unit) {
    uint64_t behind = memory->raw.allocation && !memory->by_address ? RAW_PAGES - 1 : 0;
    return memory->segment.size >= (uint64_t)DIRTY_UNITS * unit + behind * CHECK_PAGE;
}

uint64_t dirty_memory_units(const struct dirty_memory *memory) {
    return memory->by_address ? DIRTY_UNITS : memory->segment.size / memory->unit;
}

/* By hand the last bytes of the unit. */
bool dirty_memory_begin(struct dirty_memory *memory, uint32_t unit) {
    uint32_t pages = memory->unit / CHECK_PAGE;
    if (memory->by_address)
        return move_out(memory, unit) && move_in(memory, unit);
    return raw_fill(&memory->raw, unit * pages + pages - 1, 1, 0x20202020u + unit) &&
           raw_submit(&memory->raw);
}

bool dirty_memory_applies(struct dirty_memory *memory, uint32_t unit) {
    struct vidmm_allocation_info info;
    if (!memory->by_address)
        return true;
    vidmm_allocation_info(memory->surface[unit].allocation, &info);
    return memory->user.speaks && check_executes(memory->check, VIDMM_UMD_PACKET_FILL) &&
           info.segment == memory->segment.id &&
           info.offset == memory->origin + (uint64_t)unit * memory->unit;
}

bool dirty_memory_apply(struct dirty_memory *memory, uint32_t unit) {
    const struct vidmm_umd_fill fill = {.head = {VIDMM_UMD_PACKET_FILL, 0, sizeof(fill)},
                                        .pattern = 0x40404040u + unit,
                                        .destination = memory->surface[unit].va,
                                        .bytes = CHECK_PAGE};
    return memory->by_address ? user_send(&memory->user, &fill, sizeof(fill))
                              : dirty_memory_begin(memory, unit);
}

bool dirty_memory_rest(struct dirty_memory *memory) {
    return memory->by_address ? user_rest(&memory->user) : dirty_memory_wait(memory);
}

bool dirty_memory_fill(struct dirty_memory *memory, uint32_t unit, uint32_t units) {
    uint32_t pages = memory->unit / CHECK_PAGE;
    return !memory->by_address &&
           raw_fill(&memory->raw, unit * pages, units * pages, 0x30303030u + unit) &&
           raw_submit(&memory->raw);
}

bool dirty_memory_wait(struct dirty_memory *memory) {
    if (!memory->by_address)
        return raw_flush(&memory->raw);
    return user_fine(&memory->user, vidmm_paging_wait(memory->user.queue, memory->fence));
}

enum vidmm_stage_outcome dirty_memory_close(struct dirty_memory *memory) {
    if (!memory->by_address)
        return raw_close(&memory->raw);
    release_surfaces(memory);
    user_close(&memory->user);
    return VIDMM_STAGE_DONE;
}
