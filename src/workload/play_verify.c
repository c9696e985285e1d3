/*
 * play_verify.c - checks by the CPU: through locks, and of system pages.
 */
#include "player.h"

#define LOOK_PAGES  256u /* pages of one check through a lock, at most */
#define WRITE_PAGES 4u

/* Legal refusals of a lock: the allocation is not reachable at the moment. */
static bool is_refusal(enum vidmm_status status) {
    return status == VIDMM_NOT_LOCKABLE || status == VIDMM_PINNED || status == VIDMM_DOES_NOT_FIT;
}

/* Locks; every other time a swizzled surface through a swizzling range. */
static enum vidmm_status verify_lock(struct player_allocation *allocation, uint32_t flags,
                                     void **cpu) {
    if (allocation->oracle.pitch != 0 && allocation->cpu_turn % 2 == 1) {
        enum vidmm_status status =
            vidmm_lock(allocation->handle, flags | VIDMM_LOCK_ACQUIRE_APERTURE, cpu);
        if (status != VIDMM_NOT_LOCKABLE)
            return status;
    }
    return vidmm_lock(allocation->handle, flags, cpu);
}

bool play_cpu(struct vidmm_player *player, struct player_allocation *allocation, bool write) {
    void *cpu = NULL;
    if (!allocation->handle || !allocation->visible)
        return true;
    enum vidmm_status status = verify_lock(allocation, write ? 0 : VIDMM_LOCK_READ_ONLY, &cpu);
    if (is_refusal(status))
        return true;
    if (status != VIDMM_OK)
        return player_fail(player, status, "a lock");
    struct oracle_range range = play_share(player, allocation, &allocation->cpu_turn);
    if (range.pages > LOOK_PAGES)
        range.pages = LOOK_PAGES;
    unsigned char *first = (unsigned char *)cpu + (size_t)range.first * PAGE_BYTES;
    oracle_check(&allocation->oracle, range, first);
    if (write) {
        if (range.pages > WRITE_PAGES)
            range.pages = WRITE_PAGES;
        oracle_cpu_write(&allocation->oracle, range, first);
    }
    vidmm_unlock(allocation->handle);
    return true;
}

/* All bytes as the CPU sees them. */
static bool look_through_lock(struct vidmm_player *player, struct player_allocation *allocation) {
    void *cpu = NULL;
    enum vidmm_status status = vidmm_lock(allocation->handle, VIDMM_LOCK_READ_ONLY, &cpu);
    if (is_refusal(status))
        return true;
    if (status != VIDMM_OK)
        return player_fail(player, status, "a lock");
    oracle_check(&allocation->oracle, (struct oracle_range){0, allocation->oracle.pages}, cpu);
    vidmm_unlock(allocation->handle);
    return true;
}

bool play_verify_freed(struct player_process *process, struct player_allocation *allocation) {
    struct vidmm_player *player = process->player;
    struct vidmm_allocation_info info;
    vidmm_allocation_info(allocation->handle, &info);
    if (info.segment == 0) {
        /* Only its own process makes it resident again, and that process is busy here. */
        oracle_check_backing(&allocation->oracle, vidmm_allocation_backing(allocation->handle));
        return true;
    }
    if (player->shim.native)
        return play_submit_check(process, allocation);
    return !allocation->visible || look_through_lock(player, allocation);
}

bool play_verify_last(struct vidmm_player *player, struct player_allocation *allocation) {
    struct vidmm_allocation_info info;
    enum vidmm_status status = vidmm_allocation_evict(allocation->handle, true);
    if (status != VIDMM_OK && status != VIDMM_PINNED)
        return player_fail(player, status, "an eviction");
    vidmm_allocation_info(allocation->handle, &info);
    if (allocation->visible)
        return look_through_lock(player, allocation);
    if (info.segment == 0)
        oracle_check_backing(&allocation->oracle, vidmm_allocation_backing(allocation->handle));
    return true;
}
