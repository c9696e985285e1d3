/*
 * input.c - see input.h.
 */
#include "input.h"

#include <string.h>

static uint16_t input_u16(const uint8_t *at) {
    return (uint16_t)(at[0] | at[1] << 8);
}

void fuzz_input_read(struct fuzz_input *input, const uint8_t *bytes, size_t size) {
    size_t at = 0;
    input->count = 0;
    while (size - at >= FUZZ_HEAD && input->count < FUZZ_CALLS) {
        const uint8_t *head = bytes + at;
        struct fuzz_call *call = &input->call[input->count++];
        size_t left = size - at - FUZZ_HEAD, wanted = input_u16(head + 6);
        *call = (struct fuzz_call){.op = head[0] % FUZZ_OP_COUNT,
                                   .a = head[1],
                                   .b = head[2],
                                   .flags = head[3],
                                   .value = input_u16(head + 4),
                                   .size = (uint16_t)(wanted < left ? wanted : left),
                                   .data = head + FUZZ_HEAD};
        at += FUZZ_HEAD + call->size;
    }
}

size_t fuzz_input_write(const struct fuzz_input *input, uint8_t *bytes, size_t room) {
    size_t at = 0;
    for (uint32_t i = 0; i < input->count; i++) {
        const struct fuzz_call *call = &input->call[i];
        if (room - at < FUZZ_HEAD + (size_t)call->size)
            continue;
        const uint8_t head[FUZZ_HEAD] = {call->op,
                                         call->a,
                                         call->b,
                                         call->flags,
                                         (uint8_t)call->value,
                                         (uint8_t)(call->value >> 8),
                                         (uint8_t)call->size,
                                         (uint8_t)(call->size >> 8)};
        memcpy(bytes + at, head, sizeof(head));
        if (call->size != 0)
            memcpy(bytes + at + FUZZ_HEAD, call->data, call->size);
        at += FUZZ_HEAD + call->size;
    }
    return at;
}

void fuzz_input_remove(struct fuzz_input *input, uint32_t first, uint32_t count) {
    if (first >= input->count)
        return;
    if (count > input->count - first)
        count = input->count - first;
    memmove(&input->call[first], &input->call[first + count],
            (input->count - first - count) * sizeof(input->call[0]));
    input->count -= count;
}

bool fuzz_input_insert(struct fuzz_input *input, uint32_t at, const struct fuzz_call *call) {
    if (input->count == FUZZ_CALLS)
        return false;
    memmove(&input->call[at + 1], &input->call[at], (input->count - at) * sizeof(input->call[0]));
    input->call[at] = *call;
    input->count++;
    return true;
}
