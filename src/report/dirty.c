/*
 * dirty.c - see dirty.h. All bars have one scale, so that page sizes can be compared.
 */
#include "dirty.h"

static uint64_t mean(const struct vidmm_run_dirty *dirty, uint32_t size) {
    return dirty->frames == 0 ? 0 : dirty->size[size].bytes / dirty->frames;
}

static uint64_t highest(const struct vidmm_run_dirty *dirty) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < dirty->sizes; i++)
        for (uint32_t k = 0; k < dirty->samples; k++)
            most = dirty->size[i].chart[k] > most ? dirty->size[i].chart[k] : most;
    return most;
}

/* The rate that a link would need, by the GPU's clock. */
static void print_rate(FILE *out, const struct vidmm_run_result *result) {
    char text[32];
    double seconds = (double)result->play.virtual_ns / 1e9;
    if (seconds <= 0 || result->dirty.sizes == 0)
        return;
    double rate = (double)result->dirty.size[0].bytes / seconds;
    fprintf(out, "  at the smallest, if every frame were sent: %s a second of %s time\n",
            vidmm_report_size((uint64_t)rate, text, sizeof(text)),
            result->threads == 0 ? "simulated" : "real");
}

void report_dirty_text(FILE *out, const struct vidmm_run_result *result,
                       const struct vidmm_report_style *style) {
    const struct vidmm_run_dirty *dirty = &result->dirty;
    char page[32], usual[32], worst[32];
    uint64_t full = highest(dirty);
    if (!dirty->on || dirty->frames == 0)
        return;
    fprintf(out, "\n  %-22s %15s %12s  over time (a full bar: %s)\n", "dirty pages a frame", "mean",
            "worst", vidmm_report_size(full, page, sizeof(page)));
    for (uint32_t i = 0; i < dirty->sizes; i++) {
        fprintf(out, "    %-20s %15s %12s  |",
                vidmm_report_size(dirty->size[i].page_bytes, page, sizeof(page)),
                vidmm_report_size(mean(dirty, i), usual, sizeof(usual)),
                vidmm_report_size(dirty->size[i].most, worst, sizeof(worst)));
        vidmm_report_bar(out, dirty->size[i].chart, dirty->samples, full, style);
        fputs("|\n", out);
    }
    print_rate(out, result);
}

json_t *report_dirty_json(const struct vidmm_run_dirty *dirty) {
    if (!dirty->on)
        return json_null();
    json_t *root = json_object(), *list = json_array();
    json_object_set_new(root, "frames", json_integer((json_int_t)dirty->frames));
    for (uint32_t i = 0; i < dirty->sizes; i++) {
        const struct vidmm_run_dirty_size *size = &dirty->size[i];
        json_t *one = json_object(), *chart = json_array();
        json_object_set_new(one, "page_bytes", json_integer((json_int_t)size->page_bytes));
        json_object_set_new(one, "bytes", json_integer((json_int_t)size->bytes));
        json_object_set_new(one, "worst_frame_bytes", json_integer((json_int_t)size->most));
        for (uint32_t k = 0; k < dirty->samples; k++)
            json_array_append_new(chart, json_integer((json_int_t)size->chart[k]));
        json_object_set_new(one, "frame_bytes_over_time", chart);
        json_array_append_new(list, one);
    }
    json_object_set_new(root, "page_sizes", list);
    return root;
}
