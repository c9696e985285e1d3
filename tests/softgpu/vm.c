/* vm.c - see vm.h. */
#include "vm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define SYSTEM_TOKEN 0x5151u
#define TABLE_PAGES  128u /* of the largest table: a root of two levels, with dual entries */

/* ---- Memory ---------------------------------------------------------------------------------- */

struct vm_place vm_system_page(struct vm *vm) {
    const struct vidmm_os *os = vm->rig.os;
    assert_true(vm->mdls < VM_MDLS);
    PMDL mdl = os->pages_alloc(os->ctx, 1, 0, UINT64_MAX);
    assert_non_null(mdl);
    vm->mdl[vm->mdls++] = mdl;
    return (struct vm_place){0, MmGetMdlPfnArray(mdl)[0] * RIG_PAGE};
}

struct vm_place vm_local(struct vm *vm, uint64_t bytes, uint64_t align) {
    uint64_t at = (vm->local_next + align - 1) / align * align;
    assert_true(at + bytes <= vm->segment[vm->local - 1].size);
    vm->local_next = at + bytes;
    return (struct vm_place){vm->local, at};
}

unsigned char *vm_bytes(struct vm *vm, struct vm_place place, size_t bytes) {
    unsigned char *at =
        place.segment == 0
            ? vidmm_host_memory(vm->rig.host, place.offset, bytes)
            : vidmm_host_io(vm->rig.host, vm->segment[place.segment - 1].cpu + place.offset, bytes);
    assert_non_null(at);
    return at;
}

uint64_t vm_physical(const struct vm *vm, struct vm_place place) {
    return (place.segment != 0 ? vm->segment[place.segment - 1].base : 0) + place.offset;
}

/* ---- Shape of the tables --------------------------------------------------------------------- */

uint64_t vm_coverage(const struct vm *vm, uint32_t level) {
    uint32_t shift = 12;
    for (uint32_t below = 0; below < level; below++)
        shift += vm->level[below].PageTableIndexBitCount;
    return UINT64_C(1) << shift;
}

static bool is_root(const struct vm *vm, uint32_t level) {
    return level + 1 == vm->caps.PageTableLevelCount;
}

static uint32_t entries_of(const struct vm_space *space, const struct vm_table *table) {
    const struct vm *vm = space->vm;
    if (is_root(vm, table->level))
        return space->root_entries;
    return 1u << (vm->level[table->level].PageTableIndexBitCount - (table->large ? 4 : 0));
}

uint32_t vm_index(const struct vm *vm, const struct vm_table *table, uint64_t va) {
    return (uint32_t)((va - table->first) /
                      (table->large ? VM_64K : vm_coverage(vm, table->level)));
}

DXGK_PTE vm_entry(struct vm_place place, uint64_t flags) {
    DXGK_PTE entry = {.Flags = flags};
    entry.Valid = 1;
    entry.Segment = place.segment;
    entry.PageAddress = place.offset / RIG_PAGE;
    return entry;
}

/* ---- Operations ------------------------------------------------------------------------------ */

void vm_run(struct vm *vm, DXGKARG_BUILDPAGINGBUFFER *args) {
    assert_int_equal(rig_page(&vm->rig, args, vm->dma_bytes), STATUS_SUCCESS);
}

/* Done by the driver before it returns. */
static void run_at_once(struct vm *vm, DXGKARG_BUILDPAGINGBUFFER *args) {
    args->pDmaBuffer = NULL;
    args->DmaSize = 0;
    assert_int_equal(vm->rig.ddi->DxgkDdiBuildPagingBuffer(vm->rig.adapter, args), STATUS_SUCCESS);
    assert_null(args->pDmaBuffer);
}

