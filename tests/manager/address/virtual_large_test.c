/*
 * virtual_large_test.c - large pages: which mappings have them, and what becomes of them when a
 * part changes (ns-d3dukmdt-_dxgk_pte.md, ns-d3dkmddi-_dxgk_gpummucaps.md).
 */
#include "virtual_players.h"

#define ANYWHERE (SET(VRAM) | SET(APERTURE))

static uint64_t large_size; /* of the world at hand */

/* Updates of the first process's tables in their order: 's' small pages, 'l' an entry above that
 * leads to a table, 'L' one with LargePage, 'H' the same of level 2, 'x' invalid entries of leaves. */
static char order[256];
static uint32_t ordered;
static DXGKDDI_BUILDPAGINGBUFFER *build_else;
static DXGKDDI_CREATEALLOCATION *create_else;

static void note_update(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    const struct world_process *process = update->hProcess;
    const DXGK_PTE *entry = &update->pPageTableEntries[0];
    if (process->system || ordered + 1 >= sizeof(order))
        return;
    order[ordered++] = entry->LargePage             ? (update->PageTableLevel == 1 ? 'L' : 'H')
                       : update->PageTableLevel > 0 ? 'l'
                       : entry->Valid               ? 's'
                                                    : 'x';
    order[ordered] = '\0';
}

static NTSTATUS APIENTRY build_and_note(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *arg) {
    if (arg->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && arg->MultipassOffset == 0)
        note_update(&arg->UpdatePageTable);
    return build_else(adapter, arg);
}

static NTSTATUS APIENTRY create_without(const HANDLE adapter, DXGKARG_CREATEALLOCATION *arg) {
    NTSTATUS status = create_else(adapter, arg);
    for (UINT i = 0; i < arg->NumAllocations; i++)
        arg->pAllocationInfo[i].FlagsWddm2.DisableLargePageMapping = 1;
    return status;
}

static void watch(DRIVER_INITIALIZATION_DATA *ddi) {
    build_else = ddi->DxgkDdiBuildPagingBuffer;
    ddi->DxgkDdiBuildPagingBuffer = build_and_note;
}

static void watch_and_refuse(DRIVER_INITIALIZATION_DATA *ddi) {
    watch(ddi);
    create_else = ddi->DxgkDdiCreateAllocation;
    ddi->DxgkDdiCreateAllocation = create_without;
}

static struct game *prepare(void) {
    struct game *game = game_prepare(4 * MIB);
    game->world->large = true;
    game->world->overlay = watch;
    large_size = PAGE << game->world->bits[0];
    return game;
}

static struct game *begin(struct game *game) {
    game_start(game, 1);
    ordered = 0;
    order[0] = '\0';
    return game;
}

static uint64_t map(struct player *player, struct vidmm_va_request request) {
    uint64_t va, fence;
    request.protection = VIDMM_VA_WRITE;
    assert_int_equal(vidmm_va_map(player->queue, &request, &va, &fence), VIDMM_OK);
    return va;
}

/* Pages of [va, va + size) that are parts of large ones; all of them lead to the allocation. */
static uint64_t large_pages(struct player *player, const struct vidmm_allocation *allocation,
                            uint64_t va, uint64_t offset, uint64_t size) {
    struct world_process *process = world_process(player->game->world, 1);
    uint64_t count = 0, place;
    for (uint64_t at = 0; at < size; at += PAGE) {
        struct world_page page = world_translate(process, va + at);
        assert_true(page.valid);
        assert_int_equal(vidmm_allocation_page(allocation, (offset + at) / PAGE, &place),
                         page.segment);
        assert_int_equal(page.page, place / PAGE);
        count += page.large;
    }
    return count;
}

/* ---- Which have them ------------------------------------------------------------------------- */

