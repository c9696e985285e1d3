/* dispatcher.c - the threads of dispatcher.h: known, ready, asleep. */
#include "kernel/dispatcher.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/clock.h"
#include "kernel/halted.h"

#define SECOND 1000000000u
/* A thread that neither sleeps nor yields for so much CPU time loses its turn to one that is
 * ready: it polls memory for what that one does. Looked at so often, in real time. */
#define TURN_NS (2 * (uint64_t)SECOND)
#define LOOK_NS (SECOND / 5)

static struct {
    pthread_mutex_t lock;
    bool threaded;
    uint64_t run;
    struct host_idle idle;
    LIST_ENTRY known, ready;
    PKTHREAD current, idler; /* virtual time: the thread that runs; the idle thread. Or NULL */
    _Atomic uint64_t turns;
    uint64_t sleeps;
    _Atomic uint32_t ready_count;
    _Atomic uint64_t earliest; /* of the deadlines */
    LIST_ENTRY wakers;         /* threads in host_sleep */
    _Atomic uint32_t waker_count;
} dispatcher = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic uint64_t wakes; /* of the process */

static _Thread_local struct _KTHREAD own; /* of a thread that is not the driver's */
static _Thread_local PKTHREAD self;

void host_dispatcher_lock(void) {
    pthread_mutex_lock(&dispatcher.lock);
}

void host_dispatcher_unlock(void) {
    pthread_mutex_unlock(&dispatcher.lock);
}

pthread_mutex_t *host_dispatcher_mutex(void) {
    return &dispatcher.lock;
}

/* ---- Known threads --------------------------------------------------------------------------- */

static void thread_make(PKTHREAD thread) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&thread->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    thread->header.Type = 6; /* KOBJECTS: ThreadObject */
    InitializeListHead(&thread->header.WaitListHead);
    InitializeListHead(&thread->mutexes);
}

PKTHREAD host_thread_self(void) {
    if (!self) {
        thread_make(&own);
        own.thread = pthread_self();
        self = &own;
    }
    return self;
}

static void thread_know(PKTHREAD thread) {
    thread->run = dispatcher.run;
    thread->state = HOST_THREAD_RUNNING;
    thread->deadline = UINT64_MAX;
    thread->link_count = 0;
    InsertTailList(&dispatcher.known, &thread->known);
}

static pthread_key_t end_of_thread;

/* Runs at the end of a thread that was known and is not the driver's. */
static void thread_ends(void *thread) {
    host_dispatcher_lock();
    host_thread_leave(thread);
    host_dispatcher_unlock();
}

static void end_of_thread_make(void) {
    (void)pthread_key_create(&end_of_thread, thread_ends);
}

/* The calling thread, which is known from now on. */
static PKTHREAD self_known(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    PKTHREAD me = host_thread_self();
    if (me->run == dispatcher.run)
        return me;
    pthread_once(&once, end_of_thread_make);
    pthread_setspecific(end_of_thread, me);
    thread_know(me);
    return me;
}

void host_dispatcher_init(bool threaded, const struct host_idle *idle) {
    host_dispatcher_lock();
    dispatcher.threaded = threaded;
    dispatcher.idle = *idle;
    dispatcher.run++;
    dispatcher.sleeps = 0;
    atomic_store(&dispatcher.ready_count, 0);
    atomic_store(&dispatcher.earliest, UINT64_MAX);
    InitializeListHead(&dispatcher.known);
    InitializeListHead(&dispatcher.ready);
    InitializeListHead(&dispatcher.wakers);
    dispatcher.idler = NULL;
    dispatcher.current = self_known();
    host_dispatcher_unlock();
}

/* ---- Turns ----------------------------------------------------------------------------------- */

static void ready_add(PKTHREAD thread) {
    thread->state = HOST_THREAD_READY;
    InsertTailList(&dispatcher.ready, &thread->ready);
    atomic_fetch_add(&dispatcher.ready_count, 1);
}

/* Gives the turn to the thread that has been ready for longest; false: none is. */
static bool turn_give(void) {
    if (IsListEmpty(&dispatcher.ready))
        return false;
    PKTHREAD next = CONTAINING_RECORD(RemoveHeadList(&dispatcher.ready), struct _KTHREAD, ready);
    atomic_fetch_sub(&dispatcher.ready_count, 1);
    next->state = HOST_THREAD_RUNNING;
    dispatcher.current = next;
    atomic_fetch_add(&dispatcher.turns, 1);
    pthread_cond_signal(&next->changed);
    return true;
}

/* The thread that fell asleep last is the idle thread. */
static void idler_choose(void) {
    PKTHREAD last = NULL;
    for (LIST_ENTRY *e = dispatcher.known.Flink; e != &dispatcher.known; e = e->Flink) {
        PKTHREAD thread = CONTAINING_RECORD(e, struct _KTHREAD, known);
        if (thread->state == HOST_THREAD_ASLEEP && (!last || thread->order > last->order))
            last = thread;
    }
    dispatcher.idler = last;
    if (last)
        pthread_cond_signal(&last->changed);
}

