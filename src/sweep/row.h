/*
 * row.h - the columns of the store and of the CSV file, and what one run puts there.
 *
 * Everything in a row is the same whenever the run is made: no wall-clock time, no name of a machine.
 */
#ifndef SWEEP_ROW_H
#define SWEEP_ROW_H

#include "axes.h"

#define SWEEP_COLUMNS 40

enum sweep_type { SWEEP_TEXT, SWEEP_INTEGER, SWEEP_REAL };

struct sweep_column {
    const char *name;
    enum sweep_type type;
    const char *within, *member; /* of the report of vidmm run; member NULL: none */
};
/* The columns; `count` of them. */
const struct sweep_column *sweep_columns(size_t *count);
/* The column's index. */
size_t sweep_column(const char *name);

struct sweep_cell {
    bool set; /* else NULL */
    char *text;
    int64_t integer;
    double real;
};

struct sweep_row {
    uint64_t run;
    struct sweep_cell cell[SWEEP_COLUMNS];
};

/* The options of a run and of the program, before it is made. */
bool sweep_row_begin(struct sweep_row *row, const struct vidmm_study *study, uint64_t run,
                     const char *version, const char *commit);
void sweep_row_free(struct sweep_row *row);
/* How it ended: the wait status, the report (NULL: none), what it said. */
void sweep_row_end(struct sweep_row *row, int status, const char *report, const char *said);
bool sweep_row_failed(const struct sweep_row *row);

/* The words of the run's command after `vidmm`, ended by NULL; free each and the list. NULL: no memory. */
char **sweep_words(const struct vidmm_study *study, uint64_t run);
void sweep_words_free(char **words);

#endif
