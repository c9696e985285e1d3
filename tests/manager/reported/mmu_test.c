/*
 * mmu_test.c - what a driver may say of its MMU: every answer that cannot be is refused by its
 * rule, and those that can be are taken as they are.
 */
#include "space_world.h"

struct spoiled {
    const char *rule; /* NULL: none has a number */
    const char *field;
    void (*spoil)(DXGKARG_QUERYADAPTERINFO *arg);
};

static DXGK_GPUMMUCAPS *caps_of(DXGKARG_QUERYADAPTERINFO *arg) {
    static DXGK_GPUMMUCAPS unused;
    return arg->Type == DXGKQAITYPE_GPUMMUCAPS ? arg->pOutputData : &unused;
}

static DXGK_PAGE_TABLE_LEVEL_DESC *level_of(DXGKARG_QUERYADAPTERINFO *arg, uint32_t level) {
    static DXGK_PAGE_TABLE_LEVEL_DESC unused;
    const DXGK_QUERYPAGETABLELEVELDESCIN *in = arg->pInputData;
    bool asked = arg->Type == DXGKQAITYPE_PAGETABLELEVELDESC && in->LevelIndex == level;
    return asked ? arg->pOutputData : &unused;
}

/* clang-format off */
#define SPOILED(X)                                                                                 \
    X(one_level, "R250", "PageTableLevelCount", caps_of(arg)->PageTableLevelCount = 1)             \
    X(seven_levels, "R426", "PageTableLevelCount", caps_of(arg)->PageTableLevelCount = 7)          \
    X(no_addresses, "R251", "VirtualAddressBitCount", caps_of(arg)->VirtualAddressBitCount = 12)     \
    X(too_many_addresses, "R251", "VirtualAddressBitCount",                                          \
      caps_of(arg)->VirtualAddressBitCount = 64)                                                   \
    X(half_a_page_of_table, "R254", "LeafPageTableSizeFor64KPagesInBytes",                         \
      caps_of(arg)->LeafPageTableSizeFor64KPagesInBytes = 2048)                                    \
    X(dual_without_64k, "R254", "DualPteSupported", caps_of(arg)->DualPteSupported = 1;              \
      caps_of(arg)->LeafPageTableSizeFor64KPagesInBytes = 0)                                       \
    X(unknown_mode, NULL, "PageTableUpdateMode",                                                   \
      caps_of(arg)->PageTableUpdateMode = (DXGK_PAGETABLEUPDATEMODE)3)                             \
    X(no_index, "R251", "PageTableIndexBitCount", level_of(arg, 1)->PageTableIndexBitCount = 0)      \
    X(too_much_index, "R251", "PageTableIndexBitCount",                                              \
      level_of(arg, 1)->PageTableIndexBitCount = 40)                                               \
    X(too_little_index, "R251", "PageTableIndexBitCount",                                          \
      level_of(arg, 1)->PageTableIndexBitCount = 1)                                                \
    X(odd_size, "R253", "PageTableSizeInBytes", level_of(arg, 0)->PageTableSizeInBytes = 4097)     \
    X(no_size, "R253", "PageTableSizeInBytes", level_of(arg, 0)->PageTableSizeInBytes = 0)         \
    X(large_in_system_memory, "R252", "PageTableSizeInBytes",                                      \
      level_of(arg, 0)->PageTableSizeInBytes = 8192; level_of(arg, 0)->PageTableSegmentId = 0)     \
    X(no_such_segment, "R546", "PageTableSegmentId", level_of(arg, 0)->PageTableSegmentId = 9)       \
    X(in_an_aperture, NULL, "PageTableSegmentId",                                                  \
      level_of(arg, 1)->PageTableSegmentId = APERTURE)                                             \
    X(out_of_the_cpus_reach, "R211", "PagingProcessPageTableSegmentId",                            \
      level_of(arg, 0)->PagingProcessPageTableSegmentId = VRAM)                                    \
    X(directories_out_of_the_cpus_reach, "R212", "PageTableSegmentId",                             \
      caps_of(arg)->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;                        \
      level_of(arg, 1)->PageTableSegmentId = VRAM)                                                 \
    X(odd_alignment, NULL, "PageTableAlignmentInBytes",                                            \
      level_of(arg, 2)->PageTableAlignmentInBytes = 12345)
/* clang-format on */

#define DEFINE(name, rule, field, ...)                                                             \
    static void spoil_##name(DXGKARG_QUERYADAPTERINFO *arg) {                                      \
        __VA_ARGS__;                                                                               \
    }
SPOILED(DEFINE)
#define ENTRY(name, rule, field, ...) {rule, field, spoil_##name},

