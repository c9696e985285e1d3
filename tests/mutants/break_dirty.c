/*
 * break_dirty.c - what is broken of dirty-bit tracking and live migration: drivers whose bits do
 * not say what was written, and managers that call in a wrong order or for something that is not.
 */
#include "mutants.h"

#include <stdlib.h>
#include <string.h>

#define PAGE         4096u
#define HANDLES      16u
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Bases that were created, by any caller; those of seven pages in two ranges, of three ranges (2, 3 and 1 pages), and of
 * four. */
static HANDLE handles[HANDLES], seven, three, four;

static HANDLE note(HANDLE handle, const DXGKARG_CREATEMEMORYBASIS *args) {
    for (uint32_t i = 0; handle && i < HANDLES; i++) {
        if (handles[i])
            continue;
        handles[i] = handle;
        break;
    }
    if (args->RangeCount == 2 &&
        args->Ranges[0].SizeInBytes + args->Ranges[1].SizeInBytes == 7 * PAGE)
        seven = handle;
    if (args->RangeCount == 3 && args->Ranges[0].SizeInBytes == 2 * PAGE)
        three = handle;
    if (args->RangeCount == 4)
        four = handle;
    return handle;
}

static HANDLE APIENTRY create(const HANDLE adapter, const DXGKARG_CREATEMEMORYBASIS *args) {
    return note(mutants_good.DxgkDdiCreateMemoryBasis(adapter, args), args);
}

static NTSTATUS APIENTRY destroy(const HANDLE adapter, const HANDLE handle) {
    for (uint32_t i = 0; i < HANDLES; i++)
        if (handles[i] == handle)
            handles[i] = NULL;
    seven = seven == handle ? NULL : seven;
    return mutants_good.DxgkDdiDestroyMemoryBasis(adapter, handle);
}

static void APIENTRY follow(DRIVER_INITIALIZATION_DATA *table) {
    memset(handles, 0, sizeof(handles));
    seven = three = four = NULL;
    table->DxgkDdiCreateMemoryBasis = create;
    table->DxgkDdiDestroyMemoryBasis = destroy;
}

static NTSTATUS ask_all(const HANDLE adapter, HANDLE basis, void *bits, SIZE_T size, UINT flags) {
    DXGKARG_QUERYDIRTYBITDATA args = {
        .MemoryBasis = basis, .Buffer = bits, .BufferSize = size, .Flags = flags};
    return mutants_good.DxgkDdiQueryDirtyBitData(adapter, &args);
}

/* Each start succeeds, and from the second on none is one. */
static UINT tracking_starts;

static NTSTATUS APIENTRY start_counted(const HANDLE adapter, const HANDLE handle) {
    tracking_starts++;
    return mutants_good.DxgkDdiStartDirtyTracking(adapter, handle);
}

static NTSTATUS APIENTRY refuse_started(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    return tracking_starts > 1 ? STATUS_INVALID_DEVICE_STATE
                               : mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
}

static void APIENTRY install_unstarted(DRIVER_INITIALIZATION_DATA *table) {
    tracking_starts = 0;
    table->DxgkDdiStartDirtyTracking = start_counted;
    table->DxgkDdiQueryDirtyBitData = refuse_started;
}

/* A function in a slot, with bases followed. */
#define SPOIL(NAME, SLOT, FUNCTION)                                                                \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        follow(table);                                                                             \
        table->DxgkDdi##SLOT = FUNCTION;                                                           \
    }
/* A manager that asks before it starts. */
static uint8_t early_bits[1u << 20];

static NTSTATUS APIENTRY start_after_asking(const HANDLE adapter, const HANDLE basis) {
    (void)ask_all(adapter, basis, early_bits, sizeof(early_bits), 0);
    return mutants_good.DxgkDdiStartDirtyTracking(adapter, basis);
}
SPOIL(asks_first, StartDirtyTracking, start_after_asking)

/* ---- Drivers: what they say, handles --------------------------------------------------------- */

static NTSTATUS APIENTRY odd_page(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (args->Type == DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS && status == STATUS_SUCCESS)
        ((DXGK_DIRTY_BIT_TRACKING_SEGMENT_CAPS *)args->pOutputData)->PageSize = 3 * PAGE;
    return status;
}
SPOIL(odd_page, QueryAdapterInfo, odd_page)

static HANDLE APIENTRY no_handle(const HANDLE adapter, const DXGKARG_CREATEMEMORYBASIS *args) {
    (void)adapter;
    (void)args;
    return NULL;
}
SPOIL(no_handle, CreateMemoryBasis, no_handle)

static NTSTATUS APIENTRY busy_destroy(const HANDLE adapter, const HANDLE handle) {
    (void)destroy(adapter, handle);
    return STATUS_DEVICE_BUSY;
}
SPOIL(busy_destroy, DestroyMemoryBasis, busy_destroy)

/* ---- Drivers: bits --------------------------------------------------------------------------- */

static bool once;

static NTSTATUS APIENTRY query_forgetful(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
    uint8_t *bits = args->Buffer;
    if (args->MemoryBasis != seven || status != STATUS_SUCCESS || once || bits[0] == 0)
        return status;
    bits[0] &= (uint8_t)(bits[0] - 1);
    once = true;
    return status;
}

/* What the hardware records is switched off by a reset, and on again by the next start of tracking. */
static bool off;

static NTSTATUS APIENTRY query_off(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
    if (off && status == STATUS_SUCCESS)
        memset(args->Buffer, 0, args->BufferSize);
    return status;
}

static NTSTATUS APIENTRY start_on(const HANDLE adapter, const HANDLE basis) {
    off = false;
    return mutants_good.DxgkDdiStartDirtyTracking(adapter, basis);
}

static NTSTATUS APIENTRY reset_off(const HANDLE adapter) {
    off = true;
    return mutants_good.DxgkDdiResetFromTimeout(adapter);
}

