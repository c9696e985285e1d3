/* call_out.c - see call_out.h. */
#include "image/call_out.h"

#include <stddef.h>

_Static_assert(offsetof(struct host_stack, low) == 0 && offsetof(struct host_stack, size) == 8 &&
                   offsetof(struct host_stack, host) == 16 &&
                   offsetof(struct host_stack, driver) == 24 &&
                   offsetof(struct host_stack, newest) == 32,
               "image_call_out knows the thread's record");
_Static_assert(offsetof(struct call_out, import) == 16 && offsetof(struct call_out, outer) == 24 &&
                   offsetof(struct call_out, low) == 32 && offsetof(struct call_out, rbx) == 48 &&
                   offsetof(struct call_out, r15) == 104 && offsetof(struct call_out, xmm) == 112 &&
                   sizeof(struct call_out) == 272,
               "image_call_out knows the members");
_Static_assert(offsetof(struct image_import, target) == 0, "image_call_out calls that");

/*
 * rbx: the thread's record; r10: the note, on our stack, and below it 52 words for arguments: those
 * that registers carry have a place there, too. The frame is rbp's, so that the compiler's unwinder
 * passes from one stack to the other.
 */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl image_call_out\n"
        ".hidden image_call_out\n"
        ".type image_call_out, @function\n"
        "image_call_out:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    pushq %rbx\n"
        "    .cfi_offset %rbx, -24\n"
        "    pushq %rsi\n"
        "    .cfi_offset %rsi, -32\n"
        "    pushq %rdi\n"
        "    .cfi_offset %rdi, -40\n"
        "    movq host_stack@gottpoff(%rip), %rbx\n"
        "    addq %fs:0, %rbx\n"
        "    movl $52, %esi\n"
        "    movq %rsp, %r10\n"
        "    movq %rsp, %rax\n"
        "    subq (%rbx), %rax\n"
        "    cmpq 8(%rbx), %rax\n"
        "    jae 1f\n" /* driver code on our stack */
        "    movq %rsp, 24(%rbx)\n"
        "    movq 16(%rbx), %r10\n"
        "    movq (%rbx), %rax\n" /* the words up to the end of the driver's stack */
        "    addq 8(%rbx), %rax\n"
        "    subq %rbp, %rax\n"
        "    subq $16, %rax\n"
        "    shrq $3, %rax\n"
        "    cmpq %rsi, %rax\n"
        "    cmovbq %rax, %rsi\n"
        "1:  andq $-16, %r10\n"
        "    subq $272, %r10\n"
        "    leaq 8(%rbp), %rax\n"
        "    movq %rax, (%r10)\n"
        "    movq 8(%rbp), %rax\n"
        "    movq %rax, 8(%r10)\n"
        "    movq %r11, 16(%r10)\n"
        "    movq 32(%rbx), %rax\n"
        "    movq %rax, 24(%r10)\n"
        "    movq (%rbx), %rax\n"
        "    movq %rax, 32(%r10)\n"
        "    movq -8(%rbp), %rax\n"
        "    movq %rax, 48(%r10)\n"
        "    movq (%rbp), %rax\n"
        "    movq %rax, 56(%r10)\n"
        "    movq -16(%rbp), %rax\n"
        "    movq %rax, 64(%r10)\n"
        "    movq -24(%rbp), %rax\n"
        "    movq %rax, 72(%r10)\n"
        "    movq %r12, 80(%r10)\n"
        "    movq %r13, 88(%r10)\n"
        "    movq %r14, 96(%r10)\n"
        "    movq %r15, 104(%r10)\n"
        "    movups %xmm6, 112(%r10)\n"
        "    movups %xmm7, 128(%r10)\n"
        "    movups %xmm8, 144(%r10)\n"
        "    movups %xmm9, 160(%r10)\n"
        "    movups %xmm10, 176(%r10)\n"
        "    movups %xmm11, 192(%r10)\n"
        "    movups %xmm12, 208(%r10)\n"
        "    movups %xmm13, 224(%r10)\n"
        "    movups %xmm14, 240(%r10)\n"
        "    movups %xmm15, 256(%r10)\n"
        "    movq %r10, 32(%rbx)\n"
        "    leaq -416(%r10), %r10\n"
        "    movq %rcx, %rax\n"
        "    movq %rsi, %rcx\n"
        "    leaq 16(%rbp), %rsi\n"
        "    movq %r10, %rdi\n"
        "    movq %r10, %rsp\n"
        "    rep movsq\n"
        "    movq %rax, %rcx\n"
        "    call *(%r11)\n"
        "    movq 440(%rsp), %rcx\n" /* the note's `outer` */
        "    movq %rcx, 32(%rbx)\n"
        "    leaq -24(%rbp), %rsp\n"
        "    popq %rdi\n"
        "    popq %rsi\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size image_call_out, .-image_call_out\n");

/* Of the same stack, and deeper. */
static bool left_behind(const struct call_out *call, uint64_t rsp) {
    bool there = host_stack_has(call->rsp);
    return there == host_stack_has(rsp) && call->low == host_stack.low && call->rsp < rsp;
}

void call_out_leave(uint64_t rsp) {
    while (host_stack.newest && left_behind(host_stack.newest, rsp))
        host_stack.newest = host_stack.newest->outer;
}
