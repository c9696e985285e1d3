/*
 * target_take.c - the target from READY on.
 *
 * After READY the target may not end by itself, because the source may have committed. It keeps the
 * paused guest until COMMIT or ABORT arrives, on this or a later connection, or an operator
 * decides. Ownership is written to the journal before the guest plays its next event.
 */
#include "target.h"

#define DOUBT   "the source gave the guest away"
#define WAITING "waiting for the source"

void target_take_ready(struct migrate_target *target) {
    struct migrate_party *party = &target->party;
    struct migrate_message message = {.type = MIGRATE_READY, .digest = target->seal.digest};
    if (!migrate_deed(party, MIGRATE_WAITS)) {
        target_give_up(target, party->undone);
        return;
    }
    target->state = TARGET_READY;
    target->deadline = migrate_now(party) + party->options->timeout_ns;
    party->link.send(party->link.ctx, &message);
}

/* This side does not own the guest. */
static void target_leave(struct migrate_target *target, const char *why) {
    migrate_mention(&target->party, MIGRATE_DROPS);
    target_give_up(target, why);
}

/* Without the line in the journal the guest is not this side's: the source takes it back. */
static void own(struct migrate_target *target) {
    struct migrate_party *party = &target->party;
    if (!migrate_deed(party, MIGRATE_TAKES)) {
        target_leave(target, party->undone);
        return;
    }
    target->state = TARGET_OWNER;
    target->acknowledged = target->file;
    party->phase = VIDMM_MIGRATE_ENDED;
    party->result->moved = true;
    party->result->event = party->event;
    migrate_say_event(party, MIGRATE_OWNER, party->event);
    migrate_end(party);
}

static void reopen(struct migrate_target *target) {
    if (target->open || target->file)
        return;
    target->party.link.reopen(target->party.link.ctx, NULL);
    target->open = true;
}

void target_take_stranger(struct migrate_target *target) {
    migrate_say_hello(&target->party, MIGRATE_NEW);
    target->party.link.hang_up(target->party.link.ctx, "");
}

/* ---- Doubt ----------------------------------------------------------------------------------- */

void target_take_down(struct migrate_target *target, const char *why) {
    if (target->state == TARGET_READY && target->file)
        target_leave(target, why); /* a file that was not taken is another's, or nobody's */
    else if (target->state == TARGET_READY && why[0] != '\0')
        migrate_doubt(&target->party, DOUBT, why, WAITING);
    reopen(target);
}

static void greeted_again(struct migrate_target *target, const struct migrate_message *hello) {
    struct migrate_party *party = &target->party;
    if (hello->session != party->session || hello->stance == MIGRATE_NEW) {
        target_take_stranger(target);
        return;
    }
    migrate_say_hello(party, target->state == TARGET_OWNER ? MIGRATE_OWNS : MIGRATE_HOLDS);
}

void target_take_message(struct migrate_target *target, const struct migrate_message *message) {
    struct migrate_party *party = &target->party;
    char text[MIGRATE_TEXT_BYTES + 32];
    switch (message->type) {
    case MIGRATE_HELLO:
        greeted_again(target, message);
        return;
    case MIGRATE_COMMIT:
        if (target->state == TARGET_READY && message->session == party->session)
            own(target);
        return;
    case MIGRATE_OWNER:
        target->acknowledged = true;
        return;
    case MIGRATE_ABORT:
        if (target->state != TARGET_READY)
            return;
        migrate_abort_text(message, "the source called it off", text, sizeof(text));
        target_leave(target, text);
        return;
    default:
        return;
    }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

enum migrate_verdict target_take_step(struct migrate_target *target) {
    struct migrate_party *party = &target->party;
    enum vidmm_migrate_verdict verdict = party->world.verdict(party->world.ctx);
    uint64_t limit = party->options->doubt_ns;
    if (target->state == TARGET_OWNER)
        return MIGRATE_RUN;
    if (party->phase != VIDMM_MIGRATE_DOUBT && !target->file &&
        migrate_now(party) > target->deadline)
        migrate_doubt(party, DOUBT, "the source did not answer READY in time", WAITING);
    if (party->phase != VIDMM_MIGRATE_DOUBT)
        return MIGRATE_HOLD;
    if (verdict == VIDMM_MIGRATE_TAKE) {
        own(target);
        return target->state == TARGET_OWNER ? MIGRATE_RUN : MIGRATE_LEAVE;
    }
    if (verdict == VIDMM_MIGRATE_DROP)
        target_leave(target, "dropped: an operator said that the guest belongs to the source");
    if (limit != 0 && migrate_now(party) > party->doubt_at + limit &&
        verdict == VIDMM_MIGRATE_ASK) {
        party->result->status = VIDMM_MIGRATE_IN_DOUBT;
        target_leave(target, "ended in doubt: the source may have given the guest away");
    }
    return target->state == TARGET_OVER ? MIGRATE_LEAVE : MIGRATE_HOLD;
}
