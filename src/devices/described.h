/*
 * described.h - a device that a file describes: BARs, registers, bits that follow others, interrupts.
 *
 * description.c reads the file into this; described.c behaves as it says. The words of the file are
 * in docs/devices.md.
 */
#ifndef DEVICES_DESCRIBED_H
#define DEVICES_DESCRIBED_H

#include <stdbool.h>
#include <stdint.h>

#include "device.h"

enum {
    DESCRIBED_REGISTERS = 512,
    DESCRIBED_RULES = 512,
    DESCRIBED_NAME = 32,
};

struct described_bar {
    enum vidmm_hw_bar_kind kind;
    uint64_t size;
};

struct described_register {
    char name[DESCRIBED_NAME];
    uint32_t bar, width; /* width in bytes: 1, 2, 4 or 8 */
    uint64_t offset, reset;
    uint64_t readonly; /* bits that keep their value when they are written */
    uint64_t clears;   /* bits that a written 1 clears, and a written 0 keeps */
};

/* Some neighbouring bits of a register. */
struct described_bits {
    uint32_t of; /* index of the register */
    uint32_t shift;
    uint64_t mask; /* of the bits, shifted down */
};

enum described_kind {
    DESCRIBED_FOLLOW,   /* `to` becomes `from` when that changes */
    DESCRIBED_SET,      /* `to` becomes all ones ... */
    DESCRIBED_CLEAR,    /* ... or zero, when `from` does `when` */
    DESCRIBED_INTERRUPT /* message `message` when a bit of `from` (and, if given, of `to`) is new */
};

enum described_when { DESCRIBED_WRITTEN, DESCRIBED_RISES, DESCRIBED_FALLS };

struct described_rule {
    enum described_kind kind;
    enum described_when when;
    struct described_bits to, from;
    bool inverted;  /* FOLLOW */
    bool enabled;   /* INTERRUPT: `to` is given */
    uint64_t after; /* ns from the cause to the effect */
    uint32_t message;
};

struct description {
    uint16_t vendor, id, subsystem_vendor, subsystem;
    uint8_t revision;
    uint32_t class_code; /* 24 bits */
    struct described_bar bar[VIDMM_HW_BARS];
    struct vidmm_hw_display display; /* width 0: none */
    struct described_register reg[DESCRIBED_REGISTERS];
    uint32_t regs;
    struct described_rule rule[DESCRIBED_RULES];
    uint32_t rules;
};

/* Reads `path`. False, with one sentence that names the file and the line. */
bool description_read(const char *path, struct description *to, char *text, size_t size);

#endif
