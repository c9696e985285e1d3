/*
 * mmu_test.c - GPU virtual memory as the GPU sees it: what page tables mean, how long the TLB
 * remembers, what boards there are. mmu_fault_test.c has the faults, mmu_work_test.c what engines
 * do through page tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/softgpu.h>

#include "fixture/space.h"

/* ---- What tables mean ------------------------------------------------------------------------ */

struct mapped {
    uint64_t va, address;
    uint32_t shift;
};

#define REGIONS       3u
#define REGION_PAGES  6u
#define MAPPED        (REGIONS * REGION_PAGES)
#define MIXED(random) (board_random(random) % 2 == 0)

/* Pages at random places of a few level-1 regions. In single mode a region has one size. */
static void map_some(struct space *space, struct mapped mapped[MAPPED], uint64_t *random) {
    uint32_t region_shift = gpu_mmu_shift(&space->format, 1);
    uint64_t va_mask = (UINT64_C(1) << space->va_bits) - 1;
    for (uint32_t i = 0; i < MAPPED; i++) {
        uint32_t region = i / REGION_PAGES;
        uint64_t low = board_random(random) & ((UINT64_C(1) << region_shift) - 1);
        uint64_t base = (UINT64_C(0x9e3779b97f4a7c15) * (region + 2) & va_mask) >> region_shift;
        bool big = space->format.pages == GPU_PAGES_DUAL ? MIXED(random)
                                                         : space->format.pages && region % 2;
        /* One page in every second sixteenth of a region, so that no two meet. */
        uint64_t part = UINT64_C(1) << (region_shift - 4);
        struct mapped page = {.shift = big ? GPU_PAGE_64K_SHIFT : GPU_PAGE_SHIFT};
        page.va = (base << region_shift | (i % REGION_PAGES) * 2 * part | low % part) >>
                  page.shift << page.shift;
        page.address = (i % 2 ? VRAM_DATA : RAM_DATA) + i / 2 * GPU_PAGE_64K;
        space_map(space, page.va, page.address, page.shift, 0);
        mapped[i] = page;
    }
}

static void agree(struct space *space, const struct mapped mapped[MAPPED], uint64_t *random) {
    for (uint32_t round = 0; round < 4 * MAPPED; round++) {
        const struct mapped *page = &mapped[round % MAPPED];
        uint64_t size = UINT64_C(1) << page->shift, at = board_random(random) % (size / 8) * 8;
        struct vidmm_hw_translation got = space_translation(space, page->va + at);
        assert_true(got.valid);
        assert_int_equal(got.address, page->address + at);
        assert_int_equal(got.page_bytes, size);
        board_put(space->board, page->address + at, page->va + at);
        assert_int_equal(space_word(space, page->va + at), page->va + at);
        assert_false(space_translation(space, page->va + size).valid);
        assert_false(space_translation(space, page->va - 1).valid);
    }
}

static void every_format_translates_what_is_mapped_and_nothing_else(void **state) {
    uint64_t random = board_seed();
    (void)state;
    for (uint32_t levels = GPU_LEVELS_MIN; levels <= GPU_LEVELS_MAX; levels++)
        for (uint32_t pages = GPU_PAGES_4K; pages <= GPU_PAGES_DUAL; pages++)
            for (uint32_t in_ram = 0; in_ram < 2; in_ram++) {
                struct board board = {0};
                struct space space;
                struct mapped mapped[MAPPED];
                uint64_t next = in_ram ? RAM_TABLES : VRAM_TABLES;
                space_board(&board, levels, pages, 0);
                space_make(&space, &board, 5, &next);
                map_some(&space, mapped, &random);
                agree(&space, mapped, &random);
                board_drop(&board);
            }
}

