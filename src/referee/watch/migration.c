/*
 * migration.c - watches a live migration (live-migration-on-gpup-devices.md): the order of its
 * calls, the driver's own state on its way out and in, and who works meanwhile.
 *
 * The pause of a guest is no call: it is seen by work of applications that is not there.
 */
#include "state/dirty.h"

#include "operation/operation.h"
#include "state/work.h"

#include <stdlib.h>
#include <string.h>

#define DATA_MAX (UINT64_C(64) << 20) /* bytes of a save that is guarded */

enum data_kind { IMMUTABLE, MUTABLE };

static struct {
    bool active, target;
    UINT vf;
    bool asked;   /* for dirty bits, since the preparation */
    bool saved;   /* mutable data: the guest is paused */
    uint64_t at;  /* call of the preparation */
    bool told[2]; /* the size, for the second call */
    uint64_t size[2];
    uint8_t *board; /* the newest immutable data that was saved */
    uint64_t board_size;
} migration;

static void judge_vf(UINT vf) {
    if (migration.active)
        MANAGER_MUST(341, vf == migration.vf, "the virtual GPU that was prepared",
                     "vfIndex is %u, %u was prepared", vf, migration.vf);
}

/* Work of applications is on the GPU. */
static bool guest_works(void) {
    for (uint32_t i = 0; i < SHADOW_NODES; i++)
        for (const struct shadow_submission *at = referee->node[i].first; at; at = at->next)
            if (!at->paging)
                return true;
    return false;
}

/* ---- Preparation and end --------------------------------------------------------------------- */

/* Every page of the segment that could be tracked is. */
static bool is_tracked(uint32_t id) {
    for (const struct dirty_basis *basis = dirty_each(NULL); basis; basis = dirty_each(basis))
        if (basis->segment == id && basis->started)
            return true;
    return false;
}

static void judge_tracking(void) {
    for (uint32_t id = 1; dirty_performant() && id <= referee->adapter.segments; id++) {
        const struct shadow_segment *segment = operation_memory(id);
        if (segment && dirty_page_size(id) != 0 && dirty_page_size(id) <= segment->size)
            MANAGER_MUST(337, is_tracked(id),
                         "tracking that costs nothing started before the migration",
                         "segment %u is not tracked when it is prepared", id);
    }
}

static NTSTATUS APIENTRY see_PrepareLiveMigration(const HANDLE adapter,
                                                  const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION *args) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiPrepareLiveMigration", REFEREE_REENTRANT);
    dirty_count_call();
    bool source = args->MigrationType == DXGK_GPUP_MIGRATIONTYPE_SOURCE;
    MANAGER_MUST(336, !migration.active, "the end of the last migration before the next",
                 "one was prepared and not ended");
    if (source)
        judge_tracking();
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiPrepareLiveMigration(adapter, args);
    referee_return(&call);
    if (status == STATUS_SUCCESS) {
        migration.active = true;
        migration.target = !source;
        migration.vf = args->vfIndex;
        migration.asked = migration.saved = false;
        migration.told[IMMUTABLE] = migration.told[MUTABLE] = false;
        migration.at = referee->ledger->calls;
    }
    referee_exit(&call);
    return status;
}

static NTSTATUS APIENTRY see_EndLiveMigration(const HANDLE adapter, UINT vf) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiEndLiveMigration", REFEREE_REENTRANT);
    dirty_count_call();
    MANAGER_MUST(336, migration.active, "the end of a migration that was prepared",
                 "none is under way");
    judge_vf(vf);
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiEndLiveMigration(adapter, vf);
    referee_return(&call);
    migration.active = migration.saved = false;
    referee_exit(&call);
    return status;
}

void migration_judge_end(void) {
    if (migration.at != 0 && !submit_gave_up())
        MANAGER_MUST(336, !migration.active, "an end for every preparation",
                     "one was not ended when the adapter went");
    free(migration.board);
    memset(&migration, 0, sizeof(migration));
}

/* ---- Saving ---------------------------------------------------------------------------------- */

