/*
 * migration.c - watches a live migration (live-migration-on-gpup-devices.md): the order of its
 * calls, the driver's own state on its way out and in, and which work is submitted meanwhile.
 *
 * The pause of a guest is no call: it is seen by work of applications that is not there.
 */
#include <stdlib.h>
#include <string.h>

#include "operation/operation.h"
#include "state/hash.h"
#include "watch/dirty.h"
#include "watch/thunk.h"
#include "state/memory.h"

#define DATA_MAX (UINT64_C(64) << 20) /* bytes of a save that is guarded */

enum data_kind { IMMUTABLE, MUTABLE };

static void migration_judge_vf(struct vidmm_referee *referee, UINT vf) {
    if (referee->migration.active)
        MANAGER_MUST(341, vf == referee->migration.vf, "the virtual GPU that was prepared",
                     "vfIndex is %u, %u was prepared", vf, referee->migration.vf);
}

/* Work of applications is on the GPU. */
static bool migration_guest_works(struct vidmm_referee *referee) {
    for (uint32_t i = 0; i < SHADOW_NODES; i++)
        for (const struct shadow_submission *at = referee->node[i].first; at; at = at->next)
            if (!at->paging)
                return true;
    return false;
}

/* ---- Memory of both ends --------------------------------------------------------------------- */

static void migration_untie(struct vidmm_referee *referee) {
    migration_pages_clear(&referee->migration.expected);
    migration_pages_clear(&referee->migration.had);
}

/* Moves what `source` knows of its memory; the two locks are never held together. */
void vidmm_referee_migrated(struct vidmm_referee *source, struct vidmm_referee *target) {
    pthread_mutex_lock(&source->lock);
    struct migration_pages paused = source->migration.paused, read = source->migration.read;
    source->migration.paused = source->migration.read = (struct migration_pages){.page = NULL};
    pthread_mutex_unlock(&source->lock);
    pthread_mutex_lock(&target->lock);
    migration_untie(target);
    target->migration.expected = paused;
    target->migration.had = read;
    pthread_mutex_unlock(&target->lock);
}

/* ---- Preparation and end --------------------------------------------------------------------- */

/* Every page of the segment that could be tracked is. */
static bool migration_is_tracked(struct vidmm_referee *referee, uint32_t id) {
    for (const struct dirty_basis *basis = dirty_each(referee, NULL); basis;
         basis = dirty_each(referee, basis))
        if (basis->segment == id && basis->started)
            return true;
    return false;
}

static void migration_judge_tracking(struct vidmm_referee *referee) {
    for (uint32_t id = 1; dirty_performant(referee) && id <= shadow_segments(referee, 0); id++) {
        const struct shadow_segment *segment = shadow_memory(referee, id);
        if (segment && dirty_page_size(referee, id) != 0 &&
            dirty_page_size(referee, id) <= segment->size)
            MANAGER_MUST(337, migration_is_tracked(referee, id),
                         "tracking that costs nothing started before the migration",
                         "segment %u is not tracked when it is prepared", id);
    }
}

static NTSTATUS watch_PrepareLiveMigration(struct vidmm_referee *referee, const HANDLE adapter,
                                           const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiPrepareLiveMigration", REFEREE_REENTRANT);
    dirty_count_call(referee);
    bool source = args->MigrationType == DXGK_GPUP_MIGRATIONTYPE_SOURCE;
    MANAGER_MUST(336, !referee->migration.active, "the end of the last migration before the next",
                 "one was prepared and not ended");
    if (source)
        migration_judge_tracking(referee);
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiPrepareLiveMigration(adapter, args);
    referee_return(referee);
    if (referee->migration.ended)
        DRIVER_MUST(336, status != STATUS_INVALID_DEVICE_STATE,
                    "a driver that is as before a migration when that has ended",
                    "status 0x%08x for the next preparation", (unsigned)status);
    if (status == STATUS_SUCCESS) {
        referee->migration.ended = false;
        referee->migration.active = true;
        referee->migration.target = !source;
        referee->migration.vf = args->vfIndex;
        referee->migration.asked = referee->migration.saved = false;
        referee->migration.sized[IMMUTABLE] = referee->migration.sized[MUTABLE] = false;
        referee->migration.at = referee->ledger->calls;
        referee->migration.restored = referee->migration.disturbed = false;
        migration_pages_clear(source ? &referee->migration.read : &referee->migration.written);
    }
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, PrepareLiveMigration, const HANDLE, const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION *)

