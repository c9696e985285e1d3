/*
 * run_test.c - vidmm_run as a library, and the words of its options.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include <vidmm/interfaces.h>
#include <vidmm/run.h>

static void sizes_are_numbers_with_suffixes_of_1024(void **state) {
    (void)state;
    const struct {
        const char *text;
        uint64_t bytes; /* 0: refused */
    } cases[] = {{"65536", 65536}, {"1K", 1024},
                 {"64kib", 65536}, {"1.5G", 1610612736},
                 {"2MB", 2097152}, {"1T", UINT64_C(1) << 40},
                 {"", 0},          {"K", 0},
                 {"-1", 0},        {"1X", 0},
                 {"1KiBs", 0},     {"nan", 0},
                 {"0x10", 0},      {"0", 0},
                 {"99999999T", 0}, {"1e400", 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t bytes = 0;
        bool good = vidmm_run_parse_size(cases[i].text, &bytes);
        if (good != (cases[i].bytes != 0) || (good && bytes != cases[i].bytes))
            fail_msg("'%s' became %u", cases[i].text, (unsigned)bytes);
    }
}

static void a_share_is_rounded_up_and_never_below_a_mebibyte(void **state) {
    (void)state;
    uint64_t bytes = 0;
    assert_true(vidmm_run_parse_vram("25%", 100u << 20, &bytes));
    assert_int_equal(bytes, 25u << 20);
    assert_true(vidmm_run_parse_vram("33.3%", 10000000, &bytes));
    assert_int_equal(bytes % 65536, 0);
    assert_true(bytes >= 3330000 && bytes < 3330000 + 65536);
    assert_true(vidmm_run_parse_vram("1%", 4096, &bytes));
    assert_int_equal(bytes, 1u << 20);
    assert_true(vidmm_run_parse_vram("2097153", 0, &bytes));
    assert_int_equal(bytes, (2u << 20) + 65536);
    assert_false(vidmm_run_parse_vram("0%", 4096, &bytes));
    assert_false(vidmm_run_parse_vram("%", 4096, &bytes));
    assert_false(vidmm_run_parse_vram("25%%", 4096, &bytes));
    assert_false(vidmm_run_parse_vram("-5%", 4096, &bytes));
    assert_false(vidmm_run_parse_vram("25%", 0, &bytes));
}

static void interface_versions_have_names_both_ways(void **state) {
    (void)state;
    uint32_t version = 0, before = 0;
    for (size_t i = 0; vidmm_run_ddi_at(i); i++) {
        assert_true(vidmm_run_parse_ddi(vidmm_run_ddi_at(i), &version));
        assert_string_equal(vidmm_run_ddi_name(version), vidmm_run_ddi_at(i));
        assert_true(version > before);
        before = version;
    }
    assert_true(vidmm_run_parse_ddi("WDDM2.0", &version));
    assert_int_equal(version, 0x5023);
    assert_false(vidmm_run_parse_ddi("wddm9.9", &version));
    assert_null(vidmm_run_ddi_name(0xffff));
}

static void the_older_of_table_and_caps_is_spoken(void **state) {
    (void)state;
    uint32_t newest = DXGKDDI_INTERFACE_VERSION_WDDM3_2, rotation = 0x4003;
    assert_int_equal(vidmm_interface_spoken(newest, 0, 0), newest); /* says nothing */
    assert_int_equal(vidmm_interface_spoken(newest, DXGKDDI_WDDMv3_2, 0), newest);
    assert_int_equal(vidmm_interface_spoken(newest, DXGKDDI_WDDMv1_3, 0), 0x4002);
    assert_int_equal(vidmm_interface_spoken(newest, DXGKDDI_WDDMv2_1, 0), 0x6003);
    assert_int_equal(vidmm_interface_spoken(newest, DXGKDDI_WDDMv2_1 + 5, 0), 0x6003);
    assert_int_equal(vidmm_interface_spoken(newest, DXGKDDI_WDDMv1, 0), 0x1052);
    assert_int_equal(vidmm_interface_spoken(0x2005, DXGKDDI_WDDMv1, 0), 0x2005);
    assert_int_equal(vidmm_interface_spoken(rotation, DXGKDDI_WDDMv1_3, 0), rotation);
    assert_int_equal(vidmm_interface_spoken(0x5023, DXGKDDI_WDDMv2_6, 0), 0x5023);
    assert_int_equal(vidmm_interface_spoken(0x5023, DXGKDDI_WDDMv2_0, 0x300E), 0x300E);
    assert_int_equal(vidmm_interface_spoken(0x300E, DXGKDDI_WDDMv1_2, newest), 0x300E);
}

static void a_cut_table_has_no_newer_function(void **state) {
    (void)state;
    DRIVER_INITIALIZATION_DATA table;
    memset(&table, 0xff, sizeof(table));
    table.Version = DXGKDDI_INTERFACE_VERSION_WDDM3_2;
    vidmm_interface_cut(&table, DXGKDDI_INTERFACE_VERSION_WDDM1_3);
    assert_int_equal(table.Version, DXGKDDI_INTERFACE_VERSION_WDDM1_3);
    assert_non_null(table.DxgkDdiGetNodeMetadata);
    assert_null(table.DxgkDdiCreateProcess);
    assert_null(table.DxgkDdiCreateMemoryBasis);
}

static void an_unknown_workload_is_one_sentence(void **state) {
    (void)state;
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    assert_false(vidmm_run_find("no-such-workload", 0, &workload, &error));
    assert_non_null(strstr(error.text, "no-such-workload"));
}

static void a_generated_run_verifies_and_counts_its_calls(void **state) {
    (void)state;
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    size_t count = 0;
    const struct vidmm_generator *generators = vidmm_generators(&count);
    assert_true(count > 0);
    assert_true(vidmm_run_find(generators[0].name, 5, &workload, &error));
    struct vidmm_run_options options = {.frame_limit = 4, .seed = 5};
    struct vidmm_run_result first, second;
    assert_true(vidmm_run_parse_vram("50%", workload.peak_live_bytes, &options.vram_bytes));
    if (vidmm_run(&workload, &options, &first) != VIDMM_RUN_VERIFIED)
        fail_msg("seed 5: %s", first.text);
    assert_true(first.calls > 0 && first.play.verified_bytes > 0);
    vidmm_run(&workload, &options, &second);
    assert_int_equal(first.calls_hash, second.calls_hash);
    vidmm_run_result_free(&first);
    vidmm_run_result_free(&second);
    vidmm_workload_free(&workload);
}

static void a_driver_that_cannot_be_loaded_is_one_sentence(void **state) {
    (void)state;
    struct vidmm_run_options options = {.driver_path = "/nonexistent/driver.so"};
    struct vidmm_inspection inspection;
    char text[512] = "";
    assert_int_equal(vidmm_run_inspect(&options, &inspection, text, sizeof(text)),
                     VIDMM_RUN_DRIVER_FAILED);
    assert_non_null(strstr(text, "driver.so"));
    vidmm_inspection_free(&inspection);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_numbers_with_suffixes_of_1024),
        cmocka_unit_test(a_share_is_rounded_up_and_never_below_a_mebibyte),
        cmocka_unit_test(interface_versions_have_names_both_ways),
        cmocka_unit_test(the_older_of_table_and_caps_is_spoken),
        cmocka_unit_test(a_cut_table_has_no_newer_function),
        cmocka_unit_test(an_unknown_workload_is_one_sentence),
        cmocka_unit_test(a_generated_run_verifies_and_counts_its_calls),
        cmocka_unit_test(a_driver_that_cannot_be_loaded_is_one_sentence),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
