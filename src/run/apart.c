/*
 * apart.c - a run in a process of its own, and the verdict of what that process says.
 *
 * The player and the oracle are in the driver's process, since they hand out pointers to the same
 * memory. What they see is said when it is seen; the figures of the report come at the end.
 */
#include "heap.h"
#include "verdict.h"

#include <stdlib.h>
#include <string.h>

struct life {
    const struct vidmm_workload *workload;
    const struct vidmm_run_options *options;
    struct vidmm_run_result *result;
    struct vidmm_mismatch wrong; /* the first wrong byte that was told */
    bool told_wrong, told_result;
};

/* ---- In the driver's process ----------------------------------------------------------------- */

static void say_progress(void *ctx, uint64_t done, uint64_t events) {
    const uint64_t share[2] = {done, events};
    (void)ctx;
    vidmm_watch_say(RUN_PROGRESS, share, sizeof(share));
}

static void say_wrong(void *ctx, const struct vidmm_mismatch *first) {
    (void)ctx;
    vidmm_watch_say(RUN_WRONG, first, sizeof(*first));
}

static void live(void *ctx) {
    const struct life *life = ctx;
    struct vidmm_run_options options = *life->options;
    char text[sizeof(life->result->unwritten)] = "";
    options.progress = options.progress ? say_progress : NULL;
    options.wrong = say_wrong;
    run_heap_expect(life->workload->allocation_count);
    run_play_here(life->workload, &options, life->result);
    if (options.plan_done && !options.plan_done(options.plan_ctx, text, sizeof(text)))
        vidmm_watch_say(RUN_UNWRITTEN, text, strlen(text));
    vidmm_watch_say(RUN_RESULT, life->result, sizeof(*life->result));
}

/* ---- In the caller --------------------------------------------------------------------------- */

/* A driver may have written anything to it. */
static void mend_truth(bool *truth) {
    unsigned char byte;
    memcpy(&byte, truth, 1);
    *truth = byte != 0;
}

static bool is_text(const char *text, size_t size) {
    return memchr(text, '\0', size);
}

bool vidmm_run_result_told(struct vidmm_run_result *told) {
    told->violations = told->advice = NULL;
    told->violation_count = told->advice_count = 0;
    told->ledger = told->ended = NULL;
    told->unread.count = 0;
    mend_truth(&told->played);
    mend_truth(&told->failed_once);
    mend_truth(&told->no_bytes);
    mend_truth(&told->unjudged);
    mend_truth(&told->dirty.on);
    mend_truth(&told->mmu.on);
    mend_truth(&told->mmu.iommu);
    mend_truth(&told->play.gated);
    mend_truth(&told->play.first.by_op);
    mend_truth(&told->play.first.certain);
    return is_text(told->text, sizeof(told->text)) &&
           is_text(told->workload, sizeof(told->workload)) &&
           is_text(told->driver, sizeof(told->driver)) &&
           is_text(told->policy, sizeof(told->policy)) &&
           is_text(told->play.refusal, sizeof(told->play.refusal)) &&
           is_text(told->play.first.text, sizeof(told->play.first.text)) &&
           told->status <= VIDMM_RUN_DRIVER_FAILED && told->mmu.levels <= VIDMM_LEVELS_MAX &&
           told->play.process_count <= VIDMM_PLAY_PROCESSES &&
           told->play.chart_samples <= VIDMM_PLAY_CHART && told->dirty.sizes <= VIDMM_DIRTY_SIZES &&
           told->dirty.samples <= VIDMM_PLAY_CHART &&
           (unsigned)told->play.first.op < VIDMM_OP_KINDS && (!told->played || told->calls != 0);
}

/* The figures; verdict, sentences and ledger are the caller's. */
static bool take_result(struct life *life, const void *bytes) {
    struct vidmm_run_result told, *result = life->result;
    memcpy(&told, bytes, sizeof(told));
    if (life->told_result || !vidmm_run_result_told(&told))
        return false;
    run_worsen(result, told.status, told.text);
    result->vram_bytes = told.vram_bytes;
    result->played = told.played;
    result->adapter = told.adapter;
    result->mmu = told.mmu;
    result->play = told.play;
    result->dirty = told.dirty;
    result->calls = told.calls;
    result->calls_hash = told.calls_hash;
    result->allocations = told.allocations;
    result->failed_once = told.failed_once;
    return life->told_result = true;
}

