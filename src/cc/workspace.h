/*
 * workspace.h - the temporary directory of a build, and where vidmm's own headers and C functions
 * for drivers lie.
 */
#ifndef CC_WORKSPACE_H
#define CC_WORKSPACE_H

#include "build.h"

/* false: build->text says why. */
bool cc_workspace_open(struct cc_build *build);
/* Removes it with what is in it. */
void cc_workspace_close(struct cc_build *build);
/* A path in it. */
bool cc_workspace_path(struct cc_build *build, char path[PATH_MAX], const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Writes a file of it. */
bool cc_workspace_write(struct cc_build *build, const char *path, const char *text);
/* include/wddm and the C functions beside it. false: build->text says why. */
bool cc_find_headers(struct cc_build *build);

#endif
