/* shared_data.c - see shared_data.h. Members that are not filled in read as zero. */
#include "trap/shared_data.h"

#include <string.h>

#include <ntddk.h>

#define SHARED_DATA UINT64_C(0xFFFFF78000000000)

enum {
    SHARED_BYTES = 4096,
    TICK_MULTIPLIER = 0x004, /* 100 ns a tick, in 2^24ths of a millisecond */
    INTERRUPT_TIME = 0x008,
    SYSTEM_TIME = 0x014,
    MAJOR_VERSION = 0x26c,
    MINOR_VERSION = 0x270,
    BUILD_NUMBER = 0x260,
    QPC_FREQUENCY = 0x300,
    TICK_COUNT = 0x320,
    TICK_MULTIPLIER_VALUE = 0x0fa00000, /* 15.625 ms a tick */
    WINDOWS_MAJOR = 10,
    WINDOWS_BUILD = 26100,
};

bool shared_data_has(uint64_t address) {
    return address - SHARED_DATA < SHARED_BYTES;
}

static void shared_put(uint8_t *page, uint32_t at, const void *value, size_t size) {
    memcpy(page + at, value, size);
}

/* KSYSTEM_TIME: low, high, high again. */
static void put_time(uint8_t *page, uint32_t at, uint64_t time) {
    uint32_t high = (uint32_t)(time >> 32);
    shared_put(page, at, &time, sizeof(time));
    shared_put(page, at + 8, &high, sizeof(high));
}

static void shared_fill(uint8_t *page) {
    LARGE_INTEGER now, ticks, frequency;
    uint32_t major = WINDOWS_MAJOR, build = WINDOWS_BUILD, multiplier = TICK_MULTIPLIER_VALUE;
    memset(page, 0, SHARED_BYTES);
    KeQuerySystemTime(&now);
    KeQueryTickCount(&ticks);
    (void)KeQueryPerformanceCounter(&frequency);
    shared_put(page, TICK_MULTIPLIER, &multiplier, sizeof(multiplier));
    put_time(page, INTERRUPT_TIME, KeQueryInterruptTime());
    put_time(page, SYSTEM_TIME, (uint64_t)now.QuadPart);
    shared_put(page, MAJOR_VERSION, &major, sizeof(major));
    shared_put(page, BUILD_NUMBER, &build, sizeof(build));
    shared_put(page, QPC_FREQUENCY, &frequency.QuadPart, sizeof(frequency.QuadPart));
    put_time(page, TICK_COUNT, (uint64_t)ticks.QuadPart);
}

bool shared_data_do(struct instruction *at, uint64_t address) {
    const ZydisDecodedOperand *to = &at->operands[0], *from = &at->operands[1];
    uint8_t page[SHARED_BYTES];
    uint64_t value = 0, offset = address - SHARED_DATA;
    ZydisRegisterClass class = to->type == ZYDIS_OPERAND_TYPE_REGISTER
                                   ? ZydisRegisterGetClass(to->reg.value)
                                   : ZYDIS_REGCLASS_INVALID;
    bool moves = at->is.mnemonic == ZYDIS_MNEMONIC_MOV || at->is.mnemonic == ZYDIS_MNEMONIC_MOVZX;
    if (!moves || class < ZYDIS_REGCLASS_GPR8 || class > ZYDIS_REGCLASS_GPR64 ||
        from->size / 8u > SHARED_BYTES - offset)
        return false;
    shared_fill(page);
    memcpy(&value, page + offset, from->size / 8u);
    instruction_set(at, to->reg.value, value);
    instruction_done(at);
    return true;
}
