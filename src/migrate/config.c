/*
 * config.c - everything that the guest's execution depends on: the content of the workload, the
 * options, the content of the driver's file.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "wire.h"

static uint64_t hash_event(const struct vidmm_event *event, uint64_t hash) {
    const uint64_t members[] = {event->kind,      event->process,  event->allocation, event->size,
                                event->umd_flags, event->priority, event->first,      event->reads,
                                event->writes,    event->range,    event->like,       event->at,
                                event->offset};
    uint8_t bytes[sizeof(members)];
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        migrate_put(bytes + 8 * i, members[i], 8);
    return XXH64(bytes, sizeof(bytes), hash);
}

static uint64_t hash_workload(const struct vidmm_workload *workload) {
    uint64_t hash = 0;
    for (size_t i = 0; i < workload->event_count; i++)
        hash = hash_event(&workload->events[i], hash);
    for (size_t i = 0; i < workload->list_count; i++) {
        uint8_t bytes[4];
        migrate_put(bytes, workload->lists[i], 4);
        hash = XXH64(bytes, sizeof(bytes), hash);
    }
    return hash;
}

/* false: it could not be read. */
static bool hash_file(const char *path, uint64_t *hash) {
    uint8_t bytes[16384];
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    while ((got = fread(bytes, 1, sizeof(bytes), file)) > 0)
        *hash = XXH64(bytes, got, *hash);
    bool ok = !ferror(file);
    fclose(file);
    return ok;
}

static bool put_file(FILE *out, const char *name, const char *path, char *text, size_t text_size) {
    uint64_t hash = 0;
    if (path && !hash_file(path, &hash)) {
        snprintf(text, text_size, "cannot read %.300s", path);
        return false;
    }
    const char *slash = path ? strrchr(path, '/') : NULL;
    fprintf(out, "%s=%s %016" PRIx64 "\n", name,
            !path   ? "built-in"
            : slash ? slash + 1
                    : path,
            hash);
    return true;
}

char *migrate_config(const struct vidmm_workload *workload, const struct vidmm_run_options *run,
                     char *text, size_t text_size) {
    char *config = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&config, &size);
    if (!out) {
        snprintf(text, text_size, "out of memory");
        return NULL;
    }
    fprintf(out, "workload=%s %016" PRIx64 "\n", workload->name, hash_workload(workload));
    fprintf(out, "events=%zu\nframes=%" PRIu64 "\nseed=%" PRIu64 "\n", workload->event_count,
            run->frame_limit, run->seed);
    fprintf(out, "vram=%" PRIu64 "\nddi=0x%" PRIx32 "\nmodel=%d\n", run->vram_bytes,
            run->ddi_version, (int)run->memory_model);
    bool ok = put_file(out, "driver", run->driver_path, text, text_size) &&
              put_file(out, "hardware", run->model_path, text, text_size);
    for (uint32_t i = 0; i < run->setting_count; i++)
        fprintf(out, "set.%s=%" PRIu64 "\n", run->settings[i].name, run->settings[i].value);
    ok = fclose(out) == 0 && ok;
    if (ok && size <= MIGRATE_CONFIG_BYTES)
        return config;
    if (ok)
        snprintf(text, text_size, "too many settings to send to the other side");
    free(config);
    return NULL;
}
