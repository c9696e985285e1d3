/*
 * hostile.c - whatever a recording holds: one clear sentence with its place, no crash, no leak.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>
#include <zstd.h>

#include <vidmm/workload.h>

#define HEADER "{\"vidmm_trace\":1}\n"
#define ALLOC  "{\"op\":\"alloc\",\"id\":1,\"size\":4096,\"heap\":0}\n"

#define RESERVE "{\"op\":\"reserve\",\"range\":1,\"size\":131072}\n"
#define RELEASE "{\"op\":\"release\",\"range\":1}\n"
#define OFFER   "{\"op\":\"offer\",\"id\":1}\n"
#define BIG     "{\"op\":\"alloc\",\"id\":2,\"size\":131072,\"heap\":0}\n"
#define VIEW    "{\"op\":\"view\",\"range\":2,\"id\":2,\"offset\":0,\"size\":65536}\n"

struct bad {
    const char *text;
    uint64_t line, column;
    const char *says; /* part of the sentence */
};

static const struct bad bads[] = {
    /* headers */
    {"", 1, 1, "expected a header"},
    {"\n", 1, 1, "not JSON"},
    {"hello", 1, 5, "not JSON"},
    {"[1]", 1, 1, "expected a JSON object"},
    {"{}", 1, 1, "expected a header with \"vidmm_trace\":1"},
    {"{\"vidmm_trace\":2}", 1, 16, "whole number from 1 to 1"},
    {"{\"vidmm_trace\":\"1\"}", 1, 16, "whole number from 1 to 1"},
    {ALLOC, 1, 1, "expected a header"},
    /* JSON */
    {HEADER "{\"op\":\"present\"", 2, 15, "not JSON"},
    {HEADER "{\"op\":\"present\"} x", 2, 18, "not JSON"},
    {HEADER "{\"op\":\"present\",\"op\":\"present\"}", 2, 20, "duplicate object key"},
    {HEADER "{\"op\":\"\xff\"}", 2, 7, "not JSON"},
    {HEADER "{\"op\":\"pre\\u0000sent\"}", 2, 21, "not JSON"},
    {HEADER "{\"op\":1e999}", 2, 11, "not JSON"},
    {HEADER "\"op\"", 2, 4, "not JSON"},
    /* ops */
    {HEADER "{}", 2, 1, "no member \"op\""},
    {HEADER "{\"op\":7}", 2, 7, "\"op\" must be a string"},
    {HEADER "{ \"op\" : \"jump\" }", 2, 10,
     "no op \"jump\", expected alloc, free, map, unmap, submit, present, reserve, view"},
    {HEADER "{\"op\":\"\"}", 2, 7, "no op \"\""},
    /* alloc */
    {HEADER "{\"op\":\"alloc\"}", 2, 1, "no member \"id\""},
    {HEADER "{\"op\":\"alloc\",\"id\":-1,\"size\":1,\"heap\":0}", 2, 20,
     "\"id\" must be a whole number from 0"},
    {HEADER "{\"op\":\"alloc\",\"id\":1.0,\"size\":1,\"heap\":0}", 2, 20,
     "\"id\" must be a whole number"},
    {HEADER "{\"op\":\"alloc\",\"id\":99999999999999999999,\"size\":1,\"heap\":0}", 2, 39,
     "too big integer"},
    {HEADER "{\"op\":\"alloc\",\"id\":1,\"size\":0,\"heap\":0}", 2, 29,
     "\"size\" must be a whole number from 1 to 1099511627776"},
    {HEADER "{\"op\":\"alloc\",\"id\":1,\"size\":-4096,\"heap\":0}", 2, 29, "\"size\" must be"},
    {HEADER "{\"op\":\"alloc\",\"id\":1,\"size\":1099511627777,\"heap\":0}", 2, 29,
     "\"size\" must be"},
    {HEADER "{\"op\":\"alloc\",\"id\":1,\"size\":null,\"heap\":0}", 2, 29, "\"size\" must be"},
    {HEADER "{\"op\":\"alloc\",\"id\":1,\"size\":1}", 2, 1, "no member \"heap\""},
    {HEADER "{\"op\":\"alloc\",\"id\":1,\"size\":1,\"heap\":2}", 2, 38,
     "\"heap\" must be a whole number from 0 to 1"},
    {HEADER "{\"op\":\"alloc\",\"id\":1,\"size\":1,\"heap\":0,\"flags\":\"x\"}", 2, 48,
     "\"flags\" must be an array"},
    {HEADER ALLOC ALLOC, 3, 20, "id 1 was allocated before"},
    {HEADER ALLOC "{\"op\":\"free\",\"id\":1}\n" ALLOC, 4, 20, "id 1 was allocated before"},
    /* free, map, unmap */
    {HEADER "{\"op\":\"free\",\"id\":5}", 2, 19, "id 5 was never allocated"},
    {HEADER "{\"op\":\"free\"}", 2, 1, "no member \"id\""},
    {HEADER "{\"op\":\"free\",\"id\":\"1\"}", 2, 19, "\"id\" must be"},
    {HEADER ALLOC "{\"op\":\"free\",\"id\":1}\n{\"op\":\"free\",\"id\":1}", 4, 19,
     "id 1 has been freed"},
    {HEADER ALLOC "{\"op\":\"free\",\"id\":1}\n{\"id\":1,\"op\":\"map\"}", 4, 7,
     "id 1 has been freed"},
    {HEADER "{\"x\":{\"id\":4},\"op\":\"unmap\",\"id\":4}", 2, 33, "id 4 was never allocated"},
    /* submit */
    {HEADER "{\"op\":\"submit\",\"writes\":[]}", 2, 1, "no member \"reads\""},
    {HEADER "{\"op\":\"submit\",\"reads\":[]}", 2, 1, "no member \"writes\""},
    {HEADER "{\"op\":\"submit\",\"reads\":{},\"writes\":[]}", 2, 24, "\"reads\" must be an array"},
    {HEADER ALLOC "{\"op\":\"submit\",\"reads\":[1,\"1\"],\"writes\":[]}", 3, 27,
     "must be a list of ids"},
    {HEADER ALLOC "{\"op\":\"submit\",\"reads\":[1, [1], 7],\"writes\":[]}", 3, 28,
     "must be a list of ids"},
    {HEADER ALLOC "{\"op\":\"submit\",\"reads\":[],\"writes\":[1, 1 ,8]}", 3, 43,
     "id 8 was never allocated"},
    {HEADER ALLOC "{\"op\":\"submit\",\"reads\":[-1],\"writes\":[]}", 3, 25,
     "must be a list of ids"},
    /* ranges */
    {HEADER "{\"op\":\"reserve\",\"range\":1,\"size\":0}", 2, 34, "\"size\" must be"},
    {HEADER "{\"op\":\"reserve\",\"range\":1,\"size\":4096}", 2, 34, "a multiple of 65536"},
    {HEADER "{\"op\":\"reserve\",\"range\":1,\"size\":137438953473}", 2, 34, "\"size\" must be"},
    {HEADER RESERVE "{\"op\":\"reserve\",\"range\":9,\"size\":137438953472}", 3, 1,
     "bytes in ranges at once"},
    {HEADER RESERVE RESERVE, 3, 25, "range 1 was made before"},
    {HEADER "{\"op\":\"release\",\"range\":1}", 2, 25, "range 1 was never made"},
    {HEADER RESERVE RELEASE RELEASE, 4, 25, "range 1 was released"},
    {HEADER RESERVE "{\"op\":\"unbind\",\"range\":1,\"at\":65536,\"size\":131072}", 3, 31,
     "\"at\" must be a whole number from 0 to 0"},
    {HEADER RESERVE "{\"op\":\"copy\",\"range\":1,\"at\":0,\"size\":65536,\"from\":131072}", 3, 51,
     "\"from\" must be"},
    {HEADER RESERVE ALLOC
     "{\"op\":\"bind\",\"range\":1,\"at\":0,\"size\":65536,\"id\":1,\"offset\":0}",
     4, 38, "id 1 has"},
    {HEADER BIG "{\"op\":\"view\",\"range\":2,\"id\":2,\"offset\":131072,\"size\":65536}", 3, 40,
     "\"offset\" must be a whole number from 0 to 65536"},
    {HEADER RESERVE BIG
     "{\"op\":\"view\",\"range\":2,\"id\":2,\"offset\":0,\"size\":65536,\"like\":1}",
     4, 62, "expected one whose addresses are free"},
    {HEADER BIG VIEW "{\"op\":\"unbind\",\"range\":2,\"at\":0,\"size\":65536}", 4, 24,
     "this range is a view"},
    /* offers */
    {HEADER ALLOC OFFER OFFER, 4, 20, "id 1 is offered"},
    {HEADER ALLOC OFFER "{\"op\":\"submit\",\"reads\":[1],\"writes\":[]}", 4, 25,
     "id 1 is offered"},
    {HEADER ALLOC "{\"op\":\"reclaim\",\"id\":1}", 3, 22, "id 1 is not offered"},
};

