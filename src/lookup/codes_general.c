/*
 * codes_general.c - bugchecks that any driver can cause, and what they were caused by in the memory
 * half of a display miniport. The numbers alone lead to no rule; the stack does.
 */
#include "tables.h"

#define PAGE "windows-hardware/drivers/debugger/bug-check-"

static const struct vidmm_code rows[] = {
    {
        .kind = VIDMM_CODE_BUGCHECK,
        .number = 0xA,
        .name = "IRQL_NOT_LESS_OR_EQUAL",
        .page = PAGE "0xa--irql-not-less-or-equal",
        .meaning = "A bad pointer was followed, or pageable memory used, at a raised IRQL. "
                   "Parameter 1 is the address, 2 the IRQL, 4 the instruction.",
        .look =
            {
                "parameter 1 below 0x1000: a NULL pointer, perhaps hAllocation or private data of "
                "size 0",
                "pageable code and data of what runs at DISPATCH_LEVEL: the interrupt's DPC, "
                "DxgkDdiSubmitCommand, DxgkDdiPatch",
                "callbacks that the driver makes above APC_LEVEL",
            },
        .rules = {148, 359, 78, 169, 391},
        .records = {F(39)},
    },
    {
        .kind = VIDMM_CODE_BUGCHECK,
        .number = 0x3B,
        .name = "SYSTEM_SERVICE_EXCEPTION",
        .page = PAGE "0x3b--system-service-exception",
        .meaning = "An exception in a call that came from user mode: a NULL pointer, a wrong one, "
                   "freed memory. Parameter 1 is the exception, 2 the instruction.",
        .look =
            {
                "the instruction in parameter 2: which call of the driver it is in, and look that "
                "call up here",
                "handles that the call gets: hDevice of DxgkDdiOpenAllocation is a device, not the "
                "adapter; hAllocation and hKmdProcessHandle may be NULL",
                "objects that outlive their device: shared allocations do",
            },
        .rules = {29, 78, 102, 138, 169, 217, 269, 391},
        .records = {W(10), F(27)},
    },
    {
        .kind = VIDMM_CODE_BUGCHECK,
        .number = 0x50,
        .name = "PAGE_FAULT_IN_NONPAGED_AREA",
        .page = PAGE "0x50--page-fault-in-nonpaged-area",
        .meaning = "Memory was referenced that is not there: a wrong address, or a freed one. "
                   "Parameter 1 is the address, 3 the instruction if it is known.",
        .look =
            {
                "large local variables in the paging path: the kernel's stack is small, and 23 KB "
                "of it were too much",
                "writes behind the paging buffer and its private data",
                "arrays that are walked too far: page table entries with Repeat have one element, "
                "MDLs start at MdlOffset",
                "NULL for hAllocation in paging operations",
            },
        .rules = {152, 169, 177, 215, 217, 269, 8},
        .records = {W(18), F(37), F(23), F(30)},
    },
    {
        .kind = VIDMM_CODE_BUGCHECK,
        .number = 0x7E,
        .name = "SYSTEM_THREAD_EXCEPTION_NOT_HANDLED",
        .page = PAGE "0x7e--system-thread-exception-not-handled",
        .meaning = "An exception in a thread of the system, such as those that page. Parameter 1 "
                   "is the exception, 2 the instruction.",
        .look =
            {
                "the instruction in parameter 2: which call of the driver it is in, and look that "
                "call up here",
                "hAllocation NULL in a paging operation, and private data of size 0",
            },
        .rules = {78, 152, 169, 215, 217, 269},
        .records = {F(27), F(30)},
    },
    {
        .kind = VIDMM_CODE_BUGCHECK,
        .number = 0xD1,
        .name = "DRIVER_IRQL_NOT_LESS_OR_EQUAL",
        .page = PAGE "0xd1--driver-irql-not-less-or-equal",
        .meaning = "The driver used memory that is pageable or not there at a raised IRQL. "
                   "Parameter 1 is the address, 2 the IRQL, 4 the instruction.",
        .look =
            {
                "pageable code and data of what runs at DISPATCH_LEVEL: the interrupt's DPC, "
                "DxgkDdiSubmitCommand, DxgkDdiPatch",
                "parameter 1 near 0: a NULL pointer",
                "callbacks and calls of the kernel, the registry's among them, that need "
                "PASSIVE_LEVEL or APC_LEVEL",
            },
        .rules = {148, 359},
        .records = {F(39)},
    },
    {
        .kind = VIDMM_CODE_BUGCHECK,
        .number = 0xEA,
        .name = "THREAD_STUCK_IN_DEVICE_DRIVER",
        .page = PAGE "0xea--thread-stuck-in-device-driver",
        .meaning = "A thread spins in a driver, mostly because it waits for hardware. Parameter 1 "
                   "is the thread.",
        .look =
            {
                "loops that wait for the GPU, in the clean-up after a reset above all",
                "a paging operation that makes no progress in an empty buffer",
            },
        .rules = {157, 362},
    },
    {
        .kind = VIDMM_CODE_BUGCHECK,
        .number = 0x10D,
        .name = "WDF_VIOLATION",
        .page = PAGE "0x10d---wdf-violation",
        .meaning = "A driver that uses the driver framework broke one of the framework's rules. "
                   "The memory contract has none that ends here: a display miniport is called by "
                   "dxgkrnl, not by the framework.",
        .look =
            {
                "which driver it is: !analyze -v names it, often that of another device",
                "in a miniport that also links the framework, the framework's own calls",
            },
    },
};

const struct code_table codes_general = {rows, COUNT(rows)};
