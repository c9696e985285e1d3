/*
 * migration.c - a migration as text.
 */
#include <vidmm/report.h>

#include "names.h"

#include <inttypes.h>

#define LABEL "  %-22s "

static void row_bytes(FILE *out, const char *label, uint64_t value, const char *more) {
    char text[32];
    fprintf(out, LABEL "%15s%s\n", label, vidmm_report_size(value, text, sizeof(text)), more);
}

static void row_ms(FILE *out, const char *label, uint64_t ns, const char *more) {
    fprintf(out, LABEL "%12.1f ms%s\n", label, (double)ns / 1e6, more);
}

/* " (93.1 % of a full copy)" */
static const char *share(uint64_t bytes, uint64_t used, char *text, size_t size) {
    text[0] = '\0';
    if (used != 0)
        snprintf(text, size, "  (%.1f %% of a full copy)", (double)bytes * 100 / (double)used);
    return text;
}

static void print_rounds(FILE *out, const struct vidmm_migrate_result *result) {
    fprintf(out, "\n  %5s %10s %12s %10s %14s %14s\n", "round", "pages", "sent", "ms",
            "dirty after", "pause then ms");
    for (uint32_t i = 0; i < result->round_count; i++) {
        const struct vidmm_migrate_round *round = &result->round[i];
        char pages[32], bytes[32], dirty[32];
        fprintf(out, "  %5" PRIu32 " %10s %12s %10.1f %14s %14.1f\n", i,
                vidmm_report_count(round->pages, pages, sizeof(pages)),
                vidmm_report_size(round->bytes, bytes, sizeof(bytes)), (double)round->ns / 1e6,
                vidmm_report_size(round->dirty_bytes, dirty, sizeof(dirty)),
                (double)round->predicted_pause_ns / 1e6);
    }
}

/* The state of a guest that did not move. */
static void print_stayed(FILE *out, const struct vidmm_migrate_result *result) {
    char verified[32];
    fprintf(out, "%s: %s\n", report_migrate_status_name(result->status), result->text);
    if (result->status == VIDMM_MIGRATE_STAYED)
        fprintf(out, "the guest ran on here to its end: %s verified, calls hash %016" PRIx64 "\n",
                vidmm_report_size(result->run.play.verified_bytes, verified, sizeof(verified)),
                result->run.calls_hash);
}

static void print_source(FILE *out, const struct vidmm_migrate_result *result) {
    char text[64];
    if (result->moved)
        fprintf(out, "moved at event %" PRIu64 "; began at event %" PRIu64 "\n", result->event,
                result->start_event);
    else
        print_stayed(out, result);
    if (result->moved && result->status != VIDMM_MIGRATE_DONE)
        fprintf(out, "%s: %s\n", report_migrate_status_name(result->status),
                result->text[0] != '\0' ? result->text : result->run.text);
    if (!result->moved && result->memory_bytes == 0)
        return;
    fputc('\n', out);
    row_bytes(out, "memory in use", result->used_bytes, "  (a full copy)");
    row_bytes(out, "memory sent", result->memory_bytes,
              share(result->memory_bytes, result->used_bytes, text, sizeof(text)));
    row_bytes(out, "on the wire", result->wire_bytes,
              share(result->wire_bytes, result->used_bytes, text, sizeof(text)));
    row_bytes(out, "link, a second", result->bytes_per_s, "");
    row_ms(out, "took", result->total_ns, "");
    row_ms(out, "guest held back", result->held_ns, "");
    snprintf(text, sizeof(text), "  (predicted %.1f ms)", (double)result->predicted_pause_ns / 1e6);
    row_ms(out, "pause", result->pause_ns, text);
    row_bytes(out, "  memory in it", result->pause_dirty_bytes, "");
    if (result->bytes_per_s != 0)
        row_ms(out, "  of a full copy",
               (uint64_t)((double)result->used_bytes * 1e9 / (double)result->bytes_per_s), "");
    if (result->attempts > 1 || result->replans != 0)
        fprintf(out, "  %" PRIu32 " attempts, %" PRIu32 " events to pause at given up\n",
                result->attempts, result->replans);
    if (result->round_count != 0)
        print_rounds(out, result);
}

static void print_target(FILE *out, const struct vidmm_migrate_result *result, bool unicode) {
    const struct vidmm_report_style style = {.unicode = unicode};
    fprintf(out, "taken over at event %" PRIu64 "\n\n", result->event);
    row_bytes(out, "memory in use", result->used_bytes, "");
    row_bytes(out, "content that came", result->memory_bytes, "  (zero pages left out)");
    row_bytes(out, "on the wire", result->wire_bytes, "");
    fputc('\n', out);
    vidmm_report_text(out, &result->run, &style);
}

void vidmm_report_migration(FILE *out, const struct vidmm_migrate_result *result, bool target,
                            bool unicode) {
    if (target)
        print_target(out, result, unicode);
    else
        print_source(out, result);
}
