/*
 * waits_random_test.c - random programs of threads that wait, run by the host and by a model: who
 * goes on, in which order, with what, at what virtual time. And in a threaded run: what has to hold
 * in any order.
 *
 *   WAITS_SEEDS=n [WAITS_SEED=first]: other seeds than the first 10,000.
 */
#include "fixture/tiny.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "waits_program.h"

#define SEEDS          10000u
#define SEEDS_THREADED 150u

/* One program at work. */
static struct {
    struct vidmm_host *host;
    const struct program *program;
    struct record record;
    struct actor actor[ACTORS];
    PVOID object[OBJECTS];
    HANDLE handle[ACTORS];
    KEVENT note, sync[2];
    KSEMAPHORE semaphore;
    KMUTEX mutex[2];
    KTIMER timer[2];
    KDPC dpc;
    FAST_MUTEX fast[2];
    uint64_t start;
    _Atomic uint32_t ended;
    bool threaded;
    pthread_mutex_t lock; /* of the record, in a threaded run */
    _Atomic uint32_t violations;
    /* Counts for a threaded run. */
    _Atomic int32_t inside[OBJECTS];
    _Atomic uint32_t taken[OBJECTS], given[OBJECTS];
    _Atomic uint32_t overlaps, early;
} run;

static uint64_t units_now(void) {
    const struct vidmm_os *os = vidmm_host_os(run.host);
    return (os->now(os->ctx) - run.start) / 100;
}

static void note(uint32_t actor, enum kind kind, int32_t result) {
    pthread_mutex_lock(&run.lock);
    record_add(&run.record, actor, kind, result, units_now());
    pthread_mutex_unlock(&run.lock);
}

static VOID NTAPI timer_dpc(struct _KDPC *dpc, PVOID context, PVOID one, PVOID two) {
    (void)dpc, (void)context, (void)one, (void)two;
    LONG old = KeSetEvent(&run.sync[0], 0, FALSE);
    run.given[SYNC_0] += old == 0;
    note(DPC_ACTOR, DPC, old);
}

/* An object that one actor has at a time. */
static void enter(struct actor *actor, enum object o) {
    if (actor->owned[o]++ == 0 && run.inside[o]++ != 0)
        run.overlaps++;
}

static void leave(struct actor *actor, enum object o) {
    if (--actor->owned[o] == 0)
        run.inside[o]--;
}

static void took(struct actor *actor, enum object o) {
    run.taken[o]++;
    if (o == MUTEX_0 || o == MUTEX_1)
        enter(actor, o);
}

static int32_t do_wait(struct actor *actor, const struct op *op) {
    LARGE_INTEGER time = {.QuadPart = -op->time}, *timeout = op->time == NEVER ? NULL : &time;
    PVOID objects[WAITS_MOST];
    for (uint32_t i = 0; i < op->count; i++)
        objects[i] = run.object[op->object[i]];
    NTSTATUS status =
        op->count == 1 ? KeWaitForSingleObject(objects[0], Executive, KernelMode, FALSE, timeout)
                       : KeWaitForMultipleObjects(op->count, objects, op->all ? WaitAll : WaitAny,
                                                  Executive, KernelMode, FALSE, timeout, NULL);
    if (status == STATUS_UNSUCCESSFUL)
        return ENDLESS;
    for (uint32_t i = 0; status != STATUS_TIMEOUT && i < op->count; i++)
        if (op->all || i == (uint32_t)status)
            took(actor, op->object[i]);
    return status;
}

static int32_t do_release(struct actor *actor, const struct op *op) {
    enum object o = op->object[0];
    if (o == SEMAPHORE) {
        pthread_mutex_lock(&run.lock);
        LONG state = KeReadStateSemaphore(&run.semaphore);
        if (state + op->amount <= SEMAPHORE_LIMIT) {
            run.given[o] += (uint32_t)op->amount;
            state = KeReleaseSemaphore(&run.semaphore, 0, op->amount, FALSE);
        }
        pthread_mutex_unlock(&run.lock);
        return state;
    }
    leave(actor, o);
    return KeReleaseMutex(run.object[o], FALSE);
}

