/*
 * residency_list.c - see residency_list.h: the lists themselves. list_restore.c makes them
 * resident, and finds victims among them.
 */
#include "lists/residency_list.h"

#include "base/assert.h"
#include "object/allocation.h"
#include "object/candidates.h"
#include "lists/budget.h"

/* ---- Chains ---------------------------------------------------------------------------------- */

static void chain_add(struct residency_entry *entry, enum entry_chain_kind kind) {
    struct entry_chain *chain = &entry->device->list.chains[kind];
    if (entry->link[kind].on)
        return;
    entry->link[kind].on = true;
    entry->link[kind].previous = chain->last;
    entry->link[kind].next = NULL;
    *(chain->last ? &chain->last->link[kind].next : &chain->first) = entry;
    chain->last = entry;
    chain->count++;
}

static void chain_remove(struct residency_entry *entry, enum entry_chain_kind kind) {
    struct entry_chain *chain = &entry->device->list.chains[kind];
    if (!entry->link[kind].on)
        return;
    struct residency_entry *previous = entry->link[kind].previous, *next = entry->link[kind].next;
    *(previous ? &previous->link[kind].next : &chain->first) = next;
    *(next ? &next->link[kind].previous : &chain->last) = previous;
    entry->link[kind].on = false;
    chain->count--;
}

static void chain_set(struct residency_entry *entry, enum entry_chain_kind kind, bool on) {
    if (on)
        chain_add(entry, kind);
    else
        chain_remove(entry, kind);
}

/* ---- What follows from an allocation's state ------------------------------------------------- */

/* Into the queue of the segment, by the priority that the allocation has now. */
static void entry_enqueue(struct residency_entry *entry, struct segment *segment,
                          uint32_t priority) {
    struct resident_queue *placed = entry->device->list.placed;
    struct vidmm_candidate *facts = &entry->resident.facts;
    if (entry->segment == segment && facts->priority == priority)
        return;
    resident_remove(&entry->resident);
    entry->segment = segment;
    *facts = (struct vidmm_candidate){
        .priority = priority, .size = entry->allocation->size, .idle = true};
    if (segment)
        resident_add(&placed[segment->id - 1], &entry->resident);
}

static void entry_update(struct residency_entry *entry) {
    struct vidmm_allocation *allocation = entry->allocation;
    struct segment *segment = allocation->segment;
    bool wanted = !allocation->offered;
    bool written =
        allocation->content && allocation->stale == segment_is_memory(allocation->segment);
    entry_enqueue(entry, wanted ? segment : NULL, allocation->resident.facts.priority);
    chain_set(entry, CHAIN_MISSING, wanted && !segment);
    chain_set(entry, CHAIN_DEMOTED,
              wanted && segment && segment->aperture && candidates_prefer_memory(allocation));
    chain_set(entry, CHAIN_UNSETTLED, wanted && segment && !written);
    budget_charge(entry);
}

void residency_entries_update(struct vidmm_allocation *allocation) {
    VIDMM_ASSERT_LOCKED(allocation->adapter);
    for (struct residency_entry *entry = allocation->residency_entries; entry; entry = entry->other)
        entry_update(entry);
}

/* ---- The lists ------------------------------------------------------------------------------- */

struct residency_entry *residency_entry_find(const struct vidmm_allocation *allocation,
                                             const struct vidmm_device *device) {
    struct residency_entry *entry = allocation->residency_entries;
    while (entry && entry->device != device)
        entry = entry->other;
    return entry;
}

static size_t residency_list_placed_bytes(const struct vidmm_adapter *adapter) {
    return adapter->facts.segment_count * sizeof(struct resident_queue);
}

static bool residency_list_prepare(struct vidmm_device *device) {
    struct vidmm_adapter *adapter = device->adapter;
    struct residency_list *list = &device->list;
    if (list->placed)
        return true;
    list->placed = adapter_alloc(adapter, residency_list_placed_bytes(adapter));
    for (uint32_t i = 0; list->placed && i < adapter->facts.segment_count; i++)
        resident_queue_init(&list->placed[i], &adapter->policy);
    return list->placed;
}

