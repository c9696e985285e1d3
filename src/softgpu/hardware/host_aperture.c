/*
 * host_aperture.c - the CPU host aperture: a BAR, each page of which the driver leads to a page
 * of the VRAM that no BAR shows.
 *
 * That VRAM is then a file in memory, mapped where the engines see it, and a page of the aperture
 * is another mapping of a page of it: what either side writes the other sees at once, as with
 * silicon that redirects the access. A page that leads nowhere is memory of its own.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hardware/hw.h"

static bool make_file(struct hw_host_aperture *host, uint64_t bytes) {
    host->file = memfd_create("invisible", MFD_CLOEXEC);
    return host->file >= 0 && ftruncate(host->file, (off_t)bytes) == 0;
}

static bool map_at(void *at, uint64_t bytes, int file, uint64_t offset) {
    int flags = MAP_FIXED | MAP_NORESERVE | (file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
    return mmap(at, bytes, PROT_READ | PROT_WRITE, flags, file, (off_t)offset) == at;
}

bool hw_host_aperture_make(struct hw *hw, uint64_t bytes) {
    struct hw_host_aperture *host = &hw->host_aperture;
    uint64_t invisible = hw->vram.size - hw->visible;
    host->file = -1;
    if (bytes == 0)
        return true;
    return hw_memory_make(&host->window, bytes) && make_file(host, invisible) &&
           map_at(hw->vram.bytes + hw->visible, invisible, host->file, 0);
}

void hw_host_aperture_drop(struct hw *hw) {
    struct hw_host_aperture *host = &hw->host_aperture;
    hw_memory_drop(&host->window);
    if (host->file >= 0)
        (void)close(host->file);
    host->file = -1;
}

void hw_host_aperture_reset(struct hw *hw) {
    if (hw->host_aperture.file >= 0)
        (void)fallocate(hw->host_aperture.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                        (off_t)(hw->vram.size - hw->visible));
}

/* What the kernel has no mapping left for leads nowhere. */
static void host_aperture_lead(struct hw *hw, uint32_t page, uint64_t target) {
    struct hw_host_aperture *host = &hw->host_aperture;
    unsigned char *at = host->window.bytes + (uint64_t)page * GPU_PAGE;
    uint64_t first = GPU_VRAM_BASE + hw->visible, address = target & ~(uint64_t)(GPU_PAGE - 1);
    bool there = (target & GPU_HOST_VALID) && address >= first && hw_in_vram(hw, address, GPU_PAGE);
    if (!there || !map_at(at, GPU_PAGE, host->file, address - first))
        (void)map_at(at, GPU_PAGE, -1, 0);
}

uint64_t hw_host_aperture_read(const struct hw *hw) {
    return hw->host_aperture.window.size;
}

void hw_host_aperture_write(struct hw *hw, uint32_t offset, uint64_t value) {
    struct hw_host_aperture *host = &hw->host_aperture;
    pthread_mutex_lock(&hw->lock);
    if (offset == GPU_REG_HOST_PAGE)
        host->page = (uint32_t)value;
    else if (offset == GPU_REG_HOST_TARGET && host->page < host->window.size / GPU_PAGE)
        host_aperture_lead(hw, host->page, value);
    pthread_mutex_unlock(&hw->lock);
}
