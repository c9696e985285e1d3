/*
 * store.h - the rows of a study in an SQLite database, the one file that knows SQLite but the plot.
 *
 * Each row is a transaction: what a killed sweep had written stays, and nothing is half there.
 */
#ifndef SWEEP_STORE_H
#define SWEEP_STORE_H

#include <sqlite3.h>
#include <stdio.h>

#include "row.h"

struct sweep_store {
    sqlite3 *base;
    sqlite3_stmt *insert;
    int lock; /* of the file, against a second sweep; -1: none */
};

/* Opens the store of a study, or makes it. false: one sentence; close it all the same. */
bool sweep_store_open(struct sweep_store *store, const char *path, const struct vidmm_study *study,
                      const char *version, const char *commit, char *text, size_t size);
/* Opens a store that is there, to read it. */
bool sweep_store_read(struct sweep_store *store, const char *path, char *text, size_t size);
void sweep_store_close(struct sweep_store *store);
/* Sets done[run] for each row; the rows that failed, which `retry` takes out. */
bool sweep_store_done(struct sweep_store *store, bool *done, uint64_t runs, bool retry,
                      uint64_t *failed, char *text, size_t size);
bool sweep_store_add(struct sweep_store *store, const struct sweep_row *row, char *text,
                     size_t size);
/* All rows, in order, with a line of names before them; the file appears when it is whole. */
bool sweep_store_csv(struct sweep_store *store, const char *path, char *text, size_t size);

#endif
