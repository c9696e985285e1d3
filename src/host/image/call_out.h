/*
 * call_out.h - calls that leave a driver image: the registers of the caller, for exceptions and for
 * reports.
 *
 * An image reaches ours through the stubs of its imports. Each notes the caller's registers as they
 * were at the call, and jumps on; nothing is put on the stack, and nothing happens on the way back.
 * A note is good as long as the stack is deeper than it: older ones fall off with the next call.
 */
#ifndef HOST_CALL_OUT_H
#define HOST_CALL_OUT_H

#include <stdbool.h>
#include <stdint.h>

/* What a stub leads to. call_out.c knows the offset of `target`. */
struct image_import {
    const void *target;
    const char *name; /* or "#5" */
    const char *library;
    uint32_t slot; /* offset in the image of the address that it is called by */
    bool data;     /* a variable: without a stub */
};

/* Windows' registers that a function keeps, at the call. Offsets stand in call_out.c. */
struct call_out {
    uint64_t rsp; /* where the return address is */
    uint64_t rip; /* the return address */
    const struct image_import *import;
    uint64_t rbx, rbp, rsi, rdi, r12, r13, r14, r15;
    uint64_t unused;
    uint64_t xmm[10][2]; /* xmm6 to xmm15 */
};

/* The address that every stub jumps to, with its struct image_import in r11. */
extern const unsigned char image_call_out[];
/* The newest call of the calling thread that has not returned, from outside of `stack`, an address
 * in the frame of the function that asks; or NULL. */
const struct call_out *call_out_newest(const void *stack);

#endif
