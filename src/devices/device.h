/*
 * device.h - what every kind of device is to the front door (open.c): a hardware model with a name of
 * its own, and its end.
 */
#ifndef DEVICES_DEVICE_H
#define DEVICES_DEVICE_H

#include <vidmm/device.h>

struct vidmm_device {
    struct vidmm_hw_model model; /* by whose address create() finds the rest */
    void (*close)(struct vidmm_device *device);
};

/* `options`: QEMU's name of the device and its properties, as in `-device`. NULL, with a sentence. */
struct vidmm_device *qemu_device_open(const char *options, char *text, size_t size);
/* `path`: a description (described.h). NULL, with a sentence. */
struct vidmm_device *described_device_open(const char *path, char *text, size_t size);

#endif
