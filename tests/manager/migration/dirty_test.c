/*
 * dirty_test.c - dirty-bit tracking as the manager offers it: what a driver may say of it, memory
 * bases, and queries of all or part of one.
 */
#include "dirty_world.h"

static struct world *new_world(bool performant, uint32_t page) {
    struct world *world = world_new(2, PAGES_4K, DXGK_PAGETABLEUPDATE_CPU_VIRTUAL);
    world_track(world, performant, page);
    return world;
}

static struct world *started(bool performant) {
    struct world *world = new_world(performant, PAGE);
    assert_int_equal(world_start(world), VIDMM_OK);
    return world;
}

/* ---- Capabilities ---------------------------------------------------------------------------- */

static void capabilities_are_asked_for_once_and_told(void **state) {
    struct world *world = new_world(true, WIDE);
    struct vidmm_dirty_info info;
    (void)state;
    assert_int_equal(world_start(world), VIDMM_OK);
    vidmm_dirty_info(world->adapter, &info);
    assert_true(info.tracking && info.performant && info.migration && info.tracks_always);
    assert_int_equal(vidmm_dirty_page(world->adapter, VRAM), WIDE);
    assert_int_equal(vidmm_dirty_page(world->adapter, APERTURE), 0);
    assert_int_equal(vidmm_dirty_page(world->adapter, 77), 0);
    assert_int_equal(world->dirty->caps_asked, 1);
    assert_int_equal(world->dirty->segment_caps_asked, 2); /* the memory segments */
    world_end(world);
}

static void nothing_is_asked_of_an_old_driver_or_one_that_does_not_track(void **state) {
    struct world *world = new_world(true, PAGE);
    struct vidmm_dirty_info info;
    (void)state;
    world->dirty->supported = world->dirty->migration = false;
    assert_int_equal(world_start(world), VIDMM_OK);
    vidmm_dirty_info(world->adapter, &info);
    assert_false(info.tracking || info.performant || info.migration || info.tracks_always);
    assert_int_equal(world->dirty->segment_caps_asked, 0);
    assert_int_equal(vidmm_migration_prepare(world->adapter, VIDMM_MIGRATION_SOURCE),
                     VIDMM_BAD_ARGUMENT);
    world_end(world);
    world = new_world(true, PAGE);
    world->version = DXGKDDI_INTERFACE_VERSION_WDDM3_1;
    assert_int_equal(world_start(world), VIDMM_OK);
    assert_int_equal(world->dirty->caps_asked, 0);
    world_end(world);
}

static void a_segment_that_is_not_tracked_has_no_page_size(void **state) {
    struct world *world = new_world(false, PAGE);
    struct vidmm_memory_range range = {0, PAGE};
    struct vidmm_memory_basis *basis;
    (void)state;
    world->dirty->page[2] = 0;
    world->dirty->migration = false;
    assert_int_equal(world_start(world), VIDMM_OK);
    assert_int_equal(vidmm_dirty_page(world->adapter, VRAM), PAGE);
    assert_int_equal(vidmm_dirty_page(world->adapter, SMALL), 0);
    assert_int_equal(vidmm_basis_create(world->adapter, SMALL, &range, 1, &basis),
                     VIDMM_BAD_ARGUMENT);
    world_end(world);
}

static void expect_refused_start(struct world *world, const char *rule) {
    assert_int_equal(world_start(world), VIDMM_DRIVER_BROKE_RULE);
    assert_string_equal(world->error.rule, rule);
    world_end(world);
}

static void migration_without_tracking_does_not_start(void **state) {
    struct world *world = new_world(true, PAGE);
    (void)state;
    world->dirty->supported = false;
    expect_refused_start(world, "R311");
    world = new_world(true, PAGE);
    world->dirty->page[2] = 0; /* not all of the memory */
    expect_refused_start(world, "R311");
}

static void an_odd_page_size_does_not_start(void **state) {
    static const uint32_t sizes[] = {2048, 4097, 12288, UINT32_MAX};
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        expect_refused_start(new_world(true, sizes[i]), "R312");
}

/* ---- Bases ----------------------------------------------------------------------------------- */

static struct vidmm_memory_basis *make(struct world *world, const struct vidmm_memory_range *ranges,
                                       uint32_t count) {
    struct vidmm_memory_basis *basis;
    assert_int_equal(vidmm_basis_create(world->adapter, VRAM, ranges, count, &basis), VIDMM_OK);
    return basis;
}

static void ranges_must_be_whole_pages_that_are_in_the_segment_once(void **state) {
    static const struct vidmm_memory_range bad[][2] = {
        {{0, 0}, {PAGE, PAGE}},           {{0, 100}, {PAGE, PAGE}},
        {{100, PAGE}, {PAGE, PAGE}},      {{0, 2 * PAGE}, {PAGE, PAGE}},
        {{PAGE, PAGE}, {0, 3 * PAGE}},    {{4 * MIB, PAGE}, {0, PAGE}},
        {{0, 4 * MIB + PAGE}, {0, PAGE}}, {{4 * MIB - PAGE, UINT64_MAX - PAGE + 1}, {0, PAGE}},
    };
    struct world *world = started(false);
    struct vidmm_memory_basis *basis;
    (void)state;
    for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(vidmm_basis_create(world->adapter, VRAM, bad[i], 2, &basis),
                         VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_basis_create(world->adapter, VRAM, bad[0], 0, &basis),
                     VIDMM_BAD_ARGUMENT);
    const struct vidmm_memory_range good[] = {{3 * PAGE, PAGE}, {0, PAGE}, {PAGE, PAGE}};
    vidmm_basis_destroy(make(world, good, 3)); /* in any order, also side by side */
    vidmm_basis_destroy(NULL);
    world_end(world);
}

