/*
 * generators.c - a seed names a workload for ever, and what comes out can be played.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/umd.h>
#include <vidmm/workload.h>

#define SEEDS 8u
#define MIB   (1024.0 * 1024.0)

static struct vidmm_workload make(const struct vidmm_generator *generator, uint64_t seed) {
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    if (!generator->make(seed, &workload, &error))
        fail_msg("seed %llu: %s", (unsigned long long)seed, error.text);
    return workload;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    return (hash ^ value) * 0x100000001b3u;
}

/* Over what the events say, not over padding. */
static uint64_t hash_of(const struct vidmm_workload *workload) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < workload->event_count; i++) {
        const struct vidmm_event *event = &workload->events[i];
        const uint64_t values[] = {event->kind,  event->process,   event->allocation,
                                   event->size,  event->umd_flags, event->priority,
                                   event->first, event->reads,     event->writes};
        for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
            hash = mix(hash, values[k]);
        if (event->kind > VIDMM_EVENT_PRESENT) {
            hash = mix(mix(hash, event->range), event->like);
            hash = mix(mix(hash, event->at), event->offset);
        }
    }
    for (size_t i = 0; i < workload->list_count; i++)
        hash = mix(hash, workload->lists[i]);
    return hash;
}

static void a_seed_names_the_same_workload_for_ever(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint64_t hash; /* with seed 1 */
    } known[] = {
        {"frame-loop", 0x8f732e07c69083b8},    {"level-changes", 0x410f95dbb89e792a},
        {"training-step", 0xf76ac0fb064c8c1a}, {"processes", 0x86925f6065c75ae4},
        {"tiled-resource", 0xfbd5bc88f4bf0c7}, {"address-churn", 0x51c297daf2f74a1e},
        {"offers", 0x9ebb75203030f17c},
    };
    size_t count;
    const struct vidmm_generator *generators = vidmm_generators(&count);
    assert_int_equal(count, sizeof(known) / sizeof(known[0]));
    for (size_t i = 0; i < count; i++) {
        struct vidmm_workload workload = make(&generators[i], 1);
        assert_string_equal(generators[i].name, known[i].name);
        assert_string_equal(workload.name, known[i].name);
        if (hash_of(&workload) != known[i].hash)
            fail_msg("%s: 0x%llx", known[i].name, (unsigned long long)hash_of(&workload));
        vidmm_workload_free(&workload);
    }
}

static void different_seeds_give_different_workloads(void **state) {
    (void)state;
    size_t count;
    const struct vidmm_generator *generators = vidmm_generators(&count);
    for (size_t i = 0; i < count; i++) {
        struct vidmm_workload a = make(&generators[i], 1), b = make(&generators[i], 2);
        assert_true(hash_of(&a) != hash_of(&b));
        vidmm_workload_free(&a);
        vidmm_workload_free(&b);
    }
}

static bool names_allocation(enum vidmm_event_kind kind) {
    return kind == VIDMM_EVENT_FREE || kind == VIDMM_EVENT_MAP || kind == VIDMM_EVENT_UNMAP ||
           kind == VIDMM_EVENT_VIEW || kind == VIDMM_EVENT_BIND || kind == VIDMM_EVENT_OFFER ||
           kind == VIDMM_EVENT_RECLAIM;
}

/* Bytes touched by all submissions; fails on anything that a player could not rely on. */
static uint64_t walk(const struct vidmm_workload *workload) {
    uint64_t *sizes = calloc(workload->allocation_count, sizeof(*sizes)), touched = 0;
    uint32_t *process = calloc(workload->allocation_count, sizeof(*process)), next = 0;
    assert_non_null(sizes);
    assert_non_null(process);
    for (size_t i = 0; i < workload->event_count; i++) {
        const struct vidmm_event *event = &workload->events[i];
        assert_true(event->process < workload->process_count);
        if (event->kind == VIDMM_EVENT_ALLOC) {
            assert_int_equal(event->allocation, next++);
            assert_true(event->size > 0);
            sizes[event->allocation] = event->size;
            process[event->allocation] = event->process;
        } else if (event->kind == VIDMM_EVENT_SUBMIT) {
            for (uint32_t k = 0; k < event->reads + event->writes; k++) {
                uint32_t allocation = workload->lists[event->first + k];
                assert_true(sizes[allocation] > 0);
                assert_int_equal(process[allocation], event->process);
                touched += sizes[allocation];
            }
        } else if (names_allocation(event->kind)) {
            assert_true(sizes[event->allocation] > 0);
            if (event->kind == VIDMM_EVENT_FREE)
                sizes[event->allocation] = 0;
        }
    }
    free(sizes);
    free(process);
    return touched;
}

static void workloads_are_well_formed_and_of_moderate_size(void **state) {
    (void)state;
    size_t count;
    const struct vidmm_generator *generators = vidmm_generators(&count);
    for (size_t i = 0; i < count; i++) {
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct vidmm_workload workload = make(&generators[i], seed);
            uint64_t touched = walk(&workload);
            if (touched > 12000000000u || (double)workload.peak_live_bytes < 64 * MIB ||
                (double)workload.peak_live_bytes > 288 * MIB)
                fail_msg("%s, seed %llu: %.1f GB touched, peak %.1f MiB", workload.name,
                         (unsigned long long)seed, (double)touched / 1e9,
                         (double)workload.peak_live_bytes / MIB);
            vidmm_workload_free(&workload);
        }
    }
}

static void together_they_use_every_kind_of_allocation(void **state) {
    (void)state;
    size_t count;
    const struct vidmm_generator *generators = vidmm_generators(&count);
    uint32_t flags = 0, priorities = 0, processes = 0;
    for (size_t i = 0; i < count; i++) {
        struct vidmm_workload workload = make(&generators[i], 1);
        for (size_t k = 0; k < workload.event_count; k++) {
            flags |= workload.events[k].umd_flags;
            priorities += workload.events[k].priority != 0;
        }
        processes += workload.process_count;
        vidmm_workload_free(&workload);
    }
    const uint32_t wanted = VIDMM_UMD_LOCAL | VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE |
                            VIDMM_UMD_CACHED | VIDMM_UMD_PERMANENT_SYSMEM | VIDMM_UMD_SWIZZLED |
                            VIDMM_UMD_PRIMARY | VIDMM_UMD_OVERLAY | VIDMM_UMD_EVICT_TO_APERTURE |
                            VIDMM_UMD_FROM_END;
    assert_int_equal(flags & wanted, wanted);
    assert_true(priorities > 0);
    assert_int_equal(processes, 1 + 1 + 1 + 3 + 1 + 1 + 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_names_the_same_workload_for_ever),
        cmocka_unit_test(different_seeds_give_different_workloads),
        cmocka_unit_test(workloads_are_well_formed_and_of_moderate_size),
        cmocka_unit_test(together_they_use_every_kind_of_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
