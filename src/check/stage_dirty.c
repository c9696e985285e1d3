/*
 * stage_dirty.c - memory bases without a manager, in each segment that the driver tracks: fills
 * write pages between queries of every kind, with adjacent and overlapping bases. With GPU virtual
 * addresses whole segments, too, where updates write page tables. The referee judges the bits
 * (src/referee/operation/dirty_bits.c).
 */
#include "dirty_memory.h"
#include "dirty_moments.h"
#include "power_cycle.h"

#include <string.h>

#define LARGE_PAGE 65536u
#define BITS_MOST  (1u << 20) /* of one answer */

#define RANGES 4u /* of a basis */

#define UNANSWERED 0xff /* in buffers before they are answered: a bit that nobody writes is set */

/* Ranges in units from the origin of the memory. */
struct basis {
    HANDLE handle;
    uint32_t count;
    struct {
        uint32_t first, pages;
    } range[RANGES];
};

struct dirty {
    struct dirty_memory memory;
    uint32_t bits_each; /* of a unit */
    bool refused;
};

static uint8_t bits[BITS_MOST / 8 + 64];

/* ---- Calls ----------------------------------------------------------------------------------- */

static void dirty_note(struct dirty *dirty, bool good) {
    dirty->refused = dirty->refused || !good;
}

static void dirty_basis_create(struct dirty *dirty, struct basis *basis) {
    unsigned char
        block[sizeof(DXGKARG_CREATEMEMORYBASIS) + (RANGES - 1) * sizeof(DXGK_MEMORYRANGE)];
    DXGKARG_CREATEMEMORYBASIS *args = (void *)block;
    memset(block, 0, sizeof(block));
    const struct dirty_memory *memory = &dirty->memory;
    args->SegmentId = memory->segment.driver_id;
    args->RangeCount = basis->count;
    for (uint32_t i = 0; i < basis->count; i++) {
        args->Ranges[i].SegmentOffset =
            memory->origin + (UINT64)basis->range[i].first * memory->unit;
        args->Ranges[i].SizeInBytes = (UINT64)basis->range[i].pages * memory->unit;
    }
    basis->handle = memory->ddi->DxgkDdiCreateMemoryBasis(memory->adapter, args);
    dirty_note(dirty, basis->handle);
}

static void dirty_start(struct dirty *dirty, const struct basis *basis) {
    if (basis->handle)
        dirty_note(dirty, dirty->memory.ddi->DxgkDdiStartDirtyTracking(
                              dirty->memory.adapter, basis->handle) == STATUS_SUCCESS);
}

static void dirty_stop(struct dirty *dirty, const struct basis *basis) {
    if (basis->handle)
        dirty_note(dirty, dirty->memory.ddi->DxgkDdiStopDirtyTracking(
                              dirty->memory.adapter, basis->handle) == STATUS_SUCCESS);
}

static void dirty_basis_destroy(struct dirty *dirty, struct basis *basis) {
    if (basis->handle)
        (void)dirty->memory.ddi->DxgkDdiDestroyMemoryBasis(dirty->memory.adapter, basis->handle);
    basis->handle = NULL;
}

static void dirty_begin(struct dirty *dirty, struct basis *basis) {
    dirty_basis_create(dirty, basis);
    dirty_start(dirty, basis);
}

static void dirty_end(struct dirty *dirty, struct basis *basis) {
    dirty_stop(dirty, basis);
    dirty_basis_destroy(dirty, basis);
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
                                      .SubrangeOffset = (UINT64)question.first * dirty->memory.unit,
                                      .SubrangeSize = (UINT64)question.pages * dirty->memory.unit,
                                      .Buffer = bits,
                                      .Flags = question.clear};
    for (uint32_t i = 0; question.pages == 0 && i < basis->count; i++)
        pages += basis->range[i].pages;
    args.BufferSize = (pages * dirty->bits_each + 7) / 8 + question.room;
    memset(bits, UNANSWERED, args.BufferSize < sizeof(bits) ? args.BufferSize : sizeof(bits));
    if (basis->handle)
        dirty_note(dirty, dirty->memory.ddi->DxgkDdiQueryDirtyBitData(dirty->memory.adapter,
                                                                      &args) == STATUS_SUCCESS);
}

static void dirty_look(struct dirty *dirty, const struct basis *basis) {
    dirty_ask(dirty, basis, (struct question){.room = 0});
}

