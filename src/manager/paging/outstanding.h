/*
 * outstanding.h - operations that the driver has built and the GPU has not completed.
 *
 * They wait here, in the order in which they were built, for the paging buffer that the last of
 * each went into. When it completed they are counted and the observer is told: before another
 * buffer is waited for, and before anything is built that needs the result.
 */
#ifndef VIDMM_MANAGER_OUTSTANDING_H
#define VIDMM_MANAGER_OUTSTANDING_H

#include <vidmm/manager.h>

struct plan_op;

struct built_op {
    struct vidmm_op op;
    uint64_t first_buffer, last_buffer;
    uint64_t sequence;
};

struct outstanding {
    struct built_op *ops;
    uint32_t first, end; /* those in [first, end) */
    uint32_t capacity;
    uint64_t added, completed; /* the newest operation that was built, and that completed */
};

/* False: no memory. */
bool outstanding_create(struct vidmm_adapter *adapter);
void outstanding_destroy(struct vidmm_adapter *adapter);
/* Makes room for one more. Where there is no memory for that, all others are completed first. */
enum vidmm_status outstanding_room(struct vidmm_adapter *adapter);
/* `op` was built; there must be room. */
void outstanding_add(struct vidmm_adapter *adapter, struct plan_op *op);
/* True when operation `sequence` completed. */
bool outstanding_completed(const struct vidmm_adapter *adapter, uint64_t sequence);
/* Every paging buffer up to `buffer` completed. */
void outstanding_done(struct vidmm_adapter *adapter, uint64_t buffer);
/* They will never complete. */
void outstanding_forget(struct vidmm_adapter *adapter);

#endif
