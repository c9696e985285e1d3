/* two_sources.c - see two_sources.h. */
#include "two_sources.h"

static void both_judge(struct screen *first, struct screen *second) {
    screen_judge_scanout(first, true);
    screen_judge_scanout(second, true);
}

/* ns-d3dkmddi-_dxgkarg_commitvidpn.md: the whole network, as a single transaction. */
static bool commit_all(struct screen *screen, struct vidmm_vidpn *network) {
    return display_commit(&screen->display, network, D3DDDI_ID_ALL, NULL, as_usual) ==
           STATUS_SUCCESS;
}

static bool two_show(struct screen *screen, const char **why) {
    *why = "the driver sets no address of a primary, or makes no source visible";
    return screen_set(screen, 0, true) == STATUS_SUCCESS && screen_visible(screen, true);
}

static bool both_on(struct screen *first, struct screen *second, const char **why) {
    check_step(first->display.check, "display: a network of two paths");
    if (!screen_visible(first, false))
        return false;
    *why = "the driver does not commit a network of two paths that it supports";
    if (!commit_all(first, second->display.network) || !two_show(first, why) ||
        !two_show(second, why))
        return false;
    screen_interrupts(first, DXGK_VSYNC_ENABLE);
    screen_interrupts(second, DXGK_VSYNC_ENABLE);
    screen_judge_syncs(first);
    screen_judge_syncs(second);
    both_judge(first, second);
    return true;
}

static bool both_flip(struct screen *first, struct screen *second, const char **why) {
    check_step(first->display.check, "display: two sources flip");
    *why = "the driver refuses a flip";
    for (uint32_t i = 1; i < SCREEN_FLIPPED; i++) {
        if (!screen_flip(second, i))
            return false;
        both_judge(first, second);
        if (!screen_flip(first, i))
            return false;
        both_judge(first, second);
    }
    return true;
}

static bool one_hides(struct screen *hidden, struct screen *other) {
    if (!screen_visible(hidden, false))
        return false;
    screen_judge_scanout(hidden, false);
    screen_judge_scanout(other, true);
    if (!screen_visible(hidden, true))
        return false;
    both_judge(hidden, other);
    return true;
}

/* ns-d3dkmddi-_dxgkarg_commitvidpn.md: a source's own identifier means the paths from it alone. */
static bool one_goes(struct screen *first, struct screen *second, const char **why) {
    check_step(first->display.check, "display: one of two paths goes, and comes back");
    *why = "the driver does not commit the paths of one source";
    if (!screen_visible(second, false) ||
        !screen_commit(second, first->display.network, NULL, as_usual))
        return false;
    screen_judge_scanout(first, true);
    screen_judge_syncs(first);
    if (!screen_commit(second, second->display.network, second->shown[0].handle, as_usual) ||
        !two_show(second, why))
        return false;
    both_judge(first, second);
    return true;
}

/* Whatever came of it, the network of one path is as it was. */
static bool one_again(struct screen *first, struct screen *second, const char **why) {
    check_step(first->display.check, "display: a network of one path again");
    (void)screen_visible(second, false);
    (void)screen_visible(first, false);
    screen_interrupts(second, DXGK_VSYNC_DISABLE_NO_PHASE);
    *why = "the driver does not commit a network that it supports";
    bool good = commit_all(first, first->display.network) && two_show(first, why);
    screen_interrupts(first, DXGK_VSYNC_ENABLE);
    screen_settle(first);
    return good;
}

static bool both_play(struct screen *first, struct screen *second, const char **why) {
    if (!both_on(first, second, why) || !both_flip(first, second, why))
        return false;
    check_step(first->display.check, "display: one of two sources is invisible");
    *why = "the driver does not change the visibility of a source";
    return one_hides(second, first) && one_hides(first, second) && one_goes(first, second, why);
}

bool two_sources_play(struct screen *screen, const char **why) {
    struct screen second = {.flips = screen->flips};
    const char *later;
    bool good = true;
    check_step(screen->display.check, "display: two sources");
    if (display_second(&screen->display, &second.display)) {
        bool made = screen_make(&second, why);
        good = made && both_play(screen, &second, why);
        good = (!made || one_again(screen, &second, good ? why : &later)) && good;
        screen_release(&second);
    }
    display_close(&second.display);
    return good;
}
