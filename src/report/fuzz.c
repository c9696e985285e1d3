/*
 * fuzz.c - what fuzzing a driver came to.
 */
#include <vidmm/report.h>

#include <inttypes.h>

#include "places.h"

/* `again`: the command that plays an input, without its file and the driver. */
static void fuzz_report_found(FILE *out, const struct vidmm_fuzz_found *found, const char *again,
                              const char *driver) {
    const struct vidmm_finding *finding = &found->finding;
    fprintf(out, "\n  %s", found->identity);
    if (found->unsteady) {
        fprintf(out, ": %s\n    input:    %s\n", finding->found, found->file);
        return;
    }
    fprintf(out, ": %s in %s\n    found:    %s\n",
            finding->who == VIDMM_SIDE_DRIVER ? "driver" : "vidmm itself",
            finding->where[0] != '\0' ? finding->where : "no call of the system's", finding->found);
    if (finding->kind == VIDMM_FINDING_RULE)
        fprintf(out, "    expected: %s\n", finding->expected);
    report_places(out, "    ", finding);
    fprintf(out, "    input:    %s (%u %s, after %.1f s)\n", found->file, found->calls,
            found->calls == 1 ? "call" : "calls", found->ms / 1000.0);
    fprintf(out, "    again:    %s --replay %s %s\n", again, found->file, driver);
}

void vidmm_report_fuzz(FILE *out, const struct vidmm_fuzz_result *result, const char *again,
                       const char *driver) {
    uint64_t ms = result->ms != 0 ? result->ms : 1;
    fprintf(out, "%s\n\n  executions   %" PRIu64 " (%" PRIu64 " a second)\n", driver,
            result->executions, result->executions * 1000 / ms);
    if (result->edges_all != 0)
        fprintf(out, "  edges        %u of %u of the driver\n", result->edges, result->edges_all);
    else
        fputs(
            "  edges        not known: the driver was built without -fsanitize=fuzzer-no-link; the "
            "search goes by its answers\n",
            out);
    fprintf(out, "  corpus       %u inputs\n", result->inputs);
    fprintf(out, "  sanitizer    %s\n", result->sanitized ? "address" : "none");
    fprintf(out, "  findings     %u\n", result->found_count);
    for (uint32_t i = 0; i < result->found_count; i++)
        fuzz_report_found(out, &result->found[i], again, driver);
}

void vidmm_report_fuzz_replay(FILE *out, const struct vidmm_fuzz_result *result) {
    for (uint32_t i = 0; i < result->found_count; i++) {
        const struct vidmm_finding *finding = &result->found[i].finding;
        fprintf(out, "%s in %s: %s: %s\n", result->found[i].identity,
                finding->step[0] != '\0' ? finding->step : "the start",
                finding->where[0] != '\0' ? finding->where : "no call of the system's",
                finding->found);
        report_places(out, "  ", finding);
    }
    if (result->found_count == 0)
        fputs("nothing was found\n", out);
}
