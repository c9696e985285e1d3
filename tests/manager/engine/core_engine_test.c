/*
 * One engine that hangs or met a page fault: preempted, or reset alone; whose work is lost, whose
 * is done again, and when the adapter has to be reset after all.
 */
#include "core_world.h"

/* Two devices, each with a context on node 0 and something in VRAM that the CPU wrote. */
struct two {
    struct world *world;
    struct vidmm_device *device[2];
    struct vidmm_context *context[2];
    struct vidmm_allocation *allocation[2];
    uint64_t fence[4]; /* of the submissions of each in turn */
    uint32_t count;
};

static void start(struct two *two, struct world *world) {
    *two = (struct two){.world = world};
    assert_int_equal(world_start(world), VIDMM_OK);
    for (uint32_t i = 0; i < 2; i++) {
        two->device[i] = world_device(world);
        two->context[i] = world_context(two->device[i]);
        two->allocation[i] = world_create(two->device[i], world_only(SET(VRAM), 8 * KIB));
        world_write(two->allocation[i], i + 1);
    }
}

static struct world *engines(void) {
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    world->deferred = world->preempts = world->resets_engines = true;
    return world;
}

static void submit(struct two *two, uint32_t whose) {
    struct vidmm_reference reference = {two->allocation[whose], true};
    struct vidmm_submission submission = {.references = &reference, .count = 1};
    assert_int_equal(vidmm_submit(two->context[whose], &submission, &two->fence[two->count++]),
                     VIDMM_OK);
}

/* The first device hangs with its first submission; both have another one behind it. */
static void start_hanging(struct two *two, struct world *world) {
    world->hang_render = 1;
    start(two, world);
    submit(two, 0);
    submit(two, 1);
    submit(two, 0);
    submit(two, 1);
}

static void expect_first_lost(struct two *two) {
    struct world *world = two->world;
    assert_int_equal(vidmm_wait(world->adapter, two->fence[0]), VIDMM_DEVICE_LOST);
    assert_int_equal(vidmm_wait(world->adapter, two->fence[1]), VIDMM_OK);
    assert_int_equal(vidmm_wait(world->adapter, two->fence[2]), VIDMM_DEVICE_LOST);
    assert_int_equal(vidmm_wait(world->adapter, two->fence[3]), VIDMM_OK);
    assert_true(vidmm_device_lost(two->device[0]));
    assert_false(vidmm_device_lost(two->device[1]));
    assert_int_equal(vidmm_wait_idle(world->adapter), VIDMM_OK);
}

/* Everything stayed where it was, and what was there. */
static void expect_nothing_moved(struct two *two) {
    assert_int_equal(two->world->resets, 0);
    assert_int_equal(two->world->contents_lost, 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(world_segment_of(two->allocation[i]), VRAM);
        world_gpu_check(two->world, two->allocation[i], i + 1);
    }
    assert_int_equal(world_use(two->context[1], true, 1, two->allocation[1]), VIDMM_OK);
}

static void what_takes_too_long_is_preempted_and_done_again(void **state) {
    (void)state;
    struct two two;
    struct world *world = engines();
    world->preempts_anything = true;
    start_hanging(&two, world);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(vidmm_wait(world->adapter, two.fence[i]), VIDMM_OK);
    assert_int_equal(world->preemptions, 1);
    assert_int_equal(world->engine_resets, 0);
    /* WDDM 1.x: the flag is not there; the fences are new ones. */
    assert_int_equal(world->resubmissions, 0);
    uint32_t last = world->fence_count - 1;
    for (uint32_t i = 0; i < 4; i++)
        assert_true(world->fences[last - i] > world->fences[last - 4]);
    expect_nothing_moved(&two);
    assert_false(vidmm_device_lost(two.device[0]));
    world_end(world);
}

