/*
 * links_test.c - links out of the process: sockets that talk, stall, talk rubbish and come back;
 * files that are whose name they have; the socket on which doubt is resolved.
 */
#include "address.h"
#include "channel.h"
#include "control.h"
#include "greeting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

static char place[64];

static int make_place(void **state) {
    (void)state;
    strcpy(place, "/tmp/vidmm-links-XXXXXX");
    return !mkdtemp(place);
}

static int drop_place(void **state) {
    (void)state;
    return rmdir(place);
}

static uint64_t now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

static struct migrate_address address(const char *kind, const char *name) {
    struct migrate_address out;
    char words[128], text[256];
    snprintf(words, sizeof(words), "%s:%s/%s", kind, place, name);
    assert_true(migrate_address_parse(words, &out, text, sizeof(text)));
    return out;
}

/* The next news, within five seconds. */
static enum migrate_news next(struct migrate_channel *channel, struct migrate_message *out,
                              char *text) {
    uint64_t until = now() + 5000 * MS;
    enum migrate_news news = MIGRATE_NO_NEWS;
    while (news == MIGRATE_NO_NEWS && now() < until) {
        channel->wait(channel->link.ctx, 20 * MS);
        news = channel->link.receive(channel->link.ctx, out, text, 256);
    }
    return news;
}

static void call(struct migrate_channel *caller, const struct migrate_address *at,
                 const struct migrate_channel_options *options) {
    const struct migrate_message hello = migrate_hello(MIGRATE_NEW, 77);
    char text[256];
    assert_true(migrate_socket_open(caller, at, false, options, text, sizeof(text)));
    caller->link.reopen(caller->link.ctx, &hello);
}

static void open_pair(struct migrate_channel *listener, struct migrate_channel *caller,
                      const struct migrate_channel_options *options) {
    struct migrate_address at = address("unix", "link");
    char text[256];
    assert_true(migrate_socket_open(listener, &at, true, options, text, sizeof(text)));
    if (caller)
        call(caller, &at, options);
}

/* A target's first message is the source's HELLO, which the link hands on. */
static void expect_up(struct migrate_channel *listener) {
    struct migrate_message message;
    char text[256] = "";
    assert_int_equal(next(listener, &message, text), MIGRATE_UP);
    assert_int_equal(next(listener, &message, text), MIGRATE_MESSAGE);
    assert_int_equal(message.type, MIGRATE_HELLO);
    assert_true(message.session == 77);
}

static void say(struct migrate_channel *channel, uint64_t event) {
    struct migrate_message message = {.type = MIGRATE_FOLLOW, .event = event};
    channel->link.send(channel->link.ctx, &message);
}

static const struct migrate_channel_options usual = {.timeout_ns = 2000 * MS};

static void open_both(struct migrate_channel *listener, struct migrate_channel *caller) {
    struct migrate_message message;
    char text[256] = "";
    open_pair(listener, caller, &usual);
    assert_int_equal(next(caller, &message, text), MIGRATE_UP);
    expect_up(listener);
}

static void two_sides_talk_and_hang_up(void **state) {
    (void)state;
    struct migrate_channel listener, caller;
    struct migrate_message message;
    char text[256] = "";
    open_both(&listener, &caller);
    for (uint64_t i = 0; i < 100; i++)
        say(&caller, i);
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(next(&listener, &message, text), MIGRATE_MESSAGE);
        assert_int_equal(message.event, i);
    }
    say(&listener, 7);
    listener.link.hang_up(listener.link.ctx, "enough");
    assert_int_equal(next(&caller, &message, text), MIGRATE_MESSAGE);
    assert_int_equal(next(&caller, &message, text), MIGRATE_DOWN);
    caller.close(caller.link.ctx);
    assert_int_equal(next(&listener, &message, text), MIGRATE_DOWN);
    assert_string_equal(text, "enough");
    listener.close(listener.link.ctx);
}

/* What the links allocate is refused from here on (meson.build). */
static atomic_bool no_memory;
void *__wrap_calloc(size_t count, size_t size);
void *__real_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size) {
    return no_memory ? NULL : __real_calloc(count, size);
}

static void both_sides_learn_that_a_link_ends_where_there_is_no_memory(void **state) {
    (void)state;
    struct migrate_channel listener, caller;
    struct migrate_message message;
    char text[256] = "";
    open_both(&listener, &caller);
    no_memory = true;
    listener.link.hang_up(listener.link.ctx, "enough");
    assert_int_equal(next(&caller, &message, text), MIGRATE_DOWN);
    assert_non_null(strstr(text, "closed the link"));
    caller.close(caller.link.ctx);
    assert_int_equal(next(&listener, &message, text), MIGRATE_DOWN);
    assert_string_equal(text, "enough");
    listener.close(listener.link.ctx);
    no_memory = false;
}

