/*
 * Page faults where the GPU has virtual addresses: what an address is said to belong to, and that
 * the driver hears of what a reset of the adapter took away.
 */
#include "virtual_players.h"

#define ANYWHERE (SET(VRAM) | SET(APERTURE))
#define BASE     (UINT64_C(16) << 16)
#define FAR_AWAY (BASE + (UINT64_C(20) << 20))

static uint64_t map(struct player *player, struct vidmm_allocation *allocation, uint64_t base,
                    uint64_t size, uint64_t offset) {
    struct vidmm_va_request request = {.base = base,
                                       .size = size,
                                       .offset = offset,
                                       .allocation = allocation,
                                       .protection = VIDMM_VA_WRITE};
    uint64_t va = 0, fence = 0;
    assert_int_equal(vidmm_va_map(player->queue, &request, &va, &fence), VIDMM_OK);
    assert_int_equal(va, base);
    return va;
}

/* The newest work of `player` met a fault. */
static void fault_at(struct player *player, uint64_t address, uint32_t flags) {
    struct world *world = player->game->world;
    must_submit(player);
    const struct vidmm_page_fault fault = {
        .fence = world->jobs[(world->job_head + world->job_count - 1) % 64].fence,
        .flags = flags,
        .address = address};
    vidmm_notify_page_faulted(world->adapter, &fault);
}

static struct vidmm_access access_of(struct player *player) {
    struct vidmm_error fault;
    assert_int_equal(submit(player), VIDMM_DEVICE_LOST);
    vidmm_last_error(player->game->world->adapter, &fault);
    assert_int_equal(fault.status, VIDMM_DEVICE_LOST);
    assert_true(fault.access.known);
    return fault.access;
}

static void an_address_is_named_by_what_lies_there_or_near(void **state) {
    static const struct {
        uint64_t address;
        enum vidmm_access_place place;
        uint32_t allocation; /* which of the two */
        uint64_t page;
    } table[] = {
        {BASE + 2 * PAGE + 123, VIDMM_ACCESS_IN, 0, 3}, /* mapped from its second page on */
        {BASE + 4 * PAGE, VIDMM_ACCESS_BEHIND, 0, 1},
        {BASE + 6 * PAGE + 8, VIDMM_ACCESS_BEHIND, 0, 3},
        {BASE - 1, VIDMM_ACCESS_BEFORE, 0, 1},
        {BASE + 30 * PAGE, VIDMM_ACCESS_BEFORE, 1, 2},
        {BASE + 32 * PAGE, VIDMM_ACCESS_IN, 1, 0},
        {FAR_AWAY, VIDMM_ACCESS_NOWHERE, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct game *game = game_new(2);
        struct player *player = &game->players[1];
        int user[2];
        struct vidmm_allocation *allocation[2];
        for (uint32_t k = 0; k < 2; k++) {
            struct world_desc desc = {.size = 8 * PAGE, .set = ANYWHERE, .preferred = VRAM};
            struct vidmm_allocation_request request = {
                .private_data = &desc, .private_size = sizeof(desc), .user = &user[k]};
            assert_int_equal(vidmm_allocation_create(player->device, &request, &allocation[k]),
                             VIDMM_OK);
        }
        map(player, allocation[0], BASE, 4 * PAGE, PAGE);
        map(player, allocation[1], BASE + 32 * PAGE, 8 * PAGE, 0);
        must_list(player, allocation[1]);
        fault_at(player, table[i].address, i % 2 ? DXGK_PAGE_FAULT_WRITE : 0);
        struct vidmm_access access = access_of(player);
        assert_int_equal(access.address, table[i].address);
        assert_int_equal(access.write, i % 2);
        assert_int_equal(access.process, 2);
        assert_int_equal(access.device, 2);
        assert_int_equal(access.place, table[i].place);
        assert_int_equal(access.page, table[i].page);
        if (access.place != VIDMM_ACCESS_NOWHERE) {
            assert_ptr_equal(access.user, &user[table[i].allocation]);
            assert_int_equal(access.resident, table[i].allocation == 1);
        }
        game_end(game);
    }
}

/* Which the driver of this world cannot reset alone. */
static void a_page_fault_costs_one_process_its_device(void **state) {
    (void)state;
    struct game *game = game_new(2);
    struct player *player = &game->players[0], *other = &game->players[1];
    struct vidmm_allocation *kept = make(other, MIB, ANYWHERE);
    stamp(other, kept, 5);
    must_list(other, kept);
    fault_at(player, BASE, DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED);
    must_submit(other);
    assert_int_equal(game->world->resets, 1);
    assert_true(vidmm_device_lost(player->device));
    assert_false(vidmm_device_lost(other->device));
    expect_stamp(other, kept, 5);
    assert_int_equal(access_of(player).process, 1);
    game_end(game);
}

/* ---- What is not resident any more ----------------------------------------------------------- */

static DRIVER_INITIALIZATION_DATA below;
static uint32_t notices[2]; /* by Resident */

static NTSTATUS APIENTRY note(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *arg) {
    if (arg->Operation == DXGK_OPERATION_NOTIFY_RESIDENCY)
        notices[arg->NotifyResidency.Resident]++;
    return below.DxgkDdiBuildPagingBuffer(adapter, arg);
}

static NTSTATUS APIENTRY want_notices(HANDLE adapter, DXGKARG_CREATEALLOCATION *arg) {
    NTSTATUS status = below.DxgkDdiCreateAllocation(adapter, arg);
    arg->pAllocationInfo[0].FlagsWddm2.AccessedPhysically = 1;
    arg->pAllocationInfo[0].FlagsWddm2.ExplicitResidencyNotification = 1;
    return status;
}

static void watch(DRIVER_INITIALIZATION_DATA *ddi) {
    below = *ddi;
    ddi->DxgkDdiBuildPagingBuffer = note;
    ddi->DxgkDdiCreateAllocation = want_notices;
}

static void a_reset_says_what_is_not_resident_any_more(void **state) {
    (void)state;
    struct game *game = game_prepare(4 * MIB);
    game->world->overlay = watch;
    memset(notices, 0, sizeof(notices));
    game_start(game, 1);
    struct player *player = &game->players[0];
    struct vidmm_allocation *there = make(player, MIB, SET(VRAM));
    (void)make(player, MIB, SET(VRAM)); /* never was */
    must_list(player, there);
    assert_int_equal(notices[1], 1);
    assert_int_equal(notices[0], 0);
    assert_int_equal(vidmm_reset(game->world->adapter), VIDMM_OK);
    assert_int_equal(notices[0], 1);
    must_submit(player);
    assert_int_equal(notices[1], 2);
    game_end(game);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_named_by_what_lies_there_or_near),
        cmocka_unit_test(a_page_fault_costs_one_process_its_device),
        cmocka_unit_test(a_reset_says_what_is_not_resident_any_more),
    };
    return cmocka_run_group_tests_name("page_fault", tests, NULL, NULL);
}
