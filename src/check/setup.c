/*
 * setup.c - starts and stops the driver for one run, with the referee around it; see stage.h.
 */
#include "stage.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/interfaces.h>
#include <vidmm/softgpu.h>
#include <vidmm/statuses.h>
#include <vidmm/umd.h>
#include <vidmm/virtual.h>

/* Enough for every stage; a page list over all of it is short. Most page lists lie in the part beyond
 * 4 GiB, so that an address or a frame number that loses its high bits leads elsewhere. */
#define LOW_MEMORY_BYTES  ((uint64_t)256 << 20)
#define HIGH_MEMORY_BYTES ((uint64_t)256 << 20)

/* ---- Words ----------------------------------------------------------------------------------- */

void check_step(struct check *check, const char *format, ...) {
    char text[96];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    vidmm_ledger_step(&check->shared->ledger, text);
}

enum vidmm_stage_outcome check_say(struct check *check, enum vidmm_stage_outcome outcome,
                                   const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(check->shared->told.text, sizeof(check->shared->told.text), format, args);
    va_end(args);
    check_tell(check);
    return outcome;
}

/* What the stage asks of the reference driver's board may not go with what the user asked of it. */
static bool stage_asks_too_much(const struct check *check, const struct check_setup *setup) {
    return !check->options->driver_path && !check->options->spoiler &&
           check->shared->told.version != 0 && check->options->setting_count != 0 &&
           setup->settings[0].name;
}

static void refused(struct check *check, const char *found) {
    const char *callback = vidmm_host_refused_in(found);
    char text[VIDMM_FOUND];
    snprintf(text, sizeof(text), "%s%s%s%s", found, callback ? "; it had called " : "",
             callback ? callback : "", callback ? ", which failed" : "");
    check_say(check, VIDMM_STAGE_STOPPED, "%s", text);
    if (!check->starving)
        vidmm_ledger_note(&check->shared->ledger, VIDMM_FINDING_REFUSED, VIDMM_SIDE_DRIVER, "%s",
                          text);
}

void check_refused(struct check *check, const char *call, NTSTATUS status) {
    char text[128];
    const char *name = vidmm_status_name(status);
    snprintf(text, sizeof(text), "%s failed with status %s (0x%08x)", call, name ? name : "",
             (unsigned)status);
    if (check_explained(check))
        (void)check_say(check, VIDMM_STAGE_STOPPED, "%s", text);
    else
        refused(check, text);
}

bool check_resets(const struct check *check) {
    const DRIVER_INITIALIZATION_DATA *ddi = &check->harness.spoken;
    return ddi->DxgkDdiResetFromTimeout && ddi->DxgkDdiRestartFromTimeout;
}

bool check_broke(const struct check *check, const uint16_t *rules, uint32_t count) {
    bool broke = false;
    for (uint32_t i = 0; i < count; i++)
        broke = broke || check->shared->ledger.broken[rules[i]] != 0;
    return broke;
}

bool check_explained(const struct check *check) {
    const struct vidmm_ledger *ledger = &check->shared->ledger;
    for (uint32_t i = 0; i < ledger->seen; i++)
        if (vidmm_finding_explains(&ledger->finding[ledger->seen_as[i].finding]))
            return true;
    return false;
}

void check_judge(struct check *check, uint32_t rule, enum vidmm_side who, bool kept,
                 const char *expected, const char *found, ...) {
    char text[VIDMM_FOUND];
    va_list args;
    va_start(args, found);
    vsnprintf(text, sizeof(text), found, args);
    va_end(args);
    if (kept || !check_explained(check))
        vidmm_ledger_judge(&check->shared->ledger, rule, who, kept, expected, "%s", text);
    else
        vidmm_ledger_hold(&check->shared->ledger, rule);
}

