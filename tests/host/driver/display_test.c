/*
 * display_test.c - what the host does around displays: drivers that only display, the boot display
 * that is handed back instead of stopped, and the configuration space of a hardware model.
 */
#include <vidmm/host.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static DXGKRNL_INTERFACE dxgkrnl;
static bool says_so; /* DXGK_DRIVERCAPS.SupportNonVGA */
static NTSTATUS answer;
static uint32_t stopped, given_back, left_target;
static DXGK_DISPLAY_INFORMATION left;

/* ---- A driver -------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY add(const PDEVICE_OBJECT device, PVOID *context) {
    *context = device;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY start(const PVOID context, PDXGK_START_INFO info,
                               PDXGKRNL_INTERFACE interface, PULONG sources, PULONG children) {
    (void)context;
    (void)info;
    dxgkrnl = *interface;
    *sources = *children = 1;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY stop(const PVOID context) {
    (void)context;
    stopped++;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY remove_device(const PVOID context) {
    (void)context;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY query(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    (void)adapter;
    if (args->Type == DXGKQAITYPE_DRIVERCAPS && args->OutputDataSize == sizeof(DXGK_DRIVERCAPS))
        ((DXGK_DRIVERCAPS *)args->pOutputData)->SupportNonVGA = says_so;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY give_back(PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                   PDXGK_DISPLAY_INFORMATION info) {
    (void)context;
    assert_int_equal(target, left_target);
    assert_non_null(info);
    given_back++;
    *info = left;
    return answer;
}

static NTSTATUS NTAPI enter(PDRIVER_OBJECT driver, PUNICODE_STRING path) {
    DRIVER_INITIALIZATION_DATA table = {.Version = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
                                        .DxgkDdiAddDevice = add,
                                        .DxgkDdiStartDevice = start,
                                        .DxgkDdiStopDevice = stop,
                                        .DxgkDdiRemoveDevice = remove_device,
                                        .DxgkDdiQueryAdapterInfo = query};
    table.DxgkDdiStopDeviceAndReleasePostDisplayOwnership = give_back;
    return DxgkInitialize(driver, path, &table);
}

static NTSTATUS APIENTRY commit(const HANDLE adapter, const DXGKARG_COMMITVIDPN *const args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI enter_displaying(PDRIVER_OBJECT driver, PUNICODE_STRING path) {
    KMDDOD_INITIALIZATION_DATA table = {.Version = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
                                        .DxgkDdiAddDevice = add,
                                        .DxgkDdiStartDevice = start,
                                        .DxgkDdiStopDevice = stop,
                                        .DxgkDdiRemoveDevice = remove_device,
                                        .DxgkDdiCommitVidPn = commit};
    return DxgkInitializeDisplayOnlyDriver(driver, path, &table);
}

/* ---- Its hardware ---------------------------------------------------------------------------- */

static _Alignas(4096) unsigned char memory[4096];
static unsigned char subclass;

static void *create(const struct vidmm_hw_host *host, struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    (void)host;
    bars[0] = (struct vidmm_hw_bar){VIDMM_HW_BAR_MEMORY, sizeof(memory), memory};
    return memory;
}

static void destroy(void *hw) {
    (void)hw;
}

static void configure(void *hw, unsigned char *space) {
    (void)hw;
    space[0] = 0x77;
    space[10] = subclass;
    space[0x34] = 0x40;
}

static bool step(void *hw, uint32_t engine) {
    (void)hw;
    (void)engine;
    return false;
}

static const struct vidmm_hw_model model = {.name = "display",
                                            .create = create,
                                            .destroy = destroy,
                                            .configure = configure,
                                            .engines = 1,
                                            .step = step};

/* ---- Tests ----------------------------------------------------------------------------------- */

static struct vidmm_host *up(DRIVER_INITIALIZE *entry, const struct vidmm_hw_model *hardware) {
    const struct vidmm_host_config config = {
        .driver_entry = entry, .model = hardware, .memory_bytes = (uint64_t)16 << 20};
    struct vidmm_host *host = NULL;
    struct vidmm_host_error error;
    stopped = given_back = 0;
    assert_true(vidmm_host_create(&config, &host, &error));
    assert_true(vidmm_host_start(host, &error));
    return host;
}

static void down(struct vidmm_host *host) {
    struct vidmm_host_error error;
    assert_true(vidmm_host_stop(host, &error));
    assert_true(vidmm_host_destroy(host, &error));
}

static void a_driver_may_only_display(void **state) {
    DXGK_DISPLAY_INFORMATION picture;
    (void)state;
    struct vidmm_host *host = up(enter_displaying, NULL);
    assert_true(vidmm_host_displays_only(host));
    assert_null((void *)(uintptr_t)vidmm_host_ddi(host)->DxgkDdiCreateAllocation);
    assert_non_null((void *)(uintptr_t)vidmm_host_ddi(host)->DxgkDdiCommitVidPn);
    assert_int_equal(dxgkrnl.DxgkCbAcquirePostDisplayOwnership(dxgkrnl.DeviceHandle, &picture), 0);
    assert_int_equal(picture.Width, 1024);
    PVOID pixels = MmMapIoSpaceEx(picture.PhysicAddress, picture.Pitch * picture.Height,
                                  PAGE_READWRITE | PAGE_WRITECOMBINE);
    assert_non_null(pixels);
    memset(pixels, 1, picture.Pitch * picture.Height);
    MmUnmapIoSpace(pixels, picture.Pitch * picture.Height);
    down(host);
    assert_int_equal(stopped, 1);
}

