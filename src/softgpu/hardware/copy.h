/*
 * copy.h - how the software GPU copies, fills and stores words, and nothing else.
 *
 * Moves that are larger than a cache are made in the way that is fastest on this machine
 * (choice.h; docs/softgpu.md, "Speed").
 */
#ifndef SOFTGPU_HW_COPY_H
#define SOFTGPU_HW_COPY_H

#include <stddef.h>
#include <stdint.h>

/* A command that moves less in all uses plain stores: its data may still be wanted in the cache. */
#define HW_STREAM_BYTES ((size_t)64 << 10)

/*
 * Copies `bytes`. `ahead` is where the source goes on after them (fetched meanwhile), or NULL. Visible
 * to other CPUs only after hw_stream_fence.
 */
void hw_stream_copy(void *destination, const void *source, size_t bytes, const void *ahead);

/* Repeats `pattern`, low byte first, from `destination` on; past the cache. Fence as above. */
void hw_stream_fill(void *destination, uint32_t pattern, size_t bytes);

/* The same through the cache. */
void hw_plain_fill(void *destination, uint32_t pattern, size_t bytes);

/*
 * Stores `count` words from `from` on, or `word`, `word + each`, `word + 2 * each` and so on. Each
 * is stored whole: a concurrent read finds the old word or the new one.
 */
void hw_store_words(uint64_t *to, const void *from, size_t count);
void hw_store_series(uint64_t *to, uint64_t word, uint64_t each, size_t count);

/* Orders streamed stores before everything that follows. */
void hw_stream_fence(void);

/* What fills and stores words: "avx512", "avx2", "sse2", or "memcpy" where there are none of these. */
const char *hw_stream_kernel(void);

#endif
