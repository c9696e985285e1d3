/*
 * source_give.c - the source from the pause on: the rest, SEAL, COMMIT, failures.
 *
 * Ownership changes at the step from SEALED to GIVEN. It is written to the journal before COMMIT is
 * sent; after it the guest runs here again only if the target or an operator says that the target
 * will never run it. Before this step each failure lets the guest run on here; a target that may
 * have sent READY learns it by HELLO and ABORT, on each new connection, because it waits.
 */
#include "source.h"

#include <stdio.h>

#define MS         UINT64_C(1000000)
#define RETRY_NS   (200 * MS)
#define REMIND_NS  (5000 * MS)
#define HOLD_SLICE (20 * MS)
/* The target may need the whole timeout to see that its old link is dead, and once more to greet. */
#define WITHDRAWN_TIMES 3

/* ---- Ways out -------------------------------------------------------------------------------- */

static void hang_up(struct migrate_source *source, const char *why) {
    if (!source->open)
        return;
    source->hung_up = true;
    source->party.link.hang_up(source->party.link.ctx, why);
}

static void doubt(struct migrate_source *source, const char *why) {
    migrate_doubt(&source->party, "the target owns the guest", why, "asking again");
}

/* The attempt ended: OVER, or CONNECT for another. */
static void close_attempt(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    hang_up(source, party->result->text);
    party->phase = VIDMM_MIGRATE_WAITING;
    source->state = SOURCE_OVER;
    if (source->retries == 0) {
        party->phase = VIDMM_MIGRATE_ENDED;
        return;
    }
    source->retries--;
    source->state = SOURCE_CONNECT;
    source->again_at = migrate_now(party) + RETRY_NS;
}

void source_withdraw(struct migrate_source *source, const char *why) {
    struct migrate_party *party = &source->party;
    bool paused = source->state >= SOURCE_LAST, sealed = source->state >= SOURCE_SEALED;
    migrate_conclude(party, why);
    migrate_end(party);
    if (paused)
        migrate_mention(party, MIGRATE_RUNS); /* this side has owned it all the time */
    migrate_tell(party, party->result->text);
    if (source->up)
        migrate_say_abort(party, why);
    if (!sealed) {
        close_attempt(source);
        return;
    }
    source->state = SOURCE_WITHDRAWN;
    source->deadline = migrate_now(party) + party->options->timeout_ns;
    source->last_answer = migrate_now(party) + WITHDRAWN_TIMES * party->options->timeout_ns;
    source->again_at = 0;
    source->answer_by = migrate_now(party) + party->options->timeout_ns / 2;
}

static void moved(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    uint64_t now = migrate_now(party);
    party->result->text[0] = '\0';
    party->result->moved = true;
    party->result->event = party->event;
    party->result->pause_ns = now - source->paused;
    party->result->total_ns = now - source->began;
    party->phase = VIDMM_MIGRATE_ENDED;
    source->state = SOURCE_MOVED;
    migrate_say_event(party, MIGRATE_OWNER, party->event); /* acknowledges it */
    migrate_mention(party, MIGRATE_DROPS); /* it stands with the target that it owns the guest */
    migrate_end(party);
}

/* This side owns the guest again, although COMMIT was sent, once the journal says so. */
static void take_back(struct migrate_source *source, const char *why) {
    struct migrate_party *party = &source->party;
    if (!migrate_deed(party, MIGRATE_RUNS)) {
        doubt(source, party->undone);
        return;
    }
    migrate_conclude(party, why);
    source->retries = 0;
    migrate_end(party);
    migrate_tell(party, why);
    if (source->up)
        migrate_say_abort(party, why);
    close_attempt(source);
}

/* ---- The pause ------------------------------------------------------------------------------- */

