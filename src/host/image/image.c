/* image.c - see image.h. */
#include "image/image.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "base/world.h"
#include "image/stubs.h"

/* Written by one thread, while no code of the image that comes or goes runs. */
static _Atomic(struct host_image *) images;

/* What the compiler's start-up code takes for a cookie that no loader has set: it stops then. */
#define COOKIE_OF_COMPILER UINT64_C(0x00002B992DDFA232)
enum { COOKIE_MEMBER = 88 }; /* of the load configuration: SecurityCookie, an address */

enum { RELOCATION_NONE = 0, RELOCATION_DIR64 = 10 };

static bool relocate_one(const struct host_image *image, uint32_t page, uint16_t entry,
                         uint64_t delta, struct vidmm_host_error *error) {
    uint64_t offset = (uint64_t)page + (entry & 0xfff), value;
    unsigned kind = entry >> 12;
    if (kind == RELOCATION_NONE)
        return true;
    if (kind != RELOCATION_DIR64 || !image_has(image, offset, sizeof(value)))
        return host_fail(error,
                         "its relocation of type %u at 0x%llx is unknown or not in the image", kind,
                         (unsigned long long)offset);
    memcpy(&value, image->base + offset, sizeof(value));
    value += delta;
    memcpy(image->base + offset, &value, sizeof(value));
    return true;
}

/* The image is not where it was linked for. */
static bool relocate(const struct host_image *image, uint64_t delta,
                     struct vidmm_host_error *error) {
    struct pe_directory directory = image->directories[PE_RELOCATIONS];
    for (uint32_t at = 0; directory.size - at >= 8;) {
        uint32_t page = pe_u32(image->base + directory.address + at);
        uint32_t bytes = pe_u32(image->base + directory.address + at + 4);
        if (bytes == 0)
            break;
        if (bytes < 8 || bytes > directory.size - at)
            return host_fail(error, "its relocations have a block of %u bytes where %u are left",
                             bytes, directory.size - at);
        for (uint32_t k = 8; bytes - k >= 2; k += 2) {
            uint16_t entry;
            memcpy(&entry, image->base + directory.address + at + k, sizeof(entry));
            if (!relocate_one(image, page, entry, delta, error))
                return false;
        }
        at += bytes;
    }
    return true;
}

/* The compiler's /GS start-up code wants another cookie than the one it was built with. */
static void set_cookie(const struct host_image *image) {
    struct pe_directory directory = image->directories[PE_LOAD_CONFIG];
    uint64_t place, cookie = 0;
    if (directory.address == 0 || !image_has(image, directory.address, COOKIE_MEMBER + 8) ||
        pe_u32(image->base + directory.address) < COOKIE_MEMBER + 8)
        return;
    memcpy(&place, image->base + directory.address + COOKIE_MEMBER, sizeof(place));
    place -= (uintptr_t)image->base;
    if (!image_has(image, place, sizeof(cookie)))
        return;
    if (getrandom(&cookie, sizeof(cookie), GRND_NONBLOCK) != sizeof(cookie))
        cookie = (uintptr_t)image->base * UINT64_C(0x9E3779B97F4A7C15);
    cookie &= UINT64_C(0x0000FFFFFFFFFFFF);
    if (cookie == COOKIE_OF_COMPILER || cookie == 0)
        cookie ^= 0x5a5a;
    memcpy(image->base + place, &cookie, sizeof(cookie));
}

bool image_load(const struct pe *pe, struct host_image *image, struct vidmm_host_error *error) {
    memset(image, 0, sizeof(*image));
    image->size = pe->size;
    image->entry = pe->entry;
    image->section_count = pe->section_count;
    memcpy(image->directories, pe->directories, sizeof(image->directories));
    memcpy(image->sections, pe->sections, sizeof(image->sections));
    void *base =
        mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return host_fail(error, "out of memory for its %u bytes", image->size);
    image->base = base;
    memcpy(image->base, pe->file, pe->header_size);
    for (uint32_t i = 0; i < pe->section_count; i++)
        memcpy(image->base + pe->sections[i].address, pe->file + pe->sections[i].at,
               pe->sections[i].bytes);
    uint64_t delta = (uint64_t)(uintptr_t)image->base - pe->base;
    if (!relocate(image, delta, error)) {
        munmap(image->base, image->size);
        return false;
    }
    set_cookie(image);
    image->next = atomic_load(&images);
    atomic_store(&images, image);
    return true;
}

/* On x64, what can be written or run can be read. */
static int access_of(uint32_t flags) {
    return PROT_READ | (flags & PE_WRITE ? PROT_WRITE : 0) | (flags & PE_EXECUTE ? PROT_EXEC : 0);
}

bool image_reach(const struct host_image *image, const struct pe_section *section, bool reach) {
    return section->size == 0 ||
           mprotect(image->base + section->address, pe_whole_pages(section->size),
                    reach ? access_of(section->flags) : PROT_NONE) == 0;
}

bool image_protect(const struct host_image *image, struct vidmm_host_error *error) {
    bool done = mprotect(image->base, image->size, PROT_READ) == 0;
    for (uint32_t i = 0; i < image->section_count && done; i++)
        done = image_reach(image, &image->sections[i], true);
    return done || host_fail(error, "the access of its sections could not be set");
}

static bool goes(const struct pe_section *section) {
    return (section->flags & PE_DISCARDABLE) && section->size != 0;
}

void image_discard(struct host_image *image) {
    image->discarded = true;
    for (uint32_t i = 0; i < image->section_count; i++)
        if (goes(&image->sections[i]))
            (void)image_reach(image, &image->sections[i], false);
}

bool image_shows(const struct host_image *image, uint64_t offset, uint64_t size) {
    if (!image_has(image, offset, size))
        return false;
    for (uint32_t i = 0; image->discarded && i < image->section_count; i++) {
        const struct pe_section *section = &image->sections[i];
        if (goes(section) && offset < section->address + pe_whole_pages(section->size) &&
            offset + size > section->address)
            return false;
    }
    return true;
}

void image_free(struct host_image *image) {
    if (!image->base)
        return;
    struct host_image *head = atomic_load(&images);
    if (head == image)
        atomic_store(&images, image->next);
    for (struct host_image *one = head; one; one = one->next)
        if (one->next == image)
            one->next = image->next;
    munmap(image->base, image->size);
    stubs_free(image);
    if (image->stubs)
        munmap(image->stubs, image->stubs_size);
    memset(image, 0, sizeof(*image));
}

struct host_image *image_driver(void) {
    return atomic_load(&images);
}

const struct host_image *image_next(const struct host_image *image) {
    return image ? image->next : atomic_load(&images);
}

const struct pe_section *image_section(const struct host_image *image, const void *address) {
    uint64_t offset = (uintptr_t)address - (uintptr_t)image->base;
    for (uint32_t i = 0; i < image->section_count; i++)
        if (offset >= image->sections[i].address &&
            offset - image->sections[i].address < pe_whole_pages(image->sections[i].size))
            return &image->sections[i];
    return NULL;
}

void image_place(const struct host_image *image, uint64_t address, char place[IMAGE_PLACE]) {
    snprintf(place, IMAGE_PLACE, "%s+0x%llx", image->name,
             (unsigned long long)(address - (uintptr_t)image->base));
}

struct host_image *image_of(const void *address) {
    for (struct host_image *image = atomic_load(&images); image; image = image->next)
        if ((uintptr_t)address - (uintptr_t)image->base < image->size)
            return image;
    return NULL;
}
