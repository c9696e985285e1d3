/*
 * copy.c - what came of a TRANSFER: destination and source are compared page by page,
 * each seen from its own side. (Un)swizzled bytes are the driver's own affair.
 *
 * The rule that is named follows from where the bytes went or came from, at the first wrong page
 * that tells (one value all over may come from anywhere):
 *   R176  TransferOffset was left out on a segment side, or counted on the MDL side
 *   R177  MdlOffset was left out, or other pages of memory were taken than the MDL has
 *   R194  nothing of that, and a side is an aperture of which nothing but this shows what is mapped
 *   R197  the same, of a page that led where it should before
 *   R183  nothing of that, and hAllocation was NULL
 *   R161  nothing of that: bytes are lost or there twice
 *   R184, R185  besides R161 or alone: it is not what the CPU saw of the source
 * Where an operation behind this one wrote what is found, that one is to blame.
 */
#include <string.h>

#include "operation/operation.h"

struct copy {
    const struct shadow_operation *operation;
    const struct shadow_segment *from, *to; /* NULL: the MDL */
    uint64_t from_start, to_start;          /* offset of the allocation there */
    const MDL *mdl;                         /* NULL: no side is one */
    uint64_t offset, size;
};

static uint64_t copy_pages_of(const struct copy *copy) {
    return (copy->size + SHADOW_PAGE - 1) / SHADOW_PAGE;
}

/* Bytes of page `page` of the transfer. */
static uint64_t copy_bytes_at(const struct copy *copy, uint64_t page) {
    uint64_t left = copy->size - page * SHADOW_PAGE;
    return left < SHADOW_PAGE ? left : SHADOW_PAGE;
}

static bool copy_of(struct vidmm_referee *referee, const struct shadow_operation *operation,
                    struct copy *copy) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    uint32_t from = arg->Transfer.Source.SegmentId, to = arg->Transfer.Destination.SegmentId;
    *copy = (struct copy){
        .operation = operation,
        .from = shadow_segment(referee, from),
        .to = shadow_segment(referee, to),
        .offset = arg->Transfer.TransferOffset,
        .size = arg->Transfer.TransferSize,
    };
    if (copy->from)
        copy->from_start =
            (uint64_t)arg->Transfer.Source.SegmentAddress.QuadPart - copy->from->base;
    if (copy->to)
        copy->to_start =
            (uint64_t)arg->Transfer.Destination.SegmentAddress.QuadPart - copy->to->base;
    if (from == 0)
        copy->mdl = arg->Transfer.Source.pMdl;
    else if (to == 0)
        copy->mdl = arg->Transfer.Destination.pMdl;
    return (from == 0 || copy->from) && (to == 0 || copy->to) && (from != 0 || to != 0) &&
           (copy->mdl || (from != 0 && to != 0));
}

/* ---- The sides ------------------------------------------------------------------------------- */

/* Page of the MDL where the transfer begins. */
static uint64_t copy_mdl_start(struct vidmm_referee *referee, const struct copy *copy) {
    bool both = referee->readings.transfer_offset != 0;
    return copy->operation->arg.Transfer.MdlOffset + (both ? copy->offset / SHADOW_PAGE : 0);
}

static const uint8_t *copy_mdl_page(struct vidmm_referee *referee, const struct copy *copy,
                                    uint64_t index, uint64_t size) {
    if (!copy->mdl || index >= operation_mdl_pages(copy->mdl))
        return NULL;
    const PFN_NUMBER *frames = (const PFN_NUMBER *)(copy->mdl + 1);
    return world_memory(referee, frames[index] * SHADOW_PAGE, size);
}

static const uint8_t *copy_source_page(struct vidmm_referee *referee, const struct copy *copy,
                                       uint64_t page) {
    uint64_t size = copy_bytes_at(copy, page);
    if (!copy->from)
        return copy_mdl_page(referee, copy, copy_mdl_start(referee, copy) + page, size);
    return world_see(referee, copy->from, copy->from_start + copy->offset + page * SHADOW_PAGE,
                     size);
}

