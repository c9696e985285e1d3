/* halted.c - see halted.h. */
#include "kernel/halted.h"

#include <stdatomic.h>
#include <time.h>

#include "base/thread.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Atomic uint64_t halted;   /* 0: no thread */
static _Atomic uint64_t going_on; /* it was halted, and its call has not ended; 0: none */
static bool released;
static bool halts_again;           /* where it releases the lock that is wanted */
static const void *_Atomic wanted; /* spin lock that the other spins for */
static pthread_t beside;

void host_halted_begin(bool again) {
    pthread_mutex_lock(&lock);
    released = false;
    halts_again = again;
    atomic_store(&wanted, NULL);
    atomic_store(&halted, host_thread_id());
    atomic_store(&going_on, host_thread_id());
    pthread_mutex_unlock(&lock);
}

enum {
    SECOND = 1000000000,
    LOOK_NS = 5000000,  /* the other thread is looked at so often */
    BUSY_NS = 20000000, /* with so much CPU time it waits for a lock of the driver's own making */
    LOOKS = 100,        /* with less in all of these it waits for one that nobody knows */
};

static struct timespec soon(void) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += LOOK_NS;
    end.tv_sec += end.tv_nsec / SECOND;
    end.tv_nsec %= SECOND;
    return end;
}

static bool is_busy(pthread_t thread) {
    clockid_t clock;
    struct timespec used;
    return pthread_getcpuclockid(thread, &clock) == 0 && clock_gettime(clock, &used) == 0 &&
           (used.tv_sec != 0 || used.tv_nsec > BUSY_NS);
}

/* Under the lock. */
static void stand_still(void) {
    for (uint32_t look = 0; !released && look < LOOKS && !is_busy(beside); look++) {
        const struct timespec end = soon();
        (void)pthread_cond_timedwait(&changed, &lock, &end);
    }
    atomic_store(&halted, 0);
}

void host_halted_wait(pthread_t other) {
    pthread_mutex_lock(&lock);
    beside = other;
    stand_still();
    pthread_mutex_unlock(&lock);
}

/* The other spins now, so that it has not ended. */
void host_halted_unlocked(const void *of) {
    if (atomic_load_explicit(&wanted, memory_order_relaxed) != of ||
        atomic_load_explicit(&going_on, memory_order_relaxed) != host_thread_id())
        return;
    pthread_mutex_lock(&lock);
    if (halts_again && atomic_load(&wanted) == of) {
        atomic_store(&wanted, NULL);
        released = false;
        atomic_store(&halted, host_thread_id());
        pthread_cond_broadcast(&changed);
        stand_still();
    }
    pthread_mutex_unlock(&lock);
}

void host_halted_release(void) {
    pthread_mutex_lock(&lock);
    released = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void host_halted_over(void) {
    pthread_mutex_lock(&lock);
    atomic_store(&going_on, 0);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void host_halted_owns(uint64_t owner) {
    uint64_t waits = atomic_load_explicit(&halted, memory_order_relaxed);
    if (waits != 0 && waits != host_thread_id() && (owner == 0 || owner == waits))
        host_halted_release();
    if (atomic_load_explicit(&going_on, memory_order_relaxed) == host_thread_id())
        host_halted_over();
}

void host_halted_spins(uint64_t owner, const void *of) {
    if (of && atomic_load_explicit(&going_on, memory_order_relaxed) == owner)
        atomic_store(&wanted, of);
    host_halted_owns(owner);
    uint64_t goes_on = atomic_load_explicit(&going_on, memory_order_relaxed);
    if (goes_on == 0 || (owner != 0 && owner != goes_on))
        return;
    pthread_mutex_lock(&lock);
    bool handed = of && halts_again;
    for (uint32_t look = 0;
         atomic_load(&going_on) != 0 && look < LOOKS && !(handed && atomic_load(&wanted) != of);
         look++) {
        const struct timespec end = soon();
        (void)pthread_cond_timedwait(&changed, &lock, &end);
    }
    if (!handed || atomic_load(&wanted) == of)
        atomic_store(&going_on, 0);
    pthread_mutex_unlock(&lock);
}
