/*
 * ahead.c - see ahead.h. Runs that follow are begun before the one that is heard, in the order in which they are
 * heard later. The result is that of one run after the other: a process that was begun early counts if what it began
 * with is what it would begin with now, that is the findings and what the runs told of the driver. Otherwise it is
 * ended, and the run is made when its turn comes.
 */
#include "ahead.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Processes at the same time unless the caller says how many, at most. */
#define AHEAD_USUAL 8u
/* Deadlines of a call that one run may take, so that a slow machine is not a driver's fault. */
#define WHOLE_RUN 12u

/* A run, and the process that it is made in. */
struct ahead_life {
    struct check *check;
    const struct check_stage *stage;
    uint32_t number;
    struct vidmm_watch_run *run;
    /* What it began with. */
    uint32_t findings, dropped;
    struct check_told told;
};

struct ahead {
    struct ahead_life *life[AHEAD_MOST]; /* in the order of their turns */
    uint32_t count, most;
};

/* ---- One run --------------------------------------------------------------------------------- */

static void ahead_live(void *ctx) {
    const struct ahead_life *life = ctx;
    check_live(life->check, life->stage, life->number);
}

static bool ahead_hear(void *ctx, uint32_t kind, const void *bytes, size_t size) {
    const struct ahead_life *life = ctx;
    return check_hear(life->check, kind, bytes, size);
}

static struct vidmm_watch_options options_of(struct ahead_life *life) {
    return (struct vidmm_watch_options){.timeout_ms = life->check->options->timeout_ms,
                                        .most = WHOLE_RUN,
                                        .ledger = &life->check->shared->ledger,
                                        .run = ahead_live,
                                        .heard = ahead_hear,
                                        .ctx = life};
}

/* What a run says of itself alone is no matter of the next one. */
static void told_of_driver(const struct check *check, struct check_told *told) {
    *told = check->shared->told;
    told->outcome = told->no_room = 0;
    memset(told->text, 0, sizeof(told->text));
}

static bool begins_alike(const struct ahead_life *life) {
    const struct vidmm_ledger *ledger = &life->check->shared->ledger;
    struct check_told told;
    told_of_driver(life->check, &told);
    return life->findings == ledger->findings && life->dropped == ledger->dropped &&
           memcmp(&told, &life->told, sizeof(told)) == 0;
}

static void life_drop(struct ahead_life *life) {
    vidmm_watch_drop(life->run);
    free(life);
}

/* ---- The runs that follow -------------------------------------------------------------------- */

static uint32_t ahead_usual(void) {
    int64_t processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > AHEAD_USUAL ? AHEAD_USUAL : processors > 0 ? (uint32_t)processors : 1;
}

/* No more than one run at a time where others would disturb: what is printed, recorded, or stepped through. */
struct ahead *ahead_create(const struct vidmm_check_options *options) {
    uint32_t jobs = options->jobs != 0 ? options->jobs : ahead_usual();
    if (jobs <= 1 || options->no_fork || options->replay || options->log || options->device ||
        vidmm_harness_recording())
        return NULL;
    struct ahead *ahead = calloc(1, sizeof(*ahead));
    if (ahead)
        ahead->most = (jobs < AHEAD_MOST ? jobs : AHEAD_MOST) - 1;
    return ahead;
}

static void ahead_clear(struct ahead *ahead) {
    while (ahead->count > 0)
        life_drop(ahead->life[--ahead->count]);
}

void ahead_destroy(struct ahead *ahead) {
    if (!ahead)
        return;
    ahead_clear(ahead);
    free(ahead);
}

/* The process of this run; NULL: it is to be begun. Where one cannot count, those behind it cannot either. */
static struct ahead_life *ahead_take(struct ahead *ahead, const struct check_stage *stage,
                                     uint32_t number) {
    if (!ahead || ahead->count == 0)
        return NULL;
    struct ahead_life *life = ahead->life[0];
    if (life->stage != stage || life->number != number || !begins_alike(life)) {
        ahead_clear(ahead);
        return NULL;
    }
    memmove(&ahead->life[0], &ahead->life[1], --ahead->count * sizeof(struct ahead_life *));
    return life;
}

/* false: there is no room for it beside the others. */
static bool ahead_begin(struct check *check, const struct check_stage *stage, uint32_t number) {
    struct ahead *ahead = check->ahead;
    struct ahead_life *life = calloc(1, sizeof(*life));
    if (!life)
        return false;
    *life = (struct ahead_life){.check = check,
                                .stage = stage,
                                .number = number,
                                .findings = check->shared->ledger.findings,
                                .dropped = check->shared->ledger.dropped};
    told_of_driver(check, &life->told);
    check_begin(check, stage);
    const struct vidmm_watch_options options = options_of(life);
    life->run = vidmm_watch_begin(&options);
    if (!life->run) {
        free(life);
        return false;
    }
    ahead->life[ahead->count++] = life;
    return true;
}

/* Until the driver's version is known the first run tells what the others begin with. */
static void ahead_fill(struct check *check, const struct check_stage *stage, uint32_t number) {
    struct ahead *ahead = check->ahead;
    if (!ahead || check->shared->told.version == 0)
        return;
    if (ahead->count > 0) {
        stage = ahead->life[ahead->count - 1]->stage;
        number = ahead->life[ahead->count - 1]->number;
    }
    while (ahead->count < ahead->most && check_stage_next(check, &stage, &number) &&
           ahead_begin(check, stage, number))
        ;
}

bool ahead_run(struct check *check, const struct check_stage *stage, uint32_t number,
               struct vidmm_watch_end *end) {
    struct ahead_life *taken = ahead_take(check->ahead, stage, number);
    struct ahead_life now = {.check = check, .stage = stage, .number = number};
    const struct vidmm_watch_options options = options_of(&now);
    struct vidmm_watch_run *run = taken ? taken->run : vidmm_watch_begin(&options);
    *end = (struct vidmm_watch_end){.how = VIDMM_WATCH_NONE};
    ahead_fill(check, stage, number);
    check_begin(check, stage);
    bool done = run && vidmm_watch_finish(run, end);
    free(taken);
    return done;
}
