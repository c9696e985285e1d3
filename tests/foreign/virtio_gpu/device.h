/* SPDX-License-Identifier: MIT */
/*
 * device.h - the parts of the virtio GPU model (vidmm/hwmodel.h): pci.c is the transport, with the
 * configuration space and its registers; queue.c takes chains of buffers off the rings; gpu.c
 * executes commands. All by the OASIS document "Virtual I/O Device (VIRTIO) Version 1.2": PCI
 * transport, split virtqueues, GPU device.
 */
#ifndef VIRTIO_GPU_DEVICE_H
#define VIRTIO_GPU_DEVICE_H

#include <vidmm/hwmodel.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define QUEUES       2u
#define NO_VECTOR    0xffffu
#define RESOURCES    4096u /* ids from 1 on */
#define CONTEXTS     1024u
#define CAPSETS      2u
#define MOST_REQUEST (1u << 20)

struct queue {
    uint16_t size, most; /* entries: now, and what the device offers */
    uint16_t vector, taken;
    bool enabled;
    uint64_t descriptors, available, used; /* bus addresses */
};

/* What a driver gave a resource to live in; its own bytes are the device's. */
struct backing {
    uint64_t address;
    uint32_t length, padding;
};

struct resource {
    bool exists;
    uint32_t width, height;
    uint8_t *bytes; /* 4 a pixel, row by row */
    struct backing *backing;
    uint32_t entries;
};

struct device {
    struct vidmm_hw_host host;
    pthread_mutex_t lock;
    uint32_t features_of, driver_features_of; /* which half of 64 bits */
    uint64_t driver_features;
    uint16_t config_vector, selected;
    uint8_t status, interrupt;
    struct queue queue[QUEUES];
    struct resource resource[RESOURCES];
    bool context[CONTEXTS];
};

/* A request with everything after its header, and room for the answer. */
struct request {
    uint8_t *in;
    uint32_t in_bytes;
    uint8_t out[1152];
    uint32_t out_bytes; /* in: room that the driver gave; out: written */
};

/* queue.c: takes one chain and answers it; false when none waits. Under the lock. */
bool queue_serve(struct device *device, uint32_t index);
/* How many chains wait. */
uint32_t queue_waiting(const struct device *device, uint32_t index);

/* gpu.c: executes a request of the control queue. */
void gpu_execute(struct device *device, struct request *request);
/* Forgets every resource and context. */
void gpu_reset(struct device *device);

#endif
