/*
 * model.c - creates the hardware model, with the host's functions for it (struct vidmm_hw_host),
 * and checks it.
 */
#include "model.h"

#include <stdio.h>
#include <string.h>

#include "base/asked.h"
#include "base/thread.h"
#include "base/violations.h"
#include "base/world.h"
#include "driver/tally.h"
#include "memory/gart.h"
#include "memory/iommu.h"
#include "memory/physical.h"
#include "kernel/clock.h"
#include "kernel/device_log.h"
#include "kernel/engines.h"
#include "kernel/interrupt.h"

static void *model_alloc(void *ctx, size_t size) {
    (void)ctx;
    return host_block_alloc(HOST_OWNER_MODEL, size);
}

static void model_free(void *ctx, void *block, size_t size) {
    (void)ctx;
    host_block_free(HOST_OWNER_MODEL, block, size);
}

/* Whose work it may be that the device does: engines have the numbers of nodes in all models so far. */
static void model_tell_work(char *text, size_t size) {
    uint32_t engine = host_self.engine - 1, fence = 0;
    const char *call = host_self.engine != 0 ? host_tally_last(engine, &fence) : NULL;
    if (host_self.engine == 0)
        text[0] = '\0';
    else if (call)
        snprintf(text, size, ", while engine %u ran: %s with fence %u was the last for it", engine,
                 call, fence);
    else
        snprintf(text, size, ", while engine %u ran", engine);
}

/* Only what the driver or the system has allocated is the device's to read or write. */
static void model_judge_memory(const unsigned char *bytes, size_t size) {
    const struct host_physical *ram = host_world->physical;
    uint64_t from = (uint64_t)(bytes - ram->base), first = from / HOST_PAGE, frame;
    char work[128];
    if (!host_frames_free(ram, first, (from + size - 1) / HOST_PAGE - first + 1, &frame))
        return;
    model_tell_work(work, sizeof(work));
    host_violation("the device reached physical address 0x%llx, in a page of system memory "
                   "that nobody has allocated%s",
                   (unsigned long long)(frame == first ? from : frame * HOST_PAGE), work);
}

static void *model_memory(void *ctx, uint64_t pa, size_t size) {
    void *bytes = host_bus_pointer(pa, size);
    (void)ctx;
    if (bytes && size != 0 && !host_self.looking)
        model_judge_memory(bytes, size);
    return bytes;
}

static void model_interrupt(void *ctx, uint32_t message) {
    const struct host_board *board = ctx;
    host_device_log_interrupt(message);
    host_interrupt_raise(&host_world->interrupt[board->index], message);
}

static uint64_t model_now(void *ctx) {
    (void)ctx;
    return host_now();
}

static void model_advance(void *ctx, uint64_t ns) {
    (void)ctx;
    host_advance(ns);
}

static bool model_busy(void *ctx, uint32_t engine, uint64_t ns) {
    const struct host_board *board = ctx;
    return host_engine_busy(board->index, engine, ns);
}

static int model_memory_file(void *ctx, uint64_t *bytes) {
    (void)ctx;
    *bytes = host_world->physical->bytes + HOST_POOL_BYTES;
    return host_world->physical->file;
}

static void model_failed(void *ctx, const char *what) {
    struct host_board *board = ctx;
    if (board->failure)
        (void)host_fail(board->failure, "the device could not be made: %s", what);
    else
        host_log("device: %s\n", what);
}

static void *model_peer(void *ctx, uint32_t physical) {
    const struct host_board *board = ctx;
    if (board->index >= host_world->linked) /* it is alone */
        return physical == 0 ? host_world->hw[board->index] : NULL;
    return physical < host_world->linked ? host_world->hw[physical] : NULL;
}

static uint64_t model_setting(void *ctx, const char *name, uint64_t otherwise) {
    const struct vidmm_host *host = host_world;
    (void)ctx;
    host_asked(name);
    for (uint32_t i = 0; i < host->config.setting_count; i++) {
        if (strcmp(host->settings[i].name, name) == 0) {
            host_show_setting(i);
            return host->settings[i].value;
        }
    }
    return otherwise;
}

