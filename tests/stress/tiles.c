/*
 * tiles.c - see tiles.h.
 */
#include "tiles.h"

#include <string.h>

#include "actor.h"

#define QUEUED_MOST 128u           /* operations that a context may have queued */
#define MANY        160u           /* of one step; more than that */
#define RANGE_BYTES (TILES * PAGE) /* whole units of reservations */
#define ZERO_ORACLE UINT64_MAX     /* of a page without an owner */

/* ---- The model ------------------------------------------------------------------------------- */

static struct thing *pool_of(struct actor *actor, const struct tile *tile) {
    struct thing *pool = &actor->things[tile->pool];
    return tile->oracle != 0 && tile->oracle == pool->oracle ? pool : NULL;
}

/* Also where a pool was that is gone, if the range does. */
static bool reads_zero(struct actor *actor, const struct tile *tile) {
    return tile->oracle != 0 ? actor->tiles.zero && !pool_of(actor, tile) : tile->zero;
}

static uint64_t va_of(const struct actor *actor, uint64_t tile) {
    return actor->tiles.va + tile * PAGE;
}

static void set(struct actor *actor, uint32_t first, uint32_t count, struct tile tile) {
    for (uint32_t i = 0; i < count; i++)
        actor->tiles.tile[first + i] = tile;
}

/* ---- The range ------------------------------------------------------------------------------- */

/* Every second time, on boards that know zero pages. */
static bool choose_zero(struct actor *actor) {
    struct vidmm_gpummu_info mmu;
    vidmm_gpummu_info(actor->adapter, 0, &mmu);
    return mmu.caps.ZeroInPteSupported && actor_below(actor, 2);
}

/* Packets name the address of page 0 whichever page they mean: there are some before the range. */
void tiles_start(struct actor *actor) {
    struct tiles *tiles = &actor->tiles;
    tiles->zero = choose_zero(actor);
    const struct vidmm_va_request request = {
        .minimum = THING_BYTES,
        .size = RANGE_BYTES,
        .reservation = tiles->zero ? VIDMM_VA_RESERVE_ZERO : VIDMM_VA_RESERVE_NO_ACCESS};
    MUST(actor, vidmm_va_reserve(actor->process, &request, &tiles->va));
    set(actor, 0, TILES, (struct tile){.zero = tiles->zero});
}

/* In two pieces: what is queued lies in one of them, or in both. */
static void reserve_again(struct actor *actor) {
    uint64_t va = actor->tiles.va, cut = actor_below(actor, TILES) * PAGE;
    if (cut != 0)
        MUST(actor, vidmm_va_free(actor->process, va, cut));
    MUST(actor, vidmm_va_free(actor->process, va + cut, RANGE_BYTES - cut));
    tiles_start(actor);
}

uint32_t *tiles_pool(struct actor *actor, const struct thing *thing) {
    uint64_t pool = (uint64_t)(thing - actor->things);
    if (pool >= POOLS)
        return NULL;
    memset(actor->tiles.versions[pool], 0, sizeof(actor->tiles.versions[pool]));
    return actor->tiles.versions[pool];
}

/* ---- Updates --------------------------------------------------------------------------------- */

/* Where `count` tiles begin: every second time at a multiple of them, as large pages are. */
static uint32_t place(struct actor *actor, uint32_t count, uint64_t within) {
    uint32_t at = (uint32_t)actor_below(actor, within - count + 1);
    return actor_below(actor, 2) ? at : at / count * count;
}

/* A part of the pool, as often as it takes. */
static void map(struct actor *actor, struct vidmm_va_operation *operation, const struct thing *pool,
                uint32_t first, uint32_t count) {
    uint32_t index = (uint32_t)(pool - actor->things);
    bool protect = actor_below(actor, 3) == 0;
    uint32_t part = (count - 1) / (1u << actor_below(actor, 4)) + 1;
    while (part > pool->size / PAGE)
        part /= 2;
    uint32_t page = place(actor, part, pool->size / PAGE);
    operation->type = protect ? VIDMM_VA_OP_MAP_PROTECT : VIDMM_VA_OP_MAP;
    operation->allocation = pool->allocation;
    operation->offset = (uint64_t)page * PAGE;
    operation->repeat = part < count || actor_below(actor, 2) ? (uint64_t)part * PAGE : 0;
    operation->protection = protect && actor_below(actor, 2) ? VIDMM_VA_WRITE : 0;
    for (uint32_t i = 0; i < count; i++)
        actor->tiles.tile[first + i] = (struct tile){.oracle = pool->oracle,
                                                     .pool = index,
                                                     .page = page + i % part,
                                                     .writable = !protect || operation->protection};
}

static void unmap(struct actor *actor, struct vidmm_va_operation *operation, uint32_t first,
                  uint32_t count) {
    bool zero = choose_zero(actor);
    operation->type = VIDMM_VA_OP_UNMAP;
    operation->protection = zero ? VIDMM_VA_ZERO : VIDMM_VA_NO_ACCESS;
    set(actor, first, count, (struct tile){.zero = zero});
}

