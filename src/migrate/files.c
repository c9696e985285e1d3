/*
 * files.c - see files.h.
 */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Where the file system has no rename that replaces nothing, a second name does the same. */
static int rename_new(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    return link(from, to) == 0 ? unlink(from) : -1;
}

static const struct migrate_files system_files = {.write = pwrite,
                                                  .sync = fsync,
                                                  .truncate = ftruncate,
                                                  .rename = rename_new,
                                                  .unlink = unlink,
                                                  .close = close};
static const struct migrate_files *used = &system_files;

void migrate_files_use(const struct migrate_files *files) {
    used = files ? files : &system_files;
}

const struct migrate_files *migrate_files(void) {
    return used;
}

bool migrate_files_write(int fd, const void *bytes, size_t size, off_t at) {
    const uint8_t *from = bytes;
    while (size != 0) {
        ssize_t written = used->write(fd, from, size, at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written == 0)
            errno = ENOSPC;
        if (written <= 0)
            return false;
        from += written;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

bool migrate_files_sync_directory(const char *path) {
    char copy[PATH_MAX];
    snprintf(copy, sizeof(copy), "%s", path);
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = used->sync(fd) == 0;
    int why = errno;
    close(fd);
    errno = why;
    return ok;
}