static void judge_save(enum data_kind kind) {
    bool source = migration.active && !migration.target;
    if (kind == IMMUTABLE)
        MANAGER_MUST(333, source && !migration.asked,
                     "immutable data saved right after the preparation of a source", "%s",
                     source ? "dirty bits were asked for before" : "no source is prepared");
    else
        MANAGER_MUST(333, source && !guest_works(),
                     "mutable data saved while the guest of a source is paused", "%s",
                     source ? "work of applications is on the GPU" : "no source is prepared");
}

static void judge_sizes(enum data_kind kind, const UINT64 *size, const BYTE *data) {
    if (!data)
        MANAGER_MUST(332, *size == 0, "0 in DataSize in the first call", "it is %llu", LLU(*size));
    else
        MANAGER_MUST(332, migration.told[kind] && *size == migration.size[kind],
                     "a buffer of the size that the first call answered",
                     "%llu bytes, where it answered %llu", LLU(*size), LLU(migration.size[kind]));
}

static void judge_saved(enum data_kind kind, const struct guard *guard, UINT64 size) {
    int64_t at = 0;
    bool whole = guard_whole(guard, &at);
    DRIVER_MUST(332, whole, "no more written than the first call answered",
                "byte %lld of %llu was written", (long long)at, LLU(guard->size));
    DRIVER_MUST(332, size == migration.size[kind], "as many bytes as the first call answered",
                "%llu, and %llu in the second call", LLU(migration.size[kind]), LLU(size));
}

static void keep_board(const struct guard *guard) {
    uint8_t *copy = malloc(guard->size + 1);
    if (!copy)
        return;
    memcpy(copy, guard->bytes, guard->size);
    free(migration.board);
    migration.board = copy;
    migration.board_size = guard->size;
}

static NTSTATUS save(enum data_kind kind, const HANDLE adapter,
                     DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA *args) {
    struct referee_call call;
    DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA passed = *args;
    struct guard guard = {.block = NULL};
    referee_enter(&call,
                  kind == IMMUTABLE ? "DxgkDdiSaveImmutableMigrationData"
                                    : "DxgkDdiSaveMutableMigrationData",
                  REFEREE_REENTRANT);
    dirty_count_call();
    judge_vf(args->vfIndex);
    judge_save(kind);
    judge_sizes(kind, args->DataSize, args->Data);
    if (args->Data && *args->DataSize <= DATA_MAX) {
        guard_make(&guard, args->Data, (size_t)*args->DataSize);
        passed.Data = guard.bytes;
    }
    referee_leave(&call);
    NTSTATUS status = kind == IMMUTABLE
                          ? referee->real.DxgkDdiSaveImmutableMigrationData(adapter, &passed)
                          : referee->real.DxgkDdiSaveMutableMigrationData(adapter, &passed);
    referee_return(&call);
    if (status == STATUS_SUCCESS && !args->Data) {
        migration.told[kind] = true;
        migration.size[kind] = *args->DataSize;
    }
    if (guard.block) {
        if (status == STATUS_SUCCESS && migration.told[kind] && guard.size == migration.size[kind])
            judge_saved(kind, &guard, *args->DataSize);
        if (status == STATUS_SUCCESS && kind == IMMUTABLE)
            keep_board(&guard);
        migration.saved = migration.saved || (status == STATUS_SUCCESS && kind == MUTABLE);
        guard_give(&guard, 0, guard.size);
        guard_free(&guard);
    }
    referee_exit(&call);
    return status;
}

static NTSTATUS APIENTRY see_SaveImmutableMigrationData(
    const HANDLE adapter, DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA *args) {
    return save(IMMUTABLE, adapter, args);
}

static NTSTATUS APIENTRY
see_SaveMutableMigrationData(const HANDLE adapter, DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA *args) {
    return save(MUTABLE, adapter, args);
}

/* ---- Restoring ------------------------------------------------------------------------------- */

/* Of the board that was saved here; what is not known nobody judges. */
enum likeness { UNKNOWN, SAME, UNLIKE };

/* A byte that is another one may be of no account; half of them is not the same board. */
static enum likeness likeness(const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *args) {
    uint64_t other = 0;
    if (!migration.board)
        return UNKNOWN;
    if (args->DataSize != migration.board_size || !args->Data)
        return UNLIKE;
    for (uint64_t i = 0; i < migration.board_size; i++)
        other += args->Data[i] != migration.board[i];
    return other == 0 ? SAME : other > migration.board_size / 2 ? UNLIKE : UNKNOWN;
}

