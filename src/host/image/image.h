/*
 * image.h - a driver image in memory: sections at their addresses, relocated, protected.
 *
 * image_load does all but the imports, which imports.h binds while the image can be written;
 * image_protect then gives each section the access that its header asks for. Images are known by
 * the addresses they take, so that a fault or a return address leads to image and offset.
 */
#ifndef HOST_IMAGE_H
#define HOST_IMAGE_H

#include "image/pe.h"

struct host_image {
    uint8_t *base;
    uint32_t size;  /* bytes, a multiple of a page */
    uint32_t entry; /* offset of DriverEntry, or what start-up code stands before it */
    struct pe_directory directories[PE_DIRECTORIES];
    struct pe_section sections[PE_SECTIONS_MAX];
    uint32_t section_count;
    void *stubs; /* of the imports: imports.h */
    size_t stubs_size;
    struct stub_block *more_stubs;    /* stubs.h */
    bool discarded;                   /* what can be discarded, is */
    uint32_t locked[PE_SECTIONS_MAX]; /* by the driver: paged.h */
    char name[64];                    /* of the file, without directories; or "" */
    struct host_image *next;          /* of those in memory */
};

/* False: `error` has one sentence, and nothing is left. The caller frees by image_free. */
bool image_load(const struct pe *pe, struct host_image *image, struct vidmm_host_error *error);
/* Each section gets the access of its flags; the headers can be read. */
bool image_protect(const struct host_image *image, struct vidmm_host_error *error);
/* DriverEntry returned: sections that the driver lets go, INIT above all, are out of reach. */
void image_discard(struct host_image *image);
void image_free(struct host_image *image);

/* The image that `address` is in, or NULL. Any thread, signal handlers too. */
struct host_image *image_of(const void *address);
/* The images in memory; NULL before the first and after the last one. */
const struct host_image *image_next(const struct host_image *image);
/* That of the driver, which came last; or NULL. */
struct host_image *image_driver(void);
/* The section of an address in the image; NULL: the headers, or a gap. */
const struct pe_section *image_section(const struct host_image *image, const void *address);
/* A section can be used, or not at all. */
bool image_reach(const struct host_image *image, const struct pe_section *section, bool reach);
/* "driver.sys+0x1234" */
#define IMAGE_PLACE 96
void image_place(const struct host_image *image, uint64_t address, char place[IMAGE_PLACE]);
/* `size` bytes at `offset` can be read. */
bool image_shows(const struct host_image *image, uint64_t offset, uint64_t size);
/* `size` bytes at `offset` of the image lie in it. */
static inline bool image_has(const struct host_image *image, uint64_t offset, uint64_t size) {
    return offset <= image->size && size <= image->size - offset;
}

#endif
