/*
 * dirty_test.c - dirty bits of the reference driver: what the GPU or the CPU wrote is reported,
 * nothing else is, and no query takes anything from another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture/board.h"
#include "fixture/dirty.h"

#define VRAM   (16 * MIB)
#define KIB_4  4096u
#define KIB_64 65536u
#define MIB_2  (2u << 20)

static uint64_t next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* ---- What is reported ------------------------------------------------------------------------ */

static void copy(struct dirty *d, uint64_t to, uint64_t from, uint64_t bytes) {
    DXGKARG_BUILDPAGINGBUFFER args = fixture_move(NULL, d->hidden, d->hidden_at.base + to,
                                                  d->hidden, d->hidden_at.base + from, bytes);
    assert_int_equal(fixture_page(&d->fixture, &args, FIXTURE_BUFFER), STATUS_SUCCESS);
}

/* Only bits of [offset, offset + bytes) are set, and all of them. */
static void only(struct dirty *d, HANDLE basis, uint64_t offset, uint64_t bytes) {
    uint64_t pages = d->hidden_at.size / d->page;
    unsigned char bits[VRAM / 2 / KIB_4 / 8];
    dirty_take(d, basis, true, bits, (pages + 7) / 8);
    for (uint64_t i = 0; i < pages; i++)
        assert_int_equal(dirty_bit(bits, i), bytes != 0 && i >= offset / d->page &&
                                                 i <= (offset + bytes - 1) / d->page);
}

static void what_the_gpu_writes_is_reported_and_nothing_else(void **state) {
    static const uint32_t page[] = {KIB_4, KIB_64, MIB_2};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct dirty d;
        dirty_open(&d, page[i], VRAM, 0, 0);
        HANDLE basis = dirty_all(&d, d.hidden);
        only(&d, basis, 0, 0);
        dirty_fill(&d, d.hidden, 3 * KIB_4, KIB_4);
        only(&d, basis, 3 * KIB_4, KIB_4);
        dirty_fill(&d, d.hidden, 5 * KIB_64 - 4, 8); /* over the end of a page */
        only(&d, basis, 5 * KIB_64 - 4, 8);
        dirty_fill(&d, d.hidden, MIB_2 - KIB_4, MIB_2 + 2 * KIB_4); /* past the cache */
        only(&d, basis, MIB_2 - KIB_4, MIB_2 + 2 * KIB_4);
        copy(&d, 7 * KIB_64, MIB_2, 3 * KIB_64);
        only(&d, basis, 7 * KIB_64, 3 * KIB_64);
        copy(&d, KIB_64, KIB_64 / 2, KIB_64); /* onto itself */
        only(&d, basis, KIB_64, KIB_64);
        dirty_fill(&d, d.visible, 0, KIB_64); /* elsewhere */
        only(&d, basis, 0, 0);
        dirty_destroy(&d, basis);
        dirty_close(&d);
    }
}

/* ---- Bases, against a model of one byte a page ----------------------------------------------- */

#define MODEL_BASES  4u
#define MODEL_RANGES 9u

struct model_basis {
    HANDLE handle;
    bool started;
    uint64_t pages;
    uint32_t count;
    struct dirty_range range[MODEL_RANGES];
    bool *dirty; /* of each page, in the order of the ranges */
};

struct model {
    struct dirty d;
    uint64_t random;
    struct model_basis basis[MODEL_BASES];
};

static uint64_t below(struct model *m, uint64_t end) {
    return next(&m->random) % end;
}

/* Ranges that are disjoint, and in no order. */
static void make_basis(struct model *m, struct model_basis *basis) {
    uint64_t pages = m->d.visible_at.size / m->d.page, slot = pages / MODEL_RANGES;
    basis->count = 1 + (uint32_t)below(m, MODEL_RANGES);
    basis->pages = 0;
    uint64_t first = below(m, MODEL_RANGES);
    for (uint32_t i = 0; i < basis->count; i++) {
        uint64_t at = (first + i * 5) % MODEL_RANGES * slot, offset = below(m, slot);
        uint64_t size = 1 + below(m, slot - offset);
        basis->range[i] = (struct dirty_range){(at + offset) * m->d.page, size * m->d.page};
        basis->pages += size;
    }
    basis->dirty = calloc(basis->pages, 1);
    basis->handle = dirty_basis(&m->d, m->d.visible, basis->range, basis->count);
    assert_non_null(basis->handle);
    basis->started = false;
}

static void drop_basis(struct model *m, struct model_basis *basis) {
    dirty_destroy(&m->d, basis->handle);
    free(basis->dirty);
}

