/* paged_pool.c - see paged_pool.h. */
#include "memory/paged_pool.h"

#include <sys/mman.h>

#include "memory/physical.h"
#include "memory/pool_frames.h"
#include "memory/pool_hidden.h"

#define HIDDEN_MOST 8u

bool host_paged_pool;

static struct host_pool_frames frames;
static struct host_pool_hidden hidden;
static uint8_t *base;  /* NULL: there is none */
static uint64_t bytes; /* from `base` on, that were ever in use; `one_thread` alone */
static bool one_thread, out;

bool host_paged_pool_init(bool alone) {
    void *memory = mmap(NULL, HOST_POOL_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    base = memory;
    bytes = 0;
    hidden = (struct host_pool_hidden){.most = HIDDEN_MOST};
    one_thread = alone;
    host_paged_pool = out = false;
    if (host_pool_frames_init(&frames, base, HOST_POOL_BYTES))
        return true;
    host_paged_pool_done();
    return false;
}

void host_paged_pool_done(void) {
    if (!base)
        return;
    host_pool_frames_done(&frames);
    frames = (struct host_pool_frames){.used = NULL};
    munmap(base, HOST_POOL_BYTES);
    base = NULL;
    host_paged_pool = out = false;
}

void *host_paged_pool_take(size_t size) {
    uint8_t *memory = host_pool_frames_take(&frames, size);
    if (!memory)
        return NULL;
    uint64_t end = (uint64_t)(memory - base) + size;
    if (one_thread && end > bytes)
        bytes = (end + HOST_PAGE - 1) / HOST_PAGE * HOST_PAGE;
    host_paged_pool = one_thread;
    return memory;
}

void host_paged_pool_give(void *memory, size_t size) {
    host_pool_frames_give(&frames, memory, size);
}

bool host_paged_pool_reach(bool reach) {
    bool was = !out;
    if (host_paged_pool && was != reach &&
        mprotect(base, bytes, reach ? PROT_READ | PROT_WRITE : PROT_NONE) == 0)
        out = !reach;
    if (host_paged_pool && !was && reach)
        host_pool_hide_again(&hidden);
    return was;
}

struct host_pool_hidden *host_paged_pool_hidden(void) {
    return &hidden;
}

bool host_paged_pool_has(uint64_t address) {
    return base && address - (uintptr_t)base < bytes;
}