static void check_error(const char *text, size_t size, const struct bad *bad) {
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    if (vidmm_workload_parse("bad", text, size, &workload, &error)) {
        vidmm_workload_free(&workload);
        fail_msg("taken: %s", text);
    }
    if (error.line != bad->line || error.column != bad->column || !strstr(error.text, bad->says))
        fail_msg("\"%s\" (%llu:%llu) for \"%s\", expected %llu:%llu and \"%s\"", error.text,
                 (unsigned long long)error.line, (unsigned long long)error.column, text,
                 (unsigned long long)bad->line, (unsigned long long)bad->column, bad->says);
}

static void each_damaged_line_is_named_with_its_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++)
        check_error(bads[i].text, strlen(bads[i].text), &bads[i]);
}

static void a_nul_byte_is_an_error_at_its_column(void **state) {
    (void)state;
    static const char text[] = HEADER "{\"op\":\0\"present\"}";
    check_error(text, sizeof(text) - 1, &(struct bad){.line = 2, .column = 7, .says = "NUL"});
}

static void deep_nesting_is_an_error_and_no_overflow(void **state) {
    (void)state;
    const size_t depth = 2000000, header = strlen(HEADER);
    char *text = malloc(header + depth + 1);
    assert_non_null(text);
    memcpy(text, HEADER, header);
    memset(text + header, '[', depth);
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    assert_false(vidmm_workload_parse("deep", text, header + depth, &workload, &error));
    assert_int_equal(error.line, 2);
    assert_non_null(strstr(error.text, "not JSON"));
    free(text);
}

