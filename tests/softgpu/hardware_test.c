/*
 * hardware_test.c - the hardware half alone, on a host of a few lines: whatever a command buffer
 * holds, the GPU faults or obeys, and never reaches outside of its memories.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/hwmodel.h>
#include <vidmm/softgpu.h>

#include "softgpu_regs.h"

#define MIB       (UINT64_C(1) << 20)
#define RAM_BYTES (8 * MIB)
#define RAM_BASE  (16 * MIB) /* nothing is installed below or above */
#define COMMANDS  RAM_BASE

struct board {
    unsigned char *ram;
    uint32_t interrupts;
    uint64_t fail_at, allocations, live;
    uint64_t fault_kind, fault_at, hang_at;
    void *hw;
    struct vidmm_hw_bar bar[VIDMM_HW_BARS];
    uint32_t fence;
};

static void *board_alloc(void *ctx, size_t size) {
    struct board *board = ctx;
    if (++board->allocations == board->fail_at)
        return NULL;
    board->live++;
    return calloc(1, size);
}

static void board_free(void *ctx, void *block, size_t size) {
    struct board *board = ctx;
    (void)size;
    board->live--;
    free(block);
}

static void *board_memory(void *ctx, uint64_t pa, size_t size) {
    struct board *board = ctx;
    if (pa < RAM_BASE || pa - RAM_BASE >= RAM_BYTES || size > RAM_BYTES - (pa - RAM_BASE))
        return NULL;
    return board->ram + (pa - RAM_BASE);
}

static void board_interrupt(void *ctx, uint32_t message) {
    struct board *board = ctx;
    (void)message;
    board->interrupts++;
}

static uint64_t board_now(void *ctx) {
    (void)ctx;
    return 0;
}

static void board_advance(void *ctx, uint64_t ns) {
    (void)ctx;
    (void)ns;
}

static uint64_t board_setting(void *ctx, const char *name, uint64_t otherwise) {
    const struct board *board = ctx;
    if (strcmp(name, "VramBytes") == 0)
        return 8 * MIB;
    if (strcmp(name, "VramVisibleBytes") == 0)
        return 4 * MIB;
    if (strcmp(name, "ApertureBytes") == 0)
        return 4 * MIB;
    if (strcmp(name, "FaultKind") == 0)
        return board->fault_kind;
    if (strcmp(name, "FaultAt") == 0)
        return board->fault_at;
    return strcmp(name, "HangAt") == 0 ? board->hang_at : otherwise;
}

static bool board_make(struct board *board) {
    struct vidmm_hw_host host = {board,           board_alloc, board_free,    board_memory,
                                 board_interrupt, board_now,   board_advance, board_setting};
    board->ram = calloc(1, RAM_BYTES);
    board->hw = softgpu_model.create(&host, board->bar);
    if (board->hw != NULL)
        softgpu_model.reg_write(board->hw, 0, GPU_REG_INT_ENABLE, 4, 1);
    return board->hw != NULL;
}

static void board_drop(struct board *board) {
    if (board->hw != NULL)
        softgpu_model.destroy(board->hw);
    free(board->ram);
    assert_int_equal(board->live, 0);
}

static uint32_t read32(struct board *board, uint32_t offset) {
    return (uint32_t)softgpu_model.reg_read(board->hw, 0, offset, 4);
}

static void write32(struct board *board, uint32_t offset, uint32_t value) {
    softgpu_model.reg_write(board->hw, 0, offset, 4, value);
}

static void queue(struct board *board, uint32_t engine, uint64_t address, uint32_t size) {
    uint32_t base = GPU_ENGINE(engine);
    softgpu_model.reg_write(board->hw, 0, base + GPU_ENGINE_ADDRESS, 8, address);
    write32(board, base + GPU_ENGINE_SIZE, size);
    write32(board, base + GPU_ENGINE_FENCE, ++board->fence);
    write32(board, base + GPU_ENGINE_DOORBELL, GPU_DOORBELL_RENDER);
}

static void run(struct board *board) {
    for (uint32_t round = 0; round < 100000; round++)
        if (!softgpu_model.step(board->hw, 0) && !softgpu_model.step(board->hw, 1))
            return;
    fail_msg("the GPU never came to rest");
}

/* Executes `size` bytes of commands on engine 0; true when they completed, false when they faulted.
 */
