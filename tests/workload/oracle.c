/*
 * oracle.c - which operation is blamed for a wrong byte, in a fixture of two segments that this
 * test plays itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/umd.h>
#include <vidmm/virtual.h>

#include "oracle.h"

#define PAGE          4096u
#define PAGES         8u
#define VRAM          1u /* segment ids */
#define APERTURE      2u
#define VRAM_BASE     0x100000000u
#define APERTURE_BASE 0x200000000u

/* ---- The fixture ----------------------------------------------------------------------------- */

struct vidmm_allocation {
    void *user;
    PMDL mdl;
    uint32_t segment; /* at its offset 0 */
};

static unsigned char ram[(PAGES + 1) * PAGE],
    vram[2 * PAGES * PAGE];      /* the last page of ram is the dummy */
static uint32_t aperture[PAGES]; /* pages of ram */

static struct {
    MDL mdl;
    PFN_NUMBER pfns[PAGES];
} pages;

void *vidmm_host_memory(struct vidmm_host *host, uint64_t pa, size_t size) {
    (void)host;
    return pa + size <= sizeof(ram) ? ram + pa : NULL;
}

const void *vidmm_host_peek(struct vidmm_host *host, uint32_t physical, uint64_t address,
                            size_t size) {
    (void)host;
    (void)physical;
    if (address >= APERTURE_BASE)
        return ram + (size_t)aperture[(address - APERTURE_BASE) / PAGE] * PAGE;
    return address - VRAM_BASE + size <= sizeof(vram) ? vram + (address - VRAM_BASE) : NULL;
}

bool vidmm_segment_info(struct vidmm_adapter *adapter, uint32_t id,
                        struct vidmm_segment_info *info) {
    (void)adapter;
    memset(info, 0, sizeof(*info));
    info->base = id == VRAM ? VRAM_BASE : APERTURE_BASE;
    info->aperture = id == APERTURE;
    return id <= APERTURE;
}

void *vidmm_allocation_user(const struct vidmm_allocation *allocation) {
    return allocation->user;
}

void vidmm_allocation_info(const struct vidmm_allocation *allocation,
                           struct vidmm_allocation_info *info) {
    memset(info, 0, sizeof(*info));
    info->segment = allocation->segment;
}

bool vidmm_device_lost(struct vidmm_device *device) {
    (void)device;
    return false;
}

PMDL vidmm_allocation_backing(const struct vidmm_allocation *allocation) {
    return allocation->mdl;
}

/* Scattered: the pages lie in reverse order. */
uint32_t vidmm_allocation_page(const struct vidmm_allocation *allocation, uint64_t page,
                               uint64_t *offset) {
    *offset = (PAGES - 1 - page) * PAGE;
    return allocation->segment;
}

/* ---- One allocation in it -------------------------------------------------------------------- */

struct scene {
    struct oracle oracle;
    struct oracle_allocation content;
    struct vidmm_allocation allocation;
    struct vidmm_observer observer;
};

static const struct oracle_range whole = {0, PAGES};

/* An allocation of 8 pages with version 1 in system memory, whose pages lie backwards. */
static int set_up(void **state) {
    struct scene *scene = calloc(1, sizeof(*scene));
    struct vidmm_harness harness = {.host = (struct vidmm_host *)scene};
    assert_non_null(scene);
    assert_true(oracle_init(&scene->oracle));
    oracle_attach(&scene->oracle, &harness);
    oracle_observe(&scene->oracle, &scene->observer);
    oracle_allocation_start(&scene->content, &scene->oracle, 6, 0);
    assert_true(oracle_allocation_made(&scene->content, PAGES, 0));
    memset(ram, 0, sizeof(ram));
    memset(vram, 0, sizeof(vram));
    for (uint32_t i = 0; i < PAGES; i++) {
        pages.pfns[i] = PAGES - 1 - i;
        aperture[i] = PAGES;
    }
    scene->allocation = (struct vidmm_allocation){.user = &scene->content, .mdl = &pages.mdl};
    *state = scene;
    return 0;
}