void check_note(struct check *check, const char *found, ...) {
    char text[VIDMM_FOUND];
    va_list args;
    va_start(args, found);
    vsnprintf(text, sizeof(text), found, args);
    va_end(args);
    if (check_explained(check))
        vidmm_ledger_hold(&check->shared->ledger, VIDMM_K_BYTES);
    else
        vidmm_ledger_note(&check->shared->ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER, "%s",
                          text);
}

/* What comes first behind it begins anew: fences, for one. */
#define START_AGAIN ", behind DxgkDdiStopDevice and another DxgkDdiStartDevice"

/* R281: that the fences of a node are not what they were is no reason why it takes no work behind D0 (R651); both
 * follow from registers that are not written again. */
static bool only_fences(const struct check *check) {
    const struct vidmm_ledger *ledger = &check->shared->ledger;
    for (uint32_t i = 0; i < ledger->seen; i++) {
        const struct vidmm_finding *finding = &ledger->finding[ledger->seen_as[i].finding];
        if (finding->kind != VIDMM_FINDING_RULE || finding->rule != 281)
            return false;
    }
    return vidmm_referee_faults(check->harness.referee) == 0;
}

void check_unreported(struct check *check, bool explained, uint32_t since, const char *found) {
    struct vidmm_ledger *ledger = &check->shared->ledger;
    if (explained && !(since == 651 && only_fences(check)))
        vidmm_ledger_note(ledger, VIDMM_FINDING_HANG, VIDMM_SIDE_DRIVER, "%s", found);
    else if (since == 561)
        vidmm_ledger_judge(ledger, 561, VIDMM_SIDE_DRIVER, false,
                           "DMA_PREEMPTED for each DxgkDdiPreemptCommand",
                           "a preemption was never reported, where no work was left: %s", found);
    else if (since == 618)
        vidmm_ledger_judge(ledger, 618, VIDMM_SIDE_DRIVER, false,
                           "work carried out and reported after DxgkDdiRestartFromTimeout as it "
                           "was before the reset",
                           "%s", found);
    else if (since == 646)
        vidmm_ledger_judge(ledger, 646, VIDMM_SIDE_DRIVER, false,
                           "DMA_COMPLETED with the fence of each buffer, behind 2^32 - 1 as before",
                           "%s", found);
    else if (since == 651)
        vidmm_ledger_judge(ledger, 651, VIDMM_SIDE_DRIVER, false,
                           "work carried out and reported back in PowerDeviceD0 as it was before",
                           "%s", found);
    else if (since == 652)
        vidmm_ledger_judge(ledger, 652, VIDMM_SIDE_DRIVER, false,
                           "work carried out and reported whatever the power state of a child "
                           "device is",
                           "%s", found);
    else
        vidmm_ledger_judge(ledger, 597, VIDMM_SIDE_DRIVER, false,
                           "DMA_COMPLETED with the fence of each buffer that was submitted, or "
                           "with a later one",
                           "%s%s", found, check->starts > 1 ? START_AGAIN : "");
}

const char *check_aborted_text(uint32_t aborted, uint32_t hung) {
    return (int32_t)(aborted - hung) > 0
               ? "LastAbortedFenceId is a fence behind the work that the engine hung in"
               : "LastAbortedFenceId is a fence before the work that the engine hung in";
}

static bool reported(const struct vidmm_ledger *ledger, uint32_t rule) {
    for (uint32_t i = 0; i < ledger->seen; i++)
        if (ledger->finding[ledger->seen_as[i].finding].rule == rule)
            return true;
    return false;
}

/* A rule that the manager found broken, unless the referee reported it in this life. */
static void broke_rule(struct check *check, const struct vidmm_error *error, const char *text) {
    struct vidmm_ledger *ledger = &check->shared->ledger;
    const struct vidmm_rule *rule = error->rule ? vidmm_rule_parse(error->rule) : NULL;
    if (!rule)
        vidmm_ledger_note(ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER, "%s", text);
    else if (!reported(ledger, rule->number))
        vidmm_ledger_judge(ledger, rule->number, VIDMM_SIDE_DRIVER, false,
                           error->expected ? error->expected : "what the rule says", "%s", text);
}

