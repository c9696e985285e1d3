/*
 * files.c - see files.h.
 */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATH 4096u
#define TRIES                                                                                      \
    50 /* of removing a directory into which a process that was just killed may still write */
#define NAP_NS 10000000

bool fuzz_file_read(const char *path, struct fuzz_bytes *bytes) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    bytes->size = fread(bytes->byte, 1, sizeof(bytes->byte), file);
    bool good = !ferror(file);
    fclose(file);
    return good;
}

bool fuzz_file_write(const char *path, const struct fuzz_bytes *bytes) {
    char made[PATH];
    snprintf(made, sizeof(made), "%s.new", path);
    FILE *file = fopen(made, "wb");
    if (!file)
        return false;
    bool good = fwrite(bytes->byte, 1, bytes->size, file) == bytes->size;
    good = fclose(file) == 0 && good;
    if (good)
        good = rename(made, path) == 0;
    if (!good)
        unlink(made);
    return good;
}

/* libFuzzer reads each file of a directory; one that cannot be read ends it. */
static bool files_readable(DIR *directory, const char *path, char *text, size_t size) {
    for (struct dirent *entry; (entry = readdir(directory));) {
        struct stat about;
        if (fstatat(dirfd(directory), entry->d_name, &about, 0) == 0 && S_ISREG(about.st_mode) &&
            faccessat(dirfd(directory), entry->d_name, R_OK, 0) != 0) {
            snprintf(text, size, "'%s/%s' cannot be read: %s", path, entry->d_name,
                     strerror(errno));
            return false;
        }
    }
    return true;
}

bool fuzz_directory_ready(const char *path, char *text, size_t size) {
    bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
    DIR *directory = made ? opendir(path) : NULL;
    if (!directory || access(path, W_OK | X_OK) != 0) {
        snprintf(text, size, "the directory '%s' cannot be %s: %s", path,
                 !made       ? "made"
                 : directory ? "written"
                             : "read",
                 strerror(errno));
        if (directory)
            closedir(directory);
        return false;
    }
    bool good = files_readable(directory, path, text, size);
    closedir(directory);
    return good;
}

void fuzz_directory_remove(const char *path) {
    const struct timespec nap = {0, NAP_NS};
    for (int i = 0; i < TRIES; i++) {
        DIR *directory = opendir(path);
        for (struct dirent *entry; directory && (entry = readdir(directory));)
            (void)unlinkat(dirfd(directory), entry->d_name, 0);
        if (directory)
            closedir(directory);
        if (!directory || rmdir(path) == 0)
            return;
        (void)nanosleep(&nap, NULL);
    }
}

uint32_t fuzz_directory_count(const char *path) {
    uint32_t count = 0;
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    if (directory)
        closedir(directory);
    return count;
}
