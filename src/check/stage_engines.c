/*
 * stage_engines.c - resets of single engines (tdr-changes-in-windows-8.md): the paging engine with
 * work of the raw submitter queued, which is submitted again; each engine that hangs in work of an
 * application (raw_hang.c); and, with GPU virtual addresses, the engine of a process that uses an
 * invalid address, while another process goes on (access-to-non-resident-allocation.md), and each
 * engine that stands still with a process's work.
 * And what a system asks for before it resets: a debug report.
 */
#include "paging_hang.h"
#include "raw.h"
#include "surface.h"
#include "user.h"

#include <string.h>

#include <bugcodes.h>

#include <vidmm/umd.h>

static enum vidmm_stage_outcome cannot(struct check *check) {
    return check_say(check, VIDMM_STAGE_SKIPPED,
                     "the driver does not say SupportPerEngineTDR: not reached");
}

/* ---- Debug reports --------------------------------------------------------------------------- */

#define REPORT_MOST 4096u
#define REPORT_ASH  0xa5

/* What is in it is the driver's own affair. */
static void debug_report(struct check *check, UINT reason, uint32_t size) {
    static unsigned char bytes[2 * REPORT_MOST];
    bool whole = true;
    DXGKARG_COLLECTDBGINFO_EXT extension = {.BucketingKey = 0};
    const DXGKARG_COLLECTDBGINFO args = {
        .Reason = reason, .pBuffer = bytes, .BufferSize = size, .pExtension = &extension};
    check_step(check, "engines: a debug report of %u bytes", size);
    memset(bytes, REPORT_ASH, sizeof(bytes));
    (void)check->harness.spoken.DxgkDdiCollectDbgInfo(vidmm_host_adapter(check->harness.host),
                                                      &args);
    for (uint32_t i = size; i < sizeof(bytes); i++)
        whole = whole && bytes[i] == REPORT_ASH;
    vidmm_ledger_judge(&check->shared->ledger, 533, VIDMM_SIDE_DRIVER, whole,
                       "nothing written behind BufferSize bytes",
                       "bytes behind the %u of a debug report were written", size);
}

static void debug_reports(struct check *check) {
    static const uint32_t sizes[] = {0, 1, 16, 100, REPORT_MOST};
    if (!check->harness.spoken.DxgkDdiCollectDbgInfo)
        return;
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        debug_report(check, VIDEO_TDR_TIMEOUT_DETECTED, sizes[i]);
        debug_report(check, VIDEO_ENGINE_TIMEOUT_DETECTED, sizes[i]);
    }
}

/* ---- Engines without work -------------------------------------------------------------------- */

#define A_WHILE UINT64_C(100000000) /* ns */

static void ask_idle(struct check *check, uint32_t node, const char *when) {
    DXGKARG_QUERYENGINESTATUS args = {.NodeOrdinal = node};
    check_step(check, "engines: the status of node %u, without work, %s", node, when);
    (void)check->harness.spoken.DxgkDdiQueryEngineStatus(vidmm_host_adapter(check->harness.host),
                                                         &args);
}

/* An answer may look back to the question before it, since which there was no work: R610. */
static void ask_idle_nodes(struct check *check, const struct vidmm_adapter_info *info) {
    if (!info->caps.SupportPerEngineTDR || !check->harness.spoken.DxgkDdiQueryEngineStatus)
        return;
    for (uint32_t node = 0; node < info->nodes; node++) {
        ask_idle(check, node, "asked for");
        ask_idle(check, node, "asked for again");
    }
    vidmm_host_pass(check->harness.host, A_WHILE);
    for (uint32_t node = 0; node < info->nodes; node++)
        ask_idle(check, node, "asked for after a while");
}

/* ---- Queued paging work ---------------------------------------------------------------------- */

/* Preempted work is submitted again; lost work is built again after a reset of the adapter. A preemption in
 * between tells what the driver takes for done: no more than it said it had aborted. */
static bool recover(struct raw_submitter *raw, enum raw_engine engine, bool *refused) {
    if (raw->memory.id == 0 && raw_explained(raw)) {
        raw->refused = raw->unseen = true; /* what is mapped is not known any more */
        return false;
    }
    if (engine == RAW_ENGINE_RESET || engine == RAW_ENGINE_BROKEN)
        return engine == RAW_ENGINE_RESET && raw_preempt(raw) && raw_resubmit(raw);
    *refused = *refused || engine == RAW_ENGINE_REFUSED;
    return check_resets(raw->check) && raw_reset(raw) && raw_queue(raw, 0);
}

