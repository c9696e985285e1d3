/*
 * text.c - the table at the end of a run.
 */
#include <vidmm/printable.h>
#include <vidmm/report.h>

#include "dirty.h"
#include "names.h"
#include "places.h"

#include <inttypes.h>

#define LABEL "  %-22s "

static void row_count(FILE *out, const char *label, uint64_t value) {
    char text[32];
    fprintf(out, LABEL "%15s\n", label, vidmm_report_count(value, text, sizeof(text)));
}

static void row_bytes(FILE *out, const char *label, uint64_t value) {
    char text[32];
    fprintf(out, LABEL "%15s\n", label, vidmm_report_size(value, text, sizeof(text)));
}

static void print_head(FILE *out, const struct vidmm_run_result *result) {
    const struct vidmm_adapter_info *adapter = &result->adapter;
    char vram[32] = "the driver's own", peak[32], version[16], note[REPORT_NOTE], driver[256];
    if (result->vram_bytes != 0)
        vidmm_report_size(result->vram_bytes, vram, sizeof(vram));
    fprintf(out, "%s on %s: %s%s for %s at the peak\n", result->workload,
            vidmm_printable_copy(result->driver, driver, sizeof(driver)),
            result->mmu.iommu ? "system memory" : vram, result->mmu.iommu ? "" : " of VRAM",
            vidmm_report_size(result->peak_live_bytes, peak, sizeof(peak)));
    fprintf(out, "interface %s, segment query version %" PRIu32 ", seed %" PRIu64 ", policy %s\n",
            report_interface(adapter->interface_version, version, sizeof(version)),
            adapter->query_version, result->seed, result->policy);
    if (report_interface_note(adapter->registered_version, (uint32_t)adapter->caps.WDDMVersion,
                              adapter->interface_version, note, sizeof(note)))
        fprintf(out, "%s\n", note);
    if (result->adapter.linked > 1)
        fprintf(out, "%" PRIu32 " linked physical adapters\n", result->adapter.linked);
    if (result->mmu.on)
        fprintf(out,
                "GPU virtual addresses: %" PRIu32 " levels of page tables, pages of %s, updated by "
                "%s\n",
                result->mmu.levels, report_page_sizes(&result->mmu.caps),
                report_update_mode(result->mmu.caps.PageTableUpdateMode));
    if (result->mmu.iommu)
        fprintf(out, "addresses of the CPU, translated by an IOMMU; system memory only\n");
    fputc('\n', out);
}

static void print_figures(FILE *out, const struct vidmm_play_result *play, uint32_t linked) {
    row_count(out, "frames", play->frames);
    row_count(out, "submissions", play->submissions);
    for (uint32_t i = 0; linked > 1 && i < linked; i++) {
        char label[32];
        snprintf(label, sizeof(label), "  on adapter %" PRIu32, i);
        row_count(out, label, play->on_physical[i]);
    }
    if (play->refused != 0)
        row_count(out, "refused submissions", play->refused);
    row_count(out, "page-ins", play->stats.page_ins);
    row_count(out, "evictions", play->stats.evictions);
    row_bytes(out, "paged in", play->stats.paged_in_bytes);
    row_bytes(out, "paged out", play->stats.paged_out_bytes);
    row_bytes(out, "referenced in VRAM", play->referenced_vram);
    row_bytes(out, "  in apertures", play->referenced_aperture);
    if (play->referenced_system != 0)
        row_bytes(out, "  in system memory", play->referenced_system);
    row_count(out, "paging buffers", play->stats.paging_buffers);
    row_count(out, "  split (multipass)", play->stats.multipass_splits);
    if (play->stats.busy_retries != 0)
        row_count(out, "  busy answers", play->stats.busy_retries);
    if (play->stats.resets != 0)
        row_count(out, "resets", play->stats.resets);
    if (play->stats.engine_resets != 0)
        row_count(out, "resets of single engines", play->stats.engine_resets);
    if (play->lost_processes != 0)
        row_count(out, "lost processes", play->lost_processes);
    if (play->refused != 0)
        fprintf(out, "  first refusal: %s\n", play->refusal);
}

static void print_bound(FILE *out, const struct vidmm_run_result *result) {
    char bytes[32];
    if (result->bound.pages != 0)
        fprintf(out, LABEL "%15.2f  of the %s that nobody could beat\n", "moved over the bound",
                vidmm_run_over_bound(result),
                vidmm_report_size(result->bound.pages, bytes, sizeof(bytes)));
}

/* Lines for GPU virtual addresses. */
static void print_virtual(FILE *out, const struct vidmm_play_result *play) {
    row_bytes(out, "page tables, at most", play->stats.table_bytes_peak);
    row_count(out, "trims", play->trims);
    if (play->trims != 0)
        row_bytes(out, "  trimmed", play->trimmed_bytes);
    if (play->ranges != 0) {
        row_count(out, "address ranges", play->ranges);
        row_count(out, "  tiles bound", play->binds);
        row_count(out, "  packets through", play->aliased);
    }
    if (play->offers != 0) {
        row_count(out, "offers", play->offers);
        row_count(out, "  discarded", play->discards);
    }
    for (uint32_t i = 0; i < play->process_count; i++) {
        const struct vidmm_play_process *process = &play->process[i];
        char label[32], budget[32], usage[32];
        snprintf(label, sizeof(label), "budget of process %" PRIu32, i);
        fprintf(out, LABEL "%15s, %s in use\n", label,
                vidmm_report_size(process->local_budget, budget, sizeof(budget)),
                vidmm_report_size(process->local_usage, usage, sizeof(usage)));
    }
}

