/*
 * generate_address_churn.c - allocations with many short-lived GPU addresses.
 *
 * A heap of buffers, each of which has several views at a time, of all of it or of a part. In every
 * frame views end and new ones begin, often at the address of an ended one, so that a TLB entry
 * that was not flushed is wrong; buffers are freed before their views end and are allocated again.
 * Without GPU virtual addresses only the buffers remain.
 */
#include "generator.h"

#define TILE    VIDMM_TILE_BYTES
#define FRAMES  80
#define BUFFERS 24
#define VIEWS   40
#define CHANGES 8 /* of views, a frame */

struct buffer {
    uint32_t allocation;
    uint64_t tiles;
};

struct view {
    uint32_t range, buffer;
    bool live;
};

struct heap {
    struct generator generator;
    struct buffer buffers[BUFFERS];
    struct view views[VIEWS];
    uint32_t ended; /* a range that was released, or VIDMM_EVENT_NOTHING */
};

static void make_buffer(struct heap *heap, uint32_t which) {
    struct generator *generator = &heap->generator;
    struct buffer *buffer = &heap->buffers[which];
    uint32_t flags = which % 4 == 3 ? VIDMM_UMD_CPU_VISIBLE : VIDMM_UMD_LOCAL;
    buffer->tiles = generator_roll(generator, 16, 96);
    buffer->allocation = generator_alloc(generator, 0, buffer->tiles * TILE, flags, 0);
    generator_write(generator, buffer->allocation);
    generator_submit(generator, 0);
}

static void end_view(struct heap *heap, struct view *view) {
    if (!view->live)
        return;
    generator_release(&heap->generator, view->range);
    heap->ended = view->range;
    view->live = false;
}

/* Every other view is at the address of the last one that ended, if there is room. */
static void begin_view(struct heap *heap, struct view *view) {
    struct generator *generator = &heap->generator;
    view->buffer = (uint32_t)generator_roll(generator, 0, BUFFERS - 1);
    const struct buffer *buffer = &heap->buffers[view->buffer];
    uint64_t run = generator_roll(generator, 1, buffer->tiles);
    const struct generator_part part = {
        .allocation = buffer->allocation,
        .offset = generator_roll(generator, 0, buffer->tiles - run) * TILE,
        .size = run * TILE};
    bool again = generator_roll(generator, 0, 1) == 0;
    view->range = generator_view(generator, 0, &part, again ? heap->ended : VIDMM_EVENT_NOTHING);
    view->live = true;
}

/* Most programs end the views first; some do not. */
static void replace_buffer(struct heap *heap) {
    struct generator *generator = &heap->generator;
    uint32_t which = (uint32_t)generator_roll(generator, 0, BUFFERS - 1);
    bool careless = generator_roll(generator, 0, 2) == 0;
    for (uint32_t i = 0; i < VIEWS && !careless; i++)
        if (heap->views[i].buffer == which)
            end_view(heap, &heap->views[i]);
    generator_free(generator, heap->buffers[which].allocation);
    for (uint32_t i = 0; i < VIEWS && careless; i++)
        if (heap->views[i].buffer == which)
            end_view(heap, &heap->views[i]);
    make_buffer(heap, which);
}

static void frame(struct heap *heap) {
    struct generator *generator = &heap->generator;
    for (uint32_t i = 0; i < CHANGES; i++) {
        struct view *view = &heap->views[generator_roll(generator, 0, VIEWS - 1)];
        end_view(heap, view);
        begin_view(heap, view);
    }
    if (generator_roll(generator, 0, 1) == 0)
        replace_buffer(heap);
    uint32_t first = (uint32_t)generator_roll(generator, 0, BUFFERS - 1);
    for (uint32_t i = 0; i < BUFFERS / 2; i++)
        generator_read(generator, heap->buffers[(first + i) % BUFFERS].allocation);
    generator_write(generator, heap->buffers[(first + BUFFERS / 2) % BUFFERS].allocation);
    generator_submit(generator, 0);
    generator_present(generator, 0);
}

bool generate_address_churn(uint64_t seed, struct vidmm_workload *out,
                            struct vidmm_workload_error *error) {
    struct heap heap = {.ended = VIDMM_EVENT_NOTHING};
    generator_start(&heap.generator, "address-churn", seed);
    for (uint32_t i = 0; i < BUFFERS; i++)
        make_buffer(&heap, i);
    for (uint32_t i = 0; i < FRAMES; i++)
        frame(&heap);
    return generator_finish(&heap.generator, out, error);
}
