/* ledger.c - findings as plain data: counted, folded, kept; see referee.h. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <vidmm/referee.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t (*find_places)(const char *call, uint64_t *frame, uint32_t most);

void vidmm_ledger_places(uint32_t (*find)(const char *call, uint64_t *frame, uint32_t most)) {
    find_places = find;
}

static void ledger_place(struct vidmm_finding *finding) {
    uint64_t frame[VIDMM_PLACES];
    const char *call = finding->where[0] != 0 ? finding->where : finding->found;
    finding->places = find_places ? find_places(call, frame, VIDMM_PLACES) : 0;
    for (uint32_t i = 0; i < finding->places; i++)
        finding->place[i].offset = frame[i];
}

static bool ledger_same(const struct vidmm_finding *a, const struct vidmm_finding *b) {
    if (a->kind != b->kind || a->who != b->who || a->rule != b->rule)
        return false;
    /* A rule broken at one place is one finding, however its figures differ from time to time. */
    return strcmp(a->where, b->where) == 0 &&
           (a->rule != 0 ? strcmp(a->expected, b->expected) : strcmp(a->found, b->found)) == 0;
}

static void ledger_keep(struct vidmm_ledger *ledger, const struct vidmm_finding *finding) {
    for (uint32_t i = 0; i < ledger->findings; i++) {
        if (ledger_same(&ledger->finding[i], finding)) {
            ledger->finding[i].times++;
            return;
        }
    }
    if (ledger->findings == VIDMM_FINDINGS) {
        ledger->dropped++;
        return;
    }
    ledger->finding[ledger->findings] = *finding;
    ledger_place(&ledger->finding[ledger->findings++]);
}

static void ledger_enter(struct vidmm_ledger *ledger, struct vidmm_finding *finding) {
    pthread_mutex_lock(&lock);
    finding->times = 1;
    finding->call = ledger->calls;
    snprintf(finding->where, sizeof(finding->where), "%s", ledger->calling);
    snprintf(finding->step, sizeof(finding->step), "%s", ledger->step);
    ledger_keep(ledger, finding);
    pthread_mutex_unlock(&lock);
}

void vidmm_ledger_judge(struct vidmm_ledger *ledger, uint32_t rule, enum vidmm_side who, bool kept,
                        const char *expected, const char *found, ...) {
    if (kept) {
        __atomic_fetch_add(&ledger->kept[rule], 1, __ATOMIC_RELAXED);
        return;
    }
    __atomic_fetch_add(&ledger->broken[rule], 1, __ATOMIC_RELAXED);
    if (ledger->muted[rule])
        return;
    struct vidmm_finding finding = {
        .kind = VIDMM_FINDING_RULE, .who = (uint8_t)who, .rule = (uint16_t)rule};
    va_list args;
    va_start(args, found);
    vsnprintf(finding.found, sizeof(finding.found), found, args);
    va_end(args);
    snprintf(finding.expected, sizeof(finding.expected), "%s", expected);
    ledger_enter(ledger, &finding);
}

void vidmm_ledger_note(struct vidmm_ledger *ledger, enum vidmm_finding_kind kind,
                       enum vidmm_side who, const char *found, ...) {
    struct vidmm_finding finding = {.kind = (uint8_t)kind, .who = (uint8_t)who};
    va_list args;
    va_start(args, found);
    vsnprintf(finding.found, sizeof(finding.found), found, args);
    va_end(args);
    ledger_enter(ledger, &finding);
}

void vidmm_ledger_calling(struct vidmm_ledger *ledger, const char *call) {
    pthread_mutex_lock(&lock);
    snprintf(ledger->calling, sizeof(ledger->calling), "%s", call ? call : "");
    pthread_mutex_unlock(&lock);
}

void vidmm_ledger_step(struct vidmm_ledger *ledger, const char *step) {
    pthread_mutex_lock(&lock);
    snprintf(ledger->step, sizeof(ledger->step), "%s", step ? step : "");
    pthread_mutex_unlock(&lock);
}

void vidmm_finding_text(const struct vidmm_finding *finding, char *text, size_t size) {
    const char *who = finding->who == VIDMM_SIDE_MANAGER ? "the manager" : "the driver";
    char rule[16] = "", where[sizeof(finding->where) + 2] = "", times[32] = "";
    if (finding->rule != 0)
        snprintf(rule, sizeof(rule), "[R%u] ", finding->rule);
    if (finding->where[0] != 0)
        snprintf(where, sizeof(where), "%.*s: ", (int)sizeof(finding->where), finding->where);
    if (finding->times > 1)
        snprintf(times, sizeof(times), " (%u times)", finding->times);
    snprintf(text, size, "%s%s%s: %s%s%s%s", rule, where, who, finding->found,
             finding->expected[0] != 0 ? "; expected " : "", finding->expected, times);
}
