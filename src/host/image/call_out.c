/*
 * call_out.c - see call_out.h.
 *
 * The stub's common part may change r10 and r11, and nothing else: arguments are in the other registers
 * and on the stack, and of __chkstk in rax, which it must keep, too.
 */
#include "image/call_out.h"

#include <stddef.h>

#define CALL_OUTS 32 /* nested calls that are noted; deeper ones take the last place in turn */

/* One of a thread. The first note is an end: its stack pointer is above every other. */
struct call_outs {
    struct call_out *newest; /* NULL: nothing was noted so far */
    uint64_t rax;            /* the caller's, while a call is noted */
    uint64_t unused[30];
    struct call_out notes[CALL_OUTS + 1];
};

_Static_assert(sizeof(struct call_out) == 256, "image_call_out knows the size");
_Static_assert(offsetof(struct call_outs, notes) == 256 && offsetof(struct call_outs, rax) == 8,
               "image_call_out knows the places");
_Static_assert(offsetof(struct call_out, import) == 16 && offsetof(struct call_out, rbx) == 24 &&
                   offsetof(struct call_out, r15) == 80 && offsetof(struct call_out, xmm) == 96,
               "image_call_out knows the members");
_Static_assert(offsetof(struct image_import, target) == 0, "image_call_out jumps there");

/* Read and written by name in the assembly below. */
__attribute__((used)) _Thread_local struct call_outs image_call_outs;

__asm__(".text\n"
        ".p2align 4\n"
        ".globl image_call_out\n"
        ".hidden image_call_out\n"
        ".type image_call_out, @function\n"
        "image_call_out:\n"
        "    movq image_call_outs@gottpoff(%rip), %r10\n"
        "    addq %fs:0, %r10\n"
        "    movq %rax, 8(%r10)\n"
        "    movq %r10, %rax\n"
        "    movq (%rax), %r10\n"
        "    testq %r10, %r10\n"
        "    jnz 1f\n"
        "    leaq 256(%rax), %r10\n" /* the end */
        "    movq $-1, (%r10)\n"
        "1:  cmpq %rsp, (%r10)\n" /* notes below this call are of calls that returned */
        "    ja 2f\n"
        "    subq $256, %r10\n"
        "    jmp 1b\n"
        "2:  addq $256, %r10\n"
        "    subq %rax, %r10\n"
        "    cmpq $8448, %r10\n" /* the last place: 256 + 32 * 256 */
        "    jbe 3f\n"
        "    movq $8448, %r10\n"
        "3:  addq %rax, %r10\n"
        "    movq %r10, (%rax)\n"
        "    movq %rsp, (%r10)\n"
        "    movq %r11, 16(%r10)\n"
        "    movq (%rsp), %r11\n"
        "    movq %r11, 8(%r10)\n"
        "    movq 16(%r10), %r11\n"
        "    movq %rbx, 24(%r10)\n"
        "    movq %rbp, 32(%r10)\n"
        "    movq %rsi, 40(%r10)\n"
        "    movq %rdi, 48(%r10)\n"
        "    movq %r12, 56(%r10)\n"
        "    movq %r13, 64(%r10)\n"
        "    movq %r14, 72(%r10)\n"
        "    movq %r15, 80(%r10)\n"
        "    movups %xmm6, 96(%r10)\n"
        "    movups %xmm7, 112(%r10)\n"
        "    movups %xmm8, 128(%r10)\n"
        "    movups %xmm9, 144(%r10)\n"
        "    movups %xmm10, 160(%r10)\n"
        "    movups %xmm11, 176(%r10)\n"
        "    movups %xmm12, 192(%r10)\n"
        "    movups %xmm13, 208(%r10)\n"
        "    movups %xmm14, 224(%r10)\n"
        "    movups %xmm15, 240(%r10)\n"
        "    movq 8(%rax), %rax\n"
        "    jmp *(%r11)\n"
        ".size image_call_out, .-image_call_out\n");

_Static_assert(CALL_OUTS * 256 + 256 == 8448, "image_call_out knows the last place");

const struct call_out *call_out_newest(const void *stack) {
    const struct call_out *note = image_call_outs.newest;
    if (!note)
        return NULL;
    while (note->rsp <= (uintptr_t)stack)
        note--;
    return note == image_call_outs.notes ? NULL : note;
}
