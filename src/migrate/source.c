/*
 * source.c - the source up to the pause: greeting, rounds while the guest runs, and where to pause.
 *
 * The event to pause at is told ahead, so that the target stands there, its memory full, when the
 * guest arrives: a pause holds the last round and no rehearsal.
 */
#include "source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS            UINT64_C(1000000)
#define FOLLOW_NS     (20 * MS) /* the target is told where the guest is */
#define LEAST_SLICE   (MS / 2)  /* of the migration between two events of the guest */
#define MOST_SLICE    (20 * MS)
#define HOLD_SLICE    (20 * MS) /* while the guest is held anyway */
#define KEEP_NS       (40 * MS) /* of a pause */
#define GRACE_NS      (50 * MS) /* to wait for a target that is nearly there */
#define REPLANS       8u
#define MOST_THROTTLE 16u
#define MORE_ROUNDS   8u
#define STUCK         3u
#define GUESS_PER_S   (UINT64_C(128) << 20)

void migrate_source_start(struct migrate_source *source, const struct migrate_party *party,
                          uint64_t start, uint64_t last, bool quick) {
    memset(source, 0, sizeof *source);
    source->party = *party;
    source->start = start < last ? start : last;
    source->last = last;
    source->quick = quick;
    source->open = true;
    source->retries = party->options->retries;
    party->result->start_event = source->start;
}

void migrate_source_stop(struct migrate_source *source) {
    migrate_end(&source->party);
    migrate_areas_close(&source->party.areas);
    free(source->batch);
    source->batch = NULL;
}

/* ---- Greeting ----------------------------------------------------------------------------------
 */

static bool open_areas(struct migrate_source *source) {
    char text[256] = "out of memory for the books of a migration";
    if (source->batch != NULL)
        return true;
    source->batch = malloc(MIGRATE_BATCH_BYTES);
    if (source->batch != NULL &&
        migrate_areas_open(&source->party.areas, &source->party.device, text, sizeof text))
        return true;
    source->retries = 0; /* it would be no other the next time */
    source_withdraw(source, text);
    return false;
}

static void greet(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    party->session = party->world.draw(party->world.ctx);
    party->result->attempts++;
    migrate_say_hello(party, MIGRATE_NEW);
    (void)migrate_say_data(party, MIGRATE_CONFIG, (const uint8_t *)party->config,
                           strlen(party->config));
    for (uint32_t i = 0; i < party->areas.count; i++) {
        const struct migrate_segment *segment = &party->areas.area[i].segment;
        struct migrate_message message = {.type = MIGRATE_SEGMENT,
                                          .segment = segment->id,
                                          .page_bytes = segment->page_bytes,
                                          .bytes = segment->bytes};
        party->link.send(party->link.ctx, &message);
    }
    source->state = SOURCE_GREET;
    source->target_at = 0;
    source->standing = false;
    source->deadline = migrate_now(party) + party->options->timeout_ns;
}

static void greeted(struct migrate_source *source, const struct migrate_message *message) {
    char text[256];
    if (!migrate_hello_good(message, text, sizeof text)) {
        source->retries = 0;
        source_withdraw(source, text);
        return;
    }
    source->state = SOURCE_FOLLOW;
    source->deadline = 0;
    uint64_t goal = source->party.event > source->start ? source->party.event : source->start;
    migrate_say_event(&source->party, source->quick ? MIGRATE_STAND : MIGRATE_FOLLOW, goal);
}

/* ---- Beginning ---------------------------------------------------------------------------------
 */

static bool send_fixed(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    uint8_t *data = NULL;
    size_t size = 0;
    if (!party->device.save(party->device.ctx, VIDMM_MIGRATION_IMMUTABLE, &data, &size))
        return false;
    party->result->fixed_bytes = size;
    bool sent = migrate_say_data(party, MIGRATE_FIXED, data, size);
    free(data);
    return sent;
}

static bool begin(struct migrate_source *source) {
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
    if (party->prepared && send_fixed(source) && source_rounds_begin(source)) {
        source->state = SOURCE_ROUNDS;
        return true;
    }
    source_withdraw(source, party->device.why(party->device.ctx));
    return false;
}

