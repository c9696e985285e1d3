/*
 * rig.h - the reference driver on a host, driven by its DDI alone: what the driver tests stand on.
 *
 * The rig plays the system's part by hand: it keeps one paging buffer and lends it in any size,
 * submits what was built and lets the GPU run. Nothing here knows how the driver encodes anything.
 */
#ifndef SOFTGPU_TEST_RIG_H
#define SOFTGPU_TEST_RIG_H

#include <vidmm/host.h>
#include <vidmm/umd.h>

#define RIG_PAGE   4096u
#define RIG_BUFFER (256u << 10)

struct rig {
    struct vidmm_host *host;
    const DRIVER_INITIALIZATION_DATA *ddi;
    HANDLE adapter;
    const struct vidmm_os *os;
    PMDL buffer; /* physically contiguous */
    unsigned char *buffer_cpu;
    uint32_t fence, completed, faulted, preempted, preempted_last;
    uint32_t completed_node;
    uint32_t submissions; /* paging buffers, counted by rig_page */
    HANDLE opening;       /* what DxgkCbGetHandleData finds */
    /* Not NULL: paging buffers run here, and the buffer is at this GPU virtual address. */
    HANDLE paging_context;
    uint64_t buffer_va;
    /* What the driver last told DxgkCbNotifyInterrupt, whatever it was. */
    DXGKARGCB_NOTIFY_INTERRUPT_DATA notified;
    void (*serving)(void); /* called while it does so; NULL: nothing is */
};

/* A started driver; `settings` may be NULL. */
void rig_open(struct rig *rig, const struct vidmm_host_setting *settings, uint32_t count);
/* With a thread for each engine. News of the GPU come on those: set a sink of your own. */
void rig_open_threaded(struct rig *rig, const struct vidmm_host_setting *settings, uint32_t count);
/* Does the driver start with these settings? Then it is stopped again. */
bool rig_starts(const struct vidmm_host_setting *settings, uint32_t count);
/* Fails the test when the driver refused, or left anything behind. */
void rig_close(struct rig *rig);

/* What the hardware makes of a GPU virtual address, by its back door; see hwmodel.h. */
struct vidmm_hw_translation rig_translate(uint64_t root, uint32_t entries, uint64_t va);

/* One BuildPagingBuffer call into `size` bytes; `*used` is what it wrote. Checks pointers and
 * bounds. */
NTSTATUS rig_build(struct rig *rig, DXGKARG_BUILDPAGINGBUFFER *args, uint32_t size, uint32_t *used);
/* Runs the first `used` bytes of the paging buffer. */
void rig_submit_paging(struct rig *rig, uint32_t used);
/* The whole protocol for one operation with paging buffers of `size` bytes. */
NTSTATUS rig_page(struct rig *rig, DXGKARG_BUILDPAGINGBUFFER *args, uint32_t size);

struct rig_segment {
    uint32_t flags;
    uint64_t base, size, cpu;
};
/* Segments as QUERYSEGMENT4, 3 or 1 reports them, whatever the driver's version answers. */
uint32_t rig_segments(struct rig *rig, struct rig_segment *out, uint32_t room);
/* Id of the first segment whose flags are `flags` among `mask`. */
uint32_t rig_find(struct rig *rig, uint32_t mask, uint32_t flags, struct rig_segment *out);

/* An allocation, or NULL when the driver refused (with `*status`, which may be NULL). */
HANDLE rig_allocate(struct rig *rig, const struct vidmm_umd_allocation *umd,
                    DXGK_ALLOCATIONINFO *info, NTSTATUS *status);
void rig_free(struct rig *rig, HANDLE allocation);

/* The CPU's bytes of page `page` of an MDL. */
unsigned char *rig_mdl_page(struct rig *rig, PMDL mdl, size_t page);

DXGKARG_BUILDPAGINGBUFFER rig_fill(uint32_t segment, uint64_t address, uint64_t bytes,
                                   uint32_t pattern);
DXGKARG_BUILDPAGINGBUFFER rig_map(uint32_t segment, uint64_t first, uint64_t pages, PMDL mdl,
                                  uint32_t mdl_offset);
DXGKARG_BUILDPAGINGBUFFER rig_unmap(uint32_t segment, uint64_t first, uint64_t pages,
                                    uint64_t dummy);
/* Transfers: from pages of an MDL to a segment, back, and between segments. */
DXGKARG_BUILDPAGINGBUFFER rig_in(HANDLE allocation, uint32_t segment, uint64_t address,
                                 uint64_t bytes, PMDL mdl);
DXGKARG_BUILDPAGINGBUFFER rig_out(HANDLE allocation, uint32_t segment, uint64_t address,
                                  uint64_t bytes, PMDL mdl);
DXGKARG_BUILDPAGINGBUFFER rig_move(HANDLE allocation, uint32_t to, uint64_t to_address,
                                   uint32_t from, uint64_t from_address, uint64_t bytes);

#endif
