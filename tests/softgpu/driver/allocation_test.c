/*
 * allocation_test.c - where the reference driver lets allocations live, what it refuses, and that
 * every failed pool allocation leaves nothing behind.
 */
#include "fixture/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/softgpu.h>

#define MIB (UINT64_C(1) << 20)

/* Segments of this board: 1 aperture, 2 visible VRAM, 3 and 4 invisible VRAM, 5 eviction
 * aperture. */
static const struct vidmm_host_setting board[] = {
    {"VramBytes", 16 * MIB},
    {"VramVisibleBytes", 4 * MIB},
    {"VramSegments", 2},
    {"EvictionApertureBytes", 4 * MIB},
    {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WIN8}};
#define BOARD_SETTINGS 5

#define SET(id) (1u << ((id)-1))

static const struct vidmm_umd_allocation plain = {
    .magic = VIDMM_UMD_MAGIC, .size = 64 << 10, .alignment = 4096};

struct expectation {
    uint32_t flags, segments;
    uint32_t set, first, second, third, eviction; /* set 0: refused */
};

static void sets_follow_the_documented_policy(void **state) {
    static const struct expectation table[] = {
        {0, 0, SET(1), 1, 0, 0, 0},
        {VIDMM_UMD_CPU_VISIBLE, 0, SET(1), 1, 0, 0, 0},
        {VIDMM_UMD_LOCAL, 0, SET(1) | SET(2) | SET(3) | SET(4), 3, 4, 2, 0},
        {VIDMM_UMD_LOCAL_ONLY, 0, SET(2) | SET(3) | SET(4), 3, 4, 2, 0},
        {VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE, 0, SET(1) | SET(2), 2, 1, 0, 0},
        {VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE, 0, SET(2), 2, 0, 0, 0},
        {VIDMM_UMD_LOCAL | VIDMM_UMD_EVICT_TO_APERTURE, SET(2), SET(2), 2, 0, 0, SET(1) | SET(5)},
        {VIDMM_UMD_LOCAL, SET(4) | SET(5), SET(4) | SET(5), 4, 5, 0, 0},
        {0, SET(5), SET(5), 5, 0, 0, 0},
        {0, SET(3), 0, 0, 0, 0, 0},
        {VIDMM_UMD_LOCAL_ONLY, SET(1), 0, 0, 0, 0, 0},
        {VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE, SET(3), 0, 0, 0, 0, 0},
    };
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, board, BOARD_SETTINGS);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct vidmm_umd_allocation umd = plain;
        DXGK_ALLOCATIONINFO info;
        NTSTATUS status;
        umd.flags = table[i].flags;
        umd.segments = table[i].segments;
        HANDLE allocation = fixture_allocate(&fixture, &umd, &info, &status);
        if (table[i].set == 0) {
            assert_int_equal(status, STATUS_INVALID_PARAMETER);
            continue;
        }
        assert_int_equal(status, STATUS_SUCCESS);
        assert_int_equal(info.SupportedReadSegmentSet, table[i].set);
        assert_int_equal(info.SupportedWriteSegmentSet, table[i].set);
        assert_int_equal(info.EvictionSegmentSet, table[i].eviction);
        assert_int_equal(info.PreferredSegment.SegmentId0, table[i].first);
        assert_int_equal(info.PreferredSegment.SegmentId1, table[i].second);
        assert_int_equal(info.PreferredSegment.SegmentId2, table[i].third);
        assert_int_equal(info.Size, plain.size);
        assert_int_equal(info.AllocationPriority, D3DDDI_ALLOCATIONPRIORITY_NORMAL);
        fixture_free(&fixture, allocation);
    }
    fixture_close(&fixture);
}

static void segments_can_become_fewer_and_not_others(void **state) {
    static const struct {
        uint32_t set;
        NTSTATUS answer;
    } wanted[] = {
        {SET(3), STATUS_SUCCESS},           {SET(2) | SET(3) | SET(4), STATUS_SUCCESS},
        {SET(1), STATUS_INVALID_PARAMETER}, {SET(1) | SET(2), STATUS_INVALID_PARAMETER},
        {0, STATUS_INVALID_PARAMETER},
    };
    struct vidmm_host_setting newer[BOARD_SETTINGS];
    struct vidmm_umd_allocation umd = plain;
    DXGK_ALLOCATIONINFO info;
    struct fixture fixture;
    NTSTATUS status;
    (void)state;
    memcpy(newer, board, sizeof(newer));
    newer[BOARD_SETTINGS - 1].value = DXGKDDI_INTERFACE_VERSION_WDDM2_1;
    fixture_open(&fixture, newer, BOARD_SETTINGS);
    umd.flags = VIDMM_UMD_LOCAL_ONLY;
    HANDLE allocation = fixture_allocate(&fixture, &umd, &info, &status);
    assert_int_equal(status, STATUS_SUCCESS);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        DXGKARG_VALIDATEUPDATEALLOCPROPERTY args = {.hAllocation = allocation,
                                                    .SupportedSegmentSet = wanted[i].set};
        args.SetSupportedSegmentSet = 1;
        status = fixture.ddi->DxgkDdiValidateUpdateAllocationProperty(fixture.adapter, &args);
        assert_int_equal(status, wanted[i].answer);
    }
    fixture_free(&fixture, allocation);
    fixture_close(&fixture);
}

