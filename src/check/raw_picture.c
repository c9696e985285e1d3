/* raw_picture.c - see raw_picture.h. */
#include "raw_picture.h"
#include "surface.h"

#include <string.h>

/* What an A8R8G8B8 pixel shows; nothing is said of alpha. */
#define COLORS 0x00ffffffu

/* ---- Up and down ----------------------------------------------------------------------------- */

static HANDLE picture_create(struct raw_gallery *gallery, uint32_t index,
                             const struct check_surface *surface) {
    struct raw_submitter *raw = gallery->renderer.raw;
    struct raw_picture *picture = &gallery->picture[index];
    DXGK_ALLOCATIONINFO info;
    memset(&info, 0, sizeof(info));
    info.pPrivateDriverData = surface->data;
    info.PrivateDriverDataSize = surface->size;
    DXGKARG_CREATEALLOCATION args = {.NumAllocations = 1, .pAllocationInfo = &info};
    if (surface->resource_size != 0 ||
        raw->ddi->DxgkDdiCreateAllocation(raw->adapter, &args) != STATUS_SUCCESS)
        return NULL;
    /* Rows are where the CPU expects them, in the surface itself and in what paging makes of it. */
    picture->rows = info.Flags.CpuVisible && !info.Flags.Swizzled;
    picture->segments = info.SupportedReadSegmentSet & info.SupportedWriteSegmentSet;
    picture->count = (uint32_t)((info.Size + CHECK_PAGE - 1) / CHECK_PAGE);
    return info.hAllocation;
}

/* Rows of which the system knows the place. */
static bool picture_describe(struct raw_gallery *gallery, uint32_t index,
                             struct check_surface *surface) {
    struct raw_submitter *raw = gallery->renderer.raw;
    struct raw_picture *picture = &gallery->picture[index];
    bool gdi = gallery->renderer.gdi;
    picture->width = index == PICTURE_FROM ? PICTURE_WIDTH : PICTURE_WIDEST;
    if (!check_surface_open(raw->check, surface,
                            gdi ? CHECK_SURFACE_GDI_STAGING : CHECK_SURFACE_SHADOW, picture->width,
                            PICTURE_HEIGHT))
        return false;
    picture->pitch = gdi ? surface->wanted.gdi.Pitch : surface->wanted.shadow.Pitch;
    raw->picture[index] = picture_create(gallery, index, surface);
    return raw->picture[index] && picture->rows &&
           picture->pitch >= picture->width * sizeof(uint32_t) &&
           picture->pitch % sizeof(uint32_t) == 0 && picture->count <= RAW_PAGES &&
           (uint64_t)picture->pitch * PICTURE_HEIGHT <= (uint64_t)picture->count * CHECK_PAGE;
}

static bool picture_open(struct raw_gallery *gallery, uint32_t index) {
    struct raw_submitter *raw = gallery->renderer.raw;
    struct raw_picture *picture = &gallery->picture[index];
    struct check_surface surface;
    bool described = picture_describe(gallery, index, &surface);
    DXGK_OPENALLOCATIONINFO info = {.hAllocation = RAW_KERNEL_HANDLE + 1 + index,
                                    .pPrivateDriverData = surface.data,
                                    .PrivateDriverDataSize = surface.size};
    DXGKARG_OPENALLOCATION open = {.NumAllocations = 1, .pOpenAllocation = &info};
    open.Flags.Create = 1;
    if (described &&
        raw->ddi->DxgkDdiOpenAllocation(gallery->renderer.device, &open) == STATUS_SUCCESS)
        picture->opened = info.hDeviceSpecificAllocation;
    check_surface_close(&surface);
    picture->pages = picture->opened ? raw_list(raw, RAW_PAGES, RAW_RUN) : NULL;
    return picture->pages;
}

bool gallery_open(struct raw_gallery *gallery, struct raw_submitter *raw, bool gdi) {
    memset(gallery, 0, sizeof(*gallery));
    if (!raw_render_open_as(&gallery->renderer, raw, gdi))
        return false;
    for (uint32_t i = 0; i < RAW_PICTURES; i++)
        if (!picture_open(gallery, i))
            return false;
    return true;
}

static void picture_close(struct raw_gallery *gallery, uint32_t index) {
    struct raw_submitter *raw = gallery->renderer.raw;
    struct raw_picture *picture = &gallery->picture[index];
    const DXGKARG_CLOSEALLOCATION close = {.NumAllocations = 1,
                                           .pOpenHandleList = &picture->opened};
    const DXGKARG_DESTROYALLOCATION destroy = {.NumAllocations = 1,
                                               .pAllocationList = &raw->picture[index]};
    if (picture->opened)
        (void)raw->ddi->DxgkDdiCloseAllocation(gallery->renderer.device, &close);
    if (raw->picture[index])
        (void)raw->ddi->DxgkDdiDestroyAllocation(raw->adapter, &destroy);
    raw->picture[index] = NULL;
    if (picture->pages)
        raw->os->pages_free(raw->os->ctx, picture->pages);
}