static NTSTATUS watch_EndLiveMigration(struct vidmm_referee *referee, const HANDLE adapter,
                                       UINT vf) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiEndLiveMigration", REFEREE_REENTRANT);
    dirty_count_call(referee);
    MANAGER_MUST(336, referee->migration.active, "the end of a migration that was prepared",
                 "none is under way");
    migration_judge_vf(referee, vf);
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiEndLiveMigration(adapter, vf);
    referee_return(referee);
    if (referee->migration.active && referee->migration.target && referee->migration.restored &&
        !referee->migration.disturbed) {
        migration_judge_memory(referee);
        apertures_judge_restored(referee);
    }
    if (referee->migration.target)
        migration_untie(referee);
    referee->migration.ended = referee->migration.active && status == STATUS_SUCCESS;
    referee->migration.active = referee->migration.saved = false;
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, EndLiveMigration, const HANDLE, UINT)

static void migration_forget(struct vidmm_referee *referee) {
    migration_untie(referee);
    migration_pages_clear(&referee->migration.paused);
    migration_pages_clear(&referee->migration.read);
    migration_pages_clear(&referee->migration.written);
    free(referee->migration.board);
    memset(&referee->migration, 0, sizeof(referee->migration));
}

void migration_judge_end(struct vidmm_referee *referee) {
    if (referee->migration.at != 0 && !submit_gave_up(referee))
        MANAGER_MUST(336, !referee->migration.active, "an end for every preparation",
                     "one was not ended when the adapter went");
    migration_forget(referee);
}

/* ---- Saving ---------------------------------------------------------------------------------- */

static void migration_judge_save(struct vidmm_referee *referee, enum data_kind kind) {
    bool source = referee->migration.active && !referee->migration.target;
    if (kind == IMMUTABLE)
        MANAGER_MUST(333, source && !referee->migration.asked,
                     "immutable data saved right after the preparation of a source", "%s",
                     source ? "dirty bits were asked for before" : "no source is prepared");
    else
        MANAGER_MUST(333, source && !migration_guest_works(referee),
                     "mutable data saved while the guest of a source is paused", "%s",
                     source ? "work of applications is on the GPU" : "no source is prepared");
}

static void migration_judge_sizes(struct vidmm_referee *referee, enum data_kind kind,
                                  const UINT64 *size, const BYTE *data) {
    if (data && referee->short_buffers)
        return;
    if (!data)
        MANAGER_MUST(332, *size == 0, "0 in DataSize in the first call", "it is %llu", LLU(*size));
    else
        MANAGER_MUST(332, referee->migration.sized[kind] && *size == referee->migration.size[kind],
                     "a buffer of the size that the first call answered",
                     "%llu bytes, where it answered %llu", LLU(*size),
                     LLU(referee->migration.size[kind]));
}

static void migration_judge_saved(struct vidmm_referee *referee, enum data_kind kind,
                                  const struct guard *guard, UINT64 size) {
    int64_t at = 0;
    bool whole = guard_whole(guard, &at);
    DRIVER_MUST(332, whole, "no more written than the first call answered, and than DataSize",
                "byte %lld of %llu was written", (long long)at, LLU(guard->size));
    if (referee->short_buffers)
        return;
    DRIVER_MUST(332, size == referee->migration.size[kind],
                "as many bytes as the first call answered", "%llu, and %llu in the second call",
                LLU(referee->migration.size[kind]), LLU(size));
}

static void migration_keep_board(struct vidmm_referee *referee, const struct guard *guard) {
    uint8_t *copy = memory_malloc(guard->size + 1);
    if (!copy)
        return;
    memcpy(copy, guard->bytes, guard->size);
    free(referee->migration.board);
    referee->migration.board = copy;
    referee->migration.board_size = guard->size;
}

/* What the driver saved goes where the caller wanted it; what a later call must agree with stays. */
static void migration_take(struct vidmm_referee *referee, enum data_kind kind, struct guard *guard,
                           uint64_t size, NTSTATUS status) {
    const bool saved = status == STATUS_SUCCESS && !referee->short_buffers;
    if (referee->short_buffers ||
        (saved && referee->migration.sized[kind] && guard->size == referee->migration.size[kind]))
        migration_judge_saved(referee, kind, guard, size);
    if (saved && kind == IMMUTABLE)
        migration_keep_board(referee, guard);
    if (saved && kind == MUTABLE) {
        referee->migration.state_hash = hash_bytes(HASH_START, guard->bytes, guard->size);
        referee->migration.state_size = guard->size;
        referee->migration.saved = true;
    }
    guard_give(guard, 0, guard->size);
    guard_free(referee, guard);
}

