/*
 * judging.h - a referee for a lab: created before the host, wired into it as its interposer, shown
 * the world once there is one, destroyed when the host is gone.
 */
#ifndef LAB_JUDGING_H
#define LAB_JUDGING_H

#include <vidmm/lab.h>

/* Makes `lab->referee` and points `config` at it; false: out of memory, or there is one already. */
bool lab_judge_begin(struct vidmm_lab *lab, const struct vidmm_lab_judging *judging,
                     struct vidmm_host_config *config);
/* There is a host now: memory, the GPU's view of it and the IRQL can be looked at. */
void lab_judge_see(struct vidmm_lab *lab);
/* The manager has started: what it tells applications is judged. */
void lab_judge_sizes(struct vidmm_lab *lab);
void lab_judge_end(struct vidmm_lab *lab);

#endif