static void a_dual_entry_prefers_its_64k_page(void **state) {
    struct board board = {0};
    struct space space;
    uint64_t next = VRAM_TABLES;
    (void)state;
    space_board(&board, 4, GPU_PAGES_DUAL, 0);
    space_make(&space, &board, 1, &next);
    space_map(&space, VA, VRAM_DATA + MIB, GPU_PAGE_SHIFT, 0);
    space_map(&space, VA, VRAM_DATA, GPU_PAGE_64K_SHIFT, 0);
    assert_int_equal(space_translation(&space, VA + 8).address, VRAM_DATA + 8);
    *space_entry(&space, VA, GPU_PAGE_64K_SHIFT) = 0;
    assert_int_equal(space_translation(&space, VA + 8).address, VRAM_DATA + MIB + 8);
    board_drop(&board);
}

static void a_large_page_covers_what_its_entry_covers(void **state) {
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    *space_table_entry(&s.space, OTHER_VA, 1, 0) =
        (VRAM_DATA + 2 * MIB) | GPU_PTE_VALID | GPU_PTE_LARGE;
    board_put(&s.board, VRAM_DATA + 3 * MIB + 64, 77);
    assert_int_equal(space_word(&s.space, OTHER_VA + MIB + 64), 77);
    assert_int_equal(space_translation(&s.space, OTHER_VA + 2 * MIB - 1).address,
                     VRAM_DATA + 4 * MIB - 1);
    assert_false(space_translation(&s.space, OTHER_VA + 2 * MIB).valid);
    board_drop(&s.board);
}

/* A board that says so takes it at every page of 4 KiB; for the others it is no entry. */
static void a_large_page_may_begin_anywhere(void **state) {
    (void)state;
    for (uint32_t anywhere = 0; anywhere < 2; anywhere++) {
        uint64_t next = VRAM_DATA + 4 * MIB;
        struct board board = {0};
        struct space space;
        space_board(&board, 3, GPU_PAGES_4K,
                    GPU_MMU_HAS_LARGE | (anywhere ? GPU_MMU_LARGE_ANYWHERE : 0));
        space_make(&space, &board, 1, &next);
        *space_table_entry(&space, OTHER_VA, 1, 0) =
            (VRAM_DATA + MIB + GPU_PAGE) | GPU_PTE_VALID | GPU_PTE_LARGE;
        assert_int_equal(space_translation(&space, OTHER_VA).valid, anywhere);
        if (anywhere)
            assert_int_equal(space_translation(&space, OTHER_VA + MIB + 8).address,
                             VRAM_DATA + 2 * MIB + GPU_PAGE + 8);
        board_drop(&board);
    }
}

static void zero_pages_read_as_zero_and_drop_writes(void **state) {
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    for (uint32_t page = 0; page < 3; page++)
        space_map(&s.space, VA + page * GPU_PAGE, 0, GPU_PAGE_SHIFT, GPU_PTE_ZERO);
    space_map(&s.space, OTHER_VA, VRAM_DATA, GPU_PAGE_SHIFT, 0);
    memset(board_at(&s.board, VRAM_DATA), 0xee, GPU_PAGE);
    assert_true(space_fill(&s.space, VA + 100, 0x12345678, 2 * GPU_PAGE));
    assert_true(space_copy(&s.space, OTHER_VA + 8, VA + GPU_PAGE - 8, 2048));
    for (uint32_t i = 0; i < GPU_PAGE; i++)
        assert_int_equal(board_at(&s.board, VRAM_DATA)[i], i >= 8 && i < 2056 ? 0 : 0xee);
    assert_true(space_translation(&s.space, VA).zero);
    board_drop(&s.board);
}

/* ---- The TLB --------------------------------------------------------------------------------- */

/* One range, [VA, VA + 1), by command or by register. */
static void flush_first_page(struct space *space, uint32_t what, bool by_register) {
    if (!by_register) {
        space_flush(space, what, VA, VA + 1);
        return;
    }
    board_write64(space->board, GPU_REG_FLUSH_START, VA);
    board_write64(space->board, GPU_REG_FLUSH_END, VA + 1);
    board_write(space->board, GPU_REG_FLUSH_SPACE, space->id);
    board_write(space->board, GPU_REG_FLUSH, what);
}

