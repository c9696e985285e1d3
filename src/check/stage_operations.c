/*
 * stage_operations.c - paging operations by the raw submitter: transfers in one and many pieces
 * with all offsets, fills until paging buffers are full, maps in pieces, unmaps and remaps; in one run the
 * memory is larger than 4 GiB. The results are compared byte by byte.
 */
#include "carry.h"
#include "raw.h"
#include "user.h"

#include <string.h>

#include <vidmm/pattern.h>

#define PAGES 16u /* of one operation */
#define FIRST 3u  /* its first page in the source */
#define PLACE 5u  /* its first page in the target */

/* ---- Transfers ------------------------------------------------------------------------------- */

/* A page list of its own for the next operation; the one before is gone, as is what a driver kept of it. */
static void other_pages(struct raw_submitter *raw, PMDL *pages) {
    const struct vidmm_os *os = raw->os;
    PMDL other = raw_list(raw, RAW_PAGES, RAW_RUN);
    if (!other)
        return;
    os->pages_free(os->ctx, *pages);
    *pages = other;
}

static void transfers(struct raw_submitter *raw) {
    static const uint32_t chunks[] = {RAW_PAGES, 1, 3, 7, 16};
    for (uint32_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
        check_step(raw->check, "operations: transfers of %u pages", chunks[i]);
        other_pages(raw, &raw->source);
        other_pages(raw, &raw->target);
        raw_paint(raw, raw->source, 2 * i);
        raw_paint(raw, raw->target, 2 * i + 1);
        if (!raw_move(raw, true, chunks[i]) || !raw_move(raw, false, RAW_PAGES))
            return;
        raw_judge(raw, chunks[i] == RAW_PAGES ? 161 : 176, raw_same(raw),
                  "the bytes of the source pages at the same offsets of the allocation",
                  "other bytes after a transfer in and out");
        raw_paint(raw, raw->target, 2 * i + 1);
        if (!raw_move(raw, false, chunks[i]))
            return;
        raw_judge(raw, chunks[i] == RAW_PAGES ? 161 : 177, raw_same(raw),
                  "the bytes of the allocation in the pages from MdlOffset on",
                  "other bytes after a transfer out in pieces");
    }
}

/* ---- Long lists, and moves ------------------------------------------------------------------- */

#define LONG      192u /* pages, each a run of its own: more than a small paging buffer has room for */
#define LONG_MOST 16385u /* of a list that is longer than a large one */
#define LONG_PART 8u     /* of a paging buffer, that is left for the first pass */

/* Between the pages of a list and the segment from a page on, which belongs to no allocation; built, not submitted. */
static DXGKARG_BUILDPAGINGBUFFER copy_describe(const struct raw_submitter *raw, PMDL list,
                                               uint32_t page, uint32_t pages, bool in) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_TRANSFER};
    const LONGLONG place = (LONGLONG)raw_memory_at(raw, page);
    args.Transfer.TransferSize = (SIZE_T)pages * CHECK_PAGE;
    args.Transfer.Flags.TransferStart = 1;
    args.Transfer.Flags.TransferEnd = 1;
    if (in) {
        args.Transfer.Source.pMdl = list;
        args.Transfer.Destination.SegmentId = raw->memory.id;
        args.Transfer.Destination.SegmentAddress.QuadPart = place;
    } else {
        args.Transfer.Source.SegmentId = raw->memory.id;
        args.Transfer.Source.SegmentAddress.QuadPart = place;
        args.Transfer.Destination.pMdl = list;
    }
    return args;
}

static bool copy_build(struct raw_submitter *raw, PMDL list, uint32_t page, uint32_t pages,
                       bool in) {
    DXGKARG_BUILDPAGINGBUFFER args = copy_describe(raw, list, page, pages, in);
    return raw_build(raw, &args);
}

static bool copy_at(struct raw_submitter *raw, PMDL list, uint32_t page, uint32_t pages, bool in) {
    return copy_build(raw, list, page, pages, in) && raw_flush(raw);
}

/* Pages of an operation that is longer than two whole paging buffers, where each takes no less than its number: a
 * MultipassOffset that counts one pass alone leads back to pages of before in the third, and to no end. */
static uint64_t longer_than_buffer(const struct raw_submitter *raw) {
    const uint64_t whole = 2 * (raw->info.paging_size / sizeof(uint64_t)) + 1;
    return whole <= LONG ? LONG : whole < LONG_MOST ? whole : LONG_MOST;
}

/* Fewer where the memory has no room for so many, or keeps some of it from the system. 0: too few. */
static uint32_t long_list_pages(const struct raw_submitter *raw) {
    const uint64_t pages = longer_than_buffer(raw), room = raw->memory.size / CHECK_PAGE;
    const bool all = raw->memory.invalid_ranges == 0 && raw->memory.vpr_size == 0;
    if (room < RAW_PAGES + LONG)
        return 0;
    return all && pages <= room - RAW_PAGES ? (uint32_t)pages : LONG;
}

/* The next operation has a part of its first buffer, behind another one that was built: what is longer than a whole buffer
 * then begins with a short pass. */
static bool long_behind(struct raw_submitter *raw, bool built) {
    if (built)
        raw_shorten(raw, raw->info.paging_size / LONG_PART);
    return built;
}

