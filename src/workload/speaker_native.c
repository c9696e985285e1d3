/*
 * speaker_native.c - finds out which language the driver speaks, and speaks ours (vidmm/umd.h).
 */
#include "speaker.h"

#include <string.h>

#define NEEDED (1u << VIDMM_UMD_STAMP | 1u << VIDMM_UMD_CHECK)

void speaker_start(struct speaker *speaker, struct vidmm_lab *lab) {
    struct vidmm_umd_caps caps;
    memset(&caps, 0, sizeof caps);
    *speaker = (struct speaker){.ddi = vidmm_host_ddi(lab->host),
                                .hadapter = vidmm_host_adapter(lab->host)};
    speaker->version = speaker->ddi->Version;
    DXGKARG_QUERYADAPTERINFO query;
    memset(&query, 0, sizeof query);
    query.Type = DXGKQAITYPE_UMDRIVERPRIVATE;
    query.pOutputData = &caps;
    query.OutputDataSize = sizeof caps;
    if (speaker->ddi->DxgkDdiQueryAdapterInfo == NULL)
        return;
    NTSTATUS status = speaker->ddi->DxgkDdiQueryAdapterInfo(speaker->hadapter, &query);
    speaker->native = NT_SUCCESS(status) && caps.magic == VIDMM_UMD_MAGIC &&
                      caps.version == VIDMM_UMD_VERSION && (caps.commands & NEEDED) == NEEDED;
}

uint32_t speaker_pitch(uint64_t size, uint32_t index) {
    /* From 2 KiB up to 8 KiB a row, so that surfaces have rows left over below their last tiles. */
    uint32_t pitch = 512 * (4 + index % 13);
    return (uint64_t)pitch * 8 <= size ? pitch : 512;
}

enum vidmm_status speaker_create_native(struct vidmm_device *device,
                                        const struct speaker_request *request,
                                        struct vidmm_allocation **out) {
    struct vidmm_umd_allocation data = {.magic = VIDMM_UMD_MAGIC,
                                        .flags = request->umd_flags,
                                        .size = request->size,
                                        .priority = request->priority,
                                        .pitch = request->pitch};
    const struct vidmm_allocation_request allocation = {
        .private_data = &data,
        .private_size = sizeof data,
        .user = request->user,
        .primary = (request->umd_flags & VIDMM_UMD_PRIMARY) != 0};
    return vidmm_allocation_create(device, &allocation, out);
}

enum vidmm_status speaker_create(const struct speaker *speaker, struct vidmm_device *device,
                                 const struct speaker_request *request,
                                 struct vidmm_allocation **out) {
    return speaker->native ? speaker_create_native(device, request, out)
                           : speaker_create_standard(speaker, device, request, out);
}