static void off_until_started(DRIVER_INITIALIZATION_DATA *table) {
    off = false;
    table->DxgkDdiQueryDirtyBitData = query_off;
    table->DxgkDdiStartDirtyTracking = start_on;
}

static void APIENTRY install_off_by_reset(DRIVER_INITIALIZATION_DATA *table) {
    off_until_started(table);
    table->DxgkDdiResetFromTimeout = reset_off;
}

/* The same of PowerDeviceD3, until it is started again. */
static NTSTATUS APIENTRY sleep_off(const PVOID context, ULONG device, DEVICE_POWER_STATE state,
                                   POWER_ACTION action) {
    off = off || state == PowerDeviceD3;
    return mutants_good.DxgkDdiSetPowerState(context, device, state, action);
}

static void APIENTRY install_off_by_power(DRIVER_INITIALIZATION_DATA *table) {
    off_until_started(table);
    table->DxgkDdiSetPowerState = sleep_off;
}

/* What was recorded is not saved: what each basis would hear is taken by nobody. */
static NTSTATUS APIENTRY sleep_unsaved(const PVOID context, ULONG device, DEVICE_POWER_STATE state,
                                       POWER_ACTION action) {
    for (uint32_t i = 0; i < HANDLES && state == PowerDeviceD3; i++)
        if (handles[i])
            (void)ask_all(context, handles[i], early_bits, sizeof(early_bits),
                          DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA);
    return mutants_good.DxgkDdiSetPowerState(context, device, state, action);
}
SPOIL(unsaved, SetPowerState, sleep_unsaved)

/* What was recorded before a migration is taken by nobody when it begins. */
static NTSTATUS APIENTRY prepare_blank(const HANDLE adapter,
                                       const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION *args) {
    for (uint32_t i = 0; i < HANDLES; i++)
        if (handles[i])
            (void)ask_all(adapter, handles[i], early_bits, sizeof(early_bits),
                          DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA);
    return mutants_good.DxgkDdiPrepareLiveMigration(adapter, args);
}
SPOIL(blank, PrepareLiveMigration, prepare_blank)

/* Reads, and then makes zero; the GPU works meanwhile. */
static NTSTATUS APIENTRY query_in_steps(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    DXGKARG_QUERYDIRTYBITDATA look = *args, clear = *args;
    look.Flags = 0;
    clear.Buffer = early_bits;
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, &look);
    if (status != STATUS_SUCCESS || args->Flags == 0)
        return status;
    for (uint32_t i = 0; i < 100; i++)
        KeStallExecutionProcessor(10);
    return mutants_good.DxgkDdiQueryDirtyBitData(adapter, &clear);
}
SPOIL(in_steps, QueryDirtyBitData, query_in_steps)

/* A start makes more words of the plane zero than the pages are in, where others are recorded, too. */
static NTSTATUS APIENTRY start_words(const HANDLE adapter, const HANDLE handle) {
    uint8_t others[64];
    if (seven && handle != seven)
        (void)ask_all(adapter, seven, others, sizeof(others),
                      DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA);
    return mutants_good.DxgkDdiStartDirtyTracking(adapter, handle);
}
SPOIL(words, StartDirtyTracking, start_words)

/* A list of two ranges, whatever the basis has. */
static NTSTATUS APIENTRY query_two(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
    uint8_t *bits = args->Buffer;
    if (args->MemoryBasis == three && status == STATUS_SUCCESS)
        bits[0] &= 31u;
    return status;
}
SPOIL(two, QueryDirtyBitData, query_two)

static NTSTATUS APIENTRY query_turned(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
    uint8_t *bits = args->Buffer;
    if (args->MemoryBasis != seven || args->SubrangeSize != 0 || once || bits[0] == 0)
        return status;
    bits[0] = (uint8_t)(bits[0] >> 4 | (bits[0] & 15u) << 3);
    once = true;
    return status;
}

/* As many as a word has; what one operation writes beside them is lost. */
static NTSTATUS APIENTRY query_word(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
    uint8_t *bits = args->Buffer;
    uint32_t left = 64;
    for (UINT64 i = 0; status == STATUS_SUCCESS && i < args->BufferSize * 8; i++) {
        uint8_t bit = (uint8_t)(1u << i % 8);
        if ((bits[i / 8] & bit) != 0 && left == 0)
            bits[i / 8] &= (uint8_t)~bit;
        else if ((bits[i / 8] & bit) != 0)
            left--;
    }
    return status;
}
SPOIL(word, QueryDirtyBitData, query_word)

static NTSTATUS APIENTRY query_wide(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
    uint8_t *bits = args->Buffer, wide = 0;
    if (args->MemoryBasis != seven || args->SubrangeSize != 0 || once || bits[0] == 0)
        return status;
    for (uint32_t i = 0; i < 4; i++)
        wide |= (uint8_t)((bits[0] >> 2 * i & 3u) != 0) << i;
    bits[0] = wide;
    once = true;
    return status;
}

static void APIENTRY install_wide(DRIVER_INITIALIZATION_DATA *table) {
    once = false;
    follow(table);
    table->DxgkDdiQueryDirtyBitData = query_wide;
}

static void APIENTRY install_forgetful(DRIVER_INITIALIZATION_DATA *table) {
    once = false;
    follow(table);
    table->DxgkDdiQueryDirtyBitData = query_forgetful;
}

static void APIENTRY install_turned(DRIVER_INITIALIZATION_DATA *table) {
    once = false;
    follow(table);
    table->DxgkDdiQueryDirtyBitData = query_turned;
}

/* What was dirty when tracking was stopped is dirty when it is started again. */
static uint8_t old_bits;

static NTSTATUS APIENTRY stop_keeping(const HANDLE adapter, const HANDLE handle) {
    uint8_t bits[64] = {0};
    if (handle == seven && ask_all(adapter, handle, bits, sizeof(bits), 0) == STATUS_SUCCESS)
        old_bits = bits[0];
    return mutants_good.DxgkDdiStopDirtyTracking(adapter, handle);
}

