/*
 * files.h - what journals and files of a migration ask of the system, in a table: tests put one in
 * its place whose calls fail.
 */
#ifndef VIDMM_MIGRATE_FILES_H
#define VIDMM_MIGRATE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* As the system's functions of these names: -1 and errno. */
struct migrate_files {
    ssize_t (*write)(int fd, const void *bytes, size_t size, off_t at);
    int (*sync)(int fd);
    int (*truncate)(int fd, off_t size);
    int (*rename)(const char *from, const char *to); /* replaces nothing */
    int (*unlink)(const char *path);
    int (*close)(int fd);
};

/* NULL: the system's again. */
void migrate_files_use(const struct migrate_files *files);
const struct migrate_files *migrate_files(void);

/* Writes everything, from `at` on. false: errno says why not. */
bool migrate_files_write(int fd, const void *bytes, size_t size, off_t at);
/* The names in the directory of `path` are on the disk. */
bool migrate_files_sync_directory(const char *path);

#endif
