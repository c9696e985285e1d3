/*
 * virtual_random_test.c - what leads where, at random: two processes update tiles, free and reserve
 * them, list, evict, offer and destroy their pools, lose contexts and devices, while memory runs
 * out and the GPU hangs anywhere. After each step the page tables and the TLB say what the
 * VA map says, and with nothing queued the VA map says what was asked for.
 */
#include "seeds.h"
#include "virtual_players.h"

#define CAST       2u
#define TILES      40u
#define POOLS      5u
#define POOL_TILES 16u
#define STEPS      160u
#define SEEDS      72u

#define TABLE_PAGES 86u /* too few for the tables of both */

enum cell_kind { CELL_NOWHERE, CELL_ZERO, CELL_POOL };

/* What a tile shall lead to once all that is queued is carried out. */
struct cell {
    uint32_t reservation; /* 0: the addresses are free */
    enum cell_kind kind;
    uint32_t pool, tile;
};

struct pool {
    struct vidmm_allocation *allocation;
    uint32_t tiles, listed;
    bool offered;
};

struct actor {
    struct player *player;
    uint64_t va;
    uint32_t reservations;
    struct cell cells[TILES];
    struct pool pools[POOLS];
};

struct play {
    struct game *game;
    struct actor actors[CAST];
    uint64_t random;
    bool away; /* tables may be evicted */
};

/* ---- The driver ------------------------------------------------------------------------------ */

#define KNOWN 64u

/* Its processes, newest last, by what they are to the manager. */
static struct {
    HANDLE ours;
    struct world_process *theirs;
} known[KNOWN];
static uint32_t known_count;
static uint32_t refuses_at; /* so many objects from now it has no memory for one; 0: it has */

static NTSTATUS(APIENTRY *create_process)(HANDLE adapter, DXGKARG_CREATEPROCESS *arg);
static NTSTATUS(APIENTRY *create_device)(const HANDLE adapter, DXGKARG_CREATEDEVICE *arg);
static NTSTATUS(APIENTRY *create_context)(const HANDLE device, DXGKARG_CREATECONTEXT *arg);

static bool refuses(void) {
    return refuses_at && --refuses_at == 0;
}

static NTSTATUS APIENTRY make_process(HANDLE adapter, DXGKARG_CREATEPROCESS *arg) {
    NTSTATUS status = refuses() ? STATUS_NO_MEMORY : create_process(adapter, arg);
    known[known_count % KNOWN].ours = arg->hDxgkProcess;
    known[known_count++ % KNOWN].theirs = (struct world_process *)arg->hKmdProcess;
    return status;
}

static NTSTATUS APIENTRY make_device(const HANDLE adapter, DXGKARG_CREATEDEVICE *arg) {
    return refuses() ? STATUS_NO_MEMORY : create_device(adapter, arg);
}

static NTSTATUS APIENTRY make_context(const HANDLE device, DXGKARG_CREATECONTEXT *arg) {
    return refuses() ? STATUS_NO_MEMORY : create_context(device, arg);
}

static void watch(DRIVER_INITIALIZATION_DATA *ddi) {
    create_process = ddi->DxgkDdiCreateProcess;
    create_device = ddi->DxgkDdiCreateDevice;
    create_context = ddi->DxgkDdiCreateContext;
    ddi->DxgkDdiCreateProcess = make_process;
    ddi->DxgkDdiCreateDevice = make_device;
    ddi->DxgkDdiCreateContext = make_context;
}

static struct world_process *driver_process(const struct actor *actor) {
    uint32_t i = known_count - 1;
    while (known[i % KNOWN].ours != (HANDLE)actor->player->process)
        i--;
    return known[i % KNOWN].theirs;
}

/* Everything goes well from here on. */
static void calm(struct play *play) {
    struct world *world = play->game->world;
    world->system.fail_at = world->hangs_at = 0;
    refuses_at = 0;
}

/* ---- Chance ---------------------------------------------------------------------------------- */

static uint32_t below(struct play *play, uint32_t limit) {
    play->random = play->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((play->random >> 33) % limit);
}

static bool one_in(struct play *play, uint32_t n) {
    return below(play, n) == 0;
}

/* ---- What is found --------------------------------------------------------------------------- */

