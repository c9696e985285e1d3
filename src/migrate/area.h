/*
 * area.h - one memory segment in a migration, on either side: its pages that are in use, moved, and
 * still due, and the hash of each page's content when it moved.
 *
 * The digest is over all pages in use: their numbers and hashes. Each side computes it from its own
 * manager's list of pages in use and their content: with equal digests both sides have the same
 * pages with the same content.
 */
#ifndef VIDMM_MIGRATE_AREA_H
#define VIDMM_MIGRATE_AREA_H

#include "device.h"

struct migrate_area {
    struct migrate_segment segment;
    struct page_set used;
    struct page_set moved; /* source: sent; target: received */
    struct page_set due;   /* source: to be sent; target: to be written into memory */
    uint64_t *hash;        /* of the content that moved last */
};

struct migrate_areas {
    struct migrate_area *area;
    uint32_t count;
};

/* One for each segment of `device`. false: `text` says why. */
bool migrate_areas_open(struct migrate_areas *areas, const struct migrate_device *device,
                        char *text, size_t text_size);
void migrate_areas_close(struct migrate_areas *areas);
/* NULL: there is no such segment. */
struct migrate_area *migrate_areas_find(struct migrate_areas *areas, uint32_t id);
/* Asks the manager for the pages in use. */
bool migrate_areas_used(struct migrate_areas *areas, const struct migrate_device *device);

uint64_t migrate_areas_used_bytes(const struct migrate_areas *areas);
uint64_t migrate_areas_due_bytes(const struct migrate_areas *areas);
uint64_t migrate_areas_digest(const struct migrate_areas *areas);
uint64_t migrate_page_hash(const uint8_t *bytes, size_t size);

/* Due pages, taken out of the set: at most `most` ranges and MIGRATE_BATCH_BYTES of one area. */
uint32_t migrate_area_take(struct migrate_area *area, struct vidmm_memory_range *ranges,
                           uint32_t most, size_t *bytes);

#endif
