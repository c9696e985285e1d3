/*
 * hardware.c - the hardware that driver.c drives, as a model for vidmm (vidmm/hwmodel.h): VRAM
 * behind a BAR, an aperture with a page table in system memory, and one engine that works off a
 * ring (ring.h).
 *
 *     vidmm run --driver ring.so --hardware ring-hardware.so --vram 25% minetest
 *
 * A step executes one entry of the ring. The commands can only move bytes; an invalid one ends the
 * submission with EVENT_FAULTED.
 */
#include <vidmm/hwmodel.h>

#include <pthread.h>
#include <string.h>

#include "ring.h"

/* Time that an entry takes: 1 us, and a nanosecond for 16 bytes moved. */
#define ENTRY_NS      1000u
#define BYTES_PER_NS  16u
#define DEFAULT_VRAM  (UINT64_C(256) << 20)
#define GREATEST_VRAM (UINT64_C(1) << 36)

struct gpu {
    struct vidmm_hw_host host;
    pthread_mutex_t lock;        /* of the registers; not held while an entry is executed */
    pthread_mutex_t run;         /* held while one is */
    unsigned char *block, *vram; /* VRAM starts at the first page boundary of its block */
    uint64_t block_bytes, vram_bytes;
    uint64_t ring, table;
    uint32_t head, tail, events, enabled;
};

/* ---- Memory as the GPU sees it --------------------------------------------------------------- */

static void *bus(const struct gpu *gpu, uint64_t address, uint64_t bytes) {
    return gpu->host.memory(gpu->host.ctx, address, bytes);
}

/* The memory behind an address, and no more than `*bytes` that follow it there; NULL: none. */
static unsigned char *reach(const struct gpu *gpu, uint64_t address, uint64_t *bytes) {
    uint64_t offset = address - VRAM_BASE, entry;
    if (address >= VRAM_BASE && offset < gpu->vram_bytes) {
        *bytes = *bytes < gpu->vram_bytes - offset ? *bytes : gpu->vram_bytes - offset;
        return gpu->vram + offset;
    }
    uint64_t left = RING_PAGE - address % RING_PAGE;
    *bytes = *bytes < left ? *bytes : left;
    if (address < VRAM_BASE)
        return bus(gpu, address, *bytes);
    offset = address - APERTURE_BASE;
    if (address < APERTURE_BASE || offset >= APERTURE_BYTES)
        return NULL;
    const void *at = bus(gpu, gpu->table + offset / RING_PAGE * sizeof(entry), sizeof(entry));
    if (!at)
        return NULL;
    memcpy(&entry, at, sizeof(entry));
    if (!(entry & ENTRY_VALID))
        return NULL;
    return bus(gpu, entry - ENTRY_VALID + offset % RING_PAGE, *bytes);
}

static bool copy(const struct gpu *gpu, const struct command *command) {
    for (uint64_t done = 0, step; done < command->bytes; done += step) {
        uint64_t from_run = command->bytes - done, to_run = command->bytes - done;
        const unsigned char *from = reach(gpu, command->source + done, &from_run);
        unsigned char *to = reach(gpu, command->destination + done, &to_run);
        if (!from || !to)
            return false;
        step = from_run < to_run ? from_run : to_run;
        memmove(to, from, step);
    }
    return true;
}

static bool fill(const struct gpu *gpu, const struct command *command) {
    uint64_t pattern = command->source;
    if (command->bytes % sizeof(pattern) != 0 || command->destination % sizeof(pattern) != 0)
        return false;
    for (uint64_t done = 0, run; done < command->bytes; done += run) {
        run = command->bytes - done;
        unsigned char *to = reach(gpu, command->destination + done, &run);
        if (!to)
            return false;
        for (uint64_t i = 0; i < run; i += sizeof(pattern), pattern += command->step)
            memcpy(to + i, &pattern, sizeof(pattern));
    }
    return true;
}

/* ---- The engine ------------------------------------------------------------------------------ */

