/*
 * journal.c - lines about ownership.
 */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io.h"

static const char *const words[MIGRATE_DEEDS] = {
    [MIGRATE_RUNS] = "run",    [MIGRATE_PAUSES] = "pause", [MIGRATE_GIVES] = "commit",
    [MIGRATE_WAITS] = "ready", [MIGRATE_DOUBTS] = "doubt", [MIGRATE_TAKES] = "own",
    [MIGRATE_DROPS] = "drop",
};

bool migrate_journal_open(struct migrate_journal *journal, const char *path, const char *side,
                          char *text, size_t text_size) {
    journal->side = side;
    journal->fd = -1;
    if (!path)
        return true;
    journal->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (journal->fd < 0)
        snprintf(text, text_size, "cannot open the journal %.200s: %s", path, strerror(errno));
    return journal->fd >= 0;
}

void migrate_journal_close(struct migrate_journal *journal) {
    if (journal->fd >= 0)
        close(journal->fd);
    journal->fd = -1;
}

void migrate_journal_word(struct migrate_journal *journal, const char *word, uint64_t event) {
    char line[128];
    if (journal->fd < 0)
        return;
    int length = snprintf(line, sizeof(line), "%" PRIu64 " %d %s %s %" PRIu64 "\n",
                          migrate_clock_ns(), (int)getpid(), journal->side, word, event);
    if (write(journal->fd, line, (size_t)length) != length)
        fprintf(stderr, "vidmm: the journal could not be written: %s\n", strerror(errno));
}

void migrate_journal_note(struct migrate_journal *journal, enum migrate_deed deed, uint64_t event) {
    migrate_journal_word(journal, words[deed], event);
    if (journal->fd >= 0 && (deed == MIGRATE_GIVES || deed == MIGRATE_TAKES))
        (void)fdatasync(
            journal->fd); /* only this call is needed for ownership; a lost line changes nothing */
}
