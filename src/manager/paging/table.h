/*
 * table.h - the page tables of one address space on one physical adapter: the tree, and where its
 * tables live. Linked adapters share the addresses of a process, and each has its own tables of them
 * (per-process-gpu-virtual-address-spaces.md): a space each, of which the first one has the VA map.
 *
 * table.c makes tables and finds them; table_plan.c adds what must be written into them to the plan
 * under construction; virtual_build.c makes the driver's operation of each such step, with entries
 * that are computed then and live no longer than the call. What the hardware's tables hold is known
 * at that moment only, so that is also when it is noted what translations a TLB may hold wrongly
 * (space.stale_*): FLUSH_TLB covers exactly that.
 */
#ifndef VIDMM_MANAGER_TABLE_H
#define VIDMM_MANAGER_TABLE_H

#include "reported/mmu.h"
#include "memory/segment.h"
#include "paging/space.h"
#include "object/va.h"

#define TABLE_ENTRIES_MAX 1024u /* of one operation that does not repeat a single entry */
#define TABLE_RANGES_MAX  64u   /* of one COPY_PAGE_TABLE_ENTRIES */

struct table_memory {
    uint64_t size;           /* bytes; 0: there is none */
    struct segment *segment; /* NULL: system memory */
    struct placement place;
    PMDL mdl;
    uint8_t *cpu;             /* NULL: the CPU never writes it */
    struct host_window *host; /* through which it does (host_aperture.h); NULL: none */
    uint64_t window;          /* its address in the paging process's space; 0: none */
    uint64_t privileged_va;   /* its address in the privileged space (privileged.h); 0: none */
    uint64_t *valid;          /* a bit for each entry that was written and is valid */
    uint32_t entries;
};

struct table {
    struct space *space;
    struct table *parent; /* NULL: the root */
    struct table *next;   /* of space->fresh or of the dying */
    uint64_t start;       /* the first address that it translates */
    uint32_t level, entries;
    bool wide;                     /* MMU_PAGES_SINGLE, leaf: its pages are of 64 KiB now */
    DXGK_PTE large;                /* the valid entry above that leads to memory instead */
    struct table_memory memory[2]; /* [1]: MMU_PAGES_DUAL, leaf: the table of 64 KiB pages */
    struct table **child;          /* above the leaves: `entries` of them, room for child_size */
    uint32_t child_size, children; /* that there are */
};

/* Mappings whose entries are written together (gather.h). */
struct gathered_range {
    uint64_t start, end;
};

/* The fence that tells of it. */
struct gathered_fence {
    uint64_t *reached; /* where its value is kept, under fence_lock */
    uint64_t address;  /* in the paging process of physical adapter 0, for the GPU; 0: none */
    uint64_t value;
};

struct gathered {
    struct gathered_range *ranges; /* that follow each other in time, not in addresses */
    uint32_t count, capacity;
    uint32_t calls; /* that they come from */
    struct gathered_fence fence;
};

struct space {
    struct vidmm_adapter *adapter;
    struct vidmm_process *process;
    uint32_t physical; /* the physical adapter that has the tables */
    const struct mmu *mmu;
    struct space *peer; /* of the same process, on the next physical adapter; NULL: on none */
    bool paging;        /* the paging process's: it has no peer */
    bool now;      /* its tables are written by the CPU, without a paging buffer: at the start */
    struct va *va; /* of all peers: `own` of the first one */
    struct va own;
    uint64_t reservations;            /* made so far */
    struct table *root;               /* NULL: there is none yet, or `away` */
    bool away;                        /* its tables were evicted: table_eviction.h */
    struct table *fresh, *fresh_last; /* made, not written yet; parents first */
    struct table_memory old_root;     /* while the root grows, or moves */
    bool grown;                       /* the new one was written since: entries go there */
    uint32_t old_entries;             /* of it */
    uint64_t stale_start, stale_end;  /* addresses that a TLB may translate wrongly */
    struct gathered gathered;         /* of all peers, in the first one */
};

