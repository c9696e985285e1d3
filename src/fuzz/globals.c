/*
 * globals.c - see globals.h.
 *
 * The variables are copied by an instruction: a sanitizer that watches memcpy would see its own zones
 * around them read and written.
 */
#include "globals.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS 16u
#define PAGE  4096u

static struct {
    uint32_t count;
    struct globals_part {
        char *start, *copy;
        size_t size;
    } part[PARTS];
} globals;

static void globals_copy(void *to, const void *from, size_t size) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static void globals_add(uintptr_t start, uintptr_t end) {
    char *copy = start < end && globals.count < PARTS ? malloc(end - start) : NULL;
    if (!copy)
        return;
    char *from = (char *)start; /* NOLINT(performance-no-int-to-ptr) */
    globals_copy(copy, from, end - start);
    globals.part[globals.count++] = (struct globals_part){from, copy, end - start};
}

/* The part of the object that is read-only after relocation is none of its variables. */
static int globals_see(struct dl_phdr_info *info, size_t size, void *base) {
    uintptr_t sealed = 0;
    (void)size;
    if (info->dlpi_addr != *(const uintptr_t *)base)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_GNU_RELRO)
            sealed = (info->dlpi_addr + part->p_vaddr + part->p_memsz) & ~(uintptr_t)(PAGE - 1);
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || (part->p_flags & PF_W) == 0)
            continue;
        globals_add(sealed > start && sealed <= start + part->p_memsz ? sealed : start,
                    start + part->p_memsz);
    }
    return 1;
}

void fuzz_globals_keep(const char *path) {
    char local[4096];
    struct link_map *map = NULL;
    snprintf(local, sizeof(local), "%s%s", strchr(path, '/') ? "" : "./", path);
    void *object = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (!object || dlinfo(object, RTLD_DI_LINKMAP, &map) != 0)
        return;
    uintptr_t base = map->l_addr;
    (void)dl_iterate_phdr(globals_see, &base);
}

void fuzz_globals_restore(void) {
    for (uint32_t i = 0; i < globals.count; i++)
        globals_copy(globals.part[i].start, globals.part[i].copy, globals.part[i].size);
}
