/*
 * hw_walk.c - turns one side of a command into pieces of host memory, a batch at a time.
 *
 * Resolving a batch before copying lets the copy fetch the next page while it stores this one,
 * which is what makes a list of scattered pages as fast as one range.
 */
#include "hw.h"

#include <string.h>

void hw_walk_address(struct hw_walk *walk, struct hw *hw, struct hw_engine *engine, uint32_t access,
                     uint64_t address, uint64_t bytes) {
    walk->hw = hw;
    walk->engine = engine;
    walk->runs = false;
    walk->access = access;
    walk->address = address;
    walk->left = bytes;
    walk->count = walk->next = 0;
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
        if (walk->run_end - walk->run_at < sizeof run)
            return GPU_FAULT_COMMAND;
        enum gpu_fault fault =
            hw_engine_fetch(walk->hw, walk->engine, walk->run_at, &run, sizeof run);
        if (fault != GPU_FAULT_NONE)
            return fault;
        walk->run_at += (uint32_t)sizeof run;
        walk->run_pfn = GPU_RUN_PFN(run);
        walk->run_pages = GPU_RUN_PAGES(run);
    }
    if (walk->run_pfn >= GPU_BUS_END / GPU_PAGE ||
        walk->run_pages > GPU_BUS_END / GPU_PAGE - walk->run_pfn)
        return GPU_FAULT_ADDRESS;
    *address = walk->run_pfn * GPU_PAGE;
    *bytes = walk->run_pages * GPU_PAGE;
    return GPU_FAULT_NONE;
}

static enum gpu_fault add_piece(struct hw_walk *walk) {
    uint64_t address = walk->address, bytes = walk->left;
    enum gpu_fault fault = GPU_FAULT_NONE;
    if (walk->runs) {
        fault = next_run(walk, &address, &bytes);
        if (bytes > walk->left)
            bytes = walk->left;
    }
    struct hw_piece *piece = &walk->piece[walk->count];
    struct hw_engine *by = walk->runs ? NULL : hw_operand_space(walk->engine);
    if (fault == GPU_FAULT_NONE)
        fault = hw_reach(walk->hw, by, walk->access, address, &piece->at, &bytes);
    if (fault != GPU_FAULT_NONE)
        return fault;
    if (walk->runs) {
        uint64_t pages = (bytes + GPU_PAGE - 1) / GPU_PAGE;
        walk->engine->remote = true;
        walk->run_pfn += pages;
        walk->run_pages -= pages;
    } else {
        walk->address += bytes;
    }
    piece->bytes = bytes;
    walk->left -= bytes;
    walk->count++;
    return GPU_FAULT_NONE;
}

/* Resolves another batch behind the piece that is left, if one is. */
static enum gpu_fault refill(struct hw_walk *walk) {
    enum gpu_fault fault = GPU_FAULT_NONE;
    if (walk->next < walk->count) {
        walk->piece[0] = walk->piece[walk->next];
        walk->count = 1;
    } else {
        walk->count = 0;
    }
    walk->next = 0;
    while (walk->left != 0 && walk->count < HW_PIECES && fault == GPU_FAULT_NONE)
        fault = add_piece(walk);
    return fault;
}

struct hw_piece *hw_walk_piece(struct hw_walk *walk, enum gpu_fault *fault) {
    *fault = GPU_FAULT_NONE;
    /* Early by one piece, so that there is always a next one to fetch ahead from. */
    if (walk->next + 1 >= walk->count && walk->left != 0) {
        enum gpu_fault found = refill(walk);
        /* What lies before a bad place is still moved; its fault comes when it is all there is. */
        if (walk->count == 0)
            *fault = found;
    }
    return walk->next < walk->count ? &walk->piece[walk->next] : NULL;
}

void hw_walk_take(struct hw_walk *walk, uint64_t bytes) {
    struct hw_piece *piece = &walk->piece[walk->next];
    piece->at += bytes;
    piece->bytes -= bytes;
    if (piece->bytes == 0)
        walk->next++;
}

const unsigned char *hw_walk_ahead(const struct hw_walk *walk, uint64_t bytes) {
    const struct hw_piece *piece = &walk->piece[walk->next];
    if (bytes < piece->bytes)
        return piece->at + bytes;
    return walk->next + 1 < walk->count ? piece[1].at : NULL;
}
