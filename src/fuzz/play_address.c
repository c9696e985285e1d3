/*
 * play_address.c - residency, offers and GPU virtual addresses.
 */
#include "play.h"

#define PAGE UINT64_C(4096)

/* The allocations that `value` names and the device has open. */
static uint32_t address_list(struct play *play, const struct fuzz_call *call, uint32_t device,
                             struct vidmm_allocation *list[PLAY_ALLOCATIONS]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < PLAY_ALLOCATIONS; i++) {
        const struct play_allocation *slot = &play->allocation[i];
        if (slot->allocation && (call->value >> i & 1u) != 0 && (slot->open >> device & 1u) != 0)
            list[count++] = slot->allocation;
    }
    return count;
}

void fuzz_play_residency(struct play *play, const struct fuzz_call *call) {
    struct vidmm_allocation *list[PLAY_ALLOCATIONS];
    enum vidmm_reclaim_result results[PLAY_ALLOCATIONS];
    uint32_t device = call->a % PLAY_DEVICES, count = address_list(play, call, device, list);
    uint64_t fence = 0;
    enum vidmm_status status = VIDMM_OK;
    if (!play->queue[device] || count == 0)
        return;
    if (call->op == FUZZ_OP_RESIDENT)
        status =
            vidmm_make_resident(play->queue[device], list, count, call->flags & 1u, &fence, NULL);
    else if (call->op == FUZZ_OP_EVICT)
        status = vidmm_device_evict(play->device[device], list, count, call->flags & 3u, NULL);
    else if (call->op == FUZZ_OP_OFFER)
        status = vidmm_offer(play->device[device], list, count,
                             (enum vidmm_offer_priority)(VIDMM_OFFER_LOW + call->flags % 3u));
    else
        status = vidmm_reclaim(play->queue[device], list, count, results, &fence);
    if (fuzz_life_good(play->life, status) && fence != 0)
        (void)fuzz_life_good(play->life, vidmm_paging_wait(play->queue[device], fence));
}

static bool address_map(struct play *play, struct play_allocation *slot,
                        const struct vidmm_va_request *request) {
    uint64_t fence = 0;
    struct vidmm_paging_queue *queue = play->queue[slot->device];
    return queue && fuzz_life_good(play->life, vidmm_va_map(queue, request, &slot->va, &fence)) &&
           (fence == 0 || fuzz_life_good(play->life, vidmm_paging_wait(queue, fence)));
}

void fuzz_play_map_all(struct play *play, struct play_allocation *slot) {
    const struct vidmm_va_request request = {.size = slot->size,
                                             .allocation = slot->allocation,
                                             .protection = VIDMM_VA_WRITE | VIDMM_VA_EXECUTE};
    if (!play->virtual_addresses)
        return;
    if (!address_map(play, slot, &request))
        slot->va = 0;
    else
        (void)fuzz_life_good(play->life, vidmm_make_resident(play->queue[slot->device],
                                                             &slot->allocation, 1, 0, NULL, NULL));
}

/* `value`: pages from the begin of the allocation, and how many in its high half. */
static void address_map_part(struct play *play, struct play_allocation *slot,
                             const struct fuzz_call *call) {
    const struct vidmm_va_request request = {.base =
                                                 (call->flags & 0x80u) != 0 ? play->reserved : 0,
                                             .offset = (call->value & 0xffu) * PAGE,
                                             .size = (call->value >> 8) * PAGE,
                                             .allocation = slot->allocation,
                                             .protection = call->flags & 0x1fu};
    (void)address_map(play, slot, &request);
}

static void address_update(struct play *play, const struct fuzz_call *call) {
    struct play_allocation *slot = fuzz_play_slot(play, call->b);
    struct vidmm_context *context = play->context[call->a % PLAY_CONTEXTS];
    const struct vidmm_va_operation operation = {
        .type = (enum vidmm_va_operation_type)(call->flags % 4u),
        .base = play->reserved + (call->value & 0xfu) * PAGE,
        .size = (1 + (call->value >> 4 & 0xfu)) * PAGE,
        .destination = play->reserved + (call->value >> 8 & 0xfu) * PAGE,
        .allocation = slot->allocation,
        .offset = (call->value >> 12) * PAGE,
        .protection = call->flags >> 3};
    if (context && play->reserved != 0 &&
        fuzz_life_good(play->life, vidmm_va_update(context, &operation, 1)))
        (void)fuzz_life_good(play->life, vidmm_va_wait(context));
}

/* In the first process, unless that is not there. */
static void address_reserve(struct play *play) {
    const struct vidmm_va_request request = {.size = PLAY_RESERVED};
    struct vidmm_process *process = play->process[0];
    if (process && play->reserved == 0 &&
        !fuzz_life_good(play->life, vidmm_va_reserve(process, &request, &play->reserved)))
        play->reserved = 0;
}

void fuzz_play_addresses(struct play *play, const struct fuzz_call *call) {
    struct play_allocation *slot = fuzz_play_slot(play, call->a);
    if (!play->virtual_addresses)
        return;
    if (call->op == FUZZ_OP_RESERVE) {
        address_reserve(play);
    } else if (call->op == FUZZ_OP_UPDATE) {
        address_update(play, call);
    } else if (slot->allocation && call->op == FUZZ_OP_MAP) {
        address_map_part(play, slot, call);
    } else if (slot->va != 0) {
        (void)fuzz_life_good(
            play->life, vidmm_va_free(fuzz_play_process(play, slot->device), slot->va, slot->size));
        slot->va = 0;
    }
}
