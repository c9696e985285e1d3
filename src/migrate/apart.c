/*
 * apart.c - see apart.h.
 *
 * Link, state machine and player are in the driver's process, since all of them work on the same
 * adapter. It prints its progress itself; what it says to the caller is the result, and, as soon as they
 * are found, the reasons for which a run is wrong.
 */
#include "apart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/stop.h>
#include <vidmm/watch.h>

#include "address.h"
#include "channel.h"

/* What is said; a run says more with lower numbers (src/run/verdict.h). */
enum says {
    SAYS_AGAIN = VIDMM_WATCH_SAID + 64, /* no bytes */
    SAYS_RESULT,                        /* struct vidmm_migrate_result; its pointers lead nowhere */
    SAYS_VIOLATION,                     /* a text */
};

struct life {
    migrate_side side;
    const struct vidmm_workload *workload;
    const struct vidmm_run_options *run;
    const struct vidmm_migrate_options *options;
    struct vidmm_migrate_result *result;
    bool worse, told; /* a run said that it is wrong; the result came */
};

/* ---- In the driver's process ----------------------------------------------------------------- */

void migrate_apart_again(void) {
    vidmm_watch_say(SAYS_AGAIN, "", 0);
}

static void live(void *ctx) {
    const struct life *life = ctx;
    struct vidmm_migrate_result *result = life->result;
    struct vidmm_run_options run = *life->run;
    run.apart = false;
    (void)life->side(life->workload, &run, life->options, result);
    vidmm_watch_say(SAYS_RESULT, result, sizeof(*result));
    for (uint32_t i = 0; i < result->run.violation_count; i++)
        vidmm_watch_say(SAYS_VIOLATION, result->run.violations[i],
                        strlen(result->run.violations[i]));
}

/* ---- In the caller --------------------------------------------------------------------------- */

static bool take_result(struct life *life, const void *bytes) {
    static struct vidmm_migrate_result told;
    memcpy(&told, bytes, sizeof(told));
    unsigned char moved;
    memcpy(&moved, &told.moved, 1);
    told.moved = moved != 0;
    if (life->told || told.status > VIDMM_MIGRATE_IN_DOUBT ||
        told.round_count > VIDMM_MIGRATE_ROUNDS || !memchr(told.text, '\0', sizeof(told.text)) ||
        !vidmm_run_result_told(&told.run))
        return false;
    *life->result = told;
    return life->told = true;
}

static void take_violation(const struct life *life, const void *bytes, size_t size) {
    char text[sizeof(life->result->text)];
    snprintf(text, sizeof(text), "%.*s", (int)(size < sizeof(text) ? size : sizeof(text) - 1),
             (const char *)bytes);
    vidmm_run_result_violation(&life->result->run, text);
}

/* What a run says of itself stands in the result; that it is wrong is not taken back. */
static bool hear(void *ctx, uint32_t kind, const void *bytes, size_t size) {
    struct life *life = ctx;
    if (kind == SAYS_RESULT)
        return size == sizeof(struct vidmm_migrate_result) && take_result(life, bytes);
    if (kind == SAYS_VIOLATION && life->told)
        take_violation(life, bytes, size);
    else if (kind >= SAYS_AGAIN && (kind != SAYS_AGAIN || life->told))
        return false;
    life->worse = kind < SAYS_AGAIN || (life->worse && kind != SAYS_AGAIN);
    return true;
}

static void sweep(const char *before, const char *name, enum migrate_address_kind kind) {
    struct migrate_address address;
    char words[320], text[320];
    snprintf(words, sizeof(words), "%s%s", before, name ? name : "");
    if (!name || !migrate_address_parse(words, &address, text, sizeof(text)) ||
        address.kind != kind)
        return;
    if (kind == MIGRATE_UNIX)
        migrate_address_sweep(&address);
    else
        migrate_file_sweep(&address);
}

/* Sockets, and the source's file without its name, that the driver's process would have removed. */
static void clean_up(void *ctx) {
    const struct life *life = ctx;
    bool receives = life->side == migrate_recv_here;
    sweep("unix:", life->options->control, MIGRATE_UNIX);
    sweep("", life->options->link, receives ? MIGRATE_UNIX : MIGRATE_FILE);
}

static void apart_fail(struct vidmm_migrate_result *result, enum vidmm_migrate_status status,
                       const char *text) {
    result->status = status;
    snprintf(result->text, sizeof(result->text), "%s", text);
}

static void take_end(struct life *life, const struct vidmm_watch_end *end) {
    struct vidmm_migrate_result *result = life->result;
    char text[sizeof(result->text)];
    clean_up(life);
    vidmm_watch_text(end, text, sizeof(text));
    memset(result, 0, sizeof(*result));
    apart_fail(result, VIDMM_MIGRATE_DRIVER_FAILED, text);
    result->run.ended = calloc(1, sizeof(*result->run.ended));
    if (result->run.ended)
        vidmm_watch_note(end, result->run.ended);
}

enum vidmm_migrate_status migrate_apart(migrate_side side, const struct vidmm_workload *workload,
                                        const struct vidmm_run_options *run,
                                        const struct vidmm_migrate_options *options,
                                        struct vidmm_migrate_result *result) {
    struct life life = {side, workload, run, options, result, false, false};
    const struct vidmm_watch_options watch = {
        .timeout_ms = run->timeout_ms, .run = live, .heard = hear, .ctx = &life};
    struct vidmm_stop_last last = {.clean = clean_up, .ctx = &life};
    struct vidmm_watch_end end;
    memset(result, 0, sizeof(*result));
    vidmm_stop_remember(&last);
    bool returned = vidmm_watch(&watch, &end);
    vidmm_stop_forget(&last);
    if (!returned)
        take_end(&life, &end);
    else if (!life.told)
        apart_fail(result, VIDMM_MIGRATE_DRIVER_FAILED, "the driver's process told no result");
    else if (end.changed[0] != '\0' && result->status != VIDMM_MIGRATE_DRIVER_FAILED)
        apart_fail(result, VIDMM_MIGRATE_WRONG, end.changed);
    else if (life.worse && result->run.status == VIDMM_RUN_VERIFIED)
        apart_fail(result, VIDMM_MIGRATE_WRONG, "the driver's process took back what was wrong");
    return result->status;
}
