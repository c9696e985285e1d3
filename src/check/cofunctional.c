/* cofunctional.c - see cofunctional.h. */
#include "cofunctional.h"

#include "network.h"

/* Where nothing is pinned the pivot keeps the modes that it has. */
static void judge_pivots(struct display *display) {
    check_step(display->check, "display: pivots without a pinned mode");
    if (network_alone(display, display->target) && network_modes(display, D3DKMDT_EPT_NOPIVOT)) {
        (void)network_modes(display, D3DKMDT_EPT_VIDPNSOURCE);
        (void)network_modes(display, D3DKMDT_EPT_VIDPNTARGET);
    }
}

void display_cofunctional(const struct display *display) {
    struct display other = *display;
    other.network = NULL;
    judge_pivots(&other);
    vidmm_vidpn_destroy(other.network);
}
