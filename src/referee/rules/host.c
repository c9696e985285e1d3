/*
 * host.c - rows K1, K2, ...: what the host, the referee and the conformance check see of a driver that
 * is forbidden by no rule of the memory contract: functions of the kernel, what is left behind, crashes
 * and hangs.
 *
 * Where they are seen they are said in a sentence. Which row a sentence belongs to, its words say
 * (`words`), so that a new sentence needs no number to be told.
 */
#define GROUP 'Z'
#include "host.h"

#include <string.h>

#include "groups.h"

#define HOST(name, severity_)                                                                      \
    .number = VIDMM_K_##name, .group = GROUP, .side = VIDMM_SIDE_DRIVER,                           \
    .confidence = VIDMM_IMPLIED, .severity = VIDMM_SEVERITY_##severity_, .judged = true

const struct vidmm_rule rules_host[VIDMM_K_END - VIDMM_K_FIRST] = {
    {
        HOST(IRQL, BUGCHECK),
        .statement = "A function of the kernel is called at an IRQL that its page allows, "
                     "pageable code and data are used below DISPATCH_LEVEL, and a routine "
                     "returns at the IRQL at which it was called.",
        .page = "kernel/managing-hardware-priorities",
        .how = "The host keeps the IRQL of every thread; its functions and the thunks around "
               "the driver's compare it. Paged pool and the pageable sections of an image are out "
               "of reach from DISPATCH_LEVEL on.",
        .why = "At DISPATCH_LEVEL and above no page fault and no wait can be served.",
        .windows = "Windows stops with bugcheck 0xA or 0xD1 when it comes to a page fault; "
                   "Driver Verifier finds the call itself.",
        .wrong = "KeAcquireSpinLock(&lock, &irql);\n"
                 "ExAcquireFastMutex(&mutex); /* APC_LEVEL at most */\n",
        .right = "ExAcquireFastMutex(&mutex);\n"
                 "KeAcquireSpinLock(&lock, &irql);\n",
    },
    {
        HOST(POOL, BUGCHECK),
        .statement = "A pool block is requested with a tag and one kind of pool, and freed "
                     "once, with its own tag and address.",
        .page = "debugger/bug-check-0xc2--bad-pool-caller",
        .how = "The host's pool knows each block, its tag and whether it was freed.",
        .why = "A wrong or second free damages the lists of the pool, or somebody else's block.",
        .windows = "Windows stops with bugcheck 0xC2.",
        .wrong = "ExFreePoolWithTag(p, 'eerF');\n"
                 "ExFreePoolWithTag(p, 'eerF');\n",
        .right = "ExFreePoolWithTag(p, TAG);\n"
                 "p = NULL;\n",
    },
    {
        HOST(POOL_GUARD, BUGCHECK),
        .statement = "A driver writes inside of its pool blocks, and touches none that it freed.",
        .page = "debugger/bug-check-0x19--bad-pool-header",
        .how = "Guard bytes around each block, and freed blocks that are kept and compared. Some "
               "freed blocks, the first ones of a life and one of 64 later ones, are out of reach, "
               "so that a read is seen, too (debugger/special-pool).",
        .why = "What is behind a block belongs to somebody else.",
        .windows = "Windows stops with bugcheck 0x19 or 0xC5, often long afterwards and in "
                   "another driver.",
        .wrong = "RtlZeroMemory(p, size + 1);\n",
        .right = "RtlZeroMemory(p, size);\n",
    },
    {
        HOST(LOCK, BUGCHECK),
        .statement = "A lock is acquired by a thread that does not hold it, and released by the "
                     "thread that holds it, in the way in which it was acquired; mutexes and "
                     "resources are acquired where APCs are disabled, as their pages say.",
        .page = "kernel/introduction-to-spin-locks",
        .how = "The host knows the owner of spin locks, mutexes, resources, push locks, rundown "
               "protection and remove locks.",
        .why = "A spin lock that is acquired twice never returns; one that was not held "
               "protects nothing.",
        .windows = "Windows hangs, or Driver Verifier stops it with bugcheck 0xC4.",
        .wrong = "KeReleaseSpinLock(&lock, irql); /* not acquired on this path */\n",
        .right = "KeAcquireSpinLock(&lock, &irql);\n"
                 "KeReleaseSpinLock(&lock, irql);\n",
    },
    {
        HOST(WAIT, DEVICE_LOST),
        .statement = "A wait without a timeout is for an object that something will signal.",
        .page = "kernel/introduction-to-kernel-dispatcher-objects",
        .how = "A wait is seen as endless when no thread, no timer and no hardware is left that "
               "could signal the object, or when the call waits for its own caller.",
        .why = "The memory manager waits for the call, and with it every application.",
        .windows = "The thread never returns; Windows sees a hang of the GPU or of the system's "
                   "power transition.",
        .wrong = "KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL); /* nobody "
                 "sets it */\n",
        .right = "KeSetEvent(&event, 0, FALSE); /* from the DPC that the event stands for */\n",
    },
    {
        HOST(OBJECT, BUGCHECK),
        .statement =
            "Events, timers, DPCs, resources, work items, threads, requests and handles "
            "are initialized before they are used, used as what they are, and not used again while "
            "they are queued; timers that are set, executive resources and lookaside "
            "lists end before their memory is freed.",
        .page = "kernel/object-handles",
        .how = "The host knows the objects that were initialized, the kind of each handle, and "
               "which objects lie in a pool block that is freed.",
        .why = "Memory that is no object is read and written as one.",
        .windows = "Windows stops with a bugcheck when it meets the damaged list: 0xA, 0x3B or "
                   "0xC4.",
        .wrong = "KeSetEvent(&event, 0, FALSE); /* never initialized */\n",
        .right = "KeInitializeEvent(&event, NotificationEvent, FALSE);\n"
                 "KeSetEvent(&event, 0, FALSE);\n",
    },
    {
        HOST(MEMORY, BUGCHECK),
        .statement = "MDLs, mappings, contiguous memory and DMA buffers are released once, by "
                     "the function that goes with the one that made them, and cover no more "
                     "than was asked for.",
        .page = "kernel/using-mdls",
        .how =
            "The host keeps each MDL, mapping and block with its size and how it was made; of the "
            "system's pages a driver has a mapping of its own, which ends with the MDL, and beside "
            "which there is no memory. What is mapped has locked pages, and no mapping in the "
            "system's space yet.",
        .why = "A page that is mapped or locked without a record is given to somebody else.",
        .windows = "Windows stops with a bugcheck: 0x1A, 0x4E, 0xC4 or 0xDA.",
        .wrong = "MmUnlockPages(mdl);\n"
                 "MmUnlockPages(mdl);\n",
        .right = "MmUnlockPages(mdl);\n"
                 "IoFreeMdl(mdl);\n",
    },
    {
        HOST(REGISTER, CORRUPTION),
        .statement = "Registers and ports are accessed inside of the adapter's own, mapped "
                     "resources and aligned on their width.",
        .page = "kernel/mapping-bus-relative-addresses-to-virtual-addresses",
        .how = "READ_REGISTER, WRITE_REGISTER and the port functions look up the address among "
               "the mapped BARs.",
        .why = "What is beside them belongs to another device, or to none.",
        .windows = "The access goes to another device, or ends in a machine check.",
        .wrong = "WRITE_REGISTER_ULONG((PULONG)(bar + 2), value);\n",
        .right = "WRITE_REGISTER_ULONG((PULONG)(bar + 4), value);\n",
    },
    {
        HOST(LEAK_POOL, PERFORMANCE),
        .statement = "After DxgkDdiUnload no pool block of the driver is left.",
        .page = "debugger/using-driver-verifier-to-find-a-kernel-mode-memory-leak",
        .how = "The host counts the blocks when the driver was unloaded; the place is the "
               "allocation of the first. What objects leave that come and go is R142 or R627; this "
               "row names what start and stop leave, and what is left once.",
        .why = "A driver is stopped and started with every reset, update and sleep.",
        .windows = "The memory is gone until the next boot; Driver Verifier stops with bugcheck "
                   "0xC4.",
        .wrong = "return STATUS_UNSUCCESSFUL; /* and `object` is still allocated */\n",
        .right = "ExFreePoolWithTag(object, TAG);\n"
                 "return STATUS_UNSUCCESSFUL;\n",
    },
    {
        HOST(LEAK_MEMORY, PERFORMANCE),
        .statement = "After DxgkDdiUnload no contiguous memory, MDL and mapping of the driver "
                     "is left.",
        .page = "kernel/using-mdls",
        .how = "The host counts them when the driver was unloaded.",
        .why = "Physical pages that stay locked or mapped are lost for everybody.",
        .windows = "The pages are gone until the next boot; of locked pages Windows stops with "
                   "bugcheck 0x76 or 0xCB.",
        .wrong = "MmMapIoSpace(address, size, MmNonCached);\n"
                 "/* and no MmUnmapIoSpace */\n",
        .right = "MmUnmapIoSpace(mapping, size); /* in DxgkDdiStopDevice */\n",
    },
    {
        HOST(LEAK_OBJECT, PERFORMANCE),
        .statement = "After DxgkDdiUnload no timer, thread, handle (of a thread, an event, a "
                     "registry key, a section, a directory), work item, request, callback, "
                     "executive resource and lookaside list of the driver is left.",
        .page = "debugger/bug-check-0xce--driver-unloaded-without-cancelling-pending-operations",
        .how =
            "The host counts them when the driver was unloaded (nf-wdm-zwopenkey: a handle that is "
            "no longer in use must be closed with ZwClose).",
        .why = "A timer or a work item that fires later runs code that is not there any more.",
        .windows = "Windows stops with bugcheck 0xCE.",
        .wrong = "KeSetTimer(&timer, due, &dpc);\n"
                 "/* DxgkDdiStopDevice: nothing */\n",
        .right = "KeCancelTimer(&timer); /* in DxgkDdiStopDevice */\n",
    },
    {
        HOST(GUARD, CORRUPTION),
        .statement = "A driver writes inside of the structures and buffers that a call hands "
                     "over.",
        .page = "initializing-the-display-miniport-driver",
        .how = "The referee hands over a copy with guard bytes behind it and compares them when "
               "the call returns.",
        .why = "Behind the structure is memory of the system.",
        .windows = "Not known: what is overwritten decides it.",
        .windows_source = NOT_KNOWN,
        .wrong = "memset(args->pOutputData, 0, sizeof(DXGK_DRIVERCAPS)); /* larger than "
                 "OutputDataSize */\n",
        .right = "memset(args->pOutputData, 0, args->OutputDataSize);\n",
    },
    {
        HOST(CRASH, BUGCHECK),
        .statement = "No instruction of the driver faults.",
        .page = "debugger/bug-check-0x7e--system-thread-exception-not-handled",
        .how = "A signal ends the process of the stage; the place is the instruction. What the "
               "address tells comes first: behind a list (R626), where the system gave no memory "
               "(R3, R551), an address of the GPU's (R210, R553). Memory that was refused and not "
               "looked at has no other name than this.",
        .why = "An access violation in the kernel ends the system.",
        .windows = "Windows stops with a bugcheck: 0x7E, 0x3B, 0x50 or 0xD1.",
        .wrong = "context->device->count++; /* device is NULL */\n",
        .right = "if (context->device)\n"
                 "    context->device->count++;\n",
    },
    {
        HOST(ENDLESS, DEVICE_LOST),
        .statement = "A call of the driver returns.",
        .page = "timeout-detection-and-recovery",
        .how = "A stage has a time limit (--timeout); it is asked where it is and then ended.",
        .why = "The memory manager waits for the call with its locks held.",
        .windows = "The caller never goes on; what waits for the GPU meets the timeout "
                   "detection, bugcheck 0x116 or 0x119.",
        .wrong = "while (READ_REGISTER_ULONG(status) & BUSY)\n"
                 "    ;\n",
        .right = "for (i = 0; i < LIMIT && READ_REGISTER_ULONG(status) & BUSY; i++)\n"
                 "    KeStallExecutionProcessor(1);\n",
    },
    {
        HOST(INCOMPLETE, DEVICE_LOST),
        .statement = "Work that was submitted is reported complete, preempted or faulted.",
        .page = "timeout-detection-and-recovery",
        .how = "The manager resets a GPU that does not report its work; the referee looks at "
               "what was never reported.",
        .why = "The fence of a submission is all that the system knows of it.",
        .windows = "Windows resets the GPU after two seconds; the application loses its device, "
                   "and after several resets Windows stops with bugcheck 0x116.",
        .wrong = "/* the ISR reads the fence and does not call DxgkCbNotifyInterrupt */\n",
        .right = "interface->DxgkCbNotifyInterrupt(interface->DeviceHandle, &notify);\n",
    },
    {
        HOST(EXIT, BUGCHECK),
        .statement = "The driver does not end the process, and raises no exception that nobody "
                     "handles.",
        .page = "debugger/bug-check-0x1e--kmode-exception-not-handled",
        .how = "The process of the stage ended by abort, exit or an exception without having "
               "come to its end.",
        .why = "In the kernel there is no process to end.",
        .windows = "Windows stops with bugcheck 0x1E or the driver's own.",
        .wrong = "abort();\n",
        .right = "return STATUS_UNSUCCESSFUL;\n",
    },
    {
        HOST(BUGCHECK, BUGCHECK),
        .statement = "The driver does not stop the system: it does not call KeBugCheck, and the "
                     "entries of its lists lead back to each other.",
        .page = "nf-wdm-kebugcheckex",
        .how =
            "The host's KeBugCheckEx says its parameters and ends the process. Functions of lists "
            "compare the neighbours of an entry, as those of Windows do, and __fastfail "
            "(debugger/bug-check-0x139--kernel-security-check-failure) ends the process, too.",
        .why = "Whatever the driver found ends the system of its user.",
        .windows = "Windows stops with this code.",
        .wrong = "KeBugCheckEx(0x119, 1, 2, 3, 4);\n",
        .right = "return STATUS_UNSUCCESSFUL;\n",
    },
    {
        HOST(ASSERTION, BUGCHECK),
        .statement = "No assertion of the driver fails, and it reaches no break point.",
        .page = "debugger/breakpoints3",
        .how = "RtlAssert, int 2Ch, int 3 and DbgBreakPoint.",
        .why = "The driver itself says that its state is wrong.",
        .windows = "Without a debugger Windows stops with bugcheck 0x7E.",
        .wrong = "NT_ASSERT(count == 0); /* it is 1 */\n",
        .right = "NT_ASSERT(count <= 1);\n",
    },
    {
        HOST(UNDEFINED, CORRUPTION),
        .statement = "The driver's C has a meaning: no overflow, no shift beyond the width, no "
                     "misaligned pointer.",
        .page = "devtest/code-analysis-for-drivers",
        .how = "Of a driver that vidmm cc built with -fsanitize=undefined.",
        .why = "Each compiler and each option makes something else of it.",
        .windows = "Not known: the compiler decides it.",
        .windows_source = NOT_KNOWN,
        .wrong = "UINT mask = 1 << 32;\n",
        .right = "UINT64 mask = 1ull << 32;\n",
    },
    {
        HOST(IMPORT, START_FAILS),
        .statement = "The driver calls functions that the system has.",
        .page = "nf-wdm-mmgetsystemroutineaddress",
        .how = "The import has a stub that says so when it is called; vidmm inspect lists all "
               "of them.",
        .why = "vidmm may lack what Windows has: then nothing is wrong with the driver.",
        .windows = "Windows does not load an image whose imports it does not have.",
        .wrong = "NotThereInThisVersion();\n",
        .right = "/* MmGetSystemRoutineAddress tells whether a newer function is there */\n",
    },
    {
        HOST(CALLBACK, BUGCHECK),
        .statement = "Functions of dxgkrnl get the adapter's DeviceHandle, its own resources "
                     "and what other functions of dxgkrnl gave.",
        .page = "ns-dispmprt-_dxgkrnl_interface",
        .how = "The host's dxgkrnl compares handles, addresses and the order of calls; it also "
               "looks at what DxgkDdiStartDevice answers. In stage adapters there are two "
               "adapters: calls and routines of one use its own handle.",
        .why = "dxgkrnl trusts its drivers.",
        .windows = "Not known.",
        .windows_source = NOT_KNOWN,
        .wrong = "interface->DxgkCbUnmapMemory(NULL, address);\n",
        .right = "interface->DxgkCbUnmapMemory(interface->DeviceHandle, address);\n",
    },
    {
        HOST(REPORT, BUGCHECK),
        .statement = "An interrupt is reported of a node that exists and of a fence that was "
                     "submitted to it.",
        .page = "nc-d3dkmddi-dxgkcb_notify_interrupt",
        .how = "DXGKARGCB_NOTIFY_INTERRUPT_DATA is compared with what was submitted.",
        .why = "The scheduler looks up the work by the fence.",
        .windows = "Windows stops with bugcheck 0x119, whose first parameter is 1: the driver "
                   "reported an invalid fence.",
        .wrong = "notify.DmaCompleted.SubmissionFenceId = fence + 1;\n",
        .right = "notify.DmaCompleted.SubmissionFenceId = fence;\n",
    },
    {
        HOST(BYTES, CORRUPTION),
        .statement = "What applications and the GPU wrote is read again, also after it was "
                     "moved, and the work of others changes none of it.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The byte oracle knows each byte of each allocation; no broken rule of the table "
               "explains the difference.",
        .why = "The user sees wrong textures, or another process's.",
        .windows = "Not known: nothing in the system compares bytes.",
        .windows_source = NOT_KNOWN,
        .wrong = "/* renders into the place that the allocation had before it was moved */\n",
        .right = "/* takes each address from DxgkDdiPatch, or from the page tables */\n",
    },
    {
        HOST(START, START_FAILS),
        .statement = "The driver starts and stops: none of the calls that bring it up and down "
                     "fails.",
        .page = "initializing-the-display-miniport-driver",
        .how = "The status of DriverEntry, DxgkDdiAddDevice, DxgkDdiStartDevice and their "
               "opposites; nothing else can be examined when they fail.",
        .why = "Without them there is no adapter.",
        .windows = "The Device Manager shows Code 31, 37, 39 or 43, and the basic display "
                   "driver goes on.",
        .wrong = "if (!NT_SUCCESS(optional_feature()))\n"
                 "    return STATUS_UNSUCCESSFUL;\n",
        .right = "if (!NT_SUCCESS(optional_feature()))\n"
                 "    device->feature = FALSE;\n",
    },
    {
        HOST(REFUSED, CREATION_FAILS),
        .statement = "A call that may fail succeeds where nothing is short.",
        .page = "nc-d3dkmddi-dxgkddi_createallocation",
        .how = "The conformance check needed the call, which is allowed to fail: what comes "
               "behind it was not examined. A finding names the page of the function that failed, "
               "and a callback that failed inside of it. Calls that may not fail have rules of "
               "their own: R526, "
               "R625, R628.",
        .why = "An application gets the failure.",
        .windows = "The application's request fails.",
        .wrong = "return STATUS_NO_MEMORY; /* there is enough */\n",
        .right = "return STATUS_SUCCESS;\n",
    },
    {
        HOST(UNUSABLE, START_FAILS),
        .statement = "What the driver answers can be used.",
        .page = "nc-d3dkmddi-dxgkddi_queryadapterinfo",
        .how = "The manager refuses what it could not work with, and no rule of the table says "
               "the same. DxgkDdiStopDeviceAndReleasePostDisplayOwnership, which is called at the "
               "end of stage display while a mode is set, must answer with the address of a frame "
               "buffer that the CPU reaches, or a Width of zero.",
        .why = "The memory manager, or the next driver of the display, needs the answer.",
        .windows = "Not known.",
        .windows_source = NOT_KNOWN,
        .wrong = "args->pSegmentDescriptor[0].Size = 0;\n",
        .right = "args->pSegmentDescriptor[0].Size = VRAM_BYTES;\n",
    },
    {
        HOST(OTHER, BUGCHECK),
        .statement = "The driver does what the pages of the kernel's functions allow.",
        .page = "debugger/bug-check-0xc4--driver-verifier-detected-violation",
        .how = "What the host sees and no other row of this group is about.",
        .why = "The functions trust their callers.",
        .windows = "Not known.",
        .windows_source = NOT_KNOWN,
        .wrong = "KeInitializeSemaphore(&semaphore, 2, 1);\n",
        .right = "KeInitializeSemaphore(&semaphore, 1, 2);\n",
    },
    {
        HOST(PROCESS, BUGCHECK),
        .statement = "A driver uses what the kernel gives it, and nothing of the process in whose "
                     "context it happens to run.",
        .page = "gettingstarted/user-mode-and-kernel-mode",
        .how = "vidmm runs a driver in a process of its own and compares, when the driver was "
               "stopped, the process with what it was before: directory, limits, signals, "
               "streams, timers, threads and other processes. What the process sends to vidmm has "
               "sums and numbers.",
        .why = "In the kernel there is no process of the driver's: the same change would be one of "
               "somebody else's.",
        .windows = "Not known: there are no such functions in the kernel.",
        .windows_source = NOT_KNOWN,
        .wrong = "fork(); /* of the C library that the shared object found */\n",
        .right = "PsCreateSystemThread(&handle, 0, NULL, NULL, NULL, work, context);\n",
    },
    {
        HOST(NOTIFY, CORRUPTION),
        .severity_source = RECORD("W33"),
        .statement = "DxgkCbNotifyInterrupt is called at the IRQL of the device: by the interrupt "
                     "routine, or by what DxgkCbSynchronizeExecution calls.",
        .page = "nc-d3dkmddi-dxgkcb_notify_interrupt",
        .how = "The host keeps the IRQL of every thread.",
        .why = "The interrupt itself comes between, and both change the same list of reports.",
        .windows = "A driver that reported DMA_COMPLETED elsewhere worked, and was mended later "
                   "for safety (W33).",
        .windows_source = RECORD("W33"),
        .wrong = "VOID MyDpcRoutine(const PVOID context) {\n"
                 "    dxgk->DxgkCbNotifyInterrupt(dxgk->DeviceHandle, &data);\n",
        .right = "dxgk->DxgkCbSynchronizeExecution(dxgk->DeviceHandle, Report, &data, 0, &done);\n",
    },
    {
        HOST(RACE, DEVICE_LOST),
        .statement =
            "What another processor does between two instructions of the driver's loses "
            "nothing: an interrupt and its DPC within a submission, a preemption or a DPC, "
            "a submission within an interrupt routine or a DPC, a submission or a preemption "
            "within "
            "a system thread that works off what was submitted, the end of work within an "
            "interrupt routine that serves other work, or a vertical sync, a creation or "
            "destruction "
            "for one process within that for another.",
        .page = "kernel/synchronizing-access-to-device-data",
        .how =
            "vidmm follows the call instruction by instruction, and has the interrupt and its DPC "
            "on another processor behind each that touches memory outside of the stack. The call "
            "waits meanwhile, unless the other processor waits for a lock that it holds. All that "
            "was submitted is reported complete afterwards. A system thread is followed from where "
            "it comes back from its wait, or begins a work item, with one submission, or two of "
            "which a preemption leaves some; where the other processor waits for a spin lock that "
            "the thread holds, it goes "
            "on where that is released. The GPU ends work while the interrupt "
            "routine serves work of before or, in stage display, a vertical sync, and does what "
            "DxgkDdiPreemptCommand has asked a node without work for before that returns.",
        .why =
            "What the call has read is changed before it writes: an entry of a queue is lost, or "
            "is there twice.",
        .windows = "The GPU is reset when two seconds have passed without the fence "
                   "(timeout-detection-and-recovery.md).",
        .windows_source = PAGE("timeout-detection-and-recovery"),
        .wrong = "queue->fence[queue->tail % SIZE] = fence;\n"
                 "queue->tail++; /* the DPC resets head and tail when the queue is empty */\n",
        .right = "KeAcquireSpinLock(&queue->lock, &irql);\n"
                 "queue->fence[queue->tail % SIZE] = fence;\n"
                 "queue->tail++;\n"
                 "KeReleaseSpinLock(&queue->lock, irql);\n",
    },
};