static void print_operations(FILE *out, const struct vidmm_stats *stats) {
    fprintf(out, "\n  %-22s %15s %12s\n", "operation", "count", "bytes");
    for (unsigned kind = 0; kind < VIDMM_OP_KINDS; kind++) {
        char count[32], bytes[32];
        if (stats->ops[kind] == 0)
            continue;
        fprintf(out, LABEL "%15s %12s\n", vidmm_op_json((enum vidmm_op_kind)kind),
                vidmm_report_count(stats->ops[kind], count, sizeof(count)),
                vidmm_report_size(stats->op_bytes[kind], bytes, sizeof(bytes)));
    }
}

static uint64_t most_of(const uint64_t *samples, uint32_t count) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = samples[i] > most ? samples[i] : most;
    return most;
}

/* Samples in VRAM, in apertures and in system memory; where there never was anything no row is printed. */
struct chart {
    const char *title;
    const uint64_t *row[3];
    uint32_t count;
};

static void print_chart(FILE *out, const struct chart *chart,
                        const struct vidmm_report_style *style) {
    static const char *const labels[] = {"VRAM", "aperture", "system"};
    uint64_t full = 0;
    char text[32];
    for (size_t i = 0; i < 3; i++) {
        uint64_t most = most_of(chart->row[i], chart->count);
        full = most > full ? most : full;
    }
    if (full != 0)
        fprintf(out, "\n  %s over time (a full bar: %s)\n", chart->title,
                vidmm_report_size(full, text, sizeof(text)));
    for (size_t i = 0; i < 3; i++) {
        uint64_t most = most_of(chart->row[i], chart->count);
        if (most == 0)
            continue;
        fprintf(out, "  %-9s|", labels[i]);
        vidmm_report_bar(out, chart->row[i], chart->count, full, style);
        fprintf(out, "| most %s\n", vidmm_report_size(most, text, sizeof(text)));
    }
}

static void print_charts(FILE *out, const struct vidmm_play_result *play,
                         const struct vidmm_report_style *style) {
    const struct chart charts[] = {{"residency",
                                    {play->chart_vram, play->chart_aperture, play->chart_system},
                                    play->chart_samples},
                                   {"referenced",
                                    {play->chart_referenced_vram, play->chart_referenced_aperture,
                                     play->chart_referenced_system},
                                    play->chart_samples}};
    for (size_t i = 0; play->chart_samples != 0 && i < sizeof(charts) / sizeof(charts[0]); i++)
        print_chart(out, &charts[i], style);
}

static void print_verdict(FILE *out, const struct vidmm_run_result *result) {
    fputc('\n', out);
    if (result->no_bytes) {
        fprintf(out, LABEL "%15s\n", "verified", "no bytes");
    } else {
        row_bytes(out, "verified", result->play.verified_bytes);
        row_count(out, "mismatched bytes", result->play.mismatched_bytes);
    }
    row_count(out, "violations", result->violation_count);
    for (uint32_t i = 0; i < result->violation_count; i++) {
        const struct vidmm_finding *finding = report_run_finding(result, result->violations[i]);
        fprintf(out, "    %s\n", result->violations[i]);
        if (finding)
            report_places(out, "      ", finding);
    }
    if (result->advice_count != 0)
        row_count(out, "advice", result->advice_count);
    for (uint32_t i = 0; i < result->advice_count; i++)
        fprintf(out, "    %s\n", result->advice[i]);
    char calls[32];
    fprintf(out, LABEL "%016" PRIx64 " over %s DDI calls\n", "calls hash", result->calls_hash,
            vidmm_report_count(result->calls, calls, sizeof(calls)));
}

void vidmm_report_text(FILE *out, const struct vidmm_run_result *result,
                       const struct vidmm_report_style *style) {
    if (result->played) {
        print_head(out, result);
        print_figures(out, &result->play, result->adapter.linked);
        print_bound(out, result);
        if (result->mmu.on || result->mmu.iommu)
            print_virtual(out, &result->play);
        print_operations(out, &result->play.stats);
        print_charts(out, &result->play, style);
        report_dirty_text(out, result, style);
        print_verdict(out, result);
        fputc('\n', out);
    }
    if (result->status == VIDMM_RUN_VERIFIED && result->no_bytes)
        fprintf(out, "played: memory had no content, so no byte was verified\n");
    else if (result->status == VIDMM_RUN_VERIFIED)
        fprintf(out, "verified: every byte that was read back is the byte that was written\n");
    else
        fprintf(out, "%s: %s\n", report_status_name(result->status), result->text);
}
