/*
 * ledger.c - what comes into the ledger of the driver's process is added to the caller's.
 *
 * Both begin alike, since one process is a copy of the other; calls alone may have been counted
 * since. A finding is said when it is found, with
 * the counts up to then; the counts also now and then, and at the end. The caller adds: what it has can
 * only grow, whatever becomes of the other ledger.
 */
#include "watch.h"

#include <stdio.h>
#include <string.h>

#include <vidmm/printable.h>

/* Calls between two sayings of the counts, which cost a wake-up of the caller: so many, or one 64th of
 * all calls that were said, whichever is more. */
#define CALLS_APART 256u
#define CALLS_PART  64u
/* Rules that the driver's table and its entry show before the first call. */
#define KEPT_UNCALLED 256u

/* ---- In the driver's process ----------------------------------------------------------------- */

/* The counts of a ledger alone: a whole one has the words of all findings, too much to copy for each process. */
struct said {
    uint32_t kept[VIDMM_RULES_SIZE], broken[VIDMM_RULES_SIZE], unseen[VIDMM_RULES_SIZE];
    uint32_t held[VIDMM_RULES_SIZE];
    uint32_t times[VIDMM_FINDINGS]; /* of each finding */
    uint64_t calls;
    uint32_t dropped;
};

static struct {
    struct vidmm_ledger *ledger;
    struct watch_hint *hint;
    struct said said; /* its counts, as they were said */
} mine;

static void say_found(const struct vidmm_finding *finding, uint32_t index) {
    struct watch_found found;
    memset(&found, 0, sizeof(found)); /* with what is between the members */
    found.index = index;
    found.kind = finding->kind;
    found.who = finding->who;
    found.rule = finding->rule;
    found.after = finding->after;
    found.after_call = finding->after_call;
    found.call = finding->call;
    found.until_call = finding->until_call;
    found.until = finding->until;
    found.kept_until = finding->kept_until;
    found.places = finding->places;
    for (uint32_t i = 0; i < finding->places; i++)
        found.place[i] = finding->place[i].offset;
    memcpy(found.where, finding->where, sizeof(found.where));
    memcpy(found.step, finding->step, sizeof(found.step));
    memcpy(found.found, finding->found, sizeof(found.found));
    memcpy(found.expected, finding->expected, sizeof(found.expected));
    vidmm_watch_say(WATCH_FOUND, &found, sizeof(found));
}

/* What grew of one rule; false: nothing. */
static bool grown(const struct vidmm_ledger *now, uint32_t rule, struct watch_count *count) {
    const struct said *said = &mine.said;
    *count = (struct watch_count){.index = rule,
                                  .kept = now->kept[rule] - said->kept[rule],
                                  .broken = now->broken[rule] - said->broken[rule],
                                  .unseen = now->unseen[rule] - said->unseen[rule],
                                  .held = now->held[rule] - said->held[rule],
                                  .unseen_in = now->unseen_in[rule]};
    return (count->kept | count->broken | count->unseen | count->held) != 0;
}

static void say_counts(const struct vidmm_ledger *now) {
    static struct {
        struct watch_counts head;
        struct watch_count count[VIDMM_RULES_SIZE + VIDMM_FINDINGS];
    } words;
    struct said *said = &mine.said;
    words.head = (struct watch_counts){.calls = now->calls - said->calls,
                                       .dropped = now->dropped - said->dropped,
                                       .short_of_memory = now->short_of_memory};
    struct watch_count *to = words.count;
    for (uint32_t rule = 0; rule < VIDMM_RULES_SIZE; rule++) {
        if (!grown(now, rule, to))
            continue;
        said->kept[rule] += to->kept;
        said->broken[rule] += to->broken;
        said->unseen[rule] += to->unseen;
        said->held[rule] += to->held;
        words.head.rules++;
        to++;
    }
    for (uint32_t i = 0; i < now->findings && i < VIDMM_FINDINGS; i++) {
        uint32_t times = now->finding[i].times - said->times[i];
        if (times == 0)
            continue;
        said->times[i] += times;
        words.head.findings++;
        *to++ = (struct watch_count){.index = i, .times = times};
    }
    said->calls += words.head.calls;
    said->dropped += words.head.dropped;
    vidmm_watch_say(WATCH_COUNTS, &words,
                    sizeof(words.head) + (size_t)(to - words.count) * sizeof(*to));
}