/* ---- Where to pause ----------------------------------------------------------------------------
 */

/* Events that the target has to be given: what it lags behind, and its memory to be filled. */
static uint64_t lead_events(const struct migrate_source *source) {
    uint64_t rate = source->read_ns < 1000
                        ? GUESS_PER_S
                        : (uint64_t)((double)source->read_bytes * 1e9 / (double)source->read_ns);
    double fill =
        (double)migrate_areas_used_bytes(&source->party.areas) * 1.5e9 / (double)(rate + 1);
    uint64_t event_ns = source->event_ns + 1000;
    uint64_t at = source->party.event;
    uint64_t lag = at > source->target_at ? at - source->target_at : 0;
    uint64_t events = (uint64_t)((fill + 30.0 * MS) / (double)event_ns) + lag + 4;
    return events << (source->party.result->replans < 4 ? source->party.result->replans : 4);
}

static void plan(struct migrate_source *source) {
    uint64_t at = source->party.event, left = source->last - at;
    uint64_t lead = lead_events(source);
    source->stand = at + (lead < left ? lead : left);
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
        plan(source); /* where it will stand still until little enough is due */
}

static void decide(struct migrate_source *source) {
    if (source_rounds_predict(source) <= source->party.options->pause_ns)
        plan(source);
    else if (source->round >= source->rounds_allowed || source->stuck >= STUCK)
        too_dirty(source);
}

/* ---- Brownout ----------------------------------------------------------------------------------
 */

/*
 * So little is due, and the event to pause at is so near, that it can wait for the pause: what is
 * sent now would be dirty again by then.
 */
static bool can_wait(const struct migrate_source *source) {
    uint64_t half = source->party.options->pause_ns / 2;
    return source->state == SOURCE_LEAD &&
           source_rounds_predict(source) <= (half < KEEP_NS ? half : KEEP_NS);
}

/* A slice of the migration. */
static void work(struct migrate_source *source, bool held) {
    struct migrate_party *party = &source->party;
    uint64_t now = migrate_now(party);
    bool wait = !held && can_wait(source);
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
    if (now >= source->followed + FOLLOW_NS && source->state == SOURCE_ROUNDS) {
        source->followed = now;
        migrate_say_event(party, MIGRATE_FOLLOW, party->event);
    }
    source_rounds_progress(source);
}

static enum migrate_verdict step_rounds(struct migrate_source *source) {
    bool held =
        source->party.event == source->last || migrate_now(&source->party) < source->hold_until;
    work(source, held);
    return held && source->state <= SOURCE_LEAD ? MIGRATE_HOLD : MIGRATE_RUN;
}

/* At the event to pause at, and the target is not: wait, or another event. */
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

/* Both stand at the same event; little enough is due, or will be. */
static enum migrate_verdict stand(struct migrate_source *source) {
    const struct vidmm_migrate_options *options = source->party.options;
    if (!source->counted && !source_rounds_next(source)) {
        source_withdraw(source, source->party.device.why(source->party.device.ctx));
        return MIGRATE_RUN;
    }
    source->counted = true; /* the guest stands still: from here on it only becomes less */
    uint64_t predicted = source_rounds_predict(source);
    source->party.result->predicted_pause_ns = predicted;
    if (predicted <= options->pause_most_ns || source->forced)
        return source_give_pause(source);
    if (options->too_dirty == VIDMM_MIGRATE_THROTTLE)
        return MIGRATE_HOLD; /* rounds go on, and nothing becomes dirty */
    if (options->too_dirty == VIDMM_MIGRATE_PAUSE)
        source->forced = true;
    else
        too_dirty(source);
    return source->state == SOURCE_LEAD ? MIGRATE_HOLD : MIGRATE_RUN;
}

static enum migrate_verdict step_lead(struct migrate_source *source) {
    bool there = source->party.event >= source->stand;
    bool held = there || migrate_now(&source->party) < source->hold_until;
    work(source, held);
    if (source->state != SOURCE_LEAD || !held)
        return MIGRATE_RUN;
    if (!there)
        return MIGRATE_HOLD;
    return source->standing ? stand(source) : await_target(source);
}

