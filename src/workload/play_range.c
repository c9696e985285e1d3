/*
 * play_range.c - further GPU addresses of allocations: reserved ranges, tiles of which lead to
 * tiles of allocations (tile-resources.md), and views, which lead to a part of one.
 *
 * The player has its own VA map of the tiles. Submissions check and stamp a page through any of its
 * addresses, so that a wrong mapping is found by its bytes. Before addresses are freed the process
 * waits for what it submitted, as a program does.
 */
#include "player.h"

#include <stdlib.h>
#include <string.h>

#define TILE_PAGES ((uint32_t)(VIDMM_TILE_BYTES / PAGE_BYTES))

static uint32_t tiles_of(uint64_t bytes) {
    return (uint32_t)(bytes / VIDMM_TILE_BYTES);
}

/* ---- VA map --------------------------------------------------------------------------------- */

/* Sets where tiles [at, at + count) lead: allocation `index + 1`, from `tile` on; 0: nowhere. */
static void set_tiles(struct player_range *range, uint32_t at, uint32_t count, uint32_t allocation,
                      uint32_t tile) {
    for (uint32_t i = 0; i < count; i++)
        range->tile[at + i] = (struct player_tile){allocation, allocation != 0 ? tile + i : 0};
}

static void range_remember(struct vidmm_player *player, const struct player_alias *alias) {
    const struct player_tile *first = &player->ranges[alias->range].tile[alias->at];
    struct player_allocation *allocation = &player->allocations[first->allocation - 1];
    allocation->bound = true;
    allocation->aliases[allocation->alias_count++ % ALIASES] = *alias;
}

/* Remembers each run of tiles in [at, at + count) that is contiguous in an allocation. */
static void remember_runs(struct vidmm_player *player, uint32_t index, uint32_t at,
                          uint32_t count) {
    const struct player_tile *tile = player->ranges[index].tile + at;
    for (uint32_t i = 0, run; i < count; i += run) {
        for (run = 1; i + run < count && tile[i + run].allocation == tile[i].allocation &&
                      tile[i + run].tile == tile[i].tile + run;)
            run++;
        const struct player_alias alias = {index, at + i, tile[i].tile, run};
        if (tile[i].allocation != 0)
            range_remember(player, &alias);
    }
}

/* ---- Choosing an address --------------------------------------------------------------------- */

/* How many tiles from `tile` on still lead where `alias` says they do. */
static uint32_t valid_tiles(const struct vidmm_player *player, uint32_t allocation,
                            const struct player_alias *alias, uint32_t tile) {
    const struct player_range *range = &player->ranges[alias->range];
    uint32_t i = tile - alias->tile;
    if (range->va == 0)
        return 0;
    while (i < alias->tiles && range->tile[alias->at + i].allocation == allocation + 1 &&
           range->tile[alias->at + i].tile == alias->tile + i)
        i++;
    return i - (tile - alias->tile);
}

const struct player_alias *play_range_choose(struct player_allocation *allocation) {
    uint32_t known = allocation->alias_count < ALIASES ? allocation->alias_count : ALIASES;
    uint32_t turn = known == 0 ? 0 : allocation->alias_turn++ % (known + 1);
    return turn == 0 ? NULL : &allocation->aliases[turn - 1];
}

uint64_t play_range_address(struct player_process *process, struct player_allocation *allocation,
                            const struct player_alias *alias, struct oracle_range *pages) {
    struct vidmm_player *player = process->player;
    if (!alias)
        return allocation->va;
    uint32_t tile = pages->first / TILE_PAGES;
    uint64_t before = alias->tile * VIDMM_TILE_BYTES;
    uint64_t va = player->ranges[alias->range].va + alias->at * VIDMM_TILE_BYTES;
    if (tile < alias->tile && alias->tile * TILE_PAGES - pages->first < pages->pages)
        pages->pages = alias->tile * TILE_PAGES - pages->first; /* the rest next time */
    if (tile < alias->tile || tile >= alias->tile + alias->tiles || va < before)
        return allocation->va;
    uint32_t valid = valid_tiles(player, allocation->oracle.index, alias, tile);
    if (valid == 0)
        return allocation->va;
    uint32_t end = (tile + valid) * TILE_PAGES;
    if (pages->pages > end - pages->first)
        pages->pages = end - pages->first;
    process->aliased++;
    return va - before;
}

