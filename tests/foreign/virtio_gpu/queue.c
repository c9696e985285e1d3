/* SPDX-License-Identifier: MIT */
/*
 * queue.c - split virtqueues: a chain of descriptors becomes a request, its answer goes into the
 * buffers that the device may write; see device.h. Whatever a driver puts into a ring, no more can
 * come of it than a request that fails.
 */
#include "device.h"

#include <string.h>

#define CHAIN_NEXT  1u
#define CHAIN_WRITE 2u

struct descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags, next;
};

struct used {
    uint32_t id, length;
};

static void *bus(const struct device *device, uint64_t address, size_t bytes) {
    return device->host.memory(device->host.ctx, address, bytes);
}

/* The driver's index into the available ring; the device's own, when there is no ring. */
static uint16_t offered(const struct device *device, const struct queue *queue) {
    const uint16_t *at = queue->enabled ? bus(device, queue->available + 2, 2) : NULL;
    return at ? __atomic_load_n(at, __ATOMIC_ACQUIRE) : queue->taken;
}

uint32_t queue_waiting(const struct device *device, uint32_t index) {
    const struct queue *queue = &device->queue[index];
    uint16_t waiting = (uint16_t)(offered(device, queue) - queue->taken);
    return waiting <= queue->size ? waiting : 0;
}

static bool descriptor_at(const struct device *device, const struct queue *queue, uint16_t index,
                          struct descriptor *out) {
    const void *at =
        index < queue->size ? bus(device, queue->descriptors + 16u * index, sizeof(*out)) : NULL;
    if (at)
        memcpy(out, at, sizeof(*out));
    return at;
}

/* Appends what the device reads; false: too much, or not memory. */
static bool append(const struct device *device, struct request *request,
                   const struct descriptor *from) {
    if (from->length == 0)
        return true;
    const void *bytes = bus(device, from->address, from->length);
    if (!bytes || from->length > MOST_REQUEST - request->in_bytes)
        return false;
    memcpy(request->in + request->in_bytes, bytes, from->length);
    request->in_bytes += from->length;
    return true;
}

/* Reads the whole chain; the room for the answer is what may be written. */
static bool read_chain(const struct device *device, const struct queue *queue, uint16_t head,
                       struct request *request) {
    struct descriptor descriptor;
    uint16_t at = head;
    uint64_t room = 0;
    for (uint32_t i = 0; i < queue->size; i++) {
        if (!descriptor_at(device, queue, at, &descriptor))
            return false;
        if (descriptor.flags & CHAIN_WRITE)
            room += descriptor.length;
        else if (!append(device, request, &descriptor))
            return false;
        if (!(descriptor.flags & CHAIN_NEXT))
            break;
        at = descriptor.next;
    }
    request->out_bytes = (uint32_t)(room < sizeof(request->out) ? room : sizeof(request->out));
    return true;
}

/* Spreads the answer over the buffers that may be written; returns the bytes written. */
static uint32_t write_answer(const struct device *device, const struct queue *queue, uint16_t head,
                             const struct request *request) {
    struct descriptor descriptor;
    uint16_t at = head;
    uint32_t done = 0;
    for (uint32_t i = 0; i < queue->size && descriptor_at(device, queue, at, &descriptor); i++) {
        uint32_t left = request->out_bytes - done;
        uint32_t bytes = left < descriptor.length ? left : descriptor.length;
        void *to = bytes != 0 && (descriptor.flags & CHAIN_WRITE)
                       ? bus(device, descriptor.address, bytes)
                       : NULL;
        if (to) {
            memcpy(to, request->out + done, bytes);
            done += bytes;
        }
        if (!(descriptor.flags & CHAIN_NEXT))
            break;
        at = descriptor.next;
    }
    return done;
}

static void put_used(const struct device *device, const struct queue *queue, uint16_t head,
                     uint32_t length) {
    uint16_t *index = bus(device, queue->used + 2, 2);
    if (!index)
        return;
    struct used *at = bus(device, queue->used + 4 + (uint64_t)(*index % queue->size) * 8, 8);
    if (!at)
        return;
    *at = (struct used){.id = head, .length = length};
    __atomic_store_n(index, (uint16_t)(*index + 1), __ATOMIC_RELEASE);
}

bool queue_serve(struct device *device, uint32_t index) {
    static uint8_t bytes[MOST_REQUEST]; /* under the lock */
    struct queue *queue = &device->queue[index];
    struct request request = {.in = bytes};
    if (queue_waiting(device, index) == 0)
        return false;
    const uint16_t *entry = bus(
        device, queue->available + 4 + (uint64_t)(queue->taken % queue->size) * 2, sizeof(*entry));
    if (!entry)
        return false;
    uint16_t head = *entry;
    queue->taken++;
    if (!read_chain(device, queue, head, &request))
        request.in_bytes = 0;
    if (index == 0)
        gpu_execute(device, &request);
    else
        request.out_bytes = 0; /* nothing shows the cursor */
    put_used(device, queue, head, write_answer(device, queue, head, &request));
    return true;
}