static void what_lies_together_is_mapped_by_entries_above_the_leaves(void **state) {
    (void)state;
    struct game *game = begin(prepare());
    struct player *player = &game->players[0];
    uint64_t size = 3 * large_size + PAGE;
    struct vidmm_allocation *small = make(player, PAGE, ANYWHERE);
    struct vidmm_allocation *allocation = make(player, size, ANYWHERE);
    must_list(player, small); /* the next free place is no multiple of a large page */
    uint64_t va = map(player, (struct vidmm_va_request){.size = size, .allocation = allocation});
    uint64_t before = game->world->updates;
    must_list(player, allocation);
    assert_int_equal(large_pages(player, allocation, va, 0, size), 3 * large_size / PAGE);
    assert_int_equal(game->world->large_entries, 3);
    assert_non_null(strstr(order, "Ls"));
    assert_true(game->world->updates - before < 8);
    evict(player, allocation, 0);
    assert_int_equal(vidmm_allocation_evict(allocation, true), VIDMM_OK);
    assert_false(world_translate(world_process(game->world, 1), va).valid);
    must_list(player, allocation);
    assert_int_equal(large_pages(player, allocation, va, 0, size), 3 * large_size / PAGE);
    game_end(game);
}

static void expect_none(struct game *game, struct vidmm_va_request request) {
    struct player *player = &game->players[0];
    struct vidmm_allocation *allocation = make(player, 2 * large_size, ANYWHERE);
    request.size = 2 * large_size;
    request.allocation = allocation;
    uint64_t va = map(player, request);
    must_list(player, allocation);
    assert_int_equal(large_pages(player, allocation, va, 0, request.size), 0);
    assert_int_equal(game->world->large_entries, 0);
    game_end(game);
}

static void an_allocation_can_do_without(void **state) {
    (void)state;
    struct game *game = prepare();
    game->world->overlay = watch_and_refuse;
    expect_none(begin(game), (struct vidmm_va_request){0});
}

/* The capability is older than its use. */
static void drivers_before_2_1_get_none(void **state) {
    (void)state;
    struct game *game = prepare();
    game->world->version = DXGKDDI_INTERFACE_VERSION_WDDM2_0;
    expect_none(begin(game), (struct vidmm_va_request){0});
}

/* Only leaf entries have one (R226). */
static void a_driver_protection_needs_leaf_entries(void **state) {
    (void)state;
    expect_none(begin(prepare()), (struct vidmm_va_request){.driver_protection = 5});
}

static void tiles_have_none(void **state) {
    (void)state;
    struct game *game = begin(prepare());
    struct vidmm_va_request reserve = {.size = 2 * large_size, .base = 16 * MIB};
    uint64_t va;
    assert_int_equal(vidmm_va_reserve(game->players[0].process, &reserve, &va), VIDMM_OK);
    expect_none(game, (struct vidmm_va_request){.base = va});
}

/* Byte 64 KiB of the allocation is at no multiple of a large page. */
static void an_unaligned_place_needs_the_driver_to_allow_it(void **state) {
    (void)state;
    for (uint32_t anywhere = 0; anywhere < 2; anywhere++) {
        struct game *game = prepare();
        game->world->large_anywhere = anywhere;
        struct player *player = &begin(game)->players[0];
        struct vidmm_allocation *allocation = make(player, 2 * large_size, ANYWHERE);
        struct vidmm_va_request request = {.size = large_size,
                                           .base = 16 * MIB,
                                           .allocation = allocation,
                                           .offset = large_size / 2};
        uint64_t va = map(player, request);
        must_list(player, allocation);
        assert_int_equal(large_pages(player, allocation, va, request.offset, large_size),
                         anywhere ? large_size / PAGE : 0);
        game_end(game);
    }
}

/* ---- What changes in part -------------------------------------------------------------------- */

/* No address that stays is invalid at any time: the entry above leads to its table again when that
 * is full, and only the large page of which something changes is split. */
