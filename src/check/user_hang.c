/*
 * user_hang.c - work of an application at GPU virtual addresses that hangs its engine (VIDMM_UMD_PACKET_SPIN), that
 * completes when the engine is about to be reset, or that has a packet that the driver does not know; and what the
 * driver says of it while the manager helps (tdr-changes-in-windows-8.md). Other work of the node waits behind it.
 */
#include "user.h"

#include <vidmm/umd.h>

#define UNKNOWN_OPCODE 0x7ff0u
#define SHORT_STEPS    1u

/* HANG_UNHEARD: as HANG_ENDS, and the interrupt comes behind the reset. */
enum hang_kind { HANG_SPINS, HANG_ENDS, HANG_UNHEARD, HANG_UNKNOWN, HANG_ADAPTER, HANG_KINDS };

static bool spins(enum hang_kind kind) {
    return kind == HANG_SPINS || kind == HANG_ADAPTER;
}

static bool ends(enum hang_kind kind) {
    return kind == HANG_ENDS || kind == HANG_UNHEARD;
}

/* The functions below the hooks, and what the work of the run is. */
static struct {
    struct check *check;
    PDXGKDDI_SUBMITCOMMANDVIRTUAL submit;
    PDXGKDDI_PREEMPTCOMMAND preempt;
    PDXGKDDI_QUERYENGINESTATUS query_status;
    PDXGKDDI_RESETENGINE reset_engine;
    uint32_t node;
    bool watched; /* `node` has the work, or is about to */
    enum hang_kind kind;
    bool again;     /* it may come again, with a new fence */
    uint32_t fence; /* its newest; 0: none yet */
    uint32_t resets;
} hang;

static void hang_judge(uint32_t rule, bool kept, const char *expected, const char *told) {
    vidmm_ledger_judge(&hang.check->shared->ledger, rule, VIDMM_SIDE_DRIVER, kept, expected, "%s",
                       told);
}

/* ---- What the manager calls -------------------------------------------------------------------- */

static NTSTATUS APIENTRY hang_submit(const HANDLE adapter,
                                     const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (hang.watched && args->NodeOrdinal == hang.node && !args->Flags.Paging &&
        (hang.fence == 0 || hang.again)) {
        hang.fence = args->SubmissionFenceId;
        hang.again = false;
    }
    return hang.submit(adapter, args);
}

static NTSTATUS APIENTRY hang_preempt(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *args) {
    hang.again = hang.again || args->NodeOrdinal == hang.node;
    return hang.preempt(adapter, args);
}

/* The first answer may tell of progress before the question. */
static NTSTATUS APIENTRY hang_query_status(const HANDLE adapter, DXGKARG_QUERYENGINESTATUS *args) {
    DXGKARG_QUERYENGINESTATUS first = *args;
    if (!hang.watched || hang.kind != HANG_SPINS || args->NodeOrdinal != hang.node ||
        hang.resets != 0 || hang.query_status(adapter, &first) != STATUS_SUCCESS)
        return hang.query_status(adapter, args);
    NTSTATUS status = hang.query_status(adapter, args);
    if (status == STATUS_SUCCESS)
        hang_judge(281, !args->EngineStatus.Responsive,
                   "Responsive 0 of an engine that makes no progress",
                   "DxgkDdiQueryEngineStatus called an engine responsive that hangs in its work");
    return status;
}

/* Of the first reset of the node. What is unknown to the driver has come to no end, if it is reset for it. */
static void hang_judge_reset(const DXGKARG_RESETENGINE *args) {
    if (hang.resets != 1)
        return;
    hang_judge(281, args->LastAbortedFenceId == hang.fence,
               "LastAbortedFenceId of the work that the engine hung in",
               check_aborted_text(args->LastAbortedFenceId, hang.fence));
}

static NTSTATUS APIENTRY hang_reset_engine(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    struct vidmm_host *host = hang.check->harness.host;
    bool of_work = hang.watched && args->NodeOrdinal == hang.node && hang.fence != 0;
    if (of_work && hang.kind == HANG_ADAPTER)
        return STATUS_UNSUCCESSFUL;
    if (hang.watched && ends(hang.kind)) {
        vidmm_host_hold_engines(host, false);
        vidmm_host_hold_interrupts(host, hang.kind == HANG_UNHEARD);
        vidmm_host_run(host);
    }
    NTSTATUS status = hang.reset_engine(adapter, args);
    vidmm_host_hold_interrupts(host, false);
    hang.resets += of_work && status == STATUS_SUCCESS;
    if (of_work && status == STATUS_SUCCESS && !ends(hang.kind))
        hang_judge_reset(args);
    return status;
}

