/*
 * referee.c - the life of a referee, and which functions it interposes; see state/referee.h.
 */
#include <stdlib.h>
#include <string.h>

#include "state/grow.h"
#include "service/services.h"
#include "operation/operation.h"
#include "work/work.h"
#include "watch/allocation.h"
#include "watch/dirty.h"
#include "watch/own_memory.h"
#include "watch/watch.h"
#include "state/memory.h"

struct vidmm_referee *vidmm_referee_create(const struct vidmm_referee_config *config) {
    struct vidmm_referee *referee = memory_calloc(1, sizeof(*referee));
    if (!referee) { /* nobody judges: what comes of it is no verdict */
        config->ledger->short_of_memory = 1;
        return NULL;
    }
    if (!registry_add(referee)) {
        free(referee);
        return NULL;
    }
    referee->ledger = config->ledger;
    referee->world = config->world;
    referee->readings = config->readings;
    referee->adapter.wanted_version = config->interface_version;
    referee->no_content = config->no_content;
    referee->tables.random = TABLES_RANDOM;
    pthread_mutex_init(&referee->lock, NULL);
    pthread_mutex_init(&referee->reports.lock, NULL);
    return referee;
}

static void judge_end(struct vidmm_referee *referee) {
    reports_drain(referee);
    if (submit_under_way(referee) && !referee->submissions.gave_up)
        vidmm_ledger_note(referee->ledger, VIDMM_FINDING_HANG, VIDMM_SIDE_DRIVER,
                          "work that was submitted was never reported complete");
    for (uint32_t i = 0; i < SHADOW_NODES; i++)
        preempt_judge_end(referee, &referee->node[i]);
    submit_forget(referee);
    build_end(referee);
    later_end(referee);
    allocation_judge_end(referee);
    tables_clear(referee);
    free(referee->submissions.patched.handle);
    memset(&referee->submissions.patched, 0, sizeof(referee->submissions.patched));
    memset(referee->node, 0, sizeof(referee->node));
    referee->submissions.gave_up = false;
}

static void free_arrays(struct vidmm_referee *referee) {
    context_allocations_end(referee);
    callbacks_end(referee);
    service_forget(referee);
    grow_free(&referee->contexts.update, &referee->contexts.updates);
    grow_free(&referee->reports.report, &referee->reports.room);
    grow_free(&referee->swizzle.range, &referee->swizzle.ranges);
    grow_free(&referee->host_aperture.page, &referee->host_aperture.pages);
}

void vidmm_referee_destroy(struct vidmm_referee *referee) {
    if (!referee)
        return;
    pthread_mutex_lock(&referee->lock);
    vidmm_ledger_calling(referee->ledger, NULL);
    judge_end(referee);
    migration_judge_end(referee);
    dirty_end(referee);
    shadow_reset_all(referee);
    answers_free(&referee->blocks, &referee->answers);
    answers_free(&referee->blocks, &referee->members);
    answers_free(&referee->blocks, &referee->lent.gone);
    guard_free_blocks(&referee->blocks);
    ended_free_memory(&referee->ended);
    free_arrays(referee);
    pthread_mutex_unlock(&referee->lock);
    pthread_mutex_destroy(&referee->reports.lock);
    pthread_mutex_destroy(&referee->lock);
    registry_remove(referee);
    free(referee);
}

void vidmm_referee_set_world(struct vidmm_referee *referee,
                             const struct vidmm_referee_world *world) {
    pthread_mutex_lock(&referee->lock);
    referee->world = *world;
    pthread_mutex_unlock(&referee->lock);
}

void vidmm_referee_wrap_ddi(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    referee->driver = referee->real = *table;
    referee_watch_lent(referee, &referee->real);
    referee->adapter.registered_version = referee->adapter.version = table->Version;
    referee_judge_table(referee, table);
    referee_watch_linked(referee, table);
    referee_watch_query(referee, table);
    referee_watch_device(referee, table);
    referee_watch_allocation(referee, table);
    referee_watch_standard(referee, table);
    referee_watch_render(referee, table);
    referee_watch_build(referee, table);
    referee_watch_submit(referee, table);
    referee_watch_submit_virtual(referee, table);
    referee_watch_process(referee, table);
    referee_watch_preempt(referee, table);
    referee_watch_interrupt(referee, table);
    referee_watch_reset(referee, table);
    referee_watch_power(referee, table);
    referee_watch_services(referee, table);
    referee_watch_swizzle(referee, table);
    referee_watch_context_allocations(referee, table);
    referee_watch_host_aperture(referee, table);
    referee_watch_iommu(referee, table);
    referee_watch_dirty(referee, table);
    referee_watch_migration(referee, table);
    referee_watch_display(referee, table);
    referee_watch_passed(referee, table);
}

