/*
 * raw_draw.c - commands of vidmm/umd.h in DMA buffers by hand, as a manager that has room does not submit them: a
 * buffer that is split at a SplitOffset of its list, with paging in between (splitting-a-dma-buffer.md), and commands
 * that take several passes of DxgkDdiRender. What the GPU drew is read out and compared.
 */
#include "raw.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/pattern.h>
#include <vidmm/umd.h>

#define ORACLE          77u
#define DRAWN_SPLIT     1u /* versions */
#define DRAWN_PASSES    2u
#define DRAWN_AT_ONCE   3u
#define DRAWN_NEVER     4u
#define DRAWN_VISITED   5u
#define DRAWN_LAST      6u
#define DRAWN_AHEAD     7u
#define CUT             1021u /* bytes of the last page of raw_draws_last, which end within a word */
#define PASS_DRAWS      (RAW_PAGES / 2) /* at the end of a DMA buffer */
#define ASH             0xa5
#define ENDS_MOST       16u
#define LIST_BYTES_MOST ((uint64_t)4 << 20) /* of commands that fill a list */
#define FILLERS_MOST    65536u /* in front of the draws: DMA buffers that hold more are left out */

static struct vidmm_umd_command draw_command(uint32_t page, uint32_t version) {
    return (struct vidmm_umd_command){
        .opcode = VIDMM_UMD_STAMP, .oracle = ORACLE, .page = page, .pages = 1, .version = version};
}

/* Pages [first, end) of the target have the drawing, the others what the source has. What user mode did not ask for of
 * the last may have anything. */
static bool is_drawn(struct raw_submitter *raw, uint32_t first, uint32_t end, uint32_t version) {
    static unsigned char expected[CHECK_PAGE];
    bool good = true;
    for (uint32_t page = 0; page < RAW_PAGES; page++) {
        const unsigned char *wanted = raw_page(raw, raw->source, page);
        if (page >= first && page < end) {
            vidmm_pattern_write(expected, vidmm_pattern_key(ORACLE, page, version));
            wanted = expected;
        }
        size_t bytes = page == RAW_PAGES - 1 ? CHECK_PAGE - raw->cut : CHECK_PAGE;
        good = good && memcmp(wanted, raw_page(raw, raw->target, page), bytes) == 0;
    }
    return good;
}

/* ---- Split --------------------------------------------------------------------------------------- */

/* Submits a part. R398: its pages are drawn, and no other. */
static bool split_run(struct raw_renderer *renderer, const struct raw_commands *commands,
                      const struct raw_part *part) {
    struct raw_submitter *raw = renderer->raw;
    if (!raw_render_submit(renderer, commands, part))
        return false;
    bool completes = raw_render_completes(raw);
    if (completes && !raw_take(raw))
        return false;
    raw_judge(raw, 398,
              completes && is_drawn(raw, part->first, part->first + part->count, DRAWN_SPLIT),
              "each part of a split buffer to be run once, with the addresses of that time",
              part->first == 0 ? "other bytes after the first part"
                               : "other bytes after the second part");
    return completes;
}

/* Other content, at a place of the segment: what the first part drew is no longer there. */
static bool split_bring(struct raw_submitter *raw, uint32_t place, uint32_t seed) {
    raw_paint(raw, raw->source, seed);
    return raw_bring(raw, place);
}

/* The surface is at `place` for the second part. False: nothing can be asked of the driver any more. */
static bool split(struct raw_renderer *renderer, uint32_t place) {
    struct raw_submitter *raw = renderer->raw;
    struct vidmm_umd_command draws[RAW_PAGES];
    struct raw_commands commands = {.bytes = draws, .size = sizeof(draws)};
    for (uint32_t page = 0; page < RAW_PAGES; page++)
        draws[page] = draw_command(page, DRAWN_SPLIT);
    check_step(raw->check, "room: a DMA buffer that is split, the surface then at page %u", place);
    if (!split_bring(raw, 0, 91) || !raw_render_build(renderer, &commands) ||
        commands.status != STATUS_SUCCESS)
        return !raw->refused;
    uint32_t at = raw_render_split(renderer, &commands);
    if (at == 0 || commands.patches != RAW_PAGES)
        return true; /* which draws are in which part is not known */
    const struct raw_part first = {.end = renderer->patches[at].SplitOffset, .count = at};
    const struct raw_part second = {
        .start = first.end, .end = commands.written, .first = at, .count = commands.patches - at};
    return split_run(renderer, &commands, &first) && split_bring(raw, place, 92) &&
           split_run(renderer, &commands, &second);
}

