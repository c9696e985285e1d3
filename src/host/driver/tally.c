/* tally.c - counts and hashes DDI calls; see tally.h. */
#include "driver/tally.h"

#include "base/world.h"

/* The hash changes in the order in which calls return. */
uint64_t host_tally_add(uint64_t hash) {
    struct host_tallies *tallies = host_world->tallies;
    struct host_tally *tally = atomic_load_explicit(&tallies->unhashed, memory_order_relaxed)
                                   ? &tallies->unhashed_run
                                   : &tallies->run;
    uint64_t nth = atomic_fetch_add_explicit(&tally->calls, 1, memory_order_relaxed) + 1;
    uint64_t old = atomic_load_explicit(&tally->hash, memory_order_relaxed), mixed;
    do
        mixed = (old ^ hash) * 0x9fb21c651e98df25u;
    while (!atomic_compare_exchange_weak_explicit(&tally->hash, &old, mixed ^ mixed >> 29,
                                                  memory_order_relaxed, memory_order_relaxed));
    return nth;
}

uint32_t host_tally_fence(uint32_t node, uint32_t fence) {
    struct host_tallies *tallies = host_world->tallies;
    bool known =
        node < HOST_NODES && !atomic_load_explicit(&tallies->unhashed, memory_order_relaxed);
    return fence -
           (known ? atomic_load_explicit(&tallies->skipped[node], memory_order_relaxed) : 0);
}

void host_tally_submitted(uint32_t node, const char *call, uint32_t fence) {
    struct host_tallies *tallies = host_world->tallies;
    if (node >= HOST_NODES)
        return;
    atomic_store_explicit(&tallies->last[node], call, memory_order_relaxed);
    atomic_store_explicit(&tallies->last_fence[node], fence, memory_order_relaxed);
    if (atomic_load_explicit(&tallies->unhashed, memory_order_relaxed))
        atomic_fetch_add_explicit(&tallies->skipped[node], 1, memory_order_relaxed);
}

const char *host_tally_last(uint32_t node, uint32_t *fence) {
    const struct host_tallies *tallies = host_world->tallies;
    if (node >= HOST_NODES)
        return NULL;
    *fence = atomic_load_explicit(&tallies->last_fence[node], memory_order_relaxed);
    return atomic_load_explicit(&tallies->last[node], memory_order_relaxed);
}

uint64_t vidmm_host_calls_hash(struct vidmm_host *host) {
    return atomic_load(&host->tallies->run.hash);
}

uint64_t vidmm_host_calls(struct vidmm_host *host) {
    return atomic_load(&host->tallies->run.calls);
}

void vidmm_host_unhashed(struct vidmm_host *host, bool unhashed) {
    atomic_store(&host->tallies->unhashed, unhashed);
}

uint64_t vidmm_host_unhashed_hash(struct vidmm_host *host) {
    return atomic_load(&host->tallies->unhashed_run.hash);
}

uint64_t vidmm_host_unhashed_calls(struct vidmm_host *host) {
    return atomic_load(&host->tallies->unhashed_run.calls);
}
