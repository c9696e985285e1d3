/*
 * fail_alloc.c - preloaded before vidmm: the allocations of the program itself (by return address, not
 * those of the C library or of a driver that is a shared object) are counted, over all of its processes
 * that are forked, and those from one on fail. Programs that it starts are left alone. faults.py chooses which:
 *   FAULTS_OF=KIND    memory (as without it); descriptors: open, pipes and sockets; maps: mmap, memfd_create
 *   FAULTS_LOG=FILE   the offset of the caller of each, 8 bytes each, appended
 *   FAULTS_AT=N       the N-th (1: the first) is NULL
 *   FAULTS_ON=1       and all after it
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

static uintptr_t base, first, end;
static atomic_ullong *seen;
static enum { MEMORY, DESCRIPTORS, MAPS } kind;
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
    const char *of = getenv("FAULTS_OF");
    on = !!getenv("FAULTS_ON");
    kind = !of || *of == 'm' ? (of && of[1] == 'a' ? MAPS : MEMORY) : DESCRIPTORS;
    seen = (atomic_ullong *)syscall(SYS_mmap, NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if ((intptr_t)seen == -1)
        _exit(125);
    (void)unsetenv("LD_PRELOAD");
    at = number ? strtoull(number, NULL, 10) : 0;
    if (log)
        file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dl_iterate_phdr(executable, NULL);
}

static bool fails(const void *caller, int of, int error) {
    uintptr_t from = (uintptr_t)caller;
    if (of != (int)kind || from < first || from >= end)
        return false;
    unsigned long long number = atomic_fetch_add(seen, 1) + 1;
    uint64_t offset = from - base;
    if (file >= 0 && write(file, &offset, sizeof(offset)) != (ssize_t)sizeof(offset))
        _exit(125);
    if (!at || number < at || (number > at && !on))
        return false;
    errno = error;
    return true;
}

#define FAILS fails(__builtin_return_address(0), MEMORY, ENOMEM)

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

/* ---- Descriptors and maps -------------------------------------------------------------------- */

#define NO_DESCRIPTOR fails(__builtin_return_address(0), DESCRIPTORS, EMFILE)
#define NO_MAP        fails(__builtin_return_address(0), MAPS, ENOMEM)

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return NO_DESCRIPTOR ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int pipe2(int pipes[2], int flags) {
    return NO_DESCRIPTOR ? -1 : (int)syscall(SYS_pipe2, pipes, flags);
}

int socket(int domain, int type, int protocol) {
    return NO_DESCRIPTOR ? -1 : (int)syscall(SYS_socket, domain, type, protocol);
}

int dup(int fd) {
    return NO_DESCRIPTOR ? -1 : (int)syscall(SYS_dup, fd);
}

int memfd_create(const char *name, unsigned flags) {
    return NO_MAP ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
    return NO_MAP ? MAP_FAILED : (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}
