/*
 * slurm.h - the runs of a sweep as job arrays of Slurm, which alone decides where and when they are made.
 */
#ifndef SWEEP_SLURM_H
#define SWEEP_SLURM_H

#include "making.h"

/*
 * Submits the runs that the store does not have and that no job has, and follows until each has a result or no job is
 * left. SIGINT and SIGTERM end the following alone. false: one sentence is in the sweep's text.
 */
bool sweep_slurm(struct sweep *sweep);

#endif