/* Of the board's two memory segments the first has the range. */
static void protected_memory_is_asked_for_where_there_is_some(void **state) {
    static const struct {
        uint64_t version, bytes;
        bool there;
    } boards[] = {{DXGKDDI_INTERFACE_VERSION_WDDM2_1, MIB, true},
                  {DXGKDDI_INTERFACE_VERSION_WDDM2_1, 4096, false},
                  {DXGKDDI_INTERFACE_VERSION_WDDM2_0, MIB, false}};
    struct vidmm_umd_allocation umd = plain;
    (void)state;
    umd.flags = VIDMM_UMD_LOCAL | VIDMM_UMD_IN_VPR;
    for (size_t i = 0; i < sizeof(boards) / sizeof(boards[0]); i++) {
        const struct vidmm_host_setting settings[] = {{"VramBytes", 16 * MIB},
                                                      {"VramVisibleBytes", 4 * MIB},
                                                      {"VprBytes", boards[i].bytes},
                                                      {"InterfaceVersion", boards[i].version}};
        DXGK_ALLOCATIONINFO info;
        struct fixture fixture;
        NTSTATUS status;
        fixture_open(&fixture, settings, 4);
        HANDLE allocation = fixture_allocate(&fixture, &umd, &info, &status);
        assert_int_equal(status, STATUS_SUCCESS);
        assert_int_equal(info.FlagsWddm2.CreateInVpr, boards[i].there);
        assert_int_equal(info.SupportedWriteSegmentSet,
                         boards[i].there ? SET(2) : SET(1) | SET(2) | SET(3));
        fixture_free(&fixture, allocation);
        fixture_close(&fixture);
    }
}

static void nonsense_is_refused(void **state) {
    struct vidmm_umd_allocation bad[] = {plain, plain, plain, plain, plain,
                                         plain, plain, plain, plain};
    bad[0].size = 0;
    bad[1].alignment = 3;
    bad[2].flags = VIDMM_UMD_CACHED;
    bad[3].flags = VIDMM_UMD_PERMANENT_SYSMEM;
    bad[4].flags = VIDMM_UMD_LOCAL | VIDMM_UMD_SWIZZLED;           /* without a pitch */
    bad[5].flags = VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_ALTERNATE_VA; /* not a primary */
    bad[6].flags = VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED | VIDMM_UMD_PRIMARY;
    bad[7].size = UINT64_MAX;
    bad[8].flags = VIDMM_UMD_IN_VPR; /* in an aperture */
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, board, BOARD_SETTINGS);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        DXGK_ALLOCATIONINFO info;
        NTSTATUS status;
        assert_null(fixture_allocate(&fixture, &bad[i], &info, &status));
        assert_int_equal(status, STATUS_INVALID_PARAMETER);
    }
    struct vidmm_umd_allocation stranger = plain;
    DXGK_ALLOCATIONINFO info;
    NTSTATUS status;
    stranger.magic = 1;
    assert_null(fixture_allocate(&fixture, &stranger, &info, &status));
    assert_int_equal(status, STATUS_GRAPHICS_DRIVER_MISMATCH);
    fixture_close(&fixture);
}

static void creation_is_all_or_nothing(void **state) {
    struct vidmm_umd_allocation data[3] = {plain, plain, plain};
    DXGK_ALLOCATIONINFO info[3] = {0};
    DXGKARG_CREATEALLOCATION create = {.NumAllocations = 3, .pAllocationInfo = info};
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, board, BOARD_SETTINGS);
    for (int i = 0; i < 3; i++) {
        info[i].pPrivateDriverData = &data[i];
        info[i].PrivateDriverDataSize = sizeof(data[i]);
    }
    data[2].size = 0;
    assert_int_equal(fixture.ddi->DxgkDdiCreateAllocation(fixture.adapter, &create),
                     STATUS_INVALID_PARAMETER);
    fixture_close(&fixture); /* says so if the first two were left */
}