bool host_model_reached(const struct vidmm_hw_model *model, struct host_physical_plan *plan,
                        struct vidmm_host_error *error) {
    plan->from = model ? model->reaches_from : 0;
    uint64_t most = model && model->reaches_to != 0 ? model->reaches_to - HOST_POOL_BYTES : 0;
    if (most != 0 && (most < HOST_4_GIB || plan->high > most - HOST_4_GIB))
        plan->high = 0;
    if (most == 0 || plan->bytes <= most)
        return true;
    if (host_world->config.memory_bytes != 0)
        return host_fail(
            error, "%llu MiB of system memory are wanted, of which the device reaches %llu MiB",
            (unsigned long long)(plan->bytes >> 20), (unsigned long long)(most >> 20));
    plan->bytes = most;
    return true;
}

bool host_model_check(const struct vidmm_hw_model *model, struct vidmm_host_error *error) {
    if (!model->create || !model->destroy || !model->step || model->engines > HOST_ENGINES_MOST)
        return host_fail(error, "the hardware model is incomplete or has more than 32 engines");
    return true;
}

static bool model_check_bars(const struct vidmm_hw_model *model,
                             const struct vidmm_hw_bar bars[VIDMM_HW_BARS],
                             struct vidmm_host_error *error) {
    for (uint32_t i = 0; i < VIDMM_HW_BARS; i++) {
        const struct vidmm_hw_bar *bar = &bars[i];
        if (bar->kind == VIDMM_HW_BAR_NONE)
            continue;
        if ((bar->kind == VIDMM_HW_BAR_REGISTERS || bar->kind == VIDMM_HW_BAR_PORTS) &&
            (!model->reg_read || !model->reg_write))
            return host_fail(error,
                             "the hardware model has a register BAR and no reg_read, reg_write");
        if (bar->kind == VIDMM_HW_BAR_PORTS && (!model->bar_at || bar->size == 0))
            return host_fail(error, "a BAR of ports of the hardware model has no place or no size");
        if (bar->kind == VIDMM_HW_BAR_PORTS)
            continue;
        if (bar->size == 0 || bar->size % HOST_PAGE != 0 || (uintptr_t)bar->memory % HOST_PAGE != 0)
            return host_fail(error, "a BAR of the hardware model is not made of whole pages");
        if (bar->kind == VIDMM_HW_BAR_MEMORY && !bar->memory)
            return host_fail(error, "a memory BAR of the hardware model has no memory");
    }
    return true;
}

bool host_model_make(struct vidmm_host *host, struct host_board *board,
                     struct vidmm_hw_bar bars[VIDMM_HW_BARS], struct vidmm_host_error *error) {
    const struct vidmm_hw_model *model = host->model[board->index];
    board->gets = (struct vidmm_hw_host){
        .ctx = board,
        .alloc = model_alloc,
        .free = model_free,
        .memory = model_memory,
        .interrupt = model_interrupt,
        .now = model_now,
        .advance = model_advance,
        .setting = model_setting,
        .iommu = host_iommu_translate,
        .physical = board->index < host->linked ? board->index : 0,
        .linked = host->linked,
        .peer = model_peer,
        .model = model,
        .memory_file = model_memory_file,
        .failed = model_failed,
        .busy = model_busy,
    };
    (void)host_fail(error,
                    "the hardware model could not be built: out of memory, or a setting that "
                    "makes no sense");
    board->failure = error;
    host->hw[board->index] = model->create(&board->gets, bars);
    board->failure = NULL;
    if (!host->hw[board->index])
        return false;
    error->text[0] = '\0';
    return model_check_bars(model, bars, error);
}

void host_models_destroy(struct vidmm_host *host) {
    for (uint32_t board = 0; board < host->boards; board++) {
        if (host->hw[board])
            host->model[board]->destroy(host->hw[board]);
        host->hw[board] = NULL;
    }
}
