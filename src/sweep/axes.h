/*
 * axes.h - the axes of a study and the values on them.
 */
#ifndef SWEEP_AXES_H
#define SWEEP_AXES_H

#include <vidmm/sweep.h>

#define SWEEP_KINDS      11
#define SWEEP_AXES_MOST  (SWEEP_KINDS + 64)
#define SWEEP_LIST_MOST  100000u
#define SWEEP_RUNS_MOST  1000000u
#define SWEEP_DEFAULT    "default" /* a value: the option is left out */
#define SWEEP_OUT_OF_MEM "out of memory"

/* What is known of an axis before a study gives it values. */
struct sweep_kind {
    const char *option; /* of vidmm run; "workload" is its word */
    const char *member; /* of a study file */
    bool ranges;        /* 10%..100%/5% stands for many values */
    const char *expected;
    bool (*valid)(const char *value, char *text,
                  size_t size); /* or `text` says more, or is empty */
};
extern const struct sweep_kind sweep_kinds[SWEEP_KINDS];

struct sweep_axis {
    char *setting; /* its name; NULL: one of sweep_kinds */
    char **value;
    size_t count; /* 0: the default alone */
};

/* The first SWEEP_KINDS axes are sweep_kinds, the others settings; the last one changes fastest. */
struct vidmm_study {
    struct sweep_axis axis[SWEEP_AXES_MOST];
    size_t count;
};

void sweep_axis_clear(struct sweep_axis *axis);
/* Adds a value, or those of a range. `kind` NULL: of a setting. On failure `text` says what was expected. */
bool sweep_axis_add(struct sweep_axis *axis, const struct sweep_kind *kind, const char *value,
                    char *text, size_t size);
/* The axis of a setting, which is made if it is new, without values; NULL: there are too many. */
struct sweep_axis *sweep_axis_setting(struct vidmm_study *study, const char *name);
/* Its value in a run; NULL: the default. */
const char *sweep_value(const struct vidmm_study *study, size_t axis, uint64_t run);
/* The whole study as one line of JSON, the contents of the files it names as hashes; NULL: no memory. */
char *sweep_identity(const struct vidmm_study *study);

#endif
