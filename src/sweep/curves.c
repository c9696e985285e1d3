/*
 * curves.c - see curves.h. Runs that failed are in no curve.
 */
#include "curves.h"

#include <stdlib.h>
#include <string.h>

static const struct sweep_measure measures[] = {
    {"moved", "bytes moved into GPU memory", "paged_in_bytes", SWEEP_BYTES, 0},
    {"remote", "bytes referenced where they lay", "remote_bytes", SWEEP_BYTES, 0},
    {"frame", "virtual time of a frame", "virtual_ns * 1.0 / nullif(frames_played, 0)", SWEEP_NS,
     0},
    {"bound", "moved and remote over the bound", "over_bound", SWEEP_RATIO, 1},
};

const struct sweep_measure *sweep_measure_at(size_t index) {
    return index < sizeof(measures) / sizeof(measures[0]) ? &measures[index] : NULL;
}

const char *vidmm_sweep_measure_at(size_t index) {
    const struct sweep_measure *measure = sweep_measure_at(index);
    return measure ? measure->name : NULL;
}

static int64_t curve_number(struct sweep_store *store, const char *sql) {
    sqlite3_stmt *statement = NULL;
    int64_t value = 0;
    if (sqlite3_prepare_v2(store->base, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

int64_t sweep_failed_count(struct sweep_store *store) {
    return curve_number(store, "SELECT count(*) FROM runs WHERE exit_code<>0");
}

/* An expression for a curve's name: the policy, and each other axis that has more than one value. */
static void label_sql(struct sweep_store *store, char *sql, size_t size) {
    static const char *const others[] = {"model",  "driver", "hardware", "ddi",
                                         "linked", "frames", "bytes",    "settings"};
    char query[96];
    int length = snprintf(sql, size, "policy");
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        (void)snprintf(query, sizeof(query), "SELECT count(DISTINCT %s) FROM runs", others[i]);
        if (curve_number(store, query) > 1)
            length += snprintf(sql + length, size - (size_t)length, "||', '||'%s '||%s",
                               strcmp(others[i], "settings") == 0 ? "" : others[i], others[i]);
    }
}

void sweep_names_free(char **names, size_t count) {
    for (size_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
}

/* Those of `workload`, NULL: of all. NULL: the base has the error, or there is no memory. */
static char **names_of(struct sweep_store *store, const char *expression, const char *workload,
                       size_t *count) {
    char sql[768];
    char **names = calloc(SWEEP_NAMES_MOST + 1, sizeof(*names));
    sqlite3_stmt *statement = NULL;
    int step = SQLITE_ERROR;
    *count = 0;
    (void)snprintf(sql, sizeof(sql),
                   "SELECT %s AS name FROM runs WHERE exit_code=0 AND workload=ifnull(?,workload) "
                   "GROUP BY name ORDER BY min(run) LIMIT %u",
                   expression, SWEEP_NAMES_MOST + 1);
    bool good = names && sqlite3_prepare_v2(store->base, sql, -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_bind_text(statement, 1, workload, -1, SQLITE_STATIC) == SQLITE_OK;
    while (good && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        names[*count] = strdup(name ? name : "");
        good = names[*count];
        *count += good;
    }
    sqlite3_finalize(statement);
    if (good && step == SQLITE_DONE)
        return names;
    sweep_names_free(names, *count);
    return NULL;
}

char **sweep_workloads(struct sweep_store *store, const char *workload, size_t *count) {
    return names_of(store, "workload", workload, count);
}

char **sweep_labels(struct sweep_store *store, const char *workload, size_t *count) {
    char expression[512];
    label_sql(store, expression, sizeof(expression));
    return names_of(store, expression, workload, count);
}

/* The point of a row of the statement, on its curve, which is new where the label is. */
static bool add_point(struct sweep_chart *chart, sqlite3_stmt *row) {
    const char *label = (const char *)sqlite3_column_text(row, 0);
    struct sweep_curve *last = chart->count ? &chart->curve[chart->count - 1] : NULL;
    label = label ? label : "";
    if (!last || strcmp(last->label, label) != 0) {
        struct sweep_curve *grown =
            realloc(chart->curve, (chart->count + 1) * sizeof(*chart->curve));
        if (!grown)
            return false;
        chart->curve = grown;
        last = &grown[chart->count];
        *last = (struct sweep_curve){.label = strdup(label)};
        if (!last->label)
            return false;
        chart->count++;
    }
    struct sweep_point *points = realloc(last->point, (last->count + 1) * sizeof(*points));
    if (!points)
        return false;
    last->point = points;
    points[last->count++] =
        (struct sweep_point){sqlite3_column_double(row, 1), sqlite3_column_double(row, 2),
                             sqlite3_column_double(row, 3), sqlite3_column_double(row, 4)};
    return true;
}

bool sweep_chart_read(struct sweep_store *store, const char *workload,
                      const struct sweep_measure *measure, struct sweep_chart *chart) {
    char sql[2048], label[512];
    sqlite3_stmt *statement = NULL;
    int step = SQLITE_ERROR;
    bool share =
        curve_number(store, "SELECT count(*) FROM runs WHERE vram NOT LIKE '%\\%' ESCAPE '\\'") ==
        0;
    *chart = (struct sweep_chart){.x_unit = share ? SWEEP_SHARE : SWEEP_BYTES};
    label_sql(store, label, sizeof(label));
    (void)snprintf(sql, sizeof(sql),
                   "SELECT %s AS label, avg(%s) AS x, min(%s), avg(%s), max(%s) FROM runs "
                   "WHERE exit_code=0 AND workload=? AND %s IS NOT NULL GROUP BY label, vram "
                   "ORDER BY label, x",
                   label, share ? "CAST(vram AS REAL)" : "vram_bytes", measure->sql, measure->sql,
                   measure->sql, measure->sql);
    bool done = true;
    if (sqlite3_prepare_v2(store->base, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, workload, -1, SQLITE_STATIC) == SQLITE_OK)
        while (done && (step = sqlite3_step(statement)) == SQLITE_ROW)
            done = add_point(chart, statement);
    sqlite3_finalize(statement);
    return done && step == SQLITE_DONE;
}

void sweep_chart_free(struct sweep_chart *chart) {
    for (size_t i = 0; i < chart->count; i++) {
        free(chart->curve[i].label);
        free(chart->curve[i].point);
    }
    free(chart->curve);
    *chart = (struct sweep_chart){0};
}
