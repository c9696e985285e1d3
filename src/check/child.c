/*
 * child.c - one run of a stage in a process of its own; a crash or a hang becomes a finding.
 */
#include "stage.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_TIMEOUT_MS 10000u
#define LAST_WORDS_MS      500u /* time to report where it hangs */
#define CHILD_DONE         86

static struct check_shared *dying_of;

/* Writes the code that the thread runs to shared memory. */
static void say_where(void) {
    const char *doing = vidmm_host_doing();
    const char *reason = vidmm_host_crash_reason();
    if (doing)
        strncpy(dying_of->died_in, doing, sizeof(dying_of->died_in) - 1);
    if (reason)
        strncpy(dying_of->died_of, reason, sizeof(dying_of->died_of) - 1);
}

/* The signal is raised again and then ends the process. */
static void last_words(int number, siginfo_t *info, void *interrupted) {
    (void)info;
    say_where();
    (void)signal(number, SIG_DFL); /* a crash in here ends it, too */
    dying_of->crash_frames =
        vidmm_host_crash_places(interrupted, dying_of->crash_frame, VIDMM_PLACES);
    (void)raise(number);
}

/* Signals that kill a driver get their default actions back, and a stack of their own, since an
 * overflow of the stack is one of them. SIGTERM is how wait_for ends a hang. What a driver prints
 * is not part of a report. */
static void die_alone(struct check_shared *shared) {
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGTERM};
    static uint64_t stack[8192];
    const stack_t last = {.ss_sp = stack, .ss_size = sizeof(stack)};
    const struct rlimit none = {0, 0};
    struct sigaction action = {.sa_sigaction = last_words,
                               .sa_flags = SA_SIGINFO | SA_RESETHAND | SA_ONSTACK};
    dying_of = shared;
    (void)sigaltstack(&last, NULL);
    for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
        (void)sigaction(deadly[i], &action, NULL);
    (void)atexit(say_where);
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void child(struct check *check, const struct check_stage *stage, uint32_t number) {
    die_alone(check->shared);
    vidmm_ledger_places(vidmm_host_places);
    check->shared->outcome = (uint32_t)stage->run(check, number);
    if (check->displays_only)
        check->shared->outcome = VIDMM_STAGE_SKIPPED;
    check_close(check);
    if (check->options->log)
        fflush(check->options->log);
    check->shared->finished = 1;
    exit(CHILD_DONE); /* not _exit: coverage is written at exit */
}

uint64_t check_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool ends_within(uint32_t timeout_ms, pid_t pid, int *status) {
    const struct timespec nap = {0, 1000000};
    uint64_t end = check_now_ms() + timeout_ms;
    while (waitpid(pid, status, WNOHANG) == 0) {
        if (check_now_ms() >= end)
            return false;
        nanosleep(&nap, NULL);
    }
    return true;
}

/* False: it did not end in time; it was asked where it hangs, then killed. */
static bool wait_for(pid_t pid, uint32_t timeout_ms, int *status) {
    if (ends_within(timeout_ms, pid, status))
        return true;
    kill(pid, SIGTERM);
    if (!ends_within(LAST_WORDS_MS, pid, status)) {
        kill(pid, SIGKILL);
        (void)waitpid(pid, status, 0);
    }
    return false;
}

/* A driver may have damaged the shared memory. */
static void repair(struct check_shared *shared) {
    struct vidmm_ledger *ledger = &shared->ledger;
    if (ledger->findings > VIDMM_FINDINGS)
        ledger->findings = VIDMM_FINDINGS;
    if (ledger->seen > VIDMM_FINDINGS)
        ledger->seen = 0;
    for (uint32_t i = 0; i < ledger->seen; i++)
        if (ledger->seen_as[i].finding >= ledger->findings)
            ledger->seen = i;
    for (uint32_t i = 0; i < VIDMM_FINDINGS; i++) {
        struct vidmm_finding *finding = &ledger->finding[i];
        finding->where[sizeof(finding->where) - 1] = 0;
        finding->step[sizeof(finding->step) - 1] = 0;
        finding->found[sizeof(finding->found) - 1] = 0;
        finding->expected[sizeof(finding->expected) - 1] = 0;
        if (finding->places > VIDMM_PLACES)
            finding->places = 0;
        bool host = finding->kind != VIDMM_FINDING_RULE;
        if (finding->kind > VIDMM_FINDING_REFUSED || !vidmm_rule(finding->rule) ||
            host != (finding->rule >= VIDMM_K_FIRST)) {
            finding->kind = VIDMM_FINDING_HOST;
            finding->rule = VIDMM_K_OTHER;
        }
        if (finding->after > ledger->findings)
            finding->after = 0;
        if (finding->who != VIDMM_SIDE_MANAGER)
            finding->who = VIDMM_SIDE_DRIVER;
    }
    ledger->calling[sizeof(ledger->calling) - 1] = 0;
    ledger->step[sizeof(ledger->step) - 1] = 0;
    shared->text[sizeof(shared->text) - 1] = 0;
    shared->died_in[sizeof(shared->died_in) - 1] = 0;
    shared->died_of[sizeof(shared->died_of) - 1] = 0;
    if (shared->crash_frames > VIDMM_PLACES)
        shared->crash_frames = 0;
    if (shared->failures > CHECK_FAILURES)
        shared->failures = CHECK_FAILURES;
    if (shared->outcome > VIDMM_STAGE_HUNG)
        shared->outcome = VIDMM_STAGE_STOPPED;
}