static NTSTATUS APIENTRY query_old(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
    if (args->MemoryBasis == seven && args->SubrangeSize == 0)
        ((uint8_t *)args->Buffer)[0] |= old_bits;
    return status;
}

static NTSTATUS APIENTRY query_without_clearing(const HANDLE adapter,
                                                DXGKARG_QUERYDIRTYBITDATA *args) {
    DXGKARG_QUERYDIRTYBITDATA other = *args;
    other.Flags = 0;
    return mutants_good.DxgkDdiQueryDirtyBitData(adapter, &other);
}
SPOIL(keeping, QueryDirtyBitData, query_without_clearing)

/* The same of bases of the second memory segment alone, behind the aperture. */
static HANDLE of_second[HANDLES];
static uint32_t next_of_second;

static HANDLE APIENTRY create_noting_second(const HANDLE adapter,
                                            const DXGKARG_CREATEMEMORYBASIS *args) {
    HANDLE handle = create(adapter, args);
    if (args->SegmentId == 3)
        of_second[next_of_second++ % HANDLES] = handle;
    return handle;
}

static NTSTATUS APIENTRY query_keeping_second(const HANDLE adapter,
                                              DXGKARG_QUERYDIRTYBITDATA *args) {
    for (uint32_t i = 0; i < HANDLES; i++)
        if (args->MemoryBasis && of_second[i] == args->MemoryBasis)
            return query_without_clearing(adapter, args);
    return mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
}

static void APIENTRY install_keeping_second(DRIVER_INITIALIZATION_DATA *table) {
    memset(of_second, 0, sizeof(of_second));
    next_of_second = 0;
    follow(table);
    table->DxgkDdiCreateMemoryBasis = create_noting_second;
    table->DxgkDdiQueryDirtyBitData = query_keeping_second;
}

/* Sets the bits of dirty pages in whatever the buffer had. */
static NTSTATUS APIENTRY query_setting_only(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    DXGKARG_QUERYDIRTYBITDATA own = *args;
    own.Buffer = calloc(1, args->BufferSize + 1);
    if (!own.Buffer)
        return STATUS_NO_MEMORY;
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, &own);
    for (SIZE_T i = 0; i < args->BufferSize; i++)
        ((uint8_t *)args->Buffer)[i] |= ((uint8_t *)own.Buffer)[i];
    free(own.Buffer);
    return status;
}
SPOIL(setting_only, QueryDirtyBitData, query_setting_only)

static void APIENTRY install_old(DRIVER_INITIALIZATION_DATA *table) {
    old_bits = 0;
    follow(table);
    table->DxgkDdiStopDirtyTracking = stop_keeping;
    table->DxgkDdiQueryDirtyBitData = query_old;
}

/* Clears when it is asked the next time: whatever was written by then is lost. */
static DXGKARG_QUERYDIRTYBITDATA late;

static NTSTATUS APIENTRY query_late(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    uint8_t bits[PAGE];
    if (late.MemoryBasis) {
        late.Buffer = bits;
        late.BufferSize = sizeof(bits);
        (void)mutants_good.DxgkDdiQueryDirtyBitData(adapter, &late);
    }
    late = *args;
    late.MemoryBasis = args->Flags ? args->MemoryBasis : NULL;
    DXGKARG_QUERYDIRTYBITDATA plain = *args;
    plain.Flags = 0;
    return mutants_good.DxgkDdiQueryDirtyBitData(adapter, &plain);
}

static void APIENTRY install_late(DRIVER_INITIALIZATION_DATA *table) {
    late.MemoryBasis = NULL;
    follow(table);
    table->DxgkDdiQueryDirtyBitData = query_late;
}

static NTSTATUS APIENTRY query_clearing(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    DXGKARG_QUERYDIRTYBITDATA clearing = *args;
    clearing.Flags |= DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA;
    return mutants_good.DxgkDdiQueryDirtyBitData(adapter, &clearing);
}
SPOIL(clearing, QueryDirtyBitData, query_clearing)

static NTSTATUS APIENTRY query_clearing_all(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    uint8_t bits[PAGE];
    for (uint32_t i = 0; args->Flags && i < HANDLES; i++)
        if (handles[i] && handles[i] != args->MemoryBasis)
            (void)ask_all(adapter, handles[i], bits, sizeof(bits), args->Flags);
    return mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
}
SPOIL(clearing_all, QueryDirtyBitData, query_clearing_all)

/* The first stop stops all. */
static bool stopped;

static NTSTATUS APIENTRY start_all(const HANDLE adapter, const HANDLE handle) {
    stopped = false;
    return mutants_good.DxgkDdiStartDirtyTracking(adapter, handle);
}

static NTSTATUS APIENTRY stop_all(const HANDLE adapter, const HANDLE handle) {
    stopped = true;
    return mutants_good.DxgkDdiStopDirtyTracking(adapter, handle);
}

static NTSTATUS APIENTRY query_stopped(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
    if (stopped && args->MemoryBasis == seven)
        ((uint8_t *)args->Buffer)[0] = 0;
    return status;
}

static void APIENTRY install_stopped(DRIVER_INITIALIZATION_DATA *table) {
    stopped = false;
    follow(table);
    table->DxgkDdiStartDirtyTracking = start_all;
    table->DxgkDdiStopDirtyTracking = stop_all;
    table->DxgkDdiQueryDirtyBitData = query_stopped;
}

/* Of what another basis took the last page is forgotten. */
static NTSTATUS APIENTRY query_some_kept(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
    if (args->MemoryBasis == four && status == STATUS_SUCCESS)
        ((uint8_t *)args->Buffer)[0] &= 0x3f;
    return status;
}
SPOIL(some_kept, QueryDirtyBitData, query_some_kept)

