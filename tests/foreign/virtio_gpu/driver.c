/* SPDX-License-Identifier: MIT */
/*
 * driver.c - a small driver for the virtio GPU that pci.c, queue.c and gpu.c model. It finds the
 * registers through the capabilities in the configuration space, negotiates VIRTIO_F_VERSION_1,
 * lays out the control queue in contiguous memory, and asks for the display. StartDevice fails if
 * the device does not answer as VIRTIO 1.2 says.
 *
 * The device has no memory segment. The system's memory is reached through an aperture segment,
 * whose page table the CPU keeps (drivers/common/cpu_pager.h).
 */
#include "../../../drivers/common/cpu_pager.h"

enum { APERTURE = 1 };
enum { CAP_COMMON = 1, CAP_NOTIFY = 2, CAP_LAST = 4 }; /* virtio_pci_cap.cfg_type */

#define APERTURE_PAGES 65536u
#define APERTURE_BYTES ((SIZE_T)APERTURE_PAGES * PAGE_SIZE)
#define CONFIG_BYTES   256u
#define QUEUE_ENTRIES  16u
#define QUEUE_BYTES    (5 * PAGE_SIZE) /* descriptors, available, used, request, answer */
#define ANSWER_BYTES   2048u
#define MOST_WAITS     1000

/* Registers of the common configuration, and what is written there. */
enum {
    FEATURE_SELECT = 0,
    FEATURES = 4,
    DRIVER_FEATURE_SELECT = 8,
    DRIVER_FEATURES = 12,
    STATUS = 20,
    QUEUE_SELECT = 22,
    QUEUE_SIZE = 24,
    QUEUE_ENABLE = 28,
    QUEUE_DESCRIPTORS = 32,
    QUEUE_AVAILABLE = 40,
    QUEUE_USED = 48
};
enum { ACKNOWLEDGE = 1, DRIVER = 2, DRIVER_OK = 4, FEATURES_OK = 8 };
enum { GET_DISPLAY_INFO = 0x100, OK_DISPLAY_INFO = 0x1101 };

struct descriptor {
    ULONG64 address;
    ULONG length;
    USHORT flags; /* 1: another descriptor follows; 2: the device writes */
    USHORT next;
};

struct adapter {
    struct cpu_adapter cpu;
    PUCHAR bar;
    SIZE_T bar_bytes;
    ULONG64 bar_address;        /* of the BAR that the capabilities name */
    ULONG region[CAP_LAST + 1]; /* offset in it, by the type of the capability */
    PUCHAR queue;
};

/* ---- Transport ------------------------------------------------------------------------------- */

/* What the register of a BAR of memory says, of 32 or 64 bits. */
static ULONG64 bar_address(const UCHAR *space, UCHAR bar) {
    ULONG64 address = 0;
    RtlCopyMemory(&address, &space[0x10 + 4 * bar], space[0x10 + 4 * bar] & 4 ? 8 : 4);
    return address & ~(ULONG64)15;
}

static BOOLEAN find_regions(struct adapter *adapter) {
    const DXGKRNL_INTERFACE *dxgk = &adapter->cpu.skeleton.dxgk;
    UCHAR space[CONFIG_BYTES] = {0};
    ULONG read = 0, found = 0;
    NTSTATUS status = dxgk->DxgkCbReadDeviceSpace(dxgk->DeviceHandle, DXGK_WHICHSPACE_CONFIG, space,
                                                  0, sizeof(space), &read);
    if (!NT_SUCCESS(status) || read != sizeof(space) || space[0] != 0xf4 || space[1] != 0x1a ||
        space[2] != 0x50 || space[3] != 0x10)
        return FALSE;
    for (ULONG at = space[0x34]; at != 0 && at + 16 <= CONFIG_BYTES; at = space[at + 1]) {
        UCHAR type = space[at + 3];
        if (space[at] != 9 || type == 0 || type > CAP_LAST || space[at + 4] > 4)
            continue;
        adapter->bar_address = bar_address(space, space[at + 4]);
        RtlCopyMemory(&adapter->region[type], &space[at + 8], sizeof(ULONG));
        found |= 1u << type;
    }
    return found == 0x1e;
}

static PUCHAR common(const struct adapter *adapter, ULONG offset) {
    return adapter->bar + adapter->region[CAP_COMMON] + offset;
}

static VOID write_address(const struct adapter *adapter, ULONG offset, ULONG64 address) {
    WRITE_REGISTER_ULONG((PULONG)common(adapter, offset), (ULONG)address);
    WRITE_REGISTER_ULONG((PULONG)common(adapter, offset + 4), (ULONG)(address >> 32));
}

static BOOLEAN negotiate(const struct adapter *adapter) {
    WRITE_REGISTER_UCHAR(common(adapter, STATUS), 0);
    WRITE_REGISTER_UCHAR(common(adapter, STATUS), ACKNOWLEDGE | DRIVER);
    WRITE_REGISTER_ULONG((PULONG)common(adapter, FEATURE_SELECT), 1);
    if (!(READ_REGISTER_ULONG((PULONG)common(adapter, FEATURES)) & 1))
        return FALSE; /* VIRTIO_F_VERSION_1, bit 32 */
    WRITE_REGISTER_ULONG((PULONG)common(adapter, DRIVER_FEATURE_SELECT), 1);
    WRITE_REGISTER_ULONG((PULONG)common(adapter, DRIVER_FEATURES), 1);
    WRITE_REGISTER_UCHAR(common(adapter, STATUS), ACKNOWLEDGE | DRIVER | FEATURES_OK);
    return (READ_REGISTER_UCHAR(common(adapter, STATUS)) & FEATURES_OK) != 0;
}