static bool round_trip(struct raw_submitter *raw, uint32_t ahead, enum raw_before before,
                       bool *refused) {
    check_step(raw->check, "engines: a reset behind %u submissions, way %u", ahead, before);
    raw_paint(raw, raw->source, 3 * ahead + before);
    raw_paint(raw, raw->target, 99);
    if (!raw_queue(raw, ahead) || !raw_begin_reset(raw, before) ||
        !recover(raw, raw_reset_engine(raw), refused) || !raw_queue_end(raw))
        return false;
    raw_judge_queued(raw, 281, "work that is done when it was submitted again",
                     "other bytes after an engine was reset and its work submitted again");
    return true;
}

/* False: the driver refused, as it may. */
static bool resets(struct raw_submitter *raw) {
    bool refused = false;
    check_step(raw->check, "engines: a reset of an idle engine");
    if (raw_reset_engine(raw) == RAW_ENGINE_BROKEN)
        return true;
    bool good = true;
    for (uint32_t ahead = 0; good && ahead < RAW_PIECES; ahead += 2)
        for (uint32_t before = 0; good && before <= BEFORE_DONE; before++)
            good = round_trip(raw, ahead, (enum raw_before)before, &refused);
    return !refused;
}

static bool able(const struct raw_submitter *raw) {
    return raw->info.caps.SupportPerEngineTDR && raw->ddi->DxgkDdiQueryDependentEngineGroup &&
           raw->ddi->DxgkDdiQueryEngineStatus && raw->ddi->DxgkDdiResetEngine;
}

static enum vidmm_stage_outcome by_hand(struct check *check) {
    static const struct check_setup setup = {.settings = {{"VramBytes", (uint64_t)1 << 20}}};
    struct raw_submitter raw;
    if (!check_open(check, &setup))
        return VIDMM_STAGE_STOPPED;
    enum vidmm_stage_outcome opened = raw_open_aperture(&raw, check);
    if (opened != VIDMM_STAGE_STOPPED)
        debug_reports(check);
    if (opened != VIDMM_STAGE_DONE)
        return raw_unopened(&raw, opened);
    bool single = able(&raw), completes = single && raw_queue_first(&raw);
    if (completes)
        ask_idle_nodes(check, &raw.info);
    bool obeys = !completes || !raw.ddi->DxgkDdiPreemptCommand || resets(&raw);
    enum vidmm_stage_outcome closed = raw_close(&raw);
    if (!single)
        return cannot(check);
    return obeys || closed != VIDMM_STAGE_DONE
               ? closed
               : check_say(check, VIDMM_STAGE_SKIPPED, "DxgkDdiResetEngine refuses: not reached");
}

/* ---- An engine that hangs -------------------------------------------------------------------- */

#define HANG_AT    6u /* hardware without the setting does not hang */
#define HANG_TRIES 8u

/* Where there is no memory all is mapped and unmapped in turn. */
static bool hangs_build(struct raw_submitter *raw) {
    const struct raw_piece piece = {0, RAW_PAGES, true};
    if (raw->memory.id != 0)
        return raw_transfer(raw, &piece);
    return raw->inside ? raw_unmap_target(raw) : raw_map_target(raw, 0, RAW_PAGES);
}

static bool hangs(struct raw_submitter *raw) {
    check_step(raw->check, "engines: work that hangs");
    for (uint32_t i = 0; i < HANG_TRIES && hangs_build(raw); i++)
        if (!raw_try(raw))
            return !raw->refused && raw->faulted == 0;
    return false;
}

/* Bits that the driver does not set to zero stay set. */
static bool ask_status(struct raw_submitter *raw, DXGK_ENGINESTATUS *status) {
    DXGKARG_QUERYENGINESTATUS args = {.NodeOrdinal = raw->info.paging_node,
                                      .EngineOrdinal = raw->physical,
                                      .EngineStatus.Value = UINT32_MAX};
    const DXGK_ENGINESTATUS known = {.Responsive = 1};
    if (raw->ddi->DxgkDdiQueryEngineStatus(raw->adapter, &args) != STATUS_SUCCESS)
        return false;
    *status = args.EngineStatus;
    check_judge(raw->check, 117, VIDMM_SIDE_DRIVER, (status->Value & ~known.Value) == 0,
                "0 in Reserved of DXGK_ENGINESTATUS",
                "DxgkDdiQueryEngineStatus left bits of Reserved set");
    return true;
}

