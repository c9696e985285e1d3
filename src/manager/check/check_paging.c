/*
 * check_paging.c - the paging queue between two calls: no operation is half way to the GPU, and the
 * addresses of the paging process are divided as space.c says.
 */
#include "base/process.h"
#include "paging/table.h"
#include "check/bookkeeping.h"

static void check_queue_rests(struct vidmm_adapter *adapter, uint32_t physical) {
    const struct paging *paging = &adapter->physical[physical].paging;
    struct check_object object = check_object("paging queue", physical);
    if (!paging->count)
        return; /* not made yet, or made no more */
    CHECK(adapter, !paging->used && !paging->private_used, object,
          "operations were built, and never submitted");
    CHECK(adapter, !adapter->held, object, "held since a reset");
    CHECK(adapter, !adapter->line, object, "still in the hands of a companion context");
    CHECK(adapter, paging->current - paging->first < paging->count, object,
          "its next buffer is none of those in use");
    CHECK(adapter, !adapter->lost.adapter, object, "a plan hung, and no reset follows");
    CHECK(adapter, adapter->outstanding.first == adapter->outstanding.end, object,
          "operations are outstanding, and nobody waits for them");
}

static void check_addresses_kept(struct vidmm_adapter *adapter, uint32_t physical) {
    const struct spaces *spaces = &adapter->physical[physical].spaces;
    struct check_object object = check_object("paging process", physical);
    if (!spaces->paging)
        return;
    CHECK(adapter,
          spaces->scratch_start <= spaces->scratch_next &&
              spaces->scratch_next <= spaces->scratch_end,
          object, "the next scratch address is none of the scratch space");
    for (uint32_t i = 0; i < spaces->kept_count; i++) {
        const struct kept_pages *kept = &spaces->kept[i];
        const struct mapping *range = va_find(spaces->paging->va, kept->start);
        CHECK(adapter,
              range && range->start <= kept->start && kept->start + kept->size <= range->end,
              object, "pages that it sees for ever are at an address that is free");
    }
}

void check_paging(struct vidmm_adapter *adapter) {
    for (uint32_t i = 0; i < adapter->facts.linked; i++) {
        check_queue_rests(adapter, i);
        check_addresses_kept(adapter, i);
    }
}
