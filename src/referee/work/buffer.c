/*
 * buffer.c - paging buffers while the driver fills them.
 *
 * The driver does not get the caller's buffer but a mirror of it with canaries right behind
 * pDmaBuffer + DmaSize. What was written earlier stays in the mirror, so that a driver may look
 * back. After each call the bytes go to the caller's buffer. The private data is treated the same.
 */
#include <stdlib.h>
#include <string.h>

#include "state/grow.h"
#include "work/work.h"
#include "state/memory.h"

/* A returned pointer that is not further off than this is taken for one into the mirror. */
#define NEAR (1 << 20)
/* Bytes in which the beginning of a command shows. */
#define COMMAND 16u
#define MARKED  1024u

static bool buffer_has_unsubmitted(const struct shadow_build *build) {
    return build->base && (build->used > build->submitted || build->first);
}

struct shadow_build *build_at(struct vidmm_referee *referee, const void *base) {
    for (uint32_t i = 0; base && i < referee->builds.slots; i++) {
        if (referee->builds.slot[i]->base == base &&
            buffer_has_unsubmitted(referee->builds.slot[i]))
            return referee->builds.slot[i];
    }
    return NULL;
}

struct shadow_build *build_of(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args) {
    uint64_t address = (uint64_t)args->DmaBufferPhysicalAddress.QuadPart;
    struct shadow_build *oldest = NULL;
    for (uint32_t i = 0; i < referee->builds.slots; i++) {
        struct shadow_build *build = referee->builds.slot[i];
        if (!buffer_has_unsubmitted(build) || build->physical != linked_physical(args->NodeOrdinal))
            continue;
        if (build->address != 0 && build->address == address &&
            build->segment == args->DmaBufferSegmentId)
            return build;
        if (!oldest || build->number < oldest->number)
            oldest = build;
    }
    return oldest;
}

bool build_elsewhere(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args) {
    for (uint32_t i = 0; !build_of(referee, args) && i < referee->builds.slots; i++)
        if (buffer_has_unsubmitted(referee->builds.slot[i]))
            return true;
    return false;
}

static void buffer_drop_operations(struct vidmm_referee *referee, struct shadow_build *build) {
    while (build->first) {
        struct build_operation *operation = build->first;
        build->first = (struct build_operation *)operation->shadow.next;
        operation_give_up(referee, &operation->shadow);
    }
    build->last = NULL;
}

void build_forget(struct vidmm_referee *referee) {
    for (uint32_t i = 0; i < referee->builds.slots; i++) {
        buffer_drop_operations(referee, referee->builds.slot[i]);
        referee->builds.slot[i]->used = referee->builds.slot[i]->submitted =
            referee->builds.slot[i]->private_used = 0;
        referee->builds.slot[i]->address = 0;
    }
}

void build_end(struct vidmm_referee *referee) {
    build_forget(referee);
    for (uint32_t i = 0; i < referee->builds.slots; i++) {
        guard_free(referee, &referee->builds.slot[i]->bytes);
        guard_free(referee, &referee->builds.slot[i]->private_bytes);
        free(referee->builds.slot[i]);
    }
    grow_free(&referee->builds.slot, &referee->builds.slot_room);
    referee->builds.slots = 0;
    referee->builds.open.build = NULL;
    referee->builds.newest = 0;
    referee->builds.seen_privates = 0;
}

/* ---- Before the call ------------------------------------------------------------------------- */

/* A guard over `size` bytes at `base`; one that fits is kept as it is: what a fresh buffer holds means
 * nothing, and what the driver built went back to the caller with each call. */
static void buffer_aim_guard(struct vidmm_referee *referee, struct guard *guard, uint8_t *base,
                             uint32_t size) {
    if (guard->block && guard->original == (void *)base && guard->size == size)
        return;
    guard_free(referee, guard);
    guard_make(referee, guard, base, size);
}

/* The same for private data, whose bytes are the driver's own from buffer to buffer. */
static void buffer_aim_private(struct vidmm_referee *referee, struct shadow_build *build) {
    struct guard *guard = &build->private_bytes;
    buffer_aim_guard(referee, guard, build->private_base, build->private_size);
    if (guard->block && build->private_size != 0)
        memcpy(guard->bytes, build->private_base, build->private_size);
}

