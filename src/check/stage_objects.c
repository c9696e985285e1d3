/*
 * stage_objects.c - devices, contexts and allocations: a context for GDI, several devices, a
 * resource of several surfaces that outlives its device, DxgkDdiDescribeAllocation of a primary.
 * All are standard surfaces, which need no user-mode driver.
 */
#include "surface.h"

#define SURFACES 3u
#define WIDTH    64u

/* The manager creates no contexts for GDI, so the stage calls the driver, which may refuse. */
static void gdi_context(struct check *check) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    DXGKARG_CREATEDEVICE device = {.hDevice = check};
    DXGKARG_CREATECONTEXT context = {.hContext = check, .EngineAffinity = 1};
    device.Flags.GdiDevice = 1;
    context.Flags.GdiContext = 1;
    check_step(check, "objects: a context for GDI");
    if (table->Version < DXGKDDI_INTERFACE_VERSION_WIN7 || !table->DxgkDdiCreateContext ||
        !table->DxgkDdiDestroyContext ||
        table->DxgkDdiCreateDevice(vidmm_host_adapter(check->harness.host), &device) !=
            STATUS_SUCCESS)
        return;
    if (table->DxgkDdiCreateContext(device.hDevice, &context) == STATUS_SUCCESS)
        (void)table->DxgkDdiDestroyContext(context.hContext);
    (void)table->DxgkDdiDestroyDevice(device.hDevice);
}

/* Systems create such surfaces one by one: if a driver cannot create three at once, that is a
 * finding, and the stage goes on with one. */
static bool make_resource(struct check *check, struct vidmm_device *device,
                          const struct check_surface *surface,
                          struct vidmm_allocation *resource[SURFACES]) {
    struct vidmm_allocation_request requests[SURFACES];
    for (uint32_t i = 0; i < SURFACES; i++)
        requests[i] = check_surface_request(surface, false);
    if (vidmm_allocations_create(device, requests, SURFACES, resource) == VIDMM_OK)
        return true;
    bool good = check_good(check, vidmm_allocations_create(device, requests, 1, resource));
    for (uint32_t i = 1; i < SURFACES; i++)
        resource[i] = resource[0];
    return good;
}

/* The resource is opened in the second and third device and outlives the first two. */
static bool pass_on(struct check *check, const struct check_surface *surface) {
    struct vidmm_allocation *resource[SURFACES];
    struct vidmm_device *device[3] = {NULL, NULL, NULL};
    bool good = true;
    check_step(check, "objects: a resource in three devices");
    for (uint32_t i = 0; good && i < 3; i++)
        good = check_good(check, vidmm_device_create(check->harness.adapter, &device[i]));
    good = good && make_resource(check, device[0], surface, resource) &&
           check_good(check, vidmm_allocation_open(device[1], resource[0]));
    if (good) {
        vidmm_device_destroy(device[0]);
        device[0] = NULL;
        good = check_good(check, vidmm_allocation_open(device[2], resource[1]));
    }
    for (uint32_t i = 0; i < 3; i++)
        if (device[i])
            vidmm_device_destroy(device[i]);
    return good;
}

static bool objects_describe(struct check *check, const struct check_surface *surface) {
    const struct vidmm_allocation_request wanted = check_surface_request(surface, true);
    struct vidmm_allocation *primary;
    struct vidmm_allocation_info info;
    struct vidmm_device *device;
    check_step(check, "objects: a primary");
    if (!check_good(check, vidmm_device_create(check->harness.adapter, &device)))
        return false;
    bool good = check_good(check, vidmm_allocation_create(device, &wanted, &primary));
    if (good && check->harness.spoken.DxgkDdiDescribeAllocation) {
        vidmm_allocation_info(primary, &info);
        DXGKARG_DESCRIBEALLOCATION description = {.hAllocation = info.driver.hAllocation};
        (void)check->harness.spoken.DxgkDdiDescribeAllocation(
            vidmm_host_adapter(check->harness.host), &description);
    }
    vidmm_device_destroy(device);
    return good;
}

/* false: driver or manager failed. `*known`: the driver creates such surfaces. */
static bool with_surface(struct check *check, enum check_surface_kind kind, bool *known) {
    struct check_surface surface;
    bool good = true;
    if (check_surface_open(check, &surface, kind, WIDTH, WIDTH)) {
        *known = true;
        good = kind == CHECK_SURFACE_PRIMARY ? objects_describe(check, &surface)
                                             : pass_on(check, &surface);
    }
    check_surface_close(&surface);
    return good;
}

enum vidmm_stage_outcome stage_objects(struct check *check, uint32_t number) {
    const struct check_setup setup = {.fail_at = 0};
    bool known = false, good = true;
    (void)number;
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    gdi_context(check);
    for (uint32_t kind = 0; good && kind < CHECK_SURFACES; kind++)
        good = with_surface(check, kind, &known);
    check_close(check);
    if (good && !known)
        return check_say(check, VIDMM_STAGE_SKIPPED, "the driver describes no standard surfaces");
    return good ? VIDMM_STAGE_DONE : VIDMM_STAGE_STOPPED;
}
