/* described_test.c - a described device does what its file says, and a wrong file is refused in a sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake.h"

static char path[] = "/tmp/vidmm-described-XXXXXX";

/* The device that `text` describes. */
static bool begin(struct fake *fake, const char *text) {
    char name[64];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    snprintf(name, sizeof(name), "regs:%s", path);
    return fake_begin(fake, name);
}

#define BAR "bar 0 registers 4K\n"

static void registers_have_their_reset_values_and_widths(void **state) {
    struct fake fake;
    (void)state;
    assert_true(begin(&fake, BAR "register A at=0x10 reset=0x12345678\n"
                                 "register B at=0x18 width=8 reset=0x1122334455667788\n"));
    assert_int_equal(fake_read(&fake, 0x10, 4), 0x12345678);
    assert_int_equal(fake_read(&fake, 0x12, 2), 0x1234);
    assert_int_equal(fake_read(&fake, 0x18, 8), 0x1122334455667788);
    assert_int_equal(fake_read(&fake, 0x20, 4), 0);
    fake_end(&fake);
}

static void a_readonly_bit_keeps_its_value_and_a_clearing_one_is_cleared_by_a_1(void **state) {
    struct fake fake;
    (void)state;
    assert_true(begin(&fake, BAR "register A at=0 reset=0xf0f0 readonly=0xff00 clears=0xff\n"
                                 "register B at=4 reset=7 readonly\n"));
    fake_write(&fake, 0, 4, 0x00010f30);
    assert_int_equal(fake_read(&fake, 0, 4), 0x0001f0c0);
    fake_write(&fake, 4, 4, 0);
    assert_int_equal(fake_read(&fake, 4, 4), 7);
    fake_end(&fake);
}

static void a_part_of_a_register_and_two_registers_at_once_can_be_written(void **state) {
    struct fake fake;
    (void)state;
    assert_true(begin(&fake, BAR "register A at=0\nregister B at=4 readonly=0xff\n"));
    fake_write(&fake, 1, 1, 0xab);
    assert_int_equal(fake_read(&fake, 0, 4), 0xab00);
    fake_write(&fake, 0, 8, 0x1122334455667788);
    assert_int_equal(fake_read(&fake, 0, 4), 0x55667788);
    assert_int_equal(fake_read(&fake, 4, 4), 0x11223300);
    fake_end(&fake);
}

static void bytes_of_no_register_keep_what_is_written(void **state) {
    struct fake fake;
    (void)state;
    assert_true(begin(&fake, BAR "register A at=0 readonly\n"));
    fake_write(&fake, 0x800, 4, 0xcafe);
    assert_int_equal(fake_read(&fake, 0x800, 2), 0xcafe);
    fake_end(&fake);
}

static void bits_follow_others_at_once_or_after_a_time(void **state) {
    struct fake fake;
    (void)state;
    assert_true(begin(&fake, BAR "register CONTROL at=0\nregister STATUS at=4 reset=2 readonly\n"
                                 "follow STATUS:1 CONTROL:0 inverted\n"
                                 "follow STATUS:9-8 CONTROL:5-4 after=10us\n"));
    fake_write(&fake, 0, 4, 0x31);
    assert_int_equal(fake_read(&fake, 4, 4), 0);
    fake_run(&fake);
    assert_int_equal(fake_read(&fake, 4, 4), 0x300);
    assert_int_equal(fake.now, 10000);
    fake_write(&fake, 0, 4, 0);
    assert_int_equal(fake_read(&fake, 4, 4), 0x302);
    fake_end(&fake);
}

static void an_interrupt_comes_when_an_enabled_bit_is_new_and_once(void **state) {
    struct fake fake;
    (void)state;
    assert_true(begin(&fake, BAR "register KICK at=0\nregister PENDING at=4 clears=0xffffffff\n"
                                 "register ENABLE at=8\n"
                                 "set PENDING:3 when KICK written after=1ms\n"
                                 "interrupt 2 when PENDING enabled ENABLE\n"));
    fake_write(&fake, 0, 4, 1);
    fake_run(&fake);
    assert_int_equal(fake_read(&fake, 4, 4), 8);
    assert_int_equal(fake.interrupts[2], 0);
    fake_write(&fake, 8, 4, 8);
    fake_run(&fake);
    fake_run(&fake);
    assert_int_equal(fake.interrupts[2], 1);
    fake_write(&fake, 4, 4, 8);
    assert_int_equal(fake_read(&fake, 4, 4), 0);
    fake_write(&fake, 0, 4, 1);
    fake_run(&fake);
    assert_int_equal(fake.interrupts[2], 2);
    fake_end(&fake);
}

static void what_rises_and_what_falls_are_told_apart(void **state) {
    struct fake fake;
    (void)state;
    assert_true(begin(&fake, BAR "register IN at=0\nregister OUT at=4\n"
                                 "set OUT:0 when IN:0 rises\nset OUT:1 when IN:0 falls\n"
                                 "clear OUT:0 when IN:1 rises\n"));
    fake_write(&fake, 0, 4, 1);
    assert_int_equal(fake_read(&fake, 4, 4), 1);
    fake_write(&fake, 0, 4, 0);
    assert_int_equal(fake_read(&fake, 4, 4), 3);
    fake_write(&fake, 0, 4, 2);
    assert_int_equal(fake_read(&fake, 4, 4), 2);
    fake_end(&fake);
}

