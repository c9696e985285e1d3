/*
 * manager.h - the video memory manager: the operating system's half of the memory contract.
 *
 * An adapter is started over a driver's DRIVER_INITIALIZATION_DATA table and a struct vidmm_os. It
 * is one physical adapter or several that are linked (linked-display-adapter.md): `physical` is the
 * index of one of them, 0 where there is no other. Segments are numbered over all of them.
 * Devices, contexts and allocations live on it; a submission names the allocations that it
 * references, and the manager makes them resident before it calls the driver's SubmitCommand.
 *
 * Threads: every function may be called from any thread at PASSIVE_LEVEL unless it says otherwise,
 * and concurrently; objects are destroyed only when no other call uses them. Errors: a function
 * that can fail returns enum vidmm_status; details are in the adapter's (or the caller's) struct
 * vidmm_error. A failed call leaks no memory.
 */
#ifndef VIDMM_MANAGER_H
#define VIDMM_MANAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/operations.h>
#include <vidmm/os.h>
#include <vidmm/policy.h>
#include <vidmm/readings.h>

#ifdef __cplusplus
extern "C" {
#endif

enum vidmm_status {
    VIDMM_OK = 0,
    VIDMM_NO_MEMORY,         /* no memory from vidmm_os */
    VIDMM_BAD_ARGUMENT,      /* the caller's mistake */
    VIDMM_DRIVER_REFUSED,    /* a DDI failed with a status that it may return */
    VIDMM_DRIVER_BROKE_RULE, /* a result, status or pointer that the contract forbids */
    VIDMM_DOES_NOT_FIT, /* what must be resident together has no room in the supported segments */
    VIDMM_BUSY,         /* the GPU still uses it and the caller asked not to wait */
    VIDMM_NOT_LOCKABLE, /* not CPU-visible, or not reachable with these flags */
    VIDMM_PINNED,       /* a pinned allocation cannot be evicted */
    VIDMM_GPU_LOST,     /* the GPU hangs and a reset did not help */
    VIDMM_STOPPED,      /* the adapter is in error or stopping; only destroy calls are served */
    VIDMM_DEVICE_LOST,  /* the device was put in error (TDR, page fault) */
};

/* What lies at or near an address at which the GPU faulted. */
enum vidmm_access_place {
    VIDMM_ACCESS_NOWHERE, /* no allocation, and none is near */
    VIDMM_ACCESS_IN,      /* a page of the allocation */
    VIDMM_ACCESS_BEHIND,  /* `page` pages behind its last one */
    VIDMM_ACCESS_BEFORE,  /* `page` pages before its first one */
};

/* The GPU's access that put a device in error, by the VA map at that time. */
struct vidmm_access {
    bool known; /* false: another reason */
    bool write;
    bool paging;              /* by paging work, in the paging process */
    bool iommu;               /* an address of the CPU's */
    bool stuck;               /* the driver says that the GPU needs a reset */
    bool resident;            /* the allocation */
    uint64_t address;         /* virtual */
    uint32_t process, device; /* counted from 1 as they were created; process 0: none */
    uint32_t physical, node;
    uint64_t submission; /* number */
    enum vidmm_access_place place;
    uint32_t allocation; /* D3DKMT_HANDLE; 0: the system's own, or a context's */
    uint64_t page;       /* of the allocation, or the distance to it */
    void *user;          /* vidmm_allocation_user of it */
};

/* An error as data; src/report makes a sentence of it. All strings are static. */
#define VIDMM_ERROR_ALSO 160u

struct vidmm_error {
    enum vidmm_status status;
    const char *call;           /* "DxgkDdiQueryAdapterInfo(QUERYSEGMENT4)" or the vidmm function */
    const char *field;          /* "DXGK_SEGMENTDESCRIPTOR4.Size", or NULL */
    const char *expected;       /* "a multiple of 4096" */
    const char *rule;           /* "R32", or NULL */
    const char *page;           /* "ns-d3dkmddi-_dxgk_segmentdescriptor", or NULL */
    uint32_t index;             /* of the segment (id), bank, allocation …; UINT32_MAX: none */
    uint64_t value;             /* what was found */
    NTSTATUS nt;                /* the driver's status, when a DDI failed */
    struct vidmm_access access; /* VIDMM_DEVICE_LOST by a page fault */
    /* "GPUMMUCAPS, PAGETABLELEVELDESC" or "DxgkDdiOpenAllocation": what else the driver did not
     * answer, or does not have; cut where there is no room. "": nothing else. */
    char also[VIDMM_ERROR_ALSO];
};

struct vidmm_adapter;
struct vidmm_device;
struct vidmm_context;
struct vidmm_allocation;

/* ---- What the driver reported ---------------------------------------------------------------- */

struct vidmm_segment_info {
    uint32_t id;        /* 1-based, over all physical adapters */
    uint32_t physical;  /* the physical adapter that has it */
    uint32_t driver_id; /* 1-based, among those of that physical adapter */
    uint32_t flags;     /* DXGK_SEGMENTFLAGS.Value */
    bool aperture;      /* linear or AGP-type */
    bool agp;
    uint64_t base;               /* GPU physical address of offset 0 */
    uint64_t cpu_base;           /* CpuTranslatedAddress; 0 unless CpuVisible */
    uint64_t size, commit_limit; /* bytes */
    uint32_t banks;              /* 0: none */
    const uint64_t *bank_ends;   /* `banks` exclusive end offsets */
    /* The video protected range, in which only allocations with CreateInVpr lie; size 0: none.
     * No allocation gets the `vpr_reserve` bytes at each end of it. */
    uint64_t vpr_start, vpr_size, vpr_reserve;
    uint32_t invalid_ranges; /* NumInvalidMemoryRanges: nothing is placed there */
    /* Changing figures: */
    uint64_t used; /* bytes placed */
    uint64_t peak;
    uint32_t residents; /* allocations placed */
};

struct vidmm_adapter_info {
    uint32_t interface_version;  /* DXGKDDI_INTERFACE_VERSION that is spoken (vidmm/interfaces.h) */
    uint32_t registered_version; /* DRIVER_INITIALIZATION_DATA.Version */
    uint32_t query_version;      /* 1, 3 or 4: which QUERYSEGMENT was used */
    uint32_t segments;
    uint32_t linked;         /* physical adapters */
    uint32_t paging_segment; /* PagingBufferSegmentId; this and what follows: of index 0 */
    uint32_t paging_size;    /* PagingBufferSize, bytes */
    uint32_t paging_private; /* PagingBufferPrivateDataSize, bytes */
    uint32_t nodes;          /* execution nodes of each physical adapter */
    uint32_t paging_node;
    uint64_t shared_limit; /* bytes of system memory that apertures may map together */
    DXGK_DRIVERCAPS caps;
};

/* ---- Watching -------------------------------------------------------------------------------- */

/* Why a plan (a list of moves and paging operations) is made. */
enum vidmm_plan_reason {
    VIDMM_PLAN_START, /* of the adapter: the paging process, paging buffers */
    VIDMM_PLAN_STOP,
    VIDMM_PLAN_SUBMISSION,         /* its references, or what its device lists */
    VIDMM_PLAN_MAKE_RESIDENT,      /* vidmm_make_resident */
    VIDMM_PLAN_RECLAIM,            /* vidmm_reclaim */
    VIDMM_PLAN_PIN,                /* vidmm_allocation_pin */
    VIDMM_PLAN_PROPERTY,           /* vidmm_update_property: other segments */
    VIDMM_PLAN_CONTEXT_ALLOCATION, /* DxgkCbUpdateContextAllocation */
    VIDMM_PLAN_LOCK,               /* of the CPU */
    VIDMM_PLAN_UNLOCK,
    VIDMM_PLAN_EVICT, /* vidmm_allocation_evict, vidmm_evict_all */
    VIDMM_PLAN_DESTROY,
    VIDMM_PLAN_DMA_BUFFER,     /* of a context, in an aperture */
    VIDMM_PLAN_ADDRESSES,      /* GPU virtual addresses are mapped, unmapped, updated */
    VIDMM_PLAN_TABLE_ROOM,     /* an allocation is evicted for a page table */
    VIDMM_PLAN_TABLE_EVICTION, /* the page tables of a process that does not run are evicted */
    VIDMM_PLAN_TABLE_RETURN,   /* and written again */
    VIDMM_PLAN_MIGRATION,
    VIDMM_PLAN_FENCE, /* a paging fence is signaled */
    VIDMM_PLAN_FLUSH, /* vidmm_flush */
    VIDMM_PLAN_POWER, /* vidmm_power_down, vidmm_power_up */
    VIDMM_PLAN_RESET, /* notices to the driver, and allocations that must be resident again */
    VIDMM_PLAN_REASONS
};

/* Why an allocation moves. */
enum vidmm_move_reason {
    VIDMM_MOVE_REQUESTED,   /* the request references or names it */
    VIDMM_MOVE_PROMOTED,    /* from an aperture to the memory segment that it prefers */
    VIDMM_MOVE_DEMOTED,     /* the other way, for one that is promoted */
    VIDMM_MOVE_REPACKED,    /* to make room for other references of the same request */
    VIDMM_MOVE_POLICY,      /* evicted: no device lists it, and the policy chose it */
    VIDMM_MOVE_OFFERED,     /* the same, and it was offered: its content is not kept */
    VIDMM_MOVE_OVER_BUDGET, /* evicted: its process holds more than its budget */
    VIDMM_MOVE_LISTED,      /* evicted though listed: the request does not fit otherwise */
    VIDMM_MOVE_SWEPT,       /* everything is evicted */
    VIDMM_MOVE_REASONS
};

/* One side of an operation: a segment offset, or pages of an MDL. */
struct vidmm_place {
    uint32_t segment; /* 0: system memory; else vidmm_segment_info.id */
    uint64_t offset;  /* segment: bytes from the segment's start */
    PMDL mdl;         /* system memory */
    uint64_t mdl_page;
};

/* One planned paging operation. */
struct vidmm_op {
    enum vidmm_op_kind kind;
    uint32_t physical;                   /* whose paging queue runs it */
    struct vidmm_allocation *allocation; /* NULL for buffers of the manager itself */
    uint64_t at;                         /* bytes from the start of the allocation */
    uint64_t size;               /* bytes; UPDATE_PAGE_TABLE: of entries, FLUSH_TLB: of addresses */
    struct vidmm_place from, to; /* as far as the kind uses them; FILL, MAP: `to` is the segment */
    uint32_t pattern;            /* FILL */
    bool swizzle, unswizzle, first, last; /* TRANSFER */
    uint64_t va_from, va_to; /* VIRTUAL_*: addresses of the paging process; FLUSH_TLB: the range */
    uint64_t value;          /* SIGNAL_FENCE: what is written to va_to */
};

/* A move of a plan that was executed. */
struct vidmm_plan_move {
    uint32_t allocation; /* D3DKMT_HANDLE */
    uint32_t process;    /* counted from 1 as they were created; 0: none, or the system's */
    enum vidmm_move_reason reason;
    uint64_t size;               /* bytes */
    struct vidmm_place from, to; /* of a segment its id and offset; 0: system memory */
    bool from_memory, to_memory; /* a memory segment: an eviction, a page-in */
    bool discard;                /* the content is not kept */
};

/* An operation of such a plan. */
struct vidmm_plan_op {
    struct vidmm_op op;
    uint32_t allocation; /* D3DKMT_HANDLE; 0: none, or not one of an application's */
    bool from_memory, to_memory;
    bool done; /* completed by the GPU or by the driver; else it had no effect */
};

struct plan;

/* A plan after its execution, while vidmm_observer.plan looks at it. */
struct vidmm_plan {
    enum vidmm_plan_reason reason;
    enum vidmm_status status; /* VIDMM_OK: all was done; else every move was undone */
    uint64_t submissions;     /* of the adapter so far */
    uint32_t moves, ops;
    const struct plan *plan;
};
/* Move or operation `index`. False: it turned out not to be needed. Only in vidmm_observer.plan. */
bool vidmm_plan_move(const struct vidmm_plan *plan, uint32_t index, struct vidmm_plan_move *out);
/* As vidmm_plan_move, for operation `index`, below `plan->ops`. */
bool vidmm_plan_op(const struct vidmm_plan *plan, uint32_t index, struct vidmm_plan_op *out);
/* Where the bytes of move `index` lie in its segment: contiguous part `part` of them, from 0, in the order
 * of the content. False: there are no more, or none (an aperture's pages without a range of it). */
bool vidmm_plan_part(const struct vidmm_plan *plan, uint32_t index, uint32_t part, uint64_t *offset,
                     uint64_t *size);
/* "submission", "make_resident", ...: a static string, of a reason below VIDMM_PLAN_REASONS. Any thread. */
const char *vidmm_plan_reason_name(enum vidmm_plan_reason reason);
/* "requested", "policy", ...: a static string, of a reason below VIDMM_MOVE_REASONS. Any thread. */
const char *vidmm_move_reason_name(enum vidmm_move_reason reason);

/*
 * Called for each event, in order, with the adapter's lock held. The functions must not call vidmm
 * functions except those marked "allowed in an observer". Any member may be NULL.
 */
struct vidmm_observer {
    void *ctx;
    /*
     * The GPU completed `op`, which was built into paging buffers [first_buffer, last_buffer].
     * Called in the order of building, when the last of these completed, before anything that needs
     * the result is built.
     */
    void (*op_done)(void *ctx, const struct vidmm_op *op, uint64_t first_buffer,
                    uint64_t last_buffer);
    /* The content of `allocation` is gone (reset, discard): undefined until it is written. */
    void (*content_lost)(void *ctx, struct vidmm_allocation *allocation);
    /* A plan was executed, or failed; called with `plan_ctx`, after op_done of its operations. */
    void (*plan)(void *plan_ctx, const struct vidmm_plan *plan);
    void *plan_ctx;
};

struct vidmm_stats {
    uint64_t submissions, splits_refused;
    uint64_t page_ins, evictions; /* allocations moved in and out of memory segments */
    uint64_t paged_in_bytes,
        paged_out_bytes; /* TRANSFER and FILL into, TRANSFER out of, memory segments */
    uint64_t ops[VIDMM_OP_KINDS], op_bytes[VIDMM_OP_KINDS];
    uint64_t paging_buffers;                /* paging buffers submitted */
    uint64_t multipass_splits;              /* INSUFFICIENT_DMA_BUFFER answers that made progress */
    uint64_t busy_retries;                  /* ALLOCATION_BUSY answers */
    uint64_t resets;                        /* of the adapter */
    uint64_t engine_resets;                 /* of single engines */
    uint64_t preemptions;                   /* asked for, of work that took too long */
    uint64_t resubmissions;                 /* of work that a preemption or a reset left undone */
    uint64_t table_bytes, table_bytes_peak; /* of page tables, the paging process's included */
};

/* ---- The adapter ----------------------------------------------------------------------------- */

/* How the GPU reaches memory. */
enum vidmm_model {
    VIDMM_MODEL_ANY,      /* GPUMMU where the driver has it, else IOMMU where it has that */
    VIDMM_MODEL_PHYSICAL, /* patched physical addresses */
    VIDMM_MODEL_GPUMMU,   /* GPU virtual addresses: see virtual.h */
    VIDMM_MODEL_IOMMU,    /* addresses of the CPU: likewise */
};

struct vidmm_adapter_config {
    const struct vidmm_os *os;             /* copied */
    const DRIVER_INITIALIZATION_DATA *ddi; /* must outlive the adapter */
    HANDLE hadapter;                       /* miniport device context, from AddDevice */
    const struct vidmm_policy *policy;     /* NULL: vidmm_policy_at(0) */
    const struct vidmm_observer *observer; /* NULL: none; copied */
    uint64_t hang_ns;                      /* a node without progress for so long is hung; 0: 2 s */
    uint64_t transfer_chunk;               /* bytes of one TRANSFER at most; 0: no limit */
    bool serial_paging; /* no paging operation runs beside other work of the GPU */
    /* Before the manager waits for one of so many fences of a node, the node is preempted, as for more
     * urgent work, and gets again what it had not begun (gpu-preemption.md); from Windows 8 on. 0: never. */
    uint32_t preempt_every;
    uint32_t first_fence; /* ids of fences of each node begin behind this one */
    /* Addresses of the paging process through which memory is moved, before they are taken again: so
     * many bytes at most; 0: no limit. */
    uint64_t scratch_most;
    uint64_t address_from; /* GPU virtual addresses that nobody chose are above, if there is room */
    uint64_t paging_from;  /* those of the paging process likewise, where its root need not grow */
    struct vidmm_readings readings; /* where pages and systems disagree; zero: the pages */
    enum vidmm_model model;
    uint32_t linked; /* physical adapters; 0 or 1: the only one. More: from WDDM 2.0 on */
    /* To speak with the driver, at most what its table has; 0: what table and caps say. */
    uint32_t interface_version;
    /*
     * Called without locks after the last DDI call, when the adapter stopped or did not start. When
     * it returns, no vidmm_notify_* is under way and none follows, because the adapter's memory is
     * freed next. NULL if the caller guarantees this.
     */
    void (*quiesce)(void *ctx);
    void *quiesce_ctx;
};

/*
 * Asks the started driver for its caps and segments (initializing-use-of-memory-segments.md),
 * validates every answer, and creates paging buffers, the system device and context. `*out` is set
 * before the driver is first called, because vidmm_notify_* may be called from then on. On failure
 * `*out` is NULL and `*error` (may be NULL) names call, field and rule.
 */
enum vidmm_status vidmm_adapter_start(const struct vidmm_adapter_config *config,
                                      struct vidmm_adapter **out, struct vidmm_error *error);
/* Waits for the GPU, evicts everything, destroys all remaining objects. NULL is allowed. */
void vidmm_adapter_stop(struct vidmm_adapter *adapter);

/*
 * Fills in `*info` with what the driver reported at the start; it does not change afterwards.
 * Cannot fail.
 */
void vidmm_adapter_info(struct vidmm_adapter *adapter, struct vidmm_adapter_info *info);
/* Segment `id`, 1-based over all physical adapters; false when there is none. */
bool vidmm_segment_info(struct vidmm_adapter *adapter, uint32_t id,
                        struct vidmm_segment_info *info);
/* Sizes of graphics memory as reported to applications (calculating-graphics-memory.md); bytes. */
struct vidmm_memory_sizes {
    uint64_t available; /* of system memory, for graphics */
    uint64_t dedicated_video, dedicated_system, shared_system, total;
};
/* Fills in `*sizes`, which do not change while the adapter exists. Cannot fail. */
void vidmm_memory_sizes(struct vidmm_adapter *adapter, struct vidmm_memory_sizes *sizes);
/* Copies the counts since the start into `*stats`, all of one moment. Cannot fail. */
void vidmm_stats(struct vidmm_adapter *adapter, struct vidmm_stats *stats);
/* The error of the last call that failed on this adapter. */
void vidmm_last_error(struct vidmm_adapter *adapter, struct vidmm_error *error);

/*
 * From the host, at any IRQL, any thread, also from inside a DDI call: the driver reported with
 * DxgkCbNotifyInterrupt that `node` of a physical adapter (EngineOrdinal) completed / was preempted
 * at / faulted on `fence`.
 */
void vidmm_notify_completed(struct vidmm_adapter *adapter, uint32_t physical, uint32_t node,
                            uint32_t fence);
/*
 * The same for a preemption request of that `fence`: work up to `last_completed` is done, the rest
 * is submitted again.
 */
void vidmm_notify_preempted(struct vidmm_adapter *adapter, uint32_t physical, uint32_t node,
                            uint32_t fence, uint32_t last_completed);
/*
 * The same for work with that `fence` that the GPU could not execute: its device is lost
 * (VIDMM_DEVICE_LOST); after paging work the adapter is reset by the thread that waits.
 */
void vidmm_notify_faulted(struct vidmm_adapter *adapter, uint32_t physical, uint32_t node,
                          uint32_t fence);

/* The members of DXGKARGCB_NOTIFY_INTERRUPT_DATA.DmaPageFaulted that the manager uses. */
struct vidmm_page_fault {
    uint32_t physical, node;
    uint32_t fence;   /* of the work; unless FENCE_INVALID */
    uint32_t flags;   /* DXGK_PAGE_FAULT_* */
    uint64_t address; /* virtual */
};
/*
 * The device of that work is in error, and its engine is reset before it is used again: alone where
 * the driver can do that (DxgkDdiResetEngine), else with the whole adapter.
 */
void vidmm_notify_page_faulted(struct vidmm_adapter *adapter, const struct vidmm_page_fault *error);

/* Sleeps until every submission so far completed; resets a GPU that hangs. */
enum vidmm_status vidmm_wait_idle(struct vidmm_adapter *adapter);
/* Preempts a node of a physical adapter, whether it has work or not, and submits what it had not done again
 * (nc-d3dkmddi-dxgkddi_preemptcommand.md); nothing where the driver cannot be asked for it. VIDMM_BAD_ARGUMENT: there is no
 * such node; VIDMM_GPU_LOST: the preemption was not reported in time. */
enum vidmm_status vidmm_preempt(struct vidmm_adapter *adapter, uint32_t physical, uint32_t node);
/* The same of the node of `context`, whose work is submitted again before that of other contexts. */
enum vidmm_status vidmm_preempt_for(struct vidmm_context *context);
/* As a TDR: ResetFromTimeout, clean-up notices, RestartFromTimeout
 * (thread-synchronization-and-tdr.md). */
enum vidmm_status vidmm_reset(struct vidmm_adapter *adapter);
/* Moves everything that is not pinned out of every segment (level 3 of the threading model; power). Overlay and capture
 * allocations stay, as pinned ones do. */
enum vidmm_status vidmm_evict_all(struct vidmm_adapter *adapter);
/* Where an adapter goes that leaves full power: what memory keeps there is not the same
 * (ns-d3dkmddi-_dxgk_segmentflags.md, "Remarks"). Hybrid sleep counts as hibernation. */
enum vidmm_power_loss { VIDMM_POWER_STANDBY, VIDMM_POWER_HIBERNATION };
/*
 * Before DxgkDdiSetPowerState takes the adapter out of PowerDeviceD0: waits for the GPU, moves everything out of the
 * segments that do not keep it by their flags, pinned and scanned-out allocations as well, and unmaps DMA and paging
 * buffers. Until vidmm_power_up nothing else may be asked of the adapter. VIDMM_BUSY: the CPU has something locked in such
 * a segment.
 */
enum vidmm_status vidmm_power_down(struct vidmm_adapter *adapter, enum vidmm_power_loss loss);
/*
 * Behind DxgkDdiSetPowerState with PowerDeviceD0: page tables are written again, those of the paging process by the
 * CPU (system-paging-process.md), buffers are mapped again, and what is pinned comes back; the rest comes back when
 * it is needed.
 */
enum vidmm_status vidmm_power_up(struct vidmm_adapter *adapter);
/* Any memory segment, for vidmm_place_first. */
#define VIDMM_MEMORY_FIRST UINT32_MAX
/*
 * For tests: what comes into memory from now on lies in segment `segment` first if it may lie there, or in
 * any memory segment (VIDMM_MEMORY_FIRST), whatever the driver prefers. 0: as the driver prefers.
 */
void vidmm_place_first(struct vidmm_adapter *adapter, uint32_t segment);
/* For tests: from now on, or no longer, it lies at the highest place of its segment that is free. */
void vidmm_place_at_end(struct vidmm_adapter *adapter, bool on);
/* READ_PHYSICAL / WRITE_PHYSICAL: the GPU touches eight bytes at a segment offset; coherency
 * flush. VIDMM_BAD_ARGUMENT with GPU virtual addresses. */
enum vidmm_status vidmm_flush(struct vidmm_adapter *adapter, uint32_t segment, uint64_t offset,
                              bool write);

/* ---- Devices, contexts ----------------------------------------------------------------------- */

/*
 * DxgkDdiCreateDevice. `*out` is NULL on failure: VIDMM_NO_MEMORY; VIDMM_DRIVER_REFUSED or
 * VIDMM_DRIVER_BROKE_RULE by the driver's answer; VIDMM_STOPPED. To be destroyed by
 * vidmm_device_destroy (nc-d3dkmddi-dxgkddi_createdevice.md).
 */
enum vidmm_status vidmm_device_create(struct vidmm_adapter *adapter, struct vidmm_device **out);
/* Closes every allocation the device opened; destroys those it created. */
void vidmm_device_destroy(struct vidmm_device *device);
/* True after a TDR that hit the device: its calls answer VIDMM_DEVICE_LOST. Allowed in an observer.
 */
bool vidmm_device_lost(struct vidmm_device *device);
/* On `node` of a physical adapter. */
enum vidmm_status vidmm_context_create(struct vidmm_device *device, uint32_t physical,
                                       uint32_t node, struct vidmm_context **out);
/* The same with private data of user mode: DXGKARG_CREATECONTEXT.pPrivateDriverData, `size` bytes that
 * the driver may change. A driver without DxgkDdiCreateContext does not see them. */
enum vidmm_status vidmm_context_create_with(struct vidmm_device *device, uint32_t physical,
                                            uint32_t node, void *data, uint32_t size,
                                            struct vidmm_context **out);
/*
 * Waits for the context's work, then DxgkDdiDestroyContext. Queued updates of addresses are
 * carried out first. Not NULL (nc-d3dkmddi-dxgkddi_destroycontext.md).
 */
void vidmm_context_destroy(struct vidmm_context *context);

/*
 * DxgkDdiEscape with `size` bytes of private data of user mode, which the driver may change; `flags`
 * is D3DDDI_ESCAPEFLAGS. `context` may be NULL. VIDMM_BAD_ARGUMENT: the driver has no DxgkDdiEscape;
 * VIDMM_DRIVER_REFUSED: it answered with a status that is no success.
 */
enum vidmm_status vidmm_escape(struct vidmm_device *device, struct vidmm_context *context,
                               uint32_t flags, void *data, uint32_t size);

/* ---- Allocations ----------------------------------------------------------------------------- */

struct vidmm_allocation_request {
    void *private_data; /* passed to DxgkDdiCreateAllocation; the driver may change it */
    uint32_t private_size;
    /* Private data of the resource; that of the first request of a call counts. NULL: none. */
    const void *resource_data;
    uint32_t resource_size;
    void *user;    /* for vidmm_allocation_user */
    bool primary;  /* a primary: pinned while displayed */
    PMDL existing; /* caller's own locked pages (ExistingSysMem), or NULL; caller keeps it */
};

struct vidmm_allocation_info {
    uint64_t size;     /* bytes, rounded to pages */
    uint32_t physical; /* its home: DXGK_ALLOCATIONINFO.PhysicalAdapterIndex */
    uint32_t segment;  /* where it is now, vidmm_segment_info.id; 0: system memory */
    uint64_t offset;   /* bytes from the segment's start */
    bool dirty;        /* differs from, or has no, system copy */
    bool pinned, locked;
    bool swizzled; /* flagged Swizzled by the driver; tiled whenever in a memory segment */
    uint32_t priority;
    DXGK_ALLOCATIONINFO driver; /* as the driver filled it in */
};

/* DxgkDdiCreateAllocation + OpenAllocation for `count` allocations of one resource: all or nothing.
 */
enum vidmm_status vidmm_allocations_create(struct vidmm_device *device,
                                           const struct vidmm_allocation_request *requests,
                                           uint32_t count, struct vidmm_allocation **out);
/* One allocation. */
enum vidmm_status vidmm_allocation_create(struct vidmm_device *device,
                                          const struct vidmm_allocation_request *request,
                                          struct vidmm_allocation **out);
/* Waits until the GPU does not use it, then CloseAllocation and DestroyAllocation. */
void vidmm_allocation_destroy(struct vidmm_allocation *allocation);
/* Opens an allocation in another device (sharing); closed by vidmm_device_destroy or
 * vidmm_allocation_destroy. */
enum vidmm_status vidmm_allocation_open(struct vidmm_device *device,
                                        struct vidmm_allocation *allocation);

#define VIDMM_EXPECT_STEPS 4u

/*
 * A submission of this thread will soon reference it: what that reads of it is fetched into the caches.
 * Steps 0 to VIDMM_EXPECT_STEPS - 1, one after the other and some time apart, since each follows what
 * the one before fetched. Changes nothing and takes no lock: meanwhile nobody may open or close it.
 */
void vidmm_allocation_expect(const struct vidmm_allocation *allocation, uint32_t step);
void *vidmm_allocation_user(const struct vidmm_allocation *allocation); /* allowed in an observer */
/* Its D3DKMT_HANDLE. Allowed in an observer. */
uint32_t vidmm_allocation_handle(const struct vidmm_allocation *allocation);
/* Allowed in an observer. */
void vidmm_allocation_info(const struct vidmm_allocation *allocation,
                           struct vidmm_allocation_info *info);
/* Its pages in system memory, or NULL; allowed in an observer. */
PMDL vidmm_allocation_backing(const struct vidmm_allocation *allocation);

/*
 * Eviction priority, D3DDDI_ALLOCATIONPRIORITY_*: allocations of lower priority leave first. Of an
 * offered one it counts when it was reclaimed. Cannot fail.
 */
void vidmm_allocation_set_priority(struct vidmm_allocation *allocation, uint32_t priority);
/* Makes a displayed primary resident and keeps it in place; `pin` false unpins it. */
enum vidmm_status vidmm_allocation_pin(struct vidmm_allocation *allocation, bool pin);
/* Evicts it now. `keep_content` false: DISCARD_CONTENT instead of a transfer. */
enum vidmm_status vidmm_allocation_evict(struct vidmm_allocation *allocation, bool keep_content);

/* Swizzling ranges that are used, whatever NumberOfSwizzlingRanges says: each is looked at in turn. */
#define VIDMM_SWIZZLING_RANGES 65536u

#define VIDMM_LOCK_READ_ONLY        0x1u
#define VIDMM_LOCK_WRITE_ONLY       0x2u
#define VIDMM_LOCK_DONT_WAIT        0x4u
#define VIDMM_LOCK_DONT_EVICT       0x8u
#define VIDMM_LOCK_ACQUIRE_APERTURE 0x10u /* a swizzling range */
#define VIDMM_LOCK_ALTERNATE_VA                                                                    \
    0x20u /* needs ACQUIRE_APERTURE; survives eviction by SPECIAL_LOCK_TRANSFER */
#define VIDMM_LOCK_DISCARD 0x40u /* the caller writes everything; content is not kept */

/*
 * A CPU pointer to the whole allocation (pfnLockCb, D3DDDICB_LOCKFLAGS): system pages, a
 * CPU-visible segment through CpuTranslatedAddress, or a swizzling range. Linear byte order in
 * every case. Locks nest. The pointer is good until vidmm_unlock.
 */
enum vidmm_status vidmm_lock(struct vidmm_allocation *allocation, uint32_t flags, void **cpu);
/*
 * Ends one vidmm_lock; with the last one the pointer is no longer good. Without a lock it does
 * nothing. It may run the plan of an update, whose failure shows in a later call.
 */
void vidmm_unlock(struct vidmm_allocation *allocation);

/* ---- Context allocations (DxgkCbCreateContextAllocation; the host forwards the callback) ----- */

/*
 * DxgkCbCreateContextAllocation: `args->hAllocation` becomes the allocation, which has no content
 * and no place until its context or device runs. STATUS_INVALID_PARAMETER: no such context or
 * device, or a member that the page forbids; STATUS_NO_MEMORY. Any thread, also inside a DDI call
 * (context-allocation.md).
 */
NTSTATUS vidmm_context_allocation_create(struct vidmm_adapter *adapter,
                                         DXGKARGCB_CREATECONTEXTALLOCATION *args);
/*
 * DxgkCbDestroyContextAllocation: it is destroyed when the API call under way ends.
 * STATUS_INVALID_PARAMETER: there is no such context allocation. Threads as above.
 */
NTSTATUS vidmm_context_allocation_destroy(struct vidmm_adapter *adapter, HANDLE allocation);

/*
 * DxgkCbGetHandleData; the host forwards the callback, also from inside a DDI call: the driver's
 * own handle (DXGK_ALLOCATIONINFO.hAllocation) of the allocation that
 * DXGK_OPENALLOCATIONINFO.hAllocation names, NULL when there is none. These names are unique among
 * the adapter's live allocations.
 */
void *vidmm_handle_data(struct vidmm_adapter *adapter, D3DKMT_HANDLE handle);

/* ---- Submissions ----------------------------------------------------------------------------- */

struct vidmm_reference {
    struct vidmm_allocation *allocation;
    bool write;
};

/* A copy of rectangles, from the first reference to the second, or a fill of the only one, as DXGKARG_PRESENT has them. */
struct vidmm_blit {
    bool fill;
    uint32_t color;
    RECT from, to;
    const RECT *rectangles;
    uint32_t count;
};

struct vidmm_submission {
    const struct vidmm_reference *references; /* each allocation at most once */
    uint32_t count;
    const void *commands;   /* for DxgkDdiRender; NULL: 0 bytes */
    uint32_t commands_size; /* bytes */
    bool present;           /* Flags.Present */
    bool null_rendering; /* Flags.NullRendering: the GPU runs nothing of it, its fence completes */
    /* User mode's patch locations, for DxgkDdiRender (pPatchLocationListIn); nobody reads them before
     * the driver. NULL: none. */
    const D3DDDI_PATCHLOCATIONLIST *patches;
    uint32_t patch_count;
    /* Not NULL: DxgkDdiPresent makes the DMA buffer, a copy from the first reference to the second, where
     * the driver has it. It gets these bytes of user mode (DXGKARG_PRESENT.pPrivateDriverData), and may
     * write into them. The caller keeps them. */
    void *present_data;
    uint32_t present_size; /* bytes */
    /* Not NULL: DxgkDdiPresent makes the DMA buffers of it; VIDMM_DRIVER_REFUSED where it does not,
     * VIDMM_BAD_ARGUMENT where a surface has no physical address of its own. */
    const struct vidmm_blit *blit;
};

/*
 * DxgkDdiRender, then residency of every reference at once (paging as needed), then Patch and
 * SubmitCommand (submitting-a-command-buffer.md). Returns when the GPU has the work; `*fence`
 * counts submissions of the adapter from 1. VIDMM_DOES_NOT_FIT changes nothing that the caller can
 * see.
 */
enum vidmm_status vidmm_submit(struct vidmm_context *context,
                               const struct vidmm_submission *submission, uint64_t *fence);
/* Sleeps until submission `fence` completed, or was dropped by a reset (VIDMM_DEVICE_LOST). */
enum vidmm_status vidmm_wait(struct vidmm_adapter *adapter, uint64_t fence);
/*
 * True when submission `fence` completed or was dropped by a reset; 0 is complete. Does not wait.
 * Any thread.
 */
bool vidmm_completed(struct vidmm_adapter *adapter, uint64_t fence);

#ifdef __cplusplus
}
#endif

#endif
