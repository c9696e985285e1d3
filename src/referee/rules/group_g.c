/*
 * group_g.c - rules R193 to R207: mapping system memory into aperture segments, by MDL and, from
 * WDDM 2.9 on, by address descriptor list. Group F copies through these mappings; group J is about
 * the aperture through which the CPU sees memory segments.
 */
#define GROUP 'G'
#include "groups.h"

const struct vidmm_rule rules_g[] = {
    {
        RULE(193, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "A mapping covers at least one page and ends inside the segment: "
                     "OffsetInPages plus NumberOfPages is at most Size / 4096.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "Both members are compared with the size of the reported segment.",
        .why = "The driver indexes its table with them, in many drivers without a check.",
        .windows = "Windows stays inside the segment that the driver reported; an aperture larger "
                   "than its BAR lets it leave the hardware's table, and starts all the same.",
        .windows_source = RECORD("W28"),
        .wrong = "args.MapApertureSegment.OffsetInPages = aperture_pages - 1;\n"
                 "args.MapApertureSegment.NumberOfPages = 2;\n",
        .right = "if (pages != 0 && pages <= aperture_pages - offset)\n"
                 "    map(offset, pages);\n",
    },
    {
        RULE(194, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "After MAP_APERTURE_SEGMENT, page OffsetInPages + i of the aperture refers to "
                     "PFN[MdlOffset + i] for every i.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "Each page is read through the hardware model's view of the aperture, or what the "
               "GPU copies through it is compared with the frames. Where there is no memory "
               "segment, stage operations transfers from a list of pages; a driver may ignore it, "
               "and then nothing is seen.",
        .why = "Drivers have mapped only the first page, ignored OffsetInPages, or replaced the "
               "whole table when a part was mapped: wrong pages, and a crashed kernel.",
        .windows = "Windows does not check; the GPU reads and writes foreign pages of system "
                   "memory.",
        .wrong = "gart[map->OffsetInPages] = MmGetMdlPfnArray(map->pMdl)[0]; /* one page */\n",
        .right = "for (SIZE_T i = 0; i < map->NumberOfPages; i++)\n"
                 "    gart[map->OffsetInPages + i] =\n"
                 "        MmGetMdlPfnArray(map->pMdl)[map->MdlOffset + i] | GART_VALID;\n",
    },
    {
        RULE(195, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "CacheCoherent is set in a mapping only when cacheable memory is mapped into "
                     "a CacheCoherent segment.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The flag is held against the flags of the segment and of the allocation.",
        .why = "A snooped access to write-combined memory is slow, and a segment without the flag "
               "cannot snoop at all.",
        .windows = "Windows never sets it on other segments or on write-combined allocations.",
        .windows_source = THE_PAGE,
        .wrong = "args.MapApertureSegment.Flags.CacheCoherent = 1;\n",
        .right = "args.MapApertureSegment.Flags.CacheCoherent = segment->coherent && "
                 "allocation->cached;\n",
    },
    {
        RULE(196, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "With CacheCoherent set, the driver makes the GPU snoop the CPU's caches for "
                     "exactly the mapped pages.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The hardware model says of mapped pages whether accesses to them snoop. That pages "
               "without the flag are not snooped is not judged: it costs time alone.",
        .why = "Without snooping the GPU reads memory while the newest data is in a CPU cache.",
        .windows = "Windows does no flushes for such a mapping: the GPU sees old data.",
        .wrong = "entry = pfn << 12 | GART_VALID;\n",
        .right = "entry = pfn << 12 | GART_VALID;\n"
                 "if (map->Flags.CacheCoherent)\n"
                 "    entry |= GART_SNOOP;\n",
    },
    {
        RULE(197, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "Mapping and unmapping do not disturb GPU accesses to other pages of the "
                     "aperture that run at the same time.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "After each mapping and unmapping the pages next to the range must lead to where "
               "they led before; an entry that is invalid between two instructions of the driver "
               "leaves no trace. Where nothing shows what is mapped but the bytes that go through "
               "it, a page through which they went right leads to where it did.",
        .why = "The GPU is not idle during these operations, so rewriting or switching off the "
               "whole table hits running work.",
        .windows = "Windows does not stop the GPU.",
        .windows_source = THE_PAGE,
        .wrong = "write_register(adapter, GART_CONTROL, 0); /* off while we edit */\n"
                 "update_entries(map);\n"
                 "write_register(adapter, GART_CONTROL, GART_ON);\n",
        .right = "update_entries(map);\n"
                 "write_register(adapter, GART_FLUSH, 1);\n",
    },
    {
        RULE(198, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "The GPU does not access the range that is being mapped or unmapped.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "No submission under way may reference an allocation in the range when the "
               "operation is asked for.",
        .why = "It lets the driver write the entries at once, by MMIO, instead of queueing that.",
        .windows = "Windows waits for the last user of the range.",
        .wrong = "unmap(allocation); /* its last fence is still running */\n",
        .right = "wait(allocation->last_fence);\n"
                 "unmap(allocation);\n",
    },
    {
        RULE(199, MANAGER, IMPLIED, CORRUPTION),
        .statement = "Only mapped ranges are unmapped, and only unmapped ranges are mapped.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "The state of every aperture page is kept and compared, and that of the pages that "
               "the GART of an AGP-type segment maps; that a mapping needs an unmapped range "
               "follows from the page without being said.",
        .why = "A driver that counts mappings, or pins what is mapped, gets out of step.",
        .windows = "Windows unmaps before it maps the range for something else.",
        .wrong = "map(a, 0, 16), map(b, 8, 16);\n",
        .right = "map(a, 0, 16), unmap(a, 0, 16), map(b, 8, 16);\n",
    },
    {
        RULE(200, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "After UNMAP_APERTURE_SEGMENT every page of the range refers to DummyPage, "
                     "with GPU access still enabled.",
        .page = "nc-d3dkmddi-dxgkddi_buildpagingbuffer",
        .how = "Each page is read through the hardware model's view of the aperture, and a GPU "
               "write to it must land in the dummy page. Stage operations transfers to each page "
               "after it was unmapped.",
        .why = "A driver that writes 0 instead sends stray GPU writes to physical page 0.",
        .windows = "Windows watches the dummy page to detect stray accesses, and its conformance "
                   "tests check that they arrive there.",
        .windows_source = THE_PAGE,
        .wrong = "for (i = 0; i < unmap->NumberOfPages; i++)\n"
                 "    gart[unmap->OffsetInPages + i] = 0;\n",
        .right = "entry = unmap->DummyPage.QuadPart | GART_VALID;\n"
                 "for (i = 0; i < unmap->NumberOfPages; i++)\n"
                 "    gart[unmap->OffsetInPages + i] = entry;\n",
    },
    {
        RULE(201, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "hDevice is the device that owns the allocation and NULL for the primary; "
                     "hAllocation is NULL when a DMA buffer is mapped.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "Both handles are looked up among the living devices and allocations, and NULL must "
               "mean one of these two cases.",
        .why = "A driver finds per-process page tables through the device.",
        .windows = "Windows passes the owner that it has determined, also for shared allocations.",
        .wrong = "args.MapApertureSegment.hDevice = current_device();\n",
        .right = "args.MapApertureSegment.hDevice = allocation->owner->driver_handle;\n",
    },
    {
        RULE(202, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "A CpuVisible allocation in an aperture is not swizzled while the CPU "
                     "accesses it directly.",
        .page = "mapping-virtual-addresses-to-a-memory-segment",
        .how = "What the CPU wrote into a surface of the aperture is compared with its system "
               "pages while they are mapped, and after.",
        .why = "The bytes of an aperture are system memory itself: no transfer would put them into "
               "order for the CPU.",
        .windows = "Windows gives the CPU the pages as they are; the application sees tiles.",
        .wrong = "surface->tiling = TILED; /* CpuVisible, supports the aperture */\n",
        .right = "surface->tiling = surface->cpu_visible ? LINEAR : TILED;\n",
    },
    {
        RULE(203, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_9,
        .statement = "With logical address remapping, a driver that set MapAperture2Supported gets "
                     "MAP_APERTURE_SEGMENT2 and never MAP_APERTURE_SEGMENT.",
        .page = "iommu-dma-remapping",
        .how =
            "Each operation that maps is held against the reported capability, in both directions.",
        .why = "An MDL holds physical pages, which the device cannot use behind a remapping IOMMU.",
        .windows = "Windows sends the second form only.",
        .windows_source = THE_PAGE,
        .wrong = "args.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;\n",
        .right =
            "args.Operation = caps.MapAperture2Supported ? DXGK_OPERATION_MAP_APERTURE_SEGMENT2\n"
            "                                            : DXGK_OPERATION_MAP_APERTURE_SEGMENT;\n",
    },
    {
        RULE(204, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_9,
        .statement = "The driver takes an address descriptor list in both forms, one contiguous "
                     "run or a list of pages, as Flags.Contiguous says.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "When the operation is done, the aperture is read through the hardware model's view "
               "and compared page by page with the list, in whichever form it came.",
        .why = "The two members share a union: a page number that is followed as a pointer crashes "
               "the kernel.",
        .windows = "Windows sends a contiguous run whenever addresses are remapped, and otherwise "
                   "a list where pages are scattered.",
        .wrong = "page = map->Adl.Pages[map->AdlOffset + i]; /* always */\n",
        .right = "page = map->Adl.Flags.Contiguous ? map->Adl.BasePageNumber + map->AdlOffset + i\n"
                 "                                 : map->Adl.Pages[map->AdlOffset + i];\n",
    },
    {
        RULE(205, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_9,
        .statement = "AdlOffset plus NumberOfPages is at most the list's PageCount.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "The three members are compared.",
        .why = "A driver that reads past the list maps whatever follows it.",
        .windows = "Windows describes at least as many pages as it asks to map.",
        .wrong = "args.MapApertureSegment2.NumberOfPages = adl.PageCount; /* AdlOffset is 4 */\n",
        .right = "args.MapApertureSegment2.NumberOfPages = adl.PageCount - "
                 "args.MapApertureSegment2.AdlOffset;\n",
    },
    {
        RULE(206, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_9,
        .statement = "CpuVisibleAddress is set exactly for MapApertureCpuVisible allocations and "
                     "is valid until the unmapping of the same allocation.",
        .page = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer",
        .how = "The member is held against the allocation's flag, and the first bytes behind it "
               "are compared with the page that is mapped, at the mapping and at the unmapping.",
        .why = "It is the driver's only CPU view of the content, and after the unmapping it "
               "dangles.",
        .windows = "Windows frees the address right after the unmapping: a later access crashes "
                   "the machine.",
        .wrong = "surface->cpu = map->CpuVisibleAddress; /* used after the unmap */\n",
        .right = "surface->cpu = map->CpuVisibleAddress;\n"
                 "/* in UNMAP_APERTURE_SEGMENT: */\n"
                 "surface->cpu = NULL;\n",
    },
    {
        RULE(207, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_9,
        .statement = "The driver never maps the pages of an address descriptor list for the CPU.",
        .page = "iommu-dma-remapping",
        .how = "Of a driver with MapAperture2Supported memory of the system that MmMapIoSpace or "
               "DxgkCbMapMemory maps is compared with the list that it is given, and with what is "
               "mapped in its apertures. An MDL that a driver writes itself is not looked at.",
        .why = "The list holds logical addresses, which mean something to the device only.",
        .windows = "Windows does not check; the CPU reads or writes unrelated physical memory.",
        .wrong = "physical.QuadPart = map->Adl.BasePageNumber << PAGE_SHIFT;\n"
                 "cpu = MmMapIoSpace(physical, bytes, MmCached);\n",
        .right = "cpu = map->CpuVisibleAddress; /* with MapApertureCpuVisible */\n",
    },
};
