/*
 * group_a.c - R1 to R31: querying the adapter and its segments.
 *
 * How DxgkDdiQueryAdapterInfo is asked and answered; what the answers say of a segment is
 * in group_b_kind.c and group_b_memory.c, of the paging buffer and of capabilities in group_c.c.
 */
#define GROUP 'A'
#include "groups.h"

const struct vidmm_rule rules_a[] = {
    {
        RULE(1, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "The segments of a physical adapter are asked for by two calls, the first for "
                     "their number and the second for their descriptors.",
        .page = "initializing-use-of-memory-segments",
        .how = "The calls are counted for each physical adapter: a call with an array must follow "
               "one without. A second call that never comes is no finding. The page is about "
               "versions 1 and 3, ns-d3dkmddi-_dxgk_querysegmentout4 says the same of version 4.",
        .why = "Drivers count their segments in the first call; without it the second one fills an "
               "array of a size that nobody agreed on.",
        .windows = "The system always makes both calls.",
        .windows_source = THE_PAGE,
        .wrong = "out.NbSegment = 8; /* should be enough */\n"
                 "out.pSegmentDescriptor = array;\n"
                 "query(adapter, &args);\n",
        .right = "query(adapter, &args); /* count */\n"
                 "out.pSegmentDescriptor = calloc(out.NbSegment, stride);\n"
                 "query(adapter, &args); /* content */\n",
    },
    {
        RULE(2, MANAGER, DISPUTED, CORRUPTION),
        .last = LAST_WDDM1,
        .statement =
            "The first call of QUERYSEGMENT and QUERYSEGMENT3 has a NULL pSegmentDescriptor.",
        .page = "initializing-use-of-memory-segments",
        .how = "The output structure is looked at before the driver gets it.",
        .why =
            "Versions 1 and 3 tell their two calls apart by this pointer alone, because NbSegment "
            "is not said to be zero.",
        .windows = "The system passes NULL.",
        .windows_source = THE_PAGE,
        .wrong = "out.NbSegment = 0;\n"
                 "out.pSegmentDescriptor = array; /* the driver takes this for the second call */\n"
                 "query(adapter, &args);\n",
        .right = "memset(&out, 0, sizeof(out));\n"
                 "query(adapter, &args);\n",
        .readings =
            "first-call=null: the first call of QUERYSEGMENT4 has NbSegment 0 and no array; "
            "first-call=count-only: it has an array, and NbSegment 0 alone tells that it is the "
            "first. "
            "Versions 1 and 3 have only the first of the two.",
    },
    {
        RULE(3, DRIVER, DOCUMENTED, PERFORMANCE),
        .severity_source = RECORD("W31"),
        .last = LAST_WDDM1,
        .statement =
            "In the first call of QUERYSEGMENT or QUERYSEGMENT3 the driver writes NbSegment "
            "and nothing else.",
        .page = "initializing-use-of-memory-segments",
        .how = "The members other than NbSegment are compared before and after the first call.",
        .why = "There is no array yet, and the other members are asked for in the second call.",
        .windows = "Descriptors written in the count pass did not keep a driver from starting; an "
                   "array written through a NULL pointer is a bugcheck.",
        .windows_source = RECORD("W31"),
        .wrong = "out->NbSegment = 2;\n"
                 "out->pSegmentDescriptor[0].Size = ctx->VramSize; /* NULL in this call */\n",
        .right = "out->NbSegment = 2;\n"
                 "if (!out->pSegmentDescriptor)\n"
                 "    return STATUS_SUCCESS;\n",
    },
    {
        RULE(4, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The first call of QUERYSEGMENT4 has NbSegment 0.",
        .page = "ns-d3dkmddi-_dxgk_querysegmentout4",
        .how = "NbSegment is looked at before the driver gets the first call.",
        .why = "It is the only sign of the first call that the page of version 4 names.",
        .windows = "The system passes 0.",
        .windows_source = THE_PAGE,
        .wrong = "DXGK_QUERYSEGMENTOUT4 out; /* NbSegment is whatever was on the stack */\n"
                 "query(adapter, &args);\n",
        .right = "DXGK_QUERYSEGMENTOUT4 out = {0};\n"
                 "query(adapter, &args);\n",
    },
    {
        RULE(5, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "In the first call of QUERYSEGMENT4 the driver sets NbSegment, returns "
                     "STATUS_SUCCESS and touches no other member.",
        .page = "ns-d3dkmddi-_dxgk_querysegmentout4",
        .how = "Status and members are compared before and after the first call; with --reading "
               "first-call=count-only the array lies behind it, and must stay as it was.",
        .why =
            "Public drivers recognise the first call by the NULL pointer; one that gets a pointer "
            "there fills an array meant for zero segments.",
        .windows = "Any other status ends the start of the adapter; writes through the pointer hit "
                   "memory that is not the driver's.",
        .wrong = "if (!out->pSegmentDescriptor) { /* the page speaks of NbSegment */\n"
                 "    out->NbSegment = ctx->Segments;\n"
                 "    return STATUS_SUCCESS;\n"
                 "}\n",
        .right = "if (out->NbSegment == 0 || !out->pSegmentDescriptor) {\n"
                 "    out->NbSegment = ctx->Segments;\n"
                 "    return STATUS_SUCCESS;\n"
                 "}\n",
    },
    {
        RULE(6, MANAGER, DOCUMENTED, CORRUPTION),
        .statement =
            "The second call of a segment query has the NbSegment that the first returned.",
        .page = "ns-d3dkmddi-_dxgk_querysegmentout4",
        .how = "NbSegment of the second call is compared with what the first one left.",
        .why = "The driver takes NbSegment for the length of the array; a wrong one makes it write "
               "too much or report too little.",
        .windows = "The system passes the number back.",
        .windows_source = THE_PAGE,
        .wrong = "args.pOutputData = &second; /* a fresh structure: NbSegment is 0 again */\n"
                 "query(adapter, &args);\n",
        .right = "second.NbSegment = first.NbSegment;\n"
                 "second.pSegmentDescriptor = array;\n"
                 "query(adapter, &args);\n",
    },
    {
        RULE(7, DRIVER, DOCUMENTED, START_FAILS),
        .statement = "The number of segments is the same in both calls of a query.",
        .page = "initializing-use-of-memory-segments",
        .how = "NbSegment after the second call is compared with NbSegment after the first, and a "
               "second "
               "call with that number must not be answered with STATUS_INVALID_PARAMETER.",
        .why =
            "The array was sized by the first answer; a driver whose count and content disagreed "
            "got STATUS_NO_MEMORY at start.",
        .windows = "The adapter does not start.",
        .wrong =
            "out->NbSegment = ctx->BarMapped ? 3 : 2; /* the BAR is mapped between the calls */\n",
        .right = "out->NbSegment = ctx->Segments; /* decided once, in StartDevice */\n",
    },
    {
        RULE(8, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "The descriptors of QUERYSEGMENT4 lie SegmentDescriptorStride bytes apart, not "
            "sizeof(DXGK_SEGMENTDESCRIPTOR4).",
        .page = "ns-d3dkmddi-_dxgk_querysegmentout4",
        .how =
            "A stride larger than the structure is given, and the gaps between the elements must "
            "keep their canaries; stage query also gives the length that the structure has at the "
            "driver's interface version, and nothing behind the last element may be written.",
        .why =
            "The structure grew with the versions, so system and driver may have different sizes "
            "of it. A driver that walked by sizeof was stopped without a word after the second "
            "query.",
        .windows = "It reads shifted descriptors and stops the adapter.",
        .wrong =
            "DXGK_SEGMENTDESCRIPTOR4 *d = (DXGK_SEGMENTDESCRIPTOR4 *)out->pSegmentDescriptor;\n"
            "d[1].Size = ctx->ApertureSize;\n",
        .right = "DXGK_SEGMENTDESCRIPTOR4 *d = (DXGK_SEGMENTDESCRIPTOR4 *)\n"
                 "    (out->pSegmentDescriptor + 1 * out->SegmentDescriptorStride);\n"
                 "d->Size = ctx->ApertureSize;\n",
    },
    {
        RULE(9, MANAGER, IMPLIED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "SegmentDescriptorStride is at least the size of the descriptor of the driver's "
            "version, and the array has NbSegment of them.",
        .page = "ns-d3dkmddi-_dxgk_querysegmentout4",
        .how = "The stride of the second call is compared with the smallest descriptor that the "
               "version has; how long the array is cannot be seen.",
        .why = "A driver writes whole descriptors; with a smaller stride each overwrites the next, "
               "and the last one what lies behind the array.",
        .windows = "The system's stride is the size of its own descriptor.",
        .wrong = "out.SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR3);\n",
        .right = "out.SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR4);\n"
                 "out.pSegmentDescriptor = calloc(out.NbSegment, out.SegmentDescriptorStride);\n",
    },
    {
        RULE(10, DRIVER, DOCUMENTED, START_FAILS),
        .statement = "In the second call the driver fills every member of the output structure, of "
                     "version 4 all that is required, and each descriptor.",
        .page = "initializing-use-of-memory-segments",
        .how = "The members get a canary before the second call, and none may still hold it after; "
               "an element of the array is cleared, and may not still be. Any value passes, 0 "
               "included. The page is about versions 1 and 3; for version 4 "
               "ns-d3dkmddi-_dxgk_querysegmentout4 asks for all that is required, and the members "
               "of the paging buffer are taken for that.",
        .why = "The paging buffer is created from these members; what was left unset is a random "
               "segment and a random size.",
        .windows = "It uses what is there: usually zero.",
        .wrong = "FillSegments(ctx, out->pSegmentDescriptor);\n"
                 "return STATUS_SUCCESS; /* no PagingBufferSize */\n",
        .right = "FillSegments(ctx, out->pSegmentDescriptor);\n"
                 "out->PagingBufferSegmentId = 0;\n"
                 "out->PagingBufferSize = 64 * 1024;\n"
                 "out->PagingBufferPrivateDataSize = 0;\n",
    },
    {
        RULE(11, MANAGER, DOCUMENTED, BUGCHECK),
        .last = LAST_WDDM1,
        .statement = "Both calls of QUERYSEGMENT and QUERYSEGMENT3 have a DXGK_QUERYSEGMENTIN as "
                     "input.",
        .page = "initializing-use-of-memory-segments",
        .how = "pInputData and InputDataSize are looked at in both calls.",
        .why = "Drivers look for the AGP aperture there without a check for NULL.",
        .windows = "The system passes it, with zeros where there is no AGP.",
        .windows_source = THE_PAGE,
        .wrong = "args.pInputData = NULL; /* no AGP here */\n",
        .right = "DXGK_QUERYSEGMENTIN in = {0};\n"
                 "args.pInputData = &in;\n"
                 "args.InputDataSize = sizeof(in);\n",
    },
    {
        RULE(12, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The input of QUERYSEGMENT4 is a DXGK_QUERYSEGMENTIN4 that names an existing "
                     "physical adapter, 0 where adapters are not linked.",
        .page = "ns-d3dkmddi-_dxgk_querysegmentin4",
        .how = "The index is compared with the number of devices in the chain.",
        .why =
            "A driver of linked adapters takes its per-adapter data from an array at this index.",
        .windows = "The system asks for each index once.",
        .wrong = "in.PhysicalAdapterIndex = 1; /* counted from one */\n",
        .right = "for (UINT i = 0; i < adapters; i++) {\n"
                 "    in.PhysicalAdapterIndex = i;\n"
                 "    query_segments(&in);\n"
                 "}\n",
    },
    {
        RULE(13, MANAGER, DOCUMENTED, START_FAILS),
        .last = LAST_WDDM1,
        .statement =
            "Where there is no AGP aperture or no GART driver, the AGP members of the input "
            "are zero.",
        .page = "initializing-use-of-memory-segments",
        .how =
            "The input is looked at in both calls: an aperture without size must have no base and "
            "no flags either.",
        .why = "The driver reports an AGP segment by these members, and one that does not exist "
               "stops the adapter.",
        .windows = "The members are zero.",
        .windows_source = THE_PAGE,
        .wrong = "DXGK_QUERYSEGMENTIN in; /* uninitialised */\n"
                 "args.pInputData = &in;\n",
        .right = "DXGK_QUERYSEGMENTIN in = {0};\n"
                 "args.pInputData = &in;\n",
    },
    {
        RULE(14, DRIVER, DOCUMENTED, START_FAILS),
        .severity_source = THE_PAGE,
        .statement = "A driver that was told of no AGP aperture reports no AGP segment.",
        .page = "initializing-use-of-memory-segments",
        .how = "Flags.Agp of each descriptor is compared with AgpApertureSize of the input.",
        .why =
            "An old driver with a fixed segment table does not start on any machine without AGP, "
            "which is every machine today.",
        .windows = "The adapter does not start.",
        .windows_source = THE_PAGE,
        .wrong = "d[1].Flags.Agp = 1; /* always */\n",
        .right = "const DXGK_QUERYSEGMENTIN *in = args->pInputData;\n"
                 "if (in->AgpApertureSize.QuadPart != 0)\n"
                 "    d[1].Flags.Agp = 1;\n",
    },
    {
        RULE(15, MANAGER, DOCUMENTED, CORRUPTION),
        .statement =
            "The manager does not start an adapter whose driver reports an AGP segment where "
            "there is no AGP aperture.",
        .page = "initializing-use-of-memory-segments",
        .how = "After such an answer no allocation may be created and nothing paged.",
        .why = "There is nothing behind the segment; whatever is put there is lost.",
        .windows = "The adapter does not start.",
        .windows_source = THE_PAGE,
        .wrong = "if (d->Flags.Agp && in.AgpApertureSize.QuadPart == 0)\n"
                 "    d->Size = 0; /* and go on */\n",
        .right = "if (d->Flags.Agp && in.AgpApertureSize.QuadPart == 0)\n"
                 "    return fail_start(adapter);\n",
    },
    {
        RULE(16, BOTH, DOCUMENTED, CORRUPTION),
        .statement = "The id of a segment is its position in the reported array, counted from 1 "
                     "and of five bits, and each allocation has a reported segment that supports "
                     "it.",
        .page = "ns-d3dkmddi-_dxgk_querysegmentout4",
        .how = "Every segment id in an answer or in an allocation list must be 0 or at most "
               "NbSegment. What follows from it is judged with it: NbSegment is 1 to 31, segment "
               "sets have bits of reported segments alone, and the supported one has such a bit.",
        .why =
            "Counted from 0, each id names the neighbour: content goes to an aperture instead of "
            "video memory.",
        .windows = "It rejects ids that do not exist and takes the others at their word.",
        .wrong = "info->PreferredSegment.SegmentId0 = VRAM_INDEX; /* 0: no preference at all */\n",
        .right = "info->PreferredSegment.SegmentId0 = VRAM_INDEX + 1;\n",
    },
    {
        RULE(17, BOTH, DOCUMENTED, CORRUPTION),
        .statement = "Bit n of a segment set stands for segment n + 1.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how =
            "Sets must have no bit at or above NbSegment, and content must not arrive in a segment "
            "whose id, and not whose id - 1, is a bit of the set.",
        .why = "Ids count from 1 and bits from 0; mixing them places an allocation in the wrong "
               "segment without any error.",
        .windows =
            "It places allocations where the bits say and fails the creation when a bit names "
            "no segment.",
        .wrong = "info->SupportedWriteSegmentSet = 1u << VRAM_ID;\n",
        .right = "info->SupportedWriteSegmentSet = 1u << (VRAM_ID - 1);\n",
    },
    {
        RULE(18, BOTH, DISPUTED, CORRUPTION),
        .statement = "System memory is segment 0 and the driver does not report it.",
        .page = "gpu-segments",
        .how =
            "No CpuVisible segment may lie in system memory, and a DMA buffer that is said to be "
            "in segment 0 must.",
        .why =
            "Host memory was awaited under one number and delivered under another (0, 31, one more "
            "than the last): the page tables pointed at nothing.",
        .windows = "It delivers 0.",
        .windows_source = RECORD("W16"),
        .wrong = "d[2].Flags.PopulatedFromSystemMemory = 1; /* all of RAM as a segment */\n"
                 "d[2].Size = TotalPhysicalMemory;\n",
        .right = "if (op->Transfer.Source.SegmentId == 0)\n"
                 "    CopyFromMdl(ctx, op->Transfer.Source.pMdl);\n",
        .readings =
            "system-segment=zero: system memory is segment 0 everywhere; "
            "system-segment=count-plus-one: the driver's page tables name it NbSegment + 1, "
            "as one sample driver does.",
    },
    {
        RULE(19, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "Number and types of the segments do not change while the adapter is started.",
        .page = "using-memory-segments-to-describe-the-gpu-address-space",
        .how = "A later pair of queries after the same DxgkDdiStartDevice must get as many "
               "descriptors, with Aperture and Agp as before. Base, size, limits and the other "
               "flags may differ after a resized BAR, and what they are is judged anew.",
        .why = "The memory manager plans by the first answer for as long as the adapter runs.",
        .windows = "No page tells; vidmm's manager goes on with the first answer.",
        .windows_source = NOT_KNOWN,
        .wrong = "out->NbSegment = 0;\n"
                 "if (ctx->VramFree > MIN_SEGMENT) /* depends on what is in use */\n"
                 "    AddSegment(out, ctx->VramFree);\n",
        .right = "AddSegment(out, ctx->VramSize); /* read from hardware once */\n",
    },
    {
        RULE(601, DRIVER, IMPLIED, CORRUPTION),
        .statement = "An adapter that is stopped, removed and started again with the same "
                     "resources has the same segments as before.",
        .page = "using-memory-segments-to-describe-the-gpu-address-space",
        .how =
            "Stage start starts the driver twice in one process, and compares the number of "
            "segments, and BaseAddress, CpuTranslatedAddress and flags of each. Sizes and limits "
            "may follow the memory of the machine.",
        .why = "The image of a driver stays loaded when a device goes, and serves all adapters of "
               "its kind: what differs is kept in a variable that belongs to no adapter, and the "
               "other functions compute with something else.",
        .windows = "Not known; a system asks anew in each start.",
        .windows_source = NOT_KNOWN,
        .wrong = "static BOOLEAN Described; /* of the first adapter alone */\n"
                 "if (!Described) { d->BaseAddress.QuadPart = VRAM_BASE; Described = TRUE; }\n",
        .right = "d->BaseAddress.QuadPart = VRAM_BASE;\n",
    },
    {
        RULE(654, DRIVER, DOCUMENTED, CORRUPTION),
        .advice = true,
        .statement = "What a driver keeps of an adapter is in the context block that "
                     "DxgkDdiAddDevice made for it: another adapter of the driver changes nothing "
                     "of its work.",
        .page = "nc-dispmprt-dxgkddi_add_device",
        .how =
            "Advice: in a pause of a short workload stage adapters starts a second adapter on "
            "another "
            "board, "
            "not linked; the second then has its workload, in a pause of which the first is "
            "removed. A rule of the driver's that is broken then, and was kept before, is told "
            "as this one, and so is a crash. Whether a system may have two such devices is in no "
            "call, so that the "
            "finding counts only when it is asked for (--only, --fail-on). A driver that refuses "
            "the second adapter, with MiniportDeviceContext NULL or a failure, is not examined.",
        .why = "The image of a driver is loaded once and serves all adapters of its kind: a "
               "global variable has the values of the newest.",
        .windows = "Interrupts of one adapter are looked for in the other, and its work times "
                   "out.",
        .wrong = "static struct adapter *Newest;\n"
                 "BOOLEAN InterruptRoutine(PVOID Context, ULONG Message) {\n"
                 "    return Serve(Newest);\n",
        .right = "BOOLEAN InterruptRoutine(PVOID Context, ULONG Message) {\n"
                 "    return Serve(Context);\n",
    },
    {
        RULE(20, DRIVER, DOCUMENTED, CORRUPTION),
        .severity_source = RECORD("W29"),
        .statement = "Segments do not overlap in the GPU's address space.",
        .page = "using-memory-segments-to-describe-the-gpu-address-space",
        .how = "The ranges from BaseAddress on, Size bytes long, are compared with each other.",
        .why =
            "Each segment is managed by itself, so two allocations end up in the same bytes. Two "
            "segments at one address were found as corruption long after.",
        .windows = "It does not notice: two segments at one address started on 7 to 10, and "
                   "content was lost at times.",
        .windows_source = RECORD("W29"),
        .wrong = "d[0].BaseAddress.QuadPart = 0; d[0].Size = Vram;\n"
                 "d[1].BaseAddress.QuadPart = 0; d[1].Size = Aperture;\n",
        .right = "d[0].BaseAddress.QuadPart = 0;    d[0].Size = Vram;\n"
                 "d[1].BaseAddress.QuadPart = Vram; d[1].Size = Aperture;\n",
    },
    {
        RULE(21, DRIVER, DISPUTED, PERFORMANCE),
        .severity_source = RECORD("W26"),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A graphics adapter of WDDM 2.0 and later has exactly one aperture segment; a "
                     "compute-only one may have none.",
        .page = "gpu-segments",
        .how = "Descriptors with Flags.Aperture are counted; none is accepted of a ComputeOnly "
               "adapter.",
        .why = "The aperture is how an allocation is put into system memory. A second one is the "
               "relic "
               "of a driver for an earlier version.",
        .windows = "A driver for compute without an aperture segment started on 10, ran and paged.",
        .readings = "vidmm takes one reading: exactly one, as gpu-segments says. A full driver "
                    "without any was seen to start and page (W26).",
        .windows_source = RECORD("W26"),
        .wrong = "d[0].Flags.Aperture = 1; /* for rendering */\n"
                 "d[1].Flags.Aperture = 1; /* for eviction, as in WDDM 1.x */\n",
        .right = "d[0].Flags.Aperture = 1;\n"
                 "d[0].Flags.CacheCoherent = 1;\n",
    },
    {
        RULE(22, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_6,
        .statement = "A compute-only driver answers QUERYSEGMENT4 and refuses the older segment "
                     "queries.",
        .page = "mcdm-implementation-guidelines",
        .how = "The statuses of all segment queries are looked at once the driver reported "
               "ComputeOnly.",
        .why =
            "The older structures cannot describe what a compute-only adapter has; answering them "
            "means code that nobody tests.",
        .windows = "It asks only for QUERYSEGMENT4.",
        .wrong = "case DXGKQAITYPE_QUERYSEGMENT:\n"
                 "case DXGKQAITYPE_QUERYSEGMENT4:\n"
                 "    return QuerySegments(ctx, args);\n",
        .right = "case DXGKQAITYPE_QUERYSEGMENT4:\n"
                 "    return QuerySegments4(ctx, args);\n"
                 "default:\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
    },
    {
        RULE(23, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_6,
        .statement = "A compute-only driver with GPU virtual addresses answers GPUMMUCAPS and "
                     "PAGETABLELEVELDESC.",
        .page = "mcdm-implementation-guidelines",
        .how = "Both queries must succeed when GpuMmuSupported and ComputeOnly are reported.",
        .why = "Without them no page table can be laid out, so no process gets an address space.",
        .windows = "The adapter does not start.",
        .wrong = "caps->MemoryManagementCaps.GpuMmuSupported = 1;\n"
                 "/* no case for DXGKQAITYPE_PAGETABLELEVELDESC */\n",
        .right = "case DXGKQAITYPE_GPUMMUCAPS:\n"
                 "    return QueryGpuMmuCaps(ctx, args->pOutputData);\n"
                 "case DXGKQAITYPE_PAGETABLELEVELDESC:\n"
                 "    return QueryPageTableLevel(ctx, args->pInputData, args->pOutputData);\n",
    },
    {
        RULE(24, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_6,
        .statement = "A compute-only driver that reported invalid memory ranges answers "
                     "SEGMENTMEMORYSTATE.",
        .page = "mcdm-implementation-guidelines",
        .how = "The query must succeed for each segment with NumInvalidMemoryRanges other than 0.",
        .why =
            "A number of bad ranges without the ranges is of no use: nothing can be placed safely.",
        .windows = "No page tells; the segment cannot be used without the ranges.",
        .windows_source = NOT_KNOWN,
        .wrong = "d->NumInvalidMemoryRanges = ctx->BadPages;\n"
                 "/* SEGMENTMEMORYSTATE: STATUS_INVALID_PARAMETER */\n",
        .right = "case DXGKQAITYPE_SEGMENTMEMORYSTATE:\n"
                 "    return QueryBadRanges(ctx, args->pOutputData);\n",
    },
    {
        RULE(25, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_6,
        .statement =
            "A compute-only driver leaves ApertureSegmentCommitLimit, "
            "NumberOfSwizzlingRanges, MaxAllocationListSlotId, the capabilities "
            "OutOfOrderLock, SectionBackedPrimary, ReplicateGdiContent and "
            "NonCpuVisiblePrimary, and those of presents, flips, pointers, overlays, gamma "
            "and displays zero.",
        .page = "mcdm-implementation-guidelines",
        .how = "The members of DXGK_DRIVERCAPS are looked at when ComputeOnly is set.",
        .why = "They speak of a display, of GDI and of DMA-buffer patching, none of which such an "
               "adapter has.",
        .windows = "No page tells what is done about one that is set.",
        .windows_source = NOT_KNOWN,
        .wrong = "*caps = g_DisplayCaps; /* shared with the graphics driver */\n"
                 "caps->MiscCaps.ComputeOnly = 1;\n",
        .right = "RtlZeroMemory(caps, args->OutputDataSize);\n"
                 "caps->MiscCaps.ComputeOnly = 1;\n"
                 "caps->WDDMVersion = DXGKDDI_WDDMv2_6;\n",
    },
    {
        RULE(26, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_6,
        .statement = "A compute-only driver has linear memory and linear aperture segments only.",
        .page = "mcdm-implementation-guidelines",
        .how = "Its descriptors must have none of the flags Agp, UseBanking and PitchAlignment.",
        .why = "The other kinds exist for display and old bus hardware and are not supported here.",
        .windows = "No page tells; such segments are not supported.",
        .windows_source = NOT_KNOWN,
        .wrong = "d->Flags.PitchAlignment = 1;\n",
        .right = "d->Flags.Value = 0; /* linear memory */\n"
                 "d->Flags.CpuVisible = 1;\n",
    },
    {
        RULE(27, DRIVER, DISPUTED, START_FAILS),
        .severity_source = RECORD("W1, W7, W28"),
        .statement = "DxgkDdiQueryAdapterInfo returns STATUS_SUCCESS, STATUS_INVALID_PARAMETER, "
                     "STATUS_NO_MEMORY or STATUS_GRAPHICS_DRIVER_MISMATCH, or what the page of one "
                     "query adds.",
        .page = "nc-d3dkmddi-dxgkddi_queryadapterinfo",
        .how = "The status of every query is compared with the list.",
        .why =
            "An unknown query answered STATUS_NOT_SUPPORTED stopped the adapter; to find out took "
            "eleven runs on a board.",
        .windows =
            "WDDM 1.3 on 22621: it complained of an invalid status code of the driver, and "
            "the device ended up with Code 43. On 7 and 8 another driver left "
            "HISTORYBUFFERPRECISION unanswered and started; for PHYSICALADAPTERCAPS there is "
            "R535.",
        .readings = "vidmm takes one reading: the page's list. Systems were seen to refuse another "
                    "status (W7) and to start in spite of it (W28), depending on the version "
                    "and on the query.",
        .windows_source = RECORD("W1, W7, W28"),
        .wrong = "default:\n"
                 "    return STATUS_NOT_SUPPORTED;\n",
        .right = "default:\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
    },
    {
        RULE(609, DRIVER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
        .statement = "PrecisionBits of HISTORYBUFFERPRECISION is 0, or 32 to 64, for each node.",
        .page = "ns-d3dkmddi-_dxgkarg_historybufferprecision",
        .how =
            "Each element of an answer is compared with the ranges. Stage query asks for as many "
            "as there are nodes.",
        .why =
            "The value says which time stamps the driver logs, and 0 that it formats them itself.",
        .windows = "The page calls other values invalid, and does not tell what follows.",
        .wrong = "precision->PrecisionBits = 24; /* what the counter has */\n",
        .right = "precision->PrecisionBits = 0; /* DxgkDdiFormatHistoryBuffer makes 64 of 24 */\n",
    },
    {
        RULE(625, DRIVER, IMPLIED, START_FAILS),
        .statement =
            "DRIVERCAPS, PHYSICALADAPTERCAPS of a driver of WDDM 2.0 or later, GPUMMUCAPS of "
            "one that reports GpuMmuSupported, and the first call of QUERYSEGMENT or "
            "QUERYSEGMENT3, whichever its version has, are answered with STATUS_SUCCESS.",
        .page = "nc-d3dkmddi-dxgkddi_queryadapterinfo",
        .how = "The status of these queries, where R27 has it and no memory was refused to the "
               "driver. A refused QUERYSEGMENT4 is R5, a refused second call R7, a level of page "
               "tables R505; R22 and R23 speak of compute-only drivers.",
        .why =
            "The page has the statuses of a failure; without these answers there is nothing that a "
            "system could manage.",
        .windows =
            "Not known. A driver that answered DRIVERCAPS with another error ended with Code "
            "43 (W1).",
        .windows_source = NOT_KNOWN,
        .wrong = "if (args->OutputDataSize < sizeof(DXGK_DRIVERCAPS)) /* of a newer header */\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
        .right = "DXGK_DRIVERCAPS caps = {0};\n"
                 "memcpy(args->pOutputData, &caps, min(args->OutputDataSize, sizeof(caps)));\n",
    },
    {
        RULE(535, DRIVER, DISPUTED, PERFORMANCE),
        .severity_source = RECORD("W26"),
        .statement = "A driver of WDDM 2.0 and later answers PHYSICALADAPTERCAPS.",
        .page = "ns-d3dkmddi-_dxgk_physicaladaptercaps",
        .how = "The status of the query is compared with STATUS_NOT_SUPPORTED.",
        .why =
            "Without it the number of nodes and the node of paging are not known, and neither is "
            "whether page tables are of use.",
        .windows = "A compute driver that answers STATUS_NOT_SUPPORTED starts on Windows 10, runs "
                   "work and pages (W26).",
        .readings =
            "vidmm takes one reading: the query is answered. The list of statuses of "
            "DxgkDdiQueryAdapterInfo (R27) does not have STATUS_NOT_SUPPORTED, and a system "
            "was seen to go on.",
        .windows_source = RECORD("W26"),
        .wrong = "case DXGKQAITYPE_PHYSICALADAPTERCAPS:\n"
                 "    return STATUS_NOT_SUPPORTED;\n",
        .right = "case DXGKQAITYPE_PHYSICALADAPTERCAPS:\n"
                 "    caps->NumExecutionNodes = NODES;\n"
                 "    return STATUS_SUCCESS;\n",
    },
    {
        RULE(545, DRIVER, DOCUMENTED, CORRUPTION),
        .severity_source = RECORD("W31"),
        .statement =
            "DxgkDdiQueryAdapterInfo writes no more than OutputDataSize bytes of an answer.",
        .page = "ns-d3dkmddi-_dxgkarg_queryadapterinfo",
        .how =
            "The bytes behind pOutputData are compared after each query; stage query asks for "
            "DRIVERCAPS with the sizes of older systems, and for UMDRIVERPRIVATE, whose size user "
            "mode chooses (ns-d3dkmthk-_d3dkmt_queryadapterinfo), with a few bytes.",
        .why = "An older system has a shorter structure, and something else behind it.",
        .windows = "A driver that wrote 592 of 552 bytes was seen to start; what lay behind the "
                   "buffer was lost.",
        .windows_source = RECORD("W31"),
        .wrong = "*(DXGK_DRIVERCAPS *)args->pOutputData = caps;\n",
        .right = "RtlCopyMemory(args->pOutputData, &caps,\n"
                 "              min(args->OutputDataSize, sizeof(caps)));\n",
    },
    {
        RULE(623, DRIVER, DOCUMENTED, START_FAILS),
        .reach = VIDMM_REACH_DISPLAY,
        .statement =
            "DxgkDdiQueryChildRelations describes as many children as DxgkDdiStartDevice "
            "said, each with a ChildUid of its own, and leaves the last descriptor zeroed.",
        .page = "nc-dispmprt-dxgkddi_query_child_relations",
        .how = "Stage query asks a driver with children, in a zeroed array of one descriptor more: "
               "ChildDeviceType of each child must be set and their ChildUid differ, and the last "
               "descriptor must be zero.",
        .why = "The system makes a device of each descriptor; ChildUid is the identifier of a "
               "video present target.",
        .windows = "A descriptor of TypeUninitialized is of no child; no page tells what the "
                   "system makes of it.",
        .windows_source = NOT_KNOWN,
        .wrong = "*NumberOfChildren = 2; /* and one descriptor is filled in */\n",
        .right = "*NumberOfChildren = CHILDREN; /* as in query_child_relations() */\n",
    },
    {
        RULE(536, DRIVER, IMPLIED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A model of addresses that DRIVERCAPS has, GpuMmuSupported or IoMmuSupported, "
                     "comes with VirtualAddressingSupported, and is also that of "
                     "PHYSICALADAPTERCAPS and of a node; GpuMmuSupported alone is also that of the "
                     "paging node.",
        .page = "ns-d3dkmdt-_dxgk_nodemetadata",
        .how =
            "Flags of PHYSICALADAPTERCAPS are compared with DRIVERCAPS where adapters are not "
            "linked. Stage query asks each node, and expects the model of one of them; stage start "
            "asks the paging node, whose work is in the paging process's addresses (examples). "
            "Stage "
            "engines asks a node that reported the fault of an address.",
        .why = "The adapter, each physical adapter and each node say it by themselves; the system "
               "may look at any of them.",
        .windows = "No page tells which of them counts. vidmm's manager makes no page tables for a "
                   "physical adapter that does not say it.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->MemoryManagementCaps.GpuMmuSupported = 1;\n"
                 "physical->Flags.Value = 0;\n",
        .right = "caps->MemoryManagementCaps.GpuMmuSupported = 1;\n"
                 "physical->Flags.GpuMmuSupported = 1;\n"
                 "node->GpuMmuSupported = TRUE;\n",
    },
    {
        RULE(580, DRIVER, IMPLIED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "NumExecutionNodes of PHYSICALADAPTERCAPS is NbAsymetricProcessingNodes of "
                     "DRIVERCAPS where adapters are not linked.",
        .page = "ns-d3dkmddi-_dxgk_physicaladaptercaps",
        .how = "The two answers are compared.",
        .why = "Nodes are counted by the one and asked about, and scheduled on, by the other.",
        .windows = "No page tells which of them counts.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->GpuEngineTopology.NbAsymetricProcessingNodes = 1;\n"
                 "physical->NumExecutionNodes = 2;\n",
        .right = "caps->GpuEngineTopology.NbAsymetricProcessingNodes = NODES;\n"
                 "physical->NumExecutionNodes = NODES;\n",
    },
    {
        RULE(28, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "DxgkDdiQueryAdapterInfo may run while the power state changes and answers "
                     "without touching hardware that may be off.",
        .page = "threading-and-synchronization-third-level",
        .how =
            "The same questions are asked again and must get the same answers; what a register "
            "gives "
            "when its device loses power in the middle of a call cannot be produced in a process.",
        .why =
            "A read from a device that is off gives all ones, and the segment size that comes of "
            "it is believed.",
        .windows = "It believes the answer.",
        .wrong = "d->Size = READ_REGISTER_ULONG(ctx->Mmio + VRAM_SIZE);\n",
        .right = "d->Size = ctx->VramSize; /* read in StartDevice */\n",
    },
    {
        RULE(29, DRIVER, DOCUMENTED, BUGCHECK),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_2,
        .statement = "hKmdProcessHandle of a query may be NULL, and the driver tests for it.",
        .page = "ns-d3dkmddi-_dxgkarg_queryadapterinfo",
        .how = "Queries are made with NULL, and the driver must survive them.",
        .why =
            "Queries of the system itself belong to no process; the handle is there only for those "
            "of an application.",
        .windows = "The driver's access to address zero is a bugcheck.",
        .wrong = "MY_PROCESS *process = args->hKmdProcessHandle;\n"
                 "if (process->IsVirtualMachine)\n",
        .right = "MY_PROCESS *process = args->hKmdProcessHandle;\n"
                 "if (process && process->IsVirtualMachine)\n",
    },
    {
        RULE(30, DRIVER, DOCUMENTED, START_FAILS),
        .severity_source = RECORD("W6"),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_6,
        .statement = "A driver of WDDM 2.6 or later has a DxgkDdiQueryAdapterInfo.",
        .page = "nc-d3dkmddi-dxgkddi_queryadapterinfo",
        .how =
            "The slot of the driver's table must not be NULL. What else a driver has to have, and "
            "before WDDM 2.6, is R477.",
        .why = "Slots that the declared version requires and that were left NULL have cost Code 43 "
               "and bugchecks.",
        .windows = "The adapter does not start.",
        .wrong = "init.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_6;\n"
                 "init.DxgkDdiAddDevice = MyAddDevice; /* and no queries */\n",
        .right = "init.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_6;\n"
                 "init.DxgkDdiQueryAdapterInfo = MyQueryAdapterInfo;\n",
    },
    {
        RULE(31, MANAGER, DOCUMENTED, CORRUPTION),
        .statement =
            "The manager does not start an adapter that cannot address all installed memory, "
            "unless DMA remapping makes up for it: by PHYSICAL_MEMORY_CAPS.HighestVisibleAddress "
            "from WDDM 2.9 on, by HighestAcceptableAddress of the driver's capabilities before.",
        .page = "iommu-dma-remapping",
        .how = "HighestAcceptableAddress is compared with the end of system memory; after a lower "
               "one nothing may be paged, except with DmaRemappingSupported. PHYSICAL_MEMORY_CAPS "
               "is not asked for by vidmm's manager.",
        .why =
            "Pages above the limit would be written at their address modulo the width of the bus: "
            "somewhere else.",
        .windows = "The adapter does not start. HighestAcceptableAddress as a reason is of "
                   "mcdm-implementation-guidelines, for compute-only adapters; one page says 'less "
                   "than', the other 'does not exceed', so that the boundary itself is open.",
        .windows_source = THE_PAGE,
        .wrong = "if (caps.HighestAcceptableAddress.QuadPart < highest)\n"
                 "    warn(adapter);\n",
        .right = "if (caps.HighestAcceptableAddress.QuadPart < highest &&\n"
                 "    !iommu.DmaRemappingSupported)\n"
                 "    return fail_start(adapter);\n",
    },
    {
        RULE(644, DRIVER, DOCUMENTED, CORRUPTION),
        .statement =
            "HighestAcceptableAddress of the driver's capabilities, or HighestVisibleAddress "
            "of PHYSICAL_MEMORY_CAPS, is no higher than what its device reaches.",
        .page = "ns-d3dkmddi-_dxgk_drivercaps",
        .how = "It is compared with `reaches_to` of the hardware model, where the model has it; up "
               "to a page more is taken for the same. -1 and the largest signed number are any "
               "address. From WDDM 2.9 on stage query asks for PHYSICAL_MEMORY_CAPS and IOMMU_CAPS "
               "(iommu-dma-remapping): HighestAcceptableAddress counts where the first is refused "
               "and there is no DmaRemappingSupported.",
        .why = "It is the highest address of system memory that the system uses for the device.",
        .windows = "Nothing checks it; on a machine with more memory the device reads and writes "
                   "at the addresses that are left of the bits that its bus has.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->HighestAcceptableAddress.QuadPart = -1; /* of a bus of 32 bits */\n",
        .right = "caps->HighestAcceptableAddress.QuadPart = 0xffffffff;\n",
    },
    {
        RULE(524, DRIVER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
        .statement = "DxgkDdiGetNodeMetadata is there, succeeds for every node below "
                     "NbAsymetricProcessingNodes and answers STATUS_INVALID_PARAMETER for others.",
        .page = "nc-d3dkmddi-dxgkddi_getnodemetadata",
        .how = "Stage query asks for each node, and for two numbers beyond the last one. Drivers "
               "that only display are not asked.",
        .why = "The system shows engines, and gives work to them, by what this call says of them.",
        .windows = "No page tells what a refusal ends in; drivers that answer for nodes which do "
                   "not exist have started.",
        .windows_source = NOT_KNOWN,
        .wrong = "if (node > 0) /* there is one more: the paging node */\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
        .right = "if (node >= caps->GpuEngineTopology.NbAsymetricProcessingNodes)\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
    },
    {
        RULE(529, DRIVER, IMPLIED, CORRUPTION),
        .reach = VIDMM_REACH_ANSWER,
        .statement = "DxgkDdiQueryAdapterInfo does not succeed for a type of query that no version "
                     "of the interface has.",
        .page = "nc-d3dkmddi-dxgkddi_queryadapterinfo",
        .how = "Stage query asks for two types far beyond the last one. STATUS_SUCCESS would say "
               "that the driver wrote an answer.",
        .why = "A newer system asks older drivers what they do not know, and learns from the "
               "refusal that it is not there.",
        .windows = "No page tells; the buffer is taken for the answer.",
        .windows_source = NOT_KNOWN,
        .wrong = "default:\n"
                 "    return STATUS_SUCCESS;\n",
        .right = "default:\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
    },
    {
        RULE(630, DRIVER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
        .statement = "A node of type DXGK_ENGINE_TYPE_OTHER has a FriendlyName.",
        .page = "ns-d3dkmdt-_dxgk_nodemetadata",
        .how = "Stage query asks each node. The name of a node of another type should be empty; "
               "one that is not is no finding.",
        .why = "The system has no name of its own for such an engine.",
        .windows = "No page tells. Tools that list engines have nothing to call it.",
        .windows_source = NOT_KNOWN,
        .wrong = "args->EngineType = DXGK_ENGINE_TYPE_OTHER;\n"
                 "args->FriendlyName[0] = 0;\n",
        .right = "args->EngineType = DXGK_ENGINE_TYPE_OTHER;\n"
                 "RtlCopyMemory(args->FriendlyName, L\"Security\", sizeof(L\"Security\"));\n",
    },
    {
        RULE(532, DRIVER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
        .statement = "DxgkDdiGetNodeMetadata writes EngineType of each node that it knows.",
        .page = "ns-d3dkmdt-_dxgk_nodemetadata",
        .how = "Stage query asks with a structure whose EngineType is no type.",
        .why = "The type is all that the system knows of what an engine is for.",
        .windows = "The engine is shown, and chosen, as another kind than it is.",
        .windows_source = NOT_KNOWN,
        .wrong = "args->Flags.Value = 0;\n"
                 "return STATUS_SUCCESS;\n",
        .right = "args->EngineType = node == 0 ? DXGK_ENGINE_TYPE_3D : DXGK_ENGINE_TYPE_COPY;\n"
                 "return STATUS_SUCCESS;\n",
    },
};
