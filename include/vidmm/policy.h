/*
 * policy.h - a policy of eviction: in which order allocations leave their segments.
 *
 * The manager keeps the allocations of each segment that may be evicted in a balanced tree, by
 * eviction priority and then by the rank that the policy gave them; so a victim is found in
 * logarithmic time whatever the policy. Priorities, offers, budgets, pins and what a submission
 * needs at once are the manager's: no policy can break them.
 *
 * The functions are called one at a time with the adapter's lock held. They must not call vidmm but
 * for the functions of their host. Any function may be NULL.
 *
 * docs/policies.md has an example and how to run it (vidmm run --policy ./mine.so).
 */
#ifndef VIDMM_POLICY_H
#define VIDMM_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header that a policy was compiled with. */
#define VIDMM_POLICY_VERSION 4u
/* What a shared object exports: `const struct vidmm_policy vidmm_policy`. */
#define VIDMM_POLICY_SYMBOL "vidmm_policy"

#define VIDMM_POLICY_WORDS    8u
#define VIDMM_POLICY_SEGMENTS 32u

/* An allocation. All but `own` is for reading. */
struct vidmm_candidate {
    uint32_t priority;                /* D3DDDI_ALLOCATIONPRIORITY_*; lower ones leave first */
    uint32_t segment;                 /* that it lies in, counted from 1; 0: none */
    uint64_t size;                    /* bytes */
    uint64_t last_use;                /* submission number of the newest reference, 0: never used */
    uint64_t uses;                    /* how often referenced */
    bool idle;                        /* the GPU is done with it */
    bool clean;                       /* can be dropped without a transfer */
    bool local;                       /* would rather lie in a memory segment than in an aperture */
    uint64_t own[VIDMM_POLICY_WORDS]; /* the policy's, at first 0 */
};

/* What a policy may ask of the manager, and memory; valid until `done`. */
struct vidmm_policy_host {
    void *ctx;
    void *(*alloc)(void *ctx, size_t size); /* zeroed; NULL: no memory */
    void (*free)(void *ctx, void *memory, size_t size);
    /* Gives `candidate`, of which `freed` was not told, another rank. */
    void (*rank)(void *ctx, struct vidmm_candidate *candidate, uint64_t rank);
    /* Bytes of each segment, by number; 0: none, or an aperture, out of which nothing is copied. */
    uint64_t memory[VIDMM_POLICY_SEGMENTS + 1];
    /* What devices list stays resident: nothing of it leaves memory but for an aperture. */
    bool listed;
};

struct vidmm_policy {
    uint32_t version; /* VIDMM_POLICY_VERSION */
    const char *name;
    /*
     * Before anything else. `*policy` is what all others get; at first it is NULL. False: no memory,
     * and nothing else is called.
     */
    bool (*init)(const struct vidmm_policy_host *host, void **policy);
    /* After everything else. */
    void (*done)(void *policy);
    /*
     * A submission references it, wherever it lies: once for each submission, before the allocation
     * is placed, in the order of the references; with GPU virtual addresses if the caller says what
     * the submission uses. Returns its rank: the lowest leaves first, of equals
     * the one that has its rank for longest. NULL: the number of the submission, which is LRU.
     */
    uint64_t (*used)(void *policy, struct vidmm_candidate *candidate, bool write);
    /* It came into its segment. Returns its rank; NULL: as before. */
    uint64_t (*admitted)(void *policy, struct vidmm_candidate *candidate);
    /* It left the segment that it names, for system memory or for another. */
    void (*evicted)(void *policy, struct vidmm_candidate *candidate);
    /* It was destroyed, and is not told of again. What lies in a segment is evicted before. */
    void (*freed)(void *policy, struct vidmm_candidate *candidate);
    /* Submission `number` has all that it references, and was given to the GPU. */
    void (*submitted)(void *policy, uint64_t number);
    /*
     * It is about to leave. False: it stays for now, with the rank that was written to `*rank`, and
     * the next in order is asked. The manager stops asking after 64 refusals in a row.
     */
    bool (*victim)(void *policy, struct vidmm_candidate *candidate, uint64_t *rank);
    /*
     * The submission at hand uses `coming`, which would rather lie in the segment of `leaving` but
     * can be used in an aperture as well. True: `leaving` makes room for it. NULL: what lies in an
     * aperture stays there while memory is full but for what was not used for long, and what comes
     * in always makes room.
     */
    bool (*exchange)(void *policy, const struct vidmm_candidate *coming,
                     const struct vidmm_candidate *leaving);
    /* The submission at hand is decided as if `exchange` and `worth` were NULL: false. NULL: never. */
    bool (*exchanges)(void *policy);
    /* Its priority is another one: it was set, or the allocation was offered or reclaimed. */
    void (*changed)(void *policy, struct vidmm_candidate *candidate);
    /*
     * What 4096 bytes of it are worth that stay in memory, in units of the policy's own. Where a range is
     * needed, out of which several leave, those leave of which all bytes together are worth least, of
     * the ones that are near the front of the order. NULL: the range whose last one comes first in the order.
     */
    uint64_t (*worth)(void *policy, const struct vidmm_candidate *candidate);
};

/* By priority, then least recently used. */
extern const struct vidmm_policy vidmm_policy_lru;
/* All policies of the library, the default first; NULL: `index` is beyond the last. */
const struct vidmm_policy *vidmm_policy_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif
