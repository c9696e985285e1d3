/*
 * shadow.c - the objects of shadow.h by kind and handle, and the places of allocations.
 */
#include <stdlib.h>
#include <string.h>

#include "state/judge.h"
#include "state/memory.h"

/* ---- What belongs together ------------------------------------------------------------------- */

/* The driver says a node of the context's physical adapter. */
static uint32_t shadow_companion_node(const struct shadow_context *context) {
    uint32_t node = context->context_info.PagingCompanionNodeId;
    return node < SHADOW_ORDINALS ? linked_node(context->physical, node) : SHADOW_NODES;
}

void shadow_count_context(struct vidmm_referee *referee, struct shadow_context *context) {
    struct shadow_objects *objects = &referee->objects;
    uint32_t node = shadow_companion_node(context);
    context->counted = true;
    if (context->owner)
        chain_join(&context->owner->contexts, &context->of_device);
    if (context->system)
        objects->system_contexts++;
    else if (node < SHADOW_NODES)
        objects->companion_nodes[node]++;
}

static void shadow_drop_context(struct vidmm_referee *referee, struct shadow_context *context) {
    struct shadow_objects *objects = &referee->objects;
    uint32_t node = shadow_companion_node(context);
    chain_leave(&context->of_device);
    if (context->counted && context->system)
        objects->system_contexts--;
    else if (context->counted && node < SHADOW_NODES)
        objects->companion_nodes[node]--;
}

static void shadow_drop_device(struct vidmm_referee *referee, struct shadow_device *device) {
    (void)referee;
    chain_part(&device->contexts);
    chain_part(&device->opens);
    chain_part(&device->allocations);
}

static void shadow_drop_resource(struct vidmm_referee *referee, struct shadow_resource *resource) {
    (void)referee;
    chain_part(&resource->allocations);
}

/* Once it is, `by` is 1; before it goes, -1. */
static void shadow_count_overlay(struct vidmm_referee *referee,
                                 const struct shadow_allocation *allocation, int32_t by) {
    uint32_t first = linked_segment(allocation->physical, 1) - 1;
    for (uint32_t i = 0; allocation->info.Flags.Overlay && i < SHADOW_SEGMENT_IDS; i++)
        if ((allocation->write_set >> i & 1u) != 0)
            referee->objects.overlays[first + i] += (uint32_t)by;
}

void shadow_count_allocation(struct vidmm_referee *referee,
                             const struct shadow_allocation *allocation) {
    shadow_count_overlay(referee, allocation, 1);
}

static void shadow_drop_allocation(struct vidmm_referee *referee,
                                   struct shadow_allocation *allocation) {
    shadow_judge_displayed(referee, allocation);
    shadow_displace(referee, allocation);
    shadow_count_overlay(referee, allocation, -1);
    chain_leave(&allocation->of_left);
    chain_leave(&allocation->of_clean);
    chain_leave(&allocation->of_resource);
    chain_leave(&allocation->of_device);
    for (struct chain_link *at = allocation->opens.first; at; at = at->after)
        CHAIN_OWNER(struct shadow_opened, of_allocation, at)->allocation = NULL;
    chain_part(&allocation->opens);
}

static void shadow_drop_opened(struct vidmm_referee *referee, struct shadow_opened *opened) {
    (void)referee;
    chain_leave(&opened->of_device);
    chain_leave(&opened->of_allocation);
}

void shadow_join_resource(struct shadow_allocation *allocation, struct shadow_resource *resource) {
    allocation->resource = resource;
    if (resource)
        chain_join(&resource->allocations, &allocation->of_resource);
}

void shadow_join_device(struct vidmm_referee *referee, struct shadow_allocation *allocation,
                        HANDLE device) {
    struct shadow_device *shadow = shadow_device(referee, device);
    allocation->device = device;
    if (shadow)
        chain_join(&shadow->allocations, &allocation->of_device);
}

void shadow_join_opened(struct vidmm_referee *referee, struct shadow_opened *opened, HANDLE device,
                        struct shadow_allocation *allocation) {
    struct shadow_device *shadow = shadow_device(referee, device);
    opened->device = device;
    opened->allocation = allocation;
    if (shadow)
        chain_join(&shadow->opens, &opened->of_device);
    if (allocation)
        chain_join(&allocation->opens, &opened->of_allocation);
}

/* ---- Objects of a kind ----------------------------------------------------------------------- */

static void *shadow_add(struct keyed_table *kind, size_t size, HANDLE handle) {
    struct shadow_head *head = memory_calloc(1, size);
    if (!head || !keyed_add(kind, &head->keyed, keyed_handle(handle))) {
        free(head);
        return NULL;
    }
    head->handle = handle;
    return head;
}

static void shadow_free_all(struct keyed_table *kind) {
    struct keyed *next;
    for (struct keyed *at = kind->first; at; at = next) {
        next = at->after;
        free(at);
    }
    keyed_clear(kind);
}

