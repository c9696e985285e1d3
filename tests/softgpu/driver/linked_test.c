/*
 * linked_test.c - linked boards as the system drives them: each call, query and report is about the
 * board that its index names, and no other notices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "fixture/vm.h"

#define BOARDS 2u
#define MIB    (UINT64_C(1) << 20)
#define VRAM   (16 * MIB)
#define LESS   (12 * MIB) /* of the second */
#define RENDER 0u
#define PAGING 1u
#define TOKEN  ((HANDLE)(uintptr_t)0x7171)

static const struct vidmm_host_setting plain[] = {{"VramBytes", VRAM}, {"LinkedVram", LESS}};
static const struct vidmm_host_setting mapped[] = {
    {"VramBytes", VRAM}, {"LinkedVram", LESS}, {"MmuLevels", 4}};

struct chain {
    struct fixture fixture;
    HANDLE device, context[BOARDS]; /* the system's, a paging context on each */
};

static void chain_open(struct chain *chain, const struct vidmm_host_setting *settings,
                       uint32_t count) {
    memset(chain, 0, sizeof(*chain));
    fixture_link(BOARDS);
    fixture_open(&chain->fixture, settings, count);
    const DRIVER_INITIALIZATION_DATA *ddi = chain->fixture.ddi;
    DXGKARG_CREATEDEVICE device = {.hDevice = TOKEN};
    device.Flags.SystemDevice = 1;
    assert_int_equal(ddi->DxgkDdiCreateDevice(chain->fixture.adapter, &device), STATUS_SUCCESS);
    chain->device = device.hDevice;
    for (uint32_t i = 0; i < BOARDS; i++) {
        DXGKARG_CREATECONTEXT context = {
            .hContext = TOKEN, .NodeOrdinal = PAGING, .EngineAffinity = 1u << i};
        context.Flags.SystemContext = 1;
        assert_int_equal(ddi->DxgkDdiCreateContext(chain->device, &context), STATUS_SUCCESS);
        chain->context[i] = context.hContext;
    }
}

static void chain_close(struct chain *chain) {
    const DRIVER_INITIALIZATION_DATA *ddi = chain->fixture.ddi;
    for (uint32_t i = 0; i < BOARDS; i++)
        assert_int_equal(ddi->DxgkDdiDestroyContext(chain->context[i]), STATUS_SUCCESS);
    assert_int_equal(ddi->DxgkDdiDestroyDevice(chain->device), STATUS_SUCCESS);
    fixture_close(&chain->fixture);
}

/* ---- Who leads ------------------------------------------------------------------------------- */

static void only_linked_boards_answer_how_they_are_linked(void **state) {
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, plain, 2);
    assert_null(fixture.ddi->DxgkDdiLinkDevice);
    fixture_close(&fixture);
    fixture_link(BOARDS);
    fixture_open(&fixture, plain, 2);
    assert_non_null(fixture.ddi->DxgkDdiLinkDevice);
    fixture_close(&fixture);
}

/* The registry and the board disagree. */
static void a_board_without_the_rest_of_its_chain_does_not_start(void **state) {
    const struct vidmm_host_setting settings[] = {{"Linked", BOARDS}};
    (void)state;
    assert_false(fixture_starts(settings, 1));
    fixture_link(BOARDS);
    assert_true(fixture_starts(settings, 1));
    assert_true(fixture_starts(plain, 2));
}

/* ---- Queries --------------------------------------------------------------------------------- */

static NTSTATUS ask(struct fixture *fixture, DXGK_QUERYADAPTERINFOTYPE type, void *in,
                    uint32_t in_size, void *out, uint32_t out_size) {
    DXGKARG_QUERYADAPTERINFO query = {.Type = type,
                                      .pInputData = in,
                                      .InputDataSize = in_size,
                                      .pOutputData = out,
                                      .OutputDataSize = out_size};
    return fixture->ddi->DxgkDdiQueryAdapterInfo(fixture->adapter, &query);
}

