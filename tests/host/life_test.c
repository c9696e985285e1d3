/* life_test.c - bringing a host up and down, and what is said when it does not go well. */
#include "fixture/tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static void assert_left(struct vidmm_host *host, const char *text) {
    struct vidmm_host_error error;
    assert_false(tiny_down(host, &error));
    if (!strstr(error.text, text))
        fail_msg("'%s' does not say '%s'", error.text, text);
}

static void up_and_down_leaves_nothing(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct vidmm_host *host = tiny_up(&config);
        assert_int_equal(vidmm_host_violations(host), 0);
        if (!tiny_down(host, &error))
            fail_msg("%s", error.text);
        assert_string_equal(error.text, "");
    }
}

static void a_host_without_a_model_has_plain_bars(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    (void)state;
    config.model = NULL;
    struct vidmm_host *host = tiny_up(&config);
    assert_int_equal(tiny.memory_length, 256u << 20);
    memset(tiny.memory, 0x5a, 4096);
    assert_true(tiny_down(host, &error));
}

static void one_host_exists_at_a_time(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *second = NULL, *host = tiny_up(&config);
    (void)state;
    assert_false(vidmm_host_create(&config, &second, &error));
    assert_null(second);
    assert_non_null(strstr(error.text, "one exists at a time"));
    assert_true(tiny_down(host, &error));
}

static void a_pool_leak_is_named(void **state) {
    struct vidmm_host_config config = tiny_config();
    (void)state;
    tiny.leak_pool = true;
    assert_left(tiny_up(&config), "1 pool blocks (40 bytes; the first is 'Tiny' of 40 bytes)");
}

static void other_leaks_are_named(void **state) {
    struct vidmm_host_config config = tiny_config();
    (void)state;
    tiny.leak_contiguous = true;
    assert_left(tiny_up(&config), "1 contiguous blocks");
    config = tiny_config();
    tiny.leak_mdl = true;
    assert_left(tiny_up(&config), "1 MDLs");
    config = tiny_config();
    tiny.leak_mapping = true;
    assert_left(tiny_up(&config), "1 I/O mappings");
}

static void manager_leaks_are_named(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    const struct vidmm_os *os = vidmm_host_os(host);
    (void)state;
    void *block = os->alloc(os->ctx, 100);
    assert_non_null(block);
    assert_non_null(os->pages_alloc(os->ctx, 3, 0, UINT64_MAX));
    assert_left(host, "1 blocks of the manager (100 bytes), 1 page lists of the manager (12288");
    free(block);
}

static void a_failed_start_says_which_call_and_status(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host;
    (void)state;
    tiny.start_status = STATUS_GRAPHICS_DRIVER_MISMATCH;
    assert_true(vidmm_host_create(&config, &host, &error));
    assert_false(vidmm_host_start(host, &error));
    assert_string_equal(
        error.text,
        "DxgkDdiStartDevice failed with status STATUS_GRAPHICS_DRIVER_MISMATCH (0xc01e0009)");
    assert_int_equal(error.status, STATUS_GRAPHICS_DRIVER_MISMATCH);
    assert_true(vidmm_host_destroy(host, &error));
}

static void nap(void) {
    const struct timespec time = {.tv_nsec = 20000000};
    nanosleep(&time, NULL);
}

static VOID NTAPI brief_thread(PVOID context) {
    (void)context;
    nap();
}

static NTSTATUS NTAPI failing_entry(PDRIVER_OBJECT driver, PUNICODE_STRING path) {
    HANDLE thread;
    (void)driver, (void)path;
    (void)PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, brief_thread, NULL);
    return STATUS_UNSUCCESSFUL;
}

static void a_thread_that_a_failed_driver_entry_started_ends_before_the_host(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host;
    (void)state;
    config.driver_entry = failing_entry;
    assert_false(vidmm_host_create(&config, &host, &error));
    nap(); /* it would find no host any more */
    nap();
    config.driver_entry = tiny_driver_entry;
    assert_true(tiny_down(tiny_up(&config), &error));
}

static VOID NTAPI endless_thread(PVOID context) {
    KEVENT never;
    (void)context;
    KeInitializeEvent(&never, NotificationEvent, FALSE);
    KeWaitForSingleObject(&never, Executive, KernelMode, FALSE, NULL);
}

