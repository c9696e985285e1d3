/*
 * irql.h - raising and lowering the interrupt request level of the calling thread (base/thread.h).
 *
 * Interrupts and DPCs that wait for a lower level run on the thread that comes down to it.
 */
#ifndef HOST_IRQL_H
#define HOST_IRQL_H

#include "base/thread.h"

/* Sets a higher level, or the same; returns the old one. */
KIRQL host_irql_raise(KIRQL level);
/* Comes down to `level` after running what had waited for it. */
void host_irql_lower(KIRQL level);

#endif
