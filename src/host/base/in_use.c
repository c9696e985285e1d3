/* in_use.c - the list of in_use.h, by address. A process has one host at a time. */
#include "base/in_use.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/world.h"

#define FIRST_ROOM 16u

struct used {
    uintptr_t object;
    enum host_in_use kind;
    void (*take_out)(const void *object);
};

static pthread_mutex_t in_use_lock = PTHREAD_MUTEX_INITIALIZER;
static struct used *in_use_list;
static uint32_t in_use_count, in_use_room;

static const struct {
    const char *object, *end;
} in_use_names[] = {
    [HOST_IN_USE_RESOURCE] = {"an executive resource", "ExDeleteResourceLite"},
    [HOST_IN_USE_LOOKASIDE] = {"a lookaside list", "ExDelete...LookasideList"},
    [HOST_IN_USE_TIMER] = {"a timer that is set", "KeCancelTimer"},
};

/* The first that is not before `address`. */
static uint32_t in_use_at(uintptr_t address) {
    uint32_t low = 0, high = in_use_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (in_use_list[middle].object < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Room for one more; without memory for it the object is not watched. */
static bool in_use_grow(void) {
    uint32_t room = in_use_room != 0 ? 2 * in_use_room : FIRST_ROOM;
    if (in_use_count < in_use_room)
        return true;
    struct used *list = realloc(in_use_list, room * sizeof(*list));
    if (!list)
        return false;
    in_use_list = list;
    in_use_room = room;
    return true;
}

void host_in_use(enum host_in_use kind, const void *object, void (*take_out)(const void *object)) {
    const struct used used = {(uintptr_t)object, kind, take_out};
    pthread_mutex_lock(&in_use_lock);
    uint32_t at = in_use_at((uintptr_t)object);
    bool there = at < in_use_count && in_use_list[at].object == (uintptr_t)object;
    if (there) {
        in_use_list[at] = used;
    } else if (in_use_grow()) {
        memmove(in_use_list + at + 1, in_use_list + at, (in_use_count - at) * sizeof(*in_use_list));
        in_use_list[at] = used;
        in_use_count++;
    }
    pthread_mutex_unlock(&in_use_lock);
}

/* Under the lock. */
static void in_use_remove(uint32_t at) {
    in_use_count--;
    memmove(in_use_list + at, in_use_list + at + 1, (in_use_count - at) * sizeof(*in_use_list));
}

void host_in_use_end(const void *object) {
    pthread_mutex_lock(&in_use_lock);
    uint32_t at = in_use_at((uintptr_t)object);
    if (at < in_use_count && in_use_list[at].object == (uintptr_t)object)
        in_use_remove(at);
    pthread_mutex_unlock(&in_use_lock);
}

/* The first object in the memory, which is in the list no more; `object` 0: there is none. */
static struct used in_use_take(const void *memory, size_t bytes) {
    struct used used = {0};
    pthread_mutex_lock(&in_use_lock);
    uint32_t at = in_use_at((uintptr_t)memory);
    if (at < in_use_count && in_use_list[at].object - (uintptr_t)memory < bytes) {
        used = in_use_list[at];
        in_use_remove(at);
    }
    pthread_mutex_unlock(&in_use_lock);
    return used;
}

void host_in_use_freed(const void *memory, size_t bytes, const char *what) {
    for (struct used used = in_use_take(memory, bytes); used.object != 0;
         used = in_use_take(memory, bytes)) {
        host_violation("%s lies in %s that the driver freed: %s comes before",
                       in_use_names[used.kind].object, what, in_use_names[used.kind].end);
        if (used.take_out)
            used.take_out((const void *)used.object);
    }
}

uint32_t host_in_use_left(enum host_in_use kind) {
    uint32_t left = 0;
    pthread_mutex_lock(&in_use_lock);
    for (uint32_t i = 0; i < in_use_count; i++)
        left += in_use_list[i].kind == kind;
    pthread_mutex_unlock(&in_use_lock);
    return left;
}

void host_in_use_forget(void) {
    pthread_mutex_lock(&in_use_lock);
    free(in_use_list);
    in_use_list = NULL;
    in_use_count = in_use_room = 0;
    pthread_mutex_unlock(&in_use_lock);
}
