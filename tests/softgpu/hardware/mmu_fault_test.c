/*
 * mmu_fault_test.c - page faults as the GPU reports them, and what page tables that make no sense
 * can do to it (nothing). mmu_test.c has the tables that do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/softgpu.h>

#include "fixture/space.h"

/* ---- Faults ---------------------------------------------------------------------------------- */

struct expected {
    enum gpu_fault fault;
    uint64_t va;
    uint32_t access, level;
};

/* The fault that engine 0 reports is this one; lets the engine go on. */
static void faulted(struct space *space, struct expected expected) {
    struct board *board = space->board;
    uint32_t base = GPU_ENGINE(0);
    assert_int_equal(board_read(board, base + GPU_ENGINE_FAULT), expected.fault);
    assert_int_equal(board_read64(board, base + GPU_ENGINE_FAULT_VA), expected.va);
    assert_int_equal(board_read(board, base + GPU_ENGINE_FAULT_ACCESS), expected.access);
    assert_int_equal(board_read(board, base + GPU_ENGINE_FAULT_LEVEL), expected.level);
    assert_int_equal(board_read64(board, base + GPU_ENGINE_FAULT_ROOT), space->root);
    assert_int_equal(board_read(board, base + GPU_ENGINE_FAULT_SPACE), space->id);
    space_resume(space, 0);
}

static void fill_errors(struct space *space, uint64_t va, enum gpu_fault fault, uint32_t level) {
    uint32_t interrupts = space->board->interrupts;
    assert_false(space_fill(space, va, 0, 8));
    assert_int_equal(space->board->interrupts, interrupts + 1);
    faulted(space, (struct expected){fault, va, GPU_ACCESS_WRITE, level});
}

static void wrong_entries_are_faults_with_their_level(void **state) {
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    space_map(&s.space, VA, VRAM_DATA, GPU_PAGE_SHIFT, 0);
    uint64_t *leaf = space_entry(&s.space, VA, GPU_PAGE_SHIFT), good = *leaf;
    uint64_t *middle = space_table_entry(&s.space, VA, 1, 0), table = *middle;
    fill_errors(&s.space, VA + GPU_PAGE, GPU_FAULT_INVALID, 0);
    fill_errors(&s.space, OTHER_VA, GPU_FAULT_INVALID, 1);
    fill_errors(&s.space, UINT64_C(1) << (s.space.va_bits - 1), GPU_FAULT_INVALID, 2);
    *leaf = good & ~(uint64_t)GPU_PTE_VALID;
    fill_errors(&s.space, VA + 16, GPU_FAULT_INVALID, 0);
    *leaf = good | UINT64_C(1) << 60;
    fill_errors(&s.space, VA + 16, GPU_FAULT_FORMAT, 0);
    *leaf = GPU_VRAM_BASE + 8 * MIB + GPU_PTE_VALID;
    fill_errors(&s.space, VA + 24, GPU_FAULT_TARGET, 0);
    space_flush(&s.space, GPU_FLUSH_ALL, 0, 0);
    *middle = table | GPU_PTE_READ_ONLY;
    fill_errors(&s.space, VA, GPU_FAULT_FORMAT, 1);
    *middle = (VRAM_DATA + GPU_PAGE) | GPU_PTE_VALID | GPU_PTE_LARGE;
    fill_errors(&s.space, VA, GPU_FAULT_FORMAT, 1);
    *middle = (RAM_BASE + RAM_BYTES) | GPU_PTE_VALID;
    fill_errors(&s.space, VA, GPU_FAULT_TABLE, 0);
    board_drop(&s.board);
}

static void addresses_beyond_the_tables_are_faults(void **state) {
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    uint32_t top = s.space.format.levels - 1;
    uint64_t covers = UINT64_C(1) << gpu_mmu_shift(&s.space.format, top);
    fill_errors(&s.space, UINT64_C(1) << s.space.va_bits, GPU_FAULT_RANGE, top);
    space_map(&s.space, covers, VRAM_DATA, GPU_PAGE_SHIFT, 0);
    s.space.entries = 1;
    fill_errors(&s.space, covers, GPU_FAULT_RANGE, top);
    s.space.entries = 2;
    assert_true(space_fill(&s.space, covers, 0, 8));
    s.space.id = GPU_SPACES;
    space_queue(&s.space, 0, COMMAND_VA, 8, GPU_DOORBELL_RENDER);
    assert_false(board_finish(&s.board, 0));
    faulted(&s.space, (struct expected){GPU_FAULT_RANGE, COMMAND_VA, GPU_ACCESS_EXECUTE, top});
    s.space.id = 1;
    s.space.root += 8;
    space_queue(&s.space, 0, UINT64_C(3) << 30, 8, GPU_DOORBELL_RENDER);
    assert_false(board_finish(&s.board, 0));
    faulted(&s.space,
            (struct expected){GPU_FAULT_RANGE, UINT64_C(3) << 30, GPU_ACCESS_EXECUTE, top});
    board_drop(&s.board);
}

