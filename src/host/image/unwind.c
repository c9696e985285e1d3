/* unwind.c - see unwind.h. */
#include "image/unwind.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    INFO_BYTES = 4, /* of UNWIND_INFO before its codes */
    FLAG_CHAINED = 4,
    CHAINS_MAX = 32,
};

enum unwind_code {
    CODE_PUSH = 0,
    CODE_ALLOC_LARGE = 1,
    CODE_ALLOC_SMALL = 2,
    CODE_SET_FRAME = 3,
    CODE_SAVE = 4,
    CODE_SAVE_FAR = 5,
    CODE_EPILOG = 6,
    CODE_SAVE_XMM = 8,
    CODE_SAVE_XMM_FAR = 9,
    CODE_MACHINE_FRAME = 10,
};

/* UNWIND_INFO, read. */
struct info {
    const uint8_t *codes; /* `count` of two bytes */
    uint32_t count, flags, prolog, frame_register, frame_offset;
    const uint8_t *tail; /* behind the codes: handler and data, or the function it continues */
    uint64_t tail_bytes; /* that are there: of a function, of a handler, or none */
};

bool unwind_peek(uint64_t address, uint64_t *value) {
    struct iovec to = {value, sizeof(*value)};
    struct iovec from = {(void *)(uintptr_t)address, sizeof(*value)};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof(*value);
}

const struct image_function *unwind_function(const struct host_image *image, uint32_t offset) {
    struct pe_directory directory = image->directories[PE_EXCEPTIONS];
    const struct image_function *functions = (const void *)(image->base + directory.address);
    uint32_t from = 0, to = directory.size / (uint32_t)sizeof(*functions);
    if (directory.address % 4 != 0 || !image_shows(image, directory.address, directory.size))
        return NULL;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (offset < functions[middle].begin)
            to = middle;
        else if (offset >= functions[middle].end)
            from = middle + 1;
        else
            return &functions[middle];
    }
    return NULL;
}

static bool read_info(const struct host_image *image, uint32_t offset, struct info *out) {
    if (offset % 4 != 0 || !image_shows(image, offset, INFO_BYTES))
        return false;
    const uint8_t *at = image->base + offset;
    unsigned version = at[0] & 7;
    *out = (struct info){.codes = at + INFO_BYTES,
                         .count = at[2],
                         .flags = at[0] >> 3,
                         .prolog = at[1],
                         .frame_register = at[3] & 15,
                         .frame_offset = (uint32_t)(at[3] >> 4) * 16};
    uint64_t codes = (uint64_t)((at[2] + 1u) & ~1u) * 2;
    if ((version != 1 && version != 2) || !image_shows(image, offset, INFO_BYTES + codes))
        return false;
    out->tail = out->codes + codes;
    uint64_t tail = offset + INFO_BYTES + codes;
    out->tail_bytes = image_shows(image, tail, sizeof(struct image_function))
                          ? sizeof(struct image_function)
                      : image_shows(image, tail, 4) ? 4
                                                    : 0;
    return true;
}

/* Slots of two bytes that a code takes; 0: no such code. */
static uint32_t slots_of(unsigned code, unsigned detail) {
    switch (code) {
    case CODE_PUSH:
    case CODE_ALLOC_SMALL:
    case CODE_SET_FRAME:
    case CODE_EPILOG:
    case CODE_MACHINE_FRAME:
        return 1;
    case CODE_ALLOC_LARGE:
        return detail == 0 ? 2 : 3;
    case CODE_SAVE:
    case CODE_SAVE_XMM:
        return 2;
    case CODE_SAVE_FAR:
    case CODE_SAVE_XMM_FAR:
        return 3;
    default:
        return 0;
    }
}

static bool pop(struct host_context *context, uint64_t *value) {
    uint64_t *rsp = &context->registers[REGISTER_RSP];
    if (!unwind_peek(*rsp, value))
        return false;
    *rsp += 8;
    return true;
}

/* An interrupt's frame: the caller goes on where it was interrupted. */
static bool machine_frame(struct host_context *context, unsigned error_code) {
    uint64_t at = context->registers[REGISTER_RSP] + (error_code ? 8 : 0);
    return unwind_peek(at, &context->rip) &&
           unwind_peek(at + 24, &context->registers[REGISTER_RSP]);
}