void gallery_close(struct raw_gallery *gallery) {
    for (uint32_t i = 0; i < RAW_PICTURES; i++)
        picture_close(gallery, i);
    raw_render_close(&gallery->renderer);
}

/* ---- Places ---------------------------------------------------------------------------------- */

UINT gallery_segment(const struct raw_gallery *gallery, uint32_t picture) {
    const struct raw_submitter *raw = gallery->renderer.raw;
    return gallery->picture[picture].mapped ? raw->aperture.id : raw->memory.id;
}

uint64_t gallery_address(const struct raw_gallery *gallery, uint32_t picture) {
    const struct raw_submitter *raw = gallery->renderer.raw;
    uint64_t base = gallery->picture[picture].mapped ? raw->aperture.base : raw_memory_at(raw, 0);
    return base + (uint64_t)picture * RAW_PAGES * CHECK_PAGE;
}

bool gallery_place(struct raw_gallery *gallery, uint32_t mapped) {
    for (uint32_t i = 0; i < RAW_PICTURES; i++) {
        gallery->picture[i].mapped = mapped >> i & 1u;
        UINT segment = gallery_segment(gallery, i);
        if (segment == 0 || (gallery->picture[i].segments >> (segment - 1) & 1u) == 0)
            return false;
    }
    return true;
}

static bool picture_transfer(struct raw_gallery *gallery, uint32_t index, bool in) {
    const struct raw_picture *picture = &gallery->picture[index];
    struct raw_submitter *raw = gallery->renderer.raw;
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_TRANSFER};
    args.Transfer.hAllocation = raw->picture[index];
    args.Transfer.TransferSize = (SIZE_T)picture->count * CHECK_PAGE;
    args.Transfer.Flags.TransferStart = args.Transfer.Flags.TransferEnd = 1;
    if (in) {
        args.Transfer.Source.pMdl = picture->pages;
        args.Transfer.Destination.SegmentId = raw->memory.id;
        args.Transfer.Destination.SegmentAddress.QuadPart =
            (LONGLONG)gallery_address(gallery, index);
    } else {
        args.Transfer.Source.SegmentId = raw->memory.id;
        args.Transfer.Source.SegmentAddress.QuadPart = (LONGLONG)gallery_address(gallery, index);
        args.Transfer.Destination.pMdl = picture->pages;
    }
    return raw_build(raw, &args);
}

static bool picture_move(struct raw_gallery *gallery, uint32_t index, bool in) {
    const struct raw_picture *picture = &gallery->picture[index];
    struct raw_submitter *raw = gallery->renderer.raw;
    uint32_t page = index * RAW_PAGES;
    if (!picture->mapped)
        return picture_transfer(gallery, index, in);
    return in ? raw_map(raw, &raw->aperture, page, picture->count, picture->pages, 0)
              : raw_unmap(raw, &raw->aperture, page, picture->count);
}

/* ---- Content --------------------------------------------------------------------------------- */

/* A pixel does not cross the end of a page. */
static uint32_t picture_pixel(struct raw_gallery *gallery, uint32_t index, uint32_t x, uint32_t y) {
    const struct raw_picture *picture = &gallery->picture[index];
    uint64_t at = (uint64_t)y * picture->pitch + x * sizeof(uint32_t);
    uint32_t pixel;
    memcpy(&pixel,
           raw_page(gallery->renderer.raw, picture->pages, at / CHECK_PAGE) + at % CHECK_PAGE,
           sizeof(pixel));
    return pixel;
}

bool gallery_bring(struct raw_gallery *gallery, uint32_t seed) {
    struct raw_submitter *raw = gallery->renderer.raw;
    for (uint32_t i = 0; i < RAW_PICTURES; i++) {
        raw_paint(raw, gallery->picture[i].pages, seed * RAW_PICTURES + i);
        for (uint32_t y = 0; y < PICTURE_HEIGHT; y++)
            for (uint32_t x = 0; x < gallery->picture[i].width; x++)
                gallery->picture[i].pixel[y][x] = picture_pixel(gallery, i, x, y);
        if (!picture_move(gallery, i, true))
            return false;
    }
    return raw_flush(raw);
}

bool gallery_take(struct raw_gallery *gallery) {
    return picture_move(gallery, PICTURE_FROM, false) && picture_move(gallery, PICTURE_TO, false) &&
           raw_flush(gallery->renderer.raw);
}

bool gallery_good(struct raw_gallery *gallery) {
    for (uint32_t i = 0; i < RAW_PICTURES; i++)
        for (uint32_t y = 0; y < PICTURE_HEIGHT; y++)
            for (uint32_t x = 0; x < gallery->picture[i].width; x++)
                if (((picture_pixel(gallery, i, x, y) ^ gallery->picture[i].pixel[y][x]) &
                     COLORS) != 0)
                    return false;
    return true;
}