static NTSTATUS ask_caps(struct fixture *fixture, uint32_t physical,
                         DXGK_PHYSICALADAPTERCAPS *caps) {
    DXGK_QUERYPHYSICALADAPTERCAPSIN in = {physical};
    memset(caps, 0, sizeof(*caps));
    return ask(fixture, DXGKQAITYPE_PHYSICALADAPTERCAPS, &in, sizeof(in), caps, sizeof(*caps));
}

#define SEGMENTS 8u

/* The segments of a board, so many; 0: refused. */
static uint32_t segments_of(struct fixture *fixture, uint32_t physical,
                            DXGK_SEGMENTDESCRIPTOR4 descriptor[SEGMENTS]) {
    DXGK_QUERYSEGMENTIN4 in = {physical};
    DXGK_QUERYSEGMENTOUT4 out = {.SegmentDescriptorStride = sizeof(descriptor[0])};
    if (ask(fixture, DXGKQAITYPE_QUERYSEGMENT4, &in, sizeof(in), &out, sizeof(out)) !=
        STATUS_SUCCESS)
        return 0;
    assert_true(out.NbSegment <= SEGMENTS);
    out.pSegmentDescriptor = (BYTE *)descriptor;
    assert_int_equal(ask(fixture, DXGKQAITYPE_QUERYSEGMENT4, &in, sizeof(in), &out, sizeof(out)),
                     STATUS_SUCCESS);
    return out.NbSegment;
}

/* Bytes of all memory segments; 0: refused. */
static uint64_t memory_of(struct fixture *fixture, uint32_t physical) {
    DXGK_SEGMENTDESCRIPTOR4 descriptor[SEGMENTS];
    uint32_t segments = segments_of(fixture, physical, descriptor);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < segments; i++)
        if (!descriptor[i].Flags.Aperture)
            bytes += descriptor[i].Size;
    return bytes;
}

static void each_query_answers_for_the_board_that_it_names(void **state) {
    struct chain chain;
    DXGK_PHYSICALADAPTERCAPS caps[BOARDS + 1];
    (void)state;
    chain_open(&chain, plain, 2);
    for (uint32_t i = 0; i < BOARDS; i++) {
        assert_int_equal(ask_caps(&chain.fixture, i, &caps[i]), STATUS_SUCCESS);
        assert_non_null(caps[i].DxgkPhysicalAdapterHandle);
        assert_int_equal(caps[i].NumExecutionNodes, 2);
    }
    assert_ptr_not_equal(caps[0].DxgkPhysicalAdapterHandle, caps[1].DxgkPhysicalAdapterHandle);
    assert_int_equal(ask_caps(&chain.fixture, BOARDS, &caps[BOARDS]), STATUS_INVALID_PARAMETER);
    assert_int_equal(memory_of(&chain.fixture, 0), VRAM);
    assert_int_equal(memory_of(&chain.fixture, 1), LESS);
    assert_int_equal(memory_of(&chain.fixture, BOARDS), 0);
    chain_close(&chain);
}

/* The level and the board are a WORD each. */
static void a_level_is_described_for_each_board(void **state) {
    struct chain chain;
    (void)state;
    chain_open(&chain, mapped, 3);
    for (uint32_t i = 0; i <= BOARDS; i++) {
        DXGK_QUERYGPUMMUCAPSIN caps_of = {i};
        DXGK_GPUMMUCAPS caps = {0};
        NTSTATUS expected = i < BOARDS ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
        assert_int_equal(ask(&chain.fixture, DXGKQAITYPE_GPUMMUCAPS, &caps_of, sizeof(caps_of),
                             &caps, sizeof(caps)),
                         expected);
        for (WORD level = 0; level <= 4; level++) {
            DXGK_QUERYPAGETABLELEVELDESCIN in = {level, (WORD)i};
            DXGK_PAGE_TABLE_LEVEL_DESC desc = {0};
            NTSTATUS status = ask(&chain.fixture, DXGKQAITYPE_PAGETABLELEVELDESC, &in, sizeof(in),
                                  &desc, sizeof(desc));
            assert_int_equal(status, level < 4 ? expected : STATUS_INVALID_PARAMETER);
            if (status == STATUS_SUCCESS)
                assert_int_equal(desc.PageTableIndexBitCount, 9);
        }
    }
    chain_close(&chain);
}

