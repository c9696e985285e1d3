/*
 * stage_ranges.c - two surfaces at once through swizzling ranges: the CPU writes both, one is
 * evicted, the CPU writes the other; and all of it again. One surface gets a range again and again. Then one leaves
 * while the CPU keeps its address, and at last there is one surface more than there are ranges. It leaves so again,
 * and comes back to that address. Standby comes while the CPU keeps the range of a surface that stays. A second run has it leave and come back in several transfers, of which the CPU
 * then sees what came through a range. Only for drivers that know vidmm/umd.h.
 */
#include "spoken.h"

#include <string.h>

#define PAGES    16u
#define SURFACES 12u
#define ROUNDS   3u                         /* what was not given back is missing in the second */
#define AGAIN    100u                       /* acquisitions that no supply of ranges outlasts */
#define CHUNK    (3 * (uint64_t)CHECK_PAGE) /* of the second run: the last transfer is shorter */

struct ranges {
    struct spoken spoken;
    struct check *check;
    uint32_t surfaces, wanted;
    struct vidmm_allocation *surface[SURFACES];
    void *cpu[SURFACES];       /* NULL: it is not locked */
    uint32_t letter[SURFACES]; /* that the CPU wrote through a range; 0: none */
    bool alternates;           /* the GPU has alternate addresses */
    /* Of surfaces that are swizzled: requests for a range, and ranges. */
    uint32_t asked, given;
    bool plain[SURFACES]; /* at the address that it has without one */
};

/* Every other one is swizzled in memory, which the CPU does not see through its range. */
static bool ranges_make(struct ranges *ranges, uint32_t index) {
    uint32_t flags =
        VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE | (index % 2 == 0 ? VIDMM_UMD_SWIZZLED : 0);
    return check_good(ranges->check,
                      spoken_create(ranges->spoken.device, flags, PAGES, &ranges->surface[index]));
}

/* These surfaces in GPU memory. */
static bool ranges_use_some(struct ranges *ranges, uint32_t first, uint32_t count) {
    struct vidmm_reference references[SURFACES];
    const struct vidmm_submission submission = {.references = references, .count = count};
    uint64_t fence = 0;
    for (uint32_t i = 0; i < count; i++)
        references[i] =
            (struct vidmm_reference){.allocation = ranges->surface[first + i], .write = true};
    return check_good(ranges->check, vidmm_submit(ranges->spoken.context, &submission, &fence)) &&
           check_good(ranges->check, vidmm_wait_idle(ranges->check->harness.adapter));
}

static bool ranges_use(struct ranges *ranges) {
    return ranges_use_some(ranges, 0, ranges->surfaces);
}

/* Others in each 16 bytes and in each page, so that an order shows. */
static uint8_t ranges_byte(uint32_t letter, uint32_t at) {
    return (uint8_t)(letter + at / 16 * 7 + at / CHECK_PAGE * 13);
}

static void ranges_fill(struct ranges *ranges, uint32_t index, uint32_t letter) {
    uint8_t *bytes = ranges->cpu[index];
    ranges->letter[index] = bytes ? letter : 0;
    for (uint32_t at = 0; bytes && at < PAGES * CHECK_PAGE; at++)
        bytes[at] = ranges_byte(letter, at);
}

static bool ranges_has(const uint8_t *bytes, uint32_t letter) {
    bool same = true;
    for (uint32_t at = 0; at < PAGES * CHECK_PAGE; at++)
        same = same && bytes[at] == ranges_byte(letter, at);
    return same;
}

/* R185: out of memory it has what the CPU wrote through the range, in that order. A range may be what the CPU sees
 * at the address of before; where it is not, that address was left there (R351). */
static bool ranges_judge_left(struct ranges *ranges, uint32_t index) {
    void *bytes = NULL;
    if (ranges->letter[index] == 0)
        return true;
    if (!check_good(ranges->check, vidmm_lock(ranges->surface[index], 0, &bytes)))
        return false;
    bool good = ranges_has(bytes, ranges->letter[index]);
    if (!good && ranges->plain[index])
        check_judge(ranges->check, 351, VIDMM_SIDE_DRIVER, false,
                    "the address of the range in CPUTranslatedAddress",
                    "it came back as it was, and surface %u has other bytes after its eviction "
                    "than the CPU wrote there",
                    index);
    else
        check_judge(ranges->check, 185, VIDMM_SIDE_DRIVER, good,
                    "the bytes in the order in which the CPU saw them through the range",
                    "surface %u has others after its eviction", index);
    vidmm_unlock(ranges->surface[index]);
    return true;
}

