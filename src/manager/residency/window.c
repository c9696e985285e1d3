/*
 * window.c - see window.h.
 *
 * A range begins or ends at a resident that has left, or where the free bytes around one begin or
 * end: any other range can be moved there without another resident in it. Which of them are free is
 * for the placer to say.
 */
#include "residency/window.h"

#include "object/allocation.h"

/* A resident that has left, and what it is worth that it stays. */
struct part {
    uint64_t start, end; /* bytes of the segment */
    uint64_t worth;
};

struct window {
    struct part parts[WINDOW_PARTS];
    uint32_t count;
    struct segment *segment;
    uint64_t size, alignment; /* bytes */
    uint64_t at;              /* the best range begins here */
    uint64_t worth;           /* of what it takes */
};

bool window_serves(const struct segment *segment, const struct segment_request *request) {
    return segment_is_memory(segment) && segment->banks == 0 && !request->scattered &&
           !request->floating && !request->overlay && !request->from_end && !request->in_vpr &&
           request->large == 0;
}

/* What a range of the window's size that begins at `start` takes. */
static uint64_t window_worth(const struct window *window, uint64_t start) {
    uint64_t worth = 0, end = start + window->size;
    for (uint32_t i = 0; i < window->count; i++) {
        const struct part *part = &window->parts[i];
        if (part->start >= end || part->end <= start)
            continue;
        worth = part->worth > UINT64_MAX - worth ? UINT64_MAX : worth + part->worth;
    }
    return worth;
}

/* `near` is where a resident was that has left. */
static void window_try(struct window *window, uint64_t start, uint64_t near) {
    if (!placer_is_free_at(&window->segment->placer, start, window->size, near))
        return;
    uint64_t worth = window_worth(window, start);
    if (worth >= window->worth)
        return;
    window->at = start;
    window->worth = worth;
}

/* From the next aligned offset on, and up to the last one that leaves room before `offset`. */
static void window_try_at(struct window *window, uint64_t offset, uint64_t near) {
    uint64_t alignment = window->alignment;
    uint64_t up = (offset + alignment - 1) / alignment * alignment;
    window_try(window, up, near);
    if (offset >= window->size)
        window_try(window, (offset - window->size) / alignment * alignment, near);
}

/* Where ranges begin or end that the resident which has left gave way to. */
static void window_try_part(struct window *window, const struct part *part) {
    uint64_t end, start = placer_hole(&window->segment->placer, part->start, &end);
    window_try_at(window, start, part->start);
    window_try_at(window, end, part->start);
    window_try_at(window, part->start, part->start);
    window_try_at(window, part->end, part->start);
}

static void window_fill(struct window *window, const struct plan *plan, uint32_t first) {
    for (uint32_t i = first; i < plan->move_count && window->count < WINDOW_PARTS; i++) {
        const struct move *move = &plan->moves[i];
        const struct vidmm_allocation *allocation = move->allocation;
        if (!allocation || move->from != window->segment || allocation->segment)
            continue;
        window->parts[window->count++] = (struct part){
            .start = move->old.offset,
            .end = move->old.offset + move->old.size,
            .worth = allocation->offered
                         ? 0
                         : resident_worth(&plan->adapter->policy, &allocation->resident),
        };
    }
}

void window_choose(const struct plan *plan, uint32_t first, struct segment *segment,
                   const struct segment_request *request, struct placement *place) {
    struct window window = {.segment = segment,
                            .size = place->size,
                            .alignment = request->alignment ? request->alignment : 1,
                            .at = place->offset};
    uint64_t found = place->offset;
    window_fill(&window, plan, first);
    segment_vacate(segment, place);
    window.worth = window_worth(&window, found);
    for (uint32_t i = 0; i < window.count; i++)
        window_try_part(&window, &window.parts[i]);
    place->offset = window.at;
    if (segment_retake(segment, place) == PLACER_OK)
        return;
    place->offset = found; /* no memory for a new range, but for the one that was given back */
    (void)segment_retake(segment, place);
}
