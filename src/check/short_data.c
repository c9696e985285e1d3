/*
 * short_data.c - private data of allocations that no user-mode driver of this driver sent: shorter than
 * that, and zeros. What follows short data belongs to somebody else: a driver that uses it answers
 * differently when it is different. Whether it refuses, or goes on without the rest, is its own affair; a
 * creation that it refused leaves nothing behind, nor does one of several allocations of which it refused
 * the last.
 */
#include "surface.h"

#include <stdlib.h>

#include <string.h>

#include <vidmm/referee.h>

/* What the driver made of it. */
struct made {
    NTSTATUS status;
    UINT64 size;
    UINT alignment, read_set, write_set;
    uint64_t left; /* pool blocks, of a creation that it refused */
};

static struct made short_make(struct check *check, void *data, uint32_t size, uint8_t behind) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    HANDLE adapter = vidmm_host_adapter(check->harness.host);
    DXGK_ALLOCATIONINFO info = {.pPrivateDriverData = size != 0 ? data : NULL,
                                .PrivateDriverDataSize = size};
    DXGKARG_CREATEALLOCATION create = {.NumAllocations = 1, .pAllocationInfo = &info};
    uint64_t before = vidmm_host_pool_blocks(check->harness.host);
    vidmm_referee_guards(behind);
    NTSTATUS status = table->DxgkDdiCreateAllocation(adapter, &create);
    vidmm_referee_guards(VIDMM_REFEREE_GUARD);
    uint64_t after = vidmm_host_pool_blocks(check->harness.host);
    if (status != STATUS_SUCCESS)
        return (struct made){.status = status, .left = after > before ? after - before : 0};
    const struct made made = {status,
                              info.Size,
                              info.Alignment,
                              info.SupportedReadSegmentSet,
                              info.SupportedWriteSegmentSet,
                              0};
    DXGKARG_DESTROYALLOCATION destroy = {.NumAllocations = 1, .pAllocationList = &info.hAllocation};
    (void)table->DxgkDdiDestroyAllocation(adapter, &destroy);
    return made;
}

static bool same(const struct made *one, const struct made *other) {
    return one->status == other->status && one->size == other->size &&
           one->alignment == other->alignment && one->read_set == other->read_set &&
           one->write_set == other->write_set;
}

/* A resource of two: pool blocks that are left when the driver refused the second for its private data. */
static uint64_t short_second(struct check *check, const struct check_surface *surface, void *data,
                             uint32_t size) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    HANDLE adapter = vidmm_host_adapter(check->harness.host);
    DXGK_ALLOCATIONINFO info[2] = {
        {.pPrivateDriverData = surface->data, .PrivateDriverDataSize = surface->size},
        {.pPrivateDriverData = size != 0 ? data : NULL, .PrivateDriverDataSize = size}};
    DXGKARG_CREATEALLOCATION create = {.pPrivateDriverData = surface->resource,
                                       .PrivateDriverDataSize = surface->resource_size,
                                       .NumAllocations = 2,
                                       .pAllocationInfo = info,
                                       .Flags.Resource = 1};
    uint64_t before = vidmm_host_pool_blocks(check->harness.host);
    NTSTATUS status = table->DxgkDdiCreateAllocation(adapter, &create);
    uint64_t after = vidmm_host_pool_blocks(check->harness.host);
    if (status != STATUS_SUCCESS)
        return after > before ? after - before : 0;
    HANDLE handles[2];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2; i++)
        if (info[i].hAllocation) /* a driver that made one of them broke R136 */
            handles[count++] = info[i].hAllocation;
    DXGKARG_DESTROYALLOCATION destroy = {.NumAllocations = count,
                                         .pAllocationList = handles,
                                         .hResource = create.hResource,
                                         .Flags.DestroyResource = 1};
    (void)table->DxgkDdiDestroyAllocation(adapter, &destroy);
    return 0;
}

static void short_judge_second(struct check *check, const struct check_surface *surface, void *data,
                               uint32_t size) {
    uint64_t left = 0, most = UINT64_MAX;
    for (uint32_t i = 0; i < 3 && most != 0; i++) {
        left = short_second(check, surface, data, size);
        most = left < most ? left : most;
    }
    vidmm_ledger_judge(&check->shared->ledger, 531, VIDMM_SIDE_DRIVER, most == 0,
                       "nothing left of a request that failed",
                       "%llu pool blocks were left of two allocations, each time that the driver "
                       "refused the private data of the second",
                       (unsigned long long)left);
}

/* Twice, with other bytes behind it: zeros, which make a small number of what is cut, and then a large one. A driver
 * that leaves something each time has no cache that it fills. */
static void short_twice(struct check *check, void *data, uint32_t size) {
    const struct made one = short_make(check, data, size, 0x00);
    struct made other = short_make(check, data, size, 0x01);
    if (same(&one, &other))
        other = short_make(check, data, size, 0x02);
    vidmm_ledger_judge(&check->shared->ledger, 537, VIDMM_SIDE_DRIVER, same(&one, &other),
                       "the same answer, whatever follows PrivateDriverDataSize bytes",
                       "of %u bytes Size is 0x%llx with status 0x%08x, and 0x%llx with "
                       "0x%08x when other bytes follow",
                       size, (unsigned long long)one.size, (unsigned)one.status,
                       (unsigned long long)other.size, (unsigned)other.status);
    bool left = one.left != 0 && other.left != 0 && short_make(check, data, size, 0x01).left != 0;
    vidmm_ledger_judge(&check->shared->ledger, 531, VIDMM_SIDE_DRIVER, !left,
                       "nothing left of a request that failed",
                       "%llu pool blocks were left of an allocation, each time that the driver "
                       "refused its private data",
                       (unsigned long long)other.left);
}

void check_short_data(struct check *check, const struct check_surface *surface) {
    const uint32_t sizes[] = {0, 1, surface->size / 2, surface->size - 1};
    void *zeros = check_memory(check, (size_t)surface->size + 1);
    for (uint32_t i = 0; surface->size > 1 && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        check_step(check, "objects: %u bytes of private data, of %u", sizes[i], surface->size);
        short_twice(check, surface->data, sizes[i]);
        short_judge_second(check, surface, surface->data, sizes[i]);
    }
    if (zeros && surface->size != 0) {
        check_step(check, "objects: %u bytes of private data, all zero", surface->size);
        short_twice(check, zeros, surface->size);
        short_judge_second(check, surface, zeros, surface->size);
    }
    free(zeros);
}
