/*
 * reader.c - properties of the reader of recordings: what it takes, and what it makes of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zstd.h>

#include <vidmm/umd.h>
#include <vidmm/workload.h>

#define HEADER  "{\"vidmm_trace\":1,\"source\":\"test\"}\n"
#define SUBMIT  "{\"op\":\"submit\",\"reads\":[],\"writes\":[]}\n"
#define PRESENT "{\"op\":\"present\"}\n"

static struct vidmm_workload parse(const char *text) {
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    if (!vidmm_workload_parse("test", text, strlen(text), &workload, &error))
        fail_msg("%s", error.text);
    return workload;
}

/* ---- The shipped recordings ------------------------------------------------------------------ */

struct recording {
    const char *name;
    uint32_t allocs, frees, maps, submits, presents;
    double peak_mb;
};

static const struct recording recordings[] = {
    {"vkcube", 8, 8, 8, 301, 300, 3.8},
    {"ffmpeg-filters", 543, 543, 6, 504, 0, 23.1},
    {"mpv", 16, 16, 7, 1080, 360, 61.4},
    {"warzone2100", 13, 2, 6933, 162, 161, 344.1},
    {"openarena-tour", 602, 534, 275, 1360, 571, 609.2},
    {"minetest", 71, 8, 56, 2200, 887, 146.5},
    {"glmark2", 59, 58, 48, 14033, 7002, 74.5},
    {"ncnn-bench-cnn", 228, 198, 367, 1036, 0, 494.5},
};

static void count(const struct vidmm_workload *workload, uint32_t counts[6]) {
    memset(counts, 0, 6 * sizeof(*counts));
    for (size_t i = 0; i < workload->event_count; i++)
        counts[workload->events[i].kind]++;
}

static void every_shipped_recording_is_read_completely(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
        const struct recording *expected = &recordings[i];
        struct vidmm_workload workload;
        struct vidmm_workload_error error;
        uint32_t counts[6];
        char path[512];
        snprintf(path, sizeof(path), "%s/%s.jsonl.zst", WORKLOADS, expected->name);
        if (!vidmm_workload_read(path, &workload, &error))
            fail_msg("%s", error.text);
        assert_string_equal(workload.name, expected->name);
        count(&workload, counts);
        assert_int_equal(counts[VIDMM_EVENT_ALLOC], expected->allocs);
        assert_int_equal(counts[VIDMM_EVENT_FREE], expected->frees);
        assert_int_equal(counts[VIDMM_EVENT_MAP] + counts[VIDMM_EVENT_UNMAP], expected->maps);
        assert_int_equal(counts[VIDMM_EVENT_SUBMIT], expected->submits);
        assert_int_equal(counts[VIDMM_EVENT_PRESENT], expected->presents);
        assert_int_equal(workload.allocation_count, expected->allocs);
        assert_int_equal(workload.process_count, 1);
        assert_true((double)workload.peak_live_bytes > (expected->peak_mb - 0.1) * 1e6);
        assert_true((double)workload.peak_live_bytes < (expected->peak_mb + 0.1) * 1e6);
        vidmm_workload_free(&workload);
    }
}

/* ---- What events become ---------------------------------------------------------------------- */

static void heaps_and_flags_become_umd_flags(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint32_t flags;
    } cases[] = {
        {"\"heap\":0,\"flags\":[\"device_local\"]", VIDMM_UMD_LOCAL},
        {"\"heap\":0", VIDMM_UMD_LOCAL},
        {"\"heap\":0,\"flags\":[\"device_local\",\"host_visible\",\"host_coherent\"]",
         VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE},
        {"\"heap\":0,\"flags\":[\"host_cached\"]", VIDMM_UMD_LOCAL},
        {"\"heap\":0,\"flags\":[\"protected\"]", VIDMM_UMD_LOCAL | VIDMM_UMD_IN_VPR},
        {"\"heap\":0,\"flags\":[\"host_visible\",\"protected\"]",
         VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_IN_VPR},
        {"\"heap\":1,\"flags\":[\"protected\"]", 0},
        {"\"heap\":1,\"flags\":[\"host_visible\"]", VIDMM_UMD_CPU_VISIBLE},
        {"\"heap\":1,\"flags\":[\"host_visible\",\"host_cached\",\"never heard of\"]",
         VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED},
        {"\"heap\":1,\"flags\":[]", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[256];
        snprintf(text, sizeof(text), HEADER "{\"op\":\"alloc\",\"id\":0,\"size\":1,%s}",
                 cases[i].what);
        struct vidmm_workload workload = parse(text);
        assert_int_equal(workload.event_count, 1);
        assert_int_equal(workload.events[0].umd_flags, cases[i].flags);
        vidmm_workload_free(&workload);
    }
}

