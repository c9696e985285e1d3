/* carry.c - see carry.h. A run has a process of its own, so that there is one manager whose calls these are. */
#include "carry.h"
#include "cut.h"

#include <string.h>

#define WAITING_MOST 32u
#define RANGES_MOST  64u

static struct {
    PDXGKDDI_BUILDPAGINGBUFFER below;
    struct carried {
        DXGKARG_BUILDPAGINGBUFFER args;
        uint32_t room; /* in its first buffer */
    } operation[WAITING_MOST];
    uint32_t waiting, took;
    uint32_t room; /* of the next that is added, above 0 by one; 0: all there is */
    struct cut cut;
    bool begun; /* the first needs another buffer for its rest */
    struct {
        UINT segment;
        uint64_t page, pages;
    } range[RANGES_MOST]; /* that the manager mapped */
    uint32_t ranges;
    bool crowded; /* there were more of them */
} carry;

/* Where the driver may write, as it was before the first of the operations in a call. */
struct carry_room {
    const uint8_t *bytes, *private_bytes;
    UINT size, private_size, offset;
};

bool carry_add(const DXGKARG_BUILDPAGINGBUFFER *args) {
    if (carry.waiting == WAITING_MOST)
        return false;
    carry.operation[carry.waiting++] = (struct carried){*args, carry.room - 1u};
    carry.room = 0;
    return true;
}

void carry_shorten(struct vidmm_referee *referee, uint32_t room) {
    carry.cut.referee = referee;
    carry.room = room + 1;
}

uint32_t carry_took(void) {
    return carry.took;
}

void carry_drop(void) {
    carry.waiting = 0;
    carry.begun = false;
}

uint32_t carry_waiting(void) {
    return carry.waiting;
}

/* ---- What the manager maps ------------------------------------------------------------------- */

/* The three arms agree in these members. */
static void carry_note(const DXGKARG_BUILDPAGINGBUFFER *args) {
    const bool unmaps = args->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
    const UINT segment = args->MapApertureSegment.SegmentId;
    const uint64_t page = args->MapApertureSegment.OffsetInPages;
    const uint64_t pages = args->MapApertureSegment.NumberOfPages;
    if (!unmaps && args->Operation != DXGK_OPERATION_MAP_APERTURE_SEGMENT &&
        args->Operation != DXGK_OPERATION_MAP_APERTURE_SEGMENT2)
        return;
    for (uint32_t i = 0; unmaps && i < carry.ranges;) {
        bool gone = carry.range[i].segment == segment && carry.range[i].page >= page &&
                    carry.range[i].page - page < pages;
        if (gone)
            carry.range[i] = carry.range[--carry.ranges];
        else
            i++;
    }
    if (unmaps)
        return;
    carry.crowded = carry.crowded || carry.ranges == RANGES_MOST;
    if (!carry.crowded) {
        carry.range[carry.ranges].segment = segment;
        carry.range[carry.ranges].page = page;
        carry.range[carry.ranges++].pages = pages;
    }
}

bool carry_is_free(UINT segment, uint64_t page, uint64_t pages) {
    bool free = !carry.crowded;
    for (uint32_t i = 0; i < carry.ranges; i++)
        free = free && (carry.range[i].segment != segment ||
                        carry.range[i].page + carry.range[i].pages <= page ||
                        page + pages <= carry.range[i].page);
    return free;
}

/* ---- Building -------------------------------------------------------------------------------- */

/* What is left behind what was written; false: that is not in the buffer. */
static bool carry_aim(const DXGKARG_BUILDPAGINGBUFFER *args, const struct carry_room *room,
                      DXGKARG_BUILDPAGINGBUFFER *passed) {
    const uintptr_t used = (uintptr_t)args->pDmaBuffer - (uintptr_t)room->bytes;
    const uintptr_t private_used =
        (uintptr_t)args->pDmaBufferPrivateData - (uintptr_t)room->private_bytes;
    if (used > room->size || private_used > room->private_size)
        return false;
    passed->hSystemContext = args->hSystemContext;
    passed->pDmaBuffer = args->pDmaBuffer;
    passed->DmaSize = room->size - (UINT)used;
    passed->pDmaBufferPrivateData = args->pDmaBufferPrivateData;
    passed->DmaBufferPrivateDataSize = room->private_size - (UINT)private_used;
    passed->DmaBufferWriteOffset = room->offset + (UINT)used;
    passed->DmaBufferGpuVirtualAddress = args->DmaBufferGpuVirtualAddress;
    return true;
}

/* The first that waits. The manager, which asked for something else, is told how far that is, and answers a full
 * buffer as if it were its own operation that needs another. */
static NTSTATUS carry_first(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args,
                            DXGKARG_BUILDPAGINGBUFFER *passed) {
    struct carried *first = &carry.operation[0];
    (void)cut_buffer(&carry.cut, passed, first->room);
    NTSTATUS status = carry.below(adapter, passed);
    carry.took = (uint32_t)((uintptr_t)passed->pDmaBuffer - (uintptr_t)args->pDmaBuffer);
    args->pDmaBuffer = passed->pDmaBuffer;
    args->pDmaBufferPrivateData = passed->pDmaBufferPrivateData;
    carry.begun = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    first->room = CUT_NOTHING;
    if (carry.begun)
        args->MultipassOffset = first->args.MultipassOffset = passed->MultipassOffset;
    else if (status == STATUS_SUCCESS)
        memmove(first, first + 1, --carry.waiting * sizeof(*first));
    return status;
}

/* Behind those that the CPU carries out at once nothing can be built. */
static NTSTATUS APIENTRY carry_build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    const struct carry_room room = {args->pDmaBuffer, args->pDmaBufferPrivateData, args->DmaSize,
                                    args->DmaBufferPrivateDataSize, args->DmaBufferWriteOffset};
    NTSTATUS status = STATUS_SUCCESS;
    if (!carry.begun) {
        carry_note(args);
        (void)cut_buffer(&carry.cut, args, CUT_NOTHING);
        status = carry.below(adapter, args);
    }
    while (status == STATUS_SUCCESS && carry.waiting != 0 && room.bytes) {
        DXGKARG_BUILDPAGINGBUFFER passed = carry.operation[0].args;
        if (!carry_aim(args, &room, &passed))
            break;
        status = carry_first(adapter, args, &passed);
    }
    return status;
}

void carry_table(DRIVER_INITIALIZATION_DATA *table) {
    if (!table->DxgkDdiBuildPagingBuffer || table->DxgkDdiBuildPagingBuffer == carry_build)
        return;
    carry.below = table->DxgkDdiBuildPagingBuffer;
    table->DxgkDdiBuildPagingBuffer = carry_build;
}
