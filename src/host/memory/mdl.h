/*
 * mdl.h - memory descriptor lists and their linear views.
 *
 * Every MDL of the run is recorded by its address, with data that an MDL does not have: its true
 * size, the owner of its pages, and their linear view.
 */
#ifndef HOST_MDL_H
#define HOST_MDL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntddk.h>

enum host_mdl_pages {
    HOST_MDL_BORROWED, /* describes memory that is not its own (IoAllocateMdl) */
    HOST_MDL_DRIVER,   /* owns its frames (MmAllocatePagesForMdl) */
    HOST_MDL_MANAGER,  /* owns its frames (os.pages_alloc) */
    HOST_MDL_PART,     /* describes frames of another one of the manager (os.pages_part) */
    HOST_MDL_RELEASED, /* its frames were freed by MmFreePagesFromMdl */
};

/* How the frames of an MDL lie. */
enum host_mdl_runs {
    HOST_RUNS_ANY,
    HOST_RUNS_LARGE, /* as VIDMM_PAGES_LARGE wants */
    HOST_RUNS_ONE,
};

#define HOST_MDLS_FREED 64u

struct host_mdl {
    struct host_mdl *next, *previous;
    enum host_mdl_pages kind;
    uint64_t pages;
    void *view;       /* linear view, or NULL */
    bool view_is_own; /* mapped for this MDL, not part of RAM's own mapping */
    void *lent;       /* of pages that it does not own: where the driver has mapped them, or NULL */
    void *reserved;   /* addresses of such a view that is not mapped yet, or NULL */
    MDL mdl;          /* PFNs follow */
};

struct host_mdls {
    pthread_mutex_t lock; /* over the list, and the view of every MDL on it */
    struct host_mdl *first;
    /* MDLs that were freed: kept for a while, with frame numbers that are none. */
    struct host_mdl *freed[HOST_MDLS_FREED];
    /* Where a driver had mapped such pages: nothing is there any more. */
    struct host_mdl_gone {
        uint8_t *view; /* NULL: nothing */
        uint64_t bytes;
        bool freed; /* the system freed the MDL; else the driver unmapped it */
    } gone[HOST_MDLS_FREED];
    uint32_t next_freed, next_gone;
    uint32_t borrowed; /* mappings of pages that an MDL does not own, so far */
};

void host_mdls_init(struct host_mdls *mdls);
/* Frees everything that is left. */
void host_mdls_done(struct host_mdls *mdls);
/* Number of live MDLs of the driver. */
uint64_t host_mdls_left(struct host_mdls *mdls);

/* What MmAllocatePagesForMdlEx and DxgkCbAllocatePagesForMdl have in common. */
PMDL host_mdl_take(PHYSICAL_ADDRESS lowest, PHYSICAL_ADDRESS highest, SIZE_T bytes, ULONG flags);
PMDL host_pages_alloc(enum host_mdl_pages kind, uint64_t pages, enum host_mdl_runs runs,
                      uint64_t first, uint64_t limit);
/* An MDL of these pages of `mdl`; NULL: no memory. */
PMDL host_mdl_part(PMDL mdl, uint64_t first, uint64_t pages);
/* Linear view of an MDL's pages, or NULL. */
void *host_mdl_map(PMDL mdl);
/* Where that view is or will be, and its bytes; 0: nowhere. */
uint64_t host_mdl_reserve(PMDL mdl, uint64_t *bytes);
void host_mdl_unmap(PMDL mdl);
/* Says so if a driver's mapping of pages that are not its own was at the address; true: it has other memory
 * there now, so that the instruction can go on. */
bool host_mdl_gone_fault(uint64_t address, bool writes);
/* Says so if one is beside the address. Never true: there is no memory to go on with. */
bool host_mdl_beside_fault(uint64_t address, bool writes);
void host_mdl_free(PMDL mdl);
/* True when `p` is an MDL that MmFreePagesFromMdl has emptied, and frees it (the driver called
 * ExFreePool). */
bool host_mdl_free_as_pool(void *p);

#endif
