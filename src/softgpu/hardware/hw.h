/*
 * hw.h - the inside of the software GPU: one struct, and what the files of hardware/ call of each
 * other.
 *
 * Locks, outermost first:
 *   run          of each engine: held while it executes, so that a reset can wait for it
 *   ranges_lock  swizzling ranges
 *   lock         registers, queues and events; held for moments, and never while memory is moved or
 *                an interrupt raised
 *   leaves       the MMU's (mmu.h), and that of the CPU's trapped writes (trap.c)
 *
 * Aperture entries are single words, read and written whole: mapping one never disturbs another.
 */
#ifndef SOFTGPU_HW_H
#define SOFTGPU_HW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <vidmm/hwmodel.h>

#include "registers/softgpu_regs.h"

/* ---- Faults to order (vidmm/softgpu.h FaultKind) --------------------------------------------- */

enum hw_damage {
    HW_DAMAGE_NONE,
    HW_DAMAGE_COPY,
    HW_DAMAGE_FILL,
    HW_DAMAGE_MAP,
    HW_DAMAGE_STAMP,
    HW_DAMAGE_SWIZZLE,
    HW_DAMAGE_DROP,
    HW_DAMAGE_UNMAP,
    HW_DAMAGE_DROP_FLUSH,
    HW_DAMAGE_SHORT_FLUSH,
    HW_DAMAGE_DROP_ENTRIES,
    HW_DAMAGE_ENTRY,
    HW_DAMAGE_LOSE_COPY, /* a note of what was written */
    HW_DAMAGE_LOSE_FILL,
    HW_DAMAGE_LOSE_CPU,
    HW_DAMAGE_MARK_WRONG,
    HW_DAMAGE_DROP_CLOSE,
    HW_DAMAGE_KINDS
};

/* ---- State ----------------------------------------------------------------------------------- */

/* Sparse memory of the model's own, zero at first. */
struct hw_memory {
    unsigned char *bytes;
    uint64_t size;
};

/* A page of an aperture: 0 before it was ever mapped. */
typedef _Atomic uint64_t hw_entry;
#define HW_ENTRY_VALID    1u
#define HW_ENTRY_COHERENT 2u

struct hw_aperture {
    hw_entry *entries;
    uint64_t pages;
};

/* Where the addresses of a virtual submission are looked up. */
struct hw_space {
    uint64_t root;    /* table, physical */
    uint32_t entries; /* of it */
    uint32_t id;      /* tag in the TLB */
    uint32_t pasid;   /* shared: whose CPU addresses they are */
    bool shared;      /* the IOMMU translates, not the MMU */
};

/* Where a page fault was met. */
struct hw_trap {
    uint64_t va, root;
    uint32_t space, access, level;
};

/* The page of a leaf table that a command met last: the next entry is likely to be in it. */
struct hw_leaves {
    const hw_entry *entry; /* NULL: none */
    uint32_t shift;        /* of its pages' size */
    uint32_t covers;       /* it translates 1 << covers bytes */
    uint64_t index;        /* virtual address >> covers */
    uint64_t flushes;      /* of the MMU so far: another one, and it has to be found again */
    uint64_t cost_ns;      /* of a walk that ends there */
};

#define HW_NO_ROOT UINT64_MAX

struct hw_submission {
    uint64_t address;
    uint32_t size;
    uint32_t fence;
    uint32_t kind; /* GPU_DOORBELL_RENDER, _PAGING; 0: a preemption request */
    bool mapped;   /* virtual: addresses are looked up in `space` */
    struct hw_space space;
    bool saved; /* which is what the state at `state` says */
    uint64_t state;
};

struct hw_engine {
    uint32_t index;
    pthread_mutex_t run;

    /* Registers and queue, under hw->lock. */
    uint64_t address;
    uint32_t size, fence;
    struct hw_space next_space; /* as written to the registers */
    uint64_t next_state;
    uint32_t events, completed, faulted, fault, preempted;
    uint32_t ended, aborted; /* fences: of what it was done with last; GPU_ENGINE_ABORTED */
    struct hw_trap fault_at;
    struct hw_submission *queue; /* GPU_QUEUE_DEPTH */
    uint32_t head, queued;
    bool active, hung; /* the head of the queue has begun; will never end */
    bool halted;       /* by a page fault */

