/*
 * virtual_window_test.c - the CPU's way to memory without a BAR of its own: windows of the CPU host
 * aperture (cpu-host-aperature.md; rules R265 to R272).
 */
#include "virtual_players.h"

#define ONLY_VRAM    SET(VRAM)
#define ANYWHERE     (SET(VRAM) | SET(APERTURE))
#define WINDOW_BASE  UINT64_C(0xd0000000)
#define WINDOW_PAGES 8u
#define NOTHING      UINT64_MAX

/* What the driver's table of the aperture says: page of the segment. */
static uint64_t shows[WINDOW_PAGES];
static uint32_t maps, unmaps;
static uint8_t bar[WINDOW_PAGES * 4096u];
static void *(*io_map_else)(void *ctx, uint64_t physical, size_t size);

static void *io_map(void *ctx, uint64_t physical, size_t size) {
    if (physical < WINDOW_BASE || physical + size > WINDOW_BASE + sizeof(bar))
        return io_map_else(ctx, physical, size);
    return bar + (physical - WINDOW_BASE);
}

static void spoil(DXGKARG_QUERYADAPTERINFO *arg) {
    DXGK_QUERYSEGMENTOUT4 *out = arg->pOutputData;
    if (arg->Type != DXGKQAITYPE_QUERYSEGMENT4 || !out->pSegmentDescriptor)
        return;
    DXGK_SEGMENTDESCRIPTOR4 *vram = (DXGK_SEGMENTDESCRIPTOR4 *)(void *)out->pSegmentDescriptor;
    vram->Flags.SupportsCpuHostAperture = 1;
    vram->CpuHostAperture.PhysicalAddress = WINDOW_BASE;
    vram->CpuHostAperture.SizeInPages = WINDOW_PAGES;
}