static void ranges_unlock(struct ranges *ranges, uint32_t index) {
    if (ranges->cpu[index])
        vidmm_unlock(ranges->surface[index]);
    ranges->cpu[index] = NULL;
}

static bool ranges_leave(struct ranges *ranges, uint32_t index) {
    ranges_unlock(ranges, index);
    return check_good(ranges->check, vidmm_allocation_evict(ranges->surface[index], true)) &&
           ranges_judge_left(ranges, index);
}

/* Whether the CPU sees it where it would without a range. */
static bool is_plain(const struct ranges *ranges, uint32_t index) {
    struct vidmm_allocation_info info;
    struct vidmm_segment_info segment;
    vidmm_allocation_info(ranges->surface[index], &info);
    return ranges->cpu[index] &&
           vidmm_segment_info(ranges->check->harness.adapter, info.segment, &segment) &&
           ranges->cpu[index] == vidmm_host_io(ranges->check->harness.host,
                                               segment.cpu_base + info.offset, info.size);
}

static enum vidmm_status ranges_lock(struct ranges *ranges, uint32_t index, uint32_t flags) {
    enum vidmm_status status = vidmm_lock(ranges->surface[index], flags, &ranges->cpu[index]);
    ranges->plain[index] = status == VIDMM_OK && is_plain(ranges, index);
    return status;
}

/* A driver may refuse both: what is linear the CPU sees in its order without a range. R350 is of each request, R351
 * of what was given. */
static bool hold(struct ranges *ranges, uint32_t index) {
    const struct vidmm_ledger *ledger = &ranges->check->shared->ledger;
    const uint32_t asked = ledger->kept[350], given = ledger->kept[351];
    struct vidmm_allocation_info info;
    enum vidmm_status status = ranges_lock(ranges, index, VIDMM_LOCK_ACQUIRE_APERTURE);
    vidmm_allocation_info(ranges->surface[index], &info);
    if (info.driver.Flags.Swizzled) {
        ranges->asked += ledger->kept[350] - asked;
        ranges->given += ledger->kept[351] - given;
    }
    return status == VIDMM_NOT_LOCKABLE || check_good(ranges->check, status);
}

/* In every other round the one that stays has the first range. */
static bool ranges_play(struct ranges *ranges, uint32_t round) {
    uint32_t first = round % 2;
    check_step(ranges->check, "ranges: two at once, round %u", round + 1);
    if (!ranges_use(ranges) || !hold(ranges, first) || !hold(ranges, 1 - first))
        return false;
    ranges_fill(ranges, 0, 'a');
    ranges_fill(ranges, 1, 'b');
    if (!ranges_leave(ranges, 0))
        return false;
    ranges_fill(ranges, 1, 'c');
    return ranges_leave(ranges, 1) && ranges_use(ranges);
}

/* The surfaces come back in the other order, so that each is where the other one was. */
static bool ranges_swap(struct ranges *ranges) {
    check_step(ranges->check, "ranges: surfaces that changed places");
    if (!ranges_use_some(ranges, 1, 1) || !ranges_use(ranges) || !hold(ranges, 0) ||
        !hold(ranges, 1))
        return false;
    ranges_fill(ranges, 0, 'e');
    ranges_fill(ranges, 1, 'f');
    return ranges_leave(ranges, 0) && ranges_leave(ranges, 1);
}

/* R550: no release is forgotten, however many there are. */
static bool ranges_take_again(struct ranges *ranges) {
    bool good = true;
    check_step(ranges->check, "ranges: one surface, again and again");
    for (uint32_t i = 0; good && i < AGAIN && !check_explained(ranges->check); i++)
        good = ranges_use_some(ranges, 1, 1) && hold(ranges, 1) && ranges_leave(ranges, 1);
    return good;
}

/* ---- An alternate address -------------------------------------------------------------------- */

