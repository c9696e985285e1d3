/*
 * faults_test.c - journals and files of a migration on a disk that fails: at each write, sync,
 * truncation, rename, removal and close in turn, once or from then on, the guest has one owner, and
 * all of its bytes, and who does not have it says why. And journals that were changed are refused.
 */
#include "channel.h"
#include "files.h"
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define LONG_ENOUGH 3000

static char place[64];

/* ---- The disk -------------------------------------------------------------------------------- */

static struct {
    unsigned asked, fails; /* the n-th request fails; 0: none */
    bool for_good, half;   /* all after it, too; writes write a half first */
} disk;

static bool works(void) {
    disk.asked++;
    bool ok =
        disk.fails == 0 || (disk.for_good ? disk.asked < disk.fails : disk.asked != disk.fails);
    errno = ok ? errno : EIO;
    return ok;
}

static ssize_t disk_write(int fd, const void *bytes, size_t size, off_t at) {
    if (works())
        return pwrite(fd, bytes, size, at);
    if (disk.half && size > 1) {
        (void)!pwrite(fd, bytes, size / 2, at);
        errno = ENOSPC;
    }
    return -1;
}

static int disk_sync(int fd) {
    (void)fd;
    return works() ? 0 : -1;
}

static int disk_truncate(int fd, off_t size) {
    return works() ? ftruncate(fd, size) : -1;
}

static int disk_rename(const char *from, const char *to) {
    if (!works())
        return -1;
    return link(from, to) == 0 ? unlink(from) : -1;
}

static int disk_unlink(const char *path) {
    return works() ? unlink(path) : -1;
}

static int disk_close(int fd) {
    (void)close(fd);
    return works() ? 0 : -1;
}

static const struct migrate_files files = {disk_write,  disk_sync,   disk_truncate,
                                           disk_rename, disk_unlink, disk_close};

static void fail_at(unsigned request, bool for_good, bool half) {
    disk.asked = 0;
    disk.fails = request;
    disk.for_good = for_good;
    disk.half = half;
}

/* ---- Places ---------------------------------------------------------------------------------- */

static int make_place(void **state) {
    (void)state;
    migrate_files_use(&files);
    strcpy(place, "/tmp/vidmm-faults-XXXXXX");
    return !mkdtemp(place);
}

static void path_of(char *path, size_t size, const char *name) {
    snprintf(path, size, "%s/%s", place, name);
}

static void clear(void) {
    static const char *const names[] = {"source", "target", "guest", "guest.part", "guest.taken"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[128];
        path_of(path, sizeof(path), names[i]);
        (void)unlink(path);
    }
}

static int drop_place(void **state) {
    (void)state;
    migrate_files_use(NULL);
    clear();
    return rmdir(place);
}

static bool exists(const char *name) {
    char path[128];
    path_of(path, sizeof(path), name);
    return access(path, F_OK) == 0;
}

static bool open_journal(struct migrate_journal *journal, const char *name, char *text) {
    char path[128];
    path_of(path, sizeof(path), name);
    return migrate_journal_open(journal, path, name, text, 256);
}

/* Whether the journal has the deed. */
static bool tells(const char *name, const char *deed) {
    char path[128], bytes[8192] = "", word[32];
    path_of(path, sizeof(path), name);
    FILE *file = fopen(path, "r");
    size_t got = file ? fread(bytes, 1, sizeof(bytes) - 1, file) : 0;
    if (file)
        fclose(file);
    bytes[got] = '\0';
    snprintf(word, sizeof(word), " %s ", deed);
    return strstr(bytes, word);
}

/* ---- Two processes --------------------------------------------------------------------------- */

static struct fixture *begin(void) {
    struct fixture *fixture = malloc(sizeof(*fixture));
    assert_non_null(fixture);
    fixture_start(fixture, 1);
    fixture->events = 150;
    fixture_go(fixture);
    return fixture;
}

/* false: a journal could not be begun, and so nothing was. */
static bool keep_journals(struct fixture *fixture) {
    char text[256] = "";
    bool ok = open_journal(&fixture->source.journal, "source", text) &&
              open_journal(&fixture->target.journal, "target", text);
    assert_true(ok || text[0] != '\0');
    return ok;
}

static void close_journal(struct fixture_side *side) {
    char text[256] = "";
    if (!migrate_journal_close(&side->journal, text, sizeof(text)))
        assert_non_null(strstr(text, "are on the disk"));
}

static void judge(struct fixture *fixture) {
    const struct fixture_side *source = &fixture->source, *target = &fixture->target;
    bool moved = target->own_event != FIXTURE_NEVER;
    assert_false(fixture->two_owners);
    assert_true(fixture_right(moved ? target : source));
    assert_true(moved || source->result.text[0] != '\0');
    assert_true(!moved || tells("target", "own"));
    if (fixture->source.deeds[MIGRATE_GIVES] != 0)
        assert_true(tells("source", "commit"));
    if (moved) /* COMMIT was never sent without its line */
        assert_true(tells("source", "commit") && tells("target", "ready"));
}