/* The first line whose kind it is and whose word it has; a word of "" is in every sentence. */
static const struct {
    uint8_t kind;
    const char *word;
    uint16_t rule;
} words[] = {
    {VIDMM_FINDING_LEAK, "pool blocks", VIDMM_K_LEAK_POOL},
    {VIDMM_FINDING_LEAK, "contiguous", VIDMM_K_LEAK_MEMORY},
    {VIDMM_FINDING_LEAK, "MDLs", VIDMM_K_LEAK_MEMORY},
    {VIDMM_FINDING_LEAK, "mappings", VIDMM_K_LEAK_MEMORY},
    {VIDMM_FINDING_LEAK, "", VIDMM_K_LEAK_OBJECT},
    {VIDMM_FINDING_CRASH, "", VIDMM_K_CRASH},
    {VIDMM_FINDING_HANG, "no end within", VIDMM_K_ENDLESS},
    {VIDMM_FINDING_HANG, "between two instructions", VIDMM_K_RACE},
    {VIDMM_FINDING_HANG, "", VIDMM_K_INCOMPLETE},
    {VIDMM_FINDING_EXIT, "descriptor of vidmm's", VIDMM_K_PROCESS},
    {VIDMM_FINDING_EXIT, "what vidmm does not write", VIDMM_K_PROCESS},
    {VIDMM_FINDING_EXIT, "the one that guards it", VIDMM_K_PROCESS},
    {VIDMM_FINDING_EXIT, "", VIDMM_K_EXIT},
    {VIDMM_FINDING_HOST, "the process that it runs in", VIDMM_K_PROCESS},
    {VIDMM_FINDING_HOST, "between two instructions", VIDMM_K_RACE},
    {VIDMM_FINDING_REFUSED, "DriverEntry", VIDMM_K_START},
    {VIDMM_FINDING_REFUSED, "DxgkInitialize", VIDMM_K_START},
    {VIDMM_FINDING_REFUSED, "could not be loaded", VIDMM_K_START},
    {VIDMM_FINDING_REFUSED, "DxgkDdiAddDevice", VIDMM_K_START},
    {VIDMM_FINDING_REFUSED, "DxgkDdiLinkDevice", VIDMM_K_START},
    {VIDMM_FINDING_REFUSED, "DxgkDdiStartDevice", VIDMM_K_START},
    {VIDMM_FINDING_REFUSED, "DxgkDdiStopDevice", VIDMM_K_START},
    {VIDMM_FINDING_REFUSED, "DxgkDdiRemoveDevice", VIDMM_K_START},
    {VIDMM_FINDING_REFUSED, "", VIDMM_K_REFUSED},
    {VIDMM_FINDING_HOST, "the driver broke a rule", VIDMM_K_UNUSABLE},
    {VIDMM_FINDING_HOST, "undefined behaviour", VIDMM_K_UNDEFINED},
    {VIDMM_FINDING_HOST, "KeBugCheck", VIDMM_K_BUGCHECK},
    {VIDMM_FINDING_HOST, "bug check 0x139", VIDMM_K_BUGCHECK},
    {VIDMM_FINDING_HOST, "assertion", VIDMM_K_ASSERTION},
    {VIDMM_FINDING_HOST, "break point", VIDMM_K_ASSERTION},
    {VIDMM_FINDING_HOST, "DxgkCbNotifyInterrupt was called at IRQL", VIDMM_K_NOTIFY},
    {VIDMM_FINDING_HOST, "IRQL", VIDMM_K_IRQL},
    {VIDMM_FINDING_HOST, "waits for ever", VIDMM_K_WAIT},
    {VIDMM_FINDING_HOST, "would never return", VIDMM_K_WAIT},
    {VIDMM_FINDING_HOST, "which is not there", VIDMM_K_IMPORT},
    {VIDMM_FINDING_HOST, "the driver wrote byte", VIDMM_K_GUARD},
    {VIDMM_FINDING_HOST, "the driver wrote", VIDMM_K_POOL_GUARD},
    {VIDMM_FINDING_HOST, "the driver read its pool block", VIDMM_K_POOL_GUARD},
    {VIDMM_FINDING_HOST, "was reported for node", VIDMM_K_REPORT},
    {VIDMM_FINDING_HOST, "interrupts were reported", VIDMM_K_REPORT},
    {VIDMM_FINDING_HOST, "paging operation was seen", VIDMM_K_BYTES},
    {VIDMM_FINDING_HOST, "went wrong", VIDMM_K_BYTES},
    {VIDMM_FINDING_HOST, "reports that it checked", VIDMM_K_BYTES},
    {VIDMM_FINDING_HOST, "left other bytes", VIDMM_K_BYTES},
    {VIDMM_FINDING_HOST, "changed memory of", VIDMM_K_BYTES},
    {VIDMM_FINDING_HOST, "that did nothing failed", VIDMM_K_BYTES},
    {VIDMM_FINDING_HOST, "_REGISTER", VIDMM_K_REGISTER},
    {VIDMM_FINDING_HOST, " port 0x", VIDMM_K_REGISTER},
    {VIDMM_FINDING_HOST, "that the driver freed: ", VIDMM_K_OBJECT},
    {VIDMM_FINDING_HOST, "the device reached physical address", VIDMM_K_OTHER},
    {VIDMM_FINDING_HOST, "PhysicAddress", VIDMM_K_UNUSABLE},
    {VIDMM_FINDING_HOST, "Dxgk", VIDMM_K_CALLBACK},
    {VIDMM_FINDING_HOST, "dxgkrnl", VIDMM_K_CALLBACK},
    {VIDMM_FINDING_HOST, "MDL", VIDMM_K_MEMORY},
    {VIDMM_FINDING_HOST, "Mm", VIDMM_K_MEMORY},
    {VIDMM_FINDING_HOST, "CommonBuffer", VIDMM_K_MEMORY},
    {VIDMM_FINDING_HOST, "pool", VIDMM_K_POOL},
    {VIDMM_FINDING_HOST, "Pool", VIDMM_K_POOL},
    {VIDMM_FINDING_HOST, "spin lock", VIDMM_K_LOCK},
    {VIDMM_FINDING_HOST, "mutex", VIDMM_K_LOCK},
    {VIDMM_FINDING_HOST, "push lock", VIDMM_K_LOCK},
    {VIDMM_FINDING_HOST, "resource", VIDMM_K_LOCK},
    {VIDMM_FINDING_HOST, "Rundown", VIDMM_K_LOCK},
    {VIDMM_FINDING_HOST, "RemoveLock", VIDMM_K_LOCK},
    {VIDMM_FINDING_HOST, "APCs", VIDMM_K_LOCK},
    {VIDMM_FINDING_HOST, "no such region", VIDMM_K_LOCK},
    {VIDMM_FINDING_HOST, "object", VIDMM_K_OBJECT},
    {VIDMM_FINDING_HOST, "imer", VIDMM_K_OBJECT},
    {VIDMM_FINDING_HOST, "work item", VIDMM_K_OBJECT},
    {VIDMM_FINDING_HOST, "WorkItem", VIDMM_K_OBJECT},
    {VIDMM_FINDING_HOST, "thread", VIDMM_K_OBJECT},
    {VIDMM_FINDING_HOST, "emaphore", VIDMM_K_OBJECT},
    {VIDMM_FINDING_HOST, "request", VIDMM_K_OBJECT},
    {VIDMM_FINDING_HOST, "handle", VIDMM_K_OBJECT},
};

uint32_t host_rule_of(uint8_t kind, const char *found) {
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (words[i].kind == kind && strstr(found, words[i].word))
            return words[i].rule;
    return VIDMM_K_OTHER;
}
