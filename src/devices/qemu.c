/*
 * qemu.c - a PCI device of QEMU as a hardware model.
 *
 * The machine's memory is the host's (one file, mapped by both), so the device reads and writes what
 * the driver gave it. Registers are commands of qtest.h; BARs of more than 1 MiB are memory
 * (blocks.h), which the setting DeviceBarNMemory changes. The machine's processor is halted, and
 * its clock jumps to the next timer whenever there is one (-icount sleep=off): what a device does
 * after a time it does at once.
 *
 * QEMU does some of a device's work after the command that began it is answered. So after the driver
 * wrote a register, step() gives it some turns, with real time between them, before it says that
 * there is nothing to do.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "blocks.h"
#include "device.h"
#include "firmware.h"
#include "pci.h"

enum {
    WORDS_MOST = 32,       /* of the command line */
    TURNS = 12,            /* without anything new, until the device is taken to be idle */
    TURNS_AT_ONCE = 4,     /* of these without a pause */
    PAUSE_NS = 1000000,    /* between the others */
    MEMORY_FROM = 1 << 20, /* size of BARs that are memory */
    SPEC_MOST = 1024,
};
/* q35 has so much memory below its hole. */
#define REACHED_TO UINT64_C(0xb0000000)

struct qemu_device {
    struct vidmm_device device;
    char *options;
};

struct qemu {
    const struct vidmm_hw_host *host;
    pthread_mutex_t lock; /* of the machine: below */
    struct qtest qtest;
    struct pci pci;
    struct blocks blocks[VIDMM_HW_BARS];
    struct vidmm_hw_display display; /* width 0: none */
    uint32_t turns;                  /* that are left */
    bool told;                       /* that the machine was lost */
};

/* ---- Creating ---------------------------------------------------------------------------------- */

static bool start_machine(struct qemu *qemu, const char *options) {
    char device[SPEC_MOST + 64], memory[128], size[32];
    uint64_t bytes;
    int file = qemu->host->memory_file(qemu->host->ctx, &bytes);
    const char *program = getenv("VIDMM_QEMU");
    snprintf(device, sizeof(device), "%s,addr=%d,romfile=,id=vidmm", options, PCI_SLOT);
    snprintf(memory, sizeof(memory),
             "memory-backend-file,id=ram,size=%llu,share=on,mem-path=/dev/fd/%d",
             (unsigned long long)bytes, QTEST_MEMORY);
    snprintf(size, sizeof(size), "%lluB", (unsigned long long)bytes);
    const char *const words[WORDS_MOST] = {
        program ? program : "qemu-system-x86_64",
        "-nodefaults",
        "-no-user-config",
        "-display",
        strstr(options, "-gl") ? "egl-headless" : "none", /* devices that draw with OpenGL */
        "-machine",
        "q35,accel=tcg,memory-backend=ram,pit=off,hpet=off,vmport=off,sata=off,"
        "smbus=off,i8042=off,usb=off",
        "-icount",
        "shift=0,sleep=off",
        "-m",
        size,
        "-object",
        memory,
        "-bios",
        "/dev/fd/5",
        "-chardev",
        "socket,id=qtest,fd=3",
        "-qtest",
        "chardev:qtest",
        "-qtest-log",
        "none",
        "-device",
        device,
        NULL};
    return qtest_begin(&qemu->qtest, words, file);
}

static bool is_memory(const struct qemu *qemu, uint32_t bar) {
    char name[32];
    const struct pci_bar *of = &qemu->pci.bar[bar];
    snprintf(name, sizeof(name), "DeviceBar%uMemory", bar);
    return qemu->host->setting(qemu->host->ctx, name, of->size > MEMORY_FROM) != 0;
}

static bool fill_bar(struct qemu *qemu, uint32_t i, struct vidmm_hw_bar *to) {
    const struct pci_bar *bar = &qemu->pci.bar[i];
    uint64_t pages = (bar->size + 4095) & ~UINT64_C(4095);
    if (bar->size == 0)
        return true;
    *to = (struct vidmm_hw_bar){.kind = VIDMM_HW_BAR_REGISTERS, .size = pages};
    if (bar->ports)
        *to = (struct vidmm_hw_bar){.kind = VIDMM_HW_BAR_PORTS, .size = bar->size};
    if (bar->ports || !is_memory(qemu, i))
        return true;
    bool made = blocks_begin(&qemu->blocks[i], &qemu->qtest, bar->at, pages);
    *to = (struct vidmm_hw_bar){VIDMM_HW_BAR_MEMORY, pages, qemu->blocks[i].copy};
    return made;
}

