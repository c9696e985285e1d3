/*
 * privileged.h - instructions that only a kernel may run: control registers, interrupts on and off,
 * model-specific registers, ports; and those by which a compiler ends the system.
 */
#ifndef HOST_PRIVILEGED_H
#define HOST_PRIVILEGED_H

#include "trap/instruction.h"

/* It is __fastfail, by which shared objects end, too. */
bool privileged_ends(const struct instruction *at);
/* Does the instruction. False: it is another one, or none that can be done here. */
bool privileged_do(struct instruction *at);

#endif
