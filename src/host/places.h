/*
 * places.h - where in the driver something happened: offsets in its file, of the code that the
 * calling thread runs, of a function of its table, or of an interrupted instruction.
 *
 * The program's own frames are walked by the compiler's unwinder, and with its registers those of an
 * image by .pdata. What an offset is called, its symbols say (src/check/symbols.c).
 */
#ifndef HOST_PLACES_H
#define HOST_PLACES_H

#include <vidmm/host.h>

/* The code of the driver that the calling thread runs, innermost first; how many of at most `most`. */
uint32_t host_place_stack(uint64_t *frame, uint32_t most);
/* Of the driver file; false: the address is not in it. */
bool host_place_of(uint64_t address, uint64_t *offset);
/* The address of the driver's own function "DxgkDdiPatch" of its table, whatever follows the name after "(" or ":"; or 0. */
uint64_t host_place_function(const char *call);

#endif