static const uint8_t *copy_destination_page(struct vidmm_referee *referee, const struct copy *copy,
                                            uint64_t page) {
    uint64_t size = copy_bytes_at(copy, page);
    if (!copy->to)
        return copy_mdl_page(referee, copy, copy_mdl_start(referee, copy) + page, size);
    return world_see(referee, copy->to, copy->to_start + copy->offset + page * SHADOW_PAGE, size);
}

/* Work behind this one has changed a side of it by now. */
static bool copy_outdated(struct vidmm_referee *referee, const struct copy *copy) {
    const struct shadow_operation *operation = copy->operation;
    if (copy->mdl && later_writes(referee, operation, copy->mdl, copy_mdl_start(referee, copy),
                                  copy_pages_of(copy)))
        return true;
    return (copy->from && later_touches(referee, operation, copy->from->id,
                                        copy->from_start + copy->offset, copy->size)) ||
           (copy->to && later_touches(referee, operation, copy->to->id,
                                      copy->to_start + copy->offset, copy->size));
}

/* ---- Which rule ------------------------------------------------------------------------------ */

static bool copy_same(const struct vidmm_referee *referee, const uint8_t *a, const uint8_t *b,
                      uint64_t size) {
    return a && b && world_same(referee, a, b, size);
}

/* One value all over says nothing about where it comes from. */
static bool copy_telling(const uint8_t *bytes, uint64_t size) {
    return bytes && size > 8 && memcmp(bytes, bytes + 8, size - 8) != 0;
}

/* Whether a mistake explains what is found; MAYBE: it does, but so do others, or it cannot be seen
 * any more. */
enum explains { NO, MAYBE, YES };

static enum explains copy_written(struct vidmm_referee *referee, const struct copy *copy,
                                  uint64_t page, const uint8_t *bytes) {
    bool match =
        page < copy_pages_of(copy) &&
        copy_same(referee, bytes, copy_source_page(referee, copy, page), copy_bytes_at(copy, page));
    if (match)
        return YES;
    return copy->from && later_touches(referee, copy->operation, copy->from->id,
                                       copy->from_start + copy->offset, copy->size)
               ? MAYBE
               : NO;
}

/* `bytes` are page `page` of a transfer of the same allocation behind this one. */
static enum explains copy_written_later(struct vidmm_referee *referee, const struct copy *copy,
                                        uint64_t page, const uint8_t *bytes) {
    struct later in = {NULL, 0};
    const struct shadow_operation *at = copy->operation;
    enum explains best = NO;
    while (best != YES && (at = later_next(referee, copy->operation, at, &in))) {
        struct copy later;
        if (at->arg.Operation != DXGK_OPERATION_TRANSFER ||
            at->arg.Transfer.hAllocation != copy->operation->arg.Transfer.hAllocation ||
            !copy_of(referee, at, &later) ||
            copy_bytes_at(&later, page) != copy_bytes_at(copy, page))
            continue;
        enum explains here = copy_written(referee, &later, page, bytes);
        best = here > best ? here : best;
    }
    return best;
}

/* `bytes` are page `page` of this transfer, or of one behind it. */
static enum explains copy_written_by(struct vidmm_referee *referee, const struct copy *copy,
                                     uint64_t page, const uint8_t *bytes) {
    if (!bytes)
        return NO;
    if (copy_same(referee, bytes, copy_source_page(referee, copy, page), copy_bytes_at(copy, page)))
        return YES;
    return copy_written_later(referee, copy, page, bytes);
}

static enum explains copy_matching(bool match) {
    return match ? YES : NO;
}

/* A match that tells nothing is none that counts. */
static enum explains copy_explained(enum explains match, const uint8_t *there, uint64_t size) {
    return match == YES && !copy_telling(there, size) ? MAYBE : match;
}

