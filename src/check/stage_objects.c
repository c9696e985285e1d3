/*
 * stage_objects.c - devices, contexts and allocations: a context for GDI, several devices, a
 * resource of several surfaces that outlives its device, DxgkDdiDescribeAllocation of a primary,
 * surfaces of many shapes. All are standard surfaces, which need no user-mode driver. Escapes that no
 * user-mode driver sent. In a run of its own, damaged private data.
 */
#include "damaged_data.h"
#include "guarded.h"
#include "reentry.h"
#include "surface.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/umd.h>
#include <vidmm/virtual.h>

#define SURFACES 3u
#define WIDTH    64u
#define HEIGHT   37u

/* The manager creates no contexts for GDI, so the stage calls the driver, which may refuse. A driver
 * that has no function for the commands of GDI gets none (ns-d3dkmddi-_dxgk_presentationcaps.md). */
static void gdi_context(struct check *check) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    DXGKARG_CREATEDEVICE device = {.hDevice = check};
    DXGKARG_CREATECONTEXT context = {.hContext = check, .EngineAffinity = 1};
    device.Flags.GdiDevice = 1;
    context.Flags.GdiContext = 1;
    check_step(check, "objects: a context for GDI");
    if (table->Version < DXGKDDI_INTERFACE_VERSION_WIN7 || !table->DxgkDdiCreateContext ||
        !table->DxgkDdiDestroyContext || (!table->DxgkDdiRenderKm && !table->DxgkDdiRenderGdi) ||
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

/* An adapter without video present sources has no primaries: its driver may leave the function out. */
static void objects_describe_one(struct check *check, HANDLE allocation) {
    DXGKARG_DESCRIBEALLOCATION description = {.hAllocation = allocation};
    bool there = check->harness.spoken.DxgkDdiDescribeAllocation;
    if (!there && vidmm_host_sources(check->harness.host) == 0)
        return;
    vidmm_ledger_judge(&check->shared->ledger, 400, VIDMM_SIDE_DRIVER, there,
                       "a DxgkDdiDescribeAllocation of a driver that creates primaries",
                       "%s is NULL in the table", "DxgkDdiDescribeAllocation");
    if (there)
        (void)check->harness.spoken.DxgkDdiDescribeAllocation(
            vidmm_host_adapter(check->harness.host), &description);
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
    if (good) {
        vidmm_allocation_info(primary, &info);
        objects_describe_one(check, info.driver.hAllocation);
    }
    vidmm_device_destroy(device);
    return good;
}

/* ---- Coming and going ------------------------------------------------------------------------ */

/* More than a table of objects in a driver has room for, whose places have to become free again. */
#define LIVES 1100u

/* A process, if the driver knows them, a device and a context are created and destroyed. */
static bool one_life(struct check *check, bool process) {
    struct vidmm_adapter *adapter = check->harness.adapter;
    struct vidmm_process *owner = NULL;
    struct vidmm_device *device = NULL;
    struct vidmm_context *context = NULL;
    bool good = !process || vidmm_process_create(adapter, &owner) == VIDMM_OK;
    if (good)
        good = (process ? vidmm_process_device_create(owner, &device)
                        : vidmm_device_create(adapter, &device)) == VIDMM_OK;
    good = good && vidmm_context_create(device, 0, 0, &context) == VIDMM_OK;
    if (context)
        vidmm_context_destroy(context);
    if (device)
        vidmm_device_destroy(device);
    if (owner)
        vidmm_process_destroy(owner);
    return good;
}

/* R627: the first objects may fill a cache of the driver; the later half must be served from it. */
static void judge_left(struct check *check, uint64_t before) {
    uint64_t after = vidmm_host_pool_blocks(check->harness.host);
    bool kept = after < before + LIVES / 2;
    check_judge(check, 627, VIDMM_SIDE_DRIVER, kept,
                "no pool memory held for processes, devices and contexts that are destroyed",
                "%u that came and went left %llu pool blocks behind", LIVES / 2,
                (unsigned long long)(after - before));
}

/* In another order than they were created in. */
static void devices_destroy(struct vidmm_device **devices, uint32_t count) {
    for (uint32_t odd = 2; odd-- > 0;)
        for (uint32_t i = odd; i < count; i += 2)
            vidmm_device_destroy(devices[i]);
}

/* R401: nc-d3dkmddi-dxgkddi_createdevice.md, a driver cannot have a hard-coded maximum device limit. */
static void many_devices(struct check *check, bool process) {
    struct vidmm_adapter *adapter = check->harness.adapter;
    struct vidmm_device **devices = check_memory(check, LIVES * sizeof(struct vidmm_device *));
    struct vidmm_process *owner = NULL;
    uint32_t count = 0;
    check_step(check, "objects: %u devices at a time", LIVES);
    if (devices && (!process || vidmm_process_create(adapter, &owner) == VIDMM_OK)) {
        while (count < LIVES &&
               (process ? vidmm_process_device_create(owner, &devices[count])
                        : vidmm_device_create(adapter, &devices[count])) == VIDMM_OK)
            count++;
        vidmm_ledger_judge(&check->shared->ledger, 401, VIDMM_SIDE_DRIVER, count == LIVES,
                           "as many devices as memory allows",
                           "one more of them failed when %u existed", count);
        devices_destroy(devices, count);
    }
    if (owner)
        vidmm_process_destroy(owner);
    free(devices);
}

static void many_lives(struct check *check) {
    struct vidmm_adapter_info info;
    uint32_t lives = 0;
    uint64_t before = 0;
    vidmm_adapter_info(check->harness.adapter, &info);
    bool process = info.caps.MemoryManagementCaps.VirtualAddressingSupported;
    check_step(check, "objects: %u devices, one after the other", LIVES);
    while (lives < LIVES && one_life(check, process))
        if (++lives == LIVES / 2)
            before = vidmm_host_pool_blocks(check->harness.host);
    if (lives == LIVES)
        judge_left(check, before);
    if (lives != 0)
        vidmm_ledger_judge(&check->shared->ledger, 401, VIDMM_SIDE_DRIVER, lives == LIVES,
                           "as many processes, devices and contexts as memory allows, without "
                           "those that were destroyed",
                           "one more of them failed when %u had been created and destroyed", lives);
    if (lives == LIVES)
        many_devices(check, process);
}

#define CYCLES      32u
#define MANY_CYCLES 5000u /* more than most tables have places */

/* How many were created, opened, closed and destroyed before the driver refused one. */
static uint32_t surfaces_live(struct vidmm_device *device, const struct check_surface *surface,
                              uint32_t count) {
    const struct vidmm_allocation_request wanted = check_surface_request(surface, false);
    struct vidmm_allocation *allocation;
    uint32_t lives = 0;
    for (; lives < count && vidmm_allocation_create(device, &wanted, &allocation) == VIDMM_OK;
         lives++)
        vidmm_allocation_destroy(allocation);
    return lives;
}

/* R142: the later ones must be served from what the first ones left in a cache. */
static void surfaces_come_and_go(struct check *check, const struct check_surface *surface) {
    struct vidmm_device *device;
    check_step(check, "objects: surfaces that come and go");
    if (vidmm_device_create(check->harness.adapter, &device) != VIDMM_OK)
        return;
    bool good = surfaces_live(device, surface, CYCLES) == CYCLES;
    uint64_t before = vidmm_host_pool_blocks(check->harness.host);
    good = good && surfaces_live(device, surface, CYCLES) == CYCLES;
    uint64_t after = vidmm_host_pool_blocks(check->harness.host);
    bool kept = after < before + CYCLES;
    if (good)
        check_judge(check, 142, VIDMM_SIDE_DRIVER, kept,
                    "no pool memory held for surfaces that are destroyed",
                    "%u surfaces that came and went left %llu pool blocks behind", CYCLES,
                    (unsigned long long)(after - before));
    vidmm_device_destroy(device);
}

/* R401: the place that one had is free again. A surface of one kind will do. */
static void many_surfaces(struct check *check) {
    struct check_surface surface;
    struct vidmm_device *device;
    bool open = false;
    check_step(check, "objects: %u surfaces, one after the other", MANY_CYCLES);
    if (vidmm_device_create(check->harness.adapter, &device) != VIDMM_OK)
        return;
    for (uint32_t kind = CHECK_SURFACE_PRIMARY + 1; kind < CHECK_SURFACES && !open; kind++) {
        open = check_surface_open(check, &surface, kind, WIDTH, HEIGHT);
        uint32_t lives = open ? surfaces_live(device, &surface, MANY_CYCLES) : 0;
        check_surface_close(&surface);
        if (lives != 0)
            vidmm_ledger_judge(
                &check->shared->ledger, 401, VIDMM_SIDE_DRIVER, lives == MANY_CYCLES,
                "as many allocations as memory allows, without those that were destroyed",
                "one more of them failed when %u had been created and destroyed", lives);
    }
    vidmm_device_destroy(device);
}

/* ---- Parts of a resource ----------------------------------------------------------------------- */

/* One allocation of a resource goes, without DestroyResource, before the other one goes with the resource
 * (nc-d3dkmddi-dxgkddi_destroyallocation): what a driver then has no longer it frees twice (K2). */
static void destroy_in_turn(struct check *check, const struct check_surface *surface) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    HANDLE adapter = vidmm_host_adapter(check->harness.host);
    const DXGK_ALLOCATIONINFO one = {.pPrivateDriverData = surface->data,
                                     .PrivateDriverDataSize = surface->size};
    DXGK_ALLOCATIONINFO info[2] = {one, one};
    DXGKARG_CREATEALLOCATION create = {.pPrivateDriverData = surface->resource,
                                       .PrivateDriverDataSize = surface->resource_size,
                                       .NumAllocations = 2,
                                       .pAllocationInfo = info,
                                       .Flags.Resource = 1};
    if (check_explained(check)) /* the driver may create one of several, and say success (R136) */
        return;
    check_step(check, "objects: a resource whose allocations are destroyed one by one");
    if (table->DxgkDdiCreateAllocation(adapter, &create) != STATUS_SUCCESS)
        return;
    for (uint32_t i = 0; i < 2; i++) {
        DXGKARG_DESTROYALLOCATION destroy = {.NumAllocations = 1,
                                             .pAllocationList = &info[i].hAllocation,
                                             .hResource = create.hResource,
                                             .Flags.DestroyResource = i == 1};
        (void)table->DxgkDdiDestroyAllocation(adapter, &destroy);
    }
}

