/*
 * map_keep.c - keeps the record of a map small; see map.h. Columns and rows become twice as wide when
 * there are too few; of stays the smallest, by bytes times time, are merged into a grid.
 */
#include "map.h"

#include <stdlib.h>
#include <string.h>

/* ---- Columns --------------------------------------------------------------------------------- */

static uint64_t keep_most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void column_join(struct map_column *into, const struct map_column *from) {
    for (uint32_t i = 0; i < MAP_SEGMENTS; i++)
        into->used[i] = keep_most(into->used[i], from->used[i]);
    for (uint32_t i = 0; i < MAP_PROCESSES; i++)
        into->resident[i] = keep_most(into->resident[i], from->resident[i]);
    into->in += from->in;
    into->out += from->out;
    into->submissions += from->submissions;
    into->page_ins += from->page_ins;
    into->evictions += from->evictions;
}

static void grid_halve_columns(float *row) {
    for (uint32_t i = 0; i < MAP_COLUMNS / 2; i++)
        row[i] = row[2 * i] + row[2 * i + 1];
    memset(row + MAP_COLUMNS / 2, 0, MAP_COLUMNS / 2 * sizeof(*row));
}

static void columns_halve(struct map_shared *shared) {
    for (uint32_t i = 0; i < MAP_COLUMNS / 2; i++) {
        struct map_column joined = shared->columns[2 * i];
        column_join(&joined, &shared->columns[2 * i + 1]);
        shared->columns[i] = joined;
    }
    memset(shared->columns + MAP_COLUMNS / 2, 0, MAP_COLUMNS / 2 * sizeof(shared->columns[0]));
    for (uint32_t segment = 0; segment < MAP_SEGMENTS; segment++)
        for (uint32_t row = 0; shared->merged[segment] != 0 && row < MAP_ROWS; row++)
            grid_halve_columns(shared->grid[segment][row]);
    shared->quantum *= 2;
    shared->column /= 2;
}

void map_advance(struct map_shared *shared, uint64_t ns) {
    shared->now = ns;
    while (ns / shared->quantum >= MAP_COLUMNS)
        columns_halve(shared);
    while (shared->column < ns / shared->quantum) {
        struct map_column *column = &shared->columns[++shared->column];
        memcpy(column->used, shared->used, sizeof(column->used));
        memcpy(column->resident, shared->resident, sizeof(column->resident));
    }
}

/* ---- Merged stays ---------------------------------------------------------------------------- */

static void grid_halve_rows(struct map_shared *shared, uint32_t segment) {
    for (uint32_t row = 0; row < MAP_ROWS; row++)
        for (uint32_t i = 0; i < MAP_COLUMNS; i++) {
            float *grid = &shared->grid[segment][row][i];
            bool there = row < MAP_ROWS / 2;
            *grid = there
                        ? shared->grid[segment][2 * row][i] + shared->grid[segment][2 * row + 1][i]
                        : 0;
        }
    shared->row_bytes[segment] *= 2;
}

/* The part of [begin, end) that lies in the cell of that index and width. */
static double keep_overlap(uint64_t begin, uint64_t end, uint64_t index, uint64_t width) {
    uint64_t from = index * width, to = from + width;
    from = from > begin ? from : begin;
    to = to < end ? to : end;
    return to > from ? (double)(to - from) : 0;
}

static void part_merge(struct map_shared *shared, const struct map_stay *stay, uint64_t offset,
                       uint64_t size) {
    uint64_t *rows = &shared->row_bytes[stay->segment], top = offset + size;
    uint64_t end = stay->end > stay->begin ? stay->end : stay->begin + 1;
    if (*rows == 0)
        *rows = MAP_PAGE;
    while ((top - 1) / *rows >= MAP_ROWS)
        grid_halve_rows(shared, stay->segment);
    for (uint64_t row = offset / *rows; row <= (top - 1) / *rows; row++)
        for (uint64_t i = stay->begin / shared->quantum;
             i <= (end - 1) / shared->quantum && i < MAP_COLUMNS; i++)
            shared->grid[stay->segment][row][i] +=
                (float)(keep_overlap(offset, top, row, *rows) *
                        keep_overlap(stay->begin, end, i, shared->quantum));
}

