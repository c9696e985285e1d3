/* firmware.c - see firmware.h. */
#include "firmware.h"

#include <string.h>

enum {
    BOCHS_REGISTERS = 0x500, /* in BAR 2, 16 bits each */
    BOCHS_WIDTH = 1,
    BOCHS_HEIGHT = 2,
    BOCHS_DEPTH = 3,
    BOCHS_ENABLE = 4,
    BOCHS_ENABLED = 0x41, /* with a linear frame buffer */
    WIDTH = 1024,
    HEIGHT = 768,
};

static void bochs_write(struct pci *pci, uint32_t index, uint32_t value) {
    (void)qtest_ask(pci->qtest, "writew 0x%llx 0x%x",
                    (unsigned long long)(pci->bar[2].at + BOCHS_REGISTERS + index * 2), value);
}

bool firmware_display(struct pci *pci, struct vidmm_hw_display *display) {
    static const uint8_t bochs[] = {0x34, 0x12, 0x11, 0x11};
    if (memcmp(pci->space, bochs, sizeof(bochs)) != 0 || pci->bar[2].size == 0)
        return false;
    bochs_write(pci, BOCHS_ENABLE, 0);
    bochs_write(pci, BOCHS_WIDTH, WIDTH);
    bochs_write(pci, BOCHS_HEIGHT, HEIGHT);
    bochs_write(pci, BOCHS_DEPTH, 32);
    bochs_write(pci, BOCHS_ENABLE, BOCHS_ENABLED);
    *display = (struct vidmm_hw_display){.bar = 0, .width = WIDTH, .height = HEIGHT};
    return true;
}
