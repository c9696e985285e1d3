/*
 * files.h - inputs as files, and the directories that they are in.
 */
#ifndef FUZZ_FILES_H
#define FUZZ_FILES_H

#include "judge.h"

bool fuzz_file_read(const char *path, struct fuzz_bytes *bytes);
/* Whole or not at all. */
bool fuzz_file_write(const char *path, const struct fuzz_bytes *bytes);
/* Makes the directory if it is not there. false: it cannot be listed and written, or a file in it cannot
 * be read; `text` has one sentence. */
bool fuzz_directory_ready(const char *path, char *text, size_t size);
/* With the files in it; no directories are. */
void fuzz_directory_remove(const char *path);
/* Files in it. */
uint32_t fuzz_directory_count(const char *path);

#endif
