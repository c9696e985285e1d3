/*
 * own_memory_test.c - the reference driver with what it can have of its own: contexts in context
 * allocations, and a CPU host aperture. The stages reach the rules about them, and find nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/check.h>

static struct vidmm_check_result result;

static enum vidmm_check_status examine(const char *stage, void (*spoil)(DXGKRNL_INTERFACE *calls),
                                       const struct vidmm_host_setting *settings, uint32_t count) {
    const struct vidmm_spoiler spoiler = {.callbacks = spoil};
    const struct vidmm_check_options options = {.settings = settings,
                                                .setting_count = count,
                                                .stage = stage,
                                                .spoiler = &spoiler,
                                                .seed = 5};
    vidmm_check(&options, &result);
    return result.status;
}

static void assert_kept(uint32_t rule) {
    assert_int_equal(result.ledger.broken[rule], 0);
    if (result.ledger.kept[rule] == 0)
        fail_msg("R%u was not reached", rule);
}

static void contexts_are_saved_and_found_again(void **state) {
    (void)state;
    for (uint64_t levels = 2; levels <= 4; levels++) {
        const struct vidmm_host_setting settings[] = {{"MmuLevels", levels},
                                                      {"ContextBytes", 65536}};
        assert_int_equal(examine("residency", NULL, settings, 2), VIDMM_CHECK_PASSED);
        assert_kept(346);
        assert_kept(347);
        assert_kept(348);
    }
}

/* What the referee knows of the context allocations of the first adapter outlives the start of the second. */
static void contexts_of_two_adapters_are_told_apart(void **state) {
    (void)state;
    const struct vidmm_host_setting settings[] = {{"MmuLevels", 4}, {"ContextBytes", 8192}};
    assert_int_equal(examine("adapters", NULL, settings, 2), VIDMM_CHECK_PASSED);
}

/* However small the paging buffers are in which the state is written. */
static void a_state_is_written_in_parts(void **state) {
    (void)state;
    for (uint64_t bytes = 64; bytes <= 192; bytes += 8) {
        const struct vidmm_host_setting settings[] = {{"PagingBufferBytes", bytes}};
        assert_int_equal(examine("residency", NULL, settings, 1), VIDMM_CHECK_PASSED);
        assert_kept(348);
    }
}

static NTSTATUS APIENTRY refuse(const HANDLE adapter,
                                const DXGKARGCB_UPDATECONTEXTALLOCATION *args) {
    (void)adapter;
    (void)args;
    return STATUS_NO_MEMORY;
}

static void refuse_updates(DXGKRNL_INTERFACE *calls) {
    calls->DxgkCbUpdateContextAllocation = refuse;
}

/* The driver does not run a context on a root that it could not tell the GPU. */
static void a_context_without_its_root_does_not_run(void **state) {
    const struct vidmm_host_setting settings[] = {{"MmuLevels", 2}, {"ContextBytes", 8192}};
    (void)state;
    assert_int_not_equal(examine("residency", refuse_updates, settings, 2), VIDMM_CHECK_PASSED);
}

static void the_cpu_reaches_memory_through_pages_of_its_own(void **state) {
    const struct vidmm_host_setting settings[] = {{"VramVisibleBytes", 0},
                                                  {"CpuHostApertureBytes", 1 << 20}};
    (void)state;
    assert_int_equal(examine("paging", NULL, settings, 2), VIDMM_CHECK_PASSED);
    assert_kept(267);
    assert_kept(268);
    assert_kept(270);
    assert_int_equal(examine("host-aperture", NULL, NULL, 0), VIDMM_CHECK_PASSED);
    assert_kept(265);
    assert_kept(268);
    assert_kept(269);
    assert_kept(271);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_are_saved_and_found_again),
        cmocka_unit_test(contexts_of_two_adapters_are_told_apart),
        cmocka_unit_test(a_state_is_written_in_parts),
        cmocka_unit_test(a_context_without_its_root_does_not_run),
        cmocka_unit_test(the_cpu_reaches_memory_through_pages_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
