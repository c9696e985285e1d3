/*
 * stage_start.c - starts and stops the driver twice in one process, with all queries of the
 * manager's start. The second adapter has the resources of the first, and so its segments: what differs is
 * kept in the driver's image, which outlives an adapter.
 */
#include "stage.h"

#define SEGMENTS 32u

/* What the driver says of its segments, but for the sizes, which may follow the memory of the machine. */
struct described {
    uint32_t count;
    struct {
        uint64_t base, cpu_base;
        uint32_t flags;
    } segment[SEGMENTS];
};

/* Starts the driver, and the manager if there is memory to manage. */
static bool answers(struct check *check, struct described *described) {
    const struct check_setup setup = {.fail_at = 0};
    struct vidmm_segment_info info;
    *described = (struct described){.count = 0};
    if (check_displays_only(check))
        return true;
    if (!check_manage(check, &setup))
        return false;
    while (described->count < SEGMENTS &&
           vidmm_segment_info(check->harness.adapter, described->count + 1, &info)) {
        uint32_t i = described->count++;
        described->segment[i].base = info.base;
        described->segment[i].cpu_base = info.cpu_base;
        described->segment[i].flags = info.flags;
    }
    return true;
}

static void judge_again(struct check *check, const struct described *one,
                        const struct described *other) {
    struct vidmm_ledger *ledger = &check->shared->ledger;
    vidmm_ledger_judge(ledger, 601, VIDMM_SIDE_DRIVER, one->count == other->count,
                       "as many segments as in the first start", "%u segments, then %u", one->count,
                       other->count);
    for (uint32_t i = 0; i < one->count && one->count == other->count; i++)
        vidmm_ledger_judge(
            ledger, 601, VIDMM_SIDE_DRIVER,
            one->segment[i].base == other->segment[i].base &&
                one->segment[i].cpu_base == other->segment[i].cpu_base &&
                one->segment[i].flags == other->segment[i].flags,
            "BaseAddress, CpuTranslatedAddress and flags as in the first start",
            "segment %u is at 0x%llx, for the CPU at 0x%llx, with flags 0x%x, and was at 0x%llx, "
            "0x%llx, with 0x%x",
            i + 1, (unsigned long long)other->segment[i].base,
            (unsigned long long)other->segment[i].cpu_base, other->segment[i].flags,
            (unsigned long long)one->segment[i].base, (unsigned long long)one->segment[i].cpu_base,
            one->segment[i].flags);
}

enum vidmm_stage_outcome stage_start(struct check *check, uint32_t number) {
    const struct check_setup setup = {.fail_at = 0};
    struct described one, other;
    (void)number;
    if (!check_open(check, &setup) || !answers(check, &one))
        return VIDMM_STAGE_STOPPED;
    if (!check_displays_only(check))
        query_paging_node(check);
    check_step(check, "start: the first end");
    check_unmanage(check);
    check_step(check, "start: a second time");
    if (!check_restart(check) || !answers(check, &other))
        return VIDMM_STAGE_STOPPED;
    judge_again(check, &one, &other);
    check_step(check, "start: down");
    check_close(check);
    return VIDMM_STAGE_DONE;
}
