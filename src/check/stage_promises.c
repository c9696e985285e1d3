/*
 * stage_promises.c - one surface at a time through the manager, to test the promises of its flags:
 * another segment when the preferred one is too small, locks of the system copy, a lock that keeps
 * a surface in place, bytes in the order in which they were written, surfaces in a protected range, no leak
 * after many surfaces.
 * Only for drivers that know vidmm/umd.h.
 */
#include "spoken.h"

#include <string.h>

#define PAGES  16u
#define CYCLES 16u

struct promises {
    struct spoken spoken;
    struct check *check;
    struct vidmm_ledger *ledger;
    struct vidmm_allocation *surface; /* of the current step */
};

/* ---- Surfaces -------------------------------------------------------------------------------- */

static bool promises_make(struct promises *promises, uint32_t flags, uint64_t pages) {
    promises->surface = NULL;
    return check_good(promises->check,
                      spoken_create(promises->spoken.device, flags, pages, &promises->surface));
}

static void promises_drop(struct promises *promises) {
    vidmm_allocation_destroy(promises->surface);
}

/* Bit id - 1 for each aperture segment. */
static uint32_t apertures(const struct promises *promises) {
    struct vidmm_segment_info segment;
    uint32_t set = 0;
    for (uint32_t id = 1; vidmm_segment_info(promises->check->harness.adapter, id, &segment); id++)
        set |= segment.aperture ? 1u << (id - 1) : 0;
    return set;
}

/* A driver need not honour flags of vidmm/umd.h: what it answered for the surface is what holds. */
static bool promised(const struct promises *promises, uint32_t flags) {
    struct vidmm_allocation_info info;
    DXGK_ALLOCATIONINFO answer;
    vidmm_allocation_info(promises->surface, &info);
    if (!vidmm_referee_answer(promises->check->harness.referee, info.driver.hAllocation, &answer))
        return false;
    bool remote = (answer.SupportedWriteSegmentSet & apertures(promises)) != 0;
    return (!(flags & VIDMM_UMD_CPU_VISIBLE) || answer.Flags.CpuVisible) &&
           (!(flags & VIDMM_UMD_PERMANENT_SYSMEM) || answer.Flags.PermanentSysMem) &&
           (!(flags & VIDMM_UMD_LOCAL) || remote) && (!(flags & VIDMM_UMD_LOCAL_ONLY) || !remote);
}

static bool promises_leave(struct promises *promises) {
    promises_drop(promises);
    return true;
}

static enum vidmm_status promises_use(struct promises *promises) {
    const struct vidmm_reference reference = {.allocation = promises->surface};
    const struct vidmm_submission submission = {.references = &reference, .count = 1};
    uint64_t fence = 0;
    enum vidmm_status status = vidmm_submit(promises->spoken.context, &submission, &fence);
    return status == VIDMM_OK ? vidmm_wait_idle(promises->check->harness.adapter) : status;
}

