/* resources.h - the translated resources of the adapter: its BARs and its interrupt. */
#ifndef HOST_RESOURCES_H
#define HOST_RESOURCES_H

#include <ntddk.h>
#include <dispmprt.h>

PCM_RESOURCE_LIST host_resources(void);

#endif