static void a_preemption_that_is_asked_for_is_made_with_work_and_without(void **state) {
    (void)state;
    struct two two;
    struct world *world = engines();
    world->preempts_anything = true;
    start(&two, world);
    assert_int_equal(vidmm_preempt(world->adapter, 0, 0), VIDMM_OK);
    assert_int_equal(world->preemptions, 1);
    submit(&two, 0);
    uint32_t before = world->fence_count;
    assert_int_equal(vidmm_preempt(world->adapter, 0, 0), VIDMM_OK);
    assert_int_equal(world->preemptions, 2);
    assert_int_equal(world->fence_count, before + 1); /* it came again */
    assert_int_equal(vidmm_wait(world->adapter, two.fence[0]), VIDMM_OK);
    assert_int_equal(vidmm_preempt(world->adapter, 1, 0), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_preempt(world->adapter, 0, 64), VIDMM_BAD_ARGUMENT);
    assert_int_equal(world->resets, 0);
    world_end(world);
}

static void a_preemption_for_a_context_hands_its_work_over_first(void **state) {
    (void)state;
    struct two two;
    struct world *world = engines();
    world->preempts_anything = true;
    start(&two, world);
    for (uint32_t i = 0; i < 4; i++) /* the first ones move memory, which waits */
        submit(&two, i % 2);
    HANDLE first = world->fence_contexts[world->fence_count - 2];
    HANDLE second = world->fence_contexts[world->fence_count - 1];
    assert_ptr_not_equal(first, second);
    assert_int_equal(vidmm_preempt_for(two.context[1]), VIDMM_OK);
    assert_ptr_equal(world->fence_contexts[world->fence_count - 2], second);
    assert_ptr_equal(world->fence_contexts[world->fence_count - 1], first);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(vidmm_wait(world->adapter, two.fence[i]), VIDMM_OK);
    world_end(world);
}

/* Reports of work that has another fence since are no progress: it would be preempted for ever. */
static void an_engine_that_completes_old_fences_alone_is_reset(void **state) {
    (void)state;
    struct two two;
    struct world *world = engines();
    world->preempts_anything = true;
    start(&two, world);
    submit(&two, 0);
    assert_int_equal(vidmm_wait_idle(world->adapter), VIDMM_OK);
    world->rings_late = true;
    submit(&two, 0);
    assert_int_equal(vidmm_wait(world->adapter, two.fence[1]), VIDMM_DEVICE_LOST);
    assert_true(world->engine_resets != 0);
    world->rings_late = false;
    world_end(world);
}

static void an_engine_that_hangs_is_reset_alone(void **state) {
    (void)state;
    struct two two;
    struct world *world = engines();
    struct vidmm_stats stats;
    start_hanging(&two, world);
    expect_first_lost(&two);
    assert_int_equal(world->preemptions, 1); /* in vain, and before the reset */
    assert_int_equal(world->engine_resets, 1);
    expect_nothing_moved(&two);
    vidmm_stats(world->adapter, &stats);
    assert_int_equal(stats.engine_resets, 1);
    assert_int_equal(stats.resubmissions, 2);
    world_end(world);
}

/* What is reported of an engine while it is being reset comes too late to count. */
static void reports_during_the_reset_do_not_count(void **state) {
    (void)state;
    struct two two;
    struct world *world = engines();
    world->tells_late = true;
    start_hanging(&two, world);
    expect_first_lost(&two);
    expect_nothing_moved(&two);
    world_end(world);
}

static void an_engine_that_answers_is_waited_for_a_while(void **state) {
    for (uint32_t responsive = 1; responsive <= 8; responsive += 7) {
        (void)state;
        struct two two;
        struct world *world = engines();
        world->responsive = responsive;
        start_hanging(&two, world);
        uint64_t before = world->system.now;
        expect_first_lost(&two);
        assert_true(world->system.now - before >= 3 * UINT64_C(2000000000));
        assert_int_equal(world->engine_resets, 1);
        assert_true(world->responsive < responsive);
        world_end(world);
    }
}