void vm_update(struct vm_space *space, const struct vm_table *table,
               DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE update) {
    struct vm *vm = space->vm;
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE};
    uint32_t room = vm->level[table->level].PageTableSizeInBytes;
    update.PageTableLevel = table->level;
    update.hProcess = space->process;
    update.UpdateMode =
        space->paging ? DXGK_PAGETABLEUPDATE_CPU_VIRTUAL : vm->caps.PageTableUpdateMode;
    if (update.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
        update.PageTableAddress.CpuVirtual = vm_bytes(vm, table->at, room);
    else if (update.UpdateMode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL)
        update.PageTableAddress.GpuVirtual = table->paging_va;
    else
        update.PageTableAddress.GpuPhysical =
            (D3DGPU_PHYSICAL_ADDRESS){table->at.segment, 0, table->at.offset};
    args.UpdatePageTable = update;
    if (space->paging)
        run_at_once(vm, &args);
    else
        vm_run(vm, &args);
}

void vm_flush(struct vm_space *space, uint64_t start, uint64_t end) {
    struct vm *vm = space->vm;
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_FLUSH_TLB};
    args.FlushTlb.RootPageTableAddress =
        (D3DGPU_PHYSICAL_ADDRESS){space->table[0].at.segment, 0, space->table[0].at.offset};
    args.FlushTlb.hProcess = space->process;
    args.FlushTlb.StartVirtualAddress = start;
    args.FlushTlb.EndVirtualAddress = end;
    if (space->paging)
        run_at_once(vm, &args);
    else
        vm_run(vm, &args);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* System tables are a page; in a segment of 64 KiB pages everything begins at one. */
static struct vm_place place_table(struct vm *vm, uint32_t segment, uint32_t bytes) {
    if (segment != 0) {
        assert_int_equal(segment, vm->local);
        return vm_local(vm, bytes, VM_64K);
    }
    assert_true(bytes <= RIG_PAGE);
    return vm_system_page(vm);
}

static void invalidate(struct vm_space *space, const struct vm_table *table) {
    DXGK_PTE none = {0};
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE update = {
        .pPageTableEntries = &none,
        .NumPageTableEntries = entries_of(space, table),
    };
    bool dual = space->vm->caps.DualPteSupported && table->level == 1;
    update.pPageTableEntries64KB = dual ? &none : NULL;
    update.Flags.Repeat = 1;
    update.Flags.InitialUpdate = 1;
    update.Flags.Use64KBPages = table->large;
    vm_update(space, table, update);
}

static struct vm_table *add_table(struct vm_space *space, uint32_t level, uint64_t first,
                                  bool large, uint32_t bytes) {
    struct vm *vm = space->vm;
    uint32_t segment = space->paging ? vm->level[level].PagingProcessPageTableSegmentId
                                     : vm->level[level].PageTableSegmentId;
    assert_true(space->tables < VM_TABLES);
    struct vm_table *table = &space->table[space->tables++];
    *table = (struct vm_table){level, large, first, place_table(vm, segment, bytes), 0};
    memset(vm_bytes(vm, table->at, bytes), 0xdb, bytes);
    if (!space->paging && vm->caps.PageTableUpdateMode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL) {
        struct vm_place page[TABLE_PAGES];
        assert_true(bytes / RIG_PAGE <= TABLE_PAGES);
        for (uint32_t i = 0; i < bytes / RIG_PAGE; i++)
            page[i] = (struct vm_place){segment, table->at.offset + i * RIG_PAGE};
        table->paging_va = vm_show(vm, page, bytes / RIG_PAGE);
    }
    invalidate(space, table);
    return table;
}

static struct vm_table *find(struct vm_space *space, uint32_t level, uint64_t va, bool large) {
    uint64_t cover = vm_coverage(space->vm, level + 1);
    for (uint32_t i = 0; i < space->tables; i++) {
        struct vm_table *table = &space->table[i];
        if (table->level == level && table->large == large &&
            (i == 0 || va / cover == table->first / cover))
            return table;
    }
    return NULL;
}

