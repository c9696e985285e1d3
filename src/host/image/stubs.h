/*
 * stubs.h - code between an image and ours: 32 bytes that put what is to be called into r11 and jump
 * to image_call_in (stack.h) or image_call_out (call_out.h).
 *
 * Imports have theirs (imports.h). Here are those of other functions that the sides tell each other:
 * the driver's table, the interface of dxgkrnl, operations of DMA adapters.
 */
#ifndef HOST_STUBS_H
#define HOST_STUBS_H

#include <stddef.h>

#include "image/image.h"

#define STUB_BYTES 32u

/* At `code`: r11 is `what`, then `to` goes on. */
void stub_write(uint8_t *code, const void *what, const void *to);
/*
 * A table of `count` functions, of which each that is in an image becomes a stub of it; and one of
 * ours for the driver, of which each becomes a stub if an image is loaded, called `name` in reports.
 * A function gets its stub once. Without memory for more it stays as it is.
 */
void stubs_in(void *table, size_t count);
void stubs_out(void *table, size_t count, const char *name);
/* One function of ours for the driver. */
const void *stub_out(const void *function, const char *name);
/* Of an image that goes. */
void stubs_free(struct host_image *image);

#endif
