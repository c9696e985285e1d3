/*
 * context_test.c - contexts whose state is in memory: the GPU takes root and space from it, finds
 * its save area as it left it, and says so when it does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fixture/space.h"

#define STATE      (VRAM_DATA + 2 * MIB)
#define SAVED      (VRAM_DATA + 3 * MIB) /* physical */
#define SAVE_VA    OTHER_VA
#define SAVE_PAGES 3u
#define ENGINE     GPU_ENGINE(0)

static struct gpu_context_state *state_of(struct space *space) {
    return (struct gpu_context_state *)(void *)board_at(space->board, STATE);
}

/* A space with a page at VA to work in, and a save area at SAVE_VA. */
static void prepare(struct space_simple *simple) {
    struct space *space = &simple->space;
    space_simple(simple);
    space_map(space, VA, VRAM_DATA, 12, 0);
    for (uint32_t i = 0; i < SAVE_PAGES; i++)
        space_map(space, SAVE_VA + i * GPU_PAGE, SAVED + i * GPU_PAGE, 12, 0);
    *state_of(space) = (struct gpu_context_state){.magic = GPU_CONTEXT_MAGIC,
                                                  .root = space->root,
                                                  .root_entries = space->entries,
                                                  .space = space->id,
                                                  .save = SAVE_VA,
                                                  .save_pages = SAVE_PAGES};
}

/* One fill at VA by what STATE says; the registers name a root that is none. */
static bool work(struct space *space, uint32_t pattern) {
    struct gpu_fill fill = {{GPU_FILL, 0, sizeof(fill)}, pattern, 0, VA, 64};
    memcpy(space->board->ram, &fill, sizeof(fill));
    board_write64(space->board, ENGINE + GPU_ENGINE_ROOT, 0);
    board_write(space->board, ENGINE + GPU_ENGINE_ROOT_ENTRIES, 0);
    board_write64(space->board, ENGINE + GPU_ENGINE_CONTEXT, STATE);
    board_queue(space->board, 0, COMMAND_VA, sizeof(fill),
                GPU_DOORBELL_RENDER | GPU_DOORBELL_VIRTUAL | GPU_DOORBELL_SAVED);
    return board_finish(space->board, 0);
}

static void assert_error(struct space *space, enum gpu_fault fault) {
    assert_int_equal(board_read(space->board, ENGINE + GPU_ENGINE_FAULT), fault);
}

static void root_and_space_are_in_memory(void **test) {
    struct space_simple simple = {0};
    (void)test;
    prepare(&simple);
    assert_true(work(&simple.space, 0x31323334));
    assert_memory_equal(board_at(&simple.board, VRAM_DATA), "4321", 4);
    board_drop(&simple.board);
}

static void each_submission_leaves_its_mark(void **test) {
    struct space_simple simple = {0};
    (void)test;
    prepare(&simple);
    uint64_t first, second;
    assert_true(work(&simple.space, 1));
    memcpy(&first, board_at(&simple.board, SAVED), sizeof(first));
    assert_true(work(&simple.space, 2));
    memcpy(&second, board_at(&simple.board, SAVED), sizeof(second));
    assert_int_not_equal(first, second);
    assert_int_equal(state_of(&simple.space)->saves, 2);
    board_drop(&simple.board);
}

static void a_save_area_that_changed_is_a_fault(void **test) {
    (void)test;
    for (uint32_t page = 0; page < SAVE_PAGES; page++) {
        struct space_simple simple = {0};
        prepare(&simple);
        assert_true(work(&simple.space, 1));
        *board_at(&simple.board, SAVED + page * GPU_PAGE) ^= 1;
        assert_false(work(&simple.space, 2));
        assert_error(&simple.space, GPU_FAULT_STATE);
        assert_memory_equal(board_at(&simple.board, VRAM_DATA), "\1\0\0\0", 4); /* nothing ran */
        board_drop(&simple.board);
    }
}

static void a_save_area_that_is_gone_is_a_page_fault(void **test) {
    struct space_simple simple = {0};
    (void)test;
    prepare(&simple);
    assert_true(work(&simple.space, 1));
    *space_entry(&simple.space, SAVE_VA + GPU_PAGE, 12) = 0;
    board_write(&simple.board, GPU_REG_FLUSH, GPU_FLUSH_ALL);
    assert_false(work(&simple.space, 2));
    assert_error(&simple.space, GPU_FAULT_INVALID);
    assert_int_equal(board_read64(&simple.board, ENGINE + GPU_ENGINE_FAULT_VA), SAVE_VA + GPU_PAGE);
    board_drop(&simple.board);
}

static void a_state_that_is_none_is_a_fault(void **test) {
    (void)test;
    for (uint32_t i = 0; i < 3; i++) {
        struct space_simple simple = {0};
        prepare(&simple);
        if (i == 0)
            state_of(&simple.space)->magic = 0;
        else if (i == 1)
            state_of(&simple.space)->save_pages = GPU_SAVE_PAGES_MAX + 1;
        else
            state_of(&simple.space)->space = GPU_SPACES;
        assert_false(work(&simple.space, 1));
        assert_error(&simple.space, GPU_FAULT_STATE);
        board_drop(&simple.board);
    }
}

/* The state of a moment ago: what it leads to is what the GPU uses. */
static void an_old_root_leads_where_it_led(void **test) {
    struct space_simple simple = {0};
    (void)test;
    prepare(&simple);
    assert_true(work(&simple.space, 1));
    state_of(&simple.space)->root_entries = 0;
    board_write(&simple.board, GPU_REG_FLUSH, GPU_FLUSH_ALL);
    assert_false(work(&simple.space, 2));
    assert_error(&simple.space, GPU_FAULT_RANGE);
    board_drop(&simple.board);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(root_and_space_are_in_memory),
        cmocka_unit_test(each_submission_leaves_its_mark),
        cmocka_unit_test(a_save_area_that_changed_is_a_fault),
        cmocka_unit_test(a_save_area_that_is_gone_is_a_page_fault),
        cmocka_unit_test(a_state_that_is_none_is_a_fault),
        cmocka_unit_test(an_old_root_leads_where_it_led),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
