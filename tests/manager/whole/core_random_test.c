/*
 * Random lives of a few allocations in random worlds, each from a seed: whatever the order of
 * submissions, locks, evictions, pins and resets, content is what was written last, and the
 * segments' counts balance.
 */
#include "core_world.h"
#include "seeds.h"

#define ALLOCATIONS 12u
#define STEPS       150u
#define SEEDS       300u

struct thing {
    struct vidmm_allocation *allocation;
    uint64_t size;
    uint32_t content; /* seed of the pattern, 0: not known */
    bool lost;        /* told by the observer */
    bool pinned, swizzled;
};

struct life {
    struct world *world;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct thing things[ALLOCATIONS];
    uint32_t random, versions, seed, step;
};

static uint32_t next(struct life *life, uint32_t limit) {
    life->random = life->random * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(life->random ^ life->random >> 15) * limit) >> 32);
}

static bool chance(struct life *life, uint32_t percent) {
    return next(life, 100) < percent;
}

static struct world *random_world(struct life *life) {
    bool hidden = chance(life, 50);
    /* One after another: the same world whichever compiler orders arguments. */
    uint64_t vram = (16 + next(life, 32)) * PAGE, aperture = (48 + next(life, 96)) * PAGE;
    uint64_t unseen = hidden ? (8 + next(life, 24)) * PAGE : 0;
    struct world *world = world_new(vram, aperture, unseen);
    world->deferred = chance(life, 50);
    world->map_at_once = chance(life, 50);
    world->paging_private = chance(life, 50) ? 64 : 0;
    world->paging_segment = chance(life, 30) ? APERTURE : 0;
    world->paging_size = world->paging_segment || chance(life, 50) ? 4096 : 65536;
    world->dma_segments = chance(life, 30) ? SET(APERTURE) : 0;
    world->transfer_step = chance(life, 50) ? 4096 : 0;
    world->transfer_chunk = chance(life, 50) ? 3 * PAGE : 0;
    world->busy_every = chance(life, 30) ? 3 : 0;
    world->context_allocation = chance(life, 30);
    world->contexts = chance(life, 80);
    world->paging_node = world->contexts ? next(life, 2) : 0;
    if (!world->contexts)
        world->context_allocation = false;
    if (chance(life, 10))
        world->hang_render = 1 + next(life, 60);
    if (chance(life, 10)) {
        world->hang_paging = 1 + next(life, 80);
        world->hang_paging_more = next(life, 3);
    }
    world->preempts = chance(life, 50);
    world->preempts_anything = chance(life, 50);
    world->resets_engines = chance(life, 50);
    world->shares_reset = chance(life, 50);
    return world;
}

static struct world_desc random_desc(struct life *life) {
    struct world_desc desc = world_local((1 + next(life, 12)) * PAGE);
    uint32_t all = (1u << life->world->segment_count) - 1;
    desc.alignment = chance(life, 30) ? 4u * 4096u : 0;
    do {
        desc.write_set = next(life, all) + 1;
    } while (!(desc.write_set & all));
    desc.read_set = chance(life, 80) ? desc.write_set : all;
    desc.preferred = 0;
    if (desc.write_set & SET(VRAM))
        desc.preferred = VRAM;
    desc.evict_set = chance(life, 40) ? SET(APERTURE) : 0;
    desc.priority = D3DDDI_ALLOCATIONPRIORITY_NORMAL + next(life, 3);
    if (chance(life, 15))
        desc.flags |= 2u; /* PermanentSysMem */
    else if (chance(life, 20))
        desc.flags |= 0x80u; /* Swizzled */
    return desc;
}

static void forget_if_lost(struct thing *thing) {
    if (thing->lost)
        thing->content = 0;
    thing->lost = false;
}

static void create(struct life *life, struct thing *thing) {
    struct world_desc desc = random_desc(life);
    *thing = (struct thing){.size = desc.size, .swizzled = (desc.flags & 0x80u) != 0};
    assert_int_equal(world_try_create_for(life->device, desc, &thing->lost, &thing->allocation),
                     VIDMM_OK);
}

static bool swizzled_in_memory(struct life *life, struct thing *thing) {
    struct vidmm_allocation_info info;
    vidmm_allocation_info(thing->allocation, &info);
    return info.swizzled && info.segment && life->world->segments[info.segment - 1].bytes;
}

/* What the GPU of a submission sees, and writes. */
static void run_on_gpu(struct life *life, struct thing *thing, bool write) {
    forget_if_lost(thing);
    assert_int_not_equal(world_segment_of(thing->allocation), 0);
    if (swizzled_in_memory(life, thing)) {
        if (write)
            thing->content = 0; /* the checks below know linear content only */
        return;
    }
    if (thing->content)
        world_gpu_check(life->world, thing->allocation, thing->content);
    if (write) {
        thing->content = ++life->versions;
        world_gpu_write(life->world, thing->allocation, thing->content);
    }
}

/* True when the device was lost to one of the hangs of this world. */
static bool gave_up(struct life *life, enum vidmm_status status) {
    if (!vidmm_device_lost(life->device))
        return false;
    assert_true(life->world->hang_render || life->world->hang_paging);
    assert_true(status == VIDMM_OK || status == VIDMM_DEVICE_LOST);
    return true;
}

