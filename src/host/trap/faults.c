/*
 * faults.c - see faults.h.
 *
 * What belongs to nobody here goes to the handler from before: the sanitizers', the check's, or the
 * system's. An exception that no frame of the driver handles is raised again at its instruction, so
 * that its reporter sees the registers of the driver.
 */
#include "trap/faults.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/image.h"
#include "image/seh.h"
#include "image/stack.h"
#include "kernel/registers.h"
#include "memory/handed.h"
#include "memory/mdl.h"
#include "memory/pool.h"
#include "trap/instruction.h"
#include "trap/mmio.h"
#include "trap/paged.h"
#include "trap/privileged.h"
#include "trap/processor.h"
#include "trap/sections.h"
#include "trap/shared_data.h"
#include "trap/single_step.h"

enum { PAGE_FAULT = 14, WRITES = 2, FETCHES = 16 }; /* of the processor's error code */

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static struct sigaction previous[SIGNALS], outermost[SIGNALS];
static bool installed;
static _Thread_local uint64_t unhandled; /* the place of an exception that nobody wanted */

static void pass_on(int number, siginfo_t *info, void *user) {
    for (unsigned i = 0; i < SIGNALS; i++) {
        if (signals[i] != number)
            continue;
        const struct sigaction *to = &previous[i];
        if (to->sa_flags & SA_SIGINFO)
            to->sa_sigaction(number, info, user);
        else if (to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN)
            to->sa_handler(number);
        else
            (void)sigaction(number, to, NULL); /* and the instruction comes again */
    }
}

/* ---- As an exception of the driver ----------------------------------------------------------- */

void host_faults_context(const ucontext_t *user, struct host_context *to) {
    memset(to, 0, sizeof(*to));
    for (unsigned i = 0; i < 16; i++)
        to->registers[i] = (uint64_t)*instruction_register((ucontext_t *)(uintptr_t)user, i);
    to->rip = (uint64_t)user->uc_mcontext.gregs[REG_RIP];
    to->eflags = (uint32_t)user->uc_mcontext.gregs[REG_EFL];
    to->mxcsr = user->uc_mcontext.fpregs ? user->uc_mcontext.fpregs->mxcsr : 0x1f80;
    if (user->uc_mcontext.fpregs)
        memcpy(to->xmm, user->uc_mcontext.fpregs->_xmm, sizeof(to->xmm));
}

/* A filter may have mended the registers. */
static void copy_back(ucontext_t *user, const struct host_context *from) {
    for (unsigned i = 0; i < 16; i++)
        *instruction_register(user, i) = (greg_t)from->registers[i];
    user->uc_mcontext.gregs[REG_RIP] = (greg_t)from->rip;
    user->uc_mcontext.gregs[REG_EFL] = (greg_t)from->eflags;
    if (user->uc_mcontext.fpregs)
        memcpy(user->uc_mcontext.fpregs->_xmm, from->xmm, sizeof(from->xmm));
}

static NTSTATUS code_of(int number, const siginfo_t *info) {
    switch (number) {
    case SIGFPE:
        return info->si_code == FPE_INTOVF ? STATUS_INTEGER_OVERFLOW
                                           : STATUS_INTEGER_DIVIDE_BY_ZERO;
    case SIGILL:
        return STATUS_ILLEGAL_INSTRUCTION;
    case SIGTRAP:
        return (NTSTATUS)0x80000003; /* STATUS_BREAKPOINT */
    default:
        return STATUS_ACCESS_VIOLATION;
    }
}

static struct host_exception exception_of(int number, const siginfo_t *info,
                                          const ucontext_t *user) {
    struct host_exception record = {.code = code_of(number, info),
                                    .address =
                                        (const void *)(uintptr_t)user->uc_mcontext.gregs[REG_RIP]};
    if (record.code == STATUS_ACCESS_VIOLATION) {
        uint64_t error = (uint64_t)user->uc_mcontext.gregs[REG_ERR];
        bool page_fault = user->uc_mcontext.gregs[REG_TRAPNO] == PAGE_FAULT;
        record.parameter_count = 2;
        record.parameters[0] = error & FETCHES ? 8 : (error & WRITES) ? 1 : 0;
        record.parameters[1] = page_fault ? (uintptr_t)info->si_addr : UINT64_MAX;
    }
    return record;
}

