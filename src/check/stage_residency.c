/*
 * stage_residency.c - requests of user mode of drivers with virtual addresses: two processes whose lists do not
 * fit together, offers and reclaims, mapping and freeing of addresses, locks of all kinds, contexts
 * whose memory moves. Most of it tests the manager; the driver gets the resulting paging.
 */
#include "surface.h"
#include "user.h"
#include "vary.h"

#include <string.h>

#include <vidmm/umd.h>

#define VRAM         ((uint64_t)1 << 20)
#define QUARTER      ((uint32_t)(VRAM / CHECK_PAGE / 4)) /* of the memory, in pages */
#define STEPS        64u
#define ROOM         0x10000u
#define LITTLE_ROOM  80u /* bytes of a paging buffer: most operations take several */
#define SMALL_PAGES  9u
#define BEHIND_PAGES 40u
#define PLACES       4u
#define WIDE_PAGES   ((uint32_t)(5 * VRAM / CHECK_PAGE / 2 + 1))
#define MINE         (VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE)
#define ZEROES_MOST  ((uint64_t)32 << 20) /* of an entry above the leaves */
#define COUNT(list)  ((uint32_t)(sizeof(list) / sizeof((list)[0])))

/* Surfaces of a process, by index. */
enum { A, B, C, D, LARGE, SMALL, WIDE = B };

static const uint32_t a[] = {A}, b[] = {B}, c[] = {C}, ab[] = {A, B}, cd[] = {C, D},
                      large[] = {LARGE}, behind[] = {SMALL, C}, wide[] = {WIDE};

/* A quarter of the memory segment of which the CPU sees most, in pages, and as pages of 64 KB: surfaces that it sees fit
 * there as many times on a board of whose memory it sees a part. */
static uint32_t quarter_of(const struct user *user) {
    struct vidmm_segment_info info;
    uint64_t most = 0;
    for (uint32_t id = 1; vidmm_segment_info(user->check->harness.adapter, id, &info); id++)
        if (!info.aperture && info.cpu_base != 0 && info.size > most)
            most = info.size;
    uint64_t pages = most / 4 / ROOM * (ROOM / CHECK_PAGE);
    return pages == 0 || pages > QUARTER ? QUARTER : (uint32_t)pages;
}

static bool residency_step(struct user *user, const char *what) {
    check_step(user->check, "residency: %s", what);
    return true;
}

static bool residency_lost(struct user *user, uint32_t index) {
    bool lost = user_lost(user, index);
    if (lost)
        vidmm_ledger_note(&user->check->shared->ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER,
                          "surface %u has other bytes than the CPU wrote there", index);
    return lost;
}