/* " behind DxgkDdiRestartFromTimeout, call 12", or nothing. */
static void lost_behind(const struct vidmm_ledger *ledger, char *text, size_t size) {
    text[0] = '\0';
    if (ledger->turn.call != 0)
        snprintf(text, size, " behind %s, call %llu", vidmm_turn_text(ledger->turn.call_is),
                 (unsigned long long)ledger->turn.call);
}

/* Of an aperture in which the address of the GPU is; 0: of none. */
static uint32_t aperture_of(struct check *check, uint64_t address) {
    struct vidmm_segment_info info;
    for (uint32_t id = 1; vidmm_segment_info(check->harness.adapter, id, &info); id++)
        if (info.aperture && address - info.base < info.size)
            return id;
    return 0;
}

static void judge_faulted(struct check *check, const char *text) {
    char behind[64], where[96] = "";
    struct vidmm_faulted_work work = vidmm_referee_faulted_work(check->harness.referee);
    uint32_t aperture = work.fence != 0 ? aperture_of(check, work.address) : 0;
    lost_behind(&check->shared->ledger, behind, sizeof(behind));
    if (aperture != 0)
        snprintf(where, sizeof(where), ", of commands at 0x%llx, in aperture segment %u",
                 (unsigned long long)work.address, aperture);
    vidmm_ledger_judge(&check->shared->ledger, 605, VIDMM_SIDE_DRIVER, false,
                       "work that the GPU carries out", "a fault was reported%s%s: %s", behind,
                       where, text);
}

/* R605: a fault of work that nobody spoilt, where neither a rule that was broken nor a reset explains it. R618, R651: such
 * work was carried out before a reset, or D3, and this is the first behind it. */
static void judge_lost(struct check *check, const char *text) {
    bool faulted = vidmm_referee_faults(check->harness.referee) != 0 &&
                   check_resets_made(check) <= check->resets;
    uint32_t since = vidmm_referee_faulted_first(check->harness.referee);
    if (!faulted || check->starving)
        return;
    if (check_explained(check))
        vidmm_ledger_hold(&check->shared->ledger, since != 0 ? since : 605);
    else if (since != 0)
        check_unreported(check, false, since,
                         "the first work of an application behind it ended in a fault");
    else
        judge_faulted(check, text);
}

void check_error(struct check *check, const struct vidmm_error *error) {
    char text[256];
    vidmm_error_text(error, text, sizeof(text));
    check_say(check, VIDMM_STAGE_STOPPED, "%s", text);
    switch (error->status) {
    case VIDMM_DRIVER_BROKE_RULE:
        broke_rule(check, error, text);
        break;
    case VIDMM_DRIVER_REFUSED:
        refused(check, text);
        break;
    case VIDMM_GPU_LOST:
        if (!check->starving)
            vidmm_ledger_note(&check->shared->ledger, VIDMM_FINDING_HANG, VIDMM_SIDE_DRIVER, "%s",
                              text);
        break;
    case VIDMM_DEVICE_LOST:
        judge_lost(check, text);
        break;
    case VIDMM_DOES_NOT_FIT:
        check->shared->told.no_room = 1;
        break;
    default: /* legal answers of the manager */
        break;
    }
}

bool check_good(struct check *check, enum vidmm_status status) {
    struct vidmm_error error;
    if (status == VIDMM_OK)
        return true;
    vidmm_last_error(check->harness.adapter, &error);
    check_error(check, &error);
    return false;
}

bool check_preempt_idle(struct check *check, uint32_t node) {
    enum vidmm_status status = vidmm_preempt(check->harness.adapter, 0, node);
    if (status != VIDMM_GPU_LOST || check_explained(check))
        return check_good(check, status);
    vidmm_ledger_judge(&check->shared->ledger, 561, VIDMM_SIDE_DRIVER, false,
                       "DMA_PREEMPTED for each DxgkDdiPreemptCommand",
                       "node %u, which had no work left, was asked for a preemption that was never "
                       "reported",
                       node);
    return false;
}

