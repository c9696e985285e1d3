/*
 * play_frame.c - frames: at most two in flight; then the results of the GPU's checks are read.
 */
#include "player.h"

#include <string.h>

/*
 * A page for results of the GPU's checks. Its content is unknown to the oracle, but a wrong mapping
 * of it is found; its index is the first that the workload does not use.
 */
static enum vidmm_status make_result(struct player_process *process, struct player_slot *slot) {
    struct vidmm_player *player = process->player;
    const struct umd_shim_request request = {.size = PAGE_BYTES,
                                             .umd_flags = VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED,
                                             .user = &slot->watch};
    enum vidmm_status status;
    oracle_allocation_start(&slot->watch, &player->oracle, player->workload->allocation_count, 0);
    slot->watch.device = process->device;
    if (!oracle_allocation_made(&slot->watch, 1, 0))
        return VIDMM_NO_MEMORY;
    slot->watch.versions[0] = ORACLE_UNKNOWN;
    status = umd_shim_create(&player->shim, process->device, &request, &slot->result.handle);
    slot->result.size = PAGE_BYTES;
    if (status != VIDMM_OK || !player->gpummu)
        return status;
    status = play_virtual_made(process, &slot->result);
    return status == VIDMM_OK ? vidmm_lock(slot->result.handle, 0, (void **)&slot->cpu) : status;
}

bool play_frames_start(struct player_process *process) {
    struct vidmm_player *player = process->player;
    if (!player->shim.native)
        return true;
    for (uint32_t i = 0; i < FRAME_SLOTS; i++) {
        enum vidmm_status status = make_result(process, &process->slots[i]);
        if (status != VIDMM_OK)
            return player_fail(player, status, "the allocation for results");
    }
    return true;
}

void play_frames_stop(struct player_process *process) {
    for (uint32_t i = 0; i < FRAME_SLOTS; i++) {
        struct player_slot *slot = &process->slots[i];
        if (slot->result.handle) {
            oracle_allocation_leave(&slot->watch);
            if (slot->cpu)
                vidmm_unlock(slot->result.handle);
            play_virtual_leave(&slot->result);
            vidmm_allocation_destroy(slot->result.handle);
        }
        oracle_allocation_destroy(&slot->watch);
    }
    memset(process->slots, 0, sizeof(process->slots));
}

struct player_slot *play_slot(struct player_process *process) {
    return &process->slots[process->frames % FRAME_SLOTS];
}

/* Waits for the frame of this slot and reads its results. */
static bool frame_collect(struct player_process *process, struct player_slot *slot) {
    struct vidmm_player *player = process->player;
    struct vidmm_umd_result result;
    void *cpu = slot->cpu;
    enum vidmm_status status =
        slot->fence == 0 ? VIDMM_OK : vidmm_wait(player->harness->adapter, slot->fence);
    slot->fence = 0;
    if (status == VIDMM_OK && slot->used && !slot->cpu)
        status = vidmm_lock(slot->result.handle, 0, &cpu);
    if (status != VIDMM_OK)
        return player_fail(player, status, "waiting for a frame");
    if (!slot->used)
        return true;
    slot->used = false;
    memcpy(&result, cpu, sizeof(result));
    memset(cpu, 0, sizeof(result));
    if (!slot->cpu)
        vidmm_unlock(slot->result.handle);
    /* If content was lost meanwhile, the GPU's expected values were not valid. */
    if (slot->lost == oracle_lost(&player->oracle))
        oracle_gpu_result(&player->oracle, &result, slot->expected);
    slot->expected = 0;
    return true;
}

bool play_frame_end(struct player_process *process) {
    play_slot(process)->fence = process->fence;
    process->frames++;
    return frame_collect(process, play_slot(process));
}

bool play_frames_finish(struct player_process *process) {
    play_slot(process)->fence = process->fence;
    for (uint32_t i = 0; i < FRAME_SLOTS; i++)
        if (!frame_collect(process, &process->slots[i]))
            return false;
    return true;
}

/* ---- The chart ------------------------------------------------------------------------------- */

static void sample(struct vidmm_player *player, uint32_t at) {
    struct vidmm_play_result *result = player->result;
    struct vidmm_segment_info info;
    uint64_t vram = 0, aperture = 0, live = atomic_load(&player->live_bytes);
    for (uint32_t id = 1; vidmm_segment_info(player->harness->adapter, id, &info); id++)
        *(info.aperture ? &aperture : &vram) += info.used;
    result->chart_vram[at] = vram;
    result->chart_aperture[at] = aperture;
    result->chart_system[at] = live > vram + aperture ? live - vram - aperture : 0;
}

bool play_frame_count(struct vidmm_player *player) {
    struct vidmm_play_result *result = player->result;
    uint64_t limit = player->options->frame_limit;
    pthread_mutex_lock(&player->lock);
    uint64_t frame = result->frames++;
    while (result->chart_samples < VIDMM_PLAY_CHART &&
           result->chart_samples * player->frames.count <= frame * VIDMM_PLAY_CHART)
        sample(player, result->chart_samples++);
    bool enough = limit != 0 && result->frames >= limit;
    pthread_mutex_unlock(&player->lock);
    return enough;
}