static void a_node_is_described_for_each_board(void **state) {
    struct chain chain;
    (void)state;
    chain_open(&chain, mapped, 3);
    for (uint32_t i = 0; i <= BOARDS; i++)
        for (uint32_t node = 0; node <= 2; node++) {
            DXGKARG_GETNODEMETADATA data;
            NTSTATUS status = chain.fixture.ddi->DxgkDdiGetNodeMetadata(chain.fixture.adapter,
                                                                        i << 16 | node, &data);
            assert_int_equal(status,
                             i < BOARDS && node < 2 ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER);
        }
    chain_close(&chain);
}

/* ---- Allocations ----------------------------------------------------------------------------- */

static void an_allocation_has_the_home_that_it_asked_for(void **state) {
    struct chain chain;
    DXGK_ALLOCATIONINFO info;
    NTSTATUS status;
    (void)state;
    chain_open(&chain, plain, 2);
    for (uint32_t i = 0; i <= BOARDS; i++) {
        const struct vidmm_umd_allocation umd = {.magic = VIDMM_UMD_MAGIC,
                                                 .flags = VIDMM_UMD_LOCAL | VIDMM_UMD_PHYSICAL(i),
                                                 .size = MIB};
        HANDLE allocation = fixture_allocate(&chain.fixture, &umd, &info, &status);
        assert_int_equal(status, i < BOARDS ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER);
        if (!allocation)
            continue;
        assert_int_equal(info.PhysicalAdapterIndex, i);
        fixture_free(&chain.fixture, allocation);
    }
    chain_close(&chain);
}

/* ---- Work ------------------------------------------------------------------------------------ */

static DXGKARG_SUBMITCOMMAND submission(struct chain *chain, uint32_t physical, uint32_t used) {
    struct fixture *fixture = &chain->fixture;
    DXGKARG_SUBMITCOMMAND submit = {.hContext = chain->context[physical],
                                    .DmaBufferSize = FIXTURE_BUFFER,
                                    .DmaBufferSubmissionEndOffset = used,
                                    .SubmissionFenceId = ++fixture->fence,
                                    .EngineOrdinal = physical,
                                    .NodeOrdinal = PAGING};
    submit.DmaBufferPhysicalAddress.QuadPart =
        (LONGLONG)(MmGetMdlPfnArray(fixture->buffer)[0] * FIXTURE_PAGE);
    submit.Flags.Paging = 1;
    return submit;
}

/* One operation on a board, which reports it complete. */
static void page_on(struct chain *chain, uint32_t physical, DXGKARG_BUILDPAGINGBUFFER *args) {
    struct fixture *fixture = &chain->fixture;
    uint32_t used;
    args->hSystemContext = chain->context[physical];
    assert_int_equal(fixture_build(fixture, args, FIXTURE_BUFFER, &used), STATUS_SUCCESS);
    const DXGKARG_SUBMITCOMMAND submit = submission(chain, physical, used);
    assert_int_equal(fixture->ddi->DxgkDdiSubmitCommand(fixture->adapter, &submit), STATUS_SUCCESS);
    vidmm_host_run(fixture->host);
    assert_int_equal(fixture->completed, fixture->fence);
    assert_int_equal(fixture->completed_physical, physical);
    assert_int_equal(fixture->completed_node, PAGING);
}

static uint32_t word_at(struct chain *chain, uint32_t physical, uint64_t address) {
    const uint32_t *at = vidmm_host_peek(chain->fixture.host, physical, address, sizeof(*at));
    assert_non_null(at);
    return *at;
}

static void fill_each(struct chain *chain, uint64_t *address) {
    struct fixture_segment memory;
    uint32_t segment = fixture_find(&chain->fixture, 0x7, 0x4, &memory);
    *address = memory.base + MIB;
    for (uint32_t i = 0; i < BOARDS; i++) {
        DXGKARG_BUILDPAGINGBUFFER args =
            fixture_fill(segment, *address, FIXTURE_PAGE, 0x11111111u * (i + 1));
        page_on(chain, i, &args);
    }
}

