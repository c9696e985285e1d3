/*
 * identity.c - a study in one line, which its store keeps: another study must not go on there.
 *
 * Files that values name count by their content, so that a policy that was compiled anew is another one.
 */
#include "axes.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* false: it is no file that can be read. */
static bool file_hash(const char *path, uint64_t *hash) {
    char block[65536];
    size_t length;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return false;
    *hash = 0;
    while ((length = fread(block, 1, sizeof(block), file)) > 0)
        *hash = XXH3_64bits_withSeed(block, length, *hash);
    bool read = !ferror(file);
    (void)fclose(file);
    return read;
}

static void put_axis(json_t *axes, json_t *files, const char *name, const struct sweep_axis *axis) {
    json_t *list = json_array();
    for (size_t i = 0; i < axis->count; i++) {
        uint64_t hash = 0;
        char text[20];
        json_array_append_new(list, json_string(axis->value[i]));
        if (axis->setting || !file_hash(axis->value[i], &hash))
            continue;
        (void)snprintf(text, sizeof(text), "%016" PRIx64, hash);
        json_object_set_new(files, axis->value[i], json_string(text));
    }
    json_object_set_new(axes, name, list);
}

char *sweep_identity(const struct vidmm_study *study) {
    json_t *root = json_object(), *settings = json_object(), *files = json_object();
    for (size_t i = 0; i < study->count; i++) {
        const struct sweep_axis *axis = &study->axis[i];
        if (axis->setting)
            put_axis(settings, files, axis->setting, axis);
        else if (axis->count != 0)
            put_axis(root, files, sweep_kinds[i].option, axis);
    }
    json_object_set_new(root, "set", settings);
    json_object_set_new(root, "files", files);
    char *line = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    return line;
}
