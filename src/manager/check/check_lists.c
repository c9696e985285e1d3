/*
 * check_lists.c - residency lists: each entry is linked in the list of its device and at its
 * allocation, in those chains that follow from the allocation's state, and in the queue of the
 * segment where the allocation lies.
 */
#include "base/device.h"
#include "object/allocation.h"
#include "lists/residency_list.h"
#include "address/companion.h"
#include "check/bookkeeping.h"

/* ---- One entry ------------------------------------------------------------------------------- */

/* Updates of addresses in the queues of the device that will lead to the allocation. */
static uint32_t queued_updates(const struct residency_entry *entry) {
    uint32_t count = 0;
    const struct vidmm_context *context = entry->device->contexts;
    for (; context; context = context->next) {
        const struct companion *companion = context->companion;
        for (uint32_t i = 0; companion && i < companion->count; i++)
            count += companion->queue[i].allocation == entry->allocation;
    }
    return count;
}

static void check_counts(struct vidmm_adapter *adapter, const struct residency_entry *entry,
                         struct check_object object) {
    CHECK(adapter, residency_entry_find(entry->allocation, entry->device) == entry, object,
          "an entry is not linked at its allocation");
    CHECK(adapter, entry->count || entry->queued, object, "an entry counts for nothing");
    CHECK(adapter, entry->queued == queued_updates(entry), object,
          "the queued updates of an entry are not as many as counted");
}

/* The rules of residency_entries_update(). */
static void check_chains_of(struct vidmm_adapter *adapter, const struct residency_entry *entry,
                            struct check_object object) {
    const struct vidmm_allocation *allocation = entry->allocation;
    const struct segment *segment = allocation->segment;
    bool wanted = !allocation->offered;
    bool written = allocation->content && allocation->stale == segment_is_memory(segment);
    CHECK(adapter, entry->link[CHAIN_MISSING].on == (wanted && !segment), object,
          "listed as missing, and it is there, or the other way round");
    CHECK(adapter, !entry->link[CHAIN_DEMOTED].on || (wanted && segment && segment->aperture),
          object, "listed as demoted, and it is in no aperture");
    CHECK(adapter, entry->link[CHAIN_UNSETTLED].on == (wanted && segment && !written), object,
          "listed as not written, and it counts as written, or the other way round");
    CHECK(adapter, entry->segment == (wanted ? segment : NULL), object,
          "an entry is in the queue of another segment");
    CHECK(adapter, !!entry->resident.queue == !!entry->segment, object,
          "an entry is in no queue, or in one without a segment");
    CHECK(adapter, entry->resident.facts.priority == allocation->resident.facts.priority, object,
          "an entry has another priority than its allocation");
}

/* ---- The list of a device -------------------------------------------------------------------- */

static void check_chain(struct vidmm_adapter *adapter, const struct vidmm_device *device,
                        enum entry_chain_kind kind) {
    const struct entry_chain *chain = &device->list.chains[kind];
    const struct residency_entry *before = NULL;
    struct check_object object = check_object("residency list of device", device->number);
    uint32_t count = 0;
    for (const struct residency_entry *one = chain->first; one;
         before = one, one = one->link[kind].next) {
        bool linked = one->link[kind].previous == before && one->link[kind].on &&
                      one->device == device && count < chain->count;
        CHECK(adapter, linked, object, "a chain is not linked both ways");
        if (!linked)
            return;
        count++;
    }
    CHECK(adapter, chain->last == before, object, "a chain ends elsewhere");
    CHECK(adapter, chain->count == count, object, "a chain has another number of members");
}

/* Listings that say they are in the queue of segment `index`. */
static uint32_t placed_count(const struct vidmm_device *device, uint32_t index) {
    uint32_t count = 0;
    const struct residency_entry *one = device->list.chains[CHAIN_ALL].first;
    for (; one; one = one->link[CHAIN_ALL].next)
        count += one->segment && one->segment->id == index + 1;
    return count;
}

static void check_placed(struct vidmm_adapter *adapter, const struct vidmm_device *device) {
    struct check_object object = check_object("residency list of device", device->number);
    for (uint32_t i = 0; device->list.placed && i < adapter->facts.segment_count; i++) {
        check_queue(adapter, &device->list.placed[i], object);
        CHECK(adapter, device->list.placed[i].count == placed_count(device, i), object,
              "not those are in a queue of it that say they are");
    }
}

static void check_list(struct vidmm_adapter *adapter, const struct vidmm_device *device) {
    struct check_object object = check_object("residency list of device", device->number);
    const struct residency_entry *one = device->list.chains[CHAIN_ALL].first;
    for (uint32_t kind = 0; kind < CHAIN_KINDS; kind++)
        check_chain(adapter, device, (enum entry_chain_kind)kind);
    for (; one; one = one->link[CHAIN_ALL].next) {
        check_counts(adapter, one, object);
        check_chains_of(adapter, one, object);
    }
    check_placed(adapter, device);
    CHECK(adapter, device->list.last_number <= adapter->fences.submitted, object,
          "a submission may use it that is still to come");
}

/* ---- The entries of allocations -------------------------------------------------------------- */

struct entries {
    struct vidmm_adapter *adapter;
    uint64_t entries;
};

/* Of the devices of a process that list it one is charged. */
static bool charged_once(const struct vidmm_allocation *allocation,
                         const struct vidmm_process *process) {
    uint32_t charged = 0;
    for (const struct residency_entry *one = allocation->residency_entries; one; one = one->other)
        charged += one->device->process == process && one->charged;
    return charged == 1;
}

static void check_entries_of(void *ctx, struct vidmm_allocation *allocation) {
    struct entries *found = ctx;
    for (const struct residency_entry *one = allocation->residency_entries; one; one = one->other) {
        bool stands = one->allocation == allocation && one->link[CHAIN_ALL].on;
        CHECK(found->adapter, stands, check_allocation(allocation),
              "an entry is on no device's list");
        if (!stands)
            return;
        CHECK(found->adapter,
              !one->device->process || charged_once(allocation, one->device->process),
              check_allocation(allocation), "not charged to exactly one device of a process");
        found->entries++;
    }
}

void check_lists(struct vidmm_adapter *adapter) {
    struct entries found = {.adapter = adapter};
    uint64_t entries = 0;
    for (const struct vidmm_device *device = adapter->devices.first; device;
         device = device->next) {
        check_list(adapter, device);
        entries += device->list.chains[CHAIN_ALL].count;
    }
    allocation_each(adapter, check_entries_of, &found);
    CHECK(adapter, found.entries == entries, check_object("residency lists", 0),
          "allocations and devices do not have the same number of entries");
}
