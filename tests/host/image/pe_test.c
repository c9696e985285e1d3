/*
 * pe_test.c - what the loader says of files that are no driver image, or a damaged one.
 *
 * A small image is built here by hand: it is taken, and then broken in one place at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "image/image.h"
#include "image/imports.h"

enum {
    HEADER = 0x80, /* of PE */
    OPTION = HEADER + 24,
    SECTIONS = OPTION + 240,
    FILE_BYTES = 0x1000,
    CODE = 0x400, /* in the file: 0x1000 in the image */
    DATA = 0x600, /* 0x2000 */
};

static uint8_t file[FILE_BYTES];

static void put16(size_t at, uint16_t value) {
    memcpy(file + at, &value, sizeof(value));
}

static void put32(size_t at, uint32_t value) {
    memcpy(file + at, &value, sizeof(value));
}

static void put64(size_t at, uint64_t value) {
    memcpy(file + at, &value, sizeof(value));
}

static void section(unsigned index, const char *name, uint32_t address, uint32_t at,
                    uint32_t flags) {
    size_t row = SECTIONS + (size_t)index * 40;
    memcpy(file + row, name, strlen(name));
    put32(row + 8, 0x200);
    put32(row + 12, address);
    put32(row + 16, 0x200);
    put32(row + 20, at);
    put32(row + 36, flags);
}

/* One import, by name, in the data section. */
static void import(const char *name) {
    put32(OPTION + 112 + 8, 0x2000);
    put32(OPTION + 112 + 12, 40);
    put32(DATA, 0x2040);      /* names */
    put32(DATA + 12, 0x2080); /* library */
    put32(DATA + 16, 0x2060); /* addresses */
    put64(DATA + 0x40, 0x20a0);
    put64(DATA + 0x60, 0x20a0);
    memcpy(file + DATA + 0x80, "ntoskrnl.exe", 13);
    memcpy(file + DATA + 0xa2, name, strlen(name) + 1);
}

static int build(void **state) {
    (void)state;
    memset(file, 0, sizeof(file));
    memcpy(file, "MZ", 2);
    put32(0x3c, HEADER);
    memcpy(file + HEADER, "PE", 2);
    put16(HEADER + 4, 0x8664);
    put16(HEADER + 6, 2);
    put16(HEADER + 20, 240);
    put16(HEADER + 22, 0x22);
    put16(OPTION, 0x20b);
    put32(OPTION + 16, 0x1000);
    put64(OPTION + 24, 0x140000000);
    put32(OPTION + 32, 0x1000);
    put32(OPTION + 36, 0x200);
    put32(OPTION + 56, 0x3000);
    put32(OPTION + 60, 0x400);
    put16(OPTION + 68, 1);
    put32(OPTION + 108, 16);
    section(0, ".text", 0x1000, CODE, 0x60000020);
    section(1, ".data", 0x2000, DATA, 0xc0000040);
    import("KeGetCurrentIrql");
    return 0;
}

/* In memory, bound; "" or the sentence of what refused it. */
static const char *load(size_t size) {
    static struct vidmm_host_error error;
    static struct pe pe;
    static struct host_image image;
    error.text[0] = 0;
    if (!pe_read(file, size, &pe, &error) || !image_load(&pe, &image, &error))
        return error.text;
    if (imports_bind(&image, &error))
        (void)image_protect(&image, &error);
    image_free(&image);
    return error.text;
}

#define assert_refused(part) assert_non_null(strstr(load(FILE_BYTES), (part)))

static void an_image_is_taken(void **state) {
    (void)state;
    assert_string_equal(load(FILE_BYTES), "");
}

static void sections_imports_and_relocations_are_in_place(void **state) {
    struct vidmm_host_error error;
    struct pe pe;
    struct host_image image;
    uint64_t address, slot;
    (void)state;
    memcpy(file + DATA + 0x100, "text", 5);
    put64(DATA + 0x120, 0x140002100); /* a pointer to it */
    put32(OPTION + 112 + 40, 0x2180);
    put32(OPTION + 112 + 44, 12);
    put32(DATA + 0x180, 0x2000);
    put32(DATA + 0x184, 12);
    put16(DATA + 0x188, 0xa120);
    assert_true(pe_read(file, FILE_BYTES, &pe, &error));
    assert_true(image_load(&pe, &image, &error));
    assert_true(imports_bind(&image, &error));
    memcpy(&address, image.base + 0x2120, sizeof(address));
    assert_string_equal((const char *)(uintptr_t)address, "text");
    memcpy(&slot, image.base + 0x2060, sizeof(slot));
    assert_in_range(slot, (uintptr_t)image.stubs, (uintptr_t)image.stubs + image.stubs_size);
    assert_ptr_equal(image_of(image.base + 0x1000), &image);
    image_free(&image);
    assert_null(image_of((const void *)(uintptr_t)address));
}

