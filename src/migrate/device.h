/*
 * device.h - interface of the virtual GPU for the state machines: adapter.c implements it over a
 * harness, tests over a block of memory.
 *
 * Members that return bool leave a sentence for why() when they return false.
 */
#ifndef VIDMM_MIGRATE_DEVICE_H
#define VIDMM_MIGRATE_DEVICE_H

#include <vidmm/migration.h>

#include "page_set.h"

struct migrate_segment {
    uint32_t id, page_bytes; /* the bytes of one dirty bit */
    uint64_t bytes;
};

struct migrate_device {
    void *ctx;
    /* The memory segments, at most `room`; 0: this adapter cannot migrate. */
    uint32_t (*segments)(void *ctx, struct migrate_segment *list, uint32_t room);
    bool (*prepare)(void *ctx, enum vidmm_migration_side side);
    void (*end)(void *ctx);
    bool (*pause)(void *ctx);
    /* `*data` is malloc'd. */
    bool (*save)(void *ctx, enum vidmm_migration_data kind, uint8_t **data, size_t *size);
    bool (*restore)(void *ctx, enum vidmm_migration_data kind, const uint8_t *data, size_t size);
    /* Adds what is dirty since the last call, or all that is in use. */
    bool (*dirty)(void *ctx, uint32_t id, struct page_set *pages);
    bool (*used)(void *ctx, uint32_t id, struct page_set *pages);
    bool (*read)(void *ctx, uint32_t id, const struct vidmm_memory_range *ranges, uint32_t count,
                 uint8_t *out);
    bool (*write)(void *ctx, uint32_t id, const struct vidmm_memory_range *ranges, uint32_t count,
                  const uint8_t *in);
    /* Hash over the guest's DDI calls: equal on both sides at the same event. */
    uint64_t (*calls_hash)(void *ctx);
    const char *(*why)(void *ctx);
};

#endif
