/*
 * crash.c - a driver that ends its process: one sentence with the places in it.
 *
 * In a process of its own (vidmm/watch.h) it ends that. Where it runs in the command's, as with
 * --no-fork, the process that crashed cannot be trusted with more than a note to another one, which was made
 * before the driver was loaded and waits for it. It reads the symbols and writes the report.
 */
#include "cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vidmm/host.h>
#include <vidmm/printable.h>

struct note {
    int32_t signal;
    bool own; /* vidmm's access, not the driver's */
    uint32_t frames;
    uint64_t frame[VIDMM_PLACES];
    char where[96];   /* the DDI call, or other code of the driver; or empty */
    char reason[160]; /* what is more than the signal says, or empty */
};

static int notes = -1; /* where the note is written */
static pid_t reporter;
static int exit_code; /* of a crash */

int cli_report_end(const struct cli_options *options, struct vidmm_ledger *ended,
                   const char *text) {
    const char *driver = options->run.driver_path;
    char sentence[512];
    if (!ended || ended->findings == 0)
        fprintf(stderr, "vidmm: %s\n", text);
    else if (driver)
        vidmm_check_symbols(driver, ended);
    if (ended && ended->findings != 0) {
        vidmm_report_crash(stderr, &ended->finding[0]);
        if (options->json &&
            !vidmm_report_crash_json(options->json, driver ? driver : "softgpu", &ended->finding[0],
                                     sentence, sizeof(sentence)))
            return cli_refuse("%s", sentence);
    }
    return VIDMM_RUN_DRIVER_FAILED;
}

/* ---- The process that waits ------------------------------------------------------------------ */

/* What ended the driver, as the check of a process of its own would find it. */
static void crash_find(const struct cli_options *options, const struct note *note,
                       struct vidmm_ledger *ledger) {
    const char *reason = note->reason[0] != '\0' ? note->reason : NULL;
    const char *where = note->where[0] != '\0' ? note->where : NULL;
    vidmm_ledger_calling(ledger, where);
    if (note->signal == SIGALRM)
        vidmm_ledger_note(ledger, VIDMM_FINDING_HANG, VIDMM_SIDE_DRIVER,
                          "no end within %u ms, in %s", options->check.timeout_ms,
                          where ? where : "no call of the system's");
    else
        vidmm_check_death(ledger, note->signal, note->own, reason, where);
    struct vidmm_finding *finding = &ledger->finding[0];
    finding->places = note->frames < VIDMM_PLACES ? note->frames : VIDMM_PLACES;
    for (uint32_t i = 0; i < finding->places; i++)
        finding->place[i].offset = note->frame[i];
    vidmm_check_symbols(options->run.driver_path, ledger);
}

/* Of a replay: whether it is what was looked for. */
static void crash_tell_replay(const struct cli_options *options,
                              const struct vidmm_finding *finding) {
    char identity[VIDMM_IDENTITY];
    vidmm_finding_identity(finding, identity);
    if (strcmp(identity, options->check.replay) == 0)
        fprintf(stderr, "vidmm: %s again: %s\n", identity, finding->found);
    else
        fprintf(stderr, "vidmm: %s did not come again\n", options->check.replay);
}

static void crash_tell(struct cli_options *options, const struct note *note) {
    struct vidmm_ledger *ledger = calloc(1, sizeof(*ledger));
    if (!ledger)
        return;
    crash_find(options, note, ledger);
    const struct vidmm_finding *finding = &ledger->finding[0];
    if (options->check.replay)
        crash_tell_replay(options, finding);
    if (note->signal != SIGALRM)
        (void)cli_report_end(options, ledger, "");
    (void)cli_calls_end(options, finding->found, 0);
    free(ledger);
}

static void await_note(struct cli_options *options, int from) {
    struct note note;
    (void)signal(SIGINT, SIG_IGN); /* the other one decides */
    ssize_t got = read(from, &note, sizeof(note));
    if (got == (ssize_t)sizeof(note)) {
        note.where[sizeof(note.where) - 1] = note.reason[sizeof(note.reason) - 1] = '\0';
        vidmm_printable(note.where, false);
        vidmm_printable(note.reason, false);
        crash_tell(options, &note);
    }
    fflush(NULL);
    _exit(0);
}

/* ---- The process that crashes ---------------------------------------------------------------- */

/* Where the driver is; false: this is no code of the driver's, nor an access to its device. */
static bool take_note(struct note *note, const void *interrupted) {
    const char *doing = vidmm_host_doing(), *call = vidmm_host_calling();
    const char *checked = vidmm_check_calling();
    const char *reason = vidmm_host_crash_reason();
    if (reason)
        strncpy(note->reason, reason, sizeof(note->reason) - 1);
    note->own = vidmm_host_crash_own();
    note->frames = vidmm_host_crash_places(interrupted, note->frame, VIDMM_PLACES);
    if (doing)
        strncpy(note->where, doing, sizeof(note->where) - 1);
    else if (checked)
        strncpy(note->where, checked, sizeof(note->where) - 1);
    else if (call)
        strncat(strcpy(note->where, "DxgkDdi"), call, sizeof(note->where) - 8);
    return doing || call || note->own || note->frames != 0;
}

static void crashed(int number, siginfo_t *info, void *interrupted) {
    struct note note = {.signal = number};
    (void)info;
    (void)signal(number, SIG_DFL); /* a crash in here ends it, too */
    if (!take_note(&note, interrupted) ||
        write(notes, &note, sizeof(note)) != (ssize_t)sizeof(note)) {
        (void)raise(number);
        return;
    }
    (void)waitpid(reporter, NULL, 0);
    _exit(exit_code);
}

static void take_signals(void) {
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGALRM};
    static uint64_t stack[8192]; /* an overflow of the stack is one of them */
    const stack_t last = {.ss_sp = stack, .ss_size = sizeof(stack)};
    const struct sigaction action = {.sa_sigaction = crashed,
                                     .sa_flags = SA_SIGINFO | SA_RESETHAND | SA_ONSTACK};
    (void)sigaltstack(&last, NULL);
    for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
        (void)sigaction(deadly[i], &action, NULL);
}

void cli_watch_crashes(struct cli_options *options, int code) {
    int ends[2];
    exit_code = code;
    if (!options->run.driver_path || pipe2(ends, O_CLOEXEC) != 0)
        return;
    fflush(NULL);
    reporter = fork();
    if (reporter == 0) {
        close(ends[1]);
        await_note(options, ends[0]);
    }
    close(ends[0]);
    notes = ends[1];
    if (reporter > 0)
        take_signals();
}

void cli_place_driver(struct cli_options *options) {
    options->run.apart = !options->no_fork;
    options->run.timeout_ms = options->check.timeout_ms;
    if (options->no_fork)
        cli_watch_crashes(options, VIDMM_RUN_DRIVER_FAILED);
}
