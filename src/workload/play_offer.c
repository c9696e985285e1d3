/*
 * play_offer.c - offers and reclaims: the manager may drop the content of an offered allocation,
 * and the answer to the reclaim says if it did. Dropped content is undefined; other content must be
 * unchanged.
 */
#include "player.h"

/* A trim of the process, possibly on another thread, skips offered allocations. */
static void note_offered(struct player_allocation *allocation, bool offered) {
    pthread_mutex_lock(&allocation->process->lists);
    allocation->offered = offered;
    pthread_mutex_unlock(&allocation->process->lists);
}

bool play_offer(struct player_process *process, struct player_allocation *allocation) {
    struct vidmm_player *player = process->player;
    if (!player->gpummu || !allocation->handle || allocation->pinned)
        return true;
    enum vidmm_status status =
        vidmm_offer(process->device, &allocation->handle, 1, VIDMM_OFFER_NORMAL);
    if (status != VIDMM_OK)
        return player_fail(player, status, "an offer");
    note_offered(allocation, true);
    process->offers++;
    return true;
}

bool play_reclaim(struct player_process *process, struct player_allocation *allocation) {
    struct vidmm_player *player = process->player;
    enum vidmm_reclaim_result result = VIDMM_RECLAIM_OK;
    uint64_t fence = 0;
    if (!allocation->offered)
        return true;
    enum vidmm_status status =
        vidmm_reclaim(process->queue, &allocation->handle, 1, &result, &fence);
    if (status == VIDMM_OK && fence != 0)
        status = vidmm_paging_wait(process->queue, fence);
    if (status != VIDMM_OK)
        return player_fail(player, status, "a reclaim");
    note_offered(allocation, false);
    if (result == VIDMM_RECLAIM_DISCARDED) {
        process->discards++;
        oracle_discarded(&allocation->oracle);
    }
    return true;
}
