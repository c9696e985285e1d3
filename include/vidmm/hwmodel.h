/*
 * hwmodel.h - a piece of simulated hardware: what sits behind a driver's BARs.
 *
 * A model exports one vidmm_hw_model. The host calls create once before DriverEntry, routes
 * READ_/WRITE_REGISTER_* on a register BAR to reg_read/reg_write, maps memory BARs straight into
 * the CPU's view, and calls step() whenever simulated time passes. The model reaches system memory
 * and raises interrupts through vidmm_hw_host. It never calls the driver.
 */
#ifndef VIDMM_HWMODEL_H
#define VIDMM_HWMODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the host gives to a model. */
struct vidmm_hw_host {
    void *ctx;
    /* Zeroed block or NULL; counted and failed like every other allocation of the host. */
    void *(*alloc)(void *ctx, size_t size);
    void (*free)(void *ctx, void *block, size_t size);
    /*
     * Host pointer to system memory at physical address `pa`, good for `size` bytes, or NULL when
     * the range is not installed memory (a bus error). `size` may span pages.
     */
    void *(*memory)(void *ctx, uint64_t pa, size_t size);
    /* Raises message-signalled interrupt `message`. The ISR runs before this returns, or soon
     * after. */
    void (*interrupt)(void *ctx, uint32_t message);
    /* Nanoseconds, virtual or real; and, with virtual time, makes time pass. */
    uint64_t (*now)(void *ctx);
    void (*advance)(void *ctx, uint64_t ns);
    /* Named number from the run's configuration, or `otherwise`. docs/driver-authors.md has the names that
     * vidmm gives a value to without --set (VramBytes, HangPagingAt ...). */
    uint64_t (*setting)(void *ctx, const char *name, uint64_t otherwise);
    /*
     * The platform's IOMMU: host pointer to what the process `pasid` has at its CPU address `va`,
     * or NULL when the GPU may not reach that. `*size` in is what is wanted, not 0, out how much of
     * it is in one piece. Any thread. NULL: there is no IOMMU.
     */
    void *(*iommu)(void *ctx, uint32_t pasid, uint64_t va, size_t *size);
    /*
     * The boards of linked physical adapters share a bridge, over which each may reach the memory of
     * the others. Which of how many this board is, in the order of enumeration: the index of the
     * physical adapter, too, when the driver says that the first one is the leading link.
     */
    uint32_t physical, linked;
    /* What create() of such a board returned, or NULL: there is none yet, or no more. */
    void *(*peer)(void *ctx, uint32_t physical);
    /* The model whose create() is called, by which one that made its model itself finds its own. */
    const struct vidmm_hw_model *model;
    /* The file behind the physical addresses from 0 to `*bytes`, for another process to map. */
    int (*memory_file)(void *ctx, uint64_t *bytes);
    /* Says what failed, in a clause: why create() returns NULL, or, later, what the device no longer
     * does. */
    void (*failed)(void *ctx, const char *what);
    /*
     * In step(), instead of advance(): with virtual time the engine is busy for `ns` from now on, with
     * what it has just done, while other engines work as well; step() is called for it again when they
     * are over, and only then shows the result. 0: it is no longer busy. False: time is real, and is
     * over. NULL: the same, but for advance().
     */
    bool (*busy)(void *ctx, uint32_t engine, uint64_t ns);
};

enum vidmm_hw_bar_kind {
    VIDMM_HW_BAR_NONE,
    VIDMM_HW_BAR_REGISTERS,
    VIDMM_HW_BAR_MEMORY,
    VIDMM_HW_BAR_PORTS, /* registers in the space of I/O ports; the model has bar_at */
};

struct vidmm_hw_bar {
    enum vidmm_hw_bar_kind kind;
    uint64_t size; /* bytes, a multiple of 4096; PORTS: any */
    void *memory;  /* MEMORY: the model's own bytes, page-aligned, shared with the CPU */
};

#define VIDMM_HW_BARS 6

/* What the hardware makes of a GPU virtual address now, its stale caches included. */
struct vidmm_hw_translation {
    bool valid;  /* false: every access faults, and nothing below but `cached` means much */
    bool cached; /* a TLB says so, whatever the tables say */
    bool zero;   /* reads give zero, writes are dropped; there is no address */
    bool read_only;
    bool no_execute;
    bool coherent;       /* accesses snoop the CPU's caches */
    uint64_t address;    /* GPU physical address of the byte (segment base + offset) */
    uint32_t physical;   /* the board whose address that is: itself, or one linked to it */
    uint64_t page_bytes; /* of the page it is in: 4096, 65536 or a large page */
};

/* Whether the board has power. In standby hardware may refresh its memory; without power it keeps nothing. */
enum vidmm_hw_power {
    VIDMM_HW_POWER_ON,
    VIDMM_HW_POWER_STANDBY,
    VIDMM_HW_POWER_OFF, /* as in hibernation */
};

/* The picture that firmware left, of 32 bits a pixel, from byte 0 of a BAR of memory on. */
struct vidmm_hw_display {
    uint32_t bar, width, height; /* in pixels */
};

