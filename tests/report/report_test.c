/*
 * report_test.c - numbers, charts, tables and JSON of a run, from a result made by hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vidmm/report.h>
#include <vidmm/watch.h>

static void sizes_have_one_decimal_and_the_unit_that_fits(void **state) {
    (void)state;
    const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 B"},
        {1023, "1023 B"},
        {1024, "1.0 KiB"},
        {1258291, "1.2 MiB"},
        {(1u << 20) - 1, "1.0 MiB"},
        {UINT64_C(5) << 30, "5.0 GiB"},
        {UINT64_MAX, "16.0 EiB"},
    };
    char text[32];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(vidmm_report_size(cases[i].bytes, text, sizeof(text)), cases[i].text);
}

static void counts_have_thousands_separators(void **state) {
    (void)state;
    char text[32], small[4];
    assert_string_equal(vidmm_report_count(0, text, sizeof(text)), "0");
    assert_string_equal(vidmm_report_count(999, text, sizeof(text)), "999");
    assert_string_equal(vidmm_report_count(1000, text, sizeof(text)), "1,000");
    assert_string_equal(vidmm_report_count(UINT64_MAX, text, sizeof(text)),
                        "18,446,744,073,709,551,615");
    vidmm_report_count(1234567, small, sizeof(small));
    assert_true(strlen(small) < sizeof(small));
}

/* What a function printed, as a string that the caller frees. */
static char *printed(void (*print)(FILE *out, const void *what), const void *what) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    print(out, what);
    fclose(out);
    return text;
}

static void print_bar(FILE *out, const void *what) {
    static const uint64_t samples[] = {0, 1, 50, 100, 200};
    vidmm_report_bar(out, samples, 5, 100, what);
}

static void bars_show_nothing_something_half_full_and_no_more(void **state) {
    (void)state;
    struct vidmm_report_style plain = {.unicode = false}, unicode = {.unicode = true};
    char *text = printed(print_bar, &plain);
    assert_string_equal(text, " .=@@");
    free(text);
    text = printed(print_bar, &unicode);
    assert_string_equal(text, " ▁▄██");
    free(text);
}

static struct vidmm_run_result sample_result(void) {
    struct vidmm_run_result result = {
        .status = VIDMM_RUN_VERIFIED,
        .workload = "sample",
        .driver = "softgpu",
        .peak_live_bytes = 4u << 20,
        .vram_bytes = 1u << 20,
        .seed = 7,
        .played = true,
        .calls = 12,
        .calls_hash = 0xabc,
    };
    result.adapter.interface_version = DXGKDDI_INTERFACE_VERSION_WIN7;
    result.adapter.query_version = 1;
    result.play.frames = 3;
    result.play.submissions = 1234;
    result.play.verified_bytes = 8192;
    result.play.stats.paged_in_bytes = 111;
    result.play.stats.paged_out_bytes = 222;
    result.play.stats.paging_buffers = 9;
    result.play.stats.multipass_splits = 2;
    result.play.stats.ops[VIDMM_OP_TRANSFER] = 5;
    result.play.stats.op_bytes[VIDMM_OP_TRANSFER] = 2048;
    result.play.chart_samples = 2;
    result.play.chart_vram[1] = 1u << 20;
    return result;
}

static void print_text(FILE *out, const void *what) {
    struct vidmm_report_style style = {.unicode = false};
    vidmm_report_text(out, what, &style);
}

static void the_table_names_every_figure(void **state) {
    (void)state;
    static const char *const expected[] = {"sample on softgpu",
                                           "interface win7",
                                           "frames",
                                           "1,234",
                                           "paged in",
                                           "transfer",
                                           "VRAM     | @|",
                                           "split (multipass)",
                                           "violations",
                                           "0000000000000abc over 12 DDI calls"};
    struct vidmm_run_result result = sample_result();
    char *text = printed(print_text, &result);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        if (!strstr(text, expected[i]))
            fail_msg("'%s' is missing in:\n%s", expected[i], text);
    }
    assert_null(strstr(text, "discard"));
    free(text);
}

