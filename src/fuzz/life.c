/*
 * life.c - see life.h.
 */
#include "life.h"

#include <string.h>

#include <vidmm/settings.h>
#include <vidmm/softgpu.h>

#include "behaviour.h"
#include "globals.h"

/* The sequences are short, and so are the lists of pages over this memory. */
#define LIFE_MEMORY (UINT64_C(256) << 20)
#define LIFE_VRAM   (UINT64_C(8) << 20)

void fuzz_life_prepare(const struct vidmm_fuzz_options *options) {
    if (options->driver_path)
        fuzz_globals_keep(options->driver_path);
    if (options->model_path)
        fuzz_globals_keep(options->model_path);
}

/* The user's settings, then the version, then less memory than a driver's default, so that it runs
 * short and starts quickly. */
static uint32_t life_settings(struct fuzz_life *life) {
    const struct vidmm_fuzz_options *options = life->options;
    const struct vidmm_host_setting more[] = {
        {"InterfaceVersion", options->ddi_version},
        {"MmuLevels", options->model == VIDMM_MODEL_GPUMMU ? 2 : 0},
        {"Iommu", options->model == VIDMM_MODEL_IOMMU},
        {"VramBytes", LIFE_VRAM}};
    uint32_t count = 0;
    for (; count < options->setting_count && count < LIFE_SETTINGS - 4; count++)
        life->settings[count] = options->settings[count];
    uint32_t given = count;
    for (uint32_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        bool named = more[i].value == 0;
        for (uint32_t k = 0; k < given; k++)
            named = named || strcmp(life->settings[k].name, more[i].name) == 0;
        if (!named)
            life->settings[count++] = more[i];
    }
    return count;
}

static void life_note_leaks(struct fuzz_life *life) {
    const char *leak;
    for (uint32_t i = 0; (leak = vidmm_host_leak(i)); i++)
        vidmm_ledger_note(life->ledger, VIDMM_FINDING_LEAK, VIDMM_SIDE_DRIVER, "%s", leak);
}

/* The user named a setting that nobody asked for: the driver is stopped again. */
static bool life_refuse(struct fuzz_life *life) {
    const struct vidmm_fuzz_options *options = life->options;
    char closing[512];
    if (!vidmm_unasked(options->settings, options->named_settings, life->text, sizeof(life->text)))
        return false;
    life->status = VIDMM_FUZZ_BAD_INPUT;
    (void)vidmm_harness_close(&life->harness, closing, sizeof(closing));
    return true;
}

bool fuzz_life_open(struct fuzz_life *life, const struct vidmm_fuzz_options *options,
                    struct vidmm_ledger *ledger) {
    *life = (struct fuzz_life){.options = options, .ledger = ledger};
    const struct vidmm_host_config host = {
        .driver_path = options->driver_path,
        .model_path = options->model_path,
        .driver_entry = options->driver_path ? NULL : vidmm_softgpu_entry,
        .model = options->driver_path ? options->device : &vidmm_softgpu_model,
        .settings = life->settings,
        .setting_count = life_settings(life),
        .linked = options->linked,
        .memory_bytes = LIFE_MEMORY,
        .keep_memory = true,
        .seed = 1, /* an input does the same whatever the seed of the search */
        .log = options->log,
        .trace_calls = options->log,
        .track = true,
        .watch_pool = true,
        .watcher = fuzz_behaviour_watcher(),
    };
    const struct vidmm_adapter_config adapter = {.model = options->model,
                                                 .interface_version = options->ddi_version};
    const struct vidmm_harness_judging judging = {.ledger = ledger,
                                                  .interface_version = options->ddi_version};
    fuzz_globals_restore();
    vidmm_ledger_begin(ledger);
    if (vidmm_harness_open_judged(&host, &adapter, &judging, &life->harness, life->text,
                                  sizeof(life->text)) == VIDMM_HARNESS_OK)
        return !life_refuse(life);
    life->status = VIDMM_FUZZ_DRIVER_FAILED;
    return false;
}

static bool life_reported(const struct vidmm_ledger *ledger, uint32_t rule) {
    for (uint32_t i = 0; i < ledger->seen; i++)
        if (ledger->finding[ledger->seen_as[i].finding].rule == rule)
            return true;
    return false;
}

static void life_broke(struct fuzz_life *life, const struct vidmm_error *error) {
    const struct vidmm_rule *rule = error->rule ? vidmm_rule_parse(error->rule) : NULL;
    char text[256];
    vidmm_error_text(error, text, sizeof(text));
    if (!rule)
        vidmm_ledger_note(life->ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER, "%s", text);
    else if (!life_reported(life->ledger, rule->number))
        vidmm_ledger_judge(life->ledger, rule->number, VIDMM_SIDE_DRIVER, false,
                           error->expected ? error->expected : "what the rule says", "%s", text);
}

bool fuzz_life_good(struct fuzz_life *life, enum vidmm_status status) {
    struct vidmm_error error;
    fuzz_behaviour_answer((uint32_t)status);
    if (status != VIDMM_DRIVER_BROKE_RULE && status != VIDMM_GPU_LOST)
        return status == VIDMM_OK; /* else a refusal of what user mode asked for */
    vidmm_last_error(life->harness.adapter, &error);
    if (status == VIDMM_GPU_LOST && !vidmm_host_failed_once(life->harness.host))
        vidmm_ledger_note(life->ledger, VIDMM_FINDING_HANG, VIDMM_SIDE_DRIVER,
                          "the GPU hangs after work of user mode, and a reset does not help");
    else if (status == VIDMM_DRIVER_BROKE_RULE)
        life_broke(life, &error);
    return false;
}

void fuzz_life_close(struct fuzz_life *life) {
    if (!life->harness.host ||
        vidmm_harness_close(&life->harness, life->text, sizeof(life->text)) == VIDMM_HARNESS_OK)
        return;
    life_note_leaks(life);
    if (!strstr(life->text, "left behind"))
        vidmm_ledger_note(life->ledger, VIDMM_FINDING_REFUSED, VIDMM_SIDE_DRIVER, "%s", life->text);
}
