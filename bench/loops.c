/*
 * loops.c - see loops.h. Pages on both sides, so that everything is aligned.
 */
#include "loops.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

#define LINE 64u

/* Vectors of 16 bytes: what fills a line with them reaches memory as a line, too. */
static void line_past_cache(char *to, const char *from) {
    for (size_t i = 0; i < LINE; i += 16)
        _mm_stream_si128((__m128i *)(void *)(to + i),
                         _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
}

static void past_cache(char *to, const char *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += LINE)
        line_past_cache(to + i, from + i);
    _mm_sfence();
}

static void fetched_past_cache(char *to, const char *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += LINE) {
        _mm_prefetch(from + i + 16 * LINE, _MM_HINT_T0);
        line_past_cache(to + i, from + i);
    }
    _mm_sfence();
}

static void by_string(char *to, const char *from, size_t bytes) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

static void zeros_past_cache(char *to, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 16)
        _mm_stream_si128((__m128i *)(void *)(to + i), _mm_setzero_si128());
    _mm_sfence();
}
#else
static void past_cache(char *to, const char *from, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
        ((uint64_t *)(void *)to)[i] = ((const uint64_t *)(const void *)from)[i];
}
#define fetched_past_cache past_cache
#define by_string          past_cache

static void zeros_past_cache(char *to, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
        ((uint64_t *)(void *)to)[i] = 0;
}
#endif

static void by_library(char *to, const char *from, size_t bytes) {
    memcpy(to, from, bytes);
}

static const struct {
    const char *name;
    void (*copy)(char *to, const char *from, size_t bytes);
} copies[LOOPS_COPY] = {{"past the cache", past_cache},
                        {"past the cache, fetched", fetched_past_cache},
                        {"memcpy", by_library},
                        {"rep movsb", by_string}};

const char *loops_copy_name(unsigned loop) {
    return copies[loop].name;
}

void loops_copy(unsigned loop, void *to, const void *from, size_t bytes) {
    copies[loop].copy(to, from, bytes);
}

void loops_fill(unsigned loop, void *to, size_t bytes) {
    if (loop == 0)
        zeros_past_cache(to, bytes);
    else
        memset(to, 0, bytes);
}
