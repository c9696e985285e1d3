/*
 * referee.c - the referee's life, and what every watched call has in common: the breadcrumb, the
 * lock, the class of calls that exclude each other; see judge.h.
 */
#include "state/dirty.h"
#include "state/judge.h"
#include "state/work.h"
#include "state/own_memory.h"
#include "service/services.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vidmm_referee *referee;

struct vidmm_referee *vidmm_referee_create(const struct vidmm_referee_config *config) {
    if (referee)
        return NULL;
    struct vidmm_referee *made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    made->ledger = config->ledger;
    made->world = config->world;
    made->readings = config->readings;
    pthread_mutex_init(&made->lock, NULL);
    referee = made;
    return made;
}

void vidmm_referee_destroy(struct vidmm_referee *made) {
    if (!made)
        return;
    pthread_mutex_lock(&made->lock);
    vidmm_ledger_calling(made->ledger, NULL);
    referee_judge_end();
    migration_judge_end();
    dirty_end();
    shadow_reset_all();
    pthread_mutex_unlock(&made->lock);
    pthread_mutex_destroy(&made->lock);
    referee = NULL;
    free(made);
}

void vidmm_referee_set_world(struct vidmm_referee *made, const struct vidmm_referee_world *world) {
    pthread_mutex_lock(&made->lock);
    made->world = *world;
    pthread_mutex_unlock(&made->lock);
}

void vidmm_referee_wrap_ddi(struct vidmm_referee *made, DRIVER_INITIALIZATION_DATA *table) {
    made->real = *table;
    made->adapter.version = table->Version;
    referee_judge_table(table);
    referee_watch_query(table);
    referee_watch_device(table);
    referee_watch_allocation(table);
    referee_watch_build(table);
    referee_watch_submit(table);
    referee_watch_submit_virtual(table);
    referee_watch_process(table);
    referee_watch_preempt(table);
    referee_watch_reset(table);
    referee_watch_services(table);
    referee_watch_swizzle(table);
    referee_watch_context_allocations(table);
    referee_watch_host_aperture(table);
    referee_watch_iommu(table);
    referee_watch_dirty(table);
    referee_watch_migration(table);
}

void vidmm_referee_wrap_callbacks(struct vidmm_referee *made, DXGKRNL_INTERFACE *callbacks) {
    made->callbacks = *callbacks;
    for (uint32_t i = 0; i < SHADOW_NODES; i++) /* a device that starts again counts from anew */
        if (!made->node[i].first)
            made->node[i] = (struct shadow_node){.any = false};
    referee_watch_callbacks(callbacks);
    referee_watch_context_callbacks(callbacks);
    referee_watch_context_updates(callbacks);
    referee_watch_iommu_callbacks(callbacks);
}

void vidmm_referee_completed(struct vidmm_referee *made, uint32_t node, uint32_t fence) {
    pthread_mutex_lock(&made->lock);
    submit_completed(node, fence);
    pthread_mutex_unlock(&made->lock);
}

void vidmm_referee_reported(struct vidmm_referee *made, const struct vidmm_interrupt *report) {
    pthread_mutex_lock(&made->lock);
    callbacks_act(report);
    pthread_mutex_unlock(&made->lock);
}

/* ---- A watched call -------------------------------------------------------------------------- */

void referee_enter(struct referee_call *call, const char *name, enum referee_class class) {
    pthread_mutex_lock(&referee->lock);
    struct vidmm_ledger *ledger = referee->ledger;
    memcpy(call->outer, ledger->calling, sizeof(call->outer));
    call->outer[sizeof(call->outer) - 1] = 0;
    call->class = class;
    call->irql = world_irql();
    call->alone = referee->inside[class]++ == 0;
    ledger->calls++;
    ledger->depth++;
    vidmm_ledger_calling(ledger, name);
}

void referee_leave(struct referee_call *call) {
    (void)call;
    pthread_mutex_unlock(&referee->lock);
}

void referee_return(struct referee_call *call) {
    (void)call;
    pthread_mutex_lock(&referee->lock);
}

void referee_exit(struct referee_call *call) {
    referee->inside[call->class]--;
    referee->ledger->depth--;
    vidmm_ledger_calling(referee->ledger, call->outer);
    pthread_mutex_unlock(&referee->lock);
}
