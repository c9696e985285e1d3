/*
 * causes.c - see causes.h.
 *
 * In one life of a driver, from its start to its stop, a finding follows from an earlier one when both
 * are of one call, or of one operation, or when the first is of a step of the work whose result the
 * second is about: built, patched, submitted, reported. What the manager then does wrong, a refusal,
 * and an end of the process follow, too. What a function does after it has spoilt memory follows from that, and what
 * is never reported from what the host saw before. Findings of other calls do not: two mistakes stay two. One rule
 * that is broken in several operations of one function is one finding.
 */
#include "causes.h"
#include "unite.h"

#include <string.h>

/* ---- One life -------------------------------------------------------------------------------- */

static size_t function_length(const struct vidmm_finding *finding) {
    return strcspn(finding->where, "(:");
}

static bool same_function(const struct vidmm_finding *a, const struct vidmm_finding *b) {
    size_t length = function_length(a);
    return length == function_length(b) && memcmp(a->where, b->where, length) == 0;
}

static bool calls(const struct vidmm_finding *finding, const char *name) {
    return strncmp(finding->where, name, strlen(name)) == 0;
}

/* The steps in which what a driver says becomes work; a step's result is what the next begins with. */
enum step { STEP_DESCRIBE, STEP_CREATE, STEP_BUILD, STEP_PATCH, STEP_DONE };

static enum step step_of(const struct vidmm_finding *finding) {
    if (calls(finding, "DxgkDdiQueryAdapterInfo"))
        return STEP_DESCRIBE;
    if (calls(finding, "DxgkDdiCreate") || calls(finding, "DxgkDdiOpen") ||
        calls(finding, "DxgkDdiDescribe") || calls(finding, "DxgkDdiGetStandard"))
        return STEP_CREATE;
    if (calls(finding, "DxgkDdiBuildPagingBuffer") || calls(finding, "DxgkDdiRender") ||
        calls(finding, "DxgkDdiPresent"))
        return STEP_BUILD;
    return calls(finding, "DxgkDdiPatch") ? STEP_PATCH : STEP_DONE;
}

static bool is_rule(const struct vidmm_finding *finding) {
    return finding->kind == VIDMM_FINDING_RULE;
}

static bool is_one_of(const struct vidmm_finding *finding, const uint16_t *rules, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_rule(finding) && finding->rule == rules[i])
            return true;
    return false;
}
#define IS_ONE_OF(finding, rules) is_one_of(finding, rules, sizeof(rules) / sizeof((rules)[0]))

/* R521: an interrupt that is not dismissed is taken for a new one, also where another device has one (R520). */
static bool is_undismissed(const struct vidmm_finding *cause, const struct vidmm_finding *effect) {
    return is_rule(cause) && cause->rule == 521 && is_rule(effect) && effect->rule == 520 &&
           effect->who == VIDMM_SIDE_DRIVER;
}

/* What merely costs time or memory leads to nothing. */
static bool is_advice(const struct vidmm_finding *finding) {
    return vidmm_finding_severity(finding) == VIDMM_SEVERITY_PERFORMANCE;
}

/* R85, R536: what a driver says of its addresses in one place, and not in another. It works by the one, and the
 * system by the other. */
static bool is_contradiction(const struct vidmm_finding *finding) {
    return is_rule(finding) && (finding->rule == 85 || finding->rule == 536);
}

/* R142, R627, R531, R181: what objects that are destroyed, creations that fail, and transfers leave behind. */
static bool tells_of_leak(const struct vidmm_finding *finding) {
    return is_rule(finding) && (finding->rule == 142 || finding->rule == 627 ||
                                finding->rule == 531 || finding->rule == 181);
}

/* What is left behind follows from a way out that is not the usual one. */
static bool leak_follows(const struct vidmm_finding *cause) {
    enum vidmm_severity severity = vidmm_finding_severity(cause);
    return !is_rule(cause) || severity == VIDMM_SEVERITY_START_FAILS ||
           severity == VIDMM_SEVERITY_CREATION_FAILS;
}

/* A rule may be about displays alone, or about an answer that nobody works by. */
static bool reaches_on(const struct vidmm_finding *cause) {
    return !is_rule(cause) || vidmm_finding_explains(cause);
}

