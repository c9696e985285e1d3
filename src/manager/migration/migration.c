/*
 * migration.c - see migration.h: the driver's calls, and which side is paused.
 */
#include "migration/migration.h"

#include "base/adapter.h"
#include "base/assert.h"
#include "reported/needed.h"
#include "paging/space.h"
#include "life/paging_process.h"

#define DATA_MAX (UINT64_C(64) << 20) /* bytes of a driver's own state that are believed */

#define PREPARE_CALL "DxgkDdiPrepareLiveMigration"
#define END_CALL     "DxgkDdiEndLiveMigration"

/* ---- Start and end of the adapter ------------------------------------------------------------ */

static enum vidmm_status migration_check_table(struct vidmm_adapter *adapter) {
    const DRIVER_INITIALIZATION_DATA *ddi = adapter->ddi;
    const struct needed_function tracking[] = {
        {"DxgkDdiCreateMemoryBasis", ddi->DxgkDdiCreateMemoryBasis},
        {"DxgkDdiDestroyMemoryBasis", ddi->DxgkDdiDestroyMemoryBasis},
        {"DxgkDdiStartDirtyTracking", ddi->DxgkDdiStartDirtyTracking},
        {"DxgkDdiStopDirtyTracking", ddi->DxgkDdiStopDirtyTracking},
        {"DxgkDdiQueryDirtyBitData", ddi->DxgkDdiQueryDirtyBitData},
    };
    const struct needed_function migration[] = {
        {"DxgkDdiPrepareLiveMigration", ddi->DxgkDdiPrepareLiveMigration},
        {"DxgkDdiEndLiveMigration", ddi->DxgkDdiEndLiveMigration},
        {"DxgkDdiSaveImmutableMigrationData", ddi->DxgkDdiSaveImmutableMigrationData},
        {"DxgkDdiSaveMutableMigrationData", ddi->DxgkDdiSaveMutableMigrationData},
        {"DxgkDdiRestoreImmutableMigrationData", ddi->DxgkDdiRestoreImmutableMigrationData},
        {"DxgkDdiRestoreMutableMigrationData", ddi->DxgkDdiRestoreMutableMigrationData},
    };
    enum vidmm_status status = adapter_needs(
        adapter, tracking, sizeof(tracking) / sizeof(tracking[0]),
        "a function, from a driver with DirtyBitTrackingSupported", "dirty-bit-tracking");
    if (status || !adapter->facts.dirty.migration)
        return status;
    return adapter_needs(adapter, migration, sizeof(migration) / sizeof(migration[0]),
                         "a function, from a driver with LiveMigration",
                         "live-migration-on-gpup-devices");
}

/* Pages that the CPU and the paging process see for ever, and room for addresses behind them. */
static enum vidmm_status make_staging(struct vidmm_adapter *adapter) {
    struct migration *migration = &adapter->migration;
    const struct vidmm_os *os = &adapter->os;
    uint64_t highest = (uint64_t)adapter->facts.caps.HighestAcceptableAddress.QuadPart;
    uint32_t pages = VIDMM_MIGRATION_STAGING / PAGE_BYTES;
    migration->extents = adapter_alloc(adapter, pages * sizeof(*migration->extents));
    migration->staging =
        os->pages_alloc(os->ctx, pages, VIDMM_PAGES_CACHED, highest ? highest : UINT64_MAX);
    migration->cpu = migration->staging ? os->pages_map(os->ctx, migration->staging) : NULL;
    if (!migration->extents || !migration->cpu)
        return error_no_memory(adapter, "vidmm_adapter_start");
    migration->staging_va = adapter->physical[0].spaces.scratch_end;
    migration->window_va = migration->staging_va + VIDMM_MIGRATION_STAGING;
    return space_keep_pages_at(adapter, 0, migration->staging, VIDMM_MIGRATION_STAGING,
                               migration->staging_va)
               ? VIDMM_OK
               : error_no_memory(adapter, "vidmm_adapter_start");
}

enum vidmm_status migration_start(struct vidmm_adapter *adapter) {
    enum vidmm_status status = VIDMM_OK;
    if (!adapter->facts.dirty.tracking)
        return VIDMM_OK;
    status = migration_check_table(adapter);
    if (status == VIDMM_OK && adapter->gpummu && paging_process_migration_bytes(adapter, 0))
        status = make_staging(adapter);
    return status == VIDMM_OK ? dirty_start(adapter) : status;
}

void migration_release(struct vidmm_adapter *adapter) {
    struct migration *migration = &adapter->migration;
    uint32_t pages = VIDMM_MIGRATION_STAGING / PAGE_BYTES;
    if (migration->staging)
        adapter->os.pages_free(adapter->os.ctx, migration->staging);
    adapter_free(adapter, migration->extents, pages * sizeof(*migration->extents));
    *migration = (struct migration){.active = false};
}

