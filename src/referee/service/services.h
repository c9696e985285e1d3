/*
 * services.h - declarations of the judges of requests of user mode (vidmm/services.h):
 * watch/services.c sends each service to service/residency.c, service/offer.c, service/property.c,
 * service/addresses.c, service/work.c or service/lock.c. All are called with the lock held.
 */
#ifndef REFEREE_SERVICES_H
#define REFEREE_SERVICES_H

#include "state/judge.h"

#include <vidmm/services.h>

/* How many allocations a request names, of those that there is room for. */
static inline uint32_t services_named(const struct vidmm_request_residency *residency) {
    return residency->count < VIDMM_REQUEST_ALLOCATIONS ? residency->count
                                                        : VIDMM_REQUEST_ALLOCATIONS;
}

/* service/residency.c: MAKE_RESIDENT, EVICT, SUBMIT, TRIM, BUDGET. */
void service_residency(struct vidmm_referee *referee, const struct vidmm_request_record *record);
/* service/offer.c: OFFER, RECLAIM. */
void service_offer(struct vidmm_referee *referee, const struct vidmm_request_record *record);
/* service/property.c: PROPERTIES. */
void service_property(struct vidmm_referee *referee, const struct vidmm_request_record *record);
/* service/addresses.c: RESERVE, MAP, UPDATE, FREE. */
void service_addresses(struct vidmm_referee *referee, const struct vidmm_request_record *record);
/* The same: page table entries are written. */
void service_update(struct vidmm_referee *referee,
                    const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update);
void service_forget(struct vidmm_referee *referee);
/* service/work.c: WORK. */
void service_work(struct vidmm_referee *referee, const struct vidmm_request_work *work);
/* service/lock.c: LOCK. */
void service_lock(struct vidmm_referee *referee, const struct vidmm_request_record *record);

#endif
