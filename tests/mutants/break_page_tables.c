/*
 * break_page_tables.c - managers that get page tables wrong: how they are filled, linked and named,
 * and what is in their entries. break_virtual_manager.c has what managers do besides.
 */
#include "virtual_fault.h"

#define UNIQUE (UINT64_C(1) << 63)

/* ---- Which operation ------------------------------------------------------------------------- */

static bool first_content(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return of_user(args) && UPDATE->Flags.InitialUpdate;
}

static bool root_content(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return first_content(args) && UPDATE->PageTableLevel == 2;
}

static bool level_one_content(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return first_content(args) && UPDATE->PageTableLevel == 1;
}

static bool user_pages_many(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return user_pages(args) && UPDATE->NumPageTableEntries > 2 && UPDATE->hAllocation;
}

static bool user_clear(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return of_user(args) && leaf(args) && !ENTRY.Valid && !UPDATE->Flags.InitialUpdate;
}

static bool narrow_pages(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return user_pages(args) && !UPDATE->Flags.Use64KBPages;
}

static bool wide_link(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return links(args) && ENTRY.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB;
}

static bool narrow_link(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return links(args) && ENTRY.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_4KB;
}

/* ---- What managers ask for ------------------------------------------------------------------- */

SPOIL(not_initial, first_content, UPDATE->Flags.InitialUpdate = 0)
SPOIL(other_mode, user_pages, {
    UPDATE->UpdateMode = DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
    UPDATE->PageTableAddress.GpuVirtual = 0;
})
SPOIL(odd_place, user_clear, UPDATE->PageTableAddress.GpuPhysical.SegmentOffset += 8)
SPOIL(nowhere, user_pages, UPDATE->PageTableAddress.GpuVirtual = 0)
SPOIL(one_too_many, first_content, UPDATE->NumPageTableEntries++)
SPOIL(same_page, user_pages_many, UPDATE->pPageTableEntries[1] = ENTRY)
SPOIL(strange_handle, user_pages, UPDATE->hAllocation = (HANDLE)(uintptr_t)0x1000)
SPOIL(other_address, user_clear, UPDATE->FirstPteVirtualAddress += 1)
SPOIL(large_leaf, user_pages, ENTRY.LargePage = 1)
SPOIL(unaligned_large, level_one_content, {
    ENTRY.Valid = ENTRY.LargePage = 1;
    ENTRY.PageAddress = 1;
})
SPOIL(beyond_allocation, large_pages, UPDATE->AllocationOffsetInBytes += UINT64_C(1) << 40)
SPOIL(large_system, large_pages, ENTRY.Segment = 0)
SPOIL(zero_unasked, user_clear, ENTRY.Zero = 1)
SPOIL(read_only, user_pages, ENTRY.ReadOnly = 1)
SPOIL(no_segment, user_local, ENTRY.Segment = 31)
SPOIL(in_bytes, user_local, { ENTRY.PageAddress = 1u << 12; })
SPOIL(reserved_bits, user_clear, ENTRY.Reserved = 1)
SPOIL(protects_links, links, UPDATE->DriverProtection = 1)
SPOIL_ALL(protects_paging, at_once, if (UPDATE->PageTableLevel == 0) UPDATE->DriverProtection = 1)
SPOIL(valid_root, root_content, ENTRY.Valid = 1)
SPOIL(system_wide, wide_pages, ENTRY.Segment = 0)
SPOIL(moved_page, user_local, ENTRY.PageAddress ^= 1)
SPOIL(moved_wide, wide_pages, ENTRY.PageAddress += 1)
SPOIL(odd_offset, wide_pages, UPDATE->AllocationOffsetInBytes += 4096)
SPOIL(calls_it_wide, narrow_link, ENTRY.PageTablePageSize = DXGK_PTE_PAGE_TABLE_PAGE_64KB)
SPOIL(calls_it_narrow, wide_link, ENTRY.PageTablePageSize = DXGK_PTE_PAGE_TABLE_PAGE_4KB)
SPOIL(widens, narrow_pages, {
    UPDATE->Flags.Use64KBPages = 1;
    UPDATE->FirstPteVirtualAddress &= ~UINT64_C(0xffff);
    UPDATE->StartIndex /= 16;
    UPDATE->NumPageTableEntries = 1;
})
SPOIL(size_in_leaf, user_pages, ENTRY.PageTablePageSize = DXGK_PTE_PAGE_TABLE_PAGE_64KB)
SPOIL_ALL(second_array, links, UPDATE->pPageTableEntries64KB = UPDATE->pPageTableEntries)
SPOIL(wide_links, links, UPDATE->Flags.Use64KBPages = 1)

