/*
 * curves.h - the rows of a store as curves: a value over GPU memory, with its spread over the seeds.
 */
#ifndef SWEEP_CURVES_H
#define SWEEP_CURVES_H

#include "store.h"

enum sweep_unit { SWEEP_BYTES, SWEEP_SHARE, SWEEP_NS, SWEEP_RATIO };

struct sweep_measure {
    const char *name, *title;
    const char *sql;
    enum sweep_unit unit;
    double floor; /* of its axis */
};
/* NULL: after the last. */
const struct sweep_measure *sweep_measure_at(size_t index);

struct sweep_point {
    double x, least, mean, most;
};

struct sweep_curve {
    char *label; /* the policy, and what else differs between the curves */
    struct sweep_point *point;
    size_t count;
};

/* One chart: the curves of a workload and a measure. */
struct sweep_chart {
    struct sweep_curve *curve;
    size_t count;
    enum sweep_unit x_unit;
};

/* Rows, and curves, of a picture. */
#define SWEEP_NAMES_MOST 200u
/*
 * The workloads (or labels) of the runs of `workload`, NULL: of all, in the order of the runs; one more than
 * SWEEP_NAMES_MOST at the most. NULL: the store has the error. To be freed with sweep_names_free.
 */
char **sweep_workloads(struct sweep_store *store, const char *workload, size_t *count);
char **sweep_labels(struct sweep_store *store, const char *workload, size_t *count);
void sweep_names_free(char **names, size_t count);
bool sweep_chart_read(struct sweep_store *store, const char *workload,
                      const struct sweep_measure *measure, struct sweep_chart *chart);
void sweep_chart_free(struct sweep_chart *chart);
/* Runs without curve. */
int64_t sweep_failed_count(struct sweep_store *store);

#endif