/* Both halves of a dual entry are written, also the one that stays. */
static void link_table(struct vm_space *space, const struct vm_table *table, uint64_t va) {
    struct vm *vm = space->vm;
    struct vm_table *parent = vm_table(space, table->level + 1, va, false);
    DXGK_PTE entry[2] = {{.Flags = 0}, {.Flags = 0}};
    const bool dual = vm->caps.DualPteSupported && parent->level == 1;
    entry[dual && table->large] = vm_entry(table->at, 0);
    if (table->large && !dual)
        entry[0].PageTablePageSize = DXGK_PTE_PAGE_TABLE_PAGE_64KB;
    const struct vm_table *other = dual ? find(space, 0, va, !table->large) : NULL;
    if (other)
        entry[other->large] = vm_entry(other->at, 0);
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE update = {
        .pPageTableEntries = &entry[0],
        .pPageTableEntries64KB = dual ? &entry[1] : NULL,
        .StartIndex = vm_index(vm, parent, va),
        .NumPageTableEntries = 1,
    };
    vm_update(space, parent, update);
}

struct vm_table *vm_table(struct vm_space *space, uint32_t level, uint64_t va, bool large) {
    struct vm *vm = space->vm;
    struct vm_table *table = find(space, level, va, large);
    uint64_t cover = vm_coverage(vm, level + 1);
    if (table)
        return table;
    assert_false(is_root(vm, level));
    uint32_t bytes = large ? vm->caps.LeafPageTableSizeFor64KPagesInBytes
                           : vm->level[level].PageTableSizeInBytes;
    /* Made tables stay where they are in the array. */
    table = add_table(space, level, va / cover * cover, large, bytes);
    link_table(space, table, va);
    return table;
}

/* The root of two levels is as large as the addresses; the driver says how large that is. */
static void make_root(struct vm_space *space) {
    struct vm *vm = space->vm;
    uint32_t level = vm->caps.PageTableLevelCount - 1;
    uint32_t bytes = vm->level[level].PageTableSizeInBytes;
    space->root_entries = 1u << vm->level[level].PageTableIndexBitCount;
    if (level == 1) {
        uint64_t all = UINT64_C(1) << vm->caps.VirtualAddressBitCount;
        DXGKARG_GETROOTPAGETABLESIZE size = {.NumberOfPte = (UINT)(all / vm_coverage(vm, 1))};
        bytes = (uint32_t)vm->rig.ddi->DxgkDdiGetRootPageTableSize(vm->rig.adapter, &size);
        assert_true(size.NumberOfPte >= all / vm_coverage(vm, 1));
        space->root_entries = size.NumberOfPte;
    }
    assert_true(bytes != 0 && bytes % RIG_PAGE == 0);
    add_table(space, level, 0, false, bytes);
}

static void set_root(struct vm_space *space) {
    const struct vm_place *at = &space->table[0].at;
    DXGKARG_SETROOTPAGETABLE root = {.hContext = space->context,
                                     .Address = {at->segment, 0, at->offset},
                                     .NumEntries = space->root_entries};
    space->vm->rig.ddi->DxgkDdiSetRootPageTable(space->vm->rig.adapter, &root);
}

/* ---- Mapping --------------------------------------------------------------------------------- */

static void put(struct vm_space *space, uint64_t va, DXGK_PTE entry, bool large) {
    struct vm_table *table = vm_table(space, 0, va, large);
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE update = {
        .pPageTableEntries = &entry,
        .StartIndex = vm_index(space->vm, table, va),
        .NumPageTableEntries = 1,
        .FirstPteVirtualAddress = va,
    };
    update.Flags.Use64KBPages = large;
    vm_update(space, table, update);
    vm_flush(space, va, va + (large ? VM_64K : RIG_PAGE));
}

void vm_map(struct vm_space *space, uint64_t va, struct vm_place place, bool large,
            uint64_t flags) {
    put(space, va, vm_entry(place, flags), large);
}

void vm_unmap(struct vm_space *space, uint64_t va, bool large) {
    put(space, va, (DXGK_PTE){.Flags = 0}, large);
}

