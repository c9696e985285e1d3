/*
 * stage_locks.c - surfaces of special kinds through the manager: resources of several allocations,
 * shared ones, swizzled and pinned ones, locks of all kinds, evictions under a lock; then the same
 * with a reset after every step. Drivers that know vidmm/umd.h get all its kinds of surfaces,
 * others standard surfaces.
 */
#include "spoken.h"
#include "surface.h"

#include <string.h>

#include <vidmm/umd.h>

#define KINDS 6u
#define BYTES (16u * CHECK_PAGE)
#define WIDTH 128u /* pixels of 32 bits, of a standard surface */

struct surfaces {
    struct check *check;
    struct vidmm_device *device, *other;
    struct vidmm_context *context;
    struct vidmm_allocation *one[KINDS]; /* NULL: the driver makes no such surface */
    struct vidmm_allocation *pair[2];    /* one resource; NULL: none */
    bool resets;                         /* after every step */
    bool alternates;                     /* the GPU has alternate addresses */
};

static const uint32_t kinds[KINDS] = {
    VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE,
    VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_SWIZZLED,
    VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_SWIZZLED | VIDMM_UMD_PRIMARY |
        VIDMM_UMD_ALTERNATE_VA,
    VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_PERMANENT_SYSMEM,
    VIDMM_UMD_LOCAL | VIDMM_UMD_OVERLAY,
    VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED,
};

/* A legal refusal of the manager is no failure of the driver. */
static bool fine(struct surfaces *surfaces, enum vidmm_status status) {
    switch (status) {
    case VIDMM_DRIVER_REFUSED:
    case VIDMM_DRIVER_BROKE_RULE:
    case VIDMM_GPU_LOST:
    case VIDMM_STOPPED:
        return check_good(surfaces->check, status);
    default:
        return true;
    }
}

static struct vidmm_umd_allocation locks_describe(uint32_t flags) {
    return (struct vidmm_umd_allocation){.magic = VIDMM_UMD_MAGIC,
                                         .flags = flags,
                                         .size = BYTES,
                                         .alignment =
                                             flags & VIDMM_UMD_OVERLAY ? 4 * CHECK_PAGE : 0,
                                         .pitch = flags & VIDMM_UMD_SWIZZLED ? 512 : 0};
}

static enum vidmm_stage_outcome make_devices(struct surfaces *surfaces) {
    struct vidmm_adapter *adapter = surfaces->check->harness.adapter;
    if (!check_good(surfaces->check, vidmm_device_create(adapter, &surfaces->device)) ||
        !check_good(surfaces->check, vidmm_device_create(adapter, &surfaces->other)))
        return VIDMM_STAGE_STOPPED;
    return check_plain_context(surfaces->check, surfaces->device, &surfaces->context);
}

/* The first of the pair is shared. */
static bool make_pair(struct surfaces *surfaces,
                      const struct vidmm_allocation_request requests[2]) {
    return check_good(surfaces->check,
                      vidmm_allocations_create(surfaces->device, requests, 2, surfaces->pair)) &&
           check_good(surfaces->check, vidmm_allocation_open(surfaces->other, surfaces->pair[0]));
}

/* A driver without overlays is asked for the same surface as any other. */
static uint32_t kind_of(const struct surfaces *surfaces, uint32_t number) {
    struct vidmm_adapter_info info;
    vidmm_adapter_info(surfaces->check->harness.adapter, &info);
    return info.caps.MaxOverlays != 0 ? kinds[number] : kinds[number] & ~VIDMM_UMD_OVERLAY;
}

static bool make_spoken(struct surfaces *surfaces) {
    for (uint32_t i = 0; i < KINDS; i++) {
        struct vidmm_umd_allocation data = locks_describe(kind_of(surfaces, i));
        const struct vidmm_allocation_request request = {.private_data = &data,
                                                         .private_size = sizeof(data),
                                                         .primary =
                                                             (kinds[i] & VIDMM_UMD_PRIMARY) != 0};
        if (!check_good(surfaces->check,
                        vidmm_allocation_create(surfaces->device, &request, &surfaces->one[i])))
            return false;
    }
    struct vidmm_umd_allocation data[2] = {locks_describe(VIDMM_UMD_LOCAL),
                                           locks_describe(VIDMM_UMD_LOCAL)};
    const struct vidmm_allocation_request requests[2] = {
        {.private_data = &data[0], .private_size = sizeof(data[0])},
        {.private_data = &data[1], .private_size = sizeof(data[1])}};
    return make_pair(surfaces, requests);
}

