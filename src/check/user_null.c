/*
 * user_null.c - work of a process with NullRendering (ns-d3dkmddi-_dxgk_submitcommandflags.md): its fence completes and
 * the GPU runs nothing of it. raw_draw.c does the same without GPU virtual addresses; see user.h.
 */
#include "user.h"

#include <vidmm/umd.h>

#define BEFORE 'n'
#define FILL   0x5a5a5a5au

/* The GPU fills the surface with something else than the CPU wrote there. `*filled`: that shows. */
static bool null_fill(struct user *user, uint32_t index, bool *filled) {
    const struct user_surface *surface = &user->surface[index];
    const struct vidmm_umd_fill packet = {
        .head = {.opcode = VIDMM_UMD_PACKET_FILL, .size = sizeof(packet)},
        .pattern = FILL,
        .destination = surface->va,
        .bytes = surface->size};
    bool good = user_write(user, index, BEFORE) && user_send(user, &packet, sizeof(packet)) &&
                user_rest(user);
    *filled = good && user_lost(user, index);
    return good;
}

bool user_null(struct user *user, uint32_t index) {
    struct check *check = user->check;
    bool filled = false;
    if (!check_executes(check, VIDMM_UMD_PACKET_FILL) || !user_has(user, index))
        return true; /* page tables may leave it no room */
    check_step(check, "residency: a fill of a process");
    bool good = null_fill(user, index, &filled);
    if (good && filled) {
        check_step(check, "residency: a fill of a process with NullRendering");
        user->null_rendering = true;
        good = null_fill(user, index, &filled);
        user->null_rendering = false;
        vidmm_ledger_judge(&check->shared->ledger, 612, VIDMM_SIDE_DRIVER, !filled,
                           "no effect of commands with NullRendering",
                           "commands with NullRendering were run%s", "");
    }
    user->surface[index].letter = 0;
    return good;
}
