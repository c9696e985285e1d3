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

#define FENCES_IN_FLIGHT 32u  /* submissions outstanding on one node */
#define FENCES_LOST      256u /* given-up submissions that are remembered */

struct fence_record {
    uint64_t number;             /* of the submission; 0: a paging buffer */
    struct vidmm_device *device; /* NULL: a paging buffer */
    uint32_t fence;
};

struct node {
    uint32_t submitted, completed; /* fence ids */
    uint64_t progress_ns;          /* when the node last finished, or began with, something */
    bool faulted;                  /* a paging buffer faulted: only a reset helps */
    uint32_t head, count;
    struct fence_record ring[FENCES_IN_FLIGHT];
};

/* Everything here is protected by adapter->fence_lock. */
struct fences {
    struct node *nodes;
    uint32_t node_count;
    uint64_t submitted; /* newest submission number */
    uint64_t lost[FENCES_LOST];
    uint32_t lost_count;
};

bool fences_init(struct vidmm_adapter *adapter, uint32_t nodes);
void fences_destroy(struct vidmm_adapter *adapter);

/* Makes room for one more record on `node`, waiting if need be. VIDMM_GPU_LOST: the node hangs. */
enum vidmm_status fence_room(struct vidmm_adapter *adapter, uint32_t node);
/* A submission counts from now on: `number` is the newest. */
void fence_take_number(struct vidmm_adapter *adapter, uint64_t number);
/* The next fence id of `node`, to be called just before SubmitCommand; there must be room. */
uint32_t fence_next(struct vidmm_adapter *adapter, uint32_t node, uint64_t number,
                    struct vidmm_device *device);
/* Sleeps until `node` completed `fence`. VIDMM_GPU_LOST: the node hangs. */
enum vidmm_status fence_wait(struct vidmm_adapter *adapter, uint32_t node, uint32_t fence);
bool fence_passed(struct vidmm_adapter *adapter, uint32_t node, uint32_t fence);
/* True when no submission up to `number` is outstanding on the nodes of bit mask `nodes`. */
bool fence_idle(struct vidmm_adapter *adapter, uint64_t nodes, uint64_t number);
/* Sleeps until that is so. */
enum vidmm_status fence_wait_idle(struct vidmm_adapter *adapter, uint64_t nodes, uint64_t number);
/* Sleeps until every node is empty. */
enum vidmm_status fence_wait_all(struct vidmm_adapter *adapter);

/*
 * After a reset: nothing is outstanding any more; devices whose work was given up are lost.
 * Returns true when a paging buffer was among it.
 */
bool fence_give_up(struct vidmm_adapter *adapter);

#endif