static void an_unaligned_64k_page_or_root_is_a_fault(void **state) {
    struct board board = {0};
    struct space space;
    uint64_t next = VRAM_TABLES;
    (void)state;
    space_board(&board, 3, GPU_PAGES_SINGLE, 0);
    space_make(&space, &board, 1, &next);
    space_map(&space, OTHER_VA, VRAM_DATA + GPU_PAGE, GPU_PAGE_64K_SHIFT, 0);
    fill_errors(&space, OTHER_VA + GPU_PAGE, GPU_FAULT_FORMAT, 0);
    space.root += 64;
    space_flush(&space, GPU_FLUSH_ALL, 0, 0); /* still fetched through the TLB */
    space_queue(&space, 0, COMMAND_VA, 8, GPU_DOORBELL_RENDER);
    assert_false(board_finish(&board, 0));
    faulted(&space, (struct expected){GPU_FAULT_TABLE, COMMAND_VA, GPU_ACCESS_EXECUTE, 2});
    board_drop(&board);
}

static void protection_stops_writes_and_commands(void **state) {
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    space_map(&s.space, VA, COMMANDS, GPU_PAGE_SHIFT, GPU_PTE_READ_ONLY);
    space_map(&s.space, OTHER_VA, COMMANDS, GPU_PAGE_SHIFT, GPU_PTE_NO_EXECUTE);
    memset(s.board.ram, 0, 64);
    fill_errors(&s.space, VA, GPU_FAULT_READ_ONLY, 0);
    fill_errors(&s.space, VA, GPU_FAULT_READ_ONLY, 0); /* from the TLB as from the tables */
    (void)space_word(&s.space, VA);
    assert_true(space_translation(&s.space, VA).read_only);
    space_queue(&s.space, 0, OTHER_VA, 8, GPU_DOORBELL_RENDER);
    assert_false(board_finish(&s.board, 0));
    faulted(&s.space, (struct expected){GPU_FAULT_NO_EXECUTE, OTHER_VA, GPU_ACCESS_EXECUTE, 0});
    (void)space_word(&s.space, OTHER_VA);
    space_queue(&s.space, 0, VA, 0, GPU_DOORBELL_RENDER);
    assert_true(board_finish(&s.board, 0));
    board_drop(&s.board);
}

static void bits_of_missing_features_are_reserved(void **state) {
    static const uint64_t bits[] = {GPU_PTE_READ_ONLY, GPU_PTE_NO_EXECUTE, GPU_PTE_ZERO,
                                    GPU_PTE_LARGE, GPU_PTE_TABLE_64K};
    struct board board = {0};
    struct space space;
    uint64_t next = VRAM_TABLES;
    (void)state;
    space_board(&board, 3, GPU_PAGES_4K, 0);
    space_make(&space, &board, 1, &next);
    for (uint32_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        space_map(&space, VA, VRAM_DATA, GPU_PAGE_SHIFT, bits[i]);
        fill_errors(&space, VA, GPU_FAULT_FORMAT, 0);
    }
    space_map(&space, VA, VRAM_DATA, GPU_PAGE_SHIFT, GPU_PTE_COHERENT);
    assert_true(space_fill(&space, VA, 0, 8));
    *space_table_entry(&space, VA, 1, 0) |= GPU_PTE_TABLE_64K;
    fill_errors(&space, VA + GPU_PAGE, GPU_FAULT_FORMAT, 1);
    board_drop(&board);
}

