/* processor.c - see processor.h. */
#include "trap/processor.h"

#include <asm/prctl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
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

/* Mapped where it is needed: a program that loads the library later has little room for variables of threads. */
static _Thread_local uint8_t *block;
static pthread_key_t ends;

static void block_end(void *old) {
    (void)munmap(old, BLOCK_BYTES);
}

__attribute__((constructor)) static void make_ends(void) {
    (void)pthread_key_create(&ends, block_end);
}

static void put_pointer(uint32_t at, const void *value) {
    memcpy(block + at, &value, sizeof(value));
}

bool processor_give(const struct instruction *at) {
    bool by_gs = false;
    for (unsigned i = 0; i < at->is.operand_count; i++)
        by_gs |= at->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
                 at->operands[i].mem.segment == ZYDIS_REGISTER_GS;
    if (!by_gs || block)
        return false;
    uint8_t *made =
        mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return false;
    block = made;
    (void)pthread_setspecific(ends, block); /* where it fails, the block stays */
    put_pointer(SELF, block);
    put_pointer(CURRENT_BLOCK, block + PRIMARY_BLOCK);
    put_pointer(CURRENT_THREAD, KeGetCurrentThread());
    return syscall(SYS_arch_prctl, ARCH_SET_GS, block) == 0;
}
