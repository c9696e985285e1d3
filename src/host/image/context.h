/*
 * context.h - the records of an exception as a driver image's handlers see them: EXCEPTION_RECORD,
 * CONTEXT and DISPATCHER_CONTEXT of x64.
 *
 * Pages: ns-winnt-exception_record.md, ns-winnt-context.md, exception-handling-x64.md. Their layouts
 * are those of the pages; the names here are ours, since no driver includes this header.
 */
#ifndef HOST_CONTEXT_H
#define HOST_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include <ntddk.h>

enum {
    REGISTER_RAX,
    REGISTER_RCX,
    REGISTER_RDX,
    REGISTER_RBX,
    REGISTER_RSP,
    REGISTER_RBP,
    REGISTER_RSI,
    REGISTER_RDI,
    REGISTER_R8,
    REGISTER_R12 = 12,
    REGISTER_R15 = 15,
};

/* CONTEXT */
struct host_context {
    uint64_t home[6];
    uint32_t flags, mxcsr;
    uint16_t cs, ds, es, fs, gs, ss;
    uint32_t eflags;
    uint64_t debug[6];
    uint64_t registers[16]; /* as instructions count them */
    uint64_t rip;
    uint64_t x87[20]; /* FXSAVE's, up to the vector registers */
    uint64_t xmm[16][2];
    uint64_t more[70];
} __attribute__((aligned(16)));

_Static_assert(offsetof(struct host_context, registers) == 0x78 &&
                   offsetof(struct host_context, rip) == 0xf8 &&
                   offsetof(struct host_context, xmm) == 0x1a0 &&
                   sizeof(struct host_context) == 0x4d0,
               "CONTEXT of x64");

#define EXCEPTION_PARAMETERS 15

enum {
    EXCEPTION_CANNOT_CONTINUE = 0x1,
    EXCEPTION_UNWINDS = 0x2,
    EXCEPTION_UNWINDS_ALL = 0x4,
    EXCEPTION_UNWINDS_TARGET = 0x20,
};

/* EXCEPTION_RECORD */
struct host_exception {
    NTSTATUS code;
    uint32_t flags;
    struct host_exception *nested;
    const void *address;
    uint32_t parameter_count, unused;
    uint64_t parameters[EXCEPTION_PARAMETERS];
};

_Static_assert(sizeof(struct host_exception) == 0x98, "EXCEPTION_RECORD of x64");

/* EXCEPTION_POINTERS */
struct host_exception_pointers {
    struct host_exception *record;
    struct host_context *context;
};

/* RUNTIME_FUNCTION: offsets in the image. */
struct image_function {
    uint32_t begin, end, unwind;
};

/* DISPATCHER_CONTEXT */
struct host_dispatcher {
    uint64_t control;
    uint64_t image_base;
    const struct image_function *function;
    uint64_t frame, target;
    struct host_context *context;
    const void *handler;
    const void *handler_data;
    void *history;
    uint32_t scope, unused;
};

#endif
