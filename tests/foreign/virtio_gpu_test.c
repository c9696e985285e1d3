/* SPDX-License-Identifier: MIT */
/*
 * virtio_gpu_test.c - the model of a virtio GPU as a driver finds it: capabilities that lead to
 * registers, features, a queue whose chains are answered, a copy that arrives. The rings are laid
 * out here by hand, by the same document.
 */
#include <vidmm/hwmodel.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define BAR     2u
#define MEMORY  0x40000u
#define DESC    0x1000u
#define AVAIL   0x2000u
#define USED    0x3000u
#define REQUEST 0x4000u
#define ANSWER  0x5000u
#define PIXELS  0x10000u

extern const struct vidmm_hw_model vidmm_hardware;

static unsigned char memory[MEMORY];
static unsigned interrupts;
static uint16_t offered;

static void *alloc(void *ctx, size_t size) {
    (void)ctx;
    return calloc(1, size);
}

static void release(void *ctx, void *block, size_t size) {
    (void)ctx;
    (void)size;
    free(block);
}

static void *reach(void *ctx, uint64_t pa, size_t size) {
    (void)ctx;
    return pa < MEMORY && size <= MEMORY - pa ? memory + pa : NULL;
}

static void interrupt(void *ctx, uint32_t message) {
    (void)ctx;
    assert_int_equal(message, 1);
    interrupts++;
}

static uint64_t setting(void *ctx, const char *name, uint64_t otherwise) {
    (void)ctx;
    (void)name;
    return otherwise;
}

static const struct vidmm_hw_host host = {
    .alloc = alloc, .free = release, .memory = reach, .interrupt = interrupt, .setting = setting};

static uint32_t rd(void *hw, uint64_t offset, uint32_t width) {
    return (uint32_t)vidmm_hardware.reg_read(hw, BAR, offset, width);
}

static void wr(void *hw, uint64_t offset, uint32_t width, uint64_t value) {
    vidmm_hardware.reg_write(hw, BAR, offset, width, value);
}

/* Up, with the control queue at the addresses above. */
static void *up(void) {
    struct vidmm_hw_bar bars[VIDMM_HW_BARS] = {{VIDMM_HW_BAR_NONE, 0, NULL}};
    memset(memory, 0, sizeof(memory));
    interrupts = offered = 0;
    void *hw = vidmm_hardware.create(&host, bars);
    assert_non_null(hw);
    assert_int_equal(bars[BAR].kind, VIDMM_HW_BAR_REGISTERS);
    wr(hw, 22, 2, 0);
    wr(hw, 24, 2, 16);
    wr(hw, 26, 2, 1);
    wr(hw, 32, 4, DESC);
    wr(hw, 40, 4, AVAIL);
    wr(hw, 48, 4, USED);
    wr(hw, 28, 2, 1);
    wr(hw, 20, 1, 15);
    return hw;
}

static void descriptor(uint32_t index, uint64_t address, uint32_t length, uint16_t flags) {
    unsigned char *at = memory + DESC + 16 * index;
    uint16_t next = (uint16_t)(index + 1);
    memcpy(at, &address, 8);
    memcpy(at + 8, &length, 4);
    memcpy(at + 12, &flags, 2);
    memcpy(at + 14, &next, 2);
}

/* One request: its type, its context, and words behind the header. Returns the answer's type. */
static uint32_t ask(void *hw, uint32_t type, uint32_t context, const uint32_t *words,
                    uint32_t count) {
    uint32_t header[6] = {type, 1, 7, 0, context, 0}, answer;
    uint16_t used;
    memcpy(memory + REQUEST, header, sizeof(header));
    if (count != 0)
        memcpy(memory + REQUEST + sizeof(header), words, count * 4);
    descriptor(0, REQUEST, sizeof(header) + count * 4, 1);
    descriptor(1, ANSWER, 2048, 2);
    memset(memory + AVAIL + 4, 0, 32);
    offered++;
    memcpy(memory + AVAIL + 2, &offered, 2);
    wr(hw, 0x3000, 2, 0);
    assert_true(vidmm_hardware.step(hw, 0));
    assert_false(vidmm_hardware.step(hw, 0));
    memcpy(&used, memory + USED + 2, 2);
    assert_int_equal(used, offered);
    assert_int_equal(interrupts, offered);
    memcpy(&answer, memory + ANSWER, 4);
    return answer;
}

static uint32_t answered(uint32_t offset) {
    uint32_t value;
    memcpy(&value, memory + ANSWER + offset, 4);
    return value;
}