/* ---- Prepare and end ------------------------------------------------------------------------- */

enum vidmm_status migration_is(struct vidmm_adapter *adapter, enum vidmm_migration_side side,
                               const char *call) {
    const struct migration *migration = &adapter->migration;
    enum vidmm_status status = adapter_serves(adapter, call);
    if (status || (migration->active && migration->side == side))
        return status;
    return error_argument(adapter, call,
                          side == VIDMM_MIGRATION_SOURCE ? "a source that was prepared"
                                                         : "a target that was prepared");
}

enum vidmm_status migration_admits(struct vidmm_adapter *adapter, const char *call) {
    if (!adapter->migration.paused)
        return VIDMM_OK;
    return FAIL(adapter, .status = VIDMM_BUSY, .call = call,
                .expected = "the end of a pause for a migration",
                .page = "live-migration-on-gpup-devices", .index = ERROR_NO_INDEX);
}

static enum vidmm_status wait_everything(void *ctx) {
    return fence_wait_all(ctx);
}

static enum vidmm_status pause_work(struct vidmm_adapter *adapter) {
    enum vidmm_status status = adapter_persist(adapter, wait_everything, adapter);
    adapter->migration.paused = status == VIDMM_OK;
    return status;
}

/* What costs performance is tracked from here on only (R337). */
static enum vidmm_status enter_side(struct vidmm_adapter *adapter, enum vidmm_migration_side side) {
    if (side == VIDMM_MIGRATION_TARGET)
        return pause_work(adapter);
    enum vidmm_status status = dirty_track(adapter);
    dirty_rewind(adapter);
    return status;
}

static enum vidmm_status migration_prepare(struct vidmm_adapter *adapter,
                                           enum vidmm_migration_side side) {
    const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION arg = {
        .MigrationType = side == VIDMM_MIGRATION_SOURCE ? DXGK_GPUP_MIGRATIONTYPE_SOURCE
                                                        : DXGK_GPUP_MIGRATIONTYPE_TARGET};
    enum vidmm_status status =
        error_unless_success(adapter, PREPARE_CALL, "nc-d3dkmddi-dxgkddi_preparelivemigration",
                             adapter->ddi->DxgkDdiPrepareLiveMigration(adapter->hadapter, &arg));
    if (status)
        return status;
    adapter->migration.active = true;
    adapter->migration.side = side;
    status = enter_side(adapter, side);
    if (status)
        migration_end(adapter);
    return status;
}

enum vidmm_status vidmm_migration_prepare(struct vidmm_adapter *adapter,
                                          enum vidmm_migration_side side) {
    static const char call[] = "vidmm_migration_prepare";
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, call);
    if (status == VIDMM_OK && !adapter->migration.staging)
        status =
            error_argument(adapter, call, "a driver with LiveMigration, on GPU virtual addresses");
    if (status == VIDMM_OK && adapter->migration.active)
        status = error_argument(adapter, call, "no other migration under way");
    if (status == VIDMM_OK)
        status = migration_prepare(adapter, side);
    adapter_leave(adapter);
    return status;
}

void migration_end(struct vidmm_adapter *adapter) {
    VIDMM_ASSERT_LOCKED(adapter);
    struct migration *migration = &adapter->migration;
    if (!migration->active)
        return;
    if (migration->side == VIDMM_MIGRATION_SOURCE)
        dirty_untrack(adapter);
    (void)error_unless_success(adapter, END_CALL, "nc-d3dkmddi-dxgkddi_endlivemigration",
                               adapter->ddi->DxgkDdiEndLiveMigration(adapter->hadapter, 0));
    migration->active = migration->paused = false;
}

void vidmm_migration_end(struct vidmm_adapter *adapter) {
    adapter_enter(adapter);
    migration_end(adapter);
    adapter_leave(adapter);
}

enum vidmm_status vidmm_migration_pause(struct vidmm_adapter *adapter) {
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, "vidmm_migration_pause");
    if (status == VIDMM_OK && !adapter->migration.active)
        status = error_argument(adapter, "vidmm_migration_pause", "a migration under way");
    if (status == VIDMM_OK && !adapter->migration.paused)
        status = pause_work(adapter);
    adapter_leave(adapter);
    return status;
}

/* A target goes on at its end only (R335). */
void vidmm_migration_resume(struct vidmm_adapter *adapter) {
    adapter_enter(adapter);
    if (adapter->migration.side == VIDMM_MIGRATION_SOURCE)
        adapter->migration.paused = false;
    adapter_leave(adapter);
}

/* ---- The driver's own state ------------------------------------------------------------------ */

/* One kind of data: the driver's functions and their pages. */
struct data_calls {
    const char *save, *save_page, *restore, *restore_page;
};

