/* tracking.c - a hash table of what is not given back; see tracking.h. */
#include "base/tracking.h"

#include <stdlib.h>

#include "base/world.h"

#define BUCKETS 8192u

struct host_made {
    struct host_made *next;
    enum host_tracked kind;
    const void *thing;
    uint64_t number; /* in the order of making */
    struct host_trace trace;
};

void host_tracking_init(struct host_tracking *tracking,
                        uint32_t (*walk)(uint64_t *frame, uint32_t most)) {
    pthread_mutex_init(&tracking->lock, NULL);
    tracking->bucket = walk ? calloc(BUCKETS, sizeof(struct host_made *)) : NULL;
    tracking->walk = tracking->bucket ? walk : NULL;
}

void host_tracking_done(struct host_tracking *tracking) {
    for (uint32_t i = 0; tracking->bucket && i < BUCKETS; i++)
        while (tracking->bucket[i]) {
            struct host_made *made = tracking->bucket[i];
            tracking->bucket[i] = made->next;
            free(made);
        }
    free(tracking->bucket);
    pthread_mutex_destroy(&tracking->lock);
}

static struct host_made **bucket_of(const void *thing) {
    uint64_t hash = (uintptr_t)thing * UINT64_C(0x9e3779b97f4a7c15);
    return &host_world->tracking.bucket[hash >> 32 & (BUCKETS - 1)];
}

/* With the lock held: out of its bucket, or NULL. */
static struct host_made *take_out(enum host_tracked kind, const void *thing) {
    struct host_made **link = bucket_of(thing), *made;
    while ((made = *link) && (made->kind != kind || made->thing != thing))
        link = &made->next;
    if (made)
        *link = made->next;
    return made;
}

void host_track(enum host_tracked kind, const void *thing) {
    struct host_tracking *tracking = &host_world->tracking;
    struct host_trace trace = {.count = 0};
    if (!tracking->walk)
        return;
    trace.count = tracking->walk(trace.frame, HOST_TRACE_MOST);
    if (trace.count == 0) /* none of the driver's */
        return;
    pthread_mutex_lock(&tracking->lock);
    struct host_made *made = take_out(kind, thing), **bucket = bucket_of(thing);
    if (!made)
        made = malloc(sizeof(*made));
    if (made) {
        *made = (struct host_made){*bucket, kind, thing, ++tracking->made, trace};
        *bucket = made;
    }
    pthread_mutex_unlock(&tracking->lock);
}

void host_untrack(enum host_tracked kind, const void *thing) {
    struct host_tracking *tracking = &host_world->tracking;
    if (!tracking->walk)
        return;
    pthread_mutex_lock(&tracking->lock);
    free(take_out(kind, thing));
    pthread_mutex_unlock(&tracking->lock);
}

struct host_trace host_tracked_oldest(enum host_tracked kind) {
    struct host_tracking *tracking = &host_world->tracking;
    struct host_trace trace = {.count = 0};
    uint64_t oldest = UINT64_MAX;
    pthread_mutex_lock(&tracking->lock);
    for (uint32_t i = 0; tracking->walk && i < BUCKETS; i++)
        for (const struct host_made *made = tracking->bucket[i]; made; made = made->next)
            if (made->kind == kind && made->number < oldest) {
                oldest = made->number;
                trace = made->trace;
            }
    pthread_mutex_unlock(&tracking->lock);
    return trace;
}