static void model_write(struct model *m, uint64_t offset, uint64_t bytes) {
    uint64_t first = offset / m->d.page, last = (offset + bytes - 1) / m->d.page;
    for (uint32_t i = 0; i < MODEL_BASES; i++) {
        bool *dirty = m->basis[i].dirty;
        for (uint32_t r = 0; r < m->basis[i].count; r++) {
            uint64_t page = m->basis[i].range[r].offset / m->d.page;
            for (uint64_t k = m->basis[i].range[r].size / m->d.page; k != 0; k--, page++, dirty++)
                if (m->basis[i].started && page >= first && page <= last)
                    *dirty = true;
        }
    }
}

static void write_somewhere(struct model *m) {
    uint64_t size = m->d.visible_at.size, offset = below(m, size / 4) * 4;
    uint64_t most = size - offset < 300000 ? size - offset : 300000;
    uint64_t bytes = (1 + below(m, most / 4)) * 4;
    if (below(m, 2) == 0) {
        dirty_fill(&m->d, m->d.visible, offset, bytes);
    } else {
        bytes = bytes < 5 * KIB_4 ? bytes : 5 * KIB_4;
        memset(m->d.cpu + offset, 0x77, (size_t)bytes);
    }
    model_write(m, offset, bytes);
}

/* Compares pages [first, first + pages) of a basis with the bits of a query, and clears them. */
static void compare(struct model_basis *basis, const unsigned char *bits, uint64_t first,
                    uint64_t pages, bool clear) {
    for (uint64_t i = 0; i < pages; i++) {
        assert_int_equal(dirty_bit(bits, i), basis->dirty[first + i]);
        if (clear)
            basis->dirty[first + i] = false;
    }
    for (uint64_t i = pages; i % 8 != 0; i++)
        assert_false(dirty_bit(bits, i));
}

static void ask_something(struct model *m, struct model_basis *basis) {
    struct dirty_query query = {.clear = below(m, 2) == 0};
    unsigned char bits[VRAM / KIB_4 / 8 + 8];
    uint64_t first = 0, pages = basis->pages;
    if (below(m, 2) == 0) {
        query.index = below(m, basis->count);
        for (uint64_t i = 0; i < query.index; i++)
            first += basis->range[i].size / m->d.page;
        uint64_t all = basis->range[query.index].size / m->d.page, from = below(m, all);
        pages = 1 + below(m, all - from);
        query.offset = from * m->d.page;
        query.size = pages * m->d.page;
        first += from;
    }
    /* At any address, with what lies behind the answer kept. */
    unsigned char *at = bits + below(m, 4);
    memset(bits, 0xa5, sizeof(bits));
    assert_int_equal(dirty_ask(&m->d, basis->handle, &query, at, (size_t)(pages + 7) / 8 + 2),
                     STATUS_SUCCESS);
    compare(basis, at, first, pages, query.clear);
    assert_int_equal(at[(pages + 7) / 8], 0xa5);
}

static void step(struct model *m) {
    struct model_basis *basis = &m->basis[below(m, MODEL_BASES)];
    switch (below(m, 16)) {
    case 0:
        drop_basis(m, basis);
        make_basis(m, basis);
        break;
    case 1:
        if (basis->started)
            dirty_stop(&m->d, basis->handle);
        basis->started = false;
        break;
    case 2:
    case 3:
        if (!basis->started)
            dirty_start(&m->d, basis->handle);
        if (!basis->started)
            memset(basis->dirty, 0, basis->pages);
        basis->started = true;
        break;
    case 4:
    case 5:
    case 6:
    case 7:
        if (basis->started)
            ask_something(m, basis);
        break;
    default:
        write_somewhere(m);
        break;
    }
}

static void bases_are_told_what_was_written_to_them_each_for_itself(void **state) {
    static const uint32_t page[] = {KIB_4, KIB_64};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct model *m = calloc(1, sizeof(*m));
        assert_non_null(m);
        m->random = 0x5eed5eed + i;
        dirty_open(&m->d, page[i], VRAM, 0, 0);
        for (uint32_t b = 0; b < MODEL_BASES; b++)
            make_basis(m, &m->basis[b]);
        for (uint32_t round = 0; round < 1500; round++)
            step(m);
        for (uint32_t b = 0; b < MODEL_BASES; b++)
            drop_basis(m, &m->basis[b]);
        dirty_close(&m->d);
        free(m);
    }
}

