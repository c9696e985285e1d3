/*
 * group_c.c - R73 to R90: paging buffers, DMA buffers and capabilities of the driver as a whole.
 *
 * What is built into paging buffers is in group_e.c and later files; segments are in
 * group_b_kind.c and group_b_memory.c.
 */
#define GROUP 'C'
#include "groups.h"

const struct vidmm_rule rules_c[] = {
    {
        RULE(73, DRIVER, DISPUTED, START_FAILS),
        .severity_source = RECORD("W11"),
        .statement = "PagingBufferSegmentId is 0 or names an aperture segment.",
        .page = "ns-d3dkmddi-_dxgk_querysegmentout",
        .how = "The flags of the named segment are looked at; 0 is accepted unless the reading is "
               "aperture.",
        .why = "Paging buffers are written by the CPU when video memory may be full. A driver that "
               "named a memory segment was torn down 6 ms after its start.",
        .windows = "A driver whose PagingBufferSegmentId named a memory segment started and was "
                   "torn down 6 ms later.",
        .windows_source = RECORD("W11"),
        .wrong = "out->PagingBufferSegmentId = VRAM_ID; /* close to the GPU */\n",
        .right = "out->PagingBufferSegmentId = 0; /* or APERTURE_ID */\n",
        .readings = "paging-segment=zero-is-memory: 0 is contiguous write-combined system memory; "
                    "paging-segment=aperture: an aperture segment must be named.",
    },
    {
        RULE(74, MANAGER, DOCUMENTED, CORRUPTION),
        .statement =
            "With PagingBufferSegmentId 0 the paging buffer is physically contiguous, locked, "
            "write-combined system memory.",
        .page = "ns-d3dkmddi-_dxgk_querysegmentout",
        .how = "The buffer's segment must be 0, and what is built at an offset must be found in "
               "system "
               "memory at the submitted address plus that offset; caching cannot be seen.",
        .why = "The GPU gets one address and reads on from there, over page borders. Drivers that "
               "read "
               "segment 0 as no buffer left all paging to software.",
        .windows = "It allocates such a block.",
        .windows_source = THE_PAGE,
        .wrong = "buffer = ExAllocatePool(size); /* contiguous for the CPU only */\n"
                 "address = MmGetPhysicalAddress(buffer);\n",
        .right = "buffer = MmAllocateContiguousMemorySpecifyCache(size, low, high, boundary,\n"
                 "                                                 MmWriteCombined);\n"
                 "address = MmGetPhysicalAddress(buffer);\n",
    },
    {
        RULE(75, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "With another PagingBufferSegmentId the buffer's pages are mapped into that "
                     "aperture before its use, and DxgkDdiSubmitCommand gets that segment and "
                     "BaseAddress plus offset.",
        .page = "ns-d3dkmddi-_dxgk_querysegmentout",
        .how =
            "A MAP_APERTURE_SEGMENT with hAllocation NULL must cover the submitted range, and its "
            "segment must be the submitted one.",
        .why =
            "Otherwise the GPU fetches its commands through entries that point at the dummy page.",
        .windows = "It maps the buffer when it is created.",
        .windows_source = THE_PAGE,
        .wrong = "args.DmaBufferSegmentId = paging_segment;\n"
                 "args.DmaBufferPhysicalAddress.QuadPart = offset; /* without the base */\n",
        .right = "args.DmaBufferSegmentId = paging_segment;\n"
                 "args.DmaBufferPhysicalAddress.QuadPart = segment->base + offset;\n",
    },
    {
        RULE(76, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "A paging buffer is PagingBufferSize bytes large.",
        .page = "initializing-use-of-memory-segments",
        .how =
            "DmaSize of DxgkDdiBuildPagingBuffer may never be larger, and must be that much for a "
            "buffer that nothing was built into.",
        .why = "The driver chose the size so that its largest command that cannot be divided fits.",
        .windows = "It allocates what the driver asked for.",
        .windows_source = THE_PAGE,
        .wrong = "args.DmaSize = 4096; /* a page will do */\n",
        .right = "args.pDmaBuffer = buffer + used;\n"
                 "args.DmaSize = paging_buffer_size - used;\n",
    },
    {
        RULE(77, MANAGER, DOCUMENTED, CORRUPTION),
        .statement =
            "A paging buffer has PagingBufferPrivateDataSize bytes of private data, zero when "
            "new, that the manager does not touch afterwards.",
        .page = "ns-d3dkmddi-_dxgk_querysegmentout",
        .how =
            "The bytes must be zero when first seen, and be at each call what the driver left at "
            "the one before.",
        .why = "Drivers keep the state of a build there between Build, Patch and Submit.",
        .windows = "It allocates them from nonpaged pool and zeroes them once.",
        .windows_source = THE_PAGE,
        .wrong = "memset(buffer->private_data, 0, size); /* before each DxgkDdiPatch */\n",
        .right = "buffer->private_data = calloc(1, size); /* when the buffer is created */\n",
    },
    {
        RULE(78, BOTH, DOCUMENTED, BUGCHECK),
        .statement =
            "With PagingBufferPrivateDataSize 0 there is no private data, and the driver does "
            "not touch the pointer.",
        .page = "ns-d3dkmddi-_dxgk_querysegmentout",
        .how =
            "The size must be 0 in every call, and a driver that asked for 0 must survive a NULL "
            "pointer.",
        .why = "A driver that forgot to ask writes to address zero, or over somebody's pool.",
        .windows = "No memory is allocated; the driver's access is a bugcheck.",
        .wrong = "out->PagingBufferPrivateDataSize = 0;\n"
                 "/* later, in DxgkDdiBuildPagingBuffer */\n"
                 "((MY_PRIVATE *)args->pDmaBufferPrivateData)->Count = 0;\n",
        .right = "out->PagingBufferPrivateDataSize = sizeof(MY_PRIVATE);\n",
    },
    {
        RULE(79, BOTH, DOCUMENTED, CREATION_FAILS),
        .severity_source = THE_PAGE,
        .statement = "DmaBufferSegmentSet names aperture segments only, and creating a device or "
                     "context with a memory segment in it fails.",
        .page = "ns-d3dkmddi-_dxgk_contextinfo",
        .how =
            "The set of each answer is compared with the segments' flags; a context with a memory "
            "segment in it must get no work.",
        .why = "DMA buffers are filled by the CPU in system memory and only mapped for the GPU.",
        .windows = "The creation of the device or context fails.",
        .windows_source = THE_PAGE,
        .wrong = "info->DmaBufferSegmentSet = 1u << (VRAM_ID - 1);\n",
        .right = "info->DmaBufferSegmentSet = 1u << (APERTURE_ID - 1); /* or 0 */\n",
    },
    {
        RULE(80, MANAGER, DOCUMENTED, CORRUPTION),
        .statement =
            "With DmaBufferSegmentSet 0 DMA buffers are contiguous, locked, write-combined "
            "system memory, submitted with DmaBufferSegmentId 0.",
        .page = "ns-d3dkmddi-_dxgk_contextinfo",
        .how = "Segment and address of each submission are looked at; caching cannot be seen.",
        .why =
            "The driver puts the address into the ring as it is; through an aperture that it did "
            "not choose the GPU cannot reach it.",
        .windows = "It allocates such blocks.",
        .windows_source = THE_PAGE,
        .wrong = "args.DmaBufferSegmentId = any_aperture(adapter);\n",
        .right = "args.DmaBufferSegmentId = 0;\n"
                 "args.DmaBufferPhysicalAddress = buffer->physical;\n",
    },
    {
        RULE(81, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "DMA buffers never lie in local video memory.",
        .page = "specifying-segments-for-dma-buffers",
        .how = "The segment of each submission must be 0 or an aperture.",
        .why = "The CPU writes them in small pieces, which over a bus to video memory is slow, and "
               "the driver may have named only apertures for them.",
        .windows = "It does not put them there.",
        .windows_source = THE_PAGE,
        .wrong = "args.DmaBufferSegmentId = vram_id;\n",
        .right = "args.DmaBufferSegmentId = info.DmaBufferSegmentSet == 0 ? 0 : aperture_id;\n",
    },
    {
        RULE(82, DRIVER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WIN7,
        .statement = "AllocationListSize of a GDI context is 256.",
        .page = "ns-d3dkmddi-_dxgk_contextinfo",
        .how = "AllocationListSize is looked at after DxgkDdiCreateContext with GdiContext.",
        .why = "DxgkDdiRenderGdi names allocations by a place in a list of this size.",
        .windows = "No page tells; GDI acceleration relies on the number.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->AllocationListSize = 64;\n",
        .right = "info->AllocationListSize = args->Flags.GdiContext ? 256 : 64;\n",
    },
    {
        RULE(83, MANAGER, DOCUMENTED, DEVICE_LOST),
        .statement = "DMA buffer, allocation list and patch-location list of a context never get "
                     "smaller than the driver's first sizes.",
        .page = "ns-d3dkmddi-_dxgk_contextinfo",
        .how = "The sizes in each call that builds commands are compared with those of "
               "DXGK_CONTEXTINFO.",
        .why =
            "The driver named the least that one of its commands needs; in less it can only fail.",
        .windows = "It grows and shrinks them above the first sizes.",
        .windows_source = THE_PAGE,
        .wrong = "args.DmaSize = last_used; /* saves memory */\n",
        .right = "args.DmaSize = max(last_used, context->info.DmaBufferSize);\n",
    },
    {
        RULE(84, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN7,
        .statement = "DedicatedPagingEngine, PagingEngineCanSwizzle and the bits of DXGK_VIDMMCAPS "
                     "that the interface version does not have are 0.",
        .page = "ns-d3dkmddi-_dxgk_vidmmcaps",
        .how = "The bits are looked at in the answer to DRIVERCAPS. "
               "mcdm-implementation-guidelines has the first two, too, as FALSE.",
        .why =
            "They are reserved, whatever their names promise: no page says what a driver gets that "
            "sets them.",
        .windows = "The bits are reserved; what it makes of them may change.",
        .wrong = "caps->MemoryManagementCaps.DedicatedPagingEngine = 1; /* we have one */\n",
        .right = "caps->MemoryManagementCaps.Value = 0;\n"
                 "caps->MemoryManagementCaps.PagingNode = COPY_NODE;\n",
    },
    {
        RULE(85, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "VirtualAddressingSupported comes with GpuMmuSupported or IoMmuSupported.",
        .page = "ns-d3dkmddi-_dxgk_vidmmcaps",
        .how = "The three bits are compared in the answer to DRIVERCAPS.",
        .why =
            "Who translates the addresses must be known before the first page table. Capabilities "
            "that contradict each other were found to stop the start.",
        .windows = "No page tells; contradicting capabilities have kept adapters from starting.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->MemoryManagementCaps.VirtualAddressingSupported = 1;\n",
        .right = "caps->MemoryManagementCaps.VirtualAddressingSupported = 1;\n"
                 "caps->MemoryManagementCaps.GpuMmuSupported = 1;\n",
    },
    {
        RULE(86, DRIVER, DOCUMENTED, START_FAILS),
        .reach = VIDMM_REACH_ANSWER,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_9,
        .statement = "CrossAdapterResourceTexture needs CrossAdapterResource, and "
                     "CrossAdapterResourceScanout needs both.",
        .page = "ns-d3dkmddi-_dxgk_vidmmcaps",
        .how = "The three bits are compared in the answer to DRIVERCAPS.",
        .why = "They are tiers: whoever uses one counts on those below it.",
        .windows = "No page tells what it makes of a tier without the lower ones.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->MemoryManagementCaps.CrossAdapterResourceScanout = 1;\n",
        .right = "caps->MemoryManagementCaps.CrossAdapterResource = 1;\n"
                 "caps->MemoryManagementCaps.CrossAdapterResourceTexture = 1;\n"
                 "caps->MemoryManagementCaps.CrossAdapterResourceScanout = 1;\n",
    },
    {
        RULE(87, BOTH, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
        .statement =
            "A cross-adapter resource is one shared, linear, CPU-visible, write-combined "
            "allocation in the aperture only, on a page, with a pitch in steps of 128 bytes "
            "and a height in steps of 4 rows.",
        .page = "ns-d3dkmddi-_dxgk_vidmmcaps",
        .how =
            "Not judged: no call tells the driver's allocation from another, and only the two "
            "user-mode drivers, by their private data, know pitch and height. Pitch of a "
            "D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER is in the call, but which resource it becomes "
            "is not.",
        .why =
            "Two drivers of different makers read the same bytes; the layout is all that they have "
            "in common.",
        .windows = "The second adapter reads the rows at the wrong places.",
        .wrong = "pitch = width * 4;\n"
                 "info->SupportedWriteSegmentSet = VRAM_SET | APERTURE_SET;\n",
        .right = "pitch = ALIGN_UP(width * 4, D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT);\n"
                 "rows = ALIGN_UP(height, D3DKMT_CROSS_ADAPTER_RESOURCE_HEIGHT_ALIGNMENT);\n"
                 "info->Flags.CpuVisible = 1;\n"
                 "info->SupportedWriteSegmentSet = APERTURE_SET;\n",
        .readings = "ns-d3dkmddi-_dxgk_vidmmcaps has such a resource CPU-visible; "
                    "ne-d3dkmdt-_d3dkmdt_gdisurfacetype says of the surface "
                    "D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER that it is not, and that the driver "
                    "returns its aligned Pitch.",
    },
    {
        RULE(88, MANAGER, DOCUMENTED, CORRUPTION),
        .statement =
            "PagingNode of DXGK_VIDMMCAPS counts only with MultiEngineAware and only before "
            "WDDM 2.0, where PagingNodeIndex of the physical adapter takes its place.",
        .page = "ns-d3dkmddi-_dxgk_vidmmcaps",
        .how = "The node of paging submissions is compared with the member that counts, or 0. "
               "With VPRPagingContextRequired that may be VPRPagingNode, too.",
        .why =
            "A driver with one node never looks at the member, and paging sent to another node is "
            "never executed.",
        .windows = "It ignores the member otherwise.",
        .windows_source = THE_PAGE,
        .wrong = "node = caps.MemoryManagementCaps.PagingNode;\n",
        .right = "if (version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)\n"
                 "    node = physical.PagingNodeIndex;\n"
                 "else\n"
                 "    node = caps.SchedulingCaps.MultiEngineAware\n"
                 "               ? caps.MemoryManagementCaps.PagingNode : 0;\n",
    },
    {
        RULE(89, DRIVER, DOCUMENTED, START_FAILS),
        .statement = "PagingNodeIndex, before WDDM 2.0 PagingNode of a MultiEngineAware driver, "
                     "names one of the adapter's nodes, of which there are 1 to "
                     "DXGK_MAX_ASYMETRICAL_PROCESSING_NODES.",
        .page = "ns-d3dkmddi-_dxgk_physicaladaptercaps",
        .how = "PagingNodeIndex, and VPRPagingNode with VPRPagingContextRequired, is compared with "
               "NumExecutionNodes in the answer to PHYSICALADAPTERCAPS; PagingNode with "
               "NbAsymetricProcessingNodes in DRIVERCAPS.",
        .why =
            "All paging goes to this node, so a node that does not exist means no paging at all.",
        .windows = "No page tells; the adapter is of no use.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->NumExecutionNodes = 2;\n"
                 "caps->PagingNodeIndex = 2; /* the last one */\n",
        .right = "caps->NumExecutionNodes = 2;\n"
                 "caps->PagingNodeIndex = 1;\n",
    },
    {
        RULE(90, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "DxgkPhysicalAdapterHandle is the DeviceHandle that the driver got in "
                     "DxgkDdiStartDevice.",
        .page = "ns-d3dkmddi-_dxgk_physicaladaptercaps",
        .how = "The answer to PHYSICALADAPTERCAPS is compared with the handle of StartDevice.",
        .why = "By it the system finds which of several linked devices a physical adapter is; the "
               "driver's own context is the usual mistake.",
        .windows = "No page tells; a handle that it never gave belongs to no device.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->DxgkPhysicalAdapterHandle = ctx; /* our own context */\n",
        .right = "caps->DxgkPhysicalAdapterHandle = ctx->Dxgk.DeviceHandle;\n",
    },
    {
        RULE(448, DRIVER, DISPUTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "GpuMmuSupported and IoMmuSupported are not set at the same time.",
        .page = "ns-d3dkmddi-_dxgk_vidmmcaps",
        .how = "not judged: two other pages let a driver report both.",
        .why = "The address space of a process is the GPU's or the CPU's, on all engines.",
        .windows = "No page tells.",
        .readings =
            "vidmm takes one reading: both may be set, as gpu-virtual-memory-in-wddm-2-0 and "
            "mcdm-implementation-guidelines have it. ns-d3dkmddi-_dxgk_vidmmcaps says: not both.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->MemoryManagementCaps.GpuMmuSupported = 1;\n"
                 "caps->MemoryManagementCaps.IoMmuSupported = 1; /* one engine has each */\n",
        .right = "caps->MemoryManagementCaps.GpuMmuSupported = hw->HasMmu;\n"
                 "caps->MemoryManagementCaps.IoMmuSupported = !hw->HasMmu && hw->HasPasid;\n",
    },
    {
        RULE(477, DRIVER, IMPLIED, START_FAILS),
        .statement = "The functions that a reported capability needs are there: those that map a "
                     "CPU host aperture, those of processes and virtual submissions with "
                     "GpuMmuSupported or IoMmuSupported, that of root page tables with "
                     "GpuMmuSupported, those of exclusive access with IoMmuSecureModeSupported, "
                     "DxgkDdiPatch and DxgkDdiSubmitCommand without virtual addresses, those of "
                     "contexts with MultiEngineAware, DxgkDdiCancelCommand with "
                     "CancelCommandAware, those of engines with SupportPerEngineTDR, "
                     "DxgkDdiRenderKm with SupportKernelModeCommandBuffer, those of "
                     "swizzling ranges with NumberOfSwizzlingRanges, those of memory bases with "
                     "DirtyBitTrackingSupported, those of migrations with LiveMigration, and, with "
                     "video present sources, those of VidPNs, "
                     "DxgkDdiStopDeviceAndReleasePostDisplayOwnership with SupportNonVGA, "
                     "DxgkDdiUpdateActiveVidPnPresentPath with SupportSmoothRotation and those of "
                     "pointers with PointerCaps, and those that each compute-only driver has with "
                     "ComputeOnly. A driver that does more than display has those of "
                     "queries, devices, allocations and paging buffers.",
        .page = "mcdm-implementation-guidelines",
        .how = "The slots of the driver's table, when the capability is reported. The page lists "
               "them for compute-only drivers; without the function the capability is of no use to "
               "others either. DxgkDdiGetRootPageTableSize serves roots of two levels alone, and "
               "work of other drivers may come without DxgkDdiRender (DxgkDdiPresent): both are "
               "asked for of compute-only drivers. Those of contexts and of cancelling are on "
               "ns-d3dkmddi-_dxgk_vidschcaps, those of engines on tdr-changes-in-windows-8, those "
               "of SupportNonVGA, SupportSmoothRotation and PointerCaps on "
               "ns-d3dkmddi-_dxgk_drivercaps, that of GDI "
               "on ns-d3dkmddi-_dxgk_presentationcaps; a driver with virtual addresses has "
               "another (DxgkDdiRenderGdi). An "
               "adapter that only renders may set the first two (wddm-driver-and-feature-caps: not "
               "applicable).",
        .why = "The system calls what the capability promises.",
        .windows = "No page tells; a driver that left slots NULL ended in Code 43.",
        .windows_source = RECORD("W6"),
        .wrong = "caps->MemoryManagementCaps.GpuMmuSupported = 1;\n"
                 "/* and in DriverEntry */\n"
                 "data.DxgkDdiGetRootPageTableSize = NULL; /* of one size anyway */\n",
        .right = "data.DxgkDdiSetRootPageTable = SetRootPageTable;\n"
                 "data.DxgkDdiGetRootPageTableSize = GetRootPageTableSize;\n",
    },
    {
        RULE(600, DRIVER, IMPLIED, DEVICE_LOST),
        .statement = "A driver that gets work has DxgkDdiPreemptCommand and, unless it is "
                     "compute-only, DxgkDdiQueryCurrentFence.",
        .page = "timeout-detection-and-recovery",
        .how = "The slots of the driver's table, when it is asked for its capabilities and has "
               "DxgkDdiBuildPagingBuffer. mcdm-implementation-guidelines has the first among the "
               "least that a compute-only driver supplies, and the second among what it leaves "
               "out; nc-d3dkmddi-dxgkddi_querycurrentfence says when a system calls it.",
        .why = "The scheduler preempts what takes too long before it resets the adapter, and asks "
               "for the fence of work whose interrupt it waits for in vain.",
        .windows = "Not known. Work that takes long cannot be preempted, and a lost interrupt is a "
                   "time-out.",
        .windows_source = NOT_KNOWN,
        .wrong = "data.DxgkDdiSubmitCommand = SubmitCommand;\n"
                 "/* buffers are short: nothing to preempt */\n",
        .right = "data.DxgkDdiSubmitCommand = SubmitCommand;\n"
                 "data.DxgkDdiPreemptCommand = PreemptCommand; /* behind what is queued */\n"
                 "data.DxgkDdiQueryCurrentFence = QueryCurrentFence;\n",
    },
    {
        RULE(635, DRIVER, IMPLIED, DEVICE_LOST),
        .statement = "A driver has both DxgkDdiResetFromTimeout and DxgkDdiRestartFromTimeout, or "
                     "neither.",
        .page = "timeout-detection-and-recovery",
        .how = "The slots of the driver's table, when it is asked for its capabilities and has "
               "DxgkDdiBuildPagingBuffer.",
        .why = "The system resets the adapter by the one and goes on by the other.",
        .windows = "Not known. An adapter that is reset and not started again does no more work.",
        .windows_source = NOT_KNOWN,
        .wrong = "data.DxgkDdiResetFromTimeout = ResetFromTimeout;\n",
        .right = "data.DxgkDdiResetFromTimeout = ResetFromTimeout;\n"
                 "data.DxgkDdiRestartFromTimeout = RestartFromTimeout;\n",
    },
    {
        RULE(636, DRIVER, DOCUMENTED, START_FAILS),
        .reach = VIDMM_REACH_ANSWER,
        .statement = "WDDMVersion of DXGK_DRIVERCAPS is a value of DXGK_WDDMVERSION.",
        .page = "ns-d3dkmddi-_dxgk_drivercaps",
        .how = "WDDMVersion of an answer that has it, from Windows 7 on. Versions that are later "
               "than those that are known are let pass, and 0, which says none, is left to what "
               "was seen of it.",
        .why = "The system calls what the version has.",
        .windows = "Not known.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->WDDMVersion = ApertureBytes;\n",
        .right = "caps->WDDMVersion = DXGKDDI_WDDMv1_3;\n",
    },
    {
        RULE(478, DRIVER, DOCUMENTED, START_FAILS),
        .reach = VIDMM_REACH_ANSWER,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_6,
        .statement = "A compute-only driver has no functions for displays, overlays, presentation "
                     "or swizzling ranges.",
        .page = "mcdm-implementation-guidelines",
        .how = "The slots of the page's list, when ComputeOnly is reported.",
        .why = "They would be code that no system ever calls.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "data = g_DisplayTable; /* shared with the graphics driver */\n",
        .right = "RtlZeroMemory(&data, sizeof(data));\n"
                 "data.DxgkDdiQueryAdapterInfo = QueryAdapterInfo;\n",
    },
    {
        RULE(480, DRIVER, DOCUMENTED, START_FAILS),
        .reach = VIDMM_REACH_ANSWER,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_6,
        .statement = "A compute-only driver reports WDDM 2.6 or later in WDDMVersion.",
        .page = "mcdm-implementation-guidelines",
        .how = "WDDMVersion of DXGK_DRIVERCAPS, when ComputeOnly is reported.",
        .why = "There is no such driver before.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->WDDMVersion = DXGKDDI_WDDMv2;\n",
        .right = "caps->WDDMVersion = DXGKDDI_WDDMv2_6;\n",
    },
    {
        RULE(656, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_6,
        .statement = "A compute-only driver sets MultiEngineAware, PreemptionAware, "
                     "LowIrqlPreemptCommand and SupportPerEngineTDR, and a "
                     "ComputePreemptionGranularity other than NONE.",
        .page = "mcdm-implementation-guidelines",
        .how = "The members of DXGK_DRIVERCAPS are looked at when ComputeOnly is set.",
        .why = "The system schedules, preempts and resets the work of such an adapter by engines, "
               "and calls DxgkDdiPreemptCommand at a low IRQL.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->MiscCaps.ComputeOnly = 1; /* and no SchedulingCaps */\n",
        .right = "caps->SchedulingCaps.MultiEngineAware = 1;\n"
                 "caps->SchedulingCaps.PreemptionAware = 1;\n"
                 "caps->SchedulingCaps.LowIrqlPreemptCommand = 1;\n"
                 "caps->SupportPerEngineTDR = TRUE;\n",
    },
    {
        RULE(481, DRIVER, DOCUMENTED, START_FAILS),
        .severity_source = THE_PAGE,
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "PreemptionAware and CancelCommandAware are set only with MultiEngineAware, "
                     "NoDmaPatching only with both PreemptionAware and MultiEngineAware.",
        .page = "ns-d3dkmddi-_dxgk_vidschcaps",
        .how = "SchedulingCaps of DXGK_DRIVERCAPS.",
        .why = "All of them are about packets of contexts, which a driver without MultiEngineAware "
               "does not have.",
        .windows = "The driver's initialisation is halted with a failure.",
        .windows_source = THE_PAGE,
        .wrong = "caps->SchedulingCaps.PreemptionAware = 1;\n",
        .right = "caps->SchedulingCaps.MultiEngineAware = 1;\n"
                 "caps->SchedulingCaps.PreemptionAware = 1;\n",
    },
    {
        RULE(549, DRIVER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "A driver with PreemptionAware reports a granularity of preemption other than "
                     "NONE: of graphics work if it has a node of type 3D, else of graphics or of "
                     "compute work.",
        .page = "ne-d3dkmdt-_d3dkmdt_graphics_preemption_granularity",
        .how = "SchedulingCaps and PreemptionCaps of DXGK_DRIVERCAPS; stage query asks "
               "DxgkDdiGetNodeMetadata for the types of nodes.",
        .why =
            "NONE says that not even waiting DMA buffers can be kept from running, which is what "
            "PreemptionAware promises.",
        .windows = "Whether Windows compares the two is not known.",
        .windows_source = NOT_KNOWN,
        .wrong =
            "caps->SchedulingCaps.PreemptionAware = 1; /* and PreemptionCaps is left zero */\n",
        .right = "caps->SchedulingCaps.PreemptionAware = 1;\n"
                 "caps->PreemptionCaps.GraphicsPreemptionGranularity =\n"
                 "    D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;\n",
    },
    {
        RULE(564, DRIVER, DOCUMENTED, CREATION_FAILS),
        .statement =
            "DmaBufferSize and AllocationListSize of a context of an application are not 0 where "
            "DxgkDdiRender or DxgkDdiPresent builds its commands by physical addresses.",
        .page = "ns-d3dkmddi-_dxgk_contextinfo",
        .how = "Both members are looked at after DxgkDdiCreateContext of a driver without "
               "VirtualAddressingSupported.",
        .why = "The page has them large enough for at least one rectangle in one DMA buffer; in "
               "none nothing "
               "can be built.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong =
            "args->ContextInfo.DmaBufferSegmentSet = 0; /* and nothing else of ContextInfo */\n",
        .right = "args->ContextInfo.DmaBufferSize = 4 * PAGE_SIZE;\n"
                 "args->ContextInfo.AllocationListSize = 256;\n",
    },
};
