/*
 * render_test.c - commands of a user-mode driver through Render, Patch and SubmitCommand: what they
 * write and find, how they are split, and what is refused.
 */
#include "fixture/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/pattern.h>

#define MIB     (UINT64_C(1) << 20)
#define SURFACE 0u
#define RESULT  1u

static const struct vidmm_host_setting board[] = {
    {"VramBytes", 16 * MIB},
    {"ApertureBytes", 16 * MIB},
    {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WIN8},
};

/* Two allocations in VRAM, opened, and a context. */
struct scene {
    struct fixture fixture;
    HANDLE device, context, handle[2], opened[2];
    DXGK_ALLOCATIONLIST list[2];
    D3DDDI_PATCHLOCATIONLIST patch[64];
    uint64_t address[2];
};

static void open_allocation(struct scene *scene, uint32_t i,
                            const struct vidmm_umd_allocation *umd) {
    DXGK_ALLOCATIONINFO info;
    DXGK_OPENALLOCATIONINFO open_info = {.hAllocation = i + 1};
    DXGKARG_OPENALLOCATION open = {.NumAllocations = 1, .pOpenAllocation = &open_info};
    scene->handle[i] = fixture_allocate(&scene->fixture, umd, &info, NULL);
    assert_non_null(scene->handle[i]);
    scene->fixture.opening = scene->handle[i];
    assert_int_equal(scene->fixture.ddi->DxgkDdiOpenAllocation(scene->device, &open), 0);
    assert_non_null(open_info.hDeviceSpecificAllocation);
    scene->opened[i] = open_info.hDeviceSpecificAllocation;
}

static void scene_open(struct scene *scene, uint32_t flags, uint32_t pitch) {
    struct vidmm_umd_allocation surface = {
        .magic = VIDMM_UMD_MAGIC, .flags = flags, .size = 40 * FIXTURE_PAGE, .pitch = pitch};
    struct vidmm_umd_allocation result = {
        .magic = VIDMM_UMD_MAGIC, .flags = VIDMM_UMD_LOCAL, .size = FIXTURE_PAGE};
    struct fixture_segment vram;
    DXGKARG_CREATEDEVICE device = {0};
    DXGKARG_CREATECONTEXT context = {0};
    memset(scene, 0, sizeof(*scene));
    fixture_open(&scene->fixture, board, 3);
    assert_int_equal(scene->fixture.ddi->DxgkDdiCreateDevice(scene->fixture.adapter, &device), 0);
    scene->device = device.hDevice;
    assert_int_equal(scene->fixture.ddi->DxgkDdiCreateContext(scene->device, &context), 0);
    scene->context = context.hContext;
    open_allocation(scene, SURFACE, &surface);
    open_allocation(scene, RESULT, &result);
    uint32_t id = fixture_find(&scene->fixture, 1, 0, &vram);
    DXGKARG_BUILDPAGINGBUFFER fill = fixture_fill(id, vram.base, 64 * FIXTURE_PAGE, 0);
    assert_int_equal(fixture_page(&scene->fixture, &fill, FIXTURE_PAGE), 0);
    for (uint32_t i = 0; i < 2; i++) {
        scene->address[i] = vram.base + (i == SURFACE ? 3 : 50) * FIXTURE_PAGE;
        scene->list[i].hDeviceSpecificAllocation = scene->opened[i];
        scene->list[i].WriteOperation = 1;
        scene->list[i].SegmentId = id & 31u;
        scene->list[i].PhysicalAddress.QuadPart = (LONGLONG)scene->address[i];
    }
}

static void scene_close(struct scene *scene) {
    DXGKARG_CLOSEALLOCATION close = {.NumAllocations = 2, .pOpenHandleList = scene->opened};
    assert_int_equal(scene->fixture.ddi->DxgkDdiCloseAllocation(scene->device, &close), 0);
    for (uint32_t i = 0; i < 2; i++)
        fixture_free(&scene->fixture, scene->handle[i]);
    assert_int_equal(scene->fixture.ddi->DxgkDdiDestroyContext(scene->context), 0);
    assert_int_equal(scene->fixture.ddi->DxgkDdiDestroyDevice(scene->device), 0);
    fixture_close(&scene->fixture);
}

