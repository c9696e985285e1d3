/*
 * dirty.h - which pages of memory segments were written: the adapter's memory bases, and a plane a
 * segment in which the manager gathers what they tell.
 *
 * dirty.c makes the driver's calls for one basis, the manager's or a caller's; dirty_plane.c has a
 * basis over each tracked segment and keeps what was reported of it, so that no report is lost when
 * no caller can use it yet. What is done with it is migration.h.
 */
#ifndef VIDMM_MANAGER_DIRTY_H
#define VIDMM_MANAGER_DIRTY_H

#include <vidmm/migration.h>

#include "memory/segment.h"

struct vidmm_memory_basis {
    struct vidmm_adapter *adapter;
    struct vidmm_memory_basis *next, **link; /* of the adapter's */
    HANDLE handle;                           /* the driver's */
    uint32_t segment, page;                  /* bytes that a bit stands for */
    bool started;
    uint32_t count;
    struct vidmm_memory_range ranges[];
};

/*
 * A tracked segment. A `pending` bit: the migration target may lack this page. The bit stays until
 * the page was sent, in use or not: a page that was left dirty may come into use again without
 * being written. A `written` bit: the page may differ from memory that was never written. It is
 * never cleared: the next migration begins with it.
 */
struct dirty_plane {
    struct vidmm_memory_basis *basis; /* NULL: there is no plane */
    uint64_t pages;                   /* of the segment; the last may be a part of one */
    uint8_t *pending, *written;       /* NULL: not asked for */
};

/* Of the adapter. */
struct dirty {
    struct dirty_plane planes[SEGMENTS_MAX];
    struct vidmm_memory_basis *bases; /* those of the planes among them */
};

/* ---- dirty.c: with the adapter's lock held --------------------------------------------------- */

enum vidmm_status basis_make(struct vidmm_adapter *adapter, uint32_t segment,
                             const struct vidmm_memory_range *ranges, uint32_t count,
                             struct vidmm_memory_basis **out);
void basis_end(struct vidmm_memory_basis *basis);
enum vidmm_status basis_begin(struct vidmm_memory_basis *basis);
enum vidmm_status basis_stop(struct vidmm_memory_basis *basis);
enum vidmm_status basis_ask(struct vidmm_memory_basis *basis, const struct vidmm_dirty_query *query,
                            void *bits, size_t size);

/* ---- dirty_plane.c --------------------------------------------------------------------------- */

/* At start, when nothing but the paging process is in memory: planes for what is tracked. */
enum vidmm_status dirty_start(struct vidmm_adapter *adapter);
/* When the adapter goes: all bases, also those of callers. */
void dirty_stop(struct vidmm_adapter *adapter);
/* The memory was lost, and perhaps what was known of writes: every page may differ. */
void dirty_lost(struct vidmm_adapter *adapter);
/*
 * Another query cleared bits of `basis`, or the start of tracking cleared all of them: records that
 * in the planes.
 */
void dirty_note_answer(const struct vidmm_memory_basis *basis,
                       const struct vidmm_dirty_query *query, const uint8_t *bits);
void dirty_note_start(const struct vidmm_memory_basis *basis);
/* The plane of segment `id`, or NULL. */
struct dirty_plane *dirty_plane_of(struct vidmm_adapter *adapter, uint32_t id);
/* Tracks every plane that is not tracked yet; and those no more that are not tracked always. */
enum vidmm_status dirty_track(struct vidmm_adapter *adapter);
void dirty_untrack(struct vidmm_adapter *adapter);
/* A migration begins: pending is what may differ from memory that was never written. */
void dirty_rewind(struct vidmm_adapter *adapter);
/* Takes what the driver knows of segment `id` into its plane, and clears it there. */
enum vidmm_status dirty_gather(struct vidmm_adapter *adapter, uint32_t id);

#endif
