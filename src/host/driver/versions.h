/* versions.h - the interface versions and the size of a driver's table in each. */
#ifndef HOST_VERSIONS_H
#define HOST_VERSIONS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of DRIVER_INITIALIZATION_DATA that a driver of this version has; 0: no such version. */
size_t host_table_size(uint32_t version);

#endif