#define SHADOW_KIND(kind)                                                                          \
    struct shadow_##kind *shadow_##kind(struct vidmm_referee *referee, HANDLE handle) {            \
        return (struct shadow_##kind *)keyed_find(&referee->objects.kind, keyed_handle(handle));   \
    }                                                                                              \
    struct shadow_##kind *shadow_add_##kind(struct vidmm_referee *referee, HANDLE handle) {        \
        return shadow_add(&referee->objects.kind, sizeof(struct shadow_##kind), handle);           \
    }                                                                                              \
    void shadow_remove_##kind(struct vidmm_referee *referee, struct shadow_##kind *kind) {         \
        shadow_drop_##kind(referee, kind);                                                         \
        keyed_remove(&referee->objects.kind, &kind->head.keyed);                                   \
        free(kind);                                                                                \
    }

SHADOW_KIND(device)
SHADOW_KIND(context)
SHADOW_KIND(resource)
SHADOW_KIND(allocation)
SHADOW_KIND(opened)

struct shadow_allocation *shadow_next_allocation(struct vidmm_referee *referee,
                                                 const struct shadow_allocation *after) {
    struct keyed *next = after ? after->head.keyed.after : referee->objects.allocation.first;
    return (struct shadow_allocation *)next;
}

struct shadow_opened *shadow_find_opened(struct vidmm_referee *referee, HANDLE device,
                                         HANDLE handle) {
    struct shadow_opened *opened = shadow_opened(referee, handle);
    while (opened && opened->device != device)
        opened = (struct shadow_opened *)keyed_find_older(&opened->head.keyed);
    return opened;
}

/* ---- Places ---------------------------------------------------------------------------------- */

uint64_t shadow_pitch_size(const struct shadow_allocation *allocation) {
    uint64_t pitch = allocation->info.PitchAlignedSize;
    pitch = (pitch + SHADOW_PAGE - 1) / SHADOW_PAGE * SHADOW_PAGE;
    return pitch > allocation->size ? pitch : allocation->size;
}

void shadow_judge_displayed(struct vidmm_referee *referee, struct shadow_allocation *allocation) {
    if (!allocation->displayed)
        return;
    MANAGER_MUST(641, false, "a surface that stays in its place while a display may read it",
                 "a surface of 0x%llx bytes leaves its place, which is displayed",
                 LLU(allocation->size));
    allocation->displayed = false;
}

void shadow_displace(struct vidmm_referee *referee, struct shadow_allocation *allocation) {
    if (allocation->placed)
        interval_remove(&referee->objects.places[allocation->segment - 1], &allocation->place);
    chain_leave(&allocation->of_settled);
    allocation->placed = false;
}

void shadow_place(struct vidmm_referee *referee, struct shadow_allocation *allocation, uint32_t id,
                  uint64_t offset) {
    if (allocation->placed && allocation->segment == id && allocation->offset == offset)
        return;
    shadow_judge_displayed(referee, allocation);
    shadow_displace(referee, allocation);
    if (id == 0 || id > SHADOW_SEGMENTS)
        return;
    allocation->since = referee->ledger->calls;
    if (shadow_memory(referee, id) && !shadow_stays(allocation))
        chain_join(&referee->objects.settled, &allocation->of_settled);
    allocation->placed = allocation->placed_before = true;
    allocation->segment = id;
    allocation->offset = offset;
    interval_add(&referee->objects.places[id - 1], &allocation->place, offset,
                 offset + shadow_pitch_size(allocation));
}

const struct shadow_allocation *shadow_neighbour(struct vidmm_referee *referee,
                                                 const struct shadow_allocation *allocation,
                                                 uint32_t id, uint64_t start, bool pitch) {
    const struct interval_index *places = &referee->objects.places[id - 1];
    uint64_t end = start + (pitch ? shadow_pitch_size(allocation) : allocation->size);
    struct interval *at = interval_meets(places, start, end, NULL);
    for (; at; at = interval_meets(places, start, end, at)) {
        const struct shadow_allocation *other =
            (const struct shadow_allocation *)((const char *)at -
                                               offsetof(struct shadow_allocation, place));
        uint64_t size = pitch ? shadow_pitch_size(other) : other->size;
        if (other != allocation && start < other->offset + size)
            return other;
    }
    return NULL;
}

void shadow_reset_all(struct vidmm_referee *referee) {
    struct shadow_objects *objects = &referee->objects;
    shadow_free_all(&objects->device);
    shadow_free_all(&objects->context);
    shadow_free_all(&objects->resource);
    shadow_free_all(&objects->allocation);
    shadow_free_all(&objects->opened);
    for (uint32_t i = 0; i < SHADOW_SEGMENTS; i++) {
        free(referee->adapter.segment[i].invalid);
        free(referee->adapter.segment[i].pages);
        free(referee->adapter.segment[i].gart);
    }
}
