/*
 * judge.h - the referee itself: what every file that watches calls shares.
 *
 * watch/thunk.h shows the shape of a function that watches calls, and puts it into the driver's or
 * the system's table.
 */
#ifndef REFEREE_JUDGE_H
#define REFEREE_JUDGE_H

#include "state/call.h"
#include "state/referee.h"
#include "state/world.h"

#define LLU(x) ((unsigned long long)(x))

#define MUST(rule, who, holds, ...)                                                                \
    do {                                                                                           \
        if (holds)                                                                                 \
            referee->ledger->kept[rule]++;                                                         \
        else                                                                                       \
            vidmm_ledger_judge(referee->ledger, rule, who, false, __VA_ARGS__);                    \
    } while (0)
/* Rule number, whether it was kept, what it wants, and a format for what was found. */
#define DRIVER_MUST(rule, holds, ...)  MUST(rule, VIDMM_SIDE_DRIVER, holds, __VA_ARGS__)
#define MANAGER_MUST(rule, holds, ...) MUST(rule, VIDMM_SIDE_MANAGER, holds, __VA_ARGS__)

/* What shows whether the rule is kept cannot be seen: it is in that segment; 0: in none. */
static inline void judge_unseen(struct vidmm_referee *referee, uint32_t rule, uint32_t segment) {
    uint32_t id = segment % LINKED_STRIDE;
    referee->ledger->unseen[rule]++;
    if (id != 0 && id < 32)
        referee->ledger->unseen_in[rule] |= 1u << id;
}

#endif