/* What a display shows. */
struct vidmm_hw_scanout {
    bool on;          /* false: nothing is read, and `address` means nothing */
    uint64_t address; /* GPU physical address (segment base + offset) of its first byte */
};

struct vidmm_hw_model {
    const char *name;
    /*
     * Builds the hardware; fills `bars`. NULL: out of memory or a setting that makes no sense. Called for each of linked
     * boards. In stage adapters of vidmm check the second board is made by a copy of the shared object, so that a model of
     * a single board may keep it in variables; one that is linked into the program gives NULL, or the same, the second time.
     */
    void *(*create)(const struct vidmm_hw_host *host, struct vidmm_hw_bar bars[VIDMM_HW_BARS]);
    void (*destroy)(void *hw);
    /*
     * The device's 256 bytes of PCI configuration space, in which the host has put a display
     * controller without capabilities: other identifiers, a class, capabilities. The host then
     * enters the addresses of the BARs that it chose; such a BAR has a register of 64 bits when none
     * follows it. May be NULL.
     */
    void (*configure)(void *hw, unsigned char *space);
    /* `width` is 1, 2, 4 or 8 bytes. Any thread; the model locks. */
    uint64_t (*reg_read)(void *hw, uint32_t bar, uint64_t offset, uint32_t width);
    void (*reg_write)(void *hw, uint32_t bar, uint64_t offset, uint32_t width, uint64_t value);
    /*
     * Does a bounded piece of the pending work of one engine; false when there was none. By default
     * the host calls the engines in turn whenever a thread waits; in a threaded run each engine has
     * a thread of its own that sleeps while step() returns false and is woken by register writes.
     */
    uint32_t engines;
    bool (*step)(void *hw, uint32_t engine);
    /*
     * The byte oracle's back door: `size` bytes at a GPU physical address (segment base + offset)
     * as the GPU would see them, or NULL. Contiguous in memory segments; in an aperture never past
     * a page. May be NULL.
     */
    const void *(*peek)(void *hw, uint64_t gpu_address, size_t size);
    /*
     * The referee's back door: translates `va` as an engine would that runs with the root table at
     * GPU physical address `root` of `entries` entries (0: as many as there can be), and changes
     * nothing. False: there is no MMU. May be NULL.
     */
    bool (*translate)(void *hw, uint64_t root, uint32_t entries, uint64_t va,
                      struct vidmm_hw_translation *out);
    /*
     * The same: GPU physical address of the root table by which engine `engine` translated the
     * addresses of its newest submission. False: that had none. May be NULL.
     */
    bool (*root)(void *hw, uint32_t engine, uint64_t *root);
    /* Physical address, or first port, that the device itself has for a BAR. 0, or NULL here: the
     * host chooses. */
    uint64_t (*bar_at)(void *hw, uint32_t bar);
    /*
     * The CPU reads or writes memory of a BAR that the model has closed to it (mprotect): the model
     * opens it, and the access is made again; false: it stays a fault. Called in the handler of the
     * signal, on any thread. May be NULL.
     */
    bool (*touch)(void *hw, uint32_t bar, uint64_t offset, bool write);
    /* What the boot display shows; false: the device is none. May be NULL. */
    bool (*display)(void *hw, struct vidmm_hw_display *display);
    /* Physical addresses that the device reaches: system memory is made to lie in them, and the
     * driver's HighestAcceptableAddress to be below `reaches_to` (R644). 0 and 0: all of them. */
    uint64_t reaches_from, reaches_to;
    /*
     * The driver reads or writes configuration space: 1, 2 or 4 bytes, aligned. Without both the host
     * keeps what configure() gave and the driver wrote. May be NULL.
     */
    uint32_t (*config_read)(void *hw, uint32_t offset, uint32_t width);
    void (*config_write)(void *hw, uint32_t offset, uint32_t width, uint32_t value);
    /*
     * The referee's back door: whether accesses to a mapped page of an aperture snoop the CPU's caches;
     * `gpu_address` is physical (segment base + offset). False: it is no such page. May be NULL.
     */
    bool (*snoops)(void *hw, uint64_t gpu_address, bool *snoops);
    /*
     * The same: what the display behind connector `head`, counted from 0, reads memory from now. False:
     * there is no such connector. May be NULL.
     */
    bool (*scanout)(void *hw, uint32_t head, struct vidmm_hw_scanout *out);
    /*
     * The system takes the board's power away behind DxgkDdiSetPowerState with PowerDeviceD3, or gives it
     * back before PowerDeviceD0: registers are then as after create(), and memory has lost what it does
     * not keep. No interrupt is raised. NULL: the board keeps all of it.
     */
    void (*power)(void *hw, enum vidmm_hw_power power);
    /* reaches_from and reaches_to are what the machine behind the model has: what a driver says of its device may be
     * more. */
    bool machine_reach;
};

/*
 * What a model built as a shared object exports, with C linkage and default visibility:
 *
 *     const struct vidmm_hw_model vidmm_hardware = {.name = "...", ...};
 *
 * The host takes a copy when it loads the model. Both structures grow at their end alone, and what a
 * model of older headers has not is as if it were NULL: such a model need not be built again.
 */
#define VIDMM_HARDWARE_SYMBOL "vidmm_hardware"

#endif
