/*
 * needed.h - the DDI functions that the manager cannot do without.
 */
#ifndef VIDMM_MANAGER_NEEDED_H
#define VIDMM_MANAGER_NEEDED_H

#include <vidmm/manager.h>

/* A function that the manager calls, and whether the driver has it. */
struct needed_function {
    const char *name;
    bool there;
};
/* VIDMM_DRIVER_BROKE_RULE with an error that names all that are missing. */
enum vidmm_status adapter_needs(struct vidmm_adapter *adapter, const struct needed_function *needed,
                                size_t count, const char *expected, const char *page);

#endif
