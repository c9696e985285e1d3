/*
 * unhashed_test.c - a migration beside a workload leaves no trace in it: the same calls of the
 * driver with it as without it, and the same bytes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <vidmm/migration.h>
#include <vidmm/run.h>
#include <vidmm/softgpu.h>
#include <vidmm/workload.h>

#define VRAM        (UINT64_C(64) << 20)
#define DIRTY_BYTES 65536u

struct run {
    struct vidmm_harness harness;
    bool migrates, threads;
    uint32_t rounds;
    uint64_t moved, hash, aside, calls, unhashed_calls;
    uint8_t *bytes[4]; /* of each segment: what was read so far */
};

static struct vidmm_ledger ledger;

/* The referee watched both. */
static void expect_no_finding(void) {
    char text[512];
    if (ledger.findings == 0)
        return;
    vidmm_finding_text(&ledger.finding[0], text, sizeof(text));
    fail_msg("%s", text);
}

static void must(const struct run *run, enum vidmm_status status) {
    char text[512];
    struct vidmm_error error;
    if (status == VIDMM_OK)
        return;
    vidmm_last_error(run->harness.adapter, &error);
    vidmm_error_text(&error, text, sizeof(text));
    fail_msg("%s", text);
}

/* As much of `range` as can be read at once. */
static uint64_t piece(const struct vidmm_memory_range *range, uint64_t at) {
    uint64_t left = range->size - at;
    return left < VIDMM_MIGRATION_STAGING ? left : VIDMM_MIGRATION_STAGING;
}

static void read_dirty(struct run *run, uint32_t id) {
    struct vidmm_memory_range *ranges;
    uint32_t count;
    must(run, vidmm_migration_dirty(run->harness.adapter, id, &ranges, &count));
    for (uint32_t i = 0; i < count; i++) {
        for (uint64_t at = 0; at < ranges[i].size; at += piece(&ranges[i], at)) {
            struct vidmm_memory_range one = {ranges[i].offset + at, piece(&ranges[i], at)};
            must(run, vidmm_migration_read(run->harness.adapter, id, &one, 1,
                                           run->bytes[id] + one.offset));
            run->moved += one.size;
        }
    }
    vidmm_migration_release_ranges(run->harness.adapter, ranges, count);
}

/* What was read in all rounds together is what is in memory now. */
static void compare(struct run *run, uint32_t id) {
    struct vidmm_segment_info info;
    struct vidmm_memory_range *ranges;
    uint32_t count;
    assert_true(vidmm_segment_info(run->harness.adapter, id, &info));
    must(run, vidmm_migration_used(run->harness.adapter, id, &ranges, &count));
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *now = vidmm_host_peek(run->harness.host, 0, info.base + ranges[i].offset,
                                             (size_t)ranges[i].size);
        assert_non_null(now);
        assert_memory_equal(run->bytes[id] + ranges[i].offset, now, ranges[i].size);
    }
    vidmm_migration_release_ranges(run->harness.adapter, ranges, count);
}

static void save(const struct run *run, enum vidmm_migration_data kind) {
    void *data;
    size_t size;
    must(run, vidmm_migration_save(run->harness.adapter, kind, &data, &size));
    vidmm_migration_release(run->harness.adapter, data, size);
}

static void read_all(struct run *run, void (*act)(struct run *run, uint32_t id)) {
    struct vidmm_segment_info info;
    for (uint32_t id = 1; vidmm_segment_info(run->harness.adapter, id, &info); id++) {
        if (!info.aperture)
            act(run, id);
    }
}

/* One step of a migration that is given up after five, and begins again. */
static void step(void *ctx, uint64_t done, uint64_t all) {
    struct run *run = ctx;
    (void)done, (void)all;
    if (!run->migrates)
        return;
    if (!run->threads)
        vidmm_host_unhashed(run->harness.host, true);
    if (run->rounds % 5 == 0) {
        must(run, vidmm_migration_prepare(run->harness.adapter, VIDMM_MIGRATION_SOURCE));
        save(run, VIDMM_MIGRATION_IMMUTABLE);
    }
    read_all(run, read_dirty);
    if (run->rounds % 5 == 4 && run->threads) {
        vidmm_migration_end(run->harness.adapter); /* others would be refused in a pause */
    } else if (run->rounds % 5 == 4) {
        must(run, vidmm_migration_pause(run->harness.adapter));
        read_all(run, read_dirty);
        read_all(run, compare);
        save(run, VIDMM_MIGRATION_MUTABLE);
        vidmm_migration_end(run->harness.adapter);
    }
    vidmm_host_unhashed(run->harness.host, false);
    run->rounds++;
}