/* The mistake: the MDL side began at page `start`. */
static enum explains copy_mdl_began(struct vidmm_referee *referee, const struct copy *copy,
                                    uint64_t page, uint64_t start) {
    uint64_t size = copy_bytes_at(copy, page);
    const uint8_t *there = copy_mdl_page(referee, copy, start + page, size);
    enum explains match =
        !copy->to ? copy_written_by(referee, copy, page, there)
                  : copy_matching(copy_same(referee, there,
                                            copy_destination_page(referee, copy, page), size));
    if (match == NO && copy->mdl &&
        later_writes(referee, copy->operation, copy->mdl, start + page, 1))
        return MAYBE;
    return copy_explained(match, there, size);
}

/* The mistake: the side in `segment` did not count TransferOffset. */
static enum explains copy_side_began(struct vidmm_referee *referee, const struct copy *copy,
                                     uint64_t page, const struct shadow_segment *segment,
                                     uint64_t start) {
    uint64_t size = copy_bytes_at(copy, page), at = start + page * SHADOW_PAGE;
    if (!segment)
        return NO;
    const uint8_t *there = world_see(referee, segment, at, size);
    enum explains match =
        segment == copy->to && start == copy->to_start
            ? copy_written_by(referee, copy, page, there)
            : copy_matching(
                  copy_same(referee, there, copy_destination_page(referee, copy, page), size));
    if (match == NO && later_touches(referee, copy->operation, segment->id, at, size))
        return MAYBE;
    return copy_explained(match, there, size);
}

/* Where both sides did not count it, the copy of the first bytes of the allocation is right. */
static enum explains copy_segment_began(struct vidmm_referee *referee, const struct copy *copy,
                                        uint64_t page) {
    uint64_t size = copy_bytes_at(copy, page), at = page * SHADOW_PAGE;
    enum explains to = copy_side_began(referee, copy, page, copy->to, copy->to_start);
    enum explains from = copy_side_began(referee, copy, page, copy->from, copy->from_start);
    enum explains best = to > from ? to : from;
    if (best == NO && copy->to && copy->from &&
        copy_same(referee, world_see(referee, copy->to, copy->to_start + at, size),
                  world_see(referee, copy->from, copy->from_start + at, size), size))
        return MAYBE;
    return best;
}

/* The mistake: the MDL side counted TransferOffset too. */
static enum explains copy_both_began(struct vidmm_referee *referee, const struct copy *copy,
                                     uint64_t page) {
    uint64_t mdl = copy->operation->arg.Transfer.MdlOffset;
    return referee->readings.transfer_offset != 0
               ? NO
               : copy_mdl_began(referee, copy, page, mdl + copy->offset / SHADOW_PAGE);
}

/* The mistake: a side was at `address` of system memory. */
static bool copy_went_to(struct vidmm_referee *referee, const struct copy *copy, uint64_t page,
                         bool to, uint64_t address) {
    uint64_t size = copy_bytes_at(copy, page);
    const uint8_t *there = world_memory(referee, address, size);
    const uint8_t *other =
        to ? copy_source_page(referee, copy, page) : copy_destination_page(referee, copy, page);
    return copy_telling(there, size) && copy_same(referee, there, other, size);
}

#define LOW_BITS UINT64_C(0xffffffff)

/* Of the MDL side page `page` was taken from, or to, another page of memory: which; NULL: none that shows. */
static const char *copy_mistaken_frame(struct vidmm_referee *referee, const struct copy *copy,
                                       uint64_t page) {
    uint64_t first = copy_mdl_start(referee, copy);
    if (!copy->mdl || first + page >= operation_mdl_pages(copy->mdl))
        return NULL;
    const PFN_NUMBER *frames = (const PFN_NUMBER *)(copy->mdl + 1) + first;
    uint64_t address = frames[page] * SHADOW_PAGE;
    if (address > LOW_BITS && copy_went_to(referee, copy, page, !copy->to, address & LOW_BITS))
        return "at the address of its frame without what is beyond 32 bits";
    if (frames[page] != frames[0] + page &&
        copy_went_to(referee, copy, page, !copy->to, (frames[0] + page) * SHADOW_PAGE))
        return "where it would be if the frames of the MDL followed each other";
    return NULL;
}

