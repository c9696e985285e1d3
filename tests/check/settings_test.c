/*
 * The reference driver and the examples are correct at each of their settings: with settings drawn at
 * random the conformance check finds nothing, and a run reads back what was written.
 *
 * A failure prints the command that repeats it. SETTINGS_SEED and SETTINGS_COUNT in the environment
 * draw others, and more of them (make settings).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/check.h>
#include <vidmm/run.h>

#include "../share.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define DRAWS        4u /* of the suite */
#define FRAMES       3u
#define KIB          1024ull
#define MIB          (1024ull * KIB)

/* ---- Drawing --------------------------------------------------------------------------------- */

struct choice {
    const char *name;
    uint32_t share; /* of draws in percent that set it */
    uint64_t value[9];
    uint32_t values;
};

#define LINKED "--linked" /* an option of the commands, and no setting */

#define CHOICE(name, share, ...)                                                                   \
    { name, share, {__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t) }

/* What include/vidmm/softgpu.h allows; faults and hangs are no settings of a correct driver. */
static const struct choice choices[] = {
    CHOICE("InterfaceVersion", 70, DXGKDDI_INTERFACE_VERSION_WIN7, DXGKDDI_INTERFACE_VERSION_WIN8,
           DXGKDDI_INTERFACE_VERSION_WDDM1_3, DXGKDDI_INTERFACE_VERSION_WDDM2_0,
           DXGKDDI_INTERFACE_VERSION_WDDM2_1, DXGKDDI_INTERFACE_VERSION_WDDM2_6,
           DXGKDDI_INTERFACE_VERSION_WDDM2_9, DXGKDDI_INTERFACE_VERSION_WDDM3_0,
           DXGKDDI_INTERFACE_VERSION_WDDM3_2),
    CHOICE("VramBytes", 30, 4 * MIB, 16 * MIB, 64 * MIB, 192 * MIB + 64 * KIB),
    CHOICE("VramVisibleBytes", 20, 0, 1 * MIB, 2 * MIB, 4 * MIB),
    CHOICE("VramSegments", 20, 2, 3, 7, 64),
    CHOICE("CpuHostApertureBytes", 15, 64 * KIB, 1 * MIB),
    CHOICE("VprBytes", 15, 64 * KIB, 1 * MIB, 512 * MIB),
    CHOICE("ApertureBytes", 20, 0, 4 * MIB, 64 * MIB, 3 * MIB + 4 * KIB),
    CHOICE("EvictionApertureBytes", 10, 16 * MIB),
    CHOICE("Agp", 10, 1),
    CHOICE("AgpBytes", 10, 16 * MIB, 1 * MIB),
    CHOICE("AgpCommitLimit", 10, 1 * MIB),
    CHOICE("MapAperture2", 20, 1),
    CHOICE("Banks", 10, 1, 2, 5),
    CHOICE("PagingBufferBytes", 20, 4096, 8192, 1 * MIB),
    CHOICE("PagingBufferSegment", 20, 1),
    CHOICE("PagingPrivateBytes", 20, 16, 256, 4096),
    CHOICE("SwizzlingRanges", 15, 0, 1, 4),
    CHOICE("Nodes", 20, 1, 2),
    CHOICE("BusyEvery", 20, 2, 7),
    CHOICE("MmuLevels", 50, 2, 3, 4, 5, 6),
    CHOICE("MmuPages", 40, 1, 2),
    CHOICE("MmuFeatures", 40, 0, 1, 2, 4, 8, 15, 23, 63, 127),
    CHOICE("MmuUpdateMode", 30, 0, 1, 2),
    CHOICE("MmuTableSegment", 20, 2),
    CHOICE("MmuDemands", 20, 1, 2, 4, 7),
    CHOICE("ContextBytes", 20, 4096, 8192),
    CHOICE("TlbSets", 10, 1, 2),
    CHOICE("TlbWays", 10, 1, 2),
    CHOICE("DirtyPageBytes", 15, 4096, 64 * KIB),
    CHOICE("DirtyPerformant", 10, 1),
    CHOICE("Iommu", 10, 1),
    CHOICE("Gdi", 20, 1),
    CHOICE("Displays", 20, 1, 2),
    CHOICE("MmuIndexBits", 10, 0x0909, 0x0a0a0a, 0x04040a, 0x090909, 0x09090909, 0x0404040a),
    CHOICE(LINKED, 10, 2, 3, 4),
    CHOICE("LinkedVram", 5, 4 * MIB, 64 * MIB),
    CHOICE("DmaBufferSegment", 15, 1),
};