/* The first answer may tell of progress before the question. */
static void judge_hanging(struct raw_submitter *raw) {
    DXGK_ENGINESTATUS status;
    check_step(raw->check, "engines: the status of an engine that hangs");
    if (ask_status(raw, &status) && ask_status(raw, &status))
        check_judge(raw->check, 281, VIDMM_SIDE_DRIVER, !status.Responsive,
                    "Responsive 0 of an engine that makes no progress",
                    "DxgkDdiQueryEngineStatus called an engine responsive that hangs in its work");
}

static bool end_hanging(struct raw_submitter *raw) {
    bool refused = false;
    check_step(raw->check, "engines: a reset of an engine that hangs");
    raw_paint(raw, raw->source, 61);
    enum raw_engine engine = raw_reset_engine(raw);
    if (engine != RAW_ENGINE_BROKEN)
        check_judge(raw->check, 281, VIDMM_SIDE_DRIVER, engine != RAW_ENGINE_RESET,
                    "LastAbortedFenceId of the work that the engine hung in",
                    "LastAbortedFenceId is a fence before the work that the engine hung in");
    return recover(raw, engine, &refused) && raw_flush(raw);
}

/* A model of the hardware that has no such setting shows nothing of it. */
static void not_hanging(struct check *check) {
    if (!vidmm_host_asked_for("HangPagingAt"))
        check->shared->ledger.unseen[281]++;
}

/* False: the run `*ends` so; none follows one that is skipped. */
static bool engines_open(struct raw_submitter *raw, struct check *check,
                         const struct check_setup *setup, enum vidmm_stage_outcome *ends) {
    *ends = VIDMM_STAGE_STOPPED;
    if (!check_open(check, setup))
        return false;
    enum vidmm_stage_outcome opened = raw_open_aperture(raw, check);
    *ends = opened == VIDMM_STAGE_SKIPPED ? VIDMM_STAGE_DONE : opened;
    return opened == VIDMM_STAGE_DONE;
}

static enum vidmm_stage_outcome by_hang(struct check *check) {
    static const struct check_setup setup = {
        .settings = {{"VramBytes", (uint64_t)1 << 20}, {"HangPagingAt", HANG_AT}}};
    struct raw_submitter raw;
    enum vidmm_stage_outcome ends;
    if (!engines_open(&raw, check, &setup, &ends))
        return ends;
    bool works = able(&raw) && raw_settle_in(&raw);
    if (works && hangs(&raw)) {
        judge_hanging(&raw);
        (void)end_hanging(&raw);
    } else if (works) {
        not_hanging(check);
    }
    return raw_close(&raw);
}

/* The same of a manager that pages by GPU virtual address. Beyond what it does when it starts, so that it has several
 * submissions under way. */
#define HANG_LATE_AT 40u

static enum vidmm_stage_outcome by_paging(struct check *check,
                                          void (*table)(DRIVER_INITIALIZATION_DATA *table)) {
    const struct check_setup setup = {.settings = {{"VramBytes", (uint64_t)1 << 20},
                                                   {"MmuLevels", 4},
                                                   {"HangPagingAt", HANG_LATE_AT}},
                                      .table = table};
    struct vidmm_gpummu_info mmu;
    struct vidmm_adapter_info info;
    struct user user;
    bool hung = false;
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    vidmm_gpummu_info(check->harness.adapter, 0, &mmu);
    vidmm_adapter_info(check->harness.adapter, &info);
    if (!mmu.on || !info.caps.SupportPerEngineTDR || !user_describes(check))
        return VIDMM_STAGE_DONE;
    check_step(check, "engines: paging work that hangs at GPU virtual addresses");
    if (!user_open(check, &user) || !paging_hangs(&user, info.paging_node, &hung))
        return VIDMM_STAGE_STOPPED;
    if (!hung) {
        not_hanging(check);
        return VIDMM_STAGE_DONE;
    }
    check_step(check, "engines: down");
    user_close(&user);
    check_step(check, "engines: paging work behind the reset");
    if (!user_open(check, &user) || !user_rest(&user))
        return VIDMM_STAGE_STOPPED;
    user_close(&user);
    return VIDMM_STAGE_DONE;
}

static enum vidmm_stage_outcome by_paging_hang(struct check *check) {
    return by_paging(check, paging_hang_table);
}

