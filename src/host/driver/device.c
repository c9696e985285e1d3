/* device.c - the life of one device; see device.h. */
#include "driver/device.h"

#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stubs.h"
#include "memory/bars.h"
#include "memory/physical.h"
#include "kernel/interrupt.h"
#include "driver/display.h"
#include "driver/driver.h"

#define VENDOR 0x1af4u
#define DEVICE 0x4d56u

static VOID NTAPI device_dpc(struct _KDPC *dpc, PVOID context, PVOID argument1, PVOID argument2) {
    struct host_device *device = context;
    const uint32_t outer = host_self.board;
    (void)dpc;
    (void)argument1;
    (void)argument2;
    host_self.board = device->board + 1;
    if (host_world->driver->ddi.DxgkDdiDpcRoutine)
        host_world->driver->ddi.DxgkDdiDpcRoutine(device->context);
    host_self.board = outer;
}

void host_device_init(struct host_device *device, uint32_t board) {
    const uint16_t ids[4] = {VENDOR, DEVICE, 0x0006 /* memory, bus master */, 0x0010};
    const uint8_t class_code[4] = {0x01, 0x00, 0x00, 0x03}; /* revision, display controller */
    device->board = board;
    pthread_mutex_init(&device->reports.lock, NULL);
    KeInitializeDpc(&device->dpc, device_dpc, device);
    memcpy(&device->config_space[0], ids, sizeof(ids));
    memcpy(&device->config_space[8], class_code, sizeof(class_code));
    device->physical.Type = 3; /* IO_TYPE_DEVICE */
    device->physical.Size = sizeof(DEVICE_OBJECT);
}

/* Where the base addresses are, and the bits of one with 64 bits. */
#define BASE_ADDRESSES 0x10u
#define BASE_64BIT     0x4u
#define BASE_PREFETCH  0x8u

/* BARs lie beyond 32 bits, so one whose upper half would be the next one's register has no
 * entry. */
void host_device_configure(struct host_device *device) {
    const struct vidmm_hw_model *model = host_world->model[device->board];
    const struct host_bar *bars = host_bars_of(host_world->bars, device->board);
    if (model && model->configure)
        model->configure(host_world->hw[device->board], device->config_space);
    for (uint32_t i = 0; i + 1 < VIDMM_HW_BARS; i++) {
        const struct host_bar *bar = &bars[i];
        if (bar->bar.kind == VIDMM_HW_BAR_NONE || bar->fixed ||
            bars[i + 1].bar.kind != VIDMM_HW_BAR_NONE)
            continue;
        uint64_t entry =
            bar->physical | BASE_64BIT | (bar->bar.kind == VIDMM_HW_BAR_MEMORY ? BASE_PREFETCH : 0);
        memcpy(device->config_space + BASE_ADDRESSES + sizeof(uint32_t) * i, &entry, sizeof(entry));
    }
}

void host_device_done(struct host_device *device) {
    host_handed_free(&device->handed);
    pthread_mutex_destroy(&device->reports.lock);
}

/* ---- The calls ------------------------------------------------------------------------------- */

/* The call failed, or gave a NULL context: which one, of which device if there are several. */
static bool device_fail(const struct host_device *device, const char *call, NTSTATUS status,
                        struct vidmm_host_error *error) {
    static const char *const of[HOST_LINKED_MOST] = {" of device 0", " of device 1", " of device 2",
                                                     " of device 3"};
    const char *which = host_world->boards > 1 ? of[device->board] : "";
    if (NT_SUCCESS(status))
        return host_driver_fail(error, status, "%s%s succeeded with a NULL MiniportDeviceContext",
                                call, which);
    return host_driver_refuse(error, status, call, which);
}

bool host_device_add(struct host_device *device, struct vidmm_host_error *error) {
    host_self.board = device->board + 1;
    host_driver_calling("DxgkDdiAddDevice");
    NTSTATUS status = host_world->driver->ddi.DxgkDdiAddDevice(&device->physical, &device->context);
    host_driver_called("DxgkDdiAddDevice", status);
    host_self.board = 0;
    device->added = NT_SUCCESS(status) && device->context;
    return device->added || device_fail(device, "DxgkDdiAddDevice", status, error);
}