/* One more operation. */
static DXGK_BUILDPAGINGBUFFER_COPY_RANGE no_entries;

/* Of no entries, in the table at an address. */
static void APIENTRY copy_at(DXGKARG_BUILDPAGINGBUFFER *args, D3DGPU_VIRTUAL_ADDRESS table) {
    virtual_arm(args, DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES);
    args->CopyPageTableEntries.NumRanges = 1;
    args->CopyPageTableEntries.pRanges = &no_entries;
    no_entries = (DXGK_BUILDPAGINGBUFFER_COPY_RANGE){.SrcPageTableAddress = table,
                                                     .DstPageTableAddress = table};
}

MORE(copies_entries, user_pages, copy_at(args, 4096))
MORE(copies_nowhere, user_pages, copy_at(args, 0))

static bool first_page_table(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return at_once(args) && leaf(args) && UPDATE->FirstPteVirtualAddress == 0 &&
           UPDATE->Flags.InitialUpdate;
}

MORE(maps_first, first_page_table, {
    UPDATE->Flags.InitialUpdate = 0;
    UPDATE->NumPageTableEntries = 1;
    ENTRY.Valid = 1;
    ENTRY.PageAddress = 1;
})

/* A first mapping with a unique protection; the next one, elsewhere, says it is of the same pages.
 */
static HANDLE unique_allocation;
static uint64_t unique_offset;
static D3DGPU_VIRTUAL_ADDRESS unique_address;

static void APIENTRY share(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (!unique_allocation) {
        unique_allocation = UPDATE->hAllocation;
        unique_offset = UPDATE->AllocationOffsetInBytes;
        unique_address = UPDATE->FirstPteVirtualAddress;
        UPDATE->DriverProtection = UNIQUE | 1;
    } else if (UPDATE->FirstPteVirtualAddress != unique_address) {
        UPDATE->hAllocation = unique_allocation;
        UPDATE->AllocationOffsetInBytes = unique_offset;
        UPDATE->DriverProtection = UNIQUE | 2;
    }
}

static void APIENTRY install_share(DRIVER_INITIALIZATION_DATA *table) {
    memset(&virtual_fault, 0, sizeof(virtual_fault));
    unique_allocation = NULL;
    virtual_fault.wants = user_pages;
    virtual_fault.spoil = share;
    virtual_fault.always = true;
    virtual_fault_install(table);
}

static void APIENTRY first_unique(DXGKARG_BUILDPAGINGBUFFER *args) {
    UPDATE->DriverProtection = UNIQUE | 1;
}

static void APIENTRY other_protection(DXGKARG_BUILDPAGINGBUFFER *args) {
    UPDATE->DriverProtection = UNIQUE | 2;
}

static void APIENTRY install_two_protections(DRIVER_INITIALIZATION_DATA *table) {
    memset(&virtual_fault, 0, sizeof(virtual_fault));
    virtual_fault.wants = user_pages;
    virtual_fault.spoil = first_unique;
    virtual_fault.more = other_protection;
    virtual_fault_install(table);
}

/* Tables of 4 KB pages and of 64 KB pages of the same addresses. */
static DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE narrow_table;

static bool notes_narrow(const DXGKARG_BUILDPAGINGBUFFER *args) {
    if (first_content(args) && leaf(args) && !UPDATE->Flags.Use64KBPages && !narrow_table.hProcess)
        narrow_table = *UPDATE;
    return wide_pages(args) && narrow_table.hProcess == UPDATE->hProcess;
}

static void APIENTRY narrow_too(DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE wide = *UPDATE;
    *UPDATE = narrow_table;
    UPDATE->Flags = (DXGK_UPDATEPAGETABLEFLAGS){.Repeat = 1};
    UPDATE->pPageTableEntries = wide.pPageTableEntries;
    UPDATE->pPageTableEntries64KB = NULL;
    UPDATE->FirstPteVirtualAddress = wide.FirstPteVirtualAddress;
    UPDATE->StartIndex = wide.StartIndex * 16;
    UPDATE->NumPageTableEntries = 1;
    UPDATE->hAllocation = NULL;
}

