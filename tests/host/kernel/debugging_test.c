/*
 * debugging_test.c - what a driver says of itself, and how it ends the system: prints, prompts, break
 * points, assertions, raised exceptions, bugchecks, probed buffers.
 */
#include "fixture/tiny.h"

#include <ntddk.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static ULONG NTAPI print_prefixed(PCSTR prefix, PCSTR format, ...) {
    __builtin_ms_va_list arguments;
    __builtin_ms_va_start(arguments, format);
    ULONG status = prefix ? vDbgPrintExWithPrefix(prefix, DPFLTR_IHVVIDEO_ID, DPFLTR_INFO_LEVEL,
                                                  format, arguments)
                          : vDbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_INFO_LEVEL, format, arguments);
    __builtin_ms_va_end(arguments);
    return status;
}

static void debugging_aids_find_no_debugger(void **state) {
    CHAR response[4] = "abc";
    char condition[] = "x == y", file[] = "driver.c", message[] = "they differ";
    (void)state;
    assert_int_equal(print_prefixed(NULL, "%d\n", 5), STATUS_SUCCESS);
    assert_int_equal(print_prefixed("gpu: ", "%s\n", "text"), STATUS_SUCCESS);
    assert_int_equal(DbgPrompt("continue? ", response, sizeof(response)), 0);
    assert_string_equal(response, "abc"); /* no character was received */
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    DbgBreakPoint();
    assert_true(tiny_violated(tiny_host, "reached a break point"));
    DbgBreakPointWithStatus(0x1234);
    assert_true(tiny_violated(tiny_host, "break point with status 0x1234"));
    RtlAssert(condition, file, 77, NULL);
    assert_true(tiny_violated(tiny_host, "failed: x == y (driver.c:77)"));
    RtlAssert(condition, file, 78, message);
    assert_true(tiny_violated(tiny_host, "(driver.c:78): they differ"));
}

/* Runs it in a child, whose last words go to `said`; true: it was aborted. */
static bool ends_the_system(void (*call)(void), char *said, size_t room) {
    int words[2], status = 0;
    assert_int_equal(pipe(words), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(words[1], STDERR_FILENO);
        call();
        _exit(0);
    }
    close(words[1]);
    ssize_t length = read(words[0], said, room - 1);
    said[length > 0 ? length : 0] = 0;
    close(words[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void *readable;

static void bugcheck(void) {
    KeBugCheck(0xe2);
}
static void bugcheck_with_parameters(void) {
    KeBugCheckEx(0x113, 1, 2, 3, 4);
}
static void access_violation(void) {
    ExRaiseAccessViolation();
}
static void misalignment(void) {
    ExRaiseDatatypeMisalignment();
}
static void probe_unaligned(void) {
    ProbeForWrite((char *)readable + 1, 4, 4);
}
static void probe_read_only(void) {
    ProbeForWrite(readable, 4, 4);
}

static void what_nobody_handles_ends_the_system(void **state) {
    static const struct {
        void (*call)(void);
        const char *says;
    } cases[] = {
        {bugcheck, "KeBugCheckEx(0xe2, 0x0, 0x0, 0x0, 0x0)"},
        {bugcheck_with_parameters, "KeBugCheckEx(0x113, 0x1, 0x2, 0x3, 0x4)"},
        {access_violation, "KeBugCheckEx(0x1e, 0xc0000005"},
        {misalignment, "KeBugCheckEx(0x1e, 0x80000002"},
        {probe_unaligned, "KeBugCheckEx(0x1e, 0x80000002"},
        {probe_read_only, "KeBugCheckEx(0x1e, 0xc0000005"},
    };
    char said[512];
    (void)state;
    readable = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(readable, MAP_FAILED);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(ends_the_system(cases[i].call, said, sizeof(said)));
        assert_non_null(strstr(said, cases[i].says));
    }
    munmap(readable, 4096);
}

static void a_good_buffer_keeps_its_bytes_when_it_is_probed(void **state) {
    char buffer[] = "bytes";
    (void)state;
    ProbeForWrite(buffer, sizeof(buffer), 1);
    ProbeForRead(buffer, sizeof(buffer), 1);
    ProbeForWrite((PVOID)3, 0, 4); /* of length 0 nothing is looked at */
    assert_string_equal(buffer, "bytes");
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void sections_of_no_image_stay_in_memory(void **state) {
    (void)state;
    PVOID handle = MmLockPagableDataSection(&readable);
    assert_non_null(handle);
    MmLockPagableSectionByHandle(handle);
    MmUnlockPagableImageSection(handle);
    MmUnlockPagableImageSection(handle);
    handle = MmLockPagableCodeSection(bugcheck);
    assert_non_null(handle);
    MmUnlockPagableImageSection(handle);
    PVOID image = MmPageEntireDriver(&readable);
    assert_memory_equal(image,
                        "\x7f"
                        "ELF",
                        4); /* its beginning */
    MmResetDriverPaging(&readable);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

#define DEBUGGING_TEST(test) cmocka_unit_test_setup_teardown(test, tiny_setup, tiny_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        DEBUGGING_TEST(debugging_aids_find_no_debugger),
        DEBUGGING_TEST(what_nobody_handles_ends_the_system),
        DEBUGGING_TEST(a_good_buffer_keeps_its_bytes_when_it_is_probed),
        DEBUGGING_TEST(sections_of_no_image_stay_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
