/*
 * source.c - the source up to the pause: greeting, rounds while the guest runs, and where to pause.
 *
 * The source announces the event of the pause early. The target has then reached it, with its
 * memory filled, when the guest pauses: the pause contains the last round but no rehearsal.
 */
#include "source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS            UINT64_C(1000000)
#define FOLLOW_NS     (20 * MS) /* interval of FOLLOW */
#define LEAST_SLICE   (MS / 2)  /* the migration's time between two events, at least */
#define MOST_SLICE    (20 * MS)
#define LEAST_HOLD    MS
#define HOLD_SLICE    (20 * MS) /* while the guest is held anyway */
#define KEEP_NS       (40 * MS) /* of a pause */
#define LEAD_NS       (60 * MS) /* for messages to arrive */
#define GAIN_NS       (250 * MS)
#define GRACE_NS      (50 * MS) /* wait for a target that is nearly there */
#define EVENTS_MEANT  64u       /* over so many events the duration of an event is averaged */
#define LEAST_EVENT   10000u    /* ns */
#define REPLANS       8u
#define MOST_THROTTLE 16u
#define MORE_ROUNDS   8u
#define STUCK         3u

void migrate_source_start(struct migrate_source *source, const struct migrate_party *party,
                          uint64_t start, uint64_t last, bool quick) {
    memset(source, 0, sizeof(*source));
    source->party = *party;
    source->start = start < last ? start : last;
    source->last = last;
    source->quick = quick;
    source->retries = party->options->retries;
    party->result->start_event = source->start;
}

void migrate_source_stop(struct migrate_source *source) {
    migrate_end(&source->party);
    migrate_areas_close(&source->party.areas);
}

/* ---- Greeting -------------------------------------------------------------------------------- */

static bool open_areas(struct migrate_source *source) {
    char text[256] = "out of memory for the state of a migration";
    struct migrate_areas *areas = &source->party.areas;
    if (areas->area || migrate_areas_open(areas, &source->party.device, text, sizeof(text)))
        return true;
    source->retries = 0; /* a retry would fail the same way */
    source_withdraw(source, text);
    return false;
}

static void greet(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    party->result->attempts++;
    if (!migrate_say_data(party, MIGRATE_CONFIG, (const uint8_t *)party->config,
                          strlen(party->config))) {
        source->retries = 0;
        source_withdraw(source, "out of memory for what the target compares with its own");
        return;
    }
    for (uint32_t i = 0; i < party->areas.count; i++) {
        const struct migrate_segment *segment = &party->areas.area[i].segment;
        struct migrate_message message = {.type = MIGRATE_SEGMENT,
                                          .segment = segment->id,
                                          .page_bytes = segment->page_bytes,
                                          .bytes = segment->bytes};
        party->link.send(party->link.ctx, &message);
    }
    source->state = SOURCE_GREET;
    source->target_at = source->goal = source->lag = 0;
    source->lag_wait = 1;
    source->standing = false;
    source->deadline = migrate_now(party) + party->options->timeout_ns;
    source->whole = migrate_now(party) + party->options->whole_ns;
}

static void greeted(struct migrate_source *source, const struct migrate_message *message) {
    char text[256];
    if (!migrate_hello_good(message, text, sizeof(text))) {
        source->retries = 0;
        source_withdraw(source, text);
        return;
    }
    source->state = SOURCE_FOLLOW;
    source->deadline = 0;
    source->goal = source->party.event > source->start ? source->party.event : source->start;
    migrate_say_event(&source->party, source->quick ? MIGRATE_STAND : MIGRATE_FOLLOW, source->goal);
}

/* ---- Beginning ------------------------------------------------------------------------------- */