/* Parts of a range from its start on. */
static NTSTATUS APIENTRY query_from_start(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    DXGKARG_QUERYDIRTYBITDATA other = *args;
    other.SubrangeOffset = 0;
    return mutants_good.DxgkDdiQueryDirtyBitData(adapter, &other);
}
SPOIL(from_start, QueryDirtyBitData, query_from_start)

/* Parts of the first range alone. */
static NTSTATUS APIENTRY query_first(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    DXGKARG_QUERYDIRTYBITDATA other = *args;
    other.SubrangeIndex = 0;
    return mutants_good.DxgkDdiQueryDirtyBitData(adapter, &other);
}
SPOIL(first, QueryDirtyBitData, query_first)

/* Ranges of the second memory segment are taken for those of the first, behind the aperture. */
static HANDLE APIENTRY create_in_first(const HANDLE adapter,
                                       const DXGKARG_CREATEMEMORYBASIS *args) {
    unsigned char block[sizeof(*args) + 2 * sizeof(DXGK_MEMORYRANGE)];
    DXGKARG_CREATEMEMORYBASIS *first = (void *)block;
    if (args->RangeCount > 2 || args->SegmentId != 3)
        return create(adapter, args);
    memcpy(block, args, sizeof(*args) + (SIZE_T)args->RangeCount * sizeof(args->Ranges[0]));
    first->SegmentId = 2;
    return create(adapter, first);
}
SPOIL(in_first, CreateMemoryBasis, create_in_first)

static uint8_t turned_round(uint8_t byte) {
    uint8_t turned = 0;
    for (uint32_t i = 0; i < 8; i++)
        turned = (uint8_t)(turned | (byte >> i & 1u) << (7 - i));
    return turned;
}

static NTSTATUS APIENTRY query_highest(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
    uint8_t *bits = args->Buffer;
    for (UINT64 i = 0; status == STATUS_SUCCESS && i < args->BufferSize; i++)
        bits[i] = turned_round(bits[i]);
    return status;
}
SPOIL(highest, QueryDirtyBitData, query_highest)

/* Three bits of the second range begin in a byte of their own, as far as there is room. */
static NTSTATUS APIENTRY query_in_bytes(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
    uint8_t *bits = args->Buffer;
    if (args->MemoryBasis == seven && args->SubrangeSize == 0 && status == STATUS_SUCCESS)
        bits[0] &= 15u;
    return status;
}
SPOIL(in_bytes, QueryDirtyBitData, query_in_bytes)

static NTSTATUS APIENTRY query_further(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
    ((uint8_t *)args->Buffer)[args->BufferSize] = 0;
    return status;
}
SPOIL(further, QueryDirtyBitData, query_further)

static NTSTATUS APIENTRY save_unsaid(const HANDLE adapter,
                                     DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA *args) {
    return args->Data ? mutants_good.DxgkDdiSaveImmutableMigrationData(adapter, args)
                      : STATUS_SUCCESS;
}
SPOIL(save_unsaid, SaveImmutableMigrationData, save_unsaid)

/* As much as there is, into whatever the buffer has. */
static NTSTATUS APIENTRY query_into_more(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    DXGKARG_QUERYDIRTYBITDATA more = *args;
    more.BufferSize += PAGE;
    return mutants_good.DxgkDdiQueryDirtyBitData(adapter, &more);
}
SPOIL(into_more, QueryDirtyBitData, query_into_more)

static NTSTATUS APIENTRY query_beyond(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
    if (args->MemoryBasis == seven && args->SubrangeSize == 0)
        ((uint8_t *)args->Buffer)[0] |= 0x80;
    return status;
}
SPOIL(beyond, QueryDirtyBitData, query_beyond)

/* ---- Drivers: their own state ---------------------------------------------------------------- */

static NTSTATUS APIENTRY save_further(const HANDLE adapter,
                                      DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiSaveImmutableMigrationData(adapter, args);
    if (args->Data)
        args->Data[*args->DataSize] = 0;
    return status;
}
SPOIL(save_further, SaveImmutableMigrationData, save_further)

/* As much as there is, into whatever the buffer has. */
static NTSTATUS APIENTRY save_into_more(const HANDLE adapter,
                                        DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA *args) {
    *args->DataSize += args->Data ? PAGE : 0;
    return mutants_good.DxgkDdiSaveMutableMigrationData(adapter, args);
}
SPOIL(save_into_more, SaveMutableMigrationData, save_into_more)

static NTSTATUS APIENTRY
restore_vaguely(const HANDLE adapter, const DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiRestoreImmutableMigrationData(adapter, args);
    return status == STATUS_OBJECT_TYPE_MISMATCH ? STATUS_INVALID_PARAMETER : status;
}
SPOIL(restore_vaguely, RestoreImmutableMigrationData, restore_vaguely)

static NTSTATUS APIENTRY restore_nothing(const HANDLE adapter,
                                         const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *args) {
    (void)adapter;
    (void)args;
    return STATUS_OBJECT_TYPE_MISMATCH;
}
SPOIL(restore_nothing, RestoreMutableMigrationData, restore_nothing)

/* Memory that the CPU sees, as the driver described it; bytes of it are changed while `changed`. */
static struct {
    PHYSICAL_ADDRESS address;
    SIZE_T size;
    bool changed;
} visible;

static NTSTATUS APIENTRY query_noting(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (args->Type != DXGKQAITYPE_QUERYSEGMENT4 || status != STATUS_SUCCESS)
        return status;
    const DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    for (UINT i = 0; out->pSegmentDescriptor && i < out->NbSegment; i++) {
        const DXGK_SEGMENTDESCRIPTOR4 *at =
            (const void *)(out->pSegmentDescriptor + i * out->SegmentDescriptorStride);
        if (at->Flags.Aperture || !at->Flags.CpuVisible)
            continue;
        visible.address = at->CpuTranslatedAddress;
        visible.size = at->Size;
    }
    return status;
}

