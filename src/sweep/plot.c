/*
 * plot.c - the curves of a store as SVG: a row of charts a workload, a column a measure, a curve a
 * policy. The line is the mean over the seeds, the band around it reaches from the least to the most.
 */
#include "curves.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/report.h>

#define CHART_WIDTH  380
#define CHART_HEIGHT 270
#define LEFT         78
#define RIGHT        14
#define TOP          44
#define BOTTOM       42
#define LEGEND_ROW   18
#define TICKS        4

/* Colours that the colour-blind tell apart (Okabe, Ito). */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#e69f00", "#000000", "#8a8a00"};

struct plot {
    FILE *out;
    char **label;
    size_t label_count;
};

/* The corners of a chart on the paper, and what they stand for. */
struct frame {
    double left, top, right, bottom;
    double x_least, x_most, y_least, y_most;
};

static void put_text(FILE *out, const char *text) {
    json_t *valid = json_string(text); /* NULL: it is no UTF-8 */
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&')
            (void)fputs("&amp;", out);
        else if (c == '<')
            (void)fputs("&lt;", out);
        else if (c == '>')
            (void)fputs("&gt;", out);
        else
            (void)fputc(c < 32 || c == 127 || (c > 127 && !valid) ? '?' : c, out);
    }
    json_decref(valid);
}

static const char *put_value(enum sweep_unit unit, double value, char *text, size_t size) {
    if (unit == SWEEP_BYTES)
        return vidmm_report_size(value > 0 ? (uint64_t)value : 0, text, size);
    if (unit == SWEEP_NS)
        (void)snprintf(text, size, "%.3g ms", value / 1e6);
    else
        (void)snprintf(text, size, unit == SWEEP_SHARE ? "%.4g %%" : "%.3g", value);
    return text;
}

static double at_x(const struct frame *frame, double x) {
    return frame->left +
           (x - frame->x_least) / (frame->x_most - frame->x_least) * (frame->right - frame->left);
}

static double at_y(const struct frame *frame, double y) {
    return frame->bottom -
           (y - frame->y_least) / (frame->y_most - frame->y_least) * (frame->bottom - frame->top);
}

/* What the axes reach over; never nothing. */
static void plot_span(const struct sweep_chart *chart, double floor, struct frame *frame) {
    frame->x_least = HUGE_VAL;
    frame->x_most = -HUGE_VAL;
    frame->y_least = frame->y_most = floor;
    for (size_t i = 0; i < chart->count; i++)
        for (size_t j = 0; j < chart->curve[i].count; j++) {
            const struct sweep_point *point = &chart->curve[i].point[j];
            frame->x_least = fmin(frame->x_least, point->x);
            frame->x_most = fmax(frame->x_most, point->x);
            frame->y_least = fmin(frame->y_least, point->least);
            frame->y_most = fmax(frame->y_most, point->most);
        }
    if (!(frame->x_most >= frame->x_least))
        frame->x_least = frame->x_most = 0;
    if (frame->x_most - frame->x_least < 1)
        frame->x_least -= 1, frame->x_most += 1;
    double height = frame->y_most - frame->y_least;
    frame->y_most += height > 0 ? height * 0.05 : 1;
}

static void put_axes(FILE *out, const struct frame *frame, enum sweep_unit x_unit,
                     const struct sweep_measure *measure) {
    char text[32];
    for (int i = 0; i <= TICKS; i++) {
        double y = frame->y_least + (frame->y_most - frame->y_least) * i / TICKS;
        double x = frame->x_least + (frame->x_most - frame->x_least) * i / TICKS;
        (void)fprintf(out,
                      "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>"
                      "<text class=\"tick\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                      frame->left, at_y(frame, y), frame->right, frame->left - 6,
                      at_y(frame, y) + 3, put_value(measure->unit, y, text, sizeof(text)));
        (void)fprintf(
            out, "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
            at_x(frame, x), frame->bottom + 14, put_value(x_unit, x, text, sizeof(text)));
    }
    (void)fprintf(out,
                  "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">GPU "
                  "memory%s</text>\n",
                  (frame->left + frame->right) / 2, frame->bottom + 29,
                  x_unit == SWEEP_SHARE ? ", of what the workload has live at its peak" : "");
}