    /* Execution, under `run`. */
    uint32_t cursor;               /* byte of the active submission */
    uint32_t spun;                 /* steps done of a SPIN */
    bool waiting;                  /* the command at the cursor is not done yet */
    const unsigned char *commands; /* the submission in one piece of host memory, or NULL */
    uint64_t cost_ns;              /* since the last time that time was made to pass */
    bool spending;                 /* that of the newest piece passes */
    bool over;                     /* the submission ends with that, with `outcome` */
    enum gpu_fault outcome;
    bool notify;    /* an interrupt is due before the submission ends */
    bool mapped;    /* the active submission is virtual, in `space` */
    bool translate; /* so are the operands of the command at the cursor */
    bool remote;    /* the command reached pages outside VRAM through tables or lists */
    struct hw_space space;
    enum gpu_fault refused;  /* why the active submission cannot even begin */
    struct hw_leaves leaves; /* of the command at the cursor */
    struct hw_trap trap;     /* the newest page fault met, reported or not */
    _Atomic uint64_t ran;    /* root of the newest submission, for the back door; HW_NO_ROOT */
    _Atomic uint32_t at;     /* copy of `cursor` for the register */
};

struct hw_range {
    uint64_t address, bytes; /* as written to the registers */
    uint32_t pitch;
    uint32_t control;       /* GPU_RANGE_* */
    uint64_t shown_address; /* ATTACHED: what the window shows */
    uint32_t shown_pitch;
    uint64_t shown_bytes;
    unsigned char *window;
    hw_entry *backing; /* DETACHED: pages of system memory */
};

/* host_aperture.c */
struct hw_host_aperture {
    struct hw_memory window; /* the BAR; size 0: there is none */
    int file;                /* of invisible VRAM; -1: it is memory of our own */
    uint32_t page;           /* as written to the register */
};

/* display.c: a connector, as its registers say. */
struct hw_display {
    uint64_t address, shown; /* `shown`: since the last vertical sync */
    uint32_t control, size, pitch;
    uint64_t next; /* when the next vertical sync is */
};

struct hw {
    struct vidmm_hw_host host;
    uint32_t nodes;
    uint32_t range_count;
    uint64_t visible;
    struct hw_memory vram, windows, tables;
    struct hw_aperture aperture[GPU_APERTURES];
    struct hw_host_aperture host_aperture;
    struct hw_mmu *mmu;     /* NULL: a board without */
    struct hw_dirty *dirty; /* likewise: the board keeps no dirty bits */
    bool iommu;             /* it can use the platform's IOMMU, and there is one */
    bool no_content;        /* commands cost and fault as ever; memory has no content to move */

    pthread_mutex_t lock;
    struct hw_engine engine[GPU_ENGINES];
    bool interrupts;

    uint32_t displays; /* connectors; they and what follows are under lock */
    struct hw_display display[GPU_DISPLAYS];
    uint32_t vsync_wanted, vsync_events; /* bit n: of connector n */

    pthread_mutex_t ranges_lock;
    struct hw_range range[GPU_RANGE_LIMIT];
    _Atomic uint32_t ranges_on; /* how many are not OFF */

    uint64_t damage_kind, damage_at;
    _Atomic uint64_t actions; /* of damage_kind so far */
    uint64_t hang_at[3];      /* by GPU_DOORBELL_* */
    uint64_t begun[3];        /* under lock */
};

/* There are other boards on its bridge. */
static inline bool hw_linked(const struct hw *hw) {
    return hw->host.linked > 1 && hw->host.peer;
}

/* ---- power.c: registers and memory without power ------------------------------------------------ */

void hw_power(struct hw *hw, enum vidmm_hw_power power);

/* ---- damage.c: faults to order --------------------------------------------------------------- */

/* True for the action that FaultKind and FaultAt name. */
bool hw_damaged(struct hw *hw, enum hw_damage kind);

/* ---- memory.c: physical addresses ------------------------------------------------------------ */

/* Says which setting makes no sense, in a clause; false. */
static inline bool hw_refuse(const struct hw *hw, const char *why) {
    hw->host.failed(hw->host.ctx, why);
    return false;
}
bool hw_memory_make(struct hw_memory *memory, uint64_t size);
void hw_memory_drop(struct hw_memory *memory);
/* All of it reads as zero again. */
void hw_memory_clear(struct hw_memory *memory);

/*
 * The board that has `*address`: this one, or the linked one behind a window (GPU_PEER_BASE), whose
 * own address it then becomes. NULL: there is no such board.
 */