/* ---- Escapes --------------------------------------------------------------------------------- */

#define ESCAPE_MOST 256u
#define ESCAPE_ASH  0xa5

static const uint32_t escape_sizes[] = {1, 4, 8, 64, ESCAPE_MOST};

/* Bytes that no user-mode driver sent; what the driver answers is its own affair. */
static void escape_with(struct check *check, uint32_t size, unsigned char byte) {
    unsigned char bytes[2 * ESCAPE_MOST];
    bool whole = true;
    DXGKARG_ESCAPE args = {.pPrivateDriverData = size != 0 ? bytes : NULL,
                           .PrivateDriverDataSize = size};
    memset(bytes, ESCAPE_ASH, sizeof(bytes));
    memset(bytes, byte, size);
    check_step(check, "objects: an escape of %u bytes", size);
    (void)check->harness.spoken.DxgkDdiEscape(vidmm_host_adapter(check->harness.host), &args);
    for (uint32_t i = size; i < sizeof(bytes); i++)
        whole = whole && bytes[i] == ESCAPE_ASH;
    vidmm_ledger_judge(&check->shared->ledger, 533, VIDMM_SIDE_DRIVER, whole,
                       "nothing written behind PrivateDriverDataSize bytes",
                       "bytes behind the %u of an escape were written", size);
}

