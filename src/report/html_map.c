/*
 * html_map.c - the maps of memory and the figures over time of an HTML report, as empty pictures that
 * its script draws; and words for allocations.
 */
#include "html.h"

#include <inttypes.h>
#include <string.h>

#include <vidmm/umd.h>

/* ---- Words ----------------------------------------------------------------------------------- */

const char *html_owner_name(const struct map_owner *owner, char text[HTML_NAME]) {
    if (owner->number != 0)
        snprintf(text, HTML_NAME, "allocation %" PRIu32, owner->number);
    else if (owner->handle != 0)
        snprintf(text, HTML_NAME, "allocation with handle 0x%" PRIx32, owner->handle);
    else
        snprintf(text, HTML_NAME, "buffer of the system");
    return text;
}

/* The event that makes it; NULL: the workload is not known. */
static const struct vidmm_event *owner_event(const struct html_page *page,
                                             const struct map_owner *owner) {
    bool known = page->made && owner->number != 0 &&
                 owner->number <= page->about->workload->allocation_count;
    return known ? page->made[owner->number - 1] : NULL;
}

static void add_word(char text[HTML_NAME], bool there, const char *word) {
    if (there && text[0] != '\0')
        strncat(text, ", ", HTML_NAME - strlen(text) - 1);
    if (there)
        strncat(text, word, HTML_NAME - strlen(text) - 1);
}

const char *html_owner_kind(const struct html_page *page, const struct map_owner *owner,
                            char text[HTML_NAME]) {
    const struct vidmm_event *event = owner_event(page, owner);
    text[0] = '\0';
    if (!event)
        return text;
    uint32_t flags = event->umd_flags;
    add_word(text, flags & VIDMM_UMD_LOCAL, "prefers GPU memory");
    add_word(text, flags & VIDMM_UMD_LOCAL_ONLY, "GPU memory only");
    add_word(text, !(flags & (VIDMM_UMD_LOCAL | VIDMM_UMD_LOCAL_ONLY)), "system memory");
    add_word(text, flags & VIDMM_UMD_PRIMARY, "primary");
    add_word(text, flags & VIDMM_UMD_CPU_VISIBLE, "visible to the CPU");
    add_word(text, flags & VIDMM_UMD_SWIZZLED, "tiled");
    add_word(text, flags & VIDMM_UMD_IN_VPR, "protected");
    return text;
}

uint64_t html_owner_cost(const struct html_page *page, const struct map_owner *owner) {
    const struct vidmm_event *event = owner_event(page, owner);
    bool local = !event || (event->umd_flags & (VIDMM_UMD_LOCAL | VIDMM_UMD_LOCAL_ONLY)) != 0;
    return owner->in + owner->out + (local ? owner->remote : 0);
}

const char *html_left(uint8_t left) {
    static const char *const ends[] = {
        [MAP_OPEN - VIDMM_MOVE_REASONS] = "is still there",
        [MAP_STAYED - VIDMM_MOVE_REASONS] = "is there at the end",
        [MAP_FREED - VIDMM_MOVE_REASONS] = "freed",
        [MAP_RESET - VIDMM_MOVE_REASONS] = "reset of the adapter",
        [MAP_STOPPED - VIDMM_MOVE_REASONS] = "the driver was stopped",
    };
    if (left < VIDMM_MOVE_REASONS)
        return vidmm_move_reason_name((enum vidmm_move_reason)left);
    return ends[left - VIDMM_MOVE_REASONS];
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static void map_buttons(FILE *out) {
    static const char *const modes[][2] = {{"allocation", "Allocation"},
                                           {"process", "Process"},
                                           {"heat", "Heat"},
                                           {"dirt", "Dirtiness"}};
    fputs("<div class=\"controls\">\n<div class=\"group\" role=\"group\" aria-label=\"Colour "
          "by\"><span class=\"label\">Colour by</span>",
          out);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        fprintf(out, "<button type=\"button\" data-mode=\"%s\" aria-pressed=\"%s\">%s</button>",
                modes[i][0], i == 0 ? "true" : "false", modes[i][1]);
    fputs("</div>\n<div class=\"group\" role=\"group\" aria-label=\"Time\"><span "
          "class=\"label\">Time</span>"
          "<button type=\"button\" data-zoom=\"out\" aria-label=\"Zoom out\">&minus;</button>"
          "<button type=\"button\" data-zoom=\"in\" aria-label=\"Zoom in\">+</button>"
          "<button type=\"button\" data-zoom=\"left\" aria-label=\"Earlier\">&larr;</button>"
          "<button type=\"button\" data-zoom=\"right\" aria-label=\"Later\">&rarr;</button>"
          "<button type=\"button\" data-zoom=\"all\">All</button></div>\n</div>\n"
          "<div id=\"legend\" class=\"legend\" aria-live=\"polite\"></div>\n",
          out);
}

static uint32_t stays_of(const struct map_shared *map, uint32_t segment) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->stays; i++)
        count += map->stay[i].segment == segment;
    return count;
}