static enum vidmm_stage_outcome by_paging_hang_of_adapter(struct check *check) {
    return by_paging(check, paging_hang_fails_table);
}

/* ---- Work of an application that hangs --------------------------------------------------------- */

static enum vidmm_stage_outcome by_spin(struct check *check) {
    static const struct check_setup setup = {.settings = {{"VramBytes", (uint64_t)1 << 20}}};
    struct raw_submitter raw;
    enum vidmm_stage_outcome ends;
    if (!engines_open(&raw, check, &setup, &ends))
        return ends;
    if (able(&raw) && raw.ddi->DxgkDdiPreemptCommand && raw_queue_first(&raw) && raw.works)
        raw_hang_resets(&raw);
    return raw_close(&raw);
}

/* The same at GPU virtual addresses. */
static enum vidmm_stage_outcome by_user(struct check *check) {
    static const struct check_setup setup = {
        .settings = {{"VramBytes", (uint64_t)1 << 20}, {"MmuLevels", 4}}, .table = user_hang_table};
    struct vidmm_adapter_info info;
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    vidmm_adapter_info(check->harness.adapter, &info);
    if (!check_virtual(check) || !info.caps.SupportPerEngineTDR ||
        !check_executes(check, VIDMM_UMD_PACKET_SPIN))
        return VIDMM_STAGE_DONE;
    for (uint32_t node = 0; node < info.nodes; node++)
        if (node != info.paging_node && !user_hangs(check, node))
            return VIDMM_STAGE_STOPPED;
    return VIDMM_STAGE_DONE;
}

/* ---- An address that leads nowhere ----------------------------------------------------------- */

#define NOWHERE_BYTES 65536u

#define NOWHERE_HIGH   (UINT64_C(1) << 32)
#define NOWHERE_SHARED UINT64_C(0x0000123456780000)

/* Where addresses of more than 32 bits are, at one of those. Behind an IOMMU they are the process's own, in which
 * nothing is mapped so high. */
static bool reserve_nowhere(struct user *user, uint64_t *va) {
    struct vidmm_gpummu_info mmu;
    vidmm_gpummu_info(user->check->harness.adapter, 0, &mmu);
    *va = NOWHERE_SHARED;
    if (mmu.iommu)
        return true;
    struct vidmm_va_request nowhere = {.minimum = NOWHERE_HIGH, .size = NOWHERE_BYTES};
    if (vidmm_va_reserve(user->process, &nowhere, va) == VIDMM_OK)
        return true;
    nowhere.minimum = 0;
    return check_good(user->check, vidmm_va_reserve(user->process, &nowhere, va));
}

/* `*va`: where that is. */
static bool submit_nowhere(struct user *user, uint64_t *va, uint64_t *fence) {
    struct vidmm_virtual_submission submission = {.size = CHECK_PAGE};
    if (!reserve_nowhere(user, va))
        return false;
    submission.commands = *va;
    return check_good(user->check, vidmm_submit_virtual(user->context, &submission, fence));
}

static void engines_note(struct check *check, const char *text) {
    vidmm_ledger_note(&check->shared->ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER, "%s", text);
}

/* Of work that fetches or writes at an address that leads nowhere, `va`. */
static void judge_error(struct check *check, uint64_t va, bool write) {
    struct vidmm_error fault;
    vidmm_last_error(check->harness.adapter, &fault);
    check_judge(check, 380, VIDMM_SIDE_DRIVER, fault.access.known,
                "DmaPageFaulted where an address leads nowhere", "the work ended without one");
    if (!fault.access.known)
        return;
    check_judge(check, 380, VIDMM_SIDE_DRIVER, fault.access.address - va < NOWHERE_BYTES,
                "the address that was used as FaultedVirtualAddress",
                "FaultedVirtualAddress is 0x%llx, where 0x%llx was used",
                (unsigned long long)fault.access.address, (unsigned long long)va);
    check_judge(check, 596, VIDMM_SIDE_DRIVER, fault.access.write == write,
                "DXGK_PAGE_FAULT_WRITE in PageFaultFlags for a write, and for no other",
                "%s was reported as %s", write ? "a write" : "a fetch of commands",
                fault.access.write ? "a write" : "no write");
}

/* The reset of the adapter, which a driver may need, loses all work under way. */
static bool adapter_was_reset(struct check *check) {
    struct vidmm_stats stats;
    vidmm_stats(check->harness.adapter, &stats);
    return stats.resets != 0;
}

