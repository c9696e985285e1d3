/* vidpn_modes.c - sets of modes of a video present network's sources and targets; see vidpn.h. */
#include "driver/vidpn.h"

#include "base/thread.h"
#include "base/violations.h"
#include "kernel/irql.h"

struct vidpn_set *vidpn_set_make(struct vidmm_vidpn *network, uint32_t end) {
    struct vidpn_set *set = vidpn_make(network, sizeof(*set));
    if (!set)
        return NULL;
    set->network = network;
    set->of_target = end >= network->sources;
    set->end = end;
    set->last = &set->modes;
    set->next = network->sets;
    network->sets = set;
    return set;
}

/* Handles come without that of the network. */
struct vidpn_set *vidpn_set_of(const void *handle, bool of_target) {
    const struct vidmm_vidpn *network = vidpn_first();
    for (; network; network = network->next)
        for (struct vidpn_set *set = network->sets; set; set = set->next)
            if (set == handle)
                return set->of_target == of_target && !set->object.gone ? set : NULL;
    return NULL;
}

/* ---- What both kinds of sets have in common -------------------------------------------------- */

static NTSTATUS modes_invalid(bool of_target) {
    return of_target ? STATUS_GRAPHICS_INVALID_VIDPN_TARGETMODESET
                     : STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET;
}

/* The set of a call; NULL: there is none with that handle. */
static struct vidpn_set *modes_begin(const void *handle, bool of_target, const char *function) {
    host_irql_at_most(PASSIVE_LEVEL, function);
    return vidpn_set_of(handle, of_target);
}

static NTSTATUS modes_count(const void *handle, bool of_target, SIZE_T *count) {
    const struct vidpn_set *set = modes_begin(handle, of_target, "pfnGetNumModes");
    if (!set)
        return modes_invalid(of_target);
    if (!count)
        return STATUS_INVALID_PARAMETER;
    *count = 0;
    for (const struct vidpn_mode *mode = set->modes; mode; mode = mode->next)
        ++*count;
    return STATUS_SUCCESS;
}

/* Lends `mode`; NULL: `none` says why there is none. */
static NTSTATUS modes_give(const struct vidpn_set *set, const struct vidpn_mode *mode,
                           const char *function, NTSTATUS none, const void **out) {
    *out = NULL;
    if (!mode)
        return none;
    if (!vidpn_lend(set->network, &mode->info, function))
        return STATUS_NO_MEMORY;
    *out = &mode->info;
    return STATUS_SUCCESS;
}

static NTSTATUS modes_first(const void *handle, bool of_target, const void **out) {
    static const char function[] = "pfnAcquireFirstModeInfo";
    const struct vidpn_set *set = modes_begin(handle, of_target, function);
    return set ? modes_give(set, set->modes, function, STATUS_GRAPHICS_DATASET_IS_EMPTY, out)
               : modes_invalid(of_target);
}

static NTSTATUS modes_next(const void *handle, bool of_target, const void *given,
                           const void **out) {
    static const char function[] = "pfnAcquireNextModeInfo";
    const struct vidpn_set *set = modes_begin(handle, of_target, function);
    if (!set)
        return modes_invalid(of_target);
    const struct vidpn_mode *mode = set->modes;
    while (mode && &mode->info != given)
        mode = mode->next;
    if (!mode)
        return STATUS_INVALID_PARAMETER;
    return modes_give(set, mode->next, function, STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET, out);
}

/* That none is pinned is said by NULL alone (nc-d3dkmddi-dxgkddi_vidpnsourcemodeset_acquirepinnedmodeinfo.md). */
static NTSTATUS modes_pinned(const void *handle, bool of_target, const void **out) {
    static const char function[] = "pfnAcquirePinnedModeInfo";
    const struct vidpn_set *set = modes_begin(handle, of_target, function);
    return set ? modes_give(set, set->pinned, function, STATUS_SUCCESS, out)
               : modes_invalid(of_target);
}

