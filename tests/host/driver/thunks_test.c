/*
 * thunks_test.c - DDI calls as the host makes them: what it reports of a call, the hash over calls,
 * and what is no part of a run.
 */
#include "fixture/tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void mistakes_in_a_paging_call_are_reported(void **state) {
    static const struct {
        size_t flag;
        const char *text;
    } cases[] = {
        {offsetof(struct tiny, wait_for_ever), "waits for ever"},
        {offsetof(struct tiny, notify_at_passive), "DxgkCbNotifyInterrupt was called at IRQL 0"},
        {offsetof(struct tiny, read_nowhere), "outside of every mapped BAR"},
        {offsetof(struct tiny, keep_apcs_off), "BuildPagingBuffer came back with APCs off"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct vidmm_host_config config = tiny_config();
        struct vidmm_host_error error;
        DXGKARG_BUILDPAGINGBUFFER args = {.DmaSize = 4096};
        *((bool *)&tiny + cases[i].flag) = true;
        struct vidmm_host *host = tiny_up(&config);
        tiny_build(host, &args);
        assert_int_equal(tiny.paging_irql, PASSIVE_LEVEL);
        assert_true(tiny_violated(host, cases[i].text));
        assert_true(tiny_down(host, &error));
    }
}

/* The hash of one run: `size` goes into an argument, `buffer` is a pointer and must not matter. */
static uint64_t hash_of_run(uint64_t size, void *buffer, uint64_t *calls) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct tiny_completions done;
    struct vidmm_host *host = tiny_up(&config);
    tiny_listen(host, &done);
    for (uint32_t fence = 1; fence < 10; fence++) {
        DXGKARG_BUILDPAGINGBUFFER args = {.pDmaBuffer = buffer, .DmaSize = 4096};
        args.Operation = DXGK_OPERATION_TRANSFER;
        args.Transfer.hAllocation = buffer;
        args.Transfer.TransferSize = size;
        args.Transfer.Source.SegmentId = 1;
        args.Transfer.Destination.pMdl = buffer;
        tiny_build(host, &args);
        tiny_submit(host, fence);
    }
    assert_true(tiny_wait(host, &done, 9));
    uint64_t hash = vidmm_host_calls_hash(host);
    *calls = vidmm_host_calls(host);
    assert_true(tiny_down(host, &error));
    return hash;
}

static void equal_runs_have_equal_hashes(void **state) {
    uint64_t calls, a, b;
    (void)state;
    uint64_t hash = hash_of_run(8192, &a, &calls);
    assert_int_equal(calls, 18);
    assert_true(hash_of_run(8192, &b, &calls) == hash);
    assert_true(hash_of_run(12288, &a, &calls) != hash);
}

/* Every `every`-th submission is made unhashed (0: none), between nine that are hashed. */
static uint64_t hash_with_unhashed(uint32_t every, uint64_t *calls, uint64_t *unhashed) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct tiny_completions done;
    struct vidmm_host *host = tiny_up(&config);
    uint32_t fence = 0;
    tiny_listen(host, &done);
    for (uint32_t i = 1; i < 10; i++) {
        tiny_submit(host, ++fence);
        if (every == 0 || i % every != 0)
            continue;
        vidmm_host_unhashed(host, true);
        tiny_submit(host, ++fence);
        vidmm_host_unhashed(host, false);
    }
    assert_true(tiny_wait(host, &done, fence));
    uint64_t hash = vidmm_host_calls_hash(host);
    *calls = vidmm_host_calls(host);
    *unhashed = vidmm_host_unhashed_calls(host);
    assert_int_equal(*unhashed == 0, vidmm_host_unhashed_hash(host) == 0);
    assert_true(tiny_down(host, &error));
    return hash;
}

static void what_is_done_unhashed_is_no_part_of_a_run(void **state) {
    uint64_t calls, unhashed;
    uint64_t hash = hash_with_unhashed(0, &calls, &unhashed);
    (void)state;
    assert_int_equal(unhashed, 0);
    for (uint32_t every = 1; every < 4; every++) {
        assert_true(hash_with_unhashed(every, &calls, &unhashed) == hash);
        assert_int_equal(calls, 9);
        assert_int_equal(unhashed, 9 / every);
    }
}

