/* paged.c - see paged.h; and the functions by which a driver keeps such sections in memory. */
#include "image/paged.h"

#include <dlfcn.h>
#include <string.h>

#include <ntddk.h>

#include "base/thread.h"

bool image_paged;
static bool out; /* of reach, now */

static bool pageable(const struct pe_section *section) {
    return strncmp(section->name, "PAGE", 4) == 0 && section->size != 0 &&
           !(section->flags & (PE_NOT_PAGED | PE_DISCARDABLE));
}

void image_paged_come(const struct host_image *image, bool alone) {
    for (uint32_t i = 0; i < image->section_count; i++)
        image_paged = image_paged || (alone && pageable(&image->sections[i]));
}

void image_paged_go(void) {
    image_paged = out = false;
}

void image_paged_reach(bool reach) {
    if (out != reach)
        return;
    out = !reach;
    for (const struct host_image *image = image_next(NULL); image; image = image_next(image))
        for (uint32_t i = 0; i < image->section_count; i++)
            if (pageable(&image->sections[i]) && image->locked[i] == 0)
                image_reach(image, &image->sections[i], reach);
}

bool image_paged_out(const struct host_image *image, const struct pe_section *section) {
    return out && pageable(section) && image->locked[section - image->sections] == 0;
}

/* ---- Kept in memory -------------------------------------------------------------------------- */

/* The count of locks of the section that `address` is in; NULL: it is in none of an image. */
static uint32_t *locks_of(const void *address) {
    struct host_image *image = image_of(address);
    const struct pe_section *section = image ? image_section(image, address) : NULL;
    return section ? &image->locked[section - image->sections] : NULL;
}

NTKERNELAPI PVOID NTAPI MmLockPagableDataSection(PVOID AddressWithinSection) {
    host_irql_at_most(APC_LEVEL, "MmLockPagableDataSection");
    uint32_t *locks = locks_of(AddressWithinSection);
    if (locks)
        ++*locks;
    return AddressWithinSection;
}

NTKERNELAPI VOID NTAPI MmUnlockPagableImageSection(PVOID ImageSectionHandle) {
    host_irql_at_most(APC_LEVEL, "MmUnlockPagableImageSection");
    uint32_t *locks = locks_of(ImageSectionHandle);
    if (locks && *locks != 0)
        --*locks;
}

NTKERNELAPI VOID NTAPI MmLockPagableSectionByHandle(PVOID ImageSectionHandle) {
    host_irql_at_most(APC_LEVEL, "MmLockPagableSectionByHandle");
    (void)MmLockPagableDataSection(ImageSectionHandle);
}

/* The beginning of the driver's image. One whose every section may be paged out has no interrupts. */
NTKERNELAPI PVOID NTAPI MmPageEntireDriver(PVOID AddressWithinSection) {
    Dl_info object;
    host_irql_at_most(APC_LEVEL, "MmPageEntireDriver");
    const struct host_image *image = image_of(AddressWithinSection);
    if (image)
        return image->base;
    return dladdr(AddressWithinSection, &object) != 0 ? object.dli_fbase : AddressWithinSection;
}

NTKERNELAPI VOID NTAPI MmResetDriverPaging(PVOID AddressWithinSection) {
    (void)AddressWithinSection;
    host_irql_at_most(APC_LEVEL, "MmResetDriverPaging");
}