/* Of a finding that is no rule's. */
static bool end_follows(const struct vidmm_finding *cause, const struct vidmm_finding *end) {
    switch (end->kind) {
    case VIDMM_FINDING_HOST: /* the manager refuses what the rule forbids; bytes that were lost */
        return end->rule == VIDMM_K_UNUSABLE || (end->rule == VIDMM_K_BYTES && reaches_on(cause));
    case VIDMM_FINDING_LEAK:
        return leak_follows(cause);
    case VIDMM_FINDING_CRASH:
    case VIDMM_FINDING_EXIT:
        return same_function(cause, end) || (reaches_on(cause) && step_of(cause) != STEP_DESCRIBE);
    case VIDMM_FINDING_HANG:
        return reaches_on(cause);
    default:
        return true;
    }
}

/* The driver's own memory, or what it sees of others', is no longer what it takes it for. */
static bool spoils_bytes(const struct vidmm_finding *cause) {
    return cause->kind == VIDMM_FINDING_HOST &&
           (cause->rule == VIDMM_K_POOL || cause->rule == VIDMM_K_POOL_GUARD ||
            cause->rule == VIDMM_K_MEMORY || cause->rule == VIDMM_K_GUARD);
}

static bool is_bugcheck(const struct vidmm_finding *finding) {
    return finding->kind == VIDMM_FINDING_HOST && finding->rule == VIDMM_K_BUGCHECK;
}

/* K30, K17: a list that two processors changed at once is damaged, and a later change of it finds that. */
static bool is_damaged_by_race(const struct vidmm_finding *cause,
                               const struct vidmm_finding *effect) {
    return cause->rule == VIDMM_K_RACE && is_bugcheck(effect);
}

/* What surfaces are made of, and what is said of them, is what was written for them. */
static bool spoils_surfaces(const struct vidmm_finding *cause, const struct vidmm_finding *effect) {
    return calls(cause, "DxgkDdiGetStandard") && step_of(effect) == STEP_CREATE;
}

/* R561, R597: a preemption, or work, that is never reported. */
static bool is_unreported(const struct vidmm_finding *finding) {
    return finding->rule == 561 || finding->rule == 597;
}

/* R230, R232: what is moved by addresses that a TLB still has goes to wrong places, and comes from them. */
static bool misleads(const struct vidmm_finding *cause, const struct vidmm_finding *effect) {
    return (cause->rule == 230 || cause->rule == 232) &&
           (effect->rule == 188 || effect->rule == 240 || effect->rule == 244);
}

/* R421, R611: a GPU that goes on after a reset reports what the reset ended, and what it had been asked before, and does
 * not get to what comes behind it (R618). */
static bool goes_on(const struct vidmm_finding *cause, const struct vidmm_finding *effect) {
    return (cause->rule == 421 &&
            (effect->rule == 611 || effect->rule == 281 || effect->rule == 618)) ||
           (cause->rule == 611 && effect->rule == 281);
}

static bool follows(const struct vidmm_ledger *ledger, const struct vidmm_ledger_seen *first,
                    const struct vidmm_ledger_seen *then) {
    const struct vidmm_finding *cause = &ledger->finding[first->finding];
    const struct vidmm_finding *effect = &ledger->finding[then->finding];
    if (first->call == then->call && first->call != 0)
        return true;
    if (tells_of_leak(cause) && effect->kind == VIDMM_FINDING_LEAK)
        return true;
    if (is_contradiction(cause) && step_of(effect) != STEP_DESCRIBE)
        return true;
    if (is_advice(cause))
        return false;
    if (effect->who != VIDMM_SIDE_DRIVER || is_damaged_by_race(cause, effect))
        return true;
    if (!is_rule(effect))
        return end_follows(cause, effect);
    if (cause->kind == VIDMM_FINDING_HOST)
        return is_unreported(effect) || (spoils_bytes(cause) && (same_function(cause, effect) ||
                                                                 spoils_surfaces(cause, effect)));
    if (!is_rule(cause))
        return cause->kind != VIDMM_FINDING_LEAK;
    if (misleads(cause, effect) || goes_on(cause, effect) ||
        (cause->where[0] != '\0' && strcmp(cause->where, effect->where) == 0))
        return true;
    enum step step = step_of(cause);
    return reaches_on(cause) && step >= STEP_BUILD && step_of(effect) > step;
}

static bool is_leak(const struct vidmm_finding *finding) {
    return finding->kind == VIDMM_FINDING_LEAK;
}

