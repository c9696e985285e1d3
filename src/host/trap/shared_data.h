/*
 * shared_data.h - KUSER_SHARED_DATA at 0xFFFFF78000000000: the page in which Windows shows every
 * driver time and version. Page: ns-ntddk-kuser_shared_data.md.
 */
#ifndef HOST_SHARED_DATA_H
#define HOST_SHARED_DATA_H

#include "trap/instruction.h"

bool shared_data_has(uint64_t address);
/* Does a load from it. False: it is no load, or none of a general register. */
bool shared_data_do(struct instruction *at, uint64_t address);

#endif
