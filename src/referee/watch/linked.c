/*
 * linked.c - the devices behind one logical adapter (nc-dispmprt-dxgkddi_link_device.md): which
 * there are, that the driver links them to one chain, the order in which they start and stop, and
 * that calls name one of them. The host notes these calls in the ledger itself.
 */
#include "watch/query.h"
#include "watch/watch.h"

/* ---- The chain ------------------------------------------------------------------------------- */

static bool linked_asked(const struct vidmm_referee *referee) {
    return referee->real.DxgkDdiLinkDevice;
}

/* Nothing comes between DxgkDdiAddDevice and DxgkDdiLinkDevice. */
static void linked_judge_next(struct vidmm_referee *referee) {
    if (linked_asked(referee))
        MANAGER_MUST(500, !referee->linked.added, "DxgkDdiLinkDevice right after DxgkDdiAddDevice",
                     "another call came first%s", "");
    referee->linked.added = NULL;
}

static NTSTATUS watch_AddDevice(struct vidmm_referee *referee, const PDEVICE_OBJECT object,
                                PVOID *context) {
    struct linked *linked = &referee->linked;
    pthread_mutex_lock(&referee->lock);
    linked_judge_next(referee);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = referee->real.DxgkDdiAddDevice(object, context);
    pthread_mutex_lock(&referee->lock);
    if (status == STATUS_SUCCESS && linked->devices < LINKED_MOST) {
        linked->device[linked->devices++] = (struct linked_device){.context = *context};
        linked->added = linked_asked(referee) ? *context : NULL;
    }
    linked->whole = linked->whole || status != STATUS_SUCCESS;
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_2(NTSTATUS, AddDevice, const PDEVICE_OBJECT, PVOID *)

static bool linked_same_chain(const struct linked_device *a, const struct linked_device *b) {
    return a->linked && b->linked && a->chain == b->chain;
}

struct chain_counts {
    const struct linked_device *first; /* that answered */
    uint32_t answers, leads;
};

/* Of the chain that a linked device is in. */
static struct chain_counts linked_count_links(const struct linked *linked,
                                              const struct linked_device *device) {
    struct chain_counts counts = {.first = NULL};
    for (uint32_t i = 0; i < linked->devices; i++) {
        const struct linked_device *at = &linked->device[i];
        if (!linked_same_chain(at, device))
            continue;
        counts.first = counts.first ? counts.first : at;
        counts.answers++;
        counts.leads += at->lead;
    }
    return counts;
}

/* Devices that are not linked to others may say a chain of none, or one each. */
static bool linked_alone(const struct linked_device *device) {
    return device->links <= 1;
}

static void linked_judge_chain(struct vidmm_referee *referee, const struct linked_device *device) {
    struct chain_counts counts = linked_count_links(&referee->linked, device);
    if (linked_alone(device) && linked_alone(counts.first))
        return;
    DRIVER_MUST(501, device->links == counts.first->links && counts.answers <= device->links,
                "one NumberOfLinksInChain for a ChainUid, the number of its devices",
                "device %u of chain 0x%x has %u links; the first has %u", counts.answers,
                (unsigned)device->chain, device->links, counts.first->links);
    DRIVER_MUST(502,
                counts.leads <= 1 && (counts.leads == 1 || counts.answers != counts.first->links),
                "LeadLink TRUE of one device of the chain", "it is of %u of %u devices",
                counts.leads, counts.answers);
}

static NTSTATUS watch_LinkDevice(struct vidmm_referee *referee, const PDEVICE_OBJECT object,
                                 const PVOID context, PLINKED_DEVICE answer) {
    pthread_mutex_lock(&referee->lock);
    MANAGER_MUST(500, referee->linked.added == context,
                 "the device that DxgkDdiAddDevice was just called for",
                 "MiniportDeviceContext is %p, that device's %p", context, referee->linked.added);
    referee->linked.added = NULL;
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = referee->real.DxgkDdiLinkDevice(object, context, answer);
    pthread_mutex_lock(&referee->lock);
    struct linked_device *device = linked_of_context(referee, context);
    if (status == STATUS_SUCCESS && device) {
        device->linked = true;
        device->lead = answer->LeadLink;
        device->chain = answer->ChainUid;
        device->links = answer->NumberOfLinksInChain;
        linked_judge_chain(referee, device);
    }
    referee->linked.whole = referee->linked.whole || status != STATUS_SUCCESS;
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_3(NTSTATUS, LinkDevice, const PDEVICE_OBJECT, const PVOID, PLINKED_DEVICE)

/* When a device starts, or is removed without that, all links were added. */
static void linked_judge_whole(struct vidmm_referee *referee) {
    struct linked *linked = &referee->linked;
    for (uint32_t i = 0; !linked->whole && i < linked->devices; i++) {
        const struct linked_device *device = &linked->device[i];
        if (!device->linked || linked_alone(device))
            continue;
        uint32_t answers = linked_count_links(linked, device).answers;
        DRIVER_MUST(501, answers == device->links,
                    "a NumberOfLinksInChain that is the number of linked devices",
                    "NumberOfLinksInChain of chain 0x%x is %u, and %u devices were added",
                    (unsigned)device->chain, device->links, answers);
    }
    linked->whole = true;
}

/* ---- Start and stop -------------------------------------------------------------------------- */

/* Other devices of the chain; only those that are started, and only the lead, where wanted. */
static uint32_t linked_others(const struct linked *linked, const struct linked_device *device,
                              bool started, bool lead) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < linked->devices; i++) {
        const struct linked_device *at = &linked->device[i];
        count += at != device && linked_same_chain(at, device) && (!started || at->handle) &&
                 (!lead || at->lead);
    }
    return count;
}