void causes_take(struct causes *causes, const struct vidmm_ledger *ledger) {
    for (uint32_t i = 0; i < ledger->seen && is_leak(&ledger->finding[ledger->seen_as[i].finding]);
         i++)
        causes->leaks[ledger->seen_as[i].finding] = true;
    if (ledger->seen != 0)
        causes->first[ledger->seen_as[0].finding]++;
    for (uint32_t i = 0; i < ledger->seen; i++)
        for (uint32_t k = i + 1; k < ledger->seen; k++)
            if (follows(ledger, &ledger->seen_as[i], &ledger->seen_as[k]))
                causes->linked[ledger->seen_as[i].finding][ledger->seen_as[k].finding] = true;
}

/* ---- All lives ------------------------------------------------------------------------------- */

/* Findings of one rule in one function are a node: `node` has the first of them. */
struct graph {
    struct causes *causes;
    struct vidmm_check_result *result;
    uint32_t node[VIDMM_FINDINGS];
    uint32_t first[VIDMM_FINDINGS]; /* of a node */
    uint32_t order[VIDMM_FINDINGS]; /* nodes, the likeliest causes first */
    uint32_t nodes;
    uint32_t head[VIDMM_FINDINGS]; /* of a node: the node that it follows from, or itself */
};

/* R631: of one function's structure, whichever function a pointer to it is used in. */
static bool same_structure(const struct vidmm_finding *a, const struct vidmm_finding *b) {
    static const char of[] = "of the structure of ";
    const char *one = strstr(a->found, of), *other = strstr(b->found, of);
    size_t length = one ? strcspn(one, ",") : 0;
    return is_rule(a) && a->rule == 631 && one && other && strncmp(one, other, length) == 0;
}

static bool same_node(const struct vidmm_finding *a, const struct vidmm_finding *b) {
    return a->kind == b->kind && a->who == b->who && a->rule == b->rule &&
           (same_function(a, b) || unite_lists(a) || same_structure(a, b));
}

/* R539: that paging work ended in an error tells nothing of why. */
static bool tells_cause(const struct vidmm_finding *finding) {
    return (is_rule(finding) && !is_unreported(finding) && finding->rule != 539) ||
           spoils_bytes(finding);
}

/* R597: where bytes are looked at when a fence was reported, they are not there yet. */
static bool is_early(const struct vidmm_finding *finding) {
    return is_rule(finding) && finding->rule == 597 && strstr(finding->found, CAUSES_EARLY);
}

/* R421, R521, R602, R611, R631, R637, R651, R659: few moments show them, and what follows from them shows in many. */
static bool tells_root(const struct vidmm_finding *finding) {
    static const uint16_t roots[] = {421, 521, 602, 611, 631, 637, 651, 659};
    return IS_ONE_OF(finding, roots) || is_early(finding);
}

/* R223: where a place in a segment is taken for another one tables are looked for elsewhere, too. */
static bool misplaces(const struct vidmm_finding *cause, const struct vidmm_finding *effect) {
    return is_rule(cause) && cause->rule == 223 && cause->who == VIDMM_SIDE_DRIVER &&
           is_rule(effect) && (effect->rule == 210 || effect->rule == 230 || effect->rule == 423);
}

/* Smaller is likelier: a rule of the driver that was broken first in most lives. */
static bool likelier(const struct graph *graph, uint32_t a, uint32_t b) {
    const struct vidmm_finding *x = &graph->result->ledger.finding[a];
    const struct vidmm_finding *y = &graph->result->ledger.finding[b];
    if (x->who != y->who)
        return x->who == VIDMM_SIDE_DRIVER;
    if (is_contradiction(x) != is_contradiction(y))
        return is_contradiction(x);
    if (is_advice(x) != is_advice(y))
        return is_advice(y);
    if (tells_root(x) != tells_root(y))
        return tells_root(x);
    if (tells_cause(x) != tells_cause(y))
        return tells_cause(x);
    if (misplaces(x, y) || misplaces(y, x))
        return misplaces(x, y);
    if (is_damaged_by_race(x, y) || is_damaged_by_race(y, x))
        return is_damaged_by_race(x, y);
    if (graph->first[a] != graph->first[b])
        return graph->first[a] > graph->first[b];
    return x->call < y->call;
}

static void graph_nodes(struct graph *graph) {
    const struct vidmm_ledger *ledger = &graph->result->ledger;
    for (uint32_t i = 0; i < ledger->findings; i++) {
        uint32_t node = 0;
        while (!same_node(&ledger->finding[node], &ledger->finding[i]))
            node++;
        graph->node[i] = node;
        graph->first[node] += graph->causes->first[i];
    }
}