enum migrate_verdict source_give_pause(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    source->paused = migrate_now(party);
    source->state = SOURCE_LAST;
    party->phase = VIDMM_MIGRATE_BLACKOUT;
    party->result->held_ns += source->quick ? 0 : source->paused - source->gate_at;
    if (!migrate_deed(party, MIGRATE_PAUSES)) {
        source_withdraw(source, party->undone);
        return MIGRATE_RUN;
    }
    bool ok = party->device.pause(party->device.ctx);
    if (!ok || !source_rounds_next(source)) {
        source_withdraw(source, party->device.why(party->device.ctx));
        return MIGRATE_RUN;
    }
    party->result->pause_dirty_bytes = source->due_bytes;
    source->deadline =
        source->paused + party->options->timeout_ns / 2 + 4 * source_rounds_predict(source);
    return MIGRATE_HOLD;
}

static bool seal(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    struct migrate_message message = {.type = MIGRATE_SEAL, .event = party->event};
    if (!migrate_say_saved(party, VIDMM_MIGRATION_MUTABLE, &party->result->state_bytes))
        return false;
    message.calls_hash = party->device.calls_hash(party->device.ctx);
    message.digest = migrate_areas_digest(&party->areas);
    party->result->used_bytes = migrate_areas_used_bytes(&party->areas);
    party->link.send(party->link.ctx, &message);
    source->state = SOURCE_SEALED;
    source->deadline += party->options->timeout_ns / 2;
    return true;
}

static void send_last(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    bool ok = source_rounds_pump(source, migrate_now(party) + HOLD_SLICE);
    if (ok && source->due_bytes == 0)
        ok = seal(source);
    if (!ok)
        source_withdraw(source, party->device.why(party->device.ctx));
    else
        source_rounds_progress(source);
}

/* ---- The commit ------------------------------------------------------------------------------ */

static void ready(struct migrate_source *source, const struct migrate_message *message) {
    if (message->digest != migrate_areas_digest(&source->party.areas)) {
        source_withdraw(source, "the target acknowledged other pages than were sent");
        return;
    }
    if (!migrate_deed(&source->party, MIGRATE_GIVES)) {
        source_withdraw(source, source->party.undone);
        return;
    }
    source->state = SOURCE_GIVEN;
    source->deadline = migrate_now(&source->party) + source->party.options->timeout_ns;
    migrate_say(&source->party, MIGRATE_COMMIT);
}

/* The target connected again, or another target did. */
static void back(struct migrate_source *source, const struct migrate_message *hello) {
    struct migrate_party *party = &source->party;
    bool same = hello->session == party->session;
    if (source->state == SOURCE_WITHDRAWN) {
        if (same && hello->stance == MIGRATE_HOLDS)
            migrate_say_abort(party, party->result->text);
        else
            close_attempt(source); /* the target does not wait for this migration */
        return;
    }
    if (same && hello->stance == MIGRATE_OWNS) {
        moved(source);
    } else if (same && hello->stance == MIGRATE_HOLDS) {
        migrate_say(party, MIGRATE_COMMIT);
    } else {
        doubt(source, "the process that answers now knows nothing of this migration");
        hang_up(source, "it was about another migration");
        source->again_at = migrate_now(party) + REMIND_NS;
    }
}

void source_give_message(struct migrate_source *source, const struct migrate_message *message) {
    char why[MIGRATE_TEXT_BYTES + 32];
    switch (message->type) {
    case MIGRATE_HELLO:
        if (source->state == SOURCE_GIVEN || source->state == SOURCE_WITHDRAWN)
            back(source, message);
        return;
    case MIGRATE_READY:
        if (source->state == SOURCE_SEALED)
            ready(source, message);
        return;
    case MIGRATE_OWNER:
        if (source->state == SOURCE_GIVEN)
            moved(source);
        return;
    case MIGRATE_ABORT:
        migrate_abort_text(message, "the target gave up", why, sizeof(why));
        if (source->state == SOURCE_WITHDRAWN)
            close_attempt(source);
        else if (source->state == SOURCE_GIVEN)
            take_back(source, why);
        else if (source->state == SOURCE_SEALED)
            source_withdraw(source, why);
        return;
    default:
        return; /* what was on its way: AT, STANDING, PING */
    }
}

/* ---- The link -------------------------------------------------------------------------------- */

