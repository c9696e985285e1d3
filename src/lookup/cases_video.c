/*
 * cases_video.c - what parameter 1 of the bugchecks of graphics means, and where it leads.
 *
 * What a value means is from the page of the bugcheck; to which rules it leads follows from the
 * rules and the records. Values that only the system itself can be to blame for are left out.
 */
#include "tables.h"

static const struct vidmm_code_case memory_cases[] = {
    {
        .value = 0x3,
        .meaning = "unmapping from an aperture segment failed",
        .rules = {37, 149, 199},
        .look = {"UNMAP_APERTURE_SEGMENT in DxgkDdiBuildPagingBuffer: it succeeds always, for "
                 "every range and "
                 "with hAllocation NULL",
                 "the range that was mapped before"},
    },
    {
        .value = 0x5,
        .meaning = "a deferred command failed",
    },
    {
        .value = 0x8,
        .meaning = "a split DMA buffer refers to something invalid",
        .rules = {394, 395, 398},
    },
    {
        .value = 0x9,
        .meaning = "an eviction failed",
        .rules = {37, 149, 154},
        .look = {"TRANSFER and UNMAP_APERTURE_SEGMENT in DxgkDdiBuildPagingBuffer: which status "
                 "they return",
                 "memory that the driver allocates on that path"},
    },
    {
        .value = 0xB,
        .meaning = "the driver returned a status from DxgkDdiBuildPagingBuffer that the call may "
                   "not return",
        .rules = {149, 154, 163, 167},
        .look = {"parameter 3, which was seen to be the status",
                 "every return of DxgkDdiBuildPagingBuffer: STATUS_SUCCESS, "
                 "STATUS_GRAPHICS_ALLOCATION_BUSY "
                 "and STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER are all there is",
                 "operations that the driver does not know: they succeed and write nothing",
                 "vidmm check --stage room, then --stage memory: little room in the buffer, "
                 "allocations that "
                 "fail"},
    },
    {
        .value = 0xD,
        .meaning = "a segment is used in a way that it may not be used",
    },
    {
        .value = 0xE,
        .meaning = "mapping an allocation into an aperture segment failed",
        .rules = {37, 149, 193},
        .look = {"MAP_APERTURE_SEGMENT in DxgkDdiBuildPagingBuffer: it has to take any range of "
                 "the segment "
                 "that was reported, with hAllocation NULL too",
                 "the size of the aperture against the table of the hardware"},
    },
    {
        .value = 0xF,
        .meaning = "the driver returned an invalid status from DxgkDdiAcquireSwizzlingRange",
        .rules = {351, 353, 392},
    },
    {
        .value = 0x10,
        .meaning = "the driver returned an invalid status from DxgkDdiReleaseSwizzlingRange",
        .rules = {352, 392},
    },
    {
        .value = 0x11,
        .meaning = "an aperture segment is used in a way that it may not be used",
    },
    {
        .value = 0x12,
        .meaning = "the driver wrote more than the DMA buffer holds",
        .rules = {152, 153, 154},
        .look = {"the check of the room that is left before each write, and DmaSize",
                 "vidmm check --stage room: every operation with little room"},
    },
    {
        .value = 0x13,
        .meaning = "the driver wrote more than the private data of the DMA buffer holds",
        .rules = {78, 166, 391},
        .look = {"PagingBufferPrivateDataSize, DmaBufferPrivateDataSize and what the driver writes "
                 "there",
                 "private data of size 0"},
    },
    {
        .value = 0x16,
        .meaning = "the driver broke the model of guaranteed DMA buffers: it reported no room for "
                   "a command "
                   "buffer that the guaranteed sizes must hold",
    },
    {
        .value = 0x17,
        .meaning = "a command of the system failed unexpectedly",
        .rules = {277, 282},
        .look = {"the returns of DxgkDdiSubmitCommand, DxgkDdiPatch and DxgkDdiPreemptCommand"},
    },
    {
        .value = 0x19,
        .meaning = "the driver failed to patch a DMA buffer",
        .rules = {274, 277},
        .look = {"the returns of DxgkDdiPatch, and that it comes for paging buffers without lists"},
    },
    {
        .value = 0x1B,
        .meaning = "a range of an aperture is released that is still in use",
    },
    {
        .value = 0x25,
        .meaning = "the GPU wrote to an undefined part of the aperture",
        .rules = {194, 197, 200},
        .look = {"the address that the GPU wrote to: was its page of the aperture mapped then",
                 "what unmapping writes: DummyPage, not 0",
                 "the GPU accesses to neighbours of a range that is being mapped"},
    },
    {
        .value = 0x2D,
        .meaning = "mapping pages of the CPU host aperture failed, which may not fail",
        .rules = {265, 269},
        .look = {"DxgkDdiMapCpuHostAperture: it has to work as soon as segments were reported, and "
                 "with "
                 "hAllocation NULL"},
    },
    {
        .value = 0x2E,
        .meaning = "unmapping pages of the CPU host aperture failed, which may not fail",
        .rules = {265, 269},
        .look = {"DxgkDdiUnmapCpuHostAperture: it has to work as soon as segments were reported, "
                 "and with "
                 "hAllocation NULL"},
    },
    {
        .value = 0x30,
        .meaning = "an operation on GPU virtual addresses failed",
        .rules = {149, 217},
    },
    {
        .value = 0x35,
        .meaning = "paging failed in the default paging queue",
        .rules = {149},
    },
    {
        .value = 0x36,
        .meaning = "paging failed again after it was called unrecoverable, where it may not fail",
        .rules = {149},
    },
    {
        .value = 0x3C,
        .meaning = "memory is still mapped by the CPU host aperture when the device powers down",
        .rules = {268, 270},
    },
};