static void open_harness(struct run *run, struct vidmm_player *player, uint32_t mode,
                         uint32_t performant) {
    const struct vidmm_host_setting settings[] = {
        {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2},
        {"VramBytes", VRAM},
        {"VramVisibleBytes", VRAM / 2},
        {"MmuLevels", 4},
        {"MmuPages",
         mode ? 0 : 1}, /* tables in memory of large pages would take sixteen times as much */
        {"MmuUpdateMode", mode},
        {"MmuTableSegment", mode ? 2 : 0},
        {"DirtyPageBytes", DIRTY_BYTES},
        {"DirtyPerformant", performant},
    };
    const struct vidmm_host_config host = {.driver_entry = vidmm_softgpu_entry,
                                           .model = &vidmm_softgpu_model,
                                           .settings = settings,
                                           .setting_count = sizeof(settings) / sizeof(settings[0]),
                                           .seed = 7,
                                           .threads = run->threads};
    const struct vidmm_adapter_config adapter = {.observer = vidmm_player_observer(player),
                                                 .model = VIDMM_MODEL_GPUMMU};
    memset(&ledger, 0, sizeof(ledger));
    const struct vidmm_harness_judging judging = {.ledger = &ledger};
    char text[512] = "";
    if (vidmm_harness_open_judged(&host, &adapter, &judging, &run->harness, text, sizeof(text)) !=
        VIDMM_HARNESS_OK)
        fail_msg("%s", text);
}

static struct run play(const char *name, struct run run, uint32_t mode, uint32_t performant) {
    for (uint32_t i = 0; i < 4; i++)
        run.bytes[i] = calloc(1, VRAM);
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    struct vidmm_play_result result;
    char text[512] = "";
    if (!vidmm_run_find(name, 3, &workload, &error))
        fail_msg("%s", error.text);
    struct vidmm_player *player = vidmm_player_create(&workload);
    const struct vidmm_play_options options = {
        .threads = run.threads ? 3 : 1, .frame_limit = 60, .progress = step, .progress_ctx = &run};
    open_harness(&run, player, mode, performant);
    if (vidmm_player_run(player, &run.harness, &options, &result, text, sizeof(text)) !=
        VIDMM_PLAY_OK)
        fail_msg("%s", text);
    assert_int_equal(result.mismatched_bytes, 0);
    run.hash = vidmm_host_calls_hash(run.harness.host);
    run.calls = vidmm_host_calls(run.harness.host);
    run.aside = vidmm_host_unhashed_hash(run.harness.host);
    run.unhashed_calls = vidmm_host_unhashed_calls(run.harness.host);
    if (vidmm_harness_close(&run.harness, text, sizeof(text)) != VIDMM_HARNESS_OK)
        fail_msg("%s", text);
    if (!run.threads) /* threads_test.c judges those */
        expect_no_finding();
    vidmm_player_destroy(player);
    vidmm_workload_free(&workload);
    for (uint32_t i = 0; i < 4; i++)
        free(run.bytes[i]);
    return run;
}

static void a_run_makes_the_same_calls_with_a_migration_beside_it(void **state) {
    static const char *const names[] = {"processes", "address-churn"};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct run plain = play(names[i % 2], (struct run){.migrates = false}, i % 3, i > 1);
        struct run moved = play(names[i % 2], (struct run){.migrates = true}, i % 3, i > 1);
        assert_true(moved.rounds > 5 && moved.moved > 0);
        assert_int_equal(plain.calls, moved.calls);
        assert_int_equal(plain.hash, moved.hash);
        assert_int_equal(plain.unhashed_calls, 0);
        assert_true(moved.unhashed_calls > 0 && moved.aside != 0);
    }
}

static void other_threads_go_on_while_pages_are_read(void **state) {
    (void)state;
    for (uint32_t performant = 0; performant < 2; performant++) {
        struct run run =
            play("processes", (struct run){.migrates = true, .threads = true}, 2, performant);
        assert_true(run.rounds > 0 && run.moved > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_makes_the_same_calls_with_a_migration_beside_it),
        cmocka_unit_test(other_threads_go_on_while_pages_are_read),
    };
    return cmocka_run_group_tests_name("aside", tests, NULL, NULL);
}
