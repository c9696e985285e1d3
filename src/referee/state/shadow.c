/* shadow.c - the objects of shadow.h, found by handle and kind; segments found by id and address.
 */
#include "state/judge.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash(enum shadow_kind kind, HANDLE handle) {
    uint64_t h = ((uint64_t)(uintptr_t)handle >> 3 ^ (uint64_t)kind << 56) * 0x9fb21c651e98df25u;
    return (uint32_t)(h >> 54) % SHADOW_BUCKETS;
}

struct shadow_object *shadow_find(struct vidmm_referee *referee, enum shadow_kind kind,
                                  HANDLE handle) {
    struct shadow_object *object = referee->objects.bucket[hash(kind, handle)];
    while (object && (object->handle != handle || object->kind != (uint8_t)kind))
        object = object->next;
    return object;
}

struct shadow_object *shadow_find_opened(struct vidmm_referee *referee, HANDLE device,
                                         HANDLE handle) {
    struct shadow_object *object = referee->objects.bucket[hash(SHADOW_OPENED, handle)];
    while (object &&
           (object->handle != handle || object->kind != SHADOW_OPENED || object->device != device))
        object = object->next;
    return object;
}

struct shadow_object *shadow_add(struct vidmm_referee *referee, enum shadow_kind kind,
                                 HANDLE handle) {
    struct shadow_object *object = calloc(1, sizeof(*object));
    if (!object)
        return NULL;
    uint32_t at = hash(kind, handle);
    object->handle = handle;
    object->kind = (uint8_t)kind;
    object->next = referee->objects.bucket[at];
    referee->objects.bucket[at] = object;
    return object;
}

void shadow_remove(struct vidmm_referee *referee, struct shadow_object *object) {
    struct shadow_object **link =
        &referee->objects.bucket[hash((enum shadow_kind)object->kind, object->handle)];
    while (*link != object)
        link = &(*link)->next;
    *link = object->next;
    free(object);
}

struct shadow_object *shadow_each(struct vidmm_referee *referee, enum shadow_kind kind,
                                  const struct shadow_object *after) {
    uint32_t at = !after ? 0 : hash((enum shadow_kind)after->kind, after->handle);
    struct shadow_object *object = !after ? referee->objects.bucket[0] : after->next;
    for (;;) {
        while (object && object->kind != (uint8_t)kind)
            object = object->next;
        if (object || ++at == SHADOW_BUCKETS)
            return object;
        object = referee->objects.bucket[at];
    }
}

void shadow_reset_all(struct vidmm_referee *referee) {
    for (uint32_t i = 0; i < SHADOW_BUCKETS; i++) {
        while (referee->objects.bucket[i])
            shadow_remove(referee, referee->objects.bucket[i]);
    }
    for (uint32_t i = 0; i < SHADOW_SEGMENTS; i++) {
        free(referee->adapter.segment[i].invalid);
        free(referee->adapter.segment[i].pages);
    }
    memset(&referee->adapter, 0, sizeof(referee->adapter));
}

struct shadow_object *shadow_allocation(struct vidmm_referee *referee, HANDLE handle) {
    return handle ? shadow_find(referee, SHADOW_ALLOCATION, handle) : NULL;
}
