/*
 * raw_damaged.c - command buffers that no user-mode driver would write, but any process may
 * (nc-d3dkmddi-dxgkddi_render.md: the driver validates them). Commands and allocation list end where no memory
 * follows, so that a read behind them ends the driver's process with the place of it (K13). Bytes of no language for
 * every driver, damaged commands of vidmm/umd.h for those that speak it. Nothing of it is submitted but commands of
 * vidmm/umd.h that reach out of the surface, if the driver takes them.
 */
#include "guarded.h"
#include "raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/umd.h>

/* False: the driver left its buffer, and is asked nothing more. A refusal is fine. */
static bool damaged_render(struct raw_renderer *renderer, const struct guarded *memory,
                           const void *bytes, uint32_t size) {
    struct raw_commands commands = {.bytes = memory->end - size, .size = size};
    memcpy(memory->end - size, bytes, size);
    return raw_render_build(renderer, &commands) ||
           commands.written <= renderer->info.DmaBufferSize;
}

static bool damaged_noise(struct raw_renderer *renderer, const struct guarded *memory) {
    static const uint32_t sizes[] = {1, 4, 40, 64, 4096};
    static const unsigned char fills[] = {0, 0x7f, 0xff};
    static unsigned char bytes[4096];
    for (uint32_t fill = 0; fill < sizeof(fills); fill++)
        for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            memset(bytes, fills[fill], sizeof(bytes));
            if (!damaged_render(renderer, memory, bytes, sizes[i]))
                return false;
        }
    return true;
}

/* Each member of a command in turn, 32 bits at a time: one too high, and as high as they are. */
static bool damaged_members(struct raw_renderer *renderer, const struct guarded *memory,
                            const struct vidmm_umd_command *good) {
    static const uint32_t values[] = {1, 2, 0x7fffffff, 0xffffffff};
    for (uint32_t word = 0; word < sizeof(*good) / sizeof(uint32_t); word++)
        for (uint32_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
            unsigned char bytes[sizeof(*good)];
            memcpy(bytes, good, sizeof(bytes));
            memcpy(bytes + word * sizeof(uint32_t), &values[i], sizeof(values[i]));
            if (!damaged_render(renderer, memory, bytes, sizeof(bytes)) ||
                !damaged_render(renderer, memory, bytes, sizeof(bytes) - 4))
                return false;
        }
    return true;
}

static void damaged_commands(struct raw_renderer *renderer, const struct guarded *memory) {
    const struct vidmm_umd_command goods[] = {
        {.opcode = VIDMM_UMD_STAMP, .oracle = 1, .pages = 1, .version = 1},
        {.opcode = VIDMM_UMD_CHECK, .oracle = 1, .pages = 1, .version = 1},
        {.opcode = VIDMM_UMD_SPIN},
    };
    bool speaks = check_speaks(renderer->raw->check);
    if (!damaged_noise(renderer, memory) || !speaks)
        return;
    for (uint32_t i = 0; i < sizeof(goods) / sizeof(goods[0]); i++)
        if (!damaged_members(renderer, memory, &goods[i]))
            return;
}

/* ---- Out of the surface ------------------------------------------------------------------------- */

/* False: the driver took it, and the GPU did not run it. */
static bool reach_run(struct raw_renderer *renderer, const struct vidmm_umd_command *command) {
    struct raw_commands commands = {.bytes = command, .size = sizeof(*command)};
    struct raw_part whole;
    return !raw_render_whole(renderer, &commands, &whole) ||
           !raw_render_submit(renderer, &commands, &whole) || raw_render_completes(renderer->raw);
}

/* R620: pages that no surface has, also where first page and count have a sum that is small in 32 bits. What is taken
 * must run: the driver may have cut it. */
static void reach_out(struct raw_submitter *raw) {
    static const uint32_t pages[][2] = {
        {RAW_PAGES, 1}, {0, RAW_PAGES + 1}, {UINT32_MAX, 1}, {UINT32_MAX, 2}, {2, UINT32_MAX}};
    struct raw_renderer renderer;
    char found[128];
    if (raw->refused || !check_speaks(raw->check))
        return;
    check_step(raw->check, "room: commands that reach out of their surface");
    bool open =
        raw_render_open(&renderer, raw) && raw_render_surface(&renderer) && raw_bring(raw, 0);
    for (uint32_t i = 0; open && !raw->refused && i < sizeof(pages) / sizeof(pages[0]); i++) {
        const struct vidmm_umd_command command = {.opcode = VIDMM_UMD_STAMP,
                                                  .oracle = 1,
                                                  .page = pages[i][0],
                                                  .pages = pages[i][1],
                                                  .version = 1};
        bool ran = reach_run(&renderer, &command);
        snprintf(
            found, sizeof(found),
            "success for %u pages from page %u of a surface that has %u, on which the GPU failed",
            command.pages, command.page, RAW_PAGES);
        raw_judge(raw, 620, ran, "a refusal of commands that reach out of an allocation", found);
    }
    raw_render_close(&renderer);
}

/* ---- All of them -------------------------------------------------------------------------------- */

/* The list has one element, the surface, or none. */
static void damaged_play(struct raw_renderer *renderer) {
    struct guarded commands = {.base = NULL}, list = {.base = NULL};
    DXGK_ALLOCATIONLIST *own = renderer->allocations;
    bool made = guarded_make(&commands) && guarded_make(&list);
    if (check_has(renderer->raw->check, made ? list.end : NULL)) {
        size_t bytes = renderer->surface ? sizeof(*own) : 0;
        renderer->allocations = (DXGK_ALLOCATIONLIST *)(void *)(list.end - bytes);
        damaged_commands(renderer, &commands);
        renderer->allocations = own;
    }
    guarded_free(&commands);
    guarded_free(&list);
}

void raw_damaged(struct raw_submitter *raw) {
    struct raw_renderer renderer;
    check_step(raw->check, "room: damaged commands");
    if (raw_render_open(&renderer, raw)) {
        (void)raw_render_surface(&renderer);
        damaged_play(&renderer);
    }
    raw_render_close(&renderer);
    reach_out(raw);
}
