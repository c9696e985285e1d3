/*
 * referee.h - one referee: everything that it knows of its adapter, a member a concept. Each
 * member's structure is in the header of its concept.
 *
 * Several referees live in one process, each with its ledger, its lock and its shadows; nothing of
 * the referee lives in file-scope variables but the list of referees itself (registry.h).
 */
#ifndef REFEREE_STATE_REFEREE_H
#define REFEREE_STATE_REFEREE_H

#include <pthread.h>

#include <vidmm/referee.h>

#include "state/answers.h"
#include "state/contexts.h"
#include "state/dirty.h"
#include "state/display.h"
#include "state/ended.h"
#include "state/guard.h"
#include "state/linked.h"
#include "state/migration.h"
#include "state/owners.h"
#include "state/promise.h"
#include "state/queries.h"
#include "state/requests.h"
#include "state/shadow.h"
#include "state/standards.h"
#include "state/tables.h"
#include "state/windows.h"
#include "state/work.h"

struct vidmm_referee {
    uint32_t slot; /* in the registry */
    struct vidmm_ledger *ledger;
    struct vidmm_referee_world world;
    struct vidmm_readings readings;
    bool no_content;
    pthread_mutex_t lock;
    bool beside;        /* vidmm_referee_look_beside */
    bool short_buffers; /* vidmm_referee_short_buffers */
    bool placed_first;  /* vidmm_referee_placed_first */
    bool other_device;  /* vidmm_referee_other_device */
    uint32_t inside[4]; /* threads inside a class of calls, by enum referee_class */

    /* The driver's table, the same with what lends it structures (watch/lent.c), and the system's callbacks;
     * and, of files that watch a call which another file watches too, the tables with that other file's
     * functions. */
    DRIVER_INITIALIZATION_DATA driver, real;
    DXGKRNL_INTERFACE callbacks;
    DRIVER_INITIALIZATION_DATA behind_contexts, behind_iommu;
    DXGKRNL_INTERFACE callbacks_behind_contexts, callbacks_behind_updates, callbacks_behind_iommu;
    PDXGKDDI_BUILDPAGINGBUFFER behind_services;

    struct linked linked;
    struct shadow_adapter adapter;
    struct shadow_node node[SHADOW_NODES];
    struct shadow_objects objects;
    struct queries_segments segments;
    struct queries_caps caps;
    struct queries_iommu iommu;
    struct guard_blocks blocks;
    struct answers answers, members;
    struct {
        struct answers gone;
        uint64_t calls[ANSWERS_FUNCTIONS];
    } lent;
    struct ended_memory ended;
    struct builds builds;
    struct submissions submissions;
    struct shadow_changes changes;
    struct reports reports;
    struct reset reset;
    struct power power;
    struct tables tables;
    struct owners owners;
    struct promise_chance chance;
    struct contexts contexts;
    struct standards standards;
    struct refused_handles refused;
    struct swizzle swizzle;
    struct host_aperture host_aperture;
    struct dirty dirty;
    struct display display;
    struct migration migration;
    struct requests requests;
};

#endif
