/*
 * virtual_test.c - the reference driver on a board with an MMU, as the system sees it: what it says
 * of its page tables, that its entries mean to the hardware what the system said, that contexts
 * keep to their process, and where a page fault arrives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "fixture/vm.h"

#define TOKEN    0x7001u
#define BASE     UINT64_C(0x400000) /* where a process has its first pages */
#define COMMANDS UINT64_C(0x100000)

static void open_plain(struct vm *vm) {
    const struct vm_shape shape = {3, 0, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL};
    vm_open_shape(vm, &shape);
}

/* ---- What is said ---------------------------------------------------------------------------- */

static void levels_add_up_and_fit_where_they_are(struct vm *vm, const struct vm_shape *shape) {
    uint32_t bits = 12, last = shape->levels - 1;
    for (uint32_t level = 0; level <= last; level++) {
        const DXGK_PAGE_TABLE_LEVEL_DESC *desc = &vm->level[level];
        uint32_t words = shape->pages == 2 && level == 1 ? 2 : 1;
        uint32_t needed = (8u * words) << desc->PageTableIndexBitCount;
        assert_true(desc->PageTableSizeInBytes >= needed);
        assert_int_equal(desc->PageTableSizeInBytes % FIXTURE_PAGE, 0);
        if (desc->PageTableSegmentId == 0 || desc->PagingProcessPageTableSegmentId == 0)
            assert_true(desc->PageTableSizeInBytes <= FIXTURE_PAGE);
        if (vm->caps.PageTableUpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
            assert_int_equal(desc->PageTableSegmentId, 0);
        bits += desc->PageTableIndexBitCount;
    }
    if (shape->levels > 2)
        assert_int_equal(bits, vm->caps.VirtualAddressBitCount);
    else
        assert_true(bits <= vm->caps.VirtualAddressBitCount);
    assert_int_equal(vm->caps.DualPteSupported, shape->pages == 2);
    assert_int_equal(vm->caps.LeafPageTableSizeFor64KPagesInBytes % FIXTURE_PAGE, 0);
    assert_int_equal(vm->caps.LeafPageTableSizeFor64KPagesInBytes != 0, shape->pages != 0);
    assert_true(vm->caps.LargePageSupported && vm->caps.ZeroInPteSupported &&
                vm->caps.ReadOnlyMemorySupported && vm->caps.NoExecuteMemorySupported);
}

static void descriptions(void **state) {
    (void)state;
    vm_each_shape(levels_add_up_and_fit_where_they_are);
}

static NTSTATUS ask(struct fixture *fixture, DXGK_QUERYADAPTERINFOTYPE type, void *in,
                    uint32_t in_size, void *out, uint32_t out_size) {
    DXGKARG_QUERYADAPTERINFO query = {.Type = type,
                                      .pInputData = in,
                                      .InputDataSize = in_size,
                                      .pOutputData = out,
                                      .OutputDataSize = out_size};
    return fixture->ddi->DxgkDdiQueryAdapterInfo(fixture->adapter, &query);
}

static bool says_gpu_mmu(struct fixture *fixture) {
    DXGK_DRIVERCAPS caps = {0};
    DXGK_PHYSICALADAPTERCAPS physical = {0};
    DXGK_QUERYPHYSICALADAPTERCAPSIN in = {0};
    DXGKARG_GETNODEMETADATA node = {0};
    assert_int_equal(ask(fixture, DXGKQAITYPE_DRIVERCAPS, NULL, 0, &caps, sizeof(caps)),
                     STATUS_SUCCESS);
    bool mmu = caps.MemoryManagementCaps.GpuMmuSupported;
    assert_int_equal(caps.MemoryManagementCaps.VirtualAddressingSupported, mmu);
    if (fixture->ddi->Version < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        return mmu;
    assert_int_equal(
        ask(fixture, DXGKQAITYPE_PHYSICALADAPTERCAPS, &in, sizeof(in), &physical, sizeof(physical)),
        STATUS_SUCCESS);
    assert_int_equal(physical.Flags.GpuMmuSupported, mmu);
    assert_int_equal(fixture->ddi->DxgkDdiGetNodeMetadata(fixture->adapter, 0, &node),
                     STATUS_SUCCESS);
    assert_int_equal(node.GpuMmuSupported, mmu);
    return mmu;
}

static void every_answer_says_gpu_mmu(void **state) {
    static struct vm vm;
    struct vidmm_umd_caps umd = {0};
    (void)state;
    open_plain(&vm);
    assert_true(says_gpu_mmu(&vm.fixture));
    assert_int_equal(ask(&vm.fixture, DXGKQAITYPE_UMDRIVERPRIVATE, NULL, 0, &umd, sizeof(umd)),
                     STATUS_SUCCESS);
    assert_true(umd.packets >> VIDMM_UMD_PACKET_SIGNAL & 1u);
    assert_true(umd.packets >> VIDMM_UMD_PACKET_STAMP & 1u);
    vm_close(&vm);
}

static void demands_are_said(void **state) {
    static struct vm vm;
    (void)state;
    for (uint32_t demands = 0; demands < 8; demands++) {
        const struct vidmm_host_setting settings[] = {{"MmuLevels", 3}, {"MmuDemands", demands}};
        vm_open(&vm, settings, 2);
        assert_int_equal(vm.caps.ExplicitPageTableInvalidation, demands & 1u);
        assert_int_equal(vm.caps.PageTableUpdateRequireAddressSpaceIdle, demands >> 1 & 1u);
        assert_int_equal(vm.caps.LegacyBehaviors.SourcePageTableVaInTransfer, demands >> 2);
        vm_close(&vm);
    }
}

/* An older driver on the new board, and the driver on an older board. */
static void without_mmu_or_before_wddm2_nothing_is_said(void **state) {
    const struct vidmm_host_setting old[] = {
        {"MmuLevels", 4}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM1_3}};
    (void)state;
    for (uint32_t board = 0; board < 2; board++) {
        struct fixture fixture;
        DXGK_QUERYGPUMMUCAPSIN in = {0};
        DXGK_GPUMMUCAPS caps;
        struct vidmm_umd_caps umd = {0};
        fixture_open(&fixture, board == 0 ? old : NULL, board == 0 ? 2 : 0);
        assert_false(says_gpu_mmu(&fixture));
        assert_null(fixture.ddi->DxgkDdiSubmitCommandVirtual);
        assert_null(fixture.ddi->DxgkDdiSetRootPageTable);
        assert_int_equal(
            ask(&fixture, DXGKQAITYPE_GPUMMUCAPS, &in, sizeof(in), &caps, sizeof(caps)),
            STATUS_INVALID_PARAMETER);
        assert_int_equal(ask(&fixture, DXGKQAITYPE_UMDRIVERPRIVATE, NULL, 0, &umd, sizeof(umd)),
                         STATUS_SUCCESS);
        assert_int_equal(umd.packets, 0);
        fixture_close(&fixture);
    }
}

/* Tables that the CPU updates must not be in local memory, and the paging process's must be where
 * the CPU is. */
static void impossible_settings_do_not_start(void **state) {
    static const struct vidmm_host_setting cases[][4] = {
        {{"MmuLevels", 4}, {"MmuUpdateMode", 0}, {"MmuTableSegment", 2}, {"MmuPages", 0}},
        {{"MmuLevels", 2}, {"MmuUpdateMode", 0}, {"MmuIndexBits", 0x0f0d}, {"MmuPages", 0}},
        {{"MmuLevels", 2}, {"MmuUpdateMode", 2}, {"VramVisibleBytes", 0}, {"MmuPages", 0}},
        {{"MmuLevels", 4}, {"MmuUpdateMode", 2}, {"MmuTableSegment", 1}, {"MmuPages", 0}},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_false(fixture_starts(cases[i], 4));
}

static void every_shape_starts_however_its_tables_are_updated(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < 5 * 3 * 3; shape++) {
        const struct vidmm_host_setting settings[] = {{"MmuLevels", 2 + shape / 9},
                                                      {"MmuPages", shape / 3 % 3},
                                                      {"MmuUpdateMode", shape % 3}};
        assert_true(fixture_starts(settings, 3));
    }
}

static void a_root_of_two_levels_has_room_for_what_is_asked(void **state) {
    static struct vm vm;
    const struct vm_shape shape = {2, 1, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL};
    (void)state;
    vm_open_shape(&vm, &shape);
    for (uint32_t wanted = 1; wanted <= 1u << 15; wanted = wanted * 3 + 1) {
        DXGKARG_GETROOTPAGETABLESIZE args = {.NumberOfPte = wanted};
        SIZE_T bytes = vm.fixture.ddi->DxgkDdiGetRootPageTableSize(vm.fixture.adapter, &args);
        assert_true(args.NumberOfPte >= wanted);
        assert_true(bytes >= args.NumberOfPte * 8u);
        assert_int_equal(bytes % VM_64K, 0); /* the page size of the segment it is in */
    }
    vm_close(&vm);
}

static void memory_is_managed_in_64k_pages_where_tables_have_them(void **state) {
    static struct vm vm;
    const struct vm_shape shape = {4, 2, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL};
    struct vidmm_umd_allocation umd = {VIDMM_UMD_MAGIC, VIDMM_UMD_LOCAL, 2 * VM_64K, 0, 0, 0, 0};
    DXGK_ALLOCATIONINFO info;
    (void)state;
    vm_open_shape(&vm, &shape);
    assert_true(vm.segment[vm.local - 1].flags & 0x800u); /* Use64KBPages */
    HANDLE allocation = fixture_allocate(&vm.fixture, &umd, &info, NULL);
    assert_int_equal(info.Alignment, VM_64K);
    assert_false(info.FlagsWddm2.AccessedPhysically);
    fixture_free(&vm.fixture, allocation);
    umd.flags |= VIDMM_UMD_ACCESSED_PHYSICALLY | VIDMM_UMD_RESIDENCY_NOTIFIED;
    umd.size = FIXTURE_PAGE;
    allocation = fixture_allocate(&vm.fixture, &umd, &info, NULL);
    assert_int_equal(info.Alignment, 0);
    assert_true(info.FlagsWddm2.AccessedPhysically);
    assert_true(info.FlagsWddm2.ExplicitResidencyNotification);
    fixture_free(&vm.fixture, allocation);
    vm_close(&vm);
}

/* ---- What entries mean ----------------------------------------------------------------------- */

static void leads_to(const struct vm_space *space, uint64_t va, struct vm_place place,
                     uint64_t page_bytes) {
    struct vidmm_hw_translation found = vm_translate(space, va + 0x123);
    assert_true(found.valid);
    assert_int_equal(found.address, vm_physical(space->vm, place) + 0x123);
    assert_int_equal(found.page_bytes, page_bytes);
}

/* Scattered pages on both sides of the end of a leaf table, and at the end of the space. */
static void pages_lead_where_they_were_mapped(struct vm *vm, const struct vm_shape *shape) {
    struct vm_space space;
    uint64_t edge = vm_coverage(vm, 1);
    const uint64_t va[] = {BASE, edge - FIXTURE_PAGE, edge, 3 * edge + 7 * FIXTURE_PAGE,
                           (UINT64_C(1) << vm->caps.VirtualAddressBitCount) - FIXTURE_PAGE};
    struct vm_place place[5];
    vm_space_make(vm, &space, TOKEN);
    for (uint32_t i = 0; i < 5; i++) {
        place[i] = i % 2 == 0 ? vm_system_page(vm) : vm_local(vm, FIXTURE_PAGE, FIXTURE_PAGE);
        vm_map(&space, va[i], place[i], false, 0);
    }
    for (uint32_t i = 0; i < 5; i++)
        leads_to(&space, va[i], place[i], FIXTURE_PAGE);
    assert_false(vm_translate(&space, BASE + FIXTURE_PAGE).valid);
    assert_false(vm_translate(&space, 0).valid);
    vm_unmap(&space, va[1], false);
    assert_false(vm_translate(&space, va[1]).valid);
    leads_to(&space, va[2], place[2], FIXTURE_PAGE);
    if (shape->pages != 0) {
        uint64_t large = 5 * edge; /* a leaf table of its own */
        struct vm_place wide = vm_local(vm, VM_64K, VM_64K);
        vm_map(&space, large + VM_64K, wide, true, 0);
        leads_to(&space, large + VM_64K, wide, VM_64K);
        assert_false(vm_translate(&space, large).valid);
    }
    vm_space_drop(&space);
}

static void pages(void **state) {
    (void)state;
    vm_each_shape(pages_lead_where_they_were_mapped);
}

/* In one range of addresses, as long as no 64 KiB has both. */
static void dual_entries_have_both_page_sizes(void **state) {
    static struct vm vm;
    struct vm_space space;
    (void)state;
    for (uint32_t mode = 0; mode <= 2; mode++) {
        const struct vm_shape shape = {3, 2, mode};
        vm_open_shape(&vm, &shape);
        vm_space_make(&vm, &space, TOKEN);
        struct vm_place wide = vm_local(&vm, VM_64K, VM_64K), narrow = vm_system_page(&vm);
        vm_map(&space, 0, wide, true, 0);
        vm_map(&space, VM_64K, narrow, false, 0);
        leads_to(&space, 0, wide, VM_64K);
        leads_to(&space, VM_64K, narrow, FIXTURE_PAGE);
        vm_unmap(&space, 0, true);
        vm_map(&space, 0, narrow, false, 0);
        leads_to(&space, 0, narrow, FIXTURE_PAGE);
        vm_space_drop(&space);
        vm_close(&vm);
    }
}

static void protections_arrive(void **state) {
    static struct vm vm;
    struct vm_space space;
    DXGK_PTE flags = {.Flags = 0};
    (void)state;
    open_plain(&vm);
    vm_space_make(&vm, &space, TOKEN);
    struct vm_place page = vm_system_page(&vm);
    flags.ReadOnly = 1;
    vm_map(&space, BASE, page, false, flags.Flags);
    flags.NoExecute = 1;
    flags.CacheCoherent = 1;
    vm_map(&space, BASE + FIXTURE_PAGE, page, false, flags.Flags);
    struct vidmm_hw_translation found = vm_translate(&space, BASE);
    assert_true(found.read_only && !found.no_execute);
    found = vm_translate(&space, BASE + FIXTURE_PAGE);
    assert_true(found.read_only && found.no_execute);
    flags.Flags = 0;
    flags.Zero = 1;
    vm_map(&space, BASE, page, false, flags.Flags);
    assert_true(vm_translate(&space, BASE).zero);
    vm_space_drop(&space);
    vm_close(&vm);
}

/* An entry above the leaves that is a page, or zero, over all that it covers. */
static void large_pages_cover_a_table(void **state) {
    static struct vm vm;
    struct vm_space space;
    (void)state;
    open_plain(&vm);
    vm_space_make(&vm, &space, TOKEN);
    uint64_t cover = vm_coverage(&vm, 1);
    const struct vm_table *table = vm_table(&space, 1, 0, false);
    DXGK_PTE entry[2] = {vm_entry(vm_local(&vm, cover, cover), 0), {.Flags = 0}};
    entry[0].LargePage = 1;
    entry[1].Valid = entry[1].Zero = 1;
    vm_update(&space, table,
              (DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE){
                  .pPageTableEntries = entry, .StartIndex = 2, .NumPageTableEntries = 2});
    struct vidmm_hw_translation found = vm_translate(&space, 2 * cover + 12345);
    assert_true(found.valid);
    assert_int_equal(found.page_bytes, cover);
    assert_true(vm_translate(&space, 4 * cover - 1).zero);
    vm_space_drop(&space);
    vm_close(&vm);
}

/* ---- Work ------------------------------------------------------------------------------------ */

/* Packets of a user-mode driver, in a page that the process sees. */
static struct vm_place commands_for(struct vm_space *space, const void *packets, size_t bytes) {
    struct vm_place place = vm_system_page(space->vm);
    memcpy(vm_bytes(space->vm, place, FIXTURE_PAGE), packets, bytes);
    vm_map(space, COMMANDS, place, false, 0);
    return place;
}

struct work {
    struct vidmm_umd_fill fill;
    struct vidmm_umd_signal signal;
};

static struct work work_at(uint64_t va, uint32_t pattern) {
    return (struct work){
        {{VIDMM_UMD_PACKET_FILL, 0, sizeof(struct vidmm_umd_fill)}, pattern, 0, va, FIXTURE_PAGE},
        {{VIDMM_UMD_PACKET_SIGNAL, 0, sizeof(struct vidmm_umd_signal)}, va + 8, 77},
    };
}

static void packets_run_in_the_address_space_of_their_process(struct vm *vm,
                                                              const struct vm_shape *shape) {
    struct vm_space space[2];
    struct vm_place page[2];
    (void)shape;
    for (uint32_t i = 0; i < 2; i++) {
        struct work work = work_at(BASE, 0x01010101u * (i + 1));
        vm_space_make(vm, &space[i], TOKEN + i);
        page[i] = vm_system_page(vm);
        vm_map(&space[i], BASE, page[i], false, 0);
        commands_for(&space[i], &work, sizeof(work));
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(vm_submit(&space[i], COMMANDS, sizeof(struct work)), STATUS_SUCCESS);
        assert_int_equal(vm->fixture.completed, vm->fixture.fence);
        const unsigned char *bytes = vm_bytes(vm, page[i], FIXTURE_PAGE);
        assert_int_equal(bytes[0], i + 1);
        assert_int_equal(bytes[8], 77);
        assert_int_equal(bytes[FIXTURE_PAGE - 1], i + 1);
    }
    assert_int_equal(vm->fixture.faulted, 0);
    vm_space_drop(&space[0]);
    vm_space_drop(&space[1]);
}

static void packets(void **state) {
    (void)state;
    vm_each_shape(packets_run_in_the_address_space_of_their_process);
}

/* Spaces are numbers that are given again. */
static void a_new_process_sees_nothing_of_an_old_one(void **state) {
    static struct vm vm;
    (void)state;
    open_plain(&vm);
    for (uint32_t i = 0; i < 3; i++) {
        struct vm_space space;
        struct work work = work_at(BASE, 0x01010101u * (i + 1));
        vm_space_make(&vm, &space, TOKEN);
        struct vm_place page = vm_system_page(&vm);
        /* Its tables name the new page from the start: there is nothing to flush. */
        vm_map(&space, BASE, page, false, 0);
        commands_for(&space, &work, sizeof(work));
        assert_int_equal(vm_submit(&space, COMMANDS, sizeof(work)), STATUS_SUCCESS);
        assert_int_equal(vm_bytes(&vm, page, FIXTURE_PAGE)[0], i + 1);
        vm_space_drop(&space);
    }
    vm_close(&vm);
}

/* A malformed submission is refused, and its fence completes in its turn. */
static void a_refused_submission_completes(void **state) {
    static struct vm vm;
    struct vm_space space;
    DXGKARG_QUERYCURRENTFENCE current = {.NodeOrdinal = 0};
    (void)state;
    open_plain(&vm);
    vm_space_make(&vm, &space, TOKEN);
    assert_int_equal(vm_submit(&space, COMMANDS, 13), STATUS_INVALID_PARAMETER);
    assert_int_equal(vm.fixture.completed, vm.fixture.fence);
    assert_int_equal(vm.fixture.ddi->DxgkDdiQueryCurrentFence(vm.fixture.adapter, &current),
                     STATUS_SUCCESS);
    assert_int_equal(current.CurrentFence, vm.fixture.fence);
    vm_space_drop(&space);
    vm_close(&vm);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

static void faults_at(struct vm *vm, struct vm_space *space, uint64_t va, uint32_t flags,
                      uintptr_t token) {
    struct work work = work_at(va, 1);
    DXGKARG_RESETENGINE reset = {.NodeOrdinal = 0};
    DXGKARG_QUERYCURRENTFENCE current = {.NodeOrdinal = 0};
    commands_for(space, &work, sizeof(work));
    memset(&vm->fixture.notified, 0, sizeof(vm->fixture.notified));
    assert_int_equal(vm_submit(space, COMMANDS, sizeof(work)), STATUS_SUCCESS);
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notified = &vm->fixture.notified;
    assert_int_equal(notified->InterruptType, DXGK_INTERRUPT_DMA_PAGE_FAULTED);
    assert_int_equal(notified->DmaPageFaulted.FaultedFenceId, vm->fixture.fence);
    assert_int_equal(notified->DmaPageFaulted.FaultedVirtualAddress, va);
    assert_int_equal(notified->DmaPageFaulted.PageFaultFlags, flags);
    assert_int_equal(notified->DmaPageFaulted.NodeOrdinal, 0);
    assert_int_equal((uintptr_t)notified->DmaPageFaulted.FaultedProcessHandle, token);
    assert_int_equal(vm->fixture.faulted, vm->fixture.fence);
    /* It counts as done, and the engine goes on once it is reset. */
    assert_int_equal(vm->fixture.ddi->DxgkDdiQueryCurrentFence(vm->fixture.adapter, &current),
                     STATUS_SUCCESS);
    assert_int_equal(current.CurrentFence, vm->fixture.fence);
    assert_int_equal(vm->fixture.ddi->DxgkDdiResetEngine(vm->fixture.adapter, &reset),
                     STATUS_SUCCESS);
    assert_int_equal(reset.LastAbortedFenceId, vm->fixture.fence);
    vm->fixture.faulted = 0;
}

static void a_fault_names_address_and_process(struct vm *vm, const struct vm_shape *shape) {
    struct vm_space space[2];
    const uint32_t write = DXGK_PAGE_FAULT_WRITE | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
    DXGK_PTE read_only = {.Flags = 0};
    (void)shape;
    read_only.ReadOnly = 1;
    vm_space_make(vm, &space[0], TOKEN);
    vm_space_make(vm, &space[1], TOKEN + 1);
    struct vm_place page = vm_system_page(vm);
    /* What one process has is nothing to the other. */
    vm_map(&space[0], BASE, page, false, 0);
    vm_map(&space[1], BASE + FIXTURE_PAGE, page, false, read_only.Flags);
    faults_at(vm, &space[1], BASE, write, TOKEN + 1);
    faults_at(vm, &space[1], BASE + FIXTURE_PAGE, write, TOKEN + 1);
    faults_at(vm, &space[0], BASE + FIXTURE_PAGE, write, TOKEN);
    struct work work = work_at(BASE, 0x55555555u);
    commands_for(&space[0], &work, sizeof(work));
    assert_int_equal(vm_submit(&space[0], COMMANDS, sizeof(work)), STATUS_SUCCESS);
    assert_int_equal(vm->fixture.completed, vm->fixture.fence);
    assert_int_equal(vm_bytes(vm, page, FIXTURE_PAGE)[0], 0x55);
    vm_space_drop(&space[0]);
    vm_space_drop(&space[1]);
}

static void faults(void **state) {
    (void)state;
    vm_each_shape(a_fault_names_address_and_process);
}

/* Fetching commands is an access too. */
static void commands_that_are_not_mapped_fault(void **state) {
    static struct vm vm;
    struct vm_space space;
    (void)state;
    open_plain(&vm);
    vm_space_make(&vm, &space, TOKEN);
    assert_int_equal(vm_submit(&space, COMMANDS, 64), STATUS_SUCCESS);
    assert_int_equal(vm.fixture.notified.InterruptType, DXGK_INTERRUPT_DMA_PAGE_FAULTED);
    assert_int_equal(vm.fixture.notified.DmaPageFaulted.FaultedVirtualAddress, COMMANDS);
    assert_int_equal(vm.fixture.notified.DmaPageFaulted.PageFaultFlags,
                     DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED);
    vm_space_drop(&space);
    vm_close(&vm);
}

/* Beyond the entries of the root there is nothing, whatever memory holds there. */
static void a_short_root_ends_the_space(void **state) {
    static struct vm vm;
    struct vm_space space;
    const struct vm_shape shape = {2, 0, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL};
    (void)state;
    vm_open_shape(&vm, &shape);
    vm_space_make(&vm, &space, TOKEN);
    uint64_t far = 5 * vm_coverage(&vm, 1);
    vm_map(&space, far, vm_system_page(&vm), false, 0);
    DXGKARG_SETROOTPAGETABLE root = {
        .hContext = space.context,
        .Address = {space.table[0].at.segment, 0, space.table[0].at.offset},
        .NumEntries = 5};
    vm.fixture.ddi->DxgkDdiSetRootPageTable(vm.fixture.adapter, &root);
    space.root_entries = 5;
    assert_false(vm_translate(&space, far).valid);
    faults_at(&vm, &space, far, DXGK_PAGE_FAULT_WRITE | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED,
              TOKEN);
    vm_space_drop(&space);
    vm_close(&vm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions),
        cmocka_unit_test(every_answer_says_gpu_mmu),
        cmocka_unit_test(demands_are_said),
        cmocka_unit_test(without_mmu_or_before_wddm2_nothing_is_said),
        cmocka_unit_test(impossible_settings_do_not_start),
        cmocka_unit_test(every_shape_starts_however_its_tables_are_updated),
        cmocka_unit_test(a_root_of_two_levels_has_room_for_what_is_asked),
        cmocka_unit_test(memory_is_managed_in_64k_pages_where_tables_have_them),
        cmocka_unit_test(pages),
        cmocka_unit_test(dual_entries_have_both_page_sizes),
        cmocka_unit_test(protections_arrive),
        cmocka_unit_test(large_pages_cover_a_table),
        cmocka_unit_test(packets),
        cmocka_unit_test(a_new_process_sees_nothing_of_an_old_one),
        cmocka_unit_test(a_refused_submission_completes),
        cmocka_unit_test(faults),
        cmocka_unit_test(commands_that_are_not_mapped_fault),
        cmocka_unit_test(a_short_root_ends_the_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
