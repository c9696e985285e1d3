/*
 * tables.h - what the GPU's page tables hold, from the manager's operations alone.
 *
 * A table is known by where it is. Each entry is kept twice: as of the last operation that was
 * built ("asked"), which is what the next operation can rely on, and as of the last one that the
 * GPU completed ("done"), which is what hardware can be compared with unless an operation in
 * between changes it. Tables that no update has filled yet, and all tables after a reset, are not
 * known: what leads through them is not judged.
 *
 * Written by operation/table.c (UPDATE_PAGE_TABLE), operation/entries.c (COPY_PAGE_TABLE_ENTRIES)
 * and operation/flush.c; read by all that judge virtual addresses. Shapes come from watch/mmu.c,
 * processes and roots from watch/process.c.
 */
#ifndef REFEREE_TABLES_H
#define REFEREE_TABLES_H

#include "state/interval.h"
#include "state/keyed.h"
#include "state/owners.h"
#include "state/shadow.h"

#define TABLES_LEVELS     DXGK_MAX_PAGE_TABLE_LEVEL_COUNT
#define TABLES_PAGE_SHIFT 12u
#define TABLES_WIDE_SHIFT 16u

/* ---- The MMU as the driver described it (watch/mmu.c) ---------------------------------------- */

enum tables_pages { TABLES_4K, TABLES_SINGLE, TABLES_DUAL };

struct tables_mmu {
    bool known; /* caps, and every level */
    DXGK_GPUMMUCAPS caps;
    uint32_t levels, described; /* bit n of `described`: level n */
    enum tables_pages pages;
    DXGK_PAGE_TABLE_LEVEL_DESC level[TABLES_LEVELS];
    uint32_t root_entries, root_bytes; /* the most that DxgkDdiGetRootPageTableSize offered */
};

/* That of a physical adapter. */
struct tables_mmu *tables_mmu(struct vidmm_referee *referee, uint32_t physical);
/* The driver described the first one: there are GPU virtual addresses. */
bool tables_known(const struct vidmm_referee *referee);
/* An entry of `level` covers 1 << tables_shift(level) bytes. */
uint32_t tables_shift(const struct tables_mmu *mmu, uint32_t level);
bool tables_has(struct vidmm_referee *referee, uint32_t version, bool bit);
/* First address that no table can translate. */
uint64_t tables_limit(const struct tables_mmu *mmu);
/* Segment and physical adapter that an entry names. */
uint32_t tables_entry_segment(const DXGK_PTE *entry);

/* ---- Tables ---------------------------------------------------------------------------------- */

enum tables_when { TABLES_ASKED, TABLES_DONE };

struct tables_entry {
    DXGK_PTE value[2]; /* by enum tables_when */
    uint8_t known[2];  /* the same */
    uint8_t stale[2];  /* a TLB may still hold what was here before */
    uint16_t pending;  /* operations that were built and are not complete */
};

struct tables_space;

struct tables_table {
    struct keyed keyed;         /* by its place; first */
    struct interval at;         /* GPU physical addresses of its memory */
    struct interval addresses;  /* that it translates */
    struct interval flushes[2]; /* the same, while `stale` of it is not 0 */
    struct tables_space *space; /* of its process */
    D3DGPU_PHYSICAL_ADDRESS place;
    HANDLE process;    /* linked_space of it */
    uint32_t physical; /* of which the MMU reads it */
    uint32_t level, entries;
    uint32_t kinds; /* 2: beside each entry one that leads to a table of 64 KB pages */
    bool wide;      /* leaf: its pages are of 64 KB */
    bool user;      /* of a process other than the paging process */
    uint64_t start; /* first address that it translates; set by tables_set_start */
    uint64_t bytes; /* of memory */
    uint32_t stale[2];
    uint64_t made;              /* as tables_births() counted: no other has the same */
    uint64_t born;              /* as tables_births() counts */
    struct tables_owner *owner; /* of each entry; NULL: none ever led to a named allocation */
    bool alike; /* `entry` has one, which stands for all; only where there is no `owner` */
    struct tables_entry *entry; /* `entries`, then as many of the other kind */
};

/* The tables of one process on one physical adapter, by the addresses that they translate. */
struct tables_space {
    struct keyed keyed; /* by `process`; first */
    HANDLE process;     /* linked_space of the driver's handle, as updates named it */
    uint32_t tables;
    uint32_t stale[2];   /* of all tables */
    uint64_t leaf_bytes; /* of addresses that leaf tables translate, valid or not */
    struct interval_index index;
    struct interval_index flushes[2]; /* of tables with stale entries */
};

