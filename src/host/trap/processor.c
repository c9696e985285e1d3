/* processor.c - see processor.h. */
#include "trap/processor.h"

#include <asm/prctl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ntddk.h>

enum {
    BLOCK_BYTES = 8192,
    SELF = 0x18,           /* KPCR.Self */
    CURRENT_BLOCK = 0x20,  /* KPCR.CurrentPrcb */
    PRIMARY_BLOCK = 0x180, /* the processor's block inside of it */
    NUMBER = 0x184,
    CURRENT_THREAD = 0x188,
};

static _Thread_local uint8_t block[BLOCK_BYTES] __attribute__((aligned(64)));
static _Thread_local bool given;

static void put_pointer(uint32_t at, const void *value) {
    memcpy(block + at, &value, sizeof(value));
}

bool processor_give(const struct instruction *at) {
    bool by_gs = false;
    for (unsigned i = 0; i < at->is.operand_count; i++)
        by_gs |= at->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
                 at->operands[i].mem.segment == ZYDIS_REGISTER_GS;
    if (!by_gs || given)
        return false;
    put_pointer(SELF, block);
    put_pointer(CURRENT_BLOCK, block + PRIMARY_BLOCK);
    put_pointer(CURRENT_THREAD, KeGetCurrentThread());
    given = true;
    return syscall(SYS_arch_prctl, ARCH_SET_GS, block) == 0;
}