static void a_message_without_memory_ends_the_link_and_says_so(void **state) {
    (void)state;
    struct migrate_channel listener, caller;
    struct migrate_message message;
    char text[256] = "";
    open_both(&listener, &caller);
    no_memory = true;
    say(&caller, 7);
    assert_int_equal(next(&caller, &message, text), MIGRATE_DOWN);
    assert_string_equal(text, "out of memory for a message");
    no_memory = false;
    assert_int_equal(next(&listener, &message, text), MIGRATE_DOWN);
    caller.close(caller.link.ctx);
    listener.close(listener.link.ctx);
}

static void a_link_that_cannot_hand_on_who_greeted_ends(void **state) {
    (void)state;
    const struct migrate_message hello = migrate_hello(MIGRATE_NEW, 77);
    struct migrate_address at = address("unix", "link");
    struct migrate_channel listener, caller;
    struct migrate_message message;
    char text[256] = "";
    open_pair(&listener, NULL, &usual);
    assert_true(migrate_socket_open(&caller, &at, false, &usual, text, sizeof(text)));
    no_memory = true;
    caller.link.reopen(caller.link.ctx, &hello);
    assert_int_equal(next(&caller, &message, text), MIGRATE_UP);
    assert_int_equal(next(&caller, &message, text), MIGRATE_DOWN);
    caller.close(caller.link.ctx);
    assert_int_equal(next(&listener, &message, text), MIGRATE_UP);
    assert_int_equal(next(&listener, &message, text), MIGRATE_DOWN);
    assert_non_null(strstr(text, "out of memory"));
    listener.close(listener.link.ctx);
    no_memory = false;
}

static void what_was_sent_is_written_before_a_link_closes(void **state) {
    (void)state;
    struct migrate_channel listener, caller;
    struct migrate_message message;
    char text[256] = "";
    open_pair(&listener, &caller, &usual);
    assert_int_equal(next(&caller, &message, text), MIGRATE_UP);
    for (uint64_t i = 0; i < 50; i++)
        say(&caller, i);
    caller.close(caller.link.ctx);
    expect_up(&listener);
    for (uint64_t i = 0; i < 50; i++)
        assert_int_equal(next(&listener, &message, text), MIGRATE_MESSAGE);
    assert_int_equal(next(&listener, &message, text), MIGRATE_DOWN);
    listener.close(listener.link.ctx);
}

static void talk_rubbish(struct migrate_channel *listener, const struct migrate_address *at) {
    struct migrate_message message;
    char text[256] = "";
    int fd = migrate_address_connect(at, text, sizeof(text));
    assert_true(fd >= 0);
    assert_int_equal(send(fd, "GET / HTTP/1.1\r\nHost: example\r\n\r\n", 33, 0), 33);
    assert_int_equal(next(listener, &message, text), MIGRATE_REFUSED);
    assert_non_null(strstr(text, "no migration stream"));
    close(fd);
}

static void rubbish_is_refused_with_a_sentence_without_memory_too(void **state) {
    (void)state;
    struct migrate_address at = address("unix", "link");
    struct migrate_channel listener;
    open_pair(&listener, NULL, &usual);
    no_memory = true;
    talk_rubbish(&listener, &at);
    no_memory = false;
    listener.close(listener.link.ctx);
}

static void rubbish_is_refused_with_a_sentence_and_the_source_gets_in(void **state) {
    (void)state;
    struct migrate_address at = address("unix", "link");
    struct migrate_channel listener, caller;
    open_pair(&listener, NULL, &usual);
    talk_rubbish(&listener, &at);
    call(&caller, &at, &usual);
    expect_up(&listener);
    caller.close(caller.link.ctx);
    listener.close(listener.link.ctx);
}

static void a_silent_side_is_lost_in_time_and_a_pinging_one_is_not(void **state) {
    (void)state;
    const struct migrate_channel_options hasty = {.timeout_ns = 1500 * MS};
    struct migrate_address at = address("unix", "link");
    struct migrate_channel listener, caller;
    struct migrate_message message;
    char text[256] = "";
    open_pair(&listener, NULL, &hasty);
    int fd = migrate_address_connect(&at, text, sizeof(text));
    assert_int_equal(next(&listener, &message, text), MIGRATE_REFUSED);
    assert_non_null(strstr(text, "did not greet in time"));
    close(fd);
    call(&caller, &at, &hasty);
    expect_up(&listener);
    uint64_t until = now() + 2500 * MS;
    while (now() < until) {
        listener.wait(listener.link.ctx, 50 * MS);
        assert_int_equal(listener.link.receive(listener.link.ctx, &message, text, sizeof(text)),
                         MIGRATE_NO_NEWS);
    }
    caller.close(caller.link.ctx);
    listener.close(listener.link.ctx);
}

