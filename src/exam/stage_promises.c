/*
 * stage_promises.c - one surface at a time through the manager, and what its flags promise to the
 * application: a place when the preferred segment is too small, locks that lead to the system copy,
 * a lock that keeps a surface where the CPU found it, bytes in the order in which they were
 * written, and nothing left behind by those that come and go. Only where the driver speaks
 * vidmm/umd.h.
 */
#include "exam.h"

#include <string.h>

#include <vidmm/umd.h>

#define VRAM   ((uint64_t)1 << 20)
#define PAGES  16u
#define CYCLES 16u

struct promises {
    struct exam *exam;
    struct vidmm_ledger *ledger;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct vidmm_allocation *surface; /* of the step under way */
};

/* ---- Surfaces -------------------------------------------------------------------------------- */

static bool make(struct promises *promises, uint32_t flags, uint64_t pages) {
    struct vidmm_umd_allocation data = {
        .magic = VIDMM_UMD_MAGIC, .flags = flags, .size = pages * EXAM_PAGE};
    const struct vidmm_allocation_request request = {.private_data = &data,
                                                     .private_size = sizeof(data)};
    promises->surface = NULL;
    return exam_good(promises->exam,
                     vidmm_allocation_create(promises->device, &request, &promises->surface));
}

static void drop(struct promises *promises) {
    vidmm_allocation_destroy(promises->surface);
}

static enum vidmm_status use(struct promises *promises) {
    const struct vidmm_reference reference = {.allocation = promises->surface};
    const struct vidmm_submission submission = {.references = &reference, .count = 1};
    uint64_t fence = 0;
    enum vidmm_status status = vidmm_submit(promises->context, &submission, &fence);
    return status == VIDMM_OK ? vidmm_wait_idle(promises->exam->lab.adapter) : status;
}

