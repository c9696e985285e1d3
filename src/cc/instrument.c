/*
 * instrument.c - see instrument.h.
 *
 * -fsanitize=address: the kernel's kind, which calls a function before each access instead of
 * reading the run time's shadow inline, and needs no run time of Windows. The stack is watched, too.
 * The run time of Linux checks; it has to be in the process.
 */
#include "instrument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paths.h"
#include "runner.h"

#define SANITIZE "-fsanitize="

static const char *flag_sanitizers(const char *flag) {
    return strncmp(flag, SANITIZE, strlen(SANITIZE)) == 0 ? flag + strlen(SANITIZE) : NULL;
}

static bool sanitizes(const struct cc_build *build, const char *kind) {
    bool found = false;
    for (size_t i = 0; i < build->flags.count; i++) {
        const char *kinds = flag_sanitizers(build->flags.word[i]);
        struct cc_list parts = {0};
        if (kinds)
            cc_list_add_parts(&parts, kinds, ',');
        found = found || cc_list_has(&parts, kind);
        cc_list_free(&parts);
    }
    return found;
}

static bool covers(const struct cc_build *build) {
    return cc_list_has(&build->flags, "--coverage") || cc_list_has(&build->flags, "-coverage");
}

/* 0x7fff8000 is where the run time of x86-64 Linux has its shadow. */
static void address_words(struct cc_list *words) {
    static const char *const flags[] = {"-fsanitize=kernel-address",
                                        "-fsanitize-recover=kernel-address", NULL};
    static const char *const passes[] = {"-asan-instrumentation-with-call-threshold=0",
                                         "-asan-mapping-offset=0x7fff8000",
                                         "-asan-stack=1",
                                         "-asan-globals=0",
                                         "-asan-instrument-dynamic-allocas=0",
                                         NULL};
    for (size_t i = 0; flags[i]; i++) {
        cc_list_add(words, "-Xclang");
        cc_list_add(words, "%s", flags[i]);
    }
    for (size_t i = 0; passes[i]; i++) {
        cc_list_add(words, "-mllvm");
        cc_list_add(words, "%s", passes[i]);
    }
    cc_list_add(words, "-fno-omit-frame-pointer");
}

/* A flag with kinds of sanitizers, without the one that is made by other words. */
static void add_other_sanitizers(const char *kinds, struct cc_list *words) {
    struct cc_list parts = {0};
    cc_list_add_parts(&parts, kinds, ',');
    for (size_t i = 0; i < parts.count; i++) {
        if (strcmp(parts.word[i], "address") != 0)
            cc_list_add(words, SANITIZE "%s", parts.word[i]);
    }
    cc_list_free(&parts);
}

static bool absolute_of(const char *path, char absolute[PATH_MAX]) {
    char directory[PATH_MAX], real[PATH_MAX];
    cc_directory_of(path, directory);
    return realpath(directory, real) &&
           snprintf(absolute, PATH_MAX, "%s/%s", real, cc_name_of(path)) < PATH_MAX;
}

/* Beside the driver: OUT.SOURCE.gcno and .gcda, with the source's number where names are equal. */
static void coverage_words(const struct cc_build *build, size_t index, struct cc_list *words) {
    static const char *const kinds[][2] = {{"notes", "gcno"}, {"data", "gcda"}};
    char output[PATH_MAX], number[24] = "";
    const char *source = cc_name_of(build->sources.word[index]);
    for (size_t i = 0; i < index; i++) {
        if (strcmp(cc_name_of(build->sources.word[i]), source) == 0)
            snprintf(number, sizeof(number), ".%zu", index);
    }
    if (!absolute_of(build->options->output, output))
        return;
    cc_list_add(words, "-Xclang");
    cc_list_add(words, "-coverage-version=408*"); /* which crt/instrument/coverage.c writes */
    for (size_t i = 0; i < 2; i++) {
        cc_list_add(words, "-Xclang");
        cc_list_add(words, "-coverage-%s-file=%s.%s%s.%s", kinds[i][0], output, source, number,
                    kinds[i][1]);
    }
}

void cc_instrument_words(const struct cc_build *build, size_t index, struct cc_list *words) {
    for (size_t i = 0; i < build->flags.count; i++) {
        const char *kinds = flag_sanitizers(build->flags.word[i]);
        if (kinds)
            add_other_sanitizers(kinds, words);
        else
            cc_list_add(words, "%s", build->flags.word[i]);
    }
    /* Of Microsoft's compiler an enumeration has every value of its integer. */
    cc_list_add(words, "-fno-sanitize=enum");
    cc_instrument_run_time_words(build, words);
    if (covers(build))
        coverage_words(build, index, words);
}

void cc_instrument_run_time_words(const struct cc_build *build, struct cc_list *words) {
    if (sanitizes(build, "address"))
        address_words(words);
}

bool cc_instrument_needs(const struct cc_build *build, const char *source) {
    if (strcmp(source, "address.c") == 0)
        return sanitizes(build, "address");
    return strcmp(source, "coverage.c") != 0 || covers(build);
}

bool cc_instrument_has(const char *name) {
    return strncmp(name, "__asan_", strlen("__asan_")) == 0;
}

/* A file of clang's own libraries, as clang names it. */
static bool find_library(const struct cc_build *build, const char *name, char path[PATH_MAX]) {
    char command[PATH_MAX], *end;
    snprintf(command, sizeof(command), "-print-file-name=%s", name);
    struct cc_list words = {0};
    char *answer = NULL;
    cc_list_add(&words, "%s", build->compiler);
    cc_list_add(&words, "%s", command);
    bool found = cc_spawn(&words, &answer) == 0 && answer && answer[0] == '/';
    if (found) {
        snprintf(path, PATH_MAX, "%s", answer);
        if ((end = strchr(path, '\n')))
            *end = '\0';
    }
    free(answer);
    cc_list_free(&words);
    return found;
}

void cc_instrument_tell(const struct cc_build *build) {
    FILE *report = build->options->report;
    char library[PATH_MAX];
    if (sanitizes(build, "address"))
        fprintf(
            report, "the sanitizer's run time checks the driver: LD_PRELOAD=%s vidmm check %s\n",
            find_library(build, "libclang_rt.asan-x86_64.so", library) ? library : "libasan.so.8",
            build->options->output);
    if (covers(build))
        fprintf(report, "after a run: llvm-cov gcov %s.*.gcda\n", build->options->output);
}