/* A process on one physical adapter: it has one address space, and tables on each of them. */
struct tables_process {
    struct keyed keyed;          /* by `handle`; first */
    struct tables_process *next; /* of the system's; physical adapter 0 only */
    HANDLE handle;               /* linked_space of the driver's */
    uint32_t physical;
    HANDLE name; /* the system's */
    bool system;
    uint32_t pages_for; /* `system`: the physical adapter, as they are made one after the other */
    bool rooted;        /* there is a root */
    D3DGPU_PHYSICAL_ADDRESS root; /* the newest */
    uint32_t root_entries;
    uint32_t companions; /* contexts of it that are companion contexts */
};

#define TABLES_RANDOM UINT64_C(0x853c49e6748fea9b) /* the same in every run */

/* Flushes that were over before what was built in front of them (operation/flush.c). */
struct tables_owed {
    uint32_t count, room;
    struct {
        HANDLE process;
        uint64_t start, end;
        uint32_t rule;
    } * flush;
};

struct tables {
    struct tables_mmu mmu[LINKED_MOST];
    struct keyed_table all;
    struct interval_index places; /* of all tables, by GPU physical address */
    struct keyed_table spaces, processes;
    struct tables_process *paging; /* the system's process, the newest first */
    uint64_t births;
    bool lost; /* what tables held, at least once */
    const struct tables_process
        *first_used[LINKED_MOST]; /* paging process whose first use was judged */
    uint64_t random;              /* state of compare_tables.c's generator */
    struct tables_owed owed;
    struct tables_bits *bits; /* operation/table_bits.c; NULL: nothing was seen yet */
};

/* NULL: there is none. */
struct tables_table *tables_find(struct vidmm_referee *referee, D3DGPU_PHYSICAL_ADDRESS place);
/* Makes one in place of all that overlap it. NULL: no memory. */
struct tables_table *tables_make(struct vidmm_referee *referee, D3DGPU_PHYSICAL_ADDRESS place,
                                 HANDLE process, uint32_t level, bool wide, uint32_t entries);
/* It translates addresses from `start` on. */
void tables_set_start(struct vidmm_referee *referee, struct tables_table *table, uint64_t start);
/* A table of the process that translates addresses of [start, end), behind `after`, which is NULL at
 * first; NULL: there is none. */
struct tables_table *tables_translating(struct vidmm_referee *referee, HANDLE process,
                                        uint64_t start, uint64_t end,
                                        const struct tables_table *after);
/* The same, of tables with stale entries. */
struct tables_table *tables_to_flush(const struct tables_space *space, uint64_t start, uint64_t end,
                                     enum tables_when when, const struct tables_table *after);
/* The tables of a process; NULL: it has none. tables_next_space: of the first process, then of the
 * one after `after`. */
struct tables_space *tables_space(struct vidmm_referee *referee, HANDLE process);
struct tables_space *tables_next_space(struct vidmm_referee *referee,
                                       const struct tables_space *after);
/* Bytes of addresses that leaf tables of the process can translate, valid or not. */
uint64_t tables_leaf_bytes(struct vidmm_referee *referee, const struct tables_process *process);
/* Its memory is a table's from now on. */
void tables_bear(struct vidmm_referee *referee, struct tables_table *table);
/* How often that was so; memory of an older operation may be a younger table's. */
uint64_t tables_births(struct vidmm_referee *referee);
/* A table that was born after the first `births` has bytes of the page at a GPU physical address to which
 * an entry with `segment` led; 0: a page of system memory, where tables of segments are not. */
bool tables_take(struct vidmm_referee *referee, uint32_t segment, uint64_t gpu_address,
                 uint64_t births);
/* All tables, for what concerns all memory: the pause of a live migration. */
struct tables_table *tables_each(struct vidmm_referee *referee, const struct tables_table *after);
static inline const struct tables_entry *tables_entry(const struct tables_table *table,
                                                      uint32_t kind, uint32_t index) {
    if (kind >= table->kinds || index >= table->entries)
        return NULL;
    return &table->entry[table->alike ? 0 : kind * table->entries + index];
}
/* The same, to change this entry alone. NULL: there is none, or no memory for a table whose entries differ. */
struct tables_entry *tables_own_entry(struct tables_table *table, uint32_t kind, uint32_t index);
/* Entries of all kinds that are valid as of what was asked. */
uint32_t tables_valid_entries(const struct tables_table *table);
/* The entry leads to memory, if it is valid: not to a table. */
static inline bool tables_is_page(const struct tables_table *table, const DXGK_PTE *entry) {
    return table->level == 0 || entry->LargePage;
}
/* log2 of the bytes that an entry covers. */
uint32_t tables_entry_shift(struct vidmm_referee *referee, const struct tables_table *table);
/* Entries that a table of this kind has; the root of two levels: the most that it may have. */
uint32_t tables_entries(const struct tables_mmu *mmu, uint32_t level, bool wide);
/* What a table with so many takes in memory. */
uint64_t tables_bytes(const struct tables_mmu *mmu, uint32_t level, bool wide, uint32_t entries);
/* The leaf table of an address, of pages of 64 KB or of 4 KB; NULL: none that is known. */
struct tables_table *tables_leaf(struct vidmm_referee *referee,
                                 const struct tables_process *process, uint64_t va, bool wide);
