/*
 * hash.h - what bytes were, in one word: kept where the referee only wants to know later whether
 * they are still the same.
 *
 * By words, since whole DMA buffers go through it; each step is a bijection, so that no change of
 * one word gets lost.
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

/* Four chains side by side: one would wait for its multiplications. */
static inline uint64_t hash_blocks(uint64_t hash, const uint8_t *bytes, size_t blocks) {
    uint64_t lane[4] = {hash, hash, hash, hash}, word[4];
    for (; blocks != 0; blocks--, bytes += sizeof(word)) {
        memcpy(word, bytes, sizeof(word));
        for (uint32_t i = 0; i < 4; i++)
            lane[i] = hash_word(lane[i], word[i]);
    }
    for (uint32_t i = 0; i < 4; i++)
        hash = hash_word(hash, lane[i]);
    return hash;
}

/* Goes on from `hash`, which is HASH_START at first. */
static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size) {
    const uint8_t *bytes = data;
    size_t whole = size / 32 * 32;
    if (whole != 0)
        hash = hash_blocks(hash, bytes, whole / 32);
    for (size_t at = whole, part; at < size; at += part) {
        uint64_t word = 0;
        part = size - at < sizeof(word) ? size - at : sizeof(word);
        memcpy(&word, bytes + at, part);
        hash = hash_word(hash, word);
    }
    return hash;
}

#endif
