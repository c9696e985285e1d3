/*
 * peer_test.c - linked boards: how each tells which one it is, and the memory of the others behind
 * its page tables and its commands.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/softgpu.h>

#include "fixture/space.h"

#define BOARDS 2u

/* Boards on one bridge, each with a space of three levels whose tables are in its own VRAM. */
struct bridge {
    struct board board[BOARDS]; /* settings from the fifth on are the test's */
    struct space space[BOARDS];
    uint64_t next[BOARDS];
};

static void bridge_make(struct bridge *bridge) {
    for (uint32_t i = 0; i < BOARDS; i++) {
        bridge->board[i].chain = bridge->board;
        bridge->board[i].physical = i;
        bridge->board[i].linked = BOARDS;
        space_board(&bridge->board[i], 3, GPU_PAGES_4K, ALL_FEATURES);
        bridge->next[i] = VRAM_TABLES;
        space_make(&bridge->space[i], &bridge->board[i], 1, &bridge->next[i]);
    }
}

static void bridge_drop(struct bridge *bridge) {
    for (uint32_t i = BOARDS; i-- > 0;)
        board_drop(&bridge->board[i]);
}

/* ---- Which board it is ----------------------------------------------------------------------- */

static void a_board_says_which_one_of_its_chain_it_is(void **state) {
    struct bridge bridge = {0};
    (void)state;
    bridge_make(&bridge);
    for (uint32_t i = 0; i < BOARDS; i++) {
        uint32_t link = board_read(&bridge.board[i], GPU_REG_LINK);
        assert_int_equal(GPU_LINK_COUNT(link), BOARDS);
        assert_int_equal(GPU_LINK_INDEX(link), i);
    }
    assert_int_not_equal(board_read(&bridge.board[0], GPU_REG_CHAIN), 0);
    assert_int_equal(board_read(&bridge.board[0], GPU_REG_CHAIN),
                     board_read(&bridge.board[1], GPU_REG_CHAIN));
    bridge_drop(&bridge);
}

static void a_board_alone_has_no_chain_and_no_peer(void **state) {
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    assert_int_equal(board_read(&s.board, GPU_REG_LINK), 0);
    assert_int_equal(board_read(&s.board, GPU_REG_CHAIN), 0);
    space_map(&s.space, VA, GPU_PEER_BASE(0) + VRAM_DATA, GPU_PAGE_SHIFT, 0);
    assert_false(space_fill(&s.space, VA, 1, GPU_PAGE));
    assert_int_equal(board_read(&s.board, GPU_ENGINE(0) + GPU_ENGINE_FAULT), GPU_FAULT_TARGET);
    board_drop(&s.board);
}

static void the_other_boards_may_have_less_memory(void **state) {
    struct bridge bridge = {0};
    (void)state;
    for (uint32_t i = 0; i < BOARDS; i++)
        bridge.board[i].setting[4] = (struct board_setting){"LinkedVram", 6 * MIB};
    bridge_make(&bridge);
    assert_int_equal(board_read64(&bridge.board[0], GPU_REG_VRAM), 8 * MIB);
    assert_int_equal(board_read64(&bridge.board[1], GPU_REG_VRAM), 6 * MIB);
    assert_int_equal(board_read64(&bridge.board[1], GPU_REG_VISIBLE), 6 * MIB);
    bridge_drop(&bridge);
}

/* What a peer writes would be in no board's plane. */
static void linked_boards_have_no_dirty_bits(void **state) {
    struct board board = {.linked = BOARDS, .chain = &board};
    (void)state;
    board.setting[0] = (struct board_setting){"DirtyPageBytes", GPU_PAGE};
    assert_false(board_make(&board));
    board_drop(&board);
}

/* ---- Memory of a peer ------------------------------------------------------------------------ */

