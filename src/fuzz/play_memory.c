/*
 * fuzz_play_memory.c - allocations, from private data of user mode or of the driver's own making, and what
 * user mode does with their memory.
 */
#include "play.h"

#include <stdlib.h>
#include <string.h>

#define PRIVATE_MOST    65536u
#define MEMORY_TOGETHER 4u /* allocations of one call, at most */

/* ---- Creating -------------------------------------------------------------------------------- */

static void memory_take(struct play *play, const struct fuzz_call *call, uint32_t index,
                        struct vidmm_allocation *allocation) {
    struct play_allocation *slot = fuzz_play_slot(play, call->a + index);
    uint32_t owner = call->b % PLAY_DEVICES;
    struct vidmm_allocation_info info;
    vidmm_allocation_info(allocation, &info);
    *slot = (struct play_allocation){
        .allocation = allocation, .device = owner, .open = 1u << owner, .size = info.size};
    if ((call->flags & 0x80u) == 0)
        fuzz_play_map_all(play, slot);
}

/* `count` allocations of one resource, in this slot and those behind it. */
static void memory_create(struct play *play, const struct fuzz_call *call,
                          const struct vidmm_allocation_request *requests, uint32_t count) {
    struct vidmm_allocation *made[MEMORY_TOGETHER];
    if (!fuzz_life_good(play->life, vidmm_allocations_create(play->device[call->b % PLAY_DEVICES],
                                                             requests, count, made)))
        return;
    for (uint32_t i = 0; i < count; i++)
        memory_take(play, call, i, made[i]);
}

static bool memory_may(struct play *play, const struct fuzz_call *call, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (fuzz_play_slot(play, call->a + i)->allocation)
            return false;
    return play->device[call->b % PLAY_DEVICES];
}

/* The last flags % 16 times 4 bytes are of the resource, and 1 + flags >> 5 % 4 allocations share the others. */
void fuzz_play_allocate(struct play *play, const struct fuzz_call *call) {
    struct vidmm_allocation_request requests[MEMORY_TOGETHER] = {{.private_data = NULL}};
    uint32_t of_resource = (call->flags & 15u) * 4u, count = 1 + (call->flags >> 5 & 3u);
    if (!memory_may(play, call, count))
        return;
    if (of_resource > call->size)
        of_resource = call->size;
    uint32_t whole = call->size - of_resource, each = whole / count;
    void *resource = fuzz_play_copy(call->data + whole, of_resource);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = i + 1 < count ? each : whole - i * each;
        requests[i].private_data = fuzz_play_copy(call->data + i * each, size);
        requests[i].private_size = requests[i].private_data ? size : 0;
        requests[i].resource_data = resource;
        requests[i].resource_size = resource ? of_resource : 0;
        requests[i].primary = (call->flags & 0x10u) != 0;
    }
    memory_create(play, call, requests, count);
    for (uint32_t i = 0; i < count; i++)
        free(requests[i].private_data);
    free(resource);
}

/* ---- Standard surfaces ----------------------------------------------------------------------- */

union standard_wanted {
    D3DKMDT_SHAREDPRIMARYSURFACEDATA primary;
    D3DKMDT_SHADOWSURFACEDATA shadow;
    D3DKMDT_STAGINGSURFACEDATA staging;
    D3DKMDT_GDISURFACEDATA gdi;
};

static void standard_want(const struct fuzz_call *call, union standard_wanted *wanted,
                          DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *ask) {
    uint32_t width = 1u + (call->value & 0xffu), height = 1u + (call->value >> 8);
    memset(wanted, 0, sizeof(*wanted));
    switch (call->flags % 4) {
    case 0:
        wanted->shadow = (D3DKMDT_SHADOWSURFACEDATA){
            .Width = width, .Height = height, .Format = D3DDDIFMT_A8R8G8B8};
        ask->StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE;
        ask->pCreateShadowSurfaceData = &wanted->shadow;
        break;
    case 1:
        wanted->gdi = (D3DKMDT_GDISURFACEDATA){.Width = width,
                                               .Height = height,
                                               .Format = D3DDDIFMT_A8R8G8B8,
                                               .Type = D3DKMDT_GDISURFACE_TEXTURE};
        ask->StandardAllocationType = D3DKMDT_STANDARDALLOCATION_GDISURFACE;
        ask->pCreateGdiSurfaceData = &wanted->gdi;
        break;
    case 2:
        wanted->staging = (D3DKMDT_STAGINGSURFACEDATA){.Width = width, .Height = height};
        ask->StandardAllocationType = D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE;
        ask->pCreateStagingSurfaceData = &wanted->staging;
        break;
    default:
        wanted->primary = (D3DKMDT_SHAREDPRIMARYSURFACEDATA){
            .Width = width, .Height = height, .Format = D3DDDIFMT_A8R8G8B8, .RefreshRate = {60, 1}};
        ask->StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
        ask->pCreateSharedPrimarySurfaceData = &wanted->primary;
        break;
    }
}

