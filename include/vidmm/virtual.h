/*
 * virtual.h - GPU virtual memory and WDDM 2 residency: what an adapter that runs on the GpuMmu or
 * the IoMmu model offers beside manager.h.
 *
 * A process has an address space, whose page tables the manager owns and the driver encodes. Its
 * devices list what must be resident while their contexts run (vidmm_make_resident, vidmm_evict);
 * commands name addresses only. Kernel-mode names of the same things: D3DDDI_MAPGPUVIRTUALADDRESS,
 * D3DDDI_MAKERESIDENT, D3DKMT_EVICT ... (gpu-virtual-memory-in-wddm-2-0.md, residency-overview.md).
 * On IoMmu the addresses are the CPU's, and the system's IOMMU translates them (iommu-model.md).
 *
 * Threads and errors: as in manager.h.
 */
#ifndef VIDMM_VIRTUAL_H
#define VIDMM_VIRTUAL_H

#include <vidmm/manager.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VIDMM_LEVELS_MAX 6u

struct vidmm_process;
struct vidmm_paging_queue;

/* ---- The MMU as the driver reported it ------------------------------------------------------- */

struct vidmm_level_info {
    uint32_t index_bits;
    uint32_t segment;        /* vidmm_segment_info.id, of processes' tables; 0: system memory */
    uint32_t paging_segment; /* of the tables of the paging process */
    uint32_t size;           /* bytes of a table; the root of two levels: its first size */
    uint32_t alignment;      /* bytes; 0: none */
};

struct vidmm_gpummu_info {
    bool on;              /* the adapter runs on GPU virtual addresses */
    bool iommu;           /* or on the CPU's, behind an IOMMU */
    DXGK_GPUMMUCAPS caps; /* zero when the driver has no GpuMmu */
    uint32_t levels;      /* level[0] is the leaves */
    struct vidmm_level_info level[VIDMM_LEVELS_MAX];
    uint64_t large_bytes;  /* of a large page; 0: there are none */
    uint64_t paging_bytes; /* of the paging process's scratch space */
};

/* That of a physical adapter. */
void vidmm_gpummu_info(struct vidmm_adapter *adapter, uint32_t physical,
                       struct vidmm_gpummu_info *info);

/*
 * Where page `page` of an allocation lies now, or is about to when a plan is under way: the segment
 * and the offset in it, or segment 0. Allowed in an observer.
 */
uint32_t vidmm_allocation_page(const struct vidmm_allocation *allocation, uint64_t page,
                               uint64_t *offset);

/* ---- Processes ------------------------------------------------------------------------------- */

/*
 * DxgkDdiCreateProcess and an empty address space; on IoMmu with a PASID. VIDMM_BAD_ARGUMENT unless
 * the adapter runs on virtual addresses.
 */
enum vidmm_status vidmm_process_create(struct vidmm_adapter *adapter, struct vidmm_process **out);
/* Its devices must be gone. NULL is fine. */
void vidmm_process_destroy(struct vidmm_process *process);
/*
 * Its root page tables move to other memory, and its contexts are told (gpu-virtual-address.md: "When
 * the root page table itself is relocated"). What is mapped stays mapped.
 */
enum vidmm_status vidmm_process_move_root(struct vidmm_process *process);
/* As vidmm_device_create; contexts of the device run in the process's address space. */
enum vidmm_status vidmm_process_device_create(struct vidmm_process *process,
                                              struct vidmm_device **out);
/*
 * Looks up `va` in the manager's VA map: the allocation and the byte in it, or false. Queued
 * updates of vidmm_va_update are not in the map yet.
 */
bool vidmm_process_lookup(struct vidmm_process *process, uint64_t va,
                          struct vidmm_allocation **allocation, uint64_t *offset);

/* ---- Paging queues --------------------------------------------------------------------------- */

/*
 * A device's queue of residency and mapping work, with a monitored fence (device-paging-queues.md).
 * `priority` is -1, 0 or 1.
 */
enum vidmm_status vidmm_paging_queue_create(struct vidmm_device *device, int32_t priority,
                                            struct vidmm_paging_queue **out);
