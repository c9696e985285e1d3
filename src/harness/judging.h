/*
 * judging.h - a referee for a harness: created before the host, wired into it as its interposer,
 * shown the world once there is one, destroyed when the host is gone.
 */
#ifndef HARNESS_JUDGING_H
#define HARNESS_JUDGING_H

#include <vidmm/harness.h>

/* Makes `harness->referee` and points `config` at it; false: out of memory, or there is one already. */
bool harness_judge_begin(struct vidmm_harness *harness, const struct vidmm_harness_judging *judging,
                         struct vidmm_host_config *config);
/* There is a host now: memory, the GPU's view of it and the IRQL can be looked at. */
void harness_judge_see(struct vidmm_harness *harness);
/* The manager has started: what it tells applications is judged. */
void harness_judge_sizes(struct vidmm_harness *harness);
/* The manager's operating system, whose GART tells the referee what it is asked to do. */
const struct vidmm_os *harness_judge_os(struct vidmm_harness *harness);
void harness_judge_end(struct vidmm_harness *harness);

#endif
