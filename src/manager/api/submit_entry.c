/* submit_entry.c - see submit_entry.h. */
#include "api/submit_entry.h"

#include "base/adapter.h"
#include "base/device.h"
#include "engine/device_error.h"
#include "migration/migration.h"

enum vidmm_status submit_enter(struct vidmm_context *context, const char *call) {
    adapter_enter(context->device->adapter);
    enum vidmm_status status = device_serves(context->device, call);
    return status ? status : migration_admits(context->device->adapter, call);
}

enum vidmm_status submit_leave(struct vidmm_context *context, enum vidmm_status status,
                               uint64_t number, uint64_t *fence) {
    struct vidmm_adapter *adapter = context->device->adapter;
    if (status == VIDMM_OK) {
        adapter->stats.submissions++;
        *fence = number;
    }
    adapter_leave(adapter);
    return status;
}
