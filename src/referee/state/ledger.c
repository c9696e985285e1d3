/* ledger.c - findings as plain data: counted, folded, kept; see referee.h. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <vidmm/printable.h>
#include <vidmm/referee.h>

#include "rules/host.h"
#include "state/memory.h"
#include "state/status.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t (*find_places)(const char *call, uint64_t *frame, uint32_t most);

void vidmm_ledger_places(uint32_t (*find)(const char *call, uint64_t *frame, uint32_t most)) {
    find_places = find;
}

/* ---- Who is told ----------------------------------------------------------------------------- */

static struct vidmm_ledger_watcher watchers[VIDMM_LEDGER_WATCHERS];

void vidmm_ledger_watch(const struct vidmm_ledger_watcher *watcher) {
    struct vidmm_ledger_watcher *place = NULL;
    vidmm_ledger_unwatch(watcher->ctx);
    for (uint32_t i = 0; i < VIDMM_LEDGER_WATCHERS && !place; i++)
        place = watchers[i].ctx ? NULL : &watchers[i];
    if (place)
        *place = *watcher;
}

void vidmm_ledger_unwatch(const void *ctx) {
    for (uint32_t i = 0; i < VIDMM_LEDGER_WATCHERS; i++)
        if (watchers[i].ctx == ctx)
            watchers[i] = (struct vidmm_ledger_watcher){.ctx = NULL};
}

/* Not for the compiler to leave out. */
__attribute__((noinline)) void vidmm_finding(const struct vidmm_finding *finding) {
    __asm__ volatile("" : : "r"(finding) : "memory");
}

static void ledger_tell(const struct vidmm_finding *finding) {
    vidmm_finding(finding);
    for (uint32_t i = 0; i < VIDMM_LEDGER_WATCHERS; i++)
        if (watchers[i].finding)
            watchers[i].finding(watchers[i].ctx, finding);
}

/* ---- Resets and changes of power ------------------------------------------------------------- */

const char *vidmm_turn_text(uint32_t turn) {
    static const char *const names[] = {[VIDMM_TURN_NONE] = "",
                                        [VIDMM_TURN_RESTART] = "DxgkDdiRestartFromTimeout",
                                        [VIDMM_TURN_RESET_ENGINE] = "DxgkDdiResetEngine",
                                        [VIDMM_TURN_POWER] = "DxgkDdiSetPowerState"};
    return turn < sizeof(names) / sizeof(names[0]) ? names[turn] : "";
}

/* Others judge meanwhile. */
static void ledger_kept(const struct vidmm_ledger *ledger, uint32_t kept[VIDMM_RULES_SIZE]) {
    for (uint32_t rule = 0; rule < VIDMM_RULES_SIZE; rule++)
        kept[rule] = __atomic_load_n(&ledger->kept[rule], __ATOMIC_RELAXED);
}

static void ledger_turn(struct vidmm_ledger *ledger, const char *name) {
    for (uint32_t turn = VIDMM_TURN_RESTART; turn <= VIDMM_TURN_POWER; turn++) {
        if (strcmp(name, vidmm_turn_text(turn)) != 0)
            continue;
        pthread_mutex_lock(&lock);
        ledger->turn.call_is = turn;
        ledger->turn.call = ledger->calls;
        ledger_kept(ledger, ledger->turn.kept_until);
        pthread_mutex_unlock(&lock);
    }
}

static void ledger_until(const struct vidmm_ledger *ledger, struct vidmm_finding *finding) {
    const uint32_t rule = finding->rule, kept = ledger->turn.kept_until[rule];
    if (finding->kind != VIDMM_FINDING_RULE || ledger->turn.call == 0 ||
        __atomic_load_n(&ledger->kept[rule], __ATOMIC_RELAXED) != kept ||
        kept == ledger->turn.kept_before[rule])
        return;
    finding->kept_until = kept - ledger->turn.kept_before[rule];
    finding->until = ledger->turn.call_is;
    finding->until_call = ledger->turn.call;
}

void vidmm_ledger_entered(struct vidmm_ledger *ledger, const char *name) {
    ledger_turn(ledger, name);
    for (uint32_t i = 0; i < VIDMM_LEDGER_WATCHERS; i++)
        if (watchers[i].entered)
            watchers[i].entered(watchers[i].ctx, ledger->calls, name);
}

