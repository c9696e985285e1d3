/*
 * sweep.c - makes the runs of a study that its store does not have, as many at a time as it may.
 *
 * Signals are taken one by one where the sweep waits, so that it stops between two rows.
 */
#include <vidmm/stop.h>
#include <vidmm/sweep.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "making.h"
#include "slurm.h"

#define JOBS_MOST 1024u

static double sweep_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void sweep_tell(const struct sweep *sweep) {
    const struct vidmm_sweep_result *result = sweep->result;
    struct vidmm_sweep_progress progress = {result->done, result->runs, result->failed, -1};
    if (!sweep->options->progress)
        return;
    if (result->made != 0)
        progress.seconds_left = (sweep_clock() - sweep->began) / (double)result->made *
                                (double)(result->runs - result->done);
    sweep->options->progress(sweep->options->ctx, &progress);
}

/* Fills free places with the next runs. */
static bool start_more(struct sweep *sweep) {
    for (uint32_t i = 0; i < sweep->jobs; i++) {
        if (sweep->child[i].pid != 0)
            continue;
        while (sweep->next < sweep->result->runs && sweep->done[sweep->next])
            sweep->next++;
        if (sweep->next == sweep->result->runs)
            return true;
        if (!sweep_child_start(&sweep->child[i], sweep->study, sweep->next, sweep->options->version,
                               sweep->options->commit, sweep->text, sweep->size))
            return false;
        sweep->next++;
        sweep->running++;
    }
    return true;
}

bool sweep_keep_row(struct sweep *sweep, struct sweep_row *row) {
    bool kept = sweep_store_add(&sweep->store, row, sweep->text, sweep->size);
    if (kept) {
        sweep->done[row->run] = true;
        sweep->result->done++;
        sweep->result->made++;
        sweep->result->failed += sweep_row_failed(row);
    }
    sweep_row_free(row);
    return kept;
}

static bool sweep_keep(struct sweep *sweep, struct sweep_child *child, int status) {
    sweep_child_end(child, status);
    sweep->running--;
    return sweep_keep_row(sweep, &child->row);
}

/* The rows of the runs that have ended. Only of our own: a caller may have other children. */
static bool sweep_collect(struct sweep *sweep) {
    for (uint32_t i = 0; i < sweep->jobs; i++) {
        struct sweep_child *child = &sweep->child[i];
        int status = 0;
        if (child->pid != 0 && waitpid(child->pid, &status, WNOHANG) == child->pid &&
            !sweep_keep(sweep, child, status))
            return false;
    }
    return true;
}

static bool make_runs(struct sweep *sweep) {
    static const struct timespec second = {.tv_sec = 1};
    while (start_more(sweep)) {
        sweep_tell(sweep);
        if (sweep->running == 0)
            return true;
        int signal = sigtimedwait(&sweep->signals, NULL, &second);
        if (signal > 0 && signal != SIGCHLD) {
            sweep->result->signal = signal;
            return true;
        }
        if (!sweep_collect(sweep))
            return false;
    }
    return false;
}

/* The rows so far as text, too; a sentence about the runs stays. */
static bool write_csv(struct sweep *sweep, bool made) {
    char text[512];
    bool written = sweep_store_csv(&sweep->store, sweep->options->csv, made ? sweep->text : text,
                                   made ? sweep->size : sizeof(text));
    return made && written;
}

void sweep_signals(sigset_t *set) {
    int number;
    sigemptyset(set);
    for (uint32_t i = 0; (number = vidmm_stop_number(i)) != 0; i++)
        sigaddset(set, number);
}

/* The caller's mask comes back; what came and was not taken waits behind it. */
static bool with_signals(struct sweep *sweep) {
    sigset_t before;
    sweep_signals(&sweep->signals);
    sigaddset(&sweep->signals, SIGCHLD);
    (void)signal(SIGCHLD, SIG_DFL); /* ignored, it would take the exit codes */
    (void)sigprocmask(SIG_BLOCK, &sweep->signals, &before);
    bool made = sweep->options->slurm ? sweep_slurm(sweep) : make_runs(sweep);
    for (uint32_t i = 0; i < sweep->jobs; i++)
        sweep_child_kill(&sweep->child[i]);
    bool done = write_csv(sweep, made);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return done;
}

static bool count_done(struct sweep *sweep) {
    struct vidmm_sweep_result *result = sweep->result;
    if (!sweep_store_done(&sweep->store, sweep->done, result->runs, sweep->options->retry,
                          &result->failed, sweep->text, sweep->size))
        return false;
    for (uint64_t i = 0; i < result->runs; i++)
        result->done += sweep->done[i];
    return true;
}

static bool sweep_study(struct sweep *sweep) {
    const struct vidmm_sweep_options *options = sweep->options;
    int64_t processors = sysconf(_SC_NPROCESSORS_ONLN);
    sweep->jobs = options->jobs ? options->jobs : processors > 0 ? (uint32_t)processors : 1;
    sweep->jobs = sweep->jobs < JOBS_MOST ? sweep->jobs : JOBS_MOST;
    sweep->child = calloc(sweep->jobs, sizeof(*sweep->child));
    sweep->done = calloc(sweep->result->runs, sizeof(*sweep->done));
    if (!sweep->child || !sweep->done) {
        (void)snprintf(sweep->text, sweep->size, SWEEP_OUT_OF_MEM);
        return false;
    }
    if (!sweep_store_open(&sweep->store, options->store, sweep->study, options->version,
                          options->commit, sweep->text, sweep->size) ||
        !count_done(sweep))
        return false;
    sweep->began = sweep_clock();
    return with_signals(sweep);
}

bool vidmm_sweep(const struct vidmm_study *study, const struct vidmm_sweep_options *options,
                 struct vidmm_sweep_result *result, char *text, size_t size) {
    struct sweep sweep = {.study = study,
                          .options = options,
                          .result = result,
                          .store = {.lock = -1},
                          .text = text,
                          .size = size};
    *result = (struct vidmm_sweep_result){.runs = vidmm_study_runs(study)};
    if (result->runs > SWEEP_RUNS_MOST) {
        (void)snprintf(text, size, "the study has more than %u runs", SWEEP_RUNS_MOST);
        return false;
    }
    bool done = sweep_study(&sweep);
    sweep_store_close(&sweep.store);
    free(sweep.child);
    free(sweep.done);
    return done;
}

bool vidmm_sweep_failed(const char *path,
                        void (*visit)(void *ctx, const char *command, int64_t code,
                                      const char *sentence),
                        void *ctx, char *text, size_t size) {
    struct sweep_store store;
    sqlite3_stmt *statement = NULL;
    bool done = sweep_store_read(&store, path, text, size);
    if (done && sqlite3_prepare_v2(store.base,
                                   "SELECT command, exit_code, sentence FROM runs WHERE "
                                   "exit_code<>0 ORDER BY run",
                                   -1, &statement, NULL) == SQLITE_OK)
        while (sqlite3_step(statement) == SQLITE_ROW)
            visit(ctx, (const char *)sqlite3_column_text(statement, 0),
                  sqlite3_column_int64(statement, 1),
                  (const char *)sqlite3_column_text(statement, 2));
    sqlite3_finalize(statement);
    sweep_store_close(&store);
    return done;
}