struct hw *hw_peer_owner(struct hw *hw, uint64_t *address); /* of a window */
static inline struct hw *hw_owner(struct hw *hw, uint64_t *address) {
    return GPU_PEER_WINDOW(*address) == 0 ? hw : hw_peer_owner(hw, address);
}
/* Host memory at `address`: `*bytes` in is what is wanted, out how much of it is in one piece. */
enum gpu_fault hw_at(struct hw *hw, uint64_t address, unsigned char **at, uint64_t *bytes);
/* Whether accesses to a page of this board's apertures snoop; false: none is mapped there. */
bool hw_aperture_snoops(const struct hw *hw, uint64_t address, bool *snoops);
/* Is [address, address + bytes) inside one memory, aperture or the bus? */
bool hw_inside(struct hw *hw, uint64_t address, uint64_t bytes);
static inline bool hw_within(uint64_t offset, uint64_t bytes, uint64_t size) {
    return offset < size && bytes <= size - offset;
}

/* Is it in this board's own VRAM? */
static inline bool hw_in_vram(const struct hw *hw, uint64_t address, uint64_t bytes) {
    return address >= GPU_VRAM_BASE && hw_within(address - GPU_VRAM_BASE, bytes, hw->vram.size);
}

static inline unsigned char *hw_vram_at(const struct hw *hw, uint64_t address) {
    return hw->vram.bytes + (address - GPU_VRAM_BASE);
}

/* As hw_at, of a bus address: all, or what is left of the page. */
enum gpu_fault hw_bus_at(struct hw *hw, uint64_t address, unsigned char **at, uint64_t *bytes);

/* ---- reach.c: addresses of any kind ---------------------------------------------------------- */

/*
 * Whose addresses? `by` is an engine whose active submission translates them, or NULL: they are
 * physical. `access` is GPU_ACCESS_*.
 */
enum gpu_fault hw_reach(struct hw *hw, struct hw_engine *by, uint32_t access, uint64_t address,
                        unsigned char **at, uint64_t *bytes);
enum gpu_fault hw_read(struct hw *hw, struct hw_engine *by, uint32_t access, uint64_t address,
                       void *out, uint64_t bytes);
enum gpu_fault hw_write(struct hw *hw, struct hw_engine *by, uint64_t address, const void *in,
                        uint64_t bytes);
/* `by` for the operands of the command at an engine's cursor. */
static inline struct hw_engine *hw_operand_space(struct hw_engine *engine) {
    return engine->translate ? engine : NULL;
}
/* May a command name this operand? Physical: as hw_inside. Virtual: the pages have to say. */
bool hw_named(struct hw *hw, const struct hw_engine *engine, uint64_t address, uint64_t bytes);

/* ---- translate.c: virtual addresses; mmu.h has what only the MMU needs ----------------------- */

struct hw_mmu;
/* As hw_at. What cannot be reached is noted in engine->trap. */
enum gpu_fault hw_mmu_at(struct hw *hw, struct hw_engine *engine, uint32_t access, uint64_t va,
                         unsigned char **at, uint64_t *bytes);
/*
 * The same piece after piece, from `va` on, until `bytes` or the room for `*count` pieces are used
 * up, or one cannot be reached, which is answered. `*count` becomes how many were.
 */
struct hw_piece;
enum gpu_fault hw_mmu_pieces(struct hw *hw, struct hw_engine *engine, uint32_t access, uint64_t va,
                             uint64_t bytes, struct hw_piece *piece, uint32_t *count);
/* A submission begins in this space; false when there is no such. */
bool hw_mmu_enter(struct hw *hw, const struct hw_space *space);

/* ---- host_aperture.c: the CPU's window to what no BAR shows ---------------------------------- */

/* `bytes` of it; after VRAM was made. Dropped after that. */
bool hw_host_aperture_make(struct hw *hw, uint64_t bytes);
void hw_host_aperture_drop(struct hw *hw);
/* VRAM reads as zero; pages lead where they led. */
void hw_host_aperture_reset(struct hw *hw);
uint64_t hw_host_aperture_read(const struct hw *hw);
void hw_host_aperture_write(struct hw *hw, uint32_t offset, uint64_t value);

/* ---- display.c: connectors ------------------------------------------------------------------- */