static bool source_begin(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    const struct vidmm_migrate_options *options = party->options;
    source->began = migrate_now(party);
    source->rounds_allowed = options->rounds;
    source->throttle = 0;
    source->forced = false;
    party->result->memory_bytes = party->result->held_ns = 0;
    party->result->replans = 0;
    party->phase = VIDMM_MIGRATE_BROWNOUT;
    party->prepared = party->device.prepare(party->device.ctx, VIDMM_MIGRATION_SOURCE);
    if (party->prepared &&
        migrate_say_saved(party, VIDMM_MIGRATION_IMMUTABLE, &party->result->fixed_bytes) &&
        source_rounds_begin(source)) {
        source->state = SOURCE_ROUNDS;
        return true;
    }
    source_withdraw(source, party->device.why(party->device.ctx));
    return false;
}

/* ---- Where the target is --------------------------------------------------------------------- */

/* The event that the guest will reach after `ns`. */
static uint64_t event_in(const struct migrate_source *source, uint64_t ns) {
    uint64_t events = (ns + LEAD_NS) / (source->event_ns + LEAST_EVENT) + 4;
    uint64_t at = source->party.event, left = source->last - at;
    return at + (events < left ? events : left);
}

/* Estimate of the time that the target needs to fill its memory: it writes nearly as fast as this
 * side reads. */
static uint64_t fill_ns(const struct migrate_source *source) {
    double used = (double)migrate_areas_used_bytes(&source->party.areas);
    return (uint64_t)(used * 1.5e9 / (double)source_rounds_read_rate(source));
}

/* The target rehearses ahead of the guest, so that it only has to fill its memory after STAND. */
static void follow(struct migrate_source *source) {
    uint64_t now = migrate_now(&source->party), goal = event_in(source, fill_ns(source));
    if (now < source->followed + FOLLOW_NS || goal <= source->goal)
        return;
    source->followed = now;
    source->goal = goal;
    migrate_say_event(&source->party, MIGRATE_FOLLOW, goal);
}

/* The target's rehearsal is behind the guest. */
static bool behind(const struct migrate_source *source) {
    return source->target_at < source->party.event && source->party.event != source->last;
}

/* Events by which the target is too little ahead. It may be no faster than the guest. */
static uint64_t lag_events(const struct migrate_source *source) {
    if (source->party.event == source->last)
        return 0; /* the guest is waiting anyway */
    uint64_t at = source->party.event, want = at + (event_in(source, fill_ns(source)) - at) / 2;
    if (source->state == SOURCE_LEAD && want > source->stand)
        want = source->stand;
    return want > source->target_at ? want - source->target_at : 0;
}

/* For a target that lags, the guest waits after each event for so many times the event's duration:
 * more if the lag does not shrink. A target without progress ends the migration. */
static uint32_t wait_for_target(struct migrate_source *source) {
    uint64_t lag = lag_events(source), now = migrate_now(&source->party);
    bool lagged = lag != 0 && source->lag != 0;
    if (lagged && now < source->lag_at + GAIN_NS)
        return source->lag_wait;
    if (lagged && lag > source->lag - source->lag / 8 && source->lag_wait < MOST_THROTTLE)
        source->lag_wait *= 2;
    if (!lagged || source->target_at != source->target_was)
        source->idle_since = now;
    else if (now > source->idle_since + source->party.options->timeout_ns)
        source_withdraw(source, "the target does not get on with its rehearsal");
    source->target_was = source->target_at;
    source->lag = lag;
    source->lag_at = now;
    return lag == 0 ? 0 : source->lag_wait;
}

/* ---- Where to pause -------------------------------------------------------------------------- */

/* Far enough for the target to fill its memory, and to send what is due while the guest runs on. */
static void plan(struct migrate_source *source) {
    uint32_t replans = source->party.result->replans;
    uint64_t fill = fill_ns(source), send = 2 * source_rounds_predict(source);
    uint64_t stand = event_in(source, (fill > send ? fill : send) << (replans < 4 ? replans : 4));
    source->stand = source->goal = stand > source->goal ? stand : source->goal;
    source->standing = source->counted = false;
    source->state = SOURCE_LEAD;
    source->deadline = 0;
    migrate_say_event(&source->party, MIGRATE_STAND, source->stand);
}

