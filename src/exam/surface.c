/* surface.c - see surface.h. */
#include "surface.h"

#include <stdlib.h>
#include <string.h>

static void want_gdi(struct exam_surface *surface, D3DKMDT_GDISURFACETYPE type, uint32_t width,
                     uint32_t height) {
    surface->wanted.gdi = (D3DKMDT_GDISURFACEDATA){
        .Width = width, .Height = height, .Format = D3DDDIFMT_A8R8G8B8, .Type = type};
    surface->ask.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_GDISURFACE;
    surface->ask.pCreateGdiSurfaceData = &surface->wanted.gdi;
}

static void want_primary(struct exam_surface *surface, uint32_t width, uint32_t height) {
    surface->wanted.primary = (D3DKMDT_SHAREDPRIMARYSURFACEDATA){
        .Width = width, .Height = height, .Format = D3DDDIFMT_A8R8G8B8, .RefreshRate = {60, 1}};
    surface->ask.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
    surface->ask.pCreateSharedPrimarySurfaceData = &surface->wanted.primary;
}

static void want_shadow(struct exam_surface *surface, uint32_t width, uint32_t height) {
    surface->wanted.shadow =
        (D3DKMDT_SHADOWSURFACEDATA){.Width = width, .Height = height, .Format = D3DDDIFMT_A8R8G8B8};
    surface->ask.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE;
    surface->ask.pCreateShadowSurfaceData = &surface->wanted.shadow;
}

static void want_staging(struct exam_surface *surface, uint32_t width, uint32_t height) {
    surface->wanted.staging = (D3DKMDT_STAGINGSURFACEDATA){.Width = width, .Height = height};
    surface->ask.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE;
    surface->ask.pCreateStagingSurfaceData = &surface->wanted.staging;
}

/* false: no system would ask this driver. */
static bool want(const struct exam *exam, struct exam_surface *surface, enum exam_surface_kind kind,
                 uint32_t width, uint32_t height) {
    bool gdi = exam->lab.table.Version >= DXGKDDI_INTERFACE_VERSION_WIN7;
    switch (kind) {
    case EXAM_SURFACE_PRIMARY:
        want_primary(surface, width, height);
        return true;
    case EXAM_SURFACE_GDI_TEXTURE:
        want_gdi(surface, D3DKMDT_GDISURFACE_TEXTURE, width, height);
        return gdi;
    case EXAM_SURFACE_SHADOW:
        want_shadow(surface, width, height);
        return true;
    case EXAM_SURFACE_GDI_STAGING:
        want_gdi(surface, D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE, width, height);
        return gdi;
    default:
        want_staging(surface, width, height);
        return true;
    }
}

static bool ask(struct exam *exam, struct exam_surface *surface) {
    const DRIVER_INITIALIZATION_DATA *table = &exam->lab.table;
    HANDLE adapter = vidmm_host_adapter(exam->lab.host);
    return table->DxgkDdiGetStandardAllocationDriverData(adapter, &surface->ask) == STATUS_SUCCESS;
}

/* The sizes first. */
bool exam_surface_open(struct exam *exam, struct exam_surface *surface, enum exam_surface_kind kind,
                       uint32_t width, uint32_t height) {
    memset(surface, 0, sizeof(*surface));
    if (exam->lab.table.DxgkDdiGetStandardAllocationDriverData == NULL ||
        !want(exam, surface, kind, width, height) || !ask(exam, surface))
        return false;
    surface->data = calloc(1, (size_t)surface->ask.AllocationPrivateDriverDataSize + 1);
    surface->resource = calloc(1, (size_t)surface->ask.ResourcePrivateDriverDataSize + 1);
    if (surface->data == NULL || surface->resource == NULL)
        return false;
    surface->ask.pAllocationPrivateDriverData = surface->data;
    surface->ask.pResourcePrivateDriverData = surface->resource;
    if (!ask(exam, surface))
        return false;
    surface->size = surface->ask.AllocationPrivateDriverDataSize;
    return true;
}

void exam_surface_close(struct exam_surface *surface) {
    free(surface->data);
    free(surface->resource);
    surface->data = surface->resource = NULL;
}

struct vidmm_allocation_request exam_surface_request(const struct exam_surface *surface,
                                                     bool primary) {
    return (struct vidmm_allocation_request){
        .private_data = surface->data, .private_size = surface->size, .primary = primary};
}