static DXGKARG_RENDER render_args(struct scene *scene, const struct vidmm_umd_command *commands,
                                  uint32_t count) {
    DXGKARG_RENDER args = {0};
    args.pCommand = commands;
    args.CommandLength = count * (uint32_t)sizeof(*commands);
    args.pAllocationList = scene->list;
    args.AllocationListSize = 2;
    return args;
}

/* One Render call into `size` bytes and `patches` patch locations. */
static NTSTATUS render(struct scene *scene, DXGKARG_RENDER *args, uint32_t size, uint32_t patches,
                       uint32_t *used, uint32_t *patched) {
    memset(scene->fixture.buffer_cpu, 0xa5, size + 8);
    args->pDmaBuffer = scene->fixture.buffer_cpu;
    args->DmaSize = size;
    args->pPatchLocationListOut = scene->patch;
    args->PatchLocationListOutSize = patches;
    NTSTATUS status = scene->fixture.ddi->DxgkDdiRender(scene->context, args);
    *used = (uint32_t)((unsigned char *)args->pDmaBuffer - scene->fixture.buffer_cpu);
    *patched = (uint32_t)(args->pPatchLocationListOut - scene->patch);
    assert_true(*used <= size && *patched <= patches);
    for (uint32_t i = *used; i < size + 8; i++)
        assert_int_equal(scene->fixture.buffer_cpu[i], 0xa5);
    for (uint32_t i = 1; i < *patched; i++)
        assert_true(scene->patch[i].SplitOffset > scene->patch[i - 1].SplitOffset);
    return status;
}

static void patch_and_submit(struct scene *scene, uint32_t used, uint32_t patched) {
    DXGKARG_PATCH patch = {0};
    DXGKARG_SUBMITCOMMAND submit = {0};
    LONGLONG address = (LONGLONG)(MmGetMdlPfnArray(scene->fixture.buffer)[0] * FIXTURE_PAGE);
    patch.pDmaBuffer = scene->fixture.buffer_cpu;
    patch.DmaBufferSize = FIXTURE_BUFFER;
    patch.DmaBufferSubmissionEndOffset = used;
    patch.pAllocationList = scene->list;
    patch.AllocationListSize = 2;
    patch.pPatchLocationList = scene->patch;
    patch.PatchLocationListSize = patched;
    patch.PatchLocationListSubmissionLength = patched;
    assert_int_equal(scene->fixture.ddi->DxgkDdiPatch(scene->fixture.adapter, &patch), 0);
    submit.DmaBufferPhysicalAddress.QuadPart = address;
    submit.DmaBufferSize = FIXTURE_BUFFER;
    submit.DmaBufferSubmissionEndOffset = used;
    submit.SubmissionFenceId = ++scene->fixture.fence;
    assert_int_equal(scene->fixture.ddi->DxgkDdiSubmitCommand(scene->fixture.adapter, &submit), 0);
    vidmm_host_run(scene->fixture.host);
    assert_int_equal(scene->fixture.faulted, 0);
    assert_int_equal(scene->fixture.completed, scene->fixture.fence);
}