/* ---- News --------------------------------------------------------------------------------------
 */

static void told(struct migrate_source *source, const struct migrate_message *message) {
    char why[MIGRATE_TEXT_BYTES + 1], text[MIGRATE_TEXT_BYTES + 32];
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
        if (source->standing)
            source->round_not_before = 0; /* the last ones before the pause */
        return;
    case MIGRATE_ABORT:
        migrate_abort_text(message, why, sizeof why);
        snprintf(text, sizeof text, "the target gave up: %s", why);
        source_withdraw(source, text);
        return;
    default:
        break;
    }
    snprintf(text, sizeof text, "the target said %s, which makes no sense now",
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
    snprintf(text, sizeof text, "%s", why);
    source_withdraw(source, text);
}

static void up(struct migrate_source *source) {
    source->up = true;
    if (source->state == SOURCE_CONNECT)
        greet(source);
    else
        source_give_up(source);
}

static void take_news(struct migrate_source *source) {
    struct migrate_link *link = &source->party.link;
    char text[256] = "";
    for (;;) {
        struct migrate_message message = {0};
        switch (link->receive(link->ctx, &message, text, sizeof text)) {
        case MIGRATE_NO_NEWS:
            return;
        case MIGRATE_UP:
            up(source);
            break;
        case MIGRATE_DOWN:
            down(source, text);
            break;
        case MIGRATE_TOLD:
            if (source->hung_up || source->state == SOURCE_OVER || source->state == SOURCE_CONNECT)
                ; /* what was on its way */
            else if (source->state >= SOURCE_SEALED)
                source_give_told(source, &message);
            else
                told(source, &message);
            migrate_message_drop(&message);
            break;
        }
    }
}

/* ---- Steps -------------------------------------------------------------------------------------
 */

static enum migrate_verdict step_early(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    uint64_t now = migrate_now(party);
    bool last = party->event >= source->last;
    if (source->state == SOURCE_CONNECT && !source->open && now >= source->again_at) {
        party->link.reopen(party->link.ctx);
        source->open = true;
    }
    if (source->state == SOURCE_GREET && now > source->deadline)
        source_withdraw(source, "the target did not answer");
    if (source->state != SOURCE_FOLLOW || party->event < source->start)
        return last && source->state != SOURCE_OVER ? MIGRATE_HOLD : MIGRATE_RUN;
    if (!begin(source))
        return MIGRATE_RUN;
    return source->quick ? source_give_pause(source) : step_rounds(source);
}

/* What the guest's last event took; how long the migration has now. */
static void note_gate(struct migrate_source *source, uint64_t event) {
    uint64_t now = migrate_now(&source->party);
    if (source->stepped && source->party.event == event)
        return;
    uint64_t took = source->stepped ? now - source->left_at : 0;
    uint64_t slice = took < LEAST_SLICE ? LEAST_SLICE : took > MOST_SLICE ? MOST_SLICE : took;
    source->event_ns = source->event_ns == 0 ? took : (source->event_ns * 15 + took) / 16;
    source->stepped = true;
    source->party.event = event;
    source->gate_at = now;
    source->slice_end = now + slice;
    source->hold_until = now + took * source->throttle;
}

static enum migrate_verdict step(struct migrate_source *source) {
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

enum migrate_verdict migrate_source_step(struct migrate_source *source, uint64_t event) {
    note_gate(source, event);
    if (source->state == SOURCE_OVER || !open_areas(source))
        return MIGRATE_RUN;
    take_news(source);
    enum migrate_verdict verdict = step(source);
    if (verdict == MIGRATE_RUN) {
        source->left_at = migrate_now(&source->party);
        if (source->state == SOURCE_ROUNDS || source->state == SOURCE_LEAD)
            source->party.result->held_ns +=
                source->hold_until > source->slice_end && source->left_at > source->slice_end
                    ? source->left_at - source->slice_end
                    : 0;
    }
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
