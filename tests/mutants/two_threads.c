/*
 * two_threads.c - two threads in the same function of a driver (two_threads.h).
 */
#include "two_threads.h"

#include <pthread.h>
#include <time.h>

void on_two_threads(void *(*function)(void *), void *argument) {
    pthread_t other;
    if (pthread_create(&other, NULL, function, argument) != 0)
        return;
    function(argument);
    pthread_join(other, NULL);
}

void sleep_a_millisecond(void) {
    const struct timespec millisecond = {.tv_nsec = 1000000};
    nanosleep(&millisecond, NULL);
}