/* And its fence. Waits for what is queued. NULL is fine. */
void vidmm_paging_queue_destroy(struct vidmm_paging_queue *queue);
/* The value that the queue's fence has reached. Any IRQL. */
uint64_t vidmm_paging_fence(const struct vidmm_paging_queue *queue);
/* Sleeps until it reached `value`, and carries out what is gathered for it. */
enum vidmm_status vidmm_paging_wait(struct vidmm_paging_queue *queue, uint64_t value);
/*
 * On: the mappings that vidmm_va_map makes on the queue are gathered, and the page table entries of
 * many of them written by one plan, one submission and one fence. Addresses are given, and what is
 * wrong with a request is told, by each call as ever; so are the values of the fence, which it
 * reaches together. What is gathered is carried out by vidmm_paging_wait, before the process's next
 * submission or queued update, before any other work of the queue, when 512 calls are gathered, and
 * when this is turned off. Asking vidmm_paging_fence carries out nothing. Such a call answers
 * VIDMM_DOES_NOT_FIT or VIDMM_NO_MEMORY when there is no room for page tables; all that is gathered
 * is then tried again by the next.
 *
 * Only what leads nowhere so far is gathered: a mapping in place of another is made at once, and so
 * is what vidmm_va_free frees. Off at first; without meaning on IoMmu.
 */
enum vidmm_status vidmm_paging_queue_gather(struct vidmm_paging_queue *queue, bool on);

/* ---- Addresses ------------------------------------------------------------------------------- */

/* D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE */
#define VIDMM_VA_WRITE      0x1u
#define VIDMM_VA_EXECUTE    0x2u
#define VIDMM_VA_ZERO       0x4u
#define VIDMM_VA_NO_ACCESS  0x8u
#define VIDMM_VA_SYSTEM_USE 0x10u

/* D3DDDIGPUVIRTUALADDRESS_RESERVATION_TYPE */
enum vidmm_va_reservation { VIDMM_VA_RESERVE_NO_ACCESS, VIDMM_VA_RESERVE_ZERO };

/* The bit of a driver protection that belongs to one mapping alone (driver-protection.md). */
#define VIDMM_DRIVER_PROTECTION_UNIQUE UINT64_C(0x8000000000000000)

struct vidmm_va_request {
    uint64_t base;                       /* wanted address; 0: anywhere in [minimum, maximum) */
    uint64_t minimum, maximum;           /* maximum 0: the end of the address space */
    uint64_t size;                       /* bytes: 4 KiB units to map, 64 KiB units to reserve */
    struct vidmm_allocation *allocation; /* map; NULL with ZERO or NO_ACCESS */
    uint64_t offset;                     /* map: bytes into the allocation, 4 KiB units */
    uint32_t protection;                 /* VIDMM_VA_* */
    uint64_t driver_protection;
    enum vidmm_va_reservation reservation; /* reserve */
};

/*
 * Takes a range that maps nothing (D3DDDI_RESERVEGPUVIRTUALADDRESS). VIDMM_BAD_ARGUMENT: not 64 KiB
 * units, or outside the address space, or `base` is taken; VIDMM_DOES_NOT_FIT: no such range free.
 */
enum vidmm_status vidmm_va_reserve(struct vidmm_process *process,
                                   const struct vidmm_va_request *request, uint64_t *va);
/*
 * Maps a range of an allocation (D3DDDI_MAPGPUVIRTUALADDRESS) into free or reserved addresses. The
 * mapping leads to the bytes whenever the allocation is resident. `*fence` (of `queue`): 0, or the
 * paging fence value after which the GPU may use it. On IoMmu the address is the CPU's pointer to
 * the bytes, the same one every time: a request for another address, for a driver protection or for
 * anything but an allocation is VIDMM_BAD_ARGUMENT, and so are vidmm_va_reserve and
 * vidmm_va_update.
 */
enum vidmm_status vidmm_va_map(struct vidmm_paging_queue *queue,
                               const struct vidmm_va_request *request, uint64_t *va,
                               uint64_t *fence);

enum vidmm_va_operation_type {
    VIDMM_VA_OP_MAP,
    VIDMM_VA_OP_UNMAP,
    VIDMM_VA_OP_COPY,
    VIDMM_VA_OP_MAP_PROTECT,
};

/* D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION; all in bytes. */
struct vidmm_va_operation {
    enum vidmm_va_operation_type type;
    uint64_t base, size;                 /* COPY: the source */
    uint64_t destination;                /* COPY */
    struct vidmm_allocation *allocation; /* MAP, MAP_PROTECT */
    uint64_t offset;                     /* into the allocation */
    uint64_t repeat;                     /* 0, or the allocation's part that is mapped repeatedly */
    uint32_t protection;                 /* UNMAP, MAP_PROTECT */
    uint64_t driver_protection;          /* MAP_PROTECT */
};