/* A new surface, which has nothing of what was at its place before, alone. */
static bool ranges_take_place(struct ranges *ranges, uint32_t index) {
    if (!ranges_make(ranges, index))
        return false;
    bool good = ranges_use_some(ranges, index, 1);
    vidmm_allocation_destroy(ranges->surface[index]);
    return good;
}

/* A surface leaves while the CPU keeps its address, and another gets its place. Its driver may refuse the
 * address. */
static bool ranges_depart(struct ranges *ranges, uint32_t index) {
    if (!ranges_use(ranges))
        return false;
    enum vidmm_status status =
        ranges_lock(ranges, index, VIDMM_LOCK_ACQUIRE_APERTURE | VIDMM_LOCK_ALTERNATE_VA);
    if (status == VIDMM_NOT_LOCKABLE)
        return true;
    if (!check_good(ranges->check, status))
        return false;
    ranges_fill(ranges, index, 'd');
    return check_good(ranges->check, vidmm_allocation_evict(ranges->surface[index], true)) &&
           check_good(ranges->check, vidmm_allocation_evict(ranges->surface[1 - index], true)) &&
           ranges_take_place(ranges, 2);
}

/* R444: the address has what it had. */
static bool ranges_stay(struct ranges *ranges, uint32_t index) {
    check_step(ranges->check, "ranges: an alternate address that stays");
    if (!ranges->alternates)
        return true;
    bool good = ranges_depart(ranges, index), held = ranges->cpu[index];
    if (good && held)
        check_judge(ranges->check, 444, VIDMM_SIDE_DRIVER, ranges_has(ranges->cpu[index], 'd'),
                    "what the CPU wrote, at the address that it keeps",
                    "other bytes there when another surface got its place");
    ranges_unlock(ranges, index);
    return good && (!held || ranges_judge_left(ranges, index));
}

/* R444: what the CPU wrote there while the surface was away comes back with it, and what the CPU writes then
 * is in memory. */
static bool ranges_judge_returned(struct ranges *ranges, uint32_t index) {
    void *bytes = NULL;
    check_judge(ranges->check, 444, VIDMM_SIDE_DRIVER, ranges_has(ranges->cpu[index], 'g'),
                "what the CPU wrote, at the address that it keeps",
                "other bytes there when its surface came back");
    ranges_fill(ranges, index, 'h');
    ranges_unlock(ranges, index);
    if (!check_good(ranges->check, vidmm_allocation_evict(ranges->surface[index], true)) ||
        !check_good(ranges->check, vidmm_lock(ranges->surface[index], 0, &bytes)))
        return false;
    check_judge(ranges->check, 444, VIDMM_SIDE_DRIVER, ranges_has(bytes, 'h'),
                "in memory, what the CPU wrote at its address when the surface was back",
                "the surface has other bytes after its next eviction");
    vidmm_unlock(ranges->surface[index]);
    return true;
}

/* It comes back to another place than it left, if there is one. */
static bool ranges_return(struct ranges *ranges, uint32_t index) {
    check_step(ranges->check, "ranges: a surface that comes back to its alternate address");
    if (!ranges->alternates)
        return true;
    bool good = ranges_depart(ranges, index);
    if (!good || !ranges->cpu[index]) {
        ranges_unlock(ranges, index);
        return good;
    }
    ranges_fill(ranges, index, 'g');
    good = ranges_use_some(ranges, 1 - index, 1) && ranges_use_some(ranges, index, 1) &&
           ranges_judge_returned(ranges, index);
    ranges_unlock(ranges, index);
    return good;
}

/* ---- Several of one surface ------------------------------------------------------------------- */

/* By hand, as for a lock with other private data ("for example, one aperture per MIP level"): the last range, which the
 * manager gives out last. False: the driver refuses it, or the surface lies where no range leads to (R349). */
