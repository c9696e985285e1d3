/*
 * short_data.c - private data of allocations that is shorter than the driver's user mode sends it:
 * what follows it belongs to somebody else. A driver that uses it answers differently when it is
 * different; whether it refuses what is short, or goes on without the rest, is its own affair.
 */
#include "surface.h"

#include <string.h>

#include <vidmm/referee.h>

/* What the driver made of it. */
struct made {
    NTSTATUS status;
    UINT64 size;
    UINT alignment, read_set, write_set;
};

static struct made make_short(struct check *check, const struct check_surface *surface,
                              uint32_t size, uint8_t behind) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    HANDLE adapter = vidmm_host_adapter(check->harness.host);
    DXGK_ALLOCATIONINFO info = {.pPrivateDriverData = size != 0 ? surface->data : NULL,
                                .PrivateDriverDataSize = size};
    DXGKARG_CREATEALLOCATION create = {.NumAllocations = 1, .pAllocationInfo = &info};
    check_step(check, "objects: %u bytes of private data, of %u", size, surface->size);
    vidmm_referee_guards(behind);
    NTSTATUS status = table->DxgkDdiCreateAllocation(adapter, &create);
    vidmm_referee_guards(VIDMM_REFEREE_GUARD);
    if (status != STATUS_SUCCESS)
        return (struct made){.status = status};
    const struct made made = {status, info.Size, info.Alignment, info.SupportedReadSegmentSet,
                              info.SupportedWriteSegmentSet};
    DXGKARG_DESTROYALLOCATION destroy = {.NumAllocations = 1, .pAllocationList = &info.hAllocation};
    (void)table->DxgkDdiDestroyAllocation(adapter, &destroy);
    return made;
}

static bool same(const struct made *one, const struct made *other) {
    return one->status == other->status && one->size == other->size &&
           one->alignment == other->alignment && one->read_set == other->read_set &&
           one->write_set == other->write_set;
}

void check_short_data(struct check *check, const struct check_surface *surface) {
    const uint32_t sizes[] = {0, 1, surface->size / 2, surface->size - 1};
    for (uint32_t i = 0; surface->size > 1 && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const struct made one = make_short(check, surface, sizes[i], 0x01);
        const struct made other = make_short(check, surface, sizes[i], 0x02);
        vidmm_ledger_judge(&check->shared->ledger, 537, VIDMM_SIDE_DRIVER, same(&one, &other),
                           "the same answer, whatever follows PrivateDriverDataSize bytes",
                           "of %u bytes Size is 0x%llx with status 0x%08x, and 0x%llx with "
                           "0x%08x when other bytes follow",
                           sizes[i], (unsigned long long)one.size, (unsigned)one.status,
                           (unsigned long long)other.size, (unsigned)other.status);
    }
}
