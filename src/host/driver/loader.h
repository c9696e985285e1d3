/* loader.h - drivers and hardware models built as shared objects. */
#ifndef HOST_LOADER_H
#define HOST_LOADER_H

#include <stdbool.h>

#include <vidmm/host.h>

/* Opens `path` and finds its DriverEntry. false: `error` has a sentence, nothing is open. */
bool host_load(const char *path, void **module, DRIVER_INITIALIZE **entry,
               struct vidmm_host_error *error);
/* The same for a hardware model's VIDMM_HARDWARE_SYMBOL. */
bool host_load_model(const char *path, void **module, const struct vidmm_hw_model **model,
                     struct vidmm_host_error *error);
void host_unload(void *module);

#endif
