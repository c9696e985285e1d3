/* exports.c - see exports.h. */
#include "image/exports.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "image/crt.h"

/* Ours, and no part of any kernel. */
static bool internal_name(const char *name) {
    static const char *const prefixes[] = {"vidmm_", "host_", "image_", "main", "_", "crt_"};
    for (unsigned i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* The same names mean other functions, with another calling convention, in the C library. */
static bool in_the_program(const void *address, bool *data) {
    static const char here; /* an address of the program */
    Dl_info info, ours;
    const ElfW(Sym) *symbol = NULL;
    if (dladdr(&here, &ours) == 0 ||
        dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0 ||
        info.dli_fbase != ours.dli_fbase)
        return false;
    *data = symbol && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
    return true;
}

bool image_export(const char *name, struct image_export *out) {
    out->data = false;
    out->address = crt_export(name);
    if (out->address)
        return true;
    if (internal_name(name))
        return false;
    out->address = dlsym(RTLD_DEFAULT, name);
    return out->address && in_the_program(out->address, &out->data);
}