/* On one node: paging work behind a hang is done again, with its fence and before all other. */
static void paging_work_behind_a_hang_keeps_its_fence(void **state) {
    (void)state;
    struct two two;
    struct world *world = engines();
    world->nodes = 1;
    world->paging_node = 0;
    start(&two, world);
    struct vidmm_allocation *late = world_create(two.device[1], world_only(SET(VRAM), 8 * KIB));
    world_write(late, 7);
    submit(&two, 1);
    assert_int_equal(vidmm_wait_idle(world->adapter), VIDMM_OK);
    world->hang_render = world->submits[0] + 1;
    submit(&two, 0);
    uint32_t before = world->fence_count;
    assert_int_equal(world_use(two.context[1], true, 1, late), VIDMM_OK);
    assert_int_equal(vidmm_wait_idle(world->adapter), VIDMM_OK);
    assert_int_equal(world->engine_resets, 1);
    assert_int_equal(world->resets, 0);
    assert_int_equal(world->fences[before], world->fences[before + 1]);
    assert_true(vidmm_device_lost(two.device[0]));
    assert_false(vidmm_device_lost(two.device[1]));
    world_gpu_check(world, late, 7);
    world_end(world);
}

static void paging_work_that_is_lost_takes_the_adapter_with_it(void **state) {
    (void)state;
    struct two two;
    struct world *world = engines();
    world->hang_paging = 1;
    start(&two, world);
    assert_int_equal(world_use(two.context[0], true, 1, two.allocation[0]), VIDMM_DEVICE_LOST);
    assert_int_equal(world->engine_resets, 1);
    assert_int_equal(world->resets, 1);
    assert_true(vidmm_device_lost(two.device[0]));
    assert_false(vidmm_device_lost(two.device[1]));
    assert_int_equal(world_use(two.context[1], true, 1, two.allocation[1]), VIDMM_OK);
    world_gpu_check(world, two.allocation[1], 2);
    world_end(world);
}

/* The driver says no, or has no such function. */
static void what_cannot_be_reset_alone_is_reset_with_the_adapter(void **state) {
    for (uint32_t i = 0; i < 3; i++) {
        (void)state;
        struct two two;
        struct world *world = engines();
        world->engine_status = i == 0 ? STATUS_UNSUCCESSFUL : 0;
        world->resets_engines = i == 0;
        world->preempts = i != 2;
        start_hanging(&two, world);
        assert_int_equal(vidmm_wait(world->adapter, two.fence[0]), VIDMM_DEVICE_LOST);
        assert_int_equal(world->preemptions, i != 2);
        assert_int_equal(world->engine_resets, 0);
        assert_int_equal(world->resets, 1);
        world_end(world);
    }
}

static void a_fence_that_cannot_be_stops_the_adapter(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct two two;
        struct world *world = engines();
        world->aborted_off = i == 0 ? 100 : (uint32_t)-100;
        start_hanging(&two, world);
        assert_int_equal(vidmm_wait(world->adapter, two.fence[0]), VIDMM_DRIVER_BROKE_RULE);
        world_expect_error(world, VIDMM_DRIVER_BROKE_RULE, "R281");
        assert_int_equal(vidmm_wait_idle(world->adapter), VIDMM_STOPPED);
        world_end(world);
    }
}

/* Success is answered, and nothing changes; or work is named that has come again since, with another fence: after a
 * while the adapter is reset. */
static void resets_that_abort_nothing_come_to_an_end(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct two two;
        struct world *world = engines();
        world->resets_nothing = i == 0;
        world->names_older = world->hangs_again = i == 1;
        start_hanging(&two, world);
        assert_int_equal(vidmm_wait(world->adapter, two.fence[0]), VIDMM_DEVICE_LOST);
        assert_true(world->engine_resets < 10);
        assert_int_equal(world->resets, 1);
        world->hangs_again = false;
        assert_int_equal(vidmm_wait_idle(world->adapter), VIDMM_OK);
        world_end(world);
    }
}

