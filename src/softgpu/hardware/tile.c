/*
 * tile.c - moves bytes between a tiled surface in VRAM and its linear image.
 *
 * What is linear for 512 bytes is a row of one tile, so the work goes row piece by row piece. memmove, because
 * a compiler that knows that a piece is small makes a string instruction of memcpy, which is slow to begin.
 */
#include <string.h>

#include "hardware/hw.h"

bool hw_tiled_surface(const struct hw *hw, uint64_t address, uint32_t pitch, uint64_t surface) {
    return pitch != 0 && pitch % GPU_TILE_WIDTH == 0 && pitch <= GPU_PITCH_LIMIT && surface != 0 &&
           hw_in_vram(hw, address, surface);
}

/* Bytes from `at` on that are together in both images. */
static uint64_t tile_together(uint64_t at, uint64_t bytes) {
    uint64_t row = GPU_TILE_WIDTH - at % GPU_TILE_WIDTH;
    return row < bytes ? row : bytes;
}

void hw_tile(struct hw *hw, uint64_t address, uint32_t pitch, uint64_t surface, uint64_t at,
             const unsigned char *linear, uint64_t bytes) {
    unsigned char *base = hw->vram.bytes + (address - GPU_VRAM_BASE);
    while (bytes != 0) {
        uint64_t part = tile_together(at, bytes);
        unsigned char *to = base + gpu_tiled(at, pitch, surface);
        if (!hw->no_content)
            memmove(to, linear, (size_t)part);
        hw_wrote(hw, to, part);
        at += part;
        linear += part;
        bytes -= part;
    }
}

void hw_untile(struct hw *hw, uint64_t address, uint32_t pitch, uint64_t surface, uint64_t at,
               unsigned char *linear, uint64_t bytes) {
    const unsigned char *base = hw->vram.bytes + (address - GPU_VRAM_BASE);
    while (bytes != 0) {
        uint64_t part = tile_together(at, bytes);
        if (!hw->no_content)
            memmove(linear, base + gpu_tiled(at, pitch, surface), (size_t)part);
        at += part;
        linear += part;
        bytes -= part;
    }
}