static void an_entry_leads_to_the_memory_of_a_peer(void **state) {
    struct bridge bridge = {0};
    struct space *space = &bridge.space[0];
    (void)state;
    bridge_make(&bridge);
    for (uint32_t page = 0; page < ROW_PAGES; page++)
        board_put(&bridge.board[1], VRAM_DATA + page * GPU_PAGE, 100 + page);
    board_put(&bridge.board[0], VRAM_DATA, 7);
    for (uint32_t page = 0; page < ROW_PAGES; page++)
        space_map(space, VA + page * GPU_PAGE, GPU_PEER_BASE(1) + VRAM_DATA + page * GPU_PAGE,
                  GPU_PAGE_SHIFT, 0);
    space_map(space, OTHER_VA, VRAM_DATA + MIB, GPU_PAGE_SHIFT, 0);
    for (uint32_t page = 0; page < ROW_PAGES; page++)
        assert_int_equal(space_word(space, VA + page * GPU_PAGE), 100 + page);
    /* And writes go there, in one command across many pages. */
    assert_true(space_fill(space, VA, 0x55555555, ROW_PAGES * GPU_PAGE));
    assert_int_equal(*board_at(&bridge.board[1], VRAM_DATA + ROW_PAGES * GPU_PAGE - 1), 0x55);
    assert_int_equal(*board_at(&bridge.board[0], VRAM_DATA), 7);
    bridge_drop(&bridge);
}

static void an_entry_that_names_its_own_board_means_its_own_memory(void **state) {
    struct bridge bridge = {0};
    (void)state;
    bridge_make(&bridge);
    board_put(&bridge.board[1], VRAM_DATA, 7);
    space_map(&bridge.space[1], VA, GPU_PEER_BASE(1) + VRAM_DATA, GPU_PAGE_SHIFT, 0);
    assert_int_equal(space_word(&bridge.space[1], VA), 7);
    bridge_drop(&bridge);
}

static void a_peer_that_is_not_there_is_a_page_fault(void **state) {
    struct bridge bridge = {0};
    (void)state;
    bridge_make(&bridge);
    space_map(&bridge.space[0], VA, GPU_PEER_BASE(2) + VRAM_DATA, GPU_PAGE_SHIFT, 0);
    assert_false(space_fill(&bridge.space[0], VA, 1, GPU_PAGE));
    assert_int_equal(board_read(&bridge.board[0], GPU_ENGINE(0) + GPU_ENGINE_FAULT),
                     GPU_FAULT_TARGET);
    bridge_drop(&bridge);
}

/* Its aperture's pages are those that its own commands mapped. */
static void a_peers_aperture_leads_where_the_peer_mapped_it(void **state) {
    struct bridge bridge = {0};
    struct {
        struct gpu_map map;
        uint64_t run;
    } map = {{{GPU_MAP, 0, sizeof(map)}, 0, 1, 0}, GPU_RUN(RAM_DATA / GPU_PAGE, 1)};
    (void)state;
    bridge_make(&bridge);
    assert_true(board_execute(&bridge.board[1], &map, sizeof(map)));
    board_put(&bridge.board[1], RAM_DATA, 11);
    space_map(&bridge.space[0], VA, GPU_PEER_BASE(1) + GPU_APERTURE_BASE(0), GPU_PAGE_SHIFT, 0);
    assert_int_equal(space_word(&bridge.space[0], VA), 11);
    bridge_drop(&bridge);
}

static void a_command_copies_between_boards_by_physical_addresses(void **state) {
    struct bridge bridge = {0};
    struct gpu_copy copy = {
        {GPU_COPY, 0, sizeof(copy)}, VRAM_DATA, GPU_PEER_BASE(1) + VRAM_DATA, GPU_PAGE};
    (void)state;
    bridge_make(&bridge);
    board_put(&bridge.board[1], VRAM_DATA + 8, 12);
    assert_true(board_execute(&bridge.board[0], &copy, sizeof(copy)));
    assert_int_equal(*board_at(&bridge.board[0], VRAM_DATA + 8), 12);
    /* A range that leaves a board's memory goes nowhere. */
    copy.source = GPU_PEER_BASE(1) + VRAM_END - 8;
    assert_false(board_execute(&bridge.board[0], &copy, sizeof(copy)));
    bridge_drop(&bridge);
}

/* ---- The back doors -------------------------------------------------------------------------- */