static void qemu_destroy(void *hw) {
    struct qemu *qemu = hw;
    const struct vidmm_hw_host *host = qemu->host;
    qtest_end(&qemu->qtest);
    for (uint32_t i = 0; i < VIDMM_HW_BARS; i++)
        blocks_end(&qemu->blocks[i]);
    pthread_mutex_destroy(&qemu->lock);
    host->free(host->ctx, qemu, sizeof(*qemu));
}

static void *qemu_create(const struct vidmm_hw_host *host,
                         struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    const struct qemu_device *device = (const void *)host->model;
    struct qemu *qemu = host->alloc(host->ctx, sizeof(*qemu));
    char why[256] = "";
    if (!qemu)
        return NULL;
    *qemu = (struct qemu){.host = host, .qtest = {.pid = -1, .socket = -1, .errors = -1}};
    pthread_mutex_init(&qemu->lock, NULL);
    bool good = start_machine(qemu, device->options);
    if (!good)
        snprintf(why, sizeof(why), "%s", qemu->qtest.why);
    good = good && pci_begin(&qemu->pci, &qemu->qtest, host->physical, why, sizeof(why));
    for (uint32_t i = 0; i < VIDMM_HW_BARS && good; i++)
        good = fill_bar(qemu, i, &bars[i]);
    if (good) {
        (void)firmware_display(&qemu->pci, &qemu->display);
        return qemu;
    }
    if (why[0] != '\0')
        host->failed(host->ctx, why);
    qemu_destroy(qemu);
    return NULL;
}

static void qemu_configure(void *hw, unsigned char *space) {
    const struct qemu *qemu = hw;
    memcpy(space, qemu->pci.space, PCI_SPACE);
}

static bool qemu_display(void *hw, struct vidmm_hw_display *display) {
    const struct qemu *qemu = hw;
    *display = qemu->display;
    return display->width != 0;
}

static uint64_t qemu_bar_at(void *hw, uint32_t bar) {
    const struct qemu *qemu = hw;
    return qemu->pci.bar[bar].at;
}

/* ---- Interrupts ---- */

/* With the lock held: says once that the machine is lost. */
static bool is_lost(struct qemu *qemu) {
    if (qemu->qtest.lost && !qemu->told) {
        qemu->told = true;
        qemu->host->failed(qemu->host->ctx, qemu->qtest.why);
    }
    return qemu->qtest.lost;
}

static void settle(struct qemu *qemu) {
    for (uint32_t i = 0; i < VIDMM_HW_BARS; i++)
        if (qemu->blocks[i].copy)
            blocks_settle(&qemu->blocks[i]);
}

/* A message that has come, taken; or the line's. PCI_MESSAGES_MOST: none. */
static uint32_t take_interrupt(struct qemu *qemu) {
    const struct vidmm_hw_host *host = qemu->host;
    for (uint32_t i = 0; i < qemu->pci.messages; i++) {
        _Atomic uint32_t *word =
            host->memory(host->ctx, PCI_MESSAGES_AT + i * PCI_MESSAGE_BYTES, sizeof(*word));
        if (word && atomic_exchange(word, 0) != 0)
            return i;
    }
    return pci_line_raised(&qemu->pci) ? 0 : PCI_MESSAGES_MOST;
}

/* One turn of QEMU's main loop, and what came of it. */
static uint32_t take_turn(struct qemu *qemu) {
    if (qemu->turns + TURNS_AT_ONCE < TURNS)
        (void)nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    qemu->turns--;
    (void)qtest_ask(&qemu->qtest, "readb 0");
    return take_interrupt(qemu);
}

static bool qemu_step(void *hw, uint32_t engine) {
    struct qemu *qemu = hw;
    (void)engine;
    pthread_mutex_lock(&qemu->lock);
    uint32_t message = PCI_MESSAGES_MOST;
    if (!is_lost(qemu)) {
        settle(qemu);
        message = take_interrupt(qemu);
        while (message == PCI_MESSAGES_MOST && qemu->turns != 0 && !qemu->qtest.lost)
            message = take_turn(qemu);
    }
    pthread_mutex_unlock(&qemu->lock);
    if (message != PCI_MESSAGES_MOST)
        qemu->host->interrupt(qemu->host->ctx, message);
    return message != PCI_MESSAGES_MOST;
}

