/*
 * windows.h - views of the CPU on GPU memory that single calls set up: swizzling ranges
 * (watch/swizzle.c) and the CPU host aperture (watch/host_aperture.c).
 */
#ifndef REFEREE_STATE_WINDOWS_H
#define REFEREE_STATE_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>

#define SWIZZLE_RANGES      64u
#define HOST_APERTURE_PAGES 4096u /* of an aperture that are followed */

#define HOST_APERTURE_UNMAPPED UINT64_MAX /* of a page */

struct swizzle {
    struct {
        HANDLE allocation; /* NULL: free */
        uint64_t cpu;      /* where the CPU sees it */
        uint64_t sample;   /* of what the CPU sees there, while another range goes */
    } range[SWIZZLE_RANGES];
    /* The last refusal: nothing has happened since if no call came between. */
    struct {
        HANDLE allocation;
        NTSTATUS status;
        uint64_t call;
        bool released;  /* a range was given up since */
        uint32_t again; /* repeats in a row */
    } refused;
};

/* Segment pages behind the aperture's, one aperture at a time: the last that was mapped to. */
struct host_aperture {
    uint32_t segment; /* 0: none */
    uint64_t page[HOST_APERTURE_PAGES];
    uint64_t sample[HOST_APERTURE_PAGES]; /* of what the CPU sees there; 0: not looked at */
    HANDLE owner[HOST_APERTURE_PAGES];    /* the allocation that a page was mapped for, or NULL */
    uint64_t wrote[HOST_APERTURE_PAGES];  /* `sample` before the unmapping under way */
};

#endif
