/*
 * guard.c - the process between the caller and the driver's. It is the parent that the driver's
 * process knows, so that a signal to the parent does not end the caller, and the process to which what
 * that one leaves behind is given, so that it can be ended.
 */
#include "watch.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Attempts to end all that is left, a millisecond each: what forks faster is left alone. */
#define ATTEMPTS 2000u

static void guard_tell(const struct watch *watch, const struct watch_news *news) {
    if (write(watch->news[1], news, sizeof(*news)) != (ssize_t)sizeof(*news))
        _exit(EXIT_FAILURE); /* nobody listens */
}

/* ---- What is left behind --------------------------------------------------------------------- */

/* Kills each child of this process; how many there are. */
static uint32_t kill_children(void) {
    char path[64], *word, *rest;
    static char list[65536];
    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    int from = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = from >= 0 ? read(from, list, sizeof(list) - 1) : 0;
    uint32_t count = 0;
    if (from >= 0)
        close(from);
    list[got > 0 ? got : 0] = '\0';
    for (word = list; *word != '\0'; word = rest) {
        pid_t pid = (pid_t)strtoul(word, &rest, 10);
        if (rest == word)
            break;
        if (pid > 1)
            count += kill(pid, SIGKILL) == 0;
        while (*rest == ' ')
            rest++;
    }
    return count;
}

static uint32_t reap(void) {
    uint32_t count = 0;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        count++;
    return count;
}

/* Ends all processes that come from the driver's, which has ended; how many there were. */
static uint32_t end_others(pid_t driver) {
    const struct timespec nap = {0, 1000000};
    uint32_t count = 0;
    for (uint32_t i = 0; i < ATTEMPTS; i++) {
        (void)kill(-driver, SIGKILL);
        uint32_t alive = kill_children();
        count += reap();
        if (alive == 0)
            break;
        nanosleep(&nap, NULL);
    }
    return count;
}

static void end_all(pid_t driver) {
    (void)kill(driver, SIGKILL);
    (void)end_others(driver);
}

/* ---- The driver's process -------------------------------------------------------------------- */

/* true: it ended, or was stopped and is ended. */
static bool guard_look(pid_t driver, struct watch_news *news) {
    int status = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
        if (pid != driver) {
            news->left++;
        } else if (WIFSTOPPED(status)) {
            news->stopped = (uint32_t)WSTOPSIG(status);
            (void)kill(driver, SIGKILL);
        } else {
            news->status = status;
            return true;
        }
    }
    return false;
}

/* One that the driver's process sent. */
static void count_signal(struct watch_news *news, int number, const siginfo_t *info) {
    news->signals += number > 0 && info->si_code <= 0 && info->si_pid == news->pid;
}

/* Those that wait. */
static void count_rest(struct watch_news *news) {
    const struct timespec none = {0, 0};
    sigset_t all;
    siginfo_t info;
    int number;
    sigfillset(&all);
    while ((number = sigtimedwait(&all, &info, &none)) > 0)
        count_signal(news, number, &info);
}

/* All signals are blocked. Of those that ask for its end only the caller's is followed, and that of
 * the system when the caller has ended. */
static void await_end(const struct watch *watch, struct watch_news *news) {
    sigset_t all;
    sigfillset(&all);
    while (!guard_look(news->pid, news)) {
        siginfo_t info;
        int number = sigwaitinfo(&all, &info);
        count_signal(news, number, &info);
        if (number == SIGTERM && (info.si_pid == watch->caller || getppid() != watch->caller))
            (void)kill(news->pid, SIGKILL);
    }
}

/* The driver's process gets a group of its own, so that a signal to its group is one to itself. */
static void begin_child(struct watch *watch, const sigset_t *mask) {
    pid_t guard = getppid();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_DUMPABLE, 1);
    (void)setpgid(0, 0);
    close(watch->news[1]);
    if (guard != watch->guard)
        _exit(EXIT_FAILURE);
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
    watch_child(watch);
}

void watch_guard(struct watch *watch) {
    sigset_t all, before;
    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    vidmm_stop_restore(&watch->stop);
    (void)signal(SIGCHLD, SIG_DFL);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    (void)prctl(PR_SET_DUMPABLE, 0); /* no other process writes into this one */
    close(watch->said[0]);
    close(watch->news[0]);
    watch_leave_others(watch);
    watch->guard = getpid();
    pid_t driver = fork();
    if (driver == 0)
        begin_child(watch, &before);
    if (driver < 0)
        _exit(EXIT_FAILURE);
    (void)setpgid(driver, driver);
    close(watch->said[1]);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    struct watch_news news = {.pid = driver};
    if (getppid() != watch->caller) {
        end_all(driver);
        _exit(EXIT_FAILURE);
    }
    guard_tell(watch, &news);
    await_end(watch, &news);
    count_rest(&news);
    news.left += end_others(driver);
    news.ended = 1;
    guard_tell(watch, &news);
    _exit(EXIT_SUCCESS);
}