/* That other one where there is memory. */
static bool long_copy_before(struct raw_submitter *raw, bool behind) {
    return !behind || long_behind(raw, copy_build(raw, raw->source, 0, 1, true));
}

/* In by one list and out by another, where a driver needs several buffers for either; `behind` another operation. */
static bool long_copies(struct raw_submitter *raw, PMDL from, PMDL to, uint32_t pages,
                        bool behind) {
    return long_copy_before(raw, behind) && copy_at(raw, from, RAW_PAGES, pages, true) &&
           long_copy_before(raw, behind) && copy_at(raw, to, RAW_PAGES, pages, false);
}

static void long_move(struct raw_submitter *raw, PMDL from, PMDL to, uint32_t pages, bool behind) {
    bool good = true;
    for (uint32_t page = 0; page < pages; page++)
        vidmm_pattern_write(raw_page(raw, from, page),
                            vidmm_pattern_key(~(uint64_t)LONG, page, 1 + behind));
    if (!long_copies(raw, from, to, pages, behind))
        return;
    for (uint32_t page = 0; page < pages; page++)
        good = good && memcmp(raw_page(raw, from, page), raw_page(raw, to, page), CHECK_PAGE) == 0;
    raw_judge(raw, 161, good, "the bytes of the source pages, however many buffers it took",
              "other bytes after a transfer of many scattered pages");
}

#define AGAIN 3u

/* Pool blocks that a transfer of so many pages leaves behind each time; `*repeated`: how often it came again. */
static uint64_t left_of_copy(struct raw_submitter *raw, PMDL list, uint32_t pages,
                             uint32_t *repeated) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < AGAIN; i++) {
        const uint64_t before = vidmm_host_pool_blocks(raw->check->harness.host);
        const uint32_t count = raw->repeated;
        if (!long_copy_before(raw, pages > 1) || !copy_at(raw, list, RAW_PAGES, pages, true))
            return 0;
        const uint64_t after = vidmm_host_pool_blocks(raw->check->harness.host);
        const uint64_t left = after > before ? after - before : 0;
        least = left < least ? left : least;
        *repeated = raw->repeated - count;
    }
    return least;
}

/* R181: TransferStart comes with each call for a transfer, and what belongs to the transfer is taken once. */
static void repeated_starts(struct raw_submitter *raw, PMDL list, uint32_t pages) {
    uint32_t once = 0, several = 0;
    if (raw->refused)
        return;
    check_step(raw->check, "operations: transfers that take several calls");
    const uint64_t usual = left_of_copy(raw, list, 1, &once);
    const uint64_t left = left_of_copy(raw, list, pages, &several);
    if (raw->refused || once != 0 || several == 0)
        return;
    vidmm_ledger_judge(&raw->check->shared->ledger, 181, VIDMM_SIDE_DRIVER, left <= usual,
                       "as many pool blocks held after a transfer in several calls as after one "
                       "in a single call",
                       "%llu more were left of a transfer that came again %u times with "
                       "TransferStart, each time",
                       (unsigned long long)(left - usual), several);
}

static void long_lists(struct raw_submitter *raw) {
    const struct vidmm_os *os = raw->os;
    const uint32_t pages = long_list_pages(raw);
    if (raw->refused || pages == 0)
        return;
    check_step(raw->check, "operations: transfers of %u scattered pages", pages);
    PMDL from = raw_list(raw, pages, 1), to = raw_list(raw, pages, 1);
    for (uint32_t behind = 0; from && to && behind < 2 && !raw->refused; behind++)
        long_move(raw, from, to, pages, behind);
    if (from)
        repeated_starts(raw, from, pages);
    if (from)
        os->pages_free(os->ctx, from);
    if (to)
        os->pages_free(os->ctx, to);
}

/* The pages of the allocation to those behind it, in pieces of `chunk` pages, and out of there. */
static bool move_inside(struct raw_submitter *raw, uint32_t chunk) {
    for (uint32_t at = 0; at < RAW_PAGES; at += chunk) {
        DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_TRANSFER};
        uint32_t pages = RAW_PAGES - at < chunk ? RAW_PAGES - at : chunk;
        args.Transfer.TransferOffset = at * CHECK_PAGE;
        args.Transfer.TransferSize = (SIZE_T)pages * CHECK_PAGE;
        args.Transfer.Source.SegmentId = args.Transfer.Destination.SegmentId = raw->memory.id;
        args.Transfer.Source.SegmentAddress.QuadPart = (LONGLONG)raw_memory_at(raw, 0);
        args.Transfer.Destination.SegmentAddress.QuadPart = (LONGLONG)raw_memory_at(raw, RAW_PAGES);
        args.Transfer.Flags.TransferStart = at == 0;
        args.Transfer.Flags.TransferEnd = at + pages == RAW_PAGES;
        if (!raw_build(raw, &args))
            return false;
    }
    return raw_flush(raw) && copy_at(raw, raw->target, RAW_PAGES, RAW_PAGES, false);
}

