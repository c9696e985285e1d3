/* engines.c - the pump and the engine threads of engines.h. */
#include "kernel/engines.h"

#include "base/thread.h"
#include "kernel/clock.h"
#include "kernel/dispatcher.h"
#include "kernel/dpc.h"
#include "kernel/interrupt.h"
#include "kernel/timers.h"

/* Duration of a step if the model does not set it. */
#define STEP_NS 100u
/* host_run_all stops after so many rounds if the hardware never gets idle, and after so much time that
 * what did not come by then never comes (TDR: two seconds). */
#define MOST_ROUNDS ((uint64_t)1 << 26)
#define MOST_NS     UINT64_C(10000000000)
/* Rounds at one register write: hardware that never rests does not hold the driver up. */
#define MOST_AT_ONCE 64u
/* Or after so many rounds in which no time passed: a thread that never sleeps waits for nothing. */
#define MOST_IDLE 4096u

/* When the first timer fires or sleep ends. */
static uint64_t due_next(void) {
    uint64_t timer = host_timers_next(), sleep = host_deadline_next();
    return timer < sleep ? timer : sleep;
}

/* Every thread waits, and for nothing that has a time: what is held back (vidmm_host_hold_interrupts) is late then, and
 * not lost. */
static bool engines_let_go(void) {
    struct host_engines *engines = host_world->engines;
    bool held = atomic_load(&engines->held) || atomic_load(&host_world->interrupts_held) ||
                atomic_load(&host_world->dpcs->held);
    if (!held)
        return false;
    atomic_store(&engines->held, false);
    host_dpcs_hold(false);
    host_interrupts_hold(false);
    return true;
}

/* Dispatcher: no thread runs. */
static bool engines_work(void) {
    if (host_pump())
        return true;
    uint64_t sleep = host_deadline_next(), next = due_next();
    host_dispatcher_lock();
    bool heard = sleep != UINT64_MAX || host_timers_heard();
    host_dispatcher_unlock();
    if (!heard)
        return engines_let_go();
    host_advance_to(next);
    return host_timers_run();
}

/* Every engine thread waits for a register write that has not happened. */
static bool engines_doze(struct host_engines *engines) {
    pthread_mutex_lock(&engines->kick_lock);
    bool all = atomic_load(&engines->dozing) == engines->started;
    for (uint32_t e = 0; e < engines->started; e++)
        all = all && engines->engine[e].seen == atomic_load(&engines->kicks);
    pthread_mutex_unlock(&engines->kick_lock);
    return all;
}

/* Dispatcher: a threaded run has nothing to do but its threads. */
static bool engines_quiet(void) {
    return engines_doze(host_world->engines) && host_timers_rest() && !host_dpcs_pending() &&
           !host_interrupts_pending();
}

void host_engines_init(struct host_engines *engines, bool threaded) {
    static const struct host_idle idle = {.work = engines_work, .quiet = engines_quiet};
    engines->threaded = threaded;
    pthread_mutex_init(&engines->pump, NULL);
    pthread_mutex_init(&engines->kick_lock, NULL);
    pthread_cond_init(&engines->kick, NULL);
    host_dispatcher_init(threaded, &idle);
}

void host_engines_done(struct host_engines *engines) {
    pthread_cond_destroy(&engines->kick);
    pthread_mutex_destroy(&engines->kick_lock);
    pthread_mutex_destroy(&engines->pump);
}

/* ---- Virtual time ---------------------------------------------------------------------------- */

static bool engine_step(uint32_t board, uint32_t engine) {
    const struct vidmm_hw_model *model = host_world->model[board];
    uint32_t outer = host_self.engine;
    host_model_enter();
    host_self.engine = engine + 1;
    bool worked = model->step(host_world->hw[board], engine);
    host_self.engine = outer;
    host_model_leave();
    return worked;
}

bool host_engine_busy(uint32_t board, uint32_t engine, uint64_t ns) {
    struct host_engines *engines = host_world->engines;
    if (!engines->threaded)
        engines->busy[board][engine] = host_now() + ns;
    return !engines->threaded;
}