static void too_dirty(struct migrate_source *source) {
    switch (source->party.options->too_dirty) {
    case VIDMM_MIGRATE_STOP:
        source->retries = 0;
        source_withdraw(source, "the guest writes faster than the link carries, and was not to be "
                                "held back (--if-too-dirty stop)");
        return;
    case VIDMM_MIGRATE_PAUSE:
        source->forced = true;
        plan(source);
        return;
    case VIDMM_MIGRATE_THROTTLE:
        break;
    }
    source->throttle = source->throttle == 0 ? 1 : source->throttle * 2;
    source->rounds_allowed = source->round + MORE_ROUNDS;
    source->stuck = 0;
    if (source->throttle > MOST_THROTTLE)
        plan(source); /* the guest will wait there until little enough is due */
}

static void decide(struct migrate_source *source) {
    if (behind(source))
        return;
    if (source_rounds_predict(source) <= source->party.options->pause_ns)
        plan(source);
    else if (source->round >= source->rounds_allowed || source->stuck >= STUCK)
        too_dirty(source);
}

/* ---- Brownout -------------------------------------------------------------------------------- */

/*
 * Pages that are sent early become dirty again before the pause and are sent again. So no round
 * begins while the target is behind or has not reached the event of the pause; then each round
 * begins as late as possible, with the guest running for half of it. A small rest is left for the
 * pause.
 */
static bool can_wait(const struct migrate_source *source) {
    uint64_t target = source->party.options->pause_ns, half = target / 2;
    if (source->state == SOURCE_ROUNDS)
        return source->round != 0 && (behind(source) || source_rounds_predict(source) <= target);
    if (!source->standing)
        return true;
    if (source->party.event >= source->stand)
        return false;
    uint64_t predicted = source_rounds_predict(source);
    uint64_t left = (source->stand - source->party.event) * source->event_ns;
    return predicted <= (half < KEEP_NS ? half : KEEP_NS) || left > 2 * predicted;
}

/* Lets the migration work for one slice of time. */
static void work(struct migrate_source *source, bool held) {
    struct migrate_party *party = &source->party;
    uint64_t now = migrate_now(party);
    bool wait = can_wait(source);
    bool ok = wait || source_rounds_pump(source, held ? now + HOLD_SLICE : source->slice_end);
    if (ok && (wait || source->due_bytes == 0) && now >= source->round_not_before) {
        ok = source_rounds_next(source);
        if (ok && source->state == SOURCE_ROUNDS)
            decide(source);
    }
    if (!ok) {
        source_withdraw(source, party->device.why(party->device.ctx));
        return;
    }
    if (source->state == SOURCE_ROUNDS)
        follow(source);
    source_rounds_progress(source);
}

static bool waits(const struct migrate_source *source) {
    uint64_t now = migrate_now(&source->party);
    return now < source->hold_until || now < source->idle_until;
}

static enum migrate_verdict step_rounds(struct migrate_source *source) {
    bool held = source->party.event == source->last || waits(source);
    work(source, held);
    return held && source->state <= SOURCE_LEAD ? MIGRATE_HOLD : MIGRATE_RUN;
}

/* The guest is at the event of the pause, the target is not: waits, or chooses a later event. */
static enum migrate_verdict await_target(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    uint64_t now = migrate_now(party), waited = now - source->gate_at;
    if (waited < GRACE_NS || source->target_at >= source->stand || source->stand == source->last ||
        party->result->replans == REPLANS) {
        if (waited > party->options->timeout_ns) {
            source_withdraw(source, "the target did not get to the event to pause at in time");
            return MIGRATE_RUN;
        }
        return MIGRATE_HOLD;
    }
    party->result->replans++;
    plan(source);
    return MIGRATE_RUN;
}

/* Both sides are at the same event; little enough is due, or will be. Queued GPU work still makes
 * pages dirty, so what can be sent in the pause is not sent before it. */
