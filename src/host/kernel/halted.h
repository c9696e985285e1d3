/*
 * halted.h - a thread that stands still inside of the driver's code while another processor works
 * (driver/beside.c): it goes on when that is done, or when that waits for a lock which it holds.
 *
 * One thread is halted at a time. What spins for a lock that it holds lets it come to the end of its call first: two that
 * ran at once from there on would end differently from run to run. A system thread has no end: it halts again where it
 * releases that lock.
 */
#ifndef HOST_HALTED_H
#define HOST_HALTED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The calling thread is the one that will wait, and `again` where it releases what the other spins for. Before the other
 * thread begins. */
void host_halted_begin(bool again);
/* Until host_halted_release, or until `other`, which has not ended, is taken for one that waits for the calling thread: by
 * the CPU time that it used, so that a machine with much to do changes nothing. */
void host_halted_wait(pthread_t other);
/* The other processor is done. */
void host_halted_release(void);
/* The call in which the thread was halted has ended. By that thread. */
void host_halted_over(void);
/* The calling thread has released a spin lock. */
void host_halted_unlocked(const void *lock);
/* The calling thread waits for what `owner` holds (host_thread_id; 0: not known). */
void host_halted_owns(uint64_t owner);
/* The same of a lock for which it spins (`of`: a spin lock, or NULL): returns when the other's call has ended, waits
 * itself, or makes no way. */
void host_halted_spins(uint64_t owner, const void *of);

#endif
