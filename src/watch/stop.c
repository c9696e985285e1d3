/*
 * stop.c - see vidmm/stop.h. While signals are noted the handler does no more than that: what is cleaned up is cleaned
 * up by ordinary code, after the processes that use it have ended.
 */
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include <vidmm/stop.h>

static const int stop_list[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,   SIGALRM, SIGTERM,
                                SIGUSR1, SIGUSR2, SIGPROF, SIGVTALRM, SIGXCPU, SIGIO};
#define STOP_LISTED ((uint32_t)(sizeof(stop_list) / sizeof(stop_list[0])))

static volatile sig_atomic_t stop_noted, stop_notes; /* `stop_notes`: it is noted, and no more */
static struct vidmm_stop_last *volatile stop_last;
static volatile pid_t stop_owner; /* of what is remembered: children have a copy */

static void stop_clean(void) {
    for (struct vidmm_stop_last *last = stop_last; last && getpid() == stop_owner;
         last = last->next)
        last->clean(last->ctx);
}

static void stop_die(int number) {
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void stop_take(int number) {
    if (stop_notes != 0) {
        stop_noted = stop_noted == 0 ? number : stop_noted;
        return;
    }
    stop_clean();
    stop_die(number);
}

static void stop_signals(sigset_t *set) {
    sigemptyset(set);
    for (uint32_t i = 0; i < STOP_LISTED; i++)
        sigaddset(set, stop_list[i]);
}

void vidmm_stop_block(void) {
    sigset_t signals;
    stop_signals(&signals);
    (void)sigprocmask(SIG_BLOCK, &signals, NULL);
}

int vidmm_stop_number(uint32_t index) {
    return index < STOP_LISTED ? stop_list[index] : 0;
}

/* Bits of those that come to stop_take: nobody else handles or ignores them. */
static uint32_t stop_handle(void) {
    const struct sigaction take = {.sa_handler = stop_take, .sa_flags = (int)SA_NODEFER};
    uint32_t taken = 0;
    for (uint32_t i = 0; i < STOP_LISTED; i++) {
        struct sigaction before;
        bool ours = sigaction(stop_list[i], NULL, &before) == 0 &&
                    (before.sa_flags & SA_SIGINFO) == 0 &&
                    (before.sa_handler == SIG_DFL || before.sa_handler == stop_take);
        if (ours && sigaction(stop_list[i], &take, NULL) == 0)
            taken |= 1u << i;
    }
    return taken;
}

void vidmm_stop_begin(struct vidmm_stop *stop) {
    stop->inside = stop_notes != 0;
    stop_notes = 1;
    stop->taken = stop_handle();
}

int vidmm_stop_signal(void) {
    return stop_noted;
}

int vidmm_stop_poll(struct pollfd *from, nfds_t count, int ms) {
    const struct timespec most = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    sigset_t signals, before;
    int found = -1;
    stop_signals(&signals);
    if (sigprocmask(SIG_BLOCK, &signals, &before) != 0)
        return -1;
    if (stop_noted == 0)
        found = ppoll(from, count, ms < 0 ? NULL : &most, &before);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return found;
}

void vidmm_stop_restore(const struct vidmm_stop *stop) {
    stop_notes = 0;
    stop_last = NULL;
    for (uint32_t i = 0; i < STOP_LISTED; i++)
        if ((stop->taken >> i & 1) != 0)
            (void)signal(stop_list[i], SIG_DFL);
}

/* What is remembered longer is cleaned at once from here on. */
void vidmm_stop_end(const struct vidmm_stop *stop) {
    if (stop_noted == 0) {
        stop_notes = stop->inside;
        if (stop_noted == 0)
            return;
        stop_notes = 1;
    }
    stop_clean();
    stop_die(stop_noted);
}

void vidmm_stop_remember(struct vidmm_stop_last *last) {
    if (stop_notes == 0)
        (void)stop_handle();
    last->next = stop_last;
    stop_owner = getpid();
    stop_last = last;
}

void vidmm_stop_forget(const struct vidmm_stop_last *last) {
    if (stop_last == last) {
        stop_last = last->next;
        return;
    }
    for (struct vidmm_stop_last *at = stop_last; at; at = at->next)
        if (at->next == last)
            at->next = last->next;
}