static size_t colour_of(const struct plot *plot, const char *label) {
    size_t i = 0;
    while (i + 1 < plot->label_count && strcmp(plot->label[i], label) != 0)
        i++;
    return i % (sizeof(colours) / sizeof(colours[0]));
}

/* The band there and back, then the line over it. */
static void put_curve(const struct plot *plot, const struct frame *frame,
                      const struct sweep_curve *curve) {
    const char *colour = colours[colour_of(plot, curve->label)];
    (void)fprintf(plot->out, "<polygon fill=\"%s\" fill-opacity=\"0.2\" points=\"", colour);
    for (size_t i = 0; i < curve->count; i++)
        (void)fprintf(plot->out, "%.1f,%.1f ", at_x(frame, curve->point[i].x),
                      at_y(frame, curve->point[i].most));
    for (size_t i = curve->count; i-- > 0;)
        (void)fprintf(plot->out, "%.1f,%.1f ", at_x(frame, curve->point[i].x),
                      at_y(frame, curve->point[i].least));
    (void)fprintf(plot->out,
                  "\"/>\n<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"",
                  colour);
    for (size_t i = 0; i < curve->count; i++)
        (void)fprintf(plot->out, "%.1f,%.1f ", at_x(frame, curve->point[i].x),
                      at_y(frame, curve->point[i].mean));
    (void)fputs("\"><title>", plot->out);
    put_text(plot->out, curve->label);
    (void)fputs("</title></polyline>\n", plot->out);
    for (size_t i = 0; i < curve->count; i++)
        (void)fprintf(plot->out, "<circle fill=\"%s\" r=\"2\" cx=\"%.1f\" cy=\"%.1f\"/>", colour,
                      at_x(frame, curve->point[i].x), at_y(frame, curve->point[i].mean));
    (void)fputc('\n', plot->out);
}

static bool put_chart(const struct plot *plot, struct sweep_store *store, const char *workload,
                      const struct sweep_measure *measure, double left, double top) {
    struct sweep_chart chart;
    bool read = sweep_chart_read(store, workload, measure, &chart);
    struct frame frame = {.left = left + LEFT,
                          .top = top + TOP,
                          .right = left + CHART_WIDTH - RIGHT,
                          .bottom = top + CHART_HEIGHT - BOTTOM};
    plot_span(&chart, measure->floor, &frame);
    (void)fprintf(plot->out, "<g>\n<text x=\"%.1f\" y=\"%.1f\">", frame.left, frame.top - 22);
    put_text(plot->out, workload);
    (void)fprintf(plot->out, "</text><text class=\"what\" x=\"%.1f\" y=\"%.1f\">%s%s</text>\n",
                  frame.left, frame.top - 8, measure->title,
                  chart.count == 0 ? ": no run has it" : "");
    if (chart.count != 0)
        put_axes(plot->out, &frame, chart.x_unit, measure);
    for (size_t i = 0; i < chart.count; i++)
        put_curve(plot, &frame, &chart.curve[i]);
    (void)fputs("</g>\n", plot->out);
    sweep_chart_free(&chart);
    return read;
}

static void put_legend(const struct plot *plot, int64_t failed) {
    for (size_t i = 0; i < plot->label_count; i++) {
        double y = (double)(LEGEND_ROW * (i + 1));
        (void)fprintf(plot->out,
                      "<rect fill=\"%s\" x=\"%d\" y=\"%.1f\" width=\"16\" height=\"4\"/>"
                      "<text x=\"%d\" y=\"%.1f\">",
                      colours[colour_of(plot, plot->label[i])], LEFT, y - 6, LEFT + 24, y);
        put_text(plot->out, plot->label[i]);
        (void)fputs("</text>\n", plot->out);
    }
    (void)fprintf(plot->out,
                  "<text class=\"what\" x=\"%d\" y=\"%zu\">line: mean over the seeds; band: least "
                  "to most",
                  LEFT, LEGEND_ROW * (plot->label_count + 1));
    if (failed != 0)
        (void)fprintf(plot->out, "; %" PRId64 " failed runs are not drawn", failed);
    (void)fputs("</text>\n", plot->out);
}

