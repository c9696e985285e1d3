/*
 * missing.c - see missing.h.
 */
#include "missing.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define ERRORS_SHOWN 40

static struct cc_missing_name *missing_find(const struct cc_missing *missing, enum cc_kind kind,
                                            const char *name) {
    for (size_t i = 0; i < missing->count; i++) {
        if (missing->names[i].kind == kind && strcmp(missing->names[i].name, name) == 0)
            return &missing->names[i];
    }
    return NULL;
}

bool cc_missing_has(const struct cc_missing *missing, enum cc_kind kind, const char *name) {
    return missing_find(missing, kind, name);
}

void cc_missing_add(struct cc_missing *missing, enum cc_kind kind, const char *name,
                    const char *place) {
    struct cc_missing_name *there = missing_find(missing, kind, name);
    if (there) {
        there->uses++;
        return;
    }
    if (missing->count == missing->room) {
        size_t room = missing->room ? missing->room * 2 : 32;
        struct cc_missing_name *grown = realloc(missing->names, room * sizeof(*grown));
        missing->failed |= !grown;
        if (!grown)
            return;
        missing->names = grown;
        missing->room = room;
    }
    struct cc_missing_name added = {kind, strdup(name), strdup(place), 1};
    if (added.name && added.place) {
        missing->names[missing->count++] = added;
        return;
    }
    free(added.name);
    free(added.place);
    missing->failed = true;
}

void cc_missing_free(struct cc_missing *missing) {
    for (size_t i = 0; i < missing->count; i++) {
        free(missing->names[i].name);
        free(missing->names[i].place);
    }
    free(missing->names);
    cc_list_free(&missing->errors);
    cc_list_free(&missing->files);
    *missing = (struct cc_missing){0};
}

/* Whether the line has `name` as a whole word. */
static bool line_has(const char *line, const char *name, size_t length) {
    for (const char *at = line; (at = strstr(at, name)); at++) {
        bool begins = at == line || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool ends = !(isalnum((unsigned char)at[length]) || at[length] == '_');
        if (begins && ends)
            return true;
    }
    return false;
}

static bool file_has(const char *directory, const char *file, const char *name) {
    char path[4096], line[1024];
    snprintf(path, sizeof(path), "%s/%s", directory, file);
    FILE *stream = fopen(path, "r");
    bool has = false;
    while (stream && !has && fgets(line, sizeof(line), stream))
        has = line_has(line, name, strlen(name));
    if (stream)
        fclose(stream);
    return has;
}

/* A header of the contract that speaks of the name; "" for none. */
static void header_with(const char *headers, const char *name, char found[256]) {
    DIR *directory = opendir(headers);
    const char *dot = strrchr(name, '.');
    found[0] = '\0';
    for (struct dirent *entry; directory && !found[0] && (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name);
        if (length > 2 && strcmp(entry->d_name + length - 2, ".h") == 0 &&
            file_has(headers, entry->d_name, dot ? dot + 1 : name))
            snprintf(found, 256, "%s", entry->d_name);
    }
    if (directory)
        closedir(directory);
}

static void print_advice(const struct cc_missing_name *name, const char *headers, FILE *out) {
    char header[256] = "";
    if (name->kind == CC_HEADER)
        fputs("name its directory with -I; of the WDK's headers vidmm has no such one", out);
    else if (name->kind == CC_SYMBOL)
        fputs("add the source or the project that defines it; it is no kernel function of vidmm",
              out);
    else
        header_with(headers, name->name, header);
    if (header[0])
        fprintf(out, "%s has it: include that one, or define a newer DXGKDDI_INTERFACE_VERSION",
                header);
    else if (name->kind > CC_HEADER && name->kind < CC_SYMBOL)
        fputs("declare it in a header of yours, given with -include", out);
}

/* What only the linker misses is in no file that does not compile. */
static void print_count(const struct cc_missing *missing, FILE *out) {
    size_t names = missing->count, files = missing->files.count;
    if (names == 0)
        return;
    fprintf(out, "%zu %s missing", names, names == 1 ? "name is" : "names are");
    if (files > 0)
        fprintf(out, " in %zu file%s", files, files == 1 ? "" : "s");
    fputs(":\n", out);
}

void cc_missing_print(const struct cc_missing *missing, const char *headers, FILE *out) {
    static const char *const kinds[] = {"header", "type", "function", "name", "member", "symbol"};
    print_count(missing, out);
    for (int kind = CC_HEADER; kind <= CC_SYMBOL; kind++) {
        for (size_t i = 0; i < missing->count; i++) {
            const struct cc_missing_name *name = &missing->names[i];
            if ((int)name->kind != kind)
                continue;
            fprintf(out, "  %-8s %s  (%s%s%u)\n           ", kinds[kind], name->name, name->place,
                    name->place[0] ? ", uses: " : "uses: ", name->uses);
            print_advice(name, headers, out);
            fputc('\n', out);
        }
    }
    for (size_t i = 0; i < missing->errors.count && i < ERRORS_SHOWN; i++)
        fprintf(out, "%s\n", missing->errors.word[i]);
    if (missing->errors.count > ERRORS_SHOWN)
        fprintf(out, "and %zu further errors\n", missing->errors.count - ERRORS_SHOWN);
}
