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

/* driver/paging_virtual.c: operations on GPU virtual addresses and page tables, and the rest of
 * those that an adapter without any has no use for. */
NTSTATUS kmd_build_virtual(struct kmd_adapter *adapter, struct kmd_writer *writer,
                           DXGKARG_BUILDPAGINGBUFFER *args);
NTSTATUS kmd_init_virtual(struct kmd_writer *writer, DXGKARG_BUILDPAGINGBUFFER *args);

#endif
