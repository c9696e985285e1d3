/* loader.h - drivers built as shared objects. */
#ifndef HOST_LOADER_H
#define HOST_LOADER_H

#include <stdbool.h>

#include <vidmm/host.h>

/* Opens `path` and finds its DriverEntry. false: `error` has a sentence, nothing is open. */
bool host_load(const char *path, void **module, DRIVER_INITIALIZE **entry,
               struct vidmm_host_error *error);
void host_unload(void *module);

#endif
