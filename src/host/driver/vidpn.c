/* vidpn.c - video present networks, what of them is on loan, and DXGK_VIDPN_INTERFACE; see vidpn.h. */
#include "driver/vidpn.h"

#include <stdlib.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/irql.h"

static struct vidmm_vidpn *networks;

struct vidmm_vidpn *vidpn_network(const void *handle) {
    struct vidmm_vidpn *network = networks;
    while (network && network != handle)
        network = network->next;
    return network;
}

const struct vidmm_vidpn *vidpn_first(void) {
    return networks;
}

/* ---- Objects and loans ----------------------------------------------------------------------- */

void *vidpn_make(struct vidmm_vidpn *network, size_t size) {
    struct vidpn_object *object = calloc(1, size);
    if (object) {
        object->next = network->objects;
        network->objects = object;
    }
    return object;
}

bool vidpn_lend(struct vidmm_vidpn *network, const void *thing, const char *function) {
    uint32_t (*walk)(uint64_t * frame, uint32_t most) = host_world->tracking.walk;
    struct vidpn_loan *loan = vidpn_make(network, sizeof(*loan));
    struct vidpn_loan **last = &network->loans;
    if (!loan)
        return false;
    loan->thing = thing;
    loan->kept.function = function;
    loan->kept.places = walk ? walk(loan->kept.place, VIDMM_VIDPN_PLACES) : 0;
    while (*last)
        last = &(*last)->next;
    *last = loan;
    return true;
}

bool vidpn_return(struct vidmm_vidpn *network, const void *thing) {
    struct vidpn_loan **at = &network->loans;
    while (*at && (*at)->thing != thing)
        at = &(*at)->next;
    if (!*at)
        return false;
    *at = (*at)->next;
    return true;
}

bool vidmm_vidpn_kept(const struct vidmm_vidpn *network, uint32_t index,
                      struct vidmm_vidpn_kept *out) {
    const struct vidpn_loan *loan = network->loans;
    while (loan && index-- != 0)
        loan = loan->next;
    if (loan)
        *out = loan->kept;
    return loan;
}

void vidmm_vidpn_forgive(struct vidmm_vidpn *network) {
    network->loans = NULL;
}

/* ---- A network ------------------------------------------------------------------------------- */

static struct vidpn_end *vidpn_end(struct vidmm_vidpn *network, bool of_target, uint32_t id) {
    uint32_t first = of_target ? network->sources : 0;
    uint32_t count = of_target ? network->targets : network->sources;
    for (uint32_t i = first; i < first + count; i++)
        if (network->ends[i].id == id)
            return &network->ends[i];
    return NULL;
}

static bool vidpn_ends_make(struct vidmm_vidpn *network,
                            const D3DDDI_VIDEO_PRESENT_TARGET_ID *targets) {
    for (uint32_t i = 0; i < network->sources + network->targets; i++) {
        struct vidpn_end *end = &network->ends[i];
        end->id = i < network->sources ? i : targets[i - network->sources];
        end->set = vidpn_set_make(network, i);
        if (!end->set)
            return false;
    }
    return true;
}

struct vidmm_vidpn *vidmm_vidpn_create(struct vidmm_host *host, uint32_t sources,
                                       const D3DDDI_VIDEO_PRESENT_TARGET_ID *targets,
                                       uint32_t count) {
    size_t ends = (size_t)sources + count;
    struct vidmm_vidpn *network = calloc(1, sizeof(*network) + ends * sizeof(struct vidpn_end));
    (void)host;
    if (!network)
        return NULL;
    network->sources = sources;
    network->targets = count;
    network->next = networks;
    networks = network;
    if (vidpn_ends_make(network, targets))
        return network;
    vidmm_vidpn_destroy(network);
    return NULL;
}

void vidmm_vidpn_destroy(struct vidmm_vidpn *network) {
    struct vidmm_vidpn **at = &networks;
    if (!network)
        return;
    while (*at != network)
        at = &(*at)->next;
    *at = network->next;
    for (struct vidpn_object *next, *object = network->objects; object; object = next) {
        next = object->next;
        free(object);
    }
    free(network);
}

D3DKMDT_HVIDPN vidmm_vidpn_handle(struct vidmm_vidpn *network) {
    return (D3DKMDT_HVIDPN)(void *)network;
}

static uint32_t vidpn_changes(const struct vidmm_vidpn *network, bool of_target, uint32_t id) {
    const struct vidpn_end *end =
        vidpn_end((struct vidmm_vidpn *)(uintptr_t)network, of_target, id);
    return end ? end->changes : 0;
}

uint32_t vidmm_vidpn_source_changes(const struct vidmm_vidpn *network,
                                    D3DDDI_VIDEO_PRESENT_SOURCE_ID source) {
    return vidpn_changes(network, false, source);
}

