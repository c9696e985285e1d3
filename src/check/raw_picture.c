/* raw_picture.c - see raw_picture.h. */
#include "raw_picture.h"
#include "surface.h"

#include <string.h>

#include <vidmm/pattern.h>

/* ---- Up and down ----------------------------------------------------------------------------- */

static HANDLE picture_create(struct raw_pair *pair, uint32_t index,
                             const struct check_surface *surface) {
    struct raw_submitter *raw = pair->renderer.raw;
    struct raw_picture *picture = &pair->picture[index];
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
    picture->alignment = raw_alignment(&info);
    return info.hAllocation;
}

static bool picture_ask(const struct raw_pair *pair, uint32_t index,
                        struct check_surface *surface) {
    return check_surface_open(pair->renderer.raw->check, surface,
                              pair->renderer.gdi ? CHECK_SURFACE_GDI_STAGING : CHECK_SURFACE_SHADOW,
                              index == PICTURE_FROM ? PICTURE_WIDTH : PICTURE_WIDEST,
                              PICTURE_HEIGHT);
}

/* Rows of which the system knows the place. */
static bool picture_describe(struct raw_pair *pair, uint32_t index, struct check_surface *surface) {
    struct raw_submitter *raw = pair->renderer.raw;
    struct raw_picture *picture = &pair->picture[index];
    bool gdi = pair->renderer.gdi;
    picture->width = index == PICTURE_FROM ? PICTURE_WIDTH : PICTURE_WIDEST;
    if (!picture_ask(pair, index, surface))
        return false;
    picture->pitch = gdi ? surface->wanted.gdi.Pitch : surface->wanted.shadow.Pitch;
    raw->picture[index] = picture_create(pair, index, surface);
    return raw->picture[index] && picture->rows &&
           picture->pitch >= picture->width * sizeof(uint32_t) &&
           picture->pitch % sizeof(uint32_t) == 0 && picture->count <= RAW_PAGES &&
           (uint64_t)picture->pitch * PICTURE_HEIGHT <= (uint64_t)picture->count * CHECK_PAGE;
}

static DXGK_OPENALLOCATIONINFO picture_opening(uint32_t index,
                                               const struct check_surface *surface) {
    return (DXGK_OPENALLOCATIONINFO){.hAllocation = RAW_KERNEL_HANDLE + 1 + index,
                                     .pPrivateDriverData = surface->data,
                                     .PrivateDriverDataSize = surface->size};
}

static bool picture_open(struct raw_pair *pair, uint32_t index) {
    struct raw_submitter *raw = pair->renderer.raw;
    struct raw_picture *picture = &pair->picture[index];
    struct check_surface surface;
    bool described = picture_describe(pair, index, &surface);
    DXGK_OPENALLOCATIONINFO info = picture_opening(index, &surface);
    DXGKARG_OPENALLOCATION open = {.NumAllocations = 1, .pOpenAllocation = &info};
    open.Flags.Create = 1;
    if (described &&
        raw->ddi->DxgkDdiOpenAllocation(pair->renderer.device, &open) == STATUS_SUCCESS)
        picture->opened = info.hDeviceSpecificAllocation;
    check_surface_close(&surface);
    picture->pages = picture->opened ? raw_list(raw, RAW_PAGES, RAW_RUN) : NULL;
    return picture->pages;
}

uint32_t pair_node(const struct raw_submitter *raw) {
    for (uint32_t node = 0; raw->ddi->DxgkDdiGetNodeMetadata && node < raw->info.nodes; node++) {
        DXGKARG_GETNODEMETADATA answer = {.EngineType = DXGK_ENGINE_TYPE_OTHER};
        if (raw->ddi->DxgkDdiGetNodeMetadata(raw->adapter, node, &answer) == STATUS_SUCCESS &&
            answer.EngineType == DXGK_ENGINE_TYPE_3D)
            return node;
    }
    return 0;
}

bool pair_open(struct raw_pair *pair, struct raw_submitter *raw, bool gdi) {
    memset(pair, 0, sizeof(*pair));
    if (!raw_render_open_on(&pair->renderer, raw, pair_node(raw), gdi))
        return false;
    for (uint32_t i = 0; i < RAW_PICTURES; i++)
        if (!picture_open(pair, i))
            return false;
    return true;
}

