/*
 * host.c - how fast this machine copies, as the software GPU's engines found out: a table, and JSON.
 */
#include <vidmm/report.h>
#include <vidmm/softgpu.h>

#include "json_text.h"
#include "write.h"

#include <inttypes.h>

void vidmm_report_host(FILE *out, const struct vidmm_softgpu_copy_rate *rate, uint32_t count) {
    uint64_t from = 0;
    fprintf(out, "how the engines of the software GPU copy on this machine\n");
    for (uint32_t i = 0; i < count; i++) {
        char size[32];
        if (rate[i].from_bytes != from)
            fprintf(out, "\npieces of %s and more\n",
                    vidmm_report_size(rate[i].from_bytes, size, sizeof(size)));
        from = rate[i].from_bytes;
        fprintf(out, "  %-48s %6.1f GB/s%s\n", rate[i].way, (double)rate[i].bytes_per_second * 1e-9,
                rate[i].chosen ? "  chosen" : "");
    }
}

bool vidmm_report_host_json(const char *path, const struct vidmm_softgpu_copy_rate *rate,
                            uint32_t count, char *text, size_t text_size) {
    json_t *root = json_object(), *copies = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_t *one = json_object();
        json_object_set_new(one, "from_bytes", json_integer((json_int_t)rate[i].from_bytes));
        json_object_set_new(one, "way", report_json_text(rate[i].way));
        json_object_set_new(one, "bytes_per_second",
                            json_integer((json_int_t)rate[i].bytes_per_second));
        json_object_set_new(one, "chosen", json_boolean(rate[i].chosen));
        json_array_append_new(copies, one);
    }
    json_object_set_new(root, "copies", copies);
    return report_write_json(path, root, text, text_size);
}
