/*
 * row.c - one run as a row: its options, how it ended, and the figures of its report.
 */
#include "row.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const struct sweep_column columns[SWEEP_COLUMNS] = {
    {"workload", SWEEP_TEXT, NULL, NULL}, /* the first SWEEP_KINDS are the axes */
    {"vram", SWEEP_TEXT, NULL, NULL},
    {"policy", SWEEP_TEXT, NULL, NULL},
    {"model", SWEEP_TEXT, NULL, NULL},
    {"driver", SWEEP_TEXT, NULL, NULL},
    {"hardware", SWEEP_TEXT, NULL, NULL},
    {"ddi", SWEEP_TEXT, NULL, NULL},
    {"linked", SWEEP_TEXT, NULL, NULL},
    {"frames", SWEEP_TEXT, NULL, NULL},
    {"bytes", SWEEP_TEXT, NULL, NULL},
    {"seed", SWEEP_TEXT, NULL, NULL},
    {"settings", SWEEP_TEXT, NULL, NULL},
    {"command", SWEEP_TEXT, NULL, NULL},
    {"vidmm_version", SWEEP_TEXT, NULL, NULL},
    {"vidmm_commit", SWEEP_TEXT, NULL, NULL},
    {"exit_code", SWEEP_INTEGER, NULL, NULL},
    {"sentence", SWEEP_TEXT, NULL, NULL},
    {"driver_name", SWEEP_TEXT, NULL, "driver"},
    {"interface_version", SWEEP_INTEGER, NULL, "interface_version"},
    {"policy_name", SWEEP_TEXT, NULL, "policy"},
    {"memory_model", SWEEP_TEXT, NULL, "model"},
    {"calls", SWEEP_INTEGER, NULL, "calls"},
    {"calls_hash", SWEEP_TEXT, NULL, "calls_hash"},
    {"vram_bytes", SWEEP_INTEGER, NULL, "vram_bytes"},
    {"peak_live_bytes", SWEEP_INTEGER, NULL, "peak_live_bytes"},
    {"frames_played", SWEEP_INTEGER, NULL, "frames"},
    {"submissions", SWEEP_INTEGER, NULL, "submissions"},
    {"verified_bytes", SWEEP_INTEGER, NULL, "verified_bytes"},
    {"page_ins", SWEEP_INTEGER, NULL, "page_ins"},
    {"evictions", SWEEP_INTEGER, NULL, "evictions"},
    {"paged_in_bytes", SWEEP_INTEGER, NULL, "paged_in_bytes"},
    {"paged_out_bytes", SWEEP_INTEGER, NULL, "paged_out_bytes"},
    {"remote_bytes", SWEEP_INTEGER, NULL, "remote_bytes"},
    {"paging_buffers", SWEEP_INTEGER, NULL, "paging_buffers"},
    {"resets", SWEEP_INTEGER, NULL, "resets"},
    {"virtual_ns", SWEEP_INTEGER, NULL, "virtual_ns"},
    {"bound_bytes", SWEEP_INTEGER, "bound", "bytes"},
    {"bound_whole_bytes", SWEEP_INTEGER, "bound", "whole_bytes"},
    {"moved_bytes", SWEEP_INTEGER, "bound", "moved_bytes"},
    {"over_bound", SWEEP_REAL, "bound", "ratio"},
};

const struct sweep_column *sweep_columns(size_t *count) {
    *count = SWEEP_COLUMNS;
    return columns;
}

size_t sweep_column(const char *name) {
    size_t i = 0;
    while (i + 1 < SWEEP_COLUMNS && strcmp(columns[i].name, name) != 0)
        i++;
    return i;
}

static bool put_text(struct sweep_row *row, const char *name, const char *value) {
    struct sweep_cell *cell = &row->cell[sweep_column(name)];
    free(cell->text);
    cell->text = strdup(value);
    cell->set = cell->text;
    return cell->set;
}

static bool add_word(char **words, size_t *count, const char *prefix, const char *value) {
    size_t size = strlen(prefix) + strlen(value) + 1;
    words[*count] = malloc(size);
    if (!words[*count])
        return false;
    (void)snprintf(words[(*count)++], size, "%s%s", prefix, value);
    return true;
}