/* The work of other processes behind it completes. An engine that is not `stuck` goes on with it, and the reset that the
 * system makes all the same may find it there. */
static bool others_go_on(struct user *other, uint64_t behind, bool stuck) {
    if (stuck && vidmm_wait(other->check->harness.adapter, behind) == VIDMM_DEVICE_LOST &&
        !adapter_was_reset(other->check))
        engines_note(other->check, "a page fault of one process cost another one its device");
    if (vidmm_device_lost(other->device))
        return true;
    if (!user_submit(other, 0) || !user_rest(other))
        return false;
    if (user_lost(other, 0))
        engines_note(other->check, "a page fault of one process changed bytes of another");
    return true;
}

static bool submit_behind(struct user *other) {
    const struct vidmm_virtual_submission nothing = {.commands = other->commands.va,
                                                     .written = &other->commands.allocation};
    return check_good(other->check, vidmm_submit_virtual(other->context, &nothing, &other->fence));
}

static bool fault_beside(struct user *user, struct user *other, bool alone) {
    struct check *check = user->check;
    const uint32_t surface = 0;
    struct vidmm_error error;
    uint64_t va = 0, fence = 0;
    bool resident = false;
    if (!user_make(other, 0, VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE, 4) ||
        !user_write(other, 0, 'b') || !user_make_resident(other, NULL, &surface, 1, 0) ||
        !user_rest(other) || (alone && !user_in_turn(user, other, &resident)))
        return false;
    alone = alone && resident;
    /* The fault is reported when the work behind it has been submitted. */
    vidmm_host_hold_interrupts(check->harness.host, alone);
    bool good = submit_nowhere(user, &va, &fence) && (!alone || submit_behind(other));
    vidmm_host_hold_interrupts(check->harness.host, false);
    if (!good)
        return false;
    enum vidmm_status status = vidmm_wait(check->harness.adapter, fence);
    if (status == VIDMM_OK) {
        (void)check_say(check, VIDMM_STAGE_SKIPPED, "commands at no address are no fault here");
        return true;
    }
    if (status != VIDMM_DEVICE_LOST)
        return check_good(check, status);
    judge_error(check, va, false);
    vidmm_last_error(check->harness.adapter, &error);
    return others_go_on(other, other->fence, alone && error.access.stuck) && user_submit(user, 0);
}

/* The work that an engine's reset aborted, or that faulted, counts as completed (tdr-changes-in-windows-8.md,
 * ne-d3dkmdt-_dxgk_page_fault_flags.md): a preemption that comes before any other work tells. */
static bool preempt_behind_reset(struct check *check, uint32_t node) {
    return check_preempt_idle(check, node);
}

/* A fill fetches nothing there. The engine of a node may not know it. A preemption takes the fence behind what is complete:
 * that of the fill is not the next one. */
static bool fault_of_write(struct user *user, uint32_t node) {
    struct check *check = user->check;
    struct vidmm_umd_fill packet = {
        .head = {.opcode = VIDMM_UMD_PACKET_FILL, .size = sizeof(packet)}, .bytes = CHECK_PAGE};
    struct vidmm_error fault;
    uint64_t va = 0;
    check_step(check, "engines: a write of node %u to an address that leads nowhere", node);
    bool good = reserve_nowhere(user, &va) && user_rest(user) && check_preempt_idle(check, node);
    packet.destination = va;
    good = good && user_send(user, &packet, sizeof(packet));
    if (good && vidmm_wait(check->harness.adapter, user->fence) == VIDMM_DEVICE_LOST) {
        judge_error(check, va, true);
        vidmm_last_error(check->harness.adapter, &fault);
        if (fault.access.known)
            query_virtual_node(check, node);
        good = preempt_behind_reset(check, node);
    }
    return good;
}

/* The surface at a second range of addresses, by entries with ReadOnly. */
static bool map_read_only(struct user *user, uint32_t index, uint64_t *va) {
    const struct vidmm_va_request request = {.size = user->surface[index].size,
                                             .allocation = user->surface[index].allocation,
                                             .protection = VIDMM_VA_EXECUTE};
    uint64_t fence = 0;
    return check_good(user->check, vidmm_va_map(user->queue, &request, va, &fence)) &&
           check_good(user->check, vidmm_paging_wait(user->queue, fence));
}