static void flags_of_the_version_only(void **state) {
    static const struct {
        uint32_t version;
        uint32_t swizzled, alternate, physical;
    } table[] = {{DXGKDDI_INTERFACE_VERSION_WIN7, 1, 1, 0},
                 {DXGKDDI_INTERFACE_VERSION_WDDM1_3, 1, 1, 0},
                 {DXGKDDI_INTERFACE_VERSION_WDDM2_0, 1, 0, 1},
                 {DXGKDDI_INTERFACE_VERSION_WDDM3_2, 0, 0, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const struct vidmm_host_setting settings[] = {{"InterfaceVersion", table[i].version}};
        struct vidmm_umd_allocation umd = plain;
        DXGK_ALLOCATIONINFO info;
        struct fixture fixture;
        fixture_open(&fixture, settings, 1);
        umd.flags = VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_PRIMARY |
                    VIDMM_UMD_SWIZZLED | VIDMM_UMD_ALTERNATE_VA;
        umd.pitch = 512;
        HANDLE allocation = fixture_allocate(&fixture, &umd, &info, NULL);
        assert_non_null(allocation);
        assert_int_equal(info.Flags.Swizzled, table[i].swizzled);
        assert_int_equal(info.Flags.UseAlternateVA, table[i].alternate);
        assert_int_equal(info.Flags.AccessedPhysically, table[i].physical);
        fixture_free(&fixture, allocation);
        fixture_close(&fixture);
    }
}

static void standard_allocations_can_be_created_and_described(void **state) {
    D3DKMDT_SHAREDPRIMARYSURFACEDATA primary = {
        .Width = 800, .Height = 600, .Format = D3DDDIFMT_A8R8G8B8};
    DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA get = {
        .StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE,
        .pCreateSharedPrimarySurfaceData = &primary};
    unsigned char data[256];
    DXGK_ALLOCATIONINFO info = {0};
    DXGKARG_CREATEALLOCATION create = {.NumAllocations = 1, .pAllocationInfo = &info};
    DXGKARG_DESCRIBEALLOCATION describe = {0};
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, board, BOARD_SETTINGS);
    assert_int_equal(fixture.ddi->DxgkDdiGetStandardAllocationDriverData(fixture.adapter, &get), 0);
    assert_true(get.AllocationPrivateDriverDataSize <= sizeof(data));
    get.pAllocationPrivateDriverData = data;
    assert_int_equal(fixture.ddi->DxgkDdiGetStandardAllocationDriverData(fixture.adapter, &get), 0);
    info.pPrivateDriverData = data;
    info.PrivateDriverDataSize = get.AllocationPrivateDriverDataSize;
    assert_int_equal(fixture.ddi->DxgkDdiCreateAllocation(fixture.adapter, &create), 0);
    assert_true(info.Size >= 800u * 600u * 4u);
    describe.hAllocation = info.hAllocation;
    assert_int_equal(fixture.ddi->DxgkDdiDescribeAllocation(fixture.adapter, &describe), 0);
    assert_int_equal(describe.Width, 800);
    assert_int_equal(describe.Height, 600);
    assert_int_equal(describe.Format, D3DDDIFMT_A8R8G8B8);
    fixture_free(&fixture, info.hAllocation);
    fixture_close(&fixture);
}

static void surfaces_for_another_adapter_have_its_pitch_and_height(void **state) {
    const D3DKMDT_GDISURFACETYPE types[] = {D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER,
                                            D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE_CROSSADAPTER};
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, board, BOARD_SETTINGS);
    for (UINT i = 0; i < 2; i++) {
        D3DKMDT_GDISURFACEDATA surface = {
            .Width = 33, .Height = 5, .Format = D3DDDIFMT_A8R8G8B8, .Type = types[i]};
        unsigned char made[256];
        DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA get = {
            .StandardAllocationType = D3DKMDT_STANDARDALLOCATION_GDISURFACE,
            .pCreateGdiSurfaceData = &surface,
            .pAllocationPrivateDriverData = made,
            .AllocationPrivateDriverDataSize = sizeof(made)};
        DXGK_ALLOCATIONINFO info = {.pPrivateDriverData = made};
        DXGKARG_CREATEALLOCATION create = {.NumAllocations = 1, .pAllocationInfo = &info};
        assert_int_equal(fixture.ddi->DxgkDdiGetStandardAllocationDriverData(fixture.adapter, &get),
                         0);
        assert_int_equal(surface.Pitch, 256);
        info.PrivateDriverDataSize = get.AllocationPrivateDriverDataSize;
        assert_int_equal(fixture.ddi->DxgkDdiCreateAllocation(fixture.adapter, &create), 0);
        assert_true(info.Size >= 256u * 8u);
        assert_int_equal(info.Flags.CpuVisible, i);
        assert_int_equal(info.Flags.Cached, 0);
        fixture_free(&fixture, info.hAllocation);
    }
    fixture_close(&fixture);
}