/* The same of a side in a segment. */
static bool copy_cut_address(struct vidmm_referee *referee, const struct copy *copy, uint64_t page,
                             bool to) {
    const struct shadow_segment *segment = to ? copy->to : copy->from;
    if (!segment)
        return false;
    uint64_t address = segment->base + (to ? copy->to_start : copy->from_start) + copy->offset +
                       page * SHADOW_PAGE;
    return address > LOW_BITS && copy_went_to(referee, copy, page, to, address & LOW_BITS);
}

/* What is behind the pages of a side was mapped by the driver, and was seen nowhere. */
static bool copy_through_mapping(struct vidmm_referee *referee,
                                 const struct shadow_segment *segment) {
    return segment && shadow_aperture(referee, segment->id) && !segment->shown &&
           !world_sees_all(referee);
}

/* Page `page` of a side in such an aperture; NULL: it is in none. */
static struct shadow_page *copy_mapped_page(struct vidmm_referee *referee, const struct copy *copy,
                                            bool to, uint64_t page) {
    const struct shadow_segment *segment = to ? copy->to : copy->from;
    uint64_t start = to ? copy->to_start : copy->from_start;
    uint64_t index = (start + copy->offset) / SHADOW_PAGE + page;
    if (!copy_through_mapping(referee, segment) || !segment->pages ||
        index >= segment->size / SHADOW_PAGE)
        return NULL;
    return &segment->pages[index];
}

static void copy_note_used(struct vidmm_referee *referee, const struct copy *copy) {
    for (uint64_t i = 0; i < 2 * copy_pages_of(copy); i++) {
        struct shadow_page *page = copy_mapped_page(referee, copy, i % 2 != 0, i / 2);
        if (page)
            page->used = page->state == SHADOW_PAGE_MAPPED;
    }
}

/* R197: what is mapped there was so before this. */
static bool copy_used_before(struct vidmm_referee *referee, const struct copy *copy,
                             uint64_t page) {
    const struct shadow_page *to = copy_mapped_page(referee, copy, true, page);
    const struct shadow_page *from = copy_mapped_page(referee, copy, false, page);
    return (to || from) && (!to || to->used) && (!from || from->used);
}

/* The rule that page `page`, which is wrong, names; 0: it tells nothing. */
static uint32_t copy_broken_rule(struct vidmm_referee *referee, const struct copy *copy,
                                 uint64_t page) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &copy->operation->arg;
    uint64_t mdl = arg->Transfer.MdlOffset;
    enum explains offset = NO, start = NO;
    if (copy->offset != 0) {
        enum explains both = copy_both_began(referee, copy, page);
        offset = copy_segment_began(referee, copy, page);
        offset = offset > both ? offset : both;
    }
    if (mdl != 0)
        start = copy_mdl_began(referee, copy, page, copy_mdl_start(referee, copy) - mdl);
    if (offset == YES)
        return 176;
    if (start == YES)
        return 177;
    if (offset == MAYBE || start == MAYBE)
        return 0;
    if (copy_mistaken_frame(referee, copy, page))
        return 177;
    if (copy_used_before(referee, copy, page))
        return 197;
    if (copy_through_mapping(referee, copy->to) || copy_through_mapping(referee, copy->from))
        return 194;
    return !arg->Transfer.hAllocation ? 183 : 161;
}

static void copy_judge_mdl(struct vidmm_referee *referee, const struct copy *copy, bool good,
                           uint64_t page) {
    const char *mistaken = good ? NULL : copy_mistaken_frame(referee, copy, page);
    uint32_t offset = copy->operation->arg.Transfer.MdlOffset;
    if (mistaken)
        DRIVER_MUST(177, false, "the frames that the MDL has from MdlOffset on",
                    "page %llu of a transfer with MdlOffset %u is %s", LLU(page), offset, mistaken);
    else
        DRIVER_MUST(177, good, "the MDL's pages from MdlOffset on",
                    "page %llu of a transfer with MdlOffset %u is where it would be without it",
                    LLU(page), offset);
}