uint32_t vidmm_vidpn_target_changes(const struct vidmm_vidpn *network,
                                    D3DDDI_VIDEO_PRESENT_TARGET_ID target) {
    return vidpn_changes(network, true, target);
}

/* ---- DXGK_VIDPN_INTERFACE -------------------------------------------------------------------- */

static NTSTATUS APIENTRY get_topology(const D3DKMDT_HVIDPN handle, D3DKMDT_HVIDPNTOPOLOGY *out,
                                      const DXGK_VIDPNTOPOLOGY_INTERFACE **interface) {
    struct vidmm_vidpn *network = vidpn_network(handle);
    host_irql_at_most(PASSIVE_LEVEL, "pfnGetTopology");
    if (!network)
        return STATUS_GRAPHICS_INVALID_VIDPN;
    if (!out || !interface)
        return STATUS_INVALID_PARAMETER;
    *out = (D3DKMDT_HVIDPNTOPOLOGY)(void *)network;
    *interface = &vidpn_topology_interface;
    return STATUS_SUCCESS;
}

/* What a call about the set of a source or a target is given. */
struct vidpn_request {
    const char *function;
    bool of_target;
    uint32_t id;
};

/* STATUS_SUCCESS: `*end` is it. */
static NTSTATUS vidpn_find(D3DKMDT_HVIDPN handle, const struct vidpn_request *request,
                           struct vidmm_vidpn **network, struct vidpn_end **end) {
    host_irql_at_most(PASSIVE_LEVEL, request->function);
    *network = vidpn_network(handle);
    if (!*network)
        return STATUS_GRAPHICS_INVALID_VIDPN;
    *end = vidpn_end(*network, request->of_target, request->id);
    if (*end)
        return STATUS_SUCCESS;
    return request->of_target ? STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET
                              : STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
}

static NTSTATUS vidpn_set_get(D3DKMDT_HVIDPN handle, const struct vidpn_request *request, bool make,
                              void **out) {
    struct vidmm_vidpn *network;
    struct vidpn_end *end;
    *out = NULL;
    NTSTATUS status = vidpn_find(handle, request, &network, &end);
    if (status != STATUS_SUCCESS)
        return status;
    struct vidpn_set *set =
        make ? vidpn_set_make(network, (uint32_t)(end - network->ends)) : end->set;
    if (!set || !vidpn_lend(network, set, request->function))
        return STATUS_NO_MEMORY;
    *out = set;
    return STATUS_SUCCESS;
}

static NTSTATUS vidpn_set_release(D3DKMDT_HVIDPN handle, const char *function, const void *given,
                                  bool of_target) {
    struct vidmm_vidpn *network = vidpn_network(handle);
    host_irql_at_most(PASSIVE_LEVEL, function);
    struct vidpn_set *set = vidpn_set_of(given, of_target);
    if (!network)
        return STATUS_GRAPHICS_INVALID_VIDPN;
    if (set && set->network != network)
        return STATUS_GRAPHICS_RESOURCES_NOT_RELATED;
    if (!set || !vidpn_return(network, set))
        return of_target ? STATUS_GRAPHICS_INVALID_VIDPN_TARGETMODESET
                         : STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET;
    set->object.gone = network->ends[set->end].set != set;
    return STATUS_SUCCESS;
}

/* The mode that is pinned so far is one of the new set's. */
static bool vidpn_keeps_pinned(const struct vidpn_set *old, struct vidpn_set *set) {
    struct vidpn_mode *mode = set->modes;
    if (!old->pinned)
        return true;
    while (mode && mode->info.id != old->pinned->info.id)
        mode = mode->next;
    set->pinned = mode;
    return mode;
}

/* nc-d3dkmddi-dxgkddi_vidpn_assignsourcemodeset.md: behind wrong parameters alone the set stays the driver's. */
static NTSTATUS vidpn_set_assign(D3DKMDT_HVIDPN handle, const struct vidpn_request *request,
                                 const void *given) {
    struct vidmm_vidpn *network;
    struct vidpn_end *end;
    NTSTATUS invalid = request->of_target ? STATUS_GRAPHICS_INVALID_VIDPN_TARGETMODESET
                                          : STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET;
    NTSTATUS status = vidpn_find(handle, request, &network, &end);
    if (status != STATUS_SUCCESS)
        return status;
    struct vidpn_set *set = vidpn_set_of(given, request->of_target);
    if (!set || set->network != network || !vidpn_return(network, set))
        return invalid;
    set->object.gone = true;
    if (!set->modes || &network->ends[set->end] != end)
        return invalid;
    if (!vidpn_keeps_pinned(end->set, set))
        return STATUS_GRAPHICS_PINNED_MODE_MUST_REMAIN_IN_SET;
    set->object.gone = false;
    end->set = set;
    end->changes++;
    return STATUS_SUCCESS;
}

