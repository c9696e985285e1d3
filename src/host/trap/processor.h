/*
 * processor.h - the processor's block behind gs, which compilers and headers read directly: the
 * current thread at 188h, the processor's number at 184h.
 *
 * A thread gets its block when an image first reads from it: until then gs begins at 0, where there
 * is no memory.
 */
#ifndef HOST_PROCESSOR_H
#define HOST_PROCESSOR_H

#include "trap/instruction.h"

/* The instruction reads by gs, and the thread had no block: it has now, and may try again. */
bool processor_give(const struct instruction *at);

#endif
