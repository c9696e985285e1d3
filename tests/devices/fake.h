/* fake.h - a host for one hardware model: memory, interrupts that are counted, virtual time. */
#ifndef FAKE_H
#define FAKE_H

#include <vidmm/device.h>

enum { FAKE_MEMORY = 64 << 20, FAKE_MESSAGES = 8 };

struct fake {
    struct vidmm_device *device;
    const struct vidmm_hw_model *model;
    struct vidmm_hw_host host;
    struct vidmm_hw_bar bar[VIDMM_HW_BARS];
    void *hw; /* NULL: it could not be made */
    uint8_t *memory;
    int file;
    uint64_t now;
    uint32_t interrupts[FAKE_MESSAGES];
    char failed[256];
};

/* Opens the device and creates its hardware. False: `failed` says why. */
bool fake_begin(struct fake *fake, const char *device);
void fake_end(struct fake *fake);
uint64_t fake_read(struct fake *fake, uint64_t offset, uint32_t width);
void fake_write(struct fake *fake, uint64_t offset, uint32_t width, uint64_t value);
/* Steps until the device has nothing to do. */
void fake_run(struct fake *fake);
/* The same until there were so many interrupts of message 0: a device of QEMU may work in a thread of its own. */
void fake_run_to(struct fake *fake, uint32_t interrupts);

#endif
