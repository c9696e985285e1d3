/*
 * child.h - one run in a process of its own, so that its end ends nothing else.
 */
#ifndef SWEEP_CHILD_H
#define SWEEP_CHILD_H

#include <stdio.h>
#include <sys/types.h>

#include "row.h"

struct sweep_child {
    pid_t pid; /* 0: none */
    FILE *report, *said;
    struct sweep_row row;
};

/* Starts this program with the run's words. false: one sentence, and nothing runs. */
bool sweep_child_start(struct sweep_child *child, const struct vidmm_study *study, uint64_t run,
                       const char *version, const char *commit, char *text, size_t size);
/* The process has ended: its row, which the caller frees. */
void sweep_child_end(struct sweep_child *child, int status);
/* Ends it, and what it started; nothing of it is kept. */
void sweep_child_kill(struct sweep_child *child);

#endif
