/*
 * placer.c - segregated fit over the pages of one segment.
 *
 * All blocks, taken and free, form one list in address order, so that neighbours merge at once when
 * a range is given back. Free blocks also hang in bins by size. What differs from a textbook
 * two-level segregated fit is the choice: not the best fitting hole but the lowest one of those
 * that waste at most a quarter of the request. It packs the low end and keeps the high end whole,
 * which under churn fails a third fewer bytes than first fit does (bench/place.c measures it).
 */
#include "memory/placer.h"

#include <string.h>

#include "base/assert.h"
#include "memory/placer_block.h"

/* How far a bin is searched for a block that fits. */
#define LOOKS 8u
/* How far a bin is searched before giving up altogether. */
#define LAST_LOOKS 64u
#define NO_BIN     UINT32_MAX
/* Nodes are got in chunks of a quarter of those there are, within these bounds. */
#define CHUNK_NODES_MIN 400u
#define CHUNK_NODES_MAX 100000u
/* Nodes that took over from one another are followed so far. */
#define HEIRS 16u

/* A request in pages. */
struct want {
    uint32_t pages, align, low, high;
};

/* ---- Nodes ----------------------------------------------------------------------------------- */

static struct placer_block *take_fresh(struct placer *placer) {
    placer->fresh_left--;
    placer->spares--;
    return placer->fresh++;
}

static struct placer_block *take_spare(struct placer *placer) {
    struct placer_block *block = placer->spare;
    if (!block)
        return take_fresh(placer);
    placer->spare = block->next;
    placer->spares--;
    return block;
}

static void give_spare(struct placer *placer, struct placer_block *block) {
    block->next = placer->spare;
    placer->spare = block;
    placer->spares++;
}

static bool placer_grow(struct placer *placer) {
    uint64_t nodes = placer->metadata / sizeof(struct placer_block) / 4u;
    nodes = nodes > CHUNK_NODES_MIN ? nodes : CHUNK_NODES_MIN;
    nodes = nodes < CHUNK_NODES_MAX ? nodes : CHUNK_NODES_MAX;
    size_t bytes = sizeof(struct placer_chunk) + (size_t)nodes * sizeof(struct placer_block);
    struct placer_chunk *chunk = placer->os->alloc(placer->os->ctx, bytes);
    if (!chunk)
        return false;
    while (placer->fresh_left != 0)
        give_spare(placer, take_fresh(placer));
    chunk->next = placer->chunks;
    chunk->bytes = bytes;
    placer->chunks = chunk;
    placer->metadata += bytes;
    placer->fresh = chunk->nodes;
    placer->fresh_left = (uint32_t)nodes;
    placer->spares += (uint32_t)nodes;
    return true;
}

/* Cutting a range out of a hole makes two more blocks at most. */
static bool have_spares(struct placer *placer) {
    return placer->spares >= 2 || placer_grow(placer);
}

/* ---- Bins ------------------------------------------------------------------------------------ */

/* A block lower than the first of its bin comes first, any other second: no search, nearly sorted.
 */
static void bin_add(struct placer *placer, struct placer_block *block) {
    uint32_t bin = placer_bin_of(block->pages);
    struct placer_block *first = placer->bins[bin];
    struct placer_block **link =
        block->start < placer->heads[bin] ? &placer->bins[bin] : &first->free_next;
    struct placer_block *next = *link;
    block->free_next = next;
    block->free_link = link;
    next->free_link = &block->free_next;
    *link = block;
    placer->heads[bin] = placer->bins[bin]->start;
    placer->bin_map[bin / PLACER_BINS] |= 1u << bin % PLACER_BINS;
    placer->class_map |= 1u << bin / PLACER_BINS;
}

