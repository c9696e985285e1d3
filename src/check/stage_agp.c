/*
 * stage_agp.c - the short game over a driver that reports an AGP-type aperture segment. Memory and
 * the linear aperture of the reference driver are too small for all surfaces: the GART maps and
 * unmaps the others, and the driver is asked for nothing but to use the addresses.
 */
#include "stage.h"

#define FRAMES 24u
#define VRAM   ((uint64_t)1 << 20)

static bool has_agp(struct check *check) {
    struct vidmm_segment_info info;
    for (uint32_t id = 1; vidmm_segment_info(check->harness.adapter, id, &info); id++) {
        if (info.agp)
            return true;
    }
    return false;
}

/* One reset on the way: what the GART mapped has to go with it. */
static void between(void *ctx, uint64_t done, uint64_t events) {
    struct check *check = ctx;
    bool half = done <= events / 2 && done + 64 > events / 2;
    check_step(check, "agp: after event %llu%s", (unsigned long long)done, half ? ", a reset" : "");
    if (half && vidmm_wait_idle(check->harness.adapter) == VIDMM_OK)
        (void)check_reset(check);
}

enum vidmm_stage_outcome stage_agp(struct check *check, uint32_t number) {
    struct check_setup setup = {
        .settings = {{"VramBytes", VRAM}, {"ApertureBytes", VRAM / 4}, {"AgpBytes", VRAM}}};
    (void)number;
    check_step(check, "agp: start");
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    bool has = has_agp(check);
    check_close(check);
    return has ? check_play(check, &setup, FRAMES, between)
               : check_say(check, VIDMM_STAGE_SKIPPED,
                           "the driver reports no AGP-type aperture segment");
}