/*
 * Changes the mappings inside one reservation, in order, after the work that `context` has so far
 * and before its next work (D3DKMT_UPDATEGPUVIRTUALADDRESS, tile-resources.md). The operations are
 * queued without a wait. Only if more than 128 of the context would be queued, the earlier ones are
 * carried out first. What is queued keeps its allocations required to be resident. It is carried
 * out before the context is destroyed; the device is lost if there is no memory for that.
 *
 * The callback's fence is the context's own work: FenceValue is the newest submission, FenceValue+1
 * what vidmm_va_wait waits for.
 */
enum vidmm_status vidmm_va_update(struct vidmm_context *context,
                                  const struct vidmm_va_operation *operations, uint32_t count);
/* Sleeps until all updates of `context` are carried out. */
enum vidmm_status vidmm_va_wait(struct vidmm_context *context);
/* Operations of it that are queued. */
uint32_t vidmm_va_queued(struct vidmm_context *context);
/*
 * Ends mappings and reservations of a range, and updates of it that are queued; the addresses may
 * be taken again at once. On IoMmu it is all of one allocation.
 */
enum vidmm_status vidmm_va_free(struct vidmm_process *process, uint64_t va, uint64_t size);

/* ---- Residency ------------------------------------------------------------------------------- */

#define VIDMM_RESIDENT_CANT_TRIM    0x1u /* the last attempt: the caller has nothing left to trim */
#define VIDMM_RESIDENT_MUST_SUCCEED 0x2u /* with CANT_TRIM: the device is lost otherwise */

/*
 * Adds one to each allocation's count on the list of the queue's device, and makes it resident: all
 * of them or none. VIDMM_DOES_NOT_FIT (E_OUTOFMEMORY): nothing changed, `*bytes_to_trim` says how
 * many bytes the process should evict before it tries again. `*fence`: 0, or the value of the
 * queue's fence after which the GPU may use them. Both may be NULL.
 */
enum vidmm_status vidmm_make_resident(struct vidmm_paging_queue *queue,
                                      struct vidmm_allocation *const *allocations, uint32_t count,
                                      uint32_t flags, uint64_t *fence, uint64_t *bytes_to_trim);

#define VIDMM_EVICT_ONLY_IF_NECESSARY 0x1u /* soon needed again; else it is evicted first */
#define VIDMM_EVICT_NOT_WRITTEN_TO    0x2u /* the GPU did not write it since it became resident */

/* Takes one off each count; at 0 an allocation may leave. `*bytes_to_trim` may be NULL. */
enum vidmm_status vidmm_device_evict(struct vidmm_device *device,
                                     struct vidmm_allocation *const *allocations, uint32_t count,
                                     uint32_t flags, uint64_t *bytes_to_trim);
/* How often `allocation` is on the list of `device`. */
uint32_t vidmm_residency_count(struct vidmm_device *device, struct vidmm_allocation *allocation);

#define VIDMM_TRIM_PERIODIC         0x1u /* trim what was not used since the last one */
#define VIDMM_TRIM_RESTART_PERIODIC 0x2u
#define VIDMM_TRIM_TO_BUDGET        0x4u

/*
 * Called without locks, inside the API call that needs memory; may call
 * vidmm_device_evict, but no function that needs memory itself.
 */
typedef void vidmm_trim_callback(void *ctx, uint32_t flags, uint64_t bytes_to_trim);
/*
 * D3DKMT_REGISTERTRIMNOTIFICATION; NULL ends it, and waits for a call that is under way: not from
 * inside the callback. One a device.
 */
void vidmm_device_trim(struct vidmm_device *device, vidmm_trim_callback *callback, void *ctx);

/*
 * The host's clock: every device that registered is asked for a periodic trim; with `restart`, to
 * count from now on.
 */
void vidmm_trim(struct vidmm_adapter *adapter, bool restart);

enum vidmm_offer_priority { VIDMM_OFFER_LOW = 1, VIDMM_OFFER_NORMAL, VIDMM_OFFER_HIGH };
enum vidmm_reclaim_result { VIDMM_RECLAIM_OK, VIDMM_RECLAIM_DISCARDED };

