/*
 * left.c - leaks of a driver, a hardware model and the manager at the end of a host, as one
 * sentence for the caller of vidmm_host_destroy.
 */
#include "left.h"

#include <stdio.h>
#include <string.h>

#include "base/world.h"
#include "memory/bars.h"
#include "memory/contiguous.h"
#include "memory/mdl.h"
#include "memory/pool.h"

/* ---- One kind at a time ---------------------------------------------------------------------- */

#define LEAKS_MOST 20u

static struct left_leak {
    char text[160];
    struct host_trace trace;
} leaks[LEAKS_MOST];
static uint32_t leak_count;
static const struct host_trace *told;

void host_left_begin(void) {
    leak_count = 0;
    told = NULL;
}

void host_left_tell(enum host_tracked kind, const char *sentence) {
    if (leak_count == LEAKS_MOST)
        return;
    struct left_leak *leak = &leaks[leak_count++];
    snprintf(leak->text, sizeof(leak->text), "%s", sentence);
    leak->trace = host_tracked_oldest(kind);
}

const char *vidmm_host_leak(uint32_t index) {
    told = index < leak_count ? &leaks[index].trace : NULL;
    return told ? leaks[index].text : NULL;
}

const struct host_trace *host_left_told(void) {
    return told;
}

/* ---- All of them ----------------------------------------------------------------------------- */

#define LEFT_BEHIND " were left behind after DxgkDdiUnload"

struct left_text {
    char *text;
    size_t size, length;
};

/* "2 MDLs", "3 pool blocks (96 bytes)"; of no thing nothing. */
static void left_count(struct left_text *s, enum host_tracked kind, uint64_t count,
                       const char *what, const char *details) {
    char counted[120], sentence[160];
    if (count == 0)
        return;
    snprintf(counted, sizeof(counted), "%llu %s%s", (unsigned long long)count, what, details);
    snprintf(sentence, sizeof(sentence), "%s" LEFT_BEHIND, counted);
    host_left_tell(kind, sentence);
    int n = snprintf(s->text + s->length, s->size - s->length, "%s%s", s->length != 0 ? ", " : "",
                     counted);
    if (n > 0)
        s->length += (size_t)n < s->size - s->length ? (size_t)n : s->size - s->length - 1;
}

static void left_blocks(struct left_text *s, enum host_owner owner, const char *what) {
    const struct host_allocations *all = &host_world->allocations;
    uint64_t bytes = atomic_load(&all->live_bytes[owner]);
    char size[40] = "";
    if (bytes != 0)
        snprintf(size, sizeof(size), " (%llu bytes)", (unsigned long long)bytes);
    left_count(s, owner == HOST_OWNER_IO ? HOST_TRACKED_IO : HOST_TRACKED_NOT,
               atomic_load(&all->live[owner]), what, size);
}

static void left_pool(struct left_text *s, struct host_pool *of) {
    struct host_pool_left pool;
    char details[80];
    host_pool_left(of, &pool);
    snprintf(details, sizeof(details), " (%llu bytes; the first is '%s' of %zu bytes)",
             (unsigned long long)pool.bytes, pool.first_tag, pool.first_size);
    left_count(s, HOST_TRACKED_POOL, pool.blocks, "pool blocks", details);
}

/* Lists everything that was not freed; true if there is nothing. */
static bool left_nothing(struct vidmm_host *host, const struct host_left *left,
                         struct vidmm_host_error *error) {
    struct left_text s = {error->text, sizeof(error->text), 0};
    const struct {
        enum host_tracked kind;
        uint64_t count;
        const char *what;
    } kinds[] = {
        {HOST_TRACKED_CONTIGUOUS, host_contiguous_left(host->contiguous), "contiguous blocks"},
        {HOST_TRACKED_MDL, host_mdls_left(host->mdls), "MDLs"},
        {HOST_TRACKED_MAPPING, host_bars_mappings_left(host->bars), "I/O mappings"},
        {HOST_TRACKED_TIMER, left->timers, "timers that are set"},
        {HOST_TRACKED_EX_TIMER, left->ex_timers, "timers of ExAllocateTimer"},
        {HOST_TRACKED_THREAD, left->handles, "thread handles or references"},
        {HOST_TRACKED_EVENT, left->events, "event handles or references"},
        {HOST_TRACKED_HANDLE, left->keys, "open handles of registry keys"},
        {HOST_TRACKED_HANDLE, left->sections, "open handles of sections"},
        {HOST_TRACKED_HANDLE, left->directories, "open handles of object directories"},
        {HOST_TRACKED_WORK_ITEM, left->work_items, "work items"},
        {HOST_TRACKED_CALLBACK, left->callbacks, "registered callbacks"},
        {HOST_TRACKED_NOT, left->resources, "executive resources"},
        {HOST_TRACKED_NOT, left->lookasides, "lookaside lists"},
    };
    left_pool(&s, host->pool);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        left_count(&s, kinds[i].kind, kinds[i].count, kinds[i].what, "");
    left_blocks(&s, HOST_OWNER_MANAGER, "blocks of the manager");
    left_blocks(&s, HOST_OWNER_LOCKS, "locks of the manager");
    left_blocks(&s, HOST_OWNER_PAGES, "page lists of the manager");
    left_blocks(&s, HOST_OWNER_IO, "requests, DMA adapters or registrations");
    left_blocks(&s, HOST_OWNER_MODEL, "blocks of the hardware model");
    if (s.length != 0)
        snprintf(s.text + s.length, s.size - s.length, LEFT_BEHIND);
    return s.length == 0;
}

/* Damage of guard bytes is a violation. The first one since `before` is also reported to the caller
 * of destroy. */
static bool left_guards_whole(struct vidmm_host *host, uint32_t before,
                              struct vidmm_host_error *error) {
    const char *text = vidmm_host_violation(host, before);
    if (!text)
        return true;
    size_t length = strlen(error->text);
    snprintf(error->text + length, sizeof(error->text) - length, "%s%s", length != 0 ? "; " : "",
             text);
    return false;
}

bool host_left_nothing(struct vidmm_host *host, const struct host_left *left,
                       struct vidmm_host_error *error) {
    bool good = left_nothing(host, left, error);
    return left_guards_whole(host, left->violations_before, error) && good;
}