/* The entry of the allocation, a new one if there is none. NULL: no memory. */
static struct residency_entry *residency_entry_obtain(struct vidmm_device *device,
                                                      struct vidmm_allocation *allocation) {
    struct residency_entry *entry = residency_entry_find(allocation, device);
    if (entry)
        return entry;
    entry = residency_list_prepare(device) ? adapter_alloc(device->adapter, sizeof(*entry)) : NULL;
    if (!entry)
        return NULL;
    *entry = (struct residency_entry){.other = allocation->residency_entries,
                                      .allocation = allocation,
                                      .device = device,
                                      .resident = {.owner = entry}};
    allocation_unqueue(allocation);
    allocation->residency_entries = entry;
    resident_follow(&allocation->resident, &entry->resident);
    allocation_queue(allocation); /* an offered one stays: listed or not, it may leave */
    chain_add(entry, CHAIN_ALL);
    entry_update(entry);
    return entry;
}

bool residency_entry_add(struct vidmm_device *device, struct vidmm_allocation *allocation) {
    VIDMM_ASSERT_LOCKED(device->adapter);
    struct residency_entry *entry = residency_entry_obtain(device, allocation);
    if (entry)
        entry->count++;
    return entry;
}

bool residency_entry_require(struct vidmm_device *device, struct vidmm_allocation *allocation) {
    VIDMM_ASSERT_LOCKED(device->adapter);
    struct residency_entry *entry = residency_entry_obtain(device, allocation);
    if (entry)
        entry->queued++;
    return entry;
}

bool residency_entry_counts(const struct vidmm_allocation *allocation,
                            const struct vidmm_device *device) {
    const struct residency_entry *entry = residency_entry_find(allocation, device);
    return entry && entry->count != 0;
}

/* The device's newest submission becomes the allocation's last use, unless it said what it uses. */
static void entry_inherit(const struct residency_entry *entry) {
    struct vidmm_allocation *allocation = entry->allocation;
    const struct residency_list *list = &entry->device->list;
    if (allocation->last_number < list->last_number)
        allocation->last_number = list->last_number;
    allocation->last_nodes |= list->last_nodes;
    if (allocation->last_number && list->names && allocation->resident.facts.uses)
        ;
    else if (allocation->last_number)
        resident_use(&entry->device->adapter->policy, &allocation->resident,
                     allocation->last_number, false);
    else
        resident_dismiss(&allocation->resident);
    allocation->assumed = false; /* it can no longer be told apart */
}

static void entry_end(struct residency_entry *entry) {
    struct vidmm_allocation *allocation = entry->allocation;
    struct residency_entry **link = &allocation->residency_entries;
    allocation_unqueue(allocation); /* an offered one is queued by its last use, which changes */
    entry_inherit(entry);
    while (*link != entry)
        link = &(*link)->other;
    *link = entry->other;
    resident_unfollow(&allocation->resident, &entry->resident);
    entry_enqueue(entry, NULL, 0);
    for (uint32_t kind = 0; kind < CHAIN_KINDS; kind++)
        chain_remove(entry, (enum entry_chain_kind)kind);
    budget_discharge(entry);
    residency_entries_update(allocation); /* another device may be charged for it now */
    adapter_free(entry->device->adapter, entry, sizeof(*entry));
    allocation_queue(allocation);
}

static void entry_end_unused(struct residency_entry *entry) {
    if (entry->count == 0 && entry->queued == 0)
        entry_end(entry);
}

void residency_entry_remove(struct residency_entry *entry) {
    VIDMM_ASSERT(entry->device->adapter, entry->count != 0);
    entry->count--;
    entry_end_unused(entry);
}

