/* sections.c - see sections.h. */
#include "trap/sections.h"

#include "base/thread.h"
#include "base/violations.h"
#include "image/image.h"
#include "image/paged.h"

static const char *verb(uint64_t address, uint64_t rip) {
    return address == rip ? "runs code" : "uses data";
}

/* Where the instruction is, as far as it is the driver's. */
static void say_place(const char *what, const char *why, const struct host_image *image,
                      uint64_t address, uint64_t rip) {
    const struct pe_section *section = image_section(image, (const void *)(uintptr_t)address);
    const struct host_image *caller = image_of((const void *)(uintptr_t)rip);
    char from[IMAGE_PLACE] = "the kernel";
    char at[IMAGE_PLACE];
    image_place(image, address, at);
    if (caller)
        image_place(caller, rip, from);
    host_violation("the driver %s at %s, in section '%s', %s (IRQL %u, from %s)", what, at,
                   section->name, why, host_self.irql, from);
}

bool sections_fault(uint64_t address, uint64_t rip) {
    const struct host_image *image = image_of((const void *)(uintptr_t)address);
    const struct pe_section *section =
        image ? image_section(image, (const void *)(uintptr_t)address) : NULL;
    if (!section)
        return false;
    if (image_paged_out(image, section)) {
        say_place(verb(address, rip), "which can be paged out, at DISPATCH_LEVEL or above", image,
                  address, rip);
        image_paged_reach(true);
        return true;
    }
    if (image->discarded && (section->flags & PE_DISCARDABLE))
        say_place(verb(address, rip), "which is gone after DriverEntry", image, address, rip);
    return false;
}