static NTSTATUS migration_save(struct vidmm_referee *referee, enum data_kind kind,
                               const HANDLE adapter,
                               DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA *args) {
    struct referee_call call;
    DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA passed = *args;
    struct guard guard = {.block = NULL};
    const UINT64 passed_size = *args->DataSize;
    referee_enter(referee, &call,
                  kind == IMMUTABLE ? "DxgkDdiSaveImmutableMigrationData"
                                    : "DxgkDdiSaveMutableMigrationData",
                  REFEREE_REENTRANT);
    dirty_count_call(referee);
    migration_judge_vf(referee, args->vfIndex);
    migration_judge_save(referee, kind);
    migration_judge_sizes(referee, kind, args->DataSize, args->Data);
    if (kind == MUTABLE && !args->Data)
        migration_note_paused(referee);
    if (args->Data && *args->DataSize <= DATA_MAX) {
        guard_make(referee, &guard, args->Data, (size_t)*args->DataSize);
        passed.Data = guard.bytes;
    }
    referee_leave(referee);
    NTSTATUS status = kind == IMMUTABLE
                          ? referee->real.DxgkDdiSaveImmutableMigrationData(adapter, &passed)
                          : referee->real.DxgkDdiSaveMutableMigrationData(adapter, &passed);
    referee_return(referee);
    if (status == STATUS_SUCCESS && !args->Data) {
        referee->migration.sized[kind] = true;
        referee->migration.size[kind] = *args->DataSize;
    }
    if (args->Data && !referee->short_buffers && referee->migration.sized[kind] &&
        passed_size == referee->migration.size[kind])
        DRIVER_MUST(332, status != STATUS_BUFFER_TOO_SMALL,
                    "a first call that answers how many bytes there are",
                    "%llu, and STATUS_BUFFER_TOO_SMALL for as many", LLU(passed_size));
    if (guard.block)
        migration_take(referee, kind, &guard, *args->DataSize, status);
    referee_exit(referee, &call);
    return status;
}

static NTSTATUS watch_SaveImmutableMigrationData(struct vidmm_referee *referee,
                                                 const HANDLE adapter,
                                                 DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA *args) {
    return migration_save(referee, IMMUTABLE, adapter, args);
}
WATCHED_2(NTSTATUS, SaveImmutableMigrationData, const HANDLE,
          DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA *)

static NTSTATUS watch_SaveMutableMigrationData(struct vidmm_referee *referee, const HANDLE adapter,
                                               DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA *args) {
    return migration_save(referee, MUTABLE, adapter, args);
}
WATCHED_2(NTSTATUS, SaveMutableMigrationData, const HANDLE,
          DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA *)

/* ---- Restoring ------------------------------------------------------------------------------- */

/* Of the board that was saved here; what is not known is not judged. */
enum likeness { UNKNOWN, SAME, UNLIKE };

/* A byte that is another one may be of no account; half of them is not the same board. */
static enum likeness migration_likeness(struct vidmm_referee *referee,
                                        const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *args) {
    uint64_t other = 0;
    if (!referee->migration.board)
        return UNKNOWN;
    if (args->DataSize != referee->migration.board_size || !args->Data)
        return UNLIKE;
    for (uint64_t i = 0; i < referee->migration.board_size; i++)
        other += args->Data[i] != referee->migration.board[i];
    return other == 0 ? SAME : other > referee->migration.board_size / 2 ? UNLIKE : UNKNOWN;
}

static void migration_judge_board(struct vidmm_referee *referee,
                                  const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *args,
                                  NTSTATUS status) {
    enum likeness like = migration_likeness(referee, args);
    if (like == SAME)
        DRIVER_MUST(334, status == STATUS_SUCCESS, "the driver's own data of the same board taken",
                    "status 0x%08x", (unsigned)status);
    if (like == UNLIKE)
        DRIVER_MUST(334, status == STATUS_OBJECT_TYPE_MISMATCH, "STATUS_OBJECT_TYPE_MISMATCH",
                    "status 0x%08x for %llu bytes that are not what such a board says",
                    (unsigned)status, LLU(args->DataSize));
}

