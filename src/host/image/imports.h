/*
 * imports.h - the names that an image wants, and what they are bound to.
 *
 * A name that is not here does not keep the driver from starting: it gets a stub that says so when
 * it is called.
 */
#ifndef HOST_IMPORTS_H
#define HOST_IMPORTS_H

#include "image/image.h"

#define IMPORTS_MAX 8192u

/* Calls `found` for each import, in the order of the file. False: the table is damaged. */
bool imports_list(const struct host_image *image,
                  void (*found)(void *ctx, const struct vidmm_host_import *import), void *ctx,
                  struct vidmm_host_error *error);
/* Before image_protect. False: damaged, or out of memory; `error` has one sentence. */
bool imports_bind(struct host_image *image, struct vidmm_host_error *error);

#endif
