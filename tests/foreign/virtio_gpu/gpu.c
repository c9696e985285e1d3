/* SPDX-License-Identifier: MIT */
/*
 * gpu.c - the commands of the control queue: resources with a backing in system memory, contexts,
 * transfers between a resource and its backing, and of a context's own language the copy from one
 * resource to another. See device.h.
 *
 * A resource is two-dimensional with 4 bytes a pixel, whatever its format says.
 */
#include "device.h"

#include <stdlib.h>
#include <string.h>

#define HEADER      24u
#define FENCE       1u
#define MOST_SIDE   16384u
#define COPY_REGION 17u /* VIRGL_CCMD_RESOURCE_COPY_REGION */
#define COPY_LENGTH 13u
#define EDID_BYTES  1024u

enum command {
    GET_DISPLAY_INFO = 0x100,
    RESOURCE_CREATE_2D,
    RESOURCE_UNREF,
    SET_SCANOUT,
    RESOURCE_FLUSH,
    TRANSFER_TO_HOST_2D,
    ATTACH_BACKING,
    DETACH_BACKING,
    GET_CAPSET_INFO,
    GET_CAPSET,
    GET_EDID,
    CTX_CREATE = 0x200,
    CTX_DESTROY,
    CTX_ATTACH_RESOURCE,
    CTX_DETACH_RESOURCE,
    RESOURCE_CREATE_3D,
    TRANSFER_TO_HOST_3D,
    TRANSFER_FROM_HOST_3D,
    SUBMIT_3D
};

enum answer {
    OK_NODATA = 0x1100,
    OK_DISPLAY_INFO,
    OK_CAPSET_INFO,
    OK_CAPSET,
    OK_EDID,
    ERROR_UNSPECIFIED = 0x1200,
    ERROR_MEMORY,
    ERROR_SCANOUT,
    ERROR_RESOURCE,
    ERROR_CONTEXT,
    ERROR_PARAMETER
};

struct header {
    uint32_t type, flags;
    uint64_t fence;
    uint32_t context, padding;
};

struct box {
    uint32_t x, y, z, width, height, depth;
};

/* The word at a byte offset behind the header; 0 beyond the request. */
static uint32_t word(const struct request *request, uint32_t offset) {
    uint32_t value = 0;
    if (HEADER + offset + sizeof(value) <= request->in_bytes)
        memcpy(&value, request->in + HEADER + offset, sizeof(value));
    return value;
}

static void set_word(struct request *request, uint32_t offset, uint32_t value) {
    memcpy(request->out + HEADER + offset, &value, sizeof(value));
}

/* ---- Resources ------------------------------------------------------------------------------- */

static struct resource *find(struct device *device, uint32_t id) {
    return id < RESOURCES && device->resource[id].exists ? &device->resource[id] : NULL;
}

static void forget(struct resource *resource) {
    free(resource->bytes);
    free(resource->backing);
    *resource = (struct resource){0};
}

void gpu_reset(struct device *device) {
    for (uint32_t i = 0; i < RESOURCES; i++)
        forget(&device->resource[i]);
    memset(device->context, 0, sizeof(device->context));
}

static enum answer create(struct device *device, uint32_t id, uint32_t width, uint32_t height) {
    if (id == 0 || id >= RESOURCES || device->resource[id].exists)
        return ERROR_RESOURCE;
    if (width == 0 || height == 0 || width > MOST_SIDE || height > MOST_SIDE)
        return ERROR_PARAMETER;
    struct resource *resource = &device->resource[id];
    resource->bytes = calloc((size_t)width * height, 4);
    if (!resource->bytes)
        return ERROR_MEMORY;
    resource->exists = true;
    resource->width = width;
    resource->height = height;
    return OK_NODATA;
}

/* All of the pages have to be there: the device keeps their addresses. */
static enum answer attach(struct device *device, const struct request *request) {
    struct resource *resource = find(device, word(request, 0));
    uint32_t entries = word(request, 4);
    if (!resource)
        return ERROR_RESOURCE;
    if (resource->backing ||
        (uint64_t)entries * sizeof(struct backing) > request->in_bytes - HEADER - 8)
        return ERROR_UNSPECIFIED;
    const uint8_t *from = request->in + HEADER + 8;
    struct backing entry;
    for (uint32_t i = 0; i < entries; i++) {
        memcpy(&entry, from + i * sizeof(entry), sizeof(entry));
        if (!device->host.memory(device->host.ctx, entry.address, entry.length))
            return ERROR_PARAMETER;
    }
    resource->backing = malloc((size_t)entries * sizeof(entry) + 1);
    if (!resource->backing)
        return ERROR_MEMORY;
    memcpy(resource->backing, from, (size_t)entries * sizeof(entry));
    resource->entries = entries;
    return OK_NODATA;
}

static enum answer detach(struct device *device, uint32_t id) {
    struct resource *resource = find(device, id);
    if (!resource)
        return ERROR_RESOURCE;
    free(resource->backing);
    resource->backing = NULL;
    resource->entries = 0;
    return OK_NODATA;
}