static void what_was_written_before_the_start_is_not_reported(void **state) {
    struct dirty d;
    unsigned char bits[VRAM / 2 / KIB_4 / 8];
    (void)state;
    dirty_open(&d, KIB_4, VRAM, 0, 0);
    HANDLE other = dirty_all(&d, d.visible);
    dirty_fill(&d, d.visible, 0, KIB_64);
    d.cpu[KIB_64] = 1;
    HANDLE basis = dirty_all(&d, d.visible);
    dirty_take(&d, basis, false, bits, sizeof(bits));
    assert_int_equal(dirty_count(bits, sizeof(bits) * 8), 0);
    dirty_take(&d, other, false, bits, sizeof(bits));
    assert_int_equal(dirty_count(bits, sizeof(bits) * 8), 17);
    d.cpu[KIB_64] = 2; /* the page that is open to the CPU since before */
    dirty_take(&d, basis, false, bits, sizeof(bits));
    assert_int_equal(dirty_count(bits, sizeof(bits) * 8), 1);
    dirty_destroy(&d, basis);
    dirty_destroy(&d, other);
    dirty_close(&d);
}

/* ---- The CPU --------------------------------------------------------------------------------- */

static void each_write_of_the_cpu_after_a_clear_is_reported_again(void **state) {
    struct dirty d;
    unsigned char bits[VRAM / 2 / KIB_4 / 8];
    (void)state;
    dirty_open(&d, KIB_4, VRAM, 0, 0);
    HANDLE basis = dirty_all(&d, d.visible);
    for (uint32_t round = 0; round < 5; round++) {
        for (uint64_t page = round; page < sizeof(bits) * 8; page += 3) {
            d.cpu[page * KIB_4 + round] = (unsigned char)round;
            d.cpu[page * KIB_4 + KIB_4 - 1] = (unsigned char)round;
        }
        dirty_take(&d, basis, false, bits, sizeof(bits));
        dirty_take(&d, basis, true, bits, sizeof(bits));
        for (uint64_t page = 0; page < sizeof(bits) * 8; page++)
            assert_int_equal(dirty_bit(bits, page), page >= round && (page - round) % 3 == 0);
    }
    /* Reading is not writing, and the GPU sees what the CPU wrote. */
    assert_int_equal(d.cpu[4 * KIB_4 + 4], 4);
    const unsigned char *gpu =
        vidmm_host_peek(d.fixture.host, 0, d.visible_at.base + 4 * KIB_4, KIB_4);
    assert_int_equal(gpu[4], 4);
    dirty_take(&d, basis, true, bits, sizeof(bits));
    assert_int_equal(dirty_count(bits, sizeof(bits) * 8), 0);
    dirty_stop(&d, basis);
    d.cpu[0] = 9; /* tracking has stopped */
    dirty_destroy(&d, basis);
    dirty_close(&d);
}

/* More pages than the kernel can give protections of their own. */
static void the_cpu_may_write_any_number_of_scattered_pages(void **state) {
    const uint64_t pages = 72000;
    struct dirty d;
    unsigned char *bits = malloc(pages / 8);
    (void)state;
    dirty_open(&d, KIB_4, 2 * pages * KIB_4, 0, 0);
    HANDLE basis = dirty_all(&d, d.visible);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint64_t page = round; page < pages; page += 2)
            d.cpu[page * KIB_4] = 1;
        dirty_take(&d, basis, true, bits, pages / 8);
        for (uint64_t page = round; page < pages; page += 2)
            assert_true(dirty_bit(bits, page));
        dirty_take(&d, basis, true, bits, pages / 8);
        assert_int_equal(dirty_count(bits, pages), 0);
    }
    dirty_destroy(&d, basis);
    dirty_close(&d);
    free(bits);
}

/* On the bare board: a swizzling range is a window that the GPU brings to VRAM when it has to. */
static void what_the_cpu_writes_through_a_window_is_gathered(void **state) {
    struct board board = {.setting = {{"DirtyPageBytes", KIB_4}}};
    const uint64_t surface = GPU_VRAM_BASE + 6 * MIB; /* no BAR shows it */
    (void)state;
    assert_true(board_make(&board));
    const uint64_t *plane = board.bar[GPU_BAR_DIRTY].memory;
    board_write64(&board, GPU_RANGE(0) + GPU_RANGE_ADDRESS, surface);
    board_write64(&board, GPU_RANGE(0) + GPU_RANGE_BYTES, 4 * KIB_4);
    board_write(&board, GPU_RANGE(0) + GPU_RANGE_PITCH, 0);
    board_write(&board, GPU_RANGE(0) + GPU_RANGE_CONTROL, GPU_RANGE_ATTACHED);
    assert_int_equal(board_read(&board, GPU_RANGE(0) + GPU_RANGE_CONTROL), GPU_RANGE_ATTACHED);
    board_write(&board, GPU_REG_DIRTY, GPU_DIRTY_ON);
    ((unsigned char *)board.bar[GPU_BAR_WINDOWS].memory)[KIB_4] = 3;
    assert_int_equal(plane[6 * MIB / KIB_4 / 64], 0);
    board_write(&board, GPU_REG_DIRTY, GPU_DIRTY_GATHER);
    assert_int_equal(plane[6 * MIB / KIB_4 / 64],
                     0xf); /* all pages: which one was written is not known */
    board_drop(&board);
}

