/*
 * check.c - see check.h: all records in turn.
 */
#include "check/check.h"

#include "check/bookkeeping.h"

/* An adapter in error serves only destroy calls: what it could not undo stays as it is. */
void adapter_check(struct vidmm_adapter *adapter) {
    if (adapter->stopped)
        return;
    check_owners(adapter);
    check_processes(adapter);
    check_segments(adapter);
    check_allocations(adapter);
    check_queues(adapter);
    check_lists(adapter);
    check_budgets(adapter);
    check_addresses(adapter);
    check_tables(adapter);
    check_fences(adapter);
    check_paging(adapter);
    check_views(adapter);
    check_dirty(adapter);
}