static void picture_close(struct raw_pair *pair, uint32_t index) {
    struct raw_submitter *raw = pair->renderer.raw;
    struct raw_picture *picture = &pair->picture[index];
    const DXGKARG_CLOSEALLOCATION close = {.NumAllocations = 1,
                                           .pOpenHandleList = &picture->opened};
    const DXGKARG_DESTROYALLOCATION destroy = {.NumAllocations = 1,
                                               .pAllocationList = &raw->picture[index]};
    if (picture->opened)
        (void)raw->ddi->DxgkDdiCloseAllocation(pair->renderer.device, &close);
    if (raw->picture[index])
        (void)raw->ddi->DxgkDdiDestroyAllocation(raw->adapter, &destroy);
    raw->picture[index] = NULL;
    if (picture->pages)
        raw->os->pages_free(raw->os->ctx, picture->pages);
}

void pair_close(struct raw_pair *pair) {
    for (uint32_t i = 0; i < RAW_PICTURES; i++)
        picture_close(pair, i);
    raw_render_close(&pair->renderer);
}

static bool picture_visited(const struct raw_pair *pair, uint32_t index) {
    struct check_surface surface;
    bool asked = picture_ask(pair, index, &surface);
    DXGK_OPENALLOCATIONINFO info = picture_opening(index, &surface);
    DXGKARG_OPENALLOCATION open = {.NumAllocations = 1, .pOpenAllocation = &info};
    bool visited = asked && raw_visit(pair->renderer.raw, &open);
    check_surface_close(&surface);
    return visited;
}

bool pair_visited(struct raw_pair *pair) {
    return picture_visited(pair, PICTURE_FROM) && picture_visited(pair, PICTURE_TO);
}

/* ---- Places ---------------------------------------------------------------------------------- */

UINT pair_segment(const struct raw_pair *pair, uint32_t picture) {
    const struct raw_submitter *raw = pair->renderer.raw;
    return pair->picture[picture].mapped ? raw->aperture.id : raw->memory.id;
}

uint64_t pair_address(const struct raw_pair *pair, uint32_t picture) {
    const struct raw_submitter *raw = pair->renderer.raw;
    uint64_t base = pair->picture[picture].mapped ? raw->aperture.base : raw_memory_at(raw, 0);
    return base + (uint64_t)pair->picture[picture].page * CHECK_PAGE;
}

/* The second is behind the first. */
static bool picture_fits(struct raw_pair *pair, uint32_t index) {
    const struct raw_submitter *raw = pair->renderer.raw;
    struct raw_picture *picture = &pair->picture[index];
    uint64_t page = raw_align((uint64_t)index * RAW_PAGES, picture->alignment);
    picture->page = (uint32_t)page;
    return page + picture->count <= raw_room(raw, picture->mapped ? &raw->aperture : &raw->memory);
}

bool pair_place(struct raw_pair *pair, uint32_t mapped) {
    for (uint32_t i = 0; i < RAW_PICTURES; i++) {
        pair->picture[i].mapped = mapped >> i & 1u;
        UINT segment = pair_segment(pair, i);
        if (segment == 0 || (pair->picture[i].segments >> (segment - 1) & 1u) == 0 ||
            !picture_fits(pair, i))
            return false;
    }
    return true;
}

static bool picture_transfer(struct raw_pair *pair, uint32_t index, bool in) {
    const struct raw_picture *picture = &pair->picture[index];
    struct raw_submitter *raw = pair->renderer.raw;
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_TRANSFER};
    args.Transfer.hAllocation = raw->picture[index];
    args.Transfer.TransferSize = (SIZE_T)picture->count * CHECK_PAGE;
    args.Transfer.Flags.TransferStart = args.Transfer.Flags.TransferEnd = 1;
    if (in) {
        args.Transfer.Source.pMdl = picture->pages;
        args.Transfer.Destination.SegmentId = raw->memory.id;
        args.Transfer.Destination.SegmentAddress.QuadPart = (LONGLONG)pair_address(pair, index);
    } else {
        args.Transfer.Source.SegmentId = raw->memory.id;
        args.Transfer.Source.SegmentAddress.QuadPart = (LONGLONG)pair_address(pair, index);
        args.Transfer.Destination.pMdl = picture->pages;
    }
    return raw_build(raw, &args);
}

