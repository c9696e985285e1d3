/* paging_hang.c - see paging_hang.h. One run at a time, so that there is one manager whose calls these are. */
#include "paging_hang.h"

#include <vidmm/umd.h>

#define MOVED_PAGES 16u
#define ROUNDS      16u
#define AT_ONCE     8u

static struct {
    struct check *check;
    PDXGKDDI_QUERYENGINESTATUS query_status;
    PDXGKDDI_RESETENGINE reset_engine;
    uint32_t node;
    bool watched, was_reset;
    bool fails; /* the reset of the engine: then the adapter is reset */
} stuck;

static void stuck_judge(bool kept, const char *expected, const char *told) {
    vidmm_ledger_judge(&stuck.check->shared->ledger, 281, VIDMM_SIDE_DRIVER, kept, expected, "%s",
                       told);
}

/* ---- What the manager calls -------------------------------------------------------------------- */

/* The first answer may tell of progress before the question. */
static NTSTATUS APIENTRY stuck_query_status(const HANDLE adapter, DXGKARG_QUERYENGINESTATUS *args) {
    DXGKARG_QUERYENGINESTATUS first = *args;
    if (!stuck.watched || args->NodeOrdinal != stuck.node || stuck.was_reset ||
        stuck.query_status(adapter, &first) != STATUS_SUCCESS)
        return stuck.query_status(adapter, args);
    NTSTATUS status = stuck.query_status(adapter, args);
    if (status == STATUS_SUCCESS)
        stuck_judge(!args->EngineStatus.Responsive,
                    "Responsive 0 of an engine that makes no progress",
                    "DxgkDdiQueryEngineStatus called an engine responsive that hangs in its work");
    return status;
}

/* What is complete, and whose interrupt the hardware holds back for what it has to do, is reported now
 * (nc-d3dkmddi-dxgkddi_querycurrentfence.md). */
static void stuck_ask(const HANDLE adapter, const DXGKARG_RESETENGINE *reset) {
    PDXGKDDI_QUERYCURRENTFENCE ask = stuck.check->harness.spoken.DxgkDdiQueryCurrentFence;
    DXGKARG_QUERYCURRENTFENCE args = {.NodeOrdinal = reset->NodeOrdinal,
                                      .EngineOrdinal = reset->EngineOrdinal};
    if (ask)
        (void)ask(adapter, &args);
}

/* What is oldest is what hangs: all before it was reported, as the manager has waited. */
static NTSTATUS APIENTRY stuck_reset_engine(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    uint32_t hung = 0;
    bool first = stuck.watched && args->NodeOrdinal == stuck.node && !stuck.was_reset;
    if (first && stuck.fails) {
        stuck.was_reset = true;
        return STATUS_UNSUCCESSFUL;
    }
    if (first)
        stuck_ask(adapter, args);
    first = first && vidmm_referee_oldest(stuck.check->harness.referee, args->EngineOrdinal,
                                          args->NodeOrdinal, &hung);
    NTSTATUS status = stuck.reset_engine(adapter, args);
    if (!first || status != STATUS_SUCCESS)
        return status;
    stuck.was_reset = true;
    stuck_judge(args->LastAbortedFenceId == hung,
                "LastAbortedFenceId of the work that the engine hung in",
                check_aborted_text(args->LastAbortedFenceId, hung));
    return status;
}

void paging_hang_table(DRIVER_INITIALIZATION_DATA *table) {
    stuck.watched = stuck.was_reset = stuck.fails = false;
    stuck.query_status = table->DxgkDdiQueryEngineStatus;
    stuck.reset_engine = table->DxgkDdiResetEngine;
    if (stuck.query_status)
        table->DxgkDdiQueryEngineStatus = stuck_query_status;
    if (stuck.reset_engine)
        table->DxgkDdiResetEngine = stuck_reset_engine;
}

void paging_hang_fails_table(DRIVER_INITIALIZATION_DATA *table) {
    paging_hang_table(table);
    stuck.fails = true;
}

/* ---- The work ---------------------------------------------------------------------------------- */

/* Several submissions at once of an application's context in the paging node, so that others wait behind what hangs. */
static bool submit_all(struct user *user) {
    bool good = true;
    for (uint32_t i = 0; good && i < AT_ONCE; i++)
        good = user_repeat(user);
    return good && user_rest(user);
}

/* Where that does not hang, or there are no such contexts: paging, which the manager waits for each time. */
static bool move_all(struct user *user) {
    struct vidmm_allocation *all[USER_SURFACES];
    uint64_t fence = 0;
    for (uint32_t i = 0; i < USER_SURFACES; i++) {
        all[i] = user->surface[i].allocation;
        if (!user_fine(user, vidmm_make_resident(user->queue, &all[i], 1, 0, &fence, NULL)))
            return false;
    }
    return user_fine(user, vidmm_device_evict(user->device, all, USER_SURFACES, 0, NULL)) &&
           user_fine(user, vidmm_evict_all(user->check->harness.adapter));
}

static bool go_on_until_reset(struct user *user, bool (*round)(struct user *user)) {
    bool good = true;
    for (uint32_t i = 0; good && i < ROUNDS && !stuck.was_reset; i++)
        good = round(user);
    return good;
}

/* True as well of a driver that makes no contexts there. */
static bool hang_in_context(struct user *user, uint32_t node) {
    struct vidmm_context *own = user->context, *context = NULL;
    if (vidmm_context_create(user->device, 0, node, &context) != VIDMM_OK)
        return true;
    user->context = context;
    bool good = go_on_until_reset(user, submit_all);
    user->context = own;
    if (good)
        vidmm_context_destroy(context);
    return good;
}

static bool hang_in_moves(struct user *user) {
    for (uint32_t i = 0; i < USER_SURFACES; i++)
        if (!user_make(user, i, VIDMM_UMD_LOCAL_ONLY, MOVED_PAGES))
            return false;
    return go_on_until_reset(user, move_all);
}

bool paging_hangs(struct user *user, uint32_t node, bool *hung) {
    stuck.check = user->check;
    stuck.node = node;
    stuck.watched = true;
    bool good = hang_in_context(user, node) && (stuck.was_reset || hang_in_moves(user));
    stuck.watched = false;
    *hung = stuck.was_reset;
    return good;
}