static void stay_merge(struct map_shared *shared, const struct map_stay *stay) {
    shared->merged[stay->segment]++;
    for (uint32_t i = 0; i < stay->parts; i++)
        if (stay->part[i].pages != 0)
            part_merge(shared, stay, (uint64_t)stay->part[i].page * MAP_PAGE,
                       (uint64_t)stay->part[i].pages * MAP_PAGE);
}

static double stay_weight(const struct map_stay *stay) {
    return (double)stay->size * (double)(stay->end - stay->begin + 1);
}

/* The heaviest first; equal ones as they came. */
static int compare_weight(const void *a, const void *b) {
    const struct map_stay *const *x = a, *const *y = b;
    double first = stay_weight(*x), second = stay_weight(*y);
    if (first != second)
        return first > second ? -1 : 1;
    return *x < *y ? -1 : 1;
}

/* Closed stays of a segment (0: of all), the heaviest first; the caller's to free. NULL: no memory. */
static const struct map_stay **sort_closed(const struct map_shared *shared, uint32_t segment,
                                           uint32_t *count) {
    const struct map_stay **list = malloc((shared->stays + 1u) * sizeof(const struct map_stay *));
    *count = 0;
    for (uint32_t i = 0; list && i < shared->stays; i++) {
        const struct map_stay *stay = &shared->stay[i];
        if (stay->left != MAP_OPEN && (segment == 0 || stay->segment == segment))
            list[(*count)++] = stay;
    }
    if (list)
        qsort(list, *count, sizeof(const struct map_stay *), compare_weight);
    return list;
}

/* Closes the gaps that stays of size 0 are. */
static void stays_close_up(struct map_shared *shared) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < shared->stays; i++) {
        if (shared->stay[i].size == 0)
            continue;
        if (shared->stay[i].left == MAP_OPEN)
            shared->owner[shared->stay[i].owner].open = kept + 1;
        shared->stay[kept++] = shared->stay[i];
    }
    shared->stays = kept;
}

static void stays_merge(struct map_shared *shared, uint32_t segment, uint32_t most) {
    uint32_t count;
    const struct map_stay **list = sort_closed(shared, segment, &count);
    for (uint32_t i = most; list && i < count; i++) {
        stay_merge(shared, list[i]);
        shared->stay[list[i] - shared->stay].size = 0; /* closed up below */
    }
    free(list);
    stays_close_up(shared);
}

struct map_stay *map_stay_add(struct map_shared *shared) {
    if (shared->stays >= MAP_STAYS) {
        stays_merge(shared, 0, MAP_STAYS / 2);
        if (shared->stays > MAP_STAYS - MAP_STAYS / 8)
            stays_merge(shared, 0, 0);
    }
    if (shared->stays >= MAP_STAYS)
        return NULL;
    struct map_stay *stay = &shared->stay[shared->stays++];
    memset(stay, 0, sizeof(*stay));
    return stay;
}

void map_reach(struct map_shared *shared, const struct map_stay *stay) {
    uint64_t *size = &shared->size[stay->segment];
    for (uint32_t i = 0; i < stay->parts; i++) {
        uint64_t end = ((uint64_t)stay->part[i].page + stay->part[i].pages) * MAP_PAGE;
        *size = end > *size ? end : *size;
    }
}

/* ---- Stays without a range ------------------------------------------------------------------- */

/* The lowest place of so many pages between those that are taken, which are in order. */
static uint32_t float_find(const struct map_part *taken, uint32_t count, uint32_t pages,
                           uint32_t *at) {
    uint32_t page = 0;
    for (*at = 0; *at < count && taken[*at].page - page < pages; (*at)++)
        page = taken[*at].page + taken[*at].pages;
    return page;
}

