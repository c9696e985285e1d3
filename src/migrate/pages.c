/*
 * pages.c - a batch of pages as bytes and back: runs of pages, zero pages without content, the rest
 * compressed with zstd when that saves an eighth. Whether it may is tried on a sample first, because
 * compressing in vain takes most of the time of a fast link.
 *
 *   0 u32 segment   4 u32 bytes of a page   8 u32 runs   12 u32 content, packed
 *   16 u32 content, unpacked (equal to packed: stored as it is)   20 u32 0
 *   24 for each run: u64 first page, u32 pages, u32 1 for zeros
 *   then the content
 */
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define HEAD  24u
#define RUN   16u
#define LEVEL 1 /* links are fast; higher levels cost more time than they save */

/* Content of which a sample is compressed first, and the sample. */
#define LARGE  ((size_t)256 << 10)
#define SAMPLE ((size_t)64 << 10)
#define PIECE  ((size_t)4 << 10)

size_t migrate_pages_bound(const struct migrate_pages *pages) {
    return HEAD + (size_t)MIGRATE_BATCH_RUNS * RUN + pages->raw_bytes;
}

void migrate_pages_free(struct migrate_pages *pages) {
    if (!pages)
        return;
    free(pages->raw);
    free(pages);
}

/* ---- Encoding -------------------------------------------------------------------------------- */

