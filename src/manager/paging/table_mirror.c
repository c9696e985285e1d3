/*
 * table_mirror.c - see table_mirror.h.
 */
#include "paging/table_mirror.h"

#include "base/process.h"

#define MIRROR_TRIES 64u /* places that are taken on a peer */

bool table_is_mirrored(const struct space *space, uint32_t level) {
    return space_first(space)->peer && level + 1 == space->mmu->levels;
}

/* The same bytes of another segment. PLACER_FULL: they are taken. */
static enum placer_result place_alike(struct segment *segment, const struct placement *place,
                                      struct placement *out) {
    *out = (struct placement){
        .placer = &segment->placer, .offset = place->offset, .size = place->size};
    return segment_retake(segment, out);
}

static bool free_on_peers(const struct space *space, const struct placement *place) {
    const struct adapter_facts *facts = &space->adapter->facts;
    for (const struct space *peer = space->peer; peer; peer = peer->peer) {
        struct segment *segment =
            query_segment(facts, peer->mmu->level[peer->mmu->levels - 1].segment);
        struct placement alike;
        if (!segment)
            continue;
        if (place_alike(segment, place, &alike) != PLACER_OK)
            return false;
        segment_release(segment, &alike);
    }
    return true;
}

enum vidmm_status table_mirror_place(struct space *space, const struct table_place *wanted,
                                     struct placement *place) {
    const struct space *first = space_first(space);
    struct placement held[MIRROR_TRIES];
    uint32_t count = 0;
    if (space != first && first->root->memory[0].segment &&
        place_alike(wanted->segment, &first->root->memory[0].place, place) == PLACER_OK)
        return VIDMM_OK;
    enum vidmm_status status = spaces_of(space)->make_place(space->adapter, wanted, place);
    while (status == VIDMM_OK && !free_on_peers(space, place) && count < MIRROR_TRIES) {
        held[count++] = *place;
        status = spaces_of(space)->make_place(space->adapter, wanted, place);
    }
    if (status == VIDMM_DOES_NOT_FIT && count) {
        *place = held[--count];
        status = VIDMM_OK;
    }
    while (count)
        segment_release(wanted->segment, &held[--count]);
    return status;
}
