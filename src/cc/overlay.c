/*
 * overlay.c - see overlay.h.
 */
#include "overlay.h"

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEPTH_MOST 4
#define FILES_MOST 30000 /* of a build; beyond, names are found as they are spelled */

struct overlay {
    json_t *roots;
    struct cc_list seen;
    unsigned files;
};

static void overlay_file(struct overlay *overlay, json_t *contents, const char *name,
                         const char *path) {
    json_t *file =
        json_pack("{s:s, s:s, s:s}", "type", "file", "name", name, "external-contents", path);
    if (file && json_array_append_new(contents, file) == 0) /* NULL: a name that is no UTF-8 */
        overlay->files++;
}

static void overlay_directory(struct overlay *overlay,
                              const char *path, /* NOLINT(misc-no-recursion) */
                              unsigned depth) {
    DIR *directory = cc_list_has(&overlay->seen, path) ? NULL : opendir(path);
    if (!directory)
        return;
    cc_list_add(&overlay->seen, "%s", path);
    json_t *contents = json_array();
    for (struct dirent *entry; (entry = readdir(directory)) && overlay->files < FILES_MOST;) {
        char below[PATH_MAX];
        struct stat status;
        if (entry->d_name[0] == '.' ||
            snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >= (int)sizeof(below) ||
            lstat(below, &status) != 0)
            continue;
        if (S_ISDIR(status.st_mode) && depth < DEPTH_MOST)
            overlay_directory(overlay, below, depth + 1);
        else if (!S_ISDIR(status.st_mode))
            overlay_file(overlay, contents, entry->d_name, below);
    }
    closedir(directory);
    json_t *root =
        json_pack("{s:s, s:s, s:o}", "type", "directory", "name", path, "contents", contents);
    if (root)
        json_array_append_new(overlay->roots, root);
}

bool cc_overlay_write(struct cc_build *build, const struct cc_list *directories, const char *path) {
    struct overlay overlay = {.roots = json_array()};
    for (size_t i = 0; i < directories->count; i++) {
        char real[PATH_MAX];
        if (realpath(directories->word[i], real))
            overlay_directory(&overlay, real, 0);
    }
    json_t *whole = json_pack("{s:i, s:s, s:o}", "version", 0, "case-sensitive", "false", "roots",
                              overlay.roots);
    bool written = whole && json_dump_file(whole, path, 0) == 0;
    json_decref(whole);
    cc_list_free(&overlay.seen);
    return written || cc_stop(build, "cannot write '%s'", path);
}
