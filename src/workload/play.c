/*
 * play.c - plays one event of the workload.
 */
#include "player.h"

#include <string.h>

/* Reads the size of the new allocation and if it is lockable, and sets the oracle's expectation. */
static bool start_oracle(struct vidmm_player *player, struct player_process *process,
                         const struct vidmm_event *event, struct player_allocation *allocation) {
    struct vidmm_allocation_info info;
    vidmm_allocation_info(allocation->handle, &info);
    /* The driver decides if it is tiled; only the reference driver's layout is known. */
    uint32_t pitch = !info.swizzled        ? 0
                     : player->shim.native ? allocation->oracle.pitch
                                           : ORACLE_OPAQUE;
    if (!oracle_allocation_made(&allocation->oracle, (uint32_t)(info.size / PAGE_BYTES), pitch))
        return player_fail(player, VIDMM_NO_MEMORY, "the oracle");
    allocation->size = info.size;
    if (player->gpummu) {
        enum vidmm_status status = play_virtual_made(process, allocation);
        if (status != VIDMM_OK)
            return player_fail(player, status, "a mapping");
    }
    allocation->local = (event->umd_flags & (VIDMM_UMD_LOCAL | VIDMM_UMD_LOCAL_ONLY)) != 0;
    allocation->visible = info.driver.Flags.CpuVisible != 0;
    atomic_fetch_add(&player->live_bytes, info.size);
    if (event->priority != 0)
        vidmm_allocation_set_priority(allocation->handle, event->priority);
    if ((event->umd_flags & VIDMM_UMD_PRIMARY) != 0)
        allocation->pinned = vidmm_allocation_pin(allocation->handle, true) == VIDMM_OK;
    return true;
}

static bool play_alloc(struct vidmm_player *player, struct player_process *process,
                       const struct vidmm_event *event) {
    struct player_allocation *allocation = &player->allocations[event->allocation];
    bool swizzled = player->shim.native && (event->umd_flags & VIDMM_UMD_SWIZZLED) != 0;
    uint32_t pitch = swizzled ? umd_shim_pitch(event->size, event->allocation) : 0;
    if (allocation->leaving)
        play_free_finish(allocation->process, true);
    memset(allocation, 0, sizeof(*allocation));
    oracle_allocation_start(&allocation->oracle, &player->oracle, event->allocation, pitch);
    allocation->oracle.device = process->device;
    allocation->process = process;
    const struct umd_shim_request request = {
        .size = (event->size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES,
        .umd_flags = event->umd_flags,
        .physical = play_linked_home(player, event->allocation),
        .priority = event->priority,
        .pitch = pitch,
        .user = &allocation->oracle};
    enum vidmm_status status =
        umd_shim_create(&player->shim, process->device, &request, &allocation->handle);
    if (status == VIDMM_DOES_NOT_FIT)
        return player_refused(player);
    if (status != VIDMM_OK)
        return player_fail(player, status, "an allocation");
    return start_oracle(player, process, event, allocation);
}

static void free_at_last(struct player_allocation *allocation) {
    oracle_allocation_leave(&allocation->oracle);
    vidmm_allocation_destroy(allocation->handle);
    allocation->handle = NULL;
    allocation->leaving = false;
    oracle_allocation_destroy(&allocation->oracle);
}

void play_free_finish(struct player_process *process, bool all) {
    struct player_allocation *first;
    while ((first = process->leaving) &&
           (all || vidmm_completed(process->player->harness->adapter, first->fence))) {
        process->leaving = first->next;
        free_at_last(first);
    }
}

/* As user mode does: it need not wait, and what comes next may be paged in meanwhile. */
static void free_later(struct player_process *process, struct player_allocation *allocation) {
    allocation->leaving = true;
    allocation->fence = process->fence;
    allocation->next = NULL;
    *(process->leaving ? &process->last_leaving->next : &process->leaving) = allocation;
    process->last_leaving = allocation;
}

bool play_free(struct vidmm_player *player, struct player_process *process,
               struct player_allocation *allocation) {
    if (!allocation->handle || allocation->leaving)
        return true;
    if (allocation->pinned)
        (void)vidmm_allocation_pin(allocation->handle, false);
    bool ok = play_reclaim(process, allocation) && play_verify_freed(process, allocation) &&
              play_range_leave(process, allocation);
    play_virtual_leave(allocation);
    atomic_fetch_sub(&player->live_bytes, allocation->size);
    free_later(process, allocation);
    play_free_finish(process, player->gpummu);
    return ok;
}

/* Possibly the end of a frame of the workload. */
static bool count_frame(struct vidmm_player *player, enum vidmm_event_kind kind) {
    if (kind == player->frames.end && play_frame_count(player))
        atomic_store(&player->stop, true);
    return true;
}

bool play_event(struct vidmm_player *player, uint64_t index) {
    const struct vidmm_event *event = &player->workload->events[index];
    struct player_process *process = &player->processes[event->process];
    struct player_allocation *allocation = &player->allocations[event->allocation];
    oracle_set_event(&player->oracle, index);
    play_free_finish(process, false);
    switch (event->kind) {
    case VIDMM_EVENT_ALLOC:
        return play_alloc(player, process, event);
    case VIDMM_EVENT_FREE:
        return play_free(player, process, allocation);
    case VIDMM_EVENT_MAP:
        return play_cpu(player, allocation, true);
    case VIDMM_EVENT_UNMAP:
        return play_cpu(player, allocation, false);
    case VIDMM_EVENT_SUBMIT:
        return play_submit(process, event) && (process->presents || play_frame_end(process)) &&
               count_frame(player, event->kind);
    case VIDMM_EVENT_PRESENT:
        return play_frame_end(process) && count_frame(player, event->kind);
    case VIDMM_EVENT_OFFER:
        return play_offer(process, allocation);
    case VIDMM_EVENT_RECLAIM:
        return play_reclaim(process, allocation);
    case VIDMM_EVENT_RESERVE:
    case VIDMM_EVENT_VIEW:
    case VIDMM_EVENT_RELEASE:
    case VIDMM_EVENT_BIND:
    case VIDMM_EVENT_UNBIND:
    case VIDMM_EVENT_COPY:
        return play_range(process, event);
    }
    return true;
}
