/*
 * axes.c - the values of a study's axes, ranges of them, and which of them a run has.
 */
#include "axes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/run.h>

struct vidmm_study *vidmm_study_create(void) {
    struct vidmm_study *study = calloc(1, sizeof(*study));
    if (study)
        study->count = SWEEP_KINDS;
    return study;
}

void sweep_axis_clear(struct sweep_axis *axis) {
    for (size_t i = 0; i < axis->count; i++)
        free(axis->value[i]);
    free(axis->value);
    axis->value = NULL;
    axis->count = 0;
}

void vidmm_study_free(struct vidmm_study *study) {
    for (size_t i = 0; study && i < study->count; i++) {
        sweep_axis_clear(&study->axis[i]);
        free(study->axis[i].setting);
    }
    free(study);
}

static bool axis_push(struct sweep_axis *axis, const char *value, char *text, size_t size) {
    if (axis->count == SWEEP_LIST_MOST) {
        (void)snprintf(text, size, "more than %u values", SWEEP_LIST_MOST);
        return false;
    }
    char **grown = realloc(axis->value, (axis->count + 1) * sizeof(*grown));
    char *copy = strdup(value);
    if (grown)
        axis->value = grown;
    if (!grown || !copy) {
        free(copy);
        (void)snprintf(text, size, SWEEP_OUT_OF_MEM);
        return false;
    }
    axis->value[axis->count++] = copy;
    return true;
}

/* Whole numbers are exact up to here. */
#define RANGE_MOST 9007199254740992.0

/* One end of a range: a number and its unit. */
struct bound {
    double value;
    char unit[8];
};

static bool bound_parse(const char *word, size_t length, struct bound *bound) {
    char copy[40], *end;
    if (length == 0 || length >= sizeof(copy) || strspn(word, "0123456789.") == 0)
        return false;
    memcpy(copy, word, length);
    copy[length] = '\0';
    bound->value = strtod(copy, &end);
    return snprintf(bound->unit, sizeof(bound->unit), "%s", end) < (int)sizeof(bound->unit);
}

/* START..END/STEP; the step is 1 where there is none. */
static bool range_parse(const char *word, struct bound *from, struct bound *to,
                        struct bound *step) {
    const char *dots = strstr(word, ".."), *slash = strchr(word, '/');
    size_t end = slash ? (size_t)(slash - word) : strlen(word);
    if (!dots || (size_t)(dots - word) + 2 >= end ||
        !bound_parse(word, (size_t)(dots - word), from) ||
        !bound_parse(dots + 2, end - (size_t)(dots - word) - 2, to))
        return false;
    *step = (struct bound){.value = 1};
    memcpy(step->unit, to->unit, sizeof(step->unit));
    if (slash && !bound_parse(slash + 1, strlen(slash + 1), step))
        return false;
    if (*from->unit == '\0') /* 10..100% */
        memcpy(from->unit, to->unit, sizeof(from->unit));
    return true;
}

/* Ends of different units, as in 64M..1G/64M, become bytes. */
static bool range_same_unit(struct bound *bound[3]) {
    if (strcmp(bound[0]->unit, bound[1]->unit) == 0 && strcmp(bound[1]->unit, bound[2]->unit) == 0)
        return true;
    for (int i = 0; i < 3; i++) {
        char word[64];
        uint64_t bytes = 0;
        (void)snprintf(word, sizeof(word), "%.6f%s", bound[i]->value, bound[i]->unit);
        if (*bound[i]->unit == '\0' || !vidmm_run_parse_size(word, &bytes))
            return false;
        *bound[i] = (struct bound){.value = (double)bytes};
    }
    return true;
}

/* A number or a size, as --set takes it. */
static bool is_setting(const char *value) {
    uint64_t bytes = 0;
    if (strncmp(value, "0x", 2) == 0 || strncmp(value, "0X", 2) == 0)
        return value[2] != '\0' && strspn(value + 2, "0123456789abcdefABCDEF") == strlen(value + 2);
    return strcmp(value, "0") == 0 || vidmm_run_parse_size(value, &bytes);
}

static bool axis_value(struct sweep_axis *axis, const struct sweep_kind *kind, const char *value,
                       char *text, size_t size) {
    char more[128] = "";
    bool valid = strcmp(value, SWEEP_DEFAULT) == 0 ||
                 (kind ? kind->valid(value, more, sizeof(more)) : is_setting(value));
    if (valid && *value != '\0')
        return axis_push(axis, value, text, size);
    (void)snprintf(text, size, "'%.100s'%s is not %s", value, more,
                   kind ? kind->expected : "a number or a size");
    return false;
}

/* As --set and the others take it: no exponent, and every digit of a whole number. */
static void range_value(double value, const char *unit, char *text, size_t size) {
    bool whole = value >= 1 && value == (double)(uint64_t)value;
    (void)snprintf(text, size, whole ? "%.0f%s" : "%.15g%s", value, unit);
}

