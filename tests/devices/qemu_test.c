/*
 * qemu_test.c - devices of QEMU as hardware models: registers, DMA, messages, memory, ports. Without
 * a QEMU it is skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"

/* QEMU's educational device. */
enum {
    EDU_ID = 0x00,
    EDU_FACTORIAL = 0x08,
    EDU_STATUS = 0x20,
    EDU_RAISED = 0x24,
    EDU_ACKNOWLEDGE = 0x64,
    EDU_SOURCE = 0x80,
    EDU_TARGET = 0x88,
    EDU_COUNT = 0x90,
    EDU_COMMAND = 0x98,
    EDU_BUFFER = 0x40000,
    EDU_FACTORIAL_RAISES = 0x80,
    EDU_DMA_RAISES = 0x100,
    EDU_START = 1,
    EDU_TO_MEMORY = 2,
    EDU_RAISE = 4,
};

static void work_that_is_begun_by_a_register_ends_with_its_message(void **state) {
    struct fake fake;
    (void)state;
    assert_true(fake_begin(&fake, "qemu:edu"));
    assert_int_equal(fake_read(&fake, EDU_ID, 4) & 0xff, 0xed);
    fake_write(&fake, EDU_STATUS, 4, EDU_FACTORIAL_RAISES);
    fake_write(&fake, EDU_FACTORIAL, 4, 6);
    fake_run_to(&fake, 1);
    assert_int_equal(fake.interrupts[0], 1);
    assert_int_equal(fake_read(&fake, EDU_FACTORIAL, 4), 720);
    assert_int_equal(fake_read(&fake, EDU_RAISED, 4), 1);
    fake_end(&fake);
}

static void move(struct fake *fake, uint64_t from, uint64_t to, uint64_t bytes, uint32_t flags) {
    fake_write(fake, EDU_SOURCE, 8, from);
    fake_write(fake, EDU_TARGET, 8, to);
    fake_write(fake, EDU_COUNT, 8, bytes);
    fake_write(fake, EDU_COMMAND, 8, EDU_START | EDU_RAISE | flags);
    fake_run(fake);
    fake_write(fake, EDU_ACKNOWLEDGE, 4, EDU_DMA_RAISES);
}

static void the_device_reads_and_writes_the_hosts_memory(void **state) {
    struct fake fake;
    (void)state;
    assert_true(fake_begin(&fake, "qemu:edu"));
    memcpy(fake.memory + 0x200000, "of the host", 12);
    move(&fake, 0x200000, EDU_BUFFER, 12, 0);
    move(&fake, EDU_BUFFER, 0x300000, 12, EDU_TO_MEMORY);
    assert_int_equal(fake.interrupts[0], 2);
    assert_string_equal((const char *)fake.memory + 0x300000, "of the host");
    fake_end(&fake);
}

static void what_the_cpu_writes_to_a_memory_bar_is_there_after_the_next_register(void **state) {
    struct fake fake;
    (void)state;
    assert_true(fake_begin(&fake, "qemu:VGA"));
    assert_int_equal(fake.bar[0].kind, VIDMM_HW_BAR_MEMORY);
    uint8_t *at = (uint8_t *)fake.bar[0].memory + 0x54321;
    assert_true(fake.model->touch(fake.hw, 0, 0x54321, true));
    memcpy(at, "pixels", 7);
    (void)fake.model->reg_read(fake.hw, 2, 0x500, 2);
    /* Closed: opened again, it holds what the device has. */
    assert_true(fake.model->touch(fake.hw, 0, 0x54321, false));
    assert_string_equal((const char *)at, "pixels");
    fake_end(&fake);
}

