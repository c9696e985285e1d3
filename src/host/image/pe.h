/*
 * pe.h - the headers of a driver image: a PE32+ file for x86-64, read and checked.
 *
 * Everything in a file may be damaged or hostile. What pe_read lets through keeps these bounds: the
 * headers and every section lie inside the file and inside the image, sections ascend without an
 * overlap, and directories lie inside the image. image.h gives the file its place in memory.
 */
#ifndef HOST_PE_H
#define HOST_PE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <vidmm/host.h>

#define PE_PAGE         4096u
#define PE_SECTIONS_MAX 96u /* the Windows loader's own bound (pe-format.md) */
#define PE_IMAGE_MAX    (UINT32_C(256) << 20)
#define PE_DIRECTORIES  16u

/* IMAGE_SCN_* */
#define PE_DISCARDABLE 0x02000000u
#define PE_NOT_PAGED   0x08000000u
#define PE_EXECUTE     0x20000000u
#define PE_READ        0x40000000u
#define PE_WRITE       0x80000000u

enum pe_directory_index {
    PE_EXPORTS = 0,
    PE_IMPORTS = 1,
    PE_EXCEPTIONS = 3,
    PE_RELOCATIONS = 5,
    PE_DEBUG = 6,
    PE_LOAD_CONFIG = 10,
};

struct pe_directory {
    uint32_t address, size; /* address 0: there is none */
};

struct pe_section {
    char name[9];           /* terminated; printable ASCII */
    uint32_t address, size; /* in the image, bytes */
    uint32_t at, bytes;     /* in the file; the rest of the section is zero */
    uint32_t flags;
};

struct pe {
    const uint8_t *file; /* the caller's */
    size_t file_size;
    uint64_t base; /* that the image was linked for */
    uint32_t size; /* of the image, a multiple of a page */
    uint32_t header_size, entry;
    struct pe_directory directories[PE_DIRECTORIES];
    struct pe_section sections[PE_SECTIONS_MAX];
    uint32_t section_count;
};

/* A number in a file or an image, at any address. */
static inline uint32_t pe_u32(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}
/* Bytes, up to the end of a page. */
static inline size_t pe_whole_pages(size_t bytes) {
    return (bytes + PE_PAGE - 1) & ~(size_t)(PE_PAGE - 1);
}

/* The file is some kind of PE image or DOS program: it begins with "MZ". */
bool pe_recognised(const void *file, size_t size);
/* False: not a driver image for x86-64, or damaged; `error` has one sentence. */
bool pe_read(const void *file, size_t size, struct pe *pe, struct vidmm_host_error *error);

#endif
