/* bars.c - BARs and I/O mappings; register access is in registers.c. */
#include "memory/bars.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/thread.h"
#include "memory/physical.h"

/* Above any RAM that a host can have. */
#define FIRST_BAR ((uint64_t)0x4000000000)
/* The plain BARs of a host without a model. */
#define PLAIN_REGISTERS ((uint64_t)4 << 10)
#define PLAIN_MEMORY    ((uint64_t)256 << 20)

static uint8_t *bar_reserve(uint64_t size, int protection) {
    void *p = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static uint64_t power_of_two(uint64_t size) {
    uint64_t p = HOST_PAGE;
    while (p < size)
        p *= 2;
    return p;
}

static void bar_choose(struct host_bar *bar, uint64_t *next) {
    uint64_t align = power_of_two(bar->bar.size);
    bar->physical = (*next + align - 1) & ~(align - 1);
    *next = bar->physical + align;
}

static bool bar_place(struct host_bar *bar, uint64_t *next) {
    bar->fixed = bar->physical != 0;
    if (bar->bar.kind == VIDMM_HW_BAR_PORTS)
        return true;
    if (!bar->fixed)
        bar_choose(bar, next);
    bar->own = bar->bar.kind == VIDMM_HW_BAR_REGISTERS || !bar->bar.memory;
    if (!bar->own)
        bar->cpu = bar->bar.memory;
    else
        bar->cpu = bar_reserve(bar->bar.size, bar->bar.kind == VIDMM_HW_BAR_REGISTERS
                                                  ? PROT_NONE
                                                  : PROT_READ | PROT_WRITE);
    return bar->cpu;
}

void host_bars_init(struct host_bars *bars) {
    bars->next = FIRST_BAR;
    pthread_mutex_init(&bars->lock, NULL);
}

struct host_bar *host_bars_of(struct host_bars *bars, uint32_t board) {
    return &bars->bar[board * VIDMM_HW_BARS];
}

bool host_bars_place(struct host_bars *bars, uint32_t board, const struct vidmm_hw_bar *from) {
    const uint64_t asked = host_world->config.plain_bytes;
    const struct vidmm_hw_bar plain[VIDMM_HW_BARS] = {
        {.kind = VIDMM_HW_BAR_MEMORY, .size = PLAIN_REGISTERS},
        {.kind = VIDMM_HW_BAR_MEMORY, .size = asked != 0 ? asked : PLAIN_MEMORY}};
    const struct vidmm_hw_model *model = host_world->model[board];
    struct host_bar *of_board = host_bars_of(bars, board);
    for (uint32_t i = 0; i < VIDMM_HW_BARS; i++) {
        struct host_bar *bar = &of_board[i];
        bar->bar = from ? from[i] : plain[i];
        bar->physical = from && model->bar_at ? model->bar_at(host_world->hw[board], i) : 0;
        if (bar->bar.kind != VIDMM_HW_BAR_NONE && !bar_place(bar, &bars->next)) {
            bar->bar.kind = VIDMM_HW_BAR_NONE;
            return false;
        }
    }
    return true;
}

void host_bars_move(struct host_bars *bars) {
    for (uint32_t i = 0; i < HOST_BARS_MOST; i++) {
        struct host_bar *bar = &bars->bar[i];
        bool there =
            bar->bar.kind == VIDMM_HW_BAR_REGISTERS || bar->bar.kind == VIDMM_HW_BAR_MEMORY;
        if (there && !bar->fixed && atomic_load(&bar->mapped) == 0)
            bar_choose(bar, &bars->next);
    }
}

void host_bars_done(struct host_bars *bars) {
    for (uint32_t i = 0; i < HOST_BARS_MOST; i++)
        if (bars->bar[i].own)
            munmap(bars->bar[i].cpu, bars->bar[i].bar.size);
    while (bars->mappings) {
        struct host_io_mapping *m = bars->mappings;
        bars->mappings = m->next;
        free(m);
    }
    pthread_mutex_destroy(&bars->lock);
}

uint64_t host_bars_mappings_left(struct host_bars *bars) {
    uint64_t left = 0;
    pthread_mutex_lock(&bars->lock);
    for (struct host_io_mapping *m = bars->mappings; m; m = m->next)
        left++;
    pthread_mutex_unlock(&bars->lock);
    return left;
}

uint64_t host_io_mapping_size(const void *address) {
    struct host_bars *bars = host_world->bars;
    pthread_mutex_lock(&bars->lock);
    struct host_io_mapping *m = bars->mappings;
    while (m && m->address != address)
        m = m->next;
    uint64_t size = m ? m->size : 0;
    pthread_mutex_unlock(&bars->lock);
    return size;
}

static bool in_memory_space(const struct host_bar *bar) {
    return bar->bar.kind != VIDMM_HW_BAR_NONE && bar->bar.kind != VIDMM_HW_BAR_PORTS;
}

static bool bar_has(const struct host_bar *bar, uint64_t place, uint64_t size) {
    uint64_t offset = place - bar->physical;
    return offset < bar->bar.size && size <= bar->bar.size - offset;
}

static bool bar_holds(const struct host_bar *bar, uint64_t physical, uint64_t size) {
    return in_memory_space(bar) && bar_has(bar, physical, size);
}

static struct host_bar *bar_find(bool ports, uint64_t place, uint64_t size) {
    for (uint32_t i = 0; i < host_world->boards * VIDMM_HW_BARS; i++) {
        struct host_bar *bar = &host_world->bars->bar[i];
        bool there = ports ? bar->bar.kind == VIDMM_HW_BAR_PORTS : in_memory_space(bar);
        if (there && bar_has(bar, place, size))
            return bar;
    }
    return NULL;
}

struct host_bar *host_bar_at(uint64_t physical, uint64_t size) {
    return bar_find(false, physical, size);
}

struct host_bar *host_bar_of_port(uint64_t port, uint64_t size) {
    return bar_find(true, port, size);
}

bool host_bars_hold(struct host_bars *bars, uint32_t board, uint64_t physical, uint64_t size) {
    const struct host_bar *of_board = host_bars_of(bars, board);
    for (uint32_t i = 0; i < VIDMM_HW_BARS; i++)
        if (bar_holds(&of_board[i], physical, size))
            return true;
    return false;
}

uint64_t host_bar_physical(const void *cpu) {
    for (uint32_t i = 0; i < host_world->boards * VIDMM_HW_BARS; i++) {
        struct host_bar *bar = &host_world->bars->bar[i];
        uint64_t offset = (uintptr_t)cpu - (uintptr_t)bar->cpu;
        if (in_memory_space(bar) && offset < bar->bar.size)
            return bar->physical + offset;
    }
    return 0;
}

/* The CPU address of a physical range of a BAR or of RAM, or NULL. */
static uint8_t *address_of(uint64_t physical, uint64_t size, struct host_bar **bar) {
    *bar = host_bar_at(physical, size);
    if (*bar)
        return (*bar)->cpu + (physical - (*bar)->physical);
    return host_physical_pointer(host_world->physical, physical, size);
}

NTKERNELAPI PVOID NTAPI MmMapIoSpace(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes,
                                     MEMORY_CACHING_TYPE CacheType) {
    struct host_bars *bars = host_world->bars;
    struct host_bar *bar;
    (void)CacheType;
    host_irql_at_most(DISPATCH_LEVEL, "MmMapIoSpace");
    uint8_t *address = address_of((uint64_t)PhysicalAddress.QuadPart, NumberOfBytes, &bar);
    if (!address || NumberOfBytes == 0) {
        host_violation("MmMapIoSpace of %zu bytes at 0x%llx, which is neither in a BAR nor memory",
                       NumberOfBytes, (unsigned long long)PhysicalAddress.QuadPart);
        return NULL;
    }
    if (!bar)
        host_maps_memory((uint64_t)PhysicalAddress.QuadPart, NumberOfBytes);
    if (!host_may_allocate())
        return NULL;
    struct host_io_mapping *m = malloc(sizeof(*m));
    if (!m)
        return NULL;
    m->address = address;
    m->size = NumberOfBytes;
    pthread_mutex_lock(&bars->lock);
    m->next = bars->mappings;
    bars->mappings = m;
    pthread_mutex_unlock(&bars->lock);
    if (bar)
        atomic_fetch_add(&bar->mapped, 1);
    host_track(HOST_TRACKED_MAPPING, m);
    return address;
}

NTKERNELAPI PVOID NTAPI MmMapIoSpaceEx(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes,
                                       ULONG Protect) {
    (void)Protect;
    return MmMapIoSpace(PhysicalAddress, NumberOfBytes, MmNonCached);
}

NTKERNELAPI VOID NTAPI MmUnmapIoSpace(PVOID BaseAddress, SIZE_T NumberOfBytes) {
    struct host_bars *bars = host_world->bars;
    struct host_io_mapping *m, **link = &bars->mappings;
    host_irql_at_most(DISPATCH_LEVEL, "MmUnmapIoSpace");
    pthread_mutex_lock(&bars->lock);
    while ((m = *link) && (m->address != BaseAddress || m->size != NumberOfBytes))
        link = &m->next;
    if (m)
        *link = m->next;
    pthread_mutex_unlock(&bars->lock);
    if (!m) {
        host_violation("MmUnmapIoSpace of %zu bytes that were not mapped so", NumberOfBytes);
        return;
    }
    host_untrack(HOST_TRACKED_MAPPING, m);
    free(m);
    uint64_t physical = host_bar_physical(BaseAddress);
    struct host_bar *bar = physical != 0 ? host_bar_at(physical, 1) : NULL;
    if (bar)
        atomic_fetch_sub(&bar->mapped, 1);
}
