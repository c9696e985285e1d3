/*
 * va_api.h - mapping for those in the manager who ask as a user-mode driver would: the same is
 * judged, and done at once.
 */
#ifndef VIDMM_MANAGER_VA_API_H
#define VIDMM_MANAGER_VA_API_H

#include "address/space_change.h"

/* One operation of vidmm_va_update, whose turn has come; what failed changed nothing. */
enum vidmm_status va_carry_out(struct vidmm_context *context,
                               const struct vidmm_va_operation *operation);
/* As vidmm_va_map. */
enum vidmm_status va_map(struct space *space, const struct vidmm_va_request *request, uint64_t *va);

#endif
