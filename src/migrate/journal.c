/*
 * journal.c - lines about ownership, each of which continues the one before.
 *
 * Before it appends, a side reads the whole journal: it is short, and the other side may have
 * written. A line without an end, behind what the head counts, is what a killed process had begun; it
 * was never acted upon and is taken away.
 */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "files.h"
#include "io.h"

#define HEAD_BYTES 71u
#define HEAD_TEXT  "vidmm-journal 2 %020" PRIu64 " %016" PRIx64
#define HEAD_SCAN  "vidmm-journal 2 %20" SCNu64 " %16" SCNx64
#define MOST_BYTES ((size_t)64 << 20)
#define LOCKS      200 /* tries, ten milliseconds apart */
#define CHECK      17u /* a space and sixteen digits */

static const char *const words[MIGRATE_DEEDS] = {
    [MIGRATE_RUNS] = "run",    [MIGRATE_PAUSES] = "pause", [MIGRATE_GIVES] = "commit",
    [MIGRATE_WAITS] = "ready", [MIGRATE_DOUBTS] = "doubt", [MIGRATE_TAKES] = "own",
    [MIGRATE_DROPS] = "drop",
};

/* What a journal holds. */
struct content {
    uint64_t lines, last; /* last: CHECK of the last line; 0: none */
    off_t size;           /* up to the last line's end */
    bool torn;            /* more follows, without an end */
};

/* ---- Reading --------------------------------------------------------------------------------- */

static uint64_t check_of(const char *line, size_t size, uint64_t before) {
    return XXH64(line, size, before);
}

/* `size` bytes are a line without its end, and its CHECK is right. */
static bool line_good(const char *line, size_t size, uint64_t before, uint64_t *check) {
    char wanted[CHECK + 1];
    if (size <= CHECK)
        return false;
    *check = check_of(line, size - CHECK, before);
    snprintf(wanted, sizeof(wanted), " %016" PRIx64, *check);
    return memcmp(line + size - CHECK, wanted, CHECK) == 0;
}

/* The head with its end; false: out of shape. */
static bool head_good(const char *bytes, size_t size, uint64_t *lines, uint64_t *last) {
    char copy[HEAD_BYTES + 1] = "";
    uint64_t check = 0;
    if (size < HEAD_BYTES || bytes[HEAD_BYTES - 1] != '\n' ||
        !line_good(bytes, HEAD_BYTES - 1, 0, &check))
        return false;
    memcpy(copy, bytes, HEAD_BYTES - 1);
    return sscanf(copy, HEAD_SCAN, lines, last) == 2;
}

/* NULL, or what is wrong with it. */
static const char *journal_parse(const char *bytes, size_t size, struct content *out) {
    uint64_t counted = 0, last = 0;
    size_t at = HEAD_BYTES;
    const char *end;
    memset(out, 0, sizeof(*out));
    if (size == 0)
        return NULL;
    if (!head_good(bytes, size, &counted, &last))
        return "it does not begin like a journal of this version";
    bool met = counted == 0 && last == 0;
    while ((end = memchr(bytes + at, '\n', size - at))) {
        if (!line_good(bytes + at, (size_t)(end - bytes) - at, out->last, &out->last))
            return "a line was changed, or one before it is missing";
        at = (size_t)(end - bytes) + 1;
        out->lines++;
        met = met || (out->lines == counted && out->last == last);
    }
    out->size = (off_t)at;
    out->torn = at < size;
    return met ? NULL : "lines are missing at its end";
}

/* All of the file, malloc'd; NULL: errno says why not. */
static char *read_all(int fd, size_t *size) {
    struct stat of;
    if (fstat(fd, &of) != 0)
        return NULL;
    if (!S_ISREG(of.st_mode) || (uint64_t)of.st_size > MOST_BYTES) {
        errno = S_ISREG(of.st_mode) ? EFBIG : EINVAL;
        return NULL;
    }
    char *bytes = malloc((size_t)of.st_size + 1);
    for (*size = 0; bytes && *size < (size_t)of.st_size;) {
        ssize_t got = pread(fd, bytes + *size, (size_t)of.st_size - *size, (off_t)*size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            free(bytes);
            return NULL;
        }
        *size += (size_t)got;
    }
    return bytes;
}

