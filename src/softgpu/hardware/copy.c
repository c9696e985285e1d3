/*
 * copy.c - see copy.h. Fills and words have a loop for each instruction set, chosen at the first call;
 * how bytes are copied, choice.c finds out.
 */
#include "hardware/copy.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "hardware/choice.h"
#include "hardware/ways.h"

#define PAGE 4096u
#define LINE WAYS_LINE

/* Works on whole lines and wants `destination` aligned to one. */
typedef void fill_lines(unsigned char *destination, const unsigned char line[LINE], size_t bytes);
/* Likewise, of words: LINE_WORDS at a time. `from` NULL: a series. */
typedef void store_lines(uint64_t *to, const unsigned char *from, uint64_t word, uint64_t each,
                         size_t words);

struct kernel {
    const char *name;
    fill_lines *fill;
    store_lines *store;
};

#define LINE_WORDS (LINE / sizeof(uint64_t))

static void store_word(uint64_t *to, uint64_t word) {
    __atomic_store_n(to, word, __ATOMIC_RELAXED);
}

/* Words one by one. */
static void store_plain(uint64_t *to, const unsigned char *from, uint64_t word, uint64_t each,
                        size_t words) {
    for (size_t i = 0; i < words; i++, word += each) {
        if (from)
            memcpy(&word, from + i * sizeof(word), sizeof(word));
        store_word(&to[i], word);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx512f"))) static void
fill_avx512(unsigned char *destination, const unsigned char line[LINE], size_t bytes) {
    __m512i value = _mm512_loadu_si512(line);
    for (size_t i = 0; i < bytes; i += LINE)
        _mm512_stream_si512((__m512i *)(void *)(destination + i), value);
}

__attribute__((target("avx2"))) static void
fill_avx2(unsigned char *destination, const unsigned char line[LINE], size_t bytes) {
    __m256i value = _mm256_loadu_si256((const __m256i *)(const void *)line);
    for (size_t i = 0; i < bytes; i += 32)
        _mm256_stream_si256((__m256i *)(void *)(destination + i), value);
}

static void fill_sse2(unsigned char *destination, const unsigned char line[LINE], size_t bytes) {
    __m128i value = _mm_loadu_si128((const __m128i *)(const void *)line);
    for (size_t i = 0; i < bytes; i += 16)
        _mm_stream_si128((__m128i *)(void *)(destination + i), value);
}

/*
 * Words by the line. Vectors that are aligned are stored in one piece, or in pieces no smaller than
 * a word, by every x86 that has them. A tool that looks for data races wants to see atomic stores.
 */
#if defined(__SANITIZE_THREAD__)
#define ONE_BY_ONE
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ONE_BY_ONE
#endif
#endif

#if defined(ONE_BY_ONE)
#define store_avx512 store_plain
#define store_avx2   store_plain
#define store_sse2   store_plain
#else
__attribute__((target("avx512f"))) static void
store_avx512(uint64_t *to, const unsigned char *from, uint64_t word, uint64_t each, size_t words) {
    const __m512i steps = _mm512_set1_epi64((int64_t)(8 * each));
    const uint64_t e = each;
    uint64_t first[8] = {word,         word + e,     word + 2 * e, word + 3 * e,
                         word + 4 * e, word + 5 * e, word + 6 * e, word + 7 * e};
    __m512i value = _mm512_loadu_si512(first);
    for (size_t i = 0; i < words; i += 8, value = _mm512_add_epi64(value, steps)) {
        if (from)
            value = _mm512_loadu_si512(from + i * sizeof(*to));
        _mm512_store_si512(to + i, value);
    }
}

__attribute__((target("avx2"))) static void store_avx2(uint64_t *to, const unsigned char *from,
                                                       uint64_t word, uint64_t each, size_t words) {
    const __m256i steps = _mm256_set1_epi64x((int64_t)(4 * each));
    const uint64_t first[4] = {word, word + each, word + 2 * each, word + 3 * each};
    __m256i value = _mm256_loadu_si256((const __m256i *)(const void *)first);
    for (size_t i = 0; i < words; i += 4, value = _mm256_add_epi64(value, steps)) {
        if (from)
            value = _mm256_loadu_si256((const __m256i *)(const void *)(from + i * sizeof(*to)));
        _mm256_store_si256((__m256i *)(void *)(to + i), value);
    }
}

static void store_sse2(uint64_t *to, const unsigned char *from, uint64_t word, uint64_t each,
                       size_t words) {
    const __m128i steps = _mm_set1_epi64x((int64_t)(2 * each));
    __m128i value = _mm_set_epi64x((int64_t)(word + each), (int64_t)word);
    for (size_t i = 0; i < words; i += 2, value = _mm_add_epi64(value, steps)) {
        if (from)
            value = _mm_loadu_si128((const __m128i *)(const void *)(from + i * sizeof(*to)));
        _mm_store_si128((__m128i *)(void *)(to + i), value);
    }
}
#endif

static const struct kernel *copy_choose(void) {
    static const struct kernel avx512 = {"avx512", fill_avx512, store_avx512};
    static const struct kernel avx2 = {"avx2", fill_avx2, store_avx2};
    static const struct kernel sse2 = {"sse2", fill_sse2, store_sse2};
    if (__builtin_cpu_supports("avx512f"))
        return &avx512;
    return __builtin_cpu_supports("avx2") ? &avx2 : &sse2;
}

void hw_stream_fence(void) {
    _mm_sfence();
}

#else

static void fill_portable(unsigned char *destination, const unsigned char line[LINE],
                          size_t bytes) {
    for (size_t i = 0; i < bytes; i += LINE)
        memcpy(destination + i, line, LINE);
}

static const struct kernel *copy_choose(void) {
    static const struct kernel portable = {"memcpy", fill_portable, store_plain};
    return &portable;
}

void hw_stream_fence(void) {
    atomic_thread_fence(memory_order_seq_cst);
}

#endif

static const struct kernel *copy_kernel(void) {
    static _Atomic(const struct kernel *) chosen;
    const struct kernel *found = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (!found) {
        found = copy_choose();
        atomic_store_explicit(&chosen, found, memory_order_relaxed);
    }
    return found;
}

const char *hw_stream_kernel(void) {
    return copy_kernel()->name;
}

/* A command may name the same memory twice, in any way; it gets what it asked for. */
static bool overlap(const unsigned char *a, const unsigned char *b, size_t bytes) {
    return a < b + bytes && b < a + bytes;
}

void hw_stream_copy(void *destination, const void *source, size_t bytes, const void *ahead) {
    unsigned char *to = destination;
    const unsigned char *from = source;
    size_t whole = bytes / WAYS_STEP * WAYS_STEP;
    if (bytes >= PAGE && (uintptr_t)to % LINE == 0 && !overlap(to, from, bytes)) {
        choice_copy(to, from, whole, ahead);
        to += whole;
        from += whole;
        bytes -= whole;
    }
    memmove(to, from, bytes);
}

static void fill_line(unsigned char line[LINE], uint32_t pattern) {
    for (uint32_t i = 0; i < LINE; i++)
        line[i] = (unsigned char)(pattern >> (8u * (i % 4u)));
}

void hw_plain_fill(void *destination, uint32_t pattern, size_t bytes) {
    unsigned char *to = destination;
    unsigned char line[LINE];
    if (pattern == (pattern & 0xffu) * 0x01010101u) {
        memset(to, (int)(pattern & 0xffu), bytes);
        return;
    }
    fill_line(line, pattern);
    for (; bytes >= LINE; bytes -= LINE, to += LINE)
        memcpy(to, line, LINE);
    memcpy(to, line, bytes);
}

void hw_stream_fill(void *destination, uint32_t pattern, size_t bytes) {
    unsigned char *to = destination;
    unsigned char line[LINE];
    if ((uintptr_t)to % LINE == 0) {
        size_t whole = bytes / LINE * LINE;
        fill_line(line, pattern);
        copy_kernel()->fill(to, line, whole);
        to += whole;
        bytes -= whole;
    }
    hw_plain_fill(to, pattern, bytes);
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void copy_store(uint64_t *to, const unsigned char *from, uint64_t word, uint64_t each,
                       size_t count) {
    size_t head = (LINE - (uintptr_t)to % LINE) % LINE / sizeof(*to);
    size_t lines = head < count ? (count - head) / LINE_WORDS * LINE_WORDS : 0, done = head + lines;
    if (lines == 0) {
        store_plain(to, from, word, each, count);
        return;
    }
    store_plain(to, from, word, each, head);
    copy_kernel()->store(to + head, from ? from + head * sizeof(*to) : NULL, word + head * each,
                         each, lines);
    store_plain(to + done, from ? from + done * sizeof(*to) : NULL, word + done * each, each,
                count - done);
}

void hw_store_words(uint64_t *to, const void *from, size_t count) {
    copy_store(to, from, 0, 0, count);
}

void hw_store_series(uint64_t *to, uint64_t word, uint64_t each, size_t count) {
    copy_store(to, NULL, word, each, count);
}