static int tear_down(void **state) {
    struct scene *scene = *state;
    oracle_allocation_destroy(&scene->content);
    oracle_destroy(&scene->oracle);
    free(scene);
    return 0;
}

static unsigned char *system_page(uint32_t page) {
    return ram + (size_t)pages.pfns[page] * PAGE;
}

/* A write of the GPU to all pages, wherever `at` says they lie. */
static void render(struct scene *scene, unsigned char *(*at)(uint32_t page)) {
    uint32_t version = oracle_write_begin(&scene->content, whole);
    for (uint32_t i = 0; i < PAGES; i++)
        vidmm_pattern_write(at(i), vidmm_pattern_key(scene->content.index + 1, i, version));
    oracle_write_end(&scene->content, true);
}

static unsigned char *vram_page(uint32_t page) {
    return vram + (size_t)page * PAGE;
}

static void copy(bool in) {
    for (uint32_t i = 0; i < PAGES; i++)
        memcpy(in ? vram_page(i) : system_page(i), in ? system_page(i) : vram_page(i), PAGE);
}

static void report(struct scene *scene, enum vidmm_op_kind kind, bool in, uint64_t buffer) {
    const struct vidmm_place system = {.mdl = &pages.mdl};
    const struct vidmm_place local = {
        .segment = kind == VIDMM_OP_MAP || kind == VIDMM_OP_UNMAP ? APERTURE : VRAM};
    const struct vidmm_op op = {.kind = kind,
                                .allocation = &scene->allocation,
                                .size = PAGES * PAGE,
                                .from = in ? system : local,
                                .to = in ? local : system};
    scene->observer.op_done(scene->observer.ctx, &op, buffer, buffer);
}

/* ---- Properties ------------------------------------------------------------------------------ */

static void right_bytes_are_counted_and_nobody_is_blamed(void **state) {
    struct scene *scene = *state;
    report(scene, VIDMM_OP_FILL, true, 1);
    render(scene, vram_page);
    copy(false);
    report(scene, VIDMM_OP_TRANSFER, false, 2);
    memset(vram, 0, sizeof(vram));
    copy(true);
    report(scene, VIDMM_OP_TRANSFER, true, 3);
    assert_int_equal(scene->oracle.mismatched_bytes, 0);
    assert_int_equal(scene->oracle.verified_bytes, 3 * PAGES * PAGE);
}

static void a_transfer_that_damages_a_byte_is_blamed_once(void **state) {
    struct scene *scene = *state;
    render(scene, system_page);
    copy(true);
    vram_page(3)[77] ^= 1;
    report(scene, VIDMM_OP_TRANSFER, true, 41);
    report(scene, VIDMM_OP_TRANSFER, true, 42);
    const struct vidmm_mismatch *first = &scene->oracle.first;
    assert_int_equal(scene->oracle.mismatched_bytes, 1);
    assert_true(first->by_op);
    assert_int_equal(first->op, VIDMM_OP_TRANSFER);
    assert_int_equal(first->allocation, 6);
    assert_int_equal(first->page, 3);
    assert_int_equal(first->byte, 77);
    assert_int_equal(first->paging_buffer, 41);
    assert_string_equal(
        first->text,
        "byte 77 of page 3 of allocation 6 is wrong after TRANSFER in paging buffer 41, event 0");
}

static void each_byte_that_differs_is_counted_once(void **state) {
    struct scene *scene = *state;
    render(scene, system_page);
    copy(true);
    for (uint32_t i = 0; i < 8; i++) /* of the page's last word every second one, by its top bit */
        vram_page(1)[PAGE - 8 + i] ^= i % 2 == 0 ? 0x80 : 0;
    vram_page(1)[5] ^= 0xff;
    report(scene, VIDMM_OP_TRANSFER, true, 41);
    assert_int_equal(scene->oracle.mismatched_bytes, 5);
    assert_int_equal(scene->oracle.first.byte, 5);
}

static unsigned char *scattered_vram_page(uint32_t page) {
    return vram_page(PAGES - 1 - page);
}

