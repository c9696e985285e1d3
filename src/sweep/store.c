/*
 * store.c - see store.h.
 */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vidmm/report.h>

#define STORE_ID      0x76647377 /* application_id: "vdsw" */
#define STORE_VERSION 1
/* Bytes of a value; the longest is a command line. */
#define MOST_OF_A_CELL (1 << 20)

static bool store_fail(const struct sweep_store *store, const char *path, char *text, size_t size) {
    (void)snprintf(text, size, "the store %s%s%s cannot be used: %s", path ? "'" : "",
                   path ? path : "", path ? "'" : "",
                   store->base ? sqlite3_errmsg(store->base) : "out of memory");
    return false;
}

/* The first figure of the first row; `otherwise`: there is no row. */
static bool store_number(struct sweep_store *store, const char *sql, int64_t otherwise,
                         int64_t *number) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store->base, sql, -1, &statement, NULL) != SQLITE_OK)
        return false;
    int step = sqlite3_step(statement);
    *number = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : otherwise;
    sqlite3_finalize(statement);
    return step == SQLITE_ROW || step == SQLITE_DONE;
}

static bool store_run(struct sweep_store *store, const char *sql) {
    return sqlite3_exec(store->base, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static bool write_schema(struct sweep_store *store) {
    static const char *const types[] = {
        [SWEEP_TEXT] = "TEXT", [SWEEP_INTEGER] = "INTEGER", [SWEEP_REAL] = "REAL"};
    char sql[4096];
    size_t count = 0;
    const struct sweep_column *column = sweep_columns(&count);
    int length = snprintf(sql, sizeof(sql),
                          "PRAGMA application_id=%d; PRAGMA user_version=%d;"
                          "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
                          "CREATE TABLE runs(run INTEGER PRIMARY KEY",
                          STORE_ID, STORE_VERSION);
    for (size_t i = 0; i < count; i++)
        length += snprintf(sql + length, sizeof(sql) - (size_t)length, ", %s %s", column[i].name,
                           types[column[i].type]);
    (void)snprintf(sql + length, sizeof(sql) - (size_t)length, ");");
    return store_run(store, sql);
}

static bool put_meta(struct sweep_store *store, const char *name, const char *value) {
    sqlite3_stmt *statement = NULL;
    bool done = sqlite3_prepare_v2(store->base, "INSERT INTO meta VALUES(?, ?)", -1, &statement,
                                   NULL) == SQLITE_OK &&
                sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_bind_text(statement, 2, value, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return done;
}

/* Compares; `was` gets what the store has. */
static bool meta_is(struct sweep_store *store, const char *name, const char *value, char was[96]) {
    sqlite3_stmt *statement = NULL;
    bool same = false;
    if (sqlite3_prepare_v2(store->base, "SELECT value FROM meta WHERE name=?", -1, &statement,
                           NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        const char *has = (const char *)sqlite3_column_text(statement, 0);
        same = has && strcmp(has, value) == 0;
        (void)snprintf(was, 96, "%.90s", has ? has : "nothing");
    }
    sqlite3_finalize(statement);
    return same;
}

/* false: it is another program's database, or no database. */
static bool is_ours(struct sweep_store *store, const char *path, char *text, size_t size) {
    int64_t id = 0, version = 0;
    if (!store_number(store, "PRAGMA application_id", 0, &id) ||
        !store_number(store, "PRAGMA user_version", 0, &version))
        return store_fail(store, path, text, size);
    if (id == STORE_ID && version == STORE_VERSION)
        return true;
    (void)snprintf(text, size,
                   id == STORE_ID ? "'%s' is a store of another version of vidmm sweep"
                                  : "'%s' is no store of vidmm sweep",
                   path);
    return false;
}

/* The study and the program that began the store are those that go on. */
static bool is_same(struct sweep_store *store, const char *path, const char *study,
                    const char *version, const char *commit, char *text, size_t size) {
    char was[96] = "nothing";
    if (!meta_is(store, "study", study, was)) {
        (void)snprintf(text, size,
                       "the store '%s' has the runs of another study (or a file that the study "
                       "names was changed); give this one another --store",
                       path);
        return false;
    }
    bool same_version = meta_is(store, "version", version, was);
    if (same_version && meta_is(store, "commit", commit, was))
        return true;
    (void)snprintf(text, size,
                   "the store '%s' was begun by vidmm %s, and this is %s; give this one another "
                   "--store",
                   path, was, same_version ? commit : version);
    return false;
}

/* One sweep at a time: a lock of the file's owner that SQLite's own locks do not touch. */
static bool take_lock(struct sweep_store *store, const char *path, char *text, size_t size) {
    store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (store->lock >= 0 && flock(store->lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    if (store->lock >= 0 && errno == EWOULDBLOCK)
        (void)snprintf(text, size, "another vidmm sweep is writing the store '%s'", path);
    else
        (void)snprintf(text, size, "the store '%s' cannot be written: %s", path, strerror(errno));
    return false;
}

static bool prepare_insert(struct sweep_store *store) {
    char sql[256];
    size_t count = 0;
    (void)sweep_columns(&count);
    int length = snprintf(sql, sizeof(sql), "INSERT INTO runs VALUES(?");
    for (size_t i = 0; i < count; i++)
        length += snprintf(sql + length, sizeof(sql) - (size_t)length, ",?");
    (void)snprintf(sql + length, sizeof(sql) - (size_t)length, ")");
    return sqlite3_prepare_v2(store->base, sql, -1, &store->insert, NULL) == SQLITE_OK;
}

static bool begin_store(struct sweep_store *store, const char *study, const char *version,
                        const char *commit) {
    return store_run(store, "BEGIN") && write_schema(store) && put_meta(store, "study", study) &&
           put_meta(store, "version", version) && put_meta(store, "commit", commit) &&
           store_run(store, "COMMIT");
}

/* A store may come from anybody: what a view or a trigger of it does might never end. */
static bool distrust(sqlite3 *base) {
    static const int options[][2] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                     {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                     {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                     {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (sqlite3_db_config(base, options[i][0], options[i][1], NULL) != SQLITE_OK)
            return false;
    (void)sqlite3_limit(base, SQLITE_LIMIT_LENGTH, MOST_OF_A_CELL);
    return true;
}

bool sweep_store_open(struct sweep_store *store, const char *path, const struct vidmm_study *study,
                      const char *version, const char *commit, char *text, size_t size) {
    *store = (struct sweep_store){.lock = -1};
    int64_t objects = 0;
    if (!take_lock(store, path, text, size))
        return false;
    char *identity = sweep_identity(study);
    bool done = identity && sqlite3_open(path, &store->base) == SQLITE_OK &&
                distrust(store->base) && sqlite3_busy_timeout(store->base, 60000) == SQLITE_OK &&
                store_number(store, "SELECT count(*) FROM sqlite_master", 0, &objects);
    if (!done)
        store_fail(store, path, text, size);
    else if (objects == 0)
        done = begin_store(store, identity, version, commit) || store_fail(store, path, text, size);
    else
        done = is_ours(store, path, text, size) &&
               is_same(store, path, identity, version, commit, text, size);
    free(identity);
    return done && (prepare_insert(store) || store_fail(store, path, text, size));
}

bool sweep_store_read(struct sweep_store *store, const char *path, char *text, size_t size) {
    *store = (struct sweep_store){.lock = -1};
    struct stat about;
    int error = stat(path, &about) != 0 || access(path, R_OK) != 0 ? errno : 0;
    if (error == 0 && S_ISDIR(about.st_mode))
        error = EISDIR; /* SQLite would say "disk I/O error" */
    if (error != 0) {
        (void)snprintf(text, size, "the store '%s' cannot be read: %s", path, strerror(error));
        return false;
    }
    if (sqlite3_open_v2(path, &store->base, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
        !distrust(store->base) || sqlite3_busy_timeout(store->base, 60000) != SQLITE_OK)
        return store_fail(store, path, text, size);
    return is_ours(store, path, text, size);
}

void sweep_store_close(struct sweep_store *store) {
    sqlite3_finalize(store->insert);
    sqlite3_close(store->base);
    if (store->lock >= 0) /* after SQLite: closing a file drops its locks */
        (void)close(store->lock);
}

bool sweep_store_done(struct sweep_store *store, bool *done, uint64_t runs, bool retry,
                      uint64_t *failed, char *text, size_t size) {
    sqlite3_stmt *statement = NULL;
    int step = SQLITE_ERROR;
    if (retry && !store_run(store, "DELETE FROM runs WHERE exit_code<>0"))
        return store_fail(store, NULL, text, size);
    *failed = 0;
    if (sqlite3_prepare_v2(store->base, "SELECT run, exit_code FROM runs", -1, &statement, NULL) ==
        SQLITE_OK) {
        while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
            uint64_t run = (uint64_t)sqlite3_column_int64(statement, 0);
            if (run >= runs)
                continue;
            done[run] = true;
            *failed += sqlite3_column_int64(statement, 1) != 0;
        }
    }
    sqlite3_finalize(statement);
    return step == SQLITE_DONE || store_fail(store, NULL, text, size);
}

static int bind_cell(sqlite3_stmt *statement, int at, enum sweep_type type,
                     const struct sweep_cell *cell) {
    if (!cell->set)
        return sqlite3_bind_null(statement, at);
    if (type == SWEEP_TEXT)
        return sqlite3_bind_text(statement, at, cell->text, -1, SQLITE_STATIC);
    return type == SWEEP_INTEGER ? sqlite3_bind_int64(statement, at, cell->integer)
                                 : sqlite3_bind_double(statement, at, cell->real);
}

bool sweep_store_add(struct sweep_store *store, const struct sweep_row *row, char *text,
                     size_t size) {
    size_t count = 0;
    const struct sweep_column *column = sweep_columns(&count);
    bool bound = sqlite3_bind_int64(store->insert, 1, (sqlite3_int64)row->run) == SQLITE_OK;
    for (size_t i = 0; bound && i < count; i++)
        bound = bind_cell(store->insert, (int)i + 2, column[i].type, &row->cell[i]) == SQLITE_OK;
    bool done = bound && sqlite3_step(store->insert) == SQLITE_DONE;
    if (!done)
        store_fail(store, NULL, text, size);
    sqlite3_reset(store->insert);
    return done;
}

/* RFC 4180: quoted where there is a comma, a quote or a line's end. */
static void csv_cell(FILE *out, const char *value) {
    if (!value || !strpbrk(value, ",\"\r\n")) {
        (void)fputs(value ? value : "", out);
        return;
    }
    (void)fputc('"', out);
    for (; *value != '\0'; value++) {
        if (*value == '"')
            (void)fputc('"', out);
        (void)fputc(*value, out);
    }
    (void)fputc('"', out);
}

static bool csv_rows(struct sweep_store *store, FILE *out) {
    sqlite3_stmt *statement = NULL;
    int step = SQLITE_ERROR;
    if (sqlite3_prepare_v2(store->base, "SELECT * FROM runs ORDER BY run", -1, &statement, NULL) ==
        SQLITE_OK) {
        int count = sqlite3_column_count(statement);
        for (int i = 0; i < count; i++)
            (void)fprintf(out, "%s%s", i == 0 ? "" : ",", sqlite3_column_name(statement, i));
        while ((step = sqlite3_step(statement)) == SQLITE_ROW)
            for (int i = 0; i < count; i++) {
                (void)fputc(i == 0 ? '\n' : ',', out);
                csv_cell(out, (const char *)sqlite3_column_text(statement, i));
            }
    }
    sqlite3_finalize(statement);
    return step == SQLITE_DONE;
}

bool sweep_store_csv(struct sweep_store *store, const char *path, char *text, size_t size) {
    char *content = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&content, &length);
    bool rows = out && csv_rows(store, out);
    bool whole = out && fclose(out) == 0;
    if (!whole)
        (void)snprintf(text, size, SWEEP_OUT_OF_MEM);
    else if (!rows)
        store_fail(store, NULL, text, size);
    bool done = whole && rows && vidmm_report_file(path, content, text, size);
    free(content);
    return done;
}
