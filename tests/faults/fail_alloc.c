/*
 * fail_alloc.c - preloaded before vidmm: the allocations of the program itself (by return address, not
 * those of the C library or of a driver that is a shared object) are counted, and those from one on
 * fail. faults.py chooses which:
 *   FAULTS_LOG=FILE   the offset of the caller of each, 8 bytes each, appended
 *   FAULTS_AT=N       the N-th (1: the first) is NULL
 *   FAULTS_ON=1       and all after it
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

static uintptr_t base, first, end;
static atomic_ullong seen;
static unsigned long long at;
static bool on;
static int file = -1;

static int executable(struct dl_phdr_info *info, size_t size, void *ctx) {
    (void)size, (void)ctx;
    base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X)) {
            first = base + part->p_vaddr;
            end = first + part->p_memsz;
        }
    }
    return 1; /* the first is the program */
}

__attribute__((constructor)) static void begin(void) {
    const char *log = getenv("FAULTS_LOG"), *number = getenv("FAULTS_AT");
    on = !!getenv("FAULTS_ON");
    at = number ? strtoull(number, NULL, 10) : 0;
    if (log)
        file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dl_iterate_phdr(executable, NULL);
}

static bool fails(const void *caller) {
    uintptr_t from = (uintptr_t)caller;
    if (from < first || from >= end)
        return false;
    unsigned long long number = atomic_fetch_add(&seen, 1) + 1;
    uint64_t offset = from - base;
    if (file >= 0 && write(file, &offset, sizeof(offset)) != (ssize_t)sizeof(offset))
        _exit(125);
    if (!at || number < at || (number > at && !on))
        return false;
    errno = ENOMEM;
    return true;
}

#define FAILS fails(__builtin_return_address(0))

void *malloc(size_t size) {
    return FAILS ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return FAILS ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return FAILS ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t align, size_t size) {
    return FAILS ? NULL : __libc_memalign(align, size);
}

int posix_memalign(void **made, size_t align, size_t size) {
    if (FAILS)
        return ENOMEM;
    *made = __libc_memalign(align, size);
    return *made ? 0 : ENOMEM;
}

char *strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = FAILS ? NULL : __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