void residency_entry_release(struct residency_entry *entry) {
    VIDMM_ASSERT(entry->device->adapter, entry->queued != 0);
    entry->queued--;
    entry_end_unused(entry);
}

void residency_list_end(struct vidmm_device *device) {
    struct vidmm_adapter *adapter = device->adapter;
    struct residency_list *list = &device->list;
    while (list->chains[CHAIN_ALL].first)
        entry_end(list->chains[CHAIN_ALL].first);
    adapter_free(adapter, list->placed, residency_list_placed_bytes(adapter));
    list->placed = NULL;
    adapter_free(adapter, list->wanted, list->wanted_size * sizeof(*list->wanted));
    list->wanted = NULL;
    list->wanted_size = 0;
}

void residency_entries_end(struct vidmm_allocation *allocation) {
    while (allocation->residency_entries)
        entry_end(allocation->residency_entries);
}

/* ---- What the GPU does ----------------------------------------------------------------------- */

void residency_entries_written(struct vidmm_allocation *allocation, bool assumed) {
    bool stale = segment_is_memory(allocation->segment);
    bool changed = stale && (!allocation->stale || !allocation->content);
    if (changed || !assumed)
        allocation->assumed = assumed;
    allocation->content = true;
    allocation->stale = stale;
    allocation->resident.facts.clean = !stale;
    residency_entries_update(allocation);
    if (changed)
        allocation_publish(allocation);
}

void residency_entries_not_written(struct vidmm_device *device,
                                   struct vidmm_allocation *allocation) {
    for (const struct residency_entry *entry = allocation->residency_entries; entry;
         entry = entry->other) {
        if (entry->device != device)
            return; /* that device may have written it */
    }
    if (!allocation->assumed)
        return;
    allocation->stale = allocation->assumed = false;
    allocation->resident.facts.clean = true;
    residency_entries_update(allocation);
    allocation_publish(allocation);
}

void residency_list_name(struct vidmm_device *device, struct vidmm_allocation *const *named,
                         uint32_t count, uint64_t number) {
    struct vidmm_adapter *adapter = device->adapter;
    struct residency_list *list = &device->list;
    list->named = named;
    list->named_count = named ? count : 0;
    list->names = list->names || named;
    for (uint32_t i = 0; i < list->named_count; i++) {
        if (residency_entry_find(named[i], device))
            resident_use(&adapter->policy, &named[i]->resident, number, false);
    }
}

bool residency_list_exchanges(const struct vidmm_adapter *adapter,
                              const struct vidmm_device *device) {
    return policy_exchanges(&adapter->policy) && (!device || device->list.names);
}

void residency_list_used(struct vidmm_device *device, uint32_t node, uint64_t number, bool writes) {
    struct residency_list *list = &device->list;
    list->last_number = number;
    list->last_nodes |= UINT64_C(1) << node;
    while (writes && list->chains[CHAIN_UNSETTLED].first)
        residency_entries_written(list->chains[CHAIN_UNSETTLED].first->allocation, true);
}

static bool residency_list_busy(const struct vidmm_device *device) {
    const struct residency_list *list = &device->list;
    return list->last_nodes && !fence_idle(device->adapter, list->last_nodes, list->last_number);
}

bool residency_entries_busy(struct vidmm_allocation *allocation) {
    bool busy = false;
    for (const struct residency_entry *entry = allocation->residency_entries; entry;
         entry = entry->other)
        busy = busy || residency_list_busy(entry->device);
    return busy;
}

enum vidmm_status residency_entries_wait_idle(struct vidmm_allocation *allocation) {
    enum vidmm_status status = VIDMM_OK;
    for (struct residency_entry *entry = allocation->residency_entries; status == VIDMM_OK && entry;
         entry = entry->other) {
        struct residency_list *list = &entry->device->list;
        if (list->last_nodes)
            status = fence_wait_idle(entry->device->adapter, list->last_nodes, list->last_number);
        if (status == VIDMM_OK)
            list->last_nodes = 0;
    }
    return status;
}
