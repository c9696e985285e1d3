/*
 * raw_carried.c - operations on apertures of a driver that pages by GPU virtual address, which the paging buffers of
 * its manager carry (carry.h); see raw.h. Nothing moves through the aperture there: entries of page tables lead to
 * system memory itself. What the pages show is what the GPU sees at their physical addresses, if that can be seen.
 */
#include "carry.h"
#include "raw.h"
#include "surface.h"
#include "user.h"

#include <string.h>

#include <vidmm/umd.h>

#define PROVOKED 4u /* times that the surface moves before nothing is expected of it */
#define PAGES    10u
#define PLACE    7u /* the first of them in the list */
#define SIDE     4u /* pages before them, and behind them */
#define MIDDLE   8u

/* ---- Up and down ----------------------------------------------------------------------------- */

bool raw_open_carried(struct raw_submitter *raw, struct user *carrier, uint32_t others) {
    struct check *check = carrier->check;
    *raw = (struct raw_submitter){.check = check,
                                  .carrier = carrier,
                                  .others = others,
                                  .ddi = &check->harness.spoken,
                                  .os = vidmm_host_os(check->harness.host),
                                  .by_address = true};
    vidmm_adapter_info(check->harness.adapter, &raw->info);
    raw_choose_segments(raw, check->harness.adapter);
    raw->memory.id = 0;
    if (raw->aperture.id == 0 || (others != 0 && !raw->another))
        return false;
    raw->source = raw_list(raw, RAW_PAGES, RAW_RUN);
    raw->target = raw_list(raw, RAW_PAGES, RAW_RUN);
    return raw->source && raw->target;
}

void raw_close_carried(struct raw_submitter *raw) {
    raw_free_pages(raw, raw->source);
    raw_free_pages(raw, raw->target);
}

/* What a driver that pages by GPU virtual address maps goes into paging buffers of its manager, which surfaces have it
 * fill. By a reading of INSUFFICIENT_DMA_BUFFER that takes back what a call wrote, the manager would lose its own
 * operation with the one that it carries. A driver that does not get on with an operation ends the manager: it is left
 * alone. */
enum vidmm_stage_outcome raw_carried_run(struct check *check, const struct check_setup *setup,
                                         bool (*run)(struct user *user)) {
    static const uint16_t endless[] = {157};
    struct vidmm_gpummu_info mmu;
    struct user user;
    if (check_broke(check, endless, 1))
        return VIDMM_STAGE_DONE;
    if (!check_open(check, setup) || !check_manage(check, setup))
        return VIDMM_STAGE_STOPPED;
    vidmm_gpummu_info(check->harness.adapter, 0, &mmu);
    if (!mmu.on || check->options->linked > 1 || check->options->readings.insufficient != 0)
        return VIDMM_STAGE_DONE;
    if (!user_describes(check))
        return check_say(check, VIDMM_STAGE_SKIPPED, CHECK_NO_SURFACES);
    if (!user_open(check, &user) || !run(&user))
        return VIDMM_STAGE_STOPPED;
    user_close(&user);
    return VIDMM_STAGE_DONE;
}

bool raw_is_free(const struct raw_submitter *raw, uint64_t page, uint64_t pages) {
    return !raw->carrier || carry_is_free(raw->aperture.id, page, pages);
}

/* ---- Carrying -------------------------------------------------------------------------------- */

/* A surface that leaves and comes back has the manager fill paging buffers. */
static bool carried_provoke(struct user *user) {
    const uint32_t surface = 0;
    if (!user->surface[surface].allocation &&
        !user_make(user, surface, VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE, 1))
        return false;
    return user_make_resident(user, NULL, &surface, 1, 0) && user_submit(user, 0) &&
           user_rest(user) && user_evict(user, &surface, 1, 0) &&
           user_fine(user, vidmm_allocation_evict(user->surface[surface].allocation, true)) &&
           user_rest(user);
}

bool raw_carry_out(struct raw_submitter *raw) {
    for (uint32_t i = 0; i < PROVOKED && carry_waiting() != 0 && !raw->refused; i++)
        raw->refused = !carried_provoke(raw->carrier);
    if (!raw->refused && carry_waiting() != 0) {
        raw->refused = true;
        (void)check_say(raw->check, VIDMM_STAGE_STOPPED,
                        "the manager filled no paging buffer that carries operations on apertures");
    }
    if (raw->refused)
        carry_drop();
    return !raw->refused;
}