static bool journal_look(int fd, struct content *out, char *text, size_t text_size) {
    size_t size = 0;
    char *bytes = read_all(fd, &size);
    if (!bytes) {
        snprintf(text, text_size, "the journal cannot be read: %s", strerror(errno));
        return false;
    }
    const char *wrong = journal_parse(bytes, size, out);
    free(bytes);
    if (wrong)
        snprintf(text, text_size, "the journal is damaged or was changed: %s", wrong);
    return !wrong;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static bool journal_lock(int fd) {
    for (unsigned i = 0; i < LOCKS; i++) {
        const struct timespec nap = {.tv_nsec = 10000000};
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        nanosleep(&nap, NULL);
    }
    return false;
}

static bool write_head(int fd, uint64_t lines, uint64_t last) {
    char head[HEAD_BYTES + 1];
    int length = snprintf(head, sizeof(head), HEAD_TEXT, lines, last);
    snprintf(head + length, sizeof(head) - (size_t)length, " %016" PRIx64 "\n",
             check_of(head, (size_t)length, 0));
    return migrate_files_write(fd, head, HEAD_BYTES, 0);
}

/* The head comes after the line is on the disk, so that it never counts one that is lost. */
static bool write_line(int fd, const struct content *content, const char *line, size_t size,
                       uint64_t check) {
    return migrate_files_write(fd, line, size, content->size) && migrate_files()->sync(fd) == 0 &&
           (write_head(fd, content->lines + 1, check) || write_head(fd, content->lines + 1, check));
}

/* As it was before the line. */
static bool take_line_back(int fd, const struct content *content) {
    return migrate_files()->truncate(fd, content->size) == 0 &&
           write_head(fd, content->lines, content->last) && migrate_files()->sync(fd) == 0;
}

static bool append(struct migrate_journal *journal, const char *word, uint64_t session,
                   uint64_t event, char *text, size_t text_size) {
    struct content content;
    char line[192];
    if (!journal_look(journal->fd, &content, text, text_size))
        return false;
    int length =
        snprintf(line, sizeof(line) - CHECK - 1, "%" PRIu64 " %d %s %s %" PRIu64 " %016" PRIx64,
                 migrate_clock_ns(), (int)getpid(), journal->side, word, event, session);
    uint64_t check = check_of(line, (size_t)length, content.last);
    length += snprintf(line + length, sizeof(line) - (size_t)length, " %016" PRIx64 "\n", check);
    if ((!content.torn || migrate_files()->truncate(journal->fd, content.size) == 0) &&
        write_line(journal->fd, &content, line, (size_t)length, check))
        return true;
    int why = errno;
    bool clean = take_line_back(journal->fd, &content);
    snprintf(text, text_size, "the journal could not be written (%s): %s%s", word, strerror(why),
             clean ? "" : "; it may hold this line all the same");
    return false;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* The file is locked. A new one gets its head, and its name is on the disk. */
static bool journal_begin(struct migrate_journal *journal, const char *path, char *text,
                          size_t text_size) {
    struct stat of;
    struct content content;
    if (fstat(journal->fd, &of) != 0 || !S_ISREG(of.st_mode)) {
        snprintf(text, text_size, "the journal %.200s is no regular file", path);
        return false;
    }
    if (of.st_size != 0)
        return journal_look(journal->fd, &content, text, text_size);
    if (write_head(journal->fd, 0, 0) && migrate_files()->sync(journal->fd) == 0 &&
        migrate_files_sync_directory(path))
        return true;
    snprintf(text, text_size, "cannot begin the journal %.200s: %s", path, strerror(errno));
    (void)migrate_files()->truncate(journal->fd, 0);
    return false;
}

static void journal_forget(struct migrate_journal *journal) {
    free(journal->path);
    journal->path = NULL;
    journal->fd = -1;
}

bool migrate_journal_open(struct migrate_journal *journal, const char *path, const char *side,
                          char *text, size_t text_size) {
    journal->side = side;
    journal->fd = -1;
    journal->path = path ? strdup(path) : NULL;
    if (!path)
        return true;
    if (!journal->path) {
        snprintf(text, text_size, "out of memory");
        return false;
    }
    journal->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
    if (journal->fd < 0 || !journal_lock(journal->fd)) {
        snprintf(text, text_size, "cannot open the journal %.200s: %s", path, strerror(errno));
    } else {
        bool good = journal_begin(journal, path, text, text_size);
        (void)flock(journal->fd, LOCK_UN);
        if (good)
            return true;
    }
    if (journal->fd >= 0)
        close(journal->fd);
    journal_forget(journal);
    return false;
}

bool migrate_journal_close(struct migrate_journal *journal, char *text, size_t text_size) {
    bool ok = journal->fd < 0 || migrate_files()->close(journal->fd) == 0;
    if (!ok)
        snprintf(text, text_size, "the journal could not be closed: %s; its lines are on the disk",
                 strerror(errno));
    journal_forget(journal);
    return ok;
}

/* Whoever resolves a migration reads what is at the path. */
static bool journal_there(const struct migrate_journal *journal, char *text, size_t text_size) {
    struct stat file, named;
    if (fstat(journal->fd, &file) == 0 && stat(journal->path, &named) == 0 &&
        file.st_dev == named.st_dev && file.st_ino == named.st_ino)
        return true;
    snprintf(text, text_size, "the journal %.200s was moved, removed or replaced", journal->path);
    return false;
}

static bool journal_put(struct migrate_journal *journal, const char *word, uint64_t session,
                        uint64_t event, char *text, size_t text_size) {
    if (journal->fd < 0)
        return true;
    if (!journal_lock(journal->fd)) {
        snprintf(text, text_size, "the journal is locked by another process");
        return false;
    }
    bool ok = journal_there(journal, text, text_size) &&
              append(journal, word, session, event, text, text_size);
    (void)flock(journal->fd, LOCK_UN);
    return ok;
}

bool migrate_journal_word(struct migrate_journal *journal, const char *word, uint64_t event,
                          char *text, size_t text_size) {
    return journal_put(journal, word, 0, event, text, text_size);
}

bool migrate_journal_note(struct migrate_journal *journal, enum migrate_deed deed, uint64_t session,
                          uint64_t event, char *text, size_t text_size) {
    return journal_put(journal, words[deed], session, event, text, text_size);
}