static bool ranges_take_second(struct ranges *ranges, uint32_t index, uint32_t id) {
    const struct check *check = ranges->check;
    struct vidmm_allocation_info info;
    struct vidmm_segment_info segment;
    vidmm_allocation_info(ranges->surface[index], &info);
    if (!vidmm_segment_info(check->harness.adapter, info.segment, &segment))
        return false;
    const DXGK_SEGMENTFLAGS flags = {.Value = segment.flags};
    if (!flags.CpuVisible && !info.driver.Flags.UseAlternateVA)
        return false;
    DXGKARG_ACQUIRESWIZZLINGRANGE args = {.hAllocation = info.driver.hAllocation,
                                          .PrivateDriverData = 1,
                                          .RangeId = id,
                                          .SegmentId = segment.driver_id,
                                          .RangeSize = info.size};
    args.CPUTranslatedAddress.QuadPart = (LONGLONG)(segment.cpu_base + info.offset);
    return check->harness.spoken.DxgkDdiAcquireSwizzlingRange(
               vidmm_host_adapter(check->harness.host), &args) == STATUS_SUCCESS;
}

static void ranges_give_second(struct ranges *ranges, uint32_t index, uint32_t id) {
    const struct check *check = ranges->check;
    struct vidmm_allocation_info info;
    vidmm_allocation_info(ranges->surface[index], &info);
    const DXGKARG_RELEASESWIZZLINGRANGE args = {
        .hAllocation = info.driver.hAllocation, .PrivateDriverData = 1, .RangeId = id};
    (void)check->harness.spoken.DxgkDdiReleaseSwizzlingRange(
        vidmm_host_adapter(check->harness.host), &args);
}

/* R352: of two ranges of one surface the one stays that is not released. */
static bool ranges_judge_stayed(struct ranges *ranges, uint32_t index) {
    void *bytes = NULL;
    ranges_unlock(ranges, index);
    if (!check_good(ranges->check, vidmm_allocation_evict(ranges->surface[index], true)) ||
        !check_good(ranges->check, vidmm_lock(ranges->surface[index], 0, &bytes)))
        return false;
    check_judge(ranges->check, 352, VIDMM_SIDE_DRIVER, ranges_has(bytes, 'u'),
                "a range that leads to its memory until it is released itself",
                "what the CPU wrote through a range of surface %u, of which another one was "
                "released, is not there",
                index);
    vidmm_unlock(ranges->surface[index]);
    return true;
}

static bool ranges_share(struct ranges *ranges, uint32_t index) {
    const struct check *check = ranges->check;
    struct vidmm_adapter_info info;
    vidmm_adapter_info(check->harness.adapter, &info);
    const uint32_t count = info.caps.NumberOfSwizzlingRanges;
    check_step(ranges->check, "ranges: two of surface %u", index);
    if (count < 2 || count > VIDMM_SWIZZLING_RANGES ||
        !check->harness.spoken.DxgkDdiReleaseSwizzlingRange || check_explained(check))
        return true;
    if (!check_good(ranges->check, vidmm_evict_all(check->harness.adapter)) ||
        !ranges_use_some(ranges, index, 1) || !hold(ranges, index))
        return false;
    if (!ranges->cpu[index] || ranges->plain[index] ||
        !ranges_take_second(ranges, index, count - 1))
        return ranges_leave(ranges, index);
    ranges_give_second(ranges, index, count - 1);
    ranges_fill(ranges, index, 'u');
    return ranges_judge_stayed(ranges, index);
}

/* ---- Without power --------------------------------------------------------------------------- */

/* The adapter to D3 and back, with the board's power gone in between; false: the run ends. */
static bool ranges_cycle(struct ranges *ranges) {
    struct check *check = ranges->check;
    struct vidmm_host *host = check->harness.host;
    const DRIVER_INITIALIZATION_DATA *spoken = &check->harness.spoken;
    (void)spoken->DxgkDdiSetPowerState(vidmm_host_adapter(host), DISPLAY_ADAPTER_HW_ID,
                                       PowerDeviceD3, PowerActionSleep);
    if (vidmm_host_power(host, VIDMM_HW_POWER_STANDBY))
        vidmm_referee_lose_power(check->harness.referee);
    (void)vidmm_host_power(host, VIDMM_HW_POWER_ON);
    (void)spoken->DxgkDdiSetPowerState(vidmm_host_adapter(host), DISPLAY_ADAPTER_HW_ID,
                                       PowerDeviceD0, PowerActionNone);
    return check_good(check, vidmm_power_up(check->harness.adapter));
}

