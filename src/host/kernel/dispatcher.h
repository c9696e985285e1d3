/*
 * dispatcher.h - the threads of the machine: which of them runs, and which sleep.
 *
 * One lock guards every thread, every object that threads wait for (waits.h) and every timer
 * (timers.h).
 *
 * Virtual time: one thread runs at a time, until it sleeps, ends or yields; then the thread goes on
 * that has been ready for longest. When none is ready, a sleeping thread is the idle thread: it
 * runs the hardware and, when that has nothing to do, lets time jump to the earliest deadline. So
 * the same threads run in the same order every time. Threaded runs: every thread runs, and sleeps
 * in real time.
 *
 * Known threads are those of the driver, the one that created the host, and each that ever slept
 * here. When all of them sleep without a deadline and neither timer nor hardware has anything to
 * do, nothing can wake any of them: then the sleep of a thread that is not the driver's ends as
 * endless. Nothing is concluded from the time that a thread sleeps. A periodic timer counts only with a
 * DPC or a thread that waits for it (timers.h): its DPC might wake any thread, however often it did not.
 */
#ifndef HOST_DISPATCHER_H
#define HOST_DISPATCHER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>

enum host_thread_state {
    HOST_THREAD_RUNNING, /* the default of a thread that is not known */
    HOST_THREAD_READY,   /* virtual time: waits for its turn */
    HOST_THREAD_ASLEEP,
    HOST_THREAD_AWAY, /* sleeps by other means than the host's (vidmm_host_away) */
};

enum host_sleep_end { HOST_SLEEP_WOKEN, HOST_SLEEP_TIMEOUT, HOST_SLEEP_ENDLESS };

/* A place of a sleeping thread in the list of something that can wake it. */
struct host_link {
    LIST_ENTRY entry;
    struct _KTHREAD *thread;
    DISPATCHER_HEADER *object; /* waits.h; or NULL */
};

struct _KTHREAD {
    DISPATCHER_HEADER header; /* of the driver's threads: signalled when the thread has ended */
    LIST_ENTRY known, ready;
    LIST_ENTRY mutexes; /* that it owns, by MutantListEntry */
    pthread_cond_t changed;
    pthread_t thread;
    bool driver;  /* PsCreateSystemThread made it */
    uint64_t run; /* number of the host in which it is known */
    enum host_thread_state state;
    /* While it sleeps: */
    uint64_t deadline; /* UINT64_MAX: none */
    uint64_t order;    /* number of this sleep in the host */
    struct host_link *links;
    uint32_t link_count;
    bool all;        /* waits.h: for all objects instead of any */
    bool locked_out; /* for a lock of the manager (os.c): its holder runs, or is what waits */
    /* Of its last sleep: */
    enum host_sleep_end end;
    uint32_t satisfied; /* waits.h: index of the object */
    bool abandoned;     /* waits.h: that was an abandoned mutex */
};

/* What the machine does while no thread runs. */
struct host_idle {
    /* Virtual time, without the lock: some work, or a jump to the next deadline; false: there is
     * neither. */
    bool (*work)(void);
    /* Threaded runs, under the lock: hardware, timers and DPCs have nothing to do. */
    bool (*quiet)(void);
};

/* Begins with no thread but the caller, which runs. */
void host_dispatcher_init(bool threaded, const struct host_idle *idle);
void host_dispatcher_lock(void);
void host_dispatcher_unlock(void);
/* The lock itself, to sleep on. */
pthread_mutex_t *host_dispatcher_mutex(void);

/* The calling thread, known or not. */
PKTHREAD host_thread_self(void);
/* Makes a thread of the driver known, which does not exist yet; under the lock. */
void host_thread_prepare(PKTHREAD thread);
/* Virtual time: a prepared thread waits for its first turn; under the lock. */
void host_thread_begin(PKTHREAD thread);
/* The calling thread is known no more; under the lock. */
void host_thread_leave(PKTHREAD thread);

/*
 * Sleeps until host_thread_wake, or until `deadline`; under the lock, which is free meanwhile. The
 * caller has put the links, if there are any, into lists.
 */
enum host_sleep_end host_thread_sleep(struct host_link *links, uint32_t count, uint64_t deadline);
/* Ends the sleep of a thread and takes it off all lists; under the lock. */
void host_thread_wake(PKTHREAD thread, enum host_sleep_end end);
/* A thread that sleeps for this object, or NULL; under the lock. */
PKTHREAD host_thread_waiting(const DISPATCHER_HEADER *object);

/* The earliest deadline of a sleeping thread; UINT64_MAX: there is none. Any time. */
uint64_t host_deadline_next(void);
/* Ends the sleep with the earliest deadline; under the lock. */
void host_deadline_expire(void);

/* Virtual time: lets the threads that are ready run first. */
void host_yield(void);
/* A number that changes when threads take turns or sleep. */
uint64_t host_dispatcher_turn(void);
/* A thread that yields would let another one run. Any time. */
bool host_thread_ready(void);
/* Threaded runs: something else than a thread went to rest; under the lock. */
void host_dispatcher_rest(void);

/* Sleeps until host_wake (true, also early) or until `deadline` (false). No wake since the caller's
 * last return is lost. */
bool host_sleep(uint64_t deadline);
void host_wake(void);

#endif
