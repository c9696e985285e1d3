/*
 * loader.c - dlopen of a driver or a hardware model. The program itself exports the ntoskrnl and
 * dxgkrnl names for a driver.
 */
#include "driver/loader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Opens `path` and finds `name` in it; `what` the file is, `hint` how the name gets into it. */
static void *loader_load(const char *path, const char *name, const char *what, const char *hint,
                         void **module, struct vidmm_host_error *error) {
    /* A path without a slash would make dlopen search the library path. */
    char local[4096];
    snprintf(local, sizeof(local), "%s%s", strchr(path, '/') ? "" : "./", path);
    *module = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (!*module) {
        snprintf(error->text, sizeof(error->text), "the %s '%s' could not be loaded: %s", what,
                 path, dlerror());
        return NULL;
    }
    void *symbol = dlsym(*module, name);
    if (!symbol) {
        snprintf(error->text, sizeof(error->text), "the %s '%s' has no %s: %s", what, path, name,
                 hint);
        dlclose(*module);
        *module = NULL;
    }
    return symbol;
}

bool host_load(const char *path, void **module, DRIVER_INITIALIZE **entry,
               struct vidmm_host_error *error) {
    void *symbol = loader_load(path, "DriverEntry", "driver",
                               "export it with C linkage and default visibility", module, error);
    memcpy(entry, &symbol, sizeof(*entry));
    return symbol;
}

bool host_load_model(const char *path, void **module, const struct vidmm_hw_model **model,
                     struct vidmm_host_error *error) {
    *model = loader_load(path, VIDMM_HARDWARE_SYMBOL, "hardware model",
                         "define a struct vidmm_hw_model of that name with C linkage and default "
                         "visibility",
                         module, error);
    return *model;
}

void host_unload(void *module) {
    if (module)
        dlclose(module);
}
