/*
 * bound.c - the bound is what an exhaustive search finds for small workloads, and no run beats it.
 */
#include "runs.h"

#define FEW   5u  /* allocations of a page each */
#define STEPS 12u /* submissions of one reference */

/* A workload of single-page references; `first` of them is a step's. */
static struct vidmm_workload of_steps(const uint32_t *steps, char *text, size_t size) {
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    int length = snprintf(text, size, "{\"vidmm_trace\":1}\n");
    for (uint32_t i = 0; i < FEW; i++)
        length +=
            snprintf(text + length, size - (size_t)length,
                     "{\"op\":\"alloc\",\"id\":%u,\"size\":4096,\"heap\":0,\"flags\":[]}\n", i);
    for (uint32_t i = 0; i < STEPS; i++)
        length += snprintf(text + length, size - (size_t)length,
                           "{\"op\":\"submit\",\"reads\":[%u],\"writes\":[]}\n", steps[i]);
    if (!vidmm_workload_parse("steps", text, (size_t)length, &workload, &error))
        fail_msg("%s", error.text);
    return workload;
}

/* The least that can be moved from step `at` on, with the pages of `held` in `room` pages. */
static uint32_t search_least(const uint32_t *steps, uint32_t at, uint32_t held, uint32_t room) {
    if (at == STEPS)
        return 0;
    uint32_t page = 1u << steps[at];
    if (held & page)
        return search_least(steps, at + 1, held, room);
    uint32_t least = search_least(steps, at + 1, held, room);
    if ((uint32_t)__builtin_popcount(held) < room)
        least = search_least(steps, at + 1, held | page, room);
    for (uint32_t i = 0; i < FEW; i++) {
        uint32_t with = (held & ~(1u << i)) | page;
        uint32_t found = held & (1u << i) ? search_least(steps, at + 1, with, room) : UINT32_MAX;
        least = found < least ? found : least;
    }
    return least + 1;
}

static void the_bound_is_what_an_exhaustive_search_finds(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t steps[STEPS];
        char text[4096];
        for (uint32_t i = 0; i < STEPS; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            steps[i] = (uint32_t)(seed >> 33) % FEW;
        }
        struct vidmm_workload workload = of_steps(steps, text, sizeof(text));
        for (uint32_t room = 1; room < FEW; room++) {
            struct vidmm_bound bound;
            assert_true(vidmm_workload_bound(&workload, room * 4096u, 0, &bound));
            assert_int_equal(bound.pages, search_least(steps, 0, 0, room) * 4096u);
            assert_true(bound.whole >= bound.pages && bound.first <= bound.pages);
            assert_int_equal(bound.referenced, STEPS * 4096u);
        }
        vidmm_workload_free(&workload);
    }
}

static void memory_for_everything_moves_each_allocation_once(void **state) {
    (void)state;
    struct vidmm_workload workload = generate("training-step", 3);
    struct vidmm_bound roomy, tight;
    assert_true(vidmm_workload_bound(&workload, workload.peak_live_bytes, 0, &roomy));
    assert_int_equal(roomy.pages, roomy.first);
    assert_int_equal(roomy.whole, roomy.first);
    assert_true(vidmm_workload_bound(&workload, workload.peak_live_bytes / 2, 0, &tight));
    assert_true(tight.pages > roomy.pages && tight.whole >= tight.pages);
    vidmm_workload_free(&workload);
}

static void no_run_moves_less_than_the_bound(void **state) {
    (void)state;
    static const char *const names[] = {"frame-loop", "level-changes", "training-step", "processes",
                                        "offers"};
    for (uint32_t i = 0; i < 2 * sizeof(names) / sizeof(names[0]); i++) {
        struct vidmm_workload workload = generate(names[i / 2], 40 + i);
        struct run run = {.model = i % 2 ? VIDMM_MODEL_GPUMMU : VIDMM_MODEL_PHYSICAL,
                          .options = {.frame_limit = 12}};
        uint64_t vram = (workload.peak_live_bytes / (2 + i % 3) + 65535) / 65536 * 65536;
        struct vidmm_bound bound;
        set(&run, "VramBytes", vram);
        if (i % 2)
            set(&run, "MmuLevels", 4);
        expect_right(&run, &workload, "a run to be compared");
        assert_true(vidmm_workload_bound(&workload, vram, run.options.frame_limit, &bound));
        assert_true(bound.pages > 0 && run.result.refused == 0);
        assert_true(run.result.stats.paged_in_bytes + run.result.referenced_remote >= bound.pages);
        assert_true(run.result.referenced_vram + run.result.referenced_remote >= bound.referenced);
        assert_true(run.result.referenced_remote <=
                    run.result.referenced_aperture + run.result.referenced_system);
        vidmm_workload_free(&workload);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bound_is_what_an_exhaustive_search_finds),
        cmocka_unit_test(memory_for_everything_moves_each_allocation_once),
        cmocka_unit_test(no_run_moves_less_than_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
