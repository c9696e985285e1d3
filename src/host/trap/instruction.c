/* instruction.c - see instruction.h. */
#include "trap/instruction.h"

#include "image/unwind.h"

/* In the order of the encoding. */
static const int gregs[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                              REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15};

greg_t *instruction_register(ucontext_t *user, unsigned number) {
    return &user->uc_mcontext.gregs[gregs[number]];
}

bool instruction_decode(ucontext_t *user, struct instruction *out) {
    uint64_t rip = (uint64_t)user->uc_mcontext.gregs[REG_RIP], bytes[2] = {0, 0};
    ZydisDecoder decoder;
    out->user = user;
    if (!unwind_peek(rip, &bytes[0]))
        return false;
    if (!unwind_peek(rip + 8, &bytes[1]))
        bytes[1] = 0;
    return ZYAN_SUCCESS(
               ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
           ZYAN_SUCCESS(
               ZydisDecoderDecodeFull(&decoder, bytes, sizeof(bytes) - 1, &out->is, out->operands));
}

/* The register that holds `of`, its width in bytes, and where in it `of` begins. */
static greg_t *place_of(const struct instruction *at, ZydisRegister of, unsigned *width,
                        unsigned *shift) {
    bool high = of >= ZYDIS_REGISTER_AH && of <= ZYDIS_REGISTER_BH;
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, of);
    *width = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, of) / 8u;
    *shift = high ? 8 : 0;
    return instruction_register(at->user, (unsigned)ZydisRegisterGetId(whole) & 15u);
}

uint64_t instruction_get(const struct instruction *at, ZydisRegister of) {
    unsigned width, shift;
    const greg_t *place = place_of(at, of, &width, &shift);
    uint64_t value = (uint64_t)*place >> shift;
    return width == 8 ? value : value & ((UINT64_C(1) << (width * 8)) - 1);
}

void instruction_set(const struct instruction *at, ZydisRegister of, uint64_t value) {
    unsigned width, shift;
    greg_t *place = place_of(at, of, &width, &shift);
    uint64_t mask = width >= 4 ? UINT64_MAX : ((UINT64_C(1) << (width * 8)) - 1) << shift;
    if (width == 4)
        value = (uint32_t)value;
    *place = (greg_t)(((uint64_t)*place & ~mask) | ((value << shift) & mask));
}

uint64_t instruction_address(const struct instruction *at, const ZydisDecodedOperand *operand) {
    const ZydisDecodedOperandMem *mem = &operand->mem;
    uint64_t address = mem->disp.has_displacement ? (uint64_t)mem->disp.value : 0;
    if (mem->base == ZYDIS_REGISTER_RIP)
        address += (uint64_t)at->user->uc_mcontext.gregs[REG_RIP] + at->is.length;
    else if (mem->base != ZYDIS_REGISTER_NONE)
        address += instruction_get(at, mem->base);
    if (mem->index != ZYDIS_REGISTER_NONE)
        address += instruction_get(at, mem->index) * mem->scale;
    return at->is.address_width == 32 ? (uint32_t)address : address;
}

void instruction_done(const struct instruction *at) {
    at->user->uc_mcontext.gregs[REG_RIP] += at->is.length;
}
