/*
 * tally.h - the DDI calls so far: how many, and the hash over them.
 *
 * Unhashed calls (vidmm_host_unhashed) have a count and a hash of their own. They do not change the
 * hash of the run: their fences are subtracted from later ones.
 */
#ifndef HOST_TALLY_H
#define HOST_TALLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define HOST_NODES 64u /* execution nodes with a count of their own */

/* The calls of one kind so far. */
struct host_tally {
    _Atomic uint64_t hash, calls;
};

struct host_tallies {
    struct host_tally run, unhashed_run;
    _Atomic bool unhashed;                /* calls belong to `unhashed_run` at the moment */
    _Atomic uint32_t skipped[HOST_NODES]; /* submissions to each node that were made unhashed */
    /* The call that submitted last to each node, and its fence; NULL: none. */
    const char *_Atomic last[HOST_NODES];
    _Atomic uint32_t last_fence[HOST_NODES];
};

/* Adds a call that has returned, with its hash; returns its number among its kind. */
uint64_t host_tally_add(uint64_t hash);
/* A fence of `node` as it would be without unhashed submissions. */
uint32_t host_tally_fence(uint32_t node, uint32_t fence);
/* Work is submitted to `node` by `call`: if unhashed, later fences of the node are one higher. */
void host_tally_submitted(uint32_t node, const char *call, uint32_t fence);
/* The call that did so last, and its fence; NULL: there is none. */
const char *host_tally_last(uint32_t node, uint32_t *fence);

#endif
