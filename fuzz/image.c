/*
 * image.c - fuzzes the loader of driver images: headers, sections, relocations, imports, the
 * unwinding of functions. No code of the image runs.
 *
 * The bytes are read twice: as they are, and as the one section of an image, behind where its directories are, so
 * that an empty corpus reaches what lies behind the headers.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "image/image.h"
#include "image/imports.h"
#include "image/unwind.h"

static void ignore(void *ctx, const struct vidmm_host_import *name) {
    (void)ctx;
    (void)name;
}

/* From every function's first and last byte. */
static void unwind(const struct host_image *image) {
    uint64_t stack[64] = {0};
    uint32_t count =
        image->directories[PE_EXCEPTIONS].size / (uint32_t)sizeof(struct image_function);
    for (uint32_t i = 0; i < count && i < 64; i++) {
        struct image_function function;
        struct host_context context;
        struct unwound frame;
        memcpy(&function,
               image->base + image->directories[PE_EXCEPTIONS].address + i * sizeof(function),
               sizeof(function));
        memset(&context, 0, sizeof(context));
        context.rip = (uintptr_t)image->base + function.end - 1;
        context.registers[REGISTER_RSP] = (uintptr_t)stack;
        if (function.end - 1 < image->size)
            (void)unwind_frame(image, &context, &frame);
    }
}

static void read_image(const uint8_t *data, size_t size) {
    struct vidmm_host_error error;
    struct pe pe;
    struct host_image image;
    if (!pe_read(data, size, &pe, &error) || pe.size > UINT32_C(1) << 20 ||
        !image_load(&pe, &image, &error))
        return;
    (void)imports_list(&image, ignore, NULL, &error);
    if (imports_bind(&image, &error))
        (void)image_protect(&image, &error);
    unwind(&image);
    image_free(&image);
}

/* ---- An image from the bytes ----------------------------------------------------------------- */

/* Offsets are those of pe-format.md. */
enum {
    HEADERS_BYTES = 512,
    SIGNATURE = 0x40,
    OPTIONAL_HEADER = SIGNATURE + 24,
    OPTIONAL_BYTES = 240,
    DIRECTORIES = OPTIONAL_HEADER + 112,
    SECTION = OPTIONAL_HEADER + OPTIONAL_BYTES,
    SECTION_MOST = 8192,
};

/* In the input: offset in the section and bytes. */
struct place {
    uint16_t at, size;
};

static const uint8_t placed[] = {PE_EXPORTS,     PE_IMPORTS, PE_EXCEPTIONS,
                                 PE_RELOCATIONS, PE_DEBUG,   PE_LOAD_CONFIG};
#define PLACES_BYTES (sizeof(placed) * sizeof(struct place))

static void put(uint8_t *file, size_t at, uint64_t value, size_t bytes) {
    memcpy(file + at, &value, bytes);
}

static void put_headers(uint8_t *file, size_t section) {
    memset(file, 0, HEADERS_BYTES);
    memcpy(file, "MZ", 2);
    put(file, 0x3c, SIGNATURE, 4);
    memcpy(file + SIGNATURE, "PE", 2);
    put(file, SIGNATURE + 4, 0x8664, 2); /* machine */
    put(file, SIGNATURE + 6, 1, 2);      /* sections */
    put(file, SIGNATURE + 20, OPTIONAL_BYTES, 2);
    put(file, SIGNATURE + 22, 2, 2); /* linked */
    put(file, OPTIONAL_HEADER, 0x20b, 2);
    put(file, OPTIONAL_HEADER + 16, PE_PAGE, 4); /* entry */
    put(file, OPTIONAL_HEADER + 24, UINT64_C(0x140000000), 8);
    put(file, OPTIONAL_HEADER + 32, PE_PAGE, 4); /* alignment */
    put(file, OPTIONAL_HEADER + 56, PE_PAGE + SECTION_MOST, 4);
    put(file, OPTIONAL_HEADER + 60, HEADERS_BYTES, 4);
    put(file, OPTIONAL_HEADER + 68, 1, 2); /* native */
    put(file, OPTIONAL_HEADER + 108, PE_DIRECTORIES, 4);
    put(file, SECTION + 8, section, 4);
    put(file, SECTION + 12, PE_PAGE, 4);
    put(file, SECTION + 16, section, 4);
    put(file, SECTION + 20, HEADERS_BYTES, 4);
    put(file, SECTION + 36, PE_EXECUTE | PE_READ | PE_WRITE, 4);
}

static void read_made(const uint8_t *data, size_t size) {
    static uint8_t file[HEADERS_BYTES + SECTION_MOST];
    if (size <= PLACES_BYTES || size - PLACES_BYTES > SECTION_MOST)
        return;
    size_t section = size - PLACES_BYTES;
    put_headers(file, section);
    for (size_t i = 0; i < sizeof(placed); i++) {
        struct place place;
        memcpy(&place, data + i * sizeof(place), sizeof(place));
        size_t at = place.at % (section + 1);
        if (place.size == 0)
            continue;
        put(file, DIRECTORIES + placed[i] * 8u, PE_PAGE + at, 4);
        put(file, DIRECTORIES + placed[i] * 8u + 4, place.size % (section - at + 1), 4);
    }
    memcpy(file + HEADERS_BYTES, data + PLACES_BYTES, section);
    read_image(file, HEADERS_BYTES + section);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_image(data, size);
    read_made(data, size);
    return 0;
}
