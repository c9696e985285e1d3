/*
 * group_m.c - R311 to R331: dirty-bit tracking.
 *
 * Which pages of video memory were written to; live migration (group_n.c) is built on it.
 */
#define GROUP 'M'
#include "groups.h"

const struct vidmm_rule rules_m[] = {
    {
        RULE(311, MANAGER, DOCUMENTED, START_FAILS),
        .severity_source = THE_PAGE,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement =
            "A driver that reports live migration without dirty-bit tracking does not start.",
        .page = "live-migration-on-gpup-devices",
        .how = "The answers to GPUPCAPS and DIRTYBITTRACKINGCAPS are kept; whoever then creates a "
               "device goes on regardless.",
        .why = "Memory could not be copied while the guest runs.",
        .windows = "The adapter does not start.",
        .windows_source = THE_PAGE,
        .wrong = "StartAdapter(adapter); /* LiveMigration set, DirtyBitTrackingSupported not */\n",
        .right = "if (partition.Caps.LiveMigration && !tracking.DirtyBitTrackingSupported)\n"
                 "    return STATUS_DEVICE_CONFIGURATION_ERROR;\n",
    },
    {
        RULE(312, DRIVER, DOCUMENTED, START_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "PageSize of a dirty plane is a power of two and at least 4 KB.",
        .page = "ns-d3dkmddi-dxgk_dirty_bit_tracking_segment_caps",
        .how = "Each answer to DIRTYBITTRACKINGSEGMENTCAPS is looked at.",
        .why = "Ranges and buffers are counted in it.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "caps->PageSize = 3 * PAGE_SIZE;\n",
        .right = "caps->PageSize = 4 * PAGE_SIZE;\n",
    },
    {
        RULE(313, MANAGER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "The tracking capabilities of every segment are asked for once, if tracking "
                     "is supported at all.",
        .page = "dirty-bit-tracking",
        .how =
            "The questions are counted for each memory segment until the first device is created.",
        .why = "Drivers may set up the planes then.",
        .windows = "The system asks at initialisation.",
        .wrong = "for (UINT id = 1; id <= segments; id++)\n"
                 "    for (UINT i = 0; i < 2; i++)\n"
                 "        AskSegmentCaps(id);\n",
        .right = "for (UINT id = 1; tracking.DirtyBitTrackingSupported && id <= segments; id++)\n"
                 "    AskSegmentCaps(id);\n",
    },
    {
        RULE(314, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "A segment answered with STATUS_NOT_IMPLEMENTED has no plane, and what else "
                     "was written is ignored.",
        .page = "ns-d3dkmddi-dxgk_dirty_bit_tracking_segment_caps",
        .how = "A basis is created in a segment that was not answered with a page size.",
        .why = "The driver need not fill the structure then.",
        .windows = "The segment is not tracked.",
        .wrong = "AskSegmentCaps(id, &caps); /* STATUS_NOT_IMPLEMENTED */\n"
                 "Track(id, caps.PageSize);\n",
        .right = "if (NT_SUCCESS(AskSegmentCaps(id, &caps)))\n"
                 "    Track(id, caps.PageSize);\n",
    },
    {
        RULE(315, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement =
            "The ranges of a memory basis are inside the segment and do not overlap, in any order.",
        .page = "nc-d3dkmddi-dxgkddi_creatememorybasis",
        .how = "The ranges of each basis are compared with the segment and with each other.",
        .why = "A page that is in it twice would have two bits.",
        .windows = "The system passes such ranges.",
        .wrong = "args->Ranges[1].SegmentOffset = args->Ranges[0].SegmentOffset;\n",
        .right = "args->Ranges[1].SegmentOffset =\n"
                 "    args->Ranges[0].SegmentOffset + args->Ranges[0].SizeInBytes;\n",
    },
    {
        RULE(316, MANAGER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "Ranges for dirty tracking are aligned to the pages of the segment.",
        .page = "ns-d3dkmddi-_dxgk_memoryrange",
        .how = "Offset and size of each range are held against the page size of the segment. Of "
               "ranges that begin or end in the middle of a page of the plane no bits are judged.",
        .why = "What belongs to an allocation are whole pages.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "range->SizeInBytes = bytes_used;\n",
        .right = "range->SizeInBytes = ALIGN_UP(bytes_used, page);\n",
        .readings = "nc-d3dkmddi-dxgkddi_creatememorybasis calls it common that ranges are aligned "
                    "to the plane's PageSize; ns-d3dkmddi-_dxgk_memoryrange demands the segment's "
                    "page. vidmm's manager keeps to both; the second is judged.",
    },
    {
        RULE(317, MANAGER, IMPLIED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "CreateMemoryBasis has RangeCount ranges: the array is as long as it says, "
                     "and not empty.",
        .page = "ns-d3dkmddi-dxgkarg_creatememorybasis",
        .how = "RangeCount is looked at, and so are that many ranges.",
        .why = "The structure is declared with one range, the array is sized when it is made; a "
               "basis of no memory has nothing to track.",
        .windows = "The system passes them all.",
        .wrong = "args->RangeCount = 0; /* the whole segment */\n",
        .right = "args->RangeCount = 1;\n"
                 "args->Ranges[0] = (DXGK_MEMORYRANGE){.SizeInBytes = segment->Size};\n",
    },
    {
        RULE(318, DRIVER, IMPLIED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "CreateMemoryBasis returns a handle other than NULL unless it fails.",
        .page = "nc-d3dkmddi-dxgkddi_creatememorybasis",
        .how = "Handles are compared with those of bases that live; NULL is accepted only when "
               "memory was made to fail.",
        .why = "The result has no status.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "return NULL; /* tracked in hardware: there is nothing to keep */\n",
        .right = "basis->Segment = args->SegmentId;\n"
                 "return basis;\n",
    },
    {
        RULE(319, DRIVER, DOCUMENTED, BUGCHECK),
        .reach = VIDMM_REACH_ANSWER,
        .severity_source = THE_PAGE,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "DestroyMemoryBasis succeeds.",
        .page = "nc-d3dkmddi-dxgkddi_destroymemorybasis",
        .how = "The status of every destruction is looked at.",
        .why = "There is nothing the system could do about it.",
        .windows = "The failure is called catastrophic.",
        .wrong = "if (basis->Tracked)\n"
                 "    return STATUS_DEVICE_BUSY;\n",
        .right = "StopTracking(basis);\n"
                 "Free(basis);\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        RULE(320, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement =
            "Every basis that is passed is alive, and none is destroyed while it is tracked.",
        .page = "dirty-bit-tracking",
        .how = "Handles are followed from creation to destruction.",
        .why = "The handle is a pointer of the driver.",
        .windows = "The system stops tracking first.",
        .wrong = "DxgkDdiDestroyMemoryBasis(adapter, basis);\n"
                 "DxgkDdiStopDirtyTracking(adapter, basis);\n",
        .right = "DxgkDdiStopDirtyTracking(adapter, basis);\n"
                 "DxgkDdiDestroyMemoryBasis(adapter, basis);\n",
    },
    {
        RULE(321, DRIVER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "When tracking starts all bits of the basis are zero.",
        .page = "nc-d3dkmddi-dxgkddi_startdirtytracking",
        .how = "A query right after the start, with nothing under way and no other call between, "
               "must show no bit. The conformance check starts a basis again after writes, and the "
               "CPU does not write meanwhile.",
        .why = "Bits of an earlier time cost copies of pages that did not change.",
        .windows = "Pages with old bits are copied for nothing.",
        .wrong = "WriteRegister(TRACKING, ON); /* the plane is as it was */\n",
        .right = "ClearPlane(basis);\n"
                 "WriteRegister(TRACKING, ON);\n",
    },
    {
        RULE(322, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "A bit is set by writes to its page after the start, of GPU and CPU alike, "
                     "and no such write is missed.",
        .page = "nc-d3dkmddi-dxgkddi_startdirtytracking",
        .how =
            "Pages that a completed FILL or TRANSFER wrote, by place or by address, must be in the "
            "next answer, and tables of up to a page that updates in DMA buffers changed. Neither "
            "a reset of the adapter nor a power transition ends it; bits of memory that loses its "
            "content in one are not demanded. Writes of applications and of the CPU are not known "
            "to the referee. Bits beyond these are allowed: hardware may track coarsely. A query "
            "of a basis whose tracking was started is not refused, but for want of memory.",
        .why = "A page whose write is missed is not copied.",
        .windows = "The guest goes on with old contents after migration.",
        .wrong = "SetBit(plane, address / (2 * caps.PageSize));\n",
        .right = "SetBit(plane, address / caps.PageSize);\n",
    },
    {
        RULE(323, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement =
            "A query that clears reads and clears in one step, so that no write gets lost between.",
        .page = "dirty-bit-tracking",
        .how = "As R322, for pages that an earlier query cleared. Stage dirty has the GPU write "
               "between two instructions of a query, at up to 64 moments of it: by fills, or by "
               "work of an application where paging is by address and the GPU executes packets "
               "of vidmm/umd.h.",
        .why = "The GPU writes all the time.",
        .windows = "The guest goes on with old contents after migration.",
        .wrong = "Copy(args->Buffer, plane, bytes);\n"
                 "RtlZeroMemory(plane, bytes);\n",
        .right = "for (SIZE_T i = 0; i < words; i++)\n"
                 "    out[i] = InterlockedExchange64(&plane[i], 0);\n",
    },
    {
        RULE(324, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "CLEARDATA clears the bits that were asked for and no others, and without it "
                     "none is cleared.",
        .page = "ns-d3dkmddi-dxgkarg_querydirtybitdata",
        .how = "Of a page that was written, what came last is kept: a bit that an answer without "
               "CLEARDATA showed, and one of a part that was not asked for, must be set the next "
               "time. That the bits asked for are cleared is R594.",
        .why = "Other parts are still to be asked for.",
        .windows = "Pages of the other parts are not copied.",
        .wrong = "Copy(args->Buffer, plane, bytes);\n"
                 "ClearPlane(basis);\n",
        .right = "Copy(args->Buffer, plane, bytes);\n"
                 "if (args->Flags & DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA)\n"
                 "    ClearPart(basis, args);\n",
    },
    {
        RULE(594, DRIVER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "A query with CLEARDATA resets the bits that it returns to zero.",
        .page = "dirty-bit-tracking",
        .how = "A query right after one that cleared, with nothing under way at either and no "
               "other call between, must show none of the bits that were cleared.",
        .why = "What stays set is copied in each pass, and the passes do not converge.",
        .windows = "Pages are copied for nothing, and the pause is longer.",
        .wrong = "ReadPlane(basis, args->Buffer); /* whatever Flags says */\n",
        .right = "if (args->Flags & DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA)\n"
                 "    ReadAndResetPlane(basis, args->Buffer);\n",
    },
    {
        RULE(325, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "Queries of different bases or parts do not disturb each other.",
        .page = "dirty-bit-tracking",
        .how =
            "Bits of a basis stay demanded when another basis of its segment, which has not their "
            "pages, is cleared or started. With one of another segment a bit that is lost is R322.",
        .why = "Large segments are copied in parts.",
        .windows = "Pages of the other parts are not copied.",
        .wrong = "RtlZeroMemory(adapter->Plane, adapter->PlaneBytes);\n",
        .right = "for (UINT i = 0; i < basis->Ranges; i++)\n"
                 "    ClearRange(adapter->Plane, &basis->Range[i]);\n",
    },
    {
        RULE(326, DRIVER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement =
            "Where bases overlap both see a write, and stopping one leaves the bits of the other.",
        .page = "nc-d3dkmddi-dxgkddi_stopdirtytracking",
        .how = "Pages written after an overlapping basis was stopped, or before another one of the "
               "segment was and not cleared since, must be in the answer. Of pages that one query "
               "of an overlapping basis "
               "cleared, the next answer has all or none.",
        .why = "Each may belong to another migration.",
        .windows = "Pages are not copied.",
        .readings = "vidmm takes one reading: the plane is shared, and a query that clears through "
                    "one basis is seen by the other.",
        .wrong = "StopRange(range); /* whoever else tracks it */\n",
        .right = "if (--range->Users == 0)\n"
                 "    StopRange(range);\n",
    },
    {
        RULE(327, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "Tracking is stopped for what it was started for.",
        .page = "nc-d3dkmddi-dxgkddi_stopdirtytracking",
        .how = "Starts and stops of a basis must follow each other.",
        .why = "The driver counts starts and stops for each range.",
        .windows = "The system passes the same basis.",
        .wrong = "DxgkDdiStopDirtyTracking(adapter, basis);\n"
                 "DxgkDdiStopDirtyTracking(adapter, basis);\n",
        .right = "if (basis->Started)\n"
                 "    DxgkDdiStopDirtyTracking(adapter, basis);\n",
    },
    {
        RULE(328, BOTH, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "The buffer of a query has a bit for every page asked for, and the driver "
                     "writes no more than that.",
        .page = "ns-d3dkmddi-dxgkarg_querydirtybitdata",
        .how = "Buffers are held against the pages asked for, and the driver gets a guarded copy. "
               "Stage dirty gives a buffer that is too short, too: whatever the driver answers, it "
               "writes no more than BufferSize bytes.",
        .why = "Behind it is other memory of the kernel.",
        .windows = "The pool is corrupted.",
        .readings = "vidmm takes one reading: BufferSize is the size of the buffer in bytes, told "
                    "by the system.",
        .wrong = "Copy(args->Buffer, plane, ALIGN_UP(bytes, 4096));\n",
        .right = "Copy(args->Buffer, plane, (pages + 7) / 8);\n",
    },
    {
        RULE(329, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement =
            "A query of a part names a range of the basis, in whole pages and inside of it.",
        .page = "ns-d3dkmddi-dxgkarg_querydirtybitdata",
        .how = "SubrangeIndex, SubrangeOffset and SubrangeSize are held against the ranges of the "
               "basis.",
        .why = "The driver turns it into positions of bits.",
        .windows = "The system splits at range ends.",
        .wrong = "args.SubrangeOffset = 0;\n"
                 "args.SubrangeSize = segment->Size;\n",
        .right = "args.SubrangeOffset = 0;\n"
                 "args.SubrangeSize = ranges[args.SubrangeIndex].SizeInBytes;\n",
    },
    {
        RULE(330, DRIVER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "A query with SubrangeSize 0 gives the bits of all ranges in the order of the "
                     "basis, one for each page; another one those of its range from "
                     "SubrangeOffset on.",
        .page = "ns-d3dkmddi-dxgkarg_querydirtybitdata",
        .how = "Pages of every range but the first are looked for at their position in the whole, "
               "where the first has the bits that it must have (else what is missing is R322), "
               "and pages of a part of another range, or of one that begins inside a range, at "
               "their position in that part. Where each page that must have a bit has one when "
               "bytes are read from the highest bit on, their order is what is wrong.",
        .why = "The caller knows bits only by their position.",
        .windows = "Wrong pages are copied.",
        .readings = "vidmm takes one reading: bits run on from range to range, from the lowest bit "
                    "of a byte.",
        .wrong = "for (UINT i = 0; i < basis->Ranges; i++, out += RangeBytes(basis, i))\n"
                 "    CopyBits(out, 0, &basis->Range[i]);\n",
        .right = "for (UINT i = 0; i < basis->Ranges; i++, bit += basis->Range[i].Pages)\n"
                 "    CopyBits(args->Buffer, bit, &basis->Range[i]);\n",
    },
    {
        RULE(331, DRIVER, IMPLIED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "Bits behind the last page are zero.",
        .page = "ns-d3dkmddi-dxgkarg_querydirtybitdata",
        .how = "The rest of the last byte is looked at.",
        .why = "The caller may look at whole words.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "Copy(args->Buffer, plane, (pages + 7) / 8);\n",
        .right = "Copy(args->Buffer, plane, (pages + 7) / 8);\n"
                 "last[0] &= (1u << pages % 8) - 1;\n",
    },
    {
        RULE(431, MANAGER, IMPLIED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "Dirty bits are asked for only of a basis whose tracking was started.",
        .page = "live-migration-on-gpup-devices",
        .how = "The shadow of the basis tells whether it is tracked when the question comes.",
        .why = "Nothing keeps the bits of the others.",
        .windows = "No page tells more.",
        .windows_source = NOT_KNOWN,
        .wrong = "driver->DxgkDdiQueryDirtyBitData(adapter, &args); /* of a basis just made */\n",
        .right = "driver->DxgkDdiStartDirtyTracking(adapter, basis);\n"
                 "driver->DxgkDdiQueryDirtyBitData(adapter, &args);\n",
    },
    {
        RULE(438, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "With tracking that costs performance all content is transferred after "
                     "tracking started and before the first question.",
        .page = "live-migration-on-gpup-devices",
        .how = "Not judged by itself: a page that was left out and not written afterwards is "
               "missing on the target, which is R340.",
        .why = "Only what changed afterwards has a bit.",
        .windows = "The page gives the order.",
        .windows_source = THE_PAGE,
        .wrong = "transfer_all(vgpu);\n"
                 "DxgkDdiStartDirtyTracking(adapter, basis); /* writes in between are lost */\n",
        .right = "DxgkDdiStartDirtyTracking(adapter, basis);\n"
                 "transfer_all(vgpu);\n",
    },
};