bool raw_carry(struct raw_submitter *raw, const DXGKARG_BUILDPAGINGBUFFER *args) {
    return !raw->refused && (carry_add(args) || (raw_carry_out(raw) && carry_add(args)));
}

/* ---- Looking --------------------------------------------------------------------------------- */

/* A page of the aperture has the bytes of a page of the list. */
static bool carried_shows(struct raw_submitter *raw, uint32_t page, PMDL list, uint32_t at) {
    const void *seen =
        vidmm_host_peek(raw->check->harness.host, raw->physical,
                        raw->aperture.base + (uint64_t)page * CHECK_PAGE, CHECK_PAGE);
    return seen && memcmp(seen, raw_page(raw, list, at), CHECK_PAGE) == 0;
}

/* Mapped in pieces, each behind the others, and unmapped at once. */
static bool carried_pieces(struct raw_submitter *raw, uint32_t page, uint32_t chunk) {
    check_step(raw->check, "operations: maps of %u pages at page %u", chunk, page);
    for (uint32_t at = 0; at < PAGES; at += chunk) {
        const uint32_t pages = PAGES - at < chunk ? PAGES - at : chunk;
        if (!raw_map(raw, &raw->aperture, page + at, pages, raw->target, PLACE + at))
            return false;
    }
    return raw_flush(raw) && raw_unmap(raw, &raw->aperture, page, PAGES) && raw_flush(raw);
}

/* Maps, or unmaps, on both sides of the middle. */
static bool carried_sides(struct raw_submitter *raw, bool map) {
    const uint32_t before = MIDDLE - SIDE, behind = MIDDLE + PAGES;
    bool built = map ? raw_map(raw, &raw->aperture, before, SIDE, raw->source, 1) &&
                           raw_map(raw, &raw->aperture, behind, SIDE, raw->source, 1 + SIDE)
                     : raw_unmap(raw, &raw->aperture, before, SIDE) &&
                           raw_unmap(raw, &raw->aperture, behind, SIDE);
    return built && raw_flush(raw);
}

/* R197: what the pages in the middle showed they show still. */
static void carried_judge(struct raw_submitter *raw, const bool *shown, const char *found) {
    bool looked = false, kept = true;
    for (uint32_t i = 0; i < PAGES; i++) {
        looked = looked || shown[i];
        kept = kept && (!shown[i] || carried_shows(raw, MIDDLE + i, raw->target, PLACE + i));
    }
    if (looked)
        raw_judge(raw, 197, kept, "all other pages of the aperture as before", found);
}

/* Pages on both sides of mapped ones come and go, twice. */
static bool carried_neighbours(struct raw_submitter *raw) {
    bool shown[PAGES];
    check_step(raw->check, "operations: maps on both sides of mapped pages");
    raw_paint(raw, raw->target, 77);
    raw_paint(raw, raw->source, 78);
    if (!raw_map(raw, &raw->aperture, MIDDLE, PAGES, raw->target, PLACE) || !raw_flush(raw))
        return false;
    for (uint32_t i = 0; i < PAGES; i++)
        shown[i] = carried_shows(raw, MIDDLE + i, raw->target, PLACE + i);
    for (uint32_t round = 0; round < 2; round++) {
        if (!carried_sides(raw, true))
            return false;
        carried_judge(raw, shown, "other pages where pages were mapped after maps beside them");
        if (!carried_sides(raw, false))
            return false;
        carried_judge(raw, shown, "other pages where pages were mapped after unmaps beside them");
    }
    return raw_unmap(raw, &raw->aperture, MIDDLE, PAGES) && raw_flush(raw);
}

void raw_carried_maps(struct raw_submitter *raw) {
    static const uint32_t chunks[] = {PAGES, 1, 3};
    if (raw->aperture.size < 2 * RAW_PAGES * CHECK_PAGE || !raw_is_free(raw, 0, 2 * RAW_PAGES))
        return;
    for (uint32_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++)
        if (!carried_pieces(raw, 1 + 2 * i, chunks[i]))
            return;
    (void)carried_neighbours(raw);
}