/* Engines that share a reset line: the other one is preempted first, or reset as well. */
static void engines_of_one_group_go_together(void **state) {
    (void)state;
    for (uint32_t preempts = 0; preempts < 2; preempts++) {
        struct two two;
        struct world *world = engines();
        uint64_t other;
        world->shares_reset = true;
        world->preempts = preempts != 0;
        start(&two, world);
        struct vidmm_context *copies;
        struct vidmm_submission nothing = {.count = 0};
        submit(&two, 1);
        assert_int_equal(vidmm_wait_idle(world->adapter), VIDMM_OK);
        assert_int_equal(vidmm_context_create(two.device[1], 0, 1, &copies), VIDMM_OK);
        world->hang_render = world->submits[0] + 1;
        assert_int_equal(vidmm_submit(two.context[0], &nothing, &two.fence[0]), VIDMM_OK);
        assert_int_equal(vidmm_submit(copies, &nothing, &other), VIDMM_OK);
        world->jobs[1].hangs = preempts == 0; /* so that it is still there */
        assert_int_equal(vidmm_wait(world->adapter, two.fence[0]), VIDMM_DEVICE_LOST);
        assert_int_equal(vidmm_wait(world->adapter, other),
                         preempts ? VIDMM_OK : VIDMM_DEVICE_LOST);
        assert_int_equal(world->resets, 0);
        world_end(world);
    }
}

/* ---- Page faults ----------------------------------------------------------------------------- */

/* The GPU stops at the first device's first submission and says so. */
static void fault(struct two *two, uint32_t flags) {
    struct vidmm_interrupt report = {.type = DXGK_INTERRUPT_DMA_PAGE_FAULTED,
                                     .fence = two->world->jobs[0].fence,
                                     .flags = flags,
                                     .address = 0x123456000};
    if (flags & DXGK_PAGE_FAULT_FENCE_INVALID)
        report.fence = 0;
    const struct vidmm_page_fault fault = {
        .fence = report.fence, .flags = flags, .address = report.address};
    vidmm_referee_reported(two->world->referee, &report);
    vidmm_notify_page_faulted(two->world->adapter, &fault);
}

/* It is all that the engine has. */
static struct world *start_faulted(struct two *two, uint32_t flags) {
    struct world *world = engines();
    world->hang_render = 1;
    start(two, world);
    submit(two, 0);
    fault(two, flags);
    return world;
}

static void a_page_fault_costs_its_device_and_nobody_else(void **state) {
    (void)state;
    for (uint32_t anonymous = 0; anonymous < 2; anonymous++) {
        struct two two;
        struct world *world = engines();
        struct vidmm_error told;
        start_hanging(&two, world);
        fault(&two, DXGK_PAGE_FAULT_WRITE | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED |
                        (anonymous ? DXGK_PAGE_FAULT_FENCE_INVALID : 0));
        expect_first_lost(&two);
        assert_int_equal(world->preemptions, 0); /* it would not be heard */
        assert_int_equal(world->engine_resets, 1);
        expect_nothing_moved(&two);
        assert_int_equal(vidmm_wait(world->adapter, two.fence[0]), VIDMM_DEVICE_LOST);
        vidmm_last_error(world->adapter, &told);
        assert_true(told.access.known);
        assert_true(told.access.write);
        assert_int_equal(told.access.address, 0x123456000);
        assert_int_equal(told.access.device, 1);
        assert_int_equal(told.access.process, 0);
        assert_int_equal(told.access.submission, two.fence[0]);
        world_end(world);
    }
}

/* Without a wait, the next submission finds the engine ready. */
static void a_faulted_engine_is_reset_before_it_works_again(void **state) {
    (void)state;
    struct two two;
    struct world *world = start_faulted(&two, DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED);
    assert_int_equal(world->engine_resets, 0);
    submit(&two, 1);
    assert_int_equal(world->engine_resets, 1);
    assert_int_equal(vidmm_wait(world->adapter, two.fence[1]), VIDMM_OK);
    expect_nothing_moved(&two);
    world_end(world);
}

static void a_faulted_engine_is_reset_before_it_is_preempted(void **state) {
    (void)state;
    struct two two;
    struct world *world = start_faulted(&two, DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED);
    assert_int_equal(vidmm_preempt(world->adapter, 0, 0), VIDMM_OK);
    assert_int_equal(world->engine_resets, 1);
    assert_int_equal(world->preemptions, 1);
    assert_int_equal(world->resets, 0);
    world_end(world);
}

