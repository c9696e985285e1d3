/*
 * single_step.h - follows a function of the driver instruction by instruction, by the processor's trap flag, to a
 * moment at which another processor, or an interrupt, may come between.
 *
 * Moments are behind instructions that read or write memory outside of the stack, and behind calls of functions that are
 * not the driver's. Calls out of the driver are not followed: a break point waits where
 * they return. Of a loop its first rounds count.
 */
#ifndef HOST_SINGLE_STEP_H
#define HOST_SINGLE_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

struct single_step {
    const void *function;                /* the driver's, from its first instruction on */
    bool (*of_driver)(uint64_t address); /* the instruction there is the driver's */
    bool for_interrupts;                 /* what comes is an interrupt: where the IRQL lets it in */
    uint32_t moment;                     /* from 0 */
    /* It has come; in the signal's handler, on the thread that is in `function`. */
    void (*reached)(void *ctx, const ucontext_t *user);
    void *ctx;
};

/* The next call of the function is followed; `*asked` is copied. False: the function cannot have a break point, a
 * debugger, which would see each step, follows the process, or the processor has no trap flag (valgrind's). */
bool single_step_begin(const struct single_step *asked);
/* The processor, and who follows the process, let calls be followed. */
bool single_step_can(void);
/* The calling thread, which is in our code, is followed from where that returns to the driver; `function` is not used. */
void single_step_here(const struct single_step *asked);
/* Ends it, wherever it is; returns how many moments there were. */
uint32_t single_step_end(void);
/* The trap of an instruction that ran alone, or a break point of this file. */
bool single_step_trapped(ucontext_t *user);

#endif
