/* empty_work.c - see empty_work.h. */
#include "empty_work.h"

bool empty_work_submit(struct empty_work *work) {
    const struct vidmm_submission nothing = {.count = 0};
    if (!work->user)
        return vidmm_submit(work->context, &nothing, &work->fence) == VIDMM_OK;
    if (!user_send(work->user, "", 0))
        return false;
    work->fence = work->user->fence;
    return true;
}

static bool is_told(const void *ctx) {
    const struct empty_work *work = ctx;
    return vidmm_completed(work->check->harness.adapter, work->fence);
}

bool empty_work_completes(struct empty_work *work) {
    return vidmm_host_run_until(work->check->harness.host, is_told, work);
}

void empty_work_show(struct check *check, struct vidmm_context *context,
                     void (*show)(struct empty_work *work, void *ctx), void *ctx) {
    struct empty_work work = {.check = check, .context = context};
    struct user user;
    if (!check_virtual(check)) {
        if (context)
            show(&work, ctx);
    } else if (user_describes(check) && user_open(check, &user)) {
        work.user = &user;
        show(&work, ctx);
        user_close(&user);
    }
}
