/*
 * raw_queue.c - paging work of which several submissions are under way: transfers into memory, which show when they
 * are taken out again, or maps. What was mapped where shows in the pages themselves: the GPU moves the bytes of
 * `source` there, or draws them, if the driver can do either.
 */
#include "raw.h"

#include <vidmm/umd.h>

/* ---- What is mapped -------------------------------------------------------------------------- */

/* What raw_paint paints, as a command that draws it. */
static bool draw_source(struct raw_submitter *raw) {
    const struct vidmm_umd_command stamp = {.opcode = VIDMM_UMD_STAMP,
                                            .oracle = ~(uint64_t)raw->painted,
                                            .pages = RAW_PAGES,
                                            .version = 1};
    struct raw_commands commands = {.bytes = &stamp, .size = sizeof(stamp)};
    struct raw_renderer renderer;
    struct raw_part whole;
    bool drawn = raw_render_open(&renderer, raw) && raw_render_surface(&renderer) &&
                 raw_render_whole(&renderer, &commands, &whole) && commands.written != 0 &&
                 raw_render_submit(&renderer, &commands, &whole) && raw_render_completes(raw);
    raw_render_close(&renderer);
    return drawn;
}

static bool draws(struct raw_submitter *raw) {
    raw_paint(raw, raw->target, 98);
    raw_paint(raw, raw->source, 97);
    if (raw->refused || !check_understands(raw->check, VIDMM_UMD_STAMP) ||
        !raw_map_target(raw, 0, RAW_PAGES) || !raw_flush(raw))
        return false;
    bool drawn = draw_source(raw);
    return raw_leave(raw) && drawn && raw_same(raw);
}

bool raw_queue_first(struct raw_submitter *raw) {
    raw->place_page = 0;
    if (raw->memory.id != 0)
        return raw_settle_in(raw);
    raw->through = raw_moves_through(raw);
    raw->draws = !raw->through && draws(raw);
    return !raw->refused;
}

/* ---- The queue ------------------------------------------------------------------------------- */

static bool enqueue(struct raw_submitter *raw, uint32_t at) {
    const struct raw_piece piece = {.at = at, .pages = RAW_PIECE, .in = true};
    bool built =
        raw->memory.id != 0 ? raw_transfer(raw, &piece) : raw_map_target(raw, at, RAW_PIECE);
    return built && raw_submit(raw);
}

bool raw_queue(struct raw_submitter *raw, uint32_t ahead) {
    bool good = true;
    for (uint32_t i = 0; good && i < RAW_PIECES; i++)
        good = enqueue(raw, i * RAW_PIECE) && (i + 1 != ahead || raw_flush(raw));
    return good;
}

/* Where a rule was broken, pages may lead anywhere: nothing is sent there. */
static bool show_mapped(struct raw_submitter *raw) {
    if (raw_explained(raw))
        return true;
    if (raw->through)
        return raw_move_through(raw, 0, 0, RAW_PAGES);
    return !raw->draws || draw_source(raw);
}

bool raw_queue_end(struct raw_submitter *raw) {
    return raw_flush(raw) && (raw->memory.id != 0 || show_mapped(raw)) && raw_take(raw);
}

void raw_judge_queued(struct raw_submitter *raw, uint32_t rule, const char *expected,
                      const char *found) {
    if (raw->memory.id != 0 || raw->through || raw->draws)
        raw_judge(raw, rule, raw_same(raw), expected, found);
}
