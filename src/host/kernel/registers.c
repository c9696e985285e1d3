/*
 * registers.c - READ_REGISTER_* and WRITE_REGISTER_*: find the BAR by the address, and call its
 * model.
 *
 * An access outside of a mapped BAR is a violation and reads as all ones, as on a bus without a
 * device. A driver that polls a register without sleeping still lets the hardware run.
 */
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "memory/bars.h"
#include "kernel/dispatcher.h"
#include "kernel/engines.h"
#include "kernel/interrupt.h"
#include "kernel/registers.h"

/* The hardware does a step after so many register reads. */
#define READS_A_STEP 16u

/* Where a register is: in which BAR of which hardware. */
struct register_place {
    struct host_bar *bar;
    uint32_t index; /* of the BAR on its board */
    void *hw;       /* of that board */
    uint64_t offset;
};

static bool register_find(const volatile void *address, uint32_t width, struct register_place *at) {
    for (uint32_t i = 0; i < host_world->linked * VIDMM_HW_BARS; i++) {
        struct host_bar *bar = &host_world->bars->bar[i];
        uint64_t offset = (uintptr_t)address - (uintptr_t)bar->cpu;
        if (bar->bar.kind == VIDMM_HW_BAR_NONE || offset >= bar->bar.size ||
            width > bar->bar.size - offset)
            continue;
        *at = (struct register_place){.bar = bar,
                                      .index = i % VIDMM_HW_BARS,
                                      .hw = host_world->hw[i / VIDMM_HW_BARS],
                                      .offset = offset};
        return atomic_load(&bar->mapped) != 0;
    }
    return false;
}

bool host_register_bar(const volatile void *address) {
    struct register_place at;
    return register_find(address, 1, &at) && at.bar->bar.kind == VIDMM_HW_BAR_REGISTERS;
}

uint64_t host_register_read(const volatile void *address, uint32_t width) {
    uint64_t value = UINT64_MAX >> (64 - 8 * width);
    struct register_place at;
    if (!register_find(address, width, &at)) {
        host_violation("READ_REGISTER of %u bytes outside of every mapped BAR", width);
        return value;
    }
    if (at.offset % width != 0)
        host_violation("READ_REGISTER of %u bytes at offset 0x%llx of BAR %u is not aligned", width,
                       (unsigned long long)at.offset, at.index);
    if (at.bar->bar.kind == VIDMM_HW_BAR_MEMORY) {
        value = 0;
        memcpy(&value, at.bar->cpu + at.offset, width);
        return value;
    }
    host_model_enter();
    value = host_world->config.model->reg_read(at.hw, at.index, at.offset, width);
    host_model_leave();
    if (atomic_fetch_add(&host_world->bars->reads, 1) % READS_A_STEP == READS_A_STEP - 1 &&
        host_self.irql < HOST_DEVICE_IRQL) {
        host_pump();
        if (host_self.irql < DISPATCH_LEVEL)
            host_yield(); /* it may wait for another thread's work */
    }
    return value;
}

void host_register_write(volatile void *address, uint32_t width, uint64_t value) {
    struct register_place at;
    if (!register_find(address, width, &at)) {
        host_violation("WRITE_REGISTER of %u bytes outside of every mapped BAR", width);
        return;
    }
    if (at.offset % width != 0)
        host_violation("WRITE_REGISTER of %u bytes at offset 0x%llx of BAR %u is not aligned",
                       width, (unsigned long long)at.offset, at.index);
    if (at.bar->bar.kind == VIDMM_HW_BAR_MEMORY) {
        memcpy(at.bar->cpu + at.offset, &value, width);
        return;
    }
    host_model_enter();
    host_world->config.model->reg_write(at.hw, at.index, at.offset, width, value);
    host_engines_kick();
    host_model_leave();
}

#define REGISTER_ACCESS(name, type)                                                                \
    NTHALAPI type NTAPI READ_REGISTER_##name(volatile type *Register) {                            \
        return (type)host_register_read(Register, sizeof(type));                                   \
    }                                                                                              \
    NTHALAPI VOID NTAPI WRITE_REGISTER_##name(volatile type *Register, type Value) {               \
        host_register_write(Register, sizeof(type), Value);                                        \
    }                                                                                              \
    NTHALAPI VOID NTAPI READ_REGISTER_BUFFER_##name(volatile type *Register, type *Buffer,         \
                                                    ULONG Count) {                                 \
        for (ULONG i = 0; i < Count; i++)                                                          \
            Buffer[i] = (type)host_register_read(Register + i, sizeof(type));                      \
    }                                                                                              \
    NTHALAPI VOID NTAPI WRITE_REGISTER_BUFFER_##name(volatile type *Register, type *Buffer,        \
                                                     ULONG Count) {                                \
        for (ULONG i = 0; i < Count; i++)                                                          \
            host_register_write(Register + i, sizeof(type), Buffer[i]);                            \
    }

REGISTER_ACCESS(UCHAR, UCHAR)
REGISTER_ACCESS(USHORT, USHORT)
REGISTER_ACCESS(ULONG, ULONG)
REGISTER_ACCESS(ULONG64, ULONG64)

/* ---- Ports ----------------------------------------------------------------------------------- */

#define PORT_ACCESS(name, type)                                                                    \
    NTHALAPI type NTAPI READ_PORT_##name(type *Port) {                                             \
        host_violation("READ_PORT of port 0x%llx: the machine has no ports",                       \
                       (unsigned long long)(uintptr_t)Port);                                       \
        return (type) ~(type)0;                                                                    \
    }                                                                                              \
    NTHALAPI VOID NTAPI WRITE_PORT_##name(type *Port, type Value) {                                \
        (void)Value;                                                                               \
        host_violation("WRITE_PORT of port 0x%llx: the machine has no ports",                      \
                       (unsigned long long)(uintptr_t)Port);                                       \
    }
PORT_ACCESS(UCHAR, UCHAR)
PORT_ACCESS(USHORT, USHORT)
PORT_ACCESS(ULONG, ULONG)
