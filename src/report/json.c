/*
 * json.c - a run as JSON. Member names are stable: scripts read them.
 */
#include <vidmm/report.h>

#include "dirty.h"
#include "json_text.h"
#include "places.h"
#include "mmu_json.h"
#include "names.h"
#include "run_json.h"
#include "write.h"

#include <inttypes.h>
#include <jansson.h>

static void put_count(json_t *object, const char *name, uint64_t value) {
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static json_t *operations(const struct vidmm_stats *stats) {
    json_t *all = json_object();
    for (unsigned kind = 0; kind < VIDMM_OP_KINDS; kind++) {
        json_t *one = json_object();
        put_count(one, "count", stats->ops[kind]);
        put_count(one, "bytes", stats->op_bytes[kind]);
        json_object_set_new(all, vidmm_op_json((enum vidmm_op_kind)kind), one);
    }
    return all;
}

static json_t *samples(const uint64_t *values, uint32_t count) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer((json_int_t)values[i]));
    return list;
}

/* By where memory lies, `count` samples each. */
static json_t *by_place(const uint64_t *vram, const uint64_t *aperture, const uint64_t *system,
                        uint32_t count) {
    json_t *all = json_object();
    json_object_set_new(all, "vram", samples(vram, count));
    json_object_set_new(all, "aperture", samples(aperture, count));
    json_object_set_new(all, "system", samples(system, count));
    return all;
}

static void put_charts(json_t *root, const struct vidmm_play_result *play) {
    json_object_set_new(
        root, "residency",
        by_place(play->chart_vram, play->chart_aperture, play->chart_system, play->chart_samples));
    json_object_set_new(root, "referenced",
                        by_place(play->chart_referenced_vram, play->chart_referenced_aperture,
                                 play->chart_referenced_system, play->chart_samples));
}

static json_t *first_mismatch(const struct vidmm_play_result *play) {
    const struct vidmm_mismatch *first = &play->first;
    if (play->mismatched_bytes == 0)
        return json_null();
    json_t *object = json_object();
    put_count(object, "event", first->event);
    put_count(object, "allocation", first->allocation);
    put_count(object, "page", first->page);
    put_count(object, "byte", first->byte);
    json_object_set_new(object, "operation",
                        first->by_op ? report_json_text(vidmm_op_json(first->op)) : json_null());
    put_count(object, "paging_buffer", first->paging_buffer);
    json_object_set_new(object, "text", report_json_text(first->text));
    return object;
}

static json_t *texts(char *const *text, uint32_t count) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, report_json_text(text[i]));
    return list;
}

/* One for each violation; null where nothing is known. */
static json_t *places(const struct vidmm_run_result *result) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < result->violation_count; i++) {
        const struct vidmm_finding *finding = report_run_finding(result, result->violations[i]);
        json_t *place = finding ? json_object() : json_null();
        if (finding)
            report_json_places(place, finding);
        json_array_append_new(list, place);
    }
    return list;
}

static json_t *by_physical(const struct vidmm_run_result *result) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < result->adapter.linked; i++)
        json_array_append_new(list, json_integer((json_int_t)result->play.on_physical[i]));
    return list;
}

static void put_play(json_t *root, const struct vidmm_play_result *play) {
    put_count(root, "frames", play->frames);
    put_count(root, "submissions", play->submissions);
    put_count(root, "refused_submissions", play->refused);
    json_object_set_new(root, "refusal",
                        play->refused ? report_json_text(play->refusal) : json_null());
    put_count(root, "verified_bytes", play->verified_bytes);
    put_count(root, "mismatched_bytes", play->mismatched_bytes);
    json_object_set_new(root, "first_mismatch", first_mismatch(play));
    put_count(root, "page_ins", play->stats.page_ins);
    put_count(root, "evictions", play->stats.evictions);
    put_count(root, "paged_in_bytes", play->stats.paged_in_bytes);
    put_count(root, "referenced_vram_bytes", play->referenced_vram);
    put_count(root, "referenced_aperture_bytes", play->referenced_aperture);
    put_count(root, "referenced_system_bytes", play->referenced_system);
    put_count(root, "remote_bytes", play->referenced_remote);
    put_count(root, "paged_out_bytes", play->stats.paged_out_bytes);
    put_count(root, "paging_buffers", play->stats.paging_buffers);
    put_count(root, "multipass_splits", play->stats.multipass_splits);
    put_count(root, "busy_retries", play->stats.busy_retries);
    put_count(root, "resets", play->stats.resets);
    put_count(root, "engine_resets", play->stats.engine_resets);
    put_count(root, "lost_processes", play->lost_processes);
    json_object_set_new(root, "operations", operations(&play->stats));
    put_count(root, "virtual_ns", play->virtual_ns);
    put_charts(root, play);
}

