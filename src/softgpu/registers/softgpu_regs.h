/*
 * softgpu_regs.h - what driver and hardware agree on: BARs, registers, addresses, command formats.
 *
 * The kernel-mode driver (driver/) and the software GPU (hardware/) share this header and nothing
 * else, as a real driver shares a register specification with its silicon. docs/softgpu.md has it
 * as tables. What a board with an MMU has besides is in softgpu_mmu.h, what one with dirty bits has
 * in softgpu_dirty.h; both come with this one.
 */
#ifndef SOFTGPU_REGS_H
#define SOFTGPU_REGS_H

#include <stdint.h>

#include "registers/softgpu_dirty.h"
#include "registers/softgpu_mmu.h"

#define GPU_PAGE       4096u
#define GPU_PAGE_SHIFT 12u

/* ---- BARs ------------------------------------------------------------------------------------ */

#define GPU_BAR_REGISTERS 0u
#define GPU_BAR_VRAM      1u /* the visible part of VRAM, absent when there is none */
#define GPU_BAR_WINDOWS                                                                            \
    2u /* GPU_WINDOW_BYTES for each swizzling range, absent when there are none */

#define GPU_BAR_HOST 5u /* the CPU host aperture, absent when there is none */

#define GPU_REGISTER_BYTES 0x2000u
#define GPU_WINDOW_BYTES   (UINT64_C(64) << 20)

/* ---- GPU physical addresses ------------------------------------------------------------------ */

/* Below 1 TiB an address is a bus address: system memory, and what an AGP aperture shows of it. */
#define GPU_BUS_END          (UINT64_C(1) << 40)
#define GPU_VRAM_BASE        (UINT64_C(1) << 40)
#define GPU_APERTURES        2u
#define GPU_APERTURE_BASE(n) (UINT64_C(1) << 40 << ((n) + 1u))
/* No memory of the GPU is larger. */
#define GPU_MEMORY_LIMIT (UINT64_C(1) << 40)

/*
 * Boards on one bridge (linked) reach each other's memory: behind window n lies all that board n
 * has an address for. The bits above its addresses are so the peer field of a page table entry.
 */
#define GPU_PEER_SHIFT   44u
#define GPU_PEER_BASE(n) (((uint64_t)(n) + 1u) << GPU_PEER_SHIFT)
#define GPU_PEER_WINDOW(address)                                                                   \
    ((address) >> GPU_PEER_SHIFT) /* 0: none, it is the board's own; else n + 1 */
#define GPU_PEER_ADDRESS(address) ((address) & ((UINT64_C(1) << GPU_PEER_SHIFT) - 1u))
#define GPU_LINK_LIMIT            4u /* boards on a bridge */

/* ---- Registers of the whole GPU (BAR 0) ------------------------------------------------------ */

#define GPU_ID_VALUE        0x55504753u /* "SGPU" */
#define GPU_REG_ID          0x000u      /* 32, read */
#define GPU_REG_NODES       0x004u      /* 32, read: engines that take work */
#define GPU_REG_RANGES      0x008u      /* 32, read: swizzling ranges */
#define GPU_REG_INT_STATUS  0x00cu      /* 32, read: bit n: engine n has events */
#define GPU_REG_INT_ENABLE  0x010u      /* 32: 1: events raise interrupt message 0 */
#define GPU_REG_RESET       0x014u /* 32, write 1: stops engines, empties queues, VRAM reads as zero */
#define GPU_REG_VRAM        0x020u /* 64, read: bytes of VRAM */
#define GPU_REG_VISIBLE     0x028u /* 64, read: bytes of it behind BAR 1, from its start */
#define GPU_REG_APERTURE(n) (0x030u + 8u * (n)) /* 64, read: bytes of aperture n, 0: absent */

/*
 * The CPU host aperture: page HOST_PAGE of the BAR shows the page of invisible VRAM at HOST_TARGET,
 * from when that is written; without VALID, or elsewhere, it shows nothing.
 */
