/* guard.c - canaries around what the driver writes; see guard.h. */
#include <stdlib.h>
#include <string.h>

#include "state/judge.h"
#include "state/memory.h"

#define PAGE 4096u

static _Thread_local uint8_t guard_byte = VIDMM_REFEREE_GUARD;
static struct { vidmm_referee_range forbid, allow; } guard_sanitizer;

void vidmm_referee_guards(uint8_t byte) {
    guard_byte = byte;
}

void vidmm_referee_forbid(vidmm_referee_range forbid, vidmm_referee_range allow) {
    guard_sanitizer.forbid = forbid;
    guard_sanitizer.allow = allow;
}

/* What lies on both sides: reading it, too, is an access beyond the buffer. */
static void guard_around(const struct guard *guard, vidmm_referee_range tell) {
    if (!tell)
        return;
    tell(guard->bytes - GUARD_BEFORE, GUARD_BEFORE);
    tell(guard->bytes + guard->size, guard->after);
}

/* The class of the blocks that hold `needed` bytes; GUARD_CLASSES: larger ones have none. */
static uint32_t guard_class(size_t needed) {
    uint32_t class = 0;
    while (class < GUARD_CLASSES && (size_t)PAGE << class < needed)
        class ++;
    return class;
}

static size_t guard_room(size_t needed) {
    uint32_t class = guard_class(needed);
    return class < GUARD_CLASSES ? (size_t)PAGE << class : (needed + PAGE - 1) / PAGE * PAGE;
}

static uint8_t *guard_block_take(struct guard_blocks *blocks, size_t room) {
    uint32_t class = guard_class(room);
    if (class < GUARD_CLASSES && blocks->spares[class].count != 0)
        return blocks->spares[class].block[--blocks->spares[class].count];
    return memory_pages(PAGE, room);
}

void guard_block_give(struct guard_blocks *blocks, struct guard_block block) {
    uint32_t class = guard_class(block.room);
    if (class < GUARD_CLASSES && blocks->spares[class].count < GUARD_SPARES)
        blocks->spares[class].block[blocks->spares[class].count++] = block.bytes;
    else
        free(block.bytes);
}

/* For the sanitizer all of it is out of reach. */
static uint32_t guard_after(struct guard_blocks *blocks) {
    uint64_t number = blocks->made++;
    bool whole = number < GUARD_WHOLE || number % GUARD_SAMPLED == 0 || guard_sanitizer.forbid;
    return whole ? GUARD_AFTER : GUARD_NEAR;
}

void guard_make_fresh(struct vidmm_referee *referee, struct guard *guard, void *original,
                      size_t size) {
    *guard =
        (struct guard){.bytes = original, .original = original, .size = size, .byte = guard_byte};
    if (!original || size > GUARD_MOST)
        return;
    guard->after = guard_after(&referee->blocks);
    size_t offset = (uintptr_t)original % PAGE;
    guard->room = guard_room(PAGE + offset + size + GUARD_AFTER);
    guard->block = guard_block_take(&referee->blocks, guard->room);
    if (!guard->block)
        return;
    guard->bytes = guard->block + PAGE + offset;
    memset(guard->bytes - GUARD_BEFORE, guard->byte, GUARD_BEFORE);
    memset(guard->bytes + size, guard->byte, guard->after);
    guard_around(guard, guard_sanitizer.forbid);
}

void guard_make(struct vidmm_referee *referee, struct guard *guard, void *original, size_t size) {
    guard_make_fresh(referee, guard, original, size);
    if (guard->block)
        memcpy(guard->bytes, original, size);
}

void guard_shorten(struct guard *guard, size_t size) {
    if (guard->block)
        guard_around(guard, guard_sanitizer.allow);
    guard->size = size;
    if (!guard->block)
        return;
    memset(guard->bytes + size, guard->byte, guard->after);
    guard_around(guard, guard_sanitizer.forbid);
}

/* Bytes from `bytes` on that are `byte`; `size` when all are. */
static size_t guard_run(const uint8_t *bytes, size_t size, uint8_t byte) {
    size_t run = 0;
    if (bytes[0] == byte && memcmp(bytes, bytes + 1, size - 1) == 0)
        return size;
    while (bytes[run] == byte)
        run++;
    return run;
}

bool guard_whole(const struct guard *guard, int64_t *at) {
    if (!guard->block)
        return true;
    guard_around(guard, guard_sanitizer.allow);
    size_t before = guard_run(guard->bytes - GUARD_BEFORE, GUARD_BEFORE, guard->byte);
    size_t after = guard_run(guard->bytes + guard->size, guard->after, guard->byte);
    guard_around(guard, guard_sanitizer.forbid);
    if (before != GUARD_BEFORE)
        *at = (int64_t)before - (int64_t)GUARD_BEFORE;
    else if (after != guard->after)
        *at = (int64_t)(guard->size + after);
    return before == GUARD_BEFORE && after == guard->after;
}

void guard_give(const struct guard *guard, size_t from, size_t to) {
    if (guard->block && from < to)
        memcpy((uint8_t *)guard->original + from, guard->bytes + from, to - from);
}

void *guard_original(const struct guard *guard, void *p) {
    uint8_t *at = p;
    if (!guard->block || at < guard->bytes || at > guard->bytes + guard->size)
        return p;
    return (uint8_t *)guard->original + (at - guard->bytes);
}

/* The oldest of the retired blocks. */
static struct guard_block guard_block_oldest(struct guard_blocks *blocks) {
    struct guard_block block = blocks->retired[blocks->first++ % GUARD_RETIRED];
    blocks->retired_room -= block.room;
    return block;
}

uint8_t *guard_take_block(struct guard *guard, size_t *room) {
    uint8_t *block = guard->block;
    guard_around(guard, guard_sanitizer.allow);
    guard->block = NULL;
    *room = guard->room;
    return block;
}

void guard_free(struct vidmm_referee *referee, struct guard *guard) {
    struct guard_blocks *blocks = &referee->blocks;
    if (!guard->block)
        return;
    guard_around(guard, guard_sanitizer.allow);
    while (blocks->next - blocks->first == GUARD_RETIRED ||
           (blocks->next - blocks->first >= GUARD_RETIRED_MIN &&
            blocks->retired_room + guard->room > GUARD_RETIRED_ROOM))
        guard_block_give(blocks, guard_block_oldest(blocks));
    blocks->retired[blocks->next++ % GUARD_RETIRED] =
        (struct guard_block){guard->block, guard->room};
    blocks->retired_room += guard->room;
    guard->block = NULL;
}

void guard_free_blocks(struct guard_blocks *blocks) {
    while (blocks->first != blocks->next)
        free(guard_block_oldest(blocks).bytes);
    for (struct guard_spares *spares = blocks->spares; spares < blocks->spares + GUARD_CLASSES;
         spares++)
        while (spares->count != 0)
            free(spares->block[--spares->count]);
}

void guard_judge(struct vidmm_referee *referee, const struct guard *guard, const char *what) {
    int64_t at;
    if (!guard_whole(guard, &at))
        vidmm_ledger_note(referee->ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER,
                          "%s: the driver wrote byte %lld of %zu in %s", referee->ledger->calling,
                          (long long)at, guard->size, what);
}
