/*
 * job.c - see job.h.
 *
 * A finding that does not end the process is written when it is new to it, and the search goes on; the
 * input of one that ends it is still in the shared memory. The campaign judges both again.
 */
#include "job.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

#include <vidmm/watch.h>

#include "behaviour.h"
#include "constants.h"
#include "engine.h"
#include "files.h"
#include "mutate.h"
#include "play.h"

#define ARGUMENTS 40
#define WORD      4200u

static struct {
    const struct fuzz_job *job;
    struct vidmm_ledger *ledger;
    bool measures;
    uint32_t restarts;
} running;

void fuzz_job_file(const struct fuzz_job *job, uint32_t index, char *path, size_t size) {
    snprintf(path, size, "%s/found-%u-%u", job->work, job->number, index);
}

/* The count grows when the file is whole. */
static void job_write(const struct fuzz_job *job, const struct fuzz_bytes *bytes) {
    char path[WORD];
    fuzz_job_file(job, job->shared->found, path, sizeof(path));
    FILE *file = fopen(path, "wb");
    if (!file)
        return;
    bool whole = fwrite(bytes->byte, 1, bytes->size, file) == bytes->size;
    if (fclose(file) == 0 && whole)
        __atomic_fetch_add(&job->shared->found, 1, __ATOMIC_RELEASE);
}

/* ---- Inputs that end the process -------------------------------------------------------------- */

/* FNV-1a. */
static uint64_t job_number(const struct fuzz_bytes *bytes) {
    uint64_t number = 14695981039346656037u;
    for (size_t i = 0; i < bytes->size; i++)
        number = (number ^ bytes->byte[i]) * 1099511628211u;
    return number;
}

static void job_ended(struct fuzz_shared *shared, const struct fuzz_bytes *bytes) {
    shared->ended_as[shared->ended++ % FUZZ_ENDED] = job_number(bytes);
}

/* Each process begins with the corpus, and would end at the same input. */
static bool job_leaves_out(const struct fuzz_shared *shared, const struct fuzz_bytes *bytes) {
    uint64_t number = shared->ended != 0 ? job_number(bytes) : 0;
    for (uint32_t i = 0; i < shared->ended && i < FUZZ_ENDED; i++)
        if (shared->ended_as[i] == number)
            return true;
    return false;
}

/* ---- In the driver's process ----------------------------------------------------------------- */

static int job_one(const uint8_t *data, size_t size) {
    struct fuzz_shared *shared = running.job->shared;
    struct fuzz_input input;
    char text[512];
    shared->now.size = size < FUZZ_MOST ? size : FUZZ_MOST;
    memcpy(shared->now.byte, data, shared->now.size);
    uint32_t before = running.ledger->findings;
    fuzz_input_read(&input, shared->now.byte, shared->now.size);
    if (job_leaves_out(shared, &shared->now))
        input.count = 0; /* libFuzzer does not go on without an input that covers something */
    (void)fuzz_play(running.job->options, running.ledger, &input, text, sizeof(text));
    shared->executions++;
    if (running.ledger->findings != before && !running.measures)
        job_write(running.job, &shared->now);
    return 0;
}