static void escapes(struct check *check) {
    if (!check->harness.spoken.DxgkDdiEscape)
        return;
    escape_with(check, 0, 0);
    for (uint32_t i = 0; i < sizeof(escape_sizes) / sizeof(escape_sizes[0]); i++) {
        escape_with(check, escape_sizes[i], 0);
        escape_with(check, escape_sizes[i], 0xff);
    }
}

/* Where no memory follows: reading it is seen, too. */
static void escape_at_end(struct check *check, const struct guarded *memory, uint32_t size,
                          unsigned char byte) {
    DXGKARG_ESCAPE args = {.pPrivateDriverData = memory->end - size, .PrivateDriverDataSize = size};
    memset(memory->end - size, byte, size);
    check_step(check, "objects: an escape of %u bytes that end where memory does", size);
    (void)check->harness.spoken.DxgkDdiEscape(vidmm_host_adapter(check->harness.host), &args);
}

static void escapes_at_end(struct check *check) {
    static const uint16_t known[] = {533};
    struct guarded memory;
    bool made = guarded_make(&memory);
    if (check->harness.spoken.DxgkDdiEscape && made && !check_broke(check, known, 1))
        for (uint32_t i = 0; i < sizeof(escape_sizes) / sizeof(escape_sizes[0]); i++) {
            escape_at_end(check, &memory, escape_sizes[i], 0);
            escape_at_end(check, &memory, escape_sizes[i], 0xff);
        }
    guarded_free(&memory);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* A driver may have no such format or size. */
static void one_shape(struct check *check, enum check_surface_kind kind, D3DDDIFORMAT format,
                      uint32_t width, uint32_t height) {
    struct check_surface surface;
    check_step(check, "objects: a surface of %u times %u pixels, format %d", width, height,
               (int)format);
    if (check_surface_open_as(check, &surface, kind, format, width, height))
        check_surface_create_alone(check, &surface,
                                   kind == CHECK_SURFACE_PRIMARY ? objects_describe_one : NULL);
    check_surface_close(&surface);
}

/* No number of bytes is a page's, heights differ from widths, one is higher than its rows have bytes, rows that are
 * missing at the end of one have pages of their own, and the last has more than 4 GiB. */
static void shapes(struct check *check, enum check_surface_kind kind) {
    static const uint32_t sizes[][2] = {{1, 1},     {3, 5},      {37, 64},
                                        {65, 2},    {1, 4099},   {640, 480},
                                        {4096, 37}, {1366, 768}, {32768, 32771}};
    static const D3DDDIFORMAT formats[] = {D3DDDIFMT_A8R8G8B8, D3DDDIFMT_X8R8G8B8,
                                           D3DDDIFMT_A8B8G8R8, D3DDDIFMT_X8B8G8R8,
                                           D3DDDIFMT_R5G6B5,   D3DDDIFMT_A8};
    for (uint32_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        for (uint32_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++)
            one_shape(check, kind, formats[i], sizes[j][0], sizes[j][1]);
}

/* Of a surface as a user-mode driver describes it, which the driver may find too large. */
/* False: the driver refuses it. */
static bool spoken_make(struct check *check, const struct vidmm_umd_allocation *wanted,
                        DXGK_ALLOCATIONINFO *info) {
    struct vidmm_umd_allocation data = *wanted;
    DXGKARG_CREATEALLOCATION create = {.NumAllocations = 1, .pAllocationInfo = info};
    *info =
        (DXGK_ALLOCATIONINFO){.pPrivateDriverData = &data, .PrivateDriverDataSize = sizeof(data)};
    NTSTATUS status = check->harness.spoken.DxgkDdiCreateAllocation(
        vidmm_host_adapter(check->harness.host), &create);
    info->pPrivateDriverData = NULL;
    return status == STATUS_SUCCESS;
}

static void spoken_destroy(struct check *check, const DXGK_ALLOCATIONINFO *info) {
    const DXGKARG_DESTROYALLOCATION destroy = {.NumAllocations = 1,
                                               .pAllocationList = &info->hAllocation};
    (void)check->harness.spoken.DxgkDdiDestroyAllocation(vidmm_host_adapter(check->harness.host),
                                                         &destroy);
}

static void one_size(struct check *check, uint64_t size) {
    const struct vidmm_umd_allocation data = {
        .magic = VIDMM_UMD_MAGIC, .flags = VIDMM_UMD_LOCAL, .size = size};
    DXGK_ALLOCATIONINFO info;
    check_step(check, "objects: a surface of %llu bytes", (unsigned long long)size);
    if (!spoken_make(check, &data, &info))
        return;
    vidmm_ledger_judge(&check->shared->ledger, 637, VIDMM_SIDE_DRIVER, info.Size >= size,
                       "Size of at least as many bytes as the user-mode driver asked for",
                       "Size is %llu, of a surface of %llu bytes", (unsigned long long)info.Size,
                       (unsigned long long)size);
    spoken_destroy(check, &info);
}

/* No whole pages; more than 32 bits have, of which the low ones are a size, too; and what has no size in whole pages. */
static void spoken_sizes(struct check *check) {
    static const uint64_t sizes[] = {1, CHECK_PAGE + 1, CHECK_HIGH + 3 * CHECK_PAGE + 1,
                                     UINT64_MAX - 1};
    for (uint32_t i = 0; check_speaks(check) && i < sizeof(sizes) / sizeof(sizes[0]); i++)
        one_size(check, sizes[i]);
}

/* R106, R109: user mode may ask for what no driver may say. A driver refuses it, or lets the CPU see the surface. */
static void spoken_flags(struct check *check) {
    static const uint32_t unseen[] = {VIDMM_UMD_CACHED, VIDMM_UMD_PERMANENT_SYSMEM};
    for (uint32_t i = 0; check_speaks(check) && i < sizeof(unseen) / sizeof(unseen[0]); i++) {
        const struct vidmm_umd_allocation data = {
            .magic = VIDMM_UMD_MAGIC, .flags = unseen[i], .size = CHECK_PAGE};
        DXGK_ALLOCATIONINFO info;
        check_step(check, "objects: a surface with flags 0x%x", data.flags);
        if (spoken_make(check, &data, &info))
            spoken_destroy(check, &info);
    }
}

static bool shares_with_others(struct check *check) {
    struct vidmm_adapter_info info;
    vidmm_adapter_info(check->harness.adapter, &info);
    return info.caps.MemoryManagementCaps.CrossAdapterResource;
}

/* false: driver or manager failed. `*known`: the driver creates such surfaces. */
static bool with_surface(struct check *check, enum check_surface_kind kind, bool *known) {
    struct check_surface surface;
    bool good = true;
    if (check_surface_open(check, &surface, kind, WIDTH, HEIGHT)) {
        *known = true;
        good = kind == CHECK_SURFACE_PRIMARY ? objects_describe(check, &surface)
                                             : pass_on(check, &surface);
        if (good && kind != CHECK_SURFACE_PRIMARY) {
            surfaces_come_and_go(check, &surface);
            destroy_in_turn(check, &surface);
        }
    }
    check_surface_close(&surface);
    return good;
}

/* Of a description of vidmm/umd.h, where the driver understands it, and of each standard surface that it makes. */
static void with_each_description(struct check *check,
                                  void (*give)(struct check *, const struct check_surface *)) {
    struct vidmm_umd_allocation data = {
        .magic = VIDMM_UMD_MAGIC, .flags = VIDMM_UMD_CPU_VISIBLE, .size = CHECK_PAGE};
    const struct check_surface spoken = {.data = &data, .size = sizeof(data)};
    struct check_surface surface;
    if (check_speaks(check))
        give(check, &spoken);
    for (uint32_t kind = 0; kind < CHECK_SURFACES; kind++) {
        if (check_surface_open(check, &surface, kind, WIDTH, HEIGHT))
            give(check, &surface);
        check_surface_close(&surface);
    }
}

/* A run of its own: a driver that dies of such data has shown all else. */
static enum vidmm_stage_outcome with_damaged_data(struct check *check) {
    const struct check_setup setup = {.table = damaged_table};
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    with_each_description(check, damaged_surface);
    damaged_contexts(check);
    check_close(check);
    return VIDMM_STAGE_DONE;
}

enum vidmm_stage_outcome stage_objects(struct check *check, uint32_t number) {
    const struct check_setup setup = {.fail_at = 0};
    bool known = false, good = true;
    if (number == 1)
        return with_damaged_data(check);
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    gdi_context(check);
    many_lives(check);
    reentry_show(check);
    for (uint32_t kind = 0; good && kind < CHECK_SURFACES; kind++)
        good = with_surface(check, kind, &known);
    if (good)
        many_surfaces(check);
    for (uint32_t kind = 0; good && kind < CHECK_SURFACES; kind++)
        shapes(check, kind);
    if (good) {
        spoken_sizes(check);
        spoken_flags(check);
    }
    if (good && shares_with_others(check))
        shapes(check, CHECK_SURFACE_CROSS_ADAPTER);
    if (good) {
        escapes(check);
        /* At the end: what a driver reads behind such data may be what it crashes of. */
        with_each_description(check, check_short_data);
        escapes_at_end(check);
    }
    check_close(check);
    if (good && !known)
        return check_say(check, VIDMM_STAGE_SKIPPED, "the driver describes no standard surfaces");
    return good ? VIDMM_STAGE_DONE : VIDMM_STAGE_STOPPED;
}