static bool picture_move(struct raw_pair *pair, uint32_t index, bool in) {
    const struct raw_picture *picture = &pair->picture[index];
    struct raw_submitter *raw = pair->renderer.raw;
    if (!picture->mapped)
        return picture_transfer(pair, index, in);
    return in ? raw_map(raw, &raw->aperture, picture->page, picture->count, picture->pages, 0)
              : raw_unmap(raw, &raw->aperture, picture->page, picture->count);
}

/* ---- Content --------------------------------------------------------------------------------- */

/* A pixel does not cross the end of a page. */
static unsigned char *picture_at(struct raw_pair *pair, uint32_t index, uint32_t x, uint32_t y) {
    const struct raw_picture *picture = &pair->picture[index];
    uint64_t at = (uint64_t)y * picture->pitch + x * sizeof(uint32_t);
    if (picture->bytes)
        return picture->bytes + at;
    return raw_page(pair->renderer.raw, picture->pages, at / CHECK_PAGE) + at % CHECK_PAGE;
}

static uint32_t picture_pixel(struct raw_pair *pair, uint32_t index, uint32_t x, uint32_t y) {
    uint32_t pixel;
    memcpy(&pixel, picture_at(pair, index, x, y), sizeof(pixel));
    return pixel;
}

static void picture_plain(struct raw_pair *pair, const RECT *plain) {
    const uint32_t pixel = PICTURE_PLAIN;
    for (LONG y = plain->top; y < plain->bottom; y++)
        for (LONG x = plain->left; x < plain->right; x++)
            memcpy(picture_at(pair, PICTURE_FROM, (uint32_t)x, (uint32_t)y), &pixel, sizeof(pixel));
}

static void picture_paint(struct raw_pair *pair, uint32_t index, uint32_t seed) {
    struct raw_picture *picture = &pair->picture[index];
    for (uint32_t page = 0; picture->bytes && page < picture->count; page++)
        vidmm_pattern_write(picture->bytes + (size_t)page * CHECK_PAGE,
                            vidmm_pattern_key(~(uint64_t)seed, page, 1));
    if (!picture->bytes)
        raw_paint(pair->renderer.raw, picture->pages, seed);
}

bool pair_bring(struct raw_pair *pair, uint32_t seed) {
    struct raw_submitter *raw = pair->renderer.raw;
    for (uint32_t i = 0; i < RAW_PICTURES; i++) {
        picture_paint(pair, i, seed * RAW_PICTURES + i);
        if (pair->plain && i == PICTURE_FROM)
            picture_plain(pair, pair->plain);
        for (uint32_t y = 0; y < PICTURE_HEIGHT; y++)
            for (uint32_t x = 0; x < pair->picture[i].width; x++)
                pair->picture[i].pixel[y][x] = picture_pixel(pair, i, x, y);
        if (!pair->context && !picture_move(pair, i, true))
            return false;
    }
    return pair->context ? managed_bring(pair) : raw_flush(raw);
}

bool pair_take(struct raw_pair *pair) {
    if (pair->context)
        return managed_take(pair);
    return picture_move(pair, PICTURE_FROM, false) && picture_move(pair, PICTURE_TO, false) &&
           raw_flush(pair->renderer.raw);
}

bool pair_good(struct raw_pair *pair, uint32_t bits) {
    for (uint32_t i = 0; i < RAW_PICTURES; i++)
        for (uint32_t y = 0; y < PICTURE_HEIGHT; y++)
            for (uint32_t x = 0; x < pair->picture[i].width; x++)
                if (((picture_pixel(pair, i, x, y) ^ pair->picture[i].pixel[y][x]) & bits) != 0) {
                    pair->wrong = i;
                    pair->wrong_x = x;
                    pair->wrong_y = y;
                    return false;
                }
    return true;
}
