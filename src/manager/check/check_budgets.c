/*
 * check_budgets.c - what processes are charged with is the sum over their devices' lists, in both
 * groups of memory, and a charge is what its allocation takes.
 */
#include "base/device.h"
#include "base/process.h"
#include "object/allocation.h"
#include "check/bookkeeping.h"

/* The charges of one entry: nothing, unless it is the one that is charged for its process. */
static void check_charge(struct vidmm_adapter *adapter, const struct residency_entry *entry,
                         uint32_t group, struct check_object object) {
    const struct vidmm_allocation *allocation = entry->allocation;
    uint64_t held = entry->held[group], listed = entry->listed[group];
    bool counts = entry->charged && !allocation->offered;
    CHECK(adapter, counts || (!held && !listed), object,
          "charged for an entry that does not count");
    CHECK(adapter, !held || (allocation->segment && held == allocation->place.size), object,
          "charged with other bytes than an allocation holds");
    CHECK(adapter, !listed || listed >= allocation->size, object,
          "charged with fewer bytes than an allocation has");
}

static void check_process_budget(struct vidmm_adapter *adapter, const struct vidmm_process *process,
                                 uint32_t group) {
    struct check_object object = check_object("budget of process", process->number);
    uint64_t listed = 0, held = 0;
    for (const struct vidmm_device *device = adapter->devices.first; device;
         device = device->next) {
        const struct residency_entry *one = device->list.chains[CHAIN_ALL].first;
        for (; device->process == process && one; one = one->link[CHAIN_ALL].next) {
            check_charge(adapter, one, group, object);
            listed += one->listed[group];
            held += one->held[group];
        }
    }
    CHECK(adapter, process->listed[group] == listed, object,
          "the bytes listed are not the sum over its lists");
    CHECK(adapter, process->held[group] == held, object,
          "the bytes held are not the sum over its lists");
}

void check_budgets(struct vidmm_adapter *adapter) {
    for (const struct vidmm_process *one = adapter->processes.first; one; one = one->next) {
        for (uint32_t group = 0; group < group_total(&adapter->facts); group++)
            check_process_budget(adapter, one, group);
    }
}
