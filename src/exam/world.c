/*
 * world.c - the driver up and down for one run, with the referee between it and whoever calls it;
 * see exam.h.
 */
#include "exam.h"

#include <stdarg.h>
#include <string.h>

#include <vidmm/softgpu.h>
#include <vidmm/umd.h>

/* Enough for every stage, little enough that a page list over all of it is short. */
#define MEMORY_BYTES ((uint64_t)256 << 20)
/* An AGP aperture is the platform's, not the driver's. */
#define AGP_BASE  0xd0000000ull
#define AGP_BYTES (64ull << 20)

/* ---- Words ----------------------------------------------------------------------------------- */

void exam_step(struct exam *exam, const char *format, ...) {
    char text[96];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    vidmm_ledger_step(&exam->shared->ledger, text);
}

enum vidmm_stage_outcome exam_say(struct exam *exam, enum vidmm_stage_outcome outcome,
                                  const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(exam->shared->text, sizeof(exam->shared->text), format, args);
    va_end(args);
    return outcome;
}

static void refused(struct exam *exam, const char *text) {
    exam_say(exam, VIDMM_STAGE_STOPPED, "%s", text);
    if (!exam->starving)
        vidmm_ledger_note(&exam->shared->ledger, VIDMM_FINDING_REFUSED, VIDMM_SIDE_DRIVER, "%s",
                          text);
}

bool exam_explained(const struct exam *exam) {
    const struct vidmm_ledger *ledger = &exam->shared->ledger;
    for (uint32_t i = 0; i < ledger->findings; i++)
        if (ledger->finding[i].kind == VIDMM_FINDING_RULE)
            return true;
    return false;
}

/* A rule that the manager found broken, unless the referee already named it. */
static void broke_rule(struct exam *exam, const struct vidmm_fault *fault, const char *text) {
    struct vidmm_ledger *ledger = &exam->shared->ledger;
    const struct vidmm_rule *rule = fault->rule != NULL ? vidmm_rule_parse(fault->rule) : NULL;
    if (rule == NULL)
        vidmm_ledger_note(ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER, "%s", text);
    else if (ledger->broken[rule->number] == 0)
        vidmm_ledger_judge(ledger, rule->number, VIDMM_SIDE_DRIVER, false,
                           fault->expected != NULL ? fault->expected : "what the rule says", "%s",
                           text);
}

void exam_fault(struct exam *exam, const struct vidmm_fault *fault) {
    char text[256];
    vidmm_fault_text(fault, text, sizeof(text));
    exam_say(exam, VIDMM_STAGE_STOPPED, "%s", text);
    switch (fault->status) {
    case VIDMM_DRIVER_BROKE_RULE:
        broke_rule(exam, fault, text);
        break;
    case VIDMM_DRIVER_REFUSED:
        refused(exam, text);
        break;
    case VIDMM_GPU_LOST:
        if (!exam->starving)
            vidmm_ledger_note(&exam->shared->ledger, VIDMM_FINDING_HANG, VIDMM_SIDE_DRIVER, "%s",
                              text);
        break;
    default: /* what the manager may answer for reasons of its own */
        break;
    }
}

bool exam_good(struct exam *exam, enum vidmm_status status) {
    struct vidmm_fault fault;
    if (status == VIDMM_OK)
        return true;
    vidmm_last_fault(exam->lab.adapter, &fault);
    exam_fault(exam, &fault);
    return false;
}

/* ---- Up and down ----------------------------------------------------------------------------- */

static bool named(const struct vidmm_host_setting *settings, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(settings[i].name, name) == 0)
            return true;
    return false;
}

static void add_setting(struct exam *exam, uint32_t *count, const char *name, uint64_t value) {
    if (*count < EXAM_SETTINGS && !named(exam->settings, *count, name))
        exam->settings[(*count)++] = (struct vidmm_host_setting){name, value};
}

/* The user's, then the version, then what the stage would like. */
static uint32_t gather_settings(struct exam *exam, const struct exam_world *world) {
    const struct vidmm_check_options *options = exam->options;
    uint32_t count = 0;
    for (uint32_t i = 0; i < options->setting_count; i++)
        add_setting(exam, &count, options->settings[i].name, options->settings[i].value);
    if (options->ddi_version != 0)
        add_setting(exam, &count, "InterfaceVersion", options->ddi_version);
    for (uint32_t i = 0; i < 8 && world->settings[i].name != NULL; i++)
        add_setting(exam, &count, world->settings[i].name, world->settings[i].value);
    return count;
}