/* What is linked to a finding is linked to its node. */
static void graph_links(struct graph *graph) {
    uint32_t count = graph->result->ledger.findings;
    for (uint32_t i = 0; i < count; i++) {
        graph->causes->leaks[graph->node[i]] |= graph->causes->leaks[i];
        for (uint32_t k = 0; k < count; k++)
            graph->causes->linked[graph->node[i]][graph->node[k]] |= graph->causes->linked[i][k];
    }
}

static void graph_order(struct graph *graph) {
    for (uint32_t i = 0; i < graph->result->ledger.findings; i++) {
        if (graph->node[i] != i)
            continue;
        uint32_t at = graph->nodes++;
        for (; at > 0 && likelier(graph, i, graph->order[at - 1]); at--)
            graph->order[at] = graph->order[at - 1];
        graph->order[at] = i;
    }
}

/* What an operation has to do, and does not. */
static bool is_effect(const struct vidmm_finding *finding) {
    const struct vidmm_rule *rule = is_rule(finding) ? vidmm_rule(finding->rule) : NULL;
    return rule && rule->group >= 'F' && rule->group <= 'H' && finding->who == VIDMM_SIDE_DRIVER &&
           calls(finding, "DxgkDdiBuildPagingBuffer(");
}

/* R631: what it submits to the hardware then is something else. */
static bool keeps_submission(const struct vidmm_finding *finding) {
    return is_rule(finding) && finding->rule == 631 &&
           strstr(finding->found, "DxgkDdiSubmitCommand");
}

/* R602, R631: a driver that executes other bytes than were submitted loses moves, and runs into errors, in any life. */
static bool misses_work(const struct vidmm_finding *cause, const struct vidmm_finding *effect) {
    static const uint16_t missed[] = {161, 162, 176, 177, 183, 188, 194, 196, 197, 200, 539};
    static const uint16_t reported[] = {281, 523, 561, 597, 605, 618, 632, 651};
    bool kept = keeps_submission(cause);
    if (!kept && !(is_rule(cause) && cause->rule == 602))
        return false;
    return effect->kind == VIDMM_FINDING_HANG || IS_ONE_OF(effect, missed) ||
           (kept && IS_ONE_OF(effect, reported));
}

/* R597: whatever is looked at when its fence was reported, in any life. */
static bool looks_undone(const struct vidmm_finding *cause, const struct vidmm_finding *effect) {
    bool bytes = effect->kind == VIDMM_FINDING_HOST && effect->rule == VIDMM_K_BYTES;
    return is_early(cause) && (bytes || is_effect(effect) || effect->kind == VIDMM_FINDING_HANG);
}

/* R637: a surface whose Size is too small shares its pages with others, in any life. */
static bool shares_pages(const struct vidmm_finding *cause, const struct vidmm_finding *effect) {
    static const uint16_t spoilt[] = {108, 161, 162, 184, 185, 188, 352, 444, 605};
    bool bytes = effect->kind == VIDMM_FINDING_HOST && effect->rule == VIDMM_K_BYTES;
    return is_rule(cause) && cause->rule == 637 && (bytes || IS_ONE_OF(effect, spoilt));
}

/* R421, R611: work that a reset of the adapter did not end is what the reset of an engine finds behind it, in any life. */
static bool finds_old_work(const struct vidmm_finding *cause, const struct vidmm_finding *effect) {
    return is_rule(cause) && is_rule(effect) && goes_on(cause, effect) &&
           (effect->rule == 618 || strstr(effect->step, "the adapter is reset"));
}

/* R651: an engine that takes no work behind D0 has no fences, either. */
static bool lost_fences(const struct vidmm_finding *cause, const struct vidmm_finding *effect) {
    return is_rule(cause) && cause->rule == 651 && is_rule(effect) && effect->rule == 281 &&
           strcmp(cause->step, effect->step) == 0;
}

/* R659: a DMA buffer that a preemption stopped is patched again before it goes on. */
static bool patches_wrong(const struct vidmm_finding *cause, const struct vidmm_finding *effect) {
    return is_rule(cause) && cause->rule == 659 && is_rule(effect) && effect->rule == 645;
}

