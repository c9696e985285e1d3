/*
 * making.h - a sweep under way: sweep.c makes its runs here, slurm.c has them made elsewhere.
 */
#ifndef SWEEP_MAKING_H
#define SWEEP_MAKING_H

#include <signal.h>

#include "child.h"
#include "store.h"

struct sweep {
    const struct vidmm_study *study;
    const struct vidmm_sweep_options *options;
    struct vidmm_sweep_result *result;
    struct sweep_store store;
    struct sweep_child *child; /* `jobs` of them */
    uint32_t jobs, running;
    bool *done; /* of each run: the store has it */
    uint64_t next;
    double began; /* seconds */
    sigset_t signals;
    char *text; /* the sentence, where something fails */
    size_t size;
};

/* The signals that end a sweep. */
void sweep_signals(sigset_t *set);
/* Tells the caller how far it is. */
void sweep_tell(const struct sweep *sweep);
/* Puts a row into the store, counts it and frees it. */
bool sweep_keep_row(struct sweep *sweep, struct sweep_row *row);

#endif
