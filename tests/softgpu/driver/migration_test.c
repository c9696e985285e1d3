/*
 * migration_test.c - live migration through the reference driver alone: which calls are allowed
 * when, boards that are not alike, what the apertures showed, blobs that were spoiled or forged;
 * and dirty bits of what is written through GPU virtual addresses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture/vm.h"

#define MIB    (UINT64_C(1) << 20)
#define SOURCE DXGK_GPUP_MIGRATIONTYPE_SOURCE
#define TARGET DXGK_GPUP_MIGRATIONTYPE_TARGET

static const struct vidmm_host_setting board[] = {
    {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2},
    {"DirtyPageBytes", 4096},
    {"MmuLevels", 3},
    {"MmuTableSegment", 2},
    {"VramBytes", 64 * MIB},
    {"ApertureBytes", 1 * MIB},
    {"MmuFeatures", VM_FEATURES},
};
#define SETTINGS (sizeof(board) / sizeof(board[0]))

/* A board with one setting changed, or all as they are. */
static void open_board(struct vm *vm, const char *name, uint64_t value) {
    struct vidmm_host_setting settings[SETTINGS + 1];
    uint32_t count = SETTINGS;
    memcpy(settings, board, sizeof(board));
    for (uint32_t i = 0; name && i <= SETTINGS; i++) {
        if (i < SETTINGS && strcmp(settings[i].name, name) != 0)
            continue;
        settings[i] = (struct vidmm_host_setting){name, value};
        count = i < SETTINGS ? SETTINGS : SETTINGS + 1;
        break;
    }
    vm_open(vm, settings, count);
}

static NTSTATUS prepare(struct vm *vm, uint32_t vf, int side) {
    const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION args = {vf, (DXGK_GPUP_MIGRATIONTYPE)side};
    return vm->fixture.ddi->DxgkDdiPrepareLiveMigration(vm->fixture.adapter, &args);
}

static NTSTATUS end(struct vm *vm) {
    return vm->fixture.ddi->DxgkDdiEndLiveMigration(vm->fixture.adapter, 0);
}

enum kind { IMMUTABLE, MUTABLE };

static NTSTATUS save_call(struct vm *vm, enum kind kind, uint32_t vf, UINT64 *size, BYTE *data) {
    const DRIVER_INITIALIZATION_DATA *ddi = vm->fixture.ddi;
    DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA args = {vf, size, data};
    return kind == IMMUTABLE ? ddi->DxgkDdiSaveImmutableMigrationData(vm->fixture.adapter, &args)
                             : ddi->DxgkDdiSaveMutableMigrationData(vm->fixture.adapter, &args);
}

static NTSTATUS restore_call(struct vm *vm, enum kind kind, BYTE *data, uint64_t size) {
    const DRIVER_INITIALIZATION_DATA *ddi = vm->fixture.ddi;
    const DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA args = {0, size, data};
    return kind == IMMUTABLE ? ddi->DxgkDdiRestoreImmutableMigrationData(vm->fixture.adapter, &args)
                             : ddi->DxgkDdiRestoreMutableMigrationData(vm->fixture.adapter, &args);
}

/* The two calls; nothing is written behind the block. */
static BYTE *save(struct vm *vm, enum kind kind, UINT64 *size) {
    *size = 0;
    assert_int_equal(save_call(vm, kind, 0, size, NULL), STATUS_SUCCESS);
    UINT64 asked = *size;
    BYTE *data = malloc((size_t)asked + 16);
    assert_non_null(data);
    memset(data, 0xa5, (size_t)asked + 16);
    assert_int_equal(save_call(vm, kind, 0, size, data), STATUS_SUCCESS);
    assert_int_equal(*size, asked);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(data[asked + i], 0xa5);
    return data;
}

/* ---- Who may ask ----------------------------------------------------------------------------- */

static bool offers_migration(struct vm *vm) {
    DXGK_GPUPCAPS caps = {0};
    DXGKARG_QUERYADAPTERINFO query = {
        .Type = DXGKQAITYPE_GPUPCAPS, .pOutputData = &caps, .OutputDataSize = sizeof(caps)};
    NTSTATUS status = vm->fixture.ddi->DxgkDdiQueryAdapterInfo(vm->fixture.adapter, &query);
    return status == STATUS_SUCCESS && caps.Caps.LiveMigration;
}

