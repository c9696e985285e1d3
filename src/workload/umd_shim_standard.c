/*
 * umd_shim_standard.c - allocations of a driver whose private data the player does not know.
 *
 * DxgkDdiGetStandardAllocationDriverData describes surfaces for which no user-mode driver is needed
 * (ns-d3dkmddi-_dxgkarg_getstandardallocationdriverdata): staging surfaces and, since Windows 7,
 * GDI surfaces, of about the size that the workload asks for. It is called twice: for the sizes of
 * the private data first, then for the data.
 */
#include "umd_shim.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_PER_PIXEL 4u
#define WIDTH_MAX       4096u
/* Bytes of private data; what a driver makes up beyond it is not to be had. */
#define PRIVATE_MOST (64u << 20)

/* The request; the union member must live as long as the query. */
struct standard {
    DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA ask;
    D3DKMDT_STAGINGSURFACEDATA staging;
    D3DKMDT_SHADOWSURFACEDATA shadow;
    D3DKMDT_GDISURFACEDATA gdi;
};

/* GDI surfaces may have any content; before them there were staging surfaces. A driver without both
 * has the shadow of the desktop. */
static void prepare(struct standard *standard, const struct shim *shim,
                    const struct umd_shim_request *request, bool shadow) {
    uint64_t pixels = (request->size + BYTES_PER_PIXEL - 1) / BYTES_PER_PIXEL;
    UINT width = pixels < WIDTH_MAX ? (UINT)pixels : WIDTH_MAX;
    UINT height = (UINT)((pixels + width - 1) / width);
    memset(standard, 0, sizeof(*standard));
    if (shadow) {
        standard->shadow.Width = width;
        standard->shadow.Height = height;
        standard->shadow.Format = D3DDDIFMT_A8R8G8B8;
        standard->ask.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE;
        standard->ask.pCreateShadowSurfaceData = &standard->shadow;
        return;
    }
    if (shim->version < DXGKDDI_INTERFACE_VERSION_WIN7) {
        standard->staging.Width = width;
        standard->staging.Height = height;
        standard->ask.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE;
        standard->ask.pCreateStagingSurfaceData = &standard->staging;
        return;
    }
    bool visible = (request->umd_flags & VIDMM_UMD_CPU_VISIBLE) != 0;
    standard->gdi.Width = width;
    standard->gdi.Height = height;
    standard->gdi.Format = D3DDDIFMT_A8R8G8B8;
    standard->gdi.Type =
        visible ? D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE : D3DKMDT_GDISURFACE_TEXTURE;
    standard->ask.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_GDISURFACE;
    standard->ask.pCreateGdiSurfaceData = &standard->gdi;
}

static enum vidmm_status make_standard(const struct shim *shim, struct vidmm_device *device,
                                       const struct umd_shim_request *request, bool shadow,
                                       struct vidmm_allocation **out) {
    struct standard standard;
    prepare(&standard, shim, request, shadow);
    if (!NT_SUCCESS(
            shim->ddi->DxgkDdiGetStandardAllocationDriverData(shim->hadapter, &standard.ask)))
        return VIDMM_DRIVER_REFUSED;
    UINT size = standard.ask.AllocationPrivateDriverDataSize;
    UINT resource_size = standard.ask.ResourcePrivateDriverDataSize;
    if (size > PRIVATE_MOST || resource_size > PRIVATE_MOST)
        return VIDMM_NO_MEMORY;
    /* At least one byte each: a size of zero is legal for one of them. */
    void *data = calloc(1, (size_t)size + 1), *resource = calloc(1, (size_t)resource_size + 1);
    enum vidmm_status status = VIDMM_NO_MEMORY;
    if (data && resource) {
        standard.ask.pAllocationPrivateDriverData = size == 0 ? NULL : data;
        standard.ask.pResourcePrivateDriverData = resource_size == 0 ? NULL : resource;
        status = VIDMM_DRIVER_REFUSED;
        if (NT_SUCCESS(
                shim->ddi->DxgkDdiGetStandardAllocationDriverData(shim->hadapter, &standard.ask))) {
            const struct vidmm_allocation_request allocation = {.private_data =
                                                                    size == 0 ? NULL : data,
                                                                .private_size = size,
                                                                .resource_data = resource,
                                                                .resource_size = resource_size,
                                                                .user = request->user};
            status = vidmm_allocation_create(device, &allocation, out);
        }
    }
    free(data);
    free(resource);
    return status;
}

enum vidmm_status umd_shim_create_standard(const struct shim *shim, struct vidmm_device *device,
                                           const struct umd_shim_request *request,
                                           struct vidmm_allocation **out) {
    if (!shim->ddi->DxgkDdiGetStandardAllocationDriverData)
        return VIDMM_DRIVER_REFUSED;
    enum vidmm_status status = make_standard(shim, device, request, false, out);
    return status == VIDMM_DRIVER_REFUSED ? make_standard(shim, device, request, true, out)
                                          : status;
}
