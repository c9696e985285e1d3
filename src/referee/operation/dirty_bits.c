/*
 * dirty_bits.c - which bits of a memory basis an answer must show; see dirty.h.
 *
 * A page must be set in the next answer after an operation that wrote to it was done. Operations
 * are known to be done a little later than they were: one that was asked for before a query that
 * cleared the page may have been what that query showed. Bases that overlap may share a plane: what
 * is cleared through one need not be seen through another any more (R326).
 */
#include "operation/dirty_bits.h"

#include "state/judge.h"

/* ---- Positions ------------------------------------------------------------------------------- */

uint64_t dirty_position(const struct dirty_basis *basis, uint64_t offset) {
    uint64_t at = 0;
    for (uint32_t i = 0; i < basis->count; i++) {
        uint64_t start = basis->ranges[i].SegmentOffset, size = basis->ranges[i].SizeInBytes;
        if (offset >= start && offset - start < size)
            return at + (offset - start) / basis->page;
        at += size / basis->page;
    }
    return basis->pages;
}

/* Byte of the segment with which page `position` begins; `*range` is in which range. */
static uint64_t dirty_offset_of(const struct dirty_basis *basis, uint64_t position,
                                uint32_t *range) {
    for (*range = 0; *range + 1 < basis->count; ++*range) {
        uint64_t pages = basis->ranges[*range].SizeInBytes / basis->page;
        if (position < pages)
            break;
        position -= pages;
    }
    return basis->ranges[*range].SegmentOffset + position * basis->page;
}

static bool dirty_is_set(const uint8_t *bits, uint64_t index) {
    return (bits[index / 8] >> (index % 8)) & 1u;
}

/* It was written before the question came. */
static bool dirty_demanded(const struct dirty_answer *answer, const struct dirty_page *page) {
    return page->must && page->written <= answer->writes;
}

bool dirty_turned(const struct dirty_answer *answer) {
    const struct dirty_page *page = answer->basis->state;
    bool missing = false, turned = page;
    for (uint64_t i = 0; turned && i < answer->count; i++) {
        if (!dirty_demanded(answer, &page[answer->first + i]))
            continue;
        missing = missing || !dirty_is_set(answer->bits, i);
        turned = dirty_is_set(answer->bits, i ^ 7u);
    }
    return missing && turned;
}

bool dirty_begins_well(const struct dirty_answer *answer) {
    const struct dirty_basis *basis = answer->basis;
    uint64_t end = basis->count != 0 ? basis->ranges[0].SizeInBytes / basis->page : 0, held = 0;
    for (uint64_t i = 0; basis->state && i < answer->count && answer->first + i < end; i++) {
        bool demanded = dirty_demanded(answer, &basis->state[answer->first + i]);
        if (demanded && !dirty_is_set(answer->bits, i))
            return false;
        held += demanded;
    }
    return held != 0;
}

/* ---- Judging --------------------------------------------------------------------------------- */

#define HELD "a bit for every page that was written since it was cleared"

/* A bit of another page is where this one's must be. */
static void dirty_judge_order(struct vidmm_referee *referee, const struct dirty_answer *answer,
                              uint64_t position, bool set) {
    uint64_t index = position - answer->first;
    uint32_t range;
    uint64_t offset = dirty_offset_of(answer->basis, position, &range);
    if (answer->turned)
        DRIVER_MUST(330, set, "the first page of eight in the lowest bit of their byte",
                    "bit %llu, offset 0x%llx, is not set, and bit %llu is", LLU(index), LLU(offset),
                    LLU(index ^ 7u));
    else
        DRIVER_MUST(330, set,
                    answer->inner ? "bits of the range of SubrangeIndex from SubrangeOffset on"
                                  : "the bits of all ranges, one range behind the other",
                    "bit %llu, offset 0x%llx in range %u, is not set", LLU(index), LLU(offset),
                    range);
    referee->dirty.misplaced = referee->dirty.misplaced || !set;
}

/* Nothing happened to the page since it was written. */
static void dirty_judge_written(struct vidmm_referee *referee, const struct dirty_answer *answer,
                                uint64_t position, bool set) {
    const struct dirty_basis *basis = answer->basis;
    bool late = basis->state[position].event == DIRTY_WRITTEN_LATE;
    uint32_t range;
    uint64_t offset = dirty_offset_of(basis, position, &range);
    if (basis->beside)
        DRIVER_MUST(326, set, "tracking that goes on when an overlapping basis is stopped",
                    "offset 0x%llx, written since, is not set", LLU(offset));
    else if (answer->inner || (!late && answer->whole && answer->begins_well && range > 0))
        dirty_judge_order(referee, answer, position, set);
    else if (late)
        DRIVER_MUST(323, set, HELD, "offset 0x%llx, written after it was cleared, is not set",
                    LLU(offset));
    else
        DRIVER_MUST(322, set, HELD, "offset 0x%llx, written, is not set", LLU(offset));
}