/* ---- Whole --------------------------------------------------------------------------------------- */

/* Commands that draw each page, at a place that the list says when they are built and where the surface stays.
 * `*expected`: they completed, and drew the first `pages` and no other. False: nothing can be asked of the driver any
 * more, or it did not make one DMA buffer of them. */
static bool draw_there(struct raw_renderer *renderer, uint32_t version, uint32_t pages,
                       bool *expected) {
    struct raw_submitter *raw = renderer->raw;
    struct vidmm_umd_command draws[RAW_PAGES];
    struct raw_commands commands = {.bytes = draws, .size = sizeof(draws)};
    struct raw_part whole;
    for (uint32_t page = 0; page < RAW_PAGES; page++)
        draws[page] = draw_command(page, version);
    *expected = false;
    if (!split_bring(raw, raw_beside(raw), 94 + renderer->unpatched))
        return false;
    memset(renderer->cpu, ASH, renderer->info.DmaBufferSize);
    if (!raw_render_whole(renderer, &commands, &whole) ||
        !raw_render_submit(renderer, &commands, &whole) || !raw_render_completes(raw) ||
        !raw_take(raw))
        return false;
    *expected = is_drawn(raw, 0, pages, version);
    return true;
}

/* By the reading that the system leaves DxgkDdiPatch out. */
static void draw_unpatched(struct raw_renderer *renderer) {
    bool drawn = false;
    if (renderer->raw->check->options->readings.dma_patch == 0)
        return;
    check_step(renderer->raw->check, "room: a DMA buffer that is submitted without DxgkDdiPatch");
    renderer->unpatched = true;
    (void)draw_there(renderer, DRAWN_AT_ONCE, RAW_PAGES, &drawn);
    renderer->unpatched = false;
    raw_judge(renderer->raw, 607, drawn,
              "the addresses that the allocation list had when it was built",
              "other bytes after a DMA buffer whose allocations had not moved");
}

/* As a developer sees what the GPU's own time is in that of a frame. */
static void draw_nothing(struct raw_renderer *renderer) {
    struct raw_submitter *raw = renderer->raw;
    bool untouched = false;
    check_step(raw->check, "room: a DMA buffer with NullRendering");
    renderer->null_rendering = true;
    bool completes = draw_there(renderer, DRAWN_NEVER, 0, &untouched);
    renderer->null_rendering = false;
    if (completes || raw->unseen)
        raw_judge(raw, 612, untouched, "no effect of a DMA buffer with NullRendering but its fence",
                  completes ? "a DMA buffer with NullRendering was run"
                            : "the fence of a DMA buffer with NullRendering did not complete");
}

/* R659: by the time of DxgkDdiPatch it is elsewhere, in another segment even, or it was nowhere. */
static void draw_moved(struct raw_renderer *renderer) {
    static const char *const said[] = {[RAW_LISTED_NOWHERE] = "nowhere",
                                       [RAW_LISTED_BESIDE] = "at another page",
                                       [RAW_LISTED_MAPPED] = "in the aperture"};
    struct raw_submitter *raw = renderer->raw;
    bool maps = raw->memory.id != 0 && raw->aperture.id != 0 &&
                (raw->segments >> (raw->aperture.id - 1) & 1u) != 0;
    for (uint32_t i = RAW_LISTED_NOWHERE; i <= RAW_LISTED_MAPPED && !raw->refused; i++) {
        bool drawn = false;
        if ((i == RAW_LISTED_MAPPED && !maps) || (i == RAW_LISTED_BESIDE && raw_beside(raw) == 0))
            continue;
        check_step(raw->check, "room: a DMA buffer that was built when its surface was %s",
                   said[i]);
        renderer->listing = (enum raw_listing)i;
        bool completes = draw_there(renderer, DRAWN_AT_ONCE, RAW_PAGES, &drawn);
        renderer->listing = RAW_LISTED_THERE;
        if (completes || raw->unseen)
            raw_judge(raw, 659, drawn, "the address that the list has when DxgkDdiPatch is called",
                      "other bytes after a DMA buffer whose surface had moved since it was built");
    }
}

/* R659: as one that was preempted is, before it is submitted again. */
static void draw_again(struct raw_renderer *renderer) {
    struct raw_submitter *raw = renderer->raw;
    bool drawn = false;
    check_step(raw->check, "room: a DMA buffer that is patched twice");
    renderer->patched_twice = true;
    bool completes = draw_there(renderer, DRAWN_AT_ONCE, RAW_PAGES, &drawn);
    renderer->patched_twice = false;
    if (completes || raw->unseen)
        raw_judge(raw, 659, drawn, "the address that the list has, however often it is patched",
                  "other bytes after a DMA buffer that DxgkDdiPatch was called for twice");
}

