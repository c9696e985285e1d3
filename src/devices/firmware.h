/*
 * firmware.h - what a board's firmware does with a display before a system starts: it shows a picture.
 *
 * Of QEMU's devices those with the registers of Bochs' display (VGA, bochs-display) are known.
 */
#ifndef DEVICES_FIRMWARE_H
#define DEVICES_FIRMWARE_H

#include "pci.h"

/* Sets a mode. False: the device is no display that is known. */
bool firmware_display(struct pci *pci, struct vidmm_hw_display *display);

#endif
