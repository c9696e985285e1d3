/*
 * list_restore.c - see residency_list.h: what a list needs is brought in, and a
 * part of what lies in apertures is promoted to memory segments. What gives way: room.c.
 */
#include "object/allocation.h"
#include "object/context_allocation.h"
#include "lists/residency_list.h"
#include "residency/residency.h"

#define PROMOTIONS         16u /* tried in one request */
#define PROMOTION_PATIENCE 64u /* submissions until they are tried again though nothing moved */

static void want(struct residency_list *list, uint32_t *count,
                 struct vidmm_allocation *allocation) {
    list->wanted[(*count)++] =
        (struct vidmm_reference){.allocation = allocation, .write = allocation->write_set != 0};
}

/*
 * Until all that is demoted was tried in vain; and again when something moved that may have left
 * room, or some time has passed that may have made a victim old enough.
 */
static bool promotion_is_due(const struct vidmm_device *device) {
    const struct vidmm_adapter *adapter = device->adapter;
    const struct residency_list *list = &device->list;
    return list->promoted_in_vain < list->chains[CHAIN_DEMOTED].count ||
           (list->chains[CHAIN_DEMOTED].count &&
            (list->promoted_epoch != adapter->epoch ||
             adapter->fences.submitted >= list->promoted_number + PROMOTION_PATIENCE));
}

/* Each is next in turn, so that one that is too large does not stop those behind it. */
static void want_promotions(struct residency_list *list, uint32_t *count) {
    struct residency_entry *entry = list->chains[CHAIN_DEMOTED].first;
    for (uint32_t i = 0; entry && i < PROMOTIONS; i++, entry = entry->link[CHAIN_DEMOTED].next)
        want(list, count, entry->allocation);
}

static void note_promotions(struct vidmm_device *device, uint64_t epoch) {
    const struct vidmm_adapter *adapter = device->adapter;
    struct residency_list *list = &device->list;
    bool changed = epoch != adapter->epoch || list->promoted_epoch != epoch;
    list->promoted_in_vain = changed ? 0 : list->promoted_in_vain + PROMOTIONS;
    list->promoted_epoch = adapter->epoch;
    list->promoted_number = adapter->fences.submitted;
}

static void next_in_turn(struct residency_list *list) {
    struct entry_chain *chain = &list->chains[CHAIN_DEMOTED];
    for (uint32_t i = 0; i < PROMOTIONS && chain->first != chain->last; i++) {
        struct residency_entry *first = chain->first, *last = chain->last;
        chain->first = first->link[CHAIN_DEMOTED].next;
        chain->first->link[CHAIN_DEMOTED].previous = NULL;
        first->link[CHAIN_DEMOTED].previous = last;
        first->link[CHAIN_DEMOTED].next = NULL;
        last->link[CHAIN_DEMOTED].next = first;
        chain->last = first;
    }
}

static bool is_demoted(const struct vidmm_device *device,
                       const struct vidmm_allocation *allocation) {
    const struct residency_entry *entry = residency_entry_find(allocation, device);
    return entry && entry->link[CHAIN_DEMOTED].on;
}

/* What the submission at hand uses in apertures though memory would be better. */
static uint32_t count_named(const struct vidmm_device *device) {
    const struct residency_list *list = &device->list;
    uint32_t count = 0;
    if (!residency_list_exchanges(device->adapter, device))
        return 0;
    for (uint32_t i = 0; i < list->named_count; i++)
        count += is_demoted(device, list->named[i]);
    return count;
}

static void want_named(struct vidmm_device *device, uint32_t *count) {
    struct residency_list *list = &device->list;
    if (!residency_list_exchanges(device->adapter, device))
        return;
    for (uint32_t i = 0; i < list->named_count; i++) {
        if (is_demoted(device, list->named[i]))
            want(list, count, list->named[i]);
    }
}

/* What is missing, some that could be promoted, and the context's own. False: no memory. */
static bool gather(struct vidmm_device *device, const struct vidmm_context *context, bool promote,
                   uint32_t *count) {
    struct residency_list *list = &device->list;
    uint32_t own = context ? context_allocations_count(context) : 0;
    if (!adapter_grow(device->adapter, (void **)&list->wanted, &list->wanted_size,
                      list->chains[CHAIN_MISSING].count + own + PROMOTIONS + count_named(device),
                      sizeof(*list->wanted)))
        return false;
    *count = 0;
    for (const struct residency_entry *entry = list->chains[CHAIN_MISSING].first; entry;
         entry = entry->link[CHAIN_MISSING].next)
        want(list, count, entry->allocation);
    if (promote)
        want_promotions(list, count);
    want_named(device, count);
    if (own)
        context_allocations_list(context, list->wanted + *count);
    *count += own;
    return true;
}

/* The whole list, to be put down anew: its parts may stand in each other's way. */
static bool gather_all(struct vidmm_device *device, const struct vidmm_context *context,
                       uint32_t *count) {
    struct residency_list *list = &device->list;
    uint32_t own = context ? context_allocations_count(context) : 0;
    if (!adapter_grow(device->adapter, (void **)&list->wanted, &list->wanted_size,
                      list->chains[CHAIN_ALL].count + own, sizeof(*list->wanted)))
        return false;
    *count = 0;
    for (const struct residency_entry *entry = list->chains[CHAIN_ALL].first; entry;
         entry = entry->link[CHAIN_ALL].next) {
        if (!entry->allocation->offered)
            want(list, count, entry->allocation);
    }
    if (own)
        context_allocations_list(context, list->wanted + *count);
    *count += own;
    return true;
}

/* Own allocations of a context that are where they may be need no decision. */
static bool all_resident(const struct residency_list *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!list->wanted[i].allocation->segment)
            return false;
    }
    return true;
}

enum vidmm_status residency_list_restore(struct vidmm_device *device, struct vidmm_context *context,
                                         enum suspension suspends, enum vidmm_plan_reason reason) {
    struct vidmm_adapter *adapter = device->adapter;
    struct residency_list *list = &device->list;
    uint64_t epoch = adapter->epoch;
    bool promote = !residency_list_exchanges(device->adapter, device) && promotion_is_due(device);
    uint32_t count;
    list->suspends = suspends;
    if (!gather(device, context, promote, &count))
        return error_no_memory(adapter, "vidmm residency");
    if (!promote && !count_named(device) && all_resident(list, count))
        return VIDMM_OK;
    enum vidmm_status status = residency_make_for(device, list->wanted, count, reason);
    if (promote) {
        next_in_turn(list);
        note_promotions(device, epoch);
    }
    if (status != VIDMM_DOES_NOT_FIT || suspends != SUSPEND_ANYBODY)
        return status;
    if (!gather_all(device, context, &count))
        return error_no_memory(adapter, "vidmm residency");
    return residency_make_for(device, list->wanted, count, reason);
}
