/*
 * constants.h - the numbers that a driver's code compares with, from its file: a search without coverage
 * does not see comparisons.
 */
#ifndef FUZZ_CONSTANTS_H
#define FUZZ_CONSTANTS_H

#include <stdbool.h>
#include <stdint.h>

/* Writes them to `dictionary` in libFuzzer's form. false: there are none, or the file cannot be written. */
bool fuzz_constants_write(const char *driver, const char *dictionary);
/* The first `most` of them; how many there are. */
uint32_t fuzz_constants_list(const char *driver, uint32_t *number, uint32_t most);
/* Those of one byte, each once; how many there are. */
uint32_t fuzz_constants_bytes(const char *driver, uint8_t byte[UINT8_MAX + 1]);

#endif
