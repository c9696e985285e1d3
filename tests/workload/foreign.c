/*
 * foreign.c - a driver whose private data the player does not know: standard allocations and locks.
 *
 * It is the reference driver with one answer taken away: on its way to the host its table passes
 * through here (the linker's --wrap), and UMDRIVERPRIVATE is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/softgpu.h>
#include <vidmm/workload.h>

static DXGKDDI_QUERYADAPTERINFO *query_adapter_info;
static uint32_t standard_asked;
static DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA *get_standard;

static NTSTATUS APIENTRY refuse_private(const HANDLE hAdapter,
                                        const DXGKARG_QUERYADAPTERINFO *args) {
    if (args->Type == DXGKQAITYPE_UMDRIVERPRIVATE)
        return STATUS_NOT_SUPPORTED;
    return query_adapter_info(hAdapter, args);
}

static NTSTATUS APIENTRY count_standard(const HANDLE hAdapter,
                                        DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    standard_asked++;
    return get_standard(hAdapter, args);
}

NTSTATUS APIENTRY __real_DxgkInitialize(PDRIVER_OBJECT object, PUNICODE_STRING path,
                                        PDRIVER_INITIALIZATION_DATA data);
NTSTATUS APIENTRY __wrap_DxgkInitialize(PDRIVER_OBJECT object, PUNICODE_STRING path,
                                        PDRIVER_INITIALIZATION_DATA data);

NTSTATUS APIENTRY __wrap_DxgkInitialize(PDRIVER_OBJECT object, PUNICODE_STRING path,
                                        PDRIVER_INITIALIZATION_DATA data) {
    query_adapter_info = data->DxgkDdiQueryAdapterInfo;
    get_standard = data->DxgkDdiGetStandardAllocationDriverData;
    data->DxgkDdiQueryAdapterInfo = refuse_private;
    data->DxgkDdiGetStandardAllocationDriverData = count_standard;
    return __real_DxgkInitialize(object, path, data);
}

static void play(uint64_t version, uint64_t vram) {
    const struct vidmm_host_setting settings[] = {{"InterfaceVersion", version},
                                                  {"VramBytes", vram}};
    const struct vidmm_host_config host = {.driver_entry = vidmm_softgpu_entry,
                                           .model = &vidmm_softgpu_model,
                                           .settings = settings,
                                           .setting_count = 2};
    const struct vidmm_play_options options = {.frame_limit = 60};
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    struct vidmm_play_result result;
    struct vidmm_harness harness;
    char text[512];
    if (!vidmm_workload_read(WORKLOADS "/ffmpeg-filters.jsonl.zst", &workload, &error))
        fail_msg("%s", error.text);
    struct vidmm_player *player = vidmm_player_create(&workload);
    const struct vidmm_adapter_config adapter = {.observer = vidmm_player_observer(player)};
    if (vidmm_harness_open(&host, &adapter, &harness, text, sizeof(text)) != VIDMM_HARNESS_OK)
        fail_msg("%s", text);
    if (vidmm_player_run(player, &harness, &options, &result, text, sizeof(text)) != VIDMM_PLAY_OK)
        fail_msg("%s", text);
    assert_int_equal(result.submissions, 60);
    assert_int_equal(result.mismatched_bytes, 0);
    assert_true(result.verified_bytes > 0);
    if (vidmm_harness_close(&harness, text, sizeof(text)) != VIDMM_HARNESS_OK)
        fail_msg("%s", text);
    vidmm_player_destroy(player);
    vidmm_workload_free(&workload);
}

static void gdi_surfaces_stand_in_since_windows_7(void **state) {
    (void)state;
    standard_asked = 0;
    play(DXGKDDI_INTERFACE_VERSION_WDDM2_0, 6u << 20);
    assert_true(standard_asked > 0);
}

static void staging_surfaces_stand_in_before_windows_7(void **state) {
    (void)state;
    standard_asked = 0;
    play(DXGKDDI_INTERFACE_VERSION_VISTA, 6u << 20);
    assert_true(standard_asked > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gdi_surfaces_stand_in_since_windows_7),
        cmocka_unit_test(staging_surfaces_stand_in_before_windows_7),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
