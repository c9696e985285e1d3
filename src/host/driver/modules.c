/*
 * modules.c - the list of loaded modules (pages nf-aux_klib-auxklibinitialize,
 * nf-aux_klib-auxklibquerymoduleinformation): driver images, of which there is none where the driver is a
 * shared object.
 */
#include <aux_klib.h>

#include <stdatomic.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/image.h"

static _Atomic bool modules_ready;

NTKERNELAPI NTSTATUS NTAPI AuxKlibInitialize(VOID) {
    atomic_store(&modules_ready, true);
    return STATUS_SUCCESS;
}

static void module_tell(const struct host_image *image, AUX_MODULE_EXTENDED_INFO *to) {
    memset(to, 0, sizeof(*to));
    to->BasicInfo.ImageBase = image->base;
    to->ImageSize = image->size;
    memcpy(to->FullPathName, image->name, strnlen(image->name, sizeof(image->name)));
}

NTKERNELAPI NTSTATUS NTAPI AuxKlibQueryModuleInformation(PULONG BufferSize, ULONG ElementSize,
                                                         PVOID QueryInfo) {
    ULONG count = 0;
    if (!host_irql_at_most(PASSIVE_LEVEL, "AuxKlibQueryModuleInformation"))
        return STATUS_UNSUCCESSFUL;
    if (!atomic_load(&modules_ready))
        host_violation("AuxKlibQueryModuleInformation without AuxKlibInitialize before it");
    if (ElementSize != sizeof(AUX_MODULE_BASIC_INFO) &&
        ElementSize != sizeof(AUX_MODULE_EXTENDED_INFO))
        return STATUS_INVALID_PARAMETER;
    for (const struct host_image *image = image_next(NULL); image; image = image_next(image))
        count++;
    if (QueryInfo && *BufferSize < count * ElementSize)
        return STATUS_BUFFER_TOO_SMALL;
    *BufferSize = count * ElementSize;
    const struct host_image *image = image_next(NULL);
    for (char *at = QueryInfo; at && image; image = image_next(image), at += ElementSize) {
        AUX_MODULE_EXTENDED_INFO info;
        module_tell(image, &info);
        memcpy(at, &info, ElementSize);
    }
    return STATUS_SUCCESS;
}