static void run_commands(struct scene *scene, const struct vidmm_umd_command *commands,
                         uint32_t count, uint32_t size) {
    DXGKARG_RENDER args = render_args(scene, commands, count);
    NTSTATUS status;
    do {
        uint32_t used, patched;
        status = render(scene, &args, size, 64, &used, &patched);
        assert_true(used != 0);
        patch_and_submit(scene, used, patched);
    } while (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
    assert_int_equal(status, STATUS_SUCCESS);
}

static struct vidmm_umd_command command(uint32_t opcode, uint32_t page, uint32_t pages,
                                        uint32_t version) {
    struct vidmm_umd_command out = {.opcode = opcode,
                                    .index = SURFACE,
                                    .oracle = 77,
                                    .page = page,
                                    .pages = pages,
                                    .version = version,
                                    .result = RESULT};
    return out;
}

static struct vidmm_umd_result result_of(struct scene *scene) {
    struct vidmm_umd_result result;
    memcpy(&result, vidmm_host_peek(scene->fixture.host, 0, scene->address[RESULT], sizeof(result)),
           sizeof(result));
    return result;
}

/* ---- What it does ---------------------------------------------------------------------------- */

static void stamps_are_found_again_by_checks(void **state) {
    static const uint32_t pitches[] = {0, 512, 1024, 3584};
    (void)state;
    for (size_t i = 0; i < sizeof(pitches) / sizeof(pitches[0]); i++) {
        struct scene scene;
        const struct vidmm_umd_command commands[] = {
            command(VIDMM_UMD_STAMP, 0, 40, 1), command(VIDMM_UMD_NOP, 0, 0, 0),
            command(VIDMM_UMD_STAMP, 7, 5, 2),  command(VIDMM_UMD_SPIN, 0, 9, 0),
            command(VIDMM_UMD_CHECK, 0, 7, 1),  command(VIDMM_UMD_CHECK, 7, 5, 2),
            command(VIDMM_UMD_CHECK, 12, 28, 1)};
        scene_open(&scene, VIDMM_UMD_LOCAL | (pitches[i] != 0 ? VIDMM_UMD_SWIZZLED : 0),
                   pitches[i]);
        run_commands(&scene, commands, 7, FIXTURE_PAGE);
        struct vidmm_umd_result result = result_of(&scene);
        assert_int_equal(result.checked_bytes, 40 * FIXTURE_PAGE);
        assert_int_equal(result.wrong_pages, 0);
        scene_close(&scene);
    }
}

static void checks_name_the_first_wrong_byte(void **state) {
    struct scene scene;
    const struct vidmm_umd_command stamp = command(VIDMM_UMD_STAMP, 0, 40, 1);
    const struct vidmm_umd_command check = command(VIDMM_UMD_CHECK, 0, 40, 1);
    (void)state;
    scene_open(&scene, VIDMM_UMD_LOCAL, 0);
    run_commands(&scene, &stamp, 1, FIXTURE_PAGE);
    DXGKARG_BUILDPAGINGBUFFER args =
        fixture_fill(2, scene.address[SURFACE] + 9 * FIXTURE_PAGE + 100, 1, 0);
    assert_int_equal(fixture_page(&scene.fixture, &args, FIXTURE_PAGE), 0);
    args = fixture_fill(2, scene.address[SURFACE] + 20 * FIXTURE_PAGE, FIXTURE_PAGE, 0);
    assert_int_equal(fixture_page(&scene.fixture, &args, FIXTURE_PAGE), 0);
    run_commands(&scene, &check, 1, FIXTURE_PAGE);
    struct vidmm_umd_result result = result_of(&scene);
    assert_int_equal(result.wrong_pages, 2);
    assert_int_equal(result.first_oracle, 77);
    assert_int_equal(result.first_page, 9);
    assert_int_equal(result.first_byte, 100);
    scene_close(&scene);
}

static void tiled_surfaces_are_swizzled_in_and_unswizzled_out(void **state) {
    static const uint32_t sizes[] = {72, 128, 200, FIXTURE_PAGE};
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct scene scene;
        const struct vidmm_umd_command check = command(VIDMM_UMD_CHECK, 0, 40, 1);
        const struct vidmm_umd_command stamp = command(VIDMM_UMD_STAMP, 3, 30, 2);
        scene_open(&scene, VIDMM_UMD_LOCAL | VIDMM_UMD_SWIZZLED, 1536);
        const struct vidmm_os *os = scene.fixture.os;
        PMDL mdl = os->pages_alloc(os->ctx, 40, 0, UINT64_MAX);
        for (size_t p = 0; p < 40; p++)
            vidmm_pattern_write(fixture_mdl_page(&scene.fixture, mdl, p),
                                vidmm_pattern_key(77, p, 1));
        DXGKARG_BUILDPAGINGBUFFER in =
            fixture_in(scene.handle[SURFACE], 2, scene.address[SURFACE], 40 * FIXTURE_PAGE, mdl);
        in.Transfer.Flags.Swizzle = 1;
        assert_int_equal(fixture_page(&scene.fixture, &in, sizes[i]), 0);
        /* Tiled memory is not linear memory. */
        const void *first =
            vidmm_host_peek(scene.fixture.host, 0, scene.address[SURFACE], FIXTURE_PAGE);
        assert_int_not_equal(vidmm_pattern_check(first, vidmm_pattern_key(77, 0, 1)), FIXTURE_PAGE);
        run_commands(&scene, &check, 1, FIXTURE_PAGE);
        assert_int_equal(result_of(&scene).wrong_pages, 0);
        assert_int_equal(result_of(&scene).checked_bytes, 40 * FIXTURE_PAGE);
        run_commands(&scene, &stamp, 1, FIXTURE_PAGE);
        DXGKARG_BUILDPAGINGBUFFER out =
            fixture_out(scene.handle[SURFACE], 2, scene.address[SURFACE], 40 * FIXTURE_PAGE, mdl);
        out.Transfer.Flags.Unswizzle = 1;
        assert_int_equal(fixture_page(&scene.fixture, &out, sizes[i]), 0);
        for (size_t p = 0; p < 40; p++)
            assert_int_equal(
                vidmm_pattern_check(fixture_mdl_page(&scene.fixture, mdl, p),
                                    vidmm_pattern_key(77, p, p >= 3 && p < 33 ? 2 : 1)),
                FIXTURE_PAGE);
        os->pages_free(os->ctx, mdl);
        scene_close(&scene);
    }
}

