/*
 * waits_model.c - what a program of waits_program.h has to do, in virtual time: one thread at a time,
 * in the order in which they became ready; signals satisfy waits in the order in which they began;
 * time moves when all threads sleep, to the earliest timer or deadline.
 */
#include <ntddk.h>
#include <string.h>

#include "waits_program.h"

#define UNITS_OF_MS 10000u

enum state { READY, RUNNING, ASLEEP, ENDED };

/* What a delay that is over when it begins takes, in units of 100 ns. */
#define NO_DELAY 1000

struct thread {
    struct actor actor;
    enum state state;
    struct op op; /* under way, while it sleeps */
    int32_t result;
    uint64_t deadline, order;
};

struct thing {
    int32_t state;
    uint32_t owner; /* of a mutex: actor + 1 */
    bool set;       /* of a timer */
    uint64_t due, order;
    int32_t period_ms;
};

struct model {
    const struct program *program;
    struct record *record;
    struct thread thread[ACTORS];
    struct thing thing[OBJECTS];
    uint32_t ready[ACTORS], ready_count, ended;
    uint64_t now, order;
};

static bool signalled(const struct model *m, enum object o, uint32_t actor) {
    return m->thing[o].state > 0 || m->thing[o].owner == actor + 1;
}

static void take(struct model *m, enum object o, struct thread *t) {
    struct thing *thing = &m->thing[o];
    switch (o) {
    case SYNC_0:
    case SYNC_1:
    case TIMER_SYNC:
        thing->state = 0;
        break;
    case SEMAPHORE:
        thing->state--;
        break;
    case FAST_0:
    case FAST_1:
        thing->state = 0;
        t->actor.owned[o] = 1;
        break;
    case MUTEX_0:
    case MUTEX_1:
        thing->state--;
        thing->owner = t->actor.index + 1;
        t->actor.owned[o]++;
        break;
    default:
        break;
    }
}

/* Satisfies the wait of `t` if the objects allow it. */
static bool satisfied(struct model *m, struct thread *t) {
    const struct op *op = &t->op;
    uint32_t actor = t->actor.index, count = 0, first = op->count;
    for (uint32_t i = op->count; i-- > 0;)
        if (signalled(m, op->object[i], actor)) {
            first = i;
            count++;
        }
    if (op->count == 0 || (op->all ? count < op->count : count == 0))
        return false;
    for (uint32_t i = 0; i < op->count; i++)
        if (op->all || i == first)
            take(m, op->object[i], t);
    t->result = op->all ? 0 : (int32_t)first;
    return true;
}

static void wake(struct model *m, struct thread *t) {
    t->state = READY;
    m->ready[m->ready_count++] = t->actor.index;
}

static bool waits_for(const struct thread *t, enum object o) {
    for (uint32_t i = 0; i < t->op.count; i++)
        if (t->op.object[i] == o)
            return true;
    return false;
}

/* The next sleeper after `order` that waits for `o`. */
static struct thread *next_waiting(struct model *m, enum object o, uint64_t after) {
    struct thread *next = NULL;
    for (uint32_t a = 0; a < m->program->actors; a++) {
        struct thread *t = &m->thread[a];
        if (t->state == ASLEEP && t->order > after && waits_for(t, o) &&
            (!next || t->order < next->order))
            next = t;
    }
    return next;
}

