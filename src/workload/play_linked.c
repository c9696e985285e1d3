/*
 * play_linked.c - which of linked physical adapters does what; with one adapter, all of it.
 *
 * With virtual addresses the frames of a process take turns: every adapter reaches every allocation,
 * those of its peers over the bridge. An allocation is at home where it is used first. With physical
 * addresses a submission may only use what is at home on its adapter, so that allocations that are
 * used together, directly or by way of others, stay together: such groups take turns.
 *
 * Work that a process has on one adapter is done before it goes on on another: nothing else keeps
 * what they write and read in order.
 */
#include "player.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT8_MAX

/* ---- Virtual addresses: frames take turns ---------------------------------------------------- */

static bool linked_by_frame(struct vidmm_player *player) {
    const struct vidmm_workload *workload = player->workload;
    uint64_t *frame = calloc((size_t)workload->process_count + 1, sizeof(*frame));
    if (!frame)
        return false;
    for (size_t i = 0; i < workload->event_count; i++) {
        const struct vidmm_event *event = &workload->events[i];
        bool submits = event->kind == VIDMM_EVENT_SUBMIT;
        uint8_t physical = (uint8_t)((event->process + frame[event->process]) % player->linked);
        if (submits)
            player->runs_on[i] = physical;
        for (uint32_t k = 0; submits && k < event->reads + event->writes; k++) {
            uint8_t *home = &player->home[workload->lists[event->first + k]];
            *home = *home == NOWHERE ? physical : *home;
        }
        if (event->kind == VIDMM_EVENT_PRESENT ||
            (submits && !player->processes[event->process].presents))
            frame[event->process]++;
    }
    free(frame);
    return true;
}

/* ---- Physical addresses: groups take turns --------------------------------------------------- */

/* The allocation that stands for the group of `one`. */
static uint32_t group_of(uint32_t *parent, uint32_t one) {
    while (parent[one] != one) {
        parent[one] = parent[parent[one]];
        one = parent[one];
    }
    return one;
}

static void group_join(const struct vidmm_workload *workload, uint32_t *parent) {
    for (size_t i = 0; i < workload->event_count; i++) {
        const struct vidmm_event *event = &workload->events[i];
        const uint32_t *list = workload->lists + event->first;
        for (uint32_t k = 1; event->kind == VIDMM_EVENT_SUBMIT && k < event->reads + event->writes;
             k++)
            parent[group_of(parent, list[k])] = group_of(parent, list[0]);
    }
}

static bool linked_by_group(struct vidmm_player *player) {
    const struct vidmm_workload *workload = player->workload;
    uint32_t count = workload->allocation_count, turn = 0;
    uint32_t *parent = calloc((size_t)count + 1, sizeof(*parent));
    if (!parent)
        return false;
    for (uint32_t i = 0; i < count; i++)
        parent[i] = i;
    group_join(workload, parent);
    for (size_t i = 0; i < workload->event_count; i++) {
        const struct vidmm_event *event = &workload->events[i];
        if (event->kind != VIDMM_EVENT_SUBMIT || event->reads + event->writes == 0)
            continue;
        uint8_t *home = &player->home[group_of(parent, workload->lists[event->first])];
        if (*home == NOWHERE)
            *home = (uint8_t)(turn++ % player->linked);
        player->runs_on[i] = *home;
    }
    for (uint32_t i = 0; i < count; i++)
        player->home[i] = player->home[group_of(parent, i)];
    free(parent);
    return true;
}

/* ---- The plan -------------------------------------------------------------------------------- */

bool play_linked_start(struct vidmm_player *player) {
    const struct vidmm_workload *workload = player->workload;
    if (player->linked == 1 || !player->shim.native)
        return true;
    player->home = malloc((size_t)workload->allocation_count + 1);
    player->runs_on = calloc(workload->event_count + 1, 1);
    if (!player->home || !player->runs_on)
        return false;
    memset(player->home, NOWHERE, (size_t)workload->allocation_count + 1);
    if (!(player->gpummu ? linked_by_frame : linked_by_group)(player))
        return false;
    for (uint32_t i = 0; i < workload->allocation_count; i++)
        if (player->home[i] == NOWHERE)
            player->home[i] = (uint8_t)(i % player->linked);
    return true;
}

void play_linked_stop(struct vidmm_player *player) {
    free(player->home);
    free(player->runs_on);
    player->home = player->runs_on = NULL;
}

uint32_t play_linked_home(const struct vidmm_player *player, uint32_t allocation) {
    return player->home ? player->home[allocation] : 0;
}

uint32_t play_linked_event(const struct vidmm_player *player, const struct vidmm_event *event) {
    return player->runs_on ? player->runs_on[event - player->workload->events] : 0;
}

/* ---- Contexts -------------------------------------------------------------------------------- */

enum vidmm_status play_linked_contexts(struct player_process *process) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < process->player->linked; i++)
        status = vidmm_context_create(process->device, i, 0, &process->contexts[i]);
    process->context = process->contexts[0];
    return status;
}

bool play_linked_switch(struct player_process *process, uint32_t physical) {
    struct vidmm_player *player = process->player;
    enum vidmm_status status = VIDMM_OK;
    if (process->physical == physical)
        return true;
    if (process->fence != 0)
        status = vidmm_wait(player->harness->adapter, process->fence);
    if (status == VIDMM_OK && player->gpummu && !player->iommu)
        status = vidmm_va_wait(process->context);
    process->physical = physical;
    process->context = process->contexts[physical];
    return status == VIDMM_OK || player_fail(player, status, "going on on another adapter");
}
