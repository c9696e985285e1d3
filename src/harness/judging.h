/*
 * judging.h - a referee for a harness: created before the host, wired into it as its interposer,
 * connected to memory and GPU when the host exists, destroyed after the host.
 */
#ifndef HARNESS_JUDGING_H
#define HARNESS_JUDGING_H

#include <vidmm/harness.h>

/* Makes `harness->referee` and points `config` at it; false: out of memory, or there is one already. */
bool harness_judge_begin(struct vidmm_harness *harness, const struct vidmm_harness_judging *judging,
                         struct vidmm_host_config *config);
/* The host exists: gives the referee access to memory, the GPU's view of it and the IRQL. */
void harness_judge_see(struct vidmm_harness *harness);
/* The manager has started: judges the sizes that it reports to applications. */
void harness_judge_sizes(struct vidmm_harness *harness);
/* The manager's operating system, whose GART tells the referee what it is asked to do. */
const struct vidmm_os *harness_judge_os(struct vidmm_harness *harness);
void harness_judge_end(struct vidmm_harness *harness);

#endif