static void moves(struct raw_submitter *raw) {
    static const uint32_t chunks[] = {RAW_PAGES, 5};
    for (uint32_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
        check_step(raw->check, "operations: moves of %u pages inside the segment", chunks[i]);
        raw_paint(raw, raw->source, 40 + i);
        raw_paint(raw, raw->target, 50 + i);
        if (!raw_move(raw, true, RAW_PAGES) || !move_inside(raw, chunks[i]))
            return;
        raw_judge(raw, chunks[i] == RAW_PAGES ? 161 : 176, raw_same(raw),
                  "the bytes of the first place at the same offsets of the other",
                  "other bytes after a move inside the segment");
    }
}

/* ---- Without an allocation ------------------------------------------------------------------- */

/* R183: "without performing any swizzling or tiling" (nc-d3dkmddi-dxgkddi_buildpagingbuffer), whatever the flags say. */
static bool plain_copy(struct raw_submitter *raw, bool in) {
    DXGKARG_BUILDPAGINGBUFFER args =
        copy_describe(raw, in ? raw->source : raw->target, RAW_PAGES, RAW_PAGES, in);
    args.Transfer.Flags.Swizzle = in;
    args.Transfer.Flags.Unswizzle = !in;
    return raw_build(raw, &args) && raw_flush(raw);
}

/* In with Swizzle and out without, and the other way round: both at once would show nothing. */
static void no_allocation(struct raw_submitter *raw) {
    if (raw->refused)
        return;
    check_step(raw->check, "operations: transfers of no allocation, with Swizzle and Unswizzle");
    for (uint32_t i = 0; i < 2; i++) {
        raw_paint(raw, raw->source, 91 + i);
        raw_paint(raw, raw->target, 95 + i);
        bool moved =
            i == 0
                ? plain_copy(raw, true) && copy_at(raw, raw->target, RAW_PAGES, RAW_PAGES, false)
                : copy_at(raw, raw->source, RAW_PAGES, RAW_PAGES, true) && plain_copy(raw, false);
        if (!moved)
            return;
        raw_judge(raw, 183, raw_same(raw), "a plain copy where hAllocation is NULL",
                  i == 0 ? "other bytes after a transfer in with Swizzle"
                         : "other bytes after a transfer out with Unswizzle");
    }
}

/* ---- Far from the start ------------------------------------------------------------------------ */

#define FAR                                                                                        \
    ((uint32_t)(((uint64_t)1 << 32) / CHECK_PAGE)) /* the first page whose offset has 33 bits */

/* In and out at a page; what the first pages have, `seed` of it, they keep. */
static bool far_at(struct raw_submitter *raw, uint32_t page, uint32_t seed) {
    raw_paint(raw, raw->source, seed + 1);
    raw_paint(raw, raw->target, seed + 2);
    if (!copy_at(raw, raw->source, page, RAW_PAGES, true) ||
        !copy_at(raw, raw->target, page, RAW_PAGES, false))
        return false;
    raw_judge(raw, 161, raw_same(raw), "the bytes of the source pages, wherever they are put",
              "other bytes after a transfer far from the segment's start");
    if (!raw_move(raw, false, RAW_PAGES))
        return false;
    raw_paint(raw, raw->source, seed);
    raw_judge(raw, 560, raw_same(raw), "all other pages of the segment as they were",
              "other bytes at the segment's start after a transfer far from it");
    return true;
}

/* The last pages of the segment, and where offsets no longer have 32 bits. Where some of it is kept from the
 * system (ns-d3dkmddi-_dxgk_segmentdescriptor4) those may be such. */
static void far_away(struct raw_submitter *raw) {
    const uint32_t seed = 70;
    uint64_t pages = raw->memory.size / CHECK_PAGE;
    bool whole = raw->memory.invalid_ranges == 0 && raw->memory.vpr_size == 0;
    if (raw->refused || !whole || pages < 2 * RAW_PAGES || pages > UINT32_MAX)
        return;
    check_step(raw->check, "operations: transfers to the last pages of the segment");
    raw_paint(raw, raw->source, seed);
    if (raw_move(raw, true, RAW_PAGES) && far_at(raw, (uint32_t)pages - RAW_PAGES, seed) &&
        pages >= (uint64_t)FAR + RAW_PAGES) {
        check_step(raw->check, "operations: transfers behind 4 GiB of the segment");
        (void)far_at(raw, FAR, seed);
    }
}

/* ---- Fills ----------------------------------------------------------------------------------- */

#define FILLED_WITH 0x11c0ffeeu

/* Each operation once, as for a new allocation. */
static void first_fill(struct raw_submitter *raw, uint32_t pattern, const char *what) {
    if (!raw->allocation)
        return; /* a fill needs one */
    check_step(raw->check, "operations: %s", what);
    if (!raw_fill(raw, 0, RAW_PAGES, pattern) || !raw_flush(raw) ||
        !raw_move(raw, false, RAW_PAGES))
        return;
    bool good = true;
    for (uint32_t page = 0; page < RAW_PAGES; page++)
        good = good && raw_filled(raw, page, pattern);
    raw_judge(raw, 188, good, "FillSize bytes of the 32-bit pattern",
              "other bytes after a fill and a transfer out");
}