static void judge_board(const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *args, NTSTATUS status) {
    enum likeness like = likeness(args);
    if (like == SAME)
        DRIVER_MUST(334, status == STATUS_SUCCESS, "the driver's own data of the same board taken",
                    "status 0x%08x", (unsigned)status);
    if (like == UNLIKE)
        DRIVER_MUST(334, status == STATUS_OBJECT_TYPE_MISMATCH, "STATUS_OBJECT_TYPE_MISMATCH",
                    "status 0x%08x for %llu bytes that are not what such a board says",
                    (unsigned)status, LLU(args->DataSize));
}

static NTSTATUS restore(enum data_kind kind, const HANDLE adapter,
                        const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *args) {
    struct referee_call call;
    referee_enter(&call,
                  kind == IMMUTABLE ? "DxgkDdiRestoreImmutableMigrationData"
                                    : "DxgkDdiRestoreMutableMigrationData",
                  REFEREE_REENTRANT);
    dirty_count_call();
    judge_vf(args->vfIndex);
    bool paused = migration.active && migration.target && !guest_works();
    MANAGER_MUST(335, paused, "data restored on a target whose guest is paused", "%s",
                 migration.active && migration.target ? "work of applications is on the GPU"
                                                      : "no target is prepared");
    referee_leave(&call);
    NTSTATUS status = kind == IMMUTABLE
                          ? referee->real.DxgkDdiRestoreImmutableMigrationData(adapter, args)
                          : referee->real.DxgkDdiRestoreMutableMigrationData(adapter, args);
    referee_return(&call);
    if (paused && kind == IMMUTABLE)
        judge_board(args, status);
    referee_exit(&call);
    return status;
}

static NTSTATUS APIENTRY see_RestoreImmutableMigrationData(
    const HANDLE adapter, const DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA *args) {
    return restore(IMMUTABLE, adapter, args);
}

static NTSTATUS APIENTRY see_RestoreMutableMigrationData(
    const HANDLE adapter, const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *args) {
    return restore(MUTABLE, adapter, args);
}

/* ---- What goes on meanwhile ------------------------------------------------------------------ */

void migration_judge_work(bool paging) {
    if (paging || !migration.active)
        return;
    if (migration.target)
        MANAGER_MUST(335, false, "a target's guest that starts after the end of the migration",
                     "work of an application is submitted before");
    else
        MANAGER_MUST(333, !migration.saved, "a guest that stays paused once mutable data is saved",
                     "work of an application is submitted after it");
}

void migration_judge_transfer(bool from_memory, bool to_memory) {
    if (!migration.active)
        return;
    bool right = migration.target ? !from_memory && to_memory : from_memory && !to_memory;
    MANAGER_MUST(339, right,
                 migration.target ? "a target's pages written from system memory"
                                  : "a source's pages read to system memory",
                 "from %s memory to %s memory", from_memory ? "local" : "system",
                 to_memory ? "local" : "system");
}

void migration_judge_query(const struct dirty_basis *basis) {
    if (!migration.active)
        return;
    MANAGER_MUST(338, !migration.target, "no question for dirty bits on a target",
                 "one of segment %u", basis->segment);
    if (!migration.target && !dirty_performant() && basis->started)
        MANAGER_MUST(337, basis->started_at > migration.at,
                     "tracking that costs performance started with the preparation",
                     "the basis was started before");
    migration.asked = true;
}

void referee_watch_migration(DRIVER_INITIALIZATION_DATA *table) {
    free(migration.board);
    memset(&migration, 0, sizeof(migration));
    if (table->Version < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
        return;
    WATCH(table, PrepareLiveMigration);
    WATCH(table, EndLiveMigration);
    WATCH(table, SaveImmutableMigrationData);
    WATCH(table, SaveMutableMigrationData);
    WATCH(table, RestoreImmutableMigrationData);
    WATCH(table, RestoreMutableMigrationData);
}
