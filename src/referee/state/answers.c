/* answers.c - see answers.h. */
#include "state/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "state/guard.h"
#include "state/judge.h"

#define GONE_BYTE   0xdd
#define ONE_OF_MANY 64u

static void answer_protect(struct answer *answer, bool hidden) {
    if (answer->hidden != hidden &&
        mprotect(answer->block, answer->room, hidden ? PROT_NONE : PROT_READ | PROT_WRITE) == 0)
        answer->hidden = hidden;
}

static void answer_free(struct answer *answer) {
    answer_protect(answer, false);
    if (!answer->hidden)
        free(answer->block);
    answer->block = NULL;
}

void answers_end(struct vidmm_referee *referee, struct guard *answer) {
    struct answers *answers = &referee->answers;
    uint64_t number = answers->seen++;
    if (!answer->block)
        return;
    memset(answer->bytes, GONE_BYTE, answer->size);
    if (number >= ANSWERS_KEPT && number % ONE_OF_MANY != 0) {
        guard_free(referee, answer);
        return;
    }
    struct answer *kept = &answers->kept[answers->kept_so_far++ % ANSWERS_KEPT];
    answer_free(kept);
    *kept = (struct answer){.bytes = answer->bytes, .size = answer->size};
    snprintf(kept->call, sizeof(kept->call), "%s", referee->ledger->calling);
    kept->block = guard_take_block(answer, &kept->room);
    answer_protect(kept, true);
}

void answers_free(struct answers *answers) {
    for (uint32_t i = 0; i < ANSWERS_KEPT; i++)
        answer_free(&answers->kept[i]);
}

/* Nobody but the driver comes here: the referee makes it reachable before it touches it. */
bool vidmm_referee_gone(struct vidmm_referee *referee, uint64_t address, bool write) {
    for (uint32_t i = 0; i < ANSWERS_KEPT; i++) {
        struct answer *answer = &referee->answers.kept[i];
        if (!answer->hidden || address - (uintptr_t)answer->block >= answer->room)
            continue;
        pthread_mutex_lock(&referee->lock);
        answer_protect(answer, false);
        DRIVER_MUST(631, false, "no use of a call's structure after the call",
                    "byte %lld of the structure of %s, which has %zu bytes and returned, is %s",
                    (long long)(address - (uintptr_t)answer->bytes), answer->call, answer->size,
                    write ? "written" : "read");
        pthread_mutex_unlock(&referee->lock);
        return true;
    }
    return false;
}