static void a_basis_is_started_once_and_stopped_once(void **state) {
    struct world *world = started(false);
    const struct vidmm_memory_range all = {0, 4 * MIB};
    struct vidmm_memory_basis *basis = make(world, &all, 1);
    (void)state;
    assert_int_equal(vidmm_basis_stop(basis), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_basis_start(basis), VIDMM_OK);
    assert_int_equal(vidmm_basis_start(basis), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_basis_stop(basis), VIDMM_OK);
    assert_int_equal(vidmm_basis_start(basis), VIDMM_OK);
    vidmm_basis_destroy(basis); /* stops it first: the driver asserts that */
    make(world, &all, 1);       /* whoever forgets one */
    world_end(world);
}

static void a_driver_without_a_handle_is_told_of(void **state) {
    struct world *world = started(false);
    const struct vidmm_memory_range all = {0, 4 * MIB};
    struct vidmm_memory_basis *basis = NULL;
    enum vidmm_status status = VIDMM_OK;
    (void)state;
    for (uint32_t i = 0; status == VIDMM_OK && i <= DIRTY_BASES; i++)
        status = vidmm_basis_create(world->adapter, VRAM, &all, 1, &basis);
    assert_int_equal(status, VIDMM_DRIVER_REFUSED);
    assert_null(basis);
    world_end(world);
}

/* ---- Queries --------------------------------------------------------------------------------- */

static const struct vidmm_memory_range three[] = {
    {16 * PAGE, 3 * PAGE}, {0, 5 * PAGE}, {32 * PAGE, 13 * PAGE}};

static void bits_follow_each_other_in_the_order_of_the_basis(void **state) {
    struct world *world = started(false);
    struct vidmm_memory_basis *basis = make(world, three, 3);
    const struct vidmm_dirty_query whole = {.size = 0}, part = {2, 8 * PAGE, 5 * PAGE, false};
    uint8_t bits[5] = {0, 0, 0, 0xcc, 0xcc};
    (void)state;
    assert_int_equal(vidmm_basis_start(basis), VIDMM_OK);
    world_wrote(world, VRAM, 18 * PAGE); /* page 2 */
    world_wrote(world, VRAM, 20 * PAGE); /* not in it */
    world_wrote(world, VRAM, 0);         /* page 3 */
    world_wrote(world, VRAM, 44 * PAGE); /* page 20, the last */
    assert_int_equal(vidmm_basis_query_bytes(basis, &whole), 3);
    assert_int_equal(vidmm_basis_query(basis, &whole, bits, 3), VIDMM_OK);
    assert_int_equal(bits[0], 1u << 2 | 1u << 3);
    assert_int_equal(bits[1], 0);
    assert_int_equal(bits[2], 1u << 4);
    assert_int_equal(bits[3], 0xcc);
    assert_int_equal(vidmm_basis_query(basis, &part, bits, sizeof(bits)), VIDMM_OK);
    assert_int_equal(bits[0], 1u << 4);
    assert_int_equal(bits[3], 0xcc);
    world_end(world);
}

static void a_query_is_inside_of_its_range_and_has_room_or_is_refused(void **state) {
    static const struct vidmm_dirty_query bad[] = {
        {3, 0, PAGE, true},         {0, 0, 4 * PAGE, true}, {0, 3 * PAGE, PAGE, true},
        {0, 100, PAGE, true},       {0, 0, 100, true},      {1, 4 * PAGE, 2 * PAGE, true},
        {1, UINT64_MAX, PAGE, true}};
    const struct vidmm_dirty_query whole = {.clear = true};
    struct world *world = started(false);
    struct vidmm_memory_basis *basis = make(world, three, 3);
    uint8_t bits[3];
    (void)state;
    assert_int_equal(vidmm_basis_start(basis), VIDMM_OK);
    world_wrote(world, VRAM, 0);
    for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(vidmm_basis_query_bytes(basis, &bad[i]), 0);
        assert_int_equal(vidmm_basis_query(basis, &bad[i], bits, sizeof(bits)), VIDMM_BAD_ARGUMENT);
    }
    assert_int_equal(vidmm_basis_query(basis, &whole, bits, 2), VIDMM_BAD_ARGUMENT);
    assert_int_equal(world->dirty->queries, 0);
    assert_int_equal(vidmm_basis_query(basis, &whole, bits, 3), VIDMM_OK);
    assert_int_equal(bits[0], 1u << 3); /* nothing was cleared on the way */
    assert_int_equal(vidmm_basis_query(basis, &whole, bits, 3), VIDMM_OK);
    assert_int_equal(bits[0], 0);
    world_end(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capabilities_are_asked_for_once_and_told),
        cmocka_unit_test(nothing_is_asked_of_an_old_driver_or_one_that_does_not_track),
        cmocka_unit_test(a_segment_that_is_not_tracked_has_no_page_size),
        cmocka_unit_test(migration_without_tracking_does_not_start),
        cmocka_unit_test(an_odd_page_size_does_not_start),
        cmocka_unit_test(ranges_must_be_whole_pages_that_are_in_the_segment_once),
        cmocka_unit_test(a_basis_is_started_once_and_stopped_once),
        cmocka_unit_test(a_driver_without_a_handle_is_told_of),
        cmocka_unit_test(bits_follow_each_other_in_the_order_of_the_basis),
        cmocka_unit_test(a_query_is_inside_of_its_range_and_has_room_or_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