static void a_translation_names_the_board_whose_memory_it_is(void **state) {
    struct bridge bridge = {0};
    (void)state;
    bridge_make(&bridge);
    board_put(&bridge.board[1], VRAM_DATA + 16, 21);
    space_map(&bridge.space[0], VA, GPU_PEER_BASE(1) + VRAM_DATA, GPU_PAGE_SHIFT, 0);
    space_map(&bridge.space[1], VA, VRAM_DATA, GPU_PAGE_SHIFT, 0);
    for (uint32_t i = 0; i < BOARDS; i++) {
        struct vidmm_hw_translation got = space_translation(&bridge.space[i], VA + 16);
        assert_true(got.valid);
        assert_int_equal(got.physical, 1);
        assert_int_equal(got.address, VRAM_DATA + 16);
        const uint64_t *word =
            vidmm_softgpu_model.peek(bridge.board[got.physical].hw, got.address, sizeof(*word));
        assert_non_null(word);
        assert_int_equal(*word, 21);
    }
    bridge_drop(&bridge);
}

static void peeking_behind_a_window_sees_the_peers_memory(void **state) {
    struct bridge bridge = {0};
    (void)state;
    bridge_make(&bridge);
    board_put(&bridge.board[1], VRAM_DATA, 31);
    const uint64_t *word =
        vidmm_softgpu_model.peek(bridge.board[0].hw, GPU_PEER_BASE(1) + VRAM_DATA, sizeof(*word));
    assert_non_null(word);
    assert_int_equal(*word, 31);
    assert_null(vidmm_softgpu_model.peek(bridge.board[0].hw, GPU_PEER_BASE(3) + VRAM_DATA, 8));
    bridge_drop(&bridge);
}

/* ---- At once --------------------------------------------------------------------------------- */

#define AT_ONCE 64u

static void *fills_the_peers_half(void *context) {
    struct space *space = context;
    struct board *board = space->board;
    for (uint32_t i = 0; i < AT_ONCE; i++) {
        /* Both boards have the same system memory, so each has its own place for commands. */
        uint64_t at = board->physical * GPU_PAGE;
        struct gpu_fill fill = {
            {GPU_FILL, 0, sizeof(fill)}, 0x01010101u * (board->physical + 1), 0, VA, 4 * GPU_PAGE};
        memcpy(board->ram + at, &fill, sizeof(fill));
        space_queue(space, 0, COMMAND_VA + at, sizeof(fill), GPU_DOORBELL_RENDER);
        assert_true(board_finish(board, 0));
    }
    return NULL;
}

/* Each writes its half of the other's memory, and its own half of its own, next to each other. */
static void boards_reach_each_others_memory_at_once(void **state) {
    struct bridge bridge = {0};
    pthread_t thread[BOARDS];
    (void)state;
    bridge_make(&bridge);
    for (uint32_t i = 0; i < BOARDS; i++)
        for (uint32_t page = 0; page < 4; page++) {
            uint64_t at = VRAM_DATA + (i * 4 + page) * GPU_PAGE;
            bool away = page % 2 == 0;
            space_map(&bridge.space[i], VA + page * GPU_PAGE, away ? GPU_PEER_BASE(1 - i) + at : at,
                      GPU_PAGE_SHIFT, 0);
        }
    for (uint32_t i = 0; i < BOARDS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, fills_the_peers_half, &bridge.space[i]),
                         0);
    for (uint32_t i = 0; i < BOARDS; i++)
        pthread_join(thread[i], NULL);
    for (uint32_t i = 0; i < BOARDS; i++)
        for (uint32_t page = 0; page < 4; page++) {
            uint32_t where = page % 2 == 0 ? 1 - i : i;
            uint64_t at = VRAM_DATA + (i * 4 + page) * GPU_PAGE;
            assert_int_equal(*board_at(&bridge.board[where], at + 100), i + 1);
        }
    bridge_drop(&bridge);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_board_says_which_one_of_its_chain_it_is),
        cmocka_unit_test(a_board_alone_has_no_chain_and_no_peer),
        cmocka_unit_test(the_other_boards_may_have_less_memory),
        cmocka_unit_test(linked_boards_have_no_dirty_bits),
        cmocka_unit_test(an_entry_leads_to_the_memory_of_a_peer),
        cmocka_unit_test(an_entry_that_names_its_own_board_means_its_own_memory),
        cmocka_unit_test(a_peer_that_is_not_there_is_a_page_fault),
        cmocka_unit_test(a_peers_aperture_leads_where_the_peer_mapped_it),
        cmocka_unit_test(a_command_copies_between_boards_by_physical_addresses),
        cmocka_unit_test(a_translation_names_the_board_whose_memory_it_is),
        cmocka_unit_test(peeking_behind_a_window_sees_the_peers_memory),
        cmocka_unit_test(boards_reach_each_others_memory_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
