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

#include "state/call.h"
#include "state/referee.h"
#include "state/world.h"

#define LLU(x) ((unsigned long long)(x))

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

void referee_watch_query(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_device(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_allocation(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_build(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_submit(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_submit_virtual(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_process(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_preempt(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_reset(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_callbacks(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks);

/* watch/query.c: judges the table itself, when it is wrapped. */
void referee_judge_table(struct vidmm_referee *referee, const DRIVER_INITIALIZATION_DATA *table);
/* watch/segment.c, called by watch/device.c with the lock held: the manager goes on from asking what
 * the adapter is to using it. */
void query_judge_use(struct vidmm_referee *referee);

/*
 * watch/operation.c, called by watch/build.c with the lock held: the arms of BuildPagingBuffer.
 * `asked`: the first call of an operation, before the driver has it. `built`: the driver answered
 * SUCCESS. `done`: the GPU completed it (or nothing was left for the GPU): its effects can be seen
 * now; frees what it keeps in `operation`.
 */
void operation_asked(struct vidmm_referee *referee, struct shadow_operation *operation);
void operation_built(struct vidmm_referee *referee, struct shadow_operation *operation);
void operation_done(struct vidmm_referee *referee, struct shadow_operation *operation);
/* The driver answered; `may`: as it is allowed to. */
void operation_answered(struct vidmm_referee *referee, const DXGKARG_BUILDPAGINGBUFFER *args,
                        bool may, NTSTATUS status);
/* Work under way is given up (TDR): no transfer is pending any more. */
void operation_forget(struct vidmm_referee *referee);
/* watch/build.c, called by watch/submit.c: the operations built into the submitted range. */
struct shadow_operation *build_take(struct vidmm_referee *referee,
                                    const DXGKARG_SUBMITCOMMAND *args);
/* watch/device.c: work is given to a context, or to a device of a driver without contexts. */
void device_judge_use(struct vidmm_referee *referee, const struct shadow_object *context);
/* watch/submit.c, called by the callbacks: `fence` of `node` is complete. */
void submit_completed(struct vidmm_referee *referee, uint32_t node, uint32_t fence);
/* watch/submit.c: work under way is given up (TDR). */
void submit_forget(struct vidmm_referee *referee);
/* Judged at the end of the adapter's life, by the files that keep the shadows. */
void allocation_judge_end(struct vidmm_referee *referee);
void referee_judge_end(struct vidmm_referee *referee);

#endif
