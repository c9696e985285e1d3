/*
 * offer.c - content that a process can do without for a while, and how it gets it back
 * (offer-and-reclaim-changes.md).
 */
#include "service/services.h"

static void offer_judge_offer(struct vidmm_referee *referee,
                              const struct vidmm_request_record *record) {
    const struct vidmm_request_residency *what = &record->residency;
    bool granted = record->answer == VIDMM_ANSWER_GRANTED;
    if (what->priority == 0)
        MANAGER_MUST(294, !granted, "a refusal of an offer with priority NONE",
                     "the offer was taken");
    else if (granted)
        MANAGER_MUST(295, !what->working, "the content kept until queued work is done",
                     "it was dropped while the GPU was still to read it");
}

static void offer_judge_reclaim(struct vidmm_referee *referee,
                                const struct vidmm_request_record *record) {
    const struct vidmm_request_residency *what = &record->residency;
    if (record->answer != VIDMM_ANSWER_GRANTED)
        return;
    MANAGER_MUST(293, !what->unlockable, "backing store that is valid at once",
                 "what was reclaimed cannot be locked");
    for (uint32_t i = 0; i < services_named(what); i++) {
        const struct vidmm_request_allocation *one = &what->allocation[i];
        if (one->before != 0)
            MANAGER_MUST(293, one->resident, "what is listed in place once the fence is reached",
                         "element %u is not at fence %llu", i, (unsigned long long)what->fence);
        MANAGER_MUST(294, !one->lost || one->discarded, "lost content reported as discarded",
                     "the content of element %u is another, and the answer does not say so", i);
    }
}

void service_offer(struct vidmm_referee *referee, const struct vidmm_request_record *record) {
    if (record->service == VIDMM_SERVICE_OFFER)
        offer_judge_offer(referee, record);
    else
        offer_judge_reclaim(referee, record);
}