static void old_translations_are_used_until_flushed(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t what = GPU_FLUSH_ALL + i / 2;
        struct space_simple s = {0};
        space_simple(&s);
        space_map_row(&s.space, VRAM_DATA, 100);
        space_touch_row(&s.space);
        space_map_row(&s.space, RAM_DATA, 200);
        assert_int_equal(space_word(&s.space, VA), 100);
        assert_true(space_translation(&s.space, VA).cached);
        assert_int_equal(space_translation(&s.space, VA).address, VRAM_DATA);
        flush_first_page(&s.space, what, i % 2 != 0);
        assert_int_equal(space_translation(&s.space, VA).address, RAM_DATA);
        assert_int_equal(space_word(&s.space, VA), 200);
        assert_int_equal(space_word(&s.space, VA + GPU_PAGE), what == GPU_FLUSH_RANGE ? 101 : 201);
        board_drop(&s.board);
    }
}

/* Where a walk ended before, another table is by now: nothing of it had to be flushed. */
static void a_command_finds_the_tables_that_the_one_before_it_linked(void **state) {
    const uint64_t at = VA + 2 * GPU_PAGE, out = OUT_VA + 64;
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    space_map_row(&s.space, VRAM_DATA, 100);
    space_map(&s.space, OUT_VA, VRAM_DATA + MIB, 12, 0);
    space_map(&s.space, OTHER_VA + 2 * GPU_PAGE, VRAM_DATA + 7 * GPU_PAGE, 12, 0);
    uint64_t other = *space_table_entry(&s.space, OTHER_VA, 1, 0);
    uint64_t table = *space_table_entry(&s.space, VA, 2, 0) & GPU_PTE_ADDRESS;
    struct {
        struct gpu_copy first;
        struct gpu_write_entries write;
        uint64_t entry;
        struct gpu_copy second;
    } commands = {{{GPU_COPY, 0, sizeof(struct gpu_copy)}, VA, out, 8}, /* ends its walks at VA */
                  {{GPU_WRITE_ENTRIES, GPU_FLAG_PHYSICAL, sizeof(struct gpu_write_entries) + 8},
                   table,
                   VA >> 21 & 511,
                   1,
                   1,
                   0},
                  other,
                  {{GPU_COPY, 0, sizeof(struct gpu_copy)}, out, at, 8}};
    assert_true(space_execute(&s.space, &commands, sizeof(commands), GPU_DOORBELL_PAGING));
    assert_int_equal(*(uint64_t *)(void *)board_at(&s.board, VRAM_DATA + MIB + 64), 107);
    board_drop(&s.board);
}

/* Two spaces of one board whose TLB has rows with tags from 100 on, where tables now say 200. */
static void stale_rows(struct space_simple *s, struct space *other) {
    space_simple(s);
    space_make(other, &s->board, 2, &s->next);
    space_map_row(&s->space, VRAM_DATA, 100);
    space_map_row(other, VRAM_DATA, 100);
    space_touch_row(&s->space);
    space_touch_row(other);
    space_map_row(&s->space, RAM_DATA, 200);
    space_map_row(other, RAM_DATA, 200);
}

static void a_range_flush_flushes_exactly_its_range(void **state) {
    uint64_t random = board_seed();
    (void)state;
    for (uint32_t round = 0; round < 20; round++) {
        struct space_simple s = {0};
        struct space other;
        stale_rows(&s, &other);
        uint64_t start = VA + board_random(&random) % (ROW_PAGES * GPU_PAGE);
        uint64_t end = start + board_random(&random) % (ROW_PAGES * GPU_PAGE / 2);
        space_flush(&s.space, GPU_FLUSH_RANGE, start, end);
        for (uint32_t page = 0; page < ROW_PAGES; page++) {
            uint64_t va = VA + page * GPU_PAGE;
            bool flushed = start < end && va < end && va + GPU_PAGE > start;
            assert_int_equal(space_word(&s.space, va), (flushed ? 200 : 100) + page);
            assert_int_equal(space_word(&other, va), 100 + page);
        }
        board_drop(&s.board);
    }
}