/* ---- Transfers ------------------------------------------------------------------------------- */

/* Between `bytes` of the device and a place in the backing; what is past its end is left out. */
static bool move_run(const struct device *device, const struct resource *resource, uint64_t offset,
                     uint8_t *bytes, uint64_t size, bool to_host) {
    for (uint32_t i = 0; i < resource->entries && size != 0; i++) {
        const struct backing *entry = &resource->backing[i];
        if (offset >= entry->length) {
            offset -= entry->length;
            continue;
        }
        uint64_t run = entry->length - offset < size ? entry->length - offset : size;
        void *memory = device->host.memory(device->host.ctx, entry->address + offset, run);
        if (!memory)
            return false;
        memcpy(to_host ? bytes : memory, to_host ? memory : bytes, run);
        bytes += run;
        size -= run;
        offset = 0;
    }
    return true;
}

static bool inside(const struct resource *resource, const struct box *box) {
    return box->x <= resource->width && box->width <= resource->width - box->x &&
           box->y <= resource->height && box->height <= resource->height - box->y;
}

/* The rows of a box, which lie in the backing from `offset` on, `stride` bytes apart. */
static enum answer transfer(struct device *device, uint32_t id, const struct box *box,
                            uint64_t offset, uint64_t stride, bool to_host) {
    struct resource *resource = find(device, id);
    if (!resource)
        return ERROR_RESOURCE;
    if (!inside(resource, box) || !resource->backing)
        return ERROR_PARAMETER;
    if (stride == 0)
        stride = (uint64_t)resource->width * 4;
    for (uint32_t row = 0; row < box->height; row++) {
        uint64_t pixel = (uint64_t)(box->y + row) * resource->width + box->x;
        if (!move_run(device, resource, offset + row * stride, resource->bytes + pixel * 4,
                      (uint64_t)box->width * 4, to_host))
            return ERROR_PARAMETER;
    }
    return OK_NODATA;
}

static enum answer transfer_3d(struct device *device, const struct request *request, bool to_host) {
    struct box box = {word(request, 0),  word(request, 4),  word(request, 8),
                      word(request, 12), word(request, 16), word(request, 20)};
    uint64_t offset = word(request, 24) | (uint64_t)word(request, 28) << 32;
    return transfer(device, word(request, 32), &box, offset, word(request, 40), to_host);
}

static enum answer transfer_2d(struct device *device, const struct request *request) {
    struct box box = {word(request, 0), word(request, 4),  0,
                      word(request, 8), word(request, 12), 1};
    return transfer(device, word(request, 24), &box, word(request, 16), 0, true);
}

/* ---- The language of a context --------------------------------------------------------------- */

static enum answer copy_region(struct device *device, const uint32_t *operand) {
    struct resource *to = find(device, operand[0]), *from = find(device, operand[5]);
    struct box target = {operand[2], operand[3], 0, operand[10], operand[11], 1};
    struct box source = {operand[7], operand[8], 0, operand[10], operand[11], 1};
    if (!to || !from)
        return ERROR_RESOURCE;
    if (!inside(to, &target) || !inside(from, &source))
        return ERROR_PARAMETER;
    for (uint32_t row = 0; row < target.height; row++)
        memmove(to->bytes + ((size_t)(target.y + row) * to->width + target.x) * 4,
                from->bytes + ((size_t)(source.y + row) * from->width + source.x) * 4,
                (size_t)target.width * 4);
    return OK_NODATA;
}

/* Other commands than copies draw, and nothing here looks at what they draw. */
static enum answer submit(struct device *device, const struct request *request) {
    uint32_t bytes = word(request, 0), operand[COPY_LENGTH];
    if (bytes > request->in_bytes - HEADER - 8 || bytes % 4 != 0)
        return ERROR_PARAMETER;
    for (uint32_t at = 8; at < 8 + bytes;) {
        uint32_t head = word(request, at), length = head >> 16;
        if (length * 4 > 8 + bytes - at - 4)
            return ERROR_PARAMETER;
        if ((head & 0xff) == COPY_REGION && length >= COPY_LENGTH) {
            for (uint32_t i = 0; i < COPY_LENGTH; i++)
                operand[i] = word(request, at + 4 + 4 * i);
            enum answer answer = copy_region(device, operand);
            if (answer != OK_NODATA)
                return answer;
        }
        at += 4 + length * 4;
    }
    return OK_NODATA;
}

/* ---- Questions ------------------------------------------------------------------------------- */

/* Scanout 0 shows 1024 x 768. */
static enum answer display_info(struct request *request, uint32_t *bytes) {
    *bytes = HEADER + 16 * 24;
    set_word(request, 8, 1024);
    set_word(request, 12, 768);
    set_word(request, 16, 1);
    return OK_DISPLAY_INFO;
}

static enum answer capset_info(struct request *request, uint32_t *bytes) {
    uint32_t index = word(request, 0);
    if (index >= CAPSETS)
        return ERROR_PARAMETER;
    *bytes = HEADER + 16;
    set_word(request, 0, index + 1); /* VIRTIO_GPU_CAPSET_VIRGL, _VIRGL2 */
    set_word(request, 4, 1);
    set_word(request, 8, 512);
    return OK_CAPSET_INFO;
}

