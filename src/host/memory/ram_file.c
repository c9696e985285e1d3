/* ram_file.c - see ram_file.h. */
#include "memory/ram_file.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* With more written pages than these, new ones take less time than clearing. */
#define KEPT_MOST ((off_t)8 << 20)

/* Not that of a process which this one was forked from. */
static struct {
    struct host_ram_file ram;
    pid_t process;
} kept;

static bool ram_file_new(struct host_ram_file *ram, uint64_t bytes) {
    *ram = (struct host_ram_file){.file = memfd_create("vidmm-ram", MFD_CLOEXEC), .bytes = bytes};
    if (ram->file < 0)
        return false;
    void *base = MAP_FAILED;
    if (ftruncate(ram->file, (off_t)bytes) == 0)
        base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, ram->file, 0);
    if (base != MAP_FAILED) {
        ram->base = base;
        return true;
    }
    (void)close(ram->file);
    return false;
}

static void ram_file_give_back(struct host_ram_file *ram) {
    munmap(ram->base, ram->bytes);
    (void)close(ram->file);
    ram->base = NULL;
}

/* The file has no page where nothing was written. False: there are too many. */
static bool ram_file_clear(const struct host_ram_file *ram) {
    off_t at = 0, end, all = 0;
    while ((at = lseek(ram->file, at, SEEK_DATA)) >= 0) {
        end = lseek(ram->file, at, SEEK_HOLE);
        if (end < 0 || (all += end - at) > KEPT_MOST)
            return false;
        memset(ram->base + at, 0, (size_t)(end - at));
        at = end;
    }
    return errno == ENXIO;
}

bool host_ram_file_make(struct host_ram_file *ram, uint64_t bytes) {
    *ram = kept.ram;
    kept.ram.base = NULL;
    if (ram->base && ram->bytes == bytes && kept.process == getpid())
        return true;
    if (ram->base)
        ram_file_give_back(ram);
    return ram_file_new(ram, bytes);
}

void host_ram_file_end(struct host_ram_file *ram, bool keep) {
    if (!ram->base)
        return;
    if (keep && !kept.ram.base && ram_file_clear(ram)) {
        kept.ram = *ram;
        kept.process = getpid();
        ram->base = NULL;
    } else {
        ram_file_give_back(ram);
    }
}
