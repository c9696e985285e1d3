/*
 * target.c - the target up to READY: greeting, rehearsal, waiting at the event, SEAL.
 */
#include "target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS         UINT64_C(1000000)
#define REPORT_NS  (20 * MS)
#define HOLD_SLICE (20 * MS)
#define LINGER     3 /* times: each side notices that the link is lost, and the source calls again */

void migrate_target_start(struct migrate_target *target, const struct migrate_party *party,
                          bool file) {
    memset(target, 0, sizeof(*target));
    target->party = *party;
    target->file = file;
    target->open = true;
}

void migrate_target_stop(struct migrate_target *target) {
    migrate_end(&target->party);
    migrate_store_close(&target->store);
    migrate_areas_close(&target->party.areas);
    free(target->fixed.bytes);
    free(target->state_data.bytes);
    target->fixed.bytes = target->state_data.bytes = NULL;
}

void target_give_up(struct migrate_target *target, const char *why) {
    struct migrate_party *party = &target->party;
    migrate_conclude(party, why);
    if (target->up)
        migrate_say_abort(party, why);
    party->phase = VIDMM_MIGRATE_ENDED;
    target->state = TARGET_OVER;
}

/* This one is no source for us: the target goes on waiting for another. A file has no other. */
static void target_refuse(struct migrate_target *target, const char *why) {
    char text[512];
    if (target->file) {
        target_give_up(target, why);
        return;
    }
    snprintf(text, sizeof(text), "a source was refused: %.400s", why);
    migrate_tell(&target->party, text);
    if (target->up) {
        migrate_say_abort(&target->party, why);
        target->party.link.hang_up(target->party.link.ctx, "");
    }
    target->refused = target->up;
    target->greeted = false;
    target->segments = 0;
}

/* ---- Greeting -------------------------------------------------------------------------------- */

/* The first line of `theirs` that differs in `ours`. */
static void config_differs(const char *theirs, size_t size, const char *ours, char *text,
                           size_t text_size) {
    size_t at = 0, line = 0;
    while (at < size && ours[at] != '\0' && theirs[at] == ours[at]) {
        at++;
        if (ours[at - 1] == '\n')
            line = at;
    }
    int their_length = (int)strcspn(theirs + line, "\n"),
        our_length = (int)strcspn(ours + line, "\n");
    snprintf(text, text_size, "the source runs something else: it has '%.*s', this side '%.*s'",
             their_length > 120 ? 120 : their_length, theirs + line,
             our_length > 120 ? 120 : our_length, ours + line);
    for (char *c = text; *c != '\0'; c++)
        *c = *c >= ' ' && *c < 127 ? *c : '?';
}

static void take_config(struct migrate_target *target, const struct migrate_message *message) {
    const char *ours = target->party.config;
    char text[512];
    char *theirs = malloc(message->size + 1);
    if (!theirs) {
        target_refuse(target, "out of memory for the source's configuration");
        return;
    }
    memcpy(theirs, message->data, message->size);
    theirs[message->size] = '\0';
    if (message->size != strlen(ours) || memcmp(theirs, ours, message->size) != 0) {
        config_differs(theirs, message->size, ours, text, sizeof(text));
        target_refuse(target, text);
    }
    free(theirs);
}

static void take_segment(struct migrate_target *target, const struct migrate_message *message) {
    struct migrate_areas *areas = &target->party.areas;
    const struct migrate_area *area = migrate_areas_find(areas, message->segment);
    char text[256];
    if (!area || area->segment.bytes != message->bytes ||
        area->segment.page_bytes != message->page_bytes) {
        snprintf(text, sizeof(text),
                 "another GPU: segment %" PRIu32 " of the source has %" PRIu64
                 " bytes in dirty pages of %" PRIu32 ", this one's does not",
                 message->segment, message->bytes, message->page_bytes);
        target_refuse(target, text);
        return;
    }
    if (++target->segments < areas->count)
        return;
    target->state = TARGET_REHEARSE;
    migrate_say_hello(&target->party, MIGRATE_NEW);
}

