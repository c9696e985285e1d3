/*
 * fuzz.h - fuzzes a driver with what user mode controls: private data, commands, patch locations,
 * escapes, and the order of requests. libFuzzer searches by the driver's own coverage; the referee, the
 * host and sanitizers judge.
 *
 * An input is a sequence of calls (src/fuzz/input.h). Each is played from a fresh start of the driver,
 * so that it does the same whenever it is played.
 */
#ifndef VIDMM_FUZZ_H
#define VIDMM_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vidmm/check.h>
#include <vidmm/manager.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VIDMM_FUZZ_JOBS     64u
#define VIDMM_FUZZ_FINDINGS 64u

struct vidmm_fuzz_options {
    const char *driver_path; /* NULL: the reference driver, which has no coverage */
    const char *model_path;  /* as struct vidmm_check_options */
    const struct vidmm_hw_model *device;
    const struct vidmm_host_setting *settings;
    uint32_t setting_count;
    uint32_t named_settings; /* of run.h: one that nobody asks for is BAD_INPUT */
    uint32_t ddi_version, linked;
    enum vidmm_model model;
    uint64_t seed;
    uint32_t timeout_ms; /* of a call of the driver; 0: 10000 */
    uint32_t seconds;    /* 0: 60 */
    uint32_t jobs;       /* processes that search; 0: 1 */
    bool stop_at_first;  /* finding */
    const char *corpus;  /* directory, made if it is not there; NULL: none is kept */
    const char *output;  /* directory of the inputs of findings; NULL: the current one */
    FILE *log;           /* DbgPrint of the driver and every DDI call, of a replay; NULL: nowhere */
    void (*tell)(void *ctx, const char *sentence); /* progress; NULL: never called */
    void *ctx;
};

/* The values are the command's exit codes. */
enum vidmm_fuzz_status {
    VIDMM_FUZZ_NOTHING = 0,       /* found */
    VIDMM_FUZZ_FOUND = 1,         /* a broken rule, a crash, a hang, a leak */
    VIDMM_FUZZ_BAD_INPUT = 2,     /* files and directories, a missing tool */
    VIDMM_FUZZ_DRIVER_FAILED = 3, /* it does not start */
};

struct vidmm_fuzz_found {
    char identity[VIDMM_IDENTITY];
    struct vidmm_finding finding;
    char file[512]; /* the minimised input */
    uint32_t calls; /* in it */
    uint32_t ms;    /* from the begin of the search, at most UINT32_MAX */
    bool unsteady;  /* seen in the search, and not again from a fresh process */
};

struct vidmm_fuzz_result {
    enum vidmm_fuzz_status status;
    char text[512]; /* one sentence when BAD_INPUT or DRIVER_FAILED */
    uint64_t executions;
    uint32_t ms;
    uint32_t edges, edges_all; /* of the driver, covered and there; all 0: it has no coverage */
    uint32_t inputs;           /* in the corpus */
    bool sanitized;            /* the run time of an address sanitizer is in the process */
    uint32_t found_count;
    struct vidmm_fuzz_found found[VIDMM_FUZZ_FINDINGS];
};

/* Searches for options->seconds. A crash of the driver does not end the caller. */
void vidmm_fuzz(const struct vidmm_fuzz_options *options, struct vidmm_fuzz_result *result);

/* Plays one input from a fresh start and prints its calls in words to `out`; result->found has what was
 * found. */
void vidmm_fuzz_replay(const struct vidmm_fuzz_options *options, const char *file, FILE *out,
                       struct vidmm_fuzz_result *result);

/*
 * Whether the driver was built with an address sanitizer whose run time is not in this process. true:
 * `runtime` gets its path; start the program again with that in LD_PRELOAD. An empty `runtime`: it was
 * not found.
 */
bool vidmm_fuzz_wants_preload(const char *driver_path, char *runtime, size_t size);

#ifdef __cplusplus
}
#endif

#endif
