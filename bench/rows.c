/*
 * rows.c - see rows.h.
 */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>

#define QUICK_ROUNDS 3

int bench_rounds(void) {
    return getenv("VIDMM_BENCH_QUICK") ? QUICK_ROUNDS : BENCH_ROUNDS;
}

void bench_row(const struct bench_row *row) {
    static const char *const units[] = {"B/s", "entries/s", "s"};
    const char *path = getenv("VIDMM_BENCH_ROWS");
    if (!path)
        return;
    FILE *file = fopen(path, "a");
    if (file)
        fprintf(file,
                "{\"work\": \"%s\", \"unit\": \"%s\", \"limit\": %.9g, \"ours\": %.9g, "
                "\"goal\": %.9g}\n",
                row->work, units[row->unit], row->limit, row->ours, row->goal);
    if (!file || fclose(file) != 0) {
        fprintf(stderr, "bench: a row cannot be written to %s\n", path);
        exit(1);
    }
}

struct bench_row bench_worse(const struct bench_row *a, const struct bench_row *b) {
    bool more = a->ours / a->limit > b->ours / b->limit, cost = a->unit == BENCH_SECONDS;
    return more == cost ? *a : *b;
}
