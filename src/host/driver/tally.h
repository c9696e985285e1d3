/*
 * tally.h - the DDI calls so far: how many, and the hash over them.
 *
 * Calls that are made unhashed (vidmm_host_unhashed) are counted and hashed apart. They leave no
 * trace in the hash of the run: the fences that they used up are taken out of later ones.
 */
#ifndef HOST_TALLY_H
#define HOST_TALLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define HOST_NODES 64u /* execution nodes that can be told apart */

/* The calls of one kind so far. */
struct host_tally {
    _Atomic uint64_t hash, calls;
};

struct host_tallies {
    struct host_tally run, unhashed_run;
    _Atomic bool unhashed;                /* calls of this moment belong to `unhashed_run` */
    _Atomic uint32_t skipped[HOST_NODES]; /* submissions to each node that were made unhashed */
};

/* Adds a call that has returned, with its hash; answers which call of its kind it was. */
uint64_t host_tally_add(uint64_t hash);
/* A fence of `node` as it would be without what was submitted unhashed. */
uint32_t host_tally_fence(uint32_t node, uint32_t fence);
/* Work is submitted to `node`: unhashed, it makes the later fences of the node one higher. */
void host_tally_submitted(uint32_t node);

#endif