static void a_page_fault_halts_its_engine_and_no_other(void **state) {
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    space_map(&s.space, VA, VRAM_DATA, GPU_PAGE_SHIFT, 0);
    struct gpu_fill bad = {{GPU_FILL, 0, sizeof(bad)}, 1, 0, OTHER_VA, 8};
    struct gpu_fill good = {{GPU_FILL, 0, sizeof(good)}, 1, 0, VA, 8};
    memcpy(s.board.ram, &bad, sizeof(bad));
    memcpy(s.board.ram + GPU_PAGE, &good, sizeof(good));
    space_queue(&s.space, 0, COMMAND_VA, sizeof(bad), GPU_DOORBELL_RENDER);
    space_queue(&s.space, 0, COMMAND_VA + GPU_PAGE, sizeof(good), GPU_DOORBELL_RENDER);
    board_run(&s.board);
    assert_int_equal(board_read(&s.board, GPU_ENGINE(0) + GPU_ENGINE_FAULTED), 1);
    assert_int_equal(board_read(&s.board, GPU_ENGINE(0) + GPU_ENGINE_QUEUED), 1);
    assert_int_equal(board_at(&s.board, VRAM_DATA)[0], 0);
    space_queue(&s.space, 1, COMMAND_VA + GPU_PAGE, sizeof(good), GPU_DOORBELL_RENDER);
    assert_true(board_finish(&s.board, 1));
    assert_int_equal(board_at(&s.board, VRAM_DATA)[0], 1);
    space_resume(&s.space, 0);
    assert_int_equal(board_read(&s.board, GPU_ENGINE(0) + GPU_ENGINE_QUEUED), 0);
    assert_true(space_fill(&s.space, VA, 2, 8));
    board_drop(&s.board);
}

/* ---- Nonsense -------------------------------------------------------------------------------- */

/* An entry that names something: a table of the area itself, an edge of memory, anything. */
static uint64_t hostile_entry(uint64_t *random, uint64_t tables, uint64_t bytes) {
    static const uint64_t edge[] = {
        0,        RAM_BASE - GPU_PAGE,  RAM_DATA_END - GPU_PAGE, VRAM_END - GPU_PAGE,
        VRAM_END, GPU_APERTURE_BASE(0), GPU_APERTURE_BASE(1),    GPU_PTE_ADDRESS};
    uint64_t flags =
        GPU_PTE_VALID | (board_random(random) % 8 == 0 ? board_random(random) % 128 : 0);
    switch (board_random(random) % 8) {
    case 0:
        return board_random(random);
    case 1:
        return edge[board_random(random) % 8] | flags;
    case 2:
        return (VRAM_DATA + board_random(random) % 1024 * GPU_PAGE) | flags;
    default:
        return (tables + board_random(random) % (bytes / GPU_PAGE) * GPU_PAGE) | flags;
    }
}

/* Moves that are small or not, between addresses that are near the start, in range, or neither. */
static bool hostile_move(struct space *space, uint64_t *random) {
    uint64_t mask = (UINT64_C(1) << (1 + board_random(random) % 63)) - 1;
    uint64_t fits = (UINT64_C(1) << space->va_bits) - 1;
    uint64_t to = board_random(random) & mask, from = board_random(random) & mask;
    uint64_t bytes = board_random(random) % (board_random(random) % 4 == 0 ? 4 * MIB : 4096);
    struct vidmm_hw_translation out;
    if (board_random(random) % 4 != 0) {
        to &= fits;
        from &= fits;
    }
    (void)vidmm_softgpu_model.translate(space->board->hw, board_random(random) & mask, 0, from,
                                        &out);
    bool completed = board_random(random) % 2 == 0 ? space_copy(space, to, from, bytes)
                                                   : space_fill(space, to, 0, bytes);
    board_write(space->board, GPU_ENGINE(0) + GPU_ENGINE_STATE, 1);
    return completed;
}

static void hostile_page_tables_never_crash_the_gpu(void **state) {
    uint64_t random = board_seed();
    uint32_t completed = 0;
    (void)state;
    print_message("seed 0x%llx (VIDMM_SEED)\n", (unsigned long long)random);
    for (uint32_t round = 0; round < 60; round++) {
        struct board board = {0};
        struct space space;
        uint64_t next = VRAM_TABLES;
        space_board(&board, 2 + round % 5, round / 5 % 3, board_random(&random) % 32);
        space_make(&space, &board, 1, &next);
        uint64_t bytes = next - VRAM_TABLES;
        uint64_t *word = (uint64_t *)(void *)board_at(&board, VRAM_TABLES);
        for (uint64_t i = 0; i < bytes / 8; i++)
            if (word[i] == 0)
                word[i] = hostile_entry(&random, VRAM_TABLES, bytes);
        for (uint32_t i = 0; i < 60; i++)
            completed += hostile_move(&space, &random);
        board_drop(&board);
    }
    print_message("%u moves completed\n", completed);
    assert_true(completed > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_entries_are_faults_with_their_level),
        cmocka_unit_test(addresses_beyond_the_tables_are_faults),
        cmocka_unit_test(an_unaligned_64k_page_or_root_is_a_fault),
        cmocka_unit_test(protection_stops_writes_and_commands),
        cmocka_unit_test(bits_of_missing_features_are_reserved),
        cmocka_unit_test(a_page_fault_halts_its_engine_and_no_other),
        cmocka_unit_test(hostile_page_tables_never_crash_the_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
