/*
 * tiny.h - the smallest driver and the smallest hardware that a host can run, for its tests.
 *
 * The hardware counts a doorbell down, one step() for each ring, and interrupts when a ring is
 * done. The driver reports each interrupt as a completed fence. `tiny` says how the driver
 * misbehaves, and what it saw.
 */
#ifndef TINY_H
#define TINY_H

#include <vidmm/host.h>

enum tiny_register {
    TINY_DOORBELL = 0x00, /* write: a ring with this fence */
    TINY_FENCE = 0x04,    /* read: the newest fence done */
    TINY_WIDE = 0x08,     /* a 64-bit register that remembers */
};

struct tiny {
    /* What the driver does wrong. */
    bool leak_pool, leak_contiguous, leak_mdl, leak_mapping;
    bool overrun, underrun, double_free, write_after_free;
    bool raise_and_forget;  /* SubmitCommand returns at a higher IRQL */
    bool paged_at_dispatch; /* SubmitCommand allocates paged pool */
    bool spin_twice;
    bool notify_at_passive;
    bool wait_for_ever;
    bool read_nowhere;
    uint32_t version; /* DRIVER_INITIALIZATION_DATA.Version; 0: WDDM 2.0 */
    NTSTATUS start_status;
    void (*in_start)(void); /* runs in DxgkDdiStartDevice, with everything mapped */
    /* Run inside these calls. */
    void (*in_create_device)(void), (*in_paging)(void), (*in_submit)(void);
    /* What it saw. */
    volatile uint8_t *registers;
    DXGKRNL_INTERFACE dxgkrnl;
    void *memory; /* BAR 1 */
    uint64_t memory_length;
    uint32_t isr_calls, dpc_calls;
    KIRQL isr_irql, dpc_irql, submit_irql, paging_irql;
    ULONG setting;
};

extern struct tiny tiny;
extern const struct vidmm_hw_model tiny_model;
DRIVER_INITIALIZE tiny_driver_entry;

/* A configuration over both, and `tiny` as new. */
struct vidmm_host_config tiny_config(void);
/* Creates and starts; fails the test otherwise. */
struct vidmm_host *tiny_up(const struct vidmm_host_config *config);
/* Stops and destroys; true when nothing was left. `error` has the sentence otherwise. */
bool tiny_down(struct vidmm_host *host, struct vidmm_host_error *error);
/* True when a violation of the host contains `text`. */
bool tiny_violated(struct vidmm_host *host, const char *text);
/* A submission with this fence through the host's table. */
NTSTATUS tiny_submit(struct vidmm_host *host, uint32_t fence);

#endif
