/*
 * dirty.h - memory bases as the referee follows them, and the bits that a query of one must show.
 *
 * watch/dirty.c watches the calls and what the driver says of its planes; dirty_bits.c knows which
 * pages were written to and holds every answer against that; watch/migration.c watches a live
 * migration, which asks for them.
 *
 * Only what paging operations wrote is demanded: what applications' commands and the CPU write
 * nobody here can see. More bits than that are fine: a driver may track coarsely (R322).
 */
#ifndef REFEREE_DIRTY_H
#define REFEREE_DIRTY_H

#include "state/shadow.h"

struct query;

#define DIRTY_PAGES_MAX  (UINT64_C(1) << 20) /* of a basis that is followed */
#define DIRTY_RANGES_MAX 64u                 /* the same */

/* What happened since a page was written, and may be why its bit is missing. */
enum dirty_event {
    DIRTY_WRITTEN = 0,
    DIRTY_WRITTEN_LATE, /* after a query that cleared it */
    DIRTY_SHOWN,        /* a query that clears nothing showed it */
    DIRTY_OTHER_PART,   /* another part of the basis was cleared */
    DIRTY_OTHER_BASIS,  /* another basis was */
    DIRTY_STOPPED,      /* tracking of the page was stopped for another basis */
};

struct dirty_page {
    uint64_t cleared; /* the call that last cleared it; 0: none */
    uint64_t shown;   /* the last of these that showed it set */
    bool must;        /* the next answer has it */
    uint8_t event;    /* enum dirty_event */
};

struct dirty_basis {
    struct dirty_basis *next;
    HANDLE handle;
    uint32_t segment;
    uint64_t page, pages; /* bytes of one; of all ranges */
    bool sound;           /* the ranges are what they should be */
    bool started;
    bool beside;              /* an overlapping basis was stopped since */
    bool quiet;               /* nothing was under way when it was started */
    uint64_t started_at;      /* call */
    uint64_t others;          /* other calls than those on bases, by then */
    uint32_t work;            /* and submissions */
    struct dirty_page *state; /* `pages` of them; NULL: not followed */
    uint32_t count;
    DXGK_MEMORYRANGE ranges[];
};

struct dirty {
    bool supported, performant, migrates, used;
    uint32_t page[SHADOW_SEGMENTS], asked[SHADOW_SEGMENTS], asked_all; /* of segment id - 1 */
    uint64_t own_calls;
    struct dirty_basis *bases;
};

/* ---- watch/dirty.c ----------------------------------------------------------------------------- */

struct dirty_basis *dirty_each(struct vidmm_referee *referee, const struct dirty_basis *after);
/* DirtyBitTrackingPerformant, as the driver said. */
bool dirty_performant(struct vidmm_referee *referee);
/* Bytes of a bit of segment `id`; 0: it has no plane. */
uint32_t dirty_page_size(struct vidmm_referee *referee, uint32_t id);
/* The call under way is one on a basis, or of a migration: it moves no bytes. */
void dirty_count_call(struct vidmm_referee *referee);
/* All others so far. */
uint64_t dirty_other_calls(struct vidmm_referee *referee);
/* An answer to DxgkDdiQueryAdapterInfo, of whatever type and status. */
void dirty_answer(struct vidmm_referee *referee, const struct query *query);
/* The manager goes on from asking what the adapter is to using it. */
void dirty_judge_use(struct vidmm_referee *referee);
void dirty_end(struct vidmm_referee *referee);

/* ---- dirty_bits.c ---------------------------------------------------------------------------- */

/* Position of a byte of the segment in the basis, or `pages`: it is not in it. */
uint64_t dirty_position(const struct dirty_basis *basis, uint64_t offset);
void dirty_started(struct vidmm_referee *referee, struct dirty_basis *basis);
void dirty_stopped(struct vidmm_referee *referee, const struct dirty_basis *basis);
/* `basis` answered `bits`: of `count` pages from `first` on, cleared or not. */
struct dirty_answer {
    struct dirty_basis *basis;
    uint64_t first, count;
    bool whole, clear;
    const uint8_t *bits;
};
void dirty_answered(struct vidmm_referee *referee, const struct dirty_answer *answer);
/* An operation that was asked for in call `asked` wrote `size` bytes at a GPU address. */
void dirty_wrote(struct vidmm_referee *referee, uint64_t address, uint64_t size, uint64_t asked);
/* The same of FILL and TRANSFER, when they are done. */
void dirty_operation_done(struct vidmm_referee *referee, const struct shadow_operation *operation);
/* Work is given up: nobody knows what was written. */
void dirty_forget(struct vidmm_referee *referee);

/* ---- watch/migration.c ------------------------------------------------------------------------- */

void referee_watch_dirty(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_migration(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
/* Work is submitted; work of applications if not `paging`. */
void migration_judge_work(struct vidmm_referee *referee, bool paging);
/* A VIRTUAL_TRANSFER of no allocation: from and to local memory. */
void migration_judge_transfer(struct vidmm_referee *referee, bool from_memory, bool to_memory);
/* The bits of a basis are asked for. */
void migration_judge_query(struct vidmm_referee *referee, const struct dirty_basis *basis);
void migration_judge_end(struct vidmm_referee *referee);

#endif
