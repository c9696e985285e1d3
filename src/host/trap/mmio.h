/*
 * mmio.h - registers in BARs, reached by plain loads and stores instead of READ_REGISTER_* and
 * WRITE_REGISTER_*: a volatile pointer that MmMapIoSpace gave.
 */
#ifndef HOST_MMIO_H
#define HOST_MMIO_H

#include "trap/instruction.h"

/* The address is in a BAR of registers. */
bool mmio_has(uint64_t address);
/*
 * Does the instruction, which reads or writes `address`, with the hardware model; or sends it to
 * mmio_finish by way of a copy whose operand is a buffer. False: it cannot be done.
 */
bool mmio_do(struct instruction *at, uint64_t address);
/* A break point: true when it ended such a copy, and execution goes on behind the original. */
bool mmio_finish(ucontext_t *user);

#endif
