/*
 * dirty.c - watches the calls of dirty-bit tracking (dirty-bit-tracking.md): what the driver
 * says of its planes, memory bases, and queries, into guarded buffers. See dirty.h.
 */
#include "watch/dirty.h"

#include <stdlib.h>
#include <string.h>

#include "operation/dirty_bits.h"
#include "watch/query.h"
#include "watch/thunk.h"
#include "state/memory.h"

#define QUERY_MAX (UINT64_C(1) << 26) /* bytes of a buffer that is guarded */

/* ---- What the driver says -------------------------------------------------------------------- */

static void dirty_segment_answered(struct vidmm_referee *referee, const struct query *query) {
    DXGK_DIRTY_BIT_TRACKING_SEGMENT_CAPS caps;
    UINT id;
    if (!query->args->pInputData || query->args->InputDataSize < sizeof(id))
        return;
    memcpy(&id, query->args->pInputData, sizeof(id));
    referee->dirty.asked_all++;
    if (id == 0 || id > SHADOW_SEGMENT_IDS)
        return;
    referee->dirty.asked[id - 1]++;
    referee->dirty.page[id - 1] = 0;
    if (query->status != STATUS_SUCCESS || query->out.size < sizeof(caps))
        return;
    memcpy(&caps, query->out.bytes, sizeof(caps));
    bool good = caps.PageSize >= SHADOW_PAGE && (caps.PageSize & (caps.PageSize - 1)) == 0;
    DRIVER_MUST(312, good, "a power of two, at least 4096", "PageSize of segment %u is %u", id,
                caps.PageSize);
    if (good)
        referee->dirty.page[id - 1] = caps.PageSize;
}

void dirty_query_answered(struct vidmm_referee *referee, const struct query *query) {
    UINT32 value = 0;
    if (!query->out.bytes)
        return;
    if (query->args->Type == DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS)
        dirty_segment_answered(referee, query);
    if (query->status != STATUS_SUCCESS || query->out.size < sizeof(value))
        return;
    memcpy(&value, query->out.bytes, sizeof(value));
    if (query->args->Type == DXGKQAITYPE_DIRTYBITTRACKINGCAPS) {
        const DXGK_DIRTY_BIT_TRACKING_CAPS caps = {.Value = value};
        referee->dirty.supported = caps.DirtyBitTrackingSupported;
        referee->dirty.performant =
            caps.DirtyBitTrackingSupported && caps.DirtyBitTrackingPerformant;
        slots_judge_tracking(referee, referee->dirty.supported, false);
    } else if (query->args->Type == DXGKQAITYPE_GPUPCAPS) {
        const DXGK_GPUPCAPS caps = {.Caps.Value = value};
        referee->dirty.migrates = caps.Caps.LiveMigration;
        slots_judge_tracking(referee, false, referee->dirty.migrates);
    }
}

void dirty_judge_use(struct vidmm_referee *referee) {
    if (referee->dirty.used || referee->adapter.version < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
        return;
    referee->dirty.used = true;
    MANAGER_MUST(311, !referee->dirty.migrates || referee->dirty.supported,
                 "no start of an adapter with LiveMigration and without dirty-bit tracking",
                 "LiveMigration is set, DirtyBitTrackingSupported is not");
    if (!referee->dirty.supported)
        MANAGER_MUST(313, referee->dirty.asked_all == 0,
                     "no question about segments where tracking is not supported", "%u questions",
                     referee->dirty.asked_all);
    for (uint32_t id = 1; referee->dirty.supported && id <= shadow_segments(referee, 0); id++) {
        if (shadow_memory(referee, id))
            MANAGER_MUST(313, referee->dirty.asked[id - 1] == 1,
                         "the tracking capabilities of each memory segment asked for once",
                         "those of segment %u were asked for %u times", id,
                         referee->dirty.asked[id - 1]);
    }
}

/* ---- Bases ----------------------------------------------------------------------------------- */

static struct dirty_basis *dirty_find(struct vidmm_referee *referee, HANDLE handle) {
    struct dirty_basis *basis = referee->dirty.bases;
    while (basis && basis->handle != handle)
        basis = basis->next;
    return basis;
}

static void dirty_drop(struct vidmm_referee *referee, struct dirty_basis *basis) {
    struct dirty_basis **link = &referee->dirty.bases;
    while (*link != basis)
        link = &(*link)->next;
    *link = basis->next;
    free(basis->state);
    free(basis);
}

void dirty_end(struct vidmm_referee *referee) {
    while (referee->dirty.bases)
        dirty_drop(referee, referee->dirty.bases);
    memset(&referee->dirty, 0, sizeof(referee->dirty));
}

static int dirty_by_offset(const void *a, const void *b) {
    const DXGK_MEMORYRANGE *one = a, *other = b;
    return (one->SegmentOffset > other->SegmentOffset) -
           (one->SegmentOffset < other->SegmentOffset);
}

/* True without memory to find out. */
static bool dirty_apart(const DXGKARG_CREATEMEMORYBASIS *args) {
    size_t count = (size_t)args->RangeCount;
    DXGK_MEMORYRANGE *sorted = memory_malloc(count * sizeof(*sorted) + 1);
    bool good = true;
    if (!sorted)
        return true;
    memcpy(sorted, args->Ranges, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), dirty_by_offset);
    for (size_t i = 1; good && i < count; i++)
        good = sorted[i - 1].SizeInBytes <= sorted[i].SegmentOffset - sorted[i - 1].SegmentOffset;
    free(sorted);
    return good;
}