#define GPU_REG_HOST_BYTES 0x098u /* 64, read: bytes of the BAR; 0: there is none */
#define GPU_REG_HOST_PAGE  0x0a0u /* 32, write: of the BAR */
#define GPU_REG_HOST_TARGET                                                                        \
    0x0a8u /* 64, write: GPU physical address of a page, and GPU_HOST_VALID */
#define GPU_HOST_VALID 1u

#define GPU_REG_LINK      0x0b0u /* 32, read: see GPU_LINK_* below; 0: the board is not linked */
#define GPU_REG_CHAIN     0x0b4u /* 32, read: the same on all boards of one bridge; 0: no bridge */
#define GPU_LINK_COUNT(r) ((r)&0xffu)        /* boards on the bridge */
#define GPU_LINK_INDEX(r) ((r) >> 8 & 0xffu) /* which of them this is */
#define GPU_CHAIN_ID      0x4b4e494cu        /* "LINK": there is one bridge */

/* ---- Registers of displays ------------------------------------------------------------------- */

#define GPU_DISPLAYS         2u
#define GPU_INT_VSYNC        0x80000000u /* of GPU_REG_INT_STATUS: GPU_REG_VSYNC_EVENTS is not 0 */
#define GPU_REG_DISPLAYS     0x0b8u      /* 32, read: connectors, each with a monitor */
#define GPU_REG_VSYNC        0x0bcu      /* 32: bit n: vertical syncs of connector n are events */
#define GPU_REG_VSYNC_EVENTS 0x0c0u      /* 32: bit n: there was one; write ones to acknowledge */

#define GPU_DISPLAY_STEP 0x40u
#define GPU_DISPLAY(n)   (0x1900u + GPU_DISPLAY_STEP * (n))
#define GPU_DISPLAY_ADDRESS                                                                        \
    0x00u /* 64: GPU physical; in effect from the next sync, or turning on */
#define GPU_DISPLAY_SHOWN   0x08u /* 64, read: what is in effect */
#define GPU_DISPLAY_CONTROL 0x10u /* 32: GPU_DISPLAY_SYNC, GPU_DISPLAY_READ */
#define GPU_DISPLAY_SIZE    0x14u /* 32: rows << 16 | columns */
#define GPU_DISPLAY_PITCH   0x18u /* 32: bytes */

#define GPU_DISPLAY_SYNC 1u /* it has vertical syncs */
#define GPU_DISPLAY_READ 2u /* it reads memory; else it is black */

/* ---- Registers of engine n ------------------------------------------------------------------- */

#define GPU_ENGINES         2u
#define GPU_ENGINE(n)       (0x100u + 0x100u * (n))
#define GPU_ENGINE_ADDRESS  0x00u /* 64: of the first command, a GPU physical address */
#define GPU_ENGINE_SIZE     0x08u /* 32: bytes of commands */
#define GPU_ENGINE_FENCE    0x0cu /* 32: what COMPLETED becomes */
#define GPU_ENGINE_DOORBELL 0x10u /* 32, write GPU_DOORBELL_*: queues the above */
#define GPU_ENGINE_PREEMPT                                                                         \
    0x14u /* 32, write a fence: what has not begun is dropped, then PREEMPTED */
#define GPU_ENGINE_EVENTS    0x18u /* 32: GPU_EVENT_*, write ones to acknowledge */
#define GPU_ENGINE_COMPLETED 0x1cu /* 32: fence of the newest completed submission */
#define GPU_ENGINE_FAULTED   0x20u /* 32, read: fence of the newest faulted submission */
#define GPU_ENGINE_FAULT     0x24u /* 32, read: why, GPU_FAULT_* */
#define GPU_ENGINE_PREEMPTED 0x28u /* 32, read: fence of the newest finished preemption */
#define GPU_ENGINE_QUEUED    0x2cu /* 32, read: submissions not completed */
#define GPU_ENGINE_COMMAND                                                                         \
    0x30u /* 32, read: offset of the command being executed or that faulted */