/* ---- Findings -------------------------------------------------------------------------------- */

/* What is judged now happened earlier, there; no frames: it happens now. */
static _Thread_local struct {
    const uint64_t *frame;
    uint32_t frames;
} earlier;

uint32_t vidmm_ledger_here(uint64_t *frame, uint32_t most) {
    return find_places ? find_places(NULL, frame, most) : 0;
}

void vidmm_ledger_was_at(const uint64_t *frame, uint32_t frames) {
    earlier.frame = frame;
    earlier.frames = frames;
}

static uint32_t ledger_frames(const struct vidmm_finding *finding, uint64_t frame[VIDMM_PLACES]) {
    const char *call = finding->where[0] != 0 ? finding->where : finding->found;
    if (earlier.frames == 0)
        return find_places ? find_places(call, frame, VIDMM_PLACES) : 0;
    memcpy(frame, earlier.frame, earlier.frames * sizeof(*frame));
    return earlier.frames;
}

static void ledger_place(struct vidmm_finding *finding) {
    uint64_t frame[VIDMM_PLACES];
    finding->places = ledger_frames(finding, frame);
    for (uint32_t i = 0; i < finding->places; i++)
        finding->place[i].offset = frame[i];
}

static struct vidmm_ledger_mirror mirror;

void vidmm_ledger_set_mirror(const struct vidmm_ledger_mirror *other) {
    mirror = other ? *other : (struct vidmm_ledger_mirror){.found = NULL};
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Behind a number, decimal or with 0x; `text` itself: there is none. */
static const char *behind_number(const char *text) {
    if (!is_digit(*text))
        return text;
    if (text[0] == '0' && text[1] == 'x')
        return text + 2 + strspn(text + 2, "0123456789abcdefABCDEF");
    return text + strspn(text, "0123456789");
}

void vidmm_finding_plain(const char *text, char *plain, size_t size) {
    size_t length = 0;
    while (*text != '\0' && length + 1 < size) {
        const char *behind = behind_number(text);
        plain[length++] = behind == text ? *text++ : '#';
        text = behind > text ? behind : text;
    }
    plain[length] = '\0';
}

static bool plainly_equal(const char *a, const char *b) {
    char plain[2][sizeof(((struct vidmm_finding *)0)->found)];
    vidmm_finding_plain(a, plain[0], sizeof(plain[0]));
    vidmm_finding_plain(b, plain[1], sizeof(plain[1]));
    return strcmp(plain[0], plain[1]) == 0;
}

/* A rule broken at one place is one finding, however its figures differ from time to time. */
static bool ledger_same(const struct vidmm_finding *a, const struct vidmm_finding *b) {
    if (a->kind != b->kind || a->who != b->who || a->rule != b->rule ||
        strcmp(a->where, b->where) != 0)
        return false;
    return a->kind == VIDMM_FINDING_RULE ? plainly_equal(a->expected, b->expected)
                                         : plainly_equal(a->found, b->found);
}

/* The index of its finding; VIDMM_FINDINGS: there is no room for it. */
static uint32_t ledger_find(struct vidmm_ledger *ledger, const struct vidmm_finding *finding) {
    for (uint32_t i = 0; i < ledger->findings; i++) {
        if (ledger_same(&ledger->finding[i], finding)) {
            ledger->finding[i].times++;
            return i;
        }
    }
    if (ledger->findings == VIDMM_FINDINGS) {
        ledger->dropped++;
        return VIDMM_FINDINGS;
    }
    ledger->finding[ledger->findings] = *finding;
    ledger_place(&ledger->finding[ledger->findings]);
    return ledger->findings++;
}

/* The breach of the driver that came last before an end. */
static void ledger_after(const struct vidmm_ledger *ledger, struct vidmm_finding *finding) {
    bool end = finding->kind == VIDMM_FINDING_CRASH || finding->kind == VIDMM_FINDING_HANG ||
               finding->kind == VIDMM_FINDING_EXIT;
    for (uint32_t i = end ? ledger->seen : 0; i > 0 && finding->after == 0; i--) {
        const struct vidmm_ledger_seen *seen = &ledger->seen_as[i - 1];
        const struct vidmm_finding *before = &ledger->finding[seen->finding];
        if (before->who != VIDMM_SIDE_DRIVER || !vidmm_finding_explains(before))
            continue;
        finding->after = (uint16_t)(seen->finding + 1);
        finding->after_call = seen->call;
    }
}

static void ledger_keep(struct vidmm_ledger *ledger, const struct vidmm_finding *finding) {
    uint32_t before = ledger->findings, index = ledger_find(ledger, finding);
    if (index == VIDMM_FINDINGS)
        return;
    for (uint32_t i = 0; i < ledger->seen; i++)
        if (ledger->seen_as[i].finding == index)
            return;
    ledger->seen_as[ledger->seen++] = (struct vidmm_ledger_seen){index, finding->call};
    if (mirror.found)
        mirror.found(ledger, index, index == before);
}

void vidmm_ledger_begin(struct vidmm_ledger *ledger) {
    pthread_mutex_lock(&lock);
    ledger->seen = 0;
    ledger->turn.call = 0;
    ledger_kept(ledger, ledger->turn.kept_before);
    pthread_mutex_unlock(&lock);
}

static void ledger_enter(struct vidmm_ledger *ledger, struct vidmm_finding *finding) {
    pthread_mutex_lock(&lock);
    finding->times = 1;
    finding->call = ledger->calls;
    snprintf(finding->where, sizeof(finding->where), "%s", ledger->calling);
    snprintf(finding->step, sizeof(finding->step), "%s", ledger->step);
    ledger_after(ledger, finding);
    ledger_until(ledger, finding);
    ledger_keep(ledger, finding);
    pthread_mutex_unlock(&lock);
    ledger_tell(finding);
}

/* A referee that was refused memory has not seen all: what it would say now may be its own gap. */
static bool ledger_closed(struct vidmm_ledger *ledger) {
    if (memory_short())
        __atomic_store_n(&ledger->short_of_memory, 1, __ATOMIC_RELAXED);
    return memory_short();
}

/* The sentence of a finding. */
static void ledger_say(struct vidmm_finding *finding, const char *format, va_list args) {
    char text[sizeof(finding->found)];
    vsnprintf(text, sizeof(text), format, args);
    vidmm_printable(text, false);
    status_words(text, finding->found, sizeof(finding->found));
}

static uint32_t ledger_told(const struct vidmm_ledger *ledger, uint32_t rule, enum vidmm_side who) {
    bool was_kept = !ledger->muted[rule] && ledger->broken[rule] == 0;
    return ledger->instead != 0 && who == VIDMM_SIDE_DRIVER && was_kept ? ledger->instead : rule;
}

/* Which rule that is told as another one. */
static void ledger_name(struct vidmm_finding *finding, uint32_t rule) {
    char text[sizeof(finding->found)], id[8];
    memcpy(text, finding->found, sizeof(text));
    snprintf(finding->found, sizeof(finding->found), "%s was kept, and is broken: %.*s",
             vidmm_rule_id(rule, id), (int)sizeof(text) - 40, text);
}

void vidmm_ledger_judge(struct vidmm_ledger *ledger, uint32_t rule, enum vidmm_side who, bool kept,
                        const char *expected, const char *found, ...) {
    if (kept) {
        __atomic_fetch_add(&ledger->kept[rule], 1, __ATOMIC_RELAXED);
        return;
    }
    if (ledger_closed(ledger))
        return;
    if (ledger->muted[rule] == VIDMM_MUTED_ASIDE) {
        __atomic_fetch_add(&ledger->aside, 1, __ATOMIC_RELAXED);
        return;
    }
    uint32_t told = ledger_told(ledger, rule, who);
    if (__atomic_fetch_add(&ledger->broken[told], 1, __ATOMIC_RELAXED) != 0 && told != rule)
        return;
    if (ledger->muted[told])
        return;
    struct vidmm_finding finding = {
        .kind = VIDMM_FINDING_RULE, .who = (uint8_t)who, .rule = (uint16_t)told};
    va_list args;
    va_start(args, found);
    ledger_say(&finding, found, args);
    va_end(args);
    if (told != rule)
        ledger_name(&finding, rule);
    snprintf(finding.expected, sizeof(finding.expected), "%s",
             told != rule ? ledger->instead_expected : expected);
    ledger_enter(ledger, &finding);
}

void vidmm_ledger_hold(struct vidmm_ledger *ledger, uint32_t rule) {
    if (!ledger_closed(ledger) && !ledger->muted[rule])
        __atomic_fetch_add(&ledger->held[rule], 1, __ATOMIC_RELAXED);
}

void vidmm_ledger_note(struct vidmm_ledger *ledger, enum vidmm_finding_kind kind,
                       enum vidmm_side who, const char *found, ...) {
    struct vidmm_finding finding = {.kind = (uint8_t)kind, .who = (uint8_t)who};
    va_list args;
    if (ledger_closed(ledger))
        return;
    va_start(args, found);
    ledger_say(&finding, found, args);
    va_end(args);
    uint32_t rule = host_rule_of(finding.kind, finding.found);
    uint32_t told = ledger_told(ledger, rule, who);
    finding.rule = (uint16_t)told;
    if (__atomic_fetch_add(&ledger->broken[told], 1, __ATOMIC_RELAXED) != 0 && told != rule)
        return;
    if (told != rule) {
        finding.kind = VIDMM_FINDING_RULE;
        ledger_name(&finding, rule);
        snprintf(finding.expected, sizeof(finding.expected), "%s", ledger->instead_expected);
    }
    ledger_enter(ledger, &finding);
}

/* Each call passes here several times: nothing is formatted. */
void vidmm_ledger_calling(struct vidmm_ledger *ledger, const char *call) {
    size_t length = call ? strnlen(call, sizeof(ledger->calling) - 1) : 0;
    (void)ledger_closed(ledger);
    pthread_mutex_lock(&lock);
    if (length != 0)
        memmove(ledger->calling, call, length);
    ledger->calling[length] = 0;
    if (mirror.moved)
        mirror.moved(ledger);
    pthread_mutex_unlock(&lock);
}

void vidmm_ledger_step(struct vidmm_ledger *ledger, const char *step) {
    pthread_mutex_lock(&lock);
    snprintf(ledger->step, sizeof(ledger->step), "%s", step ? step : "");
    if (mirror.moved)
        mirror.moved(ledger);
    pthread_mutex_unlock(&lock);
    for (uint32_t i = 0; i < VIDMM_LEDGER_WATCHERS; i++)
        if (watchers[i].step)
            watchers[i].step(watchers[i].ctx, step ? step : "");
}

void vidmm_finding_text(const struct vidmm_finding *finding, char *text, size_t size) {
    const char *who = finding->who == VIDMM_SIDE_MANAGER ? "the manager" : "the driver";
    char rule[16] = "", id[8], where[sizeof(finding->where) + 2] = "", times[32] = "";
    if (finding->rule != 0)
        snprintf(rule, sizeof(rule), "[%s] ", vidmm_rule_id(finding->rule, id));
    if (finding->where[0] != 0)
        snprintf(where, sizeof(where), "%.*s: ", (int)sizeof(finding->where), finding->where);
    if (finding->times > 1)
        snprintf(times, sizeof(times), " (%u times)", finding->times);
    snprintf(text, size, "%s%s%s: %s%s%s%s", rule, where, who, finding->found,
             finding->expected[0] != 0 ? "; expected " : "", finding->expected, times);
}

enum vidmm_severity vidmm_finding_severity(const struct vidmm_finding *finding) {
    const struct vidmm_rule *rule = vidmm_rule(finding->rule);
    return rule ? (enum vidmm_severity)rule->severity : VIDMM_SEVERITY_BUGCHECK;
}

bool vidmm_finding_explains(const struct vidmm_finding *finding) {
    const struct vidmm_rule *rule = vidmm_rule(finding->rule);
    return finding->kind == VIDMM_FINDING_RULE && rule && rule->reach == VIDMM_REACH_ALL &&
           rule->severity != VIDMM_SEVERITY_PERFORMANCE;
}
