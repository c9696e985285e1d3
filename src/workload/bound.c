/*
 * bound.c - what nobody could beat: how many bytes a workload has to move into VRAM, by whoever
 * knows the future (Belady's rule: what is needed last leaves first).
 *
 * Each submission references whole allocations, of which only those count that prefer GPU memory. A byte that is referenced and does not lie in VRAM
 * costs one byte, paged in or read where it lies, the first reference included: fresh memory is
 * filled. Pages alone: any part of an allocation may leave at any time, at no cost, and a submission
 * needs nothing at the same time as anything else; both only make it cheaper, so that no run of the
 * same workload moves less. Whole allocations: they come and leave whole, and what a submission
 * references stays until it is done; one that finds no room is read where it lies. No run is held
 * to that: it is what a good one can reach.
 */
#include <vidmm/workload.h>

#include <stdlib.h>

#include <vidmm/umd.h>

#define BOUND_PAGE  4096u
#define NEVER       SIZE_MAX
#define BOUND_LOCAL (VIDMM_UMD_LOCAL | VIDMM_UMD_LOCAL_ONLY)

/* One allocation. */
struct bound_item {
    uint64_t size, resident; /* bytes */
    size_t next;             /* list position of its next reference; NEVER: none */
    uint32_t heap;           /* index + 1 in the heap; 0: not in it */
    size_t stamp;            /* submission that referenced it last */
};

/* All of them that have bytes in VRAM, the one that is needed last on top. */
struct bound {
    struct bound_item *items;
    uint32_t *heap, count;
    size_t *next; /* of each list position: the next one of the same allocation */
    uint64_t used, capacity, moved, referenced;
};

enum bound_rule { BOUND_PAGES, BOUND_WHOLE, BOUND_FIRST };

/* ---- The heap --------------------------------------------------------------------------------- */

static bool bound_later(const struct bound *bound, uint32_t a, uint32_t b) {
    const struct bound_item *x = &bound->items[a], *y = &bound->items[b];
    return x->next != y->next ? x->next > y->next : a < b;
}

static void bound_put(struct bound *bound, uint32_t at, uint32_t item) {
    bound->heap[at] = item;
    bound->items[item].heap = at + 1;
}

static void bound_up(struct bound *bound, uint32_t at) {
    uint32_t item = bound->heap[at];
    for (; at > 0 && bound_later(bound, item, bound->heap[(at - 1) / 2]); at = (at - 1) / 2)
        bound_put(bound, at, bound->heap[(at - 1) / 2]);
    bound_put(bound, at, item);
}

static void bound_down(struct bound *bound, uint32_t at) {
    uint32_t item = bound->heap[at];
    for (uint32_t child; (child = 2 * at + 1) < bound->count; at = child) {
        if (child + 1 < bound->count &&
            bound_later(bound, bound->heap[child + 1], bound->heap[child]))
            child++;
        if (!bound_later(bound, bound->heap[child], item))
            break;
        bound_put(bound, at, bound->heap[child]);
    }
    bound_put(bound, at, item);
}

static void bound_insert(struct bound *bound, uint32_t item) {
    bound_put(bound, bound->count++, item);
    bound_up(bound, bound->count - 1);
}

static void bound_drop(struct bound *bound, uint32_t item) {
    uint32_t at = bound->items[item].heap;
    bound->used -= bound->items[item].resident;
    bound->items[item].resident = 0;
    if (at == 0)
        return;
    bound->items[item].heap = 0;
    uint32_t last = bound->heap[--bound->count];
    if (last == item)
        return;
    bound_put(bound, at - 1, last);
    bound_up(bound, at - 1);
    bound_down(bound, bound->items[last].heap - 1);
}

/* ---- The two rules ---------------------------------------------------------------------------- */

/* Its next reference is another one now, which is later. */
static void bound_needed(struct bound *bound, uint32_t index, size_t next) {
    struct bound_item *item = &bound->items[index];
    item->next = next;
    if (item->heap != 0)
        bound_up(bound, item->heap - 1);
}

/* All of it comes in; parts of what is needed last leave, be it of this one. */
static void bound_pages(struct bound *bound, uint32_t index) {
    struct bound_item *item = &bound->items[index];
    uint64_t missing = item->size - item->resident;
    bound->moved += missing;
    bound->used += missing;
    item->resident = item->size;
    if (item->heap == 0)
        bound_insert(bound, index);
    while (bound->used > bound->capacity) {
        struct bound_item *last = &bound->items[bound->heap[0]];
        uint64_t excess = bound->used - bound->capacity;
        if (last->resident <= excess) {
            bound_drop(bound, bound->heap[0]);
        } else {
            last->resident -= excess;
            bound->used -= excess;
        }
    }
}

