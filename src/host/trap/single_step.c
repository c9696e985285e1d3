/* single_step.c - see single_step.h. */
#include "trap/single_step.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/thread.h"
#include "image/unwind.h"
#include "trap/instruction.h"

enum {
    TRAP_FLAG = 0x100, /* of eflags */
    DEBUG_TRAP = 1,    /* of the processor's exceptions */
    BREAK_POINT = 3,
    INT3 = 0xcc,
    PAGE = 4096,
    STEPS_MOST = 20000,     /* of one call */
    ROUNDS = 2,             /* of an instruction that are moments */
    PLACES = 512,           /* instructions that are told apart */
    STACK_ABOVE = 64 << 10, /* bytes of the callers' frames */
    STACK_BELOW = 128,      /* what a function uses below its stack pointer */
    ENTRY_MOST = 4000,      /* steps of a thread up to its first instruction of the driver's */
    ENTRY_ABOVE = 16 << 10, /* bytes of its frames above that instruction */
};

/* An instruction of which the first byte is a break point's. */
struct break_point {
    uint8_t *at; /* NULL: there is none */
    uint8_t byte;
    uint64_t rsp; /* it counts with this stack pointer; 0: with any */
};

static struct {
    _Atomic bool on;
    struct single_step asked;
    struct break_point stop;
    uint64_t thread;    /* that is followed; 0: it has not come yet */
    uint64_t outermost; /* its stack pointer at the first instruction */
    bool entering;      /* its first instruction of the driver's has not come yet */
    bool shared;        /* the instruction that it executes now is one behind which a moment is */
    uint32_t moments, steps;
    struct {
        uint64_t rip;
        uint32_t rounds;
    } place[PLACES];
} follow;

/* ---- Break points ---------------------------------------------------------------------------- */

