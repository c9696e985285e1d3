/*
 * session_test.c - both sides of a migration as a process plays them (send.c, recv.c), in turn over a
 * file, whose journal takes no line of one of the words that end a side. Below them is files.h, as in
 * faults_test.c; the guest is that of the reference driver.
 */
#include "files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vidmm/migrate.h>
#include <vidmm/workload.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const char recording[] = "{\"vidmm_trace\":1}\n"
                                "{\"op\":\"alloc\",\"id\":1,\"size\":65536,\"heap\":0}\n"
                                "{\"op\":\"submit\",\"reads\":[1],\"writes\":[]}\n"
                                "{\"op\":\"submit\",\"reads\":[1],\"writes\":[]}\n"
                                "{\"op\":\"free\",\"id\":1}\n";

static char place[64], link_path[96], taken_path[96], journal_path[96], control_path[96];
static const char *refused; /* a journal's word; NULL: none */

/* ---- The disk -------------------------------------------------------------------------------- */

static ssize_t disk_write(int fd, const void *bytes, size_t size, off_t at) {
    if (!refused || !memmem(bytes, size, refused, strlen(refused)))
        return pwrite(fd, bytes, size, at);
    errno = ENOSPC;
    return -1;
}

static const struct migrate_files files = {disk_write, fsync, ftruncate, rename, unlink, close};

static int make_place(void **state) {
    (void)state;
    migrate_files_use(&files);
    strcpy(place, "/tmp/vidmm-session-XXXXXX");
    if (!mkdtemp(place))
        return -1;
    snprintf(link_path, sizeof(link_path), "file:%s/guest", place);
    snprintf(taken_path, sizeof(taken_path), "%s/guest.taken", place);
    snprintf(journal_path, sizeof(journal_path), "%s/journal", place);
    snprintf(control_path, sizeof(control_path), "%s/control", place);
    return 0;
}

static int drop_place(void **state) {
    (void)state;
    migrate_files_use(NULL);
    (void)unlink(journal_path);
    (void)unlink(taken_path);
    return rmdir(place);
}

/* ---- The sides ------------------------------------------------------------------------------- */

/* One side, whose journal refuses the line of `word`; its result without what was played. */
static struct vidmm_migrate_result play(const struct vidmm_workload *workload, bool receives,
                                        const char *word) {
    struct vidmm_run_options run = {.vram_bytes = 1 << 20, .seed = 1};
    struct vidmm_host_setting settings[VIDMM_MIGRATE_SETTINGS];
    struct vidmm_migrate_result result;
    const struct vidmm_migrate_options options = {
        .link = link_path, .start_event = 1, .journal = journal_path, .control = control_path};
    refused = word;
    vidmm_migrate_defaults(&run, settings);
    if (receives)
        vidmm_migrate_recv(workload, &run, &options, &result);
    else
        vidmm_migrate_send(workload, &run, &options, &result);
    vidmm_run_result_free(&result.run);
    return result;
}

/* Moves the guest; `source` and `target` are refused in the journal of their side. */
static void move(const char *source, const char *target, struct vidmm_migrate_result results[2]) {
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    assert_true(
        vidmm_workload_parse("two frames", recording, sizeof(recording) - 1, &workload, &error));
    results[0] = play(&workload, false, source);
    results[1] = play(&workload, true, target);
    vidmm_workload_free(&workload);
    assert_true(results[0].moved && results[1].moved);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void a_guest_that_moved_is_told_by_code_0(void **state) {
    struct vidmm_migrate_result results[2];
    (void)state;
    move(NULL, NULL, results);
    assert_int_equal(results[0].status, VIDMM_MIGRATE_DONE);
    assert_int_equal(results[1].status, VIDMM_MIGRATE_DONE);
}

static void a_source_whose_journal_lacks_that_the_guest_left_is_wrong(void **state) {
    struct vidmm_migrate_result results[2];
    (void)state;
    move(" left ", NULL, results);
    assert_int_equal(results[0].status, VIDMM_MIGRATE_WRONG);
    assert_non_null(
        strstr(results[0].text, "the guest moved, but the journal could not be written"));
    assert_int_equal(results[1].status, VIDMM_MIGRATE_DONE);
}

static void a_source_whose_journal_lacks_that_it_gave_the_guest_up_is_wrong(void **state) {
    struct vidmm_migrate_result results[2];
    (void)state;
    move(" drop ", NULL, results);
    assert_int_equal(results[0].status, VIDMM_MIGRATE_WRONG);
    assert_non_null(
        strstr(results[0].text, "the guest moved, but the journal could not be written"));
    assert_int_equal(results[1].status, VIDMM_MIGRATE_DONE);
}

static void a_target_whose_journal_lacks_its_end_is_wrong(void **state) {
    struct vidmm_migrate_result results[2];
    (void)state;
    move(NULL, " end ", results);
    assert_int_equal(results[0].status, VIDMM_MIGRATE_DONE);
    assert_int_equal(results[1].status, VIDMM_MIGRATE_WRONG);
    assert_non_null(
        strstr(results[1].text, "the guest moved, but the journal could not be written"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guest_that_moved_is_told_by_code_0),
        cmocka_unit_test(a_source_whose_journal_lacks_that_the_guest_left_is_wrong),
        cmocka_unit_test(a_source_whose_journal_lacks_that_it_gave_the_guest_up_is_wrong),
        cmocka_unit_test(a_target_whose_journal_lacks_its_end_is_wrong),
    };
    return cmocka_run_group_tests(tests, make_place, drop_place);
}