static void mirror_found(const struct vidmm_ledger *ledger, uint32_t index, bool is_new) {
    const struct watch_again again = {.index = index, .call = ledger->finding[index].call};
    if (ledger != mine.ledger)
        return;
    if (is_new)
        say_found(&ledger->finding[index], index);
    else
        vidmm_watch_say(WATCH_AGAIN, &again, sizeof(again));
    say_counts(ledger);
}

static void mirror_moved(const struct vidmm_ledger *ledger) {
    if (ledger != mine.ledger)
        return;
    memcpy(mine.hint->calling, ledger->calling, sizeof(mine.hint->calling));
    memcpy(mine.hint->step, ledger->step, sizeof(mine.hint->step));
    uint64_t apart = mine.said.calls / CALLS_PART;
    if (ledger->calls - mine.said.calls >= (apart > CALLS_APART ? apart : CALLS_APART))
        say_counts(ledger);
}

static void count_as_said(const struct vidmm_ledger *ledger) {
    struct said *said = &mine.said;
    memcpy(said->kept, ledger->kept, sizeof(said->kept));
    memcpy(said->broken, ledger->broken, sizeof(said->broken));
    memcpy(said->unseen, ledger->unseen, sizeof(said->unseen));
    memcpy(said->held, ledger->held, sizeof(said->held));
    for (uint32_t i = 0; i < VIDMM_FINDINGS; i++)
        said->times[i] = i < ledger->findings ? ledger->finding[i].times : 0;
    said->calls = ledger->calls;
    said->dropped = ledger->dropped;
}

void watch_ledger_begin(struct vidmm_ledger *ledger, struct watch_hint *hint) {
    static const struct vidmm_ledger_mirror mirror = {.found = mirror_found, .moved = mirror_moved};
    mine.ledger = ledger;
    mine.hint = hint;
    count_as_said(ledger);
    memcpy(hint->step, ledger->step, sizeof(hint->step));
    vidmm_ledger_set_mirror(&mirror);
}

void watch_ledger_flush(void) {
    if (mine.ledger)
        say_counts(mine.ledger);
}

/* ---- In the caller --------------------------------------------------------------------------- */

static bool ends(const char *text, size_t size) {
    return memchr(text, '\0', size);
}

static bool is_finding(const struct vidmm_ledger *ledger, const struct watch_found *found) {
    const struct vidmm_rule *rule = vidmm_rule(found->rule);
    return found->index == ledger->findings && found->index < VIDMM_FINDINGS && rule &&
           found->kind <= VIDMM_FINDING_REFUSED && found->places <= VIDMM_PLACES &&
           (found->kind != VIDMM_FINDING_RULE) == (found->rule >= VIDMM_K_FIRST) &&
           (found->who == VIDMM_SIDE_DRIVER || found->who == VIDMM_SIDE_MANAGER) &&
           found->after <= ledger->findings && found->until <= VIDMM_TURN_POWER &&
           ends(found->where, sizeof(found->where)) && ends(found->step, sizeof(found->step)) &&
           ends(found->found, sizeof(found->found)) &&
           ends(found->expected, sizeof(found->expected));
}

static bool see(struct vidmm_ledger *ledger, uint32_t index, uint64_t call) {
    for (uint32_t i = 0; i < ledger->seen; i++)
        if (ledger->seen_as[i].finding == index)
            return false;
    ledger->seen_as[ledger->seen++] = (struct vidmm_ledger_seen){index, call};
    return true;
}

