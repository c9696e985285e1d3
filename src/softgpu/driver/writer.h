/*
 * writer.h - writing commands into what is left of a paging buffer.
 *
 * Nothing is written that does not fit whole, so a buffer is valid after every call, and a page
 * list is cut wherever the room ends. Commands are multiples of eight bytes; so is what is used of
 * an odd remainder.
 */
#ifndef SOFTGPU_KMD_WRITER_H
#define SOFTGPU_KMD_WRITER_H

#include "driver/kmd.h"

struct kmd_writer {
    PUCHAR at;
    UINT room;      /* bytes, rounded down to a multiple of 8 */
    uint16_t flags; /* GPU_FLAG_* that every command gets besides its own */
};

/* Appends a command without a page list; false when it does not fit. */
bool kmd_put(struct kmd_writer *writer, const void *command, UINT bytes);

/*
 * Appends a command of `fixed` bytes whose other `rest` bytes were written where they belong,
 * behind writer->at + fixed. The caller has seen to it that there is room.
 */
void kmd_put_around(struct kmd_writer *writer, const void *fixed_part, UINT fixed, UINT rest);

/*
 * Appends a command of `fixed` bytes and as many of `pages` page numbers as fit, pages that follow
 * each other as one run. Returns how many pages that was; 0: not one. `size` of the command (its
 * second 32-bit word) is set here; other members that depend on the number are the caller's to
 * patch through `*command`, which is where the copy went.
 */
SIZE_T kmd_put_pages(struct kmd_writer *writer, const void *fixed_part, UINT fixed,
                     const PFN_NUMBER *page, SIZE_T pages, PUCHAR *command);

/* Success when an operation was written whole, else another buffer for it. */
static inline NTSTATUS kmd_fits(bool written) {
    return written ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

/* Success when all pages were written, else another buffer for the rest. */
static inline NTSTATUS kmd_progress(DXGKARG_BUILDPAGINGBUFFER *args, SIZE_T pages, SIZE_T wanted) {
    if (pages == wanted)
        return STATUS_SUCCESS;
    args->MultipassOffset += (UINT)pages;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

/* Pages of a page list, from what the first `done` passes left. */
struct kmd_page_list {
    const PFN_NUMBER *page;
    SIZE_T pages;
};

static inline struct kmd_page_list kmd_pages_left(const MDL *mdl, SIZE_T first, SIZE_T pages,
                                                  UINT done) {
    struct kmd_page_list list = {(const PFN_NUMBER *)(mdl + 1) + first + done, 0};
    list.pages = done < pages ? pages - done : 0;
    return list;
}

/* paging_aperture.c: MAP_APERTURE_SEGMENT, the form with an address descriptor list, UNMAP. */
NTSTATUS kmd_build_map(const struct kmd_adapter *adapter, struct kmd_writer *writer,
                       DXGKARG_BUILDPAGINGBUFFER *args);
NTSTATUS kmd_build_map_second(const struct kmd_adapter *adapter, struct kmd_writer *writer,
                              DXGKARG_BUILDPAGINGBUFFER *args);
NTSTATUS kmd_build_unmap(const struct kmd_adapter *adapter, struct kmd_writer *writer,
                         DXGKARG_BUILDPAGINGBUFFER *args);

/* paging_virtual.c: operations on GPU virtual addresses and page tables, and the rest of
 * those that an adapter without any has no use for. */
NTSTATUS kmd_build_virtual(struct kmd_adapter *adapter, struct kmd_writer *writer,
                           DXGKARG_BUILDPAGINGBUFFER *args);
NTSTATUS kmd_init_virtual(struct kmd_writer *writer, DXGKARG_BUILDPAGINGBUFFER *args);

#endif
