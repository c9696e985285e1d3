/*
 * group_e.c - rules R147 to R173: DxgkDdiBuildPagingBuffer for all operations: caller and
 * time of the call, the buffer, the answers, and how an operation that does not fit is repeated.
 * The rules of single operations are groups F to H; those of the built buffer are group K.
 */
#define GROUP 'E'
#include "groups.h"

const struct vidmm_rule rules_e[] = {
    {
        RULE(147, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Only one thread at a time is in the GPU scheduler class of calls: "
                     "BuildPagingBuffer, Patch, SubmitCommand, PreemptCommand, the engine queries "
                     "and ResetEngine.",
        .page = "threading-and-synchronization-first-level",
        .how = "Threads inside these calls, DxgkDdiSubmitCommandVirtual among them, are "
               "counted; a second one is a finding. The other class of calls for memory, "
               "swizzling ranges, is R483.",
        .why = "Drivers keep ring pointers and paging state without a lock because of this "
               "promise.",
        .windows = "Windows serialises these calls; otherwise two commands would be written to one "
                   "place of the ring.",
        .wrong = "/* two worker threads, no lock */\n"
                 "DxgkDdiBuildPagingBuffer(adapter, &args);\n",
        .right = "lock(scheduler_class);\n"
                 "DxgkDdiBuildPagingBuffer(adapter, &args);\n"
                 "unlock(scheduler_class);\n",
    },
    {
        RULE(148, MANAGER, DOCUMENTED, BUGCHECK),
        .statement = "DxgkDdiBuildPagingBuffer is called at PASSIVE_LEVEL.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The modelled IRQL of the calling thread is read when the call begins.",
        .why = "Drivers let this path be pageable, map MDLs and take mutexes in it; none of that "
               "works at a raised IRQL.",
        .windows =
            "Windows keeps to it; a pageable path above APC_LEVEL ends in bugcheck 0xA or 0xD1.",
        .wrong = "KeAcquireSpinLock(&queue_lock, &irql);\n"
                 "DxgkDdiBuildPagingBuffer(adapter, &args);\n",
        .right = "KeReleaseSpinLock(&queue_lock, irql);\n"
                 "DxgkDdiBuildPagingBuffer(adapter, &args);\n",
    },
    {
        RULE(149, DRIVER, DOCUMENTED, BUGCHECK),
        .severity_source = THE_PAGE,
        .statement = "DxgkDdiBuildPagingBuffer returns STATUS_SUCCESS, "
                     "STATUS_GRAPHICS_ALLOCATION_BUSY or STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER "
                     "and nothing else.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The returned status is compared with these three.",
        .why = "At least five drivers returned something else for an operation that they did not "
               "implement; one of these bugs lived 39 days from introduction to fix.",
        .windows = "Windows stops the machine with bugcheck 0x10E; its first argument was 0xB and "
                   "the third the status.",
        .windows_source = RECORD("W21"),
        .wrong = "default:\n"
                 "    return STATUS_NOT_IMPLEMENTED;\n",
        .right = "default: /* nothing was written, nothing needs the GPU */\n"
                 "    return STATUS_SUCCESS;\n",
    },
    {
        RULE(150, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "The address of a fresh paging buffer is aligned on 4 KB.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "The low twelve bits of pDmaBuffer are checked at the first operation of a buffer.",
        .why = "Drivers compute the alignment of their commands from the pointer that they get.",
        .windows = "Windows hands out page-aligned buffers.",
        .wrong = "args.pDmaBuffer = heap + used;\n",
        .right = "args.pDmaBuffer = pages; /* whole pages, from the start of one */\n",
    },
    {
        RULE(151, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Within a buffer, each operation starts exactly where the one before it "
                     "stopped.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "pDmaBuffer and DmaSize of a call are compared with what the last call in this "
               "buffer left.",
        .why = "What lies in a gap is executed as commands, and what is overlapped never runs.",
        .windows = "Windows packs operations tightly; padding is left to the driver.",
        .wrong = "args.pDmaBuffer = ALIGN_UP(end, 64);\n",
        .right = "args.pDmaBuffer = end; /* as the driver left it */\n"
                 "args.DmaSize = buffer_end - end;\n",
    },
    {
        RULE(152, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "The driver never writes beyond the DmaSize bytes at pDmaBuffer.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "Bytes behind the buffer hold a pattern that must survive, also when the "
               "conformance check offers very small buffers.",
        .why = "Nobody sees the last packet that does not fit until an eviction storm fills a "
               "buffer.",
        .windows = "Windows does not check: the write lands in kernel memory behind the buffer.",
        .wrong = "RtlCopyMemory(args->pDmaBuffer, &packet, sizeof(packet));\n",
        .right = "if (args->DmaSize < sizeof(packet))\n"
                 "    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;\n"
                 "RtlCopyMemory(args->pDmaBuffer, &packet, sizeof(packet));\n",
    },
    {
        RULE(153, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "On return pDmaBuffer points just past the last byte that was written: never "
                     "backwards, never past the end.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "The pointer after the call must lie between its old value and that plus DmaSize, "
               "and bytes beyond it must be unchanged. Where paging work ends in an error, bytes "
               "before it that the driver did not write are what the GPU ran into.",
        .why = "A driver that forgets to advance it has its work overwritten by the next operation "
               "or never submitted: built, but never executed.",
        .windows = "Windows submits what lies before the pointer; an unchanged pointer means that "
                   "there is nothing to submit.",
        .wrong = "RtlCopyMemory(args->pDmaBuffer, &packet, sizeof(packet));\n"
                 "return STATUS_SUCCESS;\n",
        .right = "RtlCopyMemory(args->pDmaBuffer, &packet, sizeof(packet));\n"
                 "args->pDmaBuffer = (PUCHAR)args->pDmaBuffer + sizeof(packet);\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        RULE(154, DRIVER, DOCUMENTED, BUGCHECK),
        .severity_source = THE_PAGE,
        .statement = "Before it writes, the driver checks the room that is left, and answers "
                     "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER when that is too little.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "Operations are offered buffers of growing size from zero bytes on; the answer must "
               "be the status, or work that fits. An INIT_CONTEXT_RESOURCE of which nothing is "
               "written behind other operations comes again in a buffer of its own, where nothing "
               "may be written either.",
        .why = "Running out of room is the one failure that the manager can repair; a driver that "
               "reports it as another error stops the machine.",
        .windows = "Windows submits the part, gets another buffer and repeats the call; any other "
                   "failure is bugcheck 0x10E.",
        .windows_source = THE_PAGE,
        .wrong = "ASSERT(args->DmaSize >= NEEDED); /* never so in the harness */\n",
        .right = "if (args->DmaSize < NEEDED)\n"
                 "    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;\n",
    },
    {
        RULE(155, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "A driver whose GPU wants aligned submissions pads its operations itself.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "Not judged: which alignment the hardware wants is not said in any call; a hardware "
               "model may refuse a misaligned start.",
        .why = "Submissions start wherever the last operation stopped, so one odd-sized packet "
               "shifts all that follow.",
        .windows = "Windows submits the range as it is; the GPU fetches from a wrong offset or "
                   "hangs.",
        .wrong = "args->pDmaBuffer = (PUCHAR)args->pDmaBuffer + sizeof(packet); /* 20 bytes */\n",
        .right = "SIZE_T padded = ALIGN_UP(sizeof(packet), FETCH_BYTES);\n"
                 "RtlFillMemory(end, padded - sizeof(packet), NOP);\n"
                 "args->pDmaBuffer = (PUCHAR)args->pDmaBuffer + padded;\n",
    },
    {
        RULE(156, MANAGER, DISPUTED, CORRUPTION),
        .statement = "After STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER the manager submits what was "
                     "written, takes another buffer and asks for the same operation again.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The next call must name the same operation with a fresh buffer, after a submission "
               "of the range that pDmaBuffer moved over.",
        .why = "A driver that keeps its progress in MultipassOffset relies on the first part "
               "having run; one that starts over does harmless work twice.",
        .windows = "Windows submits each partial buffer by itself; the pages do not say outright "
                   "that this holds for the part written before the status.",
        .windows_source = THE_PAGE,
        .wrong = "args = fresh_buffer();\n"
                 "args.MultipassOffset = 0; /* from the beginning, first part dropped */\n",
        .right = "submit(buffer, start, args.pDmaBuffer);\n"
                 "args.pDmaBuffer = fresh, args.DmaSize = full; /* the rest as it was */\n",
        .readings = "insufficient=keeps: what was written before the status is submitted, and "
                    "MultipassOffset goes on from there; insufficient=drops: it is not submitted, "
                    "and the operation starts over in the next buffer.",
    },
    {
        RULE(157, DRIVER, IMPLIED, BUGCHECK),
        .statement = "Given an empty buffer of full size, the driver makes progress instead of "
                     "answering STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER again.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how =
            "When a fresh buffer is answered with the status, pDmaBuffer or MultipassOffset "
            "must have moved; and after 65536 such answers in a row that wrote nothing a "
            "MultipassOffset that moves is no progress either, nor are bytes after 4096 in a row "
            "that left it where it was. Stage operations maps and moves lists of pages that take "
            "three buffers. So it is with the DMA buffers of DxgkDdiRender and "
            "DxgkDdiPresent; and those of a present, or of commands of GDI, end before they are 64 "
            "more than its rectangles.",
        .why = "An operation that needs more than PagingBufferSize in one piece can never be "
               "built.",
        .windows = "The pages do not say; the manager would repeat the call for ever, and the "
                   "machine hangs.",
        .windows_source = NOT_KNOWN,
        .wrong = "if (args->DmaSize < pages * sizeof(struct copy)) /* all or nothing */\n"
                 "    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;\n",
        .right = "while (args->MultipassOffset < pages)\n"
                 "    if (!emit_copy(args, args->MultipassOffset++))\n"
                 "        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;\n",
    },
    {
        RULE(158, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "MultipassOffset is zero at the first call of every operation.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The member is checked whenever an operation is asked for the first time.",
        .why = "A driver starts at the page that the member names, so a leftover from the "
               "operation before skips pages.",
        .windows = "Windows clears it before each operation.",
        .windows_source = THE_PAGE,
        .wrong = "args.Operation = next->operation; /* MultipassOffset left over */\n",
        .right = "args.Operation = next->operation;\n"
                 "args.MultipassOffset = 0;\n",
    },
    {
        RULE(159, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Between the calls of one operation the manager leaves MultipassOffset as the "
                     "driver set it.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The value on return is compared with the value at the repetition.",
        .why = "It is the only memory that the driver has of how far it got.",
        .windows = "Windows does not touch it between iterations.",
        .windows_source = THE_PAGE,
        .wrong = "args = *saved; /* as before the first call */\n",
        .right = "args.pDmaBuffer = fresh;\n"
                 "args.DmaSize = full; /* MultipassOffset stays */\n",
    },
    {
        RULE(160, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "The members of the operation are the same at each repetition, "
                     "TransferOffset, TransferSize and MdlOffset included; only AllocationIsIdle "
                     "may change.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "The operation's arm of the union is compared byte for byte with that of the first "
               "call.",
        .why = "If both sides advanced, the driver would skip as much as it had done already.",
        .windows = "Windows repeats the call with the same TransferOffset.",
        .wrong = "args.Transfer.TransferOffset += done;\n"
                 "args.Transfer.TransferSize -= done;\n",
        .right = "/* nothing: the driver adds MultipassOffset itself */\n",
    },
    {
        RULE(161, DRIVER, IMPLIED, CORRUPTION),
        .statement = "An operation has its whole effect, also where it was split over several "
                     "buffers: no byte is lost, none is moved twice from a changed source.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how =
            "The memory after the GPU is done is compared with what the operation should leave, "
            "with the buffer size swept so that splits fall everywhere. In stage failures a thread "
            "or a DPC of the driver's gets no memory while pages are moved "
            "(nf-wdm-mmmaplockedpagesspecifycache).",
        .why = "Off-by-one progress shows only when a buffer happens to end in the middle, which "
               "is under load.",
        .windows = "Windows cannot see it: the content is wrong after the eviction.",
        .wrong = "args->MultipassOffset++; /* before it is known that the page fits */\n"
                 "if (args->DmaSize < sizeof(copy))\n"
                 "    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;\n",
        .right = "if (args->DmaSize < sizeof(copy))\n"
                 "    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;\n"
                 "write(args, &copy);\n"
                 "args->MultipassOffset++;\n",
    },
    {
        RULE(162, BOTH, DOCUMENTED, CORRUPTION),
        .statement = "Each partial buffer is submitted by itself and may be complete before the "
                     "next one is built.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "A part of an operation must be submitted before the next one is built; the bytes "
               "of a transfer that came in parts are compared.",
        .why = "State that is set up in one buffer must not be taken for granted in the next, and "
               "every part must end where the GPU can stop.",
        .windows = "Windows calls DxgkDdiSubmitCommand once for every part; other work may run in "
                   "between.",
        .windows_source = THE_PAGE,
        .wrong = "if (args->MultipassOffset == 0)\n"
                 "    emit_bind_engine(args); /* later parts rely on it */\n",
        .right = "emit_bind_engine(args); /* in every buffer */\n",
    },
    {
        RULE(163, DRIVER, DOCUMENTED, BUGCHECK),
        .statement = "STATUS_GRAPHICS_ALLOCATION_BUSY is an answer to Transfer, DiscardContent and "
                     "SpecialLockTransfer only, and only while AllocationIsIdle is not set.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The status is held against the operation and its flag.",
        .why = "There is no flag to answer it with in the other operations, and an idle allocation "
               "cannot become more idle.",
        .windows = "The pages define no answer to it elsewhere: expect the bugcheck of an illegal "
                   "status, or a manager that repeats for ever.",
        .wrong = "if (engine_running(adapter))\n"
                 "    return STATUS_GRAPHICS_ALLOCATION_BUSY; /* whatever the operation */\n",
        .right = "if (needs_idle(surface) && !args->Transfer.Flags.AllocationIsIdle)\n"
                 "    return STATUS_GRAPHICS_ALLOCATION_BUSY;\n",
    },
    {
        RULE(164, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "After STATUS_GRAPHICS_ALLOCATION_BUSY the manager waits until nothing refers "
                     "to the allocation, keeps it so during the call, and asks again with "
                     "AllocationIsIdle set.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "At the repetition the flag must be set and every submission that references the "
               "allocation complete.",
        .why = "Behind this flag the driver programs tiling or fence registers of the allocation "
               "at once, without any queue.",
        .windows = "Windows waits for the GPU and guarantees idleness for the length of the call.",
        .windows_source = THE_PAGE,
        .wrong = "while (build(&args) == STATUS_GRAPHICS_ALLOCATION_BUSY)\n"
                 "    ; /* same flags, GPU still drawing */\n",
        .right = "wait(allocation->last_fence);\n"
                 "args.Transfer.Flags.AllocationIsIdle = 1;\n"
                 "status = build(&args);\n",
    },
    {
        RULE(165, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "Without AllocationIsIdle the driver takes the allocation for busy and "
                     "programs none of its hardware resources at once.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "Not judged: which registers hold an allocation's state is known to the driver "
               "alone.",
        .why = "Rendering that is queued or running would go on with the new state and the old "
               "content.",
        .windows = "Windows does not check; what is being drawn is corrupted.",
        .wrong = "write_fence_register(surface); /* GPU may be drawing to it */\n",
        .right = "if (!args->Transfer.Flags.AllocationIsIdle)\n"
                 "    return STATUS_GRAPHICS_ALLOCATION_BUSY;\n"
                 "write_fence_register(surface);\n",
    },
    {
        RULE(166, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "The driver moves pDmaBufferPrivateData past what it used; left unchanged, "
                     "the next submission shares the range.",
        .page = "ns-d3dkmddi-_dxgkarg_submitcommand",
        .how = "The pointer after the call must lie between its old value and that plus "
               "DmaBufferPrivateDataSize, and submissions must carry these offsets.",
        .why = "Private data tells SubmitCommand what a range is; when two ranges share a record, "
               "the second describes both.",
        .windows = "Windows passes the range between the pointers to DxgkDdiSubmitCommand.",
        .wrong = "*(struct record *)args->pDmaBufferPrivateData = record;\n",
        .right = "struct record *slot = args->pDmaBufferPrivateData;\n"
                 "*slot = record;\n"
                 "args->pDmaBufferPrivateData = slot + 1;\n",
    },
    {
        RULE(167, DRIVER, IMPLIED, BUGCHECK),
        .statement = "An operation that the driver does not know is answered with STATUS_SUCCESS, "
                     "and what is written for it does nothing.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "An undefined operation number is sent; the status must be legal, pDmaBuffer in the "
               "buffer, and what was written has to complete when it is submitted.",
        .why = "Newer systems send operations that older drivers have never heard of.",
        .windows = "The pages do not say; a status of another kind is bugcheck 0x10E, and stray "
                   "bytes are executed by the GPU.",
        .windows_source = NOT_KNOWN,
        .wrong = "packet.opcode = table[args->Operation]; /* past its end */\n"
                 "emit(args, &packet);\n",
        .right = "default:\n"
                 "    return STATUS_SUCCESS;\n",
    },
    {
        RULE(168, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Every hAllocation in a paging operation is a handle that the driver made in "
                     "DxgkDdiCreateAllocation, or gave to a context allocation.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "The handle is looked up among the living ones of both kinds.",
        .why = "The driver follows the handle as a pointer, without any way of checking it.",
        .windows = "Windows passes the driver's own handles back; another value would crash the "
                   "driver.",
        .wrong = "args.Transfer.hAllocation = binding->handle; /* of a device */\n",
        .right = "args.Transfer.hAllocation = allocation->driver_handle;\n",
    },
    {
        RULE(169, DRIVER, DOCUMENTED, BUGCHECK),
        .statement = "The driver accepts hAllocation NULL in Transfer, in mapping and unmapping of "
                     "an aperture, in UpdatePageTable and in MapCpuHostAperture.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "These operations are sent without an allocation; the driver must answer as usual "
               "and have the usual effect.",
        .why = "DMA buffers have no allocation, so the first of them to be mapped into an aperture "
               "has crashed drivers that follow the handle.",
        .windows = "Windows passes NULL for DMA buffers and raw copies: a driver that follows it "
                   "crashes the machine.",
        .wrong = "struct surface *surface = args->MapApertureSegment.hAllocation;\n"
                 "surface->mapped = TRUE;\n",
        .right = "struct surface *surface = args->MapApertureSegment.hAllocation;\n"
                 "if (surface)\n"
                 "    surface->mapped = TRUE;\n",
    },
    {
        RULE(170, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "SegmentAddress is the segment's BaseAddress plus a page-aligned offset, and "
                     "the whole range lies in the segment.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "The range is looked up in the reported segment; a base other than zero shows a "
               "missing sum.",
        .why = "Drivers with a base of zero never notice the difference, and drivers with several "
               "segments do at once.",
        .windows = "Windows computes the sum; an address without the base would hit another "
                   "segment.",
        .wrong = "args.Fill.Destination.SegmentAddress.QuadPart = offset;\n",
        .right = "args.Fill.Destination.SegmentAddress.QuadPart = segment->base + offset;\n",
    },
    {
        RULE(171, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "hSystemContext is the driver's handle of the system context in which the "
                     "paging operation will run.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "The handle is looked up among the contexts that were created with SystemContext "
               "and are alive.",
        .why = "The driver finds the node, the ring and the page tables of the operation through "
               "it.",
        .windows = "Windows passes the context of the paging node.",
        .windows_source = THE_PAGE,
        .wrong = "args.hSystemContext = client->context;\n",
        .right = "args.hSystemContext = adapter->paging_context->driver_handle;\n",
    },
    {
        RULE(172, MANAGER, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "DmaBufferGpuVirtualAddress is where the paging process sees the buffer; zero "
                     "means that it is not paged in.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "When an operation comes first in a buffer, the addresses of all of the buffer are "
               "translated through the entries that UPDATE_PAGE_TABLE wrote, and must lead to it.",
        .why = "Commands that point into their own buffer need it; drivers that read a zero as "
               "\"no buffer\" in general did all paging in software without noticing.",
        .windows = "It was seen to pass 0 though a buffer was there.",
        .readings =
            "vidmm takes one reading: zero means that the buffer is not paged in. A system was "
            "seen to pass 0 with a buffer (W14), so that a driver must not take 0 for 'no buffer'.",
        .windows_source = RECORD("W14"),
        .wrong = "args.DmaBufferGpuVirtualAddress = client_va(buffer);\n",
        .right = "args.DmaBufferGpuVirtualAddress = paging_process_va(buffer);\n",
    },
    {
        RULE(173, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "DmaBufferWriteOffset is the distance of pDmaBuffer from the start of the "
                     "buffer.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "The member is compared with the difference of the two pointers.",
        .why = "The driver adds it to the buffer's GPU address to find where its commands will be.",
        .windows = "Windows sets it for every operation.",
        .wrong = "args.DmaBufferWriteOffset = 0; /* second operation in the buffer */\n",
        .right = "args.DmaBufferWriteOffset = (UINT)(args.pDmaBuffer - buffer->start);\n",
    },
    {
        RULE(591, DRIVER, DOCUMENTED, CORRUPTION),
        .statement =
            "DxgkDdiBuildPagingBuffer leaves the members of the operation as they are: they "
            "are [in], and progress belongs into MultipassOffset.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how =
            "Operation, its structure and hSystemContext are compared with what they were before "
            "the call.",
        .why =
            "The system asks again with the values that it had: what was counted in them is lost, "
            "and the operation begins anew in the next buffer.",
        .windows = "No page tells what the system does with a member that was changed.",
        .windows_source = NOT_KNOWN,
        .wrong =
            "args->Transfer.TransferOffset += done; /* and what is left in the next buffer */\n"
            "args->Transfer.TransferSize -= done;\n"
            "return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;\n",
        .right = "args->MultipassOffset += done / PAGE_SIZE;\n"
                 "return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;\n",
    },
    {
        RULE(446, MANAGER, DOCUMENTED, BUGCHECK),
        .statement =
            "Of a driver only those paging operations are asked for that its interface version "
            "has: SIGNAL_MONITORED_FENCE from WDDM 2.2 on, NOTIFY_FENCE_RESIDENCY from 2.9 on, "
            "MAP_MMU, UNMAP_MMU, NOTIFY_RESIDENCY2 and NOTIFY_ALLOC from 3.2 on.",
        .page = "ne-d3dkmddi-_dxgk_buildpagingbuffer_operation",
        .how = "The operation is held against the version of the driver's table; no page "
               "says from which version on an operation is gone, so that there are lower "
               "bounds alone. What the four that vidmm's manager never asks for have to "
               "do is not judged: their pages say no more than their arguments.",
        .why = "The driver's union has no arm for a later operation; it would read the arm of "
               "another.",
        .windows = "No page tells more than from when on an operation is there.",
        .windows_source = NOT_KNOWN,
        .wrong = "args.Operation = DXGK_OPERATION_SIGNAL_MONITORED_FENCE; /* version 2.0 */\n",
        .right = "if (driver->Version >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)\n"
                 "    args.Operation = DXGK_OPERATION_SIGNAL_MONITORED_FENCE;\n",
    },
    {
        RULE(473, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Reserved bits of a paging operation's flags, and its reserved members, are "
                     "zero.",
        .page = "ns-d3dkmddi-_dxgk_transferflags",
        .how = "Of DXGK_TRANSFERFLAGS, DXGK_DISCARDCONTENTFLAGS, DXGK_MAPAPERTUREFLAGS, "
               "DXGK_TRANSFERVIRTUALFLAGS, DXGK_UPDATEPAGETABLEFLAGS, and Reserved of "
               "NOTIFY_RESIDENCY; what the driver's interface version does not name is reserved.",
        .why = "A bit that is reserved today means something in a later version, and a driver for "
               "both cannot tell.",
        .windows = "No page tells.",
        .windows_source = NOT_KNOWN,
        .wrong = "DXGKARG_BUILDPAGINGBUFFER args; /* on the stack, with what was there */\n"
                 "args.Transfer.Flags.TransferStart = 1;\n",
        .right = "DXGKARG_BUILDPAGINGBUFFER args = {0};\n"
                 "args.Transfer.Flags.TransferStart = 1;\n",
    },
};
