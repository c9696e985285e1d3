/*
 * virtual_paging_test.c - the paging operations of the reference driver on a board with an MMU:
 * bytes moved through scattered pages, page tables written in pieces, entries copied over
 * themselves, and the operations that only an adapter with GPU virtual addresses gets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "fixture/vm.h"

#define TOKEN   0x7001u
#define BASE    UINT64_C(0x400000)
#define PAGES   9u
#define ENTRIES 24u

static void open_mode(struct vm *vm, uint32_t pages, uint32_t mode) {
    const struct vm_shape shape = {3, pages, mode};
    vm_open_shape(vm, &shape);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* System memory and VRAM in turn, no page next to the one before it. */
static void scatter(struct vm *vm, struct vm_place page[PAGES], uint32_t first) {
    for (uint32_t i = 0; i < PAGES; i++)
        page[i] = (i + first) % 2 == 0 ? vm_system_page(vm)
                                       : vm_local(vm, FIXTURE_PAGE, 3 * FIXTURE_PAGE);
}

static unsigned char byte_of(struct vm *vm, const struct vm_place page[PAGES], uint64_t at) {
    return vm_bytes(vm, page[at / FIXTURE_PAGE], FIXTURE_PAGE)[at % FIXTURE_PAGE];
}

static unsigned char filled(uint64_t at, uint64_t start, uint64_t end, uint32_t pattern) {
    return at < start || at >= end ? 0 : (unsigned char)(pattern >> 8 * ((at - start) % 4));
}

static void bytes_move_through_scattered_pages(struct vm *vm, const struct vm_shape *shape) {
    struct vm_place from[PAGES], to[PAGES];
    const uint64_t all = PAGES * FIXTURE_PAGE, start = 1000, end = all - 24, shift = 520;
    (void)shape;
    scatter(vm, from, 0);
    scatter(vm, to, 1);
    uint64_t source = vm_show(vm, from, PAGES), destination = vm_show(vm, to, PAGES);
    vm_fill(vm, source, all, 0);
    vm_fill(vm, destination, all, 0);
    vm_fill(vm, source + start, end - start, 0xa1b2c3d4u);
    vm_transfer(vm, destination, source + shift, all - shift);
    for (uint64_t at = 0; at < all; at += 1 + at % 61) {
        assert_int_equal(byte_of(vm, from, at), filled(at, start, end, 0xa1b2c3d4u));
        assert_int_equal(byte_of(vm, to, at),
                         at < all - shift ? filled(at + shift, start, end, 0xa1b2c3d4u) : 0);
    }
}

static void bytes(void **state) {
    (void)state;
    vm_each_shape(bytes_move_through_scattered_pages);
}

/* Operations with physical addresses do what they did, whether their buffers run virtually or
 * not. */