static const struct data_calls calls_of[2] = {
    [VIDMM_MIGRATION_IMMUTABLE] = {"DxgkDdiSaveImmutableMigrationData",
                                   "nc-d3dkmddi-dxgkddi_saveimmutablemigrationdata",
                                   "DxgkDdiRestoreImmutableMigrationData",
                                   "nc-d3dkmddi-dxgkddi_restoreimmutablemigrationdata"},
    [VIDMM_MIGRATION_MUTABLE] = {"DxgkDdiSaveMutableMigrationData",
                                 "nc-d3dkmddi-dxgkddi_savemutablemigrationdata",
                                 "DxgkDdiRestoreMutableMigrationData",
                                 "nc-d3dkmddi-dxgkddi_restoremutablemigrationdata"},
};

static enum vidmm_status driver_save(struct vidmm_adapter *adapter, enum vidmm_migration_data kind,
                                     void *data, uint64_t *size) {
    const DRIVER_INITIALIZATION_DATA *ddi = adapter->ddi;
    DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA arg = {.DataSize = size, .Data = data};
    return error_unless_success(
        adapter, calls_of[kind].save, calls_of[kind].save_page,
        kind == VIDMM_MIGRATION_IMMUTABLE
            ? ddi->DxgkDdiSaveImmutableMigrationData(adapter->hadapter, &arg)
            : ddi->DxgkDdiSaveMutableMigrationData(adapter->hadapter, &arg));
}

static enum vidmm_status bad_size(struct vidmm_adapter *adapter, enum vidmm_migration_data kind,
                                  const char *expected, uint64_t size) {
    return FAIL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = calls_of[kind].save,
                .field = "DataSize", .expected = expected, .rule = "R332",
                .page = calls_of[kind].save_page, .index = ERROR_NO_INDEX, .value = size);
}

/* First how much, then into a buffer of that size (R332). */
static enum vidmm_status migration_save(struct vidmm_adapter *adapter,
                                        enum vidmm_migration_data kind, void **data, size_t *size) {
    uint64_t bytes = 0;
    enum vidmm_status status = driver_save(adapter, kind, NULL, &bytes);
    if (status)
        return status;
    if (bytes > DATA_MAX)
        return bad_size(adapter, kind, "at most 64 MiB", bytes);
    uint64_t room = bytes;
    void *block = adapter_alloc(adapter, room ? (size_t)room : 1);
    if (!block)
        return error_no_memory(adapter, "vidmm_migration_save");
    status = driver_save(adapter, kind, block, &bytes);
    if (status == VIDMM_OK && bytes != room)
        status = bad_size(adapter, kind, "in the second call what the first answered", bytes);
    *data = status ? NULL : block;
    *size = status ? 0 : (size_t)room;
    if (status)
        adapter_free(adapter, block, room ? (size_t)room : 1);
    return status;
}

enum vidmm_status vidmm_migration_save(struct vidmm_adapter *adapter,
                                       enum vidmm_migration_data kind, void **data, size_t *size) {
    static const char call[] = "vidmm_migration_save";
    *data = NULL;
    *size = 0;
    adapter_enter(adapter);
    enum vidmm_status status = migration_is(adapter, VIDMM_MIGRATION_SOURCE, call);
    if (status == VIDMM_OK && kind == VIDMM_MIGRATION_MUTABLE && !adapter->migration.paused)
        status = error_argument(adapter, call, "a paused source for what is not constant");
    if (status == VIDMM_OK)
        status = migration_save(adapter, kind, data, size);
    adapter_leave(adapter);
    return status;
}

void vidmm_migration_release(struct vidmm_adapter *adapter, void *data, size_t size) {
    adapter_free(adapter, data, size ? size : 1);
}

enum vidmm_status vidmm_migration_restore(struct vidmm_adapter *adapter,
                                          enum vidmm_migration_data kind, const void *data,
                                          size_t size) {
    const DRIVER_INITIALIZATION_DATA *ddi = adapter->ddi;
    DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA arg = {.DataSize = size};
    adapter_enter(adapter);
    enum vidmm_status status =
        migration_is(adapter, VIDMM_MIGRATION_TARGET, "vidmm_migration_restore");
    void *copy = adapter_alloc(adapter, size ? size : 1);
    if (status == VIDMM_OK && !copy)
        status = error_no_memory(adapter, "vidmm_migration_restore");
    if (status == VIDMM_OK) { /* a copy: Data is not const */
        if (size)
            memcpy(copy, data, size);
        arg.Data = copy;
        status = error_unless_success(
            adapter, calls_of[kind].restore, calls_of[kind].restore_page,
            kind == VIDMM_MIGRATION_IMMUTABLE
                ? ddi->DxgkDdiRestoreImmutableMigrationData(adapter->hadapter, &arg)
                : ddi->DxgkDdiRestoreMutableMigrationData(adapter->hadapter, &arg));
    }
    adapter_free(adapter, copy, size ? size : 1);
    adapter_leave(adapter);
    return status;
}
