/*
 * seeds.c - see seeds.h.
 */
#include "seeds.h"

#include <stdlib.h>
#include <string.h>

#include "constants.h"
#include "files.h"

#define WORDS  32u /* of data */
#define GROUPS 24u /* of every driver */
#define CALLS                                                                                      \
    10u /* of a seed: the start of a driver takes as long, and a change concerns one call */
#define NUMBERS 256u /* of the driver's code */

struct seeds {
    const char *directory;
    uint32_t written;
    bool good;
    struct fuzz_input input;
    uint8_t data[CALLS][WORDS * 4];
};

/* What was gathered becomes an input. */
static void seeds_flush(struct seeds *seeds) {
    char path[4096];
    struct fuzz_bytes bytes;
    if (seeds->input.count == 0)
        return;
    bytes.size = fuzz_input_write(&seeds->input, bytes.byte, sizeof(bytes.byte));
    snprintf(path, sizeof(path), "%s/seed-%u", seeds->directory, seeds->written++);
    seeds->good = seeds->good && fuzz_file_write(path, &bytes);
    seeds->input.count = 0;
}

static void seeds_call(struct seeds *seeds, const struct fuzz_call *call, uint32_t first,
                       uint32_t others) {
    uint8_t *data = seeds->data[seeds->input.count];
    struct fuzz_call *kept = &seeds->input.call[seeds->input.count++];
    for (uint32_t i = 0; i < WORDS; i++)
        memcpy(data + (size_t)i * 4, i == 0 ? &first : &others, 4);
    *kept = *call;
    kept->data = data;
    if (seeds->input.count == CALLS)
        seeds_flush(seeds);
}

/* Private data and commands of each size, of zeros, small and large numbers. */
static void seed_sizes(struct seeds *seeds, uint8_t op, uint32_t number) {
    static const uint16_t sizes[] = {0, 1, 4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128};
    const struct fuzz_call surface = {.op = FUZZ_OP_STANDARD};
    bool makes = op == FUZZ_OP_ALLOCATE || op == FUZZ_OP_CONTEXT;
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const struct fuzz_call call = {.op = op, .a = makes, .value = 0x0101, .size = sizes[i]};
        const struct fuzz_call end = {
            .op = op == FUZZ_OP_ALLOCATE ? FUZZ_OP_FREE : FUZZ_OP_END_CONTEXT, .a = 1};
        if (seeds->input.count == 0)
            seeds_call(seeds, &surface, 0, 0);
        seeds_call(seeds, &call, i % 8u, number);
        if (makes)
            seeds_call(seeds, &end, 0, 0);
    }
    seeds_flush(seeds);
}

/* One allocation of memory after the other is refused while an object is made. */
static void seed_refusals(struct seeds *seeds, uint8_t op) {
    for (uint32_t i = 0; i < FUZZ_CALLS; i++) {
        const struct fuzz_call starve = {.op = FUZZ_OP_STARVE, .value = (uint16_t)i};
        const struct fuzz_call call = {
            .op = op, .a = (uint8_t)(1 + i % 3), .value = 0x0101, .size = 8};
        seeds_call(seeds, &starve, 0, 0);
        seeds_call(seeds, &call, 0, 0);
    }
    seeds_flush(seeds);
}

static void seed_group(struct seeds *seeds, uint32_t index) {
    static const uint8_t sized[] = {FUZZ_OP_ALLOCATE, FUZZ_OP_ESCAPE, FUZZ_OP_SUBMIT,
                                    FUZZ_OP_CONTEXT, FUZZ_OP_PRESENT};
    static const uint8_t made[] = {FUZZ_OP_STANDARD, FUZZ_OP_CONTEXT, FUZZ_OP_DEVICE,
                                   FUZZ_OP_SUBMIT};
    static const uint32_t numbers[] = {0, 1, 0x10000, 0xffffffffu};
    if (index < 20)
        seed_sizes(seeds, sized[index % 5], numbers[index / 5]);
    else
        seed_refusals(seeds, made[index % 4]);
}

/* One number is the first word of an escape, of commands and of private data. */
static void seed_number(struct seeds *seeds, uint32_t number, uint16_t size) {
    const struct fuzz_call calls[] = {{.op = FUZZ_OP_ESCAPE, .size = size},
                                      {.op = FUZZ_OP_SUBMIT, .size = size},
                                      {.op = FUZZ_OP_ALLOCATE, .size = size},
                                      {.op = FUZZ_OP_PRESENT, .value = 1, .size = size},
                                      {.op = FUZZ_OP_FREE}};
    for (uint32_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        seeds_call(seeds, &calls[i], number, 0xffffffffu);
}

/* Numbers that the driver compares with, and bytes in data as short as those that have tags of a byte. */
static void seed_numbers(struct seeds *seeds, const char *driver) {
    uint8_t byte[UINT8_MAX + 1];
    uint32_t number[NUMBERS], count = fuzz_constants_list(driver, number, NUMBERS);
    uint32_t bytes = fuzz_constants_bytes(driver, byte);
    for (uint32_t i = 0; i < count; i++)
        seed_number(seeds, number[i], 16);
    for (uint32_t i = 0; i < bytes; i++)
        seed_number(seeds, byte[i], 8);
    seeds_flush(seeds);
}

bool fuzz_seeds_write(const char *directory, const char *driver) {
    struct seeds *seeds = calloc(1, sizeof(*seeds));
    if (!seeds)
        return false;
    seeds->directory = directory;
    seeds->good = true;
    for (uint32_t i = 0; i < GROUPS; i++)
        seed_group(seeds, i);
    seed_numbers(seeds, driver);
    bool good = seeds->good;
    free(seeds);
    return good;
}
