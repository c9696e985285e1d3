/*
 * vidpn_test.c - video present networks as a driver sees them: paths, sets of modes, what is pinned in them, handles
 * that are wrong; and what of them a driver has kept.
 */
#include "fixture/tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include <vidmm/vidpn.h>

#define TARGET 7u

static struct vidmm_host *host;
static struct vidmm_vidpn *network;
static D3DKMDT_HVIDPN handle;
static const DXGK_VIDPN_INTERFACE *vidpn;

static int set_up(void **state) {
    static const D3DDDI_VIDEO_PRESENT_TARGET_ID targets[] = {3, TARGET};
    const struct vidmm_host_config config = tiny_config();
    (void)state;
    host = tiny_up(&config);
    network = vidmm_vidpn_create(host, 2, targets, 2);
    handle = vidmm_vidpn_handle(network);
    return tiny.dxgkrnl.DxgkCbQueryVidPnInterface(handle, DXGK_VIDPN_INTERFACE_VERSION_V1, &vidpn);
}

static int tear_down(void **state) {
    struct vidmm_host_error error;
    (void)state;
    vidmm_vidpn_destroy(network);
    return tiny_down(host, &error) ? 0 : -1;
}

static uint32_t kept(void) {
    struct vidmm_vidpn_kept out;
    uint32_t count = 0;
    while (vidmm_vidpn_kept(network, count, &out))
        count++;
    return count;
}

/* ---- Networks and paths ---------------------------------------------------------------------- */

static void only_networks_that_are_there_have_an_interface(void **state) {
    const DXGK_VIDPN_INTERFACE *other;
    (void)state;
    assert_int_equal(tiny.dxgkrnl.DxgkCbQueryVidPnInterface(
                         (D3DKMDT_HVIDPN)(void *)&other, DXGK_VIDPN_INTERFACE_VERSION_V1, &other),
                     STATUS_GRAPHICS_INVALID_VIDPN);
    assert_null(other);
    assert_int_equal(tiny.dxgkrnl.DxgkCbQueryVidPnInterface(
                         handle, DXGK_VIDPN_INTERFACE_VERSION_UNINITIALIZED, &other),
                     STATUS_NOT_SUPPORTED);
    assert_int_equal(
        tiny.dxgkrnl.DxgkCbQueryVidPnInterface(handle, DXGK_VIDPN_INTERFACE_VERSION_V1, NULL),
        STATUS_INVALID_PARAMETER);
}

static const DXGK_VIDPNTOPOLOGY_INTERFACE *paths_of(D3DKMDT_HVIDPNTOPOLOGY *topology) {
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths;
    assert_int_equal(vidpn->pfnGetTopology(handle, topology, &paths), STATUS_SUCCESS);
    return paths;
}

static NTSTATUS connect(D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                        D3DDDI_VIDEO_PRESENT_TARGET_ID target) {
    D3DKMDT_HVIDPNTOPOLOGY topology;
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths = paths_of(&topology);
    D3DKMDT_VIDPN_PRESENT_PATH *path;
    assert_int_equal(paths->pfnCreateNewPathInfo(topology, &path), STATUS_SUCCESS);
    path->VidPnSourceId = source;
    path->VidPnTargetId = target;
    NTSTATUS status = paths->pfnAddPath(topology, path);
    if (status != STATUS_SUCCESS)
        assert_int_equal(paths->pfnReleasePathInfo(topology, path), STATUS_SUCCESS);
    return status;
}

