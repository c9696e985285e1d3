/*
 * paged_pool.h - the memory of paged pool, which is out of reach at raised IRQL.
 *
 * Whether a page is there when a driver touches it at DISPATCH_LEVEL is luck in Windows; here it never
 * is, as for the pageable sections of an image (image/paged.h). That needs one thread at a time: with
 * several, another one may be at PASSIVE_LEVEL. The first touch is told (trap/paged.h) and brings the
 * memory back until the IRQL changes. Page: when-should-code-and-data-be-pageable-.md.
 *
 * Freed blocks stay out of reach at any IRQL (pool_hidden.h); few of them, since they are put there anew
 * whenever the others come back.
 */
#ifndef HOST_PAGED_POOL_H
#define HOST_PAGED_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_pool_hidden;

/* Some was allocated, and one thread runs at a time. */
extern bool host_paged_pool;

/* `alone`: one thread at a time. False: no memory. */
bool host_paged_pool_init(bool alone);
void host_paged_pool_done(void);
/* As host_pool_frames_take and host_pool_frames_give. */
void *host_paged_pool_take(size_t bytes);
void host_paged_pool_give(void *memory, size_t bytes);
/* Takes all of it out of reach, or back; true: it was within reach. */
bool host_paged_pool_reach(bool reach);
/* Its freed blocks. */
struct host_pool_hidden *host_paged_pool_hidden(void);
/* The address is in it: within reach, unless it was taken out. */
bool host_paged_pool_has(uint64_t address);

#endif
