/*
 * html_data.c - the data of an HTML report's script: stays, their owners and figures over time, as JSON
 * in the page. Lists of numbers, whose order report.js knows.
 */
#include "html.h"

#include <inttypes.h>
#include <stdlib.h>

/* Indices of the owners of stays that are drawn, in the data; 0: not there. */
static uint32_t *number_owners(const struct map_shared *map) {
    uint32_t *number = calloc(MAP_OWNERS, sizeof(*number));
    uint32_t count = 0;
    for (uint32_t i = 0; number && i < map->stays; i++)
        if (number[map->stay[i].owner] == 0)
            number[map->stay[i].owner] = ++count;
    return number;
}

/* ---- Owners and stays ------------------------------------------------------------------------ */

static void data_owner(const struct html_page *page, const struct map_owner *owner) {
    char name[HTML_NAME], kind[HTML_NAME];
    fputc('[', page->out);
    html_json_text(page->out, html_owner_name(owner, name));
    fputc(',', page->out);
    html_json_text(page->out, html_owner_kind(page, owner, kind));
    fprintf(page->out,
            ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64
            ",%" PRIu32 ",%" PRIu32 "]",
            owner->number, owner->process, owner->size, owner->page_ins, owner->evictions,
            owner->in, owner->out, owner->uses, owner->writes);
}

static void data_owners(const struct html_page *page, const uint32_t *number) {
    const struct map_shared *map = page->map;
    uint32_t next = 0;
    fputs(",\n\"owners\":[", page->out);
    for (uint32_t i = 0; i < map->stays; i++) {
        uint32_t owner = map->stay[i].owner;
        if (number[owner] != next + 1)
            continue;
        fputs(next++ != 0 ? ",\n" : "\n", page->out);
        data_owner(page, &map->owner[owner]);
    }
    fputs("]", page->out);
}

/* A character a bin: 0, then doubling counts 1, 2, 4 ... as 1, 2, 3 ... */
static void data_bins(FILE *out, const uint8_t bins[MAP_BINS]) {
    uint32_t last = MAP_BINS;
    while (last > 0 && bins[last - 1] == 0)
        last--;
    fputs(",\"", out);
    for (uint32_t i = 0; i < last; i++) {
        uint32_t level = 0;
        while (bins[i] >> level != 0)
            level++;
        fputc((int)('0' + level), out);
    }
    fputc('"', out);
}