/* It comes in when what this submission does not reference, and is needed later, makes room. */
static void bound_whole(struct bound *bound, uint32_t index, size_t stamp) {
    struct bound_item *item = &bound->items[index];
    if (item->resident != 0)
        return;
    bound->moved += item->size;
    while (bound->count && bound->used + item->size > bound->capacity) {
        const struct bound_item *last = &bound->items[bound->heap[0]];
        if (last->stamp == stamp || last->next < item->next)
            break;
        bound_drop(bound, bound->heap[0]);
    }
    if (bound->used + item->size > bound->capacity)
        return;
    item->resident = item->size;
    bound->used += item->size;
    bound_insert(bound, index);
}

/* Where everything fits nothing leaves, and what is moved is what is referenced for the first time. */
static void bound_first(struct bound *bound, uint32_t index) {
    struct bound_item *item = &bound->items[index];
    uint64_t missing = item->size - item->resident;
    bound->moved += missing;
    bound->used += missing;
    item->resident = item->size;
}

/* ---- Playing ---------------------------------------------------------------------------------- */

static void bound_submit(struct bound *bound, const struct vidmm_workload *workload, size_t at,
                         enum bound_rule rule) {
    const struct vidmm_event *event = &workload->events[at];
    size_t end = (size_t)event->first + event->reads + event->writes;
    for (size_t i = event->first; i < end; i++) {
        uint32_t index = workload->lists[i];
        struct bound_item *item = &bound->items[index];
        if (rule != BOUND_FIRST)
            bound_needed(bound, index, bound->next[i]);
        if (item->size == 0 || item->stamp == at + 1)
            continue;
        item->stamp = at + 1;
        bound->referenced += item->size;
        if (rule == BOUND_FIRST)
            bound_first(bound, index);
        else if (rule == BOUND_WHOLE)
            bound_whole(bound, index, at + 1);
        else
            bound_pages(bound, index);
    }
}

/* Where each reference's allocation is referenced next. */
static void bound_look_ahead(struct bound *bound, const struct vidmm_workload *workload,
                             size_t events) {
    for (uint32_t i = 0; i < workload->allocation_count; i++)
        bound->items[i].next = NEVER;
    for (size_t e = events; e-- > 0;) {
        const struct vidmm_event *event = &workload->events[e];
        if (event->kind != VIDMM_EVENT_SUBMIT)
            continue;
        for (size_t i = (size_t)event->first + event->reads + event->writes; i-- > event->first;) {
            struct bound_item *item = &bound->items[workload->lists[i]];
            bound->next[i] = item->next;
            item->next = i;
        }
    }
}

static uint64_t bound_play(struct bound *bound, const struct vidmm_workload *workload,
                           size_t events, enum bound_rule rule) {
    bound->count = 0;
    bound->used = bound->moved = bound->referenced = 0;
    for (uint32_t i = 0; i < workload->allocation_count; i++)
        bound->items[i] = (struct bound_item){0};
    for (size_t e = 0; e < events; e++) {
        const struct vidmm_event *event = &workload->events[e];
        if (event->kind == VIDMM_EVENT_ALLOC && event->umd_flags & BOUND_LOCAL)
            bound->items[event->allocation].size =
                (event->size + BOUND_PAGE - 1) / BOUND_PAGE * BOUND_PAGE;
        if (event->kind == VIDMM_EVENT_FREE) {
            bound_drop(bound, event->allocation);
            bound->items[event->allocation].size = 0;
        }
        if (event->kind == VIDMM_EVENT_SUBMIT)
            bound_submit(bound, workload, e, rule);
    }
    return bound->moved;
}

static void bound_rules(struct bound *bound, const struct vidmm_workload *workload, size_t events,
                        struct vidmm_bound *out) {
    out->first = out->pages = out->whole = bound_play(bound, workload, events, BOUND_FIRST);
    out->referenced = bound->referenced;
    if (workload->peak_live_bytes <= bound->capacity)
        return;
    bound_look_ahead(bound, workload, events);
    out->pages = bound_play(bound, workload, events, BOUND_PAGES);
    out->whole = bound_play(bound, workload, events, BOUND_WHOLE);
}

bool vidmm_workload_bound(const struct vidmm_workload *workload, uint64_t capacity,
                          uint64_t frame_limit, struct vidmm_bound *out) {
    size_t events = workload->event_count;
    if (frame_limit && events)
        events = (size_t)vidmm_play_last_event(workload, frame_limit) + 1;
    struct bound bound = {.capacity = capacity};
    *out = (struct vidmm_bound){0};
    bound.items = calloc((size_t)workload->allocation_count + 1, sizeof(*bound.items));
    bound.heap = calloc((size_t)workload->allocation_count + 1, sizeof(*bound.heap));
    bound.next = calloc(workload->list_count + 1, sizeof(*bound.next));
    bool good = bound.items && bound.heap && bound.next;
    if (good)
        bound_rules(&bound, workload, events, out);
    free(bound.items);
    free(bound.heap);
    free(bound.next);
    return good;
}
