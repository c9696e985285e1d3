/*
 * privileged.c - see privileged.h. cr8 is the IRQL; interrupts of the CPU are off at no time, since
 * the adapter's come at DIRQL; the machine has the adapter's ports alone, and few registers of a model.
 */
#include "trap/privileged.h"

#include <stdlib.h>
#include <time.h>

#include <ntddk.h>

#include "base/thread.h"
#include "base/violations.h"
#include "kernel/registers.h"

enum { FAST_FAIL = 0x29, FAST_FAIL_LIST_ENTRY = 3, ASSERTION = 0x2c };

static void set_irql(uint64_t level) {
    if (level > KeGetCurrentIrql())
        (void)KfRaiseIrql((KIRQL)level);
    else if (level < KeGetCurrentIrql())
        KeLowerIrql((KIRQL)level);
}

/* mov between a general and a control register. */
static bool control_register(const struct instruction *at) {
    ZydisRegister to = at->operands[0].reg.value, from = at->operands[1].reg.value;
    if (at->operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
        at->operands[1].type != ZYDIS_OPERAND_TYPE_REGISTER)
        return false;
    if (to == ZYDIS_REGISTER_CR8) {
        set_irql(instruction_get(at, from));
        return true;
    }
    if (ZydisRegisterGetClass(from) != ZYDIS_REGCLASS_CONTROL)
        return false;
    instruction_set(at, to, from == ZYDIS_REGISTER_CR8 ? KeGetCurrentIrql() : 0);
    return true;
}

static uint64_t ticks(void) {
    LARGE_INTEGER now = KeQueryPerformanceCounter(NULL);
    return (uint64_t)now.QuadPart;
}

static bool model_register(const struct instruction *at) {
    enum { TSC = 0x10 };
    greg_t *gregs = at->user->uc_mcontext.gregs;
    uint32_t which = (uint32_t)gregs[REG_RCX];
    if (at->is.mnemonic == ZYDIS_MNEMONIC_WRMSR) {
        host_violation("the driver writes the model-specific register 0x%x, which is the system's",
                       which);
        return true;
    }
    uint64_t value = which == TSC ? ticks() : 0;
    gregs[REG_RAX] = (greg_t)(uint32_t)value;
    gregs[REG_RDX] = (greg_t)(value >> 32);
    return true;
}

static bool port(const struct instruction *at) {
    bool reads = at->is.mnemonic == ZYDIS_MNEMONIC_IN;
    const ZydisDecodedOperand *number = &at->operands[reads ? 1 : 0];
    uint64_t at_port = number->type == ZYDIS_OPERAND_TYPE_REGISTER
                           ? instruction_get(at, number->reg.value)
                           : number->imm.value.u;
    at_port &= UINT16_MAX;
    ZydisRegister data = at->operands[reads ? 0 : 1].reg.value;
    uint32_t width = at->operands[reads ? 0 : 1].size / 8u;
    if (reads)
        instruction_set(at, data, host_port_read(at_port, width));
    else
        host_port_write(at_port, width, instruction_get(at, data));
    return true;
}

/* bug-check-0x139--kernel-security-check-failure.md. It ends the system; here it ends the process. */
static void fast_fail(const ucontext_t *user) {
    uint32_t code = (uint32_t)user->uc_mcontext.gregs[REG_RCX];
    host_self.interrupted = user;
    host_violation("bug check 0x139, KERNEL_SECURITY_CHECK_FAILURE, with %u: %s", code,
                   code == FAST_FAIL_LIST_ENTRY
                       ? "a LIST_ENTRY is damaged; it was removed twice, or two changed its list "
                         "at once"
                       : "the driver or its compiler called __fastfail");
    abort();
}

/* int 29h: __fastfail, with its code in ecx; int 2ch: an assertion of the kernel's headers. */
static bool interrupt(const struct instruction *at) {
    uint64_t number = at->operands[0].imm.value.u;
    if (number == FAST_FAIL)
        fast_fail(at->user);
    if (number == ASSERTION)
        host_violation("an assertion of the driver failed (int 2Ch)");
    return number == ASSERTION;
}

bool privileged_ends(const struct instruction *at) {
    return at->is.mnemonic == ZYDIS_MNEMONIC_INT && at->operands[0].imm.value.u == FAST_FAIL;
}

bool privileged_do(struct instruction *at) {
    bool done;
    switch (at->is.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
        done = control_register(at);
        break;
    case ZYDIS_MNEMONIC_RDMSR:
    case ZYDIS_MNEMONIC_WRMSR:
        done = model_register(at);
        break;
    case ZYDIS_MNEMONIC_IN:
    case ZYDIS_MNEMONIC_OUT:
        done = port(at);
        break;
    case ZYDIS_MNEMONIC_INT:
        done = interrupt(at);
        break;
    case ZYDIS_MNEMONIC_CLI:
    case ZYDIS_MNEMONIC_STI:
    case ZYDIS_MNEMONIC_WBINVD:
    case ZYDIS_MNEMONIC_INVD:
    case ZYDIS_MNEMONIC_INVLPG:
    case ZYDIS_MNEMONIC_HLT:
        done = true;
        break;
    default:
        done = false;
        break;
    }
    if (done)
        instruction_done(at);
    return done;
}
