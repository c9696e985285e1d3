/*
 * umd_shim_native.c - finds out if the driver knows vidmm/umd.h, and makes its private data.
 */
#include "umd_shim.h"

#include <string.h>

#include <vidmm/virtual.h>

#define NEEDED         (1u << VIDMM_UMD_STAMP | 1u << VIDMM_UMD_CHECK)
#define NEEDED_PACKETS (1u << VIDMM_UMD_PACKET_STAMP | 1u << VIDMM_UMD_PACKET_CHECK)

/* With virtual addresses work is packets, which the GPU executes as they are: commands of DxgkDdiRender are not asked
 * of such a driver. */
static bool shim_draws(struct vidmm_harness *harness, const struct vidmm_umd_caps *caps) {
    struct vidmm_gpummu_info mmu;
    vidmm_gpummu_info(harness->adapter, 0, &mmu);
    return mmu.on || mmu.iommu ? (caps->packets & NEEDED_PACKETS) == NEEDED_PACKETS
                               : (caps->commands & NEEDED) == NEEDED;
}

void umd_shim_start(struct shim *shim, struct vidmm_harness *harness) {
    struct vidmm_umd_caps caps;
    struct vidmm_adapter_info info;
    memset(&caps, 0, sizeof(caps));
    vidmm_adapter_info(harness->adapter, &info);
    *shim = (struct shim){.ddi = vidmm_host_ddi(harness->host),
                          .hadapter = vidmm_host_adapter(harness->host)};
    shim->version = shim->ddi->Version;
    shim->overlays = info.caps.MaxOverlays != 0;
    DXGKARG_QUERYADAPTERINFO query;
    memset(&query, 0, sizeof(query));
    query.Type = DXGKQAITYPE_UMDRIVERPRIVATE;
    query.pOutputData = &caps;
    query.OutputDataSize = sizeof(caps);
    if (!shim->ddi->DxgkDdiQueryAdapterInfo)
        return;
    NTSTATUS status = shim->ddi->DxgkDdiQueryAdapterInfo(shim->hadapter, &query);
    shim->native = NT_SUCCESS(status) && caps.magic == VIDMM_UMD_MAGIC &&
                   caps.version == VIDMM_UMD_VERSION && shim_draws(harness, &caps);
}

uint32_t umd_shim_pitch(uint64_t size, uint32_t index) {
    /* From 2 KiB up to 8 KiB a row, so that surfaces have rows behind their last tiles. */
    uint32_t pitch = 512 * (4 + index % 13);
    return (uint64_t)pitch * 8 <= size ? pitch : 512;
}

enum vidmm_status umd_shim_create_native(struct vidmm_device *device,
                                         const struct umd_shim_request *request,
                                         struct vidmm_allocation **out) {
    struct vidmm_umd_allocation data = {.magic = VIDMM_UMD_MAGIC,
                                        .flags = request->umd_flags |
                                                 VIDMM_UMD_PHYSICAL(request->physical),
                                        .size = request->size,
                                        .priority = request->priority,
                                        .pitch = request->pitch};
    const struct vidmm_allocation_request allocation = {
        .private_data = &data,
        .private_size = sizeof(data),
        .user = request->user,
        .primary = (request->umd_flags & VIDMM_UMD_PRIMARY) != 0};
    return vidmm_allocation_create(device, &allocation, out);
}

enum vidmm_status umd_shim_create(const struct shim *shim, struct vidmm_device *device,
                                  const struct umd_shim_request *request,
                                  struct vidmm_allocation **out) {
    struct umd_shim_request asked = *request;
    if (!shim->overlays)
        asked.umd_flags &= ~VIDMM_UMD_OVERLAY;
    return shim->native ? umd_shim_create_native(device, &asked, out)
                        : umd_shim_create_standard(shim, device, &asked, out);
}
