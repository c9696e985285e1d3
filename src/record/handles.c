/*
 * handles.c - see handles.h. Open addressing, with what follows a removed entry moved up.
 */
#include "handles.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 256u

struct handle_name {
    const void *handle; /* NULL: free */
    uint32_t kind, number;
};

const char *handle_kind_name(enum handle_kind kind) {
    static const char *const names[HANDLE_KINDS] = {
        [HANDLE_ADAPTER] = "adapter",   [HANDLE_DEVICE] = "device",
        [HANDLE_CONTEXT] = "context",   [HANDLE_PROCESS] = "process",
        [HANDLE_RESOURCE] = "resource", [HANDLE_ALLOCATION] = "allocation",
        [HANDLE_OPENED] = "opened",     [HANDLE_BASIS] = "basis",
    };
    return names[kind];
}

/* Where it is in a table of `room`, or where it would be. */
static uint32_t handle_at(const struct handle_name *slot, uint32_t room, uint32_t kind,
                          const void *handle) {
    uint64_t mixed = ((uintptr_t)handle + kind) * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(mixed >> 32) & (room - 1);
    while (slot[at].handle && (slot[at].handle != handle || slot[at].kind != kind))
        at = (at + 1) & (room - 1);
    return at;
}

/* At most half of the table is used. */
static bool handle_room(struct handle_names *names) {
    uint32_t room = names->room != 0 ? names->room * 2 : FIRST_ROOM;
    if (names->used * 2 < names->room)
        return true;
    struct handle_name *slot = calloc(room, sizeof(*slot));
    if (!slot)
        return false;
    for (uint32_t i = 0; i < names->room; i++) {
        const struct handle_name *old = &names->slot[i];
        if (old->handle)
            slot[handle_at(slot, room, old->kind, old->handle)] = *old;
    }
    free(names->slot);
    names->slot = slot;
    names->room = room;
    return true;
}

uint32_t handle_number(struct handle_names *names, enum handle_kind kind, const void *handle) {
    if (!handle || !handle_room(names))
        return 0;
    struct handle_name *name =
        &names->slot[handle_at(names->slot, names->room, (uint32_t)kind, handle)];
    if (!name->handle) {
        *name = (struct handle_name){handle, (uint32_t)kind, ++names->given[kind]};
        names->used++;
    }
    return name->number;
}

void handle_gone(struct handle_names *names, enum handle_kind kind, const void *handle) {
    if (!handle || names->room == 0)
        return;
    uint32_t at = handle_at(names->slot, names->room, (uint32_t)kind, handle);
    if (!names->slot[at].handle)
        return;
    names->slot[at].handle = NULL;
    names->used--;
    for (at = (at + 1) & (names->room - 1); names->slot[at].handle;
         at = (at + 1) & (names->room - 1)) {
        struct handle_name moved = names->slot[at];
        names->slot[at].handle = NULL;
        names->slot[handle_at(names->slot, names->room, moved.kind, moved.handle)] = moved;
    }
}

void handle_forget(struct handle_names *names) {
    free(names->slot);
    memset(names, 0, sizeof(*names));
}