static void settings_are_the_registry(void **state) {
    struct vidmm_host_setting settings[] = {{"Small", 77}, {"Large", (uint64_t)5 << 32}};
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    ULONG small = 0, absent = 0, fallback = 9;
    struct {
        LONG size;
        ULONG rest;
    } large = {-8, 0};
    RTL_QUERY_REGISTRY_TABLE table[] = {
        {.Flags = RTL_QUERY_REGISTRY_DIRECT, .Name = (PWSTR)u"small", .EntryContext = &small},
        {.Flags = RTL_QUERY_REGISTRY_DIRECT, .Name = (PWSTR)u"Large", .EntryContext = &large},
        {.Flags = RTL_QUERY_REGISTRY_DIRECT,
         .Name = (PWSTR)u"Absent",
         .EntryContext = &absent,
         .DefaultType = REG_DWORD,
         .DefaultData = &fallback,
         .DefaultLength = 4},
        {.Flags = 0},
    };
    RTL_QUERY_REGISTRY_TABLE required[] = {
        {.Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_REQUIRED,
         .Name = (PWSTR)u"Absent",
         .EntryContext = &absent},
        {.Flags = 0},
    };
    (void)state;
    config.settings = settings;
    config.setting_count = 2;
    struct vidmm_host *host = tiny_up(&config);
    assert_int_equal(RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, NULL, table, NULL, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(small, 77);
    assert_int_equal(large.rest, 5);
    assert_int_equal(absent, 9);
    assert_int_equal(RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, NULL, required, NULL, NULL),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_true(tiny_down(host, &error));
}

static void no_callback_is_null(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    (void)state;
    for (size_t at = offsetof(DXGKRNL_INTERFACE, DxgkCbEvalAcpiMethod);
         at < sizeof(DXGKRNL_INTERFACE); at += sizeof(void *)) {
        void *member;
        memcpy(&member, (char *)&tiny.dxgkrnl + at, sizeof(member));
        assert_non_null(member);
    }
    assert_int_equal(tiny.dxgkrnl.DxgkCbIndicateConnectorChange(tiny.dxgkrnl.DeviceHandle),
                     STATUS_NOT_SUPPORTED);
    uint16_t vendor = 0;
    ULONG bytes = 0;
    tiny.dxgkrnl.DxgkCbReadDeviceSpace(tiny.dxgkrnl.DeviceHandle, DXGK_WHICHSPACE_CONFIG, &vendor,
                                       0, 2, &bytes);
    assert_int_equal(bytes, 2);
    assert_int_not_equal(vendor, 0);
    assert_true(tiny_down(host, &error));
}

static BOOLEAN NTAPI note_irql(PVOID context) {
    *(KIRQL *)context = KeGetCurrentIrql();
    return TRUE;
}

static void synchronized_routines_run_at_device_irql(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    KIRQL irql = 0;
    BOOLEAN answer = FALSE;
    (void)state;
    assert_int_equal(tiny.dxgkrnl.DxgkCbSynchronizeExecution(tiny.dxgkrnl.DeviceHandle, note_irql,
                                                             &irql, 0, &answer),
                     STATUS_SUCCESS);
    assert_true(answer);
    assert_in_range(irql, DISPATCH_LEVEL + 1, CLOCK_LEVEL - 1);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    assert_true(tiny_down(host, &error));
}

static uint32_t zeros; /* of an array that nobody wrote */

static void count_zeros(void) {
    unsigned char bytes[256];
    __asm__ volatile("" : "=m"(bytes)); /* as if they were written */
    for (size_t i = 0; i < sizeof(bytes); i++)
        zeros += bytes[i] == 0;
}

static void what_a_driver_leaves_unwritten_is_not_zero(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    DXGKARG_BUILDPAGINGBUFFER args = {.DmaSize = 4096};
    (void)state;
    tiny.in_paging = count_zeros;
    struct vidmm_host *host = tiny_up(&config);
    zeros = 0;
    tiny_build(host, &args);
    assert_in_range(zeros, 0, 128);
    assert_true(tiny_down(host, &error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_in_a_paging_call_are_reported),
        cmocka_unit_test(equal_runs_have_equal_hashes),
        cmocka_unit_test(what_is_done_unhashed_is_no_part_of_a_run),
        cmocka_unit_test(settings_are_the_registry),
        cmocka_unit_test(no_callback_is_null),
        cmocka_unit_test(what_a_driver_leaves_unwritten_is_not_zero),
        cmocka_unit_test(synchronized_routines_run_at_device_irql),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