/* ---- Accesses ---------------------------------------------------------------------------------- */

static bool begin_access(struct qemu *qemu, uint32_t bar, uint64_t offset, uint64_t *at) {
    *at = qemu->pci.bar[bar].at + offset;
    if (is_lost(qemu))
        return false;
    settle(qemu);
    return true;
}

static uint64_t qemu_read(void *hw, uint32_t bar, uint64_t offset, uint32_t width) {
    struct qemu *qemu = hw;
    uint64_t at, value = UINT64_MAX;
    pthread_mutex_lock(&qemu->lock);
    if (begin_access(qemu, bar, offset, &at))
        value = qtest_number(qemu->pci.bar[bar].ports
                                 ? qtest_ask(&qemu->qtest, "in%c 0x%llx", qtest_letter(width),
                                             (unsigned long long)at)
                                 : qtest_ask(&qemu->qtest, "read%c 0x%llx", qtest_letter(width),
                                             (unsigned long long)at));
    pthread_mutex_unlock(&qemu->lock);
    return value;
}

static void qemu_write(void *hw, uint32_t bar, uint64_t offset, uint32_t width, uint64_t value) {
    struct qemu *qemu = hw;
    uint64_t at;
    pthread_mutex_lock(&qemu->lock);
    if (begin_access(qemu, bar, offset, &at)) {
        (void)qtest_ask(&qemu->qtest, "%s%c 0x%llx 0x%llx",
                        qemu->pci.bar[bar].ports ? "out" : "write", qtest_letter(width),
                        (unsigned long long)at, (unsigned long long)value);
        qemu->turns = TURNS;
    }
    pthread_mutex_unlock(&qemu->lock);
}

static uint32_t qemu_config_read(void *hw, uint32_t offset, uint32_t width) {
    struct qemu *qemu = hw;
    uint32_t value = UINT32_MAX;
    pthread_mutex_lock(&qemu->lock);
    if (!is_lost(qemu))
        value = pci_config_read(&qemu->pci, offset, width);
    pthread_mutex_unlock(&qemu->lock);
    return value;
}

static void qemu_config_write(void *hw, uint32_t offset, uint32_t width, uint32_t value) {
    struct qemu *qemu = hw;
    pthread_mutex_lock(&qemu->lock);
    if (!is_lost(qemu)) {
        pci_config_write(&qemu->pci, offset, width, value);
        qemu->turns = TURNS;
    }
    pthread_mutex_unlock(&qemu->lock);
}

static bool qemu_touch(void *hw, uint32_t bar, uint64_t offset, bool write) {
    struct qemu *qemu = hw;
    pthread_mutex_lock(&qemu->lock);
    bool opened = qemu->blocks[bar].copy && blocks_open(&qemu->blocks[bar], offset, write);
    (void)is_lost(qemu);
    pthread_mutex_unlock(&qemu->lock);
    return opened;
}

/* ---- The device -------------------------------------------------------------------------------- */

static void qemu_device_close(struct vidmm_device *device) {
    struct qemu_device *qemu = (struct qemu_device *)device;
    free(qemu->options);
    free(qemu);
}

struct vidmm_device *qemu_device_open(const char *options, char *text, size_t size) {
    if (strlen(options) > SPEC_MOST) {
        snprintf(text, size, "the name and properties of a device of QEMU have at most %d letters",
                 SPEC_MOST);
        return NULL;
    }
    struct qemu_device *device = calloc(1, sizeof(*device));
    char *copy = strdup(options);
    if (!device || !copy) {
        free(device);
        free(copy);
        snprintf(text, size, "out of memory");
        return NULL;
    }
    device->options = copy;
    device->device = (struct vidmm_device){.model = {.name = "QEMU",
                                                     .create = qemu_create,
                                                     .destroy = qemu_destroy,
                                                     .configure = qemu_configure,
                                                     .bar_at = qemu_bar_at,
                                                     .display = qemu_display,
                                                     .reg_read = qemu_read,
                                                     .reg_write = qemu_write,
                                                     .engines = 1,
                                                     .step = qemu_step,
                                                     .touch = qemu_touch,
                                                     .config_read = qemu_config_read,
                                                     .config_write = qemu_config_write,
                                                     .reaches_from = PCI_REACHED_FROM,
                                                     .reaches_to = REACHED_TO,
                                                     .machine_reach = true},
                                           .close = qemu_device_close};
    return &device->device;
}