static void dirty_clear(struct dirty *dirty, const struct basis *basis) {
    dirty_ask(dirty, basis, (struct question){.clear = true, .room = 32});
}

/* What the driver answers is its own affair. */
static void dirty_ask_shortly(struct dirty *dirty, const struct basis *basis, uint32_t pages) {
    struct vidmm_referee *referee = dirty->memory.check->harness.referee;
    DXGKARG_QUERYDIRTYBITDATA args = {.MemoryBasis = basis->handle,
                                      .SubrangeSize = (UINT64)pages * dirty->memory.unit,
                                      .Buffer = bits};
    uint32_t all = pages;
    for (uint32_t i = 0; pages == 0 && i < basis->count; i++)
        all += basis->range[i].pages;
    const uint32_t sizes[] = {0, (all * dirty->bits_each + 7) / 8 - 1};
    vidmm_referee_short_buffers(referee, true);
    for (uint32_t i = 0; basis->handle && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        args.BufferSize = sizes[i];
        (void)dirty->memory.ddi->DxgkDdiQueryDirtyBitData(dirty->memory.adapter, &args);
    }
    vidmm_referee_short_buffers(referee, false);
}

static void dirty_write(struct dirty *dirty, uint32_t unit) {
    dirty_note(dirty,
               dirty_memory_begin(&dirty->memory, unit) && dirty_memory_wait(&dirty->memory));
}

/* ---- Scenes ---------------------------------------------------------------------------------- */

/* In any order, with a hole; seven bits. */
static void play_one(struct dirty *dirty, struct basis *basis) {
    check_step(dirty->memory.check, "dirty: one basis");
    dirty_begin(dirty, basis);
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
    dirty_write(dirty, 6);
    dirty_ask(dirty, basis, (struct question){.index = 0, .first = 2, .pages = 2});
}

/* Parts of the second range, whose pages are others than those of the first. */
static void play_second(struct dirty *dirty) {
    struct basis basis = {.count = 2, .range = {{8, 5}, {0, 3}}};
    check_step(dirty->memory.check, "dirty: parts of the second range");
    dirty_begin(dirty, &basis);
    dirty_write(dirty, 1);
    dirty_ask(dirty, &basis, (struct question){.index = 1, .first = 1, .pages = 2});
    dirty_write(dirty, 2);
    dirty_ask(dirty, &basis, (struct question){.index = 1, .pages = 3});
    dirty_end(dirty, &basis);
}

/* The last range of a basis of three. */
static void play_third(struct dirty *dirty) {
    struct basis basis = {.count = 3, .range = {{10, 2}, {2, 3}, {6, 1}}};
    check_step(dirty->memory.check, "dirty: three ranges");
    dirty_begin(dirty, &basis);
    dirty_write(dirty, 6);
    dirty_look(dirty, &basis);
    dirty_end(dirty, &basis);
}

/* The driver answers before the GPU has written, while it does, or after. */
static void play_busy(struct dirty *dirty, const struct basis *basis) {
    check_step(dirty->memory.check, "dirty: a query while the GPU writes");
    for (uint32_t unit = 4; unit < 8; unit++) {
        dirty_note(dirty, dirty_memory_begin(&dirty->memory, unit));
        dirty_clear(dirty, basis);
        dirty_note(dirty, dirty_memory_wait(&dirty->memory));
        dirty_clear(dirty, basis);
    }
}

/* What is asked of whom, for dirty_moments.h. */
struct asked {
    struct dirty *dirty;
    const struct basis *basis;
};

/* Unit 5 is the second of the first range. */
static bool ask_clear(void *ctx) {
    const struct asked *asked = ctx;
    dirty_clear(asked->dirty, asked->basis);
    uint32_t bit = asked->dirty->bits_each;
    return asked->dirty->refused || (bits[bit / 8] >> bit % 8 & 1u) != 0;
}

static void play_moments(struct dirty *dirty, const struct basis *basis) {
    struct asked asked = {dirty, basis};
    dirty_note(dirty, dirty_moments_show(&(struct dirty_moments){.memory = &dirty->memory,
                                                                 .before = 4,
                                                                 .within = 5,
                                                                 .query = ask_clear,
                                                                 .ctx = &asked}));
}

