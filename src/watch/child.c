/*
 * child.c - the driver's process: gives `run` to the driver, says what there is to say, and where the
 * driver was if it dies.
 */
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SETTLING_MS 200u

/* What there is in a program that counts its lines or that a sanitizer watches: both write when it exits. */
void child_counts_lines(void) __asm__("__gcov_exit") __attribute__((weak));
void child_check_leaks(void) __asm__("__lsan_do_leak_check") __attribute__((weak));
void child_has_tsan(void) __asm__("__tsan_init") __attribute__((weak));

static struct {
    struct watch_hint *hint;
    int to; /* the pipe; its device and inode */
    uint64_t device, inode;
    uint64_t secret, order;
} child = {.to = -1};
static pthread_mutex_t speaking = PTHREAD_MUTEX_INITIALIZER;

/* ---- What is said ---------------------------------------------------------------------------- */

uint64_t watch_sum(uint64_t secret, const struct watch_record *record, const void *bytes) {
    const uint64_t prime = 0x100000001b3;
    const unsigned char *at = bytes;
    uint64_t sum =
        (((secret ^ record->order) * prime ^ record->kind) * prime ^ record->size) * prime;
    for (uint32_t i = 0; i < record->size; i++)
        sum = (sum ^ at[i]) * prime;
    return sum;
}

/* Where the thread is, for the words of an end. */
static void say_where(void) {
    const char *doing = vidmm_host_doing(), *reason = vidmm_host_crash_reason();
    if (doing)
        strncpy(child.hint->died_in, doing, sizeof(child.hint->died_in) - 1);
    if (reason)
        strncpy(child.hint->died_of, reason, sizeof(child.hint->died_of) - 1);
    child.hint->died_own = vidmm_host_crash_own();
}

/* Nobody would hear of anything any more. */
static void cut_off(void) {
    say_where();
    _exit(WATCH_CUT_OFF);
}

/* The number may be that of another file by now. */
static bool still_ours(void) {
    struct stat now;
    return fstat(child.to, &now) == 0 && now.st_dev == child.device && now.st_ino == child.inode;
}

static bool write_whole(const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    while (size > 0) {
        ssize_t done = write(child.to, at, size);
        if (done < 0 && errno != EINTR)
            return false;
        at += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

void vidmm_watch_say(uint32_t kind, const void *bytes, size_t size) {
    static const unsigned char nothing[WATCH_ALIGNED];
    if (child.to < 0 || size > VIDMM_WATCH_MOST)
        return;
    pthread_mutex_lock(&speaking);
    struct watch_record record = {.order = child.order++, .kind = kind, .size = (uint32_t)size};
    record.sum = watch_sum(child.secret, &record, bytes);
    if (!still_ours() || !write_whole(&record, sizeof(record)) || !write_whole(bytes, size) ||
        !write_whole(nothing, watch_padded(size) - size))
        cut_off();
    pthread_mutex_unlock(&speaking);
}

void vidmm_watch_alive(void) {
    if (child.hint)
        __atomic_fetch_add(&child.hint->shown.turns, 1, __ATOMIC_RELAXED);
}

/* ---- Last words ------------------------------------------------------------------------------ */

/* The signal is raised again and then ends the process. */
static void last_words(int number, siginfo_t *info, void *interrupted) {
    (void)info;
    say_where();
    (void)signal(number, SIG_DFL); /* a crash in here ends it, too */
    child.hint->frames = vidmm_host_crash_places(interrupted, child.hint->frame, VIDMM_PLACES);
    child.hint->asked = 1;
    (void)raise(number);
}

/* Signals that kill a driver get their default actions back, and a stack of their own, since an
 * overflow of the stack is one of them. SIGTERM is how the caller ends a hang. */
static void take_signals(void) {
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGTERM};
    static uint64_t stack[8192];
    const stack_t last = {.ss_sp = stack, .ss_size = sizeof(stack)};
    struct sigaction action = {.sa_sigaction = last_words,
                               .sa_flags = SA_SIGINFO | SA_RESETHAND | SA_ONSTACK};
    (void)sigaltstack(&last, NULL);
    for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
        (void)sigaction(deadly[i], &action, NULL);
    (void)signal(SIGTTOU, SIG_IGN); /* it may print, though it is not in the foreground */
    (void)atexit(say_where);
}

/* What a driver prints is not part of a report, and what is typed is not for it. */
static void take_streams(void) {
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0)
        (void)dup2(nothing, STDIN_FILENO);
    if (nothing > STDERR_FILENO)
        close(nothing);
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
}

static void *say_number(void *to) {
    *(pid_t *)to = gettid();
    return NULL;
}

/* The first thread may bring another one with it, which stays: a sanitizer's. It is not the driver's.
 * One that was joined may still be seen for a moment. */
static void have_had_a_thread(void) {
    const struct timespec nap = {0, 1000000};
    char task[64];
    pthread_t first;
    pid_t number = 0;
    if (pthread_create(&first, NULL, say_number, &number) != 0)
        return;
    (void)pthread_join(first, NULL);
    snprintf(task, sizeof(task), "/proc/self/task/%d", (int)number);
    for (uint32_t i = 0; i < SETTLING_MS && access(task, F_OK) == 0; i++)
        nanosleep(&nap, NULL);
}

/* A thread that was joined may still be seen for a moment. */
static void read_after(const struct watch_state *before, struct watch_state *after) {
    const struct timespec nap = {0, 1000000};
    watch_state_read(after);
    for (uint32_t i = 0; i < SETTLING_MS && after->threads > before->threads; i++) {
        nanosleep(&nap, NULL);
        watch_state_read(after);
    }
}

/* What a driver leaves to its exit was done when it was unloaded. The destructors of the libraries of this program would write to pages
 * that the process shares with its caller up to here, and take a fifth of a short run; and where one of them waits for ever, as for a
 * lock of the C library whose count is wrong, the driver would be accused of it. */
static void child_leave(void) {
    if (child_counts_lines || child_has_tsan)
        exit(WATCH_CODE);
    if (child_check_leaks)
        child_check_leaks();
    fflush(NULL);
    _exit(WATCH_CODE);
}

void watch_child(const struct watch *watch) {
    static struct watch_state before, after;
    const struct rlimit none = {0, 0};
    struct stat pipe;
    char text[sizeof(((struct vidmm_watch_end *)0)->changed)];
    child.hint = watch->hint;
    child.secret = watch->secret;
    if (fstat(watch->said[1], &pipe) != 0)
        _exit(WATCH_CUT_OFF);
    child.device = pipe.st_dev;
    child.inode = pipe.st_ino;
    child.to = watch->said[1];
    take_signals();
    take_streams();
    (void)setrlimit(RLIMIT_CORE, &none);
    vidmm_host_show(&watch->hint->shown);
    if (watch->options->ledger)
        watch_ledger_begin(watch->options->ledger, watch->hint);
    vidmm_ledger_places(vidmm_host_places);
    have_had_a_thread();
    watch_state_read(&before);
    watch->options->run(watch->options->ctx);
    read_after(&before, &after);
    watch_ledger_flush();
    if (watch_state_differs(&before, &after, text, sizeof(text)))
        vidmm_watch_say(WATCH_CHANGED, text, strlen(text));
    vidmm_watch_say(WATCH_DONE, "", 0);
    child_leave();
}
