/*
 * dirty.c - memory bases and the planes of segments, as the driver described them; see dirty.h.
 */
#include "state/judge.h"

struct dirty_basis *dirty_each(struct vidmm_referee *referee, const struct dirty_basis *after) {
    return !after ? referee->dirty.bases : after->next;
}

bool dirty_performant(struct vidmm_referee *referee) {
    return referee->dirty.performant;
}

uint32_t dirty_page_size(struct vidmm_referee *referee, uint32_t id) {
    return id >= 1 && id <= SHADOW_SEGMENTS ? referee->dirty.page[id - 1] : 0;
}

void dirty_count_call(struct vidmm_referee *referee) {
    referee->dirty.own_calls++;
}

uint64_t dirty_other_calls(struct vidmm_referee *referee) {
    return referee->ledger->calls - referee->dirty.own_calls;
}