/* ---- Failures -------------------------------------------------------------------------------- */

static void *handle_data(void *ctx, const DXGKARGCB_GETHANDLEDATA *data) {
    (void)data;
    return *(HANDLE *)ctx;
}

/* One of everything that takes memory; gives up, tidily, at the first refusal. */
static void use_driver(struct vidmm_host *host) {
    const DRIVER_INITIALIZATION_DATA *ddi = vidmm_host_ddi(host);
    HANDLE adapter = vidmm_host_adapter(host), opened = NULL;
    struct vidmm_host_sink sink = {.ctx = &opened, .handle_data = handle_data};
    struct vidmm_umd_allocation data[2] = {plain, plain};
    DXGK_ALLOCATIONINFO info[2] = {
        {.pPrivateDriverData = &data[0], .PrivateDriverDataSize = sizeof(data[0])},
        {.pPrivateDriverData = &data[1], .PrivateDriverDataSize = sizeof(data[1])}};
    DXGKARG_CREATEALLOCATION create = {.NumAllocations = 2, .pAllocationInfo = info};
    DXGKARG_CREATEDEVICE device = {0};
    DXGKARG_CREATECONTEXT context = {0};
    vidmm_host_set_sink(host, &sink);
    if (NT_SUCCESS(ddi->DxgkDdiCreateDevice(adapter, &device))) {
        if (NT_SUCCESS(ddi->DxgkDdiCreateContext(device.hDevice, &context)))
            assert_int_equal(ddi->DxgkDdiDestroyContext(context.hContext), 0);
        if (NT_SUCCESS(ddi->DxgkDdiCreateAllocation(adapter, &create))) {
            HANDLE handles[2] = {info[0].hAllocation, info[1].hAllocation};
            DXGK_OPENALLOCATIONINFO open_info[2] = {0};
            DXGKARG_OPENALLOCATION open = {.NumAllocations = 2, .pOpenAllocation = open_info};
            DXGKARG_DESTROYALLOCATION destroy = {.NumAllocations = 2, .pAllocationList = handles};
            opened = handles[0];
            if (NT_SUCCESS(ddi->DxgkDdiOpenAllocation(device.hDevice, &open))) {
                HANDLE list[2] = {open_info[0].hDeviceSpecificAllocation,
                                  open_info[1].hDeviceSpecificAllocation};
                DXGKARG_CLOSEALLOCATION close = {.NumAllocations = 2, .pOpenHandleList = list};
                assert_int_equal(ddi->DxgkDdiCloseAllocation(device.hDevice, &close), 0);
            }
            assert_int_equal(ddi->DxgkDdiDestroyAllocation(adapter, &destroy), 0);
        }
        assert_int_equal(ddi->DxgkDdiDestroyDevice(device.hDevice), 0);
    }
}

static void every_failed_allocation_leaves_nothing_behind(void **state) {
    bool failed = true;
    (void)state;
    for (uint64_t n = 1; failed; n++) {
        struct vidmm_host_config config = {.driver_entry = vidmm_softgpu_entry,
                                           .model = &vidmm_softgpu_model,
                                           .settings = board,
                                           .setting_count = BOARD_SETTINGS,
                                           .memory_bytes = 64 * MIB,
                                           .fail_at = n};
        struct vidmm_host_error error = {0};
        struct vidmm_host *host;
        if (!vidmm_host_create(&config, &host, &error)) {
            assert_string_not_equal(error.text, "");
            continue;
        }
        if (vidmm_host_start(host, &error)) {
            use_driver(host);
            assert_true(vidmm_host_stop(host, &error));
        }
        failed = vidmm_host_failed_once(host);
        assert_int_equal(vidmm_host_violations(host), 0);
        if (!vidmm_host_destroy(host, &error))
            fail_msg("allocation %llu: %s", (unsigned long long)n, error.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_follow_the_documented_policy),
        cmocka_unit_test(segments_can_become_fewer_and_not_others),
        cmocka_unit_test(protected_memory_is_asked_for_where_there_is_some),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(creation_is_all_or_nothing),
        cmocka_unit_test(flags_of_the_version_only),
        cmocka_unit_test(standard_allocations_can_be_created_and_described),
        cmocka_unit_test(surfaces_for_another_adapter_have_its_pitch_and_height),
        cmocka_unit_test(every_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