static bool standard_ask(struct play *play, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *ask) {
    const struct vidmm_harness *harness = &play->life->harness;
    return harness->spoken.DxgkDdiGetStandardAllocationDriverData &&
           harness->spoken.DxgkDdiGetStandardAllocationDriverData(vidmm_host_adapter(harness->host),
                                                                  ask) == STATUS_SUCCESS &&
           ask->AllocationPrivateDriverDataSize <= PRIVATE_MOST &&
           ask->ResourcePrivateDriverDataSize <= PRIVATE_MOST;
}

/* The call's data change the driver's own, bit by bit. */
void fuzz_play_standard(struct play *play, const struct fuzz_call *call) {
    union standard_wanted wanted;
    DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA ask = {.AllocationPrivateDriverDataSize = 0};
    standard_want(call, &wanted, &ask);
    if (!memory_may(play, call, 1) || !standard_ask(play, &ask))
        return;
    uint8_t *data = calloc(1, ask.AllocationPrivateDriverDataSize + (size_t)1);
    uint8_t *resource = calloc(1, ask.ResourcePrivateDriverDataSize + (size_t)1);
    ask.pAllocationPrivateDriverData = data;
    ask.pResourcePrivateDriverData = resource;
    if (data && resource && standard_ask(play, &ask)) {
        uint32_t size = ask.AllocationPrivateDriverDataSize;
        for (uint32_t i = 0; i < size && i < call->size; i++)
            data[i] ^= call->data[i];
        void *exact = fuzz_play_copy(data, size);
        const struct vidmm_allocation_request request = {.private_data = exact,
                                                         .private_size = exact ? size : 0,
                                                         .resource_data = resource,
                                                         .resource_size =
                                                             ask.ResourcePrivateDriverDataSize,
                                                         .primary = call->flags % 4 == 3};
        memory_create(play, call, &request, 1);
        free(exact);
    }
    free(data);
    free(resource);
}

/* ---- Using ----------------------------------------------------------------------------------- */

void fuzz_play_free(struct play *play, struct play_allocation *slot) {
    (void)play;
    if (!slot->allocation)
        return;
    while (slot->locks != 0) {
        vidmm_unlock(slot->allocation);
        slot->locks--;
    }
    vidmm_allocation_destroy(slot->allocation);
    *slot = (struct play_allocation){.allocation = NULL};
}

static void memory_lock(struct play *play, struct play_allocation *slot,
                        const struct fuzz_call *call) {
    void *cpu = NULL;
    if (slot->locks < 4 &&
        fuzz_life_good(play->life, vidmm_lock(slot->allocation, call->flags & 0x7fu, &cpu)))
        slot->locks++;
}

static void memory_write(struct play *play, struct play_allocation *slot,
                         const struct fuzz_call *call) {
    void *cpu = NULL;
    if (!fuzz_life_good(play->life, vidmm_lock(slot->allocation, call->flags & 0x7eu, &cpu)))
        return;
    uint64_t at = slot->size != 0 ? call->value % slot->size : 0;
    uint64_t size = call->size < slot->size - at ? call->size : slot->size - at;
    if (size != 0)
        memcpy((uint8_t *)cpu + at, call->data, (size_t)size);
    vidmm_unlock(slot->allocation);
}

static void memory_open(struct play *play, struct play_allocation *slot,
                        const struct fuzz_call *call) {
    uint32_t device = call->b % PLAY_DEVICES;
    if (play->device[device] && (slot->open & 1u << device) == 0 &&
        fuzz_life_good(play->life, vidmm_allocation_open(play->device[device], slot->allocation)))
        slot->open |= 1u << device;
}

static void memory_property(struct play *play, struct play_allocation *slot,
                            const struct fuzz_call *call) {
    DXGKARG_VALIDATEUPDATEALLOCPROPERTY change = {.SupportedSegmentSet = call->value & 0xffu};
    change.PreferredSegment.Value = call->value >> 8;
    change.Flags.Value = call->flags >> 7;
    change.PropertyMaskValue = call->flags & 7u;
    (void)fuzz_life_good(play->life, vidmm_allocation_update(slot->allocation, &change));
}

void fuzz_play_memory(struct play *play, const struct fuzz_call *call) {
    struct play_allocation *slot = fuzz_play_slot(play, call->a);
    if (!slot->allocation)
        return;
    if (call->op == FUZZ_OP_WRITE) {
        memory_write(play, slot, call);
    } else if (call->op == FUZZ_OP_LOCK) {
        memory_lock(play, slot, call);
    } else if (call->op == FUZZ_OP_UNLOCK && slot->locks != 0) {
        slot->locks--;
        vidmm_unlock(slot->allocation);
    } else if (call->op == FUZZ_OP_OPEN) {
        memory_open(play, slot, call);
    } else if (call->op == FUZZ_OP_PRIORITY) {
        vidmm_allocation_set_priority(slot->allocation, (uint32_t)call->value << 16);
    } else if (call->op == FUZZ_OP_PROPERTY) {
        memory_property(play, slot, call);
    }
}
