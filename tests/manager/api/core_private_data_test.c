/*
 * What user mode passes on to the driver's other half: escapes, private data of contexts, patch locations, flags.
 */
#include "core_world.h"

static DRIVER_INITIALIZATION_DATA below;
static uint8_t bytes[8]; /* what the driver saw last */
static uint32_t size;
static NTSTATUS answer;

static void see(const void *data, uint32_t count) {
    size = count;
    assert_true(count <= sizeof(bytes));
    memcpy(bytes, data, count);
}

static NTSTATUS APIENTRY escape(const HANDLE adapter, const DXGKARG_ESCAPE *args) {
    (void)adapter;
    see(args->pPrivateDriverData, args->PrivateDriverDataSize);
    *(uint8_t *)args->pPrivateDriverData = 9;
    return answer;
}

static NTSTATUS APIENTRY create_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    see(args->pPrivateDriverData, args->PrivateDriverDataSize);
    return below.DxgkDdiCreateContext(device, args);
}

static NTSTATUS APIENTRY render(const HANDLE context, DXGKARG_RENDER *args) {
    size = args->PatchLocationListInSize;
    if (size != 0)
        bytes[0] = (uint8_t)args->pPatchLocationListIn[size - 1].PatchOffset;
    return below.DxgkDdiRender(context, args);
}

static NTSTATUS APIENTRY patch(const HANDLE adapter, const DXGKARG_PATCH *args) {
    bytes[0] = args->Flags.NullRendering;
    return below.DxgkDdiPatch(adapter, args);
}

static NTSTATUS APIENTRY submit_command(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    bytes[1] = args->Flags.NullRendering;
    return below.DxgkDdiSubmitCommand(adapter, args);
}

static struct world *open_world(struct vidmm_device **device) {
    struct world *world = world_new(64 * KIB, 64 * KIB, 0);
    assert_int_equal(world_start(world), VIDMM_OK);
    *device = world_device(world);
    below = world->ddi;
    answer = STATUS_SUCCESS;
    return world;
}

static void an_escape_reaches_the_driver_and_its_answer_comes_back(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = open_world(&device);
    uint8_t data[4] = {1, 2, 3, 4};
    assert_int_equal(vidmm_escape(device, NULL, 0, data, 4), VIDMM_BAD_ARGUMENT);
    world->ddi.DxgkDdiEscape = escape;
    assert_int_equal(vidmm_escape(device, NULL, 0, data, 4), VIDMM_OK);
    assert_int_equal(size, 4);
    assert_int_equal(bytes[3], 4);
    assert_int_equal(data[0], 9);
    answer = STATUS_INVALID_PARAMETER;
    assert_int_equal(vidmm_escape(device, NULL, 0, data, 4), VIDMM_DRIVER_REFUSED);
    world_end(world);
}

static void private_data_of_a_context_reach_the_driver(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = open_world(&device);
    struct vidmm_context *context = NULL;
    uint8_t data[3] = {5, 6, 7};
    world->ddi.DxgkDdiCreateContext = create_context;
    assert_int_equal(vidmm_context_create_with(device, 0, 0, data, 3, &context), VIDMM_OK);
    assert_int_equal(size, 3);
    assert_int_equal(bytes[2], 7);
    vidmm_context_destroy(context);
    world_end(world);
}

static void patch_locations_of_user_mode_reach_the_driver(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = open_world(&device);
    const D3DDDI_PATCHLOCATIONLIST patches[2] = {{.PatchOffset = 0}, {.PatchOffset = 16}};
    const struct vidmm_submission submission = {
        .commands = "command", .commands_size = 8, .patches = patches, .patch_count = 2};
    struct vidmm_context *context = world_context(device);
    uint64_t fence = 0;
    world->ddi.DxgkDdiRender = render;
    assert_int_equal(vidmm_submit(context, &submission, &fence), VIDMM_OK);
    assert_int_equal(size, 2);
    assert_int_equal(bytes[0], 16);
    world_end(world);
}

static void null_rendering_reaches_the_driver(void **state) {
    (void)state;
    struct vidmm_device *device;
    struct world *world = open_world(&device);
    struct vidmm_context *context = world_context(device);
    uint64_t fence = 0;
    world->ddi.DxgkDdiPatch = patch;
    world->ddi.DxgkDdiSubmitCommand = submit_command;
    for (uint8_t null = 0; null < 2; null++) {
        const struct vidmm_submission submission = {
            .commands = "command", .commands_size = 8, .null_rendering = null != 0};
        assert_int_equal(vidmm_submit(context, &submission, &fence), VIDMM_OK);
        assert_int_equal(bytes[0], null);
        assert_int_equal(bytes[1], null);
    }
    world_end(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_escape_reaches_the_driver_and_its_answer_comes_back),
        cmocka_unit_test(private_data_of_a_context_reach_the_driver),
        cmocka_unit_test(patch_locations_of_user_mode_reach_the_driver),
        cmocka_unit_test(null_rendering_reaches_the_driver),
    };
    return cmocka_run_group_tests_name("core_private_data", tests, NULL, NULL);
}