/* The bytes stay, whether the write is a fault or dropped. */
static bool write_of_read_only(struct user *user, uint32_t node) {
    const uint32_t surface = 0;
    struct check *check = user->check;
    struct vidmm_umd_fill packet = {
        .head = {.opcode = VIDMM_UMD_PACKET_FILL, .size = sizeof(packet)},
        .pattern = 0x5a5a5a5a,
        .bytes = CHECK_PAGE};
    struct vidmm_error fault;
    check_step(check, "engines: a write of node %u by an entry with ReadOnly", node);
    bool good = user_make(user, surface, VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE, 1) &&
                user_write(user, surface, 'r') &&
                map_read_only(user, surface, &packet.destination) &&
                user_make_resident(user, NULL, &surface, 1, 0);
    if (!good || !user_has(user, surface))
        return good;
    good = user_send(user, &packet, sizeof(packet));
    enum vidmm_status status =
        good ? vidmm_wait(check->harness.adapter, user->fence) : VIDMM_STOPPED;
    vidmm_last_error(check->harness.adapter, &fault);
    if (status == VIDMM_DEVICE_LOST && fault.access.known)
        judge_error(check, packet.destination, true);
    if (status == VIDMM_OK || status == VIDMM_DEVICE_LOST)
        vidmm_ledger_judge(&check->shared->ledger, 472, VIDMM_SIDE_DRIVER,
                           !user_lost(user, surface), "no write by an entry with ReadOnly",
                           "the GPU wrote a page by an entry with ReadOnly%s", "");
    if (status == VIDMM_DEVICE_LOST)
        good = preempt_behind_reset(check, node);
    return good && (status == VIDMM_OK || status == VIDMM_DEVICE_LOST || check_good(check, status));
}

/* Work at an address that leads nowhere; `*faulted`: the driver reported so. */
static bool run_nowhere(struct user *user, bool null_rendering, bool *faulted) {
    struct vidmm_virtual_submission submission = {.size = CHECK_PAGE,
                                                  .null_rendering = null_rendering};
    struct vidmm_error fault;
    uint64_t va = 0, fence = 0;
    *faulted = false;
    if (!reserve_nowhere(user, &va))
        return false;
    submission.commands = va;
    if (!check_good(user->check, vidmm_submit_virtual(user->context, &submission, &fence)))
        return false;
    enum vidmm_status status = vidmm_wait(user->check->harness.adapter, fence);
    if (status == VIDMM_OK)
        return true;
    vidmm_last_error(user->check->harness.adapter, &fault);
    *faulted = status == VIDMM_DEVICE_LOST && fault.access.known;
    return status == VIDMM_DEVICE_LOST || check_good(user->check, status);
}

static bool run_nowhere_alone(struct check *check, bool null_rendering, bool *faulted) {
    struct user user;
    if (!user_open(check, &user) || !user_rest(&user))
        return false;
    bool good = run_nowhere(&user, null_rendering, faulted) && !check_explained(check);
    if (good)
        user_close(&user);
    return good;
}

/* What is not run fetches nothing: any driver whose work faults there shows whether it is. */
static bool null_nowhere(struct check *check) {
    bool faulted = false;
    check_step(check, "engines: commands at an address that leads nowhere");
    if (check_explained(check) || !run_nowhere_alone(check, false, &faulted))
        return false;
    if (!faulted)
        return true;
    check_step(check, "engines: the same with NullRendering");
    bool good = run_nowhere_alone(check, true, &faulted);
    if (good)
        vidmm_ledger_judge(&check->shared->ledger, 612, VIDMM_SIDE_DRIVER, !faulted,
                           "no effect of commands with NullRendering",
                           "commands with NullRendering were run: they faulted%s", "");
    return good;
}

