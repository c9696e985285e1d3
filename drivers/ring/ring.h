/*
 * ring.h - the register specification shared by driver.c and hardware.c: registers, addresses, the
 * ring, and the two commands.
 *
 * The driver puts submissions into a ring in system memory and moves the tail; the hardware
 * executes the commands of each, writes its fence into the status page behind the ring, and
 * interrupts.
 */
#ifndef DRIVERS_RING_H
#define DRIVERS_RING_H

#include <stdint.h>

#define RING_PAGE 4096u

/* ---- BARs: 0 has the registers, 1 is VRAM ---------------------------------------------------- */

#define RING_REGISTER_BYTES 0x1000u

#define REG_ID         0x00u /* 32, read: ID_VALUE */
#define REG_INT_ENABLE 0x04u /* 32: 1: events raise message 0 */
#define REG_EVENTS     0x08u /* 32: EVENT_*, write ones to acknowledge */
#define REG_RESET      0x0cu /* 32, write: empties the ring, forgets events */
#define REG_TAIL       0x10u /* 32: entry after the last submission */
#define REG_HEAD       0x14u /* 32, read: entry that is executed next */
#define REG_RING       0x18u /* 64: bus address of struct ring */
#define REG_TABLE      0x20u /* 64: bus address of the aperture's page table */
#define REG_VRAM       0x28u /* 64, read: bytes of VRAM */

#define ID_VALUE 0x474e4952u /* "RING" */

#define EVENT_COMPLETED 1u
#define EVENT_PREEMPTED 2u
#define EVENT_FAULTED   4u

/* ---- Addresses of the GPU -------------------------------------------------------------------- */

/* Below VRAM_BASE an address is a bus address: system memory. */
#define VRAM_BASE      (UINT64_C(1) << 40)
#define APERTURE_BASE  (UINT64_C(1) << 41)
#define APERTURE_PAGES 65536u
#define APERTURE_BYTES ((uint64_t)APERTURE_PAGES * RING_PAGE)
/* An entry of the page table is the bus address of a page, with this bit. */
#define ENTRY_VALID 1u

/* ---- The ring -------------------------------------------------------------------------------- */

#define RING_ENTRIES 4096u

enum entry_kind { ENTRY_EXECUTE, ENTRY_PREEMPT };

struct ring_entry {
    uint64_t address; /* EXECUTE: of the commands */
    uint32_t bytes;   /* of commands */
    uint32_t fence;
    uint32_t kind;
    uint32_t reserved;
};

struct ring {
    struct ring_entry entry[RING_ENTRIES];
    /* The status page: fences of what was finished last. */
    uint32_t completed, preempted, faulted;
};

/* ---- Commands -------------------------------------------------------------------------------- */

/*
 * There are two, of one size. The page table is memory like any other: FILL, which may add `step`
 * to the pattern after each eight bytes, maps pages that follow each other, and with a step of 0
 * puts the dummy page in the place of as many as there are.
 */
enum opcode { OPCODE_COPY = 1, OPCODE_FILL = 2 };

struct command {
    uint32_t opcode;
    uint32_t reserved;
    uint64_t destination;
    uint64_t bytes;
    uint64_t source; /* COPY: address; FILL: the pattern of the first eight bytes */
    uint64_t step;   /* FILL */
};

#endif