/* The faulting place is in an image, or the driver jumped out of one. */
static bool raise_exception(int number, const siginfo_t *info, ucontext_t *user) {
    uint64_t rip = (uint64_t)user->uc_mcontext.gregs[REG_RIP];
    struct host_context context;
    if (!image_of((const void *)(uintptr_t)rip) || unhandled == rip)
        return false;
    host_faults_context(user, &context);
    struct host_exception record = exception_of(number, info, user);
    if (seh_dispatch(&record, &context)) {
        copy_back(user, &context);
        return true;
    }
    unhandled = rip;
    return false;
}

/* ---- As what it stands for ------------------------------------------------------------------- */

static bool out_of_reach(const ucontext_t *user, uint64_t address) {
    const struct vidmm_host_interposer *interposer = &host_world->interposer;
    bool writes = (uint64_t)user->uc_mcontext.gregs[REG_ERR] & WRITES;
    host_self.interrupted = user;
    bool back = sections_fault(address, (uint64_t)user->uc_mcontext.gregs[REG_RIP]) ||
                host_pool_fault(address, writes) || paged_fault(address, writes) ||
                host_handed_fault(address, writes) || host_mdl_gone_fault(address, writes) ||
                host_mdl_beside_fault(address, writes) ||
                (interposer->gone && interposer->gone(interposer->ctx, address, writes));
    host_self.interrupted = NULL;
    return back;
}

static bool done_here(int number, const siginfo_t *info, ucontext_t *user) {
    bool page_fault = user->uc_mcontext.gregs[REG_TRAPNO] == PAGE_FAULT;
    uint64_t address = (uintptr_t)info->si_addr;
    struct instruction at;
    if (number == SIGTRAP) {
        bool finished = mmio_finish(user);
        return single_step_trapped(user) || finished;
    }
    if (number != SIGSEGV)
        return false;
    if (page_fault && out_of_reach(user, address))
        return true;
    if (page_fault && mmio_has(address))
        return instruction_decode(user, &at) && mmio_do(&at, address);
    if (page_fault &&
        host_bar_touch(info->si_addr, (uint64_t)user->uc_mcontext.gregs[REG_ERR] & WRITES))
        return true;
    bool image = image_of((const void *)(uintptr_t)user->uc_mcontext.gregs[REG_RIP]);
    if ((page_fault && !image) || !instruction_decode(user, &at))
        return false;
    if (page_fault && shared_data_has(address))
        return shared_data_do(&at, address);
    if (page_fault)
        return processor_give(&at);
    return (image || privileged_ends(&at)) && privileged_do(&at);
}

/* ---- Too little stack ------------------------------------------------------------------------ */

static _Thread_local char why[160];
static _Thread_local bool own; /* no code of the driver's was on the way to the fault */

const char *vidmm_host_crash_reason(void) {
    return why[0] != 0 ? why : NULL;
}

bool vidmm_host_crash_own(void) {
    return own;
}

/* Windows has no stack left to raise an exception on: the machine stops
 * (bug-check-0x7f--unexpected-kernel-mode-trap.md). */
static bool overflowed(const siginfo_t *info, ucontext_t *user) {
    if (user->uc_mcontext.gregs[REG_TRAPNO] != PAGE_FAULT ||
        !image_stack_overflows((uintptr_t)info->si_addr))
        return false;
    struct host_context context;
    host_faults_context(user, &context);
    seh_leave_probe(&context);
    copy_back(user, &context);
    snprintf(why, sizeof(why), "the driver used more than %llu KiB of kernel stack",
             (unsigned long long)host_stack.size >> 10);
    return true;
}

static uint32_t (*driver_places)(const void *interrupted, uint64_t *frame, uint32_t most);

void host_faults_ask(uint32_t (*places)(const void *interrupted, uint64_t *frame, uint32_t most)) {
    driver_places = places;
}

/* The system's half reaches memory of a BAR that the hardware model keeps closed. */
static void tell_own_access(const siginfo_t *info, const ucontext_t *user) {
    uint64_t place;
    if (driver_places && driver_places(user, &place, 1) == 0)
        own = host_bar_tell(info->si_addr, (uint64_t)user->uc_mcontext.gregs[REG_ERR] & WRITES, why,
                            sizeof(why));
}

