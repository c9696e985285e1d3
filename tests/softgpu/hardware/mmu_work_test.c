/*
 * mmu_work_test.c - what engines do through page tables: moving bytes over scattered pages, the
 * packets of user-mode drivers and what they may not hold, the commands of the paging engine, and
 * the damage that can be ordered.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/pattern.h>
#include <vidmm/softgpu.h>
#include <vidmm/umd.h>

#include "fixture/space.h"

/* ---- Moving bytes ---------------------------------------------------------------------------- */

#define AREA_PAGES 96u

/* A linear range of virtual pages, each at a page of its own anywhere; and what it must hold. */
struct area {
    uint64_t va;
    uint64_t page[AREA_PAGES];
    unsigned char bytes[AREA_PAGES * GPU_PAGE];
};

/* `used`: a bit for each of 2 * AREA_PAGES frames in VRAM and as many in system memory. */
static void area_map(struct space *space, struct area *area, uint64_t va, bool *used,
                     uint64_t *random) {
    area->va = va;
    for (uint32_t i = 0; i < AREA_PAGES; i++) {
        uint32_t frame;
        do
            frame = (uint32_t)(board_random(random) % (8 * AREA_PAGES));
        while (used[frame]);
        used[frame] = true;
        area->page[i] = (frame % 2 ? VRAM_DATA : RAM_DATA) + frame / 2 * GPU_PAGE;
        space_map(space, va + i * GPU_PAGE, area->page[i], GPU_PAGE_SHIFT, 0);
        for (uint32_t at = 0; at < GPU_PAGE; at++)
            area->bytes[i * GPU_PAGE + at] = (unsigned char)board_random(random);
        memcpy(board_at(space->board, area->page[i]), area->bytes + i * GPU_PAGE, GPU_PAGE);
    }
}

static void area_compare(struct space *space, const struct area *area) {
    for (uint32_t i = 0; i < AREA_PAGES; i++)
        assert_memory_equal(board_at(space->board, area->page[i]), area->bytes + i * GPU_PAGE,
                            GPU_PAGE);
}

static uint64_t part_of_area(uint64_t *random, uint64_t *bytes) {
    uint64_t at = board_random(random) % (AREA_PAGES * GPU_PAGE);
    uint64_t room = AREA_PAGES * GPU_PAGE - at, want = board_random(random) % 4 == 0 ? room : 9000;
    *bytes = 1 + board_random(random) % (want < room ? want : room);
    return at;
}

static void one_move(struct space *space, struct area *area, struct area *other, uint64_t *random) {
    uint64_t bytes, other_bytes;
    uint64_t at = part_of_area(random, &bytes), from = part_of_area(random, &other_bytes);
    if (board_random(random) % 3 == 0) {
        uint32_t pattern = (uint32_t)board_random(random);
        assert_true(space_fill(space, area->va + at, pattern, bytes));
        for (uint64_t i = 0; i < bytes; i++)
            area->bytes[at + i] = (unsigned char)(pattern >> (8 * (i % 4)));
        return;
    }
    if (bytes > other_bytes)
        bytes = other_bytes;
    assert_true(space_copy(space, area->va + at, other->va + from, bytes));
    memcpy(area->bytes + at, other->bytes + from, bytes);
}

static void copies_and_fills_over_scattered_pages_are_exact(void **state) {
    static struct area area[2];
    bool used[8 * AREA_PAGES] = {0};
    uint64_t random = board_seed();
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    area_map(&s.space, &area[0], VA, used, &random);
    area_map(&s.space, &area[1], OTHER_VA, used, &random);
    for (uint32_t round = 0; round < 60; round++) {
        one_move(&s.space, &area[round % 2], &area[1 - round % 2], &random);
        area_compare(&s.space, &area[round % 2]);
    }
    for (uint32_t up = 0; up < 2; up++) {
        uint64_t to = up ? 5 * GPU_PAGE : 0, bytes = 80 * GPU_PAGE;
        assert_true(space_copy(&s.space, VA + to, VA + 5 * GPU_PAGE - to, bytes));
        memmove(area[0].bytes + to, area[0].bytes + 5 * GPU_PAGE - to, bytes);
        area_compare(&s.space, &area[0]);
    }
    assert_false(space_copy(&s.space, VA + 8, VA, GPU_PAGE)); /* overlaps by less than a page */
    assert_int_equal(board_read(&s.board, GPU_ENGINE(0) + GPU_ENGINE_FAULT), GPU_FAULT_COMMAND);
    assert_true(space_copy(&s.space, VA + GPU_PAGE, VA, GPU_PAGE));
    board_drop(&s.board);
}