static enum vidmm_stage_outcome by_fault(struct check *check) {
    static const struct check_setup setup = {
        .settings = {{"VramBytes", (uint64_t)1 << 20}, {"MmuLevels", 4}}};
    struct vidmm_gpummu_info mmu;
    struct vidmm_adapter_info info;
    struct user user, other;
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    vidmm_gpummu_info(check->harness.adapter, 0, &mmu);
    vidmm_adapter_info(check->harness.adapter, &info);
    if (!check_virtual(check))
        return check_say(check, VIDMM_STAGE_SKIPPED, "the driver has no virtual addresses");
    if (!user_describes(check))
        return check_say(check, VIDMM_STAGE_SKIPPED, CHECK_NO_SURFACES);
    if (!check_speaks(check))
        return null_nowhere(check)
                   ? check_say(
                         check, VIDMM_STAGE_SKIPPED,
                         "the driver does not speak vidmm/umd.h: faults of writes not reached")
                   : VIDMM_STAGE_STOPPED;
    if (!user_open(check, &user) || !user_open(check, &other) ||
        !fault_beside(&user, &other, info.caps.SupportPerEngineTDR))
        return VIDMM_STAGE_STOPPED;
    for (uint32_t node = 0; node < info.nodes; node++)
        if (!user_in_node(check, node, fault_of_write) ||
            (mmu.caps.ReadOnlyMemorySupported && check_executes(check, VIDMM_UMD_PACKET_FILL) &&
             !user_in_node(check, node, write_of_read_only)))
            return VIDMM_STAGE_STOPPED;
    if (user_rest(&user))
        ask_idle_nodes(check, &info);
    check_step(check, "engines: down");
    user_close(&other);
    user_close(&user);
    return null_nowhere(check) ? VIDMM_STAGE_DONE : VIDMM_STAGE_STOPPED;
}

