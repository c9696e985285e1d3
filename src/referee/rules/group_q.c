/*
 * group_q.c - R360 to R363, R650 to R653: power, timeout detection and reset.
 *
 * When the adapter as a whole changes its state; resets of single engines are group_k.c (R281,
 * R282).
 */
#define GROUP 'Q'
#include "groups.h"

const struct vidmm_rule rules_q[] = {
    {
        RULE(360, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Functions of level three, such as SetPowerState, are called with nobody else "
                     "in the driver, no DMA buffer under way and the video memory evicted.",
        .page = "threading-and-synchronization-third-level",
        .how = "At each such call the referee looks for threads inside the driver, for fences that "
               "are not reached and for allocations in memory segments; from WDDM 1.2 on the flags "
               "of a segment say "
               "what may stay in standby and hibernation (R51).",
        .why = "A driver takes no locks there and turns off the memory that holds the contents.",
        .windows = "The system suspends scheduling and evicts everything first.",
        .windows_source = THE_PAGE,
        .wrong = "driver->DxgkDdiSetPowerState(adapter, 0, PowerDeviceD3, PowerActionSleep);\n"
                 "evict_everything(); /* too late */\n",
        .right = "suspend_scheduling();\n"
                 "evict_everything();\n"
                 "wait_for_paging();\n"
                 "driver->DxgkDdiSetPowerState(adapter, 0, PowerDeviceD3, PowerActionSleep);\n",
    },
    {
        RULE(361, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "During DxgkDdiResetFromTimeout no other function of the driver is called, "
                     "and until DxgkDdiRestartFromTimeout only those that clean up.",
        .page = "thread-synchronization-and-tdr",
        .how = "Calls that begin between ResetFromTimeout and RestartFromTimeout are looked at: "
               "evictions without contents, unmappings and releases are allowed; with GPU virtual "
               "addresses also notices that an allocation is evicted, and page table updates with "
               "their flushes, for mappings are released by then "
               "(nc-d3dkmddi-dxgkddi_restartfromtimeout).",
        .why = "The driver resets memory controllers and clocks while it runs.",
        .windows = "The system waits until all threads have left the driver.",
        .windows_source = THE_PAGE,
        .wrong = "driver->DxgkDdiResetFromTimeout(adapter);\n"
                 "driver->DxgkDdiSubmitCommand(adapter, &next); /* not restarted yet */\n",
        .right = "driver->DxgkDdiResetFromTimeout(adapter);\n"
                 "tell_evictions(); /* TRANSFER of size 0, UNMAP_APERTURE_SEGMENT */\n"
                 "driver->DxgkDdiRestartFromTimeout(adapter);\n"
                 "driver->DxgkDdiSubmitCommand(adapter, &next);\n",
    },
    {
        RULE(362, DRIVER, DOCUMENTED, PERFORMANCE),
        .statement = "The driver leaves the GPU alone in the clean-up after a reset unless it "
                     "cannot do without.",
        .page = "thread-synchronization-and-tdr",
        .how = "Not judged: what a driver cannot do without is for the driver to know.",
        .why = "The GPU has just hung, and may not answer.",
        .windows = "A driver that waits for the GPU hangs the recovery.",
        .wrong = "case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:\n"
                 "    write_gart(ctx, args);\n"
                 "    wait_for_flush(ctx); /* of a GPU that was just reset */\n",
        .right = "case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:\n"
                 "    update_gart_copy(ctx, args);\n"
                 "    if (!ctx->InReset)\n"
                 "        flush_gart(ctx);\n",
    },
    {
        RULE(363, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "On every return to full power the address space of the paging process is "
                     "initialised again.",
        .page = "system-paging-process",
        .how = "The first operation that is built behind DxgkDdiSetPowerState with PowerDeviceD0 "
               "must be an update of "
               "page tables by CPU_VIRTUAL.",
        .why = "Its page tables were in memory that had no power.",
        .windows = "The system writes them again by CPU before anything else.",
        .windows_source = THE_PAGE,
        .wrong = "driver->DxgkDdiSetPowerState(adapter, 0, PowerDeviceD0, PowerActionNone);\n"
                 "page_in(allocation);\n",
        .right = "driver->DxgkDdiSetPowerState(adapter, 0, PowerDeviceD0, PowerActionNone);\n"
                 "initialize_paging_process();\n"
                 "page_in(allocation);\n",
    },
    {
        RULE(650, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement = "DxgkDdiSetPowerState does not fail, whichever device and power state it is "
                     "about, a child that is no "
                     "longer connected as well.",
        .page = "nc-dispmprt-dxgkddi_set_power_state",
        .how = "The status of each call, of the adapter and of its child devices.",
        .why = "A power transition of the system cannot be undone for one device.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "if (!IsConnected(ctx, DeviceUid))\n"
                 "    return STATUS_DEVICE_NOT_CONNECTED;\n",
        .right = "if (!IsConnected(ctx, DeviceUid))\n"
                 "    return STATUS_SUCCESS; /* it was unplugged a moment ago */\n",
    },
    {
        RULE(651, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement = "Back in PowerDeviceD0 the adapter carries out work and reports it as before; "
                     "apertures "
                     "and swizzling ranges lead to memory again.",
        .page = "nc-dispmprt-dxgkddi_set_power_state",
        .how =
            "Stage power takes the adapter to D3 and back in pauses of a game, for standby and "
            "for hibernation, where the "
            "hardware loses its registers (vidmm_hw_model.power): the first work behind that "
            "must be reported, and "
            "paging work that is the first must not fault, nor must the first work of an "
            "application, where such work was reported complete before. What is mapped then into "
            "an aperture "
            "that showed what was mapped there before must show. Where paging is by GPU virtual "
            "address, paging buffers of the game carry maps and unmaps of an aperture beside it. "
            "In stage ranges standby comes while the CPU keeps the range of a surface whose memory "
            "it preserves, so that it is not evicted: what the CPU wrote before is seen there "
            "behind it, and what it writes then is in the surface.",
        .why = "Interrupt enables, addresses of rings and tables, and completed fences are lost "
               "with the power.",
        .windows = "Work that follows times out, and the adapter is reset.",
        .windows_source = PAGE("timeout-detection-and-recovery"),
        .wrong = "case PowerDeviceD0:\n"
                 "    return STATUS_SUCCESS; /* the ring is where it was before */\n",
        .right = "case PowerDeviceD0:\n"
                 "    WriteRingAddresses(ctx);\n"
                 "    EnableInterrupts(ctx);\n"
                 "    return STATUS_SUCCESS;\n",
    },
    {
        RULE(652, DRIVER, DOCUMENTED, DEVICE_LOST),
        .statement =
            "The power state of a child device is not that of the adapter, which goes on working.",
        .page = "nc-dispmprt-dxgkddi_set_power_state",
        .how = "Stage power takes the child devices that DxgkDdiQueryChildRelations describes to "
               "D3 alone in a pause of a "
               "game: the first work behind that must be reported.",
        .why = "A monitor that sleeps is no reason to stop the GPU: DeviceUid tells which of both "
               "is meant.",
        .windows = "Work that follows times out, and the adapter is reset.",
        .windows_source = PAGE("timeout-detection-and-recovery"),
        .wrong = "if (DevicePowerState == PowerDeviceD3)\n"
                 "    DisableInterrupts(ctx); /* whoever was meant */\n",
        .right = "if (DeviceUid == DISPLAY_ADAPTER_HW_ID && DevicePowerState == PowerDeviceD3)\n"
                 "    DisableInterrupts(ctx);\n",
    },
    {
        RULE(653, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "Memory of a segment that its flags say is preserved in standby, or in "
                     "hibernation, has its content "
                     "when the adapter is back in PowerDeviceD0.",
        .page = "ns-d3dkmddi-_dxgk_segmentflags",
        .how = "In stage power, where the hardware model loses what it does not keep "
               "(vidmm_hw_model.power): the bytes of "
               "allocations that stayed in memory segments are compared with what they were "
               "before. With GPU virtual addresses, which do not tell where allocations are, it is "
               "all of a memory segment without invalid or protected ranges, while the driver has "
               "allocations for no context in it, which it may write again.",
        .why = "What the flags promise is not copied out before.",
        .windows = "It leaves what is there where it is.",
        .windows_source = THE_PAGE,
        .wrong = "d->Flags.PreservedDuringStandby = 1;\n"
                 "d->Flags.PreservedDuringHibernate = 1; /* of memory that refreshes itself in "
                 "standby */\n",
        .right = "d->Flags.PreservedDuringStandby = 1; /* hibernation takes its power away */\n",
    },
    {
        RULE(421, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "When DxgkDdiResetFromTimeout returns the GPU reads and writes no memory.",
        .page = "nc-d3dkmddi-dxgkddi_resetfromtimeout",
        .how =
            "After a reset with paging work under way, of linked adapters on each of them, the "
            "conformance check gives the GPU time, and compares the memory that the work would "
            "have written. In stage preempt DxgkDdiRestartFromTimeout comes at once, too, and what "
            "was submitted before the reset must not write memory behind that, either (of "
            "drivers with memory segments whose paging buffer is not mapped). Where the driver "
            "understands VIDMM_UMD_SPIN work of an application "
            "runs, too, on each node, and draws later; what came into memory behind the reset "
            "must be there. Of a driver with GPU virtual addresses all nodes have such work at "
            "once. "
            "Reads leave no trace: it would take a board that reports them.",
        .why =
            "The system gives the memory of what was lost to others as soon as the call returned.",
        .windows = "No page tells; memory that was given to others is overwritten.",
        .windows_source = NOT_KNOWN,
        .wrong = "NTSTATUS ResetFromTimeout(const HANDLE adapter) {\n"
                 "    return STATUS_SUCCESS; /* it will come back */\n"
                 "}\n",
        .right = "NTSTATUS ResetFromTimeout(const HANDLE adapter) {\n"
                 "    StopEngines(adapter);\n"
                 "    WaitUntilTheBusIsQuiet(adapter);\n"
                 "    return STATUS_SUCCESS;\n"
                 "}\n",
    },
    {
        RULE(618, DRIVER, IMPLIED, DEVICE_LOST),
        .statement = "After DxgkDdiRestartFromTimeout the driver carries out work and reports it "
                     "as before the reset.",
        .page = "thread-synchronization-and-tdr",
        .how = "The first work behind a reset of the adapter: the conformance check waits for it, "
               "and so does the manager, which resets the adapter again where nothing is reported "
               "at all. Paging work that is the first to be reported behind a reset, as faulted, "
               "where nothing faulted before it; and the first work of an application behind it "
               "that is reported, as faulted, where work of an application was reported complete "
               "before.",
        .why = "The call says that the adapter is used for rendering again.",
        .windows = "Work that follows times out; bugcheck 0x116 is for a reset that did not help.",
        .windows_source = PAGE("bug-check-0x116---video-tdr-failure"),
        .wrong = "NTSTATUS RestartFromTimeout(const HANDLE adapter) {\n"
                 "    return STATUS_SUCCESS; /* the reset left interrupts off */\n"
                 "}\n",
        .right = "WRITE_REGISTER_ULONG(ctx->InterruptEnable, 1);\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        RULE(422, DRIVER, DOCUMENTED, BUGCHECK),
        .severity_source = THE_PAGE,
        .statement = "DxgkDdiResetFromTimeout returns STATUS_SUCCESS.",
        .page = "nc-d3dkmddi-dxgkddi_resetfromtimeout",
        .how = "The status of every call is looked at.",
        .why = "There is nothing left to try after it.",
        .windows = "The system stops with a bugcheck and starts again.",
        .windows_source = THE_PAGE,
        .wrong = "if (!EngineIdle(ctx))\n"
                 "    return STATUS_UNSUCCESSFUL;\n",
        .right = "if (!EngineIdle(ctx))\n"
                 "    ResetBoard(ctx);\n"
                 "return STATUS_SUCCESS;\n",
    },
};