/* A second library, whose names begin where the first one's address goes: none as the file has it. */
static void addresses_over_names_do_not_make_more_imports(void **state) {
    struct vidmm_host_error error;
    struct pe pe;
    struct host_image image;
    (void)state;
    put64(DATA + 0x60, 0);
    put32(DATA + 20, 0x2060);
    put32(DATA + 32, 0x2080);
    put32(DATA + 36, 0x20d0);
    assert_true(pe_read(file, FILE_BYTES, &pe, &error));
    assert_true(image_load(&pe, &image, &error));
    assert_true(imports_bind(&image, &error));
    assert_true(pe_u32(image.base + 0x2060) != 0);
    assert_int_equal(pe_u32(image.base + 0x20d0), 0);
    image_free(&image);
}

static void other_machines_and_programs_are_named(void **state) {
    (void)state;
    put16(HEADER + 4, 0xaa64);
    assert_refused("it is for ARM64");
    put16(HEADER + 4, 0x14c);
    assert_refused("it is for x86 (32 bit)");
    put16(HEADER + 4, 0x8664);
    put16(OPTION + 68, 3);
    assert_refused("it is a user-mode image (subsystem 3)");
    put16(OPTION + 68, 1);
    put16(OPTION, 0x10b);
    assert_refused("PE32+ (0x020b) is expected");
}

static void a_file_that_is_cut_short_is_refused_at_every_length(void **state) {
    (void)state;
    for (size_t size = 0; size < DATA + 0x200; size++)
        assert_string_not_equal(load(size), "");
}

static void headers_that_contradict_each_other_are_refused(void **state) {
    (void)state;
    put32(OPTION + 16, 0x3000);
    assert_refused("its entry point 0x3000 is not in the image");
    build(state);
    put32(OPTION + 56, 0xffffffff);
    assert_refused("its image size is 0xffffffff bytes");
    build(state);
    put32(OPTION + 112 + 8, 0xfffffff0);
    assert_refused("its data directory 1");
    build(state);
    put32(SECTIONS + 40 + 12, 0x1000);
    assert_refused("its section '.data'");
    build(state);
    put32(SECTIONS + 40 + 20, 0xfffff000);
    assert_refused("the file is cut short");
    build(state);
    put16(HEADER + 6, 97);
    assert_refused("it has 97 sections");
    build(state);
    put16(HEADER + 22, 0x23);
    assert_refused("its relocations were stripped");
}

static void damaged_tables_in_the_image_are_refused(void **state) {
    (void)state;
    put64(DATA + 0x40, 0x7ffffff0);
    assert_refused("a name that is not in the image");
    build(state);
    put32(DATA + 12, 0x7ffffff0);
    assert_refused("a library without a name");
    build(state);
    put32(OPTION + 112 + 40, 0x2180);
    put32(OPTION + 112 + 44, 12);
    put32(DATA + 0x180, 0x2000);
    put32(DATA + 0x184, 4);
    assert_refused("a block of 4 bytes");
    put32(DATA + 0x184, 12);
    put16(DATA + 0x188, 0x5120);
    assert_refused("its relocation of type 5");
    put32(DATA + 0x180, 0xfffff000);
    put16(DATA + 0x188, 0xa120);
    assert_refused("its relocation of type 10");
}

static void note(void *ctx, const struct vidmm_host_import *name) {
    int *known = ctx;
    assert_string_equal(name->library, "ntoskrnl.exe");
    *known = name->known;
}

static void names_that_are_not_there_are_listed(void **state) {
    struct vidmm_host_error error;
    struct pe pe;
    struct host_image image;
    int known = -1;
    (void)state;
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"KeGetCurrentIrql", "strcmp", "KeNobodyKnows",
                                            "vidmm_host_create"};
        import(names[i]);
        assert_true(pe_read(file, FILE_BYTES, &pe, &error));
        assert_true(image_load(&pe, &image, &error));
        assert_true(imports_list(&image, note, &known, &error));
        assert_int_equal(known, i < 2);
        image_free(&image);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_image_is_taken, build),
        cmocka_unit_test_setup(sections_imports_and_relocations_are_in_place, build),
        cmocka_unit_test_setup(addresses_over_names_do_not_make_more_imports, build),
        cmocka_unit_test_setup(other_machines_and_programs_are_named, build),
        cmocka_unit_test_setup(a_file_that_is_cut_short_is_refused_at_every_length, build),
        cmocka_unit_test_setup(headers_that_contradict_each_other_are_refused, build),
        cmocka_unit_test_setup(damaged_tables_in_the_image_are_refused, build),
        cmocka_unit_test_setup(names_that_are_not_there_are_listed, build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
