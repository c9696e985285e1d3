/*
 * outcome.c - the result of one rule, and why it was not reached.
 */
#include <ctype.h>
#include <string.h>

#include <vidmm/interfaces.h>

#include "stage.h"

const char *vidmm_check_outcome(const struct vidmm_check_result *result, uint32_t rule) {
    if (rule > VIDMM_RULES_LAST || result->examined[rule] == 0)
        return "not judged";
    if (result->ledger.broken[rule] != 0)
        return "broken";
    return result->ledger.kept[rule] != 0 ? "passed" : "not reached";
}

/* The stage that ended early, or NULL. */
static const struct vidmm_stage_result *cut_short(const struct vidmm_check_result *result) {
    for (uint32_t i = 0; i < result->stages; i++)
        if (result->stage[i].outcome > VIDMM_STAGE_SKIPPED)
            return &result->stage[i];
    return NULL;
}

static bool of_other_interface(const struct vidmm_check_result *result,
                               const struct vidmm_rule *rule) {
    uint32_t spoken = result->ddi_version; /* 0: it did not come to that */
    return spoken != 0 &&
           ((rule->first != 0 && spoken < rule->first) || (rule->last != 0 && spoken > rule->last));
}

/* The part that a rule which is examined belongs to. */
static uint32_t *share_of(const struct vidmm_check_result *result, const struct vidmm_rule *rule,
                          struct vidmm_check_share *share) {
    const struct vidmm_ledger *ledger = &result->ledger;
    if (ledger->kept[rule->number] != 0 || ledger->broken[rule->number] != 0)
        return &share->seen;
    if (of_other_interface(result, rule))
        return &share->other;
    return ledger->unseen[rule->number] != 0 ? &share->not_visible : &share->not_reached;
}

void vidmm_check_share(const struct vidmm_check_result *result, struct vidmm_check_share *share) {
    *share = (struct vidmm_check_share){.rules = 0};
    for (uint32_t number = 1; number <= VIDMM_RULES_LAST; number++) {
        const struct vidmm_rule *rule = vidmm_rule(number);
        if (!rule || (rule->side & VIDMM_SIDE_BOTH) == 0)
            continue;
        share->rules++;
        if (result->examined[number] != 0)
            ++*share_of(result, rule, share);
        else if (rule->judged)
            share->not_asked++;
        else
            share->not_judged++;
    }
}

/* Functions that a driver may be without, in the order of the bits of `lacks`. */
#define OPTIONAL_FUNCTIONS(X)                                                                      \
    X(Patch)                                                                                       \
    X(Render)                                                                                      \
    X(Present)                                                                                     \
    X(SubmitCommand)                                                                               \
    X(SubmitCommandVirtual)                                                                        \
    X(PreemptCommand)                                                                              \
    X(CancelCommand)                                                                               \
    X(QueryCurrentFence)                                                                           \
    X(ResetFromTimeout)                                                                            \
    X(RestartFromTimeout)                                                                          \
    X(QueryDependentEngineGroup)                                                                   \
    X(QueryEngineStatus)                                                                           \
    X(ResetEngine)                                                                                 \
    X(GetNodeMetadata)                                                                             \
    X(CreateProcess)                                                                               \
    X(GetStandardAllocationDriverData)                                                             \
    X(DescribeAllocation)                                                                          \
    X(ValidateUpdateAllocationProperty)                                                            \
    X(AcquireSwizzlingRange)                                                                       \
    X(SetPowerState)                                                                               \
    X(QueryChildRelations)                                                                         \
    X(Escape)                                                                                      \
    X(LinkDevice)                                                                                  \
    X(SetVidPnSourceAddress)                                                                       \
    X(IsSupportedVidPn)                                                                            \
    X(EnumVidPnCofuncModality)                                                                     \
    X(ControlInterrupt)