/* The two may overlap. */
static void copy(struct actor *actor, struct vidmm_va_operation *operation, uint32_t first,
                 uint32_t count) {
    struct tile *tile = actor->tiles.tile;
    uint32_t to = place(actor, count, TILES);
    operation->type = VIDMM_VA_OP_COPY;
    operation->destination = va_of(actor, to);
    memmove(&tile[to], &tile[first], count * sizeof(*tile));
}

static void make_operation(struct actor *actor, struct vidmm_va_operation *operation) {
    uint32_t count = 1u << actor_below(actor, 10), first = place(actor, count, TILES);
    uint64_t type = actor_below(actor, 8);
    const struct thing *pool = &actor->things[actor_below(actor, POOLS)];
    *operation =
        (struct vidmm_va_operation){.base = va_of(actor, first), .size = (uint64_t)count * PAGE};
    if (type < 2)
        copy(actor, operation, first, count);
    else if (type == 2 || !pool->allocation)
        unmap(actor, operation, first, count);
    else
        map(actor, operation, pool, first, count);
}

static void queue(struct actor *actor, uint32_t count) {
    struct vidmm_va_operation operations[MANY];
    for (uint32_t i = 0; i < count; i++)
        make_operation(actor, &operations[i]);
    MUST(actor, vidmm_va_update(actor->context, operations, count));
    if (vidmm_va_queued(actor->context) > QUEUED_MOST)
        stress_fail("%s: more than %u operations are queued", actor->name, QUEUED_MOST);
}

void tiles_queue(struct actor *actor) {
    queue(actor, (uint32_t)actor_below(actor, 8) + 1);
}

/* ---- What the tiles lead to ------------------------------------------------------------------ */

/* By the manager's VA map, when all queued changes are in it. */
static void compare(struct actor *actor) {
    MUST(actor, vidmm_va_wait(actor->context));
    for (uint32_t i = 0; i < TILES; i++) {
        const struct tile *tile = &actor->tiles.tile[i];
        const struct thing *pool = pool_of(actor, tile);
        struct vidmm_allocation *allocation = NULL;
        uint64_t offset = 0;
        (void)vidmm_process_lookup(actor->process, va_of(actor, i), &allocation, &offset);
        if (allocation != (pool ? pool->allocation : NULL) ||
            (pool && offset != (uint64_t)tile->page * PAGE))
            stress_fail("%s: tile %u leads to another place than page %u of allocation %llu",
                        actor->name, i, tile->page, (unsigned long long)tile->oracle);
    }
}

static void use_zero(struct actor *actor, struct packets *packets, uint32_t index) {
    const struct span span = {.va = va_of(actor, index), .pages = 1};
    actor_check(actor, packets, ZERO_ORACLE, &span);
}

static void use_page(struct actor *actor, struct packets *packets, struct thing *pool,
                     uint32_t index) {
    const struct tile *tile = &actor->tiles.tile[index];
    uint32_t *version = &pool->versions[tile->page];
    struct span span = {.va = va_of(actor, index) - (uint64_t)tile->page * PAGE,
                        .page = tile->page,
                        .pages = 1,
                        .version = *version};
    actor_check(actor, packets, pool->oracle, &span);
    if (!tile->writable || actor_below(actor, 3))
        return;
    span.version = *version = ++pool->version;
    actor_stamp(packets, pool, &span);
}

void tiles_use(struct actor *actor, struct packets *packets) {
    for (uint64_t i = actor_below(actor, TILE_PACKETS / 2); i > 0; i--) {
        uint32_t index = (uint32_t)actor_below(actor, TILES);
        const struct tile *tile = &actor->tiles.tile[index];
        struct thing *pool = pool_of(actor, tile);
        if (reads_zero(actor, tile))
            use_zero(actor, packets, index);
        else if (pool && pool->listed && !pool->offered && pool->known)
            use_page(actor, packets, pool, index);
    }
}

/* ---- A step ---------------------------------------------------------------------------------- */

static void list_pools(struct actor *actor) {
    for (uint32_t i = 0; i < POOLS; i++) {
        struct thing *pool = &actor->things[i];
        if (pool->allocation && !pool->listed && !pool->offered)
            actor_make_resident(actor, &pool, 1);
    }
}

void tiles_queue_behind(struct actor *actor) {
    tiles_queue(actor);
    if (actor_below(actor, 2))
        compare(actor);
}

void tiles_step(struct actor *actor) {
    uint64_t action = actor_below(actor, 32);
    if (action < 6)
        list_pools(actor);
    else if (action < 9)
        compare(actor);
    else if (action < 10)
        reserve_again(actor);
    else if (action < 11)
        queue(actor, MANY);
    else
        tiles_queue(actor);
}
