/*
 * store.h - the pages that a target received, until it has reached the event of the pause: one heap
 * block a page. A newer page replaces the older. Page numbers are checked against the target's own
 * adapter, so the store never needs more than that adapter's memory.
 */
#ifndef VIDMM_MIGRATE_STORE_H
#define VIDMM_MIGRATE_STORE_H

#include "area.h"
#include "message.h"

struct migrate_store {
    uint8_t ***page; /* by area and page: NULL, or its bytes; of zeros &migrate_zero_page */
    struct migrate_areas *areas;
    uint8_t *batch; /* room for one */
};

bool migrate_store_open(struct migrate_store *store, struct migrate_areas *areas);
void migrate_store_close(struct migrate_store *store);
/* A batch was received: its pages are due. false: `text` says why that cannot be. */
bool migrate_store_put(struct migrate_store *store, const struct migrate_pages *pages, char *text,
                       size_t text_size);
/* Fills pages in use that were never received with poison, so that no content of the rehearsal is
 * left. */
void migrate_store_poison(struct migrate_store *store);
/*
 * Writes one batch of the pages that are due and in use to memory. `*more`: there was one. The
 * store keeps the content. false: the device says why.
 */
bool migrate_store_apply(struct migrate_store *store, const struct migrate_device *device,
                         bool *more);
/* Makes all received pages due again, for a guest that restarts. */
void migrate_store_again(struct migrate_store *store);
/* A page in use that was never received; false: there is none. */
bool migrate_store_missing(const struct migrate_store *store, uint32_t *segment, uint64_t *page);

#endif
