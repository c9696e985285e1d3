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

/* ---- Segments: SegmentId and sets of segments ------------------------------------------------ */

/* The driver's number of a segment of its physical adapter; 0: system memory. */
static inline uint32_t segment_driver_id(const struct segment *segment) {
    return segment ? segment->driver_id : 0;
}

#endif