/* Its Size is expanded to whole pages (ns-d3dkmddi-_dxgk_allocationinfo.md), and so is what is filled of it. */
static void uneven_fill(struct raw_submitter *raw) {
    if (raw->refused || !raw->allocation || !raw_leave(raw) || !raw_make_uneven(raw))
        return;
    first_fill(raw, ~FILLED_WITH, "a fill of an allocation that ends within a page");
    (void)raw_leave(raw);
}

/* One after the other into the same buffer, until it was full several times. */
static void many_fills(struct raw_submitter *raw) {
    const uint32_t rounds = 32;
    if (!raw->allocation)
        return;
    check_step(raw->check, "operations: fills back to back");
    for (uint32_t i = 0; i < rounds * RAW_PAGES; i++)
        if (!raw_fill(raw, i % RAW_PAGES, 1, 0x01010101u * (i % 251)))
            return;
    if (!raw_flush(raw) || !raw_move(raw, false, RAW_PAGES))
        return;
    bool good = true;
    for (uint32_t page = 0; page < RAW_PAGES; page++)
        good =
            good && raw_filled(raw, page, 0x01010101u * (((rounds - 1) * RAW_PAGES + page) % 251));
    raw_judge(raw, 154, good, "each of the operations in the buffer done once",
              "other bytes after fills back to back");
}

/* ---- Once ------------------------------------------------------------------------------------ */

#define ONCE       4u /* pages */
#define ONCE_INTO  3u /* pieces of so many */
#define ONCE_RULES (sizeof(once_rules) / sizeof(once_rules[0]))

/* What the referee says of a transfer or map that was not carried out when it was submitted. */
static const uint16_t once_rules[] = {161, 162, 176, 177, 183, 194, 196, 197, 200, 539};

struct once_heard {
    uint8_t muted[ONCE_RULES];
};

/* Each of them is right alone in a buffer: what is wrong is which of them were carried out. */
static struct once_heard once_mute(struct vidmm_ledger *ledger) {
    struct once_heard before;
    for (uint32_t i = 0; i < ONCE_RULES; i++) {
        before.muted[i] = ledger->muted[once_rules[i]];
        ledger->muted[once_rules[i]] = VIDMM_MUTED_ASIDE;
    }
    return before;
}

static void once_hear(struct vidmm_ledger *ledger, const struct once_heard *before) {
    for (uint32_t i = 0; i < ONCE_RULES; i++)
        ledger->muted[once_rules[i]] = before->muted[i];
}

static bool once_piece(struct raw_submitter *raw, PMDL list, uint32_t page, bool in) {
    return copy_build(raw, list, page, ONCE, in) && raw_submit(raw);
}

/* Out of pages, into them and twice into others. */
static bool once_submit(struct raw_submitter *raw) {
    bool good = once_piece(raw, raw->target, 0, false);
    for (uint32_t i = 0; i < ONCE_INTO; i++)
        good = good && once_piece(raw, raw->source, i * ONCE, true);
    return good && raw_try(raw);
}

/* What is not at the beginning of a command, or ends within one, no GPU carries out. */
static void once_judge_failed(struct raw_submitter *raw) {
    if (raw->refused)
        return;
    raw->refused = raw->unseen = true;
    raw_judge(raw, 602, false,
              "each part of a paging buffer carried out when it is submitted, once",
              raw->faulted != 0 ? "one of the parts ended in an error"
                                : "one of the parts was not reported complete");
    (void)check_say(raw->check, VIDMM_STAGE_STOPPED, "paging work did not complete");
}

/* The `count` first pages of the target are the first of the source, again and again. */
static bool once_same(struct raw_submitter *raw, uint32_t count) {
    bool good = true;
    for (uint32_t page = 0; page < count; page++)
        good = good && memcmp(raw_page(raw, raw->source, page % ONCE),
                              raw_page(raw, raw->target, page), CHECK_PAGE) == 0;
    return good;
}

/* Each submitted alone, in one buffer: what was done again would move out what came in, and what was not done did not
 * come in. */
static void once_each(struct raw_submitter *raw) {
    struct vidmm_ledger *ledger = &raw->check->shared->ledger;
    if (raw->refused || check_explained(raw->check))
        return;
    check_step(raw->check, "operations: submissions from one buffer");
    raw_paint(raw, raw->source, 81);
    if (!raw_move(raw, true, RAW_PAGES))
        return;
    raw_paint(raw, raw->source, 82);
    const struct once_heard before = once_mute(ledger);
    bool done = once_submit(raw);
    once_hear(ledger, &before);
    if (!done) {
        once_judge_failed(raw);
        return;
    }
    raw_paint(raw, raw->source, 81);
    bool out = once_same(raw, ONCE);
    raw_paint(raw, raw->source, 82);
    if (!raw_move(raw, false, RAW_PAGES))
        return;
    raw_judge(raw, 602, out && once_same(raw, ONCE_INTO * ONCE),
              "each part of a paging buffer carried out when it is submitted, once",
              out ? "what was to be moved in by a later submission did not come in"
                  : "what a transfer moved out is what a later submission moved in");
}

/* ---- Once, mapped ---------------------------------------------------------------------------- */

static uint32_t once_broken(const struct vidmm_ledger *ledger) {
    uint32_t broken = 0;
    for (uint32_t i = 0; i < ONCE_RULES; i++)
        broken += ledger->broken[once_rules[i]];
    return broken;
}

