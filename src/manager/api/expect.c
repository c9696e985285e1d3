/*
 * expect.c - what a submission reads of an allocation, fetched into the caches before it comes. With a
 * million allocations none of it is there, and one miss after the other was most of a submission's time.
 */
#include "object/allocation.h"

#define CACHE_LINE 64u
/* Of records that are not known here: what their owner reads of most of them. */
#define UNKNOWN_RECORD (4 * CACHE_LINE)

static void expect_fetch(const void *record, size_t size) {
    for (size_t i = 0; i < size; i += CACHE_LINE)
        __builtin_prefetch((const char *)record + i);
}

/* The policy's words and the driver's handles are mostly addresses of their records; of anything else
 * nothing is fetched. */
static void expect_unknown(uintptr_t word, size_t size) {
    if (word)
        expect_fetch((const void *)word, size);
}

static void expect_opened(const struct vidmm_allocation *allocation) {
    const struct vidmm_resource *resource = allocation->resource;
    const struct binding *binding = resource->bindings;
    if (binding)
        expect_unknown((uintptr_t)binding->handles[allocation - resource->allocations], CACHE_LINE);
}

void vidmm_allocation_expect(const struct vidmm_allocation *allocation, uint32_t step) {
    if (step == 0) {
        expect_fetch(allocation, sizeof(*allocation));
    } else if (step == 1) {
        expect_unknown((uintptr_t)allocation->resident.facts.own[0], UNKNOWN_RECORD);
        expect_fetch(allocation->resource, sizeof(*allocation->resource));
    } else if (allocation->resource && allocation->resource->bindings) {
        if (step == 2)
            expect_fetch(allocation->resource->bindings, CACHE_LINE);
        else
            expect_opened(allocation);
    }
}
