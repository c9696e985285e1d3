/*
 * break_power.c - drivers that do not survive a power state, and managers that leave in memory what it loses.
 */
#include "query_spoil.h"

#ifndef DISPLAY_ADAPTER_HW_ID
#define DISPLAY_ADAPTER_HW_ID 0xffffffffu
#endif

/* ---- Drivers --------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY stay_off(const PVOID context, ULONG uid, DEVICE_POWER_STATE state,
                                  POWER_ACTION action) {
    return state == PowerDeviceD0 ? STATUS_SUCCESS
                                  : mutants_good.DxgkDdiSetPowerState(context, uid, state, action);
}
REPLACE(DxgkDdiSetPowerState, stay_off)

/* What was completed last is forgotten in D3, and known again from the next work on. */
static DXGKCB_NOTIFY_INTERRUPT notify_kept;
static bool forgotten;

static VOID APIENTRY notify_forgetful(const HANDLE device,
                                      const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    forgotten = forgotten && report.InterruptType != DXGK_INTERRUPT_DMA_COMPLETED;
    if (report.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED && forgotten)
        report.DmaPreempted.LastCompletedFenceId = 0;
    notify_kept(device, &report);
}

static NTSTATUS APIENTRY start_forgetful(const PVOID context, PDXGK_START_INFO info,
                                         PDXGKRNL_INTERFACE calls, PULONG sources,
                                         PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    notify_kept = calls->DxgkCbNotifyInterrupt;
    mine.DxgkCbNotifyInterrupt = notify_forgetful;
    forgotten = false;
    return mutants_good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}

static NTSTATUS APIENTRY power_forgetful(const PVOID context, ULONG uid, DEVICE_POWER_STATE state,
                                         POWER_ACTION action) {
    forgotten = forgotten || (uid == DISPLAY_ADAPTER_HW_ID && state == PowerDeviceD0);
    return mutants_good.DxgkDdiSetPowerState(context, uid, state, action);
}

static void APIENTRY install_forgetful(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start_forgetful;
    table->DxgkDdiSetPowerState = power_forgetful;
}

