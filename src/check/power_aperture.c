/* power_aperture.c - see power_aperture.h. The referee looks at what is mapped (R651). */
#include "power_aperture.h"

#include "carry.h"
#include "raw.h"
#include "user.h"

#define PAGES 5u
#define PLACE 3u /* the first of them in the list */

static struct {
    struct raw_submitter raw;
    struct user carrier;
    bool open, mapped;
} aperture;

/* The last ones, where a manager that fills the aperture from its start comes last. */
static uint64_t aperture_page(void) {
    return aperture.raw.aperture.size / CHECK_PAGE - PAGES;
}

void power_aperture_open(struct check *check) {
    struct vidmm_gpummu_info mmu;
    vidmm_gpummu_info(check->harness.adapter, 0, &mmu);
    aperture.carrier.check = check;
    aperture.mapped = false;
    aperture.open = mmu.on && check->options->readings.insufficient == 0;
    if (aperture.open && !raw_open_carried(&aperture.raw, &aperture.carrier, 0))
        power_aperture_close(check);
    power_aperture_return();
}

void power_aperture_leave(void) {
    struct raw_submitter *raw = &aperture.raw;
    if (aperture.mapped)
        (void)raw_unmap(raw, &raw->aperture, aperture_page(), PAGES);
    aperture.mapped = false;
}

/* Not while the manager has something there, or what was asked for before waits. */
void power_aperture_return(void) {
    struct raw_submitter *raw = &aperture.raw;
    if (!aperture.open || carry_waiting() != 0 || !raw_is_free(raw, aperture_page(), PAGES))
        return;
    raw_paint(raw, raw->target, 51);
    aperture.mapped = raw_map(raw, &raw->aperture, aperture_page(), PAGES, raw->target, PLACE);
}

void power_aperture_close(struct check *check) {
    (void)check;
    if (!aperture.open)
        return;
    carry_drop();
    raw_close_carried(&aperture.raw);
    aperture.open = false;
}
