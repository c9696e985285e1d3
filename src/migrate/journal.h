/*
 * journal.h - a file with one line for each change of the guest's state in this process:
 *
 *   NANOSECONDS PID SIDE DEED EVENT          (nanoseconds of the system's steady clock)
 *
 * Each line is appended by one write. Lines about ownership are on the disk before this process
 * acts on them.
 */
#ifndef VIDMM_MIGRATE_JOURNAL_H
#define VIDMM_MIGRATE_JOURNAL_H

#include "party.h"

struct migrate_journal {
    int fd; /* -1: none is kept */
    const char *side;
};

/* `path` NULL: none. false: `text` says why not. */
bool migrate_journal_open(struct migrate_journal *journal, const char *path, const char *side,
                          char *text, size_t text_size);
void migrate_journal_close(struct migrate_journal *journal);
void migrate_journal_note(struct migrate_journal *journal, enum migrate_deed deed, uint64_t event);
/* An entry that is not from the state machines: start and end of the process. */
void migrate_journal_word(struct migrate_journal *journal, const char *word, uint64_t event);

#endif
