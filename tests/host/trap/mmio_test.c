/* mmio_test.c - registers in a BAR by plain loads and stores, of every kind of instruction. */
#include "fixture/tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct vidmm_host *host;

static volatile void *wide(void) {
    return tiny.registers + TINY_WIDE;
}

/* In the test itself: cmocka takes the signals over after a setup. */
static void up(void) {
    const struct vidmm_host_config config = tiny_config();
    host = tiny_up(&config);
    *(volatile uint64_t *)wide() = 0;
}

static void down(void) {
    struct vidmm_host_error error;
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_true(tiny_down(host, &error));
}

static void moves_of_every_width_reach_the_model(void **state) {
    (void)state;
    up();
    *(volatile uint64_t *)wide() = 0x1122334455667788u;
    assert_int_equal(*(volatile uint64_t *)wide(), 0x1122334455667788u);
    assert_int_equal(*(volatile uint32_t *)wide(), 0x55667788u);
    assert_int_equal(*(volatile uint16_t *)wide(), 0x7788u);
    assert_int_equal(*(volatile uint8_t *)wide(), 0x88u);
    assert_int_equal((int64_t) * (volatile int8_t *)wide(), -0x78);
    assert_int_equal((int64_t) * (volatile int32_t *)wide(), 0x55667788);
    down();
}

static void a_store_starts_the_hardware(void **state) {
    (void)state;
    up();
    *(volatile uint32_t *)(tiny.registers + TINY_DOORBELL) = 7;
    for (int i = 0; i < 1000 && *(volatile uint32_t *)(tiny.registers + TINY_FENCE) != 7; i++)
        ;
    assert_int_equal(*(volatile uint32_t *)(tiny.registers + TINY_FENCE), 7);
    down();
}

static void what_reads_and_writes_does_both(void **state) {
    volatile uint64_t *at = wide();
    uint8_t carry;
    (void)state;
    up();
    *at = 40;
    __asm__ volatile("addq $2, %0" : "+m"(*at));
    assert_int_equal(*at, 42);
    __asm__ volatile("orq $0x100, %0" : "+m"(*at));
    assert_int_equal(*at, 0x12a);
    __asm__ volatile("btsq $1, %0\n setc %1" : "+m"(*at), "=q"(carry));
    assert_int_equal(carry, 1);
    uint64_t old = 5;
    __asm__ volatile("xchgq %0, %1" : "+r"(old), "+m"(*at));
    assert_int_equal(old, 0x12a);
    assert_int_equal(*at, 5);
    __asm__ volatile("cmpq $5, %1\n sete %0" : "=q"(carry) : "m"(*at));
    assert_int_equal(carry, 1);
    down();
}

static void vector_registers_keep_what_they_have(void **state) {
    volatile uint64_t *at = wide();
    uint64_t value = 0x0102030405060708u, back = 0, other = 77, kept = 0;
    (void)state;
    up();
    __asm__ volatile("movq %3, %%xmm5\n"
                     "movq %2, %%xmm6\n"
                     "movq %%xmm6, %1\n"
                     "pxor %%xmm6, %%xmm6\n"
                     "movq %1, %%xmm6\n"
                     "movq %%xmm6, %0\n"
                     "movq %%xmm5, %4\n"
                     : "=m"(back), "+m"(*at)
                     : "m"(value), "m"(other), "m"(kept)
                     : "xmm5", "xmm6", "memory");
    assert_int_equal(*at, value);
    assert_int_equal(back, value);
    assert_int_equal(kept, other);
    down();
}

static void string_instructions_go_item_by_item(void **state) {
    uint32_t from = 0xcafe0001u, to[2] = {0, 0};
    void *source = &from, *target = (void *)(uintptr_t)wide();
    uint64_t count = 1;
    (void)state;
    up();
    __asm__ volatile("rep movsl" : "+S"(source), "+D"(target), "+c"(count) : : "memory");
    assert_ptr_equal(source, &from + 1);
    assert_int_equal(count, 0);
    assert_int_equal(*(volatile uint32_t *)wide(), 0xcafe0001u);
    source = (void *)(uintptr_t)wide();
    target = to;
    count = 2;
    __asm__ volatile("rep movsl" : "+S"(source), "+D"(target), "+c"(count) : : "memory");
    assert_int_equal(to[0], 0xcafe0001u);
    target = (void *)(uintptr_t)wide();
    count = 1;
    __asm__ volatile("rep stosq" : "+D"(target), "+c"(count) : "a"(9) : "memory");
    assert_int_equal(*(volatile uint64_t *)wide(), 9);
    down();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_of_every_width_reach_the_model),
        cmocka_unit_test(a_store_starts_the_hardware),
        cmocka_unit_test(what_reads_and_writes_does_both),
        cmocka_unit_test(vector_registers_keep_what_they_have),
        cmocka_unit_test(string_instructions_go_item_by_item),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
