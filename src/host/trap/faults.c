/*
 * faults.c - see faults.h.
 *
 * What belongs to nobody here goes to the handler from before: the sanitizers', the check's, or the
 * system's. An exception that no frame of the driver handles is raised again at its instruction, so
 * that its reporter sees the registers of the driver.
 */
#include "trap/faults.h"

#include <signal.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/image.h"
#include "image/seh.h"
#include "kernel/registers.h"
#include "trap/instruction.h"
#include "trap/mmio.h"
#include "trap/privileged.h"
#include "trap/processor.h"
#include "trap/sections.h"
#include "trap/shared_data.h"

enum { PAGE_FAULT = 14, WRITES = 2, FETCHES = 16 }; /* of the processor's error code */

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static struct sigaction previous[SIGNALS];
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
    host_self.interrupted = user;
    bool back = sections_fault(address, (uint64_t)user->uc_mcontext.gregs[REG_RIP]);
    host_self.interrupted = NULL;
    return back;
}

static bool done_here(int number, const siginfo_t *info, ucontext_t *user) {
    bool page_fault = user->uc_mcontext.gregs[REG_TRAPNO] == PAGE_FAULT;
    uint64_t address = (uintptr_t)info->si_addr;
    struct instruction at;
    if (number == SIGTRAP)
        return mmio_finish(user);
    if (number != SIGSEGV)
        return false;
    if (page_fault && out_of_reach(user, address))
        return true;
    if (page_fault && mmio_has(address))
        return instruction_decode(user, &at) && mmio_do(&at, address);
    if (page_fault &&
        host_bar_touch(info->si_addr, (uint64_t)user->uc_mcontext.gregs[REG_ERR] & WRITES))
        return true;
    if (!image_of((const void *)(uintptr_t)user->uc_mcontext.gregs[REG_RIP]) ||
        !instruction_decode(user, &at))
        return false;
    if (page_fault && shared_data_has(address))
        return shared_data_do(&at, address);
    return page_fault ? processor_give(&at) : privileged_do(&at);
}

static void faults_taken(int number, siginfo_t *info, void *context) {
    if (host_world && (done_here(number, info, context) || raise_exception(number, info, context)))
        return;
    pass_on(number, info, context);
}

bool host_faults_install(void) {
    const struct sigaction action = {.sa_sigaction = faults_taken,
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
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_sigaction == faults_taken)
            (void)sigaction(signals[i], &previous[i], NULL);
    }
    installed = false;
}