static void expect_page(struct world_page page, struct vidmm_allocation *allocation,
                        uint64_t offset) {
    uint64_t at = 0;
    assert_int_equal(page.valid, segment_of(allocation) != 0);
    if (!page.valid)
        return;
    assert_int_equal(page.segment, vidmm_allocation_page(allocation, offset / PAGE, &at));
    if (page.segment == 0)
        at = MmGetMdlPfnArray(vidmm_allocation_backing(allocation))[offset / PAGE] * PAGE;
    assert_int_equal(page.page, at / PAGE);
}

/* Page tables and TLB lead where the VA map does. */
static void check_va_map(const struct actor *actor) {
    struct world_process *process = driver_process(actor);
    for (uint32_t i = 0; i < TILES; i++) {
        for (uint64_t at = actor->va + i * WIDE; at < actor->va + (i + 1) * WIDE; at += 15 * PAGE) {
            struct world_page page = world_translate(process, at);
            struct vidmm_allocation *allocation;
            uint64_t offset;
            if (vidmm_process_lookup(actor->player->process, at, &allocation, &offset))
                expect_page(page, allocation, offset);
            else
                assert_true(!page.valid || page.zero);
        }
    }
}

/* The VA map has what was asked for. */
static void check_cells(const struct actor *actor) {
    for (uint32_t i = 0; i < TILES; i++) {
        const struct cell *cell = &actor->cells[i];
        struct vidmm_allocation *allocation = NULL;
        uint64_t offset = 0;
        bool leads = vidmm_process_lookup(actor->player->process, actor->va + i * WIDE, &allocation,
                                          &offset);
        assert_int_equal(leads, cell->kind == CELL_POOL);
        if (!leads)
            continue;
        assert_ptr_equal(allocation, actor->pools[cell->pool].allocation);
        assert_int_equal(offset, cell->tile * WIDE);
    }
}

static void check(const struct play *play, const struct actor *actor) {
    if (!play->away)
        check_va_map(actor);
    if (vidmm_va_queued(actor->player->context) == 0)
        check_cells(actor);
}

/* ---- The actors ------------------------------------------------------------------------------ */

static bool make_pool(struct play *play, struct actor *actor, struct pool *pool) {
    struct world_desc desc = {.set = SET(VRAM) | (one_in(play, 3) ? SET(APERTURE) : 0),
                              .preferred = VRAM};
    struct vidmm_allocation_request request = {.private_data = &desc, .private_size = sizeof(desc)};
    *pool = (struct pool){.tiles = 1 + below(play, POOL_TILES)};
    desc.size = pool->tiles * WIDE;
    if (vidmm_allocation_create(actor->player->device, &request, &pool->allocation))
        pool->allocation = NULL;
    return pool->allocation;
}

static void reserve(struct actor *actor, uint32_t first, uint32_t count) {
    struct vidmm_va_request request = {.base = actor->va ? actor->va + first * WIDE : 0,
                                       .size = count * WIDE};
    uint64_t va;
    if (vidmm_va_reserve(actor->player->process, &request, &va) != VIDMM_OK)
        return;
    if (!actor->va)
        actor->va = va;
    actor->reservations++;
    for (uint32_t i = first; i < first + count; i++)
        actor->cells[i] = (struct cell){.reservation = actor->reservations};
}

static void begin_actor(struct play *play, uint32_t index) {
    struct actor *actor = &play->actors[index];
    *actor = (struct actor){.player = &play->game->players[index]};
    reserve(actor, 0, TILES);
    assert_true(actor->va != 0);
    for (uint32_t i = 0; i < POOLS; i++)
        (void)make_pool(play, actor, &actor->pools[i]);
}

/* Destroys device and process with all that they own; then makes new ones. */
static void replace_actor(struct play *play, struct actor *actor) {
    struct player *player = actor->player;
    vidmm_device_destroy(player->device);
    vidmm_process_destroy(player->process);
    calm(play);
    player_start(play->game, player->index);
    begin_actor(play, player->index);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* True when all of it lies in one reservation. */
static bool one_reservation(const struct actor *actor, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count; i++) {
        if (actor->cells[i].reservation == 0 ||
            actor->cells[i].reservation != actor->cells[first].reservation)
            return false;
    }
    return true;
}

static void set(struct cell *cell, struct cell to) {
    to.reservation = cell->reservation;
    *cell = to;
}

static enum vidmm_status update(const struct actor *actor, struct vidmm_va_operation operation) {
    return vidmm_va_update(actor->player->context, &operation, 1);
}

