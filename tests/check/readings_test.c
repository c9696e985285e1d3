/*
 * Where pages contradict each other a driver that keeps to one reading passes under that one and
 * not under the other: each reading that can be chosen changes the result of some driver.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/check.h>

static DRIVER_INITIALIZATION_DATA good;
static struct vidmm_check_result result;

static uint64_t seed = 3;

static enum vidmm_check_status examine(void (*spoil)(DRIVER_INITIALIZATION_DATA *table),
                                       const char *stage, const char *reading) {
    const struct vidmm_spoiler spoiler = {.driver = spoil};
    const struct vidmm_host_setting settings[] = {{"PagingBufferBytes", 512}};
    struct vidmm_check_options options = {.settings = settings,
                                          .setting_count = 1,
                                          .stage = stage,
                                          .spoiler = &spoiler,
                                          .seed = seed};
    if (reading)
        assert_true(vidmm_reading_parse(reading, &options.readings));
    vidmm_check(&options, &result);
    return result.status;
}

static void assert_passed(enum vidmm_check_status status) {
    for (uint32_t i = 0; i < result.ledger.findings; i++) {
        char text[640];
        vidmm_finding_text(&result.ledger.finding[i], text, sizeof(text));
        print_error("%s\n", text);
    }
    assert_int_equal(status, VIDMM_CHECK_PASSED);
}

static void keep(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
}

static void the_reference_driver_passes_under_every_reading(void **state) {
    (void)state;
    static const char *const readings[] = {"insufficient=drops",
                                           "first-call=count-only",
                                           "paging-patch=no",
                                           "system-segment=count-plus-one",
                                           "hibernate-end=first-byte",
                                           "dma-patch=when-moved",
                                           "fence-ids=wrap"};
    static const char *const stages[] = {"start", "paging",  "operations",
                                         "room",  "preempt", "interrupts"};
    for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++)
        for (size_t k = 0; k < sizeof(stages) / sizeof(stages[0]); k++)
            assert_passed(examine(keep, stages[k], readings[i]));
}

/* ---- insufficient ---------------------------------------------------------------------------- */

/* What it wrote when the room ran out nobody will run, it believes: it leaves rubbish there. */
static NTSTATUS APIENTRY leave_rubbish(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    unsigned char *start = args->pDmaBuffer;
    bool shared = args->DmaBufferWriteOffset != 0;
    NTSTATUS status = good.DxgkDdiBuildPagingBuffer(adapter, args);
    if (shared && status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
        memset(start, 0xee, (size_t)((unsigned char *)args->pDmaBuffer - start));
    return status;
}

static void leaving_rubbish(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiBuildPagingBuffer = leave_rubbish;
}

/* Where pages lie decides if an operation begins in a buffer that it does not fit into. */
static void what_did_not_fit_is_run_or_dropped(void **state) {
    (void)state;
    static const char *const stages[] = {"paging", "room"};
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        uint32_t seen = 0;
        for (seed = 1; seed <= 8; seed++) {
            seen += examine(leaving_rubbish, stages[i], "insufficient=keeps") != VIDMM_CHECK_PASSED;
            assert_passed(examine(leaving_rubbish, stages[i], "insufficient=drops"));
        }
        assert_true(seen >= 4);
    }
}

/* ---- first-call ------------------------------------------------------------------------------ */

static bool asks_for_segments(const DXGKARG_QUERYADAPTERINFO *args) {
    return args->Type == DXGKQAITYPE_QUERYSEGMENT4;
}

/* No array is a mistake to it; that NbSegment is 0 says what is wanted. */
static NTSTATUS APIENTRY want_array(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    if (!asks_for_segments(args))
        return good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (!out->pSegmentDescriptor)
        return STATUS_INVALID_PARAMETER;
    BYTE *array = out->pSegmentDescriptor;
    if (out->NbSegment == 0)
        out->pSegmentDescriptor = NULL;
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, args);
    out->pSegmentDescriptor = array;
    return status;
}

static void wanting_array(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = want_array;
}

static void the_first_call_has_an_array_or_none(void **state) {
    (void)state;
    assert_int_not_equal(examine(wanting_array, "start", "first-call=null"), VIDMM_CHECK_PASSED);
    assert_passed(examine(wanting_array, "start", "first-call=count-only"));
}

/* An array means to it that the descriptors are wanted. */
static NTSTATUS APIENTRY fill_array(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    if (asks_for_segments(args) && out->pSegmentDescriptor && out->NbSegment == 0) {
        memset(out->pSegmentDescriptor, 0, sizeof(DXGK_SEGMENTDESCRIPTOR4));
        return STATUS_SUCCESS;
    }
    return good.DxgkDdiQueryAdapterInfo(adapter, args);
}

static void filling_array(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = fill_array;
}

static void an_array_in_the_first_call_is_not_to_be_filled(void **state) {
    (void)state;
    assert_passed(examine(filling_array, "start", "first-call=null"));
    assert_int_not_equal(examine(filling_array, "start", "first-call=count-only"),
                         VIDMM_CHECK_PASSED);
}

/* ---- Those that nothing asks for ------------------------------------------------------------- */

static void a_reading_that_acts_nowhere_says_what_it_waits_for(void **state) {
    (void)state;
    const struct vidmm_reading_choice *choice;
    for (size_t i = 0; (choice = vidmm_reading_at(i)); i++)
        assert_int_equal(!!choice->idle, strcmp(choice->name, "hibernate-end") == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_driver_passes_under_every_reading),
        cmocka_unit_test(what_did_not_fit_is_run_or_dropped),
        cmocka_unit_test(the_first_call_has_an_array_or_none),
        cmocka_unit_test(an_array_in_the_first_call_is_not_to_be_filled),
        cmocka_unit_test(a_reading_that_acts_nowhere_says_what_it_waits_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