/* ---- Making and ending ----------------------------------------------------------------------- */

void play_ranges_start(struct vidmm_player *player) {
    const struct vidmm_workload *workload = player->workload;
    for (size_t i = 0; i < workload->event_count; i++) {
        const struct vidmm_event *event = &workload->events[i];
        if (event->kind == VIDMM_EVENT_RESERVE || event->kind == VIDMM_EVENT_VIEW)
            player->ranges[event->range].process = &player->processes[event->process];
    }
}

static enum vidmm_status reserve(struct player_process *process, const struct vidmm_event *event,
                                 uint64_t *va) {
    const struct vidmm_va_request request = {.size = event->size};
    return vidmm_va_reserve(process->space, &request, va);
}

/* The addresses of `like`, if no range has taken them meanwhile. */
static enum vidmm_status view(struct player_process *process, const struct vidmm_event *event,
                              uint64_t *va) {
    const struct vidmm_player *player = process->player;
    struct vidmm_va_request request = {.size = event->size,
                                       .allocation = player->allocations[event->allocation].handle,
                                       .offset = event->offset,
                                       .protection = VIDMM_VA_WRITE};
    uint64_t fence = 0;
    enum vidmm_status status = VIDMM_DOES_NOT_FIT;
    /* Not as the base: mapping at a base replaces a mapping that is there. */
    if (event->like != VIDMM_EVENT_NOTHING)
        request.minimum = player->ranges[event->like].was;
    request.maximum = request.minimum + event->size;
    if (request.minimum != 0)
        status = vidmm_va_map(process->queue, &request, va, &fence);
    request.minimum = request.maximum = 0;
    if (status == VIDMM_DOES_NOT_FIT)
        status = vidmm_va_map(process->queue, &request, va, &fence);
    return status;
}

/* True: it exists and has the size of the workload; another driver's may be smaller. */
static bool range_reaches(const struct vidmm_player *player, const struct vidmm_event *event) {
    const struct player_allocation *allocation = &player->allocations[event->allocation];
    return allocation->handle && event->offset <= allocation->size &&
           event->size <= allocation->size - event->offset;
}

static bool range_make(struct player_process *process, const struct vidmm_event *event) {
    struct vidmm_player *player = process->player;
    struct player_range *range = &player->ranges[event->range];
    bool reserved = event->kind == VIDMM_EVENT_RESERVE;
    uint64_t va = 0;
    if (!reserved && !range_reaches(player, event))
        return true;
    range->tiles = tiles_of(event->size);
    range->tile = calloc(range->tiles, sizeof(*range->tile));
    if (!range->tile)
        return player_fail(player, VIDMM_NO_MEMORY, "a range of addresses");
    enum vidmm_status status = (reserved ? reserve : view)(process, event, &va);
    if (status == VIDMM_DOES_NOT_FIT)
        return true; /* an address space too small for it: the run goes on without */
    if (status != VIDMM_OK)
        return player_fail(player, status, "a range of addresses");
    range->va = va;
    range->reserved = reserved;
    process->ranges++;
    if (!reserved)
        set_tiles(range, 0, range->tiles, event->allocation + 1, tiles_of(event->offset));
    remember_runs(player, event->range, 0, range->tiles);
    return true;
}

