/*
 * services.h - records of requests of user mode to a manager and of its answers: residency, offers,
 * GPU virtual addresses, locks, budgets. DDI calls do not show these. The caller of the manager
 * reports each request (vidmm_referee_judge_request), and the referee judges the manager by the
 * record.
 *
 * The words are those of the user-mode callbacks (D3DDDI_MAKERESIDENT, D3DKMT_EVICT,
 * D3DDDI_MAPGPUVIRTUALADDRESS ...), so that the interface of any manager can be recorded.
 */
#ifndef VIDMM_SERVICES_H
#define VIDMM_SERVICES_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <d3dkmddi.h>

#ifdef __cplusplus
extern "C" {
#endif

enum vidmm_service {
    VIDMM_SERVICE_MAKE_RESIDENT,
    VIDMM_SERVICE_EVICT,
    VIDMM_SERVICE_SUBMIT, /* `allocation`: what the device lists */
    VIDMM_SERVICE_TRIM,   /* the manager called user mode */
    VIDMM_SERVICE_OFFER,
    VIDMM_SERVICE_RECLAIM,
    VIDMM_SERVICE_BUDGET, /* `allocation`: what the process lists */
    VIDMM_SERVICE_RESERVE,
    VIDMM_SERVICE_MAP,
    VIDMM_SERVICE_UPDATE,
    VIDMM_SERVICE_FREE, /* of a range, or of the allocation that was mapped there */
    VIDMM_SERVICE_WORK, /* work that may use these addresses will be submitted */
    VIDMM_SERVICE_LOCK,
    VIDMM_SERVICE_PROPERTIES, /* of an allocation, to be changed */
};

enum vidmm_answer {
    VIDMM_ANSWER_GRANTED, /* S_OK, or E_PENDING with a fence */
    VIDMM_ANSWER_NO_ROOM, /* E_OUTOFMEMORY */
    VIDMM_ANSWER_REFUSED, /* an invalid parameter, or not possible */
    VIDMM_ANSWER_BUSY,    /* D3DDDIERR_WASSTILLDRAWING */
    VIDMM_ANSWER_LOST,    /* the device is in error */
};

/* One allocation that a request names. */
struct vidmm_request_allocation {
    HANDLE handle;          /* the driver's, DXGK_ALLOCATIONINFO.hAllocation */
    uint32_t before, after; /* references on the device's list */
    bool foreign;           /* of another device */
    bool offered;           /* when the request was made */
    bool was_resident;      /* the same */
    bool resident;          /* once the fence was reached */
    bool lost;              /* its content changed */
    bool discarded;         /* RECLAIM: by the answer */
};

#define VIDMM_REQUEST_ALLOCATIONS 8u

struct vidmm_request_residency {
    uint32_t count;
    struct vidmm_request_allocation allocation[VIDMM_REQUEST_ALLOCATIONS];
    bool cant_trim, must_succeed;      /* MAKE_RESIDENT */
    bool if_necessary, not_written_to; /* EVICT */
    bool periodic, restart_periodic;   /* TRIM */
    bool to_budget;                    /* the same */
    uint32_t priority;                 /* OFFER: D3DDDI_OFFER_PRIORITY */
    bool working;                      /* OFFER: content was dropped before queued work ended */
    bool unlockable;                   /* RECLAIM: the CPU could not map it afterwards */
    uint64_t bytes_to_trim;            /* MAKE_RESIDENT, TRIM */
    uint64_t fence, reached;      /* the paging fence's value in the answer; the value it reached */
    uint64_t budget[2], usage[2]; /* BUDGET: local, non-local */
};

/* What a range of addresses was before a request. */
enum vidmm_request_range { VIDMM_RANGE_FREE, VIDMM_RANGE_RESERVED, VIDMM_RANGE_MAPPED };

struct vidmm_request_addresses {
    uint64_t base, size;       /* asked for; base 0: anywhere */
    uint64_t minimum, maximum; /* RESERVE, base 0: bounds; maximum 0: the end of all addresses */
    uint64_t va;               /* granted */
    uint64_t offset;           /* into the allocation */
    uint64_t repeat;           /* UPDATE: 0, or the part that is mapped repeatedly */
    uint64_t driver_protection;
    enum vidmm_request_range range;
    bool allocation;      /* one was named */
    bool nowhere;         /* NoAccess or Zero */
    bool one_reservation; /* UPDATE: all of it lies in one */
    /* Afterwards, when updates are carried out: by the manager's VA map the address leads to the
     * allocation. */
    bool leads;
    bool should_lead; /* UPDATE: by the last of its operations */
    uint32_t queued;  /* UPDATE: queued operations of the context after the answer */
};

/* Where addresses of a process lead by the requests of user mode: to a listed allocation; or
 * nowhere, because nothing is mapped there or the mapped allocation is not resident. */
struct vidmm_request_work {
    HANDLE process, allocation; /* the driver's; NULL: nowhere */
    uint32_t physical, node;    /* physical adapter and node on which the work runs */
    uint64_t va, size;
    uint64_t offset; /* into the allocation */
};

struct vidmm_request_lock {
    HANDLE allocation;
    bool read_only, write_only, dont_wait, dont_evict, acquire_aperture, alternate_va;
    bool busy; /* the GPU was working on it */
    bool offered;
    bool was_resident, resident; /* in a memory segment */
};

struct vidmm_request_record {
    enum vidmm_service service;
    enum vidmm_answer answer;
    struct vidmm_request_residency residency; /* MAKE_RESIDENT to BUDGET */
    struct vidmm_request_addresses addresses; /* RESERVE to FREE */
    struct vidmm_request_work work;
    struct vidmm_request_lock lock;
    DXGKARG_VALIDATEUPDATEALLOCPROPERTY properties; /* asked for; the driver's hAllocation */
};

struct vidmm_referee;
/* Judges the manager by its answer. */
void vidmm_referee_judge_request(struct vidmm_referee *referee,
                                 const struct vidmm_request_record *record);

#ifdef __cplusplus
}
#endif

#endif
