/* physical.c - RAM and its page frames; see physical.h. */
#include "memory/physical.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NONE UINT64_MAX
/* Longest scattered run, in frames; it bounds how many pieces a linear view is mapped from. */
#define LONGEST_RUN 64u
/* A scattered allocation chooses among the frames in use and so many more, to keep RAM's footprint
 * small. */
#define SCATTER_SLACK 4096u

static uint64_t physical_words(uint64_t bits) {
    return (bits + 63) / 64;
}

static void mark_free(struct host_physical *ram, uint64_t frame) {
    for (uint32_t l = 0; l < ram->levels; l++, frame /= 64) {
        uint64_t *word = &ram->level[l][frame / 64], was = *word;
        __atomic_store_n(word, was | (uint64_t)1 << (frame % 64), __ATOMIC_RELAXED);
        if (was != 0)
            return;
    }
}

/* `bits`: of the frames of one word, which are free. */
static void mark_used(struct host_physical *ram, uint64_t word, uint64_t bits) {
    for (uint32_t l = 0; l < ram->levels; l++) {
        uint64_t left = ram->level[l][word] & ~bits;
        __atomic_store_n(&ram->level[l][word], left, __ATOMIC_RELAXED);
        if (left != 0)
            return;
        bits = (uint64_t)1 << (word % 64);
        word /= 64;
    }
}

/* The first free frame at or after `from`, or NONE. Climbs until a word has a bit, then
 * descends. */
static uint64_t next_free(const struct host_physical *ram, uint64_t from) {
    uint64_t at = from;
    if (from >= ram->pages)
        return NONE;
    for (uint32_t l = 0; l < ram->levels; l++) {
        uint64_t index = at / 64;
        if (index >= physical_words((ram->pages + ((uint64_t)1 << (6 * l)) - 1) >> (6 * l)))
            return NONE;
        uint64_t word = ram->level[l][index] & (~(uint64_t)0 << (at % 64));
        if (word != 0) {
            at = index * 64 + (uint64_t)__builtin_ctzll(word);
            while (l-- > 0)
                at = at * 64 + (uint64_t)__builtin_ctzll(ram->level[l][at]);
            return at;
        }
        at = index + 1;
    }
    return NONE;
}

/* How many frames from `from` on are free, at most `most`. */
static uint64_t free_run(const struct host_physical *ram, uint64_t from, uint64_t most) {
    uint64_t length = 0;
    while (length < most) {
        uint64_t at = from + length;
        uint64_t used = ~ram->level[0][at / 64] >> (at % 64);
        if (used != 0) {
            length += (uint64_t)__builtin_ctzll(used);
            break;
        }
        length += 64 - at % 64;
    }
    return length < most ? length : most;
}

/* Zeroes those of 64 frames that held something. */
static void physical_clear(struct host_physical *ram, uint64_t word, uint64_t bits) {
    for (uint64_t dirty = ram->no_content ? 0 : ram->dirty[word] & bits; dirty != 0;
         dirty &= dirty - 1) {
        uint64_t frame = word * 64 + (uint64_t)__builtin_ctzll(dirty);
        memset(ram->base + frame * HOST_PAGE, 0, HOST_PAGE);
    }
    ram->dirty[word] |= bits;
}

/* Removes frames from the bitmap and zeroes them. */
static void physical_take(struct host_physical *ram, uint64_t start, uint64_t count) {
    for (uint64_t f = start, end = start + count, next; f < end; f = next) {
        next = (f / 64 + 1) * 64 < end ? (f / 64 + 1) * 64 : end;
        uint64_t bits = ~(uint64_t)0 >> (64 - (next - f)) << (f % 64);
        mark_used(ram, f / 64, bits);
        physical_clear(ram, f / 64, bits);
    }
    ram->free_pages -= count;
}

