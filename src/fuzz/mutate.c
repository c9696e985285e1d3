/*
 * mutate.c - how libFuzzer changes an input: calls are inserted, removed, moved, repeated and taken
 * from another input, and their heads and data change. libFuzzer finds these functions by their names
 * in the program.
 */
#include "mutate.h"

#include <stdbool.h>
#include <string.h>

#include "constants.h"
#include "input.h"

#define NUMBERS 256u /* of the driver's code */

static struct {
    uint32_t count, bytes;
    uint32_t number[NUMBERS];
    uint8_t byte[UINT8_MAX + 1];
} known;

void fuzz_mutate_for(const char *driver) {
    known.count = fuzz_constants_list(driver, known.number, NUMBERS);
    known.bytes = fuzz_constants_bytes(driver, known.byte);
}

static size_t (*change_bytes)(uint8_t *data, size_t size, size_t most);

void fuzz_mutate_with(size_t (*change)(uint8_t *data, size_t size, size_t most)) {
    change_bytes = change;
}

static uint32_t draw(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* ---- One call -------------------------------------------------------------------------------- */

#define DATA_MOST 512u
#define BUFFERS   32u
static uint8_t changed[BUFFERS][DATA_MOST]; /* data of calls that were changed */
static uint32_t used;                       /* of them */

static uint8_t *mutate_room(void) {
    return changed[used++ % BUFFERS];
}

/* What the driver compares with. */
static uint32_t mutate_known(uint32_t *seed) {
    uint32_t at = draw(seed) % (known.count + known.bytes + 1);
    if (at < known.count)
        return known.number[at];
    return at < known.count + known.bytes ? known.byte[at - known.count] : 0;
}

/* Small numbers, as of commands and kinds, and those at which sizes and indices go wrong. */
static uint32_t mutate_number(uint32_t *seed) {
    static const uint32_t odd[] = {0xffffffffu, 0x7fffffffu, 0x80000000u, 0xfffffff0u,
                                   0x10000u,    0x1000u,     0x100u,      64u};
    uint32_t kind = draw(seed) % 4;
    if (kind == 0)
        return odd[draw(seed) % (sizeof(odd) / sizeof(odd[0]))];
    return kind == 1 ? 0 : draw(seed) % 16;
}

/* What stands in a field: a number of the driver's, one of anybody's, or a length of about this data. */
static uint32_t mutate_field(uint32_t *seed, uint32_t size) {
    uint32_t kind = draw(seed) % 4;
    if (kind < 2)
        return mutate_known(seed);
    return kind == 2 ? mutate_number(seed) : size + 4 - draw(seed) % 16;
}

/* A number where fields of structures lie, the first one above all: commands and tags are there. */
static void mutate_put(struct fuzz_call *call, uint32_t *seed, uint8_t *data) {
    uint32_t size = call->size < DATA_MOST ? call->size : DATA_MOST, width = 4;
    uint32_t number = mutate_field(seed, size);
    if (number <= UINT8_MAX)
        width = 1u << draw(seed) % 3;
    if (size < width)
        return;
    uint32_t at = draw(seed) % 2 != 0 ? 0 : draw(seed) % (size / width) * width;
    memcpy(data, call->data, size);
    memcpy(data + at, &number, width);
    call->size = (uint16_t)size;
    call->data = data;
}

/* Sizes that structures have, more often than others. */
static void mutate_fill(struct fuzz_call *call, uint32_t *seed, uint8_t *data) {
    static const uint16_t sizes[] = {0, 4, 8, 12, 16, 24, 32, 40, 48, 64, 128, 256};
    call->size = sizes[draw(seed) % (sizeof(sizes) / sizeof(sizes[0]))];
    bool zeros = draw(seed) % 4 == 0;
    for (uint32_t i = 0; i + 4 <= call->size; i += 4) {
        uint32_t number = zeros ? 0 : mutate_number(seed);
        memcpy(data + i, &number, sizeof(number));
    }
    call->data = data;
}

static struct fuzz_call mutate_new(uint32_t *seed, uint8_t *data) {
    struct fuzz_call call = {.op = (uint8_t)(draw(seed) % FUZZ_OP_COUNT)};
    if (draw(seed) % 2 != 0) /* what reaches a driver most */
        call.op = (uint8_t)(draw(seed) % (FUZZ_OP_WRITE + 1));
    call.a = (uint8_t)(draw(seed) % 3 != 0 ? 0 : draw(seed) % 8);
    call.b = (uint8_t)(draw(seed) % 3 != 0 ? 0 : draw(seed) % 8);
    call.flags = (uint8_t)(draw(seed) % 2 != 0 ? 0 : draw(seed));
    call.value = (uint16_t)(draw(seed) % 2 != 0 ? 0x0101 : draw(seed));
    if (call.op == FUZZ_OP_STARVE)
        call.value = (uint16_t)(draw(seed) % 24);
    mutate_fill(&call, seed, data);
    return call;
}

static void mutate_head(struct fuzz_call *call, uint32_t *seed) {
    switch (draw(seed) % 5) {
    case 0:
        call->a = (uint8_t)(draw(seed) % 8);
        break;
    case 1:
        call->b = (uint8_t)(draw(seed) % 8);
        break;
    case 2:
        call->flags ^= (uint8_t)(1u << draw(seed) % 8);
        break;
    case 3:
        call->value ^= (uint16_t)(1u << draw(seed) % 16);
        break;
    default:
        call->value = (uint16_t)draw(seed);
        break;
    }
}

static void mutate_data(struct fuzz_call *call, uint8_t *data) {
    size_t size = call->size < DATA_MOST ? call->size : DATA_MOST;
    if (size != 0)
        memcpy(data, call->data, size);
    call->size = (uint16_t)(change_bytes ? change_bytes(data, size, DATA_MOST) : size);
    call->data = data;
}

/* ---- The sequence ---------------------------------------------------------------------------- */

/* The start of a driver costs more than calls do. */
static void mutate_insert(struct fuzz_input *input, uint32_t *seed) {
    uint32_t count = input->count == 0 ? 8 + draw(seed) % 16 : 1 + draw(seed) % 4;
    for (uint32_t i = 0; i < count; i++) {
        const struct fuzz_call call = mutate_new(seed, mutate_room());
        (void)fuzz_input_insert(input, draw(seed) % (input->count + 1), &call);
    }
}

static void mutate_once(struct fuzz_input *input, uint32_t *seed) {
    uint32_t kind = draw(seed) % 16;
    uint32_t at = input->count != 0 ? draw(seed) % input->count : 0;
    struct fuzz_call call = input->count != 0 ? input->call[at] : (struct fuzz_call){0};
    if (input->count == 0 || kind < 3) {
        mutate_insert(input, seed);
    } else if (kind == 3) {
        fuzz_input_remove(input, at, 1 + draw(seed) % 2);
    } else if (kind == 4) {
        (void)fuzz_input_insert(input, draw(seed) % (input->count + 1), &call);
    } else if (kind == 5) {
        fuzz_input_remove(input, at, 1);
        (void)fuzz_input_insert(input, draw(seed) % (input->count + 1), &call);
    } else if (kind < 8) {
        mutate_head(&input->call[at], seed);
    } else if (kind == 8) {
        mutate_fill(&input->call[at], seed, mutate_room());
    } else if (kind < 12) {
        mutate_put(&input->call[at], seed, mutate_room());
    } else {
        mutate_data(&input->call[at], mutate_room());
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    uint8_t bytes[FUZZ_MOST];
    struct fuzz_input input;
    uint32_t state = seed * 2654435761u | 1u;
    fuzz_input_read(&input, data, size);
    used = 0;
    mutate_once(&input, &state);
    if (draw(&state) % 3 == 0)
        mutate_once(&input, &state);
    size_t written = fuzz_input_write(&input, bytes, most < FUZZ_MOST ? most : FUZZ_MOST);
    memcpy(data, bytes, written);
    return written;
}

/* Calls of the second one, put in one run into the first one. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second,
                                 size_t second_size, uint8_t *out, size_t most, unsigned seed) {
    struct fuzz_input input, other;
    uint32_t state = seed * 2654435761u | 1u;
    fuzz_input_read(&input, first, first_size);
    fuzz_input_read(&other, second, second_size);
    uint32_t from = other.count != 0 ? draw(&state) % other.count : 0;
    uint32_t count = other.count != 0 ? 1 + draw(&state) % (other.count - from) : 0;
    uint32_t at = draw(&state) % (input.count + 1);
    for (uint32_t i = 0; i < count; i++)
        (void)fuzz_input_insert(&input, at + i < input.count ? at + i : input.count,
                                &other.call[from + i]);
    return fuzz_input_write(&input, out, most < FUZZ_MOST ? most : FUZZ_MOST);
}
