/*
 * codes_video.c - the bugchecks and live dumps of graphics: the memory manager, the scheduler,
 * timeouts, dxgkrnl.
 *
 * What the values of parameter 1 mean is in cases_video.c.
 */
#include "tables.h"

#define PAGE "windows-hardware/drivers/debugger/bug-check-"

static const struct vidmm_code rows[] = {
    {
        .kind = VIDMM_CODE_BUGCHECK,
        .number = 0x10E,
        .name = "VIDEO_MEMORY_MANAGEMENT_INTERNAL",
        .page = PAGE "0x10e---video-memory-management-internal",
        .meaning = "The video memory manager cannot go on. Parameter 1 tells why; a driver is "
                   "usually to blame.",
        .look =
            {
                "parameter 1; 0xB is a status from DxgkDdiBuildPagingBuffer, and parameter 3 was "
                "then seen to be that status",
                "every return of DxgkDdiBuildPagingBuffer: STATUS_SUCCESS, "
                "STATUS_GRAPHICS_ALLOCATION_BUSY and STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER are "
                "all there is; memory that runs out is no reason to fail",
                "operations that the driver does not know: they succeed and write nothing",
                "where the driver allocates memory while it builds: take it when the device starts",
                "vidmm check --stage room, then --stage memory: little room in the buffer, "
                "allocations that fail",
            },
        .rules = {149, 154, 157, 163, 167, 37, 152, 277},
        .records = {W(21), W(30), F(19)},
        .cases = &cases_memory,
    },
    {
        .kind = VIDMM_CODE_BUGCHECK,
        .number = 0x113,
        .name = "VIDEO_DXGKRNL_FATAL_ERROR",
        .page = PAGE "0x113---video-dxgkrnl-fatal-error",
        .meaning = "dxgkrnl found a violation. The page tells of no parameters, so no rule follows "
                   "from the number alone.",
        .look =
            {
                "the text and the stack that !analyze -v prints: which call of dxgkrnl it was, and "
                "look that call up here",
                "vidmm check: callbacks at the wrong level and handles that were never given are "
                "findings there",
            },
    },
    {
        .kind = VIDMM_CODE_BUGCHECK,
        .number = 0x116,
        .name = "VIDEO_TDR_FAILURE",
        .page = PAGE "0x116---video-tdr-failure",
        .meaning = "The GPU hung and the recovery failed: DxgkDdiResetFromTimeout did not bring it "
                   "back, threads did not leave the driver in time, or the system counted more "
                   "than five timeouts in a minute.",
        .look =
            {
                "why the GPU hung, as for 0x117",
                "DxgkDdiResetFromTimeout: it has to stop the GPU and to succeed",
                "threads that wait in the driver for a GPU that does not answer, in the clean-up "
                "after a reset too",
                "evictions of the clean-up: TRANSFER with size 0 and UNMAP_APERTURE_SEGMENT, "
                "without touching the GPU",
                "vidmm check --stage preempt, then --stage engines and --stage locks: resets at "
                "every step",
            },
        .rules = {422, 421, 361, 362, 186, 282, 281},
        .records = {W(33), W(35), F(40)},
    },
    {
        .kind = VIDMM_CODE_LIVE_DUMP,
        .number = 0x117,
        .name = "VIDEO_TDR_TIMEOUT_DETECTED",
        .page = PAGE "0x117---video-tdr-timeout-detected",
        .meaning = "The GPU did not finish in time (2 seconds by default), and the system resets "
                   "it. The system goes on.",
        .look =
            {
                "fences: is every completed one reported, for its own node, from the interrupt "
                "routine",
                "what was submitted: does pDmaBuffer point behind the last byte that was written, "
                "and does the GPU accept the alignment",
                "page faults: one that is not reported as DmaPageFaulted becomes a timeout",
                "the first submission after a preemption: its buffer may be one that ran in part",
            },
        .rules = {281, 153, 155, 380, 397, 278},
        .records = {W(9), W(33), W(35), F(20), F(40)},
    },
    {
        .kind = VIDMM_CODE_BUGCHECK,
        .number = 0x119,
        .name = "VIDEO_SCHEDULER_INTERNAL_ERROR",
        .page = PAGE "0x119---video-scheduler-internal-error",
        .meaning = "The GPU scheduler found a violation. Parameter 1 tells which; the others do "
                   "not matter.",
        .look =
            {
                "parameter 1; 0x2, 0x3 and 0x9 are a status of a call that may not fail, 0x1 and "
                "0xA a fence that was never submitted",
                "every return of DxgkDdiSubmitCommand, DxgkDdiPatch, DxgkDdiPreemptCommand and "
                "DxgkDdiCancelCommand: STATUS_SUCCESS, and for DxgkDdiSubmitCommandVirtual also "
                "STATUS_INVALID_PARAMETER",
                "what the interrupt routine reports: fences of one node go up, and a preemption "
                "has the one completed last",
                "vidmm check --stage preempt, then --stage engines: work is preempted, lost in "
                "resets and submitted again",
            },
        .rules = {277, 279, 281, 523, 278, 275, 380, 613},
        .records = {W(33), W(35), F(40)},
        .cases = &cases_scheduler,
    },
    {
        .kind = VIDMM_CODE_LIVE_DUMP,
        .number = 0x141,
        .name = "VIDEO_ENGINE_TIMEOUT_DETECTED",
        .page = PAGE "0x141---video-engine-timeout-detected",
        .meaning = "One engine did not finish in time. The system resets that engine alone if it "
                   "can, and goes on.",
        .look =
            {
                "fences of that engine's node, as for 0x117",
                "DxgkDdiResetEngine: the fence that it reports as aborted was submitted to that "
                "node",
                "paging work that is lost in the reset of an engine: the adapter is reset then",
            },
        .rules = {281, 282, 380, 381},
        .records = {W(33), F(40)},
    },
    {
        .kind = VIDMM_CODE_LIVE_DUMP,
        .number = 0x142,
        .name = "VIDEO_TDR_APPLICATION_BLOCKED",
        .page = PAGE "0x142--video-tdr-application-blocked",
        .meaning =
            "An application is kept from the GPU after timeouts; parameter 4 is its process.",
        .look = {"what that process submitted, then as for 0x117"},
        .rules = {281, 381, 384},
    },
    {
        .kind = VIDMM_CODE_LIVE_DUMP,
        .number = 0x193,
        .name = "VIDEO_DXGKRNL_LIVEDUMP",
        .page = PAGE "0x193--video-dxgkrnl-livedump",
        .meaning = "dxgkrnl wrote a dump and the system goes on. The page tells of one reason, "
                   "0x100, internal.",
        .look =
            {"the stack that !analyze -v prints: which call it was, and look that call up here"},
    },
    {
        .kind = VIDMM_CODE_LIVE_DUMP,
        .number = 0x1B0,
        .name = "VIDEO_MINIPORT_FAILED_LIVEDUMP",
        .page = PAGE "0x1b0--video-miniport-failed-livedump",
        .meaning = "The miniport failed to be added or to start; parameter 2 is the status.",
        .look =
            {
                "the status in parameter 2, and which call returned it",
                "the answers that follow DxgkDdiStartDevice, as for Code 43",
                "vidmm check --stage query, then --stage start",
            },
        .rules = {27, 5, 7, 8, 14, 30, 33, 73},
        .records = {W(7), W(19), F(3), F(14)},
        .cases = &cases_miniport,
    },
    {
        .kind = VIDMM_CODE_BUGCHECK,
        .number = 0x1E4,
        .name = "VIDEO_DXGKRNL_SYSMM_FATAL_ERROR",
        .page = PAGE "0x1e4--video-dxgkrnl-sysmm-fatal-error",
        .meaning = "dxgkrnl's management of system memory found a violation: the IOMMU, or address "
                   "descriptor lists. Parameter 1 tells which.",
        .look =
            {
                "calls of the older memory callbacks while addresses are remapped",
                "the order of allocating, locking and mapping memory for the device, and of the "
                "opposite",
            },
        .rules = {355, 357, 358, 359},
        .cases = &cases_iommu,
    },
};

const struct code_table codes_video = {rows, COUNT(rows)};