/* The second follows from the first in any life, whichever of them more lives begin with (tells_root). */
static bool explains(const struct vidmm_finding *cause, const struct vidmm_finding *effect) {
    return is_undismissed(cause, effect) || misses_work(cause, effect) ||
           looks_undone(cause, effect) || shares_pages(cause, effect) ||
           finds_old_work(cause, effect) || lost_fences(cause, effect) ||
           misplaces(cause, effect) || patches_wrong(cause, effect);
}

/* R539: what goes to a wrong place in one life ends in an error in another, where nothing is at that place. */
static bool ends_in_error(const struct vidmm_finding *cause, const struct vidmm_finding *effect) {
    return is_effect(cause) && is_rule(effect) && effect->rule == 539;
}

/* Either came after the other and follows from it. A leak of lives in which nothing else went wrong
 * follows at most from another leak, or from what tells what was left. */
static bool nodes_linked(const struct graph *graph, uint32_t a, uint32_t b) {
    const struct vidmm_finding *finding = graph->result->ledger.finding;
    uint32_t leak = is_leak(&finding[a]) ? a : b, other = leak == a ? b : a;
    if (is_leak(&finding[leak]) && !is_leak(&finding[other]) && graph->causes->leaks[leak] &&
        !tells_of_leak(&finding[other]))
        return false;
    return graph->causes->linked[a][b] || graph->causes->linked[b][a] ||
           explains(&finding[a], &finding[b]) || ends_in_error(&finding[a], &finding[b]);
}

static void graph_heads(struct graph *graph) {
    for (uint32_t i = 0; i < graph->nodes; i++) {
        uint32_t node = graph->order[i];
        graph->head[node] = node;
        for (uint32_t k = 0; k < i && graph->head[node] == node; k++)
            if (nodes_linked(graph, graph->order[k], node))
                graph->head[node] = graph->head[graph->order[k]];
    }
}

/* ---- Operations without effect --------------------------------------------------------------- */

/* Three operations or more have no effect: that is one mistake in what they share, and not three. */
static void graph_effects(struct graph *graph) {
    const struct vidmm_finding *finding = graph->result->ledger.finding;
    uint32_t heads = 0, first = VIDMM_FINDINGS;
    for (uint32_t i = 0; i < graph->nodes; i++) {
        uint32_t node = graph->order[i];
        if (graph->head[node] != node || !is_effect(&finding[node]))
            continue;
        heads++;
        first = first == VIDMM_FINDINGS ? node : first;
    }
    for (uint32_t i = 0; i < graph->nodes && heads >= 3; i++) {
        uint32_t node = graph->order[i];
        if (is_effect(&finding[graph->head[node]]))
            graph->head[node] = first;
    }
}

/* ---- The one that stands first --------------------------------------------------------------- */

/* Rules about an answer, or about bytes, as a whole: beside a rule that says what is wrong in this case, and
 * that the same call broke, they are the consequence. */
static bool is_general(const struct vidmm_finding *finding) {
    static const uint16_t general[] = {5, 14, 16, 21, 27, 95, 149, 153, 161, 230, 240};
    return IS_ONE_OF(finding, general);
}

/* R176, R177: they say where bytes came from, or went to; where most of them show it, that is why others are wrong. */
static bool tells_where(const struct vidmm_finding *finding, const struct vidmm_finding *head) {
    return is_rule(finding) && (finding->rule == 176 || finding->rule == 177) &&
           head->rule == 161 && finding->times >= head->times && same_function(finding, head);
}

/* The finding that stands for the nodes under `head`. */
static uint32_t graph_front(const struct graph *graph, uint32_t head) {
    const struct vidmm_finding *finding = graph->result->ledger.finding;
    for (uint32_t i = 0; i < graph->nodes && is_general(&finding[head]); i++) {
        uint32_t node = graph->order[i];
        if (graph->head[node] == head && is_rule(&finding[node]) && !is_general(&finding[node]) &&
            finding[node].who == VIDMM_SIDE_DRIVER &&
            (finding[node].call == finding[head].call ||
             tells_where(&finding[node], &finding[head])))
            return node;
    }
    return head;
}

void causes_conclude(struct causes *causes, struct vidmm_check_result *result) {
    struct graph graph = {.causes = causes, .result = result};
    graph_nodes(&graph);
    graph_links(&graph);
    graph_order(&graph);
    graph_heads(&graph);
    graph_effects(&graph);
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        uint32_t head = graph.head[graph.node[i]], front = graph_front(&graph, head);
        result->mark[i].follows = (uint16_t)(front == i ? 0 : front + 1);
        result->mark[i].weight = (uint16_t)graph.first[head];
    }
}
