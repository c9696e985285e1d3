/*
 * calls.h - the parts of a DDI call that go into the hash of calls: those that are equal in two
 * equal runs.
 *
 * Pointers, handles and buffer contents differ from run to run and stay out; sizes, offsets,
 * addresses, flags and fences go in. One function for the arguments before a call, one for the
 * answers after it, for each argument type.
 */
#ifndef HOST_CALLS_H
#define HOST_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/host.h>

struct host_call {
    uint64_t hash;
    KIRQL old, level;
    bool old_called, old_locked; /* as in struct host_thread */
    uint32_t old_regions;        /* without APCs, that the thread was in */
    const char *old_call;
    const uint8_t *buffer, *private_data; /* as they were before the call */
    struct vidmm_host_call seen;          /* by a watcher */
};

static inline void host_mix(struct host_call *call, uint64_t value) {
    uint64_t h = (call->hash ^ value) * 0x9fb21c651e98df25u;
    call->hash = h ^ h >> 32;
}

/* Two 32-bit values in one step of the hash. */
static inline void host_mix2(struct host_call *call, uint32_t a, uint32_t b) {
    host_mix(call, (uint64_t)a << 32 | b);
}

void host_in_query(struct host_call *c, const DXGKARG_QUERYADAPTERINFO *a);
void host_in_create_allocation(struct host_call *c, const DXGKARG_CREATEALLOCATION *a);
void host_out_create_allocation(struct host_call *c, const DXGKARG_CREATEALLOCATION *a);
void host_in_paging(struct host_call *c, const DXGKARG_BUILDPAGINGBUFFER *a);
void host_out_paging(struct host_call *c, const DXGKARG_BUILDPAGINGBUFFER *a);
void host_in_patch(struct host_call *c, const DXGKARG_PATCH *a);
void host_in_submit(struct host_call *c, const DXGKARG_SUBMITCOMMAND *a);
void host_in_submit_virtual(struct host_call *c, const DXGKARG_SUBMITCOMMANDVIRTUAL *a);
void host_in_render(struct host_call *c, const DXGKARG_RENDER *a);
void host_out_render(struct host_call *c, const DXGKARG_RENDER *a);

#endif
