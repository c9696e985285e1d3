/* pool_frames.c - slots and runs of pages for nonpaged pool; see pool_frames.h. */
#include "memory/pool_frames.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "memory/physical.h"

#define SMALLEST 64u
#define NONE     UINT64_MAX
/* A free run of at least so many pages is returned to the system. */
#define WORTH_GIVING 64u

bool host_pool_frames_init(struct host_pool_frames *frames, uint8_t *base, uint64_t bytes) {
    frames->base = base;
    frames->pages = bytes / HOST_PAGE;
    frames->used = calloc(frames->pages / 64 + 1, sizeof(*frames->used));
    if (!frames->used)
        return false;
    pthread_mutex_init(&frames->lock, NULL);
    return true;
}

void host_pool_frames_done(struct host_pool_frames *frames) {
    if (!frames->used)
        return;
    for (uint32_t i = 0; i < HOST_POOL_SLOT_SIZES; i++)
        free(frames->slots[i].free);
    free(frames->used);
    frames->used = NULL;
    pthread_mutex_destroy(&frames->lock);
}

/* ---- Pages ----------------------------------------------------------------------------------- */

static bool is_used(const struct host_pool_frames *frames, uint64_t page) {
    return (frames->used[page / 64] >> (page % 64) & 1) != 0;
}

static void frames_mark(struct host_pool_frames *frames, uint64_t page, uint64_t count, bool used) {
    for (uint64_t p = page; p < page + count; p++)
        if (used)
            frames->used[p / 64] |= (uint64_t)1 << (p % 64);
        else
            frames->used[p / 64] &= ~((uint64_t)1 << (p % 64));
}

/* The first run of free pages between `from` and `end`, or NONE. */
static uint64_t find_run(const struct host_pool_frames *frames, uint64_t count, uint64_t from,
                         uint64_t end) {
    uint64_t length = 0;
    for (uint64_t page = from; page < end; page++) {
        length = is_used(frames, page) ? 0 : length + 1;
        if (length == count)
            return page + 1 - count;
    }
    return NONE;
}

static uint64_t take_pages(struct host_pool_frames *frames, uint64_t count) {
    uint64_t page = find_run(frames, count, frames->next, frames->pages);
    if (page == NONE)
        page = find_run(frames, count, 0, frames->pages);
    if (page == NONE)
        return NONE;
    frames_mark(frames, page, count, true);
    frames->next = page + count;
    return page;
}

static void give_pages(struct host_pool_frames *frames, uint64_t page, uint64_t count) {
    frames_mark(frames, page, count, false);
    if (page < frames->next)
        frames->next = page;
    if (count >= WORTH_GIVING)
        madvise(frames->base + page * HOST_PAGE, count * HOST_PAGE, MADV_REMOVE);
}

/* ---- Slots ----------------------------------------------------------------------------------- */

static uint32_t slot_class(size_t bytes) {
    uint32_t class = 0;
    while ((size_t)SMALLEST << class < bytes)
        class ++;
    return class;
}

/* Room for one free slot more. */
static bool make_room(struct host_pool_slots *slots, uint32_t more) {
    if (slots->room - slots->count >= more)
        return true;
    uint32_t room = slots->room * 2 + more;
    uint32_t *wider = realloc(slots->free, room * sizeof(*wider));
    if (!wider)
        return false;
    slots->free = wider;
    slots->room = room;
    return true;
}

/* A page of slots, of which the lowest is used first. */
static bool frames_refill(struct host_pool_frames *frames, uint32_t class) {
    struct host_pool_slots *slots = &frames->slots[class];
    uint32_t pieces = 1u << class, fit = HOST_PAGE / SMALLEST / pieces;
    uint64_t page = make_room(slots, fit) ? take_pages(frames, 1) : NONE;
    if (page == NONE)
        return false;
    for (uint32_t i = fit; i-- > 0;)
        slots->free[slots->count++] = (uint32_t)(page * (HOST_PAGE / SMALLEST)) + i * pieces;
    return true;
}

static void *take_slot(struct host_pool_frames *frames, uint32_t class) {
    struct host_pool_slots *slots = &frames->slots[class];
    if (slots->count == 0 && !frames_refill(frames, class))
        return NULL;
    return frames->base + (uint64_t)slots->free[--slots->count] * SMALLEST;
}

/* ---- Both ------------------------------------------------------------------------------------ */

void *host_pool_frames_take(struct host_pool_frames *frames, size_t bytes) {
    void *memory = NULL;
    pthread_mutex_lock(&frames->lock);
    if (bytes <= HOST_PAGE) {
        memory = take_slot(frames, slot_class(bytes));
    } else if (bytes <= frames->pages * HOST_PAGE) {
        uint64_t page = take_pages(frames, (bytes + HOST_PAGE - 1) / HOST_PAGE);
        memory = page != NONE ? frames->base + page * HOST_PAGE : NULL;
    }
    pthread_mutex_unlock(&frames->lock);
    return memory;
}

/* Without memory to record a free slot it stays in use. */
void host_pool_frames_give(struct host_pool_frames *frames, void *memory, size_t bytes) {
    uint64_t offset = (uint64_t)((uint8_t *)memory - frames->base);
    pthread_mutex_lock(&frames->lock);
    if (bytes > HOST_PAGE) {
        give_pages(frames, offset / HOST_PAGE, (bytes + HOST_PAGE - 1) / HOST_PAGE);
    } else {
        struct host_pool_slots *slots = &frames->slots[slot_class(bytes)];
        if (make_room(slots, 1))
            slots->free[slots->count++] = (uint32_t)(offset / SMALLEST);
    }
    pthread_mutex_unlock(&frames->lock);
}
