/*
 * refusals_test.c - drivers that refuse what they are asked, or have nothing of its kind: the stage
 * that meets it says which call it was, or what is missing, and the conformance check goes on.
 */
#include "examined.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/check.h>
#include <vidmm/umd.h>

static DRIVER_INITIALIZATION_DATA good;
static struct vidmm_check_result result;
static uint32_t granted; /* calls before the first that is refused */

static const struct vidmm_stage_result *examine(void (*spoil)(DRIVER_INITIALIZATION_DATA *table),
                                                const char *stage,
                                                const struct vidmm_host_setting *setting) {
    examined_spoiled(&result, spoil, stage, setting);
    return examined_stage(&result, stage);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Refuses all but the first `GRANTED` calls of a run. */
#define REFUSE(NAME, GRANTED, PARAMETERS, ...)                                                     \
    static NTSTATUS APIENTRY refuse_##NAME PARAMETERS {                                            \
        if (granted != 0 && granted--)                                                             \
            return good.DxgkDdi##NAME(__VA_ARGS__);                                                \
        return STATUS_NO_MEMORY;                                                                   \
    }                                                                                              \
    static void without_##NAME(DRIVER_INITIALIZATION_DATA *table) {                                \
        granted = (GRANTED);                                                                       \
        good = *table;                                                                             \
        table->DxgkDdi##NAME = refuse_##NAME;                                                      \
    }

REFUSE(StartDevice, 0,
       (const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE interface, PULONG sources,
        PULONG children),
       context, info, interface, sources, children)
REFUSE(CreateContext, 1, (const HANDLE device, DXGKARG_CREATECONTEXT *args), device, args)
REFUSE(CreateAllocation, 0, (const HANDLE adapter, DXGKARG_CREATEALLOCATION *args), adapter, args)
REFUSE(Patch, 2, (const HANDLE adapter, const DXGKARG_PATCH *args), adapter, args)
REFUSE(SubmitCommand, 2, (const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args), adapter, args)
REFUSE(RestartFromTimeout, 1, (const HANDLE adapter), adapter)
REFUSE(QueryDependentEngineGroup, 0,
       (const HANDLE adapter, DXGKARG_QUERYDEPENDENTENGINEGROUP *args), adapter, args)

/* Starts once, not again. */
static void starting_once(DRIVER_INITIALIZATION_DATA *table) {
    without_StartDevice(table);
    granted = 1;
}

static void a_refused_call_is_named_where_a_stage_needs_it(void **state) {
    static const struct {
        const char *stage, *call;
        void (*spoil)(DRIVER_INITIALIZATION_DATA *table);
    } refusals[] = {
        {"start", "DxgkDdiStartDevice", starting_once},
        {"operations", "DxgkDdiCreateContext for the system", without_CreateContext},
        {"operations", "DxgkDdiPatch", without_Patch},
        {"operations", "DxgkDdiSubmitCommand", without_SubmitCommand},
        {"preempt", "DxgkDdiRestartFromTimeout", without_RestartFromTimeout},
        {"engines", "DxgkDdiQueryDependentEngineGroup", without_QueryDependentEngineGroup},
        {"locks", "DxgkDdiCreateAllocation", without_CreateAllocation},
        {"promises", "DxgkDdiCreateAllocation", without_CreateAllocation},
        {"ranges", "DxgkDdiCreateAllocation", without_CreateAllocation},
        {"residency", "DxgkDdiCreateAllocation", without_CreateAllocation},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        const struct vidmm_stage_result *stage =
            examine(refusals[i].spoil, refusals[i].stage, NULL);
        assert_int_equal(stage->outcome, VIDMM_STAGE_STOPPED);
        if (!strstr(stage->text, refusals[i].call))
            fail_msg("'%s' does not speak of %s", stage->text, refusals[i].call);
        assert_int_not_equal(result.status, VIDMM_CHECK_PASSED);
    }
}

static void a_driver_that_does_not_start_stops_each_stage(void **state) {
    const char *name, *summary;
    (void)state;
    for (size_t i = 0; (name = vidmm_check_stage_at(i, &summary)); i++) {
        assert_true(summary[0] != '\0');
        if (strcmp(name, "linked") == 0)
            continue; /* starts nothing where nothing is linked */
        const struct vidmm_stage_result *stage = examine(without_StartDevice, name, NULL);
        assert_int_equal(result.status, VIDMM_CHECK_DRIVER_FAILED);
        assert_non_null(strstr(result.text, "DxgkDdiStartDevice"));
        assert_true(stage->outcome == VIDMM_STAGE_STOPPED || strcmp(name, "memory") == 0);
    }
}

static void a_gpu_that_hangs_stops_a_stage_with_a_sentence(void **state) {
    static const struct vidmm_host_setting hang = {"HangAt", 1};
    static const char *const stages[] = {"paging", "promises", "ranges", "residency"};
    (void)state;
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        const struct vidmm_stage_result *stage = examine(NULL, stages[i], &hang);
        assert_int_not_equal(result.status, VIDMM_CHECK_PASSED);
        assert_int_equal(stage->outcome, VIDMM_STAGE_STOPPED);
        assert_non_null(strstr(stage->text, "the device was lost"));
    }
}