/* In a process of its own, which has no other host after that. */
static void a_thread_that_never_ends_is_named_and_finds_its_host(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct vidmm_host_config config = tiny_config();
        struct vidmm_host *host = tiny_up(&config);
        struct vidmm_host_error error;
        HANDLE thread;
        (void)PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, endless_thread,
                                   NULL);
        assert_left(host, "1 running system threads");
        for (int i = 0; i < 5; i++)
            nap(); /* it looks every now and then whether it may go on */
        _exit(vidmm_host_create(&config, &host, &error) ? 1 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void an_unknown_version_is_refused(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host;
    (void)state;
    tiny.version = 0x1234;
    assert_false(vidmm_host_create(&config, &host, &error));
    assert_non_null(strstr(error.text, "0x1234"));
    assert_null(host);
}

static void an_old_driver_has_no_new_slots(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    (void)state;
    tiny.version = DXGKDDI_INTERFACE_VERSION_WIN7;
    struct vidmm_host *host = tiny_up(&config);
    assert_int_equal(vidmm_host_ddi(host)->Version, DXGKDDI_INTERFACE_VERSION_WIN7);
    assert_null(vidmm_host_ddi(host)->DxgkDdiQueryEngineStatus);
    assert_non_null(vidmm_host_ddi(host)->DxgkDdiSubmitCommand);
    assert_true(tiny_down(host, &error));
}

static void loader_errors_are_sentences(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    struct vidmm_host *host;
    (void)state;
    config.driver_entry = NULL;
    assert_false(vidmm_host_create(&config, &host, &error));
    assert_non_null(strstr(error.text, "no driver"));
    config.driver_path = "/nowhere/at-all.so";
    assert_false(vidmm_host_create(&config, &host, &error));
    assert_non_null(strstr(error.text, "'/nowhere/at-all.so' could not be loaded"));
    config.driver_path = getenv("HOST_NO_ENTRY");
    assert_non_null(config.driver_path);
    assert_false(vidmm_host_create(&config, &host, &error));
    assert_non_null(strstr(error.text, "has no DriverEntry"));
}

static void a_driver_from_a_shared_object_runs(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    (void)state;
    config.driver_path = getenv("HOST_LOADED");
    assert_non_null(config.driver_path);
    config.driver_entry = NULL;
    struct vidmm_host *host = tiny_up(&config);
    assert_non_null(vidmm_host_adapter(host));
    if (!tiny_down(host, &error))
        fail_msg("%s", error.text);
}

static bool bring_up_once(struct vidmm_host_config *config, uint64_t fail_at,
                          uint64_t *allocations) {
    struct vidmm_host_error error;
    struct vidmm_host *host;
    config->fail_at = fail_at;
    if (!vidmm_host_create(config, &host, &error)) {
        assert_string_not_equal(error.text, "");
        return false;
    }
    bool started = vidmm_host_start(host, &error);
    if (!started)
        assert_string_not_equal(error.text, "");
    else
        assert_true(vidmm_host_stop(host, &error));
    assert_true(vidmm_host_failed_once(host) == (fail_at != 0));
    *allocations = vidmm_host_allocations(host);
    if (!vidmm_host_destroy(host, &error))
        fail_msg("allocation %u failed: %s", (unsigned)fail_at, error.text);
    return started;
}

static void each_allocation_of_bring_up_can_fail(void **state) {
    (void)state;
    for (int threads = 0; threads < 2; threads++) {
        struct vidmm_host_config config = tiny_config();
        uint64_t all = 0, ignored;
        config.threads = threads != 0;
        assert_true(bring_up_once(&config, 0, &all));
        assert_in_range(all, 8, 100);
        for (uint64_t n = 1; n <= all; n++)
            bring_up_once(&config, n, &ignored);
    }
}

static void senseless_configurations_are_refused(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_setting setting = {NULL, 1};
    struct vidmm_host_error error;
    struct vidmm_host *host;
    (void)state;
    config.memory_bytes = 4096;
    assert_false(vidmm_host_create(&config, &host, &error));
    assert_non_null(strstr(error.text, "system memory"));
    config = tiny_config();
    config.settings = &setting;
    config.setting_count = 1;
    assert_false(vidmm_host_create(&config, &host, &error));
    assert_non_null(strstr(error.text, "no name"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(up_and_down_leaves_nothing),
        cmocka_unit_test(a_host_without_a_model_has_plain_bars),
        cmocka_unit_test(one_host_exists_at_a_time),
        cmocka_unit_test(a_pool_leak_is_named),
        cmocka_unit_test(other_leaks_are_named),
        cmocka_unit_test(manager_leaks_are_named),
        cmocka_unit_test(a_failed_start_says_which_call_and_status),
        cmocka_unit_test(a_thread_that_a_failed_driver_entry_started_ends_before_the_host),
        cmocka_unit_test(a_thread_that_never_ends_is_named_and_finds_its_host),
        cmocka_unit_test(an_unknown_version_is_refused),
        cmocka_unit_test(an_old_driver_has_no_new_slots),
        cmocka_unit_test(loader_errors_are_sentences),
        cmocka_unit_test(a_driver_from_a_shared_object_runs),
        cmocka_unit_test(each_allocation_of_bring_up_can_fail),
        cmocka_unit_test(senseless_configurations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
