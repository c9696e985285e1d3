/*
 * check_placer.c - the blocks of a placer: all of them in the order of addresses without gaps, the
 * free ones merged and in the bins of their sizes, and the sums.
 */
#include "memory/placer_block.h"
#include "check/books.h"

struct blocks {
    uint64_t pages, used_pages;
    uint32_t taken, free;
};

static bool placer_links_agree(const struct placer_block *block) {
    return block->previous->next == block && block->next->previous == block &&
           (!placer_is_free(block) || *block->free_link == block);
}

/* Every block in turn; what is wrong with the list ends the walk. */
static struct blocks check_placer_blocks(const struct vidmm_adapter *adapter,
                                         const struct placer *placer, struct check_object object) {
    struct blocks sum = {0};
    uint64_t end = placer->size >> placer->page_shift;
    bool free_before = false;
    for (const struct placer_block *block = placer->edge->next; block != placer->edge;
         block = block->next) {
        bool free = placer_is_free(block);
        bool follows = block->start == sum.pages && block->pages && block->pages <= end - sum.pages;
        CHECK(adapter, follows, object, "a block does not begin where the one before it ends");
        CHECK(adapter, placer_links_agree(block), object, "a block is not linked both ways");
        CHECK(adapter, !(free && free_before), object, "two free blocks side by side");
        if (!follows || !placer_links_agree(block))
            return sum;
        free_before = free;
        sum.pages += block->pages;
        sum.used_pages += free ? 0 : block->pages;
        sum.taken += !free;
        sum.free += free;
    }
    CHECK(adapter, sum.pages == end, object, "the blocks do not end where the segment does");
    return sum;
}

/* The number of blocks in one bin, or UINT32_MAX. */
static uint32_t placer_bin_count(const struct placer *placer, uint32_t bin, uint32_t most) {
    uint32_t count = 0;
    for (const struct placer_block *block = placer->bins[bin]; block != placer->edge;
         block = block->free_next) {
        if (!block || !placer_is_free(block) || placer_bin_of(block->pages) != bin ||
            count++ == most)
            return UINT32_MAX;
    }
    return count;
}

static void check_placer_bins(const struct vidmm_adapter *adapter, const struct placer *placer,
                              struct check_object object, uint32_t free) {
    uint32_t sum = 0;
    for (uint32_t bin = 0; bin < PLACER_BIN_COUNT; bin++) {
        uint32_t count = placer_bin_count(placer, bin, free), row = bin / PLACER_BINS;
        bool marked = (placer->bin_map[row] >> bin % PLACER_BINS) & 1u;
        bool row_marked = (placer->class_map >> row) & 1u;
        CHECK(adapter, count != UINT32_MAX, object, "a block is in the wrong bin");
        if (count == UINT32_MAX)
            return;
        CHECK(adapter, placer->heads[bin] == placer->bins[bin]->start, object,
              "a bin's first page is not that of its first block");
        CHECK(adapter, marked == (count != 0) && (row_marked || !count), object,
              "the map of bins does not say which have blocks");
        sum += count;
    }
    CHECK(adapter, sum == free, object, "a free block is in no bin");
}

static void check_placer_spares(const struct vidmm_adapter *adapter, const struct placer *placer,
                                struct check_object object) {
    uint32_t count = placer->fresh_left;
    uint64_t bytes = 0;
    for (const struct placer_block *one = placer->spare; one && count <= placer->spares;
         one = one->next)
        count++;
    for (const struct placer_chunk *chunk = placer->chunks; chunk; chunk = chunk->next)
        bytes += chunk->bytes;
    CHECK(adapter, count == placer->spares, object, "the spare nodes are not as many as counted");
    CHECK(adapter, bytes == placer->metadata, object, "its memory is not the sum of its chunks");
}

void check_placer(const struct vidmm_adapter *adapter, const struct placer *placer,
                  struct check_object object) {
    if (!placer->edge)
        return;
    struct blocks sum = check_placer_blocks(adapter, placer, object);
    CHECK(adapter, placer->taken == sum.taken, object,
          "the blocks taken are not as many as counted");
    CHECK(adapter, placer->used == sum.used_pages << placer->page_shift, object,
          "the bytes used are not the sum of the blocks taken");
    check_placer_bins(adapter, placer, object, sum.free);
    check_placer_spares(adapter, placer, object);
}
