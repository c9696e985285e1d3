/* surface.c - see surface.h. */
#include "surface.h"

#include <stdlib.h>
#include <string.h>

static void want_gdi(struct check_surface *surface, D3DKMDT_GDISURFACETYPE type,
                     D3DDDIFORMAT format, uint32_t width, uint32_t height) {
    surface->wanted.gdi =
        (D3DKMDT_GDISURFACEDATA){.Width = width, .Height = height, .Format = format, .Type = type};
    surface->ask.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_GDISURFACE;
    surface->ask.pCreateGdiSurfaceData = &surface->wanted.gdi;
}

static void want_primary(struct check_surface *surface, D3DDDIFORMAT format, uint32_t width,
                         uint32_t height) {
    surface->wanted.primary = (D3DKMDT_SHAREDPRIMARYSURFACEDATA){
        .Width = width, .Height = height, .Format = format, .RefreshRate = {60, 1}};
    surface->ask.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
    surface->ask.pCreateSharedPrimarySurfaceData = &surface->wanted.primary;
}

static void want_shadow(struct check_surface *surface, D3DDDIFORMAT format, uint32_t width,
                        uint32_t height) {
    surface->wanted.shadow =
        (D3DKMDT_SHADOWSURFACEDATA){.Width = width, .Height = height, .Format = format};
    surface->ask.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE;
    surface->ask.pCreateShadowSurfaceData = &surface->wanted.shadow;
}

static void want_staging(struct check_surface *surface, uint32_t width, uint32_t height) {
    surface->wanted.staging = (D3DKMDT_STAGINGSURFACEDATA){.Width = width, .Height = height};
    surface->ask.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE;
    surface->ask.pCreateStagingSurfaceData = &surface->wanted.staging;
}

/* false: systems do not ask this driver. */
static bool want(const struct check *check, struct check_surface *surface,
                 enum check_surface_kind kind, D3DDDIFORMAT format, uint32_t width,
                 uint32_t height) {
    bool gdi = check->harness.spoken.Version >= DXGKDDI_INTERFACE_VERSION_WIN7;
    switch (kind) {
    case CHECK_SURFACE_PRIMARY:
        want_primary(surface, format, width, height);
        return true;
    case CHECK_SURFACE_GDI_TEXTURE:
        want_gdi(surface, D3DKMDT_GDISURFACE_TEXTURE, format, width, height);
        return gdi;
    case CHECK_SURFACE_SHADOW:
        want_shadow(surface, format, width, height);
        return true;
    case CHECK_SURFACE_GDI_STAGING:
        want_gdi(surface, D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE, format, width, height);
        return gdi;
    case CHECK_SURFACE_CROSS_ADAPTER:
        want_gdi(surface, D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER, format, width, height);
        return check->harness.spoken.Version >= DXGKDDI_INTERFACE_VERSION_WDDM1_3;
    default:
        want_staging(surface, width, height);
        return true;
    }
}

static bool surface_ask(struct check *check, struct check_surface *surface) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    HANDLE adapter = vidmm_host_adapter(check->harness.host);
    return table->DxgkDdiGetStandardAllocationDriverData(adapter, &surface->ask) == STATUS_SUCCESS;
}

#define ROOM 4096u /* bytes: more than a description has */

/* R551: false where the sizes are refused, of a surface that the driver has no description of. One that describes it
 * all the same has refused the question. */
static bool surface_sizes(struct check *check, struct check_surface *surface) {
    static unsigned char data[ROOM], resource[ROOM];
    if (surface_ask(check, surface))
        return true;
    surface->ask.pAllocationPrivateDriverData = data;
    surface->ask.pResourcePrivateDriverData = resource;
    surface->ask.AllocationPrivateDriverDataSize = ROOM;
    surface->ask.ResourcePrivateDriverDataSize = ROOM;
    if (!check->starving)
        vidmm_ledger_judge(&check->shared->ledger, 551, VIDMM_SIDE_DRIVER,
                           !surface_ask(check, surface),
                           "the sizes of the private data where both pointers are NULL",
                           "an error, of a surface of type %d that the driver describes",
                           (int)surface->ask.StandardAllocationType);
    return false;
}

/* The sizes first. */
bool check_surface_open_as(struct check *check, struct check_surface *surface,
                           enum check_surface_kind kind, D3DDDIFORMAT format, uint32_t width,
                           uint32_t height) {
    memset(surface, 0, sizeof(*surface));
    if (!check->harness.spoken.DxgkDdiGetStandardAllocationDriverData ||
        !want(check, surface, kind, format, width, height) || !surface_sizes(check, surface))
        return false;
    surface->data = check_memory(check, (size_t)surface->ask.AllocationPrivateDriverDataSize + 1);
    surface->resource = check_memory(check, (size_t)surface->ask.ResourcePrivateDriverDataSize + 1);
    if (!surface->data || !surface->resource)
        return false;
    surface->ask.pAllocationPrivateDriverData = surface->data;
    surface->ask.pResourcePrivateDriverData = surface->resource;
    if (!surface_ask(check, surface))
        return false;
    surface->size = surface->ask.AllocationPrivateDriverDataSize;
    surface->resource_size = surface->ask.ResourcePrivateDriverDataSize;
    return true;
}

bool check_surface_open(struct check *check, struct check_surface *surface,
                        enum check_surface_kind kind, uint32_t width, uint32_t height) {
    return check_surface_open_as(check, surface, kind, D3DDDIFMT_A8R8G8B8, width, height);
}

void check_surface_close(struct check_surface *surface) {
    free(surface->data);
    free(surface->resource);
    surface->data = surface->resource = NULL;
}

void check_surface_create_alone(struct check *check, const struct check_surface *surface,
                                void (*look)(struct check *check, HANDLE allocation)) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    HANDLE adapter = vidmm_host_adapter(check->harness.host);
    DXGK_ALLOCATIONINFO info = {.pPrivateDriverData = surface->data,
                                .PrivateDriverDataSize = surface->size};
    DXGKARG_CREATEALLOCATION create = {.NumAllocations = 1, .pAllocationInfo = &info};
    if (surface->size == 0 || table->DxgkDdiCreateAllocation(adapter, &create) != STATUS_SUCCESS)
        return;
    DXGKARG_DESTROYALLOCATION destroy = {.NumAllocations = 1, .pAllocationList = &info.hAllocation};
    if (look)
        look(check, info.hAllocation);
    (void)table->DxgkDdiDestroyAllocation(adapter, &destroy);
}

struct vidmm_allocation_request check_surface_request(const struct check_surface *surface,
                                                      bool primary) {
    return (struct vidmm_allocation_request){.private_data = surface->data,
                                             .private_size = surface->size,
                                             .resource_data = surface->resource,
                                             .resource_size = surface->resource_size,
                                             .primary = primary};
}

bool check_has_alternate(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation) {
    struct vidmm_adapter_info known;
    struct vidmm_allocation_info info;
    vidmm_adapter_info(adapter, &known);
    vidmm_allocation_info(allocation, &info);
    return known.interface_version < DXGKDDI_INTERFACE_VERSION_WDDM2_0 &&
           info.driver.Flags.UseAlternateVA;
}

bool check_surface_any(struct check *check) {
    bool any = false;
    for (uint32_t kind = CHECK_SURFACE_PRIMARY + 1; kind < CHECK_SURFACES && !any; kind++) {
        struct check_surface surface;
        any = check_surface_open(check, &surface, kind, 64, 64);
        check_surface_close(&surface);
    }
    return any;
}