static void the_identity_is_in_configuration_space(void **state) {
    struct fake fake;
    unsigned char space[256] = {0};
    (void)state;
    assert_true(begin(&fake, "identity vendor=0x1234 device=0x5678 subsystem=0x9abc:0xdef0 "
                             "revision=3 class=0x038000\nbar 1 memory 16M\n"));
    fake.model->configure(fake.hw, space);
    assert_memory_equal(space, "\x34\x12\x78\x56", 4);
    assert_memory_equal(space + 8, "\x03\x00\x80\x03", 4);
    assert_memory_equal(space + 0x2c, "\xbc\x9a\xf0\xde", 4);
    assert_int_equal(fake.bar[1].kind, VIDMM_HW_BAR_MEMORY);
    assert_int_equal(fake.bar[1].size, 16 << 20);
    fake_end(&fake);
}

static void the_boot_display_is_where_the_file_says(void **state) {
    struct fake fake;
    struct vidmm_hw_display display;
    (void)state;
    assert_true(begin(&fake, "bar 2 memory 16M\ndisplay 2 800x600\n"));
    assert_true(fake.model->display(fake.hw, &display));
    assert_int_equal(display.bar, 2);
    assert_int_equal(display.width, 800);
    assert_int_equal(display.height, 600);
    fake_end(&fake);
    assert_true(begin(&fake, "bar 2 memory 16M\n"));
    assert_false(fake.model->display(fake.hw, &display));
    fake_end(&fake);
}

static void a_wrong_line_is_named_with_what_was_expected(void **state) {
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"bars 0\n", ":1: 'bars' is none of"},
        {"\n# only\nbar 6 registers 4K\n", ":3: '6' is no number from 0 to 0x5"},
        {"bar 0 registers 5000\n", "no size of whole pages"},
        {"bar 0 registers 99999999999999999999\n", "no size of whole pages"},
        {"bar 0 rom 4K\n", "neither registers nor memory"},
        {"bar 0 registers\n", "expected bar NUMBER"},
        {BAR BAR, ":2: BAR 0 is described twice"},
        {BAR "register A at=0x1000\n", "outside of BAR 0"},
        {BAR "register A at=2\n", "not aligned"},
        {BAR "register A at=0 width=3\n", "1, 2, 4 or 8 bytes wide"},
        {BAR "register A at=0 reset=0x100000000\n", "wider than the register"},
        {BAR "register A at=0\nregister A at=4\n", "described twice"},
        {BAR "register A at=0 width=8\nregister B at=4\n", "overlaps register A"},
        {BAR "register A bar=1 at=0\n", "BAR 1 is not described"},
        {BAR "register A at=0 colour=3\n", "'colour=3' is none of"},
        {BAR "register A at=0\nfollow A:0 B:0\n", "'B' is no register"},
        {BAR "register A at=0\nfollow A:0 A:2-1\n", "different numbers of bits"},
        {BAR "register A at=0\nfollow A:32 A:0\n", "not NAME:BIT"},
        {BAR "register A at=0\nfollow A:1 A:0 after=10\n", "not after=TIME"},
        {BAR "register A at=0\nset A:0 when A:1 moves\n", "expected set|clear"},
        {BAR "register A at=0\ninterrupt 0 when A enable A\n", "expected interrupt"},
        {"identity vendor=0x10000\n", "no number"},
        {"identity subsystem=1\n", "subsystem=VENDOR:ID expected"},
        {"bar 0 memory 4K\ndisplay 0 640x480\n", "not described above as memory for 640x480"},
        {"bar 0 memory 4K\ndisplay 0 640\n", "not WIDTHxHEIGHT"},
        {"# nothing\n", "describes no BAR"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct fake fake;
        assert_false(begin(&fake, wrong[i].text));
        if (!strstr(fake.failed, wrong[i].says) || !strstr(fake.failed, path))
            fail_msg("'%s' was refused with '%s'", wrong[i].text, fake.failed);
    }
}

static void a_name_of_another_kind_and_a_file_that_is_not_there_are_refused(void **state) {
    struct fake fake;
    (void)state;
    assert_false(fake_begin(&fake, "bochs:VGA"));
    assert_non_null(strstr(fake.failed, "qemu:NAME"));
    assert_false(fake_begin(&fake, "regs:"));
    assert_non_null(strstr(fake.failed, "regs:FILE"));
    assert_false(fake_begin(&fake, "regs:/no/such/file"));
    assert_non_null(strstr(fake.failed, "No such file"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_have_their_reset_values_and_widths),
        cmocka_unit_test(a_readonly_bit_keeps_its_value_and_a_clearing_one_is_cleared_by_a_1),
        cmocka_unit_test(a_part_of_a_register_and_two_registers_at_once_can_be_written),
        cmocka_unit_test(bytes_of_no_register_keep_what_is_written),
        cmocka_unit_test(bits_follow_others_at_once_or_after_a_time),
        cmocka_unit_test(an_interrupt_comes_when_an_enabled_bit_is_new_and_once),
        cmocka_unit_test(what_rises_and_what_falls_are_told_apart),
        cmocka_unit_test(the_identity_is_in_configuration_space),
        cmocka_unit_test(the_boot_display_is_where_the_file_says),
        cmocka_unit_test(a_wrong_line_is_named_with_what_was_expected),
        cmocka_unit_test(a_name_of_another_kind_and_a_file_that_is_not_there_are_refused),
    };
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