/* The device is about to start, or another one's turn: it counts from anew. */
static void device_forget(struct vidmm_referee *referee) {
    descriptors_forget(referee);
    referee->display.paths = referee->display.children = 0;
    referee->reset.drew = false;
    referee->reset.undrawn = referee->reset.faulted_first = 0;
    referee->reset.faulted_work.fence = 0;
    for (uint32_t i = 0; i < SHADOW_NODES; i++)
        if (!referee->node[i].first)
            referee->node[i] = (struct shadow_node){.any = false};
}

void vidmm_referee_other_device(struct vidmm_referee *referee, bool on) {
    pthread_mutex_lock(&referee->lock);
    referee->other_device = on;
    pthread_mutex_unlock(&referee->lock);
}

void vidmm_referee_turn(struct vidmm_referee *referee) {
    pthread_mutex_lock(&referee->lock);
    reports_drain(referee);
    device_forget(referee);
    pthread_mutex_unlock(&referee->lock);
}

void vidmm_referee_wrap_callbacks(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks) {
    referee->callbacks = *callbacks;
    if (!referee->other_device) {
        device_forget(referee);
        callbacks_end(referee);
    }
    referee_watch_callbacks(referee, callbacks);
    referee_watch_interrupt_callbacks(referee, callbacks);
    referee_watch_process_callbacks(referee, callbacks);
    referee_watch_context_callbacks(referee, callbacks);
    referee_watch_context_updates(referee, callbacks);
    referee_watch_iommu_callbacks(referee, callbacks);
}

uint32_t vidmm_referee_faults(struct vidmm_referee *referee) {
    pthread_mutex_lock(&referee->lock);
    reports_drain(referee);
    uint32_t faults = referee->reports.faults;
    pthread_mutex_unlock(&referee->lock);
    return faults;
}

void vidmm_referee_lose_power(struct vidmm_referee *referee) {
    pthread_mutex_lock(&referee->lock);
    referee->power.lost = true;
    pthread_mutex_unlock(&referee->lock);
}

uint32_t vidmm_referee_deaf(struct vidmm_referee *referee) {
    pthread_mutex_lock(&referee->lock);
    uint32_t deaf = referee->reset.deaf;
    pthread_mutex_unlock(&referee->lock);
    return deaf;
}

struct vidmm_faulted_work vidmm_referee_faulted_work(struct vidmm_referee *referee) {
    pthread_mutex_lock(&referee->lock);
    struct vidmm_faulted_work work = referee->reset.faulted_work;
    pthread_mutex_unlock(&referee->lock);
    return work;
}

uint32_t vidmm_referee_faulted_first(struct vidmm_referee *referee) {
    pthread_mutex_lock(&referee->lock);
    reports_drain(referee);
    uint32_t rule = referee->reset.faulted_first;
    pthread_mutex_unlock(&referee->lock);
    return rule;
}

bool vidmm_referee_answer(struct vidmm_referee *referee, HANDLE handle, DXGK_ALLOCATIONINFO *info) {
    pthread_mutex_lock(&referee->lock);
    const struct shadow_allocation *allocation = shadow_allocation(referee, handle);
    if (allocation)
        *info = allocation->info;
    pthread_mutex_unlock(&referee->lock);
    return allocation;
}

void vidmm_referee_look_beside(struct vidmm_referee *referee, bool on) {
    pthread_mutex_lock(&referee->lock);
    referee->beside = on;
    pthread_mutex_unlock(&referee->lock);
}

bool vidmm_referee_oldest(struct vidmm_referee *referee, uint32_t physical, uint32_t node,
                          uint32_t *fence) {
    pthread_mutex_lock(&referee->lock);
    const struct shadow_submission *oldest =
        node < SHADOW_ORDINALS
            ? referee->node[linked_node(linked_index(referee, physical), node)].first
            : NULL;
    *fence = oldest ? oldest->fence : 0;
    pthread_mutex_unlock(&referee->lock);
    return oldest;
}

void vidmm_referee_placed_first(struct vidmm_referee *referee, bool on) {
    pthread_mutex_lock(&referee->lock);
    referee->placed_first = on;
    pthread_mutex_unlock(&referee->lock);
}

void vidmm_referee_short_buffers(struct vidmm_referee *referee, bool on) {
    pthread_mutex_lock(&referee->lock);
    referee->short_buffers = on;
    pthread_mutex_unlock(&referee->lock);
}

void vidmm_referee_completed(struct vidmm_referee *referee, uint32_t physical, uint32_t node,
                             uint32_t fence) {
    pthread_mutex_lock(&referee->lock);
    if (physical < LINKED_MOST)
        submit_completed(referee, linked_node(physical, node), fence);
    pthread_mutex_unlock(&referee->lock);
}

void vidmm_referee_reported(struct vidmm_referee *referee, const struct vidmm_interrupt *report) {
    struct reported reported = {.interrupt = *report};
    pthread_mutex_lock(&referee->lock);
    reports_act(referee, &reported);
    pthread_mutex_unlock(&referee->lock);
}