static uint64_t draw(uint64_t *random, uint64_t below) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (*random >> 11) % below;
}

struct drawn {
    struct vidmm_host_setting setting[COUNT(choices)];
    uint32_t count;
    uint32_t linked; /* physical adapters; 0: one */
};

/* An example driver, and the size of its memory. */
struct example {
    const char *path, *model, *setting;
};

static const struct example examples[] = {
    {DRIVERS "/cpu-vram.so", NULL, "VramBytes"},
    {DRIVERS "/banked.so", NULL, "VramBytes"},
    {DRIVERS "/gpummu.so", NULL, "VramBytes"},
    {DRIVERS "/aperture-only.so", NULL, "ApertureBytes"},
    {DRIVERS "/ring.so", DRIVERS "/ring-hardware.so", "VramBytes"},
};

static void take(struct drawn *drawn, const char *name, uint64_t value) {
    if (strcmp(name, LINKED) == 0)
        drawn->linked = (uint32_t)value;
    else
        drawn->setting[drawn->count++] = (struct vidmm_host_setting){name, value};
}

/* Of the first `some` choices: those that there were when a seed was noted draw the same settings again. */
static void draw_settings(uint64_t seed, size_t some, struct drawn *drawn) {
    uint64_t random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    memset(drawn, 0, sizeof(*drawn));
    for (int i = 0; i < 8; i++)
        (void)draw(&random, 2);
    for (size_t i = 0; i < some; i++) {
        const struct choice *choice = &choices[i];
        uint64_t percent = draw(&random, 100), value = draw(&random, choice->values);
        if (percent < choice->share)
            take(drawn, choice->name, choice->value[value]);
    }
}

/* ---- Judging --------------------------------------------------------------------------------- */

/* The driver or its board says in one sentence which settings do not go together. */
static bool is_refused(const char *text) {
    return strstr(text, "; it said \"") || strstr(text, "the device could not be made: ") ||
           strstr(text, ": it cannot link ");
}

static void print_command(const char *verb, uint64_t seed, const struct drawn *drawn,
                          const struct example *example) {
    print_error("vidmm %s --seed %" PRIu64, verb, seed);
    if (example)
        print_error(" %s", example->path);
    if (example && example->model)
        print_error(" --hardware %s", example->model);
    if (drawn->linked != 0)
        print_error(" --linked %" PRIu32, drawn->linked);
    for (uint32_t i = 0; i < drawn->count; i++)
        print_error(" --set %s=%" PRIu64, drawn->setting[i].name, drawn->setting[i].value);
    print_error("\n");
}

static bool check_is_clean(uint64_t seed, const struct drawn *drawn, const struct example *example,
                           bool *refused) {
    static struct vidmm_check_result result;
    const struct vidmm_check_options options = {.driver_path = example ? example->path : NULL,
                                                .model_path = example ? example->model : NULL,
                                                .seed = seed,
                                                .settings = drawn->setting,
                                                .setting_count = drawn->count,
                                                .linked = drawn->linked,
                                                .timeout_ms = 60000};
    vidmm_check(&options, &result);
    *refused = result.status == VIDMM_CHECK_DRIVER_FAILED && is_refused(result.text);
    if (result.status == VIDMM_CHECK_PASSED || *refused)
        return true;
    print_command("check", seed, drawn, example);
    print_error("  %s\n", result.text);
    for (uint32_t i = 0; i < result.ledger.findings; i++) {
        char text[640];
        vidmm_finding_text(&result.ledger.finding[i], text, sizeof(text));
        print_error("  %s\n", text);
    }
    return false;
}

static bool run_is_clean(uint64_t seed, const struct drawn *drawn) {
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    struct vidmm_run_result result;
    const struct vidmm_run_options options = {.seed = seed,
                                              .settings = drawn->setting,
                                              .setting_count = drawn->count,
                                              .linked = drawn->linked,
                                              .frame_limit = FRAMES};
    assert_true(vidmm_run_find("level-changes", seed, &workload, &error));
    vidmm_run(&workload, &options, &result);
    bool clean = result.status == VIDMM_RUN_VERIFIED ||
                 (result.status == VIDMM_RUN_DRIVER_FAILED && is_refused(result.text)) ||
                 (result.violation_count == 0 && strstr(result.text, "does not fit"));
    if (!clean)
        print_command("run level-changes --frames 3", seed, drawn, NULL);
    if (!clean)
        print_error("  %s\n", result.text);
    for (uint32_t i = 0; !clean && i < result.violation_count; i++)
        print_error("  %s\n", result.violations[i]);
    vidmm_run_result_free(&result);
    vidmm_workload_free(&workload);
    return clean;
}

