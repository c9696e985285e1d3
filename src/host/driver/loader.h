/*
 * loader.h - drivers and hardware models from files: shared objects, and for drivers images (.sys).
 */
#ifndef HOST_LOADER_H
#define HOST_LOADER_H

#include <stdbool.h>

#include <vidmm/host.h>
#include <vidmm/hwmodel.h>

struct host_image;

/* What a driver or a hardware model came from; both pointers NULL: nothing. */
struct host_module {
    void *shared;                /* dlopen's */
    struct host_image *image;    /* or an image */
    struct vidmm_hw_model model; /* of a hardware model */
};

/* Loads the driver and finds its DriverEntry. false: `error` has a sentence, nothing is left. */
bool host_load(const char *path, struct host_module *module, DRIVER_INITIALIZE **entry,
               struct vidmm_host_error *error);
/* DriverEntry returned: what an image needs no longer is gone. */
void host_load_entered(const struct host_module *module);
/* No code of it runs any more. */
void host_unload(struct host_module *module);
/* A hardware model's VIDMM_HARDWARE_SYMBOL, from a shared object; `*model` is the module's. */
bool host_load_model(const char *path, struct host_module *module,
                     const struct vidmm_hw_model **model, struct vidmm_host_error *error);
/* The same, again, with variables of its own. False: `*model` is as it was. */
bool host_load_model_copy(const char *path, struct host_module *module,
                          const struct vidmm_hw_model **model, struct vidmm_host_error *error);

#endif
