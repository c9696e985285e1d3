/*
 * linked.h - the physical adapters behind one logical adapter (linked-display-adapter.md): which
 * devices they are, and how the referee tells apart what is theirs.
 *
 * Segments, nodes, GPU physical addresses and page tables are each physical adapter's own. Inside
 * the referee each of these has one number over all of them: physical adapter 0's is the one that
 * calls say, and the index of another adapter is in front of it. Segment 101 is segment 1 of
 * physical adapter 1, node 203 is node 3 of physical adapter 2. Numbers are converted where a call
 * comes in, by the physical adapter that the call or its context names (watch/), and findings say
 * them as they are.
 */
#ifndef REFEREE_STATE_LINKED_H
#define REFEREE_STATE_LINKED_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>

struct vidmm_referee;

#define LINKED_MOST    4u   /* physical adapters of a logical one */
#define LINKED_STRIDE  100u /* more than one of them has segments, or nodes */
#define LINKED_NUMBERS (LINKED_MOST * LINKED_STRIDE)
#define LINKED_ADDRESS 60u /* bits of a GPU physical address that are the adapter's own */

/* Segment `id` of a physical adapter; 0 is system memory on all of them. */
static inline uint32_t linked_segment(uint32_t physical, uint32_t id) {
    return id != 0 ? physical * LINKED_STRIDE + id : 0;
}
static inline uint32_t linked_node(uint32_t physical, uint32_t node) {
    return physical * LINKED_STRIDE + node;
}
/* Of a segment or a node: its physical adapter, and what that one calls it. */
static inline uint32_t linked_physical(uint32_t number) {
    return number / LINKED_STRIDE;
}
static inline uint32_t linked_own(uint32_t number) {
    return number % LINKED_STRIDE;
}

static inline uint64_t linked_address(uint32_t physical, uint64_t address) {
    return address | (uint64_t)physical << LINKED_ADDRESS;
}
static inline uint32_t linked_address_physical(uint64_t address) {
    return (uint32_t)(address >> LINKED_ADDRESS);
}
static inline uint64_t linked_address_own(uint64_t address) {
    return address & ((UINT64_C(1) << LINKED_ADDRESS) - 1);
}

/* The page tables of a process on a physical adapter: its handle, with the index in front. */
static inline HANDLE linked_space(uint32_t physical, HANDLE process) {
    return (HANDLE)((uintptr_t)process | (uintptr_t)physical << LINKED_ADDRESS);
}
static inline uint32_t linked_space_physical(HANDLE space) {
    return linked_address_physical((uintptr_t)space);
}
static inline HANDLE linked_space_process(HANDLE space) {
    return (HANDLE)(uintptr_t)linked_address_own((uintptr_t)space);
}

/* A device between DxgkDdiAddDevice and DxgkDdiRemoveDevice. */
struct linked_device {
    PVOID context; /* MiniportDeviceContext */
    HANDLE handle; /* DeviceHandle of DxgkDdiStartDevice; NULL: not started */
    bool linked;   /* the driver answered DxgkDdiLinkDevice */
    bool lead;     /* and said LeadLink */
    bool reported; /* `physical` is what PHYSICALADAPTERCAPS said */
    uint32_t physical;
    uint32_t links; /* NumberOfLinksInChain that it said, and ChainUid */
    uint64_t chain;
};

struct linked {
    uint32_t devices;
    struct linked_device device[LINKED_MOST]; /* in the order in which they were added */
    PVOID added; /* DxgkDdiLinkDevice comes next, for this one; NULL: not */
    bool whole;  /* that all links are there was judged, or one of them failed */
};

/* Physical adapters of the logical one, at least 1. */
uint32_t linked_count(const struct vidmm_referee *referee);
/* The index that a call named, or 0 when there is no such adapter. */
uint32_t linked_index(const struct vidmm_referee *referee, uint32_t index);
/* What a context is on: `affinity` is EngineAffinity. */
uint32_t linked_of_affinity(const struct vidmm_referee *referee, uint32_t affinity);
/* NULL: no device was started with the handle, or was added with the context. */
struct linked_device *linked_of_handle(struct vidmm_referee *referee, HANDLE handle);
struct linked_device *linked_of_context(struct vidmm_referee *referee, PVOID context);

#endif