static void dirty_judge_page(struct vidmm_referee *referee, const struct dirty_answer *answer,
                             uint64_t position, bool set) {
    const struct dirty_basis *basis = answer->basis;
    uint32_t range;
    uint64_t offset = dirty_offset_of(basis, position, &range);
    if (answer->turned) {
        dirty_judge_order(referee, answer, position, set);
        return;
    }
    switch ((enum dirty_event)basis->state[position].event) {
    case DIRTY_SHOWN:
        DRIVER_MUST(324, set, "a bit that stays until it is cleared",
                    "offset 0x%llx was set, and is no more without CLEARDATA", LLU(offset));
        return;
    case DIRTY_OTHER_PART:
        DRIVER_MUST(324, set, "no bits cleared but those that were asked for",
                    "offset 0x%llx is not set after another part was cleared", LLU(offset));
        return;
    case DIRTY_OTHER_BASIS:
    case DIRTY_OTHER_BEGUN:
        DRIVER_MUST(325, set, "the bits of a basis left alone by queries and starts of another",
                    "offset 0x%llx is not set after another basis was %s", LLU(offset),
                    basis->state[position].event == DIRTY_OTHER_BASIS ? "cleared" : "started");
        return;
    case DIRTY_STOPPED:
        DRIVER_MUST(326, set, "bits that outlive the stop of another basis",
                    "offset 0x%llx is not set after another basis was stopped", LLU(offset));
        return;
    case DIRTY_WRITTEN:
    case DIRTY_WRITTEN_LATE:
        dirty_judge_written(referee, answer, position, set);
        return;
    }
}

static bool dirty_any_set(const struct dirty_answer *answer) {
    uint64_t i = 0;
    while (i < answer->count && !dirty_is_set(answer->bits, i))
        i++;
    return i < answer->count;
}

/* Every submission changes it. */
static uint32_t dirty_work(struct vidmm_referee *referee) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < shadow_node_end(referee); i++)
        sum += referee->node[i].submitted;
    return sum;
}

static struct dirty_moment dirty_now(struct vidmm_referee *referee, bool quiet) {
    return (struct dirty_moment){
        .quiet = quiet, .others = dirty_other_calls(referee), .work = dirty_work(referee)};
}

/* Nothing can have written since. */
static bool dirty_still(struct vidmm_referee *referee, const struct dirty_moment *when) {
    return when->quiet && when->work == dirty_work(referee) &&
           when->others == dirty_other_calls(referee);
}

static void dirty_note_zeros(struct vidmm_referee *referee, struct dirty_basis *basis,
                             const struct dirty_answer *answer, bool quiet) {
    basis->zeros =
        (struct dirty_zeros){.first = answer ? answer->first : 0,
                             .end = answer ? answer->first + answer->count : basis->pages,
                             .queried = answer,
                             .cleared = answer && dirty_any_set(answer),
                             .when = dirty_now(referee, quiet)};
}

/* Of bits that were made zero a moment ago. */
static void dirty_judge_zeros(struct vidmm_referee *referee, const struct dirty_answer *answer) {
    const struct dirty_zeros *zeros = &answer->basis->zeros;
    uint64_t end = answer->first + answer->count, set = answer->first;
    if (!dirty_still(referee, &zeros->when))
        return;
    end = end < zeros->end ? end : zeros->end;
    set = set < zeros->first ? zeros->first : set;
    while (set < end && !dirty_is_set(answer->bits, set - answer->first))
        set++;
    if (zeros->queried && !zeros->cleared && set >= end)
        return; /* there was nothing to clear */
    if (zeros->queried)
        DRIVER_MUST(594, set >= end, "no bit set right after a query with CLEARDATA",
                    "bit %llu is set still", LLU(set - answer->first));
    else
        DRIVER_MUST(321, set >= end, "no bit set right after tracking was started",
                    "bit %llu of %llu is set", LLU(set - answer->first), LLU(answer->count));
}

