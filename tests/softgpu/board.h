/*
 * board.h - the hardware half alone, on a host of a few lines: what the hardware tests stand on.
 *
 * 8 MiB of VRAM, 4 MiB of aperture and, 16 MiB up the bus, 8 MiB of system memory. Command buffers
 * are put at the start of that.
 */
#ifndef SOFTGPU_TEST_BOARD_H
#define SOFTGPU_TEST_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include <vidmm/hwmodel.h>

#include "registers/softgpu_regs.h"

#define MIB       (UINT64_C(1) << 20)
#define RAM_BYTES (8 * MIB)
#define RAM_BASE  (16 * MIB) /* nothing is installed below or above */
#define COMMANDS  RAM_BASE

struct board_setting {
    const char *name;
    uint64_t value;
};

#define BOARD_SETTINGS 8u

struct board {
    struct board_setting setting[BOARD_SETTINGS]; /* over the board's own; unused ones are NULL */
    uint64_t fail_at;                             /* this allocation fails; 0: none */
    /* The platform's IOMMU, which gets the board; NULL: it has none. */
    void *(*iommu)(void *ctx, uint32_t pasid, uint64_t va, size_t *size);
    unsigned char *ram;
    _Atomic uint32_t interrupts;
    uint64_t allocations, live;
    _Atomic uint64_t ns; /* that were made to pass */
    void *hw;
    struct vidmm_hw_bar bar[VIDMM_HW_BARS];
    uint32_t fence;
};

/* False when the hardware refused. */
bool board_make(struct board *board);
/* Fails the test when anything was left behind. */
void board_drop(struct board *board);

uint32_t board_read(struct board *board, uint32_t offset);
uint64_t board_read64(struct board *board, uint32_t offset);
void board_write(struct board *board, uint32_t offset, uint32_t value);
void board_write64(struct board *board, uint32_t offset, uint64_t value);

/* Queues `size` bytes of commands at `address`; `doorbell` is GPU_DOORBELL_*. */
void board_queue(struct board *board, uint32_t engine, uint64_t address, uint32_t size,
                 uint32_t doorbell);
/* Until nothing is left to do. */
void board_run(struct board *board);
/* Runs what engine 0 or 1 was given last: true when it completed, false when it faulted. */
bool board_finish(struct board *board, uint32_t engine);
/* Copies the commands to COMMANDS and executes them there, on engine 0. */
bool board_execute(struct board *board, const void *commands, uint32_t size);

/* The CPU's view of GPU physical `address`: system memory, or visible VRAM. */
unsigned char *board_at(struct board *board, uint64_t address);

void board_put(struct board *board, uint64_t address, uint64_t word);

/* VIDMM_SEED, or the same number every time. */
uint64_t board_seed(void);
uint64_t board_random(uint64_t *state);

/* An operand that is nearly right: an edge of some memory, a small number, or anything. */
uint64_t board_operand(uint64_t *random);

#define BOARD_COMMAND 96u
/* A command that is nearly right, and its size; none that may take for ever. */
uint32_t board_command(uint64_t *random, unsigned char out[BOARD_COMMAND]);

#endif
