/*
 * pacer.h - limits the rate of a link: computes when the next piece may be written.
 */
#ifndef VIDMM_MIGRATE_PACER_H
#define VIDMM_MIGRATE_PACER_H

#include <stddef.h>
#include <stdint.h>

#define MIGRATE_PACE_PIECE ((size_t)32 << 10)
#define MIGRATE_PACE_SAVED UINT64_C(2000000) /* ns of idle time that may be made up for */

struct migrate_pacer {
    uint64_t bits_per_s; /* 0: no limit */
    uint64_t free_at;    /* when the written bytes have passed */
};

/* `bytes` are written at `now`; when the next may be. */
static inline uint64_t migrate_pace(struct migrate_pacer *pacer, uint64_t now, size_t bytes) {
    if (pacer->bits_per_s == 0)
        return now;
    if (pacer->free_at + MIGRATE_PACE_SAVED < now)
        pacer->free_at = now - MIGRATE_PACE_SAVED;
    pacer->free_at += (uint64_t)((double)bytes * 8e9 / (double)pacer->bits_per_s);
    return pacer->free_at;
}

#endif
