/*
 * bound_json.c - what nobody could beat, as JSON. Member names are stable: scripts read them.
 */
#include <vidmm/report.h>

#include "json_text.h"
#include "write.h"

#include <jansson.h>

bool vidmm_report_bound_json(const char *path, const char *workload, uint64_t vram,
                             const struct vidmm_bound *bound, char *text, size_t text_size) {
    json_t *root = json_object();
    json_object_set_new(root, "workload", report_json_text(workload));
    json_object_set_new(root, "vram_bytes", json_integer((json_int_t)vram));
    json_object_set_new(root, "referenced_bytes", json_integer((json_int_t)bound->referenced));
    json_object_set_new(root, "first_bytes", json_integer((json_int_t)bound->first));
    json_object_set_new(root, "bytes", json_integer((json_int_t)bound->pages));
    json_object_set_new(root, "whole_bytes", json_integer((json_int_t)bound->whole));
    return report_write_json(path, root, text, text_size);
}
