/*
 * reset.c - which calls may come during a reset; see work.h.
 */
#include "work/work.h"

void reset_judge_lost(struct vidmm_referee *referee, bool reset) {
    if (referee->reset.lost_paging)
        MANAGER_MUST(282, reset, "DxgkDdiResetFromTimeout where an engine's reset lost paging work",
                     "another call came first%s", "");
    referee->reset.lost_paging = false;
}

void reset_judge(struct vidmm_referee *referee, bool clean_up) {
    reset_judge_lost(referee, false);
    if (referee->reset.phase == RESET_RESETTING)
        MANAGER_MUST(361, false, "no other call during DxgkDdiResetFromTimeout", "called%s", "");
    else if (referee->reset.phase == RESET_CLEANING_UP)
        MANAGER_MUST(361, clean_up, "clean-up operations only until DxgkDdiRestartFromTimeout",
                     "called%s", "");
}