#define SIDE_BY_SIDE 400u

struct stepper {
    struct board *board;
    uint32_t engine;
};

static void *step_until_done(void *context) {
    const struct stepper *stepper = context;
    while (vidmm_softgpu_model.step(stepper->board->hw, stepper->engine)) {
    }
    return NULL;
}

/* Two engines copy through the same tables while the CPU flushes the TLB under their hands. */
static void engines_translate_side_by_side(void **state) {
    struct space_simple s = {0};
    pthread_t thread[2];
    struct stepper stepper[2] = {{&s.board, 0}, {&s.board, 1}};
    (void)state;
    space_simple(&s);
    space_map_row(&s.space, RAM_DATA, 100);
    for (uint32_t page = 0; page < 2 * ROW_PAGES; page++)
        space_map(&s.space, OTHER_VA + page * GPU_PAGE,
                  VRAM_DATA + (2 * ROW_PAGES - page) * GPU_PAGE, GPU_PAGE_SHIFT, 0);
    for (uint32_t i = 0; i < 2; i++) {
        struct gpu_copy copy = {{GPU_COPY, 0, sizeof(copy)},
                                OTHER_VA + i * ROW_PAGES * GPU_PAGE,
                                VA,
                                ROW_PAGES * GPU_PAGE};
        memcpy(s.board.ram + i * sizeof(copy), &copy, sizeof(copy));
        for (uint32_t n = 0; n < SIDE_BY_SIDE; n++)
            space_queue(&s.space, i, COMMAND_VA + i * sizeof(copy), sizeof(copy),
                        GPU_DOORBELL_RENDER);
    }
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, step_until_done, &stepper[i]), 0);
    for (uint32_t i = 0; i < SIDE_BY_SIDE; i++)
        board_write(&s.board, GPU_REG_FLUSH, GPU_FLUSH_ALL);
    for (uint32_t i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(board_read(&s.board, GPU_ENGINE(i) + GPU_ENGINE_EVENTS),
                         GPU_EVENT_COMPLETED);
    }
    for (uint32_t page = 0; page < 2 * ROW_PAGES; page++)
        assert_int_equal(*board_at(&s.board, VRAM_DATA + (2 * ROW_PAGES - page) * GPU_PAGE),
                         100 + page % ROW_PAGES);
    board_drop(&s.board);
}

