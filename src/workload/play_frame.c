/*
 * play_frame.c - frames: at most two in flight; then the results of the GPU's checks are read.
 */
#include "player.h"

#include <string.h>

/*
 * A page for results of the GPU's checks. Its content is unknown to the oracle, but a wrong mapping
 * of it is found; its index is the first that the workload does not use.
 */
static enum vidmm_status make_result(struct player_process *process, struct player_result *result,
                                     uint32_t physical) {
    struct vidmm_player *player = process->player;
    const struct umd_shim_request request = {.size = PAGE_BYTES,
                                             .umd_flags = VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED,
                                             .physical = physical,
                                             .user = &result->watch};
    enum vidmm_status status;
    oracle_allocation_start(&result->watch, &player->oracle, player->workload->allocation_count, 0);
    result->watch.device = process->device;
    if (!oracle_allocation_made(&result->watch, 1, 0))
        return VIDMM_NO_MEMORY;
    result->watch.versions[0] = ORACLE_UNKNOWN;
    status = umd_shim_create(&player->shim, process->device, &request, &result->page.handle);
    result->page.size = PAGE_BYTES;
    if (status != VIDMM_OK || !player->gpummu)
        return status;
    status = play_virtual_made(process, &result->page);
    return status == VIDMM_OK ? vidmm_lock(result->page.handle, 0, (void **)&result->cpu) : status;
}

bool play_frames_start(struct player_process *process) {
    struct vidmm_player *player = process->player;
    if (!player->shim.native)
        return true;
    for (uint32_t i = 0; i < FRAME_SLOTS * player->linked; i++) {
        uint32_t physical = i % player->linked;
        struct player_slot *slot = &process->slots[i / player->linked];
        enum vidmm_status status = make_result(process, &slot->result[physical], physical);
        if (status != VIDMM_OK)
            return player_fail(player, status, "the allocation for results");
    }
    return true;
}

static void drop_result(struct player_result *result) {
    if (result->page.handle) {
        oracle_allocation_leave(&result->watch);
        if (result->cpu)
            vidmm_unlock(result->page.handle);
        play_virtual_leave(&result->page);
        vidmm_allocation_destroy(result->page.handle);
    }
    oracle_allocation_destroy(&result->watch);
}

void play_frames_stop(struct player_process *process) {
    for (uint32_t i = 0; i < FRAME_SLOTS; i++)
        for (uint32_t physical = 0; physical < VIDMM_LINKED_MOST; physical++)
            drop_result(&process->slots[i].result[physical]);
    memset(process->slots, 0, sizeof(process->slots));
}

static struct player_slot *play_slot(struct player_process *process) {
    return &process->slots[process->frames % FRAME_SLOTS];
}

struct player_result *play_result(struct player_process *process) {
    return &play_slot(process)->result[process->physical];
}

/* The GPU is done with what it checked: compares. */
static bool result_read(struct player_process *process, struct player_result *result) {
    struct vidmm_player *player = process->player;
    struct vidmm_umd_result found;
    void *cpu = result->cpu;
    enum vidmm_status status = result->cpu ? VIDMM_OK : vidmm_lock(result->page.handle, 0, &cpu);
    if (status != VIDMM_OK)
        return player_fail(player, status, "waiting for a frame");
    result->used = false;
    memcpy(&found, cpu, sizeof(found));
    memset(cpu, 0, sizeof(found));
    if (!result->cpu)
        vidmm_unlock(result->page.handle);
    /* If content was lost meanwhile, the GPU's expected values were not valid. */
    if (result->lost == oracle_lost(&player->oracle))
        oracle_gpu_result(&player->oracle, &found, result->expected);
    result->expected = 0;
    return true;
}

/* Waits for the frame of this slot and reads its results. */
static bool frame_collect(struct player_process *process, struct player_slot *slot) {
    struct vidmm_player *player = process->player;
    enum vidmm_status status =
        slot->fence == 0 ? VIDMM_OK : vidmm_wait(player->harness->adapter, slot->fence);
    slot->fence = 0;
    if (status != VIDMM_OK)
        return player_fail(player, status, "waiting for a frame");
    for (uint32_t physical = 0; physical < player->linked; physical++)
        if (slot->result[physical].used && !result_read(process, &slot->result[physical]))
            return false;
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

/* Samples that are taken at once share what was referenced before them, which the first one has. */
static void spread(uint64_t *chart, uint32_t first, uint32_t end) {
    uint64_t all = chart[first], each = all / (end - first);
    for (uint32_t at = first + 1; at < end; at++)
        chart[at] = each;
    chart[first] = all - each * (end - first - 1);
}

static void sample_references(struct vidmm_play_result *result, uint32_t first, uint32_t end) {
    if (first == end)
        return;
    spread(result->chart_referenced_vram, first, end);
    spread(result->chart_referenced_aperture, first, end);
    spread(result->chart_referenced_system, first, end);
}

void play_frame_references(struct vidmm_player *player, uint64_t vram, uint64_t aperture,
                           uint64_t system) {
    struct vidmm_play_result *result = player->result;
    uint64_t frames = player->frames.count, last = VIDMM_PLAY_CHART - 1;
    uint64_t at = frames != 0 ? result->frames * VIDMM_PLAY_CHART / frames : 0;
    at = at < result->chart_samples ? at : result->chart_samples; /* the next one, if it is new */
    at = at < last ? at : last;
    result->chart_referenced_vram[at] += vram;
    result->chart_referenced_aperture[at] += aperture;
    result->chart_referenced_system[at] += system;
}

bool play_frame_count(struct vidmm_player *player) {
    struct vidmm_play_result *result = player->result;
    uint64_t limit = player->options->frame_limit;
    pthread_mutex_lock(&player->lock);
    uint64_t frame = result->frames++;
    uint32_t first = result->chart_samples;
    while (result->chart_samples < VIDMM_PLAY_CHART &&
           result->chart_samples * player->frames.count <= frame * VIDMM_PLAY_CHART)
        sample(player, result->chart_samples++);
    sample_references(result, first, result->chart_samples);
    bool enough = limit != 0 && result->frames >= limit;
    pthread_mutex_unlock(&player->lock);
    return enough;
}
