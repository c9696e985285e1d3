/*
 * judge.h - the referee itself: what every file that watches calls shares.
 *
 * A watching function has this shape:
 *
 *     static NTSTATUS APIENTRY see_Patch(const HANDLE handle, const DXGKARG_PATCH *args) {
 *         struct referee_call call;
 *         referee_enter(&call, "DxgkDdiPatch", REFEREE_SCHEDULER);
 *         MANAGER_MUST(273, !args->pAllocationList, "no list", "AllocationList %p", ...);
 *         referee_leave(&call);                            // the driver may call back
 *         NTSTATUS status = referee->real.DxgkDdiPatch(handle, args);
 *         referee_return(&call);
 *         DRIVER_MUST(277, status == STATUS_SUCCESS, "STATUS_SUCCESS", "status 0x%08x", status);
 *         referee_exit(&call);
 *         return status;
 *     }
 *
 * and is put into the table by its file's referee_watch_* function with WATCH. Between enter and
 * leave, and between return and exit, the referee's lock is held: shadows may be read and written.
 */
#ifndef REFEREE_JUDGE_H
#define REFEREE_JUDGE_H

#include <pthread.h>

#include <vidmm/referee.h>

#include "state/guard.h"
#include "state/shadow.h"

struct vidmm_referee {
    struct vidmm_ledger *ledger;
    struct vidmm_referee_world world;
    struct vidmm_readings readings;
    pthread_mutex_t lock;
    DRIVER_INITIALIZATION_DATA real; /* the driver's table */
    DXGKRNL_INTERFACE callbacks;     /* the system's callbacks */
    struct shadow_adapter adapter;
    struct shadow_node node[SHADOW_NODES];
    uint32_t inside[4]; /* threads inside a class */
};

extern struct vidmm_referee *referee;

/* threading-and-synchronization-*.md: calls of one class exclude each other. */
enum referee_class {
    REFEREE_REENTRANT, /* level 0 */
    REFEREE_SCHEDULER, /* level 1: BuildPagingBuffer, Patch, Submit, Preempt, engine status, reset
                        */
    REFEREE_SWIZZLING, /* level 1 */
    REFEREE_ALONE,     /* levels 2 and 3 */
};

struct referee_call {
    char outer[96]; /* the call that this one is nested in */
    enum referee_class class;
    KIRQL irql;
    bool alone; /* nobody else was in the class */
};

/* Notes the call under way (`name` as findings show it) and takes the lock. */
void referee_enter(struct referee_call *call, const char *name, enum referee_class class);
/* Around the driver's function. */
void referee_leave(struct referee_call *call);
void referee_return(struct referee_call *call);
void referee_exit(struct referee_call *call);

#define MUST(rule, who, holds, ...)                                                                \
    do {                                                                                           \
        if (holds)                                                                                 \
            referee->ledger->kept[rule]++;                                                         \
        else                                                                                       \
            vidmm_ledger_judge(referee->ledger, rule, who, false, __VA_ARGS__);                    \
    } while (0)
/* Rule number, whether it was kept, what it wants, and a format for what was found. */
#define DRIVER_MUST(rule, holds, ...)  MUST(rule, VIDMM_SIDE_DRIVER, holds, __VA_ARGS__)
#define MANAGER_MUST(rule, holds, ...) MUST(rule, VIDMM_SIDE_MANAGER, holds, __VA_ARGS__)

/* Puts see_NAME where the driver's DxgkDdiNAME is, if the driver has one. */
#define WATCH(table, NAME)                                                                         \
    do {                                                                                           \
        if ((table)->DxgkDdi##NAME != NULL)                                                        \
            (table)->DxgkDdi##NAME = see_##NAME;                                                   \
    } while (0)

void referee_watch_query(DRIVER_INITIALIZATION_DATA *table);
void referee_watch_device(DRIVER_INITIALIZATION_DATA *table);
void referee_watch_allocation(DRIVER_INITIALIZATION_DATA *table);
void referee_watch_build(DRIVER_INITIALIZATION_DATA *table);
void referee_watch_submit(DRIVER_INITIALIZATION_DATA *table);
void referee_watch_submit_virtual(DRIVER_INITIALIZATION_DATA *table);
void referee_watch_process(DRIVER_INITIALIZATION_DATA *table);
void referee_watch_preempt(DRIVER_INITIALIZATION_DATA *table);
void referee_watch_reset(DRIVER_INITIALIZATION_DATA *table);
void referee_watch_callbacks(DXGKRNL_INTERFACE *callbacks);

/* watch/query.c: judges the table itself, when it is wrapped. */
void referee_judge_table(const DRIVER_INITIALIZATION_DATA *table);
/* watch/segment.c, called by watch/device.c with the lock held: the manager goes on from asking what
 * the adapter is to using it. */
void query_judge_use(void);

/*
 * watch/operation.c, called by watch/build.c with the lock held: the arms of BuildPagingBuffer.
 * `asked`: the first call of an operation, before the driver has it. `built`: the driver answered
 * SUCCESS. `done`: the GPU completed it (or nothing was left for the GPU): its effects can be seen
 * now; frees what it keeps in `operation`.
 */
void operation_asked(struct shadow_operation *operation);
void operation_built(struct shadow_operation *operation);
void operation_done(struct shadow_operation *operation);
/* The driver answered; `may`: as it is allowed to. */
void operation_answered(const DXGKARG_BUILDPAGINGBUFFER *args, bool may, NTSTATUS status);
/* Work under way is given up (TDR): no transfer is pending any more. */
void operation_forget(void);
/* watch/build.c, called by watch/submit.c: the operations built into the submitted range. */
struct shadow_operation *build_take(const DXGKARG_SUBMITCOMMAND *args);
/* watch/device.c: work is given to a context, or to a device of a driver without contexts. */
void device_judge_use(const struct shadow_object *context);
/* watch/submit.c, called by the callbacks: `fence` of `node` is complete. */
void submit_completed(uint32_t node, uint32_t fence);
/* watch/submit.c: work under way is given up (TDR). */
void submit_forget(void);
/* Judged at the end of the adapter's life, by the files that keep the shadows. */
void allocation_judge_end(void);
void referee_judge_end(void);

/* world.c: `size` bytes at an offset of a segment as the GPU sees them (peek, else the CPU's view,
 * else through the aperture's shadow), not across a page in an aperture; NULL: cannot be seen. */
const uint8_t *world_segment(const struct shadow_segment *segment, uint64_t offset, uint64_t size);
uint8_t *world_memory(uint64_t pa, uint64_t size);
/* True when a pointer that world_segment gave is into system memory itself. */
bool world_is_memory(const uint8_t *bytes);
KIRQL world_irql(void);

#endif
