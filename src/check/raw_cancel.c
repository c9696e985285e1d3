/*
 * raw_cancel.c - work of an application that never reaches the hardware (nc-d3dkmddi-dxgkddi_cancelcommand.md): the DMA
 * buffer is built and then cancelled, as a system does with what it has queued for a device that is lost. Other work
 * comes behind it. What the driver keeps of the cancelled one shows when it is unloaded (K9).
 */
#include "raw.h"

#include <vidmm/umd.h>

#define ROUNDS 3u

/* With a command in it, where the driver understands one; else it is empty. */
static bool cancel_build(struct raw_renderer *renderer, struct raw_commands *commands,
                         struct raw_part *whole) {
    static const struct vidmm_umd_command spin = {.opcode = VIDMM_UMD_SPIN, .pages = 1};
    *commands = (struct raw_commands){.bytes = &spin, .size = sizeof(spin)};
    if (check_understands(renderer->raw->check, VIDMM_UMD_SPIN) &&
        raw_render_whole(renderer, commands, whole))
        return true;
    return raw_render_nothing(renderer, commands, whole);
}

static bool cancel_one(struct raw_renderer *renderer) {
    struct raw_commands commands;
    struct raw_part whole;
    return cancel_build(renderer, &commands, &whole) &&
           raw_render_cancel(renderer, &commands, &whole) && raw_render(renderer);
}

static bool has_cancel(const struct raw_submitter *raw) {
    return raw->info.caps.SchedulingCaps.CancelCommandAware &&
           raw->info.interface_version >= DXGKDDI_INTERFACE_VERSION_WIN8 &&
           raw->ddi->DxgkDdiCancelCommand;
}

void raw_cancels(struct raw_submitter *raw) {
    for (uint32_t node = 0; has_cancel(raw) && node < raw->info.nodes && !raw->refused; node++) {
        struct raw_renderer renderer;
        bool good = raw_render_open_on(&renderer, raw, node, false);
        for (uint32_t i = 0; good && i < ROUNDS; i++) {
            check_step(raw->check, "preempt: node %u, work that is cancelled", node);
            good = cancel_one(&renderer);
        }
        raw_render_close(&renderer);
    }
    if (has_cancel(raw) && !raw->refused)
        (void)raw_turn_to(raw, raw->info.paging_node);
}
