/*
 * bars.h - the physical addresses of the adapters: BARs, I/O mappings, register access.
 *
 * BARs lie above any RAM, each aligned to its size, unless the model says where they are. A memory BAR is mapped to the model's own
 * bytes; a register BAR to addresses without memory, by which READ_ and WRITE_REGISTER_* find the
 * model.
 */
#ifndef HOST_BARS_H
#define HOST_BARS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vidmm/hwmodel.h>

#include "base/world.h"

struct host_bar {
    struct vidmm_hw_bar bar;
    uint64_t physical;
    uint8_t *cpu;            /* address of a mapping of offset 0 */
    bool own;                /* `cpu` is the host's, not the model's */
    bool fixed;              /* the device's own address */
    _Atomic uint32_t mapped; /* mappings alive */
};

struct host_io_mapping {
    struct host_io_mapping *next;
    void *address;
    uint64_t size;
};

#define HOST_BARS_MOST (HOST_LINKED_MOST * VIDMM_HW_BARS)

struct host_bars {
    struct host_bar bar[HOST_BARS_MOST]; /* board for board */
    uint64_t next;                       /* physical address where the next one may begin */
    pthread_mutex_t lock;
    struct host_io_mapping *mappings;
    _Atomic uint64_t reads; /* of registers: polling makes the hardware run */
};

void host_bars_init(struct host_bars *bars);
/* Gives the BARs that the board's model filled in (or the plain ones without a model) their
 * addresses; false: there is no room. */
bool host_bars_place(struct host_bars *bars, uint32_t board, const struct vidmm_hw_bar *from);
/* Other addresses for the BARs of all boards, except those that the device itself places, and those that a
 * driver still has mapped. */
void host_bars_move(struct host_bars *bars);
void host_bars_done(struct host_bars *bars);
uint64_t host_bars_mappings_left(struct host_bars *bars);
/* The VIDMM_HW_BARS of a board. */
struct host_bar *host_bars_of(struct host_bars *bars, uint32_t board);
/* The BAR that holds [physical, + size), or NULL. */
struct host_bar *host_bar_at(uint64_t physical, uint64_t size);
/* The BAR of I/O ports that holds [port, + size), or NULL. */
struct host_bar *host_bar_of_port(uint64_t port, uint64_t size);
/* A BAR of this board holds it. */
bool host_bars_hold(struct host_bars *bars, uint32_t board, uint64_t physical, uint64_t size);
/* Bytes of the newest I/O mapping at `address`; 0: there is none. */
uint64_t host_io_mapping_size(const void *address);
/* Physical address behind a CPU address of a BAR, or 0. */
uint64_t host_bar_physical(const void *cpu);

#endif
