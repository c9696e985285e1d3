/*
 * counting_os.h - the part of struct vidmm_os that hands out memory, for tests: counts what is out,
 * checks sizes on the way back, and fails the n-th allocation on request.
 */
#ifndef VIDMM_TESTS_COUNTING_OS_H
#define VIDMM_TESTS_COUNTING_OS_H

#include <stdint.h>
#include <stdlib.h>

#include <vidmm/os.h>

struct counting_os {
    size_t blocks, bytes; /* handed out */
    uint64_t calls;       /* of alloc */
    uint64_t fail_at;     /* this call of alloc fails, and all later ones; 0: none */
    uint64_t memory_bytes, memory_highest;
};

static inline void *counting_alloc(void *ctx, size_t size) {
    struct counting_os *os = ctx;
    os->calls++;
    if (os->fail_at != 0 && os->calls >= os->fail_at)
        return NULL;
    void *block = calloc(1, size);
    if (block) {
        os->blocks++;
        os->bytes += size;
    }
    return block;
}

static inline void counting_free(void *ctx, void *block, size_t size) {
    struct counting_os *os = ctx;
    os->blocks--;
    os->bytes -= size;
    free(block);
}

static inline uint64_t counting_memory_bytes(void *ctx) {
    return ((struct counting_os *)ctx)->memory_bytes;
}

static inline uint64_t counting_memory_highest(void *ctx) {
    return ((struct counting_os *)ctx)->memory_highest;
}

static inline struct vidmm_os counting_os_view(struct counting_os *os) {
    return (struct vidmm_os){.ctx = os,
                             .alloc = counting_alloc,
                             .free = counting_free,
                             .memory_bytes = counting_memory_bytes,
                             .memory_highest = counting_memory_highest};
}

#endif