static void migration_is_offered_with_tracking_and_a_paging_buffer_in_system_memory(void **state) {
    static const struct {
        const char *name;
        uint64_t value;
        bool offered, entries;
    } row[] = {{NULL, 0, true, true},
               {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_1, false, false},
               {"DirtyPageBytes", 0, false, false},
               {"PagingBufferSegment", 1, false, true}};
    static struct vm vm;
    (void)state;
    for (uint32_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        open_board(&vm, row[i].name, row[i].value);
        assert_int_equal(offers_migration(&vm), row[i].offered);
        assert_int_equal(!!vm.fixture.ddi->DxgkDdiPrepareLiveMigration, row[i].entries);
        assert_int_equal(!!vm.fixture.ddi->DxgkDdiQueryDirtyBitData, row[i].entries);
        if (row[i].entries && !row[i].offered)
            assert_int_equal(prepare(&vm, 0, SOURCE), STATUS_NOT_SUPPORTED);
        vm_close(&vm);
    }
}

static void calls_that_are_not_in_turn_are_refused(void **state) {
    static struct vm vm;
    UINT64 size = 0;
    BYTE data[8192];
    (void)state;
    open_board(&vm, NULL, 0);
    assert_int_equal(end(&vm), STATUS_INVALID_DEVICE_STATE);
    assert_int_equal(save_call(&vm, IMMUTABLE, 0, &size, NULL), STATUS_INVALID_DEVICE_STATE);
    assert_int_equal(restore_call(&vm, MUTABLE, data, 8), STATUS_INVALID_DEVICE_STATE);
    assert_int_equal(prepare(&vm, 1, SOURCE), STATUS_INVALID_PARAMETER);
    assert_int_equal(prepare(&vm, 0, 2), STATUS_INVALID_PARAMETER);
    assert_int_equal(prepare(&vm, 0, SOURCE), STATUS_SUCCESS);
    assert_int_equal(prepare(&vm, 0, SOURCE), STATUS_INVALID_DEVICE_STATE);
    assert_int_equal(prepare(&vm, 0, TARGET), STATUS_INVALID_DEVICE_STATE);
    assert_int_equal(restore_call(&vm, IMMUTABLE, data, 8), STATUS_INVALID_DEVICE_STATE);
    assert_int_equal(save_call(&vm, IMMUTABLE, 1, &size, NULL), STATUS_INVALID_PARAMETER);
    assert_int_equal(save_call(&vm, IMMUTABLE, 0, &size, NULL), STATUS_SUCCESS);
    size--;
    assert_int_equal(save_call(&vm, IMMUTABLE, 0, &size, data), STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(vm.fixture.ddi->DxgkDdiEndLiveMigration(vm.fixture.adapter, 1),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(end(&vm), STATUS_SUCCESS);
    assert_int_equal(prepare(&vm, 0, TARGET), STATUS_SUCCESS);
    assert_int_equal(save_call(&vm, MUTABLE, 0, &size, NULL), STATUS_INVALID_DEVICE_STATE);
    assert_int_equal(end(&vm), STATUS_SUCCESS);
    vm_close(&vm);
}

/* ---- Boards ---------------------------------------------------------------------------------- */

static void only_a_board_of_the_same_kind_is_a_target(void **state) {
    static const struct vidmm_host_setting other[] = {
        {NULL, 0},
        {"VramBytes", 32 * MIB},
        {"VramVisibleBytes", 32 * MIB},
        {"VramSegments", 2}, /* nothing is invisible: makes no difference */
        {"ApertureBytes", 2 * MIB},
        {"DirtyPageBytes", 65536},
        {"MmuLevels", 4},
        {"MmuFeatures", 7},
        {"MmuPages", 1},
        {"MmuTableSegment", 0},
    };
    static struct vm vm;
    UINT64 size;
    (void)state;
    open_board(&vm, NULL, 0);
    assert_int_equal(prepare(&vm, 0, SOURCE), STATUS_SUCCESS);
    BYTE *data = save(&vm, IMMUTABLE, &size);
    vm_close(&vm);
    for (uint32_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
        bool same = i == 0 || i == 3;
        open_board(&vm, other[i].name, other[i].value);
        assert_int_equal(prepare(&vm, 0, TARGET), STATUS_SUCCESS);
        assert_int_equal(restore_call(&vm, IMMUTABLE, data, size),
                         same ? STATUS_SUCCESS : STATUS_OBJECT_TYPE_MISMATCH);
        vm_close(&vm);
    }
    free(data);
}

/* Every byte changed, every length short of the whole: refused, and the right ones still do. */
static void spoil(struct vm *vm, enum kind kind, BYTE *data, uint64_t size) {
    for (uint64_t i = 0; i < size; i++) {
        data[i] ^= (BYTE)(1u << i % 8);
        assert_int_equal(restore_call(vm, kind, data, size), STATUS_OBJECT_TYPE_MISMATCH);
        data[i] ^= (BYTE)(1u << i % 8);
        assert_int_equal(restore_call(vm, kind, data, i), STATUS_OBJECT_TYPE_MISMATCH);
    }
    assert_int_equal(restore_call(vm, kind, NULL, size), STATUS_OBJECT_TYPE_MISMATCH);
    assert_int_equal(restore_call(vm, kind, data, size), STATUS_SUCCESS);
}

/* ---- Apertures ------------------------------------------------------------------------------- */

struct mapped {
    uint32_t segment; /* from 1 */
    uint64_t page, count;
    uint64_t pfn[24];
};

static void map(struct vm *vm, struct mapped *mapped) {
    PMDL mdl =
        vm->fixture.os->pages_alloc(vm->fixture.os->ctx, (size_t)mapped->count, 0, UINT64_MAX);
    assert_true(mdl && vm->mdls < VM_MDLS);
    vm->mdl[vm->mdls++] = mdl;
    for (uint64_t i = 0; i < mapped->count; i++)
        mapped->pfn[i] = MmGetMdlPfnArray(mdl)[i];
    DXGKARG_BUILDPAGINGBUFFER args =
        fixture_map(mapped->segment, mapped->page, mapped->count, mdl, 0);
    assert_int_equal(fixture_page(&vm->fixture, &args, FIXTURE_BUFFER), STATUS_SUCCESS);
}

static const void *shown(struct vm *vm, const struct mapped *mapped, uint64_t i) {
    uint64_t base = vm->segment[mapped->segment - 1].base;
    return vidmm_host_peek(vm->fixture.host, 0, base + (mapped->page + i) * FIXTURE_PAGE,
                           FIXTURE_PAGE);
}

static void shows(struct vm *vm, const struct mapped *mapped, bool all) {
    for (uint64_t i = 0; i < mapped->count; i++)
        assert_ptr_equal(
            shown(vm, mapped, i),
            all ? vidmm_host_memory(vm->fixture.host, mapped->pfn[i] * FIXTURE_PAGE, FIXTURE_PAGE)
                : NULL);
}

/* A source with three pieces of its aperture mapped, and what it saved. */
static BYTE *saved(struct vm *vm, struct mapped mapped[3], UINT64 *size) {
    open_board(vm, NULL, 0);
    mapped[0] = (struct mapped){.segment = 1, .page = 0, .count = 5};
    mapped[1] = (struct mapped){.segment = 1, .page = 250, .count = 6}; /* to the end */
    mapped[2] = (struct mapped){.segment = 1, .page = 60, .count = 24};
    for (uint32_t i = 0; i < 3; i++)
        map(vm, &mapped[i]);
    assert_int_equal(prepare(vm, 0, SOURCE), STATUS_SUCCESS);
    return save(vm, MUTABLE, size);
}

static void a_target_shows_what_the_source_showed(void **state) {
    static struct vm vm;
    struct mapped mapped[3], own = {.segment = 1, .page = 100, .count = 3};
    UINT64 size;
    (void)state;
    BYTE *data = saved(&vm, mapped, &size);
    for (uint32_t i = 0; i < 3; i++)
        shows(&vm, &mapped[i], true); /* as before */
    assert_int_equal(end(&vm), STATUS_SUCCESS);
    vm_close(&vm);
    open_board(&vm, NULL, 0);
    map(&vm, &own);
    shows(&vm, &own, true);
    assert_int_equal(prepare(&vm, 0, TARGET), STATUS_SUCCESS);
    shows(&vm, &own, false);
    /* Transfers of the system work meanwhile. */
    struct vm_place page = vm_local(&vm, FIXTURE_PAGE, FIXTURE_PAGE);
    vm_fill(&vm, vm_show(&vm, &page, 1), FIXTURE_PAGE, 0x11223344u);
    assert_int_equal(vm_bytes(&vm, page, 4)[3], 0x11);
    assert_int_equal(restore_call(&vm, MUTABLE, data, size), STATUS_SUCCESS);
    for (uint32_t i = 0; i < 3; i++)
        shows(&vm, &mapped[i], true);
    shows(&vm, &own, false);
    assert_int_equal(end(&vm), STATUS_SUCCESS);
    vm_close(&vm);
    free(data);
}

static void spoiled_data_are_refused(void **state) {
    static struct vm vm;
    struct mapped mapped[3];
    UINT64 size, board_size;
    (void)state;
    BYTE *data = saved(&vm, mapped, &size), *immutable = save(&vm, IMMUTABLE, &board_size);
    vm_close(&vm);
    open_board(&vm, NULL, 0);
    assert_int_equal(prepare(&vm, 0, TARGET), STATUS_SUCCESS);
    spoil(&vm, IMMUTABLE, immutable, board_size);
    for (uint32_t i = 0; i < 3; i++)
        shows(&vm, &mapped[i], false);
    spoil(&vm, MUTABLE, data, size);
    vm_close(&vm);
    free(data);
    free(immutable);
}

/* Puts the right sum on a changed blob: head of 32 bytes, sum at 24, length at 16. */
static void seal(BYTE *data, uint64_t size) {
    uint64_t sum = 0xcbf29ce484222325u;
    for (uint64_t i = 32; i < size; i++)
        sum = (sum ^ data[i]) * 0x100000001b3u;
    memcpy(data + 16, &size, sizeof(size));
    memcpy(data + 24, &sum, sizeof(sum));
}

static void forged_data_change_nothing(void **state) {
    static const uint64_t word[] = {
        0, 1, 2, 255, 256, 511, 512, 1u << 20, UINT64_MAX / 8, UINT64_MAX, UINT64_MAX - 3};
    static struct vm vm;
    struct mapped mapped[3];
    UINT64 size;
    (void)state;
    BYTE *data = saved(&vm, mapped, &size), *forged = malloc(size);
    vm_close(&vm);
    open_board(&vm, NULL, 0);
    assert_int_equal(prepare(&vm, 0, TARGET), STATUS_SUCCESS);
    for (uint64_t at = 32; at + 8 <= size; at += 8)
        for (uint32_t i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
            memcpy(forged, data, size);
            memcpy(forged + at, &word[i], sizeof(word[i]));
            seal(forged, size);
            /* The one or the other may make sense: the same entries elsewhere. */
            NTSTATUS status = restore_call(&vm, MUTABLE, forged, size);
            assert_true(status == STATUS_OBJECT_TYPE_MISMATCH || status == STATUS_SUCCESS);
            for (uint64_t page = 0; page < 256; page++) {
                const struct mapped any = {.segment = 1, .page = page, .count = 1};
                (void)shown(&vm, &any, 0);
            }
        }
    vm_close(&vm);
    free(data);
    free(forged);
}

/* ---- Dirty bits behind the MMU --------------------------------------------------------------- */

struct tracked {
    HANDLE basis;
    uint64_t pages;
    unsigned char *bits;
};

static void track(struct vm *vm, struct tracked *t) {
    const struct fixture_segment *local = &vm->segment[vm->local - 1];
    DXGKARG_CREATEMEMORYBASIS args = {vm->local, 1, {{0, local->size}}};
    t->pages = local->size / FIXTURE_PAGE;
    t->bits = malloc(t->pages / 8);
    t->basis = vm->fixture.ddi->DxgkDdiCreateMemoryBasis(vm->fixture.adapter, &args);
    assert_non_null(t->basis);
    assert_int_equal(vm->fixture.ddi->DxgkDdiStartDirtyTracking(vm->fixture.adapter, t->basis),
                     STATUS_SUCCESS);
}

static void ask(struct vm *vm, struct tracked *t) {
    DXGKARG_QUERYDIRTYBITDATA args = {.MemoryBasis = t->basis,
                                      .Buffer = t->bits,
                                      .BufferSize = t->pages / 8,
                                      .Flags = DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA};
    assert_int_equal(vm->fixture.ddi->DxgkDdiQueryDirtyBitData(vm->fixture.adapter, &args),
                     STATUS_SUCCESS);
}

static bool is_dirty(const struct tracked *t, uint64_t offset) {
    return t->bits[offset / FIXTURE_PAGE / 8] >> offset / FIXTURE_PAGE % 8 & 1u;
}

static uint64_t count(const struct tracked *t) {
    uint64_t some = 0;
    for (uint64_t page = 0; page < t->pages; page++)
        some += is_dirty(t, page * FIXTURE_PAGE);
    return some;
}

#define SCATTERED 150u

static void scattered_transfers_are_noted_page_by_page(void **state) {
    static struct vm vm;
    struct vm_place to[SCATTERED], from[SCATTERED];
    struct tracked t;
    (void)state;
    open_board(&vm, NULL, 0);
    for (uint32_t i = 0; i < SCATTERED; i++) {
        to[(i * 7) % SCATTERED] = vm_local(&vm, FIXTURE_PAGE, 3 * FIXTURE_PAGE);
        from[i] = i % 2 == 0 ? vm_local(&vm, FIXTURE_PAGE, FIXTURE_PAGE) : vm_system_page(&vm);
    }
    uint64_t destination = vm_show(&vm, to, SCATTERED), source = vm_show(&vm, from, SCATTERED);
    track(&vm, &t);
    vm_transfer(&vm, destination, source, SCATTERED * FIXTURE_PAGE);
    ask(&vm, &t);
    for (uint32_t i = 0; i < SCATTERED; i++)
        assert_true(is_dirty(&t, to[i].offset));
    assert_int_equal(count(&t), SCATTERED);
    vm_fill(&vm, destination + 10, 3 * FIXTURE_PAGE, 0);
    ask(&vm, &t);
    assert_int_equal(count(&t), 4);
    vm_close(&vm);
    free(t.bits);
}

static void page_table_entries_are_noted_where_the_tables_are(void **state) {
    static struct vm vm;
    struct vm_space space;
    struct tracked t;
    (void)state;
    open_board(&vm, NULL, 0);
    vm_space_make(&vm, &space, 0x7001);
    struct vm_place page = vm_local(&vm, FIXTURE_PAGE, FIXTURE_PAGE);
    struct vm_table *table = vm_table(&space, 0, 0x400000, false);
    track(&vm, &t);
    vm_map(&space, 0x400000, page, false, 0);
    ask(&vm, &t);
    assert_true(is_dirty(&t, table->at.offset));
    assert_int_equal(count(&t), 1);
    vm_space_drop(&space);
    vm_close(&vm);
    free(t.bits);
}

/* What the render engine writes: patterns, fills, the value of a fence. */
static void rendering_and_its_fences_are_noted(void **state) {
    static struct vm vm;
    struct vm_space space;
    struct vm_place page[6];
    struct tracked t;
    (void)state;
    open_board(&vm, NULL, 0);
    vm_space_make(&vm, &space, 0x7001);
    for (uint32_t i = 0; i < 6; i++) {
        page[i] = vm_local(&vm, FIXTURE_PAGE, 2 * FIXTURE_PAGE);
        vm_map(&space, 0x400000 + i * FIXTURE_PAGE, page[i], false, 0);
    }
    struct vm_place commands = vm_system_page(&vm);
    vm_map(&space, 0x800000, commands, false, 0);
    const struct {
        struct vidmm_umd_draw stamp;
        struct vidmm_umd_fill fill;
        struct vidmm_umd_signal signal;
    } work = {
        {.head = {VIDMM_UMD_PACKET_STAMP, 0, sizeof(work.stamp)},
         .address = 0x400000,
         .oracle = 1,
         .bytes = 6 * FIXTURE_PAGE,
         .page = 1,
         .pages = 2},
        {.head = {VIDMM_UMD_PACKET_FILL, 0, sizeof(work.fill)},
         .destination = 0x400000 + 4 * FIXTURE_PAGE - 4,
         .bytes = 4},
        {.head = {VIDMM_UMD_PACKET_SIGNAL, 0, sizeof(work.signal)},
         .address = 0x400000 + 5 * FIXTURE_PAGE,
         .value = 7},
    };
    memcpy(vm_bytes(&vm, commands, sizeof(work)), &work, sizeof(work));
    track(&vm, &t);
    assert_int_equal(vm_submit(&space, 0x800000, sizeof(work)), STATUS_SUCCESS);
    ask(&vm, &t);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(is_dirty(&t, page[i].offset), i != 0 && i != 4);
    assert_int_equal(count(&t), 4);
    vm_space_drop(&space);
    vm_close(&vm);
    free(t.bits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(migration_is_offered_with_tracking_and_a_paging_buffer_in_system_memory),
        cmocka_unit_test(calls_that_are_not_in_turn_are_refused),
        cmocka_unit_test(only_a_board_of_the_same_kind_is_a_target),
        cmocka_unit_test(a_target_shows_what_the_source_showed),
        cmocka_unit_test(spoiled_data_are_refused),
        cmocka_unit_test(forged_data_change_nothing),
        cmocka_unit_test(scattered_transfers_are_noted_page_by_page),
        cmocka_unit_test(page_table_entries_are_noted_where_the_tables_are),
        cmocka_unit_test(rendering_and_its_fences_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