static void map_notes(FILE *out, const struct map_shared *map, uint32_t segment) {
    char text[32];
    if (map->merged[segment] != 0)
        html_print(
            out, " %s smaller stays are merged: grey, the darker the more of the place they took.",
            vidmm_report_count(map->merged[segment], text, sizeof(text)));
    if (!map->floats[segment])
        return;
    html_print(out, " Allocations here are pages without a range of the segment: each is drawn "
                    "where there is room, and only its height and its time mean something.");
    if (map->size[segment] > map->reported[segment])
        html_print(out, " So drawn they reach %s.",
                   vidmm_report_size(map->size[segment], text, sizeof(text)));
}

static void map_figure(FILE *out, const struct map_shared *map, uint32_t segment) {
    char size[32], count[32];
    const char *kind = map->memory[segment] ? "GPU memory" : "aperture";
    vidmm_report_size(map->reported[segment], size, sizeof(size));
    vidmm_report_count(stays_of(map, segment), count, sizeof(count));
    fputs("<figure>\n<figcaption>", out);
    html_print(out, "Segment %" PRIu32 ": %s, %s, ", segment, kind, size);
    if (stays_of(map, segment) == 0) {
        fputs("in which nothing lay.</figcaption></figure>\n", out);
        return;
    }
    html_print(out, "%s stays. Upwards: position in the segment; to the right: virtual time.",
               count);
    map_notes(out, map, segment);
    fprintf(out,
            "</figcaption>\n<canvas class=\"map\" data-segment=\"%" PRIu32
            "\" tabindex=\"0\" role=\"application\" aria-describedby=\"keys\" aria-label=\"Memory "
            "map of "
            "segment %" PRIu32 ", %s, %s: position upwards, virtual time to the right, %s "
            "stays of allocations\"></canvas>\n</figure>\n",
            segment, segment, kind, size, count);
}

static void time_figure(FILE *out, const char *chart, const char *caption) {
    fprintf(
        out,
        "<figure>\n<figcaption>%s</figcaption>\n<canvas class=\"chart\" data-chart=\"%s\" "
        "tabindex=\"0\" role=\"application\" aria-describedby=\"keys\" "
        "aria-label=\"%s\"></canvas>\n<div class=\"legend\" data-legend=\"%s\"></div>\n</figure>\n",
        caption, chart, caption, chart);
}

static bool has_segments(const struct map_shared *map) {
    bool any = false;
    for (uint32_t i = 1; map && i < MAP_SEGMENTS; i++)
        any |= map->seen[i];
    return any;
}

static void map_over_time(FILE *out, const struct map_shared *map) {
    bool memory = false;
    for (uint32_t i = 1; i < MAP_SEGMENTS; i++)
        memory |= map->memory[i];
    html_section(out, "time", "Residency and bytes moved");
    time_figure(out, "residency", "Bytes resident in each segment over virtual time");
    if (memory) { /* with an IOMMU there is none */
        time_figure(out, "processes", "Bytes of each process in GPU memory over virtual time");
        time_figure(out, "moved", "Bytes moved into GPU memory (up) and out of it (down)");
    }
    html_section_end(out);
}

void html_maps(struct html_page *page) {
    FILE *out = page->out;
    html_section(out, "maps", "Memory over time");
    if (!has_segments(page->map)) {
        fputs("<p class=\"empty\">No segment was recorded: the manager did not start.</p>\n", out);
        html_section_end(out);
        return;
    }
    fputs(
        "<noscript><p class=\"empty\">The pictures are drawn by the script of this file, which is "
        "switched off.</p></noscript>\n",
        out);
    map_buttons(out);
    for (uint32_t i = 1; i < MAP_SEGMENTS; i++)
        if (page->map->seen[i])
            map_figure(out, page->map, i);
    if (page->map->unfollowed != 0)
        html_print(out, "There was no room for %" PRIu64 " moves more, which are not drawn.",
                   page->map->unfollowed);
    fputs(
        "<div id=\"detail\" class=\"detail\" aria-live=\"polite\"><p class=\"hint\">Point at a "
        "stay of an allocation, click it or touch it: who it is, since when, why it came, and who "
        "left for it.</p></div>\n"
        "<p id=\"keys\" class=\"hint keys\">Keys in a picture: arrows go to the neighbour in time "
        "or "
        "position, + and &minus; zoom, Shift with an arrow moves the time, Home and End go to the "
        "first "
        "and the last, Escape ends. Drag to zoom into a span of time; double click: all of "
        "it.</p>\n",
        out);
    html_section_end(out);
    map_over_time(out, page->map);
}