static uint32_t given;

static void *none_after_the_first(size_t size) {
    if (given-- != 0)
        return malloc(size);
    errno = ENOMEM;
    return NULL;
}

/* Each allocation of the parser fails once: none of the lines is said to be wrong. */
static void without_memory_a_line_is_not_called_wrong(void **state) {
    (void)state;
    const char text[] = HEADER ALLOC;
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    bool taken = false;
    for (uint32_t some = 0; some < 1000 && !taken; some++) {
        given = some;
        json_set_alloc_funcs(none_after_the_first, free);
        taken = vidmm_workload_parse("poor", text, sizeof(text) - 1, &workload, &error);
        json_set_alloc_funcs(malloc, free);
        if (!taken)
            assert_string_equal(strstr(error.text, "out of memory") ? "out of memory" : error.text,
                                "out of memory");
    }
    assert_true(taken);
    vidmm_workload_free(&workload);
}

static void a_line_of_more_than_16_mib_is_an_error(void **state) {
    (void)state;
    const size_t size = (16u << 20) + 1, header = strlen(HEADER);
    char *text = malloc(header + size);
    assert_non_null(text);
    memcpy(text, HEADER, header);
    memset(text + header, ' ', size);
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    assert_false(vidmm_workload_parse("long", text, header + size, &workload, &error));
    assert_int_equal(error.line, 2);
    assert_non_null(strstr(error.text, "longer than the 16 MiB"));
    free(text);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Writes a file, reads it, expects an error that says `says`; returns its line. */
static uint64_t read_bad_file(const void *bytes, size_t size, const char *says) {
    char path[] = "/tmp/vidmm-hostile-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), (ssize_t)size);
    close(file);
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    bool taken = vidmm_workload_read(path, &workload, &error);
    unlink(path);
    assert_false(taken);
    if (!strstr(error.text, says))
        fail_msg("\"%s\", expected \"%s\"", error.text, says);
    return error.line;
}

static void a_file_that_is_not_there_is_an_error(void **state) {
    (void)state;
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    assert_false(vidmm_workload_read("/nonexistent/file", &workload, &error));
    assert_string_equal(error.text, "/nonexistent/file: cannot be read: No such file or directory");
    assert_int_equal(error.line, 0);
    assert_false(vidmm_workload_read("/tmp", &workload, &error));
    assert_non_null(strstr(error.text, "cannot be read"));
}

static size_t pack(char *packed, size_t room) {
    static const char text[] = HEADER ALLOC "{\"op\":\"present\"}\n";
    size_t size = ZSTD_compress(packed, room, text, sizeof(text) - 1, 3);
    assert_false(ZSTD_isError(size));
    return size;
}

static void every_cut_of_a_compressed_file_is_an_error(void **state) {
    (void)state;
    char packed[512];
    size_t size = pack(packed, sizeof(packed));
    for (size_t cut = 4; cut < size; cut++)
        read_bad_file(packed, cut, "cut off");
}

static void damage_in_a_compressed_file_is_an_error(void **state) {
    (void)state;
    char packed[512];
    size_t size = pack(packed, sizeof(packed));
    memset(packed + 5, 0xff, size - 5);
    read_bad_file(packed, size, "damaged");
    read_bad_file("\x28\xb5\x2f", 3, "not JSON");
}

/* 3 GiB in some hundred KiB: lines of `fill`, each of 1 MiB, after a header. */
static void bomb(char fill, const char *says) {
    const size_t chunk = 1u << 20, room = 4u << 20;
    char *in = malloc(chunk), *out = malloc(room);
    assert_non_null(in);
    assert_non_null(out);
    memset(in, fill, chunk);
    in[chunk - 1] = '\n';
    memcpy(in, HEADER, strlen(HEADER));
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_outBuffer output = {out, room, 0};
    for (uint32_t i = 0; i < 3072; i++) {
        ZSTD_inBuffer input = {in, chunk, 0};
        assert_false(ZSTD_isError(ZSTD_compressStream2(context, &output, &input,
                                                       i == 3071 ? ZSTD_e_end : ZSTD_e_continue)));
        assert_int_equal(input.pos, chunk);
        if (i == 0)
            memset(in, fill, strlen(HEADER));
    }
    ZSTD_freeCCtx(context);
    read_bad_file(out, output.pos, says);
    free(in);
    free(out);
}

static void bombs_are_given_up(void **state) {
    (void)state;
    bomb(' ', "more than the 2048 MiB");
    bomb('\n', "more than the 33554432 lines");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_damaged_line_is_named_with_its_place),
        cmocka_unit_test(a_nul_byte_is_an_error_at_its_column),
        cmocka_unit_test(deep_nesting_is_an_error_and_no_overflow),
        cmocka_unit_test(without_memory_a_line_is_not_called_wrong),
        cmocka_unit_test(a_line_of_more_than_16_mib_is_an_error),
        cmocka_unit_test(a_file_that_is_not_there_is_an_error),
        cmocka_unit_test(every_cut_of_a_compressed_file_is_an_error),
        cmocka_unit_test(damage_in_a_compressed_file_is_an_error),
        cmocka_unit_test(bombs_are_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