static bool in_memory(const struct promises *promises) {
    struct vidmm_allocation_info info;
    struct vidmm_segment_info segment;
    vidmm_allocation_info(promises->surface, &info);
    return vidmm_segment_info(promises->exam->lab.adapter, info.segment, &segment) &&
           !segment.aperture;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static unsigned char letter(uint32_t page, uint32_t byte) {
    return (unsigned char)(page * 7 + byte / 8 + byte % 8 * 31 + 1);
}

static void write_all(unsigned char *bytes) {
    for (uint32_t i = 0; i < PAGES * EXAM_PAGE; i++)
        bytes[i] = letter(i / EXAM_PAGE, i % EXAM_PAGE);
}

/* The surface's system pages have what write_all wrote. */
static bool pages_have_it(const struct promises *promises) {
    PMDL mdl = vidmm_allocation_backing(promises->surface);
    for (uint32_t page = 0; mdl != NULL && page < PAGES; page++) {
        const unsigned char *bytes = vidmm_host_memory(
            promises->exam->lab.host, MmGetMdlPfnArray(mdl)[page] * (uint64_t)EXAM_PAGE, EXAM_PAGE);
        for (uint32_t i = 0; i < EXAM_PAGE; i++)
            if (bytes[i] != letter(page, i))
                return false;
    }
    return mdl != NULL;
}

/* ---- Promises -------------------------------------------------------------------------------- */

/* R98: too large for the memory that it prefers, at home in the aperture as well. */
static bool too_large(struct promises *promises) {
    exam_step(promises->exam, "promises: a surface larger than the segment that it prefers");
    if (!make(promises, VIDMM_UMD_LOCAL, VRAM / EXAM_PAGE + PAGES))
        return false;
    enum vidmm_status status = use(promises);
    bool placed = status != VIDMM_DOES_NOT_FIT;
    if (placed || !exam_explained(promises->exam))
        vidmm_ledger_judge(promises->ledger, 98, VIDMM_SIDE_MANAGER, placed,
                           "another segment of the supported set",
                           "a surface larger than its preferred segment found no place");
    drop(promises);
    return !placed || exam_good(promises->exam, status);
}

static uint64_t transfers(const struct promises *promises) {
    struct vidmm_stats stats;
    vidmm_stats(promises->exam->lab.adapter, &stats);
    return stats.ops[VIDMM_OP_TRANSFER] + stats.ops[VIDMM_OP_VIRTUAL_TRANSFER];
}

/* R108: the CPU has the system copy, and the GPU gets it with the unlock. */
static bool permanent(struct promises *promises) {
    void *cpu = NULL;
    exam_step(promises->exam, "promises: a lock of a PermanentSysMem surface");
    if (!make(promises, VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_PERMANENT_SYSMEM,
              PAGES) ||
        !exam_good(promises->exam, use(promises)) ||
        !exam_good(promises->exam, vidmm_lock(promises->surface, 0, &cpu)))
        return false;
    write_all(cpu);
    bool system = pages_have_it(promises), resident = in_memory(promises);
    uint64_t before = transfers(promises);
    vidmm_unlock(promises->surface);
    bool updated = transfers(promises) > before || !resident || !in_memory(promises);
    if ((system && updated) || !exam_explained(promises->exam))
        vidmm_ledger_judge(promises->ledger, 108, VIDMM_SIDE_MANAGER, system && updated,
                           "the system copy for the CPU, and a TRANSFER to the segment afterwards",
                           "%s",
                           system ? "the unlock did not update the segment"
                                  : "the lock leads to other bytes than the system copy's");
    drop(promises);
    return true;
}

/* R135: where the CPU has a pointer to it, nobody else looks. */
static bool held(struct promises *promises) {
    void *cpu = NULL;
    exam_step(promises->exam, "promises: a lock before residency");
    if (!make(promises, VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE, PAGES) ||
        !exam_good(promises->exam, vidmm_lock(promises->surface, 0, &cpu)))
        return false;
    write_all(cpu);
    (void)use(promises);
    bool kept = !in_memory(promises);
    if (promises->exam->shared->version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0 &&
        (kept || !exam_explained(promises->exam)))
        vidmm_ledger_judge(promises->ledger, 135, VIDMM_SIDE_MANAGER, kept,
                           "a locked surface that supports no aperture left in system memory",
                           "it was committed to a memory segment while it was locked");
    vidmm_unlock(promises->surface);
    bool good = exam_good(promises->exam, use(promises));
    drop(promises);
    return good;
}

/* R202: mapping it into the aperture leaves the bytes in the CPU's order. */
static bool in_order(struct promises *promises) {
    void *cpu = NULL;
    exam_step(promises->exam, "promises: a surface in the aperture");
    if (!make(promises, VIDMM_UMD_CPU_VISIBLE, PAGES) ||
        !exam_good(promises->exam, vidmm_lock(promises->surface, 0, &cpu)))
        return false;
    write_all(cpu);
    vidmm_unlock(promises->surface);
    if (!exam_good(promises->exam, use(promises)))
        return false;
    bool mapped = pages_have_it(promises);
    if (!exam_good(promises->exam, vidmm_allocation_evict(promises->surface, true)))
        return false;
    bool kept = mapped && pages_have_it(promises);
    if (kept || !exam_explained(promises->exam))
        vidmm_ledger_judge(promises->ledger, 202, VIDMM_SIDE_DRIVER, kept,
                           "the system pages as the CPU wrote them", "they have other bytes %s",
                           mapped ? "after the unmapping" : "while mapped");
    drop(promises);
    return true;
}

/* One surface through a whole life. */
static bool live(struct promises *promises) {
    if (!make(promises, VIDMM_UMD_LOCAL, PAGES) || !exam_good(promises->exam, use(promises)))
        return false;
    drop(promises);
    return true;
}

/* R142: the first ones may have filled a cache; those after them have to live off it. */
static bool come_and_go(struct promises *promises) {
    bool good = true;
    exam_step(promises->exam, "promises: surfaces that come and go");
    for (uint32_t i = 0; good && i < CYCLES; i++)
        good = live(promises);
    uint64_t before = vidmm_host_pool_blocks(promises->exam->lab.host);
    for (uint32_t i = 0; good && i < CYCLES; i++)
        good = live(promises);
    uint64_t after = vidmm_host_pool_blocks(promises->exam->lab.host);
    bool kept = after < before + CYCLES;
    if (good && (kept || !exam_explained(promises->exam)))
        vidmm_ledger_judge(promises->ledger, 142, VIDMM_SIDE_DRIVER, kept,
                           "no pool memory held for surfaces that are destroyed",
                           "%llu surfaces that came and went left %llu pool blocks behind",
                           (unsigned long long)CYCLES, (unsigned long long)(after - before));
    return good;
}

static bool open_all(struct promises *promises) {
    return exam_good(promises->exam,
                     vidmm_device_create(promises->exam->lab.adapter, &promises->device)) &&
           exam_good(promises->exam, vidmm_context_create(promises->device, 0, &promises->context));
}

enum vidmm_stage_outcome stage_promises(struct exam *exam, uint32_t number) {
    const struct exam_world world = {.settings = {{"VramBytes", VRAM}}};
    struct promises promises = {.exam = exam, .ledger = &exam->shared->ledger};
    (void)number;
    exam_step(exam, "promises: start");
    if (!exam_open(exam, &world) || !exam_manage(exam, &world))
        return VIDMM_STAGE_STOPPED;
    if (!exam_speaks(exam))
        return exam_say(exam, VIDMM_STAGE_SKIPPED,
                        "the driver does not speak vidmm/umd.h, so nobody can name its surfaces");
    bool good = open_all(&promises) && too_large(&promises) && permanent(&promises) &&
                held(&promises) && in_order(&promises) && come_and_go(&promises);
    return good ? VIDMM_STAGE_DONE : VIDMM_STAGE_STOPPED;
}
