/*
 * user_root.c - a process that writes at an address whose entry of the root page table is behind NumEntries of them
 * (ns-d3dkmddi-_dxgkarg_setrootpagetable.md), where the root of another process happens to lie; see user.h. Roots that grow
 * alone are shorter than addresses are: those of two levels.
 */
#include "user.h"

#include <string.h>

#include <vidmm/umd.h>

#define SURFACE 0u
#define BEFORE  'r'
#define FILL    0x5a5a5a5au

/* The root that was set last. One run at a time. */
static struct {
    PDXGKDDI_SETROOTPAGETABLE below;
    DXGKARG_SETROOTPAGETABLE newest;
    uint32_t count;
} roots;

static VOID APIENTRY root_set(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    roots.newest = *args;
    roots.count++;
    roots.below(adapter, args);
}

void user_root_table(DRIVER_INITIALIZATION_DATA *table) {
    memset(&roots, 0, sizeof(roots)); /* --no-fork has several runs in one process */
    roots.below = table->DxgkDdiSetRootPageTable;
    if (roots.below)
        table->DxgkDdiSetRootPageTable = root_set;
}

/* A process with a surface, whose work is done. */
struct rooted {
    struct user user;
    DXGKARG_SETROOTPAGETABLE root;
};

/* `*known`: its root was set meanwhile. */
static bool rooted_open(struct check *check, struct rooted *rooted, bool *known) {
    const uint32_t before = roots.count, surface = SURFACE;
    struct user *user = &rooted->user;
    bool good = user_open(check, user) &&
                user_make(user, SURFACE, VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE, 1) &&
                user_write(user, SURFACE, BEFORE) &&
                user_make_resident(user, NULL, &surface, 1, 0) && user_submit(user, 0) &&
                user_rest(user);
    rooted->root = roots.newest;
    *known = roots.count != before;
    return good;
}

/* The address of `other`'s surface by the root of `one`; 0: there is none behind that root. */
static uint64_t beyond(const struct vidmm_gpummu_info *mmu, const struct rooted *one,
                       const struct rooted *other) {
    const DXGKARG_SETROOTPAGETABLE *from = &one->root, *to = &other->root;
    const uint32_t shift = 12 + mmu->level[0].index_bits;
    const uint64_t entry = mmu->level[1].size >> mmu->level[1].index_bits;
    const uint64_t distance = to->Address.SegmentOffset - from->Address.SegmentOffset;
    const uint64_t va = other->user.surface[SURFACE].va;
    if (entry == 0 || from->Address.SegmentId != to->Address.SegmentId ||
        from->Address.SegmentOffset >= to->Address.SegmentOffset || distance % entry != 0)
        return 0;
    const uint64_t index = distance / entry + (va >> shift);
    bool addressed = index >> (mmu->caps.VirtualAddressBitCount - shift) == 0;
    return addressed && index >= from->NumEntries
               ? index << shift | (va & (((uint64_t)1 << shift) - 1))
               : 0;
}

/* The process whose device this may cost fills a page there. */
static bool reach_beyond(struct rooted *one, struct rooted *other, uint64_t va) {
    struct check *check = one->user.check;
    const struct vidmm_umd_fill packet = {
        .head = {.opcode = VIDMM_UMD_PACKET_FILL, .size = sizeof(packet)},
        .pattern = FILL,
        .destination = va,
        .bytes = CHECK_PAGE};
    check_step(check, "engines: a write beyond the root page table");
    if (!user_send(&one->user, &packet, sizeof(packet)))
        return false;
    enum vidmm_status status = vidmm_wait(check->harness.adapter, one->user.fence);
    if (status != VIDMM_DEVICE_LOST && !check_good(check, status))
        return false;
    vidmm_ledger_judge(&check->shared->ledger, 257, VIDMM_SIDE_DRIVER,
                       !user_lost(&other->user, SURFACE),
                       "a fault of an access beyond NumEntries of the root page table",
                       "an access beyond the %u entries of a root page table went by that of "
                       "another process, into a page of it",
                       one->root.NumEntries);
    return true;
}

bool user_beyond_root(struct check *check) {
    struct vidmm_gpummu_info mmu;
    struct rooted first, second;
    bool known = false, both = false;
    vidmm_gpummu_info(check->harness.adapter, 0, &mmu);
    if (!mmu.on || mmu.levels != 2 || !check_speaks(check) ||
        !check_executes(check, VIDMM_UMD_PACKET_FILL))
        return true;
    check_step(check, "engines: two root page tables");
    if (!rooted_open(check, &first, &known) || !rooted_open(check, &second, &both))
        return false;
    bool good = true;
    if (known && both && user_has(&first.user, SURFACE) && user_has(&second.user, SURFACE)) {
        const uint64_t up = beyond(&mmu, &first, &second), down = beyond(&mmu, &second, &first);
        if (up != 0)
            good = reach_beyond(&first, &second, up);
        else if (down != 0)
            good = reach_beyond(&second, &first, down);
    }
    if (good) {
        user_close(&second.user);
        user_close(&first.user);
    }
    return good;
}