static void sub_transfers_of_a_tiled_surface_fit_together(void **state) {
    struct scene scene;
    const struct vidmm_umd_command check = command(VIDMM_UMD_CHECK, 0, 40, 1);
    (void)state;
    scene_open(&scene, VIDMM_UMD_LOCAL | VIDMM_UMD_SWIZZLED, 2048);
    const struct vidmm_os *os = scene.fixture.os;
    PMDL mdl = os->pages_alloc(os->ctx, 40, 0, UINT64_MAX);
    for (size_t p = 0; p < 40; p++)
        vidmm_pattern_write(fixture_mdl_page(&scene.fixture, mdl, p), vidmm_pattern_key(77, p, 1));
    for (uint32_t at = 0; at < 40; at += 5) {
        DXGKARG_BUILDPAGINGBUFFER in =
            fixture_in(scene.handle[SURFACE], 2, scene.address[SURFACE], 5 * FIXTURE_PAGE, mdl);
        in.Transfer.Flags.Swizzle = 1;
        in.Transfer.Flags.TransferStart = at == 0;
        in.Transfer.Flags.TransferEnd = at == 35;
        in.Transfer.TransferOffset = at * FIXTURE_PAGE;
        in.Transfer.MdlOffset = at;
        assert_int_equal(fixture_page(&scene.fixture, &in, 88), 0);
    }
    run_commands(&scene, &check, 1, FIXTURE_PAGE);
    assert_int_equal(result_of(&scene).wrong_pages, 0);
    os->pages_free(os->ctx, mdl);
    scene_close(&scene);
}

/* ---- Splitting and refusing ------------------------------------------------------------------ */

