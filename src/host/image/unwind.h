/*
 * unwind.h - from the frame of a function in an image to the frame of its caller, by .pdata.
 *
 * What an image says of its functions may be wrong, and so may its stack: everything is checked,
 * and the stack is read so that a bad address is an answer (exception-handling-x64.md).
 */
#ifndef HOST_UNWIND_H
#define HOST_UNWIND_H

#include <stdbool.h>

#include "image/context.h"
#include "image/image.h"

#define UNWIND_FRAMES_MAX 1024u /* of one walk */

enum unwind_handler { UNWIND_HANDLES = 1, UNWIND_TERMINATES = 2 };

/* What the function of a frame has. */
struct unwound {
    const struct image_function *function; /* NULL: a leaf, which keeps nothing */
    uint64_t frame;                        /* EstablisherFrame */
    unsigned kinds;                        /* set of enum unwind_handler */
    const void *handler;                   /* the language's, in the image */
    const void *handler_data;
};

/* The function of an offset in the image; NULL: none, a leaf. */
const struct image_function *unwind_function(const struct host_image *image, uint32_t offset);
/*
 * `context`, in code of `image`, becomes what it is where the caller goes on. False: the image's
 * data or the stack is damaged; `context` is then half changed.
 */
bool unwind_frame(const struct host_image *image, struct host_context *context,
                  struct unwound *out);
/* 8 bytes at an address that may lead nowhere. */
bool unwind_peek(uint64_t address, uint64_t *value);

#endif