/* All commands of a submission, which is not too long to be contiguous in system memory. */
static bool execute(const struct gpu *gpu, const struct ring_entry *entry, uint64_t *moved) {
    struct command command;
    const unsigned char *at = entry->bytes != 0 ? bus(gpu, entry->address, entry->bytes) : NULL;
    if (entry->bytes % sizeof(command) != 0 || (entry->bytes != 0 && !at))
        return false;
    for (uint32_t done = 0; done < entry->bytes; done += sizeof(command)) {
        memcpy(&command, at + done, sizeof(command));
        bool known = command.opcode == OPCODE_COPY || command.opcode == OPCODE_FILL;
        if (!known || !(command.opcode == OPCODE_COPY ? copy : fill)(gpu, &command))
            return false;
        *moved += command.bytes;
    }
    return true;
}

/* Writes the fence where the driver looks for it; returns the event. */
static uint32_t finish(struct ring *ring, const struct ring_entry *entry, bool good) {
    if (entry->kind == ENTRY_PREEMPT) {
        ring->preempted = entry->fence;
        return EVENT_PREEMPTED;
    }
    if (!good) {
        ring->faulted = entry->fence;
        return EVENT_FAULTED;
    }
    ring->completed = entry->fence;
    return EVENT_COMPLETED;
}

/* The ring and its next entry, or false when there is none. */
static bool next(struct gpu *gpu, struct ring **ring, struct ring_entry *entry) {
    pthread_mutex_lock(&gpu->lock);
    *ring = gpu->head != gpu->tail ? bus(gpu, gpu->ring, sizeof(**ring)) : NULL;
    if (*ring) {
        *entry = (*ring)->entry[gpu->head];
        gpu->head = (gpu->head + 1) % RING_ENTRIES;
    }
    pthread_mutex_unlock(&gpu->lock);
    return *ring;
}

static void announce(struct gpu *gpu, uint32_t event) {
    pthread_mutex_lock(&gpu->lock);
    gpu->events |= event;
    bool interrupt = gpu->enabled && gpu->events != 0;
    pthread_mutex_unlock(&gpu->lock);
    if (interrupt)
        gpu->host.interrupt(gpu->host.ctx, 0);
}

static bool step(void *hw, uint32_t engine) {
    struct gpu *gpu = hw;
    struct ring_entry entry;
    struct ring *ring;
    uint64_t moved = 0;
    uint32_t event = 0;
    (void)engine;
    pthread_mutex_lock(&gpu->run);
    bool worked = next(gpu, &ring, &entry);
    if (worked) {
        bool good = entry.kind != ENTRY_EXECUTE || execute(gpu, &entry, &moved);
        gpu->host.advance(gpu->host.ctx, ENTRY_NS + moved / BYTES_PER_NS);
        event = finish(ring, &entry, good);
    }
    pthread_mutex_unlock(&gpu->run);
    if (worked)
        announce(gpu, event);
    return worked;
}

/* ---- Registers ------------------------------------------------------------------------------- */

static uint64_t read_locked(const struct gpu *gpu, uint64_t offset) {
    switch (offset) {
    case REG_ID:
        return ID_VALUE;
    case REG_INT_ENABLE:
        return gpu->enabled;
    case REG_EVENTS:
        return gpu->events;
    case REG_TAIL:
        return gpu->tail;
    case REG_HEAD:
        return gpu->head;
    case REG_RING:
        return gpu->ring;
    case REG_TABLE:
        return gpu->table;
    case REG_VRAM:
        return gpu->vram_bytes;
    default:
        return 0;
    }
}

static uint64_t reg_read(void *hw, uint32_t bar, uint64_t offset, uint32_t width) {
    struct gpu *gpu = hw;
    if (bar != 0 || width < 4)
        return UINT64_MAX;
    pthread_mutex_lock(&gpu->lock);
    uint64_t value = read_locked(gpu, offset);
    pthread_mutex_unlock(&gpu->lock);
    return width == 4 ? (uint32_t)value : value;
}