/* Content may be dropped once the work queued so far is done (offer-and-reclaim-changes.md). */
enum vidmm_status vidmm_offer(struct vidmm_device *device,
                              struct vidmm_allocation *const *allocations, uint32_t count,
                              enum vidmm_offer_priority priority);
/* `results[i]` says whether content survived. `*fence` as in vidmm_make_resident. */
enum vidmm_status vidmm_reclaim(struct vidmm_paging_queue *queue,
                                struct vidmm_allocation *const *allocations, uint32_t count,
                                enum vidmm_reclaim_result *results, uint64_t *fence);

enum vidmm_memory_group { VIDMM_GROUP_LOCAL, VIDMM_GROUP_NON_LOCAL };

/* Bytes (process-residency-budgets.md). */
struct vidmm_budget {
    uint64_t budget, usage;
};

/* Of the memory of a physical adapter. */
void vidmm_process_budget(struct vidmm_process *process, uint32_t physical,
                          enum vidmm_memory_group group, struct vidmm_budget *budget);
/* For tests and simulators: a fixed budget; UINT64_MAX: the manager's own share again. */
void vidmm_process_set_budget(struct vidmm_process *process, uint32_t physical,
                              enum vidmm_memory_group group, uint64_t bytes);
/*
 * Changes properties after DxgkDdiValidateUpdateAllocProperty agreed (R402); members as in
 * D3DDDI_UPDATEALLOCPROPERTY.
 */
enum vidmm_status vidmm_allocation_update(struct vidmm_allocation *allocation,
                                          const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *properties);

/* ---- Callbacks of a driver (forwarded by the host) -------------------------------- */

/*
 * DxgkCbReserveGpuVirtualAddressRange, while DxgkDdiCreateProcess runs for that process: whole
 * entries of its root table, none of them the first. Unless the driver allows it no other
 * mapping lies there; the entries are invalid and the driver's to overwrite.
 */
NTSTATUS vidmm_driver_reserve(struct vidmm_adapter *adapter,
                              DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args);
/*
 * DxgkCbMapContextAllocation: free addresses of the owner's process lead to the allocation. 0: they
 * do not; never while DxgkDdiSetRootPageTable says that the root of that process has grown.
 * `inside`: the calling thread is inside a DDI call that the manager made. That may be any which
 * creates, opens, closes or destroys something, or DxgkDdiSetRootPageTable.
 */
D3DGPU_VIRTUAL_ADDRESS vidmm_context_allocation_map(struct vidmm_adapter *adapter,
                                                    const DXGKARGCB_MAPCONTEXTALLOCATION *args,
                                                    bool inside);
/*
 * DxgkCbUpdateContextAllocation: the driver is asked to build UPDATE_CONTEXT_ALLOCATION, and the
 * GPU has carried it out when this returns. `inside` as above.
 */
NTSTATUS vidmm_context_allocation_update(struct vidmm_adapter *adapter,
                                         const DXGKARGCB_UPDATECONTEXTALLOCATION *args,
                                         bool inside);

/* ---- Submissions ----------------------------------------------------------------------------- */

struct vidmm_virtual_submission {
    uint64_t commands; /* GPU virtual address */
    uint32_t size;     /* bytes */
    const void *private_data;
    uint32_t private_size;
    bool present;
    bool null_rendering; /* Flags.NullRendering: the GPU runs nothing of it, its fence completes */
    /*
     * What the commands write, if the caller knows; NULL: anything on the device's list. One that
     * is not listed, or offered, puts the device in error.
     */
    struct vidmm_allocation *const *written;
    uint32_t written_count;
    /*
     * What the commands use, if the caller knows; NULL: anything on the device's list. It is for the
     * policy of eviction alone: what is used often should lie in memory segments. One that is not
     * listed is ignored.
     */
    struct vidmm_allocation *const *used;
    uint32_t used_count;
};

/*
 * Everything on the device's list is made resident, then DxgkDdiSubmitCommandVirtual. `*fence`
 * counts submissions of the adapter from 1, as vidmm_submit does.
 */
enum vidmm_status vidmm_submit_virtual(struct vidmm_context *context,
                                       const struct vidmm_virtual_submission *submission,
                                       uint64_t *fence);

#ifdef __cplusplus
}
#endif

#endif
