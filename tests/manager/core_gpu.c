/*
 * core_gpu.c - the GPU of core_world.h.
 */
#include "core_driver.h"

#define RAM_BASE UINT64_C(0x10000000)
#define RANGES   8u

static struct range {
    uint8_t *linear;
    uint32_t segment;
    uint64_t offset, size;
} ranges[RANGES];

static uint8_t *ram_pointer(struct world *world, uint64_t physical) {
    assert_true(physical >= RAM_BASE && physical < RAM_BASE + WORLD_PAGES * PAGE);
    return world->ram + (physical - RAM_BASE);
}

uint8_t *gpu_pointer(struct world *world, const struct world_side *side, uint64_t at) {
    uint64_t offset = side->offset + at;
    if (!side->segment) {
        const PFN_NUMBER *pages = (const PFN_NUMBER *)(side->mdl + 1);
        assert_true(offset < side->mdl->ByteCount);
        return ram_pointer(world, pages[offset / PAGE] * PAGE) + offset % PAGE;
    }
    struct world_segment *segment = &world->segments[side->segment - 1];
    assert_true(offset < segment->size);
    if (segment->bytes)
        return segment->bytes + offset;
    assert_true(segment->pages[offset / PAGE] != 0);
    return ram_pointer(world, segment->pages[offset / PAGE]) + offset % PAGE;
}

void gpu_tile_page(uint8_t *to, const uint8_t *from) {
    for (uint32_t i = 0; i < PAGE / 64; i++)
        memcpy(to + i * 64, from + (PAGE / 64 - 1 - i) * 64, 64);
}

static void copy(struct world *world, const struct world_command *command) {
    for (uint64_t at = 0; at < command->size; at += PAGE) {
        uint8_t page[PAGE];
        memcpy(page, gpu_pointer(world, &command->from, at), PAGE);
        if (command->tile)
            gpu_tile_page(gpu_pointer(world, &command->to, at), page);
        else
            memcpy(gpu_pointer(world, &command->to, at), page, PAGE);
    }
}

static void fill(struct world *world, const struct world_command *command) {
    for (uint64_t at = 0; at < command->size; at += 4)
        memcpy(gpu_pointer(world, &command->to, at), &command->pattern, 4);
}

static void map(struct world *world, const struct world_command *command) {
    struct world_segment *segment = &world->segments[command->to.segment - 1];
    assert_true(command->to.offset + command->size <= segment->size);
    for (uint64_t at = 0; at < command->size; at += PAGE) {
        uint64_t *page = &segment->pages[(command->to.offset + at) / PAGE];
        bool mapped = *page != 0 && *page != RAM_BASE;
        if (command->from.mdl) {
            const PFN_NUMBER *pages = (const PFN_NUMBER *)(command->from.mdl + 1);
            assert_false(mapped); /* R199 */
            *page = pages[(command->from.offset + at) / PAGE] * PAGE;
        } else {
            assert_true(mapped || world->resets); /* a MAP may have hung before it ran */
            *page = command->dummy;
        }
    }
}

void gpu_execute(struct world *world, const struct world_command *command) {
    switch (command->operation) {
    case DXGK_OPERATION_TRANSFER:
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        copy(world, command);
        break;
    case DXGK_OPERATION_FILL:
        fill(world, command);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        map(world, command);
        break;
    default:
        break;
    }
}

static void run(struct world *world, const struct world_job *job) {
    struct world_side side = {.segment = job->segment};
    if (job->segment)
        side.offset = job->address - world->segments[job->segment - 1].base;
    for (uint32_t at = job->start; at < job->end; at += sizeof(struct world_command)) {
        struct world_command command;
        uint8_t *bytes = (uint8_t *)&command;
        for (uint32_t i = 0; i < sizeof(command); i++)
            bytes[i] = job->segment ? *gpu_pointer(world, &side, at + i)
                                    : *ram_pointer(world, job->address + at + i);
        gpu_execute(world, &command);
    }
}

static void completed(struct world *world, uint32_t node, uint32_t fence) {
    world->done[node] = fence;
    world->paging_done += node == world->paging_node;
    vidmm_referee_completed(world->referee, node, fence);
    vidmm_notify_completed(world->adapter, node, fence);
}

