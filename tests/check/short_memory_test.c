/*
 * short_memory_test.c - the referee is refused memory: the examination ends with that sentence, and has no verdict,
 * also where the referee was in the driver's process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/check.h>

static bool refuse;

/* Instead of those functions in the whole program (meson.build). */
void *__wrap_aligned_alloc(size_t align, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_memory_calloc(size_t count, size_t size);
void *__real_memory_calloc(size_t count, size_t size);

void *__wrap_aligned_alloc(size_t align, size_t size) {
    return refuse ? NULL : __real_aligned_alloc(align, size);
}

void *__wrap_memory_calloc(size_t count, size_t size) {
    return refuse ? NULL : __real_memory_calloc(count, size);
}

static void refuse_from_here(DXGKRNL_INTERFACE *callbacks) {
    (void)callbacks;
    refuse = true;
}

static void memory_refused_in_the_drivers_process_is_no_pass(void **state) {
    (void)state;
    static struct vidmm_check_result result;
    const struct vidmm_spoiler spoiler = {.callbacks = refuse_from_here};
    const struct vidmm_check_options options = {.stage = "start", .spoiler = &spoiler, .seed = 1};
    vidmm_check(&options, &result);
    assert_false(refuse); /* here: it was another process */
    assert_int_equal(result.status, VIDMM_CHECK_DRIVER_FAILED);
    assert_string_equal(result.text, VIDMM_LEDGER_SHORT);
    assert_int_equal(result.ledger.findings, 0);
}

static void a_referee_that_is_not_to_be_had_is_told(void **state) {
    (void)state;
    static struct vidmm_ledger ledger;
    const struct vidmm_referee_config config = {.ledger = &ledger};
    refuse = true;
    assert_null(vidmm_referee_create(&config));
    refuse = false;
    assert_int_equal(ledger.short_of_memory, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_refused_in_the_drivers_process_is_no_pass),
        cmocka_unit_test(a_referee_that_is_not_to_be_had_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