static bool range_release(struct player_process *process, struct player_range *range) {
    struct vidmm_player *player = process->player;
    if (range->va == 0)
        return true;
    enum vidmm_status status =
        process->fence == 0 ? VIDMM_OK : vidmm_wait(player->harness->adapter, process->fence);
    if (status == VIDMM_OK)
        status = vidmm_va_free(process->space, range->va, range->tiles * VIDMM_TILE_BYTES);
    if (status != VIDMM_OK)
        return player_fail(player, status, "freeing a range of addresses");
    range->was = range->va;
    range->va = 0;
    free(range->tile);
    range->tile = NULL;
    return true;
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

static bool range_update(struct player_process *process,
                         const struct vidmm_va_operation *operation) {
    enum vidmm_status status = vidmm_va_update(process->context, operation, 1);
    process->binds += tiles_of(operation->size);
    return status == VIDMM_OK || player_fail(process->player, status, "an update of addresses");
}

static bool range_bind(struct player_process *process, const struct vidmm_event *event) {
    struct vidmm_player *player = process->player;
    struct player_range *range = &player->ranges[event->range];
    bool any = event->kind == VIDMM_EVENT_BIND;
    const struct vidmm_va_operation operation = {
        .type = any ? VIDMM_VA_OP_MAP : VIDMM_VA_OP_UNMAP,
        .base = range->va + event->at,
        .size = event->size,
        .allocation = any ? player->allocations[event->allocation].handle : NULL,
        .offset = event->offset,
        .protection = any ? 0 : VIDMM_VA_NO_ACCESS};
    if (any && !range_reaches(player, event))
        return true;
    set_tiles(range, tiles_of(event->at), tiles_of(event->size), any ? event->allocation + 1 : 0,
              tiles_of(event->offset));
    remember_runs(player, event->range, tiles_of(event->at), tiles_of(event->size));
    return range_update(process, &operation);
}

static bool range_copy(struct player_process *process, const struct vidmm_event *event) {
    struct vidmm_player *player = process->player;
    struct player_range *range = &player->ranges[event->range];
    const struct vidmm_va_operation operation = {.type = VIDMM_VA_OP_COPY,
                                                 .base = range->va + event->offset,
                                                 .destination = range->va + event->at,
                                                 .size = event->size};
    memmove(&range->tile[tiles_of(event->at)], &range->tile[tiles_of(event->offset)],
            tiles_of(event->size) * sizeof(*range->tile));
    remember_runs(player, event->range, tiles_of(event->at), tiles_of(event->size));
    return range_update(process, &operation);
}

bool play_range(struct player_process *process, const struct vidmm_event *event) {
    struct player_range *range = &process->player->ranges[event->range];
    if (!process->player->gpummu || process->player->iommu)
        return true;
    if (event->kind == VIDMM_EVENT_RESERVE || event->kind == VIDMM_EVENT_VIEW)
        return range_make(process, event);
    if (range->va == 0)
        return true;
    if (event->kind == VIDMM_EVENT_RELEASE)
        return range_release(process, range);
    return (event->kind == VIDMM_EVENT_COPY ? range_copy : range_bind)(process, event);
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Tiles of a reserved range that lead to `allocation` lead nowhere. */
static bool unbind_all(struct player_process *process, uint32_t index, uint32_t allocation) {
    const struct player_range *range = &process->player->ranges[index];
    for (uint32_t i = 0, run; i < range->tiles; i += run) {
        bool ours = range->tile[i].allocation == allocation + 1;
        for (run = 1;
             i + run < range->tiles && (range->tile[i + run].allocation == allocation + 1) == ours;)
            run++;
        const struct vidmm_event event = {.kind = VIDMM_EVENT_UNBIND,
                                          .range = index,
                                          .at = i * VIDMM_TILE_BYTES,
                                          .size = run * VIDMM_TILE_BYTES};
        if (ours && !range_bind(process, &event))
            return false;
    }
    return true;
}

bool play_range_leave(struct player_process *process, struct player_allocation *allocation) {
    struct vidmm_player *player = process->player;
    uint32_t count = allocation->bound ? player->workload->range_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        struct player_range *range = &player->ranges[i];
        if (range->process != process || range->va == 0)
            continue; /* in this order: other threads may change ranges of other processes */
        bool ok = true;
        if (range->reserved)
            ok = unbind_all(process, i, allocation->oracle.index);
        else if (range->tile[0].allocation == allocation->oracle.index + 1)
            ok = range_release(process, range);
        if (!ok)
            return false;
    }
    return true;
}

void play_ranges_stop(struct vidmm_player *player) {
    for (uint32_t i = 0; i < player->workload->range_count; i++)
        free(player->ranges[i].tile);
    memset(player->ranges, 0, player->workload->range_count * sizeof(*player->ranges));
}
