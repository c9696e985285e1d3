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
