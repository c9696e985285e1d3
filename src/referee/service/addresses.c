/*
 * addresses.c - reserving, mapping, updating and freeing GPU virtual addresses
 * (nc-d3dumddi-pfnd3dddi_mapgpuvirtualaddresscb.md and its like), and the driver protection of a
 * reservation, which its updates carry on (driver-protection.md).
 */
#include <stdlib.h>

#include "service/services.h"
#include "state/memory.h"

#define RESERVE_UNIT 0x10000u
#define QUEUED       128u

static bool addresses_units(uint64_t value, uint64_t unit) {
    return value % unit == 0;
}

static void addresses_forget(struct vidmm_referee *referee,
                             struct requests_reservation *reservation) {
    keyed_remove(&referee->requests.protections, &reservation->by_protection);
    interval_remove(&referee->requests.reservations, &reservation->addresses);
    free(reservation);
}

void service_forget(struct vidmm_referee *referee) {
    struct keyed_table *all = &referee->requests.protections;
    while (all->first)
        addresses_forget(referee, (struct requests_reservation *)all->first);
    keyed_clear(all);
}

/* A reservation of addresses of [start, end), behind `after`; NULL: none. */
static struct requests_reservation *addresses_reserved(struct vidmm_referee *referee,
                                                       uint64_t start, uint64_t end,
                                                       const struct requests_reservation *after) {
    struct interval *at = interval_meets(&referee->requests.reservations, start, end,
                                         after ? &after->addresses : NULL);
    return at ? CHAIN_OWNER(struct requests_reservation, addresses, at) : NULL;
}

static void addresses_forget_range(struct vidmm_referee *referee, uint64_t start, uint64_t end) {
    struct requests_reservation *at;
    while ((at = addresses_reserved(referee, start, end, NULL)))
        addresses_forget(referee, at);
}

static void addresses_note_reservation(struct vidmm_referee *referee,
                                       const struct vidmm_request_addresses *what) {
    struct requests_reservation *reservation = memory_calloc(1, sizeof(*reservation));
    if (!reservation || !keyed_add(&referee->requests.protections, &reservation->by_protection,
                                   what->driver_protection)) {
        free(reservation);
        return;
    }
    interval_add(&referee->requests.reservations, &reservation->addresses, what->va,
                 what->va + what->size);
}

static bool addresses_any_valid(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    for (UINT i = 0; update->pPageTableEntries && i < update->NumPageTableEntries; i++)
        if (update->pPageTableEntries[update->Flags.Repeat ? 0 : i].Valid)
            return true;
    return false;
}

/* Entries of tiles are copied from where the pool is shown, with a reservation's protection. */
static void addresses_judge_pool(struct vidmm_referee *referee,
                                 const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    const struct keyed_table *all = &referee->requests.protections;
    bool any = all->count != 0, same = keyed_find(all, update->DriverProtection);
    MANAGER_MUST(302, same || !any, "a tile pool with the driver protection of a reservation",
                 "it has 0x%llx", LLU(update->DriverProtection));
}

void service_update(struct vidmm_referee *referee,
                    const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    uint64_t va = update->FirstPteVirtualAddress;
    if (update->PageTableLevel != 0 || !update->hAllocation || !addresses_any_valid(update))
        return;
    if (tables_privileged(referee, update->hProcess)) {
        addresses_judge_pool(referee, update);
        return;
    }
    if (tables_of_system(referee, update->hProcess)) /* no reservation is of its addresses */
        return;
    const struct requests_reservation *at = addresses_reserved(referee, va, va + 1, NULL);
    for (; at; at = addresses_reserved(referee, va, va + 1, at)) {
        uint64_t protection = at->by_protection.key;
        MANAGER_MUST(302, update->DriverProtection == protection,
                     "the driver protection that the range was reserved with",
                     "0x%llx instead of 0x%llx at address 0x%llx", LLU(update->DriverProtection),
                     LLU(protection), LLU(va));
    }
}

static void addresses_judge_bounds(struct vidmm_referee *referee,
                                   const struct vidmm_request_addresses *what) {
    uint64_t end = what->maximum != 0 ? what->maximum : UINT64_MAX;
    if (what->base == 0)
        MANAGER_MUST(482,
                     what->va >= what->minimum && what->va <= end && what->size <= end - what->va,
                     "all of a reservation between its bounds",
                     "0x%llx bytes at 0x%llx, from 0x%llx to 0x%llx", LLU(what->size),
                     LLU(what->va), LLU(what->minimum), LLU(end));
}

