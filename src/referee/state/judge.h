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

#endif