/* Addresses are the GPU's, and lead where page tables say. */
static bool has_mmu(struct check *check) {
    struct vidmm_gpummu_info info;
    vidmm_gpummu_info(check->harness.adapter, 0, &info);
    return info.on && info.levels != 0;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static bool make_lists(struct user *user) {
    const uint32_t quarter = quarter_of(user);
    for (uint32_t i = A; i <= D; i++)
        if (!user_make(user, i, MINE, quarter) || !user_write(user, i, (uint8_t)('a' + i)))
            return false;
    return user_make(user, LARGE, MINE, 2 * quarter);
}

/* Made resident twice, evicted twice. */
static bool residency_count(struct user *user) {
    return residency_step(user, "counted references") &&
           user_make_resident(user, NULL, ab, COUNT(ab), 0) &&
           user_make_resident(user, NULL, a, COUNT(a), 0) && user_submit(user, 0) &&
           user_budget(user) && user_evict(user, a, COUNT(a), VIDMM_EVICT_ONLY_IF_NECESSARY) &&
           user_evict(user, a, COUNT(a), 0) && user_evict(user, a, COUNT(a), 0) &&
           user_submit(user, 0);
}

/* Its own list fills the memory; there is no other process to trim. */
static bool too_much(struct user *user) {
    return residency_step(user, "more than there is") &&
           user_make_resident(user, NULL, a, COUNT(a), 0) &&
           user_make_resident(user, NULL, cd, COUNT(cd), 0) && user_submit(user, 0) &&
           user_make_resident(user, NULL, large, COUNT(large), 0) && user_budget(user) &&
           user_make_resident(user, NULL, large, COUNT(large), VIDMM_RESIDENT_MUST_SUCCEED);
}

/* Another process needs its share; both go on. */
static bool share(struct user *user, struct user *other) {
    user->give = D + 1;
    return residency_step(user, "two processes") && user_make(other, A, MINE, quarter_of(user)) &&
           user_write(other, A, 'z') && user_make_resident(user, other, a, COUNT(a), 0) &&
           user_make_resident(other, NULL, a, COUNT(a), 0) && user_submit(other, 0) &&
           user_submit(user, 0) && user_submit(other, 0) && user_rest(user);
}

static bool unwritten(struct user *user) {
    return residency_step(user, "what was not written to") && user_evict(user, b, COUNT(b), 0) &&
           user_make_resident(user, NULL, b, COUNT(b), 0) && user_submit(user, 0) &&
           user_rest(user) && user_evict(user, b, COUNT(b), VIDMM_EVICT_NOT_WRITTEN_TO);
}

static bool offer(struct user *user) {
    return residency_step(user, "offers") && user_make_resident(user, NULL, b, COUNT(b), 0) &&
           user_offer(user, B, 0) && user_submit(user, STEPS) &&
           user_offer(user, B, VIDMM_OFFER_LOW) && user_lock(user, B, 0) &&
           user_make_resident(user, NULL, b, COUNT(b), 0) && user_submit(user, 0) &&
           user_reclaim(user, B) && user_submit(user, 0);
}

/* Each of the first segments alone, even if the driver refuses it; then all as before. */
static bool places(struct user *user) {
    struct vidmm_allocation_info info;
    vidmm_allocation_info(user->surface[A].allocation, &info);
    residency_step(user, "places that change");
    for (uint32_t i = 0; i < PLACES; i++)
        if (!user_place(user, A, 1u << i) || !user_submit(user, 0) || !user_rest(user))
            return false;
    return user_place(user, A, info.driver.SupportedWriteSegmentSet) && user_submit(user, 0);
}

/* The last request, because it may put the device in error. */
static bool must_succeed(struct user *user) {
    return residency_step(user, "a request that must succeed") &&
           user_make_resident(user, NULL, large, COUNT(large),
                              VIDMM_RESIDENT_CANT_TRIM | VIDMM_RESIDENT_MUST_SUCCEED);
}

static bool play_lists(struct user *user) {
    struct user other;
    if (!make_lists(user) || !residency_count(user) || !too_much(user) ||
        !user_open(user->check, &other))
        return false;
    bool good = share(user, &other);
    user_close(&other);
    return good && unwritten(user) && offer(user) && places(user) && must_succeed(user) &&
           user_rest(user);
}

/* ---- Addresses ------------------------------------------------------------------------------- */

/* What the CPU need not see may lie in another segment, of larger pages. */
static bool play_hidden_tables(struct user *user) {
    bool good = user_make(user, C, VIDMM_UMD_LOCAL_ONLY, QUARTER) &&
                user_make_resident(user, NULL, c, COUNT(c), 0) && user_submit(user, 0) &&
                user_rest(user) && user_tables(user, C);
    if (good)
        user_drop(user, C);
    return good;
}

static bool play_addresses(struct user *user) {
    const uint32_t quarter = quarter_of(user);
    residency_step(user, "addresses");
    return user_make(user, A, MINE, quarter) && user_make(user, B, MINE, quarter) &&
           user_make_resident(user, NULL, ab, COUNT(ab), 0) && user_tables(user, A) &&
           play_hidden_tables(user) && user_addresses(user, A, B);
}

/* ---- Locks ----------------------------------------------------------------------------------- */

/* Comes back behind another one: the buffer of its entries, which do not follow from each other in system
 * memory, has something in it already. */
static bool play_behind(struct user *user) {
    residency_step(user, "two surfaces at once");
    return user_make(user, C, VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED, BEHIND_PAGES) &&
           user_make_resident(user, NULL, c, COUNT(c), 0) && user_submit(user, 0) &&
           user_rest(user) && user_evict(user, behind, COUNT(behind), 0) &&
           user_fine(user, vidmm_allocation_evict(user->surface[C].allocation, true)) &&
           user_fine(user, vidmm_allocation_evict(user->surface[SMALL].allocation, true)) &&
           user_make_resident(user, NULL, behind, COUNT(behind), 0) && user_submit(user, 0) &&
           user_rest(user);
}

/* One that has an address of its own beside, which the driver wants to know: it comes, goes and comes again. */
static bool play_told(struct user *user) {
    const uint32_t told[] = {D};
    residency_step(user, "a surface whose place the driver is told");
    return user_make(user, D, MINE | VIDMM_UMD_ACCESSED_PHYSICALLY | VIDMM_UMD_RESIDENCY_NOTIFIED,
                     SMALL_PAGES) &&
           user_write(user, D, 'd') && user_make_resident(user, NULL, told, COUNT(told), 0) &&
           user_submit(user, 0) && user_rest(user) && user_evict(user, told, COUNT(told), 0) &&
           user_fine(user, vidmm_allocation_evict(user->surface[D].allocation, true)) &&
           user_make_resident(user, NULL, told, COUNT(told), 0) && user_submit(user, 0) &&
           user_rest(user) && !residency_lost(user, D);
}

/* Pages that differ. */
static bool write_pages(struct user *user, uint32_t index) {
    const struct user_surface *surface = &user->surface[index];
    void *cpu = NULL;
    enum vidmm_status status = vidmm_lock(surface->allocation, 0, &cpu);
    if (status != VIDMM_OK)
        return user_fine(user, status);
    for (uint64_t at = 0; at < surface->size; at += CHECK_PAGE)
        memset((uint8_t *)cpu + at, (int)(1 + at / CHECK_PAGE), CHECK_PAGE);
    vidmm_unlock(surface->allocation);
    return true;
}

/* Filled, moved out and moved in again, each time but for the first and the last page. */
static bool play_part(struct user *user, uint32_t index, uint32_t pages) {
    return user_make(user, index, MINE, pages) && user_make_resident(user, NULL, &index, 1, 0) &&
           user_submit(user, 0) && write_pages(user, index) && user_evict(user, &index, 1, 0) &&
           user_fine(user, vidmm_allocation_evict(user->surface[index].allocation, true)) &&
           user_rest(user) && user_make_resident(user, NULL, &index, 1, 0) &&
           user_submit(user, 0) && user_rest(user);
}

/* Of a surface of pages of 4 KB, and of one that may have pages of 64 KB. */
static bool play_parts(struct user *user) {
    residency_step(user, "parts of a surface");
    vary_operations(user->check, true);
    bool good = play_part(user, A, quarter_of(user)) && play_part(user, SMALL, SMALL_PAGES);
    vary_operations(user->check, false);
    if (good)
        user_drop(user, A);
    return good;
}

/* R517: what the driver has just done, with members beside that mean nothing to it. */
static bool play_strange_tables(struct user *user) {
    struct vidmm_ledger *ledger = &user->check->shared->ledger;
    if (!vary_tables(user->check, true))
        return true;
    residency_step(user, "a surface, with addresses of page tables that nobody asked for");
    check_instead(ledger, 517, "SourcePageTable and DestinationPageTable left alone");
    bool good = play_part(user, B, SMALL_PAGES);
    check_instead(ledger, 0, "");
    (void)vary_tables(user->check, false);
    vidmm_ledger_judge(ledger, 517, VIDMM_SIDE_DRIVER, true, "", "%s", "");
    if (good)
        user_drop(user, B);
    return good;
}

static bool play_locks(struct user *user) {
    static const uint32_t flags[] = {
        0,
        VIDMM_LOCK_READ_ONLY | VIDMM_LOCK_WRITE_ONLY,
        VIDMM_LOCK_ALTERNATE_VA,
        VIDMM_LOCK_DONT_EVICT,
        VIDMM_LOCK_READ_ONLY,
    };
    vary_little(user->check);
    if (!play_parts(user) || !play_strange_tables(user) || !play_behind(user) || !play_told(user))
        return false;
    residency_step(user, "locks");
    if (!user_make(user, A, MINE, quarter_of(user)) || !user_write(user, A, 'a') ||
        !user_make(user, B, VIDMM_UMD_LOCAL_ONLY, QUARTER) ||
        !user_make_resident(user, NULL, ab, COUNT(ab), 0) || !user_copies(user, A))
        return false;
    for (uint32_t i = 0; i < COUNT(flags); i++)
        if (!user_submit(user, 0) || !user_rest(user) || !user_lock(user, A, flags[i]) ||
            !user_lock(user, B, flags[i]))
            return false;
    return user_submit(user, STEPS) && user_lock(user, A, VIDMM_LOCK_DONT_WAIT) &&
           user_rest(user) && user_lock(user, A, VIDMM_LOCK_DONT_WAIT) && user_submit(user, 0) &&
           user_rest(user);
}

/* ---- Contexts -------------------------------------------------------------------------------- */

static bool play_contexts(struct user *user) {
    vary_little(user->check);
    return user_make(user, A, MINE, 1) && user_make_resident(user, NULL, a, COUNT(a), 0) &&
           user_null(user, A) && (!has_mmu(user->check) || user_contexts(user, A));
}

/* ---- Wide ------------------------------------------------------------------------------------ */

/* The same without the CPU, which may lie where that sees nothing; but for its ends, with the pages beside it. */
static bool play_wide_part(struct user *user) {
    residency_step(user, "a part of several MB");
    user_drop(user, WIDE);
    vary_operations(user->check, true);
    bool good = user_make(user, WIDE, VIDMM_UMD_LOCAL_ONLY, WIDE_PAGES) &&
                user_make_resident(user, NULL, wide, COUNT(wide), 0) && user_submit(user, 0) &&
                user_rest(user) && user_evict(user, wide, COUNT(wide), 0) &&
                user_fine(user, vidmm_allocation_evict(user->surface[WIDE].allocation, true)) &&
                user_rest(user);
    vary_operations(user->check, false);
    return good;
}

/* A range that reads as zero, and is longer than what two entries above the leaves cover; a driver without such pages has
 * none. */
static bool play_zeroes(struct user *user) {
    struct vidmm_gpummu_info info;
    vidmm_gpummu_info(user->check->harness.adapter, 0, &info);
    const uint64_t covers = (uint64_t)CHECK_PAGE << info.level[0].index_bits;
    residency_step(user, "pages that read as zero, by entries above the leaves");
    return !has_mmu(user->check) || covers > ZEROES_MOST || user_zeroes(user, 3 * covers);
}

/* More than commands hold in one piece: written by the CPU, moved in and out. */
static bool play_wide(struct user *user) {
    residency_step(user, "a surface of several MB");
    return user_make(user, WIDE, MINE, WIDE_PAGES) && user_write(user, WIDE, 'w') &&
           user_make_resident(user, NULL, wide, COUNT(wide), 0) && user_submit(user, 0) &&
           user_rest(user) && user_evict(user, wide, COUNT(wide), 0) &&
           user_fine(user, vidmm_allocation_evict(user->surface[WIDE].allocation, true)) &&
           !residency_lost(user, WIDE) && play_wide_part(user) && play_zeroes(user);
}

/* ---- Far from the start ----------------------------------------------------------------------- */

#define FAR_VRAM  ((uint64_t)6 << 30)
#define FAR_PAGES 5u

static bool far_out_and_in(struct user *user) {
    return user_evict(user, a, COUNT(a), 0) &&
           user_fine(user, vidmm_allocation_evict(user->surface[A].allocation, true)) &&
           user_make_resident(user, NULL, a, COUNT(a), 0) && user_submit(user, 0) &&
           user_rest(user);
}

/* Surfaces at the end of a segment whose offsets have more than 32 bits, and so are tables in it. */
static bool play_far(struct user *user) {
    struct vidmm_adapter *adapter = user->check->harness.adapter;
    residency_step(user, "surfaces behind 4 GiB of the segment");
    vidmm_referee_placed_first(user->check->harness.referee, true);
    vidmm_place_at_end(adapter, true);
    bool good = user_make(user, A, VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE, FAR_PAGES) &&
                user_make(user, B, VIDMM_UMD_LOCAL_ONLY, FAR_PAGES) && user_write(user, A, 'f') &&
                user_make_resident(user, NULL, ab, COUNT(ab), 0) && user_submit(user, 0) &&
                user_rest(user) && far_out_and_in(user) && user_split(user, A);
    return good && !residency_lost(user, A);
}

/* Whether a segment has such offsets. */
static bool is_far(struct check *check) {
    struct vidmm_segment_info info;
    bool far = false;
    for (uint32_t id = 1; vidmm_segment_info(check->harness.adapter, id, &info); id++)
        far = far || (!info.aperture && info.size > CHECK_HIGH);
    return far;
}

static enum vidmm_stage_outcome residency_far(struct check *check) {
    const struct check_setup setup = {.settings = {{"VramBytes", FAR_VRAM}, {"MmuLevels", 4}},
                                      .refusable = true};
    struct user user;
    if (!check_open(check, &setup))
        return VIDMM_STAGE_DONE; /* there is no such board */
    if (!check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    if (!has_mmu(check) || !is_far(check) || !user_describes(check))
        return VIDMM_STAGE_DONE;
    user_local_first(check);
    if (!user_open(check, &user) || !play_far(&user))
        return VIDMM_STAGE_STOPPED;
    check_step(check, "residency: down");
    user_close(&user);
    return VIDMM_STAGE_DONE;
}

/* ---- Many processes --------------------------------------------------------------------------- */

static enum vidmm_stage_outcome residency_many(struct check *check) {
    const struct check_setup setup = {.settings = {{"VramBytes", 16 * VRAM}, {"MmuLevels", 4}}};
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    if (!has_mmu(check) || !user_describes(check))
        return VIDMM_STAGE_DONE;
    user_local_first(check);
    return user_many(check) ? VIDMM_STAGE_DONE : VIDMM_STAGE_STOPPED;
}

/* ---- The stage ------------------------------------------------------------------------------- */

enum vidmm_stage_outcome stage_residency(struct check *check, uint32_t number) {
    static bool (*const plays[])(struct user * user) = {play_lists, play_addresses, play_locks,
                                                        play_contexts, play_wide};
    const bool addresses = number == 1, contexts = number == 3; /* a root of two levels grows */
    const struct check_setup setup = {
        .settings = {{"VramBytes", number == 4 ? 16 * VRAM : VRAM},
                     {"MmuLevels", contexts ? 2 : 4},
                     {"ContextBytes", contexts ? 2 * CHECK_PAGE : 0},
                     {"PagingBufferBytes", number % 2 != 0 ? LITTLE_ROOM : ROOM}},
        .paging_from = number == 4 ? 2 * CHECK_HIGH : 0,
        .table = number == 2 || number == 4 || contexts ? vary_table : NULL};
    struct user user;
    check_step(check, "residency: start");
    if (number == sizeof(plays) / sizeof(plays[0]))
        return residency_far(check);
    if (number > sizeof(plays) / sizeof(plays[0]))
        return residency_many(check);
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    if (!check_virtual(check))
        return check_say(check, VIDMM_STAGE_SKIPPED, "the driver has no virtual addresses");
    if (!user_describes(check))
        return check_say(check, VIDMM_STAGE_SKIPPED, CHECK_NO_SURFACES);
    if (addresses && !has_mmu(check))
        return VIDMM_STAGE_DONE;
    user_local_first(check);
    vary_begin(check);
    if (!user_open(check, &user) || !plays[number](&user))
        return VIDMM_STAGE_STOPPED;
    check_step(check, "residency: down");
    user_close(&user);
    return VIDMM_STAGE_DONE;
}
