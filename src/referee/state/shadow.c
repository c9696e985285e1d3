/*
 * shadow.c - the objects of shadow.h by kind and handle, and the places of allocations.
 */
#include <stdlib.h>
#include <string.h>

#include "state/judge.h"

#define FIRST_BUCKETS 64u

/* ---- Objects of a kind ----------------------------------------------------------------------- */

static struct shadow_head **shadow_list_bucket(const struct shadow_list *list, HANDLE handle) {
    uint64_t hash = ((uint64_t)(uintptr_t)handle >> 3) * UINT64_C(0x9fb21c651e98df25);
    return &list->bucket[(hash >> 32) & (list->buckets - 1)];
}

/* The newest with the handle. */
static struct shadow_head *shadow_list_find(const struct shadow_list *list, HANDLE handle) {
    struct shadow_head *head = list->buckets != 0 ? *shadow_list_bucket(list, handle) : NULL;
    while (head && head->handle != handle)
        head = head->chain;
    return head;
}

static void shadow_list_chain(struct shadow_list *list, struct shadow_head *head) {
    struct shadow_head **bucket = shadow_list_bucket(list, head->handle);
    head->chain = *bucket;
    *bucket = head;
}

/* Twice as many buckets; without memory for them the old ones serve on. False: there are none. */
static bool shadow_list_grow(struct shadow_list *list) {
    uint32_t buckets = list->buckets != 0 ? list->buckets * 2 : FIRST_BUCKETS;
    struct shadow_head **bucket = calloc(buckets, sizeof(struct shadow_head *));
    if (!bucket)
        return list->buckets != 0;
    free(list->bucket);
    list->bucket = bucket;
    list->buckets = buckets;
    for (struct shadow_head *head = list->first; head; head = head->after)
        shadow_list_chain(list, head);
    return true;
}

static void *shadow_list_add(struct shadow_list *list, size_t size, HANDLE handle) {
    struct shadow_head *head = calloc(1, size);
    if (!head || (list->count == list->buckets && !shadow_list_grow(list))) {
        free(head);
        return NULL;
    }
    head->handle = handle;
    head->before = list->last;
    if (list->last)
        list->last->after = head;
    else
        list->first = head;
    list->last = head;
    list->count++;
    shadow_list_chain(list, head);
    return head;
}

static void shadow_list_remove(struct shadow_list *list, struct shadow_head *head) {
    struct shadow_head **link = shadow_list_bucket(list, head->handle);
    while (*link != head)
        link = &(*link)->chain;
    *link = head->chain;
    *(head->before ? &head->before->after : &list->first) = head->after;
    *(head->after ? &head->after->before : &list->last) = head->before;
    list->count--;
    free(head);
}

static void shadow_list_free(struct shadow_list *list) {
    while (list->first)
        shadow_list_remove(list, list->first);
    free(list->bucket);
    memset(list, 0, sizeof(*list));
}

/* `gone` is called before an object is removed. */
#define SHADOW_KIND(kind, gone)                                                                    \
    struct shadow_##kind *shadow_##kind(struct vidmm_referee *referee, HANDLE handle) {            \
        return (struct shadow_##kind *)shadow_list_find(&referee->objects.kind, handle);           \
    }                                                                                              \
    struct shadow_##kind *shadow_add_##kind(struct vidmm_referee *referee, HANDLE handle) {        \
        return shadow_list_add(&referee->objects.kind, sizeof(struct shadow_##kind), handle);      \
    }                                                                                              \
    void shadow_remove_##kind(struct vidmm_referee *referee, struct shadow_##kind *kind) {         \
        gone(referee, kind);                                                                       \
        shadow_list_remove(&referee->objects.kind, &kind->head);                                   \
    }                                                                                              \
    struct shadow_##kind *shadow_next_##kind(struct vidmm_referee *referee,                        \
                                             const struct shadow_##kind *after) {                  \
        struct shadow_head *next = after ? after->head.after : referee->objects.kind.first;        \
        return (struct shadow_##kind *)next;                                                       \
    }
#define NOTHING(referee, object) ((void)0)

SHADOW_KIND(device, NOTHING)
SHADOW_KIND(context, NOTHING)
SHADOW_KIND(resource, NOTHING)
SHADOW_KIND(allocation, shadow_displace)
SHADOW_KIND(opened, NOTHING)

struct shadow_opened *shadow_find_opened(struct vidmm_referee *referee, HANDLE device,
                                         HANDLE handle) {
    struct shadow_opened *opened = shadow_opened(referee, handle);
    while (opened && (opened->head.handle != handle || opened->device != device))
        opened = (struct shadow_opened *)opened->head.chain;
    return opened;
}

/* ---- Places ---------------------------------------------------------------------------------- */

uint64_t shadow_pitch_size(const struct shadow_allocation *allocation) {
    uint64_t pitch = allocation->info.PitchAlignedSize;
    pitch = (pitch + SHADOW_PAGE - 1) / SHADOW_PAGE * SHADOW_PAGE;
    return pitch > allocation->size ? pitch : allocation->size;
}

void shadow_displace(struct vidmm_referee *referee, struct shadow_allocation *allocation) {
    if (allocation->placed)
        interval_remove(&referee->objects.places[allocation->segment - 1], &allocation->place);
    allocation->placed = false;
}

void shadow_place(struct vidmm_referee *referee, struct shadow_allocation *allocation, uint32_t id,
                  uint64_t offset) {
    shadow_displace(referee, allocation);
    if (id == 0 || id > SHADOW_SEGMENTS)
        return;
    allocation->placed = allocation->placed_before = true;
    allocation->segment = id;
    allocation->offset = offset;
    interval_add(&referee->objects.places[id - 1], &allocation->place, offset,
                 offset + shadow_pitch_size(allocation));
}

const struct shadow_allocation *shadow_neighbour(struct vidmm_referee *referee,
                                                 const struct shadow_allocation *allocation,
                                                 uint32_t id, uint64_t start, bool pitch) {
    const struct interval_index *places = &referee->objects.places[id - 1];
    uint64_t end = start + (pitch ? shadow_pitch_size(allocation) : allocation->size);
    struct interval *at = interval_meets(places, start, end, NULL);
    for (; at; at = interval_meets(places, start, end, at)) {
        const struct shadow_allocation *other =
            (const struct shadow_allocation *)((const char *)at -
                                               offsetof(struct shadow_allocation, place));
        uint64_t size = pitch ? shadow_pitch_size(other) : other->size;
        if (other != allocation && start < other->offset + size)
            return other;
    }
    return NULL;
}

void shadow_reset_all(struct vidmm_referee *referee) {
    struct shadow_objects *objects = &referee->objects;
    shadow_list_free(&objects->device);
    shadow_list_free(&objects->context);
    shadow_list_free(&objects->resource);
    shadow_list_free(&objects->allocation);
    shadow_list_free(&objects->opened);
    memset(objects->places, 0, sizeof(objects->places));
    for (uint32_t i = 0; i < SHADOW_SEGMENTS; i++) {
        free(referee->adapter.segment[i].invalid);
        free(referee->adapter.segment[i].pages);
    }
    memset(&referee->adapter, 0, sizeof(referee->adapter));
}
