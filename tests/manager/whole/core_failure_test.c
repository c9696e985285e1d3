/*
 * Every allocation of the operating system fails once, in turn: each call either succeeds or says
 * VIDMM_NO_MEMORY, nothing is leaked, and no byte is lost.
 */
#include "core_world.h"

#define COUNT 6u

static bool failed(enum vidmm_status status) {
    if (status != VIDMM_OK)
        assert_int_equal(status, VIDMM_NO_MEMORY);
    return status != VIDMM_OK;
}

/* Calls that failed once succeed when repeated: only one allocation fails in a run. */
static enum vidmm_status use_twice(struct vidmm_context *context, struct vidmm_allocation *a,
                                   struct vidmm_allocation *b) {
    enum vidmm_status status = world_use(context, true, 2, a, b);
    return failed(status) ? world_use(context, true, 2, a, b) : status;
}

static bool write_pattern(struct vidmm_allocation *allocation, uint32_t seed) {
    void *cpu = NULL;
    if (failed(vidmm_lock(allocation, 0, &cpu)))
        return false;
    memset(cpu, (int)seed, 24 * KIB);
    vidmm_unlock(allocation);
    return true;
}

static void check_pattern(struct vidmm_allocation *allocation, uint32_t seed) {
    void *cpu = NULL;
    if (failed(vidmm_lock(allocation, VIDMM_LOCK_READ_ONLY, &cpu)))
        assert_int_equal(vidmm_lock(allocation, VIDMM_LOCK_READ_ONLY, &cpu), VIDMM_OK);
    for (uint32_t i = 0; i < 24 * KIB; i++)
        assert_int_equal(((uint8_t *)cpu)[i], seed);
    vidmm_unlock(allocation);
}

static struct vidmm_allocation *make(struct vidmm_device *device, struct world_desc desc) {
    struct vidmm_allocation *allocation = NULL;
    if (failed(world_try_create(device, desc, &allocation)))
        assert_int_equal(world_try_create(device, desc, &allocation), VIDMM_OK);
    return allocation;
}

static struct world_desc describe(uint32_t index) {
    struct world_desc desc = world_local(24 * KIB);
    if (index % 3 == 1) {
        desc.read_set = desc.write_set = SET(VRAM);
        desc.evict_set = SET(APERTURE);
    }
    if (index % 3 == 2)
        desc.flags |= 2u; /* PermanentSysMem */
    return desc;
}

static void live(struct world *world, struct vidmm_device *device, struct vidmm_context *context) {
    struct vidmm_allocation *a[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        a[i] = make(device, describe(i));
        if (!write_pattern(a[i], i + 1))
            assert_true(write_pattern(a[i], i + 1));
    }
    for (uint32_t i = 0; i < 2 * COUNT; i++) {
        uint32_t one = i % COUNT, two = (i * 5 + 1) % COUNT;
        if (one != two)
            assert_int_equal(use_twice(context, a[one], a[two]), VIDMM_OK);
    }
    for (uint32_t i = 0; i < COUNT; i++)
        check_pattern(a[i], i + 1);
    (void)failed(vidmm_evict_all(world->adapter));
    for (uint32_t i = 0; i < COUNT; i++)
        check_pattern(a[i], i + 1);
    vidmm_allocation_destroy(a[0]);
}

/* One run in which allocation number `fail_at` fails; false: there were not that many. */
static bool run(uint64_t fail_at, uint32_t paging_segment) {
    struct world *world = world_new(64 * KIB, 512 * KIB, 0);
    struct vidmm_device *device = NULL;
    struct vidmm_context *context = NULL;
    world->system.fail_at = fail_at;
    world->paging_segment = paging_segment;
    world->dma_segments = paging_segment ? SET(APERTURE) : 0;
    world->paging_private = 16;
    world->context_allocation = false;
    if (failed(world_start(world))) {
        assert_null(world->adapter);
        assert_int_equal(world->error.status, VIDMM_NO_MEMORY);
    } else {
        if (failed(vidmm_device_create(world->adapter, &device)))
            assert_int_equal(vidmm_device_create(world->adapter, &device), VIDMM_OK);
        if (failed(vidmm_context_create(device, 0, 0, &context)))
            assert_int_equal(vidmm_context_create(device, 0, 0, &context), VIDMM_OK);
        live(world, device, context);
    }
    bool reached = world->system.calls >= fail_at;
    world_end(world);
    return reached;
}

static void memory_in_system(void **state) {
    (void)state;
    for (uint64_t fail_at = 1; run(fail_at, 0); fail_at++)
        ;
}

static void buffers_in_the_aperture(void **state) {
    (void)state;
    for (uint64_t fail_at = 1; run(fail_at, APERTURE); fail_at++)
        ;
}

static void buffers_that_nobody_has_memory_for_are_named(void **state) {
    (void)state;
    struct vidmm_device *device = NULL;
    struct vidmm_context *context = NULL;
    struct vidmm_error error;
    struct world *world = world_new(64 * KIB, 512 * KIB, 0);
    world->dma_size = UINT32_MAX;
    assert_int_equal(world_start(world), VIDMM_OK);
    assert_int_equal(vidmm_device_create(world->adapter, &device), VIDMM_OK);
    assert_int_equal(vidmm_context_create(device, 0, 0, &context), VIDMM_NO_MEMORY);
    vidmm_last_error(world->adapter, &error);
    assert_string_equal(error.field, "DXGK_CONTEXTINFO.DmaBufferSize");
    assert_int_equal(error.value, UINT32_MAX);
    world_end(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_that_nobody_has_memory_for_are_named),
        cmocka_unit_test(memory_in_system),
        cmocka_unit_test(buffers_in_the_aperture),
    };
    return cmocka_run_group_tests_name("core_failure", tests, NULL, NULL);
}