static void play_beside(struct dirty *dirty, const struct basis *basis) {
    struct basis other = {.count = 1, .range = {{8, 4}}};
    check_step(dirty->memory.check, "dirty: another basis beside it");
    dirty_begin(dirty, &other);
    dirty_write(dirty, 9);
    dirty_write(dirty, 1);
    dirty_clear(dirty, basis);
    dirty_write(dirty, 2);
    dirty_look(dirty, &other);
    dirty_clear(dirty, &other);
    dirty_look(dirty, basis);
    dirty_end(dirty, &other);
}

/* What was written, and not asked for yet, while another basis begins and ends; unit `late` is written between. */
static void play_meanwhile(struct dirty *dirty, const struct basis *basis, struct basis *other,
                           uint32_t late) {
    dirty_clear(dirty, basis);
    dirty_write(dirty, 5);
    dirty_begin(dirty, other);
    dirty_look(dirty, basis);
    dirty_write(dirty, late);
    dirty_end(dirty, other);
    dirty_look(dirty, basis);
}

/* What waits to be asked for meanwhile is in the same words of a driver's bits. */
static void play_beside_start(struct dirty *dirty, const struct basis *basis) {
    struct basis other = {.count = 1, .range = {{8, 4}}};
    check_step(dirty->memory.check, "dirty: another basis beside it begins and ends");
    play_meanwhile(dirty, basis, &other, 2);
}

static void play_over(struct dirty *dirty, const struct basis *basis) {
    struct basis other = {.count = 1, .range = {{0, DIRTY_UNITS}}};
    check_step(dirty->memory.check, "dirty: another basis over it");
    dirty_begin(dirty, &other);
    dirty_write(dirty, 6);
    dirty_look(dirty, basis);
    dirty_look(dirty, &other);
    dirty_ask(dirty, &other, (struct question){.first = 5, .pages = 2, .room = 16});
    dirty_end(dirty, &other);
    dirty_look(dirty, basis);
    dirty_write(dirty, 4);
    dirty_look(dirty, basis);
}

/* What a driver keeps of one basis for the other is given up by a query of that one. */
static void play_kept(struct dirty *dirty, const struct basis *basis) {
    struct basis other = {.count = 1, .range = {{0, DIRTY_UNITS}}};
    check_step(dirty->memory.check, "dirty: bits that another basis took");
    dirty_begin(dirty, &other);
    dirty_write(dirty, 5);
    dirty_clear(dirty, &other);
    dirty_ask(dirty, basis, (struct question){.index = 0, .first = 0, .pages = 4, .clear = true});
    dirty_look(dirty, basis);
    dirty_end(dirty, &other);
}

static void play_across(struct dirty *dirty, const struct basis *basis) {
    struct basis other = {.count = 1, .range = {{0, DIRTY_UNITS}}};
    check_step(dirty->memory.check, "dirty: another basis begins and ends");
    play_meanwhile(dirty, basis, &other, 6);
}

/* R326: the same of one whose ranges begin before what is cleared and anywhere in it. */
static void play_scattered(struct dirty *dirty) {
    struct basis other = {.count = 4, .range = {{10, 2}, {2, 3}, {0, 1}, {6, 1}}};
    struct basis basis = {.count = 1, .range = {{4, 8}}};
    check_step(dirty->memory.check, "dirty: bits of scattered ranges that another basis took");
    dirty_begin(dirty, &other);
    dirty_begin(dirty, &basis);
    dirty_write(dirty, 6);
    dirty_write(dirty, 11);
    dirty_write(dirty, 0);
    dirty_write(dirty, 4);
    dirty_clear(dirty, &basis);
    dirty_look(dirty, &other);
    dirty_ask(dirty, &other, (struct question){.index = 0, .first = 1, .pages = 1});
    dirty_end(dirty, &basis);
    dirty_end(dirty, &other);
}

static void play_shortly(struct dirty *dirty) {
    struct basis basis = {.count = 1, .range = {{0, DIRTY_UNITS}}};
    check_step(dirty->memory.check, "dirty: buffers that are too short");
    dirty_begin(dirty, &basis);
    dirty_write(dirty, 15);
    dirty_ask_shortly(dirty, &basis, 0);
    dirty_ask_shortly(dirty, &basis, DIRTY_UNITS);
    dirty_look(dirty, &basis);
    dirty_end(dirty, &basis);
}

