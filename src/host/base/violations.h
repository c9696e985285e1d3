/*
 * violations.h - a sentence for each broken rule that the host itself detects.
 *
 * A violation is recorded and the call goes on if possible, so that one run finds many. The list is
 * bounded; its last entry counts the rest. It has the room of its sentences: a violation may be found
 * in the handler of a signal (trap/), where no memory is taken.
 */
#ifndef HOST_VIOLATIONS_H
#define HOST_VIOLATIONS_H

#include <pthread.h>
#include <stdint.h>

#define HOST_VIOLATIONS_KEPT 256u
#define HOST_VIOLATION_SIZE  512u

struct host_violations {
    pthread_mutex_t lock;
    char text[HOST_VIOLATIONS_KEPT][HOST_VIOLATION_SIZE];
    uint32_t count;
    uint64_t dropped;
};

void host_violations_init(struct host_violations *list);
void host_violations_done(struct host_violations *list);
/* Records one sentence. Any thread, any IRQL. */
void host_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Tells the interposer that the driver takes or locks memory by this function of ntoskrnl. */
void host_kernel_memory(const char *function);
/* Tells it that the driver maps memory of the system at a physical address. */
void host_maps_memory(uint64_t physical, uint64_t bytes);

#endif
