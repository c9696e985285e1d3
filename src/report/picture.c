/*
 * picture.c - the map of memory alone (--picture), as SVG or PNG: each segment's position over time, a
 * rectangle a stay in the colour of its allocation, by cairo.
 */
#include "map.h"

#include <cairo.h>
#include <cairo-svg.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>

#include <vidmm/printable.h>

#include "write.h"

#define WIDTH  900.0
#define EACH   190.0 /* height of a segment's plot */
#define LEFT   84.0
#define RIGHT  16.0
#define TOP    44.0 /* the title */
#define GAP    44.0 /* the name of a segment above its plot, and the axis below */
#define SHADES 4u

/* ---- The library ----------------------------------------------------------------------------- */

/* Loaded for the first picture: it brings twenty others with it, and most runs of the command draw none. */
#define LIBRARY "libcairo.so.2"
#define FUNCTIONS(ROW)                                                                             \
    ROW(create)                                                                                    \
    ROW(destroy)                                                                                   \
    ROW(fill)                                                                                      \
    ROW(image_surface_create)                                                                      \
    ROW(move_to)                                                                                   \
    ROW(rectangle)                                                                                 \
    ROW(scale)                                                                                     \
    ROW(select_font_face)                                                                          \
    ROW(set_font_size)                                                                             \
    ROW(set_source_rgb)                                                                            \
    ROW(set_source_rgba)                                                                           \
    ROW(show_text)                                                                                 \
    ROW(status)                                                                                    \
    ROW(surface_destroy)                                                                           \
    ROW(surface_finish)                                                                            \
    ROW(surface_status)                                                                            \
    ROW(surface_write_to_png_stream)                                                               \
    ROW(svg_surface_create_for_stream)                                                             \
    ROW(text_extents)

static struct {
#define MEMBER(name) __typeof__(cairo_##name) *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
} draw;

static bool picture_load(void) {
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
#define LOAD(name) &&(draw.name = (__typeof__(draw.name))dlsym(library, "cairo_" #name))
    return library FUNCTIONS(LOAD);
#undef LOAD
}

/* ---- Colours and text ------------------------------------------------------------------------ */

struct picture {
    const struct map_shared *map;
    cairo_t *cairo;
    uint32_t segment;
    double top; /* of the segment's plot */
};

/* Okabe and Ito's colours and some more: told apart with any colour vision. As in html/report.js. */
static const uint32_t hues[] = {0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9,
                                0xd55e00, 0xb3a100, 0x7a6fb5, 0x8c5a3c, 0x5f9e9b};
#define HUES (sizeof(hues) / sizeof(hues[0]))

static void set_colour(cairo_t *cairo, uint32_t colour) {
    draw.set_source_rgb(cairo, (colour >> 16 & 0xff) / 255.0, (colour >> 8 & 0xff) / 255.0,
                        (colour & 0xff) / 255.0);
}

/* Each round through the hues is lighter or darker. */
static void set_owner_colour(cairo_t *cairo, const struct map_owner *owner, uint32_t index) {
    static const double share[SHADES] = {0, 0.3, 0.22, 0.5};
    static const double goal[SHADES] = {1, 1, 0, 1};
    uint32_t id = owner->number != 0 ? owner->number : index;
    uint32_t hue = hues[id % HUES], shade = id / HUES % SHADES;
    double channel[3];
    for (uint32_t i = 0; i < 3; i++) {
        channel[i] = (hue >> (16 - 8 * i) & 0xff) / 255.0;
        channel[i] += (goal[shade] - channel[i]) * share[shade];
    }
    if (owner->handle == 0)
        set_colour(cairo, 0x7b838b);
    else
        draw.set_source_rgb(cairo, channel[0], channel[1], channel[2]);
}

/* `align`: 0 the text begins at x, 1 it ends there, 0.5 its middle is there. */
static void put_text(const struct picture *picture, double x, double y, double align,
                     const char *text) {
    cairo_text_extents_t extents;
    draw.text_extents(picture->cairo, text, &extents);
    draw.move_to(picture->cairo, x - align * extents.x_advance, y);
    draw.show_text(picture->cairo, text);
}

/* ---- Where things are ------------------------------------------------------------------------ */

static double picture_x(const struct picture *picture, uint64_t ns) {
    double whole = picture->map->now != 0 ? (double)picture->map->now : 1;
    return LEFT + (double)ns / whole * (WIDTH - LEFT - RIGHT);
}