static void physical_operations_go_on_working(void **state) {
    static struct vm vm;
    (void)state;
    open_mode(&vm, 0, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
    const struct vidmm_os *os = vm.fixture.os;
    PMDL mdl = os->pages_alloc(os->ctx, 4, 0, UINT64_MAX);
    struct vm_place place = vm_local(&vm, 4 * FIXTURE_PAGE, FIXTURE_PAGE);
    const uint64_t address = vm_physical(&vm, place), bytes = 4 * (uint64_t)FIXTURE_PAGE;
    for (uint32_t i = 0; i < 2; i++) {
        DXGKARG_BUILDPAGINGBUFFER args = fixture_fill(vm.local, address, bytes, 0x0badcafeu + i);
        vm_run(&vm, &args);
        args = fixture_out(NULL, vm.local, address, bytes, mdl);
        vm_run(&vm, &args);
        const unsigned char *last = fixture_mdl_page(&vm.fixture, mdl, 3);
        assert_int_equal(last[0], 0xfe + i);
        assert_memory_equal(last, vm_bytes(&vm, place, FIXTURE_PAGE), FIXTURE_PAGE);
        args = fixture_map(1, 7 + 8 * i, 4, mdl, 0);
        vm_run(&vm, &args);
        assert_ptr_equal(
            vidmm_host_peek(vm.fixture.host, 0, vm.segment[0].base + (9 + 8 * i) * FIXTURE_PAGE, 4),
            fixture_mdl_page(&vm.fixture, mdl, 2));
        vm.fixture.paging_context = NULL; /* DxgkDdiSubmitCommand from now on */
    }
    os->pages_free(os->ctx, mdl);
    vm_close(&vm);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Of pages that change places in pairs: what follows each other takes the room of one. */
static void entries_for(struct vm *vm, DXGK_PTE entry[ENTRIES], bool large) {
    for (uint32_t i = 0; i < ENTRIES; i++)
        entry[i ^ 1u] =
            vm_entry(vm_local(vm, large ? VM_64K : FIXTURE_PAGE, large ? VM_64K : FIXTURE_PAGE), 0);
}

/* The same update again from nothing, into DMA buffers of `dma_bytes`: the same table. */
static void update_again(struct vm_space *space, const struct vm_table *table,
                         const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, uint32_t dma_bytes,
                         const unsigned char *wanted, uint32_t bytes) {
    struct vm *vm = space->vm;
    unsigned char *at = vm_bytes(vm, table->at, bytes);
    memset(at, 0, bytes);
    uint32_t before = vm->fixture.submissions;
    vm->dma_bytes = dma_bytes;
    vm_update(space, table, *update);
    vm->dma_bytes = FIXTURE_BUFFER;
    assert_memory_equal(at, wanted, bytes);
    if (vm->caps.PageTableUpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
        assert_int_equal(vm->fixture.submissions, before);
    else if (!update->Flags.Repeat)
        assert_true(vm->fixture.submissions - before > 1);
}

static void update_in_pieces(struct vm_space *space, const struct vm_table *table,
                             DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE update) {
    static unsigned char wanted[FIXTURE_PAGE];
    struct vm *vm = space->vm;
    unsigned char *at = vm_bytes(vm, table->at, sizeof(wanted));
    for (uint32_t repeat = 0; repeat < 2; repeat++) {
        update.Flags.Repeat = repeat;
        memset(at, 0, sizeof(wanted));
        vm_update(space, table, update);
        memcpy(wanted, at, sizeof(wanted));
        assert_memory_not_equal(wanted, (const unsigned char[FIXTURE_PAGE]){0}, sizeof(wanted));
        for (uint32_t dma_bytes = 40; dma_bytes <= 104; dma_bytes += 16)
            update_again(space, table, &update, dma_bytes, wanted, sizeof(wanted));
    }
}

static void small_buffers_make_the_same_tables(void **state) {
    static struct vm vm;
    struct vm_space space;
    DXGK_PTE entry[ENTRIES], entry64[ENTRIES];
    (void)state;
    for (uint32_t shape = 0; shape < 9; shape++) {
        open_mode(&vm, shape / 3, shape % 3);
        vm_space_make(&vm, &space, TOKEN);
        entries_for(&vm, entry, false);
        entries_for(&vm, entry64, true);
        DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE update = {
            .pPageTableEntries = entry, .StartIndex = 3, .NumPageTableEntries = ENTRIES};
        update_in_pieces(&space, vm_table(&space, 0, 0, false), update);
        if (vm.caps.DualPteSupported)
            update.pPageTableEntries64KB = entry64;
        update_in_pieces(&space, vm_table(&space, 1, 0, false), update);
        if (shape / 3 != 0) {
            update.pPageTableEntries = entry64;
            update.pPageTableEntries64KB = NULL;
            update.StartIndex = 1;
            update.Flags.Use64KBPages = 1;
            uint64_t other = vm_coverage(&vm, 1);
            update_in_pieces(&space, vm_table(&space, 0, other, true), update);
        }
        vm_space_drop(&space);
        vm_close(&vm);
    }
}

/* Pages that follow each other become the entries that they become one by one. */
static void following_pages_make_the_entries_that_single_ones_make(void **state) {
    static struct vm vm;
    struct vm_space space;
    DXGK_PTE entry[ENTRIES];
    static unsigned char wanted[FIXTURE_PAGE];
    (void)state;
    for (uint32_t shape = 0; shape < 9; shape++) {
        open_mode(&vm, shape / 3, shape % 3);
        vm_space_make(&vm, &space, TOKEN);
        const struct vm_table *table = vm_table(&space, 0, 0, false);
        unsigned char *at = vm_bytes(&vm, table->at, sizeof(wanted));
        const struct vm_place first = vm_local(&vm, ENTRIES * FIXTURE_PAGE, FIXTURE_PAGE);
        for (uint32_t odd = 0; odd < 2; odd++) {
            for (uint32_t i = 0; i < ENTRIES; i++)
                entry[i] =
                    vm_entry((struct vm_place){first.segment, first.offset + i * FIXTURE_PAGE}, 0);
            entry[ENTRIES / 2].PageAddress -= odd;
            for (uint32_t i = 0; i < ENTRIES; i++)
                vm_update(&space, table,
                          (DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE){.pPageTableEntries = &entry[i],
                                                                   .StartIndex = 3 + i,
                                                                   .NumPageTableEntries = 1});
            memcpy(wanted, at, sizeof(wanted));
            memset(at, 0, sizeof(wanted));
            vm_update(&space, table,
                      (DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE){.pPageTableEntries = entry,
                                                               .StartIndex = 3,
                                                               .NumPageTableEntries = ENTRIES});
            assert_memory_equal(at, wanted, sizeof(wanted));
        }
        vm_space_drop(&space);
        vm_close(&vm);
    }
}

/* A buffer without room for a command is given back untouched. */
static void no_room_means_nothing_written(void **state) {
    static struct vm vm;
    DXGK_PTE entry = {.Flags = 1};
    uint32_t used = 1;
    (void)state;
    open_mode(&vm, 0, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
    for (int operation = DXGK_OPERATION_VIRTUAL_TRANSFER;
         operation <= (int)DXGK_OPERATION_SIGNAL_MONITORED_FENCE; operation++) {
        DXGKARG_BUILDPAGINGBUFFER args = {.Operation = (DXGK_BUILDPAGINGBUFFER_OPERATION)operation};
        DXGK_BUILDPAGINGBUFFER_COPY_RANGE range = {.NumPageTableEntries = 1};
        uint32_t data = 1;
        if (operation == DXGK_OPERATION_VIRTUAL_TRANSFER)
            args.TransferVirtual.TransferSizeInBytes = 1;
        else if (operation == DXGK_OPERATION_VIRTUAL_FILL)
            args.FillVirtual.FillSizeInBytes = 1;
        else if (operation == DXGK_OPERATION_UPDATE_PAGE_TABLE)
            args.UpdatePageTable = (DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE){
                .pPageTableEntries = &entry, .NumPageTableEntries = 1, .UpdateMode = 2};
        else if (operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES)
            args.CopyPageTableEntries = (DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES){1, &range};
        else if (operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION)
            args.UpdateContextAllocation =
                (DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION){0, 4, &data, 4};
        else if (operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE ||
                 operation == DXGK_OPERATION_NOTIFY_RESIDENCY)
            continue; /* nothing to write without an allocation */
        assert_int_equal(fixture_build(&vm.fixture, &args, 16, &used),
                         STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
        assert_int_equal(used, 0);
        assert_int_equal(args.MultipassOffset, 0);
    }
    vm_close(&vm);
}

/* ---- Flushing -------------------------------------------------------------------------------- */

/* Has the GPU look at `va`, so that the TLB knows it. */
static void use(struct vm *vm, uint64_t va) {
    vm_fill(vm, va, 8, 0);
}

/* Behind the driver's back, as far as the TLB is concerned. */
static void redirect(struct vm *vm, uint64_t va, struct vm_place place) {
    DXGK_PTE entry = vm_entry(place, 0);
    struct vm_table *table = vm_table(&vm->system, 0, va, false);
    vm_update(&vm->system, table,
              (DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE){.pPageTableEntries = &entry,
                                                       .StartIndex = vm_index(vm, table, va),
                                                       .NumPageTableEntries = 1});
}

static uint64_t seen(struct vm *vm, uint64_t va) {
    return vm_translate(&vm->system, va).address;
}

/* The paging process's flushes without a buffer are by register, another's by command. */
static void a_flush_takes_its_range_and_no_more(void **state) {
    static struct vm vm;
    struct vm_space other;
    struct vm_place old[3], new;
    (void)state;
    open_mode(&vm, 0, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
    vm_space_make(&vm, &other, TOKEN);
    for (uint32_t i = 0; i < 3; i++)
        old[i] = vm_system_page(&vm);
    new = vm_system_page(&vm);
    uint64_t va = vm_show(&vm, old, 3);
    for (uint32_t i = 0; i < 3; i++) {
        use(&vm, va + i * FIXTURE_PAGE);
        redirect(&vm, va + i * FIXTURE_PAGE, new);
        assert_int_equal(seen(&vm, va + i * FIXTURE_PAGE), old[i].offset);
    }
    vm_flush(&other, 0, 0);
    assert_int_equal(seen(&vm, va), old[0].offset);
    vm_flush(&vm.system, va + FIXTURE_PAGE, va + 2 * FIXTURE_PAGE);
    assert_int_equal(seen(&vm, va), old[0].offset);
    assert_int_equal(seen(&vm, va + FIXTURE_PAGE), new.offset);
    assert_int_equal(seen(&vm, va + 2 * FIXTURE_PAGE), old[2].offset);
    vm_flush(&vm.system, 0, 0);
    assert_int_equal(seen(&vm, va), new.offset);
    assert_int_equal(seen(&vm, va + 2 * FIXTURE_PAGE), new.offset);
    vm_space_drop(&other);
    vm_close(&vm);
}

/* ---- Copying entries ------------------------------------------------------------------------- */

struct copied {
    struct vm vm;
    uint64_t *words; /* of a table that the paging process sees at `va` */
    uint64_t va;
};

static void copied_open(struct copied *copied) {
    open_mode(&copied->vm, 0, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL);
    struct vm_place table = vm_system_page(&copied->vm);
    copied->words = (uint64_t *)(void *)vm_bytes(&copied->vm, table, FIXTURE_PAGE);
    copied->va = vm_show(&copied->vm, &table, 1);
}

/* From `from` to `to`, `count` entries as `ranges` ranges of the same length. */
static void copy_and_compare(struct copied *copied, uint32_t from, uint32_t to, uint32_t count,
                             uint32_t ranges) {
    DXGK_BUILDPAGINGBUFFER_COPY_RANGE range[8];
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES};
    uint32_t each = count / ranges;
    for (uint32_t i = 0; i < FIXTURE_PAGE / 8; i++)
        copied->words[i] = i + 1;
    for (uint32_t i = 0; i < ranges; i++)
        range[i] = (DXGK_BUILDPAGINGBUFFER_COPY_RANGE){each, copied->va, copied->va,
                                                       from + i * each, to + i * each};
    args.CopyPageTableEntries.NumRanges = ranges;
    args.CopyPageTableEntries.pRanges = range;
    vm_run(&copied->vm, &args);
    for (uint32_t i = 0; i < FIXTURE_PAGE / 8; i++)
        assert_int_equal(copied->words[i], i >= to && i < to + count ? i - to + from + 1 : i + 1);
}

static void entries_are_copied_as_if_read_first(void **state) {
    static struct copied copied;
    (void)state;
    copied_open(&copied);
    for (uint32_t dma_bytes = 40; dma_bytes <= FIXTURE_BUFFER; dma_bytes *= 8) {
        copied.vm.dma_bytes = dma_bytes;
        for (uint32_t ranges = 1; ranges <= 8; ranges *= 2) {
            copy_and_compare(&copied, 100, 300, 64, ranges);
            copy_and_compare(&copied, 100, 109, 64, ranges);
            copy_and_compare(&copied, 109, 100, 64, ranges);
        }
    }
    vm_close(&copied.vm);
}

/* ---- The others ------------------------------------------------------------------------------ */

static void context_allocations_get_their_content(void **state) {
    static struct vm vm;
    struct vm_place page[PAGES];
    unsigned char data[777];
    struct vidmm_umd_allocation umd = {
        VIDMM_UMD_MAGIC, VIDMM_UMD_LOCAL, 3 * FIXTURE_PAGE, 0, 0, 0, 0};
    DXGK_ALLOCATIONINFO info;
    (void)state;
    open_mode(&vm, 0, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
    scatter(&vm, page, 0);
    uint64_t va = vm_show(&vm, page, PAGES);
    for (uint32_t i = 0; i < sizeof(data); i++)
        data[i] = (unsigned char)(i * 7 + 1);
    vm_fill(&vm, va, PAGES * FIXTURE_PAGE, 0xeeeeeeeeu);
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_INIT_CONTEXT_RESOURCE};
    args.InitContextResource.hAllocation = fixture_allocate(&vm.fixture, &umd, &info, NULL);
    args.InitContextResource.Destination.GpuVirtualAddress = va;
    vm_run(&vm, &args);
    assert_int_equal(byte_of(&vm, page, 3 * FIXTURE_PAGE - 1), 0);
    assert_int_equal(byte_of(&vm, page, 3 * FIXTURE_PAGE), 0xee);
    fixture_free(&vm.fixture, args.InitContextResource.hAllocation);
    for (uint32_t dma_bytes = 40; dma_bytes <= 4096; dma_bytes *= 3) {
        uint64_t at = 3 * FIXTURE_PAGE - 500; /* over the end of a page */
        vm.dma_bytes = dma_bytes;
        vm_fill(&vm, va, PAGES * FIXTURE_PAGE, 0xeeeeeeeeu);
        args = (DXGKARG_BUILDPAGINGBUFFER){.Operation = DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION};
        args.UpdateContextAllocation = (DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION){
            va + at, FIXTURE_PAGE, data, sizeof(data)};
        vm_run(&vm, &args);
        for (uint32_t i = 0; i < sizeof(data); i++)
            assert_int_equal(byte_of(&vm, page, at + i), data[i]);
        assert_int_equal(byte_of(&vm, page, at + sizeof(data)), 0xee);
        assert_int_equal(byte_of(&vm, page, at - 1), 0xee);
    }
    vm_close(&vm);
}

static void a_monitored_fence_is_written_and_told(void **state) {
    const struct vidmm_host_setting settings[] = {
        {"MmuLevels", 3}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_2}};
    static struct vm vm;
    (void)state;
    vm_open(&vm, settings, 2);
    struct vm_place page = vm_system_page(&vm);
    uint64_t value = 0;
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_SIGNAL_MONITORED_FENCE};
    args.SignalMonitoredFence.MonitoredFenceGpuVa = vm_show(&vm, &page, 1) + 64;
    args.SignalMonitoredFence.MonitoredFenceValue = UINT64_C(0x123456789abcdef0);
    uint32_t used;
    assert_int_equal(fixture_build(&vm.fixture, &args, FIXTURE_BUFFER, &used), STATUS_SUCCESS);
    memset(&vm.fixture.notified, 0, sizeof(vm.fixture.notified));
    fixture_submit_paging(&vm.fixture, used);
    memcpy(&value, vm_bytes(&vm, page, FIXTURE_PAGE) + 64, sizeof(value));
    assert_int_equal(value, UINT64_C(0x123456789abcdef0));
    assert_int_equal(vm.fixture.notified.InterruptType, DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED);
    assert_int_equal(vm.fixture.notified.MonitoredFenceSignaled.NodeOrdinal, 1);
    vm_close(&vm);
}

/* A notice: the driver remembers it, the GPU has nothing to do. */
static void residency_is_noted_without_work(void **state) {
    static struct vm vm;
    struct vidmm_umd_allocation umd = {VIDMM_UMD_MAGIC,
                                       VIDMM_UMD_LOCAL | VIDMM_UMD_ACCESSED_PHYSICALLY |
                                           VIDMM_UMD_RESIDENCY_NOTIFIED,
                                       FIXTURE_PAGE,
                                       0,
                                       0,
                                       0,
                                       0};
    DXGK_ALLOCATIONINFO info;
    (void)state;
    open_mode(&vm, 0, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
    HANDLE allocation = fixture_allocate(&vm.fixture, &umd, &info, NULL);
    uint32_t before = vm.fixture.submissions;
    for (uint32_t resident = 2; resident-- != 0;) {
        DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_NOTIFY_RESIDENCY};
        args.NotifyResidency.hAllocation = allocation;
        args.NotifyResidency.Resident = resident;
        if (resident)
            args.NotifyResidency.PhysicalAddress =
                (D3DGPU_PHYSICAL_ADDRESS){vm.local, 0, 5 * FIXTURE_PAGE};
        vm_run(&vm, &args);
    }
    assert_int_equal(vm.fixture.submissions, before);
    fixture_free(&vm.fixture, allocation);
    vm_close(&vm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes),
        cmocka_unit_test(physical_operations_go_on_working),
        cmocka_unit_test(small_buffers_make_the_same_tables),
        cmocka_unit_test(following_pages_make_the_entries_that_single_ones_make),
        cmocka_unit_test(no_room_means_nothing_written),
        cmocka_unit_test(a_flush_takes_its_range_and_no_more),
        cmocka_unit_test(entries_are_copied_as_if_read_first),
        cmocka_unit_test(context_allocations_get_their_content),
        cmocka_unit_test(a_monitored_fence_is_written_and_told),
        cmocka_unit_test(residency_is_noted_without_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