/* A driver's own sizes may be others: tables of two levels in its memory. */
static enum vidmm_stage_outcome by_root(struct check *check) {
    static const struct check_setup setup = {
        .settings = {{"VramBytes", (uint64_t)1 << 20}, {"MmuLevels", 2}, {"MmuTableSegment", 2}},
        .table = user_root_table,
        .refusable = true};
    if (!check_open(check, &setup))
        return VIDMM_STAGE_DONE; /* there is no such board */
    if (!check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    return user_beyond_root(check) ? VIDMM_STAGE_DONE : VIDMM_STAGE_STOPPED;
}

/* ---- Engines that stand still ------------------------------------------------------------------ */

#define STILL_STEPS 200u
#define STILL_NS    UINT64_C(10000000) /* more than those take */

/* The host's of a run, the functions below that let them go on, and what is beside a node that stands still. */
static struct {
    struct vidmm_host *host;
    PDXGKDDI_RESETENGINE reset_engine;
    PDXGKDDI_RESETFROMTIMEOUT reset_from_timeout;
    PDXGKDDI_QUERYDEPENDENTENGINEGROUP query_group;
    UINT64 group;         /* nodes that the driver resets with the last one that was asked for */
    uint32_t node, apart; /* that stands still, and another one */
    struct user *beside;  /* has long work for that; NULL: none */
    bool late;            /* which ends before the reset, with an interrupt behind it */
    bool stood;
} still;

static NTSTATUS APIENTRY still_reset_engine(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    bool late = still.late && still.beside && args->NodeOrdinal == still.node;
    vidmm_host_hold_interrupts(still.host, late);
    vidmm_host_hold_engines(still.host, false);
    if (late)
        vidmm_host_pass(still.host, STILL_NS);
    NTSTATUS status = still.reset_engine(adapter, args);
    vidmm_host_hold_interrupts(still.host, false);
    return status;
}

static NTSTATUS APIENTRY still_reset(const HANDLE adapter) {
    vidmm_host_hold_engines(still.host, false);
    return still.reset_from_timeout(adapter);
}

static NTSTATUS APIENTRY still_query_group(const HANDLE adapter,
                                           DXGKARG_QUERYDEPENDENTENGINEGROUP *args) {
    NTSTATUS status = still.query_group(adapter, args);
    still.group = args->DependentNodeOrdinalMask;
    return status;
}

static void still_table(DRIVER_INITIALIZATION_DATA *table) {
    still.reset_engine = table->DxgkDdiResetEngine;
    still.reset_from_timeout = table->DxgkDdiResetFromTimeout;
    still.query_group = table->DxgkDdiQueryDependentEngineGroup;
    if (still.reset_engine)
        table->DxgkDdiResetEngine = still_reset_engine;
    if (still.reset_from_timeout)
        table->DxgkDdiResetFromTimeout = still_reset;
    if (still.query_group)
        table->DxgkDdiQueryDependentEngineGroup = still_query_group;
}

static bool beside_is_done(const void *ctx) {
    const struct user *beside = ctx;
    return vidmm_completed(beside->check->harness.adapter, beside->fence);
}

/* Before the manager helps its node, too, which submits again what is lost. */
static void judge_beside(struct check *check) {
    bool apart = (still.group >> still.apart & 1u) == 0;
    bool done = vidmm_host_run_until(still.host, beside_is_done, still.beside);
    vidmm_ledger_judge(
        &check->shared->ledger, 606, VIDMM_SIDE_DRIVER, !apart || done || adapter_was_reset(check),
        "work of nodes that are not in DependentNodeOrdinalMask to go on",
        "work of a node that is not in DependentNodeOrdinalMask %s",
        still.late ? "was complete, or under way, and was not reported behind the reset of another"
                   : "ended in the reset of another");
}

/* Its work hangs in the node's engine until that is reset. Work that completes all the same is that of a driver
 * without hardware, or that works for no time. */
static bool hang_of(struct user *user, uint32_t node) {
    struct check *check = user->check;
    bool spins = check_executes(check, VIDMM_UMD_PACKET_SPIN);
    check_step(check, "engines: node %u stands still", node);
    still.stood = true;
    still.group = UINT64_MAX;
    /* A fence before that which hangs, so that a reset has one to say where nothing was begun. */
    if (!spins && !user_complete(user))
        return false;
    vidmm_host_hold_engines(still.host, true);
    bool good = (spins ? user_submit(user, UINT32_MAX) : user_send(user, "", 0)) &&
                (!still.beside || user_repeat(still.beside));
    enum vidmm_status status = good ? vidmm_wait(check->harness.adapter, user->fence) : VIDMM_OK;
    vidmm_host_hold_engines(still.host, false);
    if (good && still.beside && status == VIDMM_DEVICE_LOST)
        judge_beside(check);
    return good && (status == VIDMM_DEVICE_LOST || check_good(check, status)) &&
           preempt_behind_reset(check, node);
}

/* Another process has work on another node, which the reset of this one leaves alone. The engine of that node may
 * not know such work. */
static bool hang_beside(struct user *beside, uint32_t apart) {
    struct check *check = beside->check;
    check_step(check, "engines: node %u %s", apart,
               still.late ? "is done before the reset of another" : "works for long");
    bool good = user_submit(beside, STILL_STEPS) && user_rest(beside);
    still.apart = apart;
    still.beside = good && !vidmm_device_lost(beside->device) ? beside : NULL;
    good = good && user_in_node(check, still.node, hang_of);
    still.beside = NULL;
    return good;
}

static bool stands_still(struct check *check, uint32_t node, uint32_t nodes) {
    uint32_t apart = node != 0 ? 0 : 1;
    bool good = true;
    still.node = node;
    still.stood = false;
    for (uint32_t late = 0; good && late < 2 && apart < nodes; late++) {
        still.late = late != 0;
        good = !check_executes(check, VIDMM_UMD_PACKET_SPIN) ||
               user_in_node(check, apart, hang_beside);
    }
    still.late = false;
    if (!good)
        return false;
    return still.stood || user_in_node(check, node, hang_of);
}

/* Another process goes on. */
static bool goes_on(struct user *other) {
    return vidmm_device_lost(other->device) || (user_submit(other, 0) && user_rest(other));
}

static enum vidmm_stage_outcome by_standstill(struct check *check) {
    static const struct check_setup setup = {
        .settings = {{"VramBytes", (uint64_t)1 << 20}, {"MmuLevels", 4}}, .table = still_table};
    struct vidmm_adapter_info info;
    struct user other;
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    still.host = check->harness.host;
    vidmm_adapter_info(check->harness.adapter, &info);
    if (!check_virtual(check) || !info.caps.SupportPerEngineTDR)
        return VIDMM_STAGE_DONE;
    if (!check_speaks(check) && !check_surface_any(check))
        return VIDMM_STAGE_DONE;
    bool good = user_open(check, &other) && user_rest(&other);
    if (good)
        ask_idle_nodes(check, &info);
    for (uint32_t node = 0; good && node < info.nodes; node++)
        if (node != info.paging_node)
            good = stands_still(check, node, info.nodes) && goes_on(&other);
    if (good && user_rest(&other))
        ask_idle_nodes(check, &info);
    if (good)
        user_close(&other);
    return good ? VIDMM_STAGE_DONE : VIDMM_STAGE_STOPPED;
}

enum vidmm_stage_outcome stage_engines(struct check *check, uint32_t number) {
    static enum vidmm_stage_outcome (*const runs[])(struct check * check) = {
        by_hand,  by_hang,       by_spin,
        by_user,  by_standstill, by_paging_hang,
        by_fault, by_root,       by_paging_hang_of_adapter};
    check_step(check, "engines: run %u", number + 1);
    check->provokes = true;
    return runs[number](check);
}