static uint64_t physical_draw(struct host_physical *ram) {
    uint64_t z = (ram->random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Frames beyond the hole are preferred where the limits allow them. */
static uint64_t physical_from(const struct host_physical *ram, uint64_t first, uint64_t limit) {
    return first < ram->beyond && ram->beyond < limit ? ram->beyond : first;
}

/* Where the next piece of a list starts: the lowest free frame, or a random one of a compact
 * window. Of the pieces of a scattered list one in four lies below the hole; a short list has
 * pieces of different lengths, too. */
static uint64_t physical_piece(struct host_physical *ram, uint64_t lowest, uint64_t limit,
                               uint64_t need, uint64_t *longest) {
    uint64_t first = physical_from(ram, lowest, limit);
    if (ram->seed == 0) {
        *longest = need;
        uint64_t next = next_free(ram, first);
        return next < limit ? next : next_free(ram, lowest);
    }
    if (first != lowest && physical_draw(ram) % 4 == 0)
        first = lowest;
    uint64_t used = ram->installed / HOST_PAGE - ram->free_pages;
    uint64_t window = used + used / 4 + need + SCATTER_SLACK;
    if (window > limit - first)
        window = limit - first;
    uint64_t start = next_free(ram, first + (physical_draw(ram) % window & ~(uint64_t)63));
    *longest = 1 + physical_draw(ram) % (need < LONGEST_RUN ? need : LONGEST_RUN);
    if (start >= limit)
        start = next_free(ram, first);
    return start < limit ? start : next_free(ram, lowest);
}

void host_frames_give_run(struct host_physical *ram, uint64_t start, uint64_t count) {
    pthread_mutex_lock(&ram->lock);
    for (uint64_t f = start; f < start + count; f++)
        mark_free(ram, f);
    ram->free_pages += count;
    pthread_mutex_unlock(&ram->lock);
}

void host_frames_give(struct host_physical *ram, const uint64_t *frames, uint64_t count) {
    pthread_mutex_lock(&ram->lock);
    for (uint64_t i = 0; i < count; i++)
        mark_free(ram, frames[i]);
    ram->free_pages += count;
    pthread_mutex_unlock(&ram->lock);
}

bool host_frames_take(struct host_physical *ram, uint64_t count, uint64_t first, uint64_t limit,
                      uint64_t *frames) {
    uint64_t got = 0;
    if (limit > ram->pages)
        limit = ram->pages;
    pthread_mutex_lock(&ram->lock);
    while (got < count && first < limit) {
        uint64_t longest, start = physical_piece(ram, first, limit, count - got, &longest);
        if (start >= limit)
            break;
        uint64_t most = count - got < longest ? count - got : longest;
        if (most > limit - start)
            most = limit - start;
        uint64_t length = free_run(ram, start, most);
        physical_take(ram, start, length);
        for (uint64_t i = 0; i < length; i++)
            frames[got++] = start + i;
    }
    pthread_mutex_unlock(&ram->lock);
    if (got == count)
        return true;
    host_frames_give(ram, frames, got);
    return false;
}

/* With the lock held. */
static bool take_run_from(struct host_physical *ram, uint64_t count, uint64_t first, uint64_t limit,
                          uint64_t boundary, uint64_t *start) {
    for (uint64_t at = next_free(ram, first); at != NONE && at < limit && count <= limit - at;) {
        uint64_t length = free_run(ram, at, count);
        uint64_t crossing = boundary ? (at / boundary + 1) * boundary : NONE;
        if (length == count && at + count <= crossing) {
            physical_take(ram, at, count);
            *start = at;
            return true;
        }
        at = next_free(ram, length == count ? crossing : at + length);
    }
    return false;
}

bool host_frames_take_run(struct host_physical *ram, uint64_t count, uint64_t first, uint64_t limit,
                          uint64_t boundary, uint64_t *start) {
    if (limit > ram->pages)
        limit = ram->pages;
    uint64_t from = physical_from(ram, first, limit);
    pthread_mutex_lock(&ram->lock);
    bool found = take_run_from(ram, count, from, limit, boundary, start) ||
                 (from != first && take_run_from(ram, count, first, limit, boundary, start));
    pthread_mutex_unlock(&ram->lock);
    return found;
}

/* A run that crosses no multiple of its own length begins at one. */
bool host_frames_take_runs(struct host_physical *ram, uint64_t count, uint64_t first,
                           uint64_t limit, uint64_t run, uint64_t *frames) {
    uint64_t got = 0, start;
    while (count - got >= run && host_frames_take_run(ram, run, first, limit, run, &start)) {
        for (uint64_t i = 0; i < run; i++)
            frames[got++] = start + i;
    }
    if (got == count || host_frames_take(ram, count - got, first, limit, frames + got))
        return true;
    host_frames_give(ram, frames, got);
    return false;
}

/* Without the lock: a frame that is taken or given meanwhile may count as either. */
bool host_frames_free(const struct host_physical *ram, uint64_t first, uint64_t count,
                      uint64_t *frame) {
    for (uint64_t at = first; at < first + count && at < ram->pages; at++)
        if (at == 0 ||
            (__atomic_load_n(&ram->level[0][at / 64], __ATOMIC_RELAXED) >> (at % 64) & 1u)) {
            *frame = at;
            return true;
        }
    return false;
}

void *host_physical_pointer(struct host_physical *ram, uint64_t pa, size_t size) {
    uint64_t end = ram->bytes + HOST_POOL_BYTES;
    uint64_t hole = ram->hole * HOST_PAGE, beyond = ram->beyond * HOST_PAGE;
    if (pa >= end || size > end - pa || (pa < beyond && pa + size > hole && hole != beyond))
        return NULL;
    return ram->base + pa;
}

static bool map_memory(struct host_physical *ram) {
    if (!host_ram_file_make(&ram->memory, ram->bytes + HOST_POOL_BYTES))
        return false;
    ram->file = ram->memory.file;
    ram->base = ram->memory.base;
    madvise(ram->base, ram->bytes, MADV_HUGEPAGE);
    return true;
}

/* Frames [first, end) are free. */
static void physical_free_range(uint64_t *bits, uint64_t first, uint64_t end) {
    while (first < end) {
        uint64_t in_word = 64 - first % 64, count = in_word < end - first ? in_word : end - first;
        bits[first / 64] |= (~(uint64_t)0 >> (64 - count)) << (first % 64);
        first += count;
    }
}

/* Another bitmap that says which words of the one below it have a bit. */
static bool add_level(struct host_physical *ram, uint64_t words) {
    const uint64_t *below = ram->level[ram->levels - 1];
    uint64_t *level = calloc(physical_words(words), sizeof(uint64_t));
    if (!level)
        return false;
    for (uint64_t i = 0; i < words; i++)
        if (below[i] != 0)
            level[i / 64] |= (uint64_t)1 << (i % 64);
    ram->level[ram->levels++] = level;
    return true;
}

/* Builds the bitmaps with every frame free but those below `first` and in the hole. */
static bool make_bitmaps(struct host_physical *ram, uint64_t first) {
    uint64_t words = physical_words(ram->pages);
    ram->dirty = calloc(words, sizeof(uint64_t));
    ram->level[0] = calloc(words, sizeof(uint64_t));
    if (!ram->dirty || !ram->level[0])
        return false;
    ram->levels = 1;
    physical_free_range(ram->level[0], first, ram->hole);
    physical_free_range(ram->level[0], ram->beyond, ram->pages);
    for (; words > 1 && ram->levels < HOST_PHYSICAL_LEVELS; words = physical_words(words))
        if (!add_level(ram, words))
            return false;
    ram->free_pages = ram->installed / HOST_PAGE - first;
    return true;
}

/* Where RAM lies: at the bottom, and the high part from 4 GiB on. */
static void physical_lay_out(struct host_physical *ram, const struct host_physical_plan *plan) {
    uint64_t low = plan->bytes & ~(uint64_t)(HOST_PAGE - 1);
    uint64_t high = low <= HOST_4_GIB ? plan->high & ~(uint64_t)(HOST_PAGE - 1) : 0;
    ram->hole = low / HOST_PAGE;
    ram->beyond = high != 0 ? HOST_4_GIB / HOST_PAGE : ram->hole;
    ram->bytes = ram->beyond * HOST_PAGE + high;
    ram->pages = ram->bytes / HOST_PAGE;
    ram->installed = low + high;
    ram->top = ram->bytes;
}

bool host_physical_init(struct host_physical *ram, const struct host_physical_plan *plan) {
    uint64_t first = plan->from > HOST_PAGE ? (plan->from + HOST_PAGE - 1) / HOST_PAGE : 1;
    physical_lay_out(ram, plan);
    ram->seed = ram->random = plan->seed;
    ram->no_content = plan->no_content;
    ram->keep = plan->keep;
    pthread_mutex_init(&ram->lock, NULL);
    if (ram->hole > first && map_memory(ram) && make_bitmaps(ram, first))
        return true;
    host_physical_done(ram);
    return false;
}

void host_physical_lower(struct host_physical *ram) {
    pthread_mutex_lock(&ram->lock);
    for (uint64_t frame = next_free(ram, ram->beyond); frame != NONE && ram->hole != ram->beyond;
         frame = next_free(ram, frame)) {
        mark_used(ram, frame / 64, (uint64_t)1 << (frame % 64));
        ram->free_pages--;
    }
    ram->installed = ram->top = ram->hole * HOST_PAGE;
    pthread_mutex_unlock(&ram->lock);
}

void host_physical_done(struct host_physical *ram) {
    for (uint32_t l = 0; l < HOST_PHYSICAL_LEVELS; l++) {
        free(ram->level[l]);
        ram->level[l] = NULL;
    }
    free(ram->dirty);
    host_ram_file_end(&ram->memory, ram->keep);
    pthread_mutex_destroy(&ram->lock);
}
