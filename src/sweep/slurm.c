/*
 * slurm.c - see slurm.h.
 *
 * A file tasks-N in the results' directory (results.h) has a line for each run, and is written before its job array is
 * submitted with the file's name as comment. Who was stopped in between asks squeue which of them are jobs. Nothing is
 * kept of a job's number. The programs of Slurm are all that is used, with the user's settings (SBATCH_PARTITION, ...).
 */
#include "slurm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <vidmm/stop.h>

#include "ask.h"
#include "results.h"

#define ARRAY_MOST 1000u /* tasks of an array, where Slurm does not say */
#define ASK_EACH   10u   /* seconds between two questions to Slurm */
#define TASKS      "tasks-"

struct slurm {
    struct sweep *sweep;
    struct sweep_results results;
    char name[8 + SWEEP_ID_SIZE]; /* of its jobs */
    bool *submitted;              /* of each run: a job has it */
    uint32_t per_task;
    uint64_t array_most, files; /* tasks of an array; the next number of a file */
};

/* What one task does. $1: the directory, $2: its file of lines, $3: lines of a task, $4: vidmm, $5: its version. A run
 * that a signal from outside ended has no result, and is submitted again by the next sweep. */
static const char task_script[] =
    "#!/bin/sh\n"
    "[ \"$(\"$4\" --version)\" = \"$5\" ] || exit 3\n"
    "first=$((SLURM_ARRAY_TASK_ID * $3 + 1))\n"
    "sed -n \"$first,$((first + $3 - 1))p\" \"$2\" | while read -r run words; do\n"
    "    at=$1/$run.${SLURM_JOB_ID:-0}\n"
    "    eval \"\\\"\\$4\\\" run --quiet --json - $words\" </dev/null >\"$at.report\" "
    "2>\"$at.said\"\n"
    "    code=$?\n"
    "    case $code in\n"
    "    129 | 130 | 137 | 143) ;;\n"
    "    *)\n"
    "        { echo \"$code $(($(wc -c <\"$at.report\")))\" && cat \"$at.report\" \"$at.said\"; } "
    ">\"$at.whole\" &&\n"
    "            mv \"$at.whole\" \"$1/$run.done\"\n"
    "        ;;\n"
    "    esac\n"
    "    rm -f \"$at.report\" \"$at.said\" \"$at.whole\"\n"
    "done\n";

static bool slurm_refuse(struct slurm *slurm, const char *program, const char *said) {
    (void)snprintf(slurm->sweep->text, slurm->sweep->size, "%s: %.*s", program,
                   (int)strcspn(said, "\n"), said);
    return false;
}

static void ask_array_size(struct slurm *slurm) {
    static const char *const words[] = {"scontrol", "show", "config", NULL};
    char said[32768];
    const char *found = sweep_ask(words, said, sizeof(said)) ? strstr(said, "MaxArraySize") : NULL;
    uint64_t most = found ? strtoull(found + strcspn(found, "0123456789\n"), NULL, 10) : 0;
    slurm->array_most = most != 0 ? most : ARRAY_MOST; /* the highest index is one less */
}

/* ---- What is under way ----------------------------------------------------------------------- */

/* The runs of a file of tasks have a job. */
static void mark_submitted(struct slurm *slurm, const char *file) {
    char path[PATH_MAX], *line = NULL, *end = NULL;
    size_t room = 0;
    sweep_results_name(&slurm->results, file, path);
    FILE *stream = strchr(file, '/') ? NULL : fopen(path, "re");
    while (stream && getline(&line, &room, stream) > 0) {
        uint64_t run = strtoull(line, &end, 10);
        if (end != line && run < slurm->sweep->result->runs)
            slurm->submitted[run] = true;
    }
    if (stream)
        (void)fclose(stream);
    free(line);
}

/* Asks for the jobs of this sweep; `alive`: there are some. */
static bool ask_jobs(struct slurm *slurm, bool *alive) {
    char name[64], *said = malloc(1u << 20), *rest = said;
    const char *const words[] = {"squeue", "--noheader", name, "--format=%k", NULL};
    (void)snprintf(name, sizeof(name), "--name=%s", slurm->name);
    bool asked = said && sweep_ask(words, said, 1u << 20);
    if (!asked)
        (void)slurm_refuse(slurm, "squeue", said ? said : SWEEP_OUT_OF_MEM);
    *alive = false;
    for (char *word; asked && (word = strsep(&rest, "\n"));) {
        *alive |= *word != '\0';
        if (strncmp(word, TASKS, strlen(TASKS)) == 0)
            mark_submitted(slurm, word);
    }
    free(said);
    return asked;
}

static void count_file(void *ctx, const char *file) {
    struct slurm *slurm = ctx;
    if (strncmp(file, TASKS, strlen(TASKS)) != 0)
        return;
    uint64_t number = strtoull(file + strlen(TASKS), NULL, 10);
    slurm->files = number >= slurm->files ? number + 1 : slurm->files;
}

/* ---- Submission ------------------------------------------------------------------------------ */

/* The words of a run behind `vidmm run`, for a shell. */
static bool put_line(struct slurm *slurm, FILE *out, uint64_t run) {
    struct sweep *sweep = slurm->sweep;
    struct sweep_row row;
    if (!sweep_row_begin(&row, sweep->study, run, sweep->options->version,
                         sweep->options->commit)) {
        (void)snprintf(sweep->text, sweep->size, SWEEP_OUT_OF_MEM);
        return false;
    }
    const char *words = row.cell[sweep_column("command")].text + strlen("vidmm run");
    bool fits = !strchr(words, '\n');
    if (fits)
        (void)fprintf(out, "%" PRIu64 "%s\n", run, words);
    else
        (void)snprintf(sweep->text, sweep->size,
                       "a value of run %" PRIu64 " has a line's end, which --slurm cannot pass on",
                       run);
    sweep_row_free(&row);
    return fits;
}

