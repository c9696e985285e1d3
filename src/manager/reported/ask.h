/*
 * ask.h - one DxgkDdiQueryAdapterInfo call, and the words for an answer that is refused.
 *
 * Only for caps.c, segment_query.c, query.c, mmu_query.c and dirty_query.c.
 */
#ifndef VIDMM_MANAGER_ASK_H
#define VIDMM_MANAGER_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "reported/query.h"

/* A question in progress: the driver that is asked, and where the reason of a refusal goes. */
struct question {
    const struct query_context *context;
    struct vidmm_error *error; /* never NULL */
    const char *call;          /* for the error */
};

/* What is wrong with an answer. */
struct complaint {
    const char *field, *expected, *rule, *page;
    uint32_t index; /* segment id, bank or range; 0: none */
    uint64_t value;
};

/* Records that the driver broke a rule; returns VIDMM_DRIVER_BROKE_RULE. */
enum vidmm_status query_refuse(const struct question *question, const struct complaint *complaint);
enum vidmm_status query_no_memory(const struct question *question);

/*
 * Asks. A status that the call may return becomes VIDMM_DRIVER_REFUSED, any other
 * VIDMM_DRIVER_BROKE_RULE (R27).
 */
enum vidmm_status query_ask(const struct question *question, DXGK_QUERYADAPTERINFOTYPE type,
                            void *input, uint32_t input_size, void *output, uint32_t output_size);

/* mmu_query.c, after the segments, of physical adapter `index`: nothing where it has no GpuMmu. */
enum vidmm_status query_mmu(const struct query_context *context, struct adapter_facts *facts,
                            uint32_t index, struct vidmm_error *error);
/* dirty_query.c, after the segments: nothing before WDDM 3.2, nor of linked adapters. */
enum vidmm_status query_dirty(const struct query_context *context, struct adapter_facts *facts,
                              struct vidmm_error *error);
/* caps.c: driver caps, then execution nodes, and whether there is a GpuMmu. */
enum vidmm_status query_caps(const struct query_context *context, struct adapter_facts *facts,
                             struct vidmm_error *error);

#endif
