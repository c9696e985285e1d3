/*
 * codes_status.c - statuses of which there is something to say: what the memory half of a driver may
 * return where, and what became of it.
 */
#include <ntstatus.h>

#include "tables.h"

#define STATUS(name_) .kind = VIDMM_CODE_STATUS, .number = (uint32_t)(name_), .name = #name_

static const struct vidmm_code rows[] = {
    {
        STATUS(STATUS_SUCCESS),
        .meaning = "The call did what it was asked for. Windows believes it: nothing checks that "
                   "paging work was built.",
        .look =
            {
                "a black display or lost content without an error: paging operations that return "
                "STATUS_SUCCESS and write nothing",
                "pDmaBuffer: it has to point behind what was written, or nothing is submitted",
                "failures that the driver meets while it pages and does not report",
            },
        .rules = {37, 149, 153, 161, 167, 211, 277},
        .records = {W(8), W(12), W(29), F(17), F(18), F(20), F(21)},
    },
    {
        STATUS(STATUS_NO_MEMORY),
        .meaning = "Memory ran out. DxgkDdiQueryAdapterInfo and DxgkDdiCreateAllocation may return "
                   "it, DxgkDdiBuildPagingBuffer may not.",
        .look =
            {
                "at start: the two calls of a segment query have to agree on the number of "
                "segments",
                "DxgkDdiBuildPagingBuffer: memory that it needs has to be taken before",
                "DxgkDdiCreateAllocation: nothing may be left of the elements that were made "
                "before",
                "vidmm check --stage memory fails the first, some and the last allocation of each "
                "call",
            },
        .rules = {7, 27, 136, 137, 149},
        .records = {F(14)},
    },
    {
        STATUS(STATUS_INSUFFICIENT_RESOURCES),
        .meaning = "Something ran out. By their pages neither DxgkDdiBuildPagingBuffer nor "
                   "DxgkDdiQueryAdapterInfo nor DxgkDdiCreateAllocation returns it; from the first "
                   "it was seen to stop the machine.",
        .look =
            {
                "DxgkDdiBuildPagingBuffer: when the buffer is full, the answer is "
                "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER",
                "memory that is allocated while paging: take it when the device starts",
                "DxgkDdiQueryAdapterInfo and DxgkDdiCreateAllocation: STATUS_NO_MEMORY is theirs",
            },
        .rules = {149, 154, 27, 137},
        .records = {W(21), F(19)},
    },
    {
        STATUS(STATUS_NOT_SUPPORTED),
        .meaning = "The driver does not do that. By their pages neither DxgkDdiBuildPagingBuffer "
                   "nor DxgkDdiQueryAdapterInfo returns it; some systems were seen to let it pass, "
                   "others stopped or did not start.",
        .look =
            {
                "DxgkDdiQueryAdapterInfo: an unknown type is answered STATUS_INVALID_PARAMETER; "
                "HISTORYBUFFERPRECISION with this status failed the start of one driver, others "
                "started",
                "DxgkDdiBuildPagingBuffer: an unknown operation is answered STATUS_SUCCESS, and "
                "nothing is written",
            },
        .rules = {27, 149, 167},
        .records = {W(7), W(26), W(28), W(30), F(4), F(19)},
    },
    {
        STATUS(STATUS_NOT_IMPLEMENTED),
        .meaning = "The driver does not do that. It is an answer to the query for the dirty bits "
                   "of a segment, and bugcheck 0x10E from DxgkDdiBuildPagingBuffer.",
        .look =
            {
                "DxgkDdiBuildPagingBuffer: an unknown operation is answered STATUS_SUCCESS, and "
                "nothing is written",
                "DxgkDdiQueryAdapterInfo: an unknown type is answered STATUS_INVALID_PARAMETER",
            },
        .rules = {149, 167, 27, 314},
        .records = {F(19)},
    },
    {
        STATUS(STATUS_BUFFER_TOO_SMALL),
        .meaning = "A buffer is shorter than the answer. DxgkDdiQueryAdapterInfo may not return it "
                   "for DRIVERCAPS: the system's structure may well be older and shorter than the "
                   "one in the driver's header.",
        .look =
            {
                "OutputDataSize: 0x220, 0x228 and 0x240 bytes were seen for DRIVERCAPS; write as "
                "many as there are",
                "structures that grow with the version of the header, and sizeof of them",
            },
        .rules = {27},
        .records = {W(1), W(31), F(1)},
    },
    {
        STATUS(STATUS_INVALID_PARAMETER),
        .meaning = "A call cannot use what it was given. It is the answer to an unknown query; "
                   "DxgkDdiSubmitCommandVirtual answers it to malformed private data; "
                   "DxgkDdiBuildPagingBuffer may not return it.",
        .look = {"which call returned it, and look that call up here",
                 "DxgkDdiBuildPagingBuffer, DxgkDdiSubmitCommand and DxgkDdiPatch: a bugcheck, "
                 "0x10E or 0x119"},
        .rules = {27, 137, 149, 277, 278, 279, 228},
    },
    {
        STATUS(STATUS_OBJECT_TYPE_MISMATCH),
        .meaning = "Data of a live migration does not fit the target, after an event was logged.",
        .look = {"versions of the driver and the device on both sides"},
        .rules = {334},
    },
    {
        STATUS(STATUS_ACCESS_VIOLATION),
        .meaning = "Memory was used that is not there: the exception of bugchecks 0x3B and 0x7E.",
        .look =
            {"the instruction in parameter 2 of the bugcheck: which call of the driver it is in",
             "NULL for hAllocation, hKmdProcessHandle and private data of size 0, which are legal"},
        .rules = {29, 78, 169, 217, 269, 391},
        .records = {W(10), F(27), F(30)},
    },
    {
        STATUS(STATUS_DEVICE_REMOVED),
        .meaning = "The device is lost to its application: the system gave up a device whose work "
                   "faulted, whose memory does not fit, or that was reset. Direct3D calls it "
                   "\"device removed\".",
        .look =
            {
                "sizes: can what one submission needs be in memory at once",
                "page faults of the GPU, and resets: 0x117 in the event log",
                "DxgkDdiSubmitCommandVirtual that refuses private data",
            },
        .rules = {98, 278, 282, 287, 289, 381, 382, 384},
        .records = {W(24), W(9), F(36)},
    },
    {
        STATUS(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER),
        .meaning = "The paging or DMA buffer is full. The system submits what is there and asks "
                   "again with another buffer.",
        .look =
            {
                "the check before every write: room left, then write",
                "MultipassOffset: it has to bring the next call to the place where this one "
                "stopped",
                "pDmaBuffer after it: behind what was written, unchanged when nothing was",
                "an empty buffer of full size: the operation has to make progress there",
                "vidmm check --stage room: every operation with little room",
            },
        .rules = {149, 153, 154, 156, 157, 158, 159, 160, 161},
    },
    {
        STATUS(STATUS_GRAPHICS_ALLOCATION_BUSY),
        .meaning = "The driver cannot page an allocation while it is in use. The system waits "
                   "until it is idle and asks again with AllocationIsIdle.",
        .look = {"the operation: only Transfer, DiscardContent and SpecialLockTransfer may be "
                 "answered so",
                 "AllocationIsIdle: once it is set, the answer is no longer allowed"},
        .rules = {149, 163, 164, 165},
    },
    {
        STATUS(STATUS_GRAPHICS_DRIVER_MISMATCH),
        .meaning = "The user-mode and the kernel-mode half of the driver do not fit together.",
        .look =
            {"the versions of both halves that are installed, and the private data of the call"},
        .rules = {27, 137},
    },
};

const struct code_table codes_status = {rows, COUNT(rows)};