static void a_virtual_transfer_is_held_against_the_pages_where_they_lie(void **state) {
    struct scene *scene = *state;
    scene->allocation.segment = VRAM;
    render(scene, system_page);
    for (uint32_t i = 0; i < PAGES; i++)
        memcpy(scattered_vram_page(i), system_page(i), PAGE);
    report(scene, VIDMM_OP_VIRTUAL_TRANSFER, true, 8);
    assert_int_equal(scene->oracle.mismatched_bytes, 0);
    assert_int_equal(scene->oracle.verified_bytes, PAGES * PAGE);
    scattered_vram_page(2)[9] ^= 1;
    report(scene, VIDMM_OP_VIRTUAL_TRANSFER, true, 9);
    assert_int_equal(scene->oracle.mismatched_bytes, 1);
    assert_int_equal(scene->oracle.first.op, VIDMM_OP_VIRTUAL_TRANSFER);
    assert_int_equal(scene->oracle.first.page, 2);
}

static void a_transfer_of_bytes_that_were_wrong_before_is_not_blamed(void **state) {
    struct scene *scene = *state;
    render(scene, vram_page);
    vram_page(0)[0] ^= 1;
    copy(false);
    report(scene, VIDMM_OP_TRANSFER, false, 5);
    assert_int_equal(scene->oracle.mismatched_bytes, 1);
    assert_false(scene->oracle.first.by_op);
}

static void a_fill_that_leaves_a_byte_is_blamed(void **state) {
    struct scene *scene = *state;
    vram_page(7)[4095] = 1;
    report(scene, VIDMM_OP_FILL, true, 5);
    assert_true(scene->oracle.first.by_op);
    assert_int_equal(scene->oracle.first.op, VIDMM_OP_FILL);
    assert_int_equal(scene->oracle.first.page, 7);
    assert_int_equal(scene->oracle.first.byte, 4095);
}

/* The place in VRAM holds something else by the time that the oracle hears of the transfer. */
static void when_the_source_is_gone_the_gpu_can_clear_the_transfer(void **state) {
    struct scene *scene = *state;
    render(scene, vram_page);
    vram_page(2)[9] ^= 4;
    copy(false);
    memset(vram, 0x55, sizeof(vram));
    report(scene, VIDMM_OP_TRANSFER, false, 8);
    assert_true(scene->oracle.first.by_op);
    const struct vidmm_umd_result result = {.checked_bytes = PAGE,
                                            .wrong_pages = 1,
                                            .first_oracle = 7,
                                            .first_page = 2,
                                            .first_byte = 9};
    oracle_gpu_result(&scene->oracle, &result, PAGE);
    assert_false(scene->oracle.first.by_op);
    assert_int_equal(scene->oracle.first.page, 2);
}

static void a_map_of_the_wrong_page_and_an_unmap_that_keeps_it_are_blamed(void **state) {
    struct scene *scene = *state;
    for (uint32_t i = 0; i < PAGES; i++)
        aperture[i] = (uint32_t)pages.pfns[i];
    report(scene, VIDMM_OP_MAP, true, 1);
    assert_int_equal(scene->oracle.mismatched_bytes, 0);
    aperture[5] = 0;
    report(scene, VIDMM_OP_MAP, true, 2);
    assert_int_equal(scene->oracle.first.op, VIDMM_OP_MAP);
    assert_int_equal(scene->oracle.first.page, 5);
    for (uint32_t i = 0; i < PAGES; i++)
        aperture[i] = PAGES;
    uint64_t before = scene->oracle.mismatched_bytes;
    report(scene, VIDMM_OP_UNMAP, false, 3);
    assert_int_equal(scene->oracle.mismatched_bytes, before);
    aperture[1] = (uint32_t)pages.pfns[1];
    report(scene, VIDMM_OP_UNMAP, false, 4);
    scene->allocation.segment = APERTURE; /* the same plan mapped it again */
    oracle_set_event(&scene->oracle, 1);
    assert_int_equal(scene->oracle.mismatched_bytes, before);
    report(scene, VIDMM_OP_UNMAP, false, 5);
    scene->allocation.segment = 0;
    oracle_set_event(&scene->oracle, 2);
    assert_int_equal(scene->oracle.mismatched_bytes, before + PAGE);
}

