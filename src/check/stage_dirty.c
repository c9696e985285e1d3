/*
 * stage_dirty.c - memory bases without a manager, in each segment that the driver tracks: fills
 * write pages between queries of every kind, with adjacent and overlapping bases. The referee
 * judges the bits (src/referee/operation/dirty_bits.c).
 */
#include "raw.h"

#include <string.h>

#define UNITS      16u   /* that the stage uses */
#define FAR_UNITS  4400u /* the same where there are so many */
#define LARGE_PAGE 65536u
#define BITS_MOST  (FAR_UNITS * (LARGE_PAGE / CHECK_PAGE))

/* Ranges in units from the start of the segment. */
struct basis {
    HANDLE handle;
    uint32_t count;
    struct {
        uint32_t first, pages;
    } range[3];
};

struct dirty {
    struct raw_submitter raw;
    uint32_t unit; /* bytes: a page of dirty bits, or of the segment where that is larger (R316) */
    uint32_t bits_each; /* of a unit */
    bool refused;
    uint8_t bits[BITS_MOST / 8 + 64];
};

/* ---- Calls ----------------------------------------------------------------------------------- */

static void dirty_note(struct dirty *dirty, bool good) {
    dirty->refused = dirty->refused || !good;
}

static void dirty_basis_create(struct dirty *dirty, struct basis *basis) {
    unsigned char block[sizeof(DXGKARG_CREATEMEMORYBASIS) + 2 * sizeof(DXGK_MEMORYRANGE)];
    DXGKARG_CREATEMEMORYBASIS *args = (void *)block;
    memset(block, 0, sizeof(block));
    args->SegmentId = dirty->raw.memory.id;
    args->RangeCount = basis->count;
    for (uint32_t i = 0; i < basis->count; i++) {
        args->Ranges[i].SegmentOffset = (UINT64)basis->range[i].first * dirty->unit;
        args->Ranges[i].SizeInBytes = (UINT64)basis->range[i].pages * dirty->unit;
    }
    basis->handle = dirty->raw.ddi->DxgkDdiCreateMemoryBasis(dirty->raw.adapter, args);
    dirty_note(dirty, basis->handle);
}

static void dirty_start(struct dirty *dirty, const struct basis *basis) {
    if (basis->handle)
        dirty_note(dirty, dirty->raw.ddi->DxgkDdiStartDirtyTracking(
                              dirty->raw.adapter, basis->handle) == STATUS_SUCCESS);
}

static void dirty_stop(struct dirty *dirty, const struct basis *basis) {
    if (basis->handle)
        dirty_note(dirty, dirty->raw.ddi->DxgkDdiStopDirtyTracking(
                              dirty->raw.adapter, basis->handle) == STATUS_SUCCESS);
}

static void dirty_basis_destroy(struct dirty *dirty, struct basis *basis) {
    if (basis->handle)
        (void)dirty->raw.ddi->DxgkDdiDestroyMemoryBasis(dirty->raw.adapter, basis->handle);
    basis->handle = NULL;
}

/* A query; `pages` 0: of all. the buffer is `room` bytes larger than it must be. */
struct question {
    uint32_t index, first, pages;
    bool clear;
    uint32_t room;
};

static void dirty_ask(struct dirty *dirty, const struct basis *basis, struct question question) {
    uint32_t pages = question.pages;
    DXGKARG_QUERYDIRTYBITDATA args = {.MemoryBasis = basis->handle,
                                      .SubrangeIndex = question.index,
                                      .SubrangeOffset = (UINT64)question.first * dirty->unit,
                                      .SubrangeSize = (UINT64)question.pages * dirty->unit,
                                      .Buffer = dirty->bits,
                                      .Flags = question.clear};
    for (uint32_t i = 0; question.pages == 0 && i < basis->count; i++)
        pages += basis->range[i].pages;
    args.BufferSize = (pages * dirty->bits_each + 7) / 8 + question.room;
    if (basis->handle)
        dirty_note(dirty, dirty->raw.ddi->DxgkDdiQueryDirtyBitData(dirty->raw.adapter, &args) ==
                              STATUS_SUCCESS);
}

static void dirty_look(struct dirty *dirty, const struct basis *basis) {
    dirty_ask(dirty, basis, (struct question){.room = 0});
}

