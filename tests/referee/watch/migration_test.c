/*
 * migration_test.c - a migration between two adapters of one process, each with a referee: the
 * memory of the target is held against that of the source (R340). The drivers do nothing; the
 * memory of each adapter is a block of bytes, and its page tables are described by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <vidmm/referee.h>

#include "state/migration_memory.h"
#include "state/referee.h"
#include "watch/dirty.h"

#define PAGE    4096u
#define PAGES   32u
#define BASE    UINT64_C(0x10000000) /* GPU physical address of the segment */
#define LEVELS  2u
#define ENTRIES 512u
#define ROOT    1u /* pages of the segment: two tables, and what the process has */
#define LEAF    2u
#define DATA    8u
#define OTHER   9u  /* the same, not changed */
#define STRAY   20u /* no page table leads to it */

struct end {
    DRIVER_INITIALIZATION_DATA table;
    struct vidmm_referee *referee;
    struct vidmm_ledger ledger;
    uint8_t memory[PAGES * PAGE];
};

static struct end ends[2];
static struct end *const source = &ends[0], *const target = &ends[1];
static uint8_t handle; /* of the process: the same for both drivers */

/* ---- Drivers that do nothing ----------------------------------------------------------------- */

static NTSTATUS APIENTRY query(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    (void)adapter;
    if (args->Type == DXGKQAITYPE_GPUMMUCAPS) {
        DXGK_GPUMMUCAPS *caps = args->pOutputData;
        caps->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
        caps->VirtualAddressBitCount = 30;
        caps->PageTableLevelCount = LEVELS;
    } else {
        DXGK_PAGE_TABLE_LEVEL_DESC *desc = args->pOutputData;
        desc->PageTableIndexBitCount = 9;
        desc->PageTableSizeInBytes = PAGE;
        desc->PageTableSegmentId = desc->PagingProcessPageTableSegmentId = 1;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY create_process(const HANDLE adapter, DXGKARG_CREATEPROCESS *args) {
    (void)adapter;
    args->hKmdProcess = &handle;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY prepare(const HANDLE adapter,
                                 const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY end_migration(const HANDLE adapter, UINT vf) {
    (void)adapter;
    (void)vf;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY save(const HANDLE adapter,
                              DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA *args) {
    (void)adapter;
    *args->DataSize = 1;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY restore(const HANDLE adapter,
                                 const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *args) {
    (void)adapter;
    return args->DataSize == 1 ? STATUS_SUCCESS : STATUS_OBJECT_TYPE_MISMATCH;
}

/* ---- An end ---------------------------------------------------------------------------------- */

static const void *peek(void *ctx, uint32_t physical, uint64_t address, size_t size) {
    (void)physical;
    struct end *end = ctx;
    uint64_t offset = address - BASE;
    return address >= BASE && offset <= sizeof(end->memory) && size <= sizeof(end->memory) - offset
               ? end->memory + offset
               : NULL;
}

static void describe(struct end *end, DXGK_QUERYADAPTERINFOTYPE type, void *in, UINT in_size,
                     void *out, UINT size) {
    DXGKARG_QUERYADAPTERINFO args = {.Type = type,
                                     .pInputData = in,
                                     .InputDataSize = in_size,
                                     .pOutputData = out,
                                     .OutputDataSize = size};
    memset(out, 0, size);
    assert_int_equal(end->table.DxgkDdiQueryAdapterInfo(NULL, &args), STATUS_SUCCESS);
}

static void describe_mmu(struct end *end) {
    DXGK_QUERYGPUMMUCAPSIN which = {.PhysicalAdapterIndex = 0};
    DXGK_GPUMMUCAPS caps;
    describe(end, DXGKQAITYPE_GPUMMUCAPS, &which, sizeof(which), &caps, sizeof(caps));
    for (WORD level = 0; level < LEVELS; level++) {
        DXGK_QUERYPAGETABLELEVELDESCIN in = {.LevelIndex = level};
        DXGK_PAGE_TABLE_LEVEL_DESC desc;
        describe(end, DXGKQAITYPE_PAGETABLELEVELDESC, &in, sizeof(in), &desc, sizeof(desc));
    }
}

static void update(struct end *end, UINT level, uint64_t table, UINT index, uint64_t page) {
    DXGK_PTE entry = {.Flags = 0};
    DXGKARG_BUILDPAGINGBUFFER args;
    memset(&args, 0, sizeof(args));
    args.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
    args.UpdatePageTable.PageTableLevel = level;
    args.UpdatePageTable.PageTableAddress.GpuPhysical.SegmentId = 1;
    args.UpdatePageTable.PageTableAddress.GpuPhysical.SegmentOffset = table * PAGE;
    args.UpdatePageTable.UpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
    args.UpdatePageTable.hProcess = &handle;
    args.UpdatePageTable.pPageTableEntries = &entry;
    args.UpdatePageTable.StartIndex = index;
    args.UpdatePageTable.FirstPteVirtualAddress =
        (D3DGPU_VIRTUAL_ADDRESS)index * PAGE; /* of a leaf */
    args.UpdatePageTable.NumPageTableEntries = page ? 1 : ENTRIES;
    args.UpdatePageTable.Flags.InitialUpdate = args.UpdatePageTable.Flags.Repeat = page == 0;
    entry.Valid = page != 0;
    entry.Segment = page ? 1 : 0;
    entry.PageAddress = page;
    assert_int_equal(end->table.DxgkDdiBuildPagingBuffer(NULL, &args), STATUS_SUCCESS);
}

static void open_end(struct end *end, uint8_t bytes) {
    memset(end, 0, sizeof(*end));
    memset(end->memory, bytes, sizeof(end->memory));
    struct vidmm_referee_config config = {.ledger = &end->ledger,
                                          .world = {.ctx = end, .peek = peek}};
    end->referee = vidmm_referee_create(&config);
    assert_non_null(end->referee);
    end->table.Version = DXGKDDI_INTERFACE_VERSION_WDDM3_2;
    end->table.DxgkDdiQueryAdapterInfo = query;
    end->table.DxgkDdiCreateProcess = create_process;
    end->table.DxgkDdiBuildPagingBuffer = build;
    end->table.DxgkDdiPrepareLiveMigration = prepare;
    end->table.DxgkDdiEndLiveMigration = end_migration;
    end->table.DxgkDdiSaveMutableMigrationData = save;
    end->table.DxgkDdiRestoreMutableMigrationData = restore;
    vidmm_referee_wrap_ddi(end->referee, &end->table);
    end->referee->adapter.physical[0].segments = 1;
    end->referee->adapter.segment[0] = (struct shadow_segment){
        .id = 1, .base = BASE, .size = sizeof(end->memory), .page_size = PAGE};
    describe_mmu(end);
    DXGKARG_CREATEPROCESS process = {.hDxgkProcess = end};
    assert_int_equal(end->table.DxgkDdiCreateProcess(NULL, &process), STATUS_SUCCESS);
}

static int open_ends(void **state) {
    (void)state;
    open_end(source, 1);
    open_end(target, 2);
    update(source, 1, ROOT, 0, 0);
    update(source, 0, LEAF, 0, 0);
    update(source, 1, ROOT, 0, LEAF);
    update(source, 0, LEAF, 0, DATA);
    update(source, 0, LEAF, 1, OTHER);
    return 0;
}

static int close_ends(void **state) {
    (void)state;
    vidmm_referee_destroy(source->referee);
    vidmm_referee_destroy(target->referee);
    return 0;
}

/* ---- A migration ----------------------------------------------------------------------------- */

static void start(struct end *end, DXGK_GPUP_MIGRATIONTYPE type) {
    DXGKARG_GPUP_PREPARE_LIVE_MIGRATION args = {.MigrationType = type};
    assert_int_equal(end->table.DxgkDdiPrepareLiveMigration(NULL, &args), STATUS_SUCCESS);
}

/* As the referee notes it when a transfer is done. */
static void read_page(uint64_t page) {
    migration_note_moved(source->referee, 1, BASE + page * PAGE, true);
}

static void write_page(uint64_t page) {
    memcpy(target->memory + page * PAGE, source->memory + page * PAGE, PAGE);
    migration_note_moved(target->referee, 1, BASE + page * PAGE, true);
}

/* Pages of the process but for `left_out`; the source goes on until it is paused. */
static void move_but(uint64_t left_out) {
    static const uint64_t pages[] = {ROOT, LEAF, DATA, OTHER};
    UINT64 size = 0;
    DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA args = {.DataSize = &size};
    start(source, DXGK_GPUP_MIGRATIONTYPE_SOURCE);
    start(target, DXGK_GPUP_MIGRATIONTYPE_TARGET);
    for (uint32_t i = 0; i < 4; i++)
        read_page(pages[i]);
    assert_int_equal(source->table.DxgkDdiSaveMutableMigrationData(NULL, &args), STATUS_SUCCESS);
    for (uint32_t i = 0; i < 4; i++)
        if (pages[i] != left_out)
            write_page(pages[i]);
}

static void finish(UINT64 restored, bool tied) {
    BYTE data = 0;
    DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA args = {.DataSize = restored, .Data = &data};
    (void)target->table.DxgkDdiRestoreMutableMigrationData(NULL, &args);
    if (tied)
        vidmm_referee_migrated(source->referee, target->referee);
    assert_int_equal(source->table.DxgkDdiEndLiveMigration(NULL, 0), STATUS_SUCCESS);
    assert_int_equal(target->table.DxgkDdiEndLiveMigration(NULL, 0), STATUS_SUCCESS);
}

/* Judged of both sides, or of none; broken by the side `who`, 0: kept. */
static void assert_judged(bool judged, uint8_t who) {
    const struct vidmm_ledger *ledger = &target->ledger;
    assert_int_equal(ledger->kept[340], judged ? (who ? 1 : 2) : 0);
    assert_int_equal(ledger->broken[340], who ? 1 : 0);
    assert_int_equal(source->ledger.kept[340] + source->ledger.broken[340], 0);
    for (uint32_t i = 0; i < ledger->findings; i++)
        if (ledger->finding[i].rule == 340)
            assert_int_equal(ledger->finding[i].who, who);
}

/* ---- Properties ------------------------------------------------------------------------------ */

static void a_target_that_has_the_pages_of_processes_is_right(void **state) {
    (void)state;
    move_but(0);
    finish(1, true);
    assert_judged(true, 0); /* though STRAY is another one */
}

static void a_page_that_changed_after_its_transfer_is_the_drivers(void **state) {
    (void)state;
    move_but(0);
    target->memory[DATA * PAGE + 7] ^= 1;
    finish(1, true);
    assert_judged(true, VIDMM_SIDE_DRIVER);
}

static void a_page_that_was_read_and_not_written_is_the_managers(void **state) {
    (void)state;
    move_but(DATA);
    finish(1, true);
    assert_judged(true, VIDMM_SIDE_MANAGER);
}

static void a_page_of_system_memory_at_its_address_is_another(void **state) {
    (void)state;
    move_but(DATA);
    migration_note_moved(target->referee, 0, BASE + (uint64_t)DATA * PAGE, true);
    finish(1, true);
    assert_judged(true, VIDMM_SIDE_MANAGER);
}

static void a_page_table_that_was_not_written_is_the_managers(void **state) {
    (void)state;
    move_but(LEAF);
    finish(1, true);
    assert_judged(true, VIDMM_SIDE_MANAGER);
}

static void what_the_source_has_after_its_pause_does_not_count(void **state) {
    (void)state;
    move_but(0);
    source->memory[DATA * PAGE] ^= 1;
    finish(1, true);
    assert_judged(true, 0);
}

static void a_page_that_was_not_read_as_it_was_is_neithers(void **state) {
    (void)state;
    move_but(DATA);
    migration_note_moved(source->referee, 1, BASE + (uint64_t)DATA * PAGE, false);
    finish(1, true);
    assert_judged(true, 0);
}

static void a_migration_without_the_drivers_state_is_not_judged(void **state) {
    (void)state;
    move_but(DATA);
    finish(2, true);
    assert_judged(false, 0);
}

static void a_target_with_other_paging_operations_is_not_judged(void **state) {
    (void)state;
    move_but(0);
    update(target, 1, ROOT, 0, 0);
    target->memory[ROOT * PAGE] ^= 1;
    finish(1, true);
    assert_judged(false, 0);
}

static void ends_that_were_not_tied_are_not_judged(void **state) {
    (void)state;
    move_but(DATA);
    finish(1, false);
    assert_judged(false, 0);
}

static void the_next_migration_is_judged_by_its_own_pages(void **state) {
    (void)state;
    move_but(DATA);
    finish(1, true);
    memset(target->ledger.kept, 0, sizeof(target->ledger.kept));
    memset(target->ledger.broken, 0, sizeof(target->ledger.broken));
    target->ledger.findings = 0;
    source->memory[OTHER * PAGE] ^= 1;
    source->memory[STRAY * PAGE] ^= 1;
    move_but(0);
    finish(1, true);
    assert_judged(true, 0);
}

static void a_guest_may_run_once_all_is_restored(void **state) {
    BYTE data = 0;
    DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA args = {.DataSize = 1, .Data = &data};
    (void)state;
    move_but(0);
    assert_int_equal(target->table.DxgkDdiRestoreMutableMigrationData(NULL, &args), STATUS_SUCCESS);
    migration_judge_work(target->referee, false);
    target->memory[DATA * PAGE] ^= 1; /* as the guest's work may */
    assert_int_equal(target->table.DxgkDdiEndLiveMigration(NULL, 0), STATUS_SUCCESS);
    assert_int_equal(target->ledger.broken[335], 0);
    assert_judged(false, 0);
}

static void a_guest_that_runs_before_is_named(void **state) {
    (void)state;
    move_but(0);
    migration_judge_work(target->referee, false);
    assert_int_equal(target->ledger.broken[335], 1);
}

#define PROPERTY(name) cmocka_unit_test_setup_teardown(name, open_ends, close_ends)

int main(void) {
    const struct CMUnitTest tests[] = {
        PROPERTY(a_target_that_has_the_pages_of_processes_is_right),
        PROPERTY(a_page_that_changed_after_its_transfer_is_the_drivers),
        PROPERTY(a_page_that_was_read_and_not_written_is_the_managers),
        PROPERTY(a_page_of_system_memory_at_its_address_is_another),
        PROPERTY(a_page_table_that_was_not_written_is_the_managers),
        PROPERTY(what_the_source_has_after_its_pause_does_not_count),
        PROPERTY(a_page_that_was_not_read_as_it_was_is_neithers),
        PROPERTY(a_migration_without_the_drivers_state_is_not_judged),
        PROPERTY(a_target_with_other_paging_operations_is_not_judged),
        PROPERTY(ends_that_were_not_tied_are_not_judged),
        PROPERTY(the_next_migration_is_judged_by_its_own_pages),
        PROPERTY(a_guest_may_run_once_all_is_restored),
        PROPERTY(a_guest_that_runs_before_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
