/*
 * instruction.h - one machine instruction that faulted, and the registers it faulted with.
 */
#ifndef HOST_INSTRUCTION_H
#define HOST_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include <Zydis/Zydis.h>

struct instruction {
    ucontext_t *user;
    ZydisDecodedInstruction is;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* False: there is no instruction at the interrupted place. */
bool instruction_decode(ucontext_t *user, struct instruction *out);
/* A general register of the interrupted code, by its number in the encoding of rax .. r15. */
greg_t *instruction_register(ucontext_t *user, unsigned number);
/* The value of a register operand; 1 to 8 bytes. */
uint64_t instruction_get(const struct instruction *at, ZydisRegister of);
/* As the processor does: 4 bytes clear the upper half, fewer leave the rest. */
void instruction_set(const struct instruction *at, ZydisRegister of, uint64_t value);
/* The address of a memory operand, without its segment's base. */
uint64_t instruction_address(const struct instruction *at, const ZydisDecodedOperand *operand);
/* Goes on behind the instruction. */
void instruction_done(const struct instruction *at);

#endif
