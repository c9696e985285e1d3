/*
 * journal.h - a file that says, line by line, what this process did with the guest and when:
 *
 *   NANOSECONDS PID SIDE DEED EVENT          (nanoseconds of the system's steady clock)
 *
 * Lines are appended whole; those that ownership hangs on are on the disk before anything follows
 * from them.
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
/* A word that is no deed of the state machines: where the process begins and ends. */
void migrate_journal_word(struct migrate_journal *journal, const char *word, uint64_t event);

#endif
