/*
 * two_threads.h - for managers that call a driver on two threads at once, and for drivers that are
 * slow enough for the two to meet. Apart from the mutants, so that those compile as images.
 */
#ifndef TWO_THREADS_H
#define TWO_THREADS_H

/* Calls `function` on this thread and on another; returns when both have. */
void on_two_threads(void *(*function)(void *), void *argument);
/* The driver takes its time, so that another thread comes. */
void sleep_a_millisecond(void);

#endif