void user_hang_table(DRIVER_INITIALIZATION_DATA *table) {
    hang.submit = table->DxgkDdiSubmitCommandVirtual;
    hang.preempt = table->DxgkDdiPreemptCommand;
    hang.query_status = table->DxgkDdiQueryEngineStatus;
    hang.reset_engine = table->DxgkDdiResetEngine;
    if (hang.submit)
        table->DxgkDdiSubmitCommandVirtual = hang_submit;
    if (hang.preempt)
        table->DxgkDdiPreemptCommand = hang_preempt;
    if (hang.query_status)
        table->DxgkDdiQueryEngineStatus = hang_query_status;
    if (hang.reset_engine)
        table->DxgkDdiResetEngine = hang_reset_engine;
}

/* ---- The work ---------------------------------------------------------------------------------- */

static bool hang_send(struct user *user, enum hang_kind kind) {
    const struct vidmm_umd_packet unknown = {.opcode = UNKNOWN_OPCODE, .size = sizeof(unknown)};
    if (kind == HANG_UNKNOWN)
        return user_send(user, &unknown, sizeof(unknown));
    return user_submit(user, spins(kind) ? UINT32_MAX : SHORT_STEPS);
}

static uint64_t adapter_resets(struct check *check) {
    struct vidmm_stats stats;
    vidmm_stats(check->harness.adapter, &stats);
    return stats.resets;
}

/* The work behind it, of another process, comes to its end without another reset. */
static bool hang_others_go_on(struct user *behind) {
    struct check *check = behind->check;
    bool by_engine = hang.resets == 1 && adapter_resets(check) == 0;
    enum vidmm_status status = vidmm_wait(check->harness.adapter, behind->fence);
    if (by_engine)
        check_judge(check, 617, VIDMM_SIDE_DRIVER, hang.resets == 1 && adapter_resets(check) == 0,
                    "a node that takes new work when DxgkDdiResetEngine has returned",
                    "work behind that which an engine was reset for did not complete");
    return status == VIDMM_OK || status == VIDMM_DEVICE_LOST || check_good(check, status);
}

static const char *const kind_names[HANG_KINDS] = {
    "hangs in its work", "completes its work before it is reset",
    "completes its work before it is reset, with an interrupt behind the reset",
    "gets a packet that is unknown",
    "hangs in its work, and its reset fails: the adapter is reset"};

/* The preemption takes the fence behind what is complete. */
static bool hang_once(struct user *user, struct user *behind, enum hang_kind kind) {
    struct check *check = user->check;
    struct vidmm_host *host = check->harness.host;
    check_step(check, "engines: node %u %s", hang.node, kind_names[kind]);
    if (!user_rest(user) || !check_preempt_idle(check, hang.node))
        return false;
    hang.kind = kind;
    hang.fence = hang.resets = 0;
    hang.again = false;
    hang.watched = true;
    vidmm_host_hold_engines(host, ends(kind));
    bool good = hang_send(user, kind) && (!spins(kind) || user_repeat(behind));
    enum vidmm_status status =
        good ? vidmm_wait(check->harness.adapter, user->fence) : VIDMM_DEVICE_LOST;
    vidmm_host_hold_engines(host, false);
    good = good && (status == VIDMM_OK || status == VIDMM_DEVICE_LOST || check_good(check, status));
    good = good && (spins(kind) || user_repeat(behind)) && hang_others_go_on(behind);
    hang.watched = false;
    return good;
}

/* ---- Whose it is ------------------------------------------------------------------------------- */

static enum hang_kind kind_now;
static struct user *behind_now;

static bool hang_of(struct user *user, uint32_t node) {
    (void)node;
    return hang_once(user, behind_now, kind_now);
}

/* The engine of the node may not know such work. */
static bool hang_before(struct user *behind, uint32_t node) {
    if (!user_submit(behind, SHORT_STEPS) || !user_rest(behind))
        return false;
    if (vidmm_device_lost(behind->device))
        return true;
    behind_now = behind;
    hang.node = node;
    return user_in_node(behind->check, node, hang_of);
}

/* Behind a reset of the adapter, which took the devices of all that went before. */
static bool hang_is_over(struct user *user, uint32_t node) {
    (void)node;
    return user_submit(user, SHORT_STEPS) && user_rest(user);
}

bool user_hangs(struct check *check, uint32_t node) {
    hang.check = check;
    for (uint32_t kind = 0; kind < HANG_KINDS; kind++) {
        kind_now = (enum hang_kind)kind;
        if (!user_in_node(check, node, hang_before))
            return false;
    }
    return user_in_node(check, node, hang_is_over);
}
