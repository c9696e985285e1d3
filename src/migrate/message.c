/*
 * message.c - bodies of messages as bytes and back. A table says which fields each type has, in
 * which order and how wide; what follows them are the bytes of a text or of the driver's data.
 */
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum field { NONE, VERSION, OLDEST, STANCE, SESSION, EVENT, CALLS, DIGEST, BYTES, SEGMENT, PAGE };

#define FIELDS 4

struct shape {
    const char *name;
    enum field field[FIELDS];
    uint32_t tail; /* most bytes that may follow */
};

static const struct shape shapes[MIGRATE_TYPES] = {
    [MIGRATE_PING] = {"PING", {NONE}, 0},
    [MIGRATE_HELLO] = {"HELLO", {VERSION, OLDEST, STANCE, SESSION}, 0},
    [MIGRATE_CONFIG] = {"CONFIG", {NONE}, MIGRATE_CONFIG_BYTES},
    [MIGRATE_SEGMENT] = {"SEGMENT", {SEGMENT, PAGE, BYTES}, 0},
    [MIGRATE_FOLLOW] = {"FOLLOW", {EVENT}, 0},
    [MIGRATE_STAND] = {"STAND", {EVENT}, 0},
    [MIGRATE_AT] = {"AT", {EVENT}, 0},
    [MIGRATE_STANDING] = {"STANDING", {EVENT}, 0},
    [MIGRATE_PAGES] = {"PAGES", {NONE}, 0},
    [MIGRATE_FIXED] = {"FIXED", {BYTES}, MIGRATE_CHUNK_BYTES},
    [MIGRATE_STATE] = {"STATE", {BYTES}, MIGRATE_CHUNK_BYTES},
    [MIGRATE_SEAL] = {"SEAL", {EVENT, CALLS, DIGEST}, 0},
    [MIGRATE_READY] = {"READY", {DIGEST}, 0},
    [MIGRATE_COMMIT] = {"COMMIT", {SESSION}, 0},
    [MIGRATE_OWNER] = {"OWNER", {EVENT}, 0},
    [MIGRATE_ABORT] = {"ABORT", {NONE}, MIGRATE_TEXT_BYTES},
    [MIGRATE_CHALLENGE] = {"CHALLENGE", {NONE}, MIGRATE_NONCE_BYTES},
    [MIGRATE_ANSWER] = {"ANSWER", {NONE}, 2 * MIGRATE_NONCE_BYTES},
    [MIGRATE_WELCOME] = {"WELCOME", {NONE}, 0},
};

bool migrate_type_known(unsigned type) {
    return type < MIGRATE_TYPES && shapes[type].name;
}

const char *migrate_type_name(unsigned type) {
    return migrate_type_known(type) ? shapes[type].name : "?";
}

void migrate_message_drop(struct migrate_message *message) {
    free(message->data);
    migrate_pages_free(message->pages);
    message->data = NULL;
    message->pages = NULL;
    message->size = 0;
}

size_t migrate_message_bytes(const struct migrate_message *message) {
    return message->size + (message->pages ? message->pages->raw_bytes : 0);
}

static unsigned width(enum field field) {
    switch (field) {
    case NONE:
        return 0;
    case VERSION:
    case OLDEST:
    case STANCE:
    case SEGMENT:
    case PAGE:
        return 4;
    case SESSION:
    case EVENT:
    case CALLS:
    case DIGEST:
    case BYTES:
        break;
    }
    return 8;
}

static size_t fields_bytes(unsigned type) {
    size_t bytes = 0;
    for (unsigned i = 0; i < FIELDS; i++)
        bytes += width(shapes[type].field[i]);
    return bytes;
}

/* Header, runs, and content that compression made no larger (pages.c stores it otherwise). */
#define PAGES_LIMIT (24 + MIGRATE_BATCH_RUNS * 16 + MIGRATE_BATCH_BYTES)

size_t migrate_payload_limit(unsigned type) {
    if (!migrate_type_known(type))
        return 0;
    return type == MIGRATE_PAGES ? PAGES_LIMIT : fields_bytes(type) + shapes[type].tail;
}

