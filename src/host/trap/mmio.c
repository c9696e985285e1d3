/*
 * mmio.c - see mmio.h.
 *
 * Moves between a general register or a constant and memory, and string instructions, are done
 * here. Every other instruction (read-modify-write, SSE, AVX) runs itself: a copy of it, whose
 * memory operand is a buffer of the thread with what the registers hold, then a break point at
 * which the buffer goes back to the registers.
 */
#include "trap/mmio.h"

#include <string.h>
#include <sys/mman.h>

#include "kernel/registers.h"

enum {
    COPY_BYTES = 64,   /* room for the copied instruction and its break point */
    BUFFER_BYTES = 64, /* the widest operand */
    ITEM_MAX = 8,      /* bytes of one access to the hardware */
};

/* Of a thread; in pages that can run, since the copy addresses the buffer by rip. */
struct mmio_copy {
    uint8_t code[COPY_BYTES];
    uint8_t buffer[BUFFER_BYTES] __attribute__((aligned(64)));
    uint64_t address; /* of the registers */
    uint64_t next;    /* where the original goes on; 0: no copy runs */
    uint32_t bytes;
    bool writes;
};

static _Thread_local struct mmio_copy *copies;

bool mmio_has(uint64_t address) {
    return host_register_bar((const void *)(uintptr_t)address);
}

/* ---- The hardware's side --------------------------------------------------------------------- */

static uint32_t item(uint64_t address, uint32_t left) {
    uint32_t width = ITEM_MAX;
    while (width > left || address % width != 0)
        width /= 2;
    return width;
}

static void read_bytes(uint64_t address, uint8_t *to, uint32_t bytes) {
    for (uint32_t at = 0; at < bytes;) {
        uint32_t width = item(address + at, bytes - at);
        uint64_t value =
            host_register_read((const volatile void *)(uintptr_t)(address + at), width);
        memcpy(to + at, &value, width);
        at += width;
    }
}

static void write_bytes(uint64_t address, const uint8_t *from, uint32_t bytes) {
    for (uint32_t at = 0; at < bytes;) {
        uint32_t width = item(address + at, bytes - at);
        uint64_t value = 0;
        memcpy(&value, from + at, width);
        host_register_write((volatile void *)(uintptr_t)(address + at), width, value);
        at += width;
    }
}

static uint64_t read_number(uint64_t address, uint32_t bytes) {
    uint64_t value = 0;
    read_bytes(address, (uint8_t *)&value, bytes);
    return value;
}

/* ---- Moves ----------------------------------------------------------------------------------- */

static uint64_t sign_extended(uint64_t value, uint32_t bytes) {
    unsigned shift = 64 - bytes * 8;
    return (uint64_t)((int64_t)(value << shift) >> shift);
}

static bool general(ZydisRegister of) {
    ZydisRegisterClass class = ZydisRegisterGetClass(of);
    return class >= ZYDIS_REGCLASS_GPR8 && class <= ZYDIS_REGCLASS_GPR64;
}

static bool mmio_load(const struct instruction *at, uint64_t address) {
    const ZydisDecodedOperand *to = &at->operands[0], *from = &at->operands[1];
    uint32_t bytes = from->size / 8u;
    if (to->type != ZYDIS_OPERAND_TYPE_REGISTER || !general(to->reg.value))
        return false;
    uint64_t value = read_number(address, bytes);
    bool sign = at->is.mnemonic == ZYDIS_MNEMONIC_MOVSX || at->is.mnemonic == ZYDIS_MNEMONIC_MOVSXD;
    instruction_set(at, to->reg.value, sign ? sign_extended(value, bytes) : value);
    return true;
}

static bool mmio_store(const struct instruction *at, uint64_t address) {
    const ZydisDecodedOperand *to = &at->operands[0], *from = &at->operands[1];
    uint64_t value;
    if (from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        value = from->imm.value.u;
    else if (from->type == ZYDIS_OPERAND_TYPE_REGISTER && general(from->reg.value))
        value = instruction_get(at, from->reg.value);
    else
        return false;
    write_bytes(address, (const uint8_t *)&value, to->size / 8u);
    return true;
}

static bool mmio_move(const struct instruction *at, uint64_t address) {
    switch (at->is.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVZX:
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
    case ZYDIS_MNEMONIC_MOVNTI:
        return at->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY ? mmio_store(at, address)
                                                                 : mmio_load(at, address);
    default:
        return false;
    }
}

/* ---- String instructions --------------------------------------------------------------------- */

static uint32_t string_width(ZydisMnemonic mnemonic) {
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_MOVSB:
    case ZYDIS_MNEMONIC_STOSB:
    case ZYDIS_MNEMONIC_LODSB:
        return 1;
    case ZYDIS_MNEMONIC_MOVSW:
    case ZYDIS_MNEMONIC_STOSW:
    case ZYDIS_MNEMONIC_LODSW:
        return 2;
    case ZYDIS_MNEMONIC_MOVSD:
    case ZYDIS_MNEMONIC_STOSD:
    case ZYDIS_MNEMONIC_LODSD:
        return 4;
    case ZYDIS_MNEMONIC_MOVSQ:
    case ZYDIS_MNEMONIC_STOSQ:
    case ZYDIS_MNEMONIC_LODSQ:
        return 8;
    default:
        return 0;
    }
}

