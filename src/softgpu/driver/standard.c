/*
 * standard.c - the allocations that the system itself creates: the private data that a
 * user-mode driver would have written for them
 * (nc-d3dkmddi-dxgkddi_getstandardallocationdriverdata.md).
 */
#include "driver/kmd.h"

static UINT pixel_bytes(D3DDDIFORMAT format) {
    switch ((UINT)format) {
    case D3DDDIFMT_R5G6B5:
    case D3DDDIFMT_A1R5G5B5:
    case D3DDDIFMT_X1R5G5B5:
        return 2;
    case D3DDDIFMT_A8:
    case D3DDDIFMT_P8:
        return 1;
    default:
        return 4;
    }
}

/* What pitch and height are multiples of. */
struct standard_steps {
    UINT pitch, height;
};
static const struct standard_steps standard_own = {GPU_TILE_WIDTH, 1};
/* Drivers of other makers read it: D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT and _HEIGHT_. */
static const struct standard_steps standard_cross = {128, 4};

static ULONGLONG standard_round(ULONGLONG value, UINT step) {
    return (value + step - 1) / step * step;
}

/* Sizes a surface; false when it is empty or absurd. */
static bool standard_lay_out(struct kmd_standard *standard, UINT width, UINT height,
                             D3DDDIFORMAT format, struct standard_steps steps) {
    ULONGLONG row = standard_round((ULONGLONG)width * pixel_bytes(format), steps.pitch);
    ULONGLONG rows = standard_round(height, steps.height);
    if (width == 0 || height == 0 || row > GPU_PITCH_LIMIT || row * rows > GPU_MEMORY_LIMIT)
        return false;
    standard->umd.magic = VIDMM_UMD_MAGIC;
    standard->umd.size = row * rows;
    standard->umd.pitch = (UINT)row;
    standard->width = width;
    standard->height = height;
    standard->format = (UINT)format;
    return true;
}

static bool standard_surface(struct kmd_standard *standard, UINT width, UINT height,
                             D3DDDIFORMAT format) {
    return standard_lay_out(standard, width, height, format, standard_own);
}

static bool shared_primary(struct kmd_standard *standard,
                           const D3DKMDT_SHAREDPRIMARYSURFACEDATA *data) {
    standard->umd.flags = VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_PRIMARY;
    standard->refresh_numerator = data->RefreshRate.Numerator;
    standard->refresh_denominator = data->RefreshRate.Denominator;
    return standard_surface(standard, data->Width, data->Height, data->Format);
}

/* Presents read it by its physical address. */
static bool standard_shadow(struct kmd_standard *standard, D3DKMDT_SHADOWSURFACEDATA *data) {
    standard->umd.flags = VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED | VIDMM_UMD_ACCESSED_PHYSICALLY;
    bool good = standard_surface(standard, data->Width, data->Height, data->Format);
    data->Pitch = standard->umd.pitch;
    return good;
}

static bool standard_staging(struct kmd_standard *standard, D3DKMDT_STAGINGSURFACEDATA *data) {
    standard->umd.flags = VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED;
    bool good = standard_surface(standard, data->Width, data->Height, D3DDDIFMT_A8R8G8B8);
    data->Pitch = standard->umd.pitch;
    return good;
}

/* ne-d3dkmdt-_d3dkmdt_gdisurfacetype.md: in system memory, write-combined; the CPU sees it only
 * where the name has it. */
static bool standard_gdi_cross(struct kmd_standard *standard, D3DKMDT_GDISURFACEDATA *data) {
    standard->umd.flags = data->Type == D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE_CROSSADAPTER
                              ? VIDMM_UMD_CPU_VISIBLE
                              : 0;
    bool good = standard_lay_out(standard, data->Width, data->Height, data->Format, standard_cross);
    data->Pitch = standard->umd.pitch;
    return good;
}

static bool standard_gdi(struct kmd_standard *standard, D3DKMDT_GDISURFACEDATA *data) {
    standard->umd.flags = data->Type == D3DKMDT_GDISURFACE_TEXTURE
                              ? VIDMM_UMD_LOCAL
                              : VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED;
    bool good = standard_surface(standard, data->Width, data->Height, data->Format);
    /* Only this driver reads the bits of a surface that the CPU cannot see. */
    data->Pitch = data->Type == D3DKMDT_GDISURFACE_TEXTURE ? 0 : standard->umd.pitch;
    return good;
}

static bool standard_make(struct kmd_standard *standard,
                          DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    switch (args->StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE:
        return shared_primary(standard, args->pCreateSharedPrimarySurfaceData);
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
        return standard_shadow(standard, args->pCreateShadowSurfaceData);
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
        return standard_staging(standard, args->pCreateStagingSurfaceData);
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE:
        return args->pCreateGdiSurfaceData->Type >= D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER
                   ? standard_gdi_cross(standard, args->pCreateGdiSurfaceData)
                   : standard_gdi(standard, args->pCreateGdiSurfaceData);
    default:
        return false;
    }
}

/* Called once for the sizes and once more with the memory. */
NTSTATUS APIENTRY kmd_get_standard_allocation(const HANDLE hAdapter,
                                              DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    const struct kmd_adapter *adapter = hAdapter;
    struct kmd_standard standard = {0};
    if (!standard_make(&standard, args))
        return STATUS_INVALID_PARAMETER;
    if (adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_2) {
        if (!kmd_board(adapter, args->PhysicalAdapterIndex))
            return STATUS_INVALID_PARAMETER;
        standard.umd.flags |= VIDMM_UMD_PHYSICAL(args->PhysicalAdapterIndex);
    }
    if (args->pAllocationPrivateDriverData) {
        if (args->AllocationPrivateDriverDataSize < sizeof(standard))
            return STATUS_INVALID_PARAMETER;
        RtlCopyMemory(args->pAllocationPrivateDriverData, &standard, sizeof(standard));
    }
    args->AllocationPrivateDriverDataSize = sizeof(standard);
    args->ResourcePrivateDriverDataSize = 0;
    return STATUS_SUCCESS;
}
