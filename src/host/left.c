/*
 * left.c - leaks of a driver, a hardware model and the manager at the end of a host, as one
 * sentence for the caller of vidmm_host_destroy.
 */
#include "left.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/world.h"
#include "memory/bars.h"
#include "memory/contiguous.h"
#include "memory/mdl.h"
#include "memory/pool.h"
#include "places.h"

struct left_text {
    char *text;
    size_t size, length;
};

static void left_say(struct left_text *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void left_say(struct left_text *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(s->text + s->length, s->size - s->length, format, args);
    va_end(args);
    if (n > 0)
        s->length += (size_t)n < s->size - s->length ? (size_t)n : s->size - s->length - 1;
}

static void left_count(struct left_text *s, uint64_t count, const char *what) {
    if (count != 0)
        left_say(s, "%s%llu %s", s->length != 0 ? ", " : "", (unsigned long long)count, what);
}

static void left_blocks(struct left_text *s, enum host_owner owner, const char *what) {
    const struct host_allocations *all = &host_world->allocations;
    left_count(s, atomic_load(&all->live[owner]), what);
    if (atomic_load(&all->live[owner]) != 0 && atomic_load(&all->live_bytes[owner]) != 0)
        left_say(s, " (%llu bytes)", (unsigned long long)atomic_load(&all->live_bytes[owner]));
}

/* Lists everything that was not freed; true if there is nothing. */
static bool left_nothing(struct vidmm_host *host, const struct host_left *left,
                         struct vidmm_host_error *error) {
    struct left_text s = {error->text, sizeof(error->text), 0};
    struct host_pool_left pool;
    host_pool_left(host->pool, &pool);
    left_count(&s, pool.blocks, "pool blocks");
    if (pool.blocks != 0)
        left_say(&s, " (%llu bytes; the first is '%s' of %zu bytes)",
                 (unsigned long long)pool.bytes, pool.first_tag, pool.first_size);
    host_place_leak(pool.blocks != 0 ? pool.first_caller : 0);
    left_count(&s, host_contiguous_left(host->contiguous), "contiguous blocks");
    left_count(&s, host_mdls_left(host->mdls), "MDLs");
    left_count(&s, host_bars_mappings_left(host->bars), "I/O mappings");
    left_count(&s, left->timers, "timers that are set");
    left_count(&s, left->ex_timers, "timers of ExAllocateTimer");
    left_count(&s, left->handles, "thread handles or references");
    left_count(&s, left->work_items, "work items");
    left_count(&s, left->callbacks, "registered callbacks");
    left_blocks(&s, HOST_OWNER_MANAGER, "blocks of the manager");
    left_blocks(&s, HOST_OWNER_LOCKS, "locks of the manager");
    left_blocks(&s, HOST_OWNER_PAGES, "page lists of the manager");
    left_blocks(&s, HOST_OWNER_IO, "requests, DMA adapters or registrations");
    left_blocks(&s, HOST_OWNER_MODEL, "blocks of the hardware model");
    if (s.length != 0)
        left_say(&s, " were left behind after DxgkDdiUnload");
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
