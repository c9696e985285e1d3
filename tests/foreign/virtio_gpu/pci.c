/* SPDX-License-Identifier: MIT */
/*
 * pci.c - the PCI transport of the model: capabilities in the configuration space that point to
 * four regions of BAR 2, and the registers in these; see device.h.
 *
 *     vidmm check --hardware virtio-gpu-hardware.so virtio-gpu.so
 *
 * Settings: vga (1: the boot display, 0: another one).
 */
#include "device.h"

#include <string.h>

#define BAR          2u
#define REGION_BYTES 0x1000u
#define NOTIFY_STEP  4u
#define FIRST_CAP    0x40u

enum { REGION_COMMON, REGION_ISR, REGION_DEVICE, REGION_NOTIFY, REGIONS };

/* VIRTIO_GPU_F_VIRGL, VIRTIO_GPU_F_EDID, VIRTIO_F_VERSION_1 */
#define FEATURES (UINT64_C(1) | UINT64_C(1) << 1 | UINT64_C(1) << 32)

/* A driver that goes on without waiting finds the device working beside it: beyond so many chains
 * it serves the oldest before the driver's write returns. */
#define BESIDE 32u

/* ---- Configuration space --------------------------------------------------------------------- */

static void put(unsigned char *at, uint64_t value, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

/* A vendor capability; returns where the next one goes. */
static uint32_t put_capability(unsigned char *space, uint32_t at, uint32_t type, uint32_t region) {
    uint32_t bytes = type == 2 ? 20 : 16;
    put(space + at, 0x09, 1);
    put(space + at + 1, region + 1 < REGIONS ? at + bytes : 0, 1);
    put(space + at + 2, bytes, 1);
    put(space + at + 3, type, 1);
    put(space + at + 4, BAR, 1);
    put(space + at + 8, region * REGION_BYTES, 4);
    put(space + at + 12, region == REGION_DEVICE ? 16 : REGION_BYTES, 4);
    if (type == 2)
        put(space + at + 16, NOTIFY_STEP, 4);
    return at + bytes;
}

static void configure(void *hw, unsigned char *space) {
    struct device *device = hw;
    static const uint32_t type[REGIONS] = {1, 3, 4, 2}; /* common, ISR, device, notify */
    uint32_t at = FIRST_CAP;
    bool vga = device->host.setting(device->host.ctx, "vga", 1) != 0;
    put(space, 0x1af4, 2);
    put(space + 2, 0x1050, 2);
    put(space + 6, 0x0010, 2); /* has capabilities */
    put(space + 8, 0x01, 1);
    put(space + 9, vga ? 0x030000 : 0x038000, 3);
    put(space + 0x2c, 0x1af4, 2);
    put(space + 0x2e, 0x1100, 2);
    put(space + 0x34, FIRST_CAP, 1);
    for (uint32_t region = 0; region < REGIONS; region++)
        at = put_capability(space, at, type[region], region);
}

/* ---- Registers ------------------------------------------------------------------------------- */

static void reset(struct device *device) {
    device->status = device->interrupt = 0;
    device->driver_features = 0;
    device->config_vector = NO_VECTOR;
    device->selected = 0;
    for (uint32_t i = 0; i < QUEUES; i++) {
        uint16_t most = i == 0 ? 256 : 16;
        device->queue[i] = (struct queue){.size = most, .most = most, .vector = NO_VECTOR};
    }
    gpu_reset(device);
}

static uint64_t read_queue(const struct device *device, uint64_t offset) {
    const struct queue *queue = &device->queue[device->selected];
    if (device->selected >= QUEUES)
        return 0;
    switch (offset) {
    case 24:
        return queue->size;
    case 26:
        return queue->vector;
    case 28:
        return queue->enabled;
    case 30:
        return device->selected;
    case 32:
        return (uint32_t)queue->descriptors;
    case 36:
        return queue->descriptors >> 32;
    case 40:
        return (uint32_t)queue->available;
    case 44:
        return queue->available >> 32;
    case 48:
        return (uint32_t)queue->used;
    case 52:
        return queue->used >> 32;
    default:
        return 0;
    }
}

static uint64_t read_common(const struct device *device, uint64_t offset) {
    switch (offset) {
    case 0:
        return device->features_of;
    case 4:
        return device->features_of < 2 ? (uint32_t)(FEATURES >> (32 * device->features_of)) : 0;
    case 8:
        return device->driver_features_of;
    case 12:
        return device->driver_features_of < 2
                   ? (uint32_t)(device->driver_features >> (32 * device->driver_features_of))
                   : 0;
    case 16:
        return device->config_vector;
    case 18:
        return QUEUES;
    case 20:
        return device->status;
    case 22:
        return device->selected;
    default:
        return read_queue(device, offset);
    }
}

static void set_half(uint64_t *whole, uint32_t half, uint64_t value) {
    uint64_t mask = UINT64_C(0xffffffff) << (32 * half);
    *whole = (*whole & ~mask) | (value << (32 * half) & mask);
}

static void write_queue(struct device *device, uint64_t offset, uint64_t value) {
    struct queue *queue = &device->queue[device->selected];
    if (device->selected >= QUEUES)
        return;
    if (offset == 24 && value <= queue->most && (value & (value - 1)) == 0)
        queue->size = (uint16_t)value;
    else if (offset == 26)
        queue->vector = (uint16_t)value;
    else if (offset == 28)
        queue->enabled = value != 0;
    else if (offset >= 32 && offset < 56)
        set_half(offset < 40   ? &queue->descriptors
                 : offset < 48 ? &queue->available
                               : &queue->used,
                 offset % 8 != 0, value);
}

static void write_common(struct device *device, uint64_t offset, uint64_t value) {
    switch (offset) {
    case 0:
        device->features_of = (uint32_t)value;
        break;
    case 8:
        device->driver_features_of = (uint32_t)value;
        break;
    case 12:
        if (device->driver_features_of < 2)
            set_half(&device->driver_features, device->driver_features_of, value);
        break;
    case 16:
        device->config_vector = (uint16_t)value;
        break;
    case 20:
        if (value == 0)
            reset(device);
        else
            device->status = (uint8_t)value;
        break;
    case 22:
        device->selected = (uint16_t)value;
        break;
    default:
        write_queue(device, offset, value);
        break;
    }
}

/* events_read, events_clear, num_scanouts, num_capsets */
static uint64_t read_config(uint64_t offset) {
    return offset == 8 ? 1 : offset == 12 ? CAPSETS : 0;
}

static uint64_t reg_read(void *hw, uint32_t bar, uint64_t offset, uint32_t width) {
    struct device *device = hw;
    uint64_t value = 0;
    (void)bar;
    pthread_mutex_lock(&device->lock);
    switch (offset / REGION_BYTES) {
    case REGION_COMMON:
        value = read_common(device, offset);
        break;
    case REGION_DEVICE:
        value = read_config(offset % REGION_BYTES);
        break;
    case REGION_ISR:
        value = device->interrupt; /* reading it acknowledges */
        device->interrupt = 0;
        break;
    default:
        break;
    }
    pthread_mutex_unlock(&device->lock);
    return width < 8 ? value & ((UINT64_C(1) << (8 * width)) - 1) : value;
}

/* Serves a chain and says so; false when there was none. */
static bool serve(struct device *device, uint32_t index) {
    pthread_mutex_lock(&device->lock);
    bool served = queue_serve(device, index);
    uint32_t vector = device->queue[index].vector;
    if (served)
        device->interrupt |= 1;
    pthread_mutex_unlock(&device->lock);
    if (served && vector != NO_VECTOR)
        device->host.interrupt(device->host.ctx, vector);
    return served;
}

static void notify(struct device *device, uint32_t index) {
    pthread_mutex_lock(&device->lock);
    uint32_t waiting = index < QUEUES ? queue_waiting(device, index) : 0;
    pthread_mutex_unlock(&device->lock);
    for (; waiting > BESIDE && serve(device, index); waiting--)
        ;
}

static void reg_write(void *hw, uint32_t bar, uint64_t offset, uint32_t width, uint64_t value) {
    struct device *device = hw;
    (void)bar;
    (void)width;
    if (offset / REGION_BYTES == REGION_NOTIFY) {
        notify(device, (uint32_t)(offset % REGION_BYTES / NOTIFY_STEP));
        return;
    }
    pthread_mutex_lock(&device->lock);
    if (offset / REGION_BYTES == REGION_COMMON)
        write_common(device, offset, value);
    pthread_mutex_unlock(&device->lock);
}

static bool step(void *hw, uint32_t engine) {
    (void)engine;
    return serve(hw, 0) || serve(hw, 1);
}

/* ---- The model ------------------------------------------------------------------------------- */

static void *create(const struct vidmm_hw_host *host, struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    struct device *device = host->alloc(host->ctx, sizeof(*device));
    if (!device)
        return NULL;
    device->host = *host;
    pthread_mutex_init(&device->lock, NULL);
    reset(device);
    bars[BAR] = (struct vidmm_hw_bar){VIDMM_HW_BAR_REGISTERS, REGIONS * REGION_BYTES, NULL};
    return device;
}

static void destroy(void *hw) {
    struct device *device = hw;
    struct vidmm_hw_host host = device->host;
    gpu_reset(device);
    pthread_mutex_destroy(&device->lock);
    host.free(host.ctx, device, sizeof(*device));
}

extern const struct vidmm_hw_model vidmm_hardware;
const struct vidmm_hw_model vidmm_hardware = {
    .name = "virtio-gpu",
    .create = create,
    .destroy = destroy,
    .configure = configure,
    .reg_read = reg_read,
    .reg_write = reg_write,
    .engines = 1,
    .step = step,
};