static void APIENTRY install_narrow_too(DRIVER_INITIALIZATION_DATA *table) {
    memset(&virtual_fault, 0, sizeof(virtual_fault));
    memset(&narrow_table, 0, sizeof(narrow_table));
    virtual_fault.wants = notes_narrow;
    virtual_fault.more = narrow_too;
    virtual_fault_install(table);
}

/* Most of the paging process's tables are never filled. */
static UINT filled;

static bool few_tables(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return at_once(args) && leaf(args) && UPDATE->Flags.InitialUpdate && filled++ > 8;
}

static void APIENTRY install_few_tables(DRIVER_INITIALIZATION_DATA *table) {
    memset(&virtual_fault, 0, sizeof(virtual_fault));
    filled = 0;
    virtual_fault.wants = few_tables;
    virtual_fault.swallow = virtual_fault.always = true;
    virtual_fault_install(table);
}

/* The twentieth leaf table of the paging process, which nobody needs soon: its first content, and
 * the entry that leads to it, among those for its neighbours. */
static bool twentieth_filled(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return at_once(args) && leaf(args) && UPDATE->Flags.InitialUpdate && ++filled == 20;
}

static bool links_twenty(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return at_once(args) && UPDATE->PageTableLevel == 1 && !UPDATE->Flags.InitialUpdate &&
           UPDATE->NumPageTableEntries >= 20;
}

FAIL(links_unfilled, filled = 0, virtual_fault.wants = twentieth_filled,
     virtual_fault.swallow = true)
SPOIL(leaves_unlinked, links_twenty, UPDATE->pPageTableEntries[19].Flags = 0)

/* The paging process comes to see a paging buffer, or all of a table of 64 KB. */
static bool shows_buffer(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return at_once(args) && leaf(args) && !UPDATE->Flags.InitialUpdate && ENTRY.Valid &&
           UPDATE->NumPageTableEntries == 16;
}

static bool shows_table(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && args->pDmaBuffer &&
           UPDATE->hProcess == virtual_paging_process && leaf(args) && ENTRY.Valid &&
           !UPDATE->hAllocation && UPDATE->NumPageTableEntries == 16;
}

SPOIL(buffer_in_part, shows_buffer, UPDATE->NumPageTableEntries = 15)
SPOIL(table_in_part, shows_table, UPDATE->NumPageTableEntries = 15)

/* Surfaces of whole 64 KB, so that their pages can be. */
static NTSTATUS APIENTRY in_whole(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    return virtual_create_whole(&mutants_below, adapter, args);
}
REPLACE_BELOW(DxgkDdiCreateAllocation, in_whole)

/* ---- What allocations say of large pages ----------------------------------------------------- */

/* Of every allocation of the driver below. */
static NTSTATUS APIENTRY wants_tables(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_below.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        args->pAllocationInfo[i].FlagsWddm2.DisableLargePageMapping = 1;
    return status;
}
REPLACE_BELOW(DxgkDdiCreateAllocation, wants_tables)

static NTSTATUS APIENTRY overlooks_tables(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        args->pAllocationInfo[i].FlagsWddm2.DisableLargePageMapping = 0;
    return status;
}
REPLACE(DxgkDdiCreateAllocation, overlooks_tables)

/* ---- The list -------------------------------------------------------------------------------- */

