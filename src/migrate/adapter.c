/*
 * adapter.c - the manager's half of a migration, behind device.h.
 *
 * Its DDI calls are no calls of the guest: they are not hashed (vidmm_host_unhashed), so that the
 * guest's calls have the same hash with and without a migration.
 */
#include "adapter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/virtual.h>

static struct vidmm_adapter *adapter_begin(struct migrate_adapter *adapter) {
    vidmm_host_unhashed(adapter->harness->host, true);
    return adapter->harness->adapter;
}

/* The status as a sentence, unless it is VIDMM_OK. */
static bool adapter_finish(struct migrate_adapter *adapter, enum vidmm_status status,
                           const char *doing) {
    struct vidmm_error error;
    vidmm_host_unhashed(adapter->harness->host, false);
    if (status == VIDMM_OK)
        return true;
    vidmm_last_error(adapter->harness->adapter, &error);
    int length = snprintf(adapter->why, sizeof(adapter->why), "%s failed: ", doing);
    if (error.status == status && error.call)
        vidmm_error_text(&error, adapter->why + length, sizeof(adapter->why) - (size_t)length);
    else if (status == VIDMM_NO_MEMORY)
        snprintf(adapter->why + length, sizeof(adapter->why) - (size_t)length, "out of memory");
    else
        snprintf(adapter->why + length, sizeof(adapter->why) - (size_t)length,
                 "the manager answered %d", (int)status);
    return false;
}

/* Why this adapter cannot migrate; NULL: it can. */
static const char *obstacle(struct vidmm_adapter *adapter) {
    struct vidmm_gpummu_info mmu;
    struct vidmm_dirty_info dirty;
    vidmm_gpummu_info(adapter, 0, &mmu);
    vidmm_dirty_info(adapter, &dirty);
    if (!mmu.on)
        return "only a GPU with virtual addresses of its own can be moved (--model gpummu)";
    if (!dirty.tracking)
        return "the driver does not track dirty pages (DirtyBitTrackingSupported)";
    return dirty.migration ? NULL : "the driver does not support LiveMigration (DXGK_GPUPCAPS)";
}

static uint32_t adapter_segments(void *ctx, struct migrate_segment *list, uint32_t room) {
    struct migrate_adapter *adapter = ctx;
    struct vidmm_segment_info info;
    const char *why = obstacle(adapter->harness->adapter);
    uint32_t count = 0;
    snprintf(adapter->why, sizeof(adapter->why), "%s",
             why ? why : "the adapter has no memory of its own that could be moved");
    for (uint32_t id = 1; !why && vidmm_segment_info(adapter->harness->adapter, id, &info); id++) {
        uint32_t page = info.aperture ? 0 : vidmm_dirty_page(adapter->harness->adapter, id);
        if (info.aperture)
            continue;
        if (page == 0 || count == room) {
            snprintf(adapter->why, sizeof(adapter->why),
                     "the driver does not track segment %u, or has more than can be moved", id);
            return 0;
        }
        list[count++] = (struct migrate_segment){id, page, info.size / page * page};
    }
    return count;
}

static bool adapter_prepare(void *ctx, enum vidmm_migration_side side) {
    struct migrate_adapter *adapter = ctx;
    return adapter_finish(adapter, vidmm_migration_prepare(adapter_begin(adapter), side),
                          "preparing");
}

static void adapter_end(void *ctx) {
    struct migrate_adapter *adapter = ctx;
    vidmm_migration_end(adapter_begin(adapter));
    vidmm_host_unhashed(adapter->harness->host, false);
}

static bool adapter_pause(void *ctx) {
    struct migrate_adapter *adapter = ctx;
    return adapter_finish(adapter, vidmm_migration_pause(adapter_begin(adapter)), "pausing");
}