static void APIENTRY change_visible(void) {
    uint8_t *bytes = MmMapIoSpace(visible.address, visible.size, MmNonCached);
    for (SIZE_T at = 0; bytes && at < visible.size; at += PAGE)
        bytes[at] ^= 1;
    if (bytes)
        MmUnmapIoSpace(bytes, visible.size);
    visible.changed = !visible.changed;
}

static NTSTATUS APIENTRY restore_changing(const HANDLE adapter,
                                          const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiRestoreMutableMigrationData(adapter, args);
    if (status == STATUS_SUCCESS && !visible.changed)
        change_visible();
    return status;
}

/* Nothing else follows from it: the bytes are back before the GPU goes on. */
static NTSTATUS APIENTRY build_changing_back(const HANDLE adapter,
                                             DXGKARG_BUILDPAGINGBUFFER *args) {
    if (visible.changed)
        change_visible();
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static NTSTATUS APIENTRY submit_changing_back(const HANDLE adapter,
                                              const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (visible.changed)
        change_visible();
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static void APIENTRY install_changing(DRIVER_INITIALIZATION_DATA *table) {
    memset(&visible, 0, sizeof(visible));
    table->DxgkDdiQueryAdapterInfo = query_noting;
    table->DxgkDdiRestoreMutableMigrationData = restore_changing;
    table->DxgkDdiBuildPagingBuffer = build_changing_back;
    table->DxgkDdiSubmitCommandVirtual = submit_changing_back;
}

/* ---- Managers: capabilities ------------------------------------------------------------------ */

/* The driver below moves without tracking. */
static NTSTATUS APIENTRY query_moving(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    UINT32 value = args->Type == DXGKQAITYPE_GPUPCAPS ? 4 : 0;
    if (args->Type != DXGKQAITYPE_GPUPCAPS && args->Type != DXGKQAITYPE_DIRTYBITTRACKINGCAPS)
        return mutants_below.DxgkDdiQueryAdapterInfo(adapter, args);
    if (args->OutputDataSize < sizeof(value))
        return STATUS_INVALID_PARAMETER;
    memcpy(args->pOutputData, &value, sizeof(value));
    return STATUS_SUCCESS;
}
REPLACE_BELOW(DxgkDdiQueryAdapterInfo, query_moving)

static NTSTATUS APIENTRY ask_blindly(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (args->Type == DXGKQAITYPE_GPUPCAPS && status == STATUS_SUCCESS)
        memset(args->pOutputData, 0, args->OutputDataSize);
    return status;
}
SPOIL(ask_blindly, QueryAdapterInfo, ask_blindly)

static NTSTATUS APIENTRY ask_twice(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    if (args->Type == DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS)
        (void)mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    return mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
}
SPOIL(ask_twice, QueryAdapterInfo, ask_twice)

/* ---- Managers: bases ------------------------------------------------------------------------- */

static HANDLE create_changed(const HANDLE adapter, const DXGKARG_CREATEMEMORYBASIS *args,
                             void(APIENTRY *change)(DXGKARG_CREATEMEMORYBASIS *args)) {
    size_t size = sizeof(*args) + args->RangeCount * sizeof(args->Ranges[0]);
    DXGKARG_CREATEMEMORYBASIS *copy = calloc(1, size);
    if (!copy)
        return NULL;
    memcpy(copy, args,
           offsetof(DXGKARG_CREATEMEMORYBASIS, Ranges) +
               args->RangeCount * sizeof(args->Ranges[0]));
    change(copy);
    HANDLE handle = mutants_good.DxgkDdiCreateMemoryBasis(adapter, copy);
    free(copy);
    return handle;
}

/* The aperture has no plane. */
static void APIENTRY elsewhere(DXGKARG_CREATEMEMORYBASIS *args) {
    args->SegmentId = 1;
}

static void APIENTRY doubled(DXGKARG_CREATEMEMORYBASIS *args) {
    if (args->RangeCount > 1)
        args->Ranges[1] = args->Ranges[0];
}

static void APIENTRY uneven(DXGKARG_CREATEMEMORYBASIS *args) {
    args->Ranges[0].SizeInBytes -= PAGE / 2;
}

static void APIENTRY empty(DXGKARG_CREATEMEMORYBASIS *args) {
    args->RangeCount = 0;
}

#define CREATE(CHANGE)                                                                             \
    static HANDLE APIENTRY create_##CHANGE(const HANDLE adapter,                                   \
                                           const DXGKARG_CREATEMEMORYBASIS *args) {                \
        return create_changed(adapter, args, CHANGE);                                              \
    }                                                                                              \
    SPOIL(CHANGE, CreateMemoryBasis, create_##CHANGE)

CREATE(elsewhere)
CREATE(doubled)
CREATE(uneven)
CREATE(empty)

static NTSTATUS APIENTRY destroy_first(const HANDLE adapter, const HANDLE handle) {
    NTSTATUS status = destroy(adapter, handle);
    (void)mutants_good.DxgkDdiStopDirtyTracking(adapter, handle);
    return status;
}
SPOIL(destroy_first, DestroyMemoryBasis, destroy_first)

static NTSTATUS APIENTRY stop_twice(const HANDLE adapter, const HANDLE handle) {
    NTSTATUS status = mutants_good.DxgkDdiStopDirtyTracking(adapter, handle);
    (void)mutants_good.DxgkDdiStopDirtyTracking(adapter, handle);
    return status;
}
SPOIL(stop_twice, StopDirtyTracking, stop_twice)

static NTSTATUS APIENTRY query_into_little(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    DXGKARG_QUERYDIRTYBITDATA little = *args;
    little.BufferSize = 0;
    return mutants_good.DxgkDdiQueryDirtyBitData(adapter, &little);
}
SPOIL(into_little, QueryDirtyBitData, query_into_little)

static NTSTATUS APIENTRY query_outside(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    DXGKARG_QUERYDIRTYBITDATA outside = *args;
    if (args->SubrangeSize != 0)
        outside.SubrangeOffset += 64 * args->SubrangeSize;
    return mutants_good.DxgkDdiQueryDirtyBitData(adapter, &outside);
}
SPOIL(outside, QueryDirtyBitData, query_outside)

/* ---- Managers: migration --------------------------------------------------------------------- */

static NTSTATUS APIENTRY save_guessing(const HANDLE adapter,
                                       DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA *args) {
    if (!args->Data)
        *args->DataSize = PAGE;
    return mutants_good.DxgkDdiSaveImmutableMigrationData(adapter, args);
}
SPOIL(save_guessing, SaveImmutableMigrationData, save_guessing)

static NTSTATUS APIENTRY query_then_save(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    UINT64 size = 0;
    DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA save = {.DataSize = &size};
    NTSTATUS status = mutants_good.DxgkDdiQueryDirtyBitData(adapter, args);
    (void)mutants_good.DxgkDdiSaveImmutableMigrationData(adapter, &save);
    return status;
}
SPOIL(query_then_save, QueryDirtyBitData, query_then_save)

static bool target, owed;

static NTSTATUS APIENTRY prepare_noting(const HANDLE adapter,
                                        const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION *args) {
    target = args->MigrationType == DXGK_GPUP_MIGRATIONTYPE_TARGET;
    return mutants_good.DxgkDdiPrepareLiveMigration(adapter, args);
}

static NTSTATUS APIENTRY end_later(const HANDLE adapter, UINT vf) {
    owed = target;
    return target ? STATUS_SUCCESS : mutants_good.DxgkDdiEndLiveMigration(adapter, vf);
}

/* The last data of a target, kept until its guest runs. */
static struct {
    DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA args;
    BYTE bytes[16 * PAGE];
} kept_data;

static NTSTATUS APIENTRY restore_later(const HANDLE adapter,
                                       const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *args) {
    if (args->DataSize > sizeof(kept_data.bytes))
        return mutants_good.DxgkDdiRestoreMutableMigrationData(adapter, args);
    kept_data.args = *args;
    kept_data.args.Data = kept_data.bytes;
    memcpy(kept_data.bytes, args->Data, args->DataSize);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY submit_early(const HANDLE adapter,
                                      const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    NTSTATUS status = mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
    if (owed && !args->Flags.Paging) {
        owed = false;
        (void)mutants_good.DxgkDdiRestoreMutableMigrationData(adapter, &kept_data.args);
        (void)mutants_good.DxgkDdiEndLiveMigration(adapter, 0);
    }
    return status;
}

static void APIENTRY install_early(DRIVER_INITIALIZATION_DATA *table) {
    target = owed = false;
    follow(table);
    table->DxgkDdiPrepareLiveMigration = prepare_noting;
    table->DxgkDdiRestoreMutableMigrationData = restore_later;
    table->DxgkDdiEndLiveMigration = end_later;
    table->DxgkDdiSubmitCommandVirtual = submit_early;
}

/* A target that prepares anew, and so empties its apertures, after all was restored. */
static NTSTATUS APIENTRY end_emptying(const HANDLE adapter, UINT vf) {
    const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION again = {
        .vfIndex = vf, .MigrationType = DXGK_GPUP_MIGRATIONTYPE_TARGET};
    if (target && mutants_good.DxgkDdiEndLiveMigration(adapter, vf) == STATUS_SUCCESS)
        (void)mutants_good.DxgkDdiPrepareLiveMigration(adapter, &again);
    return mutants_good.DxgkDdiEndLiveMigration(adapter, vf);
}

static void APIENTRY install_emptying(DRIVER_INITIALIZATION_DATA *table) {
    target = false;
    table->DxgkDdiPrepareLiveMigration = prepare_noting;
    table->DxgkDdiEndLiveMigration = end_emptying;
}

static NTSTATUS APIENTRY end_never(const HANDLE adapter, UINT vf) {
    (void)adapter;
    (void)vf;
    return STATUS_SUCCESS;
}
SPOIL(end_never, EndLiveMigration, end_never)

static NTSTATUS APIENTRY end_another(const HANDLE adapter, UINT vf) {
    return mutants_good.DxgkDdiEndLiveMigration(adapter, vf + 1);
}
SPOIL(end_another, EndLiveMigration, end_another)

/* Tracking that costs nothing is started with the migration only. */
static HANDLE waiting[HANDLES];
static uint32_t waiting_count;

static NTSTATUS APIENTRY start_later(const HANDLE adapter, const HANDLE handle) {
    (void)adapter;
    if (waiting_count < HANDLES)
        waiting[waiting_count++] = handle;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY prepare_starting(const HANDLE adapter,
                                          const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiPrepareLiveMigration(adapter, args);
    for (uint32_t i = 0; i < waiting_count; i++)
        (void)mutants_good.DxgkDdiStartDirtyTracking(adapter, waiting[i]);
    waiting_count = 0;
    return status;
}

static void APIENTRY install_start_later(DRIVER_INITIALIZATION_DATA *table) {
    waiting_count = 0;
    follow(table);
    table->DxgkDdiStartDirtyTracking = start_later;
    table->DxgkDdiPrepareLiveMigration = prepare_starting;
}

static NTSTATUS APIENTRY restore_asking(const HANDLE adapter,
                                        const DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA *args) {
    uint8_t bits[2 * PAGE];
    for (uint32_t i = 0; i < HANDLES; i++)
        if (handles[i])
            (void)ask_all(adapter, handles[i], bits, sizeof(bits), 0);
    return mutants_good.DxgkDdiRestoreImmutableMigrationData(adapter, args);
}
SPOIL(restore_asking, RestoreImmutableMigrationData, restore_asking)

static NTSTATUS APIENTRY build_backwards(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *transfer = &args->TransferVirtual;
    D3DGPU_VIRTUAL_ADDRESS from = transfer->SourceVirtualAddress;
    if (args->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER && !transfer->hAllocation &&
        args->MultipassOffset == 0) {
        transfer->SourceVirtualAddress = transfer->DestinationVirtualAddress;
        transfer->DestinationVirtualAddress = from;
        transfer->TransferDirection =
            transfer->TransferDirection == DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM
                ? DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL
                : DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM;
    }
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}
SPOIL(backwards, BuildPagingBuffer, build_backwards)

/* The second of two transfers of one size, which overwrites what the first wrote, lacks a page. */
static UINT64 last_size;

static NTSTATUS APIENTRY build_short(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *transfer = &args->TransferVirtual;
    if (args->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER && !transfer->hAllocation && target &&
        args->MultipassOffset == 0) {
        UINT64 size = transfer->TransferSizeInBytes;
        if (size == last_size && size > PAGE)
            transfer->TransferSizeInBytes -= PAGE;
        last_size = size;
    }
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static void APIENTRY install_short(DRIVER_INITIALIZATION_DATA *table) {
    target = false;
    last_size = 0;
    table->DxgkDdiPrepareLiveMigration = prepare_noting;
    table->DxgkDdiBuildPagingBuffer = build_short;
}

/* ---- The mutants ----------------------------------------------------------------------------- */

#define TRACKING                                                                                   \
    .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2}, {"DirtyPageBytes", PAGE}}
#define MOVING                                                                                     \
    .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2},                          \
                 {"DirtyPageBytes", PAGE},                                                         \
                 {"MmuLevels", 3}}
#define MOVING_WITH_TABLES                                                                         \
    .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2},                          \
                 {"DirtyPageBytes", PAGE},                                                         \
                 {"MmuLevels", 3},                                                                 \
                 {"VramVisibleBytes", 128u << 20},                                                 \
                 {"MmuTableSegment", 3}}
