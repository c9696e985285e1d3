/*
 * apc_regions.c - regions of a thread in which no kernel APC is delivered (pages
 * nf-ntddk-keentercriticalregion, nf-wdm-keenterguardedregion, nf-ntddk-keareapcsdisabled). No APC is
 * ever delivered here; what counts is that a driver enters and leaves as its locks demand.
 */
#include "base/thread.h"
#include "base/violations.h"

static void region_enter(uint32_t *depth, const char *function) {
    if (host_irql_at_most(APC_LEVEL, function))
        ++*depth;
}

static void region_leave(uint32_t *depth, const char *function) {
    if (!host_irql_at_most(APC_LEVEL, function))
        return;
    if (*depth == 0)
        host_violation("%s in a thread that has entered no such region", function);
    else
        --*depth;
}

NTKERNELAPI VOID NTAPI KeEnterCriticalRegion(VOID) {
    region_enter(&host_self.critical, "KeEnterCriticalRegion");
}

NTKERNELAPI VOID NTAPI KeLeaveCriticalRegion(VOID) {
    region_leave(&host_self.critical, "KeLeaveCriticalRegion");
}

NTKERNELAPI VOID NTAPI KeEnterGuardedRegion(VOID) {
    region_enter(&host_self.guarded, "KeEnterGuardedRegion");
}

NTKERNELAPI VOID NTAPI KeLeaveGuardedRegion(VOID) {
    region_leave(&host_self.guarded, "KeLeaveGuardedRegion");
}

/* Normal kernel APCs. */
NTKERNELAPI BOOLEAN NTAPI KeAreApcsDisabled(VOID) {
    host_irql_at_most(DISPATCH_LEVEL, "KeAreApcsDisabled");
    return host_self.critical != 0 || KeAreAllApcsDisabled();
}

/* Special ones, too. */
NTKERNELAPI BOOLEAN NTAPI KeAreAllApcsDisabled(VOID) {
    host_irql_at_most(DISPATCH_LEVEL, "KeAreAllApcsDisabled");
    return host_self.guarded != 0 || host_self.irql >= APC_LEVEL;
}
