/*
 * hash.h - what bytes were, in one word: kept where the referee only wants to know later whether
 * they are still the same.
 *
 * By words, since whole DMA buffers go through it; no change of one word gets lost.
 */
#ifndef REFEREE_HASH_H
#define REFEREE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ hash >> 29;
}

#define HASH_LANES 8u
#define HASH_BLOCK (HASH_LANES * sizeof(uint64_t))

/* Two sums for each of the lanes, of the words and of those sums: additions, so that the compiler takes
 * several lanes at once. A change of one word changes the first sum, words that changed places or that
 * were changed by opposite amounts change the second. */
static inline uint64_t hash_blocks(uint64_t hash, const uint8_t *bytes, size_t blocks) {
    uint64_t sum[HASH_LANES] = {0}, sums[HASH_LANES] = {0}, word[HASH_LANES];
    for (; blocks != 0; blocks--, bytes += sizeof(word)) {
        memcpy(word, bytes, sizeof(word));
        for (uint32_t i = 0; i < HASH_LANES; i++) {
            sum[i] += word[i];
            sums[i] += sum[i];
        }
    }
    for (uint32_t i = 0; i < HASH_LANES; i++)
        hash = hash_word(hash_word(hash, sum[i]), sums[i]);
    return hash;
}

/* Goes on from `hash`, which is HASH_START at first. */
static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size) {
    const uint8_t *bytes = data;
    size_t whole = size / HASH_BLOCK * HASH_BLOCK;
    if (whole != 0)
        hash = hash_blocks(hash, bytes, whole / HASH_BLOCK);
    for (size_t at = whole, part; at < size; at += part) {
        uint64_t word = 0;
        part = size - at < sizeof(word) ? size - at : sizeof(word);
        memcpy(&word, bytes + at, part);
        hash = hash_word(hash, word);
    }
    return hash;
}

#endif
