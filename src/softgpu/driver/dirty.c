/*
 * dirty.c - takes dirty bits out of the GPU's plane (softgpu_dirty.h).
 *
 * The plane is harvested with one exchange for each word that has bits; the summary above it leads
 * past all others, so what it costs is what is dirty. A basis whose ranges do not begin at
 * multiples of 64 pages has the same words at other places of its answer.
 *
 * With adapter->dirty.lock held: queries take turns, the GPU does not wait. In the summary a bit is
 * cleared before its word is taken. The GPU sets them in the other order, so that a word with bits
 * never stays behind without its bit.
 */
#include "driver/dirty.h"

/* ---- Bit strings in bytes, at any place ------------------------------------------------------ */

/* Adds 64 bits at `bit`; what is beyond `bytes` is 0. */
static void put_bits(unsigned char *out, SIZE_T bytes, ULONGLONG bit, ULONG64 value) {
    SIZE_T at = (SIZE_T)(bit / 8);
    UINT shift = (UINT)(bit % 8);
    ULONG64 word;
    if (bytes - at > sizeof(word)) {
        RtlCopyMemory(&word, out + at, sizeof(word));
        word |= value << shift;
        RtlCopyMemory(out + at, &word, sizeof(word));
        if (shift != 0)
            out[at + sizeof(word)] |= (unsigned char)(value >> (64 - shift));
        return;
    }
    out[at] |= (unsigned char)(value << shift);
    for (value >>= 8 - shift; value != 0; value >>= 8)
        out[++at] |= (unsigned char)value;
}

/* Up to 64 bits at `bit`, cleared there if so desired. */
static ULONG64 get_bits(unsigned char *from, SIZE_T bytes, ULONGLONG bit, UINT count, bool clear) {
    SIZE_T at = (SIZE_T)(bit / 8), room = bytes - at;
    UINT shift = (UINT)(bit % 8);
    ULONG64 mask = count < 64 ? ((ULONG64)1 << count) - 1 : ~(ULONG64)0, low;
    unsigned char raw[sizeof(low) + 1] = {0};
    SIZE_T part = room < sizeof(raw) ? room : sizeof(raw);
    RtlCopyMemory(raw, from + at, part);
    RtlCopyMemory(&low, raw, sizeof(low));
    ULONG64 value = low >> shift;
    if (shift != 0)
        value |= (ULONG64)raw[sizeof(low)] << (64 - shift);
    value &= mask;
    if (clear && value != 0) {
        low &= ~(mask << shift);
        RtlCopyMemory(raw, &low, sizeof(low));
        if (shift != 0)
            raw[sizeof(low)] &= (unsigned char)~(mask >> (64 - shift));
        RtlCopyMemory(from + at, raw, part);
    }
    return value;
}

/* ---- For others ------------------------------------------------------------------------------ */

