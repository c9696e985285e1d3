/*
 * windows.h - views of the CPU on GPU memory that single calls set up: swizzling ranges
 * (watch/swizzle.c) and the CPU host aperture (watch/host_aperture.c).
 */
#ifndef REFEREE_STATE_WINDOWS_H
#define REFEREE_STATE_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>

#define HOST_APERTURE_UNMAPPED UINT64_MAX /* of a page */

struct swizzle {
    struct {
        HANDLE allocation; /* NULL: free */
        uint64_t cpu;      /* where the CPU sees it */
        uint64_t size;     /* bytes of it */
        uint64_t sample;   /* of what the CPU sees there, while another range goes */
        bool elsewhere;    /* it may not lead to its memory: its release does not show */
    } * range;
    uint32_t ranges;
    SIZE_T granted; /* the most bytes of a range that the driver ever gave */
    /* The last request that was refused as not supported. */
    struct {
        D3DKMT_HANDLE name; /* of the allocation: a driver may use its own handle again; 0: none */
        SIZE_T bytes;
        uint32_t range, segment;
    } unsupported;
    /* The last refusal: nothing has happened since if no call came between. */
    struct {
        HANDLE allocation;
        NTSTATUS status;
        uint64_t call;
        bool released;  /* a range was given up since */
        uint32_t again; /* repeats in a row */
    } refused;
};

struct host_aperture_page {
    uint64_t behind; /* page of the segment */
    uint64_t sample; /* of what the CPU sees there; 0: not looked at */
    HANDLE owner;    /* the allocation that it was mapped for, or NULL */
    uint64_t wrote;  /* `sample` before the unmapping under way */
};

/* Segment pages behind the aperture's, one aperture at a time: the last that was mapped to. */
struct host_aperture {
    uint32_t segment; /* 0: none */
    uint32_t pages;   /* kept: up to the highest that was mapped, or more */
    struct host_aperture_page *page;
};

#endif
