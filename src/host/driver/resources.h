/* resources.h - the translated resources of a device: its BARs and its interrupt. */
#ifndef HOST_RESOURCES_H
#define HOST_RESOURCES_H

#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>

/* Of the device with hardware `board`. */
PCM_RESOURCE_LIST host_resources(uint32_t board);

#endif
