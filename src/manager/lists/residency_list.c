/*
 * residency_list.c - see residency_list.h: the lists themselves. list_restore.c brings them in, and finds
 * victims among them.
 */
#include "lists/residency_list.h"

#include "object/allocation.h"
#include "lists/budget.h"
#include "object/candidates.h"

/* ---- Lines ----------------------------------------------------------------------------------- */

static void stand(struct listing *listing, enum listing_line kind) {
    struct line *line = &listing->device->list.lines[kind];
    if (listing->in[kind].stands)
        return;
    listing->in[kind].stands = true;
    listing->in[kind].previous = line->last;
    listing->in[kind].next = NULL;
    *(line->last ? &line->last->in[kind].next : &line->first) = listing;
    line->last = listing;
    line->count++;
}

static void step_out(struct listing *listing, enum listing_line kind) {
    struct line *line = &listing->device->list.lines[kind];
    if (!listing->in[kind].stands)
        return;
    struct listing *previous = listing->in[kind].previous, *next = listing->in[kind].next;
    *(previous ? &previous->in[kind].next : &line->first) = next;
    *(next ? &next->in[kind].previous : &line->last) = previous;
    listing->in[kind].stands = false;
    line->count--;
}

static void set_standing(struct listing *listing, enum listing_line kind, bool stands) {
    if (stands)
        stand(listing, kind);
    else
        step_out(listing, kind);
}

/* ---- What follows from an allocation's state ------------------------------------------------- */

static bool prefers_memory(const struct vidmm_allocation *allocation) {
    struct candidate_list list;
    candidates_list(allocation, candidate_set(allocation, true), &list);
    return list.count && !list.segments[0]->aperture;
}

/* Into the queue of the segment, by the priority that the allocation has now. */
static void enqueue(struct listing *listing, struct segment *segment, uint32_t priority) {
    struct resident_queue *placed = listing->device->list.placed;
    struct vidmm_candidate *facts = &listing->resident.facts;
    if (listing->segment == segment && facts->priority == priority)
        return;
    if (listing->segment)
        resident_remove(&placed[listing->segment->id - 1], &listing->resident);
    listing->segment = segment;
    *facts = (struct vidmm_candidate){
        .priority = priority, .size = listing->allocation->size, .idle = true};
    if (segment)
        resident_add(&placed[segment->id - 1], &listing->resident);
}

static void update(struct listing *listing) {
    struct vidmm_allocation *allocation = listing->allocation;
    struct segment *segment = allocation->segment;
    bool wanted = !allocation->offered;
    bool written =
        allocation->content && allocation->stale == segment_is_memory(allocation->segment);
    enqueue(listing, wanted ? segment : NULL, allocation->resident.facts.priority);
    set_standing(listing, LINE_MISSING, wanted && !segment);
    set_standing(listing, LINE_DEMOTED,
                 wanted && segment && segment->aperture && prefers_memory(allocation));
    set_standing(listing, LINE_UNSETTLED, wanted && segment && !written);
    budget_charge(listing);
}

void listing_update(struct vidmm_allocation *allocation) {
    for (struct listing *listing = allocation->listings; listing; listing = listing->other)
        update(listing);
}

/* ---- The lists ------------------------------------------------------------------------------- */

struct listing *listing_find(const struct vidmm_allocation *allocation,
                             const struct vidmm_device *device) {
    struct listing *listing = allocation->listings;
    while (listing && listing->device != device)
        listing = listing->other;
    return listing;
}

static size_t placed_bytes(const struct vidmm_adapter *adapter) {
    return adapter->facts.segment_count * sizeof(struct resident_queue);
}

static bool prepare(struct vidmm_device *device) {
    struct vidmm_adapter *adapter = device->adapter;
    struct residency_list *list = &device->list;
    if (list->placed)
        return true;
    list->placed = adapter_alloc(adapter, placed_bytes(adapter));
    for (uint32_t i = 0; list->placed && i < adapter->facts.segment_count; i++)
        resident_queue_init(&list->placed[i], adapter->policy);
    return list->placed;
}

/* The listing, with a new one if need be. NULL: no memory. */
static struct listing *obtain(struct vidmm_device *device, struct vidmm_allocation *allocation) {
    struct listing *listing = listing_find(allocation, device);
    if (listing)
        return listing;
    listing = prepare(device) ? adapter_alloc(device->adapter, sizeof(*listing)) : NULL;
    if (!listing)
        return NULL;
    *listing = (struct listing){.other = allocation->listings,
                                .allocation = allocation,
                                .device = device,
                                .resident = {.owner = listing}};
    allocation_unqueue(allocation);
    allocation->listings = listing;
    stand(listing, LINE_ALL);
    update(listing);
    return listing;
}