/* Where it hung, for the sentence and the finding's place. */
static const char *child_place(struct check_shared *shared) {
    struct vidmm_ledger *ledger = &shared->ledger;
    if (shared->died_in[0] != 0)
        vidmm_ledger_calling(ledger, shared->died_in);
    return ledger->calling[0] != 0 ? ledger->calling : CHECK_NO_CALL;
}

/* The newest finding is of the process that died. */
static void place_death(struct check_shared *shared) {
    struct vidmm_ledger *ledger = &shared->ledger;
    if (ledger->findings == 0 || ledger->dropped != 0)
        return;
    struct vidmm_finding *finding = &ledger->finding[ledger->findings - 1];
    if (finding->places != 0)
        return;
    finding->places = shared->crash_frames;
    for (uint32_t i = 0; i < shared->crash_frames; i++)
        finding->place[i].offset = shared->crash_frame[i];
}

void vidmm_check_death(struct vidmm_ledger *ledger, int signal, const char *reason,
                       const char *where) {
    const char *in = where ? where : CHECK_NO_CALL;
    if (signal == SIGABRT)
        vidmm_ledger_note(ledger, VIDMM_FINDING_EXIT, VIDMM_SIDE_DRIVER,
                          "abort or a bugcheck in %s", in);
    else if (reason)
        vidmm_ledger_note(ledger, VIDMM_FINDING_CRASH, VIDMM_SIDE_DRIVER, "%s in %s", reason, in);
    else
        vidmm_ledger_note(ledger, VIDMM_FINDING_CRASH, VIDMM_SIDE_DRIVER, "signal %d (%s) in %s",
                          signal, strsignal(signal), in);
}

static enum vidmm_stage_outcome judge_death(struct check_shared *shared, int status) {
    struct vidmm_ledger *ledger = &shared->ledger;
    const char *where = child_place(shared);
    bool done = WIFEXITED(status) && WEXITSTATUS(status) == CHILD_DONE && shared->finished == 1;
    if (done)
        return (enum vidmm_stage_outcome)shared->outcome;
    if (WIFSIGNALED(status))
        vidmm_check_death(ledger, WTERMSIG(status),
                          shared->died_of[0] != 0 ? shared->died_of : NULL, where);
    else
        vidmm_ledger_note(ledger, VIDMM_FINDING_EXIT, VIDMM_SIDE_DRIVER,
                          "the process ended with exit code %d in %s", WEXITSTATUS(status), where);
    place_death(shared);
    return check_say(&(struct check){.shared = shared}, VIDMM_STAGE_CRASHED, "died in %s", where);
}

static enum vidmm_stage_outcome judge_hang(struct check_shared *shared, uint32_t timeout_ms) {
    struct vidmm_ledger *ledger = &shared->ledger;
    const char *where = child_place(shared);
    vidmm_ledger_note(ledger, VIDMM_FINDING_HANG, VIDMM_SIDE_DRIVER, "no end within %u ms, in %s",
                      timeout_ms, where);
    place_death(shared);
    return check_say(&(struct check){.shared = shared}, VIDMM_STAGE_HUNG,
                     "no end within %u ms, in %s", timeout_ms, where);
}

/* The same in this process: what ends the driver ends the caller. */
static enum vidmm_stage_outcome run_here(const struct check *check, const struct check_stage *stage,
                                         uint32_t number) {
    struct check run = *check;
    vidmm_ledger_places(vidmm_host_places);
    enum vidmm_stage_outcome outcome = stage->run(&run, number);
    check_close(&run);
    causes_take(check->causes, &check->shared->ledger);
    return run.displays_only ? VIDMM_STAGE_SKIPPED : outcome;
}

enum vidmm_stage_outcome check_child(struct check *check, const struct check_stage *stage,
                                     uint32_t number) {
    struct check_shared *shared = check->shared;
    uint32_t timeout =
        check->options->timeout_ms != 0 ? check->options->timeout_ms : DEFAULT_TIMEOUT_MS;
    int status = 0;
    shared->finished = 0;
    shared->outcome = VIDMM_STAGE_STOPPED;
    shared->text[0] = shared->died_in[0] = shared->died_of[0] = 0;
    shared->crash_frames = 0;
    shared->ledger.depth = 0;
    vidmm_ledger_begin(&shared->ledger);
    vidmm_ledger_calling(&shared->ledger, NULL);
    check_step(check, "%s", stage->name);
    if (check->options->no_fork)
        return run_here(check, stage, number);
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        return check_say(check, VIDMM_STAGE_STOPPED, "no process could be made");
    if (pid == 0)
        child(check, stage, number);
    bool ended = wait_for(pid, timeout, &status);
    repair(shared);
    enum vidmm_stage_outcome outcome =
        ended ? judge_death(shared, status) : judge_hang(shared, timeout);
    causes_take(check->causes, &shared->ledger);
    return outcome;
}