void gpu_queue(struct world *world, const struct world_job *job) {
    bool blocked = job->hangs;
    pthread_mutex_lock(&world->queue_lock);
    for (uint32_t i = 0; i < world->job_count; i++)
        blocked |= world->jobs[i].node == job->node;
    if (world->deferred || world->threads || blocked) {
        assert_true(world->job_count < 256);
        world->jobs[world->job_count++] = *job;
        pthread_cond_signal(&world->queue_news);
        pthread_mutex_unlock(&world->queue_lock);
        return;
    }
    pthread_mutex_unlock(&world->queue_lock);
    run(world, job);
    completed(world, job->node, job->fence);
}

/* The first job whose node does not hang; with the queue lock held. */
static bool take(struct world *world, struct world_job *job) {
    uint64_t hung = 0;
    for (uint32_t i = 0; i < world->job_count; i++) {
        const struct world_job *one = &world->jobs[i];
        if (one->hangs)
            hung |= UINT64_C(1) << one->node;
        if ((hung >> one->node) & 1u)
            continue;
        *job = *one;
        memmove(&world->jobs[i], &world->jobs[i + 1],
                (--world->job_count - i) * sizeof(world->jobs[0]));
        return true;
    }
    return false;
}

bool gpu_step(struct world *world) {
    struct world_job job;
    pthread_mutex_lock(&world->queue_lock);
    bool found = take(world, &job);
    pthread_mutex_unlock(&world->queue_lock);
    if (!found)
        return false;
    run(world, &job);
    completed(world, job.node, job.fence);
    return true;
}

void *gpu_thread(void *argument) {
    struct world *world = argument;
    pthread_mutex_lock(&world->queue_lock);
    while (!world->quit) {
        struct world_job job;
        if (!take(world, &job)) {
            pthread_cond_wait(&world->queue_news, &world->queue_lock);
            continue;
        }
        pthread_mutex_unlock(&world->queue_lock);
        run(world, &job);
        completed(world, job.node, job.fence);
        pthread_mutex_lock(&world->queue_lock);
    }
    pthread_mutex_unlock(&world->queue_lock);
    return NULL;
}

void gpu_reset(struct world *world) {
    pthread_mutex_lock(&world->queue_lock);
    world->job_count = 0;
    pthread_mutex_unlock(&world->queue_lock);
    for (uint32_t i = 0; i < world->segment_count; i++) {
        if (world->segments[i].bytes)
            memset(world->segments[i].bytes, 0xdd, world->segments[i].size);
    }
}

/* With the queue lock. */
static struct world_job *first_of(struct world *world, uint32_t node) {
    for (uint32_t i = 0; i < world->job_count; i++)
        if (world->jobs[i].node == node)
            return &world->jobs[i];
    return NULL;
}

static void drop(struct world *world, uint32_t node) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < world->job_count; i++)
        if (world->jobs[i].node != node)
            world->jobs[kept++] = world->jobs[i];
    world->job_count = kept;
}

bool gpu_preempt(struct world *world, uint32_t node) {
    pthread_mutex_lock(&world->queue_lock);
    const struct world_job *first = first_of(world, node);
    bool can = !first || !first->hangs || world->preempts_anything;
    if (can)
        drop(world, node);
    pthread_mutex_unlock(&world->queue_lock);
    return can;
}

uint32_t gpu_reset_engine(struct world *world, uint32_t node) {
    pthread_mutex_lock(&world->queue_lock);
    const struct world_job *first = first_of(world, node);
    if (first)
        world->done[node] = first->fence;
    drop(world, node);
    pthread_mutex_unlock(&world->queue_lock);
    return world->done[node];
}

void gpu_open_range(struct world *world, uint32_t id, uint32_t segment, uint64_t offset,
                    uint64_t size) {
    struct range *range = &ranges[id];
    assert_null(range->linear);
    *range = (struct range){malloc(size), segment, offset, size};
    for (uint64_t at = 0; at < size; at += PAGE)
        gpu_tile_page(range->linear + at, world->segments[segment - 1].bytes + offset + at);
}

void gpu_close_range(struct world *world, uint32_t id) {
    struct range *range = &ranges[id];
    assert_non_null(range->linear);
    for (uint64_t at = 0; at < range->size; at += PAGE)
        gpu_tile_page(world->segments[range->segment - 1].bytes + range->offset + at,
                      range->linear + at);
    free(range->linear);
    range->linear = NULL;
}

void *gpu_range(struct world *world, uint32_t id) {
    (void)world;
    return ranges[id].linear;
}