bool host_device_ask_link(struct host_device *device, LINKED_DEVICE *link,
                          struct vidmm_host_error *error) {
    *link = (LINKED_DEVICE){.ChainUid = 0};
    host_driver_calling("DxgkDdiLinkDevice");
    NTSTATUS status =
        host_world->driver->ddi.DxgkDdiLinkDevice(&device->physical, device->context, link);
    host_driver_called("DxgkDdiLinkDevice", status);
    return NT_SUCCESS(status) || device_fail(device, "DxgkDdiLinkDevice", status, error);
}

bool host_device_remove(struct host_device *device, struct vidmm_host_error *error) {
    if (!device->added)
        return true;
    host_self.board = device->board + 1;
    host_driver_calling("DxgkDdiRemoveDevice");
    NTSTATUS status = host_world->driver->ddi.DxgkDdiRemoveDevice(device->context);
    host_driver_called("DxgkDdiRemoveDevice", status);
    host_self.board = 0;
    device->added = false;
    device->context = NULL;
    return NT_SUCCESS(status) || device_fail(device, "DxgkDdiRemoveDevice", status, error);
}

/* Disconnects the interrupt; pending messages still arrive. */
static void device_disconnect(struct host_device *device) {
    host_interrupt_disconnect(&host_world->interrupt[device->board]);
    KeFlushQueuedDpcs();
    device->started = false;
}

bool host_device_start(struct host_device *device, struct vidmm_host_error *error) {
    const DRIVER_INITIALIZATION_DATA *ddi = &host_world->driver->ddi;
    const USHORT number = (USHORT)(device->board + 1);
    const size_t first = offsetof(DXGKRNL_INTERFACE, DxgkCbEvalAcpiMethod);
    DXGK_START_INFO info = {.RequiredDmaQueueEntry = 256,
                            .AdapterGuid = {0x76696d6du, 0x0001, number, {1}},
                            .AdapterLuid = {.LowPart = number}};
    ULONG sources = UINT32_MAX, children = UINT32_MAX;
    device->life++;
    host_device_interface(device);
    host_interrupt_connect(&host_world->interrupt[device->board], ddi->DxgkDdiInterruptRoutine,
                           device->context);
    device->started = true;
    if (host_world->interposer.callbacks)
        host_world->interposer.callbacks(host_world->interposer.ctx, &device->interface);
    stubs_out((char *)&device->interface + first,
              (sizeof(device->interface) - first) / sizeof(void *), "DXGKRNL_INTERFACE");
    host_self.board = device->board + 1;
    host_driver_calling("DxgkDdiStartDevice");
    PDXGKRNL_INTERFACE copy =
        host_handed_begin(&device->handed, "the DXGKRNL_INTERFACE of DxgkDdiStartDevice",
                          &device->interface, sizeof(device->interface));
    NTSTATUS status = ddi->DxgkDdiStartDevice(
        device->context, &info, copy ? copy : &device->interface, &sources, &children);
    host_handed_end(&device->handed);
    host_driver_called("DxgkDdiStartDevice", status);
    host_self.board = 0;
    if (!NT_SUCCESS(status)) {
        device_disconnect(device);
        return device_fail(device, "DxgkDdiStartDevice", status, error);
    }
    if (sources == UINT32_MAX || children == UINT32_MAX)
        host_violation("DxgkDdiStartDevice succeeded without setting %s",
                       sources == UINT32_MAX ? "NumberOfVideoPresentSources" : "NumberOfChildren");
    if (device->board != host_world->board_of[0] && device->board < host_world->linked &&
        children != UINT32_MAX && children != 0)
        host_violation("DxgkDdiStartDevice says NumberOfChildren %u of device %u; only the leading "
                       "link may have children",
                       children, device->board);
    device->children = children != UINT32_MAX ? children : 0;
    device->sources = sources != UINT32_MAX ? sources : 0;
    return true;
}

bool host_device_gives_back(const struct host_device *device) {
    const DRIVER_INITIALIZATION_DATA *ddi = &host_world->driver->ddi;
    const uint8_t *space = device->config_space;
    bool vga = space[11] == PCI_CLASS_DISPLAY_CTLR && space[10] == PCI_SUBCLASS_VID_VGA_CTLR;
    return vga && device->board == host_world->board_of[0] &&
           ddi->DxgkDdiStopDeviceAndReleasePostDisplayOwnership &&
           host_display_given_back(device->context);
}