/* ---- Up and down ----------------------------------------------------------------------------- */

static bool named(const struct vidmm_host_setting *settings, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(settings[i].name, name) == 0)
            return true;
    return false;
}

static void add_setting(struct check *check, uint32_t *count, const char *name, uint64_t value) {
    if (*count < CHECK_SETTINGS && !named(check->settings, *count, name))
        check->settings[(*count)++] = (struct vidmm_host_setting){name, value};
}

/* A board that the user put behind the platform's IOMMU gets no MMU of its own from a stage. */
static bool other_model(const struct check *check, const char *name) {
    return strcmp(name, "MmuLevels") == 0 && check_setting(check, "Iommu") != 0;
}

/* The user's settings, then the version, then the stage's. */
static uint32_t gather_settings(struct check *check, const struct check_setup *setup) {
    const struct vidmm_check_options *options = check->options;
    uint32_t count = 0;
    for (uint32_t i = 0; i < options->setting_count; i++)
        add_setting(check, &count, options->settings[i].name, options->settings[i].value);
    if (options->ddi_version != 0)
        add_setting(check, &count, "InterfaceVersion", options->ddi_version);
    for (uint32_t i = 0; i < 8 && setup->settings[i].name; i++)
        if (!other_model(check, setup->settings[i].name))
            add_setting(check, &count, setup->settings[i].name, setup->settings[i].value);
    return count;
}

static struct vidmm_harness_judging judging_of(const struct check *check) {
    const struct vidmm_check_options *options = check->options;
    struct vidmm_harness_judging judging = {.ledger = &check->shared->ledger,
                                            .readings = options->readings,
                                            .interface_version = options->ddi_version};
    if (options->spoiler) {
        judging.spoil_driver = options->spoiler->driver;
        judging.spoil_manager = options->spoiler->manager;
        judging.spoil_callbacks = options->spoiler->callbacks;
        judging.spoil_gart = options->spoiler->gart;
        judging.spoil_sizes = options->spoiler->sizes;
        judging.spoil_devices = options->spoiler->devices;
    }
    return judging;
}

/* What the driver left behind in the host that has ended. */
static void note_leaks(struct check *check) {
    const char *leak;
    for (uint32_t i = 0; (leak = vidmm_host_leak(i)); i++)
        vidmm_ledger_note(&check->shared->ledger, VIDMM_FINDING_LEAK, VIDMM_SIDE_DRIVER, "%s",
                          leak);
}

/* A start that failed leaves nothing behind, either. */
static bool open_failed(struct check *check, const struct check_setup *setup, const char *text) {
    check->shared->told.no_room = stage_asks_too_much(check, setup);
    check->starving = check->starving || check->shared->told.no_room != 0;
    refused(check, text);
    note_leaks(check);
    return false;
}