static void job_say(char words[ARGUMENTS][WORD], int *count, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void job_say(char words[ARGUMENTS][WORD], int *count, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(words[(*count)++], WORD, format, args);
    va_end(args);
}

/* What stands in for the coverage that the driver does not have. */
static void job_say_blind(const struct fuzz_job *job, char words[ARGUMENTS][WORD], int *count) {
    char dictionary[WORD - 16];
    size_t counters;
    uint8_t *counter = fuzz_behaviour_counters(&counters);
    fuzz_engine_counters(counter, counters);
    snprintf(dictionary, sizeof(dictionary), "%s/numbers-%u", job->work, job->number);
    if (fuzz_constants_write(job->options->driver_path, dictionary))
        job_say(words, count, "-dict=%s", dictionary);
}

/* libFuzzer ends the process; what libraries do then is of no use, and may wait for ever (cli/main.c). */
static void job_end(int code, void *ctx) {
    (void)ctx;
    _exit(code);
}

/* Signals are the watcher's, deadlines too. */
static void job_run(void *ctx) {
    static const char *const handlers[] = {"abrt", "bus",  "fpe",  "ill",  "int",
                                           "segv", "term", "xfsz", "usr1", "usr2"};
    static char words[ARGUMENTS][WORD];
    char *list[ARGUMENTS + 1] = {NULL};
    const struct fuzz_job *job = ctx;
    uint64_t now = fuzz_now_ms();
    int count = 0;
    running.job = job;
    running.ledger = calloc(1, sizeof(*running.ledger));
    if (!running.ledger)
        return;
    fuzz_judge_sanitizer(running.ledger);
    fuzz_life_prepare(job->options);
    fuzz_mutate_for(job->options->driver_path);
    job_say(words, &count, "vidmm-fuzz");
    for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
        job_say(words, &count, "-handle_%s=0", handlers[i]);
    job_say(words, &count, "-timeout=0");
    job_say(words, &count, "-rss_limit_mb=0");
    job_say(words, &count, "-malloc_limit_mb=0");
    job_say(words, &count, "-detect_leaks=0");
    /* What the sanitizer gives back to the system each second has to be mapped again. */
    job_say(words, &count, "-purge_allocator_interval=-1");
    job_say(words, &count, "-max_len=%u", FUZZ_MOST);
    job_say(words, &count, "-len_control=20");
    /* Steps that a driver keeps in a variable change no edge, but what is compared. */
    job_say(words, &count, "-use_value_profile=%u", job->number % 2 == 0);
    job_say(words, &count, "-artifact_prefix=%s/end-%u-", job->work, job->number);
    job_say(words, &count, "-seed=%u",
            1u + (unsigned)(job->options->seed * 7919u + job->number * 131u + running.restarts) %
                     0x7fffffffu);
    if (running.measures)
        job_say(words, &count, "-runs=0");
    else
        job_say(words, &count, "-max_total_time=%u",
                job->end_ms > now ? (unsigned)((job->end_ms - now + 999) / 1000) : 1);
    if (!fuzz_engine_measures(job->options->driver_path))
        job_say_blind(job, words, &count);
    job_say(words, &count, "%s", job->corpus);
    for (int i = 0; i < count; i++)
        list[i] = words[i];
    (void)on_exit(job_end, NULL);
    exit(fuzz_engine_run(count, list, job_one));
}

/* ---- Around it ------------------------------------------------------------------------------- */

static void job_say_to(const char *path) {
    int log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log >= 0)
        (void)dup2(log, STDERR_FILENO);
    if (log > STDERR_FILENO)
        close(log);
}

/* true: libFuzzer ended because its time is up. */
static bool job_life(const struct fuzz_job *job) {
    const struct vidmm_watch_options options = {
        .timeout_ms = job->options->timeout_ms, .run = job_run, .ctx = (void *)(uintptr_t)job};
    struct vidmm_watch_end end;
    (void)vidmm_watch(&options, &end);
    return end.how == VIDMM_WATCH_EXITED && end.number == 0;
}

static void job_main(const struct fuzz_job *job) {
    char log[WORD];
    snprintf(log, sizeof(log), "%s/log-%u", job->work, job->number);
    job_say_to(log);
    while (fuzz_now_ms() < job->end_ms) {
        struct fuzz_bytes last;
        if (job_life(job))
            break;
        last = job->shared->now;
        job_write(job, &last);
        job_ended(job->shared, &last);
        running.restarts++;
    }
    _exit(0);
}

pid_t fuzz_job_start(const struct fuzz_job *job) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        vidmm_stop_restore(job->stop);
        job_main(job);
    }
    return child;
}

void fuzz_job_measure(const struct fuzz_job *job, const char *log) {
    fflush(NULL);
    int kept = dup(STDERR_FILENO);
    job_say_to(log);
    running.measures = true;
    (void)job_life(job);
    running.measures = false;
    (void)dup2(kept, STDERR_FILENO);
    close(kept);
}
