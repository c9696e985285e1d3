/*
 * say_migration.c - what calls say of memory bases, dirty bits and live migration.
 */
#include "fields.h"

static void say_basis(const struct fields *f, const void *args) {
    const DXGKARG_CREATEMEMORYBASIS *a = args;
    NUMBER(SegmentId);
    uint32_t told = field_list(f, "Ranges", a->RangeCount);
    for (uint32_t i = 0; i < told; i++) {
        field_begin(f, NULL, false);
        field_hex(f, "SegmentOffset", a->Ranges[i].SegmentOffset);
        field_number(f, "SizeInBytes", a->Ranges[i].SizeInBytes);
        field_end(f);
    }
    field_list_end(f, a->RangeCount);
}

static void say_basis_answer(const struct fields *f, const void *args) {
    (void)args;
    field_handle(f, "MemoryBasis", HANDLE_BASIS, (const void *)(uintptr_t)f->call->answer);
}

static void say_dirty(const struct fields *f, const void *args) {
    const DXGKARG_QUERYDIRTYBITDATA *a = args;
    HANDLE_OF(BASIS, MemoryBasis);
    NUMBER(SubrangeIndex);
    HEX(SubrangeOffset);
    NUMBER(SubrangeSize);
    NUMBER(BufferSize);
    HEX(Flags);
}

static void say_prepare(const struct fields *f, const void *args) {
    const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION *a = args;
    NUMBER(vfIndex);
    NUMBER(MigrationType);
}

static void say_save_immutable(const struct fields *f, const void *args) {
    const DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA *a = args;
    NUMBER(vfIndex);
    field_number(f, "DataSize", *a->DataSize);
}

static void say_save_mutable(const struct fields *f, const void *args) {
    const DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA *a = args;
    NUMBER(vfIndex);
    field_number(f, "DataSize", *a->DataSize);
}

static void say_restore_immutable(const struct fields *f, const void *args) {
    const DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA *a = args;
    NUMBER(vfIndex);
    NUMBER(DataSize);
}

static void say_restore_mutable(const struct fields *f, const void *args) {
    const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *a = args;
    NUMBER(vfIndex);
    NUMBER(DataSize);
}

static void say_interrupt_table(const struct fields *f, const void *args) {
    const DXGKARG_WRITEVIRTUALIZEDINTERRUPT *a = args;
    NUMBER(vfIndex);
    NUMBER(InterruptTableIndex);
}

const struct said said_migration[] = {
    {.name = "DxgkDdiCreateMemoryBasis",
     .arguments = say_basis,
     .answers = say_basis_answer,
     .no_status = true},
    {.name = "DxgkDdiDestroyMemoryBasis", .object = HANDLE_BASIS},
    {.name = "DxgkDdiStartDirtyTracking", .object = HANDLE_BASIS},
    {.name = "DxgkDdiStopDirtyTracking", .object = HANDLE_BASIS},
    {.name = "DxgkDdiQueryDirtyBitData", .arguments = say_dirty},
    {.name = "DxgkDdiPrepareLiveMigration", .arguments = say_prepare},
    {.name = "DxgkDdiEndLiveMigration", .others = {"vfIndex"}},
    {.name = "DxgkDdiSaveImmutableMigrationData",
     .arguments = say_save_immutable,
     .answers = say_save_immutable},
    {.name = "DxgkDdiSaveMutableMigrationData",
     .arguments = say_save_mutable,
     .answers = say_save_mutable},
    {.name = "DxgkDdiRestoreImmutableMigrationData", .arguments = say_restore_immutable},
    {.name = "DxgkDdiRestoreMutableMigrationData", .arguments = say_restore_mutable},
    {.name = "DxgkDdiWriteVirtualizedInterrupt", .arguments = say_interrupt_table},
    {.name = NULL},
};