static NTSTATUS modes_release(const void *handle, bool of_target, const void *given) {
    const struct vidpn_set *set = modes_begin(handle, of_target, "pfnReleaseModeInfo");
    if (!set)
        return modes_invalid(of_target);
    return vidpn_return(set->network, given) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

static NTSTATUS modes_create(const void *handle, bool of_target, void **out) {
    static const char function[] = "pfnCreateNewModeInfo";
    struct vidpn_set *set = modes_begin(handle, of_target, function);
    *out = NULL;
    if (!set)
        return modes_invalid(of_target);
    struct vidpn_mode *mode = vidpn_make(set->network, sizeof(*mode));
    if (!mode || !vidpn_lend(set->network, &mode->info, function))
        return STATUS_NO_MEMORY;
    mode->info.id = ++set->ids;
    *out = &mode->info;
    return STATUS_SUCCESS;
}

/* A frequency that is not known is 0 / 0, or D3DKMDT_FREQUENCY_NOTSPECIFIED twice. */
static bool modes_frequency(const D3DDDI_RATIONAL *frequency, const char *member) {
    if (frequency->Denominator != 0 || frequency->Numerator == 0)
        return true;
    host_violation("pfnAddMode of DXGK_VIDPNTARGETMODESET_INTERFACE got a mode whose %s is %u / 0",
                   member, frequency->Numerator);
    return false;
}

/* As nc-d3dkmddi-dxgkddi_monitorsourcemodeset_addmode.md has it of the same structure. */
static bool modes_sound(const D3DKMDT_VIDPN_TARGET_MODE *mode) {
    const D3DKMDT_VIDEO_SIGNAL_INFO *signal = &mode->VideoSignalInfo;
    return modes_frequency(&signal->VSyncFreq, "VSyncFreq") &&
           modes_frequency(&signal->HSyncFreq, "HSyncFreq");
}

static NTSTATUS modes_add(const void *handle, bool of_target, void *given) {
    struct vidpn_set *set = modes_begin(handle, of_target, "pfnAddMode");
    if (!set)
        return modes_invalid(of_target);
    if (!given)
        return STATUS_INVALID_PARAMETER;
    struct vidpn_mode *mode = CONTAINING_RECORD(given, struct vidpn_mode, info);
    if (!vidpn_return(set->network, given) || mode->added)
        return STATUS_INVALID_PARAMETER;
    if (of_target && !modes_sound(given))
        return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET_MODE;
    mode->added = true;
    *set->last = mode;
    set->last = &mode->next;
    return STATUS_SUCCESS;
}

static NTSTATUS modes_pin(const void *handle, bool of_target, UINT id) {
    struct vidpn_set *set = modes_begin(handle, of_target, "pfnPinMode");
    if (!set)
        return modes_invalid(of_target);
    struct vidpn_mode *mode = set->modes;
    while (mode && mode->info.id != id)
        mode = mode->next;
    if (!mode)
        return of_target ? STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET_MODE
                         : STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE_MODE;
    set->pinned = mode;
    return STATUS_SUCCESS;
}

/* ---- The two tables -------------------------------------------------------------------------- */

#define MODES_TABLE(kind, of_target, set_handle, mode_type)                                        \
    static NTSTATUS APIENTRY kind##_count(const set_handle set, SIZE_T *count) {                   \
        return modes_count(set, of_target, count);                                                 \
    }                                                                                              \
    static NTSTATUS APIENTRY kind##_first(const set_handle set, const mode_type **out) {           \
        return modes_first(set, of_target, (const void **)out);                                    \
    }                                                                                              \
    static NTSTATUS APIENTRY kind##_next(const set_handle set, const mode_type *mode,              \
                                         const mode_type **out) {                                  \
        return modes_next(set, of_target, mode, (const void **)out);                               \
    }                                                                                              \
    static NTSTATUS APIENTRY kind##_pinned(const set_handle set, const mode_type **out) {          \
        return modes_pinned(set, of_target, (const void **)out);                                   \
    }                                                                                              \
    static NTSTATUS APIENTRY kind##_release(const set_handle set, const mode_type *mode) {         \
        return modes_release(set, of_target, mode);                                                \
    }                                                                                              \
    static NTSTATUS APIENTRY kind##_create(const set_handle set, mode_type **out) {                \
        return modes_create(set, of_target, (void **)out);                                         \
    }                                                                                              \
    static NTSTATUS APIENTRY kind##_add(const set_handle set, mode_type *mode) {                   \
        return modes_add(set, of_target, mode);                                                    \
    }                                                                                              \
    static NTSTATUS APIENTRY kind##_pin(const set_handle set, const UINT id) {                     \
        return modes_pin(set, of_target, id);                                                      \
    }

#define MODES_FUNCTIONS(kind)                                                                      \
    .pfnGetNumModes = kind##_count, .pfnAcquireFirstModeInfo = kind##_first,                       \
    .pfnAcquireNextModeInfo = kind##_next, .pfnAcquirePinnedModeInfo = kind##_pinned,              \
    .pfnReleaseModeInfo = kind##_release, .pfnCreateNewModeInfo = kind##_create,                   \
    .pfnAddMode = kind##_add, .pfnPinMode = kind##_pin

MODES_TABLE(source, false, D3DKMDT_HVIDPNSOURCEMODESET, D3DKMDT_VIDPN_SOURCE_MODE)
MODES_TABLE(target, true, D3DKMDT_HVIDPNTARGETMODESET, D3DKMDT_VIDPN_TARGET_MODE)

const DXGK_VIDPNSOURCEMODESET_INTERFACE vidpn_source_set_interface = {MODES_FUNCTIONS(source)};
const DXGK_VIDPNTARGETMODESET_INTERFACE vidpn_target_set_interface = {MODES_FUNCTIONS(target)};