#define GPU_ENGINE_STATE                                                                           \
    0x34u /* 32: GPU_STATE_*; write 1: this engine begins anew, with nothing queued */
#define GPU_ENGINE_ABORTED                                                                         \
    0x68u /* 32, read: what it was executing when it last began anew, else what it ended last */

#define GPU_STATE_RUNNING 0u
#define GPU_STATE_HALTED  1u /* by a page fault: executes nothing until it begins anew */

/* One of these; GPU_DOORBELL_VIRTUAL or GPU_DOORBELL_SHARED may be added. */
#define GPU_DOORBELL_RENDER 1u
#define GPU_DOORBELL_PAGING 2u

#define GPU_EVENT_COMPLETED 1u
#define GPU_EVENT_FAULTED   2u
#define GPU_EVENT_PREEMPTED 4u

#define GPU_QUEUE_DEPTH 4096u

enum gpu_fault {
    GPU_FAULT_NONE,
    GPU_FAULT_COMMAND,  /* unknown opcode, bad size or bad operand */
    GPU_FAULT_ADDRESS,  /* outside of every memory, or an aperture page that was never mapped */
    GPU_FAULT_BUS,      /* a bus address with no memory behind it */
    GPU_FAULT_OVERFLOW, /* the queue was full */
    /* Page faults, of virtual submissions: GPU_ENGINE_FAULT_VA and its neighbours say where. */
    GPU_FAULT_RANGE,      /* wider than the tables, or beyond the entries of the root */
    GPU_FAULT_INVALID,    /* an entry that is not valid */
    GPU_FAULT_READ_ONLY,  /* a write to a page that may not be written */
    GPU_FAULT_NO_EXECUTE, /* commands in a page that may not be executed */
    GPU_FAULT_FORMAT,     /* an entry with reserved bits, or a page that is not aligned */
    GPU_FAULT_TABLE,      /* a page table where there is no memory */
    GPU_FAULT_TARGET,     /* a page where there is no memory */
    GPU_FAULT_IOMMU,      /* shared: the process has no page there, or not for the GPU */
    /* No page fault again: */
    GPU_FAULT_STATE, /* of a context: no such state, or its save area is not as it was left */
};

/* Page faults halt their engine. */
#define GPU_FAULT_IS_PAGE(fault) ((fault) >= GPU_FAULT_RANGE && (fault) <= GPU_FAULT_IOMMU)

/* ---- Registers of swizzling range n ---------------------------------------------------------- */

#define GPU_RANGE_LIMIT   64u /* ranges at most */
#define GPU_RANGE(n)      (0x800u + 0x40u * (n))
#define GPU_RANGE_ADDRESS 0x00u /* 64: of the surface */
#define GPU_RANGE_BYTES   0x08u /* 64: of the surface, a multiple of GPU_PAGE, at most a window */
#define GPU_RANGE_PITCH   0x10u /* 32: of a tiled surface, 0: linear */
#define GPU_RANGE_CONTROL 0x14u /* 32: write GPU_RANGE_*; read what it is now */

#define GPU_RANGE_OFF      0u /* window is written back, range is free */
#define GPU_RANGE_ATTACHED 1u /* window shows the surface at ADDRESS, in linear order */
#define GPU_RANGE_DETACHED 2u /* window is backed by pages of system memory (read only) */

/* ---- Commands -------------------------------------------------------------------------------- */

/*
 * A command is a gpu_command, its operands, and for some a list of page runs. `size` counts all of
 * it and is a multiple of 8. Nothing needs alignment.
 */
struct gpu_command {
    uint16_t opcode;
    uint16_t flags;
    uint32_t size;
};

