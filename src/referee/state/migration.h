/*
 * migration.h - the live migration under way, if any; watch/migration.c follows it.
 */
#ifndef REFEREE_STATE_MIGRATION_H
#define REFEREE_STATE_MIGRATION_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>

#include "state/migration_memory.h"

struct migration {
    bool ended; /* the last one, which the driver has to be ready for the next after */
    bool active, target;
    UINT vf;
    bool asked;    /* for dirty bits, since the preparation */
    bool saved;    /* mutable data: the guest is paused */
    uint64_t at;   /* call of the preparation */
    bool sized[2]; /* the driver answered the size, for the second call */
    uint64_t size[2];
    uint8_t *board; /* the newest immutable data that was saved */
    uint64_t board_size;
    uint64_t state_hash,
        state_size; /* of the newest mutable data that was saved; 0: there is none */
    /* R340. Of a source: its pages when mutable data was saved, and as transfers read them. Of a
     * target: as transfers wrote them, and the first two of the source that it was tied to. */
    struct migration_pages paused, read, written, expected, had;
    bool restored;  /* mutable data, since the preparation */
    bool disturbed; /* memory may have been written by more than the migration's transfers */
};

#endif
