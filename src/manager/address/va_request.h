/*
 * va_request.h - what a request for addresses of a process may ask for: reserve, map, free. What is
 * allowed is carried out by space_change.h; va_update.h has the requests that are queued.
 */
#ifndef VIDMM_MANAGER_VA_REQUEST_H
#define VIDMM_MANAGER_VA_REQUEST_H

#include "address/space_change.h"

#define VA_MAP_UNIT PAGE_BYTES /* R296 */

/* As vidmm_va_reserve, vidmm_va_map and vidmm_va_free, on GPU virtual addresses. */
enum vidmm_status va_reserve(struct space *space, const struct vidmm_va_request *request,
                             uint64_t *va);
enum vidmm_status va_map(struct space *space, const struct vidmm_va_request *request, uint64_t *va);
/* The same where the entries may be written later (gather.h), for a fence; `*gathered`: they are. */
enum vidmm_status va_map_later(struct space *space, const struct vidmm_va_request *request,
                               const uint64_t *fence, uint64_t *va, bool *gathered);
/* What the driver reserved for itself and others stays reserved. */
enum vidmm_status va_unmap(struct space *space, uint64_t va, uint64_t size);

/* ---- For va_update.c ------------------------------------------------------------------------- */

/* VIDMM_BAD_ARGUMENT with an error; `rule` may be NULL. */
enum vidmm_status va_wrong(struct vidmm_adapter *adapter, const char *call, const char *expected,
                           const char *rule);
bool va_units(uint64_t value, uint64_t unit);
/* [start, start + size) lies in the addresses that are given out. */
bool va_inside(const struct va *va, uint64_t start, uint64_t size);
/* The reservation that all of [start, end) lies in; its number is 0 when there is none. */
struct va_use va_reservation(const struct space *space, uint64_t start, uint64_t end);
/* Checks the allocation and the protections of a request. */
enum vidmm_status va_check_target(struct space *space, const struct vidmm_va_request *request,
                                  const char *call);
/* What a mapping at `va` that `request` asks for leads to. */
struct va_use va_use_of(const struct space *space, const struct vidmm_va_request *request,
                        uint64_t va);

#endif
