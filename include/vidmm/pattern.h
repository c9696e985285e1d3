/*
 * pattern.h - what every byte of a verified allocation must be.
 *
 * A page's content is a pure function of a 64-bit key, and the key of (allocation, page, version).
 * The player writes it, the software GPU's render engine writes and checks it (umd.h), and the byte
 * oracle compares with it. 512 words a page; word i is key + i * an odd constant, xored with a
 * shifted copy, so that a word in the wrong place or of the wrong page, version or allocation
 * differs. Version 0 means "never written": the page must be all zero (the FILL of a first
 * page-in).
 */
#ifndef VIDMM_PATTERN_H
#define VIDMM_PATTERN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VIDMM_PATTERN_PAGE  4096u
#define VIDMM_PATTERN_WORDS (VIDMM_PATTERN_PAGE / 8u)

/* Key of a page. `allocation` is the oracle's id, never 0. */
static inline uint64_t vidmm_pattern_key(uint64_t allocation, uint64_t page, uint32_t version) {
    uint64_t x = allocation * 0x9e3779b97f4a7c15u ^ (page + 1) * 0xbf58476d1ce4e5b9u ^
                 (uint64_t)version * 0x94d049bb133111ebu;
    x ^= x >> 31;
    x *= 0xd6e8feb86659fd93u;
    return version == 0 ? 0 : x ^ (x >> 32);
}

/* Word `i` (0..511) of the page with this key. Key 0 is the zero page. */
static inline uint64_t vidmm_pattern_word(uint64_t key, uint32_t i) {
    return key == 0 ? 0 : key + (uint64_t)i * 0x9e3779b97f4a7c15u;
}

/* Writes one page. `dst` needs no alignment. */
static inline void vidmm_pattern_write(void *dst, uint64_t key) {
    unsigned char *out = (unsigned char *)dst;
    if (key == 0) {
        memset(dst, 0, VIDMM_PATTERN_PAGE);
        return;
    }
    for (uint32_t i = 0; i < VIDMM_PATTERN_WORDS; i++) {
        uint64_t word = vidmm_pattern_word(key, i);
        memcpy(out + i * 8u, &word, 8);
    }
}

/* Offset of the first wrong byte of a page, or VIDMM_PATTERN_PAGE when all are right; a page that
 * another thread writes meanwhile may be either. Pages are checked one after the other, and a processor
 * fetches nothing ahead over the end of a page: what comes half a page later is asked for here. */
static inline uint32_t vidmm_pattern_check(const void *src, uint64_t key) {
    const unsigned char *in = (const unsigned char *)src;
    uint64_t wrong = 0;
    for (uint32_t line = 0; line < VIDMM_PATTERN_WORDS; line += 8) {
        __builtin_prefetch(in + line * 8u + VIDMM_PATTERN_PAGE / 2);
        for (uint32_t i = line; i < line + 8; i++) {
            uint64_t word;
            memcpy(&word, in + i * 8u, 8);
            wrong |= word ^ vidmm_pattern_word(key, i);
        }
    }
    if (wrong == 0)
        return VIDMM_PATTERN_PAGE;
    for (uint32_t at = 0; at < VIDMM_PATTERN_PAGE; at++) {
        uint64_t word = vidmm_pattern_word(key, at / 8u);
        if (in[at] != (unsigned char)(word >> (8u * (at % 8u))))
            return at;
    }
    return VIDMM_PATTERN_PAGE;
}

#endif
