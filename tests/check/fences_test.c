/*
 * fences_test.c - drivers that leave paging buffers empty: what they report of a preemption is held against the
 * work of an application.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/check.h>

static struct vidmm_check_result result;
static DXGKRNL_INTERFACE system_calls;

/* One fence less than was completed. */
static VOID APIENTRY report_less(const HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA less = *data;
    if (less.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED)
        less.DmaPreempted.LastCompletedFenceId--;
    system_calls.DxgkCbNotifyInterrupt(device, &less);
}

/* Below the referee: it sees what the driver is made to report. */
static DRIVER_INITIALIZATION_DATA good;

static NTSTATUS APIENTRY start(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE calls,
                               PULONG sources, PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    system_calls = *calls;
    mine.DxgkCbNotifyInterrupt = report_less;
    return good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}

static void install(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiStartDevice = start;
}

static void examine(const struct vidmm_spoiler *spoiler) {
    const struct vidmm_check_options options = {.driver_path = DRIVERS "/cpu-vram.so",
                                                .stage = "preempt",
                                                .spoiler = spoiler,
                                                .seed = 1,
                                                .timeout_ms = 60000};
    vidmm_check(&options, &result);
}

static void preemptions_behind_work_that_is_done_are_judged(void **state) {
    (void)state;
    examine(NULL);
    assert_int_equal(result.ledger.findings, 0);
    assert_true(result.ledger.kept[281] != 0);
}

static void a_preemption_that_forgets_completed_work_is_named(void **state) {
    const struct vidmm_spoiler spoiler = {.driver = install};
    (void)state;
    examine(&spoiler);
    assert_true(result.ledger.findings != 0);
    assert_int_equal(result.ledger.finding[0].kind, VIDMM_FINDING_RULE);
    assert_int_equal(result.ledger.finding[0].rule, 281);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(preemptions_behind_work_that_is_done_are_judged),
        cmocka_unit_test(a_preemption_that_forgets_completed_work_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
