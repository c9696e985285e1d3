/*
 * party.c - functions that both state machines use.
 */
#include "party.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t migrate_now(const struct migrate_party *party) {
    return party->world.now(party->world.ctx);
}

void migrate_say(struct migrate_party *party, enum migrate_type type) {
    migrate_say_event(party, type, 0);
}

void migrate_say_event(struct migrate_party *party, enum migrate_type type, uint64_t event) {
    struct migrate_message message = {.type = type, .event = event, .session = party->session};
    party->link.send(party->link.ctx, &message);
}

void migrate_say_hello(struct migrate_party *party, enum migrate_stance stance) {
    struct migrate_message message = migrate_hello(stance, party->session);
    party->link.send(party->link.ctx, &message);
}

static bool say_piece(struct migrate_party *party, enum migrate_type type, const uint8_t *data,
                      size_t size, size_t all) {
    struct migrate_message message = {.type = type, .bytes = all, .size = size};
    message.data = malloc(size + 1);
    if (!message.data)
        return false;
    memcpy(message.data, data, size);
    party->link.send(party->link.ctx, &message);
    return true;
}

void migrate_say_abort(struct migrate_party *party, const char *why) {
    size_t size = strnlen(why, MIGRATE_TEXT_BYTES);
    if (!say_piece(party, MIGRATE_ABORT, (const uint8_t *)why, size, 0))
        migrate_say(party, MIGRATE_ABORT);
}

bool migrate_say_data(struct migrate_party *party, enum migrate_type type, const uint8_t *data,
                      size_t size) {
    size_t at = 0;
    do {
        size_t piece = size - at < MIGRATE_CHUNK_BYTES ? size - at : MIGRATE_CHUNK_BYTES;
        if (!say_piece(party, type, data + at, piece, size))
            return false;
        at += piece;
    } while (at < size);
    return true;
}

bool migrate_say_saved(struct migrate_party *party, enum vidmm_migration_data kind,
                       uint64_t *bytes) {
    enum migrate_type type = kind == VIDMM_MIGRATION_MUTABLE ? MIGRATE_STATE : MIGRATE_FIXED;
    uint8_t *data = NULL;
    size_t size = 0;
    if (!party->device.save(party->device.ctx, kind, &data, &size))
        return false;
    *bytes = size;
    bool sent = migrate_say_data(party, type, data, size);
    free(data);
    return sent;
}

bool migrate_deed(struct migrate_party *party, enum migrate_deed deed) {
    return party->world.deed(party->world.ctx, deed, party->session, party->event, party->undone,
                             sizeof(party->undone));
}

void migrate_mention(struct migrate_party *party, enum migrate_deed deed) {
    if (migrate_deed(party, deed))
        return;
    migrate_tell(party, party->undone);
    memcpy(party->unmentioned, party->undone, sizeof(party->unmentioned));
}

void migrate_conclude(struct migrate_party *party, const char *why) {
    char *text = party->result->text;
    size_t size = strnlen(why, sizeof(party->result->text) - 1);
    memmove(text, why, size);
    text[size] = '\0';
}

void migrate_tell(struct migrate_party *party, const char *text) {
    const struct vidmm_migrate_progress progress = {
        .phase = party->phase, .event = party->event, .text = text};
    party->world.progress(party->world.ctx, &progress);
}

void migrate_doubt(struct migrate_party *party, const char *what, const char *why,
                   const char *doing) {
    char text[512];
    bool begins = party->phase != VIDMM_MIGRATE_DOUBT;
    if (begins)
        party->doubt_at = migrate_now(party);
    party->phase = VIDMM_MIGRATE_DOUBT;
    snprintf(text, sizeof(text), "in doubt whether %s: %.200s; paused with its whole state, %s",
             what, why, doing);
    migrate_tell(party, text);
    if (begins)
        migrate_mention(party, MIGRATE_DOUBTS);
}

void migrate_end(struct migrate_party *party) {
    if (party->prepared)
        party->device.end(party->device.ctx);
    party->prepared = false;
}
