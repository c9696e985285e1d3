/*
 * wire.h - encoding of numbers in the stream, and limits for all its values.
 *
 * The receiver's input is untrusted: each number of the stream is checked against a limit of this
 * file or against the receiver's own adapter before it is used.
 */
#ifndef VIDMM_MIGRATE_WIRE_H
#define VIDMM_MIGRATE_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define MIGRATE_VERSION        2u /* version that is written */
#define MIGRATE_OLDEST_VERSION 2u /* oldest version that is understood */

#define MIGRATE_BATCH_BYTES  (UINT32_C(2) << 20) /* content of a batch of pages */
#define MIGRATE_PAGE_LEAST   UINT32_C(4096)
#define MIGRATE_PAGE_MOST    MIGRATE_BATCH_BYTES
#define MIGRATE_BATCH_RUNS   (MIGRATE_BATCH_BYTES / MIGRATE_PAGE_LEAST)
#define MIGRATE_PAGE_INDEX   (UINT64_C(1) << 40)  /* pages of a segment: fewer than this */
#define MIGRATE_SEGMENTS     32u                  /* of an adapter */
#define MIGRATE_TEXT_BYTES   512u                 /* a sentence for the other side */
#define MIGRATE_CONFIG_BYTES (UINT32_C(32) << 10) /* the run's configuration */
#define MIGRATE_NONCE_BYTES  32u                  /* of a challenge */
#define MIGRATE_CHUNK_BYTES  (UINT32_C(1) << 20)  /* a piece of the driver's own data */
#define MIGRATE_DATA_BYTES   (UINT64_C(64) << 20) /* all of it */

static inline void migrate_put(uint8_t *to, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t migrate_get(const uint8_t *from, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

#endif