static void the_boot_display_is_handed_back(void **state) {
    (void)state;
    says_so = true;
    answer = STATUS_SUCCESS;
    down(up(enter, NULL));
    assert_int_equal(given_back, 1);
    assert_int_equal(stopped, 0);
    answer = STATUS_NOT_SUPPORTED; /* then it has to stop */
    down(up(enter, NULL));
    assert_int_equal(given_back, 1);
    assert_int_equal(stopped, 1);
    says_so = false;
    down(up(enter, NULL));
    assert_int_equal(given_back, 0);
    assert_int_equal(stopped, 1);
}

/* What is said of a driver that answers with `left` when a mode of a target is left; "": nothing. */
static const char *said_of_left(void) {
    static char said[256];
    struct vidmm_host_error error;
    struct vidmm_host *host = up(enter, &model);
    assert_true(vidmm_host_leave_display(host, left_target));
    assert_true(vidmm_host_stop(host, &error));
    assert_int_equal(given_back, 1);
    const char *violation = vidmm_host_violations(host) != 0 ? vidmm_host_violation(host, 0) : "";
    snprintf(said, sizeof(said), "%s", violation);
    (void)vidmm_host_destroy(host, &error);
    return said;
}

static void a_frame_buffer_that_is_left_is_one_of_the_cpu(void **state) {
    (void)state;
    says_so = true;
    answer = STATUS_SUCCESS;
    subclass = PCI_SUBCLASS_VID_VGA_CTLR;
    left_target = 7;
    left = (DXGK_DISPLAY_INFORMATION){
        .Width = 32, .Height = 16, .Pitch = 128, .ColorFormat = D3DDDIFMT_X8R8G8B8};
    left.PhysicAddress.QuadPart = 1 << 20; /* of the system */
    assert_string_equal(said_of_left(), "");
    left.Height = 1u << 24; /* and its end is not */
    assert_non_null(strstr(said_of_left(), "PhysicAddress"));
    left.Height = 16;
    left.PhysicAddress.QuadPart = (LONGLONG)1 << 60;
    assert_non_null(strstr(said_of_left(), "PhysicAddress"));
    left.Pitch = 96;
    assert_non_null(strstr(said_of_left(), "Pitch 96"));
    left.ColorFormat = D3DDDIFMT_UNKNOWN;
    assert_non_null(strstr(said_of_left(), "ColorFormat"));
    left.Width = left.Height = 0; /* none */
    assert_string_equal(said_of_left(), "");
    left_target = 0;
    left.Width = left.Height = 16;
    down(up(enter, &model)); /* no mode was set */
    memset(&left, 0, sizeof(left));
    says_so = false;
    struct vidmm_host *host = up(enter, NULL);
    assert_false(vidmm_host_leave_display(host, 7));
    down(host);
}

static void another_display_is_stopped(void **state) {
    (void)state;
    says_so = true;
    answer = STATUS_SUCCESS;
    subclass = PCI_SUBCLASS_VID_OTHER;
    down(up(enter, &model));
    subclass = PCI_SUBCLASS_VID_VGA_CTLR;
    assert_int_equal(given_back, 0);
    assert_int_equal(stopped, 1);
}

static void a_model_has_its_configuration_space(void **state) {
    PCI_COMMON_HEADER header;
    DXGK_DEVICE_INFO info;
    ULONG bytes = 0;
    (void)state;
    struct vidmm_host *host = up(enter, &model);
    assert_int_equal(dxgkrnl.DxgkCbReadDeviceSpace(dxgkrnl.DeviceHandle, DXGK_WHICHSPACE_CONFIG,
                                                   &header, 0, sizeof(header), &bytes),
                     STATUS_SUCCESS);
    assert_int_equal(bytes, sizeof(header));
    assert_int_equal(header.VendorID & 0xff, 0x77);
    assert_int_equal(header.u.type0.CapabilitiesPtr, 0x40);
    assert_int_equal(dxgkrnl.DxgkCbGetDeviceInformation(dxgkrnl.DeviceHandle, &info), 0);
    const CM_PARTIAL_RESOURCE_DESCRIPTOR *bar =
        info.TranslatedResourceList->List[0].PartialResourceList.PartialDescriptors;
    assert_int_equal((header.u.type0.BaseAddresses[0] & PCI_ADDRESS_MEMORY_ADDRESS_MASK) |
                         (uint64_t)header.u.type0.BaseAddresses[1] << 32,
                     bar->u.Memory.Start.QuadPart);
    assert_int_equal(header.u.type0.BaseAddresses[0] & PCI_ADDRESS_MEMORY_TYPE_MASK,
                     PCI_TYPE_64BIT);
    down(host);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_may_only_display),
        cmocka_unit_test(the_boot_display_is_handed_back),
        cmocka_unit_test(a_frame_buffer_that_is_left_is_one_of_the_cpu),
        cmocka_unit_test(another_display_is_stopped),
        cmocka_unit_test(a_model_has_its_configuration_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
