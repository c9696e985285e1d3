/*
 * places.h - where in the driver something happened: offsets in its file, of the code that the
 * calling thread runs, of a function of its table, or of an interrupted instruction.
 *
 * The program's own frames are walked by the compiler's unwinder, those of an image by .pdata. What
 * an offset is called, its symbols say (src/check/symbols.c).
 */
#ifndef HOST_PLACES_H
#define HOST_PLACES_H

#include <vidmm/host.h>

/* What the driver left behind was allocated by the call that returns to `caller`: the place of
 * findings when there is no host any more. 0: nothing is known. */
void host_place_leak(uint64_t caller);
/* Of the driver file; false: the address is not in it. */
bool host_place_of(uint64_t address, uint64_t *offset);

#endif