static bool take_worse(struct life *life, const void *bytes) {
    struct run_worse worse;
    memcpy(&worse, bytes, sizeof(worse));
    if (worse.status > VIDMM_RUN_DRIVER_FAILED || !is_text(worse.text, sizeof(worse.text)))
        return false;
    run_worsen(life->result, (enum vidmm_run_status)worse.status, worse.text);
    return true;
}

static bool take_text(struct life *life, uint32_t kind, const void *bytes, size_t size) {
    char text[sizeof(life->result->text)];
    struct vidmm_run_result *result = life->result;
    snprintf(text, sizeof(text), "%.*s", (int)(size < sizeof(text) ? size : sizeof(text) - 1),
             (const char *)bytes);
    if (kind == RUN_VIOLATION)
        run_violation(result, text);
    else
        snprintf(result->unwritten, sizeof(result->unwritten), "%s", text);
    return true;
}

static bool take_progress(const struct life *life, const void *bytes) {
    uint64_t share[2];
    memcpy(share, bytes, sizeof(share));
    if (life->options->progress)
        life->options->progress(life->options->progress_ctx, share[0], share[1]);
    return true;
}

static bool hear(void *ctx, uint32_t kind, const void *bytes, size_t size) {
    struct life *life = ctx;
    if (kind == RUN_VIOLATION || kind == RUN_UNWRITTEN)
        return take_text(life, kind, bytes, size);
    if (kind == RUN_WORSENS && size == sizeof(struct run_worse))
        return take_worse(life, bytes);
    if (kind == RUN_RESULT && size == sizeof(struct vidmm_run_result))
        return take_result(life, bytes);
    if (kind == RUN_PROGRESS && size == 2 * sizeof(uint64_t))
        return take_progress(life, bytes);
    if (kind != RUN_WRONG || size != sizeof(life->wrong) || life->told_wrong)
        return false;
    memcpy(&life->wrong, bytes, sizeof(life->wrong));
    return life->told_wrong = true;
}

/* A wrong byte that was told stays wrong, whatever the figures at the end say. */
static void keep_wrong(const struct life *life) {
    char text[sizeof(life->result->text)];
    if (!life->told_wrong || (life->told_result && life->result->play.mismatched_bytes != 0))
        return;
    snprintf(text, sizeof(text), "byte %llu of page %llu of allocation %u was wrong, event %llu",
             (unsigned long long)life->wrong.byte, (unsigned long long)life->wrong.page,
             life->wrong.allocation, (unsigned long long)life->wrong.event);
    run_violation(life->result, text);
}

/* What the driver did to its process comes before all that it led to. */
static void take_end(struct vidmm_run_result *result, const struct vidmm_watch_end *end) {
    result->ended = run_ended(end);
    result->status = VIDMM_RUN_DRIVER_FAILED;
    result->played = false;
    vidmm_watch_text(end, result->text, sizeof(result->text));
}

void run_play_apart(const struct vidmm_workload *workload, const struct vidmm_run_options *options,
                    struct vidmm_run_result *result) {
    struct life life = {.workload = workload, .options = options, .result = result};
    const struct vidmm_watch_options watch = {.timeout_ms = options->timeout_ms,
                                              .ledger = result->ledger,
                                              .run = live,
                                              .heard = hear,
                                              .ctx = &life};
    struct vidmm_watch_end end;
    bool done = vidmm_watch(&watch, &end);
    vidmm_unread(&result->unread, options->settings, options->setting_count, end.settings);
    if (!done)
        take_end(result, &end);
    else if (end.changed[0] != '\0')
        run_violation(result, end.changed);
    else if (!life.told_result)
        run_worsen(result, VIDMM_RUN_DRIVER_FAILED, "the driver's process told no result");
    keep_wrong(&life);
    /* Where the driver was stopped the host has told what it saw, unless that was erased. */
    run_findings(result, !done || result->violation_count == 0);
    if (done && result->ledger)
        vidmm_watch_note(&end, result->ledger);
}
