/*
 * html_migration.c - one side of a migration as HTML: its rounds and the pause, then the run.
 */
#include "html.h"

#include <inttypes.h>

#include "names.h"

struct side {
    const struct vidmm_migrate_result *result;
    bool target;
};

static void migration_summary(FILE *out, const struct side *side) {
    const struct vidmm_migrate_result *result = side->result;
    html_section(out, "migration", "The migration");
    html_facts(out);
    html_fact(out, "This side", "%s", side->target ? "target" : "source");
    if (!side->target)
        html_fact(out, "Began at event", "%" PRIu64, result->start_event);
    html_fact(out, side->target ? "Taken over at event" : "Paused at event", "%" PRIu64,
              result->event);
    html_fact_bytes(out, "Memory in use", result->used_bytes);
    html_fact_bytes(out, "Memory sent", result->memory_bytes);
    html_fact_bytes(out, "On the wire", result->wire_bytes);
    if (!side->target) {
        html_fact_bytes(out, "Link, a second", result->bytes_per_s);
        html_fact_ns(out, "Took", result->total_ns);
        html_fact_ns(out, "Guest held back", result->held_ns);
        html_fact_ns(out, "Pause", result->pause_ns);
        html_fact_ns(out, "Pause, predicted", result->predicted_pause_ns);
        html_fact_bytes(out, "Memory sent in the pause", result->pause_dirty_bytes);
        html_fact_count(out, "Attempts", result->attempts);
    }
    html_facts_end(out);
}

/* A round of the bar, with its number where there is room for it. */
static void migration_round(FILE *out, uint32_t round, double percent) {
    fprintf(out, "<span class=\"round\" style=\"width:%.3f%%\" title=\"round %" PRIu32 "\">",
            percent, round);
    if (percent >= 4)
        fprintf(out, "%" PRIu32, round);
    fputs("</span>", out);
}

/* One bar from the begin to the owner's change: rounds, what was between them, the pause. */
static void migration_strip(FILE *out, const struct vidmm_migrate_result *result) {
    uint64_t rounds = 0, all = result->total_ns != 0 ? result->total_ns : 1;
    for (uint32_t i = 0; i < result->round_count; i++)
        rounds += result->round[i].ns;
    uint64_t known = rounds + result->pause_ns;
    all = known > all ? known : all;
    fputs("<figure>\n<figcaption>Time from the beginning until the target owns the guest: rounds "
          "while it "
          "runs, then the pause.</figcaption>\n<div class=\"strip\" role=\"img\" "
          "aria-label=\"rounds and "
          "pause over time\">",
          out);
    for (uint32_t i = 0; i < result->round_count; i++)
        migration_round(out, i, (double)result->round[i].ns * 100 / (double)all);
    fprintf(out, "<span class=\"between\" style=\"width:%.3f%%\"></span>",
            (double)(all - known) * 100 / (double)all);
    fprintf(out, "<span class=\"pause\" style=\"width:%.3f%%\" title=\"pause\"></span></div>\n",
            (double)result->pause_ns * 100 / (double)all);
    fputs("<div class=\"legend\"><span><span class=\"key round\"></span>rounds</span><span><span "
          "class=\"key "
          "between\"></span>between them: preparing, and the guest alone</span><span><span "
          "class=\"key "
          "pause\"></span>pause: the guest stands still</span></div>\n</figure>\n",
          out);
}

static void migration_rounds(FILE *out, const struct vidmm_migrate_result *result) {
    static const char *const heads[] = {"#Round",         "#Pages",       "#Sent",      "#Time",
                                        "Sent and dirty", "#Dirty after", "#Pause then"};
    uint64_t most = 1;
    for (uint32_t i = 0; i < result->round_count; i++)
        most = result->round[i].bytes > most ? result->round[i].bytes : most;
    html_table(out, "Rounds", heads, sizeof(heads) / sizeof(heads[0]));
    for (uint32_t i = 0; i < result->round_count; i++) {
        const struct vidmm_migrate_round *round = &result->round[i];
        uint64_t dirty = round->dirty_bytes < most ? round->dirty_bytes : most;
        fputs("<tr>", out);
        html_number(out, "%" PRIu32, i);
        html_cell_count(out, round->pages);
        html_cell_bytes(out, round->bytes);
        html_number(out, "%.1f ms", (double)round->ns / 1e6);
        fprintf(out,
                "<td class=\"pair\"><span class=\"fill\" style=\"width:%.1f%%\"></span><span "
                "class=\"fill dirty\" style=\"width:%.1f%%\"></span></td>",
                (double)round->bytes * 100 / (double)most, (double)dirty * 100 / (double)most);
        html_cell_bytes(out, round->dirty_bytes);
        html_number(out, "%.1f ms", (double)round->predicted_pause_ns / 1e6);
        fputs("</tr>\n", out);
    }
    html_table_end(out);
}

static void migration_body(struct html_page *page, const void *of) {
    const struct side *side = of;
    migration_summary(page->out, side);
    if (!side->target && side->result->round_count != 0) {
        migration_strip(page->out, side->result);
        migration_rounds(page->out, side->result);
    } else if (!side->target) {
        fputs("<p class=\"empty\">No round of memory was sent.</p>\n", page->out);
    }
    html_section_end(page->out);
    html_run_body(page, &side->result->run);
}

/* The verdict in a sentence. */
static void migration_sentence(const struct side *side, char *text, size_t size) {
    const struct vidmm_migrate_result *result = side->result;
    if (result->text[0] != '\0')
        snprintf(text, size, "%s", result->text);
    else if (side->target)
        snprintf(text, size,
                 "the guest arrived at event %" PRIu64 " and was played to a verified end",
                 result->event);
    else
        snprintf(text, size, "the guest moved at event %" PRIu64 " with a pause of %.1f ms",
                 result->event, (double)result->pause_ns / 1e6);
}

bool vidmm_report_migration_html(const struct vidmm_report_page *about,
                                 const struct vidmm_migrate_result *result, bool target, char *text,
                                 size_t text_size) {
    const struct side side = {result, target};
    char title[360], sentence[600];
    snprintf(title, sizeof(title), "%s on %s", result->run.workload, result->run.driver);
    migration_sentence(&side, sentence, sizeof(sentence));
    const struct html_report report = {.kind = target ? "migrate recv" : "migrate send",
                                       .title = title,
                                       .word = report_migrate_status_name(result->status),
                                       .sentence = sentence,
                                       .good = result->status == VIDMM_MIGRATE_DONE,
                                       .body = migration_body,
                                       .result = &side};
    return html_write(about, &report, text, text_size);
}