/* Pages that are mapped and unmapped by the two parts of a buffer; `apart`: by a buffer for each. */
static bool once_map(struct raw_submitter *raw, bool apart) {
    return raw_map(raw, &raw->aperture, 0, ONCE, raw->target, 0) && raw_submit(raw) &&
           (!apart || raw_flush(raw)) &&
           raw_map(raw, &raw->aperture, ONCE, ONCE, raw->target, ONCE) && raw_submit(raw) &&
           (!apart || raw_flush(raw)) && raw_unmap(raw, &raw->aperture, 0, 2 * ONCE) &&
           raw_submit(raw) && raw_try(raw);
}

/* Maps that are right when each has a buffer of its own, and not as parts of one. */
static void once_mapped(struct raw_submitter *raw) {
    struct vidmm_ledger *ledger = &raw->check->shared->ledger;
    if (raw->refused || !raw_is_free(raw, 0, 2 * ONCE))
        return;
    check_step(raw->check, "operations: maps from one buffer");
    const uint32_t known = once_broken(ledger);
    if (!once_map(raw, true) || once_broken(ledger) != known)
        return;
    const uint32_t aside = ledger->aside;
    const struct once_heard before = once_mute(ledger);
    bool done = once_map(raw, false), kept = ledger->aside == aside;
    once_hear(ledger, &before);
    if (!done)
        once_judge_failed(raw);
    else
        raw_judge(raw, 602, kept,
                  "each part of a paging buffer carried out when it is submitted, once",
                  "what a later submission of the buffer was to map is not mapped");
}

/* ---- Beside the range ------------------------------------------------------------------------ */

#define MIDDLE 8u /* first page of an operation with pages on both sides */
#define PART   4u

static bool in_part(uint32_t page) {
    return page >= MIDDLE && page < MIDDLE + PART;
}

/* The part between the segment and the same pages of a list: a copy of its own, of no allocation. */
static bool copy_part(struct raw_submitter *raw, bool in) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_TRANSFER};
    const LONGLONG place = (LONGLONG)raw_memory_at(raw, MIDDLE);
    args.Transfer.TransferSize = (SIZE_T)PART * CHECK_PAGE;
    args.Transfer.MdlOffset = MIDDLE;
    args.Transfer.Flags.TransferStart = 1;
    args.Transfer.Flags.TransferEnd = 1;
    if (in) {
        args.Transfer.Source.pMdl = raw->source;
        args.Transfer.Destination.SegmentId = raw->memory.id;
        args.Transfer.Destination.SegmentAddress.QuadPart = place;
    } else {
        args.Transfer.Source.SegmentId = raw->memory.id;
        args.Transfer.Source.SegmentAddress.QuadPart = place;
        args.Transfer.Destination.pMdl = raw->target;
    }
    return raw_build(raw, &args);
}

/* R560: what the pages beside the part had before, `pattern`, they have still. */
static bool judge_beside(struct raw_submitter *raw, uint32_t pattern, const char *found) {
    if (!raw_flush(raw) || !raw_move(raw, false, RAW_PAGES))
        return false;
    bool good = true;
    for (uint32_t page = 0; page < RAW_PAGES; page++)
        good = good && (in_part(page) || raw_filled(raw, page, pattern));
    raw_judge(raw, 560, good, "all other pages as they were", found);
    return good;
}

/* Out of the segment: the page list has pages before and behind those that are moved to. */
static void out_beside(struct raw_submitter *raw) {
    raw_paint(raw, raw->source, 60);
    raw_paint(raw, raw->target, 60);
    if (!copy_part(raw, false) || !raw_flush(raw))
        return;
    bool good = true;
    for (uint32_t page = 0; page < RAW_PAGES; page++)
        good = good && (in_part(page) || memcmp(raw_page(raw, raw->source, page),
                                                raw_page(raw, raw->target, page), CHECK_PAGE) == 0);
    raw_judge(raw, 560, good, "all other pages of the list as they were",
              "other bytes in pages of the list that a transfer out has nothing to do with");
}

/* Four pages in the middle of many: those beside them keep what they have. */
static void beside(struct raw_submitter *raw) {
    const uint32_t pattern = 0x3c5a7e91u;
    if (!raw->allocation)
        return;
    check_step(raw->check, "operations: pages beside a fill and a transfer");
    if (!raw_fill(raw, 0, RAW_PAGES, pattern) || !raw_flush(raw) ||
        !raw_fill(raw, MIDDLE, PART, ~pattern) ||
        !judge_beside(raw, pattern, "other bytes beside the pages of a fill"))
        return;
    raw_paint(raw, raw->source, 59);
    if (copy_part(raw, true) &&
        judge_beside(raw, pattern, "other bytes beside the pages of a transfer"))
        out_beside(raw);
}

/* ---- The aperture ---------------------------------------------------------------------------- */

static bool arrived(struct raw_submitter *raw) {
    for (uint32_t page = 0; page < PAGES; page++)
        if (memcmp(raw_page(raw, raw->source, FIRST + page),
                   raw_page(raw, raw->target, PLACE + page), CHECK_PAGE) != 0)
            return false;
    return true;
}