static void paging_is_done_by_the_board_whose_context_it_has(void **state) {
    struct chain chain;
    uint64_t address;
    (void)state;
    chain_open(&chain, plain, 2);
    fill_each(&chain, &address);
    for (uint32_t i = 0; i < BOARDS; i++)
        assert_int_equal(word_at(&chain, i, address), 0x11111111u * (i + 1));
    chain_close(&chain);
}

static void each_board_counts_its_own_fences(void **state) {
    struct chain chain;
    uint64_t address;
    (void)state;
    chain_open(&chain, plain, 2);
    fill_each(&chain, &address);
    for (uint32_t i = 0; i <= BOARDS; i++) {
        DXGKARG_QUERYCURRENTFENCE query = {.NodeOrdinal = PAGING, .EngineOrdinal = i};
        NTSTATUS status =
            chain.fixture.ddi->DxgkDdiQueryCurrentFence(chain.fixture.adapter, &query);
        assert_int_equal(status, i < BOARDS ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER);
        if (status == STATUS_SUCCESS)
            assert_int_equal(query.CurrentFence, i + 1);
    }
    chain_close(&chain);
}

static void no_context_and_no_work_is_for_a_board_that_is_not_there(void **state) {
    struct chain chain;
    (void)state;
    chain_open(&chain, plain, 2);
    DXGKARG_CREATECONTEXT context = {.hContext = TOKEN, .EngineAffinity = 1u << BOARDS};
    assert_int_equal(chain.fixture.ddi->DxgkDdiCreateContext(chain.device, &context),
                     STATUS_INVALID_PARAMETER);
    DXGKARG_SUBMITCOMMAND submit = submission(&chain, 0, 0);
    submit.EngineOrdinal = BOARDS;
    assert_int_equal(chain.fixture.ddi->DxgkDdiSubmitCommand(chain.fixture.adapter, &submit),
                     STATUS_INVALID_PARAMETER);
    chain_close(&chain);
}

/* ---- Resets ---------------------------------------------------------------------------------- */

static void an_engine_is_reset_on_its_board_alone(void **state) {
    struct chain chain;
    DXGKARG_RESETENGINE reset = {.NodeOrdinal = PAGING, .EngineOrdinal = 1};
    (void)state;
    chain_open(&chain, plain, 2);
    for (uint32_t i = 0; i < BOARDS; i++) {
        const DXGKARG_SUBMITCOMMAND submit = submission(&chain, i, 0);
        assert_int_equal(chain.fixture.ddi->DxgkDdiSubmitCommand(chain.fixture.adapter, &submit),
                         STATUS_SUCCESS);
    }
    assert_int_equal(chain.fixture.ddi->DxgkDdiResetEngine(chain.fixture.adapter, &reset),
                     STATUS_SUCCESS);
    vidmm_host_run(chain.fixture.host);
    /* The first board's work went on and was reported last. */
    assert_int_equal(chain.fixture.completed_physical, 0);
    assert_int_equal(chain.fixture.completed, 1);
    reset.EngineOrdinal = BOARDS;
    assert_int_equal(chain.fixture.ddi->DxgkDdiResetEngine(chain.fixture.adapter, &reset),
                     STATUS_INVALID_PARAMETER);
    chain_close(&chain);
}

static void a_reset_of_the_adapter_resets_all_boards(void **state) {
    struct chain chain;
    uint64_t address;
    (void)state;
    chain_open(&chain, plain, 2);
    fill_each(&chain, &address);
    assert_int_equal(chain.fixture.ddi->DxgkDdiResetFromTimeout(chain.fixture.adapter),
                     STATUS_SUCCESS);
    for (uint32_t i = 0; i < BOARDS; i++)
        assert_int_equal(word_at(&chain, i, address), 0);
    assert_int_equal(chain.fixture.ddi->DxgkDdiRestartFromTimeout(chain.fixture.adapter),
                     STATUS_SUCCESS);
    fill_each(&chain, &address);
    chain_close(&chain);
}

/* ---- Memory of a peer ------------------------------------------------------------------------ */

