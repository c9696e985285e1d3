/*
 * kinds.c - which axes a study has, and which values they take.
 *
 * Values are looked at before the first run, so that a mistake is one sentence and not a row for each
 * run. Shared objects are not loaded here: what they do when loaded belongs to a run's own process.
 */
#include "axes.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vidmm/lookup.h>
#include <vidmm/run.h>

/* Each run reads it anew, and the store keeps a checksum of its content: a pipe or a device will not do. */
static bool is_readable(const char *value, char *text, size_t size) {
    struct stat about;
    (void)text;
    (void)size;
    return stat(value, &about) == 0 && S_ISREG(about.st_mode) && access(value, R_OK) == 0;
}

static void workload_try(void *ctx, const char *name) {
    vidmm_meant_try(ctx, name);
}

static bool valid_workload(const char *value, char *text, size_t size) {
    struct vidmm_meant meant = {.word = value};
    size_t count = 0;
    const struct vidmm_generator *generators = vidmm_generators(&count);
    for (size_t i = 0; i < count; i++)
        vidmm_meant_try(&meant, generators[i].name);
    vidmm_run_each_recording(workload_try, &meant);
    if (is_readable(value, text, size) || strcmp(meant.known, value) == 0)
        return true;
    (void)vidmm_meant_text(&meant, "", text, size);
    return false;
}

static bool valid_vram(const char *value, char *text, size_t size) {
    uint64_t bytes = 0;
    (void)text;
    (void)size;
    if (strspn(value, "0123456789") == strlen(value) && strlen(value) < 5)
        return false; /* nobody means so few bytes */
    return vidmm_run_parse_vram(value, 1u << 30, &bytes);
}

static bool valid_policy(const char *value, char *text, size_t size) {
    const struct vidmm_policy *policy;
    if (strchr(value, '/'))
        return is_readable(value, text, size);
    if (vidmm_run_policy(value, &policy, text, size))
        return true;
    *text = '\0';
    return false;
}

static bool valid_model(const char *value, char *text, size_t size) {
    enum vidmm_model model;
    (void)text;
    (void)size;
    return vidmm_run_parse_model(value, &model);
}

static bool valid_ddi(const char *value, char *text, size_t size) {
    uint32_t version = 0;
    (void)text;
    (void)size;
    return vidmm_run_parse_ddi(value, &version);
}

static bool valid_number(const char *value, char *text, size_t size) {
    (void)text;
    (void)size;
    size_t length = strlen(value);
    return length > 0 && length <= 18 && strspn(value, "0123456789") == length;
}

static bool valid_linked(const char *value, char *text, size_t size) {
    (void)text;
    (void)size;
    return strlen(value) == 1 && *value >= '1' && *value <= '0' + (int)VIDMM_LINKED_MOST;
}

static bool valid_bytes(const char *value, char *text, size_t size) {
    (void)text;
    (void)size;
    return strcmp(value, "all") == 0 || strcmp(value, "none") == 0;
}

const struct sweep_kind sweep_kinds[SWEEP_KINDS] = {
    {"workload", "workloads", false, "a file, a generator or a shipped recording (vidmm workloads)",
     valid_workload},
    {"vram", "vram", true, "a size (64M), a share (25%) or a range of them (10%..100%/5%)",
     valid_vram},
    {"policy", "policies", false, "a policy of vidmm run --help or the path of a shared object",
     valid_policy},
    {"model", "models", false, "physical, gpummu or iommu", valid_model},
    {"driver", "drivers", false, "the path of a driver that can be read", is_readable},
    {"hardware", "hardware", false, "the path of a model of hardware that can be read",
     is_readable},
    {"ddi", "ddi", false, "an interface version of vidmm run --help", valid_ddi},
    {"linked", "linked", true, "a number of physical adapters from 1 to 4", valid_linked},
    {"frames", "frames", true, "a number of frames", valid_number},
    {"bytes", "bytes", false, "all or none", valid_bytes},
    {"seed", "seeds", true, "a number or a range of them (0..4)", valid_number},
};

const char *vidmm_study_option_at(size_t index) {
    return index < SWEEP_KINDS ? sweep_kinds[index].option : NULL;
}