/* R200: what goes through a page now is in the dummy page, and not in the page that was mapped. */
static bool judge_unmapped(struct raw_submitter *raw, uint32_t page, uint32_t seed) {
    const void *dummy =
        vidmm_host_memory(raw->check->harness.host, raw->os->dummy_page(raw->os->ctx), CHECK_PAGE);
    bool there = true, stray = false;
    raw_paint(raw, raw->target, seed);
    for (uint32_t i = 0; i < PAGES; i++) {
        if (!raw_move_through(raw, page + i, FIRST + i, 1))
            return false;
        const unsigned char *moved = raw_page(raw, raw->source, FIRST + i);
        there = there && memcmp(dummy, moved, CHECK_PAGE) == 0;
        stray = stray || memcmp(raw_page(raw, raw->target, PLACE + i), moved, CHECK_PAGE) == 0;
    }
    raw_judge(raw, 200, there && !stray, "aperture pages that lead to DummyPage",
              stray ? "bytes that went through them are in the pages that were mapped"
                    : "bytes that went through them are not in the dummy page");
    return true;
}

/* PAGES pages of the target from PLACE on, mapped in pieces of `chunk` at aperture page `page`. */
static bool map_round(struct raw_submitter *raw, uint32_t page, uint32_t chunk) {
    check_step(raw->check, "operations: maps of %u pages at page %u", chunk, page);
    raw_paint(raw, raw->target, page + chunk);
    for (uint32_t at = 0; at < PAGES; at += chunk) {
        uint32_t pages = PAGES - at < chunk ? PAGES - at : chunk;
        if (!raw_map(raw, &raw->aperture, page + at, pages, raw->target, PLACE + at))
            return false;
    }
    if (!raw_flush(raw) || !raw_move_through(raw, page, FIRST, PAGES))
        return false;
    raw_judge(raw, 194, arrived(raw), "aperture pages that lead to PFN[MdlOffset + i]",
              "other bytes in the pages that are mapped");
    return raw_unmap(raw, &raw->aperture, page, PAGES) && raw_flush(raw) &&
           judge_unmapped(raw, page, page + chunk + 1);
}

/* Pages on both sides of a mapped range come and go: the range keeps its own, through which bytes went before. */
static void neighbours(struct raw_submitter *raw) {
    const uint32_t page = 8, side = RAW_PAGES - PLACE - PAGES;
    check_step(raw->check, "operations: maps on both sides of mapped pages");
    raw_paint(raw, raw->target, 77);
    if (!raw_map(raw, &raw->aperture, page, PAGES, raw->target, PLACE) ||
        !raw_map(raw, &raw->aperture, page - side, side, raw->target, 0) ||
        !raw_map(raw, &raw->aperture, page + PAGES, side, raw->target, PLACE + PAGES) ||
        !raw_flush(raw) || !raw_move_through(raw, page, FIRST, PAGES))
        return;
    raw_paint(raw, raw->target, 78);
    if (!raw_unmap(raw, &raw->aperture, page - side, side) ||
        !raw_unmap(raw, &raw->aperture, page + PAGES, side) || !raw_flush(raw) ||
        !raw_move_through(raw, page, FIRST, PAGES))
        return;
    raw_judge(raw, 197, arrived(raw), "all other pages of the aperture as before",
              "other bytes in mapped pages after maps and unmaps beside them");
    (void)(raw_unmap(raw, &raw->aperture, page, PAGES) && raw_flush(raw));
}

/* What is mapped where, by the bytes of the source that go through it. */
static void seen_through(struct raw_submitter *raw) {
    static const uint32_t chunks[] = {PAGES, 1, 5};
    for (uint32_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++)
        if (!map_round(raw, 2 * i, chunks[i]))
            return;
    neighbours(raw);
    uint64_t pages = raw->aperture.size / CHECK_PAGE;
    if (!raw->refused && !raw->mapped &&
        pages > 4 * PAGES) /* the last ones may have the paging buffer */
        (void)(map_round(raw, (uint32_t)(pages / 2), 7) &&
               map_round(raw, (uint32_t)pages - PAGES, 5));
}

static void apertures(struct raw_submitter *raw) {
    if (raw->aperture.id == 0)
        return;
    raw_paint(raw, raw->source, 99);
    if (raw_move(raw, true, RAW_PAGES))
        seen_through(raw);
}

/* What the list's pages get through the aperture, if there is memory that bytes come from: of a very long list, at
 * several places. */
static bool judge_long_map(struct raw_submitter *raw, PMDL list, uint32_t listed) {
    const uint32_t step = listed <= LONG ? RAW_PAGES : listed / (LONG / RAW_PAGES);
    bool good = true;
    if (raw->memory.id == 0)
        return true;
    raw_paint(raw, raw->source, LONG);
    if (!raw_move(raw, true, RAW_PAGES))
        return false;
    for (uint32_t at = 0; at < listed; at += step) {
        uint32_t pages = listed - at < RAW_PAGES ? listed - at : RAW_PAGES;
        if (!raw_move_through(raw, PAGES + at, 0, pages))
            return false;
        for (uint32_t page = 0; page < pages; page++)
            good = good && memcmp(raw_page(raw, raw->source, page), raw_page(raw, list, at + page),
                                  CHECK_PAGE) == 0;
    }
    raw_judge(raw, 194, good, "aperture pages that lead to PFN[MdlOffset + i]",
              "other bytes in the pages that are mapped");
    return true;
}

