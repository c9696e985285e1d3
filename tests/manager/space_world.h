/*
 * space_world.h - a world for tests of GPU address spaces: an operating system on malloc, a driver
 * whose page table entries are the system's own DXGK_PTE, and a GPU that walks them.
 *
 * The GPU's TLB never forgets on its own: what it once translated it translates the same way until
 * a flush covers it, so that a flush too few shows as a wrong byte.
 */
#ifndef VIDMM_TESTS_SPACE_WORLD_H
#define VIDMM_TESTS_SPACE_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/virtual.h>

#define PAGE UINT64_C(4096)
#define WIDE UINT64_C(65536)
#define MIB  (UINT64_C(1) << 20)

/* Segments, in the driver's order. */
#define VRAM     1u /* memory; its pages are of 64 KiB where the MMU has such */
#define APERTURE 2u
#define SMALL    3u /* memory of 4 KiB pages, CPU-visible */
#define SET(id)  (1u << ((id)-1u))

#define WORLD_PAGES     16384u /* of system memory */
#define WORLD_VA_BITS   26u
#define WORLD_VA_PAGES  (1u << (WORLD_VA_BITS - 12))
#define WORLD_PROCESSES 8u

enum world_pages { PAGES_4K, PAGES_SINGLE, PAGES_DUAL };

/* What the GPU makes of one page. */
struct world_page {
    bool known; /* the TLB has it */
    bool valid, zero, read_only, wide;
    uint32_t segment;
    uint64_t page;
};

struct world_process {
    struct world *world;
    bool used, system, rooted;
    D3DGPU_PHYSICAL_ADDRESS root;
    uint32_t entries;
    struct world_page tlb[WORLD_VA_PAGES];
    uint64_t flushes;
};

struct world {
    /* What the driver says; set before world_start. */
    uint32_t levels, bits[VIDMM_LEVELS_MAX];
    enum world_pages pages;
    DXGK_PAGETABLEUPDATEMODE mode;
    uint32_t table_segment; /* 0 or SMALL */
    uint32_t paging_size;
    enum vidmm_model model;
    void (*spoil)(DXGKARG_QUERYADAPTERINFO *arg);     /* changes answers; may be NULL */
    void (*overlay)(DRIVER_INITIALIZATION_DATA *ddi); /* replaces functions; may be NULL */
    UINT version;
    uint32_t paging_megabytes; /* PAGINGPROCESSGPUVASIZE */
    bool no_root_size;         /* DxgkDdiGetRootPageTableSize is missing */
    bool explicit_invalidation, wants_idle, invalid_cached;
    struct world_dirty *dirty; /* dirty_world.h; NULL: it tracks nothing */

    /* What happened. */
    uint64_t evicted;                /* page tables */
    uint64_t copies;                 /* of page table entries */
    struct world_process *copied_on; /* whose context carried out the newest copy */
    uint64_t updates, roots_set, wide_entries, passes, transfers, fills;
    uint64_t paging_protection; /* the last that was not 0 in the paging process */
    uint64_t hangs_at;          /* so many paging submissions from now one never completes */
    uint32_t objects;
    bool busy; /* a command buffer of a process is on the GPU */
    uint32_t resets;

    /* Memory. */
    uint8_t *ram, *vram, *small;
    uint64_t vram_bytes, small_bytes;
    uint8_t used[WORLD_PAGES];
    uint64_t blocks, bytes, calls, fail_at;
    uint64_t now;
    struct vidmm_os os;
    DRIVER_INITIALIZATION_DATA ddi;
    struct vidmm_adapter *adapter;
    struct vidmm_error error;
    struct world_process process[WORLD_PROCESSES];

    struct world_job {
        uint64_t address, size;
        uint32_t node, fence;
        bool paging, hangs;
        struct world_process *space; /* that its addresses are of */
    } jobs[64];
    uint32_t job_head, job_count;
    struct world_process *space; /* of the job that runs */
};

struct world_desc {
    uint64_t size;
    uint32_t set, preferred, alignment;
};

struct world *world_new(uint32_t levels, enum world_pages pages, DXGK_PAGETABLEUPDATEMODE mode);
enum vidmm_status world_start(struct world *world);
/* Stops the adapter; nothing is left anywhere. */
void world_end(struct world *world);

/* What the GPU makes of `va` now, TLB first. */
struct world_page world_translate(struct world_process *process, uint64_t va);
/* The byte behind a page; NULL: there is none. */
uint8_t *world_byte(struct world *world, uint32_t segment, uint64_t offset);
/* A driver's process, in the order of CreateProcess; 0 is the system process. */
struct world_process *world_process(struct world *world, uint32_t index);
/* What a segment or system page holds, in the tables as they are; no TLB. */
struct world_page world_walk(struct world_process *process, uint64_t va);

#endif
