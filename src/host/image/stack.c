/* stack.c - see stack.h. */
#include "image/stack.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "image/image.h"

enum {
    KEPT = 4,               /* stacks of the usual size that a thread keeps */
    SIGNAL_BYTES = 1 << 18, /* handlers of others go on there */
};

/* What a thread has, from its first call into an image to its end. */
struct stacks {
    uint64_t low[KEPT]; /* 0: not made so far */
    uint32_t used;      /* nested ones of the usual size, kept or not */
    stack_t before;     /* where signals went */
};

_Static_assert(offsetof(struct host_stack, low) == 0 && offsetof(struct host_stack, size) == 8 &&
                   offsetof(struct host_stack, host) == 16 &&
                   offsetof(struct host_stack, driver) == 24 &&
                   offsetof(struct host_stack, next) == 56,
               "image_call_in knows the thread's record");

/* rbx: the thread's record; the frame is rbp's. A call from the driver's own stack stays there. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl image_call_next\n"
        ".hidden image_call_next\n"
        ".type image_call_next, @function\n"
        "image_call_next:\n"
        "    movq host_stack@gottpoff(%rip), %r11\n"
        "    addq %fs:0, %r11\n"
        "    movq 56(%r11), %r11\n"
        "    jmp image_call_in\n"
        ".size image_call_next, .-image_call_next\n"
        ".p2align 4\n"
        ".globl image_call_in\n"
        ".hidden image_call_in\n"
        ".type image_call_in, @function\n"
        "image_call_in:\n"
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
        "    cmpq $0, 8(%rbx)\n"
        "    je 3f\n"
        "1:  movq %rsp, %rax\n"
        "    subq (%rbx), %rax\n"
        "    cmpq 8(%rbx), %rax\n"
        "    jb 2f\n"
        "    pushq 16(%rbx)\n"
        "    pushq 24(%rbx)\n"
        "    movq %rsp, 16(%rbx)\n"
        "    movq 24(%rbx), %r10\n"
        "    andq $-16, %r10\n"
        "    subq $96, %r10\n"
        "    .irp at, 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88\n"
        "    movq 16+\\at(%rbp), %rax\n"
        "    movq %rax, \\at(%r10)\n"
        "    .endr\n"
        "    movq %r10, %rsp\n"
        "    call *%r11\n"
        "    movq 16(%rbx), %rsp\n"
        "    popq 24(%rbx)\n"
        "    popq 16(%rbx)\n"
        "    popq %rdi\n"
        "    popq %rsi\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    .cfi_remember_state\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_restore_state\n"
        "2:  popq %rdi\n"
        "    popq %rsi\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    .cfi_remember_state\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    jmp *%r11\n"
        "    .cfi_restore_state\n"
        "3:  pushq %rcx\n" /* the thread's first call into an image */
        "    pushq %rdx\n"
        "    pushq %r8\n"
        "    pushq %r9\n"
        "    pushq %r11\n"
        "    subq $64, %rsp\n"
        "    movups %xmm0, (%rsp)\n"
        "    movups %xmm1, 16(%rsp)\n"
        "    movups %xmm2, 32(%rsp)\n"
        "    movups %xmm3, 48(%rsp)\n"
        "    call image_stack_first\n"
        "    movups (%rsp), %xmm0\n"
        "    movups 16(%rsp), %xmm1\n"
        "    movups 32(%rsp), %xmm2\n"
        "    movups 48(%rsp), %xmm3\n"
        "    addq $64, %rsp\n"
        "    popq %r11\n"
        "    popq %r9\n"
        "    popq %r8\n"
        "    popq %rdx\n"
        "    popq %rcx\n"
        "    cmpq $0, 8(%rbx)\n"
        "    jne 1b\n"
        "    jmp 2b\n"
        "    .cfi_endproc\n"
        ".size image_call_in, .-image_call_in\n");

extern const unsigned char image_call_next[] __attribute__((visibility("hidden")));

static _Thread_local struct stacks stacks;
static pthread_key_t ends;

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The lowest address of a stack; 0: out of memory. */
static uint64_t stack_map(uint64_t size) {
    uint8_t *all = mmap(NULL, STACK_GUARD_BYTES + size, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return 0;
    if (mprotect(all + STACK_GUARD_BYTES, size, PROT_READ | PROT_WRITE) == 0)
        return (uintptr_t)all + STACK_GUARD_BYTES;
    munmap(all, STACK_GUARD_BYTES + size);
    return 0;
}

static void stack_unmap(uint64_t low, uint64_t size) {
    munmap((void *)(uintptr_t)(low - STACK_GUARD_BYTES), STACK_GUARD_BYTES + size);
}

/* A thread ends that has run code of an image. */
static void stacks_end(void *unused) {
    (void)unused;
    (void)sigaltstack(&stacks.before, NULL);
    stack_unmap(host_stack.signals, host_stack.signals_size);
    for (uint32_t i = 0; i < KEPT; i++)
        if (stacks.low[i] != 0)
            stack_unmap(stacks.low[i], HOST_STACK_BYTES);
    stacks = (struct stacks){.used = 0};
    host_stack = (struct host_stack){.size = 0};
}

static void make_key(void) {
    (void)pthread_key_create(&ends, stacks_end);
}

/* Signals of this thread have a stack from here on. */
static bool signals_ready(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (host_stack.signals_size != 0)
        return true;
    (void)pthread_once(&once, make_key);
    uint64_t size = pe_whole_pages(SIGNAL_BYTES + getauxval(AT_MINSIGSTKSZ));
    uint64_t low = stack_map(size);
    const stack_t now = {.ss_sp = (void *)(uintptr_t)low, .ss_size = size};
    if (low == 0)
        return false;
    if (pthread_setspecific(ends, &stacks) != 0 || sigaltstack(&now, &stacks.before) != 0) {
        stack_unmap(low, size);
        return false;
    }
    host_stack.signals = low;
    host_stack.signals_size = size;
    return true;
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static uint64_t stack_take(uint64_t size) {
    uint64_t *kept =
        size == HOST_STACK_BYTES && stacks.used < KEPT ? &stacks.low[stacks.used] : NULL;
    uint64_t low = kept && *kept != 0 ? *kept : stack_map(size);
    if (kept)
        *kept = low;
    stacks.used += low != 0 && size == HOST_STACK_BYTES;
    return low;
}

static void stack_give_back(uint64_t low, uint64_t size) {
    if (size != HOST_STACK_BYTES || --stacks.used >= KEPT)
        stack_unmap(low, size);
}

bool image_stack_begin(uint64_t size, struct host_stack *before) {
    uint64_t low = image_next(NULL) && signals_ready() ? stack_take(size) : 0;
    *before = host_stack;
    if (low == 0)
        return false;
    host_stack.low = low;
    host_stack.size = size;
    host_stack.driver = low + size;
    return true;
}

void image_stack_end(const struct host_stack *before) {
    stack_give_back(host_stack.low, host_stack.size);
    host_stack.low = before->low;
    host_stack.size = before->size;
    host_stack.driver = before->driver;
}

/* Called above. What goes wrong leaves the thread without a stack for drivers. */
__attribute__((used)) static void image_stack_first(void) {
    struct host_stack none;
    (void)image_stack_begin(HOST_STACK_BYTES, &none);
}

const void *image_callable(const void *function) {
    if (!image_of(function))
        return function;
    host_stack.next = function;
    return image_call_next;
}

uint64_t image_stack_left(void) {
    return host_stack.driver - host_stack.low;
}

bool image_stack_overflows(uint64_t address) {
    return host_stack.size != 0 && host_stack.low - address - 1 < STACK_GUARD_BYTES;
}