/* The same bytes, on the board that saved them: whatever else may be wrong, their type is not. */
static void migration_judge_state(struct vidmm_referee *referee,
                                  const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *args,
                                  NTSTATUS status) {
    const size_t size = (size_t)referee->migration.state_size;
    if (size != 0 && args->DataSize == size && args->Data &&
        hash_bytes(HASH_START, args->Data, size) == referee->migration.state_hash)
        DRIVER_MUST(334, status != STATUS_OBJECT_TYPE_MISMATCH,
                    "the driver's own mutable data of the same board taken",
                    "STATUS_OBJECT_TYPE_MISMATCH for %llu bytes that it saved", LLU(size));
}

static NTSTATUS migration_restore(struct vidmm_referee *referee, enum data_kind kind,
                                  const HANDLE adapter,
                                  const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *args) {
    struct referee_call call;
    referee_enter(referee, &call,
                  kind == IMMUTABLE ? "DxgkDdiRestoreImmutableMigrationData"
                                    : "DxgkDdiRestoreMutableMigrationData",
                  REFEREE_REENTRANT);
    dirty_count_call(referee);
    migration_judge_vf(referee, args->vfIndex);
    bool paused =
        referee->migration.active && referee->migration.target && !migration_guest_works(referee);
    MANAGER_MUST(335, paused, "data restored on a target whose guest is paused", "%s",
                 referee->migration.active && referee->migration.target
                     ? "work of applications is on the GPU"
                     : "no target is prepared");
    referee_leave(referee);
    NTSTATUS status = kind == IMMUTABLE
                          ? referee->real.DxgkDdiRestoreImmutableMigrationData(adapter, args)
                          : referee->real.DxgkDdiRestoreMutableMigrationData(adapter, args);
    referee_return(referee);
    if (paused && kind == IMMUTABLE)
        migration_judge_board(referee, args, status);
    if (paused && kind == MUTABLE)
        migration_judge_state(referee, args, status);
    if (kind == MUTABLE)
        referee->migration.restored = status == STATUS_SUCCESS;
    referee_exit(referee, &call);
    return status;
}

static NTSTATUS
watch_RestoreImmutableMigrationData(struct vidmm_referee *referee, const HANDLE adapter,
                                    const DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA *args) {
    return migration_restore(referee, IMMUTABLE, adapter, args);
}
WATCHED_2(NTSTATUS, RestoreImmutableMigrationData, const HANDLE,
          const DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA *)

static NTSTATUS
watch_RestoreMutableMigrationData(struct vidmm_referee *referee, const HANDLE adapter,
                                  const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *args) {
    return migration_restore(referee, MUTABLE, adapter, args);
}
WATCHED_2(NTSTATUS, RestoreMutableMigrationData, const HANDLE,
          const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *)

/* ---- What goes on meanwhile ------------------------------------------------------------------ */

void migration_judge_work(struct vidmm_referee *referee, bool paging) {
    if (paging || !referee->migration.active)
        return;
    if (referee->migration.target) {
        MANAGER_MUST(335, referee->migration.restored,
                     "a target's guest that starts after all data was restored",
                     "work of an application is submitted before mutable data was");
        referee->migration.disturbed = true; /* it may change memory before the end */
    } else
        MANAGER_MUST(333, !referee->migration.saved,
                     "a guest that stays paused once mutable data is saved",
                     "work of an application is submitted after it");
}

void migration_judge_query(struct vidmm_referee *referee, const struct dirty_basis *basis) {
    if (!referee->migration.active)
        return;
    MANAGER_MUST(338, !referee->migration.target, "no question for dirty bits on a target",
                 "one of segment %u", basis->segment);
    if (!referee->migration.target && !dirty_performant(referee) && basis->started)
        MANAGER_MUST(337, basis->started_at > referee->migration.at,
                     "tracking that costs performance started with the preparation",
                     "the basis was started before");
    referee->migration.asked = true;
}

void referee_watch_migration(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    migration_forget(referee);
    if (table->Version < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
        return;
    WATCH(table, PrepareLiveMigration);
    WATCH(table, EndLiveMigration);
    WATCH(table, SaveImmutableMigrationData);
    WATCH(table, SaveMutableMigrationData);
    WATCH(table, RestoreImmutableMigrationData);
    WATCH(table, RestoreMutableMigrationData);
}
