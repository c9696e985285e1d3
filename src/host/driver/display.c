/* display.c - finds out if a driver returns the display, and at which IRQL it flips; see display.h. */
#include "driver/display.h"

#include "base/world.h"
#include "driver/driver.h"
#include "driver/thunks.h"

#define HAS(query, member)                                                                         \
    ((query)->OutputDataSize >=                                                                    \
     offsetof(DXGK_DRIVERCAPS, member) + sizeof(((DXGK_DRIVERCAPS *)0)->member))

/* The structure of an older interface ends earlier. */
void host_display_learn(const DXGKARG_QUERYADAPTERINFO *query, NTSTATUS status) {
    const DXGK_DRIVERCAPS *caps = query->pOutputData;
    struct host_driver *driver = host_world->driver;
    if (query->Type != DXGKQAITYPE_DRIVERCAPS || status != STATUS_SUCCESS || !HAS(query, FlipCaps))
        return;
    driver->flips_at_device = caps->FlipCaps.FlipOnVSyncMmIo;
    driver->gives_display_back = HAS(query, SupportNonVGA) && caps->SupportNonVGA != FALSE;
    driver->asked = true;
}

bool host_display_given_back(HANDLE adapter) {
    const struct host_driver *driver = host_world->driver;
    DXGK_DRIVERCAPS caps = {.SupportNonVGA = FALSE};
    const DXGKARG_QUERYADAPTERINFO query = {
        .Type = DXGKQAITYPE_DRIVERCAPS, .pOutputData = &caps, .OutputDataSize = sizeof(caps)};
    const DRIVER_INITIALIZATION_DATA *thunks = &host_world->thunks->table; /* which learn */
    if (!driver->asked && thunks->DxgkDdiQueryAdapterInfo)
        (void)thunks->DxgkDdiQueryAdapterInfo(adapter, &query);
    return driver->gives_display_back;
}
