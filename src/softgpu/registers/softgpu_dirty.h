/*
 * softgpu_dirty.h - dirty-bit tracking: which pages of VRAM were written, and by what registers and
 * BARs the driver learns it. A part of the register specification (softgpu_regs.h, which includes
 * it); docs/softgpu.md has it as tables.
 *
 * BAR GPU_BAR_DIRTY is plain memory that takes atomic operations. First the plane: bit n % 64 of
 * word n / 64 is set when page n of VRAM was written. At gpu_dirty_summary the summary: bit w % 64
 * of word w / 64 is set when word w of the plane may not be 0. The GPU sets a bit of the plane
 * before that of the summary, and never clears one: the driver does, in the summary first.
 */
#ifndef SOFTGPU_DIRTY_H
#define SOFTGPU_DIRTY_H

#include <stdint.h>

#define GPU_BAR_DIRTY 3u
/* With an MMU and tracking: the entries of aperture 0, then those of aperture 1, as words. */
#define GPU_BAR_APERTURES 4u

#define GPU_REG_DIRTY_PAGE  0x080u /* 32, read: bytes of VRAM that a bit stands for; 0: no plane */
#define GPU_REG_DIRTY       0x084u /* 32, write GPU_DIRTY_*: done when the write returns */
#define GPU_REG_DIRTY_START 0x088u /* 64: byte of VRAM, for GPU_DIRTY_CLOSE */
#define GPU_REG_DIRTY_END   0x090u /* 64: the first byte behind */

#define GPU_DIRTY_ON  1u /* writes that begin from now on are noted */
#define GPU_DIRTY_OFF 2u
/* What the CPU wrote through swizzling ranges so far is in VRAM, and noted. */
#define GPU_DIRTY_GATHER 3u
/*
 * The CPU's writes are noted when they are the first to a page since this was written for it: bits
 * were cleared in [START, END), and the next write to each of those pages is a first one again.
 */
#define GPU_DIRTY_CLOSE 4u

#define GPU_DIRTY_PAGE_MIN 4096u
#define GPU_DIRTY_PAGE_MAX (2u << 20)

static inline uint64_t gpu_dirty_words(uint64_t bits) {
    return (bits + 63) / 64;
}

/* Offset of the summary in the BAR, and bytes of the whole BAR, of a board with so many pages. */
static inline uint64_t gpu_dirty_summary(uint64_t pages) {
    return (gpu_dirty_words(pages) * 8 + 4095) & ~UINT64_C(4095);
}

static inline uint64_t gpu_dirty_bytes(uint64_t pages) {
    uint64_t summary = gpu_dirty_words(gpu_dirty_words(pages)) * 8;
    return gpu_dirty_summary(pages) + ((summary + 4095) & ~UINT64_C(4095));
}

/* An entry of an aperture: the page of the bus, or 0: never mapped. */
#define GPU_APERTURE_VALID    0x1u
#define GPU_APERTURE_COHERENT 0x2u

#endif