static bool execute(struct board *board, const void *commands, uint32_t size) {
    memcpy(board->ram, commands, size);
    queue(board, 0, COMMANDS, size);
    run(board);
    uint32_t events = read32(board, GPU_ENGINE(0) + GPU_ENGINE_EVENTS);
    write32(board, GPU_ENGINE(0) + GPU_ENGINE_EVENTS, events);
    if (events == GPU_EVENT_COMPLETED)
        assert_int_equal(read32(board, GPU_ENGINE(0) + GPU_ENGINE_COMPLETED), board->fence);
    else
        assert_int_equal(read32(board, GPU_ENGINE(0) + GPU_ENGINE_FAULTED), board->fence);
    return events == GPU_EVENT_COMPLETED;
}

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* ---- Hostile command buffers
 * ------------------------------------------------------------------------------ */

static uint64_t seed_of_run(void) {
    const char *text = getenv("VIDMM_SEED");
    return text != NULL ? strtoull(text, NULL, 0) | 1 : 0x5eed5eed5eed5eedu;
}

static void random_bytes_never_crash_the_gpu(void **state) {
    uint64_t seed = seed_of_run(), random = seed;
    struct board board = {0};
    (void)state;
    print_message("seed 0x%llx (VIDMM_SEED)\n", (unsigned long long)seed);
    assert_true(board_make(&board));
    for (uint32_t round = 0; round < 2000; round++) {
        uint64_t bytes[64];
        for (size_t i = 0; i < 64; i++)
            bytes[i] = next_random(&random);
        (void)execute(&board, bytes, 1 + (uint32_t)(next_random(&random) % sizeof bytes));
    }
    board_drop(&board);
}

/* An operand that is nearly right: an edge of some memory, a small number, or anything. */
static uint64_t plausible(uint64_t *random) {
    static const uint64_t edge[] = {0,
                                    RAM_BASE,
                                    RAM_BASE + RAM_BYTES,
                                    GPU_VRAM_BASE,
                                    GPU_VRAM_BASE + 4 * MIB,
                                    GPU_VRAM_BASE + 8 * MIB,
                                    GPU_APERTURE_BASE(0),
                                    GPU_APERTURE_BASE(0) + 4 * MIB,
                                    GPU_APERTURE_BASE(1),
                                    GPU_BUS_END,
                                    UINT64_MAX};
    uint64_t kind = next_random(random) % 8, value = next_random(random);
    if (kind < 4)
        return edge[value % (sizeof edge / sizeof edge[0])] + value / 16 % 3 * GPU_PAGE -
               value / 64 % 2;
    if (kind < 7)
        return value % (64 * GPU_PAGE);
    return value;
}

static uint32_t nearly_a_command(uint64_t *random, unsigned char *out) {
    uint64_t words[12];
    struct gpu_command head = {(uint16_t)(next_random(random) % (GPU_OPCODES + 1)),
                               (uint16_t)(next_random(random) % 64),
                               (uint32_t)(8 + next_random(random) % 11 * 8)};
    for (size_t i = 0; i < 12; i++)
        words[i] = next_random(random) % 3 == 0
                       ? GPU_RUN(RAM_BASE / GPU_PAGE + next_random(random) % 2100,
                                 1 + next_random(random) % 4)
                       : plausible(random);
    memcpy(words, &head, sizeof head);
    memcpy(out, words, head.size);
    return head.size;
}

static void nearly_right_commands_never_crash_the_gpu(void **state) {
    uint64_t seed = seed_of_run(), random = seed;
    struct board board = {0};
    uint32_t good = 0;
    (void)state;
    print_message("seed 0x%llx (VIDMM_SEED)\n", (unsigned long long)seed);
    assert_true(board_make(&board));
    for (uint32_t i = 0; i < 2; i++) {
        softgpu_model.reg_write(board.hw, 0, GPU_RANGE(i) + GPU_RANGE_ADDRESS, 8,
                                GPU_VRAM_BASE + i * MIB);
        softgpu_model.reg_write(board.hw, 0, GPU_RANGE(i) + GPU_RANGE_BYTES, 8, 16 * GPU_PAGE);
        write32(&board, GPU_RANGE(i) + GPU_RANGE_PITCH, i * GPU_TILE_WIDTH);
        write32(&board, GPU_RANGE(i) + GPU_RANGE_CONTROL, GPU_RANGE_ATTACHED);
        assert_int_equal(read32(&board, GPU_RANGE(i) + GPU_RANGE_CONTROL), GPU_RANGE_ATTACHED);
    }
    for (uint32_t round = 0; round < 20000; round++) {
        unsigned char bytes[256];
        uint32_t size = nearly_a_command(&random, bytes);
        struct gpu_spin spin;
        memcpy(&spin, bytes, size < sizeof spin ? 8 : sizeof spin);
        if (spin.head.opcode == GPU_SPIN)
            continue; /* it may well take for ever */
        good += execute(&board, bytes, size);
    }
    assert_true(good > 1000);
    board_drop(&board);
}