/* Systems create standard surfaces one by one: a pair is not required. */
static bool make_standard_pair(struct surfaces *surfaces,
                               const struct vidmm_allocation_request requests[2]) {
    if (vidmm_allocations_create(surfaces->device, requests, 2, surfaces->pair) == VIDMM_OK)
        return check_good(surfaces->check,
                          vidmm_allocation_open(surfaces->other, surfaces->pair[0]));
    surfaces->pair[0] = surfaces->pair[1] = NULL;
    return true;
}

/* The next standard surface; the pair is like the first. */
static bool make_standard(struct surfaces *surfaces, enum check_surface_kind kind) {
    struct check_surface surface;
    bool good = true;
    if (check_surface_open(surfaces->check, &surface, kind, WIDTH, BYTES / (WIDTH * 4))) {
        struct vidmm_allocation_request requests[2];
        requests[0] = requests[1] = check_surface_request(&surface, kind == CHECK_SURFACE_PRIMARY);
        good = check_good(surfaces->check, vidmm_allocation_create(surfaces->device, &requests[0],
                                                                   &surfaces->one[kind])) &&
               (surfaces->pair[0] || kind == CHECK_SURFACE_PRIMARY ||
                make_standard_pair(surfaces, requests));
    }
    check_surface_close(&surface);
    return good;
}

static bool locks_make(struct surfaces *surfaces, bool speaks) {
    if (speaks)
        return make_spoken(surfaces);
    for (uint32_t kind = 0; kind < CHECK_SURFACES; kind++)
        if (!make_standard(surfaces, kind))
            return false;
    return true;
}

/* A resource whose second allocation is invalid: the driver has to undo the first. */
static void ask_for_too_much(struct surfaces *surfaces) {
    struct vidmm_umd_allocation data[2] = {locks_describe(VIDMM_UMD_LOCAL),
                                           locks_describe(VIDMM_UMD_LOCAL)};
    const struct vidmm_allocation_request requests[2] = {
        {.private_data = &data[0], .private_size = sizeof(data[0])},
        {.private_data = &data[1], .private_size = sizeof(data[1])}};
    struct vidmm_allocation *made[2];
    data[1].size = 0;
    check_step(surfaces->check, "locks: a resource that cannot be");
    if (vidmm_allocations_create(surfaces->device, requests, 2, made) == VIDMM_OK) {
        vidmm_allocation_destroy(made[0]);
        vidmm_allocation_destroy(made[1]);
    }
}

static bool rest(struct surfaces *surfaces) {
    struct vidmm_adapter *adapter = surfaces->check->harness.adapter;
    if (!fine(surfaces, vidmm_wait_idle(adapter)) || !check_ask_fence(surfaces->check, 0, 0))
        return false;
    return !surfaces->resets || check_good(surfaces->check, check_reset(surfaces->check));
}

/* The GPU uses it. */
static bool locks_use(struct surfaces *surfaces, struct vidmm_allocation *allocation) {
    const struct vidmm_reference reference = {.allocation = allocation, .write = true};
    const struct vidmm_submission submission = {.references = &reference, .count = 1};
    uint64_t fence = 0;
    return fine(surfaces, vidmm_submit(surfaces->context, &submission, &fence)) && rest(surfaces);
}

/* The CPU writes it, and it is evicted while it is locked. */
static bool hold(struct surfaces *surfaces, struct vidmm_allocation *allocation, uint32_t flags) {
    void *cpu = NULL;
    enum vidmm_status status = vidmm_lock(allocation, flags, &cpu);
    if (status != VIDMM_OK)
        return fine(surfaces, status);
    if ((flags & VIDMM_LOCK_ACQUIRE_APERTURE) == 0) {
        struct vidmm_allocation_info info;
        vidmm_allocation_info(allocation, &info);
        vidmm_referee_judge_lock(surfaces->check->harness.referee, info.driver.hAllocation, cpu);
    }
    if ((flags & VIDMM_LOCK_READ_ONLY) == 0)
        memset(cpu, (int)flags + 1, BYTES);
    bool good = fine(surfaces, vidmm_allocation_evict(allocation, true));
    vidmm_unlock(allocation);
    return good && rest(surfaces);
}