static const struct vidmm_code_case scheduler_cases[] = {
    {
        .value = 0x1,
        .meaning = "the driver reported a fence that is none of those submitted",
        .rules = {523, 281, 617},
        .look = {"what the interrupt routine reports: SubmissionFenceId of the node, not a counter "
                 "of the "
                 "driver",
                 "work that was preempted and comes again with its old fence",
                 "fences kept for each node when there is a paging node"},
    },
    {
        .value = 0x2,
        .meaning =
            "the driver failed a submission (DxgkDdiSubmitCommand, DxgkDdiSubmitCommandVirtual)",
        .rules = {277, 278, 279},
        .look = {"the returns of DxgkDdiSubmitCommand: STATUS_SUCCESS and nothing else",
                 "DxgkDdiSubmitCommandVirtual: STATUS_INVALID_PARAMETER too, for malformed private "
                 "data"},
    },
    {
        .value = 0x3,
        .meaning = "the driver failed DxgkDdiPatch",
        .rules = {273, 277},
        .look = {"the returns of DxgkDdiPatch: STATUS_SUCCESS and nothing else",
                 "a patch of a paging buffer: it has no lists"},
    },
    {
        .value = 0x5,
        .meaning =
            "a command of the system, such as a paging buffer, failed or faulted in the driver",
        .rules = {153, 155, 282},
        .look =
            {"the interrupt that reports a fault: which fence, and which paging buffer that was",
             "the range that was submitted: where pDmaBuffer was left, and its alignment"},
    },
    {
        .value = 0x8,
        .meaning = "the node that caused a reset is not in the driver's mask of nodes",
    },
    {
        .value = 0x9,
        .meaning = "the driver failed to cancel a command",
    },
    {
        .value = 0xA,
        .meaning = "the driver reported an aborted fence out of range, as after a preemption or "
                   "the reset of an "
                   "engine",
        .rules = {281},
        .look = {"the fence completed last, as the driver reports it after a preemption or the "
                 "reset of an "
                 "engine: one that was submitted to that node"},
    },
    {
        .value = 0xC,
        .meaning = "the driver's flags of a page fault say that the hardware cannot go on",
        .rules = {380, 381},
        .look = {"the address that faulted, and whether its entry had been written and flushed"},
    },
    {
        .value = 0xD,
        .meaning = "the driver's report of a page fault has wrong flags",
        .rules = {380},
        .look = {"the flags of DmaPageFaulted against their page"},
    },
    {
        .value = 0x10,
        .meaning = "the driver reported an interrupt after the reset of an engine, before the "
                   "system resumed it",
        .rules = {281, 381},
    },
    {
        .value = 0x11,
        .meaning =
            "the driver reported a fence of a suspended context that the system has not made yet",
        .rules = {281},
    },
};

static const struct vidmm_code_case iommu_cases[] = {
    {
        .value = 0x4,
        .meaning = "an address descriptor list was built for memory that is not locked",
        .rules = {358},
    },
    {
        .value = 0x5,
        .meaning = "memory was unlocked while address descriptor lists of it exist",
        .rules = {358},
    },
    {
        .value = 0x7,
        .meaning = "an address descriptor list was leaked",
        .rules = {358},
    },
};

static const struct vidmm_code_case miniport_cases[] = {
    {
        .value = 0x1,
        .meaning = "adding the device failed; parameter 2 is the status",
        .rules = {30},
    },
    {
        .value = 0x2,
        .meaning = "starting the device failed; parameter 2 is the status",
        .rules = {5, 7, 8, 14, 27, 73},
    },
};

const struct vidmm_case_table cases_memory = {memory_cases, COUNT(memory_cases)};
const struct vidmm_case_table cases_scheduler = {scheduler_cases, COUNT(scheduler_cases)};
const struct vidmm_case_table cases_iommu = {iommu_cases, COUNT(iommu_cases)};
const struct vidmm_case_table cases_miniport = {miniport_cases, COUNT(miniport_cases)};