/* Entries *first to *last translate addresses of [start, end); false: none does. */
bool tables_cut(struct vidmm_referee *referee, const struct tables_table *table, uint64_t start,
                uint64_t end, uint32_t *first, uint32_t *last);
/* A TLB may still hold what an entry said before, or does not any more. One that stands for all: of all. */
void tables_set_stale(struct vidmm_referee *referee, struct tables_table *table,
                      struct tables_entry *entry, enum tables_when when, bool stale);

/* By linked_space of the driver's handle, or NULL. */
struct tables_process *tables_process(struct vidmm_referee *referee, HANDLE space);
/* The paging process of a physical adapter, or NULL. */
struct tables_process *tables_paging(struct vidmm_referee *referee, uint32_t physical);
/* It is the system's: a paging process. */
bool tables_of_system(struct vidmm_referee *referee, HANDLE process);
/* The physical adapter for which the system's process of a handle pages, 0 of another one. Operations
 * that set its tables up come before there is a system context. */
uint32_t tables_pages_for(struct vidmm_referee *referee, HANDLE handle);
/* The same, of the one that carries an operation out. */
struct tables_process *tables_paging_of(struct vidmm_referee *referee,
                                        const struct shadow_operation *operation);
struct tables_process *tables_process_add(struct vidmm_referee *referee, HANDLE handle, HANDLE name,
                                          bool system);
void tables_process_remove(struct vidmm_referee *referee, HANDLE handle);
/* Whose addresses a context uses, or NULL. */
struct tables_process *tables_process_of(struct vidmm_referee *referee,
                                         const struct shadow_context *context);
/* The context has the newest root table of the process. */
bool tables_at_root(const struct shadow_context *context, const struct tables_process *process);
/* It is a paging companion context: the system's, and not of the paging process (R386). */
bool tables_companion(struct vidmm_referee *referee, const struct shadow_context *context);
/* The context was made, and what it is and whose is known; it goes. */
void tables_context_made(struct vidmm_referee *referee, struct shadow_context *context);
void tables_context_gone(struct vidmm_referee *referee, const struct shadow_context *context);
/* A companion context runs in its address space. */
bool tables_privileged(struct vidmm_referee *referee, HANDLE process);
/* Whose addresses a paging operation names: the paging process's, or a companion context's. */
struct tables_process *tables_running(struct vidmm_referee *referee,
                                      const struct shadow_operation *operation);
/* Entries that changed and were not flushed. */
uint32_t tables_stale(struct vidmm_referee *referee, const struct tables_process *process,
                      enum tables_when when);

/* A reset: what was in tables is not known any more, and TLBs are empty. */
void tables_forget(struct vidmm_referee *referee);
/* The end of the adapter. */
void tables_clear(struct vidmm_referee *referee);
/* Nothing was lost so far: a table that is not known is new. */
bool tables_intact(struct vidmm_referee *referee);

/* ---- Translation ----------------------------------------------------------------------------- */

struct tables_found {
    bool known;   /* every entry on the way is; what follows means something */
    bool settled; /* and none is about to change */
    bool valid, zero, stale;
    bool wide;                  /* through a table of 64 KB pages */
    bool other_kind;            /* an entry says another kind of pages than its table has */
    DXGK_PTE entry;             /* the last one */
    struct tables_table *table; /* where it is */
    uint32_t index;
    uint32_t segment; /* 0: system memory */
    uint64_t offset;  /* of the byte, in the segment or in system memory */
    uint64_t page;    /* bytes */
};

void tables_walk(struct vidmm_referee *referee, const struct tables_process *process, uint64_t va,
                 enum tables_when when, struct tables_found *found);
/* As peek and translate want it. */
uint64_t tables_gpu_address(struct vidmm_referee *referee, uint32_t segment, uint64_t offset);
/* Where a table is that an operation names in the mode `mode`, by an address of `process`; false:
 * the place is not known. */
bool tables_place(struct vidmm_referee *referee, const struct tables_process *process,
                  const DXGK_PAGETABLEUPDATEADDRESS *address, DXGK_PAGETABLEUPDATEMODE mode,
                  D3DGPU_PHYSICAL_ADDRESS *place);

#endif
