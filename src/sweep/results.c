/*
 * results.c - see results.h.
 *
 * A result is "EXIT-CODE BYTES", a line's end, so many bytes of report, and then what the run said. It is renamed to
 * RUN.done when it is whole.
 */
#include "results.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vidmm/report.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define RESULT_MOST (64u << 20)
#define RESULT_END  ".done"

void sweep_results_name(const struct sweep_results *results, const char *file,
                        char path[PATH_MAX]) {
    (void)snprintf(path, PATH_MAX, "%s/%s", results->path, file);
}

static bool results_fail(struct sweep *sweep, const char *path, const char *verb) {
    (void)snprintf(sweep->text, sweep->size, "'%s' cannot be %s: %s", path, verb, strerror(errno));
    return false;
}

static bool make_directory(struct sweep *sweep, const char *path) {
    return mkdir(path, 0777) == 0 || errno == EEXIST || results_fail(sweep, path, "made");
}

/* STORE without .db and with .slurm. */
static bool results_place(struct sweep *sweep, char place[PATH_MAX]) {
    const char *store = sweep->options->store;
    char path[PATH_MAX];
    size_t length = strlen(store), cut = strlen(".db");
    if (length > cut && strcmp(store + length - cut, ".db") == 0)
        length -= cut;
    (void)snprintf(path, sizeof(path), "%.*s.slurm", (int)length, store);
    return make_directory(sweep, path) &&
           (realpath(path, place) || results_fail(sweep, path, "read"));
}

bool sweep_results_open(struct sweep_results *results, struct sweep *sweep) {
    char place[PATH_MAX];
    char *identity = sweep_identity(sweep->study);
    if (!identity) {
        (void)snprintf(sweep->text, sweep->size, SWEEP_OUT_OF_MEM);
        return false;
    }
    bool made = results_place(sweep, place);
    if (made) {
        uint64_t hash = XXH3_64bits(identity, strlen(identity));
        hash = XXH3_64bits_withSeed(sweep->options->version, strlen(sweep->options->version), hash);
        hash = XXH3_64bits_withSeed(sweep->options->commit, strlen(sweep->options->commit), hash);
        hash = XXH3_64bits_withSeed(place, strlen(place), hash);
        (void)snprintf(results->id, sizeof(results->id), "%016" PRIx64, hash);
        int length = snprintf(results->path, sizeof(results->path), "%s/%s", place, results->id);
        errno = ENAMETOOLONG;
        made = length < (int)sizeof(results->path) ? make_directory(sweep, results->path)
                                                   : results_fail(sweep, place, "used");
    }
    free(identity);
    return made;
}

bool sweep_results_write(const struct sweep_results *results, struct sweep *sweep, const char *file,
                         const char *content) {
    char path[PATH_MAX];
    sweep_results_name(results, file, path);
    return vidmm_report_file(path, content, sweep->text, sweep->size);
}

/* The content with a zero behind it, which is freed by the caller; NULL: it cannot be read. */
static char *result_read(const char *path, size_t *length) {
    FILE *file = fopen(path, "rbe");
    struct stat about;
    char *content = NULL;
    if (file && fstat(fileno(file), &about) == 0 && about.st_size <= (off_t)RESULT_MOST)
        content = malloc((size_t)about.st_size + 1);
    if (content) {
        *length = fread(content, 1, (size_t)about.st_size, file);
        content[*length] = '\0';
    }
    if (file)
        (void)fclose(file);
    return content;
}

/* Takes a result apart: a wait status, the report (NULL: none) and what the run said. */
static bool result_parse(char *content, size_t length, int *status, char **report, char **said) {
    char *line = strchr(content, '\n'), *end = NULL;
    if (!line)
        return false;
    int64_t code = strtoll(content, &end, 10);
    uint64_t bytes = *end == ' ' ? strtoull(end + 1, &end, 10) : UINT64_MAX;
    size_t head = (size_t)(line - content) + 1;
    if (end != line || code < 0 || code > 255 || bytes > length - head)
        return false;
    *status = code > 128 ? (int)code - 128 : (int)code << 8;
    char *copy = malloc(bytes + 1);
    if (!copy)
        return false;
    memcpy(copy, content + head, bytes);
    copy[bytes] = '\0';
    *report = copy;
    *said = content + head + bytes;
    return true;
}

/* A result that is not whole is dropped: its run is made again. */
static bool collect_one(struct sweep *sweep, const char *path, uint64_t run) {
    size_t length = 0;
    int status = 0;
    char *report = NULL, *said = NULL, *content = result_read(path, &length);
    bool kept = true;
    if (content && !sweep->done[run] && result_parse(content, length, &status, &report, &said)) {
        struct sweep_row row;
        kept = sweep_row_begin(&row, sweep->study, run, sweep->options->version,
                               sweep->options->commit);
        if (kept) {
            sweep_row_end(&row, status, *report != '\0' ? report : NULL, said);
            kept = sweep_keep_row(sweep, &row);
        } else {
            (void)snprintf(sweep->text, sweep->size, SWEEP_OUT_OF_MEM);
        }
    }
    free(report);
    free(content);
    if (kept)
        (void)unlink(path);
    return kept;
}

struct collecting {
    struct sweep *sweep;
    const struct sweep_results *results;
    bool kept;
};

static void collect_file(void *ctx, const char *file) {
    struct collecting *collecting = ctx;
    char *end = NULL, path[PATH_MAX];
    uint64_t run = strtoull(file, &end, 10);
    if (end == file || strcmp(end, RESULT_END) != 0 || !collecting->kept ||
        run >= collecting->sweep->result->runs)
        return;
    sweep_results_name(collecting->results, file, path);
    collecting->kept = collect_one(collecting->sweep, path, run);
}

bool sweep_results_collect(const struct sweep_results *results, struct sweep *sweep) {
    struct collecting collecting = {sweep, results, true};
    sweep_results_each(results, collect_file, &collecting);
    return collecting.kept;
}

void sweep_results_each(const struct sweep_results *results,
                        void (*visit)(void *ctx, const char *file), void *ctx) {
    DIR *directory = opendir(results->path);
    const struct dirent *entry;
    while (directory && (entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            visit(ctx, entry->d_name);
    if (directory)
        (void)closedir(directory);
}

static void remove_file(void *ctx, const char *file) {
    char path[PATH_MAX];
    sweep_results_name(ctx, file, path);
    (void)unlink(path);
}

void sweep_results_remove(const struct sweep_results *results) {
    struct sweep_results copy = *results;
    sweep_results_each(results, remove_file, &copy);
    (void)rmdir(copy.path);
    *strrchr(copy.path, '/') = '\0';
    (void)rmdir(copy.path);
}