static void a_failed_run_is_one_sentence(void **state) {
    (void)state;
    struct vidmm_run_result result = {.status = VIDMM_RUN_DRIVER_FAILED,
                                      .text = "DriverEntry failed"};
    char *text = printed(print_text, &result);
    assert_string_equal(text, "failed: DriverEntry failed\n");
    free(text);
}

static char *json_path(char *directory) {
    static char path[128];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/run.json", directory);
    return path;
}

static uint64_t member(const json_t *root, const char *name) {
    const json_t *value = json_object_get(root, name);
    if (!json_is_integer(value))
        fail_msg("'%s' is no integer", name);
    return (uint64_t)json_integer_value(value);
}

static void json_has_the_stable_names(void **state) {
    (void)state;
    char directory[] = "/tmp/vidmm-report-XXXXXX", text[256];
    const char *path = json_path(directory);
    struct vidmm_run_result result = sample_result();
    char sentence[] = "a rule was broken", *list[] = {sentence};
    result.violations = list;
    result.violation_count = 1;
    assert_true(vidmm_report_json(path, &result, text, sizeof(text)));

    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    assert_non_null(root);
    assert_int_equal(member(root, "verified_bytes"), 8192);
    assert_int_equal(member(root, "mismatched_bytes"), 0);
    assert_int_equal(member(root, "paged_in_bytes"), 111);
    assert_int_equal(member(root, "paged_out_bytes"), 222);
    assert_int_equal(member(root, "paging_buffers"), 9);
    assert_int_equal(member(root, "multipass_splits"), 2);
    assert_int_equal(member(root, "refused_submissions"), 0);
    assert_int_equal(member(root, "vram_bytes"), 1u << 20);
    assert_int_equal(member(root, "seed"), 7);
    assert_int_equal(member(root, "interface_version"), DXGKDDI_INTERFACE_VERSION_WIN7);
    assert_int_equal(member(root, "query_version"), 1);
    assert_string_equal(json_string_value(json_object_get(root, "calls_hash")), "0000000000000abc");
    assert_string_equal(json_string_value(json_array_get(json_object_get(root, "violations"), 0)),
                        sentence);
    assert_true(json_is_null(json_object_get(root, "first_mismatch")));
    json_decref(root);
    unlink(path);
    assert_int_equal(rmdir(directory), 0); /* and no temporary file beside it */
}

static void a_mismatch_names_operation_and_place(void **state) {
    (void)state;
    char directory[] = "/tmp/vidmm-report-XXXXXX", text[256];
    const char *path = json_path(directory);
    struct vidmm_run_result result = sample_result();
    result.play.mismatched_bytes = 1;
    result.play.first = (struct vidmm_mismatch){.allocation = 4,
                                                .page = 2,
                                                .byte = 17,
                                                .op = VIDMM_OP_FILL,
                                                .by_op = true,
                                                .paging_buffer = 8};
    memcpy(result.play.first.text, "caf\xe9", 5); /* not UTF-8: still a report */
    assert_true(vidmm_report_json(path, &result, text, sizeof(text)));
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    const json_t *first = json_object_get(root, "first_mismatch");
    assert_int_equal(member(first, "allocation"), 4);
    assert_int_equal(member(first, "byte"), 17);
    assert_string_equal(json_string_value(json_object_get(first, "operation")), "fill");
    assert_string_equal(json_string_value(json_object_get(first, "text")), "caf?");
    json_decref(root);
    unlink(path);
    rmdir(directory);
}

static void json_that_cannot_be_written_is_one_sentence_and_no_file(void **state) {
    (void)state;
    struct vidmm_run_result result = sample_result();
    char directory[] = "/tmp/vidmm-report-XXXXXX", text[256] = "";
    const char *path = json_path(directory);
    assert_false(vidmm_report_json("/nonexistent/directory/x.json", &result, text, sizeof(text)));
    assert_non_null(strstr(text, "cannot write"));
    assert_int_equal(mkdir(path, 0700), 0); /* a rename that fails takes the temporary file along */
    assert_false(vidmm_report_json(path, &result, text, sizeof(text)));
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(directory), 0);
}