static int32_t do_fast(struct actor *actor, const struct op *op) {
    PFAST_MUTEX mutex = run.object[op->object[0]];
    if (op->kind == UNLOCK) {
        leave(actor, op->object[0]);
        ExReleaseFastMutex(mutex);
        return 0;
    }
    if (op->kind == TRY) {
        if (!ExTryToAcquireFastMutex(mutex))
            return 0;
        enter(actor, op->object[0]);
        return 1;
    }
    ExAcquireFastMutex(mutex);
    if (KeGetCurrentIrql() == PASSIVE_LEVEL)
        return ENDLESS; /* it was not acquired */
    if (mutex->Owner != KeGetCurrentThread())
        return ENDLESS;
    enter(actor, op->object[0]);
    return 0;
}

static int32_t do_op(struct actor *actor, const struct op *op) {
    LARGE_INTEGER time = {.QuadPart = -op->time};
    PKEVENT event = run.object[op->object[0]];
    switch (op->kind) {
    case SET: {
        LONG old = KeSetEvent(event, 0, FALSE);
        run.given[op->object[0]] += old == 0;
        return old;
    }
    case RESET:
        return KeResetEvent(event);
    case RELEASE:
        return do_release(actor, op);
    case WAIT:
        return do_wait(actor, op);
    case LOCK:
    case TRY:
    case UNLOCK:
        return do_fast(actor, op);
    case DELAY:
        return KeDelayExecutionThread(KernelMode, FALSE, &time);
    case STALL:
        KeStallExecutionProcessor((ULONG)op->time / 10);
        return 0;
    case TIMER_SET:
        return KeSetTimerEx(run.object[op->object[0]], time, op->period_ms,
                            op->object[0] == TIMER_NOTE ? &run.dpc : NULL);
    case TIMER_CANCEL:
        return KeCancelTimer(run.object[op->object[0]]);
    default:
        return 0;
    }
}

/* What sleeps for a time, or until one has passed, comes back no earlier. */
static bool early(const struct op *op, int32_t result, uint64_t began) {
    bool timed = op->kind == DELAY || op->kind == STALL || (op->kind == WAIT && op->time > 0);
    return timed && (op->kind != WAIT || result == STATUS_TIMEOUT) &&
           units_now() < began + (uint64_t)op->time;
}

static VOID NTAPI act(PVOID context) {
    struct actor *actor = context;
    for (;;) {
        struct op op = program_next(run.program, actor, run.ended);
        if (op.kind == END)
            break;
        uint64_t began = units_now();
        int32_t result = do_op(actor, &op);
        run.early += early(&op, result, began);
        note(actor->index, op.kind, result);
    }
    if (actor->index != 0)
        run.ended++;
}

/* ---- A program ------------------------------------------------------------------------------- */

static void make_objects(void) {
    KeInitializeEvent(&run.note, NotificationEvent, FALSE);
    KeInitializeSemaphore(&run.semaphore, 0, SEMAPHORE_LIMIT);
    KeInitializeTimerEx(&run.timer[0], NotificationTimer);
    KeInitializeTimerEx(&run.timer[1], SynchronizationTimer);
    KeInitializeDpc(&run.dpc, timer_dpc, NULL);
    run.object[NOTE] = &run.note;
    run.object[SEMAPHORE] = &run.semaphore;
    for (uint32_t i = 0; i < 2; i++) {
        KeInitializeEvent(&run.sync[i], SynchronizationEvent, FALSE);
        KeInitializeMutex(&run.mutex[i], 0);
        ExInitializeFastMutex(&run.fast[i]);
        run.object[SYNC_0 + i] = &run.sync[i];
        run.object[MUTEX_0 + i] = &run.mutex[i];
        run.object[TIMER_NOTE + i] = &run.timer[i];
        run.object[FAST_0 + i] = &run.fast[i];
    }
}

static void run_program(const struct program *program) {
    PVOID thread[ACTORS];
    run.program = program;
    run.record.count = run.record.endless = 0;
    run.ended = 0;
    memset(run.actor, 0, sizeof(run.actor));
    make_objects();
    run.start = 0;
    run.start = units_now() * 100;
    for (uint32_t a = 0; a < program->actors; a++)
        run.actor[a].index = a;
    for (uint32_t a = 1; a < program->actors; a++) {
        assert_int_equal(
            PsCreateSystemThread(&run.handle[a], 0, NULL, NULL, NULL, act, &run.actor[a]),
            STATUS_SUCCESS);
        assert_int_equal(
            ObReferenceObjectByHandle(run.handle[a], 0, NULL, KernelMode, &thread[a], NULL),
            STATUS_SUCCESS);
        run.object[THREAD + a] = thread[a];
    }
    act(&run.actor[0]);
    for (uint32_t i = 0; i < 2; i++)
        KeCancelTimer(&run.timer[i]);
    for (uint32_t a = 1; a < program->actors; a++) {
        KeWaitForSingleObject(thread[a], Executive, KernelMode, FALSE, NULL);
        ObDereferenceObject(thread[a]);
        ZwClose(run.handle[a]);
    }
    KeFlushQueuedDpcs();
}