static void a_space_flush_leaves_other_spaces_alone(void **state) {
    struct space_simple s = {0};
    struct space other;
    (void)state;
    stale_rows(&s, &other);
    space_flush(&s.space, GPU_FLUSH_SPACE, 0, 0);
    assert_int_equal(space_word(&s.space, VA), 200);
    assert_int_equal(space_word(&other, VA), 100);
    space_flush(&s.space, GPU_FLUSH_ALL, 0, 0);
    assert_int_equal(space_word(&other, VA), 200);
    board_drop(&s.board);
}

/* A new root for the same space is no flush either. */
static void a_new_root_needs_a_flush_too(void **state) {
    struct space_simple s = {0};
    struct space moved;
    (void)state;
    space_simple(&s);
    space_make(&moved, &s.board, 1, &s.next);
    space_map_row(&s.space, VRAM_DATA, 100);
    space_map_row(&moved, RAM_DATA, 200);
    assert_int_equal(space_word(&s.space, VA), 100);
    assert_int_equal(space_word(&moved, VA), 100);
    assert_int_equal(space_translation(&moved, VA).address, VRAM_DATA);
    space_flush(&moved, GPU_FLUSH_SPACE, 0, 0);
    assert_int_equal(space_word(&moved, VA), 200);
    board_drop(&s.board);
}

static void invalid_is_remembered_only_by_boards_that_say_so(void **state) {
    (void)state;
    for (uint32_t caches = 0; caches < 2; caches++) {
        struct board board = {0};
        struct space space;
        uint64_t next = VRAM_TABLES;
        space_board(&board, 3, GPU_PAGES_4K, caches ? GPU_MMU_CACHES_INVALID : 0);
        space_make(&space, &board, 1, &next);
        assert_false(space_fill(&space, VA, 1, 8));
        space_resume(&space, 0);
        space_map(&space, VA, VRAM_DATA, GPU_PAGE_SHIFT, 0);
        assert_int_equal(space_translation(&space, VA).valid, !caches);
        assert_int_equal(space_fill(&space, VA, 1, 8), !caches);
        if (caches) {
            space_resume(&space, 0);
            space_flush(&space, GPU_FLUSH_RANGE, VA, VA + GPU_PAGE);
            assert_true(space_fill(&space, VA, 1, 8));
        }
        board_drop(&board);
    }
}

/* Twice the same accesses to more pages than the TLB holds. */
static void the_tlb_forgets_the_same_every_time(void **state) {
    uint64_t misses[2], ns[2];
    (void)state;
    for (uint32_t round = 0; round < 2; round++) {
        struct board board = {.setting = {[6] = {"TlbSets", 4}, [7] = {"TlbWays", 2}}};
        struct space space;
        uint64_t next = VRAM_TABLES, random = 12345;
        space_board(&board, 4, GPU_PAGES_4K, 0);
        space_make(&space, &board, 1, &next);
        space_map_row(&space, VRAM_DATA, 100);
        for (uint32_t i = 0; i < 300; i++)
            (void)space_word(&space, VA + board_random(&random) % ROW_PAGES * GPU_PAGE);
        misses[round] = board_read64(&board, GPU_REG_TLB_MISSES);
        ns[round] = board.ns;
        assert_true(board_read64(&board, GPU_REG_TLB_HITS) > 0);
        board_drop(&board);
    }
    assert_true(misses[0] > 100);
    assert_int_equal(misses[0], misses[1]);
    assert_int_equal(ns[0], ns[1]);
}

