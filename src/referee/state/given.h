/*
 * given.h - the members of a call's structure that its page has as [in]: the driver leaves them as
 * they are (R592). The structures of allocations (R590) and of paging operations (R591) have rules of
 * their own.
 */
#ifndef REFEREE_GIVEN_H
#define REFEREE_GIVEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vidmm_referee;
struct guard;

struct given {
    const char *name; /* NULL ends a list */
    uint16_t offset, bytes;
};

#define GIVEN(type, member)                                                                        \
    { #member, offsetof(type, member), sizeof(((type *)0)->member) }
#define GIVEN_END                                                                                  \
    { NULL, 0, 0 }

/* True when what `pointer` leads to lies on the driver's stack of a call that a function with the variable at `local` has
 * made, or on a stack of the driver's own: it is gone when the driver has returned (R599). */
bool given_gone(struct vidmm_referee *referee, const void *local, const void *pointer);
/* After the call: `before` is the structure as it was when the system called, `after` as the driver
 * left it. */
void given_judge(struct vidmm_referee *referee, const struct given *members, const void *before,
                 const void *after);
/* Before the call: the [out] members of the guarded copy are as nobody would answer them. */
void given_unset(const struct guard *answer, const struct given *members);
/* After it: those that the driver did not write are as the system had them, and if it succeeded, each is
 * an error (R599). */
void given_judge_written(struct vidmm_referee *referee, const struct guard *answer,
                         const struct given *members, bool success);
/* The driver has answered in `answer`, the guarded copy of the structure that it was called with: that has
 * the answer afterwards, and the copy is gone. R599. */
void given_answered(struct vidmm_referee *referee, struct guard *answer);

#endif