/* So many; false: that cannot be. */
bool hw_displays_make(struct hw *hw, uint64_t count);
/* Off, as before they were made to show anything. */
void hw_displays_stop(struct hw *hw);
/* Vertical syncs whose time has come; true: some are events. */
bool hw_displays_step(struct hw *hw);
bool hw_display_scanout(struct hw *hw, uint32_t head, struct vidmm_hw_scanout *out);
uint64_t hw_displays_read(struct hw *hw, uint32_t offset);
void hw_displays_write(struct hw *hw, uint32_t offset, uint64_t value);

/* ---- context.c: contexts whose state is in memory -------------------------------------------- */

/* The active submission begins: its space, and the save area as it should be. */
enum gpu_fault hw_context_restore(struct hw *hw, struct hw_engine *engine, uint64_t state);
/* It came to its end. */
enum gpu_fault hw_context_save(struct hw *hw, struct hw_engine *engine, uint64_t state);

/* ---- iommu.c: addresses of the CPU ----------------------------------------------------------- */

/* As hw_mmu_at, for a submission that shares the address space of a process. */
enum gpu_fault hw_iommu_at(struct hw *hw, struct hw_engine *engine, uint32_t access, uint64_t va,
                           unsigned char **at, uint64_t *bytes);

/* ---- walk.c: one side of a command, as pieces of host memory --------------------------------- */

#define HW_PIECES 64u

struct hw_piece {
    unsigned char *at;
    uint64_t bytes;
};

/* Walks an address range or the run list of the command at the engine's cursor. */
struct hw_walk {
    struct hw *hw;
    struct hw_engine *engine;
    bool runs;
    uint32_t access;             /* not runs: GPU_ACCESS_* */
    uint64_t address;            /* not runs: where we are */
    uint32_t run_at, run_end;    /* runs: offsets in the submission */
    uint64_t run_pfn, run_pages; /* the rest of the current run */
    uint64_t left;               /* bytes */
    struct hw_piece piece[HW_PIECES];
    uint32_t count, next;
};

/* In the space of the engine's command. */
void hw_walk_address(struct hw_walk *walk, struct hw *hw, struct hw_engine *engine, uint32_t access,
                     uint64_t address, uint64_t bytes);
void hw_walk_runs(struct hw_walk *walk, struct hw *hw, struct hw_engine *engine, uint32_t offset,
                  uint32_t end, uint64_t bytes);
/* Resolves another batch behind the piece that is left, if one is. A fault: there is none at
 * all. */
enum gpu_fault hw_walk_refill(struct hw_walk *walk);
/*
 * The current piece, or NULL at the end (`*fault` NONE) or where nothing is (`*fault` says why).
 * Resolves early by one piece, so that there is always a next one to fetch ahead from.
 */
static inline struct hw_piece *hw_walk_piece(struct hw_walk *walk, enum gpu_fault *fault) {
    *fault = GPU_FAULT_NONE;
    if (walk->next + 1 >= walk->count && walk->left != 0)
        *fault = hw_walk_refill(walk);
    return walk->next < walk->count ? &walk->piece[walk->next] : NULL;
}
/* Takes `bytes` off the current piece. */
static inline void hw_walk_take(struct hw_walk *walk, uint64_t bytes) {
    struct hw_piece *piece = &walk->piece[walk->next];
    piece->at += bytes;
    piece->bytes -= bytes;
    walk->next += piece->bytes == 0;
}
/* Where the bytes after the first `bytes` of the current piece are, if known by now. */
static inline const unsigned char *hw_walk_ahead(const struct hw_walk *walk, uint64_t bytes) {
    const struct hw_piece *piece = &walk->piece[walk->next];
    if (bytes < piece->bytes)
        return piece->at + bytes;
    return walk->next + 1 < walk->count ? piece[1].at : NULL;
}

/* ---- note.c: dirty bits (dirty.h) ------------------------------------------------------------ */

/*
 * `bytes` at `at`, in one memory of any kind, were written: after the store. What an engine writes
 * is noted together, when the submission ends or hw_dirty_settle is called, at the latest when the
 * step does. `lost`: the fault that may be ordered for such a note, or NONE.
 */
void hw_dirty_note(struct hw *hw, const void *at, uint64_t bytes, enum hw_damage lost);
static inline void hw_wrote(struct hw *hw, const void *at, uint64_t bytes) {
    if (hw->dirty)
        hw_dirty_note(hw, at, bytes, HW_DAMAGE_NONE);
}
/* This thread executes for `engine`, whose `run` it holds, until the end. */
void hw_dirty_begin(struct hw *hw, const struct hw_engine *engine);
void hw_dirty_settle(struct hw *hw);
void hw_dirty_end(struct hw *hw);

