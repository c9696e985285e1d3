/*
 * device.h - hardware models that are named instead of built: a device of QEMU, or a described one.
 *
 * What it makes is a struct vidmm_hw_model (hwmodel.h) like that of a shared object, for the
 * configuration of a host, a run or a check. docs/devices.md is about both kinds.
 */
#ifndef VIDMM_DEVICE_H
#define VIDMM_DEVICE_H

#include <stddef.h>

#include <vidmm/hwmodel.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vidmm_device;

/*
 * `name` is "qemu:NAME[,PROPERTY=VALUE...]", a PCI device of an installed QEMU, started when a host
 * creates its hardware; or "regs:FILE", a device that the file describes, which is read now. NULL
 * when there is no such kind of device, the file is wrong or memory is out, with one sentence in
 * `text`. Any thread. Close it after the last host that uses its model.
 */
struct vidmm_device *vidmm_device_open(const char *name, char *text, size_t size);
/* The model, valid until the device is closed. */
const struct vidmm_hw_model *vidmm_device_model(const struct vidmm_device *device);
/* `device` may be NULL. */
void vidmm_device_close(struct vidmm_device *device);

#ifdef __cplusplus
}
#endif

#endif