static void linked_judge_start(struct vidmm_referee *referee, const struct linked_device *device) {
    const struct linked *linked = &referee->linked;
    uint32_t others = linked_others(linked, device, true, false);
    if (!device->linked || linked_alone(device) || linked_others(linked, device, false, false) == 0)
        return;
    MANAGER_MUST(514,
                 device->lead ? others == linked_others(linked, device, false, false)
                              : linked_others(linked, device, true, true) == 0,
                 "the lead started after all other devices of the chain",
                 "%s is started, %u other devices are",
                 device->lead ? "the lead" : "another device", others);
}

void linked_stopping(struct vidmm_referee *referee, PVOID context) {
    const struct linked *linked = &referee->linked;
    struct linked_device *device = linked_of_context(referee, context);
    if (!device)
        return;
    if (device->linked && !linked_alone(device) && linked_others(linked, device, false, false) != 0)
        MANAGER_MUST(514, device->lead || linked_others(linked, device, true, true) == 0,
                     "the lead stopped before all other devices of the chain",
                     "another device is stopped, the lead is not%s", "");
    device->handle = NULL;
    device->reported = false;
}

/* What the host puts into the results of DxgkDdiStartDevice, and judges when it is still there. */
#define UNSET MAXULONG

static NTSTATUS watch_StartDevice(struct vidmm_referee *referee, const PVOID context,
                                  PDXGK_START_INFO info, PDXGKRNL_INTERFACE callbacks,
                                  PULONG sources, PULONG children) {
    pthread_mutex_lock(&referee->lock);
    struct linked_device *device = linked_of_context(referee, context);
    linked_judge_next(referee);
    linked_judge_whole(referee);
    if (device) {
        linked_judge_start(referee, device);
        device->handle = callbacks->DeviceHandle;
    }
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = referee->real.DxgkDdiStartDevice(context, info, callbacks, sources, children);
    pthread_mutex_lock(&referee->lock);
    device = linked_of_context(referee, context);
    if (device && status != STATUS_SUCCESS)
        device->handle = NULL;
    if (status == STATUS_SUCCESS && *sources != UNSET) {
        referee->adapter.sources = *sources;
        slots_judge_sources(referee, *sources);
    }
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_5(NTSTATUS, StartDevice, const PVOID, PDXGK_START_INFO, PDXGKRNL_INTERFACE, PULONG, PULONG)

static NTSTATUS watch_RemoveDevice(struct vidmm_referee *referee, const PVOID context) {
    struct linked *linked = &referee->linked;
    pthread_mutex_lock(&referee->lock);
    struct linked_device *device = linked_of_context(referee, context);
    linked_judge_whole(referee);
    if (device) {
        *device = linked->device[--linked->devices];
        linked->device[linked->devices] = (struct linked_device){.context = NULL};
    }
    if (linked->devices == 0)
        *linked = (struct linked){.devices = 0};
    linked->added = NULL;
    pthread_mutex_unlock(&referee->lock);
    return referee->real.DxgkDdiRemoveDevice(context);
}
WATCHED_1(NTSTATUS, RemoveDevice, const PVOID)

void referee_watch_linked(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    referee->linked = (struct linked){.devices = 0};
    WATCH(table, AddDevice);
    WATCH(table, LinkDevice);
    WATCH(table, StartDevice);
    WATCH(table, RemoveDevice);
}

/* ---- Calls that name one --------------------------------------------------------------------- */

void linked_judge_index(struct vidmm_referee *referee, uint32_t index) {
    MANAGER_MUST(504, index < linked_count(referee),
                 "the index of a physical adapter of the link, 0 where adapters are not linked",
                 "the index is %u, of %u physical adapters", index, linked_count(referee));
}

/* The index in the input of a query; false: the query has none. */
static bool linked_query_index(const DXGKARG_QUERYADAPTERINFO *args, uint32_t *index) {
    const void *in = args->pInputData;
    switch ((uint32_t)args->Type) {
    case DXGKQAITYPE_QUERYSEGMENT4:
    case DXGKQAITYPE_GPUMMUCAPS:
    case DXGKQAITYPE_PHYSICALADAPTERCAPS: /* the inputs have one member, a UINT */
        if (!in || args->InputDataSize < sizeof(DXGK_QUERYGPUMMUCAPSIN))
            return false;
        *index = ((const DXGK_QUERYGPUMMUCAPSIN *)in)->PhysicalAdapterIndex;
        return true;
    case DXGKQAITYPE_PAGETABLELEVELDESC:
        if (!in || args->InputDataSize < sizeof(DXGK_QUERYPAGETABLELEVELDESCIN))
            return false;
        *index = ((const DXGK_QUERYPAGETABLELEVELDESCIN *)in)->PhysicalAdapterIndex;
        return true;
    default:
        return false;
    }
}

void linked_judge_query(struct vidmm_referee *referee, const struct query *query) {
    uint32_t index;
    if (query->args->Type != DXGKQAITYPE_QUERYSEGMENT4 && /* R12 */
        linked_query_index(query->args, &index))
        linked_judge_index(referee, index);
}

bool linked_knows_asked(struct vidmm_referee *referee, const struct query *query) {
    uint32_t index;
    return linked_query_index(query->args, &index) && index < linked_count(referee);
}

void linked_judge_answer(struct vidmm_referee *referee, const struct query *query) {
    uint32_t index;
    if (!linked_query_index(query->args, &index) || index < linked_count(referee))
        return;
    DRIVER_MUST(515, query->status != STATUS_SUCCESS,
                "no answer about a physical adapter that the link does not have",
                "query type %u of physical adapter %u, of %u, was answered with success",
                (unsigned)query->args->Type, index, linked_count(referee));
}