/* Each engine that is not busy, of the boards that there are already. `*end`: when the first busy one is
 * done; UINT64_MAX: none is. */
static bool engines_step_free(uint64_t *end) {
    const struct vidmm_hw_model *model = host_world->config.model;
    struct host_engines *engines = host_world->engines;
    bool worked = false;
    *end = UINT64_MAX;
    if (atomic_load(&engines->held))
        return false;
    for (uint32_t board = 0; model && board < host_world->boards; board++)
        for (uint32_t e = 0; host_world->hw[board] && e < model->engines; e++) {
            const uint64_t *busy = &engines->busy[board][e];
            if (*busy <= host_now())
                worked |= engine_step(board, e);
            if (*busy > host_now() && *busy < *end)
                *end = *busy;
        }
    return worked;
}

/* The same, and what the first of the busy ones has to show, unless something is due before that. */
static bool engines_step(uint64_t due) {
    uint64_t end;
    bool worked = engines_step_free(&end);
    if (end == UINT64_MAX)
        return worked;
    host_advance_to(due < end ? due : end);
    if (end <= due)
        (void)engines_step_free(&end);
    return true;
}

bool host_pump(void) {
    struct host_engines *engines = host_world->engines;
    if (engines->threaded || host_self.pumping || host_self.in_model != 0)
        return false;
    if (pthread_mutex_trylock(&engines->pump) != 0)
        return false;
    host_self.pumping = true;
    uint64_t before = atomic_load(&engines->virtual_now);
    bool worked = engines_step(due_next());
    if (worked && atomic_load(&engines->virtual_now) == before)
        host_advance(STEP_NS);
    host_self.pumping = false;
    pthread_mutex_unlock(&engines->pump);
    return host_timers_run() || worked;
}

void host_run_all(void) {
    uint64_t now = host_now(), end = now + MOST_NS, round = 0;
    uint32_t idle = 0;
    bool more = true;
    while (more && idle < MOST_IDLE && round++ < MOST_ROUNDS && now < end) {
        host_yield();
        more = host_pump() || host_thread_ready();
        idle = host_now() == now ? idle + 1 : 0;
        now = host_now();
    }
}

void host_engines_at_once(void) {
    uint32_t round = 0;
    if (!host_world->config.eager || host_self.irql >= HOST_DEVICE_IRQL)
        return;
    while (round < MOST_AT_ONCE && host_pump())
        round++;
}

void host_engines_meanwhile(void) {
    if (host_world->config.overlapping && !host_world->engines->threaded &&
        host_self.irql >= HOST_DEVICE_IRQL && host_self.in_model == 0 && engines_step(UINT64_MAX))
        host_advance(STEP_NS);
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

/* Tells the dispatcher that an engine has nothing to do. */
static void engine_rest(void) {
    host_dispatcher_lock();
    host_dispatcher_rest();
    host_dispatcher_unlock();
}

/* Sleeps until a register is written after `seen` of them. */
static void engine_doze(struct host_engines *engines, struct host_engine *engine, uint64_t seen) {
    pthread_mutex_lock(&engines->kick_lock);
    engine->seen = seen;
    atomic_fetch_add(&engines->dozing, 1);
    pthread_mutex_unlock(&engines->kick_lock);
    engine_rest();
    pthread_mutex_lock(&engines->kick_lock);
    while (atomic_load(&engines->kicks) == seen && !atomic_load(&engines->stop))
        pthread_cond_wait(&engines->kick, &engines->kick_lock);
    atomic_fetch_sub(&engines->dozing, 1);
    pthread_mutex_unlock(&engines->kick_lock);
}

static void *engine_thread(void *argument) {
    struct host_engine *engine = argument;
    struct host_engines *engines = host_world->engines;
    while (!atomic_load(&engines->stop)) {
        uint64_t seen = atomic_load(&engines->kicks);
        if (!engine_step(engine->board, engine->index))
            engine_doze(engines, engine, seen);
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
    while (engines->started < host_world->boards * model->engines) {
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