/* Builds what draws `count` pages from `first` on; the surface is nowhere yet. */
static bool build_part(struct raw_renderer *renderer, uint32_t first, uint32_t count,
                       struct raw_commands *commands, struct raw_part *whole) {
    struct vidmm_umd_command draws[RAW_PAGES];
    for (uint32_t i = 0; i < count; i++)
        draws[i] = draw_command(first + i, DRAWN_AHEAD);
    *commands = (struct raw_commands){.bytes = draws, .size = count * (uint32_t)sizeof(draws[0])};
    renderer->listing = RAW_LISTED_NOWHERE;
    bool built = raw_render_whole(renderer, commands, whole);
    renderer->listing = RAW_LISTED_THERE;
    commands->bytes = NULL;
    return built;
}

/* The second is built before the first is patched. The parts differ in size. */
static bool draw_two(struct raw_renderer *first, struct raw_renderer *second) {
    const uint32_t count = RAW_PAGES * 2 / 3;
    struct raw_submitter *raw = first->raw;
    struct raw_commands commands[2];
    struct raw_part part[2];
    if (!split_bring(raw, raw_beside(raw), 93) ||
        !build_part(first, 0, count, &commands[0], &part[0]) ||
        !build_part(second, count, RAW_PAGES - count, &commands[1], &part[1]) ||
        !raw_render_submit(first, &commands[0], &part[0]) ||
        !raw_render_submit(second, &commands[1], &part[1]))
        return false;
    return raw_render_completes(raw) && raw_take(raw);
}

/* R659: as DMA buffers of an application wait behind each other until they are submitted. */
static void draw_ahead(struct raw_renderer *renderer) {
    struct raw_submitter *raw = renderer->raw;
    struct raw_renderer other;
    if (!raw_render_beside(renderer, &other))
        return;
    check_step(raw->check, "room: a DMA buffer that is built while another waits");
    bool completes = draw_two(renderer, &other);
    if (completes || raw->unseen)
        raw_judge(raw, 659, completes && is_drawn(raw, 0, RAW_PAGES, DRAWN_AHEAD),
                  "each DMA buffer patched by its own lists",
                  "other bytes after two DMA buffers, of which the second was built before the "
                  "first was patched");
    raw_render_beside_close(&other);
}

/* R138: what another device opened and closed is still there for the first. */
static void draw_visited(struct raw_renderer *renderer) {
    bool drawn = false;
    check_step(renderer->raw->check, "room: a surface that another device opened and closed");
    if (!raw_render_visited(renderer))
        return;
    (void)draw_there(renderer, DRAWN_VISITED, RAW_PAGES, &drawn);
    raw_judge(renderer->raw, 138, drawn,
              "an allocation that stays in a device when another one closes it",
              "commands of a device no longer draw to a surface that another device closed");
}

/* A buffer that shows nothing when it is run as always is not judged. */
static bool draw_whole(struct raw_renderer *renderer) {
    bool drawn = false;
    check_step(renderer->raw->check, "room: a DMA buffer whose addresses are known");
    if (draw_there(renderer, DRAWN_AT_ONCE, RAW_PAGES, &drawn) && drawn)
        draw_nothing(renderer);
    if (drawn)
        draw_moved(renderer);
    if (drawn && !renderer->raw->refused)
        draw_again(renderer);
    if (drawn && !renderer->raw->refused)
        draw_ahead(renderer);
    if (drawn && !renderer->raw->refused)
        draw_unpatched(renderer);
    if (drawn && !renderer->raw->refused)
        draw_visited(renderer);
    return !renderer->raw->refused;
}

/* ---- Passes -------------------------------------------------------------------------------------- */

/* Bytes of the DMA buffer that commands take; 0: none, or the driver refused. */
static uint32_t pass_bytes(struct raw_renderer *renderer, const struct vidmm_umd_command *command) {
    struct raw_commands one = {.bytes = command, .size = sizeof(*command)};
    return raw_render_build(renderer, &one) && one.status == STATUS_SUCCESS ? one.written : 0;
}

/* What takes room between other commands. */
struct filler {
    struct vidmm_umd_command command;
    uint32_t bytes; /* 0: the driver refused */
    uint32_t draws; /* of a page each, for which a DMA buffer has room */
    uint32_t draw_bytes;
};

/* A command that does nothing, where the driver has bytes for it; else one that draws the first page as the draws
 * behind it do, and takes an element of the list, too. */
