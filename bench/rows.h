/*
 * rows.h - what a benchmark hands to the table of `make bench` (table.py): a line of JSON for each
 * piece of work, appended to the file that the environment's VIDMM_BENCH_ROWS names. Without that
 * variable a benchmark prints its own figures and no rows.
 */
#ifndef VIDMM_BENCH_ROWS_H
#define VIDMM_BENCH_ROWS_H

#include <stdbool.h>

#define BENCH_ROUNDS 9 /* at most */

/* Rounds to measure; fewer if VIDMM_BENCH_QUICK is set, for trying. */
int bench_rounds(void);

/* What a row's figures are; table.py knows the same names. */
enum bench_unit {
    BENCH_BYTES_PER_SECOND,   /* a rate: `ours` is to be at least `goal` of the limit */
    BENCH_ENTRIES_PER_SECOND, /* likewise */
    BENCH_SECONDS             /* a cost: at most `goal` of the limit */
};

struct bench_row {
    const char *work;
    enum bench_unit unit;
    double limit, ours, goal;
};

void bench_row(const struct bench_row *row);
/* Of two measurements of one kind of work the one that is further from its limit. */
struct bench_row bench_worse(const struct bench_row *a, const struct bench_row *b);

#endif