static void a_split_leaves_its_neighbours_valid(void **state) {
    (void)state;
    struct game *game = begin(prepare());
    struct player *player = &game->players[0];
    struct vidmm_allocation *allocation = make(player, 2 * large_size, ANYWHERE);
    uint64_t va =
        map(player, (struct vidmm_va_request){.size = 2 * large_size, .allocation = allocation});
    must_list(player, allocation);
    assert_int_equal(large_pages(player, allocation, va, 0, 2 * large_size), 2 * large_size / PAGE);
    ordered = 0;
    assert_int_equal(vidmm_va_free(player->process, va + 2 * PAGE, PAGE), VIDMM_OK);
    assert_string_equal(order, "ssl");
    assert_int_equal(large_pages(player, allocation, va, 0, 2 * PAGE), 0);
    assert_false(world_translate(world_process(game->world, 1), va + 2 * PAGE).valid);
    assert_int_equal(
        large_pages(player, allocation, va + 3 * PAGE, 3 * PAGE, large_size - 3 * PAGE), 0);
    assert_int_equal(large_pages(player, allocation, va + large_size, large_size, large_size),
                     large_size / PAGE);
    game_end(game);
}

/* Both ends of what is freed lie in large pages. */
static void both_ends_of_a_change_are_split(void **state) {
    (void)state;
    struct game *game = begin(prepare());
    struct player *player = &game->players[0];
    struct vidmm_allocation *allocation = make(player, 3 * large_size, ANYWHERE);
    uint64_t size = 3 * large_size, gap = size - 2 * PAGE;
    uint64_t va = map(player, (struct vidmm_va_request){.size = size, .allocation = allocation});
    must_list(player, allocation);
    assert_int_equal(vidmm_va_free(player->process, va + PAGE, gap), VIDMM_OK);
    assert_int_equal(large_pages(player, allocation, va, 0, PAGE), 0);
    assert_int_equal(large_pages(player, allocation, va + size - PAGE, size - PAGE, PAGE), 0);
    for (uint64_t at = PAGE; at < size - PAGE; at += PAGE)
        assert_false(world_translate(world_process(game->world, 1), va + at).valid);
    game_end(game);
}

/* ---- Every level ----------------------------------------------------------------------------- */

/* Three levels; two entries of level 1 are as much as one of level 2. */
static struct game *prepare_higher(void) {
    static const uint32_t bits[VIDMM_LEVELS_MAX] = {5, 1, 8};
    struct game *game = prepare();
    game->world->levels = 3;
    memcpy(game->world->bits, bits, sizeof(bits));
    large_size = PAGE << bits[0];
    return game;
}

static uint64_t higher_size(const struct game *game) {
    return large_size << game->world->bits[1];
}

static void each_part_has_the_highest_level_that_fits(void **state) {
    (void)state;
    struct game *game = begin(prepare_higher());
    struct player *player = &game->players[0];
    struct world_process *process = world_process(game->world, 1);
    uint64_t high = higher_size(game), size = high + large_size + PAGE;
    struct vidmm_allocation *small = make(player, PAGE, ANYWHERE);
    struct vidmm_allocation *allocation = make(player, size, ANYWHERE);
    must_list(player, small);
    uint64_t va = map(player, (struct vidmm_va_request){.size = size, .allocation = allocation});
    must_list(player, allocation);
    for (uint32_t again = 0; again < 2; again++) {
        assert_int_equal(large_pages(player, allocation, va, 0, size), (size - PAGE) / PAGE);
        assert_int_equal(world_translate(process, va + high - PAGE).level, 2);
        assert_int_equal(world_translate(process, va + high).level, 1);
        evict(player, allocation, 0);
        assert_int_equal(vidmm_allocation_evict(allocation, true), VIDMM_OK);
        assert_false(world_translate(process, va).valid);
        must_list(player, allocation);
    }
    game_end(game);
}

