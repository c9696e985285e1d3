/*
 * user_contexts.c - several contexts of a process, in turn, while their memory moves: it is
 * evicted, the root page table moves and grows, the adapter is reset, one context is destroyed. A driver that
 * uses context allocations (DxgkCbCreateContextAllocation) has to use their new addresses each
 * time; see user.h.
 */
#include "user.h"

#define CONTEXTS 3u
#define ROUNDS   2u

/* Each context works after `after`, which names the step. */
static bool round_of(struct user *user, struct vidmm_context *const *contexts, const char *after) {
    struct vidmm_context *own = user->context;
    bool good = true;
    check_step(user->check, "residency: contexts after %s", after);
    for (uint32_t i = 0; good && i < CONTEXTS * ROUNDS; i++) {
        user->context = contexts[i % CONTEXTS];
        good = !user->context || (user_submit(user, 1) && user_rest(user));
        if (good && vidmm_device_lost(user->device)) {
            (void)check_say(user->check, VIDMM_STAGE_STOPPED,
                            "the device was lost with the work of a context after %s", after);
            check_note(user->check, "work of a context that did nothing failed after %s", after);
            good = false;
        }
    }
    user->context = own;
    return good;
}

/* At the end of the address space, where a root of two levels has no entries yet. */
static bool map_high(struct user *user, uint32_t index) {
    struct vidmm_gpummu_info info;
    uint64_t va = 0, fence = 0;
    vidmm_gpummu_info(user->check->harness.adapter, 0, &info);
    uint64_t end = UINT64_C(1) << info.caps.VirtualAddressBitCount;
    const struct vidmm_va_request request = {.base = end - user->surface[index].size,
                                             .size = user->surface[index].size,
                                             .allocation = user->surface[index].allocation,
                                             .protection = VIDMM_VA_WRITE};
    enum vidmm_status status = vidmm_va_map(user->queue, &request, &va, &fence);
    if (status == VIDMM_OK)
        status = vidmm_paging_wait(user->queue, fence);
    return user_fine(user, status);
}

static bool contexts_play(struct user *user, uint32_t index, struct vidmm_context **contexts) {
    struct check *check = user->check;
    if (!round_of(user, contexts, "they were made") ||
        !check_good(check, vidmm_evict_all(check->harness.adapter)) ||
        !round_of(user, contexts, "an eviction") ||
        !check_good(check, vidmm_process_move_root(user->process)) ||
        !round_of(user, contexts, "a move of the root page table") || !map_high(user, index) ||
        !round_of(user, contexts, "a mapping at high addresses"))
        return false;
    (void)check_reset(check);
    if (!round_of(user, contexts, "a reset"))
        return false;
    vidmm_context_destroy(contexts[1]);
    contexts[1] = NULL;
    return round_of(user, contexts, "one of them went") &&
           check_good(check, vidmm_evict_all(check->harness.adapter)) &&
           round_of(user, contexts, "another eviction");
}

bool user_contexts(struct user *user, uint32_t index) {
    struct vidmm_context *contexts[CONTEXTS] = {user->context};
    bool good = true;
    for (uint32_t i = 1; good && i < CONTEXTS; i++)
        good = check_good(user->check, vidmm_context_create(user->device, 0, 0, &contexts[i]));
    good = good && contexts_play(user, index, contexts);
    for (uint32_t i = CONTEXTS; i-- > 1;)
        if (contexts[i])
            vidmm_context_destroy(contexts[i]);
    return good;
}
