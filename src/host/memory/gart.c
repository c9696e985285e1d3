/* gart.c - see gart.h. */
#include "memory/gart.h"

#include <stdlib.h>
#include <string.h>

#include "base/asked.h"
#include "base/thread.h"
#include "base/world.h"
#include "memory/physical.h"

/* Above any RAM that a host can have, and below the BARs. */
#define AGP_BASE ((uint64_t)0x3000000000)
/* What a chipset of the time had by default. */
#define AGP_BYTES ((uint64_t)64 << 20)

static bool gart_holds(const struct host_gart *gart, uint64_t page, uint64_t pages) {
    uint64_t have = gart->functions.size / HOST_PAGE;
    if (page <= have && pages <= have - page)
        return true;
    host_violation("the manager uses pages of the GART behind the end of the AGP aperture");
    return false;
}

static void gart_map(void *ctx, uint64_t page, PMDL mdl, uint64_t mdl_page, uint64_t pages) {
    struct host_gart *gart = host_world->gart;
    const PFN_NUMBER *frame = (const PFN_NUMBER *)(mdl + 1) + mdl_page;
    (void)ctx;
    for (uint64_t i = 0; gart_holds(gart, page, pages) && i < pages; i++)
        atomic_store_explicit(&gart->frame[page + i], frame[i], memory_order_release);
}

static void gart_unmap(void *ctx, uint64_t page, uint64_t pages) {
    struct host_gart *gart = host_world->gart;
    (void)ctx;
    for (uint64_t i = 0; gart_holds(gart, page, pages) && i < pages; i++)
        atomic_store_explicit(&gart->frame[page + i], 0, memory_order_release);
}

/* The hardware here is a part of this process, and sees what its CPUs see. */
static void gart_flush(void *ctx, uint64_t page, uint64_t pages) {
    (void)ctx;
    (void)gart_holds(host_world->gart, page, pages);
}

uint64_t host_gart_wanted(const struct vidmm_host_setting *settings, uint32_t count) {
    uint64_t agp = 0, bytes = AGP_BYTES;
    host_asked("Agp");
    host_asked("AgpBytes");
    for (uint32_t i = 0; i < count; i++) {
        bool is_agp = strcmp(settings[i].name, "Agp") == 0;
        if (is_agp)
            agp = settings[i].value;
        else if (strcmp(settings[i].name, "AgpBytes") == 0)
            bytes = settings[i].value / HOST_PAGE * HOST_PAGE;
        else
            continue;
        host_show_setting(i);
    }
    return agp ? bytes : 0;
}

bool host_gart_init(struct host_gart *gart, uint64_t bytes) {
    gart->frame = calloc(bytes / HOST_PAGE, sizeof(*gart->frame));
    gart->functions = (struct vidmm_gart){.base = AGP_BASE,
                                          .size = gart->frame ? bytes : 0,
                                          .map = gart_map,
                                          .unmap = gart_unmap,
                                          .flush = gart_flush};
    return gart->frame;
}

void host_gart_done(struct host_gart *gart) {
    free((void *)gart->frame);
    memset(gart, 0, sizeof(*gart));
}

void *host_bus_pointer(uint64_t address, size_t size) {
    const struct host_gart *gart = host_world->gart;
    uint64_t at = address - AGP_BASE, page = at / HOST_PAGE;
    if (address < AGP_BASE || at >= gart->functions.size)
        return host_physical_pointer(host_world->physical, address, size);
    if (size > gart->functions.size - at)
        return NULL;
    uint64_t frame = atomic_load_explicit(&gart->frame[page], memory_order_acquire);
    for (uint64_t i = 1; i * HOST_PAGE < at % HOST_PAGE + size; i++) {
        if (atomic_load_explicit(&gart->frame[page + i], memory_order_acquire) != frame + i)
            return NULL;
    }
    return frame ? host_physical_pointer(host_world->physical, frame * HOST_PAGE + at % HOST_PAGE,
                                         size)
                 : NULL;
}