/* The four functions of sets, of sources and of targets. */
#define VIDPN_SETS(kind, Kind, target_, set_handle, set_interface, id_type)                        \
    static NTSTATUS APIENTRY acquire_##kind##_set(const D3DKMDT_HVIDPN handle, const id_type id,   \
                                                  set_handle *out,                                 \
                                                  const set_interface **interface) {               \
        const struct vidpn_request request = {"pfnAcquire" Kind "ModeSet", target_, id};           \
        if (interface)                                                                             \
            *interface = &vidpn_##kind##_set_interface;                                            \
        return out ? vidpn_set_get(handle, &request, false, (void **)out)                          \
                   : STATUS_INVALID_PARAMETER;                                                     \
    }                                                                                              \
    static NTSTATUS APIENTRY release_##kind##_set(const D3DKMDT_HVIDPN handle,                     \
                                                  const set_handle set) {                          \
        return vidpn_set_release(handle, "pfnRelease" Kind "ModeSet", set, target_);               \
    }                                                                                              \
    static NTSTATUS APIENTRY create_##kind##_set(const D3DKMDT_HVIDPN handle, const id_type id,    \
                                                 set_handle *out,                                  \
                                                 const set_interface **interface) {                \
        const struct vidpn_request request = {"pfnCreateNew" Kind "ModeSet", target_, id};         \
        if (interface)                                                                             \
            *interface = &vidpn_##kind##_set_interface;                                            \
        return out ? vidpn_set_get(handle, &request, true, (void **)out)                           \
                   : STATUS_INVALID_PARAMETER;                                                     \
    }                                                                                              \
    static NTSTATUS APIENTRY assign_##kind##_set(const D3DKMDT_HVIDPN handle, const id_type id,    \
                                                 const set_handle set) {                           \
        const struct vidpn_request request = {"pfnAssign" Kind "ModeSet", target_, id};            \
        return vidpn_set_assign(handle, &request, set);                                            \
    }

VIDPN_SETS(source, "Source", false, D3DKMDT_HVIDPNSOURCEMODESET, DXGK_VIDPNSOURCEMODESET_INTERFACE,
           D3DDDI_VIDEO_PRESENT_SOURCE_ID)
VIDPN_SETS(target, "Target", true, D3DKMDT_HVIDPNTARGETMODESET, DXGK_VIDPNTARGETMODESET_INTERFACE,
           D3DDDI_VIDEO_PRESENT_TARGET_ID)

static NTSTATUS APIENTRY assign_multisampling(const D3DKMDT_HVIDPN handle,
                                              const D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                              const SIZE_T count,
                                              const D3DDDI_MULTISAMPLINGMETHOD *methods) {
    const struct vidpn_request request = {"pfnAssignMultisamplingMethodSet", false, source};
    struct vidmm_vidpn *network;
    struct vidpn_end *end;
    (void)count;
    (void)methods;
    return vidpn_find(handle, &request, &network, &end);
}

static const DXGK_VIDPN_INTERFACE vidpn_interface = {
    .Version = DXGK_VIDPN_INTERFACE_VERSION_V1,
    .pfnGetTopology = get_topology,
    .pfnAcquireSourceModeSet = acquire_source_set,
    .pfnReleaseSourceModeSet = release_source_set,
    .pfnCreateNewSourceModeSet = create_source_set,
    .pfnAssignSourceModeSet = assign_source_set,
    .pfnAssignMultisamplingMethodSet = assign_multisampling,
    .pfnAcquireTargetModeSet = acquire_target_set,
    .pfnReleaseTargetModeSet = release_target_set,
    .pfnCreateNewTargetModeSet = create_target_set,
    .pfnAssignTargetModeSet = assign_target_set,
};

const DXGK_VIDPN_INTERFACE *vidmm_vidpn_interface(void) {
    return &vidpn_interface;
}

NTSTATUS APIENTRY host_vidpn_query(const D3DKMDT_HVIDPN handle,
                                   const DXGK_VIDPN_INTERFACE_VERSION version,
                                   const DXGK_VIDPN_INTERFACE **out) {
    host_irql_at_most(PASSIVE_LEVEL, "DxgkCbQueryVidPnInterface");
    if (!out)
        return STATUS_INVALID_PARAMETER;
    *out = NULL;
    if (!vidpn_network(handle))
        return STATUS_GRAPHICS_INVALID_VIDPN;
    if (version != DXGK_VIDPN_INTERFACE_VERSION_V1)
        return STATUS_NOT_SUPPORTED;
    *out = &vidpn_interface;
    return STATUS_SUCCESS;
}
