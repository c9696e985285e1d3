/* pool.c - the guarded pool of pool.h. */
#include "memory/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/in_use.h"
#include "base/thread.h"
#include "base/world.h"
#include "memory/mdl.h"
#include "memory/paged_pool.h"
#include "memory/physical.h"
#include "memory/pool_frames.h"

#define GUARD            16u
#define GUARD_BYTE       0xfdu
#define FRESH_BYTE       0xcdu
#define FREED_BYTE       0xddu
#define QUARANTINE_BYTES ((uint64_t)1 << 20)
/* Bytes of a freed block that are poisoned and checked: enough for any structure, and fast for
 * large buffers. */
#define POISONED      4096u
#define FIRST_BUCKETS 256u

struct host_pool_block {
    struct host_pool_block *next_in_bucket;
    struct host_pool_block *newer; /* quarantine */
    uint8_t *user;
    void *raw;
    size_t size, total; /* of the user's bytes, of the memory with its guards */
    uint64_t serial;
    ULONG tag;
    bool paged, freed;
    bool entry; /* of a lookaside list */
    bool alone; /* on its page */
    bool told;  /* an access after it was freed was reported */
};

bool host_pool_init(struct host_pool *pool, const struct host_physical *ram) {
    pthread_mutex_init(&pool->lock, NULL);
    pool->buckets = FIRST_BUCKETS;
    pool->bucket = calloc(FIRST_BUCKETS, sizeof(*pool->bucket));
    if (pool->bucket &&
        host_pool_frames_init(&pool->frames, ram->base + ram->bytes, HOST_POOL_BYTES) &&
        host_paged_pool_init(!host_world->config.threads))
        return true;
    host_pool_frames_done(&pool->frames);
    host_paged_pool_done();
    free(pool->bucket);
    pthread_mutex_destroy(&pool->lock);
    return false;
}

/* ---- A sanitizer ----------------------------------------------------------------------------- */

/* Of a run time that may be in the process. */
void __asan_poison_memory_region(const volatile void *start, size_t size) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *start, size_t size) __attribute__((weak));

void host_pool_watch(struct host_pool *pool) {
    pool->watched = __asan_poison_memory_region && __asan_unpoison_memory_region;
}

/* The host may touch all of the block; a driver, no more than is its own. */
static void watch_lift(const struct host_pool_block *b) {
    if (host_world->pool->watched)
        __asan_unpoison_memory_region(b->user - GUARD, b->size + (size_t)2 * GUARD);
}