static struct filler choose_filler(struct raw_renderer *renderer) {
    const DXGK_CONTEXTINFO *info = &renderer->info;
    const struct vidmm_umd_command nop = {.opcode = VIDMM_UMD_NOP},
                                   draw = draw_command(0, DRAWN_PASSES);
    uint32_t draw_bytes = pass_bytes(renderer, &draw);
    uint32_t nop_bytes = draw_bytes != 0 ? pass_bytes(renderer, &nop) : 0;
    uint32_t draws = draw_bytes != 0 ? info->DmaBufferSize / draw_bytes : 0;
    if (nop_bytes == 0 && draws > info->PatchLocationListSize)
        draws = info->PatchLocationListSize;
    if (draws < PASS_DRAWS)
        return (struct filler){.bytes = 0};
    return (struct filler){.command = nop_bytes != 0 ? nop : draw,
                           .bytes = nop_bytes != 0 ? nop_bytes : draw_bytes,
                           .draws = draws,
                           .draw_bytes = draw_bytes};
}

/* So many of them leave room for that many draws in a DMA buffer. */
static uint32_t filler_count(const struct filler *filler, uint32_t room) {
    return (uint32_t)((uint64_t)(filler->draws - room) * filler->draw_bytes / filler->bytes);
}

/* As many DMA buffers as they take, which may be one for each of them. False: the driver refused, or does not come to
 * their end, or a buffer did not complete. */
static bool pass_all(struct raw_renderer *renderer, struct raw_commands *commands) {
    const uint32_t most = commands->size / (uint32_t)sizeof(struct vidmm_umd_command);
    for (uint32_t pass = 0; pass < most; pass++) {
        uint32_t before = commands->multipass;
        if (!raw_render_build(renderer, commands))
            return false;
        const struct raw_part whole = {.end = commands->written, .count = commands->patches};
        if (commands->status != STATUS_SUCCESS && commands->multipass == before)
            return false; /* no progress in a whole buffer */
        if (!raw_render_submit(renderer, commands, &whole) || !raw_render_completes(renderer->raw))
            return false;
        if (commands->status == STATUS_SUCCESS)
            return true;
    }
    return false;
}

static struct vidmm_umd_command *pass_fill(struct vidmm_umd_command *at,
                                           const struct filler *filler, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        *at++ = filler->command;
    return at;
}

static struct vidmm_umd_command *pass_draw(struct vidmm_umd_command *at, uint32_t page) {
    for (uint32_t i = 0; i < PASS_DRAWS; i++)
        *at++ = draw_command(page + i, DRAWN_PASSES);
    return at;
}

/* The ends of the first buffer and of the second are in the middle of draws, each of which shows. */
static void passes(struct raw_renderer *renderer, const struct filler *filler) {
    struct raw_submitter *raw = renderer->raw;
    check_step(raw->check, "room: commands for more than two DMA buffers");
    if (filler->bytes == 0)
        return;
    uint32_t first = filler_count(filler, PASS_DRAWS / 2), then = filler_count(filler, PASS_DRAWS);
    uint64_t count = (uint64_t)first + then + RAW_PAGES;
    struct vidmm_umd_command *all =
        count <= FILLERS_MOST ? check_memory(raw->check, count * sizeof(*all)) : NULL;
    if (!all)
        return;
    struct raw_commands commands = {.bytes = all, .size = (uint32_t)(count * sizeof(*all))};
    struct vidmm_umd_command *at = pass_draw(pass_fill(all, filler, first), 0);
    (void)pass_draw(pass_fill(at, filler, then), PASS_DRAWS);
    if (split_bring(raw, 0, 93))
        raw_judge(raw, 593,
                  pass_all(renderer, &commands) && raw_take(raw) &&
                      is_drawn(raw, 0, RAW_PAGES, DRAWN_PASSES),
                  "each command translated once, in as many buffers as they take",
                  "other bytes after commands that take several DMA buffers");
    free(all);
}

/* ---- Ends ---------------------------------------------------------------------------------------- */

static void fill_ends(struct vidmm_umd_command *all, uint32_t count, const struct filler *filler,
                      uint32_t fillers, uint32_t stamps) {
    for (uint32_t i = 0; i < count; i++)
        all[i] = i < fillers ? filler->command : draw_command(0, DRAWN_PASSES);
    for (uint32_t i = fillers + stamps; i < count; i++)
        all[i].opcode = VIDMM_UMD_CHECK;
}

/* Commands of two allocations at the ends of buffer and list, wherever these cut them: the driver writes
 * nothing behind either (K12). Nothing is submitted. */
