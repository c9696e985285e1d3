/* pe.c - see pe.h. Offsets and meanings are those of pe-format.md. */
#include "image/pe.h"

#include <string.h>

#include "base/world.h"

enum {
    DOS_NEW_HEADER = 0x3c, /* where the offset of the signature stands */
    FILE_HEADER = 4,       /* behind the signature */
    OPTIONAL_HEADER = 24,
    OPTIONAL_LEAST = 112, /* up to the directories */
    SECTION_BYTES = 40,
    MACHINE_X64 = 0x8664,
    MAGIC_PE32_PLUS = 0x20b,
    SUBSYSTEM_NATIVE = 1,
    FIXED = 0x0001, /* of the characteristics */
    EXECUTABLE = 0x0002,
};

static uint16_t u16_at(const uint8_t *bytes, size_t at) {
    uint16_t value;
    memcpy(&value, bytes + at, sizeof(value));
    return value;
}

static uint64_t u64_at(const uint8_t *bytes, size_t at) {
    uint64_t value;
    memcpy(&value, bytes + at, sizeof(value));
    return value;
}

bool pe_recognised(const void *file, size_t size) {
    return size >= 2 && memcmp(file, "MZ", 2) == 0;
}

static const char *machine_name(uint16_t machine) {
    switch (machine) {
    case 0x014c:
        return "x86 (32 bit)";
    case 0x01c0:
    case 0x01c4:
        return "ARM (32 bit)";
    case 0xaa64:
        return "ARM64";
    case 0x5064:
        return "RISC-V";
    default:
        return "another machine";
    }
}

/* The headers' place in the file, checked as far as the optional header's directories. */
static bool find_headers(const struct pe *pe, size_t *headers, struct vidmm_host_error *error) {
    if (pe->file_size < DOS_NEW_HEADER + 4 || !pe_recognised(pe->file, pe->file_size))
        return host_fail(error, "it is no PE image: it does not begin with an MZ header");
    size_t at = pe_u32(pe->file + DOS_NEW_HEADER);
    if (at > pe->file_size || pe->file_size - at < OPTIONAL_HEADER + OPTIONAL_LEAST ||
        memcmp(pe->file + at, "PE\0\0", 4) != 0)
        return host_fail(error, "its PE header at offset 0x%zx is missing or damaged", at);
    *headers = at;
    return true;
}

/* Right machine, right kind of program. */
static bool check_kind(const uint8_t *header, struct vidmm_host_error *error) {
    uint16_t machine = u16_at(header, FILE_HEADER);
    if (machine != MACHINE_X64)
        return host_fail(error,
                         "it is for %s (machine 0x%04x); driver images for x64 (0x8664) are "
                         "expected",
                         machine_name(machine), machine);
    uint16_t magic = u16_at(header, OPTIONAL_HEADER);
    if (magic != MAGIC_PE32_PLUS)
        return host_fail(error, "its optional header has magic 0x%04x; PE32+ (0x020b) is expected",
                         magic);
    if (!(u16_at(header, FILE_HEADER + 18) & EXECUTABLE))
        return host_fail(error, "it is an object that was not linked: IMAGE_FILE_EXECUTABLE_IMAGE "
                                "is not set");
    if (u16_at(header, FILE_HEADER + 18) & FIXED)
        return host_fail(error,
                         "its relocations were stripped (IMAGE_FILE_RELOCS_STRIPPED): it runs at "
                         "0x%llx alone",
                         (unsigned long long)u64_at(header, OPTIONAL_HEADER + 24));
    uint16_t subsystem = u16_at(header, OPTIONAL_HEADER + 68);
    if (subsystem != SUBSYSTEM_NATIVE)
        return host_fail(error,
                         "it is a user-mode image (subsystem %u); a driver has subsystem 1, "
                         "native",
                         subsystem);
    return true;
}

static bool read_sizes(struct pe *pe, const uint8_t *header, struct vidmm_host_error *error) {
    const uint8_t *optional = header + OPTIONAL_HEADER;
    uint32_t alignment = pe_u32(optional + 32);
    pe->base = u64_at(optional, 24);
    pe->size = pe_u32(optional + 56);
    pe->header_size = pe_u32(optional + 60);
    pe->entry = pe_u32(optional + 16);
    if (alignment < PE_PAGE || (alignment & (alignment - 1)) != 0)
        return host_fail(error,
                         "its section alignment is 0x%x; a power of two of at least 0x1000 "
                         "is expected",
                         alignment);
    if (pe->size == 0 || pe->size > PE_IMAGE_MAX)
        return host_fail(error, "its image size is 0x%x bytes; at most 0x%x are taken", pe->size,
                         PE_IMAGE_MAX);
    pe->size = (uint32_t)pe_whole_pages(pe->size);
    if (pe->header_size > pe->file_size || pe->header_size > pe->size)
        return host_fail(error,
                         "its headers of 0x%x bytes do not fit the file of 0x%zx bytes and "
                         "the image of 0x%x",
                         pe->header_size, pe->file_size, pe->size);
    if (pe->entry == 0 || pe->entry >= pe->size)
        return host_fail(error, "its entry point 0x%x is not in the image of 0x%x bytes", pe->entry,
                         pe->size);
    return true;
}

