/*
 * hardware_test.c - the hardware half alone, on a host of a few lines: whatever a command buffer
 * holds, the GPU faults or obeys, and never reaches outside of its memories.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/softgpu.h>

#include "fixture/board.h"

/* ---- Hostile command buffers ----------------------------------------------------------------- */

static void random_bytes_never_crash_the_gpu(void **state) {
    uint64_t seed = board_seed(), random = seed;
    struct board board = {0};
    (void)state;
    print_message("seed 0x%llx (VIDMM_SEED)\n", (unsigned long long)seed);
    assert_true(board_make(&board));
    for (uint32_t round = 0; round < 2000; round++) {
        uint64_t bytes[64];
        for (size_t i = 0; i < 64; i++)
            bytes[i] = board_random(&random);
        (void)board_execute(&board, bytes, 1 + (uint32_t)(board_random(&random) % sizeof(bytes)));
    }
    board_drop(&board);
}

static void attach_ranges(struct board *board) {
    for (uint32_t i = 0; i < 2; i++) {
        board_write64(board, GPU_RANGE(i) + GPU_RANGE_ADDRESS, GPU_VRAM_BASE + i * MIB);
        board_write64(board, GPU_RANGE(i) + GPU_RANGE_BYTES, 16 * GPU_PAGE);
        board_write(board, GPU_RANGE(i) + GPU_RANGE_PITCH, i * GPU_TILE_WIDTH);
        board_write(board, GPU_RANGE(i) + GPU_RANGE_CONTROL, GPU_RANGE_ATTACHED);
        assert_int_equal(board_read(board, GPU_RANGE(i) + GPU_RANGE_CONTROL), GPU_RANGE_ATTACHED);
    }
}

static void nearly_right_commands_never_crash_the_gpu(void **state) {
    uint64_t seed = board_seed(), random = seed;
    (void)state;
    print_message("seed 0x%llx (VIDMM_SEED)\n", (unsigned long long)seed);
    for (uint32_t mmu = 0; mmu < 2; mmu++) {
        struct board board = {.setting = {{"MmuLevels", mmu ? 3 : 0}}};
        uint32_t good = 0;
        assert_true(board_make(&board));
        attach_ranges(&board);
        for (uint32_t round = 0; round < 20000; round++) {
            unsigned char bytes[BOARD_COMMAND];
            uint32_t size = board_command(&random, bytes);
            good += board_execute(&board, bytes, size);
        }
        assert_true(good > 1000);
        board_drop(&board);
    }
}

static void commands_outside_of_memory_are_faults(void **state) {
    struct board board = {0};
    (void)state;
    assert_true(board_make(&board));
    static const uint64_t places[] = {0, RAM_BASE + RAM_BYTES - 4, GPU_APERTURE_BASE(0),
                                      GPU_VRAM_BASE + 8 * MIB - 4, UINT64_MAX - 3};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        board_queue(&board, 0, places[i], 8, GPU_DOORBELL_RENDER);
        board_run(&board);
        assert_int_equal(board_read(&board, GPU_ENGINE(0) + GPU_ENGINE_FAULTED), board.fence);
        assert_int_not_equal(board_read(&board, GPU_ENGINE(0) + GPU_ENGINE_FAULT), GPU_FAULT_NONE);
    }
    board_queue(&board, 0, 0, 0, GPU_DOORBELL_RENDER);
    board_run(&board);
    assert_int_equal(board_read(&board, GPU_ENGINE(0) + GPU_ENGINE_COMPLETED), board.fence);
    board_drop(&board);
}

/* ---- Registers ------------------------------------------------------------------------------- */

static void no_register_access_does_harm(void **state) {
    uint64_t random = board_seed();
    struct board board = {0};
    (void)state;
    assert_true(board_make(&board));
    for (uint32_t round = 0; round < 200000; round++) {
        uint64_t offset = board_random(&random) % (GPU_REGISTER_BYTES + 64);
        uint32_t width = 1u << board_random(&random) % 4, bar = board_random(&random) % 9 == 0;
        if (board_random(&random) % 2 == 0)
            (void)vidmm_softgpu_model.reg_read(board.hw, bar, offset, width);
        else
            vidmm_softgpu_model.reg_write(board.hw, bar, offset, width, board_operand(&random));
    }
    board_drop(&board);
}

static void a_full_queue_faults_and_loses_nothing_else(void **state) {
    struct board board = {0};
    (void)state;
    assert_true(board_make(&board));
    for (uint32_t i = 0; i < GPU_QUEUE_DEPTH; i++)
        board_queue(&board, 0, COMMANDS, 0, GPU_DOORBELL_RENDER);
    assert_int_equal(board_read(&board, GPU_ENGINE(0) + GPU_ENGINE_FAULTED), GPU_QUEUE_DEPTH);
    assert_int_equal(board_read(&board, GPU_ENGINE(0) + GPU_ENGINE_FAULT), GPU_FAULT_OVERFLOW);
    board_run(&board);
    assert_int_equal(board_read(&board, GPU_ENGINE(0) + GPU_ENGINE_COMPLETED), GPU_QUEUE_DEPTH - 1);
    board_drop(&board);
}

static void reset_empties_queues_and_vram(void **state) {
    struct board board = {0};
    unsigned char *vram;
    (void)state;
    assert_true(board_make(&board));
    vram = board.bar[GPU_BAR_VRAM].memory;
    vram[5] = 1;
    board_queue(&board, 0, COMMANDS, 0, GPU_DOORBELL_RENDER);
    board_queue(&board, 1, COMMANDS, 0, GPU_DOORBELL_RENDER);
    board_write(&board, GPU_REG_RESET, 1);
    assert_int_equal(vram[5], 0);
    assert_false(vidmm_softgpu_model.step(board.hw, 0));
    assert_false(vidmm_softgpu_model.step(board.hw, 1));
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

/* ---- The tiled layout ------------------------------------------------------------------------ */

static void tiling_is_a_permutation(void **state) {
    static const uint32_t pitches[] = {512, 1024, 1536, 4096, 7168};
    (void)state;
    for (size_t i = 0; i < sizeof(pitches) / sizeof(pitches[0]); i++) {
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
