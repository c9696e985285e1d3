/*
 * mmu_test.c - GPU virtual memory as the GPU sees it: what page tables mean, how long the TLB
 * remembers, how faults are told, and what tables that make no sense can do (nothing).
 * mmu_work_test.c has what engines do through them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/softgpu.h>

#include "space.h"

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

static void a_range_flush_flushes_exactly_its_range(void **state) {
    uint64_t random = board_seed();
    (void)state;
    for (uint32_t round = 0; round < 20; round++) {
        struct space_simple s = {0};
        struct space other;
        space_simple(&s);
        space_make(&other, &s.board, 2, &s.next);
        space_map_row(&s.space, VRAM_DATA, 100);
        space_map_row(&other, VRAM_DATA, 100);
        space_touch_row(&s.space);
        space_touch_row(&other);
        space_map_row(&s.space, RAM_DATA, 200);
        space_map_row(&other, RAM_DATA, 200);
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
    space_simple(&s);
    space_make(&other, &s.board, 2, &s.next);
    space_map_row(&s.space, VRAM_DATA, 100);
    space_map_row(&other, VRAM_DATA, 100);
    space_touch_row(&s.space);
    space_touch_row(&other);
    space_map_row(&s.space, RAM_DATA, 200);
    space_map_row(&other, RAM_DATA, 200);
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
    (void)softgpu_model.translate(space->board->hw, board_random(random) & mask, 0, from, &out);
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

static void impossible_formats_are_refused(void **state) {
    static const struct board_setting wrong[][2] = {
        {{"MmuLevels", 1}, {NULL, 0}},
        {{"MmuLevels", 7}, {NULL, 0}},
        {{"MmuLevels", UINT64_MAX}, {NULL, 0}},
        {{"MmuLevels", 3}, {"MmuPages", 3}},
        {{"MmuLevels", 3}, {"MmuFeatures", 32}},
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
    assert_false(softgpu_model.translate(board.hw, GPU_VRAM_BASE, 0, 0, &out));
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
        cmocka_unit_test(zero_pages_read_as_zero_and_drop_writes),
        cmocka_unit_test(old_translations_are_used_until_flushed),
        cmocka_unit_test(a_command_finds_the_tables_that_the_one_before_it_linked),
        cmocka_unit_test(a_range_flush_flushes_exactly_its_range),
        cmocka_unit_test(a_space_flush_leaves_other_spaces_alone),
        cmocka_unit_test(a_new_root_needs_a_flush_too),
        cmocka_unit_test(invalid_is_remembered_only_by_boards_that_say_so),
        cmocka_unit_test(the_tlb_forgets_the_same_every_time),
        cmocka_unit_test(walks_take_time_and_hits_do_not),
        cmocka_unit_test(wrong_entries_are_faults_with_their_level),
        cmocka_unit_test(addresses_beyond_the_tables_are_faults),
        cmocka_unit_test(an_unaligned_64k_page_or_root_is_a_fault),
        cmocka_unit_test(protection_stops_writes_and_commands),
        cmocka_unit_test(bits_of_missing_features_are_reserved),
        cmocka_unit_test(a_page_fault_halts_its_engine_and_no_other),
        cmocka_unit_test(hostile_page_tables_never_crash_the_gpu),
        cmocka_unit_test(impossible_formats_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(a_board_without_mmu_knows_nothing_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
