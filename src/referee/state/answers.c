/* answers.c - see answers.h. */
#include "state/answers.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "state/guard.h"
#include "state/judge.h"

#define GONE_BYTE  0xdd
#define FIRST_ONES 32u
#define STRUCTURE  "the structure"

/* A pointer that a driver keeps it keeps in each call: what is out of reach costs two changes of protection. */
static bool is_sample(uint64_t number) {
    const uint32_t one_of_many = number < 4096 ? 64 : 1024;
    return number % one_of_many == 0;
}

static void answer_protect(struct answer *answer, bool hidden) {
    if (answer->hidden != hidden &&
        mprotect(answer->block, answer->room, hidden ? PROT_NONE : PROT_READ | PROT_WRITE) == 0)
        answer->hidden = hidden;
}

/* One that stays out of reach is lost. */
static void answer_free(struct guard_blocks *blocks, struct answer *answer) {
    answer_protect(answer, false);
    if (answer->block && !answer->hidden)
        guard_block_give(blocks, (struct guard_block){answer->block, answer->room});
    answer->block = NULL;
}

/* With a block; the oldest one goes. */
static void answers_keep(struct guard_blocks *blocks, struct answers *answers, struct guard *gone,
                         const char *what, const char *call) {
    struct answer *kept = &answers->kept[answers->kept_so_far++ % ANSWERS_KEPT];
    answer_free(blocks, kept);
    *kept = (struct answer){.bytes = gone->bytes, .size = gone->size};
    snprintf(kept->what, sizeof(kept->what), "%s of %s", what, call);
    memset(gone->bytes, GONE_BYTE, gone->size);
    kept->block = guard_take_block(gone, &kept->room);
    answer_protect(kept, true);
}

static void answers_end_in(struct vidmm_referee *referee, struct answers *answers,
                           struct guard *gone, const char *what) {
    uint64_t number = answers->seen++;
    if (!gone->block)
        return;
    if (number < FIRST_ONES || is_sample(number)) {
        answers_keep(&referee->blocks, answers, gone, what, referee->ledger->calling);
        return;
    }
    memset(gone->bytes, GONE_BYTE, gone->size);
    guard_free(referee, gone);
}

void answers_end(struct vidmm_referee *referee, struct guard *answer) {
    answers_end_in(referee, &referee->answers, answer, STRUCTURE);
}

void answers_end_member(struct vidmm_referee *referee, struct guard *gone, const char *member) {
    answers_end_in(referee, &referee->members, gone, member);
}

void *lent_begin(struct vidmm_referee *referee, struct lent *lent, uint32_t function,
                 void *original, size_t size) {
    uint64_t number = __atomic_fetch_add(&referee->lent.calls[function], 1, __ATOMIC_RELAXED);
    lent->copy = (struct guard){.bytes = original};
    if (!lent->wanted && number >= FIRST_LENT && !is_sample(number))
        return original;
    pthread_mutex_lock(&referee->lock);
    guard_make(referee, &lent->copy, original, size);
    pthread_mutex_unlock(&referee->lock);
    return lent->copy.bytes;
}

void lent_end(struct vidmm_referee *referee, struct lent *lent) {
    if (!lent->copy.block)
        return;
    pthread_mutex_lock(&referee->lock);
    if (!lent->constant)
        guard_give(&lent->copy, 0, lent->copy.size);
    answers_keep(&referee->blocks, &referee->lent.gone, &lent->copy, STRUCTURE, lent->call);
    pthread_mutex_unlock(&referee->lock);
}

void answers_free(struct guard_blocks *blocks, struct answers *answers) {
    for (uint32_t i = 0; i < ANSWERS_KEPT; i++)
        answer_free(blocks, &answers->kept[i]);
}

static bool answers_touched(struct vidmm_referee *referee, struct answers *answers,
                            uint64_t address, bool write) {
    for (uint32_t i = 0; i < ANSWERS_KEPT; i++) {
        struct answer *answer = &answers->kept[i];
        if (!answer->hidden || address - (uintptr_t)answer->block >= answer->room)
            continue;
        const uint64_t at = address - (uintptr_t)answer->bytes;
        pthread_mutex_lock(&referee->lock);
        answer_protect(answer, false);
        if (at < answer->size) /* else it was on its way elsewhere */
            DRIVER_MUST(631, false, "no use of a call's structure after the call",
                        "byte %lld of %s, which has %zu bytes and returned, is %s", (long long)at,
                        answer->what, answer->size, write ? "written" : "read");
        pthread_mutex_unlock(&referee->lock);
        return true;
    }
    return false;
}

/* Nobody but the driver comes here: the referee makes it reachable before it touches it. */
bool vidmm_referee_gone(struct vidmm_referee *referee, uint64_t address, bool write) {
    return answers_touched(referee, &referee->answers, address, write) ||
           answers_touched(referee, &referee->members, address, write) ||
           answers_touched(referee, &referee->lent.gone, address, write);
}