/* Waits for the entry that is being executed: after a reset nothing moves. */
static void reset(struct gpu *gpu) {
    pthread_mutex_lock(&gpu->run);
    pthread_mutex_lock(&gpu->lock);
    gpu->head = gpu->tail = gpu->events = 0;
    pthread_mutex_unlock(&gpu->lock);
    pthread_mutex_unlock(&gpu->run);
}

static void reg_write(void *hw, uint32_t bar, uint64_t offset, uint32_t width, uint64_t value) {
    struct gpu *gpu = hw;
    if (bar != 0 || width < 4)
        return;
    if (offset == REG_RESET) {
        reset(gpu);
        return;
    }
    pthread_mutex_lock(&gpu->lock);
    if (offset == REG_INT_ENABLE)
        gpu->enabled = value & 1u;
    else if (offset == REG_EVENTS)
        gpu->events &= ~(uint32_t)value;
    else if (offset == REG_TAIL)
        gpu->tail = (uint32_t)value % RING_ENTRIES;
    else if (offset == REG_RING)
        gpu->ring = value;
    else if (offset == REG_TABLE)
        gpu->table = value;
    pthread_mutex_unlock(&gpu->lock);
    if (offset == REG_INT_ENABLE)
        announce(gpu, 0);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void destroy(void *hw) {
    struct gpu *gpu = hw;
    struct vidmm_hw_host host = gpu->host;
    pthread_mutex_destroy(&gpu->run);
    pthread_mutex_destroy(&gpu->lock);
    if (gpu->block)
        host.free(host.ctx, gpu->block, gpu->block_bytes);
    host.free(host.ctx, gpu, sizeof(*gpu));
}

/* The host's blocks need not start at a page, and a BAR must. */
static bool make_vram(struct gpu *gpu) {
    uint64_t bytes = gpu->host.setting(gpu->host.ctx, "VramBytes", DEFAULT_VRAM);
    if (bytes == 0 || bytes % RING_PAGE != 0 || bytes > GREATEST_VRAM)
        return false;
    gpu->vram_bytes = bytes;
    gpu->block_bytes = bytes + RING_PAGE;
    gpu->block = gpu->host.alloc(gpu->host.ctx, gpu->block_bytes);
    if (!gpu->block)
        return false;
    gpu->vram = gpu->block + (RING_PAGE - (uintptr_t)gpu->block % RING_PAGE) % RING_PAGE;
    return true;
}

static void *create(const struct vidmm_hw_host *host, struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    struct gpu *gpu = host->alloc(host->ctx, sizeof(*gpu));
    if (!gpu)
        return NULL;
    gpu->host = *host;
    pthread_mutex_init(&gpu->lock, NULL);
    pthread_mutex_init(&gpu->run, NULL);
    if (!make_vram(gpu)) {
        destroy(gpu);
        return NULL;
    }
    for (uint32_t i = 0; i < VIDMM_HW_BARS; i++)
        bars[i] = (struct vidmm_hw_bar){VIDMM_HW_BAR_NONE, 0, NULL};
    bars[0] = (struct vidmm_hw_bar){VIDMM_HW_BAR_REGISTERS, RING_REGISTER_BYTES, NULL};
    bars[1] = (struct vidmm_hw_bar){VIDMM_HW_BAR_MEMORY, gpu->vram_bytes, gpu->vram};
    return gpu;
}

static const void *peek(void *hw, uint64_t gpu_address, size_t size) {
    uint64_t bytes = size;
    const unsigned char *at = reach(hw, gpu_address, &bytes);
    return bytes < size ? NULL : at;
}

const struct vidmm_hw_model vidmm_hardware = {
    .name = "ring",
    .create = create,
    .destroy = destroy,
    .reg_read = reg_read,
    .reg_write = reg_write,
    .engines = 1,
    .step = step,
    .peek = peek,
};
