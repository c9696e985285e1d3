/*
 * residency.c - what a manager answers to MakeResident and Evict, what it asks of others to
 * keep its word (trims), what it tells of budgets, and what is there when work is submitted
 * (residency-overview.md, process-residency-budgets.md).
 */
#include "service/services.h"

#define BYTES(n) (unsigned long long)(n)

static bool residency_all_resident(const struct vidmm_request_residency *what) {
    for (uint32_t i = 0; i < services_named(what); i++)
        if (!what->allocation[i].resident)
            return false;
    return true;
}

/* Every count rose or fell by so many. */
static bool residency_changed_by(const struct vidmm_request_residency *what, int32_t by) {
    for (uint32_t i = 0; i < services_named(what); i++)
        if (what->allocation[i].after != what->allocation[i].before + (uint32_t)by)
            return false;
    return true;
}

static bool residency_any_foreign(const struct vidmm_request_residency *what) {
    for (uint32_t i = 0; i < services_named(what); i++)
        if (what->allocation[i].foreign)
            return true;
    return false;
}

static bool residency_any_offered(const struct vidmm_request_residency *what) {
    for (uint32_t i = 0; i < services_named(what); i++)
        if (what->allocation[i].offered)
            return true;
    return false;
}

/* ---- MakeResident ---------------------------------------------------------------------------- */

static void residency_judge_must_succeed(struct vidmm_referee *referee,
                                         const struct vidmm_request_residency *what,
                                         enum vidmm_answer answer) {
    if (!what->cant_trim)
        MANAGER_MUST(289, answer != VIDMM_ANSWER_GRANTED,
                     "MustSucceed refused without CantTrimFurther", "the request was granted");
    else
        MANAGER_MUST(289, answer != VIDMM_ANSWER_NO_ROOM,
                     "a device in error when MustSucceed fails",
                     "there is no room, and the device goes on");
}

static void residency_judge_granted(struct vidmm_referee *referee,
                                    const struct vidmm_request_residency *what) {
    MANAGER_MUST(284, residency_changed_by(what, 1), "one more reference for each allocation",
                 "a count is another");
    MANAGER_MUST(285, what->fence == 0 || what->reached >= what->fence,
                 "a paging fence that reaches what was promised",
                 "it stays at %llu, promised was %llu", BYTES(what->reached), BYTES(what->fence));
    MANAGER_MUST(
        285, residency_all_resident(what), "everything resident once the paging fence is reached",
        "an allocation was not in place at %llu of %llu", BYTES(what->reached), BYTES(what->fence));
}

static void residency_judge_make_resident(struct vidmm_referee *referee,
                                          const struct vidmm_request_record *record) {
    const struct vidmm_request_residency *what = &record->residency;
    bool granted = record->answer == VIDMM_ANSWER_GRANTED;
    if (what->must_succeed)
        residency_judge_must_succeed(referee, what, record->answer);
    if (residency_any_foreign(what))
        MANAGER_MUST(292, !granted, "a refusal of another device's allocations",
                     "the request was granted");
    if (residency_any_offered(what))
        MANAGER_MUST(293, !granted, "no residency for what is offered and was not reclaimed",
                     "the request was granted");
    if (granted) {
        residency_judge_granted(referee, what);
        return;
    }
    MANAGER_MUST(284, residency_changed_by(what, 0), "no reference changed by a request that fails",
                 "one was");
    if (record->answer == VIDMM_ANSWER_NO_ROOM)
        MANAGER_MUST(284, what->bytes_to_trim != 0, "NumBytesToTrim with E_OUTOFMEMORY", "it is 0");
}

/* ---- Evict ----------------------------------------------------------------------------------- */

static bool residency_on_list(const struct vidmm_request_residency *what) {
    for (uint32_t i = 0; i < services_named(what); i++)
        if (what->allocation[i].before == 0)
            return false;
    return true;
}

/* While references are left nothing happens, and content that was not written to stays the same. */
static void residency_judge_flags(struct vidmm_referee *referee,
                                  const struct vidmm_request_residency *what) {
    for (uint32_t i = 0; i < services_named(what); i++) {
        const struct vidmm_request_allocation *one = &what->allocation[i];
        if (what->if_necessary && one->after != 0)
            MANAGER_MUST(288, one->resident == one->was_resident,
                         "no eviction while there are references",
                         "%u references are left and it is gone", one->after);
        if (what->not_written_to)
            MANAGER_MUST(288, !one->lost, "the content that was there before, with NotWrittenTo",
                         "it is another");
    }
}

static void residency_judge_evict(struct vidmm_referee *referee,
                                  const struct vidmm_request_record *record) {
    const struct vidmm_request_residency *what = &record->residency;
    bool granted = record->answer == VIDMM_ANSWER_GRANTED;
    if (!residency_on_list(what)) {
        MANAGER_MUST(286, !granted, "no Evict without a MakeResident",
                     "an allocation that is not on the list was taken off it");
        return;
    }
    MANAGER_MUST(286, !granted || residency_changed_by(what, -1), "one reference less",
                 "the first has %u after %u", what->allocation[0].after,
                 what->allocation[0].before);
    if (granted)
        residency_judge_flags(referee, what);
}