void source_give_down(struct migrate_source *source, const char *why) {
    source->again_at = migrate_now(&source->party) + RETRY_NS;
    if (source->state == SOURCE_SEALED)
        source_withdraw(source, why);
    else if (source->state == SOURCE_GIVEN && source->party.phase != VIDMM_MIGRATE_DOUBT)
        doubt(source, why);
}

void source_give_call(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    enum migrate_stance stance = source->state == SOURCE_GIVEN       ? MIGRATE_GIVEN
                                 : source->state == SOURCE_WITHDRAWN ? MIGRATE_WITHDRAWN
                                                                     : MIGRATE_NEW;
    struct migrate_message hello = migrate_hello(stance, party->session);
    party->link.reopen(party->link.ctx, &hello);
    source->open = true;
}

static void reopen(struct migrate_source *source) {
    if (!source->open && migrate_now(&source->party) >= source->again_at)
        source_give_call(source);
}

/* Somebody is there: a while more, but not for ever. */
void source_give_linked(struct migrate_source *source) {
    uint64_t now = migrate_now(&source->party), timeout = source->party.options->timeout_ns;
    if (source->state != SOURCE_WITHDRAWN)
        return;
    source->answer_by = now + timeout / 2;
    source->deadline = now + timeout < source->last_answer ? now + timeout : source->last_answer;
}

/* ABORT may be lost on a link that seems to live: without an answer the target is called again. */
static void step_withdrawn(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    if (migrate_now(party) > source->deadline) {
        close_attempt(source);
        return;
    }
    if (source->up && !source->hung_up && migrate_now(party) > source->answer_by)
        hang_up(source, "the target did not answer ABORT in time");
    reopen(source);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static enum migrate_verdict step_given(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    enum vidmm_migrate_verdict verdict = party->world.verdict(party->world.ctx);
    if (party->phase == VIDMM_MIGRATE_DOUBT && verdict == VIDMM_MIGRATE_TAKE) {
        take_back(source, "taken back: an operator said that the target will not run it");
        return source->state == SOURCE_GIVEN ? MIGRATE_HOLD : MIGRATE_RUN;
    }
    if (party->phase == VIDMM_MIGRATE_DOUBT && verdict == VIDMM_MIGRATE_DROP) {
        moved(source);
        return MIGRATE_LEAVE;
    }
    uint64_t limit = party->options->doubt_ns;
    if (party->phase == VIDMM_MIGRATE_DOUBT && limit != 0 &&
        migrate_now(party) > party->doubt_at + limit) {
        snprintf(party->result->text, sizeof(party->result->text),
                 "ended in doubt: the target may own the guest");
        party->result->status = VIDMM_MIGRATE_IN_DOUBT;
        return MIGRATE_LEAVE;
    }
    if (party->phase != VIDMM_MIGRATE_DOUBT && migrate_now(party) > source->deadline) {
        doubt(source, "the target did not answer COMMIT in time");
        hang_up(source, "the target did not answer COMMIT in time");
        source->again_at = migrate_now(party) + RETRY_NS;
    }
    reopen(source);
    return MIGRATE_HOLD;
}

enum migrate_verdict source_give_step(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    if ((source->state == SOURCE_LAST || source->state == SOURCE_SEALED) && source->deadline != 0 &&
        migrate_now(party) > source->deadline)
        source_withdraw(source, "the target took too long; the guest had been paused long enough");
    switch (source->state) {
    case SOURCE_LAST:
        send_last(source);
        return source->state == SOURCE_LAST || source->state == SOURCE_SEALED ? MIGRATE_HOLD
                                                                              : MIGRATE_RUN;
    case SOURCE_SEALED:
        return MIGRATE_HOLD;
    case SOURCE_GIVEN:
        return step_given(source);
    case SOURCE_MOVED:
        return MIGRATE_LEAVE;
    case SOURCE_WITHDRAWN:
        step_withdrawn(source);
        return MIGRATE_RUN;
    default:
        return MIGRATE_RUN;
    }
}
