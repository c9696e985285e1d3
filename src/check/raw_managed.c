/*
 * raw_managed.c - the surfaces of raw_picture.h through a manager, for drivers with GPU virtual addresses, whose paging
 * nobody else does: the CPU writes and reads them under a lock, and the manager has DxgkDdiPresent make the DMA
 * buffers. Its context has no VirtualAddressing, so that the driver is given physical addresses.
 */
#include "raw_picture.h"
#include "surface.h"

#include <stdlib.h>
#include <string.h>

/* A refusal is none of the driver's mistakes. */
static bool managed_fine(struct raw_pair *pair, enum vidmm_status status) {
    switch (status) {
    case VIDMM_OK:
        return true;
    case VIDMM_DRIVER_BROKE_RULE:
    case VIDMM_GPU_LOST:
    case VIDMM_STOPPED:
        return check_good(pair->renderer.raw->check, status);
    default:
        return false;
    }
}

/* ---- Up and down ----------------------------------------------------------------------------- */

static bool managed_describe(struct raw_pair *pair, uint32_t index) {
    struct raw_picture *picture = &pair->picture[index];
    struct vidmm_allocation_info info;
    vidmm_allocation_info(picture->allocation, &info);
    uint64_t rows = (uint64_t)picture->pitch * PICTURE_HEIGHT;
    picture->count = (uint32_t)((rows + CHECK_PAGE - 1) / CHECK_PAGE);
    picture->rows = info.driver.FlagsWddm2.CpuVisible;
    picture->bytes = check_memory(pair->renderer.raw->check, (size_t)picture->count * CHECK_PAGE);
    return picture->bytes && picture->rows && rows <= info.driver.Size &&
           picture->pitch >= picture->width * sizeof(uint32_t) &&
           picture->pitch % sizeof(uint32_t) == 0;
}

static bool managed_create(struct raw_pair *pair, uint32_t index) {
    struct raw_picture *picture = &pair->picture[index];
    struct check *check = pair->renderer.raw->check;
    struct check_surface surface;
    picture->width = index == PICTURE_FROM ? PICTURE_WIDTH : PICTURE_WIDEST;
    bool made =
        check_surface_open(check, &surface, CHECK_SURFACE_SHADOW, picture->width, PICTURE_HEIGHT);
    if (made) {
        const struct vidmm_allocation_request request = check_surface_request(&surface, false);
        picture->pitch = surface.wanted.shadow.Pitch;
        made = managed_fine(
                   pair, vidmm_allocation_create(pair->device, &request, &picture->allocation)) &&
               managed_describe(pair, index);
    }
    check_surface_close(&surface);
    return made;
}

bool managed_open(struct raw_pair *pair, struct raw_submitter *raw) {
    struct vidmm_adapter *adapter = raw->check->harness.adapter;
    memset(pair, 0, sizeof(*pair));
    pair->renderer.raw = raw;
    vidmm_place_first(adapter, VIDMM_MEMORY_FIRST);
    if (!managed_fine(pair, vidmm_device_create(adapter, &pair->device)) ||
        !managed_fine(pair, vidmm_context_create(pair->device, 0, pair_node(raw), &pair->context)))
        return false;
    for (uint32_t i = 0; i < RAW_PICTURES; i++)
        if (!managed_create(pair, i))
            return false;
    return true;
}

void managed_close(struct raw_pair *pair) {
    for (uint32_t i = 0; i < RAW_PICTURES; i++) {
        if (pair->picture[i].allocation)
            vidmm_allocation_destroy(pair->picture[i].allocation);
        free(pair->picture[i].bytes);
    }
    if (pair->context)
        vidmm_context_destroy(pair->context);
    if (pair->device)
        vidmm_device_destroy(pair->device);
}

/* ---- Content --------------------------------------------------------------------------------- */

static bool managed_copy(struct raw_pair *pair, uint32_t index, bool in) {
    struct raw_picture *picture = &pair->picture[index];
    size_t size = (size_t)picture->pitch * PICTURE_HEIGHT;
    void *cpu = NULL;
    if (!managed_fine(pair, vidmm_lock(picture->allocation, in ? 0 : VIDMM_LOCK_READ_ONLY, &cpu)))
        return false;
    if (cpu && in)
        memcpy(cpu, picture->bytes, size);
    else if (cpu)
        memcpy(picture->bytes, cpu, size);
    vidmm_unlock(picture->allocation);
    return cpu;
}

bool managed_bring(struct raw_pair *pair) {
    return managed_copy(pair, PICTURE_FROM, true) && managed_copy(pair, PICTURE_TO, true);
}

bool managed_take(struct raw_pair *pair) {
    return managed_copy(pair, PICTURE_FROM, false) && managed_copy(pair, PICTURE_TO, false);
}

/* ---- Work ------------------------------------------------------------------------------------ */

static uint64_t managed_resets(struct raw_pair *pair) {
    struct vidmm_stats stats;
    vidmm_stats(pair->renderer.raw->check->harness.adapter, &stats);
    return stats.resets + stats.engine_resets;
}

bool managed_blit(struct raw_pair *pair, const struct vidmm_blit *blit, bool *completes) {
    const struct vidmm_reference references[RAW_PICTURES] = {
        {.allocation = pair->picture[PICTURE_FROM].allocation},
        {.allocation = pair->picture[PICTURE_TO].allocation, .write = true}};
    const struct vidmm_submission submission = {.references = blit->fill ? &references[PICTURE_TO]
                                                                         : references,
                                                .count = blit->fill ? 1 : RAW_PICTURES,
                                                .present = true,
                                                .blit = blit};
    uint64_t fence = 0, resets = managed_resets(pair);
    if (!managed_fine(pair, vidmm_submit(pair->context, &submission, &fence)))
        return false;
    *completes = managed_fine(pair, vidmm_wait_idle(pair->renderer.raw->check->harness.adapter)) &&
                 managed_resets(pair) == resets;
    return true;
}
