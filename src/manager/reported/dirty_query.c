/*
 * dirty_query.c - what the driver says of dirty-bit tracking and live migration
 * (dirty-bit-tracking.md, live-migration-on-gpup-devices.md). caps.c and its neighbours ask for the
 * rest.
 */
#include <string.h>

#include "reported/ask.h"

#define PAGE_MIGRATION    "live-migration-on-gpup-devices"
#define PAGE_SEGMENT_CAPS "ns-d3dkmddi-dxgk_dirty_bit_tracking_segment_caps"
#define PAGE_BYTES_LEAST  4096u

/*
 * Asks for something that a driver need not have: `*there` false when it does not answer. Only a
 * driver without memory stops the start.
 */
static enum vidmm_status ask_for(const struct question *question, DXGK_QUERYADAPTERINFOTYPE type,
                                 uint32_t *segment, void *output, uint32_t size, bool *there) {
    enum vidmm_status status =
        query_ask(question, type, segment, segment ? sizeof(*segment) : 0, output, size);
    *there = status == VIDMM_OK;
    if (status == VIDMM_OK || question->error->nt == STATUS_NO_MEMORY)
        return status;
    memset(question->error, 0, sizeof(*question->error)); /* the referee says what it has to say */
    return VIDMM_OK;
}

/* A segment whose plane the driver does not have is answered with STATUS_NOT_IMPLEMENTED (R314). */
static enum vidmm_status query_segment_caps(const struct query_context *context,
                                            struct adapter_facts *facts, uint32_t id,
                                            struct vidmm_error *error) {
    const struct question question = {context, error,
                                      "DxgkDdiQueryAdapterInfo(DIRTYBITTRACKINGSEGMENTCAPS)"};
    DXGK_DIRTY_BIT_TRACKING_SEGMENT_CAPS caps = {0};
    bool there;
    enum vidmm_status status = ask_for(&question, DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS, &id,
                                       &caps, sizeof(caps), &there);
    if (status || !there)
        return status;
    if (caps.PageSize < PAGE_BYTES_LEAST || (caps.PageSize & (caps.PageSize - 1)))
        return query_refuse(
            &question, &(struct complaint){.field = "DXGK_DIRTY_BIT_TRACKING_SEGMENT_CAPS.PageSize",
                                           .expected = "a power of two, at least 4096",
                                           .rule = "R312",
                                           .page = PAGE_SEGMENT_CAPS,
                                           .index = id,
                                           .value = caps.PageSize});
    facts->dirty.page[id - 1] = caps.PageSize;
    return VIDMM_OK;
}

static enum vidmm_status query_tracking(const struct query_context *context,
                                        struct adapter_facts *facts, struct vidmm_error *error) {
    const struct question question = {context, error,
                                      "DxgkDdiQueryAdapterInfo(DIRTYBITTRACKINGCAPS)"};
    DXGK_DIRTY_BIT_TRACKING_CAPS caps = {.Value = 0};
    bool there;
    enum vidmm_status status =
        ask_for(&question, DXGKQAITYPE_DIRTYBITTRACKINGCAPS, NULL, &caps, sizeof(caps), &there);
    facts->dirty.tracking = status == VIDMM_OK && there && caps.DirtyBitTrackingSupported;
    facts->dirty.performant = facts->dirty.tracking && caps.DirtyBitTrackingPerformant;
    for (uint32_t i = 0; status == VIDMM_OK && facts->dirty.tracking && i < facts->segment_count;
         i++) {
        if (!facts->segments[i].aperture)
            status = query_segment_caps(context, facts, i + 1, error);
    }
    return status;
}

/* Memory that is not tracked could not be moved while it is written to. */
static const char *dirty_query_untracked(const struct adapter_facts *facts, uint32_t *id) {
    if (!facts->dirty.tracking)
        return "not set without DirtyBitTrackingSupported";
    for (uint32_t i = 0; i < facts->segment_count; i++) {
        *id = i + 1;
        if (!facts->segments[i].aperture && !facts->dirty.page[i])
            return "not set unless every memory segment is tracked";
    }
    return NULL;
}

static enum vidmm_status query_partitions(const struct query_context *context,
                                          struct adapter_facts *facts, struct vidmm_error *error) {
    const struct question question = {context, error, "DxgkDdiQueryAdapterInfo(GPUPCAPS)"};
    DXGK_GPUPCAPS caps = {.Caps.Value = 0};
    uint32_t id = 0;
    bool there;
    enum vidmm_status status =
        ask_for(&question, DXGKQAITYPE_GPUPCAPS, NULL, &caps, sizeof(caps), &there);
    if (status || !there || !caps.Caps.LiveMigration)
        return status;
    const char *expected = dirty_query_untracked(facts, &id);
    if (expected)
        return query_refuse(&question, &(struct complaint){.field = "DXGK_GPUPCAPS.LiveMigration",
                                                           .expected = expected,
                                                           .rule = "R311",
                                                           .page = PAGE_MIGRATION,
                                                           .index = id,
                                                           .value = caps.Caps.Value});
    facts->dirty.migration = true;
    return VIDMM_OK;
}

enum vidmm_status query_dirty(const struct query_context *context, struct adapter_facts *facts,
                              struct vidmm_error *error) {
    if (facts->interface_version < DXGKDDI_INTERFACE_VERSION_WDDM3_2 || facts->linked > 1)
        return VIDMM_OK;
    enum vidmm_status status = query_tracking(context, facts, error);
    return status == VIDMM_OK ? query_partitions(context, facts, error) : status;
}
