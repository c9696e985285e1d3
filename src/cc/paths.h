/*
 * paths.h - paths as Windows' tools write them: backslashes, letters of any case.
 */
#ifndef CC_PATHS_H
#define CC_PATHS_H

#include <limits.h>
#include <stdbool.h>

/* What `path` names, letter case apart, below `directory` unless it begins at the root. false:
 * there is nothing; `found` then has the path as it was looked for. */
bool cc_find_path(const char *directory, const char *path, char found[PATH_MAX]);
/* The directory that `path` lies in, "." for none. */
void cc_directory_of(const char *path, char directory[PATH_MAX]);
/* What follows the last slash. */
const char *cc_name_of(const char *path);

#endif