/* Its neighbours of the lower level stay large, and are there before the entry above goes. */
static void a_split_goes_down_one_level_at_a_time(void **state) {
    (void)state;
    struct game *game = begin(prepare_higher());
    struct player *player = &game->players[0];
    struct world_process *process = world_process(game->world, 1);
    uint64_t size = higher_size(game), hole = large_size + PAGE;
    struct vidmm_allocation *allocation = make(player, size, ANYWHERE);
    uint64_t va = map(player, (struct vidmm_va_request){.size = size, .allocation = allocation});
    must_list(player, allocation);
    assert_int_equal(world_translate(process, va).level, 2);
    ordered = 0;
    assert_int_equal(vidmm_va_free(player->process, va + hole, PAGE), VIDMM_OK);
    assert_string_equal(order, "Lssl");
    assert_false(world_translate(process, va + hole).valid);
    assert_int_equal(large_pages(player, allocation, va, 0, large_size), large_size / PAGE);
    assert_int_equal(large_pages(player, allocation, va + large_size, large_size, PAGE), 0);
    assert_int_equal(
        large_pages(player, allocation, va + hole + PAGE, hole + PAGE, size - hole - PAGE), 0);
    game_end(game);
}

/* ---- System memory --------------------------------------------------------------------------- */

static void says_system(DXGKARG_QUERYADAPTERINFO *arg) {
    if (arg->Type == DXGKQAITYPE_GPUMMUCAPS)
        ((DXGK_GPUMMUCAPS *)arg->pOutputData)->SysMemLargePageSupported = 1;
}

/* From WDDM 2.9 on, where the system's pages lie together. */
static void system_memory_needs_the_driver_to_allow_it(void **state) {
    static const uint32_t versions[] = {DXGKDDI_INTERFACE_VERSION_WDDM2_8,
                                        DXGKDDI_INTERFACE_VERSION_WDDM2_9};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct game *game = prepare();
        game->world->large_anywhere = true;
        game->world->version = versions[i];
        game->world->spoil = says_system;
        game->world->system.scattered = false;
        struct player *player = &begin(game)->players[0];
        struct vidmm_allocation *allocation = make(player, 2 * large_size, SET(APERTURE));
        uint64_t va = map(
            player, (struct vidmm_va_request){.size = 2 * large_size, .allocation = allocation});
        must_list(player, allocation);
        PMDL mdl = vidmm_allocation_backing(allocation);
        for (uint64_t at = 0; at < 2 * large_size; at += PAGE) {
            struct world_page page = world_translate(world_process(game->world, 1), va + at);
            assert_true(page.valid);
            assert_int_equal(page.large, i);
            assert_int_equal(page.page, MmGetMdlPfnArray(mdl)[at / PAGE]);
        }
        game_end(game);
    }
}

/* ---- Side by side ---------------------------------------------------------------------------- */

/* `size` bytes of the allocation in `parts` mappings, one behind the other. */
static uint64_t map_parts(struct player *player, struct vidmm_allocation *allocation, uint64_t size,
                          uint64_t parts) {
    uint64_t part = size / parts;
    for (uint64_t i = 0; i < parts; i++)
        map(player, (struct vidmm_va_request){.size = part,
                                              .base = 16 * MIB + i * part,
                                              .allocation = allocation,
                                              .offset = i * part});
    return 16 * MIB;
}

static void mappings_side_by_side_share_a_large_page(void **state) {
    (void)state;
    struct game *game = begin(prepare());
    struct player *player = &game->players[0];
    uint64_t size = 3 * large_size, part = size / 6;
    struct vidmm_allocation *allocation = make(player, size, ANYWHERE);
    must_list(player, allocation);
    uint64_t va = map_parts(player, allocation, size, 6);
    assert_int_equal(large_pages(player, allocation, va, 0, size), size / PAGE);
    evict(player, allocation, 0);
    assert_int_equal(vidmm_allocation_evict(allocation, true), VIDMM_OK);
    for (uint64_t at = 0; at < size; at += PAGE)
        assert_false(world_translate(world_process(game->world, 1), va + at).valid);
    must_list(player, allocation);
    assert_int_equal(large_pages(player, allocation, va, 0, size), size / PAGE);
    ordered = 0;
    assert_int_equal(vidmm_va_free(player->process, va + part, part), VIDMM_OK);
    assert_string_equal(order, "sl");
    assert_int_equal(large_pages(player, allocation, va, 0, part), 0);
    assert_false(world_translate(world_process(game->world, 1), va + part).valid);
    map(player, (struct vidmm_va_request){
                    .size = part, .base = va + part, .allocation = allocation, .offset = part});
    assert_int_equal(large_pages(player, allocation, va, 0, size), size / PAGE);
    game_end(game);
}