static void commands_outside_of_memory_are_faults(void **state) {
    struct board board = {0};
    (void)state;
    assert_true(board_make(&board));
    static const uint64_t places[] = {0, RAM_BASE + RAM_BYTES - 4, GPU_APERTURE_BASE(0),
                                      GPU_VRAM_BASE + 8 * MIB - 4, UINT64_MAX - 3};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        queue(&board, 0, places[i], 8);
        run(&board);
        assert_int_equal(read32(&board, GPU_ENGINE(0) + GPU_ENGINE_FAULTED), board.fence);
        assert_int_not_equal(read32(&board, GPU_ENGINE(0) + GPU_ENGINE_FAULT), GPU_FAULT_NONE);
    }
    queue(&board, 0, 0, 0);
    run(&board);
    assert_int_equal(read32(&board, GPU_ENGINE(0) + GPU_ENGINE_COMPLETED), board.fence);
    board_drop(&board);
}

/* ---- Registers
 * ---------------------------------------------------------------------------------------------- */

static void no_register_access_does_harm(void **state) {
    uint64_t random = seed_of_run();
    struct board board = {0};
    (void)state;
    assert_true(board_make(&board));
    for (uint32_t round = 0; round < 200000; round++) {
        uint64_t offset = next_random(&random) % (GPU_REGISTER_BYTES + 64);
        uint32_t width = 1u << next_random(&random) % 4, bar = next_random(&random) % 9 == 0;
        if (next_random(&random) % 2 == 0)
            (void)softgpu_model.reg_read(board.hw, bar, offset, width);
        else
            softgpu_model.reg_write(board.hw, bar, offset, width, plausible(&random));
    }
    board_drop(&board);
}

static void a_full_queue_faults_and_loses_nothing_else(void **state) {
    struct board board = {0};
    (void)state;
    assert_true(board_make(&board));
    for (uint32_t i = 0; i < GPU_QUEUE_DEPTH; i++)
        queue(&board, 0, COMMANDS, 0);
    assert_int_equal(read32(&board, GPU_ENGINE(0) + GPU_ENGINE_FAULTED), GPU_QUEUE_DEPTH);
    assert_int_equal(read32(&board, GPU_ENGINE(0) + GPU_ENGINE_FAULT), GPU_FAULT_OVERFLOW);
    run(&board);
    assert_int_equal(read32(&board, GPU_ENGINE(0) + GPU_ENGINE_COMPLETED), GPU_QUEUE_DEPTH - 1);
    board_drop(&board);
}

static void reset_empties_queues_and_vram(void **state) {
    struct board board = {0};
    unsigned char *vram;
    (void)state;
    assert_true(board_make(&board));
    vram = board.bar[GPU_BAR_VRAM].memory;
    vram[5] = 1;
    queue(&board, 0, COMMANDS, 0);
    queue(&board, 1, COMMANDS, 0);
    write32(&board, GPU_REG_RESET, 1);
    assert_int_equal(vram[5], 0);
    assert_false(softgpu_model.step(board.hw, 0));
    assert_false(softgpu_model.step(board.hw, 1));
    assert_int_equal(board.interrupts, 0);
    board_drop(&board);
}

static void every_failed_allocation_is_survived(void **state) {
    (void)state;
    for (uint64_t n = 1;; n++) {
        struct board board = {.fail_at = n};
        bool made = board_make(&board);
        bool failed = board.allocations >= n;
        board_drop(&board);
        assert_int_equal(made, !failed);
        if (!failed)
            return;
    }
}

/* ---- The tiled layout
 * ------------------------------------------------------------------------------------------ */

static void tiling_is_a_permutation(void **state) {
    static const uint32_t pitches[] = {512, 1024, 1536, 4096, 7168};
    (void)state;
    for (size_t i = 0; i < sizeof pitches / sizeof pitches[0]; i++) {
        uint64_t surface = 7 * GPU_PAGE + (uint64_t)pitches[i] * 20;
        unsigned char *seen = calloc(1, surface);
        for (uint64_t at = 0; at < surface; at++) {
            uint64_t to = gpu_tiled(at, pitches[i], surface);
            assert_true(to < surface);
            assert_int_equal(seen[to], 0);
            seen[to] = 1;
        }
        free(seen);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bytes_never_crash_the_gpu),
        cmocka_unit_test(nearly_right_commands_never_crash_the_gpu),
        cmocka_unit_test(commands_outside_of_memory_are_faults),
        cmocka_unit_test(no_register_access_does_harm),
        cmocka_unit_test(a_full_queue_faults_and_loses_nothing_else),
        cmocka_unit_test(reset_empties_queues_and_vram),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(tiling_is_a_permutation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
