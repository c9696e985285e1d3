/*
 * core_check_test.c - an inconsistency in the records that only physical addresses use is found,
 * under the name of the record: DMA buffers, swizzling ranges, allocations of contexts.
 * check_test.c has all others.
 */
#include "core_world.h"

#include "base/device.h"
#include "damage.h"
#include "object/allocation.h"

#define CPU_VISIBLE 0x1u
#define SWIZZLED    0x80u

struct scene {
    struct world *world;
    struct vidmm_adapter *adapter;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct vidmm_allocation *tiled; /* with a swizzling range, idle */
    struct vidmm_allocation *busy;  /* in VRAM, referenced by work that is not done */
};

static struct scene begin(void) {
    struct scene scene = {.world = world_new(128 * KIB, 128 * KIB, 0)};
    struct world_desc tiled = world_only(SET(VRAM), 16 * KIB);
    void *cpu;
    scene.world->deferred = true;
    scene.world->dma_segments = SET(APERTURE);
    scene.world->context_allocation = true;
    scene.world->paging_segment = APERTURE;
    scene.world->paging_size = 4 * KIB;
    scene.world->os.assertion_failed = note_finding;
    findings.count = 0;
    assert_int_equal(world_start(scene.world), VIDMM_OK);
    scene.adapter = scene.world->adapter;
    scene.device = world_device(scene.world);
    scene.context = world_context(scene.device);
    tiled.flags = CPU_VISIBLE | SWIZZLED;
    scene.tiled = world_create(scene.device, tiled);
    scene.busy = world_create(scene.device, world_local(16 * KIB));
    assert_int_equal(world_use(scene.context, true, 1, scene.tiled), VIDMM_OK);
    assert_int_equal(vidmm_lock(scene.tiled, VIDMM_LOCK_ACQUIRE_APERTURE, &cpu), VIDMM_OK);
    vidmm_unlock(scene.tiled);
    assert_int_equal(world_use(scene.context, true, 1, scene.busy), VIDMM_OK);
    assert_int_equal(findings.count, 0); /* nor during any of these calls */
    return scene;
}

static struct dma_buffer *mapped_buffer(const struct scene *scene) {
    for (uint32_t i = 0; i < DMA_BUFFERS; i++) {
        if (scene->context->dma.buffers[i].place.block)
            return &scene->context->dma.buffers[i];
    }
    fail_msg("no DMA buffer is mapped");
    return NULL;
}

static struct fence_record *oldest(const struct scene *scene) {
    struct node *node = &scene->adapter->fences.nodes[scene->context->node];
    assert_true(node->count > 0);
    return fence_record(node, 0);
}

/* ---- What is changed ------------------------------------------------------------------------- */

static void buffer_place(void *ctx) {
    struct dma_buffer *buffer = mapped_buffer(ctx);
    SPOIL(buffer->place.offset, buffer->place.offset + PAGE);
}

static void buffer_lost(void *ctx) {
    struct dma_buffer *buffer = mapped_buffer(ctx);
    SPOIL(buffer->place.block, NULL);
}

static void buffer_segment(void *ctx) {
    struct dma_buffer *buffer = mapped_buffer(ctx);
    SPOIL(buffer->segment, NULL);
}

static void buffer_in_flight(void *ctx) {
    struct fence_record *record = oldest(ctx);
    assert_non_null(record->packet.buffer);
    SPOIL(record->packet.buffer->pending, false);
}

static void paging_buffer_place(void *ctx) {
    struct scene *scene = ctx;
    struct dma_buffer *buffer = &scene->adapter->physical[0].paging.buffers[1];
    assert_non_null(buffer->place.block);
    SPOIL(buffer->place.size, buffer->place.size / 2);
}

static void paging_of_a_device(void *ctx) {
    SPOIL(oldest(ctx)->device, NULL);
}

static void paging_held(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->adapter->held, true);
}

static void range_address(void *ctx) {
    struct scene *scene = ctx;
    assert_ptr_equal(scene->adapter->swizzling.ranges[0].allocation, scene->tiled);
    SPOIL(scene->adapter->swizzling.ranges[0].cpu, NULL);
}

static void range_of_what_left(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->tiled->segment, NULL);
}

static void commit_limit(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->adapter->facts.segments[APERTURE - 1].commit_limit, 0);
}

static void context_owner(void *ctx) {
    struct scene *scene = ctx;
    assert_non_null(scene->adapter->context_allocations.first);
    SPOIL(scene->adapter->context_allocations.first->context, (struct vidmm_context *)ctx);
}

static void context_allocation_dead(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->adapter->context_allocations.first->dead, true);
}

static void context_device(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->context->device, (struct vidmm_device *)ctx);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static const struct damage damages[] = {
    CASE(buffer_place, "DMA buffer of device 1: its place is not taken"),
    CASE(buffer_lost, "segment 2: a range is taken by nobody"),
    CASE(buffer_segment, "DMA buffer of device 1: the segment is none"),
    CASE(buffer_in_flight, "fences of node 0: a buffer is on the GPU"),
    CASE(paging_buffer_place, "paging buffer 1: its place is not taken"),
    CASE(paging_of_a_device, "fences of node 0: paging work of a device"),
    CASE(paging_held, "paging queue 0: held since a reset"),
    CASE(range_address, "swizzling range 0: in use without an address"),
    CASE(range_of_what_left, "swizzling range 0: its allocation is in no memory segment"),
    CASE(commit_limit, "segment 2: more is mapped than its commit limit"),
    CASE(context_owner, "allocations of contexts 0: one belongs to a context"),
    CASE(context_allocation_dead, "allocations of contexts 0: one was given up"),
    CASE(context_device, "context of device 1: of another device"),
};

static void damage_is_found(void **state) {
    const struct damage *damage = *state;
    struct scene scene = begin();
    expect_found(scene.adapter, damage->inflict, &scene, damage->record);
    world_end(scene.world);
    assert_int_equal(findings.count, 0);
}

int main(void) {
    return damage_run(damages, sizeof(damages) / sizeof(damages[0]), damage_is_found);
}