/* What another basis took at once is either all kept for this one or all gone. */
static void dirty_judge_taken(struct vidmm_referee *referee, const struct dirty_answer *answer) {
    struct dirty_basis *basis = answer->basis;
    struct dirty_taking *taking = &basis->taking;
    uint64_t gone = 0;
    if (taking->call == 0 || answer->turned || !dirty_still(referee, &taking->when))
        return;
    for (uint64_t i = 0; i < answer->count; i++) {
        if (basis->state[answer->first + i].taken != taking->call)
            continue;
        bool set = dirty_is_set(answer->bits, i);
        taking->kept = taking->kept || set;
        taking->gone = taking->gone || !set;
        gone = set ? gone : i;
    }
    DRIVER_MUST(326, !taking->kept || !taking->gone,
                "all that a query of another basis took, or nothing of it",
                "bit %llu of %llu is not set, and one that was taken with it is", LLU(gone),
                LLU(answer->count));
}

/* ---- What others do to a page ---------------------------------------------------------------- */

/* A page that another basis cleared, through a query that answered `answer` or a start (NULL). */
static void dirty_cleared_beside(struct vidmm_referee *referee, struct dirty_basis *other,
                                 uint64_t offset, const struct dirty_answer *answer, bool shown) {
    uint64_t position = dirty_position(other, offset);
    if (position == other->pages || !other->state)
        return;
    struct dirty_page *page = &other->state[position];
    page->cleared = referee->ledger->calls;
    page->taken = answer && page->must && shown ? page->cleared : 0;
    if (page->taken != 0 && other->taking.call != page->taken)
        other->taking =
            (struct dirty_taking){.call = page->taken, .when = dirty_now(referee, answer->quiet)};
    page->must = false;
    if (shown)
        page->shown = page->cleared;
}

static void dirty_clear_beside(struct vidmm_referee *referee, const struct dirty_basis *basis,
                               const struct dirty_answer *answer, uint64_t position, bool shown) {
    uint32_t range;
    uint64_t offset = dirty_offset_of(basis, position, &range);
    for (struct dirty_basis *other = dirty_each(referee, NULL); other;
         other = dirty_each(referee, other)) {
        if (other != basis && other->started && other->segment == basis->segment)
            dirty_cleared_beside(referee, other, offset, answer, shown);
    }
}

static void dirty_note_event(struct dirty_basis *basis, uint64_t first, uint64_t end,
                             enum dirty_event event) {
    for (uint64_t i = first; basis->state && i < end; i++)
        if (basis->state[i].must)
            basis->state[i].event = (uint8_t)event;
}

/* Of what the other bases of its segment must have still. */
static void dirty_note_others(struct vidmm_referee *referee, const struct dirty_basis *basis,
                              enum dirty_event event) {
    for (struct dirty_basis *other = dirty_each(referee, NULL); other;
         other = dirty_each(referee, other))
        if (other != basis && other->segment == basis->segment)
            dirty_note_event(other, 0, other->pages, event);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

void dirty_started(struct vidmm_referee *referee, struct dirty_basis *basis) {
    basis->started = true;
    basis->beside = false;
    basis->taking.call = 0;
    basis->started_at = referee->ledger->calls;
    dirty_note_zeros(referee, basis, NULL, !submit_under_way(referee));
    for (uint64_t i = 0; basis->state && i < basis->pages; i++) {
        basis->state[i] = (struct dirty_page){.cleared = 0};
        dirty_clear_beside(referee, basis, NULL, i, true);
    }
    if (basis->state)
        dirty_note_others(referee, basis, DIRTY_OTHER_BEGUN);
}

/* Of two that are followed. */
static bool dirty_overlap(const struct dirty_basis *a, const struct dirty_basis *b) {
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count; k++)
            if (a->ranges[i].SegmentOffset <
                    b->ranges[k].SegmentOffset + b->ranges[k].SizeInBytes &&
                b->ranges[k].SegmentOffset < a->ranges[i].SegmentOffset + a->ranges[i].SizeInBytes)
                return a->segment == b->segment;
    return false;
}

void dirty_stopped(struct vidmm_referee *referee, const struct dirty_basis *basis) {
    if (basis->state)
        dirty_note_others(referee, basis, DIRTY_STOPPED);
    for (struct dirty_basis *other = dirty_each(referee, NULL); other;
         other = dirty_each(referee, other)) {
        if (other == basis || !other->started || !other->state || !basis->state ||
            !dirty_overlap(basis, other))
            continue;
        other->beside = true;
    }
}