/* A migration over a link with the fault; true: the fault was met. */
static bool faulty_link(unsigned request, bool for_good, bool half) {
    struct fixture *fixture = begin();
    clear();
    fail_at(request, for_good, half);
    if (keep_journals(fixture)) {
        fixture_run(fixture, LONG_ENOUGH);
        if (fixture->source.alive && fixture->source.source.party.phase == VIDMM_MIGRATE_DOUBT) {
            fail_at(0, false, false); /* the disk was repaired */
            fixture->source.verdict = fixture->target.own_event == FIXTURE_NEVER
                                          ? VIDMM_MIGRATE_TAKE
                                          : VIDMM_MIGRATE_DROP;
            disk.asked = request;
        }
        fixture_run(fixture, LONG_ENOUGH);
        judge(fixture);
    }
    close_journal(&fixture->source);
    close_journal(&fixture->target);
    fixture_stop(fixture);
    free(fixture);
    return disk.asked >= request;
}

static void a_journal_on_a_disk_that_fails_once_leaves_one_owner(void **state) {
    (void)state;
    unsigned request = 1;
    while (faulty_link(request, false, request % 2 == 0))
        request++;
    print_message("%u requests of the disk\n", request - 1);
    assert_true(request > 20);
}

static void a_journal_on_a_disk_that_fails_for_good_leaves_one_owner(void **state) {
    (void)state;
    for (unsigned request = 1; faulty_link(request, true, request % 2 == 1);)
        request++;
}

/* ---- A file ---------------------------------------------------------------------------------- */

static bool open_file(struct migrate_channel *channel, bool writes) {
    struct migrate_address address;
    char words[128], text[256] = "";
    snprintf(words, sizeof(words), "file:%s/guest", place);
    assert_true(migrate_address_parse(words, &address, text, sizeof(text)));
    bool ok = writes ? migrate_file_write(channel, &address, text, sizeof(text))
                     : migrate_file_read(channel, &address, text, sizeof(text));
    assert_true(ok || text[0] != '\0');
    return ok;
}

/* The source writes the guest to the file, or plays it to its end. */
static void write_guest(struct fixture *fixture) {
    struct migrate_channel channel;
    char text[256];
    fixture->target.alive = false;
    if (!open_file(&channel, true) || !open_journal(&fixture->source.journal, "source", text))
        fail_msg("no fault can be met before");
    fixture->source.source.party.link = channel.link;
    fixture->source.source.quick = true;
    fixture_run(fixture, LONG_ENOUGH);
    channel.close(channel.link.ctx);
    close_journal(&fixture->source);
    if (fixture->source.alive)
        fail_msg("the source is in state %d: %s", fixture->source.source.state, fixture->said);
}

/* A target reads it. */
static void read_guest(struct fixture *fixture) {
    struct fixture_side *target = &fixture->target;
    struct migrate_channel channel;
    char text[256];
    if (!open_file(&channel, false))
        return;
    if (!open_journal(&target->journal, "target", text)) {
        channel.close(channel.link.ctx);
        return;
    }
    struct migrate_party party = target->target.party;
    migrate_target_stop(&target->target);
    party.link = channel.link;
    party.areas = (struct migrate_areas){0};
    fixture_restart(target);
    migrate_target_start(&target->target, &party, true);
    target->alive = true;
    target->up = false;
    fixture_run(fixture, LONG_ENOUGH);
    if (target->alive)
        fail_msg("the target is in state %d: %s", target->target.state, fixture->said);
    channel.close(channel.link.ctx);
    close_journal(target);
}

static bool faulty_file(unsigned request, bool at_reader) {
    struct fixture *fixture = begin();
    clear();
    fail_at(at_reader ? 0 : request, false, request % 2 == 0);
    write_guest(fixture);
    bool met = disk.asked >= request;
    if (!fixture->source.result.moved) {
        assert_false(exists("guest"));
        assert_true(fixture_right(&fixture->source));
        assert_true(fixture->source.result.text[0] != '\0');
    } else {
        fail_at(at_reader ? request : 0, false, request % 2 == 0);
        read_guest(fixture);
        met = at_reader ? disk.asked >= request : met;
        if (fixture->target.own_event == FIXTURE_NEVER) {
            assert_true(fixture->target.result.text[0] != '\0' || at_reader);
            assert_true(exists("guest")); /* and another reader takes it */
            fail_at(0, false, false);
            read_guest(fixture);
        }
        assert_false(fixture->two_owners);
        assert_true(fixture->target.own_event != FIXTURE_NEVER);
        assert_true(fixture_right(&fixture->target));
    }
    fixture_stop(fixture);
    free(fixture);
    return met;
}