static void a_map_that_leaves_the_dummy_page_is_blamed(void **state) {
    struct scene *scene = *state;
    report(scene, VIDMM_OP_MAP, true, 1);
    assert_true(scene->oracle.first.by_op);
    assert_int_equal(scene->oracle.first.op, VIDMM_OP_MAP);
}

/* The GPU did both before the oracle heard of the first; a reset ended the plan. */
static void an_unmap_is_not_blamed_for_what_the_next_map_shows(void **state) {
    struct scene *scene = *state;
    for (uint32_t i = 0; i < PAGES; i++)
        aperture[i] = (uint32_t)pages.pfns[i];
    report(scene, VIDMM_OP_UNMAP, false, 1);
    report(scene, VIDMM_OP_MAP, true, 1);
    oracle_set_event(&scene->oracle, 1);
    assert_int_equal(scene->oracle.mismatched_bytes, 0);
    report(scene, VIDMM_OP_UNMAP, false, 2);
    oracle_set_event(&scene->oracle, 2);
    assert_int_equal(scene->oracle.first.op, VIDMM_OP_UNMAP);
}

static void tiled_surfaces_are_compared_in_linear_order(void **state) {
    struct scene *scene = *state;
    const uint32_t pitch = 1536; /* a band of 3 pages: two bands, then two pages that stay linear */
    scene->content.pitch = pitch;
    render(scene, system_page);
    for (uint32_t at = 0; at < PAGES * PAGE; at += 512) {
        uint32_t to = at;
        if (at < 6 * PAGE) {
            uint32_t band = at / (pitch * 8), in = at % (pitch * 8);
            to = band * pitch * 8 + in % pitch / 512 * PAGE + in / pitch * 512;
        }
        memcpy(vram + to, system_page(at / PAGE) + at % PAGE, 512);
    }
    report(scene, VIDMM_OP_TRANSFER, true, 1);
    assert_int_equal(scene->oracle.mismatched_bytes, 0);
    assert_int_equal(scene->oracle.verified_bytes, PAGES * PAGE);
    vram[1] ^= 1;
    report(scene, VIDMM_OP_TRANSFER, true, 2);
    assert_int_equal(scene->oracle.mismatched_bytes, 1);
}

/* Moves a half of the surface into memory, whose words lie backwards there. */
static void move_half(struct scene *scene, uint32_t half, uint64_t buffer) {
    const uint32_t first = half * PAGES / 2, words = PAGES * PAGE / 4;
    for (uint32_t i = first * PAGE / 4; i < (first + PAGES / 2) * PAGE / 4; i++)
        memcpy(vram + (size_t)(words - 1 - i) * 4, system_page(i * 4 / PAGE) + i * 4 % PAGE, 4);
    const struct vidmm_op op = {.kind = VIDMM_OP_TRANSFER,
                                .allocation = &scene->allocation,
                                .at = (uint64_t)first * PAGE,
                                .size = PAGES / 2 * PAGE,
                                .from = {.mdl = &pages.mdl, .mdl_page = first},
                                .to = {.segment = VRAM, .offset = (uint64_t)first * PAGE}};
    scene->observer.op_done(scene->observer.ctx, &op, buffer, buffer);
}

static void surfaces_tiled_as_the_driver_likes_are_compared_in_any_order(void **state) {
    struct scene *scene = *state;
    scene->content.pitch = 1536;
    scene->oracle.own_tiles = true;
    render(scene, system_page);
    move_half(scene, 0, 1);
    move_half(scene, 1, 2);
    assert_int_equal(scene->oracle.mismatched_bytes, 0);
    assert_int_equal(scene->oracle.verified_bytes, PAGES * PAGE);
    render(scene, system_page);
    move_half(scene, 0, 3);
    vram[PAGES * PAGE - 5] ^= 1;
    move_half(scene, 1, 4);
    assert_true(scene->oracle.mismatched_bytes != 0 && scene->oracle.first.by_op);
    assert_int_equal(scene->oracle.first.op, VIDMM_OP_TRANSFER);
    assert_non_null(strstr(scene->oracle.first.text, "in whatever order"));
}