static void a_board_without_memory_for_its_plane_leaves_nothing_behind(void **state) {
    bool made = false;
    (void)state;
    for (uint64_t fail_at = 1; !made; fail_at++) {
        struct board board = {.setting = {{"DirtyPageBytes", KIB_4}}, .fail_at = fail_at};
        made = board_make(&board);
        board_drop(&board);
        assert_true(fail_at < 100);
    }
}

/* ---- Reset, faults --------------------------------------------------------------------------- */

static void a_reset_changes_everything(void **state) {
    struct dirty d;
    unsigned char bits[VRAM / 2 / KIB_4 / 8];
    (void)state;
    dirty_open(&d, KIB_4, VRAM, 0, 0);
    HANDLE basis = dirty_all(&d, d.visible);
    d.cpu[5] = 7;
    dirty_take(&d, basis, true, bits, sizeof(bits));
    assert_int_equal(d.fixture.ddi->DxgkDdiResetFromTimeout(d.fixture.adapter), STATUS_SUCCESS);
    assert_int_equal(d.fixture.ddi->DxgkDdiRestartFromTimeout(d.fixture.adapter), STATUS_SUCCESS);
    assert_int_equal(d.cpu[5], 0);
    dirty_take(&d, basis, true, bits, sizeof(bits));
    assert_int_equal(dirty_count(bits, sizeof(bits) * 8), sizeof(bits) * 8);
    dirty_destroy(&d, basis);
    dirty_close(&d);
}

/* What FaultKind 12 to 16 order: a test of migrations can show that it notices. */
static void ordered_faults_lose_and_misplace_notes(void **state) {
    static const struct {
        uint64_t kind;
        uint64_t copied, filled, cpu, again; /* bits that are right */
    } row[] = {
        {12, 0, 1, 1, 1}, {13, 1, 0, 1, 1}, {14, 1, 1, 0, 1}, {15, 0, 1, 1, 1}, {16, 1, 1, 1, 0}};
    (void)state;
    for (uint32_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct dirty d;
        unsigned char bits[VRAM / 2 / KIB_4 / 8];
        dirty_open(&d, KIB_4, VRAM, row[i].kind, row[i].kind == 16 ? 3 : 1);
        HANDLE hidden = dirty_all(&d, d.hidden), visible = dirty_all(&d, d.visible);
        copy(&d, 0, KIB_64, KIB_4);
        dirty_fill(&d, d.hidden, 8 * KIB_4, KIB_4);
        d.cpu[0] = 1;
        dirty_take(&d, hidden, true, bits, sizeof(bits));
        assert_int_equal(dirty_bit(bits, 0), row[i].copied);
        assert_int_equal(dirty_bit(bits, 8), row[i].filled);
        dirty_take(&d, visible, true, bits, sizeof(bits));
        assert_int_equal(dirty_bit(bits, 0), row[i].cpu);
        d.cpu[KIB_4] = 1;
        dirty_take(&d, visible, true, bits, sizeof(bits));
        d.cpu[KIB_4] = 2;
        dirty_take(&d, visible, true, bits, sizeof(bits));
        assert_int_equal(dirty_bit(bits, 1), row[i].again);
        dirty_destroy(&d, hidden);
        dirty_destroy(&d, visible);
        dirty_close(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_gpu_writes_is_reported_and_nothing_else),
        cmocka_unit_test(bases_are_told_what_was_written_to_them_each_for_itself),
        cmocka_unit_test(what_was_written_before_the_start_is_not_reported),
        cmocka_unit_test(each_write_of_the_cpu_after_a_clear_is_reported_again),
        cmocka_unit_test(the_cpu_may_write_any_number_of_scattered_pages),
        cmocka_unit_test(what_the_cpu_writes_through_a_window_is_gathered),
        cmocka_unit_test(a_board_without_memory_for_its_plane_leaves_nothing_behind),
        cmocka_unit_test(a_reset_changes_everything),
        cmocka_unit_test(ordered_faults_lose_and_misplace_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