static bool dirty_judge_range(struct vidmm_referee *referee, const struct shadow_segment *segment,
                              const DXGKARG_CREATEMEMORYBASIS *args, uint64_t i) {
    uint64_t at = args->Ranges[i].SegmentOffset, size = args->Ranges[i].SizeInBytes;
    uint32_t page = dirty_page_size(referee, segment->id);
    bool inside = size != 0 && at <= segment->size && size <= segment->size - at;
    bool whole = (at | size) % page == 0; /* else nothing tells what its bits are */
    MANAGER_MUST(315, inside, "ranges inside the segment",
                 "range %llu: 0x%llx bytes at 0x%llx of 0x%llx", LLU(i), LLU(size), LLU(at),
                 LLU(segment->size));
    MANAGER_MUST(316, (at | size) % segment->page_size == 0, "ranges in pages of the segment",
                 "range %llu: 0x%llx bytes at 0x%llx, where a page has 0x%x", LLU(i), LLU(size),
                 LLU(at), segment->page_size);
    return inside && whole;
}

static bool dirty_judge_ranges(struct vidmm_referee *referee, const struct shadow_segment *segment,
                               const DXGKARG_CREATEMEMORYBASIS *args) {
    bool sound = dirty_apart(args);
    MANAGER_MUST(315, sound, "ranges that do not overlap", "some of %llu ranges do",
                 LLU(args->RangeCount));
    for (uint64_t i = 0; i < args->RangeCount; i++)
        sound = dirty_judge_range(referee, segment, args, i) && sound;
    return sound;
}

static bool dirty_judge_basis(struct vidmm_referee *referee,
                              const DXGKARG_CREATEMEMORYBASIS *args) {
    const struct shadow_segment *segment = shadow_memory(referee, args->SegmentId);
    bool sound = args->RangeCount >= 1;
    MANAGER_MUST(314, segment && dirty_page_size(referee, args->SegmentId) != 0,
                 "a basis in a segment that has a plane", "one in segment %u, which has none",
                 args->SegmentId);
    MANAGER_MUST(317, sound, "at least one range", "RangeCount is 0");
    if (!segment || dirty_page_size(referee, args->SegmentId) == 0)
        return false;
    return dirty_judge_ranges(referee, segment, args) && sound;
}

static void dirty_add(struct vidmm_referee *referee, HANDLE handle,
                      const DXGKARG_CREATEMEMORYBASIS *args, bool sound) {
    uint32_t count = args->RangeCount <= UINT16_MAX ? (uint32_t)args->RangeCount : 0;
    struct dirty_basis *basis = memory_calloc(1, sizeof(*basis) + count * sizeof(basis->ranges[0]));
    if (!basis)
        return;
    basis->handle = handle;
    basis->segment = args->SegmentId;
    basis->page = dirty_page_size(referee, args->SegmentId);
    basis->sound = sound && count == args->RangeCount;
    basis->count = count;
    memcpy(basis->ranges, args->Ranges, count * sizeof(basis->ranges[0]));
    for (uint32_t i = 0; basis->sound && i < count; i++)
        basis->pages += basis->ranges[i].SizeInBytes / basis->page;
    if (basis->sound && basis->pages <= DIRTY_PAGES_MAX && count <= DIRTY_RANGES_MAX)
        basis->state = memory_calloc(basis->pages, sizeof(*basis->state));
    basis->next = referee->dirty.bases;
    referee->dirty.bases = basis;
}

static HANDLE watch_CreateMemoryBasis(struct vidmm_referee *referee, const HANDLE adapter,
                                      const DXGKARG_CREATEMEMORYBASIS *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiCreateMemoryBasis", REFEREE_REENTRANT);
    dirty_count_call(referee);
    bool sound = dirty_judge_basis(referee, args);
    referee_leave(referee);
    HANDLE handle = referee->real.DxgkDdiCreateMemoryBasis(adapter, args);
    referee_return(referee);
    if (sound && !world_starved(referee))
        DRIVER_MUST(318, handle && !dirty_find(referee, handle),
                    "a handle of its own for each basis, while there is memory", "%s",
                    !handle ? "NULL" : "that of another basis");
    if (handle && !dirty_find(referee, handle))
        dirty_add(referee, handle, args, sound);
    referee_exit(referee, &call);
    return handle;
}
WATCHED_2(HANDLE, CreateMemoryBasis, const HANDLE, const DXGKARG_CREATEMEMORYBASIS *)

