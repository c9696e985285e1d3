/*
 * submit_entry.h - what submissions by physical addresses (submit.c) and by virtual ones
 * (submit_virtual.c) begin and end with.
 */
#ifndef VIDMM_MANAGER_SUBMIT_ENTRY_H
#define VIDMM_MANAGER_SUBMIT_ENTRY_H

#include <vidmm/manager.h>

/* Takes the API lock, whatever the answer; VIDMM_OK: the context takes work. */
enum vidmm_status submit_enter(struct vidmm_context *context, const char *call);
/* Releases it. `status`: what came of the submission; when it was good it counts, as `number`. */
enum vidmm_status submit_leave(struct vidmm_context *context, enum vidmm_status status,
                               uint64_t number, uint64_t *fence);

#endif