static bool adapter_save(void *ctx, enum vidmm_migration_data kind, uint8_t **data, size_t *size) {
    struct migrate_adapter *adapter = ctx;
    struct vidmm_adapter *of = adapter_begin(adapter);
    void *block = NULL;
    *data = NULL;
    enum vidmm_status status = vidmm_migration_save(of, kind, &block, size);
    if (status == VIDMM_OK) {
        *data = malloc(*size + 1);
        if (!*data)
            status = VIDMM_NO_MEMORY;
        else if (*size != 0)
            memcpy(*data, block, *size);
        vidmm_migration_release(of, block, *size);
    }
    return adapter_finish(adapter, status, "saving the driver's data");
}

static bool adapter_restore(void *ctx, enum vidmm_migration_data kind, const uint8_t *data,
                            size_t size) {
    struct migrate_adapter *adapter = ctx;
    return adapter_finish(adapter,
                          vidmm_migration_restore(adapter_begin(adapter), kind, data, size),
                          "restoring the driver's data");
}

typedef enum vidmm_status ask_ranges(struct vidmm_adapter *adapter, uint32_t id,
                                     struct vidmm_memory_range **ranges, uint32_t *count);

static bool add_pages(struct migrate_adapter *adapter, uint32_t id, ask_ranges *ask,
                      struct page_set *pages, const char *doing) {
    struct vidmm_adapter *of = adapter_begin(adapter);
    struct vidmm_memory_range *ranges = NULL;
    uint32_t count = 0, page = vidmm_dirty_page(of, id);
    enum vidmm_status status = ask(of, id, &ranges, &count);
    for (uint32_t i = 0; status == VIDMM_OK && i < count; i++) {
        uint64_t first = ranges[i].offset / page;
        uint64_t end = (ranges[i].offset + ranges[i].size + page - 1) / page;
        if (end > pages->pages || first > end)
            status = VIDMM_BAD_ARGUMENT;
        else
            page_set_add_range(pages, first, end - first);
    }
    if (ranges)
        vidmm_migration_release_ranges(of, ranges, count);
    return adapter_finish(adapter, status, doing);
}

static bool adapter_dirty(void *ctx, uint32_t id, struct page_set *pages) {
    return add_pages(ctx, id, vidmm_migration_dirty, pages, "asking for dirty pages");
}

static bool adapter_used(void *ctx, uint32_t id, struct page_set *pages) {
    return add_pages(ctx, id, vidmm_migration_used, pages, "asking what is in use");
}

static bool adapter_read(void *ctx, uint32_t id, const struct vidmm_memory_range *ranges,
                         uint32_t count, uint8_t *out) {
    struct migrate_adapter *adapter = ctx;
    return adapter_finish(adapter,
                          vidmm_migration_read(adapter_begin(adapter), id, ranges, count, out),
                          "reading memory");
}

static bool adapter_write(void *ctx, uint32_t id, const struct vidmm_memory_range *ranges,
                          uint32_t count, const uint8_t *in) {
    struct migrate_adapter *adapter = ctx;
    return adapter_finish(adapter,
                          vidmm_migration_write(adapter_begin(adapter), id, ranges, count, in),
                          "writing memory");
}

static uint64_t adapter_calls_hash(void *ctx) {
    struct migrate_adapter *adapter = ctx;
    return vidmm_host_calls_hash(adapter->harness->host);
}

static const char *adapter_why(void *ctx) {
    struct migrate_adapter *adapter = ctx;
    return adapter->why[0] != '\0' ? adapter->why : "out of memory";
}

struct migrate_device migrate_adapter_device(struct migrate_adapter *adapter) {
    return (struct migrate_device){.ctx = adapter,
                                   .segments = adapter_segments,
                                   .prepare = adapter_prepare,
                                   .end = adapter_end,
                                   .pause = adapter_pause,
                                   .save = adapter_save,
                                   .restore = adapter_restore,
                                   .dirty = adapter_dirty,
                                   .used = adapter_used,
                                   .read = adapter_read,
                                   .write = adapter_write,
                                   .calls_hash = adapter_calls_hash,
                                   .why = adapter_why};
}