/* True: no page is what the source has, as where the work was never carried out. */
static bool copy_is_missing(struct vidmm_referee *referee, const struct copy *copy) {
    uint64_t pages = copy_pages_of(copy);
    for (uint64_t page = 0; page < pages; page++) {
        const uint8_t *source = copy_source_page(referee, copy, page),
                      *found = copy_destination_page(referee, copy, page);
        if (!source || !found || copy_same(referee, source, found, copy_bytes_at(copy, page)))
            return false;
    }
    return pages > 1;
}

static void copy_judge_bytes(struct vidmm_referee *referee, const struct copy *copy, bool good,
                             uint64_t page) {
    bool cut = !good && (copy_cut_address(referee, copy, page, true) ||
                         copy_cut_address(referee, copy, page, false));
    DRIVER_MUST(161, good, "the destination as the source is, no byte lost, none twice",
                "page %llu of %llu is not what the source has%s", LLU(page),
                LLU(copy_pages_of(copy)),
                cut ? ": it is at SegmentAddress without what is beyond 32 bits"
                : !good && copy_is_missing(referee, copy)
                    ? ", nor is another: as if the work, which was reported complete, had not run"
                    : "");
}

/* `broken` 0: all pages are right; else what page `page` names. */
static void copy_judge(struct vidmm_referee *referee, const struct copy *copy, uint32_t broken,
                       uint64_t page) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &copy->operation->arg;
    bool good = broken == 0;
    if (copy->operation->in_parts)
        DRIVER_MUST(162, good, "all of a transfer whose parts are submitted one by one",
                    "page %llu of %llu is not what the source has", LLU(page),
                    LLU(copy_pages_of(copy)));
    if (broken == 176 || (good && copy->offset != 0))
        DRIVER_MUST(176, good, "SegmentAddress + TransferOffset, and TransferOffset nowhere else",
                    "page %llu of a transfer at TransferOffset 0x%llx is where it would be "
                    "if the offset counted otherwise",
                    LLU(page), LLU(copy->offset));
    if (broken == 177 || (good && copy->mdl && arg->Transfer.MdlOffset != 0))
        copy_judge_mdl(referee, copy, good, page);
    if (broken == 194)
        DRIVER_MUST(
            194, false, "aperture pages that lead to PFN[MdlOffset + i]",
            "page %llu of %llu that go through an aperture is not in the page that is mapped "
            "there",
            LLU(page), LLU(copy_pages_of(copy)));
    if (broken == 197)
        DRIVER_MUST(197, false, "all other pages of the aperture as before",
                    "page %llu of %llu that go through an aperture is no longer in the page that "
                    "is mapped there",
                    LLU(page), LLU(copy_pages_of(copy)));
    if (broken == 183 || (good && !arg->Transfer.hAllocation))
        DRIVER_MUST(183, good, "a plain copy where hAllocation is NULL",
                    "page %llu of %llu is not what the source has", LLU(page),
                    LLU(copy_pages_of(copy)));
    if (broken == 161 || good)
        copy_judge_bytes(referee, copy, good, page);
}

/* ---- The comparison -------------------------------------------------------------------------- */

bool operation_shared_with_cpu(struct vidmm_referee *referee, HANDLE handle) {
    const struct shadow_allocation *allocation = shadow_allocation(referee, handle);
    return allocation &&
           (allocation->info.Flags.PermanentSysMem || allocation->info.Flags.ExistingSysMem ||
            allocation->info.Flags.ExistingKernelSysMem);
}

/* What page `page`, which is wrong, says about this operation; 0: nothing. */
static uint32_t copy_verdict(struct vidmm_referee *referee, const struct copy *copy, uint64_t page,
                             const uint8_t *found) {
    if (operation_shared_with_cpu(referee, copy->operation->arg.Transfer.hAllocation) ||
        copy_written_later(referee, copy, page, found) != NO)
        return 0;
    return copy_broken_rule(referee, copy, page);
}