static VOID start_queue(const struct adapter *adapter, ULONG64 address) {
    WRITE_REGISTER_USHORT((PUSHORT)common(adapter, QUEUE_SELECT), 0);
    WRITE_REGISTER_USHORT((PUSHORT)common(adapter, QUEUE_SIZE), QUEUE_ENTRIES);
    write_address(adapter, QUEUE_DESCRIPTORS, address);
    write_address(adapter, QUEUE_AVAILABLE, address + PAGE_SIZE);
    write_address(adapter, QUEUE_USED, address + 2 * PAGE_SIZE);
    WRITE_REGISTER_USHORT((PUSHORT)common(adapter, QUEUE_ENABLE), 1);
    WRITE_REGISTER_UCHAR(common(adapter, STATUS), ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK);
}

/* Queues one request and waits for its answer; the type of the answer, 0: there was none. */
static ULONG ask(const struct adapter *adapter, ULONG64 address, ULONG type) {
    struct descriptor *descriptors = (struct descriptor *)adapter->queue;
    USHORT *available = (USHORT *)(adapter->queue + PAGE_SIZE);
    const volatile USHORT *used = (const volatile USHORT *)(adapter->queue + 2 * PAGE_SIZE);
    ULONG *request = (ULONG *)(adapter->queue + 3 * PAGE_SIZE);
    LARGE_INTEGER millisecond = {.QuadPart = -10000};
    request[0] = type;
    descriptors[0] = (struct descriptor){address + 3 * PAGE_SIZE, 24, 1, 1};
    descriptors[1] = (struct descriptor){address + 4 * PAGE_SIZE, ANSWER_BYTES, 2, 0};
    available[2] = 0; /* the first descriptor of the chain */
    KeMemoryBarrier();
    available[1] = 1; /* chains so far */
    WRITE_REGISTER_USHORT((PUSHORT)(adapter->bar + adapter->region[CAP_NOTIFY]), 0);
    for (ULONG i = 0; i < MOST_WAITS && used[1] != 1; i++)
        KeDelayExecutionThread(KernelMode, FALSE, &millisecond);
    return used[1] == 1 ? *(const ULONG *)(adapter->queue + 4 * PAGE_SIZE) : 0;
}

/* ---- The adapter ----------------------------------------------------------------------------- */

static VOID stop_device(struct adapter *adapter) {
    if (adapter->bar) {
        WRITE_REGISTER_UCHAR(common(adapter, STATUS), 0);
        MmUnmapIoSpace(adapter->bar, adapter->bar_bytes);
    }
    if (adapter->queue)
        MmFreeContiguousMemory(adapter->queue);
    adapter->bar = adapter->queue = NULL;
}

/* The resource at that address. */
static BOOLEAN find_bar(struct adapter *adapter, const DXGK_DEVICE_INFO *info,
                        PHYSICAL_ADDRESS *bar) {
    for (ULONG i = 0; skeleton_resource(info, i, bar, &adapter->bar_bytes); i++)
        if ((ULONG64)bar->QuadPart == adapter->bar_address)
            return TRUE;
    return FALSE;
}

static NTSTATUS start_device(struct adapter *adapter, const DXGK_DEVICE_INFO *info) {
    PHYSICAL_ADDRESS bar, highest = {.QuadPart = MAXLONGLONG};
    if (!find_regions(adapter) || !find_bar(adapter, info, &bar))
        return STATUS_UNSUCCESSFUL;
    adapter->bar = MmMapIoSpaceEx(bar, adapter->bar_bytes, PAGE_READWRITE | PAGE_NOCACHE);
    adapter->queue = MmAllocateContiguousMemory(QUEUE_BYTES, highest);
    if (!adapter->bar || !adapter->queue)
        return STATUS_NO_MEMORY;
    RtlZeroMemory(adapter->queue, QUEUE_BYTES);
    ULONG64 address = (ULONG64)MmGetPhysicalAddress(adapter->queue).QuadPart;
    if (!negotiate(adapter))
        return STATUS_UNSUCCESSFUL;
    start_queue(adapter, address);
    return ask(adapter, address, GET_DISPLAY_INFO) == OK_DISPLAY_INFO ? STATUS_SUCCESS
                                                                      : STATUS_UNSUCCESSFUL;
}

static NTSTATUS start(struct skeleton *base, const DXGK_DEVICE_INFO *info) {
    struct adapter *adapter = (struct adapter *)base;
    NTSTATUS status = start_device(adapter, info);
    if (NT_SUCCESS(status))
        status = cpu_pager_start(&adapter->cpu.pager, APERTURE_PAGES);
    if (!NT_SUCCESS(status))
        stop_device(adapter);
    return status;
}

static VOID stop(struct skeleton *base) {
    struct adapter *adapter = (struct adapter *)base;
    cpu_pager_stop(&adapter->cpu.pager);
    stop_device(adapter);
}

static NTSTATUS segments(struct skeleton *base, const DXGKARG_QUERYADAPTERINFO *args) {
    const DXGK_SEGMENTDESCRIPTOR3 aperture = {
        .Flags.Aperture = 1,
        .Flags.CacheCoherent = 1,
        .Size = APERTURE_BYTES,
        .CommitLimit = APERTURE_BYTES,
    };
    UNREFERENCED_PARAMETER(base);
    return skeleton_segments3(args, &aperture, 1, PAGE_SIZE);
}

const struct skeleton_driver skeleton_driver = {
    .version = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
    .wddm = DXGKDDI_WDDMv1_3,
    .adapter_bytes = sizeof(struct adapter),
    .aperture_bytes = APERTURE_BYTES,
    .preferred = APERTURE,
    .start = start,
    .stop = stop,
    .segments = segments,
};
