/* work.c - see work.h. */
#include "work.h"

#include "surface.h"

struct work work_by_hand(struct raw_submitter *raw) {
    return (struct work){
        .check = raw->check, .node = raw->node, .physical = raw->physical, .raw = raw};
}

struct work work_of_application(struct raw_renderer *renderer) {
    struct work work = work_by_hand(renderer->raw);
    work.renderer = renderer;
    work.node = renderer->node;
    return work;
}

struct work work_of_user(struct user *user) {
    return (struct work){.check = user->check, .user = user};
}

/* ---- By hand --------------------------------------------------------------------------------- */

/* Can be built again behind by_hand_undo. */
static bool by_hand_build(struct raw_submitter *raw) {
    const struct raw_piece piece = {0, RAW_PAGES, true};
    return raw->memory.id != 0 ? raw_transfer(raw, &piece)
                               : raw_map(raw, &raw->aperture, 0, RAW_PAGES, raw->source, 0);
}

static bool by_hand_undo(struct raw_submitter *raw) {
    return raw->memory.id != 0 || (raw_unmap(raw, &raw->aperture, 0, RAW_PAGES) && raw_flush(raw));
}

/* ---- All ------------------------------------------------------------------------------------- */

bool work_first(struct work *work) {
    if (!work->raw)
        return user_submit(work->user, 0) && user_rest(work->user);
    if (!work->renderer && work->raw->memory.id != 0)
        return raw_settle_in(work->raw);
    return work_prepare(work) && work_submit(work) && work_finish(work);
}

bool work_prepare(struct work *work) {
    if (work->renderer)
        return raw_render_nothing(work->renderer, &work->commands, &work->whole);
    return work->raw ? by_hand_build(work->raw) : user_rest(work->user);
}

bool work_submit(struct work *work) {
    if (work->renderer)
        return raw_render_submit(work->renderer, &work->commands, &work->whole);
    return work->raw ? raw_submit(work->raw) : user_repeat(work->user);
}

bool work_finish(struct work *work) {
    if (!work->raw)
        return user_rest(work->user);
    return raw_flush(work->raw) && (work->renderer || by_hand_undo(work->raw));
}

bool work_again(struct work *work) {
    return raw_render_resubmit(work->renderer, &work->commands, &work->whole);
}

void work_give_up(struct work *work) {
    if (work->raw)
        work->raw->refused = true;
}

bool work_told(const struct work *work) {
    const struct raw_submitter *raw = work->raw;
    return raw ? raw->completed == raw->fence && raw->faulted == 0
               : vidmm_completed(work->check->harness.adapter, work->user->fence);
}

enum vidmm_stage_outcome work_over_manager(struct check *check, const struct check_setup *setup,
                                           void (*show)(struct work *work)) {
    struct user user;
    if (!check_manage(check, setup))
        return VIDMM_STAGE_STOPPED;
    if (!check_virtual(check))
        return VIDMM_STAGE_DONE;
    if (!user_describes(check))
        return check_say(check, VIDMM_STAGE_SKIPPED, CHECK_NO_SURFACES);
    if (!user_open(check, &user))
        return VIDMM_STAGE_STOPPED;
    struct work work = work_of_user(&user);
    show(&work);
    user_close(&user);
    return VIDMM_STAGE_DONE;
}
