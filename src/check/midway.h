/*
 * midway.h - preemptions in the middle of a DMA buffer (gpu-preemption.md): one that counts what it does before and
 * behind a while in which it does nothing (VIDMM_UMD_SPIN, VIDMM_UMD_CHECK of vidmm/umd.h), alone and with the buffer
 * of another context that is stopped in the same way. An engine that is stopped between buffers alone runs each to its
 * end, which is as right. Nothing is done where the driver does not understand both.
 */
#ifndef VIDMM_CHECK_MIDWAY_H
#define VIDMM_CHECK_MIDWAY_H

#include "raw.h"

/* In contexts of each node over the manager of a driver with GPU virtual addresses; by hand. False: the run ends. */
bool midway_managed(struct check *check);
void midway_by_hand(struct raw_submitter *raw);

/* R645: a buffer whose commands check `expected` bytes in all checked `found`. */
void midway_judge(struct check *check, uint32_t node, uint64_t found, uint64_t expected);
/* The same of one that was carried out alone, and faults when it goes on. */
void midway_judge_fault(struct check *check, uint32_t node);

/* Of the time that a buffer takes, which is stopped in the middle. */
#define MIDWAY_STEPS 1000u
/* Commands before that, of two contexts. */
#define MIDWAY_CHECKS(context) (1u + 2u * (context))

#endif