static void submit(struct life *life) {
    struct vidmm_reference references[ALLOCATIONS];
    struct thing *used[ALLOCATIONS];
    uint32_t count = 0, wanted = 1 + next(life, 6);
    uint64_t fence = 0;
    for (uint32_t i = next(life, ALLOCATIONS); count < wanted; i++) {
        used[count] = &life->things[i % ALLOCATIONS];
        references[count] = (struct vidmm_reference){used[count]->allocation, chance(life, 50)};
        count++;
    }
    struct vidmm_submission submission = {.references = references, .count = count};
    enum vidmm_status status = vidmm_submit(life->context, &submission, &fence);
    if (status == VIDMM_DOES_NOT_FIT || gave_up(life, status))
        return;
    assert_int_equal(status, VIDMM_OK);
    for (uint32_t i = 0; i < count; i++)
        run_on_gpu(life, used[i], references[i].write);
    if (!chance(life, 30))
        return;
    status = vidmm_wait(life->world->adapter, fence);
    assert_true(gave_up(life, status) || status == VIDMM_OK);
}

/* Locks fail only where the contract lets them: a pinned allocation without a CPU view. */
static void lock(struct life *life, struct thing *thing) {
    void *cpu = NULL;
    uint32_t flags = thing->swizzled && chance(life, 50) ? VIDMM_LOCK_ACQUIRE_APERTURE : 0;
    enum vidmm_status status = vidmm_lock(thing->allocation, flags, &cpu);
    if ((thing->pinned && status == VIDMM_NOT_LOCKABLE) || gave_up(life, status))
        return;
    assert_int_equal(status, VIDMM_OK);
    vidmm_unlock(thing->allocation); /* what was written goes to the segment, and may hang there */
    if (thing->pinned || gave_up(life, VIDMM_OK))
        return;
    forget_if_lost(thing);
    if (thing->content)
        world_check(thing->allocation, thing->content);
    if (chance(life, 50)) {
        thing->content = ++life->versions;
        world_write(thing->allocation, thing->content);
    }
}

static void pin(struct life *life, struct thing *thing) {
    enum vidmm_status status = vidmm_allocation_pin(thing->allocation, !thing->pinned);
    if (status == VIDMM_OK)
        thing->pinned = !thing->pinned;
    else if (!gave_up(life, status))
        assert_int_equal(status, VIDMM_DOES_NOT_FIT);
}

static void evict(struct life *life, struct thing *thing) {
    enum vidmm_status status = vidmm_allocation_evict(thing->allocation, chance(life, 80));
    assert_int_equal(status, thing->pinned ? VIDMM_PINNED : VIDMM_OK);
    forget_if_lost(thing);
}

static uint64_t in_segment(const struct thing *thing, uint32_t id) {
    return thing->allocation && world_segment_of(thing->allocation) == id ? thing->size : 0;
}

static void balance(struct life *life) {
    struct vidmm_segment_info info;
    for (uint32_t id = 1; id <= life->world->segment_count; id++) {
        uint64_t bytes = 0;
        assert_true(vidmm_segment_info(life->world->adapter, id, &info));
        for (uint32_t i = 0; i < ALLOCATIONS; i++)
            bytes += in_segment(&life->things[i], id);
        assert_true(bytes <= info.used && info.used <= info.size);
    }
}

static void step(struct life *life) {
    struct thing *thing = &life->things[next(life, ALLOCATIONS)];
    uint32_t what = next(life, 100);
    if (what < 55) {
        submit(life);
    } else if (what < 75) {
        lock(life, thing);
    } else if (what < 83) {
        evict(life, thing);
    } else if (what < 88) {
        pin(life, thing);
    } else if (what < 95) {
        vidmm_allocation_destroy(thing->allocation);
        if (vidmm_device_lost(life->device)) /* it hung while we waited */
            thing->allocation = NULL;
        else
            create(life, thing);
    } else if (what < 98) {
        assert_int_equal(vidmm_evict_all(life->world->adapter), VIDMM_OK);
    } else {
        assert_int_equal(vidmm_wait_idle(life->world->adapter), VIDMM_OK);
        assert_int_equal(vidmm_reset(life->world->adapter), VIDMM_OK);
        for (uint32_t i = 0; i < ALLOCATIONS; i++)
            forget_if_lost(&life->things[i]);
    }
}

/* After a hang: the device is lost, the adapter is as good as new. */
static void start_over(struct life *life) {
    vidmm_device_destroy(life->device);
    life->device = world_device(life->world);
    life->context = world_context(life->device);
    for (uint32_t i = 0; i < ALLOCATIONS; i++)
        create(life, &life->things[i]);
    for (uint32_t i = 0; i < 20; i++) {
        submit(life);
        balance(life);
    }
}

static void live(uint32_t seed) {
    struct life life = {.random = seed * 2654435761u + 1, .seed = seed};
    life.world = random_world(&life);
    assert_int_equal(world_start(life.world), VIDMM_OK);
    life.device = world_device(life.world);
    life.context = world_context(life.device);
    for (uint32_t i = 0; i < ALLOCATIONS; i++)
        create(&life, &life.things[i]);
    for (life.step = 0; life.step < STEPS && !vidmm_device_lost(life.device); life.step++) {
        step(&life);
        balance(&life);
    }
    if (vidmm_device_lost(life.device))
        start_over(&life);
    world_end(life.world);
}

static void content_survives_random_lives(void **state) {
    (void)state;
    play_seeds(1, SEEDS, live);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_survives_random_lives),
    };
    return cmocka_run_group_tests_name("core_random", tests, NULL, NULL);
}
