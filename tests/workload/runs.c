/*
 * runs.c - see runs.h.
 */
#include "runs.h"

#include "../share.h"

void set(struct run *run, const char *name, uint64_t value) {
    assert_true(run->setting_count < SETTINGS);
    run->settings[run->setting_count++] = (struct vidmm_host_setting){name, value};
}

void run_workload(struct run *run, const struct vidmm_workload *workload) {
    struct vidmm_harness harness;
    struct vidmm_player *player = vidmm_player_create(workload);
    assert_non_null(player);
    const struct vidmm_host_config host = {.driver_entry = vidmm_softgpu_entry,
                                           .model = &vidmm_softgpu_model,
                                           .settings = run->settings,
                                           .setting_count = run->setting_count,
                                           .linked = run->linked,
                                           .threads = run->threads,
                                           .fail_at = run->fail_at};
    const struct vidmm_adapter_config adapter = {.observer = vidmm_player_observer(player),
                                                 .model = run->model};
    run->opened = vidmm_harness_open(&host, &adapter, &harness, run->text, sizeof(run->text)) ==
                  VIDMM_HARNESS_OK;
    if (run->opened) {
        char text[512];
        run->status = vidmm_player_run(player, &harness, &run->options, &run->result, run->text,
                                       sizeof(run->text));
        run->calls_hash = vidmm_host_calls_hash(harness.host);
        run->closed_clean = vidmm_harness_close(&harness, text, sizeof(text)) == VIDMM_HARNESS_OK;
        if (!run->closed_clean)
            print_message("%s\n", text);
    }
    vidmm_player_destroy(player);
}

void expect_right(struct run *run, const struct vidmm_workload *workload, const char *what) {
    run_workload(run, workload);
    if (!run->opened || run->status != VIDMM_PLAY_OK || run->result.mismatched_bytes != 0 ||
        !run->closed_clean)
        fail_msg("%s, %s: %s", workload->name, what, run->text);
    assert_true(run->result.verified_bytes > 0);
}

void expect_order_without_memory(const struct run *usual, const struct vidmm_workload *workload,
                                 uint64_t most, uint64_t step) {
    uint32_t ended = 0;
    for (uint64_t fail_at = 1; fail_at < most; fail_at += (1 + fail_at / step) * share()) {
        struct run run = *usual;
        run.fail_at = fail_at;
        run_workload(&run, workload);
        if (run.opened && (!run.closed_clean || run.status == VIDMM_PLAY_WRONG))
            fail_msg("allocation %llu: status %d: %s", (unsigned long long)fail_at, (int)run.status,
                     run.text);
        ended += !run.opened || run.status != VIDMM_PLAY_OK;
    }
    assert_true(ended > 0);
}

struct vidmm_workload generate(const char *name, uint64_t seed) {
    size_t count;
    const struct vidmm_generator *generators = vidmm_generators(&count);
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(generators[i].name, name) != 0)
            continue;
        if (!generators[i].make(seed, &workload, &error))
            fail_msg("%s", error.text);
        return workload;
    }
    fail_msg("no generator %s", name);
    memset(&workload, 0, sizeof(workload));
    return workload;
}

struct vidmm_workload recording(const char *name) {
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    char path[512];
    snprintf(path, sizeof(path), "%s/%s.jsonl.zst", WORKLOADS, name);
    if (!vidmm_workload_read(path, &workload, &error))
        fail_msg("%s", error.text);
    return workload;
}
