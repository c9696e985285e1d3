/*
 * html_run.c - a run as HTML: what was run, findings, maps, figures over time, what cost most, the bound.
 */
#include "html.h"

#include <inttypes.h>
#include <string.h>

#include "names.h"
#include "places.h"

/* ---- What was run ---------------------------------------------------------------------------- */

static void run_board(FILE *out, const struct vidmm_run_result *result) {
    char version[16];
    html_fact(out, "Workload", "%s", result->workload);
    html_fact(out, "Driver", "%s", result->driver);
    html_fact(out, "Memory model", "%s", report_model(&result->mmu));
    if (result->vram_bytes != 0 && !result->mmu.iommu)
        html_fact_bytes(out, "VRAM", result->vram_bytes);
    html_fact_bytes(out, "Live at the peak", result->peak_live_bytes);
    html_fact(out, "Interface", "%s",
              report_interface(result->adapter.interface_version, version, sizeof(version)));
    html_fact(out, "Policy of eviction", "%s", result->policy);
    html_fact(out, "Seed", "%" PRIu64, result->seed);
    if (result->threads != 0)
        html_fact_count(out, "Threads", result->threads);
    if (result->adapter.linked > 1)
        html_fact_count(out, "Linked adapters", result->adapter.linked);
}

static void run_figures(FILE *out, const struct vidmm_run_result *result) {
    const struct vidmm_play_result *play = &result->play;
    html_fact_count(out, "Frames", play->frames);
    html_fact_count(out, "Submissions", play->submissions);
    if (play->refused != 0)
        html_fact_count(out, "Refused submissions", play->refused);
    html_fact_count(out, "Page-ins", play->stats.page_ins);
    html_fact_count(out, "Evictions", play->stats.evictions);
    html_fact_bytes(out, "Paged in", play->stats.paged_in_bytes);
    html_fact_bytes(out, "Paged out", play->stats.paged_out_bytes);
    html_fact_count(out, "Paging buffers", play->stats.paging_buffers);
    html_fact_ns(out, "Virtual time", play->virtual_ns);
    if (play->stats.resets != 0)
        html_fact_count(out, "Resets", play->stats.resets);
    if (play->trims != 0)
        html_fact_bytes(out, "Trimmed", play->trimmed_bytes);
    html_fact_bytes(out, "Verified", play->verified_bytes);
    html_fact_count(out, "Mismatched bytes", play->mismatched_bytes);
    html_fact(out, "Calls hash", "%016" PRIx64, result->calls_hash);
}

static void run_summary(FILE *out, const struct vidmm_run_result *result) {
    html_section(out, "summary", "What was run");
    html_facts(out);
    run_board(out, result);
    if (result->played)
        run_figures(out, result);
    html_facts_end(out);
    html_section_end(out);
}

/* ---- Findings -------------------------------------------------------------------------------- */

static void run_sentences(FILE *out, const char *heading, char *const *text, uint32_t count) {
    if (count == 0)
        return;
    fprintf(out, "<h3>%s</h3>\n<ul>\n", heading);
    for (uint32_t i = 0; i < count; i++) {
        fputs("<li>", out);
        html_text(out, text[i]);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

static void ledger_findings(FILE *out, const struct vidmm_ledger *ledger) {
    for (uint32_t i = 0; ledger && i < ledger->findings && i < VIDMM_FINDINGS; i++)
        html_finding(out, &ledger->finding[i], NULL);
}

static void run_findings(FILE *out, const struct vidmm_run_result *result) {
    bool ledger = result->ledger && result->ledger->findings != 0;
    bool some = ledger || result->ended || result->violation_count != 0;
    html_section(out, "findings", "Findings");
    if (!some && result->play.mismatched_bytes == 0)
        fputs(result->unjudged ? "<p class=\"empty\">No referee judged this run.</p>\n"
                               : "<p class=\"empty\">No rule was broken.</p>\n",
              out);
    if (result->play.mismatched_bytes != 0) {
        fputs("<p class=\"wrong\">", out);
        html_text(out, result->play.first.text);
        fputs("</p>\n", out);
    }
    ledger_findings(out, result->ended);
    ledger_findings(out, result->ledger);
    if (!ledger)
        run_sentences(out, "Broken rules", result->violations, result->violation_count);
    run_sentences(out, "What only costs time", result->advice, result->advice_count);
    html_section_end(out);
}

/* ---- The bound ------------------------------------------------------------------------------- */

static void bound_bar(FILE *out, const char *name, uint64_t bytes, uint64_t most) {
    char text[32];
    fputs("<div class=\"bar\"><span class=\"name\">", out);
    html_text(out, name);
    fprintf(out,
            "</span><span class=\"track\"><span class=\"fill\" "
            "style=\"width:%.1f%%\"></span></span><span "
            "class=\"value\">",
            most != 0 ? (double)bytes * 100 / (double)most : 0);
    html_text(out, vidmm_report_size(bytes, text, sizeof(text)));
    fputs("</span></div>\n", out);
}

static void run_bound(FILE *out, const struct vidmm_run_result *result) {
    uint64_t moved = vidmm_run_moved(result), bound = result->bound.pages;
    uint64_t whole = result->bound.whole, most = moved > whole ? moved : whole;
    html_section(out, "bound", "Distance to the bound");
    if (bound == 0) {
        fputs("<p class=\"empty\">There is no bound to compare this run with: it has no GPU memory "
              "of its "
              "own, linked adapters, or submissions that were refused.</p>\n",
              out);
        html_section_end(out);
        return;
    }
    fputs("<p>", out);
    html_print(out,
               "This run brought in, or read from slower memory, %.2f times the bytes that nobody "
               "could do "
               "without in that much GPU memory (Belady's rule, page by page).",
               vidmm_run_over_bound(result));
    fputs("</p>\n<div class=\"bars\">\n", out);
    bound_bar(out, "the bound, page by page", bound, most);
    bound_bar(out, "the same with whole allocations", whole, most);
    bound_bar(out, "this run", moved, most);
    fputs("</div>\n", out);
    html_facts(out);
    html_fact_bytes(out, "of it: paged in", result->play.stats.paged_in_bytes);
    html_fact_bytes(out, "of it: used elsewhere", result->play.referenced_remote);
    html_facts_end(out);
    html_section_end(out);
}

/* ---- The report ------------------------------------------------------------------------------ */

void html_run_body(struct html_page *page, const void *run_result) {
    const struct vidmm_run_result *result = run_result;
    run_summary(page->out, result);
    run_findings(page->out, result);
    html_maps(page);
    html_costs(page);
    html_undone(page);
    run_bound(page->out, result);
}

bool vidmm_report_run_html(const struct vidmm_report_page *about,
                           const struct vidmm_run_result *result, char *text, size_t text_size) {
    bool good = result->status == VIDMM_RUN_VERIFIED;
    char title[360];
    snprintf(title, sizeof(title), "%s on %s", result->workload, result->driver);
    const char *verified = result->no_bytes
                               ? "memory had no content, so no byte was verified"
                               : "every byte that was read back is the byte that was written";
    const char *found = result->ended && result->ended->findings != 0
                            ? result->ended->finding[0].found
                            : result->text;
    const struct html_report report = {.kind = "run",
                                       .title = title,
                                       .word = report_status_name(result->status),
                                       .sentence = good ? verified : found,
                                       .good = good,
                                       .body = html_run_body,
                                       .result = result};
    return html_write(about, &report, text, text_size);
}