static double picture_y(const struct picture *picture, double bytes) {
    double size = (double)picture->map->size[picture->segment];
    return picture->top + EACH - bytes / (size > 0 ? size : 1) * EACH;
}

/* ---- A segment ------------------------------------------------------------------------------- */

static void put_stay(const struct picture *picture, const struct map_stay *stay) {
    double x = picture_x(picture, stay->begin), far = picture_x(picture, stay->end);
    set_owner_colour(picture->cairo, &picture->map->owner[stay->owner], stay->owner);
    for (uint32_t i = 0; i < stay->parts; i++) {
        double from = (double)stay->part[i].page * MAP_PAGE;
        double high = picture_y(picture, from + (double)stay->part[i].pages * MAP_PAGE);
        double width = far - x > 0.5 ? far - x : 0.5, height = picture_y(picture, from) - high;
        draw.rectangle(picture->cairo, x, high, width, height > 0.5 ? height : 0.5);
    }
    draw.fill(picture->cairo);
}

/* Of merged stays: grey, the darker the more of the place they took. */
static void put_merged(const struct picture *picture) {
    const struct map_shared *map = picture->map;
    double rows = (double)map->row_bytes[picture->segment];
    for (uint32_t row = 0; map->merged[picture->segment] != 0 && row < MAP_ROWS; row++)
        for (uint32_t i = 0; i <= map->column; i++) {
            double share =
                (double)map->grid[picture->segment][row][i] / rows / (double)map->quantum;
            double x = picture_x(picture, i * map->quantum);
            double far = picture_x(picture, (i + 1) * map->quantum);
            double high = picture_y(picture, (row + 1) * rows);
            if (share <= 0)
                continue;
            draw.set_source_rgba(picture->cairo, 0.48, 0.51, 0.55,
                                 0.2 + 0.5 * (share < 1 ? share : 1));
            draw.rectangle(picture->cairo, x, high, far - x, picture_y(picture, row * rows) - high);
            draw.fill(picture->cairo);
        }
}

/* "512 MiB": a power of two needs no tenths. */
static const char *axis_bytes(uint64_t bytes, char *text, size_t size) {
    vidmm_report_size(bytes, text, size);
    char *tenths = strstr(text, ".0 ");
    if (tenths)
        memmove(tenths, tenths + 2, strlen(tenths + 2) + 1);
    return bytes != 0 ? text : "0";
}

static void put_bytes_axis(const struct picture *picture) {
    uint64_t size = picture->map->size[picture->segment], step = 1;
    char text[32];
    while (step < size / 4)
        step *= 2;
    set_colour(picture->cairo, 0x555d66);
    for (uint64_t at = 0; at <= size; at += step) {
        double y = picture_y(picture, (double)at);
        draw.rectangle(picture->cairo, LEFT - 5, y - 0.5, 5, 1);
        draw.fill(picture->cairo);
        put_text(picture, LEFT - 9, y + 4, 1, axis_bytes(at, text, sizeof(text)));
    }
}

/* 1, 2 or 5 times a power of ten, for at most eight steps. */
static double time_step(double ns) {
    double step = 1;
    for (uint32_t i = 0; ns / step > 8; i++)
        step *= i % 3 == 1 ? 2.5 : 2;
    return step;
}

static void put_time_axis(const struct picture *picture) {
    double ns = (double)picture->map->now, step = time_step(ns);
    for (uint32_t i = 0; i * step <= ns; i++) {
        double at = i * step, x = picture_x(picture, (uint64_t)at);
        char text[32];
        snprintf(text, sizeof(text), "%.4g %s", ns >= 1e10 ? at / 1e9 : at / 1e6,
                 ns >= 1e10 ? "s" : "ms");
        draw.rectangle(picture->cairo, x - 0.5, picture->top + EACH, 1, 5);
        draw.fill(picture->cairo);
        put_text(picture, x, picture->top + EACH + 18,
                 i == 0                  ? 0.25
                 : (i + 0.3) * step > ns ? 0.9
                                         : 0.5,
                 text);
    }
}

