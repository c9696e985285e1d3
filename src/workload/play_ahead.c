/*
 * play_ahead.c - what the next submissions read is fetched into the caches while earlier events are
 * played. Of large submissions only the first references: more would fall out again.
 */
#include "player.h"

#define AHEAD_STEP 2u  /* events between two steps of a submission */
#define AHEAD_MOST 16u /* references of it */
#define CACHE_LINE 64u

/* The player's own records come first, in so many steps: they lead to the manager's. */
#define AHEAD_OWN 2u

static void ahead_fetch(const struct player_allocation *allocation, uint32_t step) {
    if (step == 0) {
        for (size_t i = 0; i < sizeof(*allocation); i += CACHE_LINE)
            __builtin_prefetch((const char *)allocation + i);
    } else if (allocation->handle) {
        if (step == 1)
            __builtin_prefetch(allocation->oracle.versions);
        else
            vidmm_allocation_expect(allocation->handle, step - AHEAD_OWN);
    }
}

static void ahead_submission(const struct vidmm_player *player, const struct vidmm_event *event,
                             uint32_t step) {
    const uint32_t *list = player->workload->lists + event->first;
    uint32_t count = event->reads + event->writes;
    for (uint32_t i = 0; i < count && i < AHEAD_MOST; i++)
        ahead_fetch(&player->allocations[list[i]], step);
}

void play_ahead(const struct vidmm_player *player, uint32_t thread, size_t event) {
    const uint32_t steps = AHEAD_OWN + VIDMM_EXPECT_STEPS;
    const struct vidmm_workload *workload = player->workload;
    for (uint32_t step = 0; step < steps; step++) {
        size_t at = event + (size_t)(steps - step) * AHEAD_STEP;
        if (at < workload->event_count && workload->events[at].kind == VIDMM_EVENT_SUBMIT &&
            workload->events[at].process % player->threads == thread)
            ahead_submission(player, &workload->events[at], step);
    }
}