/* The bytes that the CPU saw through CpuTranslatedAddress, of page `page`; NULL: it cannot. */
static const uint8_t *copy_cpu_page(struct vidmm_referee *referee, const struct copy *copy,
                                    uint64_t page) {
    const struct vidmm_referee_world *world = &referee->world;
    uint64_t size = copy_bytes_at(copy, page);
    uint64_t offset = copy->from_start + copy->offset + page * SHADOW_PAGE;
    if (!copy->from->flags.CpuVisible || copy->from->cpu_base == 0 || !world->io ||
        offset > copy->from->size || size > copy->from->size - offset)
        return NULL;
    return world->io(world->ctx, copy->from->cpu_base + offset, size);
}

/* R184, R185: what leaves GPU memory is in the order in which the CPU saw it there. */
static void copy_judge_order(struct vidmm_referee *referee, const struct copy *copy) {
    HANDLE handle = copy->operation->arg.Transfer.hAllocation;
    const struct shadow_allocation *allocation = shadow_allocation(referee, handle);
    if (!allocation || !allocation->info.Flags.CpuVisible || copy->to ||
        !shadow_memory(referee, copy->from->id) || operation_shared_with_cpu(referee, handle))
        return;
    uint64_t page = 0;
    for (; page < copy_pages_of(copy); page++) {
        const uint8_t *seen = copy_cpu_page(referee, copy, page),
                      *found = copy_destination_page(referee, copy, page);
        if (!seen || !found ||
            (!copy_same(referee, seen, found, copy_bytes_at(copy, page)) &&
             copy_written_later(referee, copy, page, found) != NO))
            return;
        if (!copy_same(referee, seen, found, copy_bytes_at(copy, page)))
            break;
    }
    bool good = page == copy_pages_of(copy);
    bool swizzled = allocation->info.Flags.Swizzled;
    DRIVER_MUST(185, good, "the bytes in the order in which the CPU saw them",
                "page %llu of %llu is not what the CPU saw there before the eviction", LLU(page),
                LLU(copy_pages_of(copy)));
    if (referee->adapter.version <= DXGKDDI_INTERFACE_VERSION_WDDM2_0 && !swizzled)
        DRIVER_MUST(184, good, "the linear bytes of an allocation without Swizzled",
                    "page %llu of %llu differs from its linear bytes", LLU(page),
                    LLU(copy_pages_of(copy)));
}

/* A copy of nothing of its own, by a driver that has apertures alone: no system asks for it, and a driver
 * may ignore it. One that does it shows what is mapped; the conformance check looks at that. */
static bool copy_unasked(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    uint32_t id = 0;
    if (operation->arg.Transfer.hAllocation)
        return false;
    while ((id = shadow_next_segment(referee, id)) != 0)
        if (shadow_memory(referee, id))
            return false;
    return true;
}

void copy_done(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    DXGK_TRANSFERFLAGS flags = operation->arg.Transfer.Flags;
    struct copy copy;
    bool good = true;
    if (flags.Swizzle || flags.Unswizzle || copy_unasked(referee, operation) ||
        !copy_of(referee, operation, &copy) || copy_outdated(referee, &copy))
        return;
    for (uint64_t page = 0; page < copy_pages_of(&copy); page++) {
        const uint8_t *source = copy_source_page(referee, &copy, page),
                      *found = copy_destination_page(referee, &copy, page);
        if (!source || !found) {
            judge_unseen(referee, !operation->arg.Transfer.hAllocation ? 183 : 161,
                         !found ? operation->arg.Transfer.Destination.SegmentId
                                : operation->arg.Transfer.Source.SegmentId);
            return;
        }
        if (copy_same(referee, source, found, copy_bytes_at(&copy, page)))
            continue;
        uint32_t broken = copy_verdict(referee, &copy, page, found);
        good = false;
        if (broken != 0) {
            copy_judge(referee, &copy, broken, page);
            if (broken == 161)
                copy_judge_order(referee, &copy);
            return;
        }
    }
    if (!good)
        return;
    copy_note_used(referee, &copy);
    copy_judge(referee, &copy, 0, 0);
    copy_judge_order(referee, &copy);
}