static json_t *budgets(const struct vidmm_play_result *play) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < play->process_count; i++) {
        const struct vidmm_play_process *process = &play->process[i];
        json_t *one = json_object();
        put_count(one, "local_budget", process->local_budget);
        put_count(one, "local_usage", process->local_usage);
        put_count(one, "non_local_budget", process->non_local_budget);
        put_count(one, "non_local_usage", process->non_local_usage);
        json_array_append_new(list, one);
    }
    return list;
}

/* Members for GPU virtual addresses; else zeros. */
static void put_virtual(json_t *root, const struct vidmm_play_result *play) {
    put_count(root, "page_table_bytes", play->stats.table_bytes);
    put_count(root, "page_table_peak_bytes", play->stats.table_bytes_peak);
    put_count(root, "trims", play->trims);
    put_count(root, "trimmed_bytes", play->trimmed_bytes);
    put_count(root, "offers", play->offers);
    put_count(root, "discards", play->discards);
    put_count(root, "address_ranges", play->ranges);
    put_count(root, "bound_tiles", play->binds);
    put_count(root, "aliased_packets", play->aliased);
    json_object_set_new(root, "budgets", budgets(play));
}

/* How far from the bound; null: nothing to compare with. */
static json_t *bound(const struct vidmm_run_result *result) {
    if (result->bound.pages == 0)
        return json_null();
    json_t *object = json_object();
    put_count(object, "bytes", result->bound.pages);
    put_count(object, "whole_bytes", result->bound.whole);
    put_count(object, "moved_bytes", vidmm_run_moved(result));
    json_object_set_new(object, "ratio", json_real(vidmm_run_over_bound(result)));
    return object;
}

json_t *report_run_json(const struct vidmm_run_result *result) {
    char hash[17];
    snprintf(hash, sizeof(hash), "%016" PRIx64, result->calls_hash);
    json_t *root = json_object();
    json_object_set_new(root, "status", report_json_text(report_status_name(result->status)));
    json_object_set_new(root, "text", report_json_text(result->text));
    json_object_set_new(root, "workload", report_json_text(result->workload));
    json_object_set_new(root, "driver", report_json_text(result->driver));
    json_object_set_new(root, "policy", report_json_text(result->policy));
    put_count(root, "vram_bytes", result->vram_bytes);
    put_count(root, "peak_live_bytes", result->peak_live_bytes);
    put_count(root, "seed", result->seed);
    report_json_unread(root, &result->unread);
    put_count(root, "threads", result->threads);
    json_object_set_new(root, "bytes", json_string(result->no_bytes ? "none" : "all"));
    report_json_interface(root, result->adapter.registered_version,
                          (uint32_t)result->adapter.caps.WDDMVersion,
                          result->adapter.interface_version);
    put_count(root, "linked", result->adapter.linked);
    put_count(root, "query_version", result->adapter.query_version);
    json_object_set_new(root, "bound", bound(result));
    json_object_set_new(root, "model", report_json_text(report_model(&result->mmu)));
    json_object_set_new(root, "mmu", report_mmu_json(&result->mmu));
    put_play(root, &result->play);
    json_object_set_new(root, "submissions_by_adapter", by_physical(result));
    put_virtual(root, &result->play);
    json_object_set_new(root, "dirty", report_dirty_json(&result->dirty));
    put_count(root, "calls", result->calls);
    json_object_set_new(root, "calls_hash", report_json_text(hash));
    json_object_set_new(root, "violations", texts(result->violations, result->violation_count));
    json_object_set_new(root, "violation_places", places(result));
    json_object_set_new(root, "advice", texts(result->advice, result->advice_count));
    return root;
}

bool vidmm_report_json(const char *path, const struct vidmm_run_result *result, char *text,
                       size_t text_size) {
    return report_write_json(path, report_run_json(result), text, text_size);
}