enum gpu_opcode {
    GPU_NOP,
    GPU_COPY,
    GPU_FILL,
    GPU_MAP,
    GPU_UNMAP,
    GPU_READ,
    GPU_WRITE,
    GPU_STAMP,
    GPU_CHECK,
    GPU_SPIN,
    GPU_RANGE_BACK,
    GPU_RANGE_DETACH,
    GPU_RANGE_ATTACH,
    GPU_WRITE_ENTRIES,
    GPU_COPY_ENTRIES,
    GPU_FLUSH,
    GPU_SIGNAL,
    GPU_STORE,
    GPU_OPCODES
};

#define GPU_FLAG_SOURCE_PAGES      0x1u /* COPY: source is the run list */
#define GPU_FLAG_DESTINATION_PAGES 0x2u /* COPY, FILL: destination is the run list */
#define GPU_FLAG_TILE              0x4u /* COPY: linear source, tiled destination; gpu_tiling follows */
#define GPU_FLAG_UNTILE            0x8u /* COPY: tiled source, linear destination; gpu_tiling follows */
#define GPU_FLAG_COHERENT          0x10u /* MAP: snooped */
#define GPU_FLAG_TILED             0x20u /* STAMP, CHECK: the surface is tiled */

/* Whole pages of system memory that follow each other: first page number, and how many more. */
#define GPU_RUN(pfn, pages) ((uint64_t)(pfn) | ((uint64_t)(pages)-1u) << 40)
#define GPU_RUN_PFN(run)    ((run) & ((UINT64_C(1) << 40) - 1u))
#define GPU_RUN_PAGES(run)  (((run) >> 40) + 1u)
#define GPU_RUN_LIMIT       (UINT64_C(1) << 24)

struct gpu_copy {
    struct gpu_command head;
    uint64_t destination; /* address; 0 when the runs are it */
    uint64_t source;      /* likewise */
    uint64_t bytes;
};

/* `destination` (TILE) or `source` (UNTILE) is then the start of the whole surface. */
struct gpu_tiling {
    uint32_t pitch;    /* bytes a row, a multiple of GPU_TILE_WIDTH */
    uint32_t reserved; /* 0 */
    uint64_t offset;   /* of the first byte, in the linear image of the surface */
    uint64_t surface;  /* bytes of the whole surface */
};

struct gpu_fill {
    struct gpu_command head;
    uint32_t pattern; /* repeated, low byte first */
    uint32_t reserved;
    uint64_t destination;
    uint64_t bytes;
};

struct gpu_map { /* runs follow */
    struct gpu_command head;
    uint32_t aperture;
    uint32_t pages;
    uint64_t first; /* page of the aperture */
};

struct gpu_unmap {
    struct gpu_command head;
    uint32_t aperture;
    uint32_t pages;
    uint64_t first;
    uint64_t dummy; /* bus address of the page that all of them shall be */
};

/* READ fetches a byte; WRITE stores it again. */
struct gpu_touch {
    struct gpu_command head;
    uint64_t address;
};

/* STAMP and CHECK (vidmm/umd.h). `address`, TILED and `result` are patched in. */
struct gpu_draw {
    struct gpu_command head;
    uint64_t address; /* of the surface */
    uint64_t result;  /* CHECK: of a struct vidmm_umd_result */
    uint64_t oracle;
    uint64_t surface; /* bytes */
    uint32_t page;
    uint32_t pages;
    uint32_t version;
    uint32_t pitch;
};

struct gpu_spin {
    struct gpu_command head;
    uint32_t steps; /* UINT32_MAX: for ever */
    uint32_t reserved;
};

/*
 * A swizzling range while its surface moves under the CPU's window (SPECIAL_LOCK_TRANSFER).
 * RANGE_BACK: copies window pages from `value` on to the runs that follow, and remembers those.
 * RANGE_DETACH: from now on the remembered pages back the window.
 * RANGE_ATTACH: copies the window to the surface at address `value`, tiled when `pitch` is not 0,
 * and shows that from now on.
 */
struct gpu_range {
    struct gpu_command head;
    uint32_t range;
    uint32_t pitch;
    uint64_t value;
};

