/*
 * host_window.h - the windows of a CPU host aperture: for host_aperture.c, and for the checks of
 * debug builds (check/check_views.c), which walk them.
 */
#ifndef VIDMM_MANAGER_HOST_WINDOW_H
#define VIDMM_MANAGER_HOST_WINDOW_H

#include <ntddk.h>

#include "memory/placer.h"

struct segment;
struct vidmm_adapter;
struct vidmm_allocation;

/* One allocation's pages of the aperture, or one page table's. */
struct host_window {
    struct vidmm_adapter *adapter;
    struct host_aperture *aperture;
    struct host_window *previous, *next; /* idle ones, let go of longest ago first */
    bool idle;
    struct vidmm_allocation *allocation; /* NULL: it is a page table's */
    struct placer_block *block;
    void *cpu;
    uint32_t count;
    UINT32 pages[]; /* of the aperture */
};

/* Of one segment. */
struct host_aperture {
    struct segment *segment;
    struct placer placer;
    struct host_window *first, *last;
    uint64_t table_bytes; /* of windows of page tables */
};

#endif
