/*
 * va_update.h - the operations of vidmm_va_update: checked when they are queued, carried out in
 * their turn (companion.h).
 */
#ifndef VIDMM_MANAGER_VA_UPDATE_H
#define VIDMM_MANAGER_VA_UPDATE_H

#include "address/space_change.h"

/* What a batch of operations may ask for. */
enum vidmm_status va_check_updates(const struct vidmm_context *context,
                                   const struct vidmm_va_operation *operations, uint32_t count);
/* Carries out one operation; one that fails changes nothing. */
enum vidmm_status va_carry_out(struct vidmm_context *context,
                               const struct vidmm_va_operation *operation);

#endif