static void a_file_that_cannot_be_written_leaves_the_guest_where_it_was(void **state) {
    (void)state;
    unsigned request = 9; /* after the journal was begun and locked */
    while (faulty_file(request, false))
        request++;
    assert_true(request > 20);
}

static void a_file_that_cannot_be_taken_is_there_for_another_reader(void **state) {
    (void)state;
    unsigned request = 1;
    while (faulty_file(request, true))
        request++;
    assert_true(request > 6);
}

/* ---- Journals -------------------------------------------------------------------------------- */

static void a_journal_that_is_not_at_its_path_takes_no_line(void **state) {
    struct migrate_journal journal;
    char text[256] = "", path[128], other[128];
    (void)state;
    clear();
    fail_at(0, false, false);
    path_of(path, sizeof(path), "source");
    path_of(other, sizeof(other), "target");
    assert_true(open_journal(&journal, "source", text));
    assert_int_equal(rename(path, other), 0);
    assert_false(migrate_journal_note(&journal, MIGRATE_GIVES, 5, 1, text, sizeof(text)));
    assert_non_null(strstr(text, "was moved, removed or replaced"));
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_false(migrate_journal_note(&journal, MIGRATE_GIVES, 5, 1, text, sizeof(text)));
    assert_int_equal(rename(other, path), 0);
    assert_true(migrate_journal_note(&journal, MIGRATE_PAUSES, 5, 1, text, sizeof(text)));
    assert_true(migrate_journal_close(&journal, text, sizeof(text)));
    assert_true(tells("source", "pause"));
    assert_false(tells("source", "commit"));
}

static size_t make_journal(char *bytes, size_t room) {
    struct migrate_journal journal;
    char text[256] = "", path[128];
    clear();
    fail_at(0, false, false);
    assert_true(open_journal(&journal, "source", text));
    assert_true(migrate_journal_word(&journal, "start", 0, text, sizeof(text)));
    for (unsigned i = 0; i < 4; i++)
        assert_true(migrate_journal_note(&journal, MIGRATE_PAUSES, 5, i, text, sizeof(text)));
    assert_true(migrate_journal_close(&journal, text, sizeof(text)));
    path_of(path, sizeof(path), "source");
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

static bool accepted(const char *bytes, size_t size) {
    struct migrate_journal journal;
    char text[256] = "", path[128];
    path_of(path, sizeof(path), "source");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(bytes, 1, size, file);
    fclose(file);
    bool ok = open_journal(&journal, "source", text);
    assert_true(ok || text[0] != '\0');
    if (ok)
        assert_true(migrate_journal_close(&journal, text, sizeof(text)));
    return ok;
}

static void a_journal_with_a_bit_changed_anywhere_is_refused(void **state) {
    (void)state;
    char bytes[4096];
    size_t size = make_journal(bytes, sizeof(bytes));
    assert_true(accepted(bytes, size));
    for (size_t bit = 0; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (char)(1u << bit % 8);
        assert_false(accepted(bytes, size));
        bytes[bit / 8] ^= (char)(1u << bit % 8);
    }
}

static void a_journal_that_was_cut_anywhere_is_refused(void **state) {
    (void)state;
    char bytes[4096];
    size_t size = make_journal(bytes, sizeof(bytes));
    for (size_t left = 1; left < size; left++)
        assert_false(accepted(bytes, left));
}

/* A process that is killed while it writes: what it had begun goes, everything before it stays. */
static void a_line_that_was_begun_is_taken_away_by_the_next(void **state) {
    (void)state;
    struct migrate_journal journal;
    char bytes[4096], text[256] = "";
    size_t size = make_journal(bytes, sizeof(bytes));
    memcpy(bytes + size, "12345 6 sou", 11);
    assert_true(accepted(bytes, size + 11));
    assert_true(open_journal(&journal, "source", text));
    assert_true(migrate_journal_note(&journal, MIGRATE_RUNS, 5, 9, text, sizeof(text)));
    assert_true(migrate_journal_close(&journal, text, sizeof(text)));
    assert_true(tells("source", "run"));
    assert_true(open_journal(&journal, "source", text));
    assert_true(migrate_journal_close(&journal, text, sizeof(text)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_journal_on_a_disk_that_fails_once_leaves_one_owner),
        cmocka_unit_test(a_journal_on_a_disk_that_fails_for_good_leaves_one_owner),
        cmocka_unit_test(a_journal_that_is_not_at_its_path_takes_no_line),
        cmocka_unit_test(a_file_that_cannot_be_written_leaves_the_guest_where_it_was),
        cmocka_unit_test(a_file_that_cannot_be_taken_is_there_for_another_reader),
        cmocka_unit_test(a_journal_with_a_bit_changed_anywhere_is_refused),
        cmocka_unit_test(a_journal_that_was_cut_anywhere_is_refused),
        cmocka_unit_test(a_line_that_was_begun_is_taken_away_by_the_next),
    };
    return cmocka_run_group_tests(tests, make_place, drop_place);
}
