/* display.c - finds out if a driver returns the display, and at which IRQL it flips; see display.h. */
#include "driver/display.h"

#include "base/world.h"
#include "driver/driver.h"
#include "driver/thunks.h"

void host_display_learn(const DXGKARG_QUERYADAPTERINFO *query, NTSTATUS status) {
    const DXGK_DRIVERCAPS *caps = query->pOutputData;
    if (query->Type == DXGKQAITYPE_DRIVERCAPS && status == STATUS_SUCCESS &&
        query->OutputDataSize >= offsetof(DXGK_DRIVERCAPS, SupportNonVGA) + sizeof(BOOLEAN)) {
        host_world->driver->gives_display_back = caps->SupportNonVGA != FALSE;
        host_world->driver->flips_at_device = caps->FlipCaps.FlipOnVSyncMmIo;
        host_world->driver->asked = true;
    }
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
