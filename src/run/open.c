/*
 * open.c - from a run's options to a started harness.
 *
 * The reference driver is configured by settings; VRAM size and interface version are settings with
 * options of their own. A driver from a shared object may read the same settings, but hardware
 * behind its BARs is plain memory.
 */
#include "open.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/settings.h>
#include <vidmm/softgpu.h>

#define DEFAULT_MEMORY (4ull << 30)
#define MOST_MEMORY    (128ull << 30) /* of a host */
/* The reference hardware's when an MMU is asked for. */
#define DEFAULT_MMU_LEVELS 4
#define DEFAULT_DIRTY_PAGE 4096

/* The options' own settings, then the two with options of their own, unless given by name. */
struct settings {
    struct vidmm_host_setting *list;
    uint32_t count;
};

static bool setting_value(const struct settings *settings, const char *name, uint64_t *value) {
    for (uint32_t i = 0; i < settings->count; i++) {
        if (strcmp(settings->list[i].name, name) == 0) {
            *value = settings->list[i].value;
            return true;
        }
    }
    return false;
}

static void settings_default(struct settings *settings, const char *name, uint64_t value) {
    uint64_t present;
    if (value != 0 && !setting_value(settings, name, &present))
        settings->list[settings->count++] = (struct vidmm_host_setting){name, value};
}

static bool settings_make(const struct vidmm_run_options *options, struct settings *settings) {
    settings->count = options->setting_count;
    settings->list = calloc(options->setting_count + 5u, sizeof(*settings->list));
    if (!settings->list)
        return false;
    if (options->setting_count != 0)
        memcpy(settings->list, options->settings, options->setting_count * sizeof(*settings->list));
    settings_default(settings,
                     options->memory_model == VIDMM_MODEL_IOMMU ? "ApertureBytes" : "VramBytes",
                     options->vram_bytes);
    settings_default(settings, "NoContent", options->no_bytes);
    settings_default(settings, "InterfaceVersion", options->ddi_version);
    if (options->dirty) {
        settings_default(settings, "InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2);
        settings_default(settings, "DirtyPageBytes", DEFAULT_DIRTY_PAGE);
    }
    if (options->memory_model == VIDMM_MODEL_GPUMMU)
        settings_default(settings, "MmuLevels", DEFAULT_MMU_LEVELS);
    if (options->memory_model == VIDMM_MODEL_IOMMU)
        settings_default(settings, "Iommu", 1);
    return true;
}

void run_driver_name(const struct vidmm_run_options *options, char *name, size_t size) {
    snprintf(name, size, "%s", options->driver_path ? options->driver_path : "softgpu");
}

static void fill_host_config(const struct vidmm_run_options *options,
                             const struct settings *settings, uint64_t peak,
                             struct vidmm_host_config *config) {
    memset(config, 0, sizeof(*config));
    config->driver_path = options->driver_path;
    config->model_path = options->model_path;
    config->model = options->device;
    config->device_log = options->device_log;
    if (!options->driver_path) {
        config->driver_entry = vidmm_softgpu_entry;
        config->model = &vidmm_softgpu_model;
    }
    config->settings = settings->list;
    config->setting_count = settings->count;
    /* Four times: enough for backing stores, paging buffers and the driver's own pages. */
    config->memory_bytes = peak > MOST_MEMORY / 4      ? MOST_MEMORY
                           : peak > DEFAULT_MEMORY / 4 ? (peak * 4 + 4095) / 4096 * 4096
                                                       : 0;
    config->no_content = options->no_bytes;
    config->seed = options->seed;
    config->linked = options->linked;
    config->threads = options->threads != 0;
    config->fail_at = options->fail_at;
    config->log = options->log;
    config->trace_calls = options->trace;
    config->track = !options->unjudged;
}

/* Stops the driver if a setting was named that nobody asked for. */
static enum vidmm_run_status run_asked(const struct vidmm_run_options *options,
                                       struct vidmm_harness *harness, char *text,
                                       size_t text_size) {
    char closing[512];
    if (!vidmm_unasked(options->settings, options->named_settings, text, text_size))
        return VIDMM_RUN_VERIFIED;
    (void)vidmm_harness_close(harness, closing, sizeof(closing));
    return VIDMM_RUN_BAD_INPUT;
}

enum vidmm_run_status run_open(const struct vidmm_run_options *options, uint64_t peak,
                               const struct vidmm_observer *observer, struct vidmm_ledger *ledger,
                               struct vidmm_harness *harness, char *text, size_t text_size) {
    struct settings settings;
    if (peak > MOST_MEMORY) {
        snprintf(text, text_size,
                 "the workload has %llu GiB live at its peak, and simulated system memory, which "
                 "has room for all of it, at most %llu GiB",
                 (unsigned long long)(peak >> 30), (unsigned long long)(MOST_MEMORY >> 30));
        return VIDMM_RUN_BAD_INPUT;
    }
    if (!settings_make(options, &settings)) {
        snprintf(text, text_size, "out of memory");
        return VIDMM_RUN_DRIVER_FAILED;
    }
    struct vidmm_host_config host;
    fill_host_config(options, &settings, peak, &host);
    struct vidmm_adapter_config adapter = {.observer = observer,
                                           .serial_paging = options->serial_paging,
                                           .policy = options->policy,
                                           .model = options->memory_model,
                                           .interface_version = options->ddi_version};
    const struct vidmm_harness_judging judging = {.ledger = ledger,
                                                  .interface_version = options->ddi_version};
    enum vidmm_harness_result opened = vidmm_harness_open_judged(
        &host, &adapter, ledger ? &judging : NULL, harness, text, text_size);
    free(settings.list);
    switch (opened) {
    case VIDMM_HARNESS_OK:
        return run_asked(options, harness, text, text_size);
    case VIDMM_HARNESS_REFUSED:
        return VIDMM_RUN_WRONG;
    case VIDMM_HARNESS_DRIVER_FAILED:
        break;
    }
    return VIDMM_RUN_DRIVER_FAILED;
}
