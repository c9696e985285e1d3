/*
 * frame.c - frames out of messages and messages out of frames.
 */
#include "frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HASHED 16u /* bytes of the head that the checksum covers */

static uint64_t checksum(uint64_t bond, const uint8_t *head, const uint8_t *payload,
                         size_t length) {
    /* The payload's hash starts from the head's: two plain calls instead of a hash with a state. */
    return XXH64(payload, length, XXH64(head, HASHED, bond));
}

uint8_t *migrate_frame_encode(struct migrate_message *message, uint32_t number, uint64_t bond,
                              size_t *size) {
    uint8_t *frame = malloc(MIGRATE_FRAME_HEAD + migrate_payload_bound(message));
    size_t length = 0;
    if (!frame || !migrate_payload_encode(message, frame + MIGRATE_FRAME_HEAD, &length)) {
        free(frame);
        return NULL;
    }
    migrate_put(frame, MIGRATE_FRAME_MAGIC, 4);
    migrate_put(frame + 4, message->type, 2);
    migrate_put(frame + 6, 0, 2);
    migrate_put(frame + 8, length, 4);
    migrate_put(frame + 12, number, 4);
    migrate_put(frame + 16, checksum(bond, frame, frame + MIGRATE_FRAME_HEAD, length), 8);
    *size = MIGRATE_FRAME_HEAD + length;
    return frame;
}

void migrate_reader_reset(struct migrate_reader *reader) {
    free(reader->payload);
    memset(reader, 0, sizeof(*reader));
}

bool migrate_reader_between(const struct migrate_reader *reader) {
    return reader->have == 0;
}

size_t migrate_reader_want(struct migrate_reader *reader, uint8_t **where) {
    if (reader->have < MIGRATE_FRAME_HEAD) {
        *where = reader->head + reader->have;
        return MIGRATE_FRAME_HEAD - reader->have;
    }
    size_t have = reader->have - MIGRATE_FRAME_HEAD;
    *where = reader->payload + have;
    return reader->length - have;
}

static enum migrate_read frame_bad(char *text, size_t text_size, const char *why) {
    snprintf(text, text_size, "the stream is damaged or no migration stream: %s", why);
    return MIGRATE_READ_BAD;
}

/* Checks a complete head against the limits, before its values are used. */
static enum migrate_read take_head(struct migrate_reader *reader, char *text, size_t text_size) {
    unsigned type = (unsigned)migrate_get(reader->head + 4, 2);
    uint64_t length = migrate_get(reader->head + 8, 4);
    if (migrate_get(reader->head, 4) != MIGRATE_FRAME_MAGIC)
        return frame_bad(text, text_size, "a frame does not begin like one");
    if (!migrate_type_known(type) || migrate_get(reader->head + 6, 2) != 0)
        return frame_bad(text, text_size, "a frame has an unknown type");
    if (length > migrate_payload_limit(type) || (reader->most != 0 && length > reader->most))
        return frame_bad(text, text_size, "a frame claims to be longer than its type can be");
    if (migrate_get(reader->head + 12, 4) != reader->number)
        return frame_bad(text, text_size, "a frame is missing or out of order");
    reader->length = (size_t)length;
    reader->payload = malloc(reader->length + 1);
    if (!reader->payload) {
        snprintf(text, text_size, "out of memory for a frame");
        return MIGRATE_READ_BAD;
    }
    return MIGRATE_READ_MORE;
}

static enum migrate_read take_frame(struct migrate_reader *reader, struct migrate_message *out,
                                    char *text, size_t text_size) {
    char why[160];
    if (checksum(reader->bond, reader->head, reader->payload, reader->length) !=
        migrate_get(reader->head + 16, 8))
        return frame_bad(text, text_size, "the checksum of a frame is wrong");
    memset(out, 0, sizeof(*out));
    out->type = (enum migrate_type)migrate_get(reader->head + 4, 2);
    if (!migrate_payload_decode(out, reader->payload, reader->length, why, sizeof(why)))
        return frame_bad(text, text_size, why);
    free(reader->payload);
    reader->payload = NULL;
    reader->length = reader->have = 0;
    reader->number++;
    return MIGRATE_READ_MESSAGE;
}

enum migrate_read migrate_reader_got(struct migrate_reader *reader, size_t size,
                                     struct migrate_message *out, char *text, size_t text_size) {
    bool in_head = reader->have < MIGRATE_FRAME_HEAD;
    reader->have += size;
    if (reader->have < MIGRATE_FRAME_HEAD)
        return MIGRATE_READ_MORE;
    if (in_head && take_head(reader, text, text_size) == MIGRATE_READ_BAD)
        return MIGRATE_READ_BAD;
    if (reader->have < MIGRATE_FRAME_HEAD + reader->length)
        return MIGRATE_READ_MORE;
    return take_frame(reader, out, text, text_size);
}