static void take_hello(struct migrate_target *target, const struct migrate_message *message) {
    char text[256];
    if (!migrate_hello_good(message, text, sizeof(text))) {
        target_refuse(target, text);
        return;
    }
    if (message->stance != MIGRATE_NEW) {
        target_take_stranger(target);
        return;
    }
    target->greeted = true;
    target->party.session = message->session;
    target->deadline = migrate_now(&target->party) + target->party.options->timeout_ns;
    target->whole = migrate_now(&target->party) + target->party.options->whole_ns;
}

/* ---- Rehearsal ------------------------------------------------------------------------------- */

static void take_goal(struct migrate_target *target, const struct migrate_message *message) {
    bool stand = message->type == MIGRATE_STAND;
    if (target->state == TARGET_STANDING && message->event != target->follow) {
        /* Its memory already has the source's pages, of another event: the guest must restart. */
        target->state = TARGET_OVER;
        target->again = true;
    }
    if (stand || message->event > target->follow)
        target->follow = message->event;
    target->stand = target->stand || stand;
}

static void take_data(struct migrate_target *target, struct target_data *data,
                      const struct migrate_message *message) {
    if (!data->begun) {
        data->begun = true;
        data->whole = message->bytes > MIGRATE_DATA_BYTES ? 0 : (size_t)message->bytes;
    }
    if (message->bytes != data->whole || message->size > data->whole - data->size) {
        target_give_up(target, "the driver's data are longer than they may be, or than announced");
        return;
    }
    /* It grows with the bytes received, not with the size announced. */
    uint8_t *bytes = realloc(data->bytes, data->size + message->size + 1);
    if (!bytes) {
        target_give_up(target, "out of memory for the driver's data");
        return;
    }
    if (message->size != 0)
        memcpy(bytes + data->size, message->data, message->size);
    data->bytes = bytes;
    data->size += message->size;
}

static void say_at(struct migrate_target *target, bool now) {
    struct migrate_party *party = &target->party;
    uint64_t time = migrate_now(party);
    if (party->event == target->reported_event || (!now && time < target->reported_at + REPORT_NS))
        return;
    target->reported_at = time;
    target->reported_event = party->event;
    migrate_say_event(party, MIGRATE_AT, party->event);
}

/* ---- Standing -------------------------------------------------------------------------------- */

static bool whole(const struct target_data *data) {
    return data->begun && data->size == data->whole;
}

static enum migrate_verdict stand(struct migrate_target *target) {
    struct migrate_party *party = &target->party;
    const struct migrate_device *device = &party->device;
    if (!whole(&target->fixed)) {
        target_give_up(target, "the source wants to pause and has not sent the driver's data");
        return MIGRATE_LEAVE;
    }
    party->phase = VIDMM_MIGRATE_BROWNOUT;
    party->prepared = device->prepare(device->ctx, VIDMM_MIGRATION_TARGET);
    if (!party->prepared ||
        !device->restore(device->ctx, VIDMM_MIGRATION_IMMUTABLE, target->fixed.bytes,
                         target->fixed.size) ||
        !migrate_areas_used(&party->areas, device)) {
        target_give_up(target, device->why(device->ctx));
        return MIGRATE_LEAVE;
    }
    migrate_store_poison(&target->store);
    target->state = TARGET_STANDING;
    target->filled = false;
    say_at(target, true);
    return MIGRATE_HOLD;
}

/* Writes one sentence about a difference from SEAL; false: there is none. */
static bool seal_differs(struct migrate_target *target, char *text, size_t text_size) {
    struct migrate_party *party = &target->party;
    uint32_t segment = 0;
    uint64_t page = 0, hash = party->device.calls_hash(party->device.ctx);
    if (target->seal.event != party->event)
        snprintf(text, text_size,
                 "the source paused at event %" PRIu64 ", this side stands at %" PRIu64,
                 target->seal.event, party->event);
    else if (target->seal.calls_hash != hash)
        snprintf(text, text_size,
                 "the guests differ: the source's calls hash to %016" PRIx64
                 ", these to %016" PRIx64,
                 target->seal.calls_hash, hash);
    else if (migrate_store_missing(&target->store, &segment, &page))
        snprintf(text, text_size,
                 "page %" PRIu64 " of segment %" PRIu32 " is in use and never came", page, segment);
    else if (target->seal.digest != migrate_areas_digest(&party->areas))
        snprintf(text, text_size, "the pages that came are not the ones that the source sealed");
    else if (!whole(&target->state_data))
        snprintf(text, text_size, "the driver's state did not come whole");
    else
        return false;
    return true;
}

