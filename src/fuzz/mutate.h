/*
 * mutate.h - libFuzzer's custom mutator over sequences of calls.
 */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's own mutation of bytes, for data of a call; NULL: they are left as they are. */
void fuzz_mutate_with(size_t (*change)(uint8_t *data, size_t size, size_t most));

/* Numbers that this driver's code compares with are put into data. */
void fuzz_mutate_for(const char *driver);

/* libFuzzer's names. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second,
                                 size_t second_size, uint8_t *out, size_t most, unsigned seed);

#endif