static enum migrate_verdict stand(struct migrate_source *source) {
    const struct vidmm_migrate_options *options = source->party.options;
    if (!source->counted && !source_rounds_next(source)) {
        source_withdraw(source, source->party.device.why(source->party.device.ctx));
        return MIGRATE_RUN;
    }
    source->counted = true; /* the guest stopped: no page becomes due any more */
    uint64_t predicted = source_rounds_predict(source);
    source->party.result->predicted_pause_ns = predicted;
    if (predicted <= options->pause_most_ns || source->forced)
        return source_give_pause(source);
    if (options->too_dirty == VIDMM_MIGRATE_PAUSE)
        source->forced = true;
    else if (options->too_dirty == VIDMM_MIGRATE_STOP)
        too_dirty(source);
    else
        work(source, true); /* rounds go on, no page becomes dirty */
    return source->state == SOURCE_LEAD ? MIGRATE_HOLD : MIGRATE_RUN;
}

static enum migrate_verdict step_lead(struct migrate_source *source) {
    bool there = source->party.event >= source->stand;
    bool held = there || waits(source);
    if (there && source->standing)
        return stand(source);
    work(source, held);
    if (source->state != SOURCE_LEAD || !held)
        return MIGRATE_RUN;
    return there ? await_target(source) : MIGRATE_HOLD;
}

/* ---- News ------------------------------------------------------------------------------------ */

static void handle_message(struct migrate_source *source, const struct migrate_message *message) {
    char text[MIGRATE_TEXT_BYTES + 32];
    switch (message->type) {
    case MIGRATE_PING:
        return;
    case MIGRATE_HELLO:
        if (source->state == SOURCE_GREET) {
            greeted(source, message);
            return;
        }
        break;
    case MIGRATE_AT:
        source->target_at = message->event;
        return;
    case MIGRATE_STANDING:
        source->target_at = message->event;
        source->standing = source->state == SOURCE_LEAD && message->event == source->stand;
        return;
    case MIGRATE_ABORT:
        migrate_abort_text(message, "the target gave up", text, sizeof(text));
        source_withdraw(source, text);
        return;
    default:
        break;
    }
    snprintf(text, sizeof(text), "the target said %s, which makes no sense now",
             migrate_type_name(message->type));
    source_withdraw(source, text);
}

static void down(struct migrate_source *source, const char *why) {
    char text[512];
    source->open = source->up = false;
    if (source->hung_up) {
        source->hung_up = false;
        return;
    }
    if (source->state >= SOURCE_SEALED) {
        source_give_down(source, why);
        return;
    }
    snprintf(text, sizeof(text), "%s", why);
    source_withdraw(source, text);
}

static void up(struct migrate_source *source) {
    source->up = true;
    if (source->state == SOURCE_CONNECT)
        greet(source);
    source_give_linked(source);
}