static void accept_seal(struct migrate_target *target) {
    struct migrate_party *party = &target->party;
    char text[256];
    party->phase = VIDMM_MIGRATE_BLACKOUT;
    if (seal_differs(target, text, sizeof(text))) {
        target_give_up(target, text);
        return;
    }
    if (!party->device.restore(party->device.ctx, VIDMM_MIGRATION_MUTABLE, target->state_data.bytes,
                               target->state_data.size)) {
        target_give_up(target, party->device.why(party->device.ctx));
        return;
    }
    party->result->used_bytes = migrate_areas_used_bytes(&party->areas);
    party->result->fixed_bytes = target->fixed.size;
    party->result->state_bytes = target->state_data.size;
    target_take_ready(target);
}

static enum migrate_verdict step_standing(struct migrate_target *target) {
    struct migrate_party *party = &target->party;
    uint64_t until = migrate_now(party) + HOLD_SLICE;
    bool more = true;
    while (more && migrate_now(party) < until) {
        if (!migrate_store_apply(&target->store, &party->device, &more)) {
            target_give_up(target, party->device.why(party->device.ctx));
            return MIGRATE_LEAVE;
        }
    }
    if (!more && !target->filled) {
        target->filled = true;
        migrate_say_event(party, MIGRATE_STANDING, party->event);
    }
    if (!more && target->sealed)
        accept_seal(target);
    return target->state == TARGET_OVER ? MIGRATE_LEAVE : MIGRATE_HOLD;
}

static enum migrate_verdict step_rehearse(struct migrate_target *target) {
    struct migrate_party *party = &target->party;
    if (party->event < target->follow) {
        say_at(target, false);
        return MIGRATE_RUN;
    }
    if (!target->stand) {
        say_at(target, true);
        return MIGRATE_HOLD;
    }
    if (party->event == target->follow)
        return stand(target);
    target_give_up(target, "the source wants to pause at an event that has been rehearsed already");
    return MIGRATE_LEAVE;
}

/* ---- News ------------------------------------------------------------------------------------ */

static void nonsense(struct migrate_target *target, const struct migrate_message *message) {
    char text[128];
    snprintf(text, sizeof(text), "the source said %s, which makes no sense now",
             migrate_type_name(message->type));
    target_give_up(target, text);
}

static void handle_await(struct migrate_target *target, const struct migrate_message *message) {
    char text[128];
    if (target->refused || message->type == MIGRATE_PING)
        return; /* what was on its way */
    if (message->type == MIGRATE_HELLO && !target->greeted)
        take_hello(target, message);
    else if (message->type == MIGRATE_CONFIG && target->greeted)
        take_config(target, message);
    else if (message->type == MIGRATE_SEGMENT && target->greeted)
        take_segment(target, message);
    else {
        snprintf(text, sizeof(text), "the source said %s, which makes no sense now",
                 migrate_type_name(message->type));
        target_refuse(target, text);
    }
}

static void handle_message(struct migrate_target *target, struct migrate_message *message) {
    char text[MIGRATE_TEXT_BYTES + 32];
    switch (message->type) {
    case MIGRATE_PING:
        return;
    case MIGRATE_FOLLOW:
    case MIGRATE_STAND:
        take_goal(target, message);
        return;
    case MIGRATE_FIXED:
        take_data(target, &target->fixed, message);
        return;
    case MIGRATE_STATE:
        take_data(target, &target->state_data, message);
        return;
    case MIGRATE_PAGES:
        target->party.result->wire_bytes += message->pages->wire_bytes;
        target->party.result->memory_bytes += message->pages->raw_bytes;
        if (!migrate_store_put(&target->store, message->pages, text, sizeof(text)))
            target_give_up(target, text);
        return;
    case MIGRATE_SEAL:
        target->sealed = true;
        target->seal = *message;
        return;
    case MIGRATE_ABORT:
        migrate_abort_text(message, "the source called it off", text, sizeof(text));
        target_give_up(target, text);
        return;
    default:
        nonsense(target, message);
    }
}