char **sweep_words(const struct vidmm_study *study, uint64_t run) {
    char **words = calloc(2 * study->count + 4, sizeof(*words)), prefix[80];
    size_t count = 0;
    bool done = words && add_word(words, &count, "", "run");
    for (size_t i = 1; done && i < study->count; i++) {
        const char *value = sweep_value(study, i, run), *setting = study->axis[i].setting;
        (void)snprintf(prefix, sizeof(prefix), "%s%s", setting ? setting : "", setting ? "=" : "");
        if (value)
            done = add_word(words, &count, "--", setting ? "set" : sweep_kinds[i].option) &&
                   add_word(words, &count, prefix, value);
    }
    const char *workload = sweep_value(study, 0, run);
    if (done && workload)
        done = add_word(words, &count, "", "--") && add_word(words, &count, "", workload);
    if (done)
        return words;
    sweep_words_free(words);
    return NULL;
}

void sweep_words_free(char **words) {
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

/* For a shell: quoted where it needs that. */
static void write_word(FILE *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./%=:,+@";
    if (*word != '\0' && strspn(word, plain) == strlen(word)) {
        (void)fputs(word, out);
        return;
    }
    (void)fputc('\'', out);
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            (void)fputs("'\\''", out);
        else
            (void)fputc(*word, out);
    }
    (void)fputc('\'', out);
}

/* The command that makes the run again, or its settings alone. */
static bool put_words(struct sweep_row *row, const char *name, char **words, bool settings) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return false;
    if (!settings)
        (void)fputs("vidmm", out);
    for (; *words; words++) {
        if (settings && strcmp(*words, "--set") != 0)
            continue;
        words += settings;
        if (!settings || ftell(out) > 0)
            (void)fputc(' ', out);
        write_word(out, *words);
    }
    bool done = fclose(out) == 0 && put_text(row, name, text);
    free(text);
    return done;
}

bool sweep_row_begin(struct sweep_row *row, const struct vidmm_study *study, uint64_t run,
                     const char *version, const char *commit) {
    *row = (struct sweep_row){.run = run};
    char **words = sweep_words(study, run);
    bool done = words && put_words(row, "command", words, false) &&
                put_words(row, "settings", words, true) &&
                put_text(row, "vidmm_version", version) && put_text(row, "vidmm_commit", commit);
    for (size_t i = 0; done && i < SWEEP_KINDS; i++) {
        const char *value = sweep_value(study, i, run);
        done = put_text(row, columns[i].name, value ? value : SWEEP_DEFAULT);
    }
    sweep_words_free(words);
    if (!done)
        sweep_row_free(row);
    return done;
}

void sweep_row_free(struct sweep_row *row) {
    for (size_t i = 0; i < SWEEP_COLUMNS; i++)
        free(row->cell[i].text);
    *row = (struct sweep_row){0};
}

static void put_figure(struct sweep_row *row, size_t index, const json_t *root) {
    const struct sweep_column *column = &columns[index];
    const json_t *of = column->within ? json_object_get(root, column->within) : root;
    const json_t *value = column->member ? json_object_get(of, column->member) : NULL;
    struct sweep_cell *cell = &row->cell[index];
    if (column->type == SWEEP_TEXT && json_is_string(value)) {
        (void)put_text(row, column->name, json_string_value(value));
    } else if (column->type != SWEEP_TEXT && json_is_number(value)) {
        cell->set = true;
        cell->integer = json_is_integer(value) ? json_integer_value(value) : 0;
        cell->real = json_number_value(value);
    }
}

/* The first sentence of standard error, without the program's name. */
static void put_said(struct sweep_row *row, const char *said) {
    char line[512];
    const char *at = strstr(said, "vidmm: ");
    at = at ? at + strlen("vidmm: ") : said;
    (void)snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
    (void)put_text(row, "sentence", line);
}

void sweep_row_end(struct sweep_row *row, int status, const char *report, const char *said) {
    json_t *root = report ? json_loads(report, 0, NULL) : NULL;
    struct sweep_cell *code = &row->cell[sweep_column("exit_code")];
    char line[64];
    for (size_t i = 0; root && i < SWEEP_COLUMNS; i++)
        put_figure(row, i, root);
    code->set = true;
    code->integer = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (code->integer == 0 && !root)
        code->integer = -1;
    const char *text = json_string_value(json_object_get(root, "text"));
    if (text && *text != '\0') {
        (void)put_text(row, "sentence", text);
    } else if (WIFSIGNALED(status)) {
        (void)snprintf(line, sizeof(line), "signal %d ended the run (%s)", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
        (void)put_text(row, "sentence", line);
    } else if (code->integer != 0) {
        put_said(row, *said != '\0' ? said : "the run ended without a report");
    } else {
        (void)put_text(row, "sentence", "");
    }
    json_decref(root);
}

bool sweep_row_failed(const struct sweep_row *row) {
    return row->cell[sweep_column("exit_code")].integer != 0;
}