/* The first range of `basis` that ends behind `page`. */
static SIZE_T first_behind(const struct kmd_basis *basis, ULONGLONG page) {
    SIZE_T low = 0, high = basis->count;
    while (low < high) {
        SIZE_T middle = low + (high - low) / 2;
        if (basis->sorted[middle].first + basis->sorted[middle].pages > page)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Bits of the 64 pages from `page` on, for a basis that has some of them. */
static void dirty_keep(struct kmd_basis *basis, ULONGLONG page, ULONG64 bits) {
    for (SIZE_T i = first_behind(basis, page); i < basis->count; i++) {
        const struct kmd_basis_range *range = &basis->sorted[i];
        ULONGLONG bit = range->bit;
        ULONG64 mine = bits;
        if (range->first >= page + 64)
            break;
        if (range->first >= page)
            mine >>= range->first - page;
        else
            bit += page - range->first;
        if (range->bit + range->pages - bit < 64)
            mine &= ((ULONG64)1 << (range->bit + range->pages - bit)) - 1;
        if (mine == 0)
            continue;
        put_bits(basis->pending, kmd_bit_bytes(basis->pages), bit, mine);
        basis->some_pending = true;
    }
}

static void keep_for_others(const struct kmd_harvest *harvest, ULONGLONG page, ULONG64 bits) {
    for (struct kmd_basis *other = harvest->adapter->dirty.bases; other; other = other->next)
        if (other != harvest->basis && other->pending && page < other->high &&
            page + 64 > other->low)
            dirty_keep(other, page, bits);
}

/* ---- Taking ---------------------------------------------------------------------------------- */

static ULONG64 dirty_look(const volatile LONG64 *word) {
    return (ULONG64)__atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Bits of `mask` in a word, cleared there. */
static ULONG64 dirty_take(volatile LONG64 *word, ULONG64 mask) {
    LONG64 was = (LONG64)dirty_look(word);
    while (((ULONG64)was & mask) != 0) {
        LONG64 now = InterlockedCompareExchange64(word, (LONG64)((ULONG64)was & ~mask), was);
        if (now == was)
            break;
        was = now;
    }
    return (ULONG64)was & mask;
}

/*
 * The answer is written as far as bit `bit` at least, bits that were not set being 0. Further where
 * little is dirty: zeros are cheapest by the block, and an exchange waits for all stores before it.
 */
#define BLOCK ((SIZE_T)64 << 10)

static void write_to(struct kmd_harvest *harvest, ULONGLONG bit, bool few) {
    SIZE_T bytes = kmd_bit_bytes(bit);
    if (bytes <= harvest->written)
        return;
    if (few)
        bytes = (bytes + BLOCK - 1) & ~(BLOCK - 1);
    if (bytes > harvest->bytes)
        bytes = harvest->bytes;
    RtlZeroMemory(harvest->out + harvest->written, bytes - harvest->written);
    harvest->written = bytes;
}

/* Bits of the 64 pages from `page` on; the first of them is bit `bit` of the answer. */
static void dirty_found(struct kmd_harvest *harvest, ULONGLONG page, ULONG64 bits, ULONGLONG bit) {
    if (harvest->out) {
        write_to(harvest, bit + 64, true);
        put_bits(harvest->out, harvest->bytes, bit, bits);
    }
    if (harvest->clear && harvest->shared)
        keep_for_others(harvest, page, bits);
}

/* Less than a word. Its bit of the summary stays: it may be for the rest. */
static void part_of_word(struct kmd_harvest *harvest, ULONGLONG page, UINT count, ULONGLONG bit) {
    volatile LONG64 *word = &harvest->adapter->dirty.plane[page / 64];
    UINT shift = (UINT)(page % 64);
    ULONG64 mask = (count < 64 ? ((ULONG64)1 << count) - 1 : ~(ULONG64)0) << shift;
    ULONG64 bits = harvest->clear ? dirty_take(word, mask) : dirty_look(word) & mask;
    if (bits != 0)
        dirty_found(harvest, page, bits >> shift, bit);
}

/* Words of one group, those whose bit is in `some`; `bit` is where word 0 of it would be. */
static void take_words(struct kmd_harvest *harvest, volatile LONG64 *group, ULONGLONG page,
                       ULONG64 some, ULONGLONG bit) {
    for (; some != 0; some &= some - 1) {
        UINT i = (UINT)__builtin_ctzll(some);
        ULONG64 bits =
            harvest->clear ? (ULONG64)InterlockedExchange64(&group[i], 0) : dirty_look(&group[i]);
        if (bits != 0)
            dirty_found(harvest, page + (ULONGLONG)i * 64, bits, bit + (ULONGLONG)i * 64);
    }
}

/* The same where words of the plane are words of the answer, and of no other basis. */
static void move_words(volatile LONG64 *group, ULONG64 some, unsigned char *out) {
    for (; some != 0; some &= some - 1) {
        UINT i = (UINT)__builtin_ctzll(some);
        LONG64 bits = InterlockedExchange64(&group[i], 0);
        RtlCopyMemory(out + i * sizeof(bits), &bits, sizeof(bits));
    }
}

/* Groups ahead: an exchange waits for its line of the cache, so those are on their way by then. */
#define AHEAD     16u
#define FEW_WORDS 16 /* of a group */

static void dirty_fetch(volatile LONG64 *group, ULONG64 some) {
    for (UINT i = 0; i < 64; i += 8)
        if ((some >> i & 0xff) != 0)
            __builtin_prefetch((const void *)(uintptr_t)&group[i], 1);
}

static void whole_words(struct kmd_harvest *harvest, ULONGLONG word, ULONGLONG count,
                        ULONGLONG bit) {
    volatile LONG64 *plane = harvest->adapter->dirty.plane;
    volatile LONG64 *summary = harvest->adapter->dirty.summary;
    bool move = harvest->out && harvest->clear && !harvest->shared && bit % 8 == 0;
    while (count != 0) {
        UINT from = (UINT)(word % 64);
        UINT words = count < 64 - from ? (UINT)count : 64 - from;
        ULONG64 mask = (words < 64 ? ((ULONG64)1 << words) - 1 : ~(ULONG64)0) << from;
        volatile LONG64 *group = &plane[word - from], *here = &summary[word / 64];
        ULONG64 some = harvest->clear ? dirty_take(here, mask) : dirty_look(here) & mask;
        ULONG64 ahead = count > (AHEAD + 1) * 64 ? dirty_look(here + AHEAD) : 0;
        if (ahead != 0)
            dirty_fetch(group + AHEAD * 64, ahead);
        if (some != 0 && move) {
            bool few = __builtin_popcountll(some) < FEW_WORDS;
            write_to(harvest, bit + (ULONGLONG)words * 64, few);
            move_words(group + from, some >> from, harvest->out + bit / 8);
        } else if (some != 0) {
            take_words(harvest, group + from, word * 64, some >> from, bit);
        }
        word += words;
        count -= words;
        bit += (ULONGLONG)words * 64;
    }
}

static void take_pages(struct kmd_harvest *harvest, ULONGLONG page, ULONGLONG pages,
                       ULONGLONG bit) {
    while (pages != 0) {
        ULONGLONG part = pages & ~(ULONGLONG)63;
        if (page % 64 != 0 || pages < 64) {
            part = 64 - page % 64 < pages ? 64 - page % 64 : pages;
            part_of_word(harvest, page, (UINT)part, bit);
        } else {
            whole_words(harvest, page / 64, part / 64, bit);
        }
        page += part;
        pages -= part;
        bit += part;
    }
}

/* What was kept for this basis, pages [from, from + pages) of its own numbering. */
static void take_pending(struct kmd_harvest *harvest, ULONGLONG from, ULONGLONG pages,
                         ULONGLONG bit) {
    const struct kmd_basis *basis = harvest->basis;
    while (pages != 0) {
        UINT part = pages < 64 ? (UINT)pages : 64;
        ULONG64 bits =
            get_bits(basis->pending, kmd_bit_bytes(basis->pages), from, part, harvest->clear);
        if (bits != 0 && harvest->out) {
            write_to(harvest, bit + 64, true);
            put_bits(harvest->out, harvest->bytes, bit, bits);
        }
        from += part;
        pages -= part;
        bit += part;
    }
}

void kmd_harvest_range(struct kmd_harvest *harvest, SIZE_T index, ULONGLONG page, ULONGLONG pages,
                       ULONGLONG bit) {
    const struct kmd_basis_range *range = &harvest->basis->range[index];
    take_pages(harvest, range->first + page, pages, bit);
    if (harvest->basis->some_pending)
        take_pending(harvest, range->bit + page, pages, bit);
}

/* ---- The CPU's writes ------------------------------------------------------------------------ */

void kmd_harvest_begin(const struct kmd_harvest *harvest) {
    if (harvest->adapter->ranges != 0)
        kmd_write(harvest->adapter, GPU_REG_DIRTY, GPU_DIRTY_GATHER);
}

/* Closes all pages from the first to the last: closing one whose bit was not taken costs a trap and
 * loses nothing. */
void kmd_harvest_end(struct kmd_harvest *harvest) {
    const struct kmd_adapter *adapter = harvest->adapter;
    if (harvest->out)
        write_to(harvest, (ULONGLONG)harvest->bytes * 8, false);
    if (!harvest->clear || harvest->basis->low * adapter->dirty.page >= adapter->visible_bytes)
        return;
    kmd_write64(adapter, GPU_REG_DIRTY_START, harvest->basis->low * adapter->dirty.page);
    kmd_write64(adapter, GPU_REG_DIRTY_END, harvest->basis->high * adapter->dirty.page);
    kmd_write(adapter, GPU_REG_DIRTY, GPU_DIRTY_CLOSE);
}