static void down(struct migrate_target *target, const char *why) {
    char text[512];
    target->open = target->up = false;
    if (target->state == TARGET_READY || target->state == TARGET_OWNER) {
        target_take_down(target, why);
    } else if (target->state == TARGET_AWAIT && !target->file) {
        if (!target->refused && why[0] != '\0')
            target_refuse(target, why);
        target->refused = false;
        target->party.link.reopen(target->party.link.ctx, NULL);
        target->open = true;
    } else {
        snprintf(text, sizeof(text), "%.300s; nothing was taken over", why);
        target_give_up(target, text);
    }
}

/* Handles a few messages at a time, so that guest and memory get their turns; none after SEAL. */
static void take_news(struct migrate_target *target) {
    struct migrate_link *link = &target->party.link;
    char text[256] = "";
    for (unsigned i = 0; i < 64 && target->state != TARGET_OVER; i++) {
        struct migrate_message message = {0};
        if (target->sealed && target->state < TARGET_READY)
            return;
        switch (link->receive(link->ctx, &message, text, sizeof(text))) {
        case MIGRATE_NO_NEWS:
            return;
        case MIGRATE_REFUSED:
            migrate_tell(&target->party, text);
            break;
        case MIGRATE_UP:
            target->up = true;
            break;
        case MIGRATE_DOWN:
            down(target, text);
            break;
        case MIGRATE_MESSAGE:
            if (target->state == TARGET_READY || target->state == TARGET_OWNER)
                target_take_message(target, &message);
            else if (target->state == TARGET_AWAIT)
                handle_await(target, &message);
            else
                handle_message(target, &message);
            migrate_message_drop(&message);
            break;
        }
    }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static bool open_areas(struct migrate_target *target) {
    char text[256] = "out of memory for the state of a migration";
    if (target->store.areas)
        return true;
    if (migrate_areas_open(&target->party.areas, &target->party.device, text, sizeof(text)) &&
        migrate_store_open(&target->store, &target->party.areas))
        return true;
    target_give_up(target, text);
    return false;
}

static void check_deadlines(struct migrate_target *target) {
    uint64_t now = migrate_now(&target->party);
    if (target->state == TARGET_AWAIT && target->greeted && now > target->deadline)
        target_refuse(target, "the source did not say in time what it runs");
    else if ((target->state == TARGET_REHEARSE || target->state == TARGET_STANDING) &&
             !target->file && now > target->whole)
        target_give_up(target, "the migration takes longer than it may (--deadline)");
}

enum migrate_verdict migrate_target_step(struct migrate_target *target, uint64_t event) {
    target->party.event = event;
    if (target->state == TARGET_OVER || !open_areas(target))
        return MIGRATE_LEAVE;
    take_news(target);
    check_deadlines(target);
    switch (target->state) {
    case TARGET_AWAIT:
        return MIGRATE_HOLD;
    case TARGET_REHEARSE:
        return step_rehearse(target);
    case TARGET_STANDING:
        return step_standing(target);
    case TARGET_READY:
    case TARGET_OWNER:
        return target_take_step(target);
    case TARGET_OVER:
        break;
    }
    return MIGRATE_LEAVE;
}

bool migrate_target_again(struct migrate_target *target) {
    if (!target->again)
        return false;
    target->again = false;
    target->filled = false;
    target->state = TARGET_REHEARSE;
    migrate_store_again(&target->store);
    return true;
}

bool migrate_target_done(struct migrate_target *target) {
    struct migrate_party *party = &target->party;
    if (target->state != TARGET_OWNER || target->acknowledged)
        return true;
    uint64_t now = migrate_now(party), timeout = party->options->timeout_ns;
    if (target->linger == 0) {
        target->linger = now + timeout;
        target->linger_most = now + LINGER * timeout;
    }
    take_news(target);
    if (target->up) /* or seems so */
        target->linger = now + timeout;
    return target->acknowledged || now > target->linger || now > target->linger_most;
}