static void paths_lead_from_sources_to_targets(void **state) {
    D3DKMDT_HVIDPNTOPOLOGY topology;
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths = paths_of(&topology);
    const D3DKMDT_VIDPN_PRESENT_PATH *first, *next;
    D3DDDI_VIDEO_PRESENT_TARGET_ID target;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source;
    SIZE_T count;
    (void)state;
    assert_int_equal(paths->pfnAcquireFirstPathInfo(topology, &first),
                     STATUS_GRAPHICS_DATASET_IS_EMPTY);
    assert_int_equal(connect(0, TARGET), STATUS_SUCCESS);
    assert_int_equal(connect(0, 3), STATUS_SUCCESS);
    assert_int_equal(connect(1, 3), STATUS_GRAPHICS_PATH_ALREADY_IN_TOPOLOGY);
    assert_int_equal(paths->pfnGetNumPathsFromSource(topology, 0, &count), STATUS_SUCCESS);
    assert_int_equal(count, 2);
    assert_int_equal(paths->pfnEnumPathTargetsFromSource(topology, 0, 1, &target), STATUS_SUCCESS);
    assert_int_equal(target, 3);
    assert_int_equal(paths->pfnEnumPathTargetsFromSource(topology, 1, 0, &target),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(paths->pfnGetPathSourceFromTarget(topology, TARGET, &source), STATUS_SUCCESS);
    assert_int_equal(source, 0);
    assert_int_equal(paths->pfnAcquireFirstPathInfo(topology, &first), STATUS_SUCCESS);
    assert_int_equal(paths->pfnAcquireNextPathInfo(topology, first, &next), STATUS_SUCCESS);
    assert_int_equal(next->VidPnTargetId, 3);
    assert_int_equal(kept(), 2);
    assert_int_equal(paths->pfnReleasePathInfo(topology, first), STATUS_SUCCESS);
    assert_int_equal(paths->pfnReleasePathInfo(topology, first),
                     STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH);
    assert_int_equal(paths->pfnReleasePathInfo(topology, next), STATUS_SUCCESS);
    assert_int_equal(paths->pfnRemovePath(topology, 0, TARGET), STATUS_SUCCESS);
    assert_int_equal(paths->pfnGetNumPaths(topology, &count), STATUS_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(kept(), 0);
}

/* ---- Modes ----------------------------------------------------------------------------------- */

/* A new set of source 0 with `count` modes of which the first is `id` (0: as it came). */
static D3DKMDT_HVIDPNSOURCEMODESET make_set(uint32_t count, UINT id) {
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *modes;
    D3DKMDT_HVIDPNSOURCEMODESET set;
    assert_int_equal(vidpn->pfnCreateNewSourceModeSet(handle, 0, &set, &modes), STATUS_SUCCESS);
    for (uint32_t i = 0; i < count; i++) {
        D3DKMDT_VIDPN_SOURCE_MODE *mode;
        assert_int_equal(modes->pfnCreateNewModeInfo(set, &mode), STATUS_SUCCESS);
        assert_int_equal(mode->Type, D3DKMDT_RMT_UNINITIALIZED);
        if (id != 0)
            mode->Id = id + i;
        assert_int_equal(modes->pfnAddMode(set, mode), STATUS_SUCCESS);
    }
    return set;
}

static const D3DKMDT_VIDPN_SOURCE_MODE *pinned_mode(UINT pin) {
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *modes;
    D3DKMDT_HVIDPNSOURCEMODESET set;
    const D3DKMDT_VIDPN_SOURCE_MODE *mode;
    assert_int_equal(vidpn->pfnAcquireSourceModeSet(handle, 0, &set, &modes), STATUS_SUCCESS);
    if (pin != 0)
        assert_int_equal(modes->pfnPinMode(set, pin), STATUS_SUCCESS);
    assert_int_equal(modes->pfnAcquirePinnedModeInfo(set, &mode), STATUS_SUCCESS);
    if (mode)
        assert_int_equal(modes->pfnReleaseModeInfo(set, mode), STATUS_SUCCESS);
    assert_int_equal(vidpn->pfnReleaseSourceModeSet(handle, set), STATUS_SUCCESS);
    return mode;
}

static void a_set_is_assigned_and_a_mode_of_it_pinned(void **state) {
    (void)state;
    assert_null(pinned_mode(0));
    assert_int_equal(vidpn->pfnAssignSourceModeSet(handle, 0, make_set(3, 0)), STATUS_SUCCESS);
    assert_int_equal(vidmm_vidpn_source_changes(network, 0), 1);
    assert_int_equal(vidmm_vidpn_source_changes(network, 1), 0);
    assert_null(pinned_mode(0));
    assert_int_equal(pinned_mode(2)->Id, 2);
    assert_int_equal(kept(), 0);
}

static void a_pinned_mode_stays_in_the_set(void **state) {
    (void)state;
    assert_int_equal(vidpn->pfnAssignSourceModeSet(handle, 0, make_set(1, 5)), STATUS_SUCCESS);
    assert_non_null(pinned_mode(5));
    assert_int_equal(vidpn->pfnAssignSourceModeSet(handle, 0, make_set(1, 6)),
                     STATUS_GRAPHICS_PINNED_MODE_MUST_REMAIN_IN_SET);
    assert_int_equal(vidpn->pfnAssignSourceModeSet(handle, 0, make_set(2, 4)), STATUS_SUCCESS);
    assert_int_equal(pinned_mode(0)->Id, 5);
    assert_int_equal(kept(), 0); /* the set that was refused was released, too */
}

static void a_set_of_no_modes_or_of_another_source_is_refused(void **state) {
    (void)state;
    assert_int_equal(vidpn->pfnAssignSourceModeSet(handle, 0, make_set(0, 0)),
                     STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET);
    assert_int_equal(vidpn->pfnAssignSourceModeSet(handle, 1, make_set(1, 0)),
                     STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET);
    assert_int_equal(kept(), 0);
    D3DKMDT_HVIDPNSOURCEMODESET set = make_set(1, 0);
    assert_int_equal(vidpn->pfnAssignSourceModeSet(handle, 9, set),
                     STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE);
    assert_int_equal(kept(), 1); /* which set was meant is not known: it stays the driver's */
    assert_int_equal(vidpn->pfnReleaseSourceModeSet(handle, set), STATUS_SUCCESS);
}

static void targets_have_sets_of_their_own(void **state) {
    const DXGK_VIDPNTARGETMODESET_INTERFACE *modes;
    D3DKMDT_HVIDPNTARGETMODESET set;
    D3DKMDT_VIDPN_TARGET_MODE *mode;
    SIZE_T count;
    (void)state;
    assert_int_equal(vidpn->pfnAcquireTargetModeSet(handle, 0, &set, &modes),
                     STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET);
    assert_int_equal(vidpn->pfnCreateNewTargetModeSet(handle, TARGET, &set, &modes),
                     STATUS_SUCCESS);
    assert_int_equal(modes->pfnCreateNewModeInfo(set, &mode), STATUS_SUCCESS);
    assert_int_equal(modes->pfnAddMode(set, mode), STATUS_SUCCESS);
    assert_int_equal(modes->pfnCreateNewModeInfo(set, &mode), STATUS_SUCCESS);
    mode->VideoSignalInfo.VSyncFreq.Numerator = 60;
    assert_int_equal(modes->pfnAddMode(set, mode),
                     STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET_MODE);
    assert_true(vidmm_host_violations(host) != 0);
    assert_non_null(strstr(vidmm_host_violation(host, 0), "VSyncFreq is 60 / 0"));
    assert_int_equal(modes->pfnGetNumModes(set, &count), STATUS_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(
        vidpn->pfnReleaseSourceModeSet(handle, (D3DKMDT_HVIDPNSOURCEMODESET)(void *)set),
        STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET);
    assert_int_equal(vidpn->pfnAssignTargetModeSet(handle, TARGET, set), STATUS_SUCCESS);
    assert_int_equal(vidmm_vidpn_target_changes(network, TARGET), 1);
    assert_int_equal(kept(), 0);
}

/* ---- What is kept ---------------------------------------------------------------------------- */

static void what_is_kept_is_named_by_its_function(void **state) {
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *modes;
    D3DKMDT_HVIDPNSOURCEMODESET set;
    D3DKMDT_VIDPN_SOURCE_MODE *mode;
    struct vidmm_vidpn_kept out;
    (void)state;
    assert_int_equal(vidpn->pfnAcquireSourceModeSet(handle, 1, &set, &modes), STATUS_SUCCESS);
    assert_int_equal(vidpn->pfnAcquireSourceModeSet(handle, 1, &set, &modes), STATUS_SUCCESS);
    assert_int_equal(modes->pfnCreateNewModeInfo(set, &mode), STATUS_SUCCESS);
    assert_int_equal(vidpn->pfnReleaseSourceModeSet(handle, set), STATUS_SUCCESS);
    assert_int_equal(kept(), 2);
    assert_true(vidmm_vidpn_kept(network, 0, &out));
    assert_string_equal(out.function, "pfnAcquireSourceModeSet");
    assert_true(vidmm_vidpn_kept(network, 1, &out));
    assert_string_equal(out.function, "pfnCreateNewModeInfo");
    vidmm_vidpn_forgive(network);
    assert_int_equal(kept(), 0);
}

#define WITH_NETWORK(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_NETWORK(only_networks_that_are_there_have_an_interface),
        WITH_NETWORK(paths_lead_from_sources_to_targets),
        WITH_NETWORK(a_set_is_assigned_and_a_mode_of_it_pinned),
        WITH_NETWORK(a_pinned_mode_stays_in_the_set),
        WITH_NETWORK(a_set_of_no_modes_or_of_another_source_is_refused),
        WITH_NETWORK(targets_have_sets_of_their_own),
        WITH_NETWORK(what_is_kept_is_named_by_its_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
