/*
 * sections.h - faults in sections of a driver image that are out of reach: of discarded ones, and of
 * those that may be paged out, at raised IRQL.
 */
#ifndef HOST_SECTIONS_H
#define HOST_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Says what is broken, if the section of `address` is why the instruction at `rip` faulted. True:
 * it is there now, and the instruction can go on. */
bool sections_fault(uint64_t address, uint64_t rip);

#endif
