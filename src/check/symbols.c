/*
 * symbols.c - the names of places in the driver: function, file and line, by llvm-symbolizer.
 *
 * It reads DWARF of shared objects and images, and PDB files beside an image. Without it, or
 * without symbols, a place is module and offset. All places are asked for in one process.
 */
#include "stage.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vidmm/printable.h>

#define OFFSET_TEXT 24u
#define ARGUMENTS   4u /* before the offsets */

struct asking {
    const char *driver;
    char (*text)[OFFSET_TEXT];
    char **words;
    uint32_t count;
    struct vidmm_spot **spot;
};

static void name_by_offset(const struct asking *asking) {
    const char *slash = strrchr(asking->driver, '/');
    const char *module = slash ? slash + 1 : asking->driver;
    for (uint32_t i = 0; i < asking->count; i++)
        snprintf(asking->spot[i]->function, sizeof(asking->spot[i]->function), "%.64s+0x%llx",
                 module, (unsigned long long)asking->spot[i]->offset);
}

/* "file:line:column", whose file may have colons. */
static void take_line(struct vidmm_spot *spot, char *text) {
    char *column = strrchr(text, ':'), *line = NULL;
    if (column) {
        *column = 0;
        line = strrchr(text, ':');
    }
    if (!line || strncmp(text, "??", 2) == 0)
        return;
    *line = 0;
    spot->line = (uint32_t)strtoul(line + 1, NULL, 10);
    if (spot->line != 0)
        snprintf(spot->file, sizeof(spot->file), "%.*s", (int)sizeof(spot->file) - 1, text);
}

/* An inline function of the kernel's headers, ours or the WDK's: the driver's line is behind it. */
static bool of_kernel(const struct vidmm_spot *spot) {
    return strstr(spot->file, "/include/wddm/") || strstr(spot->file, "/km/") ||
           strstr(spot->file, "\\km\\");
}

/* Also of a class. */
static bool is_operator_new(const struct vidmm_spot *spot) {
    const char *name = strstr(spot->function, "operator new");
    return name && (name == spot->function || name[-1] == ':');
}

/* For each offset the function and its place, then an empty line. Of inlined functions, the
 * innermost comes first. */
static void read_answers(const struct asking *asking, FILE *answers) {
    char line[1024];
    uint32_t at = 0, row = 0;
    while (at < asking->count && fgets(line, sizeof(line), answers)) {
        struct vidmm_spot *spot = asking->spot[at];
        line[strcspn(line, "\r\n")] = 0;
        vidmm_printable(line, false);
        if (line[0] == 0) {
            at++;
            row = 0;
            continue;
        }
        if (row == 2 && (of_kernel(spot) || is_operator_new(spot)))
            row = 0;
        if (row == 0 && strncmp(line, "??", 2) != 0)
            snprintf(spot->function, sizeof(spot->function), "%.*s",
                     (int)sizeof(spot->function) - 1, line);
        if (row == 1)
            take_line(spot, line);
        row++;
    }
}

static void symbols_ask(const struct asking *asking) {
    int pipes[2];
    pid_t pid = 0;
    posix_spawn_file_actions_t actions;
    if (pipe(pipes) != 0)
        return;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    posix_spawn_file_actions_addclose(&actions, pipes[0]);
    bool started =
        posix_spawnp(&pid, asking->words[0], &actions, NULL, asking->words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    FILE *answers = started ? fdopen(pipes[0], "r") : NULL;
    if (answers) {
        read_answers(asking, answers);
        fclose(answers);
    } else {
        close(pipes[0]);
    }
    if (started)
        (void)waitpid(pid, NULL, 0);
}

/* The driver's operator new is the same place for each object: who made one is behind it. */
static void skip_operator_new(struct vidmm_finding *finding) {
    uint32_t most = finding->places, skip = 0;
    while (skip + 1 < most && is_operator_new(&finding->place[skip]))
        skip++;
    finding->places -= skip;
    memmove(finding->place, finding->place + skip, finding->places * sizeof(finding->place[0]));
}

static void collect_places(struct asking *asking, struct vidmm_ledger *ledger) {
    for (uint32_t i = 0; i < ledger->findings; i++)
        for (uint32_t k = 0; k < ledger->finding[i].places; k++) {
            struct vidmm_spot *spot = &ledger->finding[i].place[k];
            char *text = asking->text[asking->count];
            snprintf(text, OFFSET_TEXT, "0x%llx", (unsigned long long)spot->offset);
            asking->words[ARGUMENTS + asking->count] = text;
            asking->spot[asking->count++] = spot;
        }
}

void vidmm_check_symbols(const char *driver, struct vidmm_ledger *ledger) {
    uint32_t count = 0;
    struct asking asking = {.driver = driver};
    for (uint32_t i = 0; i < ledger->findings; i++)
        count += ledger->finding[i].places;
    if (count == 0)
        return;
    char object[4200];
    snprintf(object, sizeof(object), "--obj=%s", driver);
    asking.text = calloc(count, sizeof(*asking.text));
    asking.words = calloc(count + ARGUMENTS + 1, sizeof(*asking.words));
    asking.spot = calloc(count, sizeof(struct vidmm_spot *));
    if (asking.text && asking.words && asking.spot) {
        const char *words[ARGUMENTS] = {"llvm-symbolizer", object, "--relative-address",
                                        "--demangle"};
        memcpy(asking.words, words, sizeof(words));
        collect_places(&asking, ledger);
        name_by_offset(&asking);
        symbols_ask(&asking);
        for (uint32_t i = 0; i < ledger->findings; i++)
            skip_operator_new(&ledger->finding[i]);
    }
    free(asking.text);
    free(asking.words);
    free(asking.spot);
}
