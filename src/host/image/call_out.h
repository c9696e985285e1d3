/*
 * call_out.h - calls that leave a driver image: from the driver's stack to ours, with the registers
 * of the caller noted for exceptions and for reports.
 *
 * An image reaches ours through stubs, of its imports (imports.h) and of functions whose addresses
 * it is given (stubs.h). Ours goes on where the driver was called from, as deep as it likes. What
 * the stub copies of the caller's stack holds 48 arguments beyond the registers'.
 */
#ifndef HOST_CALL_OUT_H
#define HOST_CALL_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/stack.h"

/* What a stub leads to. call_out.c knows the offset of `target`. */
struct image_import {
    const void *target;
    const char *name; /* or "#5" */
    const char *library;
    uint32_t slot; /* offset in the image of the address that it is called by */
    bool direct;   /* without a stub: a variable, or __chkstk, which is about the caller's stack */
};

/* The address that every stub jumps to, with its struct image_import in r11. */
extern const unsigned char image_call_out[];
/* The driver goes on at `rsp`, which is no return: calls out of what it leaves are over. */
void call_out_leave(uint64_t rsp);

#endif