static void impossible_answers_are_refused(void **state) {
    static const struct spoiled spoiled[] = {SPOILED(ENTRY)};
    (void)state;
    for (size_t i = 0; i < sizeof(spoiled) / sizeof(spoiled[0]); i++) {
        struct world *world = world_new(3, PAGES_4K, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL);
        world->spoil = spoiled[i].spoil;
        assert_int_equal(world_start(world), VIDMM_DRIVER_BROKE_RULE);
        assert_non_null(strstr(world->error.field, spoiled[i].field));
        if (spoiled[i].rule)
            assert_string_equal(world->error.rule, spoiled[i].rule);
        world_end(world);
    }
}

static void by_the_cpu(DXGKARG_QUERYADAPTERINFO *arg) {
    caps_of(arg)->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
}

/* A driver of this kind was seen to start (W26). */
static void directories_in_memory_that_the_cpu_reaches_are_taken(void **state) {
    struct world *world = world_new(3, PAGES_4K, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL);
    (void)state;
    world->spoil = by_the_cpu;
    assert_int_equal(world_start(world), VIDMM_OK);
    world_end(world);
}

static void small_root(DXGKARG_QUERYADAPTERINFO *arg) {
    level_of(arg, 1)->PageTableIndexBitCount = 0;
    level_of(arg, 1)->PageTableSizeInBytes = 0;
}

/* A root of two levels may begin with nothing. */
static void what_the_driver_says_is_told(void **state) {
    (void)state;
    for (uint32_t levels = 2; levels <= VIDMM_LEVELS_MAX; levels++) {
        struct world *world = world_new(levels, PAGES_DUAL, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
        struct vidmm_gpummu_info info;
        world->spoil = levels == 2 ? small_root : NULL;
        assert_int_equal(world_start(world), VIDMM_OK);
        vidmm_gpummu_info(world->adapter, 0, &info);
        assert_true(info.on);
        assert_int_equal(info.levels, levels);
        assert_int_equal(info.level[0].index_bits, world->bits[0]);
        assert_int_equal(info.level[0].segment, SMALL);
        assert_int_equal(info.caps.PageTableUpdateMode, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
        assert_true(info.paging_bytes >= 8 * MIB);
        world_end(world);
    }
}

/* Asked for physical addresses the adapter has no processes. */
static void the_model_can_be_chosen(void **state) {
    struct world *world = world_new(3, PAGES_4K, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
    struct vidmm_gpummu_info info;
    struct vidmm_process *process;
    (void)state;
    world->model = VIDMM_MODEL_PHYSICAL;
    assert_int_equal(world_start(world), VIDMM_OK);
    vidmm_gpummu_info(world->adapter, 0, &info);
    assert_false(info.on);
    assert_int_equal(info.levels, 3);
    assert_int_equal(vidmm_process_create(world->adapter, &process), VIDMM_BAD_ARGUMENT);
    assert_null(process);
    world_end(world);
}

static void scratch_addresses_are_taken_again_when_they_should_be(void **state) {
    struct world *world = world_new(3, PAGES_4K, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
    struct vidmm_gpummu_info info;
    (void)state;
    world->scratch_most = 64 * 4096;
    assert_int_equal(world_start(world), VIDMM_OK);
    vidmm_gpummu_info(world->adapter, 0, &info);
    assert_int_equal(info.paging_bytes, 64 * 4096);
    world_end(world);
}

/* From WDDM 3.2 on a driver may say how much scratch space there is to be (R263). */
static void scratch_space_is_as_large_as_the_driver_wants(void **state) {
    (void)state;
    for (uint32_t megabytes = 0; megabytes <= 24; megabytes += 8) {
        struct world *world = world_new(3, PAGES_4K, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
        struct vidmm_gpummu_info info;
        world->version = DXGKDDI_INTERFACE_VERSION_WDDM3_2;
        world->paging_megabytes = megabytes;
        assert_int_equal(world_start(world), VIDMM_OK);
        vidmm_gpummu_info(world->adapter, 0, &info);
        assert_true(info.paging_bytes >= megabytes * MIB);
        assert_true(megabytes == 0 || info.paging_bytes <= (megabytes + 8) * MIB);
        world_end(world);
    }
}

static void a_function_that_is_missing_is_named(void **state) {
    struct world *world = world_new(2, PAGES_4K, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
    (void)state;
    world->no_root_size = true;
    assert_int_equal(world_start(world), VIDMM_DRIVER_BROKE_RULE);
    assert_string_equal(world->error.call, "DxgkDdiGetRootPageTableSize");
    world_end(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_answers_are_refused),
        cmocka_unit_test(directories_in_memory_that_the_cpu_reaches_are_taken),
        cmocka_unit_test(what_the_driver_says_is_told),
        cmocka_unit_test(the_model_can_be_chosen),
        cmocka_unit_test(scratch_space_is_as_large_as_the_driver_wants),
        cmocka_unit_test(scratch_addresses_are_taken_again_when_they_should_be),
        cmocka_unit_test(a_function_that_is_missing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