static void play_again(struct dirty *dirty, struct basis *basis) {
    check_step(dirty->memory.check, "dirty: started again");
    dirty_write(dirty, 5);
    dirty_stop(dirty, basis);
    dirty_start(dirty, basis);
    dirty_look(dirty, basis);
    dirty_end(dirty, basis);
}

/* Two words of bits, and some on both sides, written at once; the hole between two ranges, too. */
static void play_wide(struct dirty *dirty, const struct basis *basis) {
    check_step(dirty->memory.check, "dirty: many pages by one operation");
    dirty_clear(dirty, basis);
    dirty_note(dirty,
               dirty_memory_fill(&dirty->memory, 310, 150) && dirty_memory_wait(&dirty->memory));
    dirty_clear(dirty, basis);
    dirty_note(dirty,
               dirty_memory_fill(&dirty->memory, 240, 30) && dirty_memory_wait(&dirty->memory));
    dirty_look(dirty, basis);
}

/* Ranges that begin and end anywhere in the words of a driver's bits, one of them thousands of
 * pages long; parts of them. */
static void play_far(struct dirty *dirty) {
    static const uint32_t written[] = {61,  63,  64,  65,   100,  127,  128, 191,
                                       249, 260, 261, 4095, 4096, 4097, 4399};
    struct basis basis = {.count = 3, .range = {{61, 5}, {100, 150}, {260, 4140}}};
    check_step(dirty->memory.check, "dirty: long ranges");
    dirty_begin(dirty, &basis);
    for (uint32_t i = 0; i < sizeof(written) / sizeof(written[0]); i++)
        dirty_write(dirty, written[i]);
    dirty_look(dirty, &basis);
    dirty_ask(dirty, &basis, (struct question){.index = 1, .first = 26, .pages = 3});
    dirty_ask(dirty, &basis, (struct question){.index = 1, .pages = 100, .clear = true});
    dirty_ask(dirty, &basis,
              (struct question){.index = 2, .first = 3830, .pages = 200, .clear = true});
    dirty_look(dirty, &basis);
    /* Fewer than 64 words of bits, on both sides of the end of 64. */
    dirty_ask(dirty, &basis, (struct question){.index = 2, .first = 1140, .pages = 3000});
    dirty_write(dirty, 4096);
    dirty_clear(dirty, &basis);
    dirty_write(dirty, 64);
    dirty_look(dirty, &basis);
    play_wide(dirty, &basis);
    dirty_end(dirty, &basis);
}

static void dirty_play(struct dirty *dirty) {
    struct basis basis = {.count = 2, .range = {{4, 4}, {0, 3}}};
    const struct vidmm_ledger *ledger = &dirty->memory.check->shared->ledger;
    uint32_t before = ledger->findings;
    play_one(dirty, &basis);
    play_busy(dirty, &basis);
    play_moments(dirty, &basis);
    play_beside_start(dirty, &basis);
    play_beside(dirty, &basis);
    play_over(dirty, &basis);
    play_kept(dirty, &basis);
    play_across(dirty, &basis);
    play_again(dirty, &basis);
    if (ledger->findings == before) /* else what is missing may be missing in the first, too */
        play_second(dirty);
    if (ledger->findings == before)
        play_third(dirty);
    if (ledger->findings == before)
        play_scattered(dirty);
    play_shortly(dirty);
    if (dirty_memory_units(&dirty->memory) >= DIRTY_UNITS_FAR)
        play_far(dirty);
}

/* ---- Which memory ---------------------------------------------------------------------------- */

#define MOVES 4u
#define ODD   3u /* units of a range behind which another begins within a byte */

static bool has_functions(const DRIVER_INITIALIZATION_DATA *ddi) {
    return ddi->DxgkDdiCreateMemoryBasis && ddi->DxgkDdiDestroyMemoryBasis &&
           ddi->DxgkDdiStartDirtyTracking && ddi->DxgkDdiStopDirtyTracking &&
           ddi->DxgkDdiQueryDirtyBitData;
}

/* `page`: bytes of a dirty bit. */
static bool tracks(const struct dirty_memory *memory, uint32_t *page) {
    UINT id = memory->segment.driver_id;
    return dirty_memory_tracked(memory) &&
           dirty_memory_query(memory, DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS, &id, page) &&
           *page >= CHECK_PAGE && has_functions(memory->ddi);
}

