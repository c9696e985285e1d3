/*
 * input.h - an input of the fuzzer: a sequence of calls of user mode. Any bytes are one.
 *
 * A call is a head of eight bytes and `size` bytes of data after it; of the last call there may be
 * fewer. Files: input.c reads and writes, mutate.c changes, play*.c plays, words.c says.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FUZZ_CALLS 32u   /* of an input, at most */
#define FUZZ_MOST  4096u /* bytes of an input */
#define FUZZ_HEAD  8u

/* X(ENUMERATOR, words): what user mode does. */
#define FUZZ_OPS(X)                                                                                \
    X(ALLOCATE, "create an allocation")                                                            \
    X(STANDARD, "create a standard surface")                                                       \
    X(SUBMIT, "submit")                                                                            \
    X(ESCAPE, "escape")                                                                            \
    X(CONTEXT, "create a context")                                                                 \
    X(QUERY, "ask for private information (UMDRIVERPRIVATE)")                                      \
    X(WRITE, "lock, write and unlock an allocation")                                               \
    X(FREE, "destroy an allocation")                                                               \
    X(END_CONTEXT, "destroy a context")                                                            \
    X(DEVICE, "create a device")                                                                   \
    X(END_DEVICE, "destroy a device")                                                              \
    X(OPEN, "open an allocation in a device")                                                      \
    X(LOCK, "lock an allocation")                                                                  \
    X(UNLOCK, "unlock an allocation")                                                              \
    X(RESIDENT, "make allocations resident")                                                       \
    X(EVICT, "evict allocations")                                                                  \
    X(OFFER, "offer allocations")                                                                  \
    X(RECLAIM, "reclaim allocations")                                                              \
    X(MAP, "map a GPU virtual address")                                                            \
    X(UNMAP, "free a GPU virtual address")                                                         \
    X(RESERVE, "reserve GPU virtual addresses")                                                    \
    X(UPDATE, "update GPU virtual addresses")                                                      \
    X(PRIORITY, "set the priority of an allocation")                                               \
    X(PROPERTY, "change properties of an allocation")                                              \
    X(PRESSURE, "all memory is evicted")                                                           \
    X(RESET, "the GPU is reset (TDR)")                                                             \
    X(WAIT, "wait for the GPU")                                                                    \
    X(STARVE, "memory is refused once")                                                            \
    X(PRESENT, "present")

#define FUZZ_ENUM(name, words) FUZZ_OP_##name,
enum fuzz_op { FUZZ_OPS(FUZZ_ENUM) FUZZ_OP_COUNT };
#undef FUZZ_ENUM

struct fuzz_call {
    uint8_t op;    /* modulo FUZZ_OP_COUNT */
    uint8_t a, b;  /* objects, by their slots */
    uint8_t flags; /* of the call */
    uint16_t value;
    uint16_t size; /* of data */
    const uint8_t *data;
};

struct fuzz_input {
    uint32_t count;
    struct fuzz_call call[FUZZ_CALLS];
};

/* The data stay where they are in `bytes`. */
void fuzz_input_read(struct fuzz_input *input, const uint8_t *bytes, size_t size);
/* Bytes written; calls for which there is no room are left out. */
size_t fuzz_input_write(const struct fuzz_input *input, uint8_t *bytes, size_t room);
void fuzz_input_remove(struct fuzz_input *input, uint32_t first, uint32_t count);
/* false: there is no room for another call. */
bool fuzz_input_insert(struct fuzz_input *input, uint32_t at, const struct fuzz_call *call);
/* words.c: one line a call. */
void fuzz_input_say(const struct fuzz_input *input, FILE *out);

#endif