static void packets_of_user_mode_drivers_are_commands(void **state) {
    struct space_simple s = {0};
    struct vidmm_umd_result result;
    (void)state;
    space_simple(&s);
    for (uint32_t page = 0; page < 4; page++)
        space_map(&s.space, VA + page * GPU_PAGE, RAM_DATA + (3 - page) * 3 * GPU_PAGE,
                  GPU_PAGE_SHIFT, 0);
    space_map(&s.space, OTHER_VA, VRAM_DATA, GPU_PAGE_SHIFT, 0);
    struct {
        struct vidmm_umd_draw stamp, check, wrong;
        struct vidmm_umd_signal signal;
    } packets = {
        {{VIDMM_UMD_PACKET_STAMP, 0, sizeof(packets.stamp)}, VA, 0, 7, 4 * GPU_PAGE, 1, 3, 9, 0},
        {{VIDMM_UMD_PACKET_CHECK, 0, sizeof(packets.check)},
         VA,
         OTHER_VA,
         7,
         4 * GPU_PAGE,
         1,
         3,
         9,
         0},
        {{VIDMM_UMD_PACKET_CHECK, 0, sizeof(packets.wrong)},
         VA,
         OTHER_VA,
         7,
         4 * GPU_PAGE,
         3,
         1,
         8,
         0},
        {{VIDMM_UMD_PACKET_SIGNAL, 0, sizeof(packets.signal)},
         OTHER_VA + 2048,
         0x123456789abcdef0}};
    assert_true(space_execute(&s.space, &packets, sizeof(packets), GPU_DOORBELL_RENDER));
    memcpy(&result, board_at(&s.board, VRAM_DATA), sizeof(result));
    assert_int_equal(result.checked_bytes, 4 * GPU_PAGE);
    assert_int_equal(result.wrong_pages, 1);
    assert_int_equal(result.first_page, 3);
    assert_int_equal(vidmm_pattern_check(board_at(&s.board, RAM_DATA + 6 * GPU_PAGE),
                                         vidmm_pattern_key(7, 1, 9)),
                     GPU_PAGE);
    assert_int_equal(*(uint64_t *)(void *)board_at(&s.board, VRAM_DATA + 2048), 0x123456789abcdef0);
    board_drop(&s.board);
}

/* ---- Commands of the paging engine ----------------------------------------------------------- */

static void entries_are_written_and_copied_by_the_gpu(void **state) {
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    uint64_t *leaf = space_entry(&s.space, VA, GPU_PAGE_SHIFT);
    uint64_t table = *space_table_entry(&s.space, VA, 1, 0) & GPU_PTE_ADDRESS;
    uint32_t index = (uint32_t)(VA >> 12 & 511);
    /* The table shows itself at OTHER_VA, as a paging process would have it. */
    space_map(&s.space, OTHER_VA, table, GPU_PAGE_SHIFT, 0);
    struct {
        struct gpu_write_entries write;
        uint64_t entry[3];
        struct gpu_write_entries repeat;
        uint64_t same;
        struct gpu_copy_entries copy;
    } paging = {{{GPU_WRITE_ENTRIES, GPU_FLAG_PHYSICAL, 56}, table, index, 3, 1, 0},
                {VRAM_DATA | 1, (VRAM_DATA + GPU_PAGE) | 1, (VRAM_DATA + 2 * GPU_PAGE) | 1},
                {{GPU_WRITE_ENTRIES, GPU_FLAG_REPEAT, 40}, OTHER_VA, index + 10, 4, 2, 0},
                RAM_DATA | 1,
                {{GPU_COPY_ENTRIES, 0, sizeof(paging.copy)},
                 OTHER_VA + (index + 1) * 8,
                 OTHER_VA + index * 8,
                 3,
                 0}};
    assert_false(space_execute(&s.space, &paging, sizeof(paging), GPU_DOORBELL_RENDER));
    assert_int_equal(leaf[0], 0);
    assert_true(space_execute(&s.space, &paging, sizeof(paging), GPU_DOORBELL_PAGING));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(leaf[1 + i], (VRAM_DATA + i * GPU_PAGE) | 1);
        assert_int_equal(leaf[10 + 2 * i], RAM_DATA | 1);
        assert_int_equal(leaf[11 + 2 * i], 0);
    }
    assert_int_equal(leaf[0], VRAM_DATA | 1);
    assert_true(space_fill(&s.space, VA + 3 * GPU_PAGE, 0x5a5a5a5a, GPU_PAGE));
    assert_int_equal(board_at(&s.board, VRAM_DATA + 2 * GPU_PAGE)[17], 0x5a);
    board_drop(&s.board);
}