static bool read_directories(struct pe *pe, const uint8_t *header, size_t optional_size,
                             struct vidmm_host_error *error) {
    uint32_t count = pe_u32(header + OPTIONAL_HEADER + 108);
    if (count > PE_DIRECTORIES || OPTIONAL_LEAST + (size_t)count * 8 > optional_size)
        return host_fail(error, "it names %u data directories in an optional header of %zu bytes",
                         count, optional_size);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry = header + OPTIONAL_HEADER + OPTIONAL_LEAST + (size_t)i * 8;
        struct pe_directory directory = {pe_u32(entry + 0), pe_u32(entry + 4)};
        if (i == 4) /* signatures: an offset in the file, nothing in the image */
            continue;
        if (directory.address > pe->size || directory.size > pe->size - directory.address)
            return host_fail(error,
                             "its data directory %u, 0x%x bytes at 0x%x, is not in the image "
                             "of 0x%x bytes",
                             i, directory.size, directory.address, pe->size);
        pe->directories[i] = directory;
    }
    return true;
}

static void copy_name(char *name, const uint8_t *from) {
    for (int i = 0; i < 8 && from[i]; i++)
        name[i] = from[i] >= 0x20 && from[i] < 0x7f ? (char)from[i] : '?';
}

static bool read_section(struct pe *pe, const uint8_t *row, struct vidmm_host_error *error) {
    struct pe_section *section = &pe->sections[pe->section_count];
    const struct pe_section *before = pe->section_count ? section - 1 : NULL;
    uint64_t end = before ? (uint64_t)before->address + before->size : pe->header_size;
    *section = (struct pe_section){.address = pe_u32(row + 12),
                                   .size = pe_u32(row + 8),
                                   .at = pe_u32(row + 20),
                                   .bytes = pe_u32(row + 16),
                                   .flags = pe_u32(row + 36)};
    copy_name(section->name, row);
    if (section->size == 0)
        section->size = section->bytes;
    if (section->bytes > section->size)
        section->bytes = section->size;
    if (section->address % PE_PAGE != 0 || section->address < end || section->address > pe->size ||
        section->size > pe->size - section->address)
        return host_fail(error,
                         "its section '%s', 0x%x bytes at 0x%x, overlaps what is before it "
                         "or ends behind the image of 0x%x bytes",
                         section->name, section->size, section->address, pe->size);
    if (section->at > pe->file_size || section->bytes > pe->file_size - section->at)
        return host_fail(error,
                         "its section '%s' has 0x%x bytes at offset 0x%x of a file of 0x%zx "
                         "bytes: the file is cut short",
                         section->name, section->bytes, section->at, pe->file_size);
    pe->section_count++;
    return true;
}

static bool read_sections(struct pe *pe, size_t headers, struct vidmm_host_error *error) {
    const uint8_t *header = pe->file + headers;
    uint32_t count = u16_at(header, FILE_HEADER + 2);
    size_t first = headers + OPTIONAL_HEADER + u16_at(header, FILE_HEADER + 16);
    if (count == 0 || count > PE_SECTIONS_MAX)
        return host_fail(error, "it has %u sections; 1 to %u are expected", count, PE_SECTIONS_MAX);
    if (first > pe->file_size || pe->file_size - first < (size_t)count * SECTION_BYTES)
        return host_fail(error, "its table of %u sections is cut short", count);
    for (uint32_t i = 0; i < count; i++)
        if (!read_section(pe, pe->file + first + (size_t)i * SECTION_BYTES, error))
            return false;
    return true;
}

bool pe_read(const void *file, size_t size, struct pe *pe, struct vidmm_host_error *error) {
    size_t headers = 0;
    memset(pe, 0, sizeof(*pe));
    pe->file = file;
    pe->file_size = size;
    if (!find_headers(pe, &headers, error) || !check_kind(pe->file + headers, error) ||
        !read_sizes(pe, pe->file + headers, error))
        return false;
    size_t optional_size = u16_at(pe->file + headers, FILE_HEADER + 16);
    if (optional_size < OPTIONAL_LEAST || optional_size > size - headers - OPTIONAL_HEADER)
        return host_fail(error, "its optional header of %zu bytes is too short, or cut short",
                         optional_size);
    return read_directories(pe, pe->file + headers, optional_size, error) &&
           read_sections(pe, headers, error);
}
