/*
 * records_mistakes.c - F1 to F40: mistakes that authors of real drivers made, and what each cost.
 *
 * From repositories, logs and commit messages of open miniports. The first half is about starting,
 * the second about paging.
 */
#include "tables.h"

#define MISTAKE(number, what, cost, ...)                                                           \
    {                                                                                              \
        F(number), what, cost, .rules = { __VA_ARGS__ }                                            \
    }

static const struct vidmm_record rows[] = {
    MISTAKE(1,
            "DRIVERCAPS was answered with STATUS_BUFFER_TOO_SMALL, because the driver compared "
            "with the sizeof of a newer header (buffers of 0x220, 0x228 and 0x240 bytes were seen)",
            "Code 43; a run on a board", 27),
    MISTAKE(2, "WDDMVersion and SupportSmoothRotation were left 0", "Code 43 and no further call",
            0),
    MISTAKE(
        3,
        "functions that the declared version requires were left NULL (five of WDDM 1.2, RenderGdi)",
        "Code 43; a bugcheck", 30),
    MISTAKE(4,
            "HISTORYBUFFERPRECISION was answered with STATUS_NOT_SUPPORTED, which that call may "
            "not return",
            "\"Driver returned an invalid NTSTATUS code\"; eleven runs on a board", 27),
    MISTAKE(5, "PagingBufferSegmentId named a segment that is no aperture",
            "the adapter was started and torn down 6 ms later", 73),
    MISTAKE(
        6,
        "the array of segment descriptors was walked by sizeof instead of SegmentDescriptorStride",
        "the adapter stopped silently after the second query", 8, 9),
    MISTAKE(7,
            "a segment followed one with SupportsCpuHostAperture, or CpuVisible memory was "
            "combined with GpuMmu on WDDM 3.2",
            "the adapter was refused; found by bisecting five layouts of segments", 59, 61),
    MISTAKE(8, "two different memories lay behind one segment",
            "a black desktop, and sixteen sessions to find it", 39, 70),
    MISTAKE(9, "two segments had the same address, or all had base 0", "hidden corruption", 20,
            170),
    MISTAKE(10,
            "the size of a segment had the wrong unit or came from the wrong variable, or an "
            "aperture was four times its BAR",
            "corruption and faults of the display", 32, 193),
    MISTAKE(11, "CommitLimit was left 0", "nothing can be committed", 62, 63, 64),
    MISTAKE(12,
            "an AGP segment had other flags, or was reported though DXGK_QUERYSEGMENTIN said that "
            "there is no AGP aperture",
            "the adapter does not start", 14, 33),
    MISTAKE(13,
            "metadata of the nodes contradicted the capabilities of the physical adapter (GpuMmu)",
            "the start was aborted", 85, 89),
    MISTAKE(14, "the query for the number of segments and the query for the segments disagreed",
            "STATUS_NO_MEMORY at start", 7),
    MISTAKE(15, "an aperture segment was offered for the page tables of GpuMmu",
            "start-up stood still", 212, 252, 546),
    MISTAKE(16,
            "a hand-made header had the bits Agp and Aperture swapped, and descriptor 3 in the "
            "order of descriptor 1",
            "every test green, every fact wrong", 54),
    MISTAKE(17, "BuildPagingBuffer returned STATUS_SUCCESS and did nothing",
            "a black display and lost content", 37, 153, 161),
    MISTAKE(18, "failures of paging were swallowed and reported as success", "stale content", 37,
            161),
    MISTAKE(19,
            "BuildPagingBuffer returned STATUS_INSUFFICIENT_RESOURCES, STATUS_NOT_SUPPORTED or "
            "STATUS_NOT_IMPLEMENTED (at least five drivers)",
            "bugcheck 0x10E, 39 days from the change to its repair", 149, 154, 167),
    MISTAKE(20, "pDmaBuffer was not advanced past what was written", "what was built never ran",
            153),
    MISTAKE(21,
            "an address of 0 of the paging buffer, in segment 0 or as a GPU virtual address, was "
            "read as \"no buffer\"",
            "all paging was done by software, in silence", 172, 211),
    MISTAKE(22,
            "TransferOffset and MdlOffset were read in five ways by five drivers; one Microsoft "
            "sample changed its reading three days after its first test with several pieces",
            "corruption after an eviction; the rule is disputed", 176, 177),
    MISTAKE(23, "the MDL side of a transfer was not bounded", "a copy beyond the end", 177, 178),
    MISTAKE(24, "FILL silently shortened a range that was too long, and VIRTUAL_FILL refused it",
            "half a fill reported as done", 188, 245),
    MISTAKE(25,
            "transfers larger than the nominal size of the allocation were refused (0x1E10000 for "
            "0x1C20000 bytes, which is legal)",
            "legal work refused", 91, 178),
    MISTAKE(26,
            "only the first page of a mapping was handled, NumberOfPages or OffsetInPages ignored, "
            "or mapping a part replaced the whole",
            "wrong pages; \"kernel crashed\"", 193, 194, 200),
    MISTAKE(27, "hAllocation NULL, as when a DMA buffer is mapped, was refused or dereferenced",
            "a crash", 169, 201, 217),
    MISTAKE(28, "unmapping wrote 0 instead of DummyPage", "stray accesses to physical page 0", 200),
    MISTAKE(29, "PageAddress of DXGK_PTE was taken for an address in bytes",
            "faults, and an experiment to settle it", 223, 224),
    MISTAKE(30, "the flag Repeat was ignored when page table entries were written",
            "reads beyond the array of entries", 215),
    MISTAKE(
        31,
        "a driver that asked for updates by the GPU refused the CPU_VIRTUAL updates of the start",
        "the first page tables were never written", 209, 210),
    MISTAKE(32,
            "host memory was expected under one segment number and came under another (0, 31, or "
            "the count + 1)",
            "page tables that pointed at nothing; the rule is disputed", 18, 223),
    MISTAKE(33, "a physical address was written into a packet where the GPU expects a local one",
            "a page fault of the GPU", 39, 170),
    MISTAKE(34, "the driver waited for SubmitCommand though its paging context is virtual",
            "1581 builds and no submission", 276, 279),
    MISTAKE(35, "overlapping source and destination of a move were not expected",
            "silent corruption", 239),
    MISTAKE(36, "the memory segment was too small for one page-in", "device removed", 98, 287),
    MISTAKE(37, "a structure of 23 KB was on the kernel stack in the paging path", "bugcheck 0x50",
            0),
    MISTAKE(38, "the size of an allocation was pitch times height without alignment",
            "the neighbour was overwritten", 91),
    MISTAKE(39, "the registry was written on a path that may run at DISPATCH_LEVEL",
            "a deadlock waiting to happen", 0),
    MISTAKE(40, "fences were not kept for each engine when there was a paging node",
            "preemption and recovery had to be switched off", 281),
};

const struct record_table records_mistakes = {rows, COUNT(rows)};