/* A repeated entry grows from one to the next, by pages or by nothing, from wherever it begins. */
static void repeated_entries_lead_to_pages_that_follow_each_other(void **state) {
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    uint64_t *word = (uint64_t *)(void *)board_at(&s.board, VRAM_DATA);
    for (uint32_t first = 0; first < 10; first++) {
        for (uint32_t count = 1; count < 40; count++) {
            struct {
                struct gpu_write_entries write;
                uint64_t entry;
            } repeat = {{{GPU_WRITE_ENTRIES, GPU_FLAG_PHYSICAL | GPU_FLAG_REPEAT, sizeof(repeat)},
                         VRAM_DATA,
                         first,
                         count,
                         1,
                         count % 3 * GPU_PAGE},
                        RAM_DATA | 1};
            memset(word, 0xee, GPU_PAGE);
            assert_true(space_execute(&s.space, &repeat, sizeof(repeat), GPU_DOORBELL_PAGING));
            for (uint32_t i = 0; i < 64; i++) {
                bool inside = i >= first && i < first + count;
                uint64_t entry = (RAM_DATA | 1) + (i - first) * (uint64_t)repeat.write.each;
                assert_int_equal(word[i], inside ? entry : UINT64_C(0xeeeeeeeeeeeeeeee));
            }
        }
    }
    board_drop(&s.board);
}

static void long_overlapping_copies_of_entries_read_first(void **state) {
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    for (uint32_t up = 0; up < 2; up++) {
        uint64_t *word = (uint64_t *)(void *)board_at(&s.board, VRAM_DATA);
        uint64_t to = VRAM_DATA + (up ? 24 : 0), from = VRAM_DATA + (up ? 0 : 24);
        for (uint32_t i = 0; i < 4000; i++)
            word[i] = i * 3 + 7;
        struct gpu_copy_entries copy = {
            {GPU_COPY_ENTRIES, GPU_FLAG_PHYSICAL, sizeof(copy)}, to, from, 3000, 0};
        assert_true(space_execute(&s.space, &copy, sizeof(copy), GPU_DOORBELL_PAGING));
        for (uint32_t i = 0; i < 3000; i++)
            assert_int_equal(word[i + (up ? 3 : 0)], (i + (up ? 0 : 3)) * 3 + 7);
    }
    board_drop(&s.board);
}

static void a_stored_block_arrives_and_a_signal_interrupts(void **state) {
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    space_map(&s.space, VA, VRAM_DATA, GPU_PAGE_SHIFT, 0);
    space_map(&s.space, VA + GPU_PAGE, RAM_DATA, GPU_PAGE_SHIFT, 0);
    struct {
        struct gpu_store store;
        unsigned char data[304];
        struct gpu_signal signal;
    } paging = {{{GPU_STORE, 0, sizeof(paging.store) + 304}, VA + GPU_PAGE - 100, 299},
                {0},
                {{GPU_SIGNAL, GPU_FLAG_NOTIFY, sizeof(paging.signal)}, VA + 8, 42}};
    for (uint32_t i = 0; i < 304; i++)
        paging.data[i] = (unsigned char)(i + 1);
    memcpy(s.board.ram, &paging, sizeof(paging));
    space_queue(&s.space, 1, COMMAND_VA, sizeof(paging), GPU_DOORBELL_PAGING);
    board_run(&s.board);
    assert_int_equal(board_read(&s.board, GPU_ENGINE(1) + GPU_ENGINE_EVENTS),
                     GPU_EVENT_COMPLETED | GPU_EVENT_SIGNALED);
    assert_memory_equal(board_at(&s.board, VRAM_DATA + GPU_PAGE - 100), paging.data, 100);
    assert_memory_equal(board_at(&s.board, RAM_DATA), paging.data + 100, 199);
    assert_int_equal(board_at(&s.board, RAM_DATA)[199], 0);
    assert_int_equal(board_at(&s.board, VRAM_DATA)[8], 42);
    paging.signal.address++;
    assert_false(
        space_execute(&s.space, &paging.signal, sizeof(paging.signal), GPU_DOORBELL_PAGING));
    assert_int_equal(board_read(&s.board, GPU_ENGINE(0) + GPU_ENGINE_FAULT), GPU_FAULT_COMMAND);
    board_drop(&s.board);
}