static void a_fault_that_says_so_resets_the_adapter(void **state) {
    (void)state;
    struct two two;
    struct world *world = start_faulted(&two, DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED);
    assert_int_equal(world_use(two.context[1], true, 1, two.allocation[1]), VIDMM_OK);
    assert_int_equal(world->engine_resets, 0);
    assert_int_equal(world->resets, 1);
    assert_true(vidmm_device_lost(two.device[0]));
    assert_false(vidmm_device_lost(two.device[1]));
    world_end(world);
}

static void a_fatal_fault_ends_everything(void **state) {
    (void)state;
    struct two two;
    struct world *world = start_faulted(&two, DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR);
    assert_int_equal(world_use(two.context[1], true, 1, two.allocation[1]), VIDMM_STOPPED);
    assert_int_equal(vidmm_wait_idle(world->adapter), VIDMM_STOPPED);
    world_end(world);
}

static void reports_that_make_no_sense_are_nothing(void **state) {
    (void)state;
    struct two two;
    struct world *world = engines();
    const struct vidmm_page_fault nowhere = {.node = 7, .fence = 1};
    start(&two, world);
    submit(&two, 0);
    vidmm_notify_page_faulted(world->adapter, &nowhere);
    vidmm_notify_preempted(world->adapter, 0, 7, 1, 1);
    vidmm_notify_preempted(world->adapter, 0, 0, 4711, 0);
    assert_int_equal(vidmm_wait(world->adapter, two.fence[0]), VIDMM_OK);
    assert_false(vidmm_device_lost(two.device[0]));
    world_end(world);
}

/* The engine holds no context's state after its reset. */
static void a_switch_to_no_context_that_hangs_costs_the_context_and_nobody_else(void **state) {
    (void)state;
    struct world *world = engines();
    assert_int_equal(world_start(world), VIDMM_OK);
    struct vidmm_device *other = world_device(world), *device = world_device(world);
    struct vidmm_context *good = world_context(other);
    world->context_allocation = true;
    struct vidmm_context *context = world_context(device);
    assert_int_equal(world_use(context, true, 0), VIDMM_OK);
    world->hang_switch = 1;
    assert_int_equal(vidmm_evict_all(world->adapter), VIDMM_OK);
    assert_true(world->switches >= 1);
    assert_int_equal(world->engine_resets, 1);
    assert_int_equal(world->resets, 0);
    assert_int_equal(world_use(context, true, 0), VIDMM_DEVICE_LOST);
    assert_int_equal(world_use(good, true, 0), VIDMM_OK);
    world_end(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_takes_too_long_is_preempted_and_done_again),
        cmocka_unit_test(a_preemption_that_is_asked_for_is_made_with_work_and_without),
        cmocka_unit_test(a_preemption_for_a_context_hands_its_work_over_first),
        cmocka_unit_test(an_engine_that_completes_old_fences_alone_is_reset),
        cmocka_unit_test(an_engine_that_hangs_is_reset_alone),
        cmocka_unit_test(reports_during_the_reset_do_not_count),
        cmocka_unit_test(an_engine_that_answers_is_waited_for_a_while),
        cmocka_unit_test(paging_work_behind_a_hang_keeps_its_fence),
        cmocka_unit_test(paging_work_that_is_lost_takes_the_adapter_with_it),
        cmocka_unit_test(what_cannot_be_reset_alone_is_reset_with_the_adapter),
        cmocka_unit_test(a_fence_that_cannot_be_stops_the_adapter),
        cmocka_unit_test(resets_that_abort_nothing_come_to_an_end),
        cmocka_unit_test(engines_of_one_group_go_together),
        cmocka_unit_test(a_page_fault_costs_its_device_and_nobody_else),
        cmocka_unit_test(a_faulted_engine_is_reset_before_it_works_again),
        cmocka_unit_test(a_faulted_engine_is_reset_before_it_is_preempted),
        cmocka_unit_test(a_fault_that_says_so_resets_the_adapter),
        cmocka_unit_test(a_fatal_fault_ends_everything),
        cmocka_unit_test(reports_that_make_no_sense_are_nothing),
        cmocka_unit_test(a_switch_to_no_context_that_hangs_costs_the_context_and_nobody_else),
    };
    return cmocka_run_group_tests_name("core_engine", tests, NULL, NULL);
}
