/*
 * compile.c - see compile.h.
 *
 * A header that is not found ends clang's reading of a file. So that the names behind it are found
 * as well, an empty one takes its place and the file is compiled again; the header stays missing.
 */
#include "compile.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "instrument.h"
#include "messages.h"
#include "overlay.h"
#include "paths.h"
#include "runner.h"
#include "toolchain.h"
#include "workspace.h"
#include "wpp.h"

#define TRIES_MOST 64 /* missing headers of one file */
#define SCAN_DEPTH 2  /* directories in each other that are searched for control comments */

struct unit {
    struct cc_build *build;
    struct cc_missing *missing;
    struct cc_list traces[CC_PROJECTS + 1]; /* of each project, WPP's functions */
    char overlay[PATH_MAX];
    char empty[PATH_MAX]; /* the directory of empty headers */
};

static bool make_directory(struct cc_build *build, char path[PATH_MAX], const char *name) {
    return cc_workspace_path(build, path, "%s", name) &&
           (mkdir(path, 0700) == 0 || cc_stop(build, "cannot make the directory '%s'", path));
}

/* The directories in which headers may be named in another case. */
static bool write_overlay(struct unit *unit) {
    struct cc_build *build = unit->build;
    struct cc_list directories = {0};
    cc_list_add(&directories, "%s", build->headers);
    cc_list_add(&directories, "%s", build->run_time);
    for (unsigned i = 0; i <= build->projects; i++)
        cc_list_add_all(&directories, &build->settings[i].includes);
    for (size_t i = 0; i < build->sources.count; i++) {
        char directory[PATH_MAX];
        cc_directory_of(build->sources.word[i], directory);
        if (!cc_list_has(&directories, directory))
            cc_list_add(&directories, "%s", directory);
    }
    bool written = cc_workspace_path(build, unit->overlay, "overlay.json") &&
                   cc_overlay_write(build, &directories, unit->overlay);
    cc_list_free(&directories);
    return written;
}

static void scan_directory(const char *path, unsigned depth, /* NOLINT(misc-no-recursion) */
                           struct cc_list *functions) {
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char below[PATH_MAX];
        const char *dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.' ||
            snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >= (int)sizeof(below))
            continue;
        if (entry->d_type == DT_DIR && depth > 0)
            scan_directory(below, depth - 1, functions);
        if (dot && (strcasecmp(dot, ".h") == 0 || strcasecmp(dot, ".hxx") == 0))
            cc_wpp_scan(below, functions);
    }
    if (directory)
        closedir(directory);
}

/* The functions of a project: those of its options, its configuration and its headers. */
static void scan_traces(struct unit *unit, unsigned index) {
    const struct cc_settings *settings = &unit->build->settings[index];
    struct cc_list *functions = &unit->traces[index];
    cc_list_add(functions, "DoTraceMessage");
    for (size_t i = 0; i < settings->traces.count; i++)
        cc_list_add_bytes(functions, settings->traces.word[i],
                          strcspn(settings->traces.word[i], "({"));
    for (size_t i = 0; i < settings->configs.count; i++)
        cc_wpp_scan(settings->configs.word[i], functions);
    for (size_t i = 0; i < settings->includes.count; i++)
        scan_directory(settings->includes.word[i], SCAN_DEPTH, functions);
    for (size_t i = 0; i < unit->build->sources.count; i++) {
        char directory[PATH_MAX];
        if (unit->build->settings_of[i] != index)
            continue;
        cc_wpp_scan(unit->build->sources.word[i], functions);
        cc_directory_of(unit->build->sources.word[i], directory);
        if (!cc_list_has(&settings->includes, directory))
            scan_directory(directory, SCAN_DEPTH, functions);
    }
}

static void add_settings(struct cc_list *words, const struct cc_settings *settings) {
    for (size_t i = 0; i < settings->includes.count; i++) {
        char real[PATH_MAX];
        cc_list_add(words, "-I%s",
                    realpath(settings->includes.word[i], real) ? real : settings->includes.word[i]);
    }
    for (size_t i = 0; i < settings->defines.count; i++)
        cc_list_add(words, "-D%s", settings->defines.word[i]);
    for (size_t i = 0; i < settings->forced.count; i++) {
        cc_list_add(words, "-include");
        cc_list_add(words, "%s", settings->forced.word[i]);
    }
}

