/* waits_program.c - makes the programs of waits_program.h. */
#include "waits_program.h"

#include <string.h>

static uint32_t pick(uint64_t *random, uint32_t below) {
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*random >> 33) % below);
}

static enum object pick_event(uint64_t *random) {
    return (enum object)pick(random, SEMAPHORE);
}

/* A thread waits only for those before it, so that they do not wait for each other. */
static enum object pick_awaited(uint64_t *random, uint32_t actor, uint32_t actors) {
    uint32_t threads = actor == 0 ? actors - 1 : actor - 1;
    uint32_t n = pick(random, FAST_0 + (threads != 0 ? 1 : 0));
    return n < FAST_0 ? (enum object)n : (enum object)(THREAD + 1 + pick(random, threads));
}

static int32_t pick_time(uint64_t *random) {
    static const int32_t times[] = {NEVER, NEVER, NEVER, 0, 10, 20, 30, 40, 50};
    return times[pick(random, sizeof(times) / sizeof(times[0]))];
}

static void make_wait(struct op *op, uint64_t *random, uint32_t actor, uint32_t actors) {
    uint32_t wanted = pick(random, 2) ? 1 : 1 + pick(random, WAITS_MOST);
    op->kind = WAIT;
    op->all = pick(random, 2);
    op->time = pick_time(random);
    while (op->count < wanted) {
        enum object object = pick_awaited(random, actor, actors);
        bool twice = false;
        for (uint32_t i = 0; i < op->count; i++)
            twice |= op->object[i] == object;
        if (twice)
            wanted--;
        else
            op->object[op->count++] = object;
    }
}

static void make_timer(struct op *op, uint64_t *random) {
    op->kind = pick(random, 4) ? TIMER_SET : TIMER_CANCEL;
    op->object[0] = pick(random, 2) ? TIMER_NOTE : TIMER_SYNC;
    op->time = (int32_t)pick(random, 6) * 10;
    op->period_ms = pick(random, 8) == 0;
}

static struct op make_op(uint64_t *random, uint32_t actor, uint32_t actors) {
    struct op op = {.kind = NOTHING, .amount = 1};
    uint32_t n = pick(random, 100);
    if (n < 30) {
        make_wait(&op, random, actor, actors);
    } else if (n < 48) {
        op.kind = pick(random, 4) ? SET : RESET;
        op.object[0] = pick_event(random);
    } else if (n < 56) {
        op.kind = RELEASE;
        op.object[0] = SEMAPHORE;
        op.amount = 1 + (int32_t)pick(random, 2);
    } else if (n < 64) {
        op.kind = RELEASE;
        op.object[0] = pick(random, 2) ? MUTEX_0 : MUTEX_1;
    } else if (n < 72) {
        op.kind = pick(random, 3) ? LOCK : TRY;
        op.object[0] = pick(random, 2) ? FAST_0 : FAST_1;
    } else if (n < 80) {
        op.kind = UNLOCK;
        op.object[0] = pick(random, 2) ? FAST_0 : FAST_1;
    } else if (n < 88) {
        make_timer(&op, random);
    } else {
        op.kind = n < 96 ? DELAY : STALL;
        op.time = (int32_t)pick(random, 6) * 10;
    }
    return op;
}

void program_never_endless(struct program *program) {
    for (uint32_t i = 0; i < OPS; i++) {
        struct op *op = &program->op[0][i];
        op->time = op->kind == WAIT && op->time == NEVER ? 50 : op->time;
        op->kind = op->kind == LOCK ? TRY : op->kind;
    }
}

void program_make(struct program *program, uint64_t seed) {
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    memset(program, 0, sizeof(*program));
    program->seed = seed;
    program->actors = 2 + pick(&random, ACTORS - 1);
    for (uint32_t a = 0; a < program->actors; a++) {
        uint32_t count = 1 + pick(&random, OPS);
        for (uint32_t i = 0; i < count; i++)
            program->op[a][i] = make_op(&random, a, program->actors);
        for (uint32_t i = 0; i < count; i++)
            program->periodic |= program->op[a][i].period_ms != 0;
    }
    if (program->periodic)
        program_never_endless(program);
}

/* ---- Running --------------------------------------------------------------------------------- */

static bool owns_any(const struct actor *actor) {
    bool any = false;
    for (uint32_t o = 0; o < OBJECTS; o++)
        any |= actor->owned[o] != 0;
    return any;
}

/* A wait for a mutex or a thread has an end if the actor owns something. */
static struct op safe_wait(const struct actor *actor, struct op op) {
    for (uint32_t i = 0; i < op.count; i++)
        if ((op.object[i] == MUTEX_0 || op.object[i] == MUTEX_1 || op.object[i] >= THREAD) &&
            op.time == NEVER && owns_any(actor))
            op.time = 50;
    return op;
}

static struct op safe(const struct actor *actor, struct op op) {
    const struct op nothing = {.kind = NOTHING};
    enum object o = op.object[0];
    bool mutex = o == MUTEX_0 || o == MUTEX_1;
    switch (op.kind) {
    case WAIT:
        return safe_wait(actor, op);
    case RELEASE:
        return mutex && actor->owned[o] == 0 ? nothing : op;
    case LOCK:
    case TRY: /* in order, and given back in the opposite one */
        return actor->owned[o] != 0 || actor->owned[FAST_1] != 0 ? nothing : op;
    case UNLOCK:
        return actor->owned[o] == 0 || (o == FAST_0 && actor->owned[FAST_1]) ? nothing : op;
    default:
        return op;
    }
}

static bool give_back(const struct actor *actor, struct op *op) {
    static const enum object order[] = {FAST_1, FAST_0, MUTEX_0, MUTEX_1};
    for (uint32_t i = 0; i < 4; i++)
        if (actor->owned[order[i]] != 0) {
            *op = (struct op){.kind = i < 2 ? UNLOCK : RELEASE, .amount = 1};
            op->object[0] = order[i];
            return true;
        }
    return false;
}

/* Signals that free every thread in the end. */
static struct op rescue(uint32_t step) {
    static const struct op steps[] = {
        {.kind = TIMER_SET, .object = {TIMER_NOTE}, .time = 10},
        {.kind = TIMER_SET, .object = {TIMER_SYNC}, .time = 10},
        {.kind = SET, .object = {NOTE}},
        {.kind = SET, .object = {SYNC_0}},
        {.kind = SET, .object = {SYNC_1}},
        {.kind = RELEASE, .object = {SEMAPHORE}, .amount = 1},
        {.kind = DELAY, .time = 10},
    };
    return steps[step % (sizeof(steps) / sizeof(steps[0]))];
}

struct op program_next(const struct program *program, struct actor *actor, uint32_t ended) {
    struct op op = {.kind = END};
    uint32_t pc = actor->pc++;
    if (pc < OPS)
        return safe(actor, program->op[actor->index][pc]);
    if (give_back(actor, &op) || actor->index != 0)
        return op;
    return ended == program->actors - 1 ? op : rescue(pc);
}

void record_add(struct record *record, uint32_t actor, enum kind kind, int32_t result,
                uint64_t time) {
    if (record->count < LOG_MOST)
        record->entry[record->count++] = (struct entry){actor, kind, result, time};
    record->endless += result == ENDLESS;
}
