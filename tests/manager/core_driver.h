/*
 * core_driver.h - what the driver and the GPU of core_world.h share.
 */
#ifndef VIDMM_TESTS_CORE_DRIVER_H
#define VIDMM_TESTS_CORE_DRIVER_H

#include "core_world.h"

#define RANGE_BASE   UINT64_C(0x7000000000) /* where swizzling ranges lie for the CPU */
#define RANGE_STRIDE (UINT64_C(64) << 20)

struct world_side {
    uint32_t segment;
    uint64_t offset; /* bytes from the start of the segment or of the MDL */
    const MDL *mdl;
};

/* One command of a paging buffer. */
struct world_command {
    uint32_t operation, pattern;
    bool tile;
    uint64_t size, dummy;
    struct world_side from, to;
};

void driver_table(struct world *world);

void gpu_execute(struct world *world, const struct world_command *command);
void gpu_queue(struct world *world, const struct world_job *job);
/* Runs one job that can run; false: there is none. */
bool gpu_step(struct world *world);
void gpu_reset(struct world *world);
/* Drops what `node` has not begun; false: it hangs. */
bool gpu_preempt(struct world *world, uint32_t node);
/* Drops everything of `node`; the fence of what it was at, or of what it did last. */
uint32_t gpu_reset_engine(struct world *world, uint32_t node);
void *gpu_thread(void *world);
/* A linear copy of tiled content, carried back on close. */
void gpu_open_range(struct world *world, uint32_t id, uint32_t segment, uint64_t offset,
                    uint64_t size);
void gpu_close_range(struct world *world, uint32_t id);
void *gpu_range(struct world *world, uint32_t id);
/* Host address of a byte as the GPU finds it. */
uint8_t *gpu_pointer(struct world *world, const struct world_side *side, uint64_t at);
/* Tiles or untiles one page: the order of its 64-byte blocks is turned round. */
void gpu_tile_page(uint8_t *to, const uint8_t *from);

#endif
