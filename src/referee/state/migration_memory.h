/*
 * migration_memory.h - memory of a migration: what pages were, and which bytes transfers moved.
 *
 * Only pages that belong to processes count: those that their page tables in memory segments lead
 * to, and the pages of these tables. Pages of the paging process's tables are the manager's own.
 */
#ifndef REFEREE_MIGRATION_MEMORY_H
#define REFEREE_MIGRATION_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct vidmm_referee;

/* A page of a memory segment. */
struct migration_page {
    uint64_t key;  /* segment id and offset; 0: a free place in the table */
    uint64_t hash; /* of its bytes */
    bool known;    /* the hash means something */
};

/* A table of pages by key, which grows. */
struct migration_pages {
    struct migration_page *page;
    uint64_t room, count;
    bool failed; /* out of memory: what is not here means nothing */
};

void migration_pages_clear(struct migration_pages *pages);

/* What the pages of processes are now; nothing where work is under way. */
void migration_note_paused(struct vidmm_referee *referee);
/* A transfer of a migration is done: the page of a segment at `gpu_address`, which it read on a
 * source or wrote on a target, has the bytes that were moved; `known` false: its bytes are not known. */
void migration_note_moved(struct vidmm_referee *referee, uint32_t segment, uint64_t gpu_address,
                          bool known);
/* Another paging operation is done than those of a migration: memory may be different for that. */
void migration_note_other(struct vidmm_referee *referee);
/* R340: the pages of `expected`, as the source was paused, against what they are now. */
void migration_judge_memory(struct vidmm_referee *referee);

#endif
