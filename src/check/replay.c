/*
 * replay.c - a finding again: the examination is made until a run of a stage shows it, then that run
 * is made once more in this process, where a debugger stops at the call and at the finding.
 *
 * The run begins as it did before: with what the runs before it left in the shared memory, but for
 * their findings.
 */
#include "replay.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* ---- The run that shows it ------------------------------------------------------------------- */

void replay_before(struct check *check) {
    if (check->replay)
        memcpy(&check->replay->before, check->shared, sizeof(check->replay->before));
}

/* Symbols are read into a copy: the ledger goes on without them. */
bool replay_look(struct check *check, const struct check_stage *stage, uint32_t number) {
    struct replay *replay = check->replay;
    if (!replay || check->shared->ledger.findings == replay->before.ledger.findings)
        return false;
    replay->ledger = check->shared->ledger;
    if (check->options->driver_path)
        vidmm_check_symbols(check->options->driver_path, &replay->ledger);
    for (uint32_t i = replay->before.ledger.findings; i < replay->ledger.findings; i++) {
        char identity[VIDMM_IDENTITY];
        vidmm_finding_identity(&replay->ledger.finding[i], identity);
        if (strcmp(identity, check->options->replay) != 0)
            continue;
        replay->finding = replay->ledger.finding[i];
        replay->stage = stage;
        replay->number = number;
        return true;
    }
    return false;
}

/* ---- Once more ------------------------------------------------------------------------------- */

static struct check *replaying; /* while the driver runs in this process */

static void replay_tell(const struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void replay_tell(const struct check *check, const char *format, ...) {
    char text[768];
    va_list args;
    if (!check->options->tell)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    check->options->tell(check->options->progress_ctx, text);
}

/* A debugger sees the signal, and nobody else: without one nothing happens. */
static void replay_stop(void) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    (void)sigaction(SIGTRAP, &ignore, &before);
    (void)raise(SIGTRAP);
    (void)sigaction(SIGTRAP, &before, NULL);
}

/* The driver's function is next, if the driver has one for it; what was found in no call comes behind it. */
static void replay_entered(void *ctx, uint64_t call, const char *name) {
    const struct check *check = ctx;
    bool behind = check->replay->finding.where[0] == '\0';
    if (call != check->replay->finding.call)
        return;
    replay_tell(check, "call %llu, %s, is %s", (unsigned long long)call, name,
                behind ? "the last one before it" : "next");
    replay_stop();
}

/* The two sentences differ in numbers at most. */
static bool replay_alike(const char *a, const char *b) {
    char plain[2][sizeof(((struct vidmm_finding *)0)->found)];
    vidmm_finding_plain(a, plain[0], sizeof(plain[0]));
    vidmm_finding_plain(b, plain[1], sizeof(plain[1]));
    return strcmp(plain[0], plain[1]) == 0;
}

/* What an identity is about, without the driver's function: that is known to a debugger. */
static bool replay_same(const struct vidmm_finding *a, const struct vidmm_finding *b) {
    return a->kind == b->kind && a->rule == b->rule && a->who == b->who &&
           strcmp(a->where, b->where) == 0 &&
           (a->kind == VIDMM_FINDING_RULE ? replay_alike(a->expected, b->expected)
                                          : replay_alike(a->found, b->found));
}

static void replay_found(void *ctx, const struct vidmm_finding *finding) {
    struct check *check = ctx;
    if (check->replay->again || !replay_same(&check->replay->finding, finding))
        return;
    check->replay->again = true;
    replay_tell(check, "%s again, call %llu: %s", check->options->replay,
                (unsigned long long)finding->call, finding->found);
    replay_stop();
}

/* The driver called exit: a finding, as in a process of its own. */
static void replay_left(int code, void *unused) {
    (void)unused;
    if (!replaying)
        return;
    struct vidmm_ledger *ledger = &replaying->shared->ledger;
    vidmm_ledger_note(ledger, VIDMM_FINDING_EXIT, VIDMM_SIDE_DRIVER,
                      "the process ended with exit code %d in %s", code,
                      ledger->calling[0] != 0 ? ledger->calling : CHECK_NO_CALL);
    replaying = NULL;
    vidmm_record_end(vidmm_harness_recording(), "the driver ended the process");
    fflush(NULL);
    _Exit(VIDMM_CHECK_BROKEN);
}

/* A debugger may take its time; who has set a deadline gets SIGALRM. */
static void replay_deadline(uint32_t ms) {
    const struct itimerval deadline = {
        .it_value = {.tv_sec = ms / 1000, .tv_usec = (suseconds_t)(ms % 1000) * 1000}};
    (void)setitimer(ITIMER_REAL, &deadline, NULL);
}

/* The shared memory as it was before the run, but for findings. */
static void replay_restore(struct check *check) {
    struct check_shared *before = &check->replay->before;
    struct vidmm_ledger *ledger = &check->replay->ledger;
    memset(ledger, 0, sizeof(*ledger));
    ledger->calls = before->ledger.calls;
    memcpy(ledger->muted, before->ledger.muted, sizeof(ledger->muted));
    before->ledger = *ledger;
    memcpy(check->shared, before, sizeof(*check->shared));
    memset(check->causes, 0, sizeof(*check->causes));
}

static enum vidmm_stage_outcome replay_run(struct check *check) {
    static bool registered;
    struct replay *replay = check->replay;
    const struct vidmm_ledger_watcher watcher = {
        .ctx = check, .finding = replay_found, .entered = replay_entered};
    struct vidmm_check_options here = *check->options;
    if (!registered)
        registered = on_exit(replay_left, NULL) == 0;
    here.no_fork = true;
    check->options = &here;
    replay_restore(check);
    vidmm_ledger_watch(&watcher);
    replaying = check;
    replay_deadline(here.timeout_ms);
    enum vidmm_stage_outcome outcome = check_child(check, replay->stage, replay->number);
    replay_deadline(0);
    replaying = NULL;
    vidmm_ledger_unwatch(check);
    return outcome;
}

bool replay_again(struct check *check, struct vidmm_check_result *result) {
    struct replay *replay = check->replay;
    const struct vidmm_check_options *options = check->options;
    if (!replay->stage) {
        result->status = VIDMM_CHECK_BAD_INPUT;
        snprintf(result->text, sizeof(result->text), "no finding %s comes with these options",
                 options->replay);
        return false;
    }
    replay_tell(check, "%s comes in stage %s, run %u of %u: once more, in this process",
                options->replay, replay->stage->name, replay->number + 1, replay->stage->runs);
    uint64_t start = check_now_ms(), calls = replay->before.ledger.calls;
    memset(result->stage, 0, sizeof(result->stage));
    result->stages = check_stage_count;
    for (uint32_t i = 0; i < check_stage_count; i++)
        result->stage[i].name = check_stages[i].name;
    struct vidmm_stage_result *one = &result->stage[replay->stage - check_stages];
    one->outcome = replay_run(check);
    check->options = options;
    one->ms = (uint32_t)(check_now_ms() - start);
    one->calls = check->shared->ledger.calls - calls;
    if (one->outcome != VIDMM_STAGE_DONE)
        snprintf(one->text, sizeof(one->text), "%s", check->shared->told.text);
    if (!replay->again)
        replay_tell(check, "%s did not come again", options->replay);
    return true;
}

const char *vidmm_check_calling(void) {
    return replaying && replaying->shared->ledger.calling[0] != 0
               ? replaying->shared->ledger.calling
               : NULL;
}