/* Whatever user-mode code writes into its command buffer, it reaches its own pages only. */
static void user_submissions_cannot_name_physical_memory(void **state) {
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    space_map(&s.space, VA, VRAM_DATA, GPU_PAGE_SHIFT, 0);
    for (uint16_t opcode = 0; opcode < GPU_OPCODES; opcode++) {
        struct gpu_copy command = {{opcode, GPU_FLAG_PHYSICAL, 72}, VA, VA, 0};
        unsigned char bytes[72] = {0};
        memcpy(bytes, &command, sizeof(command));
        assert_false(space_execute(&s.space, bytes, sizeof(bytes), GPU_DOORBELL_RENDER));
        assert_int_equal(board_read(&s.board, GPU_ENGINE(0) + GPU_ENGINE_FAULT), GPU_FAULT_COMMAND);
    }
    struct {
        struct gpu_copy copy;
        uint64_t run;
    } pages = {{{GPU_COPY, GPU_FLAG_SOURCE_PAGES, sizeof(pages)}, VA, 0, GPU_PAGE},
               GPU_RUN(RAM_DATA / GPU_PAGE, 1)};
    memset(board_at(&s.board, RAM_DATA), 0x33, GPU_PAGE);
    assert_false(space_execute(&s.space, &pages, sizeof(pages), GPU_DOORBELL_RENDER));
    assert_int_equal(board_at(&s.board, VRAM_DATA)[9], 0);
    assert_true(space_execute(&s.space, &pages, sizeof(pages), GPU_DOORBELL_PAGING));
    assert_int_equal(board_at(&s.board, VRAM_DATA)[9], 0x33);
    board_drop(&s.board);
}

/* 250 of them in a space whose first pages are mapped to `data`; how many completed. */
static uint32_t nearly_right(struct space *space, uint64_t data, uint32_t kind, uint64_t *random) {
    uint32_t good = 0;
    for (uint64_t at = 0; at < COMMAND_VA; at += GPU_PAGE)
        space_map(space, at, data + at, GPU_PAGE_SHIFT, 0);
    for (uint32_t round = 0; round < 250; round++) {
        unsigned char bytes[BOARD_COMMAND];
        uint32_t size = board_command(random, bytes);
        good += space_execute(space, bytes, size, kind);
        board_write(space->board, GPU_ENGINE(0) + GPU_ENGINE_STATE, 1);
    }
    return good;
}

static bool zero(struct board *board, uint64_t start, uint64_t end) {
    const unsigned char *at = board_at(board, start);
    for (uint64_t i = 0; i < end - start; i++)
        if (at[i] != 0)
            return false;
    return true;
}

static void nearly_right_user_commands_reach_their_own_pages_only(void **state) {
    uint64_t seed = board_seed(), random = seed;
    uint32_t good = 0;
    (void)state;
    print_message("seed 0x%llx (VIDMM_SEED)\n", (unsigned long long)seed);
    for (uint32_t life = 0; life < 20; life++) {
        struct space_simple s = {0};
        space_simple(&s);
        uint64_t data = life % 2 ? VRAM_DATA : RAM_DATA;
        good += nearly_right(&s.space, data, GPU_DOORBELL_RENDER, &random);
        assert_true(zero(&s.board, VRAM_DATA + (life % 2 ? COMMAND_VA : 0), VRAM_TABLES));
        assert_true(zero(&s.board, RAM_DATA + (life % 2 ? 0 : COMMAND_VA), RAM_DATA_END));
        assert_true(zero(&s.board, RAM_TABLES, RAM_DATA));
        board_drop(&s.board);
    }
    assert_true(good > 200);
}

