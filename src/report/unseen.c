/*
 * unseen.c - what a conformance check could not see: a line for each operation whose effects no view
 * of the memory showed, one where the hardware cannot be made to hang, and one for commands of GDI, so that "passed" is
 * not read as "looked at"; and one of what may follow from a finding.
 */
#include "check.h"

#include <inttypes.h>

#include <vidmm/statuses.h>

#define EFFECT_RULES 12u

/* Rules about what an operation does to memory; in the order in which they are told. */
static const struct effect {
    const char *operation;
    uint16_t rules[EFFECT_RULES];
} effects[] = {
    {"MAP_APERTURE_SEGMENT", {194, 197}},
    {"MAP_APERTURE_SEGMENT2", {204}},
    {"UNMAP_APERTURE_SEGMENT", {200}},
    {"TRANSFER", {161, 176, 177, 183, 184, 185}},
    {"FILL and VIRTUAL_FILL", {188}},
    {"VIRTUAL_TRANSFER", {240, 244}},
    {"UPDATE_PAGE_TABLE", {210, 211, 215, 221, 223, 378, 379, 425, 472, 508, 516}},
    {"COPY_PAGE_TABLE_ENTRIES", {239}},
    {"FLUSH_TLB", {230, 232}},
    {"SIGNAL_MONITORED_FENCE", {420}},
};

static bool is_unseen(const struct vidmm_check_result *result, uint32_t number) {
    const struct vidmm_ledger *ledger = &result->ledger;
    return result->examined[number] != 0 && ledger->kept[number] == 0 &&
           ledger->broken[number] == 0 && ledger->unseen[number] != 0;
}

static void print_view(FILE *out, uint32_t segments) {
    const char *before = segments & (segments - 1) ? "segments " : "segment ";
    fputs(segments == 0 ? "the hardware's page tables" : "", out);
    for (uint32_t id = 1; id < 32; id++) {
        if ((segments >> id & 1u) == 0)
            continue;
        fprintf(out, "%s%" PRIu32, before, id);
        before = ", ";
    }
}

/* "effects of FILL (R188) were not observed: no view of segment 1; ..." */
static void print_effect(FILE *out, const struct vidmm_check_result *result,
                         const struct effect *effect) {
    const char *before = " (";
    uint32_t segments = 0;
    char id[8];
    for (uint32_t i = 0; i < EFFECT_RULES && effect->rules[i] != 0; i++) {
        uint32_t number = effect->rules[i];
        if (!is_unseen(result, number))
            continue;
        if (before[0] == ' ')
            fprintf(out, "effects of %s", effect->operation);
        fprintf(out, "%s%s", before, vidmm_rule_id(number, id));
        before = ", ";
        segments |= result->ledger.unseen_in[number];
    }
    if (before[0] == ' ')
        return;
    fputs(") were not observed: no view of ", out);
    print_view(out, segments);
    fputs(result->modelled ? "; the hardware model has nothing that shows them (vidmm/hwmodel.h)\n"
                           : "; --hardware or --device shows them\n",
          out);
}

/* Of R281, which has no effect on memory: what it says of preemptions and resets that succeed is seen. */
static void print_hang(FILE *out, const struct vidmm_check_result *result) {
    char id[8];
    if (result->examined[281] != 0 && result->ledger.unseen[281] != 0)
        fprintf(out,
                "paging work that hangs (%s) was not observed: the hardware has no setting "
                "HangPagingAt (docs/driver-authors.md)\n",
                vidmm_rule_id(281, id));
}

static bool is_held(const struct vidmm_check_result *result, uint32_t number) {
    const struct vidmm_ledger *ledger = &result->ledger;
    bool asked = number >= VIDMM_K_FIRST || result->examined[number] != 0;
    return asked && ledger->held[number] != 0 && ledger->broken[number] == 0;
}

/* "R398 and R603 did not hold, either, ..." */
static void print_held(FILE *out, const struct vidmm_check_result *result) {
    uint32_t count = 0;
    char id[8];
    for (uint32_t number = 1; number < VIDMM_RULES_SIZE; number++)
        if (is_held(result, number))
            fprintf(out, "%s%s", count++ == 0 ? "held back: " : ", ", vidmm_rule_id(number, id));
    if (count != 0)
        fprintf(out,
                " did not hold, either, which may follow from what was found before: %s told when "
                "that is mended\n",
                count == 1 ? "it is" : "they are");
}

/* SupportKernelModeCommandBuffer says that the driver has them, and a refusal may be its hardware's (R604). */
static void print_gdi(FILE *out, const struct vidmm_check_result *result) {
    static const char *const names[VIDMM_GDI_COMMANDS] = {
        [VIDMM_GDI_BITBLT] = "BITBLT", [VIDMM_GDI_COLORFILL] = "COLORFILL"};
    const char *before = "commands of GDI were refused, and not examined (R604): ";
    const char *status = vidmm_status_name(result->gdi_status);
    if (result->gdi_asked)
        fputs("commands of GDI other than BITBLT and COLORFILL were not asked for (R604)\n", out);
    if (result->gdi_refused == 0)
        return;
    for (uint32_t i = 0; i < VIDMM_GDI_COMMANDS; i++) {
        if ((result->gdi_refused >> i & 1u) == 0)
            continue;
        fprintf(out, "%s%s", before, names[i]);
        before = ", ";
    }
    if (status)
        fprintf(out, ", with %s\n", status);
    else
        fprintf(out, ", with status 0x%08x\n", (unsigned)result->gdi_status);
}

void report_check_unseen(FILE *out, const struct vidmm_check_result *result) {
    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
        print_effect(out, result, &effects[i]);
    print_hang(out, result);
    print_gdi(out, result);
    print_held(out, result);
}
