/*
 * life.h - one life of the driver, in this process: it starts, user mode works with it, it stops.
 */
#ifndef FUZZ_LIFE_H
#define FUZZ_LIFE_H

#include <vidmm/fuzz.h>
#include <vidmm/harness.h>

#define LIFE_SETTINGS 80u

struct fuzz_life {
    const struct vidmm_fuzz_options *options;
    struct vidmm_ledger *ledger;
    struct vidmm_harness harness;
    struct vidmm_host_setting settings[LIFE_SETTINGS];
    enum vidmm_fuzz_status status;
    char text[512]; /* why it did not start */
};

/* Once in a process, before the first life: loads what stays loaded. */
void fuzz_life_prepare(const struct vidmm_fuzz_options *options);
/* false: life->text says why the driver did not start, or which setting nobody asked for, and life->status is not
 * VIDMM_FUZZ_NOTHING. */
bool fuzz_life_open(struct fuzz_life *life, const struct vidmm_fuzz_options *options,
                    struct vidmm_ledger *ledger);
/* What the manager answered: a finding, if the driver broke a rule or lost the GPU. true: VIDMM_OK. */
bool fuzz_life_good(struct fuzz_life *life, enum vidmm_status status);
/* Leaks become findings. */
void fuzz_life_close(struct fuzz_life *life);

#endif