/* True when `args` goes on where the last call left off. */
static bool buffer_goes_on(const struct shadow_build *build,
                           const DXGKARG_BUILDPAGINGBUFFER *args) {
    return build->base && build->used != 0 && args->pDmaBuffer == build->base + build->used &&
           args->DmaSize == build->size - build->used;
}

static struct shadow_build *buffer_find_going_on(struct vidmm_referee *referee,
                                                 const DXGKARG_BUILDPAGINGBUFFER *args) {
    for (uint32_t i = 0; i < referee->builds.slots; i++) {
        if (buffer_goes_on(referee->builds.slot[i], args))
            return referee->builds.slot[i];
    }
    return NULL;
}

/* A buffer with unsubmitted bytes that pDmaBuffer lies in, although not where it should. */
static struct shadow_build *buffer_find_astray(struct vidmm_referee *referee,
                                               const DXGKARG_BUILDPAGINGBUFFER *args) {
    const uint8_t *at = args->pDmaBuffer;
    for (uint32_t i = 0; i < referee->builds.slots; i++) {
        struct shadow_build *build = referee->builds.slot[i];
        if (buffer_has_unsubmitted(build) && at >= build->base && at < build->base + build->size)
            return build;
    }
    return NULL;
}

/* NULL: out of memory. */
static struct shadow_build *buffer_add_slot(struct vidmm_referee *referee) {
    struct builds *builds = &referee->builds;
    if (!grow(&builds->slot, &builds->slot_room, builds->slots + 1, sizeof(*builds->slot)))
        return NULL;
    struct shadow_build *build = memory_calloc(1, sizeof(*build));
    if (build)
        builds->slot[builds->slots++] = build;
    return build;
}

/* A slot for the buffer at `base`: the one it had before, or a new one; with enough of them, the
 * oldest at rest. */
static struct shadow_build *buffer_find_slot(struct vidmm_referee *referee, const void *base) {
    struct shadow_build *slot = NULL;
    for (uint32_t i = 0; i < referee->builds.slots; i++) {
        struct shadow_build *build = referee->builds.slot[i];
        if (build->base == base)
            return build;
        if (!buffer_has_unsubmitted(build) && (!slot || build->number < slot->number))
            slot = build;
    }
    if (slot && referee->builds.slots >= BUILDS_AT_REST)
        return slot;
    return buffer_add_slot(referee);
}

static bool buffer_all_zero(const uint8_t *bytes, uint32_t size) {
    uint8_t any = 0;
    for (uint32_t i = 0; i < size; i++)
        any |= bytes[i];
    return any == 0;
}

/* True the first time that an area of private data is seen. */
static bool buffer_first_seen(struct vidmm_referee *referee, const void *area) {
    uint32_t known =
        referee->builds.seen_privates < BUILDS_SEEN ? referee->builds.seen_privates : BUILDS_SEEN;
    for (uint32_t i = 0; i < known; i++) {
        if (referee->builds.seen_private[i] == area)
            return false;
    }
    referee->builds.seen_private[referee->builds.seen_privates++ % BUILDS_SEEN] = area;
    return true;
}

static void buffer_judge_private(struct vidmm_referee *referee,
                                 const struct shadow_physical *physical,
                                 const DXGKARG_BUILDPAGINGBUFFER *args) {
    uint32_t wanted = physical->paging_private, size = args->DmaBufferPrivateDataSize;
    const uint8_t *bytes = args->pDmaBufferPrivateData;
    if (physical->query_version == 0)
        return;
    if (wanted == 0) {
        MANAGER_MUST(78, size == 0, "no private data, as PagingBufferPrivateDataSize is 0",
                     "DmaBufferPrivateDataSize is %u", size);
        return;
    }
    MANAGER_MUST(77, size == wanted && bytes, "PagingBufferPrivateDataSize bytes of private data",
                 "DmaBufferPrivateDataSize of a fresh buffer is %u instead of %u", size, wanted);
    if (bytes && size == wanted && buffer_first_seen(referee, bytes))
        MANAGER_MUST(77, buffer_all_zero(bytes, size), "private data that is zero at first",
                     "private data that was never used before is not zero");
}

