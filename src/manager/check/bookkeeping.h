/*
 * bookkeeping.h - the parts of adapter_check(), a function for one record or a few
 * related ones, and the function that reports a finding.
 */
#ifndef VIDMM_MANAGER_CHECK_BOOKKEEPING_H
#define VIDMM_MANAGER_CHECK_BOOKKEEPING_H

#include "base/adapter.h"
#include "base/assert.h"

/* Where something is wrong: in which record, at which object of the record. */
struct check_object {
    const char *record;
    uint64_t number;
};

void check_failed(const struct vidmm_adapter *adapter, struct check_object object, const char *what,
                  const char *file, int line);

/* `what` is the sentence for the case that it does not hold. */
#define CHECK(adapter, holds, object, what)                                                        \
    ((holds) ? (void)0 : check_failed((adapter), (object), (what), __FILE__, __LINE__))

static inline struct check_object check_object(const char *record, uint64_t number) {
    return (struct check_object){record, number};
}

/* By its kernel handle; 0 for allocations of contexts, which have none. */
struct check_object check_allocation(const struct vidmm_allocation *allocation);

/* The blocks of one placer. */
void check_placer(const struct vidmm_adapter *adapter, const struct placer *placer,
                  struct check_object object);
/* Every place in every segment, and what the segments count. */
void check_segments(struct vidmm_adapter *adapter);
/* Each allocation's state against where it is, and what vidmm_allocation_info shows of it. */
void check_allocations(struct vidmm_adapter *adapter);
/* The queues of victims, of segments and of residency lists. */
void check_queues(struct vidmm_adapter *adapter);
void check_queue(const struct vidmm_adapter *adapter, const struct resident_queue *queue,
                 struct check_object object);
/* Residency lists, and the charges for what is on them. */
void check_lists(struct vidmm_adapter *adapter);
void check_budgets(struct vidmm_adapter *adapter);
/* Addresses, and the page tables that translate them. */
void check_addresses(struct vidmm_adapter *adapter);
void check_tables(struct vidmm_adapter *adapter);
/* Fences and packets; the paging queue. */
void check_fences(struct vidmm_adapter *adapter);
void check_paging(struct vidmm_adapter *adapter);
/* Owners of objects: resources, handles, devices, contexts, processes. */
void check_owners(struct vidmm_adapter *adapter);
void check_processes(struct vidmm_adapter *adapter);
/* Swizzling ranges and CPU host apertures. */
void check_views(struct vidmm_adapter *adapter);
/* Memory bases, dirty planes and the migration under way. */
void check_dirty(struct vidmm_adapter *adapter);

#endif