/* ---- Paging buffers -------------------------------------------------------------------------- */

/* Moves nothing and discards nothing that the system does not call idle. */
static NTSTATUS APIENTRY build_idle(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    bool busy =
        (args->Operation == DXGK_OPERATION_TRANSFER && !args->Transfer.Flags.AllocationIsIdle) ||
        (args->Operation == DXGK_OPERATION_DISCARD_CONTENT &&
         !args->DiscardContent.Flags.AllocationIsIdle);
    return busy ? STATUS_GRAPHICS_ALLOCATION_BUSY : good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static void building_idle(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiBuildPagingBuffer = build_idle;
}

static void who_says_busy_is_asked_again_when_it_is_idle(void **state) {
    (void)state;
    assert_int_equal(examine(building_idle, "operations", NULL)->outcome, VIDMM_STAGE_DONE);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_true(result.ledger.kept[161] != 0);
    assert_true(result.ledger.kept[190] != 0); /* DISCARD_CONTENT */
}

/* No buffer is large enough for a fill. */
static NTSTATUS APIENTRY build_no_fill(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_FILL ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER
                                                  : good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static void building_no_fill(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiBuildPagingBuffer = build_no_fill;
}

static void a_whole_buffer_that_is_too_small_ends_the_stage(void **state) {
    (void)state;
    assert_int_equal(examine(building_no_fill, "operations", NULL)->outcome, VIDMM_STAGE_STOPPED);
    assert_int_not_equal(result.status, VIDMM_CHECK_PASSED);
}

/* ---- What is missing ------------------------------------------------------------------------- */

static NTSTATUS APIENTRY say_nothing(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    return args->Type == DXGKQAITYPE_UMDRIVERPRIVATE ? STATUS_INVALID_PARAMETER
                                                     : good.DxgkDdiQueryAdapterInfo(adapter, args);
}

static void speaking_its_own_language(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiQueryAdapterInfo = say_nothing;
}

static void describing_no_surfaces(DRIVER_INITIALIZATION_DATA *table) {
    speaking_its_own_language(table);
    table->DxgkDdiGetStandardAllocationDriverData = NULL;
}

static void what_a_stage_cannot_name_it_leaves_out(void **state) {
    static const char *const stages[] = {"promises", "ranges", "engines"};
    (void)state;
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        const struct vidmm_stage_result *stage =
            examine(speaking_its_own_language, stages[i], NULL);
        assert_int_equal(result.status, VIDMM_CHECK_PASSED);
        assert_int_equal(stage->outcome, strcmp(stages[i], "engines") == 0 ? VIDMM_STAGE_DONE
                                                                           : VIDMM_STAGE_SKIPPED);
        assert_non_null(strstr(stage->text, "vidmm/umd.h"));
    }
    const struct vidmm_stage_result *stage = examine(describing_no_surfaces, "residency", NULL);
    assert_int_equal(stage->outcome, VIDMM_STAGE_SKIPPED);
    assert_non_null(strstr(stage->text, "makes no standard surfaces"));
    stage = examine(describing_no_surfaces, "objects", NULL);
    assert_int_equal(stage->outcome, VIDMM_STAGE_SKIPPED);
    assert_non_null(strstr(stage->text, "no standard surfaces"));
}

static NTSTATUS APIENTRY describe_none(const HANDLE adapter,
                                       DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    (void)adapter;
    (void)args;
    return STATUS_NOT_SUPPORTED;
}

static void refusing_all_surfaces(DRIVER_INITIALIZATION_DATA *table) {
    speaking_its_own_language(table);
    table->DxgkDdiGetStandardAllocationDriverData = describe_none;
}

/* Nothing is wrong with such a driver, and nothing of its paging was seen. */
static void who_refuses_all_surfaces_could_not_be_examined(void **state) {
    static const char *const stages[] = {"paging", "locks", "residency", "memory"};
    (void)state;
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        const struct vidmm_stage_result *stage = examine(refusing_all_surfaces, stages[i], NULL);
        assert_int_equal(result.status, VIDMM_CHECK_PASSED);
        assert_int_equal(stage->outcome, VIDMM_STAGE_SKIPPED);
        assert_non_null(strstr(stage->text, "could not be examined"));
        assert_non_null(strstr(stage->text, "makes no standard surfaces"));
    }
}

static void residency_is_examined_with_the_systems_own_surfaces(void **state) {
    (void)state;
    const struct vidmm_stage_result *stage = examine(speaking_its_own_language, "residency", NULL);
    assert_int_equal(stage->outcome, VIDMM_STAGE_DONE);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_true(result.ledger.kept[284] != 0);
}

