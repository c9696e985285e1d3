/*
 * symbols.c - see symbols.h.
 *
 * A driver finds the kernel's functions in the program that loads it, and that is this one. A
 * function of the process's C library does not count: its calling convention is another.
 */
#include "symbols.h"

#include "instrument.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CC_NAME_MOST 1024

static bool is_kernel_function(const char *name) {
    void *address = dlsym(RTLD_DEFAULT, name);
    struct link_map *map = NULL;
    Dl_info info;
    return address && dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 && map &&
           map->l_name[0] == '\0';
}

bool cc_kernel_has(const char *name) {
    char of_c[CC_NAME_MOST];
    return is_kernel_function(name) ||
           (snprintf(of_c, sizeof(of_c), "vidmm_crt_%s", name) < (int)sizeof(of_c) &&
            is_kernel_function(of_c));
}

/* The linker has just written the file. */
static void take_symbols(const unsigned char *image, struct cc_missing *missing) {
    const Elf64_Ehdr *header = (const void *)image;
    const Elf64_Shdr *sections = (const void *)(image + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_DYNSYM)
            continue;
        const Elf64_Sym *symbols = (const void *)(image + sections[i].sh_offset);
        const char *names = (const char *)image + sections[sections[i].sh_link].sh_offset;
        for (size_t s = 1; s < sections[i].sh_size / sizeof(*symbols); s++) {
            const char *name = names + symbols[s].st_name;
            if (symbols[s].st_shndx == SHN_UNDEF &&
                ELF64_ST_BIND(symbols[s].st_info) == STB_GLOBAL && !is_kernel_function(name) &&
                !cc_instrument_has(name))
                cc_missing_add(missing, CC_SYMBOL, name, "");
        }
    }
}

bool cc_symbols(const char *path, struct cc_missing *missing) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0 || status.st_size < (off_t)sizeof(Elf64_Ehdr)) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    void *image = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (image == MAP_FAILED)
        return false;
    take_symbols(image, missing);
    munmap(image, (size_t)status.st_size);
    return true;
}
