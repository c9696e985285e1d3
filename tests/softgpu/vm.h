/*
 * vm.h - a little memory manager for GPU virtual addresses, by hand: it asks the reference driver
 * for the shape of its page tables, makes them, and has the driver write every entry.
 *
 * On top of the rig. The paging process is made first: its tables are written by the CPU, without a
 * DMA buffer, as the system does it; from then on paging buffers run in its context. Other spaces
 * are updated in the mode that the driver reported. Nothing is ever given back but with the rig.
 */
#ifndef SOFTGPU_TEST_VM_H
#define SOFTGPU_TEST_VM_H

#include "rig.h"

#define VM_TABLES 96u
#define VM_MDLS   256u
#define VM_LEVELS 6u
#define VM_64K    65536u

/* Where bytes are: `offset` in a segment, or a bus address when that is 0. */
struct vm_place {
    uint32_t segment;
    uint64_t offset;
};

struct vm_table {
    uint32_t level;
    bool large;     /* leaves: of 64 KiB pages */
    uint64_t first; /* virtual address that its entry 0 translates */
    struct vm_place at;
    uint64_t paging_va; /* where the paging process sees it, when updates need that */
};

struct vm;

struct vm_space {
    struct vm *vm;
    bool paging;
    HANDLE process, device, context;
    uint32_t root_entries;
    struct vm_table table[VM_TABLES]; /* 0: the root */
    uint32_t tables;
};

struct vm {
    struct rig rig;
    DXGK_GPUMMUCAPS caps;
    DXGK_PAGE_TABLE_LEVEL_DESC level[VM_LEVELS];
    struct rig_segment segment[31];
    uint32_t segments, local; /* the first segment of memory */
    uint64_t local_next;      /* what of it is not taken yet */
    PMDL mdl[VM_MDLS];
    uint32_t mdls;
    uint32_t dma_bytes; /* DMA buffers lent for operations */
    uint64_t scratch;   /* next free address of the paging process */
    struct vm_space system;
};

/* Driver and paging process. `settings` must give the board an MMU. */
void vm_open(struct vm *vm, const struct vidmm_host_setting *settings, uint32_t count);
void vm_close(struct vm *vm);

#define VM_FEATURES 15u /* read-only, no-execute, zero, large pages */

/* MmuLevels, MmuPages, MmuUpdateMode. */
struct vm_shape {
    uint32_t levels, pages, mode;
};

/*
 * A board with all features. Updates by the CPU: small tables in system memory; by GPU virtual
 * address: tables wherever the driver likes; by physical address: tables in VRAM.
 */
void vm_open_shape(struct vm *vm, const struct vm_shape *shape);
/* A test on every combination of the three, each time on a board of its own. */
void vm_each_shape(void (*test)(struct vm *vm, const struct vm_shape *shape));

/* A process with one device and one context on node 0. `token` is its hDxgkProcess. */
void vm_space_make(struct vm *vm, struct vm_space *space, uintptr_t token);
void vm_space_drop(struct vm_space *space);

/* 4 KiB of system memory, somewhere; `bytes` of VRAM in one piece, at a multiple of `align`. */
struct vm_place vm_system_page(struct vm *vm);
struct vm_place vm_local(struct vm *vm, uint64_t bytes, uint64_t align);
/* The CPU's view of it. */
unsigned char *vm_bytes(struct vm *vm, struct vm_place place, size_t bytes);
/* Its GPU physical address. */
uint64_t vm_physical(const struct vm *vm, struct vm_place place);

/* One entry for memory; Flags besides Valid and Segment are the caller's. */
DXGK_PTE vm_entry(struct vm_place place, uint64_t flags);
/* Maps one page of 4 KiB, or of 64 KiB, and flushes. */
void vm_map(struct vm_space *space, uint64_t va, struct vm_place place, bool large, uint64_t flags);
void vm_unmap(struct vm_space *space, uint64_t va, bool large);
/* The table of `level` that translates `va`, made with all above it. */
struct vm_table *vm_table(struct vm_space *space, uint32_t level, uint64_t va, bool large);
/* Bytes of virtual addresses that an entry of `level` covers. */
uint64_t vm_coverage(const struct vm *vm, uint32_t level);
uint32_t vm_index(const struct vm *vm, const struct vm_table *table, uint64_t va);
/* UPDATE_PAGE_TABLE as prepared: finds address and mode of the table, and runs it. */
void vm_update(struct vm_space *space, const struct vm_table *table,
               DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE update);
void vm_flush(struct vm_space *space, uint64_t start, uint64_t end);
/* One operation, to its end. */
void vm_run(struct vm *vm, DXGKARG_BUILDPAGINGBUFFER *args);

/* Shows pages to the paging process, in a row; returns where. */
uint64_t vm_show(struct vm *vm, const struct vm_place *place, uint32_t pages);
void vm_fill(struct vm *vm, uint64_t va, uint64_t bytes, uint32_t pattern);
void vm_transfer(struct vm *vm, uint64_t to, uint64_t from, uint64_t bytes);

/* Submits `bytes` of packets at `va` and lets the GPU run; the driver's answer. */
NTSTATUS vm_submit(struct vm_space *space, uint64_t va, uint32_t bytes);
/* What the hardware makes of an address. */
struct vidmm_hw_translation vm_translate(const struct vm_space *space, uint64_t va);

#endif
