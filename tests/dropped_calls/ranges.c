/*
 * ranges.c - sets of addresses: those of which a TLB may know something that is not true any more,
 * since entries on their way changed, at any level, and no flush was asked for since; and those
 * whose leaf entries, or large pages, lead somewhere.
 */
#include "dropped.h"

#include <stdlib.h>

struct range {
    HANDLE process;
    uint64_t start, end;
};

static struct {
    struct range *ranges;
    uint32_t count, room;
} sets[RANGES_SETS];

static void append(enum range_set set, HANDLE process, uint64_t start, uint64_t end) {
    uint32_t room = sets[set].room;
    if (sets[set].count == room) {
        room = room != 0 ? 2 * room : 256;
        sets[set].ranges = realloc(sets[set].ranges, room * sizeof(*sets[set].ranges));
        if (!sets[set].ranges)
            abort();
        sets[set].room = room;
    }
    sets[set].ranges[sets[set].count++] = (struct range){process, start, end};
}

void ranges_add(enum range_set set, HANDLE process, uint64_t start, uint64_t end) {
    uint32_t count = sets[set].count;
    struct range *last = count != 0 ? &sets[set].ranges[count - 1] : NULL;
    if (last && last->process == process && last->end == start)
        last->end = end;
    else
        append(set, process, start, end);
}

void ranges_remove(enum range_set set, HANDLE process, uint64_t start, uint64_t end) {
    for (uint32_t i = sets[set].count; i > 0; i--) {
        struct range *range = &sets[set].ranges[i - 1];
        uint64_t stop = range->end;
        if (range->process != process || range->start >= end || stop <= start)
            continue;
        range->end = range->start < start ? start : range->start;
        bool empty = range->start == range->end;
        if (empty)
            *range = sets[set].ranges[--sets[set].count];
        if (stop > end)
            append(set, process, end, stop);
    }
}

bool ranges_any(enum range_set set, HANDLE process, uint64_t start, uint64_t end) {
    const struct range *ranges = sets[set].ranges;
    for (uint32_t i = 0; i < sets[set].count; i++)
        if (ranges[i].process == process && ranges[i].start < end && start < ranges[i].end)
            return true;
    return false;
}

bool ranges_lead(HANDLE process, uint64_t start, uint64_t end) {
    return ranges_any(RANGES_MAPPED, process, start, end) ||
           ranges_any(RANGES_LARGE, process, start, end);
}
