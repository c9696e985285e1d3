/* given.c - what is told to a driver and not for it to change; see given.h. */
#include "state/given.h"

#include <string.h>

#include "state/answers.h"
#include "state/judge.h"

void given_judge(struct vidmm_referee *referee, const struct given *members, const void *before,
                 const void *after) {
    for (; members->name; members++)
        DRIVER_MUST(592,
                    memcmp((const uint8_t *)before + members->offset,
                           (const uint8_t *)after + members->offset, members->bytes) == 0,
                    "the members that are [in] as they were", "%s was changed", members->name);
}

#define DRIVERS_STACK 65536u

bool given_gone(struct vidmm_referee *referee, const void *local, const void *pointer) {
    const struct vidmm_referee_world *world = &referee->world;
    return (uintptr_t)local - (uintptr_t)pointer - 1 < DRIVERS_STACK ||
           (world->leaves && world->leaves(world->ctx, pointer));
}

#define UNSET 0xa5

void given_unset(const struct guard *answer, const struct given *members) {
    for (; answer->block && members->name; members++)
        memset(answer->bytes + members->offset, UNSET, members->bytes);
}

static bool given_is_unset(const struct guard *answer, const struct given *member) {
    const uint8_t *bytes = answer->bytes + member->offset;
    bool unset = true;
    for (uint32_t i = 0; i < member->bytes; i++)
        unset = unset && bytes[i] == UNSET;
    return unset;
}

void given_judge_written(struct vidmm_referee *referee, const struct guard *answer,
                         const struct given *members, bool success) {
    for (; answer->block && members->name; members++) {
        bool unset = given_is_unset(answer, members);
        if (success)
            DRIVER_MUST(599, !unset, "the members that are [out] written", "%s was not",
                        members->name);
        if (unset)
            memcpy(answer->bytes + members->offset,
                   (const uint8_t *)answer->original + members->offset, members->bytes);
    }
}

void given_answered(struct vidmm_referee *referee, struct guard *answer) {
    int64_t at = 0;
    DRIVER_MUST(599, guard_whole(answer, &at), "nothing written around the structure of the answer",
                "byte %lld of the %zu bytes of the structure was written", (long long)at,
                answer->size);
    guard_give(answer, 0, answer->size);
    answers_end(referee, answer);
}
