/*
 * migration_json.c - a migration as JSON. Member names are stable.
 */
#include <vidmm/report.h>

#include "json_text.h"
#include "names.h"
#include "run_json.h"
#include "write.h"

#include <inttypes.h>

static void put_count(json_t *object, const char *name, uint64_t value) {
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static json_t *rounds(const struct vidmm_migrate_result *result) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < result->round_count; i++) {
        const struct vidmm_migrate_round *round = &result->round[i];
        json_t *one = json_object();
        put_count(one, "pages", round->pages);
        put_count(one, "bytes", round->bytes);
        put_count(one, "ns", round->ns);
        put_count(one, "dirty_bytes", round->dirty_bytes);
        put_count(one, "predicted_pause_ns", round->predicted_pause_ns);
        json_array_append_new(list, one);
    }
    return list;
}

static void put_figures(json_t *root, const struct vidmm_migrate_result *result) {
    put_count(root, "event", result->event);
    put_count(root, "start_event", result->start_event);
    put_count(root, "used_bytes", result->used_bytes);
    put_count(root, "memory_bytes", result->memory_bytes);
    put_count(root, "wire_bytes", result->wire_bytes);
    put_count(root, "fixed_bytes", result->fixed_bytes);
    put_count(root, "state_bytes", result->state_bytes);
    put_count(root, "bytes_per_s", result->bytes_per_s);
    put_count(root, "total_ns", result->total_ns);
    put_count(root, "held_ns", result->held_ns);
    put_count(root, "pause_ns", result->pause_ns);
    put_count(root, "predicted_pause_ns", result->predicted_pause_ns);
    put_count(root, "pause_dirty_bytes", result->pause_dirty_bytes);
    put_count(root, "attempts", result->attempts);
    put_count(root, "replans", result->replans);
}

bool vidmm_report_migration_json(const char *path, const struct vidmm_migrate_result *result,
                                 bool target, char *text, size_t text_size) {
    char hash[17];
    snprintf(hash, sizeof(hash), "%016" PRIx64, result->run.calls_hash);
    json_t *root = json_object();
    json_object_set_new(root, "status",
                        report_json_text(report_migrate_status_name(result->status)));
    json_object_set_new(root, "text", report_json_text(result->text));
    json_object_set_new(root, "side", report_json_text(target ? "target" : "source"));
    json_object_set_new(root, "moved", json_boolean(result->moved));
    put_figures(root, result);
    put_count(root, "verified_bytes", result->run.play.verified_bytes);
    put_count(root, "mismatched_bytes", result->run.play.mismatched_bytes);
    json_object_set_new(root, "calls_hash", report_json_text(hash));
    json_object_set_new(root, "rounds", rounds(result));
    json_object_set_new(root, "run", report_run_json(&result->run));
    return report_write_json(path, root, text, text_size);
}