static void ranges_judge_powered(const struct ranges *ranges, bool kept, const char *found) {
    check_judge(ranges->check, 651, VIDMM_SIDE_DRIVER, kept,
                "a swizzling range that shows its surface as before PowerDeviceD3", "%s", found);
}

/* R651: the surface has what the CPU wrote through its range in D0 again. */
static bool ranges_judge_written(struct ranges *ranges, uint32_t index, uint32_t letter) {
    void *bytes = NULL;
    ranges_unlock(ranges, index);
    if (!check_good(ranges->check, vidmm_allocation_evict(ranges->surface[index], true)) ||
        !check_good(ranges->check, vidmm_lock(ranges->surface[index], 0, &bytes)))
        return false;
    ranges_judge_powered(ranges, ranges_has(bytes, letter),
                         "what the CPU wrote there in D0 is not in the surface");
    vidmm_unlock(ranges->surface[index]);
    return true;
}

/* The CPU keeps the range of a surface whose memory standby preserves: it is evicted by nobody. */
static bool ranges_sleep(struct ranges *ranges, uint32_t index) {
    struct vidmm_adapter *adapter = ranges->check->harness.adapter;
    check_step(ranges->check, "ranges: standby under a lock of surface %u", index);
    if (!ranges->check->harness.spoken.DxgkDdiSetPowerState || ranges->check->options->linked > 1 ||
        check_explained(ranges->check))
        return true;
    if (!ranges_use_some(ranges, index, 1) || !hold(ranges, index))
        return false;
    if (!ranges->cpu[index] || ranges->plain[index])
        return ranges_leave(ranges, index);
    ranges_fill(ranges, index, 's');
    enum vidmm_status status = vidmm_power_down(adapter, VIDMM_POWER_STANDBY);
    if (status == VIDMM_BUSY) /* standby loses that memory */
        return ranges_leave(ranges, index);
    if (!check_good(ranges->check, status) || !ranges_cycle(ranges))
        return false;
    ranges_judge_powered(ranges, ranges_has(ranges->cpu[index], 's'),
                         "the CPU sees other bytes through it than it wrote before");
    ranges_fill(ranges, index, 't');
    return ranges_judge_written(ranges, index, 't');
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void ranges_compare(struct ranges *ranges) {
    bool same = true;
    for (uint32_t i = 0; i < ranges->surfaces; i++)
        same = same && (!ranges->cpu[i] || ranges_has(ranges->cpu[i], 'A' + i));
    if (!same)
        check_note(
            ranges->check,
            "a surface seen through a swizzling range has other bytes than the CPU wrote there");
}

/* In memory again, wherever it went when it was refused a range. */
static bool ranges_again(struct ranges *ranges, uint32_t index) {
    ranges_unlock(ranges, index);
    return ranges_use_some(ranges, index, 1) && hold(ranges, index);
}

/* One surface more than there are ranges: who has none left refuses, and does not break the others. When
 * one was given back the last surface may have it. */
static bool ranges_exhaust(struct ranges *ranges) {
    check_step(ranges->check, "ranges: until none is left");
    while (ranges->surfaces < ranges->wanted)
        if (!ranges_make(ranges, ranges->surfaces++))
            return false;
    if (!ranges_use(ranges))
        return false;
    for (uint32_t i = 0; i < ranges->surfaces; i++) {
        if (!hold(ranges, i))
            return false;
        ranges_fill(ranges, i, 'A' + i);
    }
    ranges_compare(ranges);
    uint32_t last = ranges->surfaces - 1;
    if (!ranges_leave(ranges, 0) || !ranges_again(ranges, last))
        return false;
    ranges_fill(ranges, last, 'A' + last);
    ranges_compare(ranges);
    for (uint32_t i = 1; i < ranges->surfaces; i++)
        if (!ranges_leave(ranges, i))
            return false;
    return true;
}

/* R550: of those that were asked for some were given. */
static void ranges_judge_given(const struct ranges *ranges) {
    if (ranges->asked != 0)
        check_judge(ranges->check, 550, VIDMM_SIDE_DRIVER, ranges->given != 0,
                    "a range for a swizzled surface in memory that the CPU sees",
                    "each of %u requests was refused", ranges->asked);
}

static bool ranges_all(struct ranges *ranges) {
    for (uint32_t round = 0; round < ROUNDS; round++)
        if (!ranges_play(ranges, round))
            return false;
    return check_good(ranges->check, vidmm_evict_all(ranges->check->harness.adapter)) &&
           ranges_swap(ranges) && ranges_take_again(ranges) && ranges_stay(ranges, 0) &&
           ranges_return(ranges, 0) && ranges_share(ranges, 0) && ranges_share(ranges, 1) &&
           ranges_sleep(ranges, 0) && ranges_sleep(ranges, 1) && ranges_exhaust(ranges);
}

/* R176: of a swizzled surface each transfer has the tiles that begin at its TransferOffset. */
static void ranges_judge_arrived(const struct ranges *ranges, uint32_t index, bool good) {
    struct vidmm_allocation_info info;
    vidmm_allocation_info(ranges->surface[index], &info);
    if (info.swizzled)
        check_judge(
            ranges->check, 176, VIDMM_SIDE_DRIVER, good,
            "the tiles of the surface from TransferOffset on in each transfer",
            "a range shows other bytes of swizzled surface %u after it came in several transfers",
            index);
    else
        check_judge(ranges->check, 185, VIDMM_SIDE_DRIVER, good,
                    "through the range, the bytes in the order that they have in system memory",
                    "surface %u has others after it came in several transfers", index);
}

/* R185: a range shows a surface that came back in several transfers as it lay in system memory. */
static bool ranges_arrive(struct ranges *ranges, uint32_t index) {
    check_step(ranges->check, "ranges: a surface that came in parts");
    if (!check_good(ranges->check, vidmm_allocation_evict(ranges->surface[index], true)) ||
        !check_good(ranges->check, vidmm_lock(ranges->surface[index], 0, &ranges->cpu[index])))
        return false;
    ranges_fill(ranges, index, 'i');
    ranges_unlock(ranges, index);
    if (!ranges_use_some(ranges, index, 1) || !hold(ranges, index))
        return false;
    if (ranges->cpu[index])
        ranges_judge_arrived(ranges, index, ranges_has(ranges->cpu[index], 'i'));
    ranges_fill(ranges, index, 'j');
    return ranges_leave(ranges, index);
}

/* An allocation may move in several transfers (nc-d3dkmddi-dxgkddi_buildpagingbuffer), whatever order it lies in. */
static bool ranges_parts(struct ranges *ranges) {
    return ranges_stay(ranges, 1) && ranges_return(ranges, 1) && ranges_arrive(ranges, 1) &&
           ranges_arrive(ranges, 0);
}

/* The first two are made; which the CPU sees, with a driver that can have such in memory. */
static bool ranges_are_seen(const struct ranges *ranges) {
    bool seen = true;
    for (uint32_t i = 0; i < ranges->surfaces; i++) {
        struct vidmm_allocation_info info;
        vidmm_allocation_info(ranges->surface[i], &info);
        seen = seen && info.driver.Flags.CpuVisible;
    }
    return seen;
}

enum vidmm_stage_outcome stage_ranges(struct check *check, uint32_t number) {
    struct ranges ranges = {.check = check};
    struct vidmm_adapter_info info;
    enum vidmm_stage_outcome outcome =
        spoken_open(&ranges.spoken, check, "ranges", number == 0 ? 0 : CHUNK);
    if (outcome != VIDMM_STAGE_DONE)
        return outcome;
    vidmm_adapter_info(check->harness.adapter, &info);
    uint32_t given = info.caps.NumberOfSwizzlingRanges;
    ranges.surfaces = 2;
    ranges.wanted = given < 2 ? 2 : given < SURFACES ? given + 1 : SURFACES;
    bool good = ranges_make(&ranges, 0) && ranges_make(&ranges, 1);
    if (good && !ranges_are_seen(&ranges))
        return check_say(check, VIDMM_STAGE_SKIPPED,
                         "surfaces that are to stay in memory are not CPU-visible");
    ranges.alternates = good && spoken_alternates(check->harness.adapter, ranges.spoken.device);
    good = good && (number == 0 ? ranges_all(&ranges) : ranges_parts(&ranges));
    ranges_judge_given(&ranges);
    return good ? VIDMM_STAGE_DONE : VIDMM_STAGE_STOPPED;
}