static void bin_remove(struct placer *placer, struct placer_block *block) {
    uint32_t bin = placer_bin_of(block->pages), row = bin / PLACER_BINS;
    struct placer_block *next = block->free_next;
    *block->free_link = next;
    next->free_link = block->free_link;
    placer->heads[bin] = placer->bins[bin]->start;
    uint32_t empty = placer->bins[bin] == placer->edge;
    placer->bin_map[row] &= ~(empty << bin % PLACER_BINS);
    uint32_t row_empty = placer->bin_map[row] == 0;
    placer->class_map &= ~(row_empty << row);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static void insert_after(struct placer_block *block, struct placer_block *previous) {
    struct placer_block *next = previous->next;
    block->previous = previous;
    block->next = next;
    next->previous = block;
    previous->next = block;
}

/* `heir` has its pages from here on. */
static void unlink_block(struct placer *placer, struct placer_block *block,
                         struct placer_block *heir) {
    block->previous->next = block->next;
    block->next->previous = block->previous;
    block->pages = 0;
    block->previous = heir; /* a trail to it goes on there */
    give_spare(placer, block);
}

static void add_hole(struct placer *placer, uint32_t start, uint32_t pages,
                     struct placer_block *previous) {
    struct placer_block *block = take_spare(placer);
    block->start = start;
    block->pages = pages;
    insert_after(block, previous);
    bin_add(placer, block);
}

/* Makes [start, start + pages) of a hole a taken block; the spares for it are there. */
static void carve(struct placer *placer, struct placer_block *hole, uint32_t start,
                  uint32_t pages) {
    uint32_t before = start - hole->start;
    uint32_t after = hole->pages - before - pages;
    bin_remove(placer, hole);
    if (before != 0)
        add_hole(placer, hole->start, before, hole->previous);
    if (after != 0)
        add_hole(placer, start + pages, after, hole);
    hole->start = start;
    hole->pages = pages;
    hole->free_next = NULL;
    placer->used += (uint64_t)pages << placer->page_shift;
    placer->taken++;
}

/* ---- Trails ---------------------------------------------------------------------------------- */

static struct placer_trail *trails_of(struct placer *placer, uint32_t start) {
    return placer->trails[start * 0x9e3779b1u >> 24];
}

static void leave_trail(struct placer *placer, uint32_t start, struct placer_block *block) {
    struct placer_trail *trails = trails_of(placer, start);
    for (uint32_t i = PLACER_WAYS - 1u; i > 0; i--)
        trails[i] = trails[i - 1u];
    trails[0] = (struct placer_trail){start, block};
}

/* A block near page `start`: the one that a range from there on became part of when it was freed,
 * as far as is known, else the first. A node that was used again leads anywhere. */
static struct placer_block *follow_trail(struct placer *placer, uint32_t start) {
    const struct placer_trail *trails = trails_of(placer, start);
    struct placer_block *block = NULL;
    for (uint32_t i = 0; i < PLACER_WAYS && !block; i++)
        block = trails[i].start == start ? trails[i].block : NULL;
    for (uint32_t i = 0; block && block->pages == 0 && i < HEIRS; i++)
        block = block->previous;
    return block && block->pages != 0 ? block : placer->edge->next;
}

/* ---- Giving back ----------------------------------------------------------------------------- */

/* Holes beside it grow, so that trails to them stay. */
void placer_free(struct placer *placer, struct placer_block *block) {
    VIDMM_ASSERT_WITH(placer->os, !placer_is_free(block) && block->pages != 0);
    struct placer_block *previous = block->previous, *next = block->next, *hole = block;
    uint32_t start = block->start;
    placer->used -= (uint64_t)block->pages << placer->page_shift;
    placer->taken--;
    if (placer_is_free(previous)) {
        bin_remove(placer, previous);
        previous->pages += block->pages;
        hole = previous;
        unlink_block(placer, block, hole);
    }
    if (placer_is_free(next)) {
        bin_remove(placer, next);
        hole->pages += next->pages;
        unlink_block(placer, next, hole);
    }
    bin_add(placer, hole);
    leave_trail(placer, start, hole);
}

/* ---- Looking for a hole ---------------------------------------------------------------------- */

/* First page of `want` in a hole from its start on, or PLACER_NO_PAGE. */
static uint32_t fit_low(const struct placer_block *hole, const struct want *want) {
    uint64_t start = hole->start > want->low ? hole->start : want->low;
    uint64_t end = (uint64_t)hole->start + hole->pages;
    if (end > want->high)
        end = want->high;
    start = (start + want->align - 1u) & ~(uint64_t)(want->align - 1u);
    return start + want->pages <= end ? (uint32_t)start : PLACER_NO_PAGE;
}

/* The same from its end on. */
static uint32_t fit_high(const struct placer_block *hole, const struct want *want) {
    uint64_t low = hole->start > want->low ? hole->start : want->low;
    uint64_t end = (uint64_t)hole->start + hole->pages;
    if (end > want->high)
        end = want->high;
    if (end < low + want->pages)
        return PLACER_NO_PAGE;
    uint64_t start = (end - want->pages) & ~(uint64_t)(want->align - 1u);
    return start >= low ? (uint32_t)start : PLACER_NO_PAGE;
}

/* A block of one bin that takes `want`, the lowest as far as `looks` tell. */
static struct placer_block *look_in_bin(const struct placer *placer, uint32_t bin,
                                        const struct want *want, uint32_t looks) {
    struct placer_block *block = placer->bins[bin];
    for (uint32_t i = 0; block != placer->edge && i < looks; i++) {
        if (fit_low(block, want) != PLACER_NO_PAGE)
            return block;
        block = block->free_next;
    }
    return NULL;
}

/* The first bin from `bin` on that is not empty, or NO_BIN. */
static uint32_t next_bin(const struct placer *placer, uint32_t bin) {
    uint32_t row = bin / PLACER_BINS;
    if (row >= PLACER_CLASSES)
        return NO_BIN;
    uint32_t bits = placer->bin_map[row] >> bin % PLACER_BINS;
    if (bits != 0)
        return bin + (uint32_t)__builtin_ctz(bits);
    uint32_t rows = placer->class_map >> row >> 1;
    if (rows == 0)
        return NO_BIN;
    row += 1u + (uint32_t)__builtin_ctz(rows);
    return row * PLACER_BINS + (uint32_t)__builtin_ctz(placer->bin_map[row]);
}

/* A block of the own bin of `pages`, where only some of the blocks are large enough. */
static struct placer_block *look_in_own_bin(const struct placer *placer, uint32_t pages) {
    struct placer_block *block = placer->bins[placer_bin_of(pages)];
    for (uint32_t i = 0; block != placer->edge && i < LAST_LOOKS; i++) {
        if (block->pages >= pages)
            return block;
        block = block->free_next;
    }
    return NULL;
}

/*
 * The lowest hole among the first one of the own bin, if it fits, and those of the bins above it
 * that waste little. Without branches: where holes are is what a processor cannot guess.
 */
static struct placer_block *look_nearby(const struct placer *placer, uint32_t room) {
    uint32_t own = placer_bin_of(room);
    uint32_t bins = room / 4u; /* one bin a page below 32 pages: a quarter more; else all */
    uint64_t best = placer->bins[own]->pages >= room ? placer->heads[own] : PLACER_NO_PAGE;
    best <<= 32;
    for (uint32_t i = 1; i <= PLACER_WINDOW; i++) {
        uint64_t start = i <= bins ? placer->heads[own + i] : PLACER_NO_PAGE;
        uint64_t candidate = start << 32 | i;
        best = candidate < best ? candidate : best;
    }
    uint32_t start = (uint32_t)(best >> 32), bin = own + (uint32_t)best;
    return start != PLACER_NO_PAGE ? placer->bins[bin] : NULL;
}

/* Any hole of `room` pages or more fits: a low one that wastes little, else the best. */
static struct placer_block *look_roomy(const struct placer *placer, uint32_t room) {
    struct placer_block *block = look_nearby(placer, room);
    if (!block) {
        uint32_t bin = next_bin(placer, placer_bin_of(room) + 1u);
        block = bin != NO_BIN ? placer->bins[bin] : look_in_own_bin(placer, room);
    }
    return block;
}

/* Holes that fit only because of where they lie: every bin from the request's own to `room`'s. */
static struct placer_block *look_aligned(const struct placer *placer, const struct want *want,
                                         uint32_t room, uint32_t looks) {
    uint32_t last = placer_bin_of(room);
    for (uint32_t bin = next_bin(placer, placer_bin_of(want->pages)); bin != NO_BIN && bin <= last;
         bin = next_bin(placer, bin + 1u)) {
        struct placer_block *block = look_in_bin(placer, bin, want, looks);
        if (block)
            return block;
    }
    return NULL;
}

static struct placer_block *look_anywhere(const struct placer *placer, const struct want *want) {
    if (want->align == 1)
        return look_roomy(placer, want->pages);
    uint64_t room = (uint64_t)want->pages + want->align - 1u;
    if (room > PLACER_PAGES_MAX)
        return look_aligned(placer, want, PLACER_PAGES_MAX, LAST_LOOKS);
    struct placer_block *block = look_aligned(placer, want, (uint32_t)room, LOOKS);
    if (!block)
        block = look_roomy(placer, (uint32_t)room);
    return block ? block : look_aligned(placer, want, (uint32_t)room, LAST_LOOKS);
}

/* A directed or limited search walks the blocks from the end that is asked for. */
static struct placer_block *look_from_end(const struct placer *placer, const struct want *want) {
    struct placer_block *block = placer->edge->previous;
    while (block != placer->edge && block->start + block->pages > want->low) {
        if (placer_is_free(block) && fit_high(block, want) != PLACER_NO_PAGE)
            return block;
        block = block->previous;
    }
    return NULL;
}

static struct placer_block *look_from_start(const struct placer *placer, const struct want *want) {
    struct placer_block *block = placer->edge->next;
    while (block->start < want->high) {
        if (placer_is_free(block) && fit_low(block, want) != PLACER_NO_PAGE)
            return block;
        block = block->next;
    }
    return NULL;
}

/* ---- Interface ------------------------------------------------------------------------------- */

static uint32_t segment_pages(const struct placer *placer) {
    return (uint32_t)(placer->size >> placer->page_shift);
}

bool placer_init(struct placer *placer, const struct vidmm_os *os, uint64_t size,
                 uint32_t page_size) {
    memset(placer, 0, sizeof(*placer));
    placer->os = os;
    placer->page_shift = placer_highest_bit(page_size);
    uint64_t pages = size >> placer->page_shift;
    pages = pages < PLACER_PAGES_MAX ? pages : PLACER_PAGES_MAX;
    placer->size = pages << placer->page_shift;
    if (!placer_grow(placer))
        return false;
    struct placer_block *edge = take_spare(placer);
    edge->previous = edge->next = edge;
    edge->start = PLACER_NO_PAGE;
    placer->edge = edge;
    memset(placer->heads, 0xff, sizeof(placer->heads));
    for (uint32_t bin = 0; bin < PLACER_BIN_COUNT; bin++)
        placer->bins[bin] = edge;
    if (pages != 0)
        add_hole(placer, 0, (uint32_t)pages, edge);
    return true;
}

void placer_destroy(struct placer *placer) {
    while (placer->chunks) {
        struct placer_chunk *chunk = placer->chunks;
        placer->chunks = chunk->next;
        placer->os->free(placer->os->ctx, chunk, chunk->bytes);
    }
    memset(placer, 0, sizeof(*placer));
}

/* The request in pages; false when it can never fit. */
static bool in_pages(const struct placer *placer, const struct placer_request *request,
                     struct want *want) {
    uint32_t shift = placer->page_shift;
    uint64_t page = 1ull << shift;
    uint64_t end =
        request->high != 0 && request->high < placer->size ? request->high : placer->size;
    if (request->size == 0 || request->size > placer->size || request->low >= end)
        return false;
    uint64_t align = request->alignment > page ? request->alignment >> shift : 1u;
    want->pages = (uint32_t)((request->size + page - 1u) >> shift);
    /* Nothing but offset 0 is aligned to more pages than a segment can have. */
    want->align = align > PLACER_PAGES_MAX ? PLACER_PAGES_MAX + 1u : (uint32_t)align;
    want->low = (uint32_t)((request->low + page - 1u) >> shift);
    want->high = (uint32_t)(end >> shift);
    return true;
}

/* Any hole of the size serves: the usual request, and the one that has to be quick. */
static bool is_plain(const struct placer *placer, const struct placer_request *request) {
    return request->alignment >> placer->page_shift <= 1 && (request->low | request->high) == 0 &&
           !request->from_end && !request->from_start && request->size - 1u < placer->size;
}

static enum placer_result alloc_plain(struct placer *placer, uint64_t size,
                                      struct placer_block **block) {
    uint32_t pages = (uint32_t)((size - 1u) >> placer->page_shift) + 1u;
    struct placer_block *hole = look_roomy(placer, pages);
    if (!hole)
        return PLACER_FULL;
    carve(placer, hole, hole->start, pages);
    *block = hole;
    return PLACER_OK;
}

enum placer_result placer_alloc(struct placer *placer, const struct placer_request *request,
                                struct placer_block **block) {
    if (!have_spares(placer))
        return PLACER_NO_MEMORY;
    if (is_plain(placer, request))
        return alloc_plain(placer, request->size, block);
    struct want want;
    if (!in_pages(placer, request, &want))
        return PLACER_FULL;
    struct placer_block *hole;
    if (request->from_end)
        hole = look_from_end(placer, &want);
    else if (request->from_start || want.low != 0 || want.high != segment_pages(placer))
        hole = look_from_start(placer, &want);
    else
        hole = look_anywhere(placer, &want);
    if (!hole)
        return PLACER_FULL;
    carve(placer, hole, request->from_end ? fit_high(hole, &want) : fit_low(hole, &want),
          want.pages);
    *block = hole;
    return PLACER_OK;
}

/* The block with page `page`, looked for from `block` on. */
static struct placer_block *walk_to(struct placer_block *block, uint32_t page) {
    while (block->start > page)
        block = block->previous;
    while (block->start + block->pages <= page)
        block = block->next;
    return block;
}

static struct placer_block *block_at(struct placer *placer, uint32_t page) {
    return walk_to(follow_trail(placer, page), page);
}

enum placer_result placer_alloc_at(struct placer *placer, uint64_t offset, uint64_t size,
                                   struct placer_block **block) {
    if (size == 0 || offset >= placer->size || size > placer->size - offset)
        return PLACER_FULL;
    uint64_t page = 1ull << placer->page_shift;
    uint32_t start = (uint32_t)(offset >> placer->page_shift);
    uint32_t end = (uint32_t)((offset + size + page - 1u) >> placer->page_shift);
    struct placer_block *hole = block_at(placer, start);
    if (!placer_is_free(hole) || hole->start + hole->pages < end)
        return PLACER_FULL;
    uint32_t needs = (hole->start != start) + (hole->start + hole->pages != end);
    if (placer->spares < needs && !placer_grow(placer))
        return PLACER_NO_MEMORY;
    carve(placer, hole, start, end - start);
    *block = hole;
    return PLACER_OK;
}

uint64_t placer_offset(const struct placer *placer, const struct placer_block *block) {
    return (uint64_t)block->start << placer->page_shift;
}

uint64_t placer_size(const struct placer *placer, const struct placer_block *block) {
    return (uint64_t)block->pages << placer->page_shift;
}

bool placer_is_free_at(struct placer *placer, uint64_t offset, uint64_t size, uint64_t near) {
    if (size == 0 || offset >= placer->size || size > placer->size - offset)
        return false;
    uint32_t shift = placer->page_shift, start = (uint32_t)(offset >> shift);
    uint64_t end = (offset + size + (1ull << shift) - 1u) >> shift;
    const struct placer_block *block =
        walk_to(follow_trail(placer, (uint32_t)(near >> shift)), start);
    return placer_is_free(block) && (uint64_t)block->start + block->pages >= end;
}

uint64_t placer_hole(struct placer *placer, uint64_t offset, uint64_t *end) {
    const struct placer_block *hole = block_at(placer, (uint32_t)(offset >> placer->page_shift));
    VIDMM_ASSERT_WITH(placer->os, placer_is_free(hole));
    *end = placer_offset(placer, hole) + placer_size(placer, hole);
    return placer_offset(placer, hole);
}

uint64_t placer_largest_free(const struct placer *placer) {
    if (placer->class_map == 0)
        return 0;
    uint32_t row = placer_highest_bit(placer->class_map);
    uint32_t bin = row * PLACER_BINS + placer_highest_bit(placer->bin_map[row]);
    uint32_t largest = 0, looks = bin < 2 * PLACER_BINS ? 1 : LAST_LOOKS; /* all alike: one */
    for (const struct placer_block *block = placer->bins[bin];
         block != placer->edge && looks-- != 0; block = block->free_next)
        largest = block->pages > largest ? block->pages : largest;
    return (uint64_t)largest << placer->page_shift;
}