static bool in_memory(const struct promises *promises) {
    struct vidmm_allocation_info info;
    struct vidmm_segment_info segment;
    vidmm_allocation_info(promises->surface, &info);
    return vidmm_segment_info(promises->check->harness.adapter, info.segment, &segment) &&
           !segment.aperture;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static unsigned char letter(uint32_t page, uint32_t byte) {
    return (unsigned char)(page * 7 + byte / 8 + byte % 8 * 31 + 1);
}

static void write_all(unsigned char *bytes) {
    for (uint32_t i = 0; i < PAGES * CHECK_PAGE; i++)
        bytes[i] = letter(i / CHECK_PAGE, i % CHECK_PAGE);
}

/* The surface's system pages have what write_all wrote. */
static bool pages_have_it(const struct promises *promises) {
    PMDL mdl = vidmm_allocation_backing(promises->surface);
    for (uint32_t page = 0; mdl && page < PAGES; page++) {
        const unsigned char *bytes =
            vidmm_host_memory(promises->check->harness.host,
                              MmGetMdlPfnArray(mdl)[page] * (uint64_t)CHECK_PAGE, CHECK_PAGE);
        for (uint32_t i = 0; i < CHECK_PAGE; i++)
            if (bytes[i] != letter(page, i))
                return false;
    }
    return mdl;
}

/* ---- Promises -------------------------------------------------------------------------------- */

/* So many bytes have room in each, whichever of them the driver supports, and may be mapped. */
static bool has_aperture(const struct promises *promises, uint64_t bytes) {
    struct vidmm_segment_info segment;
    struct vidmm_adapter_info adapter;
    vidmm_adapter_info(promises->check->harness.adapter, &adapter);
    if (adapter.shared_limit < bytes)
        return false;
    for (uint32_t id = 1; vidmm_segment_info(promises->check->harness.adapter, id, &segment); id++)
        if (segment.aperture &&
            (segment.size < segment.used + bytes || segment.commit_limit < segment.used + bytes))
            return false;
    return apertures(promises) != 0;
}

/* R98: too large for the preferred segment; an aperture is supported, if there is one. */
static bool too_large(struct promises *promises) {
    const uint32_t pages = (uint32_t)(SPOKEN_VRAM / CHECK_PAGE) + PAGES;
    check_step(promises->check, "promises: a surface larger than the segment that it prefers");
    if (!has_aperture(promises, (uint64_t)pages * CHECK_PAGE))
        return true;
    if (!promises_make(promises, VIDMM_UMD_LOCAL, pages))
        return false;
    if (!promised(promises, VIDMM_UMD_LOCAL))
        return promises_leave(promises);
    enum vidmm_status status = promises_use(promises);
    bool placed = status != VIDMM_DOES_NOT_FIT;
    check_judge(promises->check, 98, VIDMM_SIDE_MANAGER, placed,
                "another segment of the supported set",
                "a surface larger than its preferred segment found no place");
    promises_drop(promises);
    return !placed || check_good(promises->check, status);
}

static uint64_t transfers(const struct promises *promises) {
    struct vidmm_stats stats;
    vidmm_stats(promises->check->harness.adapter, &stats);
    return stats.ops[VIDMM_OP_TRANSFER] + stats.ops[VIDMM_OP_VIRTUAL_TRANSFER];
}

/* R108: the CPU has the system copy, and the GPU gets it with the unlock. */
static bool permanent(struct promises *promises) {
    const uint32_t lasting = VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_PERMANENT_SYSMEM;
    void *cpu = NULL;
    check_step(promises->check, "promises: a lock of a PermanentSysMem surface");
    if (!promises_make(promises, VIDMM_UMD_LOCAL | lasting, PAGES))
        return false;
    if (!promised(promises, lasting))
        return promises_leave(promises);
    if (!check_good(promises->check, promises_use(promises)) ||
        !check_good(promises->check, vidmm_lock(promises->surface, 0, &cpu)))
        return false;
    write_all(cpu);
    bool system = pages_have_it(promises), resident = in_memory(promises);
    uint64_t before = transfers(promises);
    vidmm_unlock(promises->surface);
    bool updated = transfers(promises) > before || !resident || !in_memory(promises);
    check_judge(promises->check, 108, VIDMM_SIDE_MANAGER, system && updated,
                "the system copy for the CPU, and a TRANSFER to the segment afterwards", "%s",
                system ? "the unlock did not update the segment"
                       : "the lock leads to other bytes than the system copy's");
    promises_drop(promises);
    return true;
}

/* R135: while the CPU has a pointer to it, no other check reads it. */
static bool held(struct promises *promises) {
    void *cpu = NULL;
    const uint32_t flags = VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE;
    check_step(promises->check, "promises: a lock before residency");
    if (!promises_make(promises, flags, PAGES))
        return false;
    if (!promised(promises, flags))
        return promises_leave(promises);
    if (!check_good(promises->check, vidmm_lock(promises->surface, 0, &cpu)))
        return false;
    write_all(cpu);
    (void)promises_use(promises);
    bool kept = !in_memory(promises);
    if (promises->check->shared->told.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        check_judge(promises->check, 135, VIDMM_SIDE_MANAGER, kept,
                    "a locked surface that supports no aperture left in system memory",
                    "it was committed to a memory segment while it was locked");
    vidmm_unlock(promises->surface);
    bool good = check_good(promises->check, promises_use(promises));
    promises_drop(promises);
    return good;
}

/* R202: mapping it into the aperture leaves the bytes in the CPU's order. */
static bool in_order(struct promises *promises) {
    void *cpu = NULL;
    check_step(promises->check, "promises: a surface in the aperture");
    if (!promises_make(promises, VIDMM_UMD_CPU_VISIBLE, PAGES))
        return false;
    if (!promised(promises, VIDMM_UMD_CPU_VISIBLE))
        return promises_leave(promises);
    if (!check_good(promises->check, vidmm_lock(promises->surface, 0, &cpu)))
        return false;
    write_all(cpu);
    vidmm_unlock(promises->surface);
    if (!check_good(promises->check, promises_use(promises)))
        return false;
    bool mapped = pages_have_it(promises);
    if (!check_good(promises->check, vidmm_allocation_evict(promises->surface, true)))
        return false;
    bool kept = mapped && pages_have_it(promises);
    check_judge(promises->check, 202, VIDMM_SIDE_DRIVER, kept,
                "the system pages as the CPU wrote them", "they have other bytes %s",
                mapped ? "after the unmapping" : "while mapped");
    promises_drop(promises);
    return true;
}

/* Creates, uses and destroys one surface. */
static bool live(struct promises *promises) {
    if (!promises_make(promises, VIDMM_UMD_LOCAL, PAGES) ||
        !check_good(promises->check, promises_use(promises)))
        return false;
    promises_drop(promises);
    return true;
}

/* A video protected range that a surface of `pages` fits in. */
static bool has_protected(const struct promises *promises, uint64_t pages) {
    struct vidmm_segment_info segment;
    for (uint32_t id = 1; vidmm_segment_info(promises->check->harness.adapter, id, &segment); id++)
        if (segment.vpr_size >= 2 * segment.vpr_reserve + pages * CHECK_PAGE)
            return true;
    return false;
}

/* R430 and what else is asked of a place: surfaces of a protected range that may be elsewhere meanwhile, and those
 * that may not. */
static bool in_protected(struct promises *promises) {
    static const uint32_t where[] = {VIDMM_UMD_LOCAL, VIDMM_UMD_LOCAL_ONLY};
    if (!has_protected(promises, PAGES))
        return true;
    for (uint32_t i = 0; i < sizeof(where) / sizeof(where[0]); i++) {
        check_step(promises->check, "promises: a surface in the protected range, %s",
                   i == 0 ? "or in an aperture" : "or nowhere");
        if (!promises_make(promises, where[i] | VIDMM_UMD_IN_VPR, PAGES) ||
            !check_good(promises->check, promises_use(promises)) ||
            !check_good(promises->check, vidmm_allocation_evict(promises->surface, true)))
            return false;
        promises_drop(promises);
    }
    return true;
}

/* R142: the first surfaces may fill a cache of the driver; later ones must be served from it. */
static bool come_and_go(struct promises *promises) {
    bool good = true;
    check_step(promises->check, "promises: surfaces that come and go");
    for (uint32_t i = 0; good && i < CYCLES; i++)
        good = live(promises);
    uint64_t before = vidmm_host_pool_blocks(promises->check->harness.host);
    for (uint32_t i = 0; good && i < CYCLES; i++)
        good = live(promises);
    uint64_t after = vidmm_host_pool_blocks(promises->check->harness.host);
    bool kept = after < before + CYCLES;
    if (good)
        check_judge(promises->check, 142, VIDMM_SIDE_DRIVER, kept,
                    "no pool memory held for surfaces that are destroyed",
                    "%llu surfaces that came and went left %llu pool blocks behind",
                    (unsigned long long)CYCLES, (unsigned long long)(after - before));
    return good;
}

enum vidmm_stage_outcome stage_promises(struct check *check, uint32_t number) {
    struct promises promises = {.check = check, .ledger = &check->shared->ledger};
    enum vidmm_stage_outcome outcome = spoken_open(&promises.spoken, check, "promises", 0);
    (void)number;
    if (outcome != VIDMM_STAGE_DONE)
        return outcome;
    bool good = too_large(&promises) && permanent(&promises) && held(&promises) &&
                in_order(&promises) && in_protected(&promises) && come_and_go(&promises);
    return good ? VIDMM_STAGE_DONE : VIDMM_STAGE_STOPPED;
}
