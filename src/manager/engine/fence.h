/*
 * fence.h - which work the GPU was given and which it finished.
 *
 * Each execution node counts its own 32-bit fences, in order (supplying-fence-identifiers.md). A
 * record stands for one SubmitCommand that has not completed. Fence state has its own leaf lock, so
 * that a completion can be reported from an interrupt, an engine thread, or from inside a DDI call
 * that the manager makes with the adapter's lock held.
 */
#ifndef VIDMM_MANAGER_FENCE_H
#define VIDMM_MANAGER_FENCE_H

#include <vidmm/manager.h>

#include "engine/packet.h"

#define FENCES_IN_FLIGHT 32u  /* submissions outstanding on one node */
#define FENCES_LOST      256u /* given-up submissions that are remembered */

struct fence_record {
    uint64_t number;             /* of the submission; 0: a paging buffer */
    struct vidmm_device *device; /* NULL: a paging buffer */
    uint32_t fence;
    struct packet packet;
};

struct node {
    uint32_t submitted, completed; /* fence ids */
    HANDLE context;                /* the driver's, of the newest physical work: null_context.h */
    uint64_t progress_ns;          /* when the node last finished, or began with, something */
    /* For engine.h: */
    bool faulted;        /* a page or a paging buffer faulted: only a reset helps */
    bool adapter_reset;  /* ... of the whole adapter */
    bool deaf;           /* being reset: what the driver says of it is not listened to */
    bool preempting;     /* asked to, with the fence `preemption`, and not answered */
    bool anonymous;      /* it is unknown which work `fault` belongs to */
    uint32_t preemption; /* fence id */
    uint32_t tries;      /* to get on without a reset, since it last finished something */
    uint32_t futile;     /* resets that aborted nothing, since then */
    struct vidmm_page_fault fault;
    uint32_t head, count;
    struct fence_record ring[FENCES_IN_FLIGHT];
};

/* Work that was given up. */
struct lost_work {
    uint64_t number;
    uint32_t device; /* its number */
};

/* Everything here is protected by adapter->fence_lock. */
struct fences {
    struct node *nodes; /* of all physical adapters, one after the other */
    uint32_t node_count;
    uint32_t ordinals;  /* nodes of each physical adapter */
    uint64_t submitted; /* newest submission number */
    uint64_t done;      /* none up to this number is outstanding, nor will be: under both locks */
    struct lost_work lost[FENCES_LOST];
    uint32_t lost_count;
    bool fatal; /* DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR */
    bool torn;  /* an engine's reset lost paging work: only a reset of the adapter helps */
};

bool fences_init(struct vidmm_adapter *adapter);
void fences_destroy(struct vidmm_adapter *adapter);

/*
 * Waiting. A node that hangs or faulted is helped by engine.h while it is waited for; only what
 * that cannot cure is answered with VIDMM_GPU_LOST: the adapter has to be reset.
 */
/* Makes room for one more record on `node`, which then takes work. */
enum vidmm_status fence_room(struct vidmm_adapter *adapter, uint32_t node);
/* The packet of the next record of `node`, to be filled before fence_submit; there must be room. */
struct packet *fence_packet(struct vidmm_adapter *adapter, uint32_t node);
/* A submission counts from now on: `number` is the newest. */
void fence_take_number(struct vidmm_adapter *adapter, uint64_t number);
/* Hands that packet to the driver, with the next fence id of `node`. A packet that the driver refuses
 * never was. `device`: whose work it is; NULL: the system's. */
enum vidmm_status fence_submit(struct vidmm_adapter *adapter, uint32_t node, uint64_t number,
                               struct vidmm_device *device);
/* Sleeps until `node` completed `*fence`, which changes when work is handed over again. */
enum vidmm_status fence_wait(struct vidmm_adapter *adapter, uint32_t node, const uint32_t *fence);
bool fence_passed(struct vidmm_adapter *adapter, uint32_t node, uint32_t fence);
/* True when no submission up to `number` is outstanding on the nodes of bit mask `nodes`. */
bool fence_idle(struct vidmm_adapter *adapter, uint64_t nodes, uint64_t number);
/* Sleeps until that is so. */
enum vidmm_status fence_wait_idle(struct vidmm_adapter *adapter, uint64_t nodes, uint64_t number);
/* Sleeps until submission `number` is no longer outstanding; false: it hangs, and nothing helped. */
bool fence_wait_number(struct vidmm_adapter *adapter, uint64_t number);
/* Submission `number` was given up: `*device` is the number of the device that it belonged to. */
bool fence_lost(struct vidmm_adapter *adapter, uint64_t number, uint32_t *device);
/* Sleeps until `node` is empty; until every node is. */
enum vidmm_status fence_wait_node(struct vidmm_adapter *adapter, uint32_t node);
enum vidmm_status fence_wait_all(struct vidmm_adapter *adapter);

/* ---- For engine.c and page_fault.c ----------------------------------------------------------- */

void fences_lock(struct vidmm_adapter *adapter);
void fences_unlock(struct vidmm_adapter *adapter);
/* Fence ids wrap. */
static inline bool fence_reached(uint32_t completed, uint32_t fence) {
    return (int32_t)(completed - fence) >= 0;
}
/* With the lock: record `index`, counted from the oldest. */
static inline struct fence_record *fence_record(struct node *node, uint32_t index) {
    return &node->ring[(node->head + index) % FENCES_IN_FLIGHT];
}
/* With the lock: forgets the records up to `fence`, which completed or were given up. */
void fence_complete(struct vidmm_adapter *adapter, struct node *node, uint32_t fence);
/* With the lock: the work of `record` is given up, and its device with it. */
void fence_lose(struct vidmm_adapter *adapter, const struct fence_record *record);
/* Takes the lock, for news from a node of a physical adapter: it, or NULL when there is none of this
 * number (yet) or its news are ignored (deaf). */
struct node *fence_notified(struct vidmm_adapter *adapter, uint32_t physical, uint32_t ordinal);
/* Releases the lock and wakes all waits. Touches nothing of the adapter after the unlock, because a
 * thread that waited may free it. */
void fences_unlock_and_wake(struct vidmm_adapter *adapter);

/*
 * After a reset: nothing is outstanding any more; devices whose work was given up are lost.
 * Returns true when a paging buffer was among it.
 */
bool fence_give_up(struct vidmm_adapter *adapter);

#endif