static void an_entry_may_name_memory_of_another_board(void **state) {
    static struct vm vm;
    struct vm_space space;
    const DXGK_PTE away = {.PhysicalAdapterIndex = 1};
    const uint64_t va = 64 * MIB;
    (void)state;
    fixture_link(BOARDS);
    vm_open(&vm, mapped, 3);
    vm_space_make(&vm, &space, 0x8181);
    struct vm_place place = vm_local(&vm, FIXTURE_PAGE, FIXTURE_PAGE);
    for (uint32_t i = 0; i < 3; i++)
        vm_map(&space, va + i * FIXTURE_PAGE, place, false, i == 1 ? away.Flags : 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct vidmm_hw_translation got = vm_translate(&space, va + i * FIXTURE_PAGE + 8);
        assert_true(got.valid);
        assert_int_equal(got.physical, i == 1);
        assert_int_equal(got.address, vm_physical(&vm, place) + 8);
    }
    /* A board that is not there has no memory; system memory is everywhere. */
    const DXGK_PTE nowhere = {.PhysicalAdapterIndex = BOARDS};
    vm_map(&space, va, place, false, nowhere.Flags);
    assert_false(vm_translate(&space, va).valid);
    struct vm_place page = vm_system_page(&vm);
    vm_map(&space, va, page, false, away.Flags);
    assert_int_equal(vm_translate(&space, va).address, page.offset);
    vm_space_drop(&space);
    vm_close(&vm);
}

/* ---- The CPU host aperture ------------------------------------------------------------------- */

static void a_page_of_the_host_aperture_shows_its_own_board(void **state) {
    static const struct vidmm_host_setting settings[] = {
        {"VramBytes", VRAM}, {"VramVisibleBytes", 4 * MIB}, {"CpuHostApertureBytes", MIB}};
    struct chain chain;
    struct fixture_segment memory;
    UINT32 aperture = 3;
    UINT64 page = 5;
    (void)state;
    chain_open(&chain, settings, 3);
    uint32_t segment = fixture_find(&chain.fixture, 0x5, 0, &memory);
    DXGKARG_MAPCPUHOSTAPERTURE map = {.SegmentId = (WORD)segment,
                                      .NumberOfPages = 1,
                                      .pCpuHostAperturePages = &aperture,
                                      .pMemorySegmentPages = &page};
    for (uint32_t i = 0; i <= BOARDS; i++) {
        map.PhysicalAdapterIndex = (WORD)i;
        assert_int_equal(chain.fixture.ddi->DxgkDdiMapCpuHostAperture(chain.fixture.adapter, &map),
                         i < BOARDS ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER);
    }
    for (uint32_t i = 0; i < BOARDS; i++) {
        DXGK_SEGMENTDESCRIPTOR4 descriptor[SEGMENTS];
        assert_true(segments_of(&chain.fixture, i, descriptor) >= segment);
        uint64_t at = descriptor[segment - 1].CpuHostAperture.PhysicalAddress;
        uint32_t *word =
            vidmm_host_io(chain.fixture.host, at + aperture * (uint64_t)FIXTURE_PAGE, FIXTURE_PAGE);
        assert_non_null(word);
        *word = 41 + i;
    }
    for (uint32_t i = 0; i < BOARDS; i++)
        assert_int_equal(word_at(&chain, i, memory.base + page * FIXTURE_PAGE), 41 + i);
    chain_close(&chain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_linked_boards_answer_how_they_are_linked),
        cmocka_unit_test(a_board_without_the_rest_of_its_chain_does_not_start),
        cmocka_unit_test(each_query_answers_for_the_board_that_it_names),
        cmocka_unit_test(a_level_is_described_for_each_board),
        cmocka_unit_test(a_node_is_described_for_each_board),
        cmocka_unit_test(an_allocation_has_the_home_that_it_asked_for),
        cmocka_unit_test(paging_is_done_by_the_board_whose_context_it_has),
        cmocka_unit_test(each_board_counts_its_own_fences),
        cmocka_unit_test(no_context_and_no_work_is_for_a_board_that_is_not_there),
        cmocka_unit_test(an_engine_is_reset_on_its_board_alone),
        cmocka_unit_test(a_reset_of_the_adapter_resets_all_boards),
        cmocka_unit_test(an_entry_may_name_memory_of_another_board),
        cmocka_unit_test(a_page_of_the_host_aperture_shows_its_own_board),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