static void map(struct play *play, struct actor *actor) {
    uint32_t which = below(play, POOLS), first = below(play, TILES);
    const struct pool *pool = &actor->pools[which];
    if (!pool->allocation)
        return;
    uint32_t part = 1 + below(play, pool->tiles), tile = below(play, pool->tiles - part + 1);
    uint32_t times = 1 + below(play, 3), count = part * times;
    if (first + count > TILES)
        return;
    struct vidmm_va_operation operation = {.type = VIDMM_VA_OP_MAP,
                                           .base = actor->va + first * WIDE,
                                           .size = count * WIDE,
                                           .allocation = pool->allocation,
                                           .offset = tile * WIDE,
                                           .repeat = times > 1 ? part * WIDE : 0};
    bool valid = one_reservation(actor, first, count);
    enum vidmm_status status = update(actor, operation);
    assert_true(valid || status != VIDMM_OK);
    for (uint32_t i = 0; status == VIDMM_OK && i < count; i++)
        set(&actor->cells[first + i],
            (struct cell){.kind = CELL_POOL, .pool = which, .tile = tile + i % part});
}

static void unmap(struct play *play, struct actor *actor) {
    uint32_t first = below(play, TILES), count = 1 + below(play, TILES - first);
    bool zero = one_in(play, 2);
    struct vidmm_va_operation operation = {.type = VIDMM_VA_OP_UNMAP,
                                           .base = actor->va + first * WIDE,
                                           .size = count * WIDE,
                                           .protection = zero ? VIDMM_VA_ZERO : VIDMM_VA_NO_ACCESS};
    enum vidmm_status status = update(actor, operation);
    for (uint32_t i = 0; status == VIDMM_OK && i < count; i++)
        set(&actor->cells[first + i], (struct cell){.kind = zero ? CELL_ZERO : CELL_NOWHERE});
}

static void copy(struct play *play, struct actor *actor) {
    uint32_t from = below(play, TILES), to = below(play, TILES), last = from > to ? from : to;
    uint32_t count = 1 + below(play, TILES - last);
    struct cell source[TILES];
    struct vidmm_va_operation operation = {.type = VIDMM_VA_OP_COPY,
                                           .base = actor->va + from * WIDE,
                                           .destination = actor->va + to * WIDE,
                                           .size = count * WIDE};
    memcpy(source, actor->cells, sizeof(source));
    enum vidmm_status status = update(actor, operation);
    for (uint32_t i = 0; status == VIDMM_OK && i < count; i++)
        set(&actor->cells[to + i], source[from + i]);
}

static void free_tiles(struct play *play, struct actor *actor) {
    uint32_t first = below(play, TILES), count = 1 + below(play, one_in(play, 4) ? TILES : 4);
    uint64_t extra = one_in(play, 4) ? 512 : 0;
    count = count < TILES - first ? count : TILES - first;
    enum vidmm_status status =
        vidmm_va_free(actor->player->process, actor->va + first * WIDE, count * WIDE - extra);
    assert_true(extra == 0 || status != VIDMM_OK);
    for (uint32_t i = first; status == VIDMM_OK && i < first + count; i++)
        actor->cells[i] = (struct cell){.reservation = 0};
}

static void reserve_tiles(struct play *play, struct actor *actor) {
    uint32_t first = below(play, TILES), count = 0;
    while (first + count < TILES && actor->cells[first + count].reservation == 0)
        count++;
    if (count)
        reserve(actor, first, count);
}

static void replace_pool(struct play *play, struct actor *actor) {
    uint32_t which = below(play, POOLS);
    struct pool *pool = &actor->pools[which];
    if (pool->allocation) {
        vidmm_allocation_destroy(pool->allocation);
        for (uint32_t i = 0; i < TILES; i++) {
            struct cell *cell = &actor->cells[i];
            if (cell->kind == CELL_POOL && cell->pool == which)
                set(cell, (struct cell){.kind = CELL_NOWHERE});
        }
    }
    (void)make_pool(play, actor, pool);
}

static void change_list(struct play *play, struct actor *actor) {
    struct pool *pool = &actor->pools[below(play, POOLS)];
    if (!pool->allocation)
        return;
    if (pool->listed && one_in(play, 2)) {
        if (vidmm_device_evict(actor->player->device, &pool->allocation, 1, 0, NULL) == VIDMM_OK)
            pool->listed--;
    } else if (make_resident(actor->player, pool->allocation) == VIDMM_OK) {
        pool->listed++;
    }
}

