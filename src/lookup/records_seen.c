/*
 * records_seen.c - W1 to W35: what Windows was seen to do.
 *
 * Authors of open drivers measured this on real systems. A record holds for the system that it
 * names: what one version tolerates another may refuse. That a driver starts does not make each of
 * its answers right, only none of them a start failure.
 */
#include "tables.h"

#define MALI_SYSTEM   "Windows 11 22621, ARM64, WDDM 1.3"
#define MALI_SOURCE   "gahingwoo/wddm-mali-g52, docs/results, "
#define AMD_SOURCE    "D-Ogi/amdgpu-wddm, "
#define HELIOS_SYSTEM "Windows 11, WDDM 3.2"
#define HELIOS_SOURCE "winboat-org/helios, "
#define COSKMD_SOURCE "microsoft/graphics-driver-samples, "

static const struct vidmm_record rows[] = {
    {W(1),
     "DRIVERCAPS was asked with OutputDataSize 0x228 (0x220 in another run), and the driver "
     "answered STATUS_BUFFER_TOO_SMALL because its own structure is larger",
     "end the start with Code 43", MALI_SYSTEM, MALI_SOURCE "m5 runs 1, 2 and 15", .rules = {27}},
    {W(2),
     "a driver answered DRIVERCAPS, CreateDevice, CreateContext, QUERYSEGMENT3, BuildPagingBuffer "
     "and HISTORYBUFFERPRECISION, which came in this order",
     "start the adapter", MALI_SYSTEM, MALI_SOURCE "m5.2 PE run 15", .rules = {0},
     .test = "check/records_test.c: w2_three_queries_are_enough"},
    {W(3), "WDDMVersion and SupportSmoothRotation were 0 in DRIVERCAPS",
     "make no further call and show Code 43", MALI_SYSTEM, MALI_SOURCE "run 3", .rules = {0},
     .test = "check/records_test.c: w3_caps_without_a_version_are_told"},
    {W(4), "the target modes had no frequency", "stand still during start-up", MALI_SYSTEM,
     MALI_SOURCE "run 4", .rules = {0},
     .cannot = "vidmm asks for no modes: it has no monitor and no scan-out"},
    {W(5), "no user-mode driver was registered",
     "show Code 43 after the capabilities, without a reason", MALI_SYSTEM "; Windows 11",
     MALI_SOURCE "runs 1 to 3; D-Ogi/amdgpu-wddm", .rules = {0},
     .cannot = "user-mode drivers are registered for the whole system, and vidmm loads none"},
    {W(6), "five functions that WDDM 1.2 requires were NULL", "show Code 43", MALI_SYSTEM,
     MALI_SOURCE "runs 1 to 3", .rules = {30, 477},
     .test = "check/records_test.c: w6_five_functions_are_missing"},
    {W(7), "HISTORYBUFFERPRECISION was answered with STATUS_NOT_SUPPORTED",
     "write \"Driver returned an invalid NTSTATUS code\" to the trace and fail the start",
     MALI_SYSTEM, MALI_SOURCE "PE runs 5 to 8", .rules = {27}},
    {W(8), "an aperture-only driver was started",
     "issue only MAP_APERTURE_SEGMENT (operation 5) to BuildPagingBuffer, no READ_PHYSICAL and no "
     "UNMAP_APERTURE_SEGMENT",
     MALI_SYSTEM, MALI_SOURCE "run 15, counters", .rules = {37, 194}},
    {W(9), "submissions had an empty patch-location list",
     "page none of their allocations in, so that the GPU faulted", MALI_SYSTEM,
     MALI_SOURCE "PE runs 13 and 14", .rules = {393, 394}},
    {W(10), "the driver took hDevice of OpenAllocation for the adapter",
     "stop with bugcheck 0x3B SYSTEM_SERVICE_EXCEPTION", MALI_SYSTEM, MALI_SOURCE "run 5",
     .rules = {0}, .test = "check/records_test.c: w10_the_device_is_taken_for_the_adapter"},
    {W(11), "PagingBufferSegmentId named a memory segment (WDDM 2.0, GpuMmu)",
     "start the adapter and tear it down 6 ms later", "Windows 11",
     AMD_SOURCE "lab runs M65 and M67", .rules = {73}},
    {W(12), "BuildPagingBuffer returned STATUS_SUCCESS and did nothing",
     "show a black display and lose content without any error", "Windows 11 and others",
     AMD_SOURCE "M67; stdvga; uXen", .rules = {37, 153, 161, 188}},
    {W(13), "a driver with GpuMmu paged",
     "submit paging work by SubmitCommandVirtual only: 1581 builds, 0 calls of SubmitCommand",
     "Windows 11", AMD_SOURCE "M110", .rules = {276, 279},
     .test = "check/records_test.c: w13_paging_by_address_is_submitted_by_address"},
    {W(14), "paging buffers were built with GpuMmu",
     "pass 0 as DmaBufferGpuVirtualAddress though there was a buffer", "Windows 11",
     AMD_SOURCE "M112", .rules = {172}},
    {W(15), "page table entries were updated",
     "pass page numbers, not bytes, in PageAddress of DXGK_PTE", "Windows 11", AMD_SOURCE "M72",
     .rules = {223, 224}},
    {W(16), "page tables pointed at host memory",
     "deliver it as segment 0 in the entries (DXGK_PTE.Segment)", "Windows 11", AMD_SOURCE "M72",
     .rules = {18, 223}},
    {W(17), "PageTableUpdateMode was GPU_PHYSICAL",
     "send 1028 updates with CPU_VIRTUAL at start all the same", "Windows 11",
     AMD_SOURCE "M72 and M73", .rules = {209, 210}},
    {W(18), "the paging path had 23 KB on the stack",
     "stop with bugcheck 0x50 at the first VIRTUAL_FILL", "Windows 11", AMD_SOURCE "M104",
     .rules = {0}, .test = "system/images_test.sh: overflow $break of the stack"},
    {W(19), "a segment was listed after one with SupportsCpuHostAperture",
     "fail AddAdapter with \"Invalid flags specified for segment #2\"", HELIOS_SYSTEM,
     HELIOS_SOURCE "e5d45d9 and a63bec9", .rules = {59, 61}},
    {W(20), "a CpuVisible memory segment was reported together with GpuMmu", "show Code 43",
     HELIOS_SYSTEM, HELIOS_SOURCE "22.22.45 and 46", .rules = {59, 61, 71}},
    {W(21), "BuildPagingBuffer returned STATUS_INSUFFICIENT_RESOURCES under load",
     "stop with bugcheck 0x10E, parameter 1 0xB, parameter 3 the status", HELIOS_SYSTEM,
     HELIOS_SOURCE "b618443", .rules = {149, 154}},
    {W(22), "an allocation of 0x1C20000 bytes was paged",
     "send a VIRTUAL_TRANSFER of 0x1E10000 bytes for it", HELIOS_SYSTEM, HELIOS_SOURCE "b618443",
     .rules = {91, 178, 240}},
    {W(23), "the page tables of GpuMmu were in an aperture segment", "stand still during start-up",
     HELIOS_SYSTEM, HELIOS_SOURCE "BRINGUP_QUIRKS 4", .rules = {212, 428, 546},
     .test = "check/records_test.c: w23_tables_in_an_aperture_do_not_start"},
    {W(24), "the memory segment was too small for a page-in",
     "report the device removed and set all its fences to -1", "Windows 10",
     COSKMD_SOURCE "e1a856b", .rules = {98, 287},
     .cannot = "vidmm refuses the work that does not fit, with a sentence, and keeps the device: "
               "fences of user mode (monitored fences) are not part of it"},
    {W(25), "TRANSFER had an MDL smaller than the transfer (forward progress)",
     "send one for which CosKmd had to change how TransferOffset counts, the day its test grew to "
     "512 KB: it slides the MDL by TransferOffset modulo its bytes",
     "Windows 10", COSKMD_SOURCE "6ae66b6, a49bce2, 4e87066 and fa2ac83", .rules = {176, 177},
     .test = "check/readings_test.c: the_reference_driver_passes_under_every_reading"},
    {W(26),
     "CosKmd had no aperture segment, answered PHYSICALADAPTERCAPS with STATUS_NOT_SUPPORTED, "
     "never set CommitLimit and never used SegmentDescriptorStride, and took TRANSFER as in W25",
     "start it, run compute and page", "Windows 10",
     COSKMD_SOURCE "master and branch cos-dev-indyz-gpuva2-wip", .rules = {8, 21, 62, 212, 535}},
    {W(27),
     "RosKmd was built with a newer interface version, said WDDMVersion 1.3, answered "
     "QUERYSEGMENT3 with an invented CpuTranslatedAddress of its aperture, and wrote 0 on "
     "unmapping",
     "start it and render", "Windows 10, ARM", COSKMD_SOURCE "render-only sample",
     .rules = {38, 200}},
    {W(28),
     "xengfxwd left HISTORYBUFFERPRECISION unanswered and had a GART segment larger than its BAR",
     "start it and render for years", "Windows 7 and 8", "OpenXT/xc-windows", .rules = {27, 193}},
    {W(29), "uxendisp had two segments at one address and ignored paging",
     "start it; content was lost at times", "Windows 7 to 10", "uxen-virt/uxen",
     .rules = {20, 37, 188}},
    {W(30),
     "viogpu3d had one aperture of 1 GiB, implemented MAP_APERTURE_SEGMENT and "
     "UNMAP_APERTURE_SEGMENT and answered the other operations with STATUS_NOT_SUPPORTED",
     "start it and render", "Windows 10 and 11", "virtio-win, PR 943", .rules = {37, 149, 167}},
    {W(31),
     "stdvga, a display-only driver, had functions for memory, wrote DRIVERCAPS past a short "
     "buffer (592 of 552 bytes) and descriptors in the call that counts",
     "start it", "Windows 10 and 11", "virtio-win, master", .rules = {3, 545},
     .test = "check/records_test.c: w31_an_answer_past_its_buffer_is_no_failed_start"},
    {W(32), "viogpudo and KMDOD, display-only, had no functions for memory", "start them",
     "Windows 8 to 11", "virtio-win; Windows-driver-samples", .rules = {0},
     .test = "foreign/models_test.sh: it has a picture and no memory to manage"},
    {W(33), "DMA_COMPLETED was not reported from the interrupt routine",
     "work; the driver was mended later for safety", "Windows 10 and 11",
     "arehnman's fork, 51c0ed9d", .rules = {281, VIDMM_K_NOTIFY},
     .test = "check/records_test.c: w33_completions_out_of_the_dpc_lose_nothing"},
    {W(34), "DXGKRNL_INTERFACE was copied past its end", "crash", "Windows 11",
     "virtio-win, PR 967", .rules = {0},
     .test = "check/records_test.c: w34_an_interface_copied_past_its_end_crashes"},
    {W(35), "the first submission after a preemption was handled without regard to Resubmission",
     "run with stale state of the buffer", "Windows 10", COSKMD_SOURCE "d988219", .rules = {281},
     .test = "check/records_test.c: w35_a_resubmission_that_is_not_run_is_found"},
};

const struct record_table records_seen = {rows, COUNT(rows)};