bool check_open(struct check *check, const struct check_setup *setup) {
    const struct vidmm_check_options *options = check->options;
    char text[512] = "";
    struct vidmm_host_config host = {
        .driver_path = options->driver_path,
        .model_path = options->model_path,
        .driver_entry = !options->driver_path ? vidmm_softgpu_entry : NULL,
        .model = !options->driver_path ? &vidmm_softgpu_model : options->device,
        .device_log = options->device_log,
        .settings = check->settings,
        .setting_count = gather_settings(check, setup),
        .memory_bytes = LOW_MEMORY_BYTES,
        .high_bytes = check->shared->told.low_memory ? 0 : HIGH_MEMORY_BYTES,
        .seed = options->seed != 0 ? options->seed : 1, /* scattered pages find more errors */
        .plain_bytes = setup->plain_bytes,
        .linked = options->linked,
        .second = setup->second,
        .fail_at = setup->fail_at,
        .line = setup->line,
        .eager = setup->eager,
        .overlapping = setup->overlapping && !options->device,
        .allocating = setup->allocating,
        .allocating_ctx = check,
        .log = options->log,
        .trace_calls = options->log,
        .track = true,
    };
    const struct vidmm_harness_judging judging = judging_of(check);
    check->starving = setup->fail_at != 0 || setup->line || setup->refusable;
    check->starts = 1;
    if (vidmm_harness_open_driver(&host, &judging, &check->harness, text, sizeof(text)) !=
        VIDMM_HARNESS_OK)
        return open_failed(check, setup, text);
    check->starving = setup->fail_at != 0;
    check->submitters = 0;
    check->shared->told.registered_version = check->harness.spoken.Version;
    check->shared->told.lacks = check_lacks(&check->harness.spoken);
    if (check->shared->told.version == 0)
        check->shared->told.version = check->harness.spoken.Version;
    check_tell(check);
    return true;
}

/* False: the driver does not speak vidmm/umd.h. */
static bool ask_umd(struct check *check, struct vidmm_umd_caps *caps) {
    DXGKARG_QUERYADAPTERINFO query = {
        .Type = DXGKQAITYPE_UMDRIVERPRIVATE, .pOutputData = caps, .OutputDataSize = sizeof(*caps)};
    *caps = (struct vidmm_umd_caps){.magic = 0};
    NTSTATUS status = check->harness.spoken.DxgkDdiQueryAdapterInfo(
        vidmm_host_adapter(check->harness.host), &query);
    return status == STATUS_SUCCESS && caps->magic == VIDMM_UMD_MAGIC &&
           caps->version == VIDMM_UMD_VERSION;
}

bool check_speaks(struct check *check) {
    struct vidmm_umd_caps caps;
    return ask_umd(check, &caps);
}

bool check_understands(struct check *check, uint32_t command) {
    struct vidmm_umd_caps caps;
    return ask_umd(check, &caps) && (caps.commands >> command & 1u) != 0;
}

bool check_executes(struct check *check, uint32_t packet) {
    struct vidmm_umd_caps caps;
    return ask_umd(check, &caps) && (caps.packets >> packet & 1u) != 0;
}

uint64_t check_setting(const struct check *check, const char *name) {
    const struct vidmm_check_options *options = check->options;
    for (uint32_t i = 0; i < options->setting_count; i++)
        if (strcmp(options->settings[i].name, name) == 0)
            return options->settings[i].value;
    return 0;
}

bool check_displays_only(struct check *check) {
    return vidmm_host_displays_only(check->harness.host);
}

void check_speak(struct check *check, uint32_t wddm) {
    struct check_shared *shared = check->shared;
    shared->told.wddm = wddm;
    shared->told.version =
        vidmm_interface_spoken(shared->told.registered_version, wddm, check->options->ddi_version);
    check_tell(check);
    vidmm_interface_cut(&check->harness.spoken, shared->told.version);
}

/* The driver was started again, or `error` says why not. */
static bool started_again(struct check *check, bool started, const struct vidmm_host_error *error) {
    const struct vidmm_spoiler *spoiler = check->options->spoiler;
    if (!started) {
        refused(check, error->text);
        return false;
    }
    check->starts++;
    check->harness.table = *vidmm_host_ddi(check->harness.host);
    if (spoiler && spoiler->manager)
        spoiler->manager(&check->harness.table);
    check->harness.spoken = check->harness.table;
    vidmm_interface_cut(&check->harness.spoken, check->shared->told.version);
    return true;
}

bool check_restart(struct check *check) {
    return check_restart_behind(check, NULL, NULL);
}