static void change_offer(struct play *play, struct actor *actor) {
    struct pool *pool = &actor->pools[below(play, POOLS)];
    enum vidmm_reclaim_result result;
    enum vidmm_status status;
    if (!pool->allocation)
        return;
    status = pool->offered
                 ? vidmm_reclaim(actor->player->queue, &pool->allocation, 1, &result, NULL)
                 : vidmm_offer(actor->player->device, &pool->allocation, 1, VIDMM_OFFER_LOW);
    if (status == VIDMM_OK)
        pool->offered = !pool->offered;
}

static void replace_context(struct play *play, struct actor *actor) {
    struct player *player = actor->player;
    vidmm_context_destroy(player->context);
    (void)vidmm_context_create(player->device, 0, below(play, 2), &player->context);
}

static void disturb_all(struct play *play) {
    struct vidmm_adapter *adapter = play->game->world->adapter;
    switch (below(play, 3)) {
    case 0:
        calm(play); /* without memory for a reset the adapter is stopped */
        assert_int_equal(vidmm_reset(adapter), VIDMM_OK);
        break;
    case 1:
        (void)vidmm_evict_all(adapter);
        break;
    default:
        (void)vidmm_wait_idle(adapter);
        break;
    }
}

static void run_gpu(const struct actor *actor) {
    if (submit(actor->player) != VIDMM_OK)
        return;
    assert_int_equal(vidmm_va_queued(actor->player->context), 0);
    check_va_map(actor);
}

static void step(struct play *play, struct actor *actor) {
    uint32_t what = below(play, 32);
    if (what < 10)
        map(play, actor);
    else if (what < 13)
        unmap(play, actor);
    else if (what < 16)
        copy(play, actor);
    else if (what < 18)
        free_tiles(play, actor);
    else if (what < 20)
        reserve_tiles(play, actor);
    else if (what < 21)
        replace_pool(play, actor);
    else if (what < 23)
        change_list(play, actor);
    else if (what < 25)
        change_offer(play, actor);
    else if (what < 26)
        replace_context(play, actor);
    else if (what < 28)
        (void)vidmm_va_wait(actor->player->context);
    else if (what < 31)
        run_gpu(actor);
    else
        disturb_all(play);
}

/* ---- A play ---------------------------------------------------------------------------------- */

/* Every update mode, two kinds of pages; in some plays the tables of one process make room for
 * those of the other. */
static struct play begin(uint32_t seed) {
    struct play play = {.random = seed * UINT64_C(977) + 1, .game = game_prepare(2 * MIB)};
    struct world *world = play.game->world;
    world->mode = (DXGK_PAGETABLEUPDATEMODE)(seed % 3);
    world->pages = seed / 3 % 4 == 3 ? PAGES_DUAL : PAGES_4K;
    world->overlay = watch;
    play.away = world->mode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL && seed / 12 % 3 == 2;
    if (play.away) {
        world->table_segment = SMALL;
        world->small_bytes = TABLE_PAGES * PAGE;
    }
    known_count = refuses_at = 0;
    game_start(play.game, CAST);
    for (uint32_t i = 0; i < CAST; i++)
        begin_actor(&play, i);
    return play;
}

static void disturb(struct play *play) {
    struct world *world = play->game->world;
    if (one_in(play, 3))
        world->system.fail_at = world->system.calls + 1 + below(play, 24);
    if (one_in(play, world->system.fail_at ? 40 : 6))
        world->hangs_at = 1 + below(play, 6);
    if (one_in(play, 8))
        refuses_at = 1 + below(play, 3);
}

static void run(uint32_t seed) {
    struct play play = begin(seed);
    for (uint32_t i = 0; i < STEPS; i++) {
        disturb(&play);
        step(&play, &play.actors[below(&play, CAST)]);
        calm(&play);
        if (vidmm_wait_idle(play.game->world->adapter) == VIDMM_STOPPED)
            break;
        for (uint32_t k = 0; k < CAST; k++) {
            struct player *player = play.actors[k].player;
            if (vidmm_device_lost(player->device) || !player->context)
                replace_actor(&play, &play.actors[k]);
            check(&play, &play.actors[k]);
        }
    }
    game_end(play.game);
}

static void tiles_lead_where_they_were_told_to(void **state) {
    (void)state;
    play_seeds(0, SEEDS, run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_lead_where_they_were_told_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
