/*
 * walk.c - turns one side of a command into pieces of host memory, a batch at a time.
 *
 * Resolving a batch before copying lets the copy fetch the next page while it stores this one,
 * which is what makes a list of scattered pages as fast as one range.
 */
#include <string.h>

#include "hardware/hw.h"

void hw_walk_address(struct hw_walk *walk, struct hw *hw, struct hw_engine *engine, uint32_t access,
                     uint64_t address, uint64_t bytes) {
    bool whole = !engine->translate && hw_in_vram(hw, address, bytes);
    walk->hw = hw;
    walk->engine = engine;
    walk->runs = false;
    walk->access = access;
    walk->address = address;
    walk->left = whole ? 0 : bytes;
    walk->count = walk->next = 0;
    if (whole)
        walk->piece[walk->count++] = (struct hw_piece){hw_vram_at(hw, address), bytes};
}

void hw_walk_runs(struct hw_walk *walk, struct hw *hw, struct hw_engine *engine, uint32_t offset,
                  uint32_t end, uint64_t bytes) {
    walk->hw = hw;
    walk->engine = engine;
    walk->runs = true;
    walk->access = GPU_ACCESS_READ; /* of a bus page: makes no difference */
    walk->run_at = offset;
    walk->run_end = end;
    walk->run_pages = 0;
    walk->left = bytes;
    walk->count = walk->next = 0;
}

/* The bus address of the next page of the list, and how many bytes follow it in the run. */
static enum gpu_fault next_run(struct hw_walk *walk, uint64_t *address, uint64_t *bytes) {
    if (walk->run_pages == 0) {
        uint64_t run;
        if (walk->run_end - walk->run_at < sizeof(run))
            return GPU_FAULT_COMMAND;
        enum gpu_fault fault =
            hw_engine_fetch(walk->hw, walk->engine, walk->run_at, &run, sizeof(run));
        if (fault != GPU_FAULT_NONE)
            return fault;
        walk->run_at += (uint32_t)sizeof(run);
        walk->run_pfn = GPU_RUN_PFN(run);
        walk->run_pages = GPU_RUN_PAGES(run);
    }
    if (walk->run_pages == 0 || walk->run_pfn >= GPU_BUS_END / GPU_PAGE ||
        walk->run_pages > GPU_BUS_END / GPU_PAGE - walk->run_pfn)
        return GPU_FAULT_ADDRESS;
    *address = walk->run_pfn * GPU_PAGE;
    *bytes = walk->run_pages * GPU_PAGE;
    return GPU_FAULT_NONE;
}

static void piece_added(struct hw_walk *walk, uint64_t bytes) {
    walk->piece[walk->count++].bytes = bytes;
    walk->left -= bytes;
}

/* One piece of the run list. */
static enum gpu_fault add_of_run(struct hw_walk *walk) {
    uint64_t address = 0, bytes = 0;
    enum gpu_fault fault = next_run(walk, &address, &bytes);
    if (fault != GPU_FAULT_NONE)
        return fault;
    bytes = bytes < walk->left ? bytes : walk->left;
    fault = hw_bus_at(walk->hw, address, &walk->piece[walk->count].at, &bytes);
    if (fault != GPU_FAULT_NONE)
        return fault;
    uint64_t pages = (bytes + GPU_PAGE - 1) / GPU_PAGE;
    walk->engine->remote = true;
    walk->run_pfn += pages;
    walk->run_pages -= pages;
    piece_added(walk, bytes);
    return GPU_FAULT_NONE;
}

/* One piece of a range of physical addresses or the CPU's. */
static enum gpu_fault add_of_range(struct hw_walk *walk) {
    uint64_t bytes = walk->left;
    enum gpu_fault fault = hw_reach(walk->hw, hw_operand_space(walk->engine), walk->access,
                                    walk->address, &walk->piece[walk->count].at, &bytes);
    if (fault != GPU_FAULT_NONE)
        return fault;
    walk->address += bytes;
    piece_added(walk, bytes);
    return GPU_FAULT_NONE;
}

/* As many pieces of a range that the MMU translates as there is room for. */
static enum gpu_fault add_translated(struct hw_walk *walk) {
    uint32_t count = HW_PIECES - walk->count;
    enum gpu_fault fault = hw_mmu_pieces(walk->hw, walk->engine, walk->access, walk->address,
                                         walk->left, &walk->piece[walk->count], &count);
    for (uint32_t end = walk->count + count; walk->count < end; walk->count++) {
        walk->address += walk->piece[walk->count].bytes;
        walk->left -= walk->piece[walk->count].bytes;
    }
    return fault;
}

static enum gpu_fault walk_add(struct hw_walk *walk) {
    if (walk->runs)
        return add_of_run(walk);
    return walk->engine->translate && !walk->engine->space.shared ? add_translated(walk)
                                                                  : add_of_range(walk);
}

enum gpu_fault hw_walk_refill(struct hw_walk *walk) {
    enum gpu_fault fault = GPU_FAULT_NONE;
    if (walk->next < walk->count) {
        walk->piece[0] = walk->piece[walk->next];
        walk->count = 1;
    } else {
        walk->count = 0;
    }
    walk->next = 0;
    while (walk->left != 0 && walk->count < HW_PIECES && fault == GPU_FAULT_NONE)
        fault = walk_add(walk);
    /* What lies before a bad place is still moved; its fault comes when it is all there is. */
    return walk->count == 0 ? fault : GPU_FAULT_NONE;
}
