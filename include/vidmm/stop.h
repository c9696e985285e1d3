/*
 * stop.h - signals that end this process (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM and the others without a fault),
 * taken in order: what must not be left behind, such as sockets and temporary files, is removed first.
 *
 * Between vidmm_stop_begin and vidmm_stop_end such a signal is noted, and vidmm_stop_poll returns. Signals that are
 * ignored or handled by somebody else are left alone; a second one of the same kind ends the process
 * at once. One thread of a process uses this at a time.
 */
#ifndef VIDMM_STOP_H
#define VIDMM_STOP_H

#include <poll.h>
#include <signal.h>
#include <stdint.h>

#define VIDMM_STOP_SIGNALS 16u

struct vidmm_stop {
    struct sigaction before[VIDMM_STOP_SIGNALS];
    uint32_t taken; /* bit i: signal i of the list is noted */
};

/* Removes what must not be left; the structure is the caller's and stays until vidmm_stop_forget. */
struct vidmm_stop_last {
    void (*clean)(void *ctx);
    void *ctx;
    struct vidmm_stop_last *next;
};

/* The signals that are noted. */
void vidmm_stop_signals(sigset_t *set);
/*
 * Notes such signals from here on; `*stop`, the caller's, gets how they were handled before. To be
 * ended by vidmm_stop_end, or by vidmm_stop_restore in a child.
 */
void vidmm_stop_begin(struct vidmm_stop *stop);
/* The signal that was noted; 0: none. */
int vidmm_stop_signal(void);
/* poll(), which also returns, with -1, when a signal was noted before or comes. */
int vidmm_stop_poll(struct pollfd *from, nfds_t count, int ms);
/* Signals are handled as before. */
void vidmm_stop_restore(const struct vidmm_stop *stop);
/* The same; after a signal was noted, all that was remembered is cleaned, the newest first, and the signal ends the process. */
void vidmm_stop_end(const struct vidmm_stop *stop);
/* Adds `last` to what is cleaned, and takes it away. */
void vidmm_stop_remember(struct vidmm_stop_last *last);
/* Takes `last` away from what is cleaned; it may be gone already. */
void vidmm_stop_forget(const struct vidmm_stop_last *last);

#endif
