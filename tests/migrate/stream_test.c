/*
 * stream_test.c - messages survive the stream as they are, and nothing else does.
 */
#include "frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAGE 4096u

/* Feeds `size` bytes, `step` at a time. */
static enum migrate_read feed(struct migrate_reader *reader, const uint8_t *bytes, size_t size,
                              size_t step, struct migrate_message *out, char *text) {
    enum migrate_read got = MIGRATE_READ_MORE;
    while (size != 0 && got == MIGRATE_READ_MORE) {
        uint8_t *where = NULL;
        size_t want = migrate_reader_want(reader, &where);
        want = want < step ? want : step;
        want = want < size ? want : size;
        memcpy(where, bytes, want);
        bytes += want;
        size -= want;
        got = migrate_reader_got(reader, want, out, text, 256);
    }
    return got;
}

static struct migrate_message batch(uint32_t pages) {
    struct migrate_message message = {.type = MIGRATE_PAGES};
    struct migrate_pages *of = calloc(1, sizeof(*of));
    assert_non_null(of);
    of->segment = 3;
    of->page_bytes = PAGE;
    of->run_count = 1;
    of->run[0] = (struct migrate_run){100, pages, false};
    of->raw_bytes = (size_t)pages * PAGE;
    of->raw = calloc(pages, PAGE);
    assert_non_null(of->raw);
    message.pages = of;
    return message;
}

static uint8_t *encode(struct migrate_message *message, size_t *size) {
    uint8_t *frame = migrate_frame_encode(message, 0, 0, size);
    assert_non_null(frame);
    migrate_message_drop(message);
    return frame;
}

static void a_message_arrives_as_it_was_sent_in_whatever_pieces(void **state) {
    (void)state;
    for (size_t step = 1; step < 60; step++) {
        struct migrate_message message = {.type = MIGRATE_SEAL,
                                          .event = UINT64_MAX - 5,
                                          .calls_hash = UINT64_C(0x123456789abcdef0),
                                          .digest = 7},
                               out;
        struct migrate_reader reader = {0};
        char text[256] = "";
        size_t size = 0;
        uint8_t *frame = encode(&message, &size);
        assert_int_equal(feed(&reader, frame, size, step, &out, text), MIGRATE_READ_MESSAGE);
        assert_int_equal(out.type, MIGRATE_SEAL);
        assert_true(out.event == UINT64_MAX - 5 && out.digest == 7);
        assert_true(out.calls_hash == UINT64_C(0x123456789abcdef0));
        assert_true(migrate_reader_between(&reader));
        free(frame);
    }
}

static void zero_pages_cost_no_content_and_the_others_arrive(void **state) {
    (void)state;
    struct migrate_message message = batch(64), out;
    struct migrate_reader reader = {0};
    char text[256] = "";
    size_t size = 0;
    for (unsigned i = 0; i < PAGE; i++)
        message.pages->raw[20 * PAGE + i] = (uint8_t)(i * 7 + i / 251);
    uint8_t *frame = encode(&message, &size);
    assert_true(size < 2 * PAGE);
    assert_int_equal(feed(&reader, frame, size, size, &out, text), MIGRATE_READ_MESSAGE);
    assert_int_equal(out.pages->run_count, 3);
    assert_true(out.pages->run[0].zero && !out.pages->run[1].zero && out.pages->run[2].zero);
    assert_int_equal(out.pages->run[1].first, 120);
    assert_int_equal(out.pages->raw_bytes, PAGE);
    for (unsigned i = 0; i < PAGE; i++)
        assert_int_equal(out.pages->raw[i], (uint8_t)(i * 7 + i / 251));
    migrate_message_drop(&out);
    free(frame);
}

/* The frame of a whole batch whose first `noise` bytes do not compress; it arrives as it was. */
static size_t frame_with_noise(size_t noise) {
    struct migrate_message message = batch(MIGRATE_BATCH_RUNS), out;
    struct migrate_reader reader = {0};
    uint8_t *content = malloc(MIGRATE_BATCH_BYTES);
    char text[256] = "";
    size_t size = 0;
    uint64_t x = 1;
    assert_non_null(content);
    for (size_t i = 0; i < MIGRATE_BATCH_BYTES; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        content[i] = i < noise ? (uint8_t)(x >> 56) : (uint8_t)(i % PAGE / 64);
    }
    memcpy(message.pages->raw, content, MIGRATE_BATCH_BYTES);
    uint8_t *frame = encode(&message, &size);
    assert_int_equal(feed(&reader, frame, size, 70000, &out, text), MIGRATE_READ_MESSAGE);
    assert_int_equal(out.pages->raw_bytes, MIGRATE_BATCH_BYTES);
    assert_memory_equal(out.pages->raw, content, MIGRATE_BATCH_BYTES);
    migrate_message_drop(&out);
    free(frame);
    free(content);
    return size;
}

static void content_that_does_not_compress_is_no_longer_than_it_is(void **state) {
    (void)state;
    assert_true(frame_with_noise(MIGRATE_BATCH_BYTES) <= MIGRATE_BATCH_BYTES + 128);
}

/* The source compresses a sample of a large batch first, and must not miss a part that compresses. */
static void content_of_which_a_part_compresses_is_sent_shorter(void **state) {
    (void)state;
    assert_true(frame_with_noise(0) < MIGRATE_BATCH_BYTES / 8);
    assert_true(frame_with_noise(MIGRATE_BATCH_BYTES / 2) < MIGRATE_BATCH_BYTES * 5 / 8);
}