/* The entry above leads to memory before what is below it becomes invalid. */
static void joining_leaves_no_address_without_a_page(void **state) {
    (void)state;
    struct game *game = begin(prepare());
    struct player *player = &game->players[0];
    struct vidmm_allocation *allocation = make(player, large_size, ANYWHERE);
    must_list(player, allocation);
    struct vidmm_va_request half = {
        .size = large_size / 2, .base = 16 * MIB, .allocation = allocation};
    map(player, half);
    ordered = 0;
    half.base += large_size / 2;
    half.offset = large_size / 2;
    map(player, half);
    assert_string_equal(order, "sLx");
    game_end(game);
}

static void joining_goes_up_to_the_highest_level(void **state) {
    (void)state;
    struct game *game = begin(prepare_higher());
    struct player *player = &game->players[0];
    uint64_t size = higher_size(game);
    struct vidmm_allocation *allocation = make(player, size, ANYWHERE);
    must_list(player, allocation);
    uint64_t va = map_parts(player, allocation, size, 2);
    assert_int_equal(world_translate(world_process(game->world, 1), va).level, 2);
    assert_int_equal(large_pages(player, allocation, va, 0, size), size / PAGE);
    game_end(game);
}

/* Another right, another order, or another allocation between. */
static void what_does_not_go_on_is_not_joined(void **state) {
    (void)state;
    struct game *game = begin(prepare());
    struct player *player = &game->players[0];
    struct vidmm_allocation *allocation = make(player, large_size, ANYWHERE);
    struct vidmm_allocation *other = make(player, large_size, ANYWHERE);
    uint64_t half = large_size / 2, va = 16 * MIB, fence;
    must_list(player, allocation);
    must_list(player, other);
    map(player, (struct vidmm_va_request){.size = half, .base = va, .allocation = allocation});
    struct vidmm_va_request read_only = {
        .size = half, .base = va + half, .allocation = allocation, .offset = half};
    assert_int_equal(vidmm_va_map(player->queue, &read_only, &va, &fence), VIDMM_OK);
    va = 17 * MIB;
    map(player, (struct vidmm_va_request){
                    .size = half, .base = va, .allocation = allocation, .offset = half});
    map(player,
        (struct vidmm_va_request){.size = half, .base = va + half, .allocation = allocation});
    va = 18 * MIB;
    map(player, (struct vidmm_va_request){.size = half, .base = va, .allocation = allocation});
    map(player, (struct vidmm_va_request){
                    .size = half, .base = va + half, .allocation = other, .offset = half});
    assert_int_equal(game->world->large_entries, 0);
    game_end(game);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_together_is_mapped_by_entries_above_the_leaves),
        cmocka_unit_test(an_allocation_can_do_without),
        cmocka_unit_test(drivers_before_2_1_get_none),
        cmocka_unit_test(a_driver_protection_needs_leaf_entries),
        cmocka_unit_test(tiles_have_none),
        cmocka_unit_test(an_unaligned_place_needs_the_driver_to_allow_it),
        cmocka_unit_test(a_split_leaves_its_neighbours_valid),
        cmocka_unit_test(both_ends_of_a_change_are_split),
        cmocka_unit_test(each_part_has_the_highest_level_that_fits),
        cmocka_unit_test(a_split_goes_down_one_level_at_a_time),
        cmocka_unit_test(system_memory_needs_the_driver_to_allow_it),
        cmocka_unit_test(mappings_side_by_side_share_a_large_page),
        cmocka_unit_test(joining_leaves_no_address_without_a_page),
        cmocka_unit_test(joining_goes_up_to_the_highest_level),
        cmocka_unit_test(what_does_not_go_on_is_not_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