static bool write_code(uint8_t *at, uint8_t byte) {
    void *page = (void *)((uintptr_t)at & ~(uintptr_t)(PAGE - 1));
    if (mprotect(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    *at = byte;
    (void)mprotect(page, PAGE, PROT_READ | PROT_EXEC);
    return true;
}

static bool stop_at(uint64_t address, uint64_t rsp) {
    uint8_t *at = (uint8_t *)(uintptr_t)address;
    follow.stop = (struct break_point){.at = at, .byte = *at, .rsp = rsp};
    if (write_code(at, INT3))
        return true;
    follow.stop.at = NULL;
    return false;
}

static void put_back(void) {
    if (follow.stop.at)
        (void)write_code(follow.stop.at, follow.stop.byte);
    follow.stop.at = NULL;
}

/* ---- Moments --------------------------------------------------------------------------------- */

static uint64_t *flags_of(ucontext_t *user) {
    return (uint64_t *)&user->uc_mcontext.gregs[REG_EFL];
}

static uint64_t rip_of(const ucontext_t *user) {
    return (uint64_t)user->uc_mcontext.gregs[REG_RIP];
}

static uint64_t rsp_of(const ucontext_t *user) {
    return (uint64_t)user->uc_mcontext.gregs[REG_RSP];
}

static bool on_stack(const ucontext_t *user, uint64_t address) {
    uint64_t low = rsp_of(user) - STACK_BELOW;
    return address - low < follow.outermost + STACK_ABOVE - low;
}

/* It reads or writes memory that others may see. */
static bool is_shared(ucontext_t *user) {
    struct instruction at;
    if (!instruction_decode(user, &at) || at.is.mnemonic == ZYDIS_MNEMONIC_LEA ||
        at.is.mnemonic == ZYDIS_MNEMONIC_NOP)
        return false;
    for (unsigned i = 0; i < at.is.operand_count; i++)
        if (at.operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            !on_stack(user, instruction_address(&at, &at.operands[i])))
            return true;
    return false;
}

/* False: the instruction had its rounds, or there are too many to tell apart. */
static bool counts(uint64_t rip) {
    for (uint32_t i = 0; i < PLACES; i++) {
        uint32_t at = (uint32_t)(rip + i) % PLACES;
        if (follow.place[at].rip == 0)
            follow.place[at].rip = rip;
        if (follow.place[at].rip == rip)
            return follow.place[at].rounds++ < ROUNDS;
    }
    return false;
}

static void over(void) {
    put_back();
    atomic_store(&follow.on, false);
}

/* True: it was the one that was asked for, and nothing more is followed. */
static bool moment(ucontext_t *user) {
    bool hidden = follow.asked.for_interrupts && host_self.irql >= HOST_DEVICE_IRQL;
    if (hidden || !counts(rip_of(user)) || follow.moments++ != follow.asked.moment)
        return false;
    over();
    follow.asked.reached(follow.asked.ctx, user);
    return true;
}

/* The next instruction runs alone. */
static void one_more(ucontext_t *user) {
    follow.shared = is_shared(user);
    *flags_of(user) |= TRAP_FLAG;
}

/* ---- Traps ----------------------------------------------------------------------------------- */

/* What is not the driver's runs without steps, if it returns to the driver. */
static void single_step_leave(ucontext_t *user) {
    uint64_t back;
    if (rsp_of(user) > follow.outermost || !unwind_peek(rsp_of(user), &back) ||
        !follow.asked.of_driver(back) || !stop_at(back, rsp_of(user) + sizeof(back)))
        over();
}

/* Ours, on the way to the driver. */
static void enters(ucontext_t *user) {
    if (!follow.asked.of_driver(rip_of(user))) {
        if (++follow.steps > ENTRY_MOST)
            over();
        else
            *flags_of(user) |= TRAP_FLAG;
        return;
    }
    follow.entering = false;
    follow.steps = 0;
    follow.outermost = rsp_of(user) + ENTRY_ABOVE;
    one_more(user);
}

static void stepped(ucontext_t *user) {
    *flags_of(user) &= ~(uint64_t)TRAP_FLAG;
    if (!atomic_load(&follow.on))
        return;
    if (follow.entering)
        enters(user);
    else if (++follow.steps > STEPS_MOST)
        over();
    else if (!follow.asked.of_driver(rip_of(user)))
        single_step_leave(user);
    else if (!(follow.shared && moment(user)))
        one_more(user);
}

/* A break point that another thread, or another call of the same function, meets ends it. */
static void stopped(ucontext_t *user) {
    bool first = follow.thread == 0;
    bool back = follow.thread == host_thread_id() && follow.stop.rsp == rsp_of(user);
    user->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)follow.stop.at;
    put_back();
    if (first) {
        follow.thread = host_thread_id();
        follow.outermost = rsp_of(user);
    }
    if (!first && !back)
        over();
    else if (first || !moment(user))
        one_more(user);
}

/* Looking for one trap. */
static _Atomic bool probing;

bool single_step_trapped(ucontext_t *user) {
    greg_t trap = user->uc_mcontext.gregs[REG_TRAPNO];
    if (trap == DEBUG_TRAP && atomic_exchange(&probing, false)) {
        *flags_of(user) &= ~(uint64_t)TRAP_FLAG;
        return true;
    }
    if (trap == BREAK_POINT && follow.stop.at &&
        rip_of(user) - 1 == (uint64_t)(uintptr_t)follow.stop.at) {
        stopped(user);
        return true;
    }
    if (trap != DEBUG_TRAP || follow.thread == 0 || follow.thread != host_thread_id())
        return false;
    stepped(user);
    return true;
}

/* ---- From outside ---------------------------------------------------------------------------- */

static bool is_traced(void) {
    char line[128];
    int tracer = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && tracer == 0 && fgets(line, sizeof(line), status))
        (void)sscanf(line, "TracerPid: %d", &tracer);
    if (status)
        (void)fclose(status);
    return tracer != 0;
}

/* The processor traps, which one that valgrind or another emulator stands in for does not. */
static bool traps(void) {
    atomic_store(&probing, true);
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n"
                     "pushfq\n"
                     "orq $0x100, (%%rsp)\n"
                     "popfq\n"
                     "nop\n"
                     "leaq 128(%%rsp), %%rsp\n"
                     :
                     :
                     : "cc", "memory");
    return !atomic_exchange(&probing, false);
}

bool single_step_can(void) {
    static enum { UNKNOWN, CAN, CANNOT } known;
    if (known == UNKNOWN)
        known = !is_traced() && traps() ? CAN : CANNOT;
    return known == CAN;
}

void single_step_here(const struct single_step *asked) {
    put_back();
    memset(&follow, 0, sizeof(follow));
    if (!single_step_can())
        return;
    follow.asked = *asked;
    follow.thread = host_thread_id();
    follow.entering = true;
    atomic_store(&follow.on, true);
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n"
                     "pushfq\n"
                     "orq $0x100, (%%rsp)\n"
                     "popfq\n"
                     "leaq 128(%%rsp), %%rsp\n"
                     :
                     :
                     : "cc", "memory");
}

bool single_step_begin(const struct single_step *asked) {
    put_back();
    memset(&follow, 0, sizeof(follow));
    follow.asked = *asked;
    if (!asked->function || !asked->of_driver((uintptr_t)asked->function) || !single_step_can())
        return false;
    atomic_store(&follow.on, true);
    return stop_at((uintptr_t)asked->function, 0);
}

uint32_t single_step_end(void) {
    over();
    return follow.moments;
}