bool exam_open(struct exam *exam, const struct exam_world *world) {
    const struct vidmm_check_options *options = exam->options;
    char text[512] = "";
    struct vidmm_host_config host = {
        .driver_path = options->driver_path,
        .model_path = options->model_path,
        .driver_entry = options->driver_path == NULL ? softgpu_driver_entry : NULL,
        .model = options->driver_path == NULL ? &softgpu_model : NULL,
        .settings = exam->settings,
        .setting_count = gather_settings(exam, world),
        .memory_bytes = MEMORY_BYTES,
        .seed = options->seed != 0 ? options->seed : 1, /* scattered pages show more */
        .fail_at = world->fail_at,
        .allocating = world->allocating,
        .allocating_ctx = exam,
        .log = options->log,
        .trace_calls = options->log != NULL,
    };
    struct vidmm_lab_judging judging = {.ledger = &exam->shared->ledger,
                                        .readings = options->readings};
    if (options->spoiler != NULL) {
        judging.spoil_driver = options->spoiler->driver;
        judging.spoil_manager = options->spoiler->manager;
        judging.spoil_callbacks = options->spoiler->callbacks;
        judging.spoil_sizes = options->spoiler->sizes;
    }
    exam->starving = world->fail_at != 0;
    if (vidmm_lab_open_driver(&host, &judging, &exam->lab, text, sizeof(text)) != VIDMM_LAB_OK) {
        refused(exam, text);
        return false;
    }
    exam->shared->version = exam->lab.table.Version;
    return true;
}

bool exam_speaks(struct exam *exam) {
    struct vidmm_umd_caps caps = {.magic = 0};
    DXGKARG_QUERYADAPTERINFO query = {
        .Type = DXGKQAITYPE_UMDRIVERPRIVATE, .pOutputData = &caps, .OutputDataSize = sizeof(caps)};
    NTSTATUS status =
        exam->lab.table.DxgkDdiQueryAdapterInfo(vidmm_host_adapter(exam->lab.host), &query);
    return status == STATUS_SUCCESS && caps.magic == VIDMM_UMD_MAGIC &&
           caps.version == VIDMM_UMD_VERSION;
}

uint64_t exam_setting(const struct exam *exam, const char *name) {
    const struct vidmm_check_options *options = exam->options;
    for (uint32_t i = 0; i < options->setting_count; i++)
        if (strcmp(options->settings[i].name, name) == 0)
            return options->settings[i].value;
    return 0;
}

bool exam_displays_only(struct exam *exam) {
    return vidmm_host_displays_only(exam->lab.host);
}

bool exam_manage(struct exam *exam, const struct exam_world *world) {
    struct vidmm_fault fault = {.status = VIDMM_OK};
    struct vidmm_adapter_config config = {.observer = world->observer,
                                          .transfer_chunk = world->transfer_chunk,
                                          .readings = exam->options->readings};
    if (exam_displays_only(exam)) {
        exam->displays_only = true;
        (void)exam_say(exam, VIDMM_STAGE_SKIPPED, "the driver only displays: it has no memory");
        return false;
    }
    if (exam_setting(exam, "Agp") != 0) {
        config.agp_base = AGP_BASE;
        config.agp_size = AGP_BYTES;
    }
    if (vidmm_lab_start_manager(&exam->lab, &config, &fault) == VIDMM_OK)
        return true;
    exam_fault(exam, &fault);
    return false;
}

bool exam_restart(struct exam *exam) {
    const struct vidmm_spoiler *spoiler = exam->options->spoiler;
    struct vidmm_host_error error;
    if (!vidmm_host_stop(exam->lab.host, &error) || !vidmm_host_start(exam->lab.host, &error)) {
        refused(exam, error.text);
        return false;
    }
    exam->lab.table = *vidmm_host_ddi(exam->lab.host);
    if (spoiler != NULL && spoiler->manager != NULL)
        spoiler->manager(&exam->lab.table);
    return true;
}

void exam_close(struct exam *exam) {
    char text[512] = "";
    if (exam->lab.host == NULL || vidmm_lab_close(&exam->lab, text, sizeof(text)) == VIDMM_LAB_OK)
        return;
    bool leak = strstr(text, "left behind") != NULL;
    vidmm_ledger_note(&exam->shared->ledger, leak ? VIDMM_FINDING_LEAK : VIDMM_FINDING_REFUSED,
                      VIDMM_SIDE_DRIVER, "%s", text);
}