bool check_restart_behind(struct check *check, void (*stopped)(struct check *check, void *ctx),
                          void *ctx) {
    struct vidmm_host_error error;
    bool started = vidmm_host_stop(check->harness.host, &error);
    if (started && stopped)
        stopped(check, ctx);
    started = started && vidmm_host_start(check->harness.host, &error);
    return started_again(check, started, &error);
}

bool check_rebalance(struct check *check) {
    struct vidmm_host_error error;
    bool started = vidmm_host_rebalance(check->harness.host, &error);
    return started_again(check, started, &error);
}

static enum vidmm_status start_over(struct check *check, const struct check_setup *setup,
                                    const struct vidmm_adapter_config *config,
                                    struct vidmm_error *error) {
    if (setup->table)
        setup->table(&check->harness.table);
    check_watch_resets(check);
    return vidmm_harness_start_manager(&check->harness, config, error);
}

/* A driver may be one of machines without memory beyond 4 GiB, where Windows starts it: such a machine
 * it gets then, from here on. */
static enum vidmm_status start_manager(struct check *check, const struct check_setup *setup,
                                       const struct vidmm_adapter_config *config,
                                       struct vidmm_error *error) {
    enum vidmm_status status = start_over(check, setup, config, error);
    bool reach =
        status == VIDMM_DRIVER_BROKE_RULE && error->rule && strcmp(error->rule, "R31") == 0;
    if (!reach || check->shared->told.low_memory || error->value < LOW_MEMORY_BYTES - 1)
        return status;
    check->shared->told.low_memory = 1;
    check_tell(check);
    vidmm_host_low_memory(check->harness.host);
    return check_restart(check) ? start_over(check, setup, config, error) : status;
}

bool check_manage(struct check *check, const struct check_setup *setup) {
    struct vidmm_error error = {.status = VIDMM_OK};
    struct vidmm_adapter_config config = {.observer = setup->observer,
                                          .policy = &vidmm_policy_lru, /* pages most */
                                          .transfer_chunk = setup->transfer_chunk,
                                          .scratch_most = setup->scratch_most,
                                          .preempt_every = setup->preempt_every,
                                          .first_fence = setup->first_fence,
                                          .address_from = CHECK_HIGH,
                                          .paging_from = setup->paging_from,
                                          .readings = check->options->readings,
                                          .interface_version = check->options->ddi_version};
    if (check_displays_only(check)) {
        check->displays_only = true;
        (void)check_say(
            check, VIDMM_STAGE_SKIPPED,
            "the driver only displays: it has no memory; modes and presents are not examined");
        return false;
    }
    if (start_manager(check, setup, &config, &error) == VIDMM_OK) {
        struct vidmm_adapter_info info;
        vidmm_adapter_info(check->harness.adapter, &info);
        check_speak(check, (uint32_t)info.caps.WDDMVersion);
        return true;
    }
    check_error(check, &error);
    return false;
}

bool check_virtual(const struct check *check) {
    struct vidmm_gpummu_info mmu;
    vidmm_gpummu_info(check->harness.adapter, 0, &mmu);
    return mmu.on || mmu.iommu;
}

void check_unmanage(struct check *check) {
    vidmm_harness_stop_manager(&check->harness);
    check->managed = false;
    check->resets = 0;
}

void check_close(struct check *check) {
    char text[512] = "";
    if (!check->harness.host)
        return;
    check_unmanage(check);
    if (vidmm_harness_close(&check->harness, text, sizeof(text)) == VIDMM_HARNESS_OK)
        return;
    note_leaks(check);
    if (!strstr(text, "left behind"))
        vidmm_ledger_note(&check->shared->ledger, VIDMM_FINDING_REFUSED, VIDMM_SIDE_DRIVER, "%s",
                          text);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

bool check_has(struct check *check, const void *memory) {
    if (!memory)
        check->shared->ledger.short_of_memory = 1;
    return memory;
}

void *check_memory(struct check *check, size_t size) {
    void *memory = calloc(1, size);
    (void)check_has(check, memory);
    return memory;
}
