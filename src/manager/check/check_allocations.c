/*
 * check_allocations.c - the state of each allocation: what of its content is where, how the CPU
 * reaches it, and what vidmm_allocation_info shows. Its place is check_segments.c's.
 */
#include "object/allocation.h"
#include "lists/residency_list.h"
#include "check/bookkeeping.h"

/* allocation.h says what the three facts about content mean. */
static void check_content(struct vidmm_adapter *adapter,
                          const struct vidmm_allocation *allocation) {
    const struct segment *segment = allocation->segment;
    struct check_object object = check_allocation(allocation);
    CHECK(adapter, !segment || !segment->aperture || !allocation->stale, object,
          "stale in an aperture, where it is the system pages");
    CHECK(adapter, segment || !allocation->content || !allocation->stale, object,
          "its content is nowhere: in no segment, and not in the system pages");
    CHECK(adapter,
          !segment || segment_in_set(segment, allocation->read_set | allocation->write_set), object,
          "in a segment where it may not be");
    CHECK(adapter, !segment || !allocation->place.floating || adapter_virtual(adapter), object,
          "without a range of its aperture, and the GPU uses physical addresses");
}

static void check_locks(struct vidmm_adapter *adapter, const struct vidmm_allocation *allocation) {
    struct check_object object = check_allocation(allocation);
    bool locked = allocation->locks != 0;
    CHECK(adapter, locked == (allocation->lock_kind != LOCK_NONE), object,
          "the count of locks and their kind do not agree");
    CHECK(adapter, locked == !!allocation->lock_cpu, object,
          "the count of locks and the pointer do not agree");
    CHECK(adapter, !allocation_fixed(allocation) || segment_is_memory(allocation->segment), object,
          "a CPU pointer leads into its segment, and it is in none");
    CHECK(adapter, !allocation->pinned || allocation->segment || adapter->stats.resets, object,
          "pinned, and in no segment");
    CHECK(adapter, !allocation->offered || (!allocation->pinned && !locked), object,
          "offered, and pinned or locked");
}

/* The rule of allocation_queue(). */
static bool wants_queue(const struct vidmm_allocation *allocation) {
    return allocation->segment && !allocation->pinned && !allocation_fixed(allocation) &&
           !allocation_stays(allocation) && (!allocation->residency_entries || allocation->offered);
}

static void check_resident(struct vidmm_adapter *adapter,
                           const struct vidmm_allocation *allocation) {
    const struct resident *resident = &allocation->resident;
    struct check_object object = check_allocation(allocation);
    CHECK(adapter, resident->owner == allocation, object, "its queue entry is another's");
    CHECK(adapter, resident->facts.size == allocation->size, object,
          "its queue entry has another size");
    CHECK(adapter, !!resident->queue == wants_queue(allocation), object,
          "in the queue of victims though it may not leave, or not in it though it may");
    CHECK(adapter,
          !allocation->offered || resident->facts.priority == (uint32_t)allocation->offered, object,
          "offered, and its priority is its own");
    CHECK(adapter, allocation->mark <= adapter->mark, object,
          "a decision references it that is still to come");
    CHECK(adapter, allocation->last_number <= adapter->fences.submitted, object,
          "a submission references it that is still to come");
}

/* Under the fence lock: what others may see at any time. */
static void check_shown(struct vidmm_adapter *adapter, const struct vidmm_allocation *allocation) {
    struct check_object object = check_allocation(allocation);
    adapter->os.lock(adapter->os.ctx, adapter->fence_lock);
    const struct vidmm_allocation_info shown = allocation->shown;
    adapter->os.unlock(adapter->os.ctx, adapter->fence_lock);
    CHECK(adapter, shown.segment == (allocation->segment ? allocation->segment->id : 0), object,
          "shown in another segment");
    CHECK(adapter, !allocation->segment || shown.offset == allocation->place.offset, object,
          "shown at another offset");
    CHECK(adapter, shown.dirty == allocation->stale, object, "not shown as dirty, or wrongly so");
    CHECK(adapter, shown.pinned == allocation->pinned, object,
          "not shown as pinned, or wrongly so");
    CHECK(adapter, shown.locked == (allocation->locks != 0), object,
          "not shown as locked, or wrongly so");
    CHECK(adapter, shown.priority == allocation->resident.facts.priority, object,
          "shown with another priority");
}

static void check_one(void *ctx, struct vidmm_allocation *allocation) {
    struct vidmm_adapter *adapter = ctx;
    CHECK(adapter, allocation->adapter == adapter, check_allocation(allocation),
          "of another adapter");
    CHECK(adapter, allocation->mdl && allocation->mdl->ByteCount >= allocation->info.Size,
          check_allocation(allocation), "fewer system pages than it has bytes");
    check_content(adapter, allocation);
    check_locks(adapter, allocation);
    check_resident(adapter, allocation);
    check_shown(adapter, allocation);
}

void check_allocations(struct vidmm_adapter *adapter) {
    allocation_each(adapter, check_one, adapter);
}