/* ---- Commands of a board with an MMU --------------------------------------------------------- */

/*
 * COPY, FILL, READ, WRITE, STAMP, CHECK, SPIN, NOP and SIGNAL are for every submission. All others,
 * page lists (GPU_FLAG_*_PAGES) and GPU_FLAG_PHYSICAL are refused (GPU_FAULT_COMMAND) in virtual
 * submissions that are not paging; tiling is refused in all virtual ones. A shared submission is a
 * virtual one that is not paging. Without an MMU none of those below exist but SIGNAL in those.
 */

/* A command moves no more through virtual addresses, nor do surfaces end further away. */
#define GPU_VIRTUAL_LIMIT (UINT64_C(1) << 32)
/* Nor does it write or copy more entries. */
#define GPU_ENTRIES_LIMIT (1u << 20)

/* Any command in a virtual paging submission: its addresses are physical all the same. */
#define GPU_FLAG_PHYSICAL 0x40u
#define GPU_FLAG_REPEAT   0x80u  /* WRITE_ENTRIES: one entry follows, and all are made from it */
#define GPU_FLAG_NOTIFY   0x100u /* SIGNAL: raises GPU_EVENT_SIGNALED */

/*
 * GPU_WRITE_ENTRIES: 64-bit entries follow; the i-th goes to table + 8 * (first + i * step). A step
 * of 2 writes one half of dual entries (first: 2 * index, or 2 * index + 1 for the 64 KiB tables).
 * With GPU_FLAG_REPEAT one entry follows, and the i-th is that plus i * each: pages that follow
 * each other, or `count` times the same.
 */
struct gpu_write_entries {
    struct gpu_command head;
    uint64_t table; /* a multiple of 8 */
    uint32_t first;
    uint32_t count;
    uint32_t step; /* 1 or 2 */
    uint32_t each; /* REPEAT */
};

/* GPU_COPY_ENTRIES: as if all words were read before the first is written. */
struct gpu_copy_entries {
    struct gpu_command head;
    uint64_t destination; /* of the first word, a multiple of 8 */
    uint64_t source;      /* likewise */
    uint32_t words;
    uint32_t reserved;
};

/* GPU_FLUSH: as the registers, in order with the commands around it. */
struct gpu_flush {
    struct gpu_command head;
    uint32_t what; /* GPU_FLUSH_* */
    uint32_t space;
    uint64_t start;
    uint64_t end;
};

/* GPU_SIGNAL: one 64-bit store, after everything before it. */
struct gpu_signal {
    struct gpu_command head;
    uint64_t address; /* a multiple of 8 */
    uint64_t value;
};

/* GPU_STORE: `bytes` that follow, filled up to a multiple of 8, go to `address`. */
struct gpu_store {
    struct gpu_command head;
    uint64_t address;
    uint64_t bytes;
};

/* ---- The tiled layout ------------------------------------------------------------------------ */

/*
 * A tile is one page: 8 rows of 512 bytes. Tiles of 8 rows of the surface stand side by side, so
 * 8 * pitch bytes of the linear image are permuted among themselves. Rows left over at the end of
 * the surface, fewer than 8, stay linear.
 */
#define GPU_TILE_WIDTH  512u
#define GPU_TILE_HEIGHT 8u
#define GPU_PITCH_LIMIT (1u << 24)

/* Where byte `at` of the linear image is in the tiled one. `pitch` and `surface` must make
 * sense. */
static inline uint64_t gpu_tiled(uint64_t at, uint32_t pitch, uint64_t surface) {
    uint64_t band = (uint64_t)pitch * GPU_TILE_HEIGHT;
    uint64_t start = at / band * band;
    uint64_t row = (at - start) / pitch;
    uint64_t column = (at - start) % pitch;
    if (start + band > surface)
        return at;
    return start + column / GPU_TILE_WIDTH * GPU_PAGE + row * GPU_TILE_WIDTH +
           column % GPU_TILE_WIDTH;
}

#endif