static void registers_of_a_display_keep_their_values(void **state) {
    enum { MODE = 0x502, ID = 0x500 };
    struct fake fake;
    (void)state;
    struct vidmm_hw_display display;
    assert_true(fake_begin(&fake, "qemu:VGA"));
    /* What firmware sets. */
    assert_true(fake.model->display(fake.hw, &display));
    assert_int_equal(fake.model->reg_read(fake.hw, 2, MODE, 2), display.width);
    assert_int_equal(fake.model->reg_read(fake.hw, 2, ID, 2) & 0xfff0, 0xb0c0);
    fake.model->reg_write(fake.hw, 2, MODE, 2, 800);
    assert_int_equal(fake.model->reg_read(fake.hw, 2, MODE, 2), 800);
    fake_end(&fake);
}

static void bars_are_where_configuration_space_says(void **state) {
    struct fake fake;
    unsigned char space[256];
    (void)state;
    assert_true(fake_begin(&fake, "qemu:virtio-gpu-pci"));
    fake.model->configure(fake.hw, space);
    assert_memory_equal(space, "\xf4\x1a\x50\x10", 4);
    uint64_t at;
    memcpy(&at, space + 0x20, sizeof(at));
    assert_int_equal(fake.bar[4].kind, VIDMM_HW_BAR_REGISTERS);
    assert_int_equal(at & ~UINT64_C(15), fake.model->bar_at(fake.hw, 4));
    fake_end(&fake);
}

/* The command register: bus mastering off and on, and a bit that the device does not have. */
static void configuration_space_is_the_devices_own(void **state) {
    enum { ID = 0x00, COMMAND = 0x04, MASTER = 0x4, RESERVED = 0x80 };
    struct fake fake;
    (void)state;
    assert_true(fake_begin(&fake, "qemu:virtio-gpu-pci"));
    const struct vidmm_hw_model *model = fake.model;
    assert_int_equal(model->config_read(fake.hw, ID, 4), 0x10501af4);
    assert_int_equal(model->config_read(fake.hw, ID + 2, 1), 0x50);
    uint32_t command = model->config_read(fake.hw, COMMAND, 2);
    assert_int_equal(command & MASTER, MASTER);
    model->config_write(fake.hw, COMMAND, 2, (command & ~(uint32_t)MASTER) | RESERVED);
    assert_int_equal(model->config_read(fake.hw, COMMAND, 2), command & ~(uint32_t)MASTER);
    model->config_write(fake.hw, COMMAND, 1, command);
    assert_int_equal(model->config_read(fake.hw, COMMAND, 2), command);
    fake_end(&fake);
}

static void what_is_no_device_is_refused_in_qemus_words(void **state) {
    struct fake fake;
    (void)state;
    assert_false(fake_begin(&fake, "qemu:no-such-device"));
    assert_non_null(strstr(fake.failed, "'no-such-device' is not a valid device model name"));
    fake_end(&fake);
    assert_false(fake_begin(&fake, "qemu:edu,colour=red"));
    assert_non_null(strstr(fake.failed, "colour"));
    fake_end(&fake);
}

static void a_qemu_that_is_not_there_is_named(void **state) {
    struct fake fake;
    (void)state;
    assert_int_equal(setenv("VIDMM_QEMU", "/no/such/qemu", 1), 0);
    assert_false(fake_begin(&fake, "qemu:edu"));
    assert_int_equal(unsetenv("VIDMM_QEMU"), 0);
    assert_non_null(strstr(fake.failed, "install QEMU"));
    fake_end(&fake);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_that_is_begun_by_a_register_ends_with_its_message),
        cmocka_unit_test(the_device_reads_and_writes_the_hosts_memory),
        cmocka_unit_test(what_the_cpu_writes_to_a_memory_bar_is_there_after_the_next_register),
        cmocka_unit_test(registers_of_a_display_keep_their_values),
        cmocka_unit_test(bars_are_where_configuration_space_says),
        cmocka_unit_test(configuration_space_is_the_devices_own),
        cmocka_unit_test(what_is_no_device_is_refused_in_qemus_words),
        cmocka_unit_test(a_qemu_that_is_not_there_is_named),
    };
    if (system("qemu-system-x86_64 --version >/dev/null 2>&1") != 0) {
        puts("no qemu-system-x86_64: skipped");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