static void walks_take_time_and_hits_do_not(void **state) {
    struct space_simple s = {0};
    (void)state;
    space_simple(&s);
    space_map_row(&s.space, VRAM_DATA, 100);
    (void)space_word(&s.space, VA + GPU_PAGE);
    uint64_t start = s.board.ns;
    (void)space_word(&s.space, VA);
    uint64_t cold = s.board.ns - start;
    (void)space_word(&s.space, VA);
    assert_int_equal(cold - (s.board.ns - start - cold), 3 * 20);
    board_drop(&s.board);
}

static void impossible_formats_are_refused(void **state) {
    static const struct board_setting wrong[][2] = {
        {{"MmuLevels", 1}, {NULL, 0}},
        {{"MmuLevels", 7}, {NULL, 0}},
        {{"MmuLevels", UINT64_MAX}, {NULL, 0}},
        {{"MmuLevels", 3}, {"MmuPages", 3}},
        {{"MmuLevels", 3}, {"MmuFeatures", 128}},
        {{"MmuLevels", 3}, {"MmuIndexBits", 0x000909}},
        {{"MmuLevels", 3}, {"MmuIndexBits", 0x090904}},
        {{"MmuLevels", 2}, {"MmuIndexBits", 0x130a}},
        {{"MmuLevels", 6}, {"MmuIndexBits", 0x090909090909}},
        {{"MmuLevels", 3}, {"TlbSets", 3}},
        {{"MmuLevels", 3}, {"TlbWays", 0}},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct board board = {.setting = {wrong[i][0], wrong[i][1]}};
        assert_false(board_make(&board));
        board_drop(&board);
    }
}

static void every_failed_allocation_is_survived(void **state) {
    (void)state;
    for (uint64_t n = 1;; n++) {
        struct board board = {.fail_at = n, .setting = {{"MmuLevels", 4}}};
        bool made = board_make(&board), failed = board.allocations >= n;
        board_drop(&board);
        assert_int_equal(made, !failed);
        if (!failed)
            return;
    }
}

static void a_board_without_mmu_knows_nothing_of_it(void **state) {
    struct board board = {0};
    struct vidmm_hw_translation out;
    struct gpu_flush flush = {{GPU_FLUSH, 0, sizeof(flush)}, GPU_FLUSH_ALL, 0, 0, 0};
    (void)state;
    assert_true(board_make(&board));
    assert_int_equal(board_read(&board, GPU_REG_MMU), 0);
    assert_false(vidmm_softgpu_model.translate(board.hw, GPU_VRAM_BASE, 0, 0, &out));
    assert_false(board_execute(&board, &flush, sizeof(flush)));
    board_queue(&board, 0, COMMANDS, 0, GPU_DOORBELL_RENDER | GPU_DOORBELL_VIRTUAL);
    assert_int_equal(board_read(&board, GPU_ENGINE(0) + GPU_ENGINE_QUEUED), 0);
    board_write(&board, GPU_REG_FLUSH, GPU_FLUSH_ALL);
    board_drop(&board);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_translates_what_is_mapped_and_nothing_else),
        cmocka_unit_test(a_dual_entry_prefers_its_64k_page),
        cmocka_unit_test(a_large_page_covers_what_its_entry_covers),
        cmocka_unit_test(a_large_page_may_begin_anywhere),
        cmocka_unit_test(zero_pages_read_as_zero_and_drop_writes),
        cmocka_unit_test(old_translations_are_used_until_flushed),
        cmocka_unit_test(a_command_finds_the_tables_that_the_one_before_it_linked),
        cmocka_unit_test(a_range_flush_flushes_exactly_its_range),
        cmocka_unit_test(a_space_flush_leaves_other_spaces_alone),
        cmocka_unit_test(a_new_root_needs_a_flush_too),
        cmocka_unit_test(invalid_is_remembered_only_by_boards_that_say_so),
        cmocka_unit_test(the_tlb_forgets_the_same_every_time),
        cmocka_unit_test(walks_take_time_and_hits_do_not),
        cmocka_unit_test(impossible_formats_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(a_board_without_mmu_knows_nothing_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
