/*
 * paging_fault.c - paging work that ended in an error: each of its commands is the driver's own (R539). What tells why
 * is named instead, where something does.
 */
#include <stdio.h>

#include "operation/operation.h"
#include "work/work.h"

#define FAULT_NAMES 128u /* bytes of the names of operations in a finding */
#define FAULT_WHERE 96u

static bool fault_has_address(const struct vidmm_interrupt *report) {
    return report->type == DXGK_INTERRUPT_DMA_PAGE_FAULTED;
}

/* Where its commands have just ended. */
static void fault_where(const struct shadow_submission *work, const struct vidmm_interrupt *report,
                        char where[FAULT_WHERE]) {
    uint64_t end = work->address + work->end;
    bool behind = report->address >= end && report->address < end + SHADOW_PAGE;
    if (fault_has_address(report))
        snprintf(where, FAULT_WHERE, "a page fault at 0x%llx%s", LLU(report->address),
                 behind ? ", behind those bytes" : "");
    else
        snprintf(where, FAULT_WHERE, "an error");
}

/* In a page of the range; drivers may report no more than the page. */
static bool fault_inside(const struct vidmm_interrupt *report, uint64_t start, uint64_t size) {
    uint64_t page = report->address & ~(uint64_t)(SHADOW_PAGE - 1);
    return page + SHADOW_PAGE > start && page < start + size;
}

/* The address of that side of a transfer with the offset in the allocation added, where it has none of its own. */
static bool fault_is_off(const struct vidmm_interrupt *report, const struct shadow_operation *at,
                         D3DGPU_VIRTUAL_ADDRESS side) {
    const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *transfer = &at->arg.TransferVirtual;
    return transfer->AllocationOffsetInBytes != 0 &&
           fault_inside(report, side + transfer->AllocationOffsetInBytes,
                        transfer->TransferSizeInBytes);
}

static bool fault_is_named(const struct vidmm_interrupt *report,
                           const struct shadow_operation *first) {
    for (const struct shadow_operation *at = first; at; at = at->next) {
        const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *transfer = &at->arg.TransferVirtual;
        const DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL *fill = &at->arg.FillVirtual;
        if (at->arg.Operation == DXGK_OPERATION_VIRTUAL_TRANSFER &&
            (fault_inside(report, transfer->SourceVirtualAddress, transfer->TransferSizeInBytes) ||
             fault_inside(report, transfer->DestinationVirtualAddress,
                          transfer->TransferSizeInBytes)))
            return true;
        if (at->arg.Operation == DXGK_OPERATION_VIRTUAL_FILL &&
            fault_inside(report, fill->DestinationVirtualAddress, fill->FillSizeInBytes))
            return true;
    }
    return false;
}

/* R240: no operation names that address, and it is one of a transfer's with its offset added. True: it was judged. */
static bool fault_judge_offset(struct vidmm_referee *referee, const struct shadow_submission *work,
                               const struct vidmm_interrupt *report) {
    if (!fault_has_address(report) || fault_is_named(report, work->operations))
        return false;
    for (const struct shadow_operation *at = work->operations; at; at = at->next) {
        const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *transfer = &at->arg.TransferVirtual;
        if (at->arg.Operation != DXGK_OPERATION_VIRTUAL_TRANSFER)
            continue;
        bool source = fault_is_off(report, at, transfer->SourceVirtualAddress);
        if (!source && !fault_is_off(report, at, transfer->DestinationVirtualAddress))
            continue;
        DRIVER_MUST(
            240, false, "AllocationOffsetInBytes not added to the addresses",
            "the work with fence %u ended in a page fault at 0x%llx, and 0x%llx is "
            "%s, with AllocationOffsetInBytes 0x%llx",
            work->fence, LLU(report->address),
            LLU(source ? transfer->SourceVirtualAddress : transfer->DestinationVirtualAddress),
            source ? "SourceVirtualAddress" : "DestinationVirtualAddress",
            LLU(transfer->AllocationOffsetInBytes));
        return true;
    }
    return false;
}

/* Each kind of operation once, in the order in which they come. */
static void fault_names_of(const struct shadow_operation *first, char names[FAULT_NAMES]) {
    size_t used = 0;
    for (const struct shadow_operation *at = first; at; at = at->next) {
        const struct shadow_operation *before = first;
        while (before != at && before->arg.Operation != at->arg.Operation)
            before = before->next;
        if (before == at && used < FAULT_NAMES)
            used += (size_t)snprintf(names + used, FAULT_NAMES - used, "%s%s",
                                     used == 0 ? "" : ", ", operation_name(at->arg.Operation));
    }
}

#define FAULT_UNWRITTEN 64u /* bytes: more than a command ends with by chance, or to be aligned */

/* R153: what the GPU found behind the commands was none. */
static const struct shadow_operation *fault_unwritten(const struct shadow_operation *first) {
    while (first && first->unwritten < FAULT_UNWRITTEN)
        first = first->next;
    return first;
}

/* The rule that tells why, where one does: what else went wrong in this life is nothing so far. */
static void fault_judge_ended(struct vidmm_referee *referee, const struct shadow_submission *work,
                              const struct vidmm_interrupt *report) {
    const struct shadow_operation *unwritten = fault_unwritten(work->operations);
    char names[FAULT_NAMES], where[FAULT_WHERE];
    fault_names_of(work->operations, names);
    fault_where(work, report, where);
    if (unwritten)
        DRIVER_MUST(153, false, "pDmaBuffer one past the last byte written",
                    "pDmaBuffer came back %u bytes behind the last that was written, and the work "
                    "with fence %u, which is %s, ended in an error",
                    unwritten->unwritten, work->fence, names);
    else if (referee->reset.silent == 651 && referee->reports.faults == 1)
        DRIVER_MUST(651, false, "work carried out back in PowerDeviceD0 as before",
                    "the paging work with fence %u, which is %s and the first since then, ended "
                    "in an error",
                    work->fence, names);
    else if (referee->reset.silent == 618 && referee->reports.faults == 1)
        DRIVER_MUST(618, false, "work carried out after DxgkDdiRestartFromTimeout as before",
                    "the paging work with fence %u, which is %s and the first behind the reset, "
                    "ended in an error",
                    work->fence, names);
    else
        DRIVER_MUST(
            539, false, "commands for paging that the GPU carries out",
            "the paging work with fence %u on node %u, which is %s, in bytes %u to %u of its "
            "buffer, ended in %s",
            work->fence, work->node, names, (unsigned)work->start, (unsigned)work->end, where);
}

/* R539: of paging work each command is the driver's own. Not of operations that do not exist (R167). */
void paging_fault_judge(struct vidmm_referee *referee, const struct vidmm_interrupt *report) {
    const struct shadow_submission *work = referee->node[report_node(report)].first;
    while (work && work->fence != report->fence)
        work = work->next;
    if (!work || !work->paging || !work->operations || !work_unexplained(referee->ledger))
        return;
    for (const struct shadow_operation *at = work->operations; at; at = at->next)
        if (!operation_name(at->arg.Operation))
            return;
    if (!fault_judge_offset(referee, work, report))
        fault_judge_ended(referee, work, report);
}