static bool treat(struct surfaces *surfaces, struct vidmm_allocation *allocation) {
    static const uint32_t locks[] = {
        VIDMM_LOCK_READ_ONLY,
        0,
        VIDMM_LOCK_DISCARD | VIDMM_LOCK_WRITE_ONLY,
        VIDMM_LOCK_DONT_EVICT,
        VIDMM_LOCK_ACQUIRE_APERTURE,
        VIDMM_LOCK_ACQUIRE_APERTURE | VIDMM_LOCK_ALTERNATE_VA,
    };
    for (uint32_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++)
        if ((surfaces->alternates || (locks[i] & VIDMM_LOCK_ALTERNATE_VA) == 0) &&
            (!locks_use(surfaces, allocation) || !hold(surfaces, allocation, locks[i])))
            return false;
    return locks_use(surfaces, allocation) &&
           fine(surfaces, vidmm_allocation_pin(allocation, true)) && rest(surfaces) &&
           fine(surfaces, vidmm_allocation_pin(allocation, false)) &&
           fine(surfaces, vidmm_allocation_evict(allocation, false)) && rest(surfaces);
}

static bool treat_all(struct surfaces *surfaces) {
    bool good = true;
    for (uint32_t i = 0; good && i < KINDS; i++) {
        if (!surfaces->one[i])
            continue;
        check_step(surfaces->check, "locks: surface %u%s", i + 1,
                   surfaces->resets ? " with resets" : "");
        good = treat(surfaces, surfaces->one[i]);
    }
    if (!surfaces->pair[0])
        return good;
    return good && locks_use(surfaces, surfaces->pair[0]) && locks_use(surfaces, surfaces->pair[1]);
}

static bool has_surfaces(const struct surfaces *surfaces) {
    for (uint32_t i = 0; i < KINDS; i++)
        if (surfaces->one[i])
            return true;
    return false;
}

/* The driver says so of a primary (ns-d3dkmddi-_dxgk_allocationinfoflags). */
static bool have_alternates(const struct surfaces *surfaces) {
    bool any = false;
    for (uint32_t i = 0; i < KINDS; i++)
        any = any || (surfaces->one[i] &&
                      check_has_alternate(surfaces->check->harness.adapter, surfaces->one[i]));
    return any;
}

/* The shared one outlives the device that created it. */
static void take_down(struct surfaces *surfaces) {
    check_step(surfaces->check, "locks: down");
    for (uint32_t i = 0; i < KINDS; i++)
        if (surfaces->one[i])
            vidmm_allocation_destroy(surfaces->one[i]);
    vidmm_context_destroy(surfaces->context);
    vidmm_device_destroy(surfaces->device);
    vidmm_device_destroy(surfaces->other);
}

enum vidmm_stage_outcome stage_locks(struct check *check, uint32_t number) {
    const struct check_setup setup = {.settings = {{"VramBytes", (uint64_t)1 << 20}}};
    struct surfaces surfaces = {.check = check, .resets = number == 1};
    check_step(check, "locks: start");
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    bool speaks = check_speaks(check);
    enum vidmm_stage_outcome made = make_devices(&surfaces);
    if (made != VIDMM_STAGE_DONE)
        return made;
    if (!locks_make(&surfaces, speaks))
        return VIDMM_STAGE_STOPPED;
    if (!has_surfaces(&surfaces))
        return check_say(check, VIDMM_STAGE_SKIPPED, CHECK_NO_SURFACES);
    surfaces.alternates = have_alternates(&surfaces);
    if (speaks)
        ask_for_too_much(&surfaces);
    if (!treat_all(&surfaces))
        return VIDMM_STAGE_STOPPED;
    take_down(&surfaces);
    return VIDMM_STAGE_DONE;
}
