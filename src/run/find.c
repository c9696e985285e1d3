/*
 * find.c - a workload by name: path, generator, or shipped recording.
 */
#include <vidmm/run.h>

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Recordings are stored packed, or plain after a user unpacked them. */
static const char *const suffixes[] = {".jsonl.zst", ".jsonl"};
#define SUFFIX_COUNT (sizeof(suffixes) / sizeof(suffixes[0]))

#define DIRECTORIES 4

/* The `index`-th place for recordings into `path`; false: there is none of that number. */
static bool directory_at(unsigned index, char path[PATH_MAX]) {
    if (index == 0) {
        const char *chosen = getenv("VIDMM_WORKLOADS");
        return chosen && snprintf(path, PATH_MAX, "%s", chosen) < PATH_MAX;
    }
    if (index == 3)
        return snprintf(path, PATH_MAX, "%s", VIDMM_INSTALLED_WORKLOADS) < PATH_MAX;
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length <= 0)
        return false;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash)
        return false;
    *slash = '\0';
    const char *below = index == 1 ? "../workloads" : "../share/vidmm/workloads";
    return snprintf(path, PATH_MAX, "%s/%s", self, below) < PATH_MAX;
}

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The file of the shipped recording `name`. */
static bool find_recording(const char *name, char path[PATH_MAX]) {
    if (strchr(name, '/'))
        return false;
    for (unsigned i = 0; i < DIRECTORIES; i++) {
        char directory[PATH_MAX];
        if (!directory_at(i, directory))
            continue;
        for (size_t s = 0; s < SUFFIX_COUNT; s++) {
            if (snprintf(path, PATH_MAX, "%s/%s%s", directory, name, suffixes[s]) < PATH_MAX &&
                is_file(path))
                return true;
        }
    }
    return false;
}

bool vidmm_run_find(const char *name, uint64_t seed, struct vidmm_workload *out,
                    struct vidmm_workload_error *error) {
    size_t count = 0;
    const struct vidmm_generator *generators = vidmm_generators(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(generators[i].name, name) == 0)
            return generators[i].make(seed, out, error);
    }
    char path[PATH_MAX];
    if (find_recording(name, path))
        return vidmm_workload_read(path, out, error);
    if (access(name, F_OK) == 0)
        return vidmm_workload_read(name, out, error);
    memset(error, 0, sizeof(*error));
    snprintf(error->text, sizeof(error->text),
             "'%.150s' is neither a file, a generator nor a shipped recording; see vidmm workloads",
             name);
    return false;
}

/* Length of a recording's name without its suffix; 0: not a recording. */
static size_t stem_length(const char *file) {
    size_t length = strlen(file);
    for (size_t s = 0; s < SUFFIX_COUNT; s++) {
        size_t suffix = strlen(suffixes[s]);
        if (length > suffix && strcmp(file + length - suffix, suffixes[s]) == 0)
            return length - suffix;
    }
    return 0;
}

static int is_recording(const struct dirent *entry) {
    return stem_length(entry->d_name) != 0;
}

/* Recordings of one directory; false when it has none. */
static bool visit_directory(const char *directory, void (*visit)(void *ctx, const char *name),
                            void *ctx) {
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, is_recording, alphasort);
    for (int i = 0; i < count; i++) {
        entries[i]->d_name[stem_length(entries[i]->d_name)] = '\0';
        visit(ctx, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return count > 0;
}

void vidmm_run_each_recording(void (*visit)(void *ctx, const char *name), void *ctx) {
    for (unsigned i = 0; i < DIRECTORIES; i++) {
        char directory[PATH_MAX];
        if (directory_at(i, directory) && visit_directory(directory, visit, ctx))
            return; /* the other places hold the same recordings */
    }
}