static uint64_t value_of(const struct migrate_message *message, enum field field) {
    switch (field) {
    case NONE:
        break;
    case VERSION:
        return message->version;
    case OLDEST:
        return message->oldest;
    case STANCE:
        return message->stance;
    case SESSION:
        return message->session;
    case EVENT:
        return message->event;
    case CALLS:
        return message->calls_hash;
    case DIGEST:
        return message->digest;
    case BYTES:
        return message->bytes;
    case SEGMENT:
        return message->segment;
    case PAGE:
        return message->page_bytes;
    }
    return 0;
}

static void take_value(struct migrate_message *message, enum field field, uint64_t value) {
    switch (field) {
    case NONE:
        break;
    case VERSION:
        message->version = (uint32_t)value;
        break;
    case OLDEST:
        message->oldest = (uint32_t)value;
        break;
    case STANCE:
        message->stance = (enum migrate_stance)value;
        break;
    case SESSION:
        message->session = value;
        break;
    case EVENT:
        message->event = value;
        break;
    case CALLS:
        message->calls_hash = value;
        break;
    case DIGEST:
        message->digest = value;
        break;
    case BYTES:
        message->bytes = value;
        break;
    case SEGMENT:
        message->segment = (uint32_t)value;
        break;
    case PAGE:
        message->page_bytes = (uint32_t)value;
        break;
    }
}

size_t migrate_payload_bound(const struct migrate_message *message) {
    if (message->type == MIGRATE_PAGES)
        return migrate_pages_bound(message->pages);
    return fields_bytes(message->type) + message->size;
}

bool migrate_payload_encode(struct migrate_message *message, uint8_t *to, size_t *size) {
    if (message->type == MIGRATE_PAGES)
        return migrate_pages_encode(message->pages, to, size);
    size_t at = 0;
    for (unsigned i = 0; i < FIELDS; i++) {
        enum field field = shapes[message->type].field[i];
        migrate_put(to + at, value_of(message, field), width(field));
        at += width(field);
    }
    if (message->size != 0)
        memcpy(to + at, message->data, message->size);
    *size = at + message->size;
    return true;
}

static bool take_tail(struct migrate_message *message, const uint8_t *from, size_t size, char *text,
                      size_t text_size) {
    if (size == 0)
        return true;
    message->data = malloc(size);
    if (!message->data) {
        snprintf(text, text_size, "out of memory for a message");
        return false;
    }
    memcpy(message->data, from, size);
    message->size = size;
    return true;
}

bool migrate_payload_decode(struct migrate_message *message, const uint8_t *from, size_t size,
                            char *text, size_t text_size) {
    const struct shape *shape = &shapes[message->type];
    if (message->type == MIGRATE_PAGES) {
        message->pages = migrate_pages_decode(from, size, text, text_size);
        return message->pages;
    }
    size_t fixed = fields_bytes(message->type);
    if (size < fixed || size - fixed > shape->tail) {
        snprintf(text, text_size, "a %s message has %zu bytes, which no such message has",
                 shape->name, size);
        return false;
    }
    for (unsigned i = 0; i < FIELDS; i++) {
        take_value(message, shape->field[i], migrate_get(from, width(shape->field[i])));
        from += width(shape->field[i]);
    }
    if (message->type == MIGRATE_HELLO && (unsigned)message->stance >= MIGRATE_STANCES) {
        snprintf(text, text_size, "a HELLO message speaks of stance %u, which there is not",
                 (unsigned)message->stance);
        return false;
    }
    return take_tail(message, from, size - fixed, text, text_size);
}

void migrate_abort_text(const struct migrate_message *abort, const char *deed, char *text,
                        size_t text_size) {
    snprintf(text, text_size, "%s: ", deed);
    size_t begin = strlen(text), room = text_size - 1 - begin;
    size_t size = abort->size < room ? abort->size : room;
    for (size_t i = 0; i < size; i++)
        text[begin + i] =
            abort->data[i] >= ' ' && abort->data[i] < 127 ? (char)abort->data[i] : '?';
    text[begin + size] = '\0';
}