uint64_t vm_show(struct vm *vm, const struct vm_place *place, uint32_t pages) {
    uint64_t va = vm->scratch;
    for (uint32_t i = 0; i < pages; i++)
        vm_map(&vm->system, va + (uint64_t)i * RIG_PAGE, place[i], false, 0);
    /* A page between is left out, so that running over is a fault. */
    vm->scratch += ((uint64_t)pages + 1) * RIG_PAGE;
    return va;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

void vm_fill(struct vm *vm, uint64_t va, uint64_t bytes, uint32_t pattern) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_VIRTUAL_FILL};
    args.FillVirtual.FillSizeInBytes = bytes;
    args.FillVirtual.FillPattern = pattern;
    args.FillVirtual.DestinationVirtualAddress = va;
    vm_run(vm, &args);
}

void vm_transfer(struct vm *vm, uint64_t to, uint64_t from, uint64_t bytes) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_VIRTUAL_TRANSFER};
    args.TransferVirtual.TransferSizeInBytes = bytes;
    args.TransferVirtual.SourceVirtualAddress = from;
    args.TransferVirtual.DestinationVirtualAddress = to;
    vm_run(vm, &args);
}

NTSTATUS vm_submit(struct vm_space *space, uint64_t va, uint32_t bytes) {
    struct rig *rig = &space->vm->rig;
    DXGKARG_SUBMITCOMMANDVIRTUAL submit = {.hContext = space->context,
                                           .DmaBufferVirtualAddress = va,
                                           .DmaBufferSize = bytes,
                                           .SubmissionFenceId = ++rig->fence};
    NTSTATUS status = rig->ddi->DxgkDdiSubmitCommandVirtual(rig->adapter, &submit);
    vidmm_host_run(rig->host);
    return status;
}

struct vidmm_hw_translation vm_translate(const struct vm_space *space, uint64_t va) {
    return rig_translate(vm_physical(space->vm, space->table[0].at), space->root_entries, va);
}

/* ---- Up and down ----------------------------------------------------------------------------- */

static void make_objects(struct vm *vm, struct vm_space *space, uintptr_t token, uint32_t node) {
    const struct rig *rig = &vm->rig;
    DXGKARG_CREATEPROCESS process = {.hDxgkProcess = (HANDLE)token};
    DXGKARG_CREATEDEVICE device = {.hDevice = NULL};
    DXGKARG_CREATECONTEXT context = {.NodeOrdinal = node};
    process.Flags.SystemProcess = space->paging;
    assert_int_equal(rig->ddi->DxgkDdiCreateProcess(rig->adapter, &process), STATUS_SUCCESS);
    space->process = process.hKmdProcess;
    device.Flags.SystemDevice = space->paging;
    device.hKmdProcess = space->process;
    assert_int_equal(rig->ddi->DxgkDdiCreateDevice(rig->adapter, &device), STATUS_SUCCESS);
    space->device = device.hDevice;
    context.Flags.SystemContext = space->paging;
    context.Flags.VirtualAddressing = 1;
    assert_int_equal(rig->ddi->DxgkDdiCreateContext(space->device, &context), STATUS_SUCCESS);
    assert_true(context.ContextInfo.Caps.NoPatchingRequired);
    space->context = context.hContext;
}

void vm_space_make(struct vm *vm, struct vm_space *space, uintptr_t token) {
    memset(space, 0, sizeof(*space));
    space->vm = vm;
    make_objects(vm, space, token, 0);
    make_root(space);
    set_root(space);
}

void vm_space_drop(struct vm_space *space) {
    const struct rig *rig = &space->vm->rig;
    assert_int_equal(rig->ddi->DxgkDdiDestroyContext(space->context), STATUS_SUCCESS);
    assert_int_equal(rig->ddi->DxgkDdiDestroyDevice(space->device), STATUS_SUCCESS);
    assert_int_equal(rig->ddi->DxgkDdiDestroyProcess(rig->adapter, space->process), STATUS_SUCCESS);
}

static void ask(struct vm *vm, DXGK_QUERYADAPTERINFOTYPE type, void *in, uint32_t in_size,
                void *out, uint32_t out_size) {
    DXGKARG_QUERYADAPTERINFO query = {.Type = type,
                                      .pInputData = in,
                                      .InputDataSize = in_size,
                                      .pOutputData = out,
                                      .OutputDataSize = out_size};
    assert_int_equal(vm->rig.ddi->DxgkDdiQueryAdapterInfo(vm->rig.adapter, &query), STATUS_SUCCESS);
}