/* The same, and what is submitted since then comes to an engine that has no queue. */
static NTSTATUS APIENTRY submit_forgotten(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    return forgotten ? STATUS_SUCCESS : mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static void APIENTRY install_no_queue(DRIVER_INITIALIZATION_DATA *table) {
    install_forgetful(table);
    table->DxgkDdiSubmitCommand = submit_forgotten;
}

static bool away;

static NTSTATUS APIENTRY power_noted(const PVOID context, ULONG uid, DEVICE_POWER_STATE state,
                                     POWER_ACTION action) {
    if (uid == DISPLAY_ADAPTER_HW_ID)
        away = state != PowerDeviceD0;
    return mutants_good.DxgkDdiSetPowerState(context, uid, state, action);
}

/* As with registers that read as ones. */
static BOOLEAN APIENTRY claim_while_away(const PVOID context, ULONG message) {
    return mutants_good.DxgkDdiInterruptRoutine(context, message) || away;
}

static void APIENTRY install_claim_while_away(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSetPowerState = power_noted;
    table->DxgkDdiInterruptRoutine = claim_while_away;
}

/* The aperture leads nowhere since. */
static bool was_away;

static NTSTATUS APIENTRY power_apertures_off(const PVOID context, ULONG uid,
                                             DEVICE_POWER_STATE state, POWER_ACTION action) {
    was_away = was_away || (uid == DISPLAY_ADAPTER_HW_ID && state != PowerDeviceD0);
    return mutants_good.DxgkDdiSetPowerState(context, uid, state, action);
}

static NTSTATUS APIENTRY map_nowhere(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return was_away && args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT
               ? STATUS_SUCCESS
               : mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static void APIENTRY install_apertures_off(DRIVER_INITIALIZATION_DATA *table) {
    was_away = false;
    table->DxgkDdiSetPowerState = power_apertures_off;
    table->DxgkDdiBuildPagingBuffer = map_nowhere;
}

static NTSTATUS APIENTRY refuse_hibernation(const PVOID context, ULONG uid,
                                            DEVICE_POWER_STATE state, POWER_ACTION action) {
    NTSTATUS status = mutants_good.DxgkDdiSetPowerState(context, uid, state, action);
    return action == PowerActionHibernate ? STATUS_NOT_SUPPORTED : status;
}
REPLACE(DxgkDdiSetPowerState, refuse_hibernation)

static NTSTATUS APIENTRY start_with_child(const PVOID context, PDXGK_START_INFO info,
                                          PDXGKRNL_INTERFACE calls, PULONG sources,
                                          PULONG children) {
    NTSTATUS status = mutants_good.DxgkDdiStartDevice(context, info, calls, sources, children);
    *children = 1;
    return status;
}

static NTSTATUS APIENTRY describe_child(const PVOID context, PDXGK_CHILD_DESCRIPTOR child,
                                        ULONG size) {
    (void)context;
    (void)size;
    child->ChildDeviceType = TypeVideoOutput;
    child->ChildUid = 7;
    return STATUS_SUCCESS;
}

static void with_child(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start_with_child;
    table->DxgkDdiQueryChildRelations = describe_child;
}

static NTSTATUS APIENTRY power_whoever(const PVOID context, ULONG uid, DEVICE_POWER_STATE state,
                                       POWER_ACTION action) {
    (void)uid;
    return mutants_good.DxgkDdiSetPowerState(context, DISPLAY_ADAPTER_HW_ID, state, action);
}

static void APIENTRY install_power_whoever(DRIVER_INITIALIZATION_DATA *table) {
    with_child(table);
    table->DxgkDdiSetPowerState = power_whoever;
}

static NTSTATUS APIENTRY refuse_child(const PVOID context, ULONG uid, DEVICE_POWER_STATE state,
                                      POWER_ACTION action) {
    return uid == DISPLAY_ADAPTER_HW_ID
               ? mutants_good.DxgkDdiSetPowerState(context, uid, state, action)
               : STATUS_DEVICE_NOT_CONNECTED;
}

static void APIENTRY install_refuse_child(DRIVER_INITIALIZATION_DATA *table) {
    with_child(table);
    table->DxgkDdiSetPowerState = refuse_child;
}

static void APIENTRY keeps_for_ever(struct query_descriptor *d) {
    if (query_memory(d))
        d->flags->PreservedDuringHibernate = 1;
}
INSTALL(keeps_for_ever, descriptor)

/* ---- Managers -------------------------------------------------------------------------------- */

/* It goes further than what memory was emptied for. */
static NTSTATUS APIENTRY hibernate_instead(const PVOID context, ULONG uid, DEVICE_POWER_STATE state,
                                           POWER_ACTION action) {
    if (action == PowerActionSleep)
        action = PowerActionHibernate;
    return mutants_good.DxgkDdiSetPowerState(context, uid, state, action);
}
REPLACE(DxgkDdiSetPowerState, hibernate_instead)

static void APIENTRY keeps_first_page(struct query_descriptor *d) {
    if (query_memory(d)) {
        d->flags->PartiallyPreservedDuringHibernate = 1;
        *d->end = 4095;
    }
}
SCENE(keeps_first_page, descriptor)

static void APIENTRY keeps_in_hibernation_alone(struct query_descriptor *d) {
    if (query_memory(d)) {
        d->flags->PreservedDuringStandby = 0;
        d->flags->PreservedDuringHibernate = 1;
    }
}
SCENE(keeps_in_hibernation_alone, descriptor)

/* While allocations are where they were last used. */
static NTSTATUS APIENTRY sleep_between(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryCurrentFence(adapter, args);
    (void)mutants_good.DxgkDdiSetPowerState(adapter, DISPLAY_ADAPTER_HW_ID, PowerDeviceD3,
                                            PowerActionSleep);
    (void)mutants_good.DxgkDdiSetPowerState(adapter, DISPLAY_ADAPTER_HW_ID, PowerDeviceD0,
                                            PowerActionNone);
    return status;
}
REPLACE(DxgkDdiQueryCurrentFence, sleep_between)

const struct mutant mutants_power[] = {
    {BREAKS(651, DRIVER, "power", stay_off, "leaves interrupts off when power returns")},
    {BREAKS(651, DRIVER, "power", stay_off,
            "leaves interrupts off when power returns, with paging by address"),
     .settings = {{"MmuLevels", 4}}},
    {BREAKS(651, DRIVER, "power", no_queue,
            "leaves its engines without queues and fences when power returns"),
     .consequences = {281}},
    {BREAKS(651, DRIVER, "power", apertures_off,
            "leaves apertures leading nowhere when power returns")},
    {BREAKS(651, DRIVER, "power", apertures_off,
            "leaves apertures leading nowhere when power returns, with paging by address"),
     .settings = {{"MmuLevels", 4}}},
    {BREAKS(281, DRIVER, "power", forgetful, "forgets in D3 which work was completed last")},
    {BREAKS(520, DRIVER, "power", claim_while_away,
            "takes each interrupt for its own in PowerDeviceD3")},
    {BREAKS(650, DRIVER, "power", refuse_hibernation, "refuses to hibernate")},
    {BREAKS(650, DRIVER, "power", refuse_child, "refuses the power states of a child device")},
    {BREAKS(652, DRIVER, "power", power_whoever, "takes a child device for the adapter")},
    {BREAKS(653, DRIVER, "power", keeps_for_ever,
            "says that memory is preserved in hibernation, which loses its power")},
    {BREAKS(653, DRIVER, "power", keeps_for_ever,
            "says that memory is preserved in hibernation, with GPU virtual addresses"),
     .settings = {{"MmuLevels", 4}}},
    {BREAKS(51, MANAGER, "power", hibernate_instead,
            "hibernates with allocations in memory that standby alone preserves")},
    {BREAKS(53, MANAGER, "power", hibernate_instead,
            "hibernates with allocations behind SystemMemoryEndAddress"),
     .scene = scene_keeps_first_page, .consequences = {653}},
    {BREAKS(50, MANAGER, "paging", sleep_between,
            "leaves allocations in a segment whose preserve flags are no valid combination"),
     .scene = scene_keeps_in_hibernation_alone, .consequences = {49}},
    {BREAKS(363, MANAGER, "paging", sleep_between,
            "pages before the paging process is initialised when power is back"),
     .settings = {{"MmuLevels", 4}}},
};
const uint32_t mutants_power_count = sizeof(mutants_power) / sizeof(mutants_power[0]);