/* An empty header in the place of one that is not there. */
static bool provide_header(struct unit *unit, const char *header) {
    char path[PATH_MAX], name[256];
    snprintf(name, sizeof(name), "%s", header);
    for (char *c = name; *c; c++) {
        *c = *c == '\\' ? '/' : *c;
        if (*c != '/')
            continue;
        char save = *c;
        *c = '\0';
        if (c > name && strcmp(name, "..") != 0 &&
            snprintf(path, sizeof(path), "%s/%s", unit->empty, name) < (int)sizeof(path))
            (void)mkdir(path, 0700);
        *c = save;
    }
    struct stat status;
    return !strstr(name, "..") && cc_workspace_path(unit->build, path, "empty/%s", name) &&
           stat(path, &status) != 0 && cc_workspace_write(unit->build, path, "\n");
}

static void source_words(const struct unit *unit, size_t index, const char *source,
                         const char *traces, struct cc_list *words) {
    const struct cc_build *build = unit->build;
    cc_toolchain_words(build, source, words);
    cc_list_add(words, "-ivfsoverlay");
    cc_list_add(words, "%s", unit->overlay);
    cc_list_add(words, "-I%s", traces);
    add_settings(words, &build->settings[build->settings_of[index]]);
    cc_instrument_words(build, index, words);
    cc_list_add(words, "-I%s", build->headers);
    cc_list_add(words, "-I%s/compat", build->headers);
    cc_list_add(words, "-I%s", build->run_time);
    cc_list_add(words, "-I%s", unit->empty);
}

/* int8_t is char in the source and signed char in stdint.h (crt/stdint.h). */
static bool has_own_int8(const char *messages) {
    return strstr(messages, "typedef redefinition with different types ('char' vs 'int8_t'") ||
           strstr(messages,
                  "typedef redefinition with different types ('signed char' vs 'char')") ||
           strstr(messages, "typedef redefinition with different types ('char' vs 'signed char')");
}

/* false: it has errors, or cannot be compiled at all (build->text). */
static bool run_compiler(struct unit *unit, size_t index, struct cc_list *words) {
    struct cc_build *build = unit->build;
    int code = 1;
    for (unsigned i = 0; i < TRIES_MOST; i++) {
        char *messages, header[256] = "";
        code = cc_spawn(words, &messages);
        if (code == -1)
            cc_stop(build, "%s cannot be run", build->compiler);
        if (code > 0 && messages && has_own_int8(messages) &&
            !cc_list_has(words, "-DWDDM_OWN_INT8")) {
            cc_list_add(words, "-DWDDM_OWN_INT8");
            free(messages);
            continue;
        }
        if (code > 0 && messages)
            cc_messages_take(unit->missing, build->sources.word[index], messages, header);
        free(messages);
        if (!header[0] || !provide_header(unit, header))
            break;
    }
    return code == 0;
}

static bool compile_source(struct unit *unit, size_t index, struct cc_list *objects) {
    struct cc_build *build = unit->build;
    char source[PATH_MAX], traces[PATH_MAX], object[PATH_MAX], name[32];
    snprintf(name, sizeof(name), "tmh%zu", index);
    if (!realpath(build->sources.word[index], source))
        return cc_stop(build, "the source '%s' is not there", build->sources.word[index]);
    if (!make_directory(build, traces, name) || !cc_workspace_path(build, object, "%zu.o", index) ||
        !cc_wpp_write(build, source, &unit->traces[build->settings_of[index]], traces))
        return false;
    struct cc_list words = {0};
    source_words(unit, index, source, traces, &words);
    cc_list_add(&words, "-c");
    cc_list_add(&words, "%s", source);
    cc_list_add(&words, "-o");
    cc_list_add(&words, "%s", object);
    if (run_compiler(unit, index, &words))
        cc_list_add(objects, "%s", object);
    cc_list_free(&words);
    return !build->text[0];
}

bool cc_compile(struct cc_build *build, struct cc_missing *missing, struct cc_list *objects) {
    struct unit unit = {.build = build, .missing = missing};
    bool possible = make_directory(build, unit.empty, "empty") && write_overlay(&unit);
    for (unsigned i = 0; possible && i <= build->projects; i++)
        scan_traces(&unit, i);
    for (size_t i = 0; possible && i < build->sources.count; i++)
        possible = compile_source(&unit, i, objects);
    for (unsigned i = 0; i <= build->projects; i++)
        cc_list_free(&unit.traces[i]);
    return possible;
}
