/*
 * html_costs.c - of an HTML report: the allocations that cost most, with their lives, and evictions that
 * were undone soon.
 */
#include "html.h"

#include <inttypes.h>
#include <stdlib.h>

#define COSTS 20u /* rows */

/* ---- Allocations that cost most -------------------------------------------------------------- */

struct cost {
    const struct map_owner *owner;
    uint64_t bytes;
};

static int compare_cost(const void *a, const void *b) {
    const struct cost *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->owner < y->owner ? -1 : 1;
}

/* All of them, the dearest first; the caller's to free. */
static struct cost *sort_costs(const struct html_page *page, uint32_t *count) {
    const struct map_shared *map = page->map;
    struct cost *list = malloc((map->owners + 1u) * sizeof(*list));
    *count = 0;
    for (uint32_t i = 0; list && i < map->owners; i++) {
        struct cost one = {&map->owner[i],
                           map->owner[i].in + map->owner[i].out + map->owner[i].remote};
        if (one.bytes != 0 && one.owner->handle != 0)
            list[(*count)++] = one;
    }
    if (list)
        qsort(list, *count, sizeof(*list), compare_cost);
    uint32_t likely = *count < 10 * COSTS ? *count : 10 * COSTS;
    for (uint32_t i = 0; list && i < likely; i++) /* what was best where it was costs less */
        list[i].bytes = html_owner_cost(page, list[i].owner);
    if (list)
        qsort(list, likely, sizeof(*list), compare_cost);
    return list;
}

/* Where it lay over the time of the run: a strip. */
static void cost_life(struct html_page *page, const struct map_owner *owner) {
    const struct map_shared *map = page->map;
    double whole = map->now != 0 ? (double)map->now : 1;
    fputs(
        "<td><svg class=\"life\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\" "
        "aria-label=\"where it lay over time\">",
        page->out);
    for (uint32_t i = 0; i < map->stays; i++) {
        const struct map_stay *stay = &map->stay[i];
        if (&map->owner[stay->owner] != owner)
            continue;
        double from = (double)stay->begin * 1000 / whole;
        double width = (double)(stay->end - stay->begin) * 1000 / whole;
        fprintf(page->out, "<rect class=\"%s\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"10\"/>",
                map->memory[stay->segment] ? "mem" : "ap", from, width > 1 ? width : 1);
    }
    fputs("</svg></td>", page->out);
}

/* Selects it in the maps. */
static void owner_cell(FILE *out, const struct map_owner *owner) {
    char name[HTML_NAME];
    html_owner_name(owner, name);
    fputs("<td><button type=\"button\" class=\"link\" data-owner=\"", out);
    html_text(out, name);
    fputs("\">", out);
    html_text(out, name);
    fputs("</button></td>", out);
}

static void cost_row(struct html_page *page, const struct map_owner *owner) {
    fputs("<tr>", page->out);
    owner_cell(page->out, owner);
    html_cell_bytes(page->out, owner->size);
    html_cell_bytes(page->out, owner->in);
    html_cell_bytes(page->out, owner->out);
    html_cell_bytes(page->out, owner->remote);
    html_cell_count(page->out, owner->page_ins);
    html_cell_count(page->out, owner->evictions);
    html_cell_count(page->out, owner->uses);
    cost_life(page, owner);
    fputs("</tr>\n", page->out);
}

void html_costs(struct html_page *page) {
    static const char *const heads[] = {"Allocation", "#Size",           "#Moved in",
                                        "#Moved out", "#Used elsewhere", "#Page-ins",
                                        "#Evictions", "#Uses",           "Life"};
    uint32_t count = 0;
    if (!page->map)
        return;
    struct cost *list = sort_costs(page, &count);
    html_section(page->out, "costs", "Allocations that cost most");
    if (count == 0) {
        fputs("<p class=\"empty\">No bytes moved for an allocation.</p>\n", page->out);
    } else {
        fputs("<p class=\"hint\">By bytes that paging moved, and bytes that submissions used while "
              "they did "
              "not lie in GPU memory though they prefer it. Life: when it lay <span class=\"key "
              "mem\"></span> in GPU memory, <span class=\"key ap\"></span> in an aperture; else in "
              "system memory.</p>\n",
              page->out);
        html_table(page->out, "Allocations that cost most", heads,
                   sizeof(heads) / sizeof(heads[0]));
        for (uint32_t i = 0; i < count && i < COSTS; i++)
            cost_row(page, list[i].owner);
        html_table_end(page->out);
    }
    html_section_end(page->out);
    free(list);
}

/* ---- Evictions that were undone -------------------------------------------------------------- */

/* What came to the segment with the plan by which it left. */
static void undone_for(struct html_page *page, const struct map_undone *undone) {
    const struct map_shared *map = page->map;
    uint32_t told = 0;
    fputs("<td>", page->out);
    for (uint32_t i = 0; i < map->stays && told < 4; i++) {
        const struct map_stay *stay = &map->stay[i];
        char name[HTML_NAME];
        if (stay->plan != undone->plan || stay->segment != undone->segment ||
            stay->begin != undone->gone)
            continue;
        html_print(page->out, "%s%s", told != 0 ? ", " : "",
                   told == 3 ? "and others" : html_owner_name(&map->owner[stay->owner], name));
        told++;
    }
    fputs(told == 0 ? "&ndash;</td>" : "</td>", page->out);
}

static void undone_row(struct html_page *page, const struct map_undone *undone) {
    char text[24];
    fputs("<tr>", page->out);
    owner_cell(page->out, &page->map->owner[undone->owner]);
    html_cell_bytes(page->out, undone->size);
    html_number(page->out, "%s", html_ns(undone->gone, text));
    html_cell(page->out, "%s", vidmm_move_reason_name((enum vidmm_move_reason)undone->reason));
    undone_for(page, undone);
    html_cell_count(page->out, undone->between);
    html_number(page->out, "%s", html_ns(undone->back - undone->gone, text));
    fputs("</tr>\n", page->out);
}

void html_undone(struct html_page *page) {
    static const char *const heads[] = {
        "Allocation",      "#Size", "#Left at", "Why", "For", "#Submissions until it was back",
        "#Time until then"};
    char soon[32], bytes[32], all[32];
    const struct map_shared *map = page->map;
    if (!map)
        return;
    html_section(page->out, "undone", "Evictions undone soon after");
    if (map->undones == 0) {
        html_print(page->out,
                   "No allocation came back to GPU memory within %u submissions of its eviction.",
                   MAP_SOON);
        html_section_end(page->out);
        return;
    }
    fputs("<p class=\"hint\">", page->out);
    html_print(
        page->out,
        "%s page-ins (%s) brought back what had been evicted at most %u submissions before, of %s "
        "that brought back something. The soonest and largest:",
        vidmm_report_count(map->undone_soon, soon, sizeof(soon)),
        vidmm_report_size(map->undone_bytes, bytes, sizeof(bytes)), MAP_SOON,
        vidmm_report_count(map->undone_all, all, sizeof(all)));
    fputs("</p>\n", page->out);
    html_table(page->out, "Evictions undone soon after", heads, sizeof(heads) / sizeof(heads[0]));
    for (uint32_t i = 0; i < map->undones; i++)
        undone_row(page, &map->undone[i]);
    html_table_end(page->out);
    html_section_end(page->out);
}