static void results_of_the_gpu_that_do_not_arrive_are_an_error(void **state) {
    struct scene *scene = *state;
    const struct vidmm_umd_result result = {.checked_bytes = PAGE};
    oracle_gpu_result(&scene->oracle, &result, PAGE);
    assert_int_equal(scene->oracle.mismatched_bytes, 0);
    oracle_gpu_result(&scene->oracle, &result, 2 * PAGE);
    assert_true(scene->oracle.mismatched_bytes > 0);
    assert_false(scene->oracle.first.by_op);
}

static void a_write_being_submitted_may_or_may_not_have_happened(void **state) {
    struct scene *scene = *state;
    render(scene, vram_page);
    copy(false);
    uint32_t version = oracle_write_begin(&scene->content, whole);
    report(scene, VIDMM_OP_TRANSFER, false, 1);
    for (uint32_t i = 0; i < PAGES; i++)
        vidmm_pattern_write(system_page(i), vidmm_pattern_key(7, i, version));
    report(scene, VIDMM_OP_TRANSFER, false, 2);
    assert_int_equal(scene->oracle.mismatched_bytes, 0);
    oracle_write_end(&scene->content, true);
    report(scene, VIDMM_OP_TRANSFER, false, 3);
    assert_int_equal(scene->oracle.mismatched_bytes, 0);
    copy(false);
    report(scene, VIDMM_OP_TRANSFER, false, 4);
    assert_true(scene->oracle.mismatched_bytes > 0);
}

static void a_refused_write_did_not_happen(void **state) {
    struct scene *scene = *state;
    render(scene, system_page);
    (void)oracle_write_begin(&scene->content, whole);
    oracle_write_end(&scene->content, false);
    oracle_check_backing(&scene->content, &pages.mdl);
    assert_int_equal(scene->oracle.mismatched_bytes, 0);
    assert_int_equal(scene->oracle.verified_bytes, PAGES * PAGE);
}

static void lost_content_is_not_compared_until_it_is_written(void **state) {
    struct scene *scene = *state;
    render(scene, system_page);
    scene->observer.content_lost(scene->observer.ctx, &scene->allocation);
    memset(ram, 0x33, sizeof(ram));
    oracle_check_backing(&scene->content, &pages.mdl);
    assert_int_equal(scene->oracle.verified_bytes, 0);
    unsigned char bytes[PAGE];
    oracle_cpu_write(&scene->content, (struct oracle_range){2, 1}, bytes);
    oracle_check_backing(&scene->content, &pages.mdl);
    assert_int_equal(scene->oracle.verified_bytes, PAGE);
    assert_true(scene->oracle.mismatched_bytes > 0);
    assert_false(scene->oracle.first.by_op);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(right_bytes_are_counted_and_nobody_is_blamed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_transfer_that_damages_a_byte_is_blamed_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(each_byte_that_differs_is_counted_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_virtual_transfer_is_held_against_the_pages_where_they_lie,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_transfer_of_bytes_that_were_wrong_before_is_not_blamed,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_fill_that_leaves_a_byte_is_blamed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(when_the_source_is_gone_the_gpu_can_clear_the_transfer,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_map_of_the_wrong_page_and_an_unmap_that_keeps_it_are_blamed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_map_that_leaves_the_dummy_page_is_blamed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_unmap_is_not_blamed_for_what_the_next_map_shows, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(tiled_surfaces_are_compared_in_linear_order, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            surfaces_tiled_as_the_driver_likes_are_compared_in_any_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(results_of_the_gpu_that_do_not_arrive_are_an_error, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_write_being_submitted_may_or_may_not_have_happened,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_refused_write_did_not_happen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lost_content_is_not_compared_until_it_is_written, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
