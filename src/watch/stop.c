/*
 * stop.c - see vidmm/stop.h. The handler only notes the signal: what is cleaned up is cleaned up by ordinary code,
 * after the processes that use it have ended.
 */
#include <stddef.h>
#include <time.h>

#include <vidmm/stop.h>

static const int stop_list[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,   SIGALRM, SIGTERM,
                                SIGUSR1, SIGUSR2, SIGPROF, SIGVTALRM, SIGXCPU, SIGIO};
_Static_assert(sizeof(stop_list) / sizeof(stop_list[0]) <= VIDMM_STOP_SIGNALS,
               "struct vidmm_stop has room for each");
#define STOP_LISTED (sizeof(stop_list) / sizeof(stop_list[0]))

static volatile sig_atomic_t stop_noted;
static struct vidmm_stop_last *stop_last;

static void stop_note(int number) {
    if (stop_noted == 0)
        stop_noted = number;
}

void vidmm_stop_signals(sigset_t *set) {
    sigemptyset(set);
    for (size_t i = 0; i < STOP_LISTED; i++)
        sigaddset(set, stop_list[i]);
}

void vidmm_stop_begin(struct vidmm_stop *stop) {
    struct sigaction note = {.sa_handler = stop_note, .sa_flags = (int)SA_RESETHAND};
    stop->taken = 0;
    for (uint32_t i = 0; i < STOP_LISTED; i++) {
        struct sigaction *before = &stop->before[i];
        if (sigaction(stop_list[i], NULL, before) == 0 && (before->sa_flags & SA_SIGINFO) == 0 &&
            before->sa_handler == SIG_DFL && sigaction(stop_list[i], &note, NULL) == 0)
            stop->taken |= 1u << i;
    }
}

int vidmm_stop_signal(void) {
    return stop_noted;
}

int vidmm_stop_poll(struct pollfd *from, nfds_t count, int ms) {
    const struct timespec most = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    sigset_t signals, before;
    int found = -1;
    vidmm_stop_signals(&signals);
    if (sigprocmask(SIG_BLOCK, &signals, &before) != 0)
        return -1;
    if (stop_noted == 0)
        found = ppoll(from, count, ms < 0 ? NULL : &most, &before);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return found;
}

void vidmm_stop_restore(const struct vidmm_stop *stop) {
    for (uint32_t i = 0; i < STOP_LISTED; i++)
        if ((stop->taken >> i & 1) != 0)
            (void)sigaction(stop_list[i], &stop->before[i], NULL);
}

void vidmm_stop_end(const struct vidmm_stop *stop) {
    if (stop_noted != 0)
        for (const struct vidmm_stop_last *last = stop_last; last; last = last->next)
            last->clean(last->ctx);
    vidmm_stop_restore(stop);
    if (stop_noted != 0)
        (void)raise(stop_noted);
}

void vidmm_stop_remember(struct vidmm_stop_last *last) {
    last->next = stop_last;
    stop_last = last;
}

void vidmm_stop_forget(const struct vidmm_stop_last *last) {
    for (struct vidmm_stop_last **at = &stop_last; *at; at = &(*at)->next) {
        if (*at == last) {
            *at = last->next;
            return;
        }
    }
}