static void count_violation(void *ctx, const char *text) {
    (void)ctx;
    if (!strstr(text, "for ever") || run.threaded)
        print_error("%s\n", text);
    run.violations++;
}

static void up(bool threaded) {
    static const struct vidmm_host_interposer interposer = {.violation = count_violation};
    struct vidmm_host_config config = tiny_config();
    config.interposer = &interposer;
    config.threads = threaded;
    run.threaded = threaded;
    run.violations = 0;
    run.host = tiny_up(&config);
}

static uint64_t number(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* ---- Virtual time ---------------------------------------------------------------------------- */

static void print_entry(const char *what, const struct record *record, uint32_t i) {
    const struct entry *e = &record->entry[i];
    if (i < record->count)
        print_error("  %s: actor %u, operation %u gives %d at %llu\n", what, e->actor,
                    (unsigned)e->kind, e->result, (unsigned long long)e->time);
    else
        print_error("  %s: nothing more\n", what);
}

static void compare(const struct record *model, const struct record *host, uint64_t seed) {
    uint32_t i = 0;
    while (i < model->count && i < host->count &&
           memcmp(&model->entry[i], &host->entry[i], sizeof(model->entry[i])) == 0)
        i++;
    if (i == model->count && i == host->count)
        return;
    print_error("WAITS_SEEDS=1 WAITS_SEED=%llu: entry %u of the log differs\n",
                (unsigned long long)seed, i);
    for (uint32_t k = i < 12 ? 0 : i - 12; k < i; k++)
        print_entry("both", model, k);
    print_entry("model", model, i);
    print_entry("host", host, i);
    fail_msg("seed %llu", (unsigned long long)seed);
}

static void threads_wait_as_the_model_does(void **state) {
    static struct record model;
    static struct program program;
    struct vidmm_host_error error;
    uint64_t first = number("WAITS_SEED", 1), count = number("WAITS_SEEDS", SEEDS);
    uint64_t endless = 0, entries = 0;
    (void)state;
    up(false);
    for (uint64_t seed = first; seed < first + count; seed++) {
        program_make(&program, seed);
        model.count = model.endless = 0;
        model_run(&program, &model);
        run_program(&program);
        compare(&model, &run.record, seed);
        endless += model.endless;
        entries += model.count;
        assert_int_equal(run.violations, endless);
    }
    printf("%llu programs, %llu operations, %llu waits without an end\n", (unsigned long long)count,
           (unsigned long long)entries, (unsigned long long)endless);
    assert_true(tiny_down(run.host, &error));
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* No signal is taken twice, and no mutex is owned twice. */
static void check_counts(uint64_t seed) {
    for (uint32_t i = 0; i < 2; i++)
        if (run.taken[SYNC_0 + i] > run.given[SYNC_0 + i])
            fail_msg("seed %llu: event %u was set %u times and satisfied %u waits",
                     (unsigned long long)seed, i, run.given[SYNC_0 + i], run.taken[SYNC_0 + i]);
    assert_int_equal(run.taken[SEMAPHORE] + (uint32_t)KeReadStateSemaphore(&run.semaphore),
                     run.given[SEMAPHORE]);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(KeReadStateMutex(&run.mutex[i]), 1);
        assert_null(run.fast[i].Owner);
    }
    assert_int_equal(run.overlaps, 0);
    assert_int_equal(run.early, 0);
    assert_int_equal(run.violations, 0);
}

static void no_signal_is_lost_in_a_threaded_run(void **state) {
    static struct program program;
    struct vidmm_host_error error;
    uint64_t first = number("WAITS_SEED", 1), count = number("WAITS_SEEDS", SEEDS_THREADED);
    (void)state;
    up(true);
    for (uint64_t seed = first; seed < first + count; seed++) {
        program_make(&program, seed);
        program_never_endless(&program);
        for (uint32_t o = 0; o < OBJECTS; o++)
            run.taken[o] = run.given[o] = 0;
        run_program(&program); /* every thread ends, or this does not */
        check_counts(seed);
    }
    assert_true(tiny_down(run.host, &error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_wait_as_the_model_does),
        cmocka_unit_test(no_signal_is_lost_in_a_threaded_run),
    };
    pthread_mutex_init(&run.lock, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