static enum answer capset(const struct request *request, uint32_t *bytes) {
    if (word(request, 0) == 0 || word(request, 0) > CAPSETS)
        return ERROR_PARAMETER;
    *bytes = HEADER + 512;
    return OK_CAPSET;
}

/* An EDID 1.3 block of a monitor that says no more than that it is one. */
static enum answer edid(struct request *request, uint32_t *bytes) {
    static const uint8_t start[] = {0, 255, 255, 255, 255, 255, 255, 0, 0x59, 0xad};
    uint8_t *block = request->out + HEADER + 8, sum = 0;
    if (word(request, 0) != 0)
        return ERROR_SCANOUT;
    *bytes = HEADER + 8 + EDID_BYTES;
    set_word(request, 0, 128);
    memcpy(block, start, sizeof(start));
    block[18] = 1;
    block[19] = 3;
    block[35] = 0x21;          /* established timings: 640x480, 800x600 */
    block[36] = 0x08;          /* 1024x768 */
    memset(block + 38, 1, 16); /* no standard timing */
    for (uint32_t i = 0; i < 127; i++)
        sum = (uint8_t)(sum + block[i]);
    block[127] = (uint8_t)-sum;
    return OK_EDID;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static enum answer set_context(struct device *device, uint32_t id, bool exists) {
    if (id == 0 || id >= CONTEXTS || device->context[id] == exists)
        return ERROR_CONTEXT;
    device->context[id] = exists;
    return OK_NODATA;
}

static enum answer unref(struct device *device, uint32_t id) {
    struct resource *resource = find(device, id);
    if (!resource)
        return ERROR_RESOURCE;
    forget(resource);
    return OK_NODATA;
}

static enum answer in_context(struct device *device, const struct header *header,
                              const struct request *request) {
    if (header->context >= CONTEXTS || !device->context[header->context])
        return ERROR_CONTEXT;
    switch (header->type) {
    case CTX_ATTACH_RESOURCE:
    case CTX_DETACH_RESOURCE:
        return find(device, word(request, 0)) ? OK_NODATA : ERROR_RESOURCE;
    case TRANSFER_TO_HOST_3D:
        return transfer_3d(device, request, true);
    case TRANSFER_FROM_HOST_3D:
        return transfer_3d(device, request, false);
    default:
        return submit(device, request);
    }
}

static enum answer execute(struct device *device, const struct header *header,
                           struct request *request, uint32_t *bytes) {
    uint32_t first = word(request, 0);
    switch (header->type) {
    case GET_DISPLAY_INFO:
        return display_info(request, bytes);
    case GET_CAPSET_INFO:
        return capset_info(request, bytes);
    case GET_CAPSET:
        return capset(request, bytes);
    case GET_EDID:
        return edid(request, bytes);
    case RESOURCE_CREATE_2D:
        return create(device, first, word(request, 8), word(request, 12));
    case RESOURCE_CREATE_3D:
        return create(device, first, word(request, 16), word(request, 20));
    case RESOURCE_UNREF:
        return unref(device, first);
    case ATTACH_BACKING:
        return attach(device, request);
    case DETACH_BACKING:
        return detach(device, first);
    case TRANSFER_TO_HOST_2D:
        return transfer_2d(device, request);
    case RESOURCE_FLUSH:
        return find(device, word(request, 16)) ? OK_NODATA : ERROR_RESOURCE;
    case SET_SCANOUT:
        return word(request, 20) == 0 || find(device, word(request, 20)) ? OK_NODATA
                                                                         : ERROR_RESOURCE;
    case CTX_CREATE:
        return set_context(device, header->context, true);
    case CTX_DESTROY:
        return set_context(device, header->context, false);
    case CTX_ATTACH_RESOURCE:
    case CTX_DETACH_RESOURCE:
    case TRANSFER_TO_HOST_3D:
    case TRANSFER_FROM_HOST_3D:
    case SUBMIT_3D:
        return in_context(device, header, request);
    default:
        return ERROR_UNSPECIFIED;
    }
}

void gpu_execute(struct device *device, struct request *request) {
    struct header header = {0}, answer;
    uint32_t bytes = HEADER, room = request->out_bytes;
    memset(request->out, 0, sizeof(request->out));
    if (request->in_bytes >= HEADER)
        memcpy(&header, request->in, HEADER);
    answer = (struct header){.type = ERROR_UNSPECIFIED, .flags = header.flags & FENCE};
    if (request->in_bytes >= HEADER + 8 || header.type == GET_DISPLAY_INFO ||
        header.type == CTX_DESTROY)
        answer.type = execute(device, &header, request, &bytes);
    answer.fence = answer.flags & FENCE ? header.fence : 0;
    answer.context = header.context;
    memcpy(request->out, &answer, HEADER);
    request->out_bytes = bytes < room ? bytes : room;
}
