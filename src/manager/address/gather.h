/*
 * gather.h - mappings whose page table entries are written later, those of many calls by one plan.
 *
 * Only what leads nowhere so far is gathered: its entries are invalid, and they stay so until the
 * GPU may use the addresses. So nothing else depends on when they are written: whatever moves or
 * frees the allocation meanwhile follows its mappings in the tables that there are, and the flush
 * writes what the VA map says then, into tables that are made then. What is freed or mapped anew
 * before that needs no entry of its own any more.
 *
 * A flush comes before work of the process is submitted, before one of its updates runs, before a
 * fence is waited for or goes on past the promised value, before the queue goes, and when there is
 * enough. One that fails changes nothing: all of it stays gathered, and the next flush tries again.
 */
#ifndef VIDMM_MANAGER_GATHER_H
#define VIDMM_MANAGER_GATHER_H

#include "paging/table.h"

/* The VA map has nothing in [start, end) that the GPU could reach. */
bool gather_may(const struct space *space, uint64_t start, uint64_t end);
/* [start, end), of which gather_may is true, is used for `use`: in the VA map now, in the tables
 * when it is flushed. Flushes first where there is enough, or for another fence than `*fence`. */
enum vidmm_status gather_add(struct space *space, uint64_t start, uint64_t end,
                             const struct va_use *use, const uint64_t *fence);
/* What is gathered is done when the fence gets its value. */
void gather_promise(struct space *space, const struct gathered_fence *fence);
/* Writes what is gathered, and the fence that was promised for it. */
enum vidmm_status gather_flush(struct space *space);
/* The queue of that fence goes; what could not be written for it stays gathered. */
void gather_forget(struct space *space, const uint64_t *fence);
/* Part of [start, end) is gathered, and its entries are not written. */
bool gather_has(const struct space *space, uint64_t start, uint64_t end);
/* The space goes. */
void gather_end(struct space *space);

#endif
