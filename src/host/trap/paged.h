/*
 * paged.h - faults in paged pool that is out of reach because of the IRQL (memory/paged_pool.h).
 */
#ifndef HOST_TRAP_PAGED_H
#define HOST_TRAP_PAGED_H

#include <stdbool.h>
#include <stdint.h>

/* Says what the driver touched; true: it is there now, and the instruction can go on. */
bool paged_fault(uint64_t address, bool writes);

#endif
