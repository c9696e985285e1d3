/* open.c - the front door: which kind of device a name means (vidmm/device.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

static const struct {
    const char *prefix;
    struct vidmm_device *(*open)(const char *rest, char *text, size_t size);
} kinds[] = {{"qemu:", qemu_device_open}, {"regs:", described_device_open}};

struct vidmm_device *vidmm_device_open(const char *name, char *text, size_t size) {
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t length = strlen(kinds[i].prefix);
        if (strncmp(name, kinds[i].prefix, length) == 0 && name[length] != '\0')
            return kinds[i].open(name + length, text, size);
    }
    snprintf(text, size, "a device is named qemu:NAME[,PROPERTY=VALUE...] or regs:FILE, not '%s'",
             name);
    return NULL;
}

const struct vidmm_hw_model *vidmm_device_model(const struct vidmm_device *device) {
    return &device->model;
}

void vidmm_device_close(struct vidmm_device *device) {
    if (device)
        device->close(device);
}