#define UNWRITTEN 0xa5
#define GIVE_BACK "DxgkDdiStopDeviceAndReleasePostDisplayOwnership"

static bool cpu_reaches(uint64_t address) {
    const struct host_bar *bar = host_bar_at(address, 1);
    return (bar && bar->bar.kind == VIDMM_HW_BAR_MEMORY) ||
           host_physical_pointer(host_world->physical, address, 1);
}

/* Bytes of a pixel of the formats that the page has; 0: another one. */
static uint32_t given_back_pixel(D3DDDIFORMAT format) {
    if (format == D3DDDIFMT_R8G8B8)
        return 3;
    return format == D3DDDIFMT_X8R8G8B8 || format == D3DDDIFMT_A8R8G8B8 ? 4 : 0;
}

/*
 * nc-dispmprt-dxgkddi_stop_device_and_release_post_display_ownership.md: the color formats, and step 10: the CPU reaches
 * the frame buffer. With a Width or Height of zero there is none (plug-and-play--pnp--start-and-stop-cases.md).
 */
static void judge_given_back(const DXGK_DISPLAY_INFORMATION *info) {
    const uint64_t address = (uint64_t)info->PhysicAddress.QuadPart;
    const uint64_t bytes = (uint64_t)info->Pitch * info->Height;
    const uint32_t pixel = given_back_pixel(info->ColorFormat);
    if (info->Width == 0 || info->Height == 0)
        return;
    if (pixel == 0)
        host_violation(
            GIVE_BACK " left %u x %u pixels at PhysicAddress 0x%llx of ColorFormat %d, which "
                      "is neither X8R8G8B8, A8R8G8B8 nor R8G8B8",
            info->Width, info->Height, (unsigned long long)address, (int)info->ColorFormat);
    else if (info->Pitch < (uint64_t)info->Width * pixel)
        host_violation(GIVE_BACK
                       " left %u x %u pixels of %u bytes at PhysicAddress 0x%llx with Pitch %u",
                       info->Width, info->Height, pixel, (unsigned long long)address, info->Pitch);
    else if (!cpu_reaches(address) || !cpu_reaches(address + bytes - 1))
        host_violation(GIVE_BACK " left a frame buffer of %u x %u pixels, 0x%llx bytes at "
                                 "PhysicAddress 0x%llx, where the CPU reaches neither a memory "
                                 "BAR nor memory of the system",
                       info->Width, info->Height, (unsigned long long)bytes,
                       (unsigned long long)address);
}

/* True: it is stopped. What is left is judged of a display that was on. */
static bool device_give_back(struct host_device *device) {
    struct host_driver *driver = host_world->driver;
    UINT target = driver->left ? driver->left_target : 0;
    DXGK_DISPLAY_INFORMATION info;
    if (!host_device_gives_back(device))
        return false;
    memset(&info, UNWRITTEN, sizeof(info)); /* all of it is the driver's to write */
    host_driver_calling(GIVE_BACK);
    NTSTATUS status =
        driver->ddi.DxgkDdiStopDeviceAndReleasePostDisplayOwnership(device->context, target, &info);
    if (NT_SUCCESS(status) && driver->left)
        judge_given_back(&info);
    host_driver_called(GIVE_BACK, status);
    driver->left = false;
    return NT_SUCCESS(status);
}

bool host_device_stop(struct host_device *device, struct vidmm_host_error *error) {
    if (!device->started)
        return true;
    if (device_give_back(device)) {
        device_disconnect(device);
        return true;
    }
    host_self.board = device->board + 1;
    host_driver_calling("DxgkDdiStopDevice");
    NTSTATUS status = host_world->driver->ddi.DxgkDdiStopDevice(device->context);
    host_driver_called("DxgkDdiStopDevice", status);
    host_self.board = 0;
    device_disconnect(device);
    return NT_SUCCESS(status) || device_fail(device, "DxgkDdiStopDevice", status, error);
}