static int32_t set_state(struct model *m, enum object o, int32_t state) {
    int32_t old = m->thing[o].state;
    uint64_t after = 0;
    struct thread *t;
    m->thing[o].state = state;
    while (m->thing[o].state > 0 && (t = next_waiting(m, o, after))) {
        after = t->order;
        if (satisfied(m, t))
            wake(m, t);
    }
    return old;
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* Begins to sleep; units, or NEVER. */
static void fall_asleep(struct model *m, struct thread *t, int32_t time) {
    t->state = ASLEEP;
    t->order = ++m->order;
    t->deadline = time == NEVER ? UINT64_MAX : m->now + (uint64_t)time;
}

static void do_wait(struct model *m, struct thread *t) {
    if (satisfied(m, t))
        return;
    t->result = t->op.kind == TRY ? 0 : STATUS_TIMEOUT;
    if (t->op.time != 0)
        fall_asleep(m, t, t->op.time);
}

static int32_t do_release(struct model *m, struct thread *t) {
    enum object o = t->op.object[0];
    int32_t state = m->thing[o].state;
    if (o == SEMAPHORE)
        return state + t->op.amount <= SEMAPHORE_LIMIT ? set_state(m, o, state + t->op.amount)
                                                       : state;
    t->actor.owned[o]--;
    if (state == 0)
        m->thing[o].owner = 0;
    return set_state(m, o, state + 1);
}

static int32_t do_timer(struct model *m, const struct op *op) {
    struct thing *timer = &m->thing[op->object[0]];
    bool was = timer->set;
    timer->set = op->kind == TIMER_SET;
    if (timer->set) {
        timer->state = 0;
        timer->due = m->now + (uint64_t)op->time;
        timer->order = ++m->order;
        timer->period_ms = op->period_ms;
    }
    return was;
}

static void do_op(struct model *m, struct thread *t) {
    enum object o = t->op.object[0];
    t->result = 0;
    switch (t->op.kind) {
    case SET:
        t->result = set_state(m, o, 1);
        break;
    case RESET:
        t->result = set_state(m, o, 0);
        break;
    case RELEASE:
        t->result = do_release(m, t);
        break;
    case LOCK:
    case TRY:
        t->op.count = 1;
        t->op.time = t->op.kind == LOCK ? NEVER : 0;
        do_wait(m, t);
        if (t->op.kind == TRY)
            t->result = t->actor.owned[o];
        break;
    case WAIT:
        do_wait(m, t);
        break;
    case UNLOCK:
        t->actor.owned[o] = 0;
        set_state(m, o, 1);
        break;
    case DELAY:
        fall_asleep(m, t, t->op.time == 0 ? NO_DELAY : t->op.time);
        break;
    case STALL:
        fall_asleep(m, t, t->op.time);
        break;
    case TIMER_SET:
    case TIMER_CANCEL:
        t->result = do_timer(m, &t->op);
        break;
    default:
        break;
    }
}

/* Runs one thread until it sleeps or ends. */
static void run(struct model *m, struct thread *t) {
    bool resumed = t->op.kind != NOTHING;
    t->state = RUNNING;
    for (;;) {
        if (resumed)
            record_add(m->record, t->actor.index, t->op.kind, t->result, m->now);
        resumed = true;
        t->op = program_next(m->program, &t->actor, m->ended);
        if (t->op.kind == END)
            break;
        do_op(m, t);
        if (t->state == ASLEEP)
            return;
    }
    t->state = ENDED;
    m->ended += t->actor.index != 0;
    set_state(m, (enum object)(THREAD + t->actor.index), 1);
}

/* ---- Time ------------------------------------------------------------------------------------ */

static struct thing *first_timer(struct model *m) {
    struct thing *first = NULL;
    for (enum object o = TIMER_NOTE; o <= TIMER_SYNC; o++) {
        struct thing *t = &m->thing[o];
        if (t->set &&
            (!first || t->due < first->due || (t->due == first->due && t->order < first->order)))
            first = t;
    }
    return first;
}

static struct thread *first_deadline(struct model *m) {
    struct thread *first = NULL;
    for (uint32_t a = 0; a < m->program->actors; a++) {
        struct thread *t = &m->thread[a];
        if (t->state == ASLEEP && t->deadline != UINT64_MAX &&
            (!first || t->deadline < first->deadline ||
             (t->deadline == first->deadline && t->order < first->order)))
            first = t;
    }
    return first;
}

static void fire(struct model *m, struct thing *timer) {
    enum object o = (enum object)(timer - m->thing);
    timer->set = timer->period_ms != 0;
    if (timer->set) {
        timer->due = m->now + (uint64_t)timer->period_ms * UNITS_OF_MS;
        timer->order = ++m->order;
    }
    set_state(m, o, 1);
    if (o == TIMER_NOTE) {
        int32_t old = set_state(m, SYNC_0, 1);
        record_add(m->record, DPC_ACTOR, DPC, old, m->now);
    }
}

/* What comes next in time; false: nothing will. */
static bool pass_time(struct model *m) {
    bool passed = false;
    for (;;) {
        struct thing *timer = first_timer(m);
        struct thread *sleeper = first_deadline(m);
        if (!timer && !sleeper)
            return passed;
        bool is_timer = timer && (!sleeper || timer->due <= sleeper->deadline);
        uint64_t next = is_timer ? timer->due : sleeper->deadline;
        if (next > m->now && passed)
            return true;
        m->now = next > m->now ? next : m->now;
        passed = true;
        if (is_timer)
            fire(m, timer);
        else
            wake(m, sleeper);
    }
}

static void conclude(struct model *m) {
    m->thread[0].result = ENDLESS;
    wake(m, &m->thread[0]);
}

void model_run(const struct program *program, struct record *record) {
    struct model m = {.program = program, .record = record};
    m.thing[MUTEX_0].state = m.thing[MUTEX_1].state = 1;
    m.thing[FAST_0].state = m.thing[FAST_1].state = 1;
    for (uint32_t a = 0; a < program->actors; a++)
        m.thread[a].actor.index = a;
    for (uint32_t a = 1; a < program->actors; a++)
        wake(&m, &m.thread[a]);
    run(&m, &m.thread[0]);
    while (m.thread[0].state != ENDED) {
        if (m.ready_count != 0) {
            uint32_t next = m.ready[0];
            memmove(m.ready, m.ready + 1, --m.ready_count * sizeof(m.ready[0]));
            run(&m, &m.thread[next]);
        } else if (!pass_time(&m)) {
            conclude(&m);
        }
    }
}