static NTSTATUS APIENTRY map(HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE *arg) {
    const struct world *world = adapter;
    assert_int_equal(arg->SegmentId, VRAM);
    maps++;
    for (UINT64 i = 0; i < arg->NumberOfPages; i++) {
        assert_true(arg->pCpuHostAperturePages[i] < WINDOW_PAGES); /* R267 */
        assert_int_equal(shows[arg->pCpuHostAperturePages[i]], NOTHING);
        assert_true(arg->pMemorySegmentPages[i] < world->vram_bytes / PAGE);
        shows[arg->pCpuHostAperturePages[i]] = arg->pMemorySegmentPages[i];
    }
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY unmap(HANDLE adapter, const DXGKARG_UNMAPCPUHOSTAPERTURE *arg) {
    (void)adapter;
    unmaps++;
    for (UINT64 i = 0; i < arg->NumberOfPages; i++) {
        assert_true(shows[arg->pCpuHostAperturePages[i]] != NOTHING);
        shows[arg->pCpuHostAperturePages[i]] = NOTHING;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY refuse(HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE *arg) {
    (void)adapter, (void)arg;
    return STATUS_INVALID_PARAMETER;
}

static struct game *begin(void) {
    struct game *game = game_prepare(4 * MIB);
    io_map_else = game->world->os.io_map;
    game->world->os.io_map = io_map;
    game->world->spoil = spoil;
    for (uint32_t i = 0; i < WINDOW_PAGES; i++)
        shows[i] = NOTHING;
    maps = unmaps = 0;
    game_start(game, 1);
    game->world->ddi.DxgkDdiMapCpuHostAperture = map;
    game->world->ddi.DxgkDdiUnmapCpuHostAperture = unmap;
    return game;
}

/* And every window is closed. */
static void end(struct game *game) {
    game_end(game);
    assert_int_equal(maps, unmaps);
}

static struct vidmm_allocation *resident(struct player *player, uint64_t pages) {
    struct vidmm_allocation *allocation = make(player, pages * PAGE, ANYWHERE);
    must_list(player, allocation);
    assert_int_equal(segment_of(allocation), VRAM);
    return allocation;
}

/* The pointer shows the pages of the allocation, wherever they lie. */
static void expect_window(const struct vidmm_allocation *allocation, const void *cpu,
                          uint64_t pages) {
    uint64_t offset, first = (uint64_t)((const uint8_t *)cpu - bar) / PAGE;
    for (uint64_t page = 0; page < pages; page++) {
        assert_int_equal(vidmm_allocation_page(allocation, page, &offset), VRAM);
        assert_int_equal(shows[first + page], offset / PAGE);
    }
}

static void a_lock_leaves_memory_where_it_is(void **state) {
    (void)state;
    struct game *game = begin();
    struct player *player = &game->players[0];
    struct vidmm_allocation *holes[4], *a;
    void *cpu;
    for (uint32_t i = 0; i < 4; i++)
        holes[i] = resident(player, 2);
    a = make(player, 1000 * PAGE, ONLY_VRAM);
    must_list(player, a);
    vidmm_allocation_destroy(holes[0]);
    vidmm_allocation_destroy(holes[2]);
    struct vidmm_allocation *scattered = resident(player, 4 + 12);
    evict(player, scattered, 0);
    vidmm_allocation_destroy(scattered);
    scattered = resident(player, 6);
    uint64_t transfers = game->world->transfers;
    assert_int_equal(vidmm_lock(scattered, 0, &cpu), VIDMM_OK);
    expect_window(scattered, cpu, 6);
    assert_int_equal(game->world->transfers, transfers);
    vidmm_unlock(scattered);
    /* What the CPU wrote there is content: it is saved. */
    assert_int_equal(vidmm_allocation_evict(scattered, true), VIDMM_OK);
    assert_int_equal(game->world->transfers, transfers + 1);
    end(game);
}

static void a_window_stays_until_another_needs_the_room(void **state) {
    (void)state;
    struct game *game = begin();
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = resident(player, 4), *b = resident(player, 4);
    struct vidmm_allocation *order[5] = {a, b, a, resident(player, 3), a};
    const uint32_t expected[5] = {1, 2, 2, 3, 3};
    void *cpu;
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(vidmm_lock(order[i], 0, &cpu), VIDMM_OK);
        assert_int_equal(maps, expected[i]);
        expect_window(order[i], cpu, i == 3 ? 3 : 4);
        vidmm_unlock(order[i]);
    }
    assert_int_equal(unmaps, 1);
    end(game);
}

/* R270 */
static void memory_is_unmapped_before_it_is_used_again(void **state) {
    (void)state;
    struct game *game = begin();
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = resident(player, 4);
    void *cpu;
    assert_int_equal(vidmm_lock(a, 0, &cpu), VIDMM_OK);
    vidmm_unlock(a);
    assert_int_equal(unmaps, 0);
    evict(player, a, 0);
    assert_int_equal(vidmm_allocation_evict(a, true), VIDMM_OK);
    assert_int_equal(unmaps, 1);
    must_list(player, a);
    assert_int_equal(vidmm_lock(a, 0, &cpu), VIDMM_OK);
    expect_window(a, cpu, 4);
    vidmm_unlock(a);
    assert_int_equal(vidmm_reset(game->world->adapter), VIDMM_OK);
    assert_int_equal(unmaps, 2);
    end(game);
}

static void what_the_cpu_sees_stays_where_it_is(void **state) {
    (void)state;
    struct game *game = begin();
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = resident(player, 4), *b = make(player, 4 * MIB, ONLY_VRAM);
    void *cpu;
    assert_int_equal(vidmm_lock(a, 0, &cpu), VIDMM_OK);
    evict(player, a, 0);
    assert_int_equal(vidmm_allocation_evict(a, true), VIDMM_PINNED);
    assert_int_equal(make_resident(player, b), VIDMM_DOES_NOT_FIT);
    expect_window(a, cpu, 4);
    vidmm_unlock(a);
    must_list(player, b);
    end(game);
}

static void without_a_window_the_bytes_come_to_system_memory(void **state) {
    (void)state;
    struct game *game = begin();
    struct player *player = &game->players[0];
    struct vidmm_allocation *a = resident(player, 8), *b = resident(player, 4);
    struct vidmm_allocation *large = resident(player, 9);
    void *cpu;
    assert_int_equal(vidmm_lock(large, VIDMM_LOCK_DONT_EVICT, &cpu), VIDMM_NOT_LOCKABLE);
    assert_int_equal(vidmm_lock(a, 0, &cpu), VIDMM_OK);
    assert_int_equal(vidmm_lock(b, VIDMM_LOCK_DONT_EVICT, &cpu), VIDMM_NOT_LOCKABLE);
    assert_int_equal(vidmm_lock(b, 0, &cpu), VIDMM_OK);
    assert_int_equal(segment_of(b), 0);
    vidmm_unlock(b);
    vidmm_unlock(a);
    game->world->ddi.DxgkDdiMapCpuHostAperture = refuse;
    must_submit(player);
    assert_int_equal(vidmm_lock(b, VIDMM_LOCK_DONT_EVICT, &cpu), VIDMM_NOT_LOCKABLE);
    end(game);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_leaves_memory_where_it_is),
        cmocka_unit_test(a_window_stays_until_another_needs_the_room),
        cmocka_unit_test(memory_is_unmapped_before_it_is_used_again),
        cmocka_unit_test(what_the_cpu_sees_stays_where_it_is),
        cmocka_unit_test(without_a_window_the_bytes_come_to_system_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
