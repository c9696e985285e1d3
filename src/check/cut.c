/* cut.c - see cut.h. */
#include "cut.h"

bool cut_buffer(struct cut *cut, DXGKARG_BUILDPAGINGBUFFER *args, uint32_t room) {
    const uint32_t at = args->DmaBufferWriteOffset;
    bool here = at != 0 && cut->end == 0 && args->DmaSize > room;
    if (at == 0)
        cut->end = 0;
    if (here) {
        cut->end = at + room;
        vidmm_referee_shorten(cut->referee, (const uint8_t *)args->pDmaBuffer + room);
    }
    if (at != 0 && cut->end >= at && cut->end - at < args->DmaSize)
        args->DmaSize = cut->end - at;
    return here;
}

bool cut_behind(DXGKARG_BUILDPAGINGBUFFER *next, const DXGKARG_BUILDPAGINGBUFFER *built) {
    SIZE_T used = (ULONG_PTR)built->pDmaBuffer - (ULONG_PTR)next->pDmaBuffer;
    SIZE_T own = (ULONG_PTR)built->pDmaBufferPrivateData - (ULONG_PTR)next->pDmaBufferPrivateData;
    if (used > next->DmaSize || own > next->DmaBufferPrivateDataSize)
        return false;
    next->pDmaBuffer = built->pDmaBuffer;
    next->DmaSize -= (UINT)used;
    next->DmaBufferWriteOffset += (UINT)used;
    next->pDmaBufferPrivateData = built->pDmaBufferPrivateData;
    next->DmaBufferPrivateDataSize -= (UINT)own;
    return true;
}