/* What still lies there when `stay` comes. */
static uint32_t float_living(const struct map_shared *shared, const struct map_stay *stay,
                             struct map_part *taken) {
    uint32_t count = 0;
    for (const struct map_stay *one = shared->stay; one != stay; one++) {
        if (!one->floats || one->segment != stay->segment || one->end <= stay->begin)
            continue;
        uint32_t at = count++;
        for (; at > 0 && taken[at - 1].page > one->part[0].page; at--)
            taken[at] = taken[at - 1];
        taken[at] = one->part[0];
    }
    return count;
}

/* Gives stays that are no range of their segment one in the picture: the lowest that is free. */
static void float_stays(struct map_shared *shared) {
    struct map_part *taken = malloc(MAP_STAYS * sizeof(*taken));
    for (uint32_t i = 0; taken && i < shared->stays; i++) {
        struct map_stay *stay = &shared->stay[i];
        uint32_t pages = (uint32_t)((stay->size + MAP_PAGE - 1) / MAP_PAGE), at;
        if (stay->parts != 0)
            continue;
        uint32_t count = float_living(shared, stay, taken);
        stay->floats = true;
        stay->parts = 1;
        stay->part[0] = (struct map_part){float_find(taken, count, pages, &at), pages};
        shared->floats[stay->segment] = true;
        map_reach(shared, stay);
    }
    free(taken);
}

/* ---- The end --------------------------------------------------------------------------------- */

static bool stay_sound(const struct map_shared *shared, const struct map_stay *stay) {
    return stay->owner < shared->owners && stay->segment != 0 && stay->segment < MAP_SEGMENTS &&
           stay->size != 0 && stay->parts <= MAP_PARTS && stay->begin <= stay->end &&
           stay->end <= shared->now && stay->from < MAP_SEGMENTS && stay->to < MAP_SEGMENTS &&
           stay->came < VIDMM_MOVE_REASONS && stay->left < MAP_ENDS &&
           stay->why < VIDMM_PLAN_REASONS && stay->why_left < VIDMM_PLAN_REASONS;
}

static void keep_at_most(uint32_t *count, uint32_t most) {
    *count = *count < most ? *count : most;
}

static void mend_lists(struct map_shared *shared) {
    for (uint32_t i = 0; i < MAP_MARKS; i++)
        shared->mark[i].text[sizeof(shared->mark[i].text) - 1] = '\0';
    for (uint32_t i = 0; i < shared->owners; i++)
        shared->owner[i].process %= MAP_PROCESSES;
    for (uint32_t i = 0; i < shared->undones; i++) {
        shared->undone[i].reason %= VIDMM_MOVE_REASONS;
        shared->undone[i].segment %= MAP_SEGMENTS;
        if (shared->undone[i].owner >= shared->owners)
            shared->undones = i;
    }
}

/* Few enough to be drawn. */
static void mend_merge(struct map_shared *shared) {
    uint32_t count = 0;
    for (uint32_t i = 1; i < MAP_SEGMENTS; i++)
        count += shared->seen[i];
    uint32_t each = MAP_DRAWN / (count != 0 ? count : 1);
    for (uint32_t i = 1; i < MAP_SEGMENTS; i++)
        if (shared->seen[i])
            stays_merge(shared, i, each < MAP_DRAWN_OF_ONE ? each : MAP_DRAWN_OF_ONE);
}

void report_map_mend(struct vidmm_report_map *map) {
    struct map_shared *shared = map->shared;
    keep_at_most(&shared->stays, MAP_STAYS);
    keep_at_most(&shared->owners, MAP_OWNERS);
    keep_at_most(&shared->marks, MAP_MARKS);
    keep_at_most(&shared->undones, MAP_UNDONE);
    keep_at_most(&shared->column, MAP_COLUMNS - 1);
    if (shared->quantum == 0)
        shared->quantum = 1;
    mend_lists(shared);
    for (uint32_t i = 0; i < shared->stays; i++) {
        struct map_stay *stay = &shared->stay[i];
        if (stay->left == MAP_OPEN) {
            stay->end = shared->now;
            stay->left = MAP_STAYED;
        }
        if (!stay_sound(shared, stay))
            stay->size = 0;
    }
    stays_close_up(shared);
    mend_merge(shared);
    float_stays(shared);
}
