/*
 * registers.c - READ_REGISTER_* and WRITE_REGISTER_*, READ_PORT_* and WRITE_PORT_*: find the BAR by
 * the address or the port, and call its model.
 *
 * An access outside of a mapped BAR is a violation and reads as all ones, as on a bus without a
 * device. A driver that polls a register without sleeping still lets the hardware run.
 */
#include <stdio.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "memory/bars.h"
#include "kernel/device_log.h"
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
    uint32_t board;
    void *hw; /* of that board */
    uint64_t offset;
};

static struct register_place register_in(struct host_bar *bar, uint64_t offset) {
    uint32_t i = (uint32_t)(bar - host_world->bars->bar);
    return (struct register_place){.bar = bar,
                                   .index = i % VIDMM_HW_BARS,
                                   .board = i / VIDMM_HW_BARS,
                                   .hw = host_world->hw[i / VIDMM_HW_BARS],
                                   .offset = offset};
}

/* In a BAR, mapped or not. */
static bool place_find(const volatile void *address, uint32_t width, struct register_place *at) {
    for (uint32_t i = 0; i < host_world->boards * VIDMM_HW_BARS; i++) {
        struct host_bar *bar = &host_world->bars->bar[i];
        uint64_t offset = (uintptr_t)address - (uintptr_t)bar->cpu;
        if (!bar->cpu || offset >= bar->bar.size || width > bar->bar.size - offset)
            continue;
        *at = register_in(bar, offset);
        return true;
    }
    return false;
}

static bool register_find(const volatile void *address, uint32_t width, struct register_place *at) {
    return place_find(address, width, at) && atomic_load(&at->bar->mapped) != 0;
}

bool host_register_bar(const volatile void *address) {
    struct register_place at;
    return register_find(address, 1, &at) && at.bar->bar.kind == VIDMM_HW_BAR_REGISTERS;
}

/* The manager, the referee and the check reach memory that no driver has mapped. */
static bool memory_find(const volatile void *address, struct register_place *at) {
    return place_find(address, 1, at) && at->bar->bar.kind == VIDMM_HW_BAR_MEMORY;
}

bool host_bar_touch(const volatile void *address, bool write) {
    struct register_place at;
    const struct vidmm_hw_model *model =
        memory_find(address, &at) ? host_world->model[at.board] : NULL;
    if (!model || !model->touch)
        return false;
    host_model_enter();
    bool opened = model->touch(at.hw, at.index, at.offset, write);
    host_model_leave();
    return opened;
}

bool host_bar_tell(const volatile void *address, bool write, char *text, size_t size) {
    struct register_place at;
    bool there = memory_find(address, &at);
    if (there)
        snprintf(text, size,
                 "a %s of vidmm's own at 0x%llx, offset 0x%llx of BAR %u, "
                 "which the hardware model keeps closed,",
                 write ? "write" : "read", (unsigned long long)(at.bar->physical + at.offset),
                 (unsigned long long)at.offset, at.index);
    return there;
}

/* Polling lets the hardware run. */
static void register_polled(void) {
    if (atomic_fetch_add(&host_world->bars->reads, 1) % READS_A_STEP != READS_A_STEP - 1 ||
        host_self.irql >= HOST_DEVICE_IRQL)
        return;
    host_pump();
    if (host_self.irql < DISPATCH_LEVEL)
        host_yield(); /* it may wait for another thread's work */
}

static void register_log(const struct register_place *at, uint32_t width, bool write,
                         uint64_t value) {
    static const char *const names[VIDMM_HW_BARS] = {"bar0", "bar1", "bar2",
                                                     "bar3", "bar4", "bar5"};
    host_device_log(names[at->index], at->offset, width, write,
                    value & (UINT64_MAX >> (64 - 8 * width)));
}

static uint64_t model_read(const struct register_place *at, uint32_t width) {
    host_model_enter();
    uint64_t value = host_world->model[at->board]->reg_read(at->hw, at->index, at->offset, width);
    host_model_leave();
    register_log(at, width, false, value);
    register_polled();
    return value;
}

static void model_write(const struct register_place *at, uint32_t width, uint64_t value) {
    register_log(at, width, true, value);
    host_engines_meanwhile();
    host_model_enter();
    host_world->model[at->board]->reg_write(at->hw, at->index, at->offset, width, value);
    host_engines_kick();
    host_model_leave();
    host_engines_at_once();
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
    return model_read(&at, width);
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
    model_write(&at, width, value);
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

static bool port_find(uint64_t port, uint32_t width, const char *what, struct register_place *at) {
    struct host_bar *bar = host_bar_of_port(port, width);
    if (bar)
        *at = register_in(bar, port - bar->physical);
    else
        host_violation("%s port 0x%llx, which is no port of the adapter", what,
                       (unsigned long long)port);
    return bar;
}

uint64_t host_port_read(uint64_t port, uint32_t width) {
    struct register_place at;
    return port_find(port, width, "a read of", &at) ? model_read(&at, width)
                                                    : UINT64_MAX >> (64 - 8 * width);
}

void host_port_write(uint64_t port, uint32_t width, uint64_t value) {
    struct register_place at;
    if (port_find(port, width, "a write to", &at))
        model_write(&at, width, value);
}

#define PORT_ACCESS(name, type)                                                                    \
    NTHALAPI type NTAPI READ_PORT_##name(type *Port) {                                             \
        return (type)host_port_read((uintptr_t)Port, sizeof(type));                                \
    }                                                                                              \
    NTHALAPI VOID NTAPI WRITE_PORT_##name(type *Port, type Value) {                                \
        host_port_write((uintptr_t)Port, sizeof(type), Value);                                     \
    }
PORT_ACCESS(UCHAR, UCHAR)
PORT_ACCESS(USHORT, USHORT)
PORT_ACCESS(ULONG, ULONG)