static void query(struct vm *vm) {
    DXGK_QUERYGPUMMUCAPSIN caps = {0};
    ask(vm, DXGKQAITYPE_GPUMMUCAPS, &caps, sizeof(caps), &vm->caps, sizeof(vm->caps));
    assert_true(vm->caps.PageTableLevelCount <= VM_LEVELS);
    for (uint32_t level = 0; level < vm->caps.PageTableLevelCount; level++) {
        DXGK_QUERYPAGETABLELEVELDESCIN in = {.LevelIndex = (WORD)level};
        ask(vm, DXGKQAITYPE_PAGETABLELEVELDESC, &in, sizeof(in), &vm->level[level],
            sizeof(vm->level[level]));
    }
    vm->segments = rig_segments(&vm->rig, vm->segment, 31);
    vm->local = rig_find(&vm->rig, 0x7, 0x4, &vm->segment[30]);
}

/* Paging buffers are seen by the paging process like everything else. */
static void show_buffer(struct vm *vm) {
    struct vm_place page[RIG_BUFFER / RIG_PAGE];
    for (uint32_t i = 0; i < RIG_BUFFER / RIG_PAGE; i++)
        page[i] = (struct vm_place){0, MmGetMdlPfnArray(vm->rig.buffer)[i] * RIG_PAGE};
    vm->rig.buffer_va = vm_show(vm, page, RIG_BUFFER / RIG_PAGE);
}

void vm_open(struct vm *vm, const struct vidmm_host_setting *settings, uint32_t count) {
    memset(vm, 0, sizeof(*vm));
    rig_open(&vm->rig, settings, count);
    query(vm);
    vm->dma_bytes = RIG_BUFFER;
    vm->scratch = RIG_PAGE; /* address 0 stays invalid */
    vm->system.vm = vm;
    vm->system.paging = true;
    make_objects(vm, &vm->system, SYSTEM_TOKEN, 1);
    make_root(&vm->system);
    set_root(&vm->system);
    show_buffer(vm);
    vm->rig.paging_context = vm->system.context;
}

void vm_close(struct vm *vm) {
    const struct vidmm_os *os = vm->rig.os;
    vm_space_drop(&vm->system);
    for (uint32_t i = 0; i < vm->mdls; i++)
        os->pages_free(os->ctx, vm->mdl[i]);
    rig_close(&vm->rig);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* Shapes whose tables fit a page each, as tables in system memory must: two words an entry too. */
static uint64_t small_bits(uint32_t levels) {
    uint64_t bits = 0x0809;
    for (uint32_t level = 2; level < levels; level++)
        bits |= UINT64_C(4) << 8 * level;
    return bits;
}

void vm_open_shape(struct vm *vm, const struct vm_shape *shape) {
    const struct vidmm_host_setting settings[] = {
        {"MmuLevels", shape->levels},
        {"MmuPages", shape->pages},
        {"MmuUpdateMode", shape->mode},
        {"MmuFeatures", VM_FEATURES},
        {"MmuTableSegment", shape->mode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL ? 2 : 0},
        {"MmuIndexBits",
         shape->mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL ? small_bits(shape->levels) : 0},
    };
    vm_open(vm, settings, sizeof(settings) / sizeof(settings[0]));
    assert_int_equal(vm->caps.PageTableLevelCount, shape->levels);
    assert_int_equal(vm->caps.PageTableUpdateMode, (int)shape->mode);
}

void vm_each_shape(void (*test)(struct vm *vm, const struct vm_shape *shape)) {
    for (uint32_t levels = 2; levels <= VM_LEVELS; levels++)
        for (uint32_t pages = 0; pages <= 2; pages++)
            for (uint32_t mode = 0; mode <= 2; mode++) {
                const struct vm_shape shape = {levels, pages, mode};
                static struct vm vm;
                vm_open_shape(&vm, &shape);
                test(&vm, &shape);
                vm_close(&vm);
            }
}