/* With the page tables within their reach. */
static void nearly_right_paging_commands_never_crash_the_gpu(void **state) {
    uint64_t seed = board_seed(), random = seed;
    uint32_t good = 0;
    (void)state;
    print_message("seed 0x%llx (VIDMM_SEED)\n", (unsigned long long)seed);
    for (uint32_t life = 0; life < 20; life++) {
        struct space_simple s = {0};
        space_simple(&s);
        good +=
            nearly_right(&s.space, life % 2 ? VRAM_DATA : RAM_DATA, GPU_DOORBELL_PAGING, &random);
        board_drop(&s.board);
    }
    assert_true(good > 200);
}

/* ---- Ordered faults -------------------------------------------------------------------------- */

static void damaged(struct space_simple *s, uint32_t kind) {
    s->board.setting[6] = (struct board_setting){"FaultKind", kind};
    s->board.setting[7] = (struct board_setting){"FaultAt", 1};
    space_simple(s);
}

static void ordered_flush_faults_leave_stale_pages(void **state) {
    (void)state;
    for (uint32_t kind = 8; kind <= 9; kind++) {
        struct space_simple s = {0};
        damaged(&s, kind);
        space_map_row(&s.space, VRAM_DATA, 100);
        space_touch_row(&s.space);
        space_map_row(&s.space, RAM_DATA, 200);
        space_flush(&s.space, GPU_FLUSH_SPACE, 0, 0);
        assert_int_equal(space_word(&s.space, VA), kind == 8 ? 100 : 200);
        assert_int_equal(space_word(&s.space, VA + GPU_PAGE), 101);
        space_flush(&s.space, GPU_FLUSH_SPACE, 0, 0);
        assert_int_equal(space_word(&s.space, VA + GPU_PAGE), 201);
        board_drop(&s.board);
    }
}

static void ordered_entry_faults_lead_to_wrong_bytes(void **state) {
    (void)state;
    for (uint32_t kind = 10; kind <= 11; kind++) {
        struct space_simple s = {0};
        damaged(&s, kind);
        space_map_row(&s.space, VRAM_DATA, 100);
        uint64_t table = *space_table_entry(&s.space, VA, 1, 0) & GPU_PTE_ADDRESS;
        struct {
            struct gpu_write_entries write;
            uint64_t entry[2];
        } paging = {{{GPU_WRITE_ENTRIES, GPU_FLAG_PHYSICAL, sizeof(paging)},
                     table,
                     (uint32_t)(VA >> 12 & 511),
                     2,
                     1,
                     0},
                    {RAM_DATA | 1, (RAM_DATA + GPU_PAGE) | 1}};
        board_put(&s.board, RAM_DATA, 200);
        board_put(&s.board, RAM_DATA + GPU_PAGE, 201);
        board_put(&s.board, RAM_DATA + GPU_PAGE_64K, 666);
        assert_true(space_execute(&s.space, &paging, sizeof(paging), GPU_DOORBELL_PAGING));
        assert_int_equal(space_word(&s.space, VA), kind == 10 ? 100 : 666);
        assert_int_equal(space_word(&s.space, VA + GPU_PAGE), kind == 10 ? 101 : 201);
        board_drop(&s.board);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_fills_over_scattered_pages_are_exact),
        cmocka_unit_test(engines_translate_side_by_side),
        cmocka_unit_test(packets_of_user_mode_drivers_are_commands),
        cmocka_unit_test(entries_are_written_and_copied_by_the_gpu),
        cmocka_unit_test(repeated_entries_lead_to_pages_that_follow_each_other),
        cmocka_unit_test(long_overlapping_copies_of_entries_read_first),
        cmocka_unit_test(a_stored_block_arrives_and_a_signal_interrupts),
        cmocka_unit_test(user_submissions_cannot_name_physical_memory),
        cmocka_unit_test(nearly_right_user_commands_reach_their_own_pages_only),
        cmocka_unit_test(nearly_right_paging_commands_never_crash_the_gpu),
        cmocka_unit_test(ordered_flush_faults_leave_stale_pages),
        cmocka_unit_test(ordered_entry_faults_lead_to_wrong_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
