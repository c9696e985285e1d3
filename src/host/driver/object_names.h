/* object_names.h - object directories, which end with the driver; see object_names.c. */
#ifndef HOST_OBJECT_NAMES_H
#define HOST_OBJECT_NAMES_H

#include <stdint.h>

/* Returns how many handles were open. */
uint32_t host_directories_forget(void);

#endif
