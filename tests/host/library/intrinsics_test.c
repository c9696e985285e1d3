/* intrinsics_test.c - what drivers take from the compiler of Windows, as the kernel's headers have it. */
#define _KERNEL_MODE
#include <wdm_interlocked.h>
#undef _KERNEL_MODE

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void the_processor_tells_its_maker(void **state) {
    int leaf[4], more[4];
    (void)state;
    __cpuid(leaf, 0);
    assert_true(leaf[0] > 0);
    __cpuidex(more, 0, 0);
    assert_memory_equal(leaf, more, sizeof(leaf));
    __cpuid(leaf, 1);
    assert_true((leaf[3] & 1 << 26) != 0); /* SSE2, which every x86-64 processor has */
}

/* Upwards, so that an overlap repeats what was copied. */
static void strings_are_copied_and_filled_upwards(void **state) {
    UCHAR bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    USHORT words[4] = {0};
    ULONG longs[4] = {0};
    ULONG64 quads[3] = {1, 2, 3}, copies[3] = {0};
    (void)state;
    __movsb(bytes + 1, bytes, 3);
    assert_memory_equal(bytes, "\1\1\1\1\5\6\7\10", 8);
    __stosb(bytes + 4, 0xaa, 3);
    assert_memory_equal(bytes + 4, "\xaa\xaa\xaa\10", 4);
    __stosw(words, 0x1234, 3);
    assert_int_equal(words[2], 0x1234);
    assert_int_equal(words[3], 0);
    __movsw(words + 3, words, 1);
    assert_int_equal(words[3], 0x1234);
    __stosd(longs, 0xdeadbeef, 2);
    assert_int_equal(longs[1], 0xdeadbeef);
    assert_int_equal(longs[2], 0);
    __movsd(longs + 2, longs, 2);
    assert_int_equal(longs[3], 0xdeadbeef);
    __movsq(copies, quads, 3);
    assert_memory_equal(copies, quads, sizeof(quads));
    __stosq(copies, UINT64_MAX, 2);
    assert_true(copies[1] == UINT64_MAX && copies[2] == 3);
    __stosd(longs, 0, 0);
    assert_int_equal(longs[0], 0xdeadbeef);
}

static bool privileged(void (*instruction)(void)) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        instruction();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static void read_msr(void) {
    (void)__readmsr(0x10);
}
static void write_msr(void) {
    __writemsr(0x10, 1);
}
static void write_cr3(void) {
    __writecr3(0);
}
static void write_back(void) {
    __wbinvd();
}

/* Of a driver the host does or judges them (trap/privileged.c); here nothing stands behind. */
static void privileged_instructions_are_what_the_names_say(void **state) {
    (void)state;
    assert_true(privileged(read_msr));
    assert_true(privileged(write_msr));
    assert_true(privileged(write_cr3));
    assert_true(privileged(write_back));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_processor_tells_its_maker),
        cmocka_unit_test(strings_are_copied_and_filled_upwards),
        cmocka_unit_test(privileged_instructions_are_what_the_names_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