static uint32_t unit_of(const struct dirty_memory *memory, uint32_t page) {
    const DXGK_SEGMENTFLAGS flags = {.Value = memory->segment.flags};
    return flags.Use64KBPages && page < LARGE_PAGE ? LARGE_PAGE : page;
}

/* Surfaces leave and come back. What is written of the segment that `view` is of are their pages, or page tables. */
static void play_whole(struct dirty *dirty, struct dirty *view, struct basis *basis) {
    dirty_begin(view, basis);
    for (uint32_t i = 0; i < MOVES; i++) {
        dirty_write(dirty, i);
        dirty_look(view, basis);
    }
    dirty_end(view, basis);
}

/* The same memory, with all of a segment for ranges; false: it is not tracked, or not of a handy size. */
static bool view_segment(const struct dirty *dirty, const struct vidmm_segment_info *segment,
                         struct dirty *view, uint32_t *units) {
    uint32_t page = 0;
    *view = (struct dirty){.memory = dirty->memory};
    view->memory.segment = *segment;
    view->memory.origin = 0;
    if (segment->aperture || !tracks(&view->memory, &page))
        return false;
    view->memory.unit = unit_of(&view->memory, page);
    view->bits_each = view->memory.unit / page;
    *units = (uint32_t)(segment->size / view->memory.unit);
    return *units > ODD && segment->size / page <= BITS_MOST;
}

static void play_segment(struct dirty *dirty, const struct vidmm_segment_info *segment) {
    const struct vidmm_ledger *ledger = &dirty->memory.check->shared->ledger;
    struct dirty view;
    uint32_t most, before = ledger->findings;
    if (!view_segment(dirty, segment, &view, &most))
        return;
    struct basis parts[] = {{.count = 1, .range = {{0, most}}},
                            {.count = 2, .range = {{0, ODD}, {ODD, most - ODD}}},
                            {.count = 2, .range = {{most - ODD, ODD}, {0, most - ODD}}}};
    check_step(dirty->memory.check, "dirty: all of segment %u", segment->driver_id);
    for (uint32_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && ledger->findings == before; i++)
        play_whole(dirty, &view, &parts[i]);
    dirty_note(dirty, !view.refused);
}

/* Tracking goes on until it is stopped. Surfaces may lie elsewhere behind a reset. */
static void play_reset(struct dirty *dirty) {
    struct check *check = dirty->memory.check;
    struct dirty view;
    uint32_t most;
    if (!view_segment(dirty, &dirty->memory.segment, &view, &most))
        return;
    struct basis basis = {.count = 1, .range = {{0, most}}};
    check_step(check, "dirty: the adapter is reset");
    dirty_begin(&view, &basis);
    dirty_note(dirty, check_good(check, check_reset(check)));
    dirty_write(dirty, 5);
    dirty_look(&view, &basis);
    dirty_end(&view, &basis);
    dirty_note(dirty, !view.refused);
}

/* Tracking goes on over a power transition ("saves any context that will later be required"): what was written before
 * it is set, where memory keeps its content, and so is what is written behind it. Surfaces may lie elsewhere then. */
static void play_power(struct dirty *dirty) {
    struct check *check = dirty->memory.check;
    struct dirty view;
    uint32_t most;
    if (!check->harness.spoken.DxgkDdiSetPowerState ||
        !view_segment(dirty, &dirty->memory.segment, &view, &most))
        return;
    struct basis basis = {.count = 1, .range = {{0, most}}};
    check_step(check, "dirty: the adapter goes to D3 and back");
    dirty_begin(&view, &basis);
    dirty_write(dirty, 5);
    dirty_note(dirty, power_go_round(check));
    dirty_look(&view, &basis);
    dirty_write(dirty, 6);
    dirty_look(&view, &basis);
    dirty_end(&view, &basis);
    dirty_note(dirty, !view.refused);
}

static void play_segments(struct dirty *dirty) {
    struct vidmm_segment_info segment;
    for (uint32_t id = 1;
         vidmm_segment_info(dirty->memory.check->harness.adapter, id, &segment) && !dirty->refused;
         id++)
        play_segment(dirty, &segment);
}

static enum vidmm_stage_outcome skip(struct dirty *dirty, const char *why) {
    (void)dirty_memory_close(&dirty->memory);
    return check_say(dirty->memory.check, VIDMM_STAGE_SKIPPED, "%s", why);
}

