/*
 * image.c - fuzzes the loader of driver images: headers, sections, relocations, imports, the
 * unwinding of functions. No code of the image runs.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct vidmm_host_error error;
    struct pe pe;
    struct host_image image;
    if (!pe_read(data, size, &pe, &error) || pe.size > UINT32_C(1) << 20 ||
        !image_load(&pe, &image, &error))
        return 0;
    (void)imports_list(&image, ignore, NULL, &error);
    if (imports_bind(&image, &error))
        (void)image_protect(&image, &error);
    unwind(&image);
    image_free(&image);
    return 0;
}
