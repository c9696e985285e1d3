/*
 * run.c - a whole run: harness up, replay, judge, harness down.
 */
#include "dirty.h"
#include "open.h"
#include "verdict.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/printable.h>

static enum vidmm_run_status verdict_of_play(enum vidmm_play_status played,
                                             struct vidmm_harness *harness) {
    struct vidmm_error error;
    switch (played) {
    case VIDMM_PLAY_OK:
        return VIDMM_RUN_VERIFIED;
    case VIDMM_PLAY_WRONG:
        return VIDMM_RUN_WRONG;
    case VIDMM_PLAY_DRIVER_FAILED:
        /* A driver that failed by an answer that no driver may give broke a rule. */
        vidmm_last_error(harness->adapter, &error);
        return error.status == VIDMM_DRIVER_BROKE_RULE ? VIDMM_RUN_WRONG : VIDMM_RUN_DRIVER_FAILED;
    case VIDMM_PLAY_NO_MEMORY:
        break;
    }
    return VIDMM_RUN_DRIVER_FAILED;
}

/* Bytes of GPU memory as the driver reported them. */
static uint64_t memory_segments(struct vidmm_adapter *adapter) {
    struct vidmm_segment_info segment;
    uint64_t bytes = 0;
    for (uint32_t id = 1; vidmm_segment_info(adapter, id, &segment); id++)
        bytes += segment.aperture ? 0 : segment.size;
    return bytes;
}

/* The figures that must be read while host and adapter exist. */
static void keep_figures(struct vidmm_harness *harness, struct vidmm_run_result *result) {
    vidmm_adapter_info(harness->adapter, &result->adapter);
    vidmm_gpummu_info(harness->adapter, 0, &result->mmu);
    result->vram_bytes = memory_segments(harness->adapter);
    result->calls = vidmm_host_calls(harness->host);
    result->calls_hash = vidmm_host_calls_hash(harness->host);
    result->allocations = vidmm_host_allocations(harness->host);
    result->failed_once = vidmm_host_failed_once(harness->host);
    result->played = true;
}

/* The caller's observer of plans, and the record, until the figures of the report are read. */
struct run_plans {
    void (*plan)(void *plan_ctx, const struct vidmm_plan *plan);
    void *plan_ctx;
    bool counted;
    struct vidmm_record *record; /* NULL: none */
};

static void run_see_plan(void *ctx, const struct vidmm_plan *plan) {
    const struct run_plans *plans = ctx;
    if (!plans->counted)
        plans->plan(plans->plan_ctx, plan);
}

static void run_end_plans(void *ctx) {
    struct run_plans *plans = ctx;
    plans->counted = true;
    vidmm_record_counted(plans->record);
}

static void run_play(const struct vidmm_run_options *options, struct vidmm_player *player,
                     struct vidmm_harness *harness, struct run_dirty *dirty,
                     struct run_plans *plans, struct vidmm_run_result *result) {
    struct vidmm_play_options play_options = {
        .threads = options->threads,
        .no_content = options->no_bytes,
        .own_tiles = options->driver_path,
        .gather = true,
        .frame_limit = options->frame_limit,
        .progress = options->progress,
        .progress_ctx = options->progress_ctx,
        .gate = dirty ? run_dirty_gate : options->gate,
        .gate_ctx = dirty ? dirty : options->gate_ctx,
        .wrong = options->wrong,
        .wrong_ctx = options->wrong_ctx,
        .counted = run_end_plans,
        .counted_ctx = plans,
    };
    char text[sizeof(result->text)] = "";
    enum vidmm_play_status played =
        vidmm_player_run(player, harness, &play_options, &result->play, text, sizeof(text));
    run_worsen(result, verdict_of_play(played, harness), text);
    keep_figures(harness, result);
    for (uint32_t i = 0; i < vidmm_host_violations(harness->host); i++)
        run_violation(result, vidmm_host_violation(harness->host, i));
}

/* The same, with `dirty` figures if requested. */
static void play_tracked(const struct vidmm_workload *workload,
                         const struct vidmm_run_options *options, struct vidmm_player *player,
                         struct vidmm_harness *harness, struct run_plans *plans,
                         struct vidmm_run_result *result) {
    char text[sizeof(result->text)] = "";
    struct run_dirty *dirty = NULL;
    if (options->dirty) {
        dirty = run_dirty_start(harness, workload, options->frame_limit, &result->dirty, text,
                                sizeof(text));
        if (!dirty) {
            run_worsen(result, VIDMM_RUN_DRIVER_FAILED, text);
            return;
        }
    }
    run_play(options, player, harness, dirty, plans, result);
    if (!run_dirty_stop(dirty, text, sizeof(text)))
        run_worsen(result, VIDMM_RUN_DRIVER_FAILED, text);
}

