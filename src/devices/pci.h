/*
 * pci.h - the PCI function of a device of QEMU: configuration space, BARs, messages.
 *
 * What firmware does on a board is done here: each BAR gets an address, and the device may reach
 * memory. Its messages are stores to MESSAGES, in memory that the host does not give away, where they
 * are found as words that are not zero.
 */
#ifndef DEVICES_PCI_H
#define DEVICES_PCI_H

#include <stdbool.h>
#include <stdint.h>

#include <vidmm/hwmodel.h>

#include "qtest.h"

enum {
    PCI_SPACE = 256,
    PCI_MESSAGES_MOST = 2048,
    PCI_MESSAGE_BYTES = 16,    /* from message to message */
    PCI_MESSAGES_AT = 0x1000,  /* below the memory that the host gives away */
    PCI_REACHED_FROM = 1 << 20 /* what is below is ROM and video memory in parts */
};

struct pci_bar {
    uint64_t at, size; /* size 0: there is none */
    bool ports, wide;  /* wide: 64 bits */
};

struct pci {
    struct qtest *qtest;
    uint8_t space[PCI_SPACE]; /* as the device had it when all was set */
    struct pci_bar bar[VIDMM_HW_BARS];
    uint32_t messages; /* 0: the interrupt is a line, or there is none */
    bool line;
};

/* Sets the device in slot PCI_SLOT up. False, with a clause in `why`: it does not fit, or is lost. */
#define PCI_SLOT 4
bool pci_begin(struct pci *pci, struct qtest *qtest, uint32_t board, char *why, size_t size);
/* 1, 2 or 4 bytes, aligned. */
uint32_t pci_config_read(struct pci *pci, uint32_t offset, uint32_t width);
void pci_config_write(struct pci *pci, uint32_t offset, uint32_t width, uint32_t value);
/* The line's level now. */
bool pci_line_raised(struct pci *pci);

#endif
