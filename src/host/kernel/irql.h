/*
 * irql.h - raises and lowers the interrupt request level of the calling thread (base/thread.h).
 *
 * Interrupts and DPCs that wait for a lower level run on the thread that lowers its level.
 */
#ifndef HOST_IRQL_H
#define HOST_IRQL_H

#include "base/thread.h"

/* Sets the level and nothing else: no interrupt or DPC runs. */
void host_irql_set(KIRQL level);
/* Of a call with Wait, which returns at a raised IRQL (nf-wdm-kesetevent.md), and of the wait that follows it, which
 * brings back the IRQL from before that call. */
void host_irql_hold(void);
void host_irql_release(void);
/* Sets a higher level, or the same; returns the old one. */
KIRQL host_irql_raise(KIRQL level);
/* Lowers to `level` after running interrupts and DPCs that waited for it. */
void host_irql_lower(KIRQL level);

#endif