static void dirty_clear(struct dirty *dirty, const struct basis *basis) {
    dirty_ask(dirty, basis, (struct question){.clear = true, .room = 32});
}

/* The GPU writes the last bytes of a unit; waits. */
static bool dirty_fill(struct dirty *dirty, uint32_t unit) {
    uint32_t pages = dirty->unit / CHECK_PAGE;
    return raw_fill(&dirty->raw, unit * pages + pages - 1, 1, 0x20202020u + unit);
}

static void dirty_write(struct dirty *dirty, uint32_t unit) {
    dirty_note(dirty, dirty_fill(dirty, unit) && raw_flush(&dirty->raw));
}

/* ---- Scenes ---------------------------------------------------------------------------------- */

/* In any order, with a hole; seven bits. */
static void play_one(struct dirty *dirty, struct basis *basis) {
    check_step(dirty->raw.check, "dirty: one basis");
    dirty_basis_create(dirty, basis);
    dirty_start(dirty, basis);
    dirty_look(dirty, basis);
    dirty_write(dirty, 5);
    dirty_write(dirty, 1);
    dirty_write(dirty, 2);
    dirty_look(dirty, basis);
    dirty_look(dirty, basis);
    dirty_ask(dirty, basis, (struct question){.index = 0, .first = 0, .pages = 2, .clear = true});
    dirty_look(dirty, basis);
    dirty_write(dirty, 4);
    dirty_ask(dirty, basis, (struct question){.index = 0, .first = 0, .pages = 4, .room = 7});
    dirty_clear(dirty, basis);
    dirty_write(dirty, 1);
    dirty_look(dirty, basis);
}

/* The driver answers before the GPU has written, while it does, or after. */
static void play_busy(struct dirty *dirty, const struct basis *basis) {
    check_step(dirty->raw.check, "dirty: a query while the GPU writes");
    for (uint32_t unit = 4; unit < 8; unit++) {
        dirty_note(dirty, dirty_fill(dirty, unit) && raw_submit(&dirty->raw));
        dirty_clear(dirty, basis);
        dirty_note(dirty, raw_flush(&dirty->raw));
        dirty_clear(dirty, basis);
    }
}

static void play_beside(struct dirty *dirty, const struct basis *basis) {
    struct basis other = {.count = 1, .range = {{8, 4}}};
    check_step(dirty->raw.check, "dirty: another basis beside it");
    dirty_basis_create(dirty, &other);
    dirty_start(dirty, &other);
    dirty_write(dirty, 9);
    dirty_write(dirty, 1);
    dirty_clear(dirty, basis);
    dirty_write(dirty, 2);
    dirty_look(dirty, &other);
    dirty_clear(dirty, &other);
    dirty_look(dirty, basis);
    dirty_stop(dirty, &other);
    dirty_basis_destroy(dirty, &other);
}

static void play_over(struct dirty *dirty, const struct basis *basis) {
    struct basis other = {.count = 1, .range = {{0, UNITS}}};
    check_step(dirty->raw.check, "dirty: another basis over it");
    dirty_basis_create(dirty, &other);
    dirty_start(dirty, &other);
    dirty_write(dirty, 6);
    dirty_look(dirty, basis);
    dirty_look(dirty, &other);
    dirty_stop(dirty, &other);
    dirty_basis_destroy(dirty, &other);
    dirty_look(dirty, basis);
    dirty_write(dirty, 4);
    dirty_look(dirty, basis);
}

static void play_again(struct dirty *dirty, struct basis *basis) {
    check_step(dirty->raw.check, "dirty: started again");
    dirty_write(dirty, 5);
    dirty_stop(dirty, basis);
    dirty_start(dirty, basis);
    dirty_look(dirty, basis);
    dirty_stop(dirty, basis);
    dirty_basis_destroy(dirty, basis);
}

/* Ranges that begin and end anywhere in the words of a driver's bits, one of them thousands of
 * pages long; parts of them. */