/* ---- fetch.c: reading commands --------------------------------------------------------------- */

/* Of a submission that is not in one piece of host memory. */
enum gpu_fault hw_engine_gather(struct hw *hw, struct hw_engine *engine, uint32_t offset, void *out,
                                uint32_t bytes);
/* `bytes` at `offset` of the active submission. */
static inline enum gpu_fault hw_engine_fetch(struct hw *hw, struct hw_engine *engine,
                                             uint32_t offset, void *out, uint32_t bytes) {
    if (!engine->commands)
        return hw_engine_gather(hw, engine, offset, out, bytes);
    memcpy(out, engine->commands + offset, bytes);
    return GPU_FAULT_NONE;
}
/* Reads a command's operands; a fault when it is too short for them. */
static inline enum gpu_fault hw_operands(struct hw *hw, struct hw_engine *engine,
                                         const struct gpu_command *head, void *out,
                                         uint32_t bytes) {
    return head->size < bytes ? GPU_FAULT_COMMAND
                              : hw_engine_fetch(hw, engine, engine->cursor, out, bytes);
}

/* ---- engine.c: queues and execution ---------------------------------------------------------- */

bool hw_engine_make(struct hw *hw, uint32_t index);
void hw_engine_drop(struct hw *hw, struct hw_engine *engine);
void hw_engine_doorbell(struct hw *hw, struct hw_engine *engine, uint32_t kind);
void hw_engine_preempt(struct hw *hw, struct hw_engine *engine, uint32_t fence);
/* engine_registers.c */
uint64_t hw_engine_read(struct hw *hw, struct hw_engine *engine, uint32_t offset);
/* All registers but DOORBELL, PREEMPT and STATE, which do something. */
void hw_engine_write(struct hw *hw, struct hw_engine *engine, uint32_t offset, uint64_t value);
/* Raises the interrupt when it is enabled; no lock may be held. */
void hw_interrupt(struct hw *hw);
void hw_engine_stop(struct hw *hw, struct hw_engine *engine);
bool hw_engine_step(struct hw *hw, struct hw_engine *engine);

/* ---- paging.c, render.c, table.c, range.c: commands, whose head was read and has a good size - */

typedef enum gpu_fault hw_command(struct hw *hw, struct hw_engine *engine,
                                  const struct gpu_command *head);
hw_command hw_copy_command, hw_fill_command, hw_map_command, hw_unmap_command, hw_touch_command;
hw_command hw_draw_command, hw_spin_command;
hw_command hw_range_back_command, hw_range_detach_command, hw_range_attach_command;
hw_command hw_write_entries_command, hw_copy_entries_command, hw_flush_command;
hw_command hw_signal_command, hw_store_command;

/* ---- tile.c: the tiled layout ---------------------------------------------------------------- */

/* Is there such a surface in VRAM? Nothing else is ever tiled. */
bool hw_tiled_surface(const struct hw *hw, uint64_t address, uint32_t pitch, uint64_t surface);
/* Bytes [at, at + bytes) of the linear image of a surface that hw_tiled_surface accepted. */
void hw_tile(struct hw *hw, uint64_t address, uint32_t pitch, uint64_t surface, uint64_t at,
             const unsigned char *linear, uint64_t bytes);
void hw_untile(struct hw *hw, uint64_t address, uint32_t pitch, uint64_t surface, uint64_t at,
               unsigned char *linear, uint64_t bytes);

/* ---- range.c: swizzling ranges --------------------------------------------------------------- */

uint64_t hw_range_read(struct hw *hw, uint32_t offset);
void hw_range_write(struct hw *hw, uint32_t offset, uint64_t value);
/* Brings what the CPU wrote through windows to [address, address + bytes) before a GPU access. */
void hw_ranges_before(struct hw *hw, uint64_t address, uint64_t bytes);
/* Shows in windows what the GPU wrote there. */
void hw_ranges_after(struct hw *hw, uint64_t address, uint64_t bytes);
void hw_ranges_stop(struct hw *hw);
/* The same where the board loses its power: windows show nothing then, and memory has what was written through them. */
void hw_ranges_lose(struct hw *hw);

#endif