static uint64_t from_environment(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* ---- The tests ------------------------------------------------------------------------------- */

static void the_reference_driver_is_clean_at_its_settings(void **state) {
    uint64_t first = from_environment("SETTINGS_SEED", 1);
    uint64_t count = from_environment("SETTINGS_COUNT", DRAWS), refusals = 0, unclean = 0;
    (void)state;
    print_message("%" PRIu64 " settings, SEED=%" PRIu64 "\n", count, first);
    for (uint64_t seed = first; seed < first + count; seed += share()) {
        struct drawn drawn;
        bool refused;
        draw_settings(seed, COUNT(choices), &drawn);
        unclean += !check_is_clean(seed, &drawn, NULL, &refused);
        unclean += !run_is_clean(seed, &drawn);
        refusals += refused;
    }
    assert_int_equal(unclean, 0);
    assert_true(count < DRAWS || refusals * 2 < count);
}

/* Draws at which the reference driver or the manager was accused once: little room for page tables, a TLB that keeps
 * invalid entries, apertures of AGP alone, memory that the CPU does not see; page tables that leave a surface no room, and
 * a context of the driver's none for its own tables; paging that hangs as the last of all; a small space of addresses;
 * adapters that are linked, with paging buffers in an aperture, and with many segments; a display, and DMA buffers in an
 * aperture. */
static void what_was_accused_at_its_settings_once_is_clean(void **state) {
    static const struct {
        uint64_t seed;
        size_t choices; /* that there were then */
    } draws[] = {{7762, 31},  {7803, 31},  {7807, 31},  {8080, 31},  {8157, 31},  {7701, 31},
                 {20066, 31}, {30224, 31}, {40065, 36}, {40118, 36}, {50024, 36}, {73081, 37}};
    uint64_t unclean = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(draws); i += share()) {
        struct drawn drawn;
        bool refused;
        draw_settings(draws[i].seed, draws[i].choices, &drawn);
        unclean += !check_is_clean(draws[i].seed, &drawn, NULL, &refused) || refused;
    }
    assert_int_equal(unclean, 0);
}

static void what_makes_no_driver_is_refused_in_one_sentence(void **state) {
    static const struct {
        struct vidmm_host_setting setting[2];
        const char *why;
    } refused[] = {
        {{{"ApertureBytes", 0}}, "ApertureBytes is 0"},
        {{{"Banks", 999}}, "Banks is at most 127"},
        {{{"PagingBufferSegment", 2}}, "PagingBufferSegment is at most 1"},
        {{{"MmuLevels", 7}}, "MmuLevels is 0 or from 2 to 6"},
        {{{"VramBytes", 5}}, "VramBytes (--vram) and VramVisibleBytes are pages"},
        {{{"VramBytes", UINT64_C(2) << 40}}, "at most 1 TiB"},
        {{{"MmuLevels", 2}, {"VramVisibleBytes", 0}}, "no VRAM is visible"},
        {{{"Nodes", 3}}, "Nodes is 1 or 2"},
    };
    static struct vidmm_check_result result;
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        const struct vidmm_check_options options = {.settings = refused[i].setting,
                                                    .setting_count =
                                                        refused[i].setting[1].name ? 2 : 1,
                                                    .timeout_ms = 60000};
        vidmm_check(&options, &result);
        assert_int_equal(result.status, VIDMM_CHECK_DRIVER_FAILED);
        assert_int_equal(result.ledger.findings, 1);
        if (!strstr(result.text, refused[i].why))
            fail_msg("%s is not: %s", result.text, refused[i].why);
    }
}

static void the_examples_are_clean_at_their_settings(void **state) {
    static const uint64_t bytes[] = {1 * MIB, 3 * MIB + 4 * KIB, 24 * MIB, 256 * MIB};
    uint64_t random = from_environment("SETTINGS_SEED", 1) + 1, unclean = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(examples); i += share()) {
        struct drawn drawn = {.count = 1};
        bool refused;
        drawn.setting[0] =
            (struct vidmm_host_setting){examples[i].setting, bytes[draw(&random, COUNT(bytes))]};
        unclean += !check_is_clean(random, &drawn, &examples[i], &refused) || refused;
    }
    assert_int_equal(unclean, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_driver_is_clean_at_its_settings),
        cmocka_unit_test(what_was_accused_at_its_settings_once_is_clean),
        cmocka_unit_test(what_makes_no_driver_is_refused_in_one_sentence),
        cmocka_unit_test(the_examples_are_clean_at_their_settings),
    };
    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
