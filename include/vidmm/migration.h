/*
 * migration.h - dirty-bit tracking and live migration (WDDM 3.2): what the manager offers beside
 * manager.h and virtual.h.
 *
 * A memory basis is a set of ranges of one memory segment. The GPU records writes to them, a bit
 * for each page of a size that the driver reports (dirty-bit-tracking.md). A migration reads what
 * is dirty while work goes on, pauses, reads the rest and the driver's own state, and restores both
 * on a target (live-migration-on-gpup-devices.md). The virtual GPU that moves is the whole adapter,
 * vfIndex 0.
 *
 * Bits of a query: page k of the ranges, one after another in the order of the basis, is bit k % 8
 * of byte k / 8, counted from the least significant; the rest of the last byte is zero.
 * ns-d3dkmddi-dxgkarg_querydirtybitdata.md does not say it: docs/readings.md.
 *
 * These calls do not belong to the applications: the host hashes them separately
 * (vidmm_host_unhashed), and they need no memory of the applications: staging pages and scratch
 * addresses are allocated at the start of an adapter whose driver can migrate.
 *
 * Threads and errors: as in manager.h. VIDMM_BAD_ARGUMENT also where the driver has no such
 * capability. Queries may run while the GPU writes.
 */
#ifndef VIDMM_MIGRATION_H
#define VIDMM_MIGRATION_H

#include <vidmm/manager.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tracking -------------------------------------------------------------------------------- */

struct vidmm_dirty_info {
    bool tracking;      /* DirtyBitTrackingSupported */
    bool performant;    /* may be on all the time */
    bool migration;     /* DXGK_GPUPCAPS.LiveMigration */
    bool tracks_always; /* the manager tracks every memory segment since the start */
};

/*
 * Fills in `*info` with what the driver reported at the start; all false before WDDM 3.2. Cannot
 * fail.
 */
void vidmm_dirty_info(struct vidmm_adapter *adapter, struct vidmm_dirty_info *info);
/* Bytes of one dirty bit of segment `id`; 0: the driver does not track it. */
uint32_t vidmm_dirty_page(struct vidmm_adapter *adapter, uint32_t id);

/* Bytes from the start of a segment. */
struct vidmm_memory_range {
    uint64_t offset, size;
};

struct vidmm_memory_basis;

/*
 * DxgkDdiCreateMemoryBasis. Ranges in any order; VIDMM_BAD_ARGUMENT when one is empty, outside of
 * the segment, not in units of its dirty pages, or overlaps another of the same basis.
 */
enum vidmm_status vidmm_basis_create(struct vidmm_adapter *adapter, uint32_t segment,
                                     const struct vidmm_memory_range *ranges, uint32_t count,
                                     struct vidmm_memory_basis **out);
/* Stops tracking and destroys it. NULL is fine. */
void vidmm_basis_destroy(struct vidmm_memory_basis *basis);
/* All bits are zero, and from now on set by writes. VIDMM_BAD_ARGUMENT when it is started. */
enum vidmm_status vidmm_basis_start(struct vidmm_memory_basis *basis);
/* Other bases over the same pages go on. VIDMM_BAD_ARGUMENT when it is not started. */
enum vidmm_status vidmm_basis_stop(struct vidmm_memory_basis *basis);

struct vidmm_dirty_query {
    uint32_t index;        /* of the range; `size` 0: the whole basis, all else is 0 */
    uint64_t offset, size; /* in that range; units of dirty pages */
    bool clear;            /* clears the bits that are returned, without losing a write */
};

/* Bytes of the bits that a query answers; 0: the part does not exist. */
size_t vidmm_basis_query_bytes(const struct vidmm_memory_basis *basis,
                               const struct vidmm_dirty_query *query);
/*
 * DxgkDdiQueryDirtyBitData into `bits` of `size` bytes, at least vidmm_basis_query_bytes, of a
 * basis that is started: else VIDMM_BAD_ARGUMENT and nothing is written or cleared. The rest of the
 * buffer is not changed.
 */
enum vidmm_status vidmm_basis_query(struct vidmm_memory_basis *basis,
                                    const struct vidmm_dirty_query *query, void *bits, size_t size);

/* ---- Migration ------------------------------------------------------------------------------- */

