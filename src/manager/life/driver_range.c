/*
 * driver_range.c - addresses of a process that the driver reserves for itself while it makes the
 * process (nc-d3dkmddi-dxgkcb_reservegpuvirtualaddressrange.md): whole entries of the root table,
 * which stay invalid as far as the manager is concerned, and which the driver may overwrite with
 * page tables of its own. In the paging process, whose root stays as it is once it is there, the
 * driver may also do it while it makes the system device (R259).
 */
#include "address/space_change.h"
#include "life/paging_process.h"
#include "life/process.h"

/* The first address that the driver may have: neither entry 0 nor what paging itself needs, unless all of it is before
 * that. */
static uint64_t driver_range_lowest(const struct space *space,
                                    const DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args,
                                    uint64_t unit) {
    const uint64_t from = space->paging ? space->va->from : 0;
    bool before = args->BaseAddress != 0 && args->BaseAddress < from &&
                  args->SizeInBytes <= from - args->BaseAddress;
    uint64_t own = space->paging ? paging_process_bytes(space->adapter, space->physical) : unit;
    own += before ? 0 : from;
    return (own + unit - 1) & ~(unit - 1);
}

/* R260 */
static bool whole_entries(const DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args, uint64_t unit) {
    uint64_t alignment = args->Alignment;
    return args->SizeInBytes && !(args->SizeInBytes & (unit - 1)) &&
           !(args->BaseAddress & (unit - 1)) && !(alignment & (alignment - 1)) &&
           (alignment == 0 || alignment >= unit);
}

static bool driver_range_find(struct va *va, const DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args,
                              uint64_t unit, uint64_t low, uint64_t *start) {
    uint64_t alignment = args->Alignment > unit ? args->Alignment : unit;
    *start = args->BaseAddress;
    if (*start == 0)
        return va_pick(va, args->SizeInBytes, alignment, low, va->limit, start);
    return *start >= low && *start < va->limit && args->SizeInBytes <= va->limit - *start &&
           !(*start & (alignment - 1)) && va_is_free(va, *start, *start + args->SizeInBytes);
}

/* All addresses that there can be entries for, whatever the manager keeps to itself. */
static bool find_in(struct space *space, const DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args,
                    uint64_t unit, uint64_t *start) {
    uint64_t own = space->va->limit;
    space->va->limit = space->mmu->limit;
    bool found =
        driver_range_find(space->va, args, unit, driver_range_lowest(space, args, unit), start);
    space->va->limit = own;
    return found && (!space->root || *start + args->SizeInBytes <= space->root->entries * unit);
}

/* What an entry of the root covers: of linked adapters, on each. */
static uint64_t driver_range_unit(const struct space *space) {
    uint64_t unit = 0;
    for (; space; space = space->peer) {
        uint64_t one = UINT64_C(1) << mmu_shift(space->mmu, space->mmu->levels - 1);
        unit = one > unit ? one : unit;
    }
    return unit;
}

static NTSTATUS driver_range_reserve(struct vidmm_process *process,
                                     DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args) {
    struct space *space = process->space;
    uint64_t unit = driver_range_unit(space), start;
    struct va_use use = {.kind = VA_NOTHING, .owner = VA_OF_DRIVER};
    if (!whole_entries(args, unit))
        return STATUS_INVALID_PARAMETER;
    if (!find_in(space, args, unit, &start))
        return STATUS_CONFLICTING_ADDRESSES;
    if (args->AllowUserModeMapping) {
        use.owner = VA_OF_BOTH;
        use.reservation = ++space->reservations;
    }
    if (!va_set(space->va, start, start + args->SizeInBytes, &use))
        return STATUS_NO_MEMORY;
    args->StartVirtualAddress = start;
    return STATUS_SUCCESS;
}

NTSTATUS vidmm_driver_reserve(struct vidmm_adapter *adapter,
                              DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args) {
    NTSTATUS nt = STATUS_INVALID_PARAMETER;
    adapter_close(adapter);
    struct vidmm_process *process = adapter->processes.creating;
    if (!adapter->gpummu)
        nt = STATUS_NOT_SUPPORTED;
    else if (process && (HANDLE)process == args->hDxgkProcess) /* R259 */
        nt = driver_range_reserve(process, args);
    adapter_open(adapter);
    return nt;
}