static void an_allocation_is_named_once_and_a_write_wins(void **state) {
    (void)state;
    struct vidmm_workload workload =
        parse(HEADER "{\"op\":\"alloc\",\"id\":10,\"size\":1,\"heap\":0}\n"
                     "{\"op\":\"alloc\",\"id\":20,\"size\":1,\"heap\":0}\n"
                     "{\"op\":\"alloc\",\"id\":30,\"size\":1,\"heap\":0}\n"
                     "{\"op\":\"submit\",\"reads\":[20,30,10,20],\"writes\":[30,30]}\n"
                     "{\"op\":\"submit\",\"reads\":[10],\"writes\":[]}\n"
                     "{\"op\":\"submit\",\"reads\":[],\"writes\":[]}\n");
    const struct vidmm_event *first = &workload.events[3], *second = &workload.events[4];
    assert_int_equal(first->reads, 2);
    assert_int_equal(first->writes, 1);
    assert_int_equal(workload.lists[first->first], 1);
    assert_int_equal(workload.lists[first->first + 1], 0);
    assert_int_equal(workload.lists[first->first + 2], 2);
    assert_int_equal(second->reads, 1);
    assert_int_equal(second->writes, 0);
    assert_int_equal(workload.lists[second->first], 0);
    assert_int_equal(workload.events[5].reads + workload.events[5].writes, 0);
    vidmm_workload_free(&workload);
}

static void times_that_go_back_and_unknown_members_do_not_matter(void **state) {
    (void)state;
    struct vidmm_workload workload = parse(HEADER "{\"t\":9,\"op\":\"alloc\",\"id\":1,\"size\":5,"
                                                  "\"heap\":1,\"name\":{\"deep\":[1,\"]}\"]}}\r\n"
                                                  "\n"
                                                  "{\"t\":3,\"op\":\"present\",\"colour\":null}\n"
                                                  "{\"t\":1.5,\"op\":\"map\",\"id\":1}\n"
                                                  "{\"t\":\"x\",\"op\":\"map\",\"id\":1}\n"
                                                  "  {\"op\":\"free\",\"id\":1}  ");
    assert_int_equal(workload.event_count, 5);
    assert_int_equal(workload.events[4].kind, VIDMM_EVENT_FREE);
    vidmm_workload_free(&workload);
}

static void the_peak_counts_whole_pages_that_live_together(void **state) {
    (void)state;
    struct vidmm_workload workload =
        parse(HEADER "{\"op\":\"alloc\",\"id\":1,\"size\":4097,\"heap\":0}\n"
                     "{\"op\":\"alloc\",\"id\":2,\"size\":1,\"heap\":0}\n"
                     "{\"op\":\"free\",\"id\":1}\n"
                     "{\"op\":\"alloc\",\"id\":3,\"size\":4096,\"heap\":0}\n");
    assert_int_equal(workload.peak_live_bytes, 3 * 4096);
    vidmm_workload_free(&workload);
}