/* Undoes one code; its operand stands in its further slots. */
static bool unwind_undo(struct host_context *context, uint64_t frame, const uint8_t *slot) {
    unsigned code = slot[1] & 15, detail = slot[1] >> 4;
    uint64_t *rsp = &context->registers[REGISTER_RSP];
    uint32_t slots = slots_of(code, detail);
    uint64_t operand = slots == 3   ? pe_u32(slot + 2)
                       : slots == 2 ? (uint64_t)(slot[2] | slot[3] << 8)
                                    : 0;
    switch (code) {
    case CODE_PUSH:
        return pop(context, &context->registers[detail]);
    case CODE_ALLOC_LARGE:
        *rsp += slots == 3 ? operand : operand * 8;
        return true;
    case CODE_ALLOC_SMALL:
        *rsp += (uint64_t)detail * 8 + 8;
        return true;
    case CODE_SET_FRAME:
        *rsp = frame;
        return true;
    case CODE_SAVE:
        return unwind_peek(frame + operand * 8, &context->registers[detail]);
    case CODE_SAVE_FAR:
        return unwind_peek(frame + operand, &context->registers[detail]);
    case CODE_SAVE_XMM:
        operand *= 16;
        return unwind_peek(frame + operand, &context->xmm[detail][0]) &&
               unwind_peek(frame + operand + 8, &context->xmm[detail][1]);
    case CODE_SAVE_XMM_FAR:
        return unwind_peek(frame + operand, &context->xmm[detail][0]) &&
               unwind_peek(frame + operand + 8, &context->xmm[detail][1]);
    default:
        return true;
    }
}

/* The stack pointer of the function's body: what saves and the frame register go by. */
static uint64_t frame_of(const struct info *info, const struct host_context *context,
                         uint32_t into) {
    bool set = info->frame_register != 0 && into >= info->prolog;
    for (uint32_t i = 0; i < info->count && info->frame_register != 0 && !set;) {
        unsigned code = info->codes[i * 2 + 1] & 15, detail = info->codes[i * 2 + 1] >> 4;
        uint32_t slots = slots_of(code, detail);
        set = code == CODE_SET_FRAME && into >= info->codes[i * 2];
        i += slots ? slots : 1;
    }
    return set ? context->registers[info->frame_register] - info->frame_offset
               : context->registers[REGISTER_RSP];
}

/* `into`: how far into the function; codes of what the prolog has not done yet are left out.
 * `*jumped`: the caller's place is known already. */
static bool undo_all(const struct info *info, struct host_context *context, uint64_t frame,
                     uint32_t into, bool *jumped) {
    for (uint32_t i = 0; i < info->count;) {
        const uint8_t *slot = info->codes + (size_t)i * 2;
        unsigned code = slot[1] & 15, detail = slot[1] >> 4;
        uint32_t slots = slots_of(code, detail);
        if (slots == 0 || slots > info->count - i)
            return false;
        i += slots;
        if (code != CODE_EPILOG && into < slot[0])
            continue;
        if (code == CODE_MACHINE_FRAME) {
            *jumped = true;
            return machine_frame(context, detail);
        }
        if (!unwind_undo(context, frame, slot))
            return false;
    }
    return true;
}

/* The language's handler, if the function has one and is past its prolog. */
static bool take_handler(const struct host_image *image, const struct info *info, uint32_t into,
                         struct unwound *out) {
    if (!(info->flags & (UNWIND_HANDLES | UNWIND_TERMINATES)) || into < info->prolog)
        return true;
    if (info->tail_bytes < 4 || pe_u32(info->tail) >= image->size)
        return false;
    out->kinds = info->flags & (UNWIND_HANDLES | UNWIND_TERMINATES);
    out->handler = image->base + pe_u32(info->tail);
    out->handler_data = info->tail + 4;
    return true;
}

/* All of a function's parts: what a chained one continues was done whole. */
static bool undo_function(const struct host_image *image, struct host_context *context,
                          struct unwound *out, bool *jumped) {
    uint32_t unwind = out->function->unwind;
    uint32_t into = (uint32_t)(context->rip - (uintptr_t)image->base) - out->function->begin;
    for (uint32_t chain = 0; chain < CHAINS_MAX; chain++) {
        struct info info;
        if (!read_info(image, unwind, &info))
            return false;
        if (chain == 0)
            out->frame = frame_of(&info, context, into);
        if (!(info.flags & FLAG_CHAINED) && !take_handler(image, &info, into, out))
            return false;
        if (!undo_all(&info, context, out->frame, into, jumped) || *jumped)
            return *jumped;
        if (!(info.flags & FLAG_CHAINED))
            return true;
        if (info.tail_bytes < sizeof(struct image_function))
            return false;
        unwind = pe_u32(info.tail + 8);
        into = UINT32_MAX;
    }
    return false;
}

bool unwind_frame(const struct host_image *image, struct host_context *context,
                  struct unwound *out) {
    bool jumped = false;
    *out = (struct unwound){.frame = context->registers[REGISTER_RSP]};
    out->function = unwind_function(image, (uint32_t)(context->rip - (uintptr_t)image->base));
    if (out->function && !undo_function(image, context, out, &jumped))
        return false;
    return jumped || pop(context, &context->rip);
}
