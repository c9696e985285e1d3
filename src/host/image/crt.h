/*
 * crt.h - the C run-time functions that ntoskrnl exports, with Windows' calling convention and
 * sizes: what an image imports under a name that means another function in this process.
 */
#ifndef HOST_CRT_H
#define HOST_CRT_H

/* Address of the function, or NULL. */
const void *crt_export(const char *name);

#endif