/* Of the segment of a memory that is open; false: it is not tracked, or too small, which the outcome says. */
static bool dirty_segment(struct dirty *dirty, const char **why) {
    uint32_t page = 0;
    *why = NULL;
    if (!tracks(&dirty->memory, &page))
        *why = "the driver reports no dirty-bit tracking";
    else if (!dirty_memory_holds(&dirty->memory, unit_of(&dirty->memory, page)))
        *why = "the memory segment has no 16 dirty pages";
    if (*why || !dirty_memory_prepare(&dirty->memory, unit_of(&dirty->memory, page)))
        return false;
    dirty->bits_each = dirty->memory.unit / page;
    return true;
}

/* In each segment where surfaces can lie; false: nothing could be played, for `*why`. */
static bool dirty_by_address(struct dirty *dirty, const char **why) {
    const struct vidmm_ledger *ledger = &dirty->memory.check->shared->ledger;
    struct vidmm_adapter *adapter = dirty->memory.check->harness.adapter;
    uint32_t before = ledger->findings, played = 0;
    const char *segment_why;
    for (uint32_t id = 1; vidmm_segment_info(adapter, id, &dirty->memory.segment) &&
                          ledger->findings == before && !dirty->refused;
         id++) {
        if (dirty->memory.segment.aperture)
            continue;
        bool good = dirty_segment(dirty, &segment_why);
        *why = played == 0 ? segment_why : NULL;
        if (!good && !segment_why)
            return true; /* a finding says why */
        if (!good || !dirty->memory.inside)
            continue;
        dirty_play(dirty);
        if (ledger->findings == before && !dirty->refused)
            play_reset(dirty);
        if (ledger->findings == before && !dirty->refused)
            play_power(dirty);
        played++;
    }
    if (played != 0 && ledger->findings == before)
        play_segments(dirty);
    return played != 0 || !*why;
}

/* Of a memory that is open; closes it. */
static enum vidmm_stage_outcome dirty_examine(struct dirty *dirty) {
    const char *why = NULL;
    if (dirty->memory.by_address) {
        if (!dirty_by_address(dirty, &why))
            return skip(dirty, why);
    } else if (dirty_segment(dirty, &why)) {
        dirty_play(dirty);
    } else if (why) {
        return skip(dirty, why);
    }
    enum vidmm_stage_outcome outcome = dirty_memory_close(&dirty->memory);
    if (outcome == VIDMM_STAGE_DONE && dirty->refused)
        return check_say(dirty->memory.check, VIDMM_STAGE_STOPPED,
                         "the driver refused a call of its tracking");
    return outcome;
}

/* By hand in the second memory segment, too. That there is none is no reason to say so. */
static enum vidmm_stage_outcome
dirty_examine_other(struct check *check, const struct check_setup *setup, uint32_t first) {
    struct dirty dirty = {.refused = false};
    check_close(check);
    if (!check_open(check, setup))
        return VIDMM_STAGE_STOPPED;
    check_step(check, "dirty: another segment");
    enum vidmm_stage_outcome outcome = dirty_memory_open_other(&dirty.memory, check, first);
    if (outcome == VIDMM_STAGE_DONE)
        outcome = dirty_examine(&dirty);
    if (outcome != VIDMM_STAGE_SKIPPED)
        return outcome;
    check->shared->told.text[0] = 0;
    return VIDMM_STAGE_DONE;
}

enum vidmm_stage_outcome stage_dirty(struct check *check, uint32_t number) {
    const struct check_setup setup = {
        .settings = {{"DirtyPageBytes", number == 0 ? CHECK_PAGE : LARGE_PAGE}}};
    struct dirty dirty = {.refused = false};
    check_step(check, "dirty: start");
    if (check->options->linked > 1)
        return check_say(check, VIDMM_STAGE_SKIPPED, "dirty bits are for an adapter without links");
    if (!check_open(check, &setup))
        return VIDMM_STAGE_STOPPED;
    enum vidmm_stage_outcome outcome = dirty_memory_open(&dirty.memory, check, &setup);
    if (outcome != VIDMM_STAGE_DONE)
        return outcome;
    outcome = dirty_examine(&dirty);
    if (outcome == VIDMM_STAGE_DONE && !dirty.memory.by_address)
        return dirty_examine_other(check, &setup, dirty.memory.segment.driver_id);
    return outcome;
}
