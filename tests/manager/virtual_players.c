/*
 * virtual_players.c - see virtual_players.h.
 */
#include "virtual_players.h"

void player_start(struct game *game, uint32_t index) {
    struct player *player = &game->players[index];
    player->game = game;
    player->index = index;
    assert_int_equal(vidmm_process_create(game->world->adapter, &player->process), VIDMM_OK);
    assert_int_equal(vidmm_process_device_create(player->process, &player->device), VIDMM_OK);
    assert_int_equal(vidmm_context_create(player->device, 0, &player->context), VIDMM_OK);
    assert_int_equal(vidmm_paging_queue_create(player->device, 0, &player->queue), VIDMM_OK);
}

struct game *game_prepare(uint64_t vram) {
    struct game *game = calloc(1, sizeof(*game));
    game->world = world_new(2, PAGES_4K, DXGK_PAGETABLEUPDATE_CPU_VIRTUAL);
    game->world->vram_bytes = vram;
    game->world->small_bytes = PAGE;
    return game;
}

void game_start(struct game *game, uint32_t players) {
    assert_int_equal(world_start(game->world), VIDMM_OK);
    for (uint32_t i = 0; i < players; i++)
        player_start(game, i);
}

struct game *game_new(uint32_t players) {
    struct game *game = game_prepare(4 * MIB);
    game_start(game, players);
    return game;
}

void game_end(struct game *game) {
    for (uint32_t i = 0; i < PLAYERS && game->players[i].device; i++) {
        vidmm_device_destroy(game->players[i].device);
        vidmm_process_destroy(game->players[i].process);
    }
    world_end(game->world);
    free(game);
}

struct vidmm_allocation *make(struct player *player, uint64_t size, uint32_t set) {
    uint32_t other = set & SET(SMALL) ? SMALL : APERTURE;
    struct world_desc desc = {
        .size = size, .set = set, .preferred = set & SET(VRAM) ? VRAM : other};
    struct vidmm_allocation_request request = {.private_data = &desc, .private_size = sizeof(desc)};
    struct vidmm_allocation *allocation = NULL;
    assert_int_equal(vidmm_allocation_create(player->device, &request, &allocation), VIDMM_OK);
    return allocation;
}

static uint64_t tagged(uint64_t tag, uint64_t page) {
    return tag * UINT64_C(0x9e3779b97f4a7c15) + page;
}

static uint64_t pages_of(const struct vidmm_allocation *allocation) {
    struct vidmm_allocation_info info;
    vidmm_allocation_info(allocation, &info);
    return info.size / PAGE;
}

static uint8_t *backing_of(const struct game *game, const struct vidmm_allocation *allocation,
                           uint64_t page) {
    PMDL mdl = vidmm_allocation_backing(allocation);
    return world_byte(game->world, 0, MmGetMdlPfnArray(mdl)[page] * PAGE);
}

/* Of the page, wherever it is. */
static uint8_t *byte_of(const struct game *game, const struct vidmm_allocation *allocation,
                        uint64_t page) {
    uint64_t offset = 0;
    uint32_t segment = vidmm_allocation_page(allocation, page, &offset);
    if (segment == 0 || segment == APERTURE)
        return backing_of(game, allocation, page);
    return world_byte(game->world, segment, offset);
}

typedef uint8_t *where(const struct game *game, const struct vidmm_allocation *allocation,
                       uint64_t page);

static void put_stamp(struct player *player, struct vidmm_allocation *allocation, uint64_t tag,
                      where *at) {
    for (uint64_t page = 0; page < pages_of(allocation); page++) {
        uint64_t value = tagged(tag, page);
        memcpy(at(player->game, allocation, page), &value, sizeof(value));
    }
}

static void look_for_stamp(struct player *player, struct vidmm_allocation *allocation, uint64_t tag,
                           where *at) {
    for (uint64_t page = 0; page < pages_of(allocation); page++) {
        uint64_t value;
        memcpy(&value, at(player->game, allocation, page), sizeof(value));
        assert_int_equal(value, tagged(tag, page));
    }
}

void stamp(struct player *player, struct vidmm_allocation *allocation, uint64_t tag) {
    void *unused;
    assert_int_equal(vidmm_lock(allocation, 0, &unused), VIDMM_OK);
    put_stamp(player, allocation, tag, byte_of);
    vidmm_unlock(allocation);
}

void gpu_stamp(struct player *player, struct vidmm_allocation *allocation, uint64_t tag) {
    assert_true(segment_of(allocation) != 0);
    put_stamp(player, allocation, tag, byte_of);
}

void expect_stamp(struct player *player, struct vidmm_allocation *allocation, uint64_t tag) {
    look_for_stamp(player, allocation, tag, byte_of);
}

void stamp_backing(struct player *player, struct vidmm_allocation *allocation, uint64_t tag) {
    put_stamp(player, allocation, tag, backing_of);
}

void expect_backing(struct player *player, struct vidmm_allocation *allocation, uint64_t tag) {
    look_for_stamp(player, allocation, tag, backing_of);
}

enum vidmm_status make_resident(struct player *player, struct vidmm_allocation *allocation) {
    uint64_t fence, trim;
    return vidmm_make_resident(player->queue, &allocation, 1, 0, &fence, &trim);
}

void must_list(struct player *player, struct vidmm_allocation *allocation) {
    assert_int_equal(make_resident(player, allocation), VIDMM_OK);
}

void evict(struct player *player, struct vidmm_allocation *allocation, uint32_t flags) {
    assert_int_equal(vidmm_device_evict(player->device, &allocation, 1, flags, NULL), VIDMM_OK);
}

enum vidmm_status submit(struct player *player) {
    struct vidmm_virtual_submission submission = {.commands = 0x10000, .size = 16};
    uint64_t fence;
    return vidmm_submit_virtual(player->context, &submission, &fence);
}

void must_submit(struct player *player) {
    assert_int_equal(submit(player), VIDMM_OK);
}

uint32_t segment_of(const struct vidmm_allocation *allocation) {
    struct vidmm_allocation_info info;
    vidmm_allocation_info(allocation, &info);
    return info.segment;
}

struct vidmm_stats stats_of(const struct game *game) {
    struct vidmm_stats stats;
    vidmm_stats(game->world->adapter, &stats);
    return stats;
}

static void asked(void *ctx, uint32_t flags, uint64_t bytes) {
    struct player *player = ctx;
    player->trims++;
    player->trim_flags = flags;
    player->trim_bytes = bytes;
}

void listen(struct player *player) {
    vidmm_device_trim(player->device, asked, player);
}
