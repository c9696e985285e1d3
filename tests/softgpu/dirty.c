/* dirty.c - see dirty.h. */
#include "dirty.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define APERTURE 0x1u
#define VISIBLE  0x4u
#define MIB      (UINT64_C(1) << 20)

static void open_rig(struct dirty *d, uint64_t vram, uint64_t kind, uint64_t at,
                     void (*rig_opener)(struct rig *, const struct vidmm_host_setting *,
                                        uint32_t)) {
    const struct vidmm_host_setting settings[] = {
        {"VramBytes", vram},
        {"VramVisibleBytes", vram / 2},
        {"ApertureBytes", 4 * MIB},
        {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2},
        {"DirtyPageBytes", d->page},
        {"FaultKind", kind},
        {"FaultAt", at},
    };
    rig_opener(&d->rig, settings, sizeof(settings) / sizeof(settings[0]));
    d->visible = rig_find(&d->rig, APERTURE | VISIBLE, VISIBLE, &d->visible_at);
    d->hidden = rig_find(&d->rig, APERTURE | VISIBLE, 0, &d->hidden_at);
    d->cpu = vidmm_host_io(d->rig.host, d->visible_at.cpu, d->visible_at.size);
    assert_non_null(d->cpu);
}

void dirty_open(struct dirty *d, uint32_t page, uint64_t vram, uint64_t kind, uint64_t at) {
    d->page = page;
    open_rig(d, vram, kind, at, rig_open);
}

void dirty_open_threaded(struct dirty *d, uint64_t vram) {
    d->page = RIG_PAGE;
    open_rig(d, vram, 0, 0, rig_open_threaded);
}

void dirty_close(struct dirty *d) {
    rig_close(&d->rig);
}

HANDLE dirty_basis(struct dirty *d, uint32_t segment, const struct dirty_range *range,
                   uint64_t count) {
    size_t bytes = offsetof(DXGKARG_CREATEMEMORYBASIS, Ranges) + count * sizeof(DXGK_MEMORYRANGE);
    DXGKARG_CREATEMEMORYBASIS *args = calloc(1, bytes);
    assert_non_null(args);
    args->SegmentId = segment;
    args->RangeCount = count;
    for (uint64_t i = 0; i < count; i++)
        args->Ranges[i] = (DXGK_MEMORYRANGE){range[i].offset, range[i].size};
    HANDLE basis = d->rig.ddi->DxgkDdiCreateMemoryBasis(d->rig.adapter, args);
    free(args);
    return basis;
}

HANDLE dirty_all(struct dirty *d, uint32_t segment) {
    const struct dirty_range all = {0,
                                    segment == d->visible ? d->visible_at.size : d->hidden_at.size};
    HANDLE basis = dirty_basis(d, segment, &all, 1);
    assert_non_null(basis);
    dirty_start(d, basis);
    return basis;
}

void dirty_start(struct dirty *d, HANDLE basis) {
    assert_int_equal(d->rig.ddi->DxgkDdiStartDirtyTracking(d->rig.adapter, basis), STATUS_SUCCESS);
}

void dirty_stop(struct dirty *d, HANDLE basis) {
    assert_int_equal(d->rig.ddi->DxgkDdiStopDirtyTracking(d->rig.adapter, basis), STATUS_SUCCESS);
}

void dirty_destroy(struct dirty *d, HANDLE basis) {
    assert_int_equal(d->rig.ddi->DxgkDdiDestroyMemoryBasis(d->rig.adapter, basis), STATUS_SUCCESS);
}

NTSTATUS dirty_ask(struct dirty *d, HANDLE basis, const struct dirty_query *query, void *bits,
                   size_t bytes) {
    DXGKARG_QUERYDIRTYBITDATA args = {
        .MemoryBasis = basis,
        .SubrangeIndex = query->index,
        .SubrangeOffset = query->offset,
        .SubrangeSize = query->size,
        .Buffer = bits,
        .BufferSize = bytes,
        .Flags = query->clear ? DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA : 0,
    };
    return d->rig.ddi->DxgkDdiQueryDirtyBitData(d->rig.adapter, &args);
}

void dirty_take(struct dirty *d, HANDLE basis, bool clear, unsigned char *bits, size_t bytes) {
    const struct dirty_query all = {.clear = clear};
    memset(bits, 0xa5, bytes); /* what was there before does not matter */
    assert_int_equal(dirty_ask(d, basis, &all, bits, bytes), STATUS_SUCCESS);
}

uint64_t dirty_count(const unsigned char *bits, uint64_t pages) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < pages; i++)
        count += dirty_bit(bits, i);
    return count;
}

void dirty_fill(struct dirty *d, uint32_t segment, uint64_t offset, uint64_t bytes) {
    uint64_t base = segment == d->visible ? d->visible_at.base : d->hidden_at.base;
    DXGKARG_BUILDPAGINGBUFFER args = rig_fill(segment, base + offset, bytes, 0x5a5a5a5au);
    assert_int_equal(rig_page(&d->rig, &args, RIG_BUFFER), STATUS_SUCCESS);
}
