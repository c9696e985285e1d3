/*
 * halted.h - a thread that stands still inside of the driver's code while another processor works
 * (driver/beside.c): it goes on when that is done, or when that waits for a lock which it holds.
 *
 * One thread is halted at a time.
 */
#ifndef HOST_HALTED_H
#define HOST_HALTED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The calling thread is the one that will wait. Before the other thread begins. */
void host_halted_begin(void);
/* Until host_halted_release, or until `other`, which has not ended, is taken for one that waits for the calling thread: by
 * the CPU time that it used, so that a machine with much to do changes nothing. */
void host_halted_wait(pthread_t other);
/* The other processor is done. */
void host_halted_release(void);
/* The calling thread waits for a lock that `owner` holds (host_thread_id; 0: not known). */
void host_halted_owns(uint64_t owner);

#endif