/* A call about a basis begins. NULL: it is not known. */
static struct dirty_basis *dirty_enter_basis(struct vidmm_referee *referee,
                                             struct referee_call *call, const char *name,
                                             HANDLE handle) {
    referee_enter(referee, call, name, REFEREE_REENTRANT);
    dirty_count_call(referee);
    struct dirty_basis *basis = dirty_find(referee, handle);
    MANAGER_MUST(320, basis, "a basis that was created and not destroyed", "handle %p", handle);
    return basis;
}

static NTSTATUS watch_DestroyMemoryBasis(struct vidmm_referee *referee, const HANDLE adapter,
                                         const HANDLE handle) {
    struct referee_call call;
    struct dirty_basis *basis =
        dirty_enter_basis(referee, &call, "DxgkDdiDestroyMemoryBasis", handle);
    if (basis)
        MANAGER_MUST(320, !basis->started, "tracking stopped before the basis is destroyed",
                     "it is tracked");
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiDestroyMemoryBasis(adapter, handle);
    referee_return(referee);
    if (basis) {
        DRIVER_MUST(319, status == STATUS_SUCCESS, "STATUS_SUCCESS", "status 0x%08x",
                    (unsigned)status);
        dirty_drop(referee, basis);
    }
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, DestroyMemoryBasis, const HANDLE, const HANDLE)

static NTSTATUS watch_StartDirtyTracking(struct vidmm_referee *referee, const HANDLE adapter,
                                         const HANDLE handle) {
    struct referee_call call;
    struct dirty_basis *basis =
        dirty_enter_basis(referee, &call, "DxgkDdiStartDirtyTracking", handle);
    if (basis)
        MANAGER_MUST(327, !basis->started, "one start of a basis before its stop",
                     "it is started already");
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiStartDirtyTracking(adapter, handle);
    referee_return(referee);
    if (basis && status == STATUS_SUCCESS)
        dirty_started(referee, basis);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, StartDirtyTracking, const HANDLE, const HANDLE)

static NTSTATUS watch_StopDirtyTracking(struct vidmm_referee *referee, const HANDLE adapter,
                                        const HANDLE handle) {
    struct referee_call call;
    struct dirty_basis *basis =
        dirty_enter_basis(referee, &call, "DxgkDdiStopDirtyTracking", handle);
    if (basis)
        MANAGER_MUST(327, basis->started, "a stop of what was started", "it is not started");
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiStopDirtyTracking(adapter, handle);
    referee_return(referee);
    if (basis && basis->started) {
        basis->started = false;
        dirty_stopped(referee, basis);
    }
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, StopDirtyTracking, const HANDLE, const HANDLE)

/* ---- Queries --------------------------------------------------------------------------------- */

/* The part of the basis; false: there is none such. */
static bool dirty_part_of(const struct dirty_basis *basis, const DXGKARG_QUERYDIRTYBITDATA *args,
                          struct dirty_answer *answer) {
    if (args->SubrangeSize == 0) {
        answer->whole = true;
        answer->count = basis->pages;
        return true;
    }
    if (args->SubrangeIndex >= basis->count)
        return false;
    const DXGK_MEMORYRANGE *range = &basis->ranges[args->SubrangeIndex];
    if ((args->SubrangeOffset | args->SubrangeSize) % basis->page != 0 ||
        args->SubrangeOffset > range->SizeInBytes ||
        args->SubrangeSize > range->SizeInBytes - args->SubrangeOffset)
        return false;
    answer->first = dirty_position(basis, range->SegmentOffset + args->SubrangeOffset);
    answer->count = args->SubrangeSize / basis->page;
    answer->inner = (args->SubrangeOffset | args->SubrangeIndex) != 0;
    return true;
}

static bool dirty_judge_query(struct vidmm_referee *referee, const struct dirty_basis *basis,
                              const DXGKARG_QUERYDIRTYBITDATA *args, struct dirty_answer *answer) {
    bool inside = dirty_part_of(basis, args, answer);
    uint64_t least = (answer->count + 7) / 8;
    MANAGER_MUST(329, inside, "a part of one range, in pages of the plane",
                 "0x%llx bytes at 0x%llx of range %llu of %u", LLU(args->SubrangeSize),
                 LLU(args->SubrangeOffset), LLU(args->SubrangeIndex), basis->count);
    if (inside && !referee->short_buffers)
        MANAGER_MUST(328, args->Buffer && args->BufferSize >= least,
                     "a buffer with a bit for every page", "%llu bytes for %llu pages",
                     LLU(args->BufferSize), LLU(answer->count));
    MANAGER_MUST(431, basis->started, "a question about a basis whose tracking was started",
                 "it is not tracked%s", "");
    migration_judge_query(referee, basis);
    bool room = args->BufferSize >= least || referee->short_buffers;
    return inside && args->Buffer && room && args->BufferSize <= QUERY_MAX;
}

