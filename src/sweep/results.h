/*
 * results.h - the directory in which runs that are made on other machines leave their results, one file each.
 *
 * Its name has a hash of the study, the program and the place, so that only results of this sweep are found there.
 */
#ifndef SWEEP_RESULTS_H
#define SWEEP_RESULTS_H

#include <limits.h>

#include "making.h"

#define SWEEP_ID_SIZE 17

struct sweep_results {
    char path[PATH_MAX - 64]; /* absolute */
    char id[SWEEP_ID_SIZE];
};

/* Makes the directory beside the store. false: one sentence is in the sweep's text. */
bool sweep_results_open(struct sweep_results *results, struct sweep *sweep);
/* The name of a file in it. */
void sweep_results_name(const struct sweep_results *results, const char *file, char path[PATH_MAX]);
/* Writes a file of it, whole or not at all. */
bool sweep_results_write(const struct sweep_results *results, struct sweep *sweep, const char *file,
                         const char *content);
/* Moves the results that are there into the store. */
bool sweep_results_collect(const struct sweep_results *results, struct sweep *sweep);
/* Calls `visit` with the name of each file. */
void sweep_results_each(const struct sweep_results *results,
                        void (*visit)(void *ctx, const char *file), void *ctx);
/* Removes it: nothing in it is needed any more. */
void sweep_results_remove(const struct sweep_results *results);

#endif
