/*
 * stage_objects.c - devices, contexts and allocations as such: a context for GDI, several devices,
 * a resource of several surfaces that outlives the device it was created in, a primary that is
 * described. The surfaces are standard ones: no user-mode driver is needed for them.
 */
#include "surface.h"

#define SURFACES 3u
#define WIDTH    64u

/* By hand: the manager makes no contexts for GDI. Refusing it is no fault. */
static void gdi_context(struct exam *exam) {
    const DRIVER_INITIALIZATION_DATA *table = &exam->lab.table;
    DXGKARG_CREATEDEVICE device = {.hDevice = exam};
    DXGKARG_CREATECONTEXT context = {.hContext = exam, .EngineAffinity = 1};
    device.Flags.GdiDevice = 1;
    context.Flags.GdiContext = 1;
    exam_step(exam, "objects: a context for GDI");
    if (table->Version < DXGKDDI_INTERFACE_VERSION_WIN7 || table->DxgkDdiCreateContext == NULL ||
        table->DxgkDdiDestroyContext == NULL ||
        table->DxgkDdiCreateDevice(vidmm_host_adapter(exam->lab.host), &device) != STATUS_SUCCESS)
        return;
    if (table->DxgkDdiCreateContext(device.hDevice, &context) == STATUS_SUCCESS)
        (void)table->DxgkDdiDestroyContext(context.hContext);
    (void)table->DxgkDdiDestroyDevice(device.hDevice);
}

/* Systems make such surfaces one by one: a driver that fails to make three at once, which is said
 * of it by then, goes on with one. */
static bool make_resource(struct exam *exam, struct vidmm_device *device,
                          const struct exam_surface *surface,
                          struct vidmm_allocation *resource[SURFACES]) {
    struct vidmm_allocation_request requests[SURFACES];
    for (uint32_t i = 0; i < SURFACES; i++)
        requests[i] = exam_surface_request(surface, false);
    if (vidmm_allocations_create(device, requests, SURFACES, resource) == VIDMM_OK)
        return true;
    bool good = exam_good(exam, vidmm_allocations_create(device, requests, 1, resource));
    for (uint32_t i = 1; i < SURFACES; i++)
        resource[i] = resource[0];
    return good;
}

/* The resource passes from the first device by way of the second to the third. */
static bool pass_on(struct exam *exam, const struct exam_surface *surface) {
    struct vidmm_allocation *resource[SURFACES];
    struct vidmm_device *device[3] = {NULL, NULL, NULL};
    bool good = true;
    exam_step(exam, "objects: a resource in three devices");
    for (uint32_t i = 0; good && i < 3; i++)
        good = exam_good(exam, vidmm_device_create(exam->lab.adapter, &device[i]));
    good = good && make_resource(exam, device[0], surface, resource) &&
           exam_good(exam, vidmm_allocation_open(device[1], resource[0]));
    if (good) {
        vidmm_device_destroy(device[0]);
        device[0] = NULL;
        good = exam_good(exam, vidmm_allocation_open(device[2], resource[1]));
    }
    for (uint32_t i = 0; i < 3; i++)
        if (device[i] != NULL)
            vidmm_device_destroy(device[i]);
    return good;
}

static bool describe(struct exam *exam, const struct exam_surface *surface) {
    const struct vidmm_allocation_request wanted = exam_surface_request(surface, true);
    struct vidmm_allocation *primary;
    struct vidmm_allocation_info info;
    struct vidmm_device *device;
    exam_step(exam, "objects: a primary");
    if (!exam_good(exam, vidmm_device_create(exam->lab.adapter, &device)))
        return false;
    bool good = exam_good(exam, vidmm_allocation_create(device, &wanted, &primary));
    if (good && exam->lab.table.DxgkDdiDescribeAllocation != NULL) {
        vidmm_allocation_info(primary, &info);
        DXGKARG_DESCRIBEALLOCATION description = {.hAllocation = info.driver.hAllocation};
        (void)exam->lab.table.DxgkDdiDescribeAllocation(vidmm_host_adapter(exam->lab.host),
                                                        &description);
    }
    vidmm_device_destroy(device);
    return good;
}

/* false: the driver or the manager could not go on. `*known`: set where the driver makes such
 * surfaces. */
static bool with_surface(struct exam *exam, enum exam_surface_kind kind, bool *known) {
    struct exam_surface surface;
    bool good = true;
    if (exam_surface_open(exam, &surface, kind, WIDTH, WIDTH)) {
        *known = true;
        good = kind == EXAM_SURFACE_PRIMARY ? describe(exam, &surface) : pass_on(exam, &surface);
    }
    exam_surface_close(&surface);
    return good;
}

enum vidmm_stage_outcome stage_objects(struct exam *exam, uint32_t number) {
    const struct exam_world world = {.fail_at = 0};
    bool known = false, good = true;
    (void)number;
    if (!exam_open(exam, &world) || !exam_manage(exam, &world))
        return VIDMM_STAGE_STOPPED;
    gdi_context(exam);
    for (uint32_t kind = 0; good && kind < EXAM_SURFACES; kind++)
        good = with_surface(exam, kind, &known);
    exam_close(exam);
    if (good && !known)
        return exam_say(exam, VIDMM_STAGE_SKIPPED, "the driver describes no standard surfaces");
    return good ? VIDMM_STAGE_DONE : VIDMM_STAGE_STOPPED;
}