static void dirty_take_page(struct vidmm_referee *referee, const struct dirty_answer *answer,
                            uint64_t index) {
    struct dirty_basis *basis = answer->basis;
    struct dirty_page *page = &basis->state[answer->first + index];
    bool set = dirty_is_set(answer->bits, index), demanded = dirty_demanded(answer, page);
    if (demanded)
        dirty_judge_page(referee, answer, answer->first + index, set);
    if (page->must && set && !answer->clear)
        page->event = DIRTY_SHOWN;
    else if (demanded || set)
        page->must = false;
    else if (answer->clear)
        page->event = DIRTY_WRITTEN_LATE;
    if (!answer->clear)
        return;
    page->cleared = referee->ledger->calls;
    page->taken = 0;
    if (set)
        page->shown = page->cleared;
    dirty_clear_beside(referee, basis, answer, answer->first + index, set);
}

void dirty_answered(struct vidmm_referee *referee, const struct dirty_answer *answer) {
    struct dirty_basis *basis = answer->basis;
    dirty_judge_zeros(referee, answer);
    if (answer->clear)
        dirty_note_zeros(referee, basis, answer, answer->quiet);
    if (!basis->state)
        return;
    dirty_judge_taken(referee, answer);
    for (uint64_t i = 0; i < answer->count; i++)
        dirty_take_page(referee, answer, i);
    if (!answer->clear)
        return;
    dirty_note_event(basis, 0, answer->first, DIRTY_OTHER_PART);
    dirty_note_event(basis, answer->first + answer->count, basis->pages, DIRTY_OTHER_PART);
    dirty_note_others(referee, basis, DIRTY_OTHER_BASIS);
}

/* ---- Writes ---------------------------------------------------------------------------------- */

static void dirty_write_page(struct dirty_basis *basis, uint64_t position, uint64_t asked,
                             uint64_t number) {
    struct dirty_page *page = &basis->state[position];
    if (page->shown > asked || (page->must && page->event == DIRTY_WRITTEN))
        return;
    if (!page->must)
        page->written = number;
    page->must = true;
    page->taken = 0;
    page->event = page->cleared != 0 ? DIRTY_WRITTEN_LATE : DIRTY_WRITTEN;
}

static void dirty_write_basis(struct dirty_basis *basis, uint64_t offset, uint64_t size,
                              uint64_t asked, uint64_t number) {
    for (uint64_t at = offset & ~(basis->page - 1); at < offset + size; at += basis->page) {
        uint64_t position = dirty_position(basis, at);
        if (position < basis->pages)
            dirty_write_page(basis, position, asked, number);
    }
}

void dirty_wrote(struct vidmm_referee *referee, uint32_t id, uint64_t address, uint64_t size,
                 uint64_t asked) {
    const struct shadow_segment *segment = shadow_memory(referee, id);
    if (!segment || !shadow_holds(segment, linked_address_own(address), size) || size == 0)
        return;
    referee->dirty.writes++;
    for (struct dirty_basis *basis = dirty_each(referee, NULL); basis;
         basis = dirty_each(referee, basis)) {
        if (basis->started && basis->state && basis->segment == segment->id &&
            basis->started_at < asked)
            dirty_write_basis(basis, linked_address_own(address) - segment->base, size, asked,
                              referee->dirty.writes);
    }
}

void dirty_operation_done(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    if (arg->Operation == DXGK_OPERATION_FILL)
        dirty_wrote(referee, arg->Fill.Destination.SegmentId,
                    (uint64_t)arg->Fill.Destination.SegmentAddress.QuadPart, arg->Fill.FillSize,
                    operation->asked);
    else if (arg->Operation == DXGK_OPERATION_TRANSFER)
        dirty_wrote(referee, arg->Transfer.Destination.SegmentId,
                    (uint64_t)arg->Transfer.Destination.SegmentAddress.QuadPart +
                        arg->Transfer.TransferOffset,
                    arg->Transfer.TransferSize, operation->asked);
}

static void dirty_demand_nothing(struct dirty_basis *basis) {
    for (uint64_t i = 0; basis->state && i < basis->pages; i++)
        basis->state[i].must = false;
}

void dirty_forget(struct vidmm_referee *referee) {
    for (struct dirty_basis *basis = dirty_each(referee, NULL); basis;
         basis = dirty_each(referee, basis))
        dirty_demand_nothing(basis);
}

void dirty_forget_segment(struct vidmm_referee *referee, uint32_t segment) {
    for (struct dirty_basis *basis = dirty_each(referee, NULL); basis;
         basis = dirty_each(referee, basis))
        if (basis->segment == segment)
            dirty_demand_nothing(basis);
}
