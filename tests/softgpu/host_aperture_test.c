/*
 * host_aperture_test.c - the CPU host aperture of the board and of the driver: each page of the BAR
 * is the page of invisible VRAM that it was led to, for both sides at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "fixture/board.h"
#include "fixture/fixture.h"

#define VISIBLE (4 * MIB) /* of the board's 8 MiB */
#define FIRST   (GPU_VRAM_BASE + VISIBLE)
#define WINDOW  (1 * MIB)
#define PAGES   (WINDOW / GPU_PAGE)

/* ---- The board ------------------------------------------------------------------------------- */

static void make(struct board *board) {
    *board = (struct board){
        .setting = {{"VramVisibleBytes", VISIBLE}, {"CpuHostApertureBytes", WINDOW}}};
    assert_true(board_make(board));
}

static void lead(struct board *board, uint32_t page, uint64_t target) {
    board_write(board, GPU_REG_HOST_PAGE, page);
    board_write64(board, GPU_REG_HOST_TARGET, target);
}

static unsigned char *window(struct board *board, uint32_t page) {
    return (unsigned char *)board->bar[GPU_BAR_HOST].memory + page * GPU_PAGE;
}

static bool fill(struct board *board, uint64_t address, uint32_t pattern) {
    struct gpu_fill command = {{GPU_FILL, 0, sizeof(command)}, pattern, 0, address, GPU_PAGE};
    return board_execute(board, &command, sizeof(command));
}

/* What the GPU finds there, by way of system memory. */
static uint32_t word_at(struct board *board, uint64_t address) {
    struct gpu_copy command = {
        {GPU_COPY, 0, sizeof(command)}, RAM_BASE + 2 * MIB, address, sizeof(uint32_t)};
    uint32_t word;
    assert_true(board_execute(board, &command, sizeof(command)));
    memcpy(&word, board_at(board, RAM_BASE + 2 * MIB), sizeof(word));
    return word;
}

static void both_sides_see_the_same_page(void **state) {
    struct board board;
    uint32_t word = 0x11223344;
    (void)state;
    make(&board);
    assert_int_equal(board_read64(&board, GPU_REG_HOST_BYTES), WINDOW);
    lead(&board, 3, (FIRST + 7 * GPU_PAGE) | GPU_HOST_VALID);
    assert_true(fill(&board, FIRST + 7 * GPU_PAGE, 0x5a5a5a5a));
    assert_int_equal(window(&board, 3)[100], 0x5a);
    memcpy(window(&board, 3), &word, sizeof(word));
    assert_int_equal(word_at(&board, FIRST + 7 * GPU_PAGE), word);
    board_drop(&board);
}

static void a_page_is_led_elsewhere_and_the_others_stay(void **state) {
    struct board board;
    (void)state;
    make(&board);
    for (uint32_t i = 0; i < 4; i++)
        lead(&board, i, (FIRST + (9 - 2 * i) * GPU_PAGE) | GPU_HOST_VALID);
    for (uint32_t i = 0; i < 4; i++)
        memset(window(&board, i), 'a' + (int)i, GPU_PAGE);
    lead(&board, 1, FIRST | GPU_HOST_VALID);
    memset(window(&board, 1), 'z', GPU_PAGE);
    assert_int_equal(word_at(&board, FIRST) & 0xff, 'z');
    assert_int_equal(word_at(&board, FIRST + 7 * GPU_PAGE) & 0xff, 'b');
    assert_int_equal(window(&board, 0)[0], 'a');
    assert_int_equal(window(&board, 2)[GPU_PAGE - 1], 'c');
    board_drop(&board);
}

static void what_is_not_led_anywhere_reaches_nothing(void **state) {
    const uint64_t nowhere[] = {
        0,
        FIRST,                                      /* not valid */
        GPU_VRAM_BASE | GPU_HOST_VALID,             /* visible */
        (GPU_VRAM_BASE + 8 * MIB) | GPU_HOST_VALID, /* behind the end */
        UINT64_MAX,
        GPU_HOST_VALID,
    };
    struct board board;
    (void)state;
    make(&board);
    assert_true(fill(&board, FIRST, 0x5a5a5a5a));
    for (uint32_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
        lead(&board, 5, FIRST | GPU_HOST_VALID);
        assert_int_equal(window(&board, 5)[0], 0x5a);
        lead(&board, 5, nowhere[i]);
        memset(window(&board, 5), 1, GPU_PAGE);
        assert_int_equal(word_at(&board, FIRST), 0x5a5a5a5a);
    }
    lead(&board, PAGES, FIRST | GPU_HOST_VALID); /* there is no such page */
    lead(&board, UINT32_MAX, FIRST | GPU_HOST_VALID);
    board_drop(&board);
}

static void a_reset_loses_content_and_keeps_pages(void **state) {
    struct board board;
    (void)state;
    make(&board);
    lead(&board, 0, FIRST | GPU_HOST_VALID);
    memset(window(&board, 0), 'a', GPU_PAGE);
    board_write(&board, GPU_REG_RESET, 1);
    assert_int_equal(window(&board, 0)[0], 0);
    memset(window(&board, 0), 'b', GPU_PAGE);
    assert_int_equal(word_at(&board, FIRST) & 0xff, 'b');
    board_drop(&board);
}

static void a_board_without_invisible_vram_has_none(void **state) {
    struct board board = {.setting = {{"VramVisibleBytes", 2 * VISIBLE}, /* all */
                                      {"CpuHostApertureBytes", WINDOW}}};
    (void)state;
    assert_true(board_make(&board));
    assert_int_equal(board.bar[GPU_BAR_HOST].kind, VIDMM_HW_BAR_NONE);
    board_drop(&board);
}

