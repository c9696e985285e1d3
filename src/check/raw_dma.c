/*
 * raw_dma.c - where the DMA buffer of an application is, by hand: in system memory, or mapped into the aperture that its
 * context asked for (ns-d3dkmddi-_dxgk_contextinfo.md). There it is behind everything else but the paging buffer, and
 * leaves and comes back around a reset of the adapter.
 */
#include "raw.h"

/* Pages that stay free for the surface, at any of its places. */
#define DMA_BEHIND (3 * RAW_PAGES)

/* The submitter knows one aperture that a driver's set may name. */
bool raw_dma_possible(const struct raw_renderer *renderer) {
    const struct raw_submitter *raw = renderer->raw;
    const UINT set = renderer->info.DmaBufferSegmentSet;
    return set == 0 || (raw->aperture.id != 0 && (set >> (raw->aperture.id - 1) & 1u) != 0);
}

static uint32_t dma_pages(const struct raw_renderer *renderer) {
    return MmGetMdlByteCount(renderer->buffer) / CHECK_PAGE;
}

static bool dma_move(struct raw_renderer *renderer, bool in) {
    struct raw_submitter *raw = renderer->raw;
    uint32_t pages = dma_pages(renderer);
    return in ? raw_map(raw, &raw->aperture, renderer->dma.page, pages, renderer->buffer, 0)
              : raw_unmap(raw, &raw->aperture, renderer->dma.page, pages);
}

static void dma_count(struct raw_submitter *raw) {
    raw->dma_first = UINT32_MAX;
    for (const struct raw_renderer *renderer = raw->dma; renderer; renderer = renderer->dma.next)
        if (renderer->dma.page < raw->dma_first)
            raw->dma_first = renderer->dma.page;
}

/* Below all buffers that are there. False: there is no room. */
static bool dma_place(struct raw_renderer *renderer) {
    struct raw_submitter *raw = renderer->raw;
    uint64_t pages = dma_pages(renderer), end = raw_room(raw, &raw->aperture);
    uint64_t used = raw->aperture.size / CHECK_PAGE - end + pages + DMA_BEHIND;
    if (end < pages + DMA_BEHIND || used * CHECK_PAGE > raw_mapped_most(raw, &raw->aperture))
        return false;
    renderer->dma.page = (uint32_t)(end - pages);
    return true;
}

bool raw_dma_open(struct raw_renderer *renderer) {
    struct raw_submitter *raw = renderer->raw;
    if (renderer->info.DmaBufferSegmentSet == 0)
        return true;
    if (!dma_place(renderer) || !dma_move(renderer, true) || !raw_flush(raw))
        return false;
    renderer->dma.next = raw->dma;
    renderer->dma.mapped = true;
    raw->dma = renderer;
    dma_count(raw);
    return true;
}

void raw_dma_close(struct raw_renderer *renderer) {
    struct raw_submitter *raw = renderer->raw;
    struct raw_renderer **at = &raw->dma;
    if (!renderer->dma.mapped)
        return;
    while (*at != renderer)
        at = &(*at)->dma.next;
    *at = renderer->dma.next;
    dma_count(raw);
    renderer->dma.mapped = false;
    if (!raw->refused && dma_move(renderer, false))
        (void)raw_flush(raw);
}

bool raw_dma_move_all(struct raw_submitter *raw, bool in) {
    bool good = true;
    for (struct raw_renderer *renderer = raw->dma; good && renderer; renderer = renderer->dma.next)
        good = dma_move(renderer, in);
    return good;
}

UINT raw_dma_segment(const struct raw_renderer *renderer) {
    return renderer->dma.mapped ? renderer->raw->aperture.id : 0;
}

LONGLONG raw_dma_address(const struct raw_renderer *renderer) {
    const uint64_t base = renderer->raw->aperture.base;
    return (LONGLONG)(renderer->dma.mapped
                          ? base + (uint64_t)renderer->dma.page * CHECK_PAGE
                          : MmGetMdlPfnArray(renderer->buffer)[0] * (uint64_t)CHECK_PAGE);
}