/* The number of a call in the caller's ledger; 0: none. */
static uint64_t call_number(const struct watch_book *book, uint64_t call) {
    return call != 0 ? call + book->late : 0;
}

static bool take_found(struct watch_book *book, const struct watch_found *found) {
    struct vidmm_ledger *ledger = book->ledger;
    if (!is_finding(ledger, found))
        return false;
    struct vidmm_finding *finding = &ledger->finding[ledger->findings];
    *finding = (struct vidmm_finding){.kind = found->kind,
                                      .who = found->who,
                                      .rule = found->rule,
                                      .after = found->after,
                                      .after_call = call_number(book, found->after_call),
                                      .call = call_number(book, found->call),
                                      .until_call = call_number(book, found->until_call),
                                      .until = found->until,
                                      .kept_until = found->kept_until,
                                      .places = found->places};
    for (uint32_t i = 0; i < found->places; i++)
        finding->place[i].offset = found->place[i];
    vidmm_printable_copy(found->where, finding->where, sizeof(finding->where));
    vidmm_printable_copy(found->step, finding->step, sizeof(finding->step));
    vidmm_printable_copy(found->found, finding->found, sizeof(finding->found));
    vidmm_printable_copy(found->expected, finding->expected, sizeof(finding->expected));
    ledger->findings++;
    return see(ledger, found->index, finding->call);
}

static bool take_again(struct watch_book *book, const struct watch_again *again) {
    return again->index < book->ledger->findings &&
           see(book->ledger, again->index, call_number(book, again->call));
}

static bool take_rule(struct watch_book *book, const struct watch_count *count) {
    struct vidmm_ledger *ledger = book->ledger;
    if (count->index >= VIDMM_RULES_SIZE || !vidmm_rule(count->index))
        return false;
    ledger->kept[count->index] += count->kept;
    ledger->broken[count->index] += count->broken;
    ledger->unseen[count->index] += count->unseen;
    ledger->unseen_in[count->index] |= count->unseen_in;
    ledger->held[count->index] += count->held;
    book->kept += count->kept;
    /* Counters that wrapped around, or went back, were not counted. */
    return (int32_t)count->kept >= 0 && (int32_t)count->broken >= 0 &&
           (int32_t)count->unseen >= 0 && (int32_t)count->held >= 0;
}

static bool take_times(struct vidmm_ledger *ledger, const struct watch_count *count) {
    if (count->index >= ledger->findings || (int32_t)count->times < 0)
        return false;
    ledger->finding[count->index].times += count->times;
    return true;
}

static bool take_counts(struct watch_book *book, const void *bytes, size_t size) {
    const struct watch_counts *head = bytes;
    const struct watch_count *count = (const struct watch_count *)(head + 1);
    if (head->rules > VIDMM_RULES_SIZE || head->findings > VIDMM_FINDINGS ||
        (int64_t)head->calls < 0 ||
        size != sizeof(*head) + (head->rules + head->findings) * sizeof(*count))
        return false;
    bool good = true;
    for (uint32_t i = 0; i < head->rules && good; i++)
        good = take_rule(book, &count[i]);
    for (uint32_t i = head->rules; i < head->rules + head->findings && good; i++)
        good = take_times(book->ledger, &count[i]);
    book->ledger->calls += head->calls;
    book->ledger->dropped += head->dropped;
    book->ledger->short_of_memory |= head->short_of_memory;
    book->calls += head->calls;
    /* What was judged was judged of a call. */
    return good && (book->calls != 0 || book->kept <= KEPT_UNCALLED);
}

bool watch_book_take(struct watch_book *book, uint32_t kind, const void *bytes, size_t size) {
    if (!book->ledger)
        return false;
    if (kind == WATCH_FOUND && size == sizeof(struct watch_found))
        return take_found(book, bytes);
    if (kind == WATCH_AGAIN && size == sizeof(struct watch_again))
        return take_again(book, bytes);
    return kind == WATCH_COUNTS && size >= sizeof(struct watch_counts) &&
           take_counts(book, bytes, size);
}
