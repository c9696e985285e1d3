/* engines.c - the clock, the pump and the engine threads of engines.h. */
#include "kernel/engines.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

#include "base/thread.h"
#include "kernel/interrupt.h"
#include "kernel/timers.h"

#define SECOND 1000000000u
/* Duration of a step if the model does not set it. */
#define STEP_NS 100u
/* Rounds of the pump before a sleeper checks its condition again. */
#define ROUNDS 64u
/* Real time that a sleeper gives other threads before it takes them for idle. */
#define GRACE_NS 20000000u

static _Atomic uint64_t wakes;

void host_engines_init(struct host_engines *engines, bool threaded) {
    static _Atomic uint64_t runs;
    pthread_condattr_t monotonic;
    engines->threaded = threaded;
    engines->run = atomic_fetch_add(&runs, 1) + 1;
    pthread_mutex_init(&engines->pump, NULL);
    pthread_mutex_init(&engines->sleep_lock, NULL);
    pthread_mutex_init(&engines->kick_lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&engines->sleep, &monotonic);
    pthread_cond_init(&engines->kick, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void host_engines_done(struct host_engines *engines) {
    pthread_cond_destroy(&engines->kick);
    pthread_cond_destroy(&engines->sleep);
    pthread_mutex_destroy(&engines->kick_lock);
    pthread_mutex_destroy(&engines->sleep_lock);
    pthread_mutex_destroy(&engines->pump);
}

static uint64_t real_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

uint64_t host_now(void) {
    struct host_engines *engines = host_world->engines;
    return engines->threaded ? real_now() : atomic_load(&engines->virtual_now);
}

void host_advance(uint64_t ns) {
    struct host_engines *engines = host_world->engines;
    if (!engines->threaded)
        atomic_fetch_add(&engines->virtual_now, ns);
}

/* Virtual time never goes back: another thread may have advanced it further. */
static void advance_to(uint64_t when) {
    _Atomic uint64_t *clock = &host_world->engines->virtual_now;
    uint64_t now = atomic_load(clock);
    while (now < when && !atomic_compare_exchange_weak(clock, &now, when))
        ;
}

/* ---- Virtual time ---------------------------------------------------------------------------- */

static bool engine_step(uint32_t board, uint32_t engine) {
    const struct vidmm_hw_model *model = host_world->config.model;
    host_model_enter();
    bool worked = model->step(host_world->hw[board], engine);
    host_model_leave();
    return worked;
}

/* Each engine, of the boards that there are already. */
static bool engines_step(void) {
    const struct vidmm_hw_model *model = host_world->config.model;
    bool worked = false;
    for (uint32_t board = 0; model && board < host_world->linked; board++)
        for (uint32_t e = 0; host_world->hw[board] && e < model->engines; e++)
            worked |= engine_step(board, e);
    return worked;
}

bool host_pump(void) {
    struct host_engines *engines = host_world->engines;
    if (engines->threaded || host_self.pumping || host_self.in_model != 0)
        return false;
    if (pthread_mutex_trylock(&engines->pump) != 0)
        return false;
    host_self.pumping = true;
    uint64_t before = atomic_load(&engines->virtual_now);
    bool worked = engines_step();
    if (worked && atomic_load(&engines->virtual_now) == before)
        host_advance(STEP_NS);
    host_self.pumping = false;
    pthread_mutex_unlock(&engines->pump);
    host_timers_run();
    return worked;
}

void host_stall(uint64_t ns) {
    uint64_t end = host_now() + ns;
    if (host_world->engines->threaded) {
        while (host_now() < end)
            sched_yield();
        return;
    }
    while (host_now() < end && host_pump())
        ;
    advance_to(end);
    host_timers_run();
}

/* ---- Sleeping -------------------------------------------------------------------------------- */

void host_wake(void) {
    struct host_engines *engines = host_world->engines;
    atomic_fetch_add(&wakes, 1);
    if (atomic_load(&engines->sleepers) == 0)
        return;
    pthread_mutex_lock(&engines->sleep_lock);
    pthread_cond_broadcast(&engines->sleep);
    pthread_mutex_unlock(&engines->sleep_lock);
}

static bool engine_woken(void) {
    uint64_t now = atomic_load(&wakes);
    if (now == host_self.seen_wakes)
        return false;
    host_self.seen_wakes = now;
    return true;
}

/* Sleeps in real time; true when woken. */
static bool real_sleep(uint64_t deadline) {
    struct host_engines *engines = host_world->engines;
    struct timespec until = {.tv_sec = (time_t)(deadline / SECOND),
                             .tv_nsec = (int)(deadline % SECOND)};
    bool woke;
    atomic_fetch_add(&engines->sleepers, 1);
    pthread_mutex_lock(&engines->sleep_lock);
    while (!(woke = engine_woken()))
        if (pthread_cond_timedwait(&engines->sleep, &engines->sleep_lock, &until) == ETIMEDOUT) {
            woke = engine_woken();
            break;
        }
    pthread_mutex_unlock(&engines->sleep_lock);
    atomic_fetch_sub(&engines->sleepers, 1);
    return woke;
}

/* Other threads may still do what the sleeper waits for. */
static bool others_may_act(struct host_engines *engines) {
    return atomic_load(&engines->users) > 1 || atomic_load(&engines->system_threads) > 0;
}

static void count_user(struct host_engines *engines) {
    if (host_self.run != engines->run) {
        host_self.run = engines->run;
        atomic_fetch_add(&engines->users, 1);
    }
}

static bool virtual_sleep(uint64_t deadline) {
    struct host_engines *engines = host_world->engines;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (engine_woken())
            return true;
        if (host_now() >= deadline)
            return false;
        if (host_pump())
            continue;
        if (engine_woken())
            return true;
        if (others_may_act(engines) && real_sleep(real_now() + GRACE_NS))
            return true;
        uint64_t due = host_timers_next();
        if (due == UINT64_MAX && deadline == UINT64_MAX)
            return false;
        advance_to(due < deadline ? due : deadline);
        host_timers_run();
    }
    return true;
}

bool host_sleep(uint64_t deadline) {
    struct host_engines *engines = host_world->engines;
    count_user(engines);
    if (!engines->threaded)
        return virtual_sleep(deadline);
    if (engine_woken())
        return true;
    uint64_t furthest = real_now() + (uint64_t)3600 * SECOND;
    return real_sleep(deadline < furthest ? deadline : furthest);
}

/* Counts this thread as idle, once since the wake that it saw last. */
static void count_idle(struct host_engines *engines) {
    static _Thread_local uint64_t counted;
    uint64_t seen = host_self.seen_wakes, now = atomic_load(&engines->idle), wanted;
    if (counted == seen + 1)
        return;
    counted = seen + 1;
    do
        wanted = now >> 16 == seen ? now + 1 : seen << 16 | 1;
    while (now >> 16 <= seen && !atomic_compare_exchange_weak(&engines->idle, &now, wanted));
}

void host_idle(void) {
    if (engine_woken())
        return;
    count_idle(host_world->engines);
    real_sleep(real_now() + GRACE_NS);
}

static bool threads_idle(struct host_engines *engines) {
    uint64_t threads = atomic_load(&engines->system_threads);
    return threads == 0 || atomic_load(&engines->idle) == (atomic_load(&wakes) << 16 | threads);
}

void host_settle(void) {
    const struct timespec nap = {.tv_nsec = 100000};
    uint64_t end = real_now() + 5 * (uint64_t)GRACE_NS;
    while (!threads_idle(host_world->engines) && real_now() < end)
        nanosleep(&nap, NULL);
}

/* ---- Engine threads -------------------------------------------------------------------------- */

void host_engines_kick(void) {
    struct host_engines *engines = host_world->engines;
    if (!engines->threaded)
        return;
    atomic_fetch_add(&engines->kicks, 1);
    if (atomic_load(&engines->dozing) == 0)
        return;
    pthread_mutex_lock(&engines->kick_lock);
    pthread_cond_broadcast(&engines->kick);
    pthread_mutex_unlock(&engines->kick_lock);
}

/* Sleeps until a register is written after `seen` of them. */
static void engine_doze(struct host_engines *engines, uint64_t seen) {
    atomic_fetch_add(&engines->dozing, 1);
    pthread_mutex_lock(&engines->kick_lock);
    while (atomic_load(&engines->kicks) == seen && !atomic_load(&engines->stop))
        pthread_cond_wait(&engines->kick, &engines->kick_lock);
    pthread_mutex_unlock(&engines->kick_lock);
    atomic_fetch_sub(&engines->dozing, 1);
}

static void *engine_thread(void *argument) {
    struct host_engine *engine = argument;
    struct host_engines *engines = host_world->engines;
    while (!atomic_load(&engines->stop)) {
        uint64_t seen = atomic_load(&engines->kicks);
        if (!engine_step(engine->board, engine->index))
            engine_doze(engines, seen);
    }
    return NULL;
}

static bool engine_start(struct host_engine *engine) {
    return host_may_allocate() && pthread_create(&engine->thread, NULL, engine_thread, engine) == 0;
}

bool host_engines_start(struct host_engines *engines) {
    const struct vidmm_hw_model *model = host_world->config.model;
    if (!engines->threaded || !model || engines->started != 0)
        return true;
    while (engines->started < host_world->linked * model->engines) {
        struct host_engine *engine = &engines->engine[engines->started];
        engine->board = engines->started / model->engines;
        engine->index = engines->started % model->engines;
        if (!engine_start(engine)) {
            host_engines_stop(engines);
            return false;
        }
        engines->started++;
    }
    return true;
}

void host_engines_stop(struct host_engines *engines) {
    atomic_store(&engines->stop, true);
    pthread_mutex_lock(&engines->kick_lock);
    pthread_cond_broadcast(&engines->kick);
    pthread_mutex_unlock(&engines->kick_lock);
    for (uint32_t e = 0; e < engines->started; e++)
        pthread_join(engines->engine[e].thread, NULL);
    engines->started = 0;
}