bool listing_add(struct vidmm_device *device, struct vidmm_allocation *allocation) {
    struct listing *listing = obtain(device, allocation);
    if (listing)
        listing->count++;
    return listing;
}

bool listing_require(struct vidmm_device *device, struct vidmm_allocation *allocation) {
    struct listing *listing = obtain(device, allocation);
    if (listing)
        listing->queued++;
    return listing;
}

bool listing_counts(const struct vidmm_allocation *allocation, const struct vidmm_device *device) {
    const struct listing *listing = listing_find(allocation, device);
    return listing && listing->count != 0;
}

/* What the device did with it becomes the allocation's own to remember. */
static void inherit(const struct listing *listing) {
    struct vidmm_allocation *allocation = listing->allocation;
    const struct residency_list *list = &listing->device->list;
    if (allocation->last_number < list->last_number)
        allocation->last_number = list->last_number;
    allocation->last_nodes |= list->last_nodes;
    allocation->resident.facts.last_use = allocation->last_number;
    allocation->assumed = false; /* nobody can tell any more */
}

static void end(struct listing *listing) {
    struct vidmm_allocation *allocation = listing->allocation;
    struct listing **link = &allocation->listings;
    inherit(listing);
    while (*link != listing)
        link = &(*link)->other;
    *link = listing->other;
    enqueue(listing, NULL, 0);
    for (uint32_t kind = 0; kind < LINE_KINDS; kind++)
        step_out(listing, (enum listing_line)kind);
    budget_discharge(listing);
    listing_update(allocation); /* another device may be charged for it now */
    adapter_free(listing->device->adapter, listing, sizeof(*listing));
    allocation_queue(allocation);
}

static void end_unused(struct listing *listing) {
    if (listing->count == 0 && listing->queued == 0)
        end(listing);
}

void listing_remove(struct listing *listing) {
    listing->count--;
    end_unused(listing);
}

void listing_release(struct listing *listing) {
    listing->queued--;
    end_unused(listing);
}

void listing_end_device(struct vidmm_device *device) {
    struct vidmm_adapter *adapter = device->adapter;
    struct residency_list *list = &device->list;
    while (list->lines[LINE_ALL].first)
        end(list->lines[LINE_ALL].first);
    adapter_free(adapter, list->placed, placed_bytes(adapter));
    list->placed = NULL;
    adapter_free(adapter, list->wanted, list->wanted_size * sizeof(*list->wanted));
    list->wanted = NULL;
    list->wanted_size = 0;
}

void listing_end_allocation(struct vidmm_allocation *allocation) {
    while (allocation->listings)
        end(allocation->listings);
}

/* ---- What the GPU does ----------------------------------------------------------------------- */

void listing_written(struct vidmm_allocation *allocation, bool assumed) {
    bool stale = segment_is_memory(allocation->segment);
    bool changed = stale && (!allocation->stale || !allocation->content);
    if (changed || !assumed)
        allocation->assumed = assumed;
    allocation->content = true;
    allocation->stale = stale;
    allocation->resident.facts.clean = !stale;
    listing_update(allocation);
    if (changed)
        allocation_publish(allocation);
}

void listing_not_written(struct vidmm_device *device, struct vidmm_allocation *allocation) {
    for (const struct listing *listing = allocation->listings; listing; listing = listing->other) {
        if (listing->device != device)
            return; /* who may have written it */
    }
    if (!allocation->assumed)
        return;
    allocation->stale = allocation->assumed = false;
    allocation->resident.facts.clean = true;
    listing_update(allocation);
    allocation_publish(allocation);
}

void listing_used(struct vidmm_device *device, uint32_t node, uint64_t number, bool writes) {
    struct residency_list *list = &device->list;
    list->last_number = number;
    list->last_nodes |= UINT64_C(1) << node;
    while (writes && list->lines[LINE_UNSETTLED].first)
        listing_written(list->lines[LINE_UNSETTLED].first->allocation, true);
}

static bool device_busy(const struct vidmm_device *device) {
    const struct residency_list *list = &device->list;
    return list->last_nodes && !fence_idle(device->adapter, list->last_nodes, list->last_number);
}

bool listing_busy(struct vidmm_allocation *allocation) {
    bool busy = false;
    for (const struct listing *listing = allocation->listings; listing; listing = listing->other)
        busy = busy || device_busy(listing->device);
    return busy;
}

enum vidmm_status listing_wait_idle(struct vidmm_allocation *allocation) {
    enum vidmm_status status = VIDMM_OK;
    for (struct listing *listing = allocation->listings; status == VIDMM_OK && listing;
         listing = listing->other) {
        struct residency_list *list = &listing->device->list;
        if (list->last_nodes)
            status = fence_wait_idle(listing->device->adapter, list->last_nodes, list->last_number);
        if (status == VIDMM_OK)
            list->last_nodes = 0;
    }
    return status;
}
