/*
 * migration.c - live migration (live-migration-on-gpup-devices.md): what of this GPU moves to
 * another one beside the content of VRAM. The virtual GPU is the whole adapter, vfIndex 0.
 *
 * Immutable data say what the board and the driver are; only their like is let in. Mutable data are
 * what the board holds itself and VRAM does not: the entries of its apertures. Nothing else is
 * left when the engines are idle:
 *   - Page tables and saved contexts are memory, in VRAM or the system's. Which root a context has,
 *     and the spaces of processes, the system says to the target's driver as it did to the source's
 *     (SetRootPageTable, CreateProcess), where it creates the same objects.
 *   - The TLB knows what the tables were before they arrived; it is emptied.
 *   - Fences are numbered by the system that submits. The target's system has submissions of its own
 *     behind it, those of the restore: its registers stay.
 *   - Swizzling ranges do not exist with GPU virtual addresses, which migration requires.
 *   - The plane of dirty bits says what this GPU wrote, and goes on saying that.
 *
 * On a target the apertures are emptied first, so that what the source had is all there is. The
 * system's own transfers go on: page tables of the paging process are not in apertures, and neither
 * are paging buffers, or migration is not offered.
 *
 * GUID_DxgkAzureTriageEvent, which a refusal should be logged with, is named by the documentation
 * and given by none of it: the refusal is the status alone.
 */
#include "driver/kmd.h"

#define BLOB_MAGIC   0x4756504du /* "MPVG" */
#define BLOB_VERSION 1u

enum blob_kind { BLOB_IMMUTABLE = 1, BLOB_MUTABLE };

/* What both begin with. `sum` is of all that follows. */
struct blob {
    ULONG magic, version, kind, reserved;
    ULONG64 bytes; /* of all */
    ULONG64 sum;
};

/* FNV-1a: any byte that is another one makes another sum. */
static ULONG64 sum_of(const BYTE *data, SIZE_T bytes) {
    ULONG64 sum = 0xcbf29ce484222325ull;
    for (SIZE_T i = 0; i < bytes; i++)
        sum = (sum ^ data[i]) * 0x100000001b3ull;
    return sum;
}

static void migration_seal(BYTE *data, SIZE_T bytes, enum blob_kind kind) {
    struct blob blob = {BLOB_MAGIC, BLOB_VERSION, (ULONG)kind, 0, bytes, 0};
    blob.sum = sum_of(data + sizeof(blob), bytes - sizeof(blob));
    RtlCopyMemory(data, &blob, sizeof(blob));
}

static bool migration_sealed(const BYTE *data, ULONG64 bytes, enum blob_kind kind) {
    struct blob blob;
    if (!data || bytes < sizeof(blob))
        return false;
    RtlCopyMemory(&blob, data, sizeof(blob));
    return blob.magic == BLOB_MAGIC && blob.version == BLOB_VERSION && blob.kind == (ULONG)kind &&
           blob.reserved == 0 && blob.bytes == bytes &&
           blob.sum == sum_of(data + sizeof(blob), (SIZE_T)bytes - sizeof(blob));
}

/* ---- Up and down ----------------------------------------------------------------------------- */

