/*
 * engine.c - see engine.h.
 *
 * libFuzzer is an archive of clang's: `libclang_rt.fuzzer_no_main`. Its calls of the mutator are weak
 * and find the one of this program, which exports its names.
 */
#include "engine.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vidmm/fuzz.h>

#include "coverage.h"
#include "mutate.h"

#define PATH 4096u
#define MISSING                                                                                    \
    "vidmm fuzz needs clang and its libFuzzer (Debian: the packages clang and libclang-rt-dev; "   \
    "CLANG in the environment names another clang)"

typedef int engine_main(int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));

static engine_main *engine;
static void (*engine_counters)(uint8_t *start, uint8_t *end);

static const char *engine_clang(void) {
    const char *named = getenv("CLANG");
    return named ? named : "clang";
}

/* Runs clang; the first line of what it says goes to `line`, if that is not NULL. */
static bool engine_spawn(char *const words[], char *line, size_t size) {
    posix_spawn_file_actions_t actions;
    int ends[2], status = -1;
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *said = fdopen(ends[0], "r");
    if (error == 0 && said && line && fgets(line, (int)size, said))
        line[strcspn(line, "\n")] = '\0';
    if (said)
        fclose(said);
    return error == 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* A file of clang's own libraries. */
static bool engine_library(const char *name, char *path, size_t size) {
    char clang[PATH], question[128];
    snprintf(clang, sizeof(clang), "%s", engine_clang());
    snprintf(question, sizeof(question), "-print-file-name=%s", name);
    char *const words[] = {clang, question, NULL};
    path[0] = '\0';
    return engine_spawn(words, path, size) && path[0] == '/' && access(path, R_OK) == 0;
}

static bool engine_link(const char *archive, const char *output) {
    char words[9][PATH] = {"",
                           "-shared",
                           "-o",
                           "",
                           "-Wl,--whole-archive",
                           "",
                           "-Wl,--no-whole-archive",
                           "-l:libstdc++.so.6",
                           "-lm"};
    char *list[10] = {NULL};
    snprintf(words[0], PATH, "%s", engine_clang());
    snprintf(words[3], PATH, "%s", output);
    snprintf(words[5], PATH, "%s", archive);
    for (size_t i = 0; i < 9; i++)
        list[i] = words[i];
    return engine_spawn(list, NULL, 0);
}

bool fuzz_engine_load(const char *directory, char *text, size_t size) {
    char archive[PATH], output[PATH];
    void *object = NULL, *change, *main, *counters;
    snprintf(output, sizeof(output), "%s/libfuzzer.so", directory);
    if (!engine_library("libclang_rt.fuzzer_no_main-x86_64.a", archive, sizeof(archive)) &&
        !engine_library("libclang_rt.fuzzer_no_main.a", archive, sizeof(archive))) {
        snprintf(text, size, "%s", MISSING);
        return false;
    }
    if (engine_link(archive, output))
        object = dlopen(output, RTLD_NOW | RTLD_GLOBAL);
    if (!object) {
        snprintf(text, size, "libFuzzer cannot be linked: '%s' makes no shared object of '%s'",
                 engine_clang(), archive);
        return false;
    }
    main = dlsym(object, "LLVMFuzzerRunDriver");
    change = dlsym(object, "LLVMFuzzerMutate");
    counters = dlsym(object, "__sanitizer_cov_8bit_counters_init");
    size_t (*mutate)(uint8_t * data, size_t bytes, size_t most) = NULL;
    memcpy(&engine, &main, sizeof(engine));
    memcpy(&engine_counters, &counters, sizeof(engine_counters));
    memcpy(&mutate, &change, sizeof(mutate));
    fuzz_mutate_with(mutate);
    fuzz_coverage_from(object);
    return engine && mutate;
}

void fuzz_engine_counters(uint8_t *counter, size_t count) {
    if (engine_counters)
        engine_counters(counter, counter + count);
}

int fuzz_engine_run(int argc, char **argv, int (*one)(const uint8_t *data, size_t size)) {
    return engine(&argc, &argv, one);
}

/* ---- The driver's file ----------------------------------------------------------------------- */

static bool file_has(const char *path, const char *word) {
    struct stat about;
    bool found = false;
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    if (fstat(fd, &about) == 0 && about.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            found = memmem(bytes, (size_t)about.st_size, word, strlen(word));
            munmap(bytes, (size_t)about.st_size);
        }
    }
    close(fd);
    return found;
}

bool fuzz_engine_measures(const char *driver_path) {
    return file_has(driver_path, "__sanitizer_cov_");
}

bool vidmm_fuzz_wants_preload(const char *driver_path, char *runtime, size_t size) {
    if (dlsym(RTLD_DEFAULT, "__asan_init") || !file_has(driver_path, "__asan_"))
        return false;
    if (!engine_library("libclang_rt.asan-x86_64.so", runtime, size) &&
        !engine_library("libclang_rt.asan.so", runtime, size))
        runtime[0] = '\0';
    return true;
}