static void buffer_judge_fresh(struct vidmm_referee *referee,
                               const struct shadow_physical *physical,
                               const DXGKARG_BUILDPAGINGBUFFER *args) {
    uint32_t wanted = physical->paging_size;
    MANAGER_MUST(150, (uintptr_t)args->pDmaBuffer % SHADOW_PAGE == 0,
                 "a fresh paging buffer that begins at a page", "pDmaBuffer is %p",
                 args->pDmaBuffer);
    if (physical->query_version != 0 && wanted != 0)
        MANAGER_MUST(76, args->DmaSize == wanted, "PagingBufferSize bytes in a fresh buffer",
                     "DmaSize of a fresh buffer is %u instead of %u", args->DmaSize, wanted);
}

static struct shadow_build *buffer_aim_fresh(struct vidmm_referee *referee,
                                             const DXGKARG_BUILDPAGINGBUFFER *args) {
    struct shadow_build *build = buffer_find_slot(referee, args->pDmaBuffer);
    const struct shadow_context *context = shadow_context(referee, args->hSystemContext);
    uint32_t physical = context ? context->physical : 0;
    buffer_judge_fresh(referee, &referee->adapter.physical[physical], args);
    if (!build)
        return NULL;
    buffer_judge_private(referee, &referee->adapter.physical[physical], args);
    buffer_drop_operations(referee, build);
    build->base = args->pDmaBuffer;
    build->size = args->DmaSize;
    build->used = build->submitted = build->private_used = 0;
    build->private_base = args->pDmaBufferPrivateData;
    build->private_size = args->DmaBufferPrivateDataSize;
    build->address = 0;
    build->astray = false;
    build->physical = physical;
    build->number = ++referee->builds.newest;
    buffer_aim_guard(referee, &build->bytes, build->base, build->size);
    buffer_aim_private(referee, build);
    return build;
}

/* What the driver left in the private data is there still, and the rest of it follows. */
static void buffer_go_on_private(struct vidmm_referee *referee, struct shadow_build *build,
                                 const DXGKARG_BUILDPAGINGBUFFER *args) {
    uint8_t *at = args->pDmaBufferPrivateData;
    bool there = (uintptr_t)at == (uintptr_t)build->private_base + build->private_used &&
                 args->DmaBufferPrivateDataSize == build->private_size - build->private_used;
    if (there && build->private_base && build->private_used != 0)
        MANAGER_MUST(
            77, memcmp(build->private_base, build->private_bytes.bytes, build->private_used) == 0,
            "private data that nobody but the driver touches",
            "private data changed between two calls");
    if (there)
        return;
    build->private_base = at;
    build->private_used = 0;
    build->private_size = args->DmaBufferPrivateDataSize;
    buffer_aim_private(referee, build);
}

/* Somewhere else in a buffer that is being filled: from there on it is filled. */
static void buffer_aim_astray(struct vidmm_referee *referee, struct shadow_build *build,
                              const DXGKARG_BUILDPAGINGBUFFER *args) {
    uint32_t at = (uint32_t)((uint8_t *)args->pDmaBuffer - build->base);
    MANAGER_MUST(
        151, false, "the next operation right behind the last one",
        "pDmaBuffer is %u bytes into the buffer with DmaSize %u, after %u of %u bytes were "
        "written",
        at, args->DmaSize, build->used, build->size);
    build->astray = true;
    build->used = at;
    build->size = at + args->DmaSize;
    buffer_aim_guard(referee, &build->bytes, build->base, build->size);
}

