/*
 * exports.h - what a driver image may import: the kernel's names, which the program itself exports
 * for drivers built as shared objects, and the C run-time functions of ntoskrnl (crt_names.h).
 */
#ifndef HOST_EXPORTS_H
#define HOST_EXPORTS_H

#include <stdbool.h>

#define IMAGE_NAME_MAX 1024u /* longer names are in no kernel */

struct image_export {
    const void *address;
    bool data; /* a variable: imported by its address, without a stub */
};

/* False: there is no such name here. */
bool image_export(const char *name, struct image_export *out);

#endif