static void watch_set(const struct host_pool_block *b) {
    if (!host_world->pool->watched)
        return;
    __asan_poison_memory_region(b->user - GUARD, GUARD);
    __asan_poison_memory_region(b->user + b->size, GUARD);
    if (b->freed)
        __asan_poison_memory_region(b->user, b->size);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static struct host_pool_hidden *pool_hidden(struct host_pool *pool, bool paged) {
    return paged ? host_paged_pool_hidden() : &pool->hidden;
}

/* The memory of a block, and the block. */
static void pool_release(struct host_pool *pool, struct host_pool_block *b) {
    watch_lift(b);
    if (b->paged && !pool->ends)
        host_paged_pool_give(b->raw, b->total);
    else if (!pool->ends)
        host_pool_frames_give(&pool->frames, b->raw, b->total);
    free(b);
}

/* Blocks of one page are in buckets that lie side by side: what is made one after the other is together. */
static uint32_t pool_hash(const struct host_pool *pool, const void *user) {
    uintptr_t page = (uintptr_t)user / HOST_PAGE, block = (uintptr_t)user % HOST_PAGE / (4 * GUARD);
    return (uint32_t)((page * 0x9e3779b97f4a7c15u >> 32) + block) & (pool->buckets - 1);
}

/* ASCII of a tag as debuggers show it: the low byte first. */
static void tag_text(ULONG tag, char text[5]) {
    for (int i = 0; i < 4; i++) {
        char c = (char)(tag >> (8 * i));
        text[i] = c >= ' ' && c <= '~' ? c : '.';
    }
    text[4] = 0;
}

static struct host_pool_block *pool_find(struct host_pool *pool, const void *user) {
    struct host_pool_block *b = pool->bucket[pool_hash(pool, user)];
    while (b && b->user != user)
        b = b->next_in_bucket;
    return b;
}

/* Twice the buckets; without memory for them the chains get longer. */
static void pool_grow(struct host_pool *pool) {
    struct host_pool_block **old = pool->bucket;
    struct host_pool_block **wider = calloc((size_t)pool->buckets * 2, sizeof(*wider));
    uint32_t count = pool->buckets;
    if (!wider)
        return;
    pool->bucket = wider;
    pool->buckets *= 2;
    for (uint32_t i = 0; i < count; i++)
        for (struct host_pool_block *b = old[i], *next; b; b = next) {
            uint32_t h = pool_hash(pool, b->user);
            next = b->next_in_bucket;
            b->next_in_bucket = wider[h];
            wider[h] = b;
        }
    free(old);
}

static void pool_insert(struct host_pool *pool, struct host_pool_block *b) {
    static uint64_t serial; /* under the pool's lock */
    if (pool->blocks >= pool->buckets)
        pool_grow(pool);
    uint32_t h = pool_hash(pool, b->user);
    b->next_in_bucket = pool->bucket[h];
    pool->bucket[h] = b;
    pool->blocks++;
    b->serial = ++serial;
}

static void pool_forget(struct host_pool *pool, struct host_pool_block *b) {
    struct host_pool_block **link = &pool->bucket[pool_hash(pool, b->user)];
    while (*link != b)
        link = &(*link)->next_in_bucket;
    *link = b->next_in_bucket;
    pool->blocks--;
}

/* By memcmp, which is faster than a loop: each byte is as the one before it. */
static bool pool_all(const uint8_t *bytes, size_t count, uint8_t value) {
    return count == 0 || (bytes[0] == value && memcmp(bytes, bytes + 1, count - 1) == 0);
}

/* Each damage is reported once: the guard is repaired. */
static void check_guards(struct host_pool_block *b) {
    char tag[5];
    watch_lift(b);
    tag_text(b->tag, tag);
    if (!pool_all(b->user - GUARD, GUARD, GUARD_BYTE)) {
        host_violation("the driver wrote before its pool block '%s' of %zu bytes", tag, b->size);
        memset(b->user - GUARD, GUARD_BYTE, GUARD);
    }
    if (!pool_all(b->user + b->size, GUARD, GUARD_BYTE)) {
        host_violation("the driver wrote past the end of its pool block '%s' of %zu bytes", tag,
                       b->size);
        memset(b->user + b->size, GUARD_BYTE, GUARD);
    }
    watch_set(b);
}

static void leave_quarantine(struct host_pool *pool) {
    struct host_pool_block *b = pool->oldest;
    char tag[5];
    pool->oldest = b->newer;
    if (!pool->oldest)
        pool->newest = NULL;
    pool->quarantined -= b->size;
    tag_text(b->tag, tag);
    watch_lift(b);
    if (b->alone)
        (void)host_pool_reveal(pool_hidden(pool, b->paged), b->raw);
    if (!b->told && !pool_all(b->user, b->size < POISONED ? b->size : POISONED, FREED_BYTE))
        host_violation("the driver wrote to its pool block '%s' of %zu bytes after freeing it", tag,
                       b->size);
    pool_forget(pool, b);
    pool_release(pool, b);
}

static struct host_pool_block *pool_alone_at(struct host_pool *pool, const uint8_t *page) {
    for (uint32_t i = 0; i < pool->buckets; i++)
        for (struct host_pool_block *b = pool->bucket[i]; b; b = b->next_in_bucket)
            if (b->freed && b->raw == page)
                return b;
    return NULL;
}

bool host_pool_fault(uint64_t address, bool writes) {
    struct host_pool *pool = host_world->pool;
    const uint8_t *page = (const uint8_t *)(uintptr_t)(address - address % HOST_PAGE);
    char tag[5];
    if (pthread_mutex_trylock(&pool->lock) != 0)
        return false;
    bool back =
        host_pool_reveal(&pool->hidden, page) || host_pool_reveal(host_paged_pool_hidden(), page);
    struct host_pool_block *b = back ? pool_alone_at(pool, page) : NULL;
    if (b && host_self.in_model == 0) {
        tag_text(b->tag, tag);
        host_violation("the driver %s its pool block '%s' of %zu bytes after freeing it, at offset "
                       "%lld",
                       writes ? "wrote to" : "read", tag, b->size,
                       (long long)(address - (uintptr_t)b->user));
        b->told = true;
    }
    pthread_mutex_unlock(&pool->lock);
    return back;
}

bool host_pool_place(struct host_pool *pool, uint64_t address, struct host_pool_place *place) {
    bool found = false;
    if (pthread_mutex_trylock(&pool->lock) != 0)
        return false;
    for (uint32_t i = 0; i < pool->buckets && !found; i++)
        for (struct host_pool_block *b = pool->bucket[i]; b && !found; b = b->next_in_bucket) {
            uint64_t offset = address - (uintptr_t)b->user;
            found = offset < b->size;
            place->size = b->size;
            place->offset = offset;
            tag_text(b->tag, place->tag);
        }
    pthread_mutex_unlock(&pool->lock);
    return found;
}

void host_pool_check(struct host_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    for (uint32_t i = 0; i < pool->buckets; i++)
        for (struct host_pool_block *b = pool->bucket[i]; b; b = b->next_in_bucket)
            if (!b->freed)
                check_guards(b);
    pthread_mutex_unlock(&pool->lock);
}

void host_pool_left(struct host_pool *pool, struct host_pool_left *left) {
    uint64_t first = UINT64_MAX;
    memset(left, 0, sizeof(*left));
    pthread_mutex_lock(&pool->lock);
    left->blocks = pool->live;
    left->bytes = pool->live_bytes;
    for (uint32_t i = 0; i < pool->buckets; i++)
        for (struct host_pool_block *b = pool->bucket[i]; b; b = b->next_in_bucket)
            if (!b->freed && b->serial < first) {
                first = b->serial;
                left->first_size = b->size;
                tag_text(b->tag, left->first_tag);
            }
    pthread_mutex_unlock(&pool->lock);
}

void host_pool_done(struct host_pool *pool) {
    pool->ends = true;
    while (pool->oldest)
        leave_quarantine(pool);
    for (uint32_t i = 0; i < pool->buckets; i++)
        for (struct host_pool_block *b = pool->bucket[i], *next; b; b = next) {
            next = b->next_in_bucket;
            pool_release(pool, b);
        }
    host_pool_frames_done(&pool->frames);
    host_paged_pool_done();
    free(pool->bucket);
    pthread_mutex_destroy(&pool->lock);
}

/*
 * Memory for `size` bytes between guards. Blocks of a page and more start on a page, smaller ones
 * on 16 bytes, as in the real pool; and a smaller one never crosses a page.
 */
static bool find_memory(struct host_pool_block *b, size_t size) {
    bool large = size + 2 * GUARD > HOST_PAGE;
    b->alone = !large && !host_world->pool->watched &&
               host_pool_hidden_wants(pool_hidden(host_world->pool, b->paged));
    size_t align = large ? HOST_PAGE : 16, lead = large ? HOST_PAGE : GUARD;
    b->size = size;
    b->total = b->alone ? HOST_PAGE : (lead + size + GUARD + align - 1) & ~(align - 1);
    b->raw = b->paged ? host_paged_pool_take(b->total)
                      : host_pool_frames_take(&host_world->pool->frames, b->total);
    b->user = (uint8_t *)b->raw + lead;
    return b->raw;
}

static void *pool_alloc(bool paged, size_t size, ULONG tag, uint8_t fill) {
    host_irql_at_most(paged ? APC_LEVEL : DISPATCH_LEVEL,
                      paged ? "ExAllocatePool for paged pool" : "ExAllocatePool");
    if (!host_may_allocate() || size > SIZE_MAX / 2)
        return NULL;
    struct host_pool_block *b = calloc(1, sizeof(*b));
    if (b)
        b->paged = paged;
    if (!b || !find_memory(b, size)) {
        free(b);
        return NULL;
    }
    b->tag = tag;
    bool reached = host_paged_pool_reach(true);
    memset(b->user - GUARD, GUARD_BYTE, GUARD);
    memset(b->user, fill, size);
    memset(b->user + size, GUARD_BYTE, GUARD);
    watch_set(b);
    (void)host_paged_pool_reach(reached);
    pthread_mutex_lock(&host_world->pool->lock);
    pool_insert(host_world->pool, b);
    host_world->pool->live++;
    host_world->pool->live_bytes += size;
    pthread_mutex_unlock(&host_world->pool->lock);
    host_track(HOST_TRACKED_POOL, b);
    return b->user;
}

PVOID host_pool_entry(POOL_TYPE type, SIZE_T size, ULONG tag) {
    struct host_pool *pool = host_world->pool;
    void *entry = ExAllocatePoolWithTag(type, size, tag);
    pthread_mutex_lock(&pool->lock);
    struct host_pool_block *b = entry ? pool_find(pool, entry) : NULL;
    if (b)
        b->entry = true;
    pthread_mutex_unlock(&pool->lock);
    return entry;
}

static void pool_quarantine(struct host_pool *pool, struct host_pool_block *b) {
    b->freed = true;
    pool->live--;
    pool->live_bytes -= b->size;
    memset(b->user, FREED_BYTE, b->size < POISONED ? b->size : POISONED);
    watch_set(b);
    if (b->alone)
        host_pool_hide(pool_hidden(pool, b->paged), b->raw);
    if (pool->newest)
        pool->newest->newer = b;
    else
        pool->oldest = b;
    pool->newest = b;
    pool->quarantined += b->size;
    while (pool->quarantined > QUARANTINE_BYTES)
        leave_quarantine(pool);
}

/* The driver's block ends. `tag` 0: the caller gave none; `entry`: a lookaside list takes it back. */
static void pool_judge_free(struct host_pool_block *b, ULONG tag, bool entry) {
    char text[5], what[40];
    tag_text(b->tag, text);
    host_irql_at_most(b->paged ? APC_LEVEL : DISPATCH_LEVEL, "ExFreePool");
    if (tag != 0 && b->tag != tag)
        host_violation("ExFreePoolWithTag names another tag than '%s', with which the block "
                       "of %zu bytes was allocated",
                       text, b->size);
    if (b->entry && !entry)
        host_violation("ExFreePool of an entry of a lookaside list, '%s' of %zu bytes, which "
                       "ExFreeTo...LookasideList gives back",
                       text, b->size);
    snprintf(what, sizeof(what), "pool block '%s'", text);
    host_in_use_freed(b->user, b->size, what);
    check_guards(b);
}

static void pool_free(void *p, ULONG tag, bool entry) {
    struct host_pool *pool = host_world->pool;
    char text[5];
    if (!p) {
        host_violation("ExFreePool of NULL");
        return;
    }
    pthread_mutex_lock(&pool->lock);
    bool reached = host_paged_pool_reach(true); /* guards and freed blocks are looked at */
    struct host_pool_block *b = pool_find(pool, p);
    if (b && !b->freed) {
        pool_judge_free(b, tag, entry);
        host_untrack(HOST_TRACKED_POOL, b);
        pool_quarantine(pool, b);
    } else if (b) {
        tag_text(b->tag, text);
        host_violation("the driver freed its pool block '%s' of %zu bytes twice", text, b->size);
    }
    (void)host_paged_pool_reach(reached);
    pthread_mutex_unlock(&pool->lock);
    if (!b && !host_mdl_free_as_pool(p))
        host_violation("ExFreePool of an address that is no pool block");
}

void host_pool_entry_free(PVOID entry, ULONG tag) {
    pool_free(entry, tag, true);
}

static bool is_paged(POOL_TYPE type) {
    return (type & 1) != 0;
}

NTKERNELAPI PVOID NTAPI ExAllocatePoolWithTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
    return pool_alloc(is_paged(PoolType), NumberOfBytes, Tag, FRESH_BYTE);
}

