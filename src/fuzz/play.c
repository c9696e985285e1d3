/*
 * play.c - see play.h.
 */
#include "play.h"

#include <stdlib.h>
#include <string.h>

void *fuzz_play_copy(const uint8_t *data, size_t size) {
    void *copy = size != 0 ? malloc(size) : NULL;
    if (copy)
        memcpy(copy, data, size);
    return copy;
}

/* ---- Devices and contexts -------------------------------------------------------------------- */

/* The process of a device's slot; NULL: the driver refuses it. */
static struct vidmm_process *play_process(struct play *play, uint32_t device) {
    struct vidmm_process **process = &play->process[device / (PLAY_DEVICES / PLAY_PROCESSES)];
    if (!*process && !fuzz_life_good(play->life, vidmm_process_create(play->adapter, process)))
        *process = NULL;
    return *process;
}

static void play_device(struct play *play, uint32_t slot) {
    struct vidmm_device **device = &play->device[slot % PLAY_DEVICES];
    struct vidmm_process *process =
        play->virtual_addresses && !*device ? play_process(play, slot % PLAY_DEVICES) : NULL;
    if (*device || (play->virtual_addresses && !process))
        return;
    enum vidmm_status status = process ? vidmm_process_device_create(process, device)
                                       : vidmm_device_create(play->adapter, device);
    if (!fuzz_life_good(play->life, status))
        *device = NULL;
    else if (process &&
             !fuzz_life_good(play->life, vidmm_paging_queue_create(
                                             *device, 0, &play->queue[slot % PLAY_DEVICES])))
        play->queue[slot % PLAY_DEVICES] = NULL;
}

static void play_context(struct play *play, const struct fuzz_call *call) {
    uint32_t slot = call->a % PLAY_CONTEXTS, owner = call->b % PLAY_DEVICES;
    struct vidmm_adapter_info info;
    if (play->context[slot] || !play->device[owner])
        return;
    vidmm_adapter_info(play->adapter, &info);
    void *data = fuzz_play_copy(call->data, call->size);
    if (!fuzz_life_good(play->life,
                        vidmm_context_create_with(
                            play->device[owner], 0, info.nodes != 0 ? call->flags % info.nodes : 0,
                            data, data ? call->size : 0, &play->context[slot])))
        play->context[slot] = NULL;
    play->context_device[slot] = owner;
    free(data);
}

static void play_end_context(struct play *play, uint32_t slot) {
    struct vidmm_context **context = &play->context[slot % PLAY_CONTEXTS];
    if (*context)
        vidmm_context_destroy(*context);
    *context = NULL;
}

static void play_end_device(struct play *play, uint32_t slot) {
    slot %= PLAY_DEVICES;
    if (!play->device[slot])
        return;
    for (uint32_t i = 0; i < PLAY_CONTEXTS; i++)
        if (play->context_device[i] == slot)
            play_end_context(play, i);
    for (uint32_t i = 0; i < PLAY_ALLOCATIONS; i++) {
        struct play_allocation *allocation = &play->allocation[i];
        if ((allocation->open & 1u << slot) != 0)
            fuzz_play_free(play, allocation);
    }
    vidmm_paging_queue_destroy(play->queue[slot]);
    play->queue[slot] = NULL;
    vidmm_device_destroy(play->device[slot]);
    play->device[slot] = NULL;
}

/* ---- The sequence ---------------------------------------------------------------------------- */

/* The n-th allocation of memory from now on is refused. */
static void play_starve(struct play *play, const struct fuzz_call *call) {
    struct vidmm_host *host = play->life->harness.host;
    vidmm_host_fail_at(host, vidmm_host_allocations(host) + 1 + call->value % PLAY_REFUSED);
}

static void play_object(struct play *play, const struct fuzz_call *call) {
    switch (call->op) {
    case FUZZ_OP_DEVICE:
        play_device(play, call->a);
        break;
    case FUZZ_OP_END_DEVICE:
        play_end_device(play, call->a);
        break;
    case FUZZ_OP_CONTEXT:
        play_context(play, call);
        break;
    case FUZZ_OP_END_CONTEXT:
        play_end_context(play, call->a);
        break;
    case FUZZ_OP_PRESSURE:
        (void)fuzz_life_good(play->life, vidmm_evict_all(play->adapter));
        break;
    case FUZZ_OP_RESET:
        (void)fuzz_life_good(play->life, vidmm_reset(play->adapter));
        break;
    case FUZZ_OP_STARVE:
        play_starve(play, call);
        break;
    default:
        (void)fuzz_life_good(play->life, vidmm_wait_idle(play->adapter));
        break;
    }
}

static void play_call(struct play *play, const struct fuzz_call *call) {
    switch (call->op) {
    case FUZZ_OP_ALLOCATE:
        fuzz_play_allocate(play, call);
        break;
    case FUZZ_OP_STANDARD:
        fuzz_play_standard(play, call);
        break;
    case FUZZ_OP_FREE:
        fuzz_play_free(play, fuzz_play_slot(play, call->a));
        break;
    case FUZZ_OP_SUBMIT:
    case FUZZ_OP_PRESENT:
        fuzz_play_submit(play, call);
        break;
    case FUZZ_OP_ESCAPE:
        fuzz_play_escape(play, call);
        break;
    case FUZZ_OP_QUERY:
        fuzz_play_query(play, call);
        break;
    case FUZZ_OP_WRITE:
    case FUZZ_OP_OPEN:
    case FUZZ_OP_LOCK:
    case FUZZ_OP_UNLOCK:
    case FUZZ_OP_PRIORITY:
    case FUZZ_OP_PROPERTY:
        fuzz_play_memory(play, call);
        break;
    case FUZZ_OP_RESIDENT:
    case FUZZ_OP_EVICT:
    case FUZZ_OP_OFFER:
    case FUZZ_OP_RECLAIM:
        fuzz_play_residency(play, call);
        break;
    case FUZZ_OP_MAP:
    case FUZZ_OP_UNMAP:
    case FUZZ_OP_RESERVE:
    case FUZZ_OP_UPDATE:
        fuzz_play_addresses(play, call);
        break;
    default:
        play_object(play, call);
        break;
    }
}

static void play_begin(struct play *play) {
    static const struct fuzz_call first = {.op = FUZZ_OP_CONTEXT};
    struct vidmm_gpummu_info mmu;
    vidmm_gpummu_info(play->adapter, 0, &mmu);
    play->virtual_addresses = mmu.on || mmu.iommu;
    play_device(play, 0);
    play_context(play, &first);
}

static void play_end(struct play *play) {
    for (uint32_t i = 0; i < PLAY_DEVICES; i++)
        play_end_device(play, i);
    for (uint32_t i = 0; i < PLAY_PROCESSES; i++)
        vidmm_process_destroy(play->process[i]);
}

enum vidmm_fuzz_status fuzz_play(const struct vidmm_fuzz_options *options,
                                 struct vidmm_ledger *ledger, const struct fuzz_input *input,
                                 char *text, size_t size) {
    struct fuzz_life life;
    bool started = fuzz_life_open(&life, options, ledger);
    if (started) {
        struct play play = {.life = &life, .adapter = life.harness.adapter};
        play_begin(&play);
        for (uint32_t i = 0; i < input->count; i++) {
            char step[32];
            snprintf(step, sizeof(step), "call %u", i + 1);
            vidmm_ledger_step(ledger, step);
            play_call(&play, &input->call[i]);
        }
        vidmm_ledger_step(ledger, "end");
        play_end(&play);
        fuzz_life_close(&life);
    } else {
        snprintf(text, size, "%s", life.text);
    }
    return life.status;
}