/* Fewer where there is no room, or too much of it. The paging buffer may be in the aperture, too. 0: too few. */
static uint32_t long_map_pages(const struct raw_submitter *raw) {
    uint64_t room = raw_mapped_most(raw, &raw->aperture), pages = longer_than_buffer(raw);
    room = room > raw->aperture.used ? (room - raw->aperture.used) / CHECK_PAGE : 0;
    if (raw->mapped && raw->place.id == raw->aperture.id && raw_buffer_page(raw) < room)
        room = raw_buffer_page(raw);
    if (raw->aperture.id == 0 || room < LONG + 2 * PAGES)
        return 0;
    pages = pages < room - 2 * PAGES ? pages : room - 2 * PAGES;
    if (!raw_is_free(raw, PAGES, pages))
        pages = raw_is_free(raw, PAGES, LONG) ? LONG : 0;
    return (uint32_t)pages;
}

/* Behind the first page of the aperture, or alone. */
static bool long_map_once(struct raw_submitter *raw, PMDL list, uint32_t pages, bool behind) {
    return (!behind || long_behind(raw, raw_map(raw, &raw->aperture, 0, 1, raw->source, 0))) &&
           raw_map(raw, &raw->aperture, PAGES, pages, list, 0) && raw_flush(raw) &&
           judge_long_map(raw, list, pages) &&
           (!behind || long_behind(raw, raw_unmap(raw, &raw->aperture, 0, 1))) &&
           raw_unmap(raw, &raw->aperture, PAGES, pages) && raw_flush(raw);
}

/* Where a driver needs several buffers for one map. */
static void long_map(struct raw_submitter *raw) {
    const uint32_t pages = long_map_pages(raw);
    if (raw->refused || pages == 0)
        return;
    check_step(raw->check, "operations: a map of %u scattered pages", pages);
    PMDL list = raw_list(raw, pages, 1);
    const uint32_t ways = raw_is_free(raw, 0, 1) ? 2 : 1;
    for (uint32_t behind = 0; list && behind < ways && !raw->refused; behind++)
        if (!long_map_once(raw, list, pages, behind))
            break;
    if (list)
        raw->os->pages_free(raw->os->ctx, list);
}

/* Where nothing is seen through it: the first, the middle and the last pages of the aperture. What a driver
 * keeps of them is as long as the aperture is, or it writes past it (K3). */
static void aperture_alone(struct raw_submitter *raw) {
    uint64_t pages = raw->aperture.size / CHECK_PAGE, last = pages - PAGES;
    const uint64_t places[] = {0, pages / 2, last};
    for (uint32_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        uint32_t page = (uint32_t)places[i];
        if (page == last && raw->mapped)
            return; /* the paging buffer may be there */
        if (!raw_is_free(raw, page, PAGES))
            continue;
        check_step(raw->check, "operations: a map of %u pages at page %u", PAGES, page);
        if (!raw_map(raw, &raw->aperture, page, PAGES, raw->target, PLACE) || !raw_flush(raw) ||
            !raw_unmap(raw, &raw->aperture, page, PAGES) || !raw_flush(raw))
            return;
    }
}

/* ---- The rest -------------------------------------------------------------------------------- */

/* The last page of the segment, too. */
static void physical(struct raw_submitter *raw) {
    uint32_t last = (uint32_t)(raw->memory.size / CHECK_PAGE) - 1;
    check_step(raw->check, "operations: READ_PHYSICAL, WRITE_PHYSICAL");
    if (raw_touch(raw, 1, false) && raw_touch(raw, RAW_PAGES + 1, true) &&
        raw_touch(raw, last, false) && raw_touch(raw, last, true))
        (void)raw_flush(raw);
}

static void discard(struct raw_submitter *raw) {
    if (!raw->allocation)
        return;
    check_step(raw->check, "operations: DISCARD_CONTENT");
    if (raw_discard(raw))
        (void)raw_flush(raw);
}

/* What the driver wrote for an operation that does not exist; false: it does not complete. */
static bool harmless(struct raw_submitter *raw, const DXGKARG_BUILDPAGINGBUFFER *args) {
    uintptr_t used = (uintptr_t)args->pDmaBuffer - (uintptr_t)raw->cpu;
    uintptr_t private_used = (uintptr_t)args->pDmaBufferPrivateData - (uintptr_t)raw->private_data;
    if (used > raw->info.paging_size || private_used > raw->info.paging_private)
        return false;
    raw->used = (uint32_t)used;
    raw->private_used = (uint32_t)private_used;
    return raw_try(raw);
}

