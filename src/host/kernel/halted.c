/* halted.c - see halted.h. */
#include "kernel/halted.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/thread.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Atomic uint64_t halted; /* 0: no thread */
static bool released;

void host_halted_begin(void) {
    pthread_mutex_lock(&lock);
    released = false;
    atomic_store(&halted, host_thread_id());
    pthread_mutex_unlock(&lock);
}

static struct timespec after(uint32_t ms) {
    enum { MS_OF_SECOND = 1000, NS_OF_MS = 1000000 };
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += ms / MS_OF_SECOND;
    end.tv_nsec += (int32_t)(ms % MS_OF_SECOND) * NS_OF_MS;
    end.tv_sec += end.tv_nsec / (MS_OF_SECOND * NS_OF_MS);
    end.tv_nsec %= MS_OF_SECOND * NS_OF_MS;
    return end;
}

void host_halted_wait(uint32_t ms) {
    const struct timespec end = after(ms);
    pthread_mutex_lock(&lock);
    while (!released && pthread_cond_timedwait(&changed, &lock, &end) == 0)
        continue;
    atomic_store(&halted, 0);
    pthread_mutex_unlock(&lock);
}

void host_halted_release(void) {
    pthread_mutex_lock(&lock);
    released = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

void host_halted_owns(uint64_t owner) {
    uint64_t waits = atomic_load_explicit(&halted, memory_order_relaxed);
    if (waits != 0 && waits != host_thread_id() && (owner == 0 || owner == waits))
        host_halted_release();
}