/* The turn is free: another thread gets it, or there is an idle thread. */
static void turn_pass(void) {
    if (!dispatcher.threaded && !dispatcher.current && !dispatcher.idler && !turn_give())
        idler_choose();
}

static void turn_end(PKTHREAD thread) {
    if (dispatcher.current == thread)
        dispatcher.current = NULL;
}

static void wait_until(PKTHREAD me, uint64_t real) {
    struct timespec until = {.tv_sec = (time_t)(real / SECOND), .tv_nsec = (int)(real % SECOND)};
    (void)pthread_cond_timedwait(&me->changed, &dispatcher.lock, &until);
}

static uint64_t cpu_time(PKTHREAD thread) {
    clockid_t clock;
    struct timespec t;
    if (pthread_getcpuclockid(thread->thread, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* Waits for a change of a thread that is ready. The first of them looks now and then whether the
 * thread that runs makes any use of its turn. */
static void wait_turn(PKTHREAD me) {
    static uint64_t turn, began; /* the turn that is looked at, and the CPU time then */
    wait_until(me, host_real_now() + LOOK_NS);
    PKTHREAD current = dispatcher.current;
    if (!current || dispatcher.ready.Flink != &me->ready)
        return;
    if (turn != atomic_load(&dispatcher.turns)) {
        turn = atomic_load(&dispatcher.turns);
        began = cpu_time(current);
    } else if (cpu_time(current) - began > TURN_NS) {
        dispatcher.current = NULL;
        turn_pass();
    }
}

static bool conclude(void);

/* One step of the idle thread. */
static void idler_step(PKTHREAD me) {
    host_dispatcher_unlock();
    bool worked = dispatcher.idle.work();
    host_dispatcher_lock();
    if (worked && IsListEmpty(&dispatcher.ready))
        return;
    if (IsListEmpty(&dispatcher.ready))
        (void)conclude();
    dispatcher.idler = NULL;
    if (!turn_give() && me->state == HOST_THREAD_ASLEEP)
        pthread_cond_wait(&me->changed, &dispatcher.lock);
}

static void turn_await(PKTHREAD me) {
    while (me->state != HOST_THREAD_RUNNING)
        if (dispatcher.idler == me)
            idler_step(me);
        else if (me->state == HOST_THREAD_READY)
            wait_turn(me);
        else
            pthread_cond_wait(&me->changed, &dispatcher.lock);
}

void host_thread_prepare(PKTHREAD thread) {
    thread_make(thread);
    thread->driver = true;
    thread_know(thread);
    if (!dispatcher.threaded) {
        ready_add(thread);
        turn_pass();
    }
}

void host_thread_begin(PKTHREAD thread) {
    self = thread;
    turn_await(thread);
}

void host_thread_leave(PKTHREAD thread) {
    if (thread->run != dispatcher.run)
        return;
    thread->run = 0;
    RemoveEntryList(&thread->known);
    turn_end(thread);
    turn_pass();
    if (dispatcher.threaded)
        (void)conclude();
}

void host_yield(void) {
    if (atomic_load(&dispatcher.ready_count) == 0)
        return;
    host_dispatcher_lock();
    PKTHREAD me = host_thread_self();
    if (dispatcher.current == me) {
        ready_add(me);
        turn_end(me);
        turn_pass();
        turn_await(me);
    }
    host_dispatcher_unlock();
}

uint64_t host_dispatcher_turn(void) {
    return atomic_load(&dispatcher.turns);
}

bool host_thread_ready(void) {
    return atomic_load(&dispatcher.ready_count) != 0;
}

void vidmm_host_away(bool away) {
    host_dispatcher_lock();
    PKTHREAD me = self_known();
    if (away) {
        me->state = HOST_THREAD_AWAY;
        turn_end(me);
        turn_pass();
        if (dispatcher.threaded)
            (void)conclude();
    } else if (dispatcher.threaded) {
        me->state = HOST_THREAD_RUNNING;
    } else {
        ready_add(me);
        turn_pass();
        turn_await(me);
    }
    host_dispatcher_unlock();
}

/* ---- Sleep ----------------------------------------------------------------------------------- */

/* The sleeping thread with the earliest deadline; of several the one that fell asleep first. */
static PKTHREAD deadline_first(void) {
    PKTHREAD first = NULL;
    for (LIST_ENTRY *e = dispatcher.known.Flink; e != &dispatcher.known; e = e->Flink) {
        PKTHREAD thread = CONTAINING_RECORD(e, struct _KTHREAD, known);
        if (thread->deadline == UINT64_MAX)
            continue;
        if (!first || thread->deadline < first->deadline ||
            (thread->deadline == first->deadline && thread->order < first->order))
            first = thread;
    }
    return first;
}

uint64_t host_deadline_next(void) {
    return atomic_load(&dispatcher.earliest);
}

void host_deadline_expire(void) {
    PKTHREAD first = deadline_first();
    if (first)
        host_thread_wake(first, HOST_SLEEP_TIMEOUT);
}

static void deadline_end(PKTHREAD thread) {
    bool earliest = thread->deadline == atomic_load(&dispatcher.earliest);
    if (thread->deadline == UINT64_MAX)
        return;
    thread->deadline = UINT64_MAX;
    if (!earliest)
        return;
    PKTHREAD first = deadline_first();
    atomic_store(&dispatcher.earliest, first ? first->deadline : UINT64_MAX);
}

PKTHREAD host_thread_waiting(const DISPATCHER_HEADER *object) {
    for (LIST_ENTRY *e = dispatcher.known.Flink; e != &dispatcher.known; e = e->Flink) {
        PKTHREAD thread = CONTAINING_RECORD(e, struct _KTHREAD, known);
        for (uint32_t i = 0; i < thread->link_count; i++)
            if (thread->links[i].object == object)
                return thread;
    }
    return NULL;
}

void host_thread_wake(PKTHREAD thread, enum host_sleep_end end) {
    for (uint32_t i = 0; i < thread->link_count; i++)
        RemoveEntryList(&thread->links[i].entry);
    thread->link_count = 0;
    thread->end = end;
    deadline_end(thread);
    if (dispatcher.threaded) {
        thread->state = HOST_THREAD_RUNNING;
        pthread_cond_signal(&thread->changed);
        return;
    }
    ready_add(thread);
    turn_pass();
}

/*
 * Ends the endless sleep that began first, if nothing can wake any thread; false: there is none, or
 * something can. A thread of the driver may sleep for ever: it has no work. A sleep for a lock ends
 * with its holder, which may not be known yet: were it ended here, it would begin again at once and
 * never let the holder have the dispatcher.
 */
static bool conclude(void) {
    PKTHREAD first = NULL;
    if (atomic_load(&dispatcher.earliest) != UINT64_MAX)
        return false;
    for (LIST_ENTRY *e = dispatcher.known.Flink; e != &dispatcher.known; e = e->Flink) {
        PKTHREAD thread = CONTAINING_RECORD(e, struct _KTHREAD, known);
        if (thread->state == HOST_THREAD_RUNNING || thread->state == HOST_THREAD_READY)
            return false;
        if (!thread->driver && !thread->locked_out && thread->state == HOST_THREAD_ASLEEP &&
            (!first || thread->order < first->order))
            first = thread;
    }
    if (!first || (dispatcher.threaded && !dispatcher.idle.quiet()))
        return false;
    host_thread_wake(first, HOST_SLEEP_ENDLESS);
    return true;
}

void host_dispatcher_rest(void) {
    (void)conclude();
}

static void sleep_virtual(PKTHREAD me) {
    turn_end(me);
    if (!dispatcher.current && !dispatcher.idler && !turn_give())
        dispatcher.idler = me;
    turn_await(me);
}

static void sleep_real(PKTHREAD me) {
    (void)conclude();
    while (me->state == HOST_THREAD_ASLEEP) {
        if (me->deadline == UINT64_MAX) {
            pthread_cond_wait(&me->changed, &dispatcher.lock);
            continue;
        }
        wait_until(me, me->deadline);
        if (me->state == HOST_THREAD_ASLEEP && host_now() >= me->deadline)
            host_thread_wake(me, HOST_SLEEP_TIMEOUT);
    }
}

enum host_sleep_end host_thread_sleep(struct host_link *links, uint32_t count, uint64_t deadline) {
    PKTHREAD me = self_known();
    host_halted_owns(0);
    me->links = links;
    me->link_count = count;
    me->deadline = deadline;
    me->order = ++dispatcher.sleeps;
    me->state = HOST_THREAD_ASLEEP;
    if (deadline < atomic_load(&dispatcher.earliest))
        atomic_store(&dispatcher.earliest, deadline);
    if (dispatcher.threaded)
        sleep_real(me);
    else
        sleep_virtual(me);
    return me->end;
}

/* ---- Wakes of everything --------------------------------------------------------------------- */

static bool woken(void) {
    uint64_t now = atomic_load(&wakes);
    if (now == host_self.seen_wakes)
        return false;
    host_self.seen_wakes = now;
    return true;
}

bool host_sleep(uint64_t deadline) {
    if (woken())
        return true;
    if (host_now() >= deadline)
        return false;
    host_dispatcher_lock();
    struct host_link link = {.thread = host_thread_self()};
    atomic_fetch_add(&dispatcher.waker_count, 1);
    bool woke = woken();
    if (!woke) {
        InsertTailList(&dispatcher.wakers, &link.entry);
        woke = host_thread_sleep(&link, 1, deadline) == HOST_SLEEP_WOKEN;
    }
    atomic_fetch_sub(&dispatcher.waker_count, 1);
    host_dispatcher_unlock();
    return woken() || woke;
}

void host_wake(void) {
    atomic_fetch_add(&wakes, 1);
    if (atomic_load(&dispatcher.waker_count) == 0)
        return;
    host_dispatcher_lock();
    while (!IsListEmpty(&dispatcher.wakers))
        host_thread_wake(
            CONTAINING_RECORD(dispatcher.wakers.Flink, struct host_link, entry)->thread,
            HOST_SLEEP_WOKEN);
    host_dispatcher_unlock();
}