static void addresses_judge_reserve(struct vidmm_referee *referee,
                                    const struct vidmm_request_addresses *what, bool granted) {
    if (!addresses_units(what->base | what->size, RESERVE_UNIT) || what->size == 0)
        MANAGER_MUST(298, !granted, "only reservations in units of 64 KB",
                     "0x%llx bytes at 0x%llx were granted", LLU(what->size), LLU(what->base));
    else if (what->base != 0 && what->range != VIDMM_RANGE_FREE)
        MANAGER_MUST(298, !granted, "no reservation of what is occupied",
                     "0x%llx bytes at 0x%llx were granted", LLU(what->size), LLU(what->base));
    else if (granted)
        MANAGER_MUST(
            298,
            addresses_units(what->va, RESERVE_UNIT) && (what->base == 0 || what->va == what->base),
            "the address that was asked for, aligned to 64 KB", "it is 0x%llx", LLU(what->va));
}

static void addresses_judge_map(struct vidmm_referee *referee,
                                const struct vidmm_request_addresses *what, bool granted) {
    if (!addresses_units(what->base | what->size | what->offset, SHADOW_PAGE) || what->size == 0)
        MANAGER_MUST(296, !granted, "only mappings in units of 4 KB",
                     "0x%llx bytes at 0x%llx were granted", LLU(what->size), LLU(what->base));
    else if (what->nowhere == what->allocation)
        MANAGER_MUST(297, !granted, "an allocation, or NoAccess or Zero, not both",
                     "the mapping was granted");
    else if (what->nowhere && what->range == VIDMM_RANGE_MAPPED)
        MANAGER_MUST(297, !granted, "no NoAccess or Zero over what is mapped",
                     "the mapping was granted");
    else if (granted && what->allocation)
        MANAGER_MUST(296,
                     addresses_units(what->va, SHADOW_PAGE) &&
                         (what->base == 0 || what->va == what->base) && what->leads,
                     "an address of the range that was asked for, which leads to the allocation",
                     "0x%llx instead of 0x%llx%s", LLU(what->va), LLU(what->base),
                     what->leads ? "" : ", which leads elsewhere");
}

static bool addresses_sound_update(const struct vidmm_request_addresses *what) {
    return what->one_reservation &&
           addresses_units(what->base | what->size | what->offset, SHADOW_PAGE) &&
           (what->repeat == 0 ||
            (addresses_units(what->repeat, SHADOW_PAGE) && what->size % what->repeat == 0));
}

static void addresses_judge_update(struct vidmm_referee *referee,
                                   const struct vidmm_request_addresses *what, bool granted) {
    MANAGER_MUST(301, what->queued <= QUEUED, "no return while so many operations are queued",
                 "%u operations of the context are queued", what->queued);
    if (!addresses_sound_update(what))
        MANAGER_MUST(
            300, !granted, "pages of one reservation, and a repeated part that divides the size",
            "the update of 0x%llx bytes at 0x%llx was granted", LLU(what->size), LLU(what->base));
    else if (granted)
        MANAGER_MUST(300, what->leads == what->should_lead, "the updates applied in their order",
                     "address 0x%llx leads %s", LLU(what->base),
                     what->leads ? "to what an earlier one mapped"
                                 : "nowhere, though the last one maps it");
}

void service_addresses(struct vidmm_referee *referee, const struct vidmm_request_record *record) {
    const struct vidmm_request_addresses *what = &record->addresses;
    bool granted = record->answer == VIDMM_ANSWER_GRANTED;
    switch (record->service) {
    case VIDMM_SERVICE_RESERVE:
        addresses_judge_reserve(referee, what, granted);
        if (!granted)
            break;
        addresses_judge_bounds(referee, what);
        addresses_note_reservation(referee, what);
        break;
    case VIDMM_SERVICE_MAP:
        addresses_judge_map(referee, what, granted);
        break;
    case VIDMM_SERVICE_UPDATE:
        addresses_judge_update(referee, what, granted);
        break;
    default:
        if (!granted)
            break;
        MANAGER_MUST(299, !what->leads, "addresses that lead nowhere once they are freed",
                     "0x%llx still leads to the allocation", LLU(what->base));
        addresses_forget_range(referee, what->base, what->base + what->size);
        break;
    }
}
