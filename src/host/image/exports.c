/* exports.c - see exports.h. */
#include "image/exports.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The parts of the program that have code. */
struct code_ranges {
    uintptr_t begin, end; /* of the program, its data included */
    struct {
        uintptr_t begin, end;
    } code[4];
    unsigned count;
};

static struct code_ranges code_ranges;
static bool code_known; /* drivers are loaded by one thread at a time */

/* Ours, and no part of any kernel. */
static bool internal_name(const char *name) {
    static const char *const prefixes[] = {"vidmm_", "host_", "image_", "main", "_"};
    for (unsigned i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static int find_code(struct dl_phdr_info *module, size_t size, void *to) {
    struct code_ranges ranges = {.begin = UINTPTR_MAX};
    const uintptr_t here = (uintptr_t)&code_known; /* in the program */
    (void)size;
    for (unsigned i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        uintptr_t begin = module->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;
        if (part->p_type != PT_LOAD)
            continue;
        ranges.begin = begin < ranges.begin ? begin : ranges.begin;
        ranges.end = end > ranges.end ? end : ranges.end;
        if ((part->p_flags & PF_X) && ranges.count < sizeof(ranges.code) / sizeof(ranges.code[0])) {
            ranges.code[ranges.count].begin = begin;
            ranges.code[ranges.count++].end = end;
        }
    }
    if (here < ranges.begin || here >= ranges.end)
        return 0;
    *(struct code_ranges *)to = ranges;
    return 1;
}

/* The same names mean other functions, with another calling convention, in the C library. */
static bool in_the_program(const void *address, bool *data) {
    const uintptr_t at = (uintptr_t)address;
    if (!code_known) {
        (void)dl_iterate_phdr(find_code, &code_ranges);
        code_known = true;
    }
    *data = true;
    for (unsigned i = 0; i < code_ranges.count; i++)
        *data = *data && (at < code_ranges.code[i].begin || at >= code_ranges.code[i].end);
    return at >= code_ranges.begin && at < code_ranges.end;
}

static bool export_named(const char *name, struct image_export *out) {
    out->data = false;
    out->address = dlsym(RTLD_DEFAULT, name);
    return out->address && in_the_program(out->address, &out->data);
}

bool image_export(const char *name, struct image_export *out) {
    char run_time[IMAGE_NAME_MAX + 8];
    if (strnlen(name, IMAGE_NAME_MAX) == IMAGE_NAME_MAX)
        return false;
    snprintf(run_time, sizeof(run_time), "vidmm_crt_%s", name);
    return export_named(run_time, out) || (!internal_name(name) && export_named(name, out));
}