static void command_buffers_are_split_where_the_dma_buffer_ends(void **state) {
    static const uint32_t sizes[] = {72, 100, 144, 300};
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct scene scene;
        struct vidmm_umd_command commands[30];
        scene_open(&scene, VIDMM_UMD_LOCAL, 0);
        for (uint32_t c = 0; c < 15; c++) {
            commands[c] = command(VIDMM_UMD_STAMP, 2 * c, 2, c + 1);
            commands[15 + c] = command(VIDMM_UMD_CHECK, 2 * c, 2, c + 1);
        }
        run_commands(&scene, commands, 30, sizes[i]);
        assert_int_equal(result_of(&scene).checked_bytes, 30 * FIXTURE_PAGE);
        assert_int_equal(result_of(&scene).wrong_pages, 0);
        scene_close(&scene);
    }
}

static void no_room_is_insufficient_and_writes_nothing(void **state) {
    struct scene scene;
    const struct vidmm_umd_command check = command(VIDMM_UMD_CHECK, 0, 1, 1);
    (void)state;
    scene_open(&scene, VIDMM_UMD_LOCAL, 0);
    for (uint32_t size = 0; size <= FIXTURE_PAGE; size += size < 63 ? 1 : FIXTURE_PAGE - 63) {
        DXGKARG_RENDER args = render_args(&scene, &check, 1);
        uint32_t used, patched;
        NTSTATUS status = render(&scene, &args, size, size <= 63 ? 64 : 1, &used, &patched);
        assert_int_equal(status, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
        assert_int_equal(used + patched + args.MultipassOffset, 0);
    }
    scene_close(&scene);
}

static void bad_commands_are_refused(void **state) {
    struct vidmm_umd_command bad[] = {
        command(99, 0, 1, 1),
        command(VIDMM_UMD_STAMP, 40, 1, 1),
        command(VIDMM_UMD_STAMP, 0, 41, 1),
        command(VIDMM_UMD_CHECK, UINT32_MAX, 1, 1),
        command(VIDMM_UMD_CHECK, 1, UINT32_MAX, 1),
        command(VIDMM_UMD_STAMP, 0, 1, 1),
        command(VIDMM_UMD_CHECK, 0, 1, 1),
    };
    struct scene scene;
    (void)state;
    scene_open(&scene, VIDMM_UMD_LOCAL, 0);
    bad[5].index = 2;
    bad[6].result = UINT32_MAX;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        DXGKARG_RENDER args = render_args(&scene, &bad[i], 1);
        uint32_t used, patched;
        NTSTATUS status = render(&scene, &args, FIXTURE_PAGE, 64, &used, &patched);
        assert_true(status == STATUS_ILLEGAL_INSTRUCTION || status == STATUS_INVALID_PARAMETER ||
                    status == STATUS_INVALID_HANDLE);
        assert_int_equal(used, 0);
    }
    DXGKARG_RENDER args = render_args(&scene, bad, 1);
    uint32_t used, patched;
    args.CommandLength = 7;
    assert_int_equal(render(&scene, &args, FIXTURE_PAGE, 64, &used, &patched),
                     STATUS_INVALID_USER_BUFFER);
    /* Writing to what is listed as only read. */
    bad[0] = command(VIDMM_UMD_STAMP, 0, 1, 1);
    scene.list[SURFACE].WriteOperation = 0;
    args = render_args(&scene, bad, 1);
    assert_int_equal(render(&scene, &args, FIXTURE_PAGE, 64, &used, &patched),
                     STATUS_INVALID_HANDLE);
    scene_close(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stamps_are_found_again_by_checks),
        cmocka_unit_test(checks_name_the_first_wrong_byte),
        cmocka_unit_test(tiled_surfaces_are_swizzled_in_and_unswizzled_out),
        cmocka_unit_test(sub_transfers_of_a_tiled_surface_fit_together),
        cmocka_unit_test(command_buffers_are_split_where_the_dma_buffer_ends),
        cmocka_unit_test(no_room_is_insufficient_and_writes_nothing),
        cmocka_unit_test(bad_commands_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