/* System pages that the paging process sees for ever. */
struct kept_pages {
    uint64_t start, size;
    PMDL mdl;
};

/* A place for a table, which is made by eviction if need be. */
struct table_place {
    const struct vidmm_process *runs; /* whose tables are needed */
    struct segment *segment;
    const struct segment_request *request;
};

/* Of a physical adapter. */
struct spaces {
    /*
     * Hook: residency/room.c decides what gives way to a page table, above the code that makes
     * tables. VIDMM_DOES_NOT_FIT, without an error: nothing is left that could leave.
     */
    enum vidmm_status (*make_place)(struct vidmm_adapter *adapter, const struct table_place *wanted,
                                    struct placement *place);
    struct space *paging; /* of its system process; NULL without GPU virtual addresses */
    uint64_t scratch_start, scratch_end, scratch_next;
    bool wrapped;      /* the next scratch mapping replaces one that may be in use */
    DXGK_PTE *entries; /* TABLE_ENTRIES_MAX of them, twice */
    DXGK_BUILDPAGINGBUFFER_COPY_RANGE ranges[TABLE_RANGES_MAX];
    struct kept_pages *kept;
    uint32_t kept_count, kept_capacity;
};

/* What an operation writes. */
enum table_write {
    TABLE_INIT,       /* every entry invalid, for the first time */
    TABLE_CLEAR,      /* [start, end) invalid */
    TABLE_ZERO,       /* [start, end) reads as zero */
    TABLE_PAGES,      /* [start, end) leads to pages */
    TABLE_LINKS,      /* [start, end) leads to the tables below, or large pages, as they are */
    TABLE_LARGE,      /* [start, end) leads to large pages */
    TABLE_LARGE_ZERO, /* [start, end) reads as zero, by entries above the leaves */
    TABLE_SMALL,      /* from large pages to the tables below */
    TABLE_CONVERT,    /* from 64 KiB pages to 4 KiB pages, all invalid */
    TABLE_LEAVE,      /* every entry invalid: the table's memory goes */
    TABLE_EVICT,      /* the same, and the driver is told that it is evicted */
    TABLE_COPY,       /* [start, end) leads where the addresses from `offset` on led */
};

/* UPDATE_PAGE_TABLE, COPY_ENTRIES, FLUSH_TLB: the part of struct plan_op that is theirs. */
struct table_op {
    struct space *space;
    struct table *table; /* UPDATE_PAGE_TABLE */
    enum table_write write;
    bool wide; /* MMU_PAGES_DUAL: in the table of 64 KiB pages */
    bool old;  /* in space->old_root */
    bool now;  /* by the CPU, without a paging buffer */
    uint64_t start, end;
    /* TABLE_PAGES, TABLE_LARGE: */
    const struct segment *segment; /* NULL: the pages of `mdl` */
    struct placement place;
    PMDL mdl;
    uint64_t offset;
    const struct space *source; /* TABLE_COPY: whose addresses */
    bool coherent, read_only, no_execute;
    uint64_t driver_protection;
};

/* The first of those that share the addresses. */
static inline struct space *space_of(const struct mapping *mapping) {
    return (struct space *)(void *)((char *)mapping->va - offsetof(struct space, own));
}

/* ---- table.c --------------------------------------------------------------------------------- */

/*
 * Tables that are in memory, and which of them were not written yet: what tables_prepare made, and
 * a plan begins with (tables_begin). Where nothing is made: .space alone.
 */
struct tables_ready {
    struct space *space;
};
/*
 * The functions down to tables_detach work on the space and on its peers, and tables_begin likewise.
 *
 * A root, and tables that translate [start, end), in memory; what is new waits in space->fresh. May
 * evict with plans of its own to make room: not while moves of another plan are on paper.
 */
enum vidmm_status tables_prepare(struct space *space, uint64_t start, uint64_t end,
                                 struct tables_ready *ready);
