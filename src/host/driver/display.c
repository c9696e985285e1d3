/* display.c - finds out if a driver returns the display; see display.h. */
#include "driver/display.h"

#include "base/world.h"
#include "driver/device.h"

void host_display_learn(const DXGKARG_QUERYADAPTERINFO *query, NTSTATUS status) {
    const DXGK_DRIVERCAPS *caps = query->pOutputData;
    if (query->Type == DXGKQAITYPE_DRIVERCAPS && status == STATUS_SUCCESS &&
        query->OutputDataSize >= offsetof(DXGK_DRIVERCAPS, SupportNonVGA) + sizeof(BOOLEAN)) {
        host_world->device->gives_display_back = caps->SupportNonVGA != FALSE;
        host_world->device->asked = true;
    }
}

bool host_display_given_back(struct host_device *device) {
    DXGK_DRIVERCAPS caps = {.SupportNonVGA = FALSE};
    const DXGKARG_QUERYADAPTERINFO query = {
        .Type = DXGKQAITYPE_DRIVERCAPS, .pOutputData = &caps, .OutputDataSize = sizeof(caps)};
    if (!device->asked && device->ddi.DxgkDdiQueryAdapterInfo)
        host_display_learn(&query, device->ddi.DxgkDdiQueryAdapterInfo(device->context, &query));
    return device->gives_display_back;
}
