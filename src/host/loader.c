/* loader.c - dlopen of a driver; its ntoskrnl and dxgkrnl names come from the program itself. */
#include "loader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool host_load(const char *path, void **module, DRIVER_INITIALIZE **entry,
               struct vidmm_host_error *error) {
    /* Without a slash dlopen would search the library path: a driver is named as a file is. */
    char local[4096];
    snprintf(local, sizeof(local), "%s%s", strchr(path, '/') != NULL ? "" : "./", path);
    *module = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (*module == NULL) {
        snprintf(error->text, sizeof(error->text), "the driver '%s' could not be loaded: %s", path,
                 dlerror());
        return false;
    }
    void *symbol = dlsym(*module, "DriverEntry");
    if (symbol == NULL) {
        snprintf(error->text, sizeof(error->text),
                 "the driver '%s' has no DriverEntry: export it with C linkage and default "
                 "visibility",
                 path);
        dlclose(*module);
        *module = NULL;
        return false;
    }
    memcpy(entry, &symbol, sizeof(*entry));
    return true;
}

void host_unload(void *module) {
    if (module != NULL)
        dlclose(module);
}