static bool all_zero(const uint8_t *bytes, size_t size) {
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

struct packer {
    uint8_t *runs;
    uint32_t run_count;
    struct migrate_run last;
};

static void end_run(struct packer *packer) {
    if (packer->last.count == 0)
        return;
    uint8_t *to = packer->runs + (size_t)packer->run_count++ * RUN;
    migrate_put(to, packer->last.first, 8);
    migrate_put(to + 8, packer->last.count, 4);
    migrate_put(to + 12, packer->last.zero, 4);
    packer->last.count = 0;
}

static void add_page(struct packer *packer, uint64_t page, bool zero) {
    struct migrate_run *last = &packer->last;
    if (last->count != 0 && last->zero == zero && last->first + last->count == page) {
        last->count++;
        return;
    }
    end_run(packer);
    *last = (struct migrate_run){page, 1, zero};
}

/* Writes the runs to `to` and moves content that is not zero to the start of `raw`. Returns its
 * bytes. */
static size_t elide(struct migrate_pages *pages, struct packer *packer) {
    const uint8_t *from = pages->raw;
    uint8_t *to = pages->raw;
    for (uint32_t r = 0; r < pages->run_count; r++) {
        const struct migrate_run *run = &pages->run[r];
        for (uint32_t k = 0; k < run->count; k++) {
            bool zero = run->zero || all_zero(from, pages->page_bytes);
            add_page(packer, run->first + k, zero);
            if (!zero && to != from)
                memmove(to, from, pages->page_bytes);
            to += zero ? 0 : pages->page_bytes;
            from += run->zero ? 0 : pages->page_bytes;
        }
    }
    end_run(packer);
    return (size_t)(to - pages->raw);
}

/* Bytes at `to`, if that saves an eighth; else 0. */
static size_t compress(const uint8_t *raw, size_t size, uint8_t *to) {
    size_t packed = ZSTD_compress(to, size - size / 8, raw, size, LEVEL);
    return ZSTD_isError(packed) ? 0 : packed;
}

/* A sample of pieces from all over the content saves an eighth. `to` has room for the content. */
static bool sample_packs(const uint8_t *raw, size_t size, uint8_t *to) {
    uint8_t *sample = to + SAMPLE;
    for (size_t i = 0; i < SAMPLE / PIECE; i++)
        memcpy(sample + i * PIECE, raw + size / (SAMPLE / PIECE) * i, PIECE);
    return compress(sample, SAMPLE, to) != 0;
}

/* Writes the content to `to`; returns its bytes there. */
static size_t pack(const uint8_t *raw, size_t size, uint8_t *to) {
    if (size == 0)
        return 0;
    bool pays = size < LARGE || sample_packs(raw, size, to);
    size_t packed = pays ? compress(raw, size, to) : 0;
    if (packed != 0)
        return packed;
    memcpy(to, raw, size);
    return size;
}

bool migrate_pages_encode(struct migrate_pages *pages, uint8_t *to, size_t *size) {
    struct packer packer = {.runs = to + HEAD};
    pages->raw_bytes = elide(pages, &packer);
    uint8_t *content = to + HEAD + (size_t)packer.run_count * RUN;
    size_t packed = pack(pages->raw, pages->raw_bytes, content);
    migrate_put(to, pages->segment, 4);
    migrate_put(to + 4, pages->page_bytes, 4);
    migrate_put(to + 8, packer.run_count, 4);
    migrate_put(to + 12, packed, 4);
    migrate_put(to + 16, pages->raw_bytes, 4);
    migrate_put(to + 20, 0, 4);
    *size = (size_t)(content - to) + packed;
    pages->wire_bytes = *size;
    return true;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

#define NO_MEMORY "found no memory"

static bool page_size_good(uint32_t bytes) {
    return bytes >= MIGRATE_PAGE_LEAST && bytes <= MIGRATE_PAGE_MOST && (bytes & (bytes - 1)) == 0;
}

/* Counts pages with content in `full`; false: the runs are invalid. */
static bool decode_runs(struct migrate_pages *pages, const uint8_t *from, uint64_t *full) {
    uint64_t all = 0, end = 0;
    *full = 0;
    for (uint32_t r = 0; r < pages->run_count; r++, from += RUN) {
        struct migrate_run *run = &pages->run[r];
        uint64_t zero = migrate_get(from + 12, 4);
        run->first = migrate_get(from, 8);
        run->count = (uint32_t)migrate_get(from + 8, 4);
        run->zero = zero != 0;
        all += run->count;
        *full += run->zero ? 0 : run->count;
        if (zero > 1 || run->count == 0 || run->first < end || run->first >= MIGRATE_PAGE_INDEX)
            return false;
        end = run->first + run->count;
    }
    return all * pages->page_bytes <= MIGRATE_BATCH_BYTES;
}

/* NULL: done; else what is wrong. */
static const char *unpack(struct migrate_pages *pages, const uint8_t *from, size_t packed) {
    pages->raw = malloc(pages->raw_bytes + 1);
    if (!pages->raw)
        return NO_MEMORY;
    if (packed == pages->raw_bytes) {
        memcpy(pages->raw, from, packed);
        return NULL;
    }
    size_t got = ZSTD_decompress(pages->raw, pages->raw_bytes, from, packed);
    return !ZSTD_isError(got) && got == pages->raw_bytes ? NULL
                                                         : "has content that does not unpack";
}

static const char *decode(struct migrate_pages *pages, const uint8_t *from, size_t size) {
    uint64_t full = 0;
    if (size < HEAD)
        return "is too short";
    pages->segment = (uint32_t)migrate_get(from, 4);
    pages->page_bytes = (uint32_t)migrate_get(from + 4, 4);
    pages->run_count = (uint32_t)migrate_get(from + 8, 4);
    size_t packed = (size_t)migrate_get(from + 12, 4);
    pages->raw_bytes = (size_t)migrate_get(from + 16, 4);
    pages->wire_bytes = size;
    if (!page_size_good(pages->page_bytes))
        return "has pages of an impossible size";
    if (pages->run_count > MIGRATE_BATCH_RUNS || pages->raw_bytes > MIGRATE_BATCH_BYTES ||
        packed > pages->raw_bytes || migrate_get(from + 20, 4) != 0 ||
        size != HEAD + (size_t)pages->run_count * RUN + packed)
        return "has counts that do not fit its size";
    if (!decode_runs(pages, from + HEAD, &full))
        return "has runs of pages that no batch has";
    if (full * pages->page_bytes != pages->raw_bytes)
        return "has another amount of content than of pages";
    return unpack(pages, from + size - packed, packed);
}

struct migrate_pages *migrate_pages_decode(const uint8_t *from, size_t size, char *text,
                                           size_t text_size) {
    struct migrate_pages *pages = calloc(1, sizeof(*pages));
    const char *wrong = pages ? decode(pages, from, size) : NO_MEMORY;
    if (!wrong)
        return pages;
    snprintf(text, text_size, "a batch of pages %s", wrong);
    migrate_pages_free(pages);
    return NULL;
}
