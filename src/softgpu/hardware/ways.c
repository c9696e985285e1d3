/*
 * ways.c - see ways.h: the C library's copy, the processor's own instruction for strings, and stores
 * past the cache with and without fetching the source ahead.
 */
#include "hardware/ways.h"

#include <string.h>

static void way_library(unsigned char *to, const unsigned char *from, size_t bytes,
                        const unsigned char *ahead) {
    (void)ahead;
    memcpy(to, from, bytes);
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

static void way_string(unsigned char *to, const unsigned char *from, size_t bytes,
                       const unsigned char *ahead) {
    (void)ahead;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/* What is `distance` bytes behind `from + i`; the end of the source goes on at `ahead`. */
#define FETCH(i, distance, hint)                                                                   \
    do {                                                                                           \
        size_t far = (i) + (distance);                                                             \
        if (far < bytes)                                                                           \
            _mm_prefetch((const char *)from + far, hint);                                          \
        else if (ahead)                                                                            \
            _mm_prefetch((const char *)ahead + (far - bytes), hint);                               \
    } while (0)
/* Stores of 16 bytes, through the cache. */
static void way_plain(unsigned char *to, const unsigned char *from, size_t bytes,
                      const unsigned char *ahead) {
    (void)ahead;
    for (size_t i = 0; i < bytes; i += 16)
        _mm_store_si128((__m128i *)(void *)(to + i),
                        _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
}
#define FETCH_NOTHING(i, distance, hint) (void)ahead

/* A loop of stores past the cache for an instruction set, with one kind of fetching. */
#define WAY_AVX512(name, FETCH_LINE, distance, hint)                                               \
    __attribute__((target("avx512f"))) static void name(                                           \
        unsigned char *to, const unsigned char *from, size_t bytes, const unsigned char *ahead) {  \
        for (size_t i = 0; i < bytes; i += WAYS_STEP) {                                            \
            __m512i line[4];                                                                       \
            for (size_t k = 0; k < 4; k++)                                                         \
                FETCH_LINE(i + k * WAYS_LINE, distance, hint);                                     \
            for (size_t k = 0; k < 4; k++)                                                         \
                line[k] = _mm512_loadu_si512(from + i + k * WAYS_LINE);                            \
            for (size_t k = 0; k < 4; k++)                                                         \
                _mm512_stream_si512((__m512i *)(void *)(to + i + k * WAYS_LINE), line[k]);         \
        }                                                                                          \
    }
#define WAY_AVX2(name, FETCH_LINE, distance, hint)                                                 \
    __attribute__((target("avx2"))) static void name(unsigned char *to, const unsigned char *from, \
                                                     size_t bytes, const unsigned char *ahead) {   \
        for (size_t i = 0; i < bytes; i += WAYS_LINE) {                                            \
            FETCH_LINE(i, distance, hint);                                                         \
            __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(from + i));             \
            __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(from + i + 32));        \
            _mm256_stream_si256((__m256i *)(void *)(to + i), a);                                   \
            _mm256_stream_si256((__m256i *)(void *)(to + i + 32), b);                              \
        }                                                                                          \
    }
#define WAY_SSE2(name, FETCH_LINE, distance, hint)                                                 \
    static void name(unsigned char *to, const unsigned char *from, size_t bytes,                   \
                     const unsigned char *ahead) {                                                 \
        for (size_t i = 0; i < bytes; i += WAYS_LINE) {                                            \
            FETCH_LINE(i, distance, hint);                                                         \
            for (size_t k = i; k < i + WAYS_LINE; k += 16)                                         \
                _mm_stream_si128((__m128i *)(void *)(to + k),                                      \
                                 _mm_loadu_si128((const __m128i *)(const void *)(from + k)));      \
        }                                                                                          \
    }
#define WAYS_OF(SET, set)                                                                          \
    SET(set##_plain, FETCH_NOTHING, 0, 0)                                                          \
    SET(set##_near, FETCH, 512, _MM_HINT_T0)                                                       \
    SET(set##_far, FETCH, 2048, _MM_HINT_T0)                                                       \
    SET(set##_page, FETCH, 4096, _MM_HINT_NTA)                                                     \
    static const struct copy_way set##_ways[] = {                                                  \
        {#set " past the cache", set##_plain},                                                     \
        {#set " past the cache, fetching 512 bytes ahead", set##_near},                            \
        {#set " past the cache, fetching 2 KiB ahead", set##_far},                                 \
        {#set " past the cache, fetching a page ahead", set##_page}};

WAYS_OF(WAY_AVX512, avx512)
WAYS_OF(WAY_AVX2, avx2)
WAYS_OF(WAY_SSE2, sse2)

/* `rep movsb` moves lines ("enhanced", bit 9 of leaf 7). */
static int has_string(void) {
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 9 & 1u);
}

uint32_t ways_list(struct copy_way way[WAYS_MOST]) {
    const struct copy_way *stores = __builtin_cpu_supports("avx512f") ? avx512_ways
                                    : __builtin_cpu_supports("avx2")  ? avx2_ways
                                                                      : sse2_ways;
    uint32_t count = sizeof(avx512_ways) / sizeof(avx512_ways[0]);
    memcpy(way, stores, sizeof(avx512_ways));
    way[count++] = (struct copy_way){"memcpy", way_library};
    way[count++] = (struct copy_way){"plain stores", way_plain};
    if (has_string())
        way[count++] = (struct copy_way){"rep movsb", way_string};
    return count;
}

#else

uint32_t ways_list(struct copy_way way[WAYS_MOST]) {
    way[0] = (struct copy_way){"memcpy", way_library};
    return 1;
}

#endif