/* The same of roots alone: other memory for those that there are. */
enum vidmm_status tables_prepare_roots(struct space *space, struct tables_ready *ready);
/* The fresh ones were written: they stay. */
void tables_keep(struct space *space);
/* They were not, and go; a root that was to grow is as it was. */
void tables_drop(struct space *space);
/* Takes leaf tables without a used address in [start, end) out of the tree, and those above that
 * nothing is left in: the dying, leaves first. */
struct table *tables_detach(struct space *space, uint64_t start, uint64_t end);
void tables_attach(struct table *dying);
void tables_free(struct table *dying);
/* All of a space, without its peers. */
void tables_end(struct space *space);

/* `table`, or the table above it, in whose place an entry leads to memory; NULL: none is. */
static inline const struct table *table_in_large(const struct table *table) {
    while (table && !table->large.Valid)
        table = table->parent;
    return table;
}
/* The leaf table of `*at`, or of the first address behind it below `end` that has one. */
struct table *table_leaf(const struct space *space, uint64_t *at, uint64_t end);
/* The first address behind `table`. */
uint64_t table_end(const struct table *table);
/* Where the driver finds it. */
D3DGPU_PHYSICAL_ADDRESS table_address(const struct table_memory *memory);
void table_memory_free(struct space *space, struct table_memory *memory);

/* ---- table_plan.c: false: no memory ---------------------------------------------------------- */

/*
 * Begins a plan with what was prepared: the fresh tables' windows, their first content, and the
 * entries that lead to them. The plan is begun also without memory for that.
 */
bool tables_begin(struct plan *plan, const struct tables_ready *ready,
                  enum vidmm_plan_reason reason);
/* No context uses the old root; free it like any table. */
bool tables_emit_old_root(struct plan *plan, struct space *space);
/* Removes the links to the dying tables, and the tables' windows. */
bool tables_emit_end(struct plan *plan, struct table *dying);
/* Before all of a space goes: every entry invalid where the driver wants that, no windows. */
bool tables_emit_leave(struct plan *plan, struct space *space);
/* The same before its tables are evicted, of which the driver is told (R236). */
bool tables_emit_away(struct plan *plan, struct space *space);
/* After the memory was lost: everything anew. */
bool tables_emit_again(struct plan *plan, struct space *space);
/* Writes the PTEs for [start, end) of one space from the VA map. */
bool table_write_ptes(struct plan *plan, struct space *space, uint64_t start, uint64_t end);
/* Where entries are copied from: the tables of a space, and the address of the first. */
struct table_copied {
    const struct space *space;
    uint64_t from;
};
/*
 * In a plan of a companion context: the GPU copies the entries of [start, end). Where the GPU
 * cannot copy them, the PTEs are written from the VA map, which has the change already.
 */
bool table_copy(struct plan *plan, const struct table_copied *source, struct space *space,
                uint64_t start, uint64_t end);
/* The next part of a copy to `to` of `space`: leaf tables of both sides, and its bytes. `*from`
 * NULL: there is none. */
uint64_t table_copy_part(const struct table_copied *source, const struct space *space, uint64_t to,
                         uint64_t left, struct table **from, struct table **target);
/* Writes the PTEs of one mapping on each physical adapter: `view`, or invalid entries if `view` is
 * NULL. */
bool table_map_view(struct plan *plan, const struct mapping *mapping, const struct view *view);
/* After table_map_view of all mappings of `allocation`: those that lie side by side share large
 * pages. */
bool table_join_moved(struct plan *plan, const struct vidmm_allocation *allocation,
                      const struct view *view);
/* [start, end) of a paging process leads to pages of `allocation`, or of `mdl`, from `offset`. */
struct table_source {
    struct vidmm_allocation *allocation;
    struct view view;
    PMDL mdl;
    uint64_t offset, driver_protection;
};
bool table_scratch(struct plan *plan, struct space *paging, uint64_t start, uint64_t end,
                   const struct table_source *source);
bool table_flush(struct plan *plan, struct space *space);

#endif
