/*
 * fuzz.c - a campaign: jobs search, what they find is judged again from a fresh start, made small and
 * kept. See vidmm/fuzz.h.
 */
#include <vidmm/fuzz.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vidmm/stop.h>

#include "engine.h"
#include "files.h"
#include "job.h"
#include "seeds.h"

#define SECONDS 60u
#define NAP_MS  50
#define PATH    1024u

struct campaign {
    const struct vidmm_fuzz_options *options;
    struct vidmm_fuzz_result *result;
    struct vidmm_ledger *ledger; /* of the input that is judged */
    char work[PATH / 2], corpus[PATH];
    uint64_t begin_ms;
    uint32_t jobs;
    struct fuzz_job job[VIDMM_FUZZ_JOBS];
    pid_t pid[VIDMM_FUZZ_JOBS];
    uint32_t seen[VIDMM_FUZZ_JOBS]; /* inputs of the job that were judged */
    struct fuzz_shared *shared;
    struct vidmm_stop stop;
    struct vidmm_stop_last last;
};

static bool fuzz_stop(struct vidmm_fuzz_result *result, enum vidmm_fuzz_status status,
                      const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool fuzz_stop(struct vidmm_fuzz_result *result, enum vidmm_fuzz_status status,
                      const char *format, ...) {
    va_list args;
    va_start(args, format);
    result->status = status;
    vsnprintf(result->text, sizeof(result->text), format, args);
    va_end(args);
    return false;
}

static void fuzz_tell(const struct campaign *campaign, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void fuzz_tell(const struct campaign *campaign, const char *format, ...) {
    char text[768];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (campaign->options->tell)
        campaign->options->tell(campaign->options->ctx, text);
}

/* ---- Directories ------------------------------------------------------------------------------ */

static bool make_work(struct campaign *campaign, struct vidmm_fuzz_result *result) {
    const char *corpus = campaign->options->corpus;
    const char *temporary = getenv("TMPDIR");
    snprintf(campaign->work, sizeof(campaign->work), "%s/vidmm-fuzz-XXXXXX",
             temporary && temporary[0] == '/' ? temporary : "/tmp");
    if (!mkdtemp(campaign->work)) {
        campaign->work[0] = '\0';
        return fuzz_stop(result, VIDMM_FUZZ_BAD_INPUT,
                         "no directory for temporary files can be made: %s", strerror(errno));
    }
    if (corpus)
        snprintf(campaign->corpus, sizeof(campaign->corpus), "%s", corpus);
    else
        snprintf(campaign->corpus, sizeof(campaign->corpus), "%s/corpus", campaign->work);
    if (fuzz_directory_ready(campaign->corpus, result->text, sizeof(result->text)) &&
        (!campaign->options->output ||
         fuzz_directory_ready(campaign->options->output, result->text, sizeof(result->text))))
        return true;
    result->status = VIDMM_FUZZ_BAD_INPUT;
    return false;
}

static void end_work(struct campaign *campaign) {
    if (campaign->work[0] == '\0')
        return;
    if (!campaign->options->corpus)
        fuzz_directory_remove(campaign->corpus);
    fuzz_directory_remove(campaign->work);
}

/* ---- Findings -------------------------------------------------------------------------------- */

static bool is_known(const struct vidmm_fuzz_result *result, const char *identity) {
    for (uint32_t i = 0; i < result->found_count; i++)
        if (strcmp(result->found[i].identity, identity) == 0)
            return true;
    return result->found_count == VIDMM_FUZZ_FINDINGS;
}

/* Written as it was found before it is made smaller, so that a signal does not lose it. */
static void keep_finding(struct campaign *campaign, const struct vidmm_finding *finding,
                         const char *identity, struct fuzz_bytes bytes) {
    struct vidmm_fuzz_result *result = campaign->result;
    struct vidmm_fuzz_found *found = &result->found[result->found_count++];
    const char *output = campaign->options->output;
    struct fuzz_input input;
    *found = (struct vidmm_fuzz_found){.finding = *finding};
    found->ms = (uint32_t)(fuzz_now_ms() - campaign->begin_ms);
    snprintf(found->identity, sizeof(found->identity), "%s", identity);
    fuzz_tell(campaign, "%s after %.1f s: %s", identity, found->ms / 1000.0, finding->found);
    snprintf(found->file, sizeof(found->file), "%s/%s.input", output ? output : ".", identity);
    bool written = fuzz_file_write(found->file, &bytes);
    if (written) {
        fuzz_minimise(campaign->options, &found->finding, &bytes);
        written = fuzz_file_write(found->file, &bytes);
    }
    fuzz_input_read(&input, bytes.byte, bytes.size);
    found->calls = input.count;
    if (!written)
        fuzz_stop(result, VIDMM_FUZZ_BAD_INPUT, "'%s' cannot be written: %s", found->file,
                  strerror(errno));
}

/* What comes in the search alone depends on something else than the input. */
static void keep_unsteady(struct campaign *campaign, const struct fuzz_bytes *bytes) {
    struct vidmm_fuzz_result *result = campaign->result;
    if (is_known(result, "unsteady"))
        return;
    struct vidmm_fuzz_found *found = &result->found[result->found_count++];
    *found = (struct vidmm_fuzz_found){.identity = "unsteady", .unsteady = true};
    found->ms = (uint32_t)(fuzz_now_ms() - campaign->begin_ms);
    snprintf(found->finding.found, sizeof(found->finding.found),
             "seen in the search, and not again from a fresh process");
    snprintf(found->file, sizeof(found->file), "%s/unsteady.input",
             campaign->options->output ? campaign->options->output : ".");
    (void)fuzz_file_write(found->file, bytes);
}

static void judge_found(struct campaign *campaign, const struct fuzz_bytes *bytes) {
    const struct vidmm_finding *finding;
    char identity[VIDMM_IDENTITY], text[512];
    uint32_t at = 0, any = 0;
    struct vidmm_ledger *kept = campaign->ledger;
    (void)fuzz_judge(campaign->options, bytes, kept, text, sizeof(text));
    while ((finding = fuzz_judge_next(campaign->options, kept, &at, identity))) {
        any++;
        if (!is_known(campaign->result, identity))
            keep_finding(campaign, finding, identity, *bytes);
    }
    if (any == 0)
        keep_unsteady(campaign, bytes);
}

static void take_found(struct campaign *campaign) {
    for (uint32_t i = 0; i < campaign->jobs; i++) {
        uint32_t there = __atomic_load_n(&campaign->shared[i].found, __ATOMIC_ACQUIRE);
        for (; campaign->seen[i] < there; campaign->seen[i]++) {
            char path[PATH];
            struct fuzz_bytes bytes;
            fuzz_job_file(&campaign->job[i], campaign->seen[i], path, sizeof(path));
            if (fuzz_file_read(path, &bytes))
                judge_found(campaign, &bytes);
            if (campaign->options->stop_at_first && campaign->result->found_count != 0)
                return;
        }
    }
}

/* ---- The search ------------------------------------------------------------------------------ */

static bool start_jobs(struct campaign *campaign, uint32_t seconds) {
    campaign->shared = mmap(NULL, campaign->jobs * sizeof(*campaign->shared),
                            PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (campaign->shared == MAP_FAILED) {
        campaign->shared = NULL;
        return fuzz_stop(campaign->result, VIDMM_FUZZ_BAD_INPUT, "out of memory");
    }
    campaign->begin_ms = fuzz_now_ms();
    for (uint32_t i = 0; i < campaign->jobs; i++) {
        campaign->job[i] =
            (struct fuzz_job){.options = campaign->options,
                              .work = campaign->work,
                              .corpus = campaign->corpus,
                              .number = i,
                              .end_ms = campaign->begin_ms + seconds * UINT64_C(1000),
                              .shared = &campaign->shared[i],
                              .stop = &campaign->stop};
        campaign->pid[i] = fuzz_job_start(&campaign->job[i]);
    }
    return true;
}

static bool jobs_run(struct campaign *campaign) {
    bool any = false;
    for (uint32_t i = 0; i < campaign->jobs; i++) {
        if (campaign->pid[i] > 0 && waitpid(campaign->pid[i], NULL, WNOHANG) == campaign->pid[i])
            campaign->pid[i] = -1;
        any = any || campaign->pid[i] > 0;
    }
    return any;
}

/* The guards of drivers' processes end these when their caller is gone. */
static void end_jobs(struct campaign *campaign) {
    for (uint32_t i = 0; i < campaign->jobs; i++) {
        if (campaign->pid[i] <= 0)
            continue;
        (void)kill(campaign->pid[i], SIGKILL);
        (void)waitpid(campaign->pid[i], NULL, 0);
        campaign->pid[i] = -1;
    }
}

static void search_all(struct campaign *campaign, uint32_t seconds) {
    const struct vidmm_fuzz_options *options = campaign->options;
    struct vidmm_fuzz_result *result = campaign->result;
    if (!start_jobs(campaign, seconds))
        return;
    while (jobs_run(campaign) && !(options->stop_at_first && result->found_count != 0) &&
           result->status == VIDMM_FUZZ_NOTHING && vidmm_stop_signal() == 0 &&
           fuzz_now_ms() < campaign->begin_ms + (seconds + UINT64_C(5)) * 1000) {
        (void)vidmm_stop_poll(NULL, 0, NAP_MS);
        take_found(campaign);
    }
    result->ms = (uint32_t)(fuzz_now_ms() - campaign->begin_ms);
    end_jobs(campaign);
    if (!options->stop_at_first || result->found_count == 0)
        take_found(campaign);
    for (uint32_t i = 0; i < campaign->jobs; i++)
        result->executions += campaign->shared[i].executions;
}

static uint32_t number_before(const char *text, const char *after) {
    const char *at = strstr(text, after);
    while (at && at > text && at[-1] == ' ')
        at--;
    while (at && at > text && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at ? (uint32_t)strtoul(at, NULL, 10) : 0;
}

/* Edges that the corpus covers, of all, as libFuzzer counts them. */
static void measure(struct campaign *campaign) {
    char path[PATH], line[1024];
    struct vidmm_fuzz_result *result = campaign->result;
    snprintf(path, sizeof(path), "%s/measured", campaign->work);
    fuzz_job_measure(&campaign->job[0], path);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file)) {
        const char *covered = strstr(line, " cov: ");
        if (strstr(line, "inline 8-bit counters)"))
            result->edges_all = number_before(line, "inline 8-bit counters)");
        if (covered)
            result->edges = (uint32_t)strtoul(covered + strlen(" cov: "), NULL, 10);
    }
    if (file)
        fclose(file);
    if (result->edges_all == 0)
        result->edges = 0;
}

static bool starts(struct campaign *campaign) {
    static const struct fuzz_bytes nothing;
    struct vidmm_fuzz_result *result = campaign->result;
    result->status = fuzz_judge(campaign->options, &nothing, campaign->ledger, result->text,
                                sizeof(result->text));
    return result->status == VIDMM_FUZZ_NOTHING;
}

static void run_campaign(struct campaign *campaign) {
    const struct vidmm_fuzz_options *options = campaign->options;
    struct vidmm_fuzz_result *result = campaign->result;
    char log[PATH];
    if (!make_work(campaign, result))
        return;
    if (!fuzz_engine_load(campaign->work, result->text, sizeof(result->text))) {
        result->status = VIDMM_FUZZ_BAD_INPUT;
        return;
    }
    snprintf(log, sizeof(log), "%s/judged", campaign->work);
    int quiet = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    fuzz_judge_quiet(quiet);
    if (starts(campaign)) {
        if (fuzz_directory_count(campaign->corpus) == 0)
            (void)fuzz_seeds_write(campaign->corpus, options->driver_path);
        search_all(campaign, options->seconds != 0 ? options->seconds : SECONDS);
        result->inputs = fuzz_directory_count(campaign->corpus);
        if (campaign->shared && vidmm_stop_signal() == 0 &&
            fuzz_engine_measures(options->driver_path))
            measure(campaign);
        if (result->status == VIDMM_FUZZ_NOTHING && result->found_count != 0)
            result->status = VIDMM_FUZZ_FOUND;
    }
    fuzz_judge_quiet(-1);
    if (quiet >= 0)
        close(quiet);
}

/* Of a signal that ends this process, too. */
static void end_all(void *ctx) {
    end_jobs(ctx);
    end_work(ctx);
}

static struct campaign *begin_campaign(const struct vidmm_fuzz_options *options,
                                       struct vidmm_fuzz_result *result) {
    struct campaign *campaign = calloc(1, sizeof(*campaign));
    memset(result, 0, sizeof(*result));
    result->sanitized = dlsym(RTLD_DEFAULT, "__asan_init");
    if (!campaign || !(campaign->ledger = calloc(1, sizeof(*campaign->ledger)))) {
        (void)fuzz_stop(result, VIDMM_FUZZ_BAD_INPUT, "out of memory");
        free(campaign);
        return NULL;
    }
    campaign->options = options;
    campaign->result = result;
    campaign->jobs = options->jobs != 0 ? options->jobs : 1;
    if (campaign->jobs > VIDMM_FUZZ_JOBS)
        campaign->jobs = VIDMM_FUZZ_JOBS;
    campaign->last = (struct vidmm_stop_last){.clean = end_all, .ctx = campaign};
    vidmm_stop_begin(&campaign->stop);
    vidmm_stop_remember(&campaign->last);
    return campaign;
}

static void end_campaign(struct campaign *campaign) {
    end_all(campaign);
    vidmm_stop_end(&campaign->stop);
    vidmm_stop_forget(&campaign->last);
    if (campaign->shared)
        munmap(campaign->shared, campaign->jobs * sizeof(*campaign->shared));
    free(campaign->ledger);
    free(campaign);
}

void vidmm_fuzz(const struct vidmm_fuzz_options *options, struct vidmm_fuzz_result *result) {
    struct campaign *campaign = begin_campaign(options, result);
    if (!campaign)
        return;
    run_campaign(campaign);
    end_campaign(campaign);
}

/* ---- Again ----------------------------------------------------------------------------------- */

static void replay(struct campaign *campaign, const char *file, FILE *out) {
    struct vidmm_fuzz_result *result = campaign->result;
    const struct vidmm_finding *finding;
    struct fuzz_bytes bytes;
    struct fuzz_input input;
    char identity[VIDMM_IDENTITY];
    uint32_t at = 0;
    if (!fuzz_file_read(file, &bytes)) {
        (void)fuzz_stop(result, VIDMM_FUZZ_BAD_INPUT, "'%s' cannot be read: %s", file,
                        strerror(errno));
        return;
    }
    fuzz_input_read(&input, bytes.byte, bytes.size);
    fuzz_input_say(&input, out);
    fflush(out);
    result->status =
        fuzz_judge(campaign->options, &bytes, campaign->ledger, result->text, sizeof(result->text));
    if (result->status != VIDMM_FUZZ_NOTHING)
        return;
    while ((finding = fuzz_judge_next(campaign->options, campaign->ledger, &at, identity)) &&
           result->found_count < VIDMM_FUZZ_FINDINGS) {
        struct vidmm_fuzz_found *found = &result->found[result->found_count++];
        *found = (struct vidmm_fuzz_found){.finding = *finding, .calls = input.count};
        snprintf(found->identity, sizeof(found->identity), "%s", identity);
        snprintf(found->file, sizeof(found->file), "%s", file);
    }
    if (result->found_count != 0)
        result->status = VIDMM_FUZZ_FOUND;
}

void vidmm_fuzz_replay(const struct vidmm_fuzz_options *options, const char *file, FILE *out,
                       struct vidmm_fuzz_result *result) {
    struct vidmm_fuzz_options alone = *options;
    alone.corpus = alone.output = NULL;
    struct campaign *campaign = begin_campaign(&alone, result);
    if (!campaign)
        return;
    replay(campaign, file, out);
    end_campaign(campaign);
}