static void play_far(struct dirty *dirty) {
    static const uint32_t written[] = {61,  63,  64,  65,   100,  127,  128, 191,
                                       249, 260, 261, 4095, 4096, 4097, 4399};
    struct basis basis = {.count = 3, .range = {{61, 5}, {100, 150}, {260, 4140}}};
    check_step(dirty->raw.check, "dirty: long ranges");
    dirty_basis_create(dirty, &basis);
    dirty_start(dirty, &basis);
    for (uint32_t i = 0; i < sizeof(written) / sizeof(written[0]); i++)
        dirty_write(dirty, written[i]);
    dirty_look(dirty, &basis);
    dirty_ask(dirty, &basis, (struct question){.index = 1, .first = 26, .pages = 3});
    dirty_ask(dirty, &basis, (struct question){.index = 1, .pages = 100, .clear = true});
    dirty_ask(dirty, &basis,
              (struct question){.index = 2, .first = 3830, .pages = 200, .clear = true});
    dirty_look(dirty, &basis);
    dirty_write(dirty, 4096);
    dirty_clear(dirty, &basis);
    dirty_write(dirty, 64);
    dirty_look(dirty, &basis);
    dirty_stop(dirty, &basis);
    dirty_basis_destroy(dirty, &basis);
}

static void dirty_play(struct dirty *dirty) {
    struct basis basis = {.count = 2, .range = {{4, 4}, {0, 3}}};
    play_one(dirty, &basis);
    play_busy(dirty, &basis);
    play_beside(dirty, &basis);
    play_over(dirty, &basis);
    play_again(dirty, &basis);
    if (dirty->raw.memory.size / dirty->unit >= FAR_UNITS)
        play_far(dirty);
}

/* ---- Which memory ---------------------------------------------------------------------------- */

static bool query(const struct raw_submitter *raw, DXGK_QUERYADAPTERINFOTYPE type, UINT *segment,
                  UINT32 *value) {
    const DXGKARG_QUERYADAPTERINFO args = {.Type = type,
                                           .pInputData = segment,
                                           .InputDataSize = segment ? sizeof(*segment) : 0,
                                           .pOutputData = value,
                                           .OutputDataSize = sizeof(*value)};
    return raw->ddi->DxgkDdiQueryAdapterInfo(raw->adapter, &args) == STATUS_SUCCESS;
}

static bool tracks(struct dirty *dirty) {
    const struct raw_submitter *raw = &dirty->raw;
    DXGK_DIRTY_BIT_TRACKING_CAPS caps = {.Value = 0};
    UINT id = raw->memory.id;
    return raw->info.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM3_2 &&
           query(raw, DXGKQAITYPE_DIRTYBITTRACKINGCAPS, NULL, &caps.Value) &&
           caps.DirtyBitTrackingSupported &&
           query(raw, DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS, &id, &dirty->unit) &&
           dirty->unit >= CHECK_PAGE && raw->ddi->DxgkDdiCreateMemoryBasis;
}

static void choose_unit(struct dirty *dirty) {
    uint32_t page = dirty->unit;
    const DXGK_SEGMENTFLAGS flags = {.Value = dirty->raw.memory.flags};
    if (flags.Use64KBPages && page < LARGE_PAGE)
        dirty->unit = LARGE_PAGE;
    dirty->bits_each = dirty->unit / page;
}

static enum vidmm_stage_outcome skip(struct dirty *dirty, const char *why) {
    (void)raw_close(&dirty->raw);
    return check_say(dirty->raw.check, VIDMM_STAGE_SKIPPED, "%s", why);
}

enum vidmm_stage_outcome stage_dirty(struct check *check, uint32_t number) {
    const struct check_setup setup = {.settings = {{"DirtyPageBytes", CHECK_PAGE}}};
    struct dirty dirty = {.refused = false};
    (void)number;
    check_step(check, "dirty: start");
    if (check->options->linked > 1)
        return check_say(check, VIDMM_STAGE_SKIPPED, "dirty bits are for an adapter without links");
    if (!check_open(check, &setup))
        return VIDMM_STAGE_STOPPED;
    enum vidmm_stage_outcome outcome = raw_open_writing(&dirty.raw, check, 0);
    if (outcome != VIDMM_STAGE_DONE)
        return outcome;
    if (!tracks(&dirty))
        return skip(&dirty, "the driver reports no dirty-bit tracking");
    choose_unit(&dirty);
    if (dirty.raw.memory.size / dirty.unit < UNITS)
        return skip(&dirty, "the memory segment has no 16 dirty pages");
    dirty_play(&dirty);
    outcome = raw_close(&dirty.raw);
    if (outcome == VIDMM_STAGE_DONE && dirty.refused)
        return check_say(check, VIDMM_STAGE_STOPPED, "the driver refused a call of its tracking");
    return outcome;
}
