/*
 * child.c - see child.h.
 *
 * A child is in a process group of its own: Ctrl-C of a terminal reaches the sweep alone, which then ends
 * its children; and the kernel ends them where the sweep itself was killed. What they say goes to files
 * without a name, so that nobody needs to read along.
 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAID_MOST   4096u
#define REPORT_MOST (64u << 20)

static FILE *nameless(void) {
    FILE *file = tmpfile();
    if (file)
        (void)fcntl(fileno(file), F_SETFD, FD_CLOEXEC);
    return file;
}

static void child_drop(struct sweep_child *child) {
    if (child->report)
        (void)fclose(child->report);
    if (child->said)
        (void)fclose(child->said);
    child->report = child->said = NULL;
    child->pid = 0;
}

/* In the child, until it is the run. */
static _Noreturn void child_become(const struct sweep_child *child, char **words, pid_t parent) {
    sigset_t none;
    sigemptyset(&none);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (getppid() == parent && input >= 0 && dup2(input, STDIN_FILENO) >= 0 &&
        dup2(fileno(child->report), STDOUT_FILENO) >= 0 &&
        dup2(fileno(child->said), STDERR_FILENO) >= 0 && sigprocmask(SIG_SETMASK, &none, NULL) == 0)
        (void)execv("/proc/self/exe", words);
    (void)dprintf(STDERR_FILENO, "vidmm: cannot start the run: %s\n", strerror(errno));
    _exit(126);
}

/* vidmm run --quiet --json - and what the study says. */
static char **command_words(const struct vidmm_study *study, uint64_t run) {
    static const char *const before[] = {"vidmm", "run", "--quiet", "--json", "-"};
    size_t given = 0, lead = sizeof(before) / sizeof(before[0]);
    char **words = sweep_words(study, run);
    while (words && words[given])
        given++;
    char **whole = words ? calloc(lead + given, sizeof(*whole)) : NULL;
    bool done = whole;
    for (size_t i = 0; done && i < lead; i++)
        done = (whole[i] = strdup(before[i]));
    for (size_t i = 1; done && i < given; i++) { /* words[0] is "run" */
        whole[lead + i - 1] = words[i];
        words[i] = NULL;
    }
    for (size_t i = 0; i < given; i++)
        free(words[i]);
    free(words);
    if (!done)
        sweep_words_free(whole);
    return done ? whole : NULL;
}

bool sweep_child_start(struct sweep_child *child, const struct vidmm_study *study, uint64_t run,
                       const char *version, const char *commit, char *text, size_t size) {
    *child = (struct sweep_child){0};
    char **words = command_words(study, run);
    bool ready = words && sweep_row_begin(&child->row, study, run, version, commit);
    errno = ready ? errno : ENOMEM;
    pid_t parent = getpid(), pid = -1;
    if (ready && (child->report = nameless()) && (child->said = nameless()))
        pid = fork();
    if (pid == 0)
        child_become(child, words, parent);
    int why = errno;
    sweep_words_free(words);
    if (pid > 0) {
        (void)setpgid(pid, pid); /* whoever is first */
        child->pid = pid;
        return true;
    }
    (void)snprintf(text, size, "cannot start a run: %s", strerror(why));
    sweep_row_free(&child->row);
    child_drop(child);
    return false;
}

/* The content, at most so much, which is freed by the caller; NULL: no memory, or nothing. */
static char *child_said(FILE *file, size_t most) {
    off_t end = lseek(fileno(file), 0, SEEK_END);
    size_t length = end < 0 ? 0 : (size_t)end < most ? (size_t)end : most;
    char *text = malloc(length + 1);
    ssize_t got = text ? pread(fileno(file), text, length, 0) : -1;
    if (got < 0) {
        free(text);
        return NULL;
    }
    text[got] = '\0';
    return text;
}

void sweep_child_end(struct sweep_child *child, int status) {
    char *report = child_said(child->report, REPORT_MOST),
         *said = child_said(child->said, SAID_MOST);
    (void)kill(-child->pid, SIGKILL); /* what a run that crashed may have left */
    sweep_row_end(&child->row, status, report, said ? said : "");
    free(report);
    free(said);
    child_drop(child);
}

void sweep_child_kill(struct sweep_child *child) {
    if (child->pid == 0)
        return;
    (void)kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    sweep_row_free(&child->row);
    child_drop(child);
}