static void print_inspection(FILE *out, const void *what) {
    vidmm_report_inspection(out, what);
}

static void inspection_shows_segments_banks_and_paging_buffer(void **state) {
    (void)state;
    static const uint64_t ends[] = {0x100000, 0x400000};
    struct vidmm_segment_info segments[] = {
        {.id = 1,
         .flags = 0xc,
         .base = 0x1000000,
         .cpu_base = 0xe0000000,
         .size = 4u << 20,
         .commit_limit = 4u << 20,
         .banks = 2,
         .bank_ends = ends,
         .vpr_start = 0x200000,
         .vpr_size = 0x100000,
         .vpr_reserve = 0x1000},
        {.id = 2, .flags = 0x80000001u, .aperture = true, .size = 8u << 20},
    };
    struct vidmm_inspection inspection = {.driver = "mine.so", .segments = segments};
    inspection.adapter.segments = 2;
    inspection.adapter.query_version = 3;
    inspection.adapter.interface_version = 0x1234;
    inspection.adapter.paging_size = 65536;
    static const char *const expected[] = {"mine.so",
                                           "0x1234\n",
                                           "QUERYSEGMENT3",
                                           "CpuVisible UseBanking",
                                           "Aperture bit 31",
                                           "bank 2: 0x100000 to 0x400000, 3.0 MiB",
                                           ("video protected range: 0x200000 to 0x300000, 1.0 MiB, "
                                            "4.0 KiB reserved"),
                                           "system memory, contiguous",
                                           "64.0 KiB"};
    char *text = printed(print_inspection, &inspection);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        if (!strstr(text, expected[i]))
            fail_msg("'%s' is missing in:\n%s", expected[i], text);
    }
    free(text);
}

static void print_imports(FILE *out, const void *what) {
    vidmm_report_imports(out, what);
}

static void imports_are_listed_by_library_and_unknown_ones_first(void **state) {
    (void)state;
    struct vidmm_run_import imports[] = {{"ntoskrnl.exe", "KeBugCheckEx", true},
                                         {"HAL.dll", "#7", false},
                                         {"ntoskrnl.exe", "OfNoKernel", false},
                                         {"ntoskrnl.exe", "memcpy", true}};
    struct vidmm_inspection inspection = {
        .driver = "mine.sys", .imports = imports, .import_count = 4};
    char *text = printed(print_imports, &inspection);
    assert_string_equal(text, "imports of mine.sys\n"
                              "  ntoskrnl.exe: 3 names, 1 unknown\n"
                              "    unknown  OfNoKernel\n"
                              "    known    KeBugCheckEx, memcpy\n"
                              "  HAL.dll: 1 name, 1 unknown\n"
                              "    unknown  #7\n\n");
    free(text);
    inspection.import_count = 0;
    text = printed(print_imports, &inspection);
    assert_string_equal(text, "");
    free(text);
}

/* Two levels of page tables, the leaves in segment 2. */
static struct vidmm_inspection with_page_tables(void) {
    struct vidmm_inspection inspection = {.driver = "mine.so", .local_budget = 4u << 20};
    struct vidmm_gpummu_info *mmu = &inspection.mmu;
    mmu->on = true;
    mmu->levels = mmu->caps.PageTableLevelCount = 2;
    mmu->caps.Value = 0x81;
    mmu->caps.LeafPageTableSizeFor64KPagesInBytes = 4096;
    mmu->caps.VirtualAddressBitCount = 32;
    mmu->caps.PageTableUpdateMode = DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
    mmu->level[0] = (struct vidmm_level_info){.index_bits = 10, .segment = 2, .size = 8192};
    mmu->level[1] = (struct vidmm_level_info){.index_bits = 9, .paging_segment = 2, .size = 4096};
    mmu->paging_bytes = 1u << 30;
    return inspection;
}