uint64_t check_lacks(const DRIVER_INITIALIZATION_DATA *table) {
    uint64_t lacks = 0, bit = 1;
#define LACKS(name) lacks |= table->DxgkDdi##name ? 0 : bit, bit <<= 1;
    OPTIONAL_FUNCTIONS(LACKS)
#undef LACKS
    if (table->DxgkDdiControlInterrupt2 || table->DxgkDdiControlInterrupt3)
        lacks &= ~(bit >> 1); /* the last one: a newer function is called instead */
    return lacks;
}

/* The first function that a rule names, if the driver is without it; or NULL. */
static const char *lacking(const struct vidmm_check_result *result, const struct vidmm_rule *rule) {
#define NAME(name) "DxgkDdi" #name,
    static const char *const names[] = {OPTIONAL_FUNCTIONS(NAME)};
#undef NAME
    const char *named = strstr(rule->statement, "DxgkDdi");
    for (size_t i = 0; named && i < sizeof(names) / sizeof(names[0]); i++) {
        size_t length = strlen(names[i]);
        if (strncmp(named, names[i], length) == 0 && !isalnum((unsigned char)named[length]))
            return result->lacks >> i & 1 ? names[i] : NULL;
    }
    return NULL;
}

/* A stage that shows the rule, as its row says, and was skipped; NULL: none, or another one was not. */
static const struct vidmm_stage_result *skipped(const struct vidmm_check_result *result,
                                                const struct vidmm_rule *rule) {
    const struct vidmm_stage_result *found = NULL;
    for (const char *at = rule->how; (at = strstr(at, "tage ")); at++)
        for (uint32_t i = 0; i < result->stages; i++) {
            const struct vidmm_stage_result *stage = &result->stage[i];
            size_t length = strlen(stage->name);
            if (strncmp(at + 5, stage->name, length) != 0 || isalpha((unsigned char)at[5 + length]))
                continue;
            if (stage->outcome != VIDMM_STAGE_SKIPPED)
                return NULL;
            found = stage;
        }
    return found;
}

static void say_version(uint32_t version, const char *before, const char *behind, char *text,
                        size_t size) {
    const struct vidmm_interface *row = vidmm_interface(version);
    snprintf(text, size, "it holds %s interface version %s%s0x%x%s%s", before,
             row && row->name ? row->name : "", row && row->name ? " (" : "", version,
             row && row->name ? ")" : "", behind);
}

/* Of a rule of this interface, all of which was examined; or NULL: there is no such rule. */
static void say_not_asked(const struct vidmm_check_result *result, const struct vidmm_rule *rule,
                          char *text, size_t size) {
    const char *function = rule ? lacking(result, rule) : NULL;
    const struct vidmm_stage_result *stage = rule && !function ? skipped(result, rule) : NULL;
    if (function)
        snprintf(text, size, "the driver has no %s", function);
    else if (rule && rule->number == 604 && result->gdi_refused != 0)
        snprintf(text, size, "DxgkDdiRenderKm refused what it was asked for");
    else if (stage)
        snprintf(text, size, "stage %s was skipped%s%s", stage->name,
                 stage->text[0] != '\0' ? ": " : "", stage->text);
    else
        snprintf(text, size, "nothing that the driver reported or was asked made it apply");
}

void vidmm_check_reason(const struct vidmm_check_result *result, uint32_t rule, char *text,
                        size_t size) {
    const struct vidmm_rule *row = vidmm_rule(rule);
    const struct vidmm_stage_result *stage = cut_short(result);
    bool other = row && of_other_interface(result, row);
    if (other && row->first != 0 && result->ddi_version < row->first)
        say_version(row->first, "from", " on", text, size);
    else if (other)
        say_version(row->last, "up to", "", text, size);
    else if (row && result->ledger.unseen[rule] != 0)
        snprintf(text, size, "the memory that would show it cannot be seen: %s",
                 result->modelled ? "the hardware model has nothing that shows it (vidmm/hwmodel.h)"
                                  : "--hardware or --device shows it");
    else if (stage)
        snprintf(text, size, "stage %s did not come to its end", stage->name);
    else
        say_not_asked(result, row, text, size);
}