static bool submit_file(struct slurm *slurm, const char *file, uint64_t runs) {
    const struct vidmm_sweep_options *options = slurm->sweep->options;
    char name[64], comment[64], array[64], script[PATH_MAX], tasks[PATH_MAX], per_task[16],
        program[PATH_MAX], version[128], said[1024];
    (void)snprintf(name, sizeof(name), "--job-name=%s", slurm->name);
    (void)snprintf(comment, sizeof(comment), "--comment=%s", file);
    (void)snprintf(array, sizeof(array), "--array=0-%" PRIu64, (runs - 1) / slurm->per_task);
    (void)snprintf(per_task, sizeof(per_task), "%" PRIu32, slurm->per_task);
    (void)snprintf(version, sizeof(version),
                   *options->commit != '\0' ? "vidmm %s (%s)" : "vidmm %s", options->version,
                   options->commit);
    sweep_results_name(&slurm->results, "task.sh", script);
    sweep_results_name(&slurm->results, file, tasks);
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[length > 0 ? length : 0] = '\0';
    const char *const words[] = {
        "sbatch", "--parsable",        name,  comment,  array,   "--output=/dev/null",
        script,   slurm->results.path, tasks, per_task, program, version,
        NULL};
    return sweep_ask(words, said, sizeof(said)) || slurm_refuse(slurm, "sbatch", said);
}

/* The next runs that nobody makes as a file and an array; `more`: there was one at least. */
static bool submit_array(struct slurm *slurm, bool *more) {
    struct sweep *sweep = slurm->sweep;
    char file[40], *content = NULL;
    size_t length = 0;
    uint64_t runs = 0, first = sweep->next;
    FILE *out = open_memstream(&content, &length);
    bool written = out;
    for (;
         written && sweep->next < sweep->result->runs && runs < slurm->array_most * slurm->per_task;
         sweep->next++) {
        if (sweep->done[sweep->next] || slurm->submitted[sweep->next])
            continue;
        written = put_line(slurm, out, sweep->next);
        runs++;
    }
    written = out && fclose(out) == 0 && written;
    (void)snprintf(file, sizeof(file), TASKS "%" PRIu64, slurm->files++);
    *more = runs != 0;
    bool submitted =
        written && (runs == 0 || (sweep_results_write(&slurm->results, sweep, file, content) &&
                                  submit_file(slurm, file, runs)));
    for (uint64_t run = first; submitted && run < sweep->next; run++)
        slurm->submitted[run] = true;
    free(content);
    return submitted;
}

static bool submit_missing(struct slurm *slurm) {
    bool more = true;
    while (more)
        if (!submit_array(slurm, &more))
            return false;
    return true;
}

/* ---- Following ------------------------------------------------------------------------------- */

/* Sleeps a second; true: a signal came. */
static bool slurm_rest(struct slurm *slurm) {
    static const struct timespec second = {.tv_sec = 1};
    sigset_t ends;
    sweep_signals(&ends);
    int signal = sigtimedwait(&ends, NULL, &second);
    if (signal > 0)
        slurm->sweep->result->signal = signal;
    return signal > 0;
}

/* Whatever Slurm cannot answer for a while is asked again. */
static bool slurm_follow(struct slurm *slurm) {
    struct sweep *sweep = slurm->sweep;
    bool alive = true;
    for (uint32_t seconds = 1; sweep->result->done < sweep->result->runs; seconds++) {
        bool last = !alive;
        sweep_tell(sweep);
        if (slurm_rest(slurm))
            return true;
        if (!sweep_results_collect(&slurm->results, sweep))
            return false;
        if (last)
            return true;
        if (seconds % ASK_EACH == 0 && !ask_jobs(slurm, &alive))
            alive = true;
    }
    return true;
}

static bool slurm_all(struct slurm *slurm) {
    struct sweep *sweep = slurm->sweep;
    bool alive;
    if (!sweep_results_open(&slurm->results, sweep) ||
        !sweep_results_collect(&slurm->results, sweep))
        return false;
    (void)snprintf(slurm->name, sizeof(slurm->name), "vidmm-%s", slurm->results.id);
    sweep_results_each(&slurm->results, count_file, slurm);
    if (sweep->result->done < sweep->result->runs) {
        if (!ask_jobs(slurm, &alive) || !sweep_results_collect(&slurm->results, sweep) ||
            !sweep_results_write(&slurm->results, sweep, "task.sh", task_script))
            return false;
        ask_array_size(slurm);
        if (!submit_missing(slurm) || !slurm_follow(slurm))
            return false;
    }
    if (sweep->result->done == sweep->result->runs)
        sweep_results_remove(&slurm->results);
    return true;
}

bool sweep_slurm(struct sweep *sweep) {
    struct slurm slurm = {.sweep = sweep,
                          .per_task =
                              sweep->options->runs_per_task ? sweep->options->runs_per_task : 1};
    slurm.submitted = calloc(sweep->result->runs, sizeof(*slurm.submitted));
    if (!slurm.submitted) {
        (void)snprintf(sweep->text, sweep->size, SWEEP_OUT_OF_MEM);
        return false;
    }
    bool done = slurm_all(&slurm);
    free(slurm.submitted);
    return done;
}