/* Before the process ends of it. */
static void tell_fault(int number, const siginfo_t *info, const ucontext_t *user) {
    const struct vidmm_host_interposer *interposer = &host_world->interposer;
    if (number != SIGSEGV || user->uc_mcontext.gregs[REG_TRAPNO] != PAGE_FAULT)
        return;
    tell_own_access(info, user);
    if (own || !interposer->faulting)
        return;
    host_self.interrupted = user;
    interposer->faulting(interposer->ctx, (uintptr_t)info->si_addr,
                         (uint64_t)user->uc_mcontext.gregs[REG_ERR] & WRITES);
    host_self.interrupted = NULL;
}

__attribute__((used)) static void faults_taken(int number, siginfo_t *info, void *context) {
    bool over = number == SIGSEGV && host_world && overflowed(info, context);
    if (!over && host_world &&
        (done_here(number, info, context) || raise_exception(number, info, context)))
        return;
    if (!over && host_world)
        tell_fault(number, info, context);
    pass_on(number, info, context);
}

/* ---- From the stack for signals to ours ------------------------------------------------------ */

_Static_assert(offsetof(struct host_stack, signals) == 40 &&
                   offsetof(struct host_stack, signals_size) == 48 && STACK_GUARD_BYTES == 0x800000,
               "faults_entry knows the thread's record");
_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP]) == 160 &&
                   offsetof(ucontext_t, uc_mcontext.fpregs) == 224,
               "faults_entry knows what the kernel saves");

/*
 * What the kernel put on the stack for signals goes to ours, with all that follows: the driver may be
 * called meanwhile, and fault again. The kernel takes the registers from where the handler returns
 * with its stack pointer, so that the copy serves as well. rsi, rdx: what is told of the signal; rax:
 * the thread's record; r8: bytes; r9: how far they move, in steps of 64, which the saved vector
 * registers want. A signal on any other stack, or one that another handler passed on, stays.
 */
__asm__(".text\n"
        ".p2align 4\n"
        ".type faults_entry, @function\n"
        "faults_entry:\n"
        "    movq host_stack@gottpoff(%rip), %rax\n"
        "    addq %fs:0, %rax\n"
        "    movq %rsp, %r8\n"
        "    subq 40(%rax), %r8\n"
        "    cmpq 48(%rax), %r8\n"
        "    jae faults_taken\n"
        "    leaq 8(%rsp), %rcx\n"
        "    cmpq %rcx, %rdx\n"
        "    jne faults_taken\n"
        "    subq 48(%rax), %r8\n"
        "    negq %r8\n"
        "    movq 160(%rdx), %r9\n"
        "    movq %r9, %rcx\n"
        "    subq (%rax), %rcx\n"
        "    addq $0x800000, %rcx\n" /* also when it is below the driver's stack */
        "    movq 8(%rax), %r10\n"
        "    addq $0x800000, %r10\n"
        "    cmpq %r10, %rcx\n"
        "    jae 1f\n"
        "    movq %r9, 24(%rax)\n"
        "    movq 16(%rax), %r9\n"
        "1:  subq $128, %r9\n"
        "    subq %r8, %r9\n"
        "    subq %rsp, %r9\n"
        "    andq $-64, %r9\n"
        "    movl %edi, %r10d\n"
        "    movq %rsi, %r11\n"
        "    movq %r8, %rcx\n"
        "    movq %rsp, %rsi\n"
        "    leaq (%rsp,%r9), %rdi\n"
        "    cld\n"
        "    rep movsb\n"
        "    movl %r10d, %edi\n"
        "    leaq (%r11,%r9), %rsi\n"
        "    addq %r9, %rdx\n"
        "    addq %r9, %rsp\n"
        "    cmpq $0, 224(%rdx)\n"
        "    je faults_taken\n"
        "    addq %r9, 224(%rdx)\n"
        "    jmp faults_taken\n"
        ".size faults_entry, .-faults_entry\n");

void faults_entry(int number, siginfo_t *info, void *context);

void host_faults_begin(void) {
    for (unsigned i = 0; i < SIGNALS; i++)
        (void)sigaction(signals[i], NULL, &outermost[i]);
}

bool host_faults_install(void) {
    const struct sigaction action = {.sa_sigaction = faults_entry,
                                     .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    for (unsigned i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], &action, &previous[i]) != 0)
            return false;
    installed = true;
    return true;
}

void host_faults_remove(void) {
    for (unsigned i = 0; i < SIGNALS && installed; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_sigaction == faults_entry)
            (void)sigaction(signals[i], &outermost[i], NULL);
    }
    installed = false;
}