static bool axis_range(struct sweep_axis *axis, const struct sweep_kind *kind, const char *word,
                       char *text, size_t size) {
    struct bound from, to, step, *all[3] = {&from, &to, &step};
    if (!range_parse(word, &from, &to, &step) || !range_same_unit(all) || step.value <= 0 ||
        to.value < from.value) {
        (void)snprintf(text, size, "'%.100s' is not a range START..END/STEP with END from START on",
                       word);
        return false;
    }
    if (!(to.value <= RANGE_MOST)) {
        (void)snprintf(text, size, "'%.100s' goes beyond 2^53, where a range ends", word);
        return false;
    }
    double steps = (to.value - from.value) / step.value + 1e-9;
    if (steps >= SWEEP_LIST_MOST) {
        (void)snprintf(text, size, "'%.100s' has more than %u values", word, SWEEP_LIST_MOST);
        return false;
    }
    for (uint32_t i = 0; i <= (uint32_t)steps; i++) {
        char value[64];
        range_value(from.value + i * step.value, from.unit, value, sizeof(value));
        if (!axis_value(axis, kind, value, text, size))
            return false;
    }
    return true;
}

bool sweep_axis_add(struct sweep_axis *axis, const struct sweep_kind *kind, const char *value,
                    char *text, size_t size) {
    if ((!kind || kind->ranges) && strstr(value, ".."))
        return axis_range(axis, kind, value, text, size);
    return axis_value(axis, kind, value, text, size);
}

struct sweep_axis *sweep_axis_setting(struct vidmm_study *study, const char *name) {
    for (size_t i = SWEEP_KINDS; i < study->count; i++)
        if (strcmp(study->axis[i].setting, name) == 0)
            return &study->axis[i];
    char *copy = study->count < SWEEP_AXES_MOST ? strdup(name) : NULL;
    if (!copy)
        return NULL;
    struct sweep_axis *axis = &study->axis[study->count++];
    axis->setting = copy;
    return axis;
}

/* Replaces the values by those of a list with commas. */
static bool axis_list(struct sweep_axis *axis, const struct sweep_kind *kind, const char *list,
                      char *text, size_t size) {
    char *copy = strdup(list), *rest = copy, *word;
    bool done = copy;
    if (!copy)
        (void)snprintf(text, size, SWEEP_OUT_OF_MEM);
    sweep_axis_clear(axis);
    while (done && (word = strsep(&rest, ",")))
        done = sweep_axis_add(axis, kind, word, text, size);
    free(copy);
    return done;
}

bool vidmm_study_set(struct vidmm_study *study, const char *option, const char *list, char *text,
                     size_t size) {
    char why[400];
    for (size_t i = 0; i < SWEEP_KINDS; i++) {
        if (strcmp(sweep_kinds[i].option, option) != 0)
            continue;
        bool done = axis_list(&study->axis[i], &sweep_kinds[i], list, why, sizeof(why));
        if (!done)
            (void)snprintf(text, size, "--%s: %s", option, why);
        return done;
    }
    (void)snprintf(text, size, "a study has no axis '%s'", option);
    return false;
}

bool vidmm_study_setting(struct vidmm_study *study, const char *word, char *text, size_t size) {
    char name[64], why[400];
    size_t length = strcspn(word, "=");
    if (length == 0 || length >= sizeof(name) || word[length] == '\0') {
        (void)snprintf(text, size, "--set '%.100s' is not NAME=VALUE or NAME=VALUE,VALUE", word);
        return false;
    }
    (void)snprintf(name, sizeof(name), "%.*s", (int)length, word);
    struct sweep_axis *axis = sweep_axis_setting(study, name);
    if (!axis) {
        (void)snprintf(text, size, "--set %s: more than %d settings", name,
                       SWEEP_AXES_MOST - SWEEP_KINDS);
        return false;
    }
    bool done = axis_list(axis, NULL, word + length + 1, why, sizeof(why));
    if (!done)
        (void)snprintf(text, size, "--set %s: %s", name, why);
    return done;
}

uint64_t vidmm_study_runs(const struct vidmm_study *study) {
    uint64_t runs = 1;
    for (size_t i = 0; i < study->count && runs <= SWEEP_RUNS_MOST; i++)
        runs *= study->axis[i].count ? study->axis[i].count : 1; /* below 2^41 */
    return runs;
}

const char *sweep_value(const struct vidmm_study *study, size_t axis, uint64_t run) {
    for (size_t i = study->count - 1; i > axis; i--)
        run /= study->axis[i].count ? study->axis[i].count : 1;
    const struct sweep_axis *of = &study->axis[axis];
    const char *value = of->count ? of->value[run % of->count] : SWEEP_DEFAULT;
    return strcmp(value, SWEEP_DEFAULT) == 0 ? NULL : value;
}
