/*
 * physical.h - the physical adapters of a logical one (linked-display-adapter.md), and the only
 * place where their numbers become the manager's: the driver counts nodes and segments anew on each
 * physical adapter, the manager over all of them, physical adapter after physical adapter.
 */
#ifndef VIDMM_MANAGER_PHYSICAL_H
#define VIDMM_MANAGER_PHYSICAL_H

#include "reported/query.h"

/* ---- Nodes: NodeOrdinal and EngineOrdinal ---------------------------------------------------- */

/* Of all physical adapters together. */
static inline uint32_t node_total(const struct adapter_facts *facts) {
    return facts->linked * facts->nodes;
}
static inline uint32_t node_index(const struct adapter_facts *facts, uint32_t physical,
                                  uint32_t ordinal) {
    return physical * facts->nodes + ordinal;
}
static inline uint32_t node_physical(const struct adapter_facts *facts, uint32_t node) {
    return node / facts->nodes;
}
static inline uint32_t node_ordinal(const struct adapter_facts *facts, uint32_t node) {
    return node % facts->nodes;
}

/* A set of the driver's, of the nodes of a physical adapter, as the manager counts; only those that
 * exist. */
static inline uint64_t node_set_of_driver(const struct adapter_facts *facts, uint32_t physical,
                                          uint64_t set) {
    uint64_t all = facts->nodes < 64 ? (UINT64_C(1) << facts->nodes) - 1 : UINT64_MAX;
    return (set & all) << physical * facts->nodes;
}

/* ---- Segments: SegmentId and sets of segments ------------------------------------------------ */

/* The segment that the driver counts as `id` on a physical adapter, or NULL. */
static inline struct segment *physical_segment(const struct adapter_facts *facts, uint32_t physical,
                                               uint32_t id) {
    const struct physical_facts *its = &facts->physical[physical];
    return id != 0 && id <= its->segment_count ? &facts->segments[its->first_segment + id - 1]
                                               : NULL;
}
/* The driver's number of a segment on its physical adapter; 0: system memory. */
static inline uint32_t segment_driver_id(const struct segment *segment) {
    return segment ? segment->driver_id : 0;
}
/* The same of segment `id` as the manager counts. */
static inline uint32_t driver_segment_id(const struct adapter_facts *facts, uint32_t id) {
    return segment_driver_id(query_segment(facts, id));
}
/* All segments of a physical adapter. */
static inline uint32_t physical_segment_set(const struct adapter_facts *facts, uint32_t physical) {
    const struct physical_facts *its = &facts->physical[physical];
    return (uint32_t)((UINT64_C(1) << its->segment_count) - 1) << its->first_segment;
}
/* A set of the driver's, of its segments on a physical adapter, as the manager counts. */
static inline uint32_t segment_set_of_driver(const struct adapter_facts *facts, uint32_t physical,
                                             uint32_t set) {
    return set << facts->physical[physical].first_segment;
}
/* The other way round. */
static inline uint32_t driver_segment_set(const struct adapter_facts *facts, uint32_t physical,
                                          uint32_t set) {
    return (set & physical_segment_set(facts, physical)) >> facts->physical[physical].first_segment;
}

/* ---- Groups of memory: each physical adapter has those of enum vidmm_memory_group ------------ */

#define GROUPS_EACH   2u
#define MEMORY_GROUPS (LINKED_MAX * GROUPS_EACH)

static inline uint32_t group_index(uint32_t physical, enum vidmm_memory_group group) {
    return physical * GROUPS_EACH + group;
}
static inline uint32_t group_physical(uint32_t index) {
    return index / GROUPS_EACH;
}
static inline enum vidmm_memory_group group_kind(uint32_t index) {
    return (enum vidmm_memory_group)(index % GROUPS_EACH);
}
/* How many of MEMORY_GROUPS there are. */
static inline uint32_t group_total(const struct adapter_facts *facts) {
    return facts->linked * GROUPS_EACH;
}

#endif
