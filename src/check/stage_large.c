/*
 * stage_large.c - large pages (docs/gpu-virtual-memory.md): a surface as large as two of them and a
 * page comes and goes beside another one, is seen at a second range of addresses, and loses a page
 * out of the middle of that range, which comes back. The driver sees entries with LargePage come, be
 * split, be joined and go, and with ReadOnly; the content is compared in the end. A range of pages that read as zero, by leaf
 * entries and by entries above them, follows, which a driver has with large pages only; and again on a board without such pages.
 */
#include "surface.h"
#include "user.h"

#include <vidmm/umd.h>

/* A memory of twice this is enough for pages of 2 MB, also where the CPU sees a quarter of it. */
#define LARGEST     ((uint64_t)32 << 20)
#define MINE        (VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE)
#define MMU_LARGE   15u  /* MmuFeatures of the reference board */
#define MMU_NO_ZERO 11u  /* the same without pages that read as zero */
#define LARGE_RULE  219u /* judged of each entry with LargePage */
#define ZEROES      ((uint64_t)16 * CHECK_PAGE)
#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof((list)[0])))

/* Surfaces, by index. */
enum { SEEN, OTHER };

static const uint32_t seen[] = {SEEN}, other[] = {OTHER};

static bool swap(struct user *user, const uint32_t *out, const uint32_t *in) {
    return user_evict(user, out, 1, 0) && user_make_resident(user, NULL, in, 1, 0) &&
           user_submit(user, 0) && user_rest(user);
}

/* Surfaces of the system's that the CPU sees may have little room in memory segments: then their bytes are not looked
 * at, but their entries are. */
static bool large_play(struct user *user, uint32_t pages) {
    const uint32_t flags = user->speaks ? MINE : VIDMM_UMD_LOCAL_ONLY;
    check_step(user->check, "large-pages: mapped and moved");
    if (!user_make(user, SEEN, flags, 2 * pages + 1) || !user_write(user, SEEN, 's') ||
        !user_make(user, OTHER, flags, 2 * pages) ||
        !user_make_resident(user, NULL, seen, COUNT(seen), 0) || !user_submit(user, 0) ||
        !user_rest(user) || !swap(user, seen, other) || !swap(user, other, seen))
        return false;
    check_step(user->check, "large-pages: split");
    if (!user_split(user, SEEN) || !swap(user, seen, other) || !swap(user, other, seen))
        return false;
    check_step(user->check, "large-pages: without the right to write");
    if (!user_protected(user, SEEN))
        return false;
    check_step(user->check, "large-pages: zero pages");
    return user_zeroes(user, ZEROES) && user_zeroes(user, 3 * (uint64_t)pages * CHECK_PAGE);
}

/* What did not fit, or was large nowhere, showed nothing of large pages. */
static void large_judge_seen(struct check *check, uint64_t bytes, uint32_t before) {
    struct check_told *told = &check->shared->told;
    if (check->shared->ledger.kept[LARGE_RULE] == before)
        snprintf(told->part, sizeof(told->part),
                 "no entry with LargePage was made: the segments have no room for surfaces of %llu "
                 "bytes in large pages",
                 (unsigned long long)bytes);
}

static enum vidmm_stage_outcome large_zeroes(struct check *check, struct user *user) {
    check_step(check, "large-pages: zero pages, on a board without them");
    bool good = user_open(check, user) && user_zeroes(user, ZEROES);
    if (good)
        user_close(user);
    return good ? VIDMM_STAGE_DONE : VIDMM_STAGE_STOPPED;
}

enum vidmm_stage_outcome stage_large(struct check *check, uint32_t number) {
    const struct check_setup setup = {
        .settings = {{"VramBytes", 2 * LARGEST},
                     {"MmuLevels", 4},
                     {"MmuFeatures", number == 0 ? MMU_LARGE : MMU_NO_ZERO}}};
    struct vidmm_gpummu_info info;
    struct user user;
    check_step(check, "large-pages: start");
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    vidmm_gpummu_info(check->harness.adapter, 0, &info);
    if (info.large_bytes == 0 || info.large_bytes > LARGEST)
        return check_say(check, VIDMM_STAGE_SKIPPED,
                         "the driver reports no large pages, or is older than WDDM 2.1");
    if (!user_describes(check))
        return check_say(check, VIDMM_STAGE_SKIPPED, CHECK_NO_SURFACES);
    user_local_first(check);
    if (number != 0)
        return large_zeroes(check, &user);
    const uint32_t before = check->shared->ledger.kept[LARGE_RULE];
    if (!user_open(check, &user) || !large_play(&user, (uint32_t)(info.large_bytes / CHECK_PAGE)))
        return VIDMM_STAGE_STOPPED;
    large_judge_seen(check, 2 * info.large_bytes + CHECK_PAGE, before);
    check_step(check, "large-pages: down");
    bool lost = user_lost(&user, SEEN);
    user_close(&user);
    return lost ? check_say(check, VIDMM_STAGE_STOPPED,
                            "a surface has other bytes than the CPU wrote")
                : VIDMM_STAGE_DONE;
}
