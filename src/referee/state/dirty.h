/*
 * dirty.h - memory bases as the referee follows them, and the bits that a query of one must show.
 *
 * watch/dirty.c watches the calls and what the driver says of its planes; dirty_bits.c knows which
 * pages were written to and holds every answer against that; watch/migration.c watches a live
 * migration, which asks for them.
 *
 * Only what paging operations wrote is demanded: what applications' commands and the CPU write
 * the referee cannot see. More bits than that are fine: a driver may track coarsely (R322).
 */
#ifndef REFEREE_DIRTY_H
#define REFEREE_DIRTY_H

#include "state/shadow.h"

#define DIRTY_PAGES_MAX  (UINT64_C(1) << 20) /* of a basis that is followed */
#define DIRTY_RANGES_MAX 64u                 /* the same */

/* What happened since a page was written, and may be why its bit is missing. */
enum dirty_event {
    DIRTY_WRITTEN = 0,
    DIRTY_WRITTEN_LATE, /* after a query that cleared it */
    DIRTY_SHOWN,        /* a query that clears nothing showed it */
    DIRTY_OTHER_PART,   /* another part of the basis was cleared */
    DIRTY_OTHER_BASIS,  /* another basis was */
    DIRTY_OTHER_BEGUN,  /* tracking was started for another basis, which has not the page */
    DIRTY_STOPPED,      /* tracking was stopped for another basis */
};

struct dirty_page {
    uint64_t cleared; /* the call that last cleared it; 0: none */
    uint64_t shown;   /* the last of these that showed it set */
    uint64_t taken;   /* the call in which another basis took it; 0: none did */
    uint64_t written; /* number of the write since which the next answer has it (`must`) */
    bool must;
    uint8_t event; /* enum dirty_event */
};

/* What may have written since is told by what was done since. */
struct dirty_moment {
    bool quiet;      /* nothing was under way then */
    uint64_t others; /* other calls than those on bases, by then */
    uint32_t work;   /* and submissions */
};

struct dirty_basis {
    struct dirty_basis *next;
    HANDLE handle;
    uint32_t segment;
    uint64_t page, pages; /* bytes of one; of all ranges */
    bool sound;           /* the ranges are what they should be */
    bool started;
    bool beside;             /* an overlapping basis was stopped since */
    uint64_t started_at;     /* call */
    struct dirty_zeros {     /* which bits were made zero last */
        uint64_t first, end; /* positions */
        bool queried;        /* by a query; else by the start */
        bool cleared;        /* bits that the query showed */
        struct dirty_moment when;
    } zeros;
    struct dirty_taking { /* the last query of another basis that took bits of pages of this one */
        uint64_t call;    /* 0: none */
        bool kept, gone;  /* since then an answer had one of them, or had one of them not */
        struct dirty_moment when;
    } taking;
    struct dirty_page *state; /* `pages` of them; NULL: not followed */
    uint32_t count;
    DXGK_MEMORYRANGE ranges[];
};

struct dirty {
    bool supported, performant, migrates, used;
    bool misplaced; /* R330 is broken: what a bit says of which page is not known */
    uint32_t page[SHADOW_SEGMENTS], asked[SHADOW_SEGMENTS], asked_all; /* of segment id - 1 */
    uint64_t own_calls;
    uint64_t writes; /* that are known to be done, so far */
    struct dirty_basis *bases;
};

/* ---- watch/dirty.c --------------------------------------------------------------------------- */

struct dirty_basis *dirty_each(struct vidmm_referee *referee, const struct dirty_basis *after);
/* DirtyBitTrackingPerformant, as the driver said. */
bool dirty_performant(struct vidmm_referee *referee);
/* Bytes of a bit of segment `id`; 0: it has no plane. */
uint32_t dirty_page_size(struct vidmm_referee *referee, uint32_t id);
/* The call under way is one on a basis, or of a migration: it moves no bytes. */
void dirty_count_call(struct vidmm_referee *referee);
/* All others so far. */
uint64_t dirty_other_calls(struct vidmm_referee *referee);

#endif
