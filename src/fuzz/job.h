/*
 * job.h - a process that searches: it runs libFuzzer over one input after the other in a process of
 * the driver, and begins anew when that one has ended.
 */
#ifndef FUZZ_JOB_H
#define FUZZ_JOB_H

#include <sys/types.h>

#include <vidmm/stop.h>

#include "judge.h"

#define FUZZ_ENDED 256u

/* Of one job, in memory that it shares with the campaign. */
struct fuzz_shared {
    uint64_t executions;
    uint32_t ended; /* inputs that ended the driver's process; of the last FUZZ_ENDED of them ... */
    uint64_t
        ended_as[FUZZ_ENDED]; /* ... a number each, by which the next process leaves them out */
    uint32_t found;           /* inputs that were written as fuzz_job_file says */
    struct fuzz_bytes now;    /* the input that is played */
};

struct fuzz_job {
    const struct vidmm_fuzz_options *options;
    const char *work;   /* directory */
    const char *corpus; /* directory */
    uint32_t number;
    uint64_t end_ms; /* CLOCK_MONOTONIC */
    struct fuzz_shared *shared;
    /* The campaign's, which its jobs do without. */
    const struct vidmm_stop *stop;
};

/* The index-th input of a job that found something, in the campaign's directory. */
void fuzz_job_file(const struct fuzz_job *job, uint32_t index, char *path, size_t size);
/* Forks the process; -1: that is not possible. */
pid_t fuzz_job_start(const struct fuzz_job *job);
/* Plays the inputs of the corpus once; what libFuzzer says of coverage goes to the file `log`. */
void fuzz_job_measure(const struct fuzz_job *job, const char *log);

#endif