NTSTATUS kmd_migration_start(struct kmd_adapter *adapter, PHYSICAL_ADDRESS entries) {
    struct kmd_migration *migration = &adapter->migration;
    migration->offered =
        adapter->dirty.memory && kmd_mmu_on(adapter) && adapter->settings.paging_segment == 0;
    migration->role = KMD_MIGRATION_NONE;
    migration->count =
        (SIZE_T)((adapter->aperture_bytes[0] + adapter->aperture_bytes[1]) / GPU_PAGE);
    if (!migration->offered || migration->count == 0)
        return STATUS_SUCCESS;
    migration->entries = MmMapIoSpace(entries, migration->count * sizeof(LONG64), MmNonCached);
    return migration->entries ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

void kmd_migration_stop(struct kmd_adapter *adapter) {
    struct kmd_migration *migration = &adapter->migration;
    if (migration->entries)
        MmUnmapIoSpace((PVOID)(uintptr_t)migration->entries, migration->count * sizeof(LONG64));
    migration->entries = NULL;
    migration->offered = false;
}

NTSTATUS kmd_query_gpup(const struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_GPUPCAPS caps = {0};
    if (!adapter->migration.offered)
        return STATUS_INVALID_PARAMETER;
    caps.Caps.LiveMigration = 1;
    return kmd_answer(args, &caps, sizeof(caps), sizeof(caps));
}

/* ---- Beginning and ending -------------------------------------------------------------------- */

static void migration_flush(struct kmd_adapter *adapter) {
    kmd_mmu_flush(adapter, GPU_FLUSH_ALL, KMD_SPACE_NONE, 0, 0);
}

static void empty_apertures(struct kmd_adapter *adapter) {
    for (SIZE_T i = 0; adapter->migration.entries && i < adapter->migration.count; i++)
        adapter->migration.entries[i] = 0;
    migration_flush(adapter);
}

NTSTATUS APIENTRY kmd_prepare_live_migration(const HANDLE hAdapter,
                                             const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION *args) {
    struct kmd_adapter *adapter = hAdapter;
    struct kmd_migration *migration = &adapter->migration;
    if (!migration->offered)
        return STATUS_NOT_SUPPORTED;
    if (args->vfIndex != 0 || (args->MigrationType != DXGK_GPUP_MIGRATIONTYPE_SOURCE &&
                               args->MigrationType != DXGK_GPUP_MIGRATIONTYPE_TARGET))
        return STATUS_INVALID_PARAMETER;
    if (migration->role != KMD_MIGRATION_NONE)
        return STATUS_INVALID_DEVICE_STATE;
    migration->role = args->MigrationType == DXGK_GPUP_MIGRATIONTYPE_SOURCE ? KMD_MIGRATION_SOURCE
                                                                            : KMD_MIGRATION_TARGET;
    if (migration->role == KMD_MIGRATION_TARGET)
        empty_apertures(adapter);
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_end_live_migration(const HANDLE hAdapter, UINT vfIndex) {
    struct kmd_adapter *adapter = hAdapter;
    if (vfIndex != 0)
        return STATUS_INVALID_PARAMETER;
    if (adapter->migration.role == KMD_MIGRATION_NONE)
        return STATUS_INVALID_DEVICE_STATE;
    adapter->migration.role = KMD_MIGRATION_NONE;
    migration_flush(adapter);
    return STATUS_SUCCESS;
}

/* Is this what `role` may do now? Nothing may be under way that could change what is saved or use
 * what is restored. */
static NTSTATUS migration_allowed(const struct kmd_adapter *adapter, UINT vf,
                                  enum kmd_migration_role role, bool idle) {
    if (vf != 0)
        return STATUS_INVALID_PARAMETER;
    if (adapter->migration.role != role)
        return STATUS_INVALID_DEVICE_STATE;
    for (UINT i = 0; idle && i < adapter->nodes; i++)
        if (kmd_read(adapter, GPU_ENGINE(i) + GPU_ENGINE_QUEUED) != 0)
            return STATUS_INVALID_DEVICE_STATE;
    return STATUS_SUCCESS;
}

/* The first of two calls asks for the size; true when this is it, or an answer by itself. */
static bool only_size(UINT64 *size, const BYTE *data, SIZE_T bytes, NTSTATUS *status) {
    *status = STATUS_SUCCESS;
    if (!size)
        *status = STATUS_INVALID_PARAMETER;
    else if (data && *size < bytes)
        *status = STATUS_BUFFER_TOO_SMALL;
    else
        *size = bytes;
    return !data || !NT_SUCCESS(*status);
}

/* ---- Immutable data -------------------------------------------------------------------------- */

/* Everything that something in VRAM, or in a handle of the system, may rely on. */
struct board {
    struct blob blob;
    ULONG64 vram, visible, aperture[GPU_APERTURES];
    ULONG interface_version, nodes, dirty_page, segments;
    struct gpu_mmu_format format;
    ULONG update_mode, root_bits;
    UINT table_segment[GPU_LEVELS_MAX], paging_segment[GPU_LEVELS_MAX];
    struct {
        ULONG64 base, size;
    } segment[KMD_SEGMENTS_MAX];
};

static void migration_describe(const struct kmd_adapter *adapter, struct board *board) {
    RtlZeroMemory(board, sizeof(*board));
    board->vram = adapter->vram_bytes;
    board->visible = adapter->visible_bytes;
    for (UINT i = 0; i < GPU_APERTURES; i++)
        board->aperture[i] = adapter->aperture_bytes[i];
    board->interface_version = adapter->settings.version;
    board->nodes = adapter->nodes;
    board->dirty_page = adapter->dirty.page;
    board->segments = adapter->segments;
    board->format = adapter->mmu.format;
    board->update_mode = (ULONG)adapter->mmu.mode;
    board->root_bits = adapter->mmu.root_bits;
    for (UINT level = 0; level < GPU_LEVELS_MAX; level++) {
        board->table_segment[level] = adapter->mmu.table_segment[level];
        board->paging_segment[level] = adapter->mmu.paging_segment[level];
    }
    for (UINT i = 0; i < adapter->segments; i++) {
        board->segment[i].base = adapter->segment[i].base;
        board->segment[i].size = adapter->segment[i].size;
    }
    migration_seal((BYTE *)board, sizeof(*board), BLOB_IMMUTABLE);
}

NTSTATUS APIENTRY kmd_save_immutable_migration_data(
    const HANDLE hAdapter, DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA *args) {
    const struct kmd_adapter *adapter = hAdapter;
    struct board board;
    NTSTATUS status = migration_allowed(adapter, args->vfIndex, KMD_MIGRATION_SOURCE, false);
    if (!NT_SUCCESS(status) || only_size(args->DataSize, args->Data, sizeof(board), &status))
        return status;
    migration_describe(adapter, &board);
    RtlCopyMemory(args->Data, &board, sizeof(board));
    return STATUS_SUCCESS;
}

/* Nothing is changed by it: a board either is the same or it is not. */
NTSTATUS APIENTRY kmd_restore_immutable_migration_data(
    const HANDLE hAdapter, const DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA *args) {
    const struct kmd_adapter *adapter = hAdapter;
    struct board board;
    NTSTATUS status = migration_allowed(adapter, args->vfIndex, KMD_MIGRATION_TARGET, false);
    if (!NT_SUCCESS(status))
        return status;
    migration_describe(adapter, &board);
    if (!args->Data || args->DataSize != sizeof(board) ||
        RtlCompareMemory(args->Data, &board, sizeof(board)) != sizeof(board))
        return STATUS_OBJECT_TYPE_MISMATCH;
    return STATUS_SUCCESS;
}

/* ---- Mutable data ---------------------------------------------------------------------------- */

/* Entries `first` on, which follow; all others are 0. Ascending, and never next to each other. */
struct run {
    ULONG64 first, count;
};

/* The next run at or behind `at`; count 0: there is none. */
static struct run next_run(const struct kmd_migration *migration, SIZE_T at) {
    struct run run = {0, 0};
    while (at < migration->count && migration->entries[at] == 0)
        at++;
    run.first = at;
    for (; at < migration->count && migration->entries[at] != 0; at++)
        run.count++;
    return run;
}

static SIZE_T mutable_bytes(const struct kmd_migration *migration) {
    SIZE_T bytes = sizeof(struct blob);
    struct run run = {0, 0};
    while (migration->entries &&
           (run = next_run(migration, (SIZE_T)(run.first + run.count))).count != 0)
        bytes += sizeof(run) + (SIZE_T)run.count * sizeof(LONG64);
    return bytes;
}

static void write_mutable(const struct kmd_migration *migration, BYTE *out, SIZE_T bytes) {
    struct run run = {0, 0};
    for (SIZE_T at = sizeof(struct blob); at < bytes;) {
        run = next_run(migration, (SIZE_T)(run.first + run.count));
        RtlCopyMemory(out + at, &run, sizeof(run));
        at += sizeof(run);
        for (SIZE_T i = 0; i < run.count; i++, at += sizeof(LONG64)) {
            LONG64 entry = migration->entries[run.first + i];
            RtlCopyMemory(out + at, &entry, sizeof(entry));
        }
    }
    migration_seal(out, bytes, BLOB_MUTABLE);
}

NTSTATUS APIENTRY kmd_save_mutable_migration_data(const HANDLE hAdapter,
                                                  DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA *args) {
    const struct kmd_adapter *adapter = hAdapter;
    NTSTATUS status = migration_allowed(adapter, args->vfIndex, KMD_MIGRATION_SOURCE, true);
    if (!NT_SUCCESS(status))
        return status;
    SIZE_T bytes = mutable_bytes(&adapter->migration);
    if (only_size(args->DataSize, args->Data, bytes, &status))
        return status;
    write_mutable(&adapter->migration, args->Data, bytes);
    return STATUS_SUCCESS;
}

/* An entry that this GPU could have. */
static bool good_entry(ULONG64 entry) {
    const ULONG64 known =
        GPU_APERTURE_VALID | GPU_APERTURE_COHERENT | ((ULONG64)GPU_BUS_END - 1 - (GPU_PAGE - 1));
    return (entry & GPU_APERTURE_VALID) && (entry & ~known) == 0;
}

/* The run at `*at`, checked; `*at` becomes where its entries are. False: it makes no sense. */
static bool read_run(const struct kmd_migration *migration, const BYTE *data, SIZE_T bytes,
                     ULONG64 from, SIZE_T *at, struct run *run) {
    if (!migration->entries || bytes - *at < sizeof(*run))
        return false;
    RtlCopyMemory(run, data + *at, sizeof(*run));
    *at += sizeof(*run);
    if (run->first < from || run->first >= migration->count || run->count == 0 ||
        run->count > migration->count - run->first || run->count > (bytes - *at) / sizeof(LONG64))
        return false;
    for (SIZE_T i = 0; i < run->count; i++) {
        ULONG64 entry;
        RtlCopyMemory(&entry, data + *at + i * sizeof(entry), sizeof(entry));
        if (!good_entry(entry))
            return false;
    }
    return true;
}

static bool good_mutable(const struct kmd_migration *migration, const BYTE *data, SIZE_T bytes) {
    struct run run = {0, 0};
    for (SIZE_T at = sizeof(struct blob); at < bytes; at += (SIZE_T)run.count * sizeof(LONG64))
        if (!read_run(migration, data, bytes, run.first + run.count, &at, &run))
            return false;
    return true;
}

/* Of data that are good. */
static void apply_mutable(struct kmd_migration *migration, const BYTE *data, SIZE_T bytes) {
    for (SIZE_T at = sizeof(struct blob); at < bytes;) {
        struct run run;
        RtlCopyMemory(&run, data + at, sizeof(run));
        at += sizeof(run);
        for (SIZE_T i = 0; i < run.count; i++, at += sizeof(LONG64)) {
            LONG64 entry;
            RtlCopyMemory(&entry, data + at, sizeof(entry));
            migration->entries[run.first + i] = entry;
        }
    }
}

NTSTATUS APIENTRY kmd_restore_mutable_migration_data(
    const HANDLE hAdapter, const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *args) {
    struct kmd_adapter *adapter = hAdapter;
    struct kmd_migration *migration = &adapter->migration;
    NTSTATUS status = migration_allowed(adapter, args->vfIndex, KMD_MIGRATION_TARGET, true);
    if (!NT_SUCCESS(status))
        return status;
    if (!migration_sealed(args->Data, args->DataSize, BLOB_MUTABLE) ||
        !good_mutable(migration, args->Data, (SIZE_T)args->DataSize))
        return STATUS_OBJECT_TYPE_MISMATCH;
    empty_apertures(adapter);
    apply_mutable(migration, args->Data, (SIZE_T)args->DataSize);
    migration_flush(adapter);
    return STATUS_SUCCESS;
}
