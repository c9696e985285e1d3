/*
 * store.h - where a target keeps pages until it stands at the event to pause at: ordinary memory,
 * one block a page. A page that comes again replaces the older. What a page may be called is bound
 * by the target's own adapter, so the store never takes more than that adapter's memory.
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
/* A batch came: what is in it is due. false: `text` says why that cannot be. */
bool migrate_store_put(struct migrate_store *store, const struct migrate_pages *pages, char *text,
                       size_t text_size);
/* What is in use and never came: poison, so that nothing of the rehearsal is left. */
void migrate_store_poison(struct migrate_store *store);
/*
 * Writes one batch of what is due and in use into memory. `*more`: there was one. Content stays in
 * the store. false: the device says why.
 */
bool migrate_store_apply(struct migrate_store *store, const struct migrate_device *device,
                         bool *more);
/* All that ever came is due again, for a guest that begins again. */
void migrate_store_again(struct migrate_store *store);
/* A page in use that never came; false: there is none. */
bool migrate_store_missing(const struct migrate_store *store, uint32_t *segment, uint64_t *page);

#endif