static void data_stay(FILE *out, const struct map_stay *stay, uint32_t owner) {
    fprintf(out,
            "[%" PRIu32 ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%u,%u,%u,%u,%u,%" PRIu64
            ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%d,%" PRIu32 ",[",
            owner, stay->segment, stay->size, stay->begin, stay->end, stay->came, stay->why,
            stay->from, stay->left, stay->why_left, stay->to, stay->plan, stay->plan_left,
            stay->uses, stay->writes, stay->writes != 0 ? stay->first_write : 0, stay->bin_ns,
            stay->floats, stay->scattered);
    for (uint32_t i = 0; i < stay->parts; i++)
        fprintf(out, "%s%" PRIu32 ",%" PRIu32, i != 0 ? "," : "", stay->part[i].page,
                stay->part[i].pages);
    fputc(']', out);
    data_bins(out, stay->used);
    data_bins(out, stay->written);
    fputc(']', out);
}

static void data_stays(const struct html_page *page, const uint32_t *number) {
    const struct map_shared *map = page->map;
    fputs(",\n\"stays\":[", page->out);
    for (uint32_t i = 0; i < map->stays; i++) {
        fputs(i != 0 ? ",\n" : "\n", page->out);
        data_stay(page->out, &map->stay[i], number[map->stay[i].owner] - 1);
    }
    fputs("]", page->out);
}

/* ---- Segments -------------------------------------------------------------------------------- */

/* Shares of the cells that merged stays cover, in percent. */
static void data_grid(FILE *out, const struct map_shared *map, uint32_t segment) {
    double cell = (double)map->row_bytes[segment] * (double)map->quantum;
    fputs(",\"grid\":[", out);
    for (uint32_t row = 0; row < MAP_ROWS; row++) {
        fputs(row != 0 ? ",\"" : "\"", out);
        for (uint32_t i = 0; i <= map->column; i++) {
            double share = cell > 0 ? (double)map->grid[segment][row][i] / cell * 9 : 0;
            fputc((int)('0' + (share > 9 ? 9 : share > 0 && share < 1 ? 1 : (int)share)), out);
        }
        fputs("\"", out);
    }
    fputs("]", out);
}

static void data_used(FILE *out, const struct map_shared *map, uint32_t segment) {
    fputs(",\"used\":[", out);
    for (uint32_t i = 0; i <= map->column; i++)
        fprintf(out, "%s%" PRIu64, i != 0 ? "," : "", map->columns[i].used[segment]);
    fputs("]", out);
}

static void data_segments(FILE *out, const struct map_shared *map) {
    const char *before = "\n";
    fputs(",\n\"segments\":[", out);
    for (uint32_t i = 1; i < MAP_SEGMENTS; i++) {
        if (!map->seen[i])
            continue;
        fprintf(out,
                "%s{\"id\":%" PRIu32 ",\"memory\":%s,\"size\":%" PRIu64 ",\"merged\":%" PRIu64
                ",\"rowBytes\":%" PRIu64,
                before, i, map->memory[i] ? "true" : "false", map->size[i], map->merged[i],
                map->row_bytes[i]);
        data_used(out, map, i);
        if (map->merged[i] != 0)
            data_grid(out, map, i);
        fputs("}", out);
        before = ",\n";
    }
    fputs("]", out);
}

/* ---- Over time ------------------------------------------------------------------------------- */

static void data_processes(FILE *out, const struct map_shared *map) {
    const char *before = "\n";
    fputs(",\n\"processes\":[", out);
    for (uint32_t process = 0; process < MAP_PROCESSES; process++) {
        uint64_t any = 0;
        for (uint32_t i = 0; i <= map->column; i++)
            any |= map->columns[i].resident[process];
        if (any == 0)
            continue;
        fprintf(out, "%s{\"id\":%" PRIu32 ",\"others\":%s,\"resident\":[", before, process,
                process == MAP_PROCESSES - 1 ? "true" : "false");
        for (uint32_t i = 0; i <= map->column; i++)
            fprintf(out, "%s%" PRIu64, i != 0 ? "," : "", map->columns[i].resident[process]);
        fputs("]}", out);
        before = ",\n";
    }
    fputs("]", out);
}

static void data_moved(FILE *out, const struct map_shared *map) {
    fputs(",\n\"moved\":[", out);
    for (uint32_t i = 0; i <= map->column; i++) {
        const struct map_column *column = &map->columns[i];
        fprintf(out, "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]",
                i != 0 ? "," : "", column->in, column->out, column->page_ins, column->evictions,
                column->submissions);
    }
    fputs("],\n\"marks\":[", out);
    for (uint32_t i = 0; i < map->marks; i++) {
        fprintf(out, "%s[%" PRIu64 ",", i != 0 ? "," : "", map->mark[i].ns);
        html_json_text(out, map->mark[i].text);
        fputs("]", out);
    }
    fputs("]", out);
}

static void data_names(FILE *out) {
    fputs(",\n\"reasons\":[", out);
    for (uint32_t i = 0; i < VIDMM_MOVE_REASONS; i++) {
        fputs(i != 0 ? "," : "", out);
        html_json_text(out, vidmm_move_reason_name((enum vidmm_move_reason)i));
    }
    fputs("],\n\"plans\":[", out);
    for (uint32_t i = 0; i < VIDMM_PLAN_REASONS; i++) {
        fputs(i != 0 ? "," : "", out);
        html_json_text(out, vidmm_plan_reason_name((enum vidmm_plan_reason)i));
    }
    fputs("],\n\"lefts\":[", out);
    for (uint32_t i = 0; i < MAP_ENDS; i++) {
        fputs(i != 0 ? "," : "", out);
        html_json_text(out, html_left((uint8_t)i));
    }
    fputs("]", out);
}

void html_data(struct html_page *page) {
    uint32_t *number = page->map ? number_owners(page->map) : NULL;
    if (!number)
        return;
    FILE *out = page->out;
    fprintf(out,
            "<script type=\"application/json\" id=\"data\">\n{\"ns\":%" PRIu64
            ",\"quantum\":%" PRIu64 ",\"page\":%u",
            page->map->now, page->map->quantum, MAP_PAGE);
    data_names(out);
    data_segments(out, page->map);
    data_owners(page, number);
    data_stays(page, number);
    data_processes(out, page->map);
    data_moved(out, page->map);
    fputs("}\n</script>\n", out);
    free(number);
}