enum vidmm_migration_side { VIDMM_MIGRATION_SOURCE, VIDMM_MIGRATION_TARGET };

/*
 * DxgkDdiPrepareLiveMigration. To be ended by vidmm_migration_end in every case. A target is paused
 * from here on. On a source every memory segment is tracked from here on, unless it always was; the
 * first vidmm_migration_dirty reports what may differ from memory that was never written:
 * everything in use, or what was written since the start.
 */
enum vidmm_status vidmm_migration_prepare(struct vidmm_adapter *adapter,
                                          enum vidmm_migration_side side);
/* DxgkDdiEndLiveMigration; a paused adapter goes on. */
void vidmm_migration_end(struct vidmm_adapter *adapter);

/* Waits for all submissions; new ones are VIDMM_BUSY until resumed. */
enum vidmm_status vidmm_migration_pause(struct vidmm_adapter *adapter);
/* Submissions of a source go on. A target stays paused until vidmm_migration_end. */
void vidmm_migration_resume(struct vidmm_adapter *adapter);

/* The driver's own state: what never changes, and the rest (paused only). */
enum vidmm_migration_data { VIDMM_MIGRATION_IMMUTABLE, VIDMM_MIGRATION_MUTABLE };

/* Two calls of DxgkDdiSave(Im)mutableMigrationData; the block is the caller's, for _release. */
enum vidmm_status vidmm_migration_save(struct vidmm_adapter *adapter,
                                       enum vidmm_migration_data kind, void **data, size_t *size);
/* Frees a block of vidmm_migration_save; `size` is the one that it returned. */
void vidmm_migration_release(struct vidmm_adapter *adapter, void *data, size_t size);
/*
 * DxgkDdiRestore(Im)mutableMigrationData of a target. VIDMM_DRIVER_REFUSED with
 * STATUS_OBJECT_TYPE_MISMATCH: it comes from another kind of GPU.
 */
enum vidmm_status vidmm_migration_restore(struct vidmm_adapter *adapter,
                                          enum vidmm_migration_data kind, const void *data,
                                          size_t size);

/*
 * The pages of segment `id` to send now: in use and dirty since the last call, which cleared the
 * bits. Memory of the manager's paging process does not belong to the virtual GPU. A page that is
 * used for the first time later is reported then, written or not. Pieces ascend and are disjoint,
 * in units of vidmm_dirty_page; a segment may end with a part of one. `*ranges` (for
 * _release_ranges) and `*count`; none: NULL and 0.
 */
enum vidmm_status vidmm_migration_dirty(struct vidmm_adapter *adapter, uint32_t id,
                                        struct vidmm_memory_range **ranges, uint32_t *count);
/* All pages in use of segment `id`: a full copy. */
enum vidmm_status vidmm_migration_used(struct vidmm_adapter *adapter, uint32_t id,
                                       struct vidmm_memory_range **ranges, uint32_t *count);
/*
 * Frees ranges of vidmm_migration_dirty or vidmm_migration_used; `count` as returned. NULL and 0
 * is fine.
 */
void vidmm_migration_release_ranges(struct vidmm_adapter *adapter,
                                    struct vidmm_memory_range *ranges, uint32_t count);

#define VIDMM_MIGRATION_STAGING (UINT64_C(4) << 20) /* bytes of a call of the next two at most */

/*
 * One VIRTUAL_TRANSFER (or as many as the driver's buffers need) between scattered ranges and the
 * caller's memory, in which they lie one after another. Done when it returns. Ranges are whole
 * pages of 4096 bytes, of which a source may read any, and a target writes only what is in use. If
 * the GPU cannot do it, it is reset and the result is VIDMM_GPU_LOST: pages in use have moved.
 */
enum vidmm_status vidmm_migration_read(struct vidmm_adapter *adapter, uint32_t id,
                                       const struct vidmm_memory_range *ranges, uint32_t count,
                                       void *out);
/* A target's. */
enum vidmm_status vidmm_migration_write(struct vidmm_adapter *adapter, uint32_t id,
                                        const struct vidmm_memory_range *ranges, uint32_t count,
                                        const void *in);

#ifdef __cplusplus
}
#endif

#endif
