/*
 * overlay.h - headers in any letter case: a description of directories for clang's -ivfsoverlay, in
 * which names are compared without case.
 */
#ifndef CC_OVERLAY_H
#define CC_OVERLAY_H

#include "build.h"

/* Writes the description of `directories` and what is below them into the file `path`. */
bool cc_overlay_write(struct cc_build *build, const struct cc_list *directories, const char *path);

#endif
