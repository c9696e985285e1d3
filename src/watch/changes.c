/*
 * changes.c - what a driver changed of the process that it runs in. There is nothing of it in the
 * kernel, where the same change would be one of somebody else's process.
 */
#include "watch.h"

#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static uint32_t threads_now(void) {
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    uint32_t count = 0;
    while (tasks && (task = readdir(tasks)))
        count += task->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return count;
}

static void read_signals(struct watch_state *state) {
    sigset_t blocked;
    sigemptyset(&blocked);
    (void)sigprocmask(SIG_SETMASK, NULL, &blocked);
    for (int number = 1; number <= WATCH_SIGNALS; number++) {
        struct sigaction now;
        if (sigaction(number, NULL, &now) == 0)
            state->handler[number] = (uintptr_t)now.sa_sigaction;
        if (sigismember(&blocked, number) == 1)
            state->blocked |= (uint64_t)1 << (number - 1);
    }
}

void watch_state_read(struct watch_state *state) {
    memset(state, 0, sizeof(*state));
    if (!getcwd(state->directory, sizeof(state->directory)))
        state->directory[0] = '\0';
    for (int i = 0; i < WATCH_LIMITS; i++) {
        struct rlimit limit = {0, 0};
        (void)getrlimit((__rlimit_resource_t)i, &limit);
        state->limit[i][0] = limit.rlim_cur;
        state->limit[i][1] = limit.rlim_max;
    }
    state->priority = getpriority(PRIO_PROCESS, 0);
    state->mask = umask(0);
    (void)umask((mode_t)state->mask);
    state->threads = threads_now();
    read_signals(state);
    for (int i = 0; i < 3; i++) {
        struct itimerval timer = {.it_interval = {0, 0}};
        struct stat stream;
        (void)getitimer((__itimer_which_t)i, &timer);
        state->timer[i] = (uint64_t)(timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0);
        if (fstat(i, &stream) == 0) {
            state->stream[i][0] = stream.st_dev;
            state->stream[i][1] = stream.st_ino;
        }
    }
    (void)prctl(PR_GET_NAME, state->name);
    state->dumpable = prctl(PR_GET_DUMPABLE);
}

/* A function of vidmm's, which takes some of the signals for itself. */
static bool is_own(uintptr_t handler) {
    static const char here;
    Dl_info it, own;
    return dladdr((void *)handler, &it) != 0 && dladdr(&here, &own) != 0 &&
           it.dli_fbase == own.dli_fbase;
}

static bool handlers_differ(const struct watch_state *a, const struct watch_state *b) {
    for (int number = 1; number <= WATCH_SIGNALS; number++)
        if (a->handler[number] != b->handler[number] && !is_own(b->handler[number]))
            return true;
    return false;
}

static const char *first_difference(const struct watch_state *a, const struct watch_state *b) {
    if (strcmp(a->directory, b->directory) != 0)
        return "the current directory";
    if (memcmp(a->limit, b->limit, sizeof(a->limit)) != 0)
        return "a limit";
    if (a->priority != b->priority)
        return "the priority";
    if (a->mask != b->mask)
        return "the mask of new files";
    if (a->blocked != b->blocked)
        return "the blocked signals";
    if (handlers_differ(a, b))
        return "what handles a signal";
    if (memcmp(a->timer, b->timer, sizeof(a->timer)) != 0)
        return "a timer";
    if (memcmp(a->stream, b->stream, sizeof(a->stream)) != 0)
        return "a standard stream";
    if (strncmp(a->name, b->name, sizeof(a->name)) != 0)
        return "the name";
    return a->dumpable != b->dumpable ? "who may look into it" : NULL;
}

bool watch_state_differs(const struct watch_state *before, const struct watch_state *now,
                         char *text, size_t size) {
    const char *what = first_difference(before, now);
    if (what)
        snprintf(text, size, "the driver changed the process that it runs in: %s", what);
    else if (now->threads > before->threads)
        snprintf(text, size, "the driver left threads in the process that it runs in: %u",
                 now->threads - before->threads);
    return what || now->threads > before->threads;
}