static void capabilities_lead_to_the_registers(void **state) {
    unsigned char space[256] = {0};
    unsigned types = 0;
    (void)state;
    void *hw = up();
    vidmm_hardware.configure(hw, space);
    assert_int_equal(space[0] | space[1] << 8, 0x1af4);
    assert_int_equal(space[2] | space[3] << 8, 0x1050);
    assert_true(space[6] & 0x10);
    for (unsigned at = space[0x34]; at != 0; at = space[at + 1]) {
        assert_int_equal(space[at], 9);
        assert_int_equal(space[at + 4], BAR);
        types |= 1u << space[at + 3];
    }
    assert_int_equal(types, 0x1e); /* common, notify, ISR, device */
    wr(hw, 0, 4, 1);
    assert_int_equal(rd(hw, 4, 4), 1); /* VIRTIO_F_VERSION_1 */
    assert_int_equal(rd(hw, 18, 2), 2);
    assert_int_equal(rd(hw, 0x2008, 4), 1); /* num_scanouts */
    vidmm_hardware.destroy(hw);
}

static void questions_are_answered(void **state) {
    static const uint32_t first[2] = {0, 0}, beyond[2] = {9, 0};
    (void)state;
    void *hw = up();
    assert_int_equal(ask(hw, 0x100, 0, NULL, 0), 0x1101);
    assert_int_equal(answered(24 + 8), 1024);
    assert_int_equal(answered(24 + 12), 768);
    assert_int_equal(answered(8), 7); /* the fence comes back */
    assert_int_equal(ask(hw, 0x108, 0, first, 2), 0x1102);
    assert_int_equal(ask(hw, 0x108, 0, beyond, 2), 0x1205);
    assert_int_equal(ask(hw, 0x10a, 0, first, 2), 0x1104);
    assert_int_equal(ask(hw, 0x999, 0, first, 2), 0x1200);
    vidmm_hardware.destroy(hw);
}

/* From the backing of one resource to that of another, by way of the device. */
static void a_copy_arrives_in_the_other_backing(void **state) {
    const uint32_t box[12] = {0, 0, 0, 8, 4, 1, 0, 0, 1, 0, 0, 0};
    uint32_t back[12], backing[6] = {0, 1, 0, 0, 128, 0};
    const uint32_t copy[16] = {56, 0, 13u << 16 | 17, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 8, 4, 1};
    (void)state;
    void *hw = up();
    assert_int_equal(ask(hw, 0x200, 3, (uint32_t[2]){0, 0}, 2), 0x1100);
    for (uint32_t id = 1; id <= 2; id++) {
        const uint32_t create[12] = {id, 2, 1, 0, 8, 4, 1, 1, 0, 0, 0, 0};
        assert_int_equal(ask(hw, 0x204, 0, create, 12), 0x1100);
        backing[0] = id;
        backing[2] = PIXELS + 0x1000 * id;
        assert_int_equal(ask(hw, 0x106, 0, backing, 6), 0x1100);
        memset(memory + backing[2], (int)id, 128);
    }
    assert_int_equal(ask(hw, 0x205, 3, box, 12), 0x1100);
    assert_int_equal(ask(hw, 0x207, 3, copy, 16), 0x1100);
    memcpy(back, box, sizeof(back));
    back[8] = 2;
    assert_int_equal(ask(hw, 0x206, 3, back, 12), 0x1100);
    assert_memory_equal(memory + PIXELS + 0x2000, memory + PIXELS + 0x1000, 128);
    vidmm_hardware.destroy(hw);
}

static void what_is_not_there_is_refused(void **state) {
    const uint32_t backing[6] = {1, 1, MEMORY, 0, 4096, 0}, create[12] = {1, 2, 1, 0, 8, 4};
    (void)state;
    void *hw = up();
    assert_int_equal(ask(hw, 0x106, 0, backing, 6), 0x1203);
    assert_int_equal(ask(hw, 0x204, 0, create, 12), 0x1100);
    assert_int_equal(ask(hw, 0x106, 0, backing, 6), 0x1205); /* no memory at that address */
    assert_int_equal(ask(hw, 0x207, 3, create, 2), 0x1204);
    wr(hw, 20, 1, 0); /* a reset forgets it */
    assert_int_equal(rd(hw, 20, 1), 0);
    assert_int_equal(rd(hw, 28, 2), 0);
    vidmm_hardware.destroy(hw);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capabilities_lead_to_the_registers),
        cmocka_unit_test(questions_are_answered),
        cmocka_unit_test(a_copy_arrives_in_the_other_backing),
        cmocka_unit_test(what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