struct shadow_build *build_aim(struct vidmm_referee *referee,
                               const DXGKARG_BUILDPAGINGBUFFER *args) {
    if (!args->pDmaBuffer)
        return NULL;
    struct shadow_build *build = buffer_find_going_on(referee, args);
    struct shadow_build *astray = !build ? buffer_find_astray(referee, args) : NULL;
    if (build)
        MANAGER_MUST(151, true, "", "%s", "");
    else if (astray)
        buffer_aim_astray(referee, build = astray, args);
    if (build)
        buffer_go_on_private(referee, build, args);
    else
        build = buffer_aim_fresh(referee, args);
#if WDDM_AT_LEAST(WDDM2_0)
    if (build && referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        MANAGER_MUST(173, args->DmaBufferWriteOffset == build->used,
                     "the distance of pDmaBuffer from the start of the buffer",
                     "DmaBufferWriteOffset is %u instead of %u", args->DmaBufferWriteOffset,
                     build->used);
#endif
    return build;
}

void vidmm_referee_shorten(struct vidmm_referee *referee, const void *end) {
    pthread_mutex_lock(&referee->lock);
    for (uint32_t i = 0; i < referee->builds.slots; i++) {
        struct shadow_build *build = referee->builds.slot[i];
        const uintptr_t size = (uintptr_t)end - (uintptr_t)build->base;
        if (!buffer_has_unsubmitted(build) || size < build->used || size >= build->size)
            continue;
        build->size = (uint32_t)size;
        guard_shorten(&build->bytes, (uint32_t)size);
    }
    pthread_mutex_unlock(&referee->lock);
}

/* Of the first `most` bytes behind `from` those that are the guard's until the driver writes there. */
static size_t buffer_marked(const struct guard *guard, uint32_t from, size_t most) {
    const size_t room = guard->size - from;
    return !guard->block ? 0 : room < most ? room : most;
}

static bool buffer_changed(const struct guard *guard, uint32_t from) {
    bool changed = false;
    for (size_t i = 0; i < buffer_marked(guard, from, COMMAND); i++)
        changed = changed || guard->bytes[from + i] != guard->byte;
    return changed;
}

/* How many of the bytes up to `end` follow the last that was written from `from` on; 0 where that is none of the
 * marked ones, since a byte behind them may have been written as it was. */
static uint32_t buffer_unwritten(const struct guard *guard, uint32_t from, uint32_t end) {
    const uint8_t *before = guard->original;
    size_t marked = from + buffer_marked(guard, from, MARKED);
    uint32_t at = end;
    while (at > from && guard->block &&
           guard->bytes[at - 1] == (at > marked ? before[at - 1] : guard->byte))
        at--;
    return at < marked ? end - at : 0;
}

void build_redirect(const struct shadow_build *build, DXGKARG_BUILDPAGINGBUFFER *args) {
    memset(build->bytes.bytes + build->used, build->bytes.byte,
           buffer_marked(&build->bytes, build->used, MARKED));
    args->pDmaBuffer = build->bytes.bytes + build->used;
    if (args->pDmaBufferPrivateData)
        args->pDmaBufferPrivateData = build->private_bytes.bytes + build->private_used;
}

/* ---- After the call -------------------------------------------------------------------------- */

/* How far `p` is from the start of a mirror; -1 - NEAR: nowhere near. */
static int64_t buffer_distance(const struct guard *guard, const void *p) {
    int64_t at = (int64_t)((uint64_t)(uintptr_t)p - (uint64_t)(uintptr_t)guard->bytes);
    return at < -NEAR || at > (int64_t)guard->size + NEAR ? -1 - NEAR : at;
}

static void *buffer_give_pointer(const struct guard *guard, void *p) {
    int64_t at = buffer_distance(guard, p);
    return at < -NEAR ? p : (void *)((uintptr_t)guard->original + (uintptr_t)at);
}

static void buffer_judge_canaries(struct vidmm_referee *referee, struct shadow_build *build,
                                  const DXGKARG_BUILDPAGINGBUFFER *in, NTSTATUS status) {
    int64_t at = 0;
    bool whole = guard_whole(&build->bytes, &at), after = !whole && at >= 0;
    DRIVER_MUST(152, whole, "no byte written outside the DmaSize bytes at pDmaBuffer",
                "the byte %lld bytes from pDmaBuffer was written, DmaSize is %u",
                (long long)(at - (int64_t)build->used), in->DmaSize);
    DRIVER_MUST(154, !after || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER,
                "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER when the buffer has no room",
                "status 0x%08x, after writing past the end of the buffer", (unsigned)status);
    if (!whole)
        guard_free(referee, &build->bytes);
}

/* Of what the driver wrote behind the pointer that it gave back, so much goes back to the caller with
 * each call: whole buffers would cost more than the call. */
#define NOT_MOVED_OVER 4096u

/* Takes back one of the two pointers: the new offset, or the old one if the pointer is bad. */
static uint32_t buffer_take_pointer(const struct guard *guard, uint32_t from, void **pointer,
                                    bool *good) {
    int64_t at = buffer_distance(guard, *pointer);
    *good = at >= (int64_t)from && at <= (int64_t)guard->size;
    uint64_t end = *good ? (uint64_t)at + NOT_MOVED_OVER : guard->size;
    guard_give(guard, *good ? from : 0, end < guard->size ? (size_t)end : guard->size);
    *pointer = buffer_give_pointer(guard, *pointer);
    return *good ? (uint32_t)at : from;
}

static void buffer_return_private(struct vidmm_referee *referee, struct shadow_build *build,
                                  DXGKARG_BUILDPAGINGBUFFER *args) {
    bool good, whole;
    int64_t at = 0;
    const struct shadow_physical *physical = &referee->adapter.physical[build->physical];
    if (!build->private_base && physical->query_version != 0 && physical->paging_private == 0)
        DRIVER_MUST(78, !args->pDmaBufferPrivateData,
                    "pDmaBufferPrivateData left alone, as PagingBufferPrivateDataSize is 0",
                    "pDmaBufferPrivateData came back as %p", args->pDmaBufferPrivateData);
    if (!build->private_base) {
        DRIVER_MUST(166, !args->pDmaBufferPrivateData, "pDmaBufferPrivateData left NULL",
                    "pDmaBufferPrivateData came back as %p", args->pDmaBufferPrivateData);
        return;
    }
    int64_t moved =
        (int64_t)((uint64_t)(uintptr_t)args->pDmaBufferPrivateData -
                  (uint64_t)(uintptr_t)(build->private_bytes.bytes + build->private_used));
    uint32_t used = buffer_take_pointer(&build->private_bytes, build->private_used,
                                        &args->pDmaBufferPrivateData, &good);
    DRIVER_MUST(166, good, "pDmaBufferPrivateData moved forward by what was used, inside the data",
                "pDmaBufferPrivateData came back %lld bytes from where it was, of %u bytes",
                (long long)moved, build->private_size - build->private_used);
    whole = guard_whole(&build->private_bytes, &at);
    DRIVER_MUST(166, whole, "no byte written outside the private data",
                "byte %lld of the private data was written, it has %u", (long long)at,
                build->private_size);
    build->private_used = used;
    if (!good)
        submit_give_up(referee);
    if (!whole)
        guard_free(referee, &build->private_bytes);
    if (!whole)
        guard_make(referee, &build->private_bytes, build->private_base, build->private_size);
}

uint32_t build_return(struct vidmm_referee *referee, struct shadow_build *build,
                      const DXGKARG_BUILDPAGINGBUFFER *in, DXGKARG_BUILDPAGINGBUFFER *args,
                      NTSTATUS status, bool *unmoved) {
    bool good;
    uint32_t before = build->used;
    int64_t moved = (int64_t)((uint64_t)(uintptr_t)args->pDmaBuffer -
                              (uint64_t)(uintptr_t)(build->bytes.bytes + before));
    *unmoved = moved == 0 && buffer_changed(&build->bytes, before);
    build->used = buffer_take_pointer(&build->bytes, before, &args->pDmaBuffer, &good);
    DRIVER_MUST(153, good, "pDmaBuffer one past the last byte written, inside the buffer",
                "pDmaBuffer came back %lld bytes from where it was, DmaSize is %u",
                (long long)moved, in->DmaSize);
    build->unwritten = buffer_unwritten(&build->bytes, before, build->used);
    buffer_judge_canaries(referee, build, in, status);
    if (!build->bytes.block)
        guard_make(referee, &build->bytes, build->base, build->size);
    buffer_return_private(referee, build, args);
    if (!good)
        submit_give_up(referee);
    return build->used - before;
}

struct shadow_operation *build_take(struct vidmm_referee *referee,
                                    const DXGKARG_SUBMITCOMMAND *args) {
    struct shadow_build *build = build_of(referee, args);
    if (!build)
        return NULL;
    struct shadow_operation *first = build->first ? &build->first->shadow : NULL;
    struct shadow_operation *last = NULL;
    build->submitted = build->astray ? build->used : args->DmaBufferSubmissionEndOffset;
    while (build->first && build->first->end <= build->submitted) {
        last = &build->first->shadow;
        build->first = (struct build_operation *)last->next;
    }
    if (!last)
        return NULL;
    last->next = NULL;
    if (!build->first)
        build->last = NULL;
    return first;
}
