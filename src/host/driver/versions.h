/* versions.h - which interface versions there are, and how much of a driver's table each has. */
#ifndef HOST_VERSIONS_H
#define HOST_VERSIONS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of DRIVER_INITIALIZATION_DATA that a driver of this version has; 0: no such version. */
size_t host_table_size(uint32_t version);

#endif