static size_t count_measures(const char *measure) {
    size_t count = 0;
    for (size_t i = 0; sweep_measure_at(i); i++)
        count += !measure || strcmp(measure, sweep_measure_at(i)->name) == 0;
    return count;
}

static void put_head(const struct plot *plot, size_t columns, size_t rows) {
    size_t width = columns * CHART_WIDTH, top = LEGEND_ROW * (plot->label_count + 2);
    size_t height = top + rows * CHART_HEIGHT;
    (void)fprintf(plot->out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
                  "viewBox=\"0 0 %zu %zu\">\n"
                  "<style>text{font:12px sans-serif}.what{font-size:11px;fill:#555}"
                  ".tick{font-size:10px;fill:#555}.grid{stroke:#ddd;fill:none}</style>\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                  width, height, width, height);
}

static bool put_charts(const struct plot *plot, struct sweep_store *store, char **workloads,
                       size_t count, const char *measure) {
    bool read = true;
    put_head(plot, count_measures(measure), count);
    put_legend(plot, sweep_failed_count(store));
    double top = (double)(LEGEND_ROW * (plot->label_count + 2));
    for (size_t row = 0; row < count; row++) {
        double left = 0;
        for (size_t i = 0; sweep_measure_at(i); i++) {
            if (measure && strcmp(measure, sweep_measure_at(i)->name) != 0)
                continue;
            read = put_chart(plot, store, workloads[row], sweep_measure_at(i), left,
                             top + (double)(row * CHART_HEIGHT)) &&
                   read;
            left += CHART_WIDTH;
        }
    }
    (void)fputs("</svg>", plot->out);
    return read;
}

/* Whether there is something to draw, and not too much; else one sentence. */
static bool can_be_drawn(const struct sweep_store *store, char **workloads, size_t count,
                         const struct plot *plot, const char *workload, char *text, size_t size) {
    bool many = workloads && count > SWEEP_NAMES_MOST;
    if (!workloads || !plot->label)
        (void)snprintf(text, size, "the store cannot be drawn: %s", sqlite3_errmsg(store->base));
    else if (count == 0)
        (void)snprintf(text, size,
                       workload ? "the store has no run of '%.200s' that ended well"
                                : "the store has no run that ended well",
                       workload ? workload : "");
    else if (many || plot->label_count > SWEEP_NAMES_MOST)
        (void)snprintf(text, size, "the store has more than %u %s%s", SWEEP_NAMES_MOST,
                       many ? "workloads" : "curves", workload ? "" : "; give one --workload");
    else
        return true;
    return false;
}

/* The picture as text; NULL: one sentence. */
static char *plot_draw(struct sweep_store *store, const char *workload, const char *measure,
                       char *text, size_t size) {
    char *content = NULL;
    size_t length = 0, count = 0;
    struct plot plot = {0};
    plot.label = sweep_labels(store, workload, &plot.label_count);
    char **workloads = sweep_workloads(store, workload, &count);
    bool drawn = can_be_drawn(store, workloads, count, &plot, workload, text, size);
    if (drawn) {
        plot.out = open_memstream(&content, &length);
        drawn = plot.out && put_charts(&plot, store, workloads, count, measure);
        if (plot.out && fclose(plot.out) != 0)
            drawn = false;
        if (!drawn)
            (void)snprintf(text, size, "the store cannot be drawn: %s",
                           sqlite3_errmsg(store->base));
    }
    sweep_names_free(workloads, count);
    sweep_names_free(plot.label, plot.label_count);
    if (drawn)
        return content;
    free(content);
    return NULL;
}

bool vidmm_sweep_plot(const char *path, const char *out, const char *workload, const char *measure,
                      char *text, size_t size) {
    struct sweep_store store;
    char *content = sweep_store_read(&store, path, text, size)
                        ? plot_draw(&store, workload, measure, text, size)
                        : NULL;
    sweep_store_close(&store);
    bool done = content && vidmm_report_file(out, content, text, size);
    free(content);
    return done;
}