const struct mutant mutants_page_tables[] = {
    BREAKER(172, MANAGER, "shows the paging process a buffer but for its end", buffer_in_part,
            THREE),
    BREAKER(208, MANAGER, "writes to tables that were never filled", not_initial, THREE),
    BREAKER(208, MANAGER, "leads to tables that were never filled", links_unfilled, THREE),
    BREAKER(209, MANAGER, "updates in another mode", other_mode, THREE, WITH(213)),
    BREAKER(210, MANAGER, "passes a place that is no table's", odd_place, THREE),
    BREAKER(213, MANAGER, "passes an address that leads nowhere", nowhere, VIRTUAL),
    BREAKER(213, MANAGER, "passes an address of a table of which it leaves out the end",
            table_in_part, LONG),
    BREAKER(213, MANAGER, "copies entries of a table whose address leads nowhere", copies_nowhere,
            VIRTUAL),
    BREAKER(214, MANAGER, "writes one entry more than there are", one_too_many, THREE, WITH(208)),
    BREAKER(216, MANAGER, "maps one page twice", same_page, THREE),
    BREAKER(217, MANAGER, "passes a handle that is no allocation's", strange_handle, THREE),
    BREAKER(218, MANAGER, "passes an address between pages", other_address, THREE),
    BREAKER(219, MANAGER, "makes large pages of leaf entries", large_leaf, THREE),
    BREAKER(220, MANAGER, "places a large page at 4 KB", unaligned_large, LARGE, WITH(208, 442)),
    BREAKER(221, MANAGER, "sets Zero where the driver has no such pages", zero_unasked, THREE),
    BREAKER(222, MANAGER, "sets ReadOnly where there is none", read_only, BARE),
    BREAKER(223, MANAGER, "names a segment that does not exist", no_segment, THREE),
    BREAKER(224, MANAGER, "passes addresses in bytes", in_bytes, THREE),
    BREAKER(225, MANAGER, "sets reserved bits", reserved_bits, THREE),
    BREAKER(226, MANAGER, "protects entries above the leaves", protects_links, THREE),
    BREAKER(227, MANAGER, "protects what it pages", protects_paging, THREE),
    BREAKER(228, MANAGER, "maps pages twice with two unique protections", share, THREE,
            WITH(299, 368, 217)),
    BREAKER(229, MANAGER, "changes a unique protection where it is mapped", two_protections, THREE),
    BREAKER(238, MANAGER, "copies entries of tables between 64 KB", copies_entries, VIRTUAL,
            WITH(213)),
    BREAKER(258, MANAGER, "begins with a valid entry 0", valid_root, THREE, WITH(208)),
    BREAKER(262, MANAGER, "maps the first page of the paging process", maps_first, THREE),
    BREAKER(263, MANAGER, "pages with few addresses", few_tables, THREE, WITH(208)),
    BREAKER(263, MANAGER, "has tables for paging that nothing leads to", leaves_unlinked, THREE),
    BREAKER(369, MANAGER, "makes 64 KB pages of system memory", system_wide, DUAL, WITH(380),
            .scene = scene_in_whole),
    BREAKER(370, MANAGER, "places 64 KB allocations at 4 KB", moved_page, SINGLE, WITH(216, 371)),
    BREAKER(371, MANAGER, "places a 64 KB page at 4 KB", moved_wide, DUAL, WITH(370),
            .scene = scene_in_whole),
    BREAKER(372, MANAGER, "maps parts of 64 KB by 64 KB", odd_offset, DUAL, WITH(370),
            .scene = scene_in_whole),
    BREAKER(373, MANAGER, "says 64 KB of a table of 4 KB pages", calls_it_wide, SINGLE),
    BREAKER(374, MANAGER, "says 4 KB of a table of 64 KB pages", calls_it_narrow, SINGLE,
            .scene = scene_in_whole),
    BREAKER(375, MANAGER, "makes a table one of 64 KB pages again", widens, SINGLE,
            WITH(377, 369, 370, 371, 372, 208)),
    BREAKER(376, MANAGER, "sets PageTablePageSize in leaf entries", size_in_leaf, THREE),
    BREAKER(377, MANAGER, "maps a page in both kinds of tables", narrow_too, DUAL,
            .scene = scene_in_whole),
    BREAKER(378, MANAGER, "passes a second array where there is one kind", second_array, THREE),
    BREAKER(379, MANAGER, "sets Use64KBPages above the leaves", wide_links, SINGLE),
    BREAKER(440, MANAGER, "overlooks DisableLargePageMapping", overlooks_tables, WHOLE,
            .scene = scene_wants_tables),
    BREAKER(441, MANAGER, "maps large pages beyond the end of the allocation", beyond_allocation,
            WHOLE),
    BREAKER(442, MANAGER, "makes large pages of system memory", large_system, WHOLE),
};
const uint32_t mutants_page_tables_count =
    sizeof(mutants_page_tables) / sizeof(mutants_page_tables[0]);