#define MOVING_TWO                                                                                 \
    .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2},                          \
                 {"DirtyPageBytes", PAGE},                                                         \
                 {"MmuLevels", 3},                                                                 \
                 {"VramVisibleBytes", 128u << 20}}
#define TRACKING_TWO                                                                               \
    .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2},                          \
                 {"DirtyPageBytes", PAGE},                                                         \
                 {"VramVisibleBytes", 128u << 20}}
#define MOVING_CHEAPLY                                                                             \
    .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2},                          \
                 {"DirtyPageBytes", PAGE},                                                         \
                 {"MmuLevels", 3},                                                                 \
                 {"DirtyPerformant", 1}}

const struct mutant mutants_dirty[] = {
    {431, VIDMM_SIDE_MANAGER, "asks for bits before it starts", install_asks_first,
     .stage = "dirty", TRACKING},
    {312, VIDMM_SIDE_DRIVER, "has a bit for 12 KB", install_odd_page, .stage = "dirty", TRACKING},
    {318, VIDMM_SIDE_DRIVER, "has no handle for a basis", install_no_handle, .stage = "dirty",
     TRACKING},
    {319, VIDMM_SIDE_DRIVER, "is busy when a basis is destroyed", install_busy_destroy,
     .stage = "dirty", TRACKING},
    {321, VIDMM_SIDE_DRIVER, "starts with the bits of the last time", install_old, .stage = "dirty",
     TRACKING},
    {322, VIDMM_SIDE_DRIVER, "records no writes behind a reset", install_off_by_reset,
     .stage = "dirty", MOVING},
    {322, VIDMM_SIDE_DRIVER, "records no writes behind D3", install_off_by_power, .stage = "dirty",
     MOVING},
    {322, VIDMM_SIDE_DRIVER, "does not save the bits in D3", install_unsaved, .stage = "dirty",
     MOVING},
    {322, VIDMM_SIDE_DRIVER, "drops what was recorded when a migration is prepared", install_blank,
     .stage = "migration", MOVING_CHEAPLY},
    {322, VIDMM_SIDE_DRIVER, "answers no query from its second start of tracking on",
     install_unstarted, .stage = "dirty", TRACKING},
    {322, VIDMM_SIDE_DRIVER, "has two ranges of three", install_two, .stage = "dirty", TRACKING},
    {322, VIDMM_SIDE_DRIVER, "misses a write", install_forgetful, .stage = "dirty", TRACKING},
    {322, VIDMM_SIDE_DRIVER, "takes the ranges of each segment for those of the first",
     install_in_first, .stage = "dirty", .consequences = {323, 330}, MOVING_WITH_TABLES},
    {322, VIDMM_SIDE_DRIVER, "takes fills of the second memory segment for those of the first",
     install_in_first, .stage = "dirty", .consequences = {323, 330}, TRACKING_TWO},
    {323, VIDMM_SIDE_DRIVER, "remembers 64 pages of those that were written", install_word,
     .stage = "dirty", .consequences = {328}, TRACKING},
    {322, VIDMM_SIDE_DRIVER, "has a bit for two pages where it said one", install_wide,
     .stage = "dirty", .consequences = {330}, TRACKING},
    {323, VIDMM_SIDE_DRIVER, "clears what was written since it was asked", install_late,
     .stage = "dirty", .consequences = {325}, TRACKING},
    {323, VIDMM_SIDE_DRIVER, "clears what the GPU writes while it is asked", install_in_steps,
     .stage = "dirty", TRACKING},
    {324, VIDMM_SIDE_DRIVER, "clears whenever it is asked", install_clearing, .stage = "dirty",
     .consequences = {325, 326}, TRACKING},
    {325, VIDMM_SIDE_DRIVER, "clears bits of others in the words of a basis that is started",
     install_words, .stage = "dirty", TRACKING},
    {594, VIDMM_SIDE_DRIVER, "clears no bits", install_keeping, .stage = "dirty", TRACKING},
    {594, VIDMM_SIDE_DRIVER, "clears no bits of the second memory segment", install_keeping_second,
     .stage = "dirty", MOVING_TWO},
    {321, VIDMM_SIDE_DRIVER, "does not write the bits of pages that are clean",
     install_setting_only, .stage = "dirty", .consequences = {331, 594}, TRACKING},
    {325, VIDMM_SIDE_DRIVER, "clears all bases at once", install_clearing_all, .stage = "dirty",
     TRACKING},
    {326, VIDMM_SIDE_DRIVER, "stops tracking for all at the first stop", install_stopped,
     .stage = "dirty", TRACKING},
    {326, VIDMM_SIDE_DRIVER, "keeps some of what a query of another basis took", install_some_kept,
     .stage = "dirty", TRACKING},
    {328, VIDMM_SIDE_DRIVER, "writes a byte behind the buffer of a query", install_further,
     .stage = "dirty", TRACKING},
    {328, VIDMM_SIDE_DRIVER, "does not look at the size of a query's buffer", install_into_more,
     .stage = "dirty", TRACKING},
    {330, VIDMM_SIDE_DRIVER, "answers the last range first", install_turned, .stage = "dirty",
     TRACKING},
    {330, VIDMM_SIDE_DRIVER, "answers about the start of a range whatever SubrangeOffset is",
     install_from_start, .stage = "dirty", MOVING},
    {330, VIDMM_SIDE_DRIVER, "answers about the first range whatever SubrangeIndex is",
     install_first, .stage = "dirty", TRACKING},
    {330, VIDMM_SIDE_DRIVER, "packs the bits of a byte from the highest on", install_highest,
     .stage = "dirty", TRACKING},
    {330, VIDMM_SIDE_DRIVER, "begins each range with a byte", install_in_bytes, .stage = "dirty",
     TRACKING},
    {331, VIDMM_SIDE_DRIVER, "sets a bit behind the last page", install_beyond, .stage = "dirty",
     TRACKING},
    {332, VIDMM_SIDE_DRIVER, "saves a byte more than it said", install_save_further,
     .stage = "migration", MOVING},
    {332, VIDMM_SIDE_DRIVER, "saves mutable data whatever the size of the buffer is",
     install_save_into_more, .stage = "migration", MOVING},
    {332, VIDMM_SIDE_DRIVER, "does not say how much there is to save", install_save_unsaid,
     .stage = "migration", MOVING},
    {336, VIDMM_SIDE_DRIVER, "stays prepared when a migration has ended", install_end_never,
     .stage = "migration", MOVING},
    {334, VIDMM_SIDE_DRIVER, "calls state of another GPU an invalid parameter",
     install_restore_vaguely, .stage = "migration", MOVING},
    {334, VIDMM_SIDE_DRIVER, "calls its own state that of another board", install_restore_nothing,
     .stage = "migration", MOVING},
    {340, VIDMM_SIDE_DRIVER, "changes memory when its own state is restored", install_changing,
     .stage = "migration", MOVING},
    {340, VIDMM_SIDE_DRIVER, "forgets what was mapped into its apertures", install_emptying,
     .stage = "migration", MOVING},

    {311, VIDMM_SIDE_MANAGER, "starts an adapter that moves without tracking", install_ask_blindly,
     .stage = "start", .consequences = {477}, TRACKING, .scene = scene_query_moving},
    {313, VIDMM_SIDE_MANAGER, "asks for the planes of a segment twice", install_ask_twice,
     .stage = "start", TRACKING},
    {314, VIDMM_SIDE_MANAGER, "tracks the aperture", install_elsewhere, .stage = "dirty", TRACKING},
    {315, VIDMM_SIDE_MANAGER, "names a range twice", install_doubled, .stage = "dirty", TRACKING},
    {316, VIDMM_SIDE_MANAGER, "tracks half a page", install_uneven, .stage = "dirty", TRACKING},
    {317, VIDMM_SIDE_MANAGER, "makes a basis of no range", install_empty, .stage = "dirty",
     TRACKING},
    {320, VIDMM_SIDE_MANAGER, "stops a basis that it destroyed", install_destroy_first,
     .stage = "dirty", TRACKING},
    {327, VIDMM_SIDE_MANAGER, "stops a basis twice", install_stop_twice, .stage = "dirty",
     TRACKING},
    {328, VIDMM_SIDE_MANAGER, "has no room for the bits", install_into_little, .stage = "dirty",
     TRACKING},
    {329, VIDMM_SIDE_MANAGER, "asks for pages behind a range", install_outside, .stage = "dirty",
     TRACKING},
    {332, VIDMM_SIDE_MANAGER, "guesses how much is to be saved", install_save_guessing,
     .stage = "migration", MOVING},
    {333, VIDMM_SIDE_MANAGER, "saves immutable data in the middle of a migration",
     install_query_then_save, .stage = "migration", MOVING},
    {335, VIDMM_SIDE_MANAGER, "lets a target's guest run before all is restored", install_early,
     .stage = "migration", MOVING},
    {336, VIDMM_SIDE_MANAGER, "never ends a migration", install_end_never, .stage = "migration",
     .consequences = {333}, MOVING},
    {337, VIDMM_SIDE_MANAGER, "starts cheap tracking with the migration", install_start_later,
     .stage = "migration", MOVING_CHEAPLY},
    {338, VIDMM_SIDE_MANAGER, "asks a target for dirty bits", install_restore_asking,
     .consequences = {431}, .stage = "migration", MOVING},
    {339, VIDMM_SIDE_MANAGER, "writes to a source what it is to read", install_backwards,
     .stage = "migration", MOVING},
    {340, VIDMM_SIDE_MANAGER, "does not write the last page that it read", install_short,
     .stage = "migration", MOVING},
    {341, VIDMM_SIDE_MANAGER, "ends the migration of another virtual GPU", install_end_another,
     .stage = "migration", MOVING},
};
const uint32_t mutants_dirty_count = COUNT(mutants_dirty);
