/*
 * stop.h - signals that end this process (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM and the others without a fault),
 * taken in order: what must not be left behind, such as sockets and temporary files, is removed first.
 *
 * Between vidmm_stop_begin and vidmm_stop_end such a signal is noted, vidmm_stop_poll returns, and vidmm_stop_end cleans
 * and ends the process; further ones change nothing. Outside of them a signal cleans and ends it at once. Signals that
 * are ignored or handled by somebody else are left alone. One thread of a process uses this at a time.
 */
#ifndef VIDMM_STOP_H
#define VIDMM_STOP_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vidmm_stop {
    uint32_t taken; /* bit i: signal i of the list is noted */
    bool inside;    /* of another one */
};

/*
 * Removes what must not be left; the structure is the caller's and stays until vidmm_stop_forget. What is remembered
 * outside of vidmm_stop_begin and vidmm_stop_end may be cleaned in a signal handler, and so by nothing but what POSIX
 * allows there; and it may be cleaned twice.
 */
struct vidmm_stop_last {
    void (*clean)(void *ctx);
    void *ctx;
    struct vidmm_stop_last *next;
};

/* The signal number `index` of those that are noted, from 0; 0: there are no more. Any thread. */
int vidmm_stop_number(uint32_t index);
/* Blocks them in this thread for good: they end nothing any more. */
void vidmm_stop_block(void);
/*
 * Notes such signals from here on; `*stop` is the caller's. To be ended by vidmm_stop_end, or by vidmm_stop_restore in a
 * child.
 */
void vidmm_stop_begin(struct vidmm_stop *stop);
/* The signal that was noted; 0: none. */
int vidmm_stop_signal(void);
/* poll(), which also returns, with -1, when a signal was noted before or comes. */
int vidmm_stop_poll(struct pollfd *from, nfds_t count, int ms);
/* In a child: signals do what they do by default, and nothing is cleaned. */
void vidmm_stop_restore(const struct vidmm_stop *stop);
/* Signals are handled as before; after one was noted, all that was remembered is cleaned, the newest first, and the signal ends
 * the process. */
void vidmm_stop_end(const struct vidmm_stop *stop);
/* Adds `last` to what is cleaned. */
void vidmm_stop_remember(struct vidmm_stop_last *last);
/* Takes `last` away from what is cleaned; it may be gone already. */
void vidmm_stop_forget(const struct vidmm_stop_last *last);

#ifdef __cplusplus
}
#endif

#endif
