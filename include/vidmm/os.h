/*
 * os.h - what the manager needs of an operating system.
 *
 * The manager (src/manager) calls no operating system. One struct of function pointers gives it
 * memory, locks, time, waiting, system pages and the CPU's view of physical addresses. src/host
 * provides the usual implementation; a kernel or a simulator provides its own.
 *
 * Every member is required but the last four. Every function gets `ctx` as its first argument.
 */
#ifndef VIDMM_OS_H
#define VIDMM_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntddk.h> /* MDL */

/* Flags of vidmm_os.pages_alloc. */
#define VIDMM_PAGES_CONTIGUOUS 0x1u /* one physically contiguous run */
#define VIDMM_PAGES_CACHED     0x2u /* cacheable; otherwise write-combined */
/* Runs of VIDMM_PAGES_RUN bytes that begin at multiples of it, as far as there are such. */
#define VIDMM_PAGES_LARGE 0x4u
#define VIDMM_PAGES_RUN   (2u << 20)

/*
 * An IOMMU in front of the GPU (iommu-model.md): it reaches memory by the CPU's addresses of a
 * process, which it names by a PASID. Every function gets vidmm_os.ctx.
 */
struct vidmm_iommu {
    /* Attaches a process: its PASID, or 0 without memory. */
    uint32_t (*attach)(void *ctx);
    /* Detaches it; nothing is mapped for it any more. */
    void (*detach)(void *ctx, uint32_t pasid);
    /*
     * The address of pages_map() for `mdl`, which may be called later; 0: no room. Once for each
     * MDL and process. The GPU's accesses fault until show() allows them.
     */
    uint64_t (*map)(void *ctx, uint32_t pasid, PMDL mdl);
    void (*unmap)(void *ctx, uint32_t pasid, uint64_t address);
    /* Allows or forbids the GPU's access to the mapping at `address`. */
    void (*show)(void *ctx, uint32_t pasid, uint64_t address, bool shown);
};

/*
 * The platform's AGP aperture and the driver of its GART, the table behind it
 * (agp-type-aperture-space-segments.md). Its entries exist from the start: nothing here fails. The
 * CPU calls it, at once; no work of the GPU may be under way on the pages that it changes.
 */
struct vidmm_gart {
    uint64_t base, size; /* of the aperture on the GPU's bus, bytes */
    /* `pages` pages of the aperture, from `page` on, lead to those of `mdl` from `mdl_page` on. */
    void (*map)(void *ctx, uint64_t page, PMDL mdl, uint64_t mdl_page, uint64_t pages);
    /* They lead nowhere. */
    void (*unmap)(void *ctx, uint64_t page, uint64_t pages);
    /* Writes back and drops what the CPU's caches hold of what these pages lead to: an access
     * through the aperture does not look there. */
    void (*flush)(void *ctx, uint64_t page, uint64_t pages);
};

struct vidmm_os {
    void *ctx;

    /* A zeroed block of `size` bytes aligned for any type, or NULL. */
    void *(*alloc)(void *ctx, size_t size);
    /* Frees a block of alloc(); `size` as in the call of alloc(). */
    void (*free)(void *ctx, void *block, size_t size);

    /* A sleeping, non-recursive mutex, or NULL. */
    void *(*lock_create)(void *ctx);
    void (*lock_destroy)(void *ctx, void *lock);
    void (*lock)(void *ctx, void *lock);
    void (*unlock)(void *ctx, void *lock);

    /*
     * Sleeps until a call of wake(), or until `deadline_ns` of now() has passed. `lock` is
     * held by the caller, released while asleep and held again on return. Returns false when the
     * deadline passed. May return early (true) without a wake: the caller checks its condition
     * again. With virtual time this is where the simulated GPU runs.
     */
    bool (*wait)(void *ctx, void *lock, uint64_t deadline_ns);
    /* Wakes every waiter. Any thread, any IRQL. */
    void (*wake)(void *ctx);
    /* Nanoseconds since an arbitrary start; virtual or real. */
    uint64_t (*now)(void *ctx);

    /*
     * `pages` locked system pages below or at `highest` (a physical address), zeroed, described by
     * an MDL whose PFN array has one entry a page. NULL when there are none.
     */
    PMDL (*pages_alloc)(void *ctx, size_t pages, uint32_t flags, uint64_t highest);
    void (*pages_free)(void *ctx, PMDL mdl);
    /* The CPU's linear view of all pages of `mdl`; valid until pages_free. NULL when out of room.
     */
    void *(*pages_map)(void *ctx, PMDL mdl);
    /*
     * An MDL of `pages` pages of `mdl` from `first` on, which ends with pages_free before `mdl` does.
     * NULL when out of room. The function may be NULL: transfers whose arguments have no place for
     * `first` are then sent in one piece.
     */
    PMDL (*pages_part)(void *ctx, PMDL mdl, size_t first, size_t pages);
    /* The CPU's view of a physical range outside the system's memory (a BAR, or contiguous memory
     * that the driver took), or NULL. */
    void *(*io_map)(void *ctx, uint64_t physical, size_t size);
    /* Physical address of a page that absorbs stray accesses (DummyPage of an unmapped aperture).
     */
    uint64_t (*dummy_page)(void *ctx);
    /* Bytes of installed system memory, and its highest physical address. */
    uint64_t (*memory_bytes)(void *ctx);
    uint64_t (*memory_highest)(void *ctx);

    const struct vidmm_iommu *iommu; /* NULL: the system has none */
    const struct vidmm_gart *gart;   /* NULL: no AGP aperture, or no driver for its GART */

    /*
     * For debug builds of the manager (meson option `assertions`). `what` is the condition that
     * does not hold, or a sentence that names a record of the manager and an object in it. NULL: the
     * compiler's trap. The manager goes on when the function returns.
     */
    void (*assertion_failed)(void *ctx, const char *what, const char *file, int line);
    /* True when the calling thread holds `lock`. NULL: the system cannot tell. */
    bool (*lock_held)(void *ctx, void *lock);
};

#endif