static uint64_t string_get(uint64_t address, uint32_t width) {
    uint64_t value = 0;
    if (mmio_has(address))
        return read_number(address, width);
    memcpy(&value, (const void *)(uintptr_t)address, width); /* faults there as the original */
    return value;
}

static void string_put(uint64_t address, uint32_t width, uint64_t value) {
    if (mmio_has(address))
        write_bytes(address, (const uint8_t *)&value, width);
    else
        memcpy((void *)(uintptr_t)address, &value, width);
}

/* movs, stos, lods, with or without rep. movsd and movsd xmm have one mnemonic: operands tell. */
static bool string(const struct instruction *at) {
    uint32_t width = string_width(at->is.mnemonic);
    bool reads = false, writes = false;
    for (unsigned i = 0; i < at->is.operand_count; i++) {
        const ZydisDecodedOperand *operand = &at->operands[i];
        bool memory = operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
                      operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
        reads |= memory && (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ);
        writes |= memory && (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE);
    }
    if (width == 0 || !(reads || writes))
        return false;
    greg_t *gregs = at->user->uc_mcontext.gregs;
    int64_t step = gregs[REG_EFL] & 0x400 ? -(int64_t)width : width;
    bool repeats = at->is.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE);
    for (; !repeats || gregs[REG_RCX] != 0; gregs[REG_RCX] -= repeats) {
        uint64_t value =
            reads ? string_get((uint64_t)gregs[REG_RSI], width) : (uint64_t)gregs[REG_RAX];
        if (writes)
            string_put((uint64_t)gregs[REG_RDI], width, value);
        else
            instruction_set(at, at->operands[0].reg.value, value);
        gregs[REG_RSI] += reads ? step : 0;
        gregs[REG_RDI] += writes ? step : 0;
        if (!repeats)
            break;
    }
    return true;
}

/* ---- All others ------------------------------------------------------------------------------ */

static struct mmio_copy *copy_of_thread(void) {
    if (!copies) {
        void *memory = mmap(NULL, sizeof(*copies), PROT_READ | PROT_WRITE | PROT_EXEC,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        copies = memory == MAP_FAILED ? NULL : memory;
    }
    return copies;
}

static const ZydisDecodedOperand *memory_operand(const struct instruction *at) {
    for (unsigned i = 0; i < at->is.operand_count_visible; i++)
        if (at->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            at->operands[i].mem.type == ZYDIS_MEMOP_TYPE_MEM)
            return &at->operands[i];
    return NULL;
}

/* The instruction with `buffer` for its memory operand, and a break point behind it. */
static bool write_copy(const struct instruction *at, struct mmio_copy *copy) {
    ZydisEncoderRequest request;
    ZyanUSize length = COPY_BYTES - 1;
    if (ZYAN_FAILED(ZydisEncoderDecodedInstructionToEncoderRequest(
            &at->is, at->operands, at->is.operand_count_visible, &request)))
        return false;
    for (unsigned i = 0; i < request.operand_count; i++) {
        if (request.operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        request.operands[i].mem.base = ZYDIS_REGISTER_RIP;
        request.operands[i].mem.index = ZYDIS_REGISTER_NONE;
        request.operands[i].mem.scale = 0;
        request.operands[i].mem.displacement = (int64_t)(uintptr_t)copy->buffer;
    }
    if (ZYAN_FAILED(ZydisEncoderEncodeInstructionAbsolute(&request, copy->code, &length,
                                                          (uintptr_t)copy->code)))
        return false;
    copy->code[length] = 0xcc;
    return true;
}

static bool run_copy(struct instruction *at, uint64_t address) {
    const ZydisDecodedOperand *memory = memory_operand(at);
    struct mmio_copy *copy = copy_of_thread();
    if (!memory || !copy || memory->size / 8u > BUFFER_BYTES || memory->size < 8 ||
        copy->next != 0 || !write_copy(at, copy))
        return false;
    copy->address = address;
    copy->bytes = memory->size / 8u;
    copy->writes = memory->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    if (memory->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        read_bytes(address, copy->buffer, copy->bytes);
    copy->next = (uint64_t)at->user->uc_mcontext.gregs[REG_RIP] + at->is.length;
    at->user->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)copy->code;
    return true;
}

bool mmio_finish(ucontext_t *user) {
    struct mmio_copy *copy = copies;
    if (!copy || copy->next == 0 ||
        (uint64_t)user->uc_mcontext.gregs[REG_RIP] - (uintptr_t)copy->code > COPY_BYTES)
        return false;
    user->uc_mcontext.gregs[REG_RIP] = (greg_t)copy->next;
    copy->next = 0;
    if (copy->writes)
        write_bytes(copy->address, copy->buffer, copy->bytes);
    return true;
}

bool mmio_do(struct instruction *at, uint64_t address) {
    const ZydisDecodedOperand *memory = memory_operand(at);
    uint64_t begin = memory ? instruction_address(at, memory) : address;
    if (memory && mmio_move(at, begin)) {
        instruction_done(at);
        return true;
    }
    if (!memory && string(at)) {
        instruction_done(at);
        return true;
    }
    return run_copy(at, begin);
}