/* Behind the bits the buffer is as it was, and so is what lies around it. */
static void dirty_judge_written(struct vidmm_referee *referee, const struct guard *guard,
                                const struct dirty_answer *answer, NTSTATUS status) {
    uint64_t used = (answer->count + 7) / 8;
    const uint8_t *before = guard->original;
    int64_t at = 0;
    bool whole = guard_whole(guard, &at);
    for (uint64_t i = used; whole && i < guard->size; i++) {
        whole = guard->bytes[i] == before[i];
        at = (int64_t)i;
    }
    DRIVER_MUST(328, whole,
                "no more than a bit for every page written, and no more than BufferSize",
                "byte %lld was written, where %llu pages have %llu and the buffer %llu",
                (long long)at, LLU(answer->count), LLU(used), LLU(guard->size));
    if (status == STATUS_SUCCESS && answer->count % 8 != 0 && used <= guard->size &&
        !answer->turned && !referee->dirty.misplaced)
        DRIVER_MUST(331, guard->bytes[used - 1] >> (answer->count % 8) == 0,
                    "0 in the bits behind the last page", "the last byte is 0x%02x for %llu pages",
                    guard->bytes[used - 1], LLU(answer->count));
}

/* R322: the system has nothing to go by then, and takes the writes since the start for lost. */
static void dirty_judge_refused(struct vidmm_referee *referee, const struct dirty_answer *answer,
                                NTSTATUS status) {
    bool excused = status == STATUS_NO_MEMORY || status == STATUS_INSUFFICIENT_RESOURCES ||
                   referee->short_buffers || referee->dirty.misplaced || world_starved(referee);
    if (answer->basis->started && !excused)
        DRIVER_MUST(322, status == STATUS_SUCCESS, "the bits of a basis whose tracking was started",
                    "status 0x%08x for a basis whose tracking was started and not stopped",
                    (unsigned)status);
}

static void dirty_bits_answered(struct vidmm_referee *referee,
                                const DXGKARG_QUERYDIRTYBITDATA *args, struct guard *guard,
                                struct dirty_answer *answer, NTSTATUS status) {
    bool answered = status == STATUS_SUCCESS && answer->basis->started && !referee->short_buffers &&
                    !referee->dirty.misplaced;
    dirty_judge_refused(referee, answer, status);
    answer->bits = guard->bytes;
    answer->clear = (args->Flags & DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA) != 0;
    answer->turned = answered && dirty_turned(answer);
    answer->begins_well = answered && dirty_begins_well(answer);
    if (guard->block)
        dirty_judge_written(referee, guard, answer, status);
    if (answered)
        dirty_answered(referee, answer);
    guard_give(guard, 0, guard->size);
    guard_free(referee, guard);
}

static NTSTATUS watch_QueryDirtyBitData(struct vidmm_referee *referee, const HANDLE adapter,
                                        DXGKARG_QUERYDIRTYBITDATA *args) {
    struct referee_call call;
    DXGKARG_QUERYDIRTYBITDATA passed = *args;
    struct guard guard = {.block = NULL};
    struct dirty_answer answer = {
        .basis = dirty_enter_basis(referee, &call, "DxgkDdiQueryDirtyBitData", args->MemoryBasis)};
    bool sound = answer.basis && answer.basis->sound &&
                 dirty_judge_query(referee, answer.basis, args, &answer);
    uint64_t others = dirty_other_calls(referee);
    if (sound) {
        answer.quiet = !submit_under_way(referee);
        answer.writes = referee->dirty.writes;
        guard_make(referee, &guard, args->Buffer, args->BufferSize);
        passed.Buffer = guard.bytes;
    }
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiQueryDirtyBitData(adapter, &passed);
    referee_return(referee);
    answer.quiet = answer.quiet && others == dirty_other_calls(referee);
    if (sound)
        dirty_bits_answered(referee, args, &guard, &answer, status);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, QueryDirtyBitData, const HANDLE, DXGKARG_QUERYDIRTYBITDATA *)

void referee_watch_dirty(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    dirty_end(referee);
    if (table->Version < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
        return;
    WATCH(table, CreateMemoryBasis);
    WATCH(table, DestroyMemoryBasis);
    WATCH(table, StartDirtyTracking);
    WATCH(table, StopDirtyTracking);
    WATCH(table, QueryDirtyBitData);
}