/* An unknown operation: the driver must succeed, and what it writes, if it does, do nothing. */
static void unknown(struct raw_submitter *raw) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = (DXGK_BUILDPAGINGBUFFER_OPERATION)0x7fff};
    if (raw->refused)
        return;
    check_step(raw->check, "operations: an unknown one");
    args.hSystemContext = raw->context;
    args.pDmaBuffer = raw->cpu;
    args.DmaSize = raw->info.paging_size;
    args.pDmaBufferPrivateData = raw->private_data;
    args.DmaBufferPrivateDataSize = raw->info.paging_private;
    NTSTATUS status = raw->ddi->DxgkDdiBuildPagingBuffer(raw->adapter, &args);
    bool kept = status == STATUS_SUCCESS && harmless(raw, &args);
    raw->refused = !kept; /* the state of the buffer is unknown */
    vidmm_ledger_judge(&raw->check->shared->ledger, 167, VIDMM_SIDE_DRIVER, kept,
                       "STATUS_SUCCESS, and nothing for the GPU that does not complete",
                       "status 0x%08x and %lld bytes", (unsigned)status,
                       (long long)((unsigned char *)args.pDmaBuffer - raw->cpu));
}

static enum vidmm_stage_outcome operate(struct raw_submitter *raw) {
    if (raw->memory.id == 0) {
        check_step(raw->check, "operations: a transfer through the aperture");
        if (raw_moves_through(raw))
            seen_through(raw);
        else
            aperture_alone(raw);
        once_mapped(raw);
        long_map(raw);
        unknown(raw);
        return raw_close(raw);
    }
    raw_judge_early(raw);
    first_fill(raw, FILLED_WITH, "a fill");
    transfers(raw);
    apertures(raw);
    many_fills(raw);
    once_each(raw);
    beside(raw);
    moves(raw);
    no_allocation(raw);
    far_away(raw);
    long_lists(raw);
    long_map(raw);
    for (uint32_t round = 0; round < 2;
         round++) { /* what is left of the first shows in the second */
        physical(raw);
        discard(raw);
        first_fill(raw, FILLED_WITH, "a fill");
    }
    uneven_fill(raw);
    unknown(raw);
    return raw_close(raw);
}

#define LITTLE_ROOM 256u /* bytes of a paging buffer */

/* Segments of a kind beyond the first. */
#define OTHERS_MOST 3u

static enum vidmm_stage_outcome operate_others(struct check *check,
                                               const struct check_setup *world) {
    enum vidmm_stage_outcome outcome = VIDMM_STAGE_DONE;
    bool there = true;
    for (uint32_t others = 1; there && others <= OTHERS_MOST; others++) {
        struct raw_submitter raw;
        if (!check_open(check, world))
            return VIDMM_STAGE_STOPPED;
        outcome = raw_open_others(&raw, check, others, &there);
        if (outcome != VIDMM_STAGE_DONE)
            return raw_unopened(&raw, outcome);
        outcome = there ? operate(&raw) : raw_close(&raw);
        if (outcome != VIDMM_STAGE_DONE)
            return outcome;
        check_close(check);
        check_step(check, "operations: other segments, %u", others);
    }
    return outcome;
}

/* Each aperture in turn; false: the driver refused something. */
static bool carry_apertures(struct user *user) {
    struct raw_submitter raw = {.refused = false};
    bool there = true;
    for (uint32_t others = 0; there && !raw.refused && others <= OTHERS_MOST; others++) {
        there = raw_open_carried(&raw, user, others);
        if (there) {
            raw_carried_maps(&raw);
            aperture_alone(&raw);
            long_map(&raw);
        }
        raw_close_carried(&raw);
    }
    return !raw.refused;
}

enum vidmm_stage_outcome stage_operations(struct check *check, uint32_t number) {
    static const struct check_setup carried[] = {
        {.settings = {{"VramBytes", (uint64_t)1 << 20}, {"MmuLevels", 4}}, .table = carry_table},
        {.settings = {{"VramBytes", (uint64_t)1 << 20},
                      {"MmuLevels", 4},
                      {"PagingBufferBytes", LITTLE_ROOM}},
         .table = carry_table}};
    static const struct check_setup worlds[] = {
        {.settings = {{"VramBytes", (uint64_t)1 << 20}}},
        {.settings = {{"VramBytes", (uint64_t)16 << 20}, /* room for a long list */
                      {"PagingBufferBytes", CHECK_PAGE},
                      {"PagingPrivateBytes", 64},
                      {"BusyEvery", 2}}},
        {.settings = {{"VramBytes", (uint64_t)1 << 20}, {"PagingBufferSegment", 1}}},
        {.settings = {{"VramBytes", (uint64_t)6 << 30}}, /* see far_away */
         .plain_bytes = (uint64_t)8 << 30,
         .refusable = true},
    };
    struct raw_submitter raw;
    check_step(check, "operations: run %u", number + 1);
    if (number == sizeof(worlds) / sizeof(worlds[0]))
        return operate_others(check, &worlds[0]);
    if (number > sizeof(worlds) / sizeof(worlds[0]))
        return raw_carried_run(check, &carried[number - sizeof(worlds) / sizeof(worlds[0]) - 1],
                               carry_apertures);
    if (!check_open(check, &worlds[number]))
        return worlds[number].refusable
                   ? check_say(check, VIDMM_STAGE_SKIPPED,
                               "the driver does not start with more than 4 GiB of memory")
                   : VIDMM_STAGE_STOPPED;
    enum vidmm_stage_outcome opened = raw_open_aperture(&raw, check);
    return opened == VIDMM_STAGE_DONE ? operate(&raw) : raw_unopened(&raw, opened);
}