/* ---- The driver ------------------------------------------------------------------------------ */

#define SEGMENTS 3u

static void describe(struct fixture *fixture, DXGK_SEGMENTDESCRIPTOR4 segment[SEGMENTS]) {
    DXGK_QUERYSEGMENTIN4 in = {.PhysicalAdapterIndex = 0};
    DXGK_QUERYSEGMENTOUT4 out = {.NbSegment = SEGMENTS,
                                 .pSegmentDescriptor = (BYTE *)segment,
                                 .SegmentDescriptorStride = sizeof(segment[0])};
    DXGKARG_QUERYADAPTERINFO query = {.Type = DXGKQAITYPE_QUERYSEGMENT4,
                                      .pInputData = &in,
                                      .InputDataSize = sizeof(in),
                                      .pOutputData = &out,
                                      .OutputDataSize = sizeof(out)};
    assert_int_equal(fixture->ddi->DxgkDdiQueryAdapterInfo(fixture->adapter, &query),
                     STATUS_SUCCESS);
}

static NTSTATUS map(struct fixture *fixture, uint16_t segment, UINT32 page, UINT64 to) {
    DXGKARG_MAPCPUHOSTAPERTURE args = {.SegmentId = segment,
                                       .NumberOfPages = 1,
                                       .pCpuHostAperturePages = &page,
                                       .pMemorySegmentPages = &to};
    return fixture->ddi->DxgkDdiMapCpuHostAperture(fixture->adapter, &args);
}

static NTSTATUS unmap(struct fixture *fixture, uint16_t segment, UINT32 page) {
    DXGKARG_UNMAPCPUHOSTAPERTURE args = {
        .SegmentId = segment, .NumberOfPages = 1, .pCpuHostAperturePages = &page};
    return fixture->ddi->DxgkDdiUnmapCpuHostAperture(fixture->adapter, &args);
}

/* Two invisible segments, each with half of the BAR; pages of 64 KiB where the MMU has them. */
static void each_segment_has_its_part(void **state) {
    (void)state;
    for (uint64_t pages = 0; pages < 2; pages++) {
        const struct vidmm_host_setting settings[] = {
            {"VramBytes", 8 * MIB},           {"VramVisibleBytes", 0},       {"VramSegments", 2},
            {"CpuHostApertureBytes", WINDOW}, {"MmuLevels", pages ? 3u : 0}, {"MmuPages", pages}};
        DXGK_SEGMENTDESCRIPTOR4 segment[SEGMENTS] = {{.Size = 0}};
        uint32_t size = pages ? 65536 : FIXTURE_PAGE;
        struct fixture fixture;
        fixture_open(&fixture, settings, 6);
        describe(&fixture, segment);
        for (uint16_t id = 2; id <= 3; id++) {
            const DXGK_CPUHOSTAPERTURE *host = &segment[id - 1].CpuHostAperture;
            assert_true(segment[id - 1].Flags.SupportsCpuHostAperture);
            assert_false(segment[id - 1].Flags.CpuVisible);
            assert_int_equal(host->SizeInPages, WINDOW / 2 / size);
            assert_int_equal(map(&fixture, id, 1, 3), STATUS_SUCCESS);
            uint64_t base = (uint64_t)segment[id - 1].BaseAddress.QuadPart + 3u * size;
            unsigned char *cpu = vidmm_host_io(fixture.host, host->PhysicalAddress + size, size);
            cpu[0] = 'a';
            cpu[size - 1] = (unsigned char)id;
            const unsigned char *gpu = vidmm_host_peek(fixture.host, 0, base, size);
            assert_int_equal(gpu[0], 'a');
            assert_int_equal(gpu[size - 1], id);
        }
        fixture_close(&fixture);
    }
}

static void pages_that_are_not_there_are_refused(void **state) {
    const struct vidmm_host_setting settings[] = {
        {"VramBytes", 8 * MIB}, {"VramVisibleBytes", 4 * MIB}, {"CpuHostApertureBytes", WINDOW}};
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, settings, 3);
    assert_int_equal(map(&fixture, 3, 0, 0), STATUS_SUCCESS);
    assert_int_equal(map(&fixture, 2, 0, 0), STATUS_INVALID_PARAMETER); /* visible */
    assert_int_equal(map(&fixture, 0, 0, 0), STATUS_INVALID_PARAMETER);
    assert_int_equal(map(&fixture, 9, 0, 0), STATUS_INVALID_PARAMETER);
    assert_int_equal(map(&fixture, 3, PAGES, 0), STATUS_INVALID_PARAMETER);
    assert_int_equal(map(&fixture, 3, 1, 4 * MIB / FIXTURE_PAGE), STATUS_INVALID_PARAMETER);
    assert_int_equal(unmap(&fixture, 3, PAGES), STATUS_INVALID_PARAMETER);
    assert_int_equal(unmap(&fixture, 3, 0), STATUS_SUCCESS);
    fixture_close(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_see_the_same_page),
        cmocka_unit_test(a_page_is_led_elsewhere_and_the_others_stay),
        cmocka_unit_test(what_is_not_led_anywhere_reaches_nothing),
        cmocka_unit_test(a_reset_loses_content_and_keeps_pages),
        cmocka_unit_test(a_board_without_invisible_vram_has_none),
        cmocka_unit_test(each_segment_has_its_part),
        cmocka_unit_test(pages_that_are_not_there_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
