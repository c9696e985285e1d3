/*
 * inspect.c - copies what a driver reports about its memory, so that it can be used after the
 * driver stopped. What it imports (imports.c) is known before it starts.
 */
#include "open.h"
#include "verdict.h"

#include <stdlib.h>
#include <string.h>

/* The adapter's bank table is freed with it. */
static bool copy_banks(struct vidmm_segment_info *segment) {
    const uint64_t *ends = segment->bank_ends;
    segment->bank_ends = NULL;
    if (segment->banks == 0)
        return true;
    uint64_t *copy = malloc(segment->banks * sizeof(*copy));
    if (!copy)
        return false;
    memcpy(copy, ends, segment->banks * sizeof(*copy));
    segment->bank_ends = copy;
    return true;
}

static bool copy_segments(struct vidmm_adapter *adapter, struct vidmm_inspection *inspection) {
    uint32_t count = inspection->adapter.segments;
    inspection->segments = calloc(count + 1u, sizeof(*inspection->segments));
    if (!inspection->segments)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!vidmm_segment_info(adapter, i + 1, &inspection->segments[i]) ||
            !copy_banks(&inspection->segments[i]))
            return false;
    }
    return true;
}

/* The budget of a single process; 0 if none can be created. */
static void ask_budgets(struct vidmm_adapter *adapter, struct vidmm_inspection *inspection) {
    struct vidmm_process *process;
    struct vidmm_budget budget;
    if (!inspection->mmu.on || vidmm_process_create(adapter, &process) != VIDMM_OK)
        return;
    vidmm_process_budget(process, 0, VIDMM_GROUP_LOCAL, &budget);
    inspection->local_budget = budget.budget;
    vidmm_process_budget(process, 0, VIDMM_GROUP_NON_LOCAL, &budget);
    inspection->non_local_budget = budget.budget;
    vidmm_process_destroy(process);
}

enum vidmm_run_status run_inspect_here(const struct vidmm_run_options *options,
                                       struct vidmm_inspection *inspection, char *text,
                                       size_t text_size) {
    struct vidmm_harness harness;
    enum vidmm_run_status status = run_open(options, 0, NULL, NULL, &harness, text, text_size);
    if (status != VIDMM_RUN_VERIFIED)
        return status;
    vidmm_adapter_info(harness.adapter, &inspection->adapter);
    vidmm_gpummu_info(harness.adapter, 0, &inspection->mmu);
    ask_budgets(harness.adapter, inspection);
    if (!copy_segments(harness.adapter, inspection)) {
        snprintf(text, text_size, "out of memory");
        status = VIDMM_RUN_DRIVER_FAILED;
    }
    char closing[512] = "";
    if (vidmm_harness_close(&harness, closing, sizeof(closing)) != VIDMM_HARNESS_OK &&
        status == VIDMM_RUN_VERIFIED) {
        snprintf(text, text_size, "%s", closing);
        status = VIDMM_RUN_WRONG;
    }
    return status;
}

enum vidmm_run_status vidmm_run_inspect(const struct vidmm_run_options *options,
                                        struct vidmm_inspection *inspection, char *text,
                                        size_t text_size) {
    memset(inspection, 0, sizeof(*inspection));
    run_driver_name(options, inspection->driver, sizeof(inspection->driver));
    if (!run_imports(options, inspection, text, text_size))
        return VIDMM_RUN_DRIVER_FAILED;
    return options->apart ? run_inspect_apart(options, inspection, text, text_size)
                          : run_inspect_here(options, inspection, text, text_size);
}

void vidmm_inspection_free(struct vidmm_inspection *inspection) {
    for (uint32_t i = 0; inspection->segments && i < inspection->adapter.segments; i++)
        free((void *)(uintptr_t)inspection->segments[i].bank_ends);
    free(inspection->segments);
    free(inspection->ended);
    inspection->segments = NULL;
    inspection->ended = NULL;
    for (size_t i = 0; i < inspection->import_count; i++) {
        free(inspection->imports[i].library);
        free(inspection->imports[i].name);
    }
    free(inspection->imports);
    inspection->imports = NULL;
    inspection->import_count = 0;
}