static void every_spoilt_bit_of_a_frame_is_noticed(void **state) {
    (void)state;
    struct migrate_message message = {.type = MIGRATE_COMMIT, .session = 99}, out;
    size_t size = 0;
    uint8_t *frame = encode(&message, &size);
    for (size_t bit = 0; bit < size * 8; bit++) {
        struct migrate_reader reader = {0};
        char text[256] = "";
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
        enum migrate_read got = feed(&reader, frame, size, size, &out, text);
        assert_int_not_equal(got, MIGRATE_READ_MESSAGE);
        /* A longer frame may just be waited for; nothing of it is believed. */
        assert_true(got == MIGRATE_READ_MORE || text[0] != '\0');
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
        migrate_reader_reset(&reader);
    }
    free(frame);
}

static void a_frame_that_is_missing_is_noticed(void **state) {
    (void)state;
    struct migrate_message message = {.type = MIGRATE_AT, .event = 1}, out;
    struct migrate_reader reader = {0};
    char text[256] = "";
    size_t size = 0;
    uint8_t *frame = migrate_frame_encode(&message, 1, 0, &size);
    assert_int_equal(feed(&reader, frame, size, size, &out, text), MIGRATE_READ_BAD);
    assert_non_null(strstr(text, "missing or out of order"));
    migrate_reader_reset(&reader);
    free(frame);
}

static void no_claim_of_a_length_is_believed(void **state) {
    (void)state;
    for (unsigned type = 0; type < 40; type++) {
        struct migrate_reader reader = {0};
        struct migrate_message out;
        uint8_t head[MIGRATE_FRAME_HEAD] = {0};
        char text[256] = "";
        migrate_put(head, MIGRATE_FRAME_MAGIC, 4);
        migrate_put(head + 4, type, 2);
        migrate_put(head + 8, migrate_payload_limit(type) + 1, 4);
        assert_int_equal(feed(&reader, head, sizeof(head), sizeof(head), &out, text),
                         MIGRATE_READ_BAD);
        assert_true(text[0] != '\0');
        migrate_reader_reset(&reader);
    }
}

/* A batch with this head and these runs, and content that fits them. */
static const char *batch_wrong(const uint32_t head[6], uint64_t first, uint32_t count,
                               uint32_t zero) {
    static char text[256];
    uint8_t bytes[40 + 8192] = {0};
    for (unsigned i = 0; i < 6; i++)
        migrate_put(bytes + 4 * (size_t)i, head[i], 4);
    migrate_put(bytes + 24, first, 8);
    migrate_put(bytes + 32, count, 4);
    migrate_put(bytes + 36, zero, 4);
    text[0] = '\0';
    struct migrate_pages *pages =
        migrate_pages_decode(bytes, 40 + (head[3] <= 8192 ? head[3] : 0), text, sizeof(text));
    migrate_pages_free(pages);
    return pages ? "" : text;
}

static void batches_that_no_source_sends_are_refused(void **state) {
    (void)state;
    const struct {
        uint32_t head[6];
        uint64_t first;
        uint32_t count, zero;
        const char *part;
    } cases[] = {
        {{1, PAGE, 1, PAGE, PAGE, 0}, 5, 1, 0, ""},
        {{1, PAGE - 1, 1, PAGE, PAGE, 0}, 5, 1, 0, "impossible size"},
        {{1, 1u << 31, 1, PAGE, PAGE, 0}, 5, 1, 0, "impossible size"},
        {{1, PAGE, 513, PAGE, PAGE, 0}, 5, 1, 0, "counts"},
        {{1, PAGE, 1, PAGE, 0xffffffff, 0}, 5, 1, 0, "counts"},
        {{1, PAGE, 1, PAGE, PAGE, 1}, 5, 1, 0, "counts"},
        {{1, PAGE, 1, PAGE, PAGE, 0}, MIGRATE_PAGE_INDEX, 1, 0, "runs of pages"},
        {{1, PAGE, 1, PAGE, PAGE, 0}, 5, 0, 0, "runs of pages"},
        {{1, PAGE, 1, PAGE, PAGE, 0}, 5, 1, 2, "runs of pages"},
        {{1, PAGE, 1, 0, 0, 0}, 5, 0xffffffff, 1, "runs of pages"},
        {{1, PAGE, 1, PAGE, PAGE, 0}, 5, 2, 0, "another amount"},
        {{1, PAGE, 1, 100, PAGE, 0}, 5, 1, 0, "does not unpack"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *wrong =
            batch_wrong(cases[i].head, cases[i].first, cases[i].count, cases[i].zero);
        if (!strstr(wrong, cases[i].part) || (cases[i].part[0] == '\0' && wrong[0] != '\0'))
            fail_msg("case %zu: '%s'", i, wrong);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_arrives_as_it_was_sent_in_whatever_pieces),
        cmocka_unit_test(zero_pages_cost_no_content_and_the_others_arrive),
        cmocka_unit_test(content_that_does_not_compress_is_no_longer_than_it_is),
        cmocka_unit_test(content_of_which_a_part_compresses_is_sent_shorter),
        cmocka_unit_test(every_spoilt_bit_of_a_frame_is_noticed),
        cmocka_unit_test(a_frame_that_is_missing_is_noticed),
        cmocka_unit_test(no_claim_of_a_length_is_believed),
        cmocka_unit_test(batches_that_no_source_sends_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
