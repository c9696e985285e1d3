/*
 * config_space.c - see config_space.h. A model that has a space of its own answers in naturally aligned
 * pieces, as a bus asks for them; of any other one the host keeps the bytes.
 */
#include "driver/config_space.h"

#include <string.h>

#include "base/world.h"
#include "kernel/device_log.h"
#include "kernel/engines.h"
#include "kernel/interrupt.h"

/* The largest aligned piece of at most four bytes that begins at `offset`. */
static uint32_t piece_at(uint32_t offset, uint32_t length) {
    uint32_t width = 4;
    while (offset % width != 0 || width > length)
        width /= 2;
    return width;
}

static void of_model(const struct host_device *device, uint8_t *bytes, uint32_t offset,
                     uint32_t width, bool write) {
    const struct vidmm_hw_model *model = host_world->model[device->board];
    void *hw = host_world->hw[device->board];
    uint32_t value = 0;
    memcpy(&value, bytes, width);
    host_model_enter();
    if (write) {
        model->config_write(hw, offset, width, value);
        host_engines_kick();
    } else {
        value = model->config_read(hw, offset, width);
    }
    host_model_leave();
    memcpy(bytes, &value, width);
}

void host_config_access(struct host_device *device, void *buffer, uint32_t offset, uint32_t length,
                        bool write) {
    const struct vidmm_hw_model *model = host_world->model[device->board];
    bool own = model && model->config_read && model->config_write;
    uint64_t value = 0;
    for (uint32_t at = 0, width; own && at < length; at += width) {
        width = piece_at(offset + at, length - at);
        of_model(device, (uint8_t *)buffer + at, offset + at, width, write);
    }
    if (write)
        memcpy(device->config_space + offset, buffer, length);
    else if (!own)
        memcpy(buffer, device->config_space + offset, length);
    uint32_t shown = length < sizeof(value) ? length : sizeof(value);
    memcpy(&value, buffer, shown);
    host_device_log("config", offset, shown, write, value);
}