static void a_frame_ends_with_a_present_or_else_with_a_submission(void **state) {
    (void)state;
    struct vidmm_workload game = parse(HEADER SUBMIT SUBMIT PRESENT SUBMIT PRESENT SUBMIT);
    struct vidmm_frames frames = vidmm_workload_frames(&game);
    assert_int_equal(frames.end, VIDMM_EVENT_PRESENT);
    assert_int_equal(frames.count, 2);
    assert_int_equal(vidmm_play_last_event(&game, 1), 2);
    assert_int_equal(vidmm_play_last_event(&game, 2), 4);
    assert_int_equal(vidmm_play_last_event(&game, 3), 5);
    assert_int_equal(vidmm_play_last_event(&game, 0), 5);
    vidmm_workload_free(&game);
    struct vidmm_workload computation = parse(HEADER SUBMIT SUBMIT SUBMIT);
    frames = vidmm_workload_frames(&computation);
    assert_int_equal(frames.end, VIDMM_EVENT_SUBMIT);
    assert_int_equal(frames.count, 3);
    assert_int_equal(vidmm_play_last_event(&computation, 2), 1);
    vidmm_workload_free(&computation);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void a_plain_and_a_compressed_file_read_the_same(void **state) {
    (void)state;
    static const char text[] =
        HEADER "{\"op\":\"alloc\",\"id\":1,\"size\":4096,\"heap\":0}\n{\"op\":\"present\"}\n";
    char path[] = "/tmp/vidmm-reader-XXXXXX", packed[512];
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    size_t size = ZSTD_compress(packed, sizeof(packed), text, sizeof(text) - 1, 3);
    assert_false(ZSTD_isError(size));
    for (int compressed = 0; compressed < 2; compressed++) {
        struct vidmm_workload workload;
        struct vidmm_workload_error error;
        write_file(path, compressed ? packed : text, compressed ? size : sizeof(text) - 1);
        if (!vidmm_workload_read(path, &workload, &error))
            fail_msg("%s", error.text);
        assert_int_equal(workload.event_count, 2);
        vidmm_workload_free(&workload);
    }
    unlink(path);
}

/* ---- Plain lines ----------------------------------------------------------------------------- */

#define LIVES                                                                                      \
    HEADER "{\"op\":\"alloc\",\"id\":1,\"size\":1,\"heap\":0}\n"                                   \
           "{\"op\":\"alloc\",\"id\":900000000000000000,\"size\":1,\"heap\":0}\n"                  \
           "{\"op\":\"alloc\",\"id\":2,\"size\":1,\"heap\":0}\n"                                   \
           "{\"op\":\"alloc\",\"id\":3,\"size\":1,\"heap\":0}\n"                                   \
           "{\"op\":\"alloc\",\"id\":5000,\"size\":1,\"heap\":0}\n"                                \
           "{\"op\":\"free\",\"id\":2}\n{\"op\":\"offer\",\"id\":3}\n"

/* What a line is to the reader, as it stands and with a member that nobody knows before its end. */
struct reading {
    bool ok;
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
};

static struct reading read_line(const char *line, const char *before_end) {
    struct reading reading = {.ok = false};
    char text[2048];
    size_t length = strlen(line);
    assert_true(length > 1 && line[length - 1] == '}');
    snprintf(text, sizeof(text), LIVES "%.*s%s}\n", (int)length - 1, line, before_end);
    reading.ok =
        vidmm_workload_parse("test", text, strlen(text), &reading.workload, &reading.error);
    return reading;
}

/* What submissions, presents and the allocations before them are made of. */
static void same_event(const struct vidmm_event *a, const struct vidmm_event *b) {
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->process, b->process);
    assert_int_equal(a->allocation, b->allocation);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->umd_flags, b->umd_flags);
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->reads, b->reads);
    assert_int_equal(a->writes, b->writes);
}

static void same_reading(const struct reading *a, const struct reading *b) {
    assert_int_equal(a->ok, b->ok);
    if (!a->ok) {
        assert_string_equal(a->error.text, b->error.text);
        return;
    }
    assert_int_equal(a->workload.event_count, b->workload.event_count);
    assert_int_equal(a->workload.list_count, b->workload.list_count);
    for (size_t i = 0; i < a->workload.event_count; i++)
        same_event(&a->workload.events[i], &b->workload.events[i]);
    if (a->workload.list_count != 0)
        assert_memory_equal(a->workload.lists, b->workload.lists,
                            a->workload.list_count * sizeof(*a->workload.lists));
}

/* Each is read as it is, and with a member more, which is no plain line. */
static const char *const plain_lines[] = {
    "{\"op\":\"submit\",\"reads\":[1],\"writes\":[900000000000000000,5000]}",
    "{ \"t\" : 7 , \"op\" : \"submit\", \"queue\": 0, \"reads\":[ ], \"writes\":[ 1 , 1 ] }",
    "{\"op\":\"submit\",\"writes\":[1],\"reads\":[5000]}",
    "{\"reads\":[1],\"writes\":[],\"op\":\"submit\"}",
    "{\"t\":0,\"op\":\"present\"}",
    "{\"t\":00,\"op\":\"present\"}",
    "{\"t\":-1,\"op\":\"present\"}",
    "{\"t\":1e3,\"op\":\"present\"}",
    "{\"t\":9223372036854775808,\"op\":\"present\"}",
    "{\"t\":1,\"t\":1,\"op\":\"present\"}",
    "{\"t\":1,,\"op\":\"present\"}",
    "{\"t\":1 \"op\":\"present\"}",
    "{\"t\":,\"op\":\"present\"}",
    "{\"t\":1,\"op\":\"pre\\\"sent\"}",
    "{\"t\":1}",
    "{\"op\":\"presents\"}",
    "{\"op\":\"present\",\"reads\":[1]}",
    "{\"op\":\"submit\",\"reads\":[1]}",
    "{\"op\":\"submit\",\"reads\":[1],\"writes\":1}",
    "{\"op\":\"submit\",\"reads\":[1,],\"writes\":[]}",
    "{\"op\":\"submit\",\"reads\":[1 1],\"writes\":[]}",
    "{\"op\":\"submit\",\"reads\":[01],\"writes\":[]}",
    "{\"op\":\"submit\",\"reads\":[1.0],\"writes\":[]}",
    "{\"op\":\"submit\",\"reads\":[1,4],\"writes\":[]}",
    "{\"op\":\"submit\",\"reads\":[1],\"writes\":[2]}",
    "{\"op\":\"submit\",\"reads\":[1,5000,3],\"writes\":[]}",
    "{\"op\":\"submit\",\"reads\":[18446744073709551617],\"writes\":[]}",
    "{\"op\":\"submit\",\"reads\":[\"1\"],\"writes\":[]}",
    "{\"op\":\"submit\",\"\\u0072eads\":[1],\"writes\":[]}",
    "{\"t\":0,\"op\":\"alloc\",\"id\":77,\"size\":4097,\"heap\":0,\"flags\":[\"device_local\"],"
    "\"name\":\"a\"}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1,\"heap\":1,\"flags\":[\"host_visible\", "
    "\"host_cached\"]}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1,\"heap\":0,\"flags\":[\"protected\",\"host_"
    "visible\",\"host_cached\"]}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1,\"heap\":1,\"flags\":[\"protected\",\"host_"
    "cached\"]}",
    "{\"size\":1,\"heap\":1,\"id\":77,\"op\":\"alloc\",\"flags\":[]}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1,\"heap\":1}",
    "{\"op\":\"alloc\",\"id\":1,\"size\":1,\"heap\":1}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":0,\"heap\":1}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1099511627777,\"heap\":1}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1,\"heap\":2}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1,\"heap\":1,\"flags\":\"host_visible\"}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1,\"heap\":1,\"flags\":[\"host_visible\",]}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1,\"heap\":1,\"flags\":[1,\"host_visible\"]}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1,\"heap\":1,\"flags\":[\"host\\u005fvisible\"]}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1,\"heap\":1,\"name\":\"\\ud800\"}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1,\"heap\":1,\"name\":\"\xff\"}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1,\"heap\":1,\"name\":\"\t\"}",
    "{\"op\":\"alloc\",\"id\":77,\"size\":1,\"heap\":1,\"reads\":[1]}",
    "{\"op\":\"present\",\"id\":1}",
    "{\"op\":\"submit\",\"reads\":[1],\"writes\":[],\"size\":1}",
};