/* ---- Submissions, trims, budgets ------------------------------------------------------------- */

static void residency_judge_submit(struct vidmm_referee *referee,
                                   const struct vidmm_request_record *record) {
    const struct vidmm_request_residency *what = &record->residency;
    if (record->answer == VIDMM_ANSWER_GRANTED)
        MANAGER_MUST(287, residency_all_resident(what),
                     "all that the device lists resident when its context runs",
                     "one of %u allocations was not in place", services_named(what));
}

static void residency_judge_trim(struct vidmm_referee *referee,
                                 const struct vidmm_request_residency *what) {
    MANAGER_MUST(291, !what->to_budget || what->bytes_to_trim != 0,
                 "a number of bytes with TrimToBudget", "NumBytesToTrim is %llu",
                 BYTES(what->bytes_to_trim));
    MANAGER_MUST(291, !what->periodic || !what->restart_periodic,
                 "PeriodicTrim or RestartPeriodicTrim, not both", "both are set");
}

static bool residency_is_local(const struct shadow_segment *segment) {
    bool named_other = segment->flags.NonLocalBudgetGroup;
    return segment->flags.LocalBudgetGroup ||
           (!named_other && !segment->aperture && !segment->flags.Agp);
}

/* An AGP segment's bytes are the platform's. */
static uint64_t residency_group_bytes(struct vidmm_referee *referee, bool local) {
    uint64_t bytes = 0;
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id)) {
        const struct shadow_segment *segment = shadow_segment(referee, id);
        if (residency_is_local(segment) == local)
            bytes += segment->aperture ? segment->commit_limit : segment->size;
    }
    return bytes;
}

/* In a group where some segments have ApplicationTarget the others are no application's. */
static bool residency_counts_all(struct vidmm_referee *referee) {
    uint32_t targets[2] = {0, 0}, others[2] = {0, 0};
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id)) {
        const struct shadow_segment *segment = shadow_segment(referee, id);
        bool local = residency_is_local(segment);
        if (segment->flags.ApplicationTarget)
            targets[local]++;
        else
            others[local]++;
    }
    return (targets[0] == 0 || others[0] == 0) && (targets[1] == 0 || others[1] == 0);
}

/* What an allocation takes at most: whole pages of 64 KB where it may lie in a segment of such
 * (gpummu-model.md). */
static uint64_t residency_most_bytes(struct vidmm_referee *referee,
                                     const struct shadow_allocation *allocation) {
    uint64_t page = SHADOW_PAGE;
    for (uint32_t id = 1; id <= shadow_segments(referee, allocation->physical); id++)
        if ((allocation->write_set >> (id - 1) & 1u) != 0 &&
            shadow_segment(referee, linked_segment(allocation->physical, id))->flags.Use64KBPages)
            page = SHADOW_LARGE_PAGE;
    return (allocation->size + page - 1) & ~(page - 1);
}

static void residency_judge_budget(struct vidmm_referee *referee,
                                   const struct vidmm_request_residency *what) {
    uint64_t listed = 0, most = 0;
    for (uint32_t i = 0; i < services_named(what); i++) {
        const struct shadow_allocation *allocation =
            shadow_allocation(referee, what->allocation[i].handle);
        if (!allocation)
            return;
        listed += allocation->size;
        most += residency_most_bytes(referee, allocation);
    }
    for (uint32_t i = 0; i < 2; i++)
        MANAGER_MUST(310, what->budget[i] <= residency_group_bytes(referee, i == 0),
                     "a budget within the segments of its group",
                     "0x%llx bytes of %s memory, its segments come to 0x%llx",
                     BYTES(what->budget[i]), i == 0 ? "local" : "non-local",
                     BYTES(residency_group_bytes(referee, i == 0)));
    uint64_t used = what->usage[0] + what->usage[1];
    MANAGER_MUST(310, used <= most && (used >= listed || !residency_counts_all(referee)),
                 "usage that comes to what the process lists",
                 "0x%llx and 0x%llx bytes in use, listed are 0x%llx, in whole pages at most 0x%llx",
                 BYTES(what->usage[0]), BYTES(what->usage[1]), BYTES(listed), BYTES(most));
}

void service_residency(struct vidmm_referee *referee, const struct vidmm_request_record *record) {
    switch (record->service) {
    case VIDMM_SERVICE_MAKE_RESIDENT:
        residency_judge_make_resident(referee, record);
        break;
    case VIDMM_SERVICE_EVICT:
        residency_judge_evict(referee, record);
        break;
    case VIDMM_SERVICE_SUBMIT:
        residency_judge_submit(referee, record);
        break;
    case VIDMM_SERVICE_TRIM:
        residency_judge_trim(referee, &record->residency);
        break;
    default:
        residency_judge_budget(referee, &record->residency);
        break;
    }
}