static void ends_of(struct raw_renderer *renderer, const struct filler *filler, uint32_t count) {
    struct vidmm_umd_command *all = count != 0 && count <= FILLERS_MOST
                                        ? check_memory(renderer->raw->check, count * sizeof(*all))
                                        : NULL;
    for (uint32_t i = 0; all && i < ENDS_MOST; i++) {
        struct raw_commands commands = {.bytes = all, .size = count * (uint32_t)sizeof(*all)};
        fill_ends(all, count, filler, i / 2, i % 2);
        if (!raw_render_build(renderer, &commands))
            break;
    }
    free(all);
}

/* First the buffer is what ends, then the list. */
static void ends(struct raw_renderer *renderer, const struct filler *filler) {
    const struct vidmm_umd_command check = {.opcode = VIDMM_UMD_CHECK, .pages = 1};
    uint32_t check_bytes = pass_bytes(renderer, &check);
    uint64_t list_bytes = (uint64_t)renderer->info.PatchLocationListSize * check_bytes;
    check_step(renderer->raw->check, "room: commands of two allocations at the end of a buffer");
    if (filler->bytes == 0)
        return;
    ends_of(renderer, filler, renderer->info.DmaBufferSize / filler->bytes + 1);
    check_step(renderer->raw->check, "room: commands of two allocations at the end of a list");
    if (list_bytes != 0 && list_bytes <= LIST_BYTES_MOST &&
        (list_bytes <= renderer->info.DmaBufferSize ||
         raw_render_grow(renderer, (uint32_t)list_bytes)))
        ends_of(renderer, filler, renderer->info.PatchLocationListSize);
}

/* What it says that it understands it builds, where nothing is short. */
static bool takes_all(struct raw_renderer *renderer) {
    static const struct {
        struct vidmm_umd_command command;
        const char *call;
    } asked[] = {{{.opcode = VIDMM_UMD_NOP}, "DxgkDdiRender of VIDMM_UMD_NOP"},
                 {{.opcode = VIDMM_UMD_SPIN, .pages = 1}, "DxgkDdiRender of VIDMM_UMD_SPIN"},
                 {{.opcode = VIDMM_UMD_STAMP, .pages = 1}, "DxgkDdiRender of VIDMM_UMD_STAMP"}};
    struct check *check = renderer->raw->check;
    bool good = true;
    check_step(check, "room: each command that the driver understands");
    for (uint32_t i = 0; good && i < sizeof(asked) / sizeof(asked[0]); i++) {
        struct raw_commands one = {.bytes = &asked[i].command, .size = sizeof(asked[i].command)};
        if (!check_understands(check, asked[i].command.opcode))
            continue;
        (void)raw_render_build(renderer, &one);
        good =
            one.status == STATUS_SUCCESS || one.status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        if (!good)
            check_refused(check, asked[i].call, one.status);
    }
    return good;
}

void raw_draws(struct raw_submitter *raw) {
    struct raw_renderer renderer;
    if (!check_speaks(raw->check))
        return;
    if (raw_render_open(&renderer, raw) && raw_render_surface(&renderer) && takes_all(&renderer) &&
        split(&renderer, 0) && split(&renderer, raw_beside(raw)) && draw_whole(&renderer)) {
        const struct filler filler = choose_filler(&renderer);
        passes(&renderer, &filler);
        if (!raw->refused)
            ends(&renderer, &filler);
    }
    raw_render_close(&renderer);
}

/* R637. A driver may refuse to draw all of a page that was asked for in part. */
static void draw_last(struct raw_renderer *renderer) {
    struct raw_submitter *raw = renderer->raw;
    bool drawn = false;
    bool ran = draw_there(renderer, DRAWN_LAST, RAW_PAGES, &drawn);
    if (ran || raw->unseen)
        raw_judge(raw, 637, drawn, "a GPU that reaches all bytes that user mode asked for",
                  ran ? "other bytes in a surface that ends within a page, all of which was drawn"
                      : "commands that draw to a surface that ends within a page did not complete");
}

void raw_draws_last(struct raw_submitter *raw) {
    struct raw_renderer renderer;
    if (!check_understands(raw->check, VIDMM_UMD_STAMP))
        return;
    check_step(raw->check, "room: a surface that ends within a page");
    if (!raw_leave(raw) || !raw_make_shorter(raw, CUT) || !raw_settle_in(raw) || !raw_leave(raw))
        return;
    if (raw_render_open(&renderer, raw) && raw_render_surface(&renderer))
        draw_last(&renderer);
    raw_render_close(&renderer);
    if (!raw->refused)
        (void)raw_leave(raw);
}
