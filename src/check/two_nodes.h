/*
 * two_nodes.h - one interrupt that tells of two nodes: hardware sets the event of the second one while the processor is
 * not to be interrupted, and the routine that dismisses both has to serve both.
 */
#ifndef VIDMM_CHECK_TWO_NODES_H
#define VIDMM_CHECK_TWO_NODES_H

#include "work.h"

/* Of each two nodes that take work of applications: by hand, and of a driver with GPU virtual addresses over the
 * manager. */
void two_nodes_by_hand(struct raw_submitter *raw);
void two_nodes_managed(struct check *check);

#endif
