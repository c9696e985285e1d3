/*
 * journal.h - a file with one line for each change of the guest's state in this process:
 *
 *   vidmm-journal 2 LINES LAST CHECK         (its head: how many lines there are at least)
 *   NANOSECONDS PID SIDE DEED EVENT SESSION CHECK
 *
 * CHECK is a hash over its line and the CHECK of the line before; LAST that of the last line that the
 * head counts. A journal in which a line was changed, left out or cut off is refused. Both sides may
 * append to one file. A file that is no longer at its path takes no line: nobody would read it. A line is
 * on the disk when the function that wrote it returns true; else it is
 * in no journal.
 */
#ifndef VIDMM_MIGRATE_JOURNAL_H
#define VIDMM_MIGRATE_JOURNAL_H

#include "party.h"

struct migrate_journal {
    int fd;     /* -1: none is kept */
    char *path; /* of its file */
    const char *side;
};

/* `path` NULL: none. false: `text` says why not. */
bool migrate_journal_open(struct migrate_journal *journal, const char *path, const char *side,
                          char *text, size_t text_size);
/* false: `text` says what failed; each line is on the disk all the same. */
bool migrate_journal_close(struct migrate_journal *journal, char *text, size_t text_size);
bool migrate_journal_note(struct migrate_journal *journal, enum migrate_deed deed, uint64_t session,
                          uint64_t event, char *text, size_t text_size);
/* An entry that is not from the state machines: start and end of the process. */
bool migrate_journal_word(struct migrate_journal *journal, const char *word, uint64_t event,
                          char *text, size_t text_size);

#endif
