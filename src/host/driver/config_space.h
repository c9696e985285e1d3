/* config_space.h - a driver's accesses to the configuration space of its device. */
#ifndef HOST_CONFIG_SPACE_H
#define HOST_CONFIG_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/device.h"

/* `length` bytes at `offset`, which are in it, from or to `buffer`. */
void host_config_access(struct host_device *device, void *buffer, uint32_t offset, uint32_t length,
                        bool write);

#endif