static void plain_lines_mean_the_same_as_others(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(plain_lines) / sizeof(plain_lines[0]); i++) {
        struct reading plain = read_line(plain_lines[i], ""),
                       other = read_line(plain_lines[i], ",\"x\":0");
        print_message("%s\n", plain_lines[i]);
        same_reading(&plain, &other);
        vidmm_workload_free(&plain.workload);
        vidmm_workload_free(&other.workload);
    }
}

/* Ids that count up, some far apart and some huge ones. */
static uint64_t id_of(uint64_t i) {
    return i % 3 == 0 ? i : i % 3 == 1 ? i * 7919 : i << 40;
}

static void ids_may_be_any_numbers(void **state) {
    enum { IDS = 3000 };
    char *text = malloc(IDS * 128), *end = text + sprintf(text, HEADER);
    struct vidmm_workload_error error;
    struct vidmm_workload workload;
    (void)state;
    for (uint64_t i = 0; i < IDS; i++)
        end += sprintf(end, "{\"op\":\"alloc\",\"id\":%llu,\"size\":1,\"heap\":0}\n",
                       (unsigned long long)id_of(i));
    char *submit = end + sprintf(end, "{\"op\":\"submit\",\"writes\":[],\"reads\":[0");
    for (uint64_t i = 1, more = 0; i < IDS; i++, submit += more)
        more = (uint64_t)sprintf(submit, ",%llu", (unsigned long long)id_of(i));
    sprintf(submit, "]}\n");
    workload = parse(text);
    assert_int_equal(workload.events[IDS].reads, IDS);
    for (uint32_t i = 0; i < IDS; i++)
        assert_int_equal(workload.lists[i], i);
    vidmm_workload_free(&workload);
    for (uint64_t i = 0; i < IDS; i += 100) {
        int length = sprintf(end, "{\"op\":\"alloc\",\"id\":%llu,\"size\":1,\"heap\":0}\n",
                             (unsigned long long)id_of(i));
        assert_false(
            vidmm_workload_parse("test", text, (size_t)(end - text + length), &workload, &error));
        assert_non_null(strstr(error.text, "was allocated before"));
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shipped_recording_is_read_completely),
        cmocka_unit_test(heaps_and_flags_become_umd_flags),
        cmocka_unit_test(an_allocation_is_named_once_and_a_write_wins),
        cmocka_unit_test(times_that_go_back_and_unknown_members_do_not_matter),
        cmocka_unit_test(the_peak_counts_whole_pages_that_live_together),
        cmocka_unit_test(a_frame_ends_with_a_present_or_else_with_a_submission),
        cmocka_unit_test(a_plain_and_a_compressed_file_read_the_same),
        cmocka_unit_test(plain_lines_mean_the_same_as_others),
        cmocka_unit_test(ids_may_be_any_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
