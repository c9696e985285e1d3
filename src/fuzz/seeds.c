/*
 * seeds.c - see seeds.h.
 */
#include "seeds.h"

#include <stdlib.h>
#include <string.h>

#include "constants.h"
#include "files.h"

#define WORDS   32u  /* of data */
#define SEEDS   24u  /* of every driver */
#define NUMBERS 256u /* of the driver's code */

struct seed {
    struct fuzz_input input;
    uint8_t data[FUZZ_CALLS][WORDS * 4];
};

static void seed_call(struct seed *seed, const struct fuzz_call *call, uint32_t first,
                      uint32_t others) {
    if (seed->input.count == FUZZ_CALLS)
        return;
    uint8_t *data = seed->data[seed->input.count];
    struct fuzz_call *kept = &seed->input.call[seed->input.count++];
    for (uint32_t i = 0; i < WORDS; i++)
        memcpy(data + (size_t)i * 4, i == 0 ? &first : &others, 4);
    *kept = *call;
    kept->data = data;
}

/* Private data and commands of each size, of zeros, small and large numbers. */
static void seed_sizes(struct seed *seed, uint8_t op, uint32_t number) {
    static const uint16_t sizes[] = {0, 1, 4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128};
    const struct fuzz_call surface = {.op = FUZZ_OP_STANDARD};
    seed_call(seed, &surface, 0, 0);
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const struct fuzz_call call = {.op = op,
                                       .a = op == FUZZ_OP_ALLOCATE || op == FUZZ_OP_CONTEXT ? 1 : 0,
                                       .value = 0x0101,
                                       .size = sizes[i]};
        const struct fuzz_call end = {
            .op = op == FUZZ_OP_ALLOCATE ? FUZZ_OP_FREE : FUZZ_OP_END_CONTEXT, .a = 1};
        seed_call(seed, &call, i % 8u, number);
        if (op == FUZZ_OP_ALLOCATE || op == FUZZ_OP_CONTEXT)
            seed_call(seed, &end, 0, 0);
    }
}

/* One allocation of memory after the other is refused while an object is made. */
static void seed_refusals(struct seed *seed, uint8_t op, uint32_t first) {
    for (uint32_t i = 0; i < FUZZ_CALLS / 2; i++) {
        const struct fuzz_call starve = {.op = FUZZ_OP_STARVE, .value = (uint16_t)(first + i)};
        const struct fuzz_call call = {
            .op = op, .a = (uint8_t)(1 + i % 3), .value = 0x0101, .size = 8};
        seed_call(seed, &starve, 0, 0);
        seed_call(seed, &call, 0, 0);
    }
}

static void seed_fill(struct seed *seed, uint32_t index) {
    static const uint8_t sized[] = {FUZZ_OP_ALLOCATE, FUZZ_OP_ESCAPE, FUZZ_OP_SUBMIT,
                                    FUZZ_OP_CONTEXT};
    static const uint8_t made[] = {FUZZ_OP_STANDARD, FUZZ_OP_CONTEXT, FUZZ_OP_DEVICE,
                                   FUZZ_OP_SUBMIT};
    static const uint32_t numbers[] = {0, 1, 0x10000, 0xffffffffu};
    if (index < 16)
        seed_sizes(seed, sized[index % 4], numbers[index / 4]);
    else
        seed_refusals(seed, made[index % 4], index < 20 ? 0 : FUZZ_CALLS / 2);
}

static bool seed_write(const struct seed *seed, const char *directory, uint32_t index) {
    char path[4096];
    struct fuzz_bytes bytes;
    bytes.size = fuzz_input_write(&seed->input, bytes.byte, sizeof(bytes.byte));
    snprintf(path, sizeof(path), "%s/seed-%u", directory, index);
    return fuzz_file_write(path, &bytes);
}

/* Numbers that the driver compares with begin commands, escapes and private data. */
static bool seed_numbers(struct seed *seed, const char *directory, const char *driver) {
    static const uint8_t ops[] = {FUZZ_OP_ESCAPE, FUZZ_OP_SUBMIT, FUZZ_OP_ALLOCATE};
    uint32_t number[NUMBERS], count = fuzz_constants_list(driver, number, NUMBERS);
    bool good = true;
    for (uint32_t i = 0; i < sizeof(ops) * count && good; i += FUZZ_CALLS) {
        memset(seed, 0, sizeof(*seed));
        for (uint32_t k = i; k < sizeof(ops) * count && k < i + FUZZ_CALLS; k++) {
            const struct fuzz_call call = {.op = ops[k / count], .a = 0, .size = 16};
            seed_call(seed, &call, number[k % count], 0xffffffffu);
        }
        good = seed_write(seed, directory, SEEDS + i / FUZZ_CALLS);
    }
    return good;
}

bool fuzz_seeds_write(const char *directory, const char *driver) {
    struct seed *seed = calloc(1, sizeof(*seed));
    bool good = seed;
    for (uint32_t i = 0; i < SEEDS && good; i++) {
        memset(seed, 0, sizeof(*seed));
        seed_fill(seed, i);
        good = seed_write(seed, directory, i);
    }
    good = good && seed_numbers(seed, directory, driver);
    free(seed);
    return good;
}