static struct migrate_message pages(void) {
    struct migrate_message message = {.type = MIGRATE_PAGES};
    struct migrate_pages *of = calloc(1, sizeof(*of));
    uint64_t x = 3;
    of->page_bytes = 4096;
    of->run_count = 1;
    of->run[0] = (struct migrate_run){0, 256, false};
    of->raw_bytes = 256 * 4096;
    of->raw = malloc(of->raw_bytes);
    for (size_t i = 0; i < of->raw_bytes; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        of->raw[i] = (uint8_t)(x >> 56);
    }
    message.pages = of;
    return message;
}

static void a_paced_link_is_no_faster_than_it_is_told_to_be(void **state) {
    (void)state;
    const struct migrate_channel_options slow = {.timeout_ns = 5000 * MS, .bits_per_s = 80000000};
    struct migrate_channel listener, caller;
    struct migrate_message message;
    struct migrate_traffic traffic;
    char text[256] = "";
    open_pair(&listener, &caller, &slow);
    assert_int_equal(next(&caller, &message, text), MIGRATE_UP);
    expect_up(&listener);
    uint64_t before = now();
    for (unsigned i = 0; i < 3; i++) {
        message = pages();
        caller.link.send(caller.link.ctx, &message);
    }
    caller.link.traffic(caller.link.ctx, &traffic);
    assert_true(traffic.waiting > 256 * 4096); /* or a pause would be predicted too short */
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(next(&listener, &message, text), MIGRATE_MESSAGE);
        migrate_message_drop(&message);
    }
    assert_true(now() - before > 290 * MS); /* 3 MiB at 10 MB a second, less what may be saved */
    caller.link.traffic(caller.link.ctx, &traffic);
    assert_true(traffic.bytes > 2 * 256 * 4096);
    caller.close(caller.link.ctx);
    listener.close(listener.link.ctx);
}

static void addresses_that_are_none_are_refused(void **state) {
    (void)state;
    static const char *const none[] = {"",      "tcp:",     "tcp:host", "tcp::80", "unix:",
                                       "file:", "http://x", "tcp:h:",   "host:80", "pipe:/x"};
    struct migrate_address out;
    char text[256];
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        assert_false(migrate_address_parse(none[i], &out, text, sizeof(text)));
        assert_non_null(strstr(text, "tcp:HOST:PORT"));
    }
    assert_true(migrate_address_parse("tcp:[::1]:8000", &out, text, sizeof(text)));
    assert_string_equal(out.path, "::1");
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void tell_file(struct migrate_channel *file, enum migrate_type type,
                      enum migrate_type answer) {
    struct migrate_message message = {.type = type, .event = 5, .page_bytes = 4096}, out;
    char text[256] = "";
    file->link.send(file->link.ctx, &message);
    if (answer == 0)
        return;
    assert_int_equal(file->link.receive(file->link.ctx, &out, text, sizeof(text)), MIGRATE_MESSAGE);
    assert_int_equal(out.type, answer);
}

static void a_file_is_owned_by_its_name_and_taken_once(void **state) {
    (void)state;
    struct migrate_address at = address("file", "guest");
    const struct migrate_message hello = migrate_hello(MIGRATE_NEW, 77);
    struct migrate_channel file, first, second;
    struct migrate_message out;
    char text[256] = "", taken[272];
    assert_true(migrate_file_write(&file, &at, text, sizeof(text)));
    file.link.reopen(file.link.ctx, &hello);
    assert_int_equal(file.link.receive(file.link.ctx, &out, text, sizeof(text)), MIGRATE_UP);
    tell_file(&file, MIGRATE_SEGMENT, MIGRATE_HELLO);
    tell_file(&file, MIGRATE_STAND, MIGRATE_STANDING);
    tell_file(&file, MIGRATE_SEAL, MIGRATE_READY);
    assert_int_not_equal(access(at.path, F_OK), 0);
    tell_file(&file, MIGRATE_COMMIT, MIGRATE_OWNER);
    assert_int_equal(access(at.path, F_OK), 0);
    file.close(file.link.ctx);
    assert_false(migrate_file_write(&file, &at, text, sizeof(text)));

    assert_true(migrate_file_read(&first, &at, text, sizeof(text)));
    assert_true(migrate_file_read(&second, &at, text, sizeof(text)));
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(first.link.receive(first.link.ctx, &out, text, sizeof(text)),
                         i == 0 ? MIGRATE_UP : MIGRATE_MESSAGE);
        assert_int_equal(second.link.receive(second.link.ctx, &out, text, sizeof(text)),
                         i == 0 ? MIGRATE_UP : MIGRATE_MESSAGE);
    }
    assert_int_equal(first.link.receive(first.link.ctx, &out, text, sizeof(text)), MIGRATE_MESSAGE);
    assert_int_equal(out.type, MIGRATE_COMMIT);
    assert_int_equal(second.link.receive(second.link.ctx, &out, text, sizeof(text)), MIGRATE_DOWN);
    assert_non_null(strstr(text, "another process"));
    first.close(first.link.ctx);
    second.close(second.link.ctx);
    snprintf(taken, sizeof(taken), "%s.taken", at.path);
    assert_int_equal(unlink(taken), 0);
}

