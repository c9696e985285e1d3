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

/* What is left of the buffers of `asked` behind what was written; false: that is not in them. */
static bool carry_aim(const DXGKARG_BUILDPAGINGBUFFER *args, const DXGKARG_BUILDPAGINGBUFFER *asked,
                      DXGKARG_BUILDPAGINGBUFFER *passed) {
    passed->hSystemContext = args->hSystemContext;
    passed->pDmaBuffer = asked->pDmaBuffer;
    passed->DmaSize = asked->DmaSize;
    passed->pDmaBufferPrivateData = asked->pDmaBufferPrivateData;
    passed->DmaBufferPrivateDataSize = asked->DmaBufferPrivateDataSize;
    passed->DmaBufferWriteOffset = asked->DmaBufferWriteOffset;
    passed->DmaBufferGpuVirtualAddress = args->DmaBufferGpuVirtualAddress;
    return cut_behind(passed, args);
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
    const DXGKARG_BUILDPAGINGBUFFER asked = *args;
    NTSTATUS status = STATUS_SUCCESS;
    if (!carry.begun) {
        carry_note(args);
        (void)cut_buffer(&carry.cut, args, CUT_NOTHING);
        status = carry.below(adapter, args);
    }
    while (status == STATUS_SUCCESS && carry.waiting != 0 && asked.pDmaBuffer) {
        DXGKARG_BUILDPAGINGBUFFER passed = carry.operation[0].args;
        if (!carry_aim(args, &asked, &passed))
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