static void inspection_shows_page_tables_page_sizes_and_budgets(void **state) {
    (void)state;
    struct vidmm_inspection inspection = with_page_tables();
    static const char *const expected[] = {
        "address bits                   32\n",
        "4 KiB and 64 KiB, both below an entry\n",
        "gpu_virtual\n",
        "ReadOnlyMemorySupported\n                                 DualPteSupported\n",
        "1.0 GiB\n",
        "budget, local                  4.0 MiB\n",
        "      1      9    4.0 GiB    4.0 KiB  system    2\n",
        "      0     10    4.0 MiB    8.0 KiB  2         system\n"};
    char *text = printed(print_inspection, &inspection);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        if (!strstr(text, expected[i]))
            fail_msg("'%s' is missing in:\n%s", expected[i], text);
    }
    free(text);
}

static void inspection_in_json_has_the_levels_leaves_first(void **state) {
    (void)state;
    struct vidmm_inspection inspection = with_page_tables();
    char path[] = "/tmp/vidmm-inspection-XXXXXX", text[256];
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_true(vidmm_report_inspection_json(path, &inspection, text, sizeof(text)));
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    unlink(path);
    assert_non_null(root);
    const json_t *mmu = json_object_get(root, "mmu");
    const json_t *leaf = json_array_get(json_object_get(mmu, "levels"), 0);
    assert_true(json_is_true(json_object_get(mmu, "used")));
    assert_true(json_is_true(json_object_get(mmu, "dual")));
    assert_string_equal(json_string_value(json_object_get(mmu, "update_mode")), "gpu_virtual");
    assert_int_equal(json_array_size(json_object_get(mmu, "levels")), 2);
    assert_int_equal(json_integer_value(json_object_get(leaf, "covers_bytes")), 4u << 20);
    assert_int_equal(json_integer_value(json_object_get(leaf, "segment")), 2);
    assert_int_equal(json_integer_value(json_object_get(root, "local_budget")), 4u << 20);
    json_decref(root);
}

static void print_crash(FILE *out, const void *what) {
    vidmm_report_crash(out, what);
}

static void a_hang_of_vidmm_is_not_called_the_drivers(void **state) {
    (void)state;
    struct vidmm_watch_end end = {
        .how = VIDMM_WATCH_HUNG, .timeout_ms = 10000, .where = "DxgkDdiRender"};
    struct vidmm_finding finding = {.kind = VIDMM_FINDING_HANG, .where = "DxgkDdiRender"};
    vidmm_watch_text(&end, finding.found, sizeof(finding.found));
    char *text = printed(print_crash, &finding);
    assert_string_equal(text, "vidmm: the driver hung: no end within 10000 ms, in DxgkDdiRender\n");
    free(text);
    strcpy(end.where, "vidmm");
    strcpy(finding.where, "vidmm");
    vidmm_watch_text(&end, finding.found, sizeof(finding.found));
    text = printed(print_crash, &finding);
    assert_string_equal(text, "vidmm: the run hung: no end within 10000 ms, in vidmm: it computes, "
                              "or waits for a thread of the driver's\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_have_one_decimal_and_the_unit_that_fits),
        cmocka_unit_test(counts_have_thousands_separators),
        cmocka_unit_test(bars_show_nothing_something_half_full_and_no_more),
        cmocka_unit_test(the_table_names_every_figure),
        cmocka_unit_test(a_failed_run_is_one_sentence),
        cmocka_unit_test(json_has_the_stable_names),
        cmocka_unit_test(a_mismatch_names_operation_and_place),
        cmocka_unit_test(json_that_cannot_be_written_is_one_sentence_and_no_file),
        cmocka_unit_test(inspection_shows_segments_banks_and_paging_buffer),
        cmocka_unit_test(imports_are_listed_by_library_and_unknown_ones_first),
        cmocka_unit_test(inspection_shows_page_tables_page_sizes_and_budgets),
        cmocka_unit_test(inspection_in_json_has_the_levels_leaves_first),
        cmocka_unit_test(a_hang_of_vidmm_is_not_called_the_drivers),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
