/*
 * stack.h - the stack on which the calling thread runs the code of a driver image, and the calls out
 * of that code. image/stack.h changes stacks; this is the record that it keeps.
 *
 * A thread of Windows on x64 has 24 KiB of kernel stack: the stacks in the threads that the pages of
 * the debugger show are of that size (-thread.md, getting-started-with-windbg--kernel-mode-.md);
 * using-the-kernel-stack.md says that it differs between platforms.
 */
#ifndef HOST_STACK_H
#define HOST_STACK_H

#include <stddef.h>
#include <stdint.h>

#define HOST_STACK_BYTES 0x6000u

struct image_import;

/* A call out of an image that has not returned, and the registers that it has to keep. The offsets
 * of these members stand in image/call_out.c, those of the next structure there and in image/stack.c. */
struct call_out {
    uint64_t rsp; /* where the return address is */
    uint64_t rip; /* the return address */
    const struct image_import *import;
    struct call_out *outer; /* the one before, on whichever stack; or NULL */
    uint64_t low;           /* of the driver's stack; the caller may be elsewhere */
    uint64_t unused;
    uint64_t rbx, rbp, rsi, rdi, r12, r13, r14, r15;
    uint64_t xmm[10][2]; /* xmm6 to xmm15 */
};

struct host_stack {
    uint64_t low, size; /* of the driver's stack; size 0: there is none */
    uint64_t host;      /* where the driver was called from: calls out of it go on there */
    uint64_t driver;    /* how far the driver has come when it calls out */
    struct call_out *newest;
    uint64_t signals, signals_size; /* where the kernel puts signals of this thread */
    const void *next;               /* what image_call_next is to call */
};

extern _Thread_local struct host_stack host_stack;

/* The address is on the stack that the driver uses now. */
static inline _Bool host_stack_has(uint64_t address) {
    return address - host_stack.low < host_stack.size;
}

#endif