static void a_file_without_its_end_is_nobodys(void **state) {
    (void)state;
    struct migrate_address at = address("file", "guest");
    struct migrate_channel file;
    struct migrate_message out;
    char text[256] = "";
    assert_true(migrate_file_write(&file, &at, text, sizeof(text)));
    tell_file(&file, MIGRATE_SEAL, 0);
    file.close(file.link.ctx);
    FILE *cut = fopen(at.path, "wb");
    fputs("VVD", cut);
    fclose(cut);
    assert_true(migrate_file_read(&file, &at, text, sizeof(text)));
    assert_int_equal(file.link.receive(file.link.ctx, &out, text, sizeof(text)), MIGRATE_UP);
    assert_int_equal(file.link.receive(file.link.ctx, &out, text, sizeof(text)), MIGRATE_DOWN);
    assert_non_null(strstr(text, "ends before"));
    file.close(file.link.ctx);
    unlink(at.path);
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

static void verdicts_are_taken_in_doubt_only(void **state) {
    (void)state;
    struct migrate_control control;
    char path[128], text[256];
    snprintf(path, sizeof(path), "%s/control", place);
    assert_true(migrate_control_open(&control, path, text, sizeof(text)));
    migrate_control_phase(&control, VIDMM_MIGRATE_BLACKOUT);
    assert_true(vidmm_migrate_resolve(path, VIDMM_MIGRATE_ASK, text, sizeof(text)));
    assert_non_null(strstr(text, "nothing is in doubt"));
    assert_false(vidmm_migrate_resolve(path, VIDMM_MIGRATE_TAKE, text, sizeof(text)));
    assert_int_equal(migrate_control_verdict(&control), VIDMM_MIGRATE_ASK);
    migrate_control_phase(&control, VIDMM_MIGRATE_DOUBT);
    assert_true(vidmm_migrate_resolve(path, VIDMM_MIGRATE_DROP, text, sizeof(text)));
    assert_int_equal(migrate_control_verdict(&control), VIDMM_MIGRATE_DROP);
    assert_int_equal(migrate_control_verdict(&control), VIDMM_MIGRATE_ASK);
    migrate_control_close(&control);
    assert_false(vidmm_migrate_resolve(path, VIDMM_MIGRATE_ASK, text, sizeof(text)));
}

static void rates_are_read_as_they_are_written(void **state) {
    (void)state;
    uint64_t rate = 0;
    assert_true(vidmm_migrate_parse_rate("1Gb/s", &rate));
    assert_true(rate == 1000000000);
    assert_true(vidmm_migrate_parse_rate("12.5MB/s", &rate));
    assert_true(rate == 100000000);
    static const char *const none[] = {"", "1", "Gb/s", "-1Gb/s", "1 Gb/s", "0Gb/s", "1e99Gb/s"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_false(vidmm_migrate_parse_rate(none[i], &rate));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sides_talk_and_hang_up),
        cmocka_unit_test(both_sides_learn_that_a_link_ends_where_there_is_no_memory),
        cmocka_unit_test(a_message_without_memory_ends_the_link_and_says_so),
        cmocka_unit_test(a_link_that_cannot_hand_on_who_greeted_ends),
        cmocka_unit_test(what_was_sent_is_written_before_a_link_closes),
        cmocka_unit_test(rubbish_is_refused_with_a_sentence_without_memory_too),
        cmocka_unit_test(rubbish_is_refused_with_a_sentence_and_the_source_gets_in),
        cmocka_unit_test(a_silent_side_is_lost_in_time_and_a_pinging_one_is_not),
        cmocka_unit_test(a_paced_link_is_no_faster_than_it_is_told_to_be),
        cmocka_unit_test(addresses_that_are_none_are_refused),
        cmocka_unit_test(a_file_is_owned_by_its_name_and_taken_once),
        cmocka_unit_test(a_file_without_its_end_is_nobodys),
        cmocka_unit_test(verdicts_are_taken_in_doubt_only),
        cmocka_unit_test(rates_are_read_as_they_are_written),
    };
    return cmocka_run_group_tests(tests, make_place, drop_place);
}
