/*
 * work.h - work on its way through the driver, as it is kept: buffers being filled, operations
 * built into them, submissions, resets, and reports of completion. The functions that change it are
 * in the folder work, and everything is called with the referee's lock held.
 */
#ifndef REFEREE_WORK_H
#define REFEREE_WORK_H

#include <pthread.h>

#include <vidmm/interrupt.h>

#include "state/guard.h"
#include "state/shadow.h"

struct referee_call;

/* An operation and where in its buffer it ended. */
struct build_operation {
    struct shadow_operation shadow; /* first: what the other files see of it */
    uint32_t end;
};

/* A paging buffer and what was built into it. The driver writes into the mirrors. */
struct shadow_build {
    uint8_t *base; /* the caller's; NULL: not used so far */
    uint32_t size;
    uint32_t used, submitted; /* bytes */
    uint32_t unwritten;       /* of those that the last call added, at their end */
    bool astray;              /* operations are not where the manager submits them */
    struct guard bytes;
    uint8_t *private_base;
    uint32_t private_size, private_used;
    struct guard private_bytes;
    uint64_t number;                      /* from 1; newer is higher */
    uint32_t physical;                    /* of the system context that it is built for */
    uint32_t segment;                     /* from DxgkDdiPatch */
    uint64_t address;                     /* from DxgkDdiPatch; 0: not yet */
    struct build_operation *first, *last; /* built, not submitted */
};

/* The operation that the driver has not answered with SUCCESS yet. */
struct builds_open {
    struct build_operation *operation; /* NULL: none */
    NTSTATUS answer;
    UINT multipass; /* as the driver left it */
    UINT silent, repeated;
    struct shadow_build *build;       /* of the last call, when it wrote something; else NULL */
    uint64_t build_number;            /* of that */
    DXGKARG_BUILDPAGINGBUFFER latest; /* as the driver left it */
};

/* Paging buffers that are kept at rest, and areas of private data that are known: as many as managers
 * go round. What is built and not submitted is kept however much it is. */
#define BUILDS_AT_REST 64u
#define BUILDS_SEEN    64u

struct builds {
    struct shadow_build **slot; /* `slots` of them; they stay where they are */
    uint32_t slots, slot_room;
    uint64_t newest;
    const void *seen_private[BUILDS_SEEN]; /* areas of private data, a ring */
    uint32_t seen_privates;
    struct builds_open open;
    bool page_tables; /* some were written: virtual addresses may mean something */
};

#define SUBMISSIONS_BEHIND 64u

struct submissions {
    bool gave_up;     /* see submit_give_up */
    uint64_t patches; /* calls of DxgkDdiPatch */
    /* Submissions behind so many of their node that are under way, or more, and whether the newest one is one of the first
     * of those. */
    uint32_t behind[SUBMISSIONS_BEHIND];
    bool lent;
    bool without_private; /* DxgkDdiSubmitCommandVirtual took work that has no private data */
    /* Arguments of DxgkDdiPatch, until DxgkDdiSubmitCommand follows. */
    struct {
        bool open;
        DXGKARG_PATCH args;
        uint32_t handles, room;
        HANDLE *handle; /* of the allocations in its list */
    } patched;
    bool faulted[SHADOW_NODES]; /* a page fault was reported and nothing was reset since */
};

enum reset_phase {
    RESET_RUNNING,
    RESET_RESETTING,   /* inside DxgkDdiResetFromTimeout */
    RESET_CLEANING_UP, /* until DxgkDdiRestartFromTimeout */
};

struct reset {
    enum reset_phase phase;
    /* The reset of an engine gave up paging work: what comes next is the reset of the adapter. */
    bool lost_paging;
    uint32_t
        silent; /* the rule about what came last and nothing was reported complete since: a restart of
                      * the adapter, power; 0: something was */
    bool drew;              /* work of an application was reported complete in this life */
    uint32_t undrawn;       /* as `silent`, but of such work alone, where some was before */
    uint32_t faulted_first; /* that, when what came first was reported faulted */
    /* Of an application, by physical addresses, reported faulted last; fence 0: none. */
    struct vidmm_faulted_work faulted_work;
    uint32_t deaf; /* the same when a reset came to work under way, the first time; 0: none did */
};

/* DxgkDdiSetPowerState (watch/power.c). */
struct power {
    bool away;       /* the adapter is not in D0 */
    bool blank;      /* the paging process was not initialised since it came back */
    bool lost;       /* meanwhile the hardware had no power */
    bool hibernates; /* the adapter went for hibernation */
    uint64_t hash;   /* of content that is to be kept */
    uint64_t hashed; /* bytes of it */
};

#define REPORT_FRAMES 3u /* of the driver's, innermost first */

/* Reports of the driver that are not taken over yet, with a lock of their own. */
struct reports {
    pthread_mutex_t lock;
    uint64_t routines;           /* that reported work and returned */
    uint64_t told;               /* of these, before the last DxgkCbNotifyDpc; the referee's lock */
    uint32_t first, count, room; /* elements `first` on, `count` of them */
    uint32_t faults;             /* so far; the referee's lock */
    struct reported {
        struct vidmm_interrupt interrupt;
        HANDLE handle; /* as the driver named its device; NULL: it is not known */
        /* Else no report, but the end of a routine that made some: whether it queued a DPC, and
         * whether it said that the interrupt was its device's. */
        bool routine, queued, claimed;
        bool signaled;      /* of a monitored fence, not of work */
        bool vsync;         /* of the target `interrupt.node`, which shows `interrupt.address` */
        bool planes;        /* a vertical sync whose address is not read here */
        uint32_t undefined; /* bits of Flags that no version has */
        uint32_t frames;    /* where in the driver it was made */
        uint64_t frame[REPORT_FRAMES];
    } * report;
};

/* What is under way, node by node, in order; NULL: the first, and after the last. */
const struct shadow_submission *submit_next(struct vidmm_referee *referee,
                                            const struct shadow_submission *after);
/* True while anything is under way on any node. */
bool submit_under_way(struct vidmm_referee *referee);
/* The driver answered what no driver may: Windows would have stopped here, and what the manager
 * leaves undone from now on is no fault of its. */
void submit_give_up(struct vidmm_referee *referee);
bool submit_gave_up(struct vidmm_referee *referee);
/* Operations of which a part may have been submitted, in lists: the first of list `index`, NULL
 * when it is empty; false: there is no such list. */
bool build_waiting(struct vidmm_referee *referee, uint32_t index,
                   const struct shadow_operation **first);
/* The operation that the driver has not answered with SUCCESS yet, or NULL. */
const struct shadow_operation *operation_open(struct vidmm_referee *referee);

/* Fence ids wrap. */
static inline bool fence_reached(uint32_t completed, uint32_t fence) {
    return (int32_t)(completed - fence) >= 0;
}

static inline bool fence_beyond(uint32_t fence, uint32_t other) {
    return (int32_t)(fence - other) > 0;
}

#endif