NTKERNELAPI PVOID NTAPI ExAllocatePool(POOL_TYPE PoolType, SIZE_T NumberOfBytes) {
    return pool_alloc(is_paged(PoolType), NumberOfBytes, 0x656e6f4eu /* "None" */, FRESH_BYTE);
}

/* Zeroed unless POOL_FLAG_UNINITIALIZED asks otherwise. */
NTKERNELAPI PVOID NTAPI ExAllocatePool2(POOL_FLAGS Flags, SIZE_T NumberOfBytes, ULONG Tag) {
    ULONG64 kinds = Flags & (POOL_FLAG_PAGED | POOL_FLAG_NON_PAGED | POOL_FLAG_NON_PAGED_EXECUTE);
    if (Tag == 0)
        host_violation("ExAllocatePool2 with a tag of 0");
    if (kinds == 0 || (kinds & (kinds - 1)) != 0)
        host_violation("ExAllocatePool2 with flags 0x%llx, which name no single kind of pool",
                       (unsigned long long)Flags);
    if (Tag == 0 || kinds == 0 || (kinds & (kinds - 1)) != 0)
        return NULL;
    return pool_alloc((Flags & POOL_FLAG_PAGED) != 0, NumberOfBytes, Tag,
                      Flags & POOL_FLAG_UNINITIALIZED ? FRESH_BYTE : 0);
}

NTKERNELAPI VOID NTAPI ExFreePoolWithTag(PVOID P, ULONG Tag) {
    pool_free(P, Tag, false);
}

NTKERNELAPI VOID NTAPI ExFreePool(PVOID P) {
    pool_free(P, 0, false);
}