static void take_news(struct migrate_source *source) {
    struct migrate_link *link = &source->party.link;
    char text[256] = "";
    for (;;) {
        struct migrate_message message = {0};
        switch (link->receive(link->ctx, &message, text, sizeof(text))) {
        case MIGRATE_NO_NEWS:
            return;
        case MIGRATE_REFUSED:
            break;
        case MIGRATE_UP:
            up(source);
            break;
        case MIGRATE_DOWN:
            down(source, text);
            break;
        case MIGRATE_MESSAGE:
            if (source->hung_up || source->state == SOURCE_OVER || source->state == SOURCE_CONNECT)
                ; /* what was on its way */
            else if (source->state >= SOURCE_SEALED)
                source_give_message(source, &message);
            else
                handle_message(source, &message);
            migrate_message_drop(&message);
            break;
        }
    }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static enum migrate_verdict step_early(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    uint64_t now = migrate_now(party);
    bool last = party->event >= source->last;
    if (source->state == SOURCE_CONNECT && !source->open && now >= source->again_at) {
        party->session = party->world.draw(party->world.ctx);
        source_give_call(source);
    }
    if (source->state == SOURCE_GREET && now > source->deadline)
        source_withdraw(source, "the target did not answer");
    if (source->state != SOURCE_FOLLOW || party->event < source->start)
        return last && source->state != SOURCE_OVER ? MIGRATE_HOLD : MIGRATE_RUN;
    if (!source->quick && behind(source)) {
        follow(source);
        return now < source->hold_until ? MIGRATE_HOLD : MIGRATE_RUN;
    }
    if (!source_begin(source))
        return MIGRATE_RUN;
    return source->quick ? source_give_pause(source) : step_rounds(source);
}

/* The guest has to wait now for so many times the duration of its last event. */
static uint32_t wait_times(struct migrate_source *source) {
    bool follows = source->state == SOURCE_FOLLOW && source->party.event >= source->start;
    uint32_t times = 0;
    if (follows || source->state == SOURCE_ROUNDS || source->state == SOURCE_LEAD)
        times = wait_for_target(source);
    return times > source->throttle ? times : source->throttle;
}

/* Measures the guest's last event and computes how long the migration may work now. */
static void note_gate(struct migrate_source *source, uint64_t event) {
    uint64_t now = migrate_now(&source->party);
    if (source->stepped && source->party.event == event)
        return;
    uint64_t took = source->stepped ? now - source->left_at : 0;
    uint64_t slice = took < LEAST_SLICE ? LEAST_SLICE : took > MOST_SLICE ? MOST_SLICE : took;
    took += source->idled;
    source->events += source->events < EVENTS_MEANT ? 1 : 0;
    source->event_ns = (source->event_ns * (source->events - 1) + took) / source->events;
    source->stepped = true;
    source->party.event = event;
    source->gate_at = now;
    source->slice_end = now + slice;
    source->owed += took * wait_times(source);
    if (source->owed < LEAST_HOLD)
        return; /* shorter than the shortest wait: added up */
    source->hold_until = now + source->owed;
    source->owed = 0;
}

static enum migrate_verdict source_step(struct migrate_source *source) {
    if (source->state > SOURCE_CONNECT && source->state < SOURCE_SEALED && !source->quick &&
        migrate_now(&source->party) > source->whole)
        source_withdraw(source, "the migration takes longer than it may (--deadline)");
    switch (source->state) {
    case SOURCE_CONNECT:
    case SOURCE_GREET:
    case SOURCE_FOLLOW:
        return step_early(source);
    case SOURCE_ROUNDS:
        return step_rounds(source);
    case SOURCE_LEAD:
        return step_lead(source);
    case SOURCE_LAST:
    case SOURCE_SEALED:
    case SOURCE_GIVEN:
    case SOURCE_MOVED:
    case SOURCE_WITHDRAWN:
        return source_give_step(source);
    case SOURCE_OVER:
        break;
    }
    return MIGRATE_RUN;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* The guest goes on; its waiting time counts as its own or as the migration's. */
static void note_leave(struct migrate_source *source) {
    uint64_t now = migrate_now(&source->party), idle_end = least(now, source->idle_until);
    uint64_t free_at = idle_end > source->slice_end ? idle_end : source->slice_end;
    source->idled = idle_end > source->gate_at ? idle_end - source->gate_at : 0;
    source->left_at = now;
    if ((source->state == SOURCE_ROUNDS || source->state == SOURCE_LEAD) &&
        source->hold_until > free_at && now > free_at)
        source->party.result->held_ns += now - free_at;
}

enum migrate_verdict migrate_source_step(struct migrate_source *source, uint64_t event) {
    enum migrate_verdict verdict = MIGRATE_RUN;
    note_gate(source, event);
    if (source->state != SOURCE_OVER && open_areas(source)) {
        take_news(source);
        verdict = source_step(source);
    }
    if (verdict == MIGRATE_RUN && migrate_now(&source->party) < source->idle_until)
        return MIGRATE_HOLD;
    if (verdict == MIGRATE_RUN)
        note_leave(source);
    return verdict;
}

void migrate_source_ended(struct migrate_source *source) {
    source->party.prepared = false;
    if (source->state < SOURCE_LAST)
        source_withdraw(source, "the guest ended before it could be moved");
}

bool migrate_source_done(struct migrate_source *source) {
    if (source->state != SOURCE_WITHDRAWN)
        return true;
    take_news(source);
    (void)source_give_step(source);
    return source->state != SOURCE_WITHDRAWN;
}