static void put_segment(const struct picture *picture) {
    const struct map_shared *map = picture->map;
    uint32_t segment = picture->segment;
    char size[32], text[96];
    snprintf(text, sizeof(text), "Segment %" PRIu32 ": %s, %s", segment,
             map->memory[segment] ? "GPU memory" : "aperture",
             vidmm_report_size(map->reported[segment], size, sizeof(size)));
    set_colour(picture->cairo, 0x1a1d21);
    put_text(picture, LEFT, picture->top - 7, 0, text);
    put_text(picture, WIDTH - RIGHT, picture->top - 7, 1, "position in it, over virtual time");
    set_colour(picture->cairo, 0xeceef1);
    draw.rectangle(picture->cairo, LEFT, picture->top, WIDTH - LEFT - RIGHT, EACH);
    draw.fill(picture->cairo);
    put_merged(picture);
    for (uint32_t i = 0; i < map->stays; i++)
        if (map->stay[i].segment == segment)
            put_stay(picture, &map->stay[i]);
    put_bytes_axis(picture);
    put_time_axis(picture);
}

/* ---- The picture ----------------------------------------------------------------------------- */

/* A segment in which nothing lay is left out. */
static bool is_drawn(const struct map_shared *map, uint32_t segment) {
    bool any = map->merged[segment] != 0;
    for (uint32_t i = 0; map->seen[segment] && !any && i < map->stays; i++)
        any = map->stay[i].segment == segment;
    return map->seen[segment] && any;
}

static double picture_height(const struct map_shared *map) {
    double height = TOP + 8;
    for (uint32_t i = 1; i < MAP_SEGMENTS; i++)
        height += is_drawn(map, i) ? EACH + GAP : 0;
    return height;
}

static void put_picture(struct picture *picture, const char *title, double height) {
    set_colour(picture->cairo, 0xffffff);
    draw.rectangle(picture->cairo, 0, 0, WIDTH, height);
    draw.fill(picture->cairo);
    draw.select_font_face(picture->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                          CAIRO_FONT_WEIGHT_NORMAL);
    set_colour(picture->cairo, 0x1a1d21);
    draw.set_font_size(picture->cairo, 16);
    put_text(picture, LEFT, 22, 0, title);
    draw.set_font_size(picture->cairo, 12.5);
    picture->top = TOP + 8;
    for (picture->segment = 1; picture->segment < MAP_SEGMENTS; picture->segment++) {
        if (!is_drawn(picture->map, picture->segment))
            continue;
        put_segment(picture);
        picture->top += EACH + GAP;
    }
}

static cairo_status_t picture_write(void *file, const unsigned char *data, unsigned int size) {
    return fwrite(data, 1, size, file) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* false: the library could not. */
static bool picture_draw(FILE *file, bool png, const struct map_shared *map, const char *title) {
    double height = picture_height(map);
    cairo_surface_t *surface =
        png ? draw.image_surface_create(CAIRO_FORMAT_RGB24, 2 * (int)WIDTH, 2 * (int)height)
            : draw.svg_surface_create_for_stream(picture_write, file, WIDTH, height);
    struct picture picture = {.map = map, .cairo = draw.create(surface)};
    if (png)
        draw.scale(picture.cairo, 2, 2);
    put_picture(&picture, title, height);
    cairo_status_t status = draw.status(picture.cairo);
    draw.destroy(picture.cairo);
    if (png && status == CAIRO_STATUS_SUCCESS)
        status = draw.surface_write_to_png_stream(surface, picture_write, file);
    draw.surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = draw.surface_status(surface);
    draw.surface_destroy(surface);
    return status == CAIRO_STATUS_SUCCESS;
}

bool vidmm_report_picture(const char *path, struct vidmm_report_map *map, const char *title,
                          char *text, size_t text_size) {
    const char *end = strrchr(path, '.');
    struct report_stream stream;
    char shown[400]; /* of a name that is no UTF-8 the library draws nothing */
    if (!picture_load()) {
        snprintf(text, text_size, "the picture '%s' cannot be drawn without " LIBRARY, path);
        return false;
    }
    report_map_mend(map);
    if (!report_stream_open(&stream, path, text, text_size))
        return false;
    vidmm_printable_copy(title, shown, sizeof(shown));
    if (picture_draw(stream.file, end && strcmp(end, ".png") == 0, map->shared, shown))
        return report_stream_close(&stream, text, text_size);
    snprintf(text, text_size, "the picture '%s' cannot be drawn", path);
    report_stream_drop(&stream);
    return false;
}
