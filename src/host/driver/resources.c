/* resources.c - the resources of a device, as DxgkCbGetDeviceInformation describes them. */
#include "driver/resources.h"

#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "memory/bars.h"

/* The translated resources are part of the host: drivers keep the pointer while they start. */
struct resources {
    ULONG count;
    struct {
        INTERFACE_TYPE type;
        ULONG bus;
        USHORT version, revision;
        ULONG count;
        CM_PARTIAL_RESOURCE_DESCRIPTOR descriptor[VIDMM_HW_BARS + 2]; /* the last one: behind all */
    } list;
};

static struct resources resources_of[HOST_LINKED_MOST];

static void describe_ports(CM_PARTIAL_RESOURCE_DESCRIPTOR *d, const struct host_bar *bar) {
    d->Type = CmResourceTypePort;
    d->ShareDisposition = CmResourceShareDeviceExclusive;
    d->Flags = CM_RESOURCE_PORT_IO | CM_RESOURCE_PORT_BAR;
    d->u.Port.Start.QuadPart = (LONGLONG)bar->physical;
    d->u.Port.Length = (ULONG)bar->bar.size;
}

/* Sizes from 4 GiB on have larger units: CM_RESOURCE_MEMORY_LARGE_*. */
static void describe_bar(CM_PARTIAL_RESOURCE_DESCRIPTOR *d, const struct host_bar *bar) {
    d->Type = CmResourceTypeMemory;
    d->ShareDisposition = CmResourceShareDeviceExclusive;
    d->Flags = CM_RESOURCE_MEMORY_READ_WRITE | CM_RESOURCE_MEMORY_BAR;
    if (bar->bar.kind == VIDMM_HW_BAR_MEMORY)
        d->Flags |= CM_RESOURCE_MEMORY_PREFETCHABLE;
    d->u.Memory.Start.QuadPart = (LONGLONG)bar->physical;
    d->u.Memory.Length = (ULONG)bar->bar.size;
    if (bar->bar.size <= UINT32_MAX)
        return;
    d->Type = CmResourceTypeMemoryLarge;
    d->Flags |= CM_RESOURCE_MEMORY_LARGE_48;
    d->u.Memory48.Length48 = (ULONG)(bar->bar.size >> 16);
}

/* On a line that other devices share. */
static void describe_line(CM_PARTIAL_RESOURCE_DESCRIPTOR *d) {
    d->Type = CmResourceTypeInterrupt;
    d->ShareDisposition = CmResourceShareShared;
    d->Flags = CM_RESOURCE_INTERRUPT_LEVEL_SENSITIVE;
    d->u.Interrupt.Level = HOST_DEVICE_IRQL;
    d->u.Interrupt.Vector = 0x90;
    d->u.Interrupt.Affinity = 1;
}

static void describe_message(CM_PARTIAL_RESOURCE_DESCRIPTOR *d) {
    d->Type = CmResourceTypeInterrupt;
    d->ShareDisposition = CmResourceShareDeviceExclusive;
    d->Flags = CM_RESOURCE_INTERRUPT_LATCHED | CM_RESOURCE_INTERRUPT_MESSAGE;
    d->u.MessageInterrupt.Translated.Level = HOST_DEVICE_IRQL;
    d->u.MessageInterrupt.Translated.Vector = 0x90;
    d->u.MessageInterrupt.Translated.Affinity = 1;
}

#define NOBODYS_MEMORY INT64_C(0x7ff000000000)

/* Behind the end of the list: memory of no device, for a driver that goes one too far. */
static void describe_nobodys(CM_PARTIAL_RESOURCE_DESCRIPTOR *d) {
    d->Type = CmResourceTypeMemory;
    d->Flags = CM_RESOURCE_MEMORY_READ_WRITE | CM_RESOURCE_MEMORY_BAR;
    d->u.Memory.Start.QuadPart = NOBODYS_MEMORY;
    d->u.Memory.Length = 4096;
}

/* What a driver that does not start has seen. */
static void trace_resources(const struct host_bar *bars) {
    static const char *const kinds[] = {[VIDMM_HW_BAR_REGISTERS] = "registers",
                                        [VIDMM_HW_BAR_MEMORY] = "memory",
                                        [VIDMM_HW_BAR_PORTS] = "ports"};
    for (uint32_t i = 0; i < VIDMM_HW_BARS; i++)
        if (bars[i].bar.kind != VIDMM_HW_BAR_NONE)
            host_log("  DxgkCbGetDeviceInformation: %s, 0x%llx bytes at 0x%llx\n",
                     kinds[bars[i].bar.kind], (unsigned long long)bars[i].bar.size,
                     (unsigned long long)bars[i].physical);
    host_log("  DxgkCbGetDeviceInformation: an interrupt, %s\n",
             host_world->config.line ? "on a shared line" : "by message");
}

PCM_RESOURCE_LIST host_resources(uint32_t board) {
    const struct host_bar *bars = host_bars_of(host_world->bars, board);
    struct resources *resources = &resources_of[board];
    ULONG n = 0;
    memset(resources, 0, sizeof(*resources));
    resources->count = 1;
    resources->list.type = PCIBus;
    resources->list.version = resources->list.revision = 1;
    for (uint32_t i = 0; i < VIDMM_HW_BARS; i++)
        if (bars[i].bar.kind == VIDMM_HW_BAR_PORTS)
            describe_ports(&resources->list.descriptor[n++], &bars[i]);
        else if (bars[i].bar.kind != VIDMM_HW_BAR_NONE)
            describe_bar(&resources->list.descriptor[n++], &bars[i]);
    if (host_world->config.line)
        describe_line(&resources->list.descriptor[n++]);
    else
        describe_message(&resources->list.descriptor[n++]);
    resources->list.count = n;
    describe_nobodys(&resources->list.descriptor[n]);
    if (host_world->config.trace_calls)
        trace_resources(bars);
    return (PCM_RESOURCE_LIST)(void *)resources;
}

_Static_assert(offsetof(CM_RESOURCE_LIST, List[0].PartialResourceList.PartialDescriptors) ==
                   offsetof(struct resources, list.descriptor),
               "the resource list is laid out as CM_RESOURCE_LIST");
