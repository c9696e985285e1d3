/*
 * gart.h - the platform's AGP aperture and its GART: a range of bus addresses, between RAM and the
 * BARs, whose pages lead to frames of RAM.
 *
 * The manager maps through struct vidmm_gart, the hardware's accesses of the bus come through
 * host_bus_pointer. Both meet in one table, an entry a page.
 */
#ifndef HOST_GART_H
#define HOST_GART_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vidmm/host.h>
#include <vidmm/os.h>

struct host_gart {
    struct vidmm_gart functions; /* `size` 0: the platform has no AGP aperture */
    _Atomic uint64_t *frame;     /* a page; 0: it leads nowhere */
};

/* Bytes of the aperture that the settings of the run ask for: AgpBytes, or the usual 64 MiB, where
 * Agp is not 0. */
uint64_t host_gart_wanted(const struct vidmm_host_setting *settings, uint32_t count);
/* An aperture of `bytes`; false: no memory. */
bool host_gart_init(struct host_gart *gart, uint64_t bytes);
void host_gart_done(struct host_gart *gart);
/*
 * Host pointer to what the bus has at `address`: RAM, or what the AGP aperture leads to; or NULL,
 * also where that is not in one piece. A page always is.
 */
void *host_bus_pointer(uint64_t address, size_t size);

#endif