static void without_addresses_the_paging_engine_alone_is_reset(void **state) {
    static const struct vidmm_host_setting win8 = {"InterfaceVersion",
                                                   DXGKDDI_INTERFACE_VERSION_WIN8};
    (void)state;
    const struct vidmm_stage_result *stage = examine(NULL, "engines", &win8);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_int_equal(stage->outcome, VIDMM_STAGE_DONE);
    assert_string_equal(stage->text, "in part: the driver has no virtual addresses");
    assert_string_equal(vidmm_check_outcome(&result, 281), "passed");
}

static void without_memory_to_move_things_to_maps_are_examined(void **state) {
    static const struct vidmm_host_setting small = {"VramBytes", 32 * 4096};
    (void)state;
    assert_int_equal(examine(NULL, "preempt", &small)->outcome, VIDMM_STAGE_DONE);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_true(result.ledger.kept[194] != 0); /* MAP_APERTURE_SEGMENT */
    assert_int_equal(examine(NULL, "operations", &small)->outcome, VIDMM_STAGE_DONE);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_true(result.ledger.kept[194] != 0);
}

static NTSTATUS APIENTRY create_as_it_likes(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        args->pAllocationInfo[i].Flags.PermanentSysMem = 0;
    return status;
}

static void honouring_no_permanent_system_memory(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiCreateAllocation = create_as_it_likes;
}

/* A board whose memory the CPU does not see. */
static NTSTATUS APIENTRY refuse_seen_memory(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    const uint32_t both = VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE;
    for (UINT i = 0; i < args->NumAllocations; i++) {
        const struct vidmm_umd_allocation *data = args->pAllocationInfo[i].pPrivateDriverData;
        if (args->pAllocationInfo[i].PrivateDriverDataSize == sizeof(*data) &&
            data->magic == VIDMM_UMD_MAGIC && (data->flags & both) == both)
            return STATUS_INVALID_PARAMETER;
    }
    return good.DxgkDdiCreateAllocation(adapter, args);
}

static void seeing_no_memory(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiCreateAllocation = refuse_seen_memory;
}

/* The same, of a driver that makes them and has the CPU see none of them. */
static NTSTATUS APIENTRY create_unseen(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    const uint32_t both = VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE;
    NTSTATUS status = good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++) {
        const struct vidmm_umd_allocation *data = args->pAllocationInfo[i].pPrivateDriverData;
        if (args->pAllocationInfo[i].PrivateDriverDataSize == sizeof(*data) &&
            data->magic == VIDMM_UMD_MAGIC && (data->flags & both) == both)
            args->pAllocationInfo[i].Flags.CpuVisible = 0;
    }
    return status;
}

static void showing_no_memory(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiCreateAllocation = create_unseen;
}

static void memory_that_is_to_be_seen_may_be_refused(void **state) {
    static const struct vidmm_host_setting levels = {"MmuLevels", 3};
    static const struct vidmm_host_setting *const settings[] = {NULL, &levels};
    void (*const spoils[])(DRIVER_INITIALIZATION_DATA *) = {seeing_no_memory, showing_no_memory};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        examined_spoiled(&result, spoils[i / 2], NULL, settings[i % 2]);
        for (uint32_t k = 0; k < result.stages; k++)
            if (result.stage[k].outcome > VIDMM_STAGE_SKIPPED)
                fail_msg("case %zu, %s: %s", i, result.stage[k].name, result.stage[k].text);
        if (result.status != VIDMM_CHECK_PASSED)
            fail_msg("case %zu: %s; %s", i, result.text,
                     result.ledger.findings ? result.ledger.finding[0].found : "");
    }
}

static void a_flag_that_the_driver_does_not_honour_promises_nothing(void **state) {
    (void)state;
    (void)examine(NULL, "promises", NULL);
    assert_true(result.ledger.kept[108] != 0);
    uint64_t kept = result.ledger.kept[135];
    (void)examine(honouring_no_permanent_system_memory, "promises", NULL);
    assert_int_equal(result.status, VIDMM_CHECK_PASSED);
    assert_int_equal(result.ledger.kept[108], 0);
    assert_int_equal(result.ledger.kept[135], kept); /* the other flags do */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_call_is_named_where_a_stage_needs_it),
        cmocka_unit_test(a_driver_that_does_not_start_stops_each_stage),
        cmocka_unit_test(a_gpu_that_hangs_stops_a_stage_with_a_sentence),
        cmocka_unit_test(who_says_busy_is_asked_again_when_it_is_idle),
        cmocka_unit_test(a_whole_buffer_that_is_too_small_ends_the_stage),
        cmocka_unit_test(what_a_stage_cannot_name_it_leaves_out),
        cmocka_unit_test(who_refuses_all_surfaces_could_not_be_examined),
        cmocka_unit_test(residency_is_examined_with_the_systems_own_surfaces),
        cmocka_unit_test(without_addresses_the_paging_engine_alone_is_reset),
        cmocka_unit_test(a_flag_that_the_driver_does_not_honour_promises_nothing),
        cmocka_unit_test(memory_that_is_to_be_seen_may_be_refused),
        cmocka_unit_test(without_memory_to_move_things_to_maps_are_examined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