static void go_down(struct vidmm_harness *harness, struct vidmm_run_result *result) {
    char text[sizeof(result->text)] = "";
    if (vidmm_harness_close(harness, text, sizeof(text)) == VIDMM_HARNESS_OK)
        return;
    const char *leak;
    for (uint32_t i = 0; (leak = vidmm_host_leak(i)); i++) {
        run_violation(result, leak);
        if (result->ledger)
            vidmm_ledger_note(result->ledger, VIDMM_FINDING_LEAK, VIDMM_SIDE_DRIVER, "%s", leak);
    }
    if (!strstr(text, "left behind"))
        run_violation(result, text);
}

static void play_in_harness(const struct vidmm_workload *workload,
                            const struct vidmm_run_options *options, struct vidmm_player *player,
                            struct vidmm_run_result *result) {
    struct vidmm_harness harness;
    struct run_plans plans = {.plan = options->plan, .plan_ctx = options->plan_ctx};
    struct vidmm_observer observer = *vidmm_player_observer(player);
    char text[sizeof(result->text)] = "";
    observer.plan = options->plan ? run_see_plan : NULL;
    observer.plan_ctx = &plans;
    run_worsen(result,
               run_open(options, workload->peak_live_bytes, &observer,
                        options->unjudged ? NULL : result->ledger, &harness, text, sizeof(text)),
               text);
    if (result->status != VIDMM_RUN_VERIFIED)
        return;
    plans.record = harness.record;
    play_tracked(workload, options, player, &harness, &plans, result);
    go_down(&harness, result);
}

void run_play_here(const struct vidmm_workload *workload, const struct vidmm_run_options *options,
                   struct vidmm_run_result *result) {
    struct vidmm_player *player = vidmm_player_create(workload);
    if (player)
        play_in_harness(workload, options, player, result);
    else
        run_worsen(result, VIDMM_RUN_DRIVER_FAILED, "out of memory for the byte oracle");
    if (result->ledger && result->ledger->short_of_memory)
        run_worsen(result, VIDMM_RUN_DRIVER_FAILED, VIDMM_LEDGER_SHORT);
    vidmm_player_destroy(player);
}

static void run_begin(const struct vidmm_workload *workload,
                      const struct vidmm_run_options *options, struct vidmm_run_result *result) {
    memset(result, 0, sizeof(*result));
    snprintf(result->workload, sizeof(result->workload), "%s", workload->name);
    run_driver_name(options, result->driver, sizeof(result->driver));
    const struct vidmm_policy *policy = options->policy ? options->policy : vidmm_policy_at(0);
    vidmm_printable_copy(policy->name, result->policy, sizeof(result->policy));
    result->peak_live_bytes = workload->peak_live_bytes;
    result->vram_bytes = options->vram_bytes;
    result->seed = options->seed;
    result->threads = options->threads;
    result->no_bytes = options->no_bytes;
    result->unjudged = options->unjudged;
    result->ledger = options->unjudged ? NULL : calloc(1, sizeof(*result->ledger));
    if (!result->ledger && !options->unjudged)
        run_worsen(result, VIDMM_RUN_DRIVER_FAILED, "out of memory for the referee");
}

/* What refused submissions would have needed is not known, and adapters of a link have memory each. */
static void run_compare(const struct vidmm_workload *workload,
                        const struct vidmm_run_options *options, struct vidmm_run_result *result) {
    const struct vidmm_play_result *play = &result->play;
    if (!result->played || play->refused || play->gated || play->lost_processes ||
        result->adapter.linked > 1 || result->vram_bytes == 0 || result->mmu.iommu)
        return;
    if (!vidmm_workload_bound(workload, result->vram_bytes, options->frame_limit, &result->bound))
        run_worsen(result, VIDMM_RUN_DRIVER_FAILED, "out of memory for the bound");
}

enum vidmm_run_status vidmm_run(const struct vidmm_workload *workload,
                                const struct vidmm_run_options *options,
                                struct vidmm_run_result *result) {
    run_begin(workload, options, result);
    if (result->status != VIDMM_RUN_VERIFIED)
        return result->status;
    if (options->apart) {
        run_play_apart(workload, options, result);
    } else {
        vidmm_ledger_places(vidmm_host_places);
        run_play_here(workload, options, result);
        run_findings(result, false);
    }
    run_compare(workload, options, result);
    return result->status;
}

static void free_texts(char ***list, uint32_t *count) {
    for (uint32_t i = 0; i < *count; i++)
        free((*list)[i]);
    free(*list);
    *list = NULL;
    *count = 0;
}

void vidmm_run_result_free(struct vidmm_run_result *result) {
    free_texts(&result->violations, &result->violation_count);
    free_texts(&result->advice, &result->advice_count);
    free(result->ledger);
    free(result->ended);
    result->ledger = result->ended = NULL;
}
